package daplaunch

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dap"
)

// TestTelling tells lines when they end, and parts of a line that is longer than what may wait.
func TestTelling(t *testing.T) {
	var told []string
	w := &Telling{Category: "stdout", Say: func(o dap.Output) { told = append(told, o.Text) }}
	write := func(text string) {
		t.Helper()
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("%d bytes of %d, %v", n, len(text), err)
		}
	}
	write("one\ntw")
	write("o")
	write("\n")
	if got := strings.Join(told, "|"); got != "one\n|two\n" {
		t.Errorf("told %q", got)
	}
	told = nil
	for range 3 * maxRest / 1024 {
		write(strings.Repeat("x", 1024))
	}
	if len(w.rest) > maxRest || len(told) == 0 {
		t.Errorf("%d bytes wait, %d parts were told", len(w.rest), len(told))
	}
	w.Flush()
	if got := strings.Join(told, ""); got != strings.Repeat("x", 3*maxRest)+"\n" {
		t.Errorf("%d bytes were told", len(got))
	}
}
