package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Bad returns an expression that is wrong, about which nothing more is said.
func (c *Checker) Bad(from, to source.Pos) tree.Expr { return c.badInit(from, to) }

// InFunction reports whether the body of a function is being read.
func (c *Checker) InFunction() bool { return c.fn != nil }

// StartUnevaluated begins an operand that is not evaluated, such as that of sizeof.
func (c *Checker) StartUnevaluated() { c.unevaluated++ }

// EndUnevaluated ends an operand that is not evaluated.
func (c *Checker) EndUnevaluated() { c.unevaluated-- }

// Spoil makes a variable whose initializer could not be read one about which nothing more is said.
func (c *Checker) Spoil(v *tree.Var) { c.spoil(v) }

// NotInitialized reports an initializer behind something that is no variable.
func (c *Checker) NotInitialized(d *Declarator, pos source.Pos) {
	c.Diags.Errorf(pos, "illegal initializer (only variables can be initialized)")
}

// Params checks the parameters of a function together: (void) has none.
func (c *Checker) Params(list []*tree.Var) []*tree.Var {
	for _, p := range list {
		if !p.Type.IsVoid() {
			continue
		}
		switch {
		case p.Name != "":
			c.Diags.Errorf(p.Pos, "argument may not have 'void' type")
		case len(list) > 1:
			c.Diags.Errorf(p.Pos, "'void' must be the first and only parameter if specified")
		case p.Type.Q.CVR() != 0:
			c.Diags.Errorf(p.Pos, "'void' as parameter must not have type qualifiers")
			return nil
		default:
			return nil
		}
		p.Type = types.Qual{Type: c.Types.Invalid}
	}
	return list
}

// OldParams puts the parameters of a definition in the style of K&R in the order of their names.
func (c *Checker) OldParams(d *Declarator, ch *Chunk, list []*tree.Var) {
	c.Diags.Warnf("deprecated-non-prototype", d.Pos,
		"a function definition without a prototype is deprecated in all versions of C and is not supported in C2x")
	for _, id := range ch.Idents {
		var v *tree.Var
		for _, p := range list {
			if p.Name == id.Name.Text {
				v = p
			}
		}
		if v == nil {
			c.Diags.Warnf("implicit-int", id.Pos, "parameter '%s' was not declared, defaulting to type 'int'",
				id.Name.Text)
			v = c.newVar()
			*v = tree.Var{Name: id.Name.Text, Pos: id.Pos, Storage: tree.ParamVar, Type: types.Qual{Type: c.Types.Int}}
		}
		ch.Params = append(ch.Params, v)
	}
	for _, p := range list {
		found := false
		for _, id := range ch.Idents {
			found = found || id.Name.Text == p.Name
		}
		if !found {
			c.Diags.Errorf(p.Pos, "parameter named '%s' is missing", p.Name)
		}
	}
	ch.Idents = nil
}

// TypeOfExpr returns the type of the operand of typeof.
func (c *Checker) TypeOfExpr(x tree.Expr) types.Qual {
	t := x.Info().Type
	if t.Kind == types.BuiltinSet {
		c.Diags.Errorf(x.Info().From, "the type of a built-in function is not known")
		return types.Qual{Type: c.Types.Invalid}
	}
	if !x.Info().LValue {
		t = t.Unqual()
	}
	t.Q &^= types.Explicit
	return t.In(types.Private)
}

// ValueStmt is the last statement of a statement expression: its value is kept.
func (c *Checker) ValueStmt(pos source.Pos, x tree.Expr) tree.Stmt {
	return &tree.ExprStmt{At: tree.At{Pos: pos}, X: c.Value(x)}
}

// StmtExpr is ({ ... }).
func (c *Checker) StmtExpr(lparen source.Pos, b *tree.Block, rparen source.Pos) tree.Expr {
	t := types.Qual{Type: c.Types.Void}
	if n := len(b.List); n > 0 {
		if s, ok := b.List[n-1].(*tree.ExprStmt); ok {
			t = s.X.Info().Type.Unqual()
		}
	}
	if t.IsInvalid() {
		return c.badInit(lparen, b.End)
	}
	return &tree.StmtExpr{Base: tree.Base{Type: t, Pos: lparen, From: lparen, To: c.Files.End(rparen, 1)}, Body: b}
}

// StartOffset begins __builtin_offsetof: it returns an object of the type, whose members are then taken.
func (c *Checker) StartOffset(pos source.Pos, t types.Qual) tree.Expr {
	if !t.IsInvalid() && !t.IsStruct() {
		c.Diags.Errorf(pos, "offsetof requires struct or union type, '%s' invalid", t)
		return c.badInit(pos, pos)
	}
	if t.IsInvalid() || !t.Complete() {
		if !t.IsInvalid() {
			c.noteForward(c.Diags.Errorf(pos, "offsetof of incomplete type '%s'", t), t.Type)
		}
		return c.badInit(pos, pos)
	}
	v := &tree.Var{Type: t, Pos: pos, Used: true}
	return &tree.VarRef{Base: tree.Base{Type: t, Pos: pos, From: pos, To: pos, LValue: true}, Var: v}
}

