package dap

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// maxBreakpoints is how many breakpoints a client may have.
const maxBreakpoints = 10000

// wishKind says what a breakpoint is set by.
type wishKind uint8

const (
	wishLine wishKind = iota
	wishFunction
	wishInstruction
	wishData
)

// want is what a client says of a breakpoint. Equal ones are the same breakpoint.
type want struct {
	kind      wishKind
	path      string // of a line's file, as the client has it
	line      int
	name      string // of a function, or the text of a mark
	pc        int
	mark      int // of data: its number
	access    emudebug.WatchKind
	condition string
	hit       string
	log       string
}

// wish is a breakpoint that a client wants, whether the session has it or not.
type wish struct {
	want
	id       int
	number   int // in the session; 0 for none
	verified bool
	message  string
	at       emudebug.Place
	test     func(hits uint64) bool // of hits that stop; nil for all
}

// mark is memory that a client may watch.
type mark struct {
	text  string
	value emudebug.Value
	item  [3]uint64 // the work-item for which text names it
}

var hitCondition = regexp.MustCompile(`^\s*(==|=|>=|>|<=|<|%)?\s*([0-9]{1,18})\s*$`)

// parseHit reads a condition on the number of hits: how many never stop, and which of the others do.
func parseHit(text string) (ignore uint64, test func(uint64) bool, err error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil, nil
	}
	m := hitCondition.FindStringSubmatch(text)
	if m == nil {
		return 0, nil, fmt.Errorf("%.40q is no condition on hits; there are 3, >3, >=3, <3, <=3, ==3 and %%3", text)
	}
	n, err := strconv.ParseUint(m[2], 10, 64)
	if err != nil {
		return 0, nil, err
	}
	switch m[1] {
	case "", ">=":
		return max(n, 1) - 1, nil, nil
	case ">":
		return n, nil, nil
	case "<":
		return 0, func(h uint64) bool { return h < n }, nil
	case "<=":
		return 0, func(h uint64) bool { return h <= n }, nil
	case "%":
		if n == 0 {
			return 0, nil, errors.New("%0 is no condition on hits")
		}
		return n - 1, func(h uint64) bool { return h%n == 0 }, nil
	}
	return max(n, 1) - 1, func(h uint64) bool { return h == n }, nil
}

// replace makes the breakpoints of a kind, of one file where they are lines, those that a client wants now.
// Those that it had before stay as they are.
func (s *server) replace(mine func(w *wish) bool, wants []want) []dap.Breakpoint {
	var stay, old []*wish
	for _, w := range s.wishes {
		if mine(w) {
			old = append(old, w)
		} else {
			stay = append(stay, w)
		}
	}
	list := make([]*wish, 0, len(wants))
	for _, x := range wants {
		i := slices.IndexFunc(old, func(w *wish) bool { return w.want == x })
		if i >= 0 {
			list = append(list, old[i])
			old = slices.Delete(old, i, i+1)
			continue
		}
		s.ids++
		w := &wish{want: x, id: s.ids}
		if len(stay)+len(list) >= maxBreakpoints {
			w.message = fmt.Sprintf("there are %d breakpoints already", maxBreakpoints)
		} else {
			s.set(w)
		}
		list = append(list, w)
	}
	for _, w := range old {
		if w.number != 0 && s.session != nil {
			_ = s.session.Delete(w.number)
		}
	}
	s.wishes = append(stay, list...)
	if len(s.wishes) > maxBreakpoints {
		s.wishes = s.wishes[:maxBreakpoints]
	}
	bodies := make([]dap.Breakpoint, len(list))
	for i, w := range list {
		bodies[i] = s.breakpoint(w)
	}
	return bodies
}

// set puts a breakpoint into the session.
func (s *server) set(w *wish) {
	w.number, w.verified, w.message = 0, false, ""
	if s.session == nil {
		w.message = "no kernel is launched yet"
		return
	}
	if err := s.put(w); err != nil {
		w.message = err.Error()
		if w.number != 0 {
			_ = s.session.Delete(w.number)
			w.number = 0
		}
		return
	}
	w.verified = true
}

