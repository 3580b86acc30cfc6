package clmath

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestNames checks that every number of the instruction set has a name that
// leads back to it.
func TestNames(t *testing.T) {
	seen := make(map[string]Func)
	for f := range Func(NumFuncs) {
		name := f.String()
		if other, dup := seen[name]; dup || name == "invalid" {
			t.Errorf("function %d is called %q, as is %d", f, name, other)
		}
		seen[name] = f
		if got, ok := Lookup(name); !ok || got != f {
			t.Errorf("Lookup(%q) = %d, %v, want %d", name, got, ok, f)
		}
	}
	// Anchors from the specification of the instruction set.
	for f, n := range map[Func]int{
		FuncAcos: 0, FuncErfc: 17, FuncErf: 18, FuncLgammaR: 36, FuncNan: 46, FuncSinCos: 58, FuncTrunc: 66,
		FuncHalfCos: 67, FuncNativeTan: 94, FuncFclamp: 95, FuncMix: 99, FuncCross: 104, FuncFastNormalize: 110,
	} {
		if int(f) != n {
			t.Errorf("%v is number %d, want %d", f, f, n)
		}
	}
	if _, ok := Lookup("no_such_function"); ok {
		t.Error("Lookup finds what is not there")
	}
	if got := Func(NumFuncs).String(); got != "invalid" {
		t.Errorf("a number past the end is called %q", got)
	}
}

// TestTablesComplete checks that each function stands in the tables of one
// shape, in all precisions, or is one of those known to stand in none.
func TestTablesComplete(t *testing.T) {
	none := map[Func]bool{
		FuncIlogb: true, FuncNan: true, FuncRemquo: true, FuncCross: true, FuncDistance: true, FuncLength: true,
		FuncNormalize: true, FuncFastDistance: true, FuncFastLength: true, FuncFastNormalize: true,
	}
	for f := range Func(NumFuncs) {
		shapes := 0
		for _, in := range [][3]bool{
			{Unary16[f] != nil, Unary32[f] != nil, Unary64[f] != nil},
			{Binary16[f] != nil, Binary32[f] != nil, Binary64[f] != nil},
			{Ternary16[f] != nil, Ternary32[f] != nil, Ternary64[f] != nil},
			{WithInt16[f] != nil, WithInt32[f] != nil, WithInt64[f] != nil},
			{Pair16[f] != nil, Pair32[f] != nil, Pair64[f] != nil},
			{PairInt16[f] != nil, PairInt32[f] != nil, PairInt64[f] != nil},
		} {
			if in[0] != in[1] || in[1] != in[2] {
				t.Errorf("%v is in the tables of some precisions only: %v", f, in)
			}
			if in[1] {
				shapes++
			}
		}
		if want := map[bool]int{true: 0, false: 1}[none[f]]; shapes != want {
			t.Errorf("%v has %d shapes, want %d", f, shapes, want)
		}
	}
}

