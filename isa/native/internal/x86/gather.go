package x86

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

// Gathering is a load with an index for each lane, on its way into code.
type Gathering struct {
	In           *isa.Inst
	T, IndexType isa.Type
	slot         *slotState
	X            amd64.Vec // the index, as it is
	absent       *Value    // the index in the register file, if X does not hold it yet
	D, Temp      amd64.Vec // the result, and another register
	More         amd64.Vec // one more, where stride is more than 1 or shiftable
	Stride       int       // of Compiler.Stride
	Within       bool      // no index of a lane that runs is beyond the limit
	Bias         uint32
	Disp         int32 // from the element that the index less the bias selects
	Done         amd64.Label
	Address      amd64.Mem // Slot.Address …
	Limit        amd64.Mem
	pointer      amd64.Mem
	Rest         []*Gathering // of loads that are emitted together with this one
}

// gather loads an element for each lane. It refuses the run if an index of a lane that runs is
// beyond the slot's limit.
func (c *Compiler) gather(in *isa.Inst) {
	if c.Follows(c.Index) {
		return
	}
	g := &Gathering{T: in.Type, IndexType: in.Idx.Type(), In: in, slot: c.slots[c.Run.Slots[c.Index]], Bias: c.Run.Bias[c.Index], Disp: c.Run.Disp[c.Index],
		Done: c.NewLabel(), Address: c.Slot(wave.SlotAddress), Limit: c.Slot(wave.SlotLimit), pointer: c.Slot(wave.SlotPointer)}
	first := !g.slot.known
	if v := c.Value(in.B, g.IndexType); v.Reg >= 0 || first {
		g.X = c.Load(in.B, g.IndexType, true)
	} else {
		g.absent, g.X = v, c.Vec()
	}
	g.D = c.Vec()
	if g.Stride = c.Stride(in); !Addressable(in.Scale) || g.Bias != 0 || Narrow(g.T) || c.windowed(g) || g.Stride > 1 || c.leads(c.Index) {
		g.Temp = c.Vec()
	}
	if g.Stride > 1 || g.shiftable() {
		g.More = c.Vec()
	}
	c.PrepareAdjacent(g)
	expected, move, other := SeenSame, c.LoadSame, c.NewLabel()
	if g.slot.next && g.Stride > 0 {
		expected, move = SeenNext, c.LoadNext
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
			if expected == SeenNext {
				c.G(amd64.TEST, amd64.B32, regSeen, amd64.Imm(SeenSame<<g.slot.bits))
				c.Jcc(amd64.Equal, each)
				c.LoadSame(g, c.pointerOf(g))
				c.Jmp(g.Done)
			}
			c.Bind(each)
			if g.absent != nil {
				c.V(FileLoads[g.absent.Bank], c.Width(g.IndexType), g.X, c.Memory(g.absent))
			}
			c.loadEach(g)
			c.Jmp(g.Done)
		})
	}
	c.Bind(g.Done)
	c.Results(g)
}

// look finds out how the indices of a slot are, and loads the first of its elements.
func (c *Compiler) look(g *Gathering) {
	iw := c.Width(g.IndexType)
	other, each := c.NewLabel(), c.NewLabel()
	size := amd64.B32 // of an index
	if g.IndexType == isa.I64 {
		size = amd64.B64
	}
	c.V(OpExtract.Of(g.IndexType), amd64.X, RegTemp, g.X)
	if g.Bias != 0 {
		c.G(amd64.SUB, size, RegTemp, amd64.Imm(g.Bias))
	}
	if g.slot.next {
		c.UnlessNext(g.IndexType, g.D, g.X, other)
		c.NextInside(g, each)
		p := c.point(g, SeenNext)
		c.LoadNext(g, p)
		c.fetchAhead(g, p)
	} else {
		c.V(OpSpread.Of(g.IndexType), iw, g.D, g.X)
		c.ISA.Equal(c, g.IndexType, g.D, g.X, each)
		c.inside(g)
		c.LoadSame(g, c.point(g, SeenSame))
	}
	c.Later(func() {
		if g.slot.next {
			c.Bind(other)
			c.V(OpSpread.Of(g.IndexType), iw, g.D, g.X)
			c.ISA.Equal(c, g.IndexType, g.D, g.X, each)
			c.inside(g)
			c.LoadSame(g, c.point(g, SeenSame))
			c.Jmp(g.Done)
		}
		c.Bind(each)
		x := g.X
		if g.Bias != 0 {
			c.V(OpSub.Of(g.IndexType), iw, g.D, x, c.Splat(g.IndexType, g.Bias, uint64(g.Bias)))
			x = g.D
		}
		c.RefuseBeyond(g.IndexType, x, g.Limit)
		c.loadEach(g)
		c.Jmp(g.Done)
	})
}

// NextInside goes to l if the elements from the index in RegTemp on are not all within the limit: all lanes
// of the group are loaded, whether they run or not.
func (c *Compiler) NextInside(g *Gathering, l amd64.Label) {
	c.G(amd64.LEA, amd64.B64, RegAddress, amd64.Mem{Base: RegTemp, Disp: int32(c.Lanes - 1)})
	c.G(amd64.CMP, amd64.B64, RegAddress, g.Limit)
	c.Jcc(amd64.Above, l)
	if g.IndexType == isa.I64 {
		c.G(amd64.CMP, amd64.B64, RegTemp, g.Limit)
		c.Jcc(amd64.Above, l)
	}
}

