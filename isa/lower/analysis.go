package lower

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

// need finds what is asked for and not known any more. Layout and divergence
// cannot be asked for: they are the work of a pass.
func (f *fn) need(a Analyses) {
	if a&AnalysisLoops != 0 {
		a |= AnalysisDominators
	}
	if a&AnalysisDominators != 0 {
		a |= AnalysisOrder
	}
	missing := a &^ f.valid
	if missing&AnalysisOrder != 0 {
		f.reversePostOrder()
	}
	if missing&AnalysisDominators != 0 {
		f.dominators()
	}
	if missing&AnalysisLoops != 0 {
		f.nest = f.loops()
	}
	if missing&AnalysisUses != 0 {
		f.countUses()
	}
	f.valid |= missing
}

// cfgChanged says that blocks or edges are not what they were. Whoever changes
// them calls it.
func (f *fn) cfgChanged() { f.valid &= AnalysisUses }

// checkAnalyses finds again what counts as known, and says what was wrong.
func (f *fn) checkAnalyses() error {
	type known struct {
		there     bool
		rpo       int
		idom      *block
		in, out   int32
		head      *block
		depth     int
		order     int
		uses      []int
		loopCount int
	}
	valid := f.valid
	if valid&(ControlFlow|AnalysisUses) == 0 {
		return nil
	}
	uses := func(b *block) (n []int) {
		if valid&AnalysisUses == 0 {
			return nil
		}
		for _, v := range b.phis {
			n = append(n, int(v.uses))
		}
		for _, v := range b.insts {
			n = append(n, int(v.uses))
		}
		return n
	}
	was := make([]known, f.nblks) // by id
	all := len(f.blocks)
	for i, b := range f.blocks {
		k := known{there: true, rpo: b.rpo, idom: b.idom, in: b.domIn, out: b.domOut, order: i}
		if b.loop != nil {
			k.head, k.depth, k.loopCount = b.loop.head, b.loop.depth, len(b.loop.own)
		}
		k.uses = uses(b)
		was[b.id] = k
	}
	f.valid = 0
	f.need(valid & (ControlFlow | AnalysisUses))
	f.valid = valid
	for i, b := range f.blocks {
		k := was[b.id]
		switch {
		case !k.there:
			return fmt.Errorf("block b%d is new in the analyses", b.id)
		case valid&AnalysisOrder != 0 && (k.rpo != b.rpo || k.order != i):
			return fmt.Errorf("block b%d is number %d in reverse post-order and was taken for number %d", b.id, b.rpo, k.rpo)
		case valid&AnalysisDominators != 0 && (k.idom != b.idom || k.in != b.domIn || k.out != b.domOut):
			return fmt.Errorf("block b%d has another place in the dominator tree than was known", b.id)
		case valid&AnalysisLoops != 0 && (k.head == nil) != (b.loop == nil),
			valid&AnalysisLoops != 0 && b.loop != nil && (k.head != b.loop.head || k.depth != b.loop.depth || k.loopCount != len(b.loop.own)):
			return fmt.Errorf("block b%d is in another loop than was known", b.id)
		case valid&AnalysisUses != 0:
			for j, n := range uses(b) {
				if n != k.uses[j] {
					return fmt.Errorf("block b%d: a value has %d uses, and %d were known", b.id, n, k.uses[j])
				}
			}
		}
	}
	if valid&AnalysisOrder != 0 && all != len(f.blocks) {
		return fmt.Errorf("%d blocks are left of %d in reverse post-order", len(f.blocks), all)
	}
	return nil
}
