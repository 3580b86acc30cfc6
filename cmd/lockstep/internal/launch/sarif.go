package launch

import (
	"path/filepath"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// files are those of -sarif, -report and -picture, where they are given.
func (o *Options) files() (list []cmdline.OutFile) {
	for _, f := range []cmdline.OutFile{{Flag: "sarif", Path: o.sarif}, {Flag: "report", Path: o.report}} {
		if f.Path != "" {
			list = append(list, f)
		}
	}
	for _, p := range o.pictures {
		_, path, _ := strings.Cut(p, "=")
		list = append(list, cmdline.OutFile{Flag: "picture", Path: path})
	}
	return list
}

// prepareFiles makes sure before a long run that -sarif, -report and -picture can be written, and not over something else.
func (r *Run) prepareFiles(env *cmdline.Env) error {
	before := []cmdline.OutFile{{Flag: "trace", Path: r.o.trace}}
	for _, f := range r.o.files() {
		if err := f.Check(env, "run", r.o.JSON); err != nil {
			return err
		}
		clean := filepath.Clean(f.Path)
		if f.Path == "-" {
			for _, out := range r.Printed() {
				return cmdline.Usagef("help run", "run: -%s - and -out %s both want standard output; give one of them a file", f.Flag, out)
			}
		} else if what := r.inputs[clean]; what != "" {
			return cmdline.Usagef("help run", "run: -%s %s: the file is also read, as %s; write to another one", f.Flag, f.Path, what)
		}
		for _, l := range r.Launches {
			if f.Path != "-" && filepath.Clean(l.Part.Path) == clean {
				return cmdline.Usagef("help run", "run: -%s %s: the file is also read, as a module; write to another one", f.Flag, f.Path)
			}
		}
		for _, other := range before {
			switch {
			case other.Path == "" || filepath.Clean(other.Path) != clean:
			case f.Path == "-":
				return cmdline.Usagef("help run", "run: -%s - and -%s - both want standard output; give one of them a file", f.Flag, other.Flag)
			default:
				return cmdline.Usagef("help run", "run: -%s %s: -%s writes to the same file", f.Flag, f.Path, other.Flag)
			}
		}
		before = append(before, f)
	}
	return nil
}

// writeSARIF writes what -sarif asks for.
func (r *Run) writeSARIF(env *cmdline.Env, res *outcome, found bool) error {
	if r.o.sarif == "" {
		return nil
	}
	about := finding.SARIFRun{Command: r.again(), Completed: true, Module: func(kernel string) string {
		for _, l := range r.Launches {
			if l.Kernel.Name() == kernel {
				return l.Part.Path
			}
		}
		return ""
	}}
	for i := range res.Findings.Findings {
		c := res.Findings.Findings[i].Code
		about.Completed = about.Completed && c != finding.TimeLimit && c != finding.Cancelled
	}
	return cmdline.SaveSARIF(env, r.o.sarif, &res.Findings, about, found)
}

// again is the command line of this run, with what findings add to it, also where there
// are none.
func (r *Run) again() string {
	words := []string{r.reproduce}
	if s := r.Schedule.String(); s != "" {
		words = append(words, s)
	}
	if r.o.Check {
		words = append(words, "-check")
		if r.o.Benign {
			words = append(words, "-benign")
		}
	}
	if r.parallel == emu.ParallelAlways {
		words = append(words, "-parallel always")
	}
	return strings.Join(words, " ")
}
