package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// norm brings the value of an odd-width integer back to its width: such values
// are kept zero-extended in the next wider register.
func (b *builder) norm(t *typ, v *ssa.Value) *ssa.Value {
	if !t.odd() {
		return v
	}
	s := t.scalar()
	return b.bin(isa.OpAnd, s, v, b.imm(s, 1<<t.bits-1))
}

// signed sign-extends the value of an odd-width integer inside its register.
func (b *builder) signed(t *typ, v *ssa.Value) *ssa.Value {
	if !t.odd() {
		return v
	}
	s := t.scalar()
	n := b.imm(s, uint64(s.Bits()-t.bits))
	return b.bin(isa.OpShrS, s, b.bin(isa.OpShl, s, v, n), n)
}

// each applies g to the components of the result. args holds the operands'
// scalars for one component.
func (b *builder) each(in spirv.Inst, g func(ct *typ, args []*ssa.Value) *ssa.Value) {
	t := b.m.typeOf(in.ResultType())
	ops := in.Operands()
	var few [3][]*ssa.Value
	vals := few[:0]
	for i, w := range ops {
		v, _ := b.vals(spirv.ID(w))
		vals = append(vals, v)
		if len(v) != t.flat {
			b.fail("operand %d has %d components, the result %d", i, len(v), t.flat)
		}
	}
	args := make([]*ssa.Value, len(ops), 4)
	ct := t.component()
	if t.flat == 1 {
		for i := range ops {
			args[i] = vals[i][0]
		}
		b.set1(in, g(ct, args))
		return
	}
	out := make([]*ssa.Value, t.flat)
	for c := range out {
		for i := range ops {
			args[i] = vals[i][c]
		}
		out[c] = g(ct, args)
	}
	b.set(in, out...)
}

// set gives an instruction of the function body at hand its scalars.
func (b *builder) set(in spirv.Inst, vals ...*ssa.Value) {
	if vals == nil {
		vals = noValues
	}
	b.env[b.m.x.At(in.ResultID())-b.envFirst] = vals
}

// set1 is set for a single scalar.
func (b *builder) set1(in spirv.Inst, v *ssa.Value) {
	if len(b.singles) == 0 {
		b.singles = make([]*ssa.Value, 1024)
	}
	b.singles[0] = v
	b.set(in, b.singles[:1:1]...)
	b.singles = b.singles[1:]
}

// noValues are the scalars of what has none.
var noValues = []*ssa.Value{}

// operandType returns the type of operand i's components.
func (b *builder) operandType(in spirv.Inst, i int) *typ {
	return b.m.typeOf(b.m.x.TypeOf(spirv.ID(in.Operand(i)))).component()
}

// intBin has the two-operand integer instructions that are one instruction of
// the bytecode; signed ones see sign-extended odd widths.
var intBin = map[spirv.Op]struct {
	op     isa.Op
	signed bool
}{
	spirv.OpIAdd: {isa.OpAdd, false}, spirv.OpISub: {isa.OpSub, false}, spirv.OpIMul: {isa.OpMul, false},
	spirv.OpUDiv: {isa.OpDivU, false}, spirv.OpSDiv: {isa.OpDivS, true}, spirv.OpUMod: {isa.OpRemU, false},
	spirv.OpSRem: {isa.OpRemS, true}, spirv.OpSMod: {isa.OpModS, true},
	spirv.OpBitwiseAnd: {isa.OpAnd, false}, spirv.OpBitwiseOr: {isa.OpOr, false}, spirv.OpBitwiseXor: {isa.OpXor, false},
}

var floatBin = map[spirv.Op]isa.Op{
	spirv.OpFAdd: isa.OpFAdd, spirv.OpFSub: isa.OpFSub, spirv.OpFMul: isa.OpFMul, spirv.OpFDiv: isa.OpFDiv,
	spirv.OpFRem: isa.OpFRem, spirv.OpFMod: isa.OpFMod,
}

