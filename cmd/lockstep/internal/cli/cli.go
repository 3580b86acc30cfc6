// Package cli is the command line of lockstep: it reads arguments and files,
// calls the packages that do the work, and prints what they say.
//
// It holds no knowledge of SPIR-V or of running kernels. Everything that it
// needs of the process comes in an [Env], so that tests can run commands
// without one; the result is an exit status.
package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The exit statuses.
const (
	ExitDone    = 0 // done, nothing found
	ExitFinding = 1 // the kernel faulted, or a check found something
	ExitUsage   = 2 // wrong usage or input, or a file that cannot be written
)

// Env is the world of a command.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// StdoutTerminal and StderrTerminal say that a person looks at the output.
	StdoutTerminal, StderrTerminal bool
	// Clock reads a clock, from any start; nil is one that stands still.
	Clock func() time.Duration
	// Started is when the process started, from which -timeout counts; zero is when the command is read.
	Started time.Time
	// Columns is the width of the terminal; 0 when it is not known.
	Columns int
	// ASCII says that lockstep's texts are to have ASCII characters only, and
	// NoColor that they are to have no colours unless a flag asks for them.
	ASCII, NoColor bool

	json *jsonState // what is known of -json; Dispatch sets it
	// Open and Create open files for reading and writing.
	Open   func(path string) (io.ReadCloser, error)
	Create func(path string) (io.WriteCloser, error)
	// Append opens a file for writing at its end, and makes it where there is none.
	Append func(path string) (io.WriteCloser, error)
	// Stat says what a path is.
	Stat func(path string) (fs.FileInfo, error)
	// Dir is a folder as a file system.
	Dir func(path string) fs.FS

	// Executable is the path of the program lockstep, and "" when it is not known. Getenv returns the values of
	// environment variables; nil is an empty environment. GOOS is the system, "" for that of the process.
	Executable string
	Getenv     func(name string) string
	GOOS       string
	// Run runs an OpenCL program and returns its exit status; nil where programs cannot be started.
	Run func(ctx context.Context, p Program) (int, error)
	// Editor returns what reads lines from a terminal, with completion of the line up to the cursor; ok is false, and
	// Editor may be nil, where there is no terminal.
	Editor func(complete func(line string) []string) (read func() (string, error), ok bool)
	// Temporary calls f with the path of a file that is not there, and removes it behind.
	Temporary func(f func(path string) error) error

	// Inspect, where it is not nil, sees more of launches than commands print.
	Inspect *Inspector

	// Interrupts returns a context that an interrupt of the process ends, and what gives interrupts back; nil where
	// there are none.
	Interrupts func(ctx context.Context) (context.Context, func())

	commands Table          // what there is to call; Dispatch sets it
	frontEnd frontEnd       // clang, for OpenCL C and bitcode; nil without one
	source   *sourceOptions // how the command's flags say that OpenCL C is compiled; nil as by default
	// noticeAfter is how long a run takes until it is told how to end it; 0 is stopAfter.
	noticeAfter time.Duration
}

// Program is an OpenCL program that lockstep exec starts.
type Program struct {
	Args    []string // its name and its arguments
	Driver  string   // the path of lockstep's driver
	Options string   // for the driver
	// Dir is the folder in which it runs, and the others its files; the process's own where they are not set.
	Dir            string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Tally is called at the end with what hostrun.ReadTally reads.
	Tally func(text string)
}

// started returns when the process started.
func (e *Env) started() time.Time {
	if e.Started.IsZero() {
		return time.Now()
	}
	return e.Started
}

// getenv returns the value of an environment variable.
func (e *Env) getenv(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// goos returns the system that lockstep runs on.
func (e *Env) goos() string { return cmp.Or(e.GOOS, runtime.GOOS) }

// columns reads the width that a shell says its terminal has; 0 when it says
// none.
func columns(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// isTerminal says whether f is a character device other than the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// command is one of lockstep's subcommands.
type command struct {
	name  string
	args  string // what follows the flags in the usage line
	text  bool   // standard output is text for people, unless -json is given
	short string // one line for the overview
	long  string // what `lockstep help NAME` says below the usage line
	// setup declares the command's flags and returns what runs it. The
	// positional arguments are checked by the command.
	setup func(f *flags) func(ctx context.Context, env *Env, args []string) error
}

// Table has commands, in the order of the overview.
type Table []*command

// lookup returns the command of a name, or nil.
func (t Table) lookup(name string) *command {
	for _, c := range t {
		if c.name == name {
			return c
		}
	}
	return nil
}

// wantsJSON says whether a command line asks for a document, for errors that come
// before its flags have been read.
func (t Table) wantsJSON(args []string) bool {
	if len(args) == 0 {
		return false
	}
	c := t.lookup(args[0])
	if c == nil {
		return false
	}
	f := newFlags(c.name)
	c.setup(f)
	if f.Lookup("json") == nil {
		return false
	}
	for _, a := range args[1:] {
		switch a {
		case "--":
			return false
		case "-json", "--json", "-json=true", "--json=true":
			return true
		}
	}
	return false
}

// FlagOf says whether a command has a flag of a name, and whether a value follows it. Separators of kernels are flags
// without a value.
func (t Table) FlagOf(commandName, name string) (is, takesValue bool) {
	c := t.lookup(commandName)
	if c == nil {
		return false, false
	}
	f := newFlags(c.name)
	c.setup(f)
	if f.parts != nil && slices.Contains(f.parts.separators, name) {
		return true, false
	}
	fl := f.Lookup(name)
	if fl == nil {
		return false, false
	}
	b, ok := fl.Value.(interface{ IsBoolFlag() bool })
	return true, !ok || !b.IsBoolFlag()
}

// usageError is a command line that makes no sense.
type usageError struct {
	msg  string
	help string // what to type for help
}

func (e *usageError) Error() string {
	if e.help == "" {
		return e.msg
	}
	return e.msg + "\n(`lockstep " + e.help + "` explains)"
}

func usagef(help, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), help}
}

