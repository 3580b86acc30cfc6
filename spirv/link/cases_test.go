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
	{name: "variable-order", differs: "it leaves an initializer in front of what it names", modules: []string{`OpName %p "p"
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
	{name: "once-and-export", differs: "it does not know LinkOnceODR in this version", opt: Options{Library: true}, modules: []string{once + `OpName %f "f"
OpName %x "once"
OpDecorate %f LinkageAttributes "f" LinkOnceODR
` + functionBody, function1, kernel}},
	{name: "unresolved", modules: []string{kernel, kernel2}},
	{name: "partial", opt: Options{Partial: true}, differs: "it leaves each import", modules: []string{kernel, kernel2}},
	{name: "library-unresolved", opt: Options{Library: true}, differs: "it asks for --allow-partial-linkage, too", modules: []string{kernel}},
	{name: "resolves", opt: Options{Resolves: func(name string) bool { return name == "f" }}, differs: "it knows no names", modules: []string{kernel}},
	{name: "duplicate-export", modules: []string{function1, function1}},
	{name: "duplicate-entry-point", differs: "it compares functions of entry points only", modules: []string{kernel, function1, user}},
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
	{name: "recursive", differs: "it does not see that recursive types are the same", modules: []string{
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
	{name: "spec-constants", differs: "it keeps constants apart", modules: []string{`OpName %n "n"
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
`}, differs: "it keeps groups"},
	{name: "strings", modules: []string{strings1 + types, strings1 + `OpLine %s 1 1
%void = OpTypeVoid
OpLine %s 2 2
%short = OpTypeInt 16 0
`}, invalid: true, differs: "it does not merge strings"},
	{name: "builtins", opt: Options{}, differs: "it leaves each import", modules: []string{builtin("a"), builtin("b"), builtinNotLinked("c"), builtinNotLinked("d")}},
	{name: "interface", version: version14, differs: "it refuses modules of different versions", modules: []string{user, `OpDecorate %x LinkageAttributes "x" Export
` + types + `%c = OpConstant %int 7
%x = OpVariable %pint CrossWorkgroup %c
`}},
	{name: "exported-declaration", invalid: true, differs: "it does not look for bodies", modules: []string{kernel, `OpDecorate %f LinkageAttributes "f" Export
` + types + `%f = OpFunction %int None %i_i
%fx = OpFunctionParameter %int
OpFunctionEnd
`}},
	{name: "undefined-id", invalid: true, differs: "it does not look for ids", modules: []string{`%int = OpTypeInt 32 0
%p = OpTypePointer CrossWorkgroup %nowhere
`}},
	{name: "two-linkages", invalid: true, differs: "it takes the first", modules: []string{`OpDecorate %x LinkageAttributes "x" Export
OpDecorate %x LinkageAttributes "y" Export
` + types + `%x = OpVariable %pint CrossWorkgroup
`}},
	{name: "no-end", invalid: true, differs: "it does not say where", modules: []string{types + `%f = OpFunction %void None %v_
`}},
	{name: "nested", invalid: true, differs: "it does not say where", modules: []string{types + `%f = OpFunction %void None %v_
%g = OpFunction %void None %v_
OpFunctionEnd
`}},
	{name: "end-alone", invalid: true, differs: "it does not say where", modules: []string{types + "OpFunctionEnd\n"}},
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

const strings1 = `%s = OpString "a.cl"
OpSource OpenCL_C 200000 %s "line 1"
OpSourceContinued " and more"
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
