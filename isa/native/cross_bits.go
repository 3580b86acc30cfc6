package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Instructions across lanes on booleans work on the chunk's word of bits, in regTemp. They use
// regLane and regByte as well, which are made again where they are needed.

const (
	regWord  = regLane
	regWord2 = regByte
)

// scratch says that regLane and regByte do not tell a group any more.
func (c *compiler) scratch() { c.across.lane = -1 }

// word puts an operand's bits for the whole chunk into regTemp. regAddress changes.
func (c *compiler) word(r isa.Reg) { c.part(r, 0, c.across.groups)() }

// part returns what puts an operand's bits for n groups, from the first one on, into regTemp, wherever it is
// emitted: they are where they are now. regAddress changes.
func (c *compiler) part(r isa.Reg, first, n int) func() {
	if r.IsScalar() {
		return func() {
			c.G(amd64.MOV, amd64.B32, regTemp, scalar(r))
			c.G(amd64.AND, amd64.B32, regTemp, amd64.Imm(1))
			c.G(amd64.NEG, amd64.B64, regTemp)
		}
	}
	held := false
	values := make([]value, n)
	for g := range values {
		c.across.group = c.across.first + first + g
		values[g] = *c.value(r, isa.B1)
		held = held || values[g].reg >= 0
	}
	if !held {
		size, m := amd64.B64, c.wordOf(r).Plus(int32(first*c.lanes/8))
		if n*c.lanes == 32 {
			size = amd64.B32
		}
		return func() { c.G(amd64.MOV, size, regTemp, m) }
	}
	move := amd64.MOVZX16
	if c.lanes == 8 {
		move = amd64.MOVZX8
	}
	return func() {
		for g := n - 1; g >= 0; g-- {
			to := regAddress
			if g == n-1 {
				to = regTemp
			} else {
				c.G(amd64.SHL, amd64.B64, regTemp, amd64.Imm(c.lanes))
			}
			if v := &values[g]; v.reg >= 0 {
				c.bitsOf(to, v)
			} else {
				c.G(move, amd64.B32, to, c.memory(v))
			}
			if to != regTemp {
				c.G(amd64.OR, amd64.B64, regTemp, regAddress)
			}
		}
	}
}

// wordOf returns where the bits of a register are for the whole chunk.
func (c *compiler) wordOf(r isa.Reg) amd64.Mem {
	return amd64.Mem{Base: regChunk, Disp: int32(c.run.Offset(r, isa.B1)) + c.chunkOf(c.across.first)}
}

// bitsOf moves a group's booleans out of their register.
func (c *compiler) bitsOf(to amd64.Reg, v *value) {
	if c.set.file(isa.BankMask) == fileMask {
		c.V(c.kmov(), amd64.X, to, amd64.Mask(v.reg))
	} else {
		c.V(amd64.VMOVMSKPS, c.width(isa.I32), to, amd64.Vec(v.reg))
	}
}

// runningWord is word for the lanes that run: others have zero.
func (c *compiler) runningWord(r isa.Reg) {
	c.word(r)
	c.G(amd64.AND, amd64.B64, regTemp, c.execWord())
}

// resultWord makes the bits in regTemp the result.
func (c *compiler) resultWord(in *isa.Inst) {
	c.everyGroup(func(int) {
		v := c.value(in.Dst, isa.B1)
		v.reg, v.dirty = -1, false // the register file gets it below
	})
	m := c.wordOf(in.Dst)
	if in.Flags&isa.FlagDense == 0 {
		c.scratch()
		c.G(amd64.MOV, amd64.B64, regWord, c.execWord())
		c.G(amd64.AND, amd64.B64, regTemp, regWord)
		c.V(amd64.ANDNQ, amd64.X, regWord, regWord, m)
		c.G(amd64.OR, amd64.B64, regTemp, regWord)
	}
	c.G(amd64.MOV, amd64.B64, m, regTemp)
}

// anyOf sets, in regTemp, all bits of the sub-groups that have any: a carry into the
// highest one tells.
func (c *compiler) anyOf() {
	c.scratch()
	field := c.lanesTable()
	c.G(amd64.MOV, amd64.B64, regWord, field(wave.LanesTop))
	c.V(amd64.ANDNQ, amd64.X, regWord2, regWord, regTemp)
	c.G(amd64.SUB, amd64.B64, regWord2, regWord)
	c.G(amd64.DEC, amd64.B64, regWord2)
	c.G(amd64.OR, amd64.B64, regWord2, regTemp)
	c.spreadTop(field)
}

// spreadTop sets in regTemp all bits of the sub-groups whose highest one regWord2 has. Its other bits do not
// matter. regWord has the highest of all.
func (c *compiler) spreadTop(field func(uintptr) amd64.Mem) {
	c.G(amd64.AND, amd64.B64, regWord2, regWord)
	c.G(amd64.MOV, amd64.B32, regTemp, field(wave.LanesLast))
	c.V(amd64.SHRXQ, amd64.X, regWord, regWord2, regTemp)
	c.G(amd64.MOV, amd64.B64, regTemp, regWord2)
	c.G(amd64.SUB, amd64.B64, regTemp, regWord)
	c.G(amd64.OR, amd64.B64, regTemp, regWord2)
}

