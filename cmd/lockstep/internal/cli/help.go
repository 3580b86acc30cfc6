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

// enginesText is the help on engines.
const enginesText = `An engine runs the instructions of kernels. All give the same results, findings and
counters, bit for bit; -engine NAME chooses one:

  auto       native, or interp where that cannot work; kernels begin on interp, and go
             on in machine code when they have run for long enough to make it
  native     makes machine code of each kernel, for processors of the amd64 family with
             AVX2 or AVX-512. What it has no code for, interp does
  interp     goes from instruction to instruction; portable, and several times slower

The environment variable LOCKSTEP_CPU narrows what native may use of the processor:
avx2 or avx512 for nothing beyond these, none for no machine code at all.
Where the processor or the system does not allow machine code, auto takes interp;
lockstep run -v says so, and why. -check looks at every instruction, which is
interp's work on either engine; so are accesses that asynchronous copies watch.
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

Kernels that run together take turns in that order (lockstep help pipes).

-schedule takes one of these names, or one of each as ORDER+COMPLETION: reverse+late.
seeded by itself is seeded+seeded.

The same schedule and seed give the same memory, output, counters and findings on
every machine, with any -workers. A finding prints the flags that make it happen
again. What -check finds about copies does not depend on when they complete.
`

const pipesText = `A pipe is a queue of packets of one size. Kernels that pipes connect run together:
each makes progress while the others do, and none has to end before another begins.

  lockstep run k.spv -pipe a=i32:16 -pipe b=i32:16 \
    -kernel source -global 1 -arg pipe:a -arg i32:100 \
    -with -kernel twice -global 1 -arg pipe:a -arg pipe:b -arg i32:100 \
    -with -kernel sink -global 100 -arg pipe:b -arg zero:i32:100 -out 1=-

Pipes of a command
  -pipe NAME=PACKET:CAPACITY[:SPEC] makes a pipe that holds CAPACITY packets; the
  argument pipe:NAME gives an end of it to a kernel. PACKET is bytes or a type: 4,
  f32, f32x4. SPEC is what is in it before: iota:i32:8, in:x.bin, in:- for standard
  input. A pipe that one kernel has for itself needs no name, as in
  -arg pipe:i32:16:iota:i32:8.
  What exceeds the capacity follows while the kernels run; a file may be longer than
  memory. -out INDEX=PATH, or -out NAME=PATH, gives the packets that no kernel has
  read. Where no kernel of the command has the end to read, they are taken out as they
  come, as many as there are; elsewhere these are the packets that are left.

Pipes of the program
  A module can have pipes of its own, which all its kernels share (lockstep info
  lists them). They need no argument, and are empty when a command begins.

Several kernels
  -with begins another kernel: -kernel, -global, -local, -offset, -arg, -out, -spec,
  -repeat and MODULE behind it are about that one, all other flags about all. Without
  a MODULE it is of the module before.
  -repeat N runs the kernel N times at once. In its -kernel, -global, -local, -offset,
  -arg and -out, {i} is the number of the instance, from 0, and {i+1}, {i/4} or
  {i%4+1} what is computed of it, from left to right. -pipe 'c{0..7}=i32:1' makes
  pipes c0 to c7, so that this is a chain:
    -pipe 'c{0..7}=i32:1' -with -repeat 7 -kernel twice … -arg 'pipe:c{i}' -arg 'pipe:c{i+1}'
  -buffer NAME=SPEC makes a buffer, which kernels share as the argument buffer:NAME;
  -out NAME=PATH is for these, too.
  @FILE stands for the arguments in a file: words, or one a line; '…' and "…" keep
  white space, a backslash the character behind it, and # begins a comment. The value
  of a flag is never such a file.

Turns
  Launches that run together take turns on one logical clock, whatever the machine
  has of CPUs. A launch begins with one work-group; when all that have begun wait, or
  no packet has moved for a while, further work-groups join. What waits at a pipe gets
  no turn until something has moved there; a loop that tries again and again gives way
  when it got nothing, and where it never gets anything only -timeout ends it. The host,
  which feeds pipes and takes packets out, takes turns like a kernel.
  -schedule in-order gives turns in the order of the command line, reverse the other
  way round, seeded draws launch, wave and length of each turn from -seed N. The same
  schedule and seed give the same run, with any -workers. Packets are never lost, torn,
  doubled or out of order under any of them; but who gets a packet where several read,
  and what an operation that does not wait finds, are the schedule's choice, and others
  with another -wave, which makes other turns.

The model
  A packet is there for readers when its write, or the reservation that it is in, is
  done, and after all that was reserved before it. Room is free again when the read is
  done, likewise. The work-items of a wave that run a pipe instruction do so one after
  the other, the lowest first. read_pipe and write_pipe give 0, or -1 where there was
  no packet or no room, and never wait; those of SPV_INTEL_blocking_pipes wait.

What is found (lockstep help CODE)
  E-PIPEDEADLOCK   nobody is left to move a packet that somebody waits for: who waits
                   for which pipe, how full it is, and who could have moved it
  E-PIPESIZE       packets of another size than the pipe's
  E-PIPEDIRECTION  use of a pipe through its other end
  E-PIPERESERVE    a reservation that is none, is not the caller's, or is committed
  E-PIPEINDEX      a packet that the reservation does not have
  E-PIPEOPEN       a reservation that is never committed
  E-PIPEUNWRITTEN  a reservation committed with packets that nobody wrote (-check)

-explain pipes shows what went through the pipes, who waited, and who held the others
up; -trace FILE the way of each packet (lockstep help trace).
`

