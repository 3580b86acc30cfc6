package emitters

import (
	"encoding/binary"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// crossings is the family of instructions across the lanes of a sub-group.
func crossings(_ amd64.Features, in *isa.Inst) x86.Emitter {
	mask := in.Type == isa.B1
	switch in.Op {
	case isa.OpShuffle, isa.OpShuffle2:
		if mask {
			return shuffleBits
		}
		return shuffle
	case isa.OpBroadcastFirst:
		if mask {
			return broadcastFirstBit
		}
		return broadcastFirst
	case isa.OpScan:
		return scans(in)
	case isa.OpBallot:
		return ballot
	case isa.OpElect:
		return elect
	case isa.OpVote:
		if mask {
			return vote
		}
		if in.Type != isa.F16 {
			return voteEqual
		}
	}
	return nil
}

// everyGroup calls f for each group of the chunk, as the present one.
func everyGroup(c *x86.Compiler, f func(g int)) {
	for g := range c.Across.Groups {
		c.Across.Group = c.Across.First + g
		f(g)
	}
}

// sources returns the vector registers that hold an operand, by group.
func sources(c *x86.Compiler, r isa.Reg, t isa.Type, bits bool) []amd64.Vec {
	x := make([]amd64.Vec, c.Across.Groups)
	everyGroup(c, func(g int) {
		if g > 0 && r.IsScalar() {
			x[g] = x[0]
			return
		}
		x[g] = c.Load(r, t, bits)
	})
	return x
}

// vecs returns registers for results or something in between, by group.
func vecs(c *x86.Compiler) []amd64.Vec {
	x := make([]amd64.Vec, c.Across.Groups)
	for g := range x {
		x[g] = c.Vec()
	}
	return x
}

// numbers returns the numbers of a group's lanes in their part of n lanes of the chunk, as elements of 32
// bits.
func numbers(c *x86.Compiler, g, n int) amd64.Mem {
	var b []byte
	for i := range c.Lanes {
		b = binary.LittleEndian.AppendUint32(b, uint32((g*c.Lanes+i)%n))
	}
	return c.Const(b)
}

// taking returns copies of x in which lanes that do not run are zero.
func taking(c *x86.Compiler, x []amd64.Vec, t isa.Type) []amd64.Vec {
	y, w := vecs(c), c.Width(t)
	some, done := c.NewLabel(), c.NewLabel()
	c.G(amd64.CMP, amd64.B64, c.ExecWord(), amd64.Imm(-1))
	c.Jcc(amd64.NotEqual, some)
	for g := range y {
		c.V(x86.OpCopy.Of(t), w, y[g], x[g])
	}
	c.Bind(done)
	c.LaterInChunk(func() {
		c.Bind(some)
		for g := range y {
			c.V(c.Kmov(), amd64.X, x86.MaskTemp, c.ExecOf(g))
			c.V(x86.OpCopy.Of(t), w, y[g], x[g], amd64.Zero(x86.MaskTemp))
		}
		c.Jmp(done)
	})
	return y
}

var opPick = x86.Pair{amd64.VPERMI2D, amd64.VPERMI2Q}

// pick is what takes elements of tables: registers that hold consecutive groups of the chunk.
type pick struct {
	t      isa.Type
	tables [][]amd64.Vec // those of the second operand follow those of the first
	part   amd64.Vec     // temporary registers
	from   amd64.Vec
	temp   amd64.Vec
}

func newPick(c *x86.Compiler, t isa.Type, tables ...[]amd64.Vec) *pick {
	return &pick{t: t, tables: tables, part: c.Vec(), from: c.Vec(), temp: c.Vec()}
}

// known returns what is known of the lanes that an index register names, or nil.
func known(c *x86.Compiler, b isa.Bank, r isa.Reg) *x86.Value {
	if !r.IsVector() {
		return nil
	}
	p := x86.Place{Bank: b, Index: r.Index(), Group: c.Across.Group}
	v := c.Values[p]
	if v == nil {
		v = &x86.Value{Place: p, Reg: -1}
		c.Values[p] = v
	}
	return v
}

// hold keeps something that is known in a register.
func hold(c *x86.Compiler, v *x86.Value, reg int) {
	if v == nil {
		return
	}
	v.Reg = reg
}

// pickNamed emits the choice of the present group's elements by the lanes that r names.
func pickNamed(c *x86.Compiler, p *pick, r isa.Reg) amd64.Vec {
	index, valid := known(c, x86.PickBank(p.t), r), known(c, x86.BankValid, r)
	if index != nil && index.Reg >= 0 && valid.Reg >= 0 {
		d := c.Vec()
		var lanes amd64.Operand
		if v := c.Value(r, isa.I32); v.Reg >= 0 {
			lanes = amd64.Vec(v.Reg)
		} else {
			lanes = c.Memory(v)
		}
		pickInto(c, p, d, amd64.Vec(index.Reg), amd64.Mask(valid.Reg), lanes)
		return d
	}
	lanes := c.Load(r, isa.I32, true)
	d, j, k := pickLanes(c, p, lanes)
	hold(c, index, int(j))
	hold(c, valid, int(k))
	return d
}

// pickLanes chooses elements by the lanes in a register, and returns the index and the mask that do so.
func pickLanes(c *x86.Compiler, p *pick, lanes amd64.Vec) (d, index amd64.Vec, valid amd64.Mask) {
	d, index, valid = c.Vec(), c.Vec(), c.Mask()
	w := c.Width(isa.I32)
	field := c.LanesTable()
	c.V(amd64.VPBROADCASTD, w, index, field(wave.LanesLast))
	c.V(amd64.VPTERNLOGD, w, index, lanes, numbers(c, c.Across.Group-c.Across.First, 2*c.Lanes), amd64.Imm(x86.TernarySelect))
	c.V(amd64.VPCMPUD, w, valid, lanes, field(wave.LanesSize).Bcast(), amd64.Imm(x86.IntLess))
	if p.t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVZXDQ, c.Width(p.t), index, index)
	}
	pickInto(c, p, d, index, valid, lanes)
	return d, index, valid
}

