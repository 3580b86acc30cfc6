package conformance

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// SyntaxError reports what is wrong with a case file, and where.
type SyntaxError struct {
	File         string
	Line, Column int // from 1; the column counts bytes
	Msg          string
	Err          error // the cause, if any
}

// Error returns "file:line:column: message".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// maxCaseBytes bounds a case file.
const maxCaseBytes = 16 << 20

// section is the line that ends the keys and begins the module's text.
const section = "--- spirv"

// entry is one "key: value" of a file. Lines of a value that goes over several are
// joined by a space; lines keeps where each begins.
type entry struct {
	key   string
	line  int // of the key
	value string
	lines []piece
}

// piece says that the value has from offset on what stands at line and column.
type piece struct{ offset, line, column int }

// place turns an offset in the value into a line and column of the file.
func (e *entry) place(offset int) (line, column int) {
	at := piece{0, e.line, 1}
	for _, p := range e.lines {
		if p.offset <= offset {
			at = p
		}
	}
	return at.line, at.column + offset - at.offset
}

// Parse reads a case file. name is the name of the case, file what errors call the
// file; an error is a [*SyntaxError].
//
// A file is UTF-8 text. It begins with keys, one "key: value" a line; lines that
// begin with white space continue the value above. A # at the beginning of a line
// or between white space begins a comment. The line "--- spirv" ends the keys; all
// after it is the module in SPIR-V assembly.
//
//	title: TEXT             what the case shows (required)
//	clause: NAME[, NAME…]   what it proves; may be repeated
//	scenario: SECTION       instead of all that follows but subgroup: the case runs the
//	                        scenarios that package emu/mux/muxtest has for a section of the
//	                        ComputeMux compiler specification; its clauses are theirs
//	module: PATH            the module, relative to this file, when it is not below
//	version: 1.N            the SPIR-V version of the module below; 1.2 when left out
//	spec: ID = VALUE        a specialization constant; VALUE as for arg
//	kernel: NAME            the entry point (required)
//	global: X[,Y[,Z]]       the launch (required), as are local: and offset:
//	arg: SPEC               one for each kernel parameter, in order, in the syntax
//	                        of the command line ("lockstep help args"); in: paths
//	                        are relative to this file
//	expect: N = SPEC        the bytes of argument N after the run, as a SPEC, as
//	                        sha256:HEX, or "unchanged"
//	expect: N = SPEC within K ulp
//	expect: N = SPEC at S[, S…]
//	                        the same at these sub-group sizes only; then the argument
//	                        need not be alike at different sizes
//	varies: N[, N…]         arguments that need not be alike in all configurations
//	output: "TEXT"          what the kernel prints, in Go's syntax for strings; may be
//	                        repeated for further text
//	finding: CODE [COUNT] ["TEXT"…]
//	                        a finding the run must make, how often (at least once
//	                        when left out), and what the text of one must contain;
//	                        without any finding: there must be none
//	refuse: TEXT            the module is refused, with an error that contains TEXT
//	exit: N                 the exit status; 2 with refuse:, 1 with finding:, else 0
//	subgroup: N[, N…]       only these sub-group sizes
//	check: on | off         only with, or only without the checks for undefined behaviour
//	timeout: DURATION       the time limit of one run, as in 250ms
//
// A case can launch several kernels. Each kernel: begins a launch, to which the keys
// from global: to varies: behind it belong; the launches of a case run together, as a set. The
// line "then: launch" begins another set of launches, which run when those in front of
// it are over; "then: reset" does so, too, and resets the program before.
//
//	pipe: NAME = BYTES:CAPACITY
//	                        a pipe that the host makes, for packets of BYTES bytes;
//	                        as an argument it is pipe:NAME
//	fill: NAME = SPEC       packets that the host writes before this set of launches
//	feed: NAME = SPEC       packets that it writes while they run
//	drain: NAME[, NAME…]    pipes that it reads while they run
//	expect: NAME = SPEC     all packets that it has read when they are over, and that
//	                        are in the pipe then, which it takes out; "none" is no packet
func Parse(name, file string, text []byte) (*Case, error) {
	if len(text) > maxCaseBytes {
		return nil, &SyntaxError{File: file, Line: 1, Column: 1, Msg: fmt.Sprintf("the file has more than %d bytes", maxCaseBytes)}
	}
	p := &caseParser{file: file, c: &Case{Name: name}, keys: map[place][]*entry{}, launch: -1}
	entries, err := p.split(unixLines(string(text)))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := p.entry(e); err != nil {
			return nil, err
		}
	}
	if len(p.keys[place{"exit", 0}]) == 0 {
		p.c.Exit = p.c.defaultExit()
	}
	p.c.at = p.at
	if bad := p.c.check(); bad != nil {
		return nil, p.c.locate(file, bad)
	}
	return p.c, nil
}

