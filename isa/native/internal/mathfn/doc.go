// Package mathfn has the emitters of mathematical functions: exponentials, logarithms, powers, trigonometry and their
// inverses, for floats and doubles.
//
// The functions of package clmath are correctly rounded, so that machine code may compute them in its own way: in double
// precision, or in pairs of doubles, followed by a test whether the result is too near to the middle of two numbers.
// Lanes of which it cannot tell the result go to clmath (x86.Compiler.CallOut). [Mathematics] and [Mathematics64] are the
// families of floats and of doubles; operands come from an x86.Compiler, and results go there. The tables come from
// clmath/internal/genvector.
//
// It is no library for Go programs and computes nothing itself: its functions emit code.
package mathfn
