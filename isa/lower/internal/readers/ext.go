package readers

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// extInst reads an instruction of an extended set.
func extInst(b *build.Builder, in spirv.Inst) {
	set, ok := b.Module.Sets[spirv.ID(in.Operand(0))]
	if !ok {
		b.Fail("the extended instruction set %%%d is not imported", in.Operand(0))
	}
	n := in.Operand(1)
	switch {
	case set == "OpenCL.std":
		openCL(b, in, n, in.Operands()[2:])
	case set == build.GroupAsyncCopies || set == strings.TrimPrefix(build.GroupAsyncCopies, "NonSemantic."):
		codeplayCopy(b, in, n, in.Operands()[2:])
	case set == build.DebugInfo && n == spirv.OpenCLDebugInfo100DebugScope:
		b.DebugScope(in)
	case set == build.DebugInfo && n == spirv.OpenCLDebugInfo100DebugNoScope:
		b.InScope = b.InBody
	case set == build.DebugInfo && n == spirv.OpenCLDebugInfo100DebugDeclare && b.Debug != nil:
		b.Debug.Declare(in)
	case set == build.DebugInfo && n == spirv.OpenCLDebugInfo100DebugValue && b.Debug != nil:
		b.Debug.Value(in)
	case set == build.DebugInfo || spirv.NonSemantic(set):
		// Says nothing about what the kernel does.
	default:
		b.Fail("the extended instruction set %q is not supported", set)
	}
}

// clName names an instruction of OpenCL.std in errors.
func clName(n uint32) string {
	if s, ok := spirv.LookupExtInstSet("OpenCL.std"); ok {
		if x, ok := s.Inst(n); ok {
			return x.Name
		}
	}
	return "unknown"
}

// apply computes g for each component of the result; scalar operands of a
// vector instruction serve every component.
func apply(b *build.Builder, in spirv.Inst, ops []uint32, g func(ct *build.Type, a []*ssa.Value) *ssa.Value) {
	t := b.Module.TypeOf(in.ResultType())
	vals := make([][]*ssa.Value, len(ops))
	for i, w := range ops {
		vals[i], _ = b.Vals(spirv.ID(w))
		if len(vals[i]) != t.Flat && len(vals[i]) != 1 {
			b.Fail("operand %d has %d components, the result %d", i, len(vals[i]), t.Flat)
		}
	}
	out := make([]*ssa.Value, t.Flat)
	args := make([]*ssa.Value, len(ops))
	for c := range out {
		for i, v := range vals {
			args[i] = v[min(c, len(v)-1)]
		}
		out[c] = g(t.Component(), args)
	}
	b.Set(in, out...)
}

// clDirect has the mathematical functions that are instructions of their own.
var clDirect = map[uint32]isa.Op{
	spirv.OpenCLStdFabs: isa.OpFAbs, spirv.OpenCLStdFloor: isa.OpFloor, spirv.OpenCLStdCeil: isa.OpCeil,
	spirv.OpenCLStdTrunc: isa.OpTrunc, spirv.OpenCLStdRint: isa.OpRint, spirv.OpenCLStdRound: isa.OpRound,
	spirv.OpenCLStdSqrt: isa.OpSqrt, spirv.OpenCLStdHalfSqrt: isa.OpSqrt, spirv.OpenCLStdNativeSqrt: isa.OpSqrt,
	spirv.OpenCLStdFma: isa.OpFma, spirv.OpenCLStdMad: isa.OpFma, spirv.OpenCLStdFmin: isa.OpFMin, spirv.OpenCLStdFmax: isa.OpFMax,
	spirv.OpenCLStdCopysign: isa.OpCopySign, spirv.OpenCLStdFmod: isa.OpFRem,
	spirv.OpenCLStdHalfDivide: isa.OpFDiv, spirv.OpenCLStdNativeDivide: isa.OpFDiv,
}

