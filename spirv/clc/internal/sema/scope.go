package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Names are found without a table of scopes: a Name has its innermost declaration, and each scope remembers what its
// declarations have hidden, so that leaving the scope brings that back.

// builtinDepth is the depth of names that the language declares: outside of program scope.
const builtinDepth = -1

// hidden is what a declaration has hidden.
type hidden struct {
	name  *token.Name
	decl  any
	depth int32
	tag   bool
}

// scope is a scope that is open.
type scope struct {
	hidden int // len(Checker.hidden) at its beginning
	locals int // len(Checker.locals) at its beginning
	proto  bool
	errors int // before it
}

// declState is what declarations need to remember.
type declState struct {
	scopes     []scope
	hidden     []hidden
	locals     []*tree.Var // variables and parameters of the open scopes, for warnings
	scopeDepth int32       // of the innermost scope; 0 is program scope

	statics    []*tree.Func // static functions, for -Wunused-function
	redeclared source.Pos   // where a variable has last been declared anew
	globals    []*tree.Var  // program-scope variables, for the checks at the end
	unused     []*tree.Var  // static program-scope variables that are defined

	memoryOrder, memoryScope *types.Type
	vars                     []tree.Var // a slab: variables that are not used yet
	externs                  map[*token.Name]*tree.Var
	blockFuncs               map[*token.Name]*Functions
	open                     map[*types.Struct]bool // structures whose members are being read
	openMembers              map[memberKey]source.Pos
}

// PushScope opens a scope.
func (c *Checker) PushScope() {
	c.scopes = append(c.scopes, scope{hidden: len(c.hidden), locals: len(c.locals), errors: c.Diags.Errors()})
	c.scopeDepth++
}

// PushPrototype opens the scope of a function's parameters.
func (c *Checker) PushPrototype() {
	c.PushScope()
	c.scopes[len(c.scopes)-1].proto = true
}

// Declared is a declaration that outlives the scope of a prototype.
type Declared struct {
	name *token.Name
	decl any
	tag  bool
}

// PopPrototype closes the scope of a function's parameters. It returns what they have declared beside themselves:
// tags and enumerators, which the body of the function sees too.
func (c *Checker) PopPrototype() []Declared {
	var list []Declared
	for _, h := range c.hidden[c.scopes[len(c.scopes)-1].hidden:] {
		if h.tag {
			list = append(list, Declared{h.name, h.name.Tag, true})
		} else if e, ok := h.name.Decl.(*Enumerator); ok {
			list = append(list, Declared{h.name, e, false})
		}
	}
	c.PopScope()
	return list
}

// PopScope closes the innermost scope: its declarations are gone, and those which it hid are back.
func (c *Checker) PopScope() {
	s := c.scopes[len(c.scopes)-1]
	c.scopes = c.scopes[:len(c.scopes)-1]
	if !s.proto && (c.Diags.Errors() == s.errors) {
		for _, v := range c.locals[s.locals:] {
			c.warnUnused(v)
		}
	}
	c.locals = c.locals[:s.locals]
	for i := len(c.hidden) - 1; i >= s.hidden; i-- {
		h := &c.hidden[i]
		if h.tag {
			h.name.Tag, h.name.TagDepth = h.decl, h.depth
		} else {
			h.name.Decl, h.name.DeclDepth = h.decl, h.depth
		}
		*h = hidden{}
	}
	c.hidden = c.hidden[:s.hidden]
	c.scopeDepth--
}

// Lookup returns the innermost declaration of a name, nil if there is none. Built-in types and the enumerators of
// built-in enumerations are declarations; built-in functions are none.
func (c *Checker) Lookup(n *token.Name) any {
	if n.Decl == nil && !n.Looked {
		c.lookBuiltin(n)
	}
	return n.Decl
}

// Declare makes d the declaration of a name in the scope at hand.
func (c *Checker) Declare(n *token.Name, d any) {
	if c.scopeDepth > 0 && (n.DeclDepth != c.scopeDepth || n.Decl == nil) {
		c.hidden = append(c.hidden, hidden{n, n.Decl, n.DeclDepth, false})
	}
	n.Decl, n.DeclDepth = d, c.scopeDepth
}

// declareTag makes t the structure, union or enumeration of a name in the scope at hand.
func (c *Checker) declareTag(n *token.Name, t *types.Type) {
	if c.scopeDepth > 0 && (n.TagDepth != c.scopeDepth || n.Tag == nil) {
		c.hidden = append(c.hidden, hidden{n, n.Tag, n.TagDepth, true})
	}
	n.Tag, n.TagDepth = t, c.scopeDepth
}

// here returns the declaration of a name in the scope at hand, nil if there is none. Program scope has the names of
// built-in types too.
func (c *Checker) here(n *token.Name) any {
	d := n.Decl
	if d == nil && c.scopeDepth == 0 {
		d = c.Lookup(n)
	}
	if d == nil || n.DeclDepth != c.scopeDepth && (c.scopeDepth != 0 || n.DeclDepth != builtinDepth) {
		return nil
	}
	return d
}

// declPos returns where something is declared; 0 if the language declares it.
func declPos(d any) source.Pos {
	switch d := d.(type) {
	case *tree.Var:
		return d.Pos
	case *Typedef:
		return d.Pos
	case *Enumerator:
		return d.Pos
	case *Functions:
		return d.List[len(d.List)-1].Pos
	}
	return 0
}

// TypeName returns the type that a name stands for, if it stands for one.
func (c *Checker) TypeName(n *token.Name) (types.Qual, bool) {
	if t := c.typedef(n); t != nil {
		return t.Type, true
	}
	return types.Qual{}, false
}

// IsType reports whether a name is that of a type.
func (c *Checker) IsType(n *token.Name) bool { return c.typedef(n) != nil }

func (c *Checker) typedef(n *token.Name) *Typedef {
	if n.Decl == nil && !n.Looked {
		c.lookBuiltin(n)
	}
	t, _ := n.Decl.(*Typedef)
	return t
}

// localVar returns a new variable, which ends with the function at hand if there is one.
func (c *Checker) localVar() *tree.Var {
	if c.fn != nil {
		return c.Unit.Arena.Vars.Next()
	}
	return c.newVar()
}

// newVar returns a new variable.
func (c *Checker) newVar() *tree.Var {
	if len(c.vars) == 0 {
		c.vars = make([]tree.Var, 64)
	}
	v := &c.vars[0]
	c.vars = c.vars[1:]
	return v
}

// warnUnused says that a variable of a function is not used, when its scope ends.
func (c *Checker) warnUnused(v *tree.Var) {
	if v.Used || v.MaybeUnused || v.Name == "" || v.Type.IsInvalid() {
		return
	}
	switch {
	case v.Storage == tree.ParamVar && v.Assigned:
		c.Diags.Warnf("unused-but-set-parameter", v.Pos, "parameter '%s' set but not used", v.Name)
	case v.Storage == tree.ParamVar:
		c.Diags.Warnf("unused-parameter", v.Pos, "unused parameter '%s'", v.Name)
	case v.Storage == tree.ExternVar:
	case v.Assigned:
		c.Diags.Warnf("unused-but-set-variable", v.Pos, "variable '%s' set but not used", v.Name)
	default:
		c.Diags.Warnf("unused-variable", v.Pos, "unused variable '%s'", v.Name)
	}
}
