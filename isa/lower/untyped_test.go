package lower_test

import (
	"encoding/binary"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// untypedText is a kernel in which no pointer has a pointee type
// (SPV_KHR_untyped_pointers): out[i] = 3*in[i].b + table[i&3], by way of a
// private array.
const untypedText = `OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
OpCapability UntypedPointersKHR
OpExtension "SPV_KHR_untyped_pointers"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %table Constant
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v3 = OpTypeVector %ulong 3
%pair = OpTypeStruct %ulong %uint
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c10 = OpConstant %uint 10
%c20 = OpConstant %uint 20
%c30 = OpConstant %uint 30
%c40 = OpConstant %uint 40
%l0 = OpConstant %ulong 0
%array = OpTypeArray %uint %c4
%init = OpConstantComposite %array %c10 %c20 %c30 %c40
%uconst = OpTypeUntypedPointerKHR UniformConstant
%uglobal = OpTypeUntypedPointerKHR CrossWorkgroup
%ufunc = OpTypeUntypedPointerKHR Function
%pin = OpTypePointer Input %v3
%fn = OpTypeFunction %void %uglobal %uglobal
%table = OpUntypedVariableKHR %uconst UniformConstant %array %init
%gid = OpVariable %pin Input
%f = OpFunction %void None %fn
%out = OpFunctionParameter %uglobal
%in = OpFunctionParameter %uglobal
%e = OpLabel
%tmp = OpUntypedVariableKHR %ufunc Function %array
%g3 = OpLoad %v3 %gid
%g = OpCompositeExtract %ulong %g3 0
%i = OpUConvert %uint %g
%i3 = OpBitwiseAnd %uint %i %c3
%src = OpUntypedInBoundsPtrAccessChainKHR %uglobal %pair %in %g %c1
%x = OpLoad %uint %src Aligned 4
%x3 = OpIMul %uint %x %c3
%at = OpUntypedAccessChainKHR %ufunc %array %tmp %i3
OpStore %at %x3 Aligned 4
%ct = OpUntypedInBoundsAccessChainKHR %uconst %array %table %i3
%t = OpLoad %uint %ct Aligned 4
%y = OpLoad %uint %at Aligned 4
%sum = OpIAdd %uint %y %t
%dst = OpUntypedPtrAccessChainKHR %uglobal %uint %out %g
OpStore %dst %sum Aligned 4
OpReturn
OpFunctionEnd
`

// TestUntypedPointers runs a kernel of untyped pointers.
func TestUntypedPointers(t *testing.T) {
	const n = 70
	in, out := make([]byte, 16*n), make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint64(in[16*i:], ^uint64(0))
		binary.LittleEndian.PutUint32(in[16*i+8:], uint32(1000+i))
	}
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, dev, untypedText, n, out, in)
	for i := range n {
		want := uint32(3*(1000+i) + 10*(1+i&3))
		if x := binary.LittleEndian.Uint32(got[4*i:]); x != want {
			t.Errorf("element %d is %d, want %d", i, x, want)
		}
	}
}