// openCL reads an instruction of OpenCL.std.
func openCL(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	if op, ok := clDirect[n]; ok {
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
			if op == isa.OpFma {
				return fma(b, ct.Scalar(), a)
			}
			return b.FOp(op, ct.Scalar(), a...)
		})
		return
	}
	switch n {
	case spirv.OpenCLStdFract, spirv.OpenCLStdModf, spirv.OpenCLStdSincos, spirv.OpenCLStdFrexp, spirv.OpenCLStdLgammaR, spirv.OpenCLStdRemquo:
		twoResults(b, in, n, ops)
		return
	case spirv.OpenCLStdIlogb, spirv.OpenCLStdLdexp, spirv.OpenCLStdPown, spirv.OpenCLStdRootn, spirv.OpenCLStdNan:
		withInteger(b, in, n, ops)
		return
	case spirv.OpenCLStdCross, spirv.OpenCLStdDistance, spirv.OpenCLStdLength, spirv.OpenCLStdNormalize,
		spirv.OpenCLStdFastDistance, spirv.OpenCLStdFastLength, spirv.OpenCLStdFastNormalize:
		geometric(b, in, n, ops)
		return
	}
	if n < clmath.NumFuncs {
		mathFunc(b, in, n, ops)
		return
	}
	if n >= spirv.OpenCLStdVloadn && n <= spirv.OpenCLStdPrefetch {
		clMemory(b, in, n, ops)
		return
	}
	clInteger(b, in, n, ops)
}

// mathFunc reads a function of floats that package clmath has a table entry for.
func mathFunc(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	var op isa.Op
	switch {
	case len(ops) == 1 && clmath.Unary32[n] != nil:
		op = isa.OpMath1
	case len(ops) == 2 && clmath.Binary32[n] != nil:
		op = isa.OpMath2
	case len(ops) == 3 && clmath.Ternary32[n] != nil:
		op = isa.OpMath3
	default:
		b.Fail("%s of %d operands is not supported", clName(n), len(ops))
	}
	apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value { return mathFunction(b, op, n, ct.Scalar(), a...) })
}

// mathFunction makes a call of function imm. Half precision is computed in single, by functions that see to it that the
// second rounding does no harm.
func mathFunction(b *build.Builder, op isa.Op, imm uint32, t isa.Type, args ...*ssa.Value) *ssa.Value {
	if t == isa.F16 {
		wide := make([]*ssa.Value, len(args))
		for i, a := range args {
			wide[i] = b.Conv(isa.OpFToF, isa.F32, isa.F16, a)
		}
		return b.Conv(isa.OpFToF, isa.F16, isa.F32, mathFunction(b, op, imm|isa.MathHalf, isa.F32, wide...))
	}
	v := b.Func.NewValue(op, t, t, args...)
	v.Imm = uint64(imm)
	return b.Add(v)
}

// twoResults reads the functions that return one result and store another.
func twoResults(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	t := b.Module.TypeOf(in.ResultType())
	last := len(ops) - 1
	p, pt := b.One(spirv.ID(ops[last]))
	vals := make([][]*ssa.Value, last)
	for i := range vals {
		vals[i], _ = b.Vals(spirv.ID(ops[i]))
	}
	op := isa.OpMath1
	if last == 2 {
		op = isa.OpMath2
	}
	integer := n == spirv.OpenCLStdFrexp || n == spirv.OpenCLStdLgammaR || n == spirv.OpenCLStdRemquo
	ct := t.Component()
	s := ct.Scalar()
	out, stored := make([]*ssa.Value, t.Flat), make([]*ssa.Value, t.Flat)
	for c := range out {
		args := make([]*ssa.Value, last)
		for i, v := range vals {
			args[i] = v[min(c, len(v)-1)]
		}
		out[c] = mathFunction(b, op, n, s, args...)
		if !integer {
			stored[c] = mathFunction(b, op, n|isa.MathStored, s, args...)
			continue
		}
		w := s
		if s == isa.F16 {
			w = isa.F32
			for i, a := range args {
				args[i] = b.Conv(isa.OpFToF, w, s, a)
			}
		}
		stored[c] = b.Resize(mathFunction(b, op, n|isa.MathStored, w, args...), isa.IntOf(w.Bits()), isa.I32)
	}
	st := t
	if integer {
		it := &build.Type{Kind: build.KindInt, Bits: 32, Size: 4, Align: 4, Flat: 1}
		st = it
		if t.Kind == build.KindVector {
			size := t.Size / t.Elem.Size * it.Size
			st = &build.Type{Kind: build.KindVector, Elem: it, Count: t.Count, Flat: t.Flat, Size: size, Align: size}
		}
	}
	b.Store(p, st, stored, build.MemoryAccess(pt, nil))
	b.Set(in, out...)
}

