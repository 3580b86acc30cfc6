package explorecmd

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
)

// exploreProgress tells of many runs while they are made: on a terminal by a line that changes, elsewhere
// once, by a line that says how to end them.
type exploreProgress struct {
	w        io.Writer
	terminal bool
	name     string

	mu                    sync.Mutex
	done, total, outcomes int
	shown                 bool
	quit                  chan struct{}
	wait                  sync.WaitGroup
}

// progressEvery is how often the line changes.
const progressEvery = 200 * time.Millisecond

// start begins to tell.
func (p *exploreProgress) start(notice time.Duration) {
	p.quit = make(chan struct{})
	p.wait.Go(func() {
		t := time.NewTicker(min(progressEvery, notice))
		defer t.Stop()
		for start, told := time.Now(), false; ; {
			select {
			case <-p.quit:
				return
			case <-t.C:
			}
			if spent := time.Since(start); p.terminal && spent >= min(launch.ProgressAfter, notice) {
				p.show(spent)
			} else if !p.terminal && spent >= notice && !told {
				told = true
				p.tell(spent)
			}
		}
	})
}

// update is for explore.Options.Progress.
func (p *exploreProgress) update(done, total, outcomes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total, p.outcomes = done, total, outcomes
}

// text is "12 of 64 runs made, 2 outcomes". Before the first run is over the total is not known.
func (p *exploreProgress) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total == 0 {
		return "the first runs have not ended"
	}
	return fmt.Sprintf("%d of %s made, %s", p.done, cmdline.Counted(p.total, "run"), cmdline.Counted(p.outcomes, "outcome"))
}

func (p *exploreProgress) show(spent time.Duration) {
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s: %s, %d s", p.name, p.text(), int(spent.Seconds()))
}

func (p *exploreProgress) tell(spent time.Duration) {
	fmt.Fprintf(p.w, "lockstep: %s: %s after %d s; Ctrl-C ends the command and prints what is known, and so does -timeout %ds\n",
		p.name, p.text(), int(spent.Seconds()), 2*int(launch.StopAfter.Seconds()))
}

// clear ends it and takes the line away.
func (p *exploreProgress) clear() {
	if p.quit == nil {
		return
	}
	close(p.quit)
	p.wait.Wait()
	if p.quit = nil; p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
