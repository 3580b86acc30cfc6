package emu_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/link"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

const deepHead = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
`

const deepTypes = `%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%vec3 = OpTypeVector %ulong 3
%pin = OpTypePointer Input %vec3
%pg = OpTypePointer CrossWorkgroup %uint
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %pg
%vfn = OpTypeFunction %void
%gid = OpVariable %pin Input
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
`

const deepBegin = `%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%entry = OpLabel
%g3 = OpLoad %vec3 %gid
%g64 = OpCompositeExtract %ulong %g3 0
%x0 = OpUConvert %uint %g64
`

// deepText is a module with decorations, types and constants, and a body.
func deepText(decos, types, body string) string {
	return deepHead + decos + deepTypes + types + deepBegin + body + "OpReturn\nOpFunctionEnd\n"
}

func deepLines(n int, format string) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, format, i, i+1)
		s.WriteByte('\n')
	}
	return s.String()
}

var deepest = flag.Bool("deepest", false, "nest 100,000 times, and chain a million")

// TestDeepModules takes modules in which something is nested, or leads on, a great many times through every stage
// before a launch. The stack is limited to a small part of what the system would give: what recurses as deep as the
// module says does not fit, and ends the test.
func TestDeepModules(t *testing.T) {
	n, chain, stack := 15000, 50000, 2<<20
	if *deepest {
		n, chain, stack = 100000, 1000000, 4<<20
	}
	defer debug.SetMaxStack(debug.SetMaxStack(stack))
	use := fmt.Sprintf("OpStore %%out %%x%d\n", chain)
	for _, c := range []struct{ name, text, err string }{
		{"structures", deepText("", "%t0 = OpTypeStruct %uint\n"+deepLines(n, "%%t%[2]d = OpTypeStruct %%t%[1]d")+
			fmt.Sprintf("%%pt = OpTypePointer CrossWorkgroup %%t%d\n%%v = OpVariable %%pt CrossWorkgroup\n", n), "%l = OpConvertPtrToU %ulong %v\n%u = OpUConvert %uint %l\nOpStore %out %u\n"), "nested more than"},
		{"arrays", deepText("", "%t0 = OpTypeArray %uint %c1\n"+deepLines(n, "%%t%[2]d = OpTypeArray %%t%[1]d %%c1")+
			fmt.Sprintf("%%pt = OpTypePointer CrossWorkgroup %%t%d\n%%v = OpVariable %%pt CrossWorkgroup\n", n), "%l = OpConvertPtrToU %ulong %v\n%u = OpUConvert %uint %l\nOpStore %out %u\n"), "nested more than"},
		{"types of parameters", strings.Replace(deepText("", "%t0 = OpTypeStruct %uint\n"+deepLines(n, "%%t%[2]d = OpTypeStruct %%t%[1]d")+
			fmt.Sprintf("%%fd = OpTypeFunction %%void %%t%d\n", n), ""), "%f = OpFunction %void None %fn\n%out = OpFunctionParameter %pg\n", fmt.Sprintf("%%f = OpFunction %%void None %%fd\n%%out = OpFunctionParameter %%t%d\n", n), 1), "nested"},
		{"pointers", deepText("", "%t0 = OpTypePointer CrossWorkgroup %uint\n"+deepLines(n, "%%t%[2]d = OpTypePointer CrossWorkgroup %%t%[1]d"), fmt.Sprintf("%%k = OpUConvert %%ulong %%x0\n%%p = OpConvertUToPtr %%t%d %%k\n%%l = OpLoad %%t%d %%p Aligned 8\n%%y = OpConvertPtrToU %%ulong %%l\n%%u = OpUConvert %%uint %%y\nOpStore %%out %%u\n", n, n-1)), ""},
		{"pointers of parameters", strings.Replace(deepText("", "%t0 = OpTypePointer CrossWorkgroup %uint\n"+deepLines(n, "%%t%[2]d = OpTypePointer CrossWorkgroup %%t%[1]d")+
			fmt.Sprintf("%%fd = OpTypeFunction %%void %%t%d\n", n), ""), "%f = OpFunction %void None %fn\n%out = OpFunctionParameter %pg\n", fmt.Sprintf("%%f = OpFunction %%void None %%fd\n%%out = OpFunctionParameter %%t%d\n", n), 1), ""},
		{"constants", deepText("", "%t0 = OpTypeStruct %uint\n%k0 = OpConstantComposite %t0 %c1\n"+deepLines(n, "%%t%[2]d = OpTypeStruct %%t%[1]d\n%%k%[2]d = OpConstantComposite %%t%[2]d %%k%[1]d")+
			fmt.Sprintf("%%pt = OpTypePointer CrossWorkgroup %%t%d\n%%v = OpVariable %%pt CrossWorkgroup %%k%[1]d\n", n), "%l = OpConvertPtrToU %ulong %v\n%u = OpUConvert %uint %l\nOpStore %out %u\n"), "nested more than"},
		{"operations on constants", deepText("", "%k0 = OpSpecConstant %uint 1\n"+deepLines(n, "%%k%[2]d = OpSpecConstantOp %%uint IAdd %%k%[1]d %%k%[1]d"), fmt.Sprintf("OpStore %%out %%k%d\n", n)), "nested more than"},
		{"variables that lead to variables", deepText("", "%p0 = OpTypePointer CrossWorkgroup %uint\n%v0 = OpVariable %p0 CrossWorkgroup\n"+deepLines(n, "%%p%[2]d = OpTypePointer CrossWorkgroup %%p%[1]d\n%%v%[2]d = OpVariable %%p%[2]d CrossWorkgroup %%v%[1]d"),
			fmt.Sprintf("%%l = OpConvertPtrToU %%ulong %%v%d\n%%u = OpUConvert %%uint %%l\nOpStore %%out %%u\n", n)), "nested more than"},
		{"groups of decorations", deepText("OpDecorate %d0 Restrict\n%d0 = OpDecorationGroup\n"+deepLines(n, "OpGroupDecorate %%d%[1]d %%d%[2]d\n%%d%[2]d = OpDecorationGroup"), "", ""), "used and not defined"},
		{"calls", deepHead + deepTypes + "%f0 = OpFunction %void None %vfn\n%e0 = OpLabel\nOpReturn\nOpFunctionEnd\n" +
			deepLines(n, "%%f%[2]d = OpFunction %%void None %%vfn\n%%e%[2]d = OpLabel\n%%a%[2]d = OpFunctionCall %%void %%f%[1]d\nOpReturn\nOpFunctionEnd") +
			deepBegin + fmt.Sprintf("%%a = OpFunctionCall %%void %%f%d\nOpReturn\nOpFunctionEnd\n", n), "nested more than"},
		{"expressions", deepText("", "", deepLines(chain, "%%x%[2]d = OpIMul %%uint %%x%[1]d %%x%[1]d")+use), ""},
		{"sums of 64 bits", deepText("", "%c64 = OpConstant %ulong 5\n", "%y0 = OpUConvert %ulong %x0\n"+deepLines(chain, "%%y%[2]d = OpIAdd %%ulong %%y%[1]d %%g64")+fmt.Sprintf("%%x%d = OpUConvert %%uint %%y%[1]d\n", chain)+use), ""},
		{"selections", deepText("", "", "%b = OpIEqual %bool %x0 %c1\n"+deepLines(chain, "%%x%[2]d = OpSelect %%uint %%b %%c0 %%x%[1]d\n")+use), ""},
		{"negations", deepText("", "", deepLines(chain, "%%x%[2]d = OpSNegate %%uint %%x%[1]d")+use), ""},
		{"conversions", deepText("", "", deepLines(chain/2, "%%y%[1]d = OpUConvert %%ulong %%x%[1]d\n%%x%[2]d = OpUConvert %%uint %%y%[1]d")+fmt.Sprintf("OpStore %%out %%x%d\n", chain/2)), ""},
		{"addresses", deepText("", "", "%p0 = OpInBoundsPtrAccessChain %pg %out %x0\n"+deepLines(chain/2, "%%p%[2]d = OpInBoundsPtrAccessChain %%pg %%p%[1]d %%x0")+fmt.Sprintf("OpStore %%p%d %%c1\n", chain/2)), ""},
		{"loads that follow loads", deepText("", "%pp = OpTypePointer CrossWorkgroup %pg\n", deepLines(n, "%%x%[2]d = OpLoad %%uint %%p%[1]d\n%%p%[2]d = OpInBoundsPtrAccessChain %%pg %%out %%x%[2]d")+fmt.Sprintf("OpStore %%out %%x%d\n", n)), ""},
		{"blocks", deepText("", "", "OpBranch %b0\n%b0 = OpLabel\n"+deepLines(n, "%%s%[1]d = OpLoad %%uint %%out Volatile\nOpBranch %%b%[2]d\n%%b%[2]d = OpLabel")), ""},
		{"phis", deepText("", "", "%b = OpIEqual %bool %x0 %c1\nOpBranch %b0\n%b0 = OpLabel\n"+deepLines(n/4,
			"OpBranchConditional %%b %%l%[1]d %%m%[1]d\n%%l%[1]d = OpLabel\nOpStore %%out %%c0\nOpBranch %%b%[2]d\n%%m%[1]d = OpLabel\nOpStore %%out %%c1\nOpBranch %%b%[2]d\n%%b%[2]d = OpLabel\n%%x%[2]d = OpPhi %%uint %%x%[1]d %%l%[1]d %%c0 %%m%[1]d")+fmt.Sprintf("OpStore %%out %%x%d\n", n/4)), ""},
		{"private variables", deepText("", "", deepLines(n, "%%v%[1]d = OpVariable %%pf Function")+"OpStore %v0 %x0\n"+deepLines(n-1, "%%l%[1]d = OpLoad %%uint %%v%[1]d\nOpStore %%v%[2]d %%l%[1]d")+fmt.Sprintf("%%r = OpLoad %%uint %%v%d\nOpStore %%out %%r\n", n-1)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			deepModule(t, strings.Replace(c.text, "%p0\n%p1 = OpInBoundsPtrAccessChain %pg %out %x1", "%out\n%p1 = OpInBoundsPtrAccessChain %pg %out %x1", 1), c.err)
		})
	}
}

// deepModule takes a module through the stages. reason is part of the error with which it is refused, "" for none.
func deepModule(t *testing.T, text, reason string) {
	t.Helper()
	start := time.Now()
	var took []string
	stage := func(name string) {
		if d := time.Since(start); d > 200*time.Millisecond {
			took = append(took, fmt.Sprintf("%s %d ms", name, d.Milliseconds()))
		}
		start = time.Now()
	}
	defer func() { t.Logf("%d KiB of text: %s", len(text)>>10, strings.Join(took, ", ")) }()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stage("assemble")
	m, err := spirv.Decode(code)
	if err != nil {
		t.Fatal(err)
	}
	stage("decode")
	if s := asm.Disassemble(m, asm.DisassembleOptions{}); len(s) < len(code)/4 {
		t.Errorf("the module of %d bytes is disassembled to %d", len(code), len(s))
	}
	stage("disassemble")
	refused := func(err error) bool {
		if reason != "" && strings.Contains(err.Error(), reason) {
			return true
		}
		t.Fatalf("error %v; expected one with %q", err, reason)
		return false
	}
	for _, strict := range []bool{false, true} {
		if err := validate.Validate(m, validate.Options{Strict: strict, MaxErrors: 3}).Err(); err != nil && !strict && refused(err) {
			return
		}
		stage("validate")
	}
	if _, err := spirv.Reflect(m); err != nil && refused(err) {
		return
	}
	stage("reflect")
	if _, err := link.Link([]link.Input{{Name: "a", Module: m}}, link.Options{}); err != nil && refused(err) {
		return
	}
	stage("link")
	_, err = lower.Program(m, lower.Options{})
	stage("lower")
	var le *lower.Error
	switch {
	case err == nil && reason != "":
		t.Errorf("no error; expected one with %q", reason)
	case err != nil && refused(err) && !errors.As(err, &le):
		t.Errorf("error %v; expected one of package lower", err)
	}
}
