package dispatch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// Main runs the command of a table that args ask for and returns the exit status. When ctx
// is done the command ends as soon as it can.
func Main(ctx context.Context, commands cmdline.Table, args []string, env *cmdline.Env) int {
	inner := *env
	inner.Commands = commands
	inner.JSON = &cmdline.JSONState{Wanted: commands.WantsJSON(args)}
	out := bufio.NewWriterSize(env.Stdout, 64<<10)
	if !env.StdoutTerminal {
		inner.Stdout = out
	}
	var texts *cmdline.ASCIIWriter
	if env.ASCII {
		texts = &cmdline.ASCIIWriter{To: env.Stderr}
		inner.Stderr = texts
	}
	err := dispatch(ctx, args, &inner)
	if err != nil && inner.JSON.Wanted && !inner.JSON.Written {
		err = errors.Join(err, inner.WriteErrorDocument(args, err))
	}
	if ferr := out.Flush(); ferr != nil && (err == nil || errors.Is(err, cmdline.ErrFound)) {
		err = fmt.Errorf("standard output: %w", ferr)
	}
	if texts != nil {
		defer func() { _ = texts.Flush() }() // what cannot be written cannot be told
	}
	var program cmdline.ExitStatus
	switch {
	case err == nil:
		return cmdline.ExitDone
	case errors.Is(err, cmdline.ErrFound):
		return cmdline.ExitFinding
	case errors.As(err, &program):
		return int(program)
	}
	fmt.Fprintf(inner.Stderr, "lockstep: %s\n", cmdline.Harmless(err))
	return cmdline.ExitUsage
}

func dispatch(ctx context.Context, args []string, env *cmdline.Env) error {
	if len(args) == 0 {
		fmt.Fprint(env.Stderr, overview(env.Commands))
		return cmdline.Usagef("", "no command given")
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
	c := env.Commands.Lookup(name)
	if c == nil {
		var names []string
		for _, c := range env.Commands {
			names = append(names, c.Name)
		}
		msg := fmt.Sprintf("there is no command %q", name)
		if near := cmdline.Nearest(name, names); near != "" {
			msg += fmt.Sprintf("; did you mean %q?", near)
		} else if _, err := env.Stat(name); err == nil {
			msg += fmt.Sprintf("; to run the kernel in a file: lockstep run %s", name)
		}
		return cmdline.Usagef("help", "%s", msg)
	}
	if n := len(args); c.Name == "help" && (n == 2 || n == 3) && len(args[n-1]) > 1 && args[n-1] != "-h" && !strings.HasPrefix(args[n-1], "--") {
		args = slices.Insert(slices.Clone(args), 1, "--") // a flag to explain is no flag of help
	}
	f := cmdline.NewFlags(c.Name)
	run := c.Setup(f)
	if f.Parts != nil {
		f.Read = func(path string) ([]byte, error) { return cmdline.ReadFile(env, path) }
	}
	rest, err := f.ParseWords(args[1:])
	if errors.Is(err, cmdline.ErrHelp) {
		fmt.Fprint(env.Text(env.Stdout), help(c))
		return nil
	}
	if err != nil {
		return err
	}
	if json := f.Lookup("json"); json != nil {
		env.JSON.Wanted = json.Value.String() == "true"
	}
	if f.Source != nil {
		if err := f.Source.Check(c.Name); err != nil {
			return err
		}
		if color := f.Lookup("color"); color != nil {
			f.Source.Color = color.Value.String()
		}
		env.Source = f.Source
	}
	if c.Text && !env.JSON.Wanted {
		text := *env
		text.Stdout = env.Text(env.Stdout)
		env = &text
	}
	return run(ctx, env, rest)
}
