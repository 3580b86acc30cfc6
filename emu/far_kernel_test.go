package emu_test

import (
	"fmt"
	"strings"
)

// farKernel is a kernel f(global T *a, global uint *out, idx s0, idx s1, idx s2, idx s3, global idx *v, uint
// n) that moves a pointer to the start of a, or of memory of its own, by several steps of elements of T, and
// accesses 32-bit elements there.
type farKernel struct {
	bits   int    // of pointers
	index  int    // bits of idx
	stride int64  // bytes of T
	space  string // storage class
	// steps is where the steps come from:
	//   - arg, the same for all lanes; lane, from v; const;
	//   - loop and laneloop, n times the first and then n times the second; walk, so with the access in each trip;
	//   - rows and rows32, one element of T and one of 32 bits, by lane, the second perhaps by an index of 32 bits;
	//   - mul, four times the first, as an integer that wraps;
	//   - chain, 300 times each of the first two, which are constants.
	steps  string
	consts [4]int64
	access string // "store", "uniform", "load", "atomic", "block", "async", "copy"
}

// text returns the kernel's module.
func (k *farKernel) text() string {
	size, idx := fmt.Sprintf("%%u%d", k.bits), fmt.Sprintf("%%u%d", k.index)
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(`OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
OpCapability SubgroupDispatch
OpCapability SubgroupBufferBlockIOINTEL
OpExtension "SPV_INTEL_subgroups"
OpMemoryModel Physical%d OpenCL
OpEntryPoint Kernel %%f "f" %%lid %%tile
OpDecorate %%lid BuiltIn LocalInvocationIndex
%%void = OpTypeVoid
%%bool = OpTypeBool
%%u32 = OpTypeInt 32 0
%%u64 = OpTypeInt 64 0
%%event = OpTypeEvent
%%noevent = OpConstantNull %%event
%%zero = OpConstant %s 0
%%scope = OpConstant %%u32 2
%%relaxed = OpConstant %%u32 0
%%one = OpConstant %%u32 1
%%many = OpConstant %%u32 64
%%bytes = OpConstant %s 4
%%count = OpConstant %s 16
%%unit = OpConstant %s 1
%%words = OpConstant %%u64 %d
%%row = OpTypeArray %%u32 %%many`, k.bits, idx, size, size, size, k.stride/4)
	elem := "%u32"
	if k.stride > 4 {
		elem = "%elem"
		p("%%elem = OpTypeArray %%u32 %%words")
	}
	p(`%%pg = OpTypePointer CrossWorkgroup %%u32
%%pl = OpTypePointer Workgroup %%u32
%%pin = OpTypePointer Input %s
%%prow = OpTypePointer Workgroup %%row
%%prowf = OpTypePointer Function %%row
%%pv = OpTypePointer CrossWorkgroup %s
%%pe = OpTypePointer %s %s
%%pu = OpTypePointer %s %%u32
%%fn = OpTypeFunction %%void %%pg %%pg %s %s %s %s %%pv %%u32
%%lid = OpVariable %%pin Input
%%tile = OpVariable %%prow Workgroup`, size, idx, k.space, elem, k.space, idx, idx, idx, idx)
	for i, c := range k.consts {
		p("%%k%d = OpConstant %s %d", i, idx, uint64(c)<<(64-k.index)>>(64-k.index))
	}
	for i := range 4 {
		p("%%n%d = OpConstant %%u32 %d", i, i)
	}
	p("%%by = OpConstant %s 4", idx)
	p(`%%f = OpFunction %%void None %%fn
%%a = OpFunctionParameter %%pg
%%out = OpFunctionParameter %%pg
%%s0 = OpFunctionParameter %s
%%s1 = OpFunctionParameter %s
%%s2 = OpFunctionParameter %s
%%s3 = OpFunctionParameter %s
%%v = OpFunctionParameter %%pv
%%n = OpFunctionParameter %%u32
%%entry = OpLabel`, idx, idx, idx, idx)
	if k.space == "Function" {
		p("%%own = OpVariable %%prowf Function")
	}
	p("%%id = OpLoad %s %%lid", size)
	from := map[string]string{"CrossWorkgroup": "%a", "Workgroup": "%tile", "Function": "%own"}[k.space]
	p("%%p0 = OpBitcast %%pe %s", from)
	p("%%to = OpPtrAccessChain %%pg %%out %%id")
	p("%%id32 = %s", map[int]string{32: "OpBitcast %u32 %id", 64: "OpUConvert %u32 %id"}[k.bits])
	p("%%base = OpShiftLeftLogical %%u32 %%id32 %%n2")
	last := k.move(p, idx)
	if k.steps != "walk" {
		k.accessAt(p, last)
	}
	p("OpReturn\nOpFunctionEnd")
	return b.String()
}

