package explorecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/explore"
	"github.com/lockstep-gpu/lockstep/internal/words"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// ExhaustiveDocument is the JSON document of lockstep explore -exhaustive.
type ExhaustiveDocument struct {
	Module string `json:"module"`
	Kernel string `json:"kernel"`
	Check  bool   `json:"check"`
	Agree  bool   `json:"agree"`
	Memory string `json:"memory"` // "sequential" or "weak"
	explore.Exhaustive
	Diagnostics []clc.Diagnostic `json:"diagnostics,omitempty"` // of sources

	command string // of lockstep run, without the choices of an outcome
	ended   error  // why not all interleavings were run
	limit   int    // of interleavings
}

// enumerate runs all interleavings and reports.
func (x *exploration) enumerate(ctx context.Context, env *cmdline.Env) error {
	l := x.base.Launches[0]
	p := x.watch(env)
	res, err := x.explorer.Exhaustive(ctx, explore.ExhaustiveOptions{
		Executions: x.runs, Steps: x.steps, Progress: func(n, outcomes int) { p.update(n, x.runs, outcomes) },
	})
	p.clear()
	switch {
	case errors.Is(err, emu.ErrNotInterleaved):
		return cmdline.Usagef("help explore", "explore: -exhaustive: %v", err)
	case errors.Is(err, emu.ErrNotWeak):
		return launch.ModelError("explore", err)
	case res == nil:
		return launch.ExplainLimit(err)
	}
	doc := &ExhaustiveDocument{Module: l.Part.Path, Kernel: l.Kernel.Name(), Check: x.run.Check, Agree: res.Agree(), Exhaustive: *res, Memory: x.base.Memory.String(), command: x.command, ended: err, limit: x.runs}
	if x.run.Check {
		doc.command += " -check"
	}
	doc.Diagnostics = env.JSON.Diagnostics
	err = x.Write(env, "explore-exhaustive", doc, x.style(env))
	if len(x.base.Outs) > 0 && !x.JSON {
		x.base.Note(env, "-out is not written: -exhaustive prints what outcomes differ in")
	}
	if err == nil && !res.OK() {
		err = cmdline.ErrFound
	}
	return err
}

