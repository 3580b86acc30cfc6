// Package readers turns instructions of SPIR-V, and calls of functions that a module only imports, into values of
// isa/ssa.
//
// [Of] has the reader of each instruction that function bodies may have (readers.go), one family a file. [Imported] finds
// functions by their names (names*.go): OpenCL C as compilers leave it, ComputeMux's __mux_dma_*, AMDGPU's llvm.amdgcn.*,
// SPIR-V's own __spirv_*. Both are in the options of a build.Builder, which calls them with itself; what they make goes
// to its current block. Types, constants and operands come from the builder, too.
//
// It is no reader of modules or control flow, which isa/lower/internal/build is, and keeps no state between instructions.
package readers
