package checks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/checks/mutants"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// mutantsFile lists the mutants about which nothing is found.
const mutantsFile = "mutants.txt"

// mutantsHead begins the list.
const mutantsHead = `# Mutants of correct kernels (see package mutants) about which nothing is found, each with the reason:
# "equivalent: ..." where no legal order can tell it from the kernel, "missed: ..." where one can.
# The test fails when a mutant that is not listed is not found, and when a listed one is.
# -update keeps the reasons of those that stay.
`

// examples are the launches of sources outside of conformance.
var examples = []struct{ file, flags string }{
	{"pipelined-matmul/matmul.cl", "-kernel matmul_plain -global 16,16 -arg rand:f32:512:1 -arg rand:f32:512:2 -arg zero:f32:256 -arg u32:16 -arg u32:16 -arg u32:32"},
	{"pipelined-matmul/matmul.cl", "-kernel matmul_events -global 16,16 -arg rand:f32:1k:1 -arg rand:f32:1k:2 -arg zero:f32:256 -arg u32:16 -arg u32:16 -arg u32:64"},
	{"pipelined-matmul/matmul.cl", "-kernel matmul_marks -global 16,16 -arg iota:f32:12 -arg iota:f32:20 -arg zero:f32:15 -arg u32:3 -arg u32:5 -arg u32:4"},
	{"stencil/stencil.cl", "-global 32,8 -arg rand:f32:1280:1 -arg zero:f32:1280 -arg u32:32 -arg u32:40 -arg buf:f32:0,-1,0,-1,5,-1,0,-1,0"},
	{"streaming-fir/fir.cl", "-pipe x=f32:4 -pipe y=f32:4 -kernel source -global 1 -arg iota:f32:16 -arg u32:16 -arg pipe:x -with -kernel fir -global 1 -arg pipe:x -arg pipe:y -arg fill:f32:8:0.125 -arg u32:16 -with -kernel sink -global 1 -arg pipe:y -arg zero:f32:16 -arg u32:16"},
	{"subgroups/subgroups.cl", "-kernel compact -global 12 -local 12 -arg buf:u32:7,0,8,0,0,9,1,0,0,2,3,0 -arg zero:u32:12 -arg zero:u32:1 -arg local:48"},
	{"subgroups/subgroups.cl", "-kernel matmul -global 3,3 -local 3,1 -arg iota:f32:9 -arg buf:f32:2,0,0,0,2,0,0,0,2 -arg zero:f32:9 -arg u32:3"},
	{"subgroups/subgroups.cl", "-kernel prefix -global 64 -local 32 -arg fill:u32:64:3 -arg zero:u32:64 -arg local:128"},
	{"subgroups/subgroups.cl", "-kernel sum -global 16 -local 8 -arg iota:u32:16 -arg zero:u32:2"},
	{"subgroups/subgroups.cl", "-kernel tickets -global 12 -local 12 -arg buf:u32:7,0,8,0,0,9,1,0,0,2,3,0 -arg buf:u32:100 -arg zero:u32:12"},
	{"tutorial/03-local-memory.cl", "-global 16 -local 8 -arg iota:i32:16 -arg zero:i32:16 -arg local:32"},
	{"tutorial/05-sub-groups.cl", "-global 16 -arg fill:i32:16:1 -arg zero:i32:16 -arg zero:i32:16"},
	{"tutorial/06-divergence.cl", "-kernel halves -global 64 -arg zero:i32:64"},
	{"tutorial/07-coalescing.cl", "-kernel rows -global 64 -arg iota:f32:4096 -arg zero:f32:64 -arg i32:64"},
	{"tutorial/07-coalescing.cl", "-kernel columns -global 64 -arg iota:f32:4096 -arg zero:f32:64 -arg i32:64"},
	{"tutorial/08-bank-conflicts.cl", "-kernel conflicts -global 32,8 -local 32,8 -arg iota:f32:1k -arg zero:f32:1k"},
	{"tutorial/08-bank-conflicts.cl", "-kernel padded -global 32,8 -local 32,8 -arg iota:f32:1k -arg zero:f32:1k"},
	{"tutorial/09-atomics.cl", "-kernel one -global 256 -arg iota:i32:256 -arg zero:i32:1"},
	{"tutorial/10-asynchronous-copies.cl", "-kernel total -global 64 -local 64 -arg fill:i32:1k:1 -arg zero:i32:1 -arg i32:1024"},
}

// program is a source with its launches.
type program struct {
	name, source string
	cases        []*Case
}

