// Package portable runs machine form in Go: a back end for every 64-bit little-endian processor, for tests. It
// is to machine form what package interp is to bytecode, a second opinion that is slow and simple.
//
// [Code] takes the instructions of a function one by one, as an [amd64.Assembler] does: general registers,
// vectors of 128 to 512 bits, mask registers and flags. Operands in memory are read and written at the
// addresses that machine code would use, through package unsafe; constants, tables and places in the code have
// addresses in memory of their own. [Code.Finish] ends the function, [Code.Run] runs it, with an address in
// RDI.
//
// Registers may be virtual ones ([amd64.Virtual]): so the same function can run before and after the
// allocation of registers.
//
// Tables by opcode (entries in table.go, generals in general.go) have the function of each instruction, as
// the Software Developer's Manual (SDM) of Intel has it in volume 2, "Operation". An instruction that is not
// in them, or stands in a form that they do not know, is an error that names it ([ErrUnknown]).
//
// Exceptions of floats are masked and leave no trace, the rounding is to nearest unless an instruction says
// otherwise, and numbers that are not normal count: what the processor does as Go sets it up. Where the SDM
// leaves a flag undefined, it keeps its value.
package portable
