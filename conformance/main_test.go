package conformance

import (
	"os"
	"runtime/debug"
	"sync"
	"testing"
)

// TestMain has garbage collected less often while there is little of it: the tests make much and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	os.Exit(m.Run())
}

// builtinCases has the cases that ship, which no test changes.
var builtinCases = sync.OnceValues(func() ([]*Case, error) { return Load(Builtin()) })
