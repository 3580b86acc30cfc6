package sema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// badFormat is what package fmt writes where a message has other operands than its format says.
var badFormat = regexp.MustCompile(`%![a-zA-Z]\([a-z]+=|%!\((EXTRA|NOVERB|BAD)|%![a-z]\(MISSING`)

// FuzzExpressions reads statements between the declarations of the expression tests. Nothing may panic, and a
// tree without errors has types everywhere.
func FuzzExpressions(f *testing.F) {
	files, _ := filepath.Glob("testdata/expr/*.txt")
	for _, file := range files {
		if base := filepath.Base(file); strings.Contains(base,
			"_cl") || base == "prologue.txt" || base == "differences.txt" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, l := range strings.Split(string(text), "\n") {
			f.Add(strings.TrimLeft(l, "?@"))
		}
	}
	prologue, err := os.ReadFile("testdata/expr/prologue.txt")
	if err != nil {
		f.Fatal(err)
	}
	top, params, _ := strings.Cut(string(prologue), "----\n")
	f.Fuzz(func(t *testing.T, s string) {
		text := top + strings.ReplaceAll(params, "NAME", "test") + s + ";\n}\n"
		for _, v := range []lang.Version{lang.CL10, lang.CL30} {
			u, bag, _ := compile(t, text, v, "-Weverything")
			if bag.Errors() == 0 {
				checkUnit(t, u)
			}
			for _, d := range bag.List {
				// Some warnings of clang's have no names.
				nameless := strings.HasPrefix(d.Message, "tentative array") || strings.HasPrefix(d.Message, "empty case range") ||
					strings.HasPrefix(d.Message, "expected ';' at end of declaration")
				if badFormat.MatchString(d.Message) || d.Severity == diag.Warning && d.Flag == "" && !nameless {
					t.Errorf("message %q", d.Message)
				}
			}
		}
	})
}

// checkUnit checks what every tree without errors must be.
func checkUnit(t *testing.T, u *tree.Unit) {
	t.Helper()
	for _, v := range u.Vars {
		checkExpr(t, v.Init)
	}
	for _, f := range u.Funcs {
		if f.Body != nil {
			checkStmt(t, f.Body)
		}
	}
}

func checkStmt(t *testing.T, s tree.Stmt) {
	switch n := s.(type) {
	case *tree.Block:
		for _, x := range n.List {
			checkStmt(t, x)
		}
	case *tree.ExprStmt:
		checkExpr(t, n.X)
	case *tree.DeclStmt:
		for _, v := range n.Vars {
			checkExpr(t, v.Init)
		}
	case *tree.If:
		checkExpr(t, n.Cond)
		checkStmt(t, n.Then)
		checkStmt(t, n.Else)
	case *tree.Loop:
		checkStmt(t, n.Init)
		checkExpr(t, n.Cond)
		checkExpr(t, n.Post)
		checkStmt(t, n.Body)
	case *tree.Switch:
		checkExpr(t, n.X)
		checkStmt(t, n.Body)
	case *tree.Case:
		checkStmt(t, n.Stmt)
	case *tree.Label:
		checkStmt(t, n.Stmt)
	case *tree.Return:
		checkExpr(t, n.X)
	}
}

