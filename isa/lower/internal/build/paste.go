package build

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// paster copies a prepared body to a call. A builder has one, whose memory serves call after call.
type paster struct {
	b       *Builder
	p       *prepared
	args    []*ssa.Value // scalars of the arguments
	to      []*ssa.Value // by Value.Pos in the body: the copy, or what it amounts to
	locs    []uint32     // by place in prepared.locs: that in Kernel.Locs, 0 for none yet
	private []*ssa.Value // by place in prepared.private: the variable of this call, nil for none yet
	blocks  []*ssa.Block // by place in prepared.blocks
}

// paste copies a prepared body to the current place, and returns the scalars of its result.
func (b *Builder) paste(p *prepared, args [][]*ssa.Value) []*ssa.Value {
	b.Spend(perBlock * len(p.blocks))
	c := &b.paster
	c.b, c.p = b, p
	c.args = c.args[:0]
	for _, a := range args {
		c.args = append(c.args, a...)
	}
	c.to = cleared(c.to, p.values)
	c.private = cleared(c.private, len(p.private))
	c.locs = cleared(c.locs, len(p.locs))
	c.locs[locCall] = b.Place()
	// As in inline, the entry block goes on where the call stands.
	c.blocks = append(c.blocks[:0], b.Cur)
	if b.Cur.Name == "" {
		b.Cur.Name = p.blocks[0].Name
	}
	for _, from := range p.blocks[1:] {
		blk := b.Func.NewBlock(from.Name)
		blk.Insts = make([]*ssa.Value, 0, len(from.Insts))
		c.blocks = append(c.blocks, blk)
	}
	for i, from := range p.blocks {
		c.phis(from, c.blocks[i])
	}
	exit := p.blocks[p.exit]
	end := len(exit.Insts) - 1 // of the OpResult
	for i, from := range p.blocks {
		b.Cur = c.blocks[i]
		if from == exit {
			c.insts(from.Insts[:end])
		} else {
			c.insts(from.Insts)
			c.terminator(from, b.Cur)
		}
	}
	for i, from := range p.blocks {
		for j, phi := range from.Phis {
			for k, a := range phi.Args {
				c.blocks[i].Phis[j].Args[k] = c.val(a)
			}
		}
	}
	result := make([]*ssa.Value, 0, len(exit.Insts[end].Args))
	for _, a := range exit.Insts[end].Args {
		result = append(result, c.val(a))
	}
	b.Cur = c.blocks[p.exit]
	return result
}

// cleared returns a list of n zeros, in the memory of another if it is large enough.
func cleared[T any](list []T, n int) []T {
	if n > cap(list) {
		return make([]T, n, 2*n)
	}
	list = list[:n]
	clear(list)
	return list
}

// val returns what a value of the body is here.
func (c *paster) val(v *ssa.Value) *ssa.Value {
	switch {
	case v.Op == ssa.OpArg:
		return c.args[v.Index]
	case v.Op == ssa.OpPrivate:
		return c.variable(v.Index)
	case v.Leaf():
		return v
	}
	return c.to[v.Pos]
}

// variable returns the address of this call's copy of a private variable.
func (c *paster) variable(i int32) *ssa.Value {
	if c.private[i] == nil {
		b := c.b
		a := c.p.private[i]
		a.Loc = c.place(a.Loc)
		c.private[i] = b.newPrivate(a, c.p.varTypes[i])
	}
	return c.private[i]
}

// place returns the index in Kernel.Locs of a place in the body. Calls in small modules may ask for as many places as for
// instructions, so that they count as much.
func (c *paster) place(i uint32) uint32 {
	if i != 0 && c.locs[i] == 0 {
		l := c.p.locs[i]
		l.At = c.place(l.At)
		c.b.Spend(1)
		k := c.b.Kernel
		c.locs[i] = uint32(len(k.Locs))
		k.Locs = ssa.Append(k.Locs, l)
	}
	return c.locs[i]
}

// phis makes the phis of a block, whose operands come when everything is copied, and its predecessors.
func (c *paster) phis(from, to *ssa.Block) {
	for _, p := range from.Preds {
		to.Preds = append(to.Preds, c.blocks[p.RPO])
	}
	f := c.b.Func
	for _, phi := range from.Phis {
		n := f.NewValue(ssa.OpPhi, phi.Type, phi.Elem, phi.Args...)
		n.Block, n.Loc = to, c.place(phi.Loc)
		c.to[phi.Pos] = n
		to.Phis = append(to.Phis, n)
	}
	c.b.Spend(len(from.Phis))
}

// insts copies instructions to the end of the current block.
func (c *paster) insts(list []*ssa.Value) {
	b := c.b
	for _, v := range list {
		n := b.Func.CopyOf(v)
		for i, a := range n.Args {
			n.Args[i] = c.val(a)
		}
		if n.Op == isa.OpPtrAdd {
			joinSteps(n)
		}
		if s := opt.SimplifyValue(b.Func, n); s != nil {
			c.to[v.Pos] = s
			continue
		}
		n.Block, n.Loc = b.Cur, c.place(v.Loc)
		c.to[v.Pos] = n
		b.Cur.Insts = append(b.Cur.Insts, n)
	}
	b.Spend(len(list))
}

// joinSteps makes an addition to a pointer that has been moved by a constant start from where that was moved from, as
// [Builder.Offset] and [Builder.Index] do.
func joinSteps(v *ssa.Value) {
	p := v.Args[0]
	if p.Op != isa.OpPtrAdd || p.Idx != isa.IdxNone {
		return
	}
	if v.Idx == isa.IdxNone && opt.Mergeable(p, int64(v.Disp)) || v.Idx != isa.IdxNone && ssa.FitsDisp(int64(v.Disp)+int64(p.Disp)) {
		v.Args[0] = p.Args[0]
		v.Disp += p.Disp
	}
}

// terminator ends a block as the one that it is a copy of ends.
func (c *paster) terminator(from, to *ssa.Block) {
	to.Term, to.Trap, to.Table = from.Term, from.Trap, from.Table
	to.TermLoc = c.place(from.TermLoc)
	if from.Cond != nil {
		to.Cond = c.val(from.Cond)
	}
	for _, s := range from.Succs {
		to.Succs = append(to.Succs, c.blocks[s.RPO])
	}
}

// Copied returns the names of the functions whose bodies have been copied, in order.
func (b *Builder) Copied() []string {
	names := []string{}
	for f, p := range b.bodyOf {
		if p != nil {
			names = append(names, b.Module.Names[f.Def.ResultID()])
		}
	}
	slices.Sort(names)
	return names
}
