package ssa

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
	f := NewFunc(&isa.Kernel{})
	exit := f.NewBlock("exit")
	chain := make([]*Block, n)
	for i := range chain {
		chain[i] = f.NewBlock("")
	}
	for i, b := range chain {
		b.Term = TermCond
		Link(b, exit)
		if i+1 < n {
			Link(b, chain[i+1])
		}
	}
	f.Blocks = append([]*Block{chain[0], exit}, chain[1:]...)
	f.Need(AnalysisLoops)
	if exit.IDom != chain[0] {
		t.Errorf("the exit is dominated by block %d", exit.IDom.RPO)
	}
	for i := 1; i < n; i++ {
		if chain[i].IDom != chain[i-1] {
			t.Fatalf("block %d of the chain is dominated by block %d", i, chain[i].IDom.RPO)
		}
	}
	preds := deepestFirst(exit.Preds)
	if len(preds) != n {
		t.Fatalf("%d predecessors, there are %d", len(preds), n)
	}
	for i := 1; i < n; i++ {
		if preds[i].RPO >= preds[i-1].RPO {
			t.Fatalf("predecessor %d comes after predecessor %d", preds[i].RPO, preds[i-1].RPO)
		}
	}
}

// TestDominatorsAgree finds the dominators of random graphs in both ways.
func TestDominatorsAgree(t *testing.T) {
	quick := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 2 + r.IntN(60)
		f := NewFunc(&isa.Kernel{})
		for range n {
			f.NewBlock("")
		}
		for i, b := range f.Blocks {
			if i+1 < n {
				Link(b, f.Blocks[i+1])
			}
			for range r.IntN(3) {
				to := r.IntN(n)
				if seed%2 == 0 && to > 0 {
					to = min(n-1, i+1+r.IntN(4)) // forward, and not far
				}
				Link(b, f.Blocks[to])
			}
		}
		f.Need(AnalysisOrder)
		near := nearDominators(NewPredLists(f.Blocks, func(b *Block) int { return b.RPO }))
		if near == nil {
			continue
		}
		quick++
		if far := farDominators(f.Blocks); !slices.Equal(near, far) {
			t.Errorf("seed %d: one way finds %d, the other %d", seed, near, far)
		}
	}
	if quick < 150 {
		t.Errorf("the quick way gave up on all but %d graphs", quick)
	}
}
