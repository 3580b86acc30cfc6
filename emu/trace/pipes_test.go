package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

func pipeHandle(n uint32, end int64) memory.Pointer {
	return memory.MakePointer(memory.SpacePipe, n, end)
}

// pipeline describes three kernels with two pipes between them.
func pipeline() ([]LaunchInfo, []PipeInfo) {
	var launches []LaunchInfo
	for i, name := range []string{"source", "filter", "sink"} {
		l := info()
		l.Kernel, l.Schedule, l.Completion = name, "in-order", "early"
		l.Global, l.Local, l.Groups = [3]uint64{1, 1, 1}, [3]uint32{1, 1, 1}, [3]uint64{1, 1, 1}
		l.Place = func(pc int) finding.Place {
			return finding.Place{File: "pipes.cl", Line: uint32(10*(i+1) + pc), Column: 3, Source: fmt.Sprintf("%s does %d;", name, pc), Instruction: "OpReadPipe"}
		}
		launches = append(launches, l)
	}
	return launches, []PipeInfo{
		{Name: "a", Handle: pipeHandle(1, 0), PacketBytes: 4, Capacity: 4},
		{Name: "b", Handle: pipeHandle(2, 0), PacketBytes: 8, Capacity: 2, Read: 100, Written: 101},
		{Name: "unused", Handle: pipeHandle(5, 0), PacketBytes: 16, Capacity: 1},
	}
}

// playPipeline plays their run. The sink is slow; the host takes what it leaves.
func playPipeline(r *Recorder) {
	group := func(launch int) { r.Resume(launch, scheduler.Group{ID: [3]uint64{}}) }
	begin := func(launch int, now uint64) {
		group(launch)
		r.Group(scheduler.Group{}, 1, now)
	}
	moves := func(launch int, pipe uint32, write bool, pc int, first, n, now, step uint64) {
		for i := range n {
			r.Packets(launch, pipeHandle(pipe, 0), write, pc, 0, first+i, 1, now+i*step)
		}
	}
	begin(0, 0)
	moves(0, 1, true, 1, 0, 4, 2, 3)
	r.Turn(0, 0, 1, 0, 14, engine.StopPipe)
	r.Waiting(0, 1, pipeHandle(1, 2), 1, 14)

	begin(1, 14)
	for i := range uint64(1) { // one packet through the filter, and no room for more
		moves(1, 1, false, 2, i, 1, 16+4*i, 1)
		moves(1, 2, true, 3, 101+i, 1, 18+4*i, 1)
	}
	moves(1, 1, false, 2, 1, 1, 20, 1)
	r.Turn(0, 0, 1, 14, 22, engine.StopPipe)
	r.Waiting(0, 3, pipeHandle(2, 2), 1, 22)

	begin(2, 22)
	moves(2, 2, false, 4, 100, 1, 30, 1)
	r.Turn(0, 0, 1, 22, 60, engine.StopQuantum)

	// Tries that get nothing are no events, and do not end a wait.
	group(0)
	moves(0, 1, true, 1, 4, 2, 61, 2)
	r.Turn(0, 0, 1, 60, 65, engine.StopPipe)
	r.Waiting(0, 1, pipeHandle(1, 2), 1, 65)
	r.Turn(0, 0, 1, 65, 65, engine.StopPipe)
	r.Waiting(0, 1, pipeHandle(1, 2), 1, 65)
	group(1)
	moves(1, 2, true, 3, 102, 1, 66, 1)
	moves(1, 1, false, 2, 2, 1, 67, 1)
	r.Turn(0, 0, 1, 65, 70, engine.StopPipe)
	r.Waiting(0, 3, pipeHandle(2, 2), 1, 70)
	group(2)
	moves(2, 2, false, 4, 101, 2, 80, 20)
	r.Turn(0, 0, 1, 70, 120, engine.StopPipe)
	r.Waiting(0, 4, pipeHandle(2, 1), 1, 120)
	group(0)
	r.Turn(0, 0, 1, 120, 130, engine.StopDone)
	r.GroupEnd(130)
	group(1)
	moves(1, 2, true, 3, 103, 1, 131, 1)
	r.Turn(0, 0, 1, 130, 133, engine.StopDone)
	r.GroupEnd(133)
	group(2)
	moves(2, 2, false, 4, 103, 1, 134, 1)
	r.Turn(0, 0, 1, 133, 140, engine.StopDone)
	r.GroupEnd(140)
	r.Packets(-1, pipeHandle(1, 0), false, -1, -1, 3, 2, 140)
	r.Packets(-1, pipeHandle(1, 0), false, -1, -1, 5, 1, 140)
}

