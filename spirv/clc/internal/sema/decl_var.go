package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// DeclareName declares the name of one declarator. It returns a *tree.Var, a *tree.Func (declared, not defined), a
// *Typedef, or nil when nothing sensible is declared. Behind a variable the parser calls InitVar or NoInit.
func (c *Checker) DeclareName(s *Spec, d *Declarator) any {
	c.WarnImplicitInt(s, d.Pos)
	if d.Name == nil {
		return nil
	}
	if s.Storage == token.Typedef {
		return c.declareTypedef(s, d)
	}
	t := c.TypeOf(s, d)
	if t.IsFunction() {
		if f := c.DeclareFunc(s, d, t, false); f != nil {
			return f
		}
		return nil
	}
	return c.declareVar(s, d, t)
}

func (c *Checker) declareTypedef(s *Spec, d *Declarator) any {
	t := c.TypeOf(s, d)
	if s.Inline != 0 {
		c.Diags.Errorf(s.Inline, "'inline' can only appear on functions")
	}
	if s.Kernel != 0 {
		c.Diags.Errorf(s.Kernel, "'kernel' attribute only applies to functions")
	}
	td := &Typedef{Name: d.Name.Text, Type: t, Pos: d.Pos}
	td.written = &types.Typedef{Name: td.Name, Type: t, Pos: d.Pos, Of: s.Typedef.debugName()}
	if d.onlyArrays() && s.Typedef != nil {
		td.SizeDependent = s.Typedef.SizeDependent
		td.Align = s.Typedef.Align
	}
	for _, list := range [2][]Attr{s.Attrs, d.Attrs} {
		for i := range list {
			switch a := &list[i]; a.Name {
			case "aligned":
				if n := c.alignment(a); n != 0 {
					td.Align = n
				}
			case "ext_vector_type", "vector_size":
			default:
				c.ignored(a)
			}
		}
	}
	if len(d.Chunks) == 0 && s.Tag && s.Defines {
		switch {
		case t.IsStruct() && t.Struct.Tag == "" && t.Struct.Alias == "":
			t.Struct.Alias = td.Name
		case t.Kind == types.EnumKind && t.Enum.Tag == "" && t.Enum.Alias == "":
			t.Enum.Alias = td.Name
		}
	}
	switch old := c.here(d.Name).(type) {
	case nil:
	case *Typedef:
		switch {
		case old.Type.IsInvalid() || t.IsInvalid():
		case !old.Type.Same(t):
			c.Diags.Errorf(d.Pos, "typedef redefinition with different types ('%s' vs '%s')", t, old.Type).
				Note(old.Pos, "previous definition is here")
			return old
		case old.Pos != 0:
			c.Diags.Warnf("typedef-redefinition", d.Pos, "redefinition of typedef '%s' is a C11 feature", td.Name).
				Note(old.Pos, "previous definition is here")
		}
	default:
		c.otherKind(d, old)
		return nil
	}
	c.Declare(d.Name, td)
	return td
}

// otherKind reports that a name is declared as something else already.
func (c *Checker) otherKind(d *Declarator, old any) {
	c.Diags.Errorf(d.Pos, "redefinition of '%s' as different kind of symbol", d.Name.Text).
		Note(declPos(old), "previous definition is here")
}

// declareVar declares a variable. It always returns one, so that what follows makes sense.
func (c *Checker) declareVar(s *Spec, d *Declarator, t types.Qual) *tree.Var {
	v := c.localVar()
	*v = tree.Var{Name: d.Name.Text, Pos: d.Pos, Type: t, Func: c.fn, Written: s.Typedef.debugName()}
	if s.Typedef != nil {
		v.SizeDependent = s.Typedef.SizeDependent && len(d.Chunks) == 0
		v.Align = s.Typedef.Align
	}
	switch {
	case s.Inline != 0:
		c.Diags.Errorf(s.Inline, "'inline' can only appear on functions")
	case s.Kernel != 0:
		c.Diags.Errorf(s.Kernel, "'kernel' attribute only applies to functions")
	case s.NoReturn != 0:
		c.Diags.Errorf(s.NoReturn, "'_Noreturn' can only appear on functions")
	}
	if s.Attrs != nil {
		c.varAttrs(v, s.Attrs)
	}
	if d.Attrs != nil {
		c.varAttrs(v, d.Attrs)
	}
	v.Static = s.Storage == token.Static
	if t.IsInvalid() {
		v.Used = true // nothing more is said about it
	} else {
		c.deduceSpace(v, s)
		c.storage(v, s)
		if !c.checkVar(v, s) {
			v.Type, v.Used = types.Qual{Type: c.Types.Invalid}, true
		}
	}
	if c.fn != nil && v.Storage != tree.AutoVar { // it stays when the function ends
		kept := c.newVar()
		*kept, v = *v, kept
	}
	return c.enterVar(v, s, d)
}

