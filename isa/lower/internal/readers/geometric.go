package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// The geometric functions are computed in pairs of doubles, about 104 bits (Dekker, 1971). Single and half precision are
// rounded from there once. Doubles are the rounded sum of a pair.

// pair is the sum of two doubles, of which the second is small against the first; nil is zero.
type pair struct{ hi, lo *ssa.Value }

// wide does arithmetic in doubles.
type wide struct{ *build.Builder }

func (w wide) num(x float64) *ssa.Value         { return w.Imm(isa.F64, build.FloatBits(isa.F64, x)) }
func (w wide) plus(x, y *ssa.Value) *ssa.Value  { return w.Bin(isa.OpFAdd, isa.F64, x, y) }
func (w wide) minus(x, y *ssa.Value) *ssa.Value { return w.Bin(isa.OpFSub, isa.F64, x, y) }
func (w wide) times(x, y *ssa.Value) *ssa.Value { return w.Bin(isa.OpFMul, isa.F64, x, y) }
func (w wide) over(x, y *ssa.Value) *ssa.Value  { return w.Bin(isa.OpFDiv, isa.F64, x, y) }
func (w wide) neg(x *ssa.Value) *ssa.Value      { return w.Un(isa.OpFNeg, isa.F64, x) }
func (w wide) less(x, y *ssa.Value) *ssa.Value  { return w.Cmp(isa.OpFOLt, isa.F64, x, y) }
func (w wide) pick(c, x, y *ssa.Value) *ssa.Value {
	return w.Sel(isa.F64, c, x, y)
}
func (w wide) fma(x, y, z *ssa.Value) *ssa.Value { return w.Emit(isa.OpFma, isa.F64, isa.F64, x, y, z) }

// sum is plus for numbers that may be nil.
func (w wide) sum(x, y *ssa.Value) *ssa.Value {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return w.plus(x, y)
}

// twoSum returns x+y and its rounding error.
func (w wide) twoSum(x, y *ssa.Value) pair {
	s := w.plus(x, y)
	t := w.minus(s, x)
	return pair{s, w.plus(w.minus(x, w.minus(s, t)), w.minus(y, t))}
}

// twoProduct returns x*y and its rounding error.
func (w wide) twoProduct(x, y *ssa.Value) pair {
	p := w.times(x, y)
	return pair{p, w.fma(x, y, w.neg(p))}
}

// squares returns the sum of the squares of v. exact says that a square of a single number fits into a double.
func (w wide) squares(v []pair, exact bool) pair {
	var s pair
	for _, x := range v {
		var q pair
		if exact {
			q.hi = w.times(x.hi, x.hi)
		} else {
			q = w.twoProduct(x.hi, x.hi)
		}
		if x.lo != nil {
			q.lo = w.sum(q.lo, w.times(w.plus(x.hi, x.hi), x.lo))
		}
		if s.hi == nil {
			s = q
			continue
		}
		t := w.twoSum(s.hi, q.hi)
		s = pair{t.hi, w.sum(w.sum(s.lo, t.lo), q.lo)}
	}
	return s
}

// root returns the square root of a pair. Zero, infinity and NaN have no second part.
func (w wide) root(s pair) pair {
	r := w.Un(isa.OpSqrt, isa.F64, s.hi)
	rest := w.sum(w.fma(w.neg(r), r, s.hi), s.lo)
	usual := w.Bin(isa.OpAnd, isa.B1, w.less(w.num(0), r), w.less(r, w.Imm(isa.F64, 0x7ff0000000000000)))
	return pair{r, w.pick(usual, w.over(rest, w.plus(r, r)), w.num(0))}
}

// quotient returns x/n.
func (w wide) quotient(x *ssa.Value, n pair) pair {
	q := w.over(x, n.hi)
	rest := w.minus(w.fma(w.neg(q), n.hi, x), w.times(q, n.lo))
	return pair{q, w.over(rest, n.hi)}
}

// round rounds a pair to a narrower type, once: to odd first, so that the double never is the middle of two numbers of
// that type that the pair is not (Boldo and Melquiond, 2008).
func (w wide) round(to isa.Type, x pair) *ssa.Value {
	y := x.hi
	if x.lo != nil {
		const d = isa.I64
		even := w.Cmp(isa.OpEq, d, w.Bin(isa.OpAnd, d, y, w.Imm(d, 1)), w.Imm(d, 0))
		up, down := w.less(w.num(0), x.lo), w.less(x.lo, w.num(0))
		inexact := w.Bin(isa.OpAnd, isa.B1, even, w.Bin(isa.OpOr, isa.B1, up, down))
		// Away from zero where both have one sign: the bits grow with the magnitude. A zero that is not exact is positive.
		away := w.Bin(isa.OpXor, isa.B1, up, w.less(y, w.num(0)))
		step := w.Sel(d, away, w.Imm(d, 1), w.Imm(d, ^uint64(0)))
		y = w.Sel(d, inexact, w.Bin(isa.OpAdd, d, y, step), y)
	}
	return w.Conv(isa.OpFToF, to, isa.F64, y)
}

// scale returns a power of two that brings the greatest of v so near to 1 that its square is a double, and the power that
// takes it back.
func (w wide) scale(v []*ssa.Value) (down, up *ssa.Value) {
	var most *ssa.Value
	for _, x := range v {
		a := w.Un(isa.OpFAbs, isa.F64, x)
		if most == nil {
			most = a
		} else {
			most = w.Bin(isa.OpFMax, isa.F64, most, a)
		}
	}
	large, small := w.less(w.num(0x1p400), most), w.less(most, w.num(0x1p-400))
	down = w.pick(large, w.num(0x1p-600), w.pick(small, w.num(0x1p600), w.num(1)))
	up = w.pick(large, w.num(0x1p600), w.pick(small, w.num(0x1p-600), w.num(1)))
	return down, up
}

