package interp

import (
	"math"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

var _ engine.Debuggable = (*wave)(nil)

// debugging is where a wave of a group with a debugger is within its block.
type debugging struct {
	at      int  // instructions of the block that are done
	entered bool // the block is counted
	// within says that the wave was stopped in its turn, and goes on in it: lanes at pipes do not try again before the next.
	within bool
}

// runDebug is interpret for a group with a debugger: the wave may stop between two instructions.
func (w *wave) runDebug(quantum int) engine.Stop {
	d := w.group.Debug
	budget := quantum
	if budget <= 0 {
		budget = math.MaxInt
	}
	cancel := w.group.Launch.Cancel
	w.debug.within = false
	w.decodeForDebug(d)
	for {
		b := &w.blocks[w.Cur]
		start := w.code.kernel.Blocks[w.Cur].Start
		step := d.Every || d.Blocks[w.Cur] || w.debug.at > 0 || d.Tick+b.Count > d.Limit
		if !w.debug.entered {
			w.count(b)
			w.debug.entered = true
		}
		if !step {
			for i := range b.body {
				in := &b.body[i]
				in.fn(w, in)
				if w.faulted {
					d.Tick += uint64(w.fault.PC - start)
					w.uncount(w.fault.PC)
					w.debug.at = w.fault.PC - start
					return engine.StopFault
				}
			}
			d.Tick += b.Count
		} else if stop, done := w.stepBlock(d, b, start); !done {
			d.Left = left(budget, quantum)
			w.debug.within = stop == engine.StopDebug
			return stop
		}
		w.debug = debugging{}
		from := w.Cur
		ok := w.leave(&b.end)
		if w.faulted {
			w.Cur, w.debug = from, debugging{at: len(b.parts), entered: true}
			d.Tick--
			return engine.StopFault
		}
		if !ok {
			w.running = false
			return w.idle()
		}
		if w.Cur <= from {
			if budget--; budget == 0 || w.pipes != nil && w.pipes.gaveNothing() {
				w.running = true
				return engine.StopQuantum
			}
			if cancel != nil && cancel.Load() { // the turn goes on later, as if nothing had been
				w.running, w.debug.within = true, true
				d.Left = left(budget, quantum)
				return engine.StopCancelled
			}
		}
	}
}

// left is what is left of a quantum; 0 for none.
func left(budget, quantum int) int {
	if quantum <= 0 {
		return 0
	}
	return budget
}

// decodeForDebug chooses the decoded form of the blocks: that with announcements of accesses where they are
// asked for.
func (w *wave) decodeForDebug(d *engine.Debug) {
	g := w.group
	w.blocks = w.code.blocks(decodeOptions{check: g.Launch.Check, watch: g.Watch, tell: d.Tell && g.Accesses != nil, parts: true})
}

// stepBlock runs the rest of the block's body, one instruction after the other, and stops where it is asked
// to. The terminator is left to do when done is true.
func (w *wave) stepBlock(d *engine.Debug, b *block, start int) (stop engine.Stop, done bool) {
	for w.running = true; ; w.debug.at++ {
		pc := start + w.debug.at
		if d.Tick >= d.Limit || (d.Every || d.Blocks[w.Cur]) && d.Stop(w, pc) {
			return engine.StopDebug, false
		}
		if w.debug.at == len(b.parts) {
			d.Tick++
			return 0, true
		}
		first := 0
		if w.debug.at > 0 {
			first = int(b.parts[w.debug.at-1])
		}
		for i := first; i < int(b.parts[w.debug.at]); i++ {
			in := &b.body[i]
			in.fn(w, in)
			if w.faulted {
				w.uncount(w.fault.PC)
				return engine.StopFault, false
			}
		}
		d.Tick++
		if d.After != nil && (d.Every || d.Blocks[w.Cur]) && d.After(w, pc) {
			w.debug.at++
			return engine.StopDebug, false
		}
	}
}

// Items returns the first work-item and the number of lanes.
func (w *wave) Items() (first, n int) { return w.first, w.lanes }

// Next returns the instruction that is issued next, or -1.
func (w *wave) Next() int {
	b := w.nextBlock()
	if b >= len(w.blocks) {
		return -1
	}
	pc := w.code.kernel.Blocks[b].Start
	if w.running || w.faulted {
		pc += w.debug.at
	}
	return pc
}

// Lane says what a lane does.
func (w *wave) Lane(i int) (engine.LaneState, int) {
	if i < 0 || i >= w.lanes {
		return engine.LaneEnded, -1
	}
	k, bit := i/64, uint64(1)<<(i%64)
	is := func(set []uint64) bool { return k < len(set) && set[k]&bit != 0 }
	w.spread()
	switch {
	case w.Alive == 0 || !is(w.live):
		return engine.LaneEnded, -1
	case (w.running || w.faulted) && is(w.exec):
		return engine.LaneActive, w.Next()
	case w.back.n > 0 && is(w.back.lanes):
		return engine.LaneHeld, w.back.pc
	}
	for n, b := range w.code.barriers {
		if w.nparked[n] > 0 && is(w.parkedAt(n)) {
			return engine.LaneBarrier, w.blocks[b].end.pc
		}
	}
	for b := range w.blocks {
		if is(w.waitAt(b)) {
			s := engine.LaneWaits
			if !w.running && b == w.MinWait {
				s = engine.LaneActive // as soon as the wave runs
			}
			return s, w.code.kernel.Blocks[b].Start
		}
	}
	if w.pipes != nil {
		for n, p := range w.code.waits {
			if is(w.pipes.parked[n*w.words:][:len(w.exec)]) {
				return engine.LanePipe, p.pc
			}
		}
	}
	return engine.LaneEnded, -1
}

// Executes says whether a lane executes the next instruction.
func (w *wave) Executes(i int) bool {
	return (w.running || w.faulted) && i >= 0 && i < w.lanes && w.exec[i/64]>>(i%64)&1 != 0
}

// Register returns what a register holds for a lane.
func (w *wave) Register(r isa.Reg, t isa.Type, i int) uint64 { return w.reg(r, t, i/64, i%64) }

// SetRegister changes what a register holds for a lane.
func (w *wave) SetRegister(r isa.Reg, t isa.Type, i int, bits uint64) {
	w.setReg(r, t, i/64, i%64, bits)
}

// privateBytes says whether a lane has the n bytes of a private allocation.
func (w *wave) privateBytes(i, alloc int, off uint64, n int) bool {
	return alloc >= 0 && alloc < len(w.code.privSize) && w.privArena != nil && i >= 0 && i < w.lanes &&
		uint64(n) <= w.code.privSize[alloc] && off <= w.code.privSize[alloc]-uint64(n)
}

// ReadPrivate copies bytes of a lane's private memory.
func (w *wave) ReadPrivate(i, alloc int, off uint64, p []byte) bool {
	if !w.privateBytes(i, alloc, off, len(p)) {
		return false
	}
	room := w.privateRoom(uint32(alloc+1), i/64)
	for j := range p {
		p[j] = privLoad8(room, i%64, off+uint64(j))
	}
	return true
}

// WritePrivate changes bytes of a lane's private memory.
func (w *wave) WritePrivate(i, alloc int, off uint64, p []byte) bool {
	if !w.privateBytes(i, alloc, off, len(p)) {
		return false
	}
	room := w.privateRoom(uint32(alloc+1), i/64)
	for j, x := range p {
		privStore8(room, i%64, off+uint64(j), x)
	}
	w.touched[alloc] = true
	return true
}

// Save appends the state of the wave.
func (w *wave) Save(out []uint64) []uint64 {
	w.spread()
	c, b := &w.Counts, &w.back
	flags := uint64(0)
	for i, on := range [...]bool{w.running, w.debug.entered, b.active, w.debug.within, w.Choosy} {
		if on {
			flags |= 1 << i
		}
	}
	out = append(out, flags, uint64(w.Cur), uint64(w.MinWait), uint64(w.allParked), uint64(w.subParked), uint64(w.Alive), uint64(w.debug.at),
		c.Waves, c.Instructions, c.LaneOps, c.Blocks, c.Barriers, c.Loads, c.Stores, c.Atomics, c.ZeroDivisions,
		uint64(b.n), uint64(b.block), uint64(b.pc), uint64(b.parked))
	for _, list := range w.lists() {
		out = append(out, uint64(len(*list)))
		out = append(out, *list...)
	}
	for _, n := range w.nparked {
		out = append(out, uint64(n))
	}
	if s := w.pipes; s != nil {
		out = append(out, uint64(s.nparked), uint64(s.level), b2u(s.overtake)|b2u(s.failed)<<1|b2u(s.moved)<<2)
		for _, h := range s.handles {
			out = append(out, uint64(h))
		}
	}
	return append(out, w.file()...)
}

// lists are the words of a wave whose number may vary.
func (w *wave) lists() []*[]uint64 {
	var used []uint64 // of private memory
	if w.code.privStride != 0 {
		used = w.privArena[:len(w.exec)*int(w.code.privStride/8)]
	}
	list := []*[]uint64{&w.live, &w.exec, &w.wait, &w.waiting, &w.parked, &w.s, &used, &w.back.lanes, &w.back.start, &w.back.end}
	if s := w.pipes; s != nil {
		list = append(list, &s.parked, &s.over, &s.late, &s.skew)
	}
	return list
}

// file is the registers of the chunks in use.
func (w *wave) file() []uint64 {
	return unsafe.Slice((*uint64)(w.base), len(w.exec)*int(w.stride/8))
}

// Restore puts back what Save has appended.
func (w *wave) Restore(in []uint64) []uint64 {
	next := func() uint64 { x := in[0]; in = in[1:]; return x }
	flags := next()
	c, b := &w.Counts, &w.back
	for _, p := range []*int{&w.Cur, &w.MinWait, &w.allParked, &w.subParked, &w.Alive, &w.debug.at} {
		*p = int(next())
	}
	for _, p := range []*uint64{&c.Waves, &c.Instructions, &c.LaneOps, &c.Blocks, &c.Barriers, &c.Loads, &c.Stores, &c.Atomics, &c.ZeroDivisions} {
		*p = next()
	}
	for _, p := range []*int{&b.n, &b.block, &b.pc, &b.parked} {
		*p = int(next())
	}
	w.running, w.debug.entered, b.active = flags&1 != 0, flags&2 != 0, flags&4 != 0
	w.debug.within, w.Choosy = flags&8 != 0, flags&16 != 0
	for _, list := range w.lists() {
		n := int(next())
		if n <= len(*list) { // in place: others point there
			copy(*list, in[:n])
			if list == &b.lanes || list == &b.start || list == &b.end {
				*list = (*list)[:n]
			}
		} else {
			*list = append((*list)[:0], in[:n]...)
		}
		in = in[n:]
	}
	for i := range w.nparked {
		w.nparked[i] = int(next())
	}
	if s := w.pipes; s != nil {
		s.nparked, s.level = int(next()), overtaking(next())
		is := next()
		s.overtake, s.failed, s.moved = is&1 != 0, is&2 != 0, is&4 != 0
		for i := range s.handles {
			s.handles[i] = memory.Pointer(next())
		}
		s.base, s.pipe = 0, nil
	}
	n := copy(w.file(), in)
	w.faulted, w.gathered, w.intact = false, 0, false
	for i := range w.touched {
		w.touched[i] = true
	}
	w.setExec()
	return in[n:]
}
