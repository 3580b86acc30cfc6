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

// minPick is the least number of lanes of the sub-groups whose lanes are
// shuffled eight at a time.
const minPick = 8

// pick gives the lanes of a chunk the elements that they name, counted from
// where their sub-group's n lanes start in src; those that name none of the limit
// ones get 0. d may be where lane is, not where src is. n and limit are powers
// of two, and n at least minPick.
func pick[T unsigned](d, all, lane unsafe.Pointer, n int, limit uint32) {
	const lanes = minPick
	size := unsafe.Sizeof(T(0))
	for i := 0; i < 64; i += lanes {
		src := unsafe.Add(all, uintptr(i&-n)*size)
		l, r := (*[lanes]uint32)(unsafe.Add(lane, i*4)), (*[lanes]T)(unsafe.Add(d, uintptr(i)*size))
		j0, j1, j2, j3, j4, j5, j6, j7 := l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]
		if j0|j1|j2|j3|j4|j5|j6|j7 < limit {
			r[0] = *(*T)(unsafe.Add(src, uintptr(j0)*size))
			r[1] = *(*T)(unsafe.Add(src, uintptr(j1)*size))
			r[2] = *(*T)(unsafe.Add(src, uintptr(j2)*size))
			r[3] = *(*T)(unsafe.Add(src, uintptr(j3)*size))
			r[4] = *(*T)(unsafe.Add(src, uintptr(j4)*size))
			r[5] = *(*T)(unsafe.Add(src, uintptr(j5)*size))
			r[6] = *(*T)(unsafe.Add(src, uintptr(j6)*size))
			r[7] = *(*T)(unsafe.Add(src, uintptr(j7)*size))
		} else {
			for i, j := range *l {
				v := *(*T)(unsafe.Add(src, uintptr(j&(limit-1))*size))
				if j >= limit {
					v = 0
				}
				r[i] = v
			}
		}
	}
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
		if m = w.masks[in.mask][k]; m == full && n >= minPick {
			pick[T](unsafe.Pointer(d), unsafe.Pointer(src), unsafe.Pointer(lane), n, uint32(n))
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

// shuffleWide is shuffle for sub-groups of 128 lanes.
func shuffleWide[T unsigned](w *wave, in *inst) {
	var room [128]T
	for k := range w.exec {
		if k&1 == 0 {
			wide(w, k, in.a, &room)
		}
		pickWide(w, in, k, in.b, room[:])
	}
}

// pickWide gives the lanes of chunk k the elements of src that register lanes
// names.
func pickWide[T unsigned](w *wave, in *inst, k int, lanes uint32, src []T) {
	d := (*[64]T)(unsafe.Add(w.chunk(k), in.d))
	lane := (*[64]uint32)(unsafe.Add(w.chunk(k), lanes))
	m := w.masks[in.mask][k]
	if m == full {
		pick[T](unsafe.Pointer(d), unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(lane), maxSubgroup, uint32(len(src)))
		return
	}
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		j := uint(lane[i]) // before d[i] is written, which may be the same place
		d[i] = 0
		if j < uint(len(src)) {
			d[i] = src[j]
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
		fill(d[lo:][:n], v)
		return
	}
	for ; m != 0; m &= m - 1 {
		d[bits.TrailingZeros64(m)&63] = v
	}
}

// fill sets all elements to v. T has 1, 2, 4 or 8 bytes and no pointers.
func fill[T any](d []T, v T) {
	const words = 4
	size := unsafe.Sizeof(v)
	p := unsafe.Pointer(unsafe.SliceData(d))
	if n := uintptr(len(d)) * size; n%(8*words) == 0 && uintptr(p)%8 == 0 {
		var x uint64
		switch size {
		case 1:
			x = uint64(*(*uint8)(unsafe.Pointer(&v))) * 0x0101010101010101
		case 2:
			x = uint64(*(*uint16)(unsafe.Pointer(&v))) * 0x0001000100010001
		case 4:
			x = uint64(*(*uint32)(unsafe.Pointer(&v))) * 0x0000000100000001
		default:
			x = *(*uint64)(unsafe.Pointer(&v))
		}
		for all := unsafe.Slice((*uint64)(p), n/8); len(all) >= words; all = all[words:] {
			all[0], all[1], all[2], all[3] = x, x, x, x
		}
		return
	}
	for i := range d {
		d[i] = v
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
	var room [128]T
	size := int(unsafe.Sizeof(T(0)))
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]T)(unsafe.Add(base, in.d))
		lane := (*[64]uint32)(unsafe.Add(base, in.c))
		stay := in.d != in.a && in.d != in.b && m == full
		a := source(w, k, in.a, m, (*[64]T)(room[:64]), stay)
		b := source(w, k, in.b, m, (*[64]T)(room[64:]), stay)
		if m = w.masks[in.mask][k]; m == full && n >= minPick {
			// Both are registers or both in room.
			apart := (uintptr(unsafe.Pointer(b)) - uintptr(unsafe.Pointer(a))) / uintptr(size)
			if uintptr(unsafe.Pointer(b)) < uintptr(unsafe.Pointer(a)) {
				apart = -((uintptr(unsafe.Pointer(a)) - uintptr(unsafe.Pointer(b))) / uintptr(size))
			}
			pickOf2[T](unsafe.Pointer(d), unsafe.Pointer(a), unsafe.Pointer(lane), n, apart)
			continue
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			d[i] = pick2(a, b, uint32(i)&^(uint32(n)-1), lane[i], uint32(n))
		}
	}
}

// pickOf2 is [pick] for two sources, the second so many elements behind the
// first.
func pickOf2[T unsigned](d, all, lane unsafe.Pointer, n int, apart uintptr) {
	const lanes = 4
	size := unsafe.Sizeof(T(0))
	limit, log := uint32(2*n), bits.TrailingZeros32(uint32(n))&31
	apart -= uintptr(n)
	for i := 0; i < 64; i += lanes {
		src := unsafe.Add(all, uintptr(i&-n)*size)
		l, r := (*[lanes]uint32)(unsafe.Add(lane, i*4)), (*[lanes]T)(unsafe.Add(d, uintptr(i)*size))
		j0, j1, j2, j3 := l[0], l[1], l[2], l[3]
		if j0|j1|j2|j3 < limit {
			r[0] = *(*T)(unsafe.Add(src, (uintptr(j0)+uintptr(j0>>log)*apart)*size))
			r[1] = *(*T)(unsafe.Add(src, (uintptr(j1)+uintptr(j1>>log)*apart)*size))
			r[2] = *(*T)(unsafe.Add(src, (uintptr(j2)+uintptr(j2>>log)*apart)*size))
			r[3] = *(*T)(unsafe.Add(src, (uintptr(j3)+uintptr(j3>>log)*apart)*size))
		} else {
			for i, j := range *l {
				r[i] = 0
				if j < limit {
					r[i] = *(*T)(unsafe.Add(src, (uintptr(j)+uintptr(j>>log)*apart)*size))
				}
			}
		}
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
	for k := range w.exec {
		if k&1 == 0 {
			wide(w, k, in.a, (*[128]T)(room[:128]))
			wide(w, k, in.b, (*[128]T)(room[128:]))
		}
		pickWide(w, in, k, in.c, room[:])
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
