package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// A run that has instructions across lanes has all groups of a chunk in registers at once, as far as there is
// room: a sub-group lies inside a chunk. What stands between two such instructions is emitted for one group
// after the other, by the same emitters as elsewhere.

// task is an instruction of a run for a group, or for all of a chunk, of which first is the first one.
type task struct{ inst, group, first int }

const allGroups = -1

// across is what the compiler knows of groups in a run with instructions across lanes.
type across struct {
	groups int // of a chunk; 0 in other runs
	first  int // the first one of the present chunk, where several are done together
	group  int // the present one
	lane   int // the group that regLane and regByte tell, or -1
	masked int // the group whose execution mask is at hand, or -1
}

func (a *across) reset() { a.first, a.group, a.lane, a.masked = 0, 0, 0, -1 }

// Banks of what instructions across lanes know of the lanes in a register: none that the bytecode has.
const (
	bankPick   = isa.NumBanks + iota // the elements to take, as an index of VPERMI2D
	bankPick64                       // of VPERMI2Q
	bankValid                        // the lanes that name one of their sub-group
)

// schedule puts the instructions of the run in order.
func (c *compiler) schedule() {
	code := c.run.Code
	for i := range code {
		if plan.Crosses(&code[i]) {
			c.across.groups = 64 / c.lanes
		}
	}
	groups := max(c.across.groups, 1)
	for i := 0; i < len(code); {
		end := i + 1
		if c.across.groups > 0 && plan.Crosses(&code[i]) {
			c.plan(i, allGroups)
			i = end
			continue
		}
		for end < len(code) && !(c.across.groups > 0 && plan.Crosses(&code[end])) {
			end++
		}
		for g := range groups {
			for k := i; k < end; k++ {
				c.plan(k, g)
			}
		}
		i = end
	}
}

// plan adds a step and notes the places that it uses.
func (c *compiler) plan(inst, group int) {
	at, in := len(c.steps), &c.run.Code[inst]
	c.steps = append(c.steps, task{inst, group, c.across.first})
	if c.events == nil {
		return // a region, for which nobody asks
	}
	first, end := group, group+1
	if group == allGroups {
		first, end = c.across.first, c.across.first+c.across.groups
	}
	note := func(b isa.Bank, r isa.Reg, write bool) {
		for g := first; g < end && r.IsVector(); g++ {
			p := place{b, r.Index(), g}
			c.events[p] = append(c.events[p], event{at, write})
		}
	}
	dst, t := c.run.Kernel().Operands(in, func(r isa.Reg, t isa.Type) { note(t.Bank(), r, false) })
	if dst != isa.None {
		note(t.Bank(), dst, true)
	}
}

func pickBank(t isa.Type) isa.Bank {
	if t.Bank() == isa.Bank64 {
		return bankPick64
	}
	return bankPick
}

// checkSubgroup refuses a run with instructions across lanes if sub-groups do not lie inside chunks.
func (c *compiler) checkSubgroup() {
	if c.across.groups == 0 && c.parts == nil {
		return
	}
	c.G(amd64.CMP, amd64.B64, amd64.Mem{Base: regFrame, Disp: int32(wave.FrameLanes)}, amd64.Imm(0))
	c.Jcc(amd64.Equal, c.refuse)
}

// enter makes ready for an instruction that works on a group.
func (c *compiler) enter(group int, in *isa.Inst) {
	if c.across.groups == 0 || group == allGroups {
		return
	}
	c.across.group = group
	switch in.Op {
	case isa.OpMath1, isa.OpMath2, isa.OpMath3: // may leave lanes to Go (see Call)
		c.masked()
	case isa.OpBuiltin:
		c.locate(group)
	}
}

// locate has regLane and regByte tell a group.
func (c *compiler) locate(group int) {
	if c.across.groups == 0 || c.across.lane == group {
		return
	}
	c.across.lane = group
	c.G(amd64.MOV, amd64.B32, regLane, amd64.Imm(group*c.lanes))
	c.G(amd64.MOV, amd64.B32, regByte, amd64.Imm(group*c.lanes/8))
}

// masked has the execution mask of the present group at hand.
func (c *compiler) masked() {
	if c.across.masked == c.across.group {
		return
	}
	c.across.masked = c.across.group
	c.set.enterFrom(c)
}

// elsewhere returns m, where the present group's elements of a value are, for the value's own group.
func (c *compiler) elsewhere(v *value, m amd64.Mem) amd64.Mem {
	if c.across.groups == 0 {
		return m
	}
	group, chunk := v.group%c.across.groups, c.chunkOf(v.group)
	switch {
	case v.bank != isa.BankMask:
		m.Disp += chunk + int32(group*c.lanes*int(m.Scale))
		m.Index, m.Scale = amd64.NoReg, 0
	case c.lanes >= 8:
		m.Disp += chunk + int32(group*c.lanes/8)
		m.Index, m.Scale = amd64.NoReg, 0
	default:
		c.locate(v.group)
	}
	return m
}

// chunkOf returns how far the registers of a group's chunk are from those of the first, where several are
// done together.
func (c *compiler) chunkOf(group int) int32 {
	return int32(group/c.across.groups) * int32(c.run.Stride())
}

// enterValue makes ready for a store of a value, back for what was there before.
func (c *compiler) enterValue(v *value) across {
	was := c.across
	if was.groups > 0 {
		c.across.group = v.group
		if !v.dense {
			c.masked()
		}
	}
	return was
}

func (c *compiler) back(was across) {
	if was.groups == 0 {
		return
	}
	c.across.group = was.group
	if was.masked == was.group {
		c.masked()
	}
	if was.lane == was.group {
		c.locate(was.group)
	}
}

// laterInChunk has f emit code that is seldom run behind the rest, for the present chunk.
func (c *compiler) laterInChunk(f func()) {
	now := c.across
	c.Later(func() {
		c.across = now
		f()
	})
}

// execWord is the chunk's word of the execution mask.
func (c *compiler) execWord() amd64.Mem { return c.execOf(0) }

// execOf is the part of it of the chunk's group g.
func (c *compiler) execOf(g int) amd64.Mem {
	return amd64.Mem{Base: regExec, Disp: int32((c.across.first + g) * c.lanes / 8)}
}

// forgetLanes drops what was known of a register's lanes, which changes.
func (c *compiler) forgetLanes(v *value) {
	if c.across.groups == 0 || v.bank != isa.Bank32 {
		return
	}
	for _, b := range [...]isa.Bank{bankPick, bankPick64, bankValid} {
		if k := c.values[place{b, v.index, v.group}]; k != nil {
			k.reg = -1
		}
	}
}

// lanesTable loads the address of the table of the sub-group size into regAddress and returns its fields.
func (c *compiler) lanesTable() func(field uintptr) amd64.Mem {
	c.G(amd64.MOV, amd64.B64, regAddress, amd64.Mem{Base: regFrame, Disp: int32(wave.FrameLanes)})
	return func(field uintptr) amd64.Mem { return amd64.Mem{Base: regAddress, Disp: int32(field)} }
}
