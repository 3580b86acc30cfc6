package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/conformancecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dapcmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugcmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dispatch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/explorecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/gradecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/hostcmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/infocmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/mergecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/sitecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/toolchain"
	"github.com/lockstep-gpu/lockstep/emu/mux/clang"
)

// System returns the Env of the process.
func System() *cmdline.Env {
	start := time.Now()
	executable, err := os.Executable()
	if err != nil {
		executable = ""
	}
	return &cmdline.Env{
		Executable:     executable,
		Getenv:         os.Getenv,
		Run:            hostcmd.RunProgram,
		Temporary:      hostcmd.Temporary,
		Editor:         editor,
		Started:        start,
		Clock:          func() time.Duration { return time.Since(start) },
		Stdin:          os.Stdin,
		Stdout:         os.Stdout,
		Stderr:         os.Stderr,
		StdoutTerminal: isTerminal(os.Stdout),
		StderrTerminal: isTerminal(os.Stderr),
		Columns:        columns(os.Getenv("COLUMNS")),
		ASCII:          cmdline.ASCIIOnly(runtime.GOOS, os.Getenv),
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
		FrontEnd: systemFrontEnd(),
	}
}

// Main runs the command that args ask for, of all that there are, and returns the exit status.
func Main(ctx context.Context, args []string, env *cmdline.Env) int {
	return dispatch.Main(ctx, Commands(), args, env)
}

// Commands returns the commands in the order of the overview.
func Commands() cmdline.Table {
	return cmdline.Table{
		launch.Command, debugcmd.Command, dapcmd.Command, hostcmd.ExecCommand, explorecmd.Command, toolchain.CCCommand, toolchain.CompileCommand, toolchain.LinkCommand, infocmd.Command, toolchain.ISACommand, toolchain.ValidateCommand, toolchain.DisCommand, toolchain.AsmCommand,
		gradecmd.Command, sitecmd.ServeCommand, sitecmd.SiteCommand, conformancecmd.Command, mergecmd.Command, hostcmd.DriverCommand, schemaCommand, dispatch.CompletionCommand, dispatch.VersionCommand, dispatch.HelpCommand,
	}
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

// columns reads the width that a shell says its terminal has; 0 when it says
// none.
func columns(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// systemFrontEnd is the front end of the process, as its environment shapes it.
func systemFrontEnd() cmdline.FrontEnd {
	return clang.New(clang.Options{
		Clang: os.Getenv(cmdline.ClangVariable), Translator: os.Getenv(cmdline.TranslatorVariable), ClangArgs: strings.Fields(os.Getenv(cmdline.FlagsVariable)),
	})
}
