package sema

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// DeclareFunc declares a function; defining says that its body follows. It returns nil when the name is something
// else, and for printf, which is declared already.
func (c *Checker) DeclareFunc(s *Spec, d *Declarator, t types.Qual, defining bool) *tree.Func {
	if t.Variadic {
		if defining {
			c.Diags.Errorf(d.Pos, "'printf' is a built-in function: a program can declare it and cannot define it")
		}
		return nil
	}
	f := &tree.Func{Name: d.Name.Text, Symbol: d.Name.Text, Type: t.Type, Pos: d.Pos, Kernel: s.Kernel != 0,
		Static: s.Storage == token.Static, Extern: s.Storage == token.Extern, Inline: s.Inline != 0}
	f.Attrs.NoReturn = s.NoReturn != 0
	if d.Label != "" {
		f.Symbol = d.Label
	}
	if ch := d.Function(); ch != nil {
		f.Params = ch.Params
	} else {
		f.Params = c.unnamedParams(t.Type)
	}
	f.Overloadable = hasAttr(s.Attrs, "overloadable") || hasAttr(d.Attrs, "overloadable")
	if f.Static && c.scopeDepth > 0 {
		c.Diags.Errorf(s.StoragePos, "function declared in block scope cannot have 'static' storage class")
		f.Static = false
	}
	if f.Kernel {
		c.checkKernel(f)
	}
	c.funcAttrs(f, s.Attrs)
	c.funcAttrs(f, d.Attrs)
	set, ok := c.functionsOf(d, f)
	if !ok {
		return nil
	}
	return c.merge(set, f, d, defining)
}

// unnamedParams makes parameters of a type that is written as a typedef.
func (c *Checker) unnamedParams(t *types.Type) []*tree.Var {
	list := make([]*tree.Var, len(t.Params))
	for i, p := range t.Params {
		list[i] = &tree.Var{Type: p, Storage: tree.ParamVar}
	}
	return list
}

// functionsOf returns the functions that a name has in the scope at hand, new ones if it has none. It reports a
// name that is something else.
func (c *Checker) functionsOf(d *Declarator, f *tree.Func) (*Functions, bool) {
	old := c.here(d.Name)
	if old == nil && c.scopeDepth > 0 {
		// Declared in a block, the function is that of program scope all the same.
		if set, ok := c.Lookup(d.Name).(*Functions); ok {
			old = set
		}
	}
	if old == nil {
		if set := c.blockFuncs[d.Name]; set != nil {
			old = set
		}
	}
	switch old := old.(type) {
	case nil:
		set := &Functions{Name: f.Name}
		c.Declare(d.Name, set)
		if c.scopeDepth > 0 {
			if c.blockFuncs == nil {
				c.blockFuncs = map[*token.Name]*Functions{}
			}
			c.blockFuncs[d.Name] = set
		}
		return set, true
	case *Functions:
		if c.here(d.Name) == nil {
			c.Declare(d.Name, old)
		}
		return old, true
	default:
		c.otherKind(d, old)
		return nil, false
	}
}

// merge adds a declaration to the functions of its name, or merges it with an earlier one.
func (c *Checker) merge(set *Functions, f *tree.Func, d *Declarator, defining bool) *tree.Func {
	var same, unmarked *tree.Func
	for _, g := range set.List {
		if sameSignature(g.Type, f.Type) {
			same = g
		}
		if !g.Overloadable {
			unmarked = g
		}
	}
	previous := func(g *tree.Func) string {
		if g.Defined() || g == c.fn {
			return "previous definition is here"
		}
		return "previous declaration is here"
	}
	switch {
	case same == nil && len(set.List) > 0 && !f.Overloadable && unmarked != nil:
		if slices.ContainsFunc(set.List, func(g *tree.Func) bool { return g.Overloadable }) {
			c.Diags.Errorf(f.Pos, "at most one overload for a given name may lack the 'overloadable' attribute").
				Note(unmarked.Pos, "previous unmarked overload of function is here")
		} else {
			c.Diags.Errorf(f.Pos, "conflicting types for '%s'", f.Name).Note(unmarked.Pos, "%s", previous(unmarked))
		}
		return c.add(nil, f)
	case same == nil:
		if f.Overloadable && d.Label == "" {
			f.Symbol = c.mangle(f.Name, f.Type)
		}
		return c.add(set, f)
	}
	if same.Overloadable != f.Overloadable {
		if same.Overloadable {
			c.Diags.Errorf(f.Pos, "redeclaration of '%s' must have the 'overloadable' attribute", f.Name).
				Note(same.Pos, "previous overload of function is here")
		} else {
			c.Diags.Errorf(f.Pos, "redeclaration of '%s' must not have the 'overloadable' attribute", f.Name).
				Note(same.Pos, "previous unmarked overload of function is here")
		}
	}
	if !same.Type.Elem.Same(f.Type.Elem) {
		if !same.Type.Elem.IsInvalid() && !f.Type.Elem.IsInvalid() {
			c.Diags.Errorf(f.Pos, "conflicting types for '%s'", f.Name).Note(same.Pos, "%s", previous(same))
		}
		return c.add(nil, f)
	}
	if f.Static && !same.Static {
		c.Diags.Errorf(f.Pos, "static declaration of '%s' follows non-static declaration", f.Name).
			Note(same.Pos, "previous declaration is here")
	}
	if defining && (same.Defined() || same == c.fn) {
		c.Diags.Errorf(f.Pos, "redefinition of '%s'", f.Name).Note(same.Pos, "previous definition is here")
		return c.add(nil, f)
	}
	c.mergeInto(same, f, defining)
	return same
}