const traceText = `A timeline shows what a launch does on the logical clock of its schedule: when waves
run, where copies are issued, when they move and complete, who waits for them and for
how long, and where barriers open.

  lockstep run k.spv … -schedule paced -explain async
  lockstep run k.spv … -explain pipes
  lockstep run k.spv … -explain memory
  lockstep run k.spv … -explain lanes
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

-explain pipes is for kernels that run together (lockstep help pipes): a picture with
a row for each launch, which runs, waits for packets (r) or for room (w), or gave way
to others (g), as one does that tries again and again; and one for each pipe with how
full it is, in tenths; then for each pipe how many packets who wrote
and read, how full it was on average, and who waited there for how long; and at the
end the bottleneck, for which the others waited most, beyond what it waited itself.

-explain memory is about the accesses of sub-groups to memory. For each load and store
of global memory it prints how many cache lines of 64 bytes the active lanes of a
sub-group touch, how many they would touch at best, and how much of these lines they
use. For local memory it prints how many passes over 32 banks of 4 bytes an access
takes; for atomic operations, how many lanes meet at one address.

-explain lanes prints, for each line of the source, how many instructions sub-groups
issue and how many of their lanes are active in them: where lanes diverge, few are.

-trace FILE writes Chrome's trace event format. Open it at https://ui.perfetto.dev
with "Open trace file" (it stays on your machine), or in Chrome at chrome://tracing:

  process     a work-group
  threads     its waves, with their turns, what they issue and wait for, and async
              marks; its DMA engines, with each copy from its first byte to its last
              (copies of one engine that overtake each other get threads of their own)
  arrows      from a copy's issue to the copy; from the copy that ended a wait to the
              wait. Perfetto draws those of the slice that you click
  1 µs        a tick

Of kernels that run together, a process is a launch, whose threads are the waves of its
work-groups, with their waits at pipes. One more process has the pipes: how many packets
each holds over time, and rows with what was written and read. Arrows lead from the turn
in which packets were written to the one in which they were read, one for each run of
packets that a wave moved without a break.

W and S zoom, A and D move. A click on a copy shows its bytes, lines, source and
destination, event, and the line of source that issued it.

-trace - writes the file to standard output; what the kernel prints then goes to
standard error. A launch that faults leaves the trace up to there. -trace-limit N ends
a trace after N events; a trace that ended says so. With pipes, where an event changes
several rows, a million of them can make a file of 1 GB.
`

const exitText = `exit status
  0   done, and nothing found
  1   the kernel faulted, a check found something, a module breaks a rule, or a
      conformance case failed
  2   wrong usage or input, or a file that cannot be read or written
`