// intCmp has the integer comparisons; swap exchanges the operands.
var intCmp = map[spirv.Op]struct {
	op           isa.Op
	signed, swap bool
}{
	spirv.OpIEqual: {isa.OpEq, false, false}, spirv.OpINotEqual: {isa.OpNe, false, false},
	spirv.OpSLessThan: {isa.OpLtS, true, false}, spirv.OpSLessThanEqual: {isa.OpLeS, true, false},
	spirv.OpSGreaterThan: {isa.OpLtS, true, true}, spirv.OpSGreaterThanEqual: {isa.OpLeS, true, true},
	spirv.OpULessThan: {isa.OpLtU, false, false}, spirv.OpULessThanEqual: {isa.OpLeU, false, false},
	spirv.OpUGreaterThan: {isa.OpLtU, false, true}, spirv.OpUGreaterThanEqual: {isa.OpLeU, false, true},
	spirv.OpPtrEqual: {isa.OpEq, false, false}, spirv.OpPtrNotEqual: {isa.OpNe, false, false},
}

var floatCmp = map[spirv.Op]struct {
	op   isa.Op
	swap bool
}{
	spirv.OpFOrdEqual: {isa.OpFOEq, false}, spirv.OpFUnordEqual: {isa.OpFUEq, false},
	spirv.OpFOrdNotEqual: {isa.OpFONe, false}, spirv.OpFUnordNotEqual: {isa.OpFUNe, false},
	spirv.OpFOrdLessThan: {isa.OpFOLt, false}, spirv.OpFUnordLessThan: {isa.OpFULt, false},
	spirv.OpFOrdGreaterThan: {isa.OpFOLt, true}, spirv.OpFUnordGreaterThan: {isa.OpFULt, true},
	spirv.OpFOrdLessThanEqual: {isa.OpFOLe, false}, spirv.OpFUnordLessThanEqual: {isa.OpFULe, false},
	spirv.OpFOrdGreaterThanEqual: {isa.OpFOLe, true}, spirv.OpFUnordGreaterThanEqual: {isa.OpFULe, true},
	spirv.OpOrdered: {isa.OpFOrd, false}, spirv.OpUnordered: {isa.OpFUno, false}, spirv.OpLessOrGreater: {isa.OpFONe, false},
}

// fop makes a float operation; half precision is computed in single, where
// the results of these operations round back to the right half.
func (b *builder) fop(op isa.Op, t isa.Type, args ...*ssa.Value) *ssa.Value {
	if t != isa.F16 {
		return b.emit(op, t, t, args...)
	}
	if op == isa.OpFNeg || op == isa.OpFAbs || op == isa.OpCopySign {
		return b.emit(op, t, t, args...)
	}
	wide := make([]*ssa.Value, len(args))
	for i, a := range args {
		wide[i] = b.conv(isa.OpFToF, isa.F32, isa.F16, a)
	}
	return b.conv(isa.OpFToF, isa.F16, isa.F32, b.emit(op, isa.F32, isa.F32, wide...))
}

// fcmp makes a float comparison.
func (b *builder) fcmp(op isa.Op, t isa.Type, x, y *ssa.Value) *ssa.Value {
	if t == isa.F16 {
		t = isa.F32
		x, y = b.conv(isa.OpFToF, t, isa.F16, x), b.conv(isa.OpFToF, t, isa.F16, y)
	}
	return b.cmp(op, t, x, y)
}

