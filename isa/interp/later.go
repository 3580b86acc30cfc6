package interp

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// later is the code of a kernel that runs on the functions of this package until it has been used so much
// that machine code is worth its while. Each of its waves then goes on in machine code, at a back edge or
// where it is run the next time.
type later struct {
	portable *compiledKernel
	limit    uint64
	work     atomic.Uint64 // instructions times chunks
	compile  func() engine.Code
	once     sync.Once
	made     atomic.Bool
	native   *compiledKernel // of the same kernel, with machine code; nil if there is none
	why      error           // there is none
}

var _ engine.LazyCode = (*later)(nil)

// CompileLater prepares a kernel as [Engine.Compile] does, and calls compile when its waves have done so much
// work, see [engine.LazyCompiler]. If what that returns comes from [Prepared.With], with the same kernel,
// it takes over, for the waves that are under way as well.
func CompileLater(p *isa.Program, k *isa.Kernel, work uint64, compile func() engine.Code) (engine.LazyCode, error) {
	c, err := Engine{}.Compile(p, k)
	if err != nil {
		return nil, err
	}
	return &later{portable: c.(*compiledKernel), limit: work, compile: compile}, nil
}

// NewWave returns a wave of at most lanes lanes.
func (l *later) NewWave(lanes int) engine.Wave {
	if c := l.ready(); c != nil {
		return c.NewWave(lanes)
	}
	w := l.portable.newWave(lanes)
	w.later = l
	return w
}

// Made says whether compile has been called.
func (l *later) Made() bool { return l.made.Load() }

// Make calls compile, unless it was called before.
func (l *later) Make() {
	l.once.Do(func() {
		c := l.compile()
		if f, ok := c.(engine.Fallback); ok {
			l.why = f.Fallback()
		}
		if c, ok := c.(*compiledKernel); ok && c.native != nil {
			l.native = c
		}
		l.made.Store(true)
	})
}

// Fallback returns why there is no machine code.
func (l *later) Fallback() error {
	if !l.made.Load() {
		return nil
	}
	return l.why
}

// Expect makes machine code at once if the work that is expected is too much to begin without.
func (l *later) Expect(work uint64) {
	if l.left() < work {
		l.Make()
	}
}

// left returns how much work is left to be done without machine code.
func (l *later) left() uint64 { return l.limit - min(l.limit, l.work.Load()) }

// ready returns machine code, if it is time and there is some.
func (l *later) ready() *compiledKernel {
	if !l.made.Load() {
		if l.left() > 0 {
			return nil
		}
		l.Make()
	}
	return l.native
}

// stopEnough is why interpret stops when Counts.Instructions has come to wave.enough. Nobody else sees it.
const stopEnough = engine.StopDebug + 1

// runLater is Run for a wave that is to go on in machine code when enough work is done.
func (w *wave) runLater(quantum int) engine.Stop {
	for {
		if c := w.later.ready(); c != nil {
			w.become(c)
			w.native, w.blocks = w.machine, c.blocks(decodeOptions{watch: w.group.Watch})
			w.native.start(w, len(w.exec))
			if c.usesIDs {
				w.initIDs()
			}
			return w.runNative(quantum)
		}
		chunks, before := uint64(len(w.exec)), w.Counts.Instructions
		if !w.later.made.Load() {
			w.enough = before + ceilDiv(w.later.left(), chunks)
		}
		stop, left := w.interpret(quantum)
		w.later.work.Add((w.Counts.Instructions - before) * chunks)
		if w.enough = noWork; stop != stopEnough {
			return stop
		}
		quantum = left
	}
}

// noWork is wave.enough of waves that stay what they are.
const noWork = ^uint64(0)

// become makes the wave one of machine code. Both have the registers of the kernel at the same places of a
// chunk, and the same barriers, private memory and waits.
func (w *wave) become(c *compiledKernel) {
	old := w.code
	w.code, w.later = c, nil
	if c.layout.Stride != old.layout.Stride { // it has registers of its own behind those
		from, size := w.base, old.layout.Stride
		w.newRegisters()
		for k := range w.words {
			copy(unsafe.Slice((*byte)(w.chunk(k)), size), unsafe.Slice((*byte)(unsafe.Add(from, uintptr(k)*old.layout.Stride)), size))
		}
	}
	s := w.s
	w.newScalars()
	copy(w.s, s[:old.layout.Scalars])
	w.newIDs()
	w.newMachine()
}
