package geometry

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// offsets lists the bytes of a box, one by one.
func offsets(b Box) map[uint64]bool {
	m := map[uint64]bool{}
	for z := range b.Slices {
		for y := range b.Rows {
			for x := range b.Bytes {
				m[b.Start+z*b.SlicePitch+y*b.RowPitch+x] = true
			}
		}
	}
	return m
}

func random(r *rand.Rand) Box {
	b := Box{Bytes: 1 + r.Uint64N(4), Rows: 1 + r.Uint64N(3), Slices: 1 + r.Uint64N(3)}
	b.RowPitch = b.Bytes + r.Uint64N(4)
	b.SlicePitch = b.RowPitch * (b.Rows + r.Uint64N(3))
	b.Start = r.Uint64N(20)
	return b
}

func TestOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		a := random(r)
		b := a
		b.Start = r.Uint64N(40)
		want := false
		in := offsets(a)
		for o := range offsets(b) {
			want = want || in[o]
		}
		// Rows may wrap around the pitch without a byte in common; the rule of OpenCL calls that an overlap.
		if got := Overlap(a, b); want && !got {
			t.Fatalf("%+v and %+v have bytes in common, Overlap says no", a, b)
		}
	}
	a := Box{Bytes: 4, Rows: 3, Slices: 1, RowPitch: 8, SlicePitch: 24}
	for start, want := range map[uint64]bool{0: true, 3: true, 4: false, 5: true, 12: false, 20: false, 40: false} {
		b := a
		b.Start = start
		if Overlap(a, b) != want || Overlap(b, a) != want {
			t.Errorf("boxes at 0 and %d: overlap is not %v", start, want)
		}
	}
}

func TestCopyAndFill(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		to := random(r)
		from := to
		from.RowPitch += r.Uint64N(3)
		from.SlicePitch = from.RowPitch * (from.Rows + r.Uint64N(2))
		from.Start = r.Uint64N(9)
		end, _ := to.End()
		far, _ := from.End()
		dst, src := make([]byte, end), make([]byte, far)
		for i := range src {
			src[i] = byte(1 + r.IntN(200))
		}
		Copy(dst, to, src, from)
		want := make([]byte, end)
		for z := range to.Slices {
			for y := range to.Rows {
				for x := range to.Bytes {
					want[to.Start+z*to.SlicePitch+y*to.RowPitch+x] = src[from.Start+z*from.SlicePitch+y*from.RowPitch+x]
				}
			}
		}
		if !bytes.Equal(dst, want) {
			t.Fatalf("copy of %+v to %+v: %v, want %v", from, to, dst, want)
		}
		Fill(dst, to, []byte{7})
		for i := range dst {
			if in := offsets(to)[uint64(i)]; in != (dst[i] == 7) {
				t.Fatalf("fill of %+v: byte %d is %d", to, i, dst[i])
			}
		}
	}
	b := make([]byte, 8)
	Fill(b, Box{Start: 2, Bytes: 6, Rows: 1, Slices: 1}, []byte{1, 2, 3})
	if !bytes.Equal(b, []byte{0, 0, 1, 2, 3, 1, 2, 3}) {
		t.Errorf("pattern of three bytes: %v", b)
	}
}

func TestLimits(t *testing.T) {
	if _, ok := (Box{Start: math.MaxUint64, Bytes: 1, Rows: 1, Slices: 1}).End(); ok {
		t.Error("a box at the end of all addresses has an end")
	}
	if _, ok := (Box{Bytes: 1, Rows: 1 << 40, Slices: 1, RowPitch: 1 << 40}).End(); ok {
		t.Error("a box with a pitch that overflows has an end")
	}
	if _, ok := (Box{RowPitch: 1 << 62}).At(0, 4, 0); ok {
		t.Error("a place that overflows exists")
	}
	if b, ok := (Box{Start: 1, RowPitch: 10, SlicePitch: 100}).At(2, 3, 4); !ok || b.Start != 433 {
		t.Errorf("place %d %v, want 433", b.Start, ok)
	}
}