// exitStatus ends a command with a status of its own. What there was to say has been said.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// errFound ends a command with ExitFinding. What was found has been printed.
var errFound = errors.New("findings")

// errTimeLimit is the errFound of a command that -timeout ended before a kernel began.
var errTimeLimit = fmt.Errorf("time limit: %w", errFound)

// Dispatch runs the command of a table that args ask for and returns the exit status. When ctx
// is done the command ends as soon as it can.
func Dispatch(ctx context.Context, commands Table, args []string, env *Env) int {
	inner := *env
	inner.commands = commands
	inner.json = &jsonState{wanted: commands.wantsJSON(args)}
	out := bufio.NewWriterSize(env.Stdout, 64<<10)
	if !env.StdoutTerminal {
		inner.Stdout = out
	}
	var texts *asciiWriter
	if env.ASCII {
		texts = &asciiWriter{w: env.Stderr}
		inner.Stderr = texts
	}
	err := dispatch(ctx, args, &inner)
	if err != nil && inner.json.wanted && !inner.json.written {
		err = errors.Join(err, inner.errorDocument(args, err))
	}
	if ferr := out.Flush(); ferr != nil && (err == nil || errors.Is(err, errFound)) {
		err = fmt.Errorf("standard output: %w", ferr)
	}
	if texts != nil {
		defer func() { _ = texts.flush() }() // what cannot be written cannot be told
	}
	var program exitStatus
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, errFound):
		return ExitFinding
	case errors.As(err, &program):
		return int(program)
	}
	fmt.Fprintf(inner.Stderr, "lockstep: %s\n", harmless(err))
	return ExitUsage
}

func dispatch(ctx context.Context, args []string, env *Env) error {
	if len(args) == 0 {
		fmt.Fprint(env.Stderr, overview(env.commands))
		return usagef("", "no command given")
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	if name == completeName {
		return complete(env, args[1:])
	}
	c := env.commands.lookup(name)
	if c == nil {
		var names []string
		for _, c := range env.commands {
			names = append(names, c.name)
		}
		msg := fmt.Sprintf("there is no command %q", name)
		if near := nearest(name, names); near != "" {
			msg += fmt.Sprintf("; did you mean %q?", near)
		} else if _, err := env.Stat(name); err == nil {
			msg += fmt.Sprintf("; to run the kernel in a file: lockstep run %s", name)
		}
		return usagef("help", "%s", msg)
	}
	if n := len(args); c.name == "help" && (n == 2 || n == 3) && len(args[n-1]) > 1 && args[n-1] != "-h" && !strings.HasPrefix(args[n-1], "--") {
		args = slices.Insert(slices.Clone(args), 1, "--") // a flag to explain is no flag of help
	}
	f := newFlags(c.name)
	run := c.setup(f)
	if f.parts != nil {
		f.read = func(path string) ([]byte, error) { return readFile(env, path) }
	}
	rest, err := f.parse(args[1:])
	if errors.Is(err, errHelp) {
		fmt.Fprint(env.text(env.Stdout), c.help())
		return nil
	}
	if err != nil {
		return err
	}
	if json := f.Lookup("json"); json != nil {
		env.json.wanted = json.Value.String() == "true"
	}
	if f.source != nil {
		if err := f.source.check(c.name); err != nil {
			return err
		}
		if color := f.Lookup("color"); color != nil {
			f.source.color = color.Value.String()
		}
		env.source = f.source
	}
	if c.text && !env.json.wanted {
		text := *env
		text.Stdout = env.text(env.Stdout)
		env = &text
	}
	return run(ctx, env, rest)
}

// one returns the only positional argument of a command that takes one module.
func one(c string, args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", usagef("help "+c, "%s: no module given", c)
	case 1:
		return args[0], nil
	}
	return "", usagef("help "+c, "%s: one module at a time; %q is one argument too many (lockstep cc and lockstep link make one of several)",
		c, args[1])
}

// nearest returns the one of names that name is the beginning of, or that a slip
// of the fingers may have made it of, or "".
func nearest(name string, names []string) string {
	best, distance := "", 1+len(name)/3
	for _, n := range slices.Sorted(slices.Values(names)) {
		if len(name) > 1 && strings.HasPrefix(n, name) {
			return n
		}
		if d := editDistance(name, n); d <= distance && (best == "" || d < distance) {
			best, distance = n, d
		}
	}
	return best
}

// editDistance is Levenshtein's distance of two short strings, up to 40 bytes.
func editDistance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// indent puts prefix before every line of s that is not empty.
func indent(prefix, s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}
