package link

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// A case is linked and its outcome compared with testdata/NAME.txt: the text of
// the module, or of the error.
type linkCase struct {
	name    string
	opt     Options
	modules []string // without what header adds
	// version is that of the first module; 0 is 1.0.
	version spirv.Version
	// alone says that the case has its own headers.
	alone bool
	// differs says why spirv-link does not do the same; it is asked otherwise.
	differs string
	// invalid says that the inputs break rules, so that the result does, too.
	invalid bool
}

// header is in front of the modules of cases.
const header = `OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
OpMemoryModel Physical64 OpenCL
`

// types follow names and decorations in many cases.
const types = `%void = OpTypeVoid
%int = OpTypeInt 32 0
%float = OpTypeFloat 32
%pint = OpTypePointer CrossWorkgroup %int
%i_i = OpTypeFunction %int %int
%v_ = OpTypeFunction %void
`

// kernel calls a function of another module.
const kernel = `OpEntryPoint Kernel %k "k"
OpName %k "k"
OpName %f "f"
OpDecorate %f LinkageAttributes "f" Import
` + types + `%one = OpConstant %int 1
%f = OpFunction %int None %i_i
%fx = OpFunctionParameter %int
OpFunctionEnd
%k = OpFunction %void None %v_
%ke = OpLabel
%kr = OpFunctionCall %int %f %one
OpReturn
OpFunctionEnd
`

// function defines f.
const function1 = `OpName %f "f"
OpName %x "x"
OpDecorate %f LinkageAttributes "f" Export
` + functionBody

const functionBody = types + `%one = OpConstant %int 1
%f = OpFunction %int None %i_i
%x = OpFunctionParameter %int
%fe = OpLabel
%r = OpIAdd %int %x %one
OpReturnValue %r
OpFunctionEnd
`

// user imports variable x and reads it in kernel k.
const user = `OpEntryPoint Kernel %k "k"
OpName %x "x"
OpDecorate %x LinkageAttributes "x" Import
` + types + `%x = OpVariable %pint CrossWorkgroup
%k = OpFunction %void None %v_
%ke = OpLabel
%kv = OpLoad %int %x Aligned 4
OpReturn
OpFunctionEnd
`

const once = `OpExtension "SPV_KHR_linkonce_odr"
`

const list = `OpName %node "struct.node"
OpMemberName %node 0 "next"
OpDecorate %f LinkageAttributes "f" LINKAGE
OpTypeForwardPointer %pnode CrossWorkgroup
%int = OpTypeInt 32 0
%node = OpTypeStruct %pnode %int
%pnode = OpTypePointer CrossWorkgroup %node
%ft = OpTypeFunction %int %pnode
`

