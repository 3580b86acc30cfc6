package lower

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/lockstep-gpu/lockstep/internal/verifyeach"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Instrument says what is to be seen of passes while they run. The zero value
// sees nothing and costs nothing.
type Instrument struct {
	// Out takes what Before, After and Changed ask for. An error of it
	// refuses the kernel at hand.
	Out io.Writer
	// Before and After have the passes around which the kernel is printed;
	// AllPasses has all of them.
	Before, After []string
	// Changed prints the kernel after each pass that changed it, and names those
	// that did not.
	Changed bool
	// Clock reads a clock, from any start; nil times nothing. Durations go to
	// Times and nowhere else, so that nothing else depends on it.
	Clock func() time.Duration
	Times *PassTimes
}

// AllPasses stands for every pass in Instrument.Before and Instrument.After.
const AllPasses = "all"

// PassTimes adds up what passes take.
type PassTimes struct {
	list []PassTime
	at   map[string]int
}

// PassTime is what a pass has taken for all kernels together.
type PassTime struct {
	Pass string
	Runs int
	Time time.Duration
}

func (t *PassTimes) add(pass string, d time.Duration) {
	i, ok := t.at[pass]
	if !ok {
		if t.at == nil {
			t.at = map[string]int{}
		}
		i = len(t.list)
		t.at[pass] = i
		t.list = append(t.list, PassTime{Pass: pass})
	}
	t.list[i].Runs++
	t.list[i].Time += d
}

// List returns the times, the longest first; passes of equal times are in the
// order in which they ran first.
func (t *PassTimes) List() []PassTime {
	l := slices.Clone(t.list)
	slices.SortStableFunc(l, func(a, b PassTime) int { return cmp.Compare(b.Time, a.Time) })
	return l
}

// WriteText writes a table: the share of the whole, the time in milliseconds and
// the runs of each pass.
func (t *PassTimes) WriteText(w io.Writer) error {
	var total time.Duration
	for i := range t.list {
		total += t.list[i].Time
	}
	if _, err := fmt.Fprintf(w, "   share          ms   runs  pass\n"); err != nil {
		return err
	}
	row := func(d time.Duration, runs int, name string) error {
		share := 0.0
		if total > 0 {
			share = 100 * float64(d) / float64(total)
		}
		_, err := fmt.Fprintf(w, "  %5.1f%%  %10.3f  %5d  %s\n", share, float64(d)/float64(time.Millisecond), runs, name)
		return err
	}
	runs := 0
	for _, p := range t.List() {
		runs += p.Runs
		if err := row(p.Time, p.Runs, p.Pass); err != nil {
			return err
		}
	}
	return row(total, runs, "total")
}

// watch is an Instrument at work on one kernel. A nil one sees nothing.
type watch struct {
	*Instrument
	each  bool // verify
	start time.Duration
	last  string // the kernel's text after the last pass
	err   error
}

// watch returns what watches the passes over a kernel; nil when nothing is to be
// seen.
func (i *Instrument) watch(each bool) *watch {
	each = each || verifyeach.On
	if !each && i.Before == nil && i.After == nil && !i.Changed && i.Clock == nil {
		return nil
	}
	return &watch{Instrument: i, each: each}
}

// listed says whether a pass is among those asked for.
func listed(list []string, pass string) bool {
	return slices.Contains(list, pass) || slices.Contains(list, AllPasses)
}

func (w *watch) print(r *passRun, when, pass, text string) {
	if w.Out == nil || w.err != nil {
		return
	}
	_, w.err = fmt.Fprintf(w.Out, "; kernel %s, %s %s\n%s\n", ssa.Quoted(r.b.Kernel.Name), when, pass, text)
}

func (w *watch) before(r *passRun, p Pass) {
	if w == nil {
		return
	}
	if p.Name != passBuild && listed(w.Before, p.Name) {
		w.print(r, "before", p.Name, r.text())
	}
	if w.Clock != nil {
		w.start = w.Clock()
	}
}

func (w *watch) after(r *passRun, p Pass) {
	if w == nil {
		return
	}
	if w.Clock != nil && w.Times != nil {
		w.Times.add(p.Name, w.Clock()-w.start)
	}
	if !w.Changed && !listed(w.After, p.Name) {
		return
	}
	text := r.text()
	switch {
	case listed(w.After, p.Name), w.Changed && text != w.last:
		w.print(r, "after", p.Name, text)
	case w.Out != nil && w.err == nil:
		_, w.err = fmt.Fprintf(w.Out, "; kernel %s, after %s: no change\n\n", ssa.Quoted(r.b.Kernel.Name), p.Name)
	}
	w.last = text
}

// failed returns the error of Out.
func (w *watch) failed() error {
	if w == nil {
		return nil
	}
	return w.err
}

// verify checks the kernel, and the analyses that the pass says it has kept.
func (w *watch) verify(r *passRun) error {
	if w == nil || !w.each {
		return nil
	}
	if r.emitted {
		return r.b.Kernel.Verify()
	}
	if err := r.b.Func.Verify(); err != nil {
		return err
	}
	return r.b.Func.CheckAnalyses()
}
