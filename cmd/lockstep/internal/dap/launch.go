package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/go-dap"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugger"
	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/internal/words"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Launch has the attributes of a launch.
type Launch struct {
	// Program is OpenCL C or a module, and Args are the flags behind it on a command line of lockstep debug.
	Program string
	Args    []string
	Cwd     string // of relative paths; "" for that of the process
	// StopOnEntry stops before the first instruction, and StopAtEnd when the launch is over.
	StopOnEntry, StopAtEnd bool
	NoDebug                bool   // runs with checks, and stops nowhere
	Checks                 bool   // runs with checks first, and stops where they found something
	Step                   string // who steps: "lane", "wave" or "group"
	// Host is a program and its arguments whose launches are debugged, in the place of Program. Kernel is the
	// kernel of which, "" for all.
	Host   []string
	Kernel string
	Attach bool // to a host program that is there already
}

// Output is a piece of text for people.
type Output struct {
	Category     string // "stdout", "stderr", "console" or "important"
	Text         string
	File         string // where in the source it is about; "" for nowhere
	Line, Column int
	Data         json.RawMessage // the same for programs
}

// Target is a launch that is ready for a client.
type Target struct {
	// Session is nil for a launch that has run without a debugger, with the exit status Status.
	Session *emudebug.Session
	Status  int
	// Host has the launches where a program makes them. The target has no session then.
	Host  *Host
	Title string // which launch of a host program it is, for people
	// Match returns the source that has the contents of a file of the client's.
	Match func(path string) (name string, ok bool)
	// Source returns a source by the name that the module has for it, and Path where it is.
	Source func(name string) ([]byte, error)
	Path   func(name string) (path string, ok bool)
	// SPIRV returns the text of the instruction at an offset of the module, in words; "" for none.
	SPIRV func(word int) string
	// Found is what the checks have found.
	Found finding.List
	// Finish writes what the launch's arguments ask for, when it has come to its end.
	Finish func(found bool) error
	Close  func()
}

// Prepare makes a launch of its attributes. What the compiler and others have to say goes to say. The error
// is for the person who wrote the attributes.
type Prepare func(ctx context.Context, l *Launch, say func(Output)) (*Target, error)

// attributes are Launch as clients send it.
type attributes struct {
	Program     string          `json:"program"`
	Args        json.RawMessage `json:"args"`
	With        [][]string      `json:"with"`
	Then        [][]string      `json:"then"`
	Cwd         string          `json:"cwd"`
	StopOnEntry bool            `json:"stopOnEntry"`
	StopAtEnd   bool            `json:"stopAtEnd"`
	NoDebug     bool            `json:"noDebug"`
	Checks      bool            `json:"checks"`
	Step        string          `json:"step"`
	Host        json.RawMessage `json:"host"`
	Kernel      string          `json:"kernel"`
}

// list reads an attribute that is a list of words, or a text of words.
func list(name string, raw json.RawMessage, example string) ([]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		found, _, err := words.Split(text)
		if err != nil {
			return nil, fmt.Errorf("%s of launch: %w", name, err)
		}
		var list []string
		for _, w := range found {
			list = append(list, w.Text)
		}
		return list, nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s of launch are a list of words, as in %s", name, example)
	}
	return list, nil
}

func (a *attributes) launch(attach bool) (l *Launch, err error) {
	l = &Launch{Program: a.Program, Cwd: a.Cwd, StopOnEntry: a.StopOnEntry, StopAtEnd: a.StopAtEnd, NoDebug: a.NoDebug, Checks: a.Checks, Step: a.Step,
		Kernel: a.Kernel, Attach: attach}
	if l.Step == "" {
		l.Step = "lane"
	}
	if _, ok := scopes[l.Step]; !ok {
		return nil, fmt.Errorf("launch has the attribute step %.40q; it is lane, wave or group", a.Step)
	}
	if l.Host, err = list("host", a.Host, `["./program", "argument"]`); err != nil {
		return nil, err
	}
	if l.Args, err = list("args", a.Args, `["-global", "8", "-arg", "f32:2"]`); err != nil {
		return nil, err
	}
	for _, kernel := range a.With {
		l.Args = append(append(l.Args, "-with"), kernel...)
	}
	for _, kernel := range a.Then {
		l.Args = append(append(l.Args, "-then"), kernel...)
	}
	switch {
	case attach:
	case l.Program == "" && len(l.Host) == 0:
		return nil, errors.New("launch has no program: give the path of a kernel, as in \"program\": \"saxpy.cl\"")
	case l.Program != "" && len(l.Host) > 0:
		return nil, errors.New("launch has a program, which is a kernel, and a host, which launches its own; give one of them")
	case len(l.Host) > 0 && len(a.With)+len(a.Then) > 0:
		return nil, errors.New("launch has a host, which launches kernels itself, and with or then, which are for a program")
	}
	return l, nil
}

// capabilities are what the server can do.
func capabilities() dap.Capabilities {
	return dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsFunctionBreakpoints: true, SupportsConditionalBreakpoints: true,
		SupportsHitConditionalBreakpoints: true, SupportsEvaluateForHovers: true, ExceptionBreakpointFilters: filters(),
		SupportsStepBack: true, SupportsSetVariable: true, SupportsCompletionsRequest: true, CompletionTriggerCharacters: []string{" "},
		SupportsRestartRequest: true, SupportsExceptionInfoRequest: true, SupportTerminateDebuggee: true,
		SupportsDelayedStackTraceLoading: true, SupportsLoadedSourcesRequest: true, SupportsLogPoints: true, SupportsSetExpression: true,
		SupportsTerminateRequest: true, SupportsDataBreakpoints: true, SupportsReadMemoryRequest: true, SupportsWriteMemoryRequest: true,
		SupportsDisassembleRequest: true, SupportsCancelRequest: true, SupportsBreakpointLocationsRequest: true, SupportsClipboardContext: true,
		SupportsSteppingGranularity: true, SupportsInstructionBreakpoints: true,
	}
}

