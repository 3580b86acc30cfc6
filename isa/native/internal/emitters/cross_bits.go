package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Instructions across lanes on booleans work on the chunk's word of bits, in RegTemp. They use
// RegLane and RegByte as well, which are made again where they are needed.

const (
	regWord  = x86.RegLane
	regWord2 = x86.RegByte
)

// scratch says that RegLane and RegByte do not tell a group any more.
func scratch(c *x86.Compiler) { c.Across.Lane = -1 }

// word puts an operand's bits for the whole chunk into RegTemp. RegAddress changes.
func word(c *x86.Compiler, r isa.Reg) { part(c, r, 0, c.Across.Groups)() }

// part returns what puts an operand's bits for n groups, from the first one on, into RegTemp, wherever it is
// emitted: they are where they are now. RegAddress changes.
func part(c *x86.Compiler, r isa.Reg, first, n int) func() {
	if r.IsScalar() {
		return func() {
			c.G(amd64.MOV, amd64.B32, x86.RegTemp, x86.Scalar(r))
			c.G(amd64.AND, amd64.B32, x86.RegTemp, amd64.Imm(1))
			c.G(amd64.NEG, amd64.B64, x86.RegTemp)
		}
	}
	held := false
	values := make([]x86.Value, n)
	for g := range values {
		c.Across.Group = c.Across.First + first + g
		values[g] = *c.Value(r, isa.B1)
		held = held || values[g].Reg >= 0
	}
	if !held {
		size, m := amd64.B64, wordOf(c, r).Plus(int32(first*c.Lanes/8))
		if n*c.Lanes == 32 {
			size = amd64.B32
		}
		return func() { c.G(amd64.MOV, size, x86.RegTemp, m) }
	}
	move := amd64.MOVZX16
	if c.Lanes == 8 {
		move = amd64.MOVZX8
	}
	return func() {
		for g := n - 1; g >= 0; g-- {
			to := x86.RegAddress
			if g == n-1 {
				to = x86.RegTemp
			} else {
				c.G(amd64.SHL, amd64.B64, x86.RegTemp, amd64.Imm(c.Lanes))
			}
			if v := &values[g]; v.Reg >= 0 {
				bitsOf(c, to, v)
			} else {
				c.G(move, amd64.B32, to, c.Memory(v))
			}
			if to != x86.RegTemp {
				c.G(amd64.OR, amd64.B64, x86.RegTemp, x86.RegAddress)
			}
		}
	}
}

// wordOf returns where the bits of a register are for the whole chunk.
func wordOf(c *x86.Compiler, r isa.Reg) amd64.Mem {
	return amd64.Mem{Base: x86.RegChunk, Disp: int32(c.Run.Offset(r, isa.B1)) + c.ChunkOf(c.Across.First)}
}

// bitsOf moves a group's booleans out of their register.
func bitsOf(c *x86.Compiler, to amd64.Reg, v *x86.Value) {
	if c.ISA.File(isa.BankMask) == x86.FileMask {
		c.V(c.Kmov(), amd64.X, to, amd64.Mask(v.Reg))
	} else {
		c.V(amd64.VMOVMSKPS, c.Width(isa.I32), to, amd64.Vec(v.Reg))
	}
}

// runningWord is word for the lanes that run: others have zero.
func runningWord(c *x86.Compiler, r isa.Reg) {
	word(c, r)
	c.G(amd64.AND, amd64.B64, x86.RegTemp, c.ExecWord())
}

// resultWord makes the bits in RegTemp the result.
func resultWord(c *x86.Compiler, in *isa.Inst) {
	everyGroup(c, func(int) {
		v := c.Value(in.Dst, isa.B1)
		v.Reg, v.Dirty = -1, false // the register file gets it below
	})
	m := wordOf(c, in.Dst)
	if in.Flags&isa.FlagDense == 0 {
		scratch(c)
		c.G(amd64.MOV, amd64.B64, regWord, c.ExecWord())
		c.G(amd64.AND, amd64.B64, x86.RegTemp, regWord)
		c.V(amd64.ANDNQ, amd64.X, regWord, regWord, m)
		c.G(amd64.OR, amd64.B64, x86.RegTemp, regWord)
	}
	c.G(amd64.MOV, amd64.B64, m, x86.RegTemp)
}

