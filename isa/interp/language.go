package interp

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// What the language leaves undefined: each check looks at whole chunks first, and at single lanes only where some lane
// of a chunk that runs does not hold.

// languageCheck decodes an OpCheck.
func (d *decoder) languageCheck(in inst) {
	c, t := &d.kernel.Checks[in.src.Imm], in.src.Type
	switch c.Kind {
	case isa.CheckIndex, isa.CheckVector:
		in.fn = checkIndex
	case isa.CheckToS, isa.CheckToU:
		in.fn = checkToInt
	case isa.CheckSame:
		in.fn = checkPtrDiff
	case isa.CheckLive, isa.CheckDead:
		in.fn = shadowLifetime
	case isa.CheckOrder:
		in.fn = tellOrder
	default:
		in.fn = checkWrap
		switch t {
		case isa.I32:
			in.fn = checkWrap32
		case isa.I64:
			in.fn = checkWrap64
		}
	}
	d.emit(in)
}

// checked returns what an OpCheck asks.
func (w *wave) checked(in *inst) *isa.Check { return &w.code.kernel.Checks[in.src.Imm] }

func checkIndex(w *wave, in *inst) {
	c, t := w.checked(in), in.src.Type
	if w.below(in.src.A, t, c.Limit) {
		return
	}
	set, found := w.lanesWhere(func(k, i int) bool { return unsignedOf(w.reg(in.src.A, t, k, i), t) >= c.Limit })
	if !found {
		return
	}
	w.fail(engine.Fault{Code: finding.IndexRange, PC: in.pc}, set)
	k, i := w.place(w.fault.Lane)
	index := fmt.Sprint(signedOf(w.reg(in.src.A, t, k, i), t))
	if c.Unsigned {
		index = fmt.Sprint(unsignedOf(w.reg(in.src.A, t, k, i), t))
	}
	w.fault.Detail = fmt.Sprintf("the index is %s, and %s", index, arrayText(c))
}

// arrayText says how many elements an array has.
func arrayText(c *isa.Check) string {
	what, unit := "the array", "element"
	switch {
	case c.Kind == isa.CheckVector && c.Name == "":
		what, unit = "the vector", "component"
	case c.Kind == isa.CheckVector:
		what, unit = c.Name, "component"
	case c.Row && c.Name != "":
		what = "a row of " + c.Name
	case c.Row:
		what = "a row of the array"
	case c.Name != "":
		what = c.Name
	}
	if c.Limit != 1 {
		unit += "s"
	}
	s := fmt.Sprintf("%s has %d %s", what, c.Limit, unit)
	if c.Elem != "" && c.Kind == isa.CheckIndex {
		s += " of " + c.Elem
	}
	return s
}

// unsignedOf and signedOf return the number that the low bits of a register are.
func unsignedOf(x uint64, t isa.Type) uint64 { return x & (full >> (64 - t.Bits())) }
func signedOf(x uint64, t isa.Type) int64    { n := 64 - t.Bits(); return int64(x<<n) >> n }

// wraps says whether the result of a signed operation has no room in n bits.
func wraps(kind isa.CheckKind, x, y int64, n int) bool {
	var r int64
	switch kind {
	case isa.CheckAdd:
		if r = x + y; (x^r)&(y^r) < 0 {
			return true
		}
	case isa.CheckSub:
		if r = x - y; (x^y)&(x^r) < 0 {
			return true
		}
	case isa.CheckNeg:
		if r = -x; x == math.MinInt64 {
			return true
		}
	case isa.CheckMul:
		hi, lo := bits.Mul64(uint64(x), uint64(y))
		if x < 0 {
			hi -= uint64(y)
		}
		if y < 0 {
			hi -= uint64(x)
		}
		if r = int64(lo); int64(hi) != r>>63 {
			return true
		}
	case isa.CheckShl:
		if uint64(y) >= uint64(n) {
			return false // another finding
		}
		if r = x << y; r>>y != x {
			return true
		}
	}
	return r<<(64-n)>>(64-n) != r
}

// checkWrap looks at each lane.
func checkWrap(w *wave, in *inst) {
	c, t := w.checked(in), in.src.Type
	operands := func(k, i int) (x, y int64) {
		x = signedOf(w.reg(in.src.A, t, k, i), t)
		if c.Kind.Operands() > 1 {
			y = signedOf(w.reg(in.src.B, t, k, i), t)
		}
		return x, y
	}
	set, found := w.lanesWhere(func(k, i int) bool {
		x, y := operands(k, i)
		return wraps(c.Kind, x, y, t.Bits())
	})
	if !found {
		return
	}
	w.fail(engine.Fault{Code: finding.IntegerOverflow, PC: in.pc}, set)
	x, y := operands(w.place(w.fault.Lane))
	what := ""
	switch c.Kind {
	case isa.CheckNeg:
		what = fmt.Sprintf("-(%d)", x)
	case isa.CheckAdd:
		what = fmt.Sprintf("%d + %d", x, y)
	case isa.CheckSub:
		what = fmt.Sprintf("%d - %d", x, y)
	case isa.CheckMul:
		what = fmt.Sprintf("%d * %d", x, y)
	case isa.CheckShl:
		what = fmt.Sprintf("%d << %d", x, y)
	}
	w.fault.Detail = fmt.Sprintf("%s does not fit into %d bits", what, t.Bits())
}