// scaled rounds x*up to a double, once, where down*up is 1.
func (w wide) scaled(x pair, down, up *ssa.Value) *ssa.Value {
	y := w.times(w.plus(x.hi, x.lo), up)
	// A denormal rounds the first part already. What it lost goes to the second part, which then is less than one unit
	// and rounds as a whole.
	first := w.times(x.hi, up)
	rest := w.plus(w.minus(x.hi, w.times(first, down)), x.lo)
	denormal := w.less(w.Un(isa.OpFAbs, isa.F64, first), w.num(0x1p-1022))
	small := w.Bin(isa.OpCopySign, isa.F64, w.plus(first, w.times(rest, up)), x.hi)
	return w.pick(denormal, small, y)
}

// geometric reads the functions on whole vectors.
func geometric(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	w := wide{b}
	t := b.Module.TypeOf(in.ResultType())
	x, xt := b.Vals(spirv.ID(ops[0]))
	s := xt.Component().Scalar()
	var y []*ssa.Value
	if len(ops) > 1 {
		y, _ = b.Vals(spirv.ID(ops[1]))
	}
	widen := func(v []*ssa.Value) []*ssa.Value {
		out := make([]*ssa.Value, len(v))
		for i := range v {
			out[i] = v[i]
			if s != isa.F64 {
				out[i] = b.Conv(isa.OpFToF, isa.F64, s, v[i])
			}
		}
		return out
	}
	v, u := widen(x), widen(y)
	if n == spirv.OpenCLStdCross {
		b.Set(in, w.cross(s, v, u)...)
		return
	}
	down, up := w.num(1), w.num(1)
	var large *ssa.Value
	if s == isa.F64 {
		down, up = w.scale(append(append([]*ssa.Value{}, v...), u...))
		large = w.less(down, w.num(1))
		for i := range v {
			v[i] = w.times(v[i], down)
		}
	}
	p := make([]pair, len(v))
	for i := range v {
		p[i].hi = v[i]
		switch {
		case len(u) == 0:
		case s == isa.F16:
			p[i].hi = w.minus(v[i], u[i]) // exact
		case s == isa.F32:
			p[i] = w.twoSum(v[i], w.neg(u[i]))
		default:
			p[i] = w.twoSum(v[i], w.neg(w.times(u[i], down)))
		}
	}
	length := w.root(w.squares(p, s != isa.F64))
	finish := func(x pair) *ssa.Value {
		if s == isa.F64 {
			return w.scaled(x, down, up)
		}
		return w.round(s, x)
	}
	if n != spirv.OpenCLStdNormalize && n != spirv.OpenCLStdFastNormalize {
		b.SetOne(in, finish(length))
		return
	}
	// The zero vector stays what it is.
	zero := b.Cmp(isa.OpFOEq, isa.F64, length.hi, w.num(0))
	out := make([]*ssa.Value, t.Flat)
	for i := range out {
		if s == isa.F64 {
			// The scale of the vector goes away in the quotient, but a small component needs one of its own. That of a
			// large vector may have lost bits of it.
			small := w.less(w.Un(isa.OpFAbs, isa.F64, v[i]), w.num(0x1p-400))
			down, up = w.pick(small, w.num(0x1p600), w.num(1)), w.pick(small, w.num(0x1p-600), w.num(1))
			v[i] = w.pick(w.Bin(isa.OpAnd, isa.B1, small, large), x[i], w.times(v[i], down))
		}
		out[i] = b.Sel(s, zero, x[i], finish(w.quotient(v[i], length)))
	}
	b.Set(in, out...)
}

// cross returns the cross product of x and y, in type s.
func (w wide) cross(s isa.Type, x, y []*ssa.Value) []*ssa.Value {
	out := make([]*ssa.Value, len(x))
	one := w.num(1)
	downX, upX, downY, upY := one, one, one, one
	if s == isa.F64 {
		downX, upX = w.scale(x[:3])
		downY, upY = w.scale(y[:3])
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		if s != isa.F64 {
			out[i] = w.round(s, w.twoSum(w.times(x[j], y[k]), w.neg(w.times(x[k], y[j]))))
			continue
		}
		p := w.twoProduct(w.times(x[j], downX), w.times(y[k], downY))
		q := w.twoProduct(w.times(x[k], downX), w.times(y[j], downY))
		// The sum of four: what cancels leaves the others exact.
		first, second := w.twoSum(p.hi, w.neg(q.hi)), w.twoSum(p.lo, w.neg(q.lo))
		all := w.twoSum(first.hi, second.hi)
		all.lo = w.plus(w.plus(first.lo, all.lo), second.lo)
		usual := w.less(w.num(0), w.Un(isa.OpFAbs, isa.F64, all.hi))
		large := w.times(all.hi, upX)
		fits := w.less(w.Un(isa.OpFAbs, isa.F64, large), w.Imm(isa.F64, 0x7ff0000000000000))
		all = pair{large, w.pick(fits, w.times(all.lo, upX), w.num(0))}
		r := w.scaled(all, downY, upY)
		// Infinities give NaN above, and zeros lose their sign.
		plain := w.minus(w.times(x[j], y[k]), w.times(x[k], y[j]))
		out[i] = w.pick(usual, r, plain)
	}
	if len(out) == 4 {
		out[3] = w.Imm(s, 0)
	}
	return out
}
