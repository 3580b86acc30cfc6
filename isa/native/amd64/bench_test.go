package amd64

import "testing"

// BenchmarkAssemble is the price of a loop of 1000 vector instructions, from New to Finish.
func BenchmarkAssemble(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		a := New(AVX512)
		loop := a.NewLabel()
		a.Bind(loop)
		for i := range Vec(250) {
			a.V(VADDPS, Z, i&31, Vec(1), Vec(2), Merge(K1))
			a.V(VMULPS, Z, i&31, i&31, a.Const32(0x3F800000).Bcast())
			a.V(VMOVDQU32, Z, Mem{Base: RDI, Index: RSI, Scale: 4, Disp: int32(i) * 64}, i&31)
			a.G(ADD, B64, RSI, Imm(16))
		}
		a.Jcc(NotZero, loop)
		if _, err := a.Finish(); err != nil {
			b.Fatal(err)
		}
	}
}
