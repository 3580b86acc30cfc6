package emu

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// This file makes sets of the launches with pipes that a queue holds.

// hold puts a launch with pipes behind those that wait.
func (q *Queue) hold(ctx context.Context, p *prepared) (*Event, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	e := &Event{ctx: ctx, queue: q, launch: p, held: true, done: make(chan struct{}), profile: Profile{Queued: time.Now()}}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, fmt.Errorf("queue: %w", ErrClosed)
	}
	q.held = append(q.held, e)
	return e, nil
}

// Flush lets the launches with pipes run that the queue holds. It does not wait
// for them.
func (q *Queue) Flush() error {
	if q == nil || q.dev == nil {
		return fmt.Errorf("queue: %w", ErrInvalid)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return fmt.Errorf("queue: %w", ErrClosed)
	}
	q.flush()
	return nil
}

// release flushes the queue when it holds the event's launch.
func (e *Event) release() {
	if e.queue == nil {
		return
	}
	e.queue.mu.Lock()
	defer e.queue.mu.Unlock()
	if e.held {
		e.queue.flush()
	}
}

// flush makes sets of the launches that are held. The queue is locked.
func (q *Queue) flush() {
	held := q.held
	q.held = nil
	for len(held) > 0 {
		n := closedPrefix(held)
		for _, e := range held[:n] {
			e.held = false
		}
		q.start(job{set: held[:n:n]})
		held = held[n:]
	}
}

// sharedPipe is what two launches may have in common: a pipe of the host, or one of
// a program.
type sharedPipe struct {
	host *Pipe
	prog *Program
	pipe int
}

// shared calls f for each pipe that the launch holds.
func (p *prepared) shared(f func(sharedPipe)) {
	for i := range p.args {
		if h := p.args[i].pipe; h != nil {
			f(sharedPipe{host: h})
		}
	}
	prog := p.Kernel.prog
	if p.Kernel.code.AnyPipe {
		for i := range p.Kernel.isa.Pipes {
			f(sharedPipe{prog: prog, pipe: i})
		}
		return
	}
	for _, r := range p.Kernel.code.PipeRegs {
		f(sharedPipe{prog: prog, pipe: r.Pipe})
	}
}

// closedPrefix returns the length of the shortest prefix of launches, at least
// one, of which none shares a pipe with one behind it.
func closedPrefix(held []*Event) int {
	last := make(map[sharedPipe]int) // launch that holds it
	for i, e := range held {
		e.launch.shared(func(s sharedPipe) { last[s] = i })
	}
	n := 1
	for i := 0; i < n; i++ {
		held[i].launch.shared(func(s sharedPipe) { n = max(n, last[s]+1) })
	}
	return n
}

// runSet runs launches with pipes as a set.
func runSet(events []*Event) {
	started := time.Now()
	run := setRun{own: true, set: &Set{}}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	first := events[0].launch
	run.set.Schedule, run.set.KeepGoing, run.set.Trace, run.set.Progress = first.Schedule, first.KeepGoing, first.Trace, first.Progress
	for _, e := range events {
		p := e.launch
		p.Schedule = first.Schedule
		if p.Timeout > 0 && (run.set.Timeout == 0 || p.Timeout < run.set.Timeout) {
			run.set.Timeout = p.Timeout
		}
		run.launches = append(run.launches, p)
		defer context.AfterFunc(e.ctx, func() { cancel(e.ctx.Err()) })()
	}
	var res *SetResult
	// A context that is over already need not have been noticed.
	err := contextErr(events)
	if err == nil {
		res, err = run.run(ctx)
	}
	ended := time.Now()
	var found *FindingsError
	findings := errors.As(err, &found)
	for i, e := range events {
		e.profile.Started, e.profile.Ended = started, ended
		e.err = err
		if res != nil {
			e.result = res.Launches[i]
			if findings {
				if e.err = nil; e.result.Findings.Failed() {
					e.err = &FindingsError{Findings: e.result.Findings, Err: found.Err}
				}
			}
		}
		e.launch = nil // lets buffers go
		close(e.done)
	}
}

// contextErr returns the error of the first context that is over.
func contextErr(events []*Event) error {
	for _, e := range events {
		if err := e.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
