package lower

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// extInst reads an instruction of an extended set.
func (b *builder) extInst(in spirv.Inst) {
	set, ok := b.m.sets[spirv.ID(in.Operand(0))]
	if !ok {
		b.fail("the extended instruction set %%%d is not imported", in.Operand(0))
	}
	n := in.Operand(1)
	switch {
	case set == "OpenCL.std":
		b.openCL(in, n, in.Operands()[2:])
	case set == groupAsyncCopies || set == strings.TrimPrefix(groupAsyncCopies, "NonSemantic."):
		b.codeplayCopy(in, n, in.Operands()[2:])
	case set == debugInfo && n == spirv.OpenCLDebugInfo100DebugScope:
		b.debugScope(in)
	case set == debugInfo && n == spirv.OpenCLDebugInfo100DebugNoScope:
		b.inScope = b.inBody
	case set == debugInfo && n == spirv.OpenCLDebugInfo100DebugDeclare && b.debug != nil:
		b.debug.declare(in)
	case set == debugInfo || spirv.NonSemantic(set):
		// Says nothing about what the kernel does.
	default:
		b.fail("the extended instruction set %q is not supported", set)
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
func (b *builder) apply(in spirv.Inst, ops []uint32, g func(ct *typ, a []*ssa.Value) *ssa.Value) {
	t := b.m.typeOf(in.ResultType())
	vals := make([][]*ssa.Value, len(ops))
	for i, w := range ops {
		vals[i], _ = b.vals(spirv.ID(w))
		if len(vals[i]) != t.flat && len(vals[i]) != 1 {
			b.fail("operand %d has %d components, the result %d", i, len(vals[i]), t.flat)
		}
	}
	out := make([]*ssa.Value, t.flat)
	args := make([]*ssa.Value, len(ops))
	for c := range out {
		for i, v := range vals {
			args[i] = v[min(c, len(v)-1)]
		}
		out[c] = g(t.component(), args)
	}
	b.set(in, out...)
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
func (b *builder) openCL(in spirv.Inst, n uint32, ops []uint32) {
	if op, ok := clDirect[n]; ok {
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value {
			if op == isa.OpFma {
				return b.fma(ct.scalar(), a)
			}
			return b.fop(op, ct.scalar(), a...)
		})
		return
	}
	switch n {
	case spirv.OpenCLStdFract, spirv.OpenCLStdModf, spirv.OpenCLStdSincos, spirv.OpenCLStdFrexp, spirv.OpenCLStdLgammaR, spirv.OpenCLStdRemquo:
		b.twoResults(in, n, ops)
		return
	case spirv.OpenCLStdIlogb, spirv.OpenCLStdLdexp, spirv.OpenCLStdPown, spirv.OpenCLStdRootn, spirv.OpenCLStdNan:
		b.withInteger(in, n, ops)
		return
	case spirv.OpenCLStdCross, spirv.OpenCLStdDistance, spirv.OpenCLStdLength, spirv.OpenCLStdNormalize,
		spirv.OpenCLStdFastDistance, spirv.OpenCLStdFastLength, spirv.OpenCLStdFastNormalize:
		b.geometric(in, n, ops)
		return
	}
	if n < clmath.NumFuncs {
		b.mathFunc(in, n, ops)
		return
	}
	if n >= spirv.OpenCLStdVloadn && n <= spirv.OpenCLStdPrefetch {
		b.clMemory(in, n, ops)
		return
	}
	b.clInteger(in, n, ops)
}

// mathFunc reads a function of floats that package clmath has a table entry for.
func (b *builder) mathFunc(in spirv.Inst, n uint32, ops []uint32) {
	var op isa.Op
	switch {
	case len(ops) == 1 && clmath.Unary32[n] != nil:
		op = isa.OpMath1
	case len(ops) == 2 && clmath.Binary32[n] != nil:
		op = isa.OpMath2
	case len(ops) == 3 && clmath.Ternary32[n] != nil:
		op = isa.OpMath3
	default:
		b.fail("%s of %d operands is not supported", clName(n), len(ops))
	}
	b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value { return b.math(op, n, ct.scalar(), a...) })
}

// math makes a call of function imm. Half precision is computed in single, by functions that see to it that the
// second rounding does no harm.
func (b *builder) math(op isa.Op, imm uint32, t isa.Type, args ...*ssa.Value) *ssa.Value {
	if t == isa.F16 {
		wide := make([]*ssa.Value, len(args))
		for i, a := range args {
			wide[i] = b.conv(isa.OpFToF, isa.F32, isa.F16, a)
		}
		return b.conv(isa.OpFToF, isa.F16, isa.F32, b.math(op, imm|isa.MathHalf, isa.F32, wide...))
	}
	v := b.f.NewValue(op, t, t, args...)
	v.Imm = uint64(imm)
	return b.add(v)
}

// twoResults reads the functions that return one result and store another.
func (b *builder) twoResults(in spirv.Inst, n uint32, ops []uint32) {
	t := b.m.typeOf(in.ResultType())
	last := len(ops) - 1
	p, pt := b.one(spirv.ID(ops[last]))
	vals := make([][]*ssa.Value, last)
	for i := range vals {
		vals[i], _ = b.vals(spirv.ID(ops[i]))
	}
	op := isa.OpMath1
	if last == 2 {
		op = isa.OpMath2
	}
	integer := n == spirv.OpenCLStdFrexp || n == spirv.OpenCLStdLgammaR || n == spirv.OpenCLStdRemquo
	ct := t.component()
	s := ct.scalar()
	out, stored := make([]*ssa.Value, t.flat), make([]*ssa.Value, t.flat)
	for c := range out {
		args := make([]*ssa.Value, last)
		for i, v := range vals {
			args[i] = v[min(c, len(v)-1)]
		}
		out[c] = b.math(op, n, s, args...)
		if !integer {
			stored[c] = b.math(op, n|isa.MathStored, s, args...)
			continue
		}
		w := s
		if s == isa.F16 {
			w = isa.F32
			for i, a := range args {
				args[i] = b.conv(isa.OpFToF, w, s, a)
			}
		}
		stored[c] = b.resize(b.math(op, n|isa.MathStored, w, args...), isa.IntOf(w.Bits()), isa.I32)
	}
	st := t
	if integer {
		it := &typ{kind: kindInt, bits: 32, size: 4, align: 4, flat: 1}
		st = it
		if t.kind == kindVector {
			size := t.size / t.elem.size * it.size
			st = &typ{kind: kindVector, elem: it, count: t.count, flat: t.flat, size: size, align: size}
		}
	}
	b.store(p, st, stored, memoryAccess(pt, nil))
	b.set(in, out...)
}

// withInteger reads the functions with an integer operand or result.
func (b *builder) withInteger(in spirv.Inst, n uint32, ops []uint32) {
	t := b.m.typeOf(in.ResultType())
	x, xt := b.vals(spirv.ID(ops[0]))
	fs := xt.component().scalar()
	out := make([]*ssa.Value, t.flat)
	for c := range out {
		a := x[min(c, len(x)-1)]
		switch n {
		case spirv.OpenCLStdIlogb:
			w := fs
			if fs == isa.F16 {
				w = isa.F32
				a = b.conv(isa.OpFToF, w, fs, a)
			}
			out[c] = b.resize(b.math(isa.OpMath1, n, w, a), isa.IntOf(w.Bits()), isa.I32)
		case spirv.OpenCLStdNan:
			s := t.component().scalar()
			if s == isa.F16 {
				out[c] = b.bin(isa.OpOr, isa.I16, b.imm(isa.I16, 0x7e00), b.bin(isa.OpAnd, isa.I16, a, b.imm(isa.I16, 0x1ff)))
				continue
			}
			out[c] = b.math(isa.OpMath1, n, s, a)
		default:
			y, _ := b.vals(spirv.ID(ops[1]))
			i := y[min(c, len(y)-1)]
			if fs == isa.F16 {
				a = b.conv(isa.OpFToF, isa.F32, fs, a)
				out[c] = b.conv(isa.OpFToF, fs, isa.F32, b.math(isa.OpMath2, n|isa.MathHalf, isa.F32, a, i))
				continue
			}
			if fs == isa.F64 {
				i = b.conv(isa.OpSExt, isa.I64, isa.I32, i)
			}
			out[c] = b.math(isa.OpMath2, n, fs, a, i)
		}
	}
	b.set(in, out...)
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
func (b *builder) clInteger(in spirv.Inst, n uint32, ops []uint32) {
	if op, ok := clIntBin[n]; ok {
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value { return b.bin(op, b.wholeWidth(ct), a[0], a[1]) })
		return
	}
	if op, ok := clIntUn[n]; ok {
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value { return b.un(op, b.wholeWidth(ct), a[0]) })
		return
	}
	switch n {
	case spirv.OpenCLStdUAbs:
		b.apply(in, ops, func(_ *typ, a []*ssa.Value) *ssa.Value { return a[0] })
	case spirv.OpenCLStdSClamp, spirv.OpenCLStdUClamp:
		lo, hi := isa.OpMaxS, isa.OpMinS
		if n == spirv.OpenCLStdUClamp {
			lo, hi = isa.OpMaxU, isa.OpMinU
		}
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value {
			t := b.wholeWidth(ct)
			return b.bin(hi, t, b.bin(lo, t, a[0], a[1]), a[2])
		})
	case spirv.OpenCLStdSMadHi, spirv.OpenCLStdUMadHi:
		op := isa.OpMulHiS
		if n == spirv.OpenCLStdUMadHi {
			op = isa.OpMulHiU
		}
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value {
			t := b.wholeWidth(ct)
			return b.bin(isa.OpAdd, t, b.bin(op, t, a[0], a[1]), a[2])
		})
	case spirv.OpenCLStdSMad24, spirv.OpenCLStdUMad24:
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value {
			t := b.wholeWidth(ct)
			return b.bin(isa.OpAdd, t, b.bin(isa.OpMul, t, a[0], a[1]), a[2])
		})
	case spirv.OpenCLStdSMadSat, spirv.OpenCLStdUMadSat:
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value {
			return b.madSat(b.wholeWidth(ct), n == spirv.OpenCLStdSMadSat, a)
		})
	case spirv.OpenCLStdSUpsample, spirv.OpenCLStdUUpsample:
		from := b.m.typeOf(b.m.x.TypeOf(spirv.ID(ops[0]))).component().scalar()
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value {
			t := b.wholeWidth(ct)
			hi := b.bin(isa.OpShl, t, b.conv(isa.OpZExt, t, from, a[0]), b.imm(t, uint64(from.Bits())))
			return b.bin(isa.OpOr, t, hi, b.conv(isa.OpZExt, t, from, a[1]))
		})
	case spirv.OpenCLStdBitselect:
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value {
			t := isa.IntOf(ct.scalar().Bits())
			return b.bin(isa.OpXor, t, a[0], b.bin(isa.OpAnd, t, a[2], b.bin(isa.OpXor, t, a[0], a[1])))
		})
	case spirv.OpenCLStdSelect:
		// Scalars ask whether c is not zero, vectors for its most significant bit.
		t := b.m.typeOf(in.ResultType())
		ctype := b.m.typeOf(b.m.x.TypeOf(spirv.ID(ops[2]))).component().scalar()
		b.apply(in, ops, func(ct *typ, a []*ssa.Value) *ssa.Value {
			var c *ssa.Value
			if t.kind == kindVector {
				c = b.cmp(isa.OpLtS, ctype, a[2], b.imm(ctype, 0))
			} else {
				c = b.cmp(isa.OpNe, ctype, a[2], b.imm(ctype, 0))
			}
			return b.sel(ct.scalar(), c, a[1], a[0])
		})
	default:
		b.fail("the function %s is not supported", clName(n))
	}
}

