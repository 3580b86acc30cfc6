package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Operations across the lanes of a sub-group see sub-groups only: the size is
// that of the launch, a power of two up to 128, and a wave starts where a
// sub-group does. Up to 64 lanes a sub-group lies inside a chunk; one of 128
// takes two. The lanes that take part are those that run, exactly.

// maxSubgroup is the largest sub-group, in lanes.
const maxSubgroup = 128

// subgroup returns the sub-group size of the launch.
func (w *wave) subgroup() int { return min(max(w.group.Launch.SubgroupSize, 1), maxSubgroup) }

// cross decodes an operation across lanes.
func (d *decoder) cross(in inst) {
	s := in.src
	if d.check && checksCross(s) {
		c := in
		c.fn = checkCross
		d.emit(c)
	}
	// vector returns the place of an operand, as a vector.
	vector := func(n int, r isa.Reg, t isa.Type) uint32 {
		if r.IsScalar() {
			return d.spread(n, r, t)
		}
		return d.operand(r, t)
	}
	bank := s.Type.Bank()
	switch s.Op {
	case isa.OpShuffle:
		in.d, in.a = d.operand(s.Dst, s.Type), vector(0, s.A, s.Type)
		in.fn = shuffleFuncs[bank]
		if s.B.IsScalar() && bank != isa.BankMask {
			in.fn = shuffleSameFuncs[bank]
			in.b = d.operand(s.B, isa.I32)
			break
		}
		in.b = vector(1, s.B, isa.I32)
	case isa.OpShuffle2:
		in.d, in.a, in.b = d.operand(s.Dst, s.Type), vector(0, s.A, s.Type), vector(1, s.B, s.Type)
		in.c = vector(2, s.C, isa.I32)
		in.fn = shuffle2Funcs[bank]
	case isa.OpBroadcastFirst:
		in.d, in.a = d.operand(s.Dst, s.Type), vector(0, s.A, s.Type)
		in.fn = broadcastFirstFuncs[bank]
	case isa.OpBallot:
		in.d, in.a = d.operand(s.Dst, isa.I32), d.operand(s.A, isa.B1)
		if s.A.IsScalar() {
			in.scalars = 1
		}
		in.fn = ballot
	case isa.OpElect:
		in.d, in.fn = d.operand(s.Dst, isa.B1), elect
	case isa.OpVote:
		in.d = d.operand(s.Dst, isa.B1)
		if s.Type == isa.B1 {
			in.a = d.operand(s.A, isa.B1)
			if s.A.IsScalar() {
				in.scalars = 1
			}
			in.fn = voteMask
			break
		}
		in.a, in.fn = vector(0, s.A, s.Type), voteFuncs[s.Type]
	case isa.OpMatch:
		in.d = d.operand(s.Dst, isa.I32)
		in.a, in.fn = vector(0, s.A, s.Type), matchFuncs[bank]
	case isa.OpScan:
		in.d, in.a = d.operand(s.Dst, s.Type), vector(0, s.A, s.Type)
		if s.B != isa.None {
			in.b = vector(1, s.B, isa.I32)
			in.vectorIndex = true
		}
		in.scale = int64(s.Scale)
		_, op := s.ScanOf()
		in.fn = scanTable[op][s.Type]
		if s.Type == isa.B1 {
			in.fn = scanMask
		}
	case isa.OpBlockLoad:
		d.addressing(&in)
		d.raceAccess(in)
		in.d, in.fn = d.operand(s.Dst, s.Type), blockLoadFuncs[bank]
	case isa.OpBlockStore:
		d.addressing(&in)
		d.raceAccess(in)
		in.c, in.fn = vector(0, s.C, s.Type), blockStoreFuncs[bank]
	}
	d.emit(in)
}

// The functions below work on one word of lanes that holds whole sub-groups of
// n lanes, 64 at most.

// firstBits has, by the logarithm of n, the first lane of each sub-group.
var firstBits = [7]uint64{full, 0x5555555555555555, 0x1111111111111111, 0x0101010101010101, 0x0001000100010001, 0x0000000100000001, 1}

// spreadFirst gives all lanes of a sub-group the bit of its first; the others
// are 0.
func spreadFirst(x uint64, n int) uint64 { return x<<(n&127) - x }

// anyOf sets all lanes of the sub-groups of which x has any.
func anyOf(x uint64, n int) uint64 {
	for s := 1; s < n; s *= 2 {
		x |= x >> (s & 63)
	}
	return spreadFirst(x&firstBits[bits.TrailingZeros8(uint8(n))], n)
}

