package native

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
func blocks(in *isa.Inst) emitter {
	switch {
	case in.Type == isa.B1:
		return nil
	case in.Op == isa.OpBlockLoad:
		return (*compiler).blockLoad
	}
	return (*compiler).blockStore
}

// prepareParts finds out whether the run has blocks.
func (c *compiler) prepareParts() {
	for i := range c.run.Code {
		if plan.Blocked(&c.run.Code[i]) {
			c.parts = map[int]bool{}
		}
	}
	if c.parts != nil && changesAtOnce(c.run) {
		c.lanes = min(c.lanes, smallSubgroup)
	}
}

// enterParts begins a group: it finds out where in its sub-group it is, and refuses the run if the first lane
// of that does not run.
func (c *compiler) enterParts() {
	if c.parts == nil {
		return
	}
	clear(c.parts)
	table := c.lanesTable()
	c.G(amd64.MOV, amd64.B32, regPart, table(wave.LanesLast))
	begun := c.NewLabel()
	if c.lanes > smallSubgroup {
		small := c.NewLabel()
		c.G(amd64.CMP, amd64.B32, regPart, amd64.Imm(smallSubgroup-1))
		c.Jcc(amd64.Equal, small)
		c.Later(func() {
			c.Bind(small)
			c.G(amd64.MOV, amd64.B32, regPart, amd64.Imm(-1))
			c.G(amd64.MOV, amd64.B32, regTemp, regLane)
			c.Jmp(begun)
		})
	}
	c.G(amd64.AND, amd64.B32, regPart, regLane)
	c.G(amd64.MOV, amd64.B32, regTemp, regLane)
	c.G(amd64.SUB, amd64.B32, regTemp, regPart)
	c.Bind(begun)
	c.G(amd64.MOV, amd64.B64, regAddress, amd64.Mem{Base: regExec})
	c.G(amd64.BT, amd64.B64, regAddress, regTemp)
	c.Jcc(amd64.NotCarry, c.refuse)
}

// blockIndex puts what a lane's index adds to the address into regTemp, the vector's first lane's, or refuses
// the run if 64 bits do not hold it.
func (c *compiler) blockIndex(in *isa.Inst, x amd64.Vec) {
	if in.Idx == isa.IdxNone {
		c.G(amd64.XOR, amd64.B32, regTemp, regTemp)
		return
	}
	it := in.Idx.Type()
	if in.B.IsVector() {
		c.V(opExtract.of(it), amd64.X, regTemp, x)
	} else {
		size := amd64.B64
		if it == isa.I32 {
			size = amd64.B32
		}
		c.G(amd64.MOV, size, regTemp, scalar(in.B))
	}
	if in.Idx == isa.IdxS32 {
		c.G(amd64.MOVSX32, amd64.B64, regTemp, regTemp)
	}
	if wideProduct(in) {
		c.G(amd64.IMUL, amd64.B64, regTemp, regTemp, amd64.Imm(in.Scale))
		c.Jcc(amd64.Overflow, c.refuse)
	} else {
		c.byScale(regTemp, in.Scale)
	}
}

// inBlock adds to regTemp what components in front of the instruction's take, and refuses the run unless so
// many elements from there on are inside. It makes regTemp their address, less the displacement.
func (c *compiler) inBlock(in *isa.Inst, elements int) {
	size := in.Type.Bytes()
	if in.Imm > 0 {
		table := c.lanesTable()
		c.G(amd64.MOV, amd64.B32, regAddress, table(wave.LanesSize))
		c.G(amd64.IMUL, amd64.B64, regAddress, regAddress, amd64.Imm(int(in.Imm)*size))
		c.G(amd64.ADD, amd64.B64, regTemp, regAddress)
	}
	c.G(amd64.CMP, amd64.B64, regTemp, c.slot(wave.SlotLimit))
	c.Jcc(amd64.Above, c.refuse)
	c.G(amd64.LEA, amd64.B64, regAddress, amd64.Mem{Base: regTemp, Disp: int32((elements - 1) * size)})
	c.G(amd64.CMP, amd64.B64, regAddress, c.slot(wave.SlotLimit))
	c.Jcc(amd64.Above, c.refuse)
	c.G(amd64.ADD, amd64.B64, regTemp, c.slot(wave.SlotAddress))
}

// findBlock makes regTemp the address of the sub-group's block, less the displacement, for the first
// instruction of the group that looks for it. The first group of the sub-group sees to it that all that the
// run accesses there is inside.
func (c *compiler) findBlock(in *isa.Inst, small amd64.Label) {
	var x amd64.Vec
	if in.Idx != isa.IdxNone && in.B.IsVector() {
		x = c.load(in.B, in.Idx.Type(), true)
	}
	later, found := c.NewLabel(), c.NewLabel()
	pointer := c.slot(wave.SlotPointer)
	c.G(amd64.TEST, amd64.B32, regPart, regPart)
	c.Jcc(amd64.NotZero, later)
	c.blockIndex(in, x)
	c.G(amd64.CMP, amd64.B64, regTemp, c.slot(wave.SlotRoom)) // below 0 is above it
	c.Jcc(amd64.Above, c.refuse)
	c.G(amd64.ADD, amd64.B64, regTemp, c.slot(wave.SlotAddress))
	c.G(amd64.MOV, amd64.B64, pointer, regTemp)
	c.Later(func() {
		c.Bind(later)
		if c.lanes > smallSubgroup {
			c.Jcc(amd64.Sign, small)
		}
		c.G(amd64.MOV, amd64.B64, regTemp, pointer)
		c.Jmp(found)
	})
	c.Bind(found)
}

