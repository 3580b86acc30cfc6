package lower_test

import "github.com/lockstep-gpu/lockstep/internal/verifyeach"

func init() { verifyeach.On = true }
