package native

import (
	"encoding/binary"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// crossings is the family of instructions across the lanes of a sub-group.
func crossings(_ amd64.Features, in *isa.Inst) emitter {
	mask := in.Type == isa.B1
	switch in.Op {
	case isa.OpShuffle, isa.OpShuffle2:
		if mask {
			return (*compiler).shuffleBits
		}
		return (*compiler).shuffle
	case isa.OpBroadcastFirst:
		if mask {
			return (*compiler).broadcastFirstBit
		}
		return (*compiler).broadcastFirst
	case isa.OpScan:
		return scans(in)
	case isa.OpBallot:
		return (*compiler).ballot
	case isa.OpElect:
		return (*compiler).elect
	case isa.OpVote:
		if mask {
			return (*compiler).vote
		}
		if in.Type != isa.F16 {
			return (*compiler).voteEqual
		}
	}
	return nil
}

// everyGroup calls f for each group of the chunk, as the present one.
func (c *compiler) everyGroup(f func(g int)) {
	for g := range c.across.groups {
		c.across.group = c.across.first + g
		f(g)
	}
}

// sources returns the vector registers that hold an operand, by group.
func (c *compiler) sources(r isa.Reg, t isa.Type, bits bool) []amd64.Vec {
	x := make([]amd64.Vec, c.across.groups)
	c.everyGroup(func(g int) {
		if g > 0 && r.IsScalar() {
			x[g] = x[0]
			return
		}
		x[g] = c.load(r, t, bits)
	})
	return x
}

// vecs returns registers for results or something in between, by group.
func (c *compiler) vecs() []amd64.Vec {
	x := make([]amd64.Vec, c.across.groups)
	for g := range x {
		x[g] = c.vec()
	}
	return x
}

// numbers returns the numbers of a group's lanes in their part of n lanes of the chunk, as elements of 32
// bits.
func (c *compiler) numbers(g, n int) amd64.Mem {
	var b []byte
	for i := range c.lanes {
		b = binary.LittleEndian.AppendUint32(b, uint32((g*c.lanes+i)%n))
	}
	return c.Const(b)
}

// taking returns copies of x in which lanes that do not run are zero.
func (c *compiler) taking(x []amd64.Vec, t isa.Type) []amd64.Vec {
	y, w := c.vecs(), c.width(t)
	some, done := c.NewLabel(), c.NewLabel()
	c.G(amd64.CMP, amd64.B64, c.execWord(), amd64.Imm(-1))
	c.Jcc(amd64.NotEqual, some)
	for g := range y {
		c.V(opCopy.of(t), w, y[g], x[g])
	}
	c.Bind(done)
	c.laterInChunk(func() {
		c.Bind(some)
		for g := range y {
			c.V(c.kmov(), amd64.X, maskTemp, c.execOf(g))
			c.V(opCopy.of(t), w, y[g], x[g], amd64.Zero(maskTemp))
		}
		c.Jmp(done)
	})
	return y
}

var opPick = pair{amd64.VPERMI2D, amd64.VPERMI2Q}

// pick is what takes elements of tables: registers that hold consecutive groups of the chunk.
type pick struct {
	t      isa.Type
	tables [][]amd64.Vec // those of the second operand follow those of the first
	part   amd64.Vec     // temporary registers
	from   amd64.Vec
	temp   amd64.Vec
}

func (c *compiler) newPick(t isa.Type, tables ...[]amd64.Vec) *pick {
	return &pick{t: t, tables: tables, part: c.vec(), from: c.vec(), temp: c.vec()}
}

// known returns what is known of the lanes that an index register names, or nil.
func (c *compiler) known(b isa.Bank, r isa.Reg) *value {
	if !r.IsVector() {
		return nil
	}
	p := place{b, r.Index(), c.across.group}
	v := c.values[p]
	if v == nil {
		v = &value{place: p, reg: -1}
		c.values[p] = v
	}
	return v
}

// hold keeps something that is known in a register.
func (c *compiler) hold(v *value, reg int) {
	if v == nil {
		return
	}
	v.reg = reg
}

// pickNamed emits the choice of the present group's elements by the lanes that r names.
func (c *compiler) pickNamed(p *pick, r isa.Reg) amd64.Vec {
	index, valid := c.known(pickBank(p.t), r), c.known(bankValid, r)
	if index != nil && index.reg >= 0 && valid.reg >= 0 {
		d := c.vec()
		var lanes amd64.Operand
		if v := c.value(r, isa.I32); v.reg >= 0 {
			lanes = amd64.Vec(v.reg)
		} else {
			lanes = c.memory(v)
		}
		c.pick(p, d, amd64.Vec(index.reg), amd64.Mask(valid.reg), lanes)
		return d
	}
	lanes := c.load(r, isa.I32, true)
	d, j, k := c.pickLanes(p, lanes)
	c.hold(index, int(j))
	c.hold(valid, int(k))
	return d
}

// pickLanes chooses elements by the lanes in a register, and returns the index and the mask that do so.
func (c *compiler) pickLanes(p *pick, lanes amd64.Vec) (d, index amd64.Vec, valid amd64.Mask) {
	d, index, valid = c.vec(), c.vec(), c.mask()
	w := c.width(isa.I32)
	field := c.lanesTable()
	c.V(amd64.VPBROADCASTD, w, index, field(wave.LanesLast))
	c.V(amd64.VPTERNLOGD, w, index, lanes, c.numbers(c.across.group-c.across.first, 2*c.lanes), amd64.Imm(ternarySelect))
	c.V(amd64.VPCMPUD, w, valid, lanes, field(wave.LanesSize).Bcast(), amd64.Imm(intLess))
	if p.t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVZXDQ, c.width(p.t), index, index)
	}
	c.pick(p, d, index, valid, lanes)
	return d, index, valid
}

