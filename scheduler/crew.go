package scheduler

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// stay is how long a thread without work sleeps before its goroutine ends.
const stay = time.Second

// crew has the goroutines that look for work, of all launches of the process. Each is on a processor of its own meanwhile, which it does not
// yield: one in a queue would wait there for as long as the one that has work for it is busy itself.
//
// A goroutine that has found no work for as long as linger sleeps in the operating system where it can (see doorbell). Go's scheduler wakes
// one thread after the other, each by the one before, which takes 0.4 ms for 15 threads. The operating system wakes them in a fifth of that.
var crew struct {
	sync.Mutex
	waiting []*hand
	// asleep counts the goroutines that sleep and have no work yet. queue has the work of the others that sleep: the first of
	// them that wakes up takes the first piece.
	asleep int
	queue  []func()
	bell   doorbell
}

// hand is a goroutine of the crew.
type hand struct {
	work atomic.Pointer[func()]
}

// lend gives each piece of work to a goroutine: one of the crew that looks for work, one that sleeps, or a new one, which joins
// the crew.
func lend(work ...func()) {
	crew.Lock()
	for ; len(work) > 0 && len(crew.waiting) > 0; work = work[1:] {
		n := len(crew.waiting) - 1
		h := crew.waiting[n]
		crew.waiting = slices.Delete(crew.waiting, n, n+1)
		f := work[0]
		h.work.Store(&f)
	}
	n := min(len(work), crew.asleep)
	if n > 0 {
		crew.asleep -= n
		crew.queue = append(crew.queue, work[:n]...)
		crew.bell.change()
	}
	crew.Unlock()
	if n > 0 {
		crew.bell.ring(min(n, wakes))
	}
	for _, f := range work[n:] {
		go func() {
			h := &hand{}
			for f := f; f != nil; f = h.next() {
				f()
			}
		}()
	}
}

// wakes is how many threads are woken at once. The caller of lend has work of its own, and threads that are awake wake others.
const wakes = 2

// next returns what to do next, or nil if nobody has had anything for a while.
func (h *hand) next() func() {
	runtime.Gosched() // whoever has been woken by what was done goes on first
	crew.Lock()
	if len(crew.waiting)+crew.asleep >= runtime.GOMAXPROCS(0)-1 {
		crew.Unlock()
		return nil
	}
	crew.waiting = append(crew.waiting, h)
	crew.Unlock()
	found := func() bool { return h.work.Load() != nil }
	if spin(found) {
		return *h.work.Swap(nil)
	}
	crew.Lock()
	if n := slices.Index(crew.waiting, h); n >= 0 {
		crew.waiting = slices.Delete(crew.waiting, n, n+1)
		return sleep()
	}
	crew.Unlock()
	return *h.work.Swap(nil) // lend has said it under the lock
}

// sleep waits for work without a processor. It is called under the lock of the crew, which it gives back, and returns nil if
// there was nothing for as long as stay.
func sleep() func() {
	defer crew.Unlock()
	if !canSleep {
		return nil
	}
	crew.asleep++
	for {
		seen := crew.bell.changes()
		crew.Unlock()
		expired := !crew.bell.wait(seen, stay)
		crew.Lock()
		switch n := len(crew.queue); {
		case n > 0:
			f := crew.queue[0]
			crew.queue = slices.Delete(crew.queue, 0, 1)
			if n > 1 {
				crew.bell.ring(wakes)
			}
			return f
		case expired:
			crew.asleep--
			return nil
		}
	}
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