// arith reads an instruction that one of the tables above has.
func (b *builder) arith(in spirv.Inst) {
	op := in.Op()
	if x, ok := intBin[op]; ok {
		wraps := b.noWrap(in)
		b.each(in, func(ct *typ, a []*ssa.Value) *ssa.Value {
			x0, x1 := a[0], a[1]
			if x.signed {
				x0, x1 = b.signed(ct, x0), b.signed(ct, x1)
			}
			b.checkWrap(x.op, ct, wraps, x0, x1)
			return b.norm(ct, b.exact(x.op, ct, wraps, x0, x1))
		})
		if op == spirv.OpSDiv {
			b.checkDifference(in)
		}
		return
	}
	if x, ok := floatBin[op]; ok {
		b.each(in, func(ct *typ, a []*ssa.Value) *ssa.Value { return b.fop(x, ct.scalar(), a[0], a[1]) })
		return
	}
	if x, ok := intCmp[op]; ok {
		ot := b.operandType(in, 0)
		b.each(in, func(_ *typ, a []*ssa.Value) *ssa.Value {
			x0, x1 := a[0], a[1]
			if x.signed {
				x0, x1 = b.signed(ot, x0), b.signed(ot, x1)
			}
			if ot.kind == kindPointer {
				x0, x1 = b.addressOf(x0), b.addressOf(x1)
			}
			if x.swap {
				x0, x1 = x1, x0
			}
			return b.cmp(x.op, ot.scalar(), x0, x1)
		})
		return
	}
	if x, ok := floatCmp[op]; ok {
		ot := b.operandType(in, 0)
		b.each(in, func(_ *typ, a []*ssa.Value) *ssa.Value {
			x0, x1 := a[0], a[1]
			if x.swap {
				x0, x1 = x1, x0
			}
			return b.fcmp(x.op, ot.scalar(), x0, x1)
		})
		return
	}
}

// inst reads one instruction that is neither a phi nor a terminator.
func (b *builder) inst(in spirv.Inst) {
	b.refuseArithmetic(in)
	if r := b.m.opt.Reader(in.Op()); r != nil {
		r(b, in)
		return
	}
	b.m.unsupported(in, in.Op(), "")
}

// undef reads OpUndef.
func (b *builder) undef(in spirv.Inst) {
	t := b.m.typeOf(in.ResultType())
	if t.flat > maxFlat {
		b.fail("a value of more than %d scalars does not fit in registers", maxFlat)
	}
	b.spend(t.flat)
	b.set(in, b.undefined(in, t)...)
}

// negate reads OpSNegate.
func (b *builder) negate(in spirv.Inst) {
	wraps := b.noWrap(in)
	b.each(in, func(ct *typ, a []*ssa.Value) *ssa.Value {
		b.checkWrap(isa.OpNeg, ct, wraps, a[0])
		return b.norm(ct, b.un(isa.OpNeg, ct.scalar(), a[0]))
	})
}

// vectorTimesScalar reads OpVectorTimesScalar.
func (b *builder) vectorTimesScalar(in spirv.Inst) {
	v, t := b.vals(spirv.ID(in.Operand(0)))
	s, _ := b.one(spirv.ID(in.Operand(1)))
	out := make([]*ssa.Value, len(v))
	for i := range v {
		out[i] = b.fop(isa.OpFMul, t.component().scalar(), v[i], s)
	}
	b.set(in, out...)
}

// sizeOf reads OpSizeOf: the size of what a pointer points to, which its type says. The operand may be that type.
func (b *builder) sizeOf(in spirv.Inst) {
	pt := spirv.ID(in.Operand(0))
	if v := b.m.x.TypeOf(pt); v != 0 {
		pt = v
	}
	b.set1(in, b.imm(isa.I32, b.typeAt(b.m.typeOf(pt)).size))
}

// anyAll reads OpAny and OpAll.
func (b *builder) anyAll(in spirv.Inst) {
	v, vt := b.vals(spirv.ID(in.Operand(0)))
	if ct := vt.component(); ct.kind == kindInt {
		// As OpenCL C has any and all: the sign bit counts.
		v = append([]*ssa.Value(nil), v...)
		for i := range v {
			v[i] = b.cmp(isa.OpLtS, ct.scalar(), b.signed(ct, v[i]), b.imm(ct.scalar(), 0))
		}
	}
	o := isa.OpOr
	if in.Op() == spirv.OpAll {
		o = isa.OpAnd
	}
	r := v[0]
	for _, x := range v[1:] {
		r = b.bin(o, isa.B1, r, x)
	}
	b.set1(in, r)
}

// resize zero-extends or truncates an integer to another register width.
func (b *builder) resize(v *ssa.Value, from, to isa.Type) *ssa.Value {
	switch {
	case from.Bits() < to.Bits():
		return b.conv(isa.OpZExt, to, from, v)
	case from.Bits() > to.Bits():
		return b.conv(isa.OpTruncate, to, from, v)
	}
	return v
}

