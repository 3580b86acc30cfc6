package emu_test

import (
	"context"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// resourceModule stores the words of its first argument and the handle that is
// its second one.
const resourceModule = `
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "words"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v4 = OpTypeVector %uint 4
%pv4 = OpTypePointer CrossWorkgroup %v4
%pulong = OpTypePointer CrossWorkgroup %ulong
%fn = OpTypeFunction %void %v4 %pulong %pv4 %pulong
%k = OpFunction %void None %fn
%words = OpFunctionParameter %v4
%handle = OpFunctionParameter %pulong
%out = OpFunctionParameter %pv4
%out2 = OpFunctionParameter %pulong
%entry = OpLabel
OpStore %out %words Aligned 16
%bits = OpConvertPtrToU %ulong %handle
OpStore %out2 %bits Aligned 8
OpReturn
OpFunctionEnd
`

func TestResourceArguments(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	module, err := asm.Assemble(resourceModule, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k := kernel(t, p, "words")
	out, out2 := buffer(t, d, make([]uint32, 4)...), buffer(t, d, uint64(0))
	target := buffer(t, d, make([]uint32, 16)...)
	var first uint64
	for range 3 {
		mustRun(t, &emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{emu.Resource(target, 16, 4), emu.Resource(target, 0, 64), out, out2}})
		w := contents[uint32](t, out)
		// The base is an address that leads to the buffer: never null.
		if uint64(w[1]&0xffff)<<32|uint64(w[0]) == 0 || w[1]>>16 != 16 || w[2] != 4 || w[3] != 0 {
			t.Errorf("words %#x", w)
		}
		h := contents[uint64](t, out2)[0]
		if h>>60 != 4 {
			t.Errorf("handle %#x", h)
		}
		if first == 0 {
			first = h
		}
		if h != first {
			t.Errorf("the handle was %#x and is %#x", first, h)
		}
	}
	// A launch that does not start leaves no handle behind.
	freed := buffer(t, d, uint32(0))
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	l := emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{emu.Resource(target, 0, 4), emu.Resource(target, 0, 4), freed, out2}}
	if _, err := l.Run(context.Background()); err == nil {
		t.Error("ran with a freed buffer")
	}
	before := slices.Clone(contents[uint64](t, out2))
	mustRun(t, &emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{emu.Resource(target, 16, 4), emu.Resource(target, 0, 64), out, out2}})
	if got := contents[uint64](t, out2); !slices.Equal(got, before) {
		t.Errorf("handle %#x, before %#x", got, before)
	}
}
