package asm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// seeds gives the files that match a pattern.
func seeds(f *testing.F, pattern string) (out [][]byte) {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		f.Fatalf("no files %s: %v", pattern, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

// FuzzAssemble assembles any text: it ends in a module or a SyntaxError. The
// disassembly of a module assembles to the same module, unless raw words were
// put where text cannot express them.
func FuzzAssemble(f *testing.F) {
	for _, data := range seeds(f, "testdata/text/*.spvasm") {
		f.Add(string(data), false)
	}
	for _, data := range seeds(f, "testdata/golden/*.txt") {
		f.Add(string(data), true)
	}
	f.Fuzz(checkText)
}

// checkText assembles a text that may hold anything.
func checkText(t *testing.T, text string, preserve bool) {
	data, err := Assemble(text, Options{PreserveNumericIDs: preserve})
	if err != nil {
		var se *SyntaxError
		if !errors.As(err, &se) || se.Line < 1 || se.Column < 1 {
			t.Fatalf("error %#v", err)
		}
		return
	}
	m, err := spirv.Decode(data)
	raw := strings.Contains(text, "!") || strings.Contains(text, "OpUnknown")
	if err != nil {
		if !raw {
			t.Fatalf("the module does not decode: %v", err)
		}
		return
	}
	Disassemble(m, DisassembleOptions{Comments: true})
	again := Disassemble(m, DisassembleOptions{RawIDs: true})
	if raw {
		return
	}
	m2, err := AssembleModule(again, Options{PreserveNumericIDs: true})
	if err != nil {
		t.Fatalf("%v in:\n%s", err, again)
	}
	if diff := cmp.Diff(m.Insts, m2.Insts); diff != "" {
		t.Fatalf("(-module +assembled):\n%s", diff)
	}
	if m2.Bound != m.Bound && !strings.Contains(again, "OpUnknown") {
		t.Fatalf("bound %d, of the assembled text %d", m.Bound, m2.Bound)
	}
}

// TestMutations assembles text with mistakes.
func TestMutations(t *testing.T) {
	mu := newMutator(t, 2)
	for range 4000 {
		checkText(t, mu.text(), mu.rng.IntN(2) == 0)
	}
}

// FuzzDisassemble disassembles any module. The text stays in proportion to it.
func FuzzDisassemble(f *testing.F) {
	for _, data := range seeds(f, "testdata/kernels/*.spv") {
		f.Add(data)
	}
	for _, data := range seeds(f, "testdata/text/*.spvasm") {
		module, err := Assemble(string(data), Options{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(module)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spirv.Decode(data)
		if err != nil {
			return
		}
		for _, opts := range []DisassembleOptions{
			{},
			{RawIDs: true},
			{NoIndent: true, NoHeader: true, Offsets: true, Comments: true},
		} {
			text := Disassemble(m, opts)
			if limit := longNameBudget + (2*shortName)*(len(data)+100); len(text) > limit {
				t.Fatalf("%d bytes give %d bytes of text", len(data), len(text))
			}
		}
	})
}
