package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

func (b *builder) laneID() *ssa.Value {
	return b.builtin(spirv.BuiltInSubgroupLocalInvocationId, 0, isa.I32)
}

// lowBits returns word w of a ballot that has the lanes below n.
func (b *builder) lowBits(n *ssa.Value, w int) *ssa.Value {
	return b.keepLow(b.imm(isa.I32, 1<<32-1), n, w)
}

func (b *builder) maxSubgroup() *ssa.Value {
	return b.builtin(spirv.BuiltInSubgroupMaxSize, 0, isa.I32)
}

// laneMask returns word d of a built-in variable that has the lanes below, at
// or above this one (SPV_KHR_shader_ballot).
func (b *builder) laneMask(bi spirv.BuiltIn, d int) *ssa.Value {
	lane := b.laneID()
	above := b.bin(isa.OpAdd, isa.I32, lane, b.imm(isa.I32, 1))
	from := func(n *ssa.Value) *ssa.Value {
		return b.bin(isa.OpXor, isa.I32, b.lowBits(b.maxSubgroup(), d), b.lowBits(n, d))
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
	return b.bin(isa.OpXor, isa.I32, b.lowBits(above, d), b.lowBits(lane, d))
}

// keepLow returns the lanes below n among those of word w of a ballot.
func (b *builder) keepLow(word, n *ssa.Value, w int) *ssa.Value {
	n = b.bin(isa.OpSub, isa.I32, n, b.imm(isa.I32, uint64(32*w)))
	n = b.bin(isa.OpMinS, isa.I32, b.bin(isa.OpMaxS, isa.I32, n, b.imm(isa.I32, 0)), b.imm(isa.I32, 32))
	switch {
	case n.IsConst() && n.Imm == 32:
		return word
	case n.IsConst() && n.Imm == 0, word.IsConst() && word.Imm == 0:
		return b.imm(isa.I32, 0)
	}
	return b.emit(isa.OpBitExtractU, isa.I32, isa.I32, word, b.imm(isa.I32, 0), n)
}
