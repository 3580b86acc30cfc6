package interp

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// math decodes a call of a function of isa/clmath.
func (d *decoder) math(in inst) {
	s := in.src
	n := 1 + int(s.Op.Info().Shape-isa.ShapeUnary)
	in.aux = &aux{}
	ok := false
	switch {
	case n == 1 && s.Type == isa.F32:
		in.aux.unary32, in.fn = unaryFunc32(s.Imm), math1F32
		ok = in.aux.unary32 != nil
	case n == 2 && s.Type == isa.F32:
		in.aux.binary32, in.fn = binaryFunc32(s.Imm), math2F32
		ok = in.aux.binary32 != nil
	case n == 1:
		in.aux.unary64, in.fn = unaryFunc64(s.Imm), math1F64
		ok = in.aux.unary64 != nil
	case n == 2:
		in.aux.binary64, in.fn = binaryFunc64(s.Imm), math2F64
		ok = in.aux.binary64 != nil
	case s.Type == isa.F32:
		in.aux.ternary32, in.fn = ternaryFunc32(s.Imm), math3F32
		ok = in.aux.ternary32 != nil
	case s.Imm >= clmath.NumFuncs:
	default:
		in.aux.ternary64, in.fn = clmath.Ternary64[s.Imm], math3F64
		ok = in.aux.ternary64 != nil
	}
	if !ok {
		d.unknown = in.pc
		return
	}
	regs := [3]isa.Reg{s.A, s.B, s.C}
	scalar := true
	for _, r := range regs[:n] {
		scalar = scalar && r.IsScalar()
	}
	for i, p := range []*uint32{&in.a, &in.b, &in.c}[:n] {
		*p = d.operand(regs[i], s.Type)
		if !scalar && regs[i].IsScalar() {
			*p = d.spread(i, regs[i], s.Type)
		}
	}
	in.d = d.operand(s.Dst, s.Type)
	if !scalar {
		d.emit(in)
		return
	}
	in.imm = uint32(n)
	in.fn = mathScalar32
	if s.Type == isa.F64 {
		in.fn = mathScalar64
	}
	if s.Dst.IsVector() {
		in.d = d.scratch
		d.emit(in)
		d.broadcast(in, s.Dst, s.Type)
		return
	}
	d.emit(in)
}

func mathScalar32(w *wave, in *inst) {
	arg := func(r uint32) float32 { return math.Float32frombits(uint32(w.s[r])) }
	var r float32
	switch in.imm {
	case 1:
		r = in.aux.unary32(arg(in.a))
	case 2:
		r = in.aux.binary32(arg(in.a), arg(in.b))
	default:
		r = in.aux.ternary32(arg(in.a), arg(in.b), arg(in.c))
	}
	w.s[in.d] = uint64(math.Float32bits(r))
}

func mathScalar64(w *wave, in *inst) {
	arg := func(r uint32) float64 { return math.Float64frombits(w.s[r]) }
	var r float64
	switch in.imm {
	case 1:
		r = in.aux.unary64(arg(in.a))
	case 2:
		r = in.aux.binary64(arg(in.a), arg(in.b))
	default:
		r = in.aux.ternary64(arg(in.a), arg(in.b), arg(in.c))
	}
	w.s[in.d] = math.Float64bits(r)
}

// The functions cost so much more than a loop that they run for exactly the
// lanes that need them.

func mathLanes(w *wave, f func(base unsafe.Pointer, i int)) {
	for k, m := range w.exec {
		base := w.chunk(k)
		for ; m != 0; m &= m - 1 {
			f(base, bits.TrailingZeros64(m)&63)
		}
	}
}

func lane32(base unsafe.Pointer, off uint32, i int) *float32 {
	return &(*[64]float32)(unsafe.Add(base, off))[i&63]
}

func lane64(base unsafe.Pointer, off uint32, i int) *float64 {
	return &(*[64]float64)(unsafe.Add(base, off))[i&63]
}

func math1F32(w *wave, in *inst) {
	f := in.aux.unary32
	mathLanes(w, func(p unsafe.Pointer, i int) { *lane32(p, in.d, i) = f(*lane32(p, in.a, i)) })
}

func math2F32(w *wave, in *inst) {
	f := in.aux.binary32
	mathLanes(w, func(p unsafe.Pointer, i int) { *lane32(p, in.d, i) = f(*lane32(p, in.a, i), *lane32(p, in.b, i)) })
}

func math3F32(w *wave, in *inst) {
	f := in.aux.ternary32
	mathLanes(w, func(p unsafe.Pointer, i int) {
		*lane32(p, in.d, i) = f(*lane32(p, in.a, i), *lane32(p, in.b, i), *lane32(p, in.c, i))
	})
}

func math1F64(w *wave, in *inst) {
	f := in.aux.unary64
	mathLanes(w, func(p unsafe.Pointer, i int) { *lane64(p, in.d, i) = f(*lane64(p, in.a, i)) })
}

func math2F64(w *wave, in *inst) {
	f := in.aux.binary64
	mathLanes(w, func(p unsafe.Pointer, i int) { *lane64(p, in.d, i) = f(*lane64(p, in.a, i), *lane64(p, in.b, i)) })
}

func math3F64(w *wave, in *inst) {
	f := in.aux.ternary64
	mathLanes(w, func(p unsafe.Pointer, i int) {
		*lane64(p, in.d, i) = f(*lane64(p, in.a, i), *lane64(p, in.b, i), *lane64(p, in.c, i))
	})
}