// NoWrap returns what the module promises of the result of in.
func (b *builder) noWrap(in spirv.Inst) (w ssa.NoWrap) {
	if b.m.decorated(in.ResultID(), spirv.DecorationNoSignedWrap) {
		w |= ssa.NoSignedWrap
	}
	if b.m.decorated(in.ResultID(), spirv.DecorationNoUnsignedWrap) {
		w |= ssa.NoUnsignedWrap
	}
	return w
}

// exact makes an integer operation with a promise about its result. Integers of
// other widths than those of registers wrap elsewhere than their registers do.
func (b *builder) exact(op isa.Op, t *typ, w ssa.NoWrap, x, y *ssa.Value) *ssa.Value {
	v := b.f.NewValue(op, t.scalar(), t.scalar(), x, y)
	if !t.odd() {
		v.Wraps = w
	}
	return b.add(v)
}

func (b *builder) shift(in spirv.Inst) {
	t := b.m.typeOf(in.ResultType())
	x, _ := b.vals(spirv.ID(in.Operand(0)))
	n, nt := b.vals(spirv.ID(in.Operand(1)))
	ct := t.component()
	s := ct.scalar()
	if len(x) != len(n) {
		b.fail("the operands have %d and %d components", len(x), len(n))
	}
	wraps := b.noWrap(in)
	out := make([]*ssa.Value, len(x))
	for i := range x {
		amount := b.resize(n[i], nt.component().scalar(), s)
		switch in.Op() {
		case spirv.OpShiftLeftLogical:
			b.checkWrap(isa.OpShl, ct, wraps, x[i], amount)
			out[i] = b.norm(ct, b.exact(isa.OpShl, ct, wraps, x[i], amount))
		case spirv.OpShiftRightLogical:
			out[i] = b.bin(isa.OpShrU, s, x[i], amount)
		default:
			out[i] = b.norm(ct, b.bin(isa.OpShrS, s, b.signed(ct, x[i]), amount))
		}
	}
	b.set(in, out...)
	if in.Op() == spirv.OpShiftRightArithmetic {
		b.checkDifference(in)
	}
}

func (b *builder) bitField(in spirv.Inst) {
	t := b.m.typeOf(in.ResultType())
	ct := t.component()
	s := ct.scalar()
	scalarAt := func(i int) *ssa.Value {
		v, vt := b.one(spirv.ID(in.Operand(i)))
		return b.resize(v, vt.scalar(), s)
	}
	base, _ := b.vals(spirv.ID(in.Operand(0)))
	out := make([]*ssa.Value, len(base))
	if in.Op() == spirv.OpBitFieldInsert {
		ins, _ := b.vals(spirv.ID(in.Operand(1)))
		off, n := scalarAt(2), scalarAt(3)
		for i := range base {
			out[i] = b.norm(ct, b.emit(isa.OpBitInsert, s, s, base[i], ins[i], off, n))
		}
	} else {
		off, n := scalarAt(1), scalarAt(2)
		op := isa.OpBitExtractU
		if in.Op() == spirv.OpBitFieldSExtract {
			op = isa.OpBitExtractS
		}
		for i := range base {
			out[i] = b.norm(ct, b.emit(op, s, s, base[i], off, n))
		}
	}
	b.set(in, out...)
}

// extended reads the instructions whose result is a structure of two: sum and
// carry, difference and borrow, low and high half of a product.
func (b *builder) extended(in spirv.Inst) {
	x, t := b.vals(spirv.ID(in.Operand(0)))
	y, _ := b.vals(spirv.ID(in.Operand(1)))
	ct := t.component()
	s := ct.scalar()
	if ct.odd() {
		b.fail("integers of %d bits are not supported here", ct.bits)
	}
	n := len(x)
	out := make([]*ssa.Value, 2*n)
	for i := range x {
		one, zero := b.imm(s, 1), b.imm(s, 0)
		switch in.Op() {
		case spirv.OpIAddCarry:
			out[i] = b.bin(isa.OpAdd, s, x[i], y[i])
			out[n+i] = b.sel(s, b.cmp(isa.OpLtU, s, out[i], x[i]), one, zero)
		case spirv.OpISubBorrow:
			out[i] = b.bin(isa.OpSub, s, x[i], y[i])
			out[n+i] = b.sel(s, b.cmp(isa.OpLtU, s, x[i], y[i]), one, zero)
		case spirv.OpUMulExtended:
			out[i] = b.bin(isa.OpMul, s, x[i], y[i])
			out[n+i] = b.bin(isa.OpMulHiU, s, x[i], y[i])
		default:
			out[i] = b.bin(isa.OpMul, s, x[i], y[i])
			out[n+i] = b.bin(isa.OpMulHiS, s, x[i], y[i])
		}
	}
	b.set(in, out...)
}

