package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// maxTypeDepth is the number of pointers, arrays and functions that a type may consist of. Functions that walk over types
// do so by recursion.
const maxTypeDepth = 256

// ChunkKind is a kind of Chunk.
type ChunkKind uint8

// The kinds.
const (
	PointerChunk ChunkKind = iota
	ArrayChunk
	FunctionChunk
)

// Chunk is a part of a declarator: "* const", "[3]" or "(int, float)".
type Chunk struct {
	Kind     ChunkKind
	Pos, End source.Pos

	Quals types.Quals // of a pointer, and of an array in a parameter: int x[const 3]

	Size   tree.Expr // of an array; nil for []
	Star   bool      // [*]
	Static source.Pos

	Params   []*tree.Var // of a function
	Variadic source.Pos
	NoProto  bool           // ()
	Idents   []*token.Token // names of a K&R definition
	Declared []Declared     // what the parameters declare beside themselves
}

// Declarator is the part of a declaration that belongs to one name: "*x[3]". Chunks are in the order in which they
// are read from the name: that of *x[3] are [3] and *.
type Declarator struct {
	Name   *token.Name // nil for abstract ones
	Pos    source.Pos  // of the name, or where it would be
	End    source.Pos
	Chunks []Chunk
	Attrs  []Attr // behind the declarator
	Label  string // from __asm("..."): the name in the module; empty for none
}

// Function returns the chunk that makes a declarator one of a function, nil if it is none.
func (d *Declarator) Function() *Chunk {
	if len(d.Chunks) > 0 && d.Chunks[0].Kind == FunctionChunk {
		return &d.Chunks[0]
	}
	return nil
}

func (d *Declarator) text() string {
	if d.Name == nil {
		return ""
	}
	return d.Name.Text
}

// onlyArrays reports whether a declarator makes nothing but arrays of what its specifiers say.
func (d *Declarator) onlyArrays() bool {
	for i := range d.Chunks {
		if d.Chunks[i].Kind != ArrayChunk {
			return false
		}
	}
	return true
}

// what names what is declared: 'x', or "type name".
func (d *Declarator) what() string {
	if d.Name == nil {
		return "type name"
	}
	return "'" + d.Name.Text + "'"
}

// pointeeSpace returns the address space of what a pointer points to when none is written.
func (c *Checker) pointeeSpace() types.Space {
	if c.Opts.HasGeneric() {
		return types.Generic
	}
	return types.Private
}

// place returns t with the address space that a pointer gives to what it points to, unless one is written.
func (c *Checker) place(t types.Qual) types.Qual {
	if t.Q&types.Explicit == 0 && t.Kind != types.FunctionKind {
		t.Q = t.Q.In(c.pointeeSpace())
	}
	return t
}

// typeDepth returns how many pointers, arrays and functions a type consists of, up to the limit.
func typeDepth(t *types.Type) int {
	n := 0
	for ; n <= maxTypeDepth; n++ {
		switch t.Kind {
		case types.PointerKind, types.ArrayKind, types.FunctionKind, types.PipeKind:
			t = t.Elem.Type
		case types.StructKind:
			return n + t.Struct.Depth
		default:
			return n
		}
	}
	return n
}

// TypeOf returns the type that a declarator gives to its name.
func (c *Checker) TypeOf(s *Spec, d *Declarator) types.Qual {
	t := c.typeAttrs(s.Type, s.Attrs)
	if len(d.Chunks) > 0 && len(d.Chunks)+typeDepth(t.Type) > maxTypeDepth {
		c.Diags.Errorf(d.Pos, "type of %s is nested more than %d levels deep", d.what(), maxTypeDepth)
		return types.Qual{Type: c.Types.Invalid}
	}
	for i := len(d.Chunks) - 1; i >= 0; i-- {
		ch := &d.Chunks[i]
		if t.IsInvalid() {
			return t
		}
		switch ch.Kind {
		case PointerChunk:
			t = c.pointerTo(t, ch, d)
		case ArrayChunk:
			t = c.arrayOf(t, ch, d)
		case FunctionChunk:
			t = c.functionOf(t, ch, d)
		}
	}
	return c.typeAttrs(t, d.Attrs)
}

