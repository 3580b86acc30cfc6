package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Predicates of VCMPPS and VCMPPD (Intel SDM volume 2, CMPPS, table "Comparison Predicate"):
// those that do not signal.
const (
	cmpEqual         = 0x00 // EQ_OQ
	cmpUnordered     = 0x03 // UNORD_Q
	cmpNotEqualU     = 0x04 // NEQ_UQ
	cmpOrdered       = 0x07 // ORD_Q
	cmpEqualU        = 0x08 // EQ_UQ
	cmpNotEqual      = 0x0c // NEQ_OQ
	cmpNotLessU      = 0x15 // NLT_UQ
	cmpLess          = 0x11 // LT_OQ
	cmpLessEqual     = 0x12 // LE_OQ
	cmpNotGreaterEqU = 0x19 // NGE_UQ
	cmpNotGreaterU   = 0x1a // NGT_UQ
	cmpGreaterEqual  = 0x1d // GE_OQ
	cmpGreater       = 0x1e // GT_OQ
	intEqual         = 0    // VPCMPD and the like
	intLess          = 1
	intLessEqual     = 2
	intNotLess       = 5
	intGreater       = 6
	intNotEqual      = 4
	roundNearest     = 8 // VRNDSCALEPS: the rounding, and no exception
	roundDown        = 9
	roundUp          = 10
	roundZero        = 11
	rangeMin         = 4 // VRANGEPS: the sign of the result is that of the operand
	rangeMax         = 5
	ternaryNot       = 0x55 // VPTERNLOGD: not the third operand
	ternaryOnes      = 0xff
	ternarySelect    = 0xca // the second where the first has ones, else the third
	ternaryMix       = 0xd8 // the second where the third has ones, else the first
)

// pair is an instruction for elements of 32 and of 64 bits.
type pair [2]amd64.Op

func (p pair) of(t isa.Type) amd64.Op {
	if t.Bank() == isa.Bank64 {
		return p[1]
	}
	return p[0]
}

// The instructions that have both sizes.
var (
	opAdd     = pair{amd64.VPADDD, amd64.VPADDQ}
	opSub     = pair{amd64.VPSUBD, amd64.VPSUBQ}
	opMul     = pair{amd64.VPMULLD, amd64.VPMULLQ}
	opAnd     = pair{amd64.VPANDD, amd64.VPANDQ}
	opOr      = pair{amd64.VPORD, amd64.VPORQ}
	opXor     = pair{amd64.VPXORD, amd64.VPXORQ}
	opAndNot  = pair{amd64.VPANDND, amd64.VPANDNQ}
	opTernary = pair{amd64.VPTERNLOGD, amd64.VPTERNLOGQ}
	opMinS    = pair{amd64.VPMINSD, amd64.VPMINSQ}
	opMaxS    = pair{amd64.VPMAXSD, amd64.VPMAXSQ}
	opMinU    = pair{amd64.VPMINUD, amd64.VPMINUQ}
	opMaxU    = pair{amd64.VPMAXUD, amd64.VPMAXUQ}
	opAbs     = pair{amd64.VPABSD, amd64.VPABSQ}
	opShl     = pair{amd64.VPSLLD, amd64.VPSLLQ}
	opShrU    = pair{amd64.VPSRLD, amd64.VPSRLQ}
	opShrS    = pair{amd64.VPSRAD, amd64.VPSRAQ}
	opShlV    = pair{amd64.VPSLLVD, amd64.VPSLLVQ}
	opShrUV   = pair{amd64.VPSRLVD, amd64.VPSRLVQ}
	opShrSV   = pair{amd64.VPSRAVD, amd64.VPSRAVQ}
	opRotl    = pair{amd64.VPROLD, amd64.VPROLQ}
	opRotlV   = pair{amd64.VPROLVD, amd64.VPROLVQ}
	opClz     = pair{amd64.VPLZCNTD, amd64.VPLZCNTQ}
	opCount   = pair{amd64.VPOPCNTD, amd64.VPOPCNTQ}
	opCmpS    = pair{amd64.VPCMPD, amd64.VPCMPQ}
	opCmpU    = pair{amd64.VPCMPUD, amd64.VPCMPUQ}
	opSigns   = pair{amd64.VPMOVD2M, amd64.VPMOVQ2M}
	opCopy    = pair{amd64.VMOVDQA32, amd64.VMOVDQA64}
	opSpread  = pair{amd64.VPBROADCASTD, amd64.VPBROADCASTQ}
	opBlend   = pair{amd64.VPBLENDMD, amd64.VPBLENDMQ}

	opFAdd  = pair{amd64.VADDPS, amd64.VADDPD}
	opFSub  = pair{amd64.VSUBPS, amd64.VSUBPD}
	opFMul  = pair{amd64.VMULPS, amd64.VMULPD}
	opFDiv  = pair{amd64.VDIVPS, amd64.VDIVPD}
	opFma   = pair{amd64.VFMADD213PS, amd64.VFMADD213PD}
	opSqrt  = pair{amd64.VSQRTPS, amd64.VSQRTPD}
	opRange = pair{amd64.VRANGEPS, amd64.VRANGEPD}
	opRound = pair{amd64.VRNDSCALEPS, amd64.VRNDSCALEPD}
	opFCmp  = pair{amd64.VCMPPS, amd64.VCMPPD}
)

// The instructions for both sizes that AVX2 has others for.
var (
	opSelect2 = pair{amd64.VBLENDVPS, amd64.VBLENDVPD} // by the sign
	opEqual2  = pair{amd64.VPCMPEQD, amd64.VPCMPEQQ}
	opMore2   = pair{amd64.VPCMPGTD, amd64.VPCMPGTQ} // signed
)

var opRound2 = pair{amd64.VROUNDPS, amd64.VROUNDPD}

var (
	opFMin     = pair{amd64.VMINPS, amd64.VMINPD}
	opFMax     = pair{amd64.VMAXPS, amd64.VMAXPD}
	opExponent = pair{amd64.VGETEXPPS, amd64.VGETEXPPD}
)

// The tests say which elements have a bit in common, or none.
var (
	opTest   = pair{amd64.VPTESTMD, amd64.VPTESTMQ}
	opNoTest = pair{amd64.VPTESTNMD, amd64.VPTESTNMQ}
)

// wideOrBool says whether registers of the type are vectors of 32 or 64 bits an element, or masks.
func wideOrBool(t isa.Type) bool {
	switch t {
	case isa.B1, isa.I32, isa.I64, isa.F32, isa.F64:
		return true
	}
	return false
}
