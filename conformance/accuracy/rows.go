package main

import (
	"math"
	"strings"
)

// A row is a function of OpenCL C, as it is measured.
type row struct {
	name string
	std  []string // the instructions of OpenCL.std that it is
	// body computes results of the arguments of work-item i. T stands for the type; arguments are in x, y and z, and an
	// integer one in n; results go to r, a second one to s or, if it is an integer, to m.
	body string
	// arity counts the arguments. The last one may be an integer. A vector has four components, which are arguments.
	arity   int
	integer bool
	vector  bool
	results []result
	// demand is what OpenCL demands of half, float and double; "" is for a function that the type does not have.
	demand [3]string
}

// A result is one number of those that a function gives.
type result struct {
	from string // r, s or m; for a vector the component stands behind it
	// judge is the function that the judge knows, of the arguments that pick lists, or of all of them in order.
	judge string
	pick  []int
	// own says what the result is where no arithmetic is needed to know.
	own func(bits int, a []float64) float64
}

const (
	rounded = "correctly rounded"
	exactly = "0 ulp"
	open    = "implementation-defined"
)

func ulp(n string) string { return "≤ " + n + " ulp" }

// same demands one thing of all types, ulps so many units in the last place of half, and of float and double.
func same(s string) [3]string           { return [3]string{s, s, s} }
func ulps(half, other string) [3]string { return [3]string{ulp(half), ulp(other), ulp(other)} }

// floatOnly is for what OpenCL has for float alone.
func floatOnly(s string) [3]string { return [3]string{"", s, ""} }

// oneArg is a function of one argument, of which the judge knows under a name.
func oneArg(name, judge string, demand [3]string) row {
	return row{name: name, std: []string{name}, body: "r[i] = " + name + "(x[i]);", arity: 1,
		results: []result{{from: "r", judge: judge}}, demand: demand}
}

func twoArgs(name, judge string, demand [3]string) row {
	r := oneArg(name, judge, demand)
	r.arity, r.body = 2, "r[i] = "+name+"(x[i], y[i]);"
	return r
}

func withInt(name string, demand [3]string) row {
	r := twoArgs(name, name, demand)
	r.integer, r.body = true, "r[i] = "+name+"(x[i], n[i]);"
	return r
}

func threeArgs(name, judge string, demand [3]string) row {
	r := oneArg(name, judge, demand)
	r.arity, r.body = 3, "r[i] = "+name+"(x[i], y[i], z[i]);"
	return r
}

// plain is a function whose result is known without arithmetic.
func plain(r row, own func(bits int, a []float64) float64) row {
	r.results = []result{{from: "r", own: own}}
	return r
}

// rows has all functions of OpenCL.std with floating-point arguments. What OpenCL demands is the table "ULP Values for
// Math Instructions - Full Profile" of the OpenCL SPIR-V environment specification.
var rows = func() []row {
	list := elementary()
	list = append(list, exactRows()...)
	list = append(list, composed()...)
	for _, name := range strings.Fields("cos exp exp2 exp10 log log2 log10 rsqrt sin sqrt tan") {
		list = append(list, oneArg("half_"+name, name, floatOnly(ulp("8192"))), oneArg("native_"+name, name, floatOnly(open)))
	}
	for _, prefix := range []string{"half_", "native_"} {
		demand := floatOnly(map[string]string{"half_": ulp("8192"), "native_": open}[prefix])
		list = append(list, oneArg(prefix+"recip", "recip", demand), twoArgs(prefix+"divide", "divide", demand),
			twoArgs(prefix+"powr", "powr", demand))
	}
	return list
}()