// oddOf sets all lanes of the sub-groups of which x has an odd number.
func oddOf(x uint64, n int) uint64 {
	for s := 1; s < n; s *= 2 {
		x ^= x >> (s & 63)
	}
	return spreadFirst(x&firstBits[bits.TrailingZeros8(uint8(n))], n)
}

// firstOf returns the lowest lane of each sub-group that x has any of.
func firstOf(x uint64, n int) uint64 {
	if n == 1 {
		return x
	}
	var r uint64
	for x != 0 {
		i := bits.TrailingZeros64(x)
		r |= 1 << i
		x &^= (1<<n - 1) << (i &^ (n - 1))
	}
	return r
}

// setMask stores the lanes m of a mask register.
func (w *wave) setMask(k int, d uint32, x, m uint64) {
	p := (*uint64)(unsafe.Add(w.chunk(k), d))
	*p = *p&^m | x&m
}

// pair returns the running lanes of chunk k and of the one behind it.
func (w *wave) pair(k int) (lo, hi uint64) {
	if k+1 < len(w.exec) {
		hi = w.exec[k+1]
	}
	return w.exec[k], hi
}

// ballot makes a word of the set of lanes for which a is set.
func ballot(w *wave, in *inst) {
	n := w.subgroup()
	word := int(in.imm)
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]uint32)(unsafe.Add(base, in.d))
		from := k
		if n == maxSubgroup {
			from = k&^1 + word/2
		}
		var x uint64
		if from < len(w.exec) && (n == maxSubgroup || word*32 < n) {
			x = w.word(in, 1, w.chunk(from), in.a) & w.exec[from] >> (word & 1 * 32)
		}
		if n <= 32 {
			ballotSmall(d, x, n, w.masks[in.mask][k])
			continue
		}
		if m = w.masks[in.mask][k]; m == full {
			fill(d[:], uint32(x))
			continue
		}
		for ; m != 0; m &= m - 1 {
			d[bits.TrailingZeros64(m)&63] = uint32(x)
		}
	}
}

// ballotSmall is ballot for sub-groups of at most 32 lanes.
func ballotSmall(d *[64]uint32, x uint64, n int, m uint64) {
	keep := uint32(1<<n - 1)
	switch {
	case m != full:
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			d[i] = uint32(x>>(i&^(n-1)&63)) & keep
		}
	case n >= 8:
		for i := 0; i < 64; i += n {
			v := uint32(x>>(i&63)) & keep
			fill(d[i:][:n], v)
		}
	default:
		for i := range d {
			d[i] = uint32(x>>(i&^(n-1)&63)) & keep
		}
	}
}

// elect chooses the lowest lane of each sub-group.
func elect(w *wave, in *inst) {
	n := w.subgroup()
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		x := firstOf(m, min(n, 64))
		if n == maxSubgroup && k&1 != 0 && w.exec[k-1] != 0 {
			x = 0
		}
		w.setMask(k, in.d, x, m)
	}
}

// voteMask asks the lanes for a boolean.
func voteMask(w *wave, in *inst) {
	n := w.subgroup()
	vote := isa.Vote(in.imm)
	if n < maxSubgroup {
		for k, m := range w.exec {
			if m == 0 {
				continue
			}
			x := w.word(in, 1, w.chunk(k), in.a)
			all := ^anyOf(m&^x, n)
			switch vote {
			case isa.VoteAny:
				all = anyOf(m&x, n)
			case isa.VoteAllEqual:
				all |= ^anyOf(m&x, n)
			}
			w.setMask(k, in.d, all, m)
		}
		return
	}
	for k := 0; k < len(w.exec); k += 2 {
		lo, hi := w.pair(k)
		x, y := w.word(in, 1, w.chunk(k), in.a), uint64(0)
		if hi != 0 {
			y = w.word(in, 1, w.chunk(k+1), in.a)
		}
		all, none := lo&^x|hi&^y == 0, lo&x|hi&y == 0
		r := all
		switch vote {
		case isa.VoteAny:
			r = !none
		case isa.VoteAllEqual:
			r = all || none
		}
		w.setMask(k, in.d, -b2u(r), lo)
		if hi != 0 {
			w.setMask(k+1, in.d, -b2u(r), hi)
		}
	}
}

// members is the list of lanes of a sub-group that take part, as places behind
// the first lane of its chunk.
type members struct {
	n     int
	place [maxSubgroup]uint8
}

// members lists the running lanes among the n that start at a lane of chunk k.
func (w *wave) members(l *members, k, first, n int) {
	l.n = 0
	m := w.exec[k] >> first
	if n < 64 {
		m &= 1<<n - 1
	}
	for ; m != 0; m &= m - 1 {
		l.place[l.n&127] = uint8(first + bits.TrailingZeros64(m))
		l.n++
	}
	if n == maxSubgroup && k+1 < len(w.exec) {
		for m := w.exec[k+1]; m != 0; m &= m - 1 {
			l.place[l.n&127] = uint8(64 + bits.TrailingZeros64(m))
			l.n++
		}
	}
}