func checkWrap32(w *wave, in *inst) { checkWraps[int32](w, in, isa.I32) }
func checkWrap64(w *wave, in *inst) { checkWraps[int64](w, in, isa.I64) }

// checkWraps looks at whole chunks, and leaves it to checkWrap to find the lanes.
func checkWraps[T int32 | int64](w *wave, in *inst, t isa.Type) {
	c := w.checked(in)
	a, b := in.src.A, in.src.B
	if a.IsScalar() && (b == isa.None || b.IsScalar()) {
		y := int64(0)
		if b != isa.None {
			y = signedOf(w.s[b.Index()], t)
		}
		if wraps(c.Kind, signedOf(w.s[a.Index()], t), y, t.Bits()) {
			checkWrap(w, in)
		}
		return
	}
	var same [64]T // of a scalar operand
	for _, r := range [...]isa.Reg{a, b} {
		if r != isa.None && r.IsScalar() {
			x := T(w.s[r.Index()])
			for i := range same {
				same[i] = x
			}
		}
	}
	at := func(base unsafe.Pointer, r isa.Reg) *[64]T {
		if r == isa.None || r.IsScalar() {
			return &same
		}
		return (*[64]T)(unsafe.Add(base, w.code.offset(r, t)))
	}
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		x, y := at(base, a), at(base, b)
		held := true
		switch c.Kind {
		case isa.CheckAdd:
			held = sumsHold(x, y)
		case isa.CheckSub:
			held = differencesHold(x, y)
		case isa.CheckMul:
			held = productsHold(x, y)
		default:
			held = false
		}
		if !held {
			checkWrap(w, in)
			return
		}
	}
}

func sumsHold[T int32 | int64](a, b *[64]T) bool {
	var over T
	for i, x := range a {
		y := b[i]
		r := x + y
		over |= (x ^ r) & (y ^ r)
	}
	return over >= 0
}

func differencesHold[T int32 | int64](a, b *[64]T) bool {
	var over T
	for i, x := range a {
		y := b[i]
		over |= (x ^ y) & (x ^ (x - y))
	}
	return over >= 0
}

// productsHold is exact for 32 bits. For 64 it may say that products do not hold that do, of factors of more than 32 bits.
func productsHold[T int32 | int64](a, b *[64]T) bool {
	var over int64
	if unsafe.Sizeof(a[0]) == 4 {
		for i, x := range a {
			r := int64(x) * int64(b[i])
			over |= r ^ int64(int32(r))
		}
		return over == 0
	}
	for i, x := range a {
		over |= int64(x) ^ int64(int32(x)) | int64(b[i]) ^ int64(int32(b[i]))
	}
	return over == 0
}

// checkToInt stands before a conversion of floats to integers that does not saturate.
func checkToInt(w *wave, in *inst) {
	c, t := w.checked(in), in.src.Type
	least, limit := 0.0, math.Ldexp(1, int(c.Limit))
	if c.Kind == isa.CheckToS {
		limit /= 2
		least = -limit
	}
	if in.src.A.IsVector() && t != isa.F16 {
		held := true
		for k, m := range w.exec {
			if m == 0 {
				continue
			}
			p := unsafe.Add(w.chunk(k), w.code.offset(in.src.A, t))
			// A number below the limit may still be rounded up to it, but where it is truncated.
			switch {
			case c.Round != isa.RoundDefault && c.Round != isa.RoundRTZ:
				held = false
			case t == isa.F32:
				held = held && inside((*[64]float32)(p), float32(least), float32(limit))
			default:
				held = held && inside((*[64]float64)(p), least, limit)
			}
		}
		if held {
			return
		}
	}
	number := func(k, i int) float64 {
		x := w.reg(in.src.A, t, k, i)
		switch t {
		case isa.F16:
			return f16ToF64(uint16(x))
		case isa.F32:
			return float64(math.Float32frombits(uint32(x)))
		}
		return math.Float64frombits(x)
	}
	set, found := w.lanesWhere(func(k, i int) bool {
		r := roundFloat(number(k, i), c.Round)
		return !(r >= least && r < limit)
	})
	if !found {
		return
	}
	w.fail(engine.Fault{Code: finding.ConvertRange, PC: in.pc}, set)
	sign := ""
	if c.Kind == isa.CheckToU {
		sign = "unsigned "
	}
	w.fault.Detail = fmt.Sprintf("%v does not fit into %s%d bits", number(w.place(w.fault.Lane)), sign, c.Limit)
}

// inside says whether all numbers are at least least and below limit.
func inside[T float32 | float64](a *[64]T, least, limit T) bool {
	out := 0
	for _, x := range a {
		if !(x >= least && x < limit) {
			out++
		}
	}
	return out == 0
}
