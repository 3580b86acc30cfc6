package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Norm brings the value of an odd-width integer back to its width: such values
// are kept zero-extended in the next wider register.
func (b *Builder) Norm(t *Type, v *ssa.Value) *ssa.Value {
	if !t.Odd() {
		return v
	}
	s := t.Scalar()
	return b.Bin(isa.OpAnd, s, v, b.Imm(s, 1<<t.Bits-1))
}

// Signed sign-extends the value of an odd-width integer inside its register.
func (b *Builder) Signed(t *Type, v *ssa.Value) *ssa.Value {
	if !t.Odd() {
		return v
	}
	s := t.Scalar()
	n := b.Imm(s, uint64(s.Bits()-t.Bits))
	return b.Bin(isa.OpShrS, s, b.Bin(isa.OpShl, s, v, n), n)
}

// Each applies g to the components of the result. args holds the operands'
// scalars for one component.
func (b *Builder) Each(in spirv.Inst, g func(ct *Type, args []*ssa.Value) *ssa.Value) {
	t := b.Module.TypeOf(in.ResultType())
	ops := in.Operands()
	var few [3][]*ssa.Value
	vals := few[:0]
	for i, w := range ops {
		v, _ := b.Vals(spirv.ID(w))
		vals = append(vals, v)
		if len(v) != t.Flat {
			b.Fail("operand %d has %d components, the result %d", i, len(v), t.Flat)
		}
	}
	args := make([]*ssa.Value, len(ops), 4)
	ct := t.Component()
	if t.Flat == 1 {
		for i := range ops {
			args[i] = vals[i][0]
		}
		b.SetOne(in, g(ct, args))
		return
	}
	out := make([]*ssa.Value, t.Flat)
	for c := range out {
		for i := range ops {
			args[i] = vals[i][c]
		}
		out[c] = g(ct, args)
	}
	b.Set(in, out...)
}

// Set gives an instruction of the function body at hand its scalars.
func (b *Builder) Set(in spirv.Inst, vals ...*ssa.Value) {
	if vals == nil {
		vals = noValues
	}
	b.env[b.Module.Index.At(in.ResultID())-b.envFirst] = vals
}

// SetOne is set for a single scalar.
func (b *Builder) SetOne(in spirv.Inst, v *ssa.Value) {
	if len(b.singles) == 0 {
		b.singles = make([]*ssa.Value, 1024)
	}
	b.singles[0] = v
	b.Set(in, b.singles[:1:1]...)
	b.singles = b.singles[1:]
}

// noValues are the scalars of what has none.
var noValues = []*ssa.Value{}

// OperandType returns the type of operand i's components.
func (b *Builder) OperandType(in spirv.Inst, i int) *Type {
	return b.Module.TypeOf(b.Module.Index.TypeOf(spirv.ID(in.Operand(i)))).Component()
}

// IntBin has the two-operand integer instructions that are one instruction of
// the bytecode; signed ones see sign-extended odd widths.
var IntBin = map[spirv.Op]struct {
	op     isa.Op
	signed bool
}{
	spirv.OpIAdd: {isa.OpAdd, false}, spirv.OpISub: {isa.OpSub, false}, spirv.OpIMul: {isa.OpMul, false},
	spirv.OpUDiv: {isa.OpDivU, false}, spirv.OpSDiv: {isa.OpDivS, true}, spirv.OpUMod: {isa.OpRemU, false},
	spirv.OpSRem: {isa.OpRemS, true}, spirv.OpSMod: {isa.OpModS, true},
	spirv.OpBitwiseAnd: {isa.OpAnd, false}, spirv.OpBitwiseOr: {isa.OpOr, false}, spirv.OpBitwiseXor: {isa.OpXor, false},
}

// FloatBin has the operations on two floats.
var FloatBin = map[spirv.Op]isa.Op{
	spirv.OpFAdd: isa.OpFAdd, spirv.OpFSub: isa.OpFSub, spirv.OpFMul: isa.OpFMul, spirv.OpFDiv: isa.OpFDiv,
	spirv.OpFRem: isa.OpFRem, spirv.OpFMod: isa.OpFMod,
}

