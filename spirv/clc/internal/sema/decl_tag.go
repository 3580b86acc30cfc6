package sema

import (
	"math"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// TagUse says how a tag is written.
type TagUse uint8

// The uses.
const (
	TagReference  TagUse = iota // struct S x;
	TagForward                  // struct S;
	TagDefinition               // struct S { ... }
)

// Tag returns the structure, union or enumeration of a tag, which may be nil for a definition without one. For
// definitions the parser calls Field or Enumerator next, and then FinishStruct or FinishEnum.
func (c *Checker) Tag(kind token.Kind, name *token.Name, pos source.Pos, use TagUse) *types.Type {
	if name == nil {
		return c.newTag(kind, "", pos)
	}
	old, _ := name.Tag.(*types.Type)
	here := old != nil && name.TagDepth == c.scopeDepth
	if old == nil || !here && use != TagReference {
		t := c.newTag(kind, name.Text, pos)
		c.declareTag(name, t)
		return t
	}
	oldPos := tagPos(old)
	if tagKind(old) != kind {
		c.Diags.Errorf(pos, "use of '%s' with tag type that does not match previous declaration", name.Text).
			Note(oldPos, "previous use is here")
		return c.newTag(kind, name.Text, pos)
	}
	if use == TagDefinition {
		switch {
		case old.Complete() || old.IsStruct() && c.open[old.Struct]:
			c.Diags.Errorf(pos, "redefinition of '%s'", name.Text).Note(oldPos, "previous definition is here")
			return c.newTag(kind, name.Text, pos)
		case old.IsStruct():
			old.Struct.Pos = pos
		default:
			old.Enum.Pos = pos
		}
	}
	return old
}

func (c *Checker) newTag(kind token.Kind, tag string, pos source.Pos) *types.Type {
	if kind == token.Enum {
		return c.Types.NewEnum(&types.Enum{Tag: tag, Pos: pos, Base: c.Types.UInt})
	}
	return c.Types.NewStruct(&types.Struct{Tag: tag, Pos: pos, Union: kind == token.Union})
}

func tagPos(t *types.Type) source.Pos {
	if t.IsStruct() {
		return t.Struct.Pos
	}
	return t.Enum.Pos
}

func tagKind(t *types.Type) token.Kind {
	switch {
	case t.Kind == types.EnumKind:
		return token.Enum
	case t.Struct.Union:
		return token.Union
	}
	return token.Struct
}

// StartStruct begins the list of members.
func (c *Checker) StartStruct(t *types.Type) {
	if c.open == nil {
		c.open = map[*types.Struct]bool{}
	}
	c.open[t.Struct] = true
}

// Field adds a member. bits is the width of a bit-field, nil for others; d has no name for bit-fields without one.
func (c *Checker) Field(t *types.Type, s *Spec, d *Declarator, colon source.Pos, bits tree.Expr) {
	c.WarnImplicitInt(s, d.Pos)
	f := types.Field{Name: d.text(), Pos: d.Pos, Bits: -1, Written: s.Typedef.debugName()}
	if d.Name == nil && colon != 0 {
		f.Pos = colon
	}
	if s.Storage != token.EOF {
		c.Diags.Errorf(s.StoragePos, "type name does not allow storage class to be specified")
		s.Storage = token.EOF
	}
	f.Type = c.TypeOf(s, d)
	if s.Typedef != nil && d.onlyArrays() {
		f.SizeDependent = s.Typedef.SizeDependent
		if s.Typedef.Align != 0 {
			f.Align, f.Packed = s.Typedef.Align, true
		}
	}
	c.fieldAttrs(&f, s.Attrs)
	c.fieldAttrs(&f, d.Attrs)
	if !c.checkField(t, &f, d) {
		f.Type = types.Qual{Type: c.Types.Invalid}
	}
	if colon != 0 {
		c.bitWidth(&f, bits, colon)
	}
	c.addField(t, f)
}

// checkField checks the type of a member.
func (c *Checker) checkField(t *types.Type, f *types.Field, d *Declarator) bool {
	x := f.Type
	elem := x.Type
	for elem.IsArray() {
		elem = elem.Elem.Type
	}
	switch {
	case x.IsInvalid():
		return false
	case x.IsFunction():
		c.Diags.Errorf(d.Pos, "field '%s' declared as a function", f.Name)
		return false
	case x.Q&types.Explicit != 0:
		c.Diags.Errorf(d.Pos, "field may not be qualified with an address space")
		f.Type = x.In(types.Private)
	case elem.Kind == types.QueueKind:
		c.noEnqueue(elem, d.Pos)
		return false
	case elem.IsOpaque():
		c.Diags.Errorf(d.Pos, "the '%s' type cannot be used to declare a structure or union field", x)
		return false
	case elem.Kind == types.HalfKind && !c.ext.half:
		// clang takes halves in structures; they are storage.
	case x.IsArray() && x.Len < 0: // flexible: FinishStruct looks whether it is the last
	case !x.Complete():
		e := c.Diags.Errorf(d.Pos, "field has incomplete type '%s'", x)
		if elem == t {
			e.Note(t.Struct.Pos, "definition of '%s' is not complete until the closing '}'", x.Type)
		} else {
			c.noteForward(e, x.Type)
		}
		return false
	}
	return true
}

// bitWidth checks the width of a bit-field.
func (c *Checker) bitWidth(f *types.Field, bits tree.Expr, colon source.Pos) {
	pos := f.Pos
	f.Bits = 1
	bad := types.Qual{Type: c.Types.Invalid}
	if !c.ext.bitFields {
		c.Diags.Errorf(pos, "bit-fields are not supported in OpenCL")
		f.Bits, f.Type = -1, bad
		return
	}
	name := "anonymous bit-field"
	if f.Name != "" {
		name = "bit-field '" + f.Name + "'"
	}
	switch {
	case f.Type.IsInvalid() || bits == nil || bits.Info().Type.IsInvalid():
		f.Bits, f.Type = -1, bad
		return
	case !f.Type.IsInteger():
		c.Diags.Errorf(pos, "%s has non-integral type '%s'", name, f.Type)
		f.Bits, f.Type = -1, bad
		return
	}
	i := bits.Info()
	v, ok := uint64(0), false
	if i.Type.IsInteger() {
		v, ok = c.FoldInt(bits)
	}
	width := f.Type.Bits()
	if f.Type.Kind == types.BoolKind {
		width = 1
	}
	switch {
	case !ok:
		c.Diags.Errorf(i.From, "expression is not an integer constant expression").Range(i.From, i.To)
	case i.Type.IsSigned() && int64(v) < 0:
		c.Diags.Errorf(pos, "%s has negative width (%d)", name, int64(v))
	case v == 0 && f.Name != "":
		c.Diags.Errorf(pos, "named bit-field '%s' has zero width", f.Name)
	case v > uint64(width):
		c.Diags.Errorf(pos, "width of %s (%d bits) exceeds the width of its type (%d bit%s)", name, v, width,
			map[bool]string{true: "", false: "s"}[width == 1])
	default:
		f.Bits = int(v)
	}
	if f.Name == "" && f.Bits != 0 {
		f.Bits = max(f.Bits, 1)
	}
}

// addField adds a member whose type has been checked, unless its name is taken.
func (c *Checker) addField(t *types.Type, f types.Field) {
	s := t.Struct
	if f.Name != "" {
		if n := c.Names.Lookup(f.Name); n != nil {
			if old, ok := c.memberPos(s, n); ok {
				c.Diags.Errorf(f.Pos, "duplicate member '%s'", f.Name).Note(old, "previous declaration is here")
				return
			}
			c.noteMember(s, n, f.Pos)
		}
	}
	s.Fields = append(s.Fields, f)
}

// memberKey is a member's name in a structure that is being read.
type memberKey struct {
	in   *types.Struct
	name *token.Name
}

// memberPos returns where a structure's member is declared. Large structures are asked often, so that there is a table
// of the members of those that are open.
func (c *Checker) memberPos(s *types.Struct, n *token.Name) (source.Pos, bool) {
	if len(s.Fields) < 8 {
		for i := range s.Fields {
			if s.Fields[i].Name == n.Text {
				return s.Fields[i].Pos, true
			}
		}
		if c.openMembers == nil {
			return 0, false
		}
	}
	p, ok := c.openMembers[memberKey{s, n}]
	return p, ok
}

func (c *Checker) noteMember(s *types.Struct, n *token.Name, pos source.Pos) {
	if len(s.Fields) < 7 && pos != 0 && !c.anonymous(s) {
		return // found by looking at all
	}
	if c.openMembers == nil {
		c.openMembers = map[memberKey]source.Pos{}
	}
	if len(s.Fields) == 7 {
		for i := range s.Fields {
			if f := &s.Fields[i]; f.Name != "" {
				c.openMembers[memberKey{s, c.Names.Lookup(f.Name)}] = f.Pos
			}
		}
	}
	c.openMembers[memberKey{s, n}] = pos
}

func (c *Checker) anonymous(s *types.Struct) bool {
	for i := range s.Fields {
		if s.Fields[i].Name == "" && s.Fields[i].Type.IsStruct() {
			return true
		}
	}
	return false
}

// AnonymousField adds a structure or union without a name, whose members are those of the outer one.
func (c *Checker) AnonymousField(t *types.Type, s *Spec) {
	x := s.Type
	if x.Struct.Tag != "" {
		c.Diags.Warnf("missing-declarations", s.Pos, "declaration does not declare anything")
		return
	}
	c.claim(t.Struct, x.Struct)
	f := types.Field{Type: x, Pos: s.Pos, Bits: -1}
	c.fieldAttrs(&f, s.Attrs)
	t.Struct.Fields = append(t.Struct.Fields, f)
}

// claim makes the members of an anonymous structure members of another one.
func (c *Checker) claim(outer, inner *types.Struct) {
	for i := range inner.Fields {
		f := &inner.Fields[i]
		switch {
		case f.Name != "":
			n := c.Names.Lookup(f.Name)
			if old, ok := c.memberPos(outer, n); ok {
				c.Diags.Errorf(f.Pos, "member of anonymous struct redeclares '%s'", f.Name).
					Note(old, "previous declaration is here")
				continue
			}
			if c.openMembers == nil {
				c.openMembers = map[memberKey]source.Pos{}
			}
			c.openMembers[memberKey{outer, n}] = f.Pos
		case f.Type.IsStruct():
			c.claim(outer, f.Type.Struct)
		}
	}
}

// FinishStruct ends a structure or union: attrs are those written before and behind it.
func (c *Checker) FinishStruct(t *types.Type, attrs []Attr) {
	s := t.Struct
	delete(c.open, s)
	if len(c.open) == 0 {
		c.openMembers = nil
	}
	c.tagAttrs(s, attrs)
	s.MaxAlign = c.pack
	fields := s.Fields[:0]
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Type.IsArray() && f.Type.Len < 0 {
			switch {
			case i+1 < len(s.Fields) && !s.Union:
				c.Diags.Errorf(f.Pos, "flexible array member '%s' with type '%s' is not at the end of struct", f.Name,
					f.Type).Note(s.Fields[i+1].Pos, "next field declaration is here")
				f.Type.Type = c.Types.Invalid
			case s.Union:
				c.Diags.Errorf(f.Pos, "flexible array member '%s' in a union is not allowed", f.Name)
				f.Type.Type = c.Types.Invalid
			case len(fields) == 0:
				c.Diags.Errorf(f.Pos, "flexible array member '%s' not allowed in otherwise empty struct", f.Name)
				f.Type.Type = c.Types.Invalid
			}
		}
		if f.Type.IsStruct() && f.Type.Struct.Flexible {
			s.Flexible = true
		}
		s.Depth = max(s.Depth, typeDepthIn(f.Type.Type))
		fields = append(fields, *f)
	}
	s.Fields = fields
	s.Depth++
	if s.Depth > maxTypeDepth {
		c.Diags.Errorf(s.Pos, "'%s' is nested more than %d levels deep", t, maxTypeDepth)
		s.Fields = nil
	}
	s.Complete = true
	c.Types.Layout(s)
	if s.Size > types.MaxSize {
		c.Diags.Errorf(s.Pos, "'%s' is too large", t)
		s.Fields, s.Size, s.Align = nil, 0, 1
	}
}

