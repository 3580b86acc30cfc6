package lower_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"os/exec"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// extension is a kernel that uses an extension and stores %r, an integer of 32 bits, for each work-item, whose
// number %g is.
type extension struct {
	name         string
	capabilities string // with blanks between them
	extensions   string // likewise
	decorations  string
	types        string
	functions    string // ahead of the kernel
	body         string
	want         func(g uint32) uint32
	// news says that spirv-val of 2023 does not know the instruction, or not all that the kernel has of it.
	news bool
}

func (x *extension) text() string {
	h := head
	for _, c := range strings.Fields(x.capabilities) {
		h = "OpCapability " + c + "\n" + h
	}
	for _, e := range strings.Fields(x.extensions) {
		h = strings.Replace(h, "OpMemoryModel", "OpExtension \""+e+"\"\nOpMemoryModel", 1)
	}
	at := "%at = OpInBoundsPtrAccessChain %pg %out %g64\nOpStore %at %r Aligned 4\n"
	return h + x.decorations + types + x.types + x.functions + begin + x.body + at + end
}

func clz16(g uint32) uint32 { return uint32(bits.LeadingZeros32(g * 977)) }

var extensions = []extension{
	{name: "integers of 7 bits", news: true, capabilities: "ArbitraryPrecisionIntegersALTERA", extensions: "SPV_INTEL_arbitrary_precision_integers",
		types: "%i7 = OpTypeInt 7 0\n%c = OpConstant %i7 100\n",
		body:  "%n = OpUConvert %i7 %g\n%m = OpIMul %i7 %n %c\n%q = OpSDiv %i7 %m %c\n%s = OpISub %i7 %q %n\n%r = OpSConvert %uint %s\n",
		want: func(g uint32) uint32 {
			s7 := func(x int32) int32 { return x << 25 >> 25 }
			return uint32(s7(s7(int32(g)*100)/s7(100) - int32(g)))
		}},
	{name: "integers of 47 bits", news: true, capabilities: "ArbitraryPrecisionIntegersALTERA", extensions: "SPV_INTEL_arbitrary_precision_integers",
		types: "%i47 = OpTypeInt 47 0\n%c = OpConstant %i47 0x400000000001\n%n40 = OpConstant %i47 40\n",
		body:  "%n = OpUConvert %i47 %g\n%m = OpIMul %i47 %n %c\n%q = OpShiftRightArithmetic %i47 %m %n40\n%r = OpSConvert %uint %q\n",
		want: func(g uint32) uint32 {
			return uint32(int64(uint64(g)*0x400000000001<<17) >> 17 >> 40)
		}},
	{name: "expectations", capabilities: "ExpectAssumeKHR", extensions: "SPV_KHR_expect_assume",
		body: "%lt = OpULessThan %bool %g %c7\nOpAssumeTrueKHR %lt\n%e = OpExpectKHR %uint %g %c7\n%r = OpIAdd %uint %e %c1\n",
		want: func(g uint32) uint32 { return g + 1 }},
	{name: "a function linked once", extensions: "SPV_KHR_linkonce_odr",
		decorations: "OpDecorate %h LinkageAttributes \"twice\" LinkOnceODR\n", types: "%hf = OpTypeFunction %uint %uint\n",
		functions: "%h = OpFunction %uint None %hf\n%ha = OpFunctionParameter %uint\n%he = OpLabel\n%hr = OpIAdd %uint %ha %ha\nOpReturnValue %hr\nOpFunctionEnd\n",
		body:      "%r = OpFunctionCall %uint %h %g\n", want: func(g uint32) uint32 { return 2 * g }},
	{name: "a function that is not optimized", capabilities: "OptNoneEXT", extensions: "SPV_INTEL_optnone",
		types:     "%hf = OpTypeFunction %uint %uint\n",
		functions: "%h = OpFunction %uint OptNoneINTEL %hf\n%ha = OpFunctionParameter %uint\n%he = OpLabel\n%hr = OpIMul %uint %ha %ha\nOpReturnValue %hr\nOpFunctionEnd\n",
		body:      "%r = OpFunctionCall %uint %h %g\n", want: func(g uint32) uint32 { return g * g }},
	{name: "no wrap and float controls", news: true, capabilities: "FloatControls2", extensions: "SPV_KHR_no_integer_wrap_decoration SPV_KHR_float_controls2",
		decorations: "OpDecorate %a NoUnsignedWrap\nOpDecorate %x FPFastMathMode NSZ\n", types: "%float = OpTypeFloat 32\n%f3 = OpConstant %float 3\n",
		body: "%a = OpIAdd %uint %g %c1\n%fa = OpConvertUToF %float %a\n%x = OpFMul %float %fa %f3\n%r = OpBitcast %uint %x\n",
		want: func(g uint32) uint32 { return math.Float32bits(float32(g+1) * 3) }},
	{name: "Booleans as bits", news: true, capabilities: "Vector16 Int8",
		types: "%byte = OpTypeInt 8 0\n%b8 = OpTypeVector %bool 8\n%byte4 = OpTypeVector %byte 4\n%b32 = OpConstant %byte 165\n",
		body: "%n = OpUConvert %byte %g\n%set = OpBitcast %b8 %n\n%t0 = OpCompositeExtract %bool %set 0\n%not = OpLogicalNot %bool %t0\n" +
			"%set2 = OpCompositeInsert %b8 %not %set 0\n%m = OpBitcast %byte %set2\n%r = OpUConvert %uint %m\n",
		want: func(g uint32) uint32 { return g&0xff ^ 1 }},
	{name: "arithmetic fence", news: true, capabilities: "ArithmeticFenceEXT", extensions: "SPV_EXT_arithmetic_fence",
		body: "%x = OpArithmeticFenceEXT %uint %g\n%r = OpIAdd %uint %x %c7\n", want: func(g uint32) uint32 { return g + 7 }},
	{name: "registers of FPGAs", news: true, capabilities: "FPGARegALTERA", extensions: "SPV_INTEL_fpga_reg",
		body: "%x = OpFPGARegALTERA %uint %g\n%r = OpIAdd %uint %x %c7\n", want: func(g uint32) uint32 { return g + 7 }},
	{name: "leading zeros", capabilities: "IntegerFunctions2INTEL", extensions: "SPV_INTEL_shader_integer_functions2",
		types: "%c977 = OpConstant %uint 977\n",
		body:  "%m = OpIMul %uint %g %c977\n%r = OpUCountLeadingZerosINTEL %uint %m\n", want: clz16},
	{name: "trailing zeros", capabilities: "IntegerFunctions2INTEL", extensions: "SPV_INTEL_shader_integer_functions2",
		body: "%r = OpUCountTrailingZerosINTEL %uint %g\n", want: func(g uint32) uint32 { return uint32(bits.TrailingZeros32(g)) }},
	{name: "absolute difference", capabilities: "IntegerFunctions2INTEL", extensions: "SPV_INTEL_shader_integer_functions2",
		types: "%cm = OpConstant %uint 0xfffffff0\n",
		body:  "%s = OpAbsISubINTEL %uint %g %cm\n%u = OpAbsUSubINTEL %uint %g %cm\n%r = OpBitwiseXor %uint %s %u\n",
		want:  func(g uint32) uint32 { return (g + 16) ^ (0xfffffff0 - g) }},
	{name: "saturated sums", capabilities: "IntegerFunctions2INTEL", extensions: "SPV_INTEL_shader_integer_functions2",
		types: "%cm = OpConstant %uint 0xfffffff0\n%cs = OpConstant %uint 0x7ffffff0\n",
		body: "%s = OpIAddSatINTEL %uint %g %cs\n%u = OpUAddSatINTEL %uint %g %cm\n%d = OpUSubSatINTEL %uint %c7 %g\n%e = OpISubSatINTEL %uint %cm %cs\n" +
			"%su = OpBitwiseXor %uint %s %u\n%de = OpBitwiseXor %uint %d %e\n%r = OpIAdd %uint %su %de\n",
		want: func(g uint32) uint32 {
			s, u, d := min(g+0x7ffffff0, math.MaxInt32), min(uint64(g)+0xfffffff0, math.MaxUint32), uint32(max(7-int(g), 0))
			return (s ^ uint32(u)) + (d ^ 0x80000000)
		}},
	{name: "averages", capabilities: "IntegerFunctions2INTEL", extensions: "SPV_INTEL_shader_integer_functions2",
		types: "%cm = OpConstant %uint 0xfffffff0\n",
		body: "%s = OpIAverageINTEL %uint %g %cm\n%u = OpUAverageINTEL %uint %g %cm\n%t = OpIAverageRoundedINTEL %uint %g %cm\n%v = OpUAverageRoundedINTEL %uint %g %cm\n" +
			"%su = OpBitwiseXor %uint %s %u\n%tv = OpBitwiseXor %uint %t %v\n%r = OpIAdd %uint %su %tv\n",
		want: func(g uint32) uint32 {
			s, u := uint32((int64(g)-16)>>1), uint32((uint64(g)+0xfffffff0)>>1)
			t, v := uint32((int64(g)-16+1)>>1), uint32((uint64(g)+0xfffffff0+1)>>1)
			return (s ^ u) + (t ^ v)
		}},
	{name: "products of 32 and 16 bits", capabilities: "IntegerFunctions2INTEL", extensions: "SPV_INTEL_shader_integer_functions2",
		types: "%cf = OpConstant %uint 0x1fffe\n",
		body:  "%s = OpIMul32x16INTEL %uint %g %cf\n%u = OpUMul32x16INTEL %uint %g %cf\n%r = OpBitwiseXor %uint %s %u\n",
		want:  func(g uint32) uint32 { return uint32(-2*int32(g)) ^ g*0xfffe }},
	{name: "fused multiply and add", news: true, capabilities: "FMAKHR Float16", extensions: "SPV_KHR_fma",
		types: "%float = OpTypeFloat 32\n%half = OpTypeFloat 16\n%f3 = OpConstant %float 0.333333333\n%h3 = OpConstant %half 0.3333\n",
		body: "%x = OpConvertUToF %float %g\n%y = OpFmaKHR %float %x %f3 %x\n%h = OpFConvert %half %x\n%hh = OpFmaKHR %half %h %h3 %h\n%z = OpFConvert %float %hh\n" +
			"%yi = OpBitcast %uint %y\n%zi = OpBitcast %uint %z\n%r = OpBitwiseXor %uint %yi %zi\n",
		want: func(g uint32) uint32 {
			x := float64(g)
			third, small := float64(float32(0.333333333)), float64(1365)/4096
			y := math.Float32bits(float32(math.FMA(x, third, x)))
			z := math.FMA(x, small, x) // exact
			return y ^ math.Float32bits(halfOf(z))
		}},
	{name: "function of three bits", news: true, capabilities: "TernaryBitwiseFunctionINTEL", extensions: "SPV_INTEL_ternary_bitwise_function",
		types: "%ca = OpConstant %uint 0x0f0f1234\n%lut = OpConstant %uint 0xca\n",
		body:  "%r = OpBitwiseFunctionINTEL %uint %ca %g %c7 %lut\n", want: func(g uint32) uint32 { return 0x0f0f1234&g | ^uint32(0x0f0f1234)&7 }},
	{name: "replicated constituents", news: true, capabilities: "ReplicatedCompositesEXT", extensions: "SPV_EXT_replicated_composites",
		types: "%v3u = OpTypeVector %uint 3\n%k = OpConstantCompositeReplicateEXT %v3u %c7\n",
		body:  "%w = OpCompositeConstructReplicateEXT %v3u %g\n%s = OpIAdd %v3u %k %w\n%x = OpCompositeExtract %uint %s 0\n%y = OpCompositeExtract %uint %s 2\n%r = OpIMul %uint %x %y\n",
		want:  func(g uint32) uint32 { return (g + 7) * (g + 7) }},
	{name: "predicated access", news: true, capabilities: "PredicatedIOINTEL", extensions: "SPV_INTEL_predicated_io",
		body: "%lt = OpULessThan %bool %g %c7\n%p = OpInBoundsPtrAccessChain %pg %out %g64\nOpStore %p %g Aligned 4\n%null = OpUndef %pg\n" +
			"%q = OpSelect %pg %lt %p %null\nOpPredicatedStoreINTEL %q %c1 %lt Aligned 4\n%r = OpPredicatedLoadINTEL %uint %q %lt %c7 Aligned 4\n",
		want: func(g uint32) uint32 {
			if g < 7 {
				return 1
			}
			return 7
		}},
	{name: "masked gathers and scatters", news: true, capabilities: "MaskedGatherScatterINTEL", extensions: "SPV_INTEL_masked_gather_scatter",
		types: "%v2u = OpTypeVector %uint 2\n%v2b = OpTypeVector %bool 2\n%v2p = OpTypeVector %pg 2\n%fill = OpConstantComposite %v2u %c7 %c7\n",
		body: "%p = OpInBoundsPtrAccessChain %pg %out %g64\n%lt = OpULessThan %bool %g %c7\n%ge = OpLogicalNot %bool %lt\n%pp = OpCompositeConstruct %v2p %p %p\n" +
			"%m = OpCompositeConstruct %v2b %lt %ge\n%both = OpCompositeConstruct %v2u %g %c1\nOpMaskedScatterINTEL %both %pp 4 %m\n" +
			"%x = OpMaskedGatherINTEL %v2u %pp 4 %m %fill\n%x0 = OpCompositeExtract %uint %x 0\n%x1 = OpCompositeExtract %uint %x 1\n%s = OpShiftLeftLogical %uint %x0 %c7\n%r = OpBitwiseOr %uint %s %x1\n",
		want: func(g uint32) uint32 {
			if g < 7 {
				return g<<7 | 7
			}
			return 7<<7 | 1
		}},
	{name: "bfloat16 in integers", news: true, capabilities: "BFloat16ConversionINTEL Int16", extensions: "SPV_INTEL_bfloat16_conversion",
		types: "%float = OpTypeFloat 32\n%short = OpTypeInt 16 0\n%f3 = OpConstant %float 3.14159\n",
		body:  "%x = OpConvertUToF %float %g\n%y = OpFMul %float %x %f3\n%s = OpConvertFToBF16INTEL %short %y\n%z = OpConvertBF16ToFINTEL %float %s\n%r = OpBitcast %uint %z\n",
		want: func(g uint32) uint32 {
			x := math.Float32bits(float32(g) * 3.14159)
			return (x + 0x7fff + x>>16&1) &^ 0xffff
		}},
	{name: "dot products of bfloat16", news: true, capabilities: "BFloat16TypeKHR BFloat16DotProductKHR", extensions: "SPV_KHR_bfloat16",
		types: "%bf = OpTypeFloat 16 BFloat16KHR\n%v2 = OpTypeVector %bf 2\n%float = OpTypeFloat 32\n",
		body:  "%x = OpConvertUToF %bf %g\n%one = OpConvertUToF %bf %c1\n%v = OpCompositeConstruct %v2 %x %one\n%d = OpDot %bf %v %v\n%f1 = OpFConvert %float %d\n%r = OpConvertFToU %uint %f1\n",
		want: func(g uint32) uint32 {
			x := math.Float32bits(float32(g*g + 1))
			return uint32(math.Float32frombits((x + 0x7fff + x>>16&1) &^ 0xffff))
		}},
	{name: "poison and freeze", news: true, capabilities: "PoisonFreezeKHR", extensions: "SPV_KHR_poison_freeze",
		body: "%x = OpPoisonKHR %uint\n%y = OpFreezeKHR %uint %x\n%z = OpBitwiseXor %uint %y %y\n%r = OpIAdd %uint %z %g\n", want: func(g uint32) uint32 { return g }},
	{name: "scopes of aliases", news: true, capabilities: "MemoryAccessAliasingINTEL", extensions: "SPV_INTEL_memory_access_aliasing",
		types: "%dom = OpAliasDomainDeclINTEL\n%scope = OpAliasScopeDeclINTEL %dom\n%list = OpAliasScopeListDeclINTEL %scope\n",
		body:  "OpStore %out %c0 Aligned|AliasScopeINTELMask 4 %list\n%r = OpIAdd %uint %g %c1\n", want: func(g uint32) uint32 { return g + 1 }},
	{name: "storage classes of shared memory", news: true, capabilities: "USMStorageClassesALTERA", extensions: "SPV_INTEL_usm_storage_classes",
		types: "%pd = OpTypePointer DeviceOnlyALTERA %uint\n",
		body: "%d = OpCrossWorkgroupCastToPtrALTERA %pd %out\n%b = OpPtrCastToCrossWorkgroupALTERA %pg %d\n%q = OpInBoundsPtrAccessChain %pg %b %g64\n" +
			"OpStore %q %g Aligned 4\n%x = OpLoad %uint %q Aligned 4\n%r = OpIAdd %uint %x %c7\n",
		want: func(g uint32) uint32 { return g + 7 }},
	{name: "hints", news: true, capabilities: "UnstructuredLoopControlsINTEL SubgroupBufferPrefetchINTEL",
		extensions:  "SPV_INTEL_unstructured_loop_controls SPV_INTEL_subgroup_buffer_prefetch SPV_KHR_relaxed_extended_instruction",
		decorations: "%set = OpExtInstImport \"NonSemantic.Example\"\n",
		body: "OpSubgroupBlockPrefetchINTEL %out %c7\n%note = OpExtInstWithForwardRefsKHR %void %set 1 %g\nOpLoopControlINTEL 1\nOpBranch %next\n%next = OpLabel\n" +
			"%r = OpIAdd %uint %g %c7\n",
		want: func(g uint32) uint32 { return g + 7 }},
	{name: "replicated specialization constants", news: true, capabilities: "ReplicatedCompositesEXT", extensions: "SPV_EXT_replicated_composites",
		types: "%s7 = OpSpecConstant %uint 7\n%v3u = OpTypeVector %uint 3\n%k = OpSpecConstantCompositeReplicateEXT %v3u %s7\n",
		body:  "%x = OpCompositeExtract %uint %k 2\n%r = OpIAdd %uint %x %g\n", want: func(g uint32) uint32 { return g + 7 }},
	{name: "halves in local memory", news: true, capabilities: "Float16 AtomicFloat16MinMaxEXT", extensions: "SPV_EXT_shader_atomic_float_min_max",
		types: "%half = OpTypeFloat 16\n%pl = OpTypePointer Workgroup %half\n%v = OpVariable %pl Workgroup\n%c2 = OpConstant %uint 2\n%sem = OpConstant %uint 0x110\n" +
			"%h0 = OpConstant %half 0\n%h5 = OpConstant %half 5\n",
		body: "OpStore %v %h0 Aligned 2\nOpControlBarrier %c2 %c2 %sem\n%o = OpAtomicFMaxEXT %half %v %c2 %c0 %h5\nOpControlBarrier %c2 %c2 %sem\n" +
			"%x = OpAtomicLoad %half %v %c2 %c0\n%m = OpConvertFToU %uint %x\n%r = OpIAdd %uint %m %g\n",
		want: func(g uint32) uint32 { return g + 5 }},
	{name: "split barriers", capabilities: "SplitBarrierEXT", extensions: "SPV_INTEL_split_barrier",
		types: "%c2 = OpConstant %uint 2\n%sem = OpConstant %uint 0x108\n",
		body:  "OpControlBarrierArriveINTEL %c2 %c2 %sem\n%x = OpIAdd %uint %g %c1\nOpControlBarrierWaitINTEL %c2 %c2 %sem\n%r = OpIMul %uint %x %c7\n",
		want:  func(g uint32) uint32 { return (g + 1) * 7 }},
}

