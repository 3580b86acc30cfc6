package dma

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// loads is a bed in which single work-items or a whole wave load to LDS, one
// slot of 4 bytes for each lane and load.
type loads struct {
	*bed
	now uint64
	n   int
}

func newLoads(t *testing.T, cfg Config, items int) *loads {
	l := &loads{bed: newBed(t, cfg, items, items)}
	clear(l.data(l.tile))
	return l
}

// load issues a load by the items into slot n of the tile.
func (l *loads) load(it Items) (slot int) {
	l.now++
	var dst, src [64]memory.Pointer
	slot = l.n
	l.n++
	for i := range dst {
		at := int64(slot*l.group.Items+it.First+i) * 4
		dst[i], src[i] = l.tile.Add(at), l.in.Add(at)
	}
	_, _, f := l.LaneCopy(l.now, &LaneCopy{PC: 100 + slot, Name: "load", Async: true, Size: 4}, it, dst[:], src[:])
	if f != nil {
		panic(f)
	}
	return slot
}

// outstanding returns which slots work-item i may not read, as the checks see it.
func (l *loads) outstanding(i int) string {
	var list []int
	for s := range l.n {
		*l.sink = testSink{}
		l.Access(l.now, 1, memory.AccessRead, i, l.tile.Add(int64(s*l.group.Items+i)*4), 4)
		if len(l.sink.list) > 0 {
			list = append(list, s)
		}
	}
	*l.sink = testSink{}
	return fmt.Sprint(list)
}

// check compares the slots that are outstanding for work-item i, and looks at
// the bytes of the others.
func (l *loads) check(t *testing.T, what string, i int, want string) {
	t.Helper()
	if got := l.outstanding(i); got != want {
		t.Errorf("%s: item %d has %s outstanding, want %s", what, i, got, want)
	}
	tile, in := l.data(l.tile), l.data(l.in)
	for s := range l.n {
		at := (s*l.group.Items + i) * 4
		done := bytes.Equal(tile[at:at+4], in[at:at+4])
		known := !bytes.Contains([]byte(want), fmt.Appendf(nil, "%d", s))
		if known && !done {
			t.Errorf("%s: slot %d of item %d is not there", what, s, i)
		}
		if !known && done && l.cfg.Completion == Late {
			t.Errorf("%s: slot %d of item %d is there, although it is to be late", what, s, i)
		}
	}
}

func (l *loads) mark(seq int, it Items) { l.now++; l.Mark(l.now, 200+int(l.now), seq, it) }

func (l *loads) wait(seq, n int, it Items) { l.now++; l.now += l.WaitMark(l.now, 300, seq, n, it) }

// TestUnevenBlocks is the first example of the specification.
func TestUnevenBlocks(t *testing.T) {
	every(t, func(t *testing.T, cfg Config) {
		l, it := newLoads(t, cfg, 8), some(0, 0, 8)
		l.Scope(0, it)
		for _, n := range []int{3, 5, 2} {
			for range n {
				l.load(it)
			}
			l.mark(0, it)
		}
		l.wait(0, 3, it)
		l.check(t, "three may be outstanding", 7, "[0 1 2 3 4 5 6 7 8 9]")
		l.wait(0, 2, it)
		l.check(t, "first block", 0, "[3 4 5 6 7 8 9]")
		l.wait(0, 1, it)
		l.check(t, "second block", 0, "[8 9]")
		l.wait(0, 0, it)
		l.check(t, "third block", 0, "[]")
		l.End(l.now)
		l.want(t, "")
	})
}

// TestPipeline is the second example of the specification.
func TestPipeline(t *testing.T) {
	every(t, func(t *testing.T, cfg Config) {
		l, it := newLoads(t, cfg, 8), some(0, 0, 8)
		for range 3 {
			l.load(it)
			l.mark(0, it)
		}
		for i := range 4 {
			l.wait(0, 2, it)
			l.check(t, "loop", 3, fmt.Sprintf("[%d %d]", i+1, i+2))
			l.load(it)
			l.mark(0, it)
		}
		l.wait(0, 2, it)
		l.check(t, "flush", 3, "[5 6]")
		l.wait(0, 1, it)
		l.check(t, "flush", 3, "[6]")
		l.wait(0, 0, it)
		l.check(t, "flush", 3, "[]")
	})
}

