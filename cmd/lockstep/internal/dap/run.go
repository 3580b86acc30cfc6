package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/go-dap"

	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// operation is something that lets the launch run, forwards or backwards.
type operation struct {
	run func(ctx context.Context) (emudebug.Stop, error)
	// resumed goes on behind an interruption; nil begins anew, as the way back does, which ends where it began
	// when it is interrupted.
	resumed func(ctx context.Context) (emudebug.Stop, error)
	reason  string // of a stop that is its own
	console bool   // what the console writes is told behind it

	cancel  func()
	done    chan result
	pausing bool // a person asked for it
}

// result is how an operation ended.
type result struct {
	stop emudebug.Stop
	err  error
}

// again returns the operation that goes on.
func (o *operation) again() *operation {
	next := &operation{run: o.run, resumed: o.resumed, reason: o.reason, console: o.console}
	if o.resumed != nil {
		next.run = o.resumed
	}
	return next
}

// start lets an operation run.
func (s *server) start(o *operation) {
	ctx, cancel := context.WithCancel(s.ctx)
	o.cancel, o.done = cancel, make(chan result, 1)
	s.op = o
	s.view = s.view.moved()
	go func() {
		defer func() {
			if p := recover(); p != nil {
				o.done <- result{err: fmt.Errorf("an error inside of lockstep: %v\n%s", p, debug.Stack())}
			}
		}()
		stop, err := o.run(ctx)
		o.done <- result{stop, err}
	}()
}

// hold interrupts the operation that runs, so that a request can be answered. It goes on behind that.
func (s *server) hold() {
	o := s.op
	o.cancel()
	r := <-o.done
	if r.err == nil && r.stop.Reason == emudebug.ReasonPaused && !o.pausing {
		s.op, s.held = nil, o
		return
	}
	s.finish(r)
	if s.op != nil { // it was a stop that was not meant
		s.hold()
	}
}

// finish tells the client how an operation ended, or lets it go on where the client does not want to know.
func (s *server) finish(r result) {
	o := s.op
	o.cancel()
	s.op = nil
	s.kernelOutput()
	if o.console {
		s.consoleOutput()
	}
	stop := r.stop
	if r.err != nil {
		if !errors.Is(r.err, emudebug.ErrEnded) {
			s.stopped(cmpOr(o.reason, "step"), r.err.Error(), "", nil)
			return
		}
		stop.Reason = emudebug.ReasonEnded
	}
	switch stop.Reason {
	case emudebug.ReasonEnded:
		s.end()
	case emudebug.ReasonFinding:
		s.stoppedAtFinding(o, stop)
	case emudebug.ReasonBreakpoint, emudebug.ReasonWatchpoint:
		s.stoppedAtBreakpoint(o, stop)
	case emudebug.ReasonItemEnded:
		s.stopped(cmpOr(o.reason, "step"), "the work-item or wave that was stepped has ended", "", nil)
	case emudebug.ReasonPaused:
		if o.pausing && !s.placed() && len(s.session.Files()) > 0 {
			s.start(&operation{run: s.toLine})
			return
		}
		s.stopped("pause", "interrupted", "", nil)
	case emudebug.ReasonBegin:
		s.stopped(cmpOr(o.reason, "entry"), "the beginning of the launch", "", nil)
	default:
		s.stopped(cmpOr(o.reason, "step"), "", "", nil)
	}
}

// maxToLine is for how many instructions a pause looks for a line.
const maxToLine = 1 << 14

// placed says whether the work-item that is looked at stands at a line.
func (s *server) placed() bool {
	frames := s.session.Frames()
	return len(frames) > 0 && frames[0].Place.Line > 0
}

