package explorecmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/sweep"
	"github.com/lockstep-gpu/lockstep/emu/explore"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// About describes an exploration: the part of its report that is known before the first run.
type About struct {
	Module string `json:"module"` // of the first kernel
	Kernel string `json:"kernel"`
	// Kernels are those that run together; none where it is one.
	Kernels []string `json:"kernels,omitempty"`
	// Base is the command line of lockstep run, to which a configuration's flags are added.
	Base  string `json:"base"`
	Check bool   `json:"check"`
	// Total is the number of runs of all shards.
	Total     int      `json:"total"`
	Subgroups []int    `json:"subgroup_sizes"`
	Schedules []string `json:"schedules"`
	Seed      uint64   `json:"seed"`
}

// Document is the JSON document of lockstep explore, and of lockstep merge for shards of it.
type Document struct {
	About
	Shard string `json:"shard,omitempty"` // "2/8", where it is not all
	// Planned is the number of runs of the shard, and Made how many of them were made.
	Planned int  `json:"planned"`
	Made    int  `json:"made"`
	Agree   bool `json:"agree"` // the runs that were made
	// SubgroupsAlone says that outcomes depend on the sub-group size and on nothing else that was tried.
	SubgroupsAlone bool                  `json:"subgroup_sizes_alone"`
	Outcomes       []exploreOutcome      `json:"outcomes"`
	Unfinished     []exploreRun          `json:"unfinished"` // cut short by the time limit or Ctrl-C
	Difference     *explore.Difference   `json:"difference,omitempty"`
	Outputs        []launch.OutputReport `json:"outputs"`
	Diagnostics    []clc.Diagnostic      `json:"diagnostics,omitempty"` // of sources

	runs  []explore.Run
	weak  bool  // memory is
	ended error // why runs were not made
}

// exploreOutcome is an outcome with what a person does about it.
type exploreOutcome struct {
	explore.Outcome
	Runs      int    `json:"runs"`
	Command   string `json:"command"` // that makes the first of the runs
	Subgroups []int  `json:"subgroup_sizes"`
}

// exploreRun is a run with the command that makes it.
type exploreRun struct {
	Index int `json:"run"`
	explore.Config
	Command string `json:"command"`
}

// about describes the exploration of a plan.
func (x *exploration) about(plan *explore.Plan) About {
	l := x.base.Launches[0]
	a := About{
		Module: l.Part.Path, Kernel: l.Kernel.Name(), Base: x.command, Check: x.run.Check, Total: plan.Runs(),
		Subgroups: x.space.Subgroups, Schedules: []string{}, Seed: x.seed,
	}
	if names := x.kernels(); len(x.base.Launches) > 1 {
		a.Kernels = names
	}
	for _, s := range slices.Concat(x.space.Schedules, x.space.Seeded) {
		a.Schedules = append(a.Schedules, s.Name())
	}
	return a
}

