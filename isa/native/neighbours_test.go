package native

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// neighbours makes random kernels whose lanes mostly access elements next to each other, at indices that are
// computed on the way, where lanes part, meet again and leave loops one by one: what hyperblocks, regions and
// loads in one move are made for.
type neighbours struct {
	*program
	*rand.Rand
	pool    map[isa.Type][]isa.Reg // registers with a value in all lanes that run
	indices map[isa.Type][]isa.Reg // those of them that are good as indices
	small   []isa.Reg              // scalars
	private isa.Reg
	stores  bool // there may be stores
	budget  int  // of branches and loops
	// gentle kernels do less of what hyperblocks do not take: writing a register again, elements of 8 and 16
	// bits, loads behind stores, of which it has been the turn.
	gentle, stored bool
}

func (n *neighbours) one(list []isa.Reg) isa.Reg { return list[n.IntN(len(list))] }

// fresh returns a new register, or sometimes one that somebody has.
func (n *neighbours) fresh(t isa.Type) isa.Reg {
	if list := n.pool[t]; len(list) > 4 && n.IntN(3) == 0 && (!n.gentle || n.IntN(20) == 0) {
		r := n.one(list[2:]) // the first is needed in the end
		n.indices[t] = slices.DeleteFunc(n.indices[t], func(x isa.Reg) bool { return x == r })
		return r
	}
	return n.vector(t)
}

// have says that a register has a value from now on.
func (n *neighbours) have(r isa.Reg, t isa.Type, index bool) {
	if !slices.Contains(n.pool[t], r) {
		n.pool[t] = append(n.pool[t], r)
	}
	if index && !slices.Contains(n.indices[t], r) {
		n.indices[t] = append(n.indices[t], r)
	}
}

var indexOf = map[isa.Type][]isa.IdxType{isa.I32: {isa.IdxU32, isa.IdxS32}, isa.I64: {isa.Idx64}}

// index chooses an index.
func (n *neighbours) index(in *isa.Inst) {
	t := isa.I32
	if n.IntN(4) == 0 && (!n.gentle || n.IntN(4) == 0) {
		t = isa.I64
	}
	in.B = n.one(n.indices[t])
	if n.IntN(60) == 0 {
		in.B = n.one(n.pool[t])
	}
	in.Idx = indexOf[t][n.IntN(len(indexOf[t]))]
	in.Scale = uint32(in.Type.Bytes())
	if n.IntN(12) == 0 {
		in.Scale = []uint32{1, 2, 4, 8, 12}[n.IntN(5)]
	}
	in.Disp = int32(in.Type.Bytes()) * int32([]int{0, 0, 0, 1, 2, -1, -2}[n.IntN(7)])
}

// access emits a load or store.
func (n *neighbours) access() {
	in := isa.Inst{Op: isa.OpLoad, Type: []isa.Type{isa.I32, isa.I32, isa.I32, isa.F32, isa.I64, isa.I8, isa.I16}[n.IntN(7)], Space: isa.SpaceGlobal, A: isa.S(n.IntN(4))}
	if n.gentle && n.IntN(20) > 0 {
		in.Type = []isa.Type{isa.I32, isa.F32}[n.IntN(2)]
	}
	if n.IntN(12) == 0 {
		in.Space, in.A = isa.SpacePrivate, n.private
		x := n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: n.one(n.pool[isa.I32]), B: n.small[2]})
		in.B, in.Idx, in.Scale = x, isa.IdxU32, 4
		in.Type = isa.I32
	} else {
		n.index(&in)
	}
	as := home(in.Type)
	if in.Type.Bits() < 32 {
		if in.Type.Bits() == 8 {
			in.Scale = max(in.Scale, 1)
		}
		as = in.Type
	}
	if n.stores && (n.IntN(5) < 2 || n.gentle && n.stored) {
		n.stored = true
		in.Op = isa.OpStore
		if in.Space == isa.SpaceGlobal {
			in.A = isa.S(n.IntN(buffers - 2)) // not the mask
		}
		in.C = n.one(n.pool[as])
		n.emit(in)
		return
	}
	in.Dst = n.fresh(as)
	n.emit(in)
	n.have(in.Dst, as, false)
}

