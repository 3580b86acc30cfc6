package sema

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// maxUninitSteps bounds the analysis of one function: loops in loops are walked over again.
const maxUninitSteps = 1 << 18

// uninitialized warns about variables of a function that are read before they have a value. It looks at
// variables of scalar and vector types whose addresses are not taken. In functions with goto, it warns about
// variables that have no value on any way alone.
func (c *Checker) uninitialized(f *tree.Func) {
	u := &uninit{c: c, index: map[*tree.Var]int{}}
	if len(f.Labels) > 0 {
		u.learn(f)
	}
	u.stmt(f.Body)
	if u.steps >= maxUninitSteps {
		return
	}
	slices.SortStableFunc(u.found, func(a, b uninitUse) int { return cmp.Compare(a.v.Pos, b.v.Pos) })
	for i := range u.found {
		u.report(&u.found[i])
	}
}

// learn walks over a function until it is known with what values each goto comes to its label. States only
// grow, so that this ends; a function for which it takes too long gets no warnings.
func (u *uninit) learn(f *tree.Func) {
	u.labels = map[*tree.Label]*values{}
	u.quiet++
	for u.grown = true; u.grown && u.steps < maxUninitSteps; {
		u.grown = false
		u.now = values{}
		u.stmt(f.Body)
	}
	u.quiet--
	u.now = values{}
}

// jump adds the state at hand to that with which gotos come to a label.
func (u *uninit) jump(l *tree.Label) {
	if u.now.dead {
		return
	}
	at := u.labels[l]
	if at == nil {
		at = &values{dead: true}
		u.labels[l] = at
	}
	if at.dead || !at.no.holds(u.now.no) || !at.yes.holds(u.now.yes) {
		at.join(&u.now)
		u.grown = true
	}
	u.now.dead = true
}

// uninit is the analysis of one function.
type uninit struct {
	c     *Checker
	index map[*tree.Var]int
	vars  []uninitVar
	now   values
	// leave and again collect the states in which the innermost loop or switch is left, and its loop goes on.
	leave, again *values
	labels       map[*tree.Label]*values // the states in which gotos come to labels
	grown        bool                    // one of them has changed
	quiet        int                     // nothing is reported
	steps        int
	found        []uninitUse
}

type uninitVar struct {
	v        *tree.Var
	why      reason
	reported bool
}

// reason is the branch on which a variable has no value.
type reason struct {
	pos  source.Pos
	what string
	note string
}

type uninitUse struct {
	v    *tree.Var
	pos  source.Pos
	sure bool
	why  reason
}

// values says for each variable, by its number, whether it may have no value (no), and whether it may have one (yes).
type values struct {
	no, yes bitset
	dead    bool // this place is not reached
}

type bitset []uint64

func (b bitset) has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 != 0 }

func (b bitset) word(k int) uint64 {
	if k < len(b) {
		return b[k]
	}
	return 0
}

func (b *bitset) set(i int, on bool) {
	for i/64 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i/64] &^= 1 << (i % 64)
	if on {
		(*b)[i/64] |= 1 << (i % 64)
	}
}

// holds reports whether all of o are in b.
func (b bitset) holds(o bitset) bool {
	for i, w := range o {
		if w&^b.word(i) != 0 {
			return false
		}
	}
	return true
}

func (b *bitset) or(o bitset) {
	for len(*b) < len(o) {
		*b = append(*b, 0)
	}
	for i, w := range o {
		(*b)[i] |= w
	}
}

func (v *values) copy() values {
	return values{no: slices.Clone(v.no), yes: slices.Clone(v.yes), dead: v.dead}
}

// join adds the states of another way to the same place.
func (v *values) join(o *values) {
	switch {
	case o.dead:
	case v.dead:
		*v = o.copy()
	default:
		v.no.or(o.no)
		v.yes.or(o.yes)
	}
}

// because notes why variables have no value behind two branches, of which a gives them one and b does not.
func (u *uninit) because(a, b *values, pos source.Pos, what, note string) {
	if a.dead || b.dead {
		return
	}
	for k := range min(len(a.yes), len(b.no)) {
		w := a.yes[k] &^ a.no.word(k) & b.no[k] &^ b.yes.word(k)
		for ; w != 0; w &= w - 1 {
			u.vars[64*k+bits.TrailingZeros64(w)].why = reason{pos, what, note}
		}
	}
}

