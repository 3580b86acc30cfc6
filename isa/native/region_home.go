package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
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
	uses := map[x86.Place]*use{}
	var order []x86.Place
	of := func(p x86.Place) *use {
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
				in := &r.Run.Code[at+n]
				d, t := k.plan.Kernel.Operands(in, func(x isa.Reg, t isa.Type) {
					if !x.IsVector() {
						return
					}
					if u := of(x86.Place{Bank: t.Bank(), Index: x.Index()}); !u.written {
						u.exposed = true
						u.bits = u.bits || !arithmeticFloat(in) && !comparesFloat(in)
					}
				})
				u := of(x86.Place{Bank: t.Bank(), Index: d.Index()})
				u.mixed = u.mixed || !arithmeticFloat(in) || u.written && u.typ != t
				u.late = u.late || !u.written && left
				u.written, u.typ = true, t
			}
		}
		if in := k.plan.Blocks[b].Terminator; in.Op == isa.OpBrCond {
			left = true
			if in.A.IsVector() {
				if u := of(x86.Place{Bank: isa.BankMask, Index: in.A.Index()}); !u.written {
					u.exposed = true
				}
			}
		}
	}
	for _, p := range order {
		u, h := uses[p], resident{bank: p.Bank, index: p.Index, half: r.halfOf(p)}
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
		if p.Bank == isa.BankMask {
			if u.written {
				r.carried = append(r.carried, p)
			}
			continue
		}
		h.kept, h.frozen = u.written, frozen && u.written
		h.loose, h.wide = u.written && !u.mixed && !u.bits && !(leaves && u.late), u.typ == isa.F64
		r.list = append(r.list, h)
	}
	for i := range r.Run.Code {
		d, t := k.plan.Kernel.Operands(&r.Run.Code[i], func(isa.Reg, isa.Type) {})
		r.Run.Keep[i] = slices.Contains(r.carried, x86.Place{Bank: t.Bank(), Index: d.Index()})
	}
	return len(r.carried) <= undoWords
}

// carry puts booleans into the register file that are used behind the trip.
func (r *region) carry() {
	for _, v := range r.Order {
		if v.Bank == isa.BankMask && v.Dirty && v.Keep {
			r.Store(v)
		}
	}
}

// settle gives the places of the loop their registers and loads them.
func (r *region) settle() {
	r.homes = map[x86.Place]int{}
	r.Across.Reset()
	r.Across.Lane = -1
	r.inHomes()
	for _, v := range r.owners {
		r.Across.Group = v.Group
		if h := r.residentOf(v.Place); h.half != nil {
			r.halveHome(h, amd64.Vec(v.Reg))
			continue
		}
		r.kernel.V(x86.FileLoads[v.Bank], r.Width(x86.TypeOf(v.Bank)), amd64.Vec(v.Reg), r.Memory(v))
	}
	r.Home = r.settled
}

// inHomes has the compiler know what holds where a trip begins: the places of the loop are in registers of
// their own, and nothing else is.
func (r *region) inHomes() {
	r.Forget()
	r.owners = nil
	for _, g := range r.groups {
		for _, h := range r.list {
			r.Across.Group = g
			v := r.Value(isa.V(h.index), x86.TypeOf(h.bank))
			v.Reg, v.Loose, v.Wide = r.Register(x86.FileVec), h.loose, h.wide
			r.homes[v.Place] = v.Reg
			r.owners = append(r.owners, v)
		}
	}
}

// settled moves a result that has a home there. It says whether it has.
func (r *region) settled(v *x86.Value, x amd64.Vec, loose, wide bool) bool {
	n, ok := r.homes[v.Place]
	if !ok {
		return false
	}
	t := x86.TypeOf(v.Bank)
	h := r.residentOf(v.Place)
	if loose && !h.loose {
		ft := isa.F32
		if wide {
			ft = isa.F64
		}
		r.ISA.Canonical(r.Compiler, ft, x)
	}
	w := r.Width(t)
	if h.frozen {
		r.Masked()
		r.ISA.Freeze(r.Compiler, t, amd64.Vec(n), x)
	} else {
		r.V(x86.OpCopy.Of(t), w, amd64.Vec(n), x)
	}
	v.Reg, v.Dirty, v.Loose, v.Wide = n, false, h.loose, h.wide
	r.ForgetLanes(v)
	return true
}

// residentOf returns what is known of a place, of whatever group, that holds a value from trip to trip or
// behind the loop; nil of others.
func (r *region) residentOf(p x86.Place) *resident {
	for i := range r.list {
		if h := &r.list[i]; h.bank == p.Bank && h.index == p.Index {
			return h
		}
	}
	return nil
}
