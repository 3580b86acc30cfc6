package clmath

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/isa/clmath/judge"
)

// The tests of this file compare with GNU MPFR, an independent implementation
// of correctly rounded functions. They need gcc and libmpfr-dev and run only
// where CLMATH_MPFR says how much:
//
//	CLMATH_MPFR=sample   every 4099th float32, and some thousand points else
//	CLMATH_MPFR=full     all 2^32 float32 of each function of one argument,
//	                     and a million pairs else
//
// CLMATH_FUNCS=exp,log,… restricts them to some functions, CLMATH_STRIDE=N
// sets the step of the sweeps.

func mpfrMode(t *testing.T) (stride uint64, pairs int) {
	t.Helper()
	switch mode := os.Getenv("CLMATH_MPFR"); mode {
	case "":
		t.Skip("CLMATH_MPFR is not set")
	case "sample":
		stride, pairs = 4099, 20000
	case "full":
		stride, pairs = 1, 1000000
	default:
		t.Fatalf("CLMATH_MPFR=%s is neither sample nor full", mode)
	}
	if s := os.Getenv("CLMATH_STRIDE"); s != "" {
		n, err := strconv.ParseUint(s, 0, 32)
		if err != nil || n == 0 {
			t.Fatalf("CLMATH_STRIDE=%s is no step", s)
		}
		stride = n
	}
	return stride, pairs
}

func wantedFunc(f Func) bool {
	list := os.Getenv("CLMATH_FUNCS")
	if list == "" {
		return true
	}
	for name := range strings.SplitSeq(list, ",") {
		if name == f.String() {
			return true
		}
	}
	return false
}

