package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// sweepingCode is that of waves that go on from group to group.
type sweepingCode struct {
	*fakeCode
	swept uint64 // groups that went before another one in the same call
	most  uint64 // that it was allowed
}

func (c *sweepingCode) NewWave(lanes int) engine.Wave {
	return &sweepingWave{fakeWave: c.fakeCode.NewWave(lanes).(*fakeWave), code: c}
}

type sweepingWave struct {
	*fakeWave
	code *sweepingCode
}

func (w *sweepingWave) Sweep(more uint64) (ended uint64, stop engine.Stop) {
	w.code.most = max(w.code.most, more)
	g := w.lanes[0].group
	for {
		switch stop = w.Run(0); {
		case w.cancelled():
		case stop == engine.StopDone && ended < more:
			ended++
			w.code.swept++
			g.Linear++
			for d := range g.ID {
				if g.ID[d]++; g.ID[d] < g.Launch.Groups[d] {
					break
				}
				g.ID[d] = 0
			}
			before := w.counters
			w.Start(g, 0, len(w.lanes))
			w.counters.Add(&before)
			continue
		case stop == engine.StopBarrier && w.Parked() == len(w.lanes) && w.oneBarrier():
			w.Open()
			continue
		}
		return ended, stop
	}
}

func (w *sweepingWave) oneBarrier() bool {
	n := 0
	w.Parking(func(int, []int) { n++ })
	return n == 1
}

// TestSweep holds that nothing of a launch says whether groups came back to the scheduler one by one: who ran, faults,
// barriers that some do not come to, what runs when a launch is cancelled.
func TestSweep(t *testing.T) {
	in := func(groups ...uint64) func(*lane) bool {
		return func(l *lane) bool { return slices.Contains(groups, l.group.Linear) }
	}
	programs := map[string]program{
		"plain":  {{do: func(*lane) {}}},
		"loop":   {{do: func(*lane) {}}, {jump: times(0, 5), to: 0}},
		"faults": {{barrier: true}, {fault: func(l *lane) bool { return in(1, 2, 7)(l) && l.id == 2 }}, {do: func(*lane) {}}},
		"partial": {{jump: func(l *lane) bool { return in(2, 3, 6)(l) && l.id == 1 }, to: 3}, {do: func(*lane) {}}, {barrier: true},
			{do: func(*lane) {}}, {barrier: true}, {do: func(*lane) {}}},
		"deadlock": {{jump: func(l *lane) bool { return in(4)(l) && l.id == 1 }, to: 3}, {barrier: true}, {do: func(*lane) {}}, {barrier: true}, {do: func(*lane) {}}},
		"cancel at an edge": {{do: func(l *lane) {
			if in(5)(l) {
				l.group.Launch.Cancel.Store(true)
			}
		}}, {jump: times(0, 3), to: 0}},
		"cancel at a barrier": {{do: func(l *lane) {
			if in(5)(l) {
				l.group.Launch.Cancel.Store(true)
			}
		}}, {barrier: true}, {do: func(*lane) {}}},
		"cancel at the end": {{do: func(l *lane) {
			if in(5)(l) {
				l.group.Launch.Cancel.Store(true)
			}
		}}},
	}
	sizes := []struct {
		global, local [3]uint64
		most          uint64 // groups that may follow one
	}{
		{[3]uint64{64, 1, 1}, [3]uint64{4, 1, 1}, 15},
		{[3]uint64{62, 1, 1}, [3]uint64{4, 1, 1}, 14},
		{[3]uint64{9, 5, 3}, [3]uint64{4, 1, 1}, 1},
		{[3]uint64{8, 4, 3}, [3]uint64{4, 2, 1}, 11},
		{[3]uint64{8, 4, 3}, [3]uint64{2, 4, 2}, 2},
		{[3]uint64{8192, 1, 1}, [3]uint64{4, 1, 1}, 1023},
	}
	for name, p := range programs {
		for _, size := range sizes {
			t.Run(fmt.Sprint(name, size.global, size.local), func(t *testing.T) {
				run := func(code engine.Code, groups *[]uint64) *Result {
					p := append(program{{do: func(l *lane) {
						if l.id == 0 {
							*groups = append(*groups, l.group.Linear, l.group.ID[0], l.group.ID[1], l.group.ID[2])
						}
					}}}, slices.Clone(p)...)
					for i := range p {
						if p[i].jump != nil {
							p[i].to++
						}
					}
					switch c := code.(type) {
					case *fakeCode:
						c.p = p
					case *sweepingCode:
						c.p = p
					}
					res, err := Run(context.Background(), code, launchOf(p.kernel(), size.global, size.local), Options{})
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					return res
				}
				var a, b []uint64
				code := &sweepingCode{fakeCode: &fakeCode{}}
				want, got := run(&fakeCode{}, &a), run(code, &b)
				if d := cmp.Diff(want, got, cmp.AllowUnexported(Fault{})); d != "" {
					t.Errorf("-one by one +in one go:\n%s", d)
				}
				if !slices.Equal(a, b) {
					t.Errorf("groups %v, one by one %v", b, a)
				}
				if code.most != size.most {
					t.Errorf("up to %d groups may go on, want %d", code.most, size.most)
				}
				if size.most > 0 && code.swept == 0 {
					t.Error("each group came back")
				}
			})
		}
	}
}

// TestSweepsNot holds that groups come back one by one where somebody looks at each.
func TestSweepsNot(t *testing.T) {
	for name, c := range map[string]struct {
		opt Options
		k   func(*isa.Kernel)
	}{
		"reverse":  {Options{Order: Reverse}, nil},
		"seeded":   {Options{Order: Seeded}, nil},
		"progress": {Options{Progress: func(uint64, uint64) {}}, nil},
		"traced":   {Options{Tracer: &clockTracer{t: t}}, nil},
		"printf":   {Options{}, func(k *isa.Kernel) { k.UsesPrintf = true }},
	} {
		p := program{{do: func(*lane) {}}}
		code := &sweepingCode{fakeCode: &fakeCode{p: p}}
		k := p.kernel()
		if c.k != nil {
			c.k(k)
		}
		if _, err := Run(context.Background(), code, launchOf(k, [3]uint64{2048, 1, 1}, [3]uint64{4, 1, 1}), c.opt); err != nil {
			t.Fatal(err)
		}
		if code.swept != 0 {
			t.Errorf("%s: %d groups did not come back", name, code.swept)
		}
	}
}