// toLine goes on from where a pause has come to, to an instruction with a line. A person who pauses wants to see where
// the kernel is, and a work-item that has just ended is nowhere.
func (s *server) toLine(ctx context.Context) (stop emudebug.Stop, err error) {
	for range maxToLine {
		if _, ok := s.session.Current(); ok {
			stop, err = s.session.Step(ctx, emudebug.StepInto, emudebug.Instructions, emudebug.Lane)
		} else { // between two work-groups: the next one begins
			stop, err = s.session.GoTo(ctx, s.session.Tick())
		}
		if err != nil || stop.Reason != emudebug.ReasonStep && stop.Reason != emudebug.ReasonItemEnded {
			return stop, err
		}
		if s.placed() {
			break
		}
	}
	stop.Reason = emudebug.ReasonPaused
	return stop, nil
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// kernelOutput tells what work-items have printed since the last time.
func (s *server) kernelOutput() {
	out := s.session.Output()
	s.printed = min(s.printed, len(out)) // on the way back
	if fresh := out[s.printed:]; len(fresh) > 0 {
		s.say(Output{Category: "stdout", Text: string(fresh)})
	}
	s.printed = len(out)
	s.console.Printed = s.printed
}

// consoleOutput tells what the console has written.
func (s *server) consoleOutput() {
	if s.words.Len() > 0 {
		s.say(Output{Category: "console", Text: s.words.String()})
	}
	s.words.Reset()
}

// end says that the launch has ended.
func (s *server) end() {
	if s.attributes.StopAtEnd && s.session.Tick() > 0 {
		s.stopped("pause", "the launch has ended", "", nil)
		return
	}
	s.conclude()
}

// conclude writes what the launch's arguments ask for, and ends.
func (s *server) conclude() {
	status := 0
	if s.found {
		status = 1
	}
	if s.target.Finish != nil {
		if err := s.target.Finish(s.found); err != nil {
			s.say(Output{Category: "stderr", Text: err.Error() + "\n"})
			status = 2
		}
		s.target.Finish = nil
	}
	if s.host != nil {
		s.drop()
		s.await()
		return
	}
	s.exit(status)
}

// continued tells the client that the launch goes on, where no answer has told it.
func (s *server) continued() {
	if s.stands != 0 {
		s.out.event("continued", dap.ContinuedEventBody{ThreadId: s.stands, AllThreadsContinued: true})
		s.stands = 0
	}
}

// stopped tells the client that the launch stands where it did not stand before. Where the client believes
// that it stands already, it goes on first: some clients take a second stop for that of another thread, and
// let that one go on by themselves.
func (s *server) stopped(reason, description, text string, hits []int) {
	s.view = s.view.moved()
	s.view.look(s.session)
	s.tellStop(reason, description, text, hits)
}

// tellStop tells the client to look at the launch that stands.
func (s *server) tellStop(reason, description, text string, hits []int) {
	s.continued()
	s.stands = s.currentThread()
	s.out.event("stopped", dap.StoppedEventBody{
		Reason: reason, Description: description, Text: text, ThreadId: s.currentThread(), AllThreadsStopped: true, HitBreakpointIds: hits,
	})
}

// cause is what exceptionInfo tells of.
type cause struct {
	finding *finding.Finding
}

// stoppedAtFinding tells of findings, and stops if the client asked for it.
func (s *server) stoppedAtFinding(o *operation, stop emudebug.Stop) {
	wanted := false
	for i := range stop.Findings {
		f := &stop.Findings[i]
		s.found = true
		s.sayFinding(f)
		if !wanted && !s.ignore[filterOf(f.Code)] {
			wanted, s.last = true, cause{f}
		}
	}
	if !wanted && !stop.Stepped {
		s.start(o.again())
		return
	}
	if !wanted {
		s.stopped(cmpOr(o.reason, "step"), "", "", nil)
		return
	}
	s.stopped("exception", string(s.last.finding.Code)+": "+s.last.finding.Headline(), s.last.finding.Summary(), nil)
}

// sayFinding tells the client of a finding.
func (s *server) sayFinding(f *finding.Finding) { s.say(findingOutput(f)) }

func findingOutput(f *finding.Finding) Output {
	o := Output{Category: "stderr", Text: f.Format(finding.Style{}), File: f.Place.File, Line: int(f.Place.Line), Column: int(f.Place.Column)}
	if data, err := json.Marshal(map[string]any{"finding": f}); err == nil {
		o.Data = data
	}
	return o
}

// SayFindings tells of findings as the server does.
func SayFindings(list *finding.List, say func(Output)) {
	for i := range list.Findings {
		say(findingOutput(&list.Findings[i]))
	}
}

// filters are the kinds of findings that a client may choose among.
func filters() []dap.ExceptionBreakpointsFilter {
	return []dap.ExceptionBreakpointsFilter{
		{Filter: "faults", Label: "Faults", Description: "accesses out of bounds, through null and the like", Default: true},
		{Filter: "barriers", Label: "Barriers that some work-items miss", Description: "barriers, and operations of groups, that not all work-items run", Default: true},
		{Filter: "findings", Label: "Other findings", Description: "wrong use of asynchronous copies and pipes, and all else that lockstep finds", Default: true},
	}
}

// filterOf returns the filter under which a finding falls.
func filterOf(c finding.Code) string {
	switch c {
	case finding.BarrierDeadlock, finding.PartialBarrier, finding.GroupDiverged, finding.GroupUniform, finding.BlockDiverged, finding.BlockPartial:
		return "barriers"
	case finding.OutOfBounds, finding.NullPointer, finding.BadPointer, finding.UseAfterFree, finding.ReadOnly, finding.WriteOnly, finding.Misaligned,
		finding.DivideByZero, finding.DivideOverflow, finding.Unreachable, finding.Aborted:
		return "faults"
	}
	return "findings"
}

func (s *server) setExceptionBreakpoints(a *dap.SetExceptionBreakpointsArguments) (any, error) {
	wanted := slices.Clone(a.Filters)
	for _, o := range a.FilterOptions {
		wanted = append(wanted, o.FilterId)
	}
	known := []string{}
	for _, f := range filters() {
		known = append(known, f.Filter)
	}
	for _, w := range wanted {
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("there is no filter %.40q; filters are %s", w, strings.Join(known, ", "))
		}
	}
	s.ignore = map[string]bool{}
	var body dap.SetExceptionBreakpointsResponseBody
	for _, f := range known {
		s.ignore[f] = !slices.Contains(wanted, f)
	}
	for range wanted {
		body.Breakpoints = append(body.Breakpoints, dap.Breakpoint{Verified: true})
	}
	return body, nil
}

