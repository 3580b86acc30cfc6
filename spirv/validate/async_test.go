package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// copies is a module that copies a box in and out with the set of that name, and
// waits for it.
func copies(set string, bits int) string {
	size := map[int]string{32: "%uint", 64: "%ulong"}[bits]
	return fmt.Sprintf(`OpCapability Addresses
OpCapability Kernel
OpCapability GenericPointer
OpCapability Int64
%%set = OpExtInstImport "%s"
OpMemoryModel Physical%d OpenCL
OpEntryPoint Kernel %%f "f"
%%void = OpTypeVoid
%%uint = OpTypeInt 32 0
%%ulong = OpTypeInt 64 0
%%float = OpTypeFloat 32
%%event = OpTypeEvent
%%global = OpTypePointer CrossWorkgroup %%float
%%local = OpTypePointer Workgroup %%float
%%private = OpTypePointer Function %%float
%%generic = OpTypePointer Generic %%float
%%const = OpTypePointer UniformConstant %%float
%%events = OpTypePointer Function %%event
%%fn = OpTypeFunction %%void %%global %%local %%const
%%two = OpConstant %%uint 2
%%one = OpConstant %%uint 1
%%i = OpConstant %%uint 4
%%l = OpConstant %%ulong 4
%%n = OpConstant %s 4
%%x = OpConstant %%float 4
%%none = OpConstantNull %%event
%%f = OpFunction %%void None %%fn
%%g = OpFunctionParameter %%global
%%w = OpFunctionParameter %%local
%%c = OpFunctionParameter %%const
%%entry = OpLabel
%%list = OpVariable %%events Function
%%p = OpVariable %%private Function
%%q = OpPtrCastToGeneric %%generic %%w
%%e2 = OpExtInst %%event %%set 1 %%w %%n %%g %%n %%n %%n %%n %%n %%n %%none
%%e3 = OpExtInst %%event %%set 2 %%g %%n %%w %%n %%n %%n %%n %%n %%n %%n %%n %%n %%e2
OpStore %%list %%e3
OpGroupWaitEvents %%two %%one %%list
OpReturn
OpFunctionEnd
`, set, bits, size)
}

// The two names of the set.
const (
	prefixed = "NonSemantic.Codeplay.GroupAsyncCopies"
	plain    = "Codeplay.GroupAsyncCopies"
)

// TestGroupAsyncCopies loads both names of the set with both addressing models,
// although no other NonSemantic set may give OpGroupWaitEvents its events.
func TestGroupAsyncCopies(t *testing.T) {
	for _, set := range []string{prefixed, plain} {
		for _, bits := range []int{32, 64} {
			m := assemble(t, copies(set, bits))
			for _, strict := range []bool{false, true} {
				if errs := validate.Validate(m, validate.Options{Strict: strict}); len(errs) > 0 {
					t.Errorf("%s, %d bits, strict %v:\n%v", set, bits, strict, errs)
				}
			}
		}
	}
}

// The two copies of the module, by their instruction's number.
var copyLines = map[int]string{
	1: "%e2 = OpExtInst %event %set 1 %w %n %g %n %n %n %n %n %n %none",
	2: "%e3 = OpExtInst %event %set 2 %g %n %w %n %n %n %n %n %n %n %n %n %e2",
}

// TestGroupAsyncCopyOperands breaks one rule for each operand of the two
// instructions, under both names and with both addressing models.
func TestGroupAsyncCopyOperands(t *testing.T) {
	try := func(t *testing.T, text, old, line, rule string) {
		t.Helper()
		errs := validate.Validate(assemble(t, edit(t, text, []string{old + " => " + line})), validate.Options{})
		if got := rulesOf(errs); len(got) != 1 || !got[rule] {
			t.Errorf("%s: want %s, got:\n%v", line, rule, errs)
		}
	}
	for _, set := range []string{prefixed, plain} {
		for _, bits := range []int{32, 64} {
			text := copies(set, bits)
			wrong := map[int]string{32: "%l", 64: "%i"}[bits] // a size of the other width
			for number, old := range copyLines {
				words := strings.Fields(old)
				with := func(i int, w string) string {
					x := slices.Clone(words)
					x[i] = w
					return strings.Join(x, " ")
				}
				const first = 6 // operand: destination
				last := len(words) - 1
				unused := strings.Replace(text, "OpStore %list %e3", "OpStore %list %none", 1)
				try(t, unused, old, with(3, "%uint"), "ext-inst-type")
				try(t, text, old, with(last, "%n"), "ext-inst-type")
				for i := first; i < last; i++ {
					if i == first || i == first+2 {
						try(t, text, old, with(i, "%n"), "ext-inst-type")
						for _, p := range []string{"%p", "%c", "%q", words[2*first+2-i]} {
							try(t, text, old, with(i, p), "async-copy")
						}
						continue
					}
					try(t, text, old, with(i, wrong), "ext-inst-type")
					try(t, text, old, with(i, "%x"), "ext-inst-type")
				}
				if number == 2 {
					try(t, text, "OpStore %list %e3", "OpStore %list %n", "operand-type")
				}
			}
		}
	}
}

