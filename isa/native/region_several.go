package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// maxWords bounds the chunks that go through a region together, maxTogether their groups.
const (
	maxWords    = len(wave.Loop{}.Entry)
	maxTogether = 16
)

// measure finds how many groups of lanes are done together. It says whether any may. What the loop does not
// change stays in the register file if more groups have room then.
func (r *region) measure() bool {
	r.words = 1
	all := r.list
	r.list = slices.DeleteFunc(slices.Clone(all), func(h resident) bool { return !h.kept && h.half == nil })
	n, most := r.room(), r.together()
	few := r.list
	r.list = all
	if r.room() >= n && r.together() >= most {
		n, most = r.room(), r.together()
	} else {
		r.list = few
	}
	if n == 0 || len(r.Run.Code)*r.Across.Groups > maxRegion || r.cross && n < r.Across.Groups {
		return false
	}
	r.groups, r.most = make([]int, n), most
	return true
}

// pays says whether the region is likely to be a gain. With wide vectors it always is. With short ones a chunk
// has many groups, so that scalar instructions are done many times in a trip; and where a few instructions have
// elements of 64 bits, the others do half as many lanes at once as they would in runs or hyperblocks of their own.
func (r *region) pays() bool {
	if r.ISA.File(isa.BankMask) == x86.FileMask {
		return true
	}
	more, scalars := 0, 0 // instructions that could do more lanes; instructions on scalars, with what loads take
	for _, b := range r.chain {
		block := &r.kernel.plan.Blocks[b]
		halved := block.Hyper != nil && x86.GroupOf(r.kernel.plan.Kernel, block.Hyper.Run.Code, r.ISA) > r.Lanes
		for i := range block.Parts {
			switch p := &block.Parts[i]; {
			case p.Place != nil:
				scalars += 8
			case p.Scalar != nil:
				scalars++
			case halved || x86.GroupOf(r.kernel.plan.Kernel, p.Run.Code, r.ISA) > r.Lanes:
				more += len(p.Run.Code)
			}
		}
	}
	again := r.Across.Groups/len(r.groups) - 1
	return 2*more <= len(r.Run.Code) && 3*again*scalars <= r.Across.Groups*len(r.Run.Code)
}

// room returns how many groups of a chunk have room in registers, or 0. Groups of a region that has been narrowed have
// twice the lanes, and as many lanes are done together as without: where each lane walks through a row of its own, and
// rows are a power of two of bytes long, more lanes than that thrash one set of the cache.
func (r *region) room() int {
	n := 4
	if r.narrowed != nil {
		n = 2
	}
	if r.ISA.File(isa.BankMask) != x86.FileMask && r.lanesPart() {
		n = 2 // groups wait for each other, and to note who leaves takes longer with each
	}
	for n > 0 && n*len(r.list) > r.ISA.MaxHomes() {
		n /= 2
	}
	return n
}

// lanesPart says whether some lanes may leave before others do.
func (r *region) lanesPart() bool {
	return slices.ContainsFunc(r.chain, func(b int) bool {
		in := r.kernel.plan.Blocks[b].Terminator
		return in.Op == isa.OpBrCond && in.A.IsVector()
	})
}

// together returns how many chunks may go through the region together: one has too few groups to hide how
// long the results of a short loop take, above all of instructions across lanes. Lanes leave such a loop all
// at once.
func (r *region) together() int {
	if r.room() < r.Across.Groups || r.ISA.File(isa.BankMask) != x86.FileMask {
		return 1
	}
	n := 2
	if r.cross {
		n = maxWords
	} else if r.Across.Groups > 4 {
		return 1
	}
	for i := range r.Run.Code {
		in := &r.Run.Code[i]
		if in.Op == isa.OpBuiltin || plan.Crosses(in) && in.Op != isa.OpScan && in.Op != isa.OpBallot {
			return 1 // the first finds its lanes by the chunk; shuffles have enough to do with one
		}
	}
	if r.lanesPart() {
		return 1
	}
	for groups := n * r.Across.Groups; groups > maxTogether || groups*len(r.list) > r.ISA.MaxHomes() || groups*len(r.Run.Code) > maxRegion; groups /= 2 {
		if n /= 2; n == 1 {
			break
		}
	}
	return n
}

// several emits the loop for as many chunks at a time as may be. What is left, if anything is, begins at
// rest.
func (r *region) several(rest, end amd64.Label) {
	k := r.kernel
	one, again := r.groups, k.NewLabel()
	r.words, r.groups = r.most, nil
	for i := range r.words * r.Across.Groups {
		r.groups = append(r.groups, i)
	}
	k.Bind(again)
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.LoopChunks), amd64.Imm(r.words))
	k.Jcc(amd64.Below, rest)
	r.trips()
	for range r.words {
		k.G(amd64.ADD, amd64.B64, x86.RegChunk, x86.RegStride)
	}
	k.G(amd64.ADD, amd64.B64, x86.RegExec, amd64.Imm(8*r.words))
	k.G(amd64.SUB, amd64.B64, x86.Field(wave.LoopChunks), amd64.Imm(r.words))
	k.Jcc(amd64.NotZero, again)
	k.Jmp(end)
	r.words, r.groups = 1, one
}

// planRun puts the instructions of a run, the first of which is at in run.Code, in order: up to the next one
// across lanes for one group of a chunk after the other, that one for the chunk, and then the same for the
// next chunk. So few values wait for others of their chunk.
func (r *region) planRun(run *plan.Run, at int) {
	for i := 0; i < len(run.Code); {
		end := i
		for end < len(run.Code) && !plan.Crosses(&run.Code[end]) {
			end++
		}
		for n := range r.words {
			r.Across.First = n * r.Across.Groups
			for _, g := range r.groups {
				if g/r.Across.Groups != n {
					continue
				}
				for k := i; k < end; k++ {
					r.Plan(at+k, g)
				}
			}
			if end < len(run.Code) {
				r.Plan(at+end, x86.AllGroups)
			}
		}
		i = end + 1
	}
	r.Across.First = 0
}

// stepsOf returns how many steps planRun makes of a run.
func (r *region) stepsOf(run *plan.Run) int {
	n := 0
	for i := range run.Code {
		if plan.Crosses(&run.Code[i]) {
			n += r.words
		} else {
			n += len(r.groups)
		}
	}
	return n
}

// exec is the lanes that run of one of the chunks that are done together.
func exec(word int) amd64.Mem { return amd64.Mem{Base: x86.RegExec, Disp: int32(8 * word)} }
