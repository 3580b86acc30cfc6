package lower

import "testing"

// TestManyWaysToOneExit finds the dominator of a block that every block of a long
// chain leads to. Its predecessors have to be taken from the chain's end, or the
// chain is climbed once for each of them.
func TestManyWaysToOneExit(t *testing.T) {
	const n = 1000
	f := &fn{}
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
