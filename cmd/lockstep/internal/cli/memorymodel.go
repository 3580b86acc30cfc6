package cli

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/emu"
)

// memoryFlag declares -memory.
func (o *runOptions) memoryFlag(f *flags) {
	f.StringVar(&o.memory, "memory", "sequential", "what loads may return `MODEL`: sequential, what was stored last; weak, all that the\nmemory model of OpenCL allows (lockstep help memory)")
}

// memoryModel reads -memory, and -choices, which asks for sub-groups of one work-item on the engine interp.
func (r *run) memoryModel() (err error) {
	o := r.o
	if r.memory, err = emu.ParseMemoryModel(o.memory); err != nil {
		return usagef("help memory", "run: -memory: %v", err)
	}
	if o.choices == "" {
		return nil
	}
	if r.choices, err = emu.ParseInterleaving(o.choices); err != nil {
		return usagef("help memory", "run: -choices: %v", err)
	}
	switch {
	case len(r.launches) > 1:
		return usagef("help memory", "run: -choices is for one kernel")
	case o.device.SubgroupSize > 1:
		return usagef("help memory", "run: -choices is for sub-groups of one work-item, without -subgroup %d", o.device.SubgroupSize)
	case o.device.Engine != "auto" && o.device.Engine != "interp":
		return usagef("help memory", "run: -choices is for the engine interp, without -engine %s", o.device.Engine)
	case o.trace != "" || o.explain != "" || o.report != "" || len(o.pictures) > 0:
		return usagef("help memory", "run: -choices makes no timeline, so without -trace, -explain, -report and -picture")
	case o.schedule != emu.InOrder.String():
		return usagef("help memory", "run: -choices decides the order of all accesses itself, without -schedule")
	}
	o.device.SubgroupSize, o.device.Engine = 1, "interp"
	return nil
}

// model gives a launch the memory of the command.
func (r *run) model(l *emu.Launch) {
	if l.Memory = r.memory; r.choices != nil {
		l.Interleave = r.choices
	}
}

// modelError says what is wrong with -memory or -choices for a launch that did not start, or nil.
func modelError(command string, err error) error {
	if errors.Is(err, emu.ErrNotWeak) || errors.Is(err, emu.ErrNotInterleaved) {
		return usagef("help memory", "%s: %v", command, err)
	}
	return nil
}

const memoryText = `-memory weak shows what the memory model of OpenCL allows beyond interleavings. Where neither
a barrier nor an acquire that reads what a release has written orders two accesses, a load may
return what was stored before, work-items may meet stores in different orders, and a load may
be performed after stores behind it. So a missing acquire, release or barrier shows in results.
A kernel without data races that uses no weaker order than seq_cst has the results that it
always has.

  lockstep explore k.cl -global 2 -local 1 -arg zero:i32:2 -arg zero:i32:2 -exhaustive -memory weak
  lockstep run k.cl -global 256 -arg zero:i32:1k -memory weak -schedule seeded -seed 7

lockstep explore -exhaustive tries, of a small launch, all interleavings and all values that
loads may return, but no two executions that are equivalent. It says how many there are, and
prints for each outcome a command that runs it again (-choices). An outcome is what memory holds
in the end, which is the last store to each place in its modification order.

lockstep run and lockstep explore without -exhaustive run launches of any size, one work-group
after the other. -schedule chooses what loads return: in the order in-order the oldest value that
the model allows, in the order reverse the newest, and in the order seeded, values, the places of
stores and late loads are drawn from -seed. No work-item reads an old value for ever, so that
loops that wait for another one end.

The model
  Each place in memory has a history, its writes in modification order, and each work-item a view
  of it: what it has read or written, or knows by an acquire, is the oldest that it reads. A
  release attaches a view to what it writes, and to what follows in its release sequence; an
  acquire takes it. A store may stand before others in modification order that its work-item does
  not know; a read-modify-write stands directly behind what it has read. This is the machine of
  Kang, Hur, Lahav, Vafeiadis and Dreyer (A Promising Semantics for Relaxed-Memory Concurrency,
  POPL 2017) with scopes, without promises.
  Orders and scopes are those of the OpenCL 3.0 API specification, 3.3.6 and 3.3.7. A release and
  an acquire synchronize where the scope of each includes the other work-item. Global and local
  memory are ordered apart: a fence or a barrier orders the kinds of its flags, an atomic
  operation the kind that it works on; both are ordered between fences with both flags, and
  between seq_cst operations.
  seq_cst operations have one order, that in which they run. Fences of seq_cst order everything
  before them ahead of everything behind those that follow.
  Accesses that are not atomic may return old values as relaxed ones do, and need not be coherent
  with each other: two loads of one place may return a new value and then an old one, unless a
  fence that acquires and releases, or a barrier, stands in between. To a program with such a race
  OpenCL promises nothing at all; -check finds it.
  A relaxed load, or one that is not atomic, may be performed late: until its value is used, its
  work-item accesses the place again, or comes to an acquire fence, a seq_cst operation, a branch
  or a barrier. So load buffering shows, and values out of thin air never do.
  At the end of the launch all is visible.

What is left out
  Executions that C11 allows because of cycles of program order and reads: late loads beyond
  branches, acquire loads and read-modify-writes that are late, and seq_cst operations that run
  in another order than relaxed accesses have told their work-items of each other. seq_cst fences
  order what those of C++20 do, which is more than C11 asks for.
  Optimizations of compilers that merge, invent or drop accesses, but for those that lockstep's own
  compiler makes of accesses that are neither atomic nor volatile.
  Accesses of different sizes to the same bytes: each piece is read by itself. Images and printf
  are as without -memory. Pipes, asynchronous copies and compiled modules are refused. In launches
  that write more than half a million places, further ones have no history; a note says so.
  -check looks for no uninitialised values then.
`