// dot is the sum of the products in order, each operation rounded.
func (b *builder) dot(t isa.Type, x, y []*ssa.Value) *ssa.Value {
	sum := b.fop(isa.OpFMul, t, x[0], y[0])
	for i := 1; i < len(x); i++ {
		sum = b.fop(isa.OpFAdd, t, sum, b.fop(isa.OpFMul, t, x[i], y[i]))
	}
	return sum
}

func (b *builder) selectInst(in spirv.Inst) {
	t := b.m.typeOf(in.ResultType())
	c, _ := b.vals(spirv.ID(in.Operand(0)))
	x, _ := b.vals(spirv.ID(in.Operand(1)))
	y, _ := b.vals(spirv.ID(in.Operand(2)))
	out := make([]*ssa.Value, 0, t.flat)
	t.leaves(0, func(l leaf) {
		i := len(out)
		cond := c[0]
		if len(c) > 1 {
			cond = c[i]
		}
		out = append(out, b.sel(l.t.scalar(), cond, x[i], y[i]))
	})
	b.set(in, out...)
}

// classify tests a float's bits.
func (b *builder) classify(op spirv.Op, t isa.Type, x *ssa.Value) *ssa.Value {
	it := isa.IntOf(t.Bits())
	var inf, minNormal uint64
	switch t {
	case isa.F16:
		inf, minNormal = 0x7c00, 0x0400
	case isa.F32:
		inf, minNormal = 0x7f800000, 0x00800000
	default:
		inf, minNormal = 0x7ff0000000000000, 0x0010000000000000
	}
	if op == spirv.OpSignBitSet {
		return b.cmp(isa.OpLtS, it, x, b.imm(it, 0))
	}
	abs := b.bin(isa.OpAnd, it, x, b.imm(it, 1<<(t.Bits()-1)-1))
	switch op {
	case spirv.OpIsInf:
		return b.cmp(isa.OpEq, it, abs, b.imm(it, inf))
	case spirv.OpIsFinite:
		return b.cmp(isa.OpLtU, it, abs, b.imm(it, inf))
	}
	return b.cmp(isa.OpLtU, it, b.bin(isa.OpSub, it, abs, b.imm(it, minNormal)), b.imm(it, inf-minNormal))
}

