package emu

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Queue runs launches and other commands one after the other, in the order in
// which they were given. Its zero value is not ready for use. It takes a
// goroutine only while there is something to do.
//
// # Launches with pipes
//
// Launches that are connected by pipes run together, as a [Set]. A launch whose
// kernel has pipes is therefore held until the host says that it waits: by
// [Queue.Flush], [Queue.Finish], [Queue.Close], a method of the launch's [Event], or by
// putting anything else into the queue, a launch without pipes included. The launches that
// are held then run in their order, each time the fewest of them, from the first one
// on, of which none shares a pipe with one behind them: those are a set. What runs
// together thus depends on what the host asked for, and not on how fast it was.
//
// In such a set the Schedule, KeepGoing, Trace and Progress of the first launch count for
// all, and the shortest Timeout; the end of any of their contexts ends all of them. Output and
// Check are each launch's own.
type Queue struct {
	dev *Device

	mu     sync.Mutex
	work   []job
	held   []*Event // launches with pipes that wait for others
	busy   bool     // a goroutine works on it
	closed bool
}

// job is what runs at a time: a command, or the launches of a set.
type job struct {
	command *Event
	set     []*Event
}

// NewQueue makes a queue.
func (d *Device) NewQueue() (*Queue, error) {
	if d == nil || d.turn == nil {
		return nil, fmt.Errorf("device: %w", ErrInvalid)
	}
	return &Queue{dev: d}, nil
}

// Launch puts a launch at the end of the queue. Arguments and range are
// checked at once; the error is then that of [Launch.Run] for a launch that did
// not start. The context counts for the launch as it does for Launch.Run, from
// now on; the launch is copied.
func (q *Queue) Launch(ctx context.Context, l Launch) (*Event, error) {
	if q == nil || q.dev == nil {
		return nil, fmt.Errorf("queue: %w", ErrInvalid)
	}
	p, err := l.prepare()
	if err != nil {
		return nil, err
	}
	if l.Kernel.prog.dev != q.dev {
		return nil, fmt.Errorf("kernel %s: %w", l.Kernel.Name(), ErrForeign)
	}
	if p.hasPipes() {
		return q.hold(ctx, p)
	}
	return q.put(ctx, p.run)
}

// Write puts a copy into a buffer at the end of the queue; p must not change
// until the event is over.
func (q *Queue) Write(ctx context.Context, b *Buffer, off int64, p []byte) (*Event, error) {
	return q.put(ctx, func(context.Context) (*Result, error) {
		_, err := b.WriteAt(p, off)
		return nil, err
	})
}

// Read puts a copy of len(p) bytes out of a buffer at the end of the queue; p
// must not be used until the event is over.
func (q *Queue) Read(ctx context.Context, b *Buffer, off int64, p []byte) (*Event, error) {
	return q.put(ctx, func(context.Context) (*Result, error) {
		_, err := b.ReadAt(p, off)
		return nil, err
	})
}

func (q *Queue) put(ctx context.Context, run func(context.Context) (*Result, error)) (*Event, error) {
	if q == nil || q.dev == nil {
		return nil, fmt.Errorf("queue: %w", ErrInvalid)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	e := &Event{ctx: ctx, run: run, done: make(chan struct{}), profile: Profile{Queued: time.Now()}}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, fmt.Errorf("queue: %w", ErrClosed)
	}
	q.flush()
	q.start(job{command: e})
	return e, nil
}

// start puts a job behind the others. The queue is locked.
func (q *Queue) start(j job) {
	q.work = append(q.work, j)
	if !q.busy {
		q.busy = true
		go q.drain()
	}
}

// drain runs commands until there are none.
func (q *Queue) drain() {
	for {
		q.mu.Lock()
		if len(q.work) == 0 {
			q.work, q.busy = nil, false
			q.mu.Unlock()
			return
		}
		j := q.work[0]
		q.work[0] = job{}
		q.work = q.work[1:]
		q.mu.Unlock()
		if j.command != nil {
			j.command.execute()
		} else {
			runSet(j.set)
		}
	}
}

// Finish waits until everything that was put into the queue so far is over.
// The error is the context's, not that of a command.
func (q *Queue) Finish(ctx context.Context) error {
	// The marker's own context is never over: it stands for the commands before.
	e, err := q.put(context.Background(), func(context.Context) (*Result, error) { return nil, nil })
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close takes no more commands. Those in the queue still run, launches that are
// held included.
func (q *Queue) Close() error {
	if q == nil || q.dev == nil {
		return fmt.Errorf("queue: %w", ErrInvalid)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return fmt.Errorf("queue: %w", ErrClosed)
	}
	q.flush()
	q.closed = true
	return nil
}

// Event is a command in a queue.
type Event struct {
	ctx context.Context
	run func(context.Context) (*Result, error)

	// Of a launch with pipes; held is guarded by the queue's lock.
	queue  *Queue
	launch *prepared
	held   bool

	done chan struct{}
	// The rest is written before done is closed, and read after.
	result  *Result
	err     error
	profile Profile
}

// Profile has the times of a command: when it was put into the queue, when its
// turn came, and when it was over. They are the only results that differ from run to run.
type Profile struct {
	Queued, Started, Ended time.Time
}

func (e *Event) execute() {
	e.profile.Started = time.Now()
	if e.err = e.ctx.Err(); e.err == nil {
		e.result, e.err = e.run(e.ctx)
	}
	e.profile.Ended = time.Now()
	e.run = nil // lets buffers go
	close(e.done)
}

// Done returns a channel that is closed when the command is over. Like every
// method of an event, it lets launches run that the queue holds, when the event's is
// one of them.
func (e *Event) Done() <-chan struct{} {
	if e == nil {
		return nil
	}
	e.release()
	return e.done
}

// Wait waits for the command and returns what [Launch.Run] returns; the result
// is nil for commands that are no launch.
func (e *Event) Wait() (*Result, error) {
	if e == nil || e.done == nil {
		return nil, fmt.Errorf("event: %w", ErrInvalid)
	}
	e.release()
	<-e.done
	return e.result, e.err
}

// Err returns the command's error; nil while it is not over.
func (e *Event) Err() error {
	if e == nil || e.done == nil {
		return fmt.Errorf("event: %w", ErrInvalid)
	}
	e.release()
	select {
	case <-e.done:
		return e.err
	default:
		return nil
	}
}

// Profile waits for the command and returns its times.
func (e *Event) Profile() (Profile, error) {
	if _, err := e.Wait(); e == nil || e.done == nil {
		return Profile{}, err
	}
	return e.profile, nil
}
