package x86

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// Loads of four words that lie side by side, by one index, as those of the components of a float4, are emitted
// together. Where each lane selects a structure of its own, a lane's 16 bytes are loaded at once and the words
// of four lanes transposed, which takes less time than four gathers and looks once what the index is.

// adjacentWords is how many words are loaded together.
const adjacentWords = 4

// Adjacent says whether the present instruction, which is the first of a run's code, and those behind it load
// words that lie side by side, by one index.
func Adjacent(code []isa.Inst, slots []int, disp []int32, bias []uint32) bool {
	if len(code) < adjacentWords {
		return false
	}
	first := &code[0]
	lowest := slices.Min(disp[:adjacentWords])
	words := 0
	for i := range adjacentWords {
		in := &code[i]
		if in.Op != isa.OpLoad || !plan.Indexed(in) || in.Type.Bank() != isa.Bank32 {
			return false
		}
		if in.Idx == isa.IdxNone || !in.B.IsVector() {
			return false
		}
		if in.A != first.A || in.B != first.B || in.Idx != first.Idx || in.Scale != first.Scale {
			return false
		}
		if slots[i] != slots[0] || bias[i] != bias[0] {
			return false
		}
		if i < adjacentWords-1 && in.Dst == in.B && in.Idx.Type().Bank() == isa.Bank32 {
			return false // the next one has another index
		}
		if n := disp[i] - lowest; n%4 == 0 && n < 4*adjacentWords {
			words |= 1 << (n / 4)
		}
	}
	return words == 1<<adjacentWords-1
}

// FindAdjacent finds such loads among the instructions from first on up to end. under says which block of a
// hyperblock they are of.
func (c *Compiler) FindAdjacent(first, end int, under func(i int) int) {
	if c.adjacent == nil {
		c.adjacent = map[int]int{}
	}
	r := c.Run
	for i := first; i < end; i++ {
		if !Adjacent(r.Code[i:end], r.Slots[i:], r.Disp[i:], r.Bias[i:]) {
			continue
		}
		u := under(i)
		if under(i+1) != u || under(i+2) != u || under(i+3) != u {
			continue
		}
		for n := range adjacentWords {
			c.adjacent[i+n] = n
		}
		i += adjacentWords - 1
	}
}

// Follows says whether an instruction is emitted together with one in front of it.
func (c *Compiler) Follows(i int) bool { return c.adjacent[i] > 0 }

// leads says whether others are emitted together with an instruction.
func (c *Compiler) leads(i int) bool {
	n, ok := c.adjacent[i]
	return ok && n == 0
}

// PrepareAdjacent completes what is known of the present load if others are emitted together with it.
func (c *Compiler) PrepareAdjacent(g *Gathering) {
	if !c.leads(c.Index) {
		return
	}
	for n := 1; n < adjacentWords; n++ {
		o := *g
		o.In, o.Disp, o.T, o.D = &c.Run.Code[c.Index+n], c.Run.Disp[c.Index+n], c.Run.Code[c.Index+n].Type, c.Vec()
		g.Rest = append(g.Rest, &o)
	}
}

// Results defines what the present load, and those emitted together with it, have loaded.
func (c *Compiler) Results(g *Gathering) {
	c.Result(g.In, g.T, g.D)
	at := c.Index
	for _, o := range g.Rest {
		c.Index++
		c.Result(o.In, o.T, o.D)
	}
	c.Index = at
}

// LoadAdjacent loads the words that the lanes that run select, none of which is beyond the limit. x is the index
// less the bias, perhaps in g.temp. It changes RegTemp and RegAddress.
func (c *Compiler) LoadAdjacent(g *Gathering, x amd64.Vec) {
	w, iw := c.Width(isa.I32), c.Width(g.IndexType)
	rows := make([]amd64.Vec, adjacentWords) // by word
	lowest := g.Disp
	for _, o := range g.Rest {
		lowest = min(lowest, o.Disp)
	}
	for _, o := range append(g.Rest, g) {
		rows[(o.Disp-lowest)/4] = o.D
	}
	// Lanes that do not run load what is at index 0: a slot is not filled in if that is not in its allocation.
	x, by := c.Scaled(g.In, x, g.Temp)
	if c.ISA.File(isa.BankMask) == FileMask {
		c.V(OpCopy.Of(g.IndexType), iw, g.Temp, x, amd64.Zero(MaskExec))
	} else {
		c.V(OpAndNot.Of(g.IndexType), iw, g.Temp, c.Idle(g.IndexType), x)
	}
	offsets := c.Aside(0)
	insert, extract := amd64.VINSERTI128, amd64.VEXTRACTI128
	if c.ISA.Bits() == 512 {
		insert, extract = amd64.VINSERTI32X4, amd64.VEXTRACTI32X4
	}
	// Pieces of 16 bytes are in one line each, so that they are forwarded to the loads.
	c.V(amd64.VMOVDQU32, amd64.X, offsets, g.Temp)
	for piece := 1; piece < c.Lanes*g.IndexType.Bytes()/16; piece++ {
		c.V(extract, iw, offsets.Plus(int32(16*piece)), g.Temp, amd64.Imm(piece))
	}
	c.G(amd64.MOV, amd64.B64, RegAddress, g.Address)
	for lane := range c.Lanes {
		d := rows[lane%4]
		c.G(amd64.MOV, amd64.Size(g.IndexType.Bits()), RegTemp, offsets.Plus(int32(lane*g.IndexType.Bytes())))
		m := amd64.Mem{Base: RegAddress, Index: RegTemp, Scale: by, Disp: lowest}
		if lane < 4 {
			c.V(amd64.VMOVDQU32, amd64.X, d, m)
		} else {
			c.V(insert, w, d, d, m, amd64.Imm(lane/4))
		}
	}
	c.transpose(w, rows)
}

// transpose exchanges, in each quarter of 128 bits, the rows and the columns of four words.
func (c *Compiler) transpose(w amd64.Width, rows []amd64.Vec) {
	a, b, d := c.Vec(), c.Vec(), rows
	c.V(amd64.VPUNPCKLDQ, w, a, d[0], d[1])
	c.V(amd64.VPUNPCKHDQ, w, d[0], d[0], d[1])
	c.V(amd64.VPUNPCKLDQ, w, b, d[2], d[3])
	c.V(amd64.VPUNPCKHDQ, w, d[2], d[2], d[3])
	c.V(amd64.VPUNPCKHQDQ, w, d[1], a, b)
	c.V(amd64.VPUNPCKHQDQ, w, d[3], d[0], d[2])
	c.V(amd64.VPUNPCKLQDQ, w, d[2], d[0], d[2])
	c.V(amd64.VPUNPCKLQDQ, w, d[0], a, b)
}
