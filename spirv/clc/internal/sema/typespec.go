package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Spec is the specifiers of a declaration: what stands before the declarators. The parser gives it one specifier
// after the other; FinishSpec makes a type of them.
type Spec struct {
	Pos, End source.Pos

	Storage    token.Kind // Typedef, Extern, Static, Auto, Register; EOF for none
	StoragePos source.Pos
	Inline     source.Pos // where it stands; 0 for not at all
	Kernel     source.Pos
	NoReturn   source.Pos
	Quals      types.Quals // const, volatile, restrict, address space
	QualsPos   source.Pos
	Access     token.Kind // ReadOnly, WriteOnly, ReadWrite; EOF for none
	AccessPos  source.Pos
	Pipe       source.Pos
	Attrs      []Attr

	// Type is the type, after FinishSpec.
	Type types.Qual
	// Typedef is the name by which the type is written, nil for others.
	Typedef *Typedef
	// Tag says that the type is written as struct, union or enum, and Defines that its members are.
	Tag, Defines bool
	// Implicit says that no type was written.
	Implicit bool

	base     token.Kind // the keyword of a scalar type; EOF for none
	sign     token.Kind // Signed or Unsigned; EOF
	shorts   int        // 1 for short, -1 for long, -2 for long long
	complex  bool
	imagePos source.Pos
	bad      bool
}

// HasType reports whether a type has been written, so that an identifier cannot be another.
func (s *Spec) HasType() bool {
	return s.Type.Type != nil || s.base != 0 || s.sign != 0 || s.shorts != 0 || s.complex || s.bad
}

// Empty reports whether nothing at all has been written.
func (s *Spec) Empty() bool { return s.Pos == 0 }

// AddStorage adds typedef, extern, static, auto or register.
func (c *Checker) AddStorage(s *Spec, t *token.Token) {
	switch {
	case t.Kind == token.Auto || t.Kind == token.Register:
		c.Diags.Errorf(t.Pos, "OpenCL C version %s does not support the '%s' storage class specifier",
			c.versionName(), t.Name.Text)
		return
	case (t.Kind == token.Extern || t.Kind == token.Static) && c.Opts.Version < lang.CL12 && !c.ext.storage:
		c.Diags.Errorf(t.Pos, "OpenCL C version %s does not support the '%s' storage class specifier",
			c.versionName(), t.Name.Text)
		return
	case s.Storage == t.Kind:
		c.Diags.Warnf("duplicate-decl-specifier", t.Pos, "duplicate '%s' declaration specifier", t.Name.Text)
	case s.Storage != token.EOF:
		c.Diags.Errorf(t.Pos, "cannot combine with previous '%s' declaration specifier", storageName(s.Storage))
	}
	s.Storage, s.StoragePos = t.Kind, t.Pos
}

func storageName(k token.Kind) string {
	switch k {
	case token.Typedef:
		return "typedef"
	case token.Extern:
		return "extern"
	case token.Static:
		return "static"
	}
	return "auto"
}

func (c *Checker) versionName() string {
	v := int(c.Opts.Version)
	return string([]byte{byte('0' + v/100), '.', byte('0' + v/10%10)})
}

// SpaceOf returns the address space of a keyword.
func SpaceOf(k token.Kind) types.Space {
	switch k {
	case token.Global:
		return types.Global
	case token.Local:
		return types.Local
	case token.Constant:
		return types.Constant
	case token.Generic:
		return types.Generic
	}
	return types.Private
}

// AddQual adds a qualifier to a set: const, volatile, restrict, or an address space.
func (c *Checker) AddQual(q types.Quals, t *token.Token) types.Quals {
	switch t.Kind {
	case token.Const:
		return c.addWord(q, types.Const, t)
	case token.Volatile:
		return c.addWord(q, types.Volatile, t)
	case token.Restrict:
		return c.addWord(q, types.Restrict, t)
	case token.Atomic:
		return q | types.Atomic
	}
	space := SpaceOf(t.Kind)
	if space == types.Generic && !c.Opts.HasGeneric() {
		c.Diags.Errorf(t.Pos, "OpenCL C version %s does not support the 'generic' type qualifier", c.versionName())
		return q
	}
	return c.addSpace(q, space, t.Pos)
}

