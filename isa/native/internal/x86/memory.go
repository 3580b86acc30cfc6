package x86

import (
	"encoding/binary"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Accesses is the family of loads and stores, of both sets.
func Accesses(_ amd64.Features, in *isa.Inst) Emitter {
	switch {
	case plan.Row(in):
		return rowed(in)
	case plan.Pointed(in):
		return pointed(in)
	case plan.Apart(in):
		return apart(in)
	case plan.Blocked(in):
		return blocks(in)
	case in.Op == isa.OpLoad && in.Idx != isa.IdxNone && in.B.IsVector():
		return (*Compiler).gather
	case in.Op == isa.OpLoad:
		return (*Compiler).LoadUniform
	case plan.UniformStore(in):
		return (*Compiler).storeUniform
	case in.Op == isa.OpStore:
		return (*Compiler).Scatter
	}
	return nil
}

var (
	OpExtract = Pair{amd64.VMOVD, amd64.VMOVQ}
	OpMove    = Pair{amd64.VMOVDQU32, amd64.VMOVDQU64}
)

// regSeen is what a group knows of the indices of slots with several accesses: two bits for each.
const regSeen = amd64.RBX

// regPointers hold the addresses of the first lane's elements, of two slots.
var regPointers = [...]amd64.Reg{amd64.R14, amd64.R15}

// slotState is what the compiler knows of a slot of the run.
type slotState struct {
	uses    int
	next    bool      // consecutive indices are expected, otherwise equal ones
	pointer amd64.Reg // the address of the first lane's element, or NoReg: Slot.Pointer has it
	bits    int       // in regSeen, if uses > 1
	known   bool      // in the group that is being compiled
}

// The bits of a slot in regSeen: its indices are consecutive in all lanes of the group, and within
// the limit, those of lanes that do not run included; or they are equal in all lanes that run.
const (
	SeenNext = 1
	SeenSame = 2
)

// PrepareSlots looks at the loads of the run.
func (c *Compiler) PrepareSlots() {
	var list []*slotState
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		if in.Op != isa.OpLoad || in.Idx == isa.IdxNone || !in.B.IsVector() || plan.Apart(in) || plan.Pointed(in) || c.Follows(i) {
			continue
		}
		s := c.slots[c.Run.Slots[i]]
		if s == nil {
			c.Index = i
			s = &slotState{next: c.Stride(in) > 0}
			c.slots[c.Run.Slots[i]] = s
			list = append(list, s)
		}
		s.uses++
	}
	shared := 0
	for _, s := range list {
		switch {
		case s.uses == 1:
		case shared == 15:
			s.uses = 1 // no more bits that a number of 32 bits with a sign sets
		default:
			s.bits = 2 * shared
			if shared < len(regPointers) && c.free(regPointers[shared]) {
				s.pointer = regPointers[shared]
			}
			shared++
		}
	}
	c.sharing = shared > 0
	c.prepareAlike()
}

// free says whether nothing but slots has a use for a register.
func (c *Compiler) free(r amd64.Reg) bool {
	return (r != regPrivate || c.Rows == nil) && (r != regPart || c.parts == nil) && (r != RegAhead || c.Ahead == nil)
}

// EnterSlots begins a group: nothing is known of its indices.
func (c *Compiler) EnterSlots() {
	for _, s := range c.slots {
		s.known = false
	}
	c.enterAlike()
	switch {
	case c.Rowed != nil:
		c.G(amd64.MOV, amd64.B64, regSeen, *c.Rowed)
	case c.sharing:
		c.G(amd64.XOR, amd64.B32, regSeen, regSeen)
	}
	c.enterParts()
}

// Slot returns a field of the present instruction's slot.
func (c *Compiler) Slot(field uintptr) amd64.Mem {
	return SlotField(c.Run.Slots[c.Index], field)
}

// FromIndex is the displacement of the present instruction from the element that its index selects, the
// bias not taken off.
func (c *Compiler) FromIndex(in *isa.Inst) int32 {
	return c.Run.Disp[c.Index] - int32(c.Run.Bias[c.Index]*in.Scale)
}

