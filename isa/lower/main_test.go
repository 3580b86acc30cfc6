package lower_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has garbage collected less often while there is little of it: the tests make much and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	os.Exit(m.Run())
}