// checkExpr checks that an expression has a type, and that its operands have the types that package tree
// says.
func checkExpr(t *testing.T, x tree.Expr) {
	if x == nil {
		return
	}
	i := x.Info()
	if i.Type.Type == nil || i.Type.Kind == types.Invalid || i.Type.Kind == types.BuiltinSet {
		t.Fatalf("%T has the type %v", x, i.Type)
	}
	value := func(y tree.Expr) {
		if y.Info().LValue {
			t.Errorf("the operand %T of %T is an lvalue", y, x)
		}
		checkExpr(t, y)
	}
	same := func(a, b types.Qual, what string) {
		if a.Type != b.Type {
			t.Errorf("%T: %s is '%v', not '%v'", x, what, a, b)
		}
	}
	switch n := x.(type) {
	case *tree.Bad:
		t.Fatal("Bad in a tree without errors")
	case *tree.Unary:
		checkUnary(t, n, value)
	case *tree.Binary:
		value(n.R)
		if n.Op == tree.Comma {
			checkExpr(t, n.L)
			same(n.R.Info().Type, n.Type, "right operand")
			break
		}
		value(n.L)
		checkBinary(t, n, same)
	case *tree.Assign:
		checkExpr(t, n.L)
		value(n.R)
		same(n.R.Info().Type, n.L.Info().Type, "right operand")
		if !n.L.Info().LValue {
			t.Error("assignment to no lvalue")
		}
	case *tree.CompoundAssign:
		checkExpr(t, n.L)
		value(n.R)
		if n.Op <= tree.Sub || n.Op >= tree.And && n.Op <= tree.Xor {
			same(n.R.Info().Type, n.Compute, "right operand")
		}
	case *tree.Cond:
		value(n.C)
		value(n.A)
		value(n.B)
		same(n.A.Info().Type, n.Type, "second operand")
		same(n.B.Info().Type, n.Type, "third operand")
	case *tree.Select:
		value(n.C)
		value(n.A)
		value(n.B)
		same(n.A.Info().Type, n.Type, "second operand")
		same(n.B.Info().Type, n.Type, "third operand")
	case *tree.Convert:
		checkConvert(t, n, value)
	case *tree.Member:
		checkExpr(t, n.X)
	case *tree.Swizzle:
		checkExpr(t, n.X)
		if n.Type.Lanes() != len(n.Comps) || n.X.Info().LValue != n.LValue {
			t.Errorf("swizzle %v of '%v' is '%v', lvalues %t %t", n.Comps, n.X.Info().Type, n.Type, n.X.Info().LValue,
				n.LValue)
		}
	case *tree.VectorIndex:
		checkExpr(t, n.X)
		value(n.Index)
	case *tree.VectorLit:
		lanes := 0
		for _, e := range n.Elems {
			value(e)
			lanes += e.Info().Type.Lanes()
			if e.Info().Type.Component() != n.Type.Component() {
				t.Errorf("'%v' in a literal of '%v'", e.Info().Type, n.Type)
			}
		}
		if lanes != n.Type.Lanes() {
			t.Errorf("%d components in a literal of '%v'", lanes, n.Type)
		}
	case *tree.Call:
		for k, a := range n.Args {
			value(a)
			if k < len(n.Func.Type.Params) {
				same(a.Info().Type, n.Func.Type.Params[k], fmt.Sprintf("argument %d of %s", k, n.Func.Name))
			}
		}
	case *tree.CallBuiltin:
		for k, a := range n.Args {
			value(a)
			if k < len(n.Sig.Params) {
				same(a.Info().Type, n.Sig.Params[k], fmt.Sprintf("argument %d of %s", k, n.Sig.Name))
			}
		}
	case *tree.StmtExpr:
		checkStmt(t, n.Body)
	case *tree.InitList:
		for _, it := range n.Items {
			checkExpr(t, it.Value)
		}
	}
}

func checkUnary(t *testing.T, n *tree.Unary, value func(tree.Expr)) {
	i := n.X.Info()
	switch n.Op {
	case tree.Addr, tree.PreInc, tree.PreDec, tree.PostInc, tree.PostDec:
		checkExpr(t, n.X)
		if !i.LValue {
			t.Errorf("unary %d of no lvalue", n.Op)
		}
		if n.Op != tree.Addr && n.Type.Type != i.Type.Type {
			t.Errorf("unary %d of '%v' is '%v'", n.Op, i.Type, n.Type)
		}
		return
	case tree.Deref:
		if !n.LValue || !i.Type.IsPointer() || i.Type.Elem.Type != n.Type.Type {
			t.Errorf("dereference of '%v' is '%v'", i.Type, n.Type)
		}
	case tree.LogNot:
		if n.Type.Lanes() != i.Type.Lanes() || !n.Type.IsVector() && n.Type.Kind != types.IntKind {
			t.Errorf("! of '%v' is '%v'", i.Type, n.Type)
		}
	default:
		if n.Type.Type != i.Type.Type {
			t.Errorf("unary %d of '%v' is '%v'", n.Op, i.Type, n.Type)
		}
	}
	value(n.X)
}

