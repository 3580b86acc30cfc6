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
	// Kernel is the name of the entry point.
	Kernel string
	// Global, Local and Offset are the launch sizes, one to three dimensions;
	// Local and Offset are nil when the case leaves them out.
	Global, Local, Offset []uint64
	// SpecConstants sets specialization constants before the module is built.
	SpecConstants []SpecConstant
	// Args holds one SPEC of package argspec for each kernel parameter.
	Args []string
	// Expect lists what buffers must hold after the run.
	Expect []Expect
	// Varies lists the buffers whose contents may be another in each configuration,
	// because they depend on the order in which work-items run.
	Varies []int
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
	// at tells where in the file a text of the case stands; nil for a case that
	// was not parsed.
	at func(what string, index, offset int) (line, column int)
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

// Expect states the contents of one buffer after the run.
type Expect struct {
	// Arg is the number of the argument, from 0.
	Arg int
	// What is a SPEC that gives the bytes, "sha256:HEX" of the bytes, or
	// "unchanged".
	What string
	// ULP is the allowed difference in units in the last place, for SPECs of
	// floating-point types. 0 demands the same bits.
	ULP uint64
	// SubGroups are the sub-group sizes at which this is expected; none means all.
	SubGroups []int
}

// at says whether the contents are those at a sub-group size.
func (e *Expect) at(size int) bool {
	return len(e.SubGroups) == 0 || slices.Contains(e.SubGroups, size)
}

