package kernels

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"hash/crc32"
	"math/bits"
)

// cryptoKernels work on integers and bytes, each checked against the standard
// library or a published test vector.
func cryptoKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "sha256", Module: "sha256", Entry: "sha256",
			About: "SHA-256 of one message a work-item: rotations, byte arrays, a constant table.",
			Launch: Launch{Global: []uint64{16}, Local: []uint64{8},
				Args: []string{"rand:u8:1920:1", "u32:120", "zero:u8:512"}},
			Bench: []Launch{{Global: []uint64{1 << 14}, Local: []uint64{64},
				Args: []string{"rand:u8:1048576:1", "u32:64", "zero:u8:524288"}}},
			Outputs: []int{2},
			reference: func(l Launch, args [][]byte) error {
				n := uint64(value[uint32](args[1]))
				for i := range l.items() {
					digest := sha256.Sum256(args[0][i*n : (i+1)*n])
					copy(args[2][i*32:(i+1)*32], digest[:])
				}
				return nil
			},
		},
		{
			Name: "aes128_ctr", Module: "aes128", Entry: "aes128_ctr",
			About: "AES-128 in counter mode: bytes in private and local memory, vector arguments by value.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{16},
				Args: []string{"buf:u8:0x2b,0x7e,0x15,0x16,0x28,0xae,0xd2,0xa6,0xab,0xf7,0x15,0x88,0x09,0xcf,0x4f,0x3c",
					"bytes:f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "rand:u8:512:2", "zero:u8:512"}},
			Bench: []Launch{{Global: []uint64{1 << 14}, Local: []uint64{64},
				Args: []string{"rand:u8:16:1", "bytes:f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "rand:u8:262144:2", "zero:u8:262144"}}},
			Outputs: []int{3},
			reference: func(l Launch, args [][]byte) error {
				block, err := aes.NewCipher(args[0])
				if err != nil {
					return err
				}
				n := 16 * l.items()
				cipher.NewCTR(block, args[1]).XORKeyStream(args[3][:n], args[2][:n])
				return nil
			},
		},
		{
			Name: "philox", Module: "philox", Entry: "philox",
			About: "Philox4x32-10 random numbers: high halves of products, vectors of integers.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
				Args: []string{"zero:u32:1024", "u32:2757139114,4021530837", "u32:4"}},
			Bench: []Launch{{Global: []uint64{1 << 16}, Local: []uint64{64},
				Args: []string{"zero:u32:4m", "u32:2757139114,4021530837", "u32:16"}}},
			Outputs: []int{0},
			reference: func(l Launch, args [][]byte) error {
				out, key := load[uint32](args[0]), load[uint32](args[1])
				each := uint64(value[uint32](args[2]))
				for i := range l.items() * each {
					c := philox4x32([4]uint32{uint32(i / each), uint32(i % each), 0x243f6a88, 0x85a308d3}, [2]uint32{key[0], key[1]})
					copy(out[4*i:], c[:])
				}
				return store(args[0], out)
			},
		},
		crcKernel("crc32_bits", "CRC-32 bit by bit: a data-dependent select in a loop."),
		crcKernel("crc32_table", "CRC-32 by a table in local memory: gathers of divergent indices."),
	}
}

func crcKernel(entry, about string) *Kernel {
	return &Kernel{
		Name: entry, Module: "crc32", Entry: entry, About: about,
		Launch: Launch{Global: []uint64{24}, Local: []uint64{8},
			Args: []string{"rand:u8:960:3", "u32:40", "zero:u32:24"}},
		Bench: []Launch{{Global: []uint64{1 << 14}, Local: []uint64{64},
			Args: []string{"rand:u8:4194304:3", "u32:256", "zero:u32:16384"}}},
		Outputs: []int{2},
		reference: func(l Launch, args [][]byte) error {
			out := load[uint32](args[2])
			n := uint64(value[uint32](args[1]))
			for i := range l.items() {
				out[i] = crc32.ChecksumIEEE(args[0][i*n : (i+1)*n])
			}
			return store(args[2], out)
		},
	}
}

// philox4x32 is the generator Philox4x32-10.
func philox4x32(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		hi0, lo0 := bits.Mul32(0xd2511f53, c[0])
		hi1, lo1 := bits.Mul32(0xcd9e8d57, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k[0], lo1, hi0 ^ c[3] ^ k[1], lo0}
		k[0] += 0x9e3779b9
		k[1] += 0xbb67ae85
	}
	return c
}
