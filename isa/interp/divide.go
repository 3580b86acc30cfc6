package interp

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// modS returns the remainder with the sign of the divisor.
func modS[T signed](a, b T) T {
	r := a % b
	if r != 0 && r^b < 0 {
		r += b
	}
	return r
}

func (d *decoder) division(in inst) {
	s := in.src
	if d.check {
		c := in
		c.fn = checkZero
		d.emit(c)
		if s.Op != isa.OpDivU && s.Op != isa.OpRemU {
			c.fn = checkOverflow
			d.emit(c)
		}
	}
	fns := divideFuncs[s.Op][s.Type.Bank()]
	in.d, in.a, in.b = d.operand(s.Dst, s.Type), d.operand(s.A, s.Type), d.operand(s.B, s.Type)
	switch {
	case s.A.IsScalar() && s.B.IsScalar():
		in.fn = fns[2]
		if s.Dst.IsVector() {
			in.d = d.scratch
			d.emit(in)
			d.broadcast(in, s.Dst, s.Type)
			return
		}
	case s.B.IsScalar():
		in.fn = fns[1]
		if s.Type == isa.I32 && (s.Op == isa.OpDivU || s.Op == isa.OpRemU) {
			in.fn = divideScalar32
			in.imm = uint32(s.Op)
		}
	default:
		in.fn = fns[0]
		if s.A.IsScalar() {
			in.a = d.spread(0, s.A, s.Type)
		}
	}
	d.emit(in)
}

// divideScalar32 divides unsigned numbers by one divisor: a multiplication by
// its reciprocal in 64 bits, rounded up, is exact for numbers of 32 bits
// (Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication").
func divideScalar32(w *wave, in *inst) {
	divisor := uint32(w.s[in.b])
	if divisor == 0 {
		divideFuncs[isa.OpDivU][isa.Bank32][1](w, in)
		return
	}
	remainder := isa.Op(in.imm) == isa.OpRemU
	reciprocal := full/uint64(divisor) + 1 // 0 for 1, for which it does not fit
	for k, m := range w.masks[in.mask] {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]uint32)(unsafe.Add(base, in.d))
		a := (*[64]uint32)(unsafe.Add(base, in.a))
		if m == full && reciprocal != 0 {
			if remainder {
				remainders32(d, a, divisor, reciprocal)
			} else {
				quotients32(d, a, reciprocal)
			}
			continue
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			if remainder {
				d[i] = a[i] % divisor
			} else {
				d[i] = a[i] / divisor
			}
		}
	}
}

func quotients32(d, a *[64]uint32, reciprocal uint64) {
	for i, x := range a {
		q, _ := bits.Mul64(reciprocal, uint64(x))
		d[i] = uint32(q)
	}
}

func remainders32(d, a *[64]uint32, divisor uint32, reciprocal uint64) {
	for i, x := range a {
		q, _ := bits.Mul64(reciprocal, uint64(x))
		d[i] = x - uint32(q)*divisor
	}
}

// lanesWhere returns the running lanes for which f is true, in wave.tmp.
func (w *wave) lanesWhere(f func(k, i int) bool) (set []uint64, found bool) {
	set = w.tmp
	for k, m := range w.exec {
		set[k] = 0
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if f(k, i) {
				set[k] |= 1 << i
				found = true
			}
		}
	}
	return set, found
}

// runningLanes returns the number of lanes that run.
func (w *wave) runningLanes() (n uint64) {
	for _, m := range w.exec {
		n += uint64(bits.OnesCount64(m))
	}
	return n
}

// checkZero stands before a division when Launch.Check is set.
func checkZero(w *wave, in *inst) {
	if !w.has(in.src.B, in.src.Type, 0) {
		return
	}
	set, found := w.lanesWhere(func(k, i int) bool {
		return w.reg(in.src.B, in.src.Type, k, i) == 0 && !w.undefined(in.src.B, in.src.Type, k, i)
	})
	if found {
		w.fail(engine.Fault{Code: finding.DivideByZero, PC: in.pc, Detail: "the divisor is 0"}, set)
	}
}

