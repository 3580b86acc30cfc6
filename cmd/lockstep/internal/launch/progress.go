package launch

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
)

// A terminal shows how far a run is after ProgressAfter, and any standard error says
// how to end it after StopAfter, as the run may be an endless loop.
const (
	ProgressAfter = time.Second
	StopAfter     = 5 * time.Second
	// lookFor is how long work-items have to answer where they are: a wave does so at the end of its turn.
	lookFor = 3 * time.Second
)

// maxWhere is how many lines a notice has at most about where work-items are.
const maxWhere = 8

// progress tells of a run that takes a while: on a terminal by a line that changes, and once by a line that
// stays.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool // w shows a line that changes
	name     string
	start    time.Time
	now      func() time.Time
	shown    bool          // the line that changes
	told     bool          // how to end the run
	stop     time.Duration // after which it is told
	look     looker        // nil for a run that cannot be asked
	asked    bool
	over     bool
}

// looker is an [emu.Look].
type looker interface {
	Ask()
	Answer() []emu.Whereabouts
}

func newProgress(w io.Writer, kernel string, terminal bool) *progress {
	return &progress{w: w, terminal: terminal, name: cmdline.Printable(kernel), start: time.Now(), now: time.Now, stop: StopAfter}
}

// update shows how many work-groups of how many are over.
func (p *progress) update(done, total uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := p.now().Sub(p.start)
	if p.over || spent < min(ProgressAfter, p.stop) {
		return
	}
	if spent >= p.stop && !p.told {
		p.tell(done, total, spent)
	}
	if !p.terminal {
		return
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s: %s", p.name, progressText(done, total, spent))
}

// tell says how to end the run and where its work-items are, once they have answered, or had the time to.
func (p *progress) tell(done, total uint64, spent time.Duration) {
	var at []emu.Whereabouts
	if p.look != nil {
		if !p.asked {
			p.asked = true
			p.look.Ask()
			return
		}
		if at = p.look.Answer(); at == nil && spent < p.stop+lookFor {
			return
		}
	}
	p.told = true
	p.erase()
	has := " has"
	if strings.HasSuffix(p.name, " kernels") {
		has = " have"
	}
	fmt.Fprintf(p.w, "lockstep: %s run for %d s: %d of %s done; Ctrl-C ends it, and so does -timeout %ds\n",
		p.name+has, int(spent.Seconds()), done, cmdline.Counted(total, "work-group"), 2*int(StopAfter.Seconds()))
	fmt.Fprint(p.w, whereText(at))
}

// whereText has a line for each place where work-items are.
func whereText(list []emu.Whereabouts) string {
	var lines []string
	for _, at := range list {
		for i := range at.Parties {
			line := fmt.Sprintf("  group (%d,%d,%d): %s\n", at.Group[0], at.Group[1], at.Group[2], at.Parties[i].Text())
			if len(list) > 1 {
				line = fmt.Sprintf("  kernel %s, %s", cmdline.Printable(at.Kernel), line[2:])
			}
			lines = append(lines, line)
		}
	}
	if n := len(lines) - maxWhere; n > 1 {
		lines = append(lines[:maxWhere], fmt.Sprintf("  and %d more places\n", n))
	}
	return strings.Join(lines, "")
}

// progressText is "37 % of 1024 work-groups, 12 s, about 20 s left".
func progressText(done, total uint64, spent time.Duration) string {
	text := fmt.Sprintf("%d of %s, %d s", done, cmdline.Counted(total, "work-group"), int(spent.Seconds()))
	if total >= 100 {
		text = fmt.Sprintf("%d %% of %d work-groups, %d s", uint64(100*float64(done)/float64(total)), total, int(spent.Seconds()))
	}
	// The rest takes as long as what is over, once that says something.
	if done*20 >= total && done > 0 && done < total {
		left := spent.Seconds() / float64(done) * float64(total-done)
		text += fmt.Sprintf(", about %d s left", int(left)+1)
	}
	return text
}

// clear takes the line away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.erase()
}

// erase takes the line that changes away.
func (p *progress) erase() {
	if p.shown {
		p.shown = false
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
