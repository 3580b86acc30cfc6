// Package amd64 encodes instructions of 64-bit x86 processors into bytes: those that a compiler of vector
// code for AVX2 or AVX-512 needs, no others. It is an assembler without a text form; it neither runs code nor
// places it in memory, nor does it choose instructions or registers. What is in its tables comes from the
// instruction reference of Intel's Software Developer's Manual (SDM), volume 2, and is judged against the GNU
// assembler.
//
// # Use
//
// An [Assembler] collects one function. [Assembler.G] appends instructions on general registers,
// [Assembler.V] those on vectors and mask registers, [Assembler.Jmp] and [Assembler.Jcc] jump to labels, and
// [Assembler.Finish] returns the bytes, which run at any address that is aligned to 64. Constants go to a
// pool behind the code and are addressed relative to the instruction pointer ([Assembler.Const32] and its
// relatives).
//
// Operands are in the order of Intel's manuals, the destination first. A vector register is a number; its
// width comes from the width of the instruction, so that a compiler that is written for a [Width] in a
// variable works for all of them:
//
//	a.V(amd64.VADDPS, w, dst, x, y)                                  // all lanes
//	a.V(amd64.VADDPS, w, dst, x, y, amd64.Merge(amd64.K1))           // the lanes of k1; others keep what they had
//	a.V(amd64.VADDPS, w, dst, x, a.Const32(0x3F800000).Bcast())      // one constant for all lanes
//	a.V(amd64.VCVTTPS2DQ, w, dst, x)
//	a.V(amd64.VCMPPS, w, amd64.K1, x, y, amd64.Imm(1))               // AVX-512: into a mask register
//	a.V(amd64.VCMPPS, w, dst, x, y, amd64.Imm(1))                    // AVX2: into a vector
//
// Operations have the names of AVX-512 where it has renamed those of AVX2: VPXORD is vpxor where that does.
// Of two encodings of an instruction the shorter one is taken, VEX before EVEX.
//
// # Errors
//
// What does not exist (a predicate without AVX-512, an embedded broadcast of an instruction that has none, a
// scale of 3) is an error that wraps [ErrEncoding]. The first one is kept, nothing is appended after it, and
// Finish returns it; so code generators need no checks in between.
package amd64