// checkOverflow stands before a signed division when Launch.Check is set.
func checkOverflow(w *wave, in *inst) {
	t := in.src.Type
	least, minusOne := uint64(1)<<(t.Bits()-1), full>>(64-t.Bits())
	if !w.has(in.src.B, t, minusOne) {
		return
	}
	set, found := w.lanesWhere(func(k, i int) bool {
		return w.reg(in.src.A, t, k, i) == least && w.reg(in.src.B, t, k, i) == minusOne
	})
	if found {
		w.fail(engine.Fault{Code: finding.DivideOverflow, PC: in.pc,
			Detail: fmt.Sprintf("%d divided by -1 does not fit into %d bits", int64(-1)<<(t.Bits()-1), t.Bits())}, set)
	}
}

// checkShift stands before a shift when Launch.Check is set.
func checkShift(w *wave, in *inst) {
	t := in.src.Type
	if w.below(in.src.B, t, uint64(t.Bits())) {
		return
	}
	set, found := w.lanesWhere(func(k, i int) bool {
		return w.reg(in.src.B, t, k, i) >= uint64(t.Bits()) && !w.undefined(in.src.B, t, k, i)
	})
	if !found {
		return
	}
	w.fail(engine.Fault{Code: finding.ShiftRange, PC: in.pc}, set)
	k, i := w.place(w.fault.Lane)
	w.fault.Detail = fmt.Sprintf("a %d-bit value is shifted by %d", t.Bits(), w.reg(in.src.B, t, k, i))
}

// has says whether an operand may have a value in some lane: it looks at all lanes of the chunks that run, which is
// faster than to look at those that run.
func (w *wave) has(r isa.Reg, t isa.Type, v uint64) bool {
	if r.IsScalar() {
		return w.s[r.Index()]<<(64-t.Bits()) == v<<(64-t.Bits())
	}
	at := w.code.offset(r, t)
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		p, found := unsafe.Add(w.chunk(k), at), false
		switch t.Bank() {
		case isa.Bank8:
			found = hasElement((*[64]uint8)(p), uint8(v))
		case isa.Bank16:
			found = hasElement((*[64]uint16)(p), uint16(v))
		case isa.Bank32:
			found = hasElement((*[64]uint32)(p), uint32(v))
		default:
			found = hasElement((*[64]uint64)(p), v)
		}
		if found {
			return true
		}
	}
	return false
}

func hasElement[T uint8 | uint16 | uint32 | uint64](a *[64]T, v T) bool {
	for _, x := range a {
		if x == v {
			return true
		}
	}
	return false
}

// below says that an operand is less than a limit in all lanes of the chunks that run.
func (w *wave) below(r isa.Reg, t isa.Type, limit uint64) bool {
	if r.IsScalar() {
		return w.s[r.Index()]&(full>>(64-t.Bits())) < limit
	}
	at := w.code.offset(r, t)
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		p, most := unsafe.Add(w.chunk(k), at), uint64(0)
		switch t.Bank() {
		case isa.Bank8:
			most = uint64(mostElement((*[64]uint8)(p)))
		case isa.Bank16:
			most = uint64(mostElement((*[64]uint16)(p)))
		case isa.Bank32:
			most = uint64(mostElement((*[64]uint32)(p)))
		default:
			most = mostElement((*[64]uint64)(p))
		}
		if most >= limit {
			return false
		}
	}
	return true
}

func mostElement[T uint8 | uint16 | uint32 | uint64](a *[64]T) T {
	var most T
	for _, x := range a {
		most = max(most, x)
	}
	return most
}

// place returns the chunk and the number in it of a local linear id.
func (w *wave) place(lane int) (k, i int) { return (lane - w.first) / 64, (lane - w.first) % 64 }