func (s *server) put(w *wish) error {
	ignore, test, err := parseHit(w.hit)
	if err != nil {
		return err
	}
	if w.test = test; w.log != "" {
		if err := s.checkLog(w.log); err != nil {
			return err
		}
	}
	if w.kind == wishData {
		if w.mark < 0 {
			return fmt.Errorf("there is no %s; dataBreakpointInfo says what there is", w.name)
		}
		m := s.marks[w.mark]
		x, err := s.watch(m.text, m.value, w.access)
		if err != nil {
			return err
		}
		w.number = x.Number
		w.test = func(h uint64) bool { return h > ignore && (test == nil || test(h)) }
		return nil
	}
	var b *emudebug.Breakpoint
	switch w.kind {
	case wishLine:
		b, err = s.session.BreakLine(s.fileOf(w.path), w.line)
	case wishFunction:
		b, err = s.session.BreakFunction(w.name)
	default:
		b, err = s.session.BreakInstruction(w.pc)
	}
	if err != nil {
		return err
	}
	w.number, b.Ignore = b.Number, ignore
	w.at = b.Place()
	if b.Line != 0 {
		w.at.Line = b.Line
	}
	if err := s.session.SetCondition(b, w.condition); err != nil {
		return err
	}
	if w.kind == wishLine && b.Line != w.line {
		w.message = fmt.Sprintf("line %d has no code; the next one that has is %d", w.line, b.Line)
	}
	return nil
}

// breakpoint tells a client of a breakpoint.
func (s *server) breakpoint(w *wish) dap.Breakpoint {
	b := dap.Breakpoint{Id: w.id, Verified: w.verified, Message: w.message}
	switch {
	case w.kind == wishLine && (!w.verified || s.session == nil):
		b.Line = s.line(w.line)
	case w.kind != wishData && w.at.Line > 0 && s.session != nil:
		b.Line, b.Source = s.line(w.at.Line), s.sourceOf(w.at.File)
	}
	if w.kind == wishInstruction {
		b.InstructionReference = address(w.pc)
	}
	return b
}

// apply puts all breakpoints into a new session, and tells the client what has become of them.
func (s *server) apply() {
	for _, w := range s.wishes {
		verified, message, line := w.verified, w.message, w.at.Line
		if err := s.again(w); err != nil {
			w.verified, w.number, w.message = false, 0, err.Error()
		} else {
			s.set(w)
		}
		if verified && w.verified && message == w.message && line == w.at.Line {
			continue // as a client knows it, from another launch of a host program
		}
		s.out.event("breakpoint", dap.BreakpointEventBody{Reason: "changed", Breakpoint: s.breakpoint(w)})
	}
}

// again prepares a breakpoint for a new session.
func (s *server) again(w *wish) error {
	if w.kind != wishData || w.mark < 0 {
		return nil
	}
	return s.mark(s.marks[w.mark])
}

// mark finds the memory of a mark in a new session: by what names it at the beginning of the launch, or, for
// what is in a buffer, by where it was. The buffers of a launch that is run again are where they were.
func (s *server) mark(m *mark) error {
	at, ok := s.session.Current()
	if ok && s.session.SelectGlobal(m.item) == nil {
		v, err := s.session.Evaluate(m.text)
		_ = s.session.Select(at.Number)
		if err == nil && s.watchable(v) {
			m.value = v
			return nil
		}
	}
	p, ok := m.value.At()
	if ok && s.host == nil && p.Space() == memory.SpaceGlobal && s.session.Extent(p) >= uint64(len(m.value.Bytes)) {
		return nil
	}
	return fmt.Errorf("%s has no memory at the beginning of the launch; set the data breakpoint again where it has", m.text)
}

