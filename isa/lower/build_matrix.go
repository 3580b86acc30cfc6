package lower

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Cooperative matrices (SPV_KHR_cooperative_matrix): the lanes of a sub-group hold one together. In row-major order,
// element e belongs to lane e mod S and is its component e div S, where S is the size of whole sub-groups. Each
// element has one lane, whatever the use of the matrix is. Where S does not divide the number of elements, the
// components behind the last element belong to none; loads and products make them zero.
//
// All lanes of a whole sub-group take part in each operation, as the extension demands.

// cell is where component j of a matrix stands, for each lane.
type cell struct {
	e, row, column *ssa.Value // of 32 bits
	exists         *ssa.Value // nil where the component is an element in all lanes
}

// cell returns the place of component j.
func (b *builder) cell(t *typ, j int) cell {
	s, n := uint64(b.m.subgroup), t.columns
	first, all := uint64(j)*s, t.rows*t.columns
	num := func(x uint64) *ssa.Value { return b.imm(isa.I32, x) }
	var x cell
	x.e = b.bin(isa.OpAdd, isa.I32, b.laneID(), num(first))
	if first+s > all {
		x.exists = b.cmp(isa.OpLtU, isa.I32, x.e, num(all))
		x.e = b.bin(isa.OpMinU, isa.I32, x.e, num(all-1))
	}
	switch last := min(first+s, all) - 1; {
	case first/n == last/n: // all lanes are in one row
		x.row = num(first / n)
		x.column = b.bin(isa.OpSub, isa.I32, x.e, num(first/n*n))
	case n == 1:
		x.row, x.column = x.e, num(0)
	default:
		x.row = b.bin(isa.OpDivU, isa.I32, x.e, num(n))
		x.column = b.bin(isa.OpSub, isa.I32, x.e, b.bin(isa.OpMul, isa.I32, x.row, num(n)))
	}
	return x
}

// orZero returns what a component is that may be no element.
func (b *builder) orZero(x cell, s isa.Type, v *ssa.Value) *ssa.Value {
	if x.exists == nil {
		return v
	}
	return b.sel(s, x.exists, v, b.imm(s, 0))
}

// matrix returns the type of an operand that is a cooperative matrix, and the components of the lane.
func (b *builder) matrix(id spirv.ID) ([]*ssa.Value, *typ) {
	v, t := b.vals(id)
	if t.kind != kindMatrix {
		b.fail("operand %%%d is no cooperative matrix", id)
	}
	return v, t
}

// matrixLength reads OpCooperativeMatrixLengthKHR.
func (b *builder) matrixLength(in spirv.Inst) {
	t := b.m.typeOf(spirv.ID(in.Operand(0)))
	if t.kind != kindMatrix {
		b.fail("%%%d is no type of cooperative matrices", in.Operand(0))
	}
	b.set1(in, b.imm(isa.I32, t.count))
}

// matrixMemory reads loads and stores of cooperative matrices.
func (b *builder) matrixMemory(in spirv.Inst) {
	ops := in.Operands()
	offset := &typ{kind: kindInt, bits: 64, flat: 1}
	p, pt := b.one(spirv.ID(ops[0]))
	b.noInput(p)
	var v []*ssa.Value
	var t *typ
	store := in.Op() == spirv.OpCooperativeMatrixStoreKHR
	if store {
		v, t = b.matrix(spirv.ID(ops[1]))
		ops = ops[1:]
	} else if t = b.m.typeOf(in.ResultType()); t.kind != kindMatrix {
		b.fail("the result is no cooperative matrix")
	}
	if len(ops) < 3 {
		b.fail("has no stride")
	}
	layout := spirv.CooperativeMatrixLayout(b.m.constUint(spirv.ID(ops[1])))
	if layout != spirv.CooperativeMatrixLayoutRowMajorKHR && layout != spirv.CooperativeMatrixLayoutColumnMajorKHR {
		b.fail("the layout %s of matrices is not supported", layout)
	}
	stride, st := b.one(spirv.ID(ops[2]))
	stride = b.convertScalar(spirv.OpUConvert, st, offset, 0, false, stride)
	unit := uint64(1) // of a stride through an untyped pointer, bytes
	if e := b.m.pointee(pt); e != nil {
		unit = e.size
	}
	a := memoryAccess(pt, ops[3:])
	if a.align != 0 {
		a.align = min(a.align, t.elem.align) // the promise is of the pointer, not of each element
	}
	out := make([]*ssa.Value, t.flat)
	wide := func(x *ssa.Value) *ssa.Value { return b.conv(isa.OpZExt, isa.I64, isa.I32, x) }
	for j := range out {
		x := b.cell(t, j)
		line, within := x.row, x.column
		if layout == spirv.CooperativeMatrixLayoutColumnMajorKHR {
			line, within = within, line
		}
		access := func() []*ssa.Value {
			q := b.index(p, b.bin(isa.OpMul, isa.I64, wide(line), stride), offset, unit)
			q = b.index(q, wide(within), offset, t.elem.size)
			if store {
				b.store(q, t.elem, v[j:j+1], a)
				return nil
			}
			return b.load(q, t.elem, a)
		}
		switch {
		case x.exists == nil:
			v := access()
			if !store {
				out[j] = v[0]
			}
		case store:
			b.when(x.exists, access, nil)
		default:
			out[j] = b.when(x.exists, access, []*ssa.Value{b.imm(t.elem.scalar(), 0)})[0]
		}
	}
	if !store {
		b.set(in, out...)
	}
}

