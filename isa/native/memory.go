package native

import (
	"encoding/binary"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// accesses is the family of loads and stores, of both sets.
func accesses(_ amd64.Features, in *isa.Inst) emitter {
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
		return (*compiler).gather
	case in.Op == isa.OpLoad:
		return (*compiler).loadUniform
	case plan.UniformStore(in):
		return (*compiler).storeUniform
	case in.Op == isa.OpStore:
		return (*compiler).scatter
	}
	return nil
}

var (
	opExtract = pair{amd64.VMOVD, amd64.VMOVQ}
	opMove    = pair{amd64.VMOVDQU32, amd64.VMOVDQU64}
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
	seenNext = 1
	seenSame = 2
)

// prepareSlots looks at the loads of the run.
func (c *compiler) prepareSlots() {
	var list []*slotState
	for i := range c.run.Code {
		in := &c.run.Code[i]
		if in.Op != isa.OpLoad || in.Idx == isa.IdxNone || !in.B.IsVector() || plan.Apart(in) || plan.Pointed(in) || c.follows(i) {
			continue
		}
		s := c.slots[c.run.Slots[i]]
		if s == nil {
			c.at = i
			s = &slotState{next: c.stride(in) > 0}
			c.slots[c.run.Slots[i]] = s
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
func (c *compiler) free(r amd64.Reg) bool {
	return (r != regPrivate || c.rows == nil) && (r != regPart || c.parts == nil) && (r != regAhead || c.ahead == nil)
}

// enterSlots begins a group: nothing is known of its indices.
func (c *compiler) enterSlots() {
	for _, s := range c.slots {
		s.known = false
	}
	c.enterAlike()
	switch {
	case c.rowed != nil:
		c.G(amd64.MOV, amd64.B64, regSeen, *c.rowed)
	case c.sharing:
		c.G(amd64.XOR, amd64.B32, regSeen, regSeen)
	}
	c.enterParts()
}

// slot returns a field of the present instruction's slot.
func (c *compiler) slot(field uintptr) amd64.Mem {
	return slotField(c.run.Slots[c.at], field)
}

// fromIndex is the displacement of the present instruction from the element that its index selects, the
// bias not taken off.
func (c *compiler) fromIndex(in *isa.Inst) int32 {
	return c.run.Disp[c.at] - int32(c.run.Bias[c.at]*in.Scale)
}

// checkIndex refuses the run if an index of a lane that runs is beyond the slot's limit.
func (c *compiler) checkIndex(in *isa.Inst) {
	it := in.Idx.Type()
	x := c.load(in.B, it, true)
	c.refuseIndex(it, c.vec(), x, c.run.Bias[c.at], c.slot(wave.SlotLimit))
}

// refuseIndex refuses the run if an index of a lane that runs, less the bias, is beyond the limit. It changes
// d.
func (c *compiler) refuseIndex(it isa.Type, d, x amd64.Vec, bias uint32, limit amd64.Mem) {
	if bias != 0 {
		c.V(opSub.of(it), c.width(it), d, x, c.splat(it, bias, uint64(bias)))
		x = d
	}
	c.refuseBeyond(it, x, limit)
}

// refuseBeyond refuses the run if an element of x in a lane that runs is greater than the number at m.
func (c *compiler) refuseBeyond(it isa.Type, x amd64.Vec, m amd64.Mem) {
	c.set.beyond(c, it, x, m, c.refuse)
}

// scatter stores an element for each lane. Of lanes with the same index the last one's
// remains.
func (c *compiler) scatter(in *isa.Inst) {
	if narrow(in.Type) {
		c.scatterNarrow(in)
		return
	}
	t, it := in.Type, in.Idx.Type()
	disp := c.fromIndex(in)
	x, v := c.load(in.B, it, true), c.load(in.C, t, true)
	next := c.vec()
	done, each := c.NewLabel(), c.NewLabel()
	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(wave.SlotAddress))
	if int(in.Scale) == t.Bytes() {
		c.consecutive(it, next, x, each)
		c.firstIndex(it, x)
		c.set.moveSome(c, t, amd64.Mem{Base: regAddress, Index: regTemp, Scale: uint8(in.Scale), Disp: disp}, v)
		c.Jmp(done)
		c.Bind(each)
	} else if n := c.stride(in); n > 1 {
		temp := c.vec()
		c.V(amd64.KORTESTW, amd64.X, maskExec, maskExec)
		c.Jcc(amd64.NotCarry, each)
		c.consecutive(it, next, x, each)
		c.firstIndex(it, x)
		c.byScale(regTemp, in.Scale)
		c.storeInterleaved(amd64.Mem{Base: regAddress, Index: regTemp, Scale: 1, Disp: disp}, v, temp, n)
		c.Jmp(done)
		c.Bind(each)
		c.G(amd64.MOV, amd64.B64, regAddress, c.slot(wave.SlotAddress))
	}
	x, scale := c.scaled(in, x, next)
	c.set.scatter(c, t, it, amd64.Mem{Base: regAddress, Scale: scale, Disp: disp}, x, v)
	c.Bind(done)
}

// consecutive goes to l unless the elements of x in lanes that run are the first lane's plus the
// number of the lane. d is changed.
func (c *compiler) consecutive(it isa.Type, d, x amd64.Vec, l amd64.Label) {
	c.V(opSpread.of(it), c.width(it), d, x)
	c.V(opAdd.of(it), c.width(it), d, d, c.iota(it))
	c.set.equal(c, it, d, x, l)
}

// scaled returns the index to use with the processor's scale, in d if it has to be
// another, and that scale.
func (c *compiler) scaled(in *isa.Inst, x, d amd64.Vec) (amd64.Vec, uint8) {
	n, t := in.Scale, in.Idx.Type()
	switch {
	case addressable(n):
		return x, uint8(n)
	case n&(n-1) == 0:
		c.V(opShl.of(t), c.width(t), d, x, amd64.Imm(bits.TrailingZeros32(n)))
	case t == isa.I64: // of lanes that run, it has less than 32 bits
		c.V(amd64.VPMULUDQ, c.width(t), d, x, c.splat(t, 0, uint64(n)))
	default:
		c.times(d, x, n)
	}
	return d, 1
}

// addressable says whether addresses of the processor can have a scale.
func addressable(scale uint32) bool { return scale == 1 || scale == 2 || scale == 4 || scale == 8 }

// byScale multiplies a register by an index's scale.
func (c *compiler) byScale(r amd64.Reg, scale uint32) {
	switch {
	case scale&(scale-1) != 0:
		c.G(amd64.IMUL, amd64.B64, r, r, amd64.Imm(scale))
	case scale > 1:
		c.G(amd64.SHL, amd64.B64, r, amd64.Imm(bits.TrailingZeros32(scale)))
	}
}

// firstIndex puts the index of the group's first lane into regTemp.
func (c *compiler) firstIndex(t isa.Type, x amd64.Vec) {
	c.V(opExtract.of(t), amd64.X, regTemp, x)
	if t == isa.I32 {
		// The first lane may be one that does not run, with an index below 0.
		c.G(amd64.MOVSX32, amd64.B64, regTemp, regTemp)
	}
}

// iota returns the numbers of the lanes of a group.
func (c *compiler) iota(t isa.Type) amd64.Mem {
	var b []byte
	for i := range c.lanes {
		if t == isa.I64 {
			b = binary.LittleEndian.AppendUint64(b, uint64(i))
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
	}
	return c.Const(b)
}

// scatterNarrow is scatter for elements of 8 and 16 bits.
func (c *compiler) scatterNarrow(in *isa.Inst) {
	t, it := in.Type, in.Idx.Type()
	disp := c.fromIndex(in)
	done, each := c.NewLabel(), c.NewLabel()
	x, v := c.load(in.B, it, true), c.load(in.C, t, true)
	temp, n := c.vec(), c.stride(in)
	var more amd64.Vec
	if n > 1 {
		more = c.vec()
	}
	if int(in.Scale) == t.Bytes() {
		c.consecutive(it, temp, x, each)
		c.firstIndex(it, x)
		c.G(amd64.MOV, amd64.B64, regAddress, c.slot(wave.SlotAddress))
		c.set.moveNarrow(c, t, amd64.Mem{Base: regAddress, Index: regTemp, Scale: uint8(in.Scale), Disp: disp}, v, each)
		c.Jmp(done)
		c.Bind(each)
	} else if n > 1 {
		c.V(amd64.KORTESTW, amd64.X, maskExec, maskExec)
		c.Jcc(amd64.NotCarry, each)
		c.consecutive(it, temp, x, each)
		c.firstIndex(it, x)
		c.byScale(regTemp, in.Scale)
		c.G(amd64.MOV, amd64.B64, regAddress, c.slot(wave.SlotAddress))
		m := amd64.Mem{Base: regAddress, Index: regTemp, Scale: 1, Disp: disp}
		c.storeNarrow16(m, v, [2]amd64.Vec{temp, more}, t.Bytes(), int(in.Scale))
		c.Jmp(done)
		c.Bind(each)
	}
	c.toEach(in, disp, func(at amd64.Mem) { c.G(amd64.MOV, amd64.Size(t.Bits()), at, regTemp) })
	c.Bind(done)
}

// commit is what is known of a store of a hyperblock.
type commit struct {
	// checked says that a load has looked whether the indices are within the limit.
	checked bool
	// strewn is 1 if the indices of some group are not consecutive. Without it, each group has to look.
	strewn   amd64.Mem
	hasApart bool
}

// checkAligned refuses the run if the slot's address is not a multiple of the element's size.
func (c *compiler) checkAligned(in *isa.Inst) {
	c.at = 0
	c.G(amd64.MOV, amd64.B64, regTemp, c.slot(wave.SlotAddress))
	c.G(amd64.TEST, amd64.B32, regTemp, amd64.Imm(in.Type.Bytes()-1))
	c.Jcc(amd64.NotZero, c.refuse)
}
