// Package sema is the semantic analysis of OpenCL C: it declares names, gives expressions their types, inserts
// conversions, resolves overloads, folds constants, checks what the language forbids, and warns.
//
// The parser calls it while it reads: an action for each declaration, statement and expression. What comes out is a
// [tree.Unit]. The package reads no text and emits no code.
//
// Actions never fail: what is wrong is reported in Checker.Diags, and the result is a [tree.Bad] or something
// sensible in its place, about which nothing more is said.
package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Checker is the analysis of one translation unit.
//
// Qualifiers of an array are those of its elements: they stand in the Quals of the whole array, and the element type
// of an array type has none.
type Checker struct {
	Opts  *lang.Options
	Types *types.Table
	Files *source.Set
	Diags *diag.Bag
	Names *token.Names
	Unit  *tree.Unit

	fn *tree.Func // the function whose body is being read, nil at program scope

	declState
	pragmaState
	exprState
	stmtState
}

// New returns a Checker for one translation unit.
func New(opts *lang.Options, files *source.Set, names *token.Names, bag *diag.Bag) *Checker {
	t := types.NewTable(types.Config{AddressBits: opts.AddressBits})
	return &Checker{
		Opts: opts, Types: t, Files: files, Diags: bag, Names: names,
		Unit: &tree.Unit{Files: files, Types: t},
	}
}

// What token.Name.Decl can be, beside nil: *tree.Var, *Functions, *Typedef or *Enumerator. Names without one may be
// built-in functions or built-in types; Checker.Lookup declares the latter, and the enumerators of built-in
// enumerations, when it is first asked for them.

// Typedef is the name of a type.
type Typedef struct {
	Name string
	Type types.Qual
	Pos  source.Pos // 0 for built-in types
	// SizeDependent marks size_t, ptrdiff_t, intptr_t, uintptr_t and what is defined by them.
	SizeDependent bool
	// Align is from attributes; 0 for none.
	Align int64
	// written is what debug information says of it; nil for built-in types that are no typedefs.
	written *types.Typedef
}

// debugName returns what debug information says of a typedef, nil for none.
func (t *Typedef) debugName() *types.Typedef {
	if t == nil {
		return nil
	}
	return t.written
}

// Enumerator is a constant of an enumeration.
type Enumerator struct {
	Name  string
	Type  types.Qual // int, or the enumeration's integer type
	Value uint64
	Pos   source.Pos
}

// Functions is the functions of one name: several if they are overloadable.
type Functions struct {
	Name string
	List []*tree.Func
}