// pickInto chooses the present group's elements. Sub-groups of up to two groups use index and
// valid, larger ones the lanes themselves.
func pickInto(c *x86.Compiler, p *pick, d, index amd64.Vec, valid amd64.Mask, lanes amd64.Operand) {
	t, w := p.t, c.Width(p.t)
	g := c.Across.Group - c.Across.First
	wide, done := c.NewLabel(), c.NewLabel()
	field := c.LanesTable()
	c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(2*c.Lanes))
	c.Jcc(amd64.Above, wide)
	c.V(x86.OpCopy.Of(t), w, d, index)
	c.V(opPick.Of(t), w, d, p.tables[0][g&^1], p.tables[0][g|1], amd64.Zero(valid))
	if len(p.tables) > 1 {
		// The lanes of the second window.
		n := c.Width(isa.I32)
		if m, ok := lanes.(amd64.Mem); ok {
			c.V(amd64.VMOVDQU32, n, p.part, m)
			c.V(amd64.VPSUBD, n, p.part, p.part, field(wave.LanesSize).Bcast())
		} else {
			c.V(amd64.VPSUBD, n, p.part, lanes, field(wave.LanesSize).Bcast())
		}
		c.V(amd64.VPCMPUD, n, x86.MaskTemp, p.part, field(wave.LanesSize).Bcast(), amd64.Imm(x86.IntLess))
		c.V(x86.OpCopy.Of(t), w, p.from, index)
		c.V(opPick.Of(t), w, p.from, p.tables[1][g&^1], p.tables[1][g|1])
		c.V(x86.OpCopy.Of(t), w, d, p.from, amd64.Merge(x86.MaskTemp))
	}
	c.Bind(done)
	c.LaterInChunk(func() {
		c.Bind(wide)
		for size := 4 * c.Lanes; size <= wave.MaxLanes; size *= 2 {
			next := c.NewLabel()
			if size < wave.MaxLanes {
				c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(size))
				c.Jcc(amd64.NotEqual, next)
			}
			pickWide(c, p, d, g, size/c.Lanes, lanes)
			c.Jmp(done)
			c.Bind(next)
		}
	})
}

