package scheduler

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// copyOut lets a lane encounter the copy of the group's LDS, 16 bytes, to its
// place in global memory.
func copyOut(out memory.Pointer) func(l *lane) {
	spec := &dma.CopySpec{Name: "copy", Dim: 1}
	for _, i := range []int{0, 2, 5} {
		spec.Has[i] = true
	}
	return func(l *lane) {
		c := dma.Copy{PC: 1, Spec: spec}
		c.Args[0] = uint64(out.Add(int64(l.group.Linear * 16)))
		c.Args[2] = uint64(memory.MakePointer(memory.SpaceLocal, 1, 0))
		c.Args[5] = 16
		event, stall, f := l.group.DMA.GroupCopy(l.group.Turn, &c, 0, itemsOf(l))
		if f != nil {
			panic(f)
		}
		l.group.Turn += stall
		l.v[0] = int(event)
	}
}

func itemsOf(l *lane) dma.Items {
	return dma.Items{Wave: l.id / 4, First: l.id, Mask: []uint64{1}}
}

// fill writes the group's number into its LDS.
func fill(l *lane) {
	data := l.group.LDS.Lookup(1).Data
	for i := range data {
		data[i] = byte(l.group.Linear + 1)
	}
}

// copyLaunch is a launch of groups of 8 work-items in waves of 4 which copy.
func copyLaunch(t *testing.T, groups uint64, p func(out memory.Pointer) program) (*fakeCode, *engine.Launch, func() []byte) {
	t.Helper()
	mem := memory.NewGlobal(1 << 20)
	out, err := mem.Alloc("out", groups*16, false)
	if err != nil {
		t.Fatal(err)
	}
	c := &fakeCode{p: p(out)}
	k := c.p.kernel()
	k.UsesAsync = true
	k.Local = []isa.Alloc{{Name: "tile", Size: 16}}
	l := launchOf(k, [3]uint64{groups * 8, 1, 1}, [3]uint64{8, 1, 1})
	l.Memory, l.LocalSizes = mem, []uint64{16}
	return c, l, func() []byte { return mem.Lookup(out.Alloc()).Data }
}

// TestCopiesArriveAtTheEnd checks that what nobody waited for arrives when its
// group is over, but not when a fault has ended the group.
func TestCopiesArriveAtTheEnd(t *testing.T) {
	const groups = 20
	for _, completion := range []dma.Completion{dma.Early, dma.Late, dma.Seeded, dma.Paced} {
		for _, workers := range []int{1, 3} {
			c, l, out := copyLaunch(t, groups, func(out memory.Pointer) program {
				return program{
					{do: fill},
					{do: copyOut(out)},
					{fault: func(l *lane) bool { return l.group.Linear%3 == 2 && l.id == 7 }},
				}
			})
			res, err := Run(context.Background(), c, l, Options{Workers: workers, WaveLanes: 4, KeepGoing: true,
				DMA: dma.Config{Completion: completion, BytesPerStep: 1, Seed: 3}})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Faults) != 1 || res.Faults[0].Groups != 6 {
				t.Errorf("faults %+v", res.Faults)
			}
			for g := range groups {
				got := out()[g*16:][:16]
				switch all, none := got[0] == byte(g+1) && got[15] == byte(g+1), got[0] == 0 && got[15] == 0; {
				case g%3 != 2 && !all:
					t.Errorf("%s: group %d left %x", completion, g, got)
				case g%3 == 2 && completion == dma.Late && !none:
					t.Errorf("%s: group %d, which faulted, left %x", completion, g, got)
				}
			}
		}
	}
}

// TestFindingsOfCopies checks that findings do not end groups, that they are
// counted, and that neither depends on the number of workers.
func TestFindingsOfCopies(t *testing.T) {
	const groups = 50
	var want *Result
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		want = nil
		for _, workers := range []int{1, 2, 5} {
			c, l, _ := copyLaunch(t, groups, func(out memory.Pointer) program {
				return program{
					{do: fill},
					{do: copyOut(out)},
					{barrier: true},
					{do: func(l *lane) {
						// Not the event of this group.
						l.group.DMA.GroupWait(l.group.Turn, 3, 77, itemsOf(l))
					}},
					{fault: func(l *lane) bool { return l.group.Linear == 9 }},
				}
			})
			l.Check = true
			res, err := Run(context.Background(), c, l, Options{Order: o, Seed: 5, Workers: workers, WaveLanes: 4, Parallel: ParallelAlways, KeepGoing: true})
			if err != nil {
				t.Fatal(err)
			}
			res.Faults = append([]Fault(nil), res.Faults...)
			if want == nil {
				want = res
				got := ""
				for _, f := range res.Faults {
					got += fmt.Sprintf("%s@%d %d/%d ", f.Code, f.PC, f.Count, f.Groups)
					if (f.Async == nil) != (f.Code == finding.DivideByZero) {
						t.Errorf("particulars of %+v", f)
					}
				}
				if f := find(res.Faults, finding.AsyncEvent); f == nil || f.Groups != groups || f.PC != 3 || f.Group.Position != 0 {
					t.Errorf("%s: %s: wait for no event: %+v", o, got, f)
				}
				if f := find(res.Faults, finding.AsyncNoWait); f == nil || f.Groups != groups-1 || f.PC != 1 {
					t.Errorf("%s: %s: event that nobody waits for: %+v", o, got, f)
				}
				if f := find(res.Faults, finding.DivideByZero); f == nil || f.Groups != 1 {
					t.Errorf("%s: %s: fault: %+v", o, got, f)
				}
				continue
			}
			if !reflect.DeepEqual(res.Faults, want.Faults) {
				t.Errorf("%s: %d workers: findings\n%+v, with one worker\n%+v", o, workers, res.Faults, want.Faults)
			}
		}
	}
}