var linkCases = []linkCase{
	{name: "function", modules: []string{kernel, function1}},
	{name: "function-first", modules: []string{function1, kernel}},
	{name: "function-library", opt: Options{Library: true}, modules: []string{kernel, function1}},
	{name: "one-module", modules: []string{function1}},
	{name: "variable", modules: []string{user, `OpName %x "x"
OpDecorate %x LinkageAttributes "x" Export
` + types + `%c = OpConstant %int 7
%x = OpVariable %pint CrossWorkgroup %c
`}},
	{name: "variable-order", modules: []string{`OpName %p "p"
OpName %x "x"
OpDecorate %p LinkageAttributes "p" Export
OpDecorate %x LinkageAttributes "x" Import
` + types + `%ppint = OpTypePointer CrossWorkgroup %pint
%x = OpVariable %pint CrossWorkgroup
%p = OpVariable %ppint CrossWorkgroup %x
`, `OpName %x "x"
OpDecorate %x LinkageAttributes "x" Export
` + types + `%c = OpConstant %int 7
%x = OpVariable %pint CrossWorkgroup %c
`}},
	{name: "variable-circle", differs: "it leaves the circle in", modules: []string{`OpDecorate %p LinkageAttributes "p" Export
OpDecorate %q LinkageAttributes "q" Import
%int = OpTypeInt 64 0
%pint = OpTypePointer CrossWorkgroup %int
%q = OpVariable %pint CrossWorkgroup
%qi = OpSpecConstantOp %int ConvertPtrToU %q
%p = OpVariable %pint CrossWorkgroup %qi
`, `OpDecorate %q LinkageAttributes "q" Export
OpDecorate %p LinkageAttributes "p" Import
%int = OpTypeInt 64 0
%pint = OpTypePointer CrossWorkgroup %int
%p = OpVariable %pint CrossWorkgroup
%pi = OpSpecConstantOp %int ConvertPtrToU %p
%q = OpVariable %pint CrossWorkgroup %pi
`}},
	{name: "once", differs: "it does not know LinkOnceODR in this version", modules: []string{once + kernel, once + `OpName %f "f"
OpDecorate %f LinkageAttributes "f" LinkOnceODR
` + functionBody, once + `OpName %f "f"
OpName %x "other"
OpDecorate %f LinkageAttributes "f" LinkOnceODR
` + functionBody}},
	{name: "once-and-export", opt: Options{Library: true}, modules: []string{once + `OpName %f "f"
OpName %x "once"
OpDecorate %f LinkageAttributes "f" LinkOnceODR
` + functionBody, function1, kernel}},
	{name: "unresolved", modules: []string{kernel, kernel2}},
	{name: "unused-import", differs: "it wants a definition all the same", modules: []string{`OpName %f "f"
OpDecorate %f LinkageAttributes "f" Import
` + types + `%f = OpFunction %int None %i_i
%fx = OpFunctionParameter %int
OpFunctionEnd
`}},
	{name: "partial", opt: Options{Partial: true}, modules: []string{kernel, kernel2}},
	{name: "library-unresolved", opt: Options{Library: true}, modules: []string{kernel}},
	{name: "resolves", opt: Options{Resolves: func(name string) bool { return name == "f" }}, differs: "it knows no names", modules: []string{kernel}},
	{name: "duplicate-export", differs: "it takes one of them", modules: []string{function1, function1}},
	{name: "duplicate-entry-point", modules: []string{kernel, function1, user}},
	{name: "function-type", modules: []string{kernel, `OpName %f "f"
OpDecorate %f LinkageAttributes "f" Export
` + types + `%pf = OpTypePointer CrossWorkgroup %float
%ft = OpTypeFunction %float %int %pf
%f = OpFunction %float None %ft
%x = OpFunctionParameter %int
%y = OpFunctionParameter %pf
%fe = OpLabel
%r = OpLoad %float %y
OpReturnValue %r
OpFunctionEnd
`}},
	{name: "variable-type", modules: []string{user, `OpDecorate %x LinkageAttributes "x" Export
` + types + `%four = OpConstant %int 4
%arr = OpTypeArray %float %four
%parr = OpTypePointer CrossWorkgroup %arr
%x = OpVariable %parr CrossWorkgroup
`}},
	{name: "storage-class", modules: []string{user, `OpDecorate %x LinkageAttributes "x" Export
` + types + `%uint = OpTypePointer UniformConstant %int
%c = OpConstant %int 7
%x = OpVariable %uint UniformConstant %c
`}},
	{name: "function-and-variable", modules: []string{kernel, `OpDecorate %x LinkageAttributes "f" Export
` + types + `%c = OpConstant %int 7
%x = OpVariable %pint CrossWorkgroup %c
`}},
	{name: "constant-variable", modules: []string{`OpDecorate %x Constant
` + "OpDecorate %x LinkageAttributes \"x\" Import\n" + types + `%x = OpVariable %pint CrossWorkgroup
`, `OpDecorate %x LinkageAttributes "x" Export
` + types + `%x = OpVariable %pint CrossWorkgroup
`}},
	{name: "alignment", modules: []string{`OpDecorate %x Alignment 16
` + "OpDecorate %x LinkageAttributes \"x\" Import\n" + types + `%x = OpVariable %pint CrossWorkgroup
`, `OpDecorate %x Alignment 4
` + "OpDecorate %x LinkageAttributes \"x\" Export\n" + types + `%x = OpVariable %pint CrossWorkgroup
`}},
	{name: "by-value", differs: "it does not compare parameters", modules: []string{`OpDecorate %f LinkageAttributes "f" Import
OpDecorate %x FuncParamAttr ByVal
` + byVal + `OpFunctionEnd
`, `OpDecorate %f LinkageAttributes "f" Export
` + byVal + `%fe = OpLabel
OpReturn
OpFunctionEnd
`}},
	{name: "memory-model", alone: true, modules: []string{"OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\n",
		"OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical32 OpenCL\n"}},
	{name: "structures", modules: []string{`OpName %s "struct.pair"
OpMemberName %s 0 "first"
OpDecorate %s CPacked
OpDecorate %f LinkageAttributes "f" Import
` + structure + `OpFunctionEnd
`, `OpName %s "struct.couple"
OpDecorate %s CPacked
OpDecorate %f LinkageAttributes "f" Export
` + structure + `%fe = OpLabel
OpReturn
OpFunctionEnd
`}},
	{name: "packed", modules: []string{`OpDecorate %s CPacked
OpDecorate %f LinkageAttributes "f" Import
` + structure + `OpFunctionEnd
`, `OpDecorate %f LinkageAttributes "f" Export
` + structure + `%fe = OpLabel
OpReturn
OpFunctionEnd
`}},
	{name: "recursive", modules: []string{
		linked(list, "Import") + `%f = OpFunction %int None %ft
%x = OpFunctionParameter %pnode
OpFunctionEnd
`, linked(list, "Export") + `%f = OpFunction %int None %ft
%x = OpFunctionParameter %pnode
%fe = OpLabel
%c = OpUndef %int
OpReturnValue %c
OpFunctionEnd
`}},
	{name: "recursive-order", modules: []string{`OpDecorate %f LinkageAttributes "f" Import
OpTypeForwardPointer %p1 CrossWorkgroup
OpTypeForwardPointer %p2 CrossWorkgroup
%int = OpTypeInt 32 0
%t = OpTypeStruct %int %int
%s1 = OpTypeStruct %p2 %t
%s2 = OpTypeStruct %p1 %int
` + circle + `OpFunctionEnd
`, `OpDecorate %f LinkageAttributes "f" Export
OpTypeForwardPointer %p1 CrossWorkgroup
%int = OpTypeInt 32 0
%s2 = OpTypeStruct %p1 %int
%t = OpTypeStruct %int %int
OpTypeForwardPointer %p2 CrossWorkgroup
%s1 = OpTypeStruct %p2 %t
` + circle + `%fe = OpLabel
OpReturn
OpFunctionEnd
`}},
	{name: "spec-constants", modules: []string{`OpName %n "n"
OpDecorate %n SpecId 3
OpDecorate %m SpecId 4
%int = OpTypeInt 32 0
%n = OpSpecConstant %int 5
%m = OpSpecConstant %int 6
`, `OpDecorate %n SpecId 3
OpDecorate %m SpecId 4
%int = OpTypeInt 32 0
%n = OpSpecConstant %int 5
%m = OpSpecConstant %int 7
`}},
	{name: "groups", modules: []string{`OpDecorate %g Constant
OpDecorate %g Alignment 4
%g = OpDecorationGroup
OpGroupDecorate %g %x %y
` + types + `%x = OpVariable %pint CrossWorkgroup
%y = OpVariable %pint CrossWorkgroup
`}},
	// Neither validator knows where the extension has its instructions.
	{name: "aliasing", invalid: true, differs: "it does not know the instructions", modules: []string{aliasing, aliasing}},
	{name: "strings", modules: []string{strings1 + types, strings1 + `OpLine %s 1 1
%void = OpTypeVoid
OpLine %s 2 2
%short = OpTypeInt 16 0
`}, invalid: true},
	{name: "builtins", differs: "it makes plain variables of imported built-ins, so that all of them are one", opt: Options{}, modules: []string{builtin("a"), builtin("b"), builtinNotLinked("c"), builtinNotLinked("d")}},
	{name: "interface", version: version14, differs: "it refuses modules of different versions", modules: []string{user, `OpDecorate %x LinkageAttributes "x" Export
` + types + `%c = OpConstant %int 7
%x = OpVariable %pint CrossWorkgroup %c
`}},
	{name: "exported-declaration", invalid: true, differs: "it does not look for bodies", modules: []string{kernel, `OpDecorate %f LinkageAttributes "f" Export
` + types + `%f = OpFunction %int None %i_i
%fx = OpFunctionParameter %int
OpFunctionEnd
`}},
	{name: "undefined-id", invalid: true, modules: []string{`%int = OpTypeInt 32 0
%p = OpTypePointer CrossWorkgroup %nowhere
`}},
	{name: "two-linkages", invalid: true, differs: "it takes the first", modules: []string{`OpDecorate %x LinkageAttributes "x" Export
OpDecorate %x LinkageAttributes "y" Export
` + types + `%x = OpVariable %pint CrossWorkgroup
`}},
	{name: "no-end", invalid: true, modules: []string{types + `%f = OpFunction %void None %v_
`}},
	{name: "nested", invalid: true, modules: []string{types + `%f = OpFunction %void None %v_
%g = OpFunction %void None %v_
OpFunctionEnd
`}},
	{name: "end-alone", invalid: true, modules: []string{types + "OpFunctionEnd\n"}},
	{name: "two-models", invalid: true, differs: "it takes the first", modules: []string{"OpMemoryModel Physical64 OpenCL\n"}},
}