// enterVar makes a variable known, or merges it with an earlier declaration.
func (c *Checker) enterVar(v *tree.Var, s *Spec, d *Declarator) *tree.Var {
	old := c.here(d.Name)
	if old == nil && s.Storage == token.Extern {
		if o, ok := c.externs[d.Name]; ok {
			old = o
		}
	}
	switch old := old.(type) {
	case nil:
	case *tree.Var:
		if m := c.redeclareVar(old, v, s); m != nil {
			c.Declare(d.Name, m)
			return m
		}
		c.Declare(d.Name, v)
		return v
	default:
		c.otherKind(d, old)
		return v
	}
	if c.body.shadow && c.scopeDepth > 0 {
		c.shadows(d)
	}
	c.Declare(d.Name, v)
	switch {
	case c.scopeDepth == 0 || v.Storage == tree.ExternVar:
		if c.externs == nil {
			c.externs = map[*token.Name]*tree.Var{}
		}
		c.externs[d.Name] = v
		c.globals = append(c.globals, v)
		if v.Static && c.scopeDepth == 0 {
			c.unused = append(c.unused, v)
		}
	default:
		c.locals = append(c.locals, v)
	}
	if v.Storage != tree.AutoVar && !v.Type.IsInvalid() {
		c.Unit.Vars = append(c.Unit.Vars, v)
	}
	return v
}

// shadows warns about a variable of a function that hides another one.
func (c *Checker) shadows(d *Declarator) {
	old, ok := d.Name.Decl.(*tree.Var)
	if !ok || old.Pos == 0 {
		return
	}
	what := "a local variable"
	if old.Func == nil && old.Storage != tree.ParamVar {
		what = "a variable in the global scope"
	}
	c.Diags.Warnf("shadow", d.Pos, "declaration shadows %s", what).Note(old.Pos, "previous declaration is here")
}

// redeclareVar merges a second declaration of a variable into the first. It returns nil if they do not go together.
func (c *Checker) redeclareVar(old, v *tree.Var, s *Spec) *tree.Var {
	linked := c.scopeDepth == 0 || old.Storage == tree.ExternVar && s.Storage == token.Extern || old.Func == nil
	switch {
	case old.Type.IsInvalid() || v.Type.IsInvalid():
		v.Used = true
		return nil
	case old.Storage == tree.ParamVar || !linked:
		e := c.Diags.Errorf(v.Pos, "redefinition of '%s'", v.Name)
		if !old.Type.Same(v.Type) {
			if e != nil {
				e.Message = "redefinition of '" + v.Name + "' with a different type: '" + v.Type.String() + "' vs '" +
					old.Type.String() + "'"
			}
		}
		e.Note(old.Pos, "previous definition is here")
		v.Used = true
		return nil
	}
	t, ok := compositeArray(c.Types, old.Type, v.Type)
	if !ok {
		c.Diags.Errorf(v.Pos, "redefinition of '%s' with a different type: '%s' vs '%s'", v.Name, v.Type, old.Type).
			Note(old.Pos, "previous definition is here")
		return nil
	}
	switch {
	case s.Storage == token.Static && !old.Static:
		c.Diags.Errorf(v.Pos, "static declaration of '%s' follows non-static declaration", v.Name).
			Note(old.Pos, "previous declaration is here")
		return nil
	case s.Storage == token.EOF && old.Static:
		c.Diags.Errorf(v.Pos, "non-static declaration of '%s' follows static declaration", v.Name).
			Note(old.Pos, "previous definition is here")
		return nil
	}
	old.Type = t
	old.Align = max(old.Align, v.Align)
	old.MaybeUnused = old.MaybeUnused || v.MaybeUnused
	if v.Storage == tree.StaticVar && c.scopeDepth == 0 {
		old.Storage = tree.StaticVar
		if old.Init == nil {
			old.Pos = v.Pos
		}
	}
	c.redeclared = v.Pos
	return old
}

