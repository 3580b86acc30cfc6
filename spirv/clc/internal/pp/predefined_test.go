package pp

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// TestPredefined has some macros by version and option.
func TestPredefined(t *testing.T) {
	const asks = "#ifdef NAME\nNAME\n#else\nno\n#endif"
	cl12 := lang.Options{Version: lang.CL12, AddressBits: 32}
	cl30 := lang.Default()
	fast := lang.Default()
	fast.FastRelaxedMath = true
	bare := lang.Default()
	bare.Without = map[string]bool{"cl_khr_fp64": true, "cl_khr_subgroups": true}
	for _, c := range []struct {
		o    *lang.Options
		name string
		want string
	}{
		{&cl30, "__OPENCL_C_VERSION__", "300"}, {&cl12, "__OPENCL_C_VERSION__", "120"}, {&cl12, "CL_VERSION_2_0", "200"},
		{&cl30, "__SPIR64__", "1"}, {&cl12, "__SPIR64__", "no"}, {&cl12, "__SPIR32__", "1"}, {&cl12, "__SIZEOF_POINTER__", "4"},
		{&cl30, "__SIZE_TYPE__", "long unsigned int"}, {&cl12, "__SIZE_MAX__", "4294967295U"},
		{&cl30, "M_PI_F", "3.14159265358979323846264338327950288f"}, {&cl30, "INT_MIN", "( - 2147483647 - 1 )"},
		{&cl30, "__clang__", "no"}, {&cl30, "__GNUC__", "no"}, {&cl30, "__OPENCL_CPP_VERSION__", "no"},
		{&cl30, "__opencl_c_subgroups", "1"}, {&cl12, "__opencl_c_subgroups", "no"}, {&cl12, "cl_khr_subgroups", "no"},
		{&cl30, "__FAST_RELAXED_MATH__", "no"}, {&fast, "__FAST_RELAXED_MATH__", "1"}, {&fast, "__FINITE_MATH_ONLY__", "1"},
		{&cl30, "__FINITE_MATH_ONLY__", "0"}, {&cl30, "cl_khr_fp64", "1"}, {&bare, "cl_khr_fp64", "no"},
		{&bare, "__opencl_c_fp64", "no"}, {&bare, "DBL_MAX", "no"}, {&bare, "cl_khr_subgroup_ballot", "no"},
		{&cl30, "ATOMIC_VAR_INIT(3)", "( 3 )"}, {&cl12, "CLK_ABGR", "no"}, {&cl30, "CLK_ABGR", "0x10C3"}, {&cl30, "CLK_UNORM_INT_101010_2", "0x10E0"},
		{&cl30, "kernel_exec(64, float4)", "kernel __attribute__ ( ( work_group_size_hint ( 64 , 1 , 1 ) ) ) __attribute__ ( ( vec_type_hint ( float4 ) ) )"},
	} {
		in := strings.Replace(asks, "NAME", strings.SplitN(c.name, "(", 2)[0], 1)
		in = strings.Replace(in, "NAME", c.name, 1)
		got := strings.TrimPrefix(expand(t, in, Config{Lang: c.o}), "__")
		if got != strings.TrimPrefix(c.want, "__") {
			t.Errorf("%s in %d: got %s, want %s", c.name, c.o.Version, got, c.want)
		}
	}
}

// TestKeywords has names that are keywords in some versions.
func TestKeywords(t *testing.T) {
	for _, c := range []struct {
		name string
		v    lang.Version
		want token.Kind
	}{
		{"kernel", lang.CL10, token.Kernel}, {"__kernel", lang.CL30, token.Kernel}, {"pipe", lang.CL12, token.Ident}, {"pipe", lang.CL20, token.Pipe},
		{"typeof", lang.CL30, token.Ident}, {"__typeof__", lang.CL30, token.Typeof}, {"asm", lang.CL30, token.Ident}, {"half", lang.CL10, token.Half},
		{"float4", lang.CL30, token.Ident}, {"uint", lang.CL30, token.Ident}, {"generic", lang.CL10, token.Generic}, {"bool", lang.CL10, token.Bool},
		{"inline", lang.CL10, token.Inline}, {"__restrict__", lang.CL10, token.Restrict}, {"_Static_assert", lang.CL12, token.StaticAssert},
	} {
		o := lang.Options{Version: c.v, AddressBits: 64}
		r := start(c.name, Config{Lang: &o})
		if got := r.Next(); got.Kind != c.want {
			t.Errorf("%s in %d: got %v, want %v", c.name, c.v, got.Kind, c.want)
		}
	}
}

