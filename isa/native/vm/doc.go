// Package vm is the machine form of a kernel: instructions of package amd64 whose vector and mask registers
// are virtual, and the allocator that chooses registers of the processor for them. General registers are
// those of the processor, fixed by convention of whoever emits the code.
//
// [Func] has the methods of [amd64.Assembler] and collects what they append. [Func.NewVec] and [Func.NewMask]
// make virtual registers, as many as one likes; each may be written several times, in loops and on several
// paths. Code that [Func.Later] emits is seldom run and comes behind the rest, but for the allocator it
// stands where Later was called: a value that both ways need has one short range.
//
// [Func.Finish] does what is left:
//
//   - flow.go cuts the instructions into basic blocks and finds which registers are live at their beginnings,
//     one register after the other, along the paths from its uses back to its definitions (Boissinot et al.,
//     "Fast liveness checking for SSA-form programs", 2008, call it path exploration). What an instruction
//     reads and writes follows from the forms of package amd64 ([amd64.Accesses]).
//   - alloc.go is a linear scan with second chances (Traub, Holloway, Smith, "Quality and speed in
//     linear-scan register allocation", 1998, after Poletto and Sarkar, 1999): one pass in linear order that
//     assigns registers, splits the range of a value where its register is needed for another, and reloads it
//     at its next use. The value whose next use is farthest gives way. Holes in ranges are free for others.
//     What is cheap to make again (a constant, a broadcast scalar) is rematerialised instead of stored.
//   - edge.go puts moves on the edges of the control flow graph whose ends disagree about where a value is.
//   - check.go follows the values through the allocated code and holds that each operand is where the
//     instruction reads it. It knows nothing of liveness or of the allocator; tests have it run on all code.
//
// The order of the instructions does not change.
package vm