func (c *Checker) pointerTo(t types.Qual, ch *Chunk, d *Declarator) types.Qual {
	switch {
	case t.IsFunction():
		c.Diags.Errorf(d.Pos, "pointers to functions are not allowed")
		return types.Qual{Type: c.Types.Invalid}
	case t.Kind == types.ImageKind || t.Kind == types.SamplerKind || t.Kind == types.PipeKind:
		c.Diags.Errorf(d.Pos, "pointer to type '%s' is invalid in OpenCL", t)
		return types.Qual{Type: c.Types.Invalid}
	}
	p := types.Qual{Type: c.Types.Pointer(c.place(t)), Q: ch.Quals}
	return p
}

func (c *Checker) arrayOf(t types.Qual, ch *Chunk, d *Declarator) types.Qual {
	bad := types.Qual{Type: c.Types.Invalid}
	switch {
	case t.IsFunction():
		c.Diags.Errorf(d.Pos, "%s declared as array of functions of type '%s'", d.what(), t)
		return bad
	case t.Kind == types.ImageKind || t.Kind == types.SamplerKind || t.Kind == types.PipeKind:
		c.Diags.Errorf(d.Pos, "array of '%s' type is invalid in OpenCL", t.Unqual())
		return bad
	case !t.Complete():
		e := c.Diags.Errorf(d.Pos, "array has incomplete element type '%s'", t)
		c.noteForward(e, t.Type)
		return bad
	case t.IsStruct() && t.Struct.Flexible:
		c.Diags.Warnf("flexible-array-extensions", d.Pos,
			"'%s' may not be used as an array element due to flexible array member", t)
	}
	n, ok := c.arraySize(ch, d)
	if !ok {
		return bad
	}
	size := c.Types.SizeOf(t.Type)
	if n > 0 && size > 0 && n > types.MaxSize/size {
		c.Diags.Errorf(ch.Pos, "array is too large (%d elements)", n)
		return bad
	}
	return types.Qual{Type: c.Types.Array(t.Unqual(), n), Q: t.Q}
}

// arraySize returns the number of elements that an array is declared with, -1 for none.
func (c *Checker) arraySize(ch *Chunk, d *Declarator) (int64, bool) {
	if ch.Star {
		c.Diags.Errorf(d.Pos, "variable length arrays are not supported in OpenCL")
		return 0, false
	}
	x := ch.Size
	if x == nil {
		return -1, true
	}
	i := x.Info()
	if i.Type.IsInvalid() {
		return 0, false
	}
	if !i.Type.IsInteger() {
		c.Diags.Errorf(i.From, "size of array has non-integer type '%s'", i.Type).Range(i.From, i.To)
		return 0, false
	}
	v, ok := c.FoldInt(x)
	if !ok {
		c.Diags.Errorf(i.From, "variable length arrays are not supported in OpenCL").Range(i.From, i.To)
		return 0, false
	}
	if i.Type.IsSigned() && int64(v) < 0 {
		if d.Name != nil {
			c.Diags.Errorf(i.From, "'%s' declared as an array with a negative size", d.Name.Text).Range(i.From, i.To)
		} else {
			c.Diags.Errorf(i.From, "array size is negative").Range(i.From, i.To)
		}
		return 0, false
	}
	if v > types.MaxSize {
		c.Diags.Errorf(i.From, "array is too large (%d elements)", v).Range(i.From, i.To)
		return 0, false
	}
	return int64(v), true
}

