package lower_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/memory"
)

// A memory case is the body of a kernel f(global uint *out, global uint *in)
// for eight work-items, with %g their id, %p = &out[g], %x = in[g], and what it
// leaves in out, given id and in.
type memCase struct {
	name         string
	decos, types string
	body         string
	more         string // other functions
	want         func(g, x uint32) uint32
	narrow       bool // run with 32-bit addressing as well
}

var memInput = []uint32{3, 0xfffffff0, 7, 0x80000001, 0, 12345, 2, 0xcafef00d}

func (c *memCase) text(bits int) string {
	size, model := "%ulong", "Physical64"
	if bits == 32 {
		size, model = "%uint", "Physical32"
	}
	s := `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Linkage
OpCapability GenericPointer
OpCapability Float64
OpCapability Vector16
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel ` + model + ` OpenCL
OpEntryPoint Kernel %f "f" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
` + c.decos + `%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%vec3 = OpTypeVector SIZE 3
%v2uint = OpTypeVector %uint 2
%v4uint = OpTypeVector %uint 4
%v4uchar = OpTypeVector %uchar 4
%pin = OpTypePointer Input %vec3
%pg = OpTypePointer CrossWorkgroup %uint
%pf = OpTypePointer Function %uint
%pgen = OpTypePointer Generic %uint
%fn = OpTypeFunction %void %pg %pg
%gid = OpVariable %pin Input
%cs0 = OpConstant SIZE 0
%cs8 = OpConstant SIZE 8
`
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 16} {
		s += fmt.Sprintf("%%c%d = OpConstant %%uint %d\n", n, n)
	}
	s += c.types + c.more + `%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%in = OpFunctionParameter %pg
%entry = OpLabel
VARS%g3 = OpLoad %vec3 %gid
%gs = OpCompositeExtract SIZE %g3 0
GCONV%p = OpInBoundsPtrAccessChain %pg %out %g
%ip = OpInBoundsPtrAccessChain %pg %in %g
%x = OpLoad %uint %ip
`
	vars, body := "", ""
	for _, l := range strings.SplitAfter(c.body, "\n") {
		if strings.Contains(l, "= OpVariable") {
			vars += l
		} else {
			body += l
		}
	}
	conv := "%g = OpUConvert %uint %gs\n"
	if bits == 32 {
		conv = "%g = OpCopyObject %uint %gs\n"
	}
	s += body + "OpReturn\nOpFunctionEnd\n"
	return strings.NewReplacer("SIZE", size, "VARS", vars, "GCONV", conv).Replace(s)
}

func checkMemory(t *testing.T, cases []memCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, bits := range []int{64, 32} {
				if bits == 32 && !c.narrow {
					continue
				}
				for _, shape := range [][2]int{{1, 1}, {8, 8}} {
					dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: shape[0], WaveLanes: shape[1], Workers: 1})
					if err != nil {
						t.Fatal(err)
					}
					in := make([]byte, 0, 32)
					for _, x := range memInput {
						in = binary.LittleEndian.AppendUint32(in, x)
					}
					out := run(t, dev, c.text(bits), 8, make([]byte, 32), in)
					var got, want []uint32
					for g, x := range memInput {
						got = append(got, binary.LittleEndian.Uint32(out[4*g:]))
						want = append(want, c.want(uint32(g), x))
					}
					if !slices.Equal(got, want) {
						t.Errorf("addressing of %d bits, waves of %d: got %#x, want %#x", bits, shape[1], got, want)
					}
				}
			}
		})
	}
}

