package asm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

func TestPrinter(t *testing.T) {
	for name, m := range readModules(t, "testdata/kernels/*.spv") {
		for _, raw := range []bool{false, true} {
			p := NewPrinter(m, raw)
			var b strings.Builder
			for _, in := range m.Insts {
				fmt.Fprintln(&b, p.Inst(in))
			}
			if got, want := b.String(), Disassemble(m, DisassembleOptions{RawIDs: raw, NoIndent: true, NoHeader: true}); got != want {
				t.Errorf("%s, raw %v: the instructions one by one differ:\n%s", name, raw, lineDiff(want, got))
			}
		}
	}
}

func TestPrinterID(t *testing.T) {
	m, err := AssembleModule(`OpName %a "name" %a = OpTypeVoid`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := NewPrinter(m, false).ID(1); got != "%name" {
		t.Error(got)
	}
	if got := NewPrinter(m, true).ID(1); got != "%1" {
		t.Error(got)
	}
	if got := NewPrinter(m, false).Inst(spirv.Inst{}); got != "OpUnknown(0, 0)" {
		t.Error(got)
	}
}

func ExampleAssemble() {
	const text = `
		     OpCapability Kernel
		%1 = OpTypeInt 32 0
		%2 = OpConstant %1 0x2a ; the answer`
	m, err := AssembleModule(text, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(Disassemble(m, DisassembleOptions{NoHeader: true}))
	_, err = Assemble("%1 = OpTypeInt 32 signed", Options{})
	fmt.Println(err)
	// Output:
	//                OpCapability Kernel
	//        %uint = OpTypeInt 32 0
	//     %uint_42 = OpConstant %uint 42
	// 1:19: invalid unsigned integer literal "signed"
}
