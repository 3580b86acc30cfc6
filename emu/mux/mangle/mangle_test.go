package mangle

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

func global(t Type) Type { return Pointer{Qualified{Space: 1, Type: t}} }

// TestVectorTypes has the examples of the section Vector Types.
func TestVectorTypes(t *testing.T) {
	for _, tc := range []struct {
		ir   string
		typ  Type
		want string
	}{
		{"<2 x i32>", Vector{2, Int}, "Dv2_i"},
		{"<4 x float>", Vector{4, Float}, "Dv4_f"},
		{"<32 x double>", Vector{32, Double}, "Dv32_d"},
		{"<vscale x 1 x i32>", Scalable{1, UInt}, "u5nxv1j"},
		{"<vscale x 2 x float>", Scalable{2, Float}, "u5nxv2f"},
		{"<vscale x 16 x double>", Scalable{16, Double}, "u6nxv16d"},
		{"<vscale x 4 x i32 addrspace(1)*>", Scalable{4, global(UInt)}, "u11nxv4PU3AS1j"},
		{"double addrspace(1)*", global(Double), "PU3AS1d"},
	} {
		got, err := Mangle(tc.typ)
		if err != nil || got != tc.want {
			t.Errorf("%s is %q (%v), want %q", tc.ir, got, err, tc.want)
		}
		back, err := DemangleType(tc.want)
		if err != nil || back != tc.typ {
			t.Errorf("%q reads as %v (%v)", tc.want, back, err)
		}
	}
}

// functions has names as the specification and clang 15 for the target spir64 write them.
var functions = []struct {
	name string
	f    Function
	text string
}{
	{"__vecz_b_interleaved_storeV_Dv16_dPU3AS1d", Function{Internal, "interleaved_storeV", []Type{Vector{16, Double}, global(Double)}},
		"interleaved_storeV(<16 x double>, addrspace(1) double *)"},
	{"__vecz_b_interleaved_storeV_u6nxv16dPU3AS1d", Function{Internal, "interleaved_storeV", []Type{Scalable{16, Double}, global(Double)}},
		"interleaved_storeV(<vscale x 16 x double>, addrspace(1) double *)"},
	{"_Z2f1PU3AS1fS0_", Function{0, "f1", []Type{global(Float), global(Float)}}, "f1(addrspace(1) float *, addrspace(1) float *)"},
	{"_Z2f2PU3AS1KDv4_fS_PU3AS3Vi", Function{0, "f2", []Type{
		Pointer{Qualified{Space: 1, Const: true, Type: Vector{4, Float}}}, Vector{4, Float}, Pointer{Qualified{Space: 3, Volatile: true, Type: Int}}}},
		"f2(addrspace(1) const <4 x float> *, <4 x float>, addrspace(3) volatile int *)"},
	{"_Z2f3v", Function{0, "f3", nil}, "f3()"},
	{"_Z2f4PU3AS1VU7_Atomicii", Function{0, "f4", []Type{Pointer{Qualified{Space: 1, Volatile: true, Type: Atomic{Int}}}, Int}},
		"f4(addrspace(1) volatile _Atomic(int) *, int)"},
	{"_Z2f514ocl_image2d_ro11ocl_sampler9ocl_event", Function{0, "f5", []Type{Named{"ocl_image2d_ro"}, Named{"ocl_sampler"}, Named{"ocl_event"}}},
		"f5(ocl_image2d_ro, ocl_sampler, ocl_event)"},
	{"_Z2f6PU3AS1PU3AS1iS0_", Function{0, "f6", []Type{global(global(Int)), global(Int)}}, "f6(addrspace(1) addrspace(1) int * *, addrspace(1) int *)"},
	{"_Z2f7DhDv8_DhDv16_hmmcstb", Function{0, "f7", []Type{Half, Vector{8, Half}, Vector{16, UChar}, ULong, ULong, Char, Short, UShort, Bool}},
		"f7(half, <8 x half>, <16 x uchar>, ulong, ulong, char, short, ushort, bool)"},
	{"_Z2f91SPU3AS4S_", Function{0, "f9", []Type{Named{"S"}, Pointer{Qualified{Space: 4, Type: Named{"S"}}}}}, "f9(S, addrspace(4) S *)"},
	{"_Z3f10PU3AS2iPU3AS4iPiS2_", Function{0, "f10", []Type{
		Pointer{Qualified{Space: 2, Type: Int}}, Pointer{Qualified{Space: 4, Type: Int}}, Pointer{Int}, Pointer{Qualified{Space: 4, Type: Int}}}},
		"f10(addrspace(2) int *, addrspace(4) int *, int *, addrspace(4) int *)"},
	{"_Z3f11PU3AS4Dv4_iS1_S_Dv2_fPU3AS4S2_", Function{0, "f11", []Type{
		Pointer{Qualified{Space: 4, Type: Vector{4, Int}}}, Pointer{Qualified{Space: 4, Type: Vector{4, Int}}}, Vector{4, Int},
		Vector{2, Float}, Pointer{Qualified{Space: 4, Type: Vector{2, Float}}}}},
		"f11(addrspace(4) <4 x int> *, addrspace(4) <4 x int> *, <4 x int>, <2 x float>, addrspace(4) <2 x float> *)"},
	{"_Z6printfPU3AS2Kcz", Function{0, "printf", []Type{Pointer{Qualified{Space: 2, Const: true, Type: Char}}, Ellipsis}}, "printf(addrspace(2) const char *, ...)"},
	{"_Z1gu5nxv4fS_", Function{0, "g", []Type{Scalable{4, Float}, Scalable{4, Float}}}, "g(<vscale x 4 x float>, <vscale x 4 x float>)"},
	{"_Z1gPrVKax", Function{0, "g", []Type{Pointer{Qualified{Restrict: true, Volatile: true, Const: true, Type: SChar}}, LongLong}},
		"g(const volatile restrict signed char *, long long)"},
}

