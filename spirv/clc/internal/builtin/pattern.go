package builtin

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Patterns are signatures over generic types, written as in C without names: "T(T, @N*)". The generic words are
//
//	T   each type of the row's Over
//	E   the component type of T
//	I U the signed and the unsigned integer types of T's width and number of components
//	N   int with T's number of components
//	R   what comparing values of type T gives: int, or a vector of signed integers of T's width
//	W   integers of twice T's width and of its sign, with T's number of components
//	Tm  T with each number of components of Over.M; Um also unsigned
//	Tn  T with as many components as the digits in the function's name say (1 without digits); Fn, Dn also of floats
//	    and doubles
//	C F coordinates of the image type T: integers and floats
//	G   gradients for the image type T
//	X   what a read of the image type T gives: float4, of depth float
//	Jn  for an image type T, the component type of the row with as many components as the name says
//	V   the type that the name of a conversion has
//
// "@" before a pointer puts it into the address spaces of the row's Spaces, the first pointer into the first, and so
// on; pointers to what OpenCL C names without them are written global, local and so on. flags, order and scope are
// the types of these arguments, and dim is the type of dimensions.

// word is a type of a pattern.
type word struct {
	text  string // generic words; empty for a type that is known
	fixed func(t *types.Table) *types.Type
	ptr   bool
	quals types.Quals // of what a pointer leads to
	slot  int         // the number of the pointer's @, from 1; 0 for those with an address space of their own
}

// pattern is a signature over words.
type pattern struct {
	result   word
	params   []word
	variadic bool
	generic  bool // has a word that depends on T
	multi    bool // has a word that depends on Over.M
}

// fixedTypes has the types of patterns that depend on nothing but the device.
var fixedTypes = map[string]func(t *types.Table) *types.Type{
	"void":    func(t *types.Table) *types.Type { return t.Void },
	"bool":    func(t *types.Table) *types.Type { return t.Bool },
	"char":    func(t *types.Table) *types.Type { return t.Char },
	"uchar":   func(t *types.Table) *types.Type { return t.UChar },
	"short":   func(t *types.Table) *types.Type { return t.Short },
	"ushort":  func(t *types.Table) *types.Type { return t.UShort },
	"int":     func(t *types.Table) *types.Type { return t.Int },
	"uint":    func(t *types.Table) *types.Type { return t.UInt },
	"long":    func(t *types.Table) *types.Type { return t.Long },
	"ulong":   func(t *types.Table) *types.Type { return t.ULong },
	"half":    func(t *types.Table) *types.Type { return t.Half },
	"float":   func(t *types.Table) *types.Type { return t.Float },
	"double":  func(t *types.Table) *types.Type { return t.Double },
	"size":    func(t *types.Table) *types.Type { return t.Size },
	"ptrdiff": func(t *types.Table) *types.Type { return t.PtrDiff },
	"intptr":  func(t *types.Table) *types.Type { return t.IntPtr },
	"uintptr": func(t *types.Table) *types.Type { return t.UIntPtr },
	"event":   func(t *types.Table) *types.Type { return t.Event },
	"sampler": func(t *types.Table) *types.Type { return t.Sampler },
	"reserve": func(t *types.Table) *types.Type { return t.ReserveID },
	"flags":   func(t *types.Table) *types.Type { return t.UInt },
	"dim":     func(t *types.Table) *types.Type { return t.UInt },
	"order":   func(t *types.Table) *types.Type { return t.Int },
	"scope":   func(t *types.Table) *types.Type { return t.Int },
}

// parsePatterns reads a row's Sig. It panics on what is no pattern: rows are part of the program.
func parsePatterns(sig string) []pattern {
	var out []pattern
	for _, s := range strings.Split(sig, ";") {
		head, list, ok := strings.Cut(strings.TrimSpace(s), "(")
		list, ok2 := strings.CutSuffix(list, ")")
		if !ok || !ok2 {
			panic("builtin: no pattern: " + s)
		}
		var p pattern
		slots := 0
		p.result = parseWord(head, &slots)
		p.note(p.result)
		if list != "" {
			for _, x := range strings.Split(list, ",") {
				if x = strings.TrimSpace(x); x == "..." {
					p.variadic = true
					continue
				}
				w := parseWord(x, &slots)
				p.note(w)
				p.params = append(p.params, w)
			}
		}
		out = append(out, p)
	}
	return out
}

// note sets what a word makes of the pattern.
func (p *pattern) note(w word) {
	switch w.text {
	case "":
	case "Tm", "Um":
		p.generic, p.multi = true, true
	case "Fn", "Dn":
	default:
		p.generic = true
	}
}

func parseWord(s string, slots *int) word {
	var w word
	s, w.ptr = strings.CutSuffix(s, "*")
	if rest, ok := strings.CutPrefix(s, "@"); ok {
		s = rest
		*slots++
		w.slot = *slots
	}
	f := strings.Fields(s)
	for _, q := range f[:len(f)-1] {
		switch q {
		case "const":
			w.quals |= types.Const
		case "volatile":
			w.quals |= types.Volatile
		case "atomic":
			w.quals |= types.Atomic
		case "global":
			w.quals = w.quals.In(types.Global)
		case "local":
			w.quals = w.quals.In(types.Local)
		case "constant":
			w.quals = w.quals.In(types.Constant)
		case "generic":
			w.quals = w.quals.In(types.Generic)
		default:
			panic("builtin: no qualifier: " + q)
		}
	}
	name := f[len(f)-1]
	switch name {
	case "T", "E", "I", "U", "N", "R", "W", "Tm", "Um", "Tn", "Fn", "Dn", "C", "F", "G", "X", "Jn", "V":
		w.text = name
		return w
	}
	base := strings.TrimRight(name, "0123456789")
	g := fixedTypes[base]
	if g == nil {
		panic("builtin: no type: " + name)
	}
	w.fixed = g
	if n := number(name[len(base):]); n > 1 {
		w.fixed = func(t *types.Table) *types.Type { return t.Vector(g(t), n) }
	}
	return w
}