// fetched keeps what lanes have got of a matrix, by who got what.
type fetched map[string]*ssa.Value

// fetch returns an element of a matrix of so many columns for each lane: that in row and column of place, which
// are either a number for all lanes or what at gives for each.
func (b *builder) fetch(v []*ssa.Value, s isa.Type, have fetched, place *ssa.Value, at func(lane uint64) uint64) *ssa.Value {
	lanes := uint64(b.m.subgroup)
	shift := bits.TrailingZeros64(lanes)
	key := make([]byte, 0, 8*lanes)
	var comps []uint64 // which components the lanes need
	same, own := true, true
	first := at(0)
	for l := range lanes {
		e := at(l)
		key = fmt.Appendf(key, "%x,", e)
		same = same && e&(lanes-1) == first&(lanes-1)
		own = own && e&(lanes-1) == l
		if c := e >> shift; !slices.Contains(comps, c) {
			comps = append(comps, c)
		}
	}
	if x := have[string(key)]; x != nil {
		return x
	}
	lane, flags := b.bin(isa.OpAnd, isa.I32, place, b.imm(isa.I32, lanes-1)), uint32(0)
	if same {
		lane, flags = b.imm(isa.I32, first&(lanes-1)), isa.ShuffleSame
	}
	var r *ssa.Value
	for _, c := range comps {
		x := v[c]
		if !own {
			x = b.cross(isa.OpShuffle, s, s, isa.FlagUniform, flags, x, lane)
		}
		if r != nil {
			here := b.cmp(isa.OpEq, isa.I32, b.bin(isa.OpShrU, isa.I32, place, b.imm(isa.I32, uint64(shift))), b.imm(isa.I32, c))
			x = b.sel(s, here, x, r)
		}
		r = x
	}
	have[string(key)] = r
	return r
}

