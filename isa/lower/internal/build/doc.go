// Package build reads a module and builds its kernels in the form of isa/ssa.
//
// A [Module] is what all kernels of a spirv.Module share (module.go): types, constants, decorations, functions, debug
// information. [Module.Kernel] returns a [Builder] with one kernel, every call inlined: a function of SSA values that are
// scalars, which have not gone through any pass. It reads control flow (build.go), values, arithmetic and memory (inst.go,
// mem.go), and the bodies of functions that a large kernel calls often once, for all calls (prepare.go, paste.go).
//
// Instructions have readers, functions of a Builder: those here, which the rest relies on, and those of
// isa/lower/internal/readers. [Options] has the table of them, the functions that modules only import, and the passes over bodies
// that are prepared, so that this package knows none of the three.
//
// It runs no pass and writes no bytecode: isa/lower does with what it builds. What it cannot read it refuses with an
// [*Error], as a panic that the entries of isa/lower turn into an error.
package build
