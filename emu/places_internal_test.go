package emu

import (
	"strconv"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// TestInstruction compares the texts of single instructions with the module's disassembly, and sees that one of
// them takes a few allocations in a module of any size.
func TestInstruction(t *testing.T) {
	var text strings.Builder
	text.WriteString("OpCapability Kernel\nOpMemoryModel Physical64 OpenCL\nOpName %100 \"x\"\nOpName %200 \"x\"\n%void = OpTypeVoid\n%u = OpTypeInt 32 0\n%c = OpConstant %u 7\n" +
		"%fn = OpTypeFunction %void\n%f = OpFunction %void None %fn\n%l = OpLabel\n%1000 = OpIAdd %u %c %c\n")
	for i := range 20000 {
		text.WriteString("%" + strconv.Itoa(1001+i) + " = OpIAdd %u %" + strconv.Itoa(1000+i) + " %c\n")
	}
	text.WriteString("OpReturn\nOpFunctionEnd\n")
	m, err := asm.AssembleModule(text.String(), asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{module: m}
	want := strings.Split(asm.Disassemble(m, asm.DisassembleOptions{NoHeader: true, NoIndent: true}), "\n")
	for i, in := range m.Insts {
		if got := p.instruction(uint32(in.Offset)); got != want[i] {
			t.Fatalf("instruction %d is %q; expected %q", i, got, want[i])
		}
	}
	if got := p.instruction(uint32(m.Insts[7].Offset + 1)); got != "" {
		t.Errorf("inside of an instruction there is %q", got)
	}
	word := uint32(m.Insts[10000].Offset)
	if n := testing.AllocsPerRun(10, func() { p.instruction(word) }); n > 20 {
		t.Errorf("the text of one instruction takes %v allocations", n)
	}
}
