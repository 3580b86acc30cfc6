package scheduler

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// A group whose waves come back to a state in which they have been, while all memory is what it was, goes on like that for
// ever: nothing else decides what it does, as groups run one after the other in launches that are looked at for this.
// The states of all turns are compared with that of one turn, which is taken anew after twice as many (Brent, An improved
// Monte Carlo factorization algorithm, BIT 1980). Registers and control are compared by a quick sum first; where that
// comes again, all of the state with private, local and global memory by a cryptographic one, twice.

// endless looks for loops without progress in the group that runs.
type endless struct {
	turns, power uint64 // how many there were, and at which the state is taken next
	quick        uint64
	first        [sha256.Size]byte
	found        int // how often quick came again
}

const (
	fewestTurns = 16 // before which nothing is looked for
	// watchQuantum is that of a wave which has no turns to take with others.
	watchQuantum = 128
	watchShare   = 8 // which part of the turns between two states are compared with the first
)

// watched says whether the launch is looked at for loops without progress: nothing but memory and the waves decides what
// they do, and their turns have an order that depends on nothing else.
func (w *worker) watched() bool {
	return w.Check && w.opt.Races != nil && !w.opt.HostWrites && !w.clocked && w.set == nil && !w.Kernel.UsesPrintf && !w.Kernel.UsesPipes &&
		!w.Kernel.UsesAsync && (w.opt.Order != Seeded || w.n == 1)
}

// stuck says whether the group makes no progress, at the end of a turn of all its waves.
func (w *worker) stuck() bool {
	e := &w.endless
	if e.turns++; e.turns < fewestTurns || !w.watched() {
		return false
	}
	if e.power == 0 {
		e.power = fewestTurns
	}
	if taken := e.power / 2; e.turns != e.power && (e.found < 0 || e.turns > taken+max(taken/watchShare, fewestTurns/2)) {
		return false
	}
	q, ok := w.quickState()
	switch {
	case !ok:
		e.power = ^uint64(0)
	case e.turns == e.power:
		e.quick, e.found = q, 0
		e.power *= 2
	case q != e.quick:
	case e.found == 0:
		e.first, e.found = w.wholeState(), 1
	case w.wholeState() == e.first:
		return true
	default:
		e.found = -1 // others write: this state is not that of all memory
	}
	return false
}

// quickState returns a sum of the waves' registers and control.
func (w *worker) quickState() (sum uint64, ok bool) {
	const prime = 0x9e3779b97f4a7c15
	sum, ok = prime, true
	for i := range w.waves[:w.n] {
		v := &w.waves[i]
		s, is := v.Wave.(engine.Stater)
		ok = ok && is && s.State(func(words []uint64) {
			for _, x := range words {
				sum = bits.RotateLeft64(sum^x, 29) * prime
			}
		})
	}
	return sum, ok
}

// wholeState returns a sum of the waves' states and of all memory.
func (w *worker) wholeState() (sum [sha256.Size]byte) {
	h := sha256.New()
	number := func(n uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, n)) }
	for i := range w.waves[:w.n] {
		v := &w.waves[i]
		number(uint64(v.state))
		v.Wave.(engine.Stater).State(func(words []uint64) { writeWords(h, words) })
	}
	region := func(r *memory.Region) {
		number(r.Size)
		h.Write(r.Data)
	}
	if w.lds != nil {
		for n := uint32(1); ; n++ {
			r := w.lds.Lookup(n)
			if r == nil {
				break
			}
			region(r)
		}
	}
	w.Memory.Each(func(_ uint32, r *memory.Region) { region(r) })
	h.Sum(sum[:0])
	return sum
}

// writeWords adds words to a sum.
func writeWords(h hash.Hash, words []uint64) {
	var buf [512]byte
	for len(words) > 0 {
		n := min(len(words), len(buf)/8)
		for i, x := range words[:n] {
			binary.LittleEndian.PutUint64(buf[8*i:], x)
		}
		h.Write(buf[:8*n])
		words = words[n:]
	}
}

// noProgress ends the group with a finding.
func (w *worker) noProgress() {
	w.faulted = true
	at := w.whoWaits()
	pc, lane, lanes := 0, 0, 0
	list := at.running
	if len(list) == 0 {
		list = at.waiting // they go from one barrier to the next
	}
	for i, r := range list {
		if i == 0 {
			pc, lane = max(r.PC, 0), int(r.Items[0][0])
		}
		lanes += int(r.Items.Len())
	}
	e := w.faults.add(w.pos, finding.NoProgress, pc, max(lanes, 1), -1)
	if e == nil {
		return
	}
	e.Fault = engine.Fault{Code: finding.NoProgress, PC: pc, Lane: lane, Lanes: lanes}
	e.Group = w.name()
	e.Waiting, e.Ended, e.Running = at.waiting, at.ended, at.running
}
