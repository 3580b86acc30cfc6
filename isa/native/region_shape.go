package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// What is the same, or one more from lane to lane, stays so if all lanes add the same number. The indices of
// a region's loads are followed back to values at the beginning of a trip for that reason: these are looked
// at once, before the first.

// shape is what is known of an index: the number of the value in region.roots that it differs from by the
// same number in all lanes, or one of those below.
type shape int

const (
	shapeAny     shape = -1 - iota
	shapeLoaded        // out of memory, which has seldom a pattern
	shapeUniform       // the same in all lanes, whether they run or not
)

// pattern is what the code that loads knows an index by.
type pattern struct {
	shape shape
	place x86.Place // of a shapeAny: the register, and how often the trip has written it before
	times int
}

// follow finds the shapes of the indices of the region's loads.
func (r *region) follow() {
	start, read, written := map[x86.Place]shape{}, []x86.Place(nil), map[x86.Place]bool{}
	for _, h := range r.list {
		read = append(read, x86.Place{Bank: h.bank, Index: h.index})
	}
	for i := range r.Run.Code {
		d, t := r.kernel.plan.Kernel.Operands(&r.Run.Code[i], func(x isa.Reg, t isa.Type) {
			if p := (x86.Place{Bank: t.Bank(), Index: x.Index()}); x.IsVector() && !written[p] {
				read = append(read, p)
			}
		})
		written[x86.Place{Bank: t.Bank(), Index: d.Index()}] = true
	}
	for _, p := range read {
		if _, ok := start[p]; !ok {
			start[p] = shape(len(r.roots))
			r.roots = append(r.roots, p)
		}
	}
	r.index = make([]pattern, len(r.Run.Code))
	for again := true; again; {
		now, times := map[x86.Place]shape{}, map[x86.Place]int{}
		for p, s := range start {
			now[p] = s
		}
		for i := range r.Run.Code {
			in := &r.Run.Code[i]
			if in.Op == isa.OpLoad && in.Idx != isa.IdxNone && in.B.IsVector() {
				p := x86.Place{Bank: in.Idx.Type().Bank(), Index: in.B.Index()}
				r.index[i] = pattern{shape: shapeOf(now, p), place: p, times: times[p]}
			}
			d, t := r.kernel.plan.Kernel.Operands(in, func(isa.Reg, isa.Type) {})
			p := x86.Place{Bank: t.Bank(), Index: d.Index()}
			s := r.shape(now, in)
			if h := r.residentOf(p); s == shapeUniform && h != nil && h.frozen {
				s = shapeAny // other lanes keep what they have
			}
			now[p] = s
			times[p]++
		}
		again = false
		for n, p := range r.roots {
			if s := now[p]; start[p] == shape(n) && s != start[p] {
				again = true
				if start[p] = shapeAny; s == shapeLoaded {
					start[p] = s
				}
			}
		}
	}
}

func shapeOf(now map[x86.Place]shape, p x86.Place) shape {
	if s, ok := now[p]; ok {
		return s
	}
	return shapeAny
}

// shape returns that of an instruction's result.
func (r *region) shape(now map[x86.Place]shape, in *isa.Inst) shape {
	var list []shape
	r.kernel.plan.Kernel.Operands(in, func(x isa.Reg, t isa.Type) {
		s := shapeUniform
		if x.IsVector() {
			s = shapeOf(now, x86.Place{Bank: t.Bank(), Index: x.Index()})
		}
		list = append(list, s)
	})
	uniform := true
	all := shapeAny
	for _, s := range list {
		uniform = uniform && s == shapeUniform
		if s == shapeLoaded {
			all = shapeLoaded
		}
	}
	switch in.Op {
	case isa.OpLoad:
		if uniform && !plan.Row(in) {
			return shapeUniform
		}
		return shapeLoaded
	case isa.OpBuiltin:
		return shapeAny
	}
	if uniform {
		return shapeUniform
	}
	switch in.Op {
	case isa.OpMov:
		return list[0]
	case isa.OpAdd:
		if list[0] == shapeUniform {
			return list[1]
		}
		fallthrough
	case isa.OpSub:
		if list[1] == shapeUniform {
			return list[0]
		}
	case isa.OpMad:
		if list[0] == shapeUniform && list[1] == shapeUniform {
			return list[2]
		}
	}
	return all
}
