package muxtest

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// Every program here is written in SPIR-V assembly, so that the tests need no front end.
// In the texts, POINTER stands for the unsigned integer as wide as a pointer.

// head begins every program.
const head = `
OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpCapability Int64
CAPABILITIES
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel ADDRESSING OpenCL
`

// types end the declarations that all programs have.
const types = `
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%uint_0 = OpConstant %uint 0
%uint_1 = OpConstant %uint 1
%uint_2 = OpConstant %uint 2
%uint_3 = OpConstant %uint 3
%v3size = OpTypeVector %POINTER 3
%in_v3size = OpTypePointer Input %v3size
%in_uint = OpTypePointer Input %uint
%guint = OpTypePointer CrossWorkgroup %uint
%luint = OpTypePointer Workgroup %uint
%binary = OpTypeFunction %uint %uint
`

// scaleText is kernel scale(uint factor, global uint *data), whose work-item i puts
// data[i] * factor + BIAS there, and kernel fill(global uint *data) in work-groups of 8 work-items with
// 64 bytes of local memory. BIAS is the specialization constant 7, 3 by itself.
const scaleText = head + `
OpEntryPoint Kernel %scale "scale" %gid
OpEntryPoint Kernel %fill "fill" %gid %lid
OpExecutionMode %fill LocalSize 8 1 1
OpSource OpenCL_C 200000
%hint = OpString "kernel_arg_type.scale.uint,uint*,"
OpName %factor "factor"
OpName %data "data"
OpName %bias "BIAS"
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %bias SpecId 7
OpDecorate %wide SpecId 8
OpDecorate %flag SpecId 9
` + types + `
%ulong_16 = OpConstant %ulong 16
%bias = OpSpecConstant %uint 3
%wide = OpSpecConstant %ulong 5000000000
%flag = OpSpecConstantTrue %bool
%row = OpTypeArray %uint %ulong_16
%lrow = OpTypePointer Workgroup %row
%gid = OpVariable %in_v3size Input
%lid = OpVariable %in_v3size Input
%tile = OpVariable %lrow Workgroup
%scale_t = OpTypeFunction %void %uint %guint
%fill_t = OpTypeFunction %void %guint
%scale = OpFunction %void None %scale_t
%factor = OpFunctionParameter %uint
%data = OpFunctionParameter %guint
%s0 = OpLabel
%s1 = OpLoad %v3size %gid
%s2 = OpCompositeExtract %POINTER %s1 0
%s3 = OpInBoundsPtrAccessChain %guint %data %s2
%s4 = OpLoad %uint %s3 Aligned 4
%s5 = OpIMul %uint %s4 %factor
%s6 = OpIAdd %uint %s5 %bias
OpStore %s3 %s6 Aligned 4
OpReturn
OpFunctionEnd
%fill = OpFunction %void None %fill_t
%out = OpFunctionParameter %guint
%f0 = OpLabel
%f1 = OpLoad %v3size %gid
%f2 = OpCompositeExtract %POINTER %f1 0
%f3 = OpLoad %v3size %lid
%f4 = OpCompositeExtract %POINTER %f3 0
%f5 = OpInBoundsAccessChain %luint %tile %f4
OpStore %f5 %uint_3 Aligned 4
%f6 = OpLoad %uint %f5 Aligned 4
%f7 = OpInBoundsPtrAccessChain %guint %out %f2
OpStore %f7 %f6 Aligned 4
OpReturn
OpFunctionEnd
`

