package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Lifetimes of variables, for those who check what a kernel does with them (C99 6.2.4): OpLifetimeStart where a
// variable of a block is declared without an initializer, so that it is undefined anew in each trip of a loop, or where
// its end is told; and OpLifetimeStop where its block ends, if something else may still lead to it. The variables of a function's
// outermost block live as long as the call. Jumps by goto end nothing, and of blocks that are entered by a jump nothing
// is told: there a lifetime does not begin where the variable is declared.

// lifetimes are the variables of a block whose end is told.
type lifetimes struct {
	vars  []*tree.Var
	quiet bool // nothing is told
}

// target is where a break or a continue goes to.
type target struct {
	label  spirv.ID
	scopes int // how many blocks are around it
}

// openScope enters a block. labels says that a jump may lead into it.
func (f *fn) openScope(labels bool) { f.scopes = append(f.scopes, lifetimes{quiet: labels}) }

// closeScope ends the lifetimes of the variables of the innermost block.
func (f *fn) closeScope() {
	last := len(f.scopes) - 1
	f.end(f.scopes[last].vars)
	f.scopes = f.scopes[:last]
}

// leave jumps out of blocks.
func (f *fn) leave(t target) {
	for i := len(f.scopes) - 1; i >= t.scopes; i-- {
		f.end(f.scopes[i].vars)
	}
	f.jump(t.label)
}

// end ends lifetimes, where control comes to it.
func (f *fn) end(l []*tree.Var) {
	if f.block == 0 {
		return
	}
	for i := len(l) - 1; i >= 0; i-- {
		f.body.op(spirv.OpLifetimeStop, l[i].ID, 0)
	}
}

// live begins the lifetime of a variable that is declared.
func (f *fn) live(v *tree.Var) {
	last := len(f.scopes) - 1
	if last < 1 || f.scopes[last].quiet {
		return
	}
	ends := v.Taken || v.Type.Kind == types.ArrayKind
	if ends || v.Init == nil {
		f.ensure()
		f.body.op(spirv.OpLifetimeStart, v.ID, 0)
	}
	if ends {
		f.scopes[last].vars = append(f.scopes[last].vars, v)
	}
}
