package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// Values that live from trip to trip of a region have a register each, their home.

// resident is a place that holds a value from trip to trip, or behind the loop.
type resident struct {
	bank   isa.Bank
	index  int
	kept   bool // it changes, so that the register file has to have it behind the loop
	frozen bool // lanes that have left must keep it
	loose  bool // its NaNs need not be canonical before that
	wide   bool
	half   *plan.Narrowed // it is the lower half of a register of 64 bits
}

// file returns which register of the register file it is of.
func (h *resident) file() (isa.Bank, int) {
	if h.half != nil {
		return isa.Bank64, h.half.Wide.Index()
	}
	return h.bank, h.index
}

// arithmeticFloat says whether the result of an instruction is that of float arithmetic, with a NaN of any
// kind.
func arithmeticFloat(in *isa.Inst) bool {
	if in.Op == isa.OpScan {
		_, op := in.ScanOf()
		return op == isa.ScanFAdd || op == isa.ScanFMul
	}
	return in.Op.Is(isa.PropRounds)
}

// comparesFloat says whether an instruction looks at its operands as floats only.
func comparesFloat(in *isa.Inst) bool {
	return in.Op.Info().Shape == isa.ShapeCompare && in.Type.IsFloat()
}

// findHomes finds the places that hold values from trip to trip. It says whether they all may.
func (r *region) findHomes() bool {
	k := r.kernel
	type use struct {
		exposed, bits, written, mixed, late bool
		typ                                 isa.Type
	}
	uses := map[place]*use{}
	var order []place
	of := func(p place) *use {
		u := uses[p]
		if u == nil {
			u = &use{}
			uses[p] = u
			order = append(order, p)
		}
		return u
	}
	left := false // lanes may have left before
	for i, b := range r.chain {
		for j, at := range r.code[i] {
			if at < 0 {
				continue
			}
			for n := range k.plan.Blocks[b].Parts[j].Run.Code {
				in := &r.run.Code[at+n]
				d, t := k.plan.Kernel.Operands(in, func(x isa.Reg, t isa.Type) {
					if !x.IsVector() {
						return
					}
					if u := of(place{bank: t.Bank(), index: x.Index()}); !u.written {
						u.exposed = true
						u.bits = u.bits || !arithmeticFloat(in) && !comparesFloat(in)
					}
				})
				u := of(place{bank: t.Bank(), index: d.Index()})
				u.mixed = u.mixed || !arithmeticFloat(in) || u.written && u.typ != t
				u.late = u.late || !u.written && left
				u.written, u.typ = true, t
			}
		}
		if in := k.plan.Blocks[b].Terminator; in.Op == isa.OpBrCond {
			left = true
			if in.A.IsVector() {
				if u := of(place{bank: isa.BankMask, index: in.A.Index()}); !u.written {
					u.exposed = true
				}
			}
		}
	}
	for _, p := range order {
		u, h := uses[p], resident{bank: p.bank, index: p.index, half: r.halfOf(p)}
		bank, index := h.file()
		leaves, frozen := false, false
		for _, b := range r.chain {
			in := k.plan.Blocks[b].Terminator
			if in.Op != isa.OpBrCond {
				continue
			}
			for _, t := range [...]int{in.Target0(), in.Target1()} {
				if (t < r.chain[0] || t > r.last) && k.plan.Live(t, bank, index) {
					leaves = true
					frozen = frozen || in.A.IsVector()
				}
			}
		}
		if !u.exposed && !(leaves && u.written) {
			continue
		}
		if p.bank == isa.BankMask {
			if u.written {
				r.carried = append(r.carried, p)
			}
			continue
		}
		h.kept, h.frozen = u.written, frozen && u.written
		h.loose, h.wide = u.written && !u.mixed && !u.bits && !(leaves && u.late), u.typ == isa.F64
		r.list = append(r.list, h)
	}
	for i := range r.run.Code {
		d, t := k.plan.Kernel.Operands(&r.run.Code[i], func(isa.Reg, isa.Type) {})
		r.run.Keep[i] = slices.Contains(r.carried, place{bank: t.Bank(), index: d.Index()})
	}
	return len(r.carried) <= undoWords
}

// carry puts booleans into the register file that are used behind the trip.
func (r *region) carry() {
	for _, v := range r.order {
		if v.bank == isa.BankMask && v.dirty && v.keep {
			r.store(v)
		}
	}
}

// settle gives the places of the loop their registers and loads them.
func (r *region) settle() {
	r.homes = map[place]int{}
	r.across.reset()
	r.across.lane = -1
	r.inHomes()
	for _, v := range r.owners {
		r.across.group = v.group
		if h := r.residentOf(v.place); h.half != nil {
			r.halveHome(h, amd64.Vec(v.reg))
			continue
		}
		r.kernel.V(fileLoads[v.bank], r.width(typeOf(v.bank)), amd64.Vec(v.reg), r.memory(v))
	}
	r.home = r.settled
}

// inHomes has the compiler know what holds where a trip begins: the places of the loop are in registers of
// their own, and nothing else is.
func (r *region) inHomes() {
	r.forget()
	r.owners = nil
	for _, g := range r.groups {
		for _, h := range r.list {
			r.across.group = g
			v := r.value(isa.V(h.index), typeOf(h.bank))
			v.reg, v.loose, v.wide = r.register(fileVec), h.loose, h.wide
			r.homes[v.place] = v.reg
			r.owners = append(r.owners, v)
		}
	}
}

// settled moves a result that has a home there. It says whether it has.
func (r *region) settled(v *value, x amd64.Vec, loose, wide bool) bool {
	n, ok := r.homes[v.place]
	if !ok {
		return false
	}
	t := typeOf(v.bank)
	h := r.residentOf(v.place)
	if loose && !h.loose {
		ft := isa.F32
		if wide {
			ft = isa.F64
		}
		r.set.canonical(r.compiler, ft, x)
	}
	w := r.width(t)
	if h.frozen {
		r.masked()
		r.set.freeze(r.compiler, t, amd64.Vec(n), x)
	} else {
		r.V(opCopy.of(t), w, amd64.Vec(n), x)
	}
	v.reg, v.dirty, v.loose, v.wide = n, false, h.loose, h.wide
	r.forgetLanes(v)
	return true
}

// residentOf returns what is known of a place, of whatever group, that holds a value from trip to trip or
// behind the loop; nil of others.
func (r *region) residentOf(p place) *resident {
	for i := range r.list {
		if h := &r.list[i]; h.bank == p.bank && h.index == p.index {
			return h
		}
	}
	return nil
}
