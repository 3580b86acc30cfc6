package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// outFile is a flag that names a file for something about the run.
type outFile struct{ flag, path string }

// check makes sure before any work that a command can write the file.
func (f outFile) check(env *Env, command string, json bool) error {
	if f.path == "-" {
		if json {
			return usagef("help "+command, "%s: -%s - and -json both want standard output; give -%s a file", command, f.flag, f.flag)
		}
		return nil
	}
	dir := filepath.Dir(f.path)
	if info, err := env.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("-%s %s: there is no folder %s", f.flag, f.path, dir)
	}
	return nil
}

// files are those of -sarif, -report and -picture, where they are given.
func (o *runOptions) files() (list []outFile) {
	for _, f := range []outFile{{"sarif", o.sarif}, {"report", o.report}} {
		if f.path != "" {
			list = append(list, f)
		}
	}
	for _, p := range o.pictures {
		_, path, _ := strings.Cut(p, "=")
		list = append(list, outFile{"picture", path})
	}
	return list
}

// prepareFiles makes sure before a long run that -sarif, -report and -picture can be written, and not over something else.
func (r *run) prepareFiles(env *Env) error {
	before := []outFile{{"trace", r.o.trace}}
	for _, f := range r.o.files() {
		if err := f.check(env, "run", r.o.json); err != nil {
			return err
		}
		clean := filepath.Clean(f.path)
		if f.path == "-" {
			for _, out := range r.printed() {
				return usagef("help run", "run: -%s - and -out %s both want standard output; give one of them a file", f.flag, out)
			}
		} else if what := r.inputs[clean]; what != "" {
			return usagef("help run", "run: -%s %s: the file is also read, as %s; write to another one", f.flag, f.path, what)
		}
		for _, l := range r.launches {
			if f.path != "-" && filepath.Clean(l.part.path) == clean {
				return usagef("help run", "run: -%s %s: the file is also read, as a module; write to another one", f.flag, f.path)
			}
		}
		for _, other := range before {
			switch {
			case other.path == "" || filepath.Clean(other.path) != clean:
			case f.path == "-":
				return usagef("help run", "run: -%s - and -%s - both want standard output; give one of them a file", f.flag, other.flag)
			default:
				return usagef("help run", "run: -%s %s: -%s writes to the same file", f.flag, f.path, other.flag)
			}
		}
		before = append(before, f)
	}
	return nil
}

// writeSARIF writes what -sarif asks for.
func (r *run) writeSARIF(env *Env, res *outcome, found bool) error {
	if r.o.sarif == "" {
		return nil
	}
	about := finding.SARIFRun{Command: r.again(), Completed: true, Module: func(kernel string) string {
		for _, l := range r.launches {
			if l.kernel.Name() == kernel {
				return l.part.path
			}
		}
		return ""
	}}
	for i := range res.findings.Findings {
		c := res.findings.Findings[i].Code
		about.Completed = about.Completed && c != finding.TimeLimit && c != finding.Cancelled
	}
	return saveSARIF(env, r.o.sarif, &res.findings, about, found)
}

// again is the command line of this run, with what findings add to it, also where there
// are none.
func (r *run) again() string {
	words := []string{r.reproduce}
	if s := r.schedule.String(); s != "" {
		words = append(words, s)
	}
	if r.o.check {
		words = append(words, "-check")
		if r.o.benign {
			words = append(words, "-benign")
		}
	}
	if r.parallel == emu.ParallelAlways {
		words = append(words, "-parallel always")
	}
	return strings.Join(words, " ")
}

// saveSARIF writes findings to the file of -sarif.
func saveSARIF(env *Env, path string, list *finding.List, about finding.SARIFRun, found bool) error {
	about.Version = emu.Version
	if found {
		about.ExitCode = ExitFinding
	}
	module := about.Module
	about.Module = func(kernel string) string {
		if path := module(kernel); path != "-" {
			return path
		}
		return "" // standard input has no name
	}
	data, err := list.SARIF(about)
	if err == nil {
		err = writeFile(env, path, func(w io.Writer) error {
			_, err := w.Write(append(indentJSON(nil, bytes.TrimSpace(data)), '\n'))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("-sarif %s: %w", path, err)
	}
	return nil
}

// ruleText describes a rule of modules.
func ruleText(c finding.Code) finding.Description {
	for _, r := range validate.Rules() {
		if r.Name == string(c) {
			section, env := strings.CutPrefix(r.Section, "env ")
			from := "SPIR-V Specification"
			if env {
				from = "OpenCL SPIR-V Environment Specification"
			}
			return finding.Description{Code: c, Title: r.Text, Text: fmt.Sprintf("%s (%s, section %s)", r.Text, from, section)}
		}
	}
	return finding.Description{}
}

// brokenFindings are broken rules as findings, for SARIF.
func brokenFindings(broken validate.Errors) *finding.List {
	list := new(finding.List)
	for _, e := range broken {
		f := finding.Finding{Code: finding.Code(e.Rule), Severity: finding.Error, Message: e.Message, Place: finding.Place{Word: uint32(e.Offset)}, Count: 1}
		if e.Offset > 0 {
			f.Place.Instruction = e.Op.String()
		}
		if e.Name != "" {
			f.Notes = []string{fmt.Sprintf("%%%d is %s", e.ID, e.Name)}
		}
		list.Findings = append(list.Findings, f)
	}
	return list
}