// wholeWidth returns the register type of an integer that fills its register.
func (b *builder) wholeWidth(t *typ) isa.Type {
	if t.kind != kindInt || t.odd() {
		b.fail("integers of %d bits are not supported here", t.bits)
	}
	return t.scalar()
}

// madSat is a*b + c, saturated.
func (b *builder) madSat(t isa.Type, signed bool, a []*ssa.Value) *ssa.Value {
	lo := b.bin(isa.OpMul, t, a[0], a[1])
	sum := b.bin(isa.OpAdd, t, lo, a[2])
	carry := b.sel(t, b.cmp(isa.OpLtU, t, sum, lo), b.imm(t, 1), b.imm(t, 0))
	top := uint64(t.Bits() - 1)
	if !signed {
		hi := b.bin(isa.OpAdd, t, b.bin(isa.OpMulHiU, t, a[0], a[1]), carry)
		return b.sel(t, b.cmp(isa.OpEq, t, hi, b.imm(t, 0)), sum, b.imm(t, ^uint64(0)))
	}
	hi := b.bin(isa.OpMulHiS, t, a[0], a[1])
	hi = b.bin(isa.OpAdd, t, hi, b.bin(isa.OpShrS, t, a[2], b.imm(t, top)))
	hi = b.bin(isa.OpAdd, t, hi, carry)
	fits := b.cmp(isa.OpEq, t, hi, b.bin(isa.OpShrS, t, sum, b.imm(t, top)))
	limit := b.sel(t, b.cmp(isa.OpLtS, t, hi, b.imm(t, 0)), b.imm(t, 1<<top), b.imm(t, 1<<top-1))
	return b.sel(t, fits, sum, limit)
}

