package dma

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// TestEvents checks that a wait completes the copies of its event, new and
// joined ones, under every completion.
func TestEvents(t *testing.T) {
	every(t, func(t *testing.T, cfg Config) {
		b := newBed(t, cfg, 64, 32)
		all := some(0, 0, 64)
		in := bytes.Clone(b.data(b.in))
		e1, _, _ := b.GroupCopy(1, linear(1, b.tile, b.in, 100), 0, all)
		e2, _, _ := b.GroupCopy(2, linear(2, b.tile.Add(100), b.in.Add(100), 200), 0, all)
		e3, _, _ := b.GroupCopy(3, linear(3, b.tile.Add(500), b.in.Add(500), 50), e1, all)
		if e1 != 1 || e2 != 2 || e3 != e1 {
			t.Errorf("events %d, %d, %d", e1, e2, e3)
		}
		old := bytes.Clone(b.data(b.tile)[100:300])
		b.GroupWait(4, 4, e1, all)
		if !bytes.Equal(b.data(b.tile)[:100], in[:100]) || !bytes.Equal(b.data(b.tile)[500:550], in[500:550]) {
			t.Error("a copy of the event is not done after the wait")
		}
		if cfg.Completion == Late && !bytes.Equal(b.data(b.tile)[100:300], old) {
			t.Error("a copy of another event is done, although it is to be late")
		}
		b.GroupWait(5, 5, 0, all)
		b.GroupWait(6, 6, e2, all)
		if !bytes.Equal(b.data(b.tile)[:300], in[:300]) {
			t.Error("the second copy is not done")
		}
		if len(b.queue) != 0 {
			t.Errorf("%d transfers are left", len(b.queue))
		}
		b.End(7)
		b.want(t, "E-ASYNCEVENT@5")
	})
}

// TestMatching checks that the k-th copy of each wave is one copy.
func TestMatching(t *testing.T) {
	every(t, func(t *testing.T, cfg Config) {
		b := newBed(t, cfg, 96, 32)
		trace := &testTracer{}
		b.cfg.Tracer = trace
		var events [3][]uint64
		// Wave 1 runs ahead, wave 2 behind.
		for _, w := range []int{1, 1, 1, 0, 2, 0, 0, 2, 2} {
			k := len(events[w])
			e, _, f := b.GroupCopy(uint64(k), linear(k, b.tile.Add(int64(k)*64), b.in, 64), 0, some(w, w*32, 32))
			if f != nil {
				t.Fatal(f)
			}
			events[w] = append(events[w], e)
		}
		for w, e := range events {
			if fmt.Sprint(e) != "[1 2 3]" {
				t.Errorf("wave %d has events %v", w, e)
			}
			for _, e := range e {
				b.GroupWait(10, 10, e, some(w, w*32, 32))
			}
		}
		b.End(20)
		b.want(t, "")
		issues := 0
		for _, l := range trace.lines {
			var at, id int
			if n, _ := fmt.Sscanf(l, "%d: issue %d", &at, &id); n == 2 {
				issues++
			}
		}
		if issues != 3 {
			t.Errorf("%d transfers: %q", issues, trace.lines)
		}
		if b.match.n != 0 {
			t.Errorf("%d copies are still open", b.match.n)
		}
	})
}

