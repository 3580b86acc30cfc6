package opt

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// IfConvert turns short branches over harmless instructions into selects: a
// select costs less than running two blocks under masks.
func IfConvert(f *ssa.Func) {
	if f.Checked {
		return // a branch on an undefined value is a finding, a select is none
	}
	// Each round joins blocks, which lays open further branches: those around a
	// converted one. Nests deeper than this gain little by it.
	const rounds = 8
	for range rounds {
		c := &ifConverter{f: f, at: ssa.EdgePlaces{Func: f}, preds: make([]int, f.NumBlocks), joined: make([]bool, f.NumBlocks)}
		for _, p := range f.Blocks {
			c.preds[p.ID] = len(p.Preds)
		}
		again := false
		for _, p := range f.Blocks {
			if p.Term == ssa.TermCond && c.convertAt(p) {
				again = true
			}
		}
		if !again {
			break
		}
		f.Simplified = false
		for _, p := range f.Blocks {
			if c.joined[p.ID] {
				p.KeepPreds(func(p *ssa.Block) bool { return p != nil })
			}
		}
		CleanCFG(f)
	}
}

// ifConverter is a round of IfConvert. While it lasts an edge that is gone leaves its place among the predecessors
// empty, so that a block at which many branches join is put in order once.
type ifConverter struct {
	f      *ssa.Func
	at     ssa.EdgePlaces
	preds  []int  // by Block.ID, predecessors that are left
	joined []bool // by Block.ID: some of its predecessors are gone
}

// cheap says whether a block may be run for lanes that do not need it.
func (c *ifConverter) cheap(b *ssa.Block) bool {
	const most = 5
	if b.Term != ssa.TermBr || c.preds[b.ID] != 1 || len(b.Phis) > 0 || len(b.Insts) > most {
		return false
	}
	for _, v := range b.Insts {
		if !ssa.Pure(v) {
			return false
		}
		switch v.Op {
		case isa.OpMath1, isa.OpMath2, isa.OpMath3, isa.OpFDiv, isa.OpSqrt, isa.OpFRem, isa.OpFMod, isa.OpBuiltin:
			return false
		}
	}
	return true
}

// convertAt tries to make the branch at the end of p a select.
func (c *ifConverter) convertAt(p *ssa.Block) bool {
	t, e := p.Succs[0], p.Succs[1]
	var join *ssa.Block
	switch {
	case c.cheap(t) && c.cheap(e) && t.Succs[0] == e.Succs[0] && t.Succs[0] != p && t.Succs[0] != t:
		join = t.Succs[0]
	case c.cheap(t) && t.Succs[0] == e && e != p:
		join = e
	case c.cheap(e) && e.Succs[0] == t && t != p:
		join = t
	default:
		return false
	}
	if join == p || len(join.Phis) > 4 {
		return false
	}
	// way returns the place among join's predecessors that successor i of p leads to.
	way := func(i int) int {
		if x := p.Succs[i]; x != join {
			return c.at.Of(x, 0)
		}
		return c.at.Of(p, i)
	}
	ti, ei := way(0), way(1)
	for _, x := range []*ssa.Block{t, e} {
		if x == join {
			continue
		}
		for _, v := range x.Insts {
			v.Block = p
		}
		p.Insts = append(p.Insts, x.Insts...)
		x.Insts = nil
	}
	merged := make([]*ssa.Value, len(join.Phis))
	for i, phi := range join.Phis {
		x, y := phi.Args[ti], phi.Args[ei]
		if x != y {
			s := c.f.NewValue(isa.OpSelect, phi.Type, phi.Type, p.Cond, x, y)
			s.Block, s.Loc = p, phi.Loc
			p.Insts = append(p.Insts, s)
			x = s
		}
		merged[i] = x
	}
	at := -1
	for i, x := range [2]*ssa.Block{t, e} {
		place := [2]int{ti, ei}[i]
		if x == join {
			at = place
			continue
		}
		join.Preds[place] = nil
		x.Preds, x.Succs, x.Term = nil, nil, ssa.TermTrap
		c.preds[x.ID] = 0
		c.preds[join.ID]--
	}
	c.joined[join.ID] = true
	if at < 0 {
		at = len(join.Preds)
		join.Preds = append(join.Preds, p)
		c.preds[join.ID]++
	}
	for i, phi := range join.Phis {
		if at == len(phi.Args) {
			phi.Args = append(phi.Args, merged[i])
		} else {
			phi.Args[at] = merged[i]
		}
	}
	ssa.SetBranch(p, join)
	c.at.Move(p, at)
	c.f.CFGChanged()
	return true
}
