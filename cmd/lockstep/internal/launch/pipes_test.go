package launch

import (
	"strings"
	"testing"
)

// TestLimited: what stays in memory has a limit.
func TestLimited(t *testing.T) {
	var p Pipe
	w := limited{&p.drained, 10}
	if n, err := w.Write(make([]byte, 8)); n != 8 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := w.Write(make([]byte, 3)); err == nil || !strings.Contains(err.Error(), "more than 10 bytes of packets") || p.drained.Len() != 8 {
		t.Errorf("%v, %d bytes", err, p.drained.Len())
	}
}