// TestLongLoop checks that the tables do not grow while work-items encounter
// millions of copies, whether or not all do, and wait for them or not.
func TestLongLoop(t *testing.T) {
	n := uint64(maxApart + maxApart/16)
	if testing.Short() {
		n /= 8
	}
	for _, check := range []bool{false, true} {
		for _, c := range []Completion{Early, Late, Seeded, Paced} {
			for _, kind := range []string{"all", "waves", "some"} {
				b := newBed(t, Config{Completion: c, Check: check}, 64, 32)
				rounds := n
				switch {
				case check:
					rounds = n / 25
				case kind != "some":
					rounds = n / 16 // the limits of these are reached at once
				}
				for i := range rounds {
					cp := linear(1, b.tile.Add(int64(i%16*64)), b.in, 64)
					switch kind {
					case "all":
						e, _, _ := b.GroupCopy(i, cp, 0, some(0, 0, 64))
						b.GroupWait(i, 2, e, some(0, 0, 64))
					case "waves":
						b.GroupCopy(i, cp, 0, some(0, 0, 32))
						b.GroupCopy(i, cp, 0, some(1, 32, 32))
					case "some":
						b.GroupCopy(i, cp, 0, some(1, 32, 32))
						b.Mark(i, 3, 0, some(1, 32, 32))
						b.LaneCopy(i, &LaneCopy{Size: 4, Async: true}, some(1, 32, 4), []memory.Pointer{b.tile2, b.tile2, b.tile2, b.tile2}, []memory.Pointer{b.in, b.in, b.in, b.in})
					}
				}
				if len(b.match.open) > maxApart || kind != "some" && len(b.match.open) > 16 {
					t.Errorf("%s, %v: a table of %d copies", kind, c, len(b.match.open))
				}
				if len(b.queue) > b.room || len(b.free) > b.room+1 {
					t.Errorf("%s, %v: %d transfers in flight, %d free", kind, c, len(b.queue), len(b.free))
				}
				if k := len(b.checker.records) + len(b.checker.free); k > maxRecords+1 {
					t.Errorf("%s, %v: %d records", kind, c, k)
				}
				if k := cap(b.wave(1).marks); k > 2*maxMarks {
					t.Errorf("%s, %v: %d marks", kind, c, k)
				}
				b.End(rounds)
			}
		}
	}
}

// TestLaggard checks what comes to a copy that is forgotten: an event that is done.
func TestLaggard(t *testing.T) {
	b := newBed(t, Config{Completion: Late}, 2, 1)
	for i := range maxApart + 3 {
		b.GroupCopy(0, linear(1, b.tile, b.in, uint64(1+i%8)), 0, some(0, 0, 1))
	}
	e, _, f := b.GroupCopy(0, linear(1, b.tile, b.in, 8), 0, some(1, 1, 1))
	if e == 0 || f != nil || b.GroupWait(0, 2, e, some(1, 1, 1)) != 0 {
		t.Errorf("event %d, %v", e, f)
	}
	if e, _, _ := b.GroupCopy(0, linear(1, b.tile, b.in, 8), 77, some(1, 1, 1)); e != 77 {
		t.Errorf("a joined event became %d", e)
	}
	// A barrier makes all even.
	b.Barrier(0)
	e0, _, _ := b.GroupCopy(0, linear(1, b.tile, b.in, 8), 0, some(1, 1, 1))
	e1, _, _ := b.GroupCopy(0, linear(1, b.tile, b.in, 8), 0, some(0, 0, 1))
	if e0 != e1 {
		t.Errorf("events %d and %d after the barrier", e0, e1)
	}
}

