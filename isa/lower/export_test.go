package lower

import (
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
)

// CountSteps calls f with the steps of analyses for each kernel that is lowered, until the function that it returns is
// called.
func CountSteps(f func(int)) (end func()) {
	countSteps = f
	return func() { countSteps = nil }
}

// SetLeastPrepared sets the size from which on bodies are prepared, until the function that it returns is called.
func SetLeastPrepared(n int) (end func()) {
	was := leastPrepared
	leastPrepared = n
	return func() { leastPrepared = was }
}

// PreparedBodies returns the names of the functions whose bodies a kernel has copies of, in order.
func PreparedBodies(c *Compiler, kernel string) []string {
	c.mod.Options.Prepare = c.opt.prepare
	return c.mod.Kernel(c.mod.Entries[c.at[kernel]]).Copied()
}

// OffsetBits is what the lowering takes memory.OffsetBits to be.
const OffsetBits = build.OffsetBits