// initializeArguments are the protocol's, with lines and columns that start at 1 unless something else is
// said.
type initializeArguments struct {
	dap.InitializeRequestArguments
	LinesStartAt1   *bool `json:"linesStartAt1"`
	ColumnsStartAt1 *bool `json:"columnsStartAt1"`
}

func (s *server) initialize(a *initializeArguments) (any, error) {
	if s.ready {
		return nil, fmt.Errorf("%w: initialize was sent before", errPlace)
	}
	if a.PathFormat != "" && a.PathFormat != "path" {
		return nil, fmt.Errorf("paths are paths of files: lockstep dap does not know the pathFormat %.20q", a.PathFormat)
	}
	s.client, s.ready = a.InitializeRequestArguments, true
	s.client.LinesStartAt1 = a.LinesStartAt1 == nil || *a.LinesStartAt1
	s.client.ColumnsStartAt1 = a.ColumnsStartAt1 == nil || *a.ColumnsStartAt1
	return capabilities(), nil
}

func (s *server) attach(a *json.RawMessage) (any, error) { return nil, s.first(*a, true) }

func (s *server) launch(a *json.RawMessage) (any, error) { return nil, s.first(*a, false) }

// first prepares the first launch of a client.
func (s *server) first(raw json.RawMessage, attach bool) error {
	if s.attributes != nil {
		return fmt.Errorf("%w: a kernel is launched already; restart runs it again", errPlace)
	}
	s.later(s.launched)
	return s.begin(raw, attach)
}

// begin prepares a launch.
func (s *server) begin(raw json.RawMessage, attach bool) error {
	var a attributes
	if err := json.Unmarshal(raw, &a); err != nil {
		return fmt.Errorf("the attributes of launch: %w", plain(err))
	}
	l, err := a.launch(attach)
	if err != nil {
		return err
	}
	t, err := s.prepare(s.request, l, s.say)
	if err != nil {
		return err
	}
	s.attributes, s.arguments, s.begun, s.ended, s.found = l, raw, false, false, false
	switch {
	case t.Host != nil:
		s.host = t.Host
	case t.Session == nil:
		s.target = t
		s.later(func() { s.exit(t.Status) })
	default:
		s.install(t)
	}
	return nil
}

// install makes a target the one that is debugged.
func (s *server) install(t *Target) {
	s.target, s.session = t, t.Session
	s.found, s.printed, s.last = s.found || len(t.Found.Findings) > 0, 0, cause{}
	s.words.Reset()
	s.console = &debugger.Console{Session: s.session, Out: &s.words, Source: t.Source}
	s.console.Begin()
	s.words.Reset()
	s.view = newView()
	s.expect()
}

// launched tells the client that it may configure the launch.
func (s *server) launched() {
	if s.session != nil || s.host != nil {
		s.apply()
		s.out.event("initialized", nil)
	}
}

func (s *server) configurationDone(*struct{}) (any, error) {
	if s.begun {
		return nil, nil
	}
	s.begun = true
	s.later(s.enter)
	return nil, nil
}

// enter begins to run.
func (s *server) enter() {
	if s.session == nil {
		s.await()
		return
	}
	if s.attributes.StopOnEntry {
		s.stopped("entry", "the beginning of the launch", "", nil)
		return
	}
	s.start(&operation{run: s.session.Continue, resumed: s.session.Resume})
}

func (s *server) restart(a *struct {
	Arguments json.RawMessage `json:"arguments"`
}) (any, error) {
	if s.attributes == nil {
		return nil, fmt.Errorf("%w: no kernel is launched; send launch first", errPlace)
	}
	raw := a.Arguments
	if len(raw) == 0 || string(raw) == "null" {
		raw = s.arguments
	}
	if s.attributes.Attach {
		return nil, errAttached
	}
	s.held = nil
	s.leave(false)
	s.drop()
	s.later(s.continued)
	for _, w := range s.wishes {
		w.number, w.verified = 0, false
	}
	if err := s.begin(raw, false); err != nil {
		s.later(func() { s.exit(2) })
		return nil, err
	}
	if s.session != nil || s.host != nil {
		s.apply()
		s.begun = true
		s.later(s.enter)
	}
	return nil, nil
}

// exit tells the client that the launch is over.
func (s *server) exit(status int) {
	if s.ended {
		return
	}
	s.ended = true
	s.out.event("exited", dap.ExitedEventBody{ExitCode: status})
	s.out.event("terminated", nil)
}

func (s *server) disconnect(a *struct {
	TerminateDebuggee *bool `json:"terminateDebuggee"`
}) (any, error) {
	if s.host != nil && a.TerminateDebuggee != nil {
		s.host.Attached = !*a.TerminateDebuggee // what happens with it is said
	}
	s.later(func() { s.over = true })
	return nil, nil
}

func (s *server) terminate(*struct{}) (any, error) {
	if s.op != nil {
		s.op.cancel()
		<-s.op.done
		s.op = nil
	}
	s.leave(false)
	s.later(func() { s.exit(0) })
	return nil, nil
}

// cancelled answers a request to cancel another one, which was noted when it came.
func (s *server) cancelled(*dap.CancelArguments) (any, error) { return nil, nil }
