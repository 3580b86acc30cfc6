package builtin

import "github.com/lockstep-gpu/lockstep/spirv"

// real is any float or vector of floats; half_ and native_ functions are for single precision alone.
var (
	real   = Over{Of: reals, N: anyN}
	realV  = Over{Of: reals, N: vectors}
	single = Over{Of: floats, N: anyN}
)

const mathSection = "6.15.2"

// math is a row for a mathematical function.
func math(name, sig string, n uint16, help string) Def {
	return Def{Name: name, Sig: sig, Over: real, Emit: std(n), Section: mathSection, Help: help}
}

// stored is math for a function with a second result that it stores.
func stored(name, sig string, n uint16, help string) Def {
	d := math(name, sig, n, help)
	d.Spaces = AnySpace
	return d
}

// fast is math for single precision alone.
func fast(name, sig string, n uint16, help string) Def {
	d := math(name, sig, n, help)
	d.Over = single
	return d
}

// pair is a row for a function of two values of which the second may be a scalar.
func pair(name, sig string, n uint16, help string) Def {
	d := math(name, sig, n, help)
	d.Over = realV
	return d
}

var mathRows = []Def{
	math("acos", "T(T)", spirv.OpenCLStdAcos, "The angle whose cosine is x."),
	math("acosh", "T(T)", spirv.OpenCLStdAcosh, "The value whose hyperbolic cosine is x."),
	math("acospi", "T(T)", spirv.OpenCLStdAcospi, "acos(x) / π."),
	math("asin", "T(T)", spirv.OpenCLStdAsin, "The angle whose sine is x."),
	math("asinh", "T(T)", spirv.OpenCLStdAsinh, "The value whose hyperbolic sine is x."),
	math("asinpi", "T(T)", spirv.OpenCLStdAsinpi, "asin(x) / π."),
	math("atan", "T(T)", spirv.OpenCLStdAtan, "The angle whose tangent is x."),
	math("atan2", "T(T, T)", spirv.OpenCLStdAtan2,
		"The angle of the point (x, y), which is given as (y, x)."),
	math("atanh", "T(T)", spirv.OpenCLStdAtanh, "The value whose hyperbolic tangent is x."),
	math("atanpi", "T(T)", spirv.OpenCLStdAtanpi, "atan(x) / π."),
	math("atan2pi", "T(T, T)", spirv.OpenCLStdAtan2pi, "atan2(y, x) / π."),
	math("cbrt", "T(T)", spirv.OpenCLStdCbrt, "The cube root."),
	math("ceil", "T(T)", spirv.OpenCLStdCeil, "Rounds to an integer, towards positive infinity."),
	math("copysign", "T(T, T)", spirv.OpenCLStdCopysign, "x with the sign of y."),
	math("cos", "T(T)", spirv.OpenCLStdCos, "The cosine of an angle in radians."),
	math("cosh", "T(T)", spirv.OpenCLStdCosh, "The hyperbolic cosine."),
	math("cospi", "T(T)", spirv.OpenCLStdCospi, "cos(π x)."),
	math("erfc", "T(T)", spirv.OpenCLStdErfc, "The complementary error function."),
	math("erf", "T(T)", spirv.OpenCLStdErf, "The error function."),
	math("exp", "T(T)", spirv.OpenCLStdExp, "e to the power of x."),
	math("exp2", "T(T)", spirv.OpenCLStdExp2, "2 to the power of x."),
	math("exp10", "T(T)", spirv.OpenCLStdExp10, "10 to the power of x."),
	math("expm1", "T(T)", spirv.OpenCLStdExpm1, "exp(x) - 1, exact near 0."),
	math("fabs", "T(T)", spirv.OpenCLStdFabs, "The absolute value."),
	math("fdim", "T(T, T)", spirv.OpenCLStdFdim, "x - y if x is greater, else 0."),
	math("floor", "T(T)", spirv.OpenCLStdFloor, "Rounds to an integer, towards negative infinity."),
	math("fma", "T(T, T, T)", spirv.OpenCLStdFma, "a * b + c, rounded once."),
	math("fmax", "T(T, T)", spirv.OpenCLStdFmax, "The greater of two values, and the other one of a NaN."),
	pair("fmax", "T(T, E)", spirv.OpenCLStdFmax, "fmax with one value for all components."),
	math("fmin", "T(T, T)", spirv.OpenCLStdFmin, "The smaller of two values, and the other one of a NaN."),
	pair("fmin", "T(T, E)", spirv.OpenCLStdFmin, "fmin with one value for all components."),
	math("fmod", "T(T, T)", spirv.OpenCLStdFmod, "The remainder of x / y with the sign of x."),
	stored("fract", "T(T, @T*)", spirv.OpenCLStdFract, "x - floor(x), below 1; stores floor(x)."),
	stored("frexp", "T(T, @N*)", spirv.OpenCLStdFrexp,
		"The mantissa of x, from 0.5 to below 1; stores the exponent."),
	math("hypot", "T(T, T)", spirv.OpenCLStdHypot, "sqrt(x² + y²) without overflow on the way."),
	math("ilogb", "N(T)", spirv.OpenCLStdIlogb, "The exponent of x as an integer."),
	math("ldexp", "T(T, N)", spirv.OpenCLStdLdexp, "x times 2 to the power of n."),
	pair("ldexp", "T(T, int)", spirv.OpenCLStdLdexp, "ldexp with one exponent for all components."),
	math("lgamma", "T(T)", spirv.OpenCLStdLgamma, "The natural logarithm of the absolute value of gamma(x)."),
	stored("lgamma_r", "T(T, @N*)", spirv.OpenCLStdLgammaR, "lgamma(x); stores the sign of gamma(x)."),
	math("log", "T(T)", spirv.OpenCLStdLog, "The natural logarithm."),
	math("log2", "T(T)", spirv.OpenCLStdLog2, "The logarithm to base 2."),
	math("log10", "T(T)", spirv.OpenCLStdLog10, "The logarithm to base 10."),
	math("log1p", "T(T)", spirv.OpenCLStdLog1p, "log(1 + x), exact near 0."),
	math("logb", "T(T)", spirv.OpenCLStdLogb, "The exponent of x as a float."),
	math("mad", "T(T, T, T)", spirv.OpenCLStdMad, "a * b + c, rounded as the device likes; here, once."),
	math("maxmag", "T(T, T)", spirv.OpenCLStdMaxmag, "The value with the greater magnitude."),
	math("minmag", "T(T, T)", spirv.OpenCLStdMinmag, "The value with the smaller magnitude."),
	stored("modf", "T(T, @T*)", spirv.OpenCLStdModf,
		"The part of x behind the point; stores the part before it."),
	{Name: "nan", Sig: "T(U)", Over: real, Emit: code(), Section: mathSection,
		Help: "A quiet NaN whose payload is given."},
	math("nextafter", "T(T, T)", spirv.OpenCLStdNextafter, "The next representable value from x towards y."),
	math("pow", "T(T, T)", spirv.OpenCLStdPow, "x to the power of y."),
	math("pown", "T(T, N)", spirv.OpenCLStdPown, "x to the power of an integer."),
	math("powr", "T(T, T)", spirv.OpenCLStdPowr, "x to the power of y for x that is not negative."),
	math("remainder", "T(T, T)", spirv.OpenCLStdRemainder, "x - n y, n being x / y rounded to nearest even."),
	stored("remquo", "T(T, T, @N*)", spirv.OpenCLStdRemquo,
		"remainder(x, y); stores the lowest bits of the quotient."),
	math("rint", "T(T)", spirv.OpenCLStdRint, "Rounds to an integer, to nearest even."),
	math("rootn", "T(T, N)", spirv.OpenCLStdRootn, "The n-th root of x."),
	math("round", "T(T)", spirv.OpenCLStdRound, "Rounds to an integer, halves away from 0."),
	math("rsqrt", "T(T)", spirv.OpenCLStdRsqrt, "1 / sqrt(x)."),
	math("sin", "T(T)", spirv.OpenCLStdSin, "The sine of an angle in radians."),
	stored("sincos", "T(T, @T*)", spirv.OpenCLStdSincos, "The sine of an angle; stores its cosine."),
	math("sinh", "T(T)", spirv.OpenCLStdSinh, "The hyperbolic sine."),
	math("sinpi", "T(T)", spirv.OpenCLStdSinpi, "sin(π x)."),
	math("sqrt", "T(T)", spirv.OpenCLStdSqrt, "The square root."),
	math("tan", "T(T)", spirv.OpenCLStdTan, "The tangent of an angle in radians."),
	math("tanh", "T(T)", spirv.OpenCLStdTanh, "The hyperbolic tangent."),
	math("tanpi", "T(T)", spirv.OpenCLStdTanpi, "tan(π x)."),
	math("tgamma", "T(T)", spirv.OpenCLStdTgamma, "The gamma function."),
	math("trunc", "T(T)", spirv.OpenCLStdTrunc, "Rounds to an integer, towards 0."),

	fast("half_cos", "T(T)", spirv.OpenCLStdHalfCos, "The cosine to the precision of half."),
	fast("half_divide", "T(T, T)", spirv.OpenCLStdHalfDivide, "x / y to the precision of half."),
	fast("half_exp", "T(T)", spirv.OpenCLStdHalfExp, "exp(x) to the precision of half."),
	fast("half_exp2", "T(T)", spirv.OpenCLStdHalfExp2, "exp2(x) to the precision of half."),
	fast("half_exp10", "T(T)", spirv.OpenCLStdHalfExp10, "exp10(x) to the precision of half."),
	fast("half_log", "T(T)", spirv.OpenCLStdHalfLog, "log(x) to the precision of half."),
	fast("half_log2", "T(T)", spirv.OpenCLStdHalfLog2, "log2(x) to the precision of half."),
	fast("half_log10", "T(T)", spirv.OpenCLStdHalfLog10, "log10(x) to the precision of half."),
	fast("half_powr", "T(T, T)", spirv.OpenCLStdHalfPowr, "powr(x, y) to the precision of half."),
	fast("half_recip", "T(T)", spirv.OpenCLStdHalfRecip, "1 / x to the precision of half."),
	fast("half_rsqrt", "T(T)", spirv.OpenCLStdHalfRsqrt, "rsqrt(x) to the precision of half."),
	fast("half_sin", "T(T)", spirv.OpenCLStdHalfSin, "The sine to the precision of half."),
	fast("half_sqrt", "T(T)", spirv.OpenCLStdHalfSqrt, "The square root to the precision of half."),
	fast("half_tan", "T(T)", spirv.OpenCLStdHalfTan, "The tangent to the precision of half."),
	fast("native_cos", "T(T)", spirv.OpenCLStdNativeCos, "The cosine as the device has it fastest."),
	fast("native_divide", "T(T, T)", spirv.OpenCLStdNativeDivide, "x / y as the device has it fastest."),
	fast("native_exp", "T(T)", spirv.OpenCLStdNativeExp, "exp(x) as the device has it fastest."),
	fast("native_exp2", "T(T)", spirv.OpenCLStdNativeExp2, "exp2(x) as the device has it fastest."),
	fast("native_exp10", "T(T)", spirv.OpenCLStdNativeExp10, "exp10(x) as the device has it fastest."),
	fast("native_log", "T(T)", spirv.OpenCLStdNativeLog, "log(x) as the device has it fastest."),
	fast("native_log2", "T(T)", spirv.OpenCLStdNativeLog2, "log2(x) as the device has it fastest."),
	fast("native_log10", "T(T)", spirv.OpenCLStdNativeLog10, "log10(x) as the device has it fastest."),
	fast("native_powr", "T(T, T)", spirv.OpenCLStdNativePowr, "powr(x, y) as the device has it fastest."),
	fast("native_recip", "T(T)", spirv.OpenCLStdNativeRecip, "1 / x as the device has it fastest."),
	fast("native_rsqrt", "T(T)", spirv.OpenCLStdNativeRsqrt, "rsqrt(x) as the device has it fastest."),
	fast("native_sin", "T(T)", spirv.OpenCLStdNativeSin, "The sine as the device has it fastest."),
	fast("native_sqrt", "T(T)", spirv.OpenCLStdNativeSqrt, "The square root as the device has it fastest."),
	fast("native_tan", "T(T)", spirv.OpenCLStdNativeTan, "The tangent as the device has it fastest."),
}

