package kernels

import (
	"encoding/binary"
	"math/big"
	"math/bits"
)

// cipherKernels are cryptography.
func cipherKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "chacha20", Module: "ciphers",
			About:   "The stream cipher ChaCha20: private arrays of words and rotations.",
			Outputs: []int{3}, reference: chacha,
		}, func(n int) Launch {
			return line(n, 64, noise("u32", 8, 1), "u32:7,1,2,3", noise("u32", 16*n, 2), zeros("u32", 16*n))
		}, [4]int{64, 1 << 11, 1 << 16, 1 << 18}),
		sized(&Kernel{
			Name: "siphash", Module: "ciphers",
			About:   "Hashes of strings of different lengths: words of 64 bits from bytes, a switch that falls through.",
			Outputs: []int{4}, reference: siphash,
		}, func(n int) Launch {
			start, at := []uint32{0}, 0
			for i := range n {
				at += scrambled(i, 48)
				start = append(start, uint32(at))
			}
			return line(n, 64, noise("u8", at, 1), elements("u32", start), "u64:0x0706050403020100",
				"u64:0x0f0e0d0c0b0a0908", zeros("u64", n))
		}, [4]int{128, 1 << 12, 1 << 17, 1 << 18}),
		sized(&Kernel{
			Name: "montgomery", Module: "ciphers",
			About:   "Squares numbers of 256 bits modulo an odd number: private arrays, products of 64 bits with carries.",
			Outputs: []int{3}, reference: montgomery,
		}, func(n int) Launch {
			return line(n, 64, within("u32", 8*n, 1, 0, 1<<30), elements("u32", montgomeryModulus[:]), number("u32",
				montgomeryInverse()),
				zeros("u32", 8*n), "i32:16")
		}, [4]int{64, 256, 1 << 13, 1 << 14}),
	}
}

func chacha(l Launch, args [][]byte) error {
	key, nonce, in, out := load[uint32](args[0]), load[uint32](args[1]), load[uint32](args[2]),
		load[uint32](args[3])
	for id := range uint32(l.items()) {
		s := [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
		copy(s[4:12], key)
		copy(s[12:], nonce)
		s[12] += id
		x := s
		quarter := func(a, b, c, d int) {
			for _, n := range [2][2]int{{16, 12}, {8, 7}} {
				x[a] += x[b]
				x[d] = bits.RotateLeft32(x[d]^x[a], n[0])
				x[c] += x[d]
				x[b] = bits.RotateLeft32(x[b]^x[c], n[1])
			}
		}
		for range 10 {
			for i := range 4 {
				quarter(i, 4+i, 8+i, 12+i)
			}
			for i := range 4 {
				quarter(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
			}
		}
		for i := range uint32(16) {
			out[16*id+i] = in[16*id+i] ^ (x[i] + s[i])
		}
	}
	return store(args[3], out)
}

func siphash(_ Launch, args [][]byte) error {
	start, k0, k1, hash := load[uint32](args[1]), value[uint64](args[2]), value[uint64](args[3]),
		load[uint64](args[4])
	for id := range hash {
		v := [4]uint64{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
			k1 ^ 0x7465646279746573}
		rounds := func(n int) {
			for range n {
				v[0] += v[1]
				v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
				v[0] = bits.RotateLeft64(v[0], 32)
				v[2] += v[3]
				v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
				v[0] += v[3]
				v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
				v[2] += v[1]
				v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
				v[2] = bits.RotateLeft64(v[2], 32)
			}
		}
		text := args[0][start[id]:start[id+1]]
		// The last word has what is left, and the length in its highest byte.
		padded := make([]byte, len(text)/8*8+8)
		copy(padded, text)
		padded[len(padded)-1] = uint8(len(text))
		for ; len(padded) > 0; padded = padded[8:] {
			m := binary.LittleEndian.Uint64(padded)
			v[3] ^= m
			rounds(2)
			v[0] ^= m
		}
		v[2] ^= 0xff
		rounds(4)
		hash[id] = v[0] ^ v[1] ^ v[2] ^ v[3]
	}
	return store(args[4], hash)
}

// montgomeryModulus is an odd number with its lowest word first.
var montgomeryModulus = [8]uint32{0xd0364141, 0xbfd25e8c, 0xaf48a03b, 0xbaaedce6, 0xfffffffe, 0x7fffffff,
	0xfffffff1, 0x3fffffff}

// montgomeryInverse is -1/m modulo 2^32.
func montgomeryInverse() uint32 {
	x := uint32(1)
	for range 5 {
		x *= 2 - montgomeryModulus[0]*x
	}
	return -x
}

// montgomery is computed with numbers of any size: x*x/R, where R is 2^256, without the last subtraction.
func montgomery(l Launch, args [][]byte) error {
	number := func(words []uint32) *big.Int {
		n := new(big.Int)
		for i := len(words) - 1; i >= 0; i-- {
			n.Or(n.Lsh(n, 32), big.NewInt(int64(words[i])))
		}
		return n
	}
	in, modulus, out := load[uint32](args[0]), number(load[uint32](args[1])), load[uint32](args[3])
	r := new(big.Int).Lsh(big.NewInt(1), 256)
	inverse := new(big.Int).ModInverse(modulus, r)
	inverse.Sub(r, inverse)
	for id := range int(l.items()) {
		x := number(in[8*id : 8*id+8])
		for range value[int32](args[4]) {
			x.Mul(x, x)
			m := new(big.Int).Mul(x, inverse)
			m.Mod(m, r)
			x.Add(x, m.Mul(m, modulus)).Rsh(x, 256)
		}
		for i := range 8 {
			out[8*id+i] = uint32(new(big.Int).Rsh(x, uint(32*i)).Uint64())
		}
	}
	return store(args[3], out)
}
