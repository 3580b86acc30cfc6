package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
)

// scanFuncs are the ways to combine consecutive elements, in ascending order.
// x has at least one element; d, of the same length, may be x. Where the order matters to a reduction,
// there are halve, which takes all lanes of a sub-group or cluster and changes d, as long as x, which may be
// x, and what stands for those that do not take part.
type scanFuncs[T any] struct {
	identity  T
	reduce    func(x []T) T
	halve     func(d, x []T) T
	neutral   T
	fold      func(r0, r1, r2, r3 T, x0, x1, x2, x3 []T) (_, _, _, _ T) // reduces four, given what was before
	inclusive func(d, x []T)
	exclusive func(d, x []T, identity T)
}

// do combines the elements of x into d. x may be d.
func (f *scanFuncs[T]) do(kind isa.ScanKind, d, x []T) {
	switch kind {
	case isa.ScanReduce:
		if f.halve == nil {
			fill(d, f.reduce(x))
			return
		}
		fill(d, f.halve(d, x))
	case isa.ScanInclusive:
		f.inclusive(d, x)
	default:
		f.exclusive(d, x, f.identity)
	}
}

// scanner returns the function of an [isa.OpScan].
func scanner[T any](f *scanFuncs[T]) opFunc {
	return func(w *wave, in *inst) {
		kind, _ := in.src.ScanOf()
		n := w.subgroup()
		if in.vectorIndex {
			w.eachSubgroup(func(k, first, n int) { scanSome(w, in, f, kind, k, first, n, n) })
			return
		}
		if in.scale > 0 && in.scale < int64(n) {
			n = int(in.scale) // a cluster is like a sub-group
		}
		rows := reduction[T]{funcs: f, lanes: n}
		together := kind == isa.ScanReduce && f.halve == nil && n >= minRow
		if n == maxSubgroup {
			w.eachSubgroup(func(k, first, n int) {
				switch lo, hi := w.pair(k); {
				case lo&hi != full:
					scanSome(w, in, f, kind, k, first, n, n)
				case together:
					rows.add(w, in, k, 0)
				default:
					scanWide(w, in, f, kind, k)
				}
			})
			rows.finish(w)
			return
		}
		part := full >> (64 - n)
		for k, m := range w.exec {
			if m == 0 {
				continue
			}
			base := w.chunk(k)
			d := (*[64]T)(unsafe.Add(base, in.d))
			a := (*[64]T)(unsafe.Add(base, in.a))
			for m != 0 {
				first := bits.TrailingZeros64(m) &^ (n - 1)
				switch {
				case m>>first&part != part:
					scanSome(w, in, f, kind, k, first, n, n)
				case together:
					rows.add(w, in, k, first)
				default:
					f.do(kind, d[first:][:n], a[first:][:n])
				}
				m &^= part << first
			}
		}
		rows.finish(w)
	}
}

// minRow is the least number of lanes of the sub-groups that are reduced four
// at a time.
const minRow = 8

// reduction reduces sub-groups four at a time: the steps of one wait for each
// other, those of different ones do not.
type reduction[T any] struct {
	funcs *scanFuncs[T]
	lanes int
	rows  int
	x, d  [4]unsafe.Pointer // where the lanes of each are
}

// add reduces the lanes of chunk k from the first on.
func (r *reduction[T]) add(w *wave, in *inst, k, first int) {
	base, at := w.chunk(k), uintptr(first)*unsafe.Sizeof(*new(T))
	r.x[r.rows&3] = unsafe.Add(base, uintptr(in.a)+at)
	r.d[r.rows&3] = unsafe.Add(base, uintptr(in.d)+at)
	if r.rows++; r.rows == 4 {
		r.finish(w)
	}
}

// finish reduces the sub-groups that were added.
func (r *reduction[T]) finish(w *wave) {
	if r.rows == 0 {
		return
	}
	for i := r.rows; i < 4; i++ {
		r.x[i] = r.x[0] // computed in vain
	}
	n := min(r.lanes, 64)
	row := func(i int) []T { return unsafe.Slice((*T)(r.x[i]), n) }
	x0, x1, x2, x3 := row(0), row(1), row(2), row(3)
	r0, r1, r2, r3 := r.funcs.fold(x0[0], x1[0], x2[0], x3[0], x0[1:], x1[1:], x2[1:], x3[1:])
	if r.lanes > n {
		for i := range r.x {
			r.x[i] = unsafe.Add(r.x[i], w.stride)
		}
		r0, r1, r2, r3 = r.funcs.fold(r0, r1, r2, r3, row(0), row(1), row(2), row(3))
	}
	for i, v := range [4]T{r0, r1, r2, r3} {
		if i == r.rows {
			break
		}
		fill(unsafe.Slice((*T)(r.d[i]), n), v)
		if r.lanes > n {
			fill(unsafe.Slice((*T)(unsafe.Add(r.d[i], w.stride)), n), v)
		}
	}
	r.rows = 0
}

