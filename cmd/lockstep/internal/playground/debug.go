package playground

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dispatch"
	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Limits of debug sessions.
const (
	endLimit       = 5_000_000 // ticks that a launch is run to look for its end
	maxBreakpoints = 100
	checkpointMiB  = "96"
)

var errNoSession = errors.New("there is no such debug session: open one")

// session is a debug session.
type session struct {
	number int
	world  *world
	*cmdline.Debugging
	end     uint64 // the tick at which the launch ends; 0 as long as that is not known
	stop    debug.Stop
	hits    []WatchHit     // of the stop, as they were before somebody looked at another kernel
	note    string         // about the stop
	wrong   []Breakpoint   // that could not be set
	before  map[string]any // values of the state before, to mark what has changed
	values  map[string]any // values of the present one
	checked string         // what -check said
}

// close ends the session that is open.
func (s *Server) close() {
	if s.session != nil {
		s.session.Session.Close()
		s.session = nil
	}
}

// debug answers a request about a debug session.
func (s *Server) debug(ctx context.Context, req *Request, resp *Response) error {
	if req.Op == OpDebugOpen {
		if err := s.open(ctx, req.Launch); err != nil {
			return err
		}
	} else if s.session == nil || req.Session != s.session.number {
		return errNoSession
	}
	d := s.session
	var err error
	switch req.Op {
	case OpDebugStep:
		err = d.step(ctx, req.Step)
		d.watched()
	case OpDebugGoto:
		d.stop, err = d.Session.GoTo(ctx, req.Tick)
		d.watched()
	case OpDebugBreakpoints:
		err = d.setBreakpoints(req.Breakpoints)
	case OpDebugSelect:
		err = d.choose(req)
	case OpDebugEvaluate:
		v := d.evaluate(req.Expression)
		resp.Value = &v
	}
	d.note = ""
	switch {
	case errors.Is(err, debug.ErrEnded), errors.Is(err, debug.ErrBeginning), errors.Is(err, debug.ErrItemBegins), errors.Is(err, debug.ErrNoHistory):
		d.note = err.Error()
	case err != nil:
		return err
	}
	resp.State = d.state(req.View)
	return nil
}

// open opens a session.
func (s *Server) open(ctx context.Context, l *Launch) error {
	s.close()
	if l == nil {
		return errNoLaunch
	}
	args, err := l.words("debug")
	if err != nil {
		return err
	}
	w, err := newWorld(l.files(), "")
	if err != nil {
		return err
	}
	s.number++
	d := &session{number: s.number, world: w, before: map[string]any{}, values: map[string]any{}}
	w.env.Inspect = &cmdline.Inspector{Debug: func(x *cmdline.Debugging) { d.Debugging = x }}
	exit := dispatch.Main(ctx, commands(), append(args, "-checkpoints", checkpointMiB), w.env)
	if d.Debugging == nil {
		text := strings.TrimSpace(w.stderr.String())
		if text == "" {
			text = fmt.Sprintf("exit status %d", exit)
		}
		return errors.New(text)
	}
	s.session = d
	d.stop = d.Session.Stopped()
	var b bytes.Buffer
	d.Expect(&b)
	d.checked = b.String()
	return d.findEnd(ctx)
}

// findEnd runs the launch to its end, or as far as the limit, and comes back.
func (d *session) findEnd(ctx context.Context) error {
	if off, _ := d.Session.HistoryOff(); off {
		return nil
	}
	for !d.Session.Ended() && d.Session.Tick() < endLimit {
		before := d.Session.Tick()
		stop, err := d.Session.GoTo(ctx, endLimit)
		if err != nil {
			return err
		}
		if stop.Reason == debug.ReasonPaused || stop.Reason == debug.ReasonFinding && d.Session.Tick() == before {
			break
		}
	}
	if d.Session.Ended() {
		d.end = d.Session.Tick()
	}
	_, err := d.Session.GoTo(context.WithoutCancel(ctx), 0)
	if errors.Is(err, debug.ErrNoHistory) {
		err = nil
	}
	d.stop = debug.Stop{Reason: debug.ReasonBegin}
	return err
}

// scopes and kinds of steps by name.
var (
	stepScopes = map[string]debug.Scope{"": debug.Lane, "lane": debug.Lane, "wave": debug.Wave, "group": debug.Group}
	stepKinds  = map[string]debug.StepKind{"over": debug.StepOver, "into": debug.StepInto, "out": debug.StepOut, "instruction": debug.StepInto}
)

