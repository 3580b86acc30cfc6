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

// PutWait puts a command into the queue that waits for the events of wait, and then for all semaphores. It takes nobody's
// signal before its turn in the queue has come, and keeps no other command from running that the queue lets run.
func (q *Queue) PutWait(wait []*Event, semaphores []*Semaphore, end func()) *Event {
	e := q.NewEvent()
	q.PutWaitAs(e, wait, semaphores, end)
	return e
}

// PutWaitAs is [Queue.PutWait] for a command whose event is there already.
func (q *Queue) PutWaitAs(e *Event, wait []*Event, semaphores []*Semaphore, end func()) {
	turn := q.Put(wait, Ordinary, func() Status { return Complete }, nil)
	gates := make([]*Event, len(semaphores))
	for i := range gates {
		gates[i] = NewEvent(Submitted)
	}
	q.PutAs(e, gates, Ordinary, func() Status { return Complete }, end)
	turn.Then(func(s Status) {
		for i, g := range gates {
			if s < 0 {
				g.Set(s)
				continue
			}
			semaphores[i].wait(g)
		}
	})
}
