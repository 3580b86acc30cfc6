//go:build !linux

package scheduler

import "time"

// canSleep says that threads can wait at a doorbell: not here, where goroutines without work end.
const canSleep = false

// linger is how long a goroutine without work looks for some before it ends: about as long as it takes to wake a thread, which is
// as much as a small launch takes. Nothing but time depends on it.
const linger = 50 * time.Microsecond

type doorbell struct{}

func (doorbell) changes() uint32                 { return 0 }
func (doorbell) change()                         {}
func (doorbell) ring(int)                        {}
func (doorbell) wait(uint32, time.Duration) bool { return false }
