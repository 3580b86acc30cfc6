package sema

import (
	"math"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Index is x[i]: an element behind a pointer, of an array or of a vector.
func (c *Checker) Index(x, i tree.Expr, lbrack, rbrack source.Pos) tree.Expr {
	from, to := x.Info().From, c.Files.End(rbrack, 1)
	if isBad(x) || isBad(i) {
		return c.bad(lbrack, from, to)
	}
	if x.Info().Type.IsVector() {
		return c.vectorIndex(x, i, lbrack, to)
	}
	array := x
	x, i = c.Value(x), c.Value(i)
	if isBad(x) || isBad(i) {
		return c.bad(lbrack, from, to)
	}
	if !x.Info().Type.IsPointer() && i.Info().Type.IsPointer() {
		x, i = i, x // 2[a]
		array = x
		if d, ok := x.(*tree.Convert); ok && d.Kind == tree.Decay {
			array = d.X
		}
	}
	xt, it := x.Info().Type, i.Info().Type
	switch {
	case !xt.IsPointer():
		c.Diags.Errorf(lbrack, "'%s' has no elements: it is neither a pointer nor an array nor a vector",
			xt).Range(from, to)
		return c.bad(lbrack, from, to)
	case !it.IsInteger():
		c.Diags.Errorf(i.Info().Pos, "the index has type '%s'; it must be an integer", it).
			Range(i.Info().From, i.Info().To)
		return c.bad(lbrack, from, to)
	}
	if !c.pointerArithmetic(lbrack, xt.Type, x) {
		return c.bad(lbrack, from, to)
	}
	c.warnIndex(array, i, lbrack)
	p := c.binary(tree.PtrAdd, lbrack, xt.Type, x, c.index(i))
	p.From, p.To = from, to
	// What runs at the access is told of the array, as by other compilers: its name says more than the bracket.
	return at(c.deref(lbrack, p), array.Info().Pos, from, to)
}

// index converts an integer that is added to a pointer, so that it is int, uint, long or ulong.
func (c *Checker) index(i tree.Expr) tree.Expr { return c.promote(i) }

// warnIndex warns of a constant index outside of an array.
func (c *Checker) warnIndex(x, i tree.Expr, pos source.Pos) {
	lit, ok := i.(*tree.IntLit)
	if !ok {
		return
	}
	t := x.Info().Type
	if !t.IsArray() || t.Len < 0 || t.Len == 0 {
		return
	}
	v := int64(lit.Value)
	negative := v < 0 && lit.Type.IsSigned()
	// One element behind the last is fine where only its address is taken, which is not known yet.
	if !negative && uint64(v) <= uint64(t.Len) {
		return
	}
	if m, ok := x.(*tree.Member); ok && !negative {
		// An array at the end of a structure may stand for more elements.
		s := m.X.Info().Type.Struct
		if t.Len <= 1 && m.Field == len(s.Fields)-1 {
			return
		}
	}
	side := "behind the end"
	if negative {
		side = "in front of the beginning"
	}
	d := c.Diags.Warnf("array-bounds", pos, "the element %s is %s of the array, which has %d elements",
		formatInt(lit.Value, lit.Type.Type), side, t.Len).Range(i.Info().From, i.Info().To)
	if v := variableOf(x); v != nil && v.Pos != 0 {
		d.Note(v.Pos, "'%s' is declared here", v.Name)
	}
}

// vectorIndex is v[i] of a vector: a component.
func (c *Checker) vectorIndex(x, i tree.Expr, pos, to source.Pos) tree.Expr {
	info := x.Info()
	i = c.Value(i)
	if isBad(i) {
		return c.bad(pos, info.From, to)
	}
	it := i.Info()
	if !it.Type.IsInteger() {
		c.Diags.Errorf(it.Pos, "the index has type '%s'; it must be an integer", it.Type).Range(it.From, it.To)
		return c.bad(pos, info.From, to)
	}
	t := info.Type
	if lit, ok := i.(*tree.IntLit); ok {
		if lit.Value < uint64(t.Len) {
			return at(c.swizzle(x, []uint8{uint8(lit.Value)}), pos, info.From, to)
		}
		c.Diags.Warnf("array-bounds", pos, "the component %s is outside of '%s'",
			formatInt(lit.Value, it.Type.Type),
			t.Unqual()).Range(it.From, it.To)
	}
	n := &tree.VectorIndex{Base: tree.Base{Type: types.Qual{Type: t.Elem.Type, Q: t.Q}, LValue: info.LValue},
		X: x, Index: c.promote(i)}
	if !n.LValue {
		n.X, n.Type = c.Value(x), qual(t.Elem.Type)
	}
	return at(n, pos, info.From, to)
}

// Member is x.name, or x->name if arrow is true: a member, or components of a vector.
func (c *Checker) Member(x tree.Expr, arrow bool, op source.Pos, name token.Token) tree.Expr {
	from, to := x.Info().From, c.Files.End(name.Pos, int(name.Len))
	if isBad(x) {
		return c.bad(op, from, to)
	}
	text := name.Spelling()
	if i := x.Info(); !arrow && !i.Type.IsPointer() && (i.Type.IsStruct() || i.Type.IsVector()) {
		return c.memberOf(x, text, op, name.Pos, to)
	}
	v := x
	if x.Info().Type.Kind != types.StructKind && !x.Info().Type.IsVector() {
		if v = c.Value(x); isBad(v) {
			return c.bad(op, from, to)
		}
	}
	t := v.Info().Type
	switch {
	case arrow && t.IsPointer():
		if !t.Elem.IsStruct() && !t.Elem.IsVector() {
			break
		}
		return c.memberOf(c.deref(op, v), text, op, name.Pos, to)
	case arrow && (t.IsStruct() || t.IsVector()):
		c.Diags.Errorf(op, "'%s' is no pointer: '.' leads to its members, not '->'", t.Unqual()).Range(from,
			x.Info().To).
			Suggest(".")
		return c.memberOf(x, text, op, name.Pos, to)
	case t.IsPointer() && (t.Elem.IsStruct() || t.Elem.IsVector()):
		c.Diags.Errorf(op, "'%s' is a pointer: '->' leads to the members, not '.'", t).Range(from,
			x.Info().To).Suggest("->")
		return c.memberOf(c.deref(op, v), text, op, name.Pos, to)
	}
	c.Diags.Errorf(op, "'%s' has no members: it is neither a structure nor a union nor a vector", t.Unqual()).
		Range(from, x.Info().To)
	return c.bad(op, from, to)
}

// memberOf is a member of a structure or union, or components of a vector.
func (c *Checker) memberOf(x tree.Expr, name string, op, namePos, to source.Pos) tree.Expr {
	i := x.Info()
	if i.Type.IsVector() {
		return c.components(x, name, op, namePos, to)
	}
	s := i.Type.Struct
	if !s.Complete {
		d := c.Diags.Errorf(op, "'%s' has no members yet: the type is incomplete", i.Type.Unqual()).Range(i.From,
			i.To)
		if s.Pos != 0 {
			d.Note(s.Pos, "it is declared here")
		}
		return c.bad(op, i.From, to)
	}
	path := memberPath(s, name, make([]int, 0, 4))
	if path == nil {
		c.noMember(i, name, namePos, to)
		return c.bad(op, i.From, to)
	}
	from := i.From
	if !i.LValue {
		// The member of a value.
		if _, ok := x.(*tree.InitList); !ok {
			x = c.Value(x)
		}
	}
	for _, f := range path {
		x = c.field(x, f)
		at(x, op, from, to)
	}
	return x
}

// field returns a field of a structure.
func (c *Checker) field(x tree.Expr, f int) *tree.Member {
	i := x.Info()
	n := c.Unit.Arena.Members.Next()
	t := i.Type.Struct.Fields[f].Type
	*n = tree.Member{Base: tree.Base{Type: t, Pos: i.Pos, From: i.From, To: i.To, LValue: i.LValue}, X: x, Field: f}
	if i.LValue {
		n.Type = types.Qual{Type: t.Type, Q: t.Q | i.Type.Q.CVR()&^types.Restrict&^types.Atomic}.In(i.Type.Space())
	} else if !t.IsArray() {
		n.Type = t.Unqual()
	}
	return n
}

// memberPath returns the numbers of the fields that lead to a member, through members without names; nil if
// there is none.
func memberPath(s *types.Struct, name string, path []int) []int {
	for k := range s.Fields {
		f := &s.Fields[k]
		if f.Name == name && name != "" {
			return append(path, k)
		}
		if f.Name == "" && f.Type.IsStruct() && f.Bits < 0 && f.Type.Struct != s && len(path) < 256 {
			if p := memberPath(f.Type.Struct, name, append(path, k)); p != nil {
				return p
			}
		}
	}
	return nil
}

// noMember says that a structure lacks a member, and which one may be meant.
func (c *Checker) noMember(i *tree.Base, name string, pos, to source.Pos) {
	d := c.Diags.Errorf(pos, "'%s' has no member '%s'", i.Type.Unqual(), name).Range(i.From, i.To)
	best := newSuggestion(name)
	eachField(i.Type.Struct, 0, func(f *types.Field) { best.try(f.Name) })
	if best.name == "" {
		return
	}
	d.Suggest(best.name)
	eachField(i.Type.Struct, 0, func(f *types.Field) {
		if f.Name == best.name && f.Pos != 0 {
			d.Note(f.Pos, "'%s' is declared here", f.Name)
		}
	})
}

// eachField visits the members of a structure, and those of its members without names.
func eachField(s *types.Struct, depth int, visit func(*types.Field)) {
	for k := range s.Fields {
		f := &s.Fields[k]
		if f.Name != "" {
			visit(f)
		} else if f.Type.IsStruct() && depth < 256 {
			eachField(f.Type.Struct, depth+1, visit)
		}
	}
}

// components is v.xyzw, v.s0123, v.lo and their kin.
func (c *Checker) components(x tree.Expr, name string, op, namePos, to source.Pos) tree.Expr {
	i := x.Info()
	comps, at0, problem := swizzleOf(name, int(i.Type.Len))
	if problem != "" {
		pos := namePos
		if !pos.IsMacro() {
			pos += source.Pos(at0)
		}
		d := c.Diags.Errorf(pos, problem, name, i.Type.Unqual()).Range(i.From, i.To)
		noteComponents(d, namePos, int(i.Type.Len))
		return c.bad(op, i.From, to)
	}
	if strings.IndexByte("rgba", name[0]) >= 0 && c.Opts.Version < lang.CL30 {
		c.Diags.Warnf("opencl-unsupported-rgba", namePos,
			"OpenCL C before 3.0 does not know the component names r, g, b and a")
	}
	return at(c.swizzle(x, comps), op, i.From, to)
}

func noteComponents(d *diag.Diagnostic, pos source.Pos, n int) {
	if n <= 4 {
		d.Note(pos, "the components are %s or s0 to s%x", "xyzw"[:n], n-1)
		return
	}
	d.Note(pos, "the components are s0 to s%x; lo, hi, even and odd are halves", n-1)
}

// swizzle returns components of a vector: of an lvalue an lvalue, unless a component occurs twice. Components
// of components are components of the vector itself.
func (c *Checker) swizzle(x tree.Expr, comps []uint8) tree.Expr {
	i := x.Info()
	t := i.Type
	lvalue := i.LValue && !duplicates(comps)
	if s, ok := x.(*tree.Swizzle); ok {
		inner := make([]uint8, len(comps))
		for k, m := range comps {
			if int(m) >= len(s.Comps) {
				inner = nil // the fourth component of three
				break
			}
			inner[k] = s.Comps[m]
		}
		if inner != nil {
			comps, x = inner, s.X
		}
	}
	n := c.Unit.Arena.Swizzles.Next()
	*n = tree.Swizzle{Base: tree.Base{Type: types.Qual{Type: c.Types.Vector(t.Elem.Type, len(comps)), Q: t.Q}, LValue: lvalue}}
	if !lvalue {
		n.Type = n.Type.Unqual()
		x = c.Value(x)
	}
	n.X, n.Comps = x, comps
	return n
}

// duplicates reports whether a component occurs twice.
func duplicates(comps []uint8) bool {
	seen := uint32(0)
	for _, k := range comps {
		if seen>>k&1 != 0 {
			return true
		}
		seen |= 1 << k
	}
	return false
}

const noComponent = math.MaxUint8

// swizzleOf reads the name of components of a vector of n. What is wrong is a format for the name and the
// vector's type, and stands at a byte of the name.
func swizzleOf(name string, n int) (comps []uint8, at int, problem string) {
	half := (n + 1) / 2
	step := func(from, by int) []uint8 {
		out := make([]uint8, half)
		for k := range out {
			out[k] = uint8(from + k*by)
		}
		return out
	}
	switch name {
	case "lo":
		return step(0, 1), 0, ""
	case "hi":
		return step(half, 1), 0, ""
	case "even":
		return step(0, 2), 0, ""
	case "odd":
		return step(1, 2), 0, ""
	}
	set, first := "xyzw", 0
	switch {
	case name[0] == 's' || name[0] == 'S':
		set, first = "", 1
	case strings.IndexByte("rgba", name[0]) >= 0:
		set = "rgba"
	}
	comps = make([]uint8, 0, len(name)-first)
	for k := first; k < len(name); k++ {
		m := uint8(noComponent)
		if set == "" {
			m = hexDigit(name[k])
		} else if p := strings.IndexByte(set, name[k]); p >= 0 {
			m = uint8(p)
		}
		switch {
		case m == noComponent && set != "" && k > 0 && strings.IndexByte("xyzwrgba", name[k]) >= 0:
			return nil, k, "'%s' mixes xyzw and rgba; '%s' is a vector"
		case m == noComponent:
			return nil, k, "'%s' does not name components of '%s'"
		case int(m) >= n:
			return nil, k, "'%s' goes beyond the components of '%s'"
		}
		comps = append(comps, m)
	}
	switch len(comps) {
	case 1, 2, 3, 4, 8, 16:
		return comps, 0, ""
	case 0:
		return nil, 0, "'%s' does not name components of '%s'"
	}
	return nil, 0, "'%s' names too many components of '%s': there are vectors of 2, 3, 4, 8 and 16"
}
