package conformance_test

import "github.com/lockstep-gpu/lockstep/internal/verifyeach"

// Every kernel that these tests compile is verified after each pass.
func init() { verifyeach.On = true }
