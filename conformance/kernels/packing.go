package kernels

// packingKernels compress bytes.
func packingKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "lz_decode", Module: "packing",
			About:   "Unpacks blocks that copy from themselves: branches on bytes, pointers that walk at different speeds.",
			Outputs: []int{1}, reference: lzDecode,
		}, func(n int) Launch {
			return line(n, 64, noise("u8", 64*n, 1), zeros("u8", 128*n), "i32:64")
		}, [4]int{64, 1 << 10, 1 << 15, 1 << 17}),
		sized(&Kernel{
			Name: "rle_encode", Module: "packing",
			About:   "Packs runs of bytes: while loops and stores at places that differ.",
			Outputs: []int{1, 2}, reference: rleEncode,
		}, func(n int) Launch {
			return line(n, 64, within("u8", 64*n, 1, 0, 1), zeros("u8", 128*n), zeros("i32", n))
		}, [4]int{64, 1 << 11, 1 << 16, 1 << 17}),
	}
}

func lzDecode(l Launch, args [][]byte) error {
	const block = 128
	length := int(value[int32](args[2]))
	for id := range int(l.items()) {
		src, dst := args[0][id*length:(id+1)*length], args[1][id*block:(id+1)*block]
		n := 0
		for len(src) > 1 && n < block {
			token := src[0]
			src = src[1:]
			distance, count := 0, 1
			switch token & 3 {
			case 1:
				distance, count = int(token>>5)+1, int(token>>2&7)+2
			case 3:
				distance, count = int(src[0])+1, int(token>>2)+3
				src = src[1:]
			}
			if distance == 0 || distance > n {
				dst[n] = token
				n++
				continue
			}
			for ; count > 0 && n < block; count-- {
				dst[n] = dst[n-distance]
				n++
			}
		}
		clear(dst[n:])
	}
	return nil
}

func rleEncode(l Launch, args [][]byte) error {
	size := load[int32](args[2])
	for id := range size {
		in, out := args[0][64*id:64*(id+1)], args[1][128*id:]
		n := 0
		for i, c := range in {
			if n > 0 && c == in[i-1] && out[n-2] < 15 {
				out[n-2]++
				continue
			}
			out[n], out[n+1] = 1, c
			n += 2
		}
		size[id] = int32(n)
	}
	return store(args[2], size)
}