// lowestRunning puts the lowest running lane of each sub-group into regTemp.
func (c *compiler) lowestRunning() {
	c.scratch()
	field := c.lanesTable()
	// One is subtracted from each part of the word; the highest bits keep the parts from borrowing.
	c.G(amd64.MOV, amd64.B64, regTemp, c.execWord())
	c.G(amd64.MOV, amd64.B64, regWord, field(wave.LanesTop))
	c.V(amd64.ANDNQ, amd64.X, regWord2, regTemp, regWord)
	c.G(amd64.OR, amd64.B64, regWord, regTemp)
	c.G(amd64.SUB, amd64.B64, regWord, field(wave.LanesLow))
	c.G(amd64.XOR, amd64.B64, regWord, regWord2)
	c.V(amd64.ANDNQ, amd64.X, regTemp, regWord, regTemp)
}

func (c *compiler) elect(in *isa.Inst) {
	c.lowestRunning()
	c.resultWord(in)
}

func (c *compiler) broadcastFirstBit(in *isa.Inst) {
	// Bits of lanes that do not run have no place in the result of lowestRunning.
	a := c.vec()
	c.word(in.A)
	c.V(amd64.VMOVQ, amd64.X, a, regTemp)
	c.lowestRunning()
	c.V(amd64.VMOVQ, amd64.X, regWord, a)
	c.G(amd64.AND, amd64.B64, regTemp, regWord)
	c.anyOf()
	c.resultWord(in)
}

// vote is OpVote of a boolean.
func (c *compiler) vote(in *isa.Inst) {
	no := func() { // the lanes for which it is not set
		c.G(amd64.NOT, amd64.B64, regTemp)
		c.G(amd64.AND, amd64.B64, regTemp, c.execWord())
		c.anyOf()
	}
	switch isa.Vote(in.Imm) {
	case isa.VoteAny:
		c.runningWord(in.A)
		c.anyOf()
	case isa.VoteAllEqual:
		x := c.vec()
		c.word(in.A)
		c.V(amd64.VMOVQ, amd64.X, x, regTemp)
		c.G(amd64.AND, amd64.B64, regTemp, c.execWord())
		c.anyOf()
		c.V(amd64.VMOVQ, amd64.X, regWord, x)
		c.V(amd64.VMOVQ, amd64.X, x, regTemp)
		c.G(amd64.MOV, amd64.B64, regTemp, regWord)
		no()
		c.V(amd64.VMOVQ, amd64.X, regWord, x)
		c.G(amd64.AND, amd64.B64, regTemp, regWord)
		c.G(amd64.NOT, amd64.B64, regTemp)
	default:
		c.word(in.A)
		no()
		c.G(amd64.NOT, amd64.B64, regTemp)
	}
	c.resultWord(in)
}

// voteEqual asks whether all lanes have the value of the lowest.
func (c *compiler) voteEqual(in *isa.Inst) {
	t := in.Type
	x, _ := c.moved(in.A, t)
	p := c.newPick(t, x)
	differ := c.vec()
	op, predicate := opCmpU, amd64.Imm(intNotEqual)
	if t.IsFloat() {
		op, predicate = opFCmp, cmpNotEqualU
	}
	c.V(amd64.VPXORD, amd64.X, differ, differ, differ)
	for g := c.across.groups - 1; g >= 0; g-- {
		c.across.group = c.across.first + g
		d, _, _ := c.pickLanes(p, c.firstLane())
		c.V(op.of(t), c.width(t), maskTemp, x[g], d, predicate)
		c.V(c.kmov(), amd64.X, regTemp, maskTemp)
		c.V(amd64.VMOVQ, amd64.X, regAddress, differ)
		c.G(amd64.SHL, amd64.B64, regAddress, amd64.Imm(c.lanes))
		c.G(amd64.OR, amd64.B64, regAddress, regTemp)
		c.V(amd64.VMOVQ, amd64.X, differ, regAddress)
	}
	c.V(amd64.VMOVQ, amd64.X, regTemp, differ)
	c.G(amd64.AND, amd64.B64, regTemp, c.execWord())
	c.anyOf()
	c.G(amd64.NOT, amd64.B64, regTemp)
	c.resultWord(in)
}

