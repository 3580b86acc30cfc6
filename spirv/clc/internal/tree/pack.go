package tree

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// The code of a function can be made only when the whole unit has been read: ids follow the order of first
// declarations, variables of all functions come before the functions, and which functions are used shows at the end.
// Until then a body is kept as a string, which is about a fifteenth of its tree. The string has the nodes in the
// order of the source, each as a byte for its kind and numbers of variable length; places are differences from the
// place before. It has what package gen reads: Base.From and To (but for Loop.Post), Paren, Folded, the ends of statements
// and what warnings alone look at are left out.

// The kinds of expressions. Flags stand above.
const (
	packNone = iota
	packBad
	packInt
	packFloat
	packString
	packNull
	packVarRef
	packFuncRef
	packUnary
	packBinary
	packAssign
	packCompound
	packCond
	packSelect
	packConvert
	packMember
	packSwizzle
	packIndex
	packVector
	packInit
	packLiteral
	packCall
	packBuiltin
	packStmtExpr
	packRead // the value of a variable: packConvert of packVarRef, with the types that the variable says

	packKinds  = 1<<5 - 1
	packLValue = 1 << 5
	packQuals  = 1 << 6 // the type has qualifiers
	packMoved  = 1 << 7 // the place differs from that of the node before
)

// The kinds of statements; packNone is nil.
const (
	packBlock = iota + 1
	packNoContract
	packEmpty
	packExpr
	packDecl
	packIf
	packLoop
	packSwitch
	packCase
	packDefault
	packBreak
	packContinue
	packLabel
	packGoto
	packReturn
)

// packer is what packing and unpacking remember about a unit.
type packer struct {
	buf    []byte
	pos    source.Pos
	autos  int            // variables of the function so far
	labels map[*Label]int // of the function
	kept   Arena          // initializers of static variables of functions

	// Strings have the numbers of these, from 1.
	vars  []*Var
	funcs []*Func
	sigs  []*builtin.Sig
	sigID map[*builtin.Sig]int
	names []*types.Typedef
	named map[*types.Typedef]int
}

// Pack packs the body of a function. Variables of the function that are no automatic ones get initializers that do
// not stand in the arena.
func (u *Unit) Pack(f *Func) {
	p := &u.packer
	p.buf, p.pos, p.autos, p.labels = p.buf[:0], f.Pos, 0, nil
	u.keepInits(f)
	p.stmt(f.Body)
	f.packed = string(p.buf)
	f.Body, f.Labels = nil, nil
}

// keepInits copies the initializers of static variables of a function out of the arena.
func (u *Unit) keepInits(f *Func) {
	p := &u.packer
	for i := len(u.Vars) - 1; i >= 0 && u.Vars[i].Func == f; i-- {
		if v := u.Vars[i]; v.Init != nil {
			p.buf, p.pos, p.autos = p.buf[:0], v.Pos, 0
			p.expr(v.Init)
			in := unpacker{packer: p, types: u.Types, arena: &p.kept, text: string(p.buf), pos: v.Pos}
			v.Init = in.expr()
		}
	}
	p.buf, p.pos, p.autos = p.buf[:0], f.Pos, 0
}

func (p *packer) number(v uint64) {
	for ; v >= 1<<7; v >>= 7 {
		p.buf = append(p.buf, byte(v)|1<<7)
	}
	p.buf = append(p.buf, byte(v))
}

func (p *packer) signed(v int64) { p.number(uint64(v<<1) ^ uint64(v>>63)) }

func (p *packer) string(s string) {
	p.number(uint64(len(s)))
	p.buf = append(p.buf, s...)
}

func (p *packer) place(pos source.Pos) {
	p.signed(int64(int32(pos - p.pos)))
	p.pos = pos
}

func (p *packer) qual(t types.Qual) {
	p.number(uint64(t.ID))
	p.number(uint64(t.Q))
}

// variable writes the number of a variable; behind the first number of an automatic one stands what it is.
func (p *packer) variable(v *Var) {
	switch {
	case v.Storage != AutoVar:
		if v.num == 0 {
			p.vars = append(p.vars, v)
			v.num = int32(len(p.vars))
		}
		p.number(uint64(v.num)<<1 | 1)
	case v.num != 0:
		p.number(uint64(v.num) << 1)
	default:
		p.autos++
		v.num = int32(p.autos)
		p.number(0)
		p.string(v.Name)
		p.qual(v.Type)
		p.place(v.Pos)
		flags := uint64(0)
		if v.Taken {
			flags = 1
		}
		if v.Written != nil {
			flags |= 2
		}
		if p.number(uint64(v.Align)<<2 | flags); v.Written != nil {
			p.written(v.Written)
		}
		p.expr(v.Init)
	}
}

