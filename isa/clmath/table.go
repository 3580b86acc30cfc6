package clmath

// Unary32 holds the functions of one argument; nil where there is none.
var Unary32 = [NumFuncs]func(x float32) float32{
	FuncAcos:        Acos32,
	FuncAcosh:       Acosh32,
	FuncAcosPi:      AcosPi32,
	FuncAsin:        Asin32,
	FuncAsinh:       Asinh32,
	FuncAsinPi:      AsinPi32,
	FuncAtan:        Atan32,
	FuncAtanh:       Atanh32,
	FuncAtanPi:      AtanPi32,
	FuncCbrt:        Cbrt32,
	FuncCeil:        Ceil32,
	FuncCos:         Cos32,
	FuncCosh:        Cosh32,
	FuncCosPi:       CosPi32,
	FuncErfc:        Erfc32,
	FuncErf:         Erf32,
	FuncExp:         Exp32,
	FuncExp2:        Exp2_32,
	FuncExp10:       Exp10_32,
	FuncExpm1:       Expm1_32,
	FuncFabs:        Fabs32,
	FuncFloor:       Floor32,
	FuncLgamma:      Lgamma32,
	FuncLog:         Log32,
	FuncLog2:        Log2_32,
	FuncLog10:       Log10_32,
	FuncLog1p:       Log1p32,
	FuncLogb:        Logb32,
	FuncRint:        Rint32,
	FuncRound:       Round32,
	FuncRsqrt:       Rsqrt32,
	FuncSin:         Sin32,
	FuncSinh:        Sinh32,
	FuncSinPi:       SinPi32,
	FuncSqrt:        Sqrt32,
	FuncTan:         Tan32,
	FuncTanh:        Tanh32,
	FuncTanPi:       TanPi32,
	FuncTgamma:      Tgamma32,
	FuncTrunc:       Trunc32,
	FuncDegrees:     Degrees32,
	FuncRadians:     Radians32,
	FuncSign:        Sign32,
	FuncHalfCos:     Cos32,
	FuncHalfExp:     Exp32,
	FuncHalfExp2:    Exp2_32,
	FuncHalfExp10:   Exp10_32,
	FuncHalfLog:     Log32,
	FuncHalfLog2:    Log2_32,
	FuncHalfLog10:   Log10_32,
	FuncHalfRsqrt:   Rsqrt32,
	FuncHalfSin:     Sin32,
	FuncHalfSqrt:    Sqrt32,
	FuncHalfTan:     Tan32,
	FuncHalfRecip:   Recip32,
	FuncNativeCos:   Cos32,
	FuncNativeExp:   Exp32,
	FuncNativeExp2:  Exp2_32,
	FuncNativeExp10: Exp10_32,
	FuncNativeLog:   Log32,
	FuncNativeLog2:  Log2_32,
	FuncNativeLog10: Log10_32,
	FuncNativeRsqrt: Rsqrt32,
	FuncNativeSin:   Sin32,
	FuncNativeSqrt:  Sqrt32,
	FuncNativeTan:   Tan32,
	FuncNativeRecip: Recip32,
}

// Binary32 holds the functions of two arguments; nil where there is none.
var Binary32 = [NumFuncs]func(x, y float32) float32{
	FuncAtan2:        Atan2_32,
	FuncAtan2Pi:      Atan2Pi32,
	FuncCopysign:     Copysign32,
	FuncFdim:         Fdim32,
	FuncFmax:         Fmax32,
	FuncFmin:         Fmin32,
	FuncFmod:         Fmod32,
	FuncHypot:        Hypot32,
	FuncMaxmag:       Maxmag32,
	FuncMinmag:       Minmag32,
	FuncNextafter:    Nextafter32,
	FuncPow:          Pow32,
	FuncPowr:         Powr32,
	FuncRemainder:    Remainder32,
	FuncFmaxCommon:   FmaxCommon32,
	FuncFminCommon:   FminCommon32,
	FuncStep:         Step32,
	FuncHalfDivide:   Divide32,
	FuncNativeDivide: Divide32,
	FuncHalfPowr:     Powr32,
	FuncNativePowr:   Powr32,
}

// Ternary32 holds the functions of three arguments; nil where there is none.
var Ternary32 = [NumFuncs]func(x, y, z float32) float32{
	FuncFma:        Fma32,
	FuncMad:        Fma32,
	FuncFclamp:     Clamp32,
	FuncMix:        Mix32,
	FuncSmoothstep: Smoothstep32,
}

// WithInt32 holds the functions of a floating-point and an integer argument.
var WithInt32 = [NumFuncs]func(x float32, n int32) float32{
	FuncLdexp: Ldexp32,
	FuncPown:  Pown32,
	FuncRootn: Rootn32,
}

// Pair32 holds the functions that return one value and store another, in
// this order (for sincos, the sine and the cosine).
var Pair32 = [NumFuncs]func(x float32) (y, stored float32){
	FuncFract:  Fract32,
	FuncModf:   Modf32,
	FuncSinCos: SinCos32,
}

// PairInt32 holds the functions that return one value and store an integer.
var PairInt32 = [NumFuncs]func(x float32) (y float32, stored int32){
	FuncFrexp:   Frexp32,
	FuncLgammaR: LgammaR32,
}

