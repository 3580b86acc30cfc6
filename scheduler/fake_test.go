package scheduler

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// The fake engine runs programs of Go functions by the rules of the contract:
// the lanes at the lowest instruction run, in lockstep; a jump backwards is a
// back-edge; barriers park. Packets are 4 bytes, of a lane's v[3].

type lane struct {
	id    int // local linear
	group *engine.Group
	pc    int // -1 when ended
	park  bool
	wait  bool // at a pipe
	v     [4]int
}

type inst struct {
	do      func(l *lane)
	jump    func(l *lane) bool // to the instruction to
	to      int
	barrier bool
	fault   func(l *lane) bool
	isa     isa.Op // what the bytecode has here, for MaySpin

	// pipe is the place in Launch.Pipes of what the instruction reads from or
	// writes to; nil for other instructions. One that does not block puts 0 or -1
	// into v[2].
	pipe            func(l *lane) int
	write, blocking bool
}

type program []inst

// kernel returns bytecode of the same shape: one block for each instruction.
func (p program) kernel() *isa.Kernel {
	k := &isa.Kernel{Name: "fake"}
	for i, in := range p {
		c := isa.Inst{Op: in.isa, Dst: isa.S(0)}
		switch {
		case in.barrier:
			c.Op = isa.OpBarrier
			c.SetTargets(i+1, 0)
		case in.jump != nil:
			c.Op = isa.OpBrCond
			c.SetTargets(in.to, i+1)
		case in.pipe != nil:
			c.Op, c.Imm = isa.OpPipe, uint32(len(k.PipeAccesses))
			a := isa.PipeAccess{Op: isa.PipeRead, Scope: isa.ScopeInvocation, Blocking: in.blocking}
			if in.write {
				a.Op = isa.PipeWrite
			}
			k.PipeAccesses = append(k.PipeAccesses, a)
			k.UsesPipes = true
		case c.Op == isa.OpLoad:
			c.Flags = isa.FlagVolatile
		case c.Op == isa.OpInvalid:
			c.Op = isa.OpMov
		}
		k.Code = append(k.Code, c)
		k.Blocks = append(k.Blocks, isa.Block{Start: i, End: i + 1})
	}
	return k
}

type fakeCode struct {
	p     program
	waves atomic.Int64
}

func (c *fakeCode) NewWave(lanes int) engine.Wave {
	c.waves.Add(1)
	return &fakeWave{p: c.p, room: make([]lane, lanes)}
}

type fakeWave struct {
	p        program
	room     []lane
	lanes    []lane
	counters engine.Counters
	f        engine.Fault
	ids      []int

	over    bool // lanes go on without those that wait
	giveWay bool // at the next back-edge: pipes had nothing
}

func (w *fakeWave) Start(g *engine.Group, first, n int) {
	w.lanes = w.room[:n]
	for i := range w.lanes {
		w.lanes[i] = lane{id: first + i, group: g}
	}
	w.counters = engine.Counters{Waves: 1}
	w.over, w.giveWay = false, false
}

func (w *fakeWave) Run(quantum int) engine.Stop {
	edges := 0
	waits := false
	for i := range w.lanes {
		if l := &w.lanes[i]; l.wait {
			l.wait = !w.move(l)
			waits = waits || l.wait
		}
	}
	if !waits {
		w.over = false
	}
	for {
		if waits && !w.over {
			return engine.StopPipe
		}
		low := -1
		for i := range w.lanes {
			if l := &w.lanes[i]; l.pc >= 0 && !l.park && !l.wait && (low < 0 || l.pc < low) {
				low = l.pc
			}
		}
		if low < 0 {
			switch {
			case w.Live() == 0:
				return engine.StopDone
			case waits:
				return engine.StopPipe
			}
			return engine.StopBarrier
		}
		in := &w.p[low]
		w.counters.Instructions++
		back := false
		w.f = engine.Fault{}
		for i := range w.lanes {
			l := &w.lanes[i]
			if l.pc != low || l.park || l.wait {
				continue
			}
			w.counters.LaneOps++
			switch {
			case in.pipe != nil && in.blocking:
				if !w.move(l) {
					l.wait, waits = true, true
				}
				continue
			case in.pipe != nil:
				if l.v[2] = -1; w.move(l) {
					l.v[2] = 0
					w.giveWay = false
				} else {
					w.giveWay = true
					w.next(l)
				}
				continue
			case in.do != nil:
				in.do(l)
			case in.barrier:
				l.park = true
				continue
			case in.fault != nil && in.fault(l):
				if w.f.Lanes++; w.f.Lanes == 1 {
					w.f.Code, w.f.PC, w.f.Lane = finding.DivideByZero, low, l.id
				}
			case in.jump != nil && in.jump(l):
				back = back || in.to <= low
				l.pc = in.to
				continue
			}
			w.next(l)
		}
		if w.f.Lanes > 0 {
			return engine.StopFault
		}
		if back {
			edges++
			if w.cancelled() {
				return engine.StopCancelled
			}
			if edges == quantum || w.giveWay {
				w.giveWay = false
				return engine.StopQuantum
			}
		}
	}
}

