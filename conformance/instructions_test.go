package conformance

import (
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// TestInstructions: each instruction that kernels can use, as `lockstep info -opcodes` says, is in a case, or noCase says
// why it is in none.
func TestInstructions(t *testing.T) {
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	used := map[spirv.Op]bool{}
	for _, c := range cases {
		if c.Text == "" {
			continue
		}
		m, err := asm.AssembleModule(c.Text, asm.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		for _, in := range m.Insts {
			used[in.Op()] = true
			if in.Op() == spirv.OpSpecConstantOp {
				used[spirv.Op(in.Operand(0))] = true
			}
		}
	}
	var missing []string
	for info := range spirv.Ops() {
		reason, excused := noCase[info.Op]
		switch runs := lower.Instruction(info.Op).State == lower.Runs; {
		case runs && !used[info.Op] && !excused:
			missing = append(missing, info.Name)
		case excused && (used[info.Op] || !runs):
			t.Errorf("%s is in a case, or does not run, and is listed as one that needs none: %s", info.Name, reason)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		t.Errorf("no case has these instructions: %s", missing)
	}
}

// noCase says why an instruction is in no case.
var noCase = map[spirv.Op]string{
	spirv.OpImageQuerySamples: "asks images of several samples, and kernels that have one as an argument are refused",
}
