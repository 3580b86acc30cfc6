package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// named is Work with a name, which never runs by itself.
type named struct {
	work
	name string
}

// company is a group that notes which commands run together.
type company struct {
	Group
	ran []string
}

func newCompany() *company {
	c := &company{}
	c.Run = func(list []Work, over func(int, Status)) {
		var names []string
		for _, w := range list {
			names = append(names, w.(named).name)
		}
		c.ran = append(c.ran, strings.Join(names, " "))
		for i := range list {
			over(i, Complete)
		}
	}
	return c
}

func (c *company) queue(outOfOrder bool) *Queue {
	q := &Queue{OutOfOrder: outOfOrder}
	c.Add(q)
	return q
}

// together puts a command into the queue that runs together with others.
func (q *Queue) together(name string, wait ...*Event) *Event {
	return q.Put(&Command{Together: true}, wait, Ordinary, named{name: name})
}

// idle puts a command into the queue that takes a while.
func (q *Queue) idle(took time.Duration, wait ...*Event) *Event {
	return q.put(wait, Ordinary, work{run: func() Status { time.Sleep(took); return Complete }})
}

// TestTogether: what the host has put into queues before it waits runs together, however long other commands
// take.
func TestTogether(t *testing.T) {
	for name, test := range map[string]struct {
		put  func(c *company) *Event // what the host waits for
		want []string
	}{
		"two queues": {func(c *company) *Event {
			a, b := c.queue(false), c.queue(false)
			a.together("a")
			a.Start()
			return b.together("b")
		}, []string{"a b"}},
		"one queue that is in order": {func(c *company) *Event {
			q := c.queue(false)
			q.together("a")
			return q.together("b")
		}, []string{"a", "b"}},
		"one queue that is out of order": {func(c *company) *Event {
			q := c.queue(true)
			q.together("a")
			return q.together("b")
		}, []string{"a b"}},
		"commands before": {func(c *company) *Event {
			a, b, other := c.queue(false), c.queue(true), c.queue(false)
			e := a.together("a")
			b.together("b", other.idle(2*time.Millisecond, b.idle(time.Millisecond, other.idle(time.Millisecond))))
			return e
		}, []string{"a b"}},
		"later ones": {func(c *company) *Event {
			a, b := c.queue(false), c.queue(false)
			e := a.together("a")
			b.together("b")
			a.together("c")
			b.together("d")
			c.Release()
			b.together("e")
			e.Wait()
			return b.together("f")
		}, []string{"a b", "c d", "e", "f"}},
		"behind a user event": {func(c *company) *Event {
			a, b := c.queue(false), c.queue(false)
			user := NewEvent(Submitted)
			a.together("a", user)
			b.together("b").Wait()
			user.Set(Complete)
			return a.last.Event()
		}, []string{"b", "a"}},
		"behind an error": {func(c *company) *Event {
			a := c.queue(false)
			user := NewEvent(Submitted)
			user.Set(-5)
			e := a.together("a", user)
			if s := e.Wait(); s != WaitFailed {
				panic(fmt.Sprint(s))
			}
			return a.together("b")
		}, []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				c := newCompany()
				if s := test.put(c).Wait(); s != Complete {
					t.Fatalf("the status is %d", s)
				}
				for _, q := range slices.Clone(c.queues) {
					q.Finish()
					c.Remove(q)
				}
				c.mu.Lock()
				if n := c.held.Load(); n != 0 || len(c.parked) != 0 || len(c.queues) != 0 {
					t.Errorf("%d are not over", n)
				}
				c.mu.Unlock()
				if !slices.Equal(c.ran, test.want) {
					t.Fatalf("ran %q, want %q", c.ran, test.want)
				}
			}
		})
	}
}

// TestTogetherWithoutWait: commands run together some time, also if the host does not wait.
func TestTogetherWithoutWait(t *testing.T) {
	c := newCompany()
	q := c.queue(false)
	over := make(chan bool)
	q.together("a")
	q.put(nil, Ordinary, work{run: func() Status { close(over); return Complete }})
	<-over
}

// TestTogetherBesideOthers: a host that puts commands into another queue all the time keeps nobody waiting.
func TestTogetherBesideOthers(t *testing.T) {
	c := newCompany()
	q, other := c.queue(false), c.queue(false)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				other.idle(0)
				other.idle(time.Microsecond).Wait()
			}
		}
	}()
	for range 50 {
		if s := q.together("a").Wait(); s != Complete {
			t.Errorf("the status is %d", s)
		}
	}
	close(stop)
	<-stopped
}
