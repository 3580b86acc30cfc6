package tree

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// unpacker makes trees of what a packer has written.
type unpacker struct {
	*packer
	types  *types.Table
	arena  *Arena
	text   string
	at     int // how much of text has been read
	pos    source.Pos
	autos  []*Var
	labels []*Label
	inner  *Switch // the innermost switch, which labels belong to
}

// Unpack returns the body of a function, nil if it has none. The tree of a packed body is good until the next call;
// no other tree may be made in the arena between the two.
func (u *Unit) Unpack(f *Func) *Block {
	if f.packed == "" {
		return f.Body
	}
	u.Arena.Reset()
	in := unpacker{packer: &u.packer, types: u.Types, arena: &u.Arena, text: f.packed, pos: f.Pos}
	return in.stmt().(*Block)
}

func (u *unpacker) byte() byte {
	b := u.text[u.at]
	u.at++
	return b
}

func (u *unpacker) number() uint64 {
	v := uint64(u.byte())
	if v < 1<<7 {
		return v
	}
	v &= 1<<7 - 1
	for shift := 7; ; shift += 7 {
		b := u.byte()
		v |= uint64(b&(1<<7-1)) << shift
		if b < 1<<7 {
			return v
		}
	}
}

func (u *unpacker) signed() int64 {
	v := u.number()
	return int64(v>>1) ^ -int64(v&1)
}

func (u *unpacker) string() string {
	n := int(u.number())
	u.at += n
	return u.text[u.at-n : u.at]
}

func (u *unpacker) place() source.Pos {
	u.pos += source.Pos(int32(u.signed()))
	return u.pos
}

func (u *unpacker) qual() types.Qual {
	t := u.types.ByID(int(u.number()))
	return types.Qual{Type: t, Q: types.Quals(u.number())}
}

func (u *unpacker) variable() *Var {
	n := u.number()
	switch {
	case n&1 != 0:
		return u.vars[n>>1-1]
	case n != 0:
		return u.autos[n>>1-1]
	}
	v := u.arena.Vars.Next()
	u.autos = append(u.autos, v)
	*v = Var{Name: u.string(), Type: u.qual(), Pos: u.place()}
	n = u.number()
	v.Align, v.Taken = int64(n>>2), n&1 != 0
	if n&2 != 0 {
		v.Written = u.names[u.number()-1]
	}
	v.Init = u.expr()
	return v
}

func (u *unpacker) label() *Label {
	if n := u.number(); n != 0 {
		return u.labels[n-1]
	}
	l := &Label{Name: u.string()}
	u.labels = append(u.labels, l)
	return l
}

func (u *unpacker) stmt() Stmt {
	kind := u.byte()
	if kind == packNone {
		return nil
	}
	at := At{u.place()}
	switch kind {
	case packBlock, packNoContract:
		s := u.arena.Blocks.Next()
		*s = Block{At: at, NoContract: kind == packNoContract}
		s.List = u.arena.StmtList.Take(int(u.number()))
		for i := range s.List {
			s.List[i] = u.stmt()
		}
		return s
	case packExpr:
		s := u.arena.ExprStmts.Next()
		s.At, s.X = at, u.expr()
		return s
	case packDecl:
		s := u.arena.DeclStmts.Next()
		s.At, s.Vars = at, u.arena.VarList.Take(int(u.number()))
		for i := range s.Vars {
			s.Vars[i] = u.variable()
		}
		return s
	case packIf:
		s := u.arena.Ifs.Next()
		s.At, s.Cond = at, u.expr()
		s.Then = u.stmt()
		s.Else = u.stmt()
		return s
	case packLoop:
		return u.loop(at)
	case packSwitch:
		s := &Switch{At: at, X: u.expr()}
		outer := u.inner
		u.inner = s
		s.Body = u.stmt()
		u.inner = outer
		return s
	case packCase, packDefault:
		s := &Case{At: at, Default: kind == packDefault}
		if !s.Default {
			s.Low, s.High = uint64(u.signed()), uint64(u.signed())
		}
		u.inner.Cases = append(u.inner.Cases, s)
		s.Stmt = u.stmt()
		return s
	case packBreak:
		return &Break{at}
	case packContinue:
		return &Continue{at}
	case packLabel:
		s := u.label()
		s.At = at
		s.Stmt = u.stmt()
		return s
	case packGoto:
		return &Goto{At: at, Label: u.label()}
	case packReturn:
		s := u.arena.Returns.Next()
		s.At, s.X = at, u.expr()
		return s
	}
	return &Null{At: at}
}

func (u *unpacker) loop(at At) *Loop {
	s := u.arena.Loops.Next()
	flags := u.number()
	*s = Loop{At: at, After: flags&1 != 0, For: flags&2 != 0, Unroll: u.signed()}
	s.Init = u.stmt()
	s.Cond = u.expr()
	if s.Post = u.expr(); s.Post != nil {
		s.Post.Info().From = u.place()
	}
	s.Body = u.stmt()
	return s
}

