// Package dma is the model of the GPU's DMA engines: asynchronous copies
// between global memory and LDS, when their bytes move, what waits for them,
// and what a kernel does wrong with them.
//
// Two kinds of copies share one model. A group copy (OpGroupAsyncCopy, the
// NonSemantic.Codeplay.GroupAsyncCopies set, __mux_dma_*) is made by a whole
// work-group, belongs to an event and is waited for through that. A lane copy
// (AMDGPU's load-to-LDS operations) is made by each active work-item for itself
// and is waited for through async marks. Both are a [Transfer].
//
// A [Unit] serves one work-group at a time. The engine that runs the
// work-group's waves calls it for each copy, wait and mark; the scheduler calls
// it where groups begin and end and where barriers open. Bytes go from and to
// the regions of package memory; what a kernel did wrong goes to a [Sink], what
// happened when to a [Tracer]. The package executes no instructions, knows no
// names of buffers and writes no messages: package emu turns a [Detail] into a
// finding.
//
// # When bytes move
//
// The specifications leave open when a copy is done, as long as it is done when
// a wait for it returns. [Completion] picks one of the possibilities. A kernel
// that waits for what it uses gives the same memory under all of them.
//
// Time is a logical clock of ticks, which the caller keeps: it says what time
// it is in each call, and adds what a call says that it stalled. A full queue
// stalls the copy that finds it full; a wait stalls until what it waits for is
// done. Time that runs backwards counts as standing still.
//
// # What a kernel may know
//
// With Config.Check, findings come from what the kernel could know, never from
// when bytes moved: a transfer is outstanding for a work-item until the program
// has ordered that work-item behind it. So the same findings come under every
// completion and seed.
package dma
