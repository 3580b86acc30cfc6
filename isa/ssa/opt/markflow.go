package opt

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// markFlow follows the sequences of async marks, one after the other, through
// the blocks of a kernel (asyncmarks.go, asyncwaits.go). An OpAsyncScope, which
// empties its sequence, ends the way backwards and begins the one forwards, so
// that a sequence costs what its body and the bodies it calls have blocks.
type markFlow struct {
	f     *ssa.Func
	ops   [][]blockMarks // of each sequence, by body
	steps int            // edges walked
	work  []*ssa.Block

	// By rpo, for the sequence whose stamp they hold.
	stamp int
	ahead []int // a wait may come behind the block's end, ahead of the next scope
	known []int // count is that of this sequence
	count []int // most marks that may be outstanding at the block's start
}

// blockMarks are the operations of a sequence in one block, in order.
type blockMarks struct {
	blk *ssa.Block
	ops []*ssa.Value
}

// maxMarkSteps bounds the edges that one pass walks for all sequences. The
// sequences that remain then are left as they are: no elimination is needed
// for anything.
const maxMarkSteps = 1 << 24

// newMarkFlow gathers the kernel's sequences; nil when it has none.
func newMarkFlow(f *ssa.Func) *markFlow {
	var ops [][]blockMarks
	for _, blk := range f.Blocks {
		for _, v := range blk.Insts {
			switch v.Op {
			case isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait:
			default:
				continue
			}
			if ops == nil {
				ops = make([][]blockMarks, f.Inlined)
			}
			l := ops[v.Index]
			if len(l) == 0 || l[len(l)-1].blk != blk {
				l = append(l, blockMarks{blk: blk})
			}
			l[len(l)-1].ops = append(l[len(l)-1].ops, v)
			ops[v.Index] = l
		}
	}
	if ops == nil {
		return nil
	}
	f.Need(ssa.AnalysisOrder)
	n := len(f.Blocks)
	return &markFlow{f: f, ops: ops, ahead: make([]int, n), known: make([]int, n), count: make([]int, n)}
}

// begin takes up a sequence: it finds the blocks behind whose end a wait may
// come. It says false when there is no time left for that.
func (m *markFlow) begin(seq int) bool {
	m.stamp++
	m.work = m.work[:0]
	back := func(b *ssa.Block) {
		m.steps += len(b.Preds)
		for _, p := range b.Preds {
			if m.ahead[p.RPO] != m.stamp {
				m.ahead[p.RPO] = m.stamp
				m.work = append(m.work, p)
			}
		}
	}
	// Blocks with a wait or a scope do not pass on what lies behind them.
	decides := make(map[*ssa.Block]bool, len(m.ops[seq]))
	for _, l := range m.ops[seq] {
		for _, v := range l.ops {
			if v.Op == isa.OpAsyncMark {
				continue
			}
			decides[l.blk] = true
			if v.Op == isa.OpAsyncWait {
				back(l.blk)
			}
			break
		}
	}
	for len(m.work) > 0 && m.steps <= maxMarkSteps {
		b := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		if !decides[b] {
			back(b)
		}
	}
	return m.steps <= maxMarkSteps
}
