package emu_test

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// TestLinkAddresses links modules whose variables have addresses of each other's variables as initial values.
func TestLinkAddresses(t *testing.T) {
	var modules []emu.LinkInput
	for name, text := range []string{`
extern global int shared_values[4];
extern global int *shared_pointer;
global int *own = shared_values + 1;
global int **twice = &shared_pointer;
int fetch(int i);
struct s { global int *p; int x; };
global int mine[3] = {7, 8, 9};
global struct s all[2] = {{mine + 1, 5}, {&mine[2], 6}};
kernel void k(global int *out) {
	out[0] = fetch(0);
	out[1] = fetch(-1);
	out[2] = *own;
	out[3] = **twice;
	out[4] = all[0].p[0] + all[1].p[0] + all[1].x;
	out[5] = (*twice)[1];
}`, `
global int shared_values[4] = {10, 20, 30, 40};
global int *shared_pointer = &shared_values[2];
constant int shared_table[4] = {1, 2, 3, 4};
constant int *constant shared_into[2] = {&shared_table[3], shared_table};
int fetch(int i) { return shared_pointer[i] + *shared_into[i & 1]; }`} {
		var o clc.Options
		if err := o.Add([]string{"-cl-std=CL2.0"}); err != nil {
			t.Fatal(err)
		}
		res, err := clc.Compile(context.Background(), clc.Source{Name: string(rune('a'+name)) + ".cl", Text: text}, o)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, emu.LinkInput{Code: res.Module.Encode()})
	}
	onEngines(t, emu.DeviceOptions{Workers: 1}, func(t *testing.T, d *emu.Device) {
		p, err := d.LinkProgram(modules, emu.ProgramOptions{})
		if err != nil {
			t.Fatal(err)
		}
		// Where there is shared memory, the variables still have addresses of their own.
		for range 2 {
			out := buffer(t, d, make([]int32, 6)...)
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "k"), Range: sized(1, 1), Args: []emu.Arg{out}})
			if got := contents[int32](t, out); !slices.Equal(got, []int32{34, 21, 20, 30, 23, 40}) {
				t.Errorf("%v", got)
			}
			svm(t, d, 64, emu.SVMOptions{})
		}
	})
}

// TestPhysical32Struct gives a structure with a pointer of 32 bits by value.
func TestPhysical32Struct(t *testing.T) {
	module, err := asm.Assemble(`OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %f "where"
OpEntryPoint Kernel %g "store"
%int = OpTypeInt 32 0
%void = OpTypeVoid
%one = OpConstant %int 1
%pint = OpTypePointer CrossWorkgroup %int
%args = OpTypeStruct %pint %int
%fn = OpTypeFunction %void %pint
%gn = OpTypeFunction %void %args
%f = OpFunction %void None %fn
%p = OpFunctionParameter %pint
%fl = OpLabel
%n = OpConvertPtrToU %int %p
OpStore %p %n Aligned 4
OpReturn
OpFunctionEnd
%g = OpFunction %void None %gn
%a = OpFunctionParameter %args
%gl = OpLabel
%q = OpCompositeExtract %pint %a 0
%v = OpCompositeExtract %int %a 1
%r = OpInBoundsPtrAccessChain %pint %q %one
OpStore %r %v Aligned 4
OpReturn
OpFunctionEnd
`, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	onEngines(t, emu.DeviceOptions{Workers: 1}, func(t *testing.T, d *emu.Device) {
		p, err := d.NewProgram(module, emu.ProgramOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out := buffer(t, d, make([]uint32, 2)...)
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, "where"), Range: sized(1, 1), Args: []emu.Arg{out}})
		arg := binary.LittleEndian.AppendUint32(nil, contents[uint32](t, out)[0])
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, "store"), Range: sized(1, 1), Args: []emu.Arg{emu.Bytes(append(arg, 77, 0, 0, 0))}})
		if got := contents[uint32](t, out)[1]; got != 77 {
			t.Errorf("%d", got)
		}
	})
}
