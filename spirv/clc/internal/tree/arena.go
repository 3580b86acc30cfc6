package tree

// Arena has the memory of the trees of functions. A function's tree is of use until its body has been packed (see
// [Unit.Pack]) or its code has been made; then the next one takes its place, so that a large source needs no more
// memory for trees than its largest function.
type Arena struct {
	Converts     Slab[Convert]
	VarRefs      Slab[VarRef]
	FuncRefs     Slab[FuncRef]
	Ints         Slab[IntLit]
	Floats       Slab[FloatLit]
	Unaries      Slab[Unary]
	Binaries     Slab[Binary]
	Assigns      Slab[Assign]
	Compounds    Slab[CompoundAssign]
	Members      Slab[Member]
	Swizzles     Slab[Swizzle]
	Calls        Slab[Call]
	BuiltinCalls Slab[CallBuiltin]

	Blocks    Slab[Block]
	ExprStmts Slab[ExprStmt]
	DeclStmts Slab[DeclStmt]
	Ifs       Slab[If]
	Loops     Slab[Loop]
	Returns   Slab[Return]

	Vars     Slab[Var]
	ExprList Slab[Expr]
	StmtList Slab[Stmt]
	VarList  Slab[*Var]
	Bytes    Slab[uint8]

	all []region // the slabs
}

// region is what an Arena does with each of its slabs.
type region interface {
	Mark()
	Reset()
}

func (a *Arena) slabs() []region {
	if a.all == nil {
		a.all = []region{&a.Converts, &a.VarRefs, &a.FuncRefs, &a.Ints, &a.Floats, &a.Unaries, &a.Binaries,
			&a.Assigns, &a.Compounds, &a.Members, &a.Swizzles, &a.Calls, &a.BuiltinCalls, &a.Blocks, &a.ExprStmts,
			&a.DeclStmts, &a.Ifs, &a.Loops, &a.Returns, &a.Vars, &a.ExprList, &a.StmtList, &a.VarList, &a.Bytes}
	}
	return a.all
}

// Mark begins a tree: what has been handed out before stays.
func (a *Arena) Mark() {
	for _, s := range a.slabs() {
		s.Mark()
	}
}

// Reset takes back all that has been handed out since the last Mark.
func (a *Arena) Reset() {
	for _, s := range a.slabs() {
		s.Reset()
	}
}

// slabLen is the number of values of an allocation; the first one is smaller.
const slabLen, firstSlabLen = 128, 32

// Slab hands out values of one type from larger allocations. Its zero value is ready.
type Slab[T any] struct {
	free   []T   // the rest of the allocation at hand
	marked []T   // what free was at the last Mark
	chunks [][]T // allocations since the last Mark, and those that Reset has brought back
	used   int   // how many of chunks are in use
}

// Next returns a value, which the caller sets: it may have been in use before.
func (s *Slab[T]) Next() *T {
	if len(s.free) == 0 {
		s.grow()
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// Take returns n values in a row, without room for more behind them. The caller sets them.
func (s *Slab[T]) Take(n int) []T {
	if n > slabLen {
		return make([]T, n)
	}
	for len(s.free) < n {
		s.grow()
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}

func (s *Slab[T]) grow() {
	if s.used == len(s.chunks) {
		n := slabLen
		if s.used == 0 && s.marked == nil {
			n = firstSlabLen
		}
		s.chunks = append(s.chunks, make([]T, n))
	}
	s.free = s.chunks[s.used]
	s.used++
}

// Mark keeps what has been handed out so far.
func (s *Slab[T]) Mark() {
	n := copy(s.chunks, s.chunks[s.used:])
	clear(s.chunks[n:])
	s.chunks, s.used = s.chunks[:n], 0
	s.marked = s.free
}

// Reset takes back what has been handed out since the last Mark.
func (s *Slab[T]) Reset() {
	s.free, s.used = s.marked, 0
}
