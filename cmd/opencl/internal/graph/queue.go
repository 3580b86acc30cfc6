package graph

import "sync"

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

// Queue runs commands. Its zero value is a queue that is in order.
type Queue struct {
	// OutOfOrder lets commands run in any order that wait lists and barriers allow. It is set before the first command.
	OutOfOrder bool

	mu      sync.Mutex
	last    *Event            // of the command before, where the queue is in order
	barrier *Event            // of the last barrier
	pending map[*Event]uint64 // commands that are not over, with their numbers
	count   uint64
	ready   []*command
	running bool // somebody runs commands
	hired   bool // a goroutine does, or is about to look for some
}

type command struct {
	event *Event
	run   func() Status
	end   func()
	queue *Queue

	mu     sync.Mutex
	left   int // what it waits for
	failed bool
}

// NewEvent makes the event of a command that [Queue.PutAs] is about to put into the queue.
func (q *Queue) NewEvent() *Event {
	e := NewEvent(Queued)
	e.queue = q
	return e
}

// Put puts a command at the end of the queue. It runs when the events of wait are over and those that the order names;
// if one of wait has an error, it does not run, and its status is WaitFailed. Otherwise its status is what run returns:
// Complete or an error. In both cases end, unless it is nil, is called before the event is over.
func (q *Queue) Put(wait []*Event, order Order, run func() Status, end func()) *Event {
	e := q.NewEvent()
	q.PutAs(e, wait, order, run, end)
	return e
}

// PutAs is [Queue.Put] for a command whose event is there already, so that others can know it before the command runs.
func (q *Queue) PutAs(e *Event, wait []*Event, order Order, run func() Status, end func()) {
	c := &command{event: e, run: run, end: end, queue: q}
	q.mu.Lock()
	var before []*Event
	switch {
	case order != Ordinary && len(wait) == 0:
		for e := range q.pending {
			before = append(before, e)
		}
	case !q.OutOfOrder && q.last != nil:
		before = append(before, q.last)
	case q.barrier != nil:
		before = append(before, q.barrier)
	}
	if q.pending == nil {
		q.pending = map[*Event]uint64{}
	}
	q.count++
	q.pending[c.event] = q.count
	if !q.OutOfOrder {
		q.last = c.event
	}
	if order == Barrier {
		q.barrier = c.event
	}
	q.mu.Unlock()

	c.event.Then(func(Status) { q.over(c.event) })
	c.event.Set(Submitted)
	c.left = len(wait) + len(before) + 1
	for _, e := range wait {
		e.Then(func(s Status) { c.arrive(s < 0) })
	}
	for _, e := range before {
		e.Then(func(Status) { c.arrive(false) })
	}
	c.arrive(false)
}

// over forgets a command that is over.
func (q *Queue) over(e *Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.pending, e)
	if q.last == e {
		q.last = nil
	}
	if q.barrier == e {
		q.barrier = nil
	}
}

// arrive counts something that the command has waited for.
func (c *command) arrive(failed bool) {
	c.mu.Lock()
	c.left--
	c.failed = c.failed || failed
	ready := c.left == 0
	c.mu.Unlock()
	if !ready {
		return
	}
	q := c.queue
	q.mu.Lock()
	q.ready = append(q.ready, c)
	q.hire()
	q.mu.Unlock()
}

// hire starts a goroutine for the ready commands, if nobody is there for them. The queue is locked.
func (q *Queue) hire() {
	if len(q.ready) != 0 && !q.running && !q.hired {
		q.hired = true
		go q.work()
	}
}

// work runs commands while some are ready.
func (q *Queue) work() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hired = false
	q.runUntil(func() bool { return false })
}

// help runs ready commands until an event is over, unless somebody else runs some.
func (q *Queue) help(e *Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.runUntil(e.over.Load)
	q.hire()
}

// runUntil runs commands while some are ready, nobody else runs any, and the condition does not hold. The queue is locked.
func (q *Queue) runUntil(enough func() bool) {
	if q.running {
		return
	}
	q.running = true
	for len(q.ready) != 0 && !enough() {
		c := q.ready[0]
		q.ready[0] = nil
		q.ready = q.ready[1:]
		q.mu.Unlock()
		c.execute()
		q.mu.Lock()
	}
	q.running = false
}

// execute runs the command, unless an event that it has waited for has an error.
func (c *command) execute() {
	status := WaitFailed
	if !c.failed {
		c.event.Set(Running)
		status = c.run()
	}
	if c.end != nil {
		c.end()
	}
	c.event.Set(status)
}

// Finish waits until all commands are over that are in the queue now.
func (q *Queue) Finish() {
	q.mu.Lock()
	if last := q.last; last != nil { // the others are over before it
		q.mu.Unlock()
		last.Wait()
		return
	}
	events := make([]*Event, 0, len(q.pending))
	for e := range q.pending {
		events = append(events, e)
	}
	q.mu.Unlock()
	for _, e := range events {
		e.Wait()
	}
}
