package native

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/memory"
)

// rows makes a session of a generated program, one that is a single wave, begin with the group at the given
// place of a launch that has only whole groups.
func (p *generated) rows(code engine.Code, c setting, id [3]uint64) (*session, error) {
	s, err := p.start(code, c)
	if err != nil {
		return nil, err
	}
	g := s.group
	l := g.Launch
	l.Local = p.items
	for d := range l.Global {
		l.Global[d] = uint64(l.Local[d]) * l.Groups[d]
	}
	g.ID = id
	g.Linear = (id[2]*l.Groups[1]+id[1])*l.Groups[0] + id[0]
	s.waves = []engine.Wave{code.NewWave(c.Width)} // the launch is another one than that which start has begun
	s.waves[0].Start(g, 0, p.lanes())
	return s, nil
}

// sweepState is what can be told of a sweep.
type sweepState struct {
	Position position
	Ended    uint64
	ID       [3]uint64
	Linear   uint64
}

// equal says whether two sweeps came to the same place.
func (s sweepState) equal(o sweepState) bool {
	there := s.Position.equal(o.Position)
	s.Position, o.Position = position{}, position{}
	return there && s == o
}

// oneByOne does what engine.Sweeper says, with a new start for each group.
func oneByOne(s *session, total engine.Counters, more uint64) (st sweepState, counters engine.Counters) {
	w, g := s.waves[0], s.group
	for {
		stop := w.Run(0)
		switch {
		case stop == engine.StopDone && st.Ended < more:
			st.Ended++
			total.Add(w.Counters())
			for d := range g.ID {
				if g.ID[d]++; g.ID[d] < g.Launch.Groups[d] {
					break
				}
				g.ID[d] = 0
			}
			g.Linear++
			g.LDS.Reset()
			w.Start(g, 0, int(g.Size[0]*g.Size[1]*g.Size[2]))
			continue
		case stop == engine.StopBarrier && w.Parked() == int(g.Size[0]*g.Size[1]*g.Size[2]) && w.(engine.Locator).BarrierPC() >= 0:
			w.Open()
			continue
		}
		st.Position, st.ID, st.Linear = positionOf(w, stop), g.ID, g.Linear
		st.Position.Counters.Add(&total)
		return st, total
	}
}

// checkSweep runs the groups of a program one by one with package interp, and in one go on an engine.
func (p *generated) checkSweep(reference, code engine.Code, c setting) string {
	return p.compareSweeps(reference, code, 17, func(code engine.Code) (*session, error) { return p.rows(code, c, [3]uint64{1, 2, 0}) })
}

// compareSweeps is checkSweep for sessions that begin returns, and so many groups behind the first.
func (p *generated) compareSweeps(reference, code engine.Code, left uint64, begin func(engine.Code) (*session, error)) string {
	want, err := begin(reference)
	if err != nil {
		return err.Error()
	}
	got, err := begin(code)
	if err != nil {
		return err.Error()
	}
	var total engine.Counters
	for range 20 {
		var a, b sweepState
		a, total = oneByOne(want, total, left)
		w := got.waves[0]
		var stop engine.Stop
		b.Ended, stop = w.(engine.Sweeper).Sweep(left)
		b.Position, b.ID, b.Linear = positionOf(w, stop), got.group.ID, got.group.Linear
		if !a.equal(b) {
			return fmt.Sprintf("-one by one +in one go:\n%s", cmp.Diff(a, b))
		}
		if d := p.compareMemory(want, got); d != "" {
			return fmt.Sprintf("after %d groups: %s", a.Ended, d)
		}
		if stop != engine.StopBarrier {
			break
		}
		left -= a.Ended
		want.waves[0].Open()
		w.Open()
	}
	return ""
}

// TestSweep runs random programs for one group after the other, in one go.
func TestSweep(t *testing.T) {
	n := amount(60, 80, 200)
	if *programCount > 0 {
		n = *programCount
	}
	each(t, func(t *testing.T, e Engine) {
		for seed := *programFirst; seed < *programFirst+n; seed++ {
			s := sourceOf(seed)
			p := generate(s)
			c := newSetting(s)
			c.Width, c.Check = (p.lanes()+c.Subgroup-1)/c.Subgroup*c.Subgroup, s.once(100)
			reference, code := compile(t, interp.Engine{}, p.kernel), compile(t, e, p.kernel)
			for name, code := range map[string]engine.Code{"interp": reference, "native": code} {
				if name == "interp" && e.features&amd64.AVX512 != 0 && !testing.Short() {
					continue // the test for the other instruction set does this
				}
				if d := p.checkSweep(reference, code, c); d != "" {
					t.Fatalf("program %d, %s, %+v, work-group %v:\n%s\n%s", seed, name, c, p.items, d, p.kernel.Text(&isa.Program{Kernels: []*isa.Kernel{p.kernel}}))
				}
			}
		}
	})
}

