// Package binary writes compiled programs as bytes and reads them back, so that
// a module need not be compiled each time it is run: `lockstep compile` writes
// what `lockstep run` takes.
//
// It is neither a compiler nor a loader: package emu makes [File] values from programs
// and programs from files. It holds the bytecode with every table, the target that it was made for,
// what the module said of itself ([spirv.Info]), and the module itself where that is asked for.
//
// # Format
//
// Numbers of the header are little endian.
//
//	bytes  what
//	 0- 7  "LOCKSTEP"
//	 8-11  version of the format, [FormatVersion]
//	12-15  CRC-32C (Castagnoli) of all bytes from 16 on
//	16-23  number of bytes, header included
//	24-31  the layout: a hash of the instruction set and of the tables, see [Layout]
//	32-    sections: a tag of 4 letters, the number of bytes in 8, the bytes
//
// The sections are, in this order, STRS (each string of the others, once), TARG ([Target]), PROG
// ([isa.Program]), INFO ([spirv.Info]), NOTE ([Note]) and SPIR (the module, or nothing).
// Within TARG, PROG, INFO and NOTE stand the fields of structures in their order in Go: numbers of one
// byte as they are, wider ones as the variable-length numbers of encoding/binary (signed ones in zigzag), strings as
// numbers of the table, slices behind their length. An instruction names the fields that are not zero in a mask.
//
// # Versions
//
// A binary serves the version of lockstep that made it, and those with the same format and layout. Since the layout
// is a hash of the opcodes with their signatures and of the fields with their types, no change of the
// bytecode can forget to refuse older binaries; a change of what an opcode means, under the same
// name and signature, has to raise [FormatVersion]. There is nothing to
// convert: whoever has a binary of another version compiles the module again.
//
// The same [File] gives the same bytes on every system. [Decode] takes nothing for granted: its memory is at most
// a small multiple of the input, and the program that it returns has passed [isa.Program.Verify].
package binary