// mulAdd reads OpCooperativeMatrixMulAddKHR. Products of floats are added to the element of C, in the order of columns
// of A, each operation rounded: in single precision, or in double precision if the result has that. Its elements
// are rounded once more where they have less. Products of integers are added before C is, in the width of the result.
func (b *builder) mulAdd(in spirv.Inst) {
	ops := in.Operands()
	t := b.m.typeOf(in.ResultType())
	av, at := b.matrix(spirv.ID(ops[0]))
	bv, bt := b.matrix(spirv.ID(ops[1]))
	cv, ct := b.matrix(spirv.ID(ops[2]))
	if t.kind != kindMatrix || at.rows != t.rows || bt.columns != t.columns || at.columns != bt.rows || ct.rows != t.rows || ct.columns != t.columns {
		b.fail("the matrices have %d×%d, %d×%d and %d×%d elements, the result %d×%d",
			at.rows, at.columns, bt.rows, bt.columns, ct.rows, ct.columns, t.rows, t.columns)
	}
	var how spirv.CooperativeMatrixOperands
	if len(ops) > 3 {
		how = spirv.CooperativeMatrixOperands(ops[3])
	}
	sum := t.elem
	if sum.kind == kindFloat && sum.scalar() != isa.F64 {
		sum = &typ{kind: kindFloat, bits: 32, flat: 1}
	}
	for _, e := range []*typ{at.elem, bt.elem, ct.elem} {
		if e.kind != sum.kind || e.bits > sum.bits {
			b.fail("the components of the matrices do not go into those of the result")
		}
	}
	widen := func(v []*ssa.Value, from *typ, signed spirv.CooperativeMatrixOperands) []*ssa.Value {
		out := make([]*ssa.Value, len(v))
		for i, x := range v {
			out[i] = b.widen(x, from, sum, how&signed != 0)
		}
		return out
	}
	av = widen(av, at.elem, spirv.CooperativeMatrixOperandsMatrixASignedComponentsKHR)
	bv = widen(bv, bt.elem, spirv.CooperativeMatrixOperandsMatrixBSignedComponentsKHR)
	cv = widen(cv, ct.elem, spirv.CooperativeMatrixOperandsMatrixCSignedComponentsKHR)

	s := sum.scalar()
	k, n, all, lanes := at.columns, t.columns, t.rows*t.columns, uint64(b.m.subgroup)
	num := func(x uint64) *ssa.Value { return b.imm(isa.I32, x) }
	haveA, haveB := fetched{}, fetched{}
	out := make([]*ssa.Value, t.flat)
	for j := range out {
		x := b.cell(t, j)
		e := func(lane uint64) uint64 { return min(uint64(j)*lanes+lane, all-1) }
		row := b.bin(isa.OpMul, isa.I32, x.row, num(k))
		var products *ssa.Value // of integers
		if sum.kind == kindFloat {
			products = cv[j]
		}
		for i := range k {
			f := b.fetch(av, s, haveA, b.bin(isa.OpAdd, isa.I32, row, num(i)), func(l uint64) uint64 { return e(l)/n*k + i })
			g := b.fetch(bv, s, haveB, b.bin(isa.OpAdd, isa.I32, x.column, num(i*n)), func(l uint64) uint64 { return i*n + e(l)%n })
			switch {
			case sum.kind == kindFloat:
				products = b.fop(isa.OpFAdd, s, products, b.fop(isa.OpFMul, s, f, g))
			case products == nil:
				products = b.bin(isa.OpMul, s, f, g)
			default:
				products = b.bin(isa.OpAdd, s, products, b.bin(isa.OpMul, s, f, g))
			}
		}
		if sum.kind == kindInt {
			products = b.accumulate(products, cv[j], sum, how)
		} else if sum != t.elem {
			products = b.narrowFloat(products, sum, t.elem)
		}
		out[j] = b.orZero(x, t.elem.scalar(), products)
	}
	b.set(in, out...)
}

// widen brings a component of a matrix to the type of the sums.
func (b *builder) widen(x *ssa.Value, from, to *typ, signed bool) *ssa.Value {
	switch {
	case from.small != nil:
		return b.convertSmall(spirv.OpFConvert, from, to, 0, false, x, 0)
	case from.kind == kindFloat:
		return b.convertScalar(spirv.OpFConvert, from, to, 0, false, x)
	case signed:
		return b.convertScalar(spirv.OpSConvert, from, to, 0, false, x)
	}
	return b.convertScalar(spirv.OpUConvert, from, to, 0, false, x)
}

// narrowFloat rounds a sum to the type of the result's components.
func (b *builder) narrowFloat(x *ssa.Value, from, to *typ) *ssa.Value {
	if to.small != nil {
		return b.toSmall(to.small, x, isa.RoundDefault, false)
	}
	return b.convertScalar(spirv.OpFConvert, from, to, 0, false, x)
}

// accumulate adds an element of C to the products.
func (b *builder) accumulate(products, c *ssa.Value, t *typ, how spirv.CooperativeMatrixOperands) *ssa.Value {
	s := t.scalar()
	if how&spirv.CooperativeMatrixOperandsSaturatingAccumulationKHR == 0 {
		return b.norm(t, b.bin(isa.OpAdd, s, products, c))
	}
	op := isa.OpAddSatU
	if how&spirv.CooperativeMatrixOperandsMatrixResultSignedComponentsKHR != 0 {
		op = isa.OpAddSatS
	}
	if !t.odd() {
		return b.bin(op, s, products, c)
	}
	// The sum saturates at the ends of its register if its operands stand at the upper end.
	up := b.imm(s, uint64(s.Bits()-t.bits))
	high := func(x *ssa.Value) *ssa.Value { return b.bin(isa.OpShl, s, x, up) }
	return b.bin(isa.OpShrU, s, b.bin(op, s, high(products), high(c)), up)
}

// timesScalar reads OpMatrixTimesScalar, of cooperative matrices.
func (b *builder) timesScalar(in spirv.Inst) {
	v, t := b.matrix(spirv.ID(in.Operand(0)))
	x, _ := b.one(spirv.ID(in.Operand(1)))
	s := t.elem.scalar()
	out := make([]*ssa.Value, len(v))
	for i := range v {
		if t.elem.kind == kindInt {
			out[i] = b.norm(t.elem, b.bin(isa.OpMul, s, v[i], x))
			continue
		}
		out[i] = b.fop(isa.OpFMul, s, v[i], x)
	}
	b.set(in, out...)
}
