package readers

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
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

// cellOf returns the place of component j.
func cellOf(b *build.Builder, t *build.Type, j int) cell {
	s, n := uint64(b.Module.Subgroup), t.Columns
	first, all := uint64(j)*s, t.Rows*t.Columns
	num := func(x uint64) *ssa.Value { return b.Imm(isa.I32, x) }
	var x cell
	x.e = b.Bin(isa.OpAdd, isa.I32, b.LaneID(), num(first))
	if first+s > all {
		x.exists = b.Cmp(isa.OpLtU, isa.I32, x.e, num(all))
		x.e = b.Bin(isa.OpMinU, isa.I32, x.e, num(all-1))
	}
	switch last := min(first+s, all) - 1; {
	case first/n == last/n: // all lanes are in one row
		x.row = num(first / n)
		x.column = b.Bin(isa.OpSub, isa.I32, x.e, num(first/n*n))
	case n == 1:
		x.row, x.column = x.e, num(0)
	default:
		x.row = b.Bin(isa.OpDivU, isa.I32, x.e, num(n))
		x.column = b.Bin(isa.OpSub, isa.I32, x.e, b.Bin(isa.OpMul, isa.I32, x.row, num(n)))
	}
	return x
}

// orZero returns what a component is that may be no element.
func orZero(b *build.Builder, x cell, s isa.Type, v *ssa.Value) *ssa.Value {
	if x.exists == nil {
		return v
	}
	return b.Sel(s, x.exists, v, b.Imm(s, 0))
}

// matrix returns the type of an operand that is a cooperative matrix, and the components of the lane.
func matrix(b *build.Builder, id spirv.ID) ([]*ssa.Value, *build.Type) {
	v, t := b.Vals(id)
	if t.Kind != build.KindMatrix {
		b.Fail("operand %%%d is no cooperative matrix", id)
	}
	return v, t
}

// matrixLength reads OpCooperativeMatrixLengthKHR.
func matrixLength(b *build.Builder, in spirv.Inst) {
	t := b.Module.TypeOf(spirv.ID(in.Operand(0)))
	if t.Kind != build.KindMatrix {
		b.Fail("%%%d is no type of cooperative matrices", in.Operand(0))
	}
	b.SetOne(in, b.Imm(isa.I32, t.Count))
}

// matrixMemory reads loads and stores of cooperative matrices.
func matrixMemory(b *build.Builder, in spirv.Inst) {
	ops := in.Operands()
	offset := &build.Type{Kind: build.KindInt, Bits: 64, Flat: 1}
	p, pt := b.One(spirv.ID(ops[0]))
	noInput(b, p)
	var v []*ssa.Value
	var t *build.Type
	store := in.Op() == spirv.OpCooperativeMatrixStoreKHR
	if store {
		v, t = matrix(b, spirv.ID(ops[1]))
		ops = ops[1:]
	} else if t = b.Module.TypeOf(in.ResultType()); t.Kind != build.KindMatrix {
		b.Fail("the result is no cooperative matrix")
	}
	if len(ops) < 3 {
		b.Fail("has no stride")
	}
	layout := spirv.CooperativeMatrixLayout(b.Module.ConstUint(spirv.ID(ops[1])))
	if layout != spirv.CooperativeMatrixLayoutRowMajorKHR && layout != spirv.CooperativeMatrixLayoutColumnMajorKHR {
		b.Fail("the layout %s of matrices is not supported", layout)
	}
	stride, st := b.One(spirv.ID(ops[2]))
	stride = convertScalar(b, spirv.OpUConvert, st, offset, 0, false, stride)
	unit := uint64(1) // of a stride through an untyped pointer, bytes
	if e := b.Module.Pointee(pt); e != nil {
		unit = e.Size
	}
	a := build.MemoryAccess(pt, ops[3:])
	if a.Align != 0 {
		a.Align = min(a.Align, t.Elem.Align) // the promise is of the pointer, not of each element
	}
	out := make([]*ssa.Value, t.Flat)
	wide := func(x *ssa.Value) *ssa.Value { return b.Conv(isa.OpZExt, isa.I64, isa.I32, x) }
	for j := range out {
		x := cellOf(b, t, j)
		line, within := x.row, x.column
		if layout == spirv.CooperativeMatrixLayoutColumnMajorKHR {
			line, within = within, line
		}
		access := func() []*ssa.Value {
			q := b.Index(p, b.Bin(isa.OpMul, isa.I64, wide(line), stride), offset, unit)
			q = b.Index(q, wide(within), offset, t.Elem.Size)
			if store {
				b.Store(q, t.Elem, v[j:j+1], a)
				return nil
			}
			return b.Load(q, t.Elem, a)
		}
		switch {
		case x.exists == nil:
			v := access()
			if !store {
				out[j] = v[0]
			}
		case store:
			when(b, x.exists, access, nil)
		default:
			out[j] = when(b, x.exists, access, []*ssa.Value{b.Imm(t.Elem.Scalar(), 0)})[0]
		}
	}
	if !store {
		b.Set(in, out...)
	}
}