// move emits the steps and returns the pointer behind the last.
func (k *farKernel) move(p func(format string, args ...any), idx string) string {
	last := "%p0"
	switch k.steps {
	case "arg", "const", "lane":
		for i := range 4 {
			step := fmt.Sprintf("%%s%d", i)
			switch k.steps {
			case "const":
				step = fmt.Sprintf("%%k%d", i)
			case "lane":
				p("%%at%d = OpBitwiseOr %%u32 %%base %%n%d", i, i)
				p("%%pv%d = OpPtrAccessChain %%pv %%v %%at%d", i, i)
				p("%%l%d = OpLoad %s %%pv%d", i, idx, i)
				step = fmt.Sprintf("%%l%d", i)
			}
			p("%%p%d = OpPtrAccessChain %%pe %%p%d %s", i+1, i, step)
		}
		last = "%p4"
	case "rows", "rows32", "mul":
		p("%%at1 = OpBitwiseOr %%u32 %%base %%n1")
		p("%%pv0 = OpPtrAccessChain %%pv %%v %%base")
		p("%%pv1 = OpPtrAccessChain %%pv %%v %%at1")
		p("%%l0 = OpLoad %s %%pv0", idx)
		p("%%l1 = OpLoad %s %%pv1", idx)
		if k.steps == "mul" {
			p("%%l = OpIMul %s %%l0 %%by", idx)
			p("%%p1 = OpPtrAccessChain %%pe %%p0 %%l")
		} else {
			p("%%p1 = OpPtrAccessChain %%pe %%p0 %%l0")
		}
		last = "%p1"
	case "chain": // 600 constant steps, half of them back
		for i := range 600 {
			p("%%p%d = OpPtrAccessChain %%pe %%p%d %%k%d", i+1, i, i/300)
		}
		last = "%p600"
	case "loop", "laneloop", "walk":
		first, second := "%s0", "%s1"
		if k.steps == "laneloop" {
			p("%%at1 = OpBitwiseOr %%u32 %%base %%n1")
			p("%%pv0 = OpPtrAccessChain %%pv %%v %%base")
			p("%%pv1 = OpPtrAccessChain %%pv %%v %%at1")
			p("%%l0 = OpLoad %s %%pv0", idx)
			p("%%l1 = OpLoad %s %%pv1", idx)
			first, second = "%l0", "%l1"
		}
		p(`%%twice = OpIAdd %%u32 %%n %%n
OpBranch %%head
%%head = OpLabel
%%q = OpPhi %%pe %%p0 %%entry %%qn %%body
%%i = OpPhi %%u32 %%n0 %%entry %%in %%body
%%more = OpULessThan %%bool %%i %%twice
OpLoopMerge %%end %%body None
OpBranchConditional %%more %%body %%end
%%body = OpLabel
%%early = OpULessThan %%bool %%i %%n
%%step = OpSelect %s %%early %s %s
%%qn = OpPtrAccessChain %%pe %%q %%step`, idx, first, second)
		if k.steps == "walk" {
			k.accessAt(p, "%q")
		}
		p(`%%in = OpIAdd %%u32 %%i %%one
OpBranch %%head
%%end = OpLabel`)
		last = "%q"
	}
	return last
}

// accessAt emits the access.
func (k *farKernel) accessAt(p func(format string, args ...any), last string) {
	p("%%there = OpBitcast %%pu %s", last)
	switch {
	case k.steps == "rows":
		p("%%mine = OpPtrAccessChain %%pu %%there %%l1")
	case k.steps == "rows32" && k.index == 64:
		p("%%short = OpUConvert %%u32 %%l1")
		p("%%mine = OpPtrAccessChain %%pu %%there %%short")
	case k.steps == "rows32":
		p("%%mine = OpPtrAccessChain %%pu %%there %%l1")
	default:
		p("%%mine = OpPtrAccessChain %%pu %%there %%id")
	}
	p("%%value = OpIAdd %%u32 %%id32 %%one")
	switch k.access {
	case "store":
		p("OpStore %%mine %%value")
	case "uniform":
		p("OpStore %%there %%one")
	case "load":
		p("%%x = OpLoad %%u32 %%mine")
		p("OpStore %%to %%x")
	case "atomic":
		p("%%x = OpAtomicIAdd %%u32 %%mine %%scope %%relaxed %%value")
	case "block":
		p("%%x = OpSubgroupBlockReadINTEL %%u32 %%there")
		p("OpStore %%to %%x")
	case "async":
		p("%%dst = OpBitcast %%pl %%tile")
		p("%%e = OpGroupAsyncCopy %%event %%scope %%dst %%there %%count %%unit %%noevent")
	case "copy":
		p("OpCopyMemorySized %%to %%mine %%bytes")
	}
}