// anyOf sets, in RegTemp, all bits of the sub-groups that have any: a carry into the
// highest one tells.
func anyOf(c *x86.Compiler) {
	scratch(c)
	field := c.LanesTable()
	c.G(amd64.MOV, amd64.B64, regWord, field(wave.LanesTop))
	c.V(amd64.ANDNQ, amd64.X, regWord2, regWord, x86.RegTemp)
	c.G(amd64.SUB, amd64.B64, regWord2, regWord)
	c.G(amd64.DEC, amd64.B64, regWord2)
	c.G(amd64.OR, amd64.B64, regWord2, x86.RegTemp)
	spreadTop(c, field)
}

// spreadTop sets in RegTemp all bits of the sub-groups whose highest one regWord2 has. Its other bits do not
// matter. regWord has the highest of all.
func spreadTop(c *x86.Compiler, field func(uintptr) amd64.Mem) {
	c.G(amd64.AND, amd64.B64, regWord2, regWord)
	c.G(amd64.MOV, amd64.B32, x86.RegTemp, field(wave.LanesLast))
	c.V(amd64.SHRXQ, amd64.X, regWord, regWord2, x86.RegTemp)
	c.G(amd64.MOV, amd64.B64, x86.RegTemp, regWord2)
	c.G(amd64.SUB, amd64.B64, x86.RegTemp, regWord)
	c.G(amd64.OR, amd64.B64, x86.RegTemp, regWord2)
}

// lowestRunning puts the lowest running lane of each sub-group into RegTemp.
func lowestRunning(c *x86.Compiler) {
	scratch(c)
	field := c.LanesTable()
	// One is subtracted from each part of the word; the highest bits keep the parts from borrowing.
	c.G(amd64.MOV, amd64.B64, x86.RegTemp, c.ExecWord())
	c.G(amd64.MOV, amd64.B64, regWord, field(wave.LanesTop))
	c.V(amd64.ANDNQ, amd64.X, regWord2, x86.RegTemp, regWord)
	c.G(amd64.OR, amd64.B64, regWord, x86.RegTemp)
	c.G(amd64.SUB, amd64.B64, regWord, field(wave.LanesLow))
	c.G(amd64.XOR, amd64.B64, regWord, regWord2)
	c.V(amd64.ANDNQ, amd64.X, x86.RegTemp, regWord, x86.RegTemp)
}

func elect(c *x86.Compiler, in *isa.Inst) {
	lowestRunning(c)
	resultWord(c, in)
}

func broadcastFirstBit(c *x86.Compiler, in *isa.Inst) {
	// Bits of lanes that do not run have no place in the result of lowestRunning.
	a := c.Vec()
	word(c, in.A)
	c.V(amd64.VMOVQ, amd64.X, a, x86.RegTemp)
	lowestRunning(c)
	c.V(amd64.VMOVQ, amd64.X, regWord, a)
	c.G(amd64.AND, amd64.B64, x86.RegTemp, regWord)
	anyOf(c)
	resultWord(c, in)
}

