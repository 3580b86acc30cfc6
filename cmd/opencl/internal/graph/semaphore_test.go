package graph

import "testing"

// TestSemaphore lets commands wait for semaphores: one signal is for one of them, in any queue and before or after the wait.
func TestSemaphore(t *testing.T) {
	for _, outOfOrder := range []bool{false, true} {
		q, other := &Queue{OutOfOrder: outOfOrder}, &Queue{}
		var a, b Semaphore
		signal := func(s ...*Semaphore) *Event {
			return other.put(nil, Ordinary, work{run: func() Status {
				for _, x := range s {
					x.Signal()
				}
				return Complete
			}})
		}
		first := q.putWait(nil, []*Semaphore{&a, &b})
		signal(&a).Wait()
		if first.Status() <= Complete {
			t.Errorf("out of order %t: a wait for two semaphores ends with one signal", outOfOrder)
		}
		signal(&b).Wait()
		if s := first.Wait(); s != Complete {
			t.Errorf("out of order %t: the wait ends with %d", outOfOrder, s)
		}
		if a.Signaled() || b.Signaled() {
			t.Errorf("out of order %t: the wait has taken no signal", outOfOrder)
		}

		// A signal that comes first stays, once.
		signal(&a, &a).Wait()
		if !a.Signaled() {
			t.Errorf("out of order %t: the signal is gone", outOfOrder)
		}
		if s := q.putWait(nil, []*Semaphore{&a}).Wait(); s != Complete || a.Signaled() {
			t.Errorf("out of order %t: the wait ends with %d, signaled: %t", outOfOrder, s, a.Signaled())
		}

		// Who waits for a user event takes no signal meanwhile.
		user := NewEvent(Submitted)
		late := q.putWait([]*Event{user}, []*Semaphore{&a})
		signal(&a).Wait()
		if outOfOrder {
			if s := q.putWait(nil, []*Semaphore{&a}).Wait(); s != Complete {
				t.Errorf("a wait behind another one that cannot run ends with %d", s)
			}
			signal(&a).Wait()
		}
		user.Set(Complete)
		if s := late.Wait(); s != Complete {
			t.Errorf("out of order %t: the wait behind a user event ends with %d", outOfOrder, s)
		}

		// An error of what it waits for ends it without the semaphore.
		failed := NewEvent(Submitted)
		failed.Set(-5)
		if s := q.putWait([]*Event{failed}, []*Semaphore{&a}).Wait(); s != WaitFailed {
			t.Errorf("out of order %t: the wait behind an error ends with %d", outOfOrder, s)
		}
		q.Finish()
		other.Finish()
	}
}

// putWait puts a new command into the queue that waits for semaphores.
func (q *Queue) putWait(wait []*Event, semaphores []*Semaphore) *Event {
	return q.PutWait(&Command{}, wait, semaphores, work{run: func() Status { return Complete }})
}
