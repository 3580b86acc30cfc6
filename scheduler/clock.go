package scheduler

import (
	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Work-groups that make asynchronous copies, that read it, or that are traced, have a
// logical clock: it counts the instructions that waves issue, and the ticks for
// which they wait. The turns of waves follow each other on it, so that it is the
// same on every machine.

var _ dma.Sink = (*worker)(nil)

// startDMA makes what the launch needs for asynchronous copies and the clock.
func (w *worker) startDMA() {
	w.clocked = w.Kernel.UsesClock
	if w.opt.Tracer != nil {
		w.clocked, w.group.Subgroups = true, w.opt.Subgroups
	}
	if !w.Kernel.UsesAsync {
		return
	}
	w.clocked = true
	cfg := w.opt.DMA
	cfg.Check, cfg.Sink, cfg.Tracer = w.Check, w, nil
	if w.opt.Tracer != nil {
		cfg.Tracer = w.opt.Tracer
	}
	if cfg.Origins = nil; w.Origins != nil {
		cfg.Origins = w
	}
	w.group.DMA = dma.New(cfg)
	w.group.Watch = cfg.Check || cfg.Tracer != nil || cfg.Completion == dma.Seeded || cfg.Completion == dma.Paced
}

// Stored implements [dma.Origins].
func (w *worker) Stored(pc int, from memory.OriginID) memory.OriginID {
	return w.Launch.Stored(pc, from)
}

// beginClock begins a work-group: a clock of its own, or, in a trace and where kernels read it, the next
// stretch of the only one.
func (w *worker) beginClock() {
	if w.opt.Tracer != nil {
		w.opt.Tracer.Group(w.name(), w.items, w.clock)
	} else if w.set == nil && !w.Kernel.UsesClock {
		w.clock = 0
	}
	if u := w.group.DMA; u != nil {
		g := dma.Group{
			Linear: w.group.Linear, Items: w.items, SubgroupSize: w.SubgroupSize,
			Memory: w.Memory, LDS: w.lds, Clock: w.clock,
		}
		if w.group.Races != nil {
			g.Races = w.group.Races
		}
		u.Reset(g)
	}
}

// clockedTurn is turn on the clock.
func (w *worker) clockedTurn(i, quantum int) {
	v := &w.waves[i]
	c := v.Counters()
	from := w.clock
	w.group.Turn = from - c.Instructions
	v.state = v.Run(quantum)
	w.clock = w.group.Turn + c.Instructions
	if w.opt.Tracer != nil {
		w.opt.Tracer.Turn(i, v.first, v.n, from, w.clock, v.state)
	}
}

// barrierOpened notes that the barrier at instruction pc has ordered the
// group's work-items.
func (w *worker) barrierOpened(pc int) {
	if w.group.DMA != nil {
		order := w.Kernel.Code[pc].Order()
		if order == 0 || order&isa.OrderVaries != 0 || w.ofGroup(pc) {
			order = isa.OrderAll // an operation of the work-group, which all of it has come to
		}
		w.group.DMA.BarrierFor(w.clock, order&isa.OrderGlobal != 0, order&isa.OrderLocal != 0)
	}
	if w.opt.Tracer != nil {
		w.opt.Tracer.Barrier(pc, w.clock)
	}
}

// endClock ends a work-group. What is in flight then still arrives, unless the
// group was ended by a fault or with the launch.
func (w *worker) endClock(well bool) {
	if u := w.group.DMA; u != nil {
		if well {
			w.clock = max(w.clock, u.End(w.clock))
		} else {
			u.Abort()
		}
	}
	if w.opt.Tracer != nil {
		w.opt.Tracer.GroupEnd(w.clock)
	}
}

// Missed takes what checks of asynchronous copies have no room for: see [dma.Sink].
func (w *worker) Missed(m dma.Missed) { w.missed.Or(uint32(m)) }

// Finding takes a finding about asynchronous copies, which does not end the
// group: see [dma.Sink].
func (w *worker) Finding(code finding.Code, pc, item, n int) *dma.Detail {
	e := w.faults.add(w.pos, code, pc, n, -1)
	if e == nil {
		return nil
	}
	e.Fault = engine.Fault{Code: code, PC: pc, Lane: item, Lanes: n, Async: &dma.Detail{}}
	e.Group = w.name()
	return e.Async
}
