package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
)

var (
	shuffleFuncs = [isa.NumBanks]opFunc{isa.BankMask: shuffleMask, isa.Bank8: shuffle[uint8], isa.Bank16: shuffle[uint16],
		isa.Bank32: shuffle[uint32], isa.Bank64: shuffle[uint64]}
	shuffleSameFuncs = [isa.NumBanks]opFunc{isa.Bank8: shuffleSame[uint8], isa.Bank16: shuffleSame[uint16],
		isa.Bank32: shuffleSame[uint32], isa.Bank64: shuffleSame[uint64]}
	shuffle2Funcs = [isa.NumBanks]opFunc{isa.BankMask: shuffle2Mask, isa.Bank8: shuffle2[uint8], isa.Bank16: shuffle2[uint16],
		isa.Bank32: shuffle2[uint32], isa.Bank64: shuffle2[uint64]}
	broadcastFirstFuncs = [isa.NumBanks]opFunc{isa.BankMask: broadcastFirstMask, isa.Bank8: broadcastFirst[uint8], isa.Bank16: broadcastFirst[uint16],
		isa.Bank32: broadcastFirst[uint32], isa.Bank64: broadcastFirst[uint64]}
)

// source returns the values of a chunk's lanes, zeros for those that do not
// run. They are copied to room unless they are in place already and stay there
// while the destination is written.
func source[T unsigned](w *wave, k int, r uint32, m uint64, room *[64]T, stays bool) *[64]T {
	a := (*[64]T)(unsafe.Add(w.chunk(k), r))
	switch {
	case m != full:
		clear(room[:])
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			room[i] = a[i]
		}
	case stays:
		return a
	default:
		*room = *a
	}
	return room
}

// wide returns the values of the two chunks of a sub-group of 128 lanes.
func wide[T unsigned](w *wave, k int, r uint32, room *[128]T) {
	source(w, k, r, w.exec[k], (*[64]T)(room[:64]), false)
	if k+1 == len(w.exec) {
		clear(room[64:])
		return
	}
	source(w, k+1, r, w.exec[k+1], (*[64]T)(room[64:]), false)
}

// shuffle gives each lane the value of the one that it names.
func shuffle[T unsigned](w *wave, in *inst) {
	n := w.subgroup()
	if n == maxSubgroup {
		shuffleWide[T](w, in)
		return
	}
	var room [64]T
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]T)(unsafe.Add(base, in.d))
		lane := (*[64]uint32)(unsafe.Add(base, in.b))
		src := source(w, k, in.a, m, &room, in.d != in.a)
		if m = w.masks[in.mask][k]; m == full {
			if in.d == in.b || !shuffleInside(d, src, lane, uint32(n)) {
				shuffleFull(d, src, lane, uint32(n))
			}
			continue
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			j := lane[i]
			if j >= uint32(n) {
				d[i] = 0
				continue
			}
			d[i] = src[(uint32(i)&^(uint32(n)-1)|j)&63]
		}
	}
}

// shuffleInside shuffles if all lanes exist. It says whether they do; d must
// not be lane.
func shuffleInside[T unsigned](d, src *[64]T, lane *[64]uint32, n uint32) bool {
	var all uint32
	for i := uint32(0); i < 64; i += 4 {
		j0, j1, j2, j3 := lane[i], lane[i+1], lane[i+2], lane[i+3]
		d[i] = src[(i&^(n-1)|j0)&63]
		d[i+1] = src[((i+1)&^(n-1)|j1)&63]
		d[i+2] = src[((i+2)&^(n-1)|j2)&63]
		d[i+3] = src[((i+3)&^(n-1)|j3)&63]
		all |= j0 | j1 | j2 | j3
	}
	return all < n
}

func shuffleFull[T unsigned](d, src *[64]T, lane *[64]uint32, n uint32) {
	for i := range d {
		j := lane[i]
		v := src[(uint32(i)&^(n-1)|j)&63]
		if j >= n {
			v = 0
		}
		d[i] = v
	}
}

