package lower_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// floatModeText is a kernel that stores results of arithmetic on x = in[i] to out[7·i] and behind: the arguments are capabilities,
// extensions, execution modes and decorations.
const floatModeText = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
%[1]s%[2]sOpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%k "k" %%gid
%[3]sOpDecorate %%gid BuiltIn GlobalInvocationId
%[4]s%%void = OpTypeVoid
%%i64 = OpTypeInt 64 0
%%i32 = OpTypeInt 32 0
%%float = OpTypeFloat 32
%%v3 = OpTypeVector %%i64 3
%%pf = OpTypePointer CrossWorkgroup %%float
%%pin = OpTypePointer Input %%v3
%%fn = OpTypeFunction %%void %%pf %%pf
%%helper = OpTypeFunction %%float %%float %%float
%%count = OpConstant %%i64 7
%%one64 = OpConstant %%i64 1
%%all = OpConstant %%i32 458767
%%one = OpConstant %%float 1
%%zero = OpConstant %%float 0
%%minus = OpConstant %%float -0.0
%%tiny = OpConstant %%float 0x1.8p-130
%%third = OpConstant %%float 0x1.555556p-2
%%gid = OpVariable %%pin Input
%%f = OpFunction %%float None %%helper
%%fa = OpFunctionParameter %%float
%%fb = OpFunctionParameter %%float
%%fe = OpLabel
%%fy = OpFMul %%float %%fa %%fb
OpReturnValue %%fy
OpFunctionEnd
%%k = OpFunction %%void None %%fn
%%in = OpFunctionParameter %%pf
%%out = OpFunctionParameter %%pf
%%e = OpLabel
%%g3 = OpLoad %%v3 %%gid
%%g = OpCompositeExtract %%i64 %%g3 0
%%px = OpInBoundsPtrAccessChain %%pf %%in %%g
%%x = OpLoad %%float %%px Aligned 4
%%a0 = OpIMul %%i64 %%g %%count
%%y0 = OpFAdd %%float %%x %%zero
%%y1 = OpFAdd %%float %%x %%tiny
%%y2 = OpFSub %%float %%x %%x
%%y3 = OpFMul %%float %%x %%zero
%%y4 = OpFDiv %%float %%x %%x
%%y5 = OpFSub %%float %%minus %%x
%%y6 = OpFunctionCall %%float %%f %%x %%third
%[5]sOpReturn
OpFunctionEnd
`

type floatMode struct {
	name, capabilities, extensions, modes, decorations string
	refused                                            string // what the error says, "" for none
}

const notNearest = "results that are rounded towards "

var floatModes = []floatMode{
	{name: "none"},
	{name: "as it is", capabilities: "DenormPreserve SignedZeroInfNanPreserve RoundingModeRTE", extensions: "SPV_KHR_float_controls",
		modes: "OpExecutionMode %k DenormPreserve 32\nOpExecutionMode %k SignedZeroInfNanPreserve 32\nOpExecutionMode %k RoundingModeRTE 32\n"},
	{name: "as it is, after Intel", capabilities: "RoundToInfinityINTEL", extensions: "SPV_INTEL_float_controls2",
		modes: "OpExecutionMode %k FloatingPointModeIEEEINTEL 32\n"},
	{name: "promises of a kernel", capabilities: "FloatControls2", extensions: "SPV_KHR_float_controls2",
		modes: "OpExecutionModeId %k FPFastMathDefault %float %all\n"},
	{name: "promises of instructions", decorations: "OpDecorate %y0 FPFastMathMode NotNaN|NotInf|NSZ|AllowRecip|Fast\nOpDecorate %y2 FPFastMathMode Fast\n" +
		"OpDecorate %y3 FPFastMathMode NotNaN|NSZ\nOpDecorate %y4 FPFastMathMode Fast\nOpDecorate %y5 FPFastMathMode NSZ\n"},
	{name: "a function as it is", capabilities: "FunctionFloatControlINTEL", extensions: "SPV_INTEL_float_controls2",
		decorations: "OpDecorate %f FunctionRoundingModeINTEL 32 RTE\nOpDecorate %f FunctionDenormModeINTEL 32 Preserve\nOpDecorate %f FunctionFloatingPointModeINTEL 32 IEEE\n"},
	{name: "a rounding to nearest", decorations: "OpDecorate %y1 FPRoundingMode RTE\n"},

	{name: "RTZ", capabilities: "RoundingModeRTZ", extensions: "SPV_KHR_float_controls", modes: "OpExecutionMode %k RoundingModeRTZ 32\n",
		refused: notNearest + "zero are not supported: OpExecutionMode"},
	{name: "flush", capabilities: "DenormFlushToZero", extensions: "SPV_KHR_float_controls", modes: "OpExecutionMode %k DenormFlushToZero 32\n",
		refused: "denormals that become zero are not supported: OpExecutionMode"},
	{name: "RTP", capabilities: "RoundToInfinityINTEL", extensions: "SPV_INTEL_float_controls2", modes: "OpExecutionMode %k RoundingModeRTPINTEL 32\n",
		refused: notNearest + "an infinity are not supported: OpExecutionMode"},
	{name: "RTN", capabilities: "RoundToInfinityINTEL", extensions: "SPV_INTEL_float_controls2", modes: "OpExecutionMode %k RoundingModeRTNINTEL 32\n",
		refused: notNearest + "an infinity are not supported: OpExecutionMode"},
	{name: "ALT", capabilities: "RoundToInfinityINTEL", extensions: "SPV_INTEL_float_controls2", modes: "OpExecutionMode %k FloatingPointModeALTINTEL 32\n",
		refused: "results of another arithmetic than IEEE 754's are not supported: OpExecutionMode"},
	{name: "function RTZ", capabilities: "FunctionFloatControlINTEL", extensions: "SPV_INTEL_float_controls2",
		decorations: "OpDecorate %f FunctionRoundingModeINTEL 16 RTE\nOpDecorate %f FunctionRoundingModeINTEL 32 RTZ\n",
		refused:     notNearest + "zero are not supported (decoration FunctionRoundingModeINTEL RTZ): OpFunction"},
	{name: "function flush", capabilities: "FunctionFloatControlINTEL", extensions: "SPV_INTEL_float_controls2",
		decorations: "OpDecorate %f FunctionDenormModeINTEL 32 FlushToZero\n",
		refused:     "denormals that become zero are not supported (decoration FunctionDenormModeINTEL FlushToZero): OpFunction"},
	{name: "function ALT", capabilities: "FunctionFloatControlINTEL", extensions: "SPV_INTEL_float_controls2",
		decorations: "OpDecorate %f FunctionFloatingPointModeINTEL 32 ALT\n",
		refused:     "results of another arithmetic than IEEE 754's are not supported (decoration FunctionFloatingPointModeINTEL ALT): OpFunction"},
	{name: "a sum RTN", decorations: "OpDecorate %y1 FPRoundingMode RTN\n",
		refused: notNearest + "an infinity are not supported (decoration FPRoundingMode RTN): OpFAdd"},
	{name: "a group RTZ", decorations: "OpDecorate %group FPRoundingMode RTZ\n%group = OpDecorationGroup\nOpGroupDecorate %group %y4\n",
		refused: notNearest + "zero are not supported (decoration FPRoundingMode RTZ): OpFDiv"},
}

func (m *floatMode) text() string {
	lines := func(before, list, after string) (s string) {
		for _, w := range strings.Fields(list) {
			s += before + w + after + "\n"
		}
		return s
	}
	var stores strings.Builder
	for i := range 7 {
		fmt.Fprintf(&stores, "%%p%d = OpInBoundsPtrAccessChain %%pf %%out %%a%d\nOpStore %%p%d %%y%d Aligned 4\n%%a%d = OpIAdd %%i64 %%a%d %%one64\n",
			i, i, i, i, i+1, i)
	}
	return fmt.Sprintf(floatModeText, lines("OpCapability ", m.capabilities, ""), lines(`OpExtension "`, m.extensions, `"`),
		m.modes, m.decorations, stores.String())
}

// TestFloatModes runs kernels whose modes and decorations promise something about floats, or ask for IEEE 754, on each
// engine: the results are those of IEEE 754. What asks for other arithmetic is refused by its name.
func TestFloatModes(t *testing.T) {
	inputs := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, -0x1p-149, 0x1p-127, -0x1.8p-130, 0x1p-126, math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0x1.555556p-120, 3, 0x1.fffffep-126}
	tiny, third := float32(0x1.8p-130), float32(0x1.555556p-2)
	var want []float32
	for _, x := range inputs {
		want = append(want, x+0, x+tiny, x-x, x*0, x/x, float32(math.Copysign(0, -1))-x, x*third)
	}
	for _, engine := range emu.Engines()[1:] {
		d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for _, m := range floatModes {
			t.Run(engine+" "+m.name, func(t *testing.T) { m.compare(t, d, inputs, want) })
		}
	}
}

func (m *floatMode) compare(t *testing.T, d *emu.Device, inputs, want []float32) {
	code, err := asm.Assemble(m.text(), asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.NewProgram(code, emu.ProgramOptions{})
	if m.refused != "" {
		if err == nil || !strings.Contains(err.Error(), "lower: "+m.refused) {
			t.Errorf("error %v, want %s", err, m.refused)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	in, err := emu.NewBufferOf(d, inputs)
	if err != nil {
		t.Fatal(err)
	}
	out, err := emu.NewBufferOf(d, make([]float32, len(want)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Run(t.Context(), emu.Range(uint64(len(inputs))), in, out); err != nil {
		t.Fatal(err)
	}
	got, err := emu.Read[float32](out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
			t.Errorf("result %d of %x is %x, want %x", i%7, inputs[i/7], got[i], want[i])
		}
	}
}
