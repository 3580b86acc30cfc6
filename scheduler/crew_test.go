package scheduler

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestLend has work done by goroutines that come and go: each once, at the same time as others, whether somebody of the crew is about to leave or not.
func TestLend(t *testing.T) {
	var done atomic.Int64
	var wg sync.WaitGroup
	const askers, times = 4, 200
	for a := range askers {
		wg.Go(func() {
			for i := range times {
				var mine sync.WaitGroup
				work := make([]func(), 1+i%3)
				for j := range work {
					mine.Add(1)
					work[j] = func() {
						done.Add(1)
						mine.Done()
					}
				}
				lend(work...)
				mine.Wait()
				if i%8 == a {
					time.Sleep(linger * time.Duration(i%5) / 2)
				}
			}
		})
	}
	wg.Wait()
	want := int64(0)
	for i := range times {
		want += int64(1 + i%3)
	}
	if got := done.Load(); got != askers*want {
		t.Errorf("%d pieces of work were done of %d", got, askers*want)
	}
}

// TestLendLeaves holds that nobody of the crew stays when there is no work.
func TestLendLeaves(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(3)
	lend(wg.Done, wg.Done, wg.Done)
	wg.Wait()
	for {
		crew.Lock()
		n := len(crew.waiting) + crew.asleep
		crew.Unlock()
		if n == 0 {
			break // otherwise the test ends when its time is over
		}
		runtime.Gosched()
	}
}

// TestLendOneProcessor holds that nobody waits for what cannot come before others have run.
func TestLendOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var wg sync.WaitGroup
	n := 0
	for range 10 {
		wg.Add(1)
		lend(func() {
			n++
			wg.Done()
		})
		wg.Wait()
	}
	if n != 10 {
		t.Errorf("%d pieces of work were done of 10", n)
	}
	if spin(func() bool { return false }) {
		t.Error("what does not hold has been waited for with success")
	}
}
