package sema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// stmtState is what statements need to remember.
type stmtState struct {
	control     []control
	labels      map[*token.Name]*labelState // of the function; nil for none
	labelList   []*labelState               // in the order in which they occur
	unevaluated int
	switchTypes map[*tree.Switch]*types.Type // operands of enumeration types, before their promotion
	returns     bool                         // the function has a return statement
	enums       map[*types.Enum][]*Enumerator
	body        bodyWarnings
}

// bodyWarnings says which warnings about statements are on.
type bodyWarnings struct {
	ready                                         bool
	changes                                       int // of the Bag, when the warnings were asked for
	emptyBody, danglingElse, uninit, sometimes    bool
	unreachable, fallthru, returnType, switchEnum bool
	shadow, invalidNoReturn, unusedLabel          bool
}

// control is a loop or switch that is open.
type control struct {
	sw     *tree.Switch // nil for loops
	typ    types.Qual   // of the switch's operand before its promotion
	values []caseValue
	def    source.Pos
}

type caseValue struct {
	c   *tree.Case
	pos source.Pos
}

type labelState struct {
	label   *tree.Label
	name    *token.Name
	pos     source.Pos // of the definition; 0 if there is none yet
	use     source.Pos // of the first goto; 0 if there is none
	defined bool
}

// startBody begins a function's body.
func (c *Checker) startBody() {
	c.control = c.control[:0]
	c.labels, c.labelList = nil, c.labelList[:0]
	c.returns, c.switchTypes = false, nil
	changes := c.Diags.Changes()
	if c.body.ready && c.body.changes == changes {
		return
	}
	on := c.Diags.Enabled
	c.body = bodyWarnings{ready: true, changes: changes, emptyBody: on("empty-body"), danglingElse: on("dangling-else"),
		uninit: on("uninitialized"), sometimes: on("sometimes-uninitialized"), unreachable: on("unreachable-code"),
		fallthru: on("implicit-fallthrough"), returnType: on("return-type"), switchEnum: on("switch"),
		shadow: on("shadow"), invalidNoReturn: on("invalid-noreturn"), unusedLabel: on("unused-label")}
}

// finishBody ends a function's body and checks what only its end shows.
func (c *Checker) finishBody(f *tree.Func) {
	for _, l := range c.labelList {
		switch {
		case !l.defined:
			c.Diags.Errorf(l.use, "use of undeclared label '%s'", l.name.Text)
		case l.use == 0 && c.body.unusedLabel:
			c.Diags.Warnf("unused-label", l.pos, "unused label '%s'", l.name.Text)
		}
		f.Labels = append(f.Labels, l.label)
	}
	c.flow(f)
}

// Contract returns whether FP_CONTRACT is off, and SetContract sets that: the parser brings it back at the end of a
// block.
func (c *Checker) Contract() bool { return c.noContract }

// SetContract sets whether FP_CONTRACT is off.
func (c *Checker) SetContract(off bool) { c.noContract = off }

// Block ends a block.
func (c *Checker) Block(pos, end source.Pos, list []tree.Stmt) *tree.Block {
	b := c.Unit.Arena.Blocks.Next()
	*b = tree.Block{At: tree.At{Pos: pos}, List: list, End: end, NoContract: c.noContract}
	if c.body.emptyBody {
		c.emptyLoops(list)
	}
	return b
}

// ExprStmt is an expression as a statement.
func (c *Checker) ExprStmt(pos source.Pos, x tree.Expr) tree.Stmt {
	s := c.Unit.Arena.ExprStmts.Next()
	*s = tree.ExprStmt{At: tree.At{Pos: pos}, X: c.Discard(x)}
	return s
}

// DeclStmt is a declaration as a statement.
func (c *Checker) DeclStmt(pos source.Pos, vars []*tree.Var) tree.Stmt {
	s := c.Unit.Arena.DeclStmts.Next()
	*s = tree.DeclStmt{At: tree.At{Pos: pos}, Vars: vars}
	return s
}

// If is an if with its condition as Condition has left it. elsePos is where the else stands, 0 for none.
func (c *Checker) If(pos source.Pos, cond tree.Expr, then, els tree.Stmt, elsePos source.Pos) *tree.If {
	s := c.Unit.Arena.Ifs.Next()
	*s = tree.If{At: tree.At{Pos: pos}, Cond: cond, Then: then, Else: els}
	if n, ok := then.(*tree.Null); ok && c.body.emptyBody && els == nil && c.sameLine(cond.Info().To, n.Pos) {
		c.Diags.Warnf("empty-body", n.Pos, "if statement has empty body").
			Note(n.Pos, "put the semicolon on a separate line to silence this warning")
	}
	if c.body.danglingElse && elsePos == 0 {
		if in, ok := then.(*tree.If); ok && in.Else != nil {
			c.Diags.Warnf("dangling-else", in.Else.Place(), "add explicit braces to avoid dangling else")
		}
	}
	return s
}