// locate turns a problem into an error with a place in the file.
func (c *Case) locate(file string, bad *problem) error {
	e := &SyntaxError{File: file, Line: 1, Column: 1, Msg: bad.msg, Err: bad.err}
	if c.at != nil {
		e.Line, e.Column = c.at(bad)
	}
	return e
}

// lineEnds matches the line ends of all systems that Go runs on.
var lineEnds = regexp.MustCompile(`\r*\n`)

// unixLines makes all line ends "\n".
func unixLines(text string) string {
	if !strings.Contains(text, "\r") {
		return text // as they are, without a look at each
	}
	return lineEnds.ReplaceAllString(text, "\n")
}

type caseParser struct {
	file string
	c    *Case
	keys map[place][]*entry
	// launch is the number of the launch that keys belong to, over all steps; -1
	// before the first.
	launch int
}

// place is a key of one of the launches or steps, or, with part 0, of the case.
type place struct {
	key  string
	part int
}

// packetsKey is what expect: is called when it names a pipe.
const packetsKey = "expect packets"

// at finds the place of a problem: its offset counts in the text that an entry holds,
// for those with an "=" behind that.
func (p *caseParser) at(bad *problem) (line, column int) {
	entries, index, offset := p.keys[place{bad.key, bad.part}], bad.index, bad.offset
	if len(entries) == 0 && bad.part > 0 {
		entries, index = p.keys[place{"kernel", bad.part}], 0 // what is missing there
	}
	if bad.key == "clause" || bad.key == "subgroup" || bad.key == "drain" {
		index = 0 // one entry may hold several
	}
	if index >= len(entries) {
		return 1, 1
	}
	e := entries[index]
	if i := strings.IndexByte(e.value, '='); i >= 0 && offset > 0 && assigned[bad.key] {
		rest := strings.TrimLeft(e.value[i+1:], " ")
		offset += len(e.value) - len(rest)
	}
	return e.place(offset)
}

// assigned tells the keys whose SPEC stands behind a "=".
var assigned = map[string]bool{"spec": true, "expect": true, packetsKey: true, "fill": true, "feed": true}