// withInteger reads the functions with an integer operand or result.
func withInteger(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	t := b.Module.TypeOf(in.ResultType())
	x, xt := b.Vals(spirv.ID(ops[0]))
	fs := xt.Component().Scalar()
	out := make([]*ssa.Value, t.Flat)
	for c := range out {
		a := x[min(c, len(x)-1)]
		switch n {
		case spirv.OpenCLStdIlogb:
			w := fs
			if fs == isa.F16 {
				w = isa.F32
				a = b.Conv(isa.OpFToF, w, fs, a)
			}
			out[c] = b.Resize(mathFunction(b, isa.OpMath1, n, w, a), isa.IntOf(w.Bits()), isa.I32)
		case spirv.OpenCLStdNan:
			s := t.Component().Scalar()
			if s == isa.F16 {
				out[c] = b.Bin(isa.OpOr, isa.I16, b.Imm(isa.I16, 0x7e00), b.Bin(isa.OpAnd, isa.I16, a, b.Imm(isa.I16, 0x1ff)))
				continue
			}
			out[c] = mathFunction(b, isa.OpMath1, n, s, a)
		default:
			y, _ := b.Vals(spirv.ID(ops[1]))
			i := y[min(c, len(y)-1)]
			if fs == isa.F16 {
				a = b.Conv(isa.OpFToF, isa.F32, fs, a)
				out[c] = b.Conv(isa.OpFToF, fs, isa.F32, mathFunction(b, isa.OpMath2, n|isa.MathHalf, isa.F32, a, i))
				continue
			}
			if fs == isa.F64 {
				i = b.Conv(isa.OpSExt, isa.I64, isa.I32, i)
			}
			out[c] = mathFunction(b, isa.OpMath2, n, fs, a, i)
		}
	}
	b.Set(in, out...)
}

// clIntBin has the integer functions that are one instruction.
var clIntBin = map[uint32]isa.Op{
	spirv.OpenCLStdSAbsDiff: isa.OpAbsDiffS, spirv.OpenCLStdUAbsDiff: isa.OpAbsDiffU,
	spirv.OpenCLStdSAddSat: isa.OpAddSatS, spirv.OpenCLStdUAddSat: isa.OpAddSatU,
	spirv.OpenCLStdSSubSat: isa.OpSubSatS, spirv.OpenCLStdUSubSat: isa.OpSubSatU,
	spirv.OpenCLStdSHadd: isa.OpHAddS, spirv.OpenCLStdUHadd: isa.OpHAddU,
	spirv.OpenCLStdSRhadd: isa.OpRHAddS, spirv.OpenCLStdURhadd: isa.OpRHAddU,
	spirv.OpenCLStdSMax: isa.OpMaxS, spirv.OpenCLStdUMax: isa.OpMaxU,
	spirv.OpenCLStdSMin: isa.OpMinS, spirv.OpenCLStdUMin: isa.OpMinU,
	spirv.OpenCLStdSMulHi: isa.OpMulHiS, spirv.OpenCLStdUMulHi: isa.OpMulHiU,
	spirv.OpenCLStdRotate: isa.OpRotl,
	spirv.OpenCLStdSMul24: isa.OpMul, spirv.OpenCLStdUMul24: isa.OpMul,
}

var clIntUn = map[uint32]isa.Op{
	spirv.OpenCLStdSAbs: isa.OpAbs, spirv.OpenCLStdClz: isa.OpClz, spirv.OpenCLStdCtz: isa.OpCtz, spirv.OpenCLStdPopcount: isa.OpPopCount,
}

