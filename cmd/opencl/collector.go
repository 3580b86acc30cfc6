package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// What the driver has on Go's heap is small, since buffers are memory of C, so that Go collects garbage all
// the time where a host launches short kernels: that would take as long as the kernels. While little lives,
// the heap therefore may grow by more than Go's 100 percent before garbage is collected.
const (
	smallHeap        = 16 << 20 // bytes that live
	smallHeapPercent = 400
	largeHeapPercent = 100 // Go's own
)

// watchHeap sets how much the heap may grow, now and after each collection. GOGC in the environment says it
// for good.
func watchHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(smallHeapPercent)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	small := true
	// The object dies at once, and its finalizer runs after each collection that finds it dead.
	type object struct{ _ *int }
	var collected func(*object)
	collected = func(o *object) {
		metrics.Read(live)
		if now := live[0].Value.Kind() != metrics.KindUint64 || live[0].Value.Uint64() < smallHeap; now != small {
			small = now
			percent := largeHeapPercent
			if small {
				percent = smallHeapPercent
			}
			debug.SetGCPercent(percent)
		}
		runtime.SetFinalizer(o, collected)
	}
	runtime.SetFinalizer(&object{}, collected)
}
