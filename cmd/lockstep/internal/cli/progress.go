package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A terminal shows how far a run is after progressAfter, and any standard error says
// how to end it after stopAfter, as the run may be an endless loop.
const (
	progressAfter = time.Second
	stopAfter     = 5 * time.Second
)

// progress tells of a run that takes a while: on a terminal by a line that changes, and once by a line that stays.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool // w shows a line that changes
	name     string
	start    time.Time
	now      func() time.Time
	shown    bool // the line that changes
	told     bool // how to end the run
	over     bool
}

func newProgress(w io.Writer, kernel string, terminal bool) *progress {
	return &progress{w: w, terminal: terminal, name: printable(kernel), start: time.Now(), now: time.Now}
}

// update shows how many work-groups of how many are over.
func (p *progress) update(done, total uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := p.now().Sub(p.start)
	if p.over || spent < progressAfter {
		return
	}
	if spent >= stopAfter && !p.told {
		p.told = true
		p.erase()
		fmt.Fprintf(p.w, "lockstep: %s has run for %d s: %d of %s done; Ctrl-C ends it and says where its work-items are, and so does -timeout %ds\n",
			p.name, int(spent.Seconds()), done, counted(total, "work-group"), 2*int(stopAfter.Seconds()))
	}
	if !p.terminal {
		return
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s: %s", p.name, progressText(done, total, spent))
}

// progressText is "37 % of 1024 work-groups, 12 s, about 20 s left".
func progressText(done, total uint64, spent time.Duration) string {
	text := fmt.Sprintf("%d of %s, %d s", done, counted(total, "work-group"), int(spent.Seconds()))
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