// clInteger reads the integer and relational functions.
func clInteger(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	if op, ok := clIntBin[n]; ok {
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value { return b.Bin(op, wholeWidth(b, ct), a[0], a[1]) })
		return
	}
	if op, ok := clIntUn[n]; ok {
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value { return b.Un(op, wholeWidth(b, ct), a[0]) })
		return
	}
	switch n {
	case spirv.OpenCLStdUAbs:
		apply(b, in, ops, func(_ *build.Type, a []*ssa.Value) *ssa.Value { return a[0] })
	case spirv.OpenCLStdSClamp, spirv.OpenCLStdUClamp:
		lo, hi := isa.OpMaxS, isa.OpMinS
		if n == spirv.OpenCLStdUClamp {
			lo, hi = isa.OpMaxU, isa.OpMinU
		}
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
			t := wholeWidth(b, ct)
			return b.Bin(hi, t, b.Bin(lo, t, a[0], a[1]), a[2])
		})
	case spirv.OpenCLStdSMadHi, spirv.OpenCLStdUMadHi:
		op := isa.OpMulHiS
		if n == spirv.OpenCLStdUMadHi {
			op = isa.OpMulHiU
		}
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
			t := wholeWidth(b, ct)
			return b.Bin(isa.OpAdd, t, b.Bin(op, t, a[0], a[1]), a[2])
		})
	case spirv.OpenCLStdSMad24, spirv.OpenCLStdUMad24:
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
			t := wholeWidth(b, ct)
			return b.Bin(isa.OpAdd, t, b.Bin(isa.OpMul, t, a[0], a[1]), a[2])
		})
	case spirv.OpenCLStdSMadSat, spirv.OpenCLStdUMadSat:
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
			return madSat(b, wholeWidth(b, ct), n == spirv.OpenCLStdSMadSat, a)
		})
	case spirv.OpenCLStdSUpsample, spirv.OpenCLStdUUpsample:
		from := b.Module.TypeOf(b.Module.Index.TypeOf(spirv.ID(ops[0]))).Component().Scalar()
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
			t := wholeWidth(b, ct)
			hi := b.Bin(isa.OpShl, t, b.Conv(isa.OpZExt, t, from, a[0]), b.Imm(t, uint64(from.Bits())))
			return b.Bin(isa.OpOr, t, hi, b.Conv(isa.OpZExt, t, from, a[1]))
		})
	case spirv.OpenCLStdBitselect:
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
			t := isa.IntOf(ct.Scalar().Bits())
			return b.Bin(isa.OpXor, t, a[0], b.Bin(isa.OpAnd, t, a[2], b.Bin(isa.OpXor, t, a[0], a[1])))
		})
	case spirv.OpenCLStdSelect:
		// Scalars ask whether c is not zero, vectors for its most significant bit.
		t := b.Module.TypeOf(in.ResultType())
		ctype := b.Module.TypeOf(b.Module.Index.TypeOf(spirv.ID(ops[2]))).Component().Scalar()
		apply(b, in, ops, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
			var c *ssa.Value
			if t.Kind == build.KindVector {
				c = b.Cmp(isa.OpLtS, ctype, a[2], b.Imm(ctype, 0))
			} else {
				c = b.Cmp(isa.OpNe, ctype, a[2], b.Imm(ctype, 0))
			}
			return b.Sel(ct.Scalar(), c, a[1], a[0])
		})
	default:
		b.Fail("the function %s is not supported", clName(n))
	}
}

// wholeWidth returns the register type of an integer that fills its register.
func wholeWidth(b *build.Builder, t *build.Type) isa.Type {
	if t.Kind != build.KindInt || t.Odd() {
		b.Fail("integers of %d bits are not supported here", t.Bits)
	}
	return t.Scalar()
}

// madSat is a*b + c, saturated.
func madSat(b *build.Builder, t isa.Type, signed bool, a []*ssa.Value) *ssa.Value {
	lo := b.Bin(isa.OpMul, t, a[0], a[1])
	sum := b.Bin(isa.OpAdd, t, lo, a[2])
	carry := b.Sel(t, b.Cmp(isa.OpLtU, t, sum, lo), b.Imm(t, 1), b.Imm(t, 0))
	top := uint64(t.Bits() - 1)
	if !signed {
		hi := b.Bin(isa.OpAdd, t, b.Bin(isa.OpMulHiU, t, a[0], a[1]), carry)
		return b.Sel(t, b.Cmp(isa.OpEq, t, hi, b.Imm(t, 0)), sum, b.Imm(t, ^uint64(0)))
	}
	hi := b.Bin(isa.OpMulHiS, t, a[0], a[1])
	hi = b.Bin(isa.OpAdd, t, hi, b.Bin(isa.OpShrS, t, a[2], b.Imm(t, top)))
	hi = b.Bin(isa.OpAdd, t, hi, carry)
	fits := b.Cmp(isa.OpEq, t, hi, b.Bin(isa.OpShrS, t, sum, b.Imm(t, top)))
	limit := b.Sel(t, b.Cmp(isa.OpLtS, t, hi, b.Imm(t, 0)), b.Imm(t, 1<<top), b.Imm(t, 1<<top-1))
	return b.Sel(t, fits, sum, limit)
}