// TestPredefinedAgainstClang compares the values of all macros that clang and its header have too.
func TestPredefinedAgainstClang(t *testing.T) {
	if _, err := exec.LookPath("clang-15"); err != nil {
		t.Skip("clang-15 is not installed")
	}
	// Those whose value may differ: what is built in here is not there.
	differ := []string{"INFINITY", "HUGE_VALF", "HUGE_VAL", "NAN", "__COUNTER__"}
	for _, v := range []struct {
		std, target string
		o           lang.Options
	}{
		{"CL1.0", "spir64", lang.Options{Version: lang.CL10, AddressBits: 64}},
		{"CL1.2", "spir", lang.Options{Version: lang.CL12, AddressBits: 32}},
		{"CL2.0", "spir64", lang.Options{Version: lang.CL20, AddressBits: 64, FastRelaxedMath: true}},
		{"CL3.0", "spir64", lang.Options{Version: lang.CL30, AddressBits: 64}},
	} {
		args := []string{"-E", "-dM", "-x", "cl", "-cl-std=" + v.std, "-target", v.target + "-unknown-unknown", "-Xclang", "-finclude-default-header"}
		if v.o.FastRelaxedMath {
			args = append(args, "-cl-fast-relaxed-math")
		}
		c := exec.Command("clang-15", append(args, "-")...)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		theirs := make(map[string]string)
		for line := range strings.Lines(string(out)) {
			name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "#define "), " ")
			name, params, _ := strings.Cut(name, "(")
			theirs[name] = strings.ReplaceAll(params, " ", "") + value
		}
		compared := 0
		for _, row := range predefineds {
			if !row.when.holds(&v.o) || slices.Contains(differ, row.name) {
				continue
			}
			value, ok := theirs[row.name]
			if !ok {
				continue
			}
			compared++
			ours := strings.Join(raw(strings.TrimPrefix(row.text, "(")), " ")
			if want := strings.Join(raw(strings.Replace(value, ")", ") ", 1)), " "); params(row.text) && ours != want || !params(row.text) &&
				strings.Join(raw(row.text), " ") != strings.Join(raw(value), " ") {
				t.Errorf("%s: %s is %s here and %s there", v.std, row.name, row.text, value)
			}
		}
		if compared < 200 {
			t.Errorf("%s: only %d macros were compared", v.std, compared)
		}
		// What that header has and this table has not must be there for a reason.
		for name := range theirs {
			r := start(name, Config{Lang: &v.o})
			if tok := r.rawNext(); tok != name || known1(r, name) {
				continue
			}
			if !left(name) {
				t.Errorf("%s: %s is not defined", v.std, name)
			}
		}
	}
}

// params reports whether the text of a predefined macro begins with parameters.
func params(text string) bool { return strings.HasPrefix(text, "(") }

// known1 reports whether a name is a macro.
func known1(r *run, name string) bool {
	n := r.names.Find(name)
	return n != nil && n.Macro != nil
}

// left reports whether a macro of clang's is left out on purpose: what says that the compiler is clang, extensions that
// lockstep does not have, types that OpenCL C does not have, and functions that are macros there.
func left(name string) bool {
	for _, p := range []string{
		"as_", "__clang", "__CLANG", "__GCC", "__GNUC", "__GXX", "__llvm", "__VERSION__", "__INT", "__UINT", "__LDBL", "__FLT16", "__FLT", "__DBL",
		"__cl_clang", "cl_clang", "cl_amd", "cl_arm", "cl_intel_device_side_avc", "CLK_AVC", "cl_khr_gl_msaa", "cl_khr_mipmap", "__opencl_c_device",
		"__opencl_c_named", "__OBJC", "__BLOCKS", "__block", "__CONSTANT_CF", "__STDC_UTF", "__STRICT_ANSI", "__PRAGMA", "_OPENCL_BASE", "_OPENCL_H",
		"__WINT", "__WCHAR", "__SIZEOF_W", "__SIZEOF_LONG_", "__SIG_ATOMIC", "__LLONG", "__LONG_LONG", "__BOOL_WIDTH", "__BITINT", "__CHAR16", "__CHAR32",
		"__DECIMAL", "__SIZE_FMT", "__PTRDIFF_FMT", "__half", "CLK_NULL_EVENT", "__ovld", "__conv", "__purefn", "__cnfn",
	} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// TestPredefinedTable has what the lookup relies on.
func TestPredefinedTable(t *testing.T) {
	if !slices.IsSortedFunc(predefineds, func(a, b predefined) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the rows are not sorted by name")
	}
	for i, row := range predefineds {
		for _, other := range predefineds[i+1:] {
			if other.name != row.name {
				break
			}
			for _, o := range []lang.Options{{Version: lang.CL12, AddressBits: 32}, {Version: lang.CL30, AddressBits: 64, FiniteMathOnly: true}} {
				if row.when.holds(&o) && other.when.holds(&o) {
					t.Errorf("%s has two rows at a time", row.name)
				}
			}
		}
		if lang.Known(row.name) {
			t.Errorf("%s is in package lang, too", row.name)
		}
		expand(t, row.name, Config{}) // reports what cannot be read
	}
}