// IntCmp has the integer comparisons; swap exchanges the operands.
var IntCmp = map[spirv.Op]struct {
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

// FloatCmp has the comparisons of floats.
var FloatCmp = map[spirv.Op]struct {
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

// FOp makes a float operation; half precision is computed in single, where
// the results of these operations round back to the right half.
func (b *Builder) FOp(op isa.Op, t isa.Type, args ...*ssa.Value) *ssa.Value {
	if t != isa.F16 {
		return b.Emit(op, t, t, args...)
	}
	if op == isa.OpFNeg || op == isa.OpFAbs || op == isa.OpCopySign {
		return b.Emit(op, t, t, args...)
	}
	wide := make([]*ssa.Value, len(args))
	for i, a := range args {
		wide[i] = b.Conv(isa.OpFToF, isa.F32, isa.F16, a)
	}
	return b.Conv(isa.OpFToF, isa.F16, isa.F32, b.Emit(op, isa.F32, isa.F32, wide...))
}

// FCmp makes a float comparison.
func (b *Builder) FCmp(op isa.Op, t isa.Type, x, y *ssa.Value) *ssa.Value {
	if t == isa.F16 {
		t = isa.F32
		x, y = b.Conv(isa.OpFToF, t, isa.F16, x), b.Conv(isa.OpFToF, t, isa.F16, y)
	}
	return b.Cmp(op, t, x, y)
}

// Arith reads an instruction that one of the tables above has.
func (b *Builder) Arith(in spirv.Inst) {
	op := in.Op()
	if x, ok := IntBin[op]; ok {
		wraps := b.noWrap(in)
		b.Each(in, func(ct *Type, a []*ssa.Value) *ssa.Value {
			x0, x1 := a[0], a[1]
			if x.signed {
				x0, x1 = b.Signed(ct, x0), b.Signed(ct, x1)
			}
			b.checkWrap(x.op, ct, wraps, x0, x1)
			return b.Norm(ct, b.exact(x.op, ct, wraps, x0, x1))
		})
		if op == spirv.OpSDiv {
			b.checkDifference(in)
		}
		return
	}
	if x, ok := FloatBin[op]; ok {
		b.Each(in, func(ct *Type, a []*ssa.Value) *ssa.Value { return b.FOp(x, ct.Scalar(), a[0], a[1]) })
		return
	}
	if x, ok := IntCmp[op]; ok {
		ot := b.OperandType(in, 0)
		b.Each(in, func(_ *Type, a []*ssa.Value) *ssa.Value {
			x0, x1 := a[0], a[1]
			if x.signed {
				x0, x1 = b.Signed(ot, x0), b.Signed(ot, x1)
			}
			if ot.Kind == KindPointer {
				x0, x1 = b.AddressOf(x0), b.AddressOf(x1)
			}
			if x.swap {
				x0, x1 = x1, x0
			}
			return b.Cmp(x.op, ot.Scalar(), x0, x1)
		})
		return
	}
	if x, ok := FloatCmp[op]; ok {
		ot := b.OperandType(in, 0)
		b.Each(in, func(_ *Type, a []*ssa.Value) *ssa.Value {
			x0, x1 := a[0], a[1]
			if x.swap {
				x0, x1 = x1, x0
			}
			return b.FCmp(x.op, ot.Scalar(), x0, x1)
		})
		return
	}
}

// inst reads one instruction that is neither a phi nor a terminator.
func (b *Builder) inst(in spirv.Inst) {
	b.refuseArithmetic(in)
	if r := b.Module.Options.Reader(in.Op()); r != nil {
		r(b, in)
		return
	}
	b.Module.unsupported(in, in.Op(), "")
}

// Undef reads OpUndef.
func (b *Builder) Undef(in spirv.Inst) {
	t := b.Module.TypeOf(in.ResultType())
	if t.Flat > MaxFlat {
		b.Fail("a value of more than %d scalars does not fit in registers", MaxFlat)
	}
	b.Spend(t.Flat)
	b.Set(in, b.undefined(in, t)...)
}

// Negate reads OpSNegate.
func (b *Builder) Negate(in spirv.Inst) {
	wraps := b.noWrap(in)
	b.Each(in, func(ct *Type, a []*ssa.Value) *ssa.Value {
		b.checkWrap(isa.OpNeg, ct, wraps, a[0])
		return b.Norm(ct, b.Un(isa.OpNeg, ct.Scalar(), a[0]))
	})
}

// VectorTimesScalar reads OpVectorTimesScalar.
func (b *Builder) VectorTimesScalar(in spirv.Inst) {
	v, t := b.Vals(spirv.ID(in.Operand(0)))
	s, _ := b.One(spirv.ID(in.Operand(1)))
	out := make([]*ssa.Value, len(v))
	for i := range v {
		out[i] = b.FOp(isa.OpFMul, t.Component().Scalar(), v[i], s)
	}
	b.Set(in, out...)
}

// SizeOf reads OpSizeOf: the size of what a pointer points to, which its type says. The operand may be that type.
func (b *Builder) SizeOf(in spirv.Inst) {
	pt := spirv.ID(in.Operand(0))
	if v := b.Module.Index.TypeOf(pt); v != 0 {
		pt = v
	}
	b.SetOne(in, b.Imm(isa.I32, b.typeAt(b.Module.TypeOf(pt)).Size))
}

// AnyAll reads OpAny and OpAll.
func (b *Builder) AnyAll(in spirv.Inst) {
	v, vt := b.Vals(spirv.ID(in.Operand(0)))
	if ct := vt.Component(); ct.Kind == KindInt {
		// As OpenCL C has any and all: the sign bit counts.
		v = append([]*ssa.Value(nil), v...)
		for i := range v {
			v[i] = b.Cmp(isa.OpLtS, ct.Scalar(), b.Signed(ct, v[i]), b.Imm(ct.Scalar(), 0))
		}
	}
	o := isa.OpOr
	if in.Op() == spirv.OpAll {
		o = isa.OpAnd
	}
	r := v[0]
	for _, x := range v[1:] {
		r = b.Bin(o, isa.B1, r, x)
	}
	b.SetOne(in, r)
}

// Resize zero-extends or truncates an integer to another register width.
func (b *Builder) Resize(v *ssa.Value, from, to isa.Type) *ssa.Value {
	switch {
	case from.Bits() < to.Bits():
		return b.Conv(isa.OpZExt, to, from, v)
	case from.Bits() > to.Bits():
		return b.Conv(isa.OpTruncate, to, from, v)
	}
	return v
}

// NoWrap returns what the module promises of the result of in.
func (b *Builder) noWrap(in spirv.Inst) (w ssa.NoWrap) {
	if b.Module.Decorated(in.ResultID(), spirv.DecorationNoSignedWrap) {
		w |= ssa.NoSignedWrap
	}
	if b.Module.Decorated(in.ResultID(), spirv.DecorationNoUnsignedWrap) {
		w |= ssa.NoUnsignedWrap
	}
	return w
}

// exact makes an integer operation with a promise about its result. Integers of
// other widths than those of registers wrap elsewhere than their registers do.
func (b *Builder) exact(op isa.Op, t *Type, w ssa.NoWrap, x, y *ssa.Value) *ssa.Value {
	v := b.Func.NewValue(op, t.Scalar(), t.Scalar(), x, y)
	if !t.Odd() {
		v.Wraps = w
	}
	return b.Add(v)
}

// Shift reads OpShiftLeftLogical and its kin.
func (b *Builder) Shift(in spirv.Inst) {
	t := b.Module.TypeOf(in.ResultType())
	x, _ := b.Vals(spirv.ID(in.Operand(0)))
	n, nt := b.Vals(spirv.ID(in.Operand(1)))
	ct := t.Component()
	s := ct.Scalar()
	if len(x) != len(n) {
		b.Fail("the operands have %d and %d components", len(x), len(n))
	}
	wraps := b.noWrap(in)
	out := make([]*ssa.Value, len(x))
	for i := range x {
		amount := b.Resize(n[i], nt.Component().Scalar(), s)
		switch in.Op() {
		case spirv.OpShiftLeftLogical:
			b.checkWrap(isa.OpShl, ct, wraps, x[i], amount)
			out[i] = b.Norm(ct, b.exact(isa.OpShl, ct, wraps, x[i], amount))
		case spirv.OpShiftRightLogical:
			out[i] = b.Bin(isa.OpShrU, s, x[i], amount)
		default:
			out[i] = b.Norm(ct, b.Bin(isa.OpShrS, s, b.Signed(ct, x[i]), amount))
		}
	}
	b.Set(in, out...)
	if in.Op() == spirv.OpShiftRightArithmetic {
		b.checkDifference(in)
	}
}

// BitField reads OpBitFieldInsert, OpBitFieldSExtract and OpBitFieldUExtract.
func (b *Builder) BitField(in spirv.Inst) {
	t := b.Module.TypeOf(in.ResultType())
	ct := t.Component()
	s := ct.Scalar()
	scalarAt := func(i int) *ssa.Value {
		v, vt := b.One(spirv.ID(in.Operand(i)))
		return b.Resize(v, vt.Scalar(), s)
	}
	base, _ := b.Vals(spirv.ID(in.Operand(0)))
	out := make([]*ssa.Value, len(base))
	if in.Op() == spirv.OpBitFieldInsert {
		ins, _ := b.Vals(spirv.ID(in.Operand(1)))
		off, n := scalarAt(2), scalarAt(3)
		for i := range base {
			out[i] = b.Norm(ct, b.Emit(isa.OpBitInsert, s, s, base[i], ins[i], off, n))
		}
	} else {
		off, n := scalarAt(1), scalarAt(2)
		op := isa.OpBitExtractU
		if in.Op() == spirv.OpBitFieldSExtract {
			op = isa.OpBitExtractS
		}
		for i := range base {
			out[i] = b.Norm(ct, b.Emit(op, s, s, base[i], off, n))
		}
	}
	b.Set(in, out...)
}

// Extended reads the instructions whose result is a structure of two: sum and
// carry, difference and borrow, low and high half of a product.
func (b *Builder) Extended(in spirv.Inst) {
	x, t := b.Vals(spirv.ID(in.Operand(0)))
	y, _ := b.Vals(spirv.ID(in.Operand(1)))
	ct := t.Component()
	s := ct.Scalar()
	if ct.Odd() {
		b.Fail("integers of %d bits are not supported here", ct.Bits)
	}
	n := len(x)
	out := make([]*ssa.Value, 2*n)
	for i := range x {
		one, zero := b.Imm(s, 1), b.Imm(s, 0)
		switch in.Op() {
		case spirv.OpIAddCarry:
			out[i] = b.Bin(isa.OpAdd, s, x[i], y[i])
			out[n+i] = b.Sel(s, b.Cmp(isa.OpLtU, s, out[i], x[i]), one, zero)
		case spirv.OpISubBorrow:
			out[i] = b.Bin(isa.OpSub, s, x[i], y[i])
			out[n+i] = b.Sel(s, b.Cmp(isa.OpLtU, s, x[i], y[i]), one, zero)
		case spirv.OpUMulExtended:
			out[i] = b.Bin(isa.OpMul, s, x[i], y[i])
			out[n+i] = b.Bin(isa.OpMulHiU, s, x[i], y[i])
		default:
			out[i] = b.Bin(isa.OpMul, s, x[i], y[i])
			out[n+i] = b.Bin(isa.OpMulHiS, s, x[i], y[i])
		}
	}
	b.Set(in, out...)
}

// Dot is the sum of the products in order, each operation rounded.
func (b *Builder) Dot(t isa.Type, x, y []*ssa.Value) *ssa.Value {
	sum := b.FOp(isa.OpFMul, t, x[0], y[0])
	for i := 1; i < len(x); i++ {
		sum = b.FOp(isa.OpFAdd, t, sum, b.FOp(isa.OpFMul, t, x[i], y[i]))
	}
	return sum
}

// SelectInst reads OpSelect.
func (b *Builder) SelectInst(in spirv.Inst) {
	t := b.Module.TypeOf(in.ResultType())
	c, _ := b.Vals(spirv.ID(in.Operand(0)))
	x, _ := b.Vals(spirv.ID(in.Operand(1)))
	y, _ := b.Vals(spirv.ID(in.Operand(2)))
	out := make([]*ssa.Value, 0, t.Flat)
	t.leaves(0, func(l leaf) {
		i := len(out)
		cond := c[0]
		if len(c) > 1 {
			cond = c[i]
		}
		out = append(out, b.Sel(l.t.Scalar(), cond, x[i], y[i]))
	})
	b.Set(in, out...)
}

// Classify tests a float's bits.
func (b *Builder) Classify(op spirv.Op, t isa.Type, x *ssa.Value) *ssa.Value {
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
		return b.Cmp(isa.OpLtS, it, x, b.Imm(it, 0))
	}
	abs := b.Bin(isa.OpAnd, it, x, b.Imm(it, 1<<(t.Bits()-1)-1))
	switch op {
	case spirv.OpIsInf:
		return b.Cmp(isa.OpEq, it, abs, b.Imm(it, inf))
	case spirv.OpIsFinite:
		return b.Cmp(isa.OpLtU, it, abs, b.Imm(it, inf))
	}
	return b.Cmp(isa.OpLtU, it, b.Bin(isa.OpSub, it, abs, b.Imm(it, minNormal)), b.Imm(it, inf-minNormal))
}

// Composite reads the instructions that take values apart and put them together.
func (b *Builder) Composite(in spirv.Inst) {
	t := b.Module.TypeOf(in.ResultType())
	ops := in.Operands()
	if t.Flat > MaxFlat {
		b.Fail("a value of more than %d scalars does not fit in registers", MaxFlat)
	}
	b.Spend(t.Flat)
	switch in.Op() {
	case spirv.OpCompositeConstructReplicateEXT:
		v, _ := b.Vals(spirv.ID(ops[0]))
		b.Set(in, b.replicated(t, v)...)
	case spirv.OpCopyObject, spirv.OpCopyLogical, spirv.OpFreezeKHR, spirv.OpExpectKHR, spirv.OpArithmeticFenceEXT, spirv.OpFPGARegALTERA,
		spirv.OpPtrCastToCrossWorkgroupALTERA, spirv.OpCrossWorkgroupCastToPtrALTERA:
		v, _ := b.Vals(spirv.ID(ops[0]))
		b.Set(in, v...)
	case spirv.OpCompositeConstruct:
		var out []*ssa.Value
		for _, w := range ops {
			v, _ := b.Vals(spirv.ID(w))
			out = append(out, v...)
		}
		if t.Kind == KindMatrix && len(out) == 1 {
			out = b.replicated(t, out)
		}
		if len(out) != t.Flat {
			b.Fail("has %d scalars, its type %d", len(out), t.Flat)
		}
		b.Set(in, out...)
	case spirv.OpCompositeExtract:
		v, vt := b.Vals(spirv.ID(ops[0]))
		if vt.Kind == KindVector && len(ops) == 2 && int64(ops[1]) >= int64(vt.Count) {
			b.SetOne(in, b.beyond(spirv.ID(ops[0]), vt.Component().Scalar()))
			return
		}
		at, e := b.path(vt, ops[1:])
		b.Set(in, v[at:at+e.Flat]...)
	case spirv.OpCompositeInsert:
		obj, _ := b.Vals(spirv.ID(ops[0]))
		v, vt := b.Vals(spirv.ID(ops[1]))
		at, e := b.path(vt, ops[2:])
		if len(obj) != e.Flat {
			b.Fail("the object has %d scalars, its place %d", len(obj), e.Flat)
		}
		out := append([]*ssa.Value(nil), v...)
		copy(out[at:], obj)
		b.Set(in, out...)
	case spirv.OpVectorShuffle:
		x, _ := b.Vals(spirv.ID(ops[0]))
		y, _ := b.Vals(spirv.ID(ops[1]))
		s := t.Component().Scalar()
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
				b.Fail("component %d is out of range", c)
			}
		}
		b.Set(in, out...)
	case spirv.OpVectorExtractDynamic:
		v, vt := b.Vals(spirv.ID(ops[0]))
		i, it := b.One(spirv.ID(ops[1]))
		b.checkComponent(spirv.ID(ops[0]), vt, i, it)
		s := vt.Component().Scalar()
		// An index out of range is undefined, and gives the last component, but in a built-in variable.
		last := len(v) - 1
		r := v[last]
		if _, ok := b.inputs[spirv.ID(ops[0])]; ok {
			r, last = b.beyond(spirv.ID(ops[0]), s), len(v)
		}
		for c := last - 1; c >= 0; c-- {
			r = b.Sel(s, b.Cmp(isa.OpEq, it.Scalar(), i, b.Imm(it.Scalar(), uint64(c))), v[c], r)
		}
		b.SetOne(in, r)
	case spirv.OpVectorInsertDynamic:
		v, vt := b.Vals(spirv.ID(ops[0]))
		x, _ := b.One(spirv.ID(ops[1]))
		i, it := b.One(spirv.ID(ops[2]))
		b.checkComponent(0, vt, i, it)
		s := vt.Component().Scalar()
		out := make([]*ssa.Value, len(v))
		for c := range v {
			out[c] = b.Sel(s, b.Cmp(isa.OpEq, it.Scalar(), i, b.Imm(it.Scalar(), uint64(c))), x, v[c])
		}
		b.Set(in, out...)
	}
}

// replicated returns the scalars of a composite whose constituents are all the same.
func (b *Builder) replicated(t *Type, v []*ssa.Value) []*ssa.Value {
	if len(v) == 0 || t.Flat%len(v) != 0 || t.Flat/len(v) != t.constituents() {
		b.Fail("the constituent has %d scalars, its composite %d", len(v), t.Flat)
	}
	out := make([]*ssa.Value, 0, t.Flat)
	for len(out) < t.Flat {
		out = append(out, v...)
	}
	return out
}

// path follows literal indexes into t: the number of scalars ahead and the type there.
func (b *Builder) path(t *Type, indexes []uint32) (at int, e *Type) {
	e = t
	for _, i := range indexes {
		next, _, flat, ok := e.step(uint64(i))
		if !ok {
			b.Fail("index %d is out of range", i)
		}
		at += flat
		e = next
	}
	return at, e
}

// Reader turns an instruction of a function body into bytecode.
type Reader func(*Builder, spirv.Inst)