// add gives the unit another function, and the set, if that is not nil.
func (c *Checker) add(set *Functions, f *tree.Func) *tree.Func {
	if set == nil {
		return f // wrong: it gets a body, but no call can name it
	}
	set.List = append(set.List, f)
	c.Unit.Funcs = append(c.Unit.Funcs, f)
	return f
}

// mergeInto adds what a later declaration says to a function.
func (c *Checker) mergeInto(g, f *tree.Func, defining bool) {
	if defining || !g.Defined() && g != c.fn {
		g.Params, g.Pos = f.Params, f.Pos
	}
	g.Kernel = g.Kernel || f.Kernel
	g.Inline = g.Inline || f.Inline
	g.Extern = g.Extern || f.Extern || !f.Inline && !f.Static
	a, b := &g.Attrs, &f.Attrs
	if b.ReqdSize[0] != 0 {
		a.ReqdSize = b.ReqdSize
	}
	if b.SizeHint[0] != 0 {
		a.SizeHint = b.SizeHint
	}
	if b.VecTypeHint.Type != nil {
		a.VecTypeHint = b.VecTypeHint
	}
	if b.SubGroupSize != 0 {
		a.SubGroupSize = b.SubGroupSize
	}
	a.AlwaysInline = a.AlwaysInline || b.AlwaysInline
	a.NoInline = a.NoInline || b.NoInline
	a.Pure = a.Pure || b.Pure
	a.ConstFn = a.ConstFn || b.ConstFn
	a.Convergent = a.Convergent || b.Convergent
	a.NoReturn = a.NoReturn || b.NoReturn
	a.Unused = a.Unused || b.Unused
	a.Deprecated = a.Deprecated || b.Deprecated
	a.MustUse = a.MustUse || b.MustUse
}

// sameSignature reports whether two functions have the same parameters.
func sameSignature(a, b *types.Type) bool {
	return a == b || slices.EqualFunc(a.Params, b.Params, func(x, y types.Qual) bool { return x.Same(y) })
}

// checkKernel checks what kernels are not allowed (OpenCL C 3.0, 6.11).
func (c *Checker) checkKernel(f *tree.Func) {
	if f.Static {
		c.Diags.Errorf(f.Pos, "kernel functions cannot be declared static")
		f.Static = false
	}
	if !f.Type.Elem.IsVoid() && !f.Type.Elem.IsInvalid() {
		c.Diags.Errorf(f.Pos, "kernel must have void return type")
	}
	for _, p := range f.Params {
		c.checkKernelParam(p)
	}
}

// paramClass says whether a type may be that of a kernel's parameter.
type paramClass uint8

const (
	paramOK paramClass = iota
	paramBad
	paramPointer // a pointer or an image: fine, but not in a structure
	paramSpace   // a pointer to a wrong address space
	paramDouble  // a pointer to a pointer
	paramStruct
)

func (c *Checker) classOf(t types.Qual, sizeDependent bool) paramClass {
	switch {
	case t.IsPointer():
		if s := t.Elem.Space(); s == types.Generic || s == types.Private {
			return paramSpace
		}
		if t.Elem.IsPointer() {
			if k := c.classOf(t.Elem, false); k == paramSpace || k == paramBad {
				return k
			}
			if c.Opts.Version > lang.CL12 {
				return paramOK
			}
			return paramDouble
		}
		return paramPointer
	case sizeDependent:
		return paramBad
	}
	switch t.Kind {
	case types.ImageKind:
		return paramPointer
	case types.BoolKind, types.EventKind, types.ReserveIDKind, types.QueueKind:
		return paramBad
	case types.HalfKind:
		if !c.ext.half {
			return paramBad
		}
	case types.ArrayKind:
		for t.IsArray() {
			t = t.Elem
		}
		return c.classOf(t, false)
	case types.StructKind:
		return paramStruct
	}
	return paramOK
}