func (u *uninit) report(use *uninitUse) {
	d := u.c.Diags
	if use.sure {
		d.Warnf("uninitialized", use.pos, "variable '%s' is uninitialized when used here", use.v.Name).
			Note(use.v.Pos, "initialize the variable '%s' to silence this warning", use.v.Name)
		return
	}
	e := d.Warnf("sometimes-uninitialized", use.why.pos, "variable '%s' is used uninitialized whenever %s", use.v.Name,
		use.why.what).Note(use.pos, "uninitialized use occurs here")
	if use.why.note != "" {
		e.Note(use.why.pos, "%s", use.why.note)
	}
	e.Note(use.v.Pos, "initialize the variable '%s' to silence this warning", use.v.Name)
}

// declare begins the life of a variable.
func (u *uninit) declare(v *tree.Var) {
	t := v.Type
	follow := v.Storage == tree.AutoVar && !v.Taken && v.Name != "" && (t.IsScalar() || t.IsVector())
	if v.Init != nil {
		u.expr(v.Init)
	}
	if !follow {
		return
	}
	i, ok := u.index[v]
	if !ok {
		i = len(u.vars)
		u.index[v] = i
		u.vars = append(u.vars, uninitVar{v: v})
	}
	u.now.no.set(i, v.Init == nil)
	u.now.yes.set(i, v.Init != nil)
}

func (u *uninit) assigned(v *tree.Var) {
	if i, ok := u.index[v]; ok {
		u.now.no.set(i, false)
		u.now.yes.set(i, true)
	}
}

func (u *uninit) read(v *tree.Var, pos source.Pos) {
	i, ok := u.index[v]
	if !ok || u.now.dead || !u.now.no.has(i) || u.quiet > 0 || u.vars[i].reported {
		return
	}
	sure := !u.now.yes.has(i)
	if !sure && (u.labels != nil || u.vars[i].why.what == "") || sure && !u.c.body.uninit || !sure && !u.c.body.sometimes {
		return
	}
	u.vars[i].reported = true
	u.found = append(u.found, uninitUse{v: v, pos: pos, sure: sure, why: u.vars[i].why})
}

// branch walks over two alternatives from the state at hand.
func (u *uninit) branch(a, b func(), pos source.Pos, what, noteA, noteB string) {
	before := u.now.copy()
	a()
	afterA := u.now
	u.now = before
	b()
	u.because(&afterA, &u.now, pos, what+" condition is false", noteA)
	u.because(&u.now, &afterA, pos, what+" condition is true", noteB)
	u.now.join(&afterA)
}

func (u *uninit) stmt(s tree.Stmt) {
	if u.steps++; u.steps > maxUninitSteps {
		return
	}
	switch s := s.(type) {
	case *tree.Block:
		for _, x := range s.List {
			u.stmt(x)
		}
	case *tree.ExprStmt:
		u.expr(s.X)
	case *tree.DeclStmt:
		for _, v := range s.Vars {
			u.declare(v)
		}
	case *tree.If:
		u.cond(s.Cond)
		switch value, known := u.c.constantCondition(s.Cond); {
		case known && value:
			u.stmt(s.Then)
		case known:
			u.stmt(s.Else)
		default:
			u.branch(func() { u.stmt(s.Then) }, func() { u.stmt(s.Else) }, s.Cond.Info().From, "'if'",
				"remove the 'if' if its condition is always true", "remove the 'if' if its condition is always false")
		}
	case *tree.Loop:
		u.loop(s)
	case *tree.Switch:
		u.switches(s)
	case *tree.Case:
		u.stmt(s.Stmt)
	case *tree.Label:
		if at := u.labels[s]; at != nil {
			u.now.join(at)
		}
		u.stmt(s.Stmt)
	case *tree.Goto:
		u.jump(s.Label)
	case *tree.Return:
		u.expr(s.X)
		u.now.dead = true
	case *tree.Break:
		if u.leave != nil {
			u.leave.join(&u.now)
		}
		u.now.dead = true
	case *tree.Continue:
		if u.again != nil {
			u.again.join(&u.now)
		}
		u.now.dead = true
	}
}

func (u *uninit) loop(s *tree.Loop) {
	u.stmt(s.Init)
	leave, again := u.leave, u.again
	start := u.now.copy()
	// The first time is to learn with what values the loop comes back to its beginning.
	u.quiet++
	u.round(s)
	u.quiet--
	back := u.now.copy()
	u.now = start
	u.now.join(&back)
	left := u.round(s)
	u.now = left
	u.leave, u.again = leave, again
}

