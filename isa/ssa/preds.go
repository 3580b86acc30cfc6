package ssa

// PredLists has the predecessors of all blocks, as numbers in one list: analyses that walk edges many times would wait
// for the memory of the blocks otherwise.
type PredLists struct {
	first []int32 // by number: of its predecessors in list; and one more, the end of the last
	list  []int32
}

// NewPredLists returns the lists of blocks that stand at the places which number gives.
func NewPredLists(blocks []*Block, number func(*Block) int) *PredLists {
	edges := 0
	for _, b := range blocks {
		edges += len(b.Preds)
	}
	l := &PredLists{first: make([]int32, len(blocks)+1), list: make([]int32, 0, edges)}
	for i, b := range blocks {
		l.first[i] = int32(len(l.list))
		for _, p := range b.Preds {
			l.list = append(l.list, int32(number(p)))
		}
	}
	l.first[len(blocks)] = int32(edges)
	return l
}

// Of returns the predecessors of a block.
func (l *PredLists) Of(b int32) []int32 { return l.list[l.first[b]:l.first[b+1]] }
