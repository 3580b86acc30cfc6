package interp

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// termKind is the kind of a terminator.
type termKind uint8

const (
	termBr         termKind = iota
	termCondScalar          // the condition is the same for all lanes
	termCond
	termSwitchScalar
	termSwitch
	termBarrier
	termWait // for a pipe
	termRet
	termTrap
)

// terminator is the decoded end of a block.
type terminator struct {
	kind   termKind
	t0, t1 int
	a      uint32 // condition or selector
	size   isa.Bank
	table  *switchTable
	pc     int
	imm    uint32
	// Of a termWait: its number among code.waits, and whether the condition is scalar.
	wait    int
	uniform bool
}

// switchTable is a switch made ready: a list to search, or, for values that lie
// close together, the targets by value.
type switchTable struct {
	values  []uint64
	targets []int
	other   int
	base    uint64
	direct  []int
}

const maxDirect = 1 << 10

func newSwitchTable(t *isa.SwitchTable) switchTable {
	s := switchTable{values: t.Values, targets: t.Targets, other: t.Default}
	n := len(t.Values)
	if n == 0 || t.Values[n-1]-t.Values[0] >= maxDirect {
		return s
	}
	s.base = t.Values[0]
	s.direct = make([]int, t.Values[n-1]-s.base+1)
	for i := range s.direct {
		s.direct[i] = t.Default
	}
	for i, v := range t.Values {
		s.direct[v-s.base] = t.Targets[i]
	}
	return s
}

// target returns the block for a value.
func (s *switchTable) target(v uint64) int {
	if s.direct != nil {
		if v -= s.base; v < uint64(len(s.direct)) {
			return s.direct[v]
		}
		return s.other
	}
	if i, ok := slices.BinarySearch(s.values, v); ok {
		return s.targets[i]
	}
	return s.other
}

// Run goes on until the wave stops.
func (w *wave) Run(quantum int) engine.Stop {
	switch {
	case w.faulted:
		return engine.StopFault
	case w.piped() != 0 && !w.debug.within:
		w.retry()
	case !w.running && !w.pick():
		return w.idle()
	}
	switch {
	case w.group.Debug != nil:
		return w.runDebug(quantum)
	case w.native != nil:
		return w.runNative(quantum)
	case w.waits:
		return w.runLater(quantum)
	}
	stop, _ := w.interpret(quantum)
	return stop
}

// interpret goes on until the wave stops. After stopEnough, left is what is left of the quantum.
func (w *wave) interpret(quantum int) (stop engine.Stop, left int) {
	budget := quantum
	if budget <= 0 {
		budget = math.MaxInt
	}
	cancel, counted := w.group.Launch.Cancel, w.group.Launch.Portable
	for {
		b := &w.blocks[w.Cur]
		if counted != nil {
			for pc := w.code.kernel.Blocks[w.Cur].Start; pc < w.code.kernel.Blocks[w.Cur].End; pc++ {
				counted.Add(pc, w.Active)
			}
		}
		w.count(b)
		body := b.body
		for i := range body {
			in := &body[i]
			in.fn(w, in)
			if w.faulted {
				w.uncount(w.fault.PC)
				return engine.StopFault, 0
			}
		}
		from := w.Cur
		ok := w.leave(&b.end)
		if w.faulted {
			return engine.StopFault, 0
		}
		if !ok {
			w.running = false
			return w.idle(), 0
		}
		if w.Cur <= from {
			if cancel != nil && cancel.Load() {
				w.running = true
				return engine.StopCancelled, 0
			}
			if budget--; budget == 0 || w.pipes != nil && w.pipes.gaveNothing() {
				w.running = true
				return engine.StopQuantum, 0
			}
			if w.Counts.Instructions >= w.enough {
				w.running = true
				return stopEnough, min(budget, quantum)
			}
		}
	}
}

// count counts what entering a block counts.
func (w *wave) count(b *block) {
	active := uint64(w.Active)
	w.Counts.Blocks++
	w.Counts.Instructions += b.Count
	w.Counts.LaneOps += b.Count * active
	w.Counts.Loads += b.Loads * active
	w.Counts.Stores += b.Stores * active
	w.Counts.Atomics += b.Atomics * active
}

// leave does a block's terminator. It says whether lanes can run now.
func (w *wave) leave(t *terminator) bool {
	switch t.kind {
	case termBr:
		return w.advance(t.t0)
	case termCondScalar:
		if w.s[t.a]&1 != 0 {
			return w.advance(t.t0)
		}
		return w.advance(t.t1)
	case termCond:
		return w.branch(t)
	case termSwitchScalar:
		return w.advance(t.table.target(w.s[t.a]))
	case termSwitch:
		return w.split(t)
	case termBarrier:
		return w.park(t)
	case termWait:
		return w.waitPipe(t)
	case termRet:
		if w.Active == w.Alive {
			w.end()
			return false
		}
		for k, m := range w.exec {
			w.live[k] &^= m
		}
		w.Alive -= w.Active
		if w.subParked != 0 {
			w.openSubgroups()
		}
		return w.pick()
	}
	w.trap(t)
	return false
}