// callerText is kernel apply(global uint *data), which calls the function twist of another
// module for each element.
const callerText = head + `
OpEntryPoint Kernel %apply "apply" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %twist LinkageAttributes "twist" Import
` + types + `
%gid = OpVariable %in_v3size Input
%apply_t = OpTypeFunction %void %guint
%twist = OpFunction %uint None %binary
%x = OpFunctionParameter %uint
OpFunctionEnd
%apply = OpFunction %void None %apply_t
%data = OpFunctionParameter %guint
%a0 = OpLabel
%a1 = OpLoad %v3size %gid
%a2 = OpCompositeExtract %POINTER %a1 0
%a3 = OpInBoundsPtrAccessChain %guint %data %a2
%a4 = OpLoad %uint %a3 Aligned 4
%a5 = OpFunctionCall %uint %twist %a4
OpStore %a3 %a5 Aligned 4
OpReturn
OpFunctionEnd
`

// libraryText exports uint twist(uint x), which is x * 2 + 1.
const libraryText = head + `
OpDecorate %twist LinkageAttributes "twist" Export
` + types + `
%twist = OpFunction %uint None %binary
%x = OpFunctionParameter %uint
%t0 = OpLabel
%t1 = OpIMul %uint %x %uint_2
%t2 = OpIAdd %uint %t1 %uint_1
OpReturnValue %t2
OpFunctionEnd
`

// mistypedText exports a twist that takes a pointer.
const mistypedText = head + `
OpDecorate %twist LinkageAttributes "twist" Export
` + types + `
%other = OpTypeFunction %uint %guint
%twist = OpFunction %uint None %other
%x = OpFunctionParameter %guint
%t0 = OpLabel
%t1 = OpLoad %uint %x Aligned 4
OpReturnValue %t1
OpFunctionEnd
`

// printText is kernel hello(uint n), which prints n and a string.
const printText = head + `
OpEntryPoint Kernel %hello "hello"
%name = OpString "unused"
` + types + `
%uchar = OpTypeInt 8 0
%ulong_8 = OpConstant %ulong 8
%c_n = OpConstant %uchar 110
%c_is = OpConstant %uchar 61
%c_pct = OpConstant %uchar 37
%c_u = OpConstant %uchar 117
%c_s = OpConstant %uchar 115
%c_sp = OpConstant %uchar 32
%c_nl = OpConstant %uchar 10
%c_0 = OpConstant %uchar 0
%text_t = OpTypeArray %uchar %ulong_8
%ctext = OpTypePointer UniformConstant %text_t
%cchar = OpTypePointer UniformConstant %uchar
%format = OpConstantComposite %text_t %c_n %c_is %c_pct %c_u %c_pct %c_s %c_nl %c_0
%word = OpConstantComposite %text_t %c_u %c_s %c_0 %c_0 %c_0 %c_0 %c_0 %c_0
%format_v = OpVariable %ctext UniformConstant %format
%word_v = OpVariable %ctext UniformConstant %word
%hello_t = OpTypeFunction %void %uint
%hello = OpFunction %void None %hello_t
%n = OpFunctionParameter %uint
%h0 = OpLabel
%h1 = OpInBoundsAccessChain %cchar %format_v %uint_0
%h2 = OpInBoundsAccessChain %cchar %word_v %uint_0
%h3 = OpExtInst %uint %std printf %h1 %n %h2
OpReturn
OpFunctionEnd
`

// shaderText is not a module for this compiler, although its words are sound.
const shaderText = `
OpCapability Shader
OpMemoryModel Logical GLSL450
`

// version12 is SPIR-V 1.2, which translators of OpenCL C write.
const version12 = 0x00010200

// assemble returns the words of a program for a device with pointers of so many bits.
func assemble(text string, bits int) ([]uint32, error) {
	width, model := "uint", "Physical32"
	if bits == 64 {
		width, model = "ulong", "Physical64"
	}
	caps := ""
	if strings.Contains(text, "%uchar") {
		caps = "OpCapability Int8"
	}
	text = strings.NewReplacer("%POINTER", "%"+width, "ADDRESSING", model, "CAPABILITIES", caps).Replace(text)
	b, err := asm.Assemble(text, asm.Options{Version: version12})
	if err != nil {
		return nil, fmt.Errorf("a program of the suite: %w", err)
	}
	return mux.Words(b)
}