// TestClock checks stalls: of full queues and of waits.
func TestClock(t *testing.T) {
	// Four transfers of 64 bytes, 4 ticks each, fill the queue; the fifth has to
	// wait. Paced engines have been at work meanwhile: the first two transfers
	// are done at 4 and 5.
	for _, c := range []struct {
		c          Completion
		full, wait uint64 // ticks
	}{{Early, 0, 0}, {Late, 4, 4}, {Paced, 0, 8}} {
		b := newBed(t, Config{Engines: 2, QueueDepth: 1, BytesPerStep: 16, Completion: c.c}, 4, 4)
		all := some(0, 0, 4)
		var stall, e uint64
		for i := range uint64(5) {
			e, stall, _ = b.GroupCopy(i, linear(0, b.tile.Add(int64(i)*64), b.in, 64), 0, all)
			if i == 3 && stall != 0 {
				t.Errorf("%v: the queue is full too soon", c.c)
			}
		}
		if stall != c.full {
			t.Errorf("%v: the full queue takes %d ticks, want %d", c.c, stall, c.full)
		}
		now := 4 + stall
		wait := b.GroupWait(now, 1, e, all)
		if wait != c.wait {
			t.Errorf("%v: the wait takes %d ticks, want %d", c.c, wait, c.wait)
		}
		if again := b.GroupWait(now+wait, 1, e, all); again != 0 {
			t.Errorf("%v: the second wait takes %d ticks", c.c, again)
		}
	}
	// All five at once: the fifth stalls until the first are done.
	b := newBed(t, Config{Engines: 2, QueueDepth: 1, BytesPerStep: 16, Completion: Paced}, 4, 4)
	for i := range uint64(5) {
		_, stall, _ := b.GroupCopy(7, linear(0, b.tile.Add(int64(i)*64), b.in, 64), 0, some(0, 0, 4))
		if want := i / 4 * 4; stall != want {
			t.Errorf("transfer %d stalls for %d ticks, want %d", i, stall, want)
		}
	}

	// A paced transfer moves some bytes each tick, and partial lines too.
	b = newBed(t, Config{Completion: Paced, Engines: 1, BytesPerStep: 16}, 4, 4)
	in := b.data(b.in)
	clear(b.data(b.tile))
	a := args{argDst: uint64(b.tile), argSrc: uint64(b.in), argElems: 24, argLines: 3, argDstLine: 32, argSrcLine: 40}
	e, _, _ := b.GroupCopy(10, a.copy(0, 2), 0, some(0, 0, 4))
	b.Advance(12)
	want := make([]byte, tileBytes)
	copy(want, in[:24])
	copy(want[32:40], in[40:48])
	if !bytes.Equal(b.data(b.tile), want) {
		t.Error("32 bytes are not what has moved after 2 ticks")
	}
	if stall := b.GroupWait(13, 0, e, some(0, 0, 4)); stall != 2 {
		t.Errorf("the wait takes %d ticks, want 2", stall)
	}
	copy(want[32:56], in[40:64])
	copy(want[64:88], in[80:104])
	if !bytes.Equal(b.data(b.tile), want) {
		t.Error("the transfer is not done after the wait")
	}
	// Time that runs backwards stands still.
	b.Advance(3)
	if b.now != 15 {
		t.Errorf("now is %d", b.now)
	}
	if end := b.End(1); end != 15 {
		t.Errorf("the group ends at %d", end)
	}
}

// TestSeededOrder checks that seeds make transfers overtake each other, and the
// lines of one land apart.
func TestSeededOrder(t *testing.T) {
	overtaken, apart := false, false
	for seed := range uint64(50) {
		b := newBed(t, Config{Completion: Seeded, Seed: seed}, 4, 4)
		clear(b.data(b.tile))
		all := some(0, 0, 4)
		for i := range int64(3) {
			a := args{argDst: uint64(b.tile.Add(i * 256)), argSrc: uint64(b.in), argElems: 16, argLines: 8, argDstLine: 32, argSrcLine: 16}
			b.GroupCopy(uint64(i), a.copy(0, 2), 0, all)
		}
		for now := range uint64(40) {
			b.Advance(3 + now)
			there := func(i, l int) bool { return b.data(b.tile)[i*256+l*32] == b.data(b.in)[l*16] }
			complete := func(i int) bool {
				for l := range 8 {
					if !there(i, l) {
						return false
					}
				}
				return true
			}
			overtaken = overtaken || complete(1) && !complete(0)
			for l := 1; l < 8; l++ {
				apart = apart || there(0, l) && !there(0, l-1)
			}
		}
	}
	if !overtaken || !apart {
		t.Errorf("overtaken %v, apart %v", overtaken, apart)
	}
}

