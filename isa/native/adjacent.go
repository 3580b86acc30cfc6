package native

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

// adjacent says whether the present instruction, which is the first of a run's code, and those behind it load
// words that lie side by side, by one index.
func adjacent(code []isa.Inst, slots []int, disp []int32, bias []uint32) bool {
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

// findAdjacent finds such loads among the instructions from first on up to end. under says which block of a
// hyperblock they are of.
func (c *compiler) findAdjacent(first, end int, under func(i int) int) {
	if c.adjacent == nil {
		c.adjacent = map[int]int{}
	}
	r := c.run
	for i := first; i < end; i++ {
		if !adjacent(r.Code[i:end], r.Slots[i:], r.Disp[i:], r.Bias[i:]) {
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

// follows says whether an instruction is emitted together with one in front of it.
func (c *compiler) follows(i int) bool { return c.adjacent[i] > 0 }

// leads says whether others are emitted together with an instruction.
func (c *compiler) leads(i int) bool {
	n, ok := c.adjacent[i]
	return ok && n == 0
}

// prepareAdjacent completes what is known of the present load if others are emitted together with it.
func (c *compiler) prepareAdjacent(g *gathering) {
	if !c.leads(c.at) {
		return
	}
	for n := 1; n < adjacentWords; n++ {
		o := *g
		o.in, o.disp, o.t, o.d = &c.run.Code[c.at+n], c.run.Disp[c.at+n], c.run.Code[c.at+n].Type, c.vec()
		g.rest = append(g.rest, &o)
	}
}

// results defines what the present load, and those emitted together with it, have loaded.
func (c *compiler) results(g *gathering) {
	c.result(g.in, g.t, g.d)
	at := c.at
	for _, o := range g.rest {
		c.at++
		c.result(o.in, o.t, o.d)
	}
	c.at = at
}

// loadAdjacent loads the words that the lanes that run select, none of which is beyond the limit. x is the index
// less the bias, perhaps in g.temp. It changes regTemp and regAddress.
func (c *compiler) loadAdjacent(g *gathering, x amd64.Vec) {
	w, iw := c.width(isa.I32), c.width(g.it)
	rows := make([]amd64.Vec, adjacentWords) // by word
	lowest := g.disp
	for _, o := range g.rest {
		lowest = min(lowest, o.disp)
	}
	for _, o := range append(g.rest, g) {
		rows[(o.disp-lowest)/4] = o.d
	}
	// Lanes that do not run load what is at index 0: a slot is not filled in if that is not in its allocation.
	x, by := c.scaled(g.in, x, g.temp)
	if c.set.file(isa.BankMask) == fileMask {
		c.V(opCopy.of(g.it), iw, g.temp, x, amd64.Zero(maskExec))
	} else {
		c.V(opAndNot.of(g.it), iw, g.temp, c.idle(g.it), x)
	}
	offsets := c.aside(0)
	insert, extract := amd64.VINSERTI128, amd64.VEXTRACTI128
	if c.set.bits() == 512 {
		insert, extract = amd64.VINSERTI32X4, amd64.VEXTRACTI32X4
	}
	// Pieces of 16 bytes are in one line each, so that they are forwarded to the loads.
	c.V(amd64.VMOVDQU32, amd64.X, offsets, g.temp)
	for piece := 1; piece < c.lanes*g.it.Bytes()/16; piece++ {
		c.V(extract, iw, offsets.Plus(int32(16*piece)), g.temp, amd64.Imm(piece))
	}
	c.G(amd64.MOV, amd64.B64, regAddress, g.address)
	for lane := range c.lanes {
		d := rows[lane%4]
		c.G(amd64.MOV, amd64.Size(g.it.Bits()), regTemp, offsets.Plus(int32(lane*g.it.Bytes())))
		m := amd64.Mem{Base: regAddress, Index: regTemp, Scale: by, Disp: lowest}
		if lane < 4 {
			c.V(amd64.VMOVDQU32, amd64.X, d, m)
		} else {
			c.V(insert, w, d, d, m, amd64.Imm(lane/4))
		}
	}
	c.transpose(w, rows)
}

// transpose exchanges, in each quarter of 128 bits, the rows and the columns of four words.
func (c *compiler) transpose(w amd64.Width, rows []amd64.Vec) {
	a, b, d := c.vec(), c.vec(), rows
	c.V(amd64.VPUNPCKLDQ, w, a, d[0], d[1])
	c.V(amd64.VPUNPCKHDQ, w, d[0], d[0], d[1])
	c.V(amd64.VPUNPCKLDQ, w, b, d[2], d[3])
	c.V(amd64.VPUNPCKHDQ, w, d[2], d[2], d[3])
	c.V(amd64.VPUNPCKHQDQ, w, d[1], a, b)
	c.V(amd64.VPUNPCKHQDQ, w, d[3], d[0], d[2])
	c.V(amd64.VPUNPCKLQDQ, w, d[2], d[0], d[2])
	c.V(amd64.VPUNPCKLQDQ, w, d[0], a, b)
}