// inside refuses the run if the index in RegTemp is beyond the limit.
func (c *Compiler) inside(g *Gathering) {
	c.G(amd64.CMP, amd64.B64, RegTemp, g.Limit)
	c.Jcc(amd64.Above, c.Refuse)
}

// point makes the address of the element that the index in RegTemp selects, and notes what has been seen.
func (c *Compiler) point(g *Gathering, seen int) amd64.Reg {
	p := RegAddress
	if g.slot.pointer != amd64.NoReg {
		p = g.slot.pointer
	}
	c.G(amd64.MOV, amd64.B64, p, g.Address)
	scale := uint8(1)
	if Addressable(g.In.Scale) {
		scale = uint8(g.In.Scale)
	} else {
		c.ByScale(RegTemp, g.In.Scale)
	}
	c.G(amd64.LEA, amd64.B64, p, amd64.Mem{Base: p, Index: RegTemp, Scale: scale})
	if g.slot.uses > 1 {
		if p == RegAddress {
			c.G(amd64.MOV, amd64.B64, g.pointer, p)
		}
		c.G(amd64.OR, amd64.B64, regSeen, amd64.Imm(seen<<g.slot.bits)) // bits from 32 on are those of alike
	}
	return p
}

// pointerOf returns the register with the address that point made before.
func (c *Compiler) pointerOf(g *Gathering) amd64.Reg {
	if g.slot.pointer != amd64.NoReg {
		return g.slot.pointer
	}
	c.G(amd64.MOV, amd64.B64, RegAddress, g.pointer)
	return RegAddress
}

// LoadNext loads the elements from p on.
func (c *Compiler) LoadNext(g *Gathering, p amd64.Reg) {
	for _, o := range g.Rest {
		c.LoadNext(o, p)
	}
	if g.Stride > 1 {
		c.LoadInterleaved(g.T, g.D, [2]amd64.Vec{g.Temp, g.More}, p, g.Stride, int(g.Disp), c.Extent(c.Run.Slots[c.Index]))
		return
	}
	c.V(FileLoads[g.T.Bank()], c.Width(g.T), g.D, amd64.Mem{Base: p, Disp: g.Disp})
}

// LoadSame loads the element at p for all lanes.
func (c *Compiler) LoadSame(g *Gathering, p amd64.Reg) {
	for _, o := range g.Rest {
		c.LoadSame(o, p)
	}
	c.SpreadFrom(g.T, g.D, amd64.Mem{Base: p, Disp: g.Disp})
}

// SpreadFrom gives all lanes of d the element at m.
func (c *Compiler) SpreadFrom(t isa.Type, d amd64.Vec, m amd64.Mem) {
	if Narrow(t) {
		c.G(loadNarrow(t), amd64.B32, RegTemp, m)
		c.ISA.Spread(c, t, d, RegTemp)
		return
	}
	c.V(OpSpread.Of(t), c.Width(t), d, m)
}

// loadNarrow loads 8 or 16 bits into a general register.
func loadNarrow(t isa.Type) amd64.Gen {
	if t.Bits() == 8 {
		return amd64.MOVZX8
	}
	return amd64.MOVZX16
}

// loadEach loads the elements that the lanes that run select, of which none is beyond the limit.
func (c *Compiler) loadEach(g *Gathering) {
	if g.Rest != nil {
		x := g.X
		if g.Bias != 0 {
			c.V(OpSub.Of(g.IndexType), c.Width(g.IndexType), g.Temp, x, c.Splat(g.IndexType, g.Bias, uint64(g.Bias)))
			x = g.Temp
		}
		c.LoadAdjacent(g, x)
		return
	}
	if c.windowed(g) {
		c.loadWindow(g)
	}
	disp := g.Disp - int32(g.Bias*g.In.Scale)
	edge := c.NewLabel()
	if Narrow(g.T) {
		c.RoomAround(g, edge)
	}
	c.G(amd64.MOV, amd64.B64, RegAddress, g.Address)
	x, by := c.Scaled(g.In, g.X, g.Temp)
	c.ISA.Gather(c, g.T, g.IndexType, g.D, amd64.VMem(RegAddress, x, by, disp))
	if Narrow(g.T) {
		c.V(amd64.VPANDD, c.Width(g.T), g.D, g.D, c.Splat(g.T, 1<<g.T.Bits()-1, 0))
		c.Jmp(g.Done)
		c.Bind(edge)
		if g.shiftable() {
			few := c.NewLabel()
			c.loadShifted(g, few)
			c.Jmp(g.Done)
			c.Bind(few)
		}
		c.loadOneByOne(g)
	}
}

// behind returns how many elements of 8 or 16 bits there have to be behind one so that 32 bits can be read there.
func (g *Gathering) behind() int {
	return (4 - g.T.Bytes() + int(g.In.Scale) - 1) / int(g.In.Scale)
}

