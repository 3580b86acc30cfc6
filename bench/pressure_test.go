package bench

import (
	"fmt"
	"strings"
)

// pressure describes a kernel that takes a number of registers, and private memory. Each work-item loads
// so many floats, and in each trip of a loop adds a half of each to its neighbour, so that all of them live from trip to trip.
type pressure struct {
	live    int  // floats, at least 2
	private int  // elements of a private array, a power of two, of which each trip writes one and reads one; 0 is none
	barrier bool // each trip has one
}

// String names the kernel.
func (p pressure) String() string {
	s := fmt.Sprintf("live%d", p.live)
	if p.private > 0 {
		s += fmt.Sprintf("-private%d", p.private)
	}
	if p.barrier {
		s += "-barrier"
	}
	return s
}

// assembly returns the kernel's module in the text form of SPIR-V. Kernel pressure has the parameters in, as many floats as live and
// one more for each work-item of a group, out, a float for each work-item, and trips.
func (p pressure) assembly() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	b.WriteString(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel "pressure" %global %local
OpDecorate %global BuiltIn GlobalInvocationId
OpDecorate %local BuiltIn LocalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%u64x3 = OpTypeVector %u64 3
%ids = OpTypePointer Input %u64x3
%floats = OpTypePointer CrossWorkgroup %f32
%function = OpTypeFunction %void %floats %floats %u32
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%two = OpConstant %u32 2
%fence = OpConstant %u32 264
%half = OpConstant %f32 0.5
%global = OpVariable %ids Input
%local = OpVariable %ids Input
`)
	for k := range p.live {
		line("%%k%d = OpConstant %%u64 %d", k, k)
	}
	if p.private > 0 {
		line("%%elements = OpConstant %%u32 %d", p.private)
		line("%%mask = OpConstant %%u32 %d", p.private-1)
		line("%%seven = OpConstant %%u32 7")
		line("%%array = OpTypeArray %%f32 %%elements")
		line("%%arrays = OpTypePointer Function %%array")
		line("%%element = OpTypePointer Function %%f32")
	}
	b.WriteString(`%kernel = OpFunction %void None %function
%in = OpFunctionParameter %floats
%out = OpFunctionParameter %floats
%trips = OpFunctionParameter %u32
%entry = OpLabel
`)
	if p.private > 0 {
		line("%%memory = OpVariable %%arrays Function")
	}
	line("%%gids = OpLoad %%u64x3 %%global")
	line("%%gid = OpCompositeExtract %%u64 %%gids 0")
	line("%%lids = OpLoad %%u64x3 %%local")
	line("%%lid = OpCompositeExtract %%u64 %%lids 0")
	line("%%lid32 = OpUConvert %%u32 %%lid")
	for k := range p.live {
		line("%%i%d = OpIAdd %%u64 %%lid %%k%d", k, k)
		line("%%p%d = OpInBoundsPtrAccessChain %%floats %%in %%i%d", k, k)
		line("%%v%d = OpLoad %%f32 %%p%d Aligned 4", k, k)
	}
	b.WriteString(`OpBranch %head
%head = OpLabel
%trip = OpPhi %u32 %zero %entry %next %body
`)
	for k := range p.live {
		line("%%x%d = OpPhi %%f32 %%v%d %%entry %%y%d %%body", k, k, k)
	}
	b.WriteString(`%more = OpULessThan %bool %trip %trips
OpBranchConditional %more %body %done
%body = OpLabel
`)
	last := "%x0"
	if p.private > 0 {
		b.WriteString(`%a0 = OpIMul %u32 %trip %seven
%a1 = OpIAdd %u32 %a0 %lid32
%a2 = OpBitwiseAnd %u32 %a1 %mask
%a3 = OpInBoundsAccessChain %element %memory %a2
OpStore %a3 %x0 Aligned 4
%b0 = OpIMul %u32 %trip %lid32
%b1 = OpBitwiseAnd %u32 %b0 %mask
%b2 = OpInBoundsAccessChain %element %memory %b1
%b3 = OpLoad %f32 %b2 Aligned 4
%b4 = OpFAdd %f32 %b3 %x0
`)
		last = "%b4"
	}
	for k := p.live - 1; k >= 0; k-- {
		line("%%h%d = OpFMul %%f32 %%x%d %%half", k, k)
		line("%%y%d = OpFAdd %%f32 %%h%d %s", k, k, last)
		last = fmt.Sprintf("%%x%d", k)
	}
	if p.barrier {
		line("OpControlBarrier %%two %%two %%fence")
	}
	b.WriteString(`%next = OpIAdd %u32 %trip %one
OpBranch %head
%done = OpLabel
`)
	sum := "%x0"
	for k := 1; k < p.live; k++ {
		line("%%s%d = OpFAdd %%f32 %%x%d %s", k, k, sum)
		sum = fmt.Sprintf("%%s%d", k)
	}
	line("%%q = OpInBoundsPtrAccessChain %%floats %%out %%gid")
	line("OpStore %%q %s Aligned 4", sum)
	line("OpReturn")
	line("OpFunctionEnd")
	return b.String()
}