// idle says why no lane can run.
func (w *wave) idle() engine.Stop {
	switch {
	case w.Alive == 0:
		return engine.StopDone
	case w.piped() != 0:
		return engine.StopPipe
	}
	return engine.StopBarrier
}

// uncount takes back what entering the current block counted for the
// instructions behind pc.
func (w *wave) uncount(pc int) {
	k := w.code.kernel
	active := uint64(w.Active)
	for i := pc + 1; i < k.Blocks[w.Cur].End; i++ {
		w.Counts.Instructions--
		w.Counts.LaneOps -= active
		switch k.Code[i].Op {
		case isa.OpLoad, isa.OpBlockLoad:
			w.Counts.Loads -= active
		case isa.OpStore, isa.OpBlockStore:
			w.Counts.Stores -= active
		case isa.OpMemCopy:
			w.Counts.Loads -= active
			w.Counts.Stores -= active
		case isa.OpAtomic:
			w.Counts.Atomics -= active
		}
	}
}

// advance takes all running lanes to block t. It says whether any lane can
// run, which is always so.
func (w *wave) advance(t int) bool {
	if t < w.MinWait {
		w.Cur = t
		return true
	}
	w.enqueue(t, w.exec)
	return w.pick()
}

// waitAt returns the mask of lanes that wait to enter block b.
func (w *wave) waitAt(b int) []uint64 { return w.wait[b*w.words:][:len(w.exec)] }

// enqueue lets lanes wait at block b.
func (w *wave) enqueue(b int, lanes []uint64) {
	q := w.waitAt(b)
	for k, m := range lanes {
		q[k] |= m
	}
	w.mark(b)
}

// mark enters block b into the set of blocks with waiting lanes.
func (w *wave) mark(b int) {
	w.waiting[b/64] |= 1 << (b % 64)
	w.MinWait = min(w.MinWait, b)
}

// pick makes the lanes run that wait at the lowest block. It says whether there were any.
func (w *wave) pick() bool {
	if w.Choosy {
		return w.choose()
	}
	b := w.MinWait
	if b == len(w.blocks) {
		return false
	}
	q := w.waitAt(b)
	copy(w.exec, q)
	clear(q)
	w.waiting[b/64] &^= 1 << (b % 64)
	w.MinWait = lowest(w.waiting, b, len(w.blocks))
	w.Cur = b
	w.setExec()
	return true
}

// branch ends a block whose lanes may part.
func (w *wave) branch(t *terminator) bool {
	yes := w.tmp
	var any0, any1 uint64
	for k, m := range w.exec {
		y := *(*uint64)(unsafe.Add(w.chunk(k), t.a)) & m
		yes[k] = y
		any0 |= y
		any1 |= y ^ m
	}
	switch {
	case any1 == 0 || t.t0 == t.t1:
		return w.advance(t.t0)
	case any0 == 0:
		return w.advance(t.t1)
	}
	// The lanes for the higher block wait; the others may go on at once.
	low, high := t.t0, t.t1
	if low > high {
		low, high = high, low
		for k, m := range w.exec {
			yes[k] ^= m
		}
	}
	q := w.waitAt(high)
	for k, m := range w.exec {
		q[k] |= m &^ yes[k]
	}
	w.mark(high)
	if low < w.MinWait {
		copy(w.exec, yes)
		w.setExec()
		w.Cur = low
		return true
	}
	w.enqueue(low, yes)
	return w.pick()
}

// split ends a block with a switch over a vector.
func (w *wave) split(t *terminator) bool {
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			p := unsafe.Add(w.chunk(k), t.a)
			var v uint64
			switch t.size {
			case isa.Bank8:
				v = uint64((*[64]uint8)(p)[i])
			case isa.Bank16:
				v = uint64((*[64]uint16)(p)[i])
			case isa.Bank32:
				v = uint64((*[64]uint32)(p)[i])
			default:
				v = (*[64]uint64)(p)[i]
			}
			b := t.table.target(v)
			w.wait[b*w.words+k] |= 1 << i
			w.mark(b)
		}
	}
	return w.pick()
}

// park ends a block with a barrier.
func (w *wave) park(t *terminator) bool {
	w.Counts.Barriers++
	n := w.code.barrier[w.Cur]
	if w.Active == w.Alive && isa.Scope(t.imm) != isa.ScopeSubgroup && w.pipes == nil && w.group.Debug == nil {
		w.nparked[n], w.allParked, w.gathered = w.Active, w.Active, n+1
		return false
	}
	p := w.parkedAt(n)
	for k, m := range w.exec {
		p[k] |= m
	}
	w.nparked[n] += w.Active
	w.allParked += w.Active
	if isa.Scope(t.imm) == isa.ScopeSubgroup {
		w.subParked += w.Active
		w.openSubgroups()
	}
	return w.pick()
}

