package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/explore"
	"github.com/lockstep-gpu/lockstep/isa/finding"
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
	if x.json {
		doc.Diagnostics = env.json.diagnostics
		err = env.document("explore-exhaustive", doc)
	} else {
		err = doc.writeText(env.Stdout, exploreStyle{verbose: x.verbose, quiet: x.quiet, color: env.colorful(x.run.color)})
	}
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
		for i := range d.Outcomes {
			o := &d.Outcomes[i]
			if d.Agree && len(o.Findings) == 0 {
				break
			}
			if i == maxOutcomes*2 && !style.verbose && len(d.Outcomes) > i+1 {
				fmt.Fprintf(&b, "\nand %d more outcomes (-v prints all)\n", len(d.Outcomes)-i)
				break
			}
			d.writeInterleaved(&b, i, o, style)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
	switch {
	case len(d.Outcomes) == 0:
	case !d.Agree:
		text += fmt.Sprintf(": %d outcomes", len(d.Outcomes))
	case len(d.Outcomes[0].Findings) > 0:
		text += ": all with the same findings"
	default:
		text += ": all agree"
	}
	text += "\n"
	switch {
	case errors.Is(d.ended, context.DeadlineExceeded):
		text += "not all: the time limit ended the command (E-TIMEOUT)\n"
	case d.ended != nil:
		text += "not all: the command was cancelled (E-CANCELLED)\n"
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
	fmt.Fprintf(b, "\noutcome %d: %s\n  %s -choices %s\n", number+1, counted(o.Executions, d.execution()), d.command, quote(o.Choices))
	var values []string
	for _, v := range o.Values {
		values = append(values, fmt.Sprintf("%s[%d] = %s", printable(v.Name), v.Index, v.Value))
	}
	if len(values) > 0 {
		fmt.Fprintf(b, "  %s\n", strings.Join(values, ", "))
	}
	for i := range o.Steps {
		if i == maxSteps && !style.verbose && len(o.Steps) > i+1 {
			fmt.Fprintf(b, "    and %d more accesses (-v prints all)\n", len(o.Steps)-i)
			break
		}
		fmt.Fprintf(b, "    %s\n", stepText(&o.Steps[i]))
	}
	list := finding.List{Findings: slices.Clone(o.Findings)}
	for i := range list.Findings {
		list.Findings[i].Reproduce = ""
	}
	b.WriteString(indent("  ", list.Format(finding.Style{Color: style.color, Verbose: style.verbose})))
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
