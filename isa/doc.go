// Package isa defines lockstep's bytecode: the instruction set of the modelled
// GPU. It holds the types, the opcodes with their signatures, the operands,
// [Program] and [Kernel], the verifier that every engine relies on, and the
// text form that `lockstep isa` prints.
//
// It is not a compiler (isa/lower makes programs from SPIR-V) and it does not
// run anything (isa/interp and other engines do). Data comes in from isa/lower
// and goes out to the engines and to people.
//
// # The machine in one page
//
// A kernel is a list of blocks of instructions. A wave runs it: W lanes in
// lockstep, each lane one work-item. There are two kinds of registers:
//
//   - vector registers hold one element a lane. They come in five banks, by the
//     width of the element: m (one bit, a mask), vb (8 bits), vh (16), vw (32)
//     and vd (64). An integer and a float of the same width share a bank.
//   - scalar registers (s) hold one 64-bit value for the whole wave: constants,
//     arguments and everything else that is the same for each lane. A narrower
//     value is kept zero-extended, a float as its bits, a boolean as 0 or 1.
//
// An operand may be of either kind unless the opcode says otherwise; an
// instruction whose destination is scalar has only scalar operands (save
// [OpReadFirst]) and runs once, not once a lane. A store whose operands are all
// scalar runs once as well, unless its pointer leads to private memory, which
// every lane has for itself; a load from private memory or through a generic
// pointer always has a vector destination.
//
// Operations across lanes work on the lanes of a sub-group that run them at the
// same time; their destinations are vectors, since a wave may hold several
// sub-groups.
//
// Control flow: every block has a set of lanes waiting to enter it. The engine
// takes the lowest-numbered block that has any, runs it for those lanes to its
// terminator, and hands the lanes on. A write to a vector register changes the
// lanes that run and no others, unless the instruction has [FlagDense].
package isa