// ExpectFinding states one kind of finding.
type ExpectFinding struct {
	// Code is the stable code, such as "E-OOB".
	Code string
	// Count is the number of occurrences over all findings of the code; 0 means
	// one or more.
	Count int
	// Text, when not empty, must occur in the text of one finding of the code.
	Text string
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
// the file, which of several entries of that key, and the offset in the entry.
type problem struct {
	key           string
	index, offset int
	msg           string
	err           error
}

// check finds what is wrong with the fields of c on their own and with each other.
func (c *Case) check() *problem {
	bad := func(key string, index int, format string, args ...any) *problem {
		return &problem{key: key, index: index, msg: fmt.Sprintf(format, args...)}
	}
	if c.Title == "" {
		return bad("title", 0, "the case has no title")
	}
	if c.Kernel == "" && c.Scenario == "" {
		return bad("kernel", 0, "the case names no kernel")
	}
	for _, f := range [...]struct{ key, text string }{
		{"title", c.Title}, {"scenario", c.Scenario}, {"kernel", c.Kernel}, {"module", c.Module}, {"refuse", c.Refuse},
	} {
		if !plain(f.text) {
			return bad(f.key, 0, "the text has a line break, white space at an end, or a \" # \"")
		}
	}
	for i, cl := range c.Clauses {
		if !clauseForm.MatchString(cl) {
			return bad("clause", i, "%q is not the name of a clause: letters, digits, . _ / -", cl)
		}
	}
	if c.Scenario != "" {
		return c.checkScenario(bad)
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
	if p := c.checkLaunch(bad); p != nil {
		return p
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
	for i, a := range c.Args {
		if !plain(a) || a == "" {
			return bad("arg", i, "the argument is missing or not one line")
		}
	}
	return c.checkExpected(bad)
}

func (c *Case) checkLaunch(bad func(string, int, string, ...any) *problem) *problem {
	if len(c.Global) == 0 {
		return bad("global", 0, "the case has no global size")
	}
	for _, f := range [...]struct {
		key  string
		dims []uint64
	}{{"global", c.Global}, {"local", c.Local}, {"offset", c.Offset}} {
		if len(f.dims) > 3 || (f.dims != nil && len(f.dims) != len(c.Global)) {
			return bad(f.key, 0, "%s has %d dimensions, global has %d", f.key, len(f.dims), len(c.Global))
		}
		if f.key != "offset" && slices.Contains(f.dims, 0) {
			return bad(f.key, 0, "a size of 0")
		}
	}
	if p := c.checkSubGroups(bad); p != nil {
		return p
	}
	if c.Check > ChecksOff {
		return bad("check", 0, "an unknown kind of checks")
	}
	if c.Timeout < 0 {
		return bad("timeout", 0, "a negative time limit")
	}
	return nil
}

func (c *Case) checkSubGroups(bad func(string, int, string, ...any) *problem) *problem {
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

// expectation is an argument at a sub-group size, 0 for all of them.
type expectation struct{ arg, size int }

// subgroupSize says whether n is a sub-group size of a device.
func subgroupSize(n int) bool { return n >= 1 && n <= 128 && n&(n-1) == 0 }

func (c *Case) checkExpected(bad func(string, int, string, ...any) *problem) *problem {
	args := map[int]bool{}
	expected := map[expectation]bool{}
	for i, e := range c.Expect {
		switch {
		case e.Arg < 0 || e.Arg >= len(c.Args):
			return bad("expect", i, "there is no argument %d: the case has %d, counted from 0", e.Arg, len(c.Args))
		case expected[expectation{e.Arg, 0}] || (len(e.SubGroups) == 0 && args[e.Arg]):
			return bad("expect", i, "argument %d is expected twice", e.Arg)
		case !plain(e.What) || e.What == "" || withinForm.MatchString(e.What) || atForm.MatchString(e.What):
			return bad("expect", i, "what is expected is missing or not one line")
		case strings.HasPrefix(e.What, shaPrefix) && !shaForm.MatchString(e.What[len(shaPrefix):]):
			return bad("expect", i, "sha256: wants 64 lower-case hexadecimal digits")
		case e.ULP != 0 && (strings.HasPrefix(e.What, shaPrefix) || e.What == unchanged):
			return bad("expect", i, "a tolerance needs the values themselves")
		}
		args[e.Arg] = true
		if len(e.SubGroups) == 0 {
			expected[expectation{e.Arg, 0}] = true
		}
		for _, n := range e.SubGroups {
			if !subgroupSize(n) {
				return bad("expect", i, "%d is not a sub-group size: a power of two from 1 to 128", n)
			}
			if x := (expectation{e.Arg, n}); expected[x] {
				return bad("expect", i, "argument %d is expected twice at sub-groups of %d", e.Arg, n)
			} else {
				expected[x] = true
			}
		}
	}
	for i, n := range c.Varies {
		switch {
		case n < 0 || n >= len(c.Args):
			return bad("varies", 0, "there is no argument %d: the case has %d, counted from 0", n, len(c.Args))
		case args[n]:
			return bad("varies", 0, "argument %d is expected to have certain contents", n)
		case slices.Contains(c.Varies[:i], n):
			return bad("varies", 0, "%d is given twice", n)
		}
	}
	codes := map[string]bool{}
	for i, f := range c.Findings {
		switch {
		case !findingForm.MatchString(f.Code):
			return bad("finding", i, "%q is not the code of a finding, as E-OOB is", f.Code)
		case codes[f.Code]:
			return bad("finding", i, "%s is given twice", f.Code)
		case f.Count < 0:
			return bad("finding", i, "a negative count")
		case !plain(f.Text) || strings.Contains(f.Text, `"`):
			return bad("finding", i, "the text has a quotation mark, a line break, white space at an end, or a \" # \"")
		}
		codes[f.Code] = true
	}
	if c.Refuse != "" && (len(c.Expect) > 0 || len(c.Varies) > 0 || len(c.Output) > 0 || len(c.Findings) > 0) {
		return bad("refuse", 0, "a case that is refused has neither expected results nor findings")
	}
	if c.Refuse == "" && len(c.Expect) == 0 && len(c.Output) == 0 && len(c.Findings) == 0 {
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

// plain reports whether s can stand as a value in a file as it is.
func plain(s string) bool {
	return s == strings.TrimSpace(s) && !strings.ContainsAny(s, "\n\r\x00") &&
		!strings.Contains(s, " # ") && !strings.Contains(s, "\t# ") &&
		!strings.HasSuffix(s, " #") && !strings.HasSuffix(s, "\t#") && !strings.HasPrefix(s, "# ") && s != "#"
}