// step makes a step.
func (d *session) step(ctx context.Context, step *Step) (err error) {
	if step == nil {
		return errors.New("the request has no step")
	}
	s := d.Session
	scope, ok := stepScopes[step.Scope]
	if !ok {
		return fmt.Errorf("there is no scope %q", step.Scope)
	}
	switch {
	case step.Kind == "continue" && step.Back:
		d.stop, err = s.ReverseContinue(ctx)
		return err
	case step.Kind == "continue":
		d.stop, err = s.Continue(ctx)
		return err
	case step.Kind == "finish" && step.Back:
		d.stop, err = s.GoTo(ctx, 0)
		return err
	case step.Kind == "finish":
		d.stop, err = s.Finish(ctx)
		return err
	}
	kind, ok := stepKinds[step.Kind]
	if !ok {
		return fmt.Errorf("there is no step %q", step.Kind)
	}
	unit := debug.Lines
	if step.Kind == "instruction" {
		unit = debug.Instructions
	}
	if step.Back {
		d.stop, err = s.ReverseStep(ctx, kind, unit, scope)
	} else {
		d.stop, err = s.Step(ctx, kind, unit, scope)
	}
	return err
}

// choose looks at another work-item or frame.
func (d *session) choose(req *Request) error {
	if g := req.Group; g != nil {
		if err := d.Session.SelectGroup(g.Launch, &g.ID); err != nil {
			return err
		}
	}
	if req.Item != nil {
		if err := d.Session.Select(*req.Item); err != nil {
			return err
		}
	}
	if req.Frame != nil && !d.Session.SelectFrame(*req.Frame) {
		return fmt.Errorf("there is no frame %d", *req.Frame)
	}
	return nil
}

// watchKinds are kinds of watchpoints by name.
var watchKinds = map[string]debug.WatchKind{"": debug.WatchWrite, "write": debug.WatchWrite, "read": debug.WatchRead, "both": debug.WatchReadWrite}

// setBreakpoints replaces all breakpoints and watchpoints. Those that cannot be set are kept with what is wrong.
func (d *session) setBreakpoints(list []Breakpoint) error {
	if len(list) > maxBreakpoints {
		return fmt.Errorf("more than %d breakpoints", maxBreakpoints)
	}
	s := d.Session
	var numbers []int
	for _, b := range s.Breakpoints() {
		numbers = append(numbers, b.Number)
	}
	for _, w := range s.Watchpoints() {
		numbers = append(numbers, w.Number)
	}
	for _, n := range numbers {
		if err := s.Delete(n); err != nil {
			return err
		}
	}
	d.wrong = nil
	for _, b := range list {
		if err := d.setBreakpoint(&b); err != nil {
			b.Error = err.Error()
			d.wrong = append(d.wrong, b)
		}
	}
	return nil
}

// setBreakpoint sets one.
func (d *session) setBreakpoint(b *Breakpoint) (err error) {
	s := d.Session
	var set *debug.Breakpoint
	switch {
	case b.Watch != "":
		kind, ok := watchKinds[b.WatchKind]
		if !ok {
			return fmt.Errorf("there is no kind %q of watchpoints", b.WatchKind)
		}
		w, err := d.watch(b.Watch, kind)
		if err == nil {
			w.Enabled = !b.Disabled
		}
		return err
	case b.Function != "":
		set, err = s.BreakFunction(b.Function)
	case b.Instruction != nil:
		set, err = s.BreakInstruction(*b.Instruction)
	case b.Line > 0:
		set, err = s.BreakLine(b.File, b.Line)
	default:
		err = errors.New("a breakpoint is at a line, a function or an instruction")
	}
	if err != nil {
		return err
	}
	if b.Condition != "" {
		if err := s.SetCondition(set, b.Condition); err != nil {
			return errors.Join(err, s.Delete(set.Number))
		}
	}
	if b.Item != nil {
		set.Item = &[3]uint64{uint64(max(b.Item[0], 0)), uint64(max(b.Item[1], 0)), uint64(max(b.Item[2], 0))}
	}
	set.Ignore, set.Enabled = b.Ignore, !b.Disabled
	return nil
}

