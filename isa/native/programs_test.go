package native

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
)

var (
	programCount = flag.Int("programs", 0, "number of random programs of TestPrograms; 0 is its usual one")
	programFirst = flag.Int("first", 0, "the first of them")
)

// setting is how a generated program is run.
type setting struct {
	Width    int // of waves
	Subgroup int
	Quantum  int
	Check    bool
}

var (
	settingWidths    = []int{64, 128, 256, 16, 96, 320}
	settingSubgroups = []int{32, 64, 8, 16, 128, 4}
	settingQuanta    = []int{0, 1, 2, 3, 7}
)

// newSetting chooses one.
func newSetting(s *source) setting {
	c := setting{Subgroup: settingSubgroups[s.n(len(settingSubgroups))], Quantum: settingQuanta[s.n(len(settingQuanta))], Check: s.once(40)}
	c.Width = max(settingWidths[s.n(len(settingWidths))]/c.Subgroup, 1) * c.Subgroup
	if s.wide {
		c.Width = 1024
	}
	return c
}

// session is a work-group of a generated program on an engine.
type session struct {
	mem   *memory.Global
	group *engine.Group
	waves []engine.Wave
	// orders, if not nil, is told of accesses and barriers.
	orders *orders
}

// start begins a session.
func (p *generated) start(code engine.Code, c setting) (*session, error) {
	return p.startWatched(code, c, nil)
}

// startWatched begins a session of which somebody is told of all accesses, if that is not nil.
func (p *generated) startWatched(code engine.Code, c setting, o *orders) (*session, error) {
	k := p.kernel
	s := &session{mem: memory.NewGlobal(1 << 30)}
	lanes := p.lanes()
	local := [3]uint32{p.items[0] + 2, p.items[1], p.items[2]}
	l := &engine.Launch{Kernel: k, Dim: 3, Local: local, Groups: [3]uint64{4, 3, 2}, Offset: [3]uint64{5, 1 << 33, 7},
		Scalars: slices.Clone(k.ScalarInit), Memory: s.mem, SubgroupSize: c.Subgroup, LocalSizes: p.local, Check: c.Check}
	for i := range l.Global {
		l.Global[i] = uint64(local[i]) * l.Groups[i]
	}
	l.Global[0] -= 2
	for i, v := range p.values {
		l.Scalars[i] = v
	}
	for i := range genBuffers + 1 {
		data := make([]byte, genPitch*lanes)
		if i < genBuffers {
			data = bytes.Clone(p.global[i])
		}
		b, err := s.mem.AllocBytes(fmt.Sprint("buffer ", i), data, false)
		if err != nil {
			return nil, err
		}
		l.Scalars[i] = uint64(b)
	}
	lds, err := memory.NewLocal(p.local, 1<<20)
	if err != nil {
		return nil, err
	}
	s.group = &engine.Group{Launch: l, ID: [3]uint64{3, 1, 1}, Linear: 19, Size: p.items, LDS: lds}
	if s.orders = o; o != nil {
		s.group.Accesses = o.access
	}
	for first := 0; first < lanes; first += c.Width {
		w := code.NewWave(c.Width)
		w.Start(s.group, first, min(c.Width, lanes-first))
		s.waves = append(s.waves, w)
	}
	return s, nil
}

// position is where a wave is, and what it has done.
type position struct {
	Stop         engine.Stop
	Live, Parked int
	PC, Barrier  int
	Counters     engine.Counters
	Fault        *engine.Fault
}

// equal says whether two waves are at the same place and have done the same.
func (p position) equal(q position) bool {
	a, b := p.Fault, q.Fault
	p.Fault, q.Fault = nil, nil
	return p == q && sameFault(a, b)
}

func positionOf(w engine.Wave, stop engine.Stop) position {
	p := position{Stop: stop, Live: w.Live(), Parked: w.Parked(), PC: -2, Barrier: -2, Counters: *w.Counters(), Fault: w.Fault()}
	if l, ok := w.(engine.Locator); ok && stop != engine.StopFault {
		p.PC, p.Barrier = l.PC(), l.BarrierPC()
	}
	return p
}

// memories returns what all memory of the work-group holds that outlives it, and LDS.
func (s *session) memories(p *generated) map[string][]byte {
	m := map[string][]byte{"output": s.group.Output}
	for i := range genBuffers + 1 {
		m[fmt.Sprint("buffer ", i)] = s.mem.Lookup(memory.Pointer(s.group.Launch.Scalars[i]).Alloc()).Data
	}
	for i := range p.local {
		m[fmt.Sprint("LDS ", i)] = s.group.LDS.Lookup(uint32(i + 1)).Data
	}
	return m
}

// compareMemory returns what differs between the memories of two sessions, "" if nothing does.
func (p *generated) compareMemory(want, got *session) string {
	a, b := want.memories(p), got.memories(p)
	for name, x := range a {
		y := b[name]
		if bytes.Equal(x, y) {
			continue
		}
		for i := range min(len(x), len(y)) {
			if x[i] != y[i] {
				return fmt.Sprintf("%s, byte %d (%s): %#x, want %#x", name, i, p.where(name, i), y[i], x[i])
			}
		}
		return fmt.Sprintf("%s: %d bytes, want %d", name, len(y), len(x))
	}
	return ""
}

