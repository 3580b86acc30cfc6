package conformance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// trial is a case while it is run.
type trial struct {
	*resolved
	result  *Result
	loader  *loader
	timeout time.Duration
	check   bool
	program func(*emu.ProgramOptions) // nil for programs as they are
	configs []Config                  // still to be run
	binary  []byte
	spec    map[uint32]uint64
	key     string // what tells its program from those of other cases
	async   bool   // a kernel has asynchronous copies; known once it ran
	pipes   bool   // a kernel has pipes; likewise

	// memory has what configurations without findings must leave alike.
	memory map[expectation]left
	// peers holds what configurations have in common that differ only in what
	// counters and findings must not depend on either.
	peers map[peer]seen
}

// peer is the part of a configuration that counters, output and findings may depend on.
type peer struct {
	subgroup, wave int
	schedule       emu.Schedule
	marks          bool
	dma            DMA
}

// takes says whether the configuration is one for the case.
func (t *trial) takes(cfg Config) bool {
	return !cfg.async || t.async || (t.pipes && cfg.pipes)
}

// left is what the first configuration to come by left in an argument.
type left struct {
	config Config
	sum    [sha256.Size]byte
}

// seen is what the first configuration of a peer gave.
type seen struct {
	config   Config
	counters emu.Counters
	output   string
	findings string
}

// on runs the configurations of the case that come next and are for this device.
func (t *trial) on(ctx context.Context, d device, over func(r *Result)) {
	for len(t.configs) > 0 && t.configs[0].device() == d {
		cfg := t.configs[0]
		t.configs = t.configs[1:]
		// Configurations for asynchronous copies or pipes are never the first.
		if t.takes(cfg) {
			var faults []fault
			if ctx.Err() == nil {
				faults = t.run(ctx, cfg)
			}
			if ctx.Err() != nil {
				t.result.Status, t.configs = Stopped, nil
				over(t.result)
				return
			}
			t.result.Runs++
			for _, f := range faults {
				t.result.fail(f, cfg)
			}
		}
		if len(t.configs) == 0 {
			over(t.result)
		}
	}
}

// prepare assembles the module and reads the specialization constants.
func (t *trial) prepare() error {
	t.binary = t.module
	if !spirv.IsBinary(t.module) {
		v, _ := asm.TargetEnv("spv" + t.version())
		var err error
		if t.binary, err = asm.Assemble(string(t.module), asm.Options{Version: v}); err != nil {
			return t.assemblyError(err)
		}
	}
	t.spec = map[uint32]uint64{}
	for i, s := range t.SpecConstants {
		a, err := t.Case.spec(problem{key: "spec", index: i}, s.Value)
		if err != nil {
			return err
		}
		if len(a.Data) > 8 || a.Kind != argspec.Value {
			return t.locate(t.file(), &problem{key: "spec", index: i, msg: "a specialization constant is one number"})
		}
		for j, b := range a.Data {
			t.spec[s.ID] |= uint64(b) << (8 * j)
		}
	}
	// fmt writes maps in the order of their keys.
	t.key = fmt.Sprintf("%x %v", sha256.Sum256(t.binary), t.spec)
	return nil
}

// assemblyError gives an error of the assembler its place in the case's file when the
// text is there, and else names the file that it is in.
func (t *trial) assemblyError(err error) error {
	var se *asm.SyntaxError
	if t.Module == "" && errors.As(err, &se) {
		return &SyntaxError{File: t.file(), Line: max(t.textLine, 1) + se.Line - 1, Column: se.Column, Msg: se.Msg, Err: err}
	}
	return t.locate(t.file(), &problem{key: "module", msg: fmt.Sprintf("%s: %v", t.Module, err), err: err})
}

// run runs the case in one configuration and returns what is wrong.
func (t *trial) run(ctx context.Context, cfg Config) []fault {
	out, err := t.launch(ctx, cfg)
	if err != nil {
		return t.refused(err)
	}
	var wrong []fault
	if t.Refuse != "" {
		wrong = append(wrong, faultf("the module runs; it must be refused with an error that contains %q", t.Refuse))
	}
	exit := 0
	if slices.ContainsFunc(out.findings, func(f finding.Finding) bool { return f.Severity == finding.Error }) {
		exit = 1
	}
	if exit != t.Exit && t.Refuse == "" {
		wrong = append(wrong, faultf("exit status %d, want %d", exit, t.Exit))
	}
	wrong = append(wrong, t.compareFindings(out.findings)...)
	for i := range t.steps {
		wrong = append(wrong, t.compareStep(i, cfg, out)...)
	}
	if got := string(out.output); t.Output != nil && got != strings.Join(t.Output, "") {
		wrong = append(wrong, fault{"output", fmt.Sprintf("the printed output is\n%q\nwant\n%q", got, strings.Join(t.Output, ""))})
	}
	return append(wrong, t.agree(cfg, out)...)
}

// compareStep compares what a step left in buffers and pipes with what it must.
func (t *trial) compareStep(step int, cfg Config, out *outcome) []fault {
	var wrong []fault
	s := &t.steps[step]
	for i := range s.launches {
		l := &s.launches[i]
		for j := range l.expect {
			if w := &l.expect[j]; w.at(cfg.SubGroup) {
				what := t.name(l, w.Arg)
				if m := w.compare(what, out.buffers[buffer{l.number, w.Arg}]); m != "" {
					wrong = append(wrong, fault{what, m})
				}
			}
		}
	}
	for i := range s.want {
		w := want{typ: s.want[i].typ, data: s.want[i].data}
		what := "packets of " + s.want[i].pipe.Name
		if len(t.steps) > 1 {
			what += fmt.Sprintf(" after step %d", step+1)
		}
		if m := w.compare(what, out.packets[step][i]); m != "" {
			wrong = append(wrong, fault{what, m})
		}
	}
	return wrong
}

