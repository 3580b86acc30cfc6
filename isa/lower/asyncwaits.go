package lower

import "github.com/lockstep-gpu/lockstep/isa"

// manyMarks stands for any larger number of outstanding marks. Counters of the
// hardware have six bits.
const manyMarks = 1 << 6

// asyncWaits drops the waits that have nothing to wait for: those whose count
// is at least the number of marks that can be outstanding in their sequence,
// whatever way led there (AMDGPU Asynchronous Operations, "Optimization", 2).
func asyncWaits(f *fn) {
	if f.keepMarks {
		return
	}
	m := newMarkFlow(f)
	if m == nil {
		return
	}
	drop := map[*value]bool{}
	for seq := range m.ops {
		if !m.begin(seq) || !m.countMarks(seq, seq == 0) {
			break
		}
		for _, l := range m.ops[seq] {
			n := m.at(l.blk)
			for _, v := range l.ops {
				if v.op == isa.OpAsyncWait && n >= 0 && n <= int(v.scale) {
					drop[v] = true
				}
				n = outstanding(n, v)
			}
		}
	}
	m.f.filter(drop)
}

// outstanding returns the most marks that may be outstanding behind v when n may
// be ahead of it; -1 says that nothing leads there from a scope.
func outstanding(n int, v *value) int {
	switch {
	case v.op == isa.OpAsyncScope:
		return 0
	case n < 0:
		return n
	case v.op == isa.OpAsyncMark:
		return min(n+1, manyMarks)
	}
	return min(n, int(v.scale))
}

// at returns what is known of the marks outstanding at the start of b.
func (m *markFlow) at(b *block) int {
	if m.known[b.rpo] != m.stamp {
		return -1
	}
	return m.count[b.rpo]
}

// countMarks finds the most marks that may be outstanding at the start of each
// block from which a wait can be reached: forwards from the scopes, and from the
// start of the kernel for the sequence of its own body. It says false when there
// is no time left for that.
func (m *markFlow) countMarks(seq int, kernel bool) bool {
	ops := make(map[*block][]*value, len(m.ops[seq]))
	m.work = m.work[:0]
	raise := func(b *block, n int) {
		if n > m.at(b) {
			m.known[b.rpo], m.count[b.rpo] = m.stamp, n
			m.work = append(m.work, b)
		}
	}
	for _, l := range m.ops[seq] {
		ops[l.blk] = l.ops
		m.work = append(m.work, l.blk)
	}
	if kernel {
		raise(m.f.blocks[0], 0)
	}
	for len(m.work) > 0 && m.steps <= maxMarkSteps {
		b := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		n := m.at(b)
		for _, v := range ops[b] {
			n = outstanding(n, v)
		}
		if n < 0 || m.ahead[b.rpo] != m.stamp {
			continue
		}
		m.steps += len(b.succs)
		for _, s := range b.succs {
			raise(s, n)
		}
	}
	return m.steps <= maxMarkSteps
}
