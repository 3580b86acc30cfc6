package emu_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// exact has room for the sums and products of the test.
func exact(x float64) *big.Float { return new(big.Float).SetPrec(6000).SetFloat64(x) }

// rounded is a number in a format of so many bits, ties to even.
func rounded(x *big.Float, bits int) float64 {
	switch bits {
	case 64:
		f, _ := x.Float64()
		return f
	case 32:
		f, _ := x.Float32()
		return float64(f)
	}
	// To odd in double precision, then once to half.
	f, _ := new(big.Float).SetMode(big.ToZero).SetPrec(53).Set(x).Float64()
	if exact(f).Cmp(x) != 0 {
		f = math.Float64frombits(math.Float64bits(f) | 1)
	}
	return clmath.F16ToF64(clmath.F64ToF16(f))
}

// TestGeometricRounding compares the geometric functions with exact arithmetic, on each engine: half and float are
// correctly rounded, doubles within 0.51 units in the last place, which is nearly always the same.
func TestGeometricRounding(t *testing.T) {
	const source = `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define K(T) kernel void k_##T(global const T *x, global const T *y, global T *r) { \
	int i = get_global_id(0); \
	T##4 a = vload4(i, x), b = vload4(i, y); \
	vstore4((T##4)(length(a), distance(a, b), length(a.xy), distance(a.x, b.x)), 3 * i, r); \
	vstore4(normalize(a), 3 * i + 1, r); \
	vstore4(cross(a, b), 3 * i + 2, r); }
K(half) K(float) K(double)`
	for _, engine := range emu.Engines() {
		d := device(t, emu.DeviceOptions{Engine: engine})
		p, _, err := d.BuildProgram(source, "")
		if err != nil {
			t.Fatal(err)
		}
		for bits, name := range map[int]string{16: "half", 32: "float", 64: "double"} {
			x, y := geometricInputs(bits)
			k, err := p.Kernel("k_" + name)
			if err != nil {
				t.Fatal(err)
			}
			got := runGeometric(t, d, k, bits, x, y)
			for i := 0; i < len(x); i += 4 {
				checkGeometric(t, engine, bits, x[i:i+4], y[i:i+4], got[3*i:3*i+12])
			}
		}
	}
}

// geometricInputs are vectors: those whose lengths are next to the middle of two numbers, those that cancel, and random
// ones.
func geometricInputs(bits int) (x, y []float64) {
	r := rand.New(rand.NewPCG(uint64(bits), 7))
	in := func(v float64) float64 {
		switch bits {
		case 16:
			return clmath.F16ToF64(clmath.F64ToF16(v))
		case 32:
			return float64(float32(v))
		}
		return v
	}
	// 3, 4 and 5 times k, where 5k needs a bit more than there is; the third component decides.
	tie := map[int]float64{16: 425, 32: 3355445, 64: 1801439850948199}[bits]
	x = append(x, 3*tie, 4*tie, in(0x1p-20), 0, 3*tie, 4*tie, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0)
	y = append(y, 0, 0, 0, 0, 0, 0, in(0x1p-24), 0, 1, 2, 3, 4, 1, 0, 0, 0)
	if bits == 64 { // components whose share of the vector is denormal
		x = append(x, -0x1.c34397335cb37p-626, -0x1.4505004234872p416, 0, 0, 9.20391e-165, -3.48802e124, 0.242384, 0x1p-480, 0x1.8p-200, 0x1.9p830, 0x1p-190, 0x1.3p300)
		y = append(y, make([]float64, 12)...)
	}
	scales := map[int]int{16: 4, 32: 60, 64: 500}[bits]
	for range 200 {
		scale, spread := math.Exp2(float64(r.IntN(2*scales)-scales)), r.IntN(scales/4+1)
		for range 4 {
			v := in((r.Float64()*2 - 1) * scale * math.Exp2(float64(r.IntN(spread+1))))
			x = append(x, v)
			y = append(y, in(v*(1+math.Exp2(-float64(r.IntN(60)))*r.Float64()))) // nearly parallel: cross cancels
		}
	}
	return x, y
}

func runGeometric(t *testing.T, d *emu.Device, k *emu.Kernel, bits int, x, y []float64) []float64 {
	t.Helper()
	n := uint64(len(x) / 4)
	switch bits {
	case 16:
		return halves(runVectors(t, d, k, n, narrowed(x, clmath.F64ToF16), narrowed(y, clmath.F64ToF16)))
	case 32:
		single := func(v float64) float32 { return float32(v) }
		return narrowed(runVectors(t, d, k, n, narrowed(x, single), narrowed(y, single)), func(v float32) float64 { return float64(v) })
	}
	return runVectors(t, d, k, n, x, y)
}

func halves(h []uint16) []float64 { return narrowed(h, clmath.F16ToF64) }

func narrowed[S, T any](v []S, f func(S) T) []T {
	out := make([]T, len(v))
	for i := range v {
		out[i] = f(v[i])
	}
	return out
}

func runVectors[T emu.Number](t *testing.T, d *emu.Device, k *emu.Kernel, n uint64, x, y []T) []T {
	t.Helper()
	var args []emu.Arg
	for _, v := range [][]T{x, y, make([]T, 12*n)} {
		b, err := emu.NewBufferOf(d, v)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, b)
	}
	if _, err := k.Run(context.Background(), emu.Range(n), args...); err != nil {
		t.Fatal(err)
	}
	out, err := emu.Read[T](args[2].(*emu.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func checkGeometric(t *testing.T, engine string, bits int, x, y, got []float64) {
	t.Helper()
	root := func(v ...*big.Float) *big.Float {
		sum := exact(0)
		for _, c := range v {
			sum.Add(sum, exact(0).Mul(c, c))
		}
		if sum.Sign() == 0 {
			return sum
		}
		return sum.Sqrt(sum)
	}
	var a, diff []*big.Float
	for i := range x {
		a = append(a, exact(x[i]))
		diff = append(diff, exact(0).Sub(exact(x[i]), exact(y[i])))
	}
	length := root(a...)
	want := []*big.Float{length, root(diff...), root(a[:2]...), root(diff[0])}
	for i := range a {
		if length.Sign() == 0 {
			want = append(want, a[i])
		} else {
			want = append(want, exact(0).Quo(a[i], length))
		}
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		want = append(want, exact(0).Sub(exact(0).Mul(a[j], exact(y[k])), exact(0).Mul(a[k], exact(y[j]))))
	}
	want = append(want, exact(0))
	for i, w := range want {
		r := rounded(w, bits)
		if got[i] == r {
			continue
		}
		// A double may be the other neighbour where the exact number is next to the middle of both.
		if bits == 64 && math.Abs(got[i]) < math.MaxFloat64 {
			ulp := math.Abs(math.Nextafter(r, got[i]) - r)
			off, _ := exact(0).Quo(exact(0).Sub(exact(got[i]), w), exact(ulp)).Float64()
			if math.Abs(off) <= 0.51 {
				continue
			}
		}
		t.Errorf("%s, %d bits, result %d of %x and %x: %x, want %x", engine, bits, i, x, y, got[i], r)
	}
}
