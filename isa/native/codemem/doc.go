// Package codemem puts machine code into executable memory and calls it. It neither makes the code (package
// amd64 does) nor knows what the code is for; it also says which instructions the processor at hand has
// ([Host]).
//
// Memory is written while it is writable and then made executable, and it is never both. Where the system
// does not do that, or refuses it, [Load] returns an error, and whoever asked has to do without machine code.
//
// # What the code has to hold to
//
// Code is called on the stack of a goroutine, by [Func.Call], with one pointer in RDI. To the Go runtime it
// is part of an assembly function that does not return for a while:
//
//   - RSP and RBP are not to be changed, nothing is pushed, nothing is called: a goroutine's stack has room for the return
//     address and no more. All other registers are free, MXCSR and the direction flag are to be left as they were.
//   - It must return soon, within some 100 µs: the goroutine cannot be preempted inside, and a garbage collection
//     that begins meanwhile makes all others wait for it. Loops count a budget down and return when it is spent.
//   - It may read and write memory that Go has allocated, if the caller keeps that alive, but must not store pointers
//     into it: the garbage collector would not hear of them. Stacks move when they grow, at the latest on the way into
//     Call; what points to one has to be a pointer of Go's. Integers may hold addresses of the heap.
//   - It must not touch memory that is not there, nor divide by zero: such a fault ends the process.
//   - The race detector does not see its accesses.
//
// Signals may arrive at any time, those of profilers and of preemption included. The runtime finds that the
// program counter is in no function it knows, and a profile counts the sample as runtime._ExternalCode.
package codemem
