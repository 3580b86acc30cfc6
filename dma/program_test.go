package dma

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockstep-gpu/lockstep/memory"
)

// The tests in this file make random programs that are right, by a plain
// bookkeeping of who may touch which byte that shares nothing with the unit,
// and compare what the unit does with running everything in program order.

// step is what one wave does.
type step struct {
	run func(b *bed, now uint64) (stall uint64)
	// ref does the same at once, in program order; nil for nothing.
	ref func(b *bed)
}

// program is a list of phases with barriers between them. In a phase each wave
// does its own steps, and waves may take turns in any order.
type program struct {
	items, subgroup, waveItems int
	phases                     [][][]step // by phase and wave
	order                      [][]int    // of the waves in each phase
	refs                       []func(b *bed)
}

// byteState is what a program in the making knows of a byte.
type byteState struct {
	writes, reads     int // outstanding transfers
	readBy, writtenBy [8]bool
	copied            bool // by a group copy in this phase
}

// author makes a program.
type author struct {
	program
	rng    *rand.Rand
	bed    *bed
	bytes  map[memory.Pointer][]byteState // by start of the allocation
	phase  [][]step
	events []authorEvent
	slots  int // events made so far, by place in the run's list
	lanes  []authorLane
	marks  [][]authorMark // by work-item
	steps  int
}

// authorEvent is an event that is still to be waited for.
type authorEvent struct {
	slot   int // its place in bed.events
	copies []authorCopy
}

type authorCopy struct {
	dst, src memory.Pointer
	n        uint64
}

// authorLane is a work-item's outstanding lane copy.
type authorLane struct {
	item     int
	dst, src memory.Pointer
	n        uint64
	order    int
}

type authorMark struct{ seq, order int }

func (a *author) at(p memory.Pointer, n uint64) []byteState {
	return a.bytes[memory.MakePointer(p.Space(), p.Alloc(), 0)][p.Offset():][:n]
}

func (a *author) all(p memory.Pointer, n uint64, ok func(s *byteState) bool) bool {
	list := a.at(p, n)
	for i := range list {
		if !ok(&list[i]) {
			return false
		}
	}
	return true
}

func (a *author) each(p memory.Pointer, n uint64, f func(s *byteState)) {
	list := a.at(p, n)
	for i := range list {
		f(&list[i])
	}
}

func (a *author) place(allocs []memory.Pointer, n uint64) memory.Pointer {
	p := allocs[a.rng.IntN(len(allocs))]
	return p.Add(int64(a.rng.IntN(len(a.bytes[p]) - int(n))))
}

func (a *author) waves() int { return a.items / a.waveItems }

func (a *author) itemsOf(w int) Items { return some(w, w*a.waveItems, a.waveItems) }

// add appends a step of a wave.
func (a *author) add(w int, s step) {
	a.phase[w] = append(a.phase[w], s)
	if s.ref != nil {
		a.refs = append(a.refs, s.ref)
	}
	a.steps++
}

// groupCopy has all waves make a copy, if there is a place for it.
func (a *author) groupCopy() {
	n := uint64(1 + a.rng.IntN(120))
	global, local := []memory.Pointer{a.bed.in, a.bed.out}, []memory.Pointer{a.bed.tile, a.bed.tile2}
	dst, src := a.place(local, n), a.place(global, n)
	if a.rng.IntN(2) == 0 {
		dst, src = a.place(global, n), a.place(local, n)
	}
	free := func(s *byteState) bool {
		return s.writes == 0 && s.reads == 0 && s.readBy == [8]bool{} && s.writtenBy == [8]bool{}
	}
	source := func(s *byteState) bool { return s.writes == 0 && s.writtenBy == [8]bool{} }
	if !a.all(dst, n, free) || !a.all(src, n, source) {
		return
	}
	a.each(dst, n, func(s *byteState) { s.writes++; s.copied = true })
	a.each(src, n, func(s *byteState) { s.reads++; s.copied = true })
	c := linear(1000+a.steps, dst, src, n)
	if n%6 == 0 && a.rng.IntN(2) == 0 {
		c = args{argDst: uint64(dst), argSrc: uint64(src), argElems: n / 6, argLines: 3, argPlanes: 2, argDstLine: n / 6, argSrcLine: n / 6}.copy(c.PC, 3)
	}
	fresh := len(a.events) == 0 || a.rng.IntN(3) != 0
	i := len(a.events)
	if fresh {
		a.events = append(a.events, authorEvent{slot: a.slots})
		a.slots++
	} else {
		i = a.rng.IntN(i)
	}
	slot := a.events[i].slot
	a.events[i].copies = append(a.events[i].copies, authorCopy{dst, src, n})
	for w := range a.waves() {
		s := step{run: func(b *bed, now uint64) uint64 {
			var e uint64
			if !fresh {
				e = b.event(slot)
			}
			e, stall, f := b.GroupCopy(now, c, e, a.itemsOf(w))
			if f != nil {
				panic(f)
			}
			for len(b.events) <= slot {
				b.events = append(b.events, 0)
			}
			b.events[slot] = e
			return stall
		}}
		if w == 0 {
			s.ref = func(b *bed) {
				copy(b.data(dst)[dst.Offset():][:n], b.data(src)[src.Offset():][:n])
			}
		}
		a.add(w, s)
	}
}