// TestFunctionNames: SPIR 1.2, Appendix A, and the examples of the section.
func TestFunctionNames(t *testing.T) {
	for _, tc := range functions {
		got, err := tc.f.Mangle()
		if err != nil || got != tc.name {
			t.Errorf("%v is %q (%v), want %q", tc.f, got, err, tc.name)
		}
		back, err := Demangle(tc.name)
		if err != nil || !reflect.DeepEqual(back, tc.f) {
			t.Errorf("%q reads as %v (%v)", tc.name, back, err)
		}
		if back.String() != tc.text {
			t.Errorf("%q is %q, want %q", tc.name, back, tc.text)
		}
	}
}

// TestSequence: the numbers of substitutions are digits and capital letters.
func TestSequence(t *testing.T) {
	for n, want := range map[int]string{0: "S_", 1: "S0_", 10: "S9_", 11: "SA_", 36: "SZ_", 37: "S10_"} {
		if got := sequence(n); got != want {
			t.Errorf("component %d is %s, want %s", n, got, want)
		}
	}
	var types []Type
	for i := range 40 {
		types = append(types, Named{strings.Repeat("n", i+1)})
	}
	f := Function{Name: "f", Types: append(types, types[39], types[36], types[0])}
	name, err := f.Mangle()
	if err != nil || !strings.HasSuffix(name, "S12_SZ_S_") {
		t.Fatalf("%q, %v", name, err)
	}
	if back, err := Demangle(name); err != nil || !reflect.DeepEqual(back, f) {
		t.Errorf("%q reads as %v, %v", name, back, err)
	}
}