func (s *server) setBreakpoints(a *dap.SetBreakpointsArguments) (any, error) {
	path := s.pathIn(&a.Source)
	if path == "" {
		return nil, errors.New("the source has neither a path nor a name")
	}
	wants := make([]want, 0, len(a.Breakpoints))
	list := a.Breakpoints
	if list == nil {
		for _, n := range a.Lines {
			list = append(list, dap.SourceBreakpoint{Line: n})
		}
	}
	for _, b := range list {
		line := b.Line
		if !s.client.LinesStartAt1 {
			line++
		}
		wants = append(wants, want{kind: wishLine, path: path, line: line, condition: b.Condition, hit: b.HitCondition, log: b.LogMessage})
	}
	return dap.SetBreakpointsResponseBody{Breakpoints: s.replace(func(w *wish) bool { return w.kind == wishLine && w.path == path }, wants)}, nil
}

func (s *server) setFunctionBreakpoints(a *dap.SetFunctionBreakpointsArguments) (any, error) {
	wants := make([]want, 0, len(a.Breakpoints))
	for _, b := range a.Breakpoints {
		wants = append(wants, want{kind: wishFunction, name: b.Name, condition: b.Condition, hit: b.HitCondition})
	}
	return dap.SetFunctionBreakpointsResponseBody{Breakpoints: s.replace(func(w *wish) bool { return w.kind == wishFunction }, wants)}, nil
}

func (s *server) setInstructionBreakpoints(a *dap.SetInstructionBreakpointsArguments) (any, error) {
	wants := make([]want, 0, len(a.Breakpoints))
	for _, b := range a.Breakpoints {
		pc, err := instruction(b.InstructionReference)
		if err != nil {
			pc = -1
		}
		wants = append(wants, want{kind: wishInstruction, pc: pc + b.Offset, condition: b.Condition, hit: b.HitCondition})
	}
	return dap.SetInstructionBreakpointsResponseBody{Breakpoints: s.replace(func(w *wish) bool { return w.kind == wishInstruction }, wants)}, nil
}

// accesses are the kinds of watchpoints, by the protocol's words.
var accesses = map[dap.DataBreakpointAccessType]emudebug.WatchKind{
	"": emudebug.WatchWrite, "write": emudebug.WatchWrite, "read": emudebug.WatchRead, "readWrite": emudebug.WatchReadWrite,
}

// watch sets a watchpoint at memory or, where a value is the handle of one, at a pipe.
func (s *server) watch(text string, v emudebug.Value, kind emudebug.WatchKind) (*emudebug.Watchpoint, error) {
	if p, ok := s.session.PipeValue(v); ok {
		return s.session.WatchPipe(p, kind)
	}
	return s.session.WatchValue(text, v, kind)
}

// watchable says whether a value is in memory, or a pipe.
func (s *server) watchable(v emudebug.Value) bool {
	_, memory := v.At()
	_, pipe := s.session.PipeValue(v)
	return memory || pipe
}

func (s *server) dataBreakpointInfo(a *dap.DataBreakpointInfoArguments) (any, error) {
	text, v, err := s.named(a.VariablesReference, a.Name, a.FrameId)
	if err != nil {
		return dap.DataBreakpointInfoResponseBody{Description: err.Error()}, nil
	}
	kinds := []dap.DataBreakpointAccessType{"write"}
	try, err := s.watch(text, v, emudebug.WatchRead)
	if err == nil {
		kinds = append(kinds, "read", "readWrite")
	} else if try, err = s.watch(text, v, emudebug.WatchWrite); err != nil {
		return dap.DataBreakpointInfoResponseBody{Description: err.Error()}, nil
	}
	_ = s.session.Delete(try.Number)
	if len(s.marks) >= maxBreakpoints {
		return dap.DataBreakpointInfoResponseBody{Description: "too many data breakpoints were asked for"}, nil
	}
	it, _ := s.session.Current()
	s.marks = append(s.marks, &mark{text, v, it.Global})
	what := fmt.Sprintf("%s, %d bytes", text, len(v.Bytes))
	if p, ok := s.session.PipeValue(v); ok {
		what = fmt.Sprintf("pipe %s of %d packets", text, p.Capacity)
	}
	return dap.DataBreakpointInfoResponseBody{DataId: fmt.Sprintf("%d", len(s.marks)), Description: what, AccessTypes: kinds}, nil
}

