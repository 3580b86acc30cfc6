package cli

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// TestSARIFIsDeterministic holds that a log does not depend on the number of CPUs, and that every run
// writes the same bytes.
func TestSARIFIsDeterministic(t *testing.T) {
	first := ""
	for _, workers := range []string{"1", "1", "4"} {
		w := &world{written: map[string][]byte{}}
		stdout, stderr, status := w.run(context.Background(), []string{
			"run", "race.cl", "-global", "256", "-local", "2", "-arg", "zero:i32:2", "-check", "-workers", workers, "-sarif", "-",
		}, nil)
		if status != cmdline.ExitFinding || stdout == "" {
			t.Fatalf("status %d: %s", status, stderr)
		}
		if first == "" {
			first = stdout
		}
		if stdout != first {
			t.Errorf("with %s workers:\n%s", workers, difference(first, stdout))
		}
	}
}
