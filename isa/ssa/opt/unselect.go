package opt

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Unselect makes accesses through a pointer that each lane selects out of two, of different objects, a branch
// to an access through either (reverse if-conversion: Warter, Mahlke, Hwu and Rau, PLDI 1993). Pointers of
// the lanes into several objects are what engines are slowest at; behind a branch each access has one object,
// and an index for each lane at most.
func Unselect(f *ssa.Func) {
	if f.Checked || f.Ordered || f.Once || !selectsPointers(f) {
		return
	}
	f.GuessDivergence()
	u := &unselecter{f: f}
	for i := 0; i < len(f.Blocks); i++ { // new blocks come behind
		for u.block(f.Blocks[i]) {
		}
	}
	if u.changed {
		f.ReplaceAll()
		f.CFGChanged()
		f.Simplified = false
	}
}

// selectsPointers says whether there is an access through a selected pointer.
func selectsPointers(f *ssa.Func) bool {
	for _, b := range f.Blocks {
		if slices.ContainsFunc(b.Insts, throughSelect) {
			return true
		}
	}
	return false
}

// throughSelect says whether v is a load or store through a pointer that is made of a selected one.
func throughSelect(v *ssa.Value) bool {
	return (v.Op == isa.OpLoad || v.Op == isa.OpStore) && v.Flags&isa.FlagVolatile == 0 && origin(v.Args[0]).Op == isa.OpSelect
}

// origin returns the pointer that p is made of by steps.
func origin(p *ssa.Value) *ssa.Value {
	for p.Op == isa.OpPtrAdd {
		p = p.Args[0]
	}
	return p
}

// maxSelected bounds how deep selections are nested in which objects are looked for.
const maxSelected = 4

type unselecter struct {
	f       *ssa.Func
	changed bool
}

// object returns the pointer that p is made of by steps, if that is the same for all lanes, and says whether
// p is made so, or selected out of such.
func object(p *ssa.Value, depth int) (base *ssa.Value, ok bool) {
	if p = origin(p); !p.Varying {
		return p, true
	}
	if p.Op != isa.OpSelect || depth == maxSelected {
		return nil, false
	}
	_, a := object(p.Args[1], depth+1)
	_, b := object(p.Args[2], depth+1)
	return nil, a && b
}

// condition returns what decides through which of two pointers v goes, if it is to be a branch; otherwise
// nil.
func (u *unselecter) condition(v *ssa.Value) *ssa.Value {
	if !throughSelect(v) {
		return nil
	}
	p := origin(v.Args[0])
	if !p.Args[0].Varying {
		return nil
	}
	x, ok := object(p.Args[1], 0)
	y, ok2 := object(p.Args[2], 0)
	if !ok || !ok2 || x != nil && x == y {
		return nil
	}
	return p.Args[0]
}

// block splits a block at the first access that is to become two. It says whether there is one.
func (u *unselecter) block(b *ssa.Block) bool {
	at, cond := 0, (*ssa.Value)(nil)
	for ; at < len(b.Insts) && b.Wait == nil; at++ {
		if cond = u.condition(b.Insts[at]); cond != nil {
			break
		}
	}
	if cond == nil {
		return false
	}
	// Accesses that follow and go the same ways join it, as far as what stands between can move ahead of or
	// behind them all.
	op := b.Insts[at].Op
	before, group, after := slices.Clone(b.Insts[:at]), []*ssa.Value(nil), []*ssa.Value(nil)
	behind := map[*ssa.Value]bool{}
	for i, v := range b.Insts[at:] {
		needs := slices.ContainsFunc(v.Args, func(a *ssa.Value) bool { return behind[a] })
		switch {
		case v.Op == op && !needs && u.condition(v) == cond:
			group = append(group, v)
			behind[v] = true
			continue
		case !ssa.Pure(v):
			after = append(after, b.Insts[at+i:]...)
		case needs:
			after = append(after, v)
			behind[v] = true
			continue
		default:
			before = append(before, v)
			continue
		}
		break
	}
	u.split(b, cond, before, group, after)
	return true
}

// split ends b behind the instructions before, with a branch to two blocks that have an access for each of a
// group, and puts the instructions after into a block that both lead to.
func (u *unselecter) split(b *ssa.Block, cond *ssa.Value, before, group, after []*ssa.Value) {
	rest := u.f.NewBlock("")
	rest.Term, rest.Trap, rest.Scope, rest.Uniform, rest.Schedule = b.Term, b.Trap, b.Scope, b.Uniform, b.Schedule
	rest.MemoryOrder, rest.TermLoc, rest.Table, rest.Cond = b.MemoryOrder, b.TermLoc, b.Table, b.Cond
	rest.Succs = append(rest.Succs, b.Succs...)
	for _, s := range rest.Succs {
		for i, p := range s.Preds {
			if p == b {
				s.Preds[i] = rest
			}
		}
	}
	rest.Insts = after
	for _, v := range after {
		v.Block = rest
	}
	b.Insts, b.Term, b.Cond, b.Table, b.TermLoc, b.Succs = before, ssa.TermCond, cond, nil, group[0].Loc, nil
	for _, v := range before {
		v.Block = b
	}
	var ways [2][]*ssa.Value // what the accesses have become
	for way := range ways {
		x := u.f.NewBlock("")
		x.Term, x.TermLoc = ssa.TermBr, group[0].Loc
		ssa.Link(b, x)
		ssa.Link(x, rest)
		for _, v := range group {
			p := u.pointer(v.Args[0], way, x)
			n := u.f.CopyOf(v)
			n.Args[0], n.Block, n.Varying = p, x, v.Varying
			x.Insts = append(x.Insts, n)
			ways[way] = append(ways[way], n)
		}
	}
	for i, v := range group {
		if v.Op == isa.OpLoad {
			phi := u.f.NewValue(ssa.OpPhi, v.Type, v.Type, ways[0][i], ways[1][i])
			phi.Block, phi.Loc, phi.Varying = rest, v.Loc, true
			rest.Phis = append(rest.Phis, phi)
			v.Repl = phi
		}
	}
	u.changed = true
}

// pointer returns the pointer p, made of one of those that its origin selects from, with the steps in block
// x.
func (u *unselecter) pointer(p *ssa.Value, way int, x *ssa.Block) *ssa.Value {
	if p.Op != isa.OpPtrAdd {
		return p.Args[1+way]
	}
	base := u.pointer(p.Args[0], way, x)
	n := u.f.CopyOf(p)
	n.Args[0], n.Block = base, x
	n.Varying = slices.ContainsFunc(n.Args, func(a *ssa.Value) bool { return a.Varying })
	x.Insts = append(x.Insts, n)
	return n
}
