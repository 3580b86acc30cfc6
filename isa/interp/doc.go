// Package interp is lockstep's portable engine: plain Go on every machine, and
// the reference for all other engines. It turns each instruction of a kernel,
// once, into a call of a loop that is made for its opcode, element type and
// kinds of operands, and runs these loops over the lanes of a wave.
//
// It decides nothing about order: package scheduler says which wave runs when.
// It comes by kernels from isa/lower, by memory from package memory and by
// mathematics from isa/clmath; faults, counters and printed text go back
// through package engine.
//
// # Registers
//
// A wave is cut into chunks of 64 lanes. A chunk's registers lie together:
// register r of a bank is an array of 64 elements at the same place in every
// chunk, so that a place is known when the kernel is compiled, whatever the
// width of the wave, and inner loops run over arrays of fixed size without
// bounds checks. A mask register is one 64-bit word a chunk. Registers that a
// kernel could read before it writes them start as zero, private memory and
// LDS do so too: a wave's results never depend on what ran before it.
//
// # Masks
//
// For each chunk there are three forms of the execution mask. The exact one
// rules accesses to memory and whatever else may fault. The effective one has
// all bits set if no lane of the chunk is kept out: lanes that ended or never
// were have nothing to lose. The dense one has all bits set as well where
// enough lanes run, for instructions with [isa.FlagDense]. A loop over all 64
// lanes costs less than one over the set bits long before all of them run.
//
// # Private memory
//
// Lane l of a chunk keeps byte b of an allocation in byte b%4 of word l of row
// b/4, where a row is 64 words, as the swizzled scratch memory of GPUs does: when
// lanes use the same offset, they touch consecutive words.
//
// # Asynchronous copies
//
// The engine works out who copies what (operands by lane, the addresses of each
// lane, which lanes agree) and package dma does the rest. A kernel that copies
// is decoded once more for launches in which bytes may move between waits, or
// in which uses of memory are checked: there, each access to global memory or LDS
// is announced before it is made, with the time at which it is made.
//
// # Pipes
//
// A pipe instruction acts for its lanes one after the other, the lowest first.
// Where all have one pipe, as nearly always, it is looked at once, and the packets of
// lanes that take them in a row are one copy. The branch behind a blocking operation
// parks the lanes that failed, as barriers do, and the wave stops at once, so that
// those which got something wait for the others behind it. Each Run begins with
// another try. Only after [engine.Wave].Overtake do the others go ahead: whole
// sub-groups first, as they would in waves of their own, and then parts of
// sub-groups, up to what the lanes of a sub-group do together. A trip through a
// loop in which operations that do not block found nothing, and none did anything,
// is the last one of a Run: another launch has to move packets first.
//
// # Sub-groups
//
// Operations across lanes see the sub-groups of the launch, which lie inside a
// chunk or, at 128 lanes, in two. Where all lanes of a chunk run, shuffles and
// scans work on the registers in place; otherwise the values of the lanes that
// run are gathered first, zeros standing in for the others. Scans go over
// consecutive elements in functions of one operation and type, whatever the set
// of lanes, and reductions of floats over all lanes of a sub-group by halves, so that a sum
// of floats has one order.
//
// # Weak memory
//
// In launches with [engine.Group.Weak], loads, stores, atomic operations and fences are instructions of
// another kind, which ask a model of memory for each lane. A load that the model puts off keeps its
// register as it was; the decoder places an instruction that performs it before the first one that reads or
// writes the register, or that must not come before the load, at the latest at the end of the block.
//
// # Machine code
//
// Another engine may make machine code of a kernel ([Prepare], [Prepared.With]). It works on the frame of a
// wave (package wave), calls nothing, and comes back at resume points. [MachineCode] says what this package
// does there: step through some instructions and go on behind them, resolve the pointers of some slots and
// try again, or leave the block. So machine code only has to check that everything is in order; faults, and
// what it cannot do, happen here. The instructions may name registers that the kernel does not have: those
// that the other engine has added to the [waves.Layout].
//
// A kernel may begin with the functions here and go on in machine code ([CompileLater]). A wave can change
// over wherever it enters a block: all that it has then is registers, memory and sets of lanes, and these
// are the same for both. It does so behind a back edge, or where it is started or run again; what machine
// code alone needs, slots and ids of all kinds, is made then.
//
// # Faults
//
// Lanes act in ascending order. When some lanes of an instruction fault, what
// the lanes before the first of them did stays done (a store, an atomic
// operation), the others do nothing, and the wave is over. Of an instruction
// with one address for all lanes, or with a scalar result, all lanes that run fault.
package interp

//go:generate go run ./internal/gen
