package hostrun

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Digest says what a launch left behind: a hash of the contents of each buffer and image that it had.
type Digest struct {
	Kernel string
	Args   []ArgDigest
}

// ArgDigest is the hash of what an argument left behind.
type ArgDigest struct {
	Name string // of the parameter, or its number
	Sum  string // hexadecimal
}

// Sum returns the hash of the contents of an argument.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Line writes a digest as a line, without the end of the line. ReadDigests reads such lines.
func (d Digest) Line() string {
	var b strings.Builder
	b.WriteString(d.Kernel)
	for _, a := range d.Args {
		b.WriteString("\t" + a.Name + "=" + a.Sum)
	}
	return b.String()
}

// ReadDigests reads lines of Digest.Line: one for each launch.
func ReadDigests(text string) ([]Digest, error) {
	var list []Digest
	for line := range strings.Lines(text) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		d := Digest{Kernel: words[0]}
		for _, w := range words[1:] {
			name, sum, ok := strings.Cut(w, "=")
			if !ok {
				return nil, errors.New("the driver wrote a list of digests that cannot be read")
			}
			d.Args = append(d.Args, ArgDigest{name, sum})
		}
		list = append(list, d)
	}
	return list, nil
}

// Compare says in words where the launches of two runs of a program part first, and whether they do.
func Compare(a, b []Digest) (text string, differ bool) {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x.Kernel != y.Kernel {
			return fmt.Sprintf("launch %d is kernel %s in the first run and %s in the second", i+1, x.Kernel, y.Kernel), true
		}
		var names []string
		for j := range min(len(x.Args), len(y.Args)) {
			if x.Args[j] != y.Args[j] {
				names = append(names, x.Args[j].Name)
			}
		}
		if len(names) > 0 {
			return fmt.Sprintf("the results of launch %d, kernel %s, differ: argument %s", i+1, x.Kernel, strings.Join(names, ", ")), true
		}
	}
	if n := cmp.Compare(len(a), len(b)); n != 0 {
		return fmt.Sprintf("the first run has %s, the second %d; those that both have agree", counted(len(a), "launch", "launches"), len(b)), true
	}
	return fmt.Sprintf("the results of all launches agree: %d", len(a)), false
}
