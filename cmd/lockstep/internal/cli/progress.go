package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressAfter is how long a run takes before there is a word about it.
const progressAfter = time.Second

// progress is a line on a terminal about a run that takes a while.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	name  string
	start time.Time
	now   func() time.Time
	shown bool
	over  bool
}

func newProgress(w io.Writer, kernel string) *progress {
	return &progress{w: w, name: printable(kernel), start: time.Now(), now: time.Now}
}

// update shows how many work-groups of how many are over.
func (p *progress) update(done, total uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := p.now().Sub(p.start)
	if p.over || spent < progressAfter {
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
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
