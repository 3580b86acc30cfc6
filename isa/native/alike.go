package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Indices are alike if they differ by the same number in all lanes: of those, all are consecutive or none is, so that
// a group looks at the first only.

// alike is what is known of such indices.
type alike struct {
	uses int // loads that have to know, and stores of a hyperblock
	// bit is where regSeen says that they are consecutive in the lanes that they have been looked at for, above those of
	// slots; 0 for none.
	bit int
	// known says that they have been looked at in the group that is being compiled, and under for the lanes of which block of
	// a hyperblock, 0 for all.
	known bool
	under int
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
		d, t := interp.Operands(c.run.Kernel(), in, func(isa.Reg, isa.Type) {})
		if !d.IsVector() {
			continue
		}
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
				ids[x] = &alike{}
			}
			now[p] = ids[x]
		default:
			now[p] = &alike{}
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

// looked says what is known of the indices of the present instruction, and whether they or others like them have been looked at already: regSeen
// tells whether they are consecutive then.
func (c *compiler) looked() (*alike, bool) {
	if c.alike == nil || c.alike[c.at] == nil {
		return nil, false
	}
	a := c.alike[c.at]
	return a, a.known && a.bit != 0 && (a.under == 0 || a.under == c.under)
}

// unlessNext goes to l unless the indices of the present instruction are consecutive in the lanes that it is for. It changes d.
func (c *compiler) unlessNext(it isa.Type, d, x amd64.Vec, l amd64.Label) {
	a, ok := c.looked()
	if ok {
		c.G(amd64.BT, amd64.B64, regSeen, amd64.Imm(a.bit))
		c.Jcc(amd64.NotCarry, l)
		return
	}
	c.consecutive(it, d, x, l)
	if a != nil && a.bit != 0 && !a.known {
		c.G(amd64.BTS, amd64.B64, regSeen, amd64.Imm(a.bit))
		a.known, a.under = true, c.under
	}
}