// number reads digits; none is 0.
func number(s string) int {
	n := 0
	for _, c := range []byte(s) {
		n = 10*n + int(c-'0')
	}
	return n
}

// nameLanes returns the number that stands in a function's name, 1 for none.
func nameLanes(name string) int {
	i := strings.IndexAny(name, "0123456789")
	if i < 0 {
		return 1
	}
	j := i
	for j < len(name) && name[j] >= '0' && name[j] <= '9' {
		j++
	}
	return number(name[i:j])
}

// choice is what generic words stand for in one overload.
type choice struct {
	kind   types.Kind // of T's components
	n, m   int        // numbers of components
	name   int        // the number in the function's name
	to     types.Kind // what the name of a conversion converts to
	image  *types.Type
	spaces [2]types.Space
}

// typ returns the type that a word stands for, nil for one that does not exist.
func (w *word) typ(t *types.Table, c *choice) types.Qual {
	x := w.value(t, c)
	if x == nil {
		return types.Qual{}
	}
	if w.ptr {
		q := w.quals
		if w.slot > 0 {
			q = q.In(c.spaces[w.slot-1])
		}
		x = t.Pointer(types.Qual{Type: x, Q: q})
	}
	return types.Qual{Type: x}
}

// value is typ without the pointer.
func (w *word) value(t *types.Table, c *choice) *types.Type {
	if w.fixed != nil {
		return w.fixed(t)
	}
	switch w.text {
	case "T":
		if c.image != nil {
			return c.image
		}
		return t.Vector(t.Scalar(c.kind), c.n)
	case "E":
		return t.Scalar(c.kind)
	case "I":
		return t.Vector(t.SignedOf(t.Scalar(c.kind).Bits()), c.n)
	case "U":
		return t.Vector(t.Unsigned(t.SignedOf(t.Scalar(c.kind).Bits())), c.n)
	case "N":
		return t.Vector(t.Int, c.n)
	case "R":
		return t.BoolVector(t.Vector(t.Scalar(c.kind), c.n))
	case "W":
		s := t.Scalar(c.kind)
		x := t.SignedOf(2 * s.Bits())
		if !s.IsSigned() {
			x = t.Unsigned(x)
		}
		return t.Vector(x, c.n)
	case "Tm":
		return t.Vector(t.Scalar(c.kind), c.m)
	case "Um":
		return t.Vector(t.Unsigned(t.SignedOf(t.Scalar(c.kind).Bits())), c.m)
	case "Tn", "Jn":
		return t.Vector(t.Scalar(c.kind), c.name)
	case "V":
		return t.Vector(t.Scalar(c.to), c.name)
	case "Fn":
		return t.Vector(t.Float, c.name)
	case "Dn":
		return t.Vector(t.Double, c.name)
	case "X":
		if c.image.Image.Depth {
			return t.Float
		}
		return t.Vector(t.Float, 4)
	}
	n := c.image.Image.Dim
	switch {
	case w.text == "G": // of as many components as the image without its layers has
		if n == 3 {
			n = 4
		}
		return t.Vector(t.Float, n)
	case c.image.Image.Array:
		n++
	}
	if n == 3 {
		n = 4
	}
	if w.text == "C" {
		return t.Vector(t.Int, n)
	}
	return t.Vector(t.Float, n)
}

// choices returns the address spaces of the pointers written with @, one element for each overload.
func (s Spaces) choices(version int) [][2]types.Space {
	const p, g, l, c, x = types.Private, types.Global, types.Local, types.Constant, types.Generic
	generic := version >= 200
	switch s {
	case AnySpace:
		if generic {
			return [][2]types.Space{{x}}
		}
		return [][2]types.Space{{g}, {l}, {p}}
	case OwnSpace:
		if generic {
			return [][2]types.Space{{x}}
		}
		return [][2]types.Space{{p}}
	case ReadSpace:
		if generic {
			return [][2]types.Space{{x}, {c}}
		}
		return [][2]types.Space{{g}, {l}, {p}, {c}}
	case Shared:
		return [][2]types.Space{{g}, {l}}
	case AtomSpace:
		if version >= 300 {
			return [][2]types.Space{{g}, {l}, {x}}
		}
		return [][2]types.Space{{x}}
	case AtomSpaces:
		if version >= 300 {
			return [][2]types.Space{{g, g}, {g, l}, {g, p}, {l, g}, {l, l}, {l, p}, {x, x}}
		}
		return [][2]types.Space{{x, x}}
	case CopySpaces:
		return [][2]types.Space{{l, g}, {g, l}}
	case SharedAny:
		return [][2]types.Space{{g}, {l}, {x}}
	}
	return [][2]types.Space{{}}
}
