package asm

import (
	"testing"
)

// BenchmarkDisassemble prints a module of 1 MB with everything of the grammar.
func BenchmarkDisassemble(b *testing.B) {
	m := megabyte()
	size := int64(len(m.Encode()))
	for _, raw := range []bool{false, true} {
		name := "friendly"
		if raw {
			name = "raw"
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				Disassemble(m, DisassembleOptions{RawIDs: raw})
			}
		})
	}
}

// BenchmarkAssemble reads the text of that module.
func BenchmarkAssemble(b *testing.B) {
	text := Disassemble(megabyte(), DisassembleOptions{})
	for _, preserve := range []bool{false, true} {
		name := "numbered"
		if preserve {
			name = "preserve"
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Assemble(text, Options{PreserveNumericIDs: preserve}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
