// Package weak is a memory that shows what the memory model of OpenCL allows beyond interleavings: loads that
// return old values, stores that others meet in another order, and loads that are performed late. Engines ask
// it what a load returns, and tell it of stores, atomic operations, fences and barriers. It knows nothing of
// kernels or waves, and draws nothing itself: a [Choices] decides wherever the model leaves something open.
//
// # The machine
//
// The machine is one of messages and views (J. Kang, C. Hur, O. Lahav, V. Vafeiadis and D. Dreyer, A Promising
// Semantics for Relaxed-Memory Concurrency, POPL 2017), without promises. Each place in memory has a history of
// messages, the writes to it, in modification order. Each work-item has a view: for each place, the earliest
// message that it may still read. A load reads any message from there on, and moves the view to it; that of an
// access that is not atomic bounds no other such access, so that these need not be coherent. A store adds a
// message anywhere behind the view, and not always at the end. A read-modify-write adds its message directly
// behind the one that it has read, and nothing comes between the two. A view in which stores of others are
// missing is what store buffers and caches make of memory.
//
// A release attaches the view of its work-item to its message; an acquire that reads the message, or one of its
// release sequence, adds that to its own view. A release fence attaches the view at the fence to messages behind
// it, an acquire fence takes what loads before it have brought.
//
// # Scopes and kinds of memory
//
// The rules are those of the OpenCL 3.0 API specification, 3.3.6 and 3.3.7. A release and an acquire synchronize
// only where the scope of each includes the work-item of the other. Global memory and local memory are ordered
// apart (global-happens-before and local-happens-before): an operation orders the kind that it works on or that
// its semantics name, a fence the kinds of its flags; both kinds only between fences with both flags, and between
// sequentially consistent operations. A barrier is a release fence and an acquire fence with its flags and scope,
// which synchronize within its group.
//
// # Sequential consistency
//
// The total order of sequentially consistent operations is that in which they are performed. A load reads
// nothing before the last such store of its place; a fence adds its view to one that all such operations share,
// and that one to its own. See M. Batty, A. Donaldson and J. Wickerson, Overhauling SC Atomics in C11 and OpenCL,
// POPL 2016, for what is weaker than this, and what it costs.
//
// # Loads that are performed late
//
// A relaxed load, or one that is not atomic, may be put off ([Group.Defer]) until something needs its value: then
// it may return what others have stored after its work-item went on to store (load buffering). Whoever it happens
// before performs it before accessing its place, so that coherence holds. Values out of thin air cannot arise:
// what depends on a value waits for it.
//
// # What it leaves out
//
// Compared with C11 as OpenCL has it, the machine makes no execution in which a load is performed later than an
// acquire fence or a sequentially consistent operation behind it, or later than an access to the same place, a
// branch, a barrier or a use of its value; nor one in which an acquire load or a read-modify-write is performed
// late. Sequentially consistent operations are ordered consistently with what their work-items have read of each
// other, which C11 asks for only where that synchronizes. All of these executions have a cycle of program order
// and reads. Sequentially consistent fences are those of RC11 and C++20 (O. Lahav, V. Vafeiadis, J. Kang, C. Hur and
// D. Dreyer, Repairing Sequential Consistency in C/C++11, PLDI 2017), which order more than those of C11. Accesses of different sizes to the same bytes, which the specification leaves undefined, read each
// piece by itself.
package weak
