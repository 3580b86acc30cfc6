package bench

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// stressVariable is an environment variable that says how long TestStress runs, as in 1m.
const stressVariable = "LOCKSTEP_STRESS"

// stressTime is how long it runs.
func stressTime(t *testing.T) time.Duration {
	t.Helper()
	switch text := os.Getenv(stressVariable); {
	case text != "":
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", stressVariable, err)
		}
		return d
	case testing.Short():
		return time.Second
	}
	return 3 * time.Second
}

// TestStress builds and runs kernels in many goroutines, and compares what they leave with the references, while the
// Go runtime does all that could get into the way of machine code: collections, one after the other;
// preemption; profiling signals, 50 times as many as usual; the execution tracer; and stacks that grow.
// Afterwards no code is left in memory.
func TestStress(t *testing.T) {
	scheduler.Serial = false // under the race detector, too
	limit := stressTime(t)
	before := settledCode()
	end := time.Now().Add(limit)
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runtime.SetCPUProfileRate(5000)
	defer runtime.SetCPUProfileRate(0)

	var ended atomic.Bool
	var disturbers, workers sync.WaitGroup
	disturbers.Go(func() {
		for !ended.Load() {
			runtime.GC()
		}
	})
	disturbers.Go(func() {
		// A loop that only asynchronous preemption gets out of.
		for x := int64(1); !ended.Load(); x *= 3 {
			stressed.Store(x)
		}
	})
	disturbers.Go(func() {
		for !ended.Load() {
			if err := trace.Start(io.Discard); err != nil {
				t.Log("no trace:", err) // one is being taken already
				return
			}
			time.Sleep(20 * time.Millisecond)
			trace.Stop()
		}
	})

	var launches atomic.Int64
	list := workloads(t)
	for worker := range 6 {
		workers.Go(func() {
			for i := worker; !t.Failed() && (i == worker || time.Now().Before(end)); i++ {
				w := list[i%len(list)]
				engine := "auto"
				if i%7 == 6 {
					engine = "interp"
				}
				done := make(chan struct{})
				go func() { // with a small stack
					defer close(done)
					deep(i%16, func() { stress(t, w, emu.DeviceOptions{Engine: engine, Workers: 1 + i%3}) })
				}()
				<-done
				launches.Add(1)
			}
		})
	}
	workers.Wait()
	ended.Store(true)
	disturbers.Wait()
	t.Logf("%d launches in %v", launches.Load(), limit)
	if after := settledCode(); after > before {
		t.Errorf("%d bytes of machine code are left, %d before", after, before)
	}
}

var stressed atomic.Int64

// settledCode returns the bytes of machine code that are there after collections.
func settledCode() int64 {
	n := codemem.Mapped()
	for range 50 {
		runtime.GC()
		runtime.Gosched()
		n = min(n, codemem.Mapped())
	}
	return n
}

// deep calls f with depth kilobytes of stack in front of it.
//
//go:noinline
func deep(depth int, f func()) byte {
	var pad [1024]byte
	pad[depth] = 1
	if depth == 0 {
		f()
		return pad[0]
	}
	return deep(depth-1, f) + pad[depth]
}

// stress builds a small launch of a workload from its module, and runs and checks it twice.
func stress(t *testing.T, w *Workload, opt emu.DeviceOptions) {
	s, err := Open(w.Kernel, w.Small, opt)
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	for range 2 {
		if _, _, err := s.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", w.Name(), err)
			return
		}
		got, err := s.Outputs()
		if err != nil {
			t.Errorf("%s: %v", w.Name(), err)
			return
		}
		if diff := unlike(w, got); diff != "" {
			t.Errorf("%s on %s: %s", w.Name(), opt.Engine, diff)
			return
		}
		if err := s.Reset(); err != nil {
			t.Errorf("%s: %v", w.Name(), err)
			return
		}
	}
}

// wanted has what the references of the small launches leave, by workload.
var wanted sync.Map

// unlike compares outputs with those of the reference.
func unlike(w *Workload, got [][]byte) string {
	v, ok := wanted.Load(w.Name())
	if !ok {
		want, err := references(w.Kernel, w.Small)
		if err != nil {
			return err.Error()
		}
		v, _ = wanted.LoadOrStore(w.Name(), want)
	}
	for i, want := range v.([][]byte) {
		for j := range want {
			if j >= len(got[i]) || got[i][j] != want[j] {
				return fmt.Sprintf("output %d differs from byte %d of %d on", i, j, len(want))
			}
		}
	}
	return ""
}