// sameLine reports whether two places are in one line of one file, and in no macro.
func (c *Checker) sameLine(a, b source.Pos) bool {
	if a.IsMacro() || b.IsMacro() {
		return false
	}
	p, q := c.Files.Position(a), c.Files.Position(b)
	return p.Line == q.Line && p.File == q.File
}

// emptyLoops warns about loops without a body that what follows looks meant to be.
func (c *Checker) emptyLoops(list []tree.Stmt) {
	for i := 0; i+1 < len(list); i++ {
		l, ok := list[i].(*tree.Loop)
		if !ok || l.After {
			continue
		}
		n, ok := l.Body.(*tree.Null)
		if !ok || l.Pos.IsMacro() || n.Pos.IsMacro() || !c.sameLine(l.End, n.Pos) {
			continue
		}
		_, block := list[i+1].(*tree.Block)
		if !block && c.Files.Position(list[i+1].Place()).Column <= c.Files.Position(l.Pos).Column {
			continue
		}
		what := "while"
		if l.For {
			what = "for"
		}
		c.Diags.Warnf("empty-body", n.Pos, "%s loop has empty body", what).
			Note(n.Pos, "put the semicolon on a separate line to silence this warning")
	}
}

// StartLoop begins the body of a loop, and FinishLoop ends it.
func (c *Checker) StartLoop() { c.control = append(c.control, control{}) }

// FinishLoop ends a loop.
func (c *Checker) FinishLoop() { c.control = c.control[:len(c.control)-1] }

// ForInit checks the declaration in the head of a for statement.
func (c *Checker) ForInit(s tree.Stmt) {
	d, ok := s.(*tree.DeclStmt)
	if !ok {
		return
	}
	for _, v := range d.Vars {
		if v.Storage != tree.AutoVar && !v.Type.IsInvalid() {
			c.Diags.Errorf(v.Pos, "declaration of non-local variable in 'for' loop")
		}
	}
}

// StartSwitch begins the body of a switch; x is its operand.
func (c *Checker) StartSwitch(pos source.Pos, x tree.Expr) *tree.Switch {
	typ := x.Info().Type
	s := &tree.Switch{At: tree.At{Pos: pos}, X: c.Switchable(x)}
	if typ.Type.Kind == types.EnumKind {
		if c.switchTypes == nil {
			c.switchTypes = map[*tree.Switch]*types.Type{}
		}
		c.switchTypes[s] = typ.Type
	}
	c.control = append(c.control, control{sw: s, typ: typ})
	return s
}

// innerSwitch returns the innermost switch, nil if there is none.
func (c *Checker) innerSwitch() *control {
	for i := len(c.control) - 1; i >= 0; i-- {
		if c.control[i].sw != nil {
			return &c.control[i]
		}
	}
	return nil
}

// Case is case lo: or case lo ... hi:. The parser sets Stmt.
func (c *Checker) Case(pos source.Pos, lo, hi tree.Expr) *tree.Case {
	s := &tree.Case{At: tree.At{Pos: pos}}
	in := c.innerSwitch()
	if in == nil {
		c.Diags.Errorf(pos, "'case' statement not in switch statement")
		return s
	}
	v, ok := c.caseValue(lo, in.sw.X)
	if !ok {
		return s
	}
	s.Low, s.High = v, v
	if hi != nil {
		if s.High, ok = c.caseValue(hi, in.sw.X); !ok {
			return s
		}
		if less(s.High, s.Low, in.sw.X.Info().Type.IsSigned()) {
			c.Diags.Warnf("", lo.Info().From, "empty case range specified").Range(lo.Info().From, hi.Info().To)
			return s
		}
	}
	in.sw.Cases = append(in.sw.Cases, s)
	in.values = append(in.values, caseValue{c: s, pos: lo.Info().From})
	return s
}

