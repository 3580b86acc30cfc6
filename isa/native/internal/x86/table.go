package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Predicates of VCMPPS and VCMPPD (Intel SDM volume 2, CMPPS, table "Comparison Predicate"):
// those that do not signal.
const (
	CmpEqual         = 0x00 // EQ_OQ
	CmpUnordered     = 0x03 // UNORD_Q
	CmpNotEqualU     = 0x04 // NEQ_UQ
	CmpOrdered       = 0x07 // ORD_Q
	CmpEqualU        = 0x08 // EQ_UQ
	CmpNotEqual      = 0x0c // NEQ_OQ
	CmpNotLessU      = 0x15 // NLT_UQ
	CmpLess          = 0x11 // LT_OQ
	CmpLessEqual     = 0x12 // LE_OQ
	CmpNotGreaterEqU = 0x19 // NGE_UQ
	CmpNotGreaterU   = 0x1a // NGT_UQ
	CmpGreaterEqual  = 0x1d // GE_OQ
	CmpGreater       = 0x1e // GT_OQ
	IntEqual         = 0    // VPCMPD and the like
	IntLess          = 1
	IntLessEqual     = 2
	intNotLess       = 5
	IntGreater       = 6
	IntNotEqual      = 4
	RoundNearest     = 8 // VRNDSCALEPS: the rounding, and no exception
	RoundDown        = 9
	RoundUp          = 10
	RoundZero        = 11
	RangeMin         = 4 // VRANGEPS: the sign of the result is that of the operand
	RangeMax         = 5
	TernaryNot       = 0x55 // VPTERNLOGD: not the third operand
	TernaryOnes      = 0xff
	TernarySelect    = 0xca // the second where the first has ones, else the third
	TernaryMix       = 0xd8 // the second where the third has ones, else the first
)

// Pair is an instruction for elements of 32 and of 64 bits.
type Pair [2]amd64.Op

// Of returns the instruction for elements of a type.
func (p Pair) Of(t isa.Type) amd64.Op {
	if t.Bank() == isa.Bank64 {
		return p[1]
	}
	return p[0]
}

// The instructions that have both sizes.
var (
	OpAdd     = Pair{amd64.VPADDD, amd64.VPADDQ}
	OpSub     = Pair{amd64.VPSUBD, amd64.VPSUBQ}
	OpMul     = Pair{amd64.VPMULLD, amd64.VPMULLQ}
	OpAnd     = Pair{amd64.VPANDD, amd64.VPANDQ}
	OpOr      = Pair{amd64.VPORD, amd64.VPORQ}
	OpXor     = Pair{amd64.VPXORD, amd64.VPXORQ}
	OpAndNot  = Pair{amd64.VPANDND, amd64.VPANDNQ}
	OpTernary = Pair{amd64.VPTERNLOGD, amd64.VPTERNLOGQ}
	OpMinS    = Pair{amd64.VPMINSD, amd64.VPMINSQ}
	OpMaxS    = Pair{amd64.VPMAXSD, amd64.VPMAXSQ}
	OpMinU    = Pair{amd64.VPMINUD, amd64.VPMINUQ}
	OpMaxU    = Pair{amd64.VPMAXUD, amd64.VPMAXUQ}
	OpAbs     = Pair{amd64.VPABSD, amd64.VPABSQ}
	OpShl     = Pair{amd64.VPSLLD, amd64.VPSLLQ}
	OpShrU    = Pair{amd64.VPSRLD, amd64.VPSRLQ}
	OpShrS    = Pair{amd64.VPSRAD, amd64.VPSRAQ}
	OpShlV    = Pair{amd64.VPSLLVD, amd64.VPSLLVQ}
	OpShrUV   = Pair{amd64.VPSRLVD, amd64.VPSRLVQ}
	OpShrSV   = Pair{amd64.VPSRAVD, amd64.VPSRAVQ}
	OpRotl    = Pair{amd64.VPROLD, amd64.VPROLQ}
	OpRotlV   = Pair{amd64.VPROLVD, amd64.VPROLVQ}
	OpClz     = Pair{amd64.VPLZCNTD, amd64.VPLZCNTQ}
	OpCount   = Pair{amd64.VPOPCNTD, amd64.VPOPCNTQ}
	OpCmpS    = Pair{amd64.VPCMPD, amd64.VPCMPQ}
	OpCmpU    = Pair{amd64.VPCMPUD, amd64.VPCMPUQ}
	OpSigns   = Pair{amd64.VPMOVD2M, amd64.VPMOVQ2M}
	OpCopy    = Pair{amd64.VMOVDQA32, amd64.VMOVDQA64}
	OpSpread  = Pair{amd64.VPBROADCASTD, amd64.VPBROADCASTQ}
	OpBlend   = Pair{amd64.VPBLENDMD, amd64.VPBLENDMQ}

	OpFAdd  = Pair{amd64.VADDPS, amd64.VADDPD}
	OpFSub  = Pair{amd64.VSUBPS, amd64.VSUBPD}
	OpFMul  = Pair{amd64.VMULPS, amd64.VMULPD}
	OpFDiv  = Pair{amd64.VDIVPS, amd64.VDIVPD}
	OpFma   = Pair{amd64.VFMADD213PS, amd64.VFMADD213PD}
	OpSqrt  = Pair{amd64.VSQRTPS, amd64.VSQRTPD}
	OpRange = Pair{amd64.VRANGEPS, amd64.VRANGEPD}
	OpRound = Pair{amd64.VRNDSCALEPS, amd64.VRNDSCALEPD}
	OpFCmp  = Pair{amd64.VCMPPS, amd64.VCMPPD}
)

// The instructions for both sizes that AVX2 has others for.
var (
	OpSelect2 = Pair{amd64.VBLENDVPS, amd64.VBLENDVPD} // by the sign
	OpEqual2  = Pair{amd64.VPCMPEQD, amd64.VPCMPEQQ}
	OpMore2   = Pair{amd64.VPCMPGTD, amd64.VPCMPGTQ} // signed
)

// OpRound2 rounds with AVX2.
var OpRound2 = Pair{amd64.VROUNDPS, amd64.VROUNDPD}

var (
	OpFMin     = Pair{amd64.VMINPS, amd64.VMINPD}
	OpFMax     = Pair{amd64.VMAXPS, amd64.VMAXPD}
	OpExponent = Pair{amd64.VGETEXPPS, amd64.VGETEXPPD}
)

// The tests say which elements have a bit in common, or none.
var (
	OpTest   = Pair{amd64.VPTESTMD, amd64.VPTESTMQ}
	OpNoTest = Pair{amd64.VPTESTNMD, amd64.VPTESTNMQ}
)

// WideOrBool says whether registers of the type are vectors of 32 or 64 bits an element, or masks.
func WideOrBool(t isa.Type) bool {
	switch t {
	case isa.B1, isa.I32, isa.I64, isa.F32, isa.F64:
		return true
	}
	return false
}
