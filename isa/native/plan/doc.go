// Package plan decides what machine code of a kernel looks like before any of it is made. [New] makes a
// [Plan] of the bytecode: each block is cut into parts (run.go), a run being instructions on vectors that
// go through a group of lanes together; loads and stores get their slots, the access descriptors
// (slots.go). Then come the transformations that look beyond a block:
//
//   - if-conversion (ifconvert.go): the acyclic code between two barriers or loops becomes one sequence, a [Hyper],
//     in which all lanes compute both sides of a branch and selections keep the right values, with dead-code elimination
//     and copies of what its stores, which come last, read;
//   - narrowing (narrow.go): arithmetic of 64 bits in a hyperblock becomes arithmetic of 32, under conditions that are
//     looked at when it is entered;
//   - rematerialisation (rematerialise.go): work-item ids that the entry block reads are computed again at their uses,
//     and need not go to the register file.
//
// A plan names the instructions of each part and where they are in the kernel, so that the reference engine
// can step through them where machine code cannot go on. It needs to know one thing of the processor: which
// instructions there is machine code for ([Options.Native]). Plans depend on nothing else, and are the same
// each time.
package plan
