package link

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// Input is a module to link.
type Input struct {
	// Name is what messages call the module: that of its file. An empty name
	// becomes "module N", counted from 1, which also follows a name that several have.
	Name   string
	Module *spirv.Module
}

// Options say what becomes of symbols.
type Options struct {
	// Library keeps the exports for a later link, and what is not defined yet.
	Library bool
	// Partial leaves imports that no module defines as they are.
	Partial bool
	// Resolves says which imports may stay in any case, since whoever runs the
	// module knows their names. Nil is none.
	Resolves func(name string) bool
}

// maxBound is the largest id bound that a module may have (section 2.17, universal limits).
const maxBound = 4194303

// maxWords is the size of a result in words, for what small modules could ask for.
const maxWords = 1 << 26

// linker is the state of a link.
type linker struct {
	opt     Options
	parts   []*part
	symbols map[string]*symbol
	order   []*symbol // by appearance
	errs    Errors

	next  spirv.ID              // next id of the result
	types map[string]spirv.ID   // types and constants by what they are
	sets  map[string]spirv.ID   // imports of extended instruction sets
	texts map[string]spirv.ID   // OpString by text
	made  map[spirv.ID]spirv.Op // ids that the result defines, and by what
	used  map[spirv.ID]use      // ids that the result uses
	queue []use                 // the same in order
	words int

	// graph is the size in words up to which types that lead to themselves are
	// compared.
	graph int
	out   sections
}

// use is where an id of the result is used first.
type use struct {
	id   spirv.ID
	part *part
	old  spirv.ID
}

// Link makes one module. The error is of type [Errors]; for an input that is no
// module at all its only element wraps [ErrMalformed]. The inputs are not
// changed, and the result shares nothing with them.
func Link(inputs []Input, opt Options) (*spirv.Module, error) {
	l := &linker{
		opt: opt, symbols: map[string]*symbol{}, next: 1, types: map[string]spirv.ID{}, sets: map[string]spirv.ID{},
		texts: map[string]spirv.ID{}, made: map[spirv.ID]spirv.Op{}, used: map[spirv.ID]use{},
	}
	l.out.init()
	if len(inputs) == 0 {
		return nil, Errors{{Kind: ErrMalformed, Reason: "there are no modules to link"}}
	}
	count := map[string]int{}
	for _, in := range inputs {
		count[in.Name]++
	}
	for i, in := range inputs {
		// Where several modules have one name, a message about two of them tells them apart.
		name := in.Name
		switch {
		case name == "":
			name = fmt.Sprintf("module %d", i+1)
		case count[name] > 1:
			name = fmt.Sprintf("%s (module %d)", name, i+1)
		}
		if in.Module == nil {
			return nil, Errors{{Kind: ErrMalformed, Reason: name + ": there is no module"}}
		}
		p, err := newPart(name, in.Module)
		if err != nil {
			return nil, Errors{{Kind: ErrMalformed, Reason: fmt.Sprintf("%s: %v", name, err)}}
		}
		l.parts = append(l.parts, p)
	}
	for _, step := range []func(){l.models, l.entryPoints, l.resolve, l.intern, l.check} {
		if step(); len(l.errs) > 0 && l.fatal() {
			return nil, l.errs
		}
	}
	if len(l.errs) > 0 {
		return nil, l.errs
	}
	m, err := l.emit()
	if err != nil {
		return nil, Errors{err}
	}
	return m, nil
}

// fatal says whether going on would only add to the confusion.
func (l *linker) fatal() bool {
	for _, e := range l.errs {
		if e.Kind == ErrMalformed || e.Kind == ErrModel || e.Kind == ErrTooLarge {
			return true
		}
	}
	return false
}

func (l *linker) fail(e *Error) { l.errs = append(l.errs, e) }

// models compares what has to be the same in each module.
func (l *linker) models() {
	first := l.parts[0]
	for _, p := range l.parts[1:] {
		if p.addressing != first.addressing || p.memory != first.memory {
			l.fail(&Error{Kind: ErrModel, Reason: "the modules are for different addressing or memory models",
				Sides: []Side{{first.name, modelText(first)}, {p.name, modelText(p)}}})
			return
		}
	}
}

func modelText(p *part) string { return fmt.Sprintf("%s %s", p.addressing, p.memory) }

// entryPoints looks for two of a name.
func (l *linker) entryPoints() {
	type key struct {
		model spirv.ExecutionModel
		name  string
	}
	seen := map[key]*part{}
	for _, p := range l.parts {
		for _, in := range p.entries {
			k := key{spirv.ExecutionModel(in.Operand(0)), in.StringOperand(2)}
			if old := seen[k]; old != nil {
				l.fail(&Error{Kind: ErrDuplicate, Symbol: k.name, Reason: "is an entry point of two modules; rename one of them, or leave one module out",
					Sides: []Side{{old.name, "entry point"}, {p.name, "entry point"}}})
				continue
			}
			seen[k] = p
		}
	}
}

// fresh returns a new id.
func (l *linker) fresh() spirv.ID {
	id := l.next
	l.next++
	return id
}

// id returns the result's id for one of a module.
func (l *linker) id(p *part, old spirv.ID) spirv.ID {
	n, ok := p.ids[old]
	if !ok {
		n = l.fresh()
		p.ids[old] = n
	}
	return n
}
