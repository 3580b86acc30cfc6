package tree

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Dump returns a translation unit as text, for tests: a line for each declaration and statement, expressions in
// parentheses with their operators in front.
func Dump(u *Unit) string {
	var d dumper
	for _, v := range u.Vars {
		if v.Func == nil {
			d.line(d.variable(v))
		}
	}
	for _, f := range u.Funcs {
		d.function(f, u.Unpack(f))
	}
	return d.b.String()
}

// DumpExpr returns an expression as Dump writes it.
func DumpExpr(x Expr) string {
	var d dumper
	return d.expr(x)
}

// maxDumpDepth is how deep a tree is written; what is deeper is "...".
const maxDumpDepth = 2000

type dumper struct {
	b      strings.Builder
	indent int
	depth  int
}

func (d *dumper) line(s string) {
	for range d.indent {
		d.b.WriteString("  ")
	}
	d.b.WriteString(s)
	d.b.WriteByte('\n')
}

var storageNames = [...]string{AutoVar: "var", ParamVar: "param", StaticVar: "static", LocalVar: "local",
	ExternVar: "extern"}

func (d *dumper) variable(v *Var) string {
	s := storageNames[v.Storage] + " " + types.Declaration(v.Type, v.Name)
	if v.Align != 0 {
		s += " align " + strconv.FormatInt(v.Align, 10)
	}
	if v.Init != nil {
		s += " = " + d.expr(v.Init)
	}
	return s
}

func (d *dumper) function(f *Func, body *Block) {
	var b strings.Builder
	for _, w := range []struct {
		on   bool
		name string
	}{{f.Kernel, "kernel "}, {f.Static, "static "}, {f.Inline, "inline "}} {
		if w.on {
			b.WriteString(w.name)
		}
	}
	b.WriteString(types.Declaration(types.Qual{Type: f.Type}, f.Name))
	if f.Symbol != f.Name {
		b.WriteString(" as " + f.Symbol)
	}
	b.WriteString(f.Attrs.text())
	if body == nil {
		d.line(b.String())
		return
	}
	for i, p := range f.Params {
		if i == 0 {
			b.WriteString(" names")
		}
		b.WriteString(" " + p.Name)
	}
	d.line(b.String())
	d.stmt(body)
}

func (a *Attrs) text() string {
	var b strings.Builder
	if a.ReqdSize[0] != 0 {
		fmt.Fprint(&b, " reqd", a.ReqdSize)
	}
	if a.SizeHint[0] != 0 {
		fmt.Fprint(&b, " hint", a.SizeHint)
	}
	if a.VecTypeHint.Type != nil {
		fmt.Fprint(&b, " vec ", a.VecTypeHint)
	}
	if a.SubGroupSize != 0 {
		fmt.Fprint(&b, " subgroup ", a.SubGroupSize)
	}
	for _, w := range []struct {
		on   bool
		name string
	}{{a.AlwaysInline, "always_inline"}, {a.NoInline, "noinline"}, {a.Pure, "pure"}, {a.ConstFn, "const"},
		{a.Convergent, "convergent"}, {a.NoReturn, "noreturn"}} {
		if w.on {
			b.WriteString(" " + w.name)
		}
	}
	return b.String()
}

// nested writes a statement one step further inside.
func (d *dumper) nested(s Stmt) {
	if d.indent > maxDumpDepth {
		d.line("...")
		return
	}
	if _, block := s.(*Block); block {
		d.stmt(s)
		return
	}
	d.indent++
	d.stmt(s)
	d.indent--
}

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case nil:
		d.line("nothing")
	case *Block:
		if s.NoContract {
			d.line("{ no contraction")
		} else {
			d.line("{")
		}
		d.indent++
		for _, x := range s.List {
			d.stmt(x)
		}
		d.indent--
		d.line("}")
	case *Null:
		d.line(";")
	case *ExprStmt:
		d.line(d.expr(s.X))
	case *DeclStmt:
		for _, v := range s.Vars {
			d.line(d.variable(v))
		}
	case *If:
		d.line("if " + d.expr(s.Cond))
		d.nested(s.Then)
		for s.Else != nil {
			next, ok := s.Else.(*If)
			if !ok {
				d.line("else")
				d.nested(s.Else)
				return
			}
			d.line("else if " + d.expr(next.Cond))
			d.nested(next.Then)
			s = next
		}
	case *Loop:
		d.loop(s)
	case *Switch:
		d.line("switch " + d.expr(s.X) + " cases " + strconv.Itoa(len(s.Cases)))
		d.nested(s.Body)
	case *Case:
		d.line(s.text())
		d.nested(s.Stmt)
	case *Label:
		d.line("label " + s.Name)
		d.nested(s.Stmt)
	case *Goto:
		d.line("goto " + s.Label.Name)
	case *Break:
		d.line("break")
	case *Continue:
		d.line("continue")
	case *Return:
		if s.X == nil {
			d.line("return")
		} else {
			d.line("return " + d.expr(s.X))
		}
	default:
		d.line(fmt.Sprintf("%T", s))
	}
}

func (c *Case) text() string {
	switch {
	case c.Default:
		return "default"
	case c.Low == c.High:
		return fmt.Sprintf("case %d", int64(c.Low))
	}
	return fmt.Sprintf("case %d ... %d", int64(c.Low), int64(c.High))
}

func (d *dumper) loop(s *Loop) {
	word := "while"
	switch {
	case s.After:
		word = "do while"
	case s.For:
		word = "for"
	}
	if s.Unroll != 0 {
		word = fmt.Sprintf("unroll %d %s", s.Unroll, word)
	}
	if s.Cond != nil {
		word += " " + d.expr(s.Cond)
	}
	if s.Post != nil {
		word += " step " + d.expr(s.Post)
	}
	if s.Init != nil {
		d.line("init")
		d.nested(s.Init)
	}
	d.line(word)
	d.nested(s.Body)
}

