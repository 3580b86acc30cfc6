package debug

import (
	"encoding/binary"
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// pointerTo returns the pointer to a byte of an allocation of LDS or private memory.
func pointerTo(s isa.Space, i int, off uint64) memory.Pointer {
	return memory.Pointer(isa.PointerBits(s, i)).Add(int64(off))
}

// promoted returns the type in which arithmetic on a number is done (C99 6.3.1.1). Half stays half.
func (b *baseTypes) promoted(t *Type, bits uint64) *Type {
	t = t.strip()
	if t.isInt() && (t.Size < 4 || bits > 0 && bits < 32) {
		return b.integer
	}
	switch {
	case t.Kind == isa.DebugFloat:
		return map[uint64]*Type{2: b.half, 4: b.float, 8: b.double}[t.Size]
	case t.Kind == isa.DebugSigned && t.Size == 8:
		return b.long
	case t.Kind == isa.DebugSigned:
		return b.integer
	case t.Size == 8:
		return b.ulong
	}
	return b.uint
}

// common returns the type in which arithmetic on two promoted numbers is done (C99 6.3.1.8).
func (b *baseTypes) common(x, y *Type) *Type {
	switch {
	case x.Kind == isa.DebugFloat && (y.Kind != isa.DebugFloat || x.Size >= y.Size):
		return x
	case y.Kind == isa.DebugFloat:
		return y
	case x.Size != y.Size && x.Size > y.Size:
		return x
	case x.Size != y.Size:
		return y
	case x.Kind == isa.DebugUnsigned:
		return x
	}
	return y
}

// convert returns a value in another type, as a cast does.
func (v *evaluation) convert(x Value, to *Type) (Value, error) {
	from, t := x.Type.strip(), to.strip()
	switch {
	case t.isNumber() && from.isNumber():
		out := convertNumber(x, from, t)
		out.Type = to
		return out, nil
	case t.Kind == isa.DebugPointer && from.Kind == isa.DebugPointer:
		x.Type = &Type{Kind: isa.DebugPointer, Elem: t.Elem, Size: from.Size, Space: t.Space}
		x.at = place{}
		return x, nil
	case t.Kind == isa.DebugPointer && from.isInt(), t.isInt() && from.Kind == isa.DebugPointer:
		if from.isInt() && from.Kind == isa.DebugSigned {
			return integer(to, uint64(x.signed())), nil
		}
		return integer(to, x.word()), nil
	case t.Kind == isa.DebugPointer && from.Kind == isa.DebugArray:
		return v.decay(x)
	case t.Kind == isa.DebugVector && from.isNumber():
		e, err := v.convert(x, t.Elem)
		return spread(e, to), err
	case t.Kind == isa.DebugVector && from.Kind == isa.DebugVector && t.Count == from.Count && t.Elem.strip().Kind == from.Elem.strip().Kind &&
		t.Elem.strip().Size == from.Elem.strip().Size, t == from:
		x.Type, x.at = to, place{}
		return x, nil
	case (t.Kind == isa.DebugStruct || t.Kind == isa.DebugUnion) && t.Kind == from.Kind && t.Name == from.Name && t.Size == from.Size:
		return x, nil
	}
	return x, bad("%s does not become %s", x.Type, to)
}

// convertNumber converts between stripped types of numbers.
func convertNumber(x Value, from, t *Type) Value {
	switch {
	case t.Kind == isa.DebugBool:
		is := x.word() != 0
		if from.Kind == isa.DebugFloat {
			is = x.float() != 0
		}
		if is {
			return integer(t, 1)
		}
		return integer(t, 0)
	case t.Kind == isa.DebugFloat && from.Kind == isa.DebugFloat:
		return floating(t, x.float())
	case t.Kind == isa.DebugFloat && from.Kind == isa.DebugSigned:
		return intToFloat(t, float32(x.signed()), float64(x.signed()))
	case t.Kind == isa.DebugFloat:
		return intToFloat(t, float32(x.word()), float64(x.word()))
	case from.Kind == isa.DebugFloat:
		f := math.Trunc(x.float())
		switch {
		case f != f:
			return integer(t, 0)
		case t.Kind == isa.DebugSigned || f < 0:
			return integer(t, uint64(int64(max(min(f, math.MaxInt64), math.MinInt64))))
		case f >= 1<<64:
			return integer(t, math.MaxUint64)
		}
		return integer(t, uint64(f))
	case from.Kind == isa.DebugSigned:
		return integer(t, uint64(x.signed()))
	}
	return integer(t, x.word())
}

// intToFloat returns an integer as a float, rounded once.
func intToFloat(t *Type, single float32, double float64) Value {
	if t.Size == 4 {
		return integer(t, uint64(math.Float32bits(single)))
	}
	return floating(t, double)
}

// spread returns a vector of equal elements.
func spread(e Value, to *Type) Value {
	t := to.strip()
	out := Value{Type: to, Bytes: make([]byte, t.Size)}
	for i := range t.Count {
		copy(out.Bytes[i*t.Elem.Size:], e.Bytes)
	}
	return out
}

// decay returns the pointer to the first element of an array.
func (v *evaluation) decay(x Value) (Value, error) {
	p, ok := x.At()
	if !ok {
		return x, bad("the array is not in memory")
	}
	t := &Type{Kind: isa.DebugPointer, Elem: x.Type.strip().Elem, Size: 8, Space: isa.Space(p.Space())}
	return integer(t, uint64(p)), nil
}

func (v *evaluation) unary(op string, n *node) (Value, error) {
	x, err := whole(v.eval(n))
	if err != nil {
		return x, err
	}
	t := x.Type.strip()
	switch op {
	case "&":
		p, ok := x.At()
		if !ok || x.Bit.Bits > 0 {
			return x, bad("it has no address")
		}
		return integer(&Type{Kind: isa.DebugPointer, Elem: x.Type, Size: 8, Space: isa.Space(p.Space())}, uint64(p)), nil
	case "*":
		if t.Kind == isa.DebugArray {
			return v.elementOf(x, 0)
		}
		return v.deref(x, 0)
	case "!":
		if t.Kind == isa.DebugVector {
			return v.elementwise(t, vector(v.signedOf(t.Elem), t.Count), func(i uint64) (Value, error) {
				yes, err := v.truth(element(x, t, i))
				return v.mask(t.Elem, !yes), err
			})
		}
		yes, err := v.truth(x)
		return v.boolean(!yes), err
	}
	if t.Kind == isa.DebugVector {
		return v.elementwise(t, x.Type, func(i uint64) (Value, error) {
			e, err := v.negate(op, element(x, t, i), t.Elem)
			return e, err
		})
	}
	if !t.isNumber() {
		return x, bad("%s%s has no value", op, x.Type)
	}
	return v.negate(op, x, v.s.info.base.promoted(t, x.Bit.Bits))
}

func (v *evaluation) elementOf(x Value, i uint64) (Value, error) {
	if t := x.Type.strip(); i < t.Count {
		return element(x, t, i), nil
	}
	return x, bad("the array has no element %d", i)
}

// negate evaluates -x, +x and ~x in a type.
func (v *evaluation) negate(op string, x Value, t *Type) (Value, error) {
	x, err := v.convert(x, t)
	if err != nil {
		return x, err
	}
	switch s := t.strip(); {
	case op == "+":
		x.at = place{}
		return x, nil
	case op == "~" && s.isInt():
		return integer(t, ^x.word()), nil
	case op == "-" && s.Kind == isa.DebugFloat:
		return floating(t, -x.float()), nil
	case op == "-":
		return integer(t, -x.word()), nil
	}
	return x, bad("%s%s has no value", op, x.Type)
}

// elementwise makes a vector of the elements that f returns.
func (v *evaluation) elementwise(t, result *Type, f func(i uint64) (Value, error)) (Value, error) {
	out := Value{Type: result, Bytes: make([]byte, result.strip().Size)}
	size := result.strip().Elem.Size
	for i := range t.Count {
		e, err := f(i)
		if err != nil {
			return e, err
		}
		copy(out.Bytes[i*size:], e.Bytes)
	}
	return out, nil
}

// signedOf returns the signed integer type as wide as a number.
func (v *evaluation) signedOf(t *Type) *Type {
	return v.s.info.base.byName[map[uint64]string{1: "char", 2: "short", 4: "int", 8: "long"}[t.strip().Size]]
}

// mask is what comparisons of vectors give: all ones, or zero.
func (v *evaluation) mask(t *Type, is bool) Value {
	if is {
		return integer(v.signedOf(t), math.MaxUint64)
	}
	return integer(v.signedOf(t), 0)
}

func comparison(op string) bool {
	switch op {
	case "==", "!=", "<", ">", "<=", ">=":
		return true
	}
	return false
}

// binary evaluates an operator of two operands.
func (v *evaluation) binary(op string, x, y Value) (Value, error) {
	xt, yt := x.Type.strip(), y.Type.strip()
	for _, p := range []*Value{&x, &y} {
		if p.Type.strip().Kind == isa.DebugArray {
			d, err := v.decay(*p)
			if err != nil {
				return d, err
			}
			*p = d
			xt, yt = x.Type.strip(), y.Type.strip()
		}
	}
	switch {
	case xt.Kind == isa.DebugPointer || yt.Kind == isa.DebugPointer:
		return v.pointers(op, x, y)
	case xt.Kind == isa.DebugVector || yt.Kind == isa.DebugVector:
		return v.vectors(op, x, y)
	case !xt.isNumber() || !yt.isNumber():
		return x, bad("%s %s %s has no value", x.Type, op, y.Type)
	}
	b := &v.s.info.base
	px, py := b.promoted(xt, x.Bit.Bits), b.promoted(yt, y.Bit.Bits)
	t := b.common(px, py)
	if op == "<<" || op == ">>" {
		t = px
		if py.Kind == isa.DebugFloat {
			return x, bad("%s %s %s has no value", x.Type, op, y.Type)
		}
		cx, cy := convertNumber(x, xt, t), convertNumber(y, yt, py)
		return v.arith(op, cx, cy, t)
	}
	return v.arith(op, convertNumber(x, xt, t), convertNumber(y, yt, t), t)
}

// arith evaluates an operator of two numbers of a stripped type; comparisons give an int.
func (v *evaluation) arith(op string, x, y Value, t *Type) (Value, error) {
	if t.Kind == isa.DebugFloat {
		return v.floats(op, x.float(), y.float(), t)
	}
	a, b := x.word(), y.word()
	signed := t.Kind == isa.DebugSigned
	sa, sb := x.signed(), y.signed()
	width := 8 * t.Size
	less := a < b
	if signed {
		less = sa < sb
	}
	switch op {
	case "+":
		return integer(t, a+b), nil
	case "-":
		return integer(t, a-b), nil
	case "*":
		return integer(t, a*b), nil
	case "/", "%":
		switch {
		case b == 0:
			return x, bad("the divisor is 0")
		case signed && sb == -1 && op == "/":
			return integer(t, -a), nil
		case signed && sb == -1:
			return integer(t, 0), nil
		case signed && op == "/":
			return integer(t, uint64(sa/sb)), nil
		case signed:
			return integer(t, uint64(sa%sb)), nil
		case op == "/":
			return integer(t, a/b), nil
		}
		return integer(t, a%b), nil
	case "&":
		return integer(t, a&b), nil
	case "|":
		return integer(t, a|b), nil
	case "^":
		return integer(t, a^b), nil
	case "<<":
		return integer(t, a<<(b%width)), nil // OpenCL C 6.3.10: modulo the width
	case ">>":
		if signed {
			return integer(t, uint64(sa>>(b%width))), nil
		}
		return integer(t, a>>(b%width)), nil
	case "==":
		return v.boolean(a == b), nil
	case "!=":
		return v.boolean(a != b), nil
	case "<":
		return v.boolean(less), nil
	case ">=":
		return v.boolean(!less), nil
	case ">":
		return v.boolean(!less && a != b), nil
	case "<=":
		return v.boolean(less || a == b), nil
	}
	return x, bad("%s is not known", op)
}

// floats evaluates an operator of two numbers of a floating-point type. A result of double arithmetic that is
// rounded to the type is that of arithmetic in the type.
func (v *evaluation) floats(op string, a, b float64, t *Type) (Value, error) {
	switch op {
	case "+":
		return floating(t, a+b), nil
	case "-":
		return floating(t, a-b), nil
	case "*":
		return floating(t, float64(a*b)), nil
	case "/":
		return floating(t, a/b), nil
	case "==":
		return v.boolean(a == b), nil
	case "!=":
		return v.boolean(a != b), nil
	case "<":
		return v.boolean(a < b), nil
	case ">":
		return v.boolean(a > b), nil
	case "<=":
		return v.boolean(a <= b), nil
	case ">=":
		return v.boolean(a >= b), nil
	}
	return Value{}, bad("%s is not for floating-point numbers", op)
}

// vectors evaluates an operator of a vector and a vector or a number.
func (v *evaluation) vectors(op string, x, y Value) (Value, error) {
	t := x.Type.strip()
	if t.Kind != isa.DebugVector {
		t = y.Type.strip()
	}
	x, err := v.convert(x, t)
	if err != nil {
		return x, err
	}
	if y, err = v.convert(y, t); err != nil {
		return y, err
	}
	e := t.Elem.strip()
	result := &Type{Kind: isa.DebugVector, Elem: t.Elem, Count: t.Count, Size: t.Size}
	if comparison(op) {
		result.Elem = v.signedOf(e)
	}
	return v.elementwise(t, result, func(i uint64) (Value, error) {
		z, err := v.arith(op, element(x, t, i), element(y, t, i), e)
		if err == nil && comparison(op) {
			z = v.mask(e, z.word() != 0)
		}
		return z, err
	})
}

// pointers evaluates an operator of a pointer and a pointer or an integer.
func (v *evaluation) pointers(op string, x, y Value) (Value, error) {
	xt, yt := x.Type.strip(), y.Type.strip()
	if xt.isInt() && op == "+" {
		x, y, xt, yt = y, x, yt, xt
	}
	switch {
	case xt.Kind == isa.DebugPointer && yt.isInt() && (op == "+" || op == "-"):
		n := convertNumber(y, yt, v.s.info.base.long).signed()
		if op == "-" {
			n = -n
		}
		if xt.Elem == nil || xt.Elem.Size == 0 {
			return x, bad("%s leads to nothing that is known", x.Type)
		}
		return v.s.pointerValue(x.Type, v.s.pointerOf(x).Add(n*int64(xt.Elem.Size)), len(x.Bytes)), nil
	case xt.Kind == isa.DebugPointer && yt.Kind == isa.DebugPointer && op == "-" && xt.Elem != nil && xt.Elem.Size > 0:
		p, q := v.s.pointerOf(x), v.s.pointerOf(y)
		if p.Space() != q.Space() || p.Alloc() != q.Alloc() {
			return x, bad("the pointers lead to different memory")
		}
		return integer(v.s.info.base.long, uint64((p.Offset()-q.Offset())/int64(xt.Elem.Size))), nil
	case comparison(op):
		a, b := uint64(v.s.addressOf(x)), uint64(v.s.addressOf(y))
		return v.arith(op, integer(v.s.info.base.ulong, a), integer(v.s.info.base.ulong, b), v.s.info.base.ulong)
	}
	return x, bad("%s %s %s has no value", x.Type, op, y.Type)
}

// addressOf returns a pointer for comparisons.
func (s *Session) addressOf(x Value) memory.Pointer {
	if x.Type.strip().Kind == isa.DebugPointer {
		return s.pointerOf(x)
	}
	return memory.Pointer(x.word())
}

// pointerValue returns a pointer of a type, in the form in which the kernel's memory has pointers.
func (s *Session) pointerValue(t *Type, p memory.Pointer, size int) Value {
	x := uint64(p)
	if size == 4 {
		g, _ := s.stepper.Group()
		var private []uint64
		for i := range s.kernel.Private {
			private = append(private, s.kernel.Private[i].Size)
		}
		x = uint64(s.mem.Pack32(g.LDS, private, p))
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	return Value{Type: t, Bytes: append([]byte(nil), b[:max(size, 4)]...)}
}
