package main

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// halfOperations are those of halves that a double rounding could spoil, and those that must be exact.
var halfOperations = []struct {
	text  string // in OpenCL C
	exact func(a, b, c number) number
}{
	{"a + b", func(a, b, _ number) number { return fused(a, one, b) }},
	{"a - b", func(a, b, _ number) number { return fused(a, one, negated(b)) }},
	{"b - a", func(a, b, _ number) number { return fused(b, one, negated(a)) }},
	{"a * b", func(a, b, _ number) number { return product(a, b) }},
	{"a / b", func(a, b, _ number) number { return quotient(a, b) }},
	{"b / a", func(a, b, _ number) number { return quotient(b, a) }},
	{"fma(a, b, c)", fused},
	{"mad(a, b, c)", fused},
	{"sqrt(a)", func(a, _, _ number) number { return root(a) }},
	{"fmod(a, b)", func(a, b, _ number) number { return modulo(a, b, false) }},
	{"fmod(b, a)", func(a, b, _ number) number { return modulo(b, a, false) }},
	{"remainder(a, b)", func(a, b, _ number) number { return modulo(a, b, true) }},
	{"remainder(b, a)", func(a, b, _ number) number { return modulo(b, a, true) }},
	{"remquo(a, b, &q)", func(a, b, _ number) number { return modulo(a, b, true) }},
}

var (
	one = number{mantissa: 1}
	nan = number{class: notANumber}
)

func negated(n number) number {
	n.negative = !n.negative
	return n
}

func (n number) zero() bool { return n.class == finite && n.mantissa == 0 }

// product is exact: mantissas of halves have 11 bits.
func product(a, b number) number {
	negative := a.negative != b.negative
	switch {
	case a.class == notANumber, b.class == notANumber, a.class == infinite && b.zero(), b.class == infinite && a.zero():
		return nan
	case a.class == infinite, b.class == infinite:
		return number{class: infinite, negative: negative}
	}
	return number{negative: negative, mantissa: a.mantissa * b.mantissa, exponent: a.exponent + b.exponent}
}

// fused is a·b + c.
func fused(a, b, c number) number {
	p := product(a, b)
	switch {
	case p.class == notANumber, c.class == notANumber, p.class == infinite && c.class == infinite && p.negative != c.negative:
		return nan
	case p.class == infinite:
		return p
	case c.class == infinite:
		return c
	}
	least := min(p.exponent, c.exponent)
	whole := func(n number) *big.Int {
		v := new(big.Int).SetUint64(n.mantissa)
		v.Lsh(v, uint(n.exponent-least))
		if n.negative {
			v.Neg(v)
		}
		return v
	}
	sum := whole(p)
	sum.Add(sum, whole(c))
	r := number{negative: sum.Sign() < 0, exponent: least}
	if sum.Sign() == 0 {
		r.negative = p.negative && c.negative // which is what a sum of zeros has too
		return r
	}
	sum.Abs(sum)
	if cut := sum.BitLen() - 60; cut > 0 {
		r.more = sum.TrailingZeroBits() < uint(cut)
		sum.Rsh(sum, uint(cut))
		r.exponent += cut
	}
	r.mantissa = sum.Uint64()
	return r
}

// quotient has 31 bits or more, and says whether there are others.
func quotient(a, b number) number {
	negative := a.negative != b.negative
	switch {
	case a.class == notANumber, b.class == notANumber, a.class == infinite && b.class == infinite, a.zero() && b.zero():
		return nan
	case a.class == infinite, b.zero():
		return number{class: infinite, negative: negative}
	case a.zero(), b.class == infinite:
		return number{negative: negative}
	}
	v := a.mantissa << 42
	return number{negative: negative, mantissa: v / b.mantissa, more: v%b.mantissa != 0, exponent: a.exponent - b.exponent - 42}
}

// root is a square root of 20 bits or more.
func root(a number) number {
	switch {
	case a.zero(), a.class == infinite && !a.negative:
		return a
	case a.class == notANumber, a.negative:
		return nan
	}
	shift := 40 + (a.exponent & 1)
	v := a.mantissa << shift
	r := uint64(math.Sqrt(float64(v))) // v has 52 bits or fewer
	for r*r > v {
		r--
	}
	for (r+1)*(r+1) <= v {
		r++
	}
	return number{mantissa: r, more: r*r != v, exponent: (a.exponent - shift) / 2}
}

