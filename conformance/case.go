package conformance

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// Case is one conformance case, as its file states it. SPECs are kept as text; what
// they stand for is read when the case is loaded or run.
type Case struct {
	// Name identifies the case in reports: the path of its file without ".case".
	Name string
	// Comment is the block of comment lines at the top of the file, without the
	// leading "# ".
	Comment string
	// Title says in one line what the case shows.
	Title string
	// Clauses names what the case proves, such as "SPV-OpPhi".
	Clauses []string
	// Scenario makes the case one of Go instead of a kernel: the section of the
	// ComputeMux Compiler Specification whose scenarios (package emu/mux/muxtest) every
	// compiler of lockstep has to pass. Such a case has a title, clauses and sub-group
	// sizes, and nothing else.
	Scenario string
	// Module is the path of the module, binary or text, relative to the case's
	// file; empty when Text holds it.
	Module string
	// Text is the module in SPIR-V assembly, when it is part of the case.
	Text string
	// Version is the SPIR-V version that Text is assembled for, such as "1.2";
	// empty means DefaultVersion.
	Version string
	// SpecConstants sets specialization constants before the module is built.
	SpecConstants []SpecConstant
	// Pipes are those that the host makes.
	Pipes []Pipe
	// Steps are made one after the other with the same program. Most cases have
	// one, of one launch.
	Steps []Step
	// Output is what the kernel must print, in pieces; nil when that does not matter.
	Output []string
	// Findings lists the findings that the run must make, and all of them.
	Findings []ExpectFinding
	// Refuse, when not empty, says that the module must be refused before
	// anything runs, with an error that contains this text.
	Refuse string
	// Exit is the exit status that the command line gives for the case: 0, 1 or 2.
	Exit int
	// SubGroups restricts the case to these sub-group sizes; nil means any.
	SubGroups []int
	// Check says whether the case is about runs with the checks for undefined
	// behaviour, or without them.
	Check Checks
	// Timeout limits one run; 0 means the runner's own limit.
	Timeout time.Duration

	// fsys and dir are where the files that the case names are found; fsys is nil
	// for a case that did not come from a file system.
	fsys fs.FS
	dir  string
	// textLine is the line of the file where Text begins; 0 when it is not known.
	textLine int
	// at tells where in the file the text of a problem stands; nil for a case that
	// was not parsed.
	at func(bad *problem) (line, column int)
}

// Checks says how a case wants the checks for undefined behaviour.
type Checks uint8

// The ways a case wants them.
const (
	ChecksAny Checks = iota // either way; Options say which
	ChecksOn                // the case provokes a finding that only a check makes
	ChecksOff               // the case shows what happens where a check would make a finding
)

// SpecConstant sets the specialization constant with a SpecId to a value SPEC.
type SpecConstant struct {
	ID    uint32
	Value string
}

// ExpectFinding states one kind of finding.
type ExpectFinding struct {
	// Code is the stable code, such as "E-OOB".
	Code string
	// Count is the number of occurrences over all findings of the code; 0 means
	// one or more.
	Count int
	// Texts must all occur in the text of one finding of the code.
	Texts []string
}

// DefaultVersion is the SPIR-V version of modules that are part of a case, unless
// the case says otherwise: that of the OpenCL 2.2 environment.
const DefaultVersion = "1.2"

const (
	shaPrefix = "sha256:"
	unchanged = "unchanged"
)

var (
	clauseForm  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)
	findingForm = regexp.MustCompile(`^E-[A-Z0-9][A-Z0-9-]*$`)
	shaForm     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// problem is something wrong with a case, tied to the text it concerns: the key of
// the file, in which of the case's launches or steps, which of several entries of that
// key, and the offset in the entry.
type problem struct {
	key                 string
	part, index, offset int
	msg                 string
	err                 error
}

// bad makes a problem of a key that is the whole case's.
func bad(key string, index int, format string, args ...any) *problem {
	return &problem{key: key, index: index, msg: fmt.Sprintf(format, args...)}
}

// in makes the problem one of a launch or step, unless there is none.
func (p *problem) in(part int) *problem {
	if p != nil {
		p.part = part
	}
	return p
}

