package lower_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// TestRefusals compares what is said about modules that cannot be lowered.
// Most of them break rules that validation checks as well: lowering is asked
// directly here.
func TestRefusals(t *testing.T) {
	importName := func(name, typ string) string {
		return head + "OpDecorate %imp LinkageAttributes \"" + name + "\" Import\n" + types + typ
	}
	body := func(s string) string { return kernelText("", "", s) }
	typed := func(typs, s string) string { return kernelText("", typs, s) }
	imp := func(name string) string {
		return importName(name, "%if = OpTypeFunction %uint %uint\n%imp = OpFunction %uint None %if\n%ia = OpFunctionParameter %uint\nOpFunctionEnd\n") +
			begin + "%r = OpFunctionCall %uint %imp %g\nOpStore %out %r\n" + end
	}
	calls := types + "%h = OpFunction %void None %vfn\n%he = OpLabel\n"
	var b strings.Builder
	for _, c := range []struct{ name, text string }{
		{"addressing model", "OpMemoryModel Logical GLSL450\n"},
		{"execution model", "OpMemoryModel Physical64 OpenCL\nOpEntryPoint GLCompute %f \"f\"\n"},
		{"entry point without a function", head + types},
		{"entry point without a body", head + types + "%f = OpFunction %void None %fn\n%out = OpFunctionParameter %pg\nOpFunctionEnd\n"},
		{"two kernels of one name", strings.Replace(body(""), "OpDecorate", "OpEntryPoint Kernel %f \"f\"\nOpDecorate", 1)},
		{"imported function", imp("_Z6magicej")},
		{"minimum of integers without sign", imp("sub_group_reduce_min")},
		{"minimum of integers called that of floats", imp("_Z20sub_group_reduce_minf")},
		{"imported function with control characters", imp("a\x01b")},
		{"recursion", head + calls + "%r = OpFunctionCall %void %h\n" + end + begin + "%r2 = OpFunctionCall %void %h\n" + end},
		{"recursion through another", head + calls + "%r = OpFunctionCall %void %f %c0\n" + end + begin + "%r2 = OpFunctionCall %void %h\n" + end},
		{"call of what is no function", body("%r = OpFunctionCall %void %c0\n")},
		{"too few arguments", head + types + "%h = OpFunction %void None %fn\n%ha = OpFunctionParameter %pg\n%he = OpLabel\n" + end + begin + "%r2 = OpFunctionCall %void %h\n" + end},
		{"too many arguments", head + calls + end + begin + "%r2 = OpFunctionCall %void %h %g\n" + end},
		{"integer width", typed("%big = OpTypeInt 128 0\n", "%v = OpUConvert %big %g\n")},
		{"float width", typed("%big = OpTypeFloat 128\n", "%v = OpConvertUToF %big %g\n")},
		{"vector width", typed("%vec5 = OpTypeVector %uint 5000\n", "%v = OpUndef %vec5\n")},
		{"image argument", head + types + "%img = OpTypeImage %void 2D 0 0 1 0 Unknown ReadOnly\n%fi = OpTypeFunction %void %img\n%f = OpFunction %void None %fi\n%i = OpFunctionParameter %img\n%entry = OpLabel\n" + end},
		{"image atomic", head + types + "%img = OpTypeImage %void 2D 0 0 0 0 Unknown ReadWrite\n%ip = OpTypePointer Image %uint\n%at = OpConstantNull %vec2\n%fi = OpTypeFunction %void %img\n%f = OpFunction %void None %fi\n%i = OpFunctionParameter %img\n%entry = OpLabel\n%tp = OpImageTexelPointer %ip %i %at %c0\n" + end},
		{"sampled image variable", typed("%img = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n%smp = OpTypeSampledImage %img\n%pp = OpTypePointer UniformConstant %smp\n%var = OpVariable %pp UniformConstant\n", "%v = OpLoad %smp %var\n")},
		{"storage class", typed("%pp = OpTypePointer Uniform %uint\n%var = OpVariable %pp Uniform\n", "%v = OpLoad %uint %var\n")},
		{"imported variable", kernelText("OpDecorate %var LinkageAttributes \"elsewhere\" Import\n", "%var = OpVariable %pg CrossWorkgroup\n", "%v = OpLoad %uint %var\n")},
		{"built-in variable", kernelText("OpDecorate %var BuiltIn FragCoord\n", "%var = OpVariable %pin Input\n", "%v = OpLoad %vec3 %var\n")},
		{"built-in variable of bytes", kernelText("OpDecorate %var BuiltIn WorkDim\n", "%uchar = OpTypeInt 8 0\n%pp = OpTypePointer Input %uchar\n%var = OpVariable %pp Input\n", "%v = OpLoad %uchar %var\n")},
		{"extended set", strings.Replace(body("%r = OpExtInst %uint %set 1 %g\n"), "OpMemoryModel", "%set = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel", 1)},
		{"instruction", body("OpEmitVertex\n")},
		{"type where a value belongs", body("%r = OpIAdd %uint %uint %c0\n")},
		{"size of a type that is no pointer", body("%r = OpSizeOf %uint %uint\n")},
		{"group instruction", body("%r = OpGroupIAdd %uint %c0 Reduce %g\n")},
		{"barrier scope that is no constant", body("OpControlBarrier %g %c1 %c0\n")},
		{"barrier scope", body("OpControlBarrier %c1 %c1 %c0\n")},
		{"atomic on bytes", typed("%uchar = OpTypeInt 8 0\n%pc = OpTypePointer CrossWorkgroup %uchar\n%cb = OpConstant %uchar 1\n", "%q = OpBitcast %pc %out\n%r = OpAtomicIAdd %uchar %q %c1 %c0 %cb\n")},
		{"extended arithmetic on odd integers", typed("%i17 = OpTypeInt 17 0\n%pr = OpTypeStruct %i17 %i17\n", "%n = OpUConvert %i17 %g\n%r = OpIAddCarry %pr %n %n\n")},
		{"function pointer", typed("%pfn = OpTypePointer Function %vfn\n", "%r = OpPtrEqual %bool %f %f\n")},
		{"inline assembly", typed("%at = OpAsmTargetINTEL \"x\"\n%af = OpTypeFunction %uint %uint\n%as = OpAsmINTEL %uint %af %at \"nop\" \"=r,r\"\n", "%r = OpAsmCallINTEL %uint %as %g\n")},
		{"array of variable length", body("%r = OpVariableLengthArrayINTEL %pf %g\n")},
		{"cooperative matrix", typed("%c2 = OpConstant %uint 2\n%cm = OpTypeCooperativeMatrixKHR %uint %c2 %c7 %c7 %c0\n", "%r = OpCooperativeMatrixLengthKHR %uint %cm\n")},
		{"rounding towards zero", strings.Replace(body(""), "OpDecorate", "OpExecutionMode %f RoundingModeRTZ 32\nOpDecorate", 1)},
		{"denormals that become zero", strings.Replace(body(""), "OpDecorate", "OpExecutionMode %f DenormFlushToZero 32\nOpDecorate", 1)},
		{"fixed point", body("%r = OpFixedSqrtALTERA %uint %g 0 1 2 0 0\n")},
		{"predicated store to a built-in variable", typed("%t = OpConstantTrue %bool\n", "OpPredicatedStoreINTEL %gid %g3 %t\n")},
		{"untyped copy", typed("%up = OpTypeUntypedPointerKHR CrossWorkgroup\n", "%q = OpBitcast %up %out\nOpCopyMemory %q %q\n")},
		{"structure index", typed("%st = OpTypeStruct %uint %uint\n%ps = OpTypePointer CrossWorkgroup %st\n", "%q = OpBitcast %ps %out\n%r = OpAccessChain %pg %q %g\n")},
		{"structure index out of range", typed("%st = OpTypeStruct %uint %uint\n%ps = OpTypePointer CrossWorkgroup %st\n", "%q = OpBitcast %ps %out\n%r = OpAccessChain %pg %q %c7\n")},
		{"index into a scalar", body("%r = OpAccessChain %pg %out %c1\n")},
		{"component out of range", body("%r = OpCompositeInsert %vec3 %g64 %g3 3\n")},
		{"shuffle out of range", body("%r = OpVectorShuffle %vec3 %g3 %g3 0 1 6\n")},
		{"construct of too few", body("%r = OpCompositeConstruct %vec3 %g64 %g64\n")},
		{"operand sizes", body("%r = OpIAdd %vec3 %g3 %g64\n")},
		{"bitcast sizes", body("%r = OpBitcast %ulong %g\n")},
		{"undefined operand", body("%r = OpIAdd %uint %g %nowhere\n")},
		{"operand that is a type", body("%r = OpIAdd %uint %g %uint\n")},
		{"branch to another function", body("OpBranch %nowhere\n")},
		{"phi without an entry", body("OpBranch %b\n%b = OpLabel\n%r = OpPhi %uint\n")},
		{"block without a terminator", body("OpBranch %b\n%b = OpLabel\nOpKill\n")},
		{"printf format", strings.Replace(typed("%uchar = OpTypeInt 8 0\n%pc = OpTypePointer UniformConstant %uchar\n", "%q = OpBitcast %pc %out\n%r = OpExtInst %uint %set printf %g\n"), "OpMemoryModel", "%set = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel", 1)},
		{"constant array size", typed("%z = OpTypeArray %uint %g\n", "%r = OpUndef %z\n")},
		{"type that holds itself", typed("%z = OpTypeStruct %z\n", "%r = OpUndef %z\n")},
		{"constant that holds itself", typed("%z = OpConstantComposite %vec3 %z %z %z\n", "%r = OpCopyObject %vec3 %z\n")},
		{"specialization that divides by zero", typed("%z = OpSpecConstantOp %uint UDiv %c7 %c0\n", "OpStore %out %z\n")},
	} {
		_, err := lower.Program(decode(t, c.text), lower.Options{})
		var le *lower.Error
		if err == nil {
			t.Errorf("%s: no error", c.name)
		} else if !errors.As(err, &le) {
			t.Errorf("%s: %v is no *lower.Error", c.name, err)
		}
		fmt.Fprintf(&b, "%s:\n\t%v\n", c.name, err)
	}
	golden(t, "refusals.txt", b.String())
}

