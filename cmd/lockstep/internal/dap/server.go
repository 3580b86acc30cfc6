package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/google/go-dap"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugger"
	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
)

// errPlace is wrapped by errors that say what a client should have done.
var errPlace = errors.New("not now")

// errRuns is wrapped by errors of requests that a client may send again when the launch stands.
var errRuns = fmt.Errorf("%w: the launch runs", errPlace)

// handler answers a request. What it returns is the body of the response.
type handler struct {
	// launched says that there must be a session; running, that the request leaves a launch that runs alone.
	launched, running bool
	answer            func(s *server, arguments json.RawMessage) (any, error)
}

// with makes a function of arguments of a type one of their text.
func with[A any](f func(*server, *A) (any, error)) func(*server, json.RawMessage) (any, error) {
	return func(s *server, raw json.RawMessage) (any, error) {
		var a A
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &a); err != nil {
				return nil, fmt.Errorf("the arguments are not those of the request: %w", plain(err))
			}
		}
		return f(s, &a)
	}
}

// plain says in words what is wrong with JSON.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		what := map[string]string{"string": "a text", "bool": "true or false", "int": "a whole number", "struct": "an object", "slice": "a list"}[wrong.Type.Kind().String()]
		return fmt.Errorf("%s is %s; %s is needed", cmpOr(wrong.Field, "the whole"), wrong.Value, cmpOr(what, wrong.Type.String()))
	}
	return err
}

// handlers are the requests that the server knows.
var handlers map[string]handler

func init() {
	handlers = map[string]handler{
		"initialize":        {false, true, with((*server).initialize)},
		"launch":            {false, false, with((*server).launch)},
		"attach":            {false, false, with((*server).attach)},
		"configurationDone": {true, false, with((*server).configurationDone)},
		"restart":           {false, false, with((*server).restart)},
		"disconnect":        {false, true, with((*server).disconnect)},
		"terminate":         {false, true, with((*server).terminate)},
		"cancel":            {false, true, with((*server).cancelled)},

		"setBreakpoints":            {false, false, with((*server).setBreakpoints)},
		"setFunctionBreakpoints":    {false, false, with((*server).setFunctionBreakpoints)},
		"setInstructionBreakpoints": {false, false, with((*server).setInstructionBreakpoints)},
		"setDataBreakpoints":        {false, false, with((*server).setDataBreakpoints)},
		"dataBreakpointInfo":        {true, false, with((*server).dataBreakpointInfo)},
		"setExceptionBreakpoints":   {false, true, with((*server).setExceptionBreakpoints)},
		"breakpointLocations":       {true, false, with((*server).breakpointLocations)},

		"continue":        {true, true, with((*server).goOn)},
		"next":            {true, true, with((*server).next)},
		"stepIn":          {true, true, with((*server).stepIn)},
		"stepOut":         {true, true, with((*server).stepOut)},
		"stepBack":        {true, true, with((*server).stepBack)},
		"reverseContinue": {true, true, with((*server).reverseContinue)},
		"pause":           {true, true, with((*server).pause)},

		"threads":             {true, true, with((*server).threads)},
		"stackTrace":          {true, false, with((*server).stackTrace)},
		"scopes":              {true, false, with((*server).scopes)},
		"variables":           {true, false, with((*server).variables)},
		"setVariable":         {true, false, with((*server).setVariable)},
		"evaluate":            {true, false, with((*server).evaluate)},
		"setExpression":       {true, false, with((*server).setExpression)},
		"completions":         {true, false, with((*server).completions)},
		"exceptionInfo":       {true, false, with((*server).exceptionInfo)},
		"lockstep/selectItem": {true, false, with((*server).selectItem)},

		"disassemble":   {true, false, with((*server).disassemble)},
		"readMemory":    {true, false, with((*server).readMemory)},
		"writeMemory":   {true, false, with((*server).writeMemory)},
		"loadedSources": {true, true, with((*server).loadedSources)},
		"source":        {true, true, with((*server).source)},
	}
}

// server answers the requests of one client.
type server struct {
	ctx     context.Context // ends with the connection
	in      *inbox
	out     outbox
	prepare Prepare
	client  dap.InitializeRequestArguments
	ready   bool // initialized
	over    bool // nothing is answered any more
	panics  bool // a panic was caught

	request context.Context // of the request that is answered
	after   []func()        // what is to be done behind the answer

	attributes *Launch // of the launch; nil before
	arguments  json.RawMessage
	target     *Target
	session    *emudebug.Session
	console    *debugger.Console
	words      strings.Builder // what the console writes
	begun      bool            // the configuration is done
	ended      bool            // the launch has ended, and the client knows
	found      bool            // something went wrong in the kernel
	stands     int             // the thread that the client believes to stand; 0 for a launch that runs

	host    *Host        // whose launches these are; nil for a launch of lockstep's own
	coming  chan arrival // its next launch; nil where that is not awaited
	unwait  func()       // ends the wait
	pausing bool         // the next launch stops where it begins

	op      *operation // on its way
	held    *operation // interrupted for a request
	printed int        // bytes of the kernel's output that were told

	view   view
	wishes []*wish
	marks  []*mark
	ids    int // of breakpoints
	ignore map[string]bool
	last   cause
}

