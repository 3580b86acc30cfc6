package emu_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

func queue(t testing.TB, d *emu.Device) *emu.Queue {
	t.Helper()
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestQueueSets lets a queue find out which launches run together.
func TestQueueSets(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	produce, relay, consume := kernel(t, prog, "produce"), kernel(t, prog, "relay"), kernel(t, prog, "consume")
	ctx := context.Background()
	const n = 50
	for _, release := range []string{"flush", "finish", "close", "wait", "err", "done", "profile", "command", "launch"} {
		q := queue(t, d)
		a, b, c := pipe(t, d, "a", 4, 1), pipe(t, d, "b", 4, 1), pipe(t, d, "c", 4, n)
		out := buffer(t, d, make([]uint32, n)...)
		var events []*emu.Event
		for i, l := range []emu.Launch{
			launch(relay, a, b, u32(n)),
			launch(consume, b, out, u32(n)),
			launch(produce, c, u32(0), u32(n)), // between two that belong together
			launch(produce, a, u32(5), u32(n)),
		} {
			e, err := q.Launch(ctx, l)
			if err != nil {
				t.Fatalf("launch %d: %v", i, err)
			}
			events = append(events, e)
		}
		var err error
		switch release {
		case "flush":
			err = q.Flush()
		case "finish":
			err = q.Finish(ctx)
		case "close":
			err = q.Close()
		case "wait":
			_, err = events[3].Wait()
		case "err":
			err = events[2].Err()
		case "done":
			<-events[0].Done()
		case "profile":
			_, err = events[1].Profile()
		case "command":
			var e *emu.Event
			if e, err = q.Read(ctx, out, 0, make([]byte, 4)); err == nil {
				_, err = e.Wait()
			}
		case "launch":
			var e *emu.Event
			if e, err = q.Launch(ctx, launch(kernel(t, prog, "nothing"), buffer(t, d, uint32(0)))); err == nil {
				_, err = e.Wait()
			}
		}
		if err != nil {
			t.Errorf("%s: %v", release, err)
		}
		for i, e := range events {
			res, err := e.Wait()
			if err != nil || res == nil || res.GroupsRun != 1 {
				t.Errorf("%s: launch %d: %v, %+v", release, i, err, res)
			}
		}
		if got := contents[uint32](t, out); !slices.Equal(got, count(6, n)) {
			t.Errorf("%s: %v", release, got)
		}
	}
}

// TestQueueKeepsOrder checks that launches which share no pipe with those behind
// them run before: the second consumer finds what the first left.
func TestQueueKeepsOrder(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	talk, hear := kernel(t, prog, "talk"), kernel(t, prog, "hear")
	ctx := context.Background()
	q := queue(t, d)
	a, b := pipe(t, d, "a", 4, 1), pipe(t, d, "b", 4, 1)
	var text strings.Builder
	var events []*emu.Event
	for i := range 4 {
		k, p := talk, a
		if i%2 == 1 {
			k = hear
		}
		if i >= 2 {
			p = b
		}
		l := launch(k, p, u32(2))
		l.Output = &named{&text, fmt.Sprint(i)}
		e, err := q.Launch(ctx, l)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	if err := q.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	want := "0: wrote 0\n1: read 0\n0: wrote 1\n1: read 1\n2: wrote 0\n3: read 0\n2: wrote 1\n3: read 1\n"
	if text.String() != want {
		t.Errorf("printed\n%s", text.String())
	}
	first, err := events[1].Profile()
	if err != nil {
		t.Fatal(err)
	}
	second, err := events[2].Profile()
	if err != nil || second.Started.Before(first.Ended) {
		t.Errorf("the second set began before the first was over: %v, %+v, %+v", err, first, second)
	}
}

// named writes lines with a name in front.
type named struct {
	to   *strings.Builder
	name string
}

func (n *named) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		fmt.Fprintf(n.to, "%s: %s", n.name, line)
	}
	return len(p), nil
}

// TestQueueSetErrors checks which event has which error.
func TestQueueSetErrors(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	ctx := context.Background()
	out := buffer(t, d, make([]uint32, 8)...)
	zero := buffer(t, d, uint32(0), 0)

	// A finding belongs to its launch.
	q := queue(t, d)
	p := pipe(t, d, "p", 4, 4)
	failing := launch(kernel(t, prog, "failing"), p, zero, u32(3))
	failing.Check = true // for the division by zero
	bad, err := q.Launch(ctx, failing)
	if err != nil {
		t.Fatal(err)
	}
	good, err := q.Launch(ctx, launch(kernel(t, prog, "consume"), p, out, u32(3)))
	if err != nil {
		t.Fatal(err)
	}
	var fe *emu.FindingsError
	if res, err := bad.Wait(); !errors.As(err, &fe) || len(res.Findings.Findings) != 1 || res.Findings.Findings[0].Code != finding.DivideByZero {
		t.Errorf("failing launch: %v, %+v", err, res)
	}
	if res, err := good.Wait(); err != nil || len(res.Findings.Findings) != 0 {
		t.Errorf("the launch beside it: %v, %+v", err, res)
	}

	// An argument that is gone when the set begins, and a limit of one launch, are
	// everybody's.
	gone := pipe(t, d, "gone", 4, 4)
	if _, err = q.Launch(ctx, launch(kernel(t, prog, "produce"), gone, u32(0), u32(1))); err != nil {
		t.Fatal(err)
	}
	e, err := q.Launch(ctx, launch(kernel(t, prog, "consume"), gone, out, u32(1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	var ae *emu.ArgError
	if _, err := e.Wait(); !errors.As(err, &ae) || !errors.Is(err, emu.ErrClosed) {
		t.Errorf("closed pipe: %v", err)
	}

	// What ends a launch's context ends the set.
	over, cancel := context.WithCancel(ctx)
	cancel()
	p = pipe(t, d, "p", 4, 4)
	first, err := q.Launch(ctx, launch(kernel(t, prog, "consume"), p, out, u32(1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = q.Launch(over, launch(kernel(t, prog, "produce"), p, u32(0), u32(1))); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled set: %v", err)
	}

	l := launch(kernel(t, prog, "consume"), p, out, u32(1))
	l.Timeout = 20 * time.Millisecond
	first, err = q.Launch(ctx, l)
	if err != nil {
		t.Fatal(err)
	}
	second, err := q.Launch(ctx, launch(kernel(t, prog, "consume"), p, out, u32(1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*emu.Event{first, second} {
		if res, err := e.Wait(); !errors.As(err, &fe) || !errors.Is(err, context.DeadlineExceeded) || res.Findings.Findings[0].Code != finding.TimeLimit {
			t.Errorf("time limit: %v", err)
		}
	}

	// Nothing is held by a queue that is closed.
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if err := q.Flush(); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("Flush of a closed queue: %v", err)
	}
	if _, err := q.Launch(ctx, l); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("launch in a closed queue: %v", err)
	}
	if err := (*emu.Queue)(nil).Flush(); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("Flush of no queue: %v", err)
	}
}