// TestRefusedKernel checks that a kernel that cannot be lowered does not keep
// another one of its module from it.
func TestRefusedKernel(t *testing.T) {
	text := strings.Replace(kernelText("", "", ""), "OpDecorate", "OpEntryPoint Kernel %bad \"bad\"\nOpDecorate", 1) +
		"%bad = OpFunction %void None %fn\n%b1 = OpFunctionParameter %pg\n%be = OpLabel\nOpControlBarrier %c1 %c1 %c0\n" + end
	p, err := lower.Program(decode(t, text), lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Kernel("f") == nil || p.Kernel("bad") != nil || len(p.Refused) != 1 || p.Refused[0].Name != "bad" || p.Refused[0].Reason == nil {
		t.Errorf("kernels %v, refused %v", p.Kernels, p.Refused)
	}
}

func TestMaxInstructions(t *testing.T) {
	text := straightLine(1000)
	if _, err := lower.Program(decode(t, text), lower.Options{MaxInstructions: 2000}); err != nil {
		t.Error(err)
	}
	if _, err := lower.Program(decode(t, text), lower.Options{MaxInstructions: 900}); err == nil || !strings.Contains(err.Error(), "more than 900 instructions") {
		t.Errorf("error %v", err)
	}
}

// TestSpecConstants gives specialization constants values of every kind.
func TestSpecConstants(t *testing.T) {
	text := kernelText("OpDecorate %s SpecId 1\nOpDecorate %b SpecId 2\nOpDecorate %bf SpecId 3\n", `%s = OpSpecConstant %uint 6
%b = OpSpecConstantTrue %bool
%bf = OpSpecConstantFalse %bool
%e = OpSpecConstantOp %bool LogicalOr %bf %b
%r = OpSpecConstantOp %uint Select %e %s %c1
%r2 = OpSpecConstantOp %uint ShiftLeftLogical %r %c1
`, "OpStore %out %r2\n")
	for _, c := range []struct {
		spec map[uint32]uint64
		want string
	}{
		{nil, ", 12\n"}, {map[uint32]uint64{1: 20, 9: 9}, ", 40\n"}, {map[uint32]uint64{2: 0}, ", 2\n"}, {map[uint32]uint64{2: 0, 3: 77}, ", 12\n"},
		{map[uint32]uint64{1: 1<<40 | 3}, ", 6\n"},
	} {
		if got := textOf(t, text, lower.Options{SpecConstants: c.spec}); !strings.Contains(got, c.want) {
			t.Errorf("%v: no %q in\n%s", c.spec, c.want, got)
		}
	}
}

func textOf(t *testing.T, source string, opt lower.Options) string {
	t.Helper()
	return text(t, decode(t, source), opt)
}

// TestScopeOfArgument lowers a barrier whose scope is an argument of its function: a constant in each call.
func TestScopeOfArgument(t *testing.T) {
	text := head + types + "%c2 = OpConstant %uint 2\n%c3 = OpConstant %uint 3\n%wfn = OpTypeFunction %void %uint\n%wait = OpFunction %void None %wfn\n" +
		"%scope = OpFunctionParameter %uint\n%we = OpLabel\nOpControlBarrier %scope %scope %c0\n" + end + begin +
		"%r1 = OpFunctionCall %void %wait %c2\n%r2 = OpFunctionCall %void %wait %c3\n" + end
	got := textOf(t, text, lower.Options{})
	for _, want := range []string{"barrier.workgroup", "barrier.subgroup"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
