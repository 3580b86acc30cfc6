package asm

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// assembleWords gives the words of a text after the header, and the id bound.
func assembleWords(text string, opts Options) (words []uint32, bound uint32, err error) {
	data, err := Assemble(text, opts)
	if err != nil {
		return nil, 0, err
	}
	for len(data) > 0 {
		words = append(words, binary.LittleEndian.Uint32(data))
		data = data[4:]
	}
	return words[spirv.HeaderWords:], words[3], nil
}

func TestHeader(t *testing.T) {
	data, err := Assemble("%a = OpTypeVoid", Options{Version: 0x00010200})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if m.Version != 0x00010200 || m.Generator != 0x00070000 || m.Bound != 2 || m.Schema != 0 {
		t.Errorf("header %v %#x %d %d", m.Version, m.Generator, m.Bound, m.Schema)
	}
	if data, _ = Assemble("", Options{}); len(data) != 20 || data[6] != 1 || data[5] != 6 {
		t.Errorf("empty text assembles to % x", data)
	}
}

func TestTargetEnv(t *testing.T) {
	for env, want := range map[string]spirv.Version{"spv1.0": spirv.Version10, "opencl2.2": 0x10200, "vulkan1.1": 0x10300, "spv1.6": spirv.Version16} {
		if got, ok := TargetEnv(env); !ok || got != want {
			t.Errorf("%s: %v %v", env, got, ok)
		}
	}
	if _, ok := TargetEnv("spv1.7"); ok {
		t.Error("spv1.7 is known")
	}
	for _, env := range TargetEnvs() {
		if _, ok := TargetEnv(env); !ok {
			t.Errorf("%s is listed but not known", env)
		}
	}
}

// TestIDs checks the numbering of ids: the words are the operands of OpGroupDecorate.
func TestIDs(t *testing.T) {
	tests := []struct {
		ids      string
		preserve bool
		want     []uint32
		bound    uint32
	}{
		{"%b %a %b %7 %c", false, []uint32{1, 2, 1, 3, 4}, 5},
		{"%b %a %b %7 %c", true, []uint32{1, 2, 1, 7, 3}, 8},
		{"%a %2 %b %1 %c %0x4 %d %010 %e", true, []uint32{3, 2, 5, 1, 6, 4, 7, 8, 9}, 10},
		{"%a %0 %4294967295 %4294967296", true, []uint32{1, 0, 4294967295, 2}, 3},
		{"%01 %1 %08", true, []uint32{1, 1, 2}, 3},
		{"%01 %1 %08", false, []uint32{1, 2, 3}, 4},
		{"%a_B9 %_", true, []uint32{1, 2}, 3},
	}
	for _, test := range tests {
		words, bound, err := assembleWords("OpGroupDecorate "+test.ids, Options{PreserveNumericIDs: test.preserve})
		if err != nil || !slices.Equal(words[1:], test.want) || bound != test.bound {
			t.Errorf("%s, preserve %v: %d, bound %d, error %v; want %d, bound %d", test.ids, test.preserve, words, bound, err, test.want, test.bound)
		}
	}
}

