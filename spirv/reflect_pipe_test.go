package spirv_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

func TestReflectPipes(t *testing.T) {
	m, err := asm.AssembleModule(`OpCapability Kernel
OpCapability Addresses
OpCapability PipeStorage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %plain "plain"
OpEntryPoint Kernel %typed "typed"
%types = OpString "kernel_arg_type.typed.int4,pipe float,"
OpName %link "link"
%void = OpTypeVoid
%pr = OpTypePipe ReadOnly
%pw = OpTypePipe WriteOnly
%store = OpTypePipeStorage
%fn = OpTypeFunction %void %pr %pw
%link = OpConstantPipeStorage %store 16 8 1024
%other = OpConstantPipeStorage %store 1 1 4294967295
%plain = OpFunction %void None %fn
%a = OpFunctionParameter %pr
%b = OpFunctionParameter %pw
%e = OpLabel
OpReturn
OpFunctionEnd
%typed = OpFunction %void None %fn
%c = OpFunctionParameter %pr
%d = OpFunctionParameter %pw
%f = OpLabel
OpReturn
OpFunctionEnd
`, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := spirv.Reflect(m)
	if err != nil {
		t.Fatal(err)
	}
	if p := info.Pipes; len(p) != 2 || p[0].Name != "link" || p[0].PacketBytes != 16 || p[0].PacketAlign != 8 || p[0].Capacity != 1024 ||
		p[1].Name != "" || p[1].Capacity != 1<<32-1 {
		t.Errorf("pipes %+v", p)
	}
	for i, want := range [][2]string{{"pipe", "pipe"}, {"pipe int4", "pipe float"}} {
		a := info.EntryPoints[i].Args
		if a[0].Kind != spirv.ArgPipe || a[0].Access != spirv.AccessQualifierReadOnly || a[0].TypeName != want[0] ||
			a[1].Kind != spirv.ArgPipe || a[1].Access != spirv.AccessQualifierWriteOnly || a[1].TypeName != want[1] {
			t.Errorf("%s: %+v", info.EntryPoints[i].Name, a)
		}
	}
}
