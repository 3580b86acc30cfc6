// Package ssa is the intermediate form of kernels: static single assignment
// over scalars. isa/lower builds it from SPIR-V and writes bytecode from it;
// [FromKernel] builds it from finished bytecode, for compilers behind that.
//
// A [Func] has [Block]s, a block has phis, instructions and one terminator. An
// instruction is a [Value]: it has an opcode of the bytecode (isa.Op) or one of
// the few of this package, a type, operands, and a block where it stands.
// Constants, parameters and addresses of variables are values without a block.
// Vectors and aggregates do not exist, and a bit cast is no instruction.
//
// Analyses are found when they are needed ([Func.Need]) and counted as known
// until blocks or values change: the reverse post-order, the dominator tree
// (dominators.go), the nest of natural loops (loops.go), the numbers of uses.
// Others serve one pass at a time: ranges of integers (ranges.go), offsets of
// pointers (pointers.go), what a launch is known to have (known.go), and shapes:
// which values are uniform, the same for all lanes of a wave, and which vary
// (uniform.go, joins.go).
//
// [Func.Verify] checks that a function is well-formed, and [Func.CheckAnalyses]
// that what counts as known is true. [Func.String] is the text that
// `lockstep isa -print-after` shows.
//
// Passes over the form that need no more than it are in isa/ssa/opt. It knows
// neither SPIR-V nor engines.
package ssa