// compositeArray returns the type that two declarations of one object give it: an array without a size takes the
// other's.
func compositeArray(tab *types.Table, a, b types.Qual) (types.Qual, bool) {
	if a.Same(b) {
		return a, true
	}
	if !a.IsArray() || !b.IsArray() || (a.Q^b.Q)&^types.Explicit != 0 || a.Elem.Type != b.Elem.Type {
		return a, false
	}
	if a.Len < 0 {
		return b, true
	}
	return a, b.Len < 0
}

// deduceSpace gives a variable the address space that its declaration implies (OpenCL C 3.0, 6.7).
func (c *Checker) deduceSpace(v *tree.Var, s *Spec) {
	if v.Type.Q&types.Explicit != 0 {
		return
	}
	space := types.Private
	if (c.scopeDepth == 0 || s.Storage == token.Static || s.Storage == token.Extern) && c.Opts.Version >= lang.CL20 {
		space = types.Global
	}
	if v.Type.Kind == types.SamplerKind {
		space = types.Private
	}
	v.Type = v.Type.In(space)
}

// storage says where a variable lives.
func (c *Checker) storage(v *tree.Var, s *Spec) {
	switch {
	case s.Storage == token.Extern:
		v.Storage = tree.ExternVar
	case c.scopeDepth == 0 || s.Storage == token.Static:
		v.Storage = tree.StaticVar
	case v.Type.Space() == types.Local:
		v.Storage = tree.LocalVar
	case v.Type.Space() == types.Constant:
		v.Storage = tree.StaticVar
	default:
		v.Storage = tree.AutoVar
	}
	if c.scopeDepth > 0 && v.Storage == tree.StaticVar {
		v.Static = true
	}
}

// checkVar checks the type of a variable and where it stands. It returns false when the variable is useless.
func (c *Checker) checkVar(v *tree.Var, s *Spec) bool {
	t, pos := v.Type, v.Pos
	if t.Kind >= types.HalfKind && !c.checkVarType(v, t, pos) {
		return false
	}
	if v.Storage == tree.StaticVar || v.Storage == tree.ExternVar || v.Storage == tree.LocalVar &&
		s.Storage != token.EOF {
		if (c.scopeDepth == 0 || s.Storage != token.EOF) && !c.checkStatic(v, s) {
			return false
		}
	}
	if c.scopeDepth > 0 && s.Storage == token.EOF && t.Space() != types.Private && !c.checkLocal(t, pos) {
		return false
	}
	if t.IsVoid() {
		c.Diags.Errorf(pos, "variable has incomplete type '%s'", t)
		return false
	}
	return true
}

// checkVarType refuses the types that no variable has.
func (c *Checker) checkVarType(v *tree.Var, t types.Qual, pos source.Pos) bool {
	elem := t.Type
	for elem.IsArray() {
		elem = elem.Elem.Type
	}
	switch elem.Kind {
	case types.HalfKind:
		if !c.ext.half {
			c.Diags.Errorf(pos, "declaring variable of type '%s' is not allowed", t)
			return false
		}
	case types.ImageKind, types.PipeKind:
		c.Diags.Errorf(pos, "type '%s' can only be used as a function parameter in OpenCL", t)
		return false
	case types.QueueKind:
		c.noEnqueue(elem, pos)
		return false
	case types.EventKind, types.ReserveIDKind:
		if c.scopeDepth == 0 {
			c.Diags.Errorf(pos, "the '%s' type cannot be used to declare a program scope variable", t)
			return false
		}
		if elem.Kind == types.EventKind && t.Space() != types.Private {
			c.Diags.Errorf(pos, "the event_t type can only be used with __private address space qualifier")
			return false
		}
	case types.SamplerKind:
		if sp := t.Space(); sp == types.Local || sp == types.Global {
			c.Diags.Errorf(pos, "sampler type cannot be used with the __local and __global address space qualifiers")
			return false
		}
		if c.scopeDepth == 0 && t.Space() != types.Constant && t.Q&types.Const == 0 {
			c.Diags.Errorf(pos, "global sampler requires a const or constant address space qualifier")
			return false
		}
	}
	return true
}