// CheckIndex refuses the run if an index of a lane that runs is beyond the slot's limit.
func (c *Compiler) CheckIndex(in *isa.Inst) {
	it := in.Idx.Type()
	x := c.Load(in.B, it, true)
	c.RefuseIndex(it, c.Vec(), x, c.Run.Bias[c.Index], c.Slot(wave.SlotLimit))
}

// RefuseIndex refuses the run if an index of a lane that runs, less the bias, is beyond the limit. It changes
// d.
func (c *Compiler) RefuseIndex(it isa.Type, d, x amd64.Vec, bias uint32, limit amd64.Mem) {
	if bias != 0 {
		c.V(OpSub.Of(it), c.Width(it), d, x, c.Splat(it, bias, uint64(bias)))
		x = d
	}
	c.RefuseBeyond(it, x, limit)
}

// RefuseBeyond refuses the run if an element of x in a lane that runs is greater than the number at m.
func (c *Compiler) RefuseBeyond(it isa.Type, x amd64.Vec, m amd64.Mem) {
	c.ISA.Beyond(c, it, x, m, c.Refuse)
}

// Scatter stores an element for each lane. Of lanes with the same index the last one's
// remains.
func (c *Compiler) Scatter(in *isa.Inst) {
	if Narrow(in.Type) {
		c.scatterNarrow(in)
		return
	}
	t, it := in.Type, in.Idx.Type()
	disp := c.FromIndex(in)
	x, v := c.Load(in.B, it, true), c.Load(in.C, t, true)
	next := c.Vec()
	done, each := c.NewLabel(), c.NewLabel()
	c.G(amd64.MOV, amd64.B64, RegAddress, c.Slot(wave.SlotAddress))
	if int(in.Scale) == t.Bytes() {
		c.consecutive(it, next, x, each)
		c.firstIndex(it, x)
		c.ISA.MoveSome(c, t, amd64.Mem{Base: RegAddress, Index: RegTemp, Scale: uint8(in.Scale), Disp: disp}, v)
		c.Jmp(done)
		c.Bind(each)
	} else if n := c.Stride(in); n > 1 {
		temp := c.Vec()
		c.V(amd64.KORTESTW, amd64.X, MaskExec, MaskExec)
		c.Jcc(amd64.NotCarry, each)
		c.consecutive(it, next, x, each)
		c.firstIndex(it, x)
		c.ByScale(RegTemp, in.Scale)
		c.storeInterleaved(amd64.Mem{Base: RegAddress, Index: RegTemp, Scale: 1, Disp: disp}, v, temp, n)
		c.Jmp(done)
		c.Bind(each)
		c.G(amd64.MOV, amd64.B64, RegAddress, c.Slot(wave.SlotAddress))
	}
	x, scale := c.Scaled(in, x, next)
	c.ISA.scatter(c, t, it, amd64.Mem{Base: RegAddress, Scale: scale, Disp: disp}, x, v)
	c.Bind(done)
}

// consecutive goes to l unless the elements of x in lanes that run are the first lane's plus the
// number of the lane. d is changed.
func (c *Compiler) consecutive(it isa.Type, d, x amd64.Vec, l amd64.Label) {
	c.V(OpSpread.Of(it), c.Width(it), d, x)
	c.V(OpAdd.Of(it), c.Width(it), d, d, c.Iota(it))
	c.ISA.Equal(c, it, d, x, l)
}

// Scaled returns the index to use with the processor's scale, in d if it has to be
// another, and that scale.
func (c *Compiler) Scaled(in *isa.Inst, x, d amd64.Vec) (amd64.Vec, uint8) {
	n, t := in.Scale, in.Idx.Type()
	switch {
	case Addressable(n):
		return x, uint8(n)
	case n&(n-1) == 0:
		c.V(OpShl.Of(t), c.Width(t), d, x, amd64.Imm(bits.TrailingZeros32(n)))
	case t == isa.I64: // of lanes that run, it has less than 32 bits
		c.V(amd64.VPMULUDQ, c.Width(t), d, x, c.Splat(t, 0, uint64(n)))
	default:
		c.times(d, x, n)
	}
	return d, 1
}

