package native

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// A load looks at the indices of the group once: whether they are consecutive, which
// makes it a move, or all the same, which makes it a broadcast. Loads of one
// slot share that, and the address of the first lane's element. The case that
// is expected runs straight through; the others stand behind the function.

// gathering is a load with an index for each lane, on its way into code.
type gathering struct {
	in      *isa.Inst
	t, it   isa.Type
	slot    *slotState
	x       amd64.Vec // the index, as it is
	absent  *value    // the index in the register file, if x does not hold it yet
	d, temp amd64.Vec // the result, and another register
	more    amd64.Vec // one more, where stride is more than 1 or shiftable
	stride  int       // of compiler.stride
	within  bool      // no index of a lane that runs is beyond the limit
	bias    uint32
	disp    int32 // from the element that the index less the bias selects
	done    amd64.Label
	address amd64.Mem // Slot.Address …
	limit   amd64.Mem
	pointer amd64.Mem
	rest    []*gathering // of loads that are emitted together with this one
}

// gather loads an element for each lane. It refuses the run if an index of a lane that runs is
// beyond the slot's limit.
func (c *compiler) gather(in *isa.Inst) {
	if c.follows(c.at) {
		return
	}
	g := &gathering{t: in.Type, it: in.Idx.Type(), in: in, slot: c.slots[c.run.Slots[c.at]], bias: c.run.Bias[c.at], disp: c.run.Disp[c.at],
		done: c.NewLabel(), address: c.slot(wave.SlotAddress), limit: c.slot(wave.SlotLimit), pointer: c.slot(wave.SlotPointer)}
	first := !g.slot.known
	if v := c.value(in.B, g.it); v.reg >= 0 || first {
		g.x = c.load(in.B, g.it, true)
	} else {
		g.absent, g.x = v, c.vec()
	}
	g.d = c.vec()
	if g.stride = c.stride(in); !addressable(in.Scale) || g.bias != 0 || narrow(g.t) || c.windowed(g) || g.stride > 1 || c.leads(c.at) {
		g.temp = c.vec()
	}
	if g.stride > 1 || g.shiftable() {
		g.more = c.vec()
	}
	c.prepareAdjacent(g)
	expected, move, other := seenSame, c.loadSame, c.NewLabel()
	if g.slot.next && g.stride > 0 {
		expected, move = seenNext, c.loadNext
	}
	if first {
		c.look(g)
		g.slot.known = g.slot.uses > 1
	} else {
		c.G(amd64.TEST, amd64.B32, regSeen, amd64.Imm(expected<<g.slot.bits))
		c.Jcc(amd64.Equal, other)
		move(g, c.pointerOf(g))
		c.Later(func() {
			c.Bind(other)
			each := c.NewLabel()
			if expected == seenNext {
				c.G(amd64.TEST, amd64.B32, regSeen, amd64.Imm(seenSame<<g.slot.bits))
				c.Jcc(amd64.Equal, each)
				c.loadSame(g, c.pointerOf(g))
				c.Jmp(g.done)
			}
			c.Bind(each)
			if g.absent != nil {
				c.V(fileLoads[g.absent.bank], c.width(g.it), g.x, c.memory(g.absent))
			}
			c.loadEach(g)
			c.Jmp(g.done)
		})
	}
	c.Bind(g.done)
	c.results(g)
}

// look finds out how the indices of a slot are, and loads the first of its elements.
func (c *compiler) look(g *gathering) {
	iw := c.width(g.it)
	other, each := c.NewLabel(), c.NewLabel()
	size := amd64.B32 // of an index
	if g.it == isa.I64 {
		size = amd64.B64
	}
	c.V(opExtract.of(g.it), amd64.X, regTemp, g.x)
	if g.bias != 0 {
		c.G(amd64.SUB, size, regTemp, amd64.Imm(g.bias))
	}
	if g.slot.next {
		c.unlessNext(g.it, g.d, g.x, other)
		c.nextInside(g, each)
		p := c.point(g, seenNext)
		c.loadNext(g, p)
		c.fetchAhead(g, p)
	} else {
		c.V(opSpread.of(g.it), iw, g.d, g.x)
		c.set.equal(c, g.it, g.d, g.x, each)
		c.inside(g)
		c.loadSame(g, c.point(g, seenSame))
	}
	c.Later(func() {
		if g.slot.next {
			c.Bind(other)
			c.V(opSpread.of(g.it), iw, g.d, g.x)
			c.set.equal(c, g.it, g.d, g.x, each)
			c.inside(g)
			c.loadSame(g, c.point(g, seenSame))
			c.Jmp(g.done)
		}
		c.Bind(each)
		x := g.x
		if g.bias != 0 {
			c.V(opSub.of(g.it), iw, g.d, x, c.splat(g.it, g.bias, uint64(g.bias)))
			x = g.d
		}
		c.refuseBeyond(g.it, x, g.limit)
		c.loadEach(g)
		c.Jmp(g.done)
	})
}