func (c *Checker) addWord(q, w types.Quals, t *token.Token) types.Quals {
	if q&w != 0 {
		c.Diags.Warnf("duplicate-decl-specifier", t.Pos, "duplicate '%s' declaration specifier", t.Name.Text)
	}
	return q | w
}

func (c *Checker) addSpace(q types.Quals, space types.Space, pos source.Pos) types.Quals {
	if q&types.Explicit != 0 {
		if q.Space() != space {
			c.Diags.Errorf(pos, "multiple address spaces specified for type")
			return q
		}
		c.Diags.Warnf("duplicate-decl-specifier", pos, "multiple identical address spaces specified for type")
	}
	return q.In(space) | types.Explicit
}

// AddAccess adds read_only, write_only or read_write.
func (c *Checker) AddAccess(s *Spec, t *token.Token) {
	if s.Access != token.EOF {
		if s.Access == t.Kind {
			c.Diags.Warnf("duplicate-decl-specifier", t.Pos, "duplicate '%s' declaration specifier", t.Name.Text)
		} else {
			c.Diags.Errorf(t.Pos, "multiple access qualifiers").
				Note(s.AccessPos, "previously declared '%s' here", accessName(s.Access))
		}
		return
	}
	s.Access, s.AccessPos = t.Kind, t.Pos
}

func accessName(k token.Kind) string { return accessOf(k).String() }

func accessOf(k token.Kind) types.Access {
	switch k {
	case token.WriteOnly:
		return types.WriteOnly
	case token.ReadWrite:
		return types.ReadWrite
	}
	return types.ReadOnly
}

// AddKeyword adds a keyword that says which type it is.
func (c *Checker) AddKeyword(s *Spec, t *token.Token) {
	if s.Type.Type != nil && !s.bad {
		c.combine(s, t)
		return
	}
	ok := true
	switch t.Kind {
	case token.Signed, token.Unsigned:
		switch {
		case s.sign == t.Kind:
			c.Diags.Warnf("duplicate-decl-specifier", t.Pos, "duplicate '%s' declaration specifier", t.Name.Text)
		case s.sign != token.EOF:
			ok = false
		}
		s.sign = t.Kind
	case token.Short:
		if s.shorts == 1 {
			c.Diags.Warnf("duplicate-decl-specifier", t.Pos, "duplicate 'short' declaration specifier")
		}
		ok = s.shorts >= 0
		s.shorts = 1
	case token.Long:
		ok = s.shorts == 0 || s.shorts == -1
		if ok {
			s.shorts--
		}
	case token.Complex, token.Imaginary:
		c.Diags.Errorf(t.Pos, "'%s' is not supported in OpenCL C", t.Name.Text)
		s.complex, s.bad = true, true
	default:
		ok = s.base == token.EOF
		if ok {
			s.base = t.Kind
		}
	}
	if !ok {
		c.combine(s, t)
	}
}

// combine says that a specifier does not go with the ones before it.
func (c *Checker) combine(s *Spec, t *token.Token) {
	if s.bad {
		return
	}
	prev := "type-name"
	switch {
	case s.Type.Type != nil && !s.Tag:
	case s.Type.Type != nil:
		prev = "struct"
		if s.Type.Kind == types.EnumKind {
			prev = "enum"
		} else if s.Type.Kind == types.StructKind && s.Type.Struct.Union {
			prev = "union"
		}
	case s.base != token.EOF:
		prev = keywordName(s.base)
	case s.shorts == 1:
		prev = "short"
	case s.shorts == -1:
		prev = "long"
	case s.shorts == -2:
		prev = "long long"
	case s.sign == token.Signed:
		prev = "signed"
	case s.sign == token.Unsigned:
		prev = "unsigned"
	}
	c.Diags.Errorf(t.Pos, "cannot combine with previous '%s' declaration specifier", prev)
}