// where says which work-item's result a byte belongs to.
func (p *generated) where(name string, i int) string {
	if name != fmt.Sprint("buffer ", genResult) {
		return "any"
	}
	k := p.kernel
	for pc := range k.Code {
		in := &k.Code[pc]
		if in.Op == isa.OpStore && in.A == isa.S(genResult) && int(in.Disp) <= i%genPitch && i%genPitch < int(in.Disp)+in.Type.Bytes() {
			return fmt.Sprintf("work-item %d, %s", i/genPitch, in.C.Name(in.Type))
		}
	}
	return "any"
}

// A generated program that stops more often is not run to its end.
const mostStops = 20000

// compare runs a program on two engines side by side and returns what they do not agree on, "" for nothing.
func (p *generated) compare(reference, engine engine.Code, c setting) string {
	want, err := p.start(reference, c)
	if err != nil {
		return err.Error()
	}
	got, err := p.start(engine, c)
	if err != nil {
		return err.Error()
	}
	return p.race(want, got, c)
}

// race lets two sessions go on turn by turn.
func (p *generated) race(want, got *session, c setting) string {
	done := make([]bool, len(want.waves))
	for stops := 0; stops < mostStops; {
		waiting := 0
		for i := range want.waves {
			for stops < mostStops && !done[i] {
				stops++
				a, b := positionOf(want.waves[i], want.waves[i].Run(c.Quantum)), positionOf(got.waves[i], got.waves[i].Run(c.Quantum))
				if !a.equal(b) {
					return fmt.Sprintf("stop %d, wave %d (-interp +native):\n%s", stops, i, cmp.Diff(a, b))
				}
				if stops < 20 || stops%64 == 0 || a.Stop != engine.StopQuantum {
					if d := p.compareMemory(want, got); d != "" {
						return fmt.Sprintf("stop %d, wave %d: %s", stops, i, d)
					}
				}
				if a.Stop == engine.StopFault {
					return "" // ends the launch
				}
				if a.Stop == engine.StopDone {
					done[i] = true
				}
				if a.Stop == engine.StopBarrier {
					waiting++
					break
				}
				if i%2 == 1 && a.Stop == engine.StopQuantum {
					break // the next wave's turn
				}
			}
		}
		if !slices.Contains(done, false) {
			break
		}
		if waiting > 0 && waiting == count(done, false) {
			for i := range want.waves {
				want.waves[i].Open()
				got.waves[i].Open()
			}
		}
	}
	return ""
}

func count(list []bool, v bool) (n int) {
	for _, x := range list {
		if x == v {
			n++
		}
	}
	return n
}

// reduced says that a program that failed has been reduced: one is enough.
var reduced atomic.Bool

// A test ends when so many programs have failed.
const mostFailures = 10

// checkProgram runs the program that comes of some decisions on an engine, in several settings.
func checkProgram(t *testing.T, e Engine, s *source) {
	t.Helper()
	p := generate(s)
	program := &isa.Program{Kernels: []*isa.Kernel{p.kernel}}
	settings := []setting{newSetting(s), newSetting(s)}
	if !p.sound(p.kernel) {
		t.Fatalf("a register is read that has no value:\n%s", p.kernel.Text(program))
	}
	reference, err := interp.Engine{}.Compile(program, p.kernel)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.kernel.Text(program))
	}
	e.failed = func(err error) { t.Error(err) }
	code, err := e.Compile(program, p.kernel)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.kernel.Text(program))
	}
	for _, c := range settings {
		if d := p.compare(reference, code, c); d != "" {
			if !reduced.Swap(true) {
				d = p.reduce(e, c, d)
			}
			t.Fatalf("%+v, work-group %v, order %s:\n%s\nas far as reduced:\n%s", c, p.items, p.kernel.Meta.Order, d, p.kernel.Text(program))
		}
	}
}

// TestPrograms runs random programs on this engine and on package interp, which have to agree on
// everything. A program that fails is run again with
//
//	go test ./isa/native -run TestPrograms//SEED$ -first SEED -programs 1
func TestPrograms(t *testing.T) {
	n := amount(120, 160, 1000)
	if *programCount > 0 {
		n = *programCount
	}
	each(t, func(t *testing.T, e Engine) {
		failures := 0
		for seed := *programFirst; seed < *programFirst+n; seed++ {
			ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
				checkProgram(t, e, &source{state: uint64(seed) * 0x2545f4914f6cdd1d})
			})
			if !ok {
				if failures++; failures == mostFailures {
					t.Fatal("and so on")
				}
			}
		}
	})
}

// FuzzPrograms does the same for what bytes say.
func FuzzPrograms(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("loops, and memory beyond"))
	f.Fuzz(func(t *testing.T, data []byte) {
		each(t, func(t *testing.T, e Engine) { checkProgram(t, e, &source{data: data}) })
	})
}
