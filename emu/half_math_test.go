package emu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// halfKernel is a kernel of a function of halves: y[i] = f(a[i], b[i], …), and what f stores goes to stored[i].
// The arguments are the code of the operands, the type of what is stored, and the code of the call.
const halfKernel = `
OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int16
OpCapability Int64
OpCapability Float16Buffer
OpCapability Float16
%%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%k "k" %%gid
OpDecorate %%gid BuiltIn GlobalInvocationId
OpDecorate %%gid Constant
%%void = OpTypeVoid
%%short = OpTypeInt 16 0
%%int = OpTypeInt 32 0
%%long = OpTypeInt 64 0
%%half = OpTypeFloat 16
%%v3long = OpTypeVector %%long 3
%%pv3 = OpTypePointer Input %%v3long
%%ghalf = OpTypePointer CrossWorkgroup %%half
%%gshort = OpTypePointer CrossWorkgroup %%short
%%gint = OpTypePointer CrossWorkgroup %%int
%%fhalf = OpTypePointer Function %%half
%%fint = OpTypePointer Function %%int
%%fn = OpTypeFunction %%void %%ghalf %%gint %%ghalf %%ghalf %%ghalf %%gint
%%gid = OpVariable %%pv3 Input
%%k = OpFunction %%void None %%fn
%%y = OpFunctionParameter %%ghalf
%%stored = OpFunctionParameter %%gint
%%a = OpFunctionParameter %%ghalf
%%b = OpFunctionParameter %%ghalf
%%c = OpFunctionParameter %%ghalf
%%n = OpFunctionParameter %%gint
%%entry = OpLabel
%%vh = OpVariable %%fhalf Function
%%vi = OpVariable %%fint Function
%%g3 = OpLoad %%v3long %%gid
%%i = OpCompositeExtract %%long %%g3 0
%%py = OpInBoundsPtrAccessChain %%ghalf %%y %%i
%%ps = OpInBoundsPtrAccessChain %%gint %%stored %%i
%%pa = OpInBoundsPtrAccessChain %%ghalf %%a %%i
%%pb = OpInBoundsPtrAccessChain %%ghalf %%b %%i
%%pc = OpInBoundsPtrAccessChain %%ghalf %%c %%i
%%pn = OpInBoundsPtrAccessChain %%gint %%n %%i
%%av = OpLoad %%half %%pa Aligned 2
%%bv = OpLoad %%half %%pb Aligned 2
%%cv = OpLoad %%half %%pc Aligned 2
%%nv = OpLoad %%int %%pn Aligned 4
%%ns = OpUConvert %%short %%nv
%s
OpReturn
OpFunctionEnd
`

// halfCall is a function of halves by what it takes and gives.
type halfCall struct {
	f    clmath.Func
	code string // of the call
	want func(a, b, c uint16, n int32) (y uint16, stored int32)
}

