package clmath

// Func is a mathematical function of the OpenCL.std extended instruction set.
// Its value is the number of the instruction (OpenCL.std section 2, "Binary
// Form"; numbers 0 to 110: the math, common and geometric functions).
type Func uint8

// The functions, in the order of the instruction set.
const (
	FuncAcos Func = iota
	FuncAcosh
	FuncAcosPi
	FuncAsin
	FuncAsinh
	FuncAsinPi
	FuncAtan
	FuncAtan2
	FuncAtanh
	FuncAtanPi
	FuncAtan2Pi
	FuncCbrt
	FuncCeil
	FuncCopysign
	FuncCos
	FuncCosh
	FuncCosPi
	FuncErfc
	FuncErf
	FuncExp
	FuncExp2
	FuncExp10
	FuncExpm1
	FuncFabs
	FuncFdim
	FuncFloor
	FuncFma
	FuncFmax
	FuncFmin
	FuncFmod
	FuncFract
	FuncFrexp
	FuncHypot
	FuncIlogb
	FuncLdexp
	FuncLgamma
	FuncLgammaR
	FuncLog
	FuncLog2
	FuncLog10
	FuncLog1p
	FuncLogb
	FuncMad
	FuncMaxmag
	FuncMinmag
	FuncModf
	FuncNan
	FuncNextafter
	FuncPow
	FuncPown
	FuncPowr
	FuncRemainder
	FuncRemquo
	FuncRint
	FuncRootn
	FuncRound
	FuncRsqrt
	FuncSin
	FuncSinCos
	FuncSinh
	FuncSinPi
	FuncSqrt
	FuncTan
	FuncTanh
	FuncTanPi
	FuncTgamma
	FuncTrunc
	FuncHalfCos
	FuncHalfDivide
	FuncHalfExp
	FuncHalfExp2
	FuncHalfExp10
	FuncHalfLog
	FuncHalfLog2
	FuncHalfLog10
	FuncHalfPowr
	FuncHalfRecip
	FuncHalfRsqrt
	FuncHalfSin
	FuncHalfSqrt
	FuncHalfTan
	FuncNativeCos
	FuncNativeDivide
	FuncNativeExp
	FuncNativeExp2
	FuncNativeExp10
	FuncNativeLog
	FuncNativeLog2
	FuncNativeLog10
	FuncNativePowr
	FuncNativeRecip
	FuncNativeRsqrt
	FuncNativeSin
	FuncNativeSqrt
	FuncNativeTan
)

// The common and geometric functions.
const (
	FuncFclamp Func = iota + 95
	FuncDegrees
	FuncFmaxCommon
	FuncFminCommon
	FuncMix
	FuncRadians
	FuncStep
	FuncSmoothstep
	FuncSign
	FuncCross
	FuncDistance
	FuncLength
	FuncNormalize
	FuncFastDistance
	FuncFastLength
	FuncFastNormalize

	// NumFuncs is the length of the tables that Func indexes.
	NumFuncs = iota + 95
)

// String returns the name of the function in OpenCL.std, or "invalid".
func (f Func) String() string {
	if int(f) < len(funcNames) && funcNames[f] != "" {
		return funcNames[f]
	}
	return "invalid"
}

// Lookup returns the function with the given OpenCL.std name.
func Lookup(name string) (Func, bool) {
	f, ok := funcByName[name]
	return f, ok
}

var funcByName = func() map[string]Func {
	m := make(map[string]Func, len(funcNames))
	for f, name := range funcNames {
		if name != "" {
			m[name] = Func(f)
		}
	}
	return m
}()

