package emu

import (
	"sync"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Machine code takes some microseconds for each instruction of a kernel, in which the portable engine runs as many for hundreds of
// work-items. Where the device has chosen the engine, the first launches of a kernel without loops, whose work
// is known before, are therefore the portable engine's, as long as they are small. The engines do the same, and which
// one it is follows from the launches alone.

// smallWork is how much of such launches is small in all: whole waves of 64 work-items, each instruction once.
const smallWork = 16

// smallLaunches is what a kernel needs for them.
type smallLaunches struct {
	once   sync.Once
	runner *scheduler.Runner // nil if there are none
	work   atomic.Uint64     // done so far
	over   atomic.Bool       // there is machine code, or is going to be
}

// runnerFor returns the kernel's code for a launch, whose sizes are known.
func (k *Kernel) runnerFor(l *engine.Launch) (*scheduler.Runner, error) {
	s := &k.small
	if k.prog.dev.small == nil || s.over.Load() {
		return k.compiled()
	}
	if s.work.Add(workOf(l)) > smallWork {
		return k.compiled()
	}
	s.once.Do(func() {
		if k.code.UsesPipes || loops(k.code) {
			return
		}
		// An error is reported by the engine that the device has.
		if c, err := k.prog.dev.small.Compile(k.prog.isa, k.code); err == nil {
			s.runner = scheduler.New(c)
		}
	})
	if s.runner == nil {
		return k.compiled()
	}
	return s.runner, nil
}

// workOf returns the work of a launch, or more than is small.
func workOf(l *engine.Launch) uint64 {
	items := uint64(1)
	for _, n := range l.Local {
		items *= uint64(n)
	}
	work := (items + 63) / 64
	for _, n := range l.Groups {
		if work *= min(n, smallWork+1); work > smallWork {
			return smallWork + 1
		}
	}
	return work
}

// loops says whether a kernel may do an instruction more than once.
func loops(k *isa.Kernel) (found bool) {
	for b := range k.Blocks {
		interp.Successors(k, b, func(to int) { found = found || to <= b })
	}
	return found
}

// smallEngine returns the engine for small launches of a device with engine e, nil for none: it has to be chosen by nobody.
func smallEngine(name string, e engine.Engine) engine.Engine {
	if small := (interp.Engine{}); (name == "" || name == "auto") && e.Name() != small.Name() {
		return small
	}
	return nil
}
