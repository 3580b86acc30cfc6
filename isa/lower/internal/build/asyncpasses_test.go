package build

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// markProgram makes kernels of marks, waits, copies, branches, loops and calls.
type markProgram struct {
	b   *Builder
	rng *rand.Rand
	// ends are the blocks that leave the body at hand early.
	ends []*ssa.Block
	size int
}

func newMarkProgram(seed uint64, keep bool) *Builder {
	p := &markProgram{rng: rand.New(rand.NewPCG(seed, 1)), size: 60}
	p.b = newBuilder(&Module{Options: Options{MaxInstructions: 1 << 20, KeepMarks: keep}})
	p.b.Cur = p.b.Func.NewBlock("entry")
	p.function(0)
	p.b.Cur.Term = ssa.TermRet
	return p.b
}

// function is a body: the kernel's, or one that is called.
func (p *markProgram) function(depth int) {
	outer := p.ends
	p.ends = nil
	p.b.beginBody()
	if depth > 0 {
		start := p.b.Func.NewBlock("")
		p.br(start)
		p.b.Cur = start
	}
	p.list(depth)
	end := p.b.Func.NewBlock("")
	p.br(end)
	for _, e := range p.ends {
		ssa.Link(e, end)
	}
	p.b.Cur = end
	p.b.endBody()
	p.ends = outer
}

func (p *markProgram) br(to *ssa.Block) {
	p.b.Cur.Term = ssa.TermBr
	ssa.Link(p.b.Cur, to)
}

// branch ends the current block in a branch on something.
func (p *markProgram) branch() {
	p.b.Cur.Term = ssa.TermCond
	p.b.Cur.Cond = p.b.Func.NewValue(ssa.OpParam, isa.B1, isa.B1)
}

// list is some statements.
func (p *markProgram) list(depth int) {
	for range 1 + p.rng.IntN(6) {
		if p.size--; p.size < 0 {
			return
		}
		p.statement(depth)
	}
}

func (p *markProgram) statement(depth int) {
	b := p.b
	next := func() *ssa.Block { return b.Func.NewBlock("") }
	switch n := p.rng.IntN(16); {
	case n < 3:
		b.LaneCopy(isa.LaneCopy{})
	case n < 6:
		b.Async(isa.OpAsyncMark, 0)
	case n < 9:
		b.Async(isa.OpAsyncWait, uint32(p.rng.IntN(5)))
	case n < 10:
		b.Add(b.Func.NewValue(isa.OpFence, isa.Void, isa.Void))
	case depth > 4:
	case n < 12: // if
		then, join := next(), next()
		p.branch()
		ssa.Link(b.Cur, then)
		ssa.Link(b.Cur, join)
		b.Cur = then
		p.list(depth + 1)
		p.br(join)
		b.Cur = join
	case n < 14: // loop, tested ahead or behind
		head, body, done := next(), next(), next()
		p.br(head)
		b.Cur = head
		p.list(depth + 1)
		p.branch()
		ssa.Link(b.Cur, body)
		ssa.Link(b.Cur, done)
		b.Cur = body
		p.list(depth + 1)
		p.br(head)
		b.Cur = done
	case n < 15: // leave the function, or go on
		on := next()
		p.branch()
		ssa.Link(b.Cur, on)
		p.ends = append(p.ends, b.Cur)
		b.Cur = on
	default:
		p.function(depth + 1)
	}
}

// markState is what a work-item knows on its way: how many copies it issued, how
// many of them are surely over, and how many it had issued at each of its marks.
type markState struct {
	issued, over int
	marks        map[int][]int
}

func (s *markState) step(v *ssa.Value) {
	switch v.Op {
	case isa.OpLaneCopy:
		s.issued++
	case isa.OpAsyncScope:
		s.marks[int(v.Index)] = nil
	case isa.OpAsyncMark:
		s.marks[int(v.Index)] = append(s.marks[int(v.Index)], s.issued)
	case isa.OpAsyncWait:
		if m := s.marks[int(v.Index)]; len(m) > int(v.Scale) {
			s.over = max(s.over, m[len(m)-1-int(v.Scale)])
		}
	}
}

