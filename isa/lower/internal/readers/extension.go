package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Instructions of extensions that are one instruction of the bytecode, or a few.

// readExtensions enters them.
func readExtensions() {
	read(block2DIO, spirv.OpSubgroup2DBlockLoadINTEL, spirv.OpSubgroup2DBlockLoadTransposeINTEL,
		spirv.OpSubgroup2DBlockLoadTransformINTEL, spirv.OpSubgroup2DBlockStoreINTEL)
	read(nothing, spirv.OpSubgroup2DBlockPrefetchINTEL, spirv.OpLoopControlINTEL, spirv.OpSubgroupBlockPrefetchINTEL)
	read((*build.Builder).Composite, spirv.OpArithmeticFenceEXT, spirv.OpFPGARegALTERA, spirv.OpPtrCastToCrossWorkgroupALTERA,
		spirv.OpCrossWorkgroupCastToPtrALTERA, spirv.OpCompositeConstructReplicateEXT)
	read((*build.Builder).Undef, spirv.OpPoisonKHR)
	read(extInst, spirv.OpExtInstWithForwardRefsKHR)
	for op := range integerFunctions {
		read(integerFunction, op)
	}
	read(func(b *build.Builder, in spirv.Inst) {
		b.Each(in, func(ct *build.Type, a []*ssa.Value) *ssa.Value { return fma(b, ct.Scalar(), a) })
	}, spirv.OpFmaKHR)
	read(unary(func(b *build.Builder, _ *build.Type, x *ssa.Value) *ssa.Value { return roundToTF32(b, x) }), spirv.OpRoundFToTF32INTEL)
	read(bitcastExtract, spirv.OpBitcastExtractEXT)
	read(bitwiseFunction, spirv.OpBitwiseFunctionINTEL)
	read(predicated, spirv.OpPredicatedLoadINTEL, spirv.OpPredicatedStoreINTEL)
	read(masked, spirv.OpMaskedGatherINTEL, spirv.OpMaskedScatterINTEL)
	// A work-item that arrives goes on until it waits: the wait holds it until all have come that far, which is no
	// earlier than all have arrived.
	read(func(b *build.Builder, in spirv.Inst) { b.Fence(in.Operands()[1:]) }, spirv.OpControlBarrierArriveEXT)
	read((*build.Builder).Barrier, spirv.OpControlBarrierWaitEXT)
}

// integerFunctions has the instructions of SPV_INTEL_shader_integer_functions2 but products.
var integerFunctions = map[spirv.Op]isa.Op{
	spirv.OpUCountLeadingZerosINTEL: isa.OpClz, spirv.OpUCountTrailingZerosINTEL: isa.OpCtz,
	spirv.OpAbsISubINTEL: isa.OpAbsDiffS, spirv.OpAbsUSubINTEL: isa.OpAbsDiffU,
	spirv.OpIAddSatINTEL: isa.OpAddSatS, spirv.OpUAddSatINTEL: isa.OpAddSatU,
	spirv.OpISubSatINTEL: isa.OpSubSatS, spirv.OpUSubSatINTEL: isa.OpSubSatU,
	spirv.OpIAverageINTEL: isa.OpHAddS, spirv.OpUAverageINTEL: isa.OpHAddU,
	spirv.OpIAverageRoundedINTEL: isa.OpRHAddS, spirv.OpUAverageRoundedINTEL: isa.OpRHAddU,
	spirv.OpIMul32x16INTEL: isa.OpSExt, spirv.OpUMul32x16INTEL: isa.OpZExt,
}

// integerFunction reads an instruction that integerFunctions has. For products, that says how the low half of the
// second factor is extended.
func integerFunction(b *build.Builder, in spirv.Inst) {
	op := integerFunctions[in.Op()]
	b.Each(in, func(ct *build.Type, a []*ssa.Value) *ssa.Value {
		t := wholeWidth(b, ct)
		if op == isa.OpSExt || op == isa.OpZExt {
			if t != isa.I32 {
				b.Fail("multiplies integers of 32 bits")
			}
			low := b.Conv(isa.OpTruncate, isa.I16, t, a[1])
			return b.Bin(isa.OpMul, t, a[0], b.Conv(op, t, isa.I16, low))
		}
		return b.Emit(op, t, t, a...)
	})
}

// fma makes a multiplication and an addition with one rounding.
func fma(b *build.Builder, t isa.Type, a []*ssa.Value) *ssa.Value {
	if t != isa.F16 {
		return b.FOp(isa.OpFma, t, a...)
	}
	// The exact sum fits a double; rounding it once more cannot matter there.
	w := make([]*ssa.Value, 3)
	for i := range w {
		w[i] = b.Conv(isa.OpFToF, isa.F64, isa.F16, a[i])
	}
	return b.Conv(isa.OpFToF, isa.F16, isa.F64, b.Emit(isa.OpFma, isa.F64, isa.F64, w...))
}