func elementary() []row {
	var list []row
	for _, f := range []struct {
		names string
		half  string
		other string
	}{
		{"acos acosh asin asinh cos cosh sin sinh sinpi cospi", "2", "4"},
		{"acospi asinpi atan atanh atanpi tan tanh", "2", "5"},
		{"tanpi", "2", "6"},
		{"cbrt log1p degrees radians", "2", "2"},
		{"exp exp2 exp10 expm1 log log2 log10", "2", "3"},
		{"erf erfc tgamma", "4", "16"},
		{"rsqrt", "1", "2"},
	} {
		for _, name := range strings.Fields(f.names) {
			list = append(list, oneArg(name, name, ulps(f.half, f.other)))
		}
	}
	for _, name := range strings.Fields("ceil floor rint round trunc") {
		list = append(list, oneArg(name, name, same(rounded)))
	}
	list = append(list,
		oneArg("sqrt", "sqrt", [3]string{rounded, ulp("3"), rounded}),
		oneArg("lgamma", "lgamma", same(open)),
		twoArgs("atan2", "atan2", ulps("2", "6")), twoArgs("atan2pi", "atan2pi", ulps("2", "6")),
		twoArgs("hypot", "hypot", ulps("2", "4")),
		twoArgs("pow", "pow", ulps("4", "16")), twoArgs("powr", "powr", ulps("4", "16")),
		withInt("pown", ulps("4", "16")), withInt("rootn", ulps("4", "16")),
		withInt("ldexp", same(rounded)),
		twoArgs("fdim", "fdim", same(rounded)), twoArgs("fmod", "fmod", same(exactly)), twoArgs("remainder", "remainder", same(exactly)),
		threeArgs("fma", "fma", same(rounded)), threeArgs("mad", "fma", same("as fma, or a product and a sum")),
	)
	for _, f := range []struct{ name, body, judge, second string }{
		{"sincos", "T t; r[i] = sincos(x[i], &t); s[i] = t;", "sin", "cos"},
		{"fract", "T t; r[i] = fract(x[i], &t); s[i] = t;", "fract", "floor"},
		{"modf", "T t; r[i] = modf(x[i], &t); s[i] = t;", "modf", "trunc"},
	} {
		demand := map[string][3]string{"sincos": ulps("2", "4"), "fract": same(rounded), "modf": same(exactly)}[f.name]
		r := oneArg(f.name, f.judge, demand)
		r.body = f.body
		r.results = append(r.results, result{from: "s", judge: f.second})
		list = append(list, r)
	}
	lgammaR := oneArg("lgamma_r", "lgamma", same(open))
	lgammaR.body = "int t; r[i] = lgamma_r(x[i], &t); m[i] = t;"
	lgammaR.results = append(lgammaR.results, result{from: "m", own: gammaSign})
	remquo := twoArgs("remquo", "remainder", same("0 ulp, and 7 bits of the quotient"))
	remquo.body = "int t; r[i] = remquo(x[i], y[i], &t); m[i] = t;"
	remquo.results = append(remquo.results, result{from: "m", own: quotientBits})
	return append(list, lgammaR, remquo)
}

// composed has the common and the geometric functions.
func composed() []row {
	step := twoArgs("step", "", same(exactly))
	list := []row{
		threeArgs("mix", "mix", [3]string{open, "1e-3 absolute", open}),
		threeArgs("smoothstep", "smoothstep", [3]string{open, "1e-5 absolute", open}),
		plain(step, func(_ int, a []float64) float64 {
			if a[1] < a[0] {
				return 0
			}
			return 1
		}),
	}
	vector := func(name, body, from, judge string, arity int, demand [3]string) row {
		return row{name: name, std: []string{name}, body: body, arity: arity, vector: true,
			results: []result{{from: from, judge: judge}}, demand: demand}
	}
	const one, two = "vload4(i, x)", "vload4(i, x), vload4(i, y)"
	for _, fast := range []string{"", "fast_"} {
		normalize := vector(fast+"normalize", "vstore4("+fast+"normalize("+one+"), i, r);", "r0", "normalize", 4,
			[3]string{ulp("8.5"), ulp("6"), ulp("5")})
		for c := 1; c < 4; c++ {
			pick := []int{c, 0, 1, 2, 3}
			normalize.results = append(normalize.results, result{from: "r" + string(rune('0'+c)), judge: "normalize",
				pick: append(pick[:c+1:c+1], pick[c+2:]...)})
		}
		length := vector(fast+"length", "r[i] = "+fast+"length("+one+");", "r", "length", 4, [3]string{ulp("9.5"), ulp("4.75"), ulp("2.25")})
		distance := vector(fast+"distance", "r[i] = "+fast+"distance("+two+");", "r", "distance", 8, [3]string{ulp("13.5"), ulp("10.5"), ulp("8")})
		if fast != "" {
			normalize.demand, length.demand, distance.demand = floatOnly(ulp("8196")), floatOnly(ulp("8195.5")), floatOnly(ulp("8199.5"))
		}
		list = append(list, length, distance, normalize)
	}
	cross := vector("cross", "vstore4(cross("+two+"), i, r);", "r0", "cross", 8, same("3ε·max² absolute"))
	cross.results = nil
	for c := range 3 {
		j, k := (c+1)%3, (c+2)%3
		cross.results = append(cross.results, result{from: "r" + string(rune('0'+c)), judge: "cross", pick: []int{j, 4 + k, k, 4 + j}})
	}
	return append(list, cross)
}

