package hostrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// Session runs the launches of a host program with the options of all of them, and reports what became of them. It is
// for any number of goroutines.
type Session struct {
	o     *Options
	color bool
	count atomic.Int64

	mu      sync.Mutex // of the files
	log     io.Writer
	tally   *os.File // nil where nobody counts
	digests *os.File // nil without -digests

	stopping  sync.Mutex // launches stop one after the other
	unstopped bool       // launches do not stop any more
}

// Streams are what a session writes to besides the files of its options.
type Streams struct {
	Stderr io.Writer
	Color  bool   // Stderr is a terminal that shows colours
	Tally  string // the file that TallyVariable names; "" is none
}

// Open makes a session. Files that cannot be written are an error.
func Open(o *Options, to Streams) (*Session, error) {
	s := &Session{o: o, log: to.Stderr, color: to.Color && o.Log == "" && !o.JSON}
	appended := func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	}
	var err error
	if o.Log != "" {
		if s.log, err = appended(o.Log); err != nil {
			return nil, fmt.Errorf("-log: %w", err)
		}
	}
	if o.Digests != "" {
		if s.digests, err = appended(o.Digests); err != nil {
			return nil, fmt.Errorf("-digests: %w", err)
		}
	}
	if to.Tally != "" {
		if s.tally, err = appended(to.Tally); err != nil {
			return nil, fmt.Errorf("%s: %w", TallyVariable, err)
		}
	}
	for _, d := range []struct {
		flag string
		path *string
	}{{"record", &o.Record}, {"trace", &o.Trace}} {
		if *d.path == "" {
			continue
		}
		// The program may change its folder later.
		if *d.path, err = filepath.Abs(*d.path); err == nil {
			err = os.MkdirAll(*d.path, 0o777)
		}
		if err != nil {
			return nil, fmt.Errorf("-%s: %w", d.flag, err)
		}
	}
	if o.Stop != "" && o.Record == "" {
		if err := os.MkdirAll(o.folder(), 0o777); err != nil {
			return nil, fmt.Errorf("-stop: %w", err)
		}
	}
	return s, nil
}

// Keeps says whether the session needs what a Case has besides its Call.
func (s *Session) Keeps() bool { return s.o.Records() || s.o.Digests != "" }

// Number returns the number of the next launch, from 1. A host calls it in the order in which the program asks for
// launches, so that the same program has the same numbers at each run.
func (s *Session) Number() int { return int(s.count.Add(1)) }

// Run runs a launch, and leaves it as it is. A finding that did not keep a work-group from its end is
// reported and is no error. c may be nil where the session keeps nothing (see Keeps).
func (s *Session) Run(ctx context.Context, n int, launch *emu.Launch, c *Case) error {
	if !s.terse() {
		r := s.Start(n, launch, c)
		return r.End(r.Launch.Run(ctx))
	}
	l := *launch
	s.o.Launch(&l)
	res, err := l.Run(ctx)
	if err == nil && len(res.Findings.Findings) == 0 && res.Findings.Omitted == 0 && len(res.Findings.Partial) == 0 {
		return nil
	}
	r := s.report(n, launch, c)
	r.ended(res, err)
	return s.finish(r, c)
}

// terse says that there is nothing to do for a launch without findings.
func (s *Session) terse() bool {
	return !s.o.Stats && !s.o.JSON && s.o.Trace == "" && !s.Keeps() && s.tally == nil
}

// report begins the report of a launch.
func (s *Session) report(n int, l *emu.Launch, c *Case) *report {
	return &report{number: n, kernel: l.Kernel.Name(), launch: l, call: c.call, o: s.o}
}

// Running is a launch between [Session.Start] and its end, which somebody else runs.
type Running struct {
	// Launch is what is to be run, with the session's options.
	Launch emu.Launch

	s *Session
	r *report
	c *Case
}

// Start begins what [Session.Run] does, for those who run the launch in another way, such as together with
// others. [Running.End] must follow.
func (s *Session) Start(n int, launch *emu.Launch, c *Case) *Running {
	run := &Running{Launch: *launch, s: s, c: c}
	l := &run.Launch
	s.o.Launch(l)
	run.r = s.report(n, l, c)
	if s.o.Records() {
		path, err := s.record(n, l, c)
		if err != nil {
			run.r.notes = append(run.r.notes, "launch not recorded: "+err.Error())
		}
		if s.o.Record != "" {
			run.r.recorded = path
			run.r.notes = append(run.r.notes, c.problems...)
		}
		if err == nil && s.o.Stop != "" {
			st := Stop{Launch: n, Kernel: l.Kernel.Name(), Record: path}
			if call := c.call(); call != nil {
				st.Call = call.text()
			}
			if err := s.stop(st); err != nil {
				run.r.notes = append(run.r.notes, err.Error())
			}
		}
	}
	if s.o.Trace != "" {
		l.Trace = trace.New(trace.Options{})
	}
	return run
}

// End reports what became of the launch, as [Session.Run] does. Of launches that ran together, the first
// has the timeline of all.
func (run *Running) End(res *emu.Result, err error) error {
	s, r, t := run.s, run.r, run.Launch.Trace
	r.ended(res, err)
	if t != nil && t.Launches() > 0 && res != nil {
		if r.traced, err = s.writeTrace(r.number, r.kernel, t); err != nil {
			r.notes = append(r.notes, "timeline not written: "+err.Error())
		}
	}
	return s.finish(r, run.c)
}

// contextError is the error of the context that ended a launch.
func contextError(found *emu.FindingsError) error {
	if found == nil {
		return nil
	}
	return found.Err
}

// finish writes what is to be said about a launch that is over, and returns the error that it has for the
// host.
func (s *Session) finish(r *report, c *Case) error {
	text := r.text(s.color)
	if s.o.JSON {
		text = r.json()
	}
	var codes []string
	for i := range r.findings.Findings {
		codes = append(codes, string(r.findings.Findings[i].Code))
	}
	digest := ""
	if s.digests != nil {
		digest = c.digest(r.number, r.launch.Kernel).Line() + "\n"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.log, text)
	if s.tally != nil {
		err = errors.Join(err, AppendLaunch(s.tally, codes))
	}
	if s.digests != nil {
		_, derr := io.WriteString(s.digests, digest)
		err = errors.Join(err, derr)
	}
	if err != nil && s.o.Log != "" {
		fmt.Fprintf(os.Stderr, "lockstep: %v\n", err)
	}
	switch {
	case r.failure != nil:
		return r.failure
	case !r.completed:
		return r.found
	}
	return nil
}

// writeTrace writes the timeline of a launch, and returns the path of the file.
func (s *Session) writeTrace(n int, kernel string, t *trace.Recorder) (string, error) {
	for ; ; n++ {
		path := filepath.Join(s.o.Trace, fmt.Sprintf("%d-%s.json", n, fileName(kernel)))
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if errors.Is(err, os.ErrExist) {
			continue // another process of the program has this number
		}
		if err != nil {
			return "", err
		}
		return path, errors.Join(t.WriteChrome(f), f.Close())
	}
}

// fileName makes a name of a kernel that every system takes for a file.
func fileName(kernel string) string {
	const most = 64
	return strings.Map(func(r rune) rune {
		if r < 128 && (r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, kernel[:min(len(kernel), most)])
}