// halfCalls lists all functions of halves.
func halfCalls() (list []halfCall) {
	call := func(f clmath.Func, operands string) string {
		return fmt.Sprintf("%%r = OpExtInst %%half %%cl %v %s\nOpStore %%py %%r Aligned 2\n", f, operands)
	}
	add := func(f clmath.Func, code string, want func(a, b, c uint16, n int32) (uint16, int32)) {
		list = append(list, halfCall{f, code, want})
	}
	const storeHalf = "%s = OpLoad %half %vh\n%sb = OpBitcast %short %s\n%si = OpUConvert %int %sb\nOpStore %ps %si Aligned 4\n"
	const storeInt = "%s = OpLoad %int %vi\nOpStore %ps %s Aligned 4\n"
	for f := range clmath.Func(clmath.NumFuncs) {
		if g := clmath.Unary16[f]; g != nil {
			add(f, call(f, "%av"), func(a, _, _ uint16, _ int32) (uint16, int32) { return g(a), 0 })
		}
		if g := clmath.Binary16[f]; g != nil {
			add(f, call(f, "%av %bv"), func(a, b, _ uint16, _ int32) (uint16, int32) { return g(a, b), 0 })
		}
		if g := clmath.Ternary16[f]; g != nil {
			add(f, call(f, "%av %bv %cv"), func(a, b, c uint16, _ int32) (uint16, int32) { return g(a, b, c), 0 })
		}
		if g := clmath.WithInt16[f]; g != nil {
			add(f, call(f, "%av %nv"), func(a, _, _ uint16, n int32) (uint16, int32) { return g(a, n), 0 })
		}
		if g := clmath.Pair16[f]; g != nil {
			add(f, call(f, "%av %vh")+storeHalf, func(a, _, _ uint16, _ int32) (uint16, int32) {
				y, s := g(a)
				return y, int32(s)
			})
		}
		if g := clmath.PairInt16[f]; g != nil {
			add(f, call(f, "%av %vi")+storeInt, func(a, _, _ uint16, _ int32) (uint16, int32) { return g(a) })
		}
	}
	add(clmath.FuncRemquo, call(clmath.FuncRemquo, "%av %bv %vi")+storeInt, func(a, b, _ uint16, _ int32) (uint16, int32) {
		return clmath.Remquo16(a, b)
	})
	add(clmath.FuncIlogb, "%r = OpExtInst %int %cl ilogb %av\nOpStore %ps %r Aligned 4\n", func(a, _, _ uint16, _ int32) (uint16, int32) {
		return 0, clmath.Ilogb16(a)
	})
	add(clmath.FuncNan, call(clmath.FuncNan, "%ns"), func(_, _, _ uint16, n int32) (uint16, int32) { return clmath.Nan16(uint16(n)), 0 })
	return list
}

// halfOperands returns all halves, as many others for the second and third operand, and integers. A third of the pairs
// are near each other, a third are small integers and quarters.
func halfOperands() (a, b, c []uint16, n []int32) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1 << 16 {
		x, y, z, k := uint16(i), uint16(r.Uint32()), uint16(r.Uint32()), int32(r.Uint32())>>r.IntN(32)
		switch i % 3 {
		case 0:
			y = x + uint16(r.IntN(9)) - 4
		case 1:
			y, z = clmath.F32ToF16(float32(r.IntN(65)-32)/4), clmath.F32ToF16(float32(r.IntN(65)-32)/8)
		}
		a, b, c, n = append(a, x), append(b, y), append(c, z), append(n, k)
	}
	return a, b, c, n
}

// TestHalfMathematics runs each function of halves in a kernel, at all halves for the first operand, on every engine,
// and compares with package clmath, which is proven.
func TestHalfMathematics(t *testing.T) {
	av, bv, cv, nv := halfOperands()
	calls, blank, blankInts := halfCalls(), make([]uint16, len(av)), make([]int32, len(av))
	for _, name := range []string{"interp", "native"} {
		d, err := emu.NewDevice(emu.DeviceOptions{Engine: name})
		if err != nil {
			t.Logf("without engine %s: %v", name, err)
			continue
		}
		a, b, c, n := buffer(t, d, av...), buffer(t, d, bv...), buffer(t, d, cv...), buffer(t, d, nv...)
		for _, call := range calls {
			module, err := asm.Assemble(fmt.Sprintf(halfKernel, call.code), asm.Options{})
			if err != nil {
				t.Fatalf("%v: %v", call.f, err)
			}
			p, err := d.NewProgram(module, emu.ProgramOptions{})
			if err != nil {
				t.Fatalf("%v: %v", call.f, err)
			}
			y, stored := buffer(t, d, blank...), buffer(t, d, blankInts...)
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "k"), Range: sized(uint64(len(av)), 256), Args: []emu.Arg{y, stored, a, b, c, n}})
			wrong := 0
			gotStored := contents[int32](t, stored)
			for i, got := range contents[uint16](t, y) {
				want, wantStored := call.want(av[i], bv[i], cv[i], nv[i])
				if got != want || gotStored[i] != wantStored {
					if wrong++; wrong <= 3 {
						t.Errorf("%s: %v(%#04x, %#04x, %#04x, %d) = %#04x, %d, want %#04x, %d",
							name, call.f, av[i], bv[i], cv[i], nv[i], got, gotStored[i], want, wantStored)
					}
				}
			}
		}
	}
}
