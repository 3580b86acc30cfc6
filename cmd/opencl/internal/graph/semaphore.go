package graph

import "sync"

// Semaphore is a binary semaphore: a signal lets one who waits go on, now or later. Its zero value is not signaled.
type Semaphore struct {
	mu       sync.Mutex
	signaled bool
	waiting  []*Event // in the order in which they came
}

// Signal lets the first go on that waits, or the next one that comes. A second signal before that changes nothing.
func (s *Semaphore) Signal() {
	s.mu.Lock()
	if len(s.waiting) == 0 {
		s.signaled = true
		s.mu.Unlock()
		return
	}
	e := s.waiting[0]
	s.waiting = s.waiting[1:]
	s.mu.Unlock()
	e.Set(Complete)
}

// Signaled says whether the next one that waits goes on at once.
func (s *Semaphore) Signaled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.signaled
}

// wait completes an event, at the latest when the semaphore is signaled.
func (s *Semaphore) wait(e *Event) {
	s.mu.Lock()
	if !s.signaled {
		s.waiting = append(s.waiting, e)
		s.mu.Unlock()
		return
	}
	s.signaled = false
	s.mu.Unlock()
	e.Set(Complete)
}

// PutWait puts a command into the queue that waits for the events of wait, and then for all semaphores. It
// takes nobody's signal before its turn in the queue has come, and keeps no other command from running that
// the queue lets run.
func (q *Queue) PutWait(c *Command, wait []*Event, semaphores []*Semaphore, work Work) *Event {
	gates := make([]*Event, len(semaphores))
	for i := range gates {
		gates[i] = NewEvent(Submitted)
	}
	q.Put(&Command{}, wait, Ordinary, &turn{semaphores: semaphores, gates: gates})
	return q.Put(c, gates, Ordinary, work)
}

// turn is the command before one that waits for semaphores: when it runs, the turn of that one has come.
type turn struct {
	semaphores []*Semaphore
	gates      []*Event // what the other one waits for, one for each semaphore
	ran        bool
}

// Run lets the other command wait for the semaphores.
func (t *turn) Run() Status {
	t.ran = true
	for i, g := range t.gates {
		t.semaphores[i].wait(g)
	}
	return Complete
}

// End ends the other command with an error if this one did not run.
func (t *turn) End() {
	if t.ran {
		return
	}
	for _, g := range t.gates {
		g.Set(WaitFailed)
	}
}
