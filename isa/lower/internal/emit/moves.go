package emit

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// move is a copy into the register of a phi.
type move struct {
	c        class
	t        isa.Type
	dst, src isa.Reg
}

// moves returns the copies into the phis of the block that b leads to. All of
// them happen at once.
func (e *emitter) moves(b *ssa.Block) (todo []move) {
	if len(b.Succs) != 1 || b.Term != ssa.TermBr {
		return nil
	}
	s := b.Succs[0]
	if len(s.Phis) == 0 {
		return nil
	}
	i := e.edges.Of(b, 0)
	for _, phi := range s.Phis {
		m := move{classOf(phi), phi.Type, e.reg(phi), e.reg(phi.Args[i])}
		if m.dst != m.src {
			todo = append(todo, m)
		}
	}
	return todo
}

// file is a register of a bank, or a scalar register, of which there is one file for all types.
type file struct {
	r    isa.Reg
	bank isa.Bank
}

func fileOf(r isa.Reg, t isa.Type) file {
	if r.IsScalar() {
		return file{r: r}
	}
	return file{r, t.Bank()}
}

// copies writes the moves at the end of b, one after the other: the order matters
// then, and cycles need a scratch register. Of the moves that may be done the first one is.
func (e *emitter) copies(b *ssa.Block) {
	todo := e.moves(b)
	if len(todo) == 0 {
		return
	}
	put := func(m move) {
		e.k.Code = append(e.k.Code, isa.Inst{Op: isa.OpMov, Type: m.t, Dst: m.dst, A: m.src, Loc: b.TermLoc})
	}
	if len(todo) == 1 {
		put(todo[0])
		return
	}
	readers := make(map[file][]int, len(todo)) // by what they read: moves that are not done
	waits := make([]int, len(todo))            // for so many others
	writer := make(map[file]int, len(todo))
	ready := ssa.Heap[int]{Less: func(x, y int) bool { return x < y }}
	for i, m := range todo {
		src := fileOf(m.src, m.t)
		readers[src] = append(readers[src], i)
		writer[fileOf(m.dst, m.t)] = i
	}
	for i, m := range todo {
		for _, j := range readers[fileOf(m.dst, m.t)] {
			if j != i {
				waits[i]++
			}
		}
		if waits[i] == 0 {
			ready.Push(i)
		}
	}
	done := make([]bool, len(todo))
	// finish notes that move i does not read src any more.
	finish := func(i int, src file) {
		if w, ok := writer[src]; ok && w != i && !done[w] {
			if waits[w]--; waits[w] == 0 {
				ready.Push(w)
			}
		}
	}
	next := 0
	for left := len(todo); left > 0; {
		if len(ready.List) > 0 {
			i := ready.Pop()
			put(todo[i])
			done[i] = true
			left--
			finish(i, fileOf(todo[i].src, todo[i].t))
			continue
		}
		// A cycle: save what the first move would overwrite.
		for done[next] {
			next++
		}
		m := todo[next]
		if e.a.scratch[m.c] < 0 {
			e.a.scratch[m.c] = e.a.global[m.c] + e.a.local[m.c]
		}
		tmp := e.number(m.c, e.a.scratch[m.c])
		put(move{m.c, m.t, tmp, m.dst})
		dst := fileOf(m.dst, m.t)
		for _, j := range readers[dst] {
			if !done[j] && j != next {
				todo[j].src = tmp
				finish(j, dst)
			}
		}
	}
}
