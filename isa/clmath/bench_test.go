package clmath

import (
	"math"
	"testing"
)

// benchInputs are ordinary arguments in a fixed, scattered order.
func benchInputs(lo, hi float64) []float32 {
	xs := make([]float32, 1024)
	for i := range xs {
		f := math.Mod(float64(i)*0.6180339887498949, 1)
		xs[i] = float32(lo + float64((hi-lo)*f))
	}
	return xs
}

var benchRanges = map[Func][2]float64{
	FuncExp: {-80, 80}, FuncExp2: {-100, 100}, FuncExp10: {-30, 30},
	FuncLog: {0.001, 1000}, FuncLog2: {0.001, 1000}, FuncLog10: {0.001, 1000},
	FuncSqrt: {0.001, 1000}, FuncRsqrt: {0.001, 1000}, FuncAcosh: {1, 100},
	FuncErf: {-3, 3}, FuncErfc: {-3, 8}, FuncSin: {-100, 100}, FuncCos: {-100, 100},
	FuncTan: {-100, 100}, FuncTgamma: {-5, 20}, FuncLgamma: {0, 100},
	FuncSinh: {-10, 10}, FuncCosh: {-10, 10}, FuncAtan: {-10, 10}, FuncAsinh: {-10, 10},
}

func BenchmarkUnary32(b *testing.B) {
	for f := Func(0); f < FuncHalfCos; f++ {
		fn := Unary32[f]
		if fn == nil {
			continue
		}
		r, ok := benchRanges[f]
		if !ok {
			r = [2]float64{-0.99, 0.99}
		}
		xs := benchInputs(r[0], r[1])
		b.Run(f.String(), func(b *testing.B) {
			var sink float32
			for i := range b.N {
				sink += fn(xs[i&1023])
			}
			benchSink = float64(sink)
		})
	}
}

func BenchmarkUnary64(b *testing.B) {
	for f := Func(0); f < FuncHalfCos; f++ {
		fn := Unary64[f]
		if fn == nil {
			continue
		}
		r, ok := benchRanges[f]
		if !ok {
			r = [2]float64{-0.99, 0.99}
		}
		xs := benchInputs(r[0], r[1])
		b.Run(f.String(), func(b *testing.B) {
			sink := 0.0
			for i := range b.N {
				sink += fn(float64(xs[i&1023]))
			}
			benchSink = sink
		})
	}
}

func BenchmarkBinary32(b *testing.B) {
	xs, ys := benchInputs(0.01, 10), benchInputs(-8, 8)
	for f := Func(0); f < FuncHalfCos; f++ {
		fn := Binary32[f]
		if fn == nil {
			continue
		}
		b.Run(f.String(), func(b *testing.B) {
			var sink float32
			for i := range b.N {
				sink += fn(xs[i&1023], ys[(i+i>>10)&1023])
			}
			benchSink = float64(sink)
		})
	}
}

var benchSink float64