// find returns the fault with a code, or nil.
func find(faults []Fault, code finding.Code) *Fault {
	for i := range faults {
		if faults[i].Code == code {
			return &faults[i]
		}
	}
	return nil
}

// clockTracer checks that time never goes back and that everything joins up.
type clockTracer struct {
	t      *testing.T
	now    uint64
	events []string
}

func (c *clockTracer) at(now uint64, format string, args ...any) {
	if now < c.now {
		c.t.Errorf("%s: time goes back from %d to %d", fmt.Sprintf(format, args...), c.now, now)
	}
	c.now = now
	c.events = append(c.events, fmt.Sprintf(format, args...))
}

func (c *clockTracer) Group(g Group, items int, start uint64) {
	c.at(start, "group %d of %d", g.Linear, items)
}

func (c *clockTracer) Turn(wave, first, items int, from, to uint64, stop engine.Stop) {
	if from != c.now {
		c.t.Errorf("wave %d runs from %d on, not from %d", wave, from, c.now)
	}
	c.at(to, "wave %d (%d+%d) ran %d, stop %d", wave, first, items, to-from, stop)
}

func (c *clockTracer) Barrier(pc int, now uint64) { c.at(now, "barrier %d", pc) }
func (c *clockTracer) GroupEnd(now uint64)        { c.at(now, "end") }

func (c *clockTracer) Issue(*dma.Transfer)                            {}
func (c *clockTracer) Complete(*dma.Transfer)                         {}
func (c *clockTracer) Mark(_ uint64, _, _, _ int, _ dma.Items)        {}
func (c *clockTracer) Wait(_, _ uint64, _, _ int, _ string, _ uint64) {}

// TestTrace checks what a tracer is told, that it is one story whatever the
// number of workers, and that kernels without copies have one too.
func TestTrace(t *testing.T) {
	for _, workers := range []int{1, 4} {
		c, l, _ := copyLaunch(t, 2, func(out memory.Pointer) program {
			return program{
				{do: fill},
				{do: copyOut(out)},
				{barrier: true},
				{fault: func(l *lane) bool { return l.group.Linear == 1 && l.id == 5 }},
			}
		})
		tr := &clockTracer{t: t}
		if _, err := Run(context.Background(), c, l, Options{Workers: workers, WaveLanes: 4, Tracer: tr, Parallel: ParallelAlways}); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"group 0 of 8", "wave 0 (0+4) ran 3, stop 1", "wave 1 (4+4) ran 3, stop 1", "barrier 2",
			"wave 0 (0+4) ran 1, stop 0", "wave 1 (4+4) ran 1, stop 0", "end",
			"group 1 of 8", "wave 0 (0+4) ran 3, stop 1", "wave 1 (4+4) ran 3, stop 1", "barrier 2",
			"wave 0 (0+4) ran 1, stop 0", "wave 1 (4+4) ran 1, stop 3", "end",
		}
		if !reflect.DeepEqual(tr.events, want) {
			t.Errorf("%d workers: %q, want %q", workers, tr.events, want)
		}
		if tr.now < 16 {
			t.Errorf("the launch ended at %d", tr.now)
		}
	}
	c := &fakeCode{p: program{{do: func(*lane) {}}}}
	tr := &clockTracer{t: t}
	if _, err := Run(context.Background(), c, launchOf(c.p.kernel(), [3]uint64{2, 1, 1}, [3]uint64{1, 1, 1}), Options{Tracer: tr}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"group 0 of 1", "wave 0 (0+1) ran 1, stop 0", "end", "group 1 of 1", "wave 0 (0+1) ran 1, stop 0", "end"}; !reflect.DeepEqual(tr.events, want) {
		t.Errorf("without copies: %q", tr.events)
	}
}

// TestUnknownCompletion refuses what is no completion.
func TestUnknownCompletion(t *testing.T) {
	c := &fakeCode{p: program{{do: func(*lane) {}}}}
	if _, err := Run(context.Background(), c, launchOf(c.p.kernel(), [3]uint64{2, 1, 1}, [3]uint64{1, 1, 1}), Options{DMA: dma.Config{Completion: 99}}); err == nil {
		t.Error("no error")
	}
}
