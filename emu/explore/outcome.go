package explore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Run is one run of a plan.
type Run struct {
	Index int `json:"run"`
	Config
	Outcome string `json:"outcome"` // the ID of the outcome
}

// Outcome is what runs left behind that agree.
type Outcome struct {
	// ID is a digest of everything that counts; it is the same on every machine.
	ID string `json:"id"`
	// First is the run of the lowest index that came to it, and Findings are those of that run.
	First    Run               `json:"first"`
	Findings []finding.Finding `json:"findings"`
	// Completed is false when a fault ended the runs or, where all work-groups run, one of these. Memory and
	// Output, digests of memory and of what was printed, count only when it is true.
	Completed bool   `json:"completed"`
	Memory    string `json:"memory"`
	Output    string `json:"output"`
}

// digest returns the text of a hash; 64 bits tell outcomes apart.
func digest(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:8]) }

// digest is that of everything that a run has left.
func (l *launched) digest() (string, error) {
	held, err := l.dev.Contents()
	if err != nil {
		return "", err
	}
	return memoryDigest(held, l.left)
}

// memoryDigest is that of all bytes that kernels may write, and of what else is left.
func memoryDigest(list []emu.Contents, left func(io.Writer) error) (string, error) {
	h := sha256.New()
	var size [8]byte
	for i := range list {
		binary.LittleEndian.PutUint64(size[:], uint64(len(list[i].Data)))
		h.Write(size[:])
		h.Write(list[i].Data)
	}
	if left != nil {
		if err := left(h); err != nil {
			return "", err
		}
	}
	return digest(h), nil
}

// prints collects what each work-item prints.
type prints map[itemKey]hash.Hash

// of returns what emu.Launch.Prints is for a launch of the subject.
func (p prints) of(launch int) func(item uint64, text []byte) {
	return func(item uint64, text []byte) {
		at := itemKey{launch, item}
		h := p[at]
		if h == nil {
			h = sha256.New()
			p[at] = h
		}
		h.Write(text)
	}
}

// digest does not depend on the order of the work-items, or on which of them printed what.
func (p prints) digest() string {
	var texts [][]byte
	for _, h := range p {
		texts = append(texts, h.Sum(nil))
	}
	slices.SortFunc(texts, bytes.Compare)
	all := sha256.New()
	for _, t := range texts {
		all.Write(t)
	}
	return digest(all)
}

// findingKeys are what findings are compared by: the codes and the places of the source, without the
// work-items, which depend on the order, and the numbers.
func findingKeys(list []finding.Finding) []string {
	var keys []string
	for i := range list {
		f := &list[i]
		at := fmt.Sprintf("%s:%d:%d", f.Place.File, f.Place.Line, f.Place.Column)
		if f.Place.Line == 0 {
			// The instruction's text may depend on the sub-group size where it is one of the bytecode.
			at = fmt.Sprint("word ", f.Place.Word)
		}
		keys = append(keys, string(f.Code)+" at "+at)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// newOutcome is the outcome of a run.
func newOutcome(run Run, res *ran, memory, output string, keepGoing bool) *Outcome {
	o := &Outcome{First: run, Findings: append([]finding.Finding{}, res.findings.Findings...), Completed: !res.halted && !(keepGoing && res.findings.Failed()), Memory: memory, Output: output}
	if !o.Completed {
		o.Memory, o.Output = "", ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %t", findingKeys(o.Findings), o.Memory, o.Output, o.Completed)
	o.ID = digest(h)
	o.First.Outcome = o.ID
	return o
}
