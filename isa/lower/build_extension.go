package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Instructions of extensions that are one instruction of the bytecode, or a few.

// readExtensions enters them.
func readExtensions() {
	read((*builder).block2DIO, spirv.OpSubgroup2DBlockLoadINTEL, spirv.OpSubgroup2DBlockLoadTransposeINTEL,
		spirv.OpSubgroup2DBlockLoadTransformINTEL, spirv.OpSubgroup2DBlockStoreINTEL)
	read(nothing, spirv.OpSubgroup2DBlockPrefetchINTEL, spirv.OpLoopControlINTEL, spirv.OpSubgroupBlockPrefetchINTEL)
	read((*builder).composite, spirv.OpArithmeticFenceEXT, spirv.OpFPGARegALTERA, spirv.OpPtrCastToCrossWorkgroupALTERA,
		spirv.OpCrossWorkgroupCastToPtrALTERA, spirv.OpCompositeConstructReplicateEXT)
	read((*builder).undef, spirv.OpPoisonKHR)
	read((*builder).extInst, spirv.OpExtInstWithForwardRefsKHR)
	for op := range integerFunctions {
		read((*builder).integerFunction, op)
	}
	read(func(b *builder, in spirv.Inst) {
		b.each(in, func(ct *typ, a []*value) *value { return b.fma(ct.scalar(), a) })
	}, spirv.OpFmaKHR)
	read(unary(func(b *builder, _ *typ, x *value) *value { return b.roundToTF32(x) }), spirv.OpRoundFToTF32INTEL)
	read((*builder).bitcastExtract, spirv.OpBitcastExtractEXT)
	read((*builder).bitwiseFunction, spirv.OpBitwiseFunctionINTEL)
	read((*builder).predicated, spirv.OpPredicatedLoadINTEL, spirv.OpPredicatedStoreINTEL)
	read((*builder).masked, spirv.OpMaskedGatherINTEL, spirv.OpMaskedScatterINTEL)
	// A work-item that arrives goes on until it waits: the wait holds it until all have come that far, which is no
	// earlier than all have arrived.
	read(func(b *builder, in spirv.Inst) { b.fence(in.Operands()[1:]) }, spirv.OpControlBarrierArriveEXT)
	read((*builder).barrier, spirv.OpControlBarrierWaitEXT)
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
func (b *builder) integerFunction(in spirv.Inst) {
	op := integerFunctions[in.Op()]
	b.each(in, func(ct *typ, a []*value) *value {
		t := b.wholeWidth(ct)
		if op == isa.OpSExt || op == isa.OpZExt {
			if t != isa.I32 {
				b.fail("multiplies integers of 32 bits")
			}
			low := b.conv(isa.OpTruncate, isa.I16, t, a[1])
			return b.bin(isa.OpMul, t, a[0], b.conv(op, t, isa.I16, low))
		}
		return b.emit(op, t, t, a...)
	})
}

// fma makes a multiplication and an addition with one rounding.
func (b *builder) fma(t isa.Type, a []*value) *value {
	if t != isa.F16 {
		return b.fop(isa.OpFma, t, a...)
	}
	// The exact sum fits a double; rounding it once more cannot matter there.
	w := make([]*value, 3)
	for i := range w {
		w[i] = b.conv(isa.OpFToF, isa.F64, isa.F16, a[i])
	}
	return b.conv(isa.OpFToF, isa.F16, isa.F64, b.emit(isa.OpFma, isa.F64, isa.F64, w...))
}

// bitwiseFunction reads OpBitwiseFunctionINTEL: a bit of the result is that of a table of 8 bits, at the place that the
// bits of the three operands make, the first of them the highest.
func (b *builder) bitwiseFunction(in spirv.Inst) {
	t := b.m.typeOf(in.ResultType())
	ct := t.component()
	s := ct.scalar()
	var v [3][]*value
	for i := range v {
		if v[i], _ = b.vals(spirv.ID(in.Operand(i))); len(v[i]) != t.flat {
			b.fail("operand %d has %d components, the result %d", i, len(v[i]), t.flat)
		}
	}
	table, _ := b.one(spirv.ID(in.Operand(3)))
	if !table.isConst() || table.imm > 0xff || !s.IsInt() {
		b.fail("the table is no constant of 8 bits, or the operands are no integers")
	}
	out := make([]*value, t.flat)
	for c := range out {
		out[c] = b.imm(s, 0)
		for place := range 8 {
			if table.imm>>place&1 == 0 {
				continue
			}
			var term *value
			for i := range v {
				x := v[i][c]
				if place>>(2-i)&1 == 0 {
					x = b.un(isa.OpNot, s, x)
				}
				if term != nil {
					x = b.bin(isa.OpAnd, s, term, x)
				}
				term = x
			}
			out[c] = b.bin(isa.OpOr, s, out[c], term)
		}
		out[c] = b.norm(ct, out[c])
	}
	b.set(in, out...)
}

// when makes code that runs where a condition holds. Its values are those of f there, and the others elsewhere.
func (b *builder) when(c *value, f func() []*value, others []*value) []*value {
	if c.isConst() {
		if c.imm&1 != 0 {
			return f()
		}
		return others
	}
	const perBlock = 16 // as in builder.inline
	b.spend(2 * perBlock)
	from, then, next := b.cur, b.f.newBlock(""), b.f.newBlock("")
	from.term, from.cond, from.termLoc = termCond, c, b.place()
	link(from, then)
	link(from, next)
	b.cur = then
	vals := f()
	b.cur.term, b.cur.termLoc = termBr, b.place()
	link(b.cur, next)
	b.cur = next
	out := make([]*value, len(vals))
	for i, v := range vals {
		p := b.f.newValue(irPhi, v.typ, v.typ, others[i], v) // in the order of next.preds
		p.blk, p.loc = next, b.place()
		next.phis = append(next.phis, p)
		out[i] = p
	}
	return out
}

// predicated reads the loads and stores of SPV_INTEL_predicated_io.
func (b *builder) predicated(in spirv.Inst) {
	ops := in.Operands()
	p, pt := b.one(spirv.ID(ops[0]))
	b.noInput(p)
	a := memoryAccess(pt, ops[3:])
	if in.Op() == spirv.OpPredicatedStoreINTEL {
		v, t := b.vals(spirv.ID(ops[1]))
		c, _ := b.one(spirv.ID(ops[2]))
		b.when(c, func() []*value {
			b.store(p, t, v, a)
			return nil
		}, nil)
		return
	}
	t := b.m.typeOf(in.ResultType())
	if t.flat > maxFlat {
		b.fail("a value of more than %d scalars does not fit in registers", maxFlat)
	}
	c, _ := b.one(spirv.ID(ops[1]))
	others := b.typed(spirv.ID(ops[2]), t)
	b.set(in, b.when(c, func() []*value { return b.load(p, t, a) }, others)...)
}

// noInput fails if a pointer leads to a built-in variable, which is no memory.
func (b *builder) noInput(p *value) {
	if _, _, ok := inputOf(p); ok {
		b.fail("accesses a built-in variable")
	}
}

// masked reads the gathers and scatters of SPV_INTEL_masked_gather_scatter, whose components have a pointer and a
// condition each.
func (b *builder) masked(in spirv.Inst) {
	ops := in.Operands()
	scatter := in.Op() == spirv.OpMaskedScatterINTEL
	if scatter {
		ops = ops[1:]
	}
	ptrs, pt := b.vals(spirv.ID(ops[0]))
	a := access{space: pt.component().space()}
	if n := uint64(ops[1]); n&(n-1) == 0 {
		a.align = n
	}
	mask, _ := b.vals(spirv.ID(ops[2]))
	id := in.ResultID()
	if scatter {
		id = spirv.ID(in.Operand(0))
	}
	var v []*value
	var t *typ
	if scatter {
		v, t = b.vals(id)
	} else {
		t = b.m.typeOf(in.ResultType())
		v = b.typed(spirv.ID(ops[3]), t)
	}
	if len(ptrs) != len(mask) || len(ptrs) != len(v) || t.flat != len(v) {
		b.fail("the operands have %d, %d and %d components", len(ptrs), len(mask), len(v))
	}
	ct := t.component()
	out := make([]*value, len(v))
	for i := range v {
		b.noInput(ptrs[i])
		if scatter {
			b.when(mask[i], func() []*value {
				b.store(ptrs[i], ct, v[i:i+1], a)
				return nil
			}, nil)
			continue
		}
		out[i] = b.when(mask[i], func() []*value { return b.load(ptrs[i], ct, a) }, v[i:i+1])[0]
	}
	if !scatter {
		b.set(in, out...)
	}
}

// roundToTF32 rounds a number of single precision to 10 bits behind the leading one, to the nearest, those in the middle
// to the even one (SPV_INTEL_tensor_float32_conversion).
func (b *builder) roundToTF32(x *value) *value {
	const w, drop = isa.I32, 23 - 10
	num := func(n uint64) *value { return b.imm(w, n) }
	odd := b.bin(isa.OpAnd, w, b.bin(isa.OpShrU, w, x, num(drop)), num(1))
	y := b.bin(isa.OpAdd, w, b.bin(isa.OpAdd, w, x, num(1<<(drop-1)-1)), odd)
	y = b.bin(isa.OpAnd, w, y, num(1<<32-1<<drop))
	nan := b.fcmp(isa.OpFUno, isa.F32, x, x)
	return b.sel(w, nan, b.bin(isa.OpOr, w, b.bin(isa.OpAnd, w, x, num(1<<32-1<<drop)), num(1<<22)), y)
}

// bitcastExtract reads OpBitcastExtractEXT: bits of each component, from an offset on, as a number of another type.
func (b *builder) bitcastExtract(in spirv.Inst) {
	t := b.m.typeOf(in.ResultType())
	v, from := b.vals(spirv.ID(in.Operand(0)))
	at, ot := b.one(spirv.ID(in.Operand(1)))
	ct, ft := t.component(), from.component()
	if len(v) != t.flat || ct.bits >= ft.bits {
		b.fail("takes %d components of %d bits from %d of %d", t.flat, ct.bits, len(v), ft.bits)
	}
	wide, narrow := isa.IntOf(ft.scalar().Bits()), isa.IntOf(ct.scalar().Bits())
	at = b.resize(at, ot.scalar(), wide)
	out := make([]*value, len(v))
	for i, x := range v {
		x = b.resize(b.bin(isa.OpShrU, wide, x, at), wide, narrow)
		if ct.bits < narrow.Bits() {
			x = b.bin(isa.OpAnd, narrow, x, b.imm(narrow, 1<<ct.bits-1))
		}
		out[i] = x
	}
	b.set(in, out...)
}

// readClock reads OpReadClockKHR (SPV_KHR_shader_clock): a number of 64 bits, or its two halves. The clocks of all scopes
// are the launch's logical clock, which counts on from work-group to work-group.
func (b *builder) readClock(in spirv.Inst) {
	switch b.executionScope(spirv.ID(in.Operand(0))) {
	case isa.ScopeDevice, isa.ScopeWorkgroup, isa.ScopeSubgroup:
	default:
		b.fail("the scope of a clock is Device, Workgroup or Subgroup")
	}
	now := b.add(b.f.newValue(isa.OpClock, isa.I64, isa.Void))
	t := b.m.typeOf(in.ResultType())
	switch ct := t.component().scalar(); {
	case t.flat == 1 && ct == isa.I64:
		b.set1(in, now)
	case t.flat == 2 && ct == isa.I32:
		high := b.bin(isa.OpShrU, isa.I64, now, b.imm(isa.I64, 32))
		b.set(in, b.resize(now, isa.I64, isa.I32), b.resize(high, isa.I64, isa.I32))
	default:
		b.fail("a clock gives an integer of 64 bits or a vector of two of 32 bits")
	}
}
