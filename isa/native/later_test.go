package native

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
)

// late is the code of a kernel that becomes machine code, made before, after some work. It knows the waves of
// its only work-group.
type late struct {
	engine.LazyCode
	items int // of the work-group
	width int // of its waves
	waves []engine.Wave
	done  uint64 // work when machine code took over
}

// NewWave returns a wave.
func (l *late) NewWave(lanes int) engine.Wave {
	w := l.LazyCode.NewWave(lanes)
	l.width, l.waves = lanes, append(l.waves, w)
	return w
}

// work returns what has been done since waves were started.
func (l *late) work() (n uint64) {
	for i, w := range l.waves {
		lanes := l.items
		if l.width < l.items {
			lanes = min(l.width, l.items-i*l.width)
		}
		n += w.Counters().Instructions * uint64((lanes+63)/64)
	}
	return n
}

// everywhere calls f with code of a kernel that becomes machine code at each point at which it can, one after
// the other, with at least so much work in between, but at no more than so many. f returns what is wrong. It
// says how many there were.
func everywhere(t *testing.T, code engine.Code, k *isa.Kernel, items, step, most int, f func(*late) string) (points int) {
	t.Helper()
	for work := uint64(0); points < most; {
		l := &late{items: items}
		c, err := interp.CompileLater(&isa.Program{Kernels: []*isa.Kernel{k}}, k, work, func() engine.Code {
			l.done = l.work()
			return code
		})
		if err != nil {
			t.Fatal(err)
		}
		l.LazyCode = c
		if d := f(l); d != "" {
			t.Fatalf("machine code after the work of %d instructions:\n%s", work, d)
		}
		if !l.Made() {
			break
		}
		points++
		work = max(l.done+1, work+uint64(step))
	}
	return points
}

// TestLater lets waves of random programs go on in machine code wherever they can, and sees that
// nobody can tell from where.
func TestLater(t *testing.T) {
	n, most := amount(10, 12, 40), amount(20, 30, 40)
	if *programCount > 0 {
		n = *programCount
	}
	each(t, func(t *testing.T, e Engine) {
		points := 0
		for seed := *programFirst; seed < *programFirst+n; seed++ {
			s := &source{state: uint64(seed) * 0xd1342543de82ef95}
			p := generate(s)
			c := newSetting(s)
			reference, code := compile(t, interp.Engine{}, p.kernel), compile(t, e, p.kernel)
			failed := func(d string) string {
				if d != "" {
					d = fmt.Sprintf("program %d, %+v, work-group %v:\n%s\n%s", seed, c, p.items, d, p.kernel.Text(&isa.Program{Kernels: []*isa.Kernel{p.kernel}}))
				}
				return d
			}
			points += everywhere(t, code, p.kernel, p.lanes(), 1, most, func(l *late) string { return failed(p.compare(reference, l, c)) })
			// The same for one work-group after the other, where the wave is begun anew for each and where it
			// is not.
			c.Width = (p.lanes() + c.Subgroup - 1) / c.Subgroup * c.Subgroup
			points += everywhere(t, code, p.kernel, p.lanes(), 1, most, func(l *late) string { return failed(p.checkSweep(reference, l, c)) })
			points += everywhere(t, code, p.kernel, p.lanes(), len(p.kernel.Code)/2+1, most/4, func(l *late) string { return failed(p.checkSweep(l, reference, c)) })
		}
		if points < 10*n {
			t.Errorf("%d points in %d programs", points, n)
		}
	})
}

// TestLaterFlow is TestLater for kernels of random control flow.
func TestLaterFlow(t *testing.T) {
	n := uint64(amount(15, 30, 60))
	each(t, func(t *testing.T, e Engine) {
		for seed := range n {
			f := newFlow(seed, seed%4 == 3)
			portable, code := compile(t, interp.Engine{}, f.k), compile(t, e, f.k)
			data := contents(f.Rand)
			quantum := []int{0, 1, 3}[seed%3]
			want, left := steps(t, portable, f.k, data, quantum)
			everywhere(t, code, f.k, lanes, 1, 50, func(l *late) string {
				got, leaves := steps(t, l, f.k, data, quantum)
				d := diffMoments(want, got) + left.diff(leaves)
				if d != "" {
					d = fmt.Sprintf("kernel %d, quantum %d (-interp +later):\n%s", seed, quantum, d)
				}
				return d
			})
		}
	})
}

// TestLaterShared lets several waves on goroutines of their own use code of which one of them makes machine
// code.
func TestLaterShared(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for seed := range uint64(10) {
			f := newFlow(seed, false)
			data := contents(f.Rand)
			want, left := steps(t, compile(t, interp.Engine{}, f.k), f.k, data, 0)
			work := want[len(want)-1].Counters.Instructions
			code, err := e.CompileLater(&isa.Program{Kernels: []*isa.Kernel{f.k}}, f.k, work*3)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range 4 {
						got, leaves := steps(t, code, f.k, data, 0)
						if d := diffMoments(want, got) + left.diff(leaves); d != "" {
							t.Errorf("kernel %d (-interp +later):\n%s", seed, d)
						}
					}
				})
			}
			if wg.Wait(); !code.Made() {
				t.Errorf("kernel %d: no machine code", seed)
			}
		}
	})
}

// TestLaterExpected holds when machine code is made, and that a kernel runs without where it cannot be had.
func TestLaterExpected(t *testing.T) {
	refusal := errors.New("not today")
	each(t, func(t *testing.T, e Engine) {
		f := newFlow(1, false)
		data := contents(f.Rand)
		want, left := steps(t, compile(t, interp.Engine{}, f.k), f.k, data, 0)
		work := want[len(want)-1].Counters.Instructions * ((lanes + 63) / 64)
		program := &isa.Program{Kernels: []*isa.Kernel{f.k}}
		for _, refuse := range []bool{false, true} {
			if refuse {
				e.on = processor{func(...[]byte) (*codemem.Code, error) { return nil, refusal }}
			}
			code, err := e.CompileLater(program, f.k, 2*work+1)
			if err != nil {
				t.Fatal(err)
			}
			run := func(made bool) {
				t.Helper()
				got, leaves := steps(t, code, f.k, data, 0)
				if d := diffMoments(want, got) + left.diff(leaves); d != "" {
					t.Errorf("(-interp +later):\n%s", d)
				}
				if code.Made() != made {
					t.Errorf("machine code %t, want %t", !made, made)
				}
			}
			run(false)
			code.Expect(work)
			run(false)
			if code.Expect(1); code.Made() || code.Fallback() != nil {
				t.Errorf("machine code %t before there is work for it: %v", code.Made(), code.Fallback())
			}
			if code.Expect(2); !code.Made() {
				t.Error("no machine code although more work is expected")
			}
			run(true)
			if why := code.Fallback(); errors.Is(why, refusal) != refuse {
				t.Errorf("refused %t: %v", refuse, why)
			}
		}
	})
}