func buildJudge(t *testing.T) *judge.Judge {
	t.Helper()
	j, err := judge.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// mpfrUnary lists the functions of one argument that the judge knows.
var mpfrUnary = []Func{
	FuncExp, FuncLog, FuncSin, FuncCos, FuncSqrt, FuncRsqrt, FuncErf, FuncExp2, FuncLog2,
	FuncTan, FuncTanh, FuncAtan, FuncExp10, FuncExpm1, FuncLog10, FuncLog1p, FuncCbrt,
	FuncErfc, FuncSinh, FuncCosh, FuncAsin, FuncAcos, FuncAsinh, FuncAcosh, FuncAtanh,
	FuncSinPi, FuncCosPi, FuncTanPi, FuncAsinPi, FuncAcosPi, FuncAtanPi, FuncTgamma, FuncLgamma,
}

// mpfrExcused tells where OpenCL asks for something else than MPFR gives; the
// table tests of special cases check those arguments.
func mpfrExcused(f Func, x float64) bool {
	switch f {
	case FuncSinPi, FuncTanPi, FuncCosPi:
		return 2*x == math.Trunc(2*x) // signs of zeros and infinities
	case FuncRsqrt, FuncTgamma:
		return x == 0 || x < 0 && math.IsInf(x, -1)
	}
	return false
}

func TestMPFRSweep32(t *testing.T) {
	stride, _ := mpfrMode(t)
	judge := buildJudge(t)
	for _, f := range mpfrUnary {
		if !wantedFunc(f) {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			began := time.Now()
			fn := Unary32[f]
			bad := 0
			count, err := judge.Sweep(f.String(), stride, func(x, want, _ float32) {
				got := fn(x)
				if math.Float32bits(got) == math.Float32bits(want) ||
					got != got && want != want && math.Float32bits(got) == nanBits32 ||
					mpfrExcused(f, float64(x)) {
					return
				}
				if bad++; bad <= 10 {
					t.Errorf("%v(%x) = %x, want %x", f, x, got, want)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v: %d arguments, %d wrong, %v", f, count, bad, time.Since(began).Round(time.Second))
		})
	}
}

// askPoints returns the judge's results for pairs of arguments, of which a function may need the first only.
func askPoints(t *testing.T, judge *judge.Judge, f Func, bits int, args []float64) []float64 {
	t.Helper()
	arity := 2
	if slices.Contains(mpfrUnary, f) {
		arity = 1
		first := make([]float64, 0, len(args)/2)
		for i := 0; i < len(args); i += 2 {
			first = append(first, args[i])
		}
		args = first
	}
	answers, err := judge.Points(f.String(), bits, arity, args)
	if err != nil {
		t.Fatal(err)
	}
	res := make([]float64, len(answers))
	for i, a := range answers {
		res[i] = a.Result
	}
	return res
}

// edges are magnitudes around which functions change their ways.
var edges = []float64{
	0, 0x1p-149, 0x1p-140, 0x1p-126, 0x1p-100, 0x1p-60, 0x1p-30, 0x1p-24, 0x1p-12, 0.25, 0.5, 0.75,
	1, 1.5, 2, 2.5, 3, 4, 5, 7, 8, 9, 10, 16, 24, 25, 27, 32, 33, 81, 100, 127, 128, 1000, 4096, 0x1p23,
	0x1p24, 0x1p31, 0x1p53, 0x1p60, 0x1p100, 0x1p127, 0x1.fffffep127, math.Inf(1),
}

// pairPoint draws a pair of float32 for a function of two arguments: edges and
// their neighbours, near ones, small integers and halves, any bits at all.
func pairPoint(r *rand.Rand) (x, y float32) {
	draw := func() float32 {
		switch r.IntN(6) {
		case 0:
			x := float32(edges[r.IntN(len(edges))])
			for range r.IntN(3) {
				x = math.Float32frombits(max(math.Float32bits(x), 1) - 1)
			}
			return x
		case 1:
			return float32(r.IntN(4200))
		case 2:
			return float32(r.IntN(200)) / 8
		case 3:
			return 1 + float32(r.NormFloat64())*float32(math.Exp2(-float64(r.IntN(24))))
		case 4:
			return float32(math.Exp2(r.Float64()*40 - 20))
		}
		return math.Float32frombits(r.Uint32() >> 1)
	}
	x, y = draw(), draw()
	if r.IntN(4) == 0 {
		x = -x
	}
	if r.IntN(3) == 0 {
		y = -y
	}
	return x, y
}

// mpfrBinary lists the functions of two arguments that the judge knows.
var mpfrBinary = []Func{
	FuncPow, FuncPowr, FuncPown, FuncRootn, FuncHypot, FuncAtan2, FuncAtan2Pi, FuncFmod, FuncRemainder,
}

// excusedPair tells where OpenCL's special cases differ from MPFR's.
func excusedPair(f Func, x, y float64) bool {
	switch f {
	case FuncRootn:
		return x == 0 || y == 0
	case FuncPowr:
		return x <= 0 || x != x || y != y || y == 0 || x == 1
	}
	return false
}

// asInt makes an integer argument of y.
func asInt(y float64) float64 {
	if y != y {
		return 3
	}
	return max(min(math.Trunc(y), 0x1p30), -0x1p30)
}

func same64(got, want float64) bool {
	return math.Float64bits(got) == math.Float64bits(want) || got != got && want != want
}

func TestMPFRPairs32(t *testing.T) {
	_, n := mpfrMode(t)
	judge := buildJudge(t)
	for _, f := range mpfrBinary {
		if !wantedFunc(f) {
			continue
		}
		r := rand.New(rand.NewPCG(1, uint64(f)))
		args := make([]float64, 0, 2*n)
		for range n {
			x, y := pairPoint(r)
			if f == FuncPown || f == FuncRootn {
				y = float32(asInt(float64(y)))
			}
			args = append(args, float64(x), float64(y))
		}
		bad := 0
		for i, want := range askPoints(t, judge, f, 32, args) {
			x, y := float32(args[2*i]), float32(args[2*i+1])
			var got float32
			if fn := Binary32[f]; fn != nil {
				got = fn(x, y)
			} else {
				got = WithInt32[f](x, int32(y))
			}
			if !same64(float64(got), want) && !excusedPair(f, float64(x), float64(y)) {
				if bad++; bad <= 10 {
					t.Errorf("%v(%x, %x) = %x, want %x", f, x, y, got, want)
				}
			}
		}
		t.Logf("%v: %d pairs, %d wrong", f, n, bad)
	}
}

// wide64 draws a double for a function: edges, ordinary sizes, any bits.
func wide64(r *rand.Rand) float64 {
	var x float64
	switch r.IntN(5) {
	case 0:
		x = edges[r.IntN(len(edges))]
		x = math.Float64frombits(max(math.Float64bits(x), 3) - uint64(r.IntN(3)))
	case 1:
		x = float64(r.IntN(2000)) / 8
	case 2:
		x = 1 + r.NormFloat64()*math.Exp2(-float64(r.IntN(50)))
	case 3:
		x = math.Exp2(r.Float64()*30 - 20)
	default:
		x = math.Float64frombits(r.Uint64() >> 1)
	}
	if r.IntN(3) == 0 {
		x = -x
	}
	return x
}

// ulps64 returns how many doubles got and want are apart.
func ulps64(got, want float64) uint64 {
	order := func(x float64) int64 {
		b := int64(math.Float64bits(x))
		if b < 0 {
			return math.MinInt64 - b
		}
		return b
	}
	d := order(got) - order(want)
	if d < 0 {
		d = -d
	}
	return uint64(d)
}

// TestMPFRDouble checks that doubles are within one unit of the correctly
// rounded result (and logs how many are not that result itself).
func TestMPFRDouble(t *testing.T) {
	_, n := mpfrMode(t)
	judge := buildJudge(t)
	var all []Func
	all = append(append(all, mpfrUnary...), mpfrBinary...)
	for _, f := range all {
		if !wantedFunc(f) {
			continue
		}
		r := rand.New(rand.NewPCG(2, uint64(f)))
		args := make([]float64, 0, 2*n)
		for range n {
			x, y := wide64(r), wide64(r)
			if f == FuncPown || f == FuncRootn {
				y = asInt(y)
			}
			args = append(args, x, y)
		}
		bad, off := 0, 0
		for i, want := range askPoints(t, judge, f, 64, args) {
			x, y := args[2*i], args[2*i+1]
			var got float64
			switch {
			case Unary64[f] != nil:
				if mpfrExcused(f, x) {
					continue
				}
				got = Unary64[f](x)
			case excusedPair(f, x, y):
				continue
			case Binary64[f] != nil:
				got = Binary64[f](x, y)
			default:
				got = WithInt64[f](x, int32(y))
			}
			if same64(got, want) {
				continue
			}
			if off++; off <= 3 {
				t.Logf("%v(%x, %x) = %x, rounded %x", f, x, y, got, want)
			}
			if got != got || want != want || ulps64(got, want) > 1 {
				if bad++; bad <= 10 {
					t.Errorf("%v(%x, %x) = %x, want %x", f, x, y, got, want)
				}
			}
		}
		t.Logf("%v: %d points, %d not correctly rounded, %d off by more", f, n, off, bad)
	}
}

// TestMPFRHalf checks all 2^16 halves for functions of one argument, and
// pairs of halves for the others.
func TestMPFRHalf(t *testing.T) {
	_, n := mpfrMode(t)
	judge := buildJudge(t)
	for _, f := range mpfrUnary {
		if !wantedFunc(f) {
			continue
		}
		args := make([]float64, 0, 2<<16)
		for h := range 1 << 16 {
			args = append(args, F16ToF64(uint16(h)), 0)
		}
		for h, want := range askPoints(t, judge, f, 16, args) {
			got := Unary16[f](uint16(h))
			if g := F16ToF64(got); !same64(g, want) && !mpfrExcused(f, args[2*h]) || g != g && got != 0x7e00 {
				t.Errorf("%v(%x) = %x, want %x", f, args[2*h], g, want)
			}
		}
	}
	for _, f := range mpfrBinary {
		if !wantedFunc(f) {
			continue
		}
		r := rand.New(rand.NewPCG(3, uint64(f)))
		args := make([]float64, 0, 2*n)
		for range n {
			x, y := F16ToF64(uint16(r.Uint32())), F16ToF64(uint16(r.Uint32()))
			if f == FuncPown || f == FuncRootn {
				y = math.Trunc(asInt(y) / float64(uint(1)<<r.IntN(16)))
			}
			args = append(args, x, y)
		}
		bad := 0
		for i, want := range askPoints(t, judge, f, 16, args) {
			x, y := args[2*i], args[2*i+1]
			var got uint16
			if fn := Binary16[f]; fn != nil {
				got = fn(F64ToF16(x), F64ToF16(y))
			} else {
				got = WithInt16[f](F64ToF16(x), int32(y))
			}
			if g := F16ToF64(got); !same64(g, want) && !excusedPair(f, x, y) {
				if bad++; bad <= 10 {
					t.Errorf("%v(%x, %x) = %x, want %x", f, x, y, g, want)
				}
			}
		}
	}
}
