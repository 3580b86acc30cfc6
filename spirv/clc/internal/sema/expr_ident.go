package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// halfAllowed reports whether halves can be computed with.
func (c *Checker) halfAllowed() bool { return c.ext.half }

// doubleAllowed reports whether there are doubles.
func (c *Checker) doubleAllowed() bool {
	return (c.Opts.Version >= lang.CL12 || c.ext.double) && c.Opts.Has("cl_khr_fp64")
}

// Ident is a name in an expression. call says that "(" follows.
func (c *Checker) Ident(t token.Token, call bool) tree.Expr {
	end := c.Files.End(t.Pos, int(t.Len))
	switch d := c.Lookup(t.Name).(type) {
	case *tree.Var:
		n := c.Unit.Arena.VarRefs.Next()
		*n = tree.VarRef{Base: tree.Base{Type: d.Type, Pos: t.Pos, From: t.Pos, To: end, LValue: true}, Var: d}
		if d.Type.Kind == types.Invalid {
			return c.bad(t.Pos, t.Pos, end)
		}
		return n
	case *Enumerator:
		n := c.Unit.Arena.Ints.Next()
		*n = tree.IntLit{Base: tree.Base{Type: d.Type, Pos: t.Pos, From: t.Pos, To: end, Folded: tree.Computed},
			Value: d.Value}
		return n
	case *Functions:
		return c.functionName(t, d, end)
	case *Typedef:
		c.Diags.Errorf(t.Pos, "'%s' is the name of a type; an expression is needed here", t.Name.Text).Range(t.Pos,
			end)
		return c.bad(t.Pos, t.Pos, end)
	}
	if text := t.Name.Text; text == "true" || text == "false" {
		n := c.Unit.Arena.Ints.Next()
		*n = tree.IntLit{Base: tree.Base{Type: qual(c.Types.Bool), Pos: t.Pos, From: t.Pos, To: end}}
		if text == "true" {
			n.Value = 1
		}
		return n
	}
	if c.builtins().Has(t.Name.Text) {
		n := c.builtinRefs.Next()
		*n = builtinRef{Base: tree.Base{Type: qual(c.Types.Builtin), Pos: t.Pos, From: t.Pos, To: end, LValue: true},
			name: t.Name.Text}
		if n.name == "__builtin_printf" {
			n.name = "printf" // the same function
		}
		return n
	}
	if t.Name.Text == "__func__" && c.fn != nil {
		return c.text(append([]byte(c.fn.Name), 0), t.Pos, end)
	}
	c.undeclared(t, end, call)
	return c.bad(t.Pos, t.Pos, end)
}

// functionName is the name of functions of the program. Overloadable ones stand beside built-in ones of their
// name.
func (c *Checker) functionName(t token.Token, d *Functions, end source.Pos) tree.Expr {
	base := tree.Base{Pos: t.Pos, From: t.Pos, To: end, LValue: true}
	f := d.List[0]
	switch {
	case !f.Overloadable && len(d.List) == 1:
		n := c.Unit.Arena.FuncRefs.Next()
		base.Type = qual(f.Type)
		*n = tree.FuncRef{Base: base, Func: f}
		return n
	case c.builtins().Has(d.Name):
		base.Type = qual(c.Types.Builtin)
		return &builtinRef{Base: base, name: d.Name, fns: d}
	}
	base.Type = qual(c.Types.Builtin)
	return &overloads{Base: base, fns: d}
}

// undeclared says that a name means nothing, and what may be meant.
func (c *Checker) undeclared(t token.Token, end source.Pos, call bool) {
	name := t.Name.Text
	what := "the name"
	if call {
		what = "the function"
	}
	if why := c.notThisTime(name); why != "" {
		c.Diags.Errorf(t.Pos, "'%s' cannot be used: %s", name, why).Range(t.Pos, end)
		return
	}
	d := c.Diags.Errorf(t.Pos, "%s '%s' is not declared", what, name).Range(t.Pos, end)
	if d == nil || c.suggestions >= maxSuggestions {
		return
	}
	c.suggestions++
	s := newSuggestion(name)
	var decl any
	c.Names.Each(func(n *token.Name) {
		switch x := n.Decl.(type) {
		case *tree.Var, *Enumerator:
			if s.try(n.Text) {
				decl = x
			}
		case *Functions:
			if s.try(n.Text) {
				decl = x
			}
		}
	})
	if b := c.builtins().Suggest(name); b != "" && s.try(b) {
		decl = nil
	}
	if s.name == "" {
		return
	}
	d.Suggest(s.name)
	if p := declPos(decl); p != 0 {
		d.Note(p, "'%s' is declared here", s.name)
	} else {
		d.Note(t.Pos, "perhaps the built-in function '%s' is meant", s.name)
	}
}

// notThisTime says why a name that OpenCL C knows cannot be used.
func (c *Checker) notThisTime(name string) string {
	if builtin.Known(name) {
		return c.builtins().Lacks(name)
	}
	return ""
}

// maxSuggestions is the number of names for which similar ones are looked for: each search goes through all
// names.
const maxSuggestions = 50

// suggestion is the most similar of several names.
type suggestion struct {
	want, name string
	distance   int // of name, or what is accepted
}

func newSuggestion(want string) *suggestion {
	return &suggestion{want: want, distance: diag.Limit(want)}
}

// try looks at a name, and reports whether it is the best so far. Of equal ones, the first in the alphabet
// is.
func (s *suggestion) try(name string) bool {
	if name == s.want || len(s.want) < 2 {
		return false
	}
	d := diag.Distance(s.want, name, s.distance)
	if d > s.distance || d == s.distance && (s.name == "" || name >= s.name) {
		return false
	}
	s.name, s.distance = name, d
	return true
}