// clMemory reads the vector loads and stores, shuffles, printf and prefetch.
func (b *builder) clMemory(in spirv.Inst, n uint32, ops []uint32) {
	switch n {
	case spirv.OpenCLStdPrefetch:
	case spirv.OpenCLStdPrintf:
		b.printf(in, ops)
	case spirv.OpenCLStdShuffle, spirv.OpenCLStdShuffle2:
		b.clShuffle(in, n, ops)
	case spirv.OpenCLStdVloadn, spirv.OpenCLStdVloadHalf, spirv.OpenCLStdVloadHalfn, spirv.OpenCLStdVloadaHalfn:
		t := b.m.typeOf(in.ResultType())
		p, pt := b.one(spirv.ID(ops[1]))
		ct := t.component()
		mem := ct
		if n != spirv.OpenCLStdVloadn {
			mem = &typ{kind: kindFloat, bits: 16, size: 2, align: 2, flat: 1}
		}
		aligned := n == spirv.OpenCLStdVloadaHalfn
		p = b.element(p, ops[0], mem, uint64(t.flat), aligned)
		out := make([]*ssa.Value, t.flat)
		for i := range out {
			off := uint64(i) * mem.size
			x := b.loadScalar(b.offset(p, int64(off)), mem, elementAccess(pt, off, mem, uint64(t.flat), aligned))
			if mem != ct && ct.scalar() != isa.F16 {
				x = b.conv(isa.OpFToF, ct.scalar(), isa.F16, x)
			}
			out[i] = x
		}
		b.set(in, out...)
	default:
		v, vt := b.vals(spirv.ID(ops[0]))
		p, pt := b.one(spirv.ID(ops[2]))
		ct := vt.component()
		mem := ct
		if n != spirv.OpenCLStdVstoren {
			mem = &typ{kind: kindFloat, bits: 16, size: 2, align: 2, flat: 1}
		}
		fl := isa.Flags(0)
		switch n {
		case spirv.OpenCLStdVstoreHalfR, spirv.OpenCLStdVstoreHalfnR, spirv.OpenCLStdVstoreaHalfnR:
			fl = fl.WithRound([]isa.Round{isa.RoundRTE, isa.RoundRTZ, isa.RoundRTP, isa.RoundRTN}[ops[3]&3])
		}
		aligned := n == spirv.OpenCLStdVstoreaHalfn || n == spirv.OpenCLStdVstoreaHalfnR
		p = b.element(p, ops[1], mem, uint64(vt.flat), aligned)
		for i, x := range v {
			if mem != ct && ct.scalar() != isa.F16 {
				x = b.convFlags(isa.OpFToF, isa.F16, ct.scalar(), fl, x)
			}
			off := uint64(i) * mem.size
			b.storeScalar(b.offset(p, int64(off)), mem, x, elementAccess(pt, off, mem, uint64(vt.flat), aligned))
		}
	}
}

