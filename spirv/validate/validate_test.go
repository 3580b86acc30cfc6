package validate_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// TestRealModules checks that what compilers made is accepted at both levels.
func TestRealModules(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.spv")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no modules (%v)", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if errs := validate.Validate(m, validate.Options{Strict: true}); len(errs) > 0 {
			t.Errorf("%s:\n%v", p, errs)
		}
	}
}

func TestMessages(t *testing.T) {
	m := assemble(t, edit(t, base(t), []string{"%add = OpIAdd %int %n %c1 => %add = OpIAdd %int %n %l0", `OpName %kernel "main" => OpName %add "sum"`}))
	errs := validate.Validate(m, validate.Options{})
	if len(errs) != 1 {
		t.Fatal(errs)
	}
	e := errs[0]
	if e.Rule != "operand-type" || e.Op != spirv.OpIAdd || e.Name != "sum" || e.ID == 0 || e.Offset == 0 {
		t.Errorf("%+v", e)
	}
	var list validate.Errors
	if !errors.As(errs.Err(), &list) || !strings.Contains(errs.Err().Error(), `OpIAdd %`) || !strings.HasSuffix(e.Error(), "[operand-type]") {
		t.Errorf("error reads %v", errs.Err())
	}
	if validate.Errors(nil).Err() != nil {
		t.Error("an empty list is an error")
	}
}

func TestMaxErrors(t *testing.T) {
	m := assemble(t, base(t))
	for i := range m.Insts {
		if m.Insts[i].Op() == spirv.OpIAdd || m.Insts[i].Op() == spirv.OpLoad {
			m.Insts[i].Words[3] = 0
		}
	}
	if errs := validate.Validate(m, validate.Options{MaxErrors: 3}); len(errs) != 3 {
		t.Errorf("%d errors, want 3:\n%v", len(errs), errs)
	}
	if errs := validate.Validate(m, validate.Options{}); len(errs) != 5 {
		t.Errorf("%d errors, want 5:\n%v", len(errs), errs)
	}
}

// kernel is a module around the body of one function of type void().
func kernel(types, body string) string {
	return `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%fn = OpTypeFunction %void
%true = OpConstantTrue %bool
%zero = OpConstant %int 0
` + types + `%main = OpFunction %void None %fn
` + body + "OpFunctionEnd\n"
}

// TestProducerHabits loads what real producers emit against the letter of the specification.
func TestProducerHabits(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"blocks before their dominators, ids before their definition", kernel("", `%entry = OpLabel
OpBranch %first
%last = OpLabel
%use = OpIAdd %int %def %zero
OpReturn
%first = OpLabel
%def = OpIAdd %int %zero %zero
OpBranch %last
`)},
		{"odd integer widths", kernel("%i3 = OpTypeInt 3 0\n%i33 = OpTypeInt 33 0\n%three = OpConstant %i3 3\n%big = OpConstant %i33 4294967297\n", `%entry = OpLabel
%t = OpUConvert %i3 %zero
OpSwitch %t %done 1 %one 2 %done
%one = OpLabel
%w = OpUConvert %i33 %t
%w2 = OpIAdd %i33 %w %big
OpSwitch %w2 %done 4294967297 %done
%done = OpLabel
OpReturn
`)},
		{"merge instruction in an odd place, a merge block that is shared", kernel("", `%entry = OpLabel
OpBranch %loop
%loop = OpLabel
%p = OpPhi %int %zero %entry %next %body
OpLoopMerge %done %body None
%next = OpIAdd %int %p %zero
OpBranchConditional %true %body %done
%body = OpLabel
OpLoopMerge %done %body None
%other = OpIAdd %int %p %zero
OpBranchConditional %true %loop %done
%done = OpLabel
OpReturn
`)},
		{"variables after other instructions and in other blocks", kernel("%ptr = OpTypePointer Function %int\n", `%entry = OpLabel
%s = OpIAdd %int %zero %zero
%v = OpVariable %ptr Function
OpBranch %next
%next = OpLabel
%w = OpVariable %ptr Function %zero
OpStore %v %s
OpReturn
`)},
		{"a parent for each edge of a switch", kernel("", `%entry = OpLabel
OpSwitch %zero %other 1 %same 2 %same
%other = OpLabel
OpBranch %same
%same = OpLabel
%p = OpPhi %int %zero %entry %zero %entry %zero %other
OpReturn
`)},
		{"a block that nothing reaches", kernel("", `%entry = OpLabel
OpReturn
%dead = OpLabel
%u = OpIAdd %int %after %zero
OpBranch %dead2
%dead2 = OpLabel
%after = OpIAdd %int %zero %zero
OpBranch %dead
`)},
		{"untyped pointers", "OpCapability UntypedPointersKHR\nOpExtension \"SPV_KHR_untyped_pointers\"\n" + kernel(`%uptr = OpTypeUntypedPointerKHR Function
%c4 = OpConstant %int 4
%arr = OpTypeArray %int %c4
`, `%entry = OpLabel
%v = OpUntypedVariableKHR %uptr Function %arr
%e = OpUntypedInBoundsPtrAccessChainKHR %uptr %arr %v %zero %c4
OpStore %e %zero
%x = OpLoad %int %e
OpReturn
`)},
	} {
		m := assemble(t, tc.text)
		if errs := validate.Validate(m, validate.Options{}); len(errs) > 0 {
			t.Errorf("%s:\n%v", tc.name, errs)
		}
	}
}