// partAddress returns where the group's part of a block is, good until regTemp or regAddress changes. A group
// with two blocks goes to small.
func (c *compiler) partAddress(in *isa.Inst, small amd64.Label) amd64.Mem {
	slot, size := c.run.Slots[c.at], in.Type.Bytes()
	if !c.parts[slot] {
		c.parts[slot] = true
		c.findBlock(in, small)
	} else {
		if c.lanes > smallSubgroup {
			c.G(amd64.TEST, amd64.B32, regPart, regPart)
			c.Jcc(amd64.Sign, small)
		}
		c.G(amd64.MOV, amd64.B64, regTemp, c.slot(wave.SlotPointer))
	}
	part := regPart
	if in.Imm > 0 {
		table := c.lanesTable()
		c.G(amd64.IMUL, amd64.B32, regAddress, table(wave.LanesSize), amd64.Imm(in.Imm))
		c.G(amd64.ADD, amd64.B32, regAddress, regPart)
		part = regAddress
	}
	return amd64.Mem{Base: regTemp, Index: part, Scale: uint8(size), Disp: c.run.Disp[c.at]}
}

// blockLoad loads a component of a block.
func (c *compiler) blockLoad(in *isa.Inst) {
	t := in.Type
	var x amd64.Vec
	vector := in.Idx != isa.IdxNone && in.B.IsVector()
	if vector {
		x = c.load(in.B, in.Idx.Type(), true)
	}
	d, half := c.vec(), c.vec()
	done, small := c.NewLabel(), c.NewLabel()
	from := c.partAddress(in, small)
	if c.lanes > smallSubgroup {
		at := c.at
		c.Later(func() {
			now := c.at
			c.at = at
			c.Bind(small)
			c.blockHalves(in, x, d, half)
			c.Jmp(done)
			c.at = now
		})
	}
	c.V(fileLoads[t.Bank()], c.width(t), d, from)
	c.Bind(done)
	c.result(in, t, d)
}

// blockHalves loads the parts of two blocks.
func (c *compiler) blockHalves(in *isa.Inst, x, d, half amd64.Vec) {
	load, none := fileLoads[in.Type.Bank()], c.NewLabel()
	c.blockIndex(in, x)
	c.inBlock(in, smallSubgroup)
	c.V(load, amd64.Y, d, amd64.Mem{Base: regTemp, Disp: c.run.Disp[c.at]})
	// The second half may have no lanes that run.
	second := amd64.Mem{Base: regExec, Index: regByte, Disp: 1}
	c.G(amd64.CMP, amd64.B8, second, amd64.Imm(0))
	c.Jcc(amd64.Equal, none)
	c.G(amd64.TEST, amd64.B8, second, amd64.Imm(1))
	c.Jcc(amd64.IsZero, c.refuse)
	if in.Idx != isa.IdxNone && in.B.IsVector() {
		c.V(amd64.VEXTRACTI32X4, amd64.Z, half, x, amd64.Imm(2))
	}
	c.blockIndex(in, half)
	c.inBlock(in, smallSubgroup)
	c.V(load, amd64.Y, half, amd64.Mem{Base: regTemp, Disp: c.run.Disp[c.at]})
	c.V(amd64.VINSERTI64X4, amd64.Z, d, d, half, amd64.Imm(1))
	c.Bind(none)
}

// blockStore stores a component of a block, which is a run of its own.
func (c *compiler) blockStore(in *isa.Inst) {
	t := in.Type
	v := c.load(in.C, t, true)
	m := c.partAddress(in, c.refuse)
	if !narrow(t) {
		c.set.moveSome(c, t, m, v)
		return
	}
	each, done := c.NewLabel(), c.NewLabel()
	defer c.Bind(done)
	c.set.moveNarrow(c, t, m, v, each)
	if c.set.broadcasts() {
		return
	}
	c.Jmp(done)
	c.Bind(each)
	// The lanes' own numbers select the elements, those in front of the group taken off.
	base := regOld
	c.G(amd64.LEA, amd64.B64, base, m)
	if in.C.IsScalar() {
		c.G(amd64.MOV, amd64.B32, regTemp, scalar(in.C))
	}
	c.eachLane(func(lane amd64.Reg) {
		if !in.C.IsScalar() {
			c.G(loadNarrow(t), amd64.B32, regTemp, c.laneOf(in.C, t, lane))
		}
		c.G(amd64.SUB, amd64.B32, lane, regLane)
		c.G(amd64.MOV, amd64.Size(t.Bits()), amd64.Mem{Base: base, Index: lane, Scale: uint8(t.Bytes())}, regTemp)
	})
}
