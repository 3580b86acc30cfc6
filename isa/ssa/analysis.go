package ssa

import (
	"fmt"
	"strings"
)

// Analyses is a set of things that are known about a kernel's SSA form. A pass
// says which it needs, which are then found before it runs unless they are
// still there, and which of them it keeps.
type Analyses uint8

// The analyses.
const (
	// AnalysisOrder is the reverse post-order of the blocks.
	AnalysisOrder Analyses = 1 << iota
	// AnalysisDominators is the dominator tree; it takes the order.
	AnalysisDominators
	// AnalysisLoops is the nest of natural loops; it takes the dominators.
	AnalysisLoops
	// AnalysisUses is the number of uses of each value.
	AnalysisUses
	// AnalysisLayout is the order in which blocks are emitted, in which each
	// loop is contiguous and has one latch. The pass diverge makes it.
	AnalysisLayout
	// AnalysisDivergence says which values differ by lane. The pass diverge makes it.
	AnalysisDivergence

	// ControlFlow is what depends on blocks and edges alone.
	ControlFlow = AnalysisOrder | AnalysisDominators | AnalysisLoops
)

var analysisNames = [...]string{"order", "dominators", "loops", "uses", "layout", "divergence"}

// String returns the names, separated by commas; "none" for the empty set.
func (a Analyses) String() string {
	var names []string
	for i, n := range analysisNames {
		if a>>i&1 != 0 {
			names = append(names, n)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ",")
}

// Need finds what is asked for and not known any more. Layout and divergence
// cannot be asked for: they are the work of a pass.
func (f *Func) Need(a Analyses) {
	if a&AnalysisLoops != 0 {
		a |= AnalysisDominators
	}
	if a&AnalysisDominators != 0 {
		a |= AnalysisOrder
	}
	missing := a &^ f.Valid
	if missing&AnalysisOrder != 0 {
		f.reversePostOrder()
	}
	if missing&AnalysisDominators != 0 {
		f.findDominators()
	}
	if missing&AnalysisLoops != 0 {
		f.Loops = f.findLoops()
	}
	if missing&AnalysisUses != 0 {
		f.countUses()
	}
	f.Valid |= missing
}

// CFGChanged says that blocks or edges are not what they were. Whoever changes
// them calls it.
func (f *Func) CFGChanged() { f.Valid &= AnalysisUses }

// CheckAnalyses finds again what counts as known, and says what was wrong.
func (f *Func) CheckAnalyses() error {
	type known struct {
		there     bool
		rpo       int
		idom      *Block
		in, out   int32
		head      *Block
		depth     int
		order     int
		uses      []int
		loopCount int
	}
	valid := f.Valid
	if valid&(ControlFlow|AnalysisUses) == 0 {
		return nil
	}
	uses := func(b *Block) (n []int) {
		if valid&AnalysisUses == 0 {
			return nil
		}
		for _, v := range b.Phis {
			n = append(n, int(v.Uses))
		}
		for _, v := range b.Insts {
			n = append(n, int(v.Uses))
		}
		return n
	}
	was := make([]known, f.NumBlocks) // by id
	all := len(f.Blocks)
	for i, b := range f.Blocks {
		k := known{there: true, rpo: b.RPO, idom: b.IDom, in: b.DomIn, out: b.domOut, order: i}
		if b.Loop != nil {
			k.head, k.depth, k.loopCount = b.Loop.Head, b.Loop.Depth, len(b.Loop.Own)
		}
		k.uses = uses(b)
		was[b.ID] = k
	}
	f.Valid = 0
	f.Need(valid & (ControlFlow | AnalysisUses))
	f.Valid = valid
	for i, b := range f.Blocks {
		k := was[b.ID]
		switch {
		case !k.there:
			return fmt.Errorf("block b%d is new in the analyses", b.ID)
		case valid&AnalysisOrder != 0 && (k.rpo != b.RPO || k.order != i):
			return fmt.Errorf("block b%d is number %d in reverse post-order and was taken for number %d", b.ID, b.RPO, k.rpo)
		case valid&AnalysisDominators != 0 && (k.idom != b.IDom || k.in != b.DomIn || k.out != b.domOut):
			return fmt.Errorf("block b%d has another place in the dominator tree than was known", b.ID)
		case valid&AnalysisLoops != 0 && (k.head == nil) != (b.Loop == nil),
			valid&AnalysisLoops != 0 && b.Loop != nil && (k.head != b.Loop.Head || k.depth != b.Loop.Depth || k.loopCount != len(b.Loop.Own)):
			return fmt.Errorf("block b%d is in another loop than was known", b.ID)
		case valid&AnalysisUses != 0:
			for j, n := range uses(b) {
				if n != k.uses[j] {
					return fmt.Errorf("block b%d: a value has %d uses, and %d were known", b.ID, n, k.uses[j])
				}
			}
		}
	}
	if valid&AnalysisOrder != 0 && all != len(f.Blocks) {
		return fmt.Errorf("%d blocks are left of %d in reverse post-order", len(f.Blocks), all)
	}
	return nil
}