const (
	commonSection    = "6.15.4"
	geometricSection = "6.15.5"
)

// common is a row for values of all components, and commonE one with scalars for some of them.
func common(name, sig string, n uint16, help string) Def {
	d := math(name, sig, n, help)
	d.Section = commonSection
	return d
}

func commonE(name, sig string, n uint16, help string) Def {
	d := pair(name, sig, n, help)
	d.Section = commonSection
	return d
}

var commonRows = []Def{
	// clamp, max and min are one name each for floats (6.15.4) and integers (6.15.3). Of NaNs, with which floats have no
	// result that is defined, max and min give what clang's modules give: what fmax and fmin do.
	{Name: "clamp", Sig: "T(T, T, T)", Over: Over{Of: scalars, N: anyN}, Section: commonSection,
		Emit: stdAll(spirv.OpenCLStdFclamp, spirv.OpenCLStdSClamp, spirv.OpenCLStdUClamp),
		Help: "x, but at least the second and at most the third."},
	{Name: "clamp", Sig: "T(T, E, E)", Over: Over{Of: scalars, N: vectors}, Section: commonSection,
		Emit: stdAll(spirv.OpenCLStdFclamp, spirv.OpenCLStdSClamp, spirv.OpenCLStdUClamp),
		Help: "clamp with one range for all components."},
	common("degrees", "T(T)", spirv.OpenCLStdDegrees, "Radians to degrees."),
	{Name: "max", Sig: "T(T, T)", Over: Over{Of: scalars, N: anyN}, Section: commonSection,
		Emit: stdAll(spirv.OpenCLStdFmax, spirv.OpenCLStdSMax, spirv.OpenCLStdUMax),
		Help: "y if x is less than y, else x."},
	{Name: "max", Sig: "T(T, E)", Over: Over{Of: scalars, N: vectors}, Section: commonSection,
		Emit: stdAll(spirv.OpenCLStdFmax, spirv.OpenCLStdSMax, spirv.OpenCLStdUMax),
		Help: "max with one value for all components."},
	{Name: "min", Sig: "T(T, T)", Over: Over{Of: scalars, N: anyN}, Section: commonSection,
		Emit: stdAll(spirv.OpenCLStdFmin, spirv.OpenCLStdSMin, spirv.OpenCLStdUMin),
		Help: "y if y is less than x, else x."},
	{Name: "min", Sig: "T(T, E)", Over: Over{Of: scalars, N: vectors}, Section: commonSection,
		Emit: stdAll(spirv.OpenCLStdFmin, spirv.OpenCLStdSMin, spirv.OpenCLStdUMin),
		Help: "min with one value for all components."},
	common("mix", "T(T, T, T)", spirv.OpenCLStdMix, "x + (y - x) a."),
	commonE("mix", "T(T, T, E)", spirv.OpenCLStdMix, "mix with one weight for all components."),
	common("radians", "T(T)", spirv.OpenCLStdRadians, "Degrees to radians."),
	common("sign", "T(T)", spirv.OpenCLStdSign,
		"1, -1, 0 or -0, as x is positive, negative or one of these zeros; 0 for NaN."),
	common("smoothstep", "T(T, T, T)", spirv.OpenCLStdSmoothstep,
		"From 0 to 1 along a smooth curve between two edges."),
	commonE("smoothstep", "T(E, E, T)", spirv.OpenCLStdSmoothstep,
		"smoothstep with the same edges for all components."),
	common("step", "T(T, T)", spirv.OpenCLStdStep, "0 below the edge, which comes first, else 1."),
	commonE("step", "T(E, T)", spirv.OpenCLStdStep, "step with one edge for all components."),
}