// read makes the value of a variable.
func (u *unpacker) read(kind byte) *Convert {
	if kind&packMoved != 0 {
		u.place()
	}
	pos := u.pos
	v := u.variable()
	r := u.arena.VarRefs.Next()
	*r = VarRef{Base{Type: v.Type, Pos: pos, LValue: true}, v}
	n := u.arena.Converts.Next()
	*n = Convert{Base: Base{Type: v.Type.Unqual(), Pos: pos}, Kind: Load, X: r}
	return n
}

func (u *unpacker) list() []Expr {
	n := int(u.number())
	if n == 0 {
		return nil
	}
	xs := u.arena.ExprList.Take(n)
	for i := range xs {
		xs[i] = u.expr()
	}
	return xs
}

func (u *unpacker) expr() Expr {
	kind := u.byte()
	switch kind & packKinds {
	case packNone:
		return nil
	case packRead:
		return u.read(kind)
	}
	b := Base{Type: types.Qual{Type: u.types.ByID(int(u.number()))}, LValue: kind&packLValue != 0}
	if kind&packQuals != 0 {
		b.Type.Q = types.Quals(u.number())
	}
	if kind&packMoved != 0 {
		u.place()
	}
	b.Pos = u.pos
	switch kind & packKinds {
	case packConvert:
		n := u.arena.Converts.Next()
		n.Base, n.Kind, n.Explicit = b, ConvertKind(u.byte()), false
		n.X = u.expr()
		return n
	case packVarRef:
		n := u.arena.VarRefs.Next()
		n.Base, n.Var = b, u.variable()
		return n
	case packInt:
		n := u.arena.Ints.Next()
		n.Base, n.Value = b, uint64(u.signed())
		return n
	case packFloat:
		n := u.arena.Floats.Next()
		n.Base, n.Value = b, math.Float64frombits(bits.ReverseBytes64(u.number()))
		return n
	case packBinary:
		n := u.arena.Binaries.Next()
		n.Base, n.Op = b, BinaryOp(u.byte())
		n.L = u.expr()
		n.R = u.expr()
		return n
	case packUnary:
		n := u.arena.Unaries.Next()
		n.Base, n.Op = b, UnaryOp(u.byte())
		n.X = u.expr()
		return n
	case packAssign:
		n := u.arena.Assigns.Next()
		n.Base = b
		n.L = u.expr()
		n.R = u.expr()
		return n
	case packCompound:
		n := u.arena.Compounds.Next()
		n.Base, n.Op = b, BinaryOp(u.byte())
		n.Compute = u.qual()
		n.L = u.expr()
		n.R = u.expr()
		return n
	case packBuiltin:
		n := u.arena.BuiltinCalls.Next()
		n.Base, n.Sig = b, u.sigs[u.number()-1]
		n.Args = u.list()
		return n
	case packCall:
		n := u.arena.Calls.Next()
		n.Base, n.Func = b, u.funcs[u.number()-1]
		n.Args = u.list()
		return n
	}
	return u.rare(kind&packKinds, b)
}

// rare is expr for the expressions that are not frequent.
func (u *unpacker) rare(kind byte, b Base) Expr {
	switch kind {
	case packString:
		return &StringLit{b, []byte(u.string())}
	case packNull:
		return &NullLit{b}
	case packFuncRef:
		n := u.arena.FuncRefs.Next()
		n.Base, n.Func = b, u.funcs[u.number()-1]
		return n
	case packCond:
		return &Cond{b, u.expr(), u.expr(), u.expr()}
	case packSelect:
		return &Select{b, u.expr(), u.expr(), u.expr()}
	case packMember:
		n := u.arena.Members.Next()
		n.Base, n.Field = b, int(u.number())
		n.X = u.expr()
		return n
	case packSwizzle:
		n := u.arena.Swizzles.Next()
		n.Base, n.Comps = b, u.arena.Bytes.Take(int(u.number()))
		u.at += copy(n.Comps, u.text[u.at:])
		n.X = u.expr()
		return n
	case packIndex:
		return &VectorIndex{b, u.expr(), u.expr()}
	case packVector:
		return &VectorLit{b, u.list()}
	case packInit:
		n := &InitList{b, make([]InitItem, u.number())}
		for i := range n.Items {
			index := u.signed()
			n.Items[i] = InitItem{index, index + u.signed(), u.expr()}
		}
		return n
	case packLiteral:
		return &CompoundLit{b, u.variable()}
	case packStmtExpr:
		return &StmtExpr{b, u.stmt().(*Block)}
	}
	return &Bad{b}
}