// TestRecursiveTypes loads a list whose elements point to elements.
func TestRecursiveTypes(t *testing.T) {
	list := kernel("OpTypeForwardPointer %next CrossWorkgroup\n%node = OpTypeStruct %int %next\n%next = OpTypePointer CrossWorkgroup %node\n", "%entry = OpLabel\nOpReturn\n")
	if errs := validate.Validate(assemble(t, list), validate.Options{Strict: true}); len(errs) > 0 {
		t.Error(errs)
	}
}

// TestLongChains proves that deep inputs cost neither stack nor more than near-linear time: a million
// words of blocks in a chain, of nested types, and of calls.
func TestLongChains(t *testing.T) {
	if testing.Short() {
		t.Skip("builds large modules")
	}
	const n = 60000
	header := func(bound uint32) []uint32 {
		return []uint32{spirv.Magic, 0x00010000, 0, bound, 0,
			2<<16 | uint32(spirv.OpCapability), uint32(spirv.CapabilityAddresses),
			2<<16 | uint32(spirv.OpCapability), uint32(spirv.CapabilityKernel),
			2<<16 | uint32(spirv.OpCapability), uint32(spirv.CapabilityLinkage),
			3<<16 | uint32(spirv.OpMemoryModel), 2, 2,
			2<<16 | uint32(spirv.OpTypeVoid), 1, 3<<16 | uint32(spirv.OpTypeFunction), 2, 1,
			4<<16 | uint32(spirv.OpTypeInt), 3, 32, 0, 2<<16 | uint32(spirv.OpTypeBool), 4, 3<<16 | uint32(spirv.OpConstantTrue), 4, 5}
	}
	function := func(id uint32) []uint32 { return []uint32{5<<16 | uint32(spirv.OpFunction), 1, id, 0, 2} }
	end := []uint32{1<<16 | uint32(spirv.OpReturn), 1<<16 | uint32(spirv.OpFunctionEnd)}
	ladder := append(header(n+10), function(6)...)
	for i := range uint32(n) {
		ladder = append(ladder, 2<<16|uint32(spirv.OpLabel), 7+i)
		if i == n-1 {
			break
		}
		// Back to the second block now and then: loops inside loops.
		ladder = append(ladder, 4<<16|uint32(spirv.OpBranchConditional), 5, 8+i, 8+i/2)
	}
	ladder = append(ladder, end...)
	types := header(n + 10)
	types = append(types, 3<<16|uint32(spirv.OpTypeStruct), 6, 3)
	for i := range uint32(n) {
		types = append(types, 3<<16|uint32(spirv.OpTypeStruct), 7+i, 6+i)
	}
	calls := header(3*n + 10)
	for i := range uint32(n) {
		calls = append(calls, function(6+3*i)...)
		calls = append(calls, 2<<16|uint32(spirv.OpLabel), 7+3*i)
		if i < n-1 {
			calls = append(calls, 4<<16|uint32(spirv.OpFunctionCall), 1, 8+3*i, 9+3*i)
		}
		calls = append(calls, end...)
	}
	for name, words := range map[string][]uint32{"blocks": ladder, "types": types, "calls": calls} {
		var data []byte
		for _, w := range words {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		m, err := spirv.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if errs := validate.Validate(m, validate.Options{}); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs[0])
		}
	}
}

func FuzzValidate(f *testing.F) {
	paths, _ := filepath.Glob("../testdata/*.spv")
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(assemble(f, base(f)).Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spirv.Decode(data)
		if err != nil {
			return
		}
		load := validate.Validate(m, validate.Options{})
		strict := validate.Validate(m, validate.Options{Strict: true})
		if len(load) > 0 && len(strict) == 0 {
			t.Fatalf("accepted by Strict, refused by Load:\n%v", load)
		}
	})
}