// pick chooses the present group's elements. Sub-groups of up to two groups use index and
// valid, larger ones the lanes themselves.
func (c *compiler) pick(p *pick, d, index amd64.Vec, valid amd64.Mask, lanes amd64.Operand) {
	t, w := p.t, c.width(p.t)
	g := c.across.group - c.across.first
	wide, done := c.NewLabel(), c.NewLabel()
	field := c.lanesTable()
	c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(2*c.lanes))
	c.Jcc(amd64.Above, wide)
	c.V(opCopy.of(t), w, d, index)
	c.V(opPick.of(t), w, d, p.tables[0][g&^1], p.tables[0][g|1], amd64.Zero(valid))
	if len(p.tables) > 1 {
		// The lanes of the second window.
		n := c.width(isa.I32)
		if m, ok := lanes.(amd64.Mem); ok {
			c.V(amd64.VMOVDQU32, n, p.part, m)
			c.V(amd64.VPSUBD, n, p.part, p.part, field(wave.LanesSize).Bcast())
		} else {
			c.V(amd64.VPSUBD, n, p.part, lanes, field(wave.LanesSize).Bcast())
		}
		c.V(amd64.VPCMPUD, n, maskTemp, p.part, field(wave.LanesSize).Bcast(), amd64.Imm(intLess))
		c.V(opCopy.of(t), w, p.from, index)
		c.V(opPick.of(t), w, p.from, p.tables[1][g&^1], p.tables[1][g|1])
		c.V(opCopy.of(t), w, d, p.from, amd64.Merge(maskTemp))
	}
	c.Bind(done)
	c.laterInChunk(func() {
		c.Bind(wide)
		for size := 4 * c.lanes; size <= wave.MaxLanes; size *= 2 {
			next := c.NewLabel()
			if size < wave.MaxLanes {
				c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(size))
				c.Jcc(amd64.NotEqual, next)
			}
			c.pickWide(p, d, g, size/c.lanes, lanes)
			c.Jmp(done)
			c.Bind(next)
		}
	})
}