// ballot makes a number of the bits of each sub-group. What fits best are those of 32 lanes.
func (c *compiler) ballot(in *isa.Inst) {
	w, d := c.width(isa.I32), c.vecs()
	temp, mask := c.vec(), c.vec()
	size := amd64.Mem{Base: regAddress, Disp: int32(wave.LanesSize)}
	each := func() { // all of them have the word in regTemp
		c.set.spread(c, isa.I32, d[0], regTemp)
		for _, r := range d[1:] {
			c.V(amd64.VMOVDQA32, w, r, d[0])
		}
	}
	other, done := c.NewLabel(), c.NewLabel()
	switch in.Imm {
	case 0:
		all := c.part(in.A, 0, len(d))
		field := c.lanesTable()
		c.G(amd64.CMP, amd64.B32, size, amd64.Imm(32))
		c.Jcc(amd64.NotEqual, other)
		half := len(d) / 2
		for h := 0; h < len(d); h += half {
			c.part(in.A, h, half)()
			c.G(amd64.AND, amd64.B32, regTemp, c.execWord().Plus(int32(h*c.lanes/8)))
			c.set.spread(c, isa.I32, d[h], regTemp)
			for _, r := range d[h+1 : h+half] {
				c.V(amd64.VMOVDQA32, w, r, d[h])
			}
		}
		c.laterInChunk(func() {
			whole := c.NewLabel()
			c.Bind(other)
			all()
			c.G(amd64.AND, amd64.B64, regTemp, c.execWord())
			c.lanesTable()
			c.G(amd64.CMP, amd64.B32, size, amd64.Imm(64))
			c.Jcc(amd64.Equal, whole)
			c.V(amd64.VPBROADCASTD, w, mask, field(wave.LanesMask))
			for g := range d {
				if g == half {
					c.G(amd64.SHR, amd64.B64, regTemp, amd64.Imm(32))
				}
				c.set.spread(c, isa.I32, d[g], regTemp)
				c.V(amd64.VPBROADCASTD, w, temp, field(wave.LanesLast))
				c.V(amd64.VPANDND, w, temp, temp, c.numbers(g, 32))
				c.V(amd64.VPSRLVD, w, d[g], d[g], temp)
				c.V(amd64.VPANDD, w, d[g], d[g], mask)
			}
			c.Jmp(done)
			c.Bind(whole)
			each()
			c.Jmp(done)
		})
	case 1:
		c.runningWord(in.A)
		c.lanesTable()
		for _, r := range d {
			c.V(amd64.VPXORD, w, r, r, r)
		}
		c.G(amd64.CMP, amd64.B32, size, amd64.Imm(64))
		c.Jcc(amd64.Equal, other)
		c.laterInChunk(func() {
			c.Bind(other)
			c.G(amd64.SHR, amd64.B64, regTemp, amd64.Imm(32))
			each()
			c.Jmp(done)
		})
	default: // of lanes that there are not
		for _, r := range d {
			c.V(amd64.VPXORD, w, r, r, r)
		}
	}
	c.Bind(done)
	c.everyGroup(func(g int) { c.result(in, isa.I32, d[g]) })
}

// shuffleBits is OpShuffle and OpShuffle2 of booleans: each lane shifts the word of its sub-group.
func (c *compiler) shuffleBits(in *isa.Inst) {
	w := c.width(isa.I32)
	lanes, operands := in.B, []isa.Reg{in.A}
	if in.Op == isa.OpShuffle2 {
		lanes, operands = in.C, []isa.Reg{in.A, in.B}
	}
	var words []amd64.Vec // halves of chunks
	for _, r := range operands {
		lo, hi := c.vec(), c.vec()
		c.runningWord(r)
		c.V(amd64.VPBROADCASTD, w, lo, regTemp)
		c.G(amd64.SHR, amd64.B64, regTemp, amd64.Imm(32))
		c.V(amd64.VPBROADCASTD, w, hi, regTemp)
		words = append(words, lo, hi)
	}
	bit, left, at := c.vec(), c.vec(), c.vec()
	c.everyGroup(func(g int) {
		x, k := c.load(lanes, isa.I32, true), c.mask()
		whole, done := c.NewLabel(), c.NewLabel()
		field := c.lanesTable()
		one := c.Const32(1).Bcast()
		c.V(amd64.VMOVDQA32, w, left, x)
		c.V(amd64.VPXORD, w, bit, bit, bit)
		c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(64))
		c.Jcc(amd64.Equal, whole)
		c.V(amd64.VPBROADCASTD, w, at, field(wave.LanesLast))
		c.V(amd64.VPTERNLOGD, w, at, x, c.numbers(g, 32), amd64.Imm(ternarySelect))
		for i := g * c.lanes / 32; i < len(words); i += 2 {
			if i > 1 {
				c.V(amd64.VPSUBD, w, left, left, field(wave.LanesSize).Bcast())
			}
			c.V(amd64.VPCMPUD, w, maskTemp, left, field(wave.LanesSize).Bcast(), amd64.Imm(intLess))
			c.V(amd64.VPSRLVD, w, bit, words[i], at, amd64.Merge(maskTemp))
		}
		c.Bind(done)
		c.V(amd64.VPTESTMD, w, k, bit, one)
		c.laterInChunk(func() {
			c.Bind(whole)
			// A shift by 32 or more gives zero.
			for i, word := range words {
				if i > 0 {
					c.V(amd64.VPSUBD, w, left, left, c.Const32(32).Bcast())
				}
				c.V(amd64.VPSRLVD, w, at, word, left)
				c.V(amd64.VPORD, w, bit, bit, at)
			}
			c.Jmp(done)
		})
		c.resultMask(in, k)
	})
}
