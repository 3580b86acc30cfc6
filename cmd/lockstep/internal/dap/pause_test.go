package dap

import (
	"bytes"
	"testing"

	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
)

// TestPauseShowsLine pauses a launch at each of its instructions: where the editor is told to look, it has a line.
func TestPauseShowsLine(t *testing.T) {
	ctx := t.Context()
	target, err := prepareSmall(ctx, &Launch{Program: "k.cl"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s := newServer(ctx, &out, prepareSmall)
	s.attributes, s.begun = &Launch{Step: "lane"}, true
	s.install(target)
	defer s.close()
	stop, err := s.session.Finish(ctx)
	if err != nil || stop.Reason != emudebug.ReasonEnded {
		t.Fatal(stop, err)
	}
	moved := 0
	for tick := range stop.Tick {
		// The work-item that was looked at last may be one that has ended.
		for item := range 8 {
			stop, err := s.session.GoTo(ctx, tick)
			if err != nil {
				t.Fatal(err)
			}
			if s.session.Select(item) != nil {
				break
			}
			stop.Reason = emudebug.ReasonPaused
			s.op = &operation{pausing: true, cancel: func() {}}
			for r := (result{stop: stop}); ; r = <-s.op.done {
				if s.finish(r); s.op == nil {
					break
				}
				moved++
			}
			if !s.ended && !s.placed() {
				t.Errorf("a pause at instruction %d of work-item %d shows no line", tick, item)
			}
		}
		if s.ended {
			break
		}
	}
	if moved == 0 {
		t.Error("no pause has had to go on")
	}
}
