package loader

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// passFlags are the flags that say which passes compile a module and what is to
// be seen of them.
type passFlags struct {
	passes        *string
	before, after *string
	changed       *bool
	times         *bool
	verify        *bool
}

// Passes declares the flags.
func Passes(f *cmdline.Flags) *passFlags {
	p := &passFlags{
		passes:  f.String("passes", "default", "run these passes, `P,…`: see lockstep help passes"),
		before:  f.String("print-before", "", "print kernels on standard error before these passes, `P,…`; all\nis every pass"),
		after:   f.String("print-after", "", "print kernels on standard error after these passes, `P,…`; all\nis every pass"),
		changed: f.Bool("print-changed", false, "print kernels on standard error after each pass that changed them"),
		times:   f.Bool("time-passes", false, "print on standard error how long passes took"),
		verify:  f.Bool("verify-each", false, "check kernels after each pass"),
	}
	return p
}

// Machinery returns what the flags ask for, and a function to call when the module
// is compiled.
func (p *passFlags) Machinery(env *cmdline.Env, command string) (set func(*emu.ProgramOptions), done func() error, err error) {
	help := "help passes"
	m := lower.NewPassMachinery()
	if err := m.SetPasses(*p.passes); err != nil {
		return nil, nil, cmdline.Usagef(help, "%s: -passes: %v", command, err)
	}
	w := &m.Instrument
	for _, x := range []struct {
		flag, value string
		to          *[]string
	}{{"print-before", *p.before, &w.Before}, {"print-after", *p.after, &w.After}} {
		if x.value == "" {
			continue
		}
		for name := range strings.SplitSeq(x.value, ",") {
			name = strings.TrimSpace(name)
			if _, ok := m.Lookup(name); !ok && name != lower.AllPasses {
				var names []string
				for _, p := range m.Passes() {
					names = append(names, p.Name)
				}
				msg := fmt.Sprintf("there is no pass %q", name)
				if near := cmdline.Nearest(name, names); near != "" {
					msg += "; did you mean " + near + "?"
				}
				return nil, nil, cmdline.Usagef(help, "%s: -%s: %s", command, x.flag, msg)
			}
			*x.to = append(*x.to, name)
		}
	}
	w.Changed = *p.changed
	if w.Before != nil || w.After != nil || w.Changed {
		w.Out = env.Stderr
	}
	done = func() error { return nil }
	if *p.times {
		w.Clock, w.Times = env.Clock, &lower.PassTimes{}
		if w.Clock == nil {
			w.Clock = func() time.Duration { return 0 }
		}
		done = func() error { return w.Times.WriteText(env.Stderr) }
	}
	return func(o *emu.ProgramOptions) { o.Passes, o.VerifyEach = m, *p.verify }, done, nil
}

// ListPasses is the table of the passes.
func ListPasses() string {
	var b strings.Builder
	m := lower.NewPassMachinery()
	row := func(mark, name, doc string) { fmt.Fprintf(&b, "%s %-12s %s\n", mark, name, doc) }
	for _, p := range m.Passes() {
		mark := " "
		if p.Fixed() {
			mark = "*"
		}
		row(mark, p.Name, p.Doc)
		if p.Needs != 0 || p.Keeps != 0 {
			row(" ", "", fmt.Sprintf("  needs %s; keeps %s", p.Needs, p.Keeps))
		}
	}
	b.WriteString("\nThose marked with * always run, at their places. The default pipeline is\n\n")
	line := "  "
	for i, name := range m.Default().Flat() {
		if i > 0 {
			line += ","
		}
		if len(line)+len(name) > 84 {
			b.WriteString(line + "\n")
			line = "  "
		}
		line += name
	}
	b.WriteString(line + "\n")
	return b.String()
}

// PassesText is the help topic.
func PassesText() string {
	return `Each kernel goes through passes on its way from SPIR-V to bytecode: build reads it into
SSA form over scalars, a pipeline of passes makes it better, diverge and emit make
bytecode of it, and describe notes what it uses.

` + ListPasses() + `
-passes has another pipeline: names separated by commas, default for the default
pipeline, repeat<N>(…) for passes that run N times. It may be empty. Results are the same
with any pipeline; speed and the instructions that a kernel takes are not.

  lockstep isa k.spv -passes=promote,simplify -print-after=simplify
  lockstep isa k.spv '-passes=repeat<2>(default)' -print-changed -verify-each

-print-before, -print-after and -print-changed show kernels on their way. A value that
differs by lane is called v7, one that is the same for all lanes %7, as far as that is
known. -time-passes is the only thing that depends on a clock.

The environment variable LOCKSTEP_VALIDATE=N validates the first N launches of each
kernel, also in Go programs and behind the OpenCL driver. The kernel then runs on the
reference engine in the form that it has behind each pass, always from the same memory,
and as machine code. The first pass behind which memory, printf output or faults differ
is named by the finding E-PASSDIFF, with the argument and the word that differ, and the
exit status is 1; E-ENGINEDIFF is about machine code. Where forms differ, but -check finds
something in the kernel, or other orders of work-groups and other waves give other results,
or atomic operations give results that depend on their order, nothing is reported: results
may differ then. lockstep run -v says what was compared. Launches with -check, with pipes
or with weak memory are not validated, and those that fault only up to there.

  LOCKSTEP_VALIDATE=1 lockstep run -v k.cl -global 64 -arg zero:i32:64
`
}
