package graph

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Order says which commands of a queue a command waits for besides those in its wait list.
type Order uint8

const (
	// Ordinary waits for the last barrier, and in a queue that is in order for the command before.
	Ordinary Order = iota
	// Marker waits for all commands before, if its wait list is empty.
	Marker
	// Barrier is a Marker that all commands behind it wait for.
	Barrier
)

// Work is what a command does.
type Work interface {
	// Run does it, and returns Complete or an error.
	Run() Status
	// End is called before the command's event is over, also if the command did not run.
	End()
}

// Command is what is put into a queue, once. It and its event are one allocation, and those who put it may
// make it part of their own.
type Command struct {
	// Together says that the command runs together with others of the queue's [Group]: its work is not called to
	// run. It is set before the command is put into a queue.
	Together bool

	event  Event
	work   Work
	queue  *Queue
	number uint64   // in the group, from 1
	next   *Command // in a list

	before, behind *Command // pending ones, in a queue that is out of order

	left   atomic.Int32 // what it waits for, apart from the order of a queue that is in order
	failed atomic.Bool
}

// Event returns the command's event.
func (c *Command) Event() *Event { return &c.event }

// list is commands in order.
type list struct{ first, last *Command }

func (l *list) add(c *Command) {
	if l.last == nil {
		l.first = c
	} else {
		l.last.next = c
	}
	l.last = c
}

func (l *list) pop() *Command {
	c := l.first
	if l.first = c.next; l.first == nil {
		l.last = nil
	}
	c.next = nil
	return c
}

// Queue runs commands. Its zero value is a queue that is in order.
//
// In a queue that is in order, commands are taken in the order in which they were put: what order demands is
// looked at by nobody. In one that is out of order, each command waits for those that it has to wait for, and
// is taken when it is ready.
type Queue struct {
	// OutOfOrder lets commands run in any order that wait lists and barriers allow. It is set before the first command.
	OutOfOrder bool
	// Timed notes the times of commands. It is set before the first command.
	Timed bool

	mu      sync.Mutex
	in      list        // in order: what was put and not yet taken; out of order: what is ready
	came    atomic.Bool // something is in it
	last    *Command    // the command that was put last, where the queue is in order
	pending list        // out of order: commands that are not over, linked by behind
	barrier *Command    // out of order: the last barrier that is not over
	running bool        // somebody runs commands
	hired   bool        // a goroutine does, or is about to look for some
	timer   *time.Timer // for a command that nobody has been hired for; nil before the first
	armed   bool        // the timer runs

	taken list // what whoever runs commands has taken out of in; nobody else looks at it

	group   *Group       // nil for a queue on its own
	parked  bool         // in order: the command whose turn it is runs together with others
	wanted  atomic.Int32 // those who want to run commands themselves
	stopped sync.Cond    // for them: nobody runs commands
}

// NewEvent gives a command that is about to be put into the queue its event, so that others can know that before
// the command runs.
func (q *Queue) NewEvent(c *Command) *Event {
	e := &c.event
	c.queue = q
	e.command, e.status, e.timed = c, Queued, q.Timed
	if q.Timed {
		e.times.Queued = Now()
	}
	return e
}

// Put puts a command at the end of the queue. It runs when the events of wait are over and those that the
// order names; if one of wait has an error, it does not run, and its status is WaitFailed. Otherwise its
// status is what the work returns. A command without an event gets one.
func (q *Queue) Put(c *Command, wait []*Event, order Order, work Work) *Event {
	e := &c.event
	if c.queue == nil {
		q.NewEvent(c)
	}
	c.work = work
	if q.group != nil {
		if c.Together {
			q.group.held.Add(1)
		}
		c.number = q.group.count.Add(1)
	}
	e.Set(Submitted)
	c.left.Store(1)
	for _, w := range wait {
		w.then(c, true)
		w.Start() // the host need not wait for it
	}
	if !q.OutOfOrder {
		q.mu.Lock()
		alone := !q.running && q.in.first == nil && q.taken.first == nil
		q.last = c
		q.in.add(c)
		q.came.Store(true)
		if c.left.Add(-1); alone {
			q.hireLater()
		} else {
			q.hire()
		}
		q.mu.Unlock()
		return e
	}
	q.mu.Lock()
	switch {
	case order != Ordinary && len(wait) == 0:
		for b := q.pending.first; b != nil; b = b.behind {
			b.event.then(c, false)
		}
	case q.barrier != nil:
		q.barrier.event.then(c, false)
	}
	if c.before = q.pending.last; c.before == nil {
		q.pending.first = c
	} else {
		c.before.behind = c
	}
	q.pending.last = c
	if order == Barrier {
		q.barrier = c
	}
	q.mu.Unlock()
	c.arrive(false)
	return e
}

