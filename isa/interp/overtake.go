package interp

import (
	"github.com/lockstep-gpu/lockstep/isa"
)

// Lanes that got their packets wait for those that did not, so that all come
// together again. Where no other lanes can go on, they have to go ahead: perhaps they
// write what the others wait for. What kernels can see of that must not depend on
// how many sub-groups are in a wave, nor must an operation of a sub-group be
// done by a part of it only because packets came one by one. So whole sub-groups
// go first, as they would in waves of their own; then parts of sub-groups, up to
// what the lanes of a sub-group do together.

// overtaking says who may overtake lanes that wait at pipes.
type overtaking uint8

// From one to the next, more may; the next is taken where the last leaves no lanes.
const (
	overtakeWhole overtaking = 1 + iota // sub-groups of which no lane waits
	overtakePart                        // parts, as far as no operation across lanes
	overtakeFar                         // parts, as far as no operation of the whole sub-group
)

// together says whether lanes of a sub-group do something together in a block.
type together uint8

const (
	togetherActive together = 1 + iota // those that run it
	togetherAll                        // all of them: nothing else is defined
)

// togetherOf returns what the lanes of a sub-group do together in a block.
func (c *compiledKernel) togetherOf(b isa.Block) (t together) {
	k := c.kernel
	for pc := b.Start; pc < b.End-1; pc++ {
		switch in := &k.Code[pc]; in.Op {
		case isa.OpShuffle, isa.OpShuffle2, isa.OpBallot, isa.OpVote, isa.OpElect, isa.OpBroadcastFirst, isa.OpScan, isa.OpMatch:
			t = max(t, togetherActive)
			if in.Flags&isa.FlagUniform != 0 {
				t = togetherAll
			}
		case isa.OpBlockLoad, isa.OpBlockStore, isa.OpImageBlockRead, isa.OpImageBlockWrite:
			t = togetherAll
		case isa.OpPipe:
			if k.PipeAccesses[in.Imm].Scope == isa.ScopeSubgroup {
				t = togetherAll
			}
		}
	}
	return t
}

// Overtake says whether lanes could go on without those that wait at pipes, and
// lets them.
func (w *wave) Overtake() bool {
	if w.piped() == 0 {
		return false
	}
	if w.running {
		return true
	}
	s := w.pipes
	for n := range w.code.waits {
		for k, m := range s.parked[n*w.words:][:len(w.exec)] {
			s.over[k] |= m
		}
	}
	w.setLate()
	for s.level = overtakeWhole; s.level <= overtakeFar; s.level++ {
		for b := lowest(w.waiting, 0, len(w.blocks)); b < len(w.blocks); b = lowest(w.waiting, b+1, len(w.blocks)) {
			if w.admit(b) {
				w.Choosy, w.MinWait = true, 0
				return true
			}
		}
	}
	s.level = overtakeFar
	if !w.Choosy {
		clear(s.over)
		w.setLate()
	}
	return false
}

// setLate works out what follows from the lanes that are overtaken.
func (w *wave) setLate() {
	s := w.pipes
	s.overtake = false
	for k, m := range s.over[:len(w.exec)] {
		s.late[k] = m
		s.overtake = s.overtake || m != 0
	}
	w.wholeSubgroups(s.late[:len(w.exec)])
}

// wholeSubgroups adds to a set of lanes all of their sub-groups.
func (w *wave) wholeSubgroups(set []uint64) {
	n := w.subgroup()
	if n < maxSubgroup {
		for k, m := range set {
			if m != 0 {
				set[k] = anyOf(m, n)
			}
		}
		return
	}
	for k := 0; k < len(set); k += 2 {
		pair := set[k:min(k+2, len(set))]
		any := uint64(0)
		for _, m := range pair {
			any |= m
		}
		for i := range pair {
			pair[i] = -b2u(any != 0)
		}
	}
}

// admit makes those lanes the running ones that wait at block b and may go on while
// others are overtaken. It says whether there are any.
func (w *wave) admit(b int) bool {
	s, q, t := w.pipes, w.waitAt(b), w.blocks[b].together
	if t == togetherActive && s.level == overtakeFar {
		t = 0
	}
	if t != 0 {
		for k, m := range q {
			s.absent[k] = w.live[k] &^ m
		}
		w.wholeSubgroups(s.absent[:len(q)])
	}
	any := uint64(0)
	for k, m := range q {
		if t != 0 {
			m &^= s.absent[k] & (s.late[k] | s.skew[k])
		}
		if s.level == overtakeWhole {
			m &^= s.late[k] &^ s.over[k]
		}
		w.exec[k] = m
		any |= m
	}
	return any != 0
}

// choose is pick while lanes are overtaken, or have been and their sub-groups have
// not come together again.
func (w *wave) choose() bool {
	s, nb := w.pipes, len(w.blocks)
	b := lowest(w.waiting, 0, nb)
	for b < nb && !w.admit(b) {
		b = lowest(w.waiting, b+1, nb)
	}
	if b == nb {
		b = lowest(w.waiting, 0, nb)
		if b == nb || s.nparked != 0 {
			return false
		}
		// Nobody can be waited for.
		copy(w.exec, w.waitAt(b))
	}
	left := uint64(0)
	for k, m := range w.exec {
		q := &w.wait[b*w.words+k]
		*q &^= m
		left |= *q
		s.absent[k] = w.live[k] &^ m
		s.skew[k] |= m & s.late[k] &^ s.over[k]
	}
	if left == 0 {
		w.waiting[b/64] &^= 1 << (b % 64)
	}
	// Sub-groups of which all lanes are here have come together.
	w.wholeSubgroups(s.absent[:len(w.exec)])
	w.wholeSubgroups(s.skew[:len(w.exec)])
	skew := uint64(0)
	for k, m := range w.exec {
		s.skew[k] &= w.live[k] &^ (m &^ s.absent[k])
		skew |= s.skew[k]
	}
	w.Cur = b
	w.setExec()
	if w.Choosy = s.overtake || skew != 0; !w.Choosy {
		w.MinWait = lowest(w.waiting, 0, nb)
	}
	return true
}
