package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// stmt emits a statement. One that nothing leads to is left out, unless it has labels.
func (f *fn) stmt(s tree.Stmt) {
	if f.block == 0 && !hasLabel(s) {
		return
	}
	switch s := s.(type) {
	case *tree.Block:
		if f.debug != nil {
			f.debugBlock(s, func() { f.statements(s) })
		} else {
			f.statements(s)
		}
	case *tree.ExprStmt:
		f.at(s.Pos)
		f.discard(s.X)
	case *tree.DeclStmt:
		for _, v := range s.Vars {
			f.declareVar(v)
		}
	case *tree.If:
		f.ifStmt(s)
	case *tree.Loop:
		if f.declares(s.Init) {
			f.debugLexical(s.Pos, func() { f.loop(s) })
		} else {
			f.loop(s)
		}
	case *tree.Switch:
		f.switchStmt(s)
	case *tree.Case:
		f.begin(f.cases[s])
		f.stmt(s.Stmt)
	case *tree.Label:
		f.begin(f.label(s))
		f.stmt(s.Stmt)
	case *tree.Goto:
		f.at(s.Pos)
		f.jump(f.label(s.Label))
	case *tree.Break:
		f.at(s.Pos)
		f.leave(f.breakTo)
	case *tree.Continue:
		f.at(s.Pos)
		f.leave(f.contTo)
	case *tree.Return:
		f.returnStmt(s)
	}
}

func (f *fn) statements(b *tree.Block) {
	old := f.noContract
	f.noContract = b.NoContract
	defer func() { f.noContract = old }()
	f.openScope(hasLabel(b))
	for _, x := range b.List {
		f.stmt(x)
	}
	f.closeScope()
}

// hasLabel reports whether a jump may lead into a statement.
func hasLabel(s tree.Stmt) bool {
	switch s := s.(type) {
	case *tree.Block:
		for _, x := range s.List {
			if hasLabel(x) {
				return true
			}
		}
	case *tree.Case, *tree.Label:
		return true
	case *tree.If:
		return hasLabel(s.Then) || s.Else != nil && hasLabel(s.Else)
	case *tree.Loop:
		return hasLabel(s.Body)
	case *tree.Switch:
		return hasLabel(s.Body)
	}
	return false
}

func (f *fn) label(l *tree.Label) spirv.ID {
	if f.labels == nil {
		f.labels = map[*tree.Label]spirv.ID{}
	}
	id := f.labels[l]
	if id == 0 {
		id = f.module.id()
		f.labels[l] = id
	}
	return id
}

// declareVar makes a variable of the function and initializes it.
func (f *fn) declareVar(v *tree.Var) {
	if v.Storage != tree.AutoVar || v.Type.Kind == types.SamplerKind {
		return
	}
	f.at(v.Pos)
	if v.ID == 0 {
		f.declared(v)
		f.variable(v)
	}
	f.live(v)
	if v.Init != nil {
		f.initialize(f.variablePlace(v), v.Init)
	}
}

func (f *fn) ifStmt(s *tree.If) {
	f.at(s.Pos)
	if lit, ok := s.Cond.(*tree.IntLit); ok {
		taken, other := s.Then, s.Else
		if lit.Value == 0 {
			taken, other = other, taken
		}
		if other == nil || !hasLabel(other) {
			if taken != nil {
				f.stmt(taken)
			}
			return
		}
	}
	then, end := f.module.id(), f.module.id()
	no := end
	if s.Else != nil {
		no = f.module.id()
	}
	f.branch(s.Cond, then, no)
	f.begin(then)
	f.stmt(s.Then)
	f.jump(end)
	if s.Else != nil {
		f.begin(no)
		f.stmt(s.Else)
		f.jump(end)
	}
	f.begin(end)
}

