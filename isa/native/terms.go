package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// This file has the look at the bounds of what a hyperblock computes in 32 bits instead of 64 (plan.Term). The
// words of the frame that it uses for them are free again behind it.

// termBounds works out the bounds of terms.
type termBounds struct {
	*builder
	at map[*plan.Term]int
	no amd64.Label
}

// terms goes to no if a term is not within its bounds.
func (k *builder) terms(list []*plan.Term, no amd64.Label) {
	b := &termBounds{builder: k, at: map[*plan.Term]int{}, no: no}
	for i, t := range list {
		b.at[t] = i
		b.bound(t)
		b.check(t)
	}
}

// word returns where a bound is kept.
func (b *termBounds) word(t *plan.Term, high bool) amd64.Mem {
	n := 2 * b.at[t]
	if high {
		n++
	}
	return x86.Field(wave.HyperWords + 8*uintptr(n))
}

// put loads a bound.
func (b *termBounds) put(r amd64.Reg, t *plan.Term, high bool) {
	switch t = t.Base(); {
	case t.Op != isa.OpMov:
		b.G(amd64.MOV, amd64.B64, r, b.word(t, high))
	case t.Type == isa.I32:
		b.G(amd64.MOVSX32, amd64.B64, r, x86.Scalar(t.Scalar))
	default:
		b.G(amd64.MOV, amd64.B64, r, x86.Scalar(t.Scalar))
	}
}

// bound works out the bounds of a term.
func (b *termBounds) bound(t *plan.Term) {
	switch t.Op {
	case isa.OpBuiltin:
		dim := t.ID % 3 // local ids come first, then global ones
		b.G(amd64.XOR, amd64.B32, x86.RegTemp, x86.RegTemp)
		if t.ID >= isa.BuiltinGlobalID {
			b.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameOrigin+8*uintptr(dim)))
		}
		b.G(amd64.MOV, amd64.B64, b.word(t, false), x86.RegTemp)
		b.G(amd64.ADD, amd64.B64, x86.RegTemp, x86.BuiltinField(isa.BuiltinLocalSize+dim))
		b.Jcc(amd64.Overflow, b.no)
		b.G(amd64.SUB, amd64.B64, x86.RegTemp, amd64.Imm(1))
		b.G(amd64.MOV, amd64.B64, b.word(t, true), x86.RegTemp)
	case isa.OpAdd, isa.OpSub:
		op := amd64.ADD
		if t.Op == isa.OpSub {
			op = amd64.SUB
		}
		for _, high := range [...]bool{false, true} {
			b.put(x86.RegTemp, t.A, high)
			b.put(x86.RegAddress, t.B, high != (t.Op == isa.OpSub))
			b.G(op, amd64.B64, x86.RegTemp, x86.RegAddress)
			b.Jcc(amd64.Overflow, b.no)
			b.G(amd64.MOV, amd64.B64, b.word(t, high), x86.RegTemp)
		}
	case isa.OpShl:
		for _, high := range [...]bool{false, true} {
			b.put(x86.RegTemp, t.A, high)
			b.G(amd64.IMUL, amd64.B64, x86.RegTemp, x86.RegTemp, amd64.Imm(int64(1)<<t.Shift))
			b.Jcc(amd64.Overflow, b.no)
			b.G(amd64.MOV, amd64.B64, b.word(t, high), x86.RegTemp)
		}
	case isa.OpMul:
		b.product(t)
	}
}

// product works out the bounds of a product: of two terms that are not negative, or of one and a scalar.
func (b *termBounds) product(t *plan.Term) {
	x, y := t.A.Base(), t.B.Base()
	if x.Op == isa.OpMov {
		x, y = y, x
	}
	for _, high := range [...]bool{false, true} {
		b.put(x86.RegTemp, x, high)
		b.put(x86.RegAddress, y, high)
		if !high && y.Op != isa.OpMov {
			for _, r := range [...]amd64.Reg{x86.RegTemp, x86.RegAddress} {
				b.G(amd64.TEST, amd64.B64, r, r)
				b.Jcc(amd64.Sign, b.no)
			}
		}
		b.G(amd64.IMUL, amd64.B64, x86.RegTemp, x86.RegAddress)
		b.Jcc(amd64.Overflow, b.no)
		b.G(amd64.MOV, amd64.B64, b.word(t, high), x86.RegTemp)
	}
	if y.Op != isa.OpMov {
		return
	}
	ordered := b.NewLabel() // unless the scalar is negative
	b.G(amd64.TEST, amd64.B64, x86.RegAddress, x86.RegAddress)
	b.Jcc(amd64.NotSign, ordered)
	b.G(amd64.MOV, amd64.B64, x86.RegAddress, b.word(t, false))
	b.G(amd64.MOV, amd64.B64, b.word(t, false), x86.RegTemp)
	b.G(amd64.MOV, amd64.B64, b.word(t, true), x86.RegAddress)
	b.Bind(ordered)
}

// check goes to no if a term is not within its bounds.
func (b *termBounds) check(t *plan.Term) {
	if !t.Word {
		return
	}
	low := int64(math.MinInt32)
	if t.Natural {
		low = 0
	}
	b.put(x86.RegTemp, t, false)
	b.G(amd64.CMP, amd64.B64, x86.RegTemp, amd64.Imm(low))
	b.Jcc(amd64.Less, b.no)
	b.put(x86.RegTemp, t, true)
	b.G(amd64.CMP, amd64.B64, x86.RegTemp, amd64.Imm(math.MaxInt32))
	b.Jcc(amd64.Greater, b.no)
}
