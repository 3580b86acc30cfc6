package opt

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// manyMarks stands for any larger number of outstanding marks. Counters of the
// hardware have six bits.
const manyMarks = 1 << 6

// AsyncWaits drops the waits that have nothing to wait for: those whose count
// is at least the number of marks that can be outstanding in their sequence,
// whatever way led there (AMDGPU Asynchronous Operations, "Optimization", 2).
func AsyncWaits(f *ssa.Func) {
	if f.KeepMarks {
		return
	}
	m := newMarkFlow(f)
	if m == nil {
		return
	}
	drop := map[*ssa.Value]bool{}
	for seq := range m.ops {
		if !m.begin(seq) || !m.countMarks(seq, seq == 0) {
			break
		}
		for _, l := range m.ops[seq] {
			n := m.at(l.blk)
			for _, v := range l.ops {
				if v.Op == isa.OpAsyncWait && n >= 0 && n <= int(v.Scale) {
					drop[v] = true
				}
				n = outstanding(n, v)
			}
		}
	}
	m.f.Drop(drop)
}

// outstanding returns the most marks that may be outstanding behind v when n may
// be ahead of it; -1 says that nothing leads there from a scope.
func outstanding(n int, v *ssa.Value) int {
	switch {
	case v.Op == isa.OpAsyncScope:
		return 0
	case n < 0:
		return n
	case v.Op == isa.OpAsyncMark:
		return min(n+1, manyMarks)
	}
	return min(n, int(v.Scale))
}

// at returns what is known of the marks outstanding at the start of b.
func (m *markFlow) at(b *ssa.Block) int {
	if m.known[b.RPO] != m.stamp {
		return -1
	}
	return m.count[b.RPO]
}

// countMarks finds the most marks that may be outstanding at the start of each
// block from which a wait can be reached: forwards from the scopes, and from the
// start of the kernel for the sequence of its own body. It says false when there
// is no time left for that.
func (m *markFlow) countMarks(seq int, kernel bool) bool {
	ops := make(map[*ssa.Block][]*ssa.Value, len(m.ops[seq]))
	m.work = m.work[:0]
	raise := func(b *ssa.Block, n int) {
		if n > m.at(b) {
			m.known[b.RPO], m.count[b.RPO] = m.stamp, n
			m.work = append(m.work, b)
		}
	}
	for _, l := range m.ops[seq] {
		ops[l.blk] = l.ops
		m.work = append(m.work, l.blk)
	}
	if kernel {
		raise(m.f.Blocks[0], 0)
	}
	for len(m.work) > 0 && m.steps <= maxMarkSteps {
		b := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		n := m.at(b)
		for _, v := range ops[b] {
			n = outstanding(n, v)
		}
		if n < 0 || m.ahead[b.RPO] != m.stamp {
			continue
		}
		m.steps += len(b.Succs)
		for _, s := range b.Succs {
			raise(s, n)
		}
	}
	return m.steps <= maxMarkSteps
}