// TestCalls is the third example, and the one about inlining: marks of a callee
// are in its own sequence, its loads are the item's.
func TestCalls(t *testing.T) {
	every(t, func(t *testing.T, cfg Config) {
		l, it := newLoads(t, cfg, 8), some(0, 0, 8)
		l.Scope(0, it)
		l.load(it) // 0
		l.mark(0, it)
		l.load(it) // 1
		l.mark(0, it)
		bar := func() {
			l.Scope(1, it)
			l.load(it) // 2, 3
			l.mark(1, it)
			l.load(it)
			l.mark(1, it)
		}
		bar()
		l.load(it) // 4
		l.mark(0, it)
		l.wait(0, 1, it)
		l.check(t, "at least the second block", 0, "[2 3 4]")
		l.wait(0, 0, it)
		l.check(t, "the third block with the callee's", 0, "[]")

		l = newLoads(t, cfg, 8)
		l.load(it)
		l.mark(0, it) // B
		l.load(it)
		l.mark(0, it) // C
		l.Scope(1, it)
		l.mark(1, it) // A
		l.wait(0, 1, it)
		l.check(t, "waits for B", 0, "[1]")

		// A body that is entered again begins with an empty sequence.
		l = newLoads(t, cfg, 8)
		for i := range 3 {
			l.Scope(1, it)
			l.load(it)
			l.mark(1, it)
			l.wait(1, 1, it)
			l.check(t, "again", 0, []string{"[0]", "[0 1]", "[0 1 2]"}[i])
		}
	})
}

// TestDivergentMarks checks that each work-item has its own program order.
func TestDivergentMarks(t *testing.T) {
	every(t, func(t *testing.T, cfg Config) {
		l, it := newLoads(t, cfg, 8), some(0, 0, 8)
		low, high := pick(0, 0, 0x0f), pick(0, 0, 0xf0)
		l.load(it) // 0
		l.mark(0, it)
		l.load(it) // 1
		l.mark(0, high)
		l.load(it) // 2
		l.mark(0, it)
		l.wait(0, 1, it)
		l.cfg.Completion, cfg.Completion = Early, Early // bytes of some lanes come with those of others
		l.check(t, "low", 0, "[1 2]")
		l.check(t, "high", 7, "[2]")
		l.wait(0, 0, low)
		l.check(t, "low", 3, "[]")
		l.check(t, "high", 4, "[2]")
		l.Scope(0, pick(0, 0, 0x30))
		l.wait(0, 0, high)
		l.check(t, "left out by its scope", 5, "[2]")
		l.check(t, "high", 6, "[]")
		l.mark(0, pick(0, 0, 0x10))
		l.wait(0, 0, high)
		l.check(t, "left out by its scope", 5, "[2]")
		l.check(t, "marked again", 4, "[]")
	})
}

// TestManyMarks checks that a wave's marks stay few, and that waits that count
// forgotten ones wait for enough.
func TestManyMarks(t *testing.T) {
	l, it := newLoads(t, Config{Completion: Late, Check: true}, 8), some(0, 0, 8)
	l.load(it)
	for range 3 * maxMarks {
		l.mark(0, it)
	}
	if n := len(l.wave(0).marks); n > maxMarks {
		t.Errorf("%d marks", n)
	}
	l.wait(0, 2*maxMarks, it)
	l.check(t, "forgotten marks", 0, "[]")
	l.mark(0, it)
	l.mark(0, it)
	if n := len(l.wave(0).marks); n > 64 {
		t.Errorf("%d marks are left after the wait", n)
	}
	// Marks with nothing before them are not kept.
	l = newLoads(t, Config{Completion: Late}, 8)
	for range 100 {
		l.mark(0, it)
	}
	if n := len(l.wave(0).marks); n != 0 {
		t.Errorf("%d marks of nothing", n)
	}
}

// TestLaneCopies checks what lane copies move: sizes, zeros, slots with gaps,
// stores, and those that are done at once.
func TestLaneCopies(t *testing.T) {
	every(t, func(t *testing.T, cfg Config) {
		for _, size := range []int{1, 2, 4, 8, 12, 16} {
			for _, async := range []bool{true, false} {
				for _, store := range []bool{true, false} {
					b := newBed(t, cfg, 16, 16)
					ref := newBed(t, cfg, 16, 16)
					var dst, src [16]memory.Pointer
					it := pick(0, 0, 0xa7f3)
					for i := range dst {
						lds, global := b.tile.Add(int64(i)*16), b.out.Add(int64(i*i)*16)
						dst[i], src[i] = lds, global
						if store {
							dst[i], src[i] = global, lds
						} else if i%5 == 0 {
							src[i] = ZeroFill
						}
						if !it.has(i) {
							continue
						}
						to := ref.data(dst[i])[dst[i].Offset():][:size]
						if src[i] == ZeroFill {
							clear(to)
						} else {
							copy(to, ref.data(src[i])[src[i].Offset():])
						}
					}
					c := &LaneCopy{Name: "load", Async: async, Store: store, Size: size}
					if _, _, f := b.LaneCopy(1, c, it, dst[:], src[:]); f != nil {
						t.Fatal(f)
					}
					if async {
						b.Mark(2, 2, 0, it)
						b.WaitMark(3, 3, 0, 0, it)
					}
					if !bytes.Equal(b.image(), ref.image()) {
						t.Errorf("size %d, async %v, store %v: memory differs", size, async, store)
					}
					b.End(4)
					b.want(t, "")
				}
			}
		}
	})
}