// groupWait has all waves wait for an event.
func (a *author) groupWait() {
	if len(a.events) == 0 {
		return
	}
	i := a.rng.IntN(len(a.events))
	ev := a.events[i]
	a.events = append(a.events[:i], a.events[i+1:]...)
	for _, c := range ev.copies {
		a.each(c.dst, c.n, func(s *byteState) { s.writes-- })
		a.each(c.src, c.n, func(s *byteState) { s.reads-- })
	}
	pc := 1000 + a.steps
	for w := range a.waves() {
		a.add(w, step{run: func(b *bed, now uint64) uint64 { return b.GroupWait(now, pc, b.event(ev.slot), a.itemsOf(w)) }})
	}
}

// ownedBy says whether a byte of LDS is used by nobody but sub-group sub in this phase.
func ownedBy(s *byteState, sub int) bool {
	for i := range s.readBy {
		if i != sub && (s.readBy[i] || s.writtenBy[i]) {
			return false
		}
	}
	return !s.copied
}

// laneCopy has some items of a wave make a lane copy each.
func (a *author) laneCopy() {
	w := a.rng.IntN(a.waves())
	size := []uint64{1, 2, 4, 12, 16}[a.rng.IntN(5)]
	mask := a.rng.Uint64() & (1<<a.waveItems - 1)
	dst, src := make([]memory.Pointer, a.waveItems), make([]memory.Pointer, a.waveItems)
	base := a.place([]memory.Pointer{a.bed.tile, a.bed.tile2}, 16*uint64(a.waveItems))
	store := a.rng.IntN(3) == 0
	async := a.rng.IntN(4) != 0
	var refs []func(b *bed)
	var took uint64
	for i := range a.waveItems {
		item := w*a.waveItems + i
		sub := item / a.subgroup
		d, s := base.Add(int64(16*i)), a.place([]memory.Pointer{a.bed.in, a.bed.out}, size)
		if store {
			d, s = s, d
		} else if a.rng.IntN(8) == 0 {
			s = ZeroFill
		}
		dst[i], src[i] = d, s
		if mask>>i&1 == 0 {
			continue
		}
		may := func(state *byteState) bool { return state.writes == 0 && ownedBy(state, sub) }
		ok := a.all(d, size, func(state *byteState) bool { return may(state) && state.reads == 0 })
		ok = ok && (s == ZeroFill || a.all(s, size, may))
		if !ok {
			continue
		}
		took |= 1 << i
		if async {
			a.each(d, size, func(state *byteState) { state.writes++ })
			if s != ZeroFill {
				a.each(s, size, func(state *byteState) { state.reads++ })
			}
			a.lanes = append(a.lanes, authorLane{item, d, s, size, a.steps})
		}
		a.each(d, size, func(state *byteState) { state.writtenBy[sub] = true })
		if s != ZeroFill {
			a.each(s, size, func(state *byteState) { state.readBy[sub] = true })
		}
		refs = append(refs, func(b *bed) {
			to := b.data(d)[d.Offset():][:size]
			if s == ZeroFill {
				clear(to)
			} else {
				copy(to, b.data(s)[s.Offset():][:size])
			}
		})
	}
	if took == 0 {
		return
	}
	c := &LaneCopy{PC: 1000 + a.steps, Name: "lane", Async: async, Store: store, Size: int(size)}
	a.add(w, step{
		run: func(b *bed, now uint64) uint64 {
			stall, _, f := b.LaneCopy(now, c, pick(w, w*a.waveItems, took), dst, src)
			if f != nil {
				panic(f)
			}
			return stall
		},
		ref: func(b *bed) {
			for _, f := range refs {
				f(b)
			}
		},
	})
}