// shuffleWide is shuffle for sub-groups of 128 lanes.
func shuffleWide[T unsigned](w *wave, in *inst) {
	var room [128]T
	for k, m := range w.exec {
		if k&1 == 0 {
			wide(w, k, in.a, &room)
		}
		d := (*[64]T)(unsafe.Add(w.chunk(k), in.d))
		lane := (*[64]uint32)(unsafe.Add(w.chunk(k), in.b))
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			v := room[lane[i]&127]
			if lane[i] >= maxSubgroup {
				v = 0
			}
			d[i] = v
		}
	}
}

// shuffleSame is shuffle where all lanes name the same one.
func shuffleSame[T unsigned](w *wave, in *inst) {
	n := w.subgroup()
	lane := uint32(w.s[in.b])
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		d := (*[64]T)(unsafe.Add(w.chunk(k), in.d))
		m = w.masks[in.mask][k]
		if n >= 64 {
			fillLanes(d, m, value[T](w, in, k&^(n/64-1), 0, lane, n))
			continue
		}
		part := full >> (64 - n)
		for first := 0; first < 64; first += n {
			if m&(part<<first) != 0 {
				fillLanes(d, m&(part<<first), value[T](w, in, k, first, lane, n))
			}
		}
	}
}

// value returns what operand a of a lane is, for the sub-group of n lanes that
// starts at a lane of chunk k; 0 if the lane does not run.
func value[T unsigned](w *wave, in *inst, k, first int, lane uint32, n int) T {
	if lane >= uint32(n) {
		return 0
	}
	k += int(lane / 64)
	i := first + int(lane%64)
	if k >= len(w.exec) || w.exec[k]>>i&1 == 0 {
		return 0
	}
	return (*[64]T)(unsafe.Add(w.chunk(k), in.a))[i&63]
}

// fillLanes sets the elements of m to v.
func fillLanes[T unsigned](d *[64]T, m uint64, v T) {
	if lo, n := run(m); n >= minDense/2 {
		part := d[lo:][:n]
		for i := range part {
			part[i] = v
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		d[bits.TrailingZeros64(m)&63] = v
	}
}

// shuffle2 takes values of two operands: the lanes of the second follow those
// of the first.
func shuffle2[T unsigned](w *wave, in *inst) {
	n := w.subgroup()
	if n == maxSubgroup {
		shuffle2Wide[T](w, in)
		return
	}
	var room, room2 [64]T
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]T)(unsafe.Add(base, in.d))
		lane := (*[64]uint32)(unsafe.Add(base, in.c))
		a := source(w, k, in.a, m, &room, in.d != in.a)
		b := source(w, k, in.b, m, &room2, in.d != in.b)
		if m = w.masks[in.mask][k]; m == full {
			shuffle2Full(d, a, b, lane, uint32(n))
			continue
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			d[i] = pick2(a, b, uint32(i)&^(uint32(n)-1), lane[i], uint32(n))
		}
	}
}

func shuffle2Full[T unsigned](d, a, b *[64]T, lane *[64]uint32, n uint32) {
	for i := range d {
		d[i] = pick2(a, b, uint32(i)&^(n-1), lane[i], n)
	}
}

func pick2[T unsigned](a, b *[64]T, first, lane, n uint32) T {
	at := (first | lane&(n-1)) & 63
	switch lane / n {
	case 0:
		return a[at]
	case 1:
		return b[at]
	}
	return 0
}

// shuffle2Wide is shuffle2 for sub-groups of 128 lanes.
func shuffle2Wide[T unsigned](w *wave, in *inst) {
	var room [256]T
	for k, m := range w.exec {
		if k&1 == 0 {
			wide(w, k, in.a, (*[128]T)(room[:128]))
			wide(w, k, in.b, (*[128]T)(room[128:]))
		}
		d := (*[64]T)(unsafe.Add(w.chunk(k), in.d))
		lane := (*[64]uint32)(unsafe.Add(w.chunk(k), in.c))
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			v := room[lane[i]&255]
			if lane[i] >= 2*maxSubgroup {
				v = 0
			}
			d[i] = v
		}
	}
}

