package native

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// TestMain has garbage collected less often: the tests make much of it and keep little. The assignment of
// registers is checked in all code that tests make.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	checkAssignment = !slices.ContainsFunc(os.Args, func(a string) bool { return strings.HasPrefix(a, "-test.bench=") })
	os.Exit(m.Run())
}
