package amd64_test

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// A loop that adds 1 to 16 floats at a time: RDI is the address of the first, RCX the number of vectors.
func Example() {
	const w = amd64.Z
	a := amd64.New(amd64.AVX512)
	one := amd64.Vec(1)
	a.V(amd64.VBROADCASTSS, w, one, a.Const32(0x3F800000))
	loop, done := a.NewLabel(), a.NewLabel()
	a.G(amd64.TEST, amd64.B64, amd64.RCX, amd64.RCX)
	a.Jcc(amd64.IsZero, done)
	a.Align(16)
	a.Bind(loop)
	a.V(amd64.VADDPS, w, amd64.Vec(0), one, amd64.Mem{Base: amd64.RDI})
	a.V(amd64.VMOVUPS, w, amd64.Mem{Base: amd64.RDI}, amd64.Vec(0))
	a.G(amd64.ADD, amd64.B64, amd64.RDI, amd64.Imm(w.Bytes()))
	a.G(amd64.DEC, amd64.B64, amd64.RCX)
	a.Jcc(amd64.NotZero, loop)
	a.Bind(done)
	a.G(amd64.RET, amd64.B64)
	code, err := a.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("% x\n", code)
	// Output:
	// 62 f2 7d 48 18 0d 1e 00 00 00 48 85 c9 74 16 90 62 f1 74 48 58 07 62 f1 7c 48 11 07 48 83 c7 40 48 ff c9 75 eb c3 cc cc 00 00 80 3f
}

// What AVX2 lacks is an error.
func ExampleAssembler_Finish() {
	a := amd64.New(amd64.AVX2)
	a.V(amd64.VADDPS, amd64.Y, amd64.Vec(0), amd64.Vec(1), amd64.Vec(2), amd64.Merge(amd64.K1))
	_, err := a.Finish()
	fmt.Println(err)
	// Output:
	// amd64: cannot encode vaddps ymm0{k1}, ymm1, ymm2: predicates and roundings need AVX-512
}
