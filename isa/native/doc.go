// Package native is the engine that makes machine code: package interp with runs of
// instructions replaced by functions for this processor.
//
// The wave, its register file, control flow, faults and every
// instruction that has no machine code here stay with package interp, so that results,
// counters and faults are the same to the bit. What is replaced are runs of
// arithmetic on elements of 32 and 64 bits: such a function walks over the chunks
// of a wave, some lanes at a time, keeps values in vector registers
// from one instruction to the next, and leaves in the register file
// only what is used behind the run.
//
// Loads and stores of elements that an index of each lane selects, behind a scalar pointer, are
// replaced as well. The function looks at the indices first; where one is not inside the
// allocation, or the pointer leads elsewhere, package interp does the run, and
// finds out what is wrong.
//
// Kernels come in as bytecode (package isa), code goes out through package
// amd64, which encodes it, and package codemem, which makes it executable. The engine exists
// on processors with AVX2 and what came with it (x86-64-v3) or AVX-512 (F, BW, CD, DQ and VL); elsewhere [New] returns an
// error that says why, and package interp does the work.
//
// # Instruction sets
//
// What the compiler of runs has to know of the two instruction sets, apart from the emitters of instructions, is
// behind one interface, set. Emitters of instructions that both sets have serve both: they ask the compiler for the
// width of a register, and for constants and scalars as operands. Those for AVX2 alone are in the files avx2*.go, and their names end
// in 2.
//
// # Lanes
//
// A group of lanes fills a vector register, of 512 or 256 bits, with the widest elements of the
// run: with AVX-512, 16 lanes where all have 32 bits, otherwise 8, with 32-bit elements in half
// a register; with AVX2, half as many. A boolean is a bit of a mask register with AVX-512, with AVX2 a lane of a
// vector register, all ones or all zeros. Groups in which no lane runs are left out;
// in others, all lanes compute, and the execution mask rules only what is stored.
//
// # Mathematics
//
// The single precision functions of package clmath are correctly rounded, so that
// machine code may compute them in its own way: in double precision, followed by a test whether
// the result is too near to the middle of two floats. Lanes of which it cannot tell the result,
// some in a million, it leaves to clmath: it puts its registers away, returns, and is called again.
// Some functions of double precision are done likewise, with pairs of doubles.
//
// # NaNs
//
// The bytecode has one NaN a type, the processor many. They differ only where
// somebody looks at bits, so that a result of float arithmetic is made
// canonical when it leaves the run, and before instructions that do not compute with it
// as a float.
package native