// caseValue returns the value of a case, converted to the type of the switch.
func (c *Checker) caseValue(x, sw tree.Expr) (uint64, bool) {
	i, t := x.Info(), sw.Info().Type
	if i.Type.IsInvalid() || t.IsInvalid() {
		return 0, false
	}
	if !i.Type.IsInteger() {
		c.Diags.Errorf(i.From, "integer constant expression must have integer type, not '%s'", i.Type).Range(i.From, i.To)
		return 0, false
	}
	v, ok := c.FoldInt(x)
	if !ok {
		c.Diags.Errorf(i.From, "expression is not an integer constant expression").Range(i.From, i.To)
		return 0, false
	}
	w := truncate(v, t.Base())
	if w != v && (w^v)>>32 != 0 || i.Type.IsSigned() != t.IsSigned() && int64(v) < 0 && i.Type.IsSigned() {
		c.Diags.Warnf("switch", i.From, "overflow converting case value to switch condition type (%s to %s)",
			number(v, i.Type.IsSigned()), number(w, t.IsSigned()))
	}
	return w, true
}

func number(v uint64, signed bool) string {
	if signed {
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprint(v)
}

func less(a, b uint64, signed bool) bool {
	if signed {
		return int64(a) < int64(b)
	}
	return a < b
}

// Default is default:. The parser sets Stmt.
func (c *Checker) Default(pos source.Pos) *tree.Case {
	s := &tree.Case{At: tree.At{Pos: pos}, Default: true}
	in := c.innerSwitch()
	switch {
	case in == nil:
		c.Diags.Errorf(pos, "'default' statement not in switch statement")
		return s
	case in.def != 0:
		c.Diags.Errorf(pos, "multiple default labels in one switch").Note(in.def, "previous case defined here")
		return s
	}
	in.def = pos
	in.sw.Cases = append(in.sw.Cases, s)
	return s
}

// FinishSwitch ends a switch.
func (c *Checker) FinishSwitch(s *tree.Switch, body tree.Stmt) {
	s.Body = body
	in := c.control[len(c.control)-1]
	c.control = c.control[:len(c.control)-1]
	signed := s.X.Info().Type.IsSigned()
	vals := in.values
	slices.SortStableFunc(vals, func(a, b caseValue) int {
		switch {
		case less(a.c.Low, b.c.Low, signed):
			return -1
		case less(b.c.Low, a.c.Low, signed):
			return 1
		}
		return cmp.Compare(a.pos, b.pos)
	})
	// Of two labels with a value in common, the one that comes later in the source is the duplicate.
	for i, top := 1, 0; i < len(vals); i++ {
		prev, v := vals[top], vals[i]
		if !less(prev.c.High, v.c.Low, signed) {
			value := number(v.c.Low, signed)
			if v.pos < prev.pos {
				prev, v = v, prev
			}
			c.Diags.Errorf(v.pos, "duplicate case value '%s'", value).Note(prev.pos, "previous case defined here")
		}
		if less(vals[top].c.High, vals[i].c.High, signed) {
			top = i
		}
	}
	if c.body.switchEnum && in.typ.Kind == types.EnumKind {
		c.switchEnum(s, &in, signed)
	}
}

// switchEnum warns about enumerators that a switch has no label for, and about labels that are no enumerators.
func (c *Checker) switchEnum(s *tree.Switch, in *control, signed bool) {
	list := c.enums[in.typ.Enum]
	if len(list) == 0 {
		return
	}
	covered := func(v uint64) bool {
		v = truncate(v, s.X.Info().Type.Base())
		k, _ := slices.BinarySearchFunc(in.values, v, func(x caseValue, v uint64) int {
			if less(x.c.High, v, signed) {
				return -1
			}
			return 0
		})
		return k < len(in.values) && !less(v, in.values[k].c.Low, signed)
	}
	if in.def == 0 {
		var missing []string
		seen := map[uint64]bool{}
		for _, e := range list {
			if !seen[e.Value] && !covered(e.Value) {
				missing = append(missing, "'"+e.Name+"'")
			}
			seen[e.Value] = true
		}
		switch n := len(missing); {
		case n == 1:
			c.Diags.Warnf("switch", s.X.Info().From, "enumeration value %s not handled in switch", missing[0])
		case n == 2:
			c.Diags.Warnf("switch", s.X.Info().From, "enumeration values %s and %s not handled in switch", missing[0],
				missing[1])
		case n == 3:
			c.Diags.Warnf("switch", s.X.Info().From, "enumeration values %s, %s, and %s not handled in switch",
				missing[0], missing[1], missing[2])
		case n > 3:
			c.Diags.Warnf("switch", s.X.Info().From, "%d enumeration values not handled in switch: %s...", n,
				strings.Join(missing[:3], ", "))
		}
	}
	known := map[uint64]bool{}
	for _, e := range list {
		known[truncate(e.Value, s.X.Info().Type.Base())] = true
	}
	for _, v := range in.values {
		if v.c.Low == v.c.High && !known[v.c.Low] {
			c.Diags.Warnf("switch", v.pos, "case value not in enumerated type '%s'", in.typ.Unqual())
		}
	}
}

// Break is a break statement.
func (c *Checker) Break(pos source.Pos) tree.Stmt {
	if len(c.control) == 0 {
		c.Diags.Errorf(pos, "'break' statement not in loop or switch statement")
		return &tree.Null{At: tree.At{Pos: pos}}
	}
	return &tree.Break{At: tree.At{Pos: pos}}
}

// Continue is a continue statement.
func (c *Checker) Continue(pos source.Pos) tree.Stmt {
	for i := len(c.control) - 1; i >= 0; i-- {
		if c.control[i].sw == nil {
			return &tree.Continue{At: tree.At{Pos: pos}}
		}
	}
	c.Diags.Errorf(pos, "'continue' statement not in loop statement")
	return &tree.Null{At: tree.At{Pos: pos}}
}

// Fallthrough is __attribute__((fallthrough)).
func (c *Checker) Fallthrough(pos source.Pos) tree.Stmt {
	if c.innerSwitch() == nil {
		c.Diags.Errorf(pos, "fallthrough annotation is outside switch statement")
	}
	return &tree.Null{At: tree.At{Pos: pos}, Fallthrough: true}
}

func (c *Checker) label(n *token.Name) *labelState {
	if l := c.labels[n]; l != nil {
		return l
	}
	if c.labels == nil {
		c.labels = map[*token.Name]*labelState{}
	}
	l := &labelState{name: n, label: &tree.Label{Name: n.Text}}
	c.labels[n] = l
	c.labelList = append(c.labelList, l)
	return l
}

// Label is a label. The parser sets Stmt.
func (c *Checker) Label(n *token.Name, pos source.Pos, attrs []Attr) *tree.Label {
	l := c.label(n)
	if l.defined {
		c.Diags.Errorf(pos, "redefinition of label '%s'", n.Text).Note(l.pos, "previous definition is here")
		return &tree.Label{At: tree.At{Pos: pos}, Name: n.Text}
	}
	l.defined, l.pos, l.label.Pos = true, pos, pos
	if hasAttr(attrs, "unused") && l.use == 0 {
		l.use = pos
	}
	return l.label
}

// Goto is a goto statement.
func (c *Checker) Goto(pos source.Pos, n *token.Name, namePos source.Pos) tree.Stmt {
	l := c.label(n)
	if l.use == 0 {
		l.use = namePos
	}
	return &tree.Goto{At: tree.At{Pos: pos}, Label: l.label}
}

// Return is a return statement; x is nil for none.
func (c *Checker) Return(pos source.Pos, x tree.Expr) tree.Stmt {
	s := c.Unit.Arena.Returns.Next()
	*s = tree.Return{At: tree.At{Pos: pos}}
	c.returns = true
	f := c.fn
	result := f.Type.Elem
	if f.Attrs.NoReturn && c.body.invalidNoReturn {
		c.Diags.Warnf("invalid-noreturn", pos, "function '%s' declared 'noreturn' should not return", f.Name)
	}
	switch {
	case x == nil && !result.IsVoid() && !result.IsInvalid():
		c.Diags.Errorf(pos, "non-void function '%s' should return a value", f.Name)
	case x == nil:
	case result.IsInvalid():
		s.X = x
	case result.IsVoid():
		x = c.Value(x)
		if i := x.Info(); !i.Type.IsVoid() && !i.Type.IsInvalid() {
			c.Diags.Errorf(pos, "void function '%s' should not return a value", f.Name).Range(i.From, i.To)
		}
		s.X = x
	default:
		s.X = c.Coerce(Context{Kind: Returning, Func: f.Name}, result, x)
	}
	return s
}

// StaticAssert is _Static_assert(x, message).
func (c *Checker) StaticAssert(pos source.Pos, x tree.Expr, message *token.Token, text []byte) {
	i := x.Info()
	if i.Type.IsInvalid() {
		return
	}
	v, ok := uint64(0), false
	if i.Type.IsInteger() {
		v, ok = c.FoldInt(x)
	}
	switch {
	case !ok:
		c.Diags.Errorf(i.From, "static assertion expression is not an integral constant expression").Range(i.From, i.To)
	case v == 0 && message == nil:
		c.Diags.Errorf(pos, "static assertion failed").Range(i.From, i.To)
	case v == 0:
		c.Diags.Errorf(pos, "static assertion failed: %s", strings.TrimSuffix(string(text), "\x00")).Range(i.From, i.To)
	}
}
