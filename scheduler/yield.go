package scheduler

import "runtime"

// cooperative says that goroutines run on one thread that nothing interrupts,
// as in WebAssembly: a time limit or a cancelled context is seen only by a
// worker that lets others run.
const cooperative = runtime.GOARCH == "wasm"

// yield lets other goroutines run where they would not otherwise.
func yield() {
	if cooperative {
		runtime.Gosched()
	}
}
