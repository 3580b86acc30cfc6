package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// pairing says whether two chunks may be done together: one has too few groups to hide how long the results of a short
// loop take. Lanes leave such a loop all at once.
func (r *region) pairing() bool {
	groups := 2 * r.across.groups
	if len(r.groups) < r.across.groups || groups > 8 || groups*len(r.list) > maxHomes || groups*len(r.run.Code) > maxRegion {
		return false
	}
	for i := range r.run.Code {
		if r.run.Code[i].Op == isa.OpBuiltin {
			return false // finds its lanes by the chunk
		}
	}
	for _, b := range r.chain {
		if in := r.kernel.plan.Blocks[b].Terminator; in.Op == isa.OpBrCond && in.A.IsVector() {
			return false
		}
	}
	return true
}

// pair emits the loop for two chunks at a time. What is left, if anything is, begins at rest.
func (r *region) pair(rest, end amd64.Label) {
	k := r.kernel
	one, again := r.groups, k.NewLabel()
	r.words, r.groups = 2, nil
	for i := range 2 * r.across.groups {
		r.groups = append(r.groups, i)
	}
	k.Bind(again)
	k.G(amd64.CMP, amd64.B64, regChunksLeft, amd64.Imm(1))
	k.Jcc(amd64.Equal, rest)
	r.together()
	k.G(amd64.ADD, amd64.B64, regChunk, regStride)
	k.G(amd64.ADD, amd64.B64, regChunk, regStride)
	k.G(amd64.ADD, amd64.B64, regExec, amd64.Imm(16))
	k.G(amd64.SUB, amd64.B64, regChunksLeft, amd64.Imm(2))
	k.Jcc(amd64.NotZero, again)
	k.Jmp(end)
	r.words, r.groups = 1, one
}

// exec is the lanes that run of one of the chunks that are done together.
func exec(word int) amd64.Mem { return amd64.Mem{Base: regExec, Disp: int32(8 * word)} }