// noEnqueue refuses a type of device-side enqueue.
func (c *Checker) noEnqueue(t *types.Type, pos source.Pos) {
	c.Diags.Errorf(pos, "type '%s' is not supported: there is no device-side enqueue", t)
}

// checkStatic checks the address space of a variable that lives as long as the program.
func (c *Checker) checkStatic(v *tree.Var, s *Spec) bool {
	if c.scopeDepth > 0 && s.Storage == token.Static && c.Opts.Version < lang.CL20 && !c.ext.storage {
		c.Diags.Errorf(v.Pos, "variables in function scope cannot be declared static")
		return false
	}
	space := v.Type.Space()
	if v.Type.Kind == types.SamplerKind || space == types.Constant ||
		space == types.Global && c.Opts.Version >= lang.CL20 {
		return true
	}
	what := "program scope"
	switch {
	case s.Storage == token.Extern:
		what = "extern"
	case s.Storage == token.Static && c.scopeDepth > 0:
		what = "static local"
	}
	spaces := "constant"
	if c.Opts.Version >= lang.CL20 {
		spaces = "global or constant"
	}
	c.Diags.Errorf(v.Pos, "%s variable must reside in %s address space", what, spaces)
	return false
}

// checkLocal checks a variable of a function that is not private (OpenCL C 3.0, 6.7.2 and 6.7.3).
func (c *Checker) checkLocal(t types.Qual, pos source.Pos) bool {
	switch t.Space() {
	case types.Global:
		c.Diags.Errorf(pos, "function scope variable cannot be declared in global address space")
		return false
	case types.Generic:
		c.Diags.Errorf(pos, "automatic variable qualified with an invalid address space")
		return false
	}
	name := "local"
	if t.Space() == types.Constant {
		name = "constant"
	}
	switch {
	case !c.fn.Kernel:
		c.Diags.Errorf(pos, "non-kernel function variable cannot be declared in %s address space", name)
		return false
	case c.scopeDepth != 1:
		c.Diags.Errorf(pos, "variables in the %s address space can only be declared in the outermost scope of a "+
			"kernel function", name)
		return false
	}
	return true
}

// InitVar gives a variable its initializer. It is called before the name is looked up anew, but after the name has
// been declared: int x = x refers to itself.
func (c *Checker) InitVar(v *tree.Var, in *Init) {
	if v.Type.IsInvalid() {
		return
	}
	switch {
	case v.Storage == tree.LocalVar:
		c.Diags.Errorf(v.Pos, "'__local' variable cannot have an initializer")
		return
	case v.Storage == tree.ExternVar && v.Func != nil:
		c.Diags.Errorf(v.Pos, "declaration of block scope identifier with linkage cannot have an initializer")
		return
	case v.Storage == tree.ExternVar:
		if v.Init == nil {
			c.Diags.Warnf("extern-initializer", v.Pos, "'extern' variable has an initializer")
		}
		v.Storage = tree.StaticVar
	}
	if v.Init != nil {
		c.Diags.Errorf(c.redeclared, "redefinition of '%s'", v.Name).Note(v.Pos, "previous definition is here")
		return
	}
	if !v.Type.IsArray() && !c.complete(v.Type, v.Pos) {
		c.spoil(v)
		return
	}
	x, t := c.Initialize(v.Type, in, v.Storage == tree.StaticVar)
	v.Type = t
	v.Init = x
}