// bitwiseFunction reads OpBitwiseFunctionINTEL: a bit of the result is that of a table of 8 bits, at the place that the
// bits of the three operands make, the first of them the highest.
func bitwiseFunction(b *build.Builder, in spirv.Inst) {
	t := b.Module.TypeOf(in.ResultType())
	ct := t.Component()
	s := ct.Scalar()
	var v [3][]*ssa.Value
	for i := range v {
		if v[i], _ = b.Vals(spirv.ID(in.Operand(i))); len(v[i]) != t.Flat {
			b.Fail("operand %d has %d components, the result %d", i, len(v[i]), t.Flat)
		}
	}
	table, _ := b.One(spirv.ID(in.Operand(3)))
	if !table.IsConst() || table.Imm > 0xff || !s.IsInt() {
		b.Fail("the table is no constant of 8 bits, or the operands are no integers")
	}
	out := make([]*ssa.Value, t.Flat)
	for c := range out {
		out[c] = b.Imm(s, 0)
		for place := range 8 {
			if table.Imm>>place&1 == 0 {
				continue
			}
			var term *ssa.Value
			for i := range v {
				x := v[i][c]
				if place>>(2-i)&1 == 0 {
					x = b.Un(isa.OpNot, s, x)
				}
				if term != nil {
					x = b.Bin(isa.OpAnd, s, term, x)
				}
				term = x
			}
			out[c] = b.Bin(isa.OpOr, s, out[c], term)
		}
		out[c] = b.Norm(ct, out[c])
	}
	b.Set(in, out...)
}

// when makes code that runs where a condition holds. Its values are those of f there, and the others elsewhere.
func when(b *build.Builder, c *ssa.Value, f func() []*ssa.Value, others []*ssa.Value) []*ssa.Value {
	if c.IsConst() {
		if c.Imm&1 != 0 {
			return f()
		}
		return others
	}
	const perBlock = 16 // as in Builder.inline
	b.Spend(2 * perBlock)
	from, then, next := b.Cur, b.Func.NewBlock(""), b.Func.NewBlock("")
	from.Term, from.Cond, from.TermLoc = ssa.TermCond, c, b.Place()
	ssa.Link(from, then)
	ssa.Link(from, next)
	b.Cur = then
	vals := f()
	b.Cur.Term, b.Cur.TermLoc = ssa.TermBr, b.Place()
	ssa.Link(b.Cur, next)
	b.Cur = next
	out := make([]*ssa.Value, len(vals))
	for i, v := range vals {
		p := b.Func.NewValue(ssa.OpPhi, v.Type, v.Type, others[i], v) // in the order of next.preds
		p.Block, p.Loc = next, b.Place()
		next.Phis = append(next.Phis, p)
		out[i] = p
	}
	return out
}

// predicated reads the loads and stores of SPV_INTEL_predicated_io.
func predicated(b *build.Builder, in spirv.Inst) {
	ops := in.Operands()
	p, pt := b.One(spirv.ID(ops[0]))
	noInput(b, p)
	a := build.MemoryAccess(pt, ops[3:])
	if in.Op() == spirv.OpPredicatedStoreINTEL {
		v, t := b.Vals(spirv.ID(ops[1]))
		c, _ := b.One(spirv.ID(ops[2]))
		when(b, c, func() []*ssa.Value {
			b.Store(p, t, v, a)
			return nil
		}, nil)
		return
	}
	t := b.Module.TypeOf(in.ResultType())
	if t.Flat > build.MaxFlat {
		b.Fail("a value of more than %d scalars does not fit in registers", build.MaxFlat)
	}
	c, _ := b.One(spirv.ID(ops[1]))
	others := b.Typed(spirv.ID(ops[2]), t)
	b.Set(in, when(b, c, func() []*ssa.Value { return b.Load(p, t, a) }, others)...)
}

// noInput fails if a pointer leads to a built-in variable, which is no memory.
func noInput(b *build.Builder, p *ssa.Value) {
	if _, _, ok := build.InputOf(p); ok {
		b.Fail("accesses a built-in variable")
	}
}