func TestMemoryRules(t *testing.T) {
	structs := `%pair = OpTypeStruct %uchar %uint %v2uint
%arr = OpTypeArray %pair %c4
%parr = OpTypePointer Function %arr
%ppair = OpTypePointer Function %pair
%pv2 = OpTypePointer Function %v2uint
%puc = OpTypePointer Function %uchar
%nullpair = OpConstantNull %pair
%nullarr = OpConstantNull %arr
`
	array := `%arr = OpTypeArray %uint %c8
%parr = OpTypePointer Function %arr
%nullarr = OpConstantNull %arr
`
	bytes28 := `%c28 = OpConstant %uint 28
%bytes = OpTypeArray %uchar %c28
%pbytes = OpTypePointer Function %bytes
`
	cases := []memCase{
		{name: "access chain through an array of structures", types: structs, narrow: true, body: `%v = OpVariable %parr Function
%i = OpBitwiseAnd %uint %g %c3
%q = OpInBoundsAccessChain %pf %v %i %c2 %c1
OpStore %q %x
%q2 = OpAccessChain %pf %v %i %c1
OpStore %q2 %g
%q3 = OpAccessChain %pv2 %v %i %c2
%w = OpLoad %v2uint %q3
%a = OpCompositeExtract %uint %w 1
%b = OpLoad %uint %q2
%r = OpISub %uint %a %b
OpStore %p %r
`, want: func(g, x uint32) uint32 { return x - g }},
		{name: "pointer access chain, index below zero", types: "%m1 = OpConstant %uint 4294967295\n", narrow: true, body: `%e = OpInBoundsPtrAccessChain %pg %p %c1
%q = OpPtrAccessChain %pg %e %m1
OpStore %q %x
`, want: func(g, x uint32) uint32 { return x }},
		{name: "8-bit index is signed", types: "%b255 = OpConstant %uchar 255\n", body: `%e = OpInBoundsPtrAccessChain %pg %p %c1
%bx = OpUConvert %uchar %g
%z = OpISub %uchar %bx %bx
%i = OpIAdd %uchar %z %b255
%q = OpPtrAccessChain %pg %e %i
OpStore %q %x
`, want: func(g, x uint32) uint32 { return x }},
		{name: "whole structures", types: structs, narrow: true, body: `%v = OpVariable %parr Function
%w = OpVariable %ppair Function
%i = OpBitwiseAnd %uint %g %c3
%uc = OpUConvert %uchar %x
%v2 = OpCompositeConstruct %v2uint %g %x
%s = OpCompositeConstruct %pair %uc %g %v2
OpStore %w %s
%q = OpInBoundsAccessChain %ppair %v %i
OpCopyMemory %q %w
%l = OpLoad %pair %q
%a = OpCompositeExtract %uint %l 2 1
%b = OpCompositeExtract %uchar %l 0
%bu = OpUConvert %uint %b
%c = OpCompositeExtract %uint %l 1
%l2 = OpCompositeInsert %pair %c %l 2 1
%d = OpCompositeExtract %uint %l2 2 1
%r0 = OpIMul %uint %a %c7
%r1 = OpIAdd %uint %r0 %bu
%r = OpIAdd %uint %r1 %d
OpStore %p %r
`, want: func(g, x uint32) uint32 { return x*7 + x&0xff + g }},
		{name: "copy memory, sized by a constant", types: array, narrow: true, body: `%v = OpVariable %parr Function
%q = OpInBoundsAccessChain %pf %v %c1
%q4 = OpBitcast %pg %ip
OpCopyMemorySized %q %q4 %c4
%r = OpLoad %uint %q
OpStore %p %r
`, want: func(g, x uint32) uint32 { return x }},
		{name: "copy memory, sized by a value", types: array, narrow: true, body: `%v = OpVariable %parr Function
%n0 = OpBitwiseAnd %uint %g %c1
%n = OpIMul %uint %n0 %c4
%q = OpInBoundsAccessChain %pf %v %n0
OpStore %q %c7
OpCopyMemorySized %q %ip %n
%r = OpLoad %uint %q
OpStore %p %r
`, want: func(g, x uint32) uint32 {
			if g&1 == 1 {
				return x
			}
			return 7
		}},
		{name: "a move up through an array of bytes", types: array + bytes28, narrow: true, body: `%v = OpVariable %parr Function
%t = OpVariable %pbytes Function
OpStore %v %nullarr
%q0 = OpInBoundsAccessChain %pf %v %c0
%q1 = OpInBoundsAccessChain %pf %v %c1
%q2 = OpInBoundsAccessChain %pf %v %c2
%q3 = OpInBoundsAccessChain %pf %v %c3
OpStore %q0 %x
OpStore %q1 %g
OpCopyMemorySized %t %q0 %c28 Aligned 4
OpCopyMemorySized %q1 %t %c28 Aligned 4
%a = OpLoad %uint %q0
%b = OpLoad %uint %q1
%c = OpLoad %uint %q2
%d = OpLoad %uint %q3
%ab = OpISub %uint %a %b
%cd = OpIAdd %uint %c %d
%r = OpIAdd %uint %ab %cd
OpStore %p %r
`, want: func(g, x uint32) uint32 { return g }},
		{name: "a move up in place", types: array, narrow: true, body: `%v = OpVariable %parr Function
OpStore %v %nullarr
%q0 = OpInBoundsAccessChain %pf %v %c0
%q1 = OpInBoundsAccessChain %pf %v %c1
OpStore %q0 %x
OpStore %q1 %g
OpCopyMemorySized %q1 %q0 %c16 Aligned 4
OpCopyMemorySized %q1 %q0 %c16 Aligned 4
%q2 = OpInBoundsAccessChain %pf %v %c2
%q3 = OpInBoundsAccessChain %pf %v %c3
%b = OpLoad %uint %q2
%c = OpLoad %uint %q3
%x2 = OpIMul %uint %b %c2
%r = OpIAdd %uint %x2 %c
OpStore %p %r
`, want: func(g, x uint32) uint32 { return 2*x + g }},
		{name: "a structure through an array of bytes", types: structs + bytes28, narrow: true, body: `%v = OpVariable %ppair Function %nullpair
%w = OpVariable %ppair Function %nullpair
%t = OpVariable %pbytes Function
%uc = OpUConvert %uchar %x
%v2 = OpCompositeConstruct %v2uint %x %g
%s = OpCompositeConstruct %pair %uc %g %v2
OpStore %v %s
OpCopyMemorySized %t %v %c16 Aligned 8
%t3 = OpInBoundsAccessChain %puc %t %c8
%z = OpLoad %uchar %t3
OpCopyMemorySized %w %t %c16 Aligned 8
%l = OpLoad %pair %w
%a = OpCompositeExtract %uint %l 2 1
%b = OpCompositeExtract %uchar %l 0
%bu = OpUConvert %uint %b
%zu = OpUConvert %uint %z
%r0 = OpIMul %uint %a %c7
%r1 = OpIAdd %uint %r0 %bu
%r = OpIAdd %uint %r1 %zu
OpStore %p %r
`, want: func(g, x uint32) uint32 { return 7*g + 2*(x&0xff) }},
		{name: "a long copy", types: `%c128 = OpConstant %uint 128
%big = OpTypeArray %uint %c128
%pbig = OpTypePointer Function %big
%nullbig = OpConstantNull %big
`, narrow: true, body: `%v = OpVariable %pbig Function %nullbig
%w = OpVariable %pbig Function %nullbig
%x7 = OpBitwiseAnd %uint %x %c7
%q = OpInBoundsAccessChain %pf %v %x7
OpStore %q %x
OpCopyMemory %w %v
%q2 = OpInBoundsAccessChain %pf %w %x7
%r = OpLoad %uint %q2
OpStore %p %r
`, want: func(g, x uint32) uint32 { return x }},
		{name: "a pointer in memory", types: "%ppg = OpTypePointer Function %pg\n", narrow: true, body: `%v = OpVariable %ppg Function
OpStore %v %ip Volatile
%q = OpLoad %pg %v Volatile
%r = OpLoad %uint %q
OpStore %p %r
`, want: func(g, x uint32) uint32 { return x }},
		{name: "pointers that are chosen", narrow: true, body: `%k = OpULessThan %bool %g %c4
%q = OpSelect %pg %k %ip %in
%r = OpLoad %uint %q
OpStore %p %r
`, want: func(g, x uint32) uint32 {
			if g < 4 {
				return x
			}
			return memInput[0]
		}},
		{name: "pointers to numbers and back", narrow: true, body: `%i = OpConvertPtrToU SIZE %ip
%j = OpIAdd SIZE %i %cs0
%q = OpConvertUToPtr %pg %j
%i2 = OpBitcast SIZE %q
%q2 = OpBitcast %pg %i2
%r = OpLoad %uint %q2
OpStore %p %r
`, want: func(g, x uint32) uint32 { return x }},
		{name: "generic pointers", types: array, narrow: true, body: `%v = OpVariable %pf Function
OpStore %v %g
%ga = OpPtrCastToGeneric %pgen %v
%gb = OpPtrCastToGeneric %pgen %ip
%k = OpULessThan %bool %g %c4
%q = OpSelect %pgen %k %ga %gb
%r0 = OpLoad %uint %q
%back = OpGenericCastToPtrExplicit %pf %q Function
%i = OpConvertPtrToU SIZE %back
%isnull = OpIEqual %bool %i %cs0
%one = OpSelect %uint %isnull %c8 %c0
%r = OpIAdd %uint %r0 %one
OpStore %p %r
`, want: func(g, x uint32) uint32 {
			if g < 4 {
				return g
			}
			return x + 8
		}},
		{name: "pointer difference", body: `%d = OpPtrDiff %ulong %ip %in
%r = OpUConvert %uint %d
OpStore %p %r
`, want: func(g, x uint32) uint32 { return g }},
		{name: "pointer difference of two buffers", body: `%d = OpPtrDiff %ulong %p %ip
%u = OpUConvert %uint %d
%apart = OpINotEqual %bool %u %c0
%r = OpSelect %uint %apart %c8 %c0
OpStore %p %r
`, want: func(g, x uint32) uint32 { return 8 }},
		{name: "a function with several returns", more: `%ft = OpTypeFunction %uint %uint
%h = OpFunction %uint None %ft
%a = OpFunctionParameter %uint
%he = OpLabel
%hk = OpULessThan %bool %a %c8
OpBranchConditional %hk %h1 %h2
%h1 = OpLabel
OpReturnValue %c7
%h2 = OpLabel
%hk2 = OpIEqual %bool %a %c16
OpBranchConditional %hk2 %h3 %h4
%h3 = OpLabel
OpUnreachable
%h4 = OpLabel
%hr = OpISub %uint %a %c1
OpReturnValue %hr
OpFunctionEnd
`, narrow: true, body: `%r1 = OpFunctionCall %uint %h %x
%r2 = OpFunctionCall %uint %h %r1
%r = OpIAdd %uint %r1 %r2
OpStore %p %r
`, want: func(g, x uint32) uint32 {
			h := func(a uint32) uint32 {
				if a < 8 {
					return 7
				}
				return a - 1
			}
			return h(x) + h(h(x))
		}},
		{name: "results through a pointer, a copy by value", decos: "OpDecorate %a FuncParamAttr ByVal\nOpDecorate %res FuncParamAttr Sret\n", types: structs, more: `%ft = OpTypeFunction %void %ppair %ppair
%h = OpFunction %void None %ft
%res = OpFunctionParameter %ppair
%a = OpFunctionParameter %ppair
%he = OpLabel
%ha = OpInBoundsAccessChain %pf %a %c1
%hv = OpLoad %uint %ha
%hw = OpIAdd %uint %hv %c5
OpStore %ha %c0
%hr = OpInBoundsAccessChain %pf %res %c1
OpStore %hr %hw
OpReturn
OpFunctionEnd
`, narrow: true, body: `%v = OpVariable %ppair Function %nullpair
%w = OpVariable %ppair Function
%q = OpInBoundsAccessChain %pf %v %c1
OpStore %q %x
%call = OpFunctionCall %void %h %w %v
%q2 = OpInBoundsAccessChain %pf %w %c1
%a1 = OpLoad %uint %q
%a2 = OpLoad %uint %q2
%r = OpISub %uint %a2 %a1
%r3 = OpIAdd %uint %r %a1
OpStore %p %r3
`, want: func(g, x uint32) uint32 { return x + 5 }},
		{name: "volatile private variable", narrow: true, body: `%v = OpVariable %pf Function %c7
OpStore %v %x Volatile
%a = OpLoad %uint %v Volatile
%b = OpLoad %uint %v Volatile
%r = OpIAdd %uint %a %b
OpStore %p %r
`, want: func(g, x uint32) uint32 { return 2 * x }},
		{name: "vectors indexed by values", body: `%vv = OpCompositeConstruct %v4uint %x %g %c7 %c8
%i = OpBitwiseAnd %uint %g %c3
%a = OpVectorExtractDynamic %uint %vv %i
%w = OpVectorInsertDynamic %v4uint %vv %c5 %i
%b = OpVectorExtractDynamic %uint %w %i
%c = OpCompositeExtract %uint %w 0
%s = OpVectorShuffle %v2uint %w %vv 7 0
%d = OpCompositeExtract %uint %s 0
%r0 = OpIMul %uint %a %b
%r1 = OpIAdd %uint %r0 %c
%r = OpBitwiseXor %uint %r1 %d
OpStore %p %r
`, want: func(g, x uint32) uint32 {
			v := []uint32{x, g, 7, 8}
			a := v[g&3]
			w := slices.Clone(v)
			w[g&3] = 5
			return (a*5 + w[0]) ^ 8
		}},
		{name: "a vector's component in memory", types: "%pv4 = OpTypePointer Function %v4uint\n", narrow: true, body: `%v = OpVariable %pv4 Function
%vv = OpCompositeConstruct %v4uint %x %g %c7 %c8
OpStore %v %vv
%i = OpBitwiseAnd %uint %g %c3
%q = OpInBoundsAccessChain %pf %v %i
OpStore %q %c5
%w = OpLoad %v4uint %v
%a = OpCompositeExtract %uint %w 0
%b = OpCompositeExtract %uint %w 3
%r = OpISub %uint %a %b
OpStore %p %r
`, want: func(g, x uint32) uint32 {
			v := []uint32{x, g, 7, 8}
			v[g&3] = 5
			return v[0] - v[3]
		}},
		{name: "specialization", decos: "OpDecorate %sc SpecId 5\n", types: `%sc = OpSpecConstant %uint 6
%sd = OpSpecConstantOp %uint IMul %sc %c7
%st = OpSpecConstantTrue %bool
%se = OpSpecConstantOp %uint Select %st %sd %c1
%sv = OpSpecConstantComposite %v2uint %se %sc
%sx = OpSpecConstantOp %uint CompositeExtract %sv 0
%sy = OpSpecConstantOp %uint UMod %sx %c5
`, body: `%r = OpIAdd %uint %x %sy
OpStore %p %r
`, want: func(g, x uint32) uint32 { return x + 42%5 }},
		{name: "vload and vstore", types: "%puc = OpTypePointer Function %uchar\n%v3uint = OpTypeVector %uint 3\n%arr = OpTypeArray %uint %c16\n%parr = OpTypePointer Function %arr\n%cs1 = OpConstant SIZE 1\n", narrow: true, body: `%v = OpVariable %parr Function
%q = OpInBoundsAccessChain %pf %v %c1
%vv = OpCompositeConstruct %v3uint %x %g %c7
%i = OpBitwiseAnd SIZE %gs %cs1
%st = OpExtInst %void %cl vstoren %vv %i %q
%l = OpExtInst %v3uint %cl vloadn %i %q 3
%a = OpCompositeExtract %uint %l 2
%g1 = OpBitwiseAnd %uint %g %c1
%i3 = OpIMul %uint %g1 %c3
%i4 = OpIAdd %uint %i3 %c1
%q2 = OpInBoundsAccessChain %pf %v %i4
%b = OpLoad %uint %q2
%r = OpIAdd %uint %a %b
OpStore %p %r
`, want: func(g, x uint32) uint32 { return x + 7 }},
	}
	checkMemory(t, cases)
}