// kernel2 imports f as kernel does.
const kernel2 = `OpEntryPoint Kernel %k "k2"
OpDecorate %f LinkageAttributes "f" Import
` + types + `%one = OpConstant %int 1
%f = OpFunction %int None %i_i
%fx = OpFunctionParameter %int
OpFunctionEnd
%k = OpFunction %void None %v_
%ke = OpLabel
%kr = OpFunctionCall %int %f %one
OpReturn
OpFunctionEnd
`

const byVal = `%void = OpTypeVoid
%int = OpTypeInt 32 0
%pint = OpTypePointer Function %int
%ft = OpTypeFunction %void %pint
%f = OpFunction %void None %ft
%x = OpFunctionParameter %pint
`

const structure = `%void = OpTypeVoid
%int = OpTypeInt 32 0
%s = OpTypeStruct %int %int
%ps = OpTypePointer CrossWorkgroup %s
%ft = OpTypeFunction %void %ps
%f = OpFunction %void None %ft
%x = OpFunctionParameter %ps
`

// aliasing says that a variable does not overlap others, by ids among the
// decorations.
const aliasing = `OpCapability MemoryAccessAliasingINTEL
OpExtension "SPV_INTEL_memory_access_aliasing"
%domain = OpAliasDomainDeclINTEL
%scope = OpAliasScopeDeclINTEL %domain
%list = OpAliasScopeListDeclINTEL %scope
OpDecorateId %x NoAliasINTEL %list
` + types + `%x = OpVariable %pint CrossWorkgroup
`