func recordedSet(max int) *Recorder {
	r := New(Options{MaxEvents: max})
	r.BeginSet(pipeline())
	playPipeline(r)
	return r
}

func explained(t *testing.T, r *Recorder, opt TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WritePipes(&b, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldenPipes(t *testing.T) {
	r := recordedSet(0)
	golden(t, "pipes.json", chrome(t, r))
	golden(t, "pipes-async.txt", text(t, r, TextOptions{}))
	golden(t, "pipes.txt", explained(t, r, TextOptions{}))
	golden(t, "pipes-limit.txt", explained(t, recordedSet(12), TextOptions{Width: 40}))
	read, written := r.PacketsMoved()
	if read != 4+4+2 || written != 6+3 || r.Launches() != 3 {
		t.Errorf("%d packets read, %d written by %d launches", read, written, r.Launches())
	}
}

// TestPipesAreWellFormed cuts the trace off everywhere.
func TestPipesAreWellFormed(t *testing.T) {
	whole := recordedSet(0)
	if _, err := check(chrome(t, whole)); err != nil {
		t.Error(err)
	}
	for limit := 1; limit <= whole.Events()+1; limit++ {
		r := recordedSet(limit)
		doc := chrome(t, r)
		events, err := check(doc)
		if err != nil {
			t.Errorf("limit %d: %v", limit, err)
			continue
		}
		if again := chrome(t, recordedSet(limit)); again != doc {
			t.Errorf("limit %d: the same set gives other bytes", limit)
		}
		ends := strings.Contains(events[len(events)-1].Name, "trace ends here")
		if ends != r.Truncated() || r.Truncated() != (limit < whole.Events()) {
			t.Errorf("limit %d of %d: truncated is %v, and the last event is %q", limit, whole.Events(), r.Truncated(), events[len(events)-1].Name)
		}
		if strings.Contains(explained(t, r, TextOptions{}), "trace ends here") != r.Truncated() {
			t.Errorf("limit %d: the text does not say that the trace ends", limit)
		}
	}
}

// TestLevels: how full a pipe is, from what moved.
func TestLevels(t *testing.T) {
	r := recordedSet(0)
	if got := fmt.Sprint(r.levels(0)); got != "[{0 0} {2 1} {5 2} {8 3} {11 4} {16 3} {20 2} {61 3} {63 4} {67 3} {140 0}]" {
		t.Errorf("a: %s", got)
	}
	if got := fmt.Sprint(r.levels(1)); got != "[{0 1} {18 2} {30 1} {66 2} {80 1} {100 0} {131 1} {134 0}]" {
		t.Errorf("b: %s", got)
	}
	if got := fmt.Sprint(r.levels(2)); got != "[{0 0}]" {
		t.Errorf("unused: %s", got)
	}
	f := r.flow()
	if sum, ticks := f.sum(f.levels[0], 4, 9); sum != 1+2+2+2+3 || ticks != 5 {
		t.Errorf("%d in %d ticks", sum, ticks)
	}
	if sum, ticks := f.sum(f.levels[0], 30, 40); sum != 20 || ticks != 10 {
		t.Errorf("%d in %d ticks", sum, ticks)
	}
	if empty, full := f.times(0, 4); empty != 2 || full != 16-11+67-63 {
		t.Errorf("empty for %d, full for %d", empty, full)
	}
}

// TestLongRuns: however many packets a wave moves in a turn, they are one event,
// and one arrow leads from them to those who read them.
func TestLongRuns(t *testing.T) {
	r := New(Options{})
	launches, pipes := pipeline()
	r.BeginSet(launches, pipes)
	group := scheduler.Group{}
	const n = 100_000
	r.Resume(0, group)
	r.Group(group, 1, 0)
	for i := range uint64(n) {
		r.Packets(0, pipeHandle(1, 2), true, 1, 0, i, 1, i)
	}
	r.Turn(0, 0, 1, 0, n, engine.StopDone)
	r.GroupEnd(n)
	r.Resume(1, group)
	r.Group(group, 1, n)
	r.Packets(1, pipeHandle(1, 1), false, 1, 0, 0, n-1, n)
	r.Turn(0, 0, 1, n, n+1, engine.StopDone)
	r.GroupEnd(n + 1)
	doc := chrome(t, r)
	if _, err := check(doc); err != nil {
		t.Error(err)
	}
	if arrows := strings.Count(doc, `"ph":"s"`); arrows != 1 || r.Events() != 6 || len(r.levels(0)) > 20 {
		t.Errorf("%d arrows, %d events, %d levels", arrows, r.Events(), len(r.levels(0)))
	}
}

// TestReservations: packets that become readable out of the order of time.
func TestReservations(t *testing.T) {
	r := New(Options{})
	launches, pipes := pipeline()
	r.BeginSet(launches, pipes)
	group := scheduler.Group{}
	r.Resume(0, group)
	r.Group(group, 64, 0)
	r.Packets(0, pipeHandle(1, 2), true, 1, 0, 2, 2, 5)
	r.Packets(0, pipeHandle(1, 2), true, 1, 0, 0, 2, 5)
	r.Packets(0, pipeHandle(1, 1), false, 1, 0, 0, 1, 6)
	r.Turn(0, 0, 32, 0, 8, engine.StopDone)
	r.Packets(0, pipeHandle(1, 1), false, 1, 32, 1, 3, 9)
	r.Turn(1, 32, 32, 8, 12, engine.StopDone)
	r.GroupEnd(12)
	doc := chrome(t, r)
	if _, err := check(doc); err != nil {
		t.Error(err)
	}
	// What a wave reads of its own turn has no arrow.
	if arrows := strings.Count(doc, `"ph":"s"`); arrows != 2 || !strings.Contains(doc, `"a written (2)"`) {
		t.Errorf("%d arrows in %s", arrows, doc)
	}
}

// TestHostBetweenTurns: what the host moves belongs to no wave's turn.
func TestHostBetweenTurns(t *testing.T) {
	r := New(Options{})
	r.BeginSet(pipeline())
	r.Packets(-1, pipeHandle(1, 0), true, -1, -1, 0, 3, 0)
	r.Resume(0, scheduler.Group{})
	r.Group(scheduler.Group{}, 1, 0)
	r.Packets(0, pipeHandle(1, 1), false, 1, 0, 0, 3, 4)
	r.Turn(0, 0, 1, 0, 8, engine.StopDone)
	r.GroupEnd(8)
	doc := chrome(t, r)
	if _, err := check(doc); err != nil {
		t.Error(err)
	}
	if !strings.Contains(doc, `"written by":"the host"`) || strings.Count(doc, `"ph":"s"`) != 1 {
		t.Error(doc)
	}
	if s := explained(t, r, TextOptions{}); !strings.Contains(s, "written  3 packets by the host") {
		t.Error(s)
	}
}

// TestPipeStrays: calls that fit nothing are dropped.
func TestPipeStrays(t *testing.T) {
	r := New(Options{})
	launches, pipes := pipeline()
	r.BeginSet(launches, pipes)
	r.Packets(0, pipeHandle(1, 0), true, 1, 0, 0, 1, 1)
	r.Waiting(0, 1, pipeHandle(1, 1), 1, 1)
	r.Turn(0, 0, 1, 0, 1, engine.StopPipe)
	r.GroupEnd(1)
	r.Resume(-1, scheduler.Group{})
	r.Resume(0, scheduler.Group{ID: [3]uint64{9}})
	r.Group(scheduler.Group{ID: [3]uint64{9}}, 1, 1)
	r.Packets(0, pipeHandle(7, 0), true, 1, 0, 0, 1, 1)
	r.Packets(0, pipeHandle(1, 0), true, 1, 0, 0, 0, 1)
	r.Waiting(0, 1, pipeHandle(7, 1), 1, 1)
	if n := r.Events(); n != 1 {
		t.Errorf("%d events", n)
	}
	if _, err := check(chrome(t, r)); err != nil {
		t.Error(err)
	}
	if s := explained(t, r, TextOptions{}); !strings.Contains(s, "written  0 packets by nobody") {
		t.Error(s)
	}
}

// TestManyLaunches: what is left out is counted.
func TestManyLaunches(t *testing.T) {
	var launches []LaunchInfo
	var pipes []PipeInfo
	for i := range 100 {
		l := info()
		l.Kernel = "stage"
		l.Groups = [3]uint64{1, 1, 1}
		launches = append(launches, l)
		pipes = append(pipes, PipeInfo{Name: fmt.Sprintf("p%d", i), Handle: pipeHandle(uint32(i+1), 0), PacketBytes: 4, Capacity: 1})
	}
	r := New(Options{})
	r.BeginSet(launches, pipes)
	group := scheduler.Group{}
	for i := range 100 {
		now := uint64(10 * i)
		r.Resume(i, group)
		r.Group(group, 1, now)
		r.Packets(i, pipeHandle(1, 2), true, 1, 0, uint64(i), 1, now+1)
		r.Turn(0, 0, 1, now, now+10, engine.StopDone)
		r.GroupEnd(now + 10)
	}
	s := explained(t, r, TextOptions{})
	for _, want := range []string{"stage (launch 31)", "68 launches more", "68 pipes more", "94 more", "100 launches together", "84 more"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing in\n%s", want, s)
		}
	}
	if strings.Contains(s, "(launch 32)") {
		t.Error("too much is shown")
	}
	for line := range strings.Lines(s) {
		if len([]rune(line)) > 161 {
			t.Errorf("long line: %s", line)
		}
	}
}

// TestGaveWay: a wave that gave way to others shows, but where it runs, waits, or
// another wave of its launch does.
func TestGaveWay(t *testing.T) {
	r := New(Options{})
	r.BeginSet(pipeline())
	r.Resume(0, scheduler.Group{})
	r.Group(scheduler.Group{}, 64, 0)
	r.Turn(0, 0, 32, 0, 10, engine.StopQuantum)
	r.Turn(1, 32, 32, 10, 20, engine.StopPipe)
	r.Waiting(1, 1, pipeHandle(1, 1), 32, 20)
	r.Resume(1, scheduler.Group{})
	r.Group(scheduler.Group{}, 1, 20)
	r.Turn(0, 0, 1, 20, 50, engine.StopQuantum)
	r.Resume(0, scheduler.Group{})
	r.Turn(1, 32, 32, 50, 60, engine.StopDone)
	r.Resume(1, scheduler.Group{})
	r.Turn(0, 0, 1, 60, 90, engine.StopDone)
	r.GroupEnd(90)
	r.Resume(0, scheduler.Group{})
	r.Turn(0, 0, 32, 90, 100, engine.StopDone)
	r.GroupEnd(100)
	s := explained(t, r, TextOptions{})
	for _, want := range []string{
		"source ran for 40 ticks (40 %), waited for packets for 30 and for room for 0, gave way for 30\n",
		"filter ran for 60 ticks (60 %), waited for packets for 0 and for room for 0, gave way for 10\n",
		"sink ran for 0 ticks (0 %), waited for packets for 0 and for room for 0\n",
		"source  ##########rrrrrrrrrrrrrrr#####ggggggggggggggg#####\n",
		"g gave way",
	} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing in\n%s", want, s)
		}
	}
}

