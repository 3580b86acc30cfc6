package dispatch

import (
	"context"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// HelpCommand is lockstep help.
var HelpCommand = &cmdline.Command{
	Name:  "help",
	Args:  "[COMMAND|TOPIC [NAME]]",
	Short: "explain a command or a topic",
	Text:  true,
	Setup: func(*cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		return func(_ context.Context, env *cmdline.Env, args []string) error {
			text := overview(env.Commands)
			switch {
			case len(args) == 2 && details(args[0]) != nil:
				var err error
				if text, err = details(args[0])(args[1]); err != nil {
					return err
				}
			case len(args) > 1:
				return cmdline.Usagef("help", "help: one command or topic at a time")
			case len(args) == 1:
				var ok bool
				if text, ok = explain(env.Commands, args[0]); !ok {
					return cmdline.Usagef("help", "help: nothing is known about %q%s", args[0], suggestion(env.Commands, args[0]))
				}
			}
			_, err := fmt.Fprint(env.Stdout, text)
			return err
		}
	},
}

// topic is a help text that is not about one command.
type topic struct {
	name, short string
	text        func() string
	// detail is what there is about one name; nil for most.
	detail func(name string) (string, error)
}

func topics() []topic {
	return []topic{
		{"args", "how kernel arguments are given", argspec.Help, nil},
		{"codes", "what can be found, by code", codes, nil},
		{"opencl", "the compiler of OpenCL C, and its options", openclText, nil},
		{"builtins", "the built-in functions of OpenCL C", builtinsText, builtinText},
		{"warnings", "the warnings of the compiler", warningsText, warningText},
		{"passes", "the passes that make bytecode, and pipelines of them", loader.PassesText, nil},
		{"engines", "what runs the instructions, and how fast", func() string { return enginesText }, nil},
		{"schedules", "the orders in which work-groups run and copies complete", func() string { return schedulesText }, nil},
		{"memory", "what the memory model of OpenCL allows beyond interleavings", func() string { return memoryText }, nil},
		{"pipes", "kernels that run together, connected by pipes", func() string { return pipesText }, nil},
		{"trace", "how to look at a run: timelines for Perfetto and for a terminal", func() string { return traceText }, nil},
		{"stats", "counters, and counts by line of the source", func() string { return statsText }, nil},
		{"json", "the documents of -json", func() string { return JSONText }, nil},
		{"output", "colours, characters and how much is said", func() string { return outputText }, nil},
		{"exit", "exit statuses", func() string { return exitText }, nil},
	}
}

// details returns what explains the names of a topic, nil if it has none.
func details(name string) func(string) (string, error) {
	if to := aliases[name]; to != "" {
		name = to
	}
	for _, t := range topics() {
		if t.name == name {
			return t.detail
		}
	}
	return nil
}

// aliases are other names of topics.
var aliases = map[string]string{
	"arg": "args", "argument": "args", "arguments": "args", "spec": "args", "out": "args",
	"code": "codes", "error": "codes", "errors": "codes", "finding": "codes", "findings": "codes", "check": "codes",
	"cl": "opencl", "clang": "opencl", "source": "opencl", "options": "opencl",
	"builtin": "builtins", "function": "builtins", "functions": "builtins", "warning": "warnings", "pass": "passes", "pipeline": "passes",
	"engine": "engines", "native": "engines", "interp": "engines",
	"schedule": "schedules", "order": "schedules", "seed": "schedules", "dma": "schedules",
	"memory-model": "memory", "weak": "memory", "choices": "memory", "atomics": "memory", "fences": "memory",
	"pipe": "pipes", "with": "pipes", "explain": "trace", "timeline": "trace", "perfetto": "trace",
	"counters": "stats", "counter": "stats", "divergence": "stats", "conflicts": "stats", "coalescing": "stats",
	"color": "output", "colour": "output", "colors": "output", "colours": "output", "quiet": "output", "ascii": "output",
	"status": "exit", "race": "E-ASYNCRACE", "races": "E-ASYNCRACE", "bounds": "E-OOB", "deadlock": "E-BARRIER", "complete": "completion",
}

// suggestion is what may have been meant by a name that help does not know.
func suggestion(commands cmdline.Table, name string) string {
	name = strings.ToLower(name)
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	for _, t := range topics() {
		names = append(names, t.name)
	}
	for a := range aliases {
		names = append(names, a)
	}
	for _, c := range finding.Codes() {
		names = append(names, strings.ToLower(string(c)), strings.ToLower(strings.TrimPrefix(string(c), "E-")))
	}
	near := cmdline.Nearest(name, names)
	if near == "" {
		return ""
	}
	if to := aliases[near]; to != "" {
		near = to
	}
	for _, c := range []string{strings.ToUpper(near), "E-" + strings.ToUpper(near)} {
		if _, ok := finding.Describe(finding.Code(c)); ok && commands.Lookup(near) == nil {
			near = c
		}
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// explain is the help text of a command, a topic or a finding's code.
func explain(commands cmdline.Table, name string) (string, bool) {
	if c := commands.Lookup(name); c != nil {
		return help(c), true
	}
	for _, t := range topics() {
		if t.name == name {
			return t.text(), true
		}
	}
	for _, code := range []string{name, "E-" + name} {
		if d, ok := finding.Describe(finding.Code(strings.ToUpper(code))); ok {
			return describe(d), true
		}
	}
	if strings.HasPrefix(name, "-") {
		return explainFlag(commands, strings.TrimLeft(name, "-"))
	}
	if to := aliases[strings.ToLower(name)]; to != "" {
		return explain(commands, to)
	}
	return "", false
}

// explainFlag is what the help texts of commands say about a flag.
func explainFlag(commands cmdline.Table, name string) (string, bool) {
	var b strings.Builder
	for _, c := range commands {
		f := cmdline.NewFlags(c.Name)
		c.Setup(f)
		if f.Lookup(name) != nil {
			fmt.Fprintf(&b, "lockstep %s\n%s", c.Name, f.UsageTextOf(name))
		}
	}
	for _, o := range clc.AllOptions() {
		if word := strings.TrimPrefix(o.Word(), "-"); word == name || word == name+"=" {
			fmt.Fprintf(&b, "an option of the compiler of OpenCL C (lockstep help opencl)\n  %s\n%22s%s\n", o.Name, "", o.Help)
		}
	}
	if text, err := warningText("-" + name); err == nil && strings.HasPrefix(name, "W") {
		b.WriteString(text)
	}
	return b.String(), b.Len() > 0
}

func overview(commands cmdline.Table) string {
	var b strings.Builder
	b.WriteString("lockstep is a software GPU: it runs OpenCL kernels, as OpenCL C or compiled to SPIR-V.\n\n")
	b.WriteString("  lockstep COMMAND [flags] [arguments]\n\ncommands\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-12s %s\n", c.Name, c.Short)
	}
	b.WriteString("\ntopics\n")
	for _, t := range topics() {
		fmt.Fprintf(&b, "  %-12s %s\n", t.name, t.short)
	}
	b.WriteString("\n`lockstep help NAME` explains a command, a topic or a code such as E-OOB.\n")
	return b.String()
}

// help is the help text of a command.
func help(c *cmdline.Command) string {
	f := cmdline.NewFlags(c.Name)
	c.Setup(f)
	var b strings.Builder
	fmt.Fprintf(&b, "lockstep %s", c.Name)
	if c.Args != "" {
		fmt.Fprintf(&b, " %s", c.Args)
	}
	usage := f.UsageText()
	if usage != "" {
		b.WriteString(" [flags]")
	}
	fmt.Fprintf(&b, "\n\n%s", c.Long)
	if usage != "" {
		fmt.Fprintf(&b, "\nflags\n%s", usage)
	}
	return b.String()
}

func codes() string {
	var b strings.Builder
	b.WriteString("What lockstep finds, by code. Codes are stable. Those marked with * are looked for\nwith -check only.\n\n")
	for _, c := range finding.Codes() {
		d, _ := finding.Describe(c)
		mark := " "
		if d.Checked {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %-16s %s\n", mark, c, d.Title)
	}
	b.WriteString("\n`lockstep help CODE` says more about one.\n")
	return b.String()
}

func describe(d finding.Description) string {
	text := fmt.Sprintf("%s: %s\n\n%s\n", d.Code, d.Title, cmdline.Wrap(d.Text, 84))
	if d.Checked {
		text += "\nIt is looked for with -check only.\n"
	}
	return text
}

const outputText = `Results go to standard output: what kernels print, -out, documents and tables. Everything
else goes to standard error: findings, notes and progress.

  -q               of lockstep run: no notes and no progress, and each finding in one line
  -v               what is run, and the SPIR-V instruction of each finding
  -color WHEN      colours in findings: auto, always or never. auto colours on a terminal,
                   unless the environment variable NO_COLOR is set or TERM is dumb
  -json            one document on standard output (lockstep help json)

Texts have characters beyond ASCII, such as the sign of multiplication, where the locale
has them: LC_ALL, LC_CTYPE or LANG, the first that is set, names UTF-8. Otherwise ASCII
characters stand for them, as x does, and \u{NUMBER} for characters of names. Windows and
macOS take UTF-8 where none of the variables is set. What kernels print, and documents, stay
as they are.

A finding shows the line of source with a mark below the place; the lines below say more:

  note         what memory, which work-item, who else has a part in it, and how often
  help         what to do about it
  reproduce    the command that makes it happen again

The last line counts the findings. lockstep completion prints a script for your shell.
`
