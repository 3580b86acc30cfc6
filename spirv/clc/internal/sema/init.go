package sema

import (
	"slices"
	"sort"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Init is an initializer as it is written: an expression, or a list in braces.
type Init struct {
	X        tree.Expr // nil for a list
	List     []InitElem
	Pos, End source.Pos // of a list: at the opening brace, and behind the closing one
}

// InitElem is an element of a list in braces: an expression or a list, for what Desig names or comes next.
type InitElem struct {
	X     tree.Expr
	List  *Init
	Desig []Designator
}

// Designator is .name, [Low] or [Low ... High].
type Designator struct {
	Name      *token.Name
	Low, High tree.Expr
	Pos, End  source.Pos
}

func (e *InitElem) pos() source.Pos {
	if e.X != nil {
		return e.X.Info().From
	}
	return e.List.Pos
}

// Initialize returns the value that an initializer gives to an object of type t, and the type, in which the length of
// an array is known. static asks for constants.
func (c *Checker) Initialize(t types.Qual, in *Init, static bool) (tree.Expr, types.Qual) {
	b := initializer{c: c, static: static}
	var x tree.Expr
	if in.X != nil {
		x = b.object(t.Unqual(), in.X)
	} else {
		x = b.braced(t.Unqual(), in)
	}
	if t.IsArray() && t.Len < 0 {
		n := b.length(x)
		if n < 0 {
			return x, types.Qual{Type: c.Types.Invalid}
		}
		t.Type = c.Types.Array(t.Elem, n)
		x.Info().Type.Type = t.Type
	}
	return x, t
}

// length returns the number of elements that an initializer gives to an array without a size; -1 when it is wrong.
func (b *initializer) length(x tree.Expr) int64 {
	switch x := x.(type) {
	case *tree.StringLit:
		return int64(len(x.Value))
	case *tree.InitList:
		if n := len(x.Items); n > 0 {
			return x.Items[n-1].Last + 1
		}
		return 0
	}
	return -1
}

// initializer turns an initializer into a value.
type initializer struct {
	c      *Checker
	static bool
	moved  int // see maxMoved
}

// cursor is a place in a list in braces.
type cursor struct {
	list []InitElem
	i    int
	bad  bool // designators have been wrong
}

func (cur *cursor) more() bool { return cur.i < len(cur.list) }

// object returns the value of an object that is initialized by an expression.
func (b *initializer) object(t types.Qual, x tree.Expr) tree.Expr {
	c := b.c
	if t.IsArray() {
		if s, ok := x.(*tree.StringLit); ok && isText(t) {
			return b.text(t, s)
		}
		i := x.Info()
		if lit, ok := x.(*tree.CompoundLit); ok && i.Type.Type == t.Type && lit.Var != nil && lit.Var.Init != nil {
			return lit.Var.Init // an extension of GNU C: as if its braces stood here
		}
		if !i.Type.IsInvalid() {
			c.Diags.Errorf(i.From, "array initializer must be an initializer list%s", map[bool]string{
				true: " or string literal"}[isText(t)]).Range(i.From, i.To)
		}
		return c.badInit(i.From, i.To)
	}
	return b.leaf(t, x)
}

func (c *Checker) badInit(from, to source.Pos) tree.Expr {
	return &tree.Bad{Base: tree.Base{Type: types.Qual{Type: c.Types.Invalid}, Pos: from, From: from, To: to}}
}

// leaf returns a value converted to t.
func (b *initializer) leaf(t types.Qual, x tree.Expr) tree.Expr {
	c := b.c
	if t.Kind == types.SamplerKind && x.Info().Type.IsInteger() {
		return c.sampler(x)
	}
	x = c.Coerce(Context{Kind: Initializing}, t, x)
	if !b.static || x.Info().Type.IsInvalid() {
		return x
	}
	k, ok := c.Constant(x)
	if !ok {
		i := x.Info()
		c.Diags.Errorf(i.From, "initializer element is not a compile-time constant").Range(i.From, i.To)
		return c.badInit(i.From, i.To)
	}
	return k
}

// isText reports whether a string may initialize an array.
func isText(t types.Qual) bool {
	k := t.Elem.Kind
	return k == types.CharKind || k == types.UCharKind
}

// text returns the value that a string gives to an array of characters.
func (b *initializer) text(t types.Qual, s *tree.StringLit) tree.Expr {
	v := s.Value
	if t.Len >= 0 && int64(len(v)) > t.Len {
		if int64(len(v)) > t.Len+1 {
			b.c.Diags.Warnf("excess-initializers", s.From, "initializer-string for char array is too long").
				Range(s.From, s.To)
		}
		v = v[:t.Len]
	}
	i := s.Base
	i.Type, i.LValue = t, false
	return &tree.StringLit{Base: i, Value: v}
}

// braced returns the value that a list in braces gives to an object.
func (b *initializer) braced(t types.Qual, in *Init) tree.Expr {
	c := b.c
	cur := &cursor{list: in.List}
	var x tree.Expr
	switch {
	case t.IsInvalid():
		return c.badInit(in.Pos, in.End)
	case t.IsVector():
		x = b.vector(t, cur, in.Pos, in.End)
	case t.IsArray() && isText(t) && len(in.List) > 0 && in.List[0].Desig == nil && isString(in.List[0].X):
		x = b.text(t, in.List[0].X.(*tree.StringLit))
		cur.i = 1
	case t.IsArray() || t.IsStruct():
		if t.IsStruct() && !t.Struct.Complete {
			return c.badInit(in.Pos, in.End)
		}
		l := b.newList(t, in.Pos, in.End)
		b.fill(l, cur, 0, true)
		x = l
	default:
		return b.scalar(t, in)
	}
	if cur.more() && !cur.bad {
		b.excess(t, &in.List[cur.i])
	}
	return x
}

func isString(x tree.Expr) bool {
	_, ok := x.(*tree.StringLit)
	return ok
}

func (b *initializer) newList(t types.Qual, from, to source.Pos) *tree.InitList {
	return &tree.InitList{Base: tree.Base{Type: t.Unqual(), Pos: from, From: from, To: to}}
}

// excess warns about elements for which there is nothing to initialize.
func (b *initializer) excess(t types.Qual, e *InitElem) {
	what := "scalar"
	switch {
	case t.IsArray():
		what = "array"
	case t.IsStruct() && t.Struct.Union:
		what = "union"
	case t.IsStruct():
		what = "struct"
	case t.IsVector():
		b.c.Diags.Errorf(e.pos(), "excess elements in vector initializer")
		return
	}
	b.c.Diags.Warnf("excess-initializers", e.pos(), "excess elements in %s initializer", what)
}

// scalar returns the value that a list in braces gives to a scalar.
func (b *initializer) scalar(t types.Qual, in *Init) tree.Expr {
	c := b.c
	if len(in.List) == 0 {
		c.Diags.Errorf(in.Pos, "scalar initializer cannot be empty").Range(in.Pos, in.End)
		return c.badInit(in.Pos, in.End)
	}
	e := &in.List[0]
	if e.Desig != nil {
		c.Diags.Errorf(e.Desig[0].Pos, "designator in initializer for scalar type '%s'", t)
		return c.badInit(in.Pos, in.End)
	}
	var x tree.Expr
	if e.List != nil {
		c.Diags.Warnf("many-braces-around-scalar-init", e.List.Pos, "too many braces around scalar initializer")
		x = b.braced(t, e.List)
	} else {
		x = b.leaf(t, e.X)
	}
	if len(in.List) > 1 {
		b.excess(t, &in.List[1])
	}
	return x
}

// vector returns the value of a vector: its components are scalars and other vectors of the list.
func (b *initializer) vector(t types.Qual, cur *cursor, from, to source.Pos) tree.Expr {
	c := b.c
	want, have := t.Lanes(), 0
	elem := types.Qual{Type: t.Elem.Type}
	lit := &tree.VectorLit{Base: tree.Base{Type: t.Unqual(), Pos: from, From: from, To: to}}
	wrong := false
	for have < want && cur.more() {
		e := &cur.list[cur.i]
		if e.Desig != nil {
			break
		}
		cur.i++
		part := elem
		if e.X != nil && e.X.Info().Type.IsVector() {
			part = types.Qual{Type: c.Types.Vector(elem.Type, e.X.Info().Type.Lanes())}
		}
		var x tree.Expr
		if e.List != nil {
			x = b.braced(part, e.List)
		} else {
			x = b.leaf(part, e.X)
		}
		wrong = wrong || x.Info().Type.IsInvalid()
		have += part.Lanes()
		lit.Elems = append(lit.Elems, x)
	}
	if wrong {
		return c.badInit(from, to)
	}
	if have != want {
		few := "few"
		if have > want {
			few = "many"
		}
		c.Diags.Errorf(from, "too %s elements in vector initialization (expected %d elements, have %d)", few, want, have).
			Range(from, to)
		return c.badInit(from, to)
	}
	if len(lit.Elems) == 1 {
		return lit.Elems[0] // one vector of this type, in braces
	}
	if b.static {
		if k, ok := c.Constant(lit); ok {
			return k
		}
	}
	return lit
}

// count returns how many parts an aggregate has; an array without a size has no limit but that of objects.
func (b *initializer) count(t types.Qual) int64 {
	if t.IsStruct() {
		return int64(len(t.Struct.Fields))
	}
	if t.Len >= 0 {
		return t.Len
	}
	return types.MaxSize / max(b.c.Types.SizeOf(t.Elem.Type), 1)
}

// part returns the type of a part of an aggregate.
func part(t types.Qual, i int64) types.Qual {
	if t.IsStruct() {
		return t.Struct.Fields[i].Type.Unqual()
	}
	return types.Qual{Type: t.Elem.Type}
}

// skip returns the first part from i on that initializers set: bit-fields without names are left out.
func skip(t types.Qual, i int64) int64 {
	if t.IsStruct() {
		for int(i) < len(t.Struct.Fields) && t.Struct.Fields[i].Name == "" && t.Struct.Fields[i].Bits >= 0 {
			i++
		}
	}
	return i
}

// fill initializes the parts of an aggregate from the i-th on, from the cursor on. braced says that the list is the
// aggregate's own, so that its designators are meant for it.
func (b *initializer) fill(l *tree.InitList, cur *cursor, i int64, braced bool) {
	t := l.Type
	n := b.count(t)
	for cur.more() {
		e := &cur.list[cur.i]
		if e.Desig != nil {
			if !braced {
				return
			}
			next, ok := b.designated(l, cur, e, 0)
			if !ok {
				cur.bad = true
				return
			}
			i = next
			continue
		}
		i = skip(t, i)
		if i >= n || t.IsStruct() && t.Struct.Union && (i > 0 && skip(t, 0) < i) {
			return
		}
		at := cur.i
		x := b.element(part(t, i), cur, item(l, i, i))
		if x == nil && cur.i == at {
			return
		}
		if x != nil {
			b.set(l, i, i, x)
		}
		i++
	}
}

// element returns the value of one part: what stands at the cursor, or several elements of the list if the part is an
// aggregate without braces of its own. old is what the part has already.
func (b *initializer) element(t types.Qual, cur *cursor, old tree.Expr) tree.Expr {
	c := b.c
	e := &cur.list[cur.i]
	switch {
	case t.IsInvalid():
		cur.i++
		return c.badInit(e.pos(), e.pos())
	case t.IsArray() && t.Len < 0:
		c.Diags.Errorf(e.pos(), "initialization of flexible array member is not supported")
		cur.i++
		return nil
	case e.List != nil:
		cur.i++
		return b.braced(t, e.List)
	}
	x := e.X
	xt := x.Info().Type
	switch {
	case t.IsArray():
		if s, ok := x.(*tree.StringLit); ok && isText(t) {
			cur.i++
			return b.text(t, s)
		}
	case t.IsStruct():
		if xt.Type == t.Type || xt.IsInvalid() {
			cur.i++
			return b.leaf(t, x)
		}
	case t.IsVector() && xt.IsVector() && xt.Type != t.Type && xt.Lanes() < t.Lanes() &&
		xt.Component() == t.Component():
		return b.vector(t, cur, x.Info().From, x.Info().To)
	default:
		cur.i++
		return b.leaf(t, x)
	}
	// The part's braces are left out.
	if skip(t, 0) >= b.count(t) {
		c.Diags.Errorf(e.pos(), "initializer for aggregate with no elements requires explicit braces")
		cur.i++
		return nil
	}
	l, ok := old.(*tree.InitList)
	if !ok {
		l = b.newList(t, e.pos(), e.pos())
	}
	b.fill(l, cur, 0, false)
	if n := cur.i - 1; n >= 0 && cur.list[n].X != nil {
		l.To = cur.list[n].X.Info().To
	}
	return l
}

// designated initializes what the designators of an element name, from the k-th on, and goes on behind it in the
// aggregate that has it. It returns the number of the part of l that comes next.
func (b *initializer) designated(l *tree.InitList, cur *cursor, e *InitElem, k int) (int64, bool) {
	d := &e.Desig[k]
	lo, hi, ok := b.index(l, d)
	if !ok {
		return 0, false
	}
	if l.Type.IsStruct() && l.Type.Struct.Union {
		l.Items = keep(l.Items, lo)
	}
	t := part(l.Type, lo)
	if l.Type.IsStruct() && d.Name != nil && l.Type.Struct.Fields[lo].Name != d.Name.Text {
		// The name is that of a member of an anonymous structure.
		in := b.inner(l, lo, hi, t, d.Pos)
		if _, ok := b.designated(in, cur, e, k); !ok {
			return 0, false
		}
		b.set(l, lo, hi, in)
		return lo + 1, true
	}
	if k+1 == len(e.Desig) {
		desig := e.Desig
		e.Desig = nil
		old := item(l, lo, hi)
		if old != nil && e.List == nil && !t.IsStruct() && !t.IsArray() {
			b.c.Diags.Warnf("initializer-overrides", e.pos(), "initializer overrides prior initialization of this subobject").
				Note(old.Info().From, "previous initialization is here")
		}
		x := b.element(t, cur, old)
		e.Desig = desig
		if x != nil {
			b.set(l, lo, hi, x)
		}
		return hi + 1, true
	}
	if !t.IsArray() && !t.IsStruct() {
		if !t.IsInvalid() {
			b.c.Diags.Errorf(e.Desig[k+1].Pos, "%s designator cannot initialize %s type '%s'",
				desigKind(&e.Desig[k+1]), desigNot(&e.Desig[k+1]), t)
		}
		return 0, false
	}
	in := b.inner(l, lo, hi, t, d.Pos)
	next, ok := b.designated(in, cur, e, k+1)
	if !ok {
		return 0, false
	}
	b.fill(in, cur, next, false)
	b.set(l, lo, hi, in)
	return hi + 1, true
}

func desigKind(d *Designator) string {
	if d.Name != nil {
		return "field"
	}
	return "array"
}

func desigNot(d *Designator) string {
	if d.Name != nil {
		return "a non-struct, non-union"
	}
	return "non-array"
}

// inner returns the list of parts lo to hi, to be changed: what they have already, or a new one.
func (b *initializer) inner(l *tree.InitList, lo, hi int64, t types.Qual, pos source.Pos) *tree.InitList {
	if in, ok := item(l, lo, hi).(*tree.InitList); ok {
		return in
	}
	// Elements of a range may share a list, which only one of them is to change.
	if in, ok := covering(l, lo).(*tree.InitList); ok {
		return clone(in)
	}
	return b.newList(t, pos, pos)
}

func clone(l *tree.InitList) *tree.InitList {
	n := &tree.InitList{Base: l.Base, Items: append([]tree.InitItem(nil), l.Items...)}
	for i := range n.Items {
		if in, ok := n.Items[i].Value.(*tree.InitList); ok {
			n.Items[i].Value = clone(in)
		}
	}
	return n
}

// index returns which parts of an aggregate a designator names.
func (b *initializer) index(l *tree.InitList, d *Designator) (lo, hi int64, ok bool) {
	c, t := b.c, l.Type
	if d.Name != nil {
		if !t.IsStruct() {
			c.Diags.Errorf(d.Pos, "field designator cannot initialize a non-struct, non-union type '%s'", t)
			return 0, 0, false
		}
		i := fieldNumber(t.Struct, d.Name.Text, 0)
		if i < 0 {
			c.Diags.Errorf(d.Pos, "field designator '%s' does not refer to any field in type '%s'", d.Name.Text, t)
			return 0, 0, false
		}
		return int64(i), int64(i), true
	}
	if !t.IsArray() {
		c.Diags.Errorf(d.Pos, "array designator cannot initialize non-array type '%s'", t)
		return 0, 0, false
	}
	lo, ok = b.subscript(d.Low, t)
	hi = lo
	if ok && d.High != nil {
		hi, ok = b.subscript(d.High, t)
		if ok && hi < lo {
			c.Diags.Errorf(d.Low.Info().From, "array designator range [%d, %d] is empty", lo, hi)
			ok = false
		}
	}
	return lo, hi, ok
}

// subscript returns a constant in the brackets of a designator.
func (b *initializer) subscript(x tree.Expr, t types.Qual) (int64, bool) {
	c, i := b.c, x.Info()
	if i.Type.IsInvalid() {
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
	if i.Type.IsSigned() && int64(v) < 0 {
		c.Diags.Errorf(i.From, "array designator value '%d' is negative", int64(v)).Range(i.From, i.To)
		return 0, false
	}
	if n := b.count(t); v >= uint64(n) {
		if t.Len < 0 {
			c.Diags.Errorf(i.From, "array is too large (%d elements)", v).Range(i.From, i.To)
		} else {
			c.Diags.Errorf(i.From, "array designator index (%d) exceeds array bounds (%d)", v, n).Range(i.From, i.To)
		}
		return 0, false
	}
	return int64(v), true
}

// fieldNumber returns the number of the member that has a name or, being anonymous, has it inside; -1 if none has.
func fieldNumber(s *types.Struct, name string, depth int) int {
	if depth > maxTypeDepth {
		return -1
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == name && name != "" {
			return i
		}
		if f.Name == "" && f.Type.IsStruct() && fieldNumber(f.Type.Struct, name, depth+1) >= 0 {
			return i
		}
	}
	return -1
}

// item returns the value that the parts lo to hi have and no others, nil if there is none.
func item(l *tree.InitList, lo, hi int64) tree.Expr {
	if n := len(l.Items); n == 0 || l.Items[n-1].Last < lo {
		return nil
	}
	k := find(l, lo)
	if k < len(l.Items) && l.Items[k].Index == lo && l.Items[k].Last == hi {
		return l.Items[k].Value
	}
	return nil
}

// covering returns the value of the item that has part i among others.
func covering(l *tree.InitList, i int64) tree.Expr {
	k := find(l, i)
	if k < len(l.Items) && l.Items[k].Index <= i {
		return l.Items[k].Value
	}
	return nil
}

// find returns the first item that ends at part i or behind it.
func find(l *tree.InitList, i int64) int {
	return sort.Search(len(l.Items), func(k int) bool { return l.Items[k].Last >= i })
}

// keep leaves only the item of part i of a union.
func keep(items []tree.InitItem, i int64) []tree.InitItem {
	if len(items) == 1 && items[0].Index != i {
		return items[:0]
	}
	return items
}

// maxMoved is how many items may be moved to make room for others, in all of one initializer: designators in
// descending order cost as much as the square of their number.
const maxMoved = 1 << 27

// set gives the parts lo to hi a value. Items that overlap give way.
func (b *initializer) set(l *tree.InitList, lo, hi int64, x tree.Expr) {
	n := len(l.Items)
	if n == 0 || l.Items[n-1].Last < lo {
		l.Items = append(l.Items, tree.InitItem{Index: lo, Last: hi, Value: x})
		return
	}
	from := find(l, lo)
	to := from
	var parts [3]tree.InitItem
	m := parts[:0]
	if it := l.Items[from]; it.Index < lo {
		m = append(m, tree.InitItem{Index: it.Index, Last: lo - 1, Value: it.Value})
	}
	for to < n && l.Items[to].Index <= hi {
		to++
	}
	m = append(m, tree.InitItem{Index: lo, Last: hi, Value: x})
	if to > from {
		if it := l.Items[to-1]; it.Last > hi {
			m = append(m, tree.InitItem{Index: hi + 1, Last: it.Last, Value: it.Value})
		}
	}
	if len(m) != to-from {
		if b.moved += n - to; b.moved > maxMoved {
			if b.moved < 2*maxMoved {
				b.c.Diags.Errorf(x.Info().From, "too many designators in descending order")
				b.moved = 2 * maxMoved
			}
			return
		}
	}
	l.Items = slices.Replace(l.Items, from, to, m...)
}

// CompoundLiteral is (T){...}. In a function it is an object of the enclosing block, else of the program.
func (c *Checker) CompoundLiteral(lparen source.Pos, t types.Qual, in *Init) tree.Expr {
	base := tree.Base{Type: t, Pos: lparen, From: lparen, To: in.End}
	switch {
	case t.IsInvalid():
		return c.badInit(lparen, in.End)
	case t.IsVoid() || t.IsFunction() || !t.IsArray() && !t.Complete():
		c.noteForward(c.Diags.Errorf(lparen, "variable has incomplete type '%s'", t), t.Type)
		return c.badInit(lparen, in.End)
	case t.IsOpaque():
		c.Diags.Errorf(lparen, "a compound literal of type '%s' is not allowed", t)
		return c.badInit(lparen, in.End)
	}
	v := c.localVar()
	*v = tree.Var{Type: t, Pos: lparen, Func: c.fn, Used: true}
	if t.Q&types.Explicit == 0 {
		v.Type = t.In(types.Private)
	}
	static := c.fn == nil
	if static {
		v.Storage, v.Static = tree.StaticVar, true
		if t.Q&types.Explicit == 0 {
			v.Type = t.In(types.Global)
			if !c.Opts.HasGeneric() {
				v.Type = t.In(types.Constant)
			}
		}
		c.Unit.Vars = append(c.Unit.Vars, v)
	}
	x, done := c.Initialize(v.Type, in, static)
	if x.Info().Type.IsInvalid() || done.IsInvalid() {
		return c.badInit(lparen, in.End)
	}
	v.Init, v.Type = x, done
	base.Type, base.LValue = done, true
	return &tree.CompoundLit{Base: base, Var: v}
}
