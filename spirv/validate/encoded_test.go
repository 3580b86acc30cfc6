package validate_test

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// TestEncodings has what the floating-point types of other encodings may do (SPV_KHR_bfloat16 and SPV_EXT_float8,
// "Universal Validation Rules").
func TestEncodings(t *testing.T) {
	for _, c := range []struct{ line, rule string }{
		{"%x = OpConvertSToF %bf %n", ""},
		{"%x = OpFConvert %float %b", ""},
		{"%x = OpSelect %bf %true %b %b", ""},
		{"%x = OpCompositeConstruct %v2 %b %b", ""},
		{"%x = OpDot %bf %bb %bb", ""},
		{"%x = OpFAdd %bf %b %b", "operand-type"},
		{"%x = OpFOrdLessThan %bool %b %b", "operand-type"},
		{"%x = OpIsNan %bool %b", "operand-type"},
		{"%x = OpFNegate %v2 %bb", "operand-type"},
		{"%x = OpExtInst %bf %std fabs %b", "operand-type"},
	} {
		text := kernel("%n = OpConstant %int 3\n%bf = OpTypeFloat 16 BFloat16KHR\n%v2 = OpTypeVector %bf 2\n%float = OpTypeFloat 32\n%b = OpConstantNull %bf\n%bb = OpConstantNull %v2\n",
			"%entry = OpLabel\n"+c.line+"\nOpReturn\n")
		text = strings.Replace(text, "OpMemoryModel", "OpCapability BFloat16TypeKHR\nOpCapability BFloat16DotProductKHR\nOpExtension \"SPV_KHR_bfloat16\"\n"+
			"%std = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel", 1)
		got := rulesOf(validate.Validate(assemble(t, text), validate.Options{Strict: true}))
		if c.rule == "" && len(got) > 0 || c.rule != "" && (len(got) != 1 || !got[c.rule]) {
			t.Errorf("%s: %v, want %q", c.line, got, c.rule)
		}
	}
}