// typeDepthIn returns how deep the structures in a type are, arrays counted too; pointers hide them.
func typeDepthIn(t *types.Type) int {
	n := 0
	for t.IsArray() {
		t = t.Elem.Type
		n++
	}
	if t.IsStruct() {
		n += t.Struct.Depth
	}
	return n
}

// enumState is an enumeration that is being read.
type enumState struct {
	next     uint64
	signed   bool // type of next
	overflow bool
	list     []*Enumerator
	negative bool
	largest  uint64
	least    int64
}

// EnumBuilder collects the enumerators of an enumeration.
type EnumBuilder struct{ enumState }

// Enumerator adds an enumerator; x is its value, nil for one more than the last.
func (c *Checker) Enumerator(b *EnumBuilder, name *token.Name, pos source.Pos, x tree.Expr) {
	t := c.Types.Int
	v := b.next
	if x == nil && b.overflow {
		c.Diags.Warnf("enum-too-large", pos, "incremented enumerator value is not representable in the largest "+
			"integer type")
	}
	if x != nil {
		i := x.Info()
		switch {
		case i.Type.IsInvalid():
		case !i.Type.IsInteger():
			c.Diags.Errorf(i.From, "integer constant expression must have integer type, not '%s'", i.Type).
				Range(i.From, i.To)
		default:
			n, ok := c.FoldInt(x)
			if !ok {
				c.Diags.Errorf(i.From, "expression is not an integer constant expression").Range(i.From, i.To)
				break
			}
			v, b.signed = n, i.Type.IsSigned() || n <= math.MaxInt64
		}
	}
	if len(b.list) == 0 && x == nil {
		b.signed = true
	}
	switch {
	case b.signed && int64(v) < 0:
		b.negative = true
		b.least = min(b.least, int64(v))
		if int64(v) < math.MinInt32 {
			t = c.Types.Long
		}
	default:
		b.largest = max(b.largest, v)
		switch {
		case v <= math.MaxInt32:
		case v <= math.MaxUint32:
			t = c.Types.UInt
		case v <= math.MaxInt64:
			t = c.Types.Long
		default:
			t = c.Types.ULong
		}
	}
	e := &Enumerator{Name: name.Text, Type: types.Qual{Type: t}, Value: v, Pos: pos}
	b.next = v + 1
	b.overflow = v == math.MaxUint64 && !(b.signed && int64(v) < 0)
	if v == math.MaxUint64 && b.signed {
		b.next = 0
	}
	b.list = append(b.list, e)
	if old := c.here(name); old != nil {
		if _, ok := old.(*Enumerator); ok {
			c.Diags.Errorf(pos, "redefinition of enumerator '%s'", name.Text).
				Note(declPos(old), "previous definition is here")
		} else {
			c.Diags.Errorf(pos, "redefinition of '%s' as different kind of symbol", name.Text).
				Note(declPos(old), "previous definition is here")
		}
		return
	}
	c.Declare(name, e)
}

