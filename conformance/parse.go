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
//	kernel: NAME            the entry point (required)
//	global: X[,Y[,Z]]       the launch (required), as are local: and offset:
//	spec: ID = VALUE        a specialization constant; VALUE as for arg
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
//	finding: CODE [COUNT] ["TEXT"]
//	                        a finding the run must make, how often (at least once
//	                        when left out), and what its text must contain; without
//	                        any finding: there must be none
//	refuse: TEXT            the module is refused, with an error that contains TEXT
//	exit: N                 the exit status; 2 with refuse:, 1 with finding:, else 0
//	subgroup: N[, N…]       only these sub-group sizes
//	check: on | off         only with, or only without the checks for undefined behaviour
//	timeout: DURATION       the time limit of one run, as in 250ms
func Parse(name, file string, text []byte) (*Case, error) {
	if len(text) > maxCaseBytes {
		return nil, &SyntaxError{File: file, Line: 1, Column: 1, Msg: fmt.Sprintf("the file has more than %d bytes", maxCaseBytes)}
	}
	p := &caseParser{file: file, c: &Case{Name: name}, keys: map[string][]*entry{}}
	entries, err := p.split(lineEnds.ReplaceAllString(string(text), "\n"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := p.entry(e); err != nil {
			return nil, err
		}
	}
	if len(p.keys["exit"]) == 0 {
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
		e.Line, e.Column = c.at(bad.key, bad.index, bad.offset)
	}
	return e
}

// lineEnds matches the line ends of all systems that Go runs on.
var lineEnds = regexp.MustCompile(`\r*\n`)

type caseParser struct {
	file string
	c    *Case
	keys map[string][]*entry
}

// at finds the place of an offset in the text that a key's entry holds: for spec
// and expect the text behind the "=".
func (p *caseParser) at(key string, index, offset int) (line, column int) {
	entries := p.keys[key]
	if key == "clause" || key == "subgroup" {
		index = 0 // one entry may hold several
	}
	if index >= len(entries) {
		return 1, 1
	}
	e := entries[index]
	if i := strings.IndexByte(e.value, '='); i >= 0 && offset > 0 && (key == "spec" || key == "expect") {
		rest := strings.TrimLeft(e.value[i+1:], " ")
		offset += len(e.value) - len(rest)
	}
	return e.place(offset)
}

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

var findingLine = regexp.MustCompile(`^(\S+)(?:\s+([0-9]+))?(?:\s+"([^"]*)")?$`)

// repeated tells the keys that may occur more than once.
var repeated = map[string]bool{"clause": true, "spec": true, "arg": true, "expect": true, "output": true, "finding": true}

func (p *caseParser) entry(e *entry) error {
	c := p.c
	fail := func(offset int, format string, args ...any) error {
		line, column := e.place(offset)
		return p.fail(line, column, format, args...)
	}
	if earlier := p.keys[e.key]; len(earlier) > 0 && !repeated[e.key] {
		return p.fail(e.line, 1, "the key %s was given in line %d already", e.key, earlier[0].line)
	}
	p.keys[e.key] = append(p.keys[e.key], e)
	handler, known := keyHandlers[e.key]
	if !known {
		return p.fail(e.line, 1, "unknown key %q", e.key)
	}
	if e.value == "" {
		return p.fail(e.line, len(e.key)+2, "the value is missing")
	}
	return handler(c, e, fail)
}

type failFunc func(offset int, format string, args ...any) error

// keyHandlers holds what each key does with its value.
var keyHandlers = map[string]func(c *Case, e *entry, fail failFunc) error{
	"title":    func(c *Case, e *entry, _ failFunc) error { c.Title = e.value; return nil },
	"scenario": func(c *Case, e *entry, _ failFunc) error { c.Scenario = e.value; return nil },
	"module":   func(c *Case, e *entry, _ failFunc) error { c.Module = e.value; return nil },
	"version":  func(c *Case, e *entry, _ failFunc) error { c.Version = e.value; return nil },
	"kernel":   func(c *Case, e *entry, _ failFunc) error { c.Kernel = e.value; return nil },
	"refuse":   func(c *Case, e *entry, _ failFunc) error { c.Refuse = e.value; return nil },
	"arg":      func(c *Case, e *entry, _ failFunc) error { c.Args = append(c.Args, e.value); return nil },
	"clause": func(c *Case, e *entry, _ failFunc) error {
		for name := range strings.SplitSeq(e.value, ",") {
			c.Clauses = append(c.Clauses, strings.TrimSpace(name))
		}
		return nil
	},
	"global": func(c *Case, e *entry, fail failFunc) error { return dims(&c.Global, e, fail) },
	"local":  func(c *Case, e *entry, fail failFunc) error { return dims(&c.Local, e, fail) },
	"offset": func(c *Case, e *entry, fail failFunc) error { return dims(&c.Offset, e, fail) },
	"spec": func(c *Case, e *entry, fail failFunc) error {
		id, value, err := assignment(e, fail)
		if err != nil {
			return err
		}
		c.SpecConstants = append(c.SpecConstants, SpecConstant{ID: id, Value: value})
		return nil
	},
	"expect":  expectKey,
	"finding": findingKey,
	"output": func(c *Case, e *entry, fail failFunc) error {
		text, err := strconv.Unquote(e.value)
		if err != nil || !strings.HasPrefix(e.value, `"`) {
			return fail(0, "expected a text in quotation marks, as \"a\\n\"")
		}
		c.Output = append(c.Output, text)
		return nil
	},
	"exit": func(c *Case, e *entry, fail failFunc) error {
		n, err := strconv.Atoi(e.value)
		if err != nil {
			return fail(0, "%q is not an exit status", e.value)
		}
		c.Exit = n
		return nil
	},
	"subgroup": func(c *Case, e *entry, fail failFunc) error {
		return numbers(&c.SubGroups, e, fail)
	},
	"varies": func(c *Case, e *entry, fail failFunc) error { return numbers(&c.Varies, e, fail) },
	"check": func(c *Case, e *entry, fail failFunc) error {
		switch e.value {
		case "on":
			c.Check = ChecksOn
		case "off":
			c.Check = ChecksOff
		default:
			return fail(0, "check: is on or off, or left out")
		}
		return nil
	},
	"timeout": func(c *Case, e *entry, fail failFunc) error {
		d, err := time.ParseDuration(e.value)
		if err != nil || d <= 0 {
			return fail(0, "%q is not a time limit, as 250ms or 2s are", e.value)
		}
		c.Timeout = d
		return nil
	},
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

func expectKey(c *Case, e *entry, fail failFunc) error {
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
	c.Expect = append(c.Expect, x)
	return nil
}

func findingKey(c *Case, e *entry, fail failFunc) error {
	m := findingLine.FindStringSubmatch(e.value)
	if m == nil {
		return fail(0, "expected \"finding: CODE [COUNT] [\\\"TEXT\\\"]\"")
	}
	f := ExpectFinding{Code: m[1], Text: m[3]}
	if m[2] != "" {
		n, err := strconv.Atoi(m[2])
		if err != nil || n == 0 {
			return fail(strings.Index(e.value, m[2]), "%s is not a count of findings", m[2])
		}
		f.Count = n
	}
	c.Findings = append(c.Findings, f)
	return nil
}