// Addressable says whether addresses of the processor can have a scale.
func Addressable(scale uint32) bool { return scale == 1 || scale == 2 || scale == 4 || scale == 8 }

// ByScale multiplies a register by an index's scale.
func (c *Compiler) ByScale(r amd64.Reg, scale uint32) {
	switch {
	case scale&(scale-1) != 0:
		c.G(amd64.IMUL, amd64.B64, r, r, amd64.Imm(scale))
	case scale > 1:
		c.G(amd64.SHL, amd64.B64, r, amd64.Imm(bits.TrailingZeros32(scale)))
	}
}

// firstIndex puts the index of the group's first lane into RegTemp.
func (c *Compiler) firstIndex(t isa.Type, x amd64.Vec) {
	c.V(OpExtract.Of(t), amd64.X, RegTemp, x)
	if t == isa.I32 {
		// The first lane may be one that does not run, with an index below 0.
		c.G(amd64.MOVSX32, amd64.B64, RegTemp, RegTemp)
	}
}

// Iota returns the numbers of the lanes of a group.
func (c *Compiler) Iota(t isa.Type) amd64.Mem {
	var b []byte
	for i := range c.Lanes {
		if t == isa.I64 {
			b = binary.LittleEndian.AppendUint64(b, uint64(i))
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
	}
	return c.Const(b)
}

// scatterNarrow is scatter for elements of 8 and 16 bits.
func (c *Compiler) scatterNarrow(in *isa.Inst) {
	t, it := in.Type, in.Idx.Type()
	disp := c.FromIndex(in)
	done, each := c.NewLabel(), c.NewLabel()
	x, v := c.Load(in.B, it, true), c.Load(in.C, t, true)
	temp, n := c.Vec(), c.Stride(in)
	var more amd64.Vec
	if n > 1 {
		more = c.Vec()
	}
	if int(in.Scale) == t.Bytes() {
		c.consecutive(it, temp, x, each)
		c.firstIndex(it, x)
		c.G(amd64.MOV, amd64.B64, RegAddress, c.Slot(wave.SlotAddress))
		c.ISA.moveNarrow(c, t, amd64.Mem{Base: RegAddress, Index: RegTemp, Scale: uint8(in.Scale), Disp: disp}, v, each)
		c.Jmp(done)
		c.Bind(each)
	} else if n > 1 {
		c.V(amd64.KORTESTW, amd64.X, MaskExec, MaskExec)
		c.Jcc(amd64.NotCarry, each)
		c.consecutive(it, temp, x, each)
		c.firstIndex(it, x)
		c.ByScale(RegTemp, in.Scale)
		c.G(amd64.MOV, amd64.B64, RegAddress, c.Slot(wave.SlotAddress))
		m := amd64.Mem{Base: RegAddress, Index: RegTemp, Scale: 1, Disp: disp}
		c.storeNarrow16(m, v, [2]amd64.Vec{temp, more}, t.Bytes(), int(in.Scale))
		c.Jmp(done)
		c.Bind(each)
	}
	c.ToEach(in, disp, func(at amd64.Mem) { c.G(amd64.MOV, amd64.Size(t.Bits()), at, RegTemp) })
	c.Bind(done)
}

// Commit is what is known of a store of a hyperblock.
type Commit struct {
	// checked says that a load has looked whether the indices are within the limit.
	Checked bool
	// strewn is 1 if the indices of some group are not consecutive. Without it, each group has to look.
	Strewn   amd64.Mem
	HasApart bool
}

// checkAligned refuses the run if the slot's address is not a multiple of the element's size.
func (c *Compiler) checkAligned(in *isa.Inst) {
	c.Index = 0
	c.G(amd64.MOV, amd64.B64, RegTemp, c.Slot(wave.SlotAddress))
	c.G(amd64.TEST, amd64.B32, RegTemp, amd64.Imm(in.Type.Bytes()-1))
	c.Jcc(amd64.NotZero, c.Refuse)
}