// barriers returns a kernel whose work-items come to a barrier again and again, for ever or so many times,
// and a launch of one work-group after the other. padding instructions make the kernel longer, and the
// stretches of machine code shorter.
func barriers(times uint64, padding int) (*program, *engine.Launch) {
	p := newProgram()
	for range padding {
		p.emit(isa.Inst{Op: isa.OpFence})
	}
	n, more, one := p.constant(0), p.constant(1), p.constant(1)
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: n, A: p.constant(times)})
	p.jump(1)
	p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I64, Dst: n, A: n, B: one})
	p.emit(isa.Inst{Op: isa.OpNe, Type: isa.I64, Dst: more, A: n, B: p.constant(0)})
	b := isa.Inst{Op: isa.OpBarrier, Imm2: uint8(isa.ScopeWorkgroup)}
	b.SetTargets(2, 0)
	p.emit(b)
	b = isa.Inst{Op: isa.OpBrCond, A: more}
	b.SetTargets(1, 3)
	p.emit(b)
	p.emit(isa.Inst{Op: isa.OpRet})
	p.k.UsesBarrier = true
	return p, &engine.Launch{Kernel: p.k, Dim: 1, Global: [3]uint64{lanes << 20, 1, 1}, Local: [3]uint32{lanes, 1, 1}, Groups: [3]uint64{1 << 20, 1, 1},
		Scalars: slices.Clone(p.k.ScalarInit), Memory: memory.NewGlobal(1 << 20), SubgroupSize: 32, Cancel: &atomic.Bool{}}
}

// TestSweepCancel holds that a sweep ends when the launch is cancelled: at a barrier, where the scheduler
// finds the group, or between two groups.
func TestSweepCancel(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for _, c := range []struct {
			times uint64
			stop  engine.Stop
		}{{1 << 60, engine.StopBarrier}, {1, engine.StopDone}} {
			p, l := barriers(c.times, 0)
			w := compile(t, e, p.k).NewWave(lanes)
			g := &engine.Group{Launch: l, Size: l.Local}
			w.Start(g, 0, lanes)
			go l.Cancel.Store(true)
			n, stop := w.(engine.Sweeper).Sweep(1<<20 - 1)
			if stop == engine.StopDone && c.stop == engine.StopBarrier || stop != engine.StopDone && stop != engine.StopBarrier && stop != engine.StopCancelled {
				t.Errorf("%d barriers: stop %d", c.times, stop)
			}
			if g.ID[0] != n || g.Linear != n {
				t.Errorf("%d barriers: group %d, %d, after %d have ended", c.times, g.ID[0], g.Linear, n)
			}
		}
	})
}

// TestSweepBarriers holds that a wave that is its whole work-group does barriers in machine code, those at
// which it comes back to look whether it should go on too: with as many barriers as the reference engine.
func TestSweepBarriers(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for padding := range 4 {
			sweepBarriers(t, e, padding)
		}
	})
}

func sweepBarriers(t *testing.T, e Engine, padding int) {
	const times, groups = 10_000, 3
	var counters [2]engine.Counters
	for i, e := range []engine.Engine{interp.Engine{}, e} {
		p, l := barriers(times, padding)
		l.Portable = &engine.Portable{}
		w := compile(t, e, p.k).NewWave(lanes)
		w.Start(&engine.Group{Launch: l, Size: l.Local}, 0, lanes)
		if n, stop := w.(engine.Sweeper).Sweep(groups - 1); n != groups-1 || stop != engine.StopDone {
			t.Fatalf("%s: stop %d after %d groups", e.Name(), stop, n)
		}
		counters[i] = *w.Counters()
		if list := l.Portable.Insts(); e.Name() == "native" && len(list) > 0 {
			t.Errorf("%d instructions more: without machine code: %+v", padding, list)
		}
	}
	if d := cmp.Diff(counters[0], counters[1]); d != "" || counters[1].Barriers != times*groups {
		t.Errorf("%d instructions more: -interp +native:\n%s", padding, d)
	}
}

// BenchmarkBarrier is the time of a barrier in a loop that does nothing else, and of a work-group that has
// one.
func BenchmarkBarrier(b *testing.B) {
	e, err := New()
	if err != nil {
		b.Skip(err)
	}
	for _, times := range []int{1, 1000} {
		b.Run(fmt.Sprint(times), func(b *testing.B) {
			p, l := barriers(uint64(times), 0)
			w := compile(b, e, p.k).NewWave(lanes)
			for b.Loop() {
				const groups = 1000
				w.Start(&engine.Group{Launch: l, Size: l.Local}, 0, lanes)
				if n, stop := w.(engine.Sweeper).Sweep(groups - 1); n != groups-1 || stop != engine.StopDone {
					b.Fatal(n, stop)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(1000*times), "ns/barrier")
		})
	}
}
