package conformance

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/emu/mux/muxtest"
)

const scenarioCase = `title:    targets
clause:   MUX-02, MUX-08
scenario: Info::createTarget
subgroup: 8, 32
`

func TestScenarioCase(t *testing.T) {
	c, err := Parse("x", "x.case", []byte(scenarioCase))
	if err != nil {
		t.Fatal(err)
	}
	if c.Scenario != "Info::createTarget" || c.Steps != nil || c.Exit != 0 {
		t.Errorf("the case is %+v", c)
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil || b.String() != scenarioCase {
		t.Errorf("written:\n%s\n%v", b.String(), err)
	}
	for _, tc := range []struct{ line, want string }{
		{"kernel: k", "a title, clauses and sub-group sizes only"},
		{"global: 1", "a title, clauses and sub-group sizes only"},
		{"expect: 0 = u32:1", "a title, clauses and sub-group sizes only"},
		{"clause: MUX-01", "no scenario of the section \"Info::createTarget\" proves MUX-01"},
		{"scenario: Info", "was given in line 3 already"},
		{"--- spirv\nOpNop", "a title, clauses and sub-group sizes only"},
	} {
		if _, err := Parse("x", "x.case", []byte(scenarioCase+tc.line+"\n")); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.line, err, tc.want)
		}
	}
	if _, err := Parse("x", "x.case", []byte("title: x\nscenario: Nothing\n")); err == nil || !strings.Contains(err.Error(), `there are no scenarios for the section "Nothing"`) {
		t.Error(err)
	}
}

// TestScenarioCases: there is a case for each section, with all clauses of its scenarios.
func TestScenarioCases(t *testing.T) {
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, c := range cases {
		if c.Scenario == "" {
			continue
		}
		if found[c.Scenario] {
			t.Errorf("%s is the second case about %s", c.Name, c.Scenario)
		}
		found[c.Scenario] = true
		if got := slices.Sorted(slices.Values(c.Clauses)); !slices.Equal(got, scenarioClauses(c.Scenario)) {
			t.Errorf("%s proves %q, it says %q", c.Name, scenarioClauses(c.Scenario), got)
		}
	}
	for _, s := range muxtest.Sections() {
		if !found[s] {
			t.Errorf("no case is about the section %s", s)
		}
	}
}

// lazy is a compiler that makes no targets.
type lazy struct{ mux.Info }

func (lazy) CreateTarget(*mux.Context, *emu.Device, mux.Allocator, mux.NotifyFunc) (mux.Target, error) {
	return nil, nil
}

func TestRunScenario(t *testing.T) {
	c, err := Parse("x", "x.case", []byte(scenarioCase))
	if err != nil {
		t.Fatal(err)
	}
	bad := func(add mux.AddCompilerFunc) {
		mux.GetCompilers(func(info mux.Info) { add(lazy{info}) })
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name   string
		ctx    context.Context
		sizes  []int
		get    mux.GetCompilersFunc
		status Status
		runs   int
	}{
		{"good", t.Context(), []int{8, 16, 32}, mux.GetCompilers, Passed, 2 * len(muxtest.Of(c.Scenario))},
		{"no compiler of the size", t.Context(), []int{16}, mux.GetCompilers, Skipped, 0},
		{"over", over, []int{8}, mux.GetCompilers, Stopped, 0},
		{"bad", t.Context(), []int{8, 32}, bad, Failed, 2 * len(muxtest.Of(c.Scenario))},
		{"nil", t.Context(), []int{8}, func(add mux.AddCompilerFunc) { add(nil) }, Broken, 0},
	} {
		r := runScenario(tc.ctx, c, Matrix{SubGroups: tc.sizes}, tc.get)
		if r.Status != tc.status || r.Runs != tc.runs {
			t.Errorf("%s: %s after %d runs, want %s after %d: %+v", tc.name, r.Status, r.Runs, tc.status, tc.runs, r.Failures)
		}
		if tc.status == Failed {
			if len(r.Failures) == 0 || r.Failures[0].Count != 2 || r.Failures[0].Config.String() != "-subgroup 32" ||
				!strings.Contains(r.Failures[0].Message, "Info::createTarget, allocation failure: the error is <nil>") {
				t.Errorf("the failures are %+v", r.Failures)
			}
		}
	}
}