func keywordName(k token.Kind) string {
	switch k {
	case token.Void:
		return "void"
	case token.Bool:
		return "bool"
	case token.CharKw:
		return "char"
	case token.IntKw:
		return "int"
	case token.Half:
		return "half"
	case token.FloatKw:
		return "float"
	case token.Double:
		return "double"
	}
	return "type-name"
}

// AddTypedef adds the name of a type. The caller has asked IsType.
func (c *Checker) AddTypedef(s *Spec, t *token.Token) {
	d := c.typedef(t.Name)
	if s.HasType() {
		c.combine(s, t)
		return
	}
	s.Type, s.Typedef, s.imagePos = d.Type, d, t.Pos
}

// AddTag adds a structure, union or enumeration; the type that of a typeof.
func (c *Checker) AddTag(s *Spec, t *token.Token, x types.Qual, defines bool) {
	if s.HasType() {
		c.combine(s, t)
		return
	}
	s.Type, s.Tag, s.Defines = x, t.Kind != token.Typeof, defines
}

// AddUnknown notes that an identifier stands where a type is needed; the error is reported.
func (c *Checker) AddUnknown(s *Spec, t *token.Token) {
	d := c.Diags.Errorf(t.Pos, "unknown type name '%s'", t.Name.Text).Range(t.Pos, t.End())
	if n := c.suggestType(t.Name.Text); n != "" && d != nil {
		d.Message += "; did you mean '" + n + "'?"
		d.Suggest(n)
	}
	s.Type, s.bad = types.Qual{Type: c.Types.Invalid}, true
}

// FinishSpec makes Type of what was written.
func (c *Checker) FinishSpec(s *Spec) {
	if s.Type.Type == nil {
		s.Type = types.Qual{Type: c.scalar(s)}
		if s.Type.Type == c.Types.Double && !c.Opts.Has("cl_khr_fp64") {
			c.Diags.Errorf(s.Pos, "the type 'double' needs cl_khr_fp64, which the device does not have")
		}
	}
	if s.Pipe != 0 {
		c.pipe(s)
	}
	c.access(s)
	if s.Quals == 0 {
		return
	}
	q := s.Type.Q | s.Quals.CVR()
	if s.Quals&types.Restrict != 0 && !s.Type.IsPointer() && !s.Type.IsInvalid() {
		c.Diags.Errorf(s.QualsPos, "restrict requires a pointer or reference ('%s' is invalid)", s.Type)
		q &^= types.Restrict
	}
	if s.Quals&types.Explicit != 0 {
		if s.Type.Q&types.Explicit != 0 && s.Type.Space() != s.Quals.Space() {
			c.Diags.Errorf(s.QualsPos, "multiple address spaces specified for type")
		} else {
			q = q.In(s.Quals.Space()) | types.Explicit
		}
	}
	s.Type.Q = q
}

