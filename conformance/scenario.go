package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/emu/mux/muxtest"
)

// scenarioClauses returns the clauses that the scenarios of a section prove, each once.
func scenarioClauses(section string) []string {
	var list []string
	for _, s := range muxtest.Of(section) {
		for _, c := range s.Clauses {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	slices.Sort(list)
	return list
}

// checkScenario finds what is wrong with a case of scenarios.
func (c *Case) checkScenario() *problem {
	clauses := scenarioClauses(c.Scenario)
	if clauses == nil {
		return bad("scenario", 0, "there are no scenarios for the section %q; sections with some are %q", c.Scenario, muxtest.Sections())
	}
	for i, id := range c.Clauses {
		if !slices.Contains(clauses, id) {
			return bad("clause", i, "no scenario of the section %q proves %s", c.Scenario, id)
		}
	}
	for _, f := range []struct {
		key  string
		have bool
	}{
		{"module", c.Module != "" || c.Text != ""}, {"version", c.Version != ""}, {"kernel", c.Steps != nil || c.Pipes != nil},
		{"spec", c.SpecConstants != nil}, {"output", c.Output != nil},
		{"finding", c.Findings != nil}, {"refuse", c.Refuse != ""}, {"exit", c.Exit != 0}, {"check", c.Check != ChecksAny}, {"timeout", c.Timeout != 0},
	} {
		if f.have {
			return bad(f.key, 0, "a case of scenarios has a title, clauses and sub-group sizes only")
		}
	}
	return c.checkSubGroups()
}

// runScenario runs the scenarios of a case with each of the compilers for a sub-group size of
// the matrix. A run is one scenario with one compiler.
func runScenario(ctx context.Context, c *Case, m Matrix, get mux.GetCompilersFunc) Result {
	res := Result{Case: c, Status: Passed}
	compilers, err := mux.Compilers(get)
	if err != nil {
		return Result{Case: c, Status: Broken, Failures: []Failure{{Message: err.Error(), Count: 1}}}
	}
	list := muxtest.Of(c.Scenario)
	for _, info := range compilers {
		n := int(info.DeviceInfo().SubGroupSize)
		if !slices.Contains(m.SubGroups, n) || len(c.SubGroups) > 0 && !slices.Contains(c.SubGroups, n) {
			continue
		}
		for i := range list {
			if ctx.Err() != nil {
				res.Status = Stopped
				return res
			}
			err := list[i].Try(muxtest.Env{Info: info, GetCompilers: get})
			if errors.Is(err, muxtest.ErrNotForThis) {
				continue
			}
			res.Runs++
			if err != nil {
				// Compilers fail alike where the sub-group size does not matter.
				res.fail(fault{list[i].Section + ", " + list[i].Name, fmt.Sprint(err)}, Config{SubGroup: n})
			}
		}
	}
	if res.Runs == 0 {
		res.Status = Skipped
	}
	return res
}
