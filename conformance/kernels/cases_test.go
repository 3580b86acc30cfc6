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

// caseOf is the conformance case of one module of a kernel: what the reference
// gives, bit by bit.
func caseOf(t *testing.T, k *kernels.Kernel, b kernels.Binary) *conformance.Case {
	t.Helper()
	args, data := parseArgs(t, k.Launch)
	if err := k.Reference(k.Launch, data); err != nil {
		t.Fatal(err)
	}
	c := &conformance.Case{
		Name:    "kernels/" + k.Name + "." + b.Variant,
		Title:   fmt.Sprintf("%s: %s", b.Variant, k.About),
		Clauses: k.Clauses,
		Module:  "../../kernels/spv/" + b.File,
	}
	l := conformance.Launch{
		Kernel: k.Entry,
		Global: k.Launch.Global, Local: k.Launch.Local, Offset: k.Launch.Offset,
		Args: k.Launch.Args,
	}
	for i, a := range args {
		e := conformance.Expect{Arg: i, What: "unchanged"}
		switch {
		case a.Kind != argspec.Buffer:
			continue
		case slices.Contains(k.Outputs, i) && len(data[i]) <= shownBytes:
			e.What = fmt.Sprintf("buf:%v:%s", a.Type, argspec.AppendList(nil, a.Type, data[i]))
		case slices.Contains(k.Outputs, i):
			e.What = fmt.Sprintf("sha256:%x", sha256.Sum256(data[i]))
		}
		l.Expect = append(l.Expect, e)
	}
	c.Steps = []conformance.Step{{Launches: []conformance.Launch{l}}}
	return c
}

// TestCases compares the conformance cases with what the references give; with
// -update it writes them.
func TestCases(t *testing.T) {
	want := map[string][]byte{}
	for _, k := range kernels.All() {
		if len(k.Outputs) == 0 {
			continue // a case must expect something
		}
		binaries, err := k.Binaries()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range binaries {
			var text bytes.Buffer
			if err := caseOf(t, k, b).Write(&text); err != nil {
				t.Fatal(err)
			}
			want[k.Name+"."+b.Variant+".case"] = text.Bytes()
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
