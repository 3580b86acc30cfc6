package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// integerKernels are the integer functions of every type on edge values.
func integerKernels() []*Kernel {
	all := []*Kernel{{
		Name: "int_mixed", Module: "integers", Entry: "int_mixed",
		About: "mul24, mad24 and upsample, signed and unsigned.",
		Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
			Args: []string{"rand:i32:64:1", "rand:i32:64:2", "rand:i32:64:3", "zero:i64:640"}},
		Outputs: []int{3},
		reference: func(l Launch, args [][]byte) error {
			x, y, z, out := load[int32](args[0]), load[int32](args[1]), load[int32](args[2]), load[int64](args[3])
			for i := range l.items() {
				a, b, c := x[i], y[i], z[i]
				signed := (a >> 20) * (b >> 20)
				unsigned := (uint32(a) >> 20) * (uint32(b) >> 20)
				copy(out[10*i:], []int64{
					int64(signed), int64(unsigned), int64(signed + c>>2), int64(unsigned + uint32(c)>>4),
					int64(int16(a<<8 | b&0xff)), int64(uint16(a<<8 | b&0xff)),
					int64(a<<16 | b&0xffff), int64(uint32(a<<16 | b&0xffff)),
					int64(a)<<32 | int64(uint32(b)), int64(a)<<32 | int64(uint32(b)),
				})
			}
			return store(args[3], out)
		},
	}}
	for _, size := range []int{8, 16, 32, 64} {
		all = append(all, integerKernel(size, true), integerKernel(size, false))
	}
	return all
}

// integerKernel is the kernel of one type: pairs of edge values, then random ones.
func integerKernel(size int, signed bool) *Kernel {
	kind := fmt.Sprintf("u%d", size)
	top := uint64(1) << (size - 1)
	edges := []string{"0", "1", "2", "7", fmt.Sprint(top - 1), fmt.Sprint(top), fmt.Sprint(top + 1), fmt.Sprint(top - 1 + top)}
	if signed {
		kind = fmt.Sprintf("i%d", size)
		edges = []string{"0", "1", "2", "-1", "-2", fmt.Sprint(top - 1), fmt.Sprint(top - 2), fmt.Sprintf("-%d", top)}
	}
	var a, b string
	for _, v := range edges {
		a += fmt.Sprintf("%s*8,", v)
		for _, w := range edges {
			b += w + ","
		}
	}
	// Random values beside the edges, the same list in three orders.
	random := []string{"3", "100", "77", "41", "13", "5", "64", "127"}
	for i, v := range random {
		a += v + "," + random[(i+3)%8] + ","
		b += random[(i+5)%8] + "," + edges[i] + ","
	}
	name := "int_" + kind
	return &Kernel{
		Name: name, Module: "integers", Entry: name,
		About: "Integer operators and functions of " + kind + " on pairs of edge values.",
		Launch: Launch{Global: []uint64{80}, Local: []uint64{16},
			Args: []string{"buf:" + kind + ":" + a[:len(a)-1], "buf:" + kind + ":" + b[:len(b)-1],
				"rand:" + kind + ":80:3", "zero:i64:2240"}},
		Outputs: []int{3},
		reference: func(l Launch, args [][]byte) error {
			out := load[int64](args[3])
			for i := range l.items() {
				a, b, c := extend(args[0], i, size, signed), extend(args[1], i, size, signed), extend(args[2], i, size, signed)
				copy(out[28*i:], integerResults(a, b, c, size, signed))
			}
			return store(args[3], out)
		},
	}
}

// extend reads element i of size bits as a mathematical integer.
func extend(b []byte, i uint64, size int, signed bool) *big.Int {
	var v uint64
	for k := range size / 8 {
		v |= uint64(b[i*uint64(size/8)+uint64(k)]) << (8 * k)
	}
	if signed && v>>(size-1) == 1 {
		return big.NewInt(int64(v | ^uint64(0)<<(size-1)))
	}
	return new(big.Int).SetUint64(v)
}

// integerResults follows the kernels in integers that have no limits.
func integerResults(a, b, c *big.Int, size int, signed bool) []int64 {
	one := big.NewInt(1)
	modulus := new(big.Int).Lsh(one, uint(size))
	low, high := new(big.Int), new(big.Int).Sub(modulus, one)
	if signed {
		high.Rsh(high, 1)
		low.Not(high)
	}
	// wrap reduces to the type and widens as a conversion to long does.
	wrap := func(v *big.Int) int64 {
		w := new(big.Int).Mod(v, modulus)
		if signed && w.Cmp(high) > 0 {
			w.Sub(w, modulus)
		}
		return int64(new(big.Int).And(w, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
	}
	wrapUnsigned := func(v *big.Int) int64 { return int64(new(big.Int).Mod(v, modulus).Uint64()) }
	saturate := func(v *big.Int) int64 {
		if v.Cmp(low) < 0 {
			return wrap(low)
		}
		if v.Cmp(high) > 0 {
			return wrap(high)
		}
		return wrap(v)
	}
	n := func() *big.Int { return new(big.Int) }
	smaller, larger := a, b
	if a.Cmp(b) > 0 {
		smaller, larger = b, a
	}
	pattern := uint64(wrapUnsigned(a))
	shift := uint(wrapUnsigned(b)) & uint(size-1)
	rotated := pattern<<shift | pattern>>(uint(size)-shift)
	sum, product := n().Add(a, b), n().Mul(a, b)
	upper := n().Rsh(product, uint(size))
	clamped := c
	if c.Cmp(smaller) < 0 {
		clamped = smaller
	} else if c.Cmp(larger) > 0 {
		clamped = larger
	}
	order := int64(3)
	switch a.Cmp(b) {
	case 0:
		order = 2 + 4
	case 1:
		order = 8
	}
	divisor := b
	if b.Sign() == 0 {
		divisor = big.NewInt(7)
	} else if signed && b.Cmp(big.NewInt(-1)) == 0 && a.Cmp(low) == 0 {
		divisor = big.NewInt(3)
	}
	return []int64{
		wrap(sum), wrap(n().Sub(a, b)), wrap(product), wrap(n().And(a, b)), wrap(n().Or(a, b)), wrap(n().Xor(a, b)),
		wrap(n().Not(a)), wrap(n().Lsh(a, shift)), wrap(n().Rsh(a, shift)), wrap(n().SetUint64(rotated)),
		int64(bits.LeadingZeros64(pattern) - (64 - size)), int64(bits.OnesCount64(pattern)),
		wrapUnsigned(n().Abs(a)), wrapUnsigned(n().Sub(larger, smaller)),
		saturate(sum), saturate(n().Sub(a, b)),
		wrap(n().Rsh(sum, 1)), wrap(n().Rsh(n().Add(sum, one), 1)),
		wrap(upper), wrap(n().Add(upper, c)), saturate(n().Add(product, c)),
		wrap(larger), wrap(smaller), wrap(clamped), order,
		wrap(n().Quo(a, divisor)), wrap(n().Rem(a, divisor)), wrap(n().Neg(a)),
	}
}