// TestBottleneck: who holds the others up.
func TestBottleneck(t *testing.T) {
	if s := explained(t, recordedSet(0), TextOptions{}); !strings.Contains(s, "bottleneck: sink;") {
		t.Error(s)
	}
	// A source that is slow is waited for by all, through the filter.
	r := New(Options{})
	r.BeginSet(pipeline())
	for i := range 3 {
		r.Resume(i, scheduler.Group{})
		r.Group(scheduler.Group{}, 1, 0)
		if i > 0 {
			r.Waiting(0, 1, pipeHandle(uint32(i), 1), 1, 0)
		}
	}
	r.Resume(0, scheduler.Group{})
	r.Packets(0, pipeHandle(1, 2), true, 1, 0, 0, 1, 90)
	r.Turn(0, 0, 1, 0, 100, engine.StopDone)
	r.Resume(1, scheduler.Group{})
	r.Packets(1, pipeHandle(1, 1), false, 1, 0, 0, 1, 101)
	r.Packets(1, pipeHandle(2, 2), true, 1, 0, 101, 1, 102)
	r.Turn(0, 0, 1, 100, 103, engine.StopDone)
	r.Resume(2, scheduler.Group{})
	r.Turn(0, 0, 1, 103, 104, engine.StopDone)
	if s := explained(t, r, TextOptions{}); !strings.Contains(s, "bottleneck: source;") {
		t.Error(s)
	}
}

