package clc_test

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// TestNoWrap promises of signed sums, differences, products and negations that they do not wrap, and of no others.
func TestNoWrap(t *testing.T) {
	for _, c := range []struct {
		name, source string
		version      spirv.Version
		promised     int
		arithmetic   int
	}{
		{"int", "i + 1; o[1] = i - 1; o[2] = i * 3; o[3] = i++; o[4] = --i; o[5] += -i", 0, 7, 7},
		{"long", "(l + 1) * l", 0, 2, 2},
		{"unsigned", "u + 1; o[1] = u * 3; o[2] = -u; u++", 0, 0, 4},
		{"narrow, computed as int", "s + c", 0, 1, 1},
		{"narrow, stepped", "s++", 0, 0, 1},
		{"vector", "(v + 1).x", 0, 0, 1},
		{"before version 1.4", "i + 1", 0x00010200, 0, 1},
	} {
		source := "kernel void k(global long *o, int i, long l, uint u, short s, char c, int2 v) { o[0] = " + c.source + "; }"
		res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: source}, clc.Options{SPIRV: c.version})
		if err != nil {
			t.Fatal(err)
		}
		made := map[spirv.ID]bool{}
		promised := 0
		for _, in := range res.Module.Insts {
			switch in.Op() {
			case spirv.OpIAdd, spirv.OpISub, spirv.OpIMul, spirv.OpSNegate:
				made[in.ResultID()] = true
			}
		}
		for _, in := range res.Module.Insts {
			if in.Op() == spirv.OpDecorate && spirv.Decoration(in.Operand(1)) == spirv.DecorationNoSignedWrap {
				promised++
				if !made[spirv.ID(in.Operand(0))] {
					t.Errorf("%s: a promise about %%%d, which is no sum, difference, product or negation", c.name, in.Operand(0))
				}
			}
		}
		if promised != c.promised || len(made) != c.arithmetic {
			t.Errorf("%s: %d promises about %d operations, expected %d about %d", c.name, promised, len(made), c.promised, c.arithmetic)
		}
	}
}
