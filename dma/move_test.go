package dma

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// TestLines moves lines of all small sizes, between address spaces and inside of one, and compares with bytes one by one.
func TestLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	spaces := []memory.Space{memory.SpaceGlobal, memory.SpaceLocal}
	for size := range uint64(130) {
		for _, space := range spaces {
			s := shape{line: size, lines: 1 + rng.Uint64N(20), planes: 1}
			s.dst = side{at: memory.MakePointer(space, 1, 0), line: size + rng.Uint64N(20)}
			s.src = side{at: memory.MakePointer(spaces[0], 1, 0), line: size + rng.Uint64N(20)}
			src, dst := make([]byte, s.extent(&s.src)), make([]byte, s.extent(&s.dst))
			for i := range src {
				src[i] = byte(rng.Uint32())
			}
			want := bytes.Clone(dst)
			for l := range s.lines {
				for i := range size {
					want[l*s.dst.line+i] = src[l*s.src.line+i]
				}
			}
			if s.copyLines(dst, src, s.lines); !bytes.Equal(dst, want) {
				t.Errorf("%d lines of %d bytes to space %d are wrong", s.lines, size, space)
			}
		}
	}
}

// TestNext holds that a unit begins the next group as it began the first.
func TestNext(t *testing.T) {
	u, tile, image, all := benchGroup(t, Config{})
	if !u.Immediate() {
		t.Error("copies that are made early, without checks or tracer, are not made at once")
	}
	c := copy2D(tile, image, 64, 4)
	some := Items{Mask: []uint64{1}}
	first, _, f := u.GroupCopy(0, c, 0, all)
	if f != nil || !u.Even() {
		t.Errorf("all have made a copy: %v, even: %v", f, u.Even())
	}
	if _, _, f = u.GroupCopy(0, c, 0, some); f != nil || u.Even() {
		t.Errorf("one of them has made another: %v, even: %v", f, u.Even())
	}
	u.Next(7)
	if u.group.Linear != 7 || !u.Even() {
		t.Errorf("the next group has number %d, want 7; even: %v", u.group.Linear, u.Even())
	}
	if again, _, f := u.GroupCopy(0, c, 0, all); f != nil || again != first {
		t.Errorf("its first copy has event %d, %v, want %d", again, f, first)
	}
	u.GroupCopy(0, c, 0, some)
	if u.Barrier(0); !u.Even() {
		t.Error("a barrier does not make all even")
	}
}

// TestImmediate holds who waits for copies.
func TestImmediate(t *testing.T) {
	for _, c := range []Config{{Completion: Late}, {Completion: Seeded}, {Completion: Paced}, {Tracer: struct{ Tracer }{}}} {
		if New(c).Immediate() {
			t.Errorf("copies of %+v are made at once", c)
		}
	}
}
