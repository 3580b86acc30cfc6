package lower_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// Floats of the oracle are exact: nothing here rounds but round.

// exact is a float taken apart: a number, an infinity or a NaN.
type exact struct {
	nan, inf, neg bool
	x             *big.Rat // its magnitude is that of the number; the sign is in neg for zero
}

// format of a float: bits of the significand with the hidden one, and the exponents.
func format(t ty) (p, emin, emax int) {
	switch t.bits {
	case 16:
		return 11, -14, 15
	case 32:
		return 24, -126, 127
	}
	return 53, -1022, 1023
}

func unpackFloat(t ty, v uint64) exact {
	p, emin, emax := format(t)
	frac := v & (1<<(p-1) - 1)
	exp := int(v >> (p - 1) & (1<<(t.bits-p) - 1))
	neg := v>>(t.bits-1) != 0
	if exp == 1<<(t.bits-p)-1 {
		return exact{nan: frac != 0, inf: frac == 0, neg: neg}
	}
	e := emin
	if exp > 0 {
		e = exp - emax
		frac |= 1 << (p - 1)
	}
	x := new(big.Rat).SetInt(new(big.Int).SetUint64(frac))
	x.Mul(x, pow2(e-p+1))
	if neg {
		x.Neg(x)
	}
	return exact{neg: neg, x: x}
}

func pow2(e int) *big.Rat {
	one := big.NewInt(1)
	if e < 0 {
		return new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, uint(-e)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(e)))
}

