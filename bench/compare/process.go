package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// process is a worker seen from the process that asks it.
type process struct {
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	enc     *gob.Encoder
	dec     *gob.Decoder
	timeout time.Duration
	engine  string // of lockstep, for sessions that ask for none
	failed  error  // set when the worker can no longer be used
	next    int    // number of the next session
}

// workerKind says what a worker runs.
type workerKind struct {
	name    string
	library string   // of OpenCL, "" is the system's; or of the kernels in C
	index   int      // of the platform, or one of those below
	engine  string   // of lockstep; "" is what it chooses
	env     []string // more of the environment
}

// Indices that are no platform of an OpenCL library.
const (
	lockstepIndex  = -1
	yardstickIndex = -2
)

// startWorker starts a worker of this program. A question that takes longer
// than timeout ends it.
func startWorker(ctx context.Context, kind workerKind, timeout time.Duration) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startProgram(ctx, self, kind, timeout)
}

// startProgram starts a worker of another build of this program, which may be
// older: it knows the operations and fields of its time.
func startProgram(ctx context.Context, program string, kind workerKind, timeout time.Duration) (*process, error) {
	cmd := exec.CommandContext(ctx, program, "worker", kind.library, strconv.Itoa(kind.index))
	// PoCL would keep compiled kernels on disk, and the build time would be
	// that of an earlier run.
	cmd.Env = append(os.Environ(), "POCL_KERNEL_CACHE=0")
	cmd.Env = append(cmd.Env, kind.env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{name: kind.name, engine: kind.engine, cmd: cmd, in: in, enc: gob.NewEncoder(in), dec: gob.NewDecoder(out), timeout: timeout}, nil
}

// ask sends a question and waits for the answer.
func (p *process) ask(q request) (response, error) {
	if p.failed != nil {
		return response{}, p.failed
	}
	var a response
	late := time.AfterFunc(p.timeout, func() { p.cmd.Process.Kill() })
	err := p.enc.Encode(&q)
	if err == nil {
		err = p.dec.Decode(&a)
	}
	if !late.Stop() {
		err = fmt.Errorf("no answer in %v", p.timeout)
	}
	if err != nil {
		p.failed = fmt.Errorf("%s: %w", p.name, err)
		return response{}, p.failed
	}
	if a.Error != "" {
		return response{}, fmt.Errorf("%s: %s", p.name, a.Error)
	}
	return a, nil
}

// open asks for a session and gives its number and the time to build.
func (p *process) open(q request) (int, time.Duration, error) {
	q.Op, q.Session = opOpen, p.next
	if q.Engine == "" {
		q.Engine = p.engine
	}
	p.next++
	a, err := p.ask(q)
	return q.Session, a.Build, err
}

// measure asks for the times of a session.
func (p *process) measure(session int, budget time.Duration) (response, error) {
	return p.ask(request{Op: opMeasure, Session: session, Budget: budget})
}

// close ends the worker.
func (p *process) close() error {
	return errors.Join(p.in.Close(), p.cmd.Wait())
}