// exactRows has the functions whose results need no rounding.
func exactRows() []row {
	one := func(name string, own func(x float64) float64) row {
		return plain(oneArg(name, "", same(exactly)), func(_ int, a []float64) float64 { return own(a[0]) })
	}
	two := func(name string, own func(x, y float64) float64) row {
		return plain(twoArgs(name, "", same(exactly)), func(_ int, a []float64) float64 { return own(a[0], a[1]) })
	}
	frexp := plain(oneArg("frexp", "", same(exactly)), func(_ int, a []float64) float64 { y, _ := math.Frexp(a[0]); return y })
	frexp.body = "int t; r[i] = frexp(x[i], &t); m[i] = t;"
	frexp.results = append(frexp.results, result{from: "m", own: func(_ int, a []float64) float64 { _, e := math.Frexp(a[0]); return float64(e) }})
	ilogb := plain(oneArg("ilogb", "", same(exactly)), func(_ int, a []float64) float64 {
		switch x := a[0]; {
		case x == 0:
			return math.MinInt32
		case x-x != 0:
			return math.MaxInt32
		}
		return float64(math.Ilogb(a[0]))
	})
	ilogb.body, ilogb.results[0].from = "m[i] = ilogb(x[i]);", "m"
	nan := plain(oneArg("nan", "", same(exactly)), func(int, []float64) float64 { return math.NaN() })
	nan.body = "r[i] = nan((U)(i * 7));"
	clamp := plain(threeArgs("clamp", "", same(exactly)), func(_ int, a []float64) float64 { return larger(a[0], a[1], a[2]) })
	clamp.std = []string{"fclamp"}
	most, least := two("max", ordered(true)), two("min", ordered(false))
	most.std, least.std = []string{"fmax_common"}, []string{"fmin_common"}
	nextafter := plain(twoArgs("nextafter", "", same(exactly)), nextAfter)
	return []row{
		one("fabs", math.Abs), one("logb", math.Logb),
		one("sign", func(x float64) float64 { return pickOf(x != x, 0, pickOf(x > 0, 1, pickOf(x < 0, -1, x))) }),
		two("copysign", math.Copysign), two("fmax", ordered(true)), two("fmin", ordered(false)), two("maxmag", magnitude(true)), two("minmag", magnitude(false)),
		most, least, clamp, frexp, ilogb, nan, nextafter,
	}
}

func pickOf(c bool, x, y float64) float64 {
	if c {
		return x
	}
	return y
}

// ordered is the greater or the lesser of two numbers, or the one that is a number.
func ordered(greater bool) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		switch {
		case x != x:
			return y
		case y != y:
			return x
		case x == y:
			return pickOf(math.Signbit(x) != greater, x, y)
		}
		return pickOf((x > y) == greater, x, y)
	}
}

func magnitude(greater bool) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		if a, b := math.Abs(x), math.Abs(y); a > b || a < b {
			return pickOf((a > b) == greater, x, y)
		}
		return ordered(greater)(x, y)
	}
}

func larger(x, lo, hi float64) float64 { return ordered(false)(ordered(true)(x, lo), hi) }

// nextAfter steps through the numbers of a format.
func nextAfter(bits int, a []float64) float64 {
	x, y := a[0], a[1]
	switch {
	case x == y:
		return y
	case bits == 64:
		return math.Nextafter(x, y)
	case bits == 32:
		return float64(math.Nextafter32(float32(x), float32(y)))
	case x != x || y != y:
		return math.NaN()
	}
	h := toHalf(x)
	switch {
	case x == 0:
		h = toHalf(math.Copysign(0, y)) | 1
	case (x < y) == (x > 0):
		h++
	default:
		h--
	}
	return fromHalf(h)
}

// gammaSign is the sign of the gamma function, of its poles that of zero and otherwise 1.
func gammaSign(_ int, a []float64) float64 {
	x := a[0]
	if x == 0 && math.Signbit(x) || x < 0 && x != math.Floor(x) && math.Mod(math.Floor(x), 2) != 0 {
		return -1
	}
	return 1
}

// quotientBits are the lower 7 bits of the quotient of remquo, with its sign.
func quotientBits(_ int, a []float64) float64 {
	x, y := a[0], a[1]
	if x-x != 0 || y != y || y == 0 || x == 0 || math.IsInf(y, 0) {
		return 0
	}
	ax, ay := math.Abs(x), math.Abs(y)
	q := 0.0
	if ay < 0x1p1015 {
		ax = math.Mod(ax, 128*ay) // exact, and drops multiples of 128 only
	}
	for bit := 256.0; bit >= 1; bit /= 2 {
		if ay*bit <= ax {
			ax -= ay * bit // exact
			q += bit
		}
	}
	// ax is the remainder towards zero.
	if rest := ay - ax; rest < ax || rest == ax && math.Mod(q, 2) != 0 {
		q++
	}
	q = math.Mod(q, 128)
	if math.Signbit(x) != math.Signbit(y) {
		q = -q
	}
	return q + 0
}
