// Package emitters selects the instructions of the processor for those of the bytecode: each has an emitter, which emits
// them for a group of lanes.
//
// [Find] looks an instruction up in the families (families.go), of which each set of vector instructions has its list. An
// emitter asks an x86.Compiler for operands, appends to its machine form, and hands the result back. Emitters that both
// sets have ask the compiler for the width of a register; those for AVX2 alone are in the files avx2*.go, and their names
// end in 2. Rules for emitters are in the comment of package native.
//
// It is no assembler, decides about no registers, and has none of the mathematical functions, which are in package
// mathfn. Loads and stores have their emitters beside what finds the memory, in package x86.
package emitters