var funcNames = [NumFuncs]string{
	FuncAcos:          "acos",
	FuncAcosh:         "acosh",
	FuncAcosPi:        "acospi",
	FuncAsin:          "asin",
	FuncAsinh:         "asinh",
	FuncAsinPi:        "asinpi",
	FuncAtan:          "atan",
	FuncAtan2:         "atan2",
	FuncAtanh:         "atanh",
	FuncAtanPi:        "atanpi",
	FuncAtan2Pi:       "atan2pi",
	FuncCbrt:          "cbrt",
	FuncCeil:          "ceil",
	FuncCopysign:      "copysign",
	FuncCos:           "cos",
	FuncCosh:          "cosh",
	FuncCosPi:         "cospi",
	FuncErfc:          "erfc",
	FuncErf:           "erf",
	FuncExp:           "exp",
	FuncExp2:          "exp2",
	FuncExp10:         "exp10",
	FuncExpm1:         "expm1",
	FuncFabs:          "fabs",
	FuncFdim:          "fdim",
	FuncFloor:         "floor",
	FuncFma:           "fma",
	FuncFmax:          "fmax",
	FuncFmin:          "fmin",
	FuncFmod:          "fmod",
	FuncFract:         "fract",
	FuncFrexp:         "frexp",
	FuncHypot:         "hypot",
	FuncIlogb:         "ilogb",
	FuncLdexp:         "ldexp",
	FuncLgamma:        "lgamma",
	FuncLgammaR:       "lgamma_r",
	FuncLog:           "log",
	FuncLog2:          "log2",
	FuncLog10:         "log10",
	FuncLog1p:         "log1p",
	FuncLogb:          "logb",
	FuncMad:           "mad",
	FuncMaxmag:        "maxmag",
	FuncMinmag:        "minmag",
	FuncModf:          "modf",
	FuncNan:           "nan",
	FuncNextafter:     "nextafter",
	FuncPow:           "pow",
	FuncPown:          "pown",
	FuncPowr:          "powr",
	FuncRemainder:     "remainder",
	FuncRemquo:        "remquo",
	FuncRint:          "rint",
	FuncRootn:         "rootn",
	FuncRound:         "round",
	FuncRsqrt:         "rsqrt",
	FuncSin:           "sin",
	FuncSinCos:        "sincos",
	FuncSinh:          "sinh",
	FuncSinPi:         "sinpi",
	FuncSqrt:          "sqrt",
	FuncTan:           "tan",
	FuncTanh:          "tanh",
	FuncTanPi:         "tanpi",
	FuncTgamma:        "tgamma",
	FuncTrunc:         "trunc",
	FuncHalfCos:       "half_cos",
	FuncHalfDivide:    "half_divide",
	FuncHalfExp:       "half_exp",
	FuncHalfExp2:      "half_exp2",
	FuncHalfExp10:     "half_exp10",
	FuncHalfLog:       "half_log",
	FuncHalfLog2:      "half_log2",
	FuncHalfLog10:     "half_log10",
	FuncHalfPowr:      "half_powr",
	FuncHalfRecip:     "half_recip",
	FuncHalfRsqrt:     "half_rsqrt",
	FuncHalfSin:       "half_sin",
	FuncHalfSqrt:      "half_sqrt",
	FuncHalfTan:       "half_tan",
	FuncNativeCos:     "native_cos",
	FuncNativeDivide:  "native_divide",
	FuncNativeExp:     "native_exp",
	FuncNativeExp2:    "native_exp2",
	FuncNativeExp10:   "native_exp10",
	FuncNativeLog:     "native_log",
	FuncNativeLog2:    "native_log2",
	FuncNativeLog10:   "native_log10",
	FuncNativePowr:    "native_powr",
	FuncNativeRecip:   "native_recip",
	FuncNativeRsqrt:   "native_rsqrt",
	FuncNativeSin:     "native_sin",
	FuncNativeSqrt:    "native_sqrt",
	FuncNativeTan:     "native_tan",
	FuncFclamp:        "fclamp",
	FuncDegrees:       "degrees",
	FuncFmaxCommon:    "fmax_common",
	FuncFminCommon:    "fmin_common",
	FuncMix:           "mix",
	FuncRadians:       "radians",
	FuncStep:          "step",
	FuncSmoothstep:    "smoothstep",
	FuncSign:          "sign",
	FuncCross:         "cross",
	FuncDistance:      "distance",
	FuncLength:        "length",
	FuncNormalize:     "normalize",
	FuncFastDistance:  "fast_distance",
	FuncFastLength:    "fast_length",
	FuncFastNormalize: "fast_normalize",
}
