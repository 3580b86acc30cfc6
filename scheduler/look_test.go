package scheduler

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// TestLook looks at launches while they run: of work-groups that are one wave, which have no turns, and of
// several waves. The launch goes on, to its end or until it is cancelled, in the meantime or afterwards.
func TestLook(t *testing.T) {
	for _, c := range []struct {
		name           string
		lanes, workers int
		cancel         bool
	}{
		{"one wave", 64, 1, false}, {"several workers", 64, 4, false}, {"several waves", 16, 1, false}, {"several waves and workers", 16, 4, false},
		{"one wave, cancelled", 64, 4, true}, {"several waves, cancelled", 16, 4, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, early := range []bool{false, true} {
				var over atomic.Bool
				p := program{{do: func(*lane) {}}, {jump: func(*lane) bool { return !over.Load() }, to: 0}}
				var look Look
				ctx, cancel := context.WithCancel(context.Background())
				if early {
					look.Ask()
				}
				go func() {
					time.Sleep(time.Millisecond)
					look.Ask()
					for look.Answer() == nil {
						time.Sleep(time.Millisecond)
					}
					if c.cancel {
						cancel()
					} else {
						over.Store(true)
					}
				}()
				l := launchOf(p.kernel(), [3]uint64{64 * 8, 1, 1}, [3]uint64{64, 1, 1})
				res, err := Run(ctx, &fakeCode{p: p}, l, Options{Workers: c.workers, WaveLanes: c.lanes, Look: &look})
				cancel()
				seen := look.Answer()
				if len(seen) != 1 || len(seen[0].Running) == 0 || seen[0].Running[0].Items.Len() != 64 {
					t.Errorf("seen: %+v", seen)
				}
				switch {
				case c.cancel && (!errors.Is(err, context.Canceled) || len(res.Stopped) == 0):
					t.Errorf("cancelled: %v", err)
				case !c.cancel && (err != nil || res.Groups != 8 || l.Cancel.Load()):
					t.Errorf("%v after %d groups", err, res.Groups)
				}
			}
		})
	}
}