// nextInside goes to l if the elements from the index in regTemp on are not all within the limit: all lanes
// of the group are loaded, whether they run or not.
func (c *compiler) nextInside(g *gathering, l amd64.Label) {
	c.G(amd64.LEA, amd64.B64, regAddress, amd64.Mem{Base: regTemp, Disp: int32(c.lanes - 1)})
	c.G(amd64.CMP, amd64.B64, regAddress, g.limit)
	c.Jcc(amd64.Above, l)
	if g.it == isa.I64 {
		c.G(amd64.CMP, amd64.B64, regTemp, g.limit)
		c.Jcc(amd64.Above, l)
	}
}

// inside refuses the run if the index in regTemp is beyond the limit.
func (c *compiler) inside(g *gathering) {
	c.G(amd64.CMP, amd64.B64, regTemp, g.limit)
	c.Jcc(amd64.Above, c.refuse)
}

// point makes the address of the element that the index in regTemp selects, and notes what has been seen.
func (c *compiler) point(g *gathering, seen int) amd64.Reg {
	p := regAddress
	if g.slot.pointer != amd64.NoReg {
		p = g.slot.pointer
	}
	c.G(amd64.MOV, amd64.B64, p, g.address)
	scale := uint8(1)
	if addressable(g.in.Scale) {
		scale = uint8(g.in.Scale)
	} else {
		c.byScale(regTemp, g.in.Scale)
	}
	c.G(amd64.LEA, amd64.B64, p, amd64.Mem{Base: p, Index: regTemp, Scale: scale})
	if g.slot.uses > 1 {
		if p == regAddress {
			c.G(amd64.MOV, amd64.B64, g.pointer, p)
		}
		c.G(amd64.OR, amd64.B64, regSeen, amd64.Imm(seen<<g.slot.bits)) // bits from 32 on are those of alike
	}
	return p
}

// pointerOf returns the register with the address that point made before.
func (c *compiler) pointerOf(g *gathering) amd64.Reg {
	if g.slot.pointer != amd64.NoReg {
		return g.slot.pointer
	}
	c.G(amd64.MOV, amd64.B64, regAddress, g.pointer)
	return regAddress
}

// loadNext loads the elements from p on.
func (c *compiler) loadNext(g *gathering, p amd64.Reg) {
	for _, o := range g.rest {
		c.loadNext(o, p)
	}
	if g.stride > 1 {
		c.loadInterleaved(g.t, g.d, [2]amd64.Vec{g.temp, g.more}, p, g.stride, int(g.disp), c.extent(c.run.Slots[c.at]))
		return
	}
	c.V(fileLoads[g.t.Bank()], c.width(g.t), g.d, amd64.Mem{Base: p, Disp: g.disp})
}

// loadSame loads the element at p for all lanes.
func (c *compiler) loadSame(g *gathering, p amd64.Reg) {
	for _, o := range g.rest {
		c.loadSame(o, p)
	}
	c.spreadFrom(g.t, g.d, amd64.Mem{Base: p, Disp: g.disp})
}

// spreadFrom gives all lanes of d the element at m.
func (c *compiler) spreadFrom(t isa.Type, d amd64.Vec, m amd64.Mem) {
	if narrow(t) {
		c.G(loadNarrow(t), amd64.B32, regTemp, m)
		c.set.spread(c, t, d, regTemp)
		return
	}
	c.V(opSpread.of(t), c.width(t), d, m)
}

// loadNarrow loads 8 or 16 bits into a general register.
func loadNarrow(t isa.Type) amd64.Gen {
	if t.Bits() == 8 {
		return amd64.MOVZX8
	}
	return amd64.MOVZX16
}

// loadEach loads the elements that the lanes that run select, of which none is beyond the limit.
func (c *compiler) loadEach(g *gathering) {
	if g.rest != nil {
		x := g.x
		if g.bias != 0 {
			c.V(opSub.of(g.it), c.width(g.it), g.temp, x, c.splat(g.it, g.bias, uint64(g.bias)))
			x = g.temp
		}
		c.loadAdjacent(g, x)
		return
	}
	if c.windowed(g) {
		c.loadWindow(g)
	}
	disp := g.disp - int32(g.bias*g.in.Scale)
	edge := c.NewLabel()
	if narrow(g.t) {
		c.roomAround(g, edge)
	}
	c.G(amd64.MOV, amd64.B64, regAddress, g.address)
	x, by := c.scaled(g.in, g.x, g.temp)
	c.set.gather(c, g.t, g.it, g.d, amd64.VMem(regAddress, x, by, disp))
	if narrow(g.t) {
		c.V(amd64.VPANDD, c.width(g.t), g.d, g.d, c.splat(g.t, 1<<g.t.Bits()-1, 0))
		c.Jmp(g.done)
		c.Bind(edge)
		if g.shiftable() {
			few := c.NewLabel()
			c.loadShifted(g, few)
			c.Jmp(g.done)
			c.Bind(few)
		}
		c.loadOneByOne(g)
	}
}

