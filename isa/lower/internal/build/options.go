package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Options steers how kernels are built.
type Options struct {
	// SpecConstants, SubgroupSize, MaxInstructions, Specialize, KeepMarks and Poison are those of the lowering's options.
	SpecConstants   map[uint32]uint64
	SubgroupSize    int
	MaxInstructions int
	Specialize      map[string]*isa.Specialization
	KeepMarks       bool
	Poison          uint64

	// Reader returns the reader of an opcode, nil for those that function bodies may not have.
	Reader func(spirv.Op) Reader
	// Imported turns a call of a function that the module only imports into instructions, and returns its result.
	Imported func(b *Builder, in spirv.Inst, f *Function, args [][]*ssa.Value, rt *Type) []*ssa.Value
	// Prepare runs passes over the body of a function that is copied to its calls. Where it is nil, each call reads the body.
	Prepare func(*Builder) error
	// LeastPrepared is the number of instructions, calls inlined, from which on a kernel is worth that: in smaller ones
	// bodies are read at each call.
	LeastPrepared int
}