// halfOf rounds a small number to half precision.
func halfOf(x float64) float32 {
	if x == 0 {
		return 0
	}
	e := math.Ilogb(x) - 10
	return float32(math.Ldexp(math.RoundToEven(math.Ldexp(x, -e)), e))
}

// TestExtensions runs kernels of extensions at several sizes of sub-groups on both engines.
func TestExtensions(t *testing.T) {
	const n = 40
	val, _ := exec.LookPath("spirv-val")
	for _, size := range []int{1, 4, 32} {
		for _, engine := range emu.Engines()[1:] {
			dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: size, Engine: engine, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			for i := range extensions {
				x := &extensions[i]
				got := run(t, dev, x.text(), n, make([]byte, 4*n))
				for g := range uint32(n) {
					if r := binary.LittleEndian.Uint32(got[4*g:]); r != x.want(g) {
						t.Errorf("%s, sub-groups of %d, engine %s: work-item %d has %#x, expected %#x", x.name, size, engine, g, r, x.want(g))
						break
					}
				}
			}
			dev.Close()
		}
	}
	for i := range extensions {
		if x := &extensions[i]; val != "" && !x.news {
			validateText(t, val, x.name, x.text())
		}
	}
}

// validateText compares a module with the opinion of spirv-val.
func validateText(t *testing.T, val, name, text string) {
	t.Helper()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(val, "--target-env", "spv1.6", "-")
	cmd.Stdin = bytes.NewReader(code)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}
