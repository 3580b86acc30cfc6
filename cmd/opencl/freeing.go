package main

import "sync"

// A host that releases something does not wait for a launch that runs, although the launch may lead to what
// is released (by a pointer in memory). What cannot be freed at once is freed by a goroutine, one thing after
// the other as they were released, when the launch is over.
var freeing struct {
	sync.Mutex
	waiting []func()
	busy    bool // there is a goroutine
}

// freeBehind frees something by try, or if that is false by free, which waits for a launch; then it calls
// after.
func freeBehind(try func() bool, free, after func()) {
	freeing.Lock()
	if !freeing.busy {
		freeing.Unlock()
		if try() {
			after()
			return
		}
		freeing.Lock()
	}
	freeing.waiting = append(freeing.waiting, func() {
		free()
		after()
	})
	if !freeing.busy {
		freeing.busy = true
		go freeWaiting()
	}
	freeing.Unlock()
}

// freeWaiting frees what waits for it, until there is nothing.
func freeWaiting() {
	freeing.Lock()
	defer freeing.Unlock()
	for len(freeing.waiting) > 0 {
		f := freeing.waiting[0]
		freeing.waiting = freeing.waiting[1:]
		freeing.Unlock()
		f()
		freeing.Lock()
	}
	freeing.busy = false
}