// spread enters lanes that have all come to one barrier into the lists of those that wait there.
func (w *wave) spread() {
	if w.gathered != 0 {
		copy(w.parkedAt(w.gathered-1), w.exec)
		w.gathered = 0
	}
}

func (w *wave) parkedAt(n int) []uint64 { return w.parked[n*w.words:][:len(w.exec)] }

// openSubgroups lets the lanes of each sub-group go on whose live lanes have
// all arrived at one sub-group barrier.
func (w *wave) openSubgroups() {
	size, opened := w.group.Launch.SubgroupSize, false
	for n, b := range w.code.barriers {
		t := &w.blocks[b].end
		if isa.Scope(t.imm) != isa.ScopeSubgroup || w.nparked[n] == 0 {
			continue
		}
		p := w.parkedAt(n)
		for first := 0; first < w.lanes; first += size {
			arrived, missing := 0, false
			each(first, min(first+size, w.lanes), func(k int, m uint64) {
				arrived += bits.OnesCount64(p[k] & m)
				missing = missing || w.live[k]&^p[k]&m != 0
			})
			if arrived == 0 || missing {
				continue
			}
			q := w.waitAt(t.t0)
			each(first, min(first+size, w.lanes), func(k int, m uint64) {
				q[k] |= p[k] & m
				p[k] &^= m
			})
			if r := w.group.Races; r != nil {
				r.SubgroupBarrier(w.first+first, w.first+min(first+size, w.lanes),
					func(item int) bool { i := item - w.first; return w.live[i/64]>>(i%64)&1 != 0 }, w.code.kernel.Code[t.pc].Order())
			}
			if m := w.group.Weak; m != nil {
				m.SubgroupBarrier(w.first+first, w.first+min(first+size, w.lanes),
					func(item int) bool { i := item - w.first; return w.live[i/64]>>(i%64)&1 != 0 }, w.code.kernel.Code[t.pc].Order())
			}
			w.mark(t.t0)
			w.nparked[n] -= arrived
			w.allParked -= arrived
			w.subParked -= arrived
			opened = true
		}
	}
	if u := w.group.DMA; opened && u != nil && w.onlySubgroup() {
		u.Barrier(w.group.Turn + w.Counts.Instructions)
	}
}

// onlySubgroup says whether the group has no other sub-group than the first.
func (w *wave) onlySubgroup() bool {
	s := w.group.Size
	return uint64(s[0])*uint64(s[1])*uint64(s[2]) <= uint64(w.group.Launch.SubgroupSize)
}

// each calls f for the words that hold lanes [lo, hi), with the mask of these lanes.
func each(lo, hi int, f func(k int, m uint64)) {
	for k := lo / 64; k*64 < hi; k++ {
		m := full
		if lo > k*64 {
			m <<= lo - k*64
		}
		if hi < (k+1)*64 {
			m &= 1<<(hi-k*64) - 1
		}
		f(k, m)
	}
}

// Parking calls f for each barrier at which lanes wait.
func (w *wave) Parking(f func(pc int, lanes []int)) {
	w.spread()
	var lanes []int
	report := func(pc int, set []uint64) {
		lanes = lanes[:0]
		for k, m := range set {
			for ; m != 0; m &= m - 1 {
				lanes = append(lanes, w.first+k*64+bits.TrailingZeros64(m))
			}
		}
		f(pc, lanes)
	}
	if w.back.n > 0 {
		report(w.back.pc, w.back.lanes)
	}
	for n, b := range w.code.barriers {
		if w.nparked[n] > 0 {
			report(w.blocks[b].end.pc, w.parkedAt(n))
		}
	}
}

// Open lets the lanes that wait at barriers go on.
func (w *wave) Open() {
	w.settle()
	if w.gathered != 0 {
		n := w.gathered - 1
		w.nparked[n], w.allParked, w.gathered = 0, 0, 0
		w.Cur, w.running = w.blocks[w.code.barriers[n]].end.t0, true
		return
	}
	for n, b := range w.code.barriers {
		if w.nparked[n] == 0 {
			continue
		}
		p := w.parkedAt(n)
		w.enqueue(w.blocks[b].end.t0, p)
		clear(p)
		w.nparked[n] = 0
	}
	w.allParked, w.subParked = 0, 0
}

// trap ends the wave at an instruction that must not be reached.
func (w *wave) trap(t *terminator) {
	f := engine.Fault{Code: finding.Unreachable, PC: t.pc}
	if isa.TrapKind(t.imm) == isa.TrapAbort {
		f.Code = finding.Aborted
	}
	w.fail(f, w.exec)
}

// fail ends the wave; lanes are those that faulted, at least one.
func (w *wave) fail(f engine.Fault, lanes []uint64) {
	f.Lane = -1
	for k, m := range lanes {
		if m != 0 && f.Lane < 0 {
			f.Lane = w.first + k*64 + bits.TrailingZeros64(m)
		}
		f.Lanes += bits.OnesCount64(m)
	}
	w.fault = f
	w.faulted = true
}