// behind returns how many elements of 8 or 16 bits there have to be behind one so that 32 bits can be read there.
func (g *gathering) behind() int {
	return (4 - g.t.Bytes() + int(g.in.Scale) - 1) / int(g.in.Scale)
}

// shiftable says whether elements of 8 or 16 bits are in the 32 bits at the last element at which so many can be read.
func (g *gathering) shiftable() bool {
	return narrow(g.t) && addressable(g.in.Scale) && g.behind()*int(g.in.Scale)+g.t.Bytes() <= 4
}

// loadShifted loads elements of 8 or 16 bits of which some are so near the end of the allocation that 32 bits cannot be
// read there: those in front of them are, too, and are shifted out. It goes to few if there are less than 32 bits.
func (c *compiler) loadShifted(g *gathering, few amd64.Label) {
	w, x := c.width(isa.I32), g.x
	c.G(amd64.MOV, amd64.B64, regTemp, g.limit)
	c.G(amd64.SUB, amd64.B64, regTemp, amd64.Imm(g.behind()))
	c.Jcc(amd64.Below, few)
	if g.it == isa.I64 { // an index within the limit has less than 32 bits
		c.set.lower(c, g.more, x)
		x = g.more
	}
	if g.bias != 0 {
		c.V(amd64.VPSUBD, w, g.more, x, c.splat(isa.I32, g.bias, 0))
		x = g.more
	}
	c.set.spread(c, isa.I32, g.d, regTemp)
	c.V(amd64.VPMINUD, w, g.temp, x, g.d)
	c.G(amd64.MOV, amd64.B64, regAddress, g.address)
	c.set.gather(c, g.t, isa.I32, g.d, amd64.VMem(regAddress, g.temp, uint8(g.in.Scale), g.disp))
	c.V(amd64.VPSUBD, w, g.temp, x, g.temp)
	c.V(amd64.VPSLLD, w, g.temp, g.temp, amd64.Imm(3+bits.TrailingZeros32(g.in.Scale)))
	c.V(amd64.VPSRLVD, w, g.d, g.d, g.temp)
	c.V(amd64.VPANDD, w, g.d, g.d, c.splat(g.t, 1<<g.t.Bits()-1, 0))
}

// roomAround goes to l unless 32 bits can be read at the elements of 8 or 16 bits that the lanes that
// run select.
func (c *compiler) roomAround(g *gathering, l amd64.Label) {
	c.G(amd64.MOV, amd64.B64, regTemp, g.limit)
	c.G(amd64.SUB, amd64.B64, regTemp, amd64.Imm(g.behind()))
	c.Jcc(amd64.Below, l)
	x, iw := g.x, c.width(g.it)
	if g.bias != 0 {
		c.V(opSub.of(g.it), iw, g.temp, x, c.splat(g.it, g.bias, uint64(g.bias)))
		x = g.temp
	}
	c.set.spread(c, g.it, g.d, regTemp)
	c.set.beyond(c, g.it, x, g.d, l)
}

// loadOneByOne loads elements of 8 or 16 bits.
func (c *compiler) loadOneByOne(g *gathering) {
	indices, elements := c.aside(0), c.aside(64)
	c.V(opMove.of(g.it), c.width(g.it), indices, g.x)
	c.V(opXor.of(g.t), c.width(g.t), g.d, g.d, g.d)
	c.V(opMove.of(g.t), c.width(g.t), elements, g.d)
	left := c.aside(128)
	c.bits(regTemp, amd64.Mem{Base: regExec})
	c.G(amd64.MOV, amd64.B32, left, regTemp)
	next := c.NewLabel()
	c.Bind(next)
	c.G(amd64.TZCNT, amd64.B32, regTemp, regTemp)
	indices.Index, elements.Index = regTemp, regTemp
	elements.Scale = 4
	if g.it == isa.I64 {
		indices.Scale = 8
		c.G(amd64.MOV, amd64.B64, regAddress, indices)
	} else {
		indices.Scale = 4
		c.G(amd64.MOV, amd64.B32, regAddress, indices)
	}
	c.byScale(regAddress, g.in.Scale)
	c.G(amd64.ADD, amd64.B64, regAddress, g.address)
	c.G(loadNarrow(g.t), amd64.B32, regAddress, amd64.Mem{Base: regAddress, Disp: g.disp - int32(g.bias*g.in.Scale)})
	c.G(amd64.MOV, amd64.B32, elements, regAddress)
	c.V(amd64.BLSR, amd64.X, regTemp, left)
	c.G(amd64.MOV, amd64.B32, left, regTemp)
	c.Jcc(amd64.NotZero, next)
	elements.Index, elements.Scale = amd64.NoReg, 0
	c.V(opMove.of(g.t), c.width(g.t), g.d, elements)
}

// aside is the function's own memory, of 136 bytes, from byte n on.
func (c *compiler) aside(n int) amd64.Mem {
	return amd64.Mem{Base: regFrame, Disp: int32(wave.FrameScratch) + int32(n)}
}