func (f *fn) loop(s *tree.Loop) {
	f.openScope(hasLabel(s))
	defer f.closeScope()
	if s.Init != nil {
		f.stmt(s.Init)
	}
	f.at(s.Pos)
	header, body, next, end := f.module.id(), f.module.id(), f.module.id(), f.module.id()
	oldBreak, oldCont := f.breakTo, f.contTo
	f.breakTo, f.contTo = target{end, len(f.scopes)}, target{next, len(f.scopes)}
	f.begin(header)
	if c, n := unrollControl(s.Unroll); c != 0 && !(n != 0 && version(f.opts) < 0x00010400) {
		operands := []uint32{uint32(end), uint32(next), uint32(c)}
		if n != 0 {
			operands = append(operands, n)
		}
		f.body.op(spirv.OpLoopMerge, operands...)
		test := f.module.id()
		f.jump(test)
		f.begin(test)
	}
	if s.Cond != nil && !s.After {
		f.at(s.Pos)
		f.branch(s.Cond, body, end)
	}
	f.begin(body)
	f.stmt(s.Body)
	f.begin(next)
	switch {
	case s.After:
		f.at(s.Pos)
		f.branch(s.Cond, header, end)
	default:
		if s.Post != nil {
			f.at(s.Post.Info().From)
			f.discard(s.Post)
		}
		f.jump(header)
	}
	f.breakTo, f.contTo = oldBreak, oldCont
	f.begin(end)
}

// unrollControl returns the loop control of a hint, with the count of PartialCount.
func unrollControl(n int64) (c spirv.LoopControl, count uint32) {
	switch {
	case n == 0:
		return 0, 0
	case n == 1:
		return spirv.LoopControlDontUnroll, 0
	case n < 0:
		return spirv.LoopControlUnroll, 0
	}
	return spirv.LoopControlPartialCount, uint32(min(n, 1<<31))
}

// maxRange is the longest range of case labels that becomes labels of OpSwitch.
const maxRange = 64

func (f *fn) switchStmt(s *tree.Switch) {
	f.at(s.Pos)
	t := s.X.Info().Type.Base()
	x := f.value(s.X)
	if t.Kind == types.BoolKind {
		x, t = f.boolToInt(x, f.types.Int), f.types.Int
	}
	end := f.module.id()
	other := end
	if f.cases == nil {
		f.cases = map[*tree.Case]spirv.ID{}
	}
	type caseTarget struct {
		value uint64
		label spirv.ID
	}
	var targets []caseTarget
	for _, c := range s.Cases {
		id := f.module.id()
		f.cases[c] = id
		switch {
		case c.Default:
			other = id
		case c.High-c.Low < maxRange:
			for v := c.Low; ; v++ {
				targets = append(targets, caseTarget{v, id})
				if v == c.High {
					break
				}
			}
		default: // a long range is a comparison in front
			next := f.module.id()
			d := f.op(spirv.OpISub, f.typeOf(t), x, f.intConst(t, c.Low))
			in := f.op(spirv.OpULessThanEqual, f.boolType(1), d, f.intConst(t, c.High-c.Low))
			f.branchOn(in, id, next)
			f.begin(next)
		}
	}
	f.ensure()
	if len(targets) == 0 {
		f.jump(other)
	} else {
		w := []uint32{0, uint32(x), uint32(other)}
		mask := uint64(1<<64 - 1)
		if t.Bits() < 64 {
			mask = 1<<t.Bits() - 1
		}
		for _, c := range targets {
			w = append(w, uint32(c.value&mask))
			if t.Bits() == 64 {
				w = append(w, uint32(c.value>>32))
			}
			w = append(w, uint32(c.label))
		}
		if len(w) > spirv.MaxInstWords {
			f.fail(s.Pos, "a switch with %d labels is more than SPIR-V can say", len(targets))
			return
		}
		w[0] = uint32(len(w))<<16 | uint32(spirv.OpSwitch)
		f.body = append(f.body, w...)
		f.block = 0
	}
	oldBreak := f.breakTo
	f.breakTo = target{end, len(f.scopes)}
	f.stmt(s.Body)
	f.breakTo = oldBreak
	f.begin(end)
}

func (f *fn) returnStmt(s *tree.Return) {
	f.at(s.Pos)
	switch {
	case s.X == nil:
		if r := f.f.Type.Elem.Type; !r.IsVoid() && !byPointer(r) {
			f.do(spirv.OpReturnValue, f.undef(f.typeOf(r)))
		} else {
			f.do(spirv.OpReturn)
		}
	case s.X.Info().Type.IsVoid():
		f.discard(s.X)
		f.do(spirv.OpReturn)
	case f.sret != 0:
		t := f.f.Type.Elem
		p := place{base: f.sret, typ: t.Unqual(), align: f.types.AlignOf(t.Type)}
		f.copyStruct(&p, f.value(s.X))
		f.do(spirv.OpReturn)
	default:
		v := f.value(s.X)
		f.do(spirv.OpReturnValue, v)
	}
	f.block = 0
}
