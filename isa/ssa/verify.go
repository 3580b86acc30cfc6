package ssa

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Verify checks that the kernel's SSA form is well-formed: what passes take for
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
func (f *Func) Verify() error {
	v := &verifier{f: f, at: make([]place, f.NumValues), num: make([]int, f.NumBlocks), mark: make([]int, f.NumBlocks),
		preds: map[*Block]map[*Block]bool{}, succs: map[*Block]map[*Block]bool{}}
	if err := v.shape(); err != nil {
		return err
	}
	v.dominators()
	for _, blk := range f.Blocks {
		if err := v.block(blk); err != nil {
			return fmt.Errorf("block b%d: %w", blk.ID, err)
		}
	}
	return nil
}

// deepestFirst returns a block's predecessors, those that come last in reverse
// post-order first when there are many: the common dominator of a long chain of
// blocks with one exit is found by climbing the chain once, and not once a block.
func deepestFirst(preds []*Block) []*Block {
	if len(preds) <= 8 {
		return preds
	}
	preds = slices.Clone(preds)
	slices.SortFunc(preds, func(a, b *Block) int { return b.RPO - a.RPO })
	return preds
}

// place is where a value stands: phis are at -1. The zero place is nowhere.
type place struct {
	blk *Block
	pos int
}

type verifier struct {
	f   *Func
	at  []place // by Value.ID
	num []int   // place in reverse post-order, by Block.ID
	// By place in reverse post-order.
	rpo  []*Block
	idom []int
	// enter and last are numbers in the dominator tree, see numberTree.
	enter, last []int
	// mark is the last edge list in which a block was seen, by Block.ID; lists counts those.
	mark  []int
	lists int
	// preds and succs are the ends of edges of blocks with many.
	preds, succs map[*Block]map[*Block]bool
}

// ManyEdges is how many edges a block has for which looking through all of them, for each, takes too long.
const ManyEdges = 16

// contains says whether x is in a list of edges of b, for which there are sets where the list is long.
func contains(sets map[*Block]map[*Block]bool, b *Block, list []*Block, x *Block) bool {
	if len(list) < ManyEdges {
		return slices.Contains(list, x)
	}
	set := sets[b]
	if set == nil {
		set = make(map[*Block]bool, len(list))
		for _, y := range list {
			set[y] = true
		}
		sets[b] = set
	}
	return set[x]
}

// twice returns a block that is in a list of edges more than once, or nil.
func (v *verifier) twice(list []*Block) *Block {
	v.lists++
	for _, x := range list {
		if v.mark[x.ID] == v.lists {
			return x
		}
		v.mark[x.ID] = v.lists
	}
	return nil
}

// shape checks blocks and edges, and notes where each value stands.
func (v *verifier) shape() error {
	f := v.f
	if len(f.Blocks) == 0 {
		return fmt.Errorf("there is no block")
	}
	known := make([]bool, f.NumBlocks) // by id
	for _, b := range f.Blocks {
		if known[b.ID] {
			return fmt.Errorf("block b%d is there twice", b.ID)
		}
		known[b.ID] = true
	}
	if n := len(f.entry().Preds); n > 0 {
		return fmt.Errorf("%d edges lead to the entry", n)
	}
	for _, b := range f.Blocks {
		if err := v.edges(b, known); err != nil {
			return fmt.Errorf("block b%d: %w", b.ID, err)
		}
		for i, list := range [2][]*Value{b.Phis, b.Insts} {
			for pos, x := range list {
				if i == 0 {
					pos = -1
				}
				switch was := v.at[x.ID]; {
				case was.blk != nil:
					return fmt.Errorf("block b%d: %%%d stands in block b%d as well", b.ID, x.ID, was.blk.ID)
				case x.Block != b:
					return fmt.Errorf("block b%d: %%%d does not know that it is in this block", b.ID, x.ID)
				case x.Repl != nil:
					return fmt.Errorf("block b%d: %%%d was replaced and is still there", b.ID, x.ID)
				case (x.Op == OpPhi) != (i == 0):
					return fmt.Errorf("block b%d: %%%d is in the wrong list of its block", b.ID, x.ID)
				case x.Leaf():
					return fmt.Errorf("block b%d: %s needs no place in a block", b.ID, x.Name())
				}
				v.at[x.ID] = place{b, pos}
			}
		}
	}
	return v.order()
}

// entry returns the block where the kernel begins.
func (f *Func) entry() *Block { return f.Blocks[0] }

