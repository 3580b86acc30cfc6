package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/explore"
	"github.com/lockstep-gpu/lockstep/internal/words"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// exhaustiveDocument is the JSON document of lockstep explore -exhaustive.
type exhaustiveDocument struct {
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
func (x *exploration) enumerate(ctx context.Context, env *Env) error {
	l := x.base.launches[0]
	p := x.watch(env)
	res, err := x.explorer.Exhaustive(ctx, explore.ExhaustiveOptions{
		Executions: x.runs, Steps: x.steps, Progress: func(n, outcomes int) { p.update(n, x.runs, outcomes) },
	})
	p.clear()
	switch {
	case errors.Is(err, emu.ErrNotInterleaved):
		return usagef("help explore", "explore: -exhaustive: %v", err)
	case errors.Is(err, emu.ErrNotWeak):
		return modelError("explore", err)
	case res == nil:
		return explainLimit(err)
	}
	doc := &exhaustiveDocument{Module: l.part.path, Kernel: l.kernel.Name(), Check: x.run.check, Agree: res.Agree(), Exhaustive: *res, Memory: x.base.memory.String(), command: x.command, ended: err, limit: x.runs}
	if x.run.check {
		doc.command += " -check"
	}
	doc.Diagnostics = env.json.diagnostics
	err = x.write(env, "explore-exhaustive", doc, x.style(env))
	if len(x.base.outs) > 0 && !x.json {
		x.base.note(env, "-out is not written: -exhaustive prints what outcomes differ in")
	}
	if err == nil && !res.OK() {
		err = errFound
	}
	return err
}

// writeText writes the report for people.
func (d *exhaustiveDocument) writeText(w io.Writer, style exploreStyle) error {
	var b strings.Builder
	b.WriteString(d.headline())
	if !style.quiet {
		d.writeBody(&b, style)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeBody writes the outcomes, where there is something to say about them.
func (d *exhaustiveDocument) writeBody(b *strings.Builder, style exploreStyle) {
	if !d.Agree || len(d.Outcomes) > 0 && len(d.Outcomes[0].Findings) > 0 {
		style.list(b, len(d.Outcomes), 2*maxOutcomes, func(i int) { d.writeInterleaved(b, i, &d.Outcomes[i], style) })
	}
}

// writeJUnit writes the report as JUnit XML: one test, which fails when outcomes differ, have findings or are not all
// known.
func (d *exhaustiveDocument) writeJUnit(w io.Writer) error {
	suite := junitSuite{Name: "lockstep explore -exhaustive " + d.Kernel, Cases: []junitCase{{Class: d.Kernel, Name: "all interleavings"}}}
	if !d.OK() {
		var text strings.Builder
		d.writeBody(&text, exploreStyle{})
		suite.Cases[0].Failure = &junitMessage{Message: strings.TrimSpace(d.headline()), Text: text.String()}
	}
	return suite.write(w)
}

// maxPageOutcomes bounds the outcomes on a page: each has its accesses.
const maxPageOutcomes = 100

// writeHTML writes the report as a page.
func (d *exhaustiveDocument) writeHTML(w io.Writer) error {
	type outcome struct {
		Number                       int
		Runs, Percent, Text, Finding string
	}
	page := struct {
		Title, Headline string
		Good            bool
		Outcomes        []outcome
		More            int
	}{Title: "lockstep explore -exhaustive: kernel " + printable(d.Kernel), Headline: strings.TrimSpace(d.headline()), Good: d.OK()}
	for i := range d.Outcomes {
		if i == maxPageOutcomes {
			page.More = len(d.Outcomes) - i
			break
		}
		o := &d.Outcomes[i]
		page.Outcomes = append(page.Outcomes, outcome{i + 1, counted(o.Executions, d.execution()), percent(o.Executions, d.Executions), d.reproduces(o) + "\n" + interleavedText(o, exploreStyle{verbose: true}), findingsText(o.Findings, exploreStyle{})})
	}
	return writePage(w, "exhaustive", page)
}

// headline says how many interleavings there are, and whether they agree.
func (d *exhaustiveDocument) headline() string {
	text := fmt.Sprintf("kernel %s: %s of %s", printable(d.Kernel), counted(d.Executions, d.execution()), counted(d.WorkItems, "work-item"))
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
		text += fmt.Sprintf("not all: %s did not end after as many accesses as -max-steps allows\n", counted(d.Cut, d.execution()))
	case !d.Complete:
		text += fmt.Sprintf("not all: there are more than -runs %d\n", d.limit)
	}
	return text
}

// execution is what is counted: with weak memory, an interleaving has several, by what loads return.
func (d *exhaustiveDocument) execution() string {
	if d.Memory == emu.MemoryWeak.String() {
		return "execution"
	}
	return "interleaving"
}

// maxSteps bounds the steps that are printed without -v.
const maxSteps = 20

// writeInterleaved writes an outcome and the interleaving that leads to it.
func (d *exhaustiveDocument) writeInterleaved(b *strings.Builder, number int, o *explore.InterleavedOutcome, style exploreStyle) {
	fmt.Fprintf(b, "\noutcome %d: %s\n  %s\n", number+1, counted(o.Executions, d.execution()), d.reproduces(o))
	b.WriteString(indent("  ", interleavedText(o, style)))
	b.WriteString(indent("  ", findingsText(o.Findings, style)))
}

// reproduces is the command that runs an outcome's interleaving again.
func (d *exhaustiveDocument) reproduces(o *explore.InterleavedOutcome) string {
	return d.command + " -choices " + words.Quote(o.Choices)
}

// interleavedText is what an outcome leaves in memory, and the interleaving that leads to it.
func interleavedText(o *explore.InterleavedOutcome, style exploreStyle) string {
	var b strings.Builder
	var values []string
	for _, v := range o.Values {
		values = append(values, fmt.Sprintf("%s[%d] = %s", printable(v.Name), v.Index, v.Value))
	}
	if len(values) > 0 {
		fmt.Fprintf(&b, "%s\n", strings.Join(values, ", "))
	}
	for i := range o.Steps {
		if i == maxSteps && !style.verbose && len(o.Steps) > i+1 {
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
		return fmt.Sprintf("(%d,%d,%d) comes to a fence at %s:%d:%d", id[0], id[1], id[2], printable(s.Place.File), s.Place.Line, s.Place.Column)
	}
	does := map[string]string{"read": "reads", "write": "writes"}[s.Access]
	if does == "" {
		does = "changes"
	}
	memory := fmt.Sprintf("%s[%d]", printable(s.Name), s.Index)
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
		text += fmt.Sprintf(" at %s:%d:%d", printable(s.Place.File), s.Place.Line, s.Place.Column)
	}
	return text
}