// masked reads the gathers and scatters of SPV_INTEL_masked_gather_scatter, whose components have a pointer and a
// condition each.
func masked(b *build.Builder, in spirv.Inst) {
	ops := in.Operands()
	scatter := in.Op() == spirv.OpMaskedScatterINTEL
	if scatter {
		ops = ops[1:]
	}
	ptrs, pt := b.Vals(spirv.ID(ops[0]))
	a := build.Access{Space: pt.Component().Space()}
	if n := uint64(ops[1]); n&(n-1) == 0 {
		a.Align = n
	}
	mask, _ := b.Vals(spirv.ID(ops[2]))
	id := in.ResultID()
	if scatter {
		id = spirv.ID(in.Operand(0))
	}
	var v []*ssa.Value
	var t *build.Type
	if scatter {
		v, t = b.Vals(id)
	} else {
		t = b.Module.TypeOf(in.ResultType())
		v = b.Typed(spirv.ID(ops[3]), t)
	}
	if len(ptrs) != len(mask) || len(ptrs) != len(v) || t.Flat != len(v) {
		b.Fail("the operands have %d, %d and %d components", len(ptrs), len(mask), len(v))
	}
	ct := t.Component()
	out := make([]*ssa.Value, len(v))
	for i := range v {
		noInput(b, ptrs[i])
		if scatter {
			when(b, mask[i], func() []*ssa.Value {
				b.Store(ptrs[i], ct, v[i:i+1], a)
				return nil
			}, nil)
			continue
		}
		out[i] = when(b, mask[i], func() []*ssa.Value { return b.Load(ptrs[i], ct, a) }, v[i:i+1])[0]
	}
	if !scatter {
		b.Set(in, out...)
	}
}

// roundToTF32 rounds a number of single precision to 10 bits behind the leading one, to the nearest, those in the middle
// to the even one (SPV_INTEL_tensor_float32_conversion).
func roundToTF32(b *build.Builder, x *ssa.Value) *ssa.Value {
	const w, drop = isa.I32, 23 - 10
	num := func(n uint64) *ssa.Value { return b.Imm(w, n) }
	odd := b.Bin(isa.OpAnd, w, b.Bin(isa.OpShrU, w, x, num(drop)), num(1))
	y := b.Bin(isa.OpAdd, w, b.Bin(isa.OpAdd, w, x, num(1<<(drop-1)-1)), odd)
	y = b.Bin(isa.OpAnd, w, y, num(1<<32-1<<drop))
	nan := b.FCmp(isa.OpFUno, isa.F32, x, x)
	return b.Sel(w, nan, b.Bin(isa.OpOr, w, b.Bin(isa.OpAnd, w, x, num(1<<32-1<<drop)), num(1<<22)), y)
}

// bitcastExtract reads OpBitcastExtractEXT: bits of each component, from an offset on, as a number of another type.
func bitcastExtract(b *build.Builder, in spirv.Inst) {
	t := b.Module.TypeOf(in.ResultType())
	v, from := b.Vals(spirv.ID(in.Operand(0)))
	at, ot := b.One(spirv.ID(in.Operand(1)))
	ct, ft := t.Component(), from.Component()
	if len(v) != t.Flat || ct.Bits >= ft.Bits {
		b.Fail("takes %d components of %d bits from %d of %d", t.Flat, ct.Bits, len(v), ft.Bits)
	}
	wide, narrow := isa.IntOf(ft.Scalar().Bits()), isa.IntOf(ct.Scalar().Bits())
	at = b.Resize(at, ot.Scalar(), wide)
	out := make([]*ssa.Value, len(v))
	for i, x := range v {
		x = b.Resize(b.Bin(isa.OpShrU, wide, x, at), wide, narrow)
		if ct.Bits < narrow.Bits() {
			x = b.Bin(isa.OpAnd, narrow, x, b.Imm(narrow, 1<<ct.Bits-1))
		}
		out[i] = x
	}
	b.Set(in, out...)
}

// readClock reads OpReadClockKHR (SPV_KHR_shader_clock): a number of 64 bits, or its two halves. The clocks of all scopes
// are the launch's logical clock, which counts on from work-group to work-group.
func readClock(b *build.Builder, in spirv.Inst) {
	switch b.ExecutionScope(spirv.ID(in.Operand(0))) {
	case isa.ScopeDevice, isa.ScopeWorkgroup, isa.ScopeSubgroup:
	default:
		b.Fail("the scope of a clock is Device, Workgroup or Subgroup")
	}
	now := b.Add(b.Func.NewValue(isa.OpClock, isa.I64, isa.Void))
	t := b.Module.TypeOf(in.ResultType())
	switch ct := t.Component().Scalar(); {
	case t.Flat == 1 && ct == isa.I64:
		b.SetOne(in, now)
	case t.Flat == 2 && ct == isa.I32:
		high := b.Bin(isa.OpShrU, isa.I64, now, b.Imm(isa.I64, 32))
		b.Set(in, b.Resize(now, isa.I64, isa.I32), b.Resize(high, isa.I64, isa.I32))
	default:
		b.Fail("a clock gives an integer of 64 bits or a vector of two of 32 bits")
	}
}
