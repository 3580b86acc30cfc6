package bench

import (
	"bytes"
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestImageWorkloads holds that the kernels with images find nothing under checks, where the reference engine
// accesses images lane by lane, and that both engines leave the same bits.
func TestImageWorkloads(t *testing.T) {
	for _, w := range ImageWorkloads(64) {
		t.Run(w.Name, func(t *testing.T) {
			var want []byte
			for _, on := range []struct {
				engine string
				check  bool
			}{{"interp", true}, {"interp", false}, {"native", false}} {
				s, err := w.Open(emu.DeviceOptions{Engine: on.engine})
				if err != nil {
					t.Log(err) // no machine code here
					continue
				}
				s.Check(on.check)
				if err := s.Reset(); err != nil {
					t.Fatal(err)
				}
				if _, _, err := s.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				got, err := s.Outputs()
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got[0]
				}
				if !bytes.Equal(got[0], want) || !bytes.ContainsFunc(got[0], func(r rune) bool { return r != 0 }) {
					t.Errorf("%+v: %x…, want %x…", on, got[0][:32], want[:32])
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