// pickWide chooses elements of sub-groups of n groups, from two of them at a time.
func (c *compiler) pickWide(p *pick, d amd64.Vec, g, n int, lanes amd64.Operand) {
	t, w, narrow := p.t, c.width(p.t), c.width(isa.I32)
	c.V(amd64.VMOVDQU32, narrow, p.temp, lanes)
	c.V(amd64.VPSRLD, narrow, p.part, p.temp, amd64.Imm(bits.TrailingZeros(uint(2*c.lanes))))
	if t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVZXDQ, w, p.temp, p.temp)
	}
	c.V(opXor.of(t), w, d, d, d)
	number := uint32(0)
	for _, table := range p.tables {
		for first := g &^ (n - 1); first < g&^(n-1)+n; first += 2 {
			c.V(amd64.VPCMPUD, narrow, maskTemp, p.part, c.Const32(number).Bcast(), amd64.Imm(intEqual))
			c.V(opCopy.of(t), w, p.from, p.temp)
			c.V(opPick.of(t), w, p.from, table[first], table[first+1])
			c.V(opCopy.of(t), w, d, p.from, amd64.Merge(maskTemp))
			number++
		}
	}
}

// moved returns an operand that is moved as it is: NaNs of all kinds may stay in floats, which loose says.
func (c *compiler) moved(r isa.Reg, t isa.Type) (x []amd64.Vec, loose bool) {
	x = c.sources(r, t, t.IsInt())
	c.everyGroup(func(int) {
		if r.IsVector() && t.IsFloat() && c.value(r, t).loose {
			loose = true
		}
	})
	return x, loose
}

// shuffle is OpShuffle and OpShuffle2 of anything but booleans.
func (c *compiler) shuffle(in *isa.Inst) {
	t := in.Type
	x, loose := c.moved(in.A, t)
	tables, lanes := [][]amd64.Vec{c.taking(x, t)}, in.B
	if in.Op == isa.OpShuffle2 {
		lanes = in.C
		y, other := c.moved(in.B, t)
		loose = loose || other
		tables = append(tables, c.taking(y, t))
	}
	p := c.newPick(t, tables...)
	c.everyGroup(func(int) {
		d := c.pickNamed(p, lanes)
		c.define(in, t, int(d), loose)
	})
}

// broadcastFirst is a shuffle in which all lanes name the lowest that runs.
func (c *compiler) broadcastFirst(in *isa.Inst) {
	x, loose := c.moved(in.A, in.Type)
	p := c.newPick(in.Type, x)
	c.everyGroup(func(g int) {
		d, _, _ := c.pickLanes(p, c.firstLane())
		c.define(in, in.Type, int(d), loose)
	})
}

// firstLane returns the lowest running lane of each lane's sub-group, for the present group.
func (c *compiler) firstLane() amd64.Vec {
	w, g := c.width(isa.I32), c.across.group-c.across.first
	d, x := c.vec(), c.vec()
	whole, done := c.NewLabel(), c.NewLabel()
	field := c.lanesTable()
	c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(64))
	c.Jcc(amd64.Equal, whole)
	c.V(amd64.VPBROADCASTD, w, x, field(wave.LanesLast))
	c.V(amd64.VPANDND, w, x, x, c.numbers(g, 32))
	c.V(amd64.VPBROADCASTD, w, d, c.execWord().Plus(int32(g*c.lanes/32*4)))
	c.V(amd64.VPSRLVD, w, d, d, x)
	c.V(amd64.VPXORD, w, x, x, x)
	c.V(amd64.VPSUBD, w, x, x, d)
	c.V(amd64.VPANDD, w, d, d, x) // the lowest one
	c.V(amd64.VPLZCNTD, w, d, d)
	c.V(amd64.VPXORD, w, d, d, c.Const32(31).Bcast())
	c.Bind(done)
	c.laterInChunk(func() {
		c.Bind(whole)
		c.G(amd64.TZCNT, amd64.B64, regTemp, c.execWord())
		c.V(amd64.VPBROADCASTD, w, d, regTemp)
		c.Jmp(done)
	})
	return d
}
