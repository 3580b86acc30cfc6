package builtin

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// bfloatRows are the functions of cl_intel_bfloat16_conversions. Their names have the number of components twice.
var bfloatRows = func() (rows []Def) {
	const ext = "cl_intel_bfloat16_conversions"
	conversion := func(name, sig string, o spirv.Op, help string) {
		e := op(o, spirv.CapabilityBFloat16ConversionINTEL)
		e.Ext = "SPV_INTEL_bfloat16_conversion"
		rows = append(rows, Def{Name: name, Sig: sig, Emit: e, Since: lang.CL12, Ext: ext, Help: help})
	}
	for _, n := range [...]string{"", "2", "3", "4", "8", "16"} {
		conversion(fmt.Sprintf("intel_convert_bfloat16%[1]s_as_ushort%[1]s", n), fmt.Sprintf("ushort%[1]s(float%[1]s)", n),
			spirv.OpConvertFToBF16INTEL, "The bits of the nearest bfloat16.")
		conversion(fmt.Sprintf("intel_convert_as_bfloat16%[1]s_float%[1]s", n), fmt.Sprintf("float%[1]s(ushort%[1]s)", n),
			spirv.OpConvertBF16ToFINTEL, "The float that the bits of a bfloat16 stand for.")
	}
	return rows
}()
