package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// flags is a set of flags that may stand before, between and after the
// positional arguments.
type flags struct {
	*flag.FlagSet
}

// errHelp is what parse returns for -h.
var errHelp = errors.New("help requested")

func newFlags(command string) *flags {
	f := &flags{flag.NewFlagSet(command, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	return f
}

// list is a flag that may be given several times.
type list []string

// String is for the flag package, which prints defaults with it.
func (l *list) String() string { return strings.Join(*l, " ") }

// Set appends a value.
func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// list declares a flag that may be given several times.
func (f *flags) list(name, usage string) *list {
	l := new(list)
	f.Var(l, name, usage)
	return l
}

// parse reads args and returns those that are no flags. What follows "--" is
// positional; so is "-".
func (f *flags) parse(args []string) ([]string, error) {
	help := "help " + f.Name()
	var rest []string
	seen := map[string]bool{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			return append(rest, args...), nil
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			rest = append(rest, arg)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if name == "h" || name == "help" {
			return nil, errHelp
		}
		fl := f.Lookup(name)
		if fl == nil {
			return nil, usagef(help, "%s: %s", f.Name(), f.unknown(name))
		}
		if _, many := fl.Value.(*list); seen[name] && !many {
			return nil, usagef(help, "%s: -%s is given twice", f.Name(), name)
		}
		seen[name] = true
		if b, ok := fl.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			if !hasValue {
				value = "true"
			}
		} else if !hasValue {
			if len(args) == 0 {
				what, _ := flag.UnquoteUsage(fl)
				return nil, usagef(help, "%s: -%s needs a value: -%s %s", f.Name(), name, name, what)
			}
			value, args = args[0], args[1:]
		}
		if err := f.Set(name, value); err != nil {
			return nil, usagef(help, "%s: -%s %s: not %s", f.Name(), name, value, kind(fl))
		}
		if g, ok := fl.Value.(flag.Getter); ok {
			if d, ok := g.Get().(time.Duration); ok && d < 0 {
				return nil, usagef(help, "%s: -%s %s: less than nothing; not %s", f.Name(), name, value, kind(fl))
			}
		}
	}
	return rest, nil
}

// kind says what values a flag takes.
func kind(fl *flag.Flag) string {
	g, ok := fl.Value.(flag.Getter)
	if !ok {
		return "a value it takes"
	}
	switch g.Get().(type) {
	case bool:
		return "true or false"
	case int, uint64:
		return "a whole number in its range"
	case time.Duration:
		return "a duration such as 500ms, 90s or 1m30s"
	}
	return "a value it takes"
}

// unknown says that there is no flag of that name, and which one may be meant.
func (f *flags) unknown(name string) string {
	var names []string
	f.VisitAll(func(fl *flag.Flag) { names = append(names, fl.Name) })
	msg := fmt.Sprintf("there is no flag -%s", name)
	if near := nearest(name, names); near != "" {
		msg += "; did you mean -" + near + "?"
	}
	return msg
}

// usage lists the flags for the help text.
func (f *flags) usage() string {
	var b strings.Builder
	f.VisitAll(func(fl *flag.Flag) {
		what, text := flag.UnquoteUsage(fl)
		head := "-" + fl.Name
		if what != "" {
			head += " " + what
		}
		lines := strings.Split(text, "\n")
		if len(head) < 18 {
			fmt.Fprintf(&b, "  %-18s  %s\n", head, lines[0])
		} else {
			fmt.Fprintf(&b, "  %s\n%22s%s\n", head, "", lines[0])
		}
		for _, line := range lines[1:] {
			fmt.Fprintf(&b, "%22s%s\n", "", line)
		}
	})
	return b.String()
}

// given returns the first of these flags that stands on the command line, or "".
func (f *flags) given(names ...string) string {
	set := map[string]bool{}
	f.Visit(func(fl *flag.Flag) { set[fl.Name] = true })
	for _, name := range names {
		if set[name] {
			return name
		}
	}
	return ""
}