func (w *fakeWave) next(l *lane) {
	if l.pc++; l.pc == len(w.p) {
		l.pc = -1
	}
}

// move lets a lane move a packet, if that can be, and go on.
func (w *fakeWave) move(l *lane) bool {
	in := &w.p[l.pc]
	p := l.group.Launch.Pipes[in.pipe(l)].Pipe
	if p.Can(in.write) == 0 {
		return false
	}
	pc := l.pc
	first := p.Move(in.write, 1)
	if in.write {
		binary.LittleEndian.PutUint32(p.Packet(first), uint32(l.v[3]))
	} else {
		l.v[3] = int(binary.LittleEndian.Uint32(p.Packet(first)))
	}
	if t := l.group.PipeTrace; t != nil {
		t.Packets(p.Handle(), in.write, pc, l.id, first, 1, l.group.Turn+w.counters.Instructions)
	}
	w.next(l)
	return true
}

func (w *fakeWave) cancelled() bool { return w.lanes[0].group.Launch.Cancel.Load() }

func (w *fakeWave) count(f func(*lane) bool) (n int) {
	for i := range w.lanes {
		if f(&w.lanes[i]) {
			n++
		}
	}
	return n
}

func (w *fakeWave) Parked() int                { return w.count(func(l *lane) bool { return l.park }) }
func (w *fakeWave) Live() int                  { return w.count(func(l *lane) bool { return l.pc >= 0 }) }
func (w *fakeWave) Fault() *engine.Fault       { return &w.f }
func (w *fakeWave) Counters() *engine.Counters { return &w.counters }

func (w *fakeWave) Parking(f func(pc int, lanes []int)) {
	for pc := range w.p {
		w.ids = w.ids[:0]
		for i := range w.lanes {
			if l := &w.lanes[i]; l.park && l.pc == pc {
				w.ids = append(w.ids, l.id)
			}
		}
		if len(w.ids) > 0 {
			f(pc, w.ids)
		}
	}
}

func (w *fakeWave) Open() {
	for i := range w.lanes {
		if l := &w.lanes[i]; l.park {
			l.park = false
			if l.pc++; l.pc == len(w.p) {
				l.pc = -1
			}
		}
	}
}

// launchOf returns a launch of p with sub-groups of 4.
func launchOf(k *isa.Kernel, global, local [3]uint64) *engine.Launch {
	l := &engine.Launch{Kernel: k, Dim: 3, Global: global, SubgroupSize: 4}
	for d := range 3 {
		l.Local[d] = uint32(local[d])
		l.Groups[d] = (global[d] + local[d] - 1) / local[d]
	}
	return l
}

// once is the condition of a loop that runs n times, counted in v[i].
func times(i, n int) func(*lane) bool {
	return func(l *lane) bool {
		l.v[i]++
		return l.v[i] < n
	}
}

func (w *fakeWave) Piping(f func(pc int, pipe memory.Pointer, lanes []int)) {
	for pc := range w.p {
		for n := range 8 {
			w.ids = w.ids[:0]
			var h memory.Pointer
			for i := range w.lanes {
				if l := &w.lanes[i]; l.wait && l.pc == pc && w.p[pc].pipe(l) == n {
					w.ids = append(w.ids, l.id)
					h = l.group.Launch.Pipes[n].Handle
				}
			}
			if len(w.ids) > 0 {
				f(pc, h, w.ids)
			}
		}
	}
}

func (w *fakeWave) Overtake() bool {
	w.over = w.count(func(l *lane) bool { return l.pc >= 0 && !l.park && !l.wait }) > 0
	return w.over
}

// The race detector is to look at lockstep's own goroutines here.
func init() { Serial = false }