// over forgets a command that is over.
func (q *Queue) over(c *Command) {
	if !q.OutOfOrder {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.before == nil {
		q.pending.first = c.behind
	} else {
		c.before.behind = c.behind
	}
	if c.behind == nil {
		q.pending.last = c.before
	} else {
		c.behind.before = c.before
	}
	c.before, c.behind = nil, nil
	if q.barrier == c {
		q.barrier = nil
	}
}

// arrive counts something that the command has waited for.
func (c *Command) arrive(failed bool) {
	if failed {
		c.failed.Store(true)
	}
	if c.left.Add(-1) != 0 {
		return
	}
	q := c.queue
	q.mu.Lock()
	if q.OutOfOrder {
		q.in.add(c)
		q.came.Store(true)
	}
	q.hire()
	q.mu.Unlock()
}

// patience is how long a command in an idle queue waits for the host to say what it wants.
const patience = 100 * time.Microsecond

// hireLater is hire for the first command of an idle queue. A host that waits for it next runs it itself, and
// one that puts in others has somebody hired by then. The queue is locked.
func (q *Queue) hireLater() {
	switch {
	case q.running || q.hired || q.armed:
	case q.timer == nil:
		q.armed = true
		q.timer = time.AfterFunc(patience, q.late)
	default:
		q.armed = true
		q.timer.Reset(patience)
	}
}

// late hires somebody for a command that the host has left alone.
func (q *Queue) late() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.armed = false
	q.hire()
}

// Start lets commands run that are in the queue now, if they can.
func (q *Queue) Start() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hire()
}

// hire starts a goroutine for commands that can run, if nobody is there for them. The queue is locked.
func (q *Queue) hire() {
	if q.running || q.hired || q.parked {
		return
	}
	c := q.taken.first
	if c == nil {
		c = q.in.first
	}
	if c != nil && c.left.Load() == 0 {
		q.hired = true
		go q.work()
	}
}

// work runs commands while some can run.
func (q *Queue) work() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hired = false
	q.runUntil(nil)
}

// help runs commands until an event is over, unless somebody else runs some.
func (q *Queue) help(e *Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.runUntil(e)
	q.hire()
}

// runUntil runs commands while some can run, nobody else runs any, and the event is not over, if there is
// one. The queue is locked.
func (q *Queue) runUntil(e *Event) {
	if q.running {
		return
	}
	q.running = true
	for q.wanted.Load() == 0 && !q.parked && (e == nil || !e.over.Load()) {
		if q.taken.first == nil {
			q.taken, q.in = q.in, list{}
			q.came.Store(false)
		}
		if c := q.taken.first; c == nil {
			if e != nil {
				break
			}
			if q.await(); q.in.first == nil {
				break
			}
			continue
		} else if c.left.Load() != 0 {
			break // who comes last for it looks whether somebody runs commands when the queue is unlocked
		}
		q.mu.Unlock()
		for q.wanted.Load() == 0 && (e == nil || !e.over.Load()) {
			c := q.taken.first
			if c == nil || c.left.Load() != 0 {
				break
			}
			q.taken.pop()
			if c.execute(); c.Together && !q.OutOfOrder {
				break // it may be parked
			}
		}
		q.mu.Lock()
	}
	q.stop()
}

// stop notes that nobody runs commands any more. The queue is locked.
func (q *Queue) stop() {
	if q.running = false; q.wanted.Load() != 0 {
		q.stopped.Broadcast()
	}
}

// lull is how long a goroutine without commands looks for some before it ends. A host that puts many short
// commands into the queue takes less for each, and one that waits for a short command and puts in the next,
// too: none of them wakes a thread then.
const lull = 5 * time.Microsecond

// await waits for commands as long as lull at most. The queue is locked before and after.
func (q *Queue) await() {
	if runtime.GOMAXPROCS(0) == 1 {
		return // who would put some has to run first
	}
	q.mu.Unlock()
	defer q.mu.Lock()
	for begin := time.Now(); time.Since(begin) < lull; {
		for range 32 {
			if q.came.Load() {
				return
			}
		}
	}
}

// execute runs the command, or parks it, unless an event that it has waited for has an error.
func (c *Command) execute() {
	q := c.queue
	together := c.Together && q.group != nil
	switch {
	case c.failed.Load():
		if together {
			q.group.held.Add(-1)
		}
		c.end(WaitFailed)
	case together:
		if !q.OutOfOrder {
			q.mu.Lock()
			q.parked = true
			q.mu.Unlock()
		}
		q.group.park(c)
	default:
		c.event.Set(Running)
		c.end(c.work.Run())
	}
}

// end ends the command.
func (c *Command) end(s Status) {
	c.work.End()
	c.work = nil
	c.event.Set(s)
	if g := c.queue.group; g != nil && c.number <= g.limit.Load() {
		g.moved.Store(true)
	}
}

// Finish waits until all commands are over that are in the queue now.
func (q *Queue) Finish() {
	q.mu.Lock()
	if !q.OutOfOrder {
		last := q.last // the others are over before it
		q.mu.Unlock()
		if last != nil {
			last.event.Wait()
		}
		return
	}
	var events []*Event
	for c := q.pending.first; c != nil; c = c.behind {
		events = append(events, &c.event)
	}
	q.mu.Unlock()
	for _, e := range events {
		e.Wait()
	}
}
