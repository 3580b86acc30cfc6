package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// A block is as many consecutive elements as a sub-group has lanes, behind what the lowest of them that runs
// says. The first group of lanes of the sub-group finds where it is, and each its part of it. Where the first
// lane of a sub-group does not run, or a block for all its lanes would reach outside, it is left to package
// interp.

// regPart holds, in runs with blocks, how many lanes of its sub-group are in front of the group, or a number
// below 0 if the group has two sub-groups.
const regPart = amd64.R14

// smallSubgroup is the one sub-group size for which a group of 16 lanes has two of them.
const smallSubgroup = 8

// blocks returns the emitter of a block load or store.
func blocks(in *isa.Inst) Emitter {
	switch {
	case in.Type == isa.B1:
		return nil
	case in.Op == isa.OpBlockLoad:
		return (*Compiler).blockLoad
	}
	return (*Compiler).blockStore
}

// prepareParts finds out whether the run has blocks.
func (c *Compiler) prepareParts() {
	for i := range c.Run.Code {
		if plan.Blocked(&c.Run.Code[i]) {
			c.parts = map[int]bool{}
		}
	}
	if c.parts != nil && changesAtOnce(c.Run) {
		c.Lanes = min(c.Lanes, smallSubgroup)
	}
}

// enterParts begins a group: it finds out where in its sub-group it is, and refuses the run if the first lane
// of that does not run.
func (c *Compiler) enterParts() {
	if c.parts == nil {
		return
	}
	clear(c.parts)
	table := c.LanesTable()
	c.G(amd64.MOV, amd64.B32, regPart, table(wave.LanesLast))
	begun := c.NewLabel()
	if c.Lanes > smallSubgroup {
		small := c.NewLabel()
		c.G(amd64.CMP, amd64.B32, regPart, amd64.Imm(smallSubgroup-1))
		c.Jcc(amd64.Equal, small)
		c.Later(func() {
			c.Bind(small)
			c.G(amd64.MOV, amd64.B32, regPart, amd64.Imm(-1))
			c.G(amd64.MOV, amd64.B32, RegTemp, RegLane)
			c.Jmp(begun)
		})
	}
	c.G(amd64.AND, amd64.B32, regPart, RegLane)
	c.G(amd64.MOV, amd64.B32, RegTemp, RegLane)
	c.G(amd64.SUB, amd64.B32, RegTemp, regPart)
	c.Bind(begun)
	c.G(amd64.MOV, amd64.B64, RegAddress, amd64.Mem{Base: RegExec})
	c.G(amd64.BT, amd64.B64, RegAddress, RegTemp)
	c.Jcc(amd64.NotCarry, c.Refuse)
}

// blockIndex puts what a lane's index adds to the address into RegTemp, the vector's first lane's, or refuses
// the run if 64 bits do not hold it.
func (c *Compiler) blockIndex(in *isa.Inst, x amd64.Vec) {
	if in.Idx == isa.IdxNone {
		c.G(amd64.XOR, amd64.B32, RegTemp, RegTemp)
		return
	}
	it := in.Idx.Type()
	if in.B.IsVector() {
		c.V(OpExtract.Of(it), amd64.X, RegTemp, x)
	} else {
		size := amd64.B64
		if it == isa.I32 {
			size = amd64.B32
		}
		c.G(amd64.MOV, size, RegTemp, Scalar(in.B))
	}
	if in.Idx == isa.IdxS32 {
		c.G(amd64.MOVSX32, amd64.B64, RegTemp, RegTemp)
	}
	if WideProduct(in) {
		c.G(amd64.IMUL, amd64.B64, RegTemp, RegTemp, amd64.Imm(in.Scale))
		c.Jcc(amd64.Overflow, c.Refuse)
	} else {
		c.ByScale(RegTemp, in.Scale)
	}
}

// inBlock adds to RegTemp what components in front of the instruction's take, and refuses the run unless so
// many elements from there on are inside. It makes RegTemp their address, less the displacement.
func (c *Compiler) inBlock(in *isa.Inst, elements int) {
	size := in.Type.Bytes()
	if in.Imm > 0 {
		table := c.LanesTable()
		c.G(amd64.MOV, amd64.B32, RegAddress, table(wave.LanesSize))
		c.G(amd64.IMUL, amd64.B64, RegAddress, RegAddress, amd64.Imm(int(in.Imm)*size))
		c.G(amd64.ADD, amd64.B64, RegTemp, RegAddress)
	}
	c.G(amd64.CMP, amd64.B64, RegTemp, c.Slot(wave.SlotLimit))
	c.Jcc(amd64.Above, c.Refuse)
	c.G(amd64.LEA, amd64.B64, RegAddress, amd64.Mem{Base: RegTemp, Disp: int32((elements - 1) * size)})
	c.G(amd64.CMP, amd64.B64, RegAddress, c.Slot(wave.SlotLimit))
	c.Jcc(amd64.Above, c.Refuse)
	c.G(amd64.ADD, amd64.B64, RegTemp, c.Slot(wave.SlotAddress))
}