func TestHostilePipeNames(t *testing.T) {
	evil := "\x1b[31m\"\\</script>\n\xff\u2028" + strings.Repeat("é", 500)
	launches, pipes := pipeline()
	for i := range launches {
		launches[i].Kernel = evil
		launches[i].Place = func(int) finding.Place { return finding.Place{File: evil, Line: 1, Source: evil, Instruction: evil} }
	}
	for i := range pipes {
		pipes[i].Name = evil
	}
	pipes[2].Name = ""
	r := New(Options{})
	r.BeginSet(launches, pipes)
	playPipeline(r)
	if _, err := check(chrome(t, r)); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(explained(t, r, TextOptions{}) + text(t, r, TextOptions{})) {
		if strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\r\n\u2028") || len(line) > 2000 {
			t.Errorf("not fit for a terminal: %q", line)
		}
	}
	if err := r.WritePipes(failing{}, TextOptions{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("WritePipes: %v", err)
	}
	// A launch that is no set has no pipes, and says so.
	if s := explained(t, recorded(stencil, 0), TextOptions{}); !strings.Contains(s, "there is no pipe") {
		t.Error(s)
	}
}

// TestCopiesInSets: each group has copies of its own, though groups take turns.
func TestCopiesInSets(t *testing.T) {
	r := New(Options{})
	r.BeginSet(pipeline())
	for i := range 2 {
		r.Resume(i, scheduler.Group{})
		r.Group(scheduler.Group{}, 64, uint64(10*i))
		r.issue(copyOf(1, 0, 0, uint64(10*i+2)))
		r.Turn(0, 0, 32, uint64(10*i), uint64(10*i+10), engine.StopPipe)
		r.Waiting(0, 1, pipeHandle(1, 1), 32, uint64(10*i+10))
	}
	for i := range 2 {
		now := uint64(20 + 10*i)
		r.Resume(i, scheduler.Group{})
		r.complete(1, now, now+2)
		r.wait(now+1, now+2, 3, 0, "event 1", 0)
		r.Turn(0, 0, 32, now, now+10, engine.StopDone)
		r.GroupEnd(now + 10)
	}
	doc := chrome(t, r)
	if _, err := check(doc); err != nil {
		t.Error(err)
	}
	if n := strings.Count(doc, `"ended by copy":1`); n != 2 || strings.Contains(doc, "not complete") {
		t.Errorf("%d waits for copies in %s", n, doc)
	}
	if s := text(t, r, TextOptions{}); strings.Count(s, "waits for event 1: copy 1, 1 tick") != 2 || !strings.Contains(s, "copies   2 copies of 512 bytes") {
		t.Error(s)
	}
}

