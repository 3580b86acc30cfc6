package amd64

import (
	"strings"
	"testing"
)

// TestAccesses has what instructions do with their operands: r, w, b for both, - for neither.
func TestAccesses(t *testing.T) {
	v, k := func(n int) Vec { return Vec(Virtual + n) }, func(n int) Mask { return Mask(Virtual + n) }
	m := Mem{Base: RAX}
	for _, c := range []struct {
		op       Op
		operands []Operand
		want     string
	}{
		{VPADDD, []Operand{v(0), v(1), v(2)}, "wrr"},
		{VPADDD, []Operand{v(0), v(1), v(2), Merge(k(3))}, "brrr"},
		{VPADDD, []Operand{v(0), v(1), v(2), Zero(k(3))}, "wrrr"},
		{VPXORD, []Operand{v(0), v(0), v(0)}, "w--"},
		{VPXORD, []Operand{v(0), v(1), v(1)}, "wrr"},
		{VPXORD, []Operand{v(0), v(0), v(0), Merge(k(1))}, "brrr"},
		{VPTERNLOGD, []Operand{v(0), v(0), v(0), Imm(0xff)}, "w---"},
		{VPTERNLOGD, []Operand{v(0), v(1), v(2), Imm(0xca)}, "brr-"},
		{VFMADD213PS, []Operand{v(0), v(1), m}, "brr"},
		{VPERMI2D, []Operand{v(0), v(1), v(2)}, "brr"},
		{VPERMT2D, []Operand{v(0), v(1), v(2), Zero(k(0))}, "brrr"},
		{VMOVDQU32, []Operand{v(0), m}, "wr"},
		{VMOVDQU32, []Operand{m, v(0), Merge(k(1))}, "rrr"},
		{VPCMPD, []Operand{k(0), v(1), v(2), Imm(1)}, "wrr-"},
		{VPCMPD, []Operand{k(0), v(1), v(2), Imm(1), Merge(k(0))}, "wrr-r"},
		{VPBLENDMD, []Operand{v(0), v(1), v(2), Merge(k(3))}, "wrrr"},
		{VPGATHERDD, []Operand{v(0), VMem(RAX, v(1), 4, 0), Merge(k(2))}, "brb"},
		{VPGATHERDD, []Operand{v(0), VMem(RAX, v(1), 4, 0), v(2)}, "brb"},
		{VPSCATTERDD, []Operand{VMem(RAX, v(1), 4, 0), v(0), Merge(k(2))}, "rrb"},
		{VPMOVDB, []Operand{m, v(0)}, "rr"},
		{VEXTRACTI64X4, []Operand{v(0), v(1), Imm(1)}, "wr-"},
		{VINSERTI64X4, []Operand{v(0), v(0), v(1), Imm(1)}, "wrr-"},
		{KORTESTW, []Operand{k(0), k(1)}, "rr"},
		{VTESTPS, []Operand{v(0), v(1)}, "rr"},
		{KMOVW, []Operand{RAX, k(1)}, "-r"},
		{KMOVW, []Operand{k(1), RAX}, "w-"},
		{KXNORW, []Operand{k(1), k(1), k(1)}, "w--"},
		{VBLENDVPS, []Operand{v(0), v(1), v(2), v(3)}, "wrrr"},
		{SHLX, []Operand{RAX, RCX, RDX}, "---"},
	} {
		var got strings.Builder
		list := Accesses(c.op, c.operands)
		for i := range c.operands {
			got.WriteByte("-rwb"[list[i]])
		}
		if got.String() != c.want {
			t.Errorf("%s %v: got %s, want %s", c.op, c.operands, got.String(), c.want)
		}
	}
}

// TestVirtualRefused holds that the assembler does not take a virtual register for one of the processor.
func TestVirtualRefused(t *testing.T) {
	for _, operands := range [][]Operand{
		{Vec(Virtual), Vec(0), Vec(1)}, {Vec(0), Vec(1), Vec(Virtual + 256)}, {Vec(0), Vec(1), Vec(2), Merge(Mask(Virtual))},
		{Vec(0), VMem(RAX, Virtual, 4, 0), Merge(K1)},
	} {
		a := New(AVX2 | AVX512)
		op := VPADDD
		if _, ok := operands[1].(Mem); ok {
			op = VPGATHERDD
		}
		if a.V(op, Z, operands...); a.Err() == nil {
			t.Errorf("%s %v: no error", op, operands)
		}
	}
}