// vote is OpVote of a boolean.
func vote(c *x86.Compiler, in *isa.Inst) {
	no := func() { // the lanes for which it is not set
		c.G(amd64.NOT, amd64.B64, x86.RegTemp)
		c.G(amd64.AND, amd64.B64, x86.RegTemp, c.ExecWord())
		anyOf(c)
	}
	switch isa.Vote(in.Imm) {
	case isa.VoteAny:
		runningWord(c, in.A)
		anyOf(c)
	case isa.VoteAllEqual:
		x := c.Vec()
		word(c, in.A)
		c.V(amd64.VMOVQ, amd64.X, x, x86.RegTemp)
		c.G(amd64.AND, amd64.B64, x86.RegTemp, c.ExecWord())
		anyOf(c)
		c.V(amd64.VMOVQ, amd64.X, regWord, x)
		c.V(amd64.VMOVQ, amd64.X, x, x86.RegTemp)
		c.G(amd64.MOV, amd64.B64, x86.RegTemp, regWord)
		no()
		c.V(amd64.VMOVQ, amd64.X, regWord, x)
		c.G(amd64.AND, amd64.B64, x86.RegTemp, regWord)
		c.G(amd64.NOT, amd64.B64, x86.RegTemp)
	default:
		word(c, in.A)
		no()
		c.G(amd64.NOT, amd64.B64, x86.RegTemp)
	}
	resultWord(c, in)
}

// voteEqual asks whether all lanes have the value of the lowest.
func voteEqual(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	x, _ := moved(c, in.A, t)
	p := newPick(c, t, x)
	differ := c.Vec()
	op, predicate := x86.OpCmpU, amd64.Imm(x86.IntNotEqual)
	if t.IsFloat() {
		op, predicate = x86.OpFCmp, x86.CmpNotEqualU
	}
	c.V(amd64.VPXORD, amd64.X, differ, differ, differ)
	for g := c.Across.Groups - 1; g >= 0; g-- {
		c.Across.Group = c.Across.First + g
		d, _, _ := pickLanes(c, p, firstLane(c))
		c.V(op.Of(t), c.Width(t), x86.MaskTemp, x[g], d, predicate)
		c.V(c.Kmov(), amd64.X, x86.RegTemp, x86.MaskTemp)
		c.V(amd64.VMOVQ, amd64.X, x86.RegAddress, differ)
		c.G(amd64.SHL, amd64.B64, x86.RegAddress, amd64.Imm(c.Lanes))
		c.G(amd64.OR, amd64.B64, x86.RegAddress, x86.RegTemp)
		c.V(amd64.VMOVQ, amd64.X, differ, x86.RegAddress)
	}
	c.V(amd64.VMOVQ, amd64.X, x86.RegTemp, differ)
	c.G(amd64.AND, amd64.B64, x86.RegTemp, c.ExecWord())
	anyOf(c)
	c.G(amd64.NOT, amd64.B64, x86.RegTemp)
	resultWord(c, in)
}

