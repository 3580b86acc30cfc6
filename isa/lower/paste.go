package lower

import "github.com/lockstep-gpu/lockstep/isa"

// paster copies a prepared body to a call. A builder has one, whose memory serves call after call.
type paster struct {
	b       *builder
	p       *prepared
	args    []*value // scalars of the arguments
	to      []*value // by value.pos in the body: the copy, or what it amounts to
	locs    []uint32 // by place in prepared.locs: that in Kernel.Locs, 0 for none yet
	private []*value // by place in prepared.private: the variable of this call, nil for none yet
	blocks  []*block // by place in prepared.blocks
}

// paste copies a prepared body to the current place, and returns the scalars of its result.
func (b *builder) paste(p *prepared, args [][]*value) []*value {
	b.spend(perBlock * len(p.blocks))
	c := &b.paster
	c.b, c.p = b, p
	c.args = c.args[:0]
	for _, a := range args {
		c.args = append(c.args, a...)
	}
	c.to = cleared(c.to, p.values)
	c.private = cleared(c.private, len(p.private))
	c.locs = cleared(c.locs, len(p.locs))
	c.locs[locCall] = b.place()
	// As in inline, the entry block goes on where the call stands.
	c.blocks = append(c.blocks[:0], b.cur)
	if b.cur.name == "" {
		b.cur.name = p.blocks[0].name
	}
	for _, from := range p.blocks[1:] {
		blk := b.f.newBlock(from.name)
		blk.insts = make([]*value, 0, len(from.insts))
		c.blocks = append(c.blocks, blk)
	}
	for i, from := range p.blocks {
		c.phis(from, c.blocks[i])
	}
	exit := p.blocks[p.exit]
	end := len(exit.insts) - 1 // of the irResult
	for i, from := range p.blocks {
		b.cur = c.blocks[i]
		if from == exit {
			c.insts(from.insts[:end])
		} else {
			c.insts(from.insts)
			c.terminator(from, b.cur)
		}
	}
	for i, from := range p.blocks {
		for j, phi := range from.phis {
			for k, a := range phi.args {
				c.blocks[i].phis[j].args[k] = c.val(a)
			}
		}
	}
	result := make([]*value, 0, len(exit.insts[end].args))
	for _, a := range exit.insts[end].args {
		result = append(result, c.val(a))
	}
	b.cur = c.blocks[p.exit]
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
func (c *paster) val(v *value) *value {
	switch {
	case v.op == irArg:
		return c.args[v.index]
	case v.op == irPriv:
		return c.variable(v.index)
	case v.leaf():
		return v
	}
	return c.to[v.pos]
}

// variable returns the address of this call's copy of a private variable.
func (c *paster) variable(i int32) *value {
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
		c.b.spend(1)
		k := c.b.k
		c.locs[i] = uint32(len(k.Locs))
		k.Locs = push(k.Locs, l)
	}
	return c.locs[i]
}

// phis makes the phis of a block, whose operands come when everything is copied, and its predecessors.
func (c *paster) phis(from, to *block) {
	for _, p := range from.preds {
		to.preds = append(to.preds, c.blocks[p.rpo])
	}
	f := c.b.f
	for _, phi := range from.phis {
		n := f.newValue(irPhi, phi.typ, phi.elem, phi.args...)
		n.blk, n.loc = to, c.place(phi.loc)
		c.to[phi.pos] = n
		to.phis = append(to.phis, n)
	}
	c.b.spend(len(from.phis))
}

// insts copies instructions to the end of the current block.
func (c *paster) insts(list []*value) {
	b := c.b
	for _, v := range list {
		n := b.f.copyOf(v)
		for i, a := range n.args {
			n.args[i] = c.val(a)
		}
		if n.op == isa.OpPtrAdd {
			joinSteps(n)
		}
		if s := b.f.simplify(n); s != nil {
			c.to[v.pos] = s
			continue
		}
		n.blk, n.loc = b.cur, c.place(v.loc)
		c.to[v.pos] = n
		b.cur.insts = append(b.cur.insts, n)
	}
	b.spend(len(list))
}

// joinSteps makes an addition to a pointer that has been moved by a constant start from where that was moved from, as
// [builder.offset] and [builder.index] do.
func joinSteps(v *value) {
	p := v.args[0]
	if p.op != isa.OpPtrAdd || p.idx != isa.IdxNone {
		return
	}
	if v.idx == isa.IdxNone && mergeable(p, int64(v.disp)) || v.idx != isa.IdxNone && fits(int64(v.disp)+int64(p.disp)) {
		v.args[0] = p.args[0]
		v.disp += p.disp
	}
}

// terminator ends a block as the one that it is a copy of ends.
func (c *paster) terminator(from, to *block) {
	to.term, to.trap, to.table = from.term, from.trap, from.table
	to.termLoc = c.place(from.termLoc)
	if from.cond != nil {
		to.cond = c.val(from.cond)
	}
	for _, s := range from.succs {
		to.succs = append(to.succs, c.blocks[s.rpo])
	}
}
