package sema_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// randomConstant writes a constant expression over numbers of all types.
func randomConstant(r *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	if depth == 0 || r.IntN(8) == 0 {
		switch r.IntN(4) {
		case 0:
			return fmt.Sprintf("(%s)%s", pick("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
				"bool"),
				pick("1", "-1", "3", "127", "200", "40000", "-32768", "0x7fffffff", "0x80000000u", "5000000000", "0"))
		case 1:
			return pick("1.0f", "0.5f", "3.25f", "1e10f", "0.1f", "1.5h", "0.1h", "100.0h", "1.0", "0.1", "3.3e5",
				"1e-3", "7.0f")
		}
		return pick("0", "1", "2", "7", "31", "33", "100", "255", "1u", "3u", "4000000000u", "1l", "123456789012l",
			"9ul",
			"0xffffffffffffffff", "2147483647", "'a'", "'\\xff'")
	}
	x := func() string { return "(" + randomConstant(r, depth-1) + ")" }
	switch r.IntN(9) {
	case 0:
		return pick("-", "+", "!") + x()
	case 1:
		return "(" + pick("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "bool", "float",
			"double", "half") + ")" + x()
	case 2:
		return "~(" + pick("int", "uint", "long", "uchar", "ulong") + ")" + x()
	case 3:
		return x() + " " + pick("<", ">", "<=", ">=", "==", "!=", "&&", "||") + " " + x()
	case 4:
		t := func() string { return "(" + pick("int", "uint", "long", "uchar", "ulong", "short") + ")" }
		return t() + x() + " " + pick("<<", ">>", "&", "|", "^", "%") + " " + t() + x()
	case 5:
		return "(int)" + x() + " ? " + x() + " : " + x()
	}
	return x() + " " + pick("+", "-", "*", "/") + " " + x()
}

// value writes what a variable is initialized with.
func value(x tree.Expr) string {
	switch n := x.(type) {
	case *tree.IntLit:
		return strconv.FormatInt(int64(n.Value), 10)
	case *tree.FloatLit:
		return fmt.Sprintf("%#x", math.Float64bits(n.Value))
	case *tree.VectorLit:
		s := ""
		for _, k := range n.Elems {
			s += value(k) + " "
		}
		return s
	}
	return fmt.Sprintf("%T", x)
}

var llvmConstant = regexp.MustCompile(`^@(\w+) = .*constant (i64|double|<\d+ x \w+>) (.*), align`)

// clangConstants returns the values of the variables of a source, by name, as clang-15 computes them.
func clangConstants(t *testing.T, text string) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.cl")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("clang-15", "-cl-std=CL3.0", "-target", "spir64", "-Xclang",
		"-finclude-default-header", "-S", "-emit-llvm",
		"-w", "-o", "-", file).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
	}
	m := map[string]string{}
	for _, l := range strings.Split(string(out), "\n") {
		if f := llvmConstant.FindStringSubmatch(l); f != nil {
			m[f[1]] = llvmValue(f[2], f[3])
		}
	}
	return m
}

// llvmValue writes a constant of LLVM's as value does.
func llvmValue(typ, s string) string {
	switch {
	case typ == "double" && strings.HasPrefix(s, "0x"):
		v, _ := strconv.ParseUint(s[2:], 16, 64)
		return fmt.Sprintf("%#x", v)
	case typ == "double":
		v, _ := strconv.ParseFloat(s, 64)
		return fmt.Sprintf("%#x", math.Float64bits(v))
	}
	return s
}