// modulo is what is left of a division whose quotient is cut or, with nearest, rounded to nearest even.
func modulo(a, b number, nearest bool) number {
	switch {
	case a.class != finite, b.class == notANumber, b.zero():
		return nan
	case b.class == infinite:
		return a
	}
	// In units of denormals numbers have 40 bits.
	x, y := a.mantissa<<(a.exponent-halfFormat.quantum()), b.mantissa<<(b.exponent-halfFormat.quantum())
	q, r := x/y, x%y
	n := number{negative: a.negative, mantissa: r, exponent: halfFormat.quantum()}
	if nearest && (2*r > y || 2*r == y && q&1 != 0) {
		n.negative, n.mantissa = !a.negative, y-r
	}
	return n
}

// halfSeconds are second operands: edges and random ones.
func halfSeconds(count int) []uint16 {
	list := []uint16{0, 1, 0x83ff, 0x400, 0x3c00, 0xbc01, 0x3555, 0x4248, 0x7bff, 0xfc00, 0x7e00, 0x8000, 0x3bff, 0x1400, 0x6400, 0x03fe}
	r := rand.New(rand.NewPCG(11, 5))
	for len(list) < count {
		list = append(list, uint16(r.Uint32()))
	}
	return list[:count]
}

// A halfRun has operands of halves: all for the first one, with each of the second ones.
type halfRun struct{ a, b, c []byte }

func newHalfRun(seconds []uint16) *halfRun {
	h := &halfRun{}
	r := rand.New(rand.NewPCG(3, 9))
	for _, b := range seconds {
		for a := range uint64(1) << 16 {
			c := r.Uint64() & 0xffff
			if r.IntN(2) == 0 { // terms of about one size
				p := negated(product(halfFormat.decode(a), halfFormat.decode(uint64(b))))
				c = halfFormat.encode(p, clmath.RTZ, true) + uint64(r.IntN(3)) - 1
			}
			h.a, h.b, h.c = appendCode(h.a, halfFormat, a), appendCode(h.b, halfFormat, uint64(b)), appendCode(h.c, halfFormat, c)
		}
	}
	return h
}

// results runs all operations on an engine.
func (h *halfRun) results(engine string) ([]byte, error) {
	var source strings.Builder
	source.WriteString("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" +
		"kernel void k(global const half *x, global const half *y, global const half *z, global half *out, ulong n)\n" +
		"{\n\tsize_t i = get_global_id(0);\n\thalf a = x[i], b = y[i], c = z[i];\n\tint q;\n")
	for k, op := range halfOperations {
		fmt.Fprintf(&source, "\tout[i + %d * n] = %s;\n", k, op.text)
	}
	device, err := emu.NewDevice(emu.DeviceOptions{Engine: engine})
	if err != nil {
		return nil, err
	}
	defer device.Close()
	p, _, err := device.BuildProgram(source.String()+"}\n", "")
	if err != nil {
		return nil, err
	}
	k, err := p.Kernel("k")
	if err != nil {
		return nil, err
	}
	args := make([]emu.Arg, 5)
	var out *emu.Buffer
	for i, data := range [][]byte{h.a, h.b, h.c, make([]byte, len(h.a)*len(halfOperations))} {
		if out, err = device.NewBufferFrom(data, emu.BufferOptions{}); err != nil {
			return nil, err
		}
		args[i] = out
	}
	n := uint64(len(h.a) / 2)
	args[4] = emu.Value(n)
	if _, err := k.Run(context.Background(), emu.Range(n), args...); err != nil {
		return nil, err
	}
	return out.Bytes()
}

// check compares results of an operation with exact ones, and tells of each that is wrong.
func (h *halfRun) check(operation int, got []byte, wrong func(a, b, c, got, want uint64)) {
	f := halfFormat
	got = got[operation*len(h.a):]
	for i := range len(h.a) / 2 {
		a, b, c := f.codeAt(h.a, i), f.codeAt(h.b, i), f.codeAt(h.c, i)
		want := f.encode(halfOperations[operation].exact(f.decode(a), f.decode(b), f.decode(c)), clmath.RTE, false)
		if have := f.codeAt(got, i); have != want && !f.same(have, want) {
			wrong(a, b, c, have, want)
		}
	}
}