func checkBinary(t *testing.T, n *tree.Binary, same func(a, b types.Qual, what string)) {
	l, r := n.L.Info().Type, n.R.Info().Type
	switch n.Op {
	case tree.Shl, tree.Shr:
		same(l, n.Type, "left operand")
		if !r.HasInteger() || r.IsVector() && r.Lanes() != l.Lanes() {
			t.Errorf("shift of '%v' by '%v'", l, r)
		}
	case tree.PtrAdd, tree.PtrSub:
		same(l, n.Type, "left operand")
		if !r.IsInteger() || !l.IsPointer() {
			t.Errorf("'%v' plus '%v'", l, r)
		}
	case tree.LogAnd, tree.LogOr:
		if n.Type.IsVector() {
			same(l, r, "left operand")
		} else if !l.IsScalar() || !r.IsScalar() {
			t.Errorf("'%v' and '%v'", l, r)
		}
	case tree.PtrDiff, tree.Lt, tree.Gt, tree.Le, tree.Ge, tree.Eq, tree.Ne:
		if l.Type != r.Type && !(l.IsPointer() && r.IsPointer() && l.Elem.Space() == r.Elem.Space()) {
			t.Errorf("comparison of '%v' and '%v'", l, r)
		}
		if n.Op != tree.PtrDiff && (n.Type.Lanes() != l.Lanes() || !n.Type.IsSigned()) {
			t.Errorf("comparison of '%v' is '%v'", l, n.Type)
		}
	default:
		same(l, n.Type, "left operand")
		same(r, n.Type, "right operand")
	}
}

func checkConvert(t *testing.T, n *tree.Convert, value func(tree.Expr)) {
	from, to := n.X.Info().Type, n.Type
	ok := true
	switch n.Kind {
	case tree.Load:
		ok = n.X.Info().LValue && from.Type == to.Type
		checkExpr(t, n.X)
	case tree.Decay:
		ok = from.IsArray() && to.IsPointer() && from.Elem.Type == to.Elem.Type && from.Space() == to.Elem.Space()
		checkExpr(t, n.X)
	case tree.Void:
		ok = to.Kind == types.VoidKind
		checkExpr(t, n.X)
	case tree.Integer:
		ok = from.HasInteger() && to.HasInteger() && from.Lanes() == to.Lanes()
	case tree.IntToFloat:
		ok = from.HasInteger() && to.HasFloat() && from.Lanes() == to.Lanes()
	case tree.FloatToInt:
		ok = from.HasFloat() && to.HasInteger() && from.Lanes() == to.Lanes()
	case tree.FloatToFloat:
		ok = from.HasFloat() && to.HasFloat() && from.Lanes() == to.Lanes()
	case tree.ToBool:
		ok = from.IsScalar() && to.Kind == types.BoolKind
	case tree.Splat:
		ok = to.IsVector() && from.Type == to.Elem.Type
	case tree.Pointer:
		ok = from.IsPointer() && to.IsPointer() && from.Elem.Space() == to.Elem.Space()
	case tree.Space:
		ok = from.IsPointer() && to.IsPointer() && from.Elem.Type == to.Elem.Type && from.Elem.Space() != to.Elem.Space()
	case tree.PointerToInt:
		ok = from.IsPointer() && to.IsInteger()
	case tree.IntToPointer:
		ok = from.IsInteger() && to.IsPointer()
	}
	if !ok {
		t.Errorf("conversion %d of '%v' to '%v'", n.Kind, from, to)
	}
	if n.Kind != tree.Load && n.Kind != tree.Decay && n.Kind != tree.Void {
		value(n.X)
	}
}