// TestAllocationFree calls every function and counts allocations.
func TestAllocationFree(t *testing.T) {
	v, w := []float32{1, 2, 3}, []float32{3, 2, 5}
	d := make([]float32, 3)
	n := testing.AllocsPerRun(10, func() {
		for f := range NumFuncs {
			for _, x := range []float32{0.4, 7.3, -1e30} {
				callAll(f, x, 2.5, -0.3, 7, func(uint64) {})
			}
		}
		Cross32(d, v, w)
		Normalize32(d, v)
		d[0] = Dot32(v, w) + Length32(v) + Distance32(v, w)
	})
	if n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// callAll calls function f of every shape and precision and hands the bits of
// each result to put.
func callAll(f int, x, y, z float32, n int32, put func(bits uint64)) {
	put32 := func(v float32) { put(uint64(math.Float32bits(v))) }
	put64 := func(v float64) { put(math.Float64bits(v)) }
	a, b, c := float64(x), float64(y), float64(z)
	g, h, i := F32ToF16(x), F32ToF16(y), F32ToF16(z)
	switch {
	case Unary32[f] != nil:
		put32(Unary32[f](x))
		put64(Unary64[f](a))
		put(uint64(Unary16[f](g)))
	case Binary32[f] != nil:
		put32(Binary32[f](x, y))
		put64(Binary64[f](a, b))
		put(uint64(Binary16[f](g, h)))
	case Ternary32[f] != nil:
		put32(Ternary32[f](x, y, z))
		put64(Ternary64[f](a, b, c))
		put(uint64(Ternary16[f](g, h, i)))
	case WithInt32[f] != nil:
		put32(WithInt32[f](x, n))
		put64(WithInt64[f](a, n))
		put(uint64(WithInt16[f](g, n)))
	case Pair32[f] != nil:
		p, q := Pair32[f](x)
		put32(p)
		put32(q)
		r, s := Pair64[f](a)
		put64(r)
		put64(s)
		u, v := Pair16[f](g)
		put(uint64(u)<<16 | uint64(v))
	case PairInt32[f] != nil:
		p, q := PairInt32[f](x)
		put32(p)
		put(uint64(q))
		r, s := PairInt64[f](a)
		put64(r)
		put(uint64(s))
		u, v := PairInt16[f](g)
		put(uint64(u)<<32 | uint64(uint32(v)))
	}
}

// TestGoldenBits hashes the bits of many results of every function and
// compares with hashes taken on another machine: results must not depend on
// the processor or its number of bits, nor on how the compiler fuses.
func TestGoldenBits(t *testing.T) {
	var got strings.Builder
	for f := range NumFuncs {
		r := rand.New(rand.NewPCG(41, uint64(f)))
		sum := fnv.New64a()
		put := func(b uint64) {
			var buf [8]byte
			binary.LittleEndian.PutUint64(buf[:], b)
			sum.Write(buf[:])
		}
		for k := range 400 {
			x, y, z := nearby(r), nearby(r), nearby(r)
			if k%4 == 0 {
				// Conversions of NaN between widths are up to the processor.
				x, y = quiet32(math.Float32frombits(r.Uint32())), quiet32(math.Float32frombits(r.Uint32()))
			}
			callAll(f, x, y, z, int32(r.IntN(100)-50), put)
		}
		fmt.Fprintf(&got, "%-16s %016x\n", Func(f), sum.Sum64())
	}
	path := filepath.Join("testdata", "bits.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != strings.ReplaceAll(string(want), "\r\n", "\n") {
		w := strings.Split(string(want), "\n")
		for i, line := range strings.Split(got.String(), "\n") {
			if i >= len(w) || strings.TrimSuffix(w[i], "\r") != line {
				t.Errorf("line %d is %q, not as in %s", i+1, line, path)
			}
		}
	}
}

// TestAnyBits throws any bits at all at every function: nothing may panic or
// take long, and no NaN but the canonical one may come out where the function
// is not about signs and payloads.
func TestAnyBits(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	n := 30000
	if testing.Short() {
		n = 3000
	}
	for k := range n {
		f := Func(k % NumFuncs)
		x, y, z := anyOf64(r), anyOf64(r), anyOf64(r)
		anyBitsCase(t, f, x, y, z, int32(r.Uint32()))
	}
}

// anyOf64 draws a double: any bits, or an edge and its neighbours.
func anyOf64(r *rand.Rand) float64 {
	if r.IntN(2) == 0 {
		return math.Float64frombits(r.Uint64())
	}
	return wide64(r)
}

func anyBitsCase(t *testing.T, f Func, x, y, z float64, n int32) {
	t.Helper()
	check := func(v float64) {
		if v != v && math.Float64bits(v) != nanBits64 && f != FuncFabs && f != FuncCopysign {
			t.Errorf("%v(%x, %x, %x, %d) gives the NaN %#x", f, x, y, z, n, math.Float64bits(v))
		}
	}
	switch {
	case Unary64[f] != nil:
		check(Unary64[f](x))
	case Binary64[f] != nil:
		check(Binary64[f](x, y))
	case Ternary64[f] != nil:
		check(Ternary64[f](x, y, z))
	case WithInt64[f] != nil:
		check(WithInt64[f](x, n))
	case Pair64[f] != nil:
		a, b := Pair64[f](x)
		check(a)
		check(b)
	case PairInt64[f] != nil:
		a, _ := PairInt64[f](x)
		check(a)
	}
	callAll(int(f), math.Float32frombits(uint32(math.Float64bits(x))), float32(y), float32(z), n, func(uint64) {})
	a, b := []float64{x, y, z}, []float64{z, x, y}
	d := make([]float64, 3)
	Cross64(d, a, b)
	Normalize64(d, a)
	check(Dot64(a, b))
	check(Length64(a))
	check(Distance64(a, b))
	rem, _ := Remquo64(x, y)
	check(rem)
}

// FuzzAnyBits looks for arguments that make a function panic or return a NaN
// that is not the canonical one.
func FuzzAnyBits(f *testing.F) {
	f.Add(uint8(FuncErfc), uint64(0xc018000000000000), uint64(0), uint64(0), int32(0))
	f.Add(uint8(FuncPow), uint64(0x3ff0000000000001), uint64(0x7fe0000000000000), uint64(1), int32(-1))
	f.Fuzz(func(t *testing.T, fn uint8, x, y, z uint64, n int32) {
		if fn >= NumFuncs {
			return
		}
		anyBitsCase(t, Func(fn), math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z), n)
	})
}
