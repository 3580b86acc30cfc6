package checks

import (
	"bytes"
	"context"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed faulty right
var sources embed.FS

// pendingFile lists what the checks do not find yet.
const pendingFile = "pending.txt"

var update = flag.Bool("update", false, "write pending.txt and mutants.txt anew")

// fewest is how many cases each folder has at least.
const fewest = 120

// loadCases reads the cases of a folder, in the order of their names.
func loadCases(t *testing.T, folder string) []*Case {
	t.Helper()
	names, err := fs.Glob(sources, folder+"/*.cl")
	if err != nil {
		t.Fatal(err)
	}
	var list []*Case
	for _, name := range names {
		text, err := sources.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse(strings.TrimSuffix(name, ".cl"), string(text))
		if err != nil {
			t.Fatal(err)
		}
		if (len(c.Finds) > 0) != (folder == "faulty") {
			t.Fatalf("%s: faulty cases have a comment \"find CODE\", right ones have none", name)
		}
		list = append(list, c)
	}
	return list
}

// config is one way to run a case. No verdict depends on it.
type config struct {
	engine         string
	subgroup, wave int
	schedules      []emu.Schedule
}

// configs returns the ways to run all cases: each size of sub-groups with waves of one sub-group
// and with wide ones, under each order and completion.
func configs() []config {
	engines := []string{"interp"}
	if slices.Contains(emu.Engines(), "native") {
		engines = append(engines, "native")
	}
	orders := []emu.Schedule{
		{},
		{Order: emu.Reverse, Completion: emu.CompleteLate},
		{Order: emu.Seeded, Completion: emu.CompleteSeeded, Seed: 1},
	}
	var list []config
	for i, size := range []int{8, 16, 32, 64} {
		list = append(list,
			config{engines[0], size, size, orders},
			config{engines[len(engines)-1], size, 0, []emu.Schedule{orders[i%3], {Order: emu.Reverse}, {Order: emu.Seeded, Completion: emu.CompletePaced, Seed: uint64(i + 2)}}})
	}
	return list
}

// builder makes the program of a case for a device.
type builder func(c *Case, dev *emu.Device) (*emu.Program, error)

// fromSource compiles with lockstep's compiler.
func fromSource(c *Case, dev *emu.Device) (*emu.Program, error) {
	prog, log, err := dev.BuildProgram(c.Source, "-Wno-everything"+c.Options)
	if err != nil {
		return nil, fmt.Errorf("%w\n%v", err, log)
	}
	return prog, nil
}

// summary is what all runs of a case came to.
type summary struct {
	missed, found int // runs in which a finding was missed, and the others
	why           []string
	false         []string
}

// pass says whether everything was as it should be.
func (s *summary) pass(c *Case) bool {
	return len(s.false) == 0 && (s.missed == 0 || c.Some && s.found > 0)
}

// note adds a text to a list, once.
func note(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// judge runs a case under all configurations.
func judge(t *testing.T, c *Case, build builder, list []config) *summary {
	t.Helper()
	s := &summary{}
	var first *Outcome
	for _, cfg := range list {
		if c.SubGroup != 0 && c.SubGroup != cfg.subgroup {
			continue
		}
		dev, err := emu.NewDevice(emu.DeviceOptions{Engine: cfg.engine, SubgroupSize: cfg.subgroup, WaveLanes: cfg.wave, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		prog, err := build(c, dev)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			return s
		}
		for _, sched := range cfg.schedules {
			out, err := c.Run(context.Background(), dev, prog, sched)
			if err != nil {
				s.false = append(s.false, "not run: "+err.Error())
				return s
			}
			how := fmt.Sprintf("-engine %s -subgroup %d -wave %d %v", cfg.engine, cfg.subgroup, cfg.wave, sched)
			v := c.Judge(out.Findings)
			if len(v.Missed) > 0 {
				s.missed++
				s.why = note(s.why, "missed "+strings.Join(v.Missed, ", "))
			} else {
				s.found++
			}
			for _, f := range v.False {
				s.false = note(s.false, f)
			}
			if first == nil {
				first = out
			}
			if !c.Some && !c.Varies && !slices.Equal(c.places(first.Findings), c.places(out.Findings)) {
				s.false = note(s.false, fmt.Sprintf("findings differ with %s: %v, not %v", how, c.places(out.Findings), c.places(first.Findings)))
			}
			if len(c.Finds) == 0 && !c.Varies && !slices.EqualFunc(first.Buffers, out.Buffers, bytes.Equal) {
				s.false = note(s.false, "results differ with "+how)
			}
		}
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestSuite compares the verdicts about all cases with those of the specification, except for
// what pending.txt lists.
func TestSuite(t *testing.T) {
	pending := loadPending(t)
	still := map[string]bool{}
	for _, folder := range []string{"faulty", "right"} {
		cases := loadCases(t, folder)
		if len(cases) < fewest {
			t.Errorf("folder %s has %d cases, fewer than %d", folder, len(cases), fewest)
		}
		var good int
		for _, c := range cases {
			if judgeCase(t, c, c.Name, fromSource, configs(), pending, still) {
				good++
			}
		}
		t.Logf("%s: %d of %d as they should be", folder, good, len(cases))
	}
	finishPending(t, pending, still, false)
}

// judgeCase judges a case and compares the verdict with the list of what is pending.
func judgeCase(t *testing.T, c *Case, key string, build builder, list []config, pending map[string]bool, still map[string]bool) bool {
	t.Helper()
	s := judge(t, c, build, list)
	good := s.pass(c)
	if !good {
		still[key] = true
	}
	switch text := strings.Join(append(s.why, s.false...), "\n\t"); {
	case *update:
		if !good {
			t.Logf("%s (%d runs of %d missed):\n\t%s", key, s.missed, s.missed+s.found, text)
		}
	case !good && !pending[key]:
		t.Errorf("%s (%d runs of %d missed):\n\t%s", key, s.missed, s.missed+s.found, text)
	case good && pending[key]:
		t.Errorf("%s is as it should be: take it off %s", key, pendingFile)
	case testing.Verbose() && !good:
		t.Logf("pending: %s (%d runs of %d missed):\n\t%s", key, s.missed, s.missed+s.found, text)
	}
	return good
}

// loadPending reads the list of what is pending.
func loadPending(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(pendingFile)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list[line] = true
		}
	}
	return list
}

// finishPending fails for entries that no case has, and writes the list anew with -update: what is
// still pending, and the entries of the compiler that has not been tried.
func finishPending(t *testing.T, pending, still map[string]bool, clang bool) {
	t.Helper()
	for key := range pending {
		name, compiler, _ := strings.Cut(key, " ")
		if (compiler != "") != clang {
			still[key] = true
		} else if _, err := fs.Stat(sources, name+".cl"); err != nil {
			t.Errorf("%s: there is no case %s", pendingFile, key)
		}
	}
	if !*update {
		return
	}
	text := pendingHead + strings.Join(slices.Sorted(maps.Keys(still)), "\n") + "\n"
	if err := os.WriteFile(pendingFile, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// pendingHead begins the list.
const pendingHead = `# Cases whose verdict is not yet what the specification says, one a line; with the name of a compiler
# where that is so of its modules only. A test fails when an entry is found: take it off then.
`
