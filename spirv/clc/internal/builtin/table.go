package builtin

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// rows are all rows of the table, in the order of the specification.
var rows = sync.OnceValue(func() []*Def {
	var all []*Def
	for _, group := range [][]Def{
		workItemRows, mathRows, integerRows, commonRows, geometricRows, relationalRows, vectorRows, syncRows, clockRows,
		spaceRows,
		asyncRows, atomicRows, shuffleRows, printfRows, imageRows, workGroupRows, pipeRows, enqueueRows,
		subGroupRows,
		intelRows, bfloatRows, conversionRows, amdgcnRows, clangRows,
	} {
		for i := range group {
			all = append(all, &group[i])
		}
	}
	return all
})

// index has the rows of each name, but for those of conversionRows, whose names follow a rule.
var index = sync.OnceValue(func() map[string][]*Def {
	m := make(map[string][]*Def, 2048)
	for _, d := range rows() {
		if d.Section == conversionSection {
			continue
		}
		for _, n := range d.Names() {
			m[n] = append(m[n], d)
		}
	}
	return m
})

// Names returns the names that the row is for.
func (d *Def) Names() []string {
	var out []string
	for _, n := range strings.Fields(d.Name) {
		out = expand(out, n)
	}
	return out
}

// expand appends what a name with parts in braces stands for.
func expand(out []string, name string) []string {
	before, rest, ok := strings.Cut(name, "{")
	if !ok {
		return append(out, name)
	}
	parts, after, _ := strings.Cut(rest, "}")
	for _, p := range strings.Split(parts, ",") {
		out = expand(out, before+p+after)
	}
	return out
}

// defsOf returns the rows of a name, in any version of the language.
func defsOf(name string) []*Def {
	if d := index()[name]; d != nil {
		return d
	}
	if d := conversion(name); d != nil {
		return []*Def{d}
	}
	return nil
}

// Known reports whether a name is that of a built-in function of some version of OpenCL C, or of an extension.
func Known(name string) bool { return len(defsOf(name)) > 0 }

// All returns the rows of the table. They are not to be changed.
func All() []*Def { return rows() }

