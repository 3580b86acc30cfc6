package kernels_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

var update = flag.Bool("update", false, "write the conformance cases of the kernels anew")

// caseDir is where the conformance cases of the kernels are.
const caseDir = "../cases/kernels"

// shownBytes is the largest output that a case spells out; of larger ones it
// keeps the hash.
const shownBytes = 256

// launchOf is a launch with what its buffers hold afterwards, bit by bit.
func launchOf(entry string, l kernels.Launch, args []*argspec.Arg, data [][]byte, outputs []int) conformance.Launch {
	out := conformance.Launch{Kernel: entry, Global: l.Global, Local: l.Local, Offset: l.Offset, Args: l.Args}
	for i, a := range args {
		e := conformance.Expect{Arg: i, What: "unchanged"}
		switch {
		case a == nil || a.Kind != argspec.Buffer:
			continue
		case slices.Contains(outputs, i) && len(data[i]) <= shownBytes:
			e.What = fmt.Sprintf("buf:%v:%s", a.Type, argspec.AppendList(nil, a.Type, data[i]))
		case slices.Contains(outputs, i):
			e.What = fmt.Sprintf("sha256:%x", sha256.Sum256(data[i]))
		}
		out.Expect = append(out.Expect, e)
	}
	return out
}

// setCase is the conformance case of one module of a set.
func setCase(t *testing.T, s *kernels.Set, b kernels.Binary) *conformance.Case {
	t.Helper()
	args, data := parseSet(t, s)
	if err := s.Reference(data); err != nil {
		t.Fatal(err)
	}
	c := &conformance.Case{
		Name:    "kernels/" + s.Name + "." + b.Variant,
		Title:   fmt.Sprintf("%s: %s", b.Variant, s.About),
		Clauses: s.Clauses,
		Module:  "../../kernels/spv/" + b.File,
		Steps:   make([]conformance.Step, 1),
	}
	for _, p := range s.Pipes {
		c.Pipes = append(c.Pipes, conformance.Pipe(p))
	}
	for i, l := range s.Launches {
		c.Steps[0].Launches = append(c.Steps[0].Launches, launchOf(l.Entry, l.Launch, args[i], data[i], l.Outputs))
	}
	return c
}

// caseOf is the conformance case of one module of a kernel: what the reference
// gives, bit by bit.
func caseOf(t *testing.T, k *kernels.Kernel, b kernels.Binary) *conformance.Case {
	t.Helper()
	args, data := parseArgs(t, k.Launch)
	if err := k.Reference(k.Launch, data); err != nil {
		t.Fatal(err)
	}
	return &conformance.Case{
		Name:    "kernels/" + k.Name + "." + b.Variant,
		Title:   fmt.Sprintf("%s: %s", b.Variant, k.About),
		Clauses: k.Clauses,
		Module:  "../../kernels/spv/" + b.File,
		Steps:   []conformance.Step{{Launches: []conformance.Launch{launchOf(k.Entry, k.Launch, args, data, k.Outputs)}}},
	}
}

// TestCases compares the conformance cases with what the references give; with
// -update it writes them.
func TestCases(t *testing.T) {
	want := map[string][]byte{}
	write := func(name string, c *conformance.Case) {
		var text bytes.Buffer
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
		want[name+".case"] = text.Bytes()
	}
	for _, s := range kernels.Sets() {
		binaries, err := s.Binaries()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range binaries {
			write(s.Name+"."+b.Variant, setCase(t, s, b))
		}
	}
	for _, k := range kernels.All() {
		if len(k.Outputs) == 0 {
			continue // a case must expect something
		}
		binaries, err := k.Binaries()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range binaries {
			write(k.Name+"."+b.Variant, caseOf(t, k, b))
		}
	}
	present, err := filepath.Glob(filepath.Join(caseDir, "*.case"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll(caseDir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range present {
		if _, ok := want[filepath.Base(file)]; !ok {
			if !*update {
				t.Errorf("%s belongs to no kernel; -update removes it", file)
			} else if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		text := want[name]
		file := filepath.Join(caseDir, name)
		if *update {
			if err := os.WriteFile(file, text, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is not what the reference gives (%v); -update writes it", file, err)
		}
	}
}
