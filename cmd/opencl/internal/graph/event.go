// Package graph knows in which order the commands of OpenCL queues run: events, what waits for them, and queues that
// run what is ready. It does not know what a command does.
//
// A command is [Work] with an [Event]. It is ready when the events are over that it waits for, and those that
// the order of its queue puts before it. A queue takes a goroutine while it has ready commands, unless a
// goroutine that waits runs them.
package graph

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Status is the execution status of a command: Queued, Submitted, Running, Complete, or a negative error code.
type Status int32

// The states of a command, with the values of OpenCL.
const (
	Complete Status = iota
	Running
	Submitted
	Queued
)

// WaitFailed is the status of a command when an event in its wait list has an error
// (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST).
const WaitFailed Status = -14

// began is the origin of the clock of Now.
var began = time.Now()

// Now is the device's and the host's timer, in nanoseconds. It never goes back, and is never 0.
func Now() uint64 { return uint64(time.Since(began)) + 1 }

// Times are when a command got into its states; 0 is not yet.
type Times struct{ Queued, Submitted, Started, Ended uint64 }

// Event is what a command, or the host (a user event), tells those who wait.
type Event struct {
	mu        sync.Mutex
	status    Status
	timed     bool // times are noted
	times     Times
	over      atomic.Bool   // the status is Complete or an error
	done      chan struct{} // for those who wait; nil while there are none
	command   *Command      // that the event is a part of; nil for a user event
	after     []dependent   // when it is over
	callbacks []callback
	calls     []func() // callbacks that are due
	calling   bool
}

// dependent is a command that waits for an event.
type dependent struct {
	command *Command
	listed  bool // in the command's wait list, so that an error of the event is one of the command
}

type callback struct {
	level Status
	f     func(Status)
}

// NewEvent makes an event: Submitted for a user event.
func NewEvent(status Status) *Event { return &Event{status: status} }

// Status returns the present status.
func (e *Event) Status() Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.status
}

// Times returns the times of the command so far; zeros unless its queue is timed.
func (e *Event) Times() Times {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.times
}

// linger is how long who waits looks for the end before letting the thread go: as long as it takes to wake a
// thread, about. Where there are few processors it is shorter, since a kernel that runs may want the one on
// which the host looks.
func linger() time.Duration {
	switch n := runtime.GOMAXPROCS(0); {
	case n == 1:
		return 0
	case n <= 2:
		return 5 * time.Microsecond
	}
	return 30 * time.Microsecond
}

// Start lets the command of the event run if it can. Whoever does something else than to wait for the event
// calls it.
func (e *Event) Start() {
	if e.command != nil && !e.over.Load() {
		e.command.queue.Start()
	}
}

// Release lets commands of the event's [Group] run together if they wait for the host to do so. Whoever asks
// whether the command is over calls it.
func (e *Event) Release() {
	if e.command != nil && !e.over.Load() {
		e.command.queue.group.Release()
	}
}

// Wait waits for the end of the command, and returns its status then. Meanwhile it runs what is ready in the command's queue, if
// nobody does: to wake another thread for a short command takes longer than the command.
func (e *Event) Wait() Status {
	if e.command != nil && !e.over.Load() {
		e.Release()
		e.command.queue.help(e)
	}
	if !e.over.Load() {
		for begin, most := time.Now(), linger(); !e.over.Load() && time.Since(begin) < most; {
		}
	}
	if !e.over.Load() {
		<-e.ended()
	}
	return e.Status()
}

// ended returns a channel that is closed when the command is over.
func (e *Event) ended() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done == nil {
		e.done = make(chan struct{})
		if e.status <= Complete {
			close(e.done)
		}
	}
	return e.done
}

// Notify calls f once from a goroutine of the event when its status has got as far as level, or is an error. The
// functions of one event are called one after the other.
func (e *Event) Notify(level Status, f func(Status)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.callbacks = append(e.callbacks, callback{level, f})
	e.due()
}

// due moves the callbacks that the status calls for. The event is locked.
func (e *Event) due() {
	rest := e.callbacks[:0]
	for _, c := range e.callbacks {
		if e.status > c.level {
			rest = append(rest, c)
			continue
		}
		status := c.level
		if e.status < 0 {
			status = e.status
		}
		e.calls = append(e.calls, func() { c.f(status) })
	}
	clear(e.callbacks[len(rest):])
	e.callbacks = rest
	if len(e.calls) != 0 && !e.calling {
		e.calling = true
		go e.call()
	}
}

// call makes the calls that are due.
func (e *Event) call() {
	for {
		e.mu.Lock()
		calls := e.calls
		e.calls = nil
		e.calling = len(calls) != 0
		e.mu.Unlock()
		if len(calls) == 0 {
			return
		}
		for _, f := range calls {
			f()
		}
	}
}

// Set moves the event on. It is false, and changes nothing, for an event that is over.
func (e *Event) Set(s Status) bool {
	e.mu.Lock()
	if e.status <= Complete {
		e.mu.Unlock()
		return false
	}
	e.status = s
	if e.timed {
		e.note(s)
	}
	var after []dependent
	if s <= Complete {
		e.over.Store(true)
		if e.done != nil {
			close(e.done)
		}
		after, e.after = e.after, nil
	}
	if e.callbacks != nil {
		e.due()
	}
	e.mu.Unlock()
	if s <= Complete && e.command != nil {
		e.command.queue.over(e.command)
	}
	for _, d := range after {
		d.command.arrive(d.listed && s < 0)
	}
	return true
}

// note notes the time at which the status became s. The event is locked.
func (e *Event) note(s Status) {
	now := Now()
	switch {
	case s == Submitted:
		e.times.Submitted = now
	case s == Running:
		e.times.Started = now
	case s <= Complete:
		e.times.Ended = now
		if e.times.Started == 0 {
			e.times.Started = now
		}
	}
}

// then has a command, which cannot run yet, wait for the event, unless that is over.
func (e *Event) then(c *Command, listed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.status <= Complete {
		if listed && e.status < 0 {
			c.failed.Store(true)
		}
		return
	}
	c.left.Add(1)
	e.after = append(e.after, dependent{c, listed})
}