// markOrWait has some items of a wave execute a mark, a wait or the begin of a
// function body.
func (a *author) markOrWait() {
	w := a.rng.IntN(a.waves())
	first := w * a.waveItems
	mask := a.rng.Uint64()
	if a.rng.IntN(3) != 0 {
		mask = ^uint64(0)
	}
	it := pick(w, first, mask&(1<<a.waveItems-1))
	seq, n, pc := a.rng.IntN(2), a.rng.IntN(4), 1000+a.steps
	switch a.rng.IntN(5) {
	case 0:
		it.each(a.items, func(item int) {
			var keep []authorMark
			for _, m := range a.marks[item] {
				if m.seq != seq {
					keep = append(keep, m)
				}
			}
			a.marks[item] = keep
		})
		a.add(w, step{run: func(b *bed, now uint64) uint64 { b.Scope(seq, it); return 0 }})
	case 1, 2:
		it.each(a.items, func(item int) { a.marks[item] = append(a.marks[item], authorMark{seq, a.steps}) })
		a.add(w, step{run: func(b *bed, now uint64) uint64 { b.Mark(now, pc, seq, it); return 0 }})
	default:
		it.each(a.items, func(item int) { a.settle(item, seq, n) })
		a.add(w, step{run: func(b *bed, now uint64) uint64 { return b.WaitMark(now, pc, seq, n, it) }})
	}
}

// settle ends the lane copies that a work-item has waited for.
func (a *author) settle(item, seq, n int) {
	left, before := n, -1
	for i := len(a.marks[item]) - 1; i >= 0; i-- {
		if m := a.marks[item][i]; m.seq == seq {
			if left == 0 {
				before = m.order
				break
			}
			left--
		}
	}
	keep := a.lanes[:0]
	for _, l := range a.lanes {
		if l.item != item || l.order >= before {
			keep = append(keep, l)
			continue
		}
		a.each(l.dst, l.n, func(s *byteState) { s.writes-- })
		if l.src != ZeroFill {
			a.each(l.src, l.n, func(s *byteState) { s.reads-- })
		}
		// The bytes count as used in the phase in which that is known.
		sub := item / a.subgroup
		a.each(l.dst, l.n, func(s *byteState) { s.writtenBy[sub] = true })
		if l.src != ZeroFill {
			a.each(l.src, l.n, func(s *byteState) { s.readBy[sub] = true })
		}
	}
	a.lanes = keep
}

// access has a work-item load or store, if it may.
func (a *author) access() {
	item := a.rng.IntN(a.items)
	w, sub := item/a.waveItems, item/a.subgroup
	n := uint64(1) << a.rng.IntN(4)
	p := a.place([]memory.Pointer{a.bed.in, a.bed.out, a.bed.tile, a.bed.tile2}, n)
	kind := memory.Access(a.rng.IntN(3))
	pc := 1000 + a.steps
	may := func(s *byteState) bool { return s.writes == 0 && ownedBy(s, sub) }
	if kind != memory.AccessRead {
		may = func(s *byteState) bool { return s.writes == 0 && s.reads == 0 && ownedBy(s, sub) }
	}
	if !a.all(p, n, may) {
		return
	}
	value := byte(a.rng.Uint32())
	store := func(b *bed) {
		if kind != memory.AccessRead {
			for i := range b.data(p)[p.Offset():][:n] {
				b.data(p)[p.Offset()+int64(i)] = value + byte(i)
			}
		}
	}
	a.each(p, n, func(s *byteState) {
		s.readBy[sub] = s.readBy[sub] || kind != memory.AccessWrite
		s.writtenBy[sub] = s.writtenBy[sub] || kind != memory.AccessRead
	})
	a.add(w, step{ref: store, run: func(b *bed, now uint64) uint64 {
		b.Access(now, pc, kind, item, p, n)
		store(b)
		return 0
	}})
}

// barrier ends the phase.
func (a *author) barrier() {
	a.phases = append(a.phases, a.phase)
	a.order = append(a.order, a.rng.Perm(a.waves()))
	a.phase = make([][]step, a.waves())
	for _, list := range a.bytes {
		for i := range list {
			s := &list[i]
			s.readBy, s.writtenBy, s.copied = [8]bool{}, [8]bool{}, false
		}
	}
}

// write makes a program of about n steps.
func write(t *testing.T, seed uint64, n int) *program {
	a := &author{rng: rand.New(rand.NewPCG(seed, 7)), bed: newBed(t, Config{}, 32, 8), bytes: map[memory.Pointer][]byteState{}}
	a.items, a.subgroup, a.waveItems = 32, 8, 16
	for _, p := range []memory.Pointer{a.bed.in, a.bed.out, a.bed.tile, a.bed.tile2} {
		a.bytes[p] = make([]byteState, len(a.bed.data(p)))
	}
	a.marks = make([][]authorMark, a.items)
	a.phase = make([][]step, a.waves())
	for range n {
		switch a.rng.IntN(16) {
		case 0, 1:
			a.groupCopy()
		case 2:
			a.groupWait()
		case 3, 4, 5:
			a.laneCopy()
		case 6, 7, 8, 9:
			a.markOrWait()
		case 10:
			a.barrier()
		default:
			a.access()
		}
	}
	for len(a.events) > 0 {
		a.groupWait()
	}
	a.barrier()
	return &a.program
}

