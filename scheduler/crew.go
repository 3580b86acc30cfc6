package scheduler

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// linger is how long a goroutine without work looks for some before it lets its thread go: about as long as it takes to wake a
// thread, which is as much as a small launch takes. Nothing but time depends on it.
const linger = 50 * time.Microsecond

// crew has the goroutines that look for work, of all launches of the process. Each is on a processor of its own meanwhile, which it does not
// yield: one in a queue would wait there for as long as the one that has work for it is busy itself.
var crew struct {
	sync.Mutex
	waiting []*hand
}

// hand is a goroutine of the crew.
type hand struct {
	work atomic.Pointer[func()]
}

// lend has somebody do f: one of the crew who looks for work, or a new goroutine, which joins the crew then.
func lend(f func()) {
	crew.Lock()
	if n := len(crew.waiting) - 1; n >= 0 {
		h := crew.waiting[n]
		crew.waiting = slices.Delete(crew.waiting, n, n+1)
		crew.Unlock()
		h.work.Store(&f)
		return
	}
	crew.Unlock()
	go func() {
		h := &hand{}
		for f := f; f != nil; f = h.next() {
			f()
		}
	}()
}

// next returns what to do next, or nil if nobody has had anything for a while.
func (h *hand) next() func() {
	runtime.Gosched() // whoever has been woken by what was done goes on first
	crew.Lock()
	if len(crew.waiting) >= runtime.GOMAXPROCS(0)-1 {
		crew.Unlock()
		return nil
	}
	crew.waiting = append(crew.waiting, h)
	crew.Unlock()
	found := func() bool { return h.work.Load() != nil }
	if !spin(found) {
		crew.Lock()
		n := slices.Index(crew.waiting, h)
		if n >= 0 {
			crew.waiting = slices.Delete(crew.waiting, n, n+1)
		}
		crew.Unlock()
		if n >= 0 {
			return nil
		}
		for !found() { // lend is about to say
			runtime.Gosched()
		}
	}
	return *h.work.Swap(nil)
}

// spin waits for a condition as long as linger at most. It says whether the condition holds.
func spin(holds func() bool) bool {
	if runtime.GOMAXPROCS(0) == 1 {
		return holds() // who could see to it has to run first
	}
	if holds() {
		return true
	}
	for begin := time.Now(); ; {
		for range 64 {
			if holds() {
				return true
			}
		}
		if time.Since(begin) > linger {
			return false
		}
	}
}