// findBlock makes RegTemp the address of the sub-group's block, less the displacement, for the first
// instruction of the group that looks for it. The first group of the sub-group sees to it that all that the
// run accesses there is inside.
func (c *Compiler) findBlock(in *isa.Inst, small amd64.Label) {
	var x amd64.Vec
	if in.Idx != isa.IdxNone && in.B.IsVector() {
		x = c.Load(in.B, in.Idx.Type(), true)
	}
	later, found := c.NewLabel(), c.NewLabel()
	pointer := c.Slot(wave.SlotPointer)
	c.G(amd64.TEST, amd64.B32, regPart, regPart)
	c.Jcc(amd64.NotZero, later)
	c.blockIndex(in, x)
	c.G(amd64.CMP, amd64.B64, RegTemp, c.Slot(wave.SlotRoom)) // below 0 is above it
	c.Jcc(amd64.Above, c.Refuse)
	c.G(amd64.ADD, amd64.B64, RegTemp, c.Slot(wave.SlotAddress))
	c.G(amd64.MOV, amd64.B64, pointer, RegTemp)
	c.Later(func() {
		c.Bind(later)
		if c.Lanes > smallSubgroup {
			c.Jcc(amd64.Sign, small)
		}
		c.G(amd64.MOV, amd64.B64, RegTemp, pointer)
		c.Jmp(found)
	})
	c.Bind(found)
}

// partAddress returns where the group's part of a block is, good until RegTemp or RegAddress changes. A group
// with two blocks goes to small.
func (c *Compiler) partAddress(in *isa.Inst, small amd64.Label) amd64.Mem {
	slot, size := c.Run.Slots[c.Index], in.Type.Bytes()
	if !c.parts[slot] {
		c.parts[slot] = true
		c.findBlock(in, small)
	} else {
		if c.Lanes > smallSubgroup {
			c.G(amd64.TEST, amd64.B32, regPart, regPart)
			c.Jcc(amd64.Sign, small)
		}
		c.G(amd64.MOV, amd64.B64, RegTemp, c.Slot(wave.SlotPointer))
	}
	part := regPart
	if in.Imm > 0 {
		table := c.LanesTable()
		c.G(amd64.IMUL, amd64.B32, RegAddress, table(wave.LanesSize), amd64.Imm(in.Imm))
		c.G(amd64.ADD, amd64.B32, RegAddress, regPart)
		part = RegAddress
	}
	return amd64.Mem{Base: RegTemp, Index: part, Scale: uint8(size), Disp: c.Run.Disp[c.Index]}
}

// blockLoad loads a component of a block.
func (c *Compiler) blockLoad(in *isa.Inst) {
	t := in.Type
	var x amd64.Vec
	vector := in.Idx != isa.IdxNone && in.B.IsVector()
	if vector {
		x = c.Load(in.B, in.Idx.Type(), true)
	}
	d, half := c.Vec(), c.Vec()
	done, small := c.NewLabel(), c.NewLabel()
	from := c.partAddress(in, small)
	if c.Lanes > smallSubgroup {
		at := c.Index
		c.Later(func() {
			now := c.Index
			c.Index = at
			c.Bind(small)
			c.blockHalves(in, x, d, half)
			c.Jmp(done)
			c.Index = now
		})
	}
	c.V(FileLoads[t.Bank()], c.Width(t), d, from)
	c.Bind(done)
	c.Result(in, t, d)
}

// blockHalves loads the parts of two blocks.
func (c *Compiler) blockHalves(in *isa.Inst, x, d, half amd64.Vec) {
	load, none := FileLoads[in.Type.Bank()], c.NewLabel()
	c.blockIndex(in, x)
	c.inBlock(in, smallSubgroup)
	c.V(load, amd64.Y, d, amd64.Mem{Base: RegTemp, Disp: c.Run.Disp[c.Index]})
	// The second half may have no lanes that run.
	second := amd64.Mem{Base: RegExec, Index: RegByte, Disp: 1}
	c.G(amd64.CMP, amd64.B8, second, amd64.Imm(0))
	c.Jcc(amd64.Equal, none)
	c.G(amd64.TEST, amd64.B8, second, amd64.Imm(1))
	c.Jcc(amd64.IsZero, c.Refuse)
	if in.Idx != isa.IdxNone && in.B.IsVector() {
		c.V(amd64.VEXTRACTI32X4, amd64.Z, half, x, amd64.Imm(2))
	}
	c.blockIndex(in, half)
	c.inBlock(in, smallSubgroup)
	c.V(load, amd64.Y, half, amd64.Mem{Base: RegTemp, Disp: c.Run.Disp[c.Index]})
	c.V(amd64.VINSERTI64X4, amd64.Z, d, d, half, amd64.Imm(1))
	c.Bind(none)
}

// blockStore stores a component of a block, which is a run of its own.
func (c *Compiler) blockStore(in *isa.Inst) {
	t := in.Type
	v := c.Load(in.C, t, true)
	m := c.partAddress(in, c.Refuse)
	if !Narrow(t) {
		c.ISA.MoveSome(c, t, m, v)
		return
	}
	each, done := c.NewLabel(), c.NewLabel()
	defer c.Bind(done)
	c.ISA.moveNarrow(c, t, m, v, each)
	if c.ISA.Broadcasts() {
		return
	}
	c.Jmp(done)
	c.Bind(each)
	// The lanes' own numbers select the elements, those in front of the group taken off.
	base := RegOld
	c.G(amd64.LEA, amd64.B64, base, m)
	if in.C.IsScalar() {
		c.G(amd64.MOV, amd64.B32, RegTemp, Scalar(in.C))
	}
	c.EachLane(func(lane amd64.Reg) {
		if !in.C.IsScalar() {
			c.G(loadNarrow(t), amd64.B32, RegTemp, c.LaneOf(in.C, t, lane))
		}
		c.G(amd64.SUB, amd64.B32, lane, RegLane)
		c.G(amd64.MOV, amd64.Size(t.Bits()), amd64.Mem{Base: base, Index: lane, Scale: uint8(t.Bytes())}, RegTemp)
	})
}
