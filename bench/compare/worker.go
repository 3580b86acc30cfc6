package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
	"github.com/lockstep-gpu/lockstep/isa/native"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// A worker is a process of this program that runs one implementation, so that
// implementations share neither memory nor threads nor symbols, and one that
// crashes costs its own results alone. Requests come by standard input and
// answers go to standard output, both as gob.

// operation is what a worker is asked for.
type operation int

const (
	opList    operation = iota // the platforms of the library
	opOpen                     // make a session
	opFirst                    // run once and give time and outputs
	opMeasure                  // run for a while and give the times
	opClose                    // end a session
	opExec                     // start another process
	opEngine                   // the native engine of this process
	opCompile                  // compile a kernel again and again
	opSource                   // compile OpenCL C again and again
	opShare                    // count what machine code does of a session's launch
)

// request is one question to a worker.
type request struct {
	Op      operation
	Session int // chosen by the asker

	// For opOpen.
	Kernel  string
	Launch  kernels.Launch
	Workers int
	// Engine is that of lockstep, also for opCompile; "" is what it chooses.
	Engine string
	// Copy is a way of copying in the place of a kernel: byLines or byBlocks.
	Copy string
	// Subgroup is the sub-group size of lockstep; 0 is the usual one.
	Subgroup int
	// FromSource makes the kernel of its source in the place of its module, on lockstep.
	FromSource bool
	// Check turns all checks on, on lockstep.
	Check bool
	// Pipe moves packets through a pipe in the place of a kernel.
	Pipe *pipeRequest
	// Images makes a session of a kernel with images in the place of one of package kernels.
	Images *imagesRequest

	// For opMeasure: run at least once, and again until this time is over.
	Budget time.Duration
	// For opCompile and opSource.
	Runs int
	// For opSource.
	Source string

	// For opExec: what is started, and what is added to its environment.
	Command, Env []string
}

// response is the answer.
type response struct {
	Error string

	Platforms []platform
	Build     time.Duration
	// Times are those of the runs in order, and CPU what the whole process
	// used of all CPUs during them; 0 where the system does not say.
	Times   []time.Duration
	CPU     time.Duration
	Outputs [][]byte
	// Work is how many operations of lanes lockstep counted in a first run; 0
	// from others.
	Work uint64
	// Shadow and Memory are the bytes of shadow memory that checks took in a first run, and of the memory of the
	// launch's buffers; 0 from others.
	Shadow, Memory uint64
	// Share is what machine code does.
	Share bench.Share
	// Vectors is what the native engine makes code for, "AVX-512" or "AVX2".
	Vectors string
	// Peak is the largest resident size of the process that was started, in
	// bytes; 0 where the system does not say.
	Peak int64
}

// platform is an OpenCL implementation with a device.
type platform struct {
	Name, Version, Device string
}

// worker is the state of the process.
type worker struct {
	library  string // of OpenCL; "" is the system's
	index    int    // of the platform, or one of the constants
	subject  implementation
	sessions map[int]session
}

// serve answers requests until the input ends.
func (w *worker) serve(in io.Reader, out io.Writer) error {
	w.sessions = map[int]session{}
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var q request
		if err := dec.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		a, err := w.answer(&q)
		if err != nil {
			a = response{Error: strings.Join(strings.Fields(err.Error()), " ")}
		}
		if err := enc.Encode(&a); err != nil {
			return err
		}
	}
}

func (w *worker) answer(q *request) (response, error) {
	switch q.Op {
	case opList:
		return w.list()
	case opOpen:
		return w.open(q)
	case opExec:
		return execute(q.Command, q.Env)
	case opEngine:
		return nativeVectors()
	case opCompile:
		return compileTimes(q)
	case opSource:
		return sourceTimes(q)
	}
	s, ok := w.sessions[q.Session]
	if !ok {
		return response{}, fmt.Errorf("no session %d", q.Session)
	}
	switch q.Op {
	case opFirst:
		return first(s)
	case opMeasure:
		return measure(s, q.Budget)
	case opShare:
		return shareOf(s)
	case opClose:
		delete(w.sessions, q.Session)
		return response{}, s.close()
	}
	return response{}, fmt.Errorf("no operation %d", q.Op)
}

// list names the platforms that have a device.
func (w *worker) list() (response, error) {
	lib, err := ocl.Load(w.library)
	if err != nil {
		return response{}, err
	}
	platforms, err := lib.Platforms()
	if err != nil {
		return response{}, err
	}
	var a response
	for _, p := range platforms {
		devices, err := p.Devices()
		if err != nil {
			return response{}, err
		}
		entry := platform{Name: p.Name, Version: p.Version}
		if len(devices) > 0 {
			entry.Device = devices[0].Name
		}
		a.Platforms = append(a.Platforms, entry)
	}
	return a, nil
}

