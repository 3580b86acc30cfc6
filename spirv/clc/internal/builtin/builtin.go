// Package builtin is the table of OpenCL C's built-in functions: their names, their overloads, what they compute and
// how a module says it.
//
// Overload resolution (package sema), code generation (package gen), `lockstep help builtins` and the test of
// completeness read the same table. A row is a [Def]: names, patterns of signatures over generic types, and what the
// functions become in SPIR-V. A [Table] makes overloads of rows for one compilation, when they are asked for, because
// there are more than ten thousand of them and a program uses a few. The package knows no expressions: who converts
// arguments, and who is to blame, is package sema's.
//
// Rows that are Special have no list of overloads: their parameters are of any type (pipes, to_global, as_type).
// [Table.Special] makes the signature for the arguments of a call.
package builtin

import "github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"

// Sig is one overload of a built-in function, with types of its own.
type Sig struct {
	Name     string
	Result   types.Qual
	Params   []types.Qual
	Variadic bool // printf
	Def      *Def // the row of the table that it comes from
}

// String returns the overload as C declares it.
func (s *Sig) String() string {
	text := s.Result.String() + " " + s.Name + "("
	for i, p := range s.Params {
		if i > 0 {
			text += ", "
		}
		text += p.String()
	}
	switch {
	case s.Variadic:
		text += ", ..."
	case len(s.Params) == 0:
		text += "void"
	}
	return text + ")"
}