// TestAbort checks that a group that faulted leaves nothing to the next one.
func TestAbort(t *testing.T) {
	every(t, func(t *testing.T, cfg Config) {
		b := newBed(t, cfg, 4, 4)
		before := bytes.Clone(b.data(b.tile))
		b.GroupCopy(0, linear(1, b.tile, b.in, 64), 0, some(0, 0, 4))
		b.Abort()
		if cfg.Completion == Late && !bytes.Equal(before, b.data(b.tile)) {
			t.Error("bytes moved")
		}
		if len(b.queue) != 0 {
			t.Errorf("%d transfers are left", len(b.queue))
		}
		b.begin(1, 4, 4)
		b.End(0)
		b.want(t, "")
	})
}

// TestNoAllocations checks that steady state takes no memory, with early and
// late completion.
func TestNoAllocations(t *testing.T) {
	for _, c := range []Completion{Early, Late, Paced, Seeded} {
		b := newBed(t, Config{Completion: c}, 128, 32)
		waves := []Items{some(0, 0, 64), some(1, 64, 64)}
		cp := args{argDst: uint64(b.tile), argSrc: uint64(b.in), argElems: 16, argLines: 8, argDstLine: 16, argSrcLine: 64}.copy(0, 2)
		lane := &LaneCopy{Size: 4, Async: true}
		var dst, src [64]memory.Pointer
		for i := range dst {
			dst[i], src[i] = b.tile2.Add(int64(i)*4), b.in.Add(int64(i)*8)
		}
		group := uint64(0)
		n := testing.AllocsPerRun(200, func() {
			group++
			b.begin(group, 128, 32)
			now := uint64(0)
			for range 10 {
				var events [2]uint64
				for w, it := range waves {
					now++
					events[w], _, _ = b.GroupCopy(now, cp, 0, it)
					b.LaneCopy(now, lane, it, dst[:], src[:])
					b.Mark(now, 1, 0, it)
				}
				for w, it := range waves {
					now++
					b.GroupWait(now, 1, events[w], it)
					b.WaitMark(now, 1, 0, 1, it)
				}
				b.Barrier(now)
			}
			b.End(now)
		})
		if n != 0 {
			t.Errorf("%v: %v allocations", c, n)
		}
	}
}

// TestCompletionNames checks the names both ways.
func TestCompletionNames(t *testing.T) {
	for c := Early; c <= Paced; c++ {
		text, err := c.MarshalText()
		var back Completion
		if err != nil || back.UnmarshalText(text) != nil || back != c {
			t.Errorf("%v: %q, %v, back %v", c, text, err, back)
		}
	}
	if _, err := ParseCompletion("never"); err == nil {
		t.Error("there is a completion never")
	}
	if _, err := Completion(9).MarshalText(); err == nil || Completion(9).String() != "completion 9" {
		t.Errorf("%v has a name", Completion(9))
	}
}

// TestConfig checks defaults and limits.
func TestConfig(t *testing.T) {
	for _, c := range []struct{ in, want Config }{
		{Config{}, Config{Engines: DefaultEngines, QueueDepth: DefaultQueueDepth, BytesPerStep: DefaultBytesPerStep}},
		{Config{Engines: -1, QueueDepth: -5, BytesPerStep: -1}, Config{Engines: 1, QueueDepth: 1, BytesPerStep: 1}},
		{Config{Engines: 1 << 30, QueueDepth: 1 << 30, BytesPerStep: 1<<30 + 1}, Config{Engines: MaxEngines, QueueDepth: MaxQueueDepth, BytesPerStep: MaxBytesPerStep}},
		{Config{Check: true}, Config{Engines: DefaultEngines, QueueDepth: DefaultQueueDepth, BytesPerStep: DefaultBytesPerStep}},
	} {
		if got := c.in.normal(); got != c.want {
			t.Errorf("%+v becomes %+v", c.in, got)
		}
	}
	if u := New(Config{Check: true, Sink: &testSink{}}); !u.Active() {
		t.Error("a unit that checks is not active")
	}
}
