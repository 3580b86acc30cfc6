package lower

import "github.com/lockstep-gpu/lockstep/isa"

// ifConvert turns short branches over harmless instructions into selects: a
// select costs less than running two blocks under masks.
func ifConvert(f *fn) {
	if f.checked {
		return // a branch on an undefined value is a finding, a select is none
	}
	// Each round joins blocks, which lays open further branches: those around a
	// converted one. Nests deeper than this gain little by it.
	const rounds = 8
	for range rounds {
		c := &ifConverter{f: f, at: edgePlaces{f: f}, preds: make([]int, f.nblks), joined: make([]bool, f.nblks)}
		for _, p := range f.blocks {
			c.preds[p.id] = len(p.preds)
		}
		again := false
		for _, p := range f.blocks {
			if p.term == termCond && c.convertAt(p) {
				again = true
			}
		}
		if !again {
			break
		}
		f.simple = false
		for _, p := range f.blocks {
			if c.joined[p.id] {
				p.keepPreds(func(p *block) bool { return p != nil })
			}
		}
		f.cleanCFG()
	}
}

// ifConverter is a round of ifConvert. While it lasts an edge that is gone leaves its place among the predecessors
// empty, so that a block at which many branches join is put in order once.
type ifConverter struct {
	f      *fn
	at     edgePlaces
	preds  []int  // by block.id, predecessors that are left
	joined []bool // by block.id: some of its predecessors are gone
}

// cheap says whether a block may be run for lanes that do not need it.
func (c *ifConverter) cheap(b *block) bool {
	const most = 5
	if b.term != termBr || c.preds[b.id] != 1 || len(b.phis) > 0 || len(b.insts) > most {
		return false
	}
	for _, v := range b.insts {
		if !pure(v) {
			return false
		}
		switch v.op {
		case isa.OpMath1, isa.OpMath2, isa.OpMath3, isa.OpFDiv, isa.OpSqrt, isa.OpFRem, isa.OpFMod, isa.OpBuiltin:
			return false
		}
	}
	return true
}

// convertAt tries to make the branch at the end of p a select.
func (c *ifConverter) convertAt(p *block) bool {
	t, e := p.succs[0], p.succs[1]
	var join *block
	switch {
	case c.cheap(t) && c.cheap(e) && t.succs[0] == e.succs[0] && t.succs[0] != p && t.succs[0] != t:
		join = t.succs[0]
	case c.cheap(t) && t.succs[0] == e && e != p:
		join = e
	case c.cheap(e) && e.succs[0] == t && t != p:
		join = t
	default:
		return false
	}
	if join == p || len(join.phis) > 4 {
		return false
	}
	// way returns the place among join's predecessors that successor i of p leads to.
	way := func(i int) int {
		if x := p.succs[i]; x != join {
			return c.at.of(x, 0)
		}
		return c.at.of(p, i)
	}
	ti, ei := way(0), way(1)
	for _, x := range []*block{t, e} {
		if x == join {
			continue
		}
		for _, v := range x.insts {
			v.blk = p
		}
		p.insts = append(p.insts, x.insts...)
		x.insts = nil
	}
	merged := make([]*value, len(join.phis))
	for i, phi := range join.phis {
		x, y := phi.args[ti], phi.args[ei]
		if x != y {
			s := c.f.newValue(isa.OpSelect, phi.typ, phi.typ, p.cond, x, y)
			s.blk, s.loc = p, phi.loc
			p.insts = append(p.insts, s)
			x = s
		}
		merged[i] = x
	}
	at := -1
	for i, x := range [2]*block{t, e} {
		place := [2]int{ti, ei}[i]
		if x == join {
			at = place
			continue
		}
		join.preds[place] = nil
		x.preds, x.succs, x.term = nil, nil, termTrap
		c.preds[x.id] = 0
		c.preds[join.id]--
	}
	c.joined[join.id] = true
	if at < 0 {
		at = len(join.preds)
		join.preds = append(join.preds, p)
		c.preds[join.id]++
	}
	for i, phi := range join.phis {
		if at == len(phi.args) {
			phi.args = append(phi.args, merged[i])
		} else {
			phi.args[at] = merged[i]
		}
	}
	setBr(p, join)
	c.at.move(p, at)
	c.f.cfgChanged()
	return true
}
