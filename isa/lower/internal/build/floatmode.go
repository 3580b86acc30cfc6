package build

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// Arithmetic is that of IEEE 754 here: rounded to nearest, ties to even, with denormals, zeros with signs, infinities and
// NaN. Promises about it change nothing, and modules that ask for other arithmetic are refused: kernels by their execution
// modes (arithmeticModes), functions and instructions by their decorations.

// roundedElsewhere are the instructions that FPRoundingMode is for: they heed it.
var roundedElsewhere = []spirv.Op{spirv.OpFConvert, spirv.OpConvertFToS, spirv.OpConvertFToU, spirv.OpConvertSToF, spirv.OpConvertUToF}

// otherArithmetic says, of a decoration that asks for other arithmetic, that this is not supported, and "" of others.
func (m *Module) otherArithmetic(in spirv.Inst) string {
	rounded := func(mode spirv.FPRoundingMode) string {
		switch mode {
		case spirv.FPRoundingModeRTZ:
			return RefusedCapabilities[spirv.CapabilityRoundingModeRTZ]
		case spirv.FPRoundingModeRTP, spirv.FPRoundingModeRTN:
			return RefusedCapabilities[spirv.CapabilityRoundToInfinityINTEL]
		}
		return ""
	}
	d, words := spirv.Decoration(in.Operand(1)), in.Operands()[2:]
	what, mode := "", ""
	switch {
	case d == spirv.DecorationFPRoundingMode && len(words) > 0:
		if def, ok := m.Index.Def(spirv.ID(in.Operand(0))); ok && slices.Contains(roundedElsewhere, def.Op()) {
			return ""
		}
		r := spirv.FPRoundingMode(words[0])
		what, mode = rounded(r), r.String()
	case len(words) < 2:
	case d == spirv.DecorationFunctionRoundingModeINTEL:
		r := spirv.FPRoundingMode(words[1])
		what, mode = rounded(r), r.String()
	case d == spirv.DecorationFunctionDenormModeINTEL && spirv.FPDenormMode(words[1]) == spirv.FPDenormModeFlushToZero:
		what, mode = RefusedCapabilities[spirv.CapabilityDenormFlushToZero], spirv.FPDenormModeFlushToZero.String()
	case d == spirv.DecorationFunctionFloatingPointModeINTEL && spirv.FPOperationMode(words[1]) == spirv.FPOperationModeALT:
		what, mode = RefusedCapabilities[spirv.CapabilityFloatingPointModeINTEL], spirv.FPOperationModeALT.String()
	}
	if what == "" {
		return ""
	}
	return fmt.Sprintf("%s are not supported (decoration %s %s)", what, d, mode)
}

// refuseArithmetic ends the lowering at a function or an instruction whose decorations ask for other arithmetic.
func (b *Builder) refuseArithmetic(in spirv.Inst) {
	m := b.Module
	id := in.ResultID()
	if len(m.arithmetic) == 0 || id == 0 {
		return
	}
	for _, k := range append([]spirv.ID{id}, m.groups[id]...) {
		if what := m.arithmetic[k]; what != "" && !(k != id && slices.Contains(roundedElsewhere, in.Op())) {
			m.failFeature(in, what)
		}
	}
}
