package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// Indices are alike if they differ by the same number in all lanes: of those, all are consecutive or none is,
// so that a group looks at the first only.

// alike is what is known of such indices.
type alike struct {
	uses int // loads that have to know, and stores of a hyperblock
	// bit is where regSeen says that they are consecutive in the lanes that they have been looked at for,
	// above those of slots; 0 for none.
	bit int
	// known says that they have been looked at in the group that is being compiled, and under for the lanes
	// of which block of a hyperblock, 0 for all.
	known bool
	under int
	// even says that they are consecutive wherever lanes are in one row.
	even bool
}

// kind is how a value differs from lane to lane in a row of lanes.
type kind int

const (
	kindAny  kind = iota
	kindSame      // it does not
	kindNext      // it is one more, modulo 2³² or 2⁶⁴
)

// kindOf returns the kind of an instruction's result, given those of its operands.
func kindOf(in *isa.Inst, operands []kind) kind {
	if in.Op == isa.OpBuiltin {
		switch b := isa.Builtin(in.Imm); {
		case !b.PerLane():
			return kindSame
		case b == isa.BuiltinLocalID || b == isa.BuiltinGlobalID:
			return kindNext
		case b < isa.BuiltinGroupID:
			return kindSame // the same in another dimension
		}
		return kindAny
	}
	if accessesMemory(in) || plan.Crosses(in) {
		return kindAny
	}
	same := true
	for _, k := range operands {
		same = same && k == kindSame
	}
	switch {
	case same:
		return kindSame
	case !in.Type.IsInt():
	case in.Op == isa.OpMov:
		return operands[0]
	case in.Op == isa.OpAdd && operands[0] == kindSame:
		return operands[1]
	case (in.Op == isa.OpAdd || in.Op == isa.OpSub) && operands[1] == kindSame:
		return operands[0]
	case in.Op == isa.OpMad && operands[0] == kindSame && operands[1] == kindSame:
		return operands[2]
	}
	return kindAny
}

// firstAlike is the first bit of regSeen for indices that are alike, maxAlike how many there are.
const (
	firstAlike = 32
	maxAlike   = 32
)

// prepareAlike finds the indices of the run that are alike. It is called when slots are known.
func (c *compiler) prepareAlike() {
	type id struct {
		builtin bool // of what place, or of what built-in
		n       int
		t       isa.Type
	}
	now := map[place]*alike{}
	ids := map[id]*alike{}
	of := func(p place) *alike {
		if now[p] == nil {
			now[p] = &alike{}
		}
		return now[p]
	}
	c.alike = make([]*alike, len(c.run.Code))
	kinds := map[place]kind{}
	counted, slots := 0, map[int]bool{}
	for i := range c.run.Code {
		in := &c.run.Code[i]
		slot := c.slots[c.run.Slots[i]]
		load := in.Op == isa.OpLoad && slot != nil && slot.next
		if (load || in.Op == isa.OpStore && c.commits != nil) && in.Idx != isa.IdxNone && in.B.IsVector() {
			a := of(place{bank: in.Idx.Type().Bank(), index: in.B.Index()})
			c.alike[i] = a
			if !load || !slots[c.run.Slots[i]] {
				if a.uses++; a.uses == 2 && counted < maxAlike {
					a.bit = firstAlike + counted
					counted++
				}
			}
			slots[c.run.Slots[i]] = slots[c.run.Slots[i]] || load
		}
		var operands []kind
		d, t := c.run.Kernel().Operands(in, func(r isa.Reg, t isa.Type) {
			k := kindSame
			if r.IsVector() {
				k = kinds[place{bank: t.Bank(), index: r.Index()}]
			}
			operands = append(operands, k)
		})
		if !d.IsVector() {
			continue
		}
		k := kindOf(in, operands)
		kinds[place{bank: t.Bank(), index: d.Index()}] = k
		p, source := place{bank: t.Bank(), index: d.Index()}, isa.None
		switch {
		case in.Op == isa.OpMov && in.A.IsVector():
			source = in.A
		case (in.Op == isa.OpAdd || in.Op == isa.OpSub) && in.A.IsVector() && in.B.IsScalar():
			source = in.A
		case in.Op == isa.OpAdd && in.A.IsScalar() && in.B.IsVector():
			source = in.B
		case in.Op == isa.OpMad && in.A.IsScalar() && in.B.IsScalar() && in.C.IsVector():
			source = in.C
		}
		switch b := isa.Builtin(in.Imm); {
		case source != isa.None && t.IsInt():
			now[p] = of(place{bank: t.Bank(), index: source.Index()})
		case in.Op == isa.OpBuiltin && b < isa.BuiltinGroupID: // local ids, then global ones
			x := id{true, int(b) % 3, t}
			if ids[x] == nil {
				ids[x] = &alike{even: k == kindNext}
			}
			now[p] = ids[x]
		default:
			now[p] = &alike{even: k == kindNext}
		}
	}
	c.sharing = c.sharing || counted > 0
}

// enterAlike begins a group: nothing is known.
func (c *compiler) enterAlike() {
	for _, a := range c.alike {
		if a != nil {
			a.known = false
		}
	}
}

// looked says what is known of the indices of the present instruction, and whether they or others like them
// have been looked at already: regSeen tells whether they are consecutive then.
func (c *compiler) looked() (*alike, bool) {
	if c.alike == nil || c.alike[c.at] == nil {
		return nil, false
	}
	a := c.alike[c.at]
	return a, a.known && a.bit != 0 && (a.under == 0 || a.under == c.under)
}

// unlessNext goes to l unless the indices of the present instruction are consecutive in the lanes that it is
// for. It changes d.
func (c *compiler) unlessNext(it isa.Type, d, x amd64.Vec, l amd64.Label) {
	a, ok := c.looked()
	if ok {
		c.G(amd64.BT, amd64.B64, regSeen, amd64.Imm(a.bit))
		c.Jcc(amd64.NotCarry, l)
		return
	}
	if a != nil && a.bit != 0 && !a.known && a.even && c.rowed != nil {
		not, next := c.NewLabel(), c.NewLabel()
		c.G(amd64.BT, amd64.B64, regSeen, amd64.Imm(a.bit))
		c.Jcc(amd64.NotCarry, not)
		c.Bind(next)
		c.Later(func() {
			c.Bind(not)
			c.consecutive(it, d, x, l)
			c.G(amd64.BTS, amd64.B64, regSeen, amd64.Imm(a.bit))
			c.Jmp(next)
		})
		a.known, a.under = true, c.under
		return
	}
	c.consecutive(it, d, x, l)
	if a != nil && a.bit != 0 && !a.known {
		c.G(amd64.BTS, amd64.B64, regSeen, amd64.Imm(a.bit))
		a.known, a.under = true, c.under
	}
}
