// Package x86 compiles runs of vector instructions for 64-bit x86: it knows where their values are, and how memory is
// accessed, with AVX-512 and with AVX2.
//
// A [Compiler] makes the code of a plan.Run, or of a larger piece of a kernel for package native: a loop over groups of
// lanes, and in it the instructions one after the other. It gives emitters the operands of an instruction in virtual
// registers ([Compiler.Load]) and notes its result ([Compiler.Result]), loads values from the register file and stores
// them there, and has the accesses to memory: slots, indices, gathers, private memory (memory.go, gather.go, private.go).
// What differs between the two instruction sets is behind one interface, set. What all runs of a kernel share is a
// [Context].
//
// It has no emitters of arithmetic: package emitters has those, and the Context the function that finds them. It knows
// neither blocks and control flow nor loops and hyperblocks, which package native makes of it. Code goes out through
// package vm, in the machine form.
package x86
