package isa_test

import (
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestCheck damages an OpCheck and what it asks.
func TestCheck(t *testing.T) {
	sum := func() *isa.Kernel {
		k := kernel(isa.Inst{Op: isa.OpCheck, Type: isa.I32, A: isa.V(1), B: isa.S(1)})
		k.Checks = []isa.Check{{Kind: isa.CheckAdd}}
		return k
	}
	if err := sum().Verify(); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(in *isa.Inst, c *isa.Check){
		"no entry":                func(in *isa.Inst, _ *isa.Check) { in.Imm = 1 },
		"a kind":                  func(_ *isa.Inst, c *isa.Check) { c.Kind = isa.NumCheckKinds },
		"a rounding":              func(_ *isa.Inst, c *isa.Check) { c.Round = isa.RoundRTN + 1 },
		"no operand":              func(in *isa.Inst, _ *isa.Check) { in.A = isa.None },
		"one operand of two":      func(in *isa.Inst, _ *isa.Check) { in.B = isa.None },
		"two operands of one":     func(_ *isa.Inst, c *isa.Check) { c.Kind = isa.CheckNeg },
		"a register out of range": func(in *isa.Inst, _ *isa.Check) { in.B = isa.V(100) },
		"a sum of floats":         func(in *isa.Inst, _ *isa.Check) { in.Type = isa.F32 },
		"a float that is none":    func(in *isa.Inst, c *isa.Check) { c.Kind, c.Limit, in.B = isa.CheckToS, 8, isa.None },
		"pointers of 32 bits":     func(_ *isa.Inst, c *isa.Check) { c.Kind = isa.CheckSame },
		"an integer too wide":     func(in *isa.Inst, c *isa.Check) { c.Kind, c.Limit, in.Type, in.B = isa.CheckToU, 65, isa.F32, isa.None },
	} {
		k := sum()
		change(&k.Code[0], &k.Checks[0])
		if err := k.Verify(); !errors.Is(err, isa.ErrMalformed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