// checkKernelParam checks a kernel's parameter (OpenCL C 3.0, 6.11, items a, k and p).
func (c *Checker) checkKernelParam(p *tree.Var) {
	switch c.classOf(p.Type, p.SizeDependent) {
	case paramDouble:
		c.Diags.Errorf(p.Pos, "kernel parameter cannot be declared as a pointer to a pointer")
	case paramSpace:
		c.Diags.Errorf(p.Pos, "pointer arguments to kernel functions must reside in '__global', '__constant' or "+
			"'__local' address space")
	case paramBad:
		c.Diags.Errorf(p.Pos, "%s cannot be used as the type of a kernel parameter", typeName(p))
	case paramStruct:
		var path []fieldStep
		if k := c.structClass(p.Type.Type, &path); k != paramOK {
			e := c.Diags.Errorf(p.Pos, "%s cannot be used as the type of a kernel parameter", typeName(p))
			if k == paramPointer && e != nil {
				word := "struct"
				if p.Type.Struct.Union {
					word = "union"
				}
				e.Message = word + " kernel parameters may not contain pointers"
			}
			for _, s := range path {
				e.Note(s.in.Struct.Pos, "within field of type '%s' declared here", s.in)
			}
			last := path[len(path)-1].field
			if k == paramPointer {
				e.Note(last.Pos, "field of illegal pointer type '%s' declared here", last.Type)
			} else {
				e.Note(last.Pos, "field of illegal type '%s' declared here", last.Type)
			}
		}
	}
}

// fieldStep is a step into a structure.
type fieldStep struct {
	in    *types.Type
	field *types.Field
}

// structClass looks for the first member that forbids a structure as a kernel's parameter: paramPointer or paramBad.
func (c *Checker) structClass(t *types.Type, path *[]fieldStep) paramClass {
	for i := range t.Struct.Fields {
		f := &t.Struct.Fields[i]
		*path = append(*path, fieldStep{t, f})
		switch k := c.classOf(f.Type, f.SizeDependent); k {
		case paramOK:
		case paramStruct:
			inner := f.Type.Type
			for inner.IsArray() {
				inner = inner.Elem.Type
			}
			if k := c.structClass(inner, path); k != paramOK {
				return k
			}
		case paramBad:
			return paramBad
		default:
			return paramPointer
		}
		*path = (*path)[:len(*path)-1]
	}
	return paramOK
}

// StartFunction begins the definition of a function: it opens the scope of the parameters, which is that of the
// body's outermost block. It returns nil when there is nothing to define.
func (c *Checker) StartFunction(s *Spec, d *Declarator) *tree.Func {
	c.WarnImplicitInt(s, d.Pos)
	if s.Storage == token.Typedef {
		c.Diags.Errorf(s.StoragePos, "function definition declared 'typedef'")
		s.Storage = token.EOF
	}
	t := c.TypeOf(s, d)
	var f *tree.Func
	if d.Function() == nil && !t.IsInvalid() {
		c.Diags.Errorf(d.Pos, "function definition declared without a list of parameters")
	}
	if t.IsFunction() {
		f = c.DeclareFunc(s, d, t, true)
	}
	if f == nil {
		// The type or the name is wrong; the body is looked at all the same.
		f = &tree.Func{Name: d.text(), Symbol: d.text(), Pos: d.Pos, Kernel: s.Kernel != 0,
			Type: c.Types.Function(types.Qual{Type: c.Types.Invalid}, nil, false, false)}
		if ch := d.Function(); ch != nil {
			f.Params = ch.Params
		}
	}
	if r := f.Type.Elem; !r.IsVoid() && !r.Complete() && !r.IsInvalid() {
		c.noteForward(c.Diags.Errorf(d.Pos, "incomplete result type '%s' in function definition", r), r.Type)
	}
	c.PushScope()
	c.fn = f
	c.Unit.Arena.Mark()
	c.builtinRefs.Mark()
	if ch := d.Function(); ch != nil {
		for _, x := range ch.Declared {
			if t, ok := x.decl.(*types.Type); ok && x.tag {
				c.declareTag(x.name, t)
			} else {
				c.Declare(x.name, x.decl)
			}
		}
	}
	for i, p := range f.Params {
		p.Func = f
		if !c.complete(p.Type, p.Pos) {
			c.spoil(p)
		}
		if p.Name == "" {
			if d.Function() != nil {
				c.Diags.Warnf("c2x-extensions", p.Pos,
					"omitting the parameter name in a function definition is a C2x extension")
			}
			continue
		}
		n := c.Names.Lookup(p.Name)
		if n.Decl == nil || n.DeclDepth != c.scopeDepth || i == 0 {
			c.Declare(n, p)
			c.locals = append(c.locals, p)
		}
	}
	if f.Static && f.Name != "" {
		c.statics = append(c.statics, f)
	}
	c.startBody()
	return f
}

