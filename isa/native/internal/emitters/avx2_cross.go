package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// crossings2 is [crossings] for AVX2: booleans, and elements of 32 bits. There are not enough registers for
// all groups of a chunk and what is done with them, so that a shuffle takes its elements from the register
// file.
func crossings2(_ amd64.Features, in *isa.Inst) x86.Emitter {
	wide := in.Type == isa.I32 || in.Type == isa.F32
	switch in.Op {
	case isa.OpShuffle:
		if wide && in.A.IsVector() {
			return shuffleMemory
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
func shuffleMemory(c *x86.Compiler, in *isa.Inst) {
	w := c.Width(isa.I32)
	everyGroup(c, func(int) {
		if v := c.Value(in.A, in.Type); v.Reg >= 0 && v.Dirty {
			c.Store(v)
		}
	})
	// All elements are there before any is replaced.
	d := vecs(c)
	from, taken, temp := c.Vec(), c.Vec(), c.Vec()
	everyGroup(c, func(g int) {
		lanes := c.Load(in.B, isa.I32, true)
		some, done := c.NewLabel(), c.NewLabel()
		field := c.LanesTable()
		c.V(amd64.VPBROADCASTD, w, from, field(wave.LanesLast))
		c.V(amd64.VPANDND, w, taken, from, lanes)
		c.V(amd64.VPXORD, w, x86.VecTemp, x86.VecTemp, x86.VecTemp)
		c.V(amd64.VPCMPEQD, w, taken, taken, x86.VecTemp)
		c.V(amd64.VPANDD, w, temp, from, lanes)
		c.V(amd64.VPANDND, w, from, from, numbers(c, g, 64))
		c.V(amd64.VPORD, w, from, from, temp)
		c.G(amd64.CMP, amd64.B64, c.ExecWord(), amd64.Imm(-1))
		c.Jcc(amd64.NotEqual, some)
		c.Bind(done)
		c.V(amd64.VPXORD, w, d[g], d[g], d[g])
		c.V(amd64.VPGATHERDD, w, d[g], amd64.VMem(x86.RegChunk, from, 4, int32(c.Run.Offset(in.A, in.Type))), taken)
		c.LaterInChunk(func() {
			c.Bind(some)
			// The bit of the lane in the execution mask: a shift by 32 or more gives zero.
			c.V(amd64.VPBROADCASTD, w, x86.VecTemp, c.ExecWord())
			c.V(amd64.VPSRLVD, w, x86.VecTemp, x86.VecTemp, from)
			c.V(amd64.VPSUBD, w, temp, from, c.Splat32(w, 32))
			c.V(amd64.VPBROADCASTD, w, d[g], c.ExecWord().Plus(4))
			c.V(amd64.VPSRLVD, w, d[g], d[g], temp)
			c.V(amd64.VPORD, w, x86.VecTemp, x86.VecTemp, d[g])
			c.V(amd64.VPSLLD, w, x86.VecTemp, x86.VecTemp, amd64.Imm(31))
			c.V(amd64.VPANDD, w, taken, taken, x86.VecTemp)
			c.Jmp(done)
		})
	})
	everyGroup(c, func(g int) { c.Define(in, in.Type, int(d[g]), false) })
}

// whereRunning makes VecTemp ones in the lanes of group g that run, zeros in others.
func whereRunning(c *x86.Compiler, g int) {
	w := c.Width(isa.I32)
	c.V(amd64.VPBROADCASTB, w, x86.VecTemp, c.ExecOf(g))
	c.V(amd64.VPANDD, w, x86.VecTemp, x86.VecTemp, c.LaneBits())
	c.V(amd64.VPCMPEQD, w, x86.VecTemp, x86.VecTemp, c.LaneBits())
}
