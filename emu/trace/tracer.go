package trace

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// What arrives while no group runs, or when the trace is full, is dropped.
var _ scheduler.Tracer = (*Recorder)(nil)

// Group begins a work-group of so many work-items at tick start.
func (r *Recorder) Group(g scheduler.Group, items int, start uint64) {
	r.beginClock(g.ID)
	r.beginBranches()
	r.begin(g.ID, items, start)
}

// Turn notes that a wave of the group, of which first is the first work-item and
// items the number of them, ran from one tick to another, and why it stopped.
func (r *Recorder) Turn(wave, first, items int, from, to uint64, stop engine.Stop) {
	r.flushAccesses()
	r.turn(wave, first, items, from, to, stop)
}

// Barrier notes that a work-group barrier opened, at instruction pc.
func (r *Recorder) Barrier(pc int, now uint64) {
	r.noteBarrier(pc)
	r.barrier(pc, now)
}

// GroupEnd ends the work-group.
func (r *Recorder) GroupEnd(now uint64) {
	r.end(now)
	r.endClock()
}

// Issue notes that a transfer was issued.
func (r *Recorder) Issue(t *dma.Transfer) {
	r.issue(transfer{
		id: t.ID, pc: t.PC, name: t.Name, items: append(finding.Spans(nil), t.Items...), wave: t.Wave,
		dst: t.Dst, src: t.Src, zero: t.Src == dma.ZeroFill, bytes: t.Bytes, lines: t.Lines, planes: t.Planes,
		event: t.Event, async: t.Async, engine: t.Engine, issued: t.Issued,
	})
}

// Complete notes that a transfer is done.
func (r *Recorder) Complete(t *dma.Transfer) { r.complete(t.ID, t.Start, t.Done) }

// Mark notes an async mark of the sequence seq.
func (r *Recorder) Mark(now uint64, pc, wave, seq int, items dma.Items) {
	if !r.full {
		r.mark(now, pc, wave, seq, spans(items))
	}
}

// Wait notes that a wave waited for transfers, from one tick to another.
func (r *Recorder) Wait(from, to uint64, pc, wave int, what string, upTo uint64) {
	r.wait(from, to, pc, wave, what, upTo)
}

// SubgroupTracer is the recorder, if it counts what sub-groups do, or nil.
func (r *Recorder) SubgroupTracer() engine.SubgroupTracer {
	if r.subgroups == nil {
		return nil
	}
	return r
}

// Block notes that so many lanes of a sub-group, those that are active, enter a block.
func (r *Recorder) Block(start, end, first, lanes int, active [2]uint64) {
	r.noteBlock(start, end, first, lanes)
	r.noteBranch(start, end, first, active)
}

// Accesses notes that the lanes of a sub-group access memory together.
func (r *Recorder) Accesses(pc, first int, a memory.Access, size uint64, items []int, addresses []memory.Pointer) {
	r.noteAccesses(pc, first, a, size, items, addresses)
}

// Resume says which work-group the calls that follow are about: of a set of
// launches, many are in progress, and [Recorder.Group] follows for one that begins.
func (r *Recorder) Resume(launch int, g scheduler.Group) {
	r.resume(launch, g.ID)
	r.resumeClock(g.ID)
}

// Packets notes that a work-item of a launch, or the work-items from it on, have
// written the n packets from first on to a pipe, or read them. Launch -1 is the host.
func (r *Recorder) Packets(launch int, pipe memory.Pointer, write bool, pc, item int, first, n, now uint64) {
	r.packets(launch, pipe, write, pc, item, first, n, now)
}

// Waiting notes that so many work-items of a wave, whose turn has just ended,
// wait at a pipe: for packets when the handle is that of its read end, for room
// when it is that of its write end.
func (r *Recorder) Waiting(wave, pc int, pipe memory.Pointer, items int, now uint64) {
	r.waiting(wave, pc, pipe, items, now)
}

// spans returns the work-items.
func spans(items dma.Items) finding.Spans {
	var s finding.Spans
	for i, word := range items.Mask {
		for ; word != 0; word &= word - 1 {
			s = s.Add(uint64(items.First + 64*i + bits.TrailingZeros64(word)))
		}
	}
	return s
}