// TestAliases assembles every name of every opcode and enumerant that has
// several.
func TestAliases(t *testing.T) {
	n := 0
	for info := range spirv.Ops() {
		for _, alias := range info.Aliases {
			n++
			if op, ok := lookupOp(alias); !ok || op != info.Op {
				t.Errorf("%s: %v %v, want %v", alias, op, ok, info.Op)
			}
		}
	}
	for kind := spirv.OperandKind(1); kind.Category() != 0; kind++ {
		for _, e := range kind.Enumerants() {
			for _, alias := range e.Aliases {
				n++
				if got, ok := lookupEnumerant(kind, alias); !ok || got.Value != e.Value {
					t.Errorf("%s.%s: %v %v, want %d", kind, alias, got, ok, e.Value)
				}
			}
		}
		for old, current := range legacyEnumerants[kind] {
			n++
			got, ok := lookupEnumerant(kind, old)
			want, ok2 := kind.Named(current)
			if !ok || !ok2 || got != want {
				t.Errorf("%s.%s: %v, want %v", kind, old, got, want)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d aliases only", n)
	}
	for _, pair := range [][2]string{
		{"OpDecorateString %a UserSemantic \"s\"", "OpDecorateStringGOOGLE %a HlslSemanticGOOGLE \"s\""},
		{"OpCapability StorageBuffer16BitAccess", "OpCapability StorageUniformBufferBlock16"},
		{"%a = OpTypeAccelerationStructureKHR", "%a = OpTypeAccelerationStructureNV"},
		{"OpDecorate %a BuiltIn SubgroupEqMask", "OpDecorate %a BuiltIn SubgroupEqMaskKHR"},
		{"%a = OpConstantFunctionPointerINTEL %t %f", "%a = OpFunctionPointerINTEL %t %f"},
	} {
		a, _, err := assembleWords(pair[0], Options{})
		b, _, errB := assembleWords(pair[1], Options{})
		if err != nil || errB != nil || !slices.Equal(a, b) {
			t.Errorf("%q gives %x (%v), %q gives %x (%v)", pair[0], a, err, pair[1], b, errB)
		}
	}
}

func TestNULEndsText(t *testing.T) {
	words, _, err := assembleWords("OpNop\x00OpNop", Options{})
	if err != nil || len(words) != 1 {
		t.Errorf("%x, %v", words, err)
	}
}

func TestErrors(t *testing.T) {
	const types = "%u = OpTypeInt 32 0\n%f = OpTypeFloat 32\n%v = OpTypeVoid\n"
	long := strings.Repeat("x", 4*spirv.MaxInstWords)
	tests := []struct {
		text string
		opts Options
		want string
	}{
		{text: "hello", want: `1:1: expected an opcode or a result id at the start of an instruction, found "hello"`},
		{text: "\n\t ; comment\n  \"hello world\"", want: `3:3: expected an opcode`},
		{text: "OpNope", want: `1:1: there is no instruction "OpNope"`},
		{text: "%a", want: "1:3: expected '=' after %a, found the end of the text"},
		{text: "%a OpTypeVoid", want: `1:4: expected '=' after %a, found "OpTypeVoid"`},
		{text: "%a =", want: "1:5: expected an opcode after '=', found the end of the text"},
		{text: "%a = TypeVoid", want: `1:6: expected an opcode after '=', found "TypeVoid"`},
		{text: "%a = OpNop", want: "1:1: cannot set %a: OpNop does not produce a result id"},
		{text: "%a-b = OpTypeVoid", want: `1:1: invalid id "%a-b"`},
		{text: "OpTypeVoid", want: "1:1: OpTypeVoid produces a result id, which is missing"},
		{text: "OpTypeInt 32 0", want: `1:11: OpTypeInt produces a result id: write %name = OpTypeInt, or the id in this place instead of "32"`},
		{text: "OpCapability", want: "1:13: expected an operand of kind Capability for OpCapability, found the end of the text"},
		{text: "OpCapability\nOpNop", want: "2:1: expected an operand of kind Capability for OpCapability, found the next instruction"},
		{text: "OpCapability Kernels", want: `1:14: "Kernels" is no Capability`},
		{text: "OpFunctionEnd 1", want: `1:15: expected an opcode or a result id`},
		{text: "OpStore %p %x Aligned|Loud 4", want: `1:15: "Loud" is no MemoryAccess`},
		{text: "OpStore %p %x Aligned", want: "found the end of the text"},
		{text: "OpStore p %x", want: `1:9: expected an id, which starts with %, found "p"`},
		{text: "OpExtension Name", want: `1:13: expected a literal string, found "Name": it is not in double quotes`},
		{text: `OpExtension "Name`, want: `the closing double quote is missing`},
		{text: "OpExtension \"" + long + `"`, want: "1:13: OpExtension takes more than 65535 words"},
		{text: "OpGroupDecorate " + strings.Repeat("%a ", spirv.MaxInstWords+3), want: "OpGroupDecorate takes more than 65535 words"},
		{text: "OpLine %f 1 -1", want: "1:13: cannot put the negative number -1 in an unsigned literal"},
		{text: types + "%c = OpConstant %v 1", want: "4:20: the type of OpConstant must be a scalar"},
		{text: types + "%c = OpConstant %w 1", want: "4:20: the type of OpConstant must be a scalar"},
		{text: types + "%c = OpConstant %u -1", want: "4:20: cannot put the negative number"},
		{text: types + "%u = OpTypeVoid", want: "4:6: id 1 has already been used to define a type"},
		{text: types + "%c = OpUndef %f OpSwitch %c %l 1 %l", want: "the selector %c of OpSwitch must be a scalar integer"},
		{text: types + "OpSwitch %c %l 1 %l", want: "the selector %c of OpSwitch must be a scalar integer"},
		{text: types + "%c = OpExtInst %u %x sin %u", want: "%x is not the result of an OpExtInstImport"},
		{text: types + "%x = OpExtInstImport \"OpenCL.std\"\n%c = OpExtInst %u %x sine %u", want: `5:22: the set "OpenCL.std" has no instruction "sine"`},
		{text: types + "%x = OpExtInstImport \"Nothing\"\n%c = OpExtInst %u %x sin %u", want: `the set "Nothing" is not known here`},
		{text: "%x = OpExtInstImport \"a\" %x = OpExtInstImport \"b\"", want: "import id 1 is defined a second time"},
		{text: types + "%c = OpSpecConstantOp %u OpIAdd %a %b", want: `4:26: the operation of OpSpecConstantOp is written without Op, "IAdd" instead of "OpIAdd"`},
		{text: types + "%c = OpSpecConstantOp %u Load %a", want: `OpSpecConstantOp cannot do "Load"`},
		{text: "OpCapability !x", want: `"!x" is no raw word`},
		{text: "!4294967296", want: `1:1: "!4294967296" is no raw word`},
		{text: "!1 =", want: "1:4: !1 is not allowed before ="},
		{text: "!1 foo", want: `expected a literal or an id, found "foo"`},
		{text: "OpModuleProcessed \"x\"", opts: Options{Version: spirv.Version10}, want: "1:1: OpModuleProcessed is not in SPIR-V 1.0 (from 1.1 on)"},
		{text: "%a = OpUnknown(1, 1)", want: "OpUnknown cannot be assigned to %a"},
		{text: "OpUnknown 1", want: "expected OpUnknown(opcode, number of words)"},
		{text: "OpUnknown(1, 0)", want: "an instruction of 0 words"},
		{text: "OpUnknown(1, 3) 1", want: "OpUnknown has 2 words of 3"},
		{text: "OpUnknown(1, 2) \"long string\"", want: "OpUnknown has 4 words, more than the 2 it says"},
		{text: "OpUnknown(65536, 1)", want: `"65536" is no 16-bit unsigned integer`},
		{text: "OpUnknown(1, 1", want: "closing parenthesis"},
		{text: "OpNop ,", want: `1:7: expected an opcode`},
	}
	for _, test := range tests {
		for _, preserve := range []bool{false, true} {
			test.opts.PreserveNumericIDs = preserve
			_, err := Assemble(test.text, test.opts)
			var se *SyntaxError
			if !errors.As(err, &se) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%.60q: error %v, want one with %q", test.text, err, test.want)
			}
		}
	}
}
