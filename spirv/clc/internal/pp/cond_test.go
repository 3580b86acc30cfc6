package pp

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
)

// TestConditions has conditions that hold and that do not.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		cond string
		want bool
	}{
		{"1", true}, {"0", false}, {"-1", true}, {"!0", true}, {"~0 == -1", true}, {"+1 == 1", true},
		{"1 + 2 * 3 == 7", true}, {"(1 + 2) * 3 == 9", true}, {"10 - 2 - 3 == 5", true}, {"7 / 2 == 3 && 7 % 2 == 1", true},
		{"-7 / 2 == -3 && -7 % 2 == -1", true}, {"1 << 4 == 16", true}, {"-16 >> 2 == -4", true}, {"1 << 2 + 1 == 8", true},
		{"3 & 2 | 4 ^ 1", true}, {"(6 & 3) == 2 && (6 | 1) == 7 && (6 ^ 3) == 5", true}, {"1 | 0 == 0", true},
		{"2 > 1 == 1", true}, {"1 <= 1 && 1 >= 1 && 1 < 2 && 2 != 3", true}, {"0 || 0", false}, {"1 && 2", true}, {"0 || 5", true},
		{"1 ? 2 : 0", true}, {"0 ? 1 : 0", false}, {"1 ? 0 : 1 ? 2 : 3", false}, {"0 ?: 3", true}, {"(2 ?: 3) == 2", true},
		// 6.10.1: as intmax_t and uintmax_t of 64 bits.
		{"0x7fffffffffffffff > 0", true}, {"0xffffffffffffffff > 0", true}, {"-1 < 0", true}, {"18446744073709551615u == -1 + 0u", true},
		{"(1 ? -1 : 0u) > 0", true}, {"(0u - 1) / 2 == 0x7fffffffffffffff", true}, {"-1 >> 63 == -1", true}, {"0u - 1 >> 63 == 1", true},
		{"2147483647 + 1 > 0", true}, {"4294967295 + 1 == 4294967296", true}, {"(1u << 63) > 0", true},
		{"1 << -1 == 0", true},
		// What is not evaluated may divide by zero.
		{"0 && 1 / 0", false}, {"1 || 1 / 0", true}, {"1 ? 1 : 1 / 0", true}, {"0 ? 1 % 0 : 1", true}, {"0 && (1 ? 1 / 0 : 1)", false},
		// Numbers.
		{"0x10 == 16 && 010 == 8 && 0b11 == 3 && 1UL == 1 && 1lLu == 1", true},
		{"'a' == 97 && '\\n' == 10 && '\\x41' == 65 && '\\101' == 65 && '\\0' == 0 && '\\'' == 39", true},
		{"'\\xff' < 0", true}, {"L'a' == 97", true},
		// Names.
		{"unknown", false}, {"int", false}, {"defined A", true}, {"defined(A) && !defined(B)", true}, {"defined  ( B )", false},
		{"A == 5", true}, {"F(2) == 4", true}, {"INDIRECT", true}, {"defined INDIRECT", true}, {"defined __LINE__ && defined(__has_include)", true},
		{"__has_builtin(sin)", true}, {"__has_builtin(nonsense)", false}, {"__has_attribute(__packed__) && __has_attribute(packed)", true},
		{"__has_attribute(nonsense)", false}, {"__has_feature(nonsense) || __has_extension(nonsense)", false}, {"__has_warning(\"-Wshadow\")", true},
		{"__is_identifier(abc) && !__is_identifier(int)", true},
		{"__has_include(\"yes.h\") && __has_include(<yes.h>)", true}, {"__has_include(\"no.h\")", false}, {"__has_include(HEADER)", true},
		{"defined(cl_khr_fp64) && cl_khr_fp64 == 1", true}, {"__OPENCL_C_VERSION__ >= CL_VERSION_3_0", true}, {"defined __OPENCL_CPP_VERSION__", false},
		{"1 /* comment */ + /* \n */ 0 // x", true}, {"1 \\\n + 1 == 2", true},
	} {
		in := "#define A 5\n#define F(x) x*x\n#define INDIRECT defined(A)\n#define HEADER \"yes.h\"\n#if " + c.cond + "\nyes\n#else\nno\n#endif"
		cfg := headers("yes.h", "")
		cfg.HasBuiltin = func(name string) bool { return name == "sin" }
		r := start(in, cfg)
		want := "no"
		if c.want {
			want = "yes"
		}
		if got := strings.Join(r.spellings(), " "); got != want {
			t.Errorf("%s: %s", c.cond, got)
		}
		if r.bag.Errors() > 0 {
			t.Errorf("%s:\n%s", c.cond, r.bag.Render(diag.Style{}))
		}
	}
}

