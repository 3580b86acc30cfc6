package spirv_test

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// signModule has a kernel with the debug information of either set, in which the types of its parameters can
// be set.
const signModule = `
OpCapability Addresses
OpCapability Kernel
OpCapability Int8
%debug = OpExtInstImport "SET"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%name = OpString "n"
%void = OpTypeVoid
%u8 = OpTypeInt 8 0
%u32 = OpTypeInt 32 0
%v4 = OpTypeVector %u8 4
%p32 = OpTypePointer CrossWorkgroup %u32
%fn = OpTypeFunction %void %p32 %v4 %u32
%c0 = OpConstant %u32 0
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c5 = OpConstant %u32 5
%c8 = OpConstant %u32 8
%c32 = OpConstant %u32 32
TYPES
%k = OpFunction %void None %fn
%a = OpFunctionParameter %p32
%b = OpFunctionParameter %v4
%c = OpFunctionParameter %u32
%entry = OpLabel
DEFINITION
OpReturn
OpFunctionEnd
`

const openCLTypes = `
%source = OpExtInst %void %debug DebugSource %name
%unit = OpExtInst %void %debug DebugCompilationUnit 1 5 %source OpenCL_C
%int = OpExtInst %void %debug DebugTypeBasic %name %c32 Signed
%pint = OpExtInst %void %debug DebugTypePointer %int CrossWorkgroup None
%char = OpExtInst %void %debug DebugTypeBasic %name %c8 SignedChar
%vec = OpExtInst %void %debug DebugTypeVector %char 4
%td = OpExtInst %void %debug DebugTypedef %name %vec %source 0 0 %unit
%uns = OpExtInst %void %debug DebugTypeBasic %name %c32 Unsigned
%cv = OpExtInst %void %debug DebugTypeQualifier %uns ConstType
%dfn = OpExtInst %void %debug DebugTypeFunction None %void PARAMS
%df = OpExtInst %void %debug DebugFunction %name %dfn %source 1 1 %unit %name None 1 %k
`

const shaderTypes = `
%source = OpExtInst %void %debug DebugSource %name
%unit = OpExtInst %void %debug DebugCompilationUnit %c0 %c5 %source %c3
%int = OpExtInst %void %debug DebugTypeBasic %name %c32 %c4 %c0
%pint = OpExtInst %void %debug DebugTypePointer %int %c5 %c0
%char = OpExtInst %void %debug DebugTypeBasic %name %c8 %c5 %c0
%vec = OpExtInst %void %debug DebugTypeVector %char %c4
%td = OpExtInst %void %debug DebugTypedef %name %vec %source %c0 %c0 %unit
%c6 = OpConstant %u32 6
%uns = OpExtInst %void %debug DebugTypeBasic %name %c32 %c6 %c0
%cv = OpExtInst %void %debug DebugTypeQualifier %uns %c0
%dfn = OpExtInst %void %debug DebugTypeFunction %c0 %void PARAMS
%df = OpExtInst %void %debug DebugFunction %name %dfn %source %c0 %c0 %unit %name %c0 %c0
`

// TestSigns takes the signs of parameters from debug information, and from nothing else that it says.
func TestSigns(t *testing.T) {
	for _, c := range []struct {
		params, want string // ? is a sign that is assumed
	}{
		{"%pint %td %cv", "int* char4 uint"},
		{"%pint %vec %int", "int* char4 int"},
		{"%int %td %pint", "uint*? char4 uint?"},   // a pointer is no value
		{"%pint %int %char", "int* uchar4? uint?"}, // of other sizes
		{"%pint %td", "uint*? uchar4? uint?"},      // not all parameters
		{"%pint %td %df", "int* char4 uint?"},      // no type
		{"%pint %td %k", "int* char4 uint?"},       // nothing of the set
	} {
		for _, set := range []struct{ name, types, definition string }{
			{"OpenCL.DebugInfo.100", openCLTypes, ""},
			{"NonSemantic.Shader.DebugInfo.100", shaderTypes, "%dd = OpExtInst %void %debug DebugFunctionDefinition %df %k"},
		} {
			text := strings.NewReplacer("SET", set.name, "TYPES", strings.Replace(set.types, "PARAMS", c.params, 1), "DEFINITION", set.definition).
				Replace(signModule)
			m, err := asm.AssembleModule(text, asm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			info, err := spirv.Reflect(m)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range info.EntryPoints[0].Args {
				name := a.TypeName
				if a.SignAssumed {
					name += "?"
				}
				got = append(got, name)
			}
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("%s, %s: %s, want %s", set.name, c.params, text, c.want)
			}
		}
	}
}
