package lower

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// verify checks that the kernel's SSA form is well-formed: what passes take for
// granted, and must leave behind.
//
//   - Blocks: edges are known at both ends and no two lead from one block to
//     another, every block can be reached, nothing leads to the entry, and the
//     terminator has the successors and the operand that it takes.
//   - Values: each stands in its block, once; none that was replaced remains.
//   - Operands: as many as the instruction takes, of the widths that it takes;
//     what is not a leaf is made where it dominates the use. A phi has one
//     operand for each predecessor.
//
// It changes nothing, analyses neither.
func (b *builder) verify() error {
	v := &verifier{b: b, at: make([]place, b.f.nvals), num: make([]int, b.f.nblks), mark: make([]int, b.f.nblks),
		preds: map[*block]map[*block]bool{}, succs: map[*block]map[*block]bool{}}
	if err := v.shape(); err != nil {
		return err
	}
	v.dominators()
	for _, blk := range b.f.blocks {
		if err := v.block(blk); err != nil {
			return fmt.Errorf("block b%d: %w", blk.id, err)
		}
	}
	return nil
}

// deepestFirst returns a block's predecessors, those that come last in reverse
// post-order first when there are many: the common dominator of a long chain of
// blocks with one exit is found by climbing the chain once, and not once a block.
func deepestFirst(preds []*block) []*block {
	if len(preds) <= 8 {
		return preds
	}
	preds = slices.Clone(preds)
	slices.SortFunc(preds, func(a, b *block) int { return b.rpo - a.rpo })
	return preds
}

// place is where a value stands: phis are at -1. The zero place is nowhere.
type place struct {
	blk *block
	pos int
}

type verifier struct {
	b   *builder
	at  []place // by value.id
	num []int   // place in reverse post-order, by block.id
	// By place in reverse post-order.
	rpo  []*block
	idom []int
	// enter and last are numbers in the dominator tree, see numberTree.
	enter, last []int
	// mark is the last edge list in which a block was seen, by block.id; lists counts those.
	mark  []int
	lists int
	// preds and succs are the ends of edges of blocks with many.
	preds, succs map[*block]map[*block]bool
}

// many is how many edges a block has for which looking through all of them, for each, takes too long.
const many = 16

// contains says whether x is in a list of edges of b, for which there are sets where the list is long.
func contains(sets map[*block]map[*block]bool, b *block, list []*block, x *block) bool {
	if len(list) < many {
		return slices.Contains(list, x)
	}
	set := sets[b]
	if set == nil {
		set = make(map[*block]bool, len(list))
		for _, y := range list {
			set[y] = true
		}
		sets[b] = set
	}
	return set[x]
}

// twice returns a block that is in a list of edges more than once, or nil.
func (v *verifier) twice(list []*block) *block {
	v.lists++
	for _, x := range list {
		if v.mark[x.id] == v.lists {
			return x
		}
		v.mark[x.id] = v.lists
	}
	return nil
}

// shape checks blocks and edges, and notes where each value stands.
func (v *verifier) shape() error {
	f := v.b.f
	if len(f.blocks) == 0 {
		return fmt.Errorf("there is no block")
	}
	known := make([]bool, f.nblks) // by id
	for _, b := range f.blocks {
		if known[b.id] {
			return fmt.Errorf("block b%d is there twice", b.id)
		}
		known[b.id] = true
	}
	if n := len(f.entry().preds); n > 0 {
		return fmt.Errorf("%d edges lead to the entry", n)
	}
	for _, b := range f.blocks {
		if err := v.edges(b, known); err != nil {
			return fmt.Errorf("block b%d: %w", b.id, err)
		}
		for i, list := range [2][]*value{b.phis, b.insts} {
			for pos, x := range list {
				if i == 0 {
					pos = -1
				}
				switch was := v.at[x.id]; {
				case was.blk != nil:
					return fmt.Errorf("block b%d: %%%d stands in block b%d as well", b.id, x.id, was.blk.id)
				case x.blk != b:
					return fmt.Errorf("block b%d: %%%d does not know that it is in this block", b.id, x.id)
				case x.repl != nil:
					return fmt.Errorf("block b%d: %%%d was replaced and is still there", b.id, x.id)
				case (x.op == irPhi) != (i == 0):
					return fmt.Errorf("block b%d: %%%d is in the wrong list of its block", b.id, x.id)
				case x.leaf():
					return fmt.Errorf("block b%d: %s needs no place in a block", b.id, x.name())
				}
				v.at[x.id] = place{b, pos}
			}
		}
	}
	return v.order()
}