// broadcastFirst gives all lanes the value of the lowest.
func broadcastFirst[T unsigned](w *wave, in *inst) {
	n := min(w.subgroup(), 64)
	var carry T // of the first half of a sub-group of 128 lanes
	carried := false
	for k, m := range w.exec {
		if k&1 == 0 {
			carried = false
		}
		if m == 0 {
			continue
		}
		d := (*[64]T)(unsafe.Add(w.chunk(k), in.d))
		a := (*[64]T)(unsafe.Add(w.chunk(k), in.a))
		if carried {
			fillLanes(d, m, carry)
			continue
		}
		part := full >> (64 - n)
		for m != 0 {
			i := bits.TrailingZeros64(m)
			set := m & (part << (i &^ (n - 1)))
			v := a[i&63]
			fillLanes(d, set, v)
			m &^= set
			carry = v
		}
		carried = w.subgroup() == maxSubgroup
	}
}

// maskOfPair returns a mask operand of two chunks, zero where lanes do not run.
func (w *wave) maskOfPair(k int, r uint32) (lo, hi uint64) {
	lo, hi = w.pair(k)
	lo &= *(*uint64)(unsafe.Add(w.chunk(k), r))
	if hi != 0 {
		hi &= *(*uint64)(unsafe.Add(w.chunk(k+1), r))
	}
	return lo, hi
}

// shuffleMask is shuffle for booleans.
func shuffleMask(w *wave, in *inst) {
	shuffleBits(w, in, in.b, func(k int) [4]uint64 {
		lo, hi := w.maskOfPair(k, in.a)
		return [4]uint64{lo, hi}
	}, 1)
}

// shuffle2Mask is shuffle2 for booleans.
func shuffle2Mask(w *wave, in *inst) {
	shuffleBits(w, in, in.c, func(k int) [4]uint64 {
		lo, hi := w.maskOfPair(k, in.a)
		lo2, hi2 := w.maskOfPair(k, in.b)
		return [4]uint64{lo, hi, lo2, hi2}
	}, 2)
}

// shuffleBits shuffles booleans: values returns those of the chunk pair at k,
// for each of the windows.
func shuffleBits(w *wave, in *inst, lanes uint32, values func(k int) [4]uint64, windows uint32) {
	n := uint32(w.subgroup())
	var v [4]uint64
	for k, m := range w.exec {
		if n < maxSubgroup || k&1 == 0 {
			v = values(k)
		}
		lane := (*[64]uint32)(unsafe.Add(w.chunk(k), lanes))
		var r uint64
		for set := m; set != 0; set &= set - 1 {
			i := bits.TrailingZeros64(set) & 63
			j := lane[i]
			if j >= windows*n {
				continue
			}
			at := uint32(i)&^(n-1)&63 + j&(n-1)
			r |= v[(j/n*2+at/64)&3] >> (at & 63) & 1 << i
		}
		if m != 0 {
			w.setMask(k, in.d, r, m)
		}
	}
}

// broadcastFirstMask is broadcastFirst for booleans.
func broadcastFirstMask(w *wave, in *inst) {
	n := w.subgroup()
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		a := *(*uint64)(unsafe.Add(w.chunk(k), in.a))
		if n < maxSubgroup {
			w.setMask(k, in.d, anyOf(firstOf(m, n)&a, n), m)
			continue
		}
		// The second half comes after the first, whose result is the same.
		from, reg := k, in.a
		if k&1 != 0 && w.exec[k-1] != 0 {
			from, reg = k-1, in.d
		}
		first := firstOf(w.exec[from], 64)
		v := *(*uint64)(unsafe.Add(w.chunk(from), reg))
		w.setMask(k, in.d, -b2u(v&first != 0), m)
	}
}
