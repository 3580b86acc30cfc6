package codemem

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// features are those of this machine; the test is skipped where it can run no machine code, for a reason that
// is one.
func features(t testing.TB) amd64.Features {
	t.Helper()
	f, err := Host()
	switch {
	case errors.Is(err, ErrUnsupported), errors.Is(err, ErrProcessor):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return f
}

// frame is what the functions of these tests get.
type frame struct {
	data   *int32    // 0: of vectors
	n      int64     // 8: how many vectors there are
	budget int64     // 16: how many a call may add
	sum    [16]int32 // 24: per lane
}

func finish(t testing.TB, a *amd64.Assembler) []byte {
	t.Helper()
	a.G(amd64.RET, amd64.B64)
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// at is the memory at a distance from the argument.
func at(disp uintptr) amd64.Mem { return amd64.Mem{Base: amd64.RDI, Disp: int32(disp)} }

// clobber is code that overwrites each register that code may overwrite with ones.
func clobber(a *amd64.Assembler) {
	if a.Features()&amd64.AVX512 != 0 {
		for v := range amd64.Vec(32) {
			a.V(amd64.VPTERNLOGD, amd64.Z, v, v, v, amd64.Imm(0xFF))
		}
		for k := range amd64.Mask(8) {
			a.V(amd64.KXNORQ, amd64.X, k, k, k)
		}
	} else {
		for v := range amd64.Vec(16) {
			a.V(amd64.VPCMPEQD, amd64.Y, v, v, v)
		}
	}
	for r := amd64.RAX; r <= amd64.R15; r++ {
		if r != amd64.RSP && r != amd64.RBP && r != amd64.RDI {
			a.G(amd64.OR, amd64.B64, r, amd64.Imm(-1))
		}
	}
}

// adder is code that adds up vectors until there are no more or the budget is spent.
func adder(t testing.TB, f amd64.Features) (code []byte, lanes int) {
	w := amd64.Y
	if f&amd64.AVX512 != 0 {
		w = amd64.Z
	}
	a := amd64.New(f)
	clobber(a)
	var fr frame
	sum, n, budget, p := amd64.Vec(15), amd64.R14, amd64.R15, amd64.RSI
	a.V(amd64.VMOVDQU32, w, sum, at(unsafe.Offsetof(fr.sum)))
	a.G(amd64.MOV, amd64.B64, p, at(unsafe.Offsetof(fr.data)))
	a.G(amd64.MOV, amd64.B64, n, at(unsafe.Offsetof(fr.n)))
	a.G(amd64.MOV, amd64.B64, budget, at(unsafe.Offsetof(fr.budget)))
	loop, done := a.NewLabel(), a.NewLabel()
	a.Align(16)
	a.Bind(loop)
	a.G(amd64.SUB, amd64.B64, budget, amd64.Imm(1))
	a.Jcc(amd64.Below, done)
	a.G(amd64.SUB, amd64.B64, n, amd64.Imm(1))
	a.Jcc(amd64.Below, done)
	a.V(amd64.VPADDD, w, sum, sum, amd64.Mem{Base: p})
	a.G(amd64.ADD, amd64.B64, p, amd64.Imm(w.Bytes()))
	a.Jmp(loop)
	a.Bind(done)
	a.V(amd64.VMOVDQU32, w, at(unsafe.Offsetof(fr.sum)), sum)
	return finish(t, a), w.Bytes() / 4
}

func mustLoad(t testing.TB, functions ...[]byte) *Code {
	t.Helper()
	c, err := Load(functions...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCall(t *testing.T) {
	f := features(t)
	var functions [][]byte
	for i := range 100 {
		a := amd64.New(f)
		clobber(a)
		a.G(amd64.ADD, amd64.B64, amd64.Mem{Base: amd64.RDI}, amd64.Imm(i))
		// A constant, so that alignment matters.
		a.V(amd64.VMOVDQA32, amd64.Y, amd64.Vec(3), a.Splat32(amd64.Y, uint32(i)))
		a.V(amd64.VMOVD, amd64.X, amd64.Mem{Base: amd64.RDI, Disp: 8}, amd64.Vec(3))
		functions = append(functions, finish(t, a))
	}
	c := mustLoad(t, functions...)
	if c.Len() != len(functions) {
		t.Errorf("Len is %d", c.Len())
	}
	for i := range functions {
		v := [2]uint64{1000, 0}
		if err := c.Func(i).Call(unsafe.Pointer(&v)); err != nil {
			t.Fatal(err)
		}
		if v != [2]uint64{1000 + uint64(i), uint64(i)} {
			t.Errorf("function %d: %v", i, v)
		}
	}
	fn := c.Func(7)
	if !fn.Valid() || (Func{}).Valid() {
		t.Error("Valid is wrong")
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := fn.Call(nil); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
	if err := (Func{}).Call(nil); err != ErrClosed {
		t.Errorf("zero Func: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, functions := range [][][]byte{nil, {}, {{0xC3}, {}}} {
		if c, err := Load(functions...); err == nil {
			t.Errorf("Load of %v gives %v", functions, c)
		}
	}
}

// TestRuntime calls functions from many goroutines while the runtime does all that could get in their way:
// collections, preemption, profiling signals and stacks that grow and shrink.
func TestRuntime(t *testing.T) {
	f := features(t)
	code, lanes := adder(t, f)
	c := mustLoad(t, code, code)
	t.Cleanup(func() { _ = c.Close() })
	add := c.Func(1)

	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Log("no profile:", err) // one is being taken already
	} else {
		defer pprof.StopCPUProfile()
	}
	const vectors = 1 << 14
	rounds, workers := 60, 8
	if testing.Short() {
		rounds = 10
	}
	var ended atomic.Bool
	var others, all sync.WaitGroup
	others.Go(func() {
		for !ended.Load() {
			runtime.GC()
		}
	})
	others.Go(func() {
		// A loop that only asynchronous preemption gets out of.
		for x := 1; !ended.Load(); x *= 3 {
			spun.Store(int64(x))
		}
	})
	for worker := range workers {
		all.Go(func() {
			data := make([]int32, vectors*lanes)
			for i := range data {
				data[i] = int32(i*7 + worker)
			}
			var want [16]int32
			for i, v := range data {
				want[i%lanes] += v
			}
			for round := range rounds {
				got, err := grown(round%12, func() ([16]int32, error) {
					var fr frame // on the stack
					fr.data, fr.n = &data[0], vectors
					for fr.n > 0 {
						fr.budget = 1000
						if err := add.Call(unsafe.Pointer(&fr)); err != nil {
							return fr.sum, err
						}
						done := min(fr.n, fr.budget)
						fr.n -= done
						if fr.n > 0 {
							fr.data = &data[int64(vectors-fr.n)*int64(lanes)]
						}
						litter.Store(new([64]int))
					}
					return fr.sum, nil
				})
				if err != nil || got != want {
					t.Errorf("worker %d, round %d: %v, %v, want %v", worker, round, got, err, want)
					return
				}
			}
		})
	}
	all.Wait()
	ended.Store(true)
	others.Wait()
}

var (
	spun   atomic.Int64
	litter atomic.Pointer[[64]int] // something to collect
)

// grown calls f with depth kilobytes of stack in front of it, on a stack that began small.
func grown(depth int, f func() ([16]int32, error)) (sum [16]int32, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		sum, err = deeper(depth, f)
	}()
	<-done
	return sum, err
}

//go:noinline
func deeper(depth int, f func() ([16]int32, error)) ([16]int32, error) {
	var pad [1024]byte
	pad[depth] = 1
	if depth == 0 {
		return f()
	}
	sum, err := deeper(depth-1, f)
	if pad[depth] != 1 {
		return sum, fmt.Errorf("stack is broken at depth %d", depth)
	}
	return sum, err
}

// TestProfile sees that time in machine code is in a profile under the name that the package comment gives.
func TestProfile(t *testing.T) {
	f := features(t)
	code, lanes := adder(t, f)
	c := mustLoad(t, code)
	t.Cleanup(func() { _ = c.Close() })
	data := make([]int32, 1024*lanes)
	for calls := 100_000; ; calls *= 2 {
		var profile bytes.Buffer
		if err := pprof.StartCPUProfile(&profile); err != nil {
			t.Skip(err) // one is being taken already
		}
		for range calls {
			fr := frame{data: &data[0], n: 1024, budget: 1024}
			if err := c.Func(0).Call(unsafe.Pointer(&fr)); err != nil {
				t.Error(err)
			}
		}
		pprof.StopCPUProfile()
		r, err := gzip.NewReader(&profile)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case bytes.Contains(text, []byte("runtime._ExternalCode")):
			return
		case bytes.Contains(text, []byte("TestProfile")) && calls > 1_000_000:
			t.Fatal("samples of this function and none of what it calls")
		case calls > 4_000_000:
			t.Skip("no samples on this system")
		}
	}
}

// TestReturned makes many programs, closes some and drops the others, and sees that their memory goes back.
func TestReturned(t *testing.T) {
	f := features(t)
	a := amd64.New(f)
	a.G(amd64.INC, amd64.B64, amd64.Mem{Base: amd64.RDI})
	code := finish(t, a)
	settle := func(at int64) bool {
		for range 1000 {
			runtime.GC()
			if live.Load() <= at {
				return true
			}
			runtime.Gosched()
		}
		return false
	}
	settle(0)
	before, regions := live.Load(), executable(t)
	calls := uint64(0)
	for i := range 4000 {
		c := mustLoad(t, code, code, code)
		if err := c.Func(i % 3).Call(unsafe.Pointer(&calls)); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if calls != 4000 {
		t.Errorf("%d calls arrived", calls)
	}
	if !settle(before) {
		t.Errorf("%d bytes are mapped, %d before", live.Load(), before)
	}
	if now := executable(t); now > regions+2 {
		t.Errorf("%d executable regions, %d before", now, regions)
	}
}

// TestFuncHolds sees that a Func alone keeps the memory.
func TestFuncHolds(t *testing.T) {
	f := features(t)
	a := amd64.New(f)
	a.G(amd64.INC, amd64.B64, amd64.Mem{Base: amd64.RDI})
	fn := mustLoad(t, finish(t, a)).Func(0)
	v := 0
	for range 5 {
		runtime.GC()
		if err := fn.Call(unsafe.Pointer(&v)); err != nil {
			t.Fatal(err)
		}
	}
	if v != 5 {
		t.Errorf("counted %d", v)
	}
}

// executable is the number of executable regions of anonymous memory, 0 where the system does not tell. None
// may be writable.
func executable(t *testing.T) int {
	data, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.Contains(fields[1], "x") {
			continue
		}
		if strings.Contains(fields[1], "w") {
			t.Errorf("writable and executable: %s", line)
		}
		if len(fields) == 5 {
			n++
		}
	}
	return n
}

// refusing is a system that gives memory but lets step fail.
func refusing(step string, freed *int) system {
	refusal := errors.New("not permitted")
	return system{
		alloc: func(size int) (mapping, error) {
			if step == "alloc" {
				return mapping{}, refusal
			}
			return mapping{make([]byte, size)}, nil
		},
		protect: func(mapping) error { return refusal },
		free:    func(mapping) error { *freed++; return nil },
	}
}

func TestRefusal(t *testing.T) {
	before := live.Load()
	for step, want := range map[string]struct {
		message string
		freed   int
	}{
		"alloc":   {"codemem: getting ", 0},
		"protect": {"codemem: making ", 1},
	} {
		freed := 0
		sys := refusing(step, &freed)
		c, err := load(sys, [][]byte{{0xC3}})
		if err == nil || c != nil || !strings.HasPrefix(err.Error(), want.message) || !strings.HasSuffix(err.Error(), "not permitted") {
			t.Errorf("%s: %v", step, err)
		}
		if freed != want.freed {
			t.Errorf("%s: freed %d times", step, freed)
		}
		if err := try(sys); err == nil {
			t.Errorf("%s: the trial passes", step)
		}
	}
	if live.Load() != before {
		t.Error("refused memory counts")
	}
}

// TestPace sees that dropped programs are collected even when nobody asks for it.
func TestPace(t *testing.T) {
	sys := system{
		alloc:   func(size int) (mapping, error) { return mapping{make([]byte, 1)}, nil },
		protect: func(mapping) error { return nil },
		free:    func(mapping) error { return nil },
	}
	t.Cleanup(func() { collectAt.Store(0) })
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	forced := stats.NumForcedGC
	live.Add(minCollectAt + 1) // as if so much were mapped
	t.Cleanup(func() { live.Add(-minCollectAt - 1) })
	for range 100 {
		if _, err := load(sys, [][]byte{{0xC3}}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&stats)
	if got := stats.NumForcedGC - forced; got != 1 {
		t.Errorf("%d collections were started, want 1", got)
	}
}

// BenchmarkCall is the price of a call that does nothing.
func BenchmarkCall(b *testing.B) {
	f := features(b)
	c := mustLoad(b, finish(b, amd64.New(f)))
	defer c.Close()
	fn := c.Func(0)
	var fr frame
	for b.Loop() {
		if err := fn.Call(unsafe.Pointer(&fr)); err != nil {
			b.Fatal(err)
		}
	}
}