var unaryNames = [...]string{Neg: "-", Plus: "+", BitNot: "~", LogNot: "!", Addr: "&", Deref: "*", PreInc: "++_",
	PreDec: "--_", PostInc: "_++", PostDec: "_--"}

var binaryNames = [...]string{Mul: "*", Div: "/", Rem: "%", Add: "+", Sub: "-", Shl: "<<", Shr: ">>", And: "&", Or: "|",
	Xor: "^", Lt: "<", Gt: ">", Le: "<=", Ge: ">=", Eq: "==", Ne: "!=", LogAnd: "&&", LogOr: "||", Comma: ",",
	PtrAdd: "p+", PtrSub: "p-", PtrDiff: "p-p"}

var convertNames = [...]string{Load: "load", Decay: "decay", Integer: "int", IntToFloat: "itof", FloatToInt: "ftoi",
	FloatToFloat: "float", ToBool: "bool", Splat: "splat", Bits: "bits", Pointer: "ptr", Space: "space",
	PointerToInt: "ptoi", IntToPointer: "itop", NoOp: "noop", Void: "void"}

func (d *dumper) list(head string, xs ...Expr) string {
	var b strings.Builder
	b.WriteString("(" + head)
	for _, x := range xs {
		b.WriteString(" " + d.expr(x))
	}
	b.WriteString(")")
	return b.String()
}

func (d *dumper) expr(x Expr) string {
	if x == nil {
		return "nil"
	}
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > maxDumpDepth {
		return "..."
	}
	t := x.Info().Type
	switch n := x.(type) {
	case *Bad:
		return "(bad)"
	case *IntLit:
		return intText(n.Value, t)
	case *FloatLit:
		return strconv.FormatFloat(n.Value, 'g', -1, 64) + map[types.Kind]string{types.FloatKind: "f",
			types.HalfKind: "h"}[t.Kind]
	case *StringLit:
		return strconv.Quote(string(n.Value))
	case *NullLit:
		return "(null " + t.String() + ")"
	case *VarRef:
		return n.Var.Name
	case *FuncRef:
		return n.Func.Symbol
	case *Unary:
		return d.list(unaryNames[n.Op], n.X)
	case *Binary:
		return d.list(binaryNames[n.Op], n.L, n.R)
	case *Assign:
		return d.list("=", n.L, n.R)
	case *CompoundAssign:
		return d.list(binaryNames[n.Op]+"= in "+n.Compute.String(), n.L, n.R)
	case *Cond:
		return d.list("?:", n.C, n.A, n.B)
	case *Select:
		return d.list("select", n.C, n.A, n.B)
	case *Convert:
		return d.convert(n, t)
	case *Member:
		return d.list(".", n.X) + "." + memberName(n)
	case *Swizzle:
		return d.list("swizzle"+fmt.Sprint(n.Comps), n.X)
	case *VectorIndex:
		return d.list("component", n.X, n.Index)
	case *VectorLit:
		return d.list(t.Unqual().String(), n.Elems...)
	case *InitList:
		return d.initList(n)
	case *CompoundLit:
		return "(literal " + d.variable(n.Var) + ")"
	case *Call:
		return d.list("call "+n.Func.Symbol, n.Args...)
	case *CallBuiltin:
		return d.list("builtin "+n.Sig.Name, n.Args...)
	case *StmtExpr:
		var in dumper
		in.stmt(n.Body)
		return "(stmt " + strings.Join(strings.Fields(in.b.String()), " ") + ")"
	}
	return fmt.Sprintf("(%T)", x)
}

func (d *dumper) convert(n *Convert, t types.Qual) string {
	if n.Kind == Load {
		return d.list("load", n.X)
	}
	return d.list(convertNames[n.Kind]+" "+strings.ReplaceAll(t.String(), " ", "_"), n.X)
}

func intText(v uint64, t types.Qual) string {
	s := strconv.FormatUint(v, 10)
	if t.IsSigned() || t.Kind == types.SamplerKind {
		s = strconv.FormatInt(int64(v), 10)
	}
	switch t.Kind {
	case types.IntKind:
		return s
	case types.UIntKind:
		return s + "u"
	case types.LongKind:
		return s + "l"
	case types.ULongKind:
		return s + "ul"
	}
	return "(" + t.Unqual().String() + " " + s + ")"
}

func memberName(n *Member) string {
	t := n.X.Info().Type
	if !t.IsStruct() || n.Field >= len(t.Struct.Fields) {
		return strconv.Itoa(n.Field)
	}
	if name := t.Struct.Fields[n.Field].Name; name != "" {
		return name
	}
	return "<" + strconv.Itoa(n.Field) + ">"
}

func (d *dumper) initList(n *InitList) string {
	var b strings.Builder
	b.WriteString("{")
	for i, it := range n.Items {
		if i > 0 {
			b.WriteString(", ")
		}
		switch {
		case it.Last != it.Index:
			fmt.Fprintf(&b, "[%d...%d]=", it.Index, it.Last)
		case n.Type.IsStruct() && int(it.Index) < len(n.Type.Struct.Fields) && n.Type.Struct.Fields[it.Index].Name != "":
			b.WriteString("." + n.Type.Struct.Fields[it.Index].Name + "=")
		case int(it.Index) != i:
			fmt.Fprintf(&b, "[%d]=", it.Index)
		}
		b.WriteString(d.expr(it.Value))
	}
	b.WriteString("}")
	return b.String()
}