// Offset ends __builtin_offsetof: x is the member of what StartOffset has returned.
func (c *Checker) Offset(pos source.Pos, x tree.Expr, end source.Pos) tree.Expr {
	off := int64(0)
	for y := x; ; {
		switch n := y.(type) {
		case *tree.VarRef:
			return &tree.IntLit{Base: tree.Base{Type: types.Qual{Type: c.Types.Size}, Pos: pos, From: pos, To: end},
				Value: uint64(off)}
		case *tree.Member:
			f := &n.X.Info().Type.Struct.Fields[n.Field]
			if f.Bits >= 0 {
				c.Diags.Errorf(n.Pos, "cannot compute offset of bit-field '%s'", f.Name)
				return c.badInit(pos, end)
			}
			off += f.Offset
			y = n.X
		case *tree.Unary: // *(a + i) of an array
			i, base, ok := c.arrayStep(n)
			if !ok {
				c.Diags.Errorf(n.From, "offsetof requires a constant subscript")
				return c.badInit(pos, end)
			}
			off += i * c.Types.SizeOf(n.Type.Type)
			y = base
		default:
			if !x.Info().Type.IsInvalid() {
				c.Diags.Errorf(pos, "offsetof requires a member")
			}
			return c.badInit(pos, end)
		}
	}
}

// arrayStep takes a[i] apart.
func (c *Checker) arrayStep(n *tree.Unary) (int64, tree.Expr, bool) {
	add, ok := n.X.(*tree.Binary)
	if n.Op != tree.Deref || !ok || add.Op != tree.PtrAdd {
		return 0, nil, false
	}
	v, ok := c.FoldInt(add.R)
	if !ok {
		return 0, nil, false
	}
	x := add.L
	for {
		k, ok := x.(*tree.Convert)
		if !ok {
			return int64(v), x, true
		}
		x = k.X
	}
}

// Generic is a _Generic selection that is being read.
type Generic struct {
	pos     source.Pos
	of      types.Qual
	bad     bool
	chosen  tree.Expr
	def     tree.Expr
	defPos  source.Pos
	seen    []types.Qual
	seenPos []source.Pos
}

// StartGeneric begins _Generic(x, ...).
func (c *Checker) StartGeneric(pos source.Pos, x tree.Expr) *Generic {
	x = c.Value(x)
	return &Generic{pos: pos, of: x.Info().Type.Unqual(), bad: x.Info().Type.IsInvalid()}
}

// Association is type: x, or default: x when t has no type.
func (c *Checker) Association(g *Generic, pos source.Pos, t types.Qual, x tree.Expr) {
	if t.Type == nil {
		if g.def != nil {
			c.Diags.Errorf(pos, "duplicate default generic association").Note(g.defPos, "previous default generic "+
				"association is here")
			g.bad = true
		}
		g.def, g.defPos = x, pos
		return
	}
	for i, s := range g.seen {
		if c.Compatible(s, t) {
			c.Diags.Errorf(pos, "type '%s' in generic association compatible with previously specified type '%s'", t, s).
				Note(g.seenPos[i], "compatible type '%s' specified here", s)
			g.bad = true
			return
		}
	}
	g.seen, g.seenPos = append(g.seen, t), append(g.seenPos, pos)
	if !g.bad && c.Compatible(g.of, t) {
		g.chosen = x
	}
}

// FinishGeneric ends _Generic: its value is that of the association whose type fits.
func (c *Checker) FinishGeneric(g *Generic, end source.Pos) tree.Expr {
	switch {
	case g.bad:
		return c.badInit(g.pos, end)
	case g.chosen != nil:
		return g.chosen
	case g.def != nil:
		return g.def
	}
	c.Diags.Errorf(g.pos, "controlling expression type '%s' not compatible with any generic association type", g.of)
	return c.badInit(g.pos, end)
}

// typeNames are the built-in names that suggestType knows, beside what is declared.
var typeNames = []string{"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
	"half", "void", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "float2", "float3", "float4", "float8", "float16",
	"int2", "int3", "int4", "int8", "int16", "uint2", "uint3", "uint4", "uint8", "uint16", "char4", "uchar4", "short4",
	"ushort4", "long2", "ulong2", "double2", "double4", "half2", "half4", "image1d_t", "image2d_t", "image3d_t",
	"image2d_array_t", "image1d_array_t", "image1d_buffer_t", "sampler_t", "event_t", "atomic_int", "atomic_uint",
	"memory_order", "memory_scope"}

// suggestType returns the name of a type that is spelled almost as text is; empty if there is none.
func (c *Checker) suggestType(text string) string {
	s := newSuggestion(text)
	for _, n := range typeNames {
		s.try(n)
	}
	c.Names.Each(func(n *token.Name) {
		if _, ok := n.Decl.(*Typedef); ok {
			s.try(n.Text)
		}
	})
	return s.name
}
