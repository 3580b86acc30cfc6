package main

import (
	"bytes"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestHalfArithmetic compares the arithmetic of halves with exact arithmetic, rounded once, on each engine: at all halves
// for the first operand and at edges for the second one.
func TestHalfArithmetic(t *testing.T) {
	h := newHalfRun(halfSeconds(6))
	var first []byte
	for _, engine := range emu.Engines()[1:] {
		got, err := h.results(engine)
		if err != nil {
			t.Fatal(err)
		}
		if first != nil {
			if !bytes.Equal(got, first) {
				t.Errorf("engine %s gives other results", engine)
			}
			continue
		}
		first = got
		for k, op := range halfOperations {
			count := 0
			h.check(k, got, func(a, b, c, got, want uint64) {
				if count++; count <= 3 {
					t.Errorf("%s: %s of %#x, %#x, %#x is %#x, want %#x", engine, op.text, a, b, c, got, want)
				}
			})
		}
	}
}