// TestRefused: what is not the one name of a function is none.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "no mangled name",
		"printf":                    "no mangled name",
		"_Z":                        "a number from 1",
		"_Z0":                       "a number from 1",
		"_Z01fv":                    "a number from 1",
		"_Z9fv":                     "ends behind the end",
		"_Z1f":                      "a type is missing",
		"_Z1fvi":                    "type 0 cannot be void",
		"_Z1fzi":                    "type 0 cannot be ...",
		"_Z1fP":                     "a type is missing",
		"_Z1fPiPi":                  `is "_Z1fPiS_"`,
		"_Z1fS_":                    "a reference to one of the 0 types",
		"_Z1fPiS0_":                 "a reference to one of the 1 types",
		"_Z1fPiSa_":                 "a reference to one of the 1 types",
		"_Z1fPiS":                   "a reference to one of the 1 types",
		"_Z1fSt":                    "a reference",
		"_Z1fDv0_f":                 "a number from 1",
		"_Z1fDv04_f":                "a number from 1",
		"_Z1fDv4f":                  "an underscore",
		"_Z1fDv4_v":                 "a vector of void",
		"_Z1fDv4_Dv4_f":             "elements are builtin types or pointers",
		"_Z1fU3AS0i":                "qualifier",
		"_Z1fU4AS01i":               "qualifier",
		"_Z1fU3XYZi":                "qualifier",
		"_Z1fKVi":                   "a qualified volatile int",
		"_Z1fU3AS1U3AS1i":           "a qualified",
		"_Z1fu5nxv0f":               "a number from 1",
		"_Z1fu4nxvf":                "a number from 1",
		"_Z1fu6nxv1ff":              "something stands behind the element",
		"_Z1fu3foo":                 "the vendor's type",
		"_Z1fU7_AtomicKi":           "an atomic const int",
		"_Z3a-bv":                   "a character that names do not have",
		"_ZN1a1bEv":                 "a number from 1",
		"_Z1fIiEvT_":                "no type starts with",
		"_Z1f" + "1" + "_Z":         "", // a name of one byte, then Z
		"__vecz_b_":                 "an underscore and types",
		"__vecz_b_x":                "an underscore and types",
		"__vecz_b_x_":               "a type is missing",
		"__vecz_b_x_v":              "type 0 cannot be void",
		"_Z1f" + deep(maxDepth+2):   "more than 32 deep",
		"_Z1" + "f" + long(maxText): "there may be",
	} {
		f, err := Demangle(text)
		if err == nil {
			t.Errorf("%q reads as %v", text, f)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func deep(n int) string { return strings.Repeat("P", n) + "i" }
func long(n int) string { return strings.Repeat("i", n) }

// TestMalformed: values that are no types or functions have no names.
func TestMalformed(t *testing.T) {
	var nested Type = Int
	for range maxDepth + 1 {
		nested = Pointer{nested}
	}
	for _, typ := range []Type{
		nil, Builtin(0), Builtin(200), Pointer{}, Pointer{Ellipsis}, Qualified{Type: Int}, Qualified{Const: true}, Qualified{Const: true, Type: Qualified{Space: 1, Type: Int}},
		Vector{0, Int}, Vector{4, nil}, Vector{4, Void}, Vector{4, Named{"S"}}, Scalable{0, Int}, Scalable{4, Vector{4, Int}}, Atomic{Void}, Atomic{Atomic{Int}}, Atomic{},
		Named{}, Named{"1x"}, Named{"a b"}, Named{strings.Repeat("x", maxName+1)}, nested,
	} {
		if text, err := Mangle(typ); err == nil {
			t.Errorf("%v is %q", typ, text)
		}
	}
	for _, f := range []Function{
		{}, {Name: "f", Types: []Type{nil}}, {Name: "f", Types: []Type{Void}}, {Name: "f", Types: []Type{Ellipsis, Int}}, {Form: 2, Name: "f"},
		{Internal, "f", nil}, {Internal, "f", []Type{Ellipsis}},
		{Internal, "a_i", []Type{Vector{2, Pointer{nil}}}},
		// These would read as the function "f" with other types.
		{Internal, "f_Dv2", []Type{Int}}, {Internal, "f_PiS", []Type{Int}},
	} {
		if name, err := f.Mangle(); err == nil {
			t.Errorf("%v is %q", f, name)
		}
	}
}

// maker makes types out of bytes.
type maker struct{ data []byte }

func (m *maker) byte() byte {
	if len(m.data) == 0 {
		return 0
	}
	b := m.data[0]
	m.data = m.data[1:]
	return b
}

func (m *maker) number() uint32 {
	var b [4]byte
	m.data = m.data[copy(b[:1+m.byte()%4], m.data):]
	return binary.LittleEndian.Uint32(b[:])
}

func (m *maker) typ(depth int) Type {
	kind := m.byte() % 8
	if depth > 8 {
		kind = 0
	}
	switch kind {
	case 1:
		return Pointer{m.typ(depth + 1)}
	case 2:
		bits := m.byte()
		return Qualified{m.number(), bits&1 != 0, bits&2 != 0, bits&4 != 0, m.typ(depth + 1)}
	case 3:
		return Vector{m.number(), m.typ(depth + 1)}
	case 4:
		return Scalable{m.number(), m.typ(depth + 1)}
	case 5:
		return Atomic{m.typ(depth + 1)}
	case 6:
		return Named{m.name()}
	}
	return Builtin(m.byte() % 24)
}

func (m *maker) name() string {
	const letters = "abvPSDxniKU_0129.AS"
	s := make([]byte, m.byte()%12)
	for i := range s {
		s[i] = letters[int(m.byte())%len(letters)]
	}
	return string(s)
}

// FuzzMangle: what has a name is what the name reads as.
func FuzzMangle(f *testing.F) {
	f.Add([]byte{0, 3, 1, 2, 3, 1, 2, 2, 1, 1, 0, 0, 1, 17})
	f.Add([]byte{1, 5, 10, 3, 3, 4, 1, 1, 1, 0, 0, 17})
	f.Add([]byte{1, 9, 0, 0, 0, 11, 12, 0, 0, 0, 0, 0, 3, 4, 1, 1, 4, 17, 1, 2, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &maker{data: data}
		fn := Function{Form: Form(m.byte() % 2), Name: m.name()}
		for range m.byte() % 16 {
			fn.Types = append(fn.Types, m.typ(0))
		}
		name, err := fn.Mangle()
		if err != nil {
			return
		}
		back, err := Demangle(name)
		if err != nil || !reflect.DeepEqual(back, fn) {
			t.Errorf("%#v is %q, which reads as %#v (%v)", fn, name, back, err)
		}
		for _, typ := range fn.Types {
			if typ == Ellipsis {
				continue
			}
			text, err := Mangle(typ)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := DemangleType(text); err != nil || back != typ {
				t.Errorf("%#v is %q, which reads as %#v (%v)", typ, text, back, err)
			}
		}
	})
}

// FuzzDemangle: what a name reads as has that name.
func FuzzDemangle(f *testing.F) {
	for _, tc := range functions {
		f.Add(tc.name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		fn, err := Demangle(name)
		if err == nil {
			if again, err := fn.Mangle(); err != nil || again != name {
				t.Errorf("%q reads as %#v, whose name is %q (%v)", name, fn, again, err)
			}
		}
		typ, err := DemangleType(name)
		if err == nil {
			if again, err := Mangle(typ); err != nil || again != name {
				t.Errorf("type %q reads as %#v, which is %q (%v)", name, typ, again, err)
			}
		}
	})
}