// pickWide chooses elements of sub-groups of n groups, from two of them at a time.
func pickWide(c *x86.Compiler, p *pick, d amd64.Vec, g, n int, lanes amd64.Operand) {
	t, w, narrow := p.t, c.Width(p.t), c.Width(isa.I32)
	c.V(amd64.VMOVDQU32, narrow, p.temp, lanes)
	c.V(amd64.VPSRLD, narrow, p.part, p.temp, amd64.Imm(bits.TrailingZeros(uint(2*c.Lanes))))
	if t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVZXDQ, w, p.temp, p.temp)
	}
	c.V(x86.OpXor.Of(t), w, d, d, d)
	number := uint32(0)
	for _, table := range p.tables {
		for first := g &^ (n - 1); first < g&^(n-1)+n; first += 2 {
			c.V(amd64.VPCMPUD, narrow, x86.MaskTemp, p.part, c.Const32(number).Bcast(), amd64.Imm(x86.IntEqual))
			c.V(x86.OpCopy.Of(t), w, p.from, p.temp)
			c.V(opPick.Of(t), w, p.from, table[first], table[first+1])
			c.V(x86.OpCopy.Of(t), w, d, p.from, amd64.Merge(x86.MaskTemp))
			number++
		}
	}
}

// moved returns an operand that is moved as it is: NaNs of all kinds may stay in floats, which loose says.
func moved(c *x86.Compiler, r isa.Reg, t isa.Type) (x []amd64.Vec, loose bool) {
	x = sources(c, r, t, t.IsInt())
	everyGroup(c, func(int) {
		if r.IsVector() && t.IsFloat() && c.Value(r, t).Loose {
			loose = true
		}
	})
	return x, loose
}

// shuffle is OpShuffle and OpShuffle2 of anything but booleans.
func shuffle(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	x, loose := moved(c, in.A, t)
	tables, lanes := [][]amd64.Vec{taking(c, x, t)}, in.B
	if in.Op == isa.OpShuffle2 {
		lanes = in.C
		y, other := moved(c, in.B, t)
		loose = loose || other
		tables = append(tables, taking(c, y, t))
	}
	p := newPick(c, t, tables...)
	everyGroup(c, func(int) {
		d := pickNamed(c, p, lanes)
		c.Define(in, t, int(d), loose)
	})
}

// broadcastFirst is a shuffle in which all lanes name the lowest that runs.
func broadcastFirst(c *x86.Compiler, in *isa.Inst) {
	x, loose := moved(c, in.A, in.Type)
	p := newPick(c, in.Type, x)
	everyGroup(c, func(g int) {
		d, _, _ := pickLanes(c, p, firstLane(c))
		c.Define(in, in.Type, int(d), loose)
	})
}

// firstLane returns the lowest running lane of each lane's sub-group, for the present group.
func firstLane(c *x86.Compiler) amd64.Vec {
	w, g := c.Width(isa.I32), c.Across.Group-c.Across.First
	d, x := c.Vec(), c.Vec()
	whole, done := c.NewLabel(), c.NewLabel()
	field := c.LanesTable()
	c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(64))
	c.Jcc(amd64.Equal, whole)
	c.V(amd64.VPBROADCASTD, w, x, field(wave.LanesLast))
	c.V(amd64.VPANDND, w, x, x, numbers(c, g, 32))
	c.V(amd64.VPBROADCASTD, w, d, c.ExecWord().Plus(int32(g*c.Lanes/32*4)))
	c.V(amd64.VPSRLVD, w, d, d, x)
	c.V(amd64.VPXORD, w, x, x, x)
	c.V(amd64.VPSUBD, w, x, x, d)
	c.V(amd64.VPANDD, w, d, d, x) // the lowest one
	c.V(amd64.VPLZCNTD, w, d, d)
	c.V(amd64.VPXORD, w, d, d, c.Const32(31).Bcast())
	c.Bind(done)
	c.LaterInChunk(func() {
		c.Bind(whole)
		c.G(amd64.TZCNT, amd64.B64, x86.RegTemp, c.ExecWord())
		c.V(amd64.VPBROADCASTD, w, d, x86.RegTemp)
		c.Jmp(done)
	})
	return d
}