// WriteText writes the report for people.
func (d *ExhaustiveDocument) WriteText(w io.Writer, style batch.Style) error {
	var b strings.Builder
	b.WriteString(d.headline())
	if !style.Quiet {
		d.writeBody(&b, style)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeBody writes the outcomes, where there is something to say about them.
func (d *ExhaustiveDocument) writeBody(b *strings.Builder, style batch.Style) {
	if !d.Agree || len(d.Outcomes) > 0 && len(d.Outcomes[0].Findings) > 0 {
		list(style, b, len(d.Outcomes), 2*maxOutcomes, func(i int) { d.writeInterleaved(b, i, &d.Outcomes[i], style) })
	}
}

// WriteJUnit writes the report as JUnit XML: one test, which fails when outcomes differ, have findings or are not all
// known.
func (d *ExhaustiveDocument) WriteJUnit(w io.Writer) error {
	suite := batch.JUnitSuite{Name: "lockstep explore -exhaustive " + d.Kernel, Cases: []batch.JUnitCase{{Class: d.Kernel, Name: "all interleavings"}}}
	if !d.OK() {
		var text strings.Builder
		d.writeBody(&text, batch.Style{})
		suite.Cases[0].Failure = &batch.JUnitMessage{Message: strings.TrimSpace(d.headline()), Text: text.String()}
	}
	return suite.Write(w)
}

// maxPageOutcomes bounds the outcomes on a page: each has its accesses.
const maxPageOutcomes = 100

// WriteHTML writes the report as a page.
func (d *ExhaustiveDocument) WriteHTML(w io.Writer) error {
	type outcome struct {
		Number                       int
		Runs, Percent, Text, Finding string
	}
	page := struct {
		Title, Headline string
		Good            bool
		Outcomes        []outcome
		More            int
	}{Title: "lockstep explore -exhaustive: kernel " + cmdline.Printable(d.Kernel), Headline: strings.TrimSpace(d.headline()), Good: d.OK()}
	for i := range d.Outcomes {
		if i == maxPageOutcomes {
			page.More = len(d.Outcomes) - i
			break
		}
		o := &d.Outcomes[i]
		page.Outcomes = append(page.Outcomes, outcome{i + 1, cmdline.Counted(o.Executions, d.execution()), percent(o.Executions, d.Executions), d.reproduces(o) + "\n" + interleavedText(o, batch.Style{Verbose: true}), findingsText(o.Findings, batch.Style{})})
	}
	return batch.WritePage(w, "exhaustive", page)
}

// headline says how many interleavings there are, and whether they agree.
func (d *ExhaustiveDocument) headline() string {
	text := fmt.Sprintf("kernel %s: %s of %s", cmdline.Printable(d.Kernel), cmdline.Counted(d.Executions, d.execution()), cmdline.Counted(d.WorkItems, "work-item"))
	if d.Memory == emu.MemoryWeak.String() {
		text += " with weak memory"
	}
	if d.Complete {
		text += ", to which all others are equivalent"
	}
	if len(d.Outcomes) > 0 {
		text += ": " + agreement(len(d.Outcomes), d.Outcomes[0].Findings)
	}
	text += "\n"
	switch {
	case d.ended != nil:
		text += "not all: " + endedBy(d.ended) + "\n"
	case d.Cut > 0:
		text += fmt.Sprintf("not all: %s did not end after as many accesses as -max-steps allows\n", cmdline.Counted(d.Cut, d.execution()))
	case !d.Complete:
		text += fmt.Sprintf("not all: there are more than -runs %d\n", d.limit)
	}
	return text
}

// execution is what is counted: with weak memory, an interleaving has several, by what loads return.
func (d *ExhaustiveDocument) execution() string {
	if d.Memory == emu.MemoryWeak.String() {
		return "execution"
	}
	return "interleaving"
}

// maxSteps bounds the steps that are printed without -v.
const maxSteps = 20

// writeInterleaved writes an outcome and the interleaving that leads to it.
func (d *ExhaustiveDocument) writeInterleaved(b *strings.Builder, number int, o *explore.InterleavedOutcome, style batch.Style) {
	fmt.Fprintf(b, "\noutcome %d: %s\n  %s\n", number+1, cmdline.Counted(o.Executions, d.execution()), d.reproduces(o))
	b.WriteString(cmdline.Indent("  ", interleavedText(o, style)))
	b.WriteString(cmdline.Indent("  ", findingsText(o.Findings, style)))
}

// reproduces is the command that runs an outcome's interleaving again.
func (d *ExhaustiveDocument) reproduces(o *explore.InterleavedOutcome) string {
	return d.command + " -choices " + words.Quote(o.Choices)
}

// interleavedText is what an outcome leaves in memory, and the interleaving that leads to it.
func interleavedText(o *explore.InterleavedOutcome, style batch.Style) string {
	var b strings.Builder
	var values []string
	for _, v := range o.Values {
		values = append(values, fmt.Sprintf("%s[%d] = %s", cmdline.Printable(v.Name), v.Index, v.Value))
	}
	if len(values) > 0 {
		fmt.Fprintf(&b, "%s\n", strings.Join(values, ", "))
	}
	for i := range o.Steps {
		if i == maxSteps && !style.Verbose && len(o.Steps) > i+1 {
			fmt.Fprintf(&b, "  and %d more accesses (-v prints all)\n", len(o.Steps)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", stepText(&o.Steps[i]))
	}
	return b.String()
}

// stepText is "(1,0,0) reads x[0] at k.cl:4:7".
func stepText(s *explore.InterleavedStep) string {
	id := s.WorkItem.Global
	if s.Access == "fence" {
		return fmt.Sprintf("(%d,%d,%d) comes to a fence at %s:%d:%d", id[0], id[1], id[2], cmdline.Printable(s.Place.File), s.Place.Line, s.Place.Column)
	}
	does := map[string]string{"read": "reads", "write": "writes"}[s.Access]
	if does == "" {
		does = "changes"
	}
	memory := fmt.Sprintf("%s[%d]", cmdline.Printable(s.Name), s.Index)
	if s.Name == "" {
		memory = "memory"
	}
	switch s.Weak {
	case "old":
		memory += ", an old value,"
	case "earlier":
		memory += ", not last in modification order,"
	}
	text := fmt.Sprintf("(%d,%d,%d) %s %s", id[0], id[1], id[2], does, memory)
	if s.Place.Line != 0 {
		text += fmt.Sprintf(" at %s:%d:%d", cmdline.Printable(s.Place.File), s.Place.Line, s.Place.Column)
	}
	return text
}
