package opt

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Limits of what is unrolled for the sake of private variables: the bytes of such a
// variable, every scalar of which may come to occupy a register all the time, and
// the instructions of a kernel that its loops become, many of which turn out to be
// constants. Both are small: a variable costs a load or a store where it is used, but
// code costs time whenever a kernel is compiled, and registers that do not fit in a
// cache are memory again.
const (
	maxOpened     = 128
	maxOpenedCode = 512
)

// indexedUse is an access to a private variable at a place that is no constant.
type indexedUse struct {
	v       *ssa.Value
	indexes []*ssa.Value
}

// opened is a private variable that promotion may be opened to.
type opened struct {
	kept bool // it is used in a way that cannot be followed
	uses []indexedUse
}

// indexedVariables finds the private variables that are accessed at places which are no constants, and in no way that
// cannot be followed.
func indexedVariables(f *ssa.Func) []*opened {
	vars := make([]opened, len(f.Kernel.Private))
	keep := func(p *ssa.Value) {
		if vi := ssa.PrivateRoot(p); vi >= 0 {
			vars[vi].kept = true
		}
	}
	f.Need(ssa.AnalysisOrder)
	for _, blk := range f.Blocks {
		for _, v := range blk.Insts {
			switch v.Op {
			case isa.OpPtrAdd: // those who use it count
				v.Pos = ssa.PrivateRoot(v.Args[0]) + 1
			case isa.OpLoad, isa.OpStore:
				vi := ssa.PrivateRoot(v.Args[0])
				var indexes []*ssa.Value // on the way to the variable
				if vi >= 0 && !vars[vi].kept {
					n := 0
					for p := v.Args[0]; p.Op == isa.OpPtrAdd; p = p.Args[0] {
						if p.Idx != isa.IdxNone {
							indexes = append(indexes, p.Args[1])
						}
						if n++; n > ssa.MaxChain {
							vars[vi].kept = true
							break
						}
					}
				}
				for _, a := range v.Args[1:] {
					keep(a)
				}
				switch {
				case vi < 0:
				case v.Idx != isa.IdxNone, v.Flags&isa.FlagVolatile != 0, f.Kernel.Private[vi].Size > maxOpened:
					vars[vi].kept = true
				case len(indexes) > 0:
					vars[vi].uses = append(vars[vi].uses, indexedUse{v, indexes})
				}
			default:
				for _, a := range v.Args {
					keep(a)
				}
			}
		}
	}
	for _, blk := range f.Blocks {
		for _, v := range blk.Phis {
			for _, a := range v.Args {
				keep(a)
			}
		}
	}
	var out []*opened
	for i := range vars {
		if o := &vars[i]; !o.kept && len(o.uses) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// openable finds the loops that, unrolled, turn all accesses to some of the private
// variables into accesses at constant places, so that these variables become
// registers. It returns their heads.
func openable(f *ssa.Func, vars []*opened, unrollable func(*ssa.Loop) *unroller) map[*ssa.Block]bool {
	if len(vars) == 0 {
		return nil
	}
	loops := map[*ssa.Loop]*unroller{}
	heads := map[*ssa.Block]bool{}
	left := maxOpenedCode
next:
	for _, o := range vars {
		in := map[*ssa.Loop][]*ssa.Value{} // the indexes that each loop has to tell
		var order []*ssa.Loop
		for _, u := range o.uses {
			l := u.v.Block.Loop
			if l == nil {
				continue next
			}
			if in[l] == nil {
				order = append(order, l)
			}
			in[l] = append(in[l], u.indexes...)
		}
		size := 0
		for _, l := range order {
			u, ok := loops[l]
			if !ok {
				u = unrollable(l)
				loops[l] = u
			}
			if u == nil || !u.tell(in[l]) {
				continue next
			}
			if !heads[l.Head] {
				size += u.size * u.trips
			}
		}
		if size > left {
			continue
		}
		left -= size
		for _, l := range order {
			heads[l.Head] = true
		}
	}
	return heads
}
