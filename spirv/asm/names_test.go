package asm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// friendly gives the friendly names that the ids of a text get, in the order of
// its definitions.
func friendly(t *testing.T, text string) []string {
	t.Helper()
	m, err := AssembleModule(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	names := friendlyNames(m, spirv.NewParser(m))
	var out []string
	for _, in := range m.Insts {
		if id := in.ResultID(); id != 0 {
			out = append(out, names.name(uint32(id)))
		}
	}
	return out
}

// nameTests are modules and the names of the ids that they define.
var nameTests = []struct{ text, want string }{
	{"%a = OpTypeVoid %b = OpTypeVoid %c = OpTypeVoid", "void void_0 void_1"},
	{`OpName %a "x" OpName %b "x" OpName %c "x_0" OpName %d "x" %a = OpLabel %b = OpLabel %c = OpLabel %d = OpLabel`, "x x_0 x_0_0 x_1"},
	{`OpName %a "a b.c<d>" %a = OpLabel`, "a_b_c_d_"},
	{`OpName %a "" OpName %b "" %a = OpLabel %b = OpLabel`, "_ __0"},
	{`OpName %a "first" OpName %a "second" %a = OpLabel`, "first"},
	{`OpName %a "3" %a = OpLabel %b = OpLabel %c = OpLabel`, "3 2 3_0"},
	{`OpName %a "ü" %a = OpLabel`, "__"},
	{"%a = OpTypeInt 8 0 %b = OpTypeInt 8 1 %c = OpTypeInt 16 0 %d = OpTypeInt 16 1", "uchar char ushort short"},
	{"%a = OpTypeInt 32 0 %b = OpTypeInt 32 1 %c = OpTypeInt 64 0 %d = OpTypeInt 64 1", "uint int ulong long"},
	{"%a = OpTypeInt 7 0 %b = OpTypeInt 7 1", "u7 i7"},
	{"%a = OpTypeFloat 16 %b = OpTypeFloat 32 %c = OpTypeFloat 64 %d = OpTypeFloat 80", "half float double fp80"},
	{"%a = OpTypeFloat 32 %b = OpTypeVector %a 4 %c = OpTypeMatrix %b 3", "float v4float mat3v4float"},
	{"%a = OpTypeInt 32 0 %n = OpConstant %a 5 %b = OpTypeArray %a %n %c = OpTypeRuntimeArray %b", "uint uint_5 _arr_uint_uint_5 _runtimearr__arr_uint_uint_5"},
	{"%a = OpTypeStruct %b = OpTypePointer CrossWorkgroup %a %c = OpTypePointer Generic %d %d = OpTypeStruct %c", "_struct_1 _ptr_CrossWorkgroup__struct_1 _ptr_Generic_4 _struct_4"},
	{`%a = OpTypeOpaque "st.x" %b = OpTypeOpaque ""`, "Opaque_st_x Opaque__"},
	{"%a = OpTypePipe ReadOnly %b = OpTypePipe WriteOnly %c = OpTypePipeStorage %d = OpTypeNamedBarrier", "PipeReadOnly PipeWriteOnly PipeStorage NamedBarrier"},
	{"%a = OpTypeEvent %b = OpTypeDeviceEvent %c = OpTypeReserveId %d = OpTypeQueue %e = OpTypeSampler", "Event DeviceEvent ReserveId Queue 5"},
	{"%b = OpTypeBool %t = OpConstantTrue %b %f = OpConstantFalse %b", "bool true false"},
	{"%i = OpTypeInt 32 1 %a = OpConstant %i -5 %f = OpTypeFloat 32 %b = OpConstant %f -1.5 %c = OpConstant %f 1e-10 %d = OpConstant %f 0x1p+128", "int int_n5 float float_n1_5 float_1_00000001en10 float_0x1p_128"},
	{"OpDecorate %a BuiltIn WorkgroupId OpDecorate %b BuiltIn GlobalSize OpDecorate %c BuiltIn BaryCoordKHR %a = OpLabel %b = OpLabel %c = OpLabel", "gl_WorkGroupID GlobalSize 3"},
	{`OpDecorate %a BuiltIn WorkDim OpName %b "late" %a = OpLabel %b = OpLabel`, "WorkDim late"},
}

func TestFriendlyNames(t *testing.T) {
	for _, test := range nameTests {
		if got := strings.Join(friendly(t, test.text), " "); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.text, got, test.want)
		}
	}
}

// TestLongNames keeps a long name that is used a few times, and replaces those
// that would blow up the text.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("n", 2000)
	if got := friendly(t, fmt.Sprintf("OpName %%a %q %%a = OpTypeVoid %%b = OpTypePointer Function %%a", long)); got[0] != long || got[1] != "_ptr_Function_"+long {
		t.Errorf("%.20s… of %d bytes, %.20s… of %d bytes", got[0], len(got[0]), got[1], len(got[1]))
	}

	// Each array type names the one before it twice.
	var b strings.Builder
	b.WriteString("%a0 = OpTypeVoid\n")
	for i := 1; i < 5000; i++ {
		fmt.Fprintf(&b, "%%a%d = OpTypeArray %%a%d %%a%d\n", i, i-1, i-1)
	}
	m, err := AssembleModule(b.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(Disassemble(m, DisassembleOptions{})); n > 64<<20 {
		t.Errorf("%d bytes of text", n)
	}

	// A name of 60 kB in each of 60,000 places.
	in := "OpName %a \"" + strings.Repeat("n", 60000) + "\" OpGroupDecorate" + strings.Repeat(" %a", 60000)
	if m, err = AssembleModule(in, Options{}); err != nil {
		t.Fatal(err)
	}
	if n := len(Disassemble(m, DisassembleOptions{})); n > 1<<20 {
		t.Errorf("%d bytes of text", n)
	}
}

// TestManyEqualNames disassembles 100,000 ids of one name, which is slow when
// every one searches for a free suffix from zero.
func TestManyEqualNames(t *testing.T) {
	var b strings.Builder
	const n = 100000
	for i := range n {
		fmt.Fprintf(&b, "OpName %%i%d \"name\"\n", i)
	}
	m, err := AssembleModule(b.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := Disassemble(m, DisassembleOptions{NoHeader: true}); !strings.HasSuffix(text, fmt.Sprintf("OpName %%name_%d \"name\"\n", n-2)) {
		t.Errorf("the text ends in %q", text[len(text)-50:])
	}
}
