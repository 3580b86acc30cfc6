package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/memory"
)

// What the host has to do with a set while it runs.

// TestFeeds lets the host write and read while kernels run.
func TestFeeds(t *testing.T) {
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		net := newNetwork(t)
		p, q := net.pipe("p", 2), net.pipe("q", 3)
		var out []byte
		next := byte(0)
		net.feeds = []Feed{
			{Pipe: p, Write: true, Move: func(most uint64) (uint64, bool, error) {
				if most < 1 || most > p.Room() {
					t.Errorf("%d packets may be written where there is room for %d", most, p.Room())
				}
				for range most {
					p.Put([]byte{next, 0, 0, 0})
					next++
				}
				return most, false, nil
			}},
			{Pipe: q, Move: func(most uint64) (uint64, bool, error) {
				b := make([]byte, 4*most)
				n := q.Get(b)
				out = append(out, b[:4*n]...)
				return uint64(n), false, nil
			}},
		}
		net.launch(relay(20), 1, 1, reads(p), writes(q))
		log := &setLog{names: map[memory.Pointer]string{p.Handle(): "p", q.Handle(): "q"}}
		res := net.mustRun(Options{Order: o, Tracer: log})
		want := []byte(nil)
		for i := range byte(20) {
			want = append(want, i+1, 0, 0, 0)
		}
		if !bytes.Equal(out, want) || res.Fed[1] != 20 || res.Fed[0] != uint64(next) || next < 20 || next > 22 {
			t.Errorf("%v: %v, fed %v, %d", o, out, res.Fed, next)
		}
		host := 0
		for _, l := range log.lines {
			if strings.HasPrefix(l, "-1 writes p") || strings.HasPrefix(l, "-1 reads q") {
				host++
			}
		}
		if host < 10 {
			t.Errorf("%v: the trace has %d turns of the host", o, host)
		}
	}

	// An error ends the set.
	broken := errors.New("broken on purpose")
	net := newNetwork(t)
	p := net.pipe("p", 2)
	var got []int
	net.feeds = []Feed{{Pipe: p, Write: true, Move: func(uint64) (uint64, bool, error) { return 0, true, broken }}}
	net.launch(sinkTo(&got, 1), 1, 1, reads(p))
	res, err := net.run(Options{})
	if err != broken || len(res.Launches[0].Stopped) != 1 {
		t.Errorf("error %v, %+v", err, res)
	}
}

// TestSetCancel ends sets from outside.
func TestSetCancel(t *testing.T) {
	endless := func() (*network, *int) {
		net := newNetwork(t)
		p, q := net.pipe("p", 1), net.pipe("q", 1)
		turns := new(int)
		var got []int
		net.launch(sinkTo(&got, 1), 4, 4, reads(p))
		net.launch(program{{pipe: at(0)}, {do: func(*lane) { *turns++ }}, {jump: func(*lane) bool { return true }, to: 0}}, 1, 1, reads(q))
		net.launch(program{{do: func(*lane) {}}}, 1, 1)
		return net, turns
	}
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		net, turns := endless()
		ctx, cancel := context.WithCancel(context.Background())
		p := net.members[1].Launch
		var flag atomic.Bool
		p.Cancel = &flag
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(10 * time.Millisecond)
			cancel()
		}()
		res, err := RunSet(ctx, net.members, nil, Options{Order: o})
		<-done
		if !errors.Is(err, context.Canceled) || *turns == 0 {
			t.Fatalf("%v: %v after %d turns", o, err, *turns)
		}
		s := res.Launches[0].Stopped
		if len(s) != 1 || len(s[0].Pipes) != 1 || s[0].Pipes[0].Items.String() != "0–3" || s[0].Running != nil {
			t.Errorf("%v: stopped %+v", o, s)
		}
		if s := res.Launches[1].Stopped; len(s) != 1 || s[0].Pipes != nil || len(s[0].Running) != 1 {
			t.Errorf("%v: stopped %+v", o, s)
		}
		if res.Launches[2].Stopped != nil || res.Launches[2].Groups != 1 {
			t.Errorf("%v: the launch that had ended: %+v", o, res.Launches[2])
		}

		net, _ = endless()
		ctx, cancel = context.WithTimeout(context.Background(), 5*time.Millisecond)
		if _, err := RunSet(ctx, net.members, nil, Options{Order: o}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", o, err)
		}
		cancel()
		if res, err := RunSet(ctx, net.members, nil, Options{Order: o}); err == nil || res == nil || len(res.Launches) != 3 {
			t.Errorf("%v: a context that was over: %v", o, err)
		}
	}
}

// TestSetOutput checks the order of what is printed, outputs of launches'
// own, and writers that fail.
func TestSetOutput(t *testing.T) {
	build := func() *network {
		net := newNetwork(t)
		p := net.pipe("p", 1)
		say := func(what string) inst {
			return inst{do: func(l *lane) { l.group.Output = fmt.Appendf(l.group.Output, "%s%d ", what, l.v[0]) }}
		}
		w := source(0, 3)
		r := relay(3)
		net.launch(program{w[0], w[1], say("w"), w[2]}, 1, 1, writes(p))
		net.launch(program{r[0], say("r"), {jump: times(0, 3), to: 0}}, 1, 1, reads(p))
		for i := range net.members {
			net.members[i].Launch.Kernel.UsesPrintf = true
		}
		return net
	}
	if res := build().mustRun(Options{}); string(res.Output) != "w0 r0 w1 r1 w2 r2 " {
		t.Errorf("output %q", res.Output)
	}
	var w bytes.Buffer
	if res := build().mustRun(Options{Output: &w, MaxOutput: 5}); w.String() != "w0 r0" || res.Dropped != 13 || res.Output != nil {
		t.Errorf("output %q, %d dropped", w.String(), res.Dropped)
	}
	net := build()
	net.members[0].OwnOutput, net.members[0].MaxOutput = true, 4
	if res := net.mustRun(Options{}); string(res.Output) != "r0 r1 r2 " || string(res.Launches[0].Output) != "w0 w" || res.Launches[0].Dropped != 5 {
		t.Errorf("output %q and %q", res.Output, res.Launches[0].Output)
	}
	if _, err := build().run(Options{Output: &failingWriter{}}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a writer that fails: %v", err)
	}
	net = build()
	net.members[1].OwnOutput, net.members[1].Output = true, &failingWriter{}
	if _, err := net.run(Options{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a launch's writer that fails: %v", err)
	}
}

// TestSetProgress checks that progress counts the groups of all launches.
func TestSetProgress(t *testing.T) {
	net := newNetwork(t)
	p := net.pipe("p", 1)
	seen := make(chan struct{})
	var over atomic.Bool
	net.launch(program{{do: func(*lane) {}}}, 3, 1)
	net.launch(program{{pipe: at(0)}, {jump: func(*lane) bool { return !over.Load() }, to: 0}}, 1, 1, reads(p))
	go func() {
		<-seen
		over.Store(true)
	}()
	calls := 0
	net.mustRun(Options{Progress: func(done, total uint64) {
		if calls++; calls == 1 {
			if done != 3 || total != 4 {
				t.Errorf("%d of %d groups", done, total)
			}
			close(seen)
		}
	}})
	if calls == 0 {
		t.Error("progress was not called")
	}
}