// at returns the element of a vector register at a place behind the first lane
// of chunk k.
func at[T any](w *wave, k int, r uint32, place uint8) *T {
	p := unsafe.Add(w.chunk(k+int(place>>6)), r)
	return (*T)(unsafe.Add(p, uintptr(place&63)*unsafe.Sizeof(*new(T))))
}

// eachSubgroup calls f for each sub-group of which lanes run, with the chunk
// and the lane in it at which it starts.
func (w *wave) eachSubgroup(f func(k, first, n int)) {
	n := w.subgroup()
	step := max(n/64, 1)
	for k := 0; k < len(w.exec); k += step {
		if n == maxSubgroup {
			if lo, hi := w.pair(k); lo|hi != 0 {
				f(k, 0, n)
			}
			continue
		}
		for m := w.exec[k]; m != 0; {
			first := bits.TrailingZeros64(m) &^ (n - 1)
			f(k, first, n)
			m &^= (full >> (64 - n)) << first
		}
	}
}

// voteEqual asks whether all lanes have the same value.
func voteEqual[T any](equal func(x, y T) bool) opFunc {
	return func(w *wave, in *inst) {
		var l members
		w.eachSubgroup(func(k, first, n int) {
			w.members(&l, k, first, n)
			same := true
			x := *at[T](w, k, in.a, l.place[0])
			for _, p := range l.place[:l.n] {
				same = same && equal(x, *at[T](w, k, in.a, p))
			}
			for _, p := range l.place[:l.n] {
				b := uint64(1) << (p & 63)
				w.setMask(k+int(p>>6), in.d, -b2u(same), b)
			}
		})
	}
}

func equal[T comparable](x, y T) bool { return x == y }

var voteFuncs = [isa.F64 + 1]opFunc{
	isa.I8: voteEqual(equal[uint8]), isa.I16: voteEqual(equal[uint16]), isa.I32: voteEqual(equal[uint32]), isa.I64: voteEqual(equal[uint64]),
	isa.F16: voteEqual(func(x, y uint16) bool { return f16ToF64(x) == f16ToF64(y) }),
	isa.F32: voteEqual(equal[float32]), isa.F64: voteEqual(equal[float64]),
}

// match makes a word of the set of lanes that have the same bits.
func match[T comparable](w *wave, in *inst) {
	word := uint8(in.imm)
	var l members
	w.eachSubgroup(func(k, first, n int) {
		w.members(&l, k, first, n)
		matchParts(w, &l, func(p uint8) T { return *at[T](w, k, in.a, p) }, func(set []uint8) {
			var v uint32
			for _, p := range set {
				if lane := p - uint8(first); lane/32 == word {
					v |= 1 << (lane % 32)
				}
			}
			for _, p := range set {
				*at[uint32](w, k, in.d, p) = v
			}
		})
	})
}

// matchParts calls f for each set of lanes with the same value. What f writes
// must not be read again.
func matchParts[T comparable](w *wave, l *members, value func(place uint8) T, f func(set []uint8)) {
	var v [maxSubgroup]T
	for i, p := range l.place[:l.n] {
		v[i] = value(p)
	}
	var done [maxSubgroup]bool
	var set [maxSubgroup]uint8
	for i := range l.n {
		if done[i] {
			continue
		}
		n := 0
		for j := i; j < l.n; j++ {
			if v[j] == v[i] {
				done[j] = true
				set[n] = l.place[j]
				n++
			}
		}
		f(set[:n])
	}
}

// matchMask is match for booleans.
func matchMask(w *wave, in *inst) {
	word := uint8(in.imm)
	var l members
	w.eachSubgroup(func(k, first, n int) {
		w.members(&l, k, first, n)
		var v [2]uint32
		bit := func(p uint8) uint64 { return *(*uint64)(unsafe.Add(w.chunk(k+int(p>>6)), in.a)) >> (p & 63) & 1 }
		for _, p := range l.place[:l.n] {
			if lane := p - uint8(first); lane/32 == word {
				v[bit(p)] |= 1 << (lane % 32)
			}
		}
		for _, p := range l.place[:l.n] {
			*at[uint32](w, k, in.d, p) = v[bit(p)]
		}
	})
}

var matchFuncs = [isa.NumBanks]opFunc{isa.BankMask: matchMask, isa.Bank8: match[uint8], isa.Bank16: match[uint16], isa.Bank32: match[uint32], isa.Bank64: match[uint64]}