// TestGroups has sections of all shapes.
func TestGroups(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"#if 1\na\n#endif\nb", "a b"},
		{"#if 0\na\n#endif\nb", "b"},
		{"#if 0\na\n#else\nb\n#endif", "b"},
		{"#if 1\na\n#else\nb\n#endif", "a"},
		{"#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"},
		{"#if 1\na\n#elif 1/0\nb\n#endif", "a"},
		{"#if 0\n#elif 0\n#else\nd\n#endif", "d"},
		{"#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#endif", "c"},
		{"#if 1\n#if 0\na\n#else\nb\n#endif\n#else\nc\n#endif", "b"},
		{"#ifdef A\na\n#elifndef A\nb\n#endif", "b"},
		{"#define A\n#ifdef B\na\n#elifdef A\nb\n#endif", "b"},
		{"#ifndef A\n#define A\n#endif\n#ifdef A\na\n#endif", "a"},
		{"#if 0\ndon't \"x\n/* #endif */ // #endif\n'\"' \"/*\"\n#nonsense\n#include \"nothing\"\n#error no\n# 5 wrong\n#endif\nb", "b"},
		{"#if 0\n/* a\n#endif\n*/\n#endif\nb", "b"},
		{"#if 0\na \\\n#endif\n#endif\nb", "b"},
		{"#if 0\n\"a\\\n#endif\"\n#endif\nb", "b"},
		{"#if 0\n # /* */ endif\nb", "b"},
		{"#if 0\n /* x */ #endif\nb", "b"},
		{"#if 0\n%:endif\nb", "b"},
		{"#if 0\n#if nonsense ) (\n#elif also\n#endif\n#endif\nb", "b"},
		{"#if 0\n#else // x\nb\n#endif // y", "b"},
		{"#if 0\r\na\r\n#else\r\nb\r\n#endif\r\n", "b"},
		{"#if 0\n#el\\\nse\nb\n#endif", "b"},
	} {
		if got := expand(t, c.in, Config{}); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

// TestIncludes has headers in memory.
func TestIncludes(t *testing.T) {
	asked := 0
	cfg := headers(
		"a.h", "a __INCLUDE_LEVEL__",
		"guarded.h", "// comment\n#ifndef G\n#define G\ng\n#endif\n/* end */\n",
		"guarded2.h", "#if !defined(G2)\n#define G2\ng2\n#endif\n",
		"half.h", "#ifndef H\n#define H\n#endif\nh\n",
		"once.h", "#pragma once\no",
		"dir/b.h", "#include \"c.h\"\nb",
		"dir/c.h", "c __FILE__",
		"inc/d.h", "d",
		"x y.h", "xy",
		"open.h", "#if 1\n#define OPEN 1\n",
		"macro.h", "#define FROM_HEADER(x) <x>\n",
	)
	open := cfg.Open
	cfg.Open = func(name string) (string, bool) { asked++; return open(name) }
	cfg.Include = []string{"inc", "dir/"}
	for _, c := range []struct{ in, want string }{
		{"#include \"a.h\"\nx", "a 1 x"},
		{"#include <a.h>", "a 1"},
		{"#include <d.h>\n#include \"d.h\"", "d d"},
		{"#include \"guarded.h\"\n#include \"guarded.h\"", "g"},
		{"#include \"guarded2.h\"\n#include \"guarded2.h\"", "g2"},
		{"#include \"half.h\"\n#include \"half.h\"", "h h"},
		{"#include \"once.h\"\n#include \"once.h\"", "o"},
		{"#import \"a.h\"\n#import \"a.h\"", "a 1"},
		{"#include \"dir/b.h\"", `c "dir/c.h" b`},
		{"#include \"inc/../dir/c.h\"", `c "dir/c.h"`},
		{"#define H \"a.h\"\n#include H", "a 1"},
		{"#define L <a.h>\n#include L", "a 1"},
		{"#define N a\n#define L <N.h>\n#include L", "a 1"},
		{"#include \"x y.h\"", "xy"},
		{"#include /* x */ \"a.h\" // y", "a 1"},
		{"#include \"macro.h\"\nFROM_HEADER(1)", "< 1 >"},
		{"#define F(x) x\n#include \"a.h\"\nF(1)", "a 1 1"},
	} {
		if got := expand(t, c.in, cfg); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
	if asked == 0 {
		t.Error("no header was asked for")
	}

	// A header that guards itself is read once: the lexer does not look at it again.
	r := start(strings.Repeat("#include \"guarded.h\"\n", 10), cfg)
	r.spellings()
	if r.included != 1 {
		t.Errorf("a guarded header was read %d times", r.included)
	}
	// An #if does not go on behind the end of its file, nor do arguments.
	r = start("#include \"open.h\"\nOPEN\n#endif", cfg)
	if r.spellings(); r.bag.Errors() != 2 {
		t.Error(r.bag.Render(diag.Style{}))
	}
}

// TestCommandLine has -D and -U.
func TestCommandLine(t *testing.T) {
	cfg := Config{Defines: []Define{{Text: "A"}, {Text: "B=2"}, {Text: "F(x, y)=x+y"}, {Text: "C"}, {Text: "C", Undef: true}, {Text: "D="}, {Text: "E=1\n#error"}}}
	if got := expand(t, "A B F(3, 4) C D E", cfg); got != "1 2 3 + 4 C 1" {
		t.Error(got)
	}
	r := start("#define A 2", cfg)
	r.spellings()
	const want = "test.cl:1:9: warning: 'A' macro redefined [-Wmacro-redefined]\n#define A 2\n        ^\n" +
		"<command line>:1:9: note: previous definition is here\n#define A 1\n        ^\n1 warning generated.\n"
	if got := r.bag.Render(diag.Style{}); got != want {
		t.Error(got)
	}
}