// geometric is a row for vectors of up to four components.
func geometric(name, sig string, n lanes, of kinds, e Emit, help string) Def {
	return Def{Name: name, Sig: sig, Over: Over{Of: of, N: n}, Emit: e, Section: geometricSection, Help: help}
}

var geometricRows = []Def{
	geometric("cross", "T(T, T)", n3|n4, reals, std(spirv.OpenCLStdCross),
		"The cross product; a fourth component is 0."),
	geometric("dot", "E(T, T)", n1|n2|n3|n4, reals, code(), "The dot product."),
	geometric("distance", "E(T, T)", n1|n2|n3|n4, reals, std(spirv.OpenCLStdDistance),
		"The length of x - y."),
	geometric("length", "E(T)", n1|n2|n3|n4, reals, std(spirv.OpenCLStdLength), "The length of a vector."),
	geometric("normalize", "T(T)", n1|n2|n3|n4, reals, std(spirv.OpenCLStdNormalize),
		"The vector of the same direction and length 1."),
	geometric("fast_distance", "E(T, T)", n1|n2|n3|n4, floats, std(spirv.OpenCLStdFastDistance),
		"distance, less exact."),
	geometric("fast_length", "E(T)", n1|n2|n3|n4, floats, std(spirv.OpenCLStdFastLength),
		"length, less exact."),
	geometric("fast_normalize", "T(T)", n1|n2|n3|n4, floats, std(spirv.OpenCLStdFastNormalize),
		"normalize, less exact."),
}
