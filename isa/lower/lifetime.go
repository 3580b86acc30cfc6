package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Lifetimes of private variables, in kernels that are lowered for checks: what a variable holds when its lifetime begins
// is undefined, and afterwards nobody may use it. A lifetime begins and ends with OpLifetimeStart and OpLifetimeStop, and
// with the call of the function whose variable it is.

// lifetime begins or ends the lifetime of the variable that id is a pointer to.
func (b *builder) lifetime(kind isa.CheckKind, id spirv.ID) {
	if !b.m.checked {
		return
	}
	if p, _ := b.one(id); p.op == irPriv {
		b.checkLife(kind, p)
	}
}

// checkLife begins or ends the lifetime of a private variable.
func (b *builder) checkLife(kind isa.CheckKind, p *value) {
	a := &b.k.Private[p.index]
	if a.Param > 0 || a.Size == 0 {
		return
	}
	v := b.f.newValue(isa.OpCheck, isa.Void, isa.I64, p)
	v.imm = uint64(len(b.checks))
	if v.disp = lifeBegins; kind == isa.CheckDead {
		v.disp = lifeEnds
	}
	b.checks = append(b.checks, isa.Check{Kind: kind, Limit: a.Size, Name: a.Name})
	b.add(v)
}

// beginVariable begins the lifetime of a variable of a function that is called. Those of the kernel itself live as long as
// it runs.
func (b *builder) beginVariable(p *value) {
	if b.m.checked && len(b.stack) > 1 {
		b.checkLife(isa.CheckLive, p)
		b.callees = append(b.callees, p)
	}
}

// endVariables ends the lifetimes of the variables behind the first n, whose function has returned.
func (b *builder) endVariables(n int) {
	for _, p := range b.callees[n:] {
		b.checkLife(isa.CheckDead, p)
	}
	b.callees = b.callees[:n]
}

// startLifetimes notes for each begin and end of a lifetime the first slot of the variable, and what the slots hold
// behind an end.
func (b *builder) startLifetimes(slots []slot) {
	if !b.m.checked {
		return
	}
	first := make([]int32, len(b.k.Private)) // by variable, plus one
	for si := len(slots) - 1; si >= 0; si-- {
		first[slots[si].index] = int32(si) + 1
	}
	ends := make([]bool, len(b.k.Private))
	for _, blk := range b.f.blocks {
		for _, v := range blk.insts {
			if v.lifetime() {
				v.pos = first[v.args[0].index]
				ends[v.args[0].index] = ends[v.args[0].index] || v.disp == lifeEnds
			}
		}
	}
	dead := map[int32]int32{}
	for si := range slots {
		s := &slots[si]
		if !ends[s.index] {
			continue
		}
		at, ok := dead[s.index]
		if !ok {
			a := &b.k.Private[s.index]
			at = b.newUndefined(isa.Undefined{Name: a.Name, Elem: a.Elem, Loc: a.Loc, Dead: true})
			dead[s.index] = at
		}
		s.dead = b.undefinedValue(s.t, at)
	}
}

// dropLifetimes drops the begins and ends of the lifetimes of variables that nothing accesses in memory any more.
func (b *builder) dropLifetimes(slots []slot) {
	if len(b.checks) == 0 {
		return
	}
	stays := make([]bool, len(b.k.Private))
	note := func(p *value) {
		if p, _ := constantSteps(p); p.op == irPriv {
			stays[p.index] = true
		}
	}
	for _, blk := range b.f.blocks {
		for _, v := range blk.phis {
			for _, a := range v.args {
				note(a)
			}
		}
		for _, v := range blk.insts {
			// An addition stays as long as somebody uses it.
			if v.lifetime() || v.op == isa.OpPtrAdd && v.idx == isa.IdxNone {
				continue
			}
			for _, a := range v.args {
				note(a)
			}
		}
		if blk.cond != nil {
			note(blk.cond)
		}
	}
	for _, blk := range b.f.blocks {
		insts := blk.insts[:0]
		for _, v := range blk.insts {
			if v.lifetime() && !stays[v.args[0].index] {
				continue
			}
			insts = append(insts, v)
		}
		clear(blk.insts[len(insts):])
		blk.insts = insts
	}
}
