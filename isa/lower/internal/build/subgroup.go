package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// LaneID returns the lane's number in its sub-group.
func (b *Builder) LaneID() *ssa.Value {
	return b.Builtin(spirv.BuiltInSubgroupLocalInvocationId, 0, isa.I32)
}

// lowBits returns word w of a ballot that has the lanes below n.
func (b *Builder) lowBits(n *ssa.Value, w int) *ssa.Value {
	return b.KeepLow(b.Imm(isa.I32, 1<<32-1), n, w)
}

// MaxSubgroup returns the maximum sub-group size.
func (b *Builder) MaxSubgroup() *ssa.Value {
	return b.Builtin(spirv.BuiltInSubgroupMaxSize, 0, isa.I32)
}

// LaneMask returns word d of a built-in variable that has the lanes below, at
// or above this one (SPV_KHR_shader_ballot).
func (b *Builder) LaneMask(bi spirv.BuiltIn, d int) *ssa.Value {
	lane := b.LaneID()
	above := b.Bin(isa.OpAdd, isa.I32, lane, b.Imm(isa.I32, 1))
	from := func(n *ssa.Value) *ssa.Value {
		return b.Bin(isa.OpXor, isa.I32, b.lowBits(b.MaxSubgroup(), d), b.lowBits(n, d))
	}
	switch bi {
	case spirv.BuiltInSubgroupLtMask:
		return b.lowBits(lane, d)
	case spirv.BuiltInSubgroupLeMask:
		return b.lowBits(above, d)
	case spirv.BuiltInSubgroupGeMask:
		return from(lane)
	case spirv.BuiltInSubgroupGtMask:
		return from(above)
	}
	return b.Bin(isa.OpXor, isa.I32, b.lowBits(above, d), b.lowBits(lane, d))
}

// KeepLow returns the lanes below n among those of word w of a ballot.
func (b *Builder) KeepLow(word, n *ssa.Value, w int) *ssa.Value {
	n = b.Bin(isa.OpSub, isa.I32, n, b.Imm(isa.I32, uint64(32*w)))
	n = b.Bin(isa.OpMinS, isa.I32, b.Bin(isa.OpMaxS, isa.I32, n, b.Imm(isa.I32, 0)), b.Imm(isa.I32, 32))
	switch {
	case n.IsConst() && n.Imm == 32:
		return word
	case n.IsConst() && n.Imm == 0, word.IsConst() && word.Imm == 0:
		return b.Imm(isa.I32, 0)
	}
	return b.Emit(isa.OpBitExtractU, isa.I32, isa.I32, word, b.Imm(isa.I32, 0), n)
}