func (v *verifier) edges(b *Block, known []bool) error {
	for _, s := range b.Succs {
		switch {
		case !known[s.ID]:
			return fmt.Errorf("leads to b%d, which is gone", s.ID)
		case !contains(v.preds, s, s.Preds, b):
			return fmt.Errorf("leads to b%d, which does not know it", s.ID)
		}
	}
	if s := v.twice(b.Succs); s != nil {
		return fmt.Errorf("two edges lead to b%d", s.ID)
	}
	for _, p := range b.Preds {
		switch {
		case !known[p.ID]:
			return fmt.Errorf("comes from b%d, which is gone", p.ID)
		case !contains(v.succs, p, p.Succs, b):
			return fmt.Errorf("comes from b%d, which does not lead here", p.ID)
		}
	}
	if p := v.twice(b.Preds); p != nil {
		return fmt.Errorf("two edges come from b%d", p.ID)
	}
	want := 1
	switch b.Term {
	case TermBr, TermBarrier:
	case TermCond:
		want = 2
	case TermSwitch:
		want = len(b.Succs)
		if b.Table == nil {
			return fmt.Errorf("a switch without its table")
		}
		if want == 0 || len(b.Table.Cases) != len(b.Table.To) {
			return fmt.Errorf("a switch of %d cases, %d ways and %d successors", len(b.Table.Cases), len(b.Table.To), want)
		}
		for _, to := range b.Table.To {
			if to < 0 || to >= want {
				return fmt.Errorf("a case leads to successor %d of %d", to, want)
			}
		}
	case TermRet, TermTrap:
		want = 0
	default:
		return fmt.Errorf("there is no terminator")
	}
	if len(b.Succs) != want {
		return fmt.Errorf("%d successors where the terminator has %d", len(b.Succs), want)
	}
	switch hasCond := b.Term == TermCond || b.Term == TermSwitch; {
	case hasCond && b.Cond == nil:
		return fmt.Errorf("a branch without its operand")
	case !hasCond && b.Cond != nil:
		return fmt.Errorf("an operand for a terminator that takes none")
	}
	return nil
}

