//go:build !browser

package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"
)

// System returns the Env of the process.
func System() *Env {
	start := time.Now()
	executable, err := os.Executable()
	if err != nil {
		executable = ""
	}
	return &Env{
		Executable:     executable,
		Getenv:         os.Getenv,
		Run:            runProgram,
		Temporary:      temporary,
		Editor:         editor,
		Started:        start,
		Clock:          func() time.Duration { return time.Since(start) },
		Stdin:          os.Stdin,
		Stdout:         os.Stdout,
		Stderr:         os.Stderr,
		StdoutTerminal: isTerminal(os.Stdout),
		StderrTerminal: isTerminal(os.Stderr),
		Columns:        columns(os.Getenv("COLUMNS")),
		ASCII:          asciiOnly(runtime.GOOS, os.Getenv),
		NoColor:        os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb",
		Open:           func(path string) (io.ReadCloser, error) { return os.Open(path) },
		Create:         func(path string) (io.WriteCloser, error) { return os.Create(path) },
		Append: func(path string) (io.WriteCloser, error) {
			return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		},
		Stat: os.Stat,
		Dir:  os.DirFS,
		Interrupts: func(ctx context.Context) (context.Context, func()) {
			return signal.NotifyContext(ctx, os.Interrupt)
		},
		frontEnd: systemFrontEnd(),
	}
}

// Main runs the command that args ask for, of all that there are, and returns the exit status.
func Main(ctx context.Context, args []string, env *Env) int {
	return Dispatch(ctx, Commands(), args, env)
}

// Commands returns the commands in the order of the overview.
func Commands() Table {
	return Table{
		runCommand, debugCommand, dapCommand, execCommand, exploreCommand, ccCommand, compileCommand, linkCommand, infoCommand, isaCommand, validateCommand, disCommand, asmCommand,
		gradeCommand, serveCommand, siteCommand, conformanceCommand, mergeCommand, driverCommand, schemaCommand, completionCommand, versionCommand, helpCommand,
	}
}