// scalar returns the type that keywords say.
func (c *Checker) scalar(s *Spec) *types.Type {
	t := c.Types
	if s.bad {
		return t.Invalid
	}
	fail := func(what string) *types.Type {
		c.Diags.Errorf(s.Pos, "'%s' cannot be signed, unsigned, short or long", what)
		s.bad = true
		return t.Invalid
	}
	unsigned := s.sign == token.Unsigned
	pick := func(a, b *types.Type) *types.Type {
		if unsigned {
			return b
		}
		return a
	}
	switch s.base {
	case token.EOF, token.IntKw:
		switch s.shorts {
		case 1:
			return pick(t.Short, t.UShort)
		case -1, -2:
			return pick(t.Long, t.ULong)
		}
		if s.base == token.EOF && s.sign == token.EOF {
			return c.implicitInt(s)
		}
		return pick(t.Int, t.UInt)
	case token.CharKw:
		if s.shorts != 0 {
			return fail("char")
		}
		return pick(t.Char, t.UChar)
	}
	if s.base == token.Double && s.shorts == -1 && s.sign == token.EOF {
		return t.Double // as in clang for SPIR
	}
	if s.sign != token.EOF || s.shorts != 0 {
		return fail(keywordName(s.base))
	}
	switch s.base {
	case token.Void:
		return t.Void
	case token.Bool:
		return t.Bool
	case token.Half:
		return t.Half
	case token.FloatKw:
		return t.Float
	case token.Double:
		return t.Double
	}
	return t.Invalid
}

// implicitInt is the type of a declaration without one.
func (c *Checker) implicitInt(s *Spec) *types.Type {
	s.Implicit = true
	return c.Types.Int
}

// WarnImplicitInt says that a declaration has no type. The parser calls it where a declarator follows.
func (c *Checker) WarnImplicitInt(s *Spec, pos source.Pos) {
	if s.Implicit && s.Pipe == 0 {
		if s.Pos != 0 {
			pos = s.Pos
		}
		c.Diags.Warnf("implicit-int", pos,
			"type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int")
		s.Implicit = false
	}
}

// pipe turns the type, which is a packet's, into that of a pipe.
func (c *Checker) pipe(s *Spec) {
	if s.Type.IsInvalid() {
		return
	}
	if s.Type.IsPointer() || s.Type.IsOpaque() {
		c.Diags.Errorf(s.Pipe, "pipes packet types cannot be of reference type")
		s.Type = types.Qual{Type: c.Types.Invalid}
		s.bad = true
		return
	}
	a := types.ReadOnly
	switch s.Access {
	case token.WriteOnly:
		a = types.WriteOnly
	case token.ReadWrite:
		c.Diags.Errorf(s.AccessPos, "access qualifier 'read_write' can not be used for 'read_only pipe %s'",
			s.Type.Unqual())
	}
	s.Type = types.Qual{Type: c.Types.Pipe(s.Type.Unqual(), a)}
	s.Access = token.EOF
}

// access gives an image the access that is written.
func (c *Checker) access(s *Spec) {
	if s.Access == token.EOF || s.Type.IsInvalid() {
		return
	}
	if s.Type.Kind == types.PipeKind {
		if accessOf(s.Access) != s.Type.Access {
			c.Diags.Errorf(s.AccessPos, "multiple access qualifiers")
		}
		return
	}
	if s.Type.Kind != types.ImageKind {
		c.Diags.Errorf(s.AccessPos, "access qualifier can only be used for pipe and image type")
		return
	}
	if s.Typedef != nil && s.Typedef.Pos != 0 {
		// A typedef of an image has the access that it was written with, read_only by default.
		if accessOf(s.Access) != s.Type.Image.Access {
			c.Diags.Errorf(s.AccessPos, "multiple access qualifiers").
				Note(s.Typedef.Pos, "previously declared '%s' here", s.Type.Image.Access)
		} else {
			c.Diags.Warnf("duplicate-decl-specifier", s.AccessPos, "duplicate '%s' declaration specifier",
				s.Type.Image.Access).Note(s.Typedef.Pos, "previously declared '%s' here", s.Type.Image.Access)
		}
		return
	}
	i := *s.Type.Image
	i.Access = accessOf(s.Access)
	x := c.Types.ImageType(i)
	if i.Access == types.ReadWrite && c.Opts.Version < lang.CL20 {
		c.Diags.Errorf(s.AccessPos, "access qualifier 'read_write' can not be used for '%s' prior to OpenCL C "+
			"version 2.0 or in version 3.0 and without __opencl_c_read_write_images feature", x)
	}
	s.Type.Type = x
}