// breakpoints shows all breakpoints and watchpoints.
func (d *session) breakpoints() []Breakpoint {
	list := []Breakpoint{}
	for _, b := range d.Session.Breakpoints() {
		one := Breakpoint{Number: b.Number, File: b.File, Line: b.Line, Function: b.Function, Condition: b.Condition, Ignore: b.Ignore, Hits: b.Hits, Disabled: !b.Enabled}
		if b.Item != nil {
			one.Item = &[3]int{int(b.Item[0]), int(b.Item[1]), int(b.Item[2])}
		}
		if b.Line == 0 && b.Function == "" && len(b.PCs) > 0 {
			one.Instruction = &b.PCs[0]
		}
		if b.Wrong != nil {
			one.Error = b.Wrong.Error()
		}
		list = append(list, one)
	}
	kinds := map[debug.WatchKind]string{debug.WatchWrite: "write", debug.WatchRead: "read", debug.WatchReadWrite: "both"}
	for _, w := range d.Session.Watchpoints() {
		list = append(list, Breakpoint{Number: w.Number, Watch: w.Text, WatchKind: kinds[w.Kind], Hits: w.Hits, Disabled: !w.Enabled})
	}
	return append(list, d.wrong...)
}

// reasons are the names of reasons, and what they mean.
var reasons = map[debug.Reason][2]string{
	debug.ReasonBegin:      {"begin", "the beginning of the launch"},
	debug.ReasonStep:       {"step", ""},
	debug.ReasonBreakpoint: {"breakpoint", "breakpoint"},
	debug.ReasonWatchpoint: {"watchpoint", "watchpoint"},
	debug.ReasonFinding:    {"finding", "stopped at a finding; everything is as it was"},
	debug.ReasonItemEnded:  {"item-ended", "the work-item or wave that was stepped has ended"},
	debug.ReasonEnded:      {"ended", "the launch has ended"},
	debug.ReasonPaused:     {"paused", "the time for this step was over"},
}

// because says why the session stopped.
func (d *session) because(st *State) {
	r := reasons[d.stop.Reason]
	st.Reason, st.Text, st.Hit = r[0], r[1], d.stop.Breakpoints
	if len(d.stop.Breakpoints) > 0 {
		for i, n := range d.stop.Breakpoints {
			st.Text += fmt.Sprintf("%s%d", []string{" ", ", "}[min(i, 1)], n)
		}
	}
	for i, h := range d.stop.Watches {
		hit := d.hits[i]
		st.Watchpoints = append(st.Watchpoints, hit)
		st.Hit = append(st.Hit, h.Number)
		if h.Packets != nil {
			st.Text = fmt.Sprintf("watchpoint %d: %s", h.Number, hit.New)
			continue
		}
		st.Text = fmt.Sprintf("watchpoint %d: %s was %s and is %s, by work-item %d", h.Number, hit.Text, hit.Old, hit.New, h.Item)
		if hit.Kernel != "" {
			st.Text += " of kernel " + hit.Kernel
		}
	}
	st.Findings = d.stop.Findings
	st.AllFindings = append([]finding.Finding{}, d.Session.Findings().Findings...)
	if d.note != "" {
		st.Text = d.note
	}
	if d.stop.Reason == debug.ReasonBegin && d.checked != "" {
		st.Text = strings.TrimSpace(d.checked)
	}
}

// watched shows the accesses that have stopped the session.
func (d *session) watched() {
	d.hits = nil
	for _, h := range d.stop.Watches {
		d.hits = append(d.hits, d.watchHit(h))
	}
}

// watchHit shows an access to watched memory.
func (d *session) watchHit(h debug.WatchHit) WatchHit {
	s := d.Session
	text := func(p []byte) string {
		if p == nil {
			return "nothing"
		}
		return s.Text(debug.Value{Type: h.Type, Bytes: p}, 8)
	}
	hit := WatchHit{Number: h.Number, Item: h.Item, Items: h.Items, Place: placeOf(s.PlaceOf(h.PC)), Old: text(h.Old), New: text(h.New)}
	for _, w := range s.Watchpoints() {
		if w.Number == h.Number {
			hit.Text = w.Text
		}
	}
	if s.Several() {
		hit.Kernel = s.Label(s.CurrentLaunch())
	}
	d.packets(h, &hit)
	return hit
}

// evaluate evaluates an expression for the work-item that is looked at.
func (d *session) evaluate(text string) Value {
	v, err := d.Session.Evaluate(text)
	if err != nil {
		return Value{Expression: text, Error: err.Error()}
	}
	return Value{Expression: text, Type: v.Type.String(), Value: d.Session.Text(v, 64)}
}