// ballot makes a number of the bits of each sub-group. What fits best are those of 32 lanes.
func ballot(c *x86.Compiler, in *isa.Inst) {
	w, d := c.Width(isa.I32), vecs(c)
	temp, mask := c.Vec(), c.Vec()
	size := amd64.Mem{Base: x86.RegAddress, Disp: int32(wave.LanesSize)}
	each := func() { // all of them have the word in RegTemp
		c.ISA.Spread(c, isa.I32, d[0], x86.RegTemp)
		for _, r := range d[1:] {
			c.V(amd64.VMOVDQA32, w, r, d[0])
		}
	}
	other, done := c.NewLabel(), c.NewLabel()
	switch in.Imm {
	case 0:
		all := part(c, in.A, 0, len(d))
		field := c.LanesTable()
		c.G(amd64.CMP, amd64.B32, size, amd64.Imm(32))
		c.Jcc(amd64.NotEqual, other)
		half := len(d) / 2
		for h := 0; h < len(d); h += half {
			part(c, in.A, h, half)()
			c.G(amd64.AND, amd64.B32, x86.RegTemp, c.ExecWord().Plus(int32(h*c.Lanes/8)))
			c.ISA.Spread(c, isa.I32, d[h], x86.RegTemp)
			for _, r := range d[h+1 : h+half] {
				c.V(amd64.VMOVDQA32, w, r, d[h])
			}
		}
		c.LaterInChunk(func() {
			whole := c.NewLabel()
			c.Bind(other)
			all()
			c.G(amd64.AND, amd64.B64, x86.RegTemp, c.ExecWord())
			c.LanesTable()
			c.G(amd64.CMP, amd64.B32, size, amd64.Imm(64))
			c.Jcc(amd64.Equal, whole)
			c.V(amd64.VPBROADCASTD, w, mask, field(wave.LanesMask))
			for g := range d {
				if g == half {
					c.G(amd64.SHR, amd64.B64, x86.RegTemp, amd64.Imm(32))
				}
				c.ISA.Spread(c, isa.I32, d[g], x86.RegTemp)
				c.V(amd64.VPBROADCASTD, w, temp, field(wave.LanesLast))
				c.V(amd64.VPANDND, w, temp, temp, numbers(c, g, 32))
				c.V(amd64.VPSRLVD, w, d[g], d[g], temp)
				c.V(amd64.VPANDD, w, d[g], d[g], mask)
			}
			c.Jmp(done)
			c.Bind(whole)
			each()
			c.Jmp(done)
		})
	case 1:
		runningWord(c, in.A)
		c.LanesTable()
		for _, r := range d {
			c.V(amd64.VPXORD, w, r, r, r)
		}
		c.G(amd64.CMP, amd64.B32, size, amd64.Imm(64))
		c.Jcc(amd64.Equal, other)
		c.LaterInChunk(func() {
			c.Bind(other)
			c.G(amd64.SHR, amd64.B64, x86.RegTemp, amd64.Imm(32))
			each()
			c.Jmp(done)
		})
	default: // of lanes that there are not
		for _, r := range d {
			c.V(amd64.VPXORD, w, r, r, r)
		}
	}
	c.Bind(done)
	everyGroup(c, func(g int) { c.Result(in, isa.I32, d[g]) })
}

// shuffleBits is OpShuffle and OpShuffle2 of booleans: each lane shifts the word of its sub-group.
func shuffleBits(c *x86.Compiler, in *isa.Inst) {
	w := c.Width(isa.I32)
	lanes, operands := in.B, []isa.Reg{in.A}
	if in.Op == isa.OpShuffle2 {
		lanes, operands = in.C, []isa.Reg{in.A, in.B}
	}
	var words []amd64.Vec // halves of chunks
	for _, r := range operands {
		lo, hi := c.Vec(), c.Vec()
		runningWord(c, r)
		c.V(amd64.VPBROADCASTD, w, lo, x86.RegTemp)
		c.G(amd64.SHR, amd64.B64, x86.RegTemp, amd64.Imm(32))
		c.V(amd64.VPBROADCASTD, w, hi, x86.RegTemp)
		words = append(words, lo, hi)
	}
	bit, left, at := c.Vec(), c.Vec(), c.Vec()
	everyGroup(c, func(g int) {
		x, k := c.Load(lanes, isa.I32, true), c.Mask()
		whole, done := c.NewLabel(), c.NewLabel()
		field := c.LanesTable()
		one := c.Const32(1).Bcast()
		c.V(amd64.VMOVDQA32, w, left, x)
		c.V(amd64.VPXORD, w, bit, bit, bit)
		c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(64))
		c.Jcc(amd64.Equal, whole)
		c.V(amd64.VPBROADCASTD, w, at, field(wave.LanesLast))
		c.V(amd64.VPTERNLOGD, w, at, x, numbers(c, g, 32), amd64.Imm(x86.TernarySelect))
		for i := g * c.Lanes / 32; i < len(words); i += 2 {
			if i > 1 {
				c.V(amd64.VPSUBD, w, left, left, field(wave.LanesSize).Bcast())
			}
			c.V(amd64.VPCMPUD, w, x86.MaskTemp, left, field(wave.LanesSize).Bcast(), amd64.Imm(x86.IntLess))
			c.V(amd64.VPSRLVD, w, bit, words[i], at, amd64.Merge(x86.MaskTemp))
		}
		c.Bind(done)
		c.V(amd64.VPTESTMD, w, k, bit, one)
		c.LaterInChunk(func() {
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
		c.ResultMask(in, k)
	})
}
