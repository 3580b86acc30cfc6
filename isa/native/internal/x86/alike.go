package x86

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
	Bit int
	// known says that they have been looked at in the group that is being compiled, and under for the lanes
	// of which block of a hyperblock, 0 for all.
	known bool
	under int
	// even says that they are consecutive wherever lanes are in one row.
	Even bool
}

// Kind is how a value differs from lane to lane in a row of lanes.
type Kind int

const (
	KindAny  Kind = iota
	KindSame      // it does not
	KindNext      // it is one more, modulo 2³² or 2⁶⁴
)

// KindOf returns the kind of an instruction's result, given those of its operands.
func KindOf(in *isa.Inst, operands []Kind) Kind {
	if in.Op == isa.OpBuiltin {
		switch b := isa.Builtin(in.Imm); {
		case !b.PerLane():
			return KindSame
		case b == isa.BuiltinLocalID || b == isa.BuiltinGlobalID:
			return KindNext
		case b < isa.BuiltinGroupID:
			return KindSame // the same in another dimension
		}
		return KindAny
	}
	if AccessesMemory(in) || plan.Crosses(in) {
		return KindAny
	}
	same := true
	for _, k := range operands {
		same = same && k == KindSame
	}
	switch {
	case same:
		return KindSame
	case !in.Type.IsInt():
	case in.Op == isa.OpMov:
		return operands[0]
	case in.Op == isa.OpAdd && operands[0] == KindSame:
		return operands[1]
	case (in.Op == isa.OpAdd || in.Op == isa.OpSub) && operands[1] == KindSame:
		return operands[0]
	case in.Op == isa.OpMad && operands[0] == KindSame && operands[1] == KindSame:
		return operands[2]
	}
	return KindAny
}

// firstAlike is the first bit of regSeen for indices that are alike, maxAlike how many there are.
const (
	firstAlike = 32
	maxAlike   = 32
)

// prepareAlike finds the indices of the run that are alike. It is called when slots are known.
func (c *Compiler) prepareAlike() {
	type id struct {
		builtin bool // of what place, or of what built-in
		n       int
		t       isa.Type
	}
	now := map[Place]*alike{}
	ids := map[id]*alike{}
	of := func(p Place) *alike {
		if now[p] == nil {
			now[p] = &alike{}
		}
		return now[p]
	}
	c.Alike = make([]*alike, len(c.Run.Code))
	kinds := map[Place]Kind{}
	counted, slots := 0, map[int]bool{}
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		slot := c.slots[c.Run.Slots[i]]
		load := in.Op == isa.OpLoad && slot != nil && slot.next
		if (load || in.Op == isa.OpStore && c.Commits != nil) && in.Idx != isa.IdxNone && in.B.IsVector() {
			a := of(Place{Bank: in.Idx.Type().Bank(), Index: in.B.Index()})
			c.Alike[i] = a
			if !load || !slots[c.Run.Slots[i]] {
				if a.uses++; a.uses == 2 && counted < maxAlike {
					a.Bit = firstAlike + counted
					counted++
				}
			}
			slots[c.Run.Slots[i]] = slots[c.Run.Slots[i]] || load
		}
		var operands []Kind
		d, t := c.Run.Kernel().Operands(in, func(r isa.Reg, t isa.Type) {
			k := KindSame
			if r.IsVector() {
				k = kinds[Place{Bank: t.Bank(), Index: r.Index()}]
			}
			operands = append(operands, k)
		})
		if !d.IsVector() {
			continue
		}
		k := KindOf(in, operands)
		kinds[Place{Bank: t.Bank(), Index: d.Index()}] = k
		p, source := Place{Bank: t.Bank(), Index: d.Index()}, isa.None
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
			now[p] = of(Place{Bank: t.Bank(), Index: source.Index()})
		case in.Op == isa.OpBuiltin && b < isa.BuiltinGroupID: // local ids, then global ones
			x := id{true, int(b) % 3, t}
			if ids[x] == nil {
				ids[x] = &alike{Even: k == KindNext}
			}
			now[p] = ids[x]
		default:
			now[p] = &alike{Even: k == KindNext}
		}
	}
	c.sharing = c.sharing || counted > 0
}

// enterAlike begins a group: nothing is known.
func (c *Compiler) enterAlike() {
	for _, a := range c.Alike {
		if a != nil {
			a.known = false
		}
	}
}

// looked says what is known of the indices of the present instruction, and whether they or others like them
// have been looked at already: regSeen tells whether they are consecutive then.
func (c *Compiler) looked() (*alike, bool) {
	if c.Alike == nil || c.Alike[c.Index] == nil {
		return nil, false
	}
	a := c.Alike[c.Index]
	return a, a.known && a.Bit != 0 && (a.under == 0 || a.under == c.Under)
}

// UnlessNext goes to l unless the indices of the present instruction are consecutive in the lanes that it is
// for. It changes d.
func (c *Compiler) UnlessNext(it isa.Type, d, x amd64.Vec, l amd64.Label) {
	a, ok := c.looked()
	if ok {
		c.G(amd64.BT, amd64.B64, regSeen, amd64.Imm(a.Bit))
		c.Jcc(amd64.NotCarry, l)
		return
	}
	if a != nil && a.Bit != 0 && !a.known && a.Even && c.Rowed != nil {
		not, next := c.NewLabel(), c.NewLabel()
		c.G(amd64.BT, amd64.B64, regSeen, amd64.Imm(a.Bit))
		c.Jcc(amd64.NotCarry, not)
		c.Bind(next)
		c.Later(func() {
			c.Bind(not)
			c.consecutive(it, d, x, l)
			c.G(amd64.BTS, amd64.B64, regSeen, amd64.Imm(a.Bit))
			c.Jmp(next)
		})
		a.known, a.under = true, c.Under
		return
	}
	c.consecutive(it, d, x, l)
	if a != nil && a.Bit != 0 && !a.known {
		c.G(amd64.BTS, amd64.B64, regSeen, amd64.Imm(a.Bit))
		a.known, a.under = true, c.Under
	}
}