const strings1 = `%s = OpString "a.cl"
OpSource OpenCL_C 200000 %s "line 1"
OpSourceContinued " and more"
`

// circle ends two structures that lead to each other.
const circle = `%p2 = OpTypePointer CrossWorkgroup %s2
%p1 = OpTypePointer CrossWorkgroup %s1
%void = OpTypeVoid
%ft = OpTypeFunction %void %p1 %p2
%f = OpFunction %void None %ft
%x = OpFunctionParameter %p1
%y = OpFunctionParameter %p2
`

func linked(module, kind string) string {
	return strings.ReplaceAll(module, "LINKAGE", kind)
}

// builtin is a kernel with a built-in variable as compilers leave it.
func builtin(name string) string {
	return strings.ReplaceAll(`OpEntryPoint Kernel %k "NAME" %id
OpName %id "__spirv_BuiltInGlobalInvocationId"
OpDecorate %id LinkageAttributes "__spirv_BuiltInGlobalInvocationId" Import
`+builtinBody, "NAME", name)
}

func builtinNotLinked(name string) string {
	return strings.ReplaceAll(`OpEntryPoint Kernel %k "NAME" %id
`+builtinBody, "NAME", name)
}

const builtinBody = `OpDecorate %id Constant
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%long = OpTypeInt 64 0
%v3 = OpTypeVector %long 3
%pv3 = OpTypePointer Input %v3
%v_ = OpTypeFunction %void
%id = OpVariable %pv3 Input
%k = OpFunction %void None %v_
%e = OpLabel
%v = OpLoad %v3 %id Aligned 32
OpReturn
OpFunctionEnd
`
