package clmath_test

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// An engine looks a function up once, by its name or its number in the
// instruction set, and applies it lane by lane.
func ExampleLookup() {
	f, ok := clmath.Lookup("native_rsqrt")
	if !ok {
		return
	}
	lanes := []float32{1, 2, 4, 16}
	for i, x := range lanes {
		lanes[i] = clmath.Unary32[f](x)
	}
	fmt.Println(f, lanes)
	// Output: native_rsqrt [1 0.70710677 0.5 0.25]
}

// Halves travel as their bits.
func ExampleF64ToF16Mode() {
	for _, mode := range []clmath.Rounding{clmath.RTE, clmath.RTZ, clmath.RTP, clmath.RTN} {
		fmt.Printf("%v %#x\n", mode, clmath.F64ToF16Mode(0.1, mode))
	}
	// Output:
	// rte 0x2e66
	// rtz 0x2e66
	// rtp 0x2e67
	// rtn 0x2e66
}