// spoil makes a variable one about which nothing more is said.
func (c *Checker) spoil(v *tree.Var) {
	v.Type, v.Used = types.Qual{Type: c.Types.Invalid}, true
}

// complete reports a variable of an incomplete type.
func (c *Checker) complete(t types.Qual, pos source.Pos) bool {
	if t.Complete() || t.IsInvalid() {
		return true
	}
	c.noteForward(c.Diags.Errorf(pos, "variable has incomplete type '%s'", t.Unqual()), t.Type)
	return false
}

// NoInit ends the declaration of a variable without an initializer.
func (c *Checker) NoInit(v *tree.Var) {
	if v.Type.IsInvalid() || v.Storage == tree.ExternVar || v.Init != nil {
		return
	}
	switch {
	case v.Type.Space() == types.Constant:
		c.Diags.Errorf(v.Pos, "variable in constant address space must be initialized")
		c.spoil(v)
	case v.Func == nil: // tentative; Finish looks at the type
	case v.Type.IsArray() && v.Type.Len < 0:
		c.Diags.Errorf(v.Pos, "definition of variable with array type needs an explicit size or an initializer")
		c.spoil(v)
	case !c.complete(v.Type, v.Pos):
		c.spoil(v)
	}
}

// Param declares a parameter in the scope of a prototype.
func (c *Checker) Param(s *Spec, d *Declarator) *tree.Var {
	c.WarnImplicitInt(s, d.Pos)
	if s.Storage != token.EOF {
		c.Diags.Errorf(s.StoragePos, "invalid storage class specifier in function declarator")
	}
	if s.Inline != 0 {
		c.Diags.Errorf(s.Inline, "'inline' can only appear on functions")
	}
	t := c.adjust(c.TypeOf(s, d), d)
	v := c.newVar()
	*v = tree.Var{Name: d.text(), Pos: d.Pos, Type: t, Storage: tree.ParamVar, Written: s.Typedef.debugName()}
	if d.Name == nil && s.Pos != 0 && v.Pos == 0 {
		v.Pos = s.Pos
	}
	c.varAttrs(v, s.Attrs)
	c.varAttrs(v, d.Attrs)
	if s.Typedef != nil && len(d.Chunks) == 0 {
		v.SizeDependent = s.Typedef.SizeDependent
	}
	if s.Typedef != nil && s.Typedef.SizeDependent {
		v.TypeName = c.spelling(s, d)
	}
	v.WasArray = len(d.Chunks) > 0 && d.Chunks[0].Kind == ArrayChunk
	switch {
	case t.IsInvalid():
	case t.Kind == types.HalfKind && !c.ext.half:
		c.Diags.Errorf(v.Pos, "declaring function parameter of type '%s' is not allowed; did you forget * ?", t)
		v.Type = types.Qual{Type: c.Types.Invalid}
	case t.Kind == types.QueueKind:
		c.noEnqueue(t.Type, v.Pos)
		v.Type = types.Qual{Type: c.Types.Invalid}
	case t.Space() != types.Private:
		c.Diags.Errorf(v.Pos, "parameter may not be qualified with an address space")
		v.Type = t.In(types.Private)
	}
	if d.Name != nil {
		if old, ok := c.here(d.Name).(*tree.Var); ok && d.Name.DeclDepth == c.scopeDepth {
			c.Diags.Errorf(d.Pos, "redefinition of parameter '%s'", d.Name.Text).
				Note(old.Pos, "previous declaration is here")
		}
		c.Declare(d.Name, v)
	}
	return v
}

// spelling returns how a parameter's type is written.
func (c *Checker) spelling(s *Spec, d *Declarator) string {
	name := ""
	switch {
	case s.Type.Type == nil || s.Type.IsInvalid():
		return ""
	case s.Typedef != nil:
		name = s.Typedef.Name
	case s.Type.Kind == types.PipeKind:
		name = s.Type.Elem.String()
	default:
		name = s.Type.Type.String()
	}
	for i := range d.Chunks {
		if d.Chunks[i].Kind == PointerChunk || i == 0 && d.Chunks[i].Kind == ArrayChunk {
			name += "*"
		}
	}
	return name
}