func (s *server) exceptionInfo(*dap.ExceptionInfoArguments) (any, error) {
	f := s.last.finding
	if f == nil {
		return nil, fmt.Errorf("%w: the launch did not stop at a finding", errPlace)
	}
	body := dap.ExceptionInfoResponseBody{ExceptionId: string(f.Code), Description: f.Summary(), BreakMode: "always"}
	text := f.Format(finding.Style{})
	if d, ok := finding.Describe(f.Code); ok {
		body.Details = &dap.ExceptionDetails{TypeName: string(f.Code), FullTypeName: d.Title, Message: d.Text}
		if help := finding.Help(f.Code); help != "" && len(f.Help) == 0 {
			text += "  = help: " + help + "\n"
		}
	} else {
		body.Details = &dap.ExceptionDetails{TypeName: string(f.Code), Message: f.Headline()}
	}
	body.Details.StackTrace = text
	for i := range f.Parties {
		body.Details.InnerException = append(body.Details.InnerException, dap.ExceptionDetails{Message: f.Parties[i].Text()})
	}
	return body, nil
}

// scopes are who steps, by the words of launch attributes.
var scopes = map[string]emudebug.Scope{"lane": emudebug.Lane, "wave": emudebug.Wave, "group": emudebug.Group}

// standing is the error for a launch that runs or has ended, nil for one that stands.
func (s *server) standing() error {
	switch {
	case s.op != nil:
		return fmt.Errorf("%w; send pause first", errRuns)
	case s.ended:
		return fmt.Errorf("%w: the launch has ended; restart runs it again", errPlace)
	case !s.begun:
		return fmt.Errorf("%w: the launch has not begun; send configurationDone first", errPlace)
	}
	return nil
}

// launchOperation lets an operation run behind the answer, if the launch stands.
func (s *server) launchOperation(o *operation) error {
	if err := s.standing(); err != nil {
		return err
	}
	s.last = cause{}
	s.later(func() {
		if o.console { // evaluate was answered, which says nothing of it
			s.continued()
		}
		s.stands = 0
		s.start(o)
	})
	return nil
}

func (s *server) goOn(*dap.ContinueArguments) (any, error) {
	if s.session.Ended() && s.op == nil && s.begun && !s.ended {
		s.stands = 0
		s.later(s.conclude)
	} else if err := s.launchOperation(&operation{run: s.session.Continue, resumed: s.session.Resume}); err != nil {
		return nil, err
	}
	return dap.ContinueResponseBody{AllThreadsContinued: true}, nil
}

func (s *server) next(a *dap.NextArguments) (any, error) {
	return nil, s.step(a.ThreadId, a.Granularity, emudebug.StepOver, false)
}

func (s *server) stepIn(a *dap.StepInArguments) (any, error) {
	return nil, s.step(a.ThreadId, a.Granularity, emudebug.StepInto, false)
}

func (s *server) stepOut(a *dap.StepOutArguments) (any, error) {
	return nil, s.step(a.ThreadId, a.Granularity, emudebug.StepOut, false)
}

func (s *server) stepBack(a *dap.StepBackArguments) (any, error) {
	return nil, s.step(a.ThreadId, a.Granularity, emudebug.StepOver, true)
}

// step makes a step of the work-item that a thread shows, of its wave or of the work-group.
func (s *server) step(thread int, by dap.SteppingGranularity, kind emudebug.StepKind, back bool) error {
	if err := s.standing(); err != nil {
		return err
	}
	if s.session.Ended() && !back {
		s.stands = 0
		s.later(s.conclude)
		return nil
	}
	if !s.session.Ended() {
		item, err := s.itemOf(thread)
		if err != nil {
			return err
		}
		if err := s.session.Select(item); err != nil {
			return err
		}
		if it := s.session.Item(item); it.State == emudebug.LaneEnded && !back {
			return fmt.Errorf("work-item %s has ended; step in another thread, or choose another work-item", s.id(it.Global))
		}
	}
	unit := emudebug.Lines
	if by == "instruction" {
		unit = emudebug.Instructions
	}
	who := scopes[s.attributes.Step]
	o := &operation{reason: "step", run: func(ctx context.Context) (emudebug.Stop, error) { return s.session.ReverseStep(ctx, kind, unit, who) }}
	if !back {
		o.run = func(ctx context.Context) (emudebug.Stop, error) { return s.session.Step(ctx, kind, unit, who) }
		o.resumed = s.session.Resume
	}
	return s.launchOperation(o)
}

func (s *server) reverseContinue(*dap.ReverseContinueArguments) (any, error) {
	return nil, s.launchOperation(&operation{run: s.session.ReverseContinue})
}

func (s *server) pause(*dap.PauseArguments) (any, error) {
	if s.session == nil {
		s.pausing = true
		return nil, nil
	}
	if s.op == nil {
		if err := s.standing(); err != nil {
			return nil, err
		}
		s.later(func() { s.stopped("pause", "", "", nil) })
		return nil, nil
	}
	s.op.pausing = true
	s.op.cancel()
	return nil, nil
}