func (s *server) setDataBreakpoints(a *dap.SetDataBreakpointsArguments) (any, error) {
	var wants []want
	for _, b := range a.Breakpoints {
		n, err := strconv.Atoi(b.DataId)
		kind, ok := accesses[b.AccessType]
		w := want{kind: wishData, mark: n - 1, access: kind, condition: b.Condition, hit: b.HitCondition}
		if err != nil || n < 1 || n > len(s.marks) || !ok { // the others are set
			if w.mark, w.name = -1, fmt.Sprintf("data %.40q", b.DataId); !ok {
				w.name += fmt.Sprintf(" with the access %.20q", b.AccessType)
			}
		} else {
			w.name = s.marks[w.mark].text
		}
		wants = append(wants, w)
	}
	return dap.SetDataBreakpointsResponseBody{Breakpoints: s.replace(func(w *wish) bool { return w.kind == wishData }, wants)}, nil
}

func (s *server) breakpointLocations(a *dap.BreakpointLocationsArguments) (any, error) {
	from, to := a.Line, a.EndLine
	if to == 0 {
		to = from
	}
	body := dap.BreakpointLocationsResponseBody{Breakpoints: []dap.BreakpointLocation{}}
	for _, n := range s.session.LinesWithCode(s.fileOf(s.pathIn(&a.Source))) {
		if n = s.line(n); n >= from && n <= to {
			body.Breakpoints = append(body.Breakpoints, dap.BreakpointLocation{Line: n})
		}
	}
	return body, nil
}

// byNumber returns the client's breakpoint with a number in the session; nil for one that the client does not
// know, which was set in the console.
func (s *server) byNumber(n int) *wish {
	for _, w := range s.wishes {
		if w.number == n {
			return w
		}
	}
	return nil
}

// stoppedAtBreakpoint stops where a breakpoint or watchpoint was hit whose conditions hold, and goes on
// otherwise.
func (s *server) stoppedAtBreakpoint(o *operation, stop emudebug.Stop) {
	reason, text := "", ""
	var hits []int
	stops := stop.Stepped
	for _, n := range stop.Breakpoints {
		w := s.byNumber(n)
		b, err := s.session.Breakpoint(n)
		switch {
		case w == nil:
			stops, reason = true, "breakpoint"
			if err == nil && s.expected(b) {
				reason = "exception"
			}
		case err == nil && b.Wrong != nil:
			text, b.Wrong = fmt.Sprintf("the condition of the breakpoint has %v", b.Wrong), nil
			stops, reason, hits = true, w.reason(), append(hits, w.id)
		case err == nil && w.test != nil && !w.test(b.Hits):
		case w.log != "":
			s.log(w)
		default:
			stops, reason, hits = true, w.reason(), append(hits, w.id)
		}
	}
	for _, h := range stop.Watches {
		w := s.byNumber(h.Number)
		said := s.console.Written(h)
		if w != nil {
			ok, err := s.watched(w, h)
			if err != nil {
				text = err.Error()
			} else if !ok {
				continue
			}
			hits = append(hits, w.id)
		}
		stops, reason, text = true, "data breakpoint", strings.TrimSpace(said+"\n"+text)
		s.say(Output{Category: "console", Text: said + "\n"})
	}
	switch {
	case !stops:
		s.start(o.again())
	case reason == "":
		s.stopped(cmpOr(o.reason, "step"), "", "", nil)
	case reason == "exception":
		s.stopped(reason, string(s.last.finding.Code)+": "+s.last.finding.Headline(), s.last.finding.Summary(), nil)
	default:
		s.stopped(reason, text, text, hits)
	}
}

func (w *wish) reason() string {
	switch w.kind {
	case wishFunction:
		return "function breakpoint"
	case wishInstruction:
		return "instruction breakpoint"
	}
	return "breakpoint"
}