// entry returns the block where the kernel begins.
func (f *fn) entry() *block { return f.blocks[0] }

func (v *verifier) edges(b *block, known []bool) error {
	for _, s := range b.succs {
		switch {
		case !known[s.id]:
			return fmt.Errorf("leads to b%d, which is gone", s.id)
		case !contains(v.preds, s, s.preds, b):
			return fmt.Errorf("leads to b%d, which does not know it", s.id)
		}
	}
	if s := v.twice(b.succs); s != nil {
		return fmt.Errorf("two edges lead to b%d", s.id)
	}
	for _, p := range b.preds {
		switch {
		case !known[p.id]:
			return fmt.Errorf("comes from b%d, which is gone", p.id)
		case !contains(v.succs, p, p.succs, b):
			return fmt.Errorf("comes from b%d, which does not lead here", p.id)
		}
	}
	if p := v.twice(b.preds); p != nil {
		return fmt.Errorf("two edges come from b%d", p.id)
	}
	want := 1
	switch b.term {
	case termBr, termBarrier:
	case termCond:
		want = 2
	case termSwitch:
		want = len(b.succs)
		if b.table == nil {
			return fmt.Errorf("a switch without its table")
		}
		if want == 0 || len(b.table.cases) != len(b.table.to) {
			return fmt.Errorf("a switch of %d cases, %d ways and %d successors", len(b.table.cases), len(b.table.to), want)
		}
		for _, to := range b.table.to {
			if to < 0 || to >= want {
				return fmt.Errorf("a case leads to successor %d of %d", to, want)
			}
		}
	case termRet, termTrap:
		want = 0
	default:
		return fmt.Errorf("there is no terminator")
	}
	if len(b.succs) != want {
		return fmt.Errorf("%d successors where the terminator has %d", len(b.succs), want)
	}
	switch hasCond := b.term == termCond || b.term == termSwitch; {
	case hasCond && b.cond == nil:
		return fmt.Errorf("a branch without its operand")
	case !hasCond && b.cond != nil:
		return fmt.Errorf("an operand for a terminator that takes none")
	}
	return nil
}

// order puts the blocks into reverse post-order.
func (v *verifier) order() error {
	type frame struct {
		b *block
		i int
	}
	blocks := v.b.f.blocks
	seen := make([]bool, v.b.f.nblks) // by id
	post := make([]*block, 0, len(blocks))
	stack := []frame{{blocks[0], 0}}
	seen[blocks[0].id] = true
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.succs) {
			post = append(post, t.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := t.b.succs[t.i]
		t.i++
		if !seen[s.id] {
			seen[s.id] = true
			stack = append(stack, frame{s, 0})
		}
	}
	for _, b := range blocks {
		if !seen[b.id] {
			return fmt.Errorf("block b%d cannot be reached", b.id)
		}
	}
	v.rpo = make([]*block, 0, len(post))
	for i := len(post) - 1; i >= 0; i-- {
		v.num[post[i].id] = len(v.rpo)
		v.rpo = append(v.rpo, post[i])
	}
	return nil
}

// dominators finds the immediate dominator of each block.
func (v *verifier) dominators() {
	v.idom = make([]int, len(v.rpo))
	for i := range v.idom {
		v.idom[i] = -1
	}
	v.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(v.rpo); i++ {
			d := -1
			for _, p := range deepestFirst(v.rpo[i].preds) {
				n := v.num[p.id]
				switch {
				case v.idom[n] < 0:
				case d < 0:
					d = n
				default:
					for d != n {
						for d > n {
							d = v.idom[d]
						}
						for n > d {
							n = v.idom[n]
						}
					}
				}
			}
			if v.idom[i] != d {
				v.idom[i], changed = d, true
			}
		}
	}
	v.numberTree()
}

