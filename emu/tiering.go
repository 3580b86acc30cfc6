package emu

import (
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Machine code takes some microseconds for each instruction of a kernel, in which the portable engine does hundreds of
// instructions for 64 work-items. Where the device has chosen the engine, a kernel therefore begins on the portable engine. When it has done
// some work there, in one launch or in several, machine code is made, and waves go on in that; a launch that is known to be more work
// than this has machine code from the start. The engines do the same, and it is work that is counted, not time.

// smallWork is how much the portable engine does: whole waves of 64 work-items, each instruction of the kernel once. It takes about as
// long as machine code does to be made, so that a kernel never takes much more than twice the time of the better choice.
const smallWork = 256

// runnerFor returns the kernel's code for a launch, whose sizes are known.
func (k *Kernel) runnerFor(l *engine.Launch) (*scheduler.Runner, error) {
	r, err := k.compiled()
	if k.later != nil {
		k.later.Expect(workOf(l) * uint64(len(k.code.Code)))
	}
	return r, err
}

// workOf returns the work of a launch, as if each work-item did all instructions once; or more than is small.
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

// lazyCompiler returns the engine of a device as one that makes machine code late, nil if it is to make it at once: somebody has chosen it.
func lazyCompiler(name string, e engine.Engine) engine.LazyCompiler {
	if name != "" && name != "auto" {
		return nil
	}
	d, _ := e.(engine.LazyCompiler)
	return d
}