// roundInt rounds a number to an integer.
func roundInt(x *big.Rat, mode string) *big.Int {
	q, r := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if r.Sign() == 0 {
		return q
	}
	up := false
	switch mode {
	case "RTP":
		up = true
	case "RTZ":
		up = x.Sign() < 0
	case "RTE":
		c := new(big.Int).Lsh(r, 1).Cmp(x.Denom())
		up = c > 0 || c == 0 && q.Bit(0) != 0
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// round gives the bits of type t for a number.
func round(t ty, v exact, mode string) uint64 {
	p, emin, emax := format(t)
	sign := truth(v.neg) << (t.bits - 1)
	inf := uint64(1<<(t.bits-p)-1) << (p - 1)
	switch {
	case v.nan:
		return inf | 1<<(p-2)
	case v.inf:
		return sign | inf
	case v.x.Sign() == 0:
		return sign
	}
	neg := v.x.Sign() < 0
	sign = truth(neg) << (t.bits - 1)
	mag := new(big.Rat).Abs(v.x)
	if neg {
		mode = map[string]string{"RTP": "RTN", "RTN": "RTP"}[mode] + map[string]string{"RTE": "RTE", "RTZ": "RTZ"}[mode]
	}
	e := mag.Num().BitLen() - mag.Denom().BitLen()
	if mag.Cmp(pow2(e)) < 0 {
		e--
	}
	e = max(e, emin)
	m := roundInt(new(big.Rat).Mul(mag, pow2(p-1-e)), mode)
	// m may have become 2^p; arithmetic on the encoding carries it into the exponent.
	code := m.Uint64()
	if code >= 1<<(p-1) {
		code += uint64(e-emin) << (p - 1)
	}
	if e > emax || code >= inf {
		if mode == "RTZ" || mode == "RTN" {
			return sign | (inf - 1)
		}
		return sign | inf
	}
	return sign | code
}

var floats = []ty{tf(16), tf(32), tf(64)}

func isNaN(t ty, v uint64) bool { return unpackFloat(t, v).nan }

func TestFloatRules(t *testing.T) {
	for _, ft := range floats {
		checkRules(t, floatRules(ft))
	}
}

func floatRules(t ty) []rule {
	var rules []rule
	add := func(r rule) {
		r.name += fmt.Sprintf(" f%d", t.bits)
		rules = append(rules, r)
	}
	p, _, _ := format(t)
	top := uint64(1) << (t.bits - 1)
	nan := round(t, exact{nan: true}, "RTE")
	ex := func(v uint64) exact { return unpackFloat(t, v) }
	fl := func(v uint64) float64 {
		switch t.bits {
		case 64:
			return math.Float64frombits(v)
		case 32:
			return float64(math.Float32frombits(uint32(v)))
		}
		e := ex(v)
		switch {
		case e.nan:
			return math.NaN()
		case e.inf && e.neg:
			return math.Inf(-1)
		case e.inf:
			return math.Inf(1)
		}
		f, _ := e.x.Float64()
		if e.neg {
			return math.Copysign(f, -1)
		}
		return f
	}
	// num rounds the exact result of finite operands; special answers the rest in double, where
	// infinities, NaNs and signs of zero are what they are in every format.
	arith := func(op string, n int, num func(x ...*big.Rat) *big.Rat, special func(x ...float64) float64) {
		inst, args := "RES = "+op+" TYPE", []ty(nil)
		for i := range n {
			inst += " " + string(rune('A'+i)) + "_"
			args = append(args, t)
		}
		add(rule{name: op, inst: inst, res: t, args: args, want: func(a []uint64) uint64 {
			var x []*big.Rat
			var f []float64
			finite := true
			for _, v := range a {
				e := ex(v)
				finite = finite && e.x != nil
				x = append(x, e.x)
				f = append(f, fl(v))
			}
			if finite {
				if r := num(x...); r != nil && r.Sign() != 0 {
					return round(t, exact{x: r, neg: r.Sign() < 0}, "RTE")
				}
			}
			s := special(f...)
			switch {
			case s != s:
				return nan
			case math.IsInf(s, 0):
				return round(t, exact{inf: true, neg: s < 0}, "RTE")
			case s == 0:
				return truth(math.Signbit(s)) * top
			}
			return round(t, exact{x: new(big.Rat).SetFloat64(s), neg: s < 0}, "RTE")
		}})
	}
	r := func() *big.Rat { return new(big.Rat) }
	arith("OpFAdd", 2, func(x ...*big.Rat) *big.Rat { return r().Add(x[0], x[1]) }, func(x ...float64) float64 { return x[0] + x[1] })
	arith("OpFSub", 2, func(x ...*big.Rat) *big.Rat { return r().Sub(x[0], x[1]) }, func(x ...float64) float64 { return x[0] - x[1] })
	arith("OpFMul", 2, func(x ...*big.Rat) *big.Rat { return r().Mul(x[0], x[1]) }, func(x ...float64) float64 { return x[0] * x[1] })
	arith("OpFDiv", 2, func(x ...*big.Rat) *big.Rat {
		if x[1].Sign() == 0 {
			return nil
		}
		return r().Quo(x[0], x[1])
	}, func(x ...float64) float64 { return x[0] / x[1] })
	rem := func(x ...*big.Rat) *big.Rat {
		if x[1].Sign() == 0 {
			return nil
		}
		q := new(big.Rat).SetInt(roundInt(r().Quo(x[0], x[1]), "RTZ"))
		return r().Sub(x[0], r().Mul(q, x[1]))
	}
	arith("OpFRem", 2, rem, func(x ...float64) float64 { return math.Mod(x[0], x[1]) })
	fma := func(x ...*big.Rat) *big.Rat { return r().Add(r().Mul(x[0], x[1]), x[2]) }
	arith("OpExtInst TYPE %cl fma", 3, fma, func(x ...float64) float64 { return math.FMA(x[0], x[1], x[2]) })
	rules[len(rules)-1].inst = "RES = OpExtInst TYPE %cl fma A_ B_ C_"

	add(rule{name: "OpFMod", inst: "RES = OpFMod TYPE A_ B_", res: t, args: []ty{t, t},
		valid: func(a []uint64) bool {
			// Where the remainder is zero its sign is nobody's; infinite divisors are undefined as well.
			x, y := ex(a[0]), ex(a[1])
			return x.x != nil && y.x != nil && y.x.Sign() != 0 && rem(x.x, y.x).Sign() != 0
		},
		want: func(a []uint64) uint64 {
			y := ex(a[1]).x
			m := rem(ex(a[0]).x, y)
			if m.Sign() != y.Sign() {
				m.Add(m, y)
			}
			return round(t, exact{x: m, neg: y.Sign() < 0}, "RTE")
		}})

	bit := func(op string, want func(v uint64) uint64) {
		add(rule{name: op, inst: "RES = " + op + " TYPE A_", res: t, args: []ty{t}, want: func(a []uint64) uint64 { return want(a[0]) }})
	}
	bit("OpFNegate", func(v uint64) uint64 { return v ^ top })
	test := func(op string, want func(v uint64) bool) {
		add(rule{name: op, inst: "RES = " + op + " TYPE A_", res: tb, args: []ty{t}, want: func(a []uint64) uint64 { return truth(want(a[0])) }})
	}
	test("OpIsNan", func(v uint64) bool { return ex(v).nan })
	test("OpIsInf", func(v uint64) bool { return ex(v).inf })
	test("OpIsFinite", func(v uint64) bool { return ex(v).x != nil })
	test("OpIsNormal", func(v uint64) bool { e := v >> (p - 1) & (1<<(t.bits-p) - 1); return e != 0 && e != 1<<(t.bits-p)-1 })
	test("OpSignBitSet", func(v uint64) bool { return v&top != 0 })
	cmp := func(op string, unordered bool, want func(x, y float64) bool) {
		add(rule{name: op, inst: "RES = " + op + " TYPE A_ B_", res: tb, args: []ty{t, t}, want: func(a []uint64) uint64 {
			x, y := fl(a[0]), fl(a[1])
			if x != x || y != y {
				return truth(unordered)
			}
			return truth(want(x, y))
		}})
	}
	for i, o := range []string{"OpFOrd", "OpFUnord"} {
		cmp(o+"Equal", i == 1, func(x, y float64) bool { return x == y })
		cmp(o+"NotEqual", i == 1, func(x, y float64) bool { return x != y })
		cmp(o+"LessThan", i == 1, func(x, y float64) bool { return x < y })
		cmp(o+"LessThanEqual", i == 1, func(x, y float64) bool { return x <= y })
		cmp(o+"GreaterThan", i == 1, func(x, y float64) bool { return x > y })
		cmp(o+"GreaterThanEqual", i == 1, func(x, y float64) bool { return x >= y })
	}
	cmp("OpOrdered", false, func(x, y float64) bool { return true })
	cmp("OpUnordered", true, func(x, y float64) bool { return false })
	cmp("OpLessOrGreater", false, func(x, y float64) bool { return x != y })
	add(rule{name: "OpVectorTimesScalar", inst: "RES = OpVectorTimesScalar TYPE A_ B_", res: t, args: []ty{t, t}, scalar: [4]bool{1: true},
		want: rules[2].want})
	scalarForm := &rules[len(rules)-1]
	scalarForm.noScalar = true
	// Sums of small integers are exact, whatever the order.
	small := []uint64{}
	for _, x := range []float64{0, 1, -2, 3, 0.5} {
		small = append(small, round(t, exact{x: new(big.Rat).SetFloat64(x)}, "RTE"))
	}
	add(rule{name: "OpDot", inst: "RES = OpDot TYPE A_ B_", res: t, args: []ty{t, t}, reduce: true, inputs: small, want: func(a []uint64) uint64 {
		sum := r()
		for i := range len(a) / 2 {
			sum.Add(sum, r().Mul(ex(a[i]).x, ex(a[len(a)/2+i]).x))
		}
		return round(t, exact{x: sum}, "RTE")
	}, near: func(got, want uint64) bool { return (got|want)&^top == 0 }})

	// Functions that have one right answer.
	cl := func(name string, n int, want func(a ...uint64) uint64) {
		inst, args := "RES = OpExtInst TYPE %cl "+name, []ty(nil)
		for i := range n {
			inst += " " + string(rune('A'+i)) + "_"
			args = append(args, t)
		}
		add(rule{name: name, inst: inst, res: t, args: args, want: func(a []uint64) uint64 { return want(a...) }})
	}
	cl("fabs", 1, func(a ...uint64) uint64 { return a[0] &^ top })
	cl("copysign", 2, func(a ...uint64) uint64 { return a[0]&^top | a[1]&top })
	integral := func(name string, f func(float64) float64) {
		cl(name, 1, func(a ...uint64) uint64 {
			x := f(fl(a[0]))
			if x != x {
				return nan
			}
			return round(t, finiteOrInf(x), "RTE")
		})
	}
	integral("floor", math.Floor)
	integral("ceil", math.Ceil)
	integral("trunc", math.Trunc)
	integral("rint", math.RoundToEven)
	integral("round", math.Round)
	integral("sign", func(x float64) float64 {
		switch {
		case x != x:
			return 0
		case x == 0:
			return x
		}
		return math.Copysign(1, x)
	})
	for _, name := range []string{"fmin", "fmax"} {
		add(rule{name: name, inst: "RES = OpExtInst TYPE %cl " + name + " A_ B_", res: t, args: []ty{t, t}, want: func(a []uint64) uint64 {
			x, y := fl(a[0]), fl(a[1])
			switch {
			case x != x && y != y:
				return nan
			case x != x:
				return a[1]
			case y != y, name == "fmin" && x < y, name == "fmax" && x > y:
				return a[0]
			case x == y && x != 0:
				return a[0]
			}
			return a[1]
		}, near: func(got, want uint64) bool { return (got|want)&^top == 0 }})
	}
	rules = append(rules, rule{name: "bitselect", inst: "RES = OpExtInst TYPE %cl bitselect A_ B_ C_", res: t, args: []ty{t, t, t},
		want: func(a []uint64) uint64 { return a[0]&^a[2] | a[1]&a[2] }})
	return rules
}

func finiteOrInf(x float64) exact {
	if math.IsInf(x, 0) {
		return exact{inf: true, neg: x < 0}
	}
	return exact{x: new(big.Rat).SetFloat64(x), neg: math.Signbit(x)}
}

var modes = []string{"", "RTE", "RTZ", "RTP", "RTN"}

func roundingDeco(mode string) string {
	if mode == "" {
		return ""
	}
	return "FPRoundingMode " + mode
}

func TestConversionRules(t *testing.T) {
	var rules []rule
	for _, ft := range floats {
		for i, mode := range modes {
			if testing.Short() && i > 1 {
				break
			}
			eff := mode
			if eff == "" {
				eff = "RTE"
			}
			for _, to := range floats {
				if to == ft {
					continue
				}
				rules = append(rules, rule{name: fmt.Sprintf("OpFConvert f%d to f%d %s", ft.bits, to.bits, mode), inst: "RES = OpFConvert TYPE A_",
					res: to, args: []ty{ft}, deco: roundingDeco(mode), inputs: conversionInputs(ft),
					want: func(a []uint64) uint64 { return round(to, unpackFloat(ft, a[0]), eff) }})
			}
			for _, n := range widths {
				it := ti(n)
				for _, signed := range []bool{false, true} {
					letter := "U"
					num := bigU
					if signed {
						letter = "S"
						num = func(x uint64) *big.Int { return bigS(it, x) }
					}
					rules = append(rules, rule{name: fmt.Sprintf("OpConvert%sToF i%d f%d %s", letter, n, ft.bits, mode),
						inst: "RES = OpConvert" + letter + "ToF TYPE A_", res: ft, args: []ty{it}, deco: roundingDeco(mode),
						want: func(a []uint64) uint64 { return round(ft, exact{x: new(big.Rat).SetInt(num(a[0]))}, eff) }})
					toInt := mode
					if toInt == "" {
						toInt = "RTZ"
					}
					for _, sat := range []bool{false, true} {
						deco := roundingDeco(mode)
						name := fmt.Sprintf("OpConvertFTo%s f%d i%d %s", letter, ft.bits, n, mode)
						if sat {
							name += " saturated"
							if deco != "" {
								deco += ";"
							}
							deco += "SaturatedConversion"
						}
						rules = append(rules, rule{name: name, inst: "RES = OpConvertFTo" + letter + " TYPE A_", res: it, args: []ty{ft}, deco: deco,
							inputs: integerInputs(ft, it),
							valid: func(a []uint64) bool {
								if sat {
									return true
								}
								x := unpackFloat(ft, a[0])
								if x.x == nil {
									return false
								}
								i := roundInt(x.x, toInt)
								v := clamp(it, signed, i)
								return signed && bigS(it, v).Cmp(i) == 0 || !signed && bigU(v).Cmp(i) == 0
							},
							want: func(a []uint64) uint64 {
								x := unpackFloat(ft, a[0])
								switch {
								case x.nan:
									return 0
								case x.inf && x.neg:
									return clamp(it, signed, new(big.Int).Lsh(big.NewInt(-1), 80))
								case x.inf:
									return clamp(it, signed, new(big.Int).Lsh(big.NewInt(1), 80))
								}
								return clamp(it, signed, roundInt(x.x, toInt))
							}})
					}
				}
			}
		}
	}
	checkRules(t, rules)
}

// conversionInputs has the edges of a format and neighbours of halfway cases of the narrower ones.
func conversionInputs(t ty) []uint64 {
	list := edges(t)
	for _, x := range []float64{1 + 0x1p-11, 1 + 0x1.8p-10, 1 + 0x1p-24, 1 + 0x1.8p-23, 65504, 65519, 65520, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14, 0x1.ffcp-15, 0x1p-149, 0x1p-150, 0x1.8p-150, 0x1.ffffffp127, 0x1.fffffe8p127} {
		for _, s := range []float64{x, -x} {
			list = append(list, round(t, finiteOrInf(s), "RTE"), round(t, finiteOrInf(s), "RTZ")+1)
		}
	}
	return list
}

// integerInputs has floats around the ends of an integer type.
func integerInputs(t, it ty) []uint64 {
	list := edges(t)
	for _, e := range []int{it.bits - 1, it.bits} {
		for _, d := range []float64{-1, -0.75, -0.5, -0.25, 0, 0.5, 1} {
			x := math.Ldexp(1, e) + d
			list = append(list, round(t, finiteOrInf(x), "RTE"), round(t, finiteOrInf(-x), "RTE"), round(t, finiteOrInf(x), "RTZ"), round(t, finiteOrInf(-x), "RTZ"))
		}
	}
	for _, x := range []float64{0.25, 0.5, 0.75, 1.5, 2.5, 3.5} {
		list = append(list, round(t, finiteOrInf(x), "RTE"), round(t, finiteOrInf(-x), "RTE"))
	}
	return list
}
