package main

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/bench"
)

// TestPipes moves packets in every way through the protocol.
func TestPipes(t *testing.T) {
	ask := talk(t)
	ways := []string{byChannel}
	for _, w := range bench.PipeWays {
		ways = append(ways, w.Name)
		if pipeTargets[w.Name] == 0 {
			t.Errorf("%s has no target", w)
		}
	}
	for i, way := range ways {
		if a := ask(request{Op: opOpen, Session: i, Pipe: &pipeRequest{way, 1 << 12}}); a.Error != "" {
			t.Fatal(a.Error)
		}
		if a := ask(request{Op: opFirst, Session: i}); a.Error != "" || len(a.Times) != 1 {
			t.Errorf("%q: %s", way, a.Error)
		}
		if a := ask(request{Op: opClose, Session: i}); a.Error != "" {
			t.Errorf("%q: %s", way, a.Error)
		}
	}
	if a := ask(request{Op: opOpen, Pipe: &pipeRequest{"magic", 64}}); !strings.Contains(a.Error, "magic") {
		t.Errorf("error %q does not name the unknown way", a.Error)
	}
	f, err := chain()
	if err != nil || f.Verdict != verdict(true) {
		t.Errorf("%+v, %v", f, err)
	}
}
