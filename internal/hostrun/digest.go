package hostrun

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Digest says what a launch left behind: a hash of the contents of each buffer and image that it had.
type Digest struct {
	Number int // of the launch, from 1, in the order in which the program asked for launches
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
	fmt.Fprintf(&b, "%d\t%s", d.Number, d.Kernel)
	for _, a := range d.Args {
		b.WriteString("\t" + a.Name + "=" + a.Sum)
	}
	return b.String()
}

// ReadDigests reads lines of Digest.Line, one for each launch, and puts them in the order of the launches. Launches of
// several queues are over in any order.
func ReadDigests(text string) ([]Digest, error) {
	var list []Digest
	for line := range strings.Lines(text) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		n, err := strconv.Atoi(words[0])
		if err != nil || len(words) < 2 {
			return nil, errors.New("the driver wrote a list of digests that cannot be read")
		}
		d := Digest{Number: n, Kernel: words[1]}
		for _, w := range words[2:] {
			name, sum, ok := strings.Cut(w, "=")
			if !ok {
				return nil, errors.New("the driver wrote a list of digests that cannot be read")
			}
			d.Args = append(d.Args, ArgDigest{name, sum})
		}
		list = append(list, d)
	}
	slices.SortStableFunc(list, func(a, b Digest) int { return cmp.Compare(a.Number, b.Number) })
	return list, nil
}

// Compare says in words where the launches of two runs of a program part first, and whether they do.
func Compare(a, b []Digest) (text string, differ bool) {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x.Kernel != y.Kernel {
			return fmt.Sprintf("launch %d is kernel %s in the first run and %s in the second", x.Number, x.Kernel, y.Kernel), true
		}
		var names []string
		for j := range min(len(x.Args), len(y.Args)) {
			if x.Args[j] != y.Args[j] {
				names = append(names, x.Args[j].Name)
			}
		}
		if len(names) > 0 {
			return fmt.Sprintf("the results of launch %d, kernel %s, differ: argument %s", x.Number, x.Kernel, strings.Join(names, ", ")), true
		}
	}
	if n := cmp.Compare(len(a), len(b)); n != 0 {
		return fmt.Sprintf("the first run has %s, the second %d; those that both have agree", counted(len(a), "launch", "launches"), len(b)), true
	}
	return fmt.Sprintf("the results of all launches agree: %d", len(a)), false
}