// composite reads the instructions that take values apart and put them together.
func (b *builder) composite(in spirv.Inst) {
	t := b.m.typeOf(in.ResultType())
	ops := in.Operands()
	if t.flat > maxFlat {
		b.fail("a value of more than %d scalars does not fit in registers", maxFlat)
	}
	b.spend(t.flat)
	switch in.Op() {
	case spirv.OpCompositeConstructReplicateEXT:
		v, _ := b.vals(spirv.ID(ops[0]))
		b.set(in, b.replicated(t, v)...)
	case spirv.OpCopyObject, spirv.OpCopyLogical, spirv.OpFreezeKHR, spirv.OpExpectKHR, spirv.OpArithmeticFenceEXT, spirv.OpFPGARegALTERA,
		spirv.OpPtrCastToCrossWorkgroupALTERA, spirv.OpCrossWorkgroupCastToPtrALTERA:
		v, _ := b.vals(spirv.ID(ops[0]))
		b.set(in, v...)
	case spirv.OpCompositeConstruct:
		var out []*ssa.Value
		for _, w := range ops {
			v, _ := b.vals(spirv.ID(w))
			out = append(out, v...)
		}
		if t.kind == kindMatrix && len(out) == 1 {
			out = b.replicated(t, out)
		}
		if len(out) != t.flat {
			b.fail("has %d scalars, its type %d", len(out), t.flat)
		}
		b.set(in, out...)
	case spirv.OpCompositeExtract:
		v, vt := b.vals(spirv.ID(ops[0]))
		if vt.kind == kindVector && len(ops) == 2 && int64(ops[1]) >= int64(vt.count) {
			b.set1(in, b.beyond(spirv.ID(ops[0]), vt.component().scalar()))
			return
		}
		at, e := b.path(vt, ops[1:])
		b.set(in, v[at:at+e.flat]...)
	case spirv.OpCompositeInsert:
		obj, _ := b.vals(spirv.ID(ops[0]))
		v, vt := b.vals(spirv.ID(ops[1]))
		at, e := b.path(vt, ops[2:])
		if len(obj) != e.flat {
			b.fail("the object has %d scalars, its place %d", len(obj), e.flat)
		}
		out := append([]*ssa.Value(nil), v...)
		copy(out[at:], obj)
		b.set(in, out...)
	case spirv.OpVectorShuffle:
		x, _ := b.vals(spirv.ID(ops[0]))
		y, _ := b.vals(spirv.ID(ops[1]))
		s := t.component().scalar()
		out := make([]*ssa.Value, 0, len(ops)-2)
		for _, c := range ops[2:] {
			switch {
			case c == 0xffffffff:
				out = append(out, b.undefinedScalar(s, in))
			case int(c) < len(x):
				out = append(out, x[c])
			case int(c)-len(x) < len(y):
				out = append(out, y[int(c)-len(x)])
			default:
				b.fail("component %d is out of range", c)
			}
		}
		b.set(in, out...)
	case spirv.OpVectorExtractDynamic:
		v, vt := b.vals(spirv.ID(ops[0]))
		i, it := b.one(spirv.ID(ops[1]))
		b.checkComponent(spirv.ID(ops[0]), vt, i, it)
		s := vt.component().scalar()
		// An index out of range is undefined, and gives the last component, but in a built-in variable.
		last := len(v) - 1
		r := v[last]
		if _, ok := b.inputs[spirv.ID(ops[0])]; ok {
			r, last = b.beyond(spirv.ID(ops[0]), s), len(v)
		}
		for c := last - 1; c >= 0; c-- {
			r = b.sel(s, b.cmp(isa.OpEq, it.scalar(), i, b.imm(it.scalar(), uint64(c))), v[c], r)
		}
		b.set1(in, r)
	case spirv.OpVectorInsertDynamic:
		v, vt := b.vals(spirv.ID(ops[0]))
		x, _ := b.one(spirv.ID(ops[1]))
		i, it := b.one(spirv.ID(ops[2]))
		b.checkComponent(0, vt, i, it)
		s := vt.component().scalar()
		out := make([]*ssa.Value, len(v))
		for c := range v {
			out[c] = b.sel(s, b.cmp(isa.OpEq, it.scalar(), i, b.imm(it.scalar(), uint64(c))), x, v[c])
		}
		b.set(in, out...)
	}
}

// replicated returns the scalars of a composite whose constituents are all the same.
func (b *builder) replicated(t *typ, v []*ssa.Value) []*ssa.Value {
	if len(v) == 0 || t.flat%len(v) != 0 || t.flat/len(v) != t.constituents() {
		b.fail("the constituent has %d scalars, its composite %d", len(v), t.flat)
	}
	out := make([]*ssa.Value, 0, t.flat)
	for len(out) < t.flat {
		out = append(out, v...)
	}
	return out
}

// path follows literal indexes into t: the number of scalars ahead and the type there.
func (b *builder) path(t *typ, indexes []uint32) (at int, e *typ) {
	e = t
	for _, i := range indexes {
		next, _, flat, ok := e.step(uint64(i))
		if !ok {
			b.fail("index %d is out of range", i)
		}
		at += flat
		e = next
	}
	return at, e
}

// reader turns an instruction of a function body into bytecode.
type reader func(*builder, spirv.Inst)
