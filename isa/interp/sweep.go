package interp

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

var _ engine.Sweeper = (*wave)(nil)

// A wave that is the whole of a work-group need not come back to the scheduler where that has nothing to
// decide: at a barrier to which all of its lanes have come, and at the end, when the group behind it is next.
// What of a wave depends on the launch and the size of the group stays as it is from group to group.

// Sweep runs the wave's group and then those that follow it.
func (w *wave) Sweep(more uint64) (ended uint64, stop engine.Stop) {
	cancel := w.group.Launch.Cancel
	u := w.group.DMA
	opens := w.code.opens && w.pipes == nil && (w.async == nil || u != nil && u.Immediate())
	if opens {
		w.All = w.lanes
	}
	w.swept = 0
	for {
		if w.native != nil {
			w.native.allow(w, more-w.swept)
		}
		stop = w.Run(0)
		switch {
		case cancel != nil && cancel.Load():
		case stop == engine.StopDone && w.swept < more:
			w.swept++
			w.next()
			continue
		case stop == engine.StopBarrier && opens && w.allParked == w.lanes && w.BarrierPC() >= 0:
			w.Open()
			if u != nil {
				u.Barrier(0)
				w.All = w.lanes
			}
			continue
		}
		w.All, w.More = 0, 0
		if w.native != nil {
			w.native.allowed = 0
		}
		return w.swept, stop
	}
}

// next puts the lanes, which have ended, at the entry of the kernel for the next group, which is as large.
func (w *wave) next() {
	c, g := w.code, w.group
	g.Linear++
	for d := range g.ID {
		if g.ID[d]++; g.ID[d] < g.Launch.Groups[d] {
			break
		}
		g.ID[d] = 0
	}
	if w.lds != nil {
		w.lds.Reset()
	}
	if g.DMA != nil {
		g.DMA.Next(g.Linear)
	}
	w.Counts.Waves++
	if w.native != nil {
		w.locate()
	}
	if !c.steady || w.shadow != nil {
		w.renew()
	}
	w.Cur, w.running = 0, w.lanes > 0
	w.enliven(w.lanes)
}

// end ends all lanes that had not ended, which are those that run. Nobody is left to look at the masks.
func (w *wave) end() {
	w.Alive, w.intact = 0, w.Active == w.lanes
}

// renew makes the registers and the private memory what they are at the start, as far as the kernel may tell.
func (w *wave) renew() {
	c, chunks := w.code, len(w.exec)
	clear(w.s[copy(w.s, w.group.Launch.Scalars):])
	for _, z := range c.zeroed {
		for k := range chunks {
			clear(unsafe.Slice((*byte)(unsafe.Add(w.chunk(k), z.start)), z.end-z.start))
		}
	}
	if c.privStride != 0 {
		w.initPrivate(chunks)
	}
	w.startShadow()
}

// enliven makes all lanes run. before is how many lanes there were the last time.
func (w *wave) enliven(before int) {
	if w.intact && w.lanes == before {
		// They have ended all at once and are still in the masks.
		w.Alive, w.intact = w.lanes, false
		if w.Changed {
			w.setExec()
		}
		return
	}
	w.intact = false
	for k := range w.live {
		w.live[k] = full
	}
	if tail := w.lanes % 64; tail != 0 {
		w.live[len(w.live)-1] = 1<<tail - 1
	}
	w.Alive = w.lanes
	copy(w.exec, w.live)
	w.setExec()
}

// opensBarriers says whether all barriers of a kernel open as soon as all live work-items have come to them,
// without a schedule for what comes behind.
func opensBarriers(k *isa.Kernel) bool {
	for pc := range k.Code {
		if k.Code[pc].Schedule() != isa.ScheduleUnordered {
			return false
		}
	}
	return true
}
