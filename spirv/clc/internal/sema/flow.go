package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// flow checks what depends on the paths through a function: whether its end is reached, code that is never executed,
// labels that are fallen into, variables that are read before they have a value.
func (c *Checker) flow(f *tree.Func) {
	result := f.Type.Elem
	needEnd := !result.IsVoid() && !result.IsInvalid() && c.body.returnType || f.Attrs.NoReturn && c.body.invalidNoReturn
	if needEnd || c.body.unreachable || c.body.fallthru {
		w := flowWalker{c: c}
		if w.stmt(f.Body, true) && !w.gaveUp {
			switch {
			case f.Attrs.NoReturn:
				c.Diags.Warnf("invalid-noreturn", f.Body.End, "function declared 'noreturn' should not return")
			case result.IsVoid() || result.IsInvalid():
			case c.returns:
				c.Diags.Warnf("return-type", f.Body.End, "non-void function does not return a value in all control paths")
			default:
				c.Diags.Warnf("return-type", f.Body.End, "non-void function does not return a value")
			}
		}
	}
	if (c.body.uninit || c.body.sometimes) && c.Diags.Errors() == 0 {
		c.uninitialized(f)
	}
}

// flowWalker finds out which statements are reached. A label is taken to be reached if there is a goto to it.
type flowWalker struct {
	c      *Checker
	breaks []bool // for each open loop and switch, whether a break leaves it
	gaveUp bool
	depth  int
}

// stmt returns whether the place behind a statement is reached if the statement is.
func (w *flowWalker) stmt(s tree.Stmt, live bool) bool {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > maxFlowDepth {
		w.gaveUp = true
		return live
	}
	switch s := s.(type) {
	case nil:
		return live
	case *tree.Block:
		return w.list(s.List, live)
	case *tree.If:
		return w.ifs(s, live)
	case *tree.Loop:
		return w.loop(s, live)
	case *tree.Switch:
		return w.switches(s, live)
	case *tree.Case:
		return w.stmt(s.Stmt, live)
	case *tree.Label:
		return w.stmt(s.Stmt, true)
	case *tree.ExprStmt:
		return live && !w.neverReturns(s.X)
	case *tree.Break:
		if live && len(w.breaks) > 0 {
			w.breaks[len(w.breaks)-1] = true
		}
		return false
	case *tree.Continue, *tree.Goto, *tree.Return:
		return false
	}
	return live
}

// maxFlowDepth is how deep statements may be in each other for the analysis.
const maxFlowDepth = 1 << 14

// neverReturns reports whether an expression is a call that does not come back.
func (w *flowWalker) neverReturns(x tree.Expr) bool {
	for {
		switch n := x.(type) {
		case *tree.Call:
			return n.Func.Attrs.NoReturn
		case *tree.Convert:
			x = n.X
		default:
			return false
		}
	}
}

func (w *flowWalker) list(list []tree.Stmt, live bool) bool {
	said := !live // what stands around has been reported
	for i, s := range list {
		switch s.(type) {
		case *tree.Case, *tree.Label:
			if c, ok := s.(*tree.Case); ok {
				if live && i > 0 && w.c.body.fallthru && !isFallthrough(list[i-1]) && !isLabel(list[i-1]) {
					w.c.Diags.Warnf("implicit-fallthrough", c.Pos, "unannotated fall-through between switch labels")
				}
				live = true
			}
		case *tree.Null, *tree.DeclStmt:
		default:
			if !live && !said && w.c.body.unreachable && !hasLabel(s) {
				w.c.Diags.Warnf("unreachable-code", s.Place(), "code will never be executed")
				said = true
			}
		}
		if hasLabel(s) {
			live = true
		}
		live = w.stmt(s, live)
	}
	return live
}

// isLabel reports whether nothing but labels stands in a statement: nothing falls out of it.
func isLabel(s tree.Stmt) bool {
	c, ok := s.(*tree.Case)
	return ok && c.Stmt == nil
}

func isFallthrough(s tree.Stmt) bool {
	for {
		switch n := s.(type) {
		case *tree.Null:
			return n.Fallthrough
		case *tree.Case:
			s = n.Stmt
		case *tree.Label:
			s = n.Stmt
		default:
			return false
		}
	}
}

// hasLabel reports whether a block begins with a label, so that it may be reached from elsewhere.
func hasLabel(s tree.Stmt) bool {
	for range 64 {
		switch n := s.(type) {
		case *tree.Label, *tree.Case:
			return true
		case *tree.Block:
			if len(n.List) == 0 {
				return false
			}
			s = n.List[0]
		default:
			return false
		}
	}
	return true
}

// constantCondition returns the value of a condition that is a constant.
func (c *Checker) constantCondition(x tree.Expr) (value, ok bool) {
	for {
		switch n := x.(type) {
		case nil:
			return true, true
		case *tree.IntLit:
			return n.Value != 0, true
		case *tree.FloatLit:
			return n.Value != 0, true
		case *tree.Convert:
			if n.Kind == tree.Load {
				return false, false
			}
			x = n.X
		default:
			return false, false
		}
	}
}

func (w *flowWalker) ifs(s *tree.If, live bool) bool {
	out := false
	for {
		value, known := w.c.constantCondition(s.Cond)
		if w.stmt(s.Then, live && (!known || value)) {
			out = true
		}
		live = live && (!known || !value)
		next, ok := s.Else.(*tree.If)
		if !ok {
			return w.stmt(s.Else, live) || out
		}
		s = next
	}
}

func (w *flowWalker) loop(s *tree.Loop, live bool) bool {
	value, known := w.c.constantCondition(s.Cond)
	w.breaks = append(w.breaks, false)
	in := live && (s.After || !known || value)
	w.stmt(s.Body, in)
	left := w.breaks[len(w.breaks)-1]
	w.breaks = w.breaks[:len(w.breaks)-1]
	forever := known && value
	switch {
	case left:
		return true
	case forever:
		return false
	case s.After:
		// The condition is reached unless the body never gets to its end; a continue may lead there too.
		return live
	}
	return live
}

func (w *flowWalker) switches(s *tree.Switch, live bool) bool {
	w.breaks = append(w.breaks, false)
	out := w.stmt(s.Body, false)
	left := w.breaks[len(w.breaks)-1]
	w.breaks = w.breaks[:len(w.breaks)-1]
	whole := false
	for _, c := range s.Cases {
		whole = whole || c.Default
	}
	return live && (out || left || !whole && !w.coversEnum(s))
}

// coversEnum reports whether a switch has a label for each enumerator of its operand's type.
func (w *flowWalker) coversEnum(s *tree.Switch) bool {
	t := w.c.switchTypes[s]
	if t == nil || t.Kind != types.EnumKind {
		return false
	}
	signed := s.X.Info().Type.IsSigned()
	for _, e := range w.c.enums[t.Enum] {
		v, found := truncate(e.Value, s.X.Info().Type.Base()), false
		for _, k := range s.Cases {
			found = found || !k.Default && !less(v, k.Low, signed) && !less(k.High, v, signed)
		}
		if !found {
			return false
		}
	}
	return true
}
