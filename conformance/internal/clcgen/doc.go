// Package clcgen makes random OpenCL C programs from seeds, for judging compilers: two compilers, or one compiler
// with different options, must give a program the same results.
//
// A program is one file of many kernels. Each kernel is written as
//
//	kernel void k7(global ulong *out, ...)
//
// and mixes what it computes into the words of out that belong to its work-item. The programs use most of the
// language: all operators on integers, floats and vectors, conversions, records, unions, arrays, pointers into all
// address spaces, enumerations, initializers, functions, all statements, macros, local memory and built-in functions.
//
// Nothing that a program shows depends on undefined or unspecified behaviour, with two exceptions that compilers can be
// asked about: overflow of signed integers wraps (-fwrapv), and products and sums are not contracted (the programs
// say so by a pragma if [Options].ContractOff is set). The bits of NaNs never show: what a program looks at the bits
// of has been replaced by a number where it was one.
//
// A program is a tree of [Node]. [Reduce] makes the smallest program of it that still has a property.
//
// The package runs no compiler and reads no source.
package clcgen