// Unary64 holds the functions of one argument; nil where there is none.
var Unary64 = [NumFuncs]func(x float64) float64{
	FuncAcos:        Acos64,
	FuncAcosh:       Acosh64,
	FuncAcosPi:      AcosPi64,
	FuncAsin:        Asin64,
	FuncAsinh:       Asinh64,
	FuncAsinPi:      AsinPi64,
	FuncAtan:        Atan64,
	FuncAtanh:       Atanh64,
	FuncAtanPi:      AtanPi64,
	FuncCbrt:        Cbrt64,
	FuncCeil:        Ceil64,
	FuncCos:         Cos64,
	FuncCosh:        Cosh64,
	FuncCosPi:       CosPi64,
	FuncErfc:        Erfc64,
	FuncErf:         Erf64,
	FuncExp:         Exp64,
	FuncExp2:        Exp2_64,
	FuncExp10:       Exp10_64,
	FuncExpm1:       Expm1_64,
	FuncFabs:        Fabs64,
	FuncFloor:       Floor64,
	FuncLgamma:      Lgamma64,
	FuncLog:         Log64,
	FuncLog2:        Log2_64,
	FuncLog10:       Log10_64,
	FuncLog1p:       Log1p64,
	FuncLogb:        Logb64,
	FuncRint:        Rint64,
	FuncRound:       Round64,
	FuncRsqrt:       Rsqrt64,
	FuncSin:         Sin64,
	FuncSinh:        Sinh64,
	FuncSinPi:       SinPi64,
	FuncSqrt:        Sqrt64,
	FuncTan:         Tan64,
	FuncTanh:        Tanh64,
	FuncTanPi:       TanPi64,
	FuncTgamma:      Tgamma64,
	FuncTrunc:       Trunc64,
	FuncDegrees:     Degrees64,
	FuncRadians:     Radians64,
	FuncSign:        Sign64,
	FuncHalfCos:     Cos64,
	FuncHalfExp:     Exp64,
	FuncHalfExp2:    Exp2_64,
	FuncHalfExp10:   Exp10_64,
	FuncHalfLog:     Log64,
	FuncHalfLog2:    Log2_64,
	FuncHalfLog10:   Log10_64,
	FuncHalfRsqrt:   Rsqrt64,
	FuncHalfSin:     Sin64,
	FuncHalfSqrt:    Sqrt64,
	FuncHalfTan:     Tan64,
	FuncHalfRecip:   Recip64,
	FuncNativeCos:   Cos64,
	FuncNativeExp:   Exp64,
	FuncNativeExp2:  Exp2_64,
	FuncNativeExp10: Exp10_64,
	FuncNativeLog:   Log64,
	FuncNativeLog2:  Log2_64,
	FuncNativeLog10: Log10_64,
	FuncNativeRsqrt: Rsqrt64,
	FuncNativeSin:   Sin64,
	FuncNativeSqrt:  Sqrt64,
	FuncNativeTan:   Tan64,
	FuncNativeRecip: Recip64,
}

// Binary64 holds the functions of two arguments; nil where there is none.
var Binary64 = [NumFuncs]func(x, y float64) float64{
	FuncAtan2:        Atan2_64,
	FuncAtan2Pi:      Atan2Pi64,
	FuncCopysign:     Copysign64,
	FuncFdim:         Fdim64,
	FuncFmax:         Fmax64,
	FuncFmin:         Fmin64,
	FuncFmod:         Fmod64,
	FuncHypot:        Hypot64,
	FuncMaxmag:       Maxmag64,
	FuncMinmag:       Minmag64,
	FuncNextafter:    Nextafter64,
	FuncPow:          Pow64,
	FuncPowr:         Powr64,
	FuncRemainder:    Remainder64,
	FuncFmaxCommon:   FmaxCommon64,
	FuncFminCommon:   FminCommon64,
	FuncStep:         Step64,
	FuncHalfDivide:   Divide64,
	FuncNativeDivide: Divide64,
	FuncHalfPowr:     Powr64,
	FuncNativePowr:   Powr64,
}

// Ternary64 holds the functions of three arguments; nil where there is none.
var Ternary64 = [NumFuncs]func(x, y, z float64) float64{
	FuncFma:        Fma64,
	FuncMad:        Fma64,
	FuncFclamp:     Clamp64,
	FuncMix:        Mix64,
	FuncSmoothstep: Smoothstep64,
}

// WithInt64 holds the functions of a floating-point and an integer argument.
var WithInt64 = [NumFuncs]func(x float64, n int32) float64{
	FuncLdexp: Ldexp64,
	FuncPown:  Pown64,
	FuncRootn: Rootn64,
}

// Pair64 holds the functions that return one value and store another, in
// this order (for sincos, the sine and the cosine).
var Pair64 = [NumFuncs]func(x float64) (y, stored float64){
	FuncFract:  Fract64,
	FuncModf:   Modf64,
	FuncSinCos: SinCos64,
}

// PairInt64 holds the functions that return one value and store an integer.
var PairInt64 = [NumFuncs]func(x float64) (y float64, stored int32){
	FuncFrexp:   Frexp64,
	FuncLgammaR: LgammaR64,
}

// Functions of other shapes stand in no table: ilogb (Ilogb32, Ilogb64), nan
// (Nan32, Nan64), remquo (Remquo32, Remquo64) and the geometric functions,
// which take vectors.
