package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// A run that has instructions across lanes has all groups of a chunk in registers at once, as far as there is
// room: a sub-group lies inside a chunk. What stands between two such instructions is emitted for one group
// after the other, by the same emitters as elsewhere.

// Task is an instruction of a run for a group, or for all of a chunk, of which first is the first one.
type Task struct{ Inst, Group, First int }

// AllGroups stands for all groups of a chunk.
const AllGroups = -1

// across is what the compiler knows of groups in a run with instructions across lanes.
type across struct {
	Groups int // of a chunk; 0 in other runs
	First  int // the first one of the present chunk, where several are done together
	Group  int // the present one
	Lane   int // the group that RegLane and RegByte tell, or -1
	Masked int // the group whose execution mask is at hand, or -1
}

// Reset begins a chunk.
func (a *across) Reset() { a.First, a.Group, a.Lane, a.Masked = 0, 0, 0, -1 }

// Banks of what instructions across lanes know of the lanes in a register: none that the bytecode has.
const (
	bankPick   = isa.NumBanks + iota // the elements to take, as an index of VPERMI2D
	bankPick64                       // of VPERMI2Q
	BankValid                        // the lanes that name one of their sub-group
)

// Schedule puts the instructions of the run in order.
func (c *Compiler) Schedule() {
	code := c.Run.Code
	for i := range code {
		if plan.Crosses(&code[i]) {
			c.Across.Groups = 64 / c.Lanes
		}
	}
	groups := max(c.Across.Groups, 1)
	for i := 0; i < len(code); {
		end := i + 1
		if c.Across.Groups > 0 && plan.Crosses(&code[i]) {
			c.Plan(i, AllGroups)
			i = end
			continue
		}
		for end < len(code) && !(c.Across.Groups > 0 && plan.Crosses(&code[end])) {
			end++
		}
		for g := range groups {
			for k := i; k < end; k++ {
				c.Plan(k, g)
			}
		}
		i = end
	}
}

// Plan adds a step and notes the places that it uses.
func (c *Compiler) Plan(inst, group int) {
	at, in := len(c.Steps), &c.Run.Code[inst]
	c.Steps = append(c.Steps, Task{inst, group, c.Across.First})
	if c.Events == nil {
		return // a region, for which nobody asks
	}
	first, end := group, group+1
	if group == AllGroups {
		first, end = c.Across.First, c.Across.First+c.Across.Groups
	}
	note := func(b isa.Bank, r isa.Reg, write bool) {
		for g := first; g < end && r.IsVector(); g++ {
			p := Place{b, r.Index(), g}
			c.Events[p] = append(c.Events[p], Event{at, write})
		}
	}
	dst, t := c.Run.Kernel().Operands(in, func(r isa.Reg, t isa.Type) { note(t.Bank(), r, false) })
	if dst != isa.None {
		note(t.Bank(), dst, true)
	}
}

// PickBank returns the bank of what is known of an index of elements of a type.
func PickBank(t isa.Type) isa.Bank {
	if t.Bank() == isa.Bank64 {
		return bankPick64
	}
	return bankPick
}

// CheckSubgroup refuses a run with instructions across lanes if sub-groups do not lie inside chunks.
func (c *Compiler) CheckSubgroup() {
	if c.Across.Groups == 0 && c.parts == nil {
		return
	}
	c.G(amd64.CMP, amd64.B64, amd64.Mem{Base: RegFrame, Disp: int32(wave.FrameLanes)}, amd64.Imm(0))
	c.Jcc(amd64.Equal, c.Refuse)
}

// Enter makes ready for an instruction that works on a group.
func (c *Compiler) Enter(group int, in *isa.Inst) {
	if c.Across.Groups == 0 || group == AllGroups {
		return
	}
	c.Across.Group = group
	switch in.Op {
	case isa.OpMath1, isa.OpMath2, isa.OpMath3: // may leave lanes to Go (see Call)
		c.Masked()
	case isa.OpBuiltin:
		c.locate(group)
	}
}

// locate has RegLane and RegByte tell a group.
func (c *Compiler) locate(group int) {
	if c.Across.Groups == 0 || c.Across.Lane == group {
		return
	}
	c.Across.Lane = group
	c.G(amd64.MOV, amd64.B32, RegLane, amd64.Imm(group*c.Lanes))
	c.G(amd64.MOV, amd64.B32, RegByte, amd64.Imm(group*c.Lanes/8))
}

// Masked has the execution mask of the present group at hand.
func (c *Compiler) Masked() {
	if c.Across.Masked == c.Across.Group {
		return
	}
	c.Across.Masked = c.Across.Group
	c.ISA.EnterFrom(c)
}

// elsewhere returns m, where the present group's elements of a value are, for the value's own group.
func (c *Compiler) elsewhere(v *Value, m amd64.Mem) amd64.Mem {
	if c.Across.Groups == 0 {
		return m
	}
	group, chunk := v.Group%c.Across.Groups, c.ChunkOf(v.Group)
	switch {
	case v.Bank != isa.BankMask:
		m.Disp += chunk + int32(group*c.Lanes*int(m.Scale))
		m.Index, m.Scale = amd64.NoReg, 0
	case c.Lanes >= 8:
		m.Disp += chunk + int32(group*c.Lanes/8)
		m.Index, m.Scale = amd64.NoReg, 0
	default:
		c.locate(v.Group)
	}
	return m
}

// ChunkOf returns how far the registers of a group's chunk are from those of the first, where several are
// done together.
func (c *Compiler) ChunkOf(group int) int32 {
	return int32(group/c.Across.Groups) * int32(c.Run.Stride())
}

// enterValue makes ready for a store of a value, back for what was there before.
func (c *Compiler) enterValue(v *Value) across {
	was := c.Across
	if was.Groups > 0 {
		c.Across.Group = v.Group
		if !v.Dense {
			c.Masked()
		}
	}
	return was
}

func (c *Compiler) back(was across) {
	if was.Groups == 0 {
		return
	}
	c.Across.Group = was.Group
	if was.Masked == was.Group {
		c.Masked()
	}
	if was.Lane == was.Group {
		c.locate(was.Group)
	}
}

// LaterInChunk has f emit code that is seldom run behind the rest, for the present chunk.
func (c *Compiler) LaterInChunk(f func()) {
	now := c.Across
	c.Later(func() {
		c.Across = now
		f()
	})
}

// ExecWord is the chunk's word of the execution mask.
func (c *Compiler) ExecWord() amd64.Mem { return c.ExecOf(0) }

// ExecOf is the part of it of the chunk's group g.
func (c *Compiler) ExecOf(g int) amd64.Mem {
	return amd64.Mem{Base: RegExec, Disp: int32((c.Across.First + g) * c.Lanes / 8)}
}

// ForgetLanes drops what was known of a register's lanes, which changes.
func (c *Compiler) ForgetLanes(v *Value) {
	if c.Across.Groups == 0 || v.Bank != isa.Bank32 {
		return
	}
	for _, b := range [...]isa.Bank{bankPick, bankPick64, BankValid} {
		if k := c.Values[Place{b, v.Index, v.Group}]; k != nil {
			k.Reg = -1
		}
	}
}

// LanesTable loads the address of the table of the sub-group size into RegAddress and returns its fields.
func (c *Compiler) LanesTable() func(field uintptr) amd64.Mem {
	c.G(amd64.MOV, amd64.B64, RegAddress, amd64.Mem{Base: RegFrame, Disp: int32(wave.FrameLanes)})
	return func(field uintptr) amd64.Mem { return amd64.Mem{Base: RegAddress, Disp: int32(field)} }
}
