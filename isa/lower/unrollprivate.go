package lower

import "github.com/lockstep-gpu/lockstep/isa"

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
	v       *value
	indexes []*value
}

// opened is a private variable that promotion may be opened to.
type opened struct {
	kept bool // it is used in a way that cannot be followed
	uses []indexedUse
}

// indexedVariables finds the private variables that are accessed at places which are no constants, and in no way that
// cannot be followed.
func indexedVariables(f *fn) []*opened {
	vars := make([]opened, len(f.kernel.Private))
	keep := func(p *value) {
		if vi := privateRoot(p); vi >= 0 {
			vars[vi].kept = true
		}
	}
	f.need(AnalysisOrder)
	for _, blk := range f.blocks {
		for _, v := range blk.insts {
			switch v.op {
			case isa.OpPtrAdd: // those who use it count
				v.pos = privateRoot(v.args[0]) + 1
			case isa.OpLoad, isa.OpStore:
				vi := privateRoot(v.args[0])
				var indexes []*value // on the way to the variable
				if vi >= 0 && !vars[vi].kept {
					n := 0
					for p := v.args[0]; p.op == isa.OpPtrAdd; p = p.args[0] {
						if p.idx != isa.IdxNone {
							indexes = append(indexes, p.args[1])
						}
						if n++; n > maxChain {
							vars[vi].kept = true
							break
						}
					}
				}
				for _, a := range v.args[1:] {
					keep(a)
				}
				switch {
				case vi < 0:
				case v.idx != isa.IdxNone, v.flags&isa.FlagVolatile != 0, f.kernel.Private[vi].Size > maxOpened:
					vars[vi].kept = true
				case len(indexes) > 0:
					vars[vi].uses = append(vars[vi].uses, indexedUse{v, indexes})
				}
			default:
				for _, a := range v.args {
					keep(a)
				}
			}
		}
	}
	for _, blk := range f.blocks {
		for _, v := range blk.phis {
			for _, a := range v.args {
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
func (f *fn) openable(vars []*opened, unrollable func(*loop) *unroller) map[*block]bool {
	if len(vars) == 0 {
		return nil
	}
	loops := map[*loop]*unroller{}
	heads := map[*block]bool{}
	left := maxOpenedCode
next:
	for _, o := range vars {
		in := map[*loop][]*value{} // the indexes that each loop has to tell
		var order []*loop
		for _, u := range o.uses {
			l := u.v.blk.loop
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
			if !heads[l.head] {
				size += u.size * u.trips
			}
		}
		if size > left {
			continue
		}
		left -= size
		for _, l := range order {
			heads[l.head] = true
		}
	}
	return heads
}
