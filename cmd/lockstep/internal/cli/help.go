package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// helpCommand is filled in by init, for it refers to the table that holds it.
var helpCommand = &command{
	name:  "help",
	args:  "[COMMAND|TOPIC]",
	short: "explain a command or a topic",
}

func init() {
	helpCommand.setup = func(*flags) func(context.Context, *Env, []string) error {
		return func(_ context.Context, env *Env, args []string) error {
			if len(args) > 1 {
				return usagef("help", "help: one command or topic at a time")
			}
			text := overview()
			if len(args) == 1 {
				var ok bool
				if text, ok = explain(args[0]); !ok {
					return usagef("help", "help: nothing is known about %q", args[0])
				}
			}
			_, err := fmt.Fprint(env.Stdout, text)
			return err
		}
	}
}

// topic is a help text that is not about one command.
type topic struct {
	name, short string
	text        func() string
}

func topics() []topic {
	return []topic{
		{"args", "how kernel arguments are given", argspec.Help},
		{"codes", "what can be found, by code", codes},
		{"opencl", "how to make a module of OpenCL C", func() string { return compileText }},
		{"passes", "the passes that make bytecode, and pipelines of them", passesText},
		{"engines", "what runs the instructions, and how fast", func() string { return enginesText }},
		{"schedules", "the orders in which work-groups run and copies complete", func() string { return schedulesText }},
		{"pipes", "kernels that run together, connected by pipes", func() string { return pipesText }},
		{"trace", "how to look at a run: timelines for Perfetto and for a terminal", func() string { return traceText }},
		{"exit", "exit statuses", func() string { return exitText }},
	}
}

// explain is the help text of a command, a topic or a finding's code.
func explain(name string) (string, bool) {
	if c := lookup(name); c != nil {
		return c.help(), true
	}
	for _, t := range topics() {
		if t.name == name {
			return t.text(), true
		}
	}
	if d, ok := finding.Describe(finding.Code(strings.ToUpper(name))); ok {
		return describe(d), true
	}
	return "", false
}

func overview() string {
	var b strings.Builder
	b.WriteString("lockstep is a software GPU: it runs OpenCL kernels, compiled to SPIR-V.\n\n")
	b.WriteString("  lockstep COMMAND [flags] [arguments]\n\ncommands\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-12s %s\n", c.name, c.short)
	}
	b.WriteString("\ntopics\n")
	for _, t := range topics() {
		fmt.Fprintf(&b, "  %-12s %s\n", t.name, t.short)
	}
	b.WriteString("\n`lockstep help NAME` explains a command, a topic or a code such as E-OOB.\n")
	return b.String()
}

// help is the help text of a command.
func (c *command) help() string {
	f := newFlags(c.name)
	c.setup(f)
	var b strings.Builder
	fmt.Fprintf(&b, "lockstep %s", c.name)
	if c.args != "" {
		fmt.Fprintf(&b, " %s", c.args)
	}
	usage := f.usage()
	if usage != "" {
		b.WriteString(" [flags]")
	}
	fmt.Fprintf(&b, "\n\n%s", c.long)
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
	text := fmt.Sprintf("%s: %s\n\n%s\n", d.Code, d.Title, wrap(d.Text, 84))
	if d.Checked {
		text += "\nIt is looked for with -check only.\n"
	}
	return text
}

// wrap breaks text into lines of at most width bytes.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

const compileText = `lockstep runs SPIR-V. clang and the LLVM/SPIR-V translator make it of OpenCL C, on
Debian after

  apt-get install clang-15 llvm-spirv-15

with

  clang-15 -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O2 \
    -gline-tables-only -fno-discard-value-names -Xclang -finclude-default-header \
    k.cl -o k.bc
  llvm-spirv-15 k.bc -o k.spv

-gline-tables-only puts positions in the source into diagnostics, and
-fno-discard-value-names the names of parameters. -cl-std may be CL1.2 or CL3.0,
the target spir-unknown-unknown for 32-bit pointers, and -O any level. Where bits
are compared with another machine, add -ffp-contract=off: without it, products and
sums may be fused by the compiler. Newer versions of clang and llvm-spirv do as well.
`
