package graph

import (
	"slices"
	"sync"
	"testing"
)

// recorder notes the order in which commands run.
type recorder struct {
	mu  sync.Mutex
	ran []string
}

func (r *recorder) run(name string, s Status) Work {
	return work{run: func() Status {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ran = append(r.ran, name)
		return s
	}}
}

// work is Work made of functions.
type work struct {
	run func() Status
	end func()
}

func (w work) Run() Status { return w.run() }

func (w work) End() {
	if w.end != nil {
		w.end()
	}
}

// put puts a new command into the queue.
func (q *Queue) put(wait []*Event, order Order, w Work) *Event {
	return q.Put(&Command{}, wait, order, w)
}

func (r *recorder) expect(t *testing.T, want ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.ran, want) {
		t.Errorf("ran %v, want %v", r.ran, want)
	}
}

func TestInOrder(t *testing.T) {
	var q Queue
	var r recorder
	user := NewEvent(Submitted)
	q.put([]*Event{user}, Ordinary, r.run("a", Complete))
	q.put(nil, Ordinary, r.run("b", -5))
	last := q.put(nil, Ordinary, r.run("c", Complete))
	r.expect(t)
	user.Set(Complete)
	if s := last.Wait(); s != Complete {
		t.Errorf("the command behind one with an error ends with %d", s)
	}
	r.expect(t, "a", "b", "c")
}

// TestEventBeforeCommand: what is known of a command before it is in its queue is that it is not over.
func TestEventBeforeCommand(t *testing.T) {
	for _, outOfOrder := range []bool{false, true} {
		q, other := Queue{OutOfOrder: outOfOrder}, Queue{}
		var r recorder
		var c Command
		a := q.NewEvent(&c)
		if s := a.Status(); s != Queued {
			t.Errorf("out of order %t: the status is %d", outOfOrder, s)
		}
		b := other.put([]*Event{a}, Ordinary, r.run("b", Complete))
		other.Start()
		q.Put(&c, nil, Ordinary, r.run("a", Complete))
		if s := b.Wait(); s != Complete {
			t.Errorf("out of order %t: the status of who waits is %d", outOfOrder, s)
		}
		r.expect(t, "a", "b")
	}
}

func TestOutOfOrder(t *testing.T) {
	q := Queue{OutOfOrder: true, Timed: true}
	var r recorder
	user := NewEvent(Submitted)
	a := q.put([]*Event{user}, Ordinary, r.run("a", Complete))
	q.put(nil, Ordinary, r.run("b", Complete)).Wait()
	r.expect(t, "b")
	barrier := q.put(nil, Barrier, r.run("barrier", Complete))
	c := q.put(nil, Ordinary, r.run("c", Complete))
	if s := c.Status(); s != Submitted {
		t.Errorf("a command behind a barrier that waits has the status %d", s)
	}
	user.Set(Complete)
	q.Finish()
	r.expect(t, "b", "a", "barrier", "c")
	for _, e := range []*Event{a, barrier, c} {
		if x := e.Times(); e.Status() != Complete || x.Queued > x.Submitted || x.Submitted > x.Started || x.Started > x.Ended || x.Queued == 0 {
			t.Errorf("status %d, times %+v", e.Status(), x)
		}
	}
}

func TestErrorsReachWaiters(t *testing.T) {
	q := Queue{OutOfOrder: true}
	var r recorder
	user := NewEvent(Submitted)
	a := q.put([]*Event{user}, Ordinary, r.run("a", Complete))
	ended := false
	b := q.put([]*Event{a}, Ordinary, work{r.run("b", Complete).Run, func() { ended = true }})
	user.Set(-7)
	if s := b.Wait(); s != WaitFailed || a.Status() != WaitFailed {
		t.Errorf("statuses %d and %d, want %d", a.Status(), s, WaitFailed)
	}
	if !ended {
		t.Error("end was not called for a command that did not run")
	}
	r.expect(t)
	if user.Set(Complete) {
		t.Error("a status was set twice")
	}
}

func TestNotify(t *testing.T) {
	e := NewEvent(Submitted)
	got := make(chan Status, 4)
	e.Notify(Running, func(s Status) { got <- s })
	e.Notify(Complete, func(s Status) { got <- s })
	e.Set(-3)
	e.Notify(Submitted, func(s Status) { got <- s })
	for range 3 {
		if s := <-got; s != -3 {
			t.Errorf("called with %d, want -3", s)
		}
	}
	f := NewEvent(Submitted)
	f.Notify(Running, func(s Status) { got <- s })
	f.Set(Complete)
	if s := <-got; s != Running {
		t.Errorf("called with %d, want Running", s)
	}
}

func TestManyThreads(t *testing.T) {
	queues := []*Queue{{}, {OutOfOrder: true}, {}}
	var all sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for i := range 8 {
		all.Go(func() {
			var before []*Event
			for j := range 200 {
				e := queues[(i+j)%3].put(before, Ordinary, work{run: func() Status {
					mu.Lock()
					defer mu.Unlock()
					n++
					return Complete
				}})
				before = []*Event{e}
			}
		})
	}
	all.Wait()
	for _, q := range queues {
		q.Finish()
	}
	if n != 1600 {
		t.Errorf("%d commands ran, want 1600", n)
	}
}

// TestStart: a command that nobody waits for is over some time, and so is one that another queue waits for.
func TestStart(t *testing.T) {
	for name, start := range map[string]func(*Queue, *Event){
		"later": func(*Queue, *Event) {},
		"queue": func(q *Queue, _ *Event) { q.Start() },
		"event": func(_ *Queue, e *Event) { e.Start() },
		"other": func(_ *Queue, e *Event) {
			new(Queue).put([]*Event{e}, Ordinary, work{run: func() Status { return Complete }})
		},
	} {
		var q Queue
		over := make(chan bool)
		e := q.put(nil, Ordinary, work{run: func() Status { return Complete }, end: func() { close(over) }})
		start(&q, e)
		<-over
		if s := e.Wait(); s != Complete {
			t.Errorf("%s: the status is %d", name, s)
		}
	}
}

func TestWaitRunsCommands(t *testing.T) {
	q := Queue{hired: true} // by a goroutine that is not there yet
	var r recorder
	q.put(nil, Ordinary, r.run("a", Complete))
	b := q.put(nil, Ordinary, r.run("b", Complete))
	q.put(nil, Ordinary, r.run("c", Complete))
	r.expect(t)
	if s := b.Wait(); s != Complete {
		t.Errorf("the status is %d", s)
	}
	r.expect(t, "a", "b")
	q.work()
	r.expect(t, "a", "b", "c")
}
