package lower

import "github.com/lockstep-gpu/lockstep/isa/lower/internal/build"

// Error says why a module cannot be lowered.
type Error = build.Error

// ErrInternal is wrapped by the error for a module that breaks a rule which
// validation should have caught.
var ErrInternal = build.ErrInternal
