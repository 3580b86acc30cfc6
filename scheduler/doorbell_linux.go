package scheduler

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// canSleep says that threads can wait at a doorbell.
const canSleep = true

// linger is how long a goroutine without work looks for some before its thread sleeps: about as long as it takes to wake that, which
// is as much as a small launch takes. Nothing but time depends on it.
const linger = 25 * time.Microsecond

// The operations of futex(2), on memory of this process alone.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// doorbell is a word that threads wait at in the system's kernel until it changes.
type doorbell struct{ word atomic.Uint32 }

// changes returns how often it has changed.
func (d *doorbell) changes() uint32 { return d.word.Load() }

// change changes it, so that wait returns in threads that have not gone to sleep yet.
func (d *doorbell) change() { d.word.Add(1) }

// ring wakes up to n threads.
func (d *doorbell) ring(n int) {
	// The only failures are addresses and operations that do not exist.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&d.word)), futexWake, uintptr(n), 0, 0, 0)
}

// wait sleeps until the thread is woken, at once if there are more changes than seen. It returns false if that has taken
// as long as limit, or cannot be done.
func (d *doorbell) wait(seen uint32, limit time.Duration) bool {
	t := unix.NsecToTimespec(limit.Nanoseconds())
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&d.word)), futexWait, uintptr(seen), uintptr(unsafe.Pointer(&t)), 0, 0)
	return errno == 0 || errno == unix.EAGAIN || errno == unix.EINTR
}