// shiftable says whether elements of 8 or 16 bits are in the 32 bits at the last element at which so many can be read.
func (g *Gathering) shiftable() bool {
	return Narrow(g.T) && Addressable(g.In.Scale) && g.behind()*int(g.In.Scale)+g.T.Bytes() <= 4
}

// loadShifted loads elements of 8 or 16 bits of which some are so near the end of the allocation that 32 bits cannot be
// read there: those in front of them are, too, and are shifted out. It goes to few if there are less than 32 bits.
func (c *Compiler) loadShifted(g *Gathering, few amd64.Label) {
	w, x := c.Width(isa.I32), g.X
	c.G(amd64.MOV, amd64.B64, RegTemp, g.Limit)
	c.G(amd64.SUB, amd64.B64, RegTemp, amd64.Imm(g.behind()))
	c.Jcc(amd64.Below, few)
	if g.IndexType == isa.I64 { // an index within the limit has less than 32 bits
		c.ISA.lower(c, g.More, x)
		x = g.More
	}
	if g.Bias != 0 {
		c.V(amd64.VPSUBD, w, g.More, x, c.Splat(isa.I32, g.Bias, 0))
		x = g.More
	}
	c.ISA.Spread(c, isa.I32, g.D, RegTemp)
	c.V(amd64.VPMINUD, w, g.Temp, x, g.D)
	c.G(amd64.MOV, amd64.B64, RegAddress, g.Address)
	c.ISA.Gather(c, g.T, isa.I32, g.D, amd64.VMem(RegAddress, g.Temp, uint8(g.In.Scale), g.Disp))
	c.V(amd64.VPSUBD, w, g.Temp, x, g.Temp)
	c.V(amd64.VPSLLD, w, g.Temp, g.Temp, amd64.Imm(3+bits.TrailingZeros32(g.In.Scale)))
	c.V(amd64.VPSRLVD, w, g.D, g.D, g.Temp)
	c.V(amd64.VPANDD, w, g.D, g.D, c.Splat(g.T, 1<<g.T.Bits()-1, 0))
}

// RoomAround goes to l unless 32 bits can be read at the elements of 8 or 16 bits that the lanes that
// run select.
func (c *Compiler) RoomAround(g *Gathering, l amd64.Label) {
	c.G(amd64.MOV, amd64.B64, RegTemp, g.Limit)
	c.G(amd64.SUB, amd64.B64, RegTemp, amd64.Imm(g.behind()))
	c.Jcc(amd64.Below, l)
	x, iw := g.X, c.Width(g.IndexType)
	if g.Bias != 0 {
		c.V(OpSub.Of(g.IndexType), iw, g.Temp, x, c.Splat(g.IndexType, g.Bias, uint64(g.Bias)))
		x = g.Temp
	}
	c.ISA.Spread(c, g.IndexType, g.D, RegTemp)
	c.ISA.Beyond(c, g.IndexType, x, g.D, l)
}

// loadOneByOne loads elements of 8 or 16 bits.
func (c *Compiler) loadOneByOne(g *Gathering) {
	indices, elements := c.Aside(0), c.Aside(64)
	c.V(OpMove.Of(g.IndexType), c.Width(g.IndexType), indices, g.X)
	c.V(OpXor.Of(g.T), c.Width(g.T), g.D, g.D, g.D)
	c.V(OpMove.Of(g.T), c.Width(g.T), elements, g.D)
	left := c.Aside(128)
	c.Bits(RegTemp, amd64.Mem{Base: RegExec})
	c.G(amd64.MOV, amd64.B32, left, RegTemp)
	next := c.NewLabel()
	c.Bind(next)
	c.G(amd64.TZCNT, amd64.B32, RegTemp, RegTemp)
	indices.Index, elements.Index = RegTemp, RegTemp
	elements.Scale = 4
	if g.IndexType == isa.I64 {
		indices.Scale = 8
		c.G(amd64.MOV, amd64.B64, RegAddress, indices)
	} else {
		indices.Scale = 4
		c.G(amd64.MOV, amd64.B32, RegAddress, indices)
	}
	c.ByScale(RegAddress, g.In.Scale)
	c.G(amd64.ADD, amd64.B64, RegAddress, g.Address)
	c.G(loadNarrow(g.T), amd64.B32, RegAddress, amd64.Mem{Base: RegAddress, Disp: g.Disp - int32(g.Bias*g.In.Scale)})
	c.G(amd64.MOV, amd64.B32, elements, RegAddress)
	c.V(amd64.BLSR, amd64.X, RegTemp, left)
	c.G(amd64.MOV, amd64.B32, left, RegTemp)
	c.Jcc(amd64.NotZero, next)
	elements.Index, elements.Scale = amd64.NoReg, 0
	c.V(OpMove.Of(g.T), c.Width(g.T), g.D, elements)
}

// Aside is the function's own memory, of 136 bytes, from byte n on.
func (c *Compiler) Aside(n int) amd64.Mem {
	return amd64.Mem{Base: RegFrame, Disp: int32(wave.FrameScratch) + int32(n)}
}
