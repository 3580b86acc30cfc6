package debug

import (
	"github.com/lockstep-gpu/lockstep/isa"
)

// Conditions are evaluated for every work-item that comes by. Those of integers and work-item functions
// become functions of bits, without values in between; all others go through evaluation.eval.

// fastValue returns the bits of an integer, as wide as 64 bits by the sign of its type; ok is false where
// eval has to say what is wrong.
type fastValue func(v *evaluation) (x uint64, ok bool)

type fastCompiler struct {
	s    *Session
	base *baseTypes
}

// compile returns the function and the stripped type of an expression of integers; ok is false for others.
func (c *fastCompiler) compile(n *node) (f fastValue, t *Type, ok bool) {
	switch n.op {
	case "number":
		x, err := (&evaluation{s: c.s}).number(n)
		if err != nil || n.float {
			return nil, nil, false
		}
		bits := extend(x.word(), x.Type)
		return func(*evaluation) (uint64, bool) { return bits, true }, x.Type, true
	case "name":
		return c.variable(n)
	case "call":
		return c.call(n)
	case "unary!":
		f, _, ok := c.compile(n.args[0])
		return func(v *evaluation) (uint64, bool) {
			x, ok := f(v)
			return bit(x == 0), ok
		}, c.base.integer, ok
	}
	if len(n.args) != 2 {
		return nil, nil, false
	}
	x, xt, ok := c.compile(n.args[0])
	if !ok {
		return nil, nil, false
	}
	y, yt, ok := c.compile(n.args[1])
	if !ok {
		return nil, nil, false
	}
	switch n.op {
	case "&&":
		return func(v *evaluation) (uint64, bool) {
			a, ok := x(v)
			if !ok || a == 0 {
				return 0, ok
			}
			b, ok := y(v)
			return bit(b != 0), ok
		}, c.base.integer, true
	case "||":
		return func(v *evaluation) (uint64, bool) {
			a, ok := x(v)
			if !ok || a != 0 {
				return 1, ok
			}
			b, ok := y(v)
			return bit(b != 0), ok
		}, c.base.integer, true
	}
	return c.binary(n.op, x, y, c.base.common(c.base.promoted(xt, 0), c.base.promoted(yt, 0)))
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// extend returns the bits of a type as 64 bits.
func extend(x uint64, t *Type) uint64 {
	shift := 64 - 8*t.Size
	if t.Kind == isa.DebugSigned {
		return uint64(int64(x<<shift) >> shift)
	}
	return x << shift >> shift
}

// variable compiles a variable in private memory.
func (c *fastCompiler) variable(n *node) (fastValue, *Type, bool) {
	d := n.means
	if d == nil || d.Where != isa.DebugPrivate || d.Arg > 0 {
		return nil, nil, false
	}
	t := c.s.info.types[d.Type].strip()
	if !t.isInt() || t.Size > 8 {
		return nil, nil, false
	}
	var p [8]byte
	return func(v *evaluation) (uint64, bool) {
		if !v.w.ReadPrivate(v.lane, int(d.Index), d.Offset, p[:t.Size]) {
			return 0, false
		}
		x := uint64(0)
		for i := range t.Size {
			x |= uint64(p[i]) << (8 * i)
		}
		return extend(x, t), true
	}, t, true
}

// call compiles a work-item function of a literal.
func (c *fastCompiler) call(n *node) (fastValue, *Type, bool) {
	t, dims, ok := c.base.workItemType(n.text)
	d := uint64(0)
	if dims && ok {
		if ok = len(n.args) == 1 && n.args[0].op == "number" && !n.args[0].float; ok {
			x, err := (&evaluation{s: c.s}).number(n.args[0])
			if ok = err == nil; ok {
				d = x.word()
			}
		}
	}
	if !ok {
		return nil, nil, false
	}
	name := n.text
	return func(v *evaluation) (uint64, bool) { return extend(v.workItemValue(name, d), t), true }, t, true
}

// binary compiles an operator of two integers in a type.
func (c *fastCompiler) binary(op string, x, y fastValue, t *Type) (fastValue, *Type, bool) {
	if !t.isInt() {
		return nil, nil, false
	}
	signed := t.Kind == isa.DebugSigned
	less := func(a, b uint64) bool { return a < b }
	if signed {
		less = func(a, b uint64) bool { return int64(a) < int64(b) }
	}
	var f func(a, b uint64) uint64
	result := c.base.integer
	switch op {
	case "==":
		f = func(a, b uint64) uint64 { return bit(a == b) }
	case "!=":
		f = func(a, b uint64) uint64 { return bit(a != b) }
	case "<":
		f = func(a, b uint64) uint64 { return bit(less(a, b)) }
	case ">":
		f = func(a, b uint64) uint64 { return bit(less(b, a)) }
	case "<=":
		f = func(a, b uint64) uint64 { return bit(!less(b, a)) }
	case ">=":
		f = func(a, b uint64) uint64 { return bit(!less(a, b)) }
	case "+":
		f, result = func(a, b uint64) uint64 { return a + b }, t
	case "-":
		f, result = func(a, b uint64) uint64 { return a - b }, t
	case "*":
		f, result = func(a, b uint64) uint64 { return a * b }, t
	case "&":
		f, result = func(a, b uint64) uint64 { return a & b }, t
	case "|":
		f, result = func(a, b uint64) uint64 { return a | b }, t
	case "^":
		f, result = func(a, b uint64) uint64 { return a ^ b }, t
	case "%", "/":
		return c.divide(op, x, y, t)
	default:
		return nil, nil, false
	}
	return func(v *evaluation) (uint64, bool) {
		a, ok := x(v)
		if !ok {
			return 0, false
		}
		b, ok := y(v)
		return extend(f(extend(a, t), extend(b, t)), result), ok
	}, result, true
}

// divide compiles / and %; eval says what a divisor of 0 is.
func (c *fastCompiler) divide(op string, x, y fastValue, t *Type) (fastValue, *Type, bool) {
	signed := t.Kind == isa.DebugSigned
	return func(v *evaluation) (uint64, bool) {
		a, ok := x(v)
		if !ok {
			return 0, false
		}
		b, ok := y(v)
		a, b = extend(a, t), extend(b, t)
		switch {
		case !ok || b == 0:
			return 0, false
		case signed && int64(b) == -1 && op == "/":
			return extend(-a, t), true
		case signed && int64(b) == -1:
			return 0, true
		case signed && op == "/":
			return uint64(int64(a) / int64(b)), true
		case signed:
			return uint64(int64(a) % int64(b)), true
		case op == "/":
			return a / b, true
		}
		return a % b, true
	}, t, true
}