// FinishEnum ends an enumeration: it gets the smallest integer type from int on that has all its values.
func (c *Checker) FinishEnum(t *types.Type, b *EnumBuilder, attrs []Attr) {
	e := t.Enum
	e.Complete = true
	for _, x := range b.list {
		e.Names = append(e.Names, types.Enumerator{Name: x.Name, Value: x.Value})
	}
	packed := false
	if e.Fixed {
		return
	}
	for i := range attrs {
		if attrs[i].Name == "packed" {
			packed = true
		} else {
			c.ignored(&attrs[i])
		}
	}
	base := c.Types.UInt
	switch {
	case packed && b.negative:
		base = c.smallSigned(b)
	case packed && b.largest <= math.MaxUint8:
		base = c.Types.UChar
	case packed && b.largest <= math.MaxUint16:
		base = c.Types.UShort
	case b.negative && b.least >= math.MinInt32 && b.largest <= math.MaxInt32:
		base = c.Types.Int
	case b.negative:
		base = c.Types.Long
	case b.largest > math.MaxUint32:
		base = c.Types.ULong
	}
	e.Base = base
	if c.enums == nil {
		c.enums = map[*types.Enum][]*Enumerator{}
	}
	c.enums[e] = b.list
	// Enumerators that do not fit into int have the enumeration's type once it is complete, as in clang.
	for _, x := range b.list {
		if x.Type.Type != c.Types.Int {
			x.Type = types.Qual{Type: base}
		}
	}
}

