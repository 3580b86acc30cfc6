// Package spirv reads and writes SPIR-V modules and knows the SPIR-V grammar.
//
// It is the first stop of a kernel: bytes come in from a file or a host program, [Decode] cuts them
// into a [Module], a list of instructions over one array of words, and [Module.Encode] gives the same
// bytes back. [Parser] splits one instruction into operands as the grammar says, [Reflect] tells a host
// what a module offers (entry points, arguments, specialization constants). The tables of instructions,
// operand kinds, enumerants and extended instruction sets are generated from the machine-readable
// grammar of the Khronos Group (see internal/grammar); extensions registered there are known too.
//
// What it is not: it does not judge a module (spirv/validate does), has no text form (spirv/asm) and
// gives instructions no meaning (isa/lower). A module that decodes is well framed and nothing more.
//
// Section numbers in comments are those of the SPIR-V Specification, version 1.6, unified.
package spirv

//go:generate go run ./internal/gen -grammar internal/grammar -out .
