// Package clmath is the mathematics of OpenCL: the functions of the OpenCL.std
// extended instruction set (OpenCL C specification, section 6.15.2 to 6.15.5)
// in pure Go, with the same bits on every architecture.
//
// # Results
//
// Half and single precision results are correctly rounded, to nearest even:
// each function is evaluated in double precision, the result is checked for
// being too near to the middle of two neighbours, and only then (about once
// in 30000 calls) evaluated again in pairs of doubles. Double precision
// results are the rounded value of such a pair (of about 100 bits), which
// keeps them within one unit in the last place of the true value and makes
// nearly all of them correctly rounded; the comment of Lgamma64 names the one
// exception. Formulae of more than one operation (mix, smoothstep, dot,
// length, …) are correctly rounded as a whole in half and single precision.
//
// Pow32, Pown32, Powr32 and Rootn32 recognize results that are exactly the
// middle of two neighbours; elsewhere their pairs, good to 2^-90, decide. With
// 2^64 pairs of arguments that is not a proof, but a case that it does not
// serve has never been seen.
//
// Denormals are kept. Special cases follow section 7.5.1 of the OpenCL C
// specification and, through it, Annex F of C99. A NaN that a function
// produces or passes on is always the one canonical quiet NaN (0x7e00,
// 0x7fc00000, 0x7ff8000000000000), because processors disagree about
// anything else; only the operations on signs (Fabs, Copysign), Nan and the
// conversions to and from half keep a payload. The half_ and native_
// functions are the exact ones.
//
// # What it is not
//
// It raises no floating-point exceptions, knows no rounding mode but to
// nearest even (conversions to half excepted) and does not replace package
// math for host code. It holds no vectors: callers apply the functions
// element by element.
//
// # Use
//
// Every function is a plain Go function without side effects or allocations,
// named after the OpenCL function with the width of its type appended:
// Exp32, Exp64, Exp16. The tables Unary32, Binary64 and so on give the
// functions of one shape indexed by Func, the enumeration of the instruction
// set, for engines that choose at compile time of a kernel. Half precision
// values travel as their bits in a uint16.
//
// # Proof
//
// Every function of one half is compared at all 2^16 halves by every go test,
// with package math in double precision and, where its error could matter,
// with math/big. Functions of two halves, or a half and an integer of 16 bits,
// are compared at a sample, and CLMATH_HALF=all compares all 2^32 pairs
// (half_proof_test.go tells how). All pairs of all of them have been compared
// so, without a difference.
//
// The quick tests compare with series in math/big and with exact rationals.
// Tests that CLMATH_MPFR=sample or =full switches on compare with GNU MPFR
// (mpfr_test.go tells how), and so does the command conformance/accuracy, as kernels
// see the functions. All 2^32 float32 of these functions have been
// compared so, without a difference:
// atan, cos, erf, exp, exp2, exp10, expm1, log, log2, log10, log1p, rsqrt, sin,
// sqrt, tan and tanh.
// The other functions of one float32 have been compared at every 127th
// argument, those of two at a million structured and random pairs, and doubles
// at a million points a function. Full sweeps take two to seven minutes a
// function and core, but for lgamma, whose negative arguments take hours.
package clmath

//go:generate go run ./internal/gentables