func (c *Checker) smallSigned(b *EnumBuilder) *types.Type {
	fits := func(bits uint) bool {
		return b.least >= -1<<(bits-1) && b.largest <= 1<<(bits-1)-1
	}
	switch {
	case fits(8):
		return c.Types.Char
	case fits(16):
		return c.Types.Short
	case fits(32):
		return c.Types.Int
	}
	return c.Types.Long
}

// EmptyDeclaration checks a declaration without declarators.
func (c *Checker) EmptyDeclaration(s *Spec) {
	switch {
	case s.Type.Type != nil && s.Type.IsInvalid():
	case s.Storage == token.Typedef:
		c.Diags.Warnf("missing-declarations", s.Pos, "typedef requires a name")
	case s.Kernel != 0 && s.Tag:
		c.Diags.Warnf("ignored-attributes", s.Kernel, "attribute 'kernel' is ignored")
	case s.Tag && s.Type.IsStruct() && (s.Type.Struct.Tag != "" || s.Type.Struct.Alias != ""):
	case s.Tag && s.Type.Kind == types.EnumKind:
	default:
		c.Diags.Warnf("missing-declarations", s.Pos, "declaration does not declare anything")
	}
}

// FixEnum gives an enumeration the integer type that is written behind its name, if one is.
func (c *Checker) FixEnum(t *types.Type, base types.Qual, pos source.Pos) {
	switch {
	case base.Type == nil || base.IsInvalid():
	case !base.IsInteger() || base.Kind == types.EnumKind:
		c.Diags.Errorf(pos, "non-integral type '%s' is an invalid underlying type", base)
	default:
		c.Diags.Warnf("fixed-enum-extension", pos, "enumeration types with a fixed underlying type are a C2x extension")
		t.Enum.Base, t.Enum.Fixed = base.Type, true
	}
}