func (c *Checker) functionOf(t types.Qual, ch *Chunk, d *Declarator) types.Qual {
	bad := types.Qual{Type: c.Types.Invalid}
	switch {
	case t.IsFunction():
		c.Diags.Errorf(d.Pos, "function cannot return function type '%s'", t)
		return bad
	case t.IsArray():
		c.Diags.Errorf(d.Pos, "function cannot return array type '%s'", t)
		return bad
	case t.Q&types.Explicit != 0 && t.Space() != types.Private:
		c.Diags.Errorf(d.Pos, "return value cannot be qualified with address space")
	case t.Kind == types.ImageKind || t.Kind == types.SamplerKind || t.Kind == types.PipeKind ||
		t.Kind == types.HalfKind && !c.ext.half:
		c.Diags.Errorf(d.Pos, "declaring function return value of type '%s' is not allowed", t)
		return bad
	}
	if t.Q.CVR() != 0 && !t.IsVoid() {
		c.Diags.Warnf("ignored-qualifiers", d.Pos, "'%s' type qualifier on return type has no effect",
			qualWords(t.Q))
	}
	if len(ch.Idents) > 0 {
		c.Diags.Errorf(d.Pos, "a parameter list without types is only allowed in a function definition")
		return bad
	}
	params := make([]types.Qual, len(ch.Params))
	for i, p := range ch.Params {
		params[i] = p.Type
	}
	variadic := ch.Variadic != 0
	if variadic && !c.isPrintf(d, t, params) {
		c.Diags.Errorf(d.Pos, "invalid prototype, variadic arguments are not allowed in OpenCL")
		variadic = false
	}
	return types.Qual{Type: c.Types.Function(t.Unqual(), params, variadic, false)}
}

// isPrintf reports whether a declarator is that of printf, the only function of a program that may be variadic:
// int printf(constant char *, ...), with a const or without. It declares the built-in function once more.
func (c *Checker) isPrintf(d *Declarator, result types.Qual, params []types.Qual) bool {
	if d.Name == nil || d.Name.Text != "printf" || !c.builtins().Has("printf") || result.Unqual() != qual(c.Types.Int) ||
		len(params) != 1 || params[0].Kind != types.PointerKind {
		return false
	}
	text := params[0].Elem
	return text.Space() == types.Constant && text.Type == c.Types.Char
}

// qualWords returns the words of const, volatile and restrict.
func qualWords(q types.Quals) string {
	s := ""
	for _, w := range []struct {
		q    types.Quals
		name string
	}{{types.Const, "const"}, {types.Volatile, "volatile"}, {types.Restrict, "restrict"}} {
		if q&w.q != 0 {
			if s != "" {
				s += " "
			}
			s += w.name
		}
	}
	return s
}

// adjust returns the type of a parameter: arrays and functions are pointers there.
func (c *Checker) adjust(t types.Qual, d *Declarator) types.Qual {
	switch t.Kind {
	case types.ArrayKind:
		// As in clang, what is written as an array is private where no address space is written, and not generic.
		elem := types.Qual{Type: t.Elem.Type, Q: t.Q}
		q := types.Quals(0)
		if len(d.Chunks) > 0 && d.Chunks[0].Kind == ArrayChunk {
			q = d.Chunks[0].Quals
		}
		return types.Qual{Type: c.Types.Pointer(elem), Q: q}
	case types.FunctionKind:
		c.Diags.Errorf(d.Pos, "pointers to functions are not allowed")
		return types.Qual{Type: c.Types.Invalid}
	}
	return t
}

// AbstractType returns the type of a type name, as in casts and sizeof.
func (c *Checker) AbstractType(s *Spec, d *Declarator) types.Qual {
	c.WarnImplicitInt(s, d.Pos)
	if s.Storage != token.EOF {
		c.Diags.Errorf(s.StoragePos, "type name does not allow storage class to be specified")
	}
	t := c.TypeOf(s, d)
	return t
}

// noteForward adds a note where an incomplete structure, union or enumeration has been declared.
func (c *Checker) noteForward(e *diag.Diagnostic, t *types.Type) {
	for t.IsArray() {
		t = t.Elem.Type
	}
	switch {
	case t.IsStruct() && t.Struct.Pos != 0:
		e.Note(t.Struct.Pos, "forward declaration of '%s'", t)
	case t.Kind == types.EnumKind && t.Enum.Pos != 0:
		e.Note(t.Enum.Pos, "forward declaration of '%s'", t)
	}
}
