package memory

import (
	"math/rand/v2"
	"testing"
)

// TestShadow compares a shadow with a list of undefined bits and origins, through random stores.
func TestShadow(t *testing.T) {
	const size = 61
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := newShadow(size)
		var bits [size]byte
		from := [size/4 + 1]OriginID{}
		if r.IntN(2) == 0 {
			s.Reset(true, 9)
			for i := range bits {
				bits[i] = 0xff
			}
			for i := range from {
				from[i] = 9
			}
		}
		for range 40 {
			n := uint64(1) << r.IntN(4)
			off := r.Uint64N(size + 2)
			switch r.IntN(4) {
			case 1:
				at := []uint64{off, r.Uint64N(size)}
				any := false
				for _, off := range at {
					for i := range n {
						any = any || off+n <= size && bits[off+i] != 0
					}
				}
				if got := s.AnyOf(at, n); got != any {
					t.Fatalf("seed %d: any of %d bytes at %d: %v", seed, n, at, got)
				}
				s.DefineAt(at, n)
				for _, off := range at {
					if off+n <= size {
						clear(bits[off:][:n])
					}
				}
			case 0:
				n = r.Uint64N(size)
				s.Define(off, n)
				if off+n <= size {
					clear(bits[off:][:n])
				}
			default:
				u, id := r.Uint64()&r.Uint64(), OriginID(r.IntN(100)+10)
				if n < 8 {
					u &= 1<<(8*n) - 1
				}
				if r.IntN(2) == 0 {
					u = 0
				}
				s.Store(off, n, u, id)
				if off+n > size {
					continue
				}
				for i := range n {
					if bits[off+i] = byte(u >> (8 * i)); bits[off+i] != 0 {
						from[(off+i)/4] = id
					}
				}
			}
		}
		left := 0
		for i, b := range bits {
			u, id := s.Load(uint64(i), 1)
			if u != uint64(b) || b != 0 && id != from[i/4] {
				t.Fatalf("seed %d, byte %d: %#x from %d, want %#x from %d", seed, i, u, id, b, from[i/4])
			}
			if b != 0 {
				left++
			}
			if s.Any(uint64(i), 1) != (b != 0) {
				t.Fatalf("seed %d, byte %d: any is wrong", seed, i)
			}
		}
		if s.Defined() != (left == 0) || int(s.left.Load()) != left {
			t.Fatalf("seed %d: %d bytes are undefined, counted %d", seed, left, s.left.Load())
		}
		s.Undefined(func(off uint64, b byte, id OriginID) {
			if b != bits[off] || id < 10 {
				t.Fatalf("seed %d, byte %d: %#x from %d is told, want %#x", seed, off, b, id, bits[off])
			}
		})
		if u, _ := s.Load(size-1, 2); u != 0 {
			t.Fatal("bits outside of the allocation")
		}
	}
	var none *Shadow
	if none.Store(0, 4, 1, 1); !none.Defined() {
		t.Error("no shadow, and undefined bits")
	}
}

func TestOrigins(t *testing.T) {
	var table Origins
	root := table.ID(Origin{Kind: OriginPrivate, Number: 3, Padding: true})
	if again := table.ID(Origin{Kind: OriginPrivate, Number: 3, Padding: true}); again != root {
		t.Errorf("one origin has the numbers %d and %d", root, again)
	}
	id := root
	for range 3 { // stores that follow each other in a loop are told once
		for pc := range 2 {
			id = table.Stored(Origin{Number: pc}, id)
		}
	}
	o, stores := table.Root(id)
	if o.Kind != OriginPrivate || o.Number != 3 {
		t.Errorf("the root is %+v", o)
	}
	if len(stores) == 0 || len(stores) > maxCopies || stores[0].Number != 1 || !stores[0].Padding {
		t.Errorf("stores are %+v", stores)
	}
	for pc := range 100 {
		id = table.Stored(Origin{Number: pc}, id)
	}
	if o, stores := table.Root(id); o.Kind != OriginPrivate || len(stores) > maxCopies+1 || stores[0].Number != 99 {
		t.Errorf("after many stores: root %+v, stores %+v", o, stores)
	}
	if o, _ := table.Root(0); o != (Origin{}) {
		t.Errorf("no origin comes from %+v", o)
	}
}

func TestPoisonByte(t *testing.T) {
	seen := map[byte]bool{}
	for off := range uint64(64) {
		b := PoisonByte(5, off)
		if seen[b] = true; b == 0 || b != PoisonByte(5, off) {
			t.Errorf("byte %d is %#x", off, b)
		}
	}
	if len(seen) < 8 {
		t.Errorf("%d different bytes", len(seen))
	}
}
