package sema_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// operands are the names that prologue.txt declares, and constants.
var operands = strings.Fields(`b c uc s us i ui l ul h f d c4 uc4 s4 us4 i4 ui4 l4 ul4 h4 f4 d4 i2 i3 f3 f2 i8 f8 f16 c16 st sp t u e en eg
	p cp vp gp lp kp pp v gv fpt gfp chp uip ppp hp arr arr2 ki kf ci cf ca 0 1 -1 3u 5l 1.5f 2.0 0.5h 'a' "text" E0 F0 img sm ev evp NULL 0x80000000 true`)

// randomExpression writes an expression that may be right or wrong.
func randomExpression(r *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	if depth == 0 || r.IntN(6) == 0 {
		return pick(operands...)
	}
	x := func() string {
		s := randomExpression(r, depth-1)
		if strings.ContainsAny(s, " ") && !strings.HasSuffix(s, ")") || strings.HasPrefix(s, "-") {
			s = "(" + s + ")"
		}
		return s
	}
	vec := func() string {
		return pick("char4", "uchar4", "short4", "int2", "int3", "int4", "uint4", "long4", "float2", "float4",
			"float8", "double4", "half4")
	}
	typ := func() string {
		return pick("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
			"bool", "int *",
			"global int *", "local int *", "constant int *", "private int *", "void *", "global float *", "const int *", "enum E",
			"struct S", "union U", "void", "event_t", vec(), vec())
	}
	switch r.IntN(24) {
	case 0, 1:
		return pick("-", "+", "!", "~", "&", "*") + x()
	case 2:
		return pick("++", "--") + x()
	case 3:
		return x() + pick("++", "--")
	case 4, 5, 6, 7:
		return x() + " " + pick("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^") + " " + x()
	case 8, 9:
		return x() + " " + pick("<", ">", "<=", ">=", "==", "!=") + " " + x()
	case 10:
		return x() + " " + pick("&&", "||") + " " + x()
	case 11, 12:
		return x() + " " + pick("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=") + " " + x()
	case 13, 14:
		return "(" + x() + ") ? " + x() + " : " + x()
	case 15, 16:
		return "(" + typ() + ")" + x()
	case 17:
		n := 2 + r.IntN(3)
		list := make([]string, n)
		for i := range list {
			list[i] = x()
		}
		return "(" + vec() + ")(" + strings.Join(list, ", ") + ")"
	case 18:
		return x() + "." + pick("x", "xy", "xyzw", "s0", "s3", "lo", "hi", "even", "odd", "a", "b", "c", "d", "f",
			"v", "arr", "bf", "rgb", "wzyx", "xx")
	case 19:
		return x() + "->" + pick("a", "b", "d", "x", "arr", "k")
	case 20:
		return x() + "[" + x() + "]"
	case 21:
		return pick("fi", "fp", "fpg", "fcp", "fvp", "ov", "ovp", "ovl") + "(" + x() + ")"
	case 22:
		return pick("sin", "abs", "fabs", "any", "all", "isnan", "popcount", "convert_int4", "convert_float",
			"as_int", "as_float4", "length",
			"native_sin", "get_global_id", "sign", "clz", "normalize", "convert_uchar_sat", "as_uchar4", "vload_half") + "(" + x() + ")"
	}
	switch r.IntN(3) {
	case 0:
		return pick("clamp", "mix", "select", "fma", "mad", "mad24", "bitselect",
			"vstore4") + "(" + x() + ", " + x() + ", " + x() + ")"
	}
	return pick("max", "min", "fmax", "fmin", "pow", "pown", "ff", "dot", "ldexp", "hypot", "mul24", "rotate",
		"vload4", "vload2", "fract",
		"frexp", "modf", "step", "isless", "atomic_add", "cross", "distance", "add_sat", "upsample", "shuffle", "atom_add") + "(" + x() + ", " + x() + ")"
}

// TestRandomExpressionsAgainstClang compares types and errors of random expressions with those of clang-15.
func TestRandomExpressionsAgainstClang(t *testing.T) {
	if testing.Short() {
		t.Skip("runs another compiler")
	}
	if _, err := exec.LookPath("clang-15"); err != nil {
		t.Skip("there is no clang-15")
	}
	n := 1500
	seed := uint64(1)
	if s := os.Getenv("CLC_SEED"); s != "" {
		fmt.Sscan(s, &seed, &n)
	}
	r := rand.New(rand.NewPCG(seed, 7))
	for done := 0; done < n; done += 500 {
		compareRandom(t, r, min(500, n-done))
	}
}

// compareRandom compares n random expressions.
func compareRandom(t *testing.T, r *rand.Rand, n int) {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "?%s\n", randomExpression(r, 1+r.IntN(3)))
	}
	file := t.TempDir() + "/random.txt"
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, v := range []lang.Version{lang.CL30, lang.CL12} {
		c := readCases(t, file)
		c.version, c.options = v, nil
		a, messages := ours(t, c)
		want, ok := clangVerdicts(t, c)
		if !ok {
			t.Log("clang has crashed")
			return
		}
		right := 0
		for k, l := range c.lines {
			a[k].flags, want[k].flags = nil, nil
			if !want[k].err {
				right++
			}
			if a[k].err && want[k].err {
				continue
			}
			if got, clang := decayed(a[k].String()), decayed(want[k].String()); got != clang {
				t.Errorf("%d: %s\n\tours: %s\n\tclang:%s\n\t%s", v, l, got, clang, strings.Join(messages[k], "\n\t"))
			}
		}
		t.Logf("version %d: clang accepts %d of %d", v, right, n)
	}
}

// decayed writes arrays as pointers: clang's message has the type before that.
func decayed(s string) string {
	if i := strings.IndexByte(s, '['); i > 0 && s[i-1] != ')' {
		if j := strings.IndexByte(s, ']'); j > 0 && strings.TrimSpace(s[j+1:]) == "" {
			return "pointer"
		}
		return "pointer"
	}
	s = strings.TrimSuffix(strings.TrimSuffix(s, "__generic"), "__global")
	if strings.Contains(s, "(*)[") || strings.HasSuffix(strings.TrimSpace(s), "*") {
		return "pointer"
	}
	return s
}