// event returns the event that a program keeps in a slot; 0 before it is made,
// as in a program that misses a step.
func (b *bed) event(slot int) uint64 {
	if slot >= len(b.events) {
		return 0
	}
	return b.events[slot]
}

// run runs a program and returns the tick at which it ends.
func (p *program) run(b *bed) uint64 {
	now := uint64(0)
	for i, phase := range p.phases {
		for _, w := range p.order[i] {
			for _, s := range phase[w] {
				now++
				now += s.run(b, now)
			}
		}
		b.Barrier(now)
	}
	return b.End(now)
}

// TestPrograms runs programs that are right: memory is that of program order and
// the checks say nothing, under every completion.
func TestPrograms(t *testing.T) {
	rounds := uint64(150)
	if testing.Short() {
		rounds = 15
	}
	steps := 0
	for seed := range rounds {
		p := write(t, seed, 400)
		ref := newBed(t, Config{}, p.items, p.subgroup)
		for _, f := range p.refs {
			f(ref)
		}
		steps += len(p.refs)
		for _, c := range []Completion{Early, Late, Seeded, Paced} {
			for _, check := range []bool{true, false} {
				b := newBed(t, Config{Completion: c, Check: check, Seed: seed, QueueDepth: 1 + int(seed%5), Engines: 1 + int(seed%3), BytesPerStep: 1 << (seed % 7)}, p.items, p.subgroup)
				p.run(b)
				if !bytes.Equal(b.image(), ref.image()) {
					t.Fatalf("seed %d, %v: memory differs", seed, c)
				}
				if len(b.sink.list) > 0 {
					t.Fatalf("seed %d, %v: %s\n%+v", seed, c, b.sink, b.sink.list[0])
				}
			}
		}
	}
	if steps < int(rounds)*100 {
		t.Errorf("%d steps that move something: the programs say little", steps)
	}
}

// TestBrokenPrograms takes steps of single waves out of programs: what is found
// is the same under every completion, and where memory differs something is.
func TestBrokenPrograms(t *testing.T) {
	rounds := uint64(12)
	if testing.Short() {
		rounds = 2
	}
	differ, reported := 0, 0
	for seed := range rounds {
		p := write(t, 1000+seed, 200)
		for drop := range p.phases {
			for w := range p.phases[drop] {
				if len(p.phases[drop][w]) == 0 {
					continue
				}
				// A wave leaves out one of its steps.
				broken := *p
				broken.phases = append([][][]step{}, p.phases...)
				broken.phases[drop] = append([][]step{}, p.phases[drop]...)
				steps := p.phases[drop][w]
				i := int(seed+uint64(drop)) % len(steps)
				broken.phases[drop][w] = append(append([]step{}, steps[:i]...), steps[i+1:]...)
				var early *bed
				for n, cfg := range []Config{{}, {Completion: Late}, {Completion: Paced, BytesPerStep: 3}, {Completion: Seeded}, {Completion: Seeded, Seed: 1}} {
					cfg.Check = true
					b := newBed(t, cfg, p.items, p.subgroup)
					broken.run(b)
					if n == 0 {
						early = b
						continue
					}
					if diff := cmp.Diff(early.sink.list, b.sink.list); diff != "" {
						t.Fatalf("seed %d, phase %d, wave %d, step %d: %v finds other things than early:\n%s", seed, drop, w, i, cfg.Completion, diff)
					}
					if !bytes.Equal(early.image(), b.image()) {
						differ++
						if len(b.sink.list) == 0 {
							t.Fatalf("seed %d, phase %d, wave %d, step %d: memory differs with %v, but nothing is found", seed, drop, w, i, cfg.Completion)
						}
					}
					if len(b.sink.list) > 0 {
						reported++
					}
				}
			}
		}
	}
	if differ == 0 || reported == 0 {
		t.Errorf("%d differ, %d are reported", differ, reported)
	}
}

// TestDeterminism checks that the same seed gives the same memory, tracer calls
// and clock, and another seed others.
func TestDeterminism(t *testing.T) {
	p := write(t, 99, 600)
	run := func(seed uint64) (*bed, []string, uint64) {
		trace := &testTracer{}
		b := newBed(t, Config{Completion: Seeded, Seed: seed, Tracer: trace}, p.items, p.subgroup)
		end := p.run(b)
		return b, trace.lines, end
	}
	a, traceA, endA := run(5)
	b, traceB, endB := run(5)
	if !bytes.Equal(a.image(), b.image()) || endA != endB {
		t.Error("memory or clock differ")
	}
	if diff := cmp.Diff(traceA, traceB); diff != "" {
		t.Errorf("traces differ:\n%s", diff)
	}
	_, traceC, _ := run(6)
	if cmp.Equal(traceA, traceC) {
		t.Error("another seed gives the same trace")
	}
}