// Names returns the names of all built-in functions, sorted.
var Names = sync.OnceValue(func() []string {
	var out []string
	for _, d := range rows() {
		out = append(out, d.Names()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
})

// Table makes the overloads of built-in functions for one compilation. It may not be used by several goroutines at a
// time.
type Table struct {
	types *types.Table
	opts  *lang.Options
	names map[string]*entry
}

// entry is what a Table has made for a name.
type entry struct {
	defs  []*Def // the rows that this version of the language has
	sigs  []*Sig // made so far, the last one found first
	whole bool   // sigs has all overloads, in the order of the table
	all   []*Sig
}

// NewTable returns the table for a compilation.
func NewTable(t *types.Table, opts *lang.Options) *Table {
	return &Table{types: t, opts: opts, names: map[string]*entry{}}
}

func (t *Table) entry(name string) *entry {
	e := t.names[name]
	if e == nil {
		e = &entry{}
		for _, d := range defsOf(name) {
			if t.has(d) {
				e.defs = append(e.defs, d)
			}
		}
		t.names[name] = e
	}
	return e
}

// has reports whether this version of the language has a row.
func (t *Table) has(d *Def) bool {
	return t.opts.Version >= d.Since && (d.Until == 0 || t.opts.Version < d.Until)
}

// Has reports whether this compilation has a built-in function of a name, refused ones included.
func (t *Table) Has(name string) bool { return len(t.entry(name).defs) > 0 }

// Def returns the first row of a name, nil if this compilation has none. Rows that are Special or Refused are the
// only ones of their names.
func (t *Table) Def(name string) *Def {
	if e := t.entry(name); len(e.defs) > 0 {
		return e.defs[0]
	}
	return nil
}

// Lacks says why this compilation does not have a name that is Known: "it needs OpenCL C 2.0". It is empty for names
// that it has.
func (t *Table) Lacks(name string) string {
	if t.Has(name) {
		return ""
	}
	best := lang.Version(0)
	for _, d := range defsOf(name) {
		if d.Since > t.opts.Version && (best == 0 || d.Since < best) {
			best = d.Since
		}
	}
	if best == 0 {
		return "this version of OpenCL C does not have it any more"
	}
	return "it needs OpenCL C " + string([]byte{'0' + byte(best/100), '.', '0' + byte(best/10%10)})
}

// Overloads returns all overloads of a name, in the order of the table. It has none for names that are Special,
// Refused or not there.
func (t *Table) Overloads(name string) []*Sig {
	e := t.entry(name)
	if e.whole {
		return e.all
	}
	e.whole = true
	for _, d := range e.defs {
		if d.Special || d.Refused != "" {
			continue
		}
		t.expand(d, name, func(s *Sig) {
			for _, old := range e.sigs {
				if sameParams(old.Params, s.Params) && old.Def == s.Def {
					s = old
					break
				}
			}
			e.all = append(e.all, s)
		})
	}
	return e.all
}

// expand makes all overloads of a row for a name.
func (t *Table) expand(d *Def, name string, yield func(*Sig)) {
	spaces := d.Spaces.choices(int(t.opts.Version))
	for i := range d.pattern() {
		p := &d.patterns[i]
		c := d.choice(name)
		each := func() {
			for _, s := range spaces {
				c.spaces = s
				if sig := t.sig(d, p, name, &c); sig != nil {
					yield(sig)
				}
			}
		}
		switch {
		case !p.generic:
			each()
		case d.Over.Images != 0:
			c.kind = types.Kind(bits.TrailingZeros32(uint32(d.Over.Of)))
			for x := range imageTypes {
				for a := types.ReadOnly; a <= types.ReadWrite; a++ {
					if c.image = t.image(&d.Over, x, a); c.image != nil {
						each()
					}
				}
			}
		default:
			for of := d.Over.Of; of != 0; of &= of - 1 {
				c.kind = types.Kind(bits.TrailingZeros32(uint32(of)))
				for n := d.Over.N; n != 0; n &= n - 1 {
					c.n = laneCounts[bits.TrailingZeros8(uint8(n))]
					if !p.multi {
						each()
						continue
					}
					for m := d.Over.M; m != 0; m &= m - 1 {
						c.m = laneCounts[bits.TrailingZeros8(uint8(m))]
						each()
					}
				}
			}
		}
	}
}

// choice returns what the name of a function says of an overload.
func (d *Def) choice(name string) choice {
	c := choice{name: nameLanes(name)}
	if d.Section == conversionSection {
		x, _ := ParseConversion(name)
		c.to, c.name = x.Kind, x.Lanes
	}
	return c
}

// image returns an image type of a row, nil if the row or this version of the language lacks it.
func (t *Table) image(o *Over, x int, a types.Access) *types.Type {
	im := imageTypes[x]
	switch {
	case o.Images>>x&1 == 0, o.Access>>a&1 == 0:
		return nil
	case a == types.ReadWrite && t.opts.Version < lang.CL20,
		(im.Depth || im.MSAA) && t.opts.Version < lang.CL12:
		return nil
	}
	im.Access = a
	return t.types.ImageType(im)
}

// pattern returns the row's patterns.
func (d *Def) pattern() []pattern {
	patternLock.Lock()
	defer patternLock.Unlock()
	if d.patterns == nil {
		d.patterns = parsePatterns(d.Sig)
	}
	return d.patterns
}

var patternLock sync.Mutex // guards Def.patterns, which all compilations share

// sig makes one overload.
func (t *Table) sig(d *Def, p *pattern, name string, c *choice) *Sig {
	s := &Sig{Name: name, Def: d, Variadic: p.variadic, Result: p.result.typ(t.types, c)}
	if len(p.params) > 0 {
		s.Params = make([]types.Qual, len(p.params))
		for i := range p.params {
			s.Params[i] = p.params[i].typ(t.types, c)
		}
	}
	return s
}

func sameParams(a, b []types.Qual) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type != b[i].Type {
			return false
		}
	}
	return true
}

