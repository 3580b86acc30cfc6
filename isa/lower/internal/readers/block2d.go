package readers

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Loads and stores of blocks of two dimensions by a sub-group (SPV_INTEL_2d_block_io). Each lane accesses the elements that
// are its own, and keeps them in private memory. Elements outside of the region of memory are zero, and are not stored.

// block2D is a load or store of blocks.
type block2D struct {
	size                 uint64 // bytes of an element
	width, height, count uint64 // of a block in elements, and how many there are
	base, private        *ssa.Value
	baseType, ownType    *build.Type
	memWidth, memHeight  *ssa.Value // of the region, in bytes and rows; these and the following have 64 bits
	pitch, x, y          *ssa.Value
}

// readBlock2D reads the operands of an instruction, whose pointers stand in the order base, private for loads.
func readBlock2D(b *build.Builder, in spirv.Inst) *block2D {
	ops := in.Operands()
	store := in.Op() == spirv.OpSubgroup2DBlockStoreINTEL
	k := &block2D{}
	for i, n := range []*uint64{&k.size, &k.width, &k.height, &k.count} {
		if *n = b.Module.ConstUint(spirv.ID(ops[i])); *n == 0 || *n > build.MaxFlat {
			b.Fail("blocks of %d elements are not supported", *n)
		}
	}
	if k.size > 8 || k.size&(k.size-1) != 0 {
		b.Fail("elements of %d bytes do not exist; there are those of 1, 2, 4 and 8", k.size)
	}
	if b.Module.Subgroup == 0 {
		b.Fail("the size of sub-groups is not known, on which the elements of a lane depend")
	}
	wide := &build.Type{Kind: build.KindInt, Bits: 64, Flat: 1}
	number := func(v *ssa.Value, t *build.Type) *ssa.Value {
		return convertScalar(b, spirv.OpSConvert, t, wide, 0, false, v)
	}
	scalar := func(w uint32) *ssa.Value {
		v, t := b.One(spirv.ID(w))
		return number(v, t)
	}
	rest := ops[4:]
	if store {
		k.private, k.ownType = b.One(spirv.ID(rest[0]))
		rest = rest[1:]
	}
	k.base, k.baseType = b.One(spirv.ID(rest[0]))
	k.memWidth, k.memHeight, k.pitch = scalar(rest[1]), scalar(rest[2]), scalar(rest[3])
	at, t := b.Vals(spirv.ID(rest[4]))
	if len(at) != 2 || t.Component().Kind != build.KindInt {
		b.Fail("the coordinate is no vector of two integers")
	}
	k.x, k.y = number(at[0], t.Component()), number(at[1], t.Component())
	if !store {
		k.private, k.ownType = b.One(spirv.ID(rest[5]))
	}
	noInput(b, k.base)
	noInput(b, k.private)
	return k
}

// own is an element of a lane: its row and column in a block, as numbers of 32 bits.
type own struct{ row, column *ssa.Value }

// owned returns the elements that a lane has of a block of so many rows and columns. Where the columns, padded to a power
// of two, are fewer than the lanes, several rows are spread over these; where they are more, a lane has several
// columns that stand side by side.
func owned(b *build.Builder, rows, columns uint64) []own {
	lanes, padded := uint64(b.Module.Subgroup), uint64(1)<<bits.Len64(columns-1)
	num := func(n uint64) *ssa.Value { return b.Imm(isa.I32, n) }
	bin := func(op isa.Op, x, y *ssa.Value) *ssa.Value { return b.Bin(op, isa.I32, x, y) }
	var list []own
	if padded <= lanes {
		at := lanes / padded // rows at a time
		shift := uint64(bits.TrailingZeros64(padded))
		for first := uint64(0); first < rows; first += at {
			list = append(list, own{
				row:    bin(isa.OpAdd, bin(isa.OpShrU, b.LaneID(), num(shift)), num(first)),
				column: bin(isa.OpAnd, b.LaneID(), num(padded-1)),
			})
		}
		return list
	}
	side := padded / lanes
	for r := range rows {
		for c := range side {
			list = append(list, own{row: num(r), column: bin(isa.OpAdd, bin(isa.OpMul, b.LaneID(), num(side)), num(c))})
		}
	}
	return list
}