func (p *caseParser) fail(line, column int, format string, args ...any) error {
	return &SyntaxError{File: p.file, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// uncomment cuts a comment off a line of the head.
func uncomment(line string) string {
	for i := 0; i < len(line); i++ {
		if line[i] != '#' {
			continue
		}
		before := i == 0 || line[i-1] == ' ' || line[i-1] == '\t'
		after := i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t'
		if before && after || strings.TrimSpace(line[:i]) == "" {
			return strings.TrimRight(line[:i], " \t")
		}
	}
	return strings.TrimRight(line, " \t")
}

// split cuts the file into entries, the comment at its top and the module's text.
func (p *caseParser) split(text string) ([]*entry, error) {
	var entries []*entry
	var comment []string
	top := true
	for number := 1; text != ""; number++ {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		if i := strings.IndexAny(line, "\x00\r"); i >= 0 {
			return nil, p.fail(number, i+1, "a control character")
		}
		if strings.TrimRight(line, " \t") == section {
			if strings.TrimSpace(text) == "" {
				return nil, p.fail(number, 1, "nothing follows the section line")
			}
			p.c.textLine = number + 1
			p.c.Text = strings.TrimRight(text, "\r\n") + "\n"
			break
		}
		if strings.HasPrefix(line, "---") {
			return nil, p.fail(number, 1, "unknown section; there is %q", section)
		}
		if top && strings.HasPrefix(line, "#") {
			comment = append(comment, strings.TrimRight(strings.TrimPrefix(line[1:], " "), " \t"))
			continue
		}
		top = false
		code := uncomment(line)
		body := strings.TrimLeft(code, " \t")
		if body == "" {
			continue
		}
		column := len(code) - len(body) + 1
		if column > 1 {
			if len(entries) == 0 {
				return nil, p.fail(number, column, "a continuation line with nothing to continue")
			}
			e := entries[len(entries)-1]
			if e.value != "" {
				e.value += " "
			}
			e.lines = append(e.lines, piece{len(e.value), number, column})
			e.value += body
			continue
		}
		key, value, ok := strings.Cut(body, ":")
		if !ok {
			return nil, p.fail(number, 1, "expected \"key: value\"")
		}
		e := &entry{key: key, line: number}
		trimmed := strings.TrimLeft(value, " \t")
		if trimmed != "" {
			e.lines = []piece{{0, number, len(key) + 1 + len(value) - len(trimmed) + 1}}
		}
		e.value = trimmed
		entries = append(entries, e)
	}
	p.c.Comment = strings.Trim(strings.Join(comment, "\n"), "\n")
	return entries, nil
}

// atForm ends an expectation with the sub-group sizes that it is for.
var atForm = regexp.MustCompile(`^(.*\S)\s+at\s+([0-9]+(?:\s*,\s*[0-9]+)*)$`)

// withinForm ends an expectation, but for sub-group sizes, with a tolerance.
var withinForm = regexp.MustCompile(`^(.*\S)\s+within\s+([0-9]+)\s+ulps?$`)

var findingLine = regexp.MustCompile(`^(\S+)(?:\s+([0-9]+))?((?:\s+"[^"]*")*)$`)

var findingText = regexp.MustCompile(`"([^"]*)"`)

// scope says what a key belongs to.
type scope uint8

const (
	ofCase scope = iota
	ofLaunch
	ofStep
)

// keyForm says how a key is used.
type keyForm struct {
	scope    scope
	repeated bool // it may occur more than once
	read     func(p *caseParser, e *entry, fail failFunc) error
}

type failFunc func(offset int, format string, args ...any) error

func (p *caseParser) entry(e *entry) error {
	fail := func(offset int, format string, args ...any) error {
		line, column := e.place(offset)
		return p.fail(line, column, format, args...)
	}
	form, known := keyForms[e.key]
	if !known {
		return p.fail(e.line, 1, "unknown key %q", e.key)
	}
	at := place{key: e.key}
	switch {
	case e.key == "expect" && packetsForm.MatchString(e.value):
		at.key, form.scope = packetsKey, ofStep
	case e.key == "then":
		p.c.Steps = append(p.c.Steps, Step{})
		if len(p.c.Steps) == 1 {
			return p.fail(e.line, 1, "no launch stands before then:")
		}
	case e.key == "kernel" && (p.launch < 0 || len(p.step().Launches) == 0 || p.current().Kernel != ""):
		p.begin()
	}
	switch form.scope {
	case ofLaunch:
		if p.launch < 0 || len(p.step().Launches) == 0 {
			p.begin()
		}
		at.part = p.launch
	case ofStep:
		p.step()
		at.part = len(p.c.Steps) - 1
	}
	if earlier := p.keys[at]; len(earlier) > 0 && !form.repeated {
		return p.fail(e.line, 1, "the key %s was given in line %d already", e.key, earlier[0].line)
	}
	p.keys[at] = append(p.keys[at], e)
	if e.value == "" {
		return p.fail(e.line, len(e.key)+2, "the value is missing")
	}
	return form.read(p, e, fail)
}

// step is the last step; there is one from the first call on.
func (p *caseParser) step() *Step {
	if len(p.c.Steps) == 0 {
		p.c.Steps = []Step{{}}
	}
	return &p.c.Steps[len(p.c.Steps)-1]
}

// begin begins a launch.
func (p *caseParser) begin() {
	s := p.step()
	s.Launches = append(s.Launches, Launch{})
	p.launch++
}

// current is the launch that keys belong to.
func (p *caseParser) current() *Launch {
	s := p.step()
	return &s.Launches[len(s.Launches)-1]
}

// text makes a key that is a text.
func text(s scope, dst func(p *caseParser) *string) keyForm {
	return keyForm{s, false, func(p *caseParser, e *entry, _ failFunc) error { *dst(p) = e.value; return nil }}
}

// sizes makes a key that has sizes of a launch.
func sizes(dst func(l *Launch) *[]uint64) keyForm {
	return keyForm{ofLaunch, false, func(p *caseParser, e *entry, fail failFunc) error { return dims(dst(p.current()), e, fail) }}
}

// packets makes a key that has packets of a pipe.
func packets(dst func(s *Step) *[]Packets) keyForm {
	return keyForm{ofStep, true, func(p *caseParser, e *entry, fail failFunc) error {
		name, what, ok := strings.Cut(e.value, "=")
		if !ok {
			return fail(0, "expected \"%s: NAME = …\"", e.key)
		}
		list := dst(p.step())
		*list = append(*list, Packets{strings.TrimSpace(name), strings.TrimSpace(what)})
		return nil
	}}
}

// keyForms holds what each key does with its value. It is filled before main, since
// what it holds refers to it.
var keyForms map[string]keyForm

func init() {
	keyForms = map[string]keyForm{
		"title":    text(ofCase, func(p *caseParser) *string { return &p.c.Title }),
		"scenario": text(ofCase, func(p *caseParser) *string { return &p.c.Scenario }),
		"module":   text(ofCase, func(p *caseParser) *string { return &p.c.Module }),
		"version":  text(ofCase, func(p *caseParser) *string { return &p.c.Version }),
		"refuse":   text(ofCase, func(p *caseParser) *string { return &p.c.Refuse }),
		"clause": {ofCase, true, func(p *caseParser, e *entry, _ failFunc) error {
			p.c.Clauses = append(p.c.Clauses, list(e)...)
			return nil
		}},
		"spec": {ofCase, true, func(p *caseParser, e *entry, fail failFunc) error {
			id, value, err := assignment(e, fail)
			if err != nil {
				return err
			}
			p.c.SpecConstants = append(p.c.SpecConstants, SpecConstant{ID: id, Value: value})
			return nil
		}},
		"finding": {ofCase, true, findingKey},
		"output": {ofCase, true, func(p *caseParser, e *entry, fail failFunc) error {
			text, err := strconv.Unquote(e.value)
			if err != nil || !strings.HasPrefix(e.value, `"`) {
				return fail(0, "expected a text in quotation marks, as \"a\\n\"")
			}
			p.c.Output = append(p.c.Output, text)
			return nil
		}},
		"exit": {ofCase, false, func(p *caseParser, e *entry, fail failFunc) error {
			n, err := strconv.Atoi(e.value)
			if err != nil {
				return fail(0, "%q is not an exit status", e.value)
			}
			p.c.Exit = n
			return nil
		}},
		"subgroup": {ofCase, false, func(p *caseParser, e *entry, fail failFunc) error {
			return numbers(&p.c.SubGroups, e, fail)
		}},
		"check": {ofCase, false, func(p *caseParser, e *entry, fail failFunc) error {
			switch e.value {
			case "on":
				p.c.Check = ChecksOn
			case "off":
				p.c.Check = ChecksOff
			default:
				return fail(0, "check: is on or off, or left out")
			}
			return nil
		}},
		"timeout": {ofCase, false, func(p *caseParser, e *entry, fail failFunc) error {
			d, err := time.ParseDuration(e.value)
			if err != nil || d <= 0 {
				return fail(0, "%q is not a time limit, as 250ms or 2s are", e.value)
			}
			p.c.Timeout = d
			return nil
		}},

		"kernel": text(ofLaunch, func(p *caseParser) *string { return &p.current().Kernel }),
		"global": sizes(func(l *Launch) *[]uint64 { return &l.Global }),
		"local":  sizes(func(l *Launch) *[]uint64 { return &l.Local }),
		"offset": sizes(func(l *Launch) *[]uint64 { return &l.Offset }),
		"arg": {ofLaunch, true, func(p *caseParser, e *entry, _ failFunc) error {
			l := p.current()
			l.Args = append(l.Args, e.value)
			return nil
		}},
		"expect": {ofLaunch, true, func(p *caseParser, e *entry, fail failFunc) error {
			if packetsForm.MatchString(e.value) {
				return packets(func(s *Step) *[]Packets { return &s.Packets }).read(p, e, fail)
			}
			return expectKey(p.current(), e, fail)
		}},
		"varies": {ofLaunch, false, func(p *caseParser, e *entry, fail failFunc) error {
			return numbers(&p.current().Varies, e, fail)
		}},

		"pipe": {ofCase, true, pipeKey},
		"fill": packets(func(s *Step) *[]Packets { return &s.Fill }),
		"feed": packets(func(s *Step) *[]Packets { return &s.Feed }),
		"drain": {ofStep, false, func(p *caseParser, e *entry, _ failFunc) error {
			p.step().Drain = list(e)
			return nil
		}},
		"then": {ofStep, false, func(p *caseParser, e *entry, fail failFunc) error {
			switch e.value {
			case "launch":
			case "reset":
				p.step().Reset = true
			default:
				return fail(0, "then: is launch or reset")
			}
			return nil
		}},
	}
}

// packetsForm is an expectation of a pipe, which has a name where an argument has a number.
var packetsForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*\s*=`)

// list reads names separated by commas.
func list(e *entry) []string {
	var names []string
	for name := range strings.SplitSeq(e.value, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

var pipeLine = regexp.MustCompile(`^(\S+)\s*=\s*([0-9]+)\s*:\s*([0-9]+)$`)

func pipeKey(p *caseParser, e *entry, fail failFunc) error {
	m := pipeLine.FindStringSubmatchIndex(e.value)
	if m == nil {
		return fail(0, "expected \"pipe: NAME = BYTES:CAPACITY\"")
	}
	pipe := Pipe{Name: e.value[m[2]:m[3]]}
	for i, dst := range []*uint32{&pipe.PacketBytes, &pipe.Capacity} {
		text := e.value[m[4+2*i]:m[5+2*i]]
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return fail(m[4+2*i], "%s is not a size", text)
		}
		*dst = uint32(n)
	}
	p.c.Pipes = append(p.c.Pipes, pipe)
	return nil
}

func dims(dst *[]uint64, e *entry, fail failFunc) error {
	d, err := argspec.ParseDims(e.value)
	var ae *argspec.Error
	if errors.As(err, &ae) {
		return fail(ae.Column-1, "%s; %s", ae.Msg, ae.Allowed)
	}
	*dst = d
	return err
}

func numbers(dst *[]int, e *entry, fail failFunc) error {
	offset := 0
	for item := range strings.SplitSeq(e.value, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil {
			return fail(offset, "%q is not a number", strings.TrimSpace(item))
		}
		*dst = append(*dst, n)
		offset += len(item) + 1
	}
	return nil
}

// assignment reads "NUMBER = TEXT".
func assignment(e *entry, fail failFunc) (number uint32, text string, err error) {
	left, right, ok := strings.Cut(e.value, "=")
	if !ok {
		return 0, "", fail(0, "expected \"%s: NUMBER = …\"", e.key)
	}
	n, perr := strconv.ParseUint(strings.TrimSpace(left), 10, 32)
	if perr != nil {
		return 0, "", fail(0, "%q is not a number", strings.TrimSpace(left))
	}
	return uint32(n), strings.TrimSpace(right), nil
}

func expectKey(l *Launch, e *entry, fail failFunc) error {
	n, what, err := assignment(e, fail)
	if err != nil {
		return err
	}
	if n > 1<<16 {
		return fail(0, "there is no argument %d", n)
	}
	x := Expect{Arg: int(n), What: what}
	if m := atForm.FindStringSubmatch(what); m != nil {
		what, x.What = m[1], m[1]
		for item := range strings.SplitSeq(m[2], ",") {
			size, err := strconv.Atoi(strings.TrimSpace(item))
			if err != nil {
				return fail(strings.LastIndex(e.value, m[2]), "%q is not a sub-group size", strings.TrimSpace(item))
			}
			x.SubGroups = append(x.SubGroups, size)
		}
	}
	if m := withinForm.FindStringSubmatch(what); m != nil {
		x.What = m[1]
		if x.ULP, err = strconv.ParseUint(m[2], 10, 64); err != nil {
			return fail(strings.LastIndex(e.value, m[2]), "%s is not a tolerance", m[2])
		}
	}
	l.Expect = append(l.Expect, x)
	return nil
}

func findingKey(p *caseParser, e *entry, fail failFunc) error {
	m := findingLine.FindStringSubmatch(e.value)
	if m == nil {
		return fail(0, "expected \"finding: CODE [COUNT] [\\\"TEXT\\\"…]\"")
	}
	f := ExpectFinding{Code: m[1]}
	for _, t := range findingText.FindAllStringSubmatch(m[3], -1) {
		if t[1] != "" {
			f.Texts = append(f.Texts, t[1])
		}
	}
	if m[2] != "" {
		n, err := strconv.Atoi(m[2])
		if err != nil || n == 0 {
			return fail(strings.Index(e.value, m[2]), "%s is not a count of findings", m[2])
		}
		f.Count = n
	}
	p.c.Findings = append(p.c.Findings, f)
	return nil
}
