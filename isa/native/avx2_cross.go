package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// crossings2 is [crossings] for AVX2: booleans, and elements of 32 bits. There are not enough registers for
// all groups of a chunk and what is done with them, so that a shuffle takes its elements from the register
// file.
func crossings2(_ amd64.Features, in *isa.Inst) emitter {
	wide := in.Type == isa.I32 || in.Type == isa.F32
	switch in.Op {
	case isa.OpShuffle:
		if wide && in.A.IsVector() {
			return (*compiler).shuffleMemory
		}
	case isa.OpScan:
		kind, op := in.ScanOf()
		if in.Type == isa.B1 || wide && kind == isa.ScanReduce && op != isa.ScanFMin && op != isa.ScanFMax {
			return scans(in)
		}
	case isa.OpBroadcastFirst, isa.OpVote:
		if in.Type == isa.B1 {
			return crossings(0, in)
		}
	case isa.OpBallot, isa.OpElect:
		return crossings(0, in)
	}
	return nil
}

// shuffleMemory is OpShuffle of elements that are in the register file.
func (c *compiler) shuffleMemory(in *isa.Inst) {
	w := c.width(isa.I32)
	c.everyGroup(func(int) {
		if v := c.value(in.A, in.Type); v.reg >= 0 && v.dirty {
			c.store(v)
		}
	})
	// All elements are there before any is replaced.
	d := c.vecs()
	from, taken, temp := c.vec(), c.vec(), c.vec()
	c.everyGroup(func(g int) {
		lanes := c.load(in.B, isa.I32, true)
		some, done := c.NewLabel(), c.NewLabel()
		field := c.lanesTable()
		c.V(amd64.VPBROADCASTD, w, from, field(wave.LanesLast))
		c.V(amd64.VPANDND, w, taken, from, lanes)
		c.V(amd64.VPXORD, w, vecTemp, vecTemp, vecTemp)
		c.V(amd64.VPCMPEQD, w, taken, taken, vecTemp)
		c.V(amd64.VPANDD, w, temp, from, lanes)
		c.V(amd64.VPANDND, w, from, from, c.numbers(g, 64))
		c.V(amd64.VPORD, w, from, from, temp)
		c.G(amd64.CMP, amd64.B64, c.execWord(), amd64.Imm(-1))
		c.Jcc(amd64.NotEqual, some)
		c.Bind(done)
		c.V(amd64.VPXORD, w, d[g], d[g], d[g])
		c.V(amd64.VPGATHERDD, w, d[g], amd64.VMem(regChunk, from, 4, int32(c.run.Offset(in.A, in.Type))), taken)
		c.laterInChunk(func() {
			c.Bind(some)
			// The bit of the lane in the execution mask: a shift by 32 or more gives zero.
			c.V(amd64.VPBROADCASTD, w, vecTemp, c.execWord())
			c.V(amd64.VPSRLVD, w, vecTemp, vecTemp, from)
			c.V(amd64.VPSUBD, w, temp, from, c.Splat32(w, 32))
			c.V(amd64.VPBROADCASTD, w, d[g], c.execWord().Plus(4))
			c.V(amd64.VPSRLVD, w, d[g], d[g], temp)
			c.V(amd64.VPORD, w, vecTemp, vecTemp, d[g])
			c.V(amd64.VPSLLD, w, vecTemp, vecTemp, amd64.Imm(31))
			c.V(amd64.VPANDD, w, taken, taken, vecTemp)
			c.Jmp(done)
		})
	})
	c.everyGroup(func(g int) { c.define(in, in.Type, int(d[g]), false) })
}

// whereRunning makes vecTemp ones in the lanes of group g that run, zeros in others.
func (c *compiler) whereRunning(g int) {
	w := c.width(isa.I32)
	c.V(amd64.VPBROADCASTB, w, vecTemp, c.execOf(g))
	c.V(amd64.VPANDD, w, vecTemp, vecTemp, c.laneBits())
	c.V(amd64.VPCMPEQD, w, vecTemp, vecTemp, c.laneBits())
}
