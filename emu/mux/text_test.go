package mux_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// narrow has specialization constants of several types.
const narrow = `
OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int8
OpCapability Int16
OpCapability Float64
OpMemoryModel Physical64 OpenCL
OpDecorate %a SpecId 1
OpDecorate %b SpecId 2
OpDecorate %c SpecId 3
OpDecorate %d SpecId 4
OpDecorate %e SpecId 5
%char = OpTypeInt 8 0
%short = OpTypeInt 16 1
%double = OpTypeFloat 64
%float = OpTypeFloat 32
%bool = OpTypeBool
%a = OpSpecConstant %char 200
%b = OpSpecConstant %short 7
%c = OpSpecConstant %double 1.5
%d = OpSpecConstantFalse %bool
%e = OpSpecConstant %float 1.5
`

// words assembles a module.
func words(t testing.TB, text string) []uint32 {
	t.Helper()
	b, err := asm.Assemble(text, asm.Options{Version: 0x00010200})
	if err != nil {
		t.Fatal(err)
	}
	w, err := mux.Words(b)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