func (p *packer) function(f *Func) {
	if f.num == 0 {
		p.funcs = append(p.funcs, f)
		f.num = int32(len(p.funcs))
	}
	p.number(uint64(f.num))
}

func (p *packer) sig(s *builtin.Sig) {
	n := p.sigID[s]
	if n == 0 {
		if p.sigID == nil {
			p.sigID = map[*builtin.Sig]int{}
		}
		p.sigs = append(p.sigs, s)
		n = len(p.sigs)
		p.sigID[s] = n
	}
	p.number(uint64(n))
}

func (p *packer) written(t *types.Typedef) {
	n := p.named[t]
	if n == 0 {
		if p.named == nil {
			p.named = map[*types.Typedef]int{}
		}
		p.names = append(p.names, t)
		n = len(p.names)
		p.named[t] = n
	}
	p.number(uint64(n))
}

func (p *packer) label(l *Label) {
	n := p.labels[l]
	if n != 0 {
		p.number(uint64(n))
		return
	}
	if p.labels == nil {
		p.labels = map[*Label]int{}
	}
	p.labels[l] = len(p.labels) + 1
	p.number(0)
	p.string(l.Name)
}

func (p *packer) begin(kind byte, pos source.Pos) {
	p.buf = append(p.buf, kind)
	p.place(pos)
}

func (p *packer) stmt(s Stmt) {
	switch s := s.(type) {
	case nil:
		p.buf = append(p.buf, packNone)
	case *Block:
		if s.NoContract {
			p.begin(packNoContract, s.Pos)
		} else {
			p.begin(packBlock, s.Pos)
		}
		p.number(uint64(len(s.List)))
		for _, x := range s.List {
			p.stmt(x)
		}
	case *Null:
		p.begin(packEmpty, s.Pos)
	case *ExprStmt:
		p.begin(packExpr, s.Pos)
		p.expr(s.X)
	case *DeclStmt:
		p.begin(packDecl, s.Pos)
		p.number(uint64(len(s.Vars)))
		for _, v := range s.Vars {
			p.variable(v)
		}
	case *If:
		p.begin(packIf, s.Pos)
		p.expr(s.Cond)
		p.stmt(s.Then)
		p.stmt(s.Else)
	case *Loop:
		p.loop(s)
	case *Switch:
		p.begin(packSwitch, s.Pos)
		p.expr(s.X)
		p.stmt(s.Body)
	case *Case:
		if s.Default {
			p.begin(packDefault, s.Pos)
		} else {
			p.begin(packCase, s.Pos)
			p.signed(int64(s.Low))
			p.signed(int64(s.High))
		}
		p.stmt(s.Stmt)
	case *Break:
		p.begin(packBreak, s.Pos)
	case *Continue:
		p.begin(packContinue, s.Pos)
	case *Label:
		p.begin(packLabel, s.Pos)
		p.label(s)
		p.stmt(s.Stmt)
	case *Goto:
		p.begin(packGoto, s.Pos)
		p.label(s.Label)
	case *Return:
		p.begin(packReturn, s.Pos)
		p.expr(s.X)
	}
}

func (p *packer) loop(s *Loop) {
	p.begin(packLoop, s.Pos)
	var flags uint64
	if s.After {
		flags |= 1
	}
	if s.For {
		flags |= 2
	}
	p.number(flags)
	p.signed(s.Unroll)
	p.stmt(s.Init)
	p.expr(s.Cond)
	p.expr(s.Post)
	if s.Post != nil {
		p.place(s.Post.Info().From)
	}
	p.stmt(s.Body)
}

// head writes what all expressions have.
func (p *packer) head(kind byte, b *Base) {
	if b.LValue {
		kind |= packLValue
	}
	if b.Type.Q != 0 {
		kind |= packQuals
	}
	if b.Pos != p.pos {
		kind |= packMoved
	}
	p.buf = append(p.buf, kind)
	p.number(uint64(b.Type.ID))
	if b.Type.Q != 0 {
		p.number(uint64(b.Type.Q))
	}
	if b.Pos != p.pos {
		p.place(b.Pos)
	}
}