// FinishFunction ends the definition of a function. The body is packed: its tree is not valid any more, unless there
// are errors.
func (c *Checker) FinishFunction(f *tree.Func, body *tree.Block) {
	f.Body = body
	f.End = body.End
	c.finishBody(f)
	c.PopScope()
	c.fn = nil
	c.folded, c.switchTypes = nil, nil // they name parts of the tree
	if c.Diags.Errors() == 0 {
		c.Unit.Pack(f)
		c.Unit.Arena.Reset()
		c.builtinRefs.Reset()
	}
}

// recursion reports functions that call themselves, directly or through others (OpenCL C 3.0, 6.11, item i). It
// goes depth first without recursing itself, since chains of calls may be long.
func (c *Checker) recursion() {
	const (
		open   = 1
		closed = 2
	)
	type frame struct {
		f    *tree.Func
		next int
	}
	state := make(map[*tree.Func]uint8, len(c.Unit.Funcs))
	var stack []frame
	for _, root := range c.Unit.Funcs {
		if state[root] != 0 || len(root.Calls) == 0 {
			continue
		}
		stack = append(stack[:0], frame{f: root})
		state[root] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(top.f.Calls) {
				state[top.f] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			call := top.f.Calls[top.next]
			top.next++
			switch state[call.Func] {
			case 0:
				state[call.Func] = open
				stack = append(stack, frame{f: call.Func})
			case open:
				first := len(stack) - 1
				for stack[first].f != call.Func {
					first--
				}
				e := c.Diags.Errorf(call.Func.Pos, "recursion is not allowed: function '%s' calls itself",
					call.Func.Name)
				for _, s := range stack[first:] {
					to := s.f.Calls[s.next-1]
					e.Note(to.Pos, "'%s' calls '%s' here", s.f.Name, to.Func.Name)
				}
			}
		}
	}
}

// Finish ends the translation unit, and checks what only its end shows.
func (c *Checker) Finish() *tree.Unit {
	for _, v := range c.globals {
		c.finishGlobal(v)
	}
	for _, v := range c.unused {
		if !v.Used && !v.MaybeUnused && !v.Type.IsInvalid() {
			c.Diags.Warnf("unused-variable", v.Pos, "unused variable '%s'", v.Name)
		}
	}
	for _, f := range c.Unit.Funcs {
		if f.Static && !f.Defined() && f.Used {
			c.Diags.Warnf("undefined-internal", f.Pos, "function '%s' has internal linkage but is not defined", f.Name)
		}
	}
	for _, f := range c.statics {
		if !f.Used && !f.Inline && !f.Attrs.Unused {
			c.Diags.Warnf("unused-function", f.Pos, "unused function '%s'", f.Name)
		}
	}
	c.recursion()
	c.Unit.Arena.Mark()
	return c.Unit
}

// finishGlobal completes a tentative definition.
func (c *Checker) finishGlobal(v *tree.Var) {
	if v.Storage != tree.StaticVar || v.Init != nil || v.Type.IsInvalid() {
		return
	}
	switch {
	case v.Type.IsArray() && v.Type.Len < 0:
		c.Diags.Warnf("", v.Pos, "tentative array definition assumed to have one element")
		v.Type.Type = c.Types.Array(v.Type.Elem, 1)
	case !v.Type.Complete():
		e := c.Diags.Errorf(v.Pos, "tentative definition has type '%s' that is never completed", v.Type)
		c.noteForward(e, v.Type.Type)
	}
}

// typeName returns a parameter's type as messages write it.
func typeName(p *tree.Var) string {
	if p.SizeDependent && p.TypeName != "" && p.TypeName != p.Type.String() {
		return "'" + p.TypeName + "' (aka '" + p.Type.String() + "')"
	}
	return "'" + p.Type.String() + "'"
}