// check finds what is wrong with the fields of c on their own and with each other.
func (c *Case) check() *problem {
	if c.Title == "" {
		return bad("title", 0, "the case has no title")
	}
	for _, f := range [...]struct{ key, text string }{{"title", c.Title}, {"scenario", c.Scenario}, {"module", c.Module}, {"refuse", c.Refuse}} {
		if !plain(f.text) {
			return bad(f.key, 0, notPlain)
		}
	}
	for i, cl := range c.Clauses {
		if !clauseForm.MatchString(cl) {
			return bad("clause", i, "%q is not the name of a clause: letters, digits, . _ / -", cl)
		}
	}
	if c.Scenario != "" {
		return c.checkScenario()
	}
	switch {
	case c.Module == "" && c.Text == "":
		return bad("module", 0, "the case has neither a module: nor a \"--- spirv\" section")
	case c.Module != "" && c.Text != "":
		return bad("module", 0, "the case has both a module: and a \"--- spirv\" section")
	case c.Module != "" && (path.IsAbs(c.Module) || strings.Contains(c.Module, `\`)):
		return bad("module", 0, "the path of the module is relative to the case, with / between its parts")
	}
	if _, ok := asm.TargetEnv("spv" + c.version()); !ok {
		return bad("version", 0, "%q is not a version of SPIR-V, as 1.2 is", c.Version)
	}
	if c.Version != "" && c.Text == "" {
		return bad("version", 0, "a version is for modules that are part of the case")
	}
	if p := c.checkSettings(); p != nil {
		return p
	}
	if p := c.checkPipes(); p != nil {
		return p
	}
	if p := c.checkSteps(); p != nil {
		return p
	}
	return c.checkExpected()
}

// checkSettings checks what holds for all launches.
func (c *Case) checkSettings() *problem {
	if p := c.checkSubGroups(); p != nil {
		return p
	}
	if c.Check > ChecksOff {
		return bad("check", 0, "an unknown kind of checks")
	}
	if c.Timeout < 0 {
		return bad("timeout", 0, "a negative time limit")
	}
	seen := map[uint32]bool{}
	for i, s := range c.SpecConstants {
		if seen[s.ID] {
			return bad("spec", i, "specialization constant %d is set twice", s.ID)
		}
		seen[s.ID] = true
		if !plain(s.Value) || s.Value == "" {
			return bad("spec", i, "the value is missing or not one line")
		}
	}
	return nil
}

func (c *Case) checkSubGroups() *problem {
	for i, n := range c.SubGroups {
		if !subgroupSize(n) {
			return bad("subgroup", 0, "%d is not a sub-group size: a power of two from 1 to 128", n)
		}
		if slices.Contains(c.SubGroups[:i], n) {
			return bad("subgroup", 0, "%d is given twice", n)
		}
	}
	return nil
}

// subgroupSize says whether n is a sub-group size of a device.
func subgroupSize(n int) bool { return n >= 1 && n <= 128 && n&(n-1) == 0 }

// checkExpected checks what the case expects besides the contents of buffers and pipes.
func (c *Case) checkExpected() *problem {
	codes := map[string]bool{}
	for i, f := range c.Findings {
		switch {
		case !findingForm.MatchString(f.Code):
			return bad("finding", i, "%q is not the code of a finding, as E-OOB is", f.Code)
		case codes[f.Code]:
			return bad("finding", i, "%s is given twice", f.Code)
		case f.Count < 0:
			return bad("finding", i, "a negative count")
		case slices.ContainsFunc(f.Texts, func(s string) bool { return s == "" || !plain(s) || strings.Contains(s, `"`) }):
			return bad("finding", i, "the text has a quotation mark, a line break, white space at an end, or a \" # \"")
		}
		codes[f.Code] = true
	}
	contents, varies := false, false
	for i := range c.Steps {
		contents = contents || len(c.Steps[i].Packets) > 0
		for j := range c.Steps[i].Launches {
			l := &c.Steps[i].Launches[j]
			contents, varies = contents || len(l.Expect) > 0, varies || len(l.Varies) > 0
		}
	}
	if c.Refuse != "" && (contents || varies || len(c.Output) > 0 || len(c.Findings) > 0) {
		return bad("refuse", 0, "a case that is refused has neither expected results nor findings")
	}
	if c.Refuse == "" && !contents && len(c.Output) == 0 && len(c.Findings) == 0 {
		return bad("expect", 0, "the case expects nothing: it needs an expect:, output:, finding: or refuse:")
	}
	if c.Exit < 0 || c.Exit > 2 {
		return bad("exit", 0, "an exit status is 0, 1 or 2")
	}
	return nil
}

// version is the SPIR-V version that Text is assembled for.
func (c *Case) version() string {
	if c.Version == "" {
		return DefaultVersion
	}
	return c.Version
}

// defaultExit is the exit status of a case that does not state it.
func (c *Case) defaultExit() int {
	switch {
	case c.Refuse != "":
		return 2
	case len(c.Findings) > 0:
		return 1
	}
	return 0
}

const notPlain = "the text has a line break, white space at an end, or a \" # \""

// plain reports whether s can stand as a value in a file as it is.
func plain(s string) bool {
	return s == strings.TrimSpace(s) && !strings.ContainsAny(s, "\n\r\x00") &&
		!strings.Contains(s, " # ") && !strings.Contains(s, "\t# ") &&
		!strings.HasSuffix(s, " #") && !strings.HasSuffix(s, "\t#") && !strings.HasPrefix(s, "# ") && s != "#"
}