// checkRefused checks that clang refuses the declarations that are comments here.
func checkRefused(t *testing.T, text string, skip int) {
	file := filepath.Join(t.TempDir(), "t.cl")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "\n// ", "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command("clang-15", "-cl-std=CL3.0", "-target", "spir64", "-fsyntax-only", "-ferror-limit=0",
		"-w",
		"-fno-caret-diagnostics", file).CombinedOutput()
	refused := map[int]bool{}
	for _, l := range strings.Split(string(out), "\n") {
		if m := clangLine.FindStringSubmatch(l); m != nil {
			n, _ := strconv.Atoi(m[1])
			refused[n] = true
		}
	}
	for i, l := range strings.Split(text, "\n")[skip:] {
		if ours := strings.HasPrefix(l, "//"); ours != refused[i+1+skip] {
			t.Errorf("refused: %t, by clang: %t: %s", ours, refused[i+1+skip], l)
		}
	}
}

// TestConstantsAgainstClang compares the values of random constant expressions with those of clang-15, bit by
// bit.
func TestConstantsAgainstClang(t *testing.T) {
	if testing.Short() {
		t.Skip("runs another compiler")
	}
	if _, err := exec.LookPath("clang-15"); err != nil {
		t.Skip("there is no clang-15")
	}
	const n = 3000
	r := rand.New(rand.NewPCG(1, 2))
	top := "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
	var b strings.Builder
	b.WriteString(top)
	exprs := map[string]string{}
	for i := range n {
		e := randomConstant(r, 3)
		name := fmt.Sprintf("k%d", i)
		decl := fmt.Sprintf("constant %s %s = %s;\n", []string{"long", "double"}[r.IntN(2)], name, e)
		// What is not constant is so for both.
		if u, bag, _ := compile(t, top+decl, lang.CL30, "-Wno-everything"); bag.Errors() > 0 || len(u.Vars) != 1 {
			b.WriteString("// " + decl)
			exprs["!"+name] = decl
			continue
		}
		exprs[name] = decl
		b.WriteString(decl)
	}
	checkRefused(t, b.String(), strings.Count(top, "\n"))
	u, bag, _ := compile(t, b.String(), lang.CL30, "-Wno-everything")
	if bag.Errors() > 0 {
		t.Fatal(bag.List[0].Message)
	}
	want := clangConstants(t, b.String())
	compared := 0
	for _, v := range u.Vars {
		w, ok := want[v.Name]
		if !ok {
			t.Errorf("clang has no value for %s", exprs[v.Name])
			continue
		}
		compared++
		if got := value(v.Init); got != w {
			t.Errorf("%s\n\tours  %s\n\tclang %s", exprs[v.Name], got, w)
		}
	}
	t.Logf("%d of %d expressions have equal values", compared, n)
	if compared < n/2 {
		t.Errorf("only %d of %d expressions are constant", compared, n)
	}
}

// TestVectorTruth holds true components of constant vectors to -1, as sections 6.3.d, e, g and h of the specification
// of OpenCL C 1.2 have it. clang-15 has 1 for && and ||.
func TestVectorTruth(t *testing.T) {
	for _, c := range []struct{ typ, source, want string }{
		{"long2", "(ulong2)(1, 0) && 1ul", "-1 0 "},
		{"long2", "(double2)(0, 2) || 0.0", "0 -1 "},
		{"short3", "(ushort3)(1, 0, 2) && (ushort3)(1, 1, 0)", "-1 0 0 "},
		{"int2", "(float2)(1.5f, 0) || (float2)(0, 0)", "-1 0 "},
		{"int2", "!(int2)(0, 3)", "-1 0 "},
		{"char2", "(uchar2)(200, 1) > (uchar2)(3)", "-1 0 "},
		{"int2", "(float2)(1, 2) == 1.0f", "-1 0 "},
		{"long2", "!(double2)(0, 1.5)", "-1 0 "},
		{"long2", "!((long2)(0, 3) && 1l)", "-1 0 "},
	} {
		u, bag, _ := compile(t, "constant "+c.typ+" k = "+c.source+";\n", lang.CL30, "-Wno-everything")
		if bag.Errors() > 0 {
			t.Errorf("%s: %s", c.source, bag.List[0].Message)
			continue
		}
		if got := value(u.Vars[0].Init); got != c.want {
			t.Errorf("%s: %s, not %s", c.source, got, c.want)
		}
	}
}