// TestGroupAsyncCopyCount takes an operand away from each instruction, and gives
// it one more: the grammar has 10 and 13 behind the number.
func TestGroupAsyncCopyCount(t *testing.T) {
	for _, set := range []string{prefixed, plain} {
		for _, more := range []int{-1, 1} {
			for number := range copyLines {
				m := assemble(t, copies(set, 64))
				for i, in := range m.Insts {
					if in.Op() != spirv.OpExtInst || in.Operand(1) != uint32(number) {
						continue
					}
					w := slices.Clone(in.Words)
					if more < 0 {
						w = w[:len(w)-1]
					} else {
						w = append(w, w[len(w)-1])
					}
					w[0] = uint32(len(w))<<16 | w[0]&0xffff
					m.Insts[i].Words = w
				}
				errs := validate.Validate(m, validate.Options{})
				if got := rulesOf(errs); len(got) != 1 || !got["grammar"] {
					t.Errorf("%s, instruction %d with %+d operands: %v", set, number, more, errs)
				}
			}
		}
		m := assemble(t, copies(set, 64))
		for _, in := range m.Insts {
			if in.Op() == spirv.OpExtInst {
				in.Words[4] = 3
			}
		}
		if got := rulesOf(validate.Validate(m, validate.Options{})); len(got) != 1 || !got["ext-inst-number"] {
			t.Errorf("%s: instruction 3 breaks %v", set, got)
		}
	}
}

// TestGroupAsyncCopiesCapability imports the set without the capability Kernel.
func TestGroupAsyncCopiesCapability(t *testing.T) {
	for _, set := range []string{prefixed, plain} {
		text := fmt.Sprintf("OpCapability Linkage\nOpCapability Addresses\n%%set = OpExtInstImport \"%s\"\nOpMemoryModel Physical64 OpenCL\n", set)
		var messages []string
		for _, e := range validate.Validate(assemble(t, text), validate.Options{}) {
			if e.Op == spirv.OpExtInstImport {
				messages = append(messages, e.Error())
			}
		}
		want := fmt.Sprintf("word 9: OpExtInstImport %%1: the extended instruction set %q needs the capability Kernel [capability-kernel]", set)
		if len(messages) != 1 || messages[0] != want {
			t.Errorf("%s: %q, want %q", set, messages, want)
		}
	}
	// A set without effects may be imported by anybody.
	text := "OpCapability Linkage\nOpCapability Addresses\n%set = OpExtInstImport \"NonSemantic.Codeplay.Other\"\nOpMemoryModel Physical64 OpenCL\n"
	for _, e := range validate.Validate(assemble(t, text), validate.Options{}) {
		if e.Op == spirv.OpExtInstImport {
			t.Error(e)
		}
	}
}

// TestNonSemanticResults checks that results of sets without effects are still
// nothing that an instruction can use as an event.
func TestNonSemanticResults(t *testing.T) {
	text := strings.Replace(copies("NonSemantic.Codeplay.Other", 64), "%event %set", "%void %set", 2)
	errs := validate.Validate(assemble(t, text), validate.Options{})
	if got := rulesOf(errs); len(got) != 1 || !got["operand-type"] {
		t.Errorf("an event of an unknown set: %v", errs)
	}
}

// TestUntypedCopy checks the form of OpGroupAsyncCopy for untyped pointers.
func TestUntypedCopy(t *testing.T) {
	const line = "%e = OpUntypedGroupAsyncCopyKHR %event %two %uw %ug %n %n %n %none"
	text := strings.Replace(copies(plain, 64), "OpCapability Int64\n", "OpCapability Int64\nOpCapability UntypedPointersKHR\nOpExtension \"SPV_KHR_untyped_pointers\"\n", 1)
	text = strings.Replace(text, "%none = ", "%tw = OpTypeUntypedPointerKHR Workgroup\n%tg = OpTypeUntypedPointerKHR CrossWorkgroup\n"+
		"%uw = OpConstantNull %tw\n%ug = OpConstantNull %tg\n%none = ", 1)
	text = strings.Replace(text, "OpReturn\n", line+"\nOpReturn\n", 1)
	for _, tc := range []struct{ line, rule string }{
		{line, ""},
		{"%e = OpUntypedGroupAsyncCopyKHR %event %two %ug %ug %n %n %n %none", "async-copy"},
		{"%e = OpUntypedGroupAsyncCopyKHR %event %two %n %ug %n %n %n %none", "operand-type"},
		{"%e = OpUntypedGroupAsyncCopyKHR %event %two %uw %ug %x %n %n %none", "operand-type"},
		{"%e = OpUntypedGroupAsyncCopyKHR %event %two %uw %ug %n %n %n %n", "operand-type"},
		{"%e = OpUntypedGroupAsyncCopyKHR %uint %two %uw %ug %n %n %n %none", "operand-type"},
		{"%e = OpUntypedGroupAsyncCopyKHR %event %two %uw %ug %n %i %n %none", "operand-loose"},
	} {
		got := rulesOf(validate.Validate(assemble(t, strings.Replace(text, line, tc.line, 1)), validate.Options{Strict: true}))
		if tc.rule == "" && len(got) > 0 || tc.rule != "" && (len(got) != 1 || !got[tc.rule]) {
			t.Errorf("%s: %v, want %q", tc.line, got, tc.rule)
		}
	}
}
