package interp

import "github.com/lockstep-gpu/lockstep/memory"

// Piping calls f for each pipe at which lanes wait.
func (w *wave) Piping(f func(pc int, pipe memory.Pointer, lanes []int)) {}

// Overtake says whether lanes could go on without those that wait at pipes.
func (w *wave) Overtake() bool { return false }
