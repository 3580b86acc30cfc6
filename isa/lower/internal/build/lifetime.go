package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Lifetimes of private variables, in kernels that are lowered for checks: what a variable holds when its lifetime begins
// is undefined, and afterwards nobody may use it. A lifetime begins and ends with OpLifetimeStart and OpLifetimeStop, and
// with the call of the function whose variable it is.

// Lifetime begins or ends the lifetime of the variable that id is a pointer to.
func (b *Builder) Lifetime(kind isa.CheckKind, id spirv.ID) {
	if !b.Module.Checked {
		return
	}
	if p, _ := b.One(id); p.Op == ssa.OpPrivate {
		b.checkLife(kind, p)
	}
}

// checkLife begins or ends the lifetime of a private variable.
func (b *Builder) checkLife(kind isa.CheckKind, p *ssa.Value) {
	a := &b.Kernel.Private[p.Index]
	if a.Param > 0 || a.Size == 0 {
		return
	}
	v := b.Func.NewValue(isa.OpCheck, isa.Void, isa.I64, p)
	v.Imm = uint64(len(b.Checks))
	if v.Disp = ssa.LifeBegins; kind == isa.CheckDead {
		v.Disp = ssa.LifeEnds
	}
	b.Checks = append(b.Checks, isa.Check{Kind: kind, Limit: a.Size, Name: a.Name})
	b.Add(v)
}

// beginVariable begins the lifetime of a variable of a function that is called. Those of the kernel itself live as long as
// it runs.
func (b *Builder) beginVariable(p *ssa.Value) {
	if b.Module.Checked && len(b.stack) > 1 {
		b.checkLife(isa.CheckLive, p)
		b.callees = append(b.callees, p)
	}
}

// endVariables ends the lifetimes of the variables behind the first n, whose function has returned.
func (b *Builder) endVariables(n int) {
	for _, p := range b.callees[n:] {
		b.checkLife(isa.CheckDead, p)
	}
	b.callees = b.callees[:n]
}

// StartLifetimes notes for each begin and end of a lifetime the first slot of the variable, and what the slots hold
// behind an end.
func (b *Builder) StartLifetimes(slots []opt.Slot) {
	if !b.Module.Checked {
		return
	}
	first := make([]int32, len(b.Kernel.Private)) // by variable, plus one
	for si := len(slots) - 1; si >= 0; si-- {
		first[slots[si].Index] = int32(si) + 1
	}
	ends := make([]bool, len(b.Kernel.Private))
	for _, blk := range b.Func.Blocks {
		for _, v := range blk.Insts {
			if v.Lifetime() {
				v.Pos = first[v.Args[0].Index]
				ends[v.Args[0].Index] = ends[v.Args[0].Index] || v.Disp == ssa.LifeEnds
			}
		}
	}
	dead := map[int32]int32{}
	for si := range slots {
		s := &slots[si]
		if !ends[s.Index] {
			continue
		}
		at, ok := dead[s.Index]
		if !ok {
			a := &b.Kernel.Private[s.Index]
			at = b.newUndefined(isa.Undefined{Name: a.Name, Elem: a.Elem, Loc: a.Loc, Dead: true})
			dead[s.Index] = at
		}
		s.Dead = b.undefinedValue(s.Type, at)
	}
}

// DropLifetimes drops the begins and ends of the lifetimes of variables that nothing accesses in memory any more.
func (b *Builder) DropLifetimes(slots []opt.Slot) {
	if len(b.Checks) == 0 {
		return
	}
	stays := make([]bool, len(b.Kernel.Private))
	note := func(p *ssa.Value) {
		if p, _ := opt.ConstantSteps(p); p.Op == ssa.OpPrivate {
			stays[p.Index] = true
		}
	}
	for _, blk := range b.Func.Blocks {
		for _, v := range blk.Phis {
			for _, a := range v.Args {
				note(a)
			}
		}
		for _, v := range blk.Insts {
			// An addition stays as long as somebody uses it.
			if v.Lifetime() || v.Op == isa.OpPtrAdd && v.Idx == isa.IdxNone {
				continue
			}
			for _, a := range v.Args {
				note(a)
			}
		}
		if blk.Cond != nil {
			note(blk.Cond)
		}
	}
	for _, blk := range b.Func.Blocks {
		insts := blk.Insts[:0]
		for _, v := range blk.Insts {
			if v.Lifetime() && !stays[v.Args[0].Index] {
				continue
			}
			insts = append(insts, v)
		}
		clear(blk.Insts[len(insts):])
		blk.Insts = insts
	}
}