// fetched keeps what lanes have got of a matrix, by who got what.
type fetched map[string]*ssa.Value

// fetch returns an element of a matrix of so many columns for each lane: that in row and column of place, which
// are either a number for all lanes or what at gives for each.
func fetch(b *build.Builder, v []*ssa.Value, s isa.Type, have fetched, place *ssa.Value, at func(lane uint64) uint64) *ssa.Value {
	lanes := uint64(b.Module.Subgroup)
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
	lane, flags := b.Bin(isa.OpAnd, isa.I32, place, b.Imm(isa.I32, lanes-1)), uint32(0)
	if same {
		lane, flags = b.Imm(isa.I32, first&(lanes-1)), isa.ShuffleSame
	}
	var r *ssa.Value
	for _, c := range comps {
		x := v[c]
		if !own {
			x = cross(b, isa.OpShuffle, s, s, isa.FlagUniform, flags, x, lane)
		}
		if r != nil {
			here := b.Cmp(isa.OpEq, isa.I32, b.Bin(isa.OpShrU, isa.I32, place, b.Imm(isa.I32, uint64(shift))), b.Imm(isa.I32, c))
			x = b.Sel(s, here, x, r)
		}
		r = x
	}
	have[string(key)] = r
	return r
}

// mulAdd reads OpCooperativeMatrixMulAddKHR. Products of floats are added to the element of C, in the order of columns
// of A, each operation rounded: in single precision, or in double precision if the result has that. Its elements
// are rounded once more where they have less. Products of integers are added before C is, in the width of the result.
func mulAdd(b *build.Builder, in spirv.Inst) {
	ops := in.Operands()
	t := b.Module.TypeOf(in.ResultType())
	av, at := matrix(b, spirv.ID(ops[0]))
	bv, bt := matrix(b, spirv.ID(ops[1]))
	cv, ct := matrix(b, spirv.ID(ops[2]))
	if t.Kind != build.KindMatrix || at.Rows != t.Rows || bt.Columns != t.Columns || at.Columns != bt.Rows || ct.Rows != t.Rows || ct.Columns != t.Columns {
		b.Fail("the matrices have %d×%d, %d×%d and %d×%d elements, the result %d×%d",
			at.Rows, at.Columns, bt.Rows, bt.Columns, ct.Rows, ct.Columns, t.Rows, t.Columns)
	}
	var how spirv.CooperativeMatrixOperands
	if len(ops) > 3 {
		how = spirv.CooperativeMatrixOperands(ops[3])
	}
	sum := t.Elem
	if sum.Kind == build.KindFloat && sum.Scalar() != isa.F64 {
		sum = &build.Type{Kind: build.KindFloat, Bits: 32, Flat: 1}
	}
	for _, e := range []*build.Type{at.Elem, bt.Elem, ct.Elem} {
		if e.Kind != sum.Kind || e.Bits > sum.Bits {
			b.Fail("the components of the matrices do not go into those of the result")
		}
	}
	widen := func(v []*ssa.Value, from *build.Type, signed spirv.CooperativeMatrixOperands) []*ssa.Value {
		out := make([]*ssa.Value, len(v))
		for i, x := range v {
			out[i] = widen(b, x, from, sum, how&signed != 0)
		}
		return out
	}
	av = widen(av, at.Elem, spirv.CooperativeMatrixOperandsMatrixASignedComponentsKHR)
	bv = widen(bv, bt.Elem, spirv.CooperativeMatrixOperandsMatrixBSignedComponentsKHR)
	cv = widen(cv, ct.Elem, spirv.CooperativeMatrixOperandsMatrixCSignedComponentsKHR)

	s := sum.Scalar()
	k, n, all, lanes := at.Columns, t.Columns, t.Rows*t.Columns, uint64(b.Module.Subgroup)
	num := func(x uint64) *ssa.Value { return b.Imm(isa.I32, x) }
	haveA, haveB := fetched{}, fetched{}
	out := make([]*ssa.Value, t.Flat)
	for j := range out {
		x := cellOf(b, t, j)
		e := func(lane uint64) uint64 { return min(uint64(j)*lanes+lane, all-1) }
		row := b.Bin(isa.OpMul, isa.I32, x.row, num(k))
		var products *ssa.Value // of integers
		if sum.Kind == build.KindFloat {
			products = cv[j]
		}
		for i := range k {
			f := fetch(b, av, s, haveA, b.Bin(isa.OpAdd, isa.I32, row, num(i)), func(l uint64) uint64 { return e(l)/n*k + i })
			g := fetch(b, bv, s, haveB, b.Bin(isa.OpAdd, isa.I32, x.column, num(i*n)), func(l uint64) uint64 { return i*n + e(l)%n })
			switch {
			case sum.Kind == build.KindFloat:
				products = b.FOp(isa.OpFAdd, s, products, b.FOp(isa.OpFMul, s, f, g))
			case products == nil:
				products = b.Bin(isa.OpMul, s, f, g)
			default:
				products = b.Bin(isa.OpAdd, s, products, b.Bin(isa.OpMul, s, f, g))
			}
		}
		if sum.Kind == build.KindInt {
			products = accumulate(b, products, cv[j], sum, how)
		} else if sum != t.Elem {
			products = narrowFloat(b, products, sum, t.Elem)
		}
		out[j] = orZero(b, x, t.Elem.Scalar(), products)
	}
	b.Set(in, out...)
}

