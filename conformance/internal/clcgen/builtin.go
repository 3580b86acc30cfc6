package clcgen

import "strings"

// integerCall makes a call of a built-in function of integers whose result is t, a scalar or a vector.
func (g *gen) integerCall(t *typ, d int) *Node {
	arg := func() *Node { return g.exact(t, d-1) }
	call := func(name string, args ...*Node) *Node { return node(t.class(), name+"@", separated("(", ")", args)) }
	switch g.n(14) {
	case 0, 1:
		if g.opt.Version >= 120 && g.one(2) {
			return call("popcount", arg())
		}
		if g.opt.Version >= 200 && g.one(2) {
			return call("ctz", arg())
		}
		return call("clz", arg())
	case 2:
		if !t.base().signed {
			from := vec(intOf(t.base().bits, g.one(2)), t.count())
			if g.one(2) {
				return call("abs", g.exact(from, d-1))
			}
			return call("abs_diff", g.exact(from, d-1), g.exact(from, d-1))
		}
	case 3, 4, 5:
		name := pick(&g.rng, []string{"add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate", "min", "max"})
		return call(name, arg(), arg())
	case 6:
		return call(pick(&g.rng, []string{"mad_hi", "mad_sat"}), arg(), arg(), arg())
	case 7:
		if t.kind == vector && g.one(2) {
			return call(pick(&g.rng, []string{"min", "max"}), arg(), g.exact(t.elem, d-1))
		}
		return call("clamp", arg(), g.simple2(t), g.simple2(t))
	case 8:
		if b := t.base(); b.bits > 8 {
			high := vec(intOf(b.bits/2, b.signed), t.count())
			low := vec(intOf(b.bits/2, false), t.count())
			return call("upsample", g.exact(high, d-1), g.exact(low, d-1))
		}
	case 9:
		if t.base().bits == 32 {
			small := func() *Node { return node(t.class(), "(@ & (("+t.name+")0x7fffff))", arg()) }
			if g.one(2) {
				return call("mul24", small(), small())
			}
			return call("mad24", small(), small(), arg())
		}
	case 10:
		return call("bitselect", arg(), arg(), arg())
	case 11:
		return call("select", arg(), arg(), g.exact(vec(intOf(t.base().bits, g.one(2)), t.count()), d-1))
	case 12:
		from := vec(pick(&g.rng, g.ints), t.count())
		sat := pick(&g.rng, []string{"", "_sat"})
		return node(t.class(), "convert_"+t.name+sat+"(@)", g.exact(from, d-1))
	case 13:
		if from := g.sameWidth(t.base().bits); from.kind == integer {
			return node(t.class(), "as_"+t.name+"(@)", g.exact(vec(from, t.count()), d-1))
		}
	}
	return call("max", arg(), arg())
}

// simple2 makes a literal of exactly type t.
func (g *gen) simple2(t *typ) *Node {
	return node(t.class(), "("+t.name+")(@)", g.literal(t.base()))
}

var (
	unary = strings.Fields(`acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp
		exp2 exp10 expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi
		tgamma trunc degrees radians sign`)
	binary = strings.Fields(`atan2 atan2pi fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder max min
		step`)
	ternary    = strings.Fields(`fma mad clamp mix smoothstep`)
	nativeList = strings.Fields(`native_cos native_exp native_exp2 native_log native_recip native_rsqrt native_sin
		native_sqrt half_cos half_exp half_log10 half_recip half_sqrt half_tan`)
)

// floatCall makes a call of a built-in function of floats whose result is t, a scalar or a vector.
func (g *gen) floatCall(t *typ, d int) *Node {
	arg := func() *Node { return g.exact(t, d-1) }
	call := func(name string, args ...*Node) *Node { return node(t.class(), name+"@", separated("(", ")", args)) }
	ints := vec(intT, t.count())
	switch g.n(14) {
	case 0, 1, 2, 3:
		return call(pick(&g.rng, unary), arg())
	case 4, 5:
		return call(pick(&g.rng, binary), arg(), arg())
	case 6:
		return call(pick(&g.rng, ternary), arg(), arg(), arg())
	case 7:
		return call("copysign", arg(), node(t.class(), g.number(t)+"(@)", arg()))
	case 8:
		small := node(ints.class(), "(@ & "+"(("+ints.name+")31))", g.exact(ints, d-1))
		return call(pick(&g.rng, []string{"ldexp", "pown"}), arg(), small)
	case 9:
		if t.base().bits == 32 {
			return call(pick(&g.rng, nativeList), arg())
		}
	case 10:
		if t.kind == vector {
			switch g.n(4) {
			case 0:
				return call(pick(&g.rng, []string{"fmin", "fmax", "min", "max"}), arg(), g.exact(t.elem, d-1))
			case 1:
				return call("mix", arg(), arg(), g.exact(t.elem, d-1))
			case 2:
				if t.n <= 4 && t.elem.bits != 16 {
					return call("normalize", arg())
				}
			}
		}
		return call("select", arg(), arg(), g.exact(vec(intOf(t.base().bits, g.one(2)), t.count()), d-1))
	case 11:
		return g.outCall(t, d)
	case 12:
		if t.kind == vector && (t.n == 3 || t.n == 4) && t.elem.bits != 16 {
			return call("cross", arg(), arg())
		}
		return call("rootn", arg(), node(ints.class(), "((@ & (("+ints.name+")7)) | (("+ints.name+")1))", g.exact(ints, d-1)))
	case 13:
		if t.base().bits != 16 && !g.static && t.count() != 3 {
			return call("nan", g.exact(vec(intOf(t.base().bits, false), t.count()), d-1))
		}
	}
	return call("fabs", arg())
}

// outCall makes a call of a function that writes a second result through a pointer.
func (g *gen) outCall(t *typ, d int) *Node {
	if g.pure {
		return node(t.class(), "fabs(@)", g.exact(t, d-1))
	}
	temp := func(t *typ) string {
		v := g.name("t")
		g.pre = append(g.pre, node("", t.declare(v)+" = @;", g.simple(t)))
		return v
	}
	arg := g.exact(t, d-1)
	use := "(" + t.name + ")"
	if t.kind == vector {
		use = "convert_" + t.name
	}
	ints := vec(intT, t.count())
	switch g.n(6) {
	case 0:
		v := temp(t)
		return g.second(node(t.class(), "fract(@, &"+v+")", arg), v)
	case 1:
		v := temp(t)
		return g.second(node(t.class(), "modf(@, &"+v+")", arg), v)
	case 2:
		v := temp(t)
		return g.second(node(t.class(), "sincos(@, &"+v+")", arg), v)
	case 3:
		v := temp(ints)
		n := node(t.class(), "frexp("+g.number(t)+"(@), &"+v+")", arg)
		return g.second(n, use+"("+v+")")
	case 4:
		v := temp(ints)
		n := node(t.class(), "lgamma_r("+g.number(t)+"(@), &"+v+")", arg)
		return g.second(n, use+"("+v+")")
	}
	v := temp(ints)
	n := node(t.class(), "remquo("+g.number(t)+"(@), (@), &"+v+")", arg, g.exact(t, d-1))
	return g.second(n, use+"("+v+")")
}

// second turns a call into an expression of its second result, sometimes.
func (g *gen) second(n *Node, result string) *Node {
	if g.one(2) {
		return n
	}
	// The comma separates the write of the second result from its read.
	return node(n.Class, "(@, "+result+")", n)
}