// element returns the address of vector number id of n components at p. A
// vector of three is packed, unless the function is one that wants alignment.
func (b *builder) element(p *ssa.Value, id uint32, mem *typ, n uint64, aligned bool) *ssa.Value {
	i, it := b.one(spirv.ID(id))
	if aligned && n == 3 {
		n = 4
	}
	return b.index(p, i, it, n*mem.size)
}

// elementAccess returns how component at a byte offset of a vector of n is accessed: vload and vstore want the
// alignment of a component, the functions that want alignment that of the vector (OpenCL C 6.15.7).
func elementAccess(pt *typ, offset uint64, mem *typ, n uint64, aligned bool) access {
	a := memoryAccess(pt, nil)
	if !aligned {
		return a
	}
	room := n
	if n == 3 {
		room = 4
	}
	return a.part(offset, n*mem.size, room*mem.size)
}

// clShuffle reads shuffle and shuffle2: a component of the mask counts modulo
// the number of components there are.
func (b *builder) clShuffle(in spirv.Inst, n uint32, ops []uint32) {
	t := b.m.typeOf(in.ResultType())
	src, _ := b.vals(spirv.ID(ops[0]))
	src = append([]*ssa.Value(nil), src...)
	if n == spirv.OpenCLStdShuffle2 {
		y, _ := b.vals(spirv.ID(ops[1]))
		src = append(src, y...)
	}
	mask, mt := b.vals(spirv.ID(ops[len(ops)-1]))
	ms := mt.component().scalar()
	s := t.component().scalar()
	bits := uint64(1)
	for int(bits) < len(src) {
		bits *= 2
	}
	out := make([]*ssa.Value, t.flat)
	for i := range out {
		m := b.bin(isa.OpAnd, ms, mask[i], b.imm(ms, bits-1))
		if m.IsConst() {
			out[i] = src[min(int(m.Imm), len(src)-1)]
			continue
		}
		r := src[len(src)-1]
		for c := len(src) - 2; c >= 0; c-- {
			r = b.sel(s, b.cmp(isa.OpEq, ms, m, b.imm(ms, uint64(c))), src[c], r)
		}
		out[i] = r
	}
	b.set(in, out...)
}