// numberTree numbers the blocks as a walk of the dominator tree enters them. Those that a block dominates have
// the numbers from its own up to the last one below it.
func (v *verifier) numberTree() {
	v.enter, v.last = make([]int, len(v.rpo)), make([]int, len(v.rpo))
	size := v.last // of the tree below each block, to begin with
	for i := len(v.rpo) - 1; i > 0; i-- {
		size[i]++
		size[v.idom[i]] += size[i]
	}
	next := make([]int, len(v.rpo)) // the number that the next block below each one gets
	next[0] = 1
	for i := 1; i < len(v.rpo); i++ {
		d := v.idom[i]
		v.enter[i] = next[d]
		next[d] += size[i]
		next[i] = v.enter[i] + 1
		v.last[i] = v.enter[i] + size[i] - 1
	}
	v.last[0] = len(v.rpo) - 1
}

// dominates says whether every way to block b leads through block a.
func (v *verifier) dominates(a, b *block) bool {
	x, y := v.num[a.id], v.num[b.id]
	return v.enter[x] <= v.enter[y] && v.enter[y] <= v.last[x]
}

// use checks that a value is there where b uses it: ahead of its instruction at
// pos.
func (v *verifier) use(x *value, b *block, pos int) error {
	if x.leaf() {
		if x.op == irInput {
			return fmt.Errorf("%s, the address of a built-in variable, is used as a value", x.name())
		}
		return nil
	}
	def := v.at[x.id]
	switch {
	case x.repl != nil:
		return fmt.Errorf("%%%d is used and was replaced", x.id)
	case def.blk == nil:
		return fmt.Errorf("%%%d is used and stands nowhere", x.id)
	case noResult(x):
		return fmt.Errorf("%%%d (%s) is used and has no result", x.id, x.op)
	case def.blk == b && def.pos >= pos || def.blk != b && !v.dominates(def.blk, b):
		return fmt.Errorf("%%%d is used where it need not have been made: it is of block b%d", x.id, def.blk.id)
	}
	return nil
}

func (v *verifier) block(b *block) error {
	for _, x := range b.phis {
		if len(x.args) != len(b.preds) {
			return fmt.Errorf("phi %%%d has %d operands for %d predecessors", x.id, len(x.args), len(b.preds))
		}
		for i, a := range x.args {
			if err := v.use(a, b.preds[i], len(b.preds[i].insts)); err != nil {
				return fmt.Errorf("phi %%%d: %w", x.id, err)
			}
			if !sameWidth(a.typ, x.typ) {
				return fmt.Errorf("phi %%%d is %s and its operand %s is %s", x.id, x.typ, a.name(), a.typ)
			}
		}
	}
	for pos, x := range b.insts {
		for _, a := range x.args {
			if err := v.use(a, b, pos); err != nil {
				return fmt.Errorf("%%%d (%s): %w", x.id, x.op, err)
			}
		}
		if err := v.operands(x); err != nil {
			return fmt.Errorf("%%%d (%s): %w", x.id, x.op, err)
		}
	}
	if b.cond == nil {
		return nil
	}
	if err := v.use(b.cond, b, len(b.insts)); err != nil {
		return fmt.Errorf("the terminator: %w", err)
	}
	switch {
	case b.term == termCond && b.cond.typ != isa.B1:
		return fmt.Errorf("a condition of type %s", b.cond.typ)
	case b.term == termSwitch && b.cond.typ.Bits() < 8:
		return fmt.Errorf("a switch over %s", b.cond.typ)
	}
	return nil
}

// sameWidth says whether values of the two types are interchangeable: they share
// a bank of registers.
func sameWidth(a, b isa.Type) bool { return a == b || a.Bits() == b.Bits() }

