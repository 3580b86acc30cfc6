package cmdline

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Command is one of lockstep's subcommands.
type Command struct {
	Name  string
	Args  string // what follows the flags in the usage line
	Text  bool   // standard output is text for people, unless -json is given
	Short string // one line for the overview
	Long  string // what `lockstep help NAME` says below the usage line
	// Setup declares the command's flags and returns what runs it. The
	// positional arguments are checked by the command.
	Setup func(f *Flags) func(ctx context.Context, env *Env, args []string) error
}

// Table has commands, in the order of the overview.
type Table []*Command

// Lookup returns the command of a name, or nil.
func (t Table) Lookup(name string) *Command {
	for _, c := range t {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// WantsJSON says whether a command line asks for a document, for errors that come
// before its flags have been read.
func (t Table) WantsJSON(args []string) bool {
	if len(args) == 0 {
		return false
	}
	c := t.Lookup(args[0])
	if c == nil {
		return false
	}
	f := NewFlags(c.Name)
	c.Setup(f)
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
	c := t.Lookup(commandName)
	if c == nil {
		return false, false
	}
	f := NewFlags(c.Name)
	c.Setup(f)
	if f.Parts != nil && slices.Contains(f.Parts.Separators, name) {
		return true, false
	}
	fl := f.Lookup(name)
	if fl == nil {
		return false, false
	}
	b, ok := fl.Value.(interface{ IsBoolFlag() bool })
	return true, !ok || !b.IsBoolFlag()
}

// UsageError is a command line that makes no sense.
type UsageError struct {
	Message string
	Help    string // what to type for help
}

func (e *UsageError) Error() string {
	if e.Help == "" {
		return e.Message
	}
	return e.Message + "\n(`lockstep " + e.Help + "` explains)"
}

// Usagef returns an error of usage; help is what to type behind lockstep for an explanation.
func Usagef(help, format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...), help}
}

// ExitStatus ends a command with a status of its own. What there was to say has been said.
type ExitStatus int

func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// ErrFound ends a command with ExitFinding. What was found has been printed.
var ErrFound = errors.New("findings")

// ErrTimeLimit is the ErrFound of a command that -timeout ended before a kernel began.
var ErrTimeLimit = fmt.Errorf("time limit: %w", ErrFound)
