package lower

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestManyWaysToOneExit finds the dominator of a block that every block of a long
// chain leads to. Its predecessors have to be taken from the chain's end, or the
// chain is climbed once for each of them.
func TestManyWaysToOneExit(t *testing.T) {
	const n = 1000
	f := newFn(&isa.Kernel{})
	exit := f.newBlock("exit")
	chain := make([]*block, n)
	for i := range chain {
		chain[i] = f.newBlock("")
	}
	for i, b := range chain {
		b.term = termCond
		link(b, exit)
		if i+1 < n {
			link(b, chain[i+1])
		}
	}
	f.blocks = append([]*block{chain[0], exit}, chain[1:]...)
	f.need(AnalysisLoops)
	if exit.idom != chain[0] {
		t.Errorf("the exit is dominated by block %d", exit.idom.rpo)
	}
	for i := 1; i < n; i++ {
		if chain[i].idom != chain[i-1] {
			t.Fatalf("block %d of the chain is dominated by block %d", i, chain[i].idom.rpo)
		}
	}
	preds := deepestFirst(exit.preds)
	if len(preds) != n {
		t.Fatalf("%d predecessors, there are %d", len(preds), n)
	}
	for i := 1; i < n; i++ {
		if preds[i].rpo >= preds[i-1].rpo {
			t.Fatalf("predecessor %d comes after predecessor %d", preds[i].rpo, preds[i-1].rpo)
		}
	}
}

// TestDominatorsAgree finds the dominators of random graphs in both ways.
func TestDominatorsAgree(t *testing.T) {
	quick := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 2 + r.IntN(60)
		f := newFn(&isa.Kernel{})
		for range n {
			f.newBlock("")
		}
		for i, b := range f.blocks {
			if i+1 < n {
				link(b, f.blocks[i+1])
			}
			for range r.IntN(3) {
				to := r.IntN(n)
				if seed%2 == 0 && to > 0 {
					to = min(n-1, i+1+r.IntN(4)) // forward, and not far
				}
				link(b, f.blocks[to])
			}
		}
		f.need(AnalysisOrder)
		near := nearDominators(newPredLists(f.blocks, func(b *block) int { return b.rpo }))
		if near == nil {
			continue
		}
		quick++
		if far := farDominators(f.blocks); !slices.Equal(near, far) {
			t.Errorf("seed %d: one way finds %d, the other %d", seed, near, far)
		}
	}
	if quick < 150 {
		t.Errorf("the quick way gave up on all but %d graphs", quick)
	}
}