// TestAtomicRules runs each atomic on a place of its own for each work-item,
// and checks old and new value.
func TestAtomicRules(t *testing.T) {
	ops := []struct {
		op   string
		want func(old, v uint32) uint32
	}{
		{"OpAtomicExchange", func(o, v uint32) uint32 { return v }},
		{"OpAtomicIAdd", func(o, v uint32) uint32 { return o + v }},
		{"OpAtomicISub", func(o, v uint32) uint32 { return o - v }},
		{"OpAtomicSMin", func(o, v uint32) uint32 { return uint32(min(int32(o), int32(v))) }},
		{"OpAtomicUMin", func(o, v uint32) uint32 { return min(o, v) }},
		{"OpAtomicSMax", func(o, v uint32) uint32 { return uint32(max(int32(o), int32(v))) }},
		{"OpAtomicUMax", func(o, v uint32) uint32 { return max(o, v) }},
		{"OpAtomicAnd", func(o, v uint32) uint32 { return o & v }},
		{"OpAtomicOr", func(o, v uint32) uint32 { return o | v }},
		{"OpAtomicXor", func(o, v uint32) uint32 { return o ^ v }},
		{"OpAtomicIIncrement", func(o, v uint32) uint32 { return o + 1 }},
		{"OpAtomicIDecrement", func(o, v uint32) uint32 { return o - 1 }},
	}
	var cases []memCase
	for _, o := range ops {
		operand := " %v"
		if strings.HasSuffix(o.op, "crement") {
			operand = ""
		}
		val := func(g uint32) uint32 { return g*0x11111111 + 5 }
		cases = append(cases, memCase{name: o.op, narrow: true, types: "%ones = OpConstant %uint 286331153\n%sem = OpConstant %uint 528\n", body: `%v0 = OpIMul %uint %g %ones
%v = OpIAdd %uint %v0 %c5
%old = ` + o.op + ` %uint %ip %c1 %sem` + operand + `
%new = OpAtomicLoad %uint %ip %c1 %sem
%m = OpIMul %uint %old %c7
%r = OpIAdd %uint %m %new
OpAtomicStore %p %c1 %sem %r
`, want: func(g, x uint32) uint32 { return x*7 + o.want(x, val(g)) }})
	}
	cases = append(cases, memCase{name: "OpAtomicCompareExchange", types: "%sem = OpConstant %uint 528\n%far = OpConstant %uint 12345\n", body: `%old = OpAtomicCompareExchange %uint %ip %c1 %sem %sem %c8 %far
%new = OpAtomicLoad %uint %ip %c1 %sem
%r = OpBitwiseXor %uint %old %new
OpStore %p %r
`, want: func(g, x uint32) uint32 {
		if x == 12345 {
			return 12345 ^ 8
		}
		return 0
	}}, memCase{name: "OpAtomicFlagTestAndSet", types: "%sem = OpConstant %uint 528\n", body: `%a = OpAtomicFlagTestAndSet %bool %ip %c1 %sem
%b = OpAtomicFlagTestAndSet %bool %ip %c1 %sem
OpAtomicFlagClear %ip %c1 %sem
%z = OpLoad %uint %ip
%ai = OpSelect %uint %a %c1 %c0
%bi = OpSelect %uint %b %c2 %c0
%r0 = OpIAdd %uint %ai %bi
%r = OpIAdd %uint %r0 %z
OpStore %p %r
`, want: func(g, x uint32) uint32 { return uint32(truth(x != 0)) + 2 }})
	checkMemory(t, cases)
}

// TestOffsetBits compares the layout of pointers with that of package memory.
func TestOffsetBits(t *testing.T) {
	if lower.OffsetBits != memory.OffsetBits {
		t.Errorf("%d bits of offset, memory has %d", lower.OffsetBits, memory.OffsetBits)
	}
}
