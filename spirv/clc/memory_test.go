package clc_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// maxPerLine is how many bytes the compiler may allocate for a line of ordinary code, in all, the module included,
// which has 173 of them. A process that compiles 100,000 lines then has a heap of at most 38 MiB beside the
// source, whatever its garbage collector does; with the program itself that is less than 64 MiB.
const maxPerLine = 400

// TestMemory holds the memory of a large source to what its lines may take, and to the module once it is compiled.
func TestMemory(t *testing.T) {
	src := clc.Source{Name: "k.cl", Text: ordinary(t)}
	var before, compiled, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	code, err := clc.CompileCode(context.Background(), src, clc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&compiled)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n := compiled.TotalAlloc - before.TotalAlloc; n > maxPerLine*bench.OrdinaryLines {
		t.Errorf("the compiler allocated %d bytes for %d lines, more than %d a line", n, bench.OrdinaryLines, maxPerLine)
	}
	if n, size := int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(code.Size()); n > size+size/8 {
		t.Errorf("%d bytes are in use behind the compilation of a module of %d bytes", n, size)
	}
	runtime.KeepAlive(src)
	runtime.KeepAlive(code)
}
