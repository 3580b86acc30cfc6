package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/finding"
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
		{"schedules", "the orders in which work-groups run and copies complete", func() string { return schedulesText }},
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

const schedulesText = `OpenCL lets work-groups, and the sub-groups of a work-group, run in any order, and an
asynchronous copy may be done at any time between its issue and the wait for it. A
correct kernel does not depend on either; -schedule picks, so that those that do can
be caught, and caught again.

The order of work-groups, and of the waves in them:

  in-order   ascending numbers; work-groups run on several CPUs where nobody can see
             that (the default)
  reverse    descending numbers
  seeded     an order drawn from -seed N; another N, another order

When asynchronous copies complete:

  early      as soon as they are issued (the default)
  late       when something waits for them, at the end of the work-group, or when the
             queue is full
  paced      as -dma-engines N engines move -dma-step BYTES a tick each; what makes a
             timeline worth looking at (lockstep help trace)
  seeded     at times drawn from -seed N: copies overtake each other, and the lines of
             one land in any order

-schedule takes one of these names, or one of each as ORDER+COMPLETION: reverse+late.
seeded by itself is seeded+seeded.

The same schedule and seed give the same memory, output, counters and findings on
every machine, with any -workers. A finding prints the flags that make it happen
again. What -check finds about copies does not depend on when they complete.
`

const traceText = `A timeline shows what a launch does on the logical clock of its schedule: when waves
run, where copies are issued, when they move and complete, who waits for them and for
how long, and where barriers open.

  lockstep run k.spv … -schedule paced -explain async
  lockstep run k.spv … -schedule paced -trace k.json

Time is ticks: one for each instruction that a wave issues, more where it waits for a
copy. Waves of a work-group take turns on one clock, and while a launch is traced its
work-groups run one after the other. No clock of the machine is involved: the same run
gives the same file. It is no GPU's timing; -dma-engines, -dma-queue and -dma-step
shape what copies. In the schedule early, the default, copies take no time; paced
shows them best.

-explain async prints, for each of the first four work-groups, what happened at which
tick and in which line, and a picture with a row for each wave and each DMA engine; at
the end, for all of them, how much was copied, how much of that time waves computed,
and how long they stood still. A wait for event 3 is for its copies; one until marks
≤ 1 is for what the work-items copied before their last async mark but one. COLUMNS
from 80 to 120 widen the picture.

-trace FILE writes Chrome's trace event format. Open it at https://ui.perfetto.dev
with "Open trace file" (it stays on your machine), or in Chrome at chrome://tracing:

  process     a work-group
  threads     its waves, with their turns, what they issue and wait for, and async
              marks; its DMA engines, with each copy from its first byte to its last
              (copies of one engine that overtake each other get threads of their own)
  arrows      from a copy's issue to the copy; from the copy that ended a wait to the
              wait. Perfetto draws those of the slice that you click
  1 µs        a tick

W and S zoom, A and D move. A click on a copy shows its bytes, lines, source and
destination, event, and the line of source that issued it.

-trace - writes the file to standard output; what the kernel prints then goes to
standard error. A launch that faults leaves the trace up to there. -trace-limit N ends
a trace after N events; a trace that ended says so.
`

const exitText = `exit status
  0   done, and nothing found
  1   the kernel faulted, a check found something, a module breaks a rule, or a
      conformance case failed
  2   wrong usage or input, or a file that cannot be read or written
`
