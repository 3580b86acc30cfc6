package dap

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-dap"
)

// Host is a program whose launches are debugged one after the other. It waits in each launch.
type Host struct {
	// Next returns the next launch. A target without a session says that the program has ended, with its status.
	// What it says goes to say, which may be called at any time.
	Next func(ctx context.Context) (*Target, error)
	// Detach lets the program go on without further stops, and End ends it. Both return when that has happened.
	Detach, End func()
	// Attached says that the program was there before the client, and stays behind it.
	Attached bool
}

// arrival is what the host program comes to.
type arrival struct {
	target *Target
	err    error
}

// waiting are the requests that are answered while the host program runs between two launches.
var waiting = map[string]bool{"configurationDone": true, "threads": true, "pause": true, "loadedSources": true}

// hostThread is the thread that clients see while the host program runs between two launches.
const hostThread = 1

// await waits for the next launch of the host program.
func (s *server) await() {
	ctx, cancel := context.WithCancel(s.ctx)
	coming := make(chan arrival, 1)
	s.coming, s.unwait = coming, cancel
	next := s.host.Next
	go func() {
		t, err := next(ctx)
		coming <- arrival{t, err}
	}()
}

// arrive takes the next launch of the host program, which begins to run, or the end of the program.
func (s *server) arrive(a arrival) {
	s.unwait()
	s.coming = nil
	switch {
	case a.err != nil:
		s.say(Output{Category: "stderr", Text: "lockstep: " + a.err.Error() + "\n"})
		s.exit(2)
	case a.target.Session == nil:
		s.exit(a.target.Status)
	default:
		s.install(a.target)
		if a.target.Title != "" {
			s.say(Output{Category: "console", Text: a.target.Title + "\n"})
		}
		s.apply()
		if s.pausing {
			s.pausing = false
			s.stopped("pause", "the beginning of the launch", "", nil)
			return
		}
		s.enter()
	}
}

// leave ends the debugging of the host program: it goes on by itself where detach says so, and ends
// otherwise.
func (s *server) leave(detach bool) {
	h := s.host
	if h == nil {
		return
	}
	s.host = nil
	if detach {
		s.drop()
		h.Detach()
	} else {
		h.End()
		s.drop()
	}
	if s.coming != nil {
		s.unwait()
		if a := <-s.coming; a.target != nil && a.target.Close != nil {
			a.target.Close()
		}
		s.coming = nil
	}
}

// between is the error for a request that needs a launch where there is none at the moment.
func (s *server) between() error {
	switch {
	case s.host == nil:
		return fmt.Errorf("%w: no kernel is launched; send launch first", errPlace)
	case s.coming == nil:
		return fmt.Errorf("%w: the program has not begun; send configurationDone first", errPlace)
	}
	return fmt.Errorf("%w, and the program is between two launches; pause stops at the next one", errRuns)
}

// hostThreads has the thread of a host program between two launches.
func hostThreads() dap.ThreadsResponseBody {
	return dap.ThreadsResponseBody{Threads: []dap.Thread{{Id: hostThread, Name: "the program, between two launches"}}}
}

// errAttached is the error of restart for a program that the client did not start.
var errAttached = errors.New("a program to which a client attaches is not run again; start it anew where it was started")
