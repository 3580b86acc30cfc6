package validate_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func assemble(t testing.TB, text string) *spirv.Module {
	t.Helper()
	m, err := asm.AssembleModule(text, asm.Options{Version: 0x00010300})
	if err != nil {
		t.Fatalf("the module does not assemble: %v", err)
	}
	return m
}

func base(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/base.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// edit makes changes "old => new" to a text; old must be a line, or end with one, exactly once. New
// lines are separated by "; ".
func edit(t testing.TB, text string, changes []string) string {
	t.Helper()
	for _, change := range changes {
		old, replacement, ok := strings.Cut(change, " => ")
		if !ok {
			t.Fatalf("%q is no change", change)
		}
		if n := strings.Count(text, old+"\n"); n != 1 {
			t.Fatalf("%q stands %d times in the module", old, n)
		}
		text = strings.Replace(text, old+"\n", strings.ReplaceAll(replacement, "; ", "\n")+"\n", 1)
	}
	return text
}

// cases provoke rules by changes to the base module. Several errors of the same rule are fine, but no
// other rule may be broken.
var cases = []struct {
	rule    string
	changes []string
}{
	{"id-defined", []string{"%add = OpIAdd %int %n %c1 => %add = OpIAdd %int %n %nowhere"}},
	{"ext-inst-set", []string{`%gac = OpExtInstImport "NonSemantic.Codeplay.GroupAsyncCopies" => %gac = OpExtInstImport "GLSL.std.450"`,
		"%ev2 = OpExtInst %event %gac 1 %loc %l0 %buf %l0 %l2 %l2 %l2 %l2 %l2 %noevent => %ev2 = OpExtInst %float %gac Round %f1"}},
	{"id-kind", []string{"%add = OpIAdd %int %n %c1 => %add = OpIAdd %int %n %int"}},
	{"id-kind", []string{"%add = OpIAdd %int %n %c1 => %add = OpIAdd %n %n %n"}},
	{"id-kind", []string{"%call = OpFunctionCall %int %helper %n %buf => %call = OpFunctionCall %int %n %n %buf"}},
	{"id-kind", []string{"OpBranch %merge => OpBranch %n"}},
	{"id-kind", []string{"%p_int = OpTypePointer CrossWorkgroup %int => %p_int = OpTypePointer CrossWorkgroup %c1"}},
	{"id-kind", []string{"OpSource OpenCL_C 200000 %file => OpSource OpenCL_C 200000 %std"}},
	{"placement", []string{"%add = OpIAdd %int %n %c1 => %stray = OpConstant %int 7"}},
	{"placement", []string{"%arrval = OpConstantComposite %arr %c0 %c1 %c2 %c4 => %arrval = OpConstantComposite %arr %c0 %c1 %c2 %c4; %stray = OpIAdd %int %c0 %c1"}},
	{"function-frame", []string{"%in_then = OpIMul %int %n %n => %in_then = OpIMul %int %n %n; %late = OpFunctionParameter %int"}},
	{"function-frame", []string{"%h_sum = OpIAdd %int %h_a %c1 => %h_sum = OpIAdd %int %h_a %c1; OpReturnValue %h_sum; %odd = OpFunction %void None %fn_import; OpFunctionEnd; %odder = OpFunction %int None %fn_helper; %o_a = OpFunctionParameter %int; %o_p = OpFunctionParameter %p_int; %o_entry = OpLabel"}},
	{"block-terminator", []string{"OpReturnValue %h_sum => OpNop"}},
	{"block-terminator", []string{"OpBranch %merge => OpNop"}},
	{"memory-model", []string{"OpMemoryModel Physical64 OpenCL => OpMemoryModel Logical OpenCL"}},
	{"memory-model", []string{"OpMemoryModel Physical64 OpenCL => OpMemoryModel Physical64 OpenCL; OpMemoryModel Physical64 OpenCL"}},
	{"memory-model", []string{"OpMemoryModel Physical64 OpenCL => OpNop"}},
	{"capability-missing", []string{"OpCapability Int16 => OpNop"}},
	{"capability-missing", []string{"OpCapability GroupNonUniformBallot => OpNop"}},
	{"capability-missing", []string{"OpCapability GenericPointer => OpNop"}},
	{"capability-extension", []string{"OpCapability Int16 => OpCapability Int16; OpCapability SubgroupShuffleINTEL"}},
	{"type-forward", []string{"%arr = OpTypeArray %int %c4 => OpTypeForwardPointer %int Function; %arr = OpTypeArray %int %c4"}},
	{"type-recursion", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %loop = OpTypeStruct %int %loop"}},
	{"int-width", []string{"%short = OpTypeInt 16 0 => %short = OpTypeInt 65 0"}},
	{"float-width", []string{"%arr = OpTypeArray %int %c4 => %f80 = OpTypeFloat 80; %arr = OpTypeArray %int %c4"}},
	{"type-vector", []string{"%bool4 = OpTypeVector %bool 4 => %bool4 = OpTypeVector %bool 4; %vv = OpTypeVector %bool4 2"}},
	{"type-vector", []string{"%bool4 = OpTypeVector %bool 4 => %bool4 = OpTypeVector %bool 4; %v17 = OpTypeVector %bool 17"}},
	{"type-array", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %none = OpTypeArray %int %c0"}},
	{"type-array", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %none = OpTypeArray %void %c1"}},
	{"type-member", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %none = OpTypeStruct %void"}},
	{"type-function", []string{"%fn_import = OpTypeFunction %void => %fn_import = OpTypeFunction %void; %odd = OpTypeFunction %int %void"}},
	{"type-matrix", []string{"OpCapability Kernel => OpCapability Kernel; OpCapability CooperativeMatrixKHR",
		"%bvec4 = OpConstantComposite %bool4 %true %true %true %true => %bvec4 = OpConstantComposite %bool4 %true %true %true %true; %cm = OpTypeCooperativeMatrixKHR %bool %c4 %c4 %c4 %c0"}},
	{"type-image", []string{"%sampler = OpTypeSampler => %sampler = OpTypeSampler; %ms = OpTypeImage %void 2D 3 0 0 0 Unknown ReadOnly"}},
	{"scope-semantics", []string{"OpControlBarrier %c2 %c2 %acqrel => OpControlBarrier %l2 %c2 %acqrel"}},
	{"scope-semantics", []string{"OpControlBarrier %c2 %c2 %acqrel => OpControlBarrier %acqrel %c2 %acqrel"}},
	{"constant-type", []string{"%d1 = OpConstant %double 1 => %d1 = OpConstant %double 1; %odd = OpConstantTrue %int"}},
	{"constant-type", []string{"%vec2 = OpConstantComposite %int2 %c0 %c1 => %vec2 = OpConstantComposite %int2 %c0 %f1"}},
	{"constant-type", []string{"%vec2 = OpConstantComposite %int2 %c0 %c1 => %vec2 = OpConstantComposite %int2 %c0 %c1; %odd = OpConstantComposite %int2 %c0"}},
	{"constant-type", []string{"%noevent = OpConstantNull %event => %noevent = OpConstantNull %event; %odd = OpConstantNull %image_r"}},
	{"constant-operand", []string{"%arrval = OpConstantComposite %arr %c0 %c1 %c2 %c4 => %arrval = OpConstantComposite %arr %late %c1 %c2 %c4; %late = OpConstant %int 9"}},
	{"constant-operand", []string{"%specsum = OpSpecConstantOp %int IAdd %spec %c1 => %specsum = OpSpecConstantOp %int IAdd %spec %n"}},
	{"operand-type", []string{"%specsum = OpSpecConstantOp %int IAdd %spec %c1 => %specsum = OpSpecConstantOp %int IAdd %spec %l0"}},
	{"variable-type", []string{"%shared = OpVariable %p_local_int Workgroup => %shared = OpVariable %int Workgroup"}},
	{"variable-storage", []string{"%shared = OpVariable %p_local_int Workgroup => %shared = OpVariable %p_local_int CrossWorkgroup"}},
	{"variable-storage", []string{"%shared = OpVariable %p_local_int Workgroup => %shared = OpVariable %p_fi Function"}},
	{"variable-storage", []string{"%v_f = OpVariable %p_f Function => %v_f = OpVariable %p_f Function; %odd = OpVariable %p_local_int Workgroup"}},
	{"variable-initializer", []string{"%table = OpVariable %p_const_arr UniformConstant %arrval => %table = OpVariable %p_const_arr UniformConstant %vec4"}},
	{"variable-initializer", []string{"%v_i = OpVariable %p_fi Function => %v_i = OpVariable %p_fi Function %n"}},
	{"builtin-type", []string{"OpDecorate %gid BuiltIn GlobalInvocationId => OpDecorate %gid BuiltIn SubgroupSize"}},
	{"builtin-type", []string{"%shared = OpVariable %p_local_int Workgroup => %shared = OpVariable %p_local_int Workgroup; %p_l3 = OpTypePointer Workgroup %long3; %odd = OpVariable %p_l3 Workgroup", "OpDecorate %spec SpecId 1 => OpDecorate %odd BuiltIn WorkgroupId"}},
	{"function-type", []string{"%h_a = OpFunctionParameter %int => %h_a = OpFunctionParameter %long", "%h_sum = OpIAdd %int %h_a %c1 => %h_sum = OpIAdd %int %c1 %c1"}},
	{"function-type", []string{"%import = OpFunction %void None %fn_import => %import = OpFunction %void None %fn_import; %extra = OpFunctionParameter %int"}},
	{"function-type", []string{"%import = OpFunction %void None %fn_import => %import = OpFunction %int None %fn_import"}},
	{"function-body", []string{`OpDecorate %import LinkageAttributes "elsewhere" Import => OpDecorate %import LinkageAttributes "elsewhere" Export`}},
	{"function-body", []string{`OpDecorate %import LinkageAttributes "elsewhere" Import => OpDecorate %import LinkageAttributes "elsewhere" Import; OpDecorate %helper LinkageAttributes "helper" Import`}},
	{"param-byval", []string{"OpDecorate %byval FuncParamAttr ByVal => OpDecorate %byval FuncParamAttr ByVal; OpDecorate %n FuncParamAttr ByVal"}},
	{"branch-condition", []string{"OpBranchConditional %lt %then %merge => OpBranchConditional %n %then %merge"}},
	{"branch-condition", []string{"OpBranchConditional %lt %then %merge => OpBranchConditional %lt %then %merge 3"}},
	{"switch-selector", []string{"OpSwitch %phi %done 1 %one 2 %two => OpSwitch %phi %done 1 %one 1 %two"}},
	{"branch-target", []string{"OpBranch %merge => OpBranch %h_entry"}},
	{"branch-entry", []string{"%done = OpLabel; OpReturn => %done = OpLabel; OpBranch %entry"}},
	{"return-type", []string{"OpReturnValue %h_sum => OpReturn"}},
	{"return-type", []string{"OpReturnValue %h_sum => OpReturnValue %h_p"}},
	{"return-type", []string{"%done = OpLabel; OpReturn => %done = OpLabel; OpReturnValue %n"}},
	{"phi-place", []string{"%phi = OpPhi %int %n %entry %in_then %then => %early = OpIAdd %int %n %n; %phi = OpPhi %int %n %entry %in_then %then"}},
	{"phi-type", []string{"%phi = OpPhi %int %n %entry %in_then %then => %phi = OpPhi %int %f1 %entry %in_then %then"}},
	{"phi-parents", []string{"%phi = OpPhi %int %n %entry %in_then %then => %phi = OpPhi %int %n %entry"}},
	{"phi-parents", []string{"%phi = OpPhi %int %n %entry %in_then %then => %phi = OpPhi %int %n %entry %in_then %then %n %one"}},
	{"phi-parents", []string{"%phi = OpPhi %int %n %entry %in_then %then => %phi = OpPhi %int %n %entry %in_then %then %n %then"}},
	{"dominance", []string{"%phi = OpPhi %int %n %entry %in_then %then => %phi = OpPhi %int %in_then %entry %in_then %then"}},
	{"dominance", []string{"%one = OpLabel => %one = OpLabel; %use = OpIAdd %int %in_then %n"}},
	{"dominance", []string{"%add = OpIAdd %int %n %c1 => %add = OpIAdd %int %neg %c1"}},
	{"dominance", []string{"%add = OpIAdd %int %n %c1 => %add = OpIAdd %int %h_sum %c1"}},
	{"call-signature", []string{"%call = OpFunctionCall %int %helper %n %buf => %call = OpFunctionCall %int %helper %n"}},
	{"call-signature", []string{"%call = OpFunctionCall %int %helper %n %buf => %call = OpFunctionCall %int %helper %n %loc"}},
	{"call-signature", []string{"%call = OpFunctionCall %int %helper %n %buf => %call = OpFunctionCall %long %helper %n %buf"}},
	{"recursion", []string{"%h_sum = OpIAdd %int %h_a %c1 => %h_sum = OpFunctionCall %int %helper %h_a %h_p"}},
	{"entry-point", []string{`OpEntryPoint Kernel %kernel "main" %gid => OpEntryPoint Kernel %kernel "main" %gid; OpEntryPoint Kernel %kernel "main" %gid`}},
	{"entry-point", []string{`OpEntryPoint Kernel %kernel "main" %gid => OpEntryPoint Kernel %kernel "main" %gid; OpEntryPoint Kernel %import "import"`}},
	{"entry-point", []string{`OpEntryPoint Kernel %kernel "main" %gid => OpEntryPoint Kernel %kernel "main" %gid; OpEntryPoint Kernel %helper "helper"`}},
	{"entry-point", []string{`OpEntryPoint Kernel %kernel "main" %gid => OpEntryPoint Kernel %kernel "main" %c1`}},
	{"execution-mode", []string{"OpExecutionMode %kernel LocalSize 8 1 1 => OpExecutionMode %helper LocalSize 8 1 1"}},
	{"execution-mode", []string{"OpExecutionMode %kernel LocalSize 8 1 1 => OpExecutionMode %kernel LocalSize 8 0 1"}},
	{"ext-inst-type", []string{"%sine = OpExtInst %float %std sin %conv => %sine = OpExtInst %float %std sin %n"}},
	{"ext-inst-type", []string{"%fract = OpExtInst %float %std fract %conv %v_f => %fract = OpExtInst %float %std fract %conv %v_i"}},
	{"ext-inst-type", []string{"%load4 = OpExtInst %int4 %std vloadn %l0 %buf 4 => %load4 = OpExtInst %int4 %std vloadn %l0 %buf 3"}},
	{"ext-inst-type", []string{"%load4 = OpExtInst %int4 %std vloadn %l0 %buf 4 => %load4 = OpExtInst %int4 %std vloadn %c0 %buf 4"}},
	{"ext-inst-type", []string{"%ev2 = OpExtInst %event %gac 1 %loc %l0 %buf %l0 %l2 %l2 %l2 %l2 %l2 %noevent => %ev2 = OpExtInst %event %gac 1 %loc %l0 %buf %l0 %l2 %l2 %l2 %l2 %c1 %noevent"}},
	{"async-copy", []string{"%ev2 = OpExtInst %event %gac 1 %loc %l0 %buf %l0 %l2 %l2 %l2 %l2 %l2 %noevent => %ev2 = OpExtInst %event %gac 1 %loc %l0 %shared %l0 %l2 %l2 %l2 %l2 %l2 %noevent"}},
	{"async-copy", []string{"%ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %l2 %noevent => %ev = OpGroupAsyncCopy %event %c2 %buf %buf %l2 %l2 %noevent"}},
	{"storage-write", []string{"OpStore %elem %val Aligned 4 => OpStore %tab %val Aligned 4"}},
	{"atomic-storage", []string{"%aload = OpAtomicLoad %int %elem %c1 %c0 => %aload = OpAtomicLoad %int %tab %c1 %c0"}},
	{"access-qualifier", []string{"%put = OpWritePipe %int %pw %packet %c4 %c4 => %put = OpWritePipe %int %pr %packet %c4 %c4"}},
	{"access-qualifier", []string{"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReadPipe %int %pw %packet %c4 %c4"}},
	{"access-qualifier", []string{"%made = OpCreatePipeFromPipeStorage %pipe_w %link => %made = OpCreatePipeFromPipeStorage %pipe_r %link"}},
	{"access-qualifier", []string{"%pipe_w = OpTypePipe WriteOnly => %pipe_w = OpTypePipe ReadWrite"}},
	{"pipe-storage", []string{"%link = OpConstantPipeStorage %storage 8 4 16 => %link = OpConstantPipeStorage %storage 0 1 16"}},
	{"pipe-storage", []string{"%link = OpConstantPipeStorage %storage 8 4 16 => %link = OpConstantPipeStorage %storage 8 0 16"}},
	{"pipe-storage", []string{"%link = OpConstantPipeStorage %storage 8 4 16 => %link = OpConstantPipeStorage %storage 8 3 16"}},
	{"pipe-storage", []string{"%link = OpConstantPipeStorage %storage 8 4 16 => %link = OpConstantPipeStorage %storage 8 16 16"}},
	{"pipe-operand", []string{"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReadPipe %long %pr %packet %c4 %c4"}},
	{"pipe-operand", []string{"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReadPipe %int %pr %v_i %c4 %c4"}},
	{"pipe-operand", []string{"OpWritePipeBlockingALTERA %made %packet %c4 %c4 => OpWritePipeBlockingALTERA %made %packet %c2 %c4"}},
	{"pipe-operand", []string{"%count = OpGetNumPipePackets %int %pr %c4 %c4 => %count = OpGetNumPipePackets %short %pr %c4 %c4"}},
	{"pipe-operand", []string{"%res = OpReserveReadPipePackets %rid %pr %c1 %c4 %c4 => %res = OpReserveReadPipePackets %rid %pr %c1 %c0 %c4"}},
	{"operand-loose", []string{"%made = OpCreatePipeFromPipeStorage %pipe_w %link => %made = OpCreatePipeFromPipeStorage %pipe_w %description"}},
	{"constant-type", []string{"%norid = OpConstantNull %rid => %norid = OpConstantNull %storage"}},
	{"constant-type", []string{"%link = OpConstantPipeStorage %storage 8 4 16 => %link = OpConstantPipeStorage %rid 8 4 16"}},
	{"capability-extension", []string{`OpExtension "SPV_INTEL_blocking_pipes" => OpExtension "SPV_INTEL_io_pipes"`}},
	{"capability-missing", []string{"OpCapability PipeStorage => OpCapability Matrix"}},
	{"capability-missing", []string{"OpCapability BlockingPipesALTERA => OpCapability Matrix"}},
	{"access-qualifier", []string{"OpImageWrite %imgw %vec2 %rd => OpImageWrite %img %vec2 %rd"}},
	{"access-qualifier", []string{"%rd = OpImageRead %float4 %img %vec2 => %rd = OpImageRead %float4 %imgw %vec2"}},

	{"section-order", []string{"%spec = OpSpecConstant %int 5 => %spec = OpSpecConstant %int 5; OpCapability Pipes"}},
	{"version", []string{"OpCapability Int16 => OpCapability Int16; OpCapability GroupNonUniformRotateKHR"}},
	{"id-order", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %early = OpTypePointer Function %late; %late = OpTypeStruct %int"}},
	{"type-unique", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %again = OpTypeInt 32 0"}},
	{"int-width-odd", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %i33 = OpTypeInt 33 0"}},
	{"int-signedness", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %signed = OpTypeInt 32 1"}},
	{"vector-count", []string{"%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %v5 = OpTypeVector %int 5"}},
	{"convert-width", []string{"%trunc = OpUConvert %short %n => %trunc = OpUConvert %int %n"}},
	{"operand-loose", []string{"%member = OpInBoundsPtrAccessChain %p_fvec %byval %l0 %c1 => %member = OpInBoundsPtrAccessChain %p_f %byval %l0 %c1"}},
	{"vector-count", []string{"%noevent = OpConstantNull %event => %noevent = OpConstantNull %event; %vec1 = OpTypeVector %int 1"}},
	{"operand-loose", []string{"OpSource OpenCL_C 200000 %file => OpSource !4321 200000 %file"}},
	{"operand-loose", []string{"%any = OpAny %bool %bvec4 => %any = OpAny %bool %vec4"}},
	{"operand-loose", []string{"%part = OpCompositeExtract %int %built 3 => %part = OpCompositeExtract %int %built 4"}},
	{"operand-loose", []string{"%sine = OpExtInst %float %std sin %conv => %sine = OpExtInst %float4 %std ldexp %fvec4 %n"}},
	{"operand-loose", []string{"%ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %l2 %noevent => %ev = OpGroupAsyncCopy %event %c2 %loc %buf %c2 %l2 %noevent"}},
	{"operand-loose", []string{"%ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %l2 %noevent => %ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %c1 %noevent"}},
	{"operand-loose", []string{"%cast = OpBitcast %float %n => %cast = OpBitcast %i4 %bvec4", "%pair = OpTypeStruct %int %float4 => %pair = OpTypeStruct %int %float4; %i4 = OpTypeInt 4 0"}},
	{"operand-loose", []string{"%cast = OpBitcast %float %n => %cast = OpBitcast %bool8 %byte", "%c0 = OpConstant %int 0 => %c0 = OpConstant %int 0; %bool8 = OpTypeVector %bool 8; %byte = OpConstant %char 129"}},
	{"operand-loose", []string{"%toaddr = OpConvertPtrToU %long %buf => %toaddr = OpConvertPtrToU %long %buf; %pv = OpCompositeConstruct %p_int2 %buf %buf; %av = OpConvertPtrToU %long2 %pv",
		"%p_int = OpTypePointer CrossWorkgroup %int => %p_int = OpTypePointer CrossWorkgroup %int; %p_int2 = OpTypeVector %p_int 2; %long2 = OpTypeVector %long 2"}},
	{"operand-loose", []string{"%toaddr = OpConvertPtrToU %long %buf => %toaddr = OpConvertPtrToU %long %buf; %pv = OpConvertUToPtr %p_int3 %ids",
		"%p_int = OpTypePointer CrossWorkgroup %int => %p_int = OpTypePointer CrossWorkgroup %int; %p_int3 = OpTypeVector %p_int 3"}},
	{"operand-loose", []string{"OpDecorate %gid BuiltIn GlobalInvocationId => OpDecorate %gid BuiltIn GlobalInvocationId; OpDecorate %cross BuiltIn GlobalSize",
		"%gid = OpVariable %p_in Input => %gid = OpVariable %p_in Input; %p_cross = OpTypePointer CrossWorkgroup %long3; %cross = OpVariable %p_cross CrossWorkgroup"}},
	{"operand-loose", []string{"%gid = OpVariable %p_in Input => %gid = OpVariable %p_in Input; %constinit = OpVariable %p_farr Function %arrval"}},
	{"merge-place", []string{"%in_then = OpIMul %int %n %n; OpBranch %merge => OpBranch %loop; %loop = OpLabel; OpLoopMerge %merge %loop None; %in_then = OpPhi %int %n %then %in_then %loop; OpBranchConditional %lt %loop %merge",
		"%phi = OpPhi %int %n %entry %in_then %then => %phi = OpPhi %int %n %entry %in_then %loop"}},
	{"execution-mode", []string{"OpExecutionMode %kernel LocalSize 8 1 1 => OpExecutionModeId %kernel FPFastMathDefault %int %c0", "OpCapability Int16 => OpCapability Int16; OpCapability FloatControls2"}},
	{"execution-mode", []string{"OpExecutionMode %kernel LocalSize 8 1 1 => OpExecutionModeId %kernel FPFastMathDefault %float %f1", "OpCapability Int16 => OpCapability Int16; OpCapability FloatControls2"}},
	{"id-kind", []string{"OpExecutionMode %kernel LocalSize 8 1 1 => OpExecutionModeId %kernel FPFastMathDefault %f1 %c0", "OpCapability Int16 => OpCapability Int16; OpCapability FloatControls2"}},
	{"semantics-order", []string{"%acqrel = OpConstant %int 264 => %acqrel = OpConstant %int 268"}},
	{"block-order", []string{"%one = OpLabel; OpBranch %done => %after = OpLabel; OpBranch %done; %one = OpLabel; OpBranch %after"}},
	{"variable-place", []string{"%add = OpIAdd %int %n %c1 => %add = OpIAdd %int %n %c1; %late = OpVariable %p_fi Function"}},
	{"merge-place", []string{"OpSelectionMerge %done None => OpSelectionMerge %done None; %late = OpIAdd %int %n %c1"}},
	{"phi-parent-once", []string{"%phi = OpPhi %int %n %entry %in_then %then => %phi = OpPhi %int %n %entry %in_then %then %in_then %then"}},
	{"entry-point-missing", []string{`OpEntryPoint Kernel %kernel "main" %gid => OpNop`, "OpExecutionMode %kernel LocalSize 8 1 1 => OpNop",
		"OpCapability Linkage => OpNop", `OpDecorate %gid LinkageAttributes "__spirv_BuiltInGlobalInvocationId" Import => OpNop`,
		`OpDecorate %import LinkageAttributes "elsewhere" Import => OpNop`, "%import = OpFunction %void None %fn_import; OpFunctionEnd => OpNop",
		"%nothing = OpFunctionCall %void %import => OpNop"}},
	{"entry-point-interface", []string{`OpEntryPoint Kernel %kernel "main" %gid => OpEntryPoint Kernel %kernel "main"`}},
	{"atomic-capability", []string{"%v_i = OpVariable %p_fi Function => %v_i = OpVariable %p_fi Function; %v_l = OpVariable %p_fl Function",
		"%p_fi = OpTypePointer Function %int => %p_fi = OpTypePointer Function %int; %p_fl = OpTypePointer Function %long",
		"%aload = OpAtomicLoad %int %elem %c1 %c0 => %aload = OpAtomicLoad %long %v_l %c1 %c0"}},
	{"entry-point-called", []string{`OpEntryPoint Kernel %kernel "main" %gid => OpEntryPoint Kernel %kernel "main" %gid; OpEntryPoint Kernel %callee "callee"`,
		"%kernel = OpFunction %void None %fn_kernel => %callee = OpFunction %void None %fn_import; %c_entry = OpLabel; OpReturn; OpFunctionEnd; %kernel = OpFunction %void None %fn_kernel",
		"%nothing = OpFunctionCall %void %import => %nothing = OpFunctionCall %void %callee"}},
}

// typed are changes to single instructions, each of which breaks operand-type.
var typed = []string{
	"%add = OpIAdd %int %n %c1 => %add = OpIAdd %int %n %l0",
	"%add = OpIAdd %int %n %c1 => %add = OpIAdd %float %n %c1",
	"%neg = OpSNegate %int %n => %neg = OpSNegate %int %f1",
	"%shl = OpShiftLeftLogical %int %n %c1 => %shl = OpShiftLeftLogical %int %n %vec2",
	"%trunc = OpUConvert %short %n => %trunc = OpUConvert %short %vec2",
	"%conv = OpConvertSToF %float %n => %conv = OpConvertSToF %float %f1",
	"%toint = OpConvertFToS %int %conv => %toint = OpConvertFToS %int %n",
	"%fadd = OpFAdd %float %conv %f1 => %fadd = OpFAdd %float %conv %d1",
	"%wide = OpFConvert %double %conv => %wide = OpFConvert %double %fvec4",
	"%scaled = OpVectorTimesScalar %float4 %fvec4 %conv => %scaled = OpVectorTimesScalar %float4 %fvec4 %d1",
	"%dot = OpDot %float %fvec4 %scaled => %dot = OpDot %float %fvec4 %conv",
	"%flt = OpFOrdLessThan %bool %conv %f1 => %flt = OpFOrdLessThan %bool %conv %d1",
	"%lt = OpSLessThan %bool %n %c4 => %lt = OpSLessThan %bool %n %l2",
	"%both = OpLogicalAnd %bool %lt %flt => %both = OpLogicalAnd %bool %lt %n",
	"%nan = OpIsNan %bool %conv => %nan = OpIsNan %bool %n",
	"%any = OpAny %bool %bvec4 => %any = OpAny %bool %fvec4",
	"%sel = OpSelect %int %lt %n %c1 => %sel = OpSelect %int %lt %n %f1",
	"%sel = OpSelect %int %lt %n %c1 => %sel = OpSelect %int %n %n %c1",
	"%selv = OpSelect %int4 %bvec4 %vec4 %vec4 => %selv = OpSelect %int2 %bvec4 %vec2 %vec2",
	"%carry = OpIAddCarry %sum %n %c1 => %carry = OpIAddCarry %pair %n %c1",
	"%carry = OpIAddCarry %sum %n %c1 => %carry = OpIAddCarry %sum %n %l0",
	"%bits = OpBitCount %int %n => %bits = OpBitCount %int2 %n",
	"%cast = OpBitcast %float %n => %cast = OpBitcast %double %n",
	"%cast = OpBitcast %float %n => %cast = OpBitcast %char %bvec4",
	"%bits = OpBitCount %int %n => %bits = OpSizeOf %long %buf",
	"%bits = OpBitCount %int %n => %bits = OpSizeOf %int %n",
	"%bits = OpBitCount %int %n => %bits = OpSizeOf %int %pair",
	"%toaddr = OpConvertPtrToU %long %buf => %toaddr = OpConvertPtrToU %long %n",
	"%toaddr = OpConvertPtrToU %long %buf => %toaddr = OpConvertPtrToU %long3 %buf",
	"%toptr = OpConvertUToPtr %p_int %toaddr => %toptr = OpConvertUToPtr %p_int %f1",
	"%gen = OpPtrCastToGeneric %p_generic %buf => %gen = OpPtrCastToGeneric %p_generic %tab2",
	"%ungen = OpGenericCastToPtr %p_int %gen => %ungen = OpGenericCastToPtr %p_f %gen",
	"%elem = OpInBoundsPtrAccessChain %p_int %buf %id => %elem = OpInBoundsPtrAccessChain %p_int %buf %f1",
	"%elem = OpInBoundsPtrAccessChain %p_int %buf %id => %elem = OpInBoundsPtrAccessChain %p_local_int %buf %id",
	"%tab = OpInBoundsAccessChain %p_const_int %table %c2 => %tab = OpInBoundsAccessChain %p_const_int %table %c2 %c2",
	"%member = OpInBoundsPtrAccessChain %p_fvec %byval %l0 %c1 => %member = OpInBoundsPtrAccessChain %p_fvec %byval %l0 %c2",
	"%member = OpInBoundsPtrAccessChain %p_fvec %byval %l0 %c1 => %member = OpInBoundsPtrAccessChain %p_fvec %byval %l0 %n",
	"%val = OpLoad %int %elem Aligned 4 => %val = OpLoad %int %n Aligned 4",
	"%const = OpLoad %int %tab Aligned 4 => %const = OpLoad %long %tab Aligned 4",
	"OpStore %elem %val Aligned 4 => OpStore %elem %f1 Aligned 4",
	"OpCopyMemorySized %elem %buf %l2 => OpCopyMemorySized %elem %n %l2",
	"OpCopyMemorySized %elem %buf %l2 => OpCopyMemorySized %elem %buf %f1",
	"OpCopyMemorySized %elem %buf %l2 => OpCopyMemory %elem %v_f",
	"%xdyn = OpVectorExtractDynamic %int %vec4 %n => %xdyn = OpVectorExtractDynamic %float %vec4 %n",
	"%idyn = OpVectorInsertDynamic %int4 %vec4 %n %c1 => %idyn = OpVectorInsertDynamic %int4 %vec4 %f1 %c1",
	"%idyn = OpVectorInsertDynamic %int4 %vec4 %n %c1 => %idyn = OpVectorInsertDynamic %int4 %vec4 %n %f1",
	"%shuf = OpVectorShuffle %int2 %vec4 %vec2 0 5 => %shuf = OpVectorShuffle %int2 %vec4 %vec2 0 6",
	"%shuf = OpVectorShuffle %int2 %vec4 %vec2 0 5 => %shuf = OpVectorShuffle %int2 %vec4 %vec2 0",
	"%built = OpCompositeConstruct %int4 %vec2 %n %c1 => %built = OpCompositeConstruct %int4 %vec2 %n",
	"%built = OpCompositeConstruct %int4 %vec2 %n %c1 => %built = OpCompositeConstruct %int4 %vec2 %n %f1",
	"%part = OpCompositeExtract %int %built 3 => %part = OpCompositeExtract %float %built 3",
	"%ins = OpCompositeInsert %int4 %n %built 1 => %ins = OpCompositeInsert %int4 %f1 %built 1",
	"%old = OpAtomicIAdd %int %elem %c1 %acqrel %c1 => %old = OpAtomicIAdd %int %elem %c1 %acqrel %l0",
	"%old = OpAtomicIAdd %int %elem %c1 %acqrel %c1 => %old = OpAtomicIAdd %float %v_f %c1 %acqrel %f1",
	"%cas = OpAtomicCompareExchange %int %elem %c1 %acqrel %c0 %c1 %c2 => %cas = OpAtomicCompareExchange %int %elem %c1 %acqrel %c0 %c1 %f1",
	"%aload = OpAtomicLoad %int %elem %c1 %c0 => %aload = OpAtomicLoad %long %elem %c1 %c0",
	"%bcast = OpGroupBroadcast %int %c2 %n %l0 => %bcast = OpGroupBroadcast %int %c2 %f1 %l0",
	"%gsum = OpGroupIAdd %int %c2 Reduce %n => %gsum = OpGroupIAdd %int %c2 Reduce %f1",
	"%nusum = OpGroupNonUniformIAdd %int %c2 Reduce %n => %nusum = OpGroupNonUniformIAdd %int %c2 Reduce %n %f1",
	"%ballot = OpGroupNonUniformBallot %int4 %c2 %lt => %ballot = OpGroupNonUniformBallot %int2 %c2 %lt",
	"%ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %l2 %noevent => %ev = OpGroupAsyncCopy %event %c2 %loc %buf %f1 %l2 %noevent",
	"%ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %l2 %noevent => %ev = OpGroupAsyncCopy %int %c2 %loc %buf %l2 %l2 %noevent",
	"%ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %l2 %noevent => %ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %l2 %l2",
	"%ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %l2 %noevent => %sh = OpUConvert %short %n; %ev = OpGroupAsyncCopy %event %c2 %loc %buf %l2 %sh %noevent",
	"OpGroupWaitEvents %c2 %c1 %v_e => OpGroupWaitEvents %c2 %c1 %v_i",
	"%si = OpSampledImage %sampled %img %smp => %si = OpSampledImage %sampled %imgw %smp",
	"%pix = OpImageSampleExplicitLod %float4 %si %vec2 Lod %f1 => %pix = OpImageSampleExplicitLod %float4 %si %c1 Lod %f1",
	"%pix = OpImageSampleExplicitLod %float4 %si %vec2 Lod %f1 => %pix = OpImageSampleExplicitLod %float4 %si %vec2 Lod %n",
	"%rd = OpImageRead %float4 %img %vec2 => %rd = OpImageRead %float4 %img %fvec4",
	"OpImageWrite %imgw %vec2 %rd => OpImageWrite %imgw %vec2 %vec2",
	"%size = OpImageQuerySize %int2 %img => %size = OpImageQuerySize %int3 %img",
	"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReadPipe %int %pr %packet %l2 %c4",
	"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReadPipe %int %n %packet %c4 %c4",
	"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReadPipe %float %pr %packet %c4 %c4",
	"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReadPipe %int %pr %n %c4 %c4",
	"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReservedReadPipe %int %pr %norid %l2 %packet %c4 %c4",
	"%got = OpReadPipe %int %pr %packet %c4 %c4 => %got = OpReservedReadPipe %int %pr %c1 %c1 %packet %c4 %c4",
	"OpWritePipeBlockingALTERA %made %packet %c4 %c4 => OpWritePipeBlockingALTERA %made %c4 %c4 %c4",
	"%made = OpCreatePipeFromPipeStorage %pipe_w %link => %made = OpCreatePipeFromPipeStorage %pipe_w %n",
	"%made = OpCreatePipeFromPipeStorage %pipe_w %link => %made = OpCreatePipeFromPipeStorage %pipe_w %buf",
	"%res = OpReserveReadPipePackets %rid %pr %c1 %c4 %c4 => %res = OpReserveReadPipePackets %int %pr %c1 %c4 %c4",
}

func rulesOf(errs validate.Errors) map[string]bool {
	out := map[string]bool{}
	for _, e := range errs {
		out[e.Rule] = true
	}
	return out
}

func levelOf(t *testing.T, rule string) validate.Level {
	t.Helper()
	for _, r := range validate.Rules() {
		if r.Name == rule {
			return r.Level
		}
	}
	t.Fatalf("%q is no rule", rule)
	return 0
}

// expect checks that a module breaks one rule and no other, at the level of the rule.
func expect(t *testing.T, m *spirv.Module, rule string) {
	t.Helper()
	errs := validate.Validate(m, validate.Options{Strict: true})
	got := rulesOf(errs)
	if len(got) != 1 || !got[rule] {
		t.Errorf("want %s, got:\n%v", rule, errs)
	}
	load := validate.Validate(m, validate.Options{})
	if strict := levelOf(t, rule) == validate.Strict; strict == (len(load) > 0) {
		t.Errorf("%s is of level %s, but loading gives:\n%v", rule, levelOf(t, rule), load)
	}
}

func TestBaseBreaksNoRule(t *testing.T) {
	if errs := validate.Validate(assemble(t, base(t)), validate.Options{Strict: true}); len(errs) > 0 {
		t.Error(errs)
	}
}

// TestAlternativesBreakNoRule has what the base module has no room for.
func TestAlternativesBreakNoRule(t *testing.T) {
	for _, changes := range [][]string{
		{"OpExecutionMode %kernel LocalSize 8 1 1 => OpExecutionModeId %kernel FPFastMathDefault %float %c0",
			"OpCapability Int16 => OpCapability Int16; OpCapability FloatControls2",
			`OpExtension "SPV_INTEL_blocking_pipes" => OpExtension "SPV_INTEL_blocking_pipes"; OpExtension "SPV_KHR_float_controls2"`},
		{"%bits = OpBitCount %int %n => %bits = OpSizeOf %int %buf"},
		{"%bits = OpBitCount %int %n => %bits = OpSizeOf %int %p_fpair"},
		{"%specsum = OpSpecConstantOp %int IAdd %spec %c1 => %specsum = OpSpecConstantOp %float FMod %f1 %f1"},
		{"%specsum = OpSpecConstantOp %int IAdd %spec %c1 => %specsum = OpSpecConstantOp %float FRem %f1 %f1"},
	} {
		if errs := validate.Validate(assemble(t, edit(t, base(t), changes)), validate.Options{Strict: true}); len(errs) > 0 {
			t.Errorf("%s: %v", changes[0], errs)
		}
	}
}

// broken returns the base module with the changes of a case, which may replace several lines.
func broken(t *testing.T, text string, changes []string) *spirv.Module {
	t.Helper()
	list := make([]string, len(changes))
	for i, ch := range changes {
		old, replacement, _ := strings.Cut(ch, " => ")
		list[i] = strings.ReplaceAll(old, "; ", "\n") + " => " + replacement
	}
	return assemble(t, edit(t, text, list))
}

// typedBase is the base module of the cases of operand-type.
func typedBase(t *testing.T) string {
	t.Helper()
	return strings.Replace(base(t), "%trunc = ", "%tab2 = OpInBoundsAccessChain %p_const_int %table %c1\n%trunc = ", 1)
}

func TestRules(t *testing.T) {
	text := base(t)
	for _, tc := range cases {
		t.Run(tc.rule, func(t *testing.T) { expect(t, broken(t, text, tc.changes), tc.rule) })
	}
}

// TestMessageTexts compares the message of each case with testdata/messages.txt.
func TestMessageTexts(t *testing.T) {
	var b strings.Builder
	put := func(what string, m *spirv.Module) {
		fmt.Fprintln(&b, what)
		for _, e := range validate.Validate(m, validate.Options{Strict: true}) {
			fmt.Fprintf(&b, "\t%s\n", e)
		}
	}
	text := base(t)
	for _, tc := range cases {
		put(strings.Join(tc.changes, "\n"), broken(t, text, tc.changes))
	}
	text = typedBase(t)
	for _, change := range typed {
		put(change, assemble(t, edit(t, text, []string{change})))
	}
	for i, tc := range rawCases {
		m := assemble(t, base(t))
		tc.change(t, m)
		put(fmt.Sprintf("raw case %d", i), m)
	}
	const path = "testdata/messages.txt"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Errorf("messages differ from %s; run the test with -update and read the difference:\n%s", path, d)
	}
}

func TestOperandTypes(t *testing.T) {
	text := typedBase(t)
	for _, change := range typed {
		name, _, _ := strings.Cut(change, " => ")
		t.Run(name, func(t *testing.T) {
			expect(t, assemble(t, edit(t, text, []string{change})), "operand-type")
		})
	}
}

// find gives the first instruction of an opcode. Its words may be changed.
func find(t *testing.T, m *spirv.Module, op spirv.Op) spirv.Inst {
	t.Helper()
	for _, in := range m.Insts {
		if in.Op() == op {
			return in
		}
	}
	t.Fatalf("the base module has no %s", op)
	return spirv.Inst{}
}

// rawCases provoke the rules that the assembler would not let a text break.
var rawCases = []struct {
	rule   string
	change func(t *testing.T, m *spirv.Module)
}{
	{"header", func(t *testing.T, m *spirv.Module) { m.Schema = 1 }},
	{"header", func(t *testing.T, m *spirv.Module) { m.Bound = 0 }},
	{"instruction-unknown", func(t *testing.T, m *spirv.Module) {
		in := find(t, m, spirv.OpIAdd)
		in.Words[0] = in.Words[0]&^0xffff | 0xfff0
	}},
	{"grammar", func(t *testing.T, m *spirv.Module) {
		in := find(t, m, spirv.OpName)
		in.Words[len(in.Words)-1] = 0x61616161
	}},
	{"grammar", func(t *testing.T, m *spirv.Module) {
		in := find(t, m, spirv.OpReturn)
		for i := range m.Insts {
			if m.Insts[i].Offset == in.Offset {
				m.Insts[i].Words = []uint32{2<<16 | uint32(spirv.OpReturn), 1}
			}
		}
	}},
	{"operand-loose", func(t *testing.T, m *spirv.Module) {
		in := find(t, m, spirv.OpConstantNull)
		for i := range m.Insts {
			if m.Insts[i].Offset == in.Offset {
				m.Insts[i].Words = []uint32{4<<16 | uint32(spirv.OpConstantNull), in.Words[1], in.Words[2], 0}
			}
		}
	}},
	{"enumerant", func(t *testing.T, m *spirv.Module) { find(t, m, spirv.OpTypePointer).Words[2] = 9999 }},
	{"enumerant", func(t *testing.T, m *spirv.Module) { find(t, m, spirv.OpSelectionMerge).Words[2] = 1 << 31 }},
	{"id-bound", func(t *testing.T, m *spirv.Module) { m.Bound-- }},
	{"id-bound", func(t *testing.T, m *spirv.Module) { find(t, m, spirv.OpIAdd).Words[3] = 0 }},
	{"id-unique", func(t *testing.T, m *spirv.Module) {
		find(t, m, spirv.OpSNegate).Words[2] = find(t, m, spirv.OpIAdd).Words[2]
	}},
	{"ext-inst-number", func(t *testing.T, m *spirv.Module) { find(t, m, spirv.OpExtInst).Words[4] = 3 }},
	{"capability-kernel", func(t *testing.T, m *spirv.Module) {
		var kept []spirv.Inst
		for _, in := range m.Insts {
			if in.Op() != spirv.OpCapability {
				kept = append(kept, in)
			}
		}
		m.Insts = kept
	}},
	{"storage-class", func(t *testing.T, m *spirv.Module) {
		// Uniform needs the capability Shader, which is declared in place of an unused one.
		for _, in := range m.Insts {
			if in.Op() == spirv.OpCapability && spirv.Capability(in.Operand(0)) == spirv.CapabilityVector16 {
				in.Words[1] = uint32(spirv.CapabilityShader)
			}
		}
		find(t, m, spirv.OpTypePointer).Words[2] = uint32(spirv.StorageClassUniform)
	}},
	{"constant-operation", func(t *testing.T, m *spirv.Module) {
		find(t, m, spirv.OpSpecConstantOp).Words[3] = uint32(spirv.OpFOrdEqual)
	}},
}

func TestRawWords(t *testing.T) {
	for _, tc := range rawCases {
		t.Run(tc.rule, func(t *testing.T) {
			m := assemble(t, base(t))
			tc.change(t, m)
			expect(t, m, tc.rule)
		})
	}
}

// TestEveryRuleHasACase proves that the table of rules and the cases are about the same rules.
func TestEveryRuleHasACase(t *testing.T) {
	have := map[string]bool{"operand-type": true}
	for _, tc := range cases {
		levelOf(t, tc.rule)
		have[tc.rule] = true
	}
	for _, tc := range rawCases {
		levelOf(t, tc.rule)
		have[tc.rule] = true
	}
	seen := map[string]bool{}
	for _, r := range validate.Rules() {
		if seen[r.Name] {
			t.Errorf("rule %s stands twice", r.Name)
		}
		seen[r.Name] = true
		if !have[r.Name] {
			t.Errorf("no case breaks %s", r.Name)
		}
		if r.Section == "" || r.Text == "" {
			t.Errorf("rule %s is not described", r.Name)
		}
	}
}