// scanWide scans a sub-group of 128 lanes that all run.
func scanWide[T any](w *wave, in *inst, f *scanFuncs[T], kind isa.ScanKind, k int) {
	var v [maxSubgroup]T
	copy(v[:64], (*[64]T)(unsafe.Add(w.chunk(k), in.a))[:])
	copy(v[64:], (*[64]T)(unsafe.Add(w.chunk(k+1), in.a))[:])
	f.do(kind, v[:], v[:])
	copy((*[64]T)(unsafe.Add(w.chunk(k), in.d))[:], v[:64])
	copy((*[64]T)(unsafe.Add(w.chunk(k+1), in.d))[:], v[64:])
}

// scanSome scans a sub-group of which not all lanes need run, or that does not
// lie in one chunk: the values are gathered first.
func scanSome[T any](w *wave, in *inst, f *scanFuncs[T], kind isa.ScanKind, k, first, n, cluster int) {
	var l members
	w.members(&l, k, first, n)
	var v [maxSubgroup]T
	set := func(places []uint8) {
		if kind == isa.ScanReduce && f.halve != nil {
			for i := range cluster {
				v[i] = f.neutral
			}
			for _, p := range places {
				v[int(p)&(cluster-1)] = *at[T](w, k, in.a, p)
			}
			r := f.halve(v[:cluster], v[:cluster])
			for _, p := range places {
				*at[T](w, k, in.d, p) = r
			}
			return
		}
		x := v[:len(places)]
		for i, p := range places {
			x[i] = *at[T](w, k, in.a, p)
		}
		f.do(kind, x, x)
		for i, p := range places {
			*at[T](w, k, in.d, p) = x[i]
		}
	}
	w.parts(in, &l, k, cluster, set)
}

// parts calls f for each set of lanes that are combined: those of a cluster or
// those of a part.
func (w *wave) parts(in *inst, l *members, k, cluster int, f func(places []uint8)) {
	if in.vectorIndex {
		matchParts(w, l, func(p uint8) uint32 { return *at[uint32](w, k, in.b, p) }, f)
		return
	}
	for i := 0; i < l.n; {
		j := i
		for j < l.n && int(l.place[j])/cluster == int(l.place[i])/cluster {
			j++
		}
		f(l.place[i:j])
		i = j
	}
}

// scanMask scans booleans.
func scanMask(w *wave, in *inst) {
	kind, op := in.src.ScanOf()
	n := w.subgroup()
	cluster := n
	if in.scale > 0 && in.scale < int64(n) {
		cluster = int(in.scale)
	}
	if kind == isa.ScanReduce && cluster <= 64 && !in.vectorIndex {
		for k, m := range w.exec {
			if m == 0 {
				continue
			}
			x := *(*uint64)(unsafe.Add(w.chunk(k), in.a))
			switch op {
			case isa.ScanAnd:
				x = ^anyOf(m&^x, cluster)
			case isa.ScanOr:
				x = anyOf(m&x, cluster)
			default:
				x = oddOf(m&x, cluster)
			}
			w.setMask(k, in.d, x, m)
		}
		return
	}
	var l members
	w.eachSubgroup(func(k, first, n int) {
		w.members(&l, k, first, n)
		w.parts(in, &l, k, cluster, func(places []uint8) {
			bit := func(p uint8) bool { return *(*uint64)(unsafe.Add(w.chunk(k+int(p>>6)), in.a))>>(p&63)&1 != 0 }
			set := func(p uint8, v bool) { w.setMask(k+int(p>>6), in.d, -b2u(v), 1<<(p&63)) }
			acc := op == isa.ScanAnd
			for _, p := range places {
				before, x := acc, bit(p)
				switch op {
				case isa.ScanAnd:
					acc = acc && x
				case isa.ScanOr:
					acc = acc || x
				default:
					acc = acc != x
				}
				switch kind {
				case isa.ScanInclusive:
					set(p, acc)
				case isa.ScanExclusive:
					set(p, before)
				}
			}
			if kind == isa.ScanReduce {
				for _, p := range places {
					set(p, acc)
				}
			}
		})
	})
}

// The steps of scans of halves, which round to half.

func addF16(x, y uint16) uint16 { return f64ToF16(f16ToF64(x)+f16ToF64(y), isa.RoundRTE) }

func mulF16(x, y uint16) uint16 { return f64ToF16(f16ToF64(x)*f16ToF64(y), isa.RoundRTE) }

func minF16(x, y uint16) uint16 { return f64ToF16(fmin(f16ToF64(x), f16ToF64(y)), isa.RoundRTE) }

func maxF16(x, y uint16) uint16 { return f64ToF16(fmax(f16ToF64(x), f16ToF64(y)), isa.RoundRTE) }

// quiet makes a NaN the canonical one.

func quiet16(x uint16) uint16 {
	if x&0x7fff > 0x7c00 {
		return 0x7e00
	}
	return x
}

func quiet32(x float32) float32 {
	if x != x {
		return nanF32
	}
	return x
}

func quiet64(x float64) float64 {
	if x != x {
		return nanF64
	}
	return x
}
