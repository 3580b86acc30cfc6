package hostrun

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStop tells of launches at a socket before they run, records them, and stops at no more when it is told so.
func TestStop(t *testing.T) {
	dir, err := os.MkdirTemp("", "stop") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, c := range []struct {
		more    bool
		kernels []string
	}{{true, []string{"put", "same"}}, {false, []string{"put"}}} {
		socket := filepath.Join(dir, "s")
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Skip("there are no sockets here:", err)
		}
		var got []string
		done := make(chan error)
		go func() {
			done <- ServeStops(l, func(st Stop) bool {
				got = append(got, st.Kernel)
				text, err := os.ReadFile(st.Record)
				if err != nil || !strings.Contains(string(text), "-kernel "+st.Kernel) {
					t.Errorf("the record of launch %d is %q: %v", st.Launch, text, err)
				}
				return c.more
			})
		}()
		// A stranger is not answered, and keeps nobody from being served.
		if conn, err := net.Dial("unix", socket); err == nil {
			conn.Write([]byte("hello\n"))
			conn.Close()
		}
		text, _, errs := launches(t, "-stop "+socket, 3)
		l.Close()
		if err := <-done; err != nil || errs[0] != nil || errs[1] != nil || text != "" {
			t.Errorf("%v %v %s", err, errs, text)
		}
		if !slices.Equal(got, c.kernels) {
			t.Errorf("launches of %v stop, want %v", got, c.kernels)
		}
	}
	// Nobody listens: launches run, and say so once.
	text, _, errs := launches(t, "-stop "+filepath.Join(dir, "nobody"), 3)
	if errs[0] != nil || strings.Count(text, "launches do not stop any more") != 1 {
		t.Errorf("%v: %s", errs, text)
	}
}