// TestMarkEliminations runs random programs along random paths as they were and
// as the passes leave them: at every instruction the same copies are over.
func TestMarkEliminations(t *testing.T) {
	programs, dropped, kept := 3000, map[isa.Op]int{}, map[isa.Op]int{}
	if testing.Short() {
		programs = 500
	}
	for seed := range uint64(programs) {
		b := newMarkProgram(seed, false)
		before := map[*ssa.Block][]*ssa.Value{}
		for _, blk := range b.Func.Blocks {
			before[blk] = slices.Clone(blk.Insts)
		}
		opt.AsyncWaits(b.Func)
		opt.AsyncMarks(b.Func)
		left := map[*ssa.Value]bool{}
		for _, blk := range b.Func.Blocks {
			for _, v := range blk.Insts {
				left[v] = true
				kept[v.Op]++
			}
		}
		for _, list := range before {
			for _, v := range list {
				if !left[v] {
					dropped[v.Op]++
				}
			}
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		for range 20 {
			old, now := markState{marks: map[int][]int{}}, markState{marks: map[int][]int{}}
			blk := b.Func.Blocks[0]
			for range 300 {
				for _, v := range before[blk] {
					old.step(v)
					if left[v] {
						now.step(v)
					}
					if old.over != now.over {
						t.Fatalf("program %d: %d copies are over behind %s, and %d when nothing is dropped\n%s",
							seed, now.over, v.LongString(), old.over, b.Func.String())
					}
				}
				if len(blk.Succs) == 0 {
					break
				}
				blk = blk.Succs[rng.IntN(len(blk.Succs))]
			}
		}
	}
	for _, op := range []isa.Op{isa.OpAsyncMark, isa.OpAsyncWait, isa.OpAsyncScope} {
		if dropped[op] < programs/10 || kept[op] < programs/10 {
			t.Errorf("%s: %d dropped and %d kept in %d programs, so the test shows little", op, dropped[op], kept[op], programs)
		}
	}
	if dropped[isa.OpLaneCopy] != 0 || dropped[isa.OpFence] != 0 {
		t.Errorf("copies or fences were dropped")
	}
	t.Logf("dropped %d marks, %d waits, %d scopes; kept %d, %d, %d", dropped[isa.OpAsyncMark], dropped[isa.OpAsyncWait],
		dropped[isa.OpAsyncScope], kept[isa.OpAsyncMark], kept[isa.OpAsyncWait], kept[isa.OpAsyncScope])
}

// TestKeptMarks checks that the passes leave a program alone when told to.
func TestKeptMarks(t *testing.T) {
	for seed := range uint64(50) {
		b := newMarkProgram(seed, true)
		before := b.Func.String()
		opt.AsyncWaits(b.Func)
		opt.AsyncMarks(b.Func)
		if after := b.Func.String(); after != before {
			t.Fatalf("program %d has changed:\n%s\n%s", seed, before, after)
		}
	}
}

// TestSequences checks the numbers of random programs: bodies in execution
// together have different ones, and there are no more than needed.
func TestSequences(t *testing.T) {
	for seed := range uint64(500) {
		b := newMarkProgram(seed, true)
		number, n := b.Sequences()
		deepest := 0
		for i, f := range b.bodies {
			depth := 0
			if f.used {
				depth = 1
			}
			for o := f.parent; o != nil; o = o.parent {
				if !o.used {
					continue
				}
				depth++
				if f.used && number[o.index] >= number[i] {
					t.Fatalf("program %d: body %d and body %d around it have the numbers %d and %d", seed, i, o.index, number[i], number[o.index])
				}
			}
			deepest = max(deepest, depth)
		}
		if n != deepest {
			t.Fatalf("program %d: %d numbers for bodies %d deep", seed, n, deepest)
		}
	}
}