// place2D returns the address of an element of block n, and whether it is one of the block and of the region.
func place2D(b *build.Builder, k *block2D, n uint64, e own) (p, exists *ssa.Value) {
	const t = isa.I64
	bin := func(op isa.Op, x, y *ssa.Value) *ssa.Value { return b.Bin(op, t, x, y) }
	num := func(n uint64) *ssa.Value { return b.Imm(t, n) }
	row, column := b.Conv(isa.OpZExt, t, isa.I32, e.row), b.Conv(isa.OpZExt, t, isa.I32, e.column)
	y := bin(isa.OpAdd, k.y, row)
	x := bin(isa.OpMul, bin(isa.OpAdd, bin(isa.OpAdd, k.x, num(n*k.width)), column), num(k.size))
	exists = b.Cmp(isa.OpLtU, t, row, num(k.height))
	for _, c := range []*ssa.Value{
		b.Cmp(isa.OpLtU, t, column, num(k.width)),
		b.Cmp(isa.OpLeS, t, num(0), x), b.Cmp(isa.OpLeS, t, bin(isa.OpAdd, x, num(k.size)), k.memWidth),
		b.Cmp(isa.OpLeS, t, num(0), y), b.Cmp(isa.OpLtS, t, y, k.memHeight),
	} {
		exists = b.Bin(isa.OpAnd, isa.B1, exists, c)
	}
	offset := &build.Type{Kind: build.KindInt, Bits: 64, Flat: 1}
	return b.Index(k.base, bin(isa.OpAdd, bin(isa.OpMul, y, k.pitch), x), offset, 1), exists
}

// block2DIO reads the loads and stores.
func block2DIO(b *build.Builder, in spirv.Inst) {
	k := readBlock2D(b, in)
	t := &build.Type{Kind: build.KindInt, Bits: int(8 * k.size), Flat: 1, Size: k.size, Align: k.size}
	s := t.Scalar()
	memory, private := build.Access{Space: k.baseType.Space()}, build.Access{Space: k.ownType.Space()}
	load := func(n uint64, e own) *ssa.Value {
		p, exists := place2D(b, k, n, e)
		return when(b, exists, func() []*ssa.Value { return []*ssa.Value{b.LoadScalar(p, t, memory)} }, []*ssa.Value{b.Imm(s, 0)})[0]
	}
	rows, columns := k.height, k.width
	together := uint64(1) // rows that one element of the lane holds
	switch in.Op() {
	case spirv.OpSubgroup2DBlockLoadTransposeINTEL:
		rows, columns = columns, rows
	case spirv.OpSubgroup2DBlockLoadTransformINTEL:
		if k.size > 2 {
			b.Fail("elements of %d bytes are not put together; those of 1 and 2 are", k.size)
		}
		together = 4 / k.size
		rows = (rows + together - 1) / together
	}
	own32 := &build.Type{Kind: build.KindInt, Bits: 32, Flat: 1, Size: 4, Align: 4}
	at := uint64(0) // bytes of the lane
	for n := range k.count {
		for _, e := range owned(b, rows, columns) {
			q := b.Offset(k.private, int64(at))
			at += k.size * together
			switch in.Op() {
			case spirv.OpSubgroup2DBlockStoreINTEL:
				p, exists := place2D(b, k, n, e)
				when(b, exists, func() []*ssa.Value {
					b.StoreScalar(p, t, b.LoadScalar(q, t, private), memory)
					return nil
				}, nil)
			case spirv.OpSubgroup2DBlockLoadTransposeINTEL:
				b.StoreScalar(q, t, load(n, own{row: e.column, column: e.row}), private)
			case spirv.OpSubgroup2DBlockLoadTransformINTEL:
				sum := b.Imm(isa.I32, 0)
				for i := range together {
					row := b.Bin(isa.OpAdd, isa.I32, b.Bin(isa.OpMul, isa.I32, e.row, b.Imm(isa.I32, together)), b.Imm(isa.I32, i))
					part := b.Resize(load(n, own{row: row, column: e.column}), s, isa.I32)
					sum = b.Bin(isa.OpOr, isa.I32, sum, b.Bin(isa.OpShl, isa.I32, part, b.Imm(isa.I32, i*8*k.size)))
				}
				b.StoreScalar(q, own32, sum, private)
			default:
				b.StoreScalar(q, t, load(n, e), private)
			}
		}
	}
}