// work is a digest of everything that the results depend on.
func (x *exploration) work(plan *explore.Plan) string {
	h := sha256.New()
	// Neither has anything in it that JSON cannot say.
	about, _ := json.Marshal(x.about(plan))
	space, _ := json.Marshal(x.space)
	device := x.run.Device
	device.Engine = "" // which makes no difference
	fmt.Fprintf(h, "%s\n%s\n%t %+v\n", about, space, x.run.Keep, device)
	for _, l := range x.base.Launches {
		fmt.Fprintf(h, "%+v\n%q\n%x\n", l.NDRange, l.Specs, sha256.Sum256(l.Module.Data))
		for i := range l.Args {
			a := &l.Args[i]
			fmt.Fprintf(h, "%d %q\n", i, a.Text)
			switch {
			case a.View != nil:
				fmt.Fprintf(h, "%x\n", sha256.Sum256(x.masters[a.View.Buffer]))
			case a.Image != nil:
				fmt.Fprintf(h, "%x\n", sha256.Sum256(x.pictures[a.Image]))
			case a.Buffer != nil:
				fmt.Fprintf(h, "%x\n", sha256.Sum256(x.masters[a.Buffer]))
			}
		}
	}
	for _, p := range x.base.Pipes {
		fmt.Fprintf(h, "%x %x\n", sha256.Sum256(p.First), sha256.Sum256(p.Rest))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// NewDocument makes the document of a report.
func NewDocument(about About, shard sweep.Shard, r *explore.Report) *Document {
	doc := &Document{
		About: about, Planned: r.Planned, Made: len(r.Runs), Agree: r.Agree(), SubgroupsAlone: r.SplitBySubgroup(),
		Outcomes: []exploreOutcome{}, Unfinished: []exploreRun{}, Difference: r.Difference, Outputs: []launch.OutputReport{}, runs: r.Runs,
	}
	if shard != sweep.Whole {
		doc.Shard = shard.String()
	}
	at := map[string]int{}
	for i := range r.Outcomes {
		o := r.Outcomes[i]
		at[o.ID] = i
		doc.Outcomes = append(doc.Outcomes, exploreOutcome{Outcome: o, Command: about.commandOf(o.First.Config), Subgroups: []int{}})
	}
	for i := range r.Runs {
		o := &doc.Outcomes[at[r.Runs[i].Outcome]]
		o.Runs++
		if size := r.Runs[i].SubgroupSize; !slices.Contains(o.Subgroups, size) {
			o.Subgroups = append(o.Subgroups, size)
		}
	}
	for i := range doc.Outcomes {
		slices.Sort(doc.Outcomes[i].Subgroups)
	}
	if d := doc.Difference; d != nil && at[d.Runs[0].Outcome] > at[d.Runs[1].Outcome] {
		// A shard may have met the outcomes the other way round.
		doc.Difference = d.Swapped()
	}
	for _, run := range r.Unfinished {
		doc.Unfinished = append(doc.Unfinished, exploreRun{run.Index, run.Config, about.commandOf(run.Config)})
	}
	return doc
}

// commandOf is the command line that makes a run of a configuration.
func (a *About) commandOf(c explore.Config) string { return reproduced(a.Base, c, a.Check) }

// OK says whether nothing is wrong.
func (d *Document) OK() bool {
	return d.Agree && d.Made == d.Planned && !slices.ContainsFunc(d.Outcomes, func(o exploreOutcome) bool { return len(o.Findings) > 0 })
}

// report prints the report, and returns the error of the command.
func (x *exploration) report(ctx context.Context, env *cmdline.Env, doc *Document) error {
	for _, b := range x.mapped {
		if err := b.Unmap(); err != nil {
			return err
		}
	}
	if outs := x.base.Outs; doc.OK() && len(outs) > 0 {
		// All agree, so that any order leaves the same.
		if err := x.base.StartDrains(env); err != nil {
			return err
		}
		if _, err := x.base.Start(ctx, io.Discard, nil); err != nil {
			return err
		}
	}
	if x.JSON && doc.OK() {
		for _, o := range x.base.Outs {
			out, err := o.JSON(env)
			if err != nil {
				return err
			}
			doc.Outputs = append(doc.Outputs, out)
		}
	}
	doc.Diagnostics = env.JSON.Diagnostics
	if err := x.Write(env, "explore", doc, x.style(env)); err != nil {
		return err
	}
	if outs := x.base.Outs; len(outs) > 0 && !x.JSON {
		if !doc.OK() {
			x.base.Note(env, "-out is not written: not all runs agree without findings")
		} else if err := x.base.WriteOuts(env, outs); err != nil {
			return err
		}
	}
	if !doc.OK() {
		return cmdline.ErrFound
	}
	return nil
}

// style is how the flags ask for texts.
func (x *exploration) style(env *cmdline.Env) batch.Style {
	return batch.Style{Verbose: x.verbose, Quiet: x.quiet, Color: env.Colorful(x.run.Color)}
}

// maxOutcomes bounds the outcomes that are printed without -v.
const maxOutcomes = 8

// list calls write for each of n outcomes, or for the first ones and says how many are left out.
func list(s batch.Style, b *strings.Builder, n, most int, write func(i int)) {
	for i := range n {
		if i == most && !s.Verbose && n > most+1 {
			fmt.Fprintf(b, "\nand %d more outcomes (-v prints all)\n", n-most)
			return
		}
		write(i)
	}
}

// agreement says how many outcomes there are, of which the first has these findings.
func agreement(outcomes int, findings []finding.Finding) string {
	switch {
	case outcomes > 1:
		return fmt.Sprintf("%d outcomes", outcomes)
	case len(findings) > 0:
		return "all with the same findings"
	}
	return "all agree"
}

// endedBy says what ended a command before its work was done; "" for no error.
func endedBy(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "the time limit ended the command (E-TIMEOUT)"
	}
	return "the command was cancelled (E-CANCELLED)"
}

// findingsText is the text of the findings of an outcome, whose command line stands elsewhere.
func findingsText(findings []finding.Finding, style batch.Style) string {
	list := finding.List{Findings: slices.Clone(findings)}
	for i := range list.Findings {
		list.Findings[i].Reproduce = ""
	}
	return list.Format(finding.Style{Color: style.Color, Verbose: style.Verbose})
}

// WriteText writes the report for people.
func (d *Document) WriteText(w io.Writer, style batch.Style) error {
	var b strings.Builder
	b.WriteString(d.headline())
	if !style.Quiet {
		d.writeBody(&b, style)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// kernels is "kernel reverse", or "kernels source and sink".
func (d *Document) kernels() string {
	if len(d.Kernels) > 0 {
		return kernelsText(d.Kernels)
	}
	return kernelsText([]string{d.Kernel})
}

// headline is "kernel reverse: 64 runs, 3 outcomes".
func (d *Document) headline() string {
	text := fmt.Sprintf("%s: %s", d.kernels(), cmdline.Counted(d.Made, "run"))
	if d.Shard != "" {
		text += fmt.Sprintf(" (shard %s of %d)", d.Shard, d.Total)
	}
	if len(d.Outcomes) > 0 {
		text += ", " + agreement(len(d.Outcomes), d.Outcomes[0].Findings)
	}
	text += "\n"
	if d.Made < d.Planned {
		why := cmp.Or(endedBy(d.ended), "they are not in the results")
		text += fmt.Sprintf("not made: %d of %s; %s\n", d.Planned-d.Made, cmdline.Counted(d.Planned, "run"), why)
	}
	return text
}

func (d *Document) writeBody(b *strings.Builder, style batch.Style) {
	fmt.Fprintf(b, "  sub-groups of %s lanes; schedules %s\n", listed(d.Subgroups), cmdline.Enumerated(d.Schedules))
	if !d.Agree || len(d.Outcomes) > 0 && len(d.Outcomes[0].Findings) > 0 {
		list(style, b, len(d.Outcomes), maxOutcomes, func(i int) {
			o := &d.Outcomes[i]
			fmt.Fprintf(b, "\noutcome %d: %s\n  %s\n", i+1, cmdline.Counted(o.Runs, "run"), o.Command)
			b.WriteString(cmdline.Indent("  ", findingsText(o.Findings, style)))
		})
	}
	d.writeDifference(b)
	if d.SubgroupsAlone {
		fmt.Fprintf(b, "  = help: the outcomes depend on the sub-group size alone; a kernel that relies on one requires it with\n          __attribute__((intel_reqd_sub_group_size(N))), and -subgroup N explores that size\n")
	}
	for i, run := range d.Unfinished {
		if i == 0 {
			fmt.Fprintf(b, "\nnot over when the command ended, and perhaps endless:\n")
		}
		fmt.Fprintf(b, "  %s\n", run.Command)
	}
}

// writeDifference says where two outcomes part.
func (d *Document) writeDifference(b *strings.Builder) {
	p := d.Difference
	if p == nil {
		return
	}
	var names [2]string
	for i := range names {
		at := slices.IndexFunc(d.Outcomes, func(o exploreOutcome) bool { return o.ID == p.Runs[i].Outcome })
		names[i] = fmt.Sprint(at + 1)
	}
	if p.Object == nil && p.Lines == [2]string{} {
		fmt.Fprintf(b, "\noutcomes %s and %s leave the same memory, print the same, and leave different packets in pipes\n", names[0], names[1])
		writeParting(b, p.First, names)
		return
	}
	if p.Object == nil {
		fmt.Fprintf(b, "\noutcomes %s and %s leave the same memory, and print different texts\n", names[0], names[1])
		for i, line := range p.Lines {
			if line != "" {
				fmt.Fprintf(b, "  only in outcome %s: %s\n", names[i], cmdline.Printable(strings.TrimSuffix(line, "\n")))
			}
		}
		writeParting(b, p.First, names)
		return
	}
	element := fmt.Sprintf("%s[%d]", cmdline.Printable(p.Name), p.Index)
	if strings.Contains(p.Name, " ") {
		element = fmt.Sprintf("element %d of %s", p.Index, cmdline.Printable(p.Name))
	}
	fmt.Fprintf(b, "\noutcomes %s and %s part at %s, which is %s and %s (%d of %s differ%s in the end)\n",
		names[0], names[1], element, p.Values[0], p.Values[1], p.Elements, cmdline.Counted(p.Of, "element"), map[bool]string{true: "s"}[p.Elements == 1])
	for i, s := range p.Stores {
		if s.Order == 0 {
			fmt.Fprintf(b, "  outcome %s: no store wrote %s\n", names[i], p.Values[i])
			continue
		}
		id, group := s.WorkItem.Global, s.WorkItem.Group
		fmt.Fprintf(b, "  outcome %s: work-item (%d,%d,%d) of group (%d,%d,%d) wrote %s, in store %d of the run\n",
			names[i], id[0], id[1], id[2], group[0], group[1], group[2], p.Values[i], s.Order)
		b.WriteString(cmdline.Indent("    ", placeText(&s.Place)))
	}
	writeParting(b, p.First, names)
	if !d.SubgroupsAlone {
		fmt.Fprintf(b, "  = help: %s\n", d.advice())
	}
}

// writeParting says at which access two outcomes part.
func writeParting(b *strings.Builder, p *explore.Parting, names [2]string) {
	if p == nil {
		return
	}
	id, group := p.WorkItem.Global, p.WorkItem.Group
	fmt.Fprintf(b, "  the first access at which they part is access %d of work-item (%d,%d,%d) of group (%d,%d,%d)", p.Number, id[0], id[1], id[2], group[0], group[1], group[2])
	fmt.Fprintf(b, " of kernel %s\n", cmdline.Printable(p.Kernel))
	for i := range p.Accesses {
		a := &p.Accesses[i]
		fmt.Fprintf(b, "  outcome %s: it %s\n", names[i], accessText(a))
		if a.Access != "none" {
			b.WriteString(cmdline.Indent("    ", placeText(&a.Place)))
		}
	}
}

// accessText is "reads 7 from tile[0]".
func accessText(a *explore.PartedAccess) string {
	memory := fmt.Sprintf("%s[%d]", cmdline.Printable(a.Name), a.Index)
	if a.Name == "" || strings.Contains(a.Name, " ") {
		memory = fmt.Sprintf("element %d of %s", a.Index, cmp.Or(cmdline.Printable(a.Name), "memory without a name"))
	}
	switch a.Access {
	case "read":
		return fmt.Sprintf("reads %s from %s", a.Value, memory)
	case "write":
		return fmt.Sprintf("writes %s to %s", a.Value, memory)
	case "atomic operation":
		return fmt.Sprintf("changes %s with the operand %s", memory, a.Value)
	case "result of an atomic operation":
		return fmt.Sprintf("finds %s in %s, and has changed that", a.Value, memory)
	}
	return "makes no more accesses"
}

// placeText is a place with its line of source, or else with its instruction.
func placeText(p *finding.Place) string {
	if p.Line == 0 {
		return cmdline.Printable(p.Instruction) + "\n"
	}
	text := fmt.Sprintf("%s:%d:%d", cmdline.Printable(p.File), p.Line, p.Column)
	if p.Source != "" {
		text += ": " + cmdline.Printable(strings.TrimSpace(p.Source))
	}
	return text + "\n"
}

// advice says what a difference in memory usually means.
func (d *Document) advice() string {
	a, b := d.Difference.Stores[0], d.Difference.Stores[1]
	does := func(access string) bool {
		p := d.Difference.First
		return p != nil && (p.Accesses[0].Access == access || p.Accesses[1].Access == access)
	}
	switch {
	case does("result of an atomic operation"):
		return "what an atomic operation finds depends on the order of work-items: the result of the kernel must not"
	case does("read"):
		return "the work-item reads memory that others write, or a copy fills, without a barrier, a wait or an atomic operation\n          in between"
	case a.Order+b.Order == 0:
		return "an asynchronous copy or an image write changed it: wait for copies before the memory is used"
	case a.Order == 0 || b.Order == 0:
		return "whether the store happens depends on the order: look at the conditions before it"
	case a.WorkItem.Global != b.WorkItem.Global:
		return "several work-items write the element and nothing orders them: each order leaves the last one's value"
	case a.Place.Word == b.Place.Word && d.weak:
		return "with weak memory a load may return an old value: give the store that others wait for memory_order_release and\n          the load memory_order_acquire, with a scope that includes both, or put a barrier in between"
	case a.Place.Word == b.Place.Word:
		return "the same store of the same work-item stored other values: they come from a pipe, an image or an operation of\n          its sub-group, which give other values in other orders"
	}
	return "the work-item took different ways: look at what its conditions read"
}

// percent is "12.5%".
func percent(n, of int) string { return fmt.Sprintf("%.4g%%", 100*float64(n)/float64(max(of, 1))) }