// compute emits arithmetic, often on indices.
func (n *neighbours) compute() {
	t := isa.I32
	if n.IntN(4) == 0 {
		t = isa.I64
	}
	switch n.IntN(8) {
	case 0, 1: // an index that differs from another by the same number
		in := isa.Inst{Op: isa.OpAdd, Type: t, A: n.one(n.indices[t]), B: n.one(n.small)}
		switch n.IntN(4) {
		case 0:
			in.Op, in.B = isa.OpMov, isa.None
		case 1:
			in.Op, in.A, in.B, in.C = isa.OpMad, n.one(n.small), n.one(n.small), in.A
		}
		in.Dst = n.fresh(t)
		n.emit(in)
		n.have(in.Dst, t, true)
	case 2: // any
		in := isa.Inst{Op: isa.OpAnd, Type: t, A: n.one(n.pool[t]), B: n.small[3]}
		in.Dst = n.fresh(t)
		n.emit(in)
		n.have(in.Dst, t, true)
	case 3:
		in := isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: isa.I32, A: n.one(n.indices[isa.I32])}
		if t == isa.I32 {
			in = isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, A: n.one(n.indices[isa.I64])}
		}
		in.Dst = n.fresh(in.Type)
		n.emit(in)
		n.have(in.Dst, in.Type, true)
	case 4:
		in := isa.Inst{Op: isa.OpLtU, Type: t, A: n.one(n.pool[t]), B: n.one(n.pool[t])}
		in.Dst = n.fresh(isa.B1)
		n.emit(in)
		n.have(in.Dst, isa.B1, false)
	case 5:
		in := isa.Inst{Op: isa.OpSelect, Type: t, A: n.one(n.pool[isa.B1]), B: n.one(n.indices[t]), C: n.one(n.indices[t])}
		in.Dst = n.fresh(t)
		n.emit(in)
		n.have(in.Dst, t, true)
	default:
		t := []isa.Type{isa.I8, isa.I16, isa.I32, isa.I32, isa.I32, isa.I64}[n.IntN(6)]
		in := isa.Inst{Op: []isa.Op{isa.OpAdd, isa.OpSub, isa.OpXor, isa.OpMul}[n.IntN(4)], Type: t, A: n.one(n.pool[t]), B: n.one(n.pool[t])}
		in.Dst = n.fresh(t)
		n.emit(in)
		n.have(in.Dst, t, false)
	}
}

// straight emits instructions.
func (n *neighbours) straight(most int) {
	for range n.IntN(most) + 1 {
		if n.IntN(3) == 0 {
			n.access()
		} else {
			n.compute()
		}
	}
}

// next is the number of the block that begins when the present one has ended.
func (n *neighbours) next() int { return len(n.k.Blocks) }

// goOn ends a block in front of the next.
func (n *neighbours) goOn() {
	n.jump(0)
	n.k.Code[len(n.k.Code)-1].SetTargets(n.next(), 0)
}

// known keeps what has a value now, for the end of a part that some lanes leave out.
func (n *neighbours) known() func() {
	pool, good := map[isa.Type][]isa.Reg{}, map[isa.Type][]isa.Reg{}
	for t, list := range n.pool {
		pool[t], good[t] = slices.Clone(list), slices.Clone(n.indices[t])
	}
	return func() {
		for t := range n.pool {
			n.pool[t] = slices.Clone(pool[t])
			n.indices[t] = slices.DeleteFunc(slices.Clone(good[t]), func(r isa.Reg) bool { return !slices.Contains(n.indices[t], r) })
		}
	}
}

// part emits a sequence of blocks.
func (n *neighbours) part(depth int) {
	for range n.IntN(3) + 1 {
		n.stored = n.stored && n.IntN(5) > 0
		n.straight(12)
		if depth == 0 || n.budget == 0 {
			continue
		}
		n.budget--
		switch n.IntN(4) {
		case 0, 1:
			n.either(depth - 1)
		case 2:
			n.loop(depth - 1)
		}
	}
}

// either emits a part for some lanes, or one for some and one for the others.
func (n *neighbours) either(depth int) {
	n.emit(isa.Inst{Op: isa.OpBrCond, A: n.one(n.pool[isa.B1])})
	end, first := len(n.k.Code)-1, n.next()
	restore := n.known()
	n.part(depth)
	restore()
	n.jump(0)
	skip, other := len(n.k.Code)-1, n.next()
	if n.IntN(2) == 0 {
		n.part(depth)
		restore()
		n.goOn()
	}
	n.k.Code[end].SetTargets(first, other)
	n.k.Code[skip].SetTargets(n.next(), 0)
}

// loop emits a loop that lanes leave in their turn.
func (n *neighbours) loop(depth int) {
	left, trip := n.vector(isa.I32), n.constant(0)
	n.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: left, A: n.one(n.pool[isa.I32]), B: n.small[2]})
	n.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: trip, A: n.small[0]})
	at := n.vector(isa.I32) // goes on from trip to trip
	n.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: at, A: n.one(n.indices[isa.I32])})
	n.have(at, isa.I32, true)
	n.goOn()
	head := n.next()
	restore := n.known()
	was := n.stores
	n.stores = n.stores && n.IntN(2) == 0
	n.stored = false
	leave := -1
	again := n.vector(isa.B1)
	n.straight(8)
	if n.IntN(2) == 0 { // in the middle
		n.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: again, A: trip, B: left})
		n.emit(isa.Inst{Op: isa.OpBrCond, A: again})
		leave = len(n.k.Code) - 1
		n.k.Code[leave].SetTargets(n.next(), 0)
	}
	if n.IntN(2) == 0 {
		n.part(depth)
	} else {
		n.straight(20)
	}
	n.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: at, A: at, B: n.one(n.small[:2])})
	n.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: trip, A: trip, B: n.small[1]})
	n.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: again, A: trip, B: left})
	n.emit(isa.Inst{Op: isa.OpBrCond, A: again})
	n.k.Code[len(n.k.Code)-1].SetTargets(head, n.next())
	if leave >= 0 {
		n.k.Code[leave].SetTargets(n.k.Code[leave].Target0(), n.next())
	}
	n.stores = was
	restore()
}