// op is head with an operator behind it.
func (p *packer) op(kind byte, b *Base, op uint8) {
	p.head(kind, b)
	p.buf = append(p.buf, op)
}

func (p *packer) list(xs []Expr) {
	p.number(uint64(len(xs)))
	for _, x := range xs {
		p.expr(x)
	}
}

func (p *packer) expr(x Expr) {
	switch n := x.(type) {
	case nil:
		p.buf = append(p.buf, packNone)
	case *Convert:
		if r := n.reads(); r != nil {
			p.read(n.Pos, r.Var)
			return
		}
		p.op(packConvert, &n.Base, uint8(n.Kind))
		p.expr(n.X)
	case *VarRef:
		p.head(packVarRef, &n.Base)
		p.variable(n.Var)
	case *IntLit:
		p.head(packInt, &n.Base)
		p.signed(int64(n.Value))
	case *FloatLit:
		p.head(packFloat, &n.Base)
		p.number(bits.ReverseBytes64(math.Float64bits(n.Value)))
	case *Binary:
		p.op(packBinary, &n.Base, uint8(n.Op))
		p.expr(n.L)
		p.expr(n.R)
	case *Unary:
		p.op(packUnary, &n.Base, uint8(n.Op))
		p.expr(n.X)
	case *Assign:
		p.head(packAssign, &n.Base)
		p.expr(n.L)
		p.expr(n.R)
	case *CompoundAssign:
		p.op(packCompound, &n.Base, uint8(n.Op))
		p.qual(n.Compute)
		p.expr(n.L)
		p.expr(n.R)
	case *CallBuiltin:
		p.head(packBuiltin, &n.Base)
		p.sig(n.Sig)
		p.list(n.Args)
	case *Call:
		p.head(packCall, &n.Base)
		p.function(n.Func)
		p.list(n.Args)
	default:
		p.rare(x)
	}
}

// reads returns the reference of a conversion that is the value of a variable and has no other types and places than
// those which follow from that.
func (c *Convert) reads() *VarRef {
	if c.Kind != Load || c.LValue {
		return nil
	}
	r, ok := c.X.(*VarRef)
	if !ok || r.Pos != c.Pos || !r.LValue || r.Type != r.Var.Type || c.Type != r.Type.Unqual() {
		return nil
	}
	return r
}

// read writes the value of a variable.
func (p *packer) read(pos source.Pos, v *Var) {
	if pos == p.pos {
		p.buf = append(p.buf, packRead)
	} else {
		p.buf = append(p.buf, packRead|packMoved)
		p.place(pos)
	}
	p.variable(v)
}

// rare is expr for the expressions that are not frequent.
func (p *packer) rare(x Expr) {
	switch n := x.(type) {
	case *Bad:
		p.head(packBad, &n.Base)
	case *StringLit:
		p.head(packString, &n.Base)
		p.string(string(n.Value))
	case *NullLit:
		p.head(packNull, &n.Base)
	case *FuncRef:
		p.head(packFuncRef, &n.Base)
		p.function(n.Func)
	case *Cond:
		p.head(packCond, &n.Base)
		p.expr(n.C)
		p.expr(n.A)
		p.expr(n.B)
	case *Select:
		p.head(packSelect, &n.Base)
		p.expr(n.C)
		p.expr(n.A)
		p.expr(n.B)
	case *Member:
		p.head(packMember, &n.Base)
		p.number(uint64(n.Field))
		p.expr(n.X)
	case *Swizzle:
		p.head(packSwizzle, &n.Base)
		p.number(uint64(len(n.Comps)))
		p.buf = append(p.buf, n.Comps...)
		p.expr(n.X)
	case *VectorIndex:
		p.head(packIndex, &n.Base)
		p.expr(n.X)
		p.expr(n.Index)
	case *VectorLit:
		p.head(packVector, &n.Base)
		p.list(n.Elems)
	case *InitList:
		p.head(packInit, &n.Base)
		p.number(uint64(len(n.Items)))
		for i := range n.Items {
			it := &n.Items[i]
			p.signed(it.Index)
			p.signed(it.Last - it.Index)
			p.expr(it.Value)
		}
	case *CompoundLit:
		p.head(packLiteral, &n.Base)
		p.variable(n.Var)
	case *StmtExpr:
		p.head(packStmtExpr, &n.Base)
		p.stmt(n.Body)
	}
}