// TestRandomSets plays launches whose waves do something at random, as a
// scheduler may: whatever it is, a viewer can show it.
func TestRandomSets(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 50
	}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 1))
		r := New(Options{MaxEvents: 20 + rng.IntN(300)})
		launches, pipes := pipeline()
		r.BeginSet(launches, pipes)
		type state struct{ began, over bool }
		groups := map[[2]int]*state{}
		var now, read, written uint64
		for range 120 {
			if rng.IntN(6) == 0 { // the host
				k := min(uint64(rng.IntN(4)), 4-(written-read))
				r.Packets(-1, pipeHandle(1, 0), true, -1, -1, written, k, now)
				written += k
				continue
			}
			key := [2]int{rng.IntN(3), rng.IntN(2)}
			g := groups[key]
			if g == nil {
				g = &state{}
				groups[key] = g
			}
			if g.over {
				continue
			}
			id := scheduler.Group{ID: [3]uint64{uint64(key[1])}}
			r.Resume(key[0], id)
			if !g.began {
				g.began = true
				r.Group(id, 64, now)
			}
			wave := rng.IntN(2)
			from := now
			for range rng.IntN(4) {
				now += uint64(rng.IntN(5))
				if rng.IntN(2) == 0 && written-read < 4 {
					r.Packets(key[0], pipeHandle(1, 2), true, 1, 0, written, 1, now)
					written++
				} else if written > read {
					k := 1 + uint64(rng.IntN(int(written-read)))
					r.Packets(key[0], pipeHandle(1, 1), false, 2, 0, read, k, now)
					read += k
				}
			}
			now += uint64(rng.IntN(2))
			stop := []engine.Stop{engine.StopPipe, engine.StopPipe, engine.StopQuantum, engine.StopBarrier, engine.StopDone}[rng.IntN(5)]
			r.Turn(wave, 32*wave, 32, from, now, stop)
			if stop == engine.StopPipe {
				for range 1 + rng.IntN(3) {
					r.Waiting(wave, rng.IntN(2), pipeHandle(uint32(1+rng.IntN(2)), int64(1+rng.IntN(2))), 1+rng.IntN(2), now)
				}
			}
			if stop == engine.StopDone && rng.IntN(2) == 0 {
				g.over = true
				r.GroupEnd(now)
			}
		}
		doc := chrome(t, r)
		if _, err := check(doc); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if s := explained(t, r, TextOptions{}); strings.Contains(s, "-1 of") || strings.Contains(s, "18446744") {
			t.Errorf("seed %d: %s", seed, s)
		}
		text(t, r, TextOptions{})
		for i := range r.pipes.infos {
			for _, l := range r.levels(i) {
				if l.n > uint64(r.pipes.infos[i].Capacity) {
					t.Errorf("seed %d: %d packets in pipe %d", seed, l.n, i)
				}
			}
		}
	}
}