// newNeighbours makes a kernel.
func newNeighbours(t *testing.T, r *rand.Rand) *neighbours {
	n := &neighbours{program: newProgram(), Rand: r, gentle: r.IntN(3) > 0, pool: map[isa.Type][]isa.Reg{}, indices: map[isa.Type][]isa.Reg{}, stores: true, budget: 6}
	n.k.Private = append(n.k.Private, isa.Alloc{Name: "p", Size: 32, Align: 4})
	n.private = n.constant(isa.PointerBits(isa.SpacePrivate, 0))
	n.small = []isa.Reg{n.constant(0), n.constant(1), n.constant(7), n.constant(127), n.constant(3), n.parameter(5)}
	n.have(isa.V(lane), isa.I64, true)
	for i := range 2 {
		n.have(n.load(1+i, isa.I32), isa.I32, i == 0)
		n.have(n.load(1+i, isa.I64), isa.I64, i == 0)
		for _, t := range []isa.Type{isa.I8, isa.I16, isa.B1} {
			n.have(n.load(2+i, t), t, false)
		}
	}
	for range []int{0, 4, 12, 30}[n.IntN(4)] {
		x := n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: x, A: n.one(n.pool[isa.I32]), B: n.one(n.small)})
		n.have(x, isa.I32, false)
	}
	x, id := n.vector(isa.I32), n.vector(isa.I32)
	n.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: x, A: isa.V(lane)})
	n.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: id, Imm: uint32(isa.BuiltinLocalID)})
	n.have(x, isa.I32, true)
	n.have(id, isa.I32, true)
	n.emit(isa.Inst{Op: isa.OpDivU, Type: isa.I32, Dst: n.vector(isa.I32), A: x, B: n.small[4]}) // not in hyperblocks
	n.emit(isa.Inst{Op: isa.OpBrCond, A: n.load(bufMask, isa.B1)})
	at := len(n.k.Code) - 1
	restore := n.known()
	n.part(3)
	restore()
	n.goOn()
	n.k.Code[at].SetTargets(1, n.next())
	sum := n.vector(isa.I64)
	prime := n.constant(0x9e3779b97f4a7c15)
	n.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: sum, A: prime})
	for _, t := range bankTypes {
		for _, r := range n.pool[t] {
			wide := r
			switch t {
			case isa.I8, isa.I16, isa.I32:
				wide = n.vector(isa.I64)
				n.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: t, Dst: wide, A: r})
			case isa.B1:
				wide = n.vector(isa.I64)
				n.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I64, Dst: wide, A: r, B: prime, C: n.constant(3)})
			}
			n.emit(isa.Inst{Op: isa.OpMad, Type: isa.I64, Dst: sum, A: sum, B: prime, C: wide})
		}
	}
	n.store(sum, isa.I64)
	n.emit(isa.Inst{Op: isa.OpRet})
	n.dense()
	return n
}

// dense marks results that have no value outside their block, as the compiler does.
func (n *neighbours) dense() {
	live := n.k.Liveness()
	outside := func(b isa.Bank, index int) bool {
		for block := range n.k.Blocks {
			if live == nil || live.At(block, isa.VectorReg{Bank: b, Index: index}) {
				return true
			}
		}
		return false
	}
	for i := range n.k.Code {
		d, typ := n.k.Operands(&n.k.Code[i], func(isa.Reg, isa.Type) {})
		if d.IsVector() && !outside(typ.Bank(), d.Index()) {
			n.k.Code[i].Flags |= isa.FlagDense
		}
	}
}

// TestNeighbours runs such kernels on this engine and on package interp.
func TestNeighbours(t *testing.T) {
	count := amount(30, 60, 150)
	if *programCount > 0 {
		count = *programCount
	}
	kinds := []string{"next", "further", "same", "rows", "columns", "backward", "any", "strays", "negative"}
	each(t, func(t *testing.T, e Engine) {
		for seed := *programFirst; seed < *programFirst+count; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(seed), 4))
				n := newNeighbours(t, r)
				kind := kinds[max(r.IntN(2*len(kinds))-len(kinds), 0)]
				values := map[int]uint64{n.small[5].Index(): []uint64{5, 5, 5, 0, 1 << 31, 1<<32 - 1, 1 << 63, 1<<64 - 1}[r.IntN(8)]}
				check(t, e, n.k, r, values, "indices "+kind, func(data *[buffers][]uint64) {
					for i := range lanes {
						data[1][i] = indices[kind](r, i) + 4
					}
				})
			})
		}
	})
}