// round walks over a loop once. It returns the state behind the loop; at hand is that in which the loop goes on.
func (u *uninit) round(s *tree.Loop) values {
	left, again := values{dead: true}, values{dead: true}
	u.leave, u.again = &left, &again
	value, known := u.c.constantCondition(s.Cond)
	forever := known && value
	if !s.After {
		u.cond(s.Cond)
		if !forever {
			left.join(&u.now)
		}
	}
	before := left.copy()
	u.stmt(s.Body)
	u.now.join(&again)
	if s.After {
		u.cond(s.Cond)
		if !forever {
			left.join(&u.now)
		}
	}
	u.expr(s.Post)
	if !s.After && !forever {
		what := "'while'"
		if s.For {
			what = "'for'"
		}
		u.because(&u.now, &before, s.Cond.Info().From, what+" loop exits because its condition is false",
			"remove the condition if it is always true")
		u.because(&left, &before, s.Cond.Info().From, what+" loop exits because its condition is false",
			"remove the condition if it is always true")
	}
	return left
}

func (u *uninit) switches(s *tree.Switch) {
	u.expr(s.X)
	leave := u.leave
	before := u.now.copy()
	left := values{dead: true}
	u.leave = &left
	whole := false
	u.now.dead = true
	u.caseList(s.Body, &before, &whole)
	u.now.join(&left)
	if !whole {
		u.now.join(&before)
	}
	u.leave = leave
}

// caseList walks over the body of a switch: a label may be reached from its head.
func (u *uninit) caseList(s tree.Stmt, head *values, whole *bool) {
	switch s := s.(type) {
	case *tree.Block:
		for _, x := range s.List {
			u.caseList(x, head, whole)
		}
	case *tree.Case:
		*whole = *whole || s.Default
		u.now.join(head)
		u.caseList(s.Stmt, head, whole)
	case nil:
	default:
		u.stmt(s)
	}
}

// cond walks over a condition.
func (u *uninit) cond(x tree.Expr) {
	if x != nil {
		u.expr(x)
	}
}

// target walks over the left side of an assignment; it returns the variable that gets a value, nil if none does.
func (u *uninit) target(x tree.Expr) *tree.Var {
	switch n := x.(type) {
	case *tree.VarRef:
		return n.Var
	case *tree.Swizzle:
		return u.target(n.X)
	case *tree.VectorIndex:
		u.expr(n.Index)
		return u.target(n.X)
	}
	u.expr(x)
	return nil
}

func (u *uninit) exprs(list []tree.Expr) {
	for _, x := range list {
		u.expr(x)
	}
}

// expr walks over an expression in the order in which it is evaluated.
func (u *uninit) expr(x tree.Expr) {
	if u.steps++; u.steps > maxUninitSteps {
		return
	}
	switch n := x.(type) {
	case *tree.Convert:
		if n.Kind == tree.Load {
			if v := variableOf(n.X); v != nil {
				u.read(v, n.From)
			}
		}
		u.expr(n.X)
	case *tree.Unary:
		u.expr(n.X)
		if n.Op >= tree.PreInc {
			if v := variableOf(n.X); v != nil {
				u.read(v, n.X.Info().From)
				u.assigned(v)
			}
		}
	case *tree.Binary:
		u.expr(n.L)
		if (n.Op == tree.LogAnd || n.Op == tree.LogOr) && !n.Type.IsVector() {
			before := u.now.copy()
			u.expr(n.R)
			u.now.join(&before)
		} else {
			u.expr(n.R)
		}
	case *tree.Assign:
		u.expr(n.R)
		if v := u.target(n.L); v != nil {
			u.assigned(v)
		}
	case *tree.CompoundAssign:
		u.expr(n.R)
		if v := u.target(n.L); v != nil {
			u.read(v, n.L.Info().From)
			u.assigned(v)
		}
	case *tree.Cond:
		u.expr(n.C)
		u.branch(func() { u.expr(n.A) }, func() { u.expr(n.B) }, n.C.Info().From, "'?:'",
			"remove the '?:' if its condition is always true", "remove the '?:' if its condition is always false")
	case *tree.Select:
		u.expr(n.C)
		u.expr(n.A)
		u.expr(n.B)
	case *tree.Member:
		u.expr(n.X)
	case *tree.Swizzle:
		u.expr(n.X)
	case *tree.VectorIndex:
		u.expr(n.X)
		u.expr(n.Index)
	case *tree.VectorLit:
		u.exprs(n.Elems)
	case *tree.InitList:
		for i := range n.Items {
			u.expr(n.Items[i].Value)
		}
	case *tree.CompoundLit:
		u.expr(n.Var.Init)
	case *tree.Call:
		u.exprs(n.Args)
		if n.Func.Attrs.NoReturn {
			u.now.dead = true
		}
	case *tree.CallBuiltin:
		u.exprs(n.Args)
	case *tree.StmtExpr:
		u.stmt(n.Body)
	}
}