// implementation is what this worker runs.
func (w *worker) implementation() (implementation, error) {
	switch w.index {
	case lockstepIndex:
		return lockstep{}, nil
	case yardstickIndex:
		return loadYardstick(w.library)
	}
	lib, err := ocl.Load(w.library)
	if err != nil {
		return nil, err
	}
	platforms, err := lib.Platforms()
	if err != nil {
		return nil, err
	}
	if w.index >= len(platforms) {
		return nil, fmt.Errorf("no platform %d: there are %d", w.index, len(platforms))
	}
	devices, err := platforms[w.index].Devices()
	if err != nil {
		return nil, err
	}
	if len(devices) == 0 {
		return nil, fmt.Errorf("platform %s has no device", platforms[w.index].Name)
	}
	return opencl{devices[0]}, nil
}

func (w *worker) open(q *request) (response, error) {
	if q.Copy != "" {
		s, err := openCopy(q.Launch, q.Copy)
		if err != nil {
			return response{}, err
		}
		w.sessions[q.Session] = s
		return response{}, nil
	}
	if q.Pipe != nil {
		s, err := openPipe(q.Pipe.Way, q.Pipe.Packets)
		if err != nil {
			return response{}, err
		}
		w.sessions[q.Session] = s
		return response{}, nil
	}
	if w.subject == nil {
		var err error
		if w.subject, err = w.implementation(); err != nil {
			return response{}, err
		}
	}
	if q.Images != nil {
		s, err := openImages(w.subject, q)
		if err != nil {
			return response{}, err
		}
		w.sessions[q.Session] = s
		return response{Build: s.build()}, nil
	}
	k := kernels.Find(q.Kernel)
	if k == nil {
		return response{}, fmt.Errorf("no kernel %q", q.Kernel)
	}
	s, err := w.subject.open(k, q)
	if err != nil {
		return response{}, err
	}
	w.sessions[q.Session] = s
	return response{Build: s.build()}, nil
}

// first runs once on the first contents and gives what came out.
func first(s session) (response, error) {
	if err := s.reset(); err != nil {
		return response{}, err
	}
	d, err := s.run()
	if err != nil {
		return response{}, err
	}
	a := response{Times: []time.Duration{d}}
	if c, ok := s.(interface{ work() uint64 }); ok {
		a.Work = c.work()
	}
	if c, ok := s.(*lockstepSession); ok {
		a.Shadow, a.Memory = c.shadow, c.Bytes()
	}
	a.Outputs, err = s.outputs()
	return a, err
}

// nativeVectors says which instructions the native engine uses here; the error
// is why there is none.
func nativeVectors() (response, error) {
	if _, err := native.New(); err != nil {
		return response{}, err
	}
	f, err := codemem.Host()
	if err != nil {
		return response{}, err
	}
	if f&amd64.AVX512 != 0 {
		return response{Vectors: avx512}, nil
	}
	return response{Vectors: avx2}, nil
}

// compileTimes compiles a kernel's bytecode.
func compileTimes(q *request) (response, error) {
	k := kernels.Find(q.Kernel)
	if k == nil {
		return response{}, fmt.Errorf("no kernel %q", q.Kernel)
	}
	times, err := bench.CompileTimes(k, q.Engine, q.Runs)
	return response{Times: times}, err
}

// sourceTimes compiles OpenCL C to the bytes of a module.
func sourceTimes(q *request) (response, error) {
	var a response
	before := cpuTime()
	for range q.Runs {
		begin := time.Now()
		code, err := clc.CompileCode(context.Background(), clc.Source{Name: "source.cl", Text: q.Source}, clc.Options{})
		if err != nil {
			return a, err
		}
		if _, err := code.WriteTo(io.Discard); err != nil {
			return a, err
		}
		a.Times = append(a.Times, time.Since(begin))
	}
	a.CPU = cpuTime() - before
	return a, nil
}

// measure runs until the budget is used up, at least once, each time on the
// same contents.
func measure(s session, budget time.Duration) (response, error) {
	var a response
	for end := time.Now().Add(budget); len(a.Times) == 0 || time.Now().Before(end); {
		if err := s.reset(); err != nil {
			return a, err
		}
		before := cpuTime()
		d, err := s.run()
		if err != nil {
			return a, err
		}
		a.CPU += cpuTime() - before
		a.Times = append(a.Times, d)
	}
	return a, nil
}

// execute starts a process and waits for it. A worker does this because it is
// small: a new process counts the size of the one that it came from.
func execute(command, env []string) (response, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	var text bytes.Buffer
	cmd.Stderr = &text
	begin := time.Now()
	err := cmd.Run()
	d := time.Since(begin)
	if err != nil {
		return response{}, fmt.Errorf("%s: %w: %s", command[0], err, text.String())
	}
	return response{Times: []time.Duration{d}, Peak: peakMemory(cmd.ProcessState)}, nil
}

// runWorker is the main function of a worker.
func runWorker(library string, index int) error {
	if index >= 0 {
		// Oclgrind's check for uninitialised values crashes where its calls come from different threads.
		runtime.LockOSThread()
	}
	w := worker{library: library, index: index}
	return w.serve(os.Stdin, os.Stdout)
}
