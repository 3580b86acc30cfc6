package cmdline

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"runtime"
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

	JSON *JSONState // what is known of -json; dispatch.Main sets it
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

	Commands Table          // what there is to call; dispatch.Main sets it
	FrontEnd FrontEnd       // clang, for OpenCL C and bitcode; nil without one
	Source   *SourceOptions // how the command's flags say that OpenCL C is compiled; nil as by default
	// NoticeAfter is how long a run takes until it is told how to end it; 0 is StopAfter.
	NoticeAfter time.Duration
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

// StartTime returns when the process started.
func (e *Env) StartTime() time.Time {
	if e.Started.IsZero() {
		return time.Now()
	}
	return e.Started
}

// Variable returns the value of an environment variable.
func (e *Env) Variable(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// System returns the system that lockstep runs on.
func (e *Env) System() string { return cmp.Or(e.GOOS, runtime.GOOS) }
