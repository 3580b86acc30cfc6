// Package asm turns SPIR-V modules into text and text into modules, in the syntax
// of SPIRV-Tools.
//
// [Assemble] gives the bytes that spirv-as gives for the same text, and
// [Disassemble] gives the text that spirv-dis gives for the same module, friendly
// names included. Text comes from a user or a test; modules go to and come from
// package spirv, whose generated grammar says which operands an instruction has.
// Neither direction judges a module: text that assembles may still break the rules
// that spirv/validate checks.
//
// # Syntax
//
// A module is a sequence of instructions; line breaks mean nothing. An
// instruction that defines an id is written
//
//	%name = OpTypeInt 32 0
//
// or with the id among the operands, where it stands in the binary:
//
//	OpTypeInt %name 32 0
//
// Ids are % and letters, digits and underscores. Masks are names joined by a
// vertical bar. Literal numbers are read as the type of the instruction says:
// decimal, octal after 0 or hexadecimal after 0x for integers, decimal or
// hexadecimal for floats (0x1p+128 is infinity, 0x1.8p+128 a NaN in 32 bits).
// Strings are in double quotes, a backslash takes the next character as it is. A
// semicolon starts a comment. !<integer> is a raw word in place of any operand or
// of the first word of an instruction; after it the operands of the instruction
// are taken as literals or ids as they look. OpUnknown(opcode, words) is an
// instruction of so many words whose operands follow as literals or ids.
//
// Every name that the grammar lists for an opcode or enumerant assembles, the
// older and vendor spellings too. Disassembly prints the first one of the
// grammar.
//
// # Differences from SPIRV-Tools
//
// The grammar here is newer than that of most packaged tools, so newer names
// assemble, and renamed ones are printed in their newer spelling. Where spirv-dis
// refuses an instruction, because its opcode or an enumerant is unknown or it is
// malformed, Disassemble writes it as OpUnknown, which recent tools read; so it does
// with literals of more than 64 bits, of which spirv-dis prints nothing. Extended
// instruction sets that are not known are accepted, and their instructions
// written by number. OpSwitch finds the type of its selector even where the
// selector is defined further down. Friendly names over 256 bytes are replaced by
// the number of the id where they would blow up the text.
package asm