// Serve answers a client's requests until it disconnects, its bytes end or the context does. The error is
// that of bytes that are no messages, or of writing.
func Serve(ctx context.Context, from io.Reader, to io.Writer, prepare Prepare) error {
	s := newServer(ctx, to, prepare)
	return s.serve(from)
}

func newServer(ctx context.Context, to io.Writer, prepare Prepare) *server {
	return &server{ctx: ctx, in: newInbox(), out: outbox{w: to}, prepare: prepare, ignore: map[string]bool{}}
}

func (s *server) serve(from io.Reader) error {
	ctx, cancel := context.WithCancel(s.ctx)
	s.ctx = ctx
	defer cancel()
	defer s.close()
	go s.in.read(from, ctx.Done())
	for !s.over && s.out.failed() == nil {
		var done chan result
		if s.op != nil {
			done = s.op.done
		}
		select {
		case r := <-done:
			s.finish(r)
		case a := <-s.coming:
			s.arrive(a)
		case <-s.in.ready:
			if err := s.drain(); err != nil {
				if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) {
					return nil
				}
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.out.failed()
}

// drain answers the requests that are there.
func (s *server) drain() error {
	for !s.over && s.out.failed() == nil {
		ctx, cancel := context.WithCancel(s.ctx)
		m, err := s.in.pop(cancel)
		if m == nil {
			cancel()
			return err
		}
		s.request = ctx
		s.handle(m)
		cancel()
	}
	return nil
}

// handle answers a request.
func (s *server) handle(m *request) {
	switch {
	case m.Type == "wrong":
		m.Command = "unknown"
		s.out.refuse(m, "", errors.New("the message is no request in JSON"))
		return
	case m.Type != "request":
		return // answers to what was never asked
	case m.cancelled:
		s.out.refuse(m, "cancelled", errors.New("the request was cancelled"))
		return
	}
	h, ok := handlers[m.Command]
	body, err := any(nil), error(nil)
	switch {
	case !ok:
		err = fmt.Errorf("lockstep dap does not know the request %.60q; `lockstep help dap` has those that it knows", m.Command)
	case !s.ready && m.Command != "initialize" && m.Command != "disconnect":
		err = fmt.Errorf("%w: the first request is initialize", errPlace)
	case h.launched && s.session == nil && (s.host == nil || !waiting[m.Command]):
		err = s.between()
	default:
		if s.op != nil && !h.running {
			s.hold()
		}
		body, err = s.protect(func() (any, error) { return h.answer(s, m.Arguments) })
	}
	if err != nil {
		short := ""
		if s.request.Err() != nil {
			short = "cancelled"
		} else if errors.Is(err, errRuns) {
			short = "notStopped"
		}
		s.out.refuse(m, short, err)
	} else {
		s.out.respond(m, body)
	}
	after := s.after
	s.after = nil
	for _, f := range after {
		f()
	}
	if s.held != nil {
		s.start(s.held.again())
		s.held = nil
	}
}

// protect calls what answers a request. A panic there is an error of lockstep's, and no reason to take the
// client's session away.
func (s *server) protect(f func() (any, error)) (body any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.panics = true
			body, err = nil, fmt.Errorf("an error inside of lockstep: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// later does something behind the answer to the request at hand.
func (s *server) later(f func()) { s.after = append(s.after, f) }

// say tells the client something that it shows to a person.
func (s *server) say(o Output) {
	body := dap.OutputEventBody{Category: o.Category, Output: o.Text, Data: o.Data}
	if o.File != "" && o.Line > 0 {
		body.Source, body.Line = s.sourceOf(o.File), s.line(o.Line)
		if o.Column > 0 {
			body.Column = s.column(o.Column)
		}
	}
	s.out.event("output", body)
}

// line returns a line as the client counts them.
func (s *server) line(n int) int {
	if !s.client.LinesStartAt1 {
		return n - 1
	}
	return n
}

// column returns a column as the client counts them; 0 is "unknown" for lockstep, and the first for a client.
func (s *server) column(n int) int {
	n = max(n, 1)
	if !s.client.ColumnsStartAt1 {
		return n - 1
	}
	return n
}

// close ends what is on its way, and the session.
func (s *server) close() {
	if s.op != nil {
		s.op.cancel()
		<-s.op.done
		s.op = nil
	}
	s.leave(s.host != nil && s.host.Attached)
	s.drop()
}

// drop ends the session.
func (s *server) drop() {
	if s.target != nil && s.target.Close != nil {
		s.target.Close()
	}
	s.target, s.session, s.console = nil, nil, nil
	s.view = view{}
}