// programs returns the correct kernels of the repository.
func programs(t *testing.T) []*program {
	t.Helper()
	var list []*program
	of := func(name, source string) *program {
		if i := slices.IndexFunc(list, func(p *program) bool { return p.name == name }); i >= 0 {
			return list[i]
		}
		list = append(list, &program{name: name, source: source})
		return list[len(list)-1]
	}
	pending := loadPending(t)
	for _, c := range loadCases(t, "right") {
		if pending[c.Name] {
			continue
		}
		p := of("conformance/checks/"+c.Name+".cl", c.Source)
		p.cases = append(p.cases, c)
	}
	for _, k := range kernels.All() {
		if strings.Contains(k.Source(), "#include") {
			continue // an example, which has its own launches here
		}
		p := of("conformance/kernels/src/"+k.Module+".cl", k.Source())
		p.cases = append(p.cases, &Case{Name: k.Name, Source: p.source, Steps: [][]Launch{{{
			Kernel: k.Entry, Global: k.Launch.Global, Local: k.Launch.Local, Offset: k.Launch.Offset, Args: k.Launch.Args,
		}}}})
	}
	for _, e := range examples {
		text, err := os.ReadFile(filepath.Join("../../examples", e.file))
		if err != nil {
			t.Fatal(err)
		}
		c := &Case{Name: e.file, Source: string(text)}
		if err := c.run(strings.Fields(e.flags)); err != nil {
			t.Fatalf("%s: %v", e.file, err)
		}
		if err := c.nameKernels(); err != nil {
			t.Fatal(err)
		}
		p := of("examples/"+e.file, c.Source)
		p.cases = append(p.cases, c)
	}
	return list
}

// machine is a device of the test with a schedule.
type machine struct {
	dev        *emu.Device
	size, wave int
	sched      emu.Schedule
}

// machines makes the devices.
func machines(t *testing.T) []machine {
	t.Helper()
	var list []machine
	for _, m := range []machine{
		{size: 8, sched: emu.Schedule{Completion: emu.CompleteLate}},
		{size: 16, sched: emu.Schedule{Order: emu.Reverse}},
		{size: 1, wave: 1, sched: emu.Schedule{Order: emu.Reverse, Completion: emu.CompleteLate}},
	} {
		var err error
		if m.dev, err = emu.NewDevice(emu.DeviceOptions{Engine: "interp", SubgroupSize: m.size, WaveLanes: m.wave, Workers: 1}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.dev.Close() })
		list = append(list, m)
	}
	return list
}

// findings runs all launches of a program, of a source that takes the place of its own, until one
// has findings.
func (p *program) findings(source string, list []machine) ([]string, error) {
	for _, m := range list {
		prog, log, err := m.dev.BuildProgram(source, "-Wno-everything")
		if err != nil {
			return nil, fmt.Errorf("%w %v", err, log)
		}
		var found []string
		for _, c := range p.cases {
			if c.SubGroup != 0 && c.SubGroup != m.size {
				continue
			}
			out, err := c.Run(context.Background(), m.dev, prog, m.sched)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			for i := range out.Findings {
				found = append(found, brief(&out.Findings[i]))
			}
			if len(found) > 0 {
				break
			}
		}
		if err := prog.Close(); err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// loadMutants reads the list of those about which nothing is found, with the reasons.
func loadMutants(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(mutantsFile)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, reason, ok := strings.Cut(line, " | ")
		if kind, why, _ := strings.Cut(reason, ": "); !ok || kind != "equivalent" && kind != "missed" || why == "" {
			t.Errorf("%s: a reason is wanted behind \" | \", that starts with equivalent: or missed: in %q", mutantsFile, line)
		}
		list[key] = reason
	}
	return list
}

// TestMutants deletes or weakens one barrier, fence, wait or initialization of each correct kernel at
// a time, and looks whether something is found.
func TestMutants(t *testing.T) {
	listed, dev := loadMutants(t), machines(t)
	seen := map[string]bool{}
	var lines []string
	var found, not, equivalent int
	for n, p := range programs(t) {
		if !*everything && !*update && n%mutantSample != 0 {
			for key := range listed {
				seen[key] = seen[key] || strings.HasPrefix(key, p.name+":")
			}
			continue
		}
		started := time.Now()
		if list, err := p.findings(p.source, dev); err != nil || len(list) > 0 {
			t.Errorf("%s: is correct, but: %v %v", p.name, list, err)
			continue
		}
		for _, m := range mutants.Of(p.source) {
			key := fmt.Sprintf("%s:%d: %s", p.name, m.Line, m.What)
			list, err := p.findings(m.Source, dev)
			if err != nil {
				continue // what does not compile is no mutant
			}
			reason, known := listed[key]
			seen[key] = true
			switch {
			case len(list) > 0:
				found++
				if known && !*update {
					t.Errorf("%s is found (%s): take it off %s", key, list[0], mutantsFile)
				}
				continue
			case !known && len(listed) == 0 && !*update:
				not++ // a report only
				continue
			case !known && !*update:
				t.Errorf("%s: nothing is found; if no order can tell, %s has to say why", key, mutantsFile)
			case !known:
				reason = "missed: nothing looks for it"
			}
			if strings.HasPrefix(reason, "equivalent: ") {
				equivalent++
			} else {
				not++
			}
			lines = append(lines, key+" | "+reason)
		}
		if d := time.Since(started); d > time.Second && testing.Verbose() {
			t.Logf("%s took %v", p.name, d)
		}
	}
	t.Logf("mutants: %d found, %d equivalent, %d missed", found, equivalent, not)
	for key := range listed {
		if !seen[key] && !*update {
			t.Errorf("%s: there is no mutant %s", mutantsFile, key)
		}
	}
	if *update {
		if err := os.WriteFile(mutantsFile, []byte(mutantsHead+strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// mutantSample is which of the programs are tried without -everything: one of so many.
const mutantSample = 12
