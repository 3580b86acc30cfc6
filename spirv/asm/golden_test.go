package asm

import (
	"encoding/binary"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/spirv"
)

var update = flag.Bool("update", false, "rewrite golden files")

// readModules gives the modules of a directory by file name: .spv files decoded,
// .spvasm files assembled.
func readModules(t *testing.T, pattern string) map[string]*spirv.Module {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	modules := map[string]*spirv.Module{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var m *spirv.Module
		if spirv.IsBinary(data) {
			m, err = spirv.Decode(data)
		} else {
			m, err = AssembleModule(string(data), Options{})
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		modules[filepath.Base(path)] = m
	}
	return modules
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test -update", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestGolden compares the disassembly of what clang and the SPIR-V translator
// made, and of hand-written text, with committed text.
func TestGolden(t *testing.T) {
	for name, m := range readModules(t, "testdata/kernels/*.spv") {
		compareGolden(t, filepath.Join("testdata/golden", name+".txt"), Disassemble(m, DisassembleOptions{}))
	}
	for name, m := range readModules(t, "testdata/text/*.spvasm") {
		compareGolden(t, filepath.Join("testdata/golden", name+".txt"), Disassemble(m, DisassembleOptions{RawIDs: true}))
		compareGolden(t, filepath.Join("testdata/golden", name+".friendly.txt"), Disassemble(m, DisassembleOptions{NoHeader: true, Comments: true}))
	}
}

// TestRoundTrip assembles the disassembly of a module and expects the module,
// apart from the header, of which the text holds comments only.
func TestRoundTrip(t *testing.T) {
	modules := readModules(t, "testdata/kernels/*.spv")
	for name, m := range readModules(t, "testdata/text/*.spvasm") {
		modules[name] = m
	}
	for name, m := range modules {
		checkRoundTrip(t, name, m)
	}
}

func checkRoundTrip(t *testing.T, name string, m *spirv.Module) {
	t.Helper()
	for _, opts := range []DisassembleOptions{
		{RawIDs: true},
		{RawIDs: true, NoHeader: true, NoIndent: true, Offsets: true, Comments: true},
	} {
		text := Disassemble(m, opts)
		again, err := AssembleModule(text, Options{Version: m.Version, PreserveNumericIDs: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(m.Insts, again.Insts); diff != "" {
			t.Errorf("%s %+v (-module +assembled):\n%s", name, opts, diff)
		}
	}
}

// TestBigEndian disassembles modules of the other byte order.
func TestBigEndian(t *testing.T) {
	for name, m := range readModules(t, "testdata/kernels/*.spv") {
		want := Disassemble(m, DisassembleOptions{})
		m.ByteOrder = binary.BigEndian
		swapped, err := spirv.Decode(m.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if got := Disassemble(swapped, DisassembleOptions{}); got != want {
			t.Errorf("%s: %s", name, lineDiff(want, got))
		}
	}
}