// watched says whether the conditions of a data breakpoint hold.
func (s *server) watched(w *wish, h emudebug.WatchHit) (bool, error) {
	for _, x := range s.session.Watchpoints() {
		if x.Number == h.Number && w.test != nil && !w.test(x.Hits) {
			return false, nil
		}
	}
	if w.condition == "" {
		return true, nil
	}
	v, err := s.session.EvaluateFor("("+w.condition+") ? 1 : 0", h.Item, 0)
	if err != nil {
		return false, fmt.Errorf("the condition of the data breakpoint has %w", err)
	}
	return s.session.Text(v, 1) != "0", nil
}

// expect sets breakpoints where the checks have found something.
func (s *server) expect() {
	if len(s.target.Found.Findings) == 0 {
		return
	}
	s.console.Expect(s.target.Found)
	s.words.Reset()
}

// expected says whether a breakpoint is one of those, and notes the finding.
func (s *server) expected(b *emudebug.Breakpoint) bool {
	is := func(p *finding.Place, item *finding.WorkItem) bool {
		return int(p.Line) == b.Line && (item == nil || b.Item != nil && *b.Item == item.Global)
	}
	list := s.target.Found.Findings
	for i := range list {
		f := &list[i]
		hit := is(&f.Place, f.WorkItem)
		for j := range f.Parties {
			hit = hit || f.Parties[j].WorkItem != nil && is(&f.Parties[j].Place, f.Parties[j].WorkItem)
		}
		if hit && !s.ignore[filterOf(f.Code)] {
			s.last = cause{f}
			return true
		}
	}
	return false
}

// pieces takes the message of a log point apart: texts and, at odd places, expressions. {{ stands for {.
func pieces(message string) ([]string, error) {
	list := []string{""}
	for i := 0; i < len(message); i++ {
		last := &list[len(list)-1]
		switch c := message[i]; {
		case c == '{' && len(list)%2 == 1 && strings.HasPrefix(message[i:], "{{"), c == '}' && strings.HasPrefix(message[i:], "}}") && len(list)%2 == 1:
			*last += string(c)
			i++
		case c == '{' && len(list)%2 == 1, c == '}' && len(list)%2 == 0:
			list = append(list, "")
		default:
			*last += string(c)
		}
	}
	if len(list)%2 == 0 {
		return nil, fmt.Errorf("the message %.60q has a { without a }", message)
	}
	return list, nil
}

func (s *server) checkLog(message string) error {
	_, err := pieces(message)
	return err
}

// log writes the message of a log point for the lanes that have come there: one line for all whose texts are
// the same.
func (s *server) log(w *wish) {
	list, err := pieces(w.log)
	it, ok := s.session.Current()
	if err != nil || !ok || it.Wave < 0 {
		return
	}
	state := s.session.Waves()[it.Wave]
	var texts []string
	items := map[string][]uint64{}
	names := map[string]string{}
	for lane := range state.State {
		item := state.First + lane
		if !state.Active[lane] || !s.fulfils(w, item) {
			continue
		}
		text := ""
		for i, p := range list {
			if i%2 == 1 {
				if v, err := s.session.EvaluateFor(p, item, 0); err != nil {
					p = err.Error()
				} else {
					p = s.session.Text(v, mostElements)
				}
			}
			text += p
		}
		if items[text] == nil {
			texts = append(texts, text)
			names[text] = s.id(s.session.Item(item).Global)
		}
		items[text] = append(items[text], uint64(item))
	}
	for _, text := range texts {
		who := "work-item " + names[text]
		if n := len(items[text]); n > 1 {
			who += fmt.Sprintf(" and %d more", n-1)
		}
		s.say(Output{Category: "console", Text: who + ": " + strings.TrimRight(text, "\n") + "\n", File: w.at.File, Line: w.at.Line})
	}
}

// fulfils says whether the condition of a breakpoint holds for a work-item.
func (s *server) fulfils(w *wish, item int) bool {
	if w.condition == "" {
		return true
	}
	v, err := s.session.EvaluateFor("("+w.condition+") ? 1 : 0", item, 0)
	return err != nil || s.session.Text(v, 1) != "0"
}