// widen brings a component of a matrix to the type of the sums.
func widen(b *build.Builder, x *ssa.Value, from, to *build.Type, signed bool) *ssa.Value {
	switch {
	case from.Small != nil:
		return convertSmall(b, spirv.OpFConvert, from, to, 0, false, x, 0)
	case from.Kind == build.KindFloat:
		return convertScalar(b, spirv.OpFConvert, from, to, 0, false, x)
	case signed:
		return convertScalar(b, spirv.OpSConvert, from, to, 0, false, x)
	}
	return convertScalar(b, spirv.OpUConvert, from, to, 0, false, x)
}

// narrowFloat rounds a sum to the type of the result's components.
func narrowFloat(b *build.Builder, x *ssa.Value, from, to *build.Type) *ssa.Value {
	if to.Small != nil {
		return toSmall(b, to.Small, x, isa.RoundDefault, false)
	}
	return convertScalar(b, spirv.OpFConvert, from, to, 0, false, x)
}

// accumulate adds an element of C to the products.
func accumulate(b *build.Builder, products, c *ssa.Value, t *build.Type, how spirv.CooperativeMatrixOperands) *ssa.Value {
	s := t.Scalar()
	if how&spirv.CooperativeMatrixOperandsSaturatingAccumulationKHR == 0 {
		return b.Norm(t, b.Bin(isa.OpAdd, s, products, c))
	}
	op := isa.OpAddSatU
	if how&spirv.CooperativeMatrixOperandsMatrixResultSignedComponentsKHR != 0 {
		op = isa.OpAddSatS
	}
	if !t.Odd() {
		return b.Bin(op, s, products, c)
	}
	// The sum saturates at the ends of its register if its operands stand at the upper end.
	up := b.Imm(s, uint64(s.Bits()-t.Bits))
	high := func(x *ssa.Value) *ssa.Value { return b.Bin(isa.OpShl, s, x, up) }
	return b.Bin(isa.OpShrU, s, b.Bin(op, s, high(products), high(c)), up)
}

// timesScalar reads OpMatrixTimesScalar, of cooperative matrices.
func timesScalar(b *build.Builder, in spirv.Inst) {
	v, t := matrix(b, spirv.ID(in.Operand(0)))
	x, _ := b.One(spirv.ID(in.Operand(1)))
	s := t.Elem.Scalar()
	out := make([]*ssa.Value, len(v))
	for i := range v {
		if t.Elem.Kind == build.KindInt {
			out[i] = b.Norm(t.Elem, b.Bin(isa.OpMul, s, v[i], x))
			continue
		}
		out[i] = b.FOp(isa.OpFMul, s, v[i], x)
	}
	b.Set(in, out...)
}