// operands checks the number of an instruction's operands, their widths and that
// of its result.
func (v *verifier) operands(x *value) error {
	if x.op == irStorage {
		// Behind promotion it becomes the handle of a pipe.
		if len(x.args) != 1 || x.typ != isa.I64 {
			return fmt.Errorf("a damaged pipe storage")
		}
		return nil
	}
	if x.op == irResult {
		return nil
	}
	if x.op == isa.OpInvalid || x.op >= isa.NumOps || x.op.IsTerminator() {
		return fmt.Errorf("no instruction of a block")
	}
	inf := x.op.Info()
	inst := x.elem // what Inst.Type will be
	if inf.Shape == isa.ShapeConvert {
		inst = x.typ
		if !inf.Src.Has(x.elem) {
			return fmt.Errorf("does not convert from %s", x.elem)
		}
	}
	if inf.Types != 0 && inst != isa.Void && !inf.Types.Has(inst) {
		return fmt.Errorf("does not work on %s", inst)
	}
	want, result, ok := v.b.signature(x)
	if !ok {
		return nil
	}
	if len(want) != len(x.args) {
		return fmt.Errorf("%d operands where there are %d", len(x.args), len(want))
	}
	for i, a := range x.args {
		if !sameWidth(a.typ, want[i]) {
			return fmt.Errorf("operand %d, %s, is %s and must be %s", i, a.name(), a.typ, want[i])
		}
	}
	if !sameWidth(x.typ, result) && x.typ != isa.Void {
		return fmt.Errorf("the result is %s and must be %s", x.typ, result)
	}
	return nil
}

// signature returns the types of an instruction's operands and of its result;
// false where a table of the kernel has them that is not at hand.
func (b *builder) signature(x *value) (args []isa.Type, result isa.Type, ok bool) {
	t := x.elem
	list := func(ts ...isa.Type) []isa.Type { return ts }
	address := func(behind ...isa.Type) []isa.Type {
		a := list(isa.I64)
		if x.idx != isa.IdxNone {
			a = append(a, x.idx.Type())
		}
		return append(a, behind...)
	}
	switch shape := x.op.Info().Shape; shape {
	case isa.ShapeCheck:
		return list(t, t)[:b.checks[x.imm].Kind.Operands()], isa.Void, true
	case isa.ShapeNone, isa.ShapeFence, isa.ShapeAsync:
		return nil, isa.Void, true
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad:
		return list(t, t, t, t)[:1+int(shape-isa.ShapeUnary)], t, true
	case isa.ShapeSelect:
		return list(isa.B1, t, t), t, true
	case isa.ShapeCompare:
		return list(t, t), isa.B1, true
	case isa.ShapeConvert:
		return list(t), x.typ, true
	case isa.ShapePtrAdd:
		return address(), isa.I64, true
	case isa.ShapePtrDiff:
		return list(isa.I64, isa.I64), isa.I64, true
	case isa.ShapeLoad, isa.ShapeBlockLoad:
		return address(), t, true
	case isa.ShapeStore, isa.ShapeBlockStore:
		return address(t), isa.Void, true
	case isa.ShapeAtomic:
		switch isa.AtomicOp(x.imm2) {
		case isa.AtomicLoad:
			return address(), t, true
		case isa.AtomicCmpXchg:
			return address(t, t), t, true
		}
		return address(t), t, true
	case isa.ShapeMemCopy:
		return list(isa.I64, isa.I64, isa.I64), isa.Void, true
	case isa.ShapeBuiltin:
		return nil, t, true
	case isa.ShapeShuffle:
		return list(t, isa.I32), t, true
	case isa.ShapeShuffle2:
		return list(t, t, isa.I32), t, true
	case isa.ShapeBallot:
		return list(t), isa.I32, true
	case isa.ShapeVote:
		return list(t), isa.B1, true
	case isa.ShapeElect:
		return nil, isa.B1, true
	case isa.ShapeClock:
		return nil, isa.I64, true
	case isa.ShapeScan:
		if len(x.args) > 1 {
			return list(t, isa.I32), t, true
		}
		return list(t), t, true
	case isa.ShapeGroupWait:
		return list(isa.I64), isa.Void, true
	case isa.ShapeGroupCopy:
		return registers(b.groupCopies[x.index].Regs), isa.I64, true
	case isa.ShapeLaneCopy:
		return registers(b.laneCopies[x.index].Regs), isa.Void, true
	case isa.ShapeImage:
		return registers(b.k.ImageAccesses[x.index].Regs), t, true
	case isa.ShapePrintf:
		for _, a := range b.k.Printfs[x.index].Args {
			for range a.Regs {
				args = append(args, a.Type)
			}
		}
		return args, isa.I32, true
	}
	return nil, isa.Void, false
}

// registers returns the types of the operands that an entry of a table has.
func registers(each func(func(*isa.Reg, isa.Type, string))) []isa.Type {
	var ts []isa.Type
	each(func(_ *isa.Reg, t isa.Type, _ string) { ts = append(ts, t) })
	return ts
}