// Exact returns the overload whose parameters have the types of the arguments, without regard to qualifiers of the
// arguments themselves; nil if there is none. It does not make the other overloads.
func (t *Table) Exact(name string, args []types.Qual) *Sig {
	e := t.entry(name)
	for i, s := range e.sigs {
		if sameParams(s.Params, args) {
			e.sigs[0], e.sigs[i] = s, e.sigs[0]
			return s
		}
	}
	if e.whole {
		for _, s := range e.all {
			if sameParams(s.Params, args) {
				e.sigs = append(e.sigs, s)
				return s
			}
		}
		return nil
	}
	for _, d := range e.defs {
		if d.Special || d.Refused != "" {
			continue
		}
		if s := t.infer(d, name, args); s != nil {
			e.sigs = append(e.sigs, s)
			return s
		}
	}
	return nil
}

// infer finds out what generic words stand for from the types of arguments, and returns the overload if it fits.
func (t *Table) infer(d *Def, name string, args []types.Qual) *Sig {
	spaces := d.Spaces.choices(int(t.opts.Version))
	for i := range d.pattern() {
		p := &d.patterns[i]
		if len(p.params) != len(args) || p.variadic {
			continue
		}
		c := d.choice(name)
		of, ok := d.Over.Of, true
		for i := range p.params {
			if !p.params[i].infer(args[i].Type, &c, &of) {
				ok = false
				break
			}
		}
		if !ok || !slices.Contains(spaces, c.spaces) {
			continue
		}
		if c.image != nil {
			x := slices.Index(imageTypes[:], types.Image{Dim: c.image.Image.Dim, Array: c.image.Image.Array,
				Depth: c.image.Image.Depth, MSAA: c.image.Image.MSAA, Buffer: c.image.Image.Buffer})
			if x < 0 || t.image(&d.Over, x, c.image.Image.Access) != c.image {
				continue
			}
		} else if p.generic {
			if c.n == 0 && bits.OnesCount8(uint8(d.Over.N)) == 1 {
				c.n = laneCounts[bits.TrailingZeros8(uint8(d.Over.N))]
			}
			if !d.Over.N.has(c.n) || p.multi && !d.Over.M.has(c.m) {
				continue
			}
		}
		for k := of; k != 0; k &= k - 1 {
			c.kind = types.Kind(bits.TrailingZeros32(uint32(k)))
			if s := t.sig(d, p, name, &c); sameParams(s.Params, args) {
				return s
			}
			if !p.generic {
				break
			}
		}
		if of == 0 && (!p.generic || c.image != nil) {
			if s := t.sig(d, p, name, &c); sameParams(s.Params, args) {
				return s
			}
		}
	}
	return nil
}

// has reports whether a number of components is in the set.
func (l lanes) has(n int) bool {
	for i, x := range laneCounts {
		if x == n {
			return l>>i&1 != 0
		}
	}
	return false
}

// infer notes what the type of an argument tells of the choice, and of T's component types that are left; false if
// the word cannot be that type.
func (w *word) infer(x *types.Type, c *choice, of *kinds) bool {
	if w.ptr {
		if x.Kind != types.PointerKind {
			return false
		}
		if w.slot > 0 {
			c.spaces[w.slot-1] = x.Elem.Space()
		}
		x = x.Elem.Type
	}
	if w.fixed != nil {
		return true // compared in the end
	}
	switch w.text {
	case "T", "E", "Tm", "Tn":
		if x.Kind == types.ImageKind {
			c.image = x
			return w.text == "T"
		}
		if *of &= 1 << x.Component().Kind; *of == 0 {
			return false
		}
	case "C", "F", "G":
		return true
	}
	switch n := x.Lanes(); w.text {
	case "T", "I", "U", "N", "R":
		if c.n != 0 && c.n != n {
			return false
		}
		c.n = n
	case "Tm", "Um":
		if c.m != 0 && c.m != n {
			return false
		}
		c.m = n
	}
	return true
}