// name is what messages call an argument of a launch.
func (t *trial) name(l *resolvedLaunch, arg int) string {
	if len(t.steps) == 1 && len(t.steps[0].launches) == 1 {
		return fmt.Sprintf("argument %d", arg)
	}
	return fmt.Sprintf("launch %d (%s), argument %d", l.number+1, l.Kernel, arg)
}

// refused judges an error that kept the kernel from running.
func (t *trial) refused(err error) []fault {
	switch {
	case t.Refuse == "":
		return []fault{faultf("refused: %v", err)}
	case !strings.Contains(err.Error(), t.Refuse):
		return []fault{faultf("refused with %q; the error must contain %q", err.Error(), t.Refuse)}
	case t.Exit != 2:
		return []fault{faultf("exit status 2, want %d", t.Exit)}
	}
	return nil
}

// compareFindings compares the findings of a run with those that the case states.
func (t *trial) compareFindings(list []finding.Finding) []fault {
	var wrong []fault
	stated := map[string]bool{}
	for _, want := range t.Findings {
		stated[want.Code] = true
		count, text := uint64(0), len(want.Texts) == 0
		first := ""
		for i := range list {
			if f := &list[i]; string(f.Code) == want.Code {
				if count += f.Count; first == "" {
					first = plainText(f)
				}
				text = text || containsAll(plainText(f), want.Texts)
			}
		}
		switch {
		case count == 0:
			wrong = append(wrong, faultf("no finding %s", want.Code))
		case want.Count != 0 && count != uint64(want.Count):
			wrong = append(wrong, faultf("finding %s occurs %d times, want %d", want.Code, count, want.Count))
		case !text:
			key := fmt.Sprintf("no finding %s contains %s", want.Code, strings.Trim(fmt.Sprintf("%q", want.Texts), "[]"))
			wrong = append(wrong, fault{key, key + "; the first is: " + first})
		}
	}
	for i := range list {
		if f := &list[i]; !stated[string(f.Code)] {
			wrong = append(wrong, fault{"unexpected " + string(f.Code), "unexpected finding: " + plainText(f)})
		}
	}
	return wrong
}

// plainText is the text of a finding without the command line that makes it again: the
// configuration says that, and it differs from run to run.
func plainText(f *finding.Finding) string {
	g := *f
	g.Reproduce, g.Help = "", nil
	return strings.TrimSpace(g.Text())
}

// containsAll says whether all of the parts occur in s.
func containsAll(s string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(s, p) })
}

// alike names the memory that an argument is compared with: one for all
// configurations, or one for each sub-group size when what is expected depends on it.
func (l *resolvedLaunch) alike(arg int, cfg Config) expectation {
	for i := range l.expect {
		if e := &l.expect[i]; e.Arg == arg && len(e.SubGroups) > 0 {
			return expectation{l.number, arg, cfg.SubGroup}
		}
	}
	return expectation{l.number, arg, 0}
}

// agreeMemory compares what a launch left with what the first configuration did.
func (t *trial) agreeMemory(l *resolvedLaunch, cfg Config, out *outcome) []fault {
	var wrong []fault
	for i := range l.args {
		data, ok := out.buffers[buffer{l.number, i}]
		if !ok || slices.Contains(l.Varies, i) {
			continue
		}
		key, sum := l.alike(i, cfg), sha256.Sum256(data)
		then, ok := t.memory[key]
		if !ok {
			t.memory[key] = left{cfg, sum}
		} else if sum != then.sum {
			wrong = append(wrong, faultf("%s is not what it is with %v", t.name(l, i), then.config))
		}
	}
	return wrong
}

// agree compares a run with those before it: memory with the first of all, unless
// something undefined happened, and counters, output and findings with the first whose
// sub-groups, waves and schedule are the same.
func (t *trial) agree(cfg Config, out *outcome) []fault {
	var wrong []fault
	if !slices.ContainsFunc(out.findings, func(f finding.Finding) bool { return f.Severity == finding.Error }) {
		for i := range t.steps {
			for j := range t.steps[i].launches {
				wrong = append(wrong, t.agreeMemory(&t.steps[i].launches[j], cfg, out)...)
			}
		}
	}
	var texts bytes.Buffer
	for _, f := range out.findings {
		if f.Code == finding.TimeLimit || f.Code == finding.Cancelled {
			return wrong // when a clock ends a run, nothing else can agree
		}
		if err := json.NewEncoder(&texts).Encode(f); err != nil {
			wrong = append(wrong, faultf("finding %s has no JSON form: %v", f.Code, err))
		}
	}
	key := peer{cfg.SubGroup, cfg.Wave, cfg.Schedule, cfg.KeepMarks, cfg.DMA}
	now := seen{cfg, out.counters, string(out.output), texts.String()}
	then, ok := t.peers[key]
	if !ok {
		t.peers[key] = now
		return wrong
	}
	if now.counters != then.counters {
		wrong = append(wrong, fault{"counters", fmt.Sprintf("counters are %+v; with %v they are %+v", now.counters, then.config, then.counters)})
	}
	if now.output != then.output {
		wrong = append(wrong, fault{"output", fmt.Sprintf("the printed output is not what it is with %v", then.config)})
	}
	if now.findings != then.findings {
		wrong = append(wrong, fault{"findings", fmt.Sprintf("the findings are not those with %v:\n%sand\n%s", then.config, now.findings, then.findings)})
	}
	return wrong
}