// TestTrees checks the trees of the expression tests.
func TestTrees(t *testing.T) {
	files, _ := filepath.Glob("testdata/expr/*.txt")
	for _, file := range files {
		base := filepath.Base(file)
		if base == "prologue.txt" || base == "differences.txt" {
			continue
		}
		c := readCases(t, file)
		verdicts, _ := ours(t, c)
		// Once more without what is wrong, and each type probe as a statement.
		lines := strings.Split(c.source, "\n")
		kept := 0
		for n, k := range c.line {
			switch {
			case verdicts[k].err:
				lines[n-1] = ""
			case strings.HasPrefix(c.lines[k], "?"):
				lines[n-1] = c.lines[k][1:] + ";"
			}
			if lines[n-1] != "" {
				kept++
			}
		}
		var u *tree.Unit
		for range 4 {
			// Declarations that used others that were wrong go too.
			var bag *diag.Bag
			var set *source.Set
			if u, bag, set = compile(t, strings.Join(lines, "\n"), c.version); bag.Errors() == 0 {
				break
			}
			u = nil
			for _, d := range bag.List {
				if n := set.Position(d.Pos).Line; d.Severity >= diag.Error && lines[n-1] != "" {
					lines[n-1] = ""
					kept--
				}
			}
		}
		if u == nil {
			t.Errorf("%s: errors are left", base)
			continue
		}
		if kept < len(c.lines)/6 {
			t.Errorf("%s: only %d of %d cases are left", base, kept, len(c.lines))
		}
		checkUnit(t, u)
	}
}

// TestHostile reads sources that try to take for ever.
func TestHostile(t *testing.T) {
	var doubling strings.Builder
	doubling.WriteString("const int a0 = 1; ")
	for i := range 200 {
		fmt.Fprintf(&doubling, "const int a%d = a%d + a%d; ", i+1, i, i)
	}
	nothing := strings.Replace(doubling.String(), "a0 = 1", "a0 = f(1)", 1)
	for name, body := range map[string]string{
		"sum of literals":   "int x = 1" + strings.Repeat("+1", 100000) + ";",
		"sum":               "int x = n" + strings.Repeat("+n", 100000) + ";",
		"comparisons":       "int x = p" + strings.Repeat("==p==n", 50000) + ";",
		"commas":            "n" + strings.Repeat(",n", 100000) + ";",
		"nots":              "int x = " + strings.Repeat("!", 100000) + "n;",
		"dereferences":      "int x = " + strings.Repeat("*", 100000) + "n;",
		"ternaries":         "int x = " + strings.Repeat("n?1:", 100000) + "2;",
		"members":           "v" + strings.Repeat(".xyzw", 100000) + ";",
		"doubling":          doubling.String() + "int b[a30 > 0 ? 1 : 2];",
		"doubling nothing":  nothing + "int b[a150];",
		"long name":         strings.Repeat("x", 1<<20) + " = 1;",
		"undeclared names":  strings.Repeat("qwertz(1);\n", 5000),
		"arguments":         "f(" + strings.Repeat("n,", 100000) + "1);",
		"vector components": "v = (int4)(" + strings.Repeat("n,", 100000) + "1);",
		"digits":            "n = " + strings.Repeat("9", 1<<20) + ";",
		"half digits":       "float q = 1." + strings.Repeat("9", 1<<18) + "h;",
		"exponent":          "float q = 1e" + strings.Repeat("9", 1<<18) + "h;",
		"assignments":       strings.Repeat("n = ", 100000) + "1;",
		"overloads":         strings.Repeat("pow(n, 2.0); max(n, 1u); clamp(v, n, p);\n", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			text := "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nint f(int); void g(int n, int *p, int4 v) {" + body + "}\n"
			_, bag, _ := compile(t, text, lang.CL30, "-Weverything")
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 {
				t.Errorf("%d bytes are allocated for a source of %d", n, len(text))
			} else if testing.Verbose() {
				t.Logf("%d bytes, %d errors", n, bag.Errors())
			}
		})
	}
}