// clMemory reads the vector loads and stores, shuffles, printf and prefetch.
func clMemory(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	switch n {
	case spirv.OpenCLStdPrefetch:
	case spirv.OpenCLStdPrintf:
		printf(b, in, ops)
	case spirv.OpenCLStdShuffle, spirv.OpenCLStdShuffle2:
		clShuffle(b, in, n, ops)
	case spirv.OpenCLStdVloadn, spirv.OpenCLStdVloadHalf, spirv.OpenCLStdVloadHalfn, spirv.OpenCLStdVloadaHalfn:
		t := b.Module.TypeOf(in.ResultType())
		p, pt := b.One(spirv.ID(ops[1]))
		ct := t.Component()
		mem := ct
		if n != spirv.OpenCLStdVloadn {
			mem = &build.Type{Kind: build.KindFloat, Bits: 16, Size: 2, Align: 2, Flat: 1}
		}
		aligned := n == spirv.OpenCLStdVloadaHalfn
		p = element(b, p, ops[0], mem, uint64(t.Flat), aligned)
		out := make([]*ssa.Value, t.Flat)
		for i := range out {
			off := uint64(i) * mem.Size
			x := b.LoadScalar(b.Offset(p, int64(off)), mem, elementAccess(pt, off, mem, uint64(t.Flat), aligned))
			if mem != ct && ct.Scalar() != isa.F16 {
				x = b.Conv(isa.OpFToF, ct.Scalar(), isa.F16, x)
			}
			out[i] = x
		}
		b.Set(in, out...)
	default:
		v, vt := b.Vals(spirv.ID(ops[0]))
		p, pt := b.One(spirv.ID(ops[2]))
		ct := vt.Component()
		mem := ct
		if n != spirv.OpenCLStdVstoren {
			mem = &build.Type{Kind: build.KindFloat, Bits: 16, Size: 2, Align: 2, Flat: 1}
		}
		fl := isa.Flags(0)
		switch n {
		case spirv.OpenCLStdVstoreHalfR, spirv.OpenCLStdVstoreHalfnR, spirv.OpenCLStdVstoreaHalfnR:
			fl = fl.WithRound([]isa.Round{isa.RoundRTE, isa.RoundRTZ, isa.RoundRTP, isa.RoundRTN}[ops[3]&3])
		}
		aligned := n == spirv.OpenCLStdVstoreaHalfn || n == spirv.OpenCLStdVstoreaHalfnR
		p = element(b, p, ops[1], mem, uint64(vt.Flat), aligned)
		for i, x := range v {
			if mem != ct && ct.Scalar() != isa.F16 {
				x = b.ConvFlags(isa.OpFToF, isa.F16, ct.Scalar(), fl, x)
			}
			off := uint64(i) * mem.Size
			b.StoreScalar(b.Offset(p, int64(off)), mem, x, elementAccess(pt, off, mem, uint64(vt.Flat), aligned))
		}
	}
}

// element returns the address of vector number id of n components at p. A
// vector of three is packed, unless the function is one that wants alignment.
func element(b *build.Builder, p *ssa.Value, id uint32, mem *build.Type, n uint64, aligned bool) *ssa.Value {
	i, it := b.One(spirv.ID(id))
	if aligned && n == 3 {
		n = 4
	}
	return b.Index(p, i, it, n*mem.Size)
}

// elementAccess returns how component at a byte offset of a vector of n is accessed: vload and vstore want the
// alignment of a component, the functions that want alignment that of the vector (OpenCL C 6.15.7).
func elementAccess(pt *build.Type, offset uint64, mem *build.Type, n uint64, aligned bool) build.Access {
	a := build.MemoryAccess(pt, nil)
	if !aligned {
		return a
	}
	room := n
	if n == 3 {
		room = 4
	}
	return a.Part(offset, n*mem.Size, room*mem.Size)
}

// clShuffle reads shuffle and shuffle2: a component of the mask counts modulo
// the number of components there are.
func clShuffle(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	t := b.Module.TypeOf(in.ResultType())
	src, _ := b.Vals(spirv.ID(ops[0]))
	src = append([]*ssa.Value(nil), src...)
	if n == spirv.OpenCLStdShuffle2 {
		y, _ := b.Vals(spirv.ID(ops[1]))
		src = append(src, y...)
	}
	mask, mt := b.Vals(spirv.ID(ops[len(ops)-1]))
	ms := mt.Component().Scalar()
	s := t.Component().Scalar()
	bits := uint64(1)
	for int(bits) < len(src) {
		bits *= 2
	}
	out := make([]*ssa.Value, t.Flat)
	for i := range out {
		m := b.Bin(isa.OpAnd, ms, mask[i], b.Imm(ms, bits-1))
		if m.IsConst() {
			out[i] = src[min(int(m.Imm), len(src)-1)]
			continue
		}
		r := src[len(src)-1]
		for c := len(src) - 2; c >= 0; c-- {
			r = b.Sel(s, b.Cmp(isa.OpEq, ms, m, b.Imm(ms, uint64(c))), src[c], r)
		}
		out[i] = r
	}
	b.Set(in, out...)
}