// order puts the blocks into reverse post-order.
func (v *verifier) order() error {
	type frame struct {
		b *Block
		i int
	}
	blocks := v.f.Blocks
	seen := make([]bool, v.f.NumBlocks) // by id
	post := make([]*Block, 0, len(blocks))
	stack := []frame{{blocks[0], 0}}
	seen[blocks[0].ID] = true
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.Succs) {
			post = append(post, t.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := t.b.Succs[t.i]
		t.i++
		if !seen[s.ID] {
			seen[s.ID] = true
			stack = append(stack, frame{s, 0})
		}
	}
	for _, b := range blocks {
		if !seen[b.ID] {
			return fmt.Errorf("block b%d cannot be reached", b.ID)
		}
	}
	v.rpo = make([]*Block, 0, len(post))
	for i := len(post) - 1; i >= 0; i-- {
		v.num[post[i].ID] = len(v.rpo)
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
			for _, p := range deepestFirst(v.rpo[i].Preds) {
				n := v.num[p.ID]
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
func (v *verifier) dominates(a, b *Block) bool {
	x, y := v.num[a.ID], v.num[b.ID]
	return v.enter[x] <= v.enter[y] && v.enter[y] <= v.last[x]
}

// use checks that a value is there where b uses it: ahead of its instruction at
// pos.
func (v *verifier) use(x *Value, b *Block, pos int) error {
	if x.Leaf() {
		if x.Op == OpInput {
			return fmt.Errorf("%s, the address of a built-in variable, is used as a value", x.Name())
		}
		return nil
	}
	def := v.at[x.ID]
	switch {
	case x.Repl != nil:
		return fmt.Errorf("%%%d is used and was replaced", x.ID)
	case def.blk == nil:
		return fmt.Errorf("%%%d is used and stands nowhere", x.ID)
	case NoResult(x):
		return fmt.Errorf("%%%d (%s) is used and has no result", x.ID, x.Op)
	case def.blk == b && def.pos >= pos || def.blk != b && !v.dominates(def.blk, b):
		return fmt.Errorf("%%%d is used where it need not have been made: it is of block b%d", x.ID, def.blk.ID)
	}
	return nil
}

func (v *verifier) block(b *Block) error {
	for _, x := range b.Phis {
		if len(x.Args) != len(b.Preds) {
			return fmt.Errorf("phi %%%d has %d operands for %d predecessors", x.ID, len(x.Args), len(b.Preds))
		}
		for i, a := range x.Args {
			if err := v.use(a, b.Preds[i], len(b.Preds[i].Insts)); err != nil {
				return fmt.Errorf("phi %%%d: %w", x.ID, err)
			}
			if !SameWidth(a.Type, x.Type) {
				return fmt.Errorf("phi %%%d is %s and its operand %s is %s", x.ID, x.Type, a.Name(), a.Type)
			}
		}
	}
	for pos, x := range b.Insts {
		for _, a := range x.Args {
			if err := v.use(a, b, pos); err != nil {
				return fmt.Errorf("%%%d (%s): %w", x.ID, x.Op, err)
			}
		}
		if err := v.operands(x); err != nil {
			return fmt.Errorf("%%%d (%s): %w", x.ID, x.Op, err)
		}
	}
	if b.Cond == nil {
		return nil
	}
	if err := v.use(b.Cond, b, len(b.Insts)); err != nil {
		return fmt.Errorf("the terminator: %w", err)
	}
	switch {
	case b.Term == TermCond && b.Cond.Type != isa.B1:
		return fmt.Errorf("a condition of type %s", b.Cond.Type)
	case b.Term == TermSwitch && b.Cond.Type.Bits() < 8:
		return fmt.Errorf("a switch over %s", b.Cond.Type)
	}
	return nil
}

// SameWidth says whether values of the two types are interchangeable: they share
// a bank of registers.
func SameWidth(a, b isa.Type) bool { return a == b || a.Bits() == b.Bits() }

// VerifyOperands checks the number of the operands of an instruction, their widths and that of its result.
func (f *Func) VerifyOperands(x *Value) error { return (&verifier{f: f}).operands(x) }

// operands checks the number of an instruction's operands, their widths and that
// of its result.
func (v *verifier) operands(x *Value) error {
	if x.Op == OpPipeStorage {
		// Behind promotion it becomes the handle of a pipe.
		if len(x.Args) != 1 || x.Type != isa.I64 {
			return fmt.Errorf("a damaged pipe storage")
		}
		return nil
	}
	if x.Op == OpResult {
		return nil
	}
	if x.Op == isa.OpInvalid || x.Op >= isa.NumOps || x.Op.IsTerminator() {
		return fmt.Errorf("no instruction of a block")
	}
	inf := x.Op.Info()
	inst := x.Elem // what Inst.Type will be
	if inf.Shape == isa.ShapeConvert {
		inst = x.Type
		if !inf.Src.Has(x.Elem) {
			return fmt.Errorf("does not convert from %s", x.Elem)
		}
	}
	if inf.Types != 0 && inst != isa.Void && !inf.Types.Has(inst) {
		return fmt.Errorf("does not work on %s", inst)
	}
	want, result, ok := v.f.signature(x)
	if !ok {
		return nil
	}
	if len(want) != len(x.Args) {
		return fmt.Errorf("%d operands where there are %d", len(x.Args), len(want))
	}
	for i, a := range x.Args {
		if !SameWidth(a.Type, want[i]) {
			return fmt.Errorf("operand %d, %s, is %s and must be %s", i, a.Name(), a.Type, want[i])
		}
	}
	if !SameWidth(x.Type, result) && x.Type != isa.Void {
		return fmt.Errorf("the result is %s and must be %s", x.Type, result)
	}
	return nil
}

// signature returns the types of an instruction's operands and of its result;
// false where a table of the kernel has them that is not at hand.
func (f *Func) signature(x *Value) (args []isa.Type, result isa.Type, ok bool) {
	t := x.Elem
	list := func(ts ...isa.Type) []isa.Type { return ts }
	address := func(behind ...isa.Type) []isa.Type {
		a := list(isa.I64)
		if x.Idx != isa.IdxNone {
			a = append(a, x.Idx.Type())
		}
		return append(a, behind...)
	}
	switch shape := x.Op.Info().Shape; shape {
	case isa.ShapeCheck:
		return list(t, t)[:f.Checks[x.Imm].Kind.Operands()], isa.Void, true
	case isa.ShapeNone, isa.ShapeFence, isa.ShapeAsync:
		return nil, isa.Void, true
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad:
		return list(t, t, t, t)[:1+int(shape-isa.ShapeUnary)], t, true
	case isa.ShapeSelect:
		return list(isa.B1, t, t), t, true
	case isa.ShapeCompare:
		return list(t, t), isa.B1, true
	case isa.ShapeConvert:
		return list(t), x.Type, true
	case isa.ShapePtrAdd:
		return address(), isa.I64, true
	case isa.ShapePtrDiff:
		return list(isa.I64, isa.I64), isa.I64, true
	case isa.ShapeLoad, isa.ShapeBlockLoad:
		return address(), t, true
	case isa.ShapeStore, isa.ShapeBlockStore:
		return address(t), isa.Void, true
	case isa.ShapeAtomic:
		switch isa.AtomicOp(x.Imm2) {
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
	case isa.ShapeScan:
		if len(x.Args) > 1 {
			return list(t, isa.I32), t, true
		}
		return list(t), t, true
	case isa.ShapeGroupWait:
		return list(isa.I64), isa.Void, true
	case isa.ShapeGroupCopy:
		return registers(f.GroupCopies[x.Index].Regs), isa.I64, true
	case isa.ShapeLaneCopy:
		return registers(f.LaneCopies[x.Index].Regs), isa.Void, true
	case isa.ShapeImage:
		return registers(f.Kernel.ImageAccesses[x.Index].Regs), t, true
	case isa.ShapePrintf:
		for _, a := range f.Kernel.Printfs[x.Index].Args {
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
