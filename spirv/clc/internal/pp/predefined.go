package pp

import (
	"sync"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// predefined is a macro that needs no #define: its name, what stands behind the name in a definition, and when the
// macro is there.
type predefined struct {
	name, text string
	when       when
}

// when says under which options a predefined macro is there.
type when uint8

const (
	always when = iota
	cl12        // from OpenCL C 1.2 on
	cl20
	cl30
	is10 // in this version only
	is11
	is12
	is20
	is30
	bits32
	bits64
	fp16
	fp64
	optimize
	fast
	finite
	infinite
)

// holds reports whether a macro is there.
func (w when) holds(o *lang.Options) bool {
	switch w {
	case cl12:
		return o.Version >= lang.CL12
	case cl20:
		return o.Version >= lang.CL20
	case cl30:
		return o.Version >= lang.CL30
	case is10:
		return o.Version == lang.CL10
	case is11:
		return o.Version == lang.CL11
	case is12:
		return o.Version == lang.CL12
	case is20:
		return o.Version == lang.CL20
	case is30:
		return o.Version == lang.CL30
	case bits32:
		return o.AddressBits == 32
	case bits64:
		return o.AddressBits == 64
	case fp16:
		return o.Has("cl_khr_fp16")
	case fp64:
		return o.Has("cl_khr_fp64")
	case optimize:
		return !o.OptDisable
	case fast:
		return o.FastRelaxedMath
	case finite:
		return o.FiniteMathOnly || o.FastRelaxedMath
	case infinite:
		return !o.FiniteMathOnly && !o.FastRelaxedMath
	}
	return true
}

// known is what is known of a name before the first line of a source.
type known struct {
	name    string
	hash    uint32
	keyword token.Kind
	since   lang.Version // of the keyword
	builtin builtin
	rows    []predefined
	feature bool // a row of package lang
}

// knownTable finds them by the hashes that the lexer computes anyway: open addressing over a power of two of slots.
// It is made once a process, and asked once for each different name of a source, so that the predefined macros cost
// nothing unless they are used.
var knownTable = sync.OnceValue(func() []*known {
	all := make(map[string]*known)
	var order []*known
	get := func(name string) *known {
		k := all[name]
		if k == nil {
			k = &known{name: name, hash: token.HashOf(name)}
			all[name] = k
			order = append(order, k)
		}
		return k
	}
	for _, w := range keywords {
		k := get(w.name)
		k.keyword, k.since = w.kind, w.since
	}
	for i, row := range predefineds {
		k := get(row.name)
		if k.rows == nil {
			k.rows = predefineds[i : i+1 : i+1]
		} else {
			k.rows = append(k.rows, row)
		}
	}
	for _, f := range lang.Features {
		get(f.Name).feature = true
	}
	for name, b := range builtins {
		get(name).builtin = b
	}
	table := make([]*known, 4096)
	for _, k := range order {
		i := slotOf(k.hash, len(table))
		for table[i] != nil {
			i = (i + 1) & (len(table) - 1)
		}
		table[i] = k
	}
	return table
})

// slotOf returns where the search for a hash begins.
func slotOf(hash uint32, slots int) int { return int(hash^hash>>15) & (slots - 1) }

// featureText is the definition of the macros of extensions and features.
var featureText = predefined{text: " 1"}

// installNames makes names keywords and macros when they first occur.
func (p *Preprocessor) installNames() {
	table := knownTable()
	o := p.cfg.Lang
	p.names.WhenMade(func(n *token.Name, hash uint32) {
		i := slotOf(hash, len(table))
		for ; table[i] != nil; i = (i + 1) & (len(table) - 1) {
			if k := table[i]; k.hash == hash && k.name == n.Text {
				p.installName(n, k, o)
				return
			}
		}
	})
	p.special = specialNames{
		defined: p.names.Lookup("defined"), vaArgs: p.names.Lookup("__VA_ARGS__"), vaOpt: p.names.Lookup("__VA_OPT__"),
		hasInclude: p.names.Lookup("__has_include"), hasIncludeNext: p.names.Lookup("__has_include_next"),
	}
}

// installName makes a name what is known of it.
func (p *Preprocessor) installName(n *token.Name, k *known, o *lang.Options) {
	if k.keyword != 0 && o.Version >= k.since {
		n.Keyword = k.keyword
	}
	switch {
	case k.builtin != 0:
		n.Macro = &Macro{name: n, id: -1, builtin: k.builtin}
	case k.feature:
		if o.Has(k.name) {
			n.Macro = &Macro{name: n, id: -1, lazy: &featureText}
		}
	default:
		for i := range k.rows {
			if k.rows[i].when.holds(o) {
				n.Macro = &Macro{name: n, id: -1, lazy: &k.rows[i]}
			}
		}
	}
}

// define reads the definition of a predefined macro, when it is needed for the first time.
func (p *Preprocessor) define(m *Macro) {
	text := "#define " + m.name.Text + m.lazy.text
	m.lazy = nil
	f := p.files.Add("<built-in>", text, 0)
	if f == nil {
		p.fatal(p.lx.at(p.lx.pos), "the source and its headers are too large")
		return
	}
	outer := p.lx
	p.lx = newLexer(f, nil)
	p.lx.pos, p.lx.flags, p.lx.directive = len("#define ")+len(m.name.Text), 0, true
	m.pos = f.Pos(len("#define "))
	var t token.Token
	parameters := at(text, p.lx.pos) == '('
	p.lex(p.lx, &t)
	if parameters {
		m.function = true
		p.parameters(m, &t)
		p.lex(p.lx, &t)
	}
	p.body(m, &t)
	p.lx = outer
}
