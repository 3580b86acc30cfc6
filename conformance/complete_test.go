package conformance

import "testing"

// complete has what must be covered whole: prefixes of ids.
var complete = []string{"GAC", "AAO", "PIP", "MUX-01", "MUX-02", "MUX-03", "MUX-04", "MUX-05", "MUX-06", "MUX-07", "MUX-08", "MUX-09", "MUX-11", "MUX-19", "MUX-20"}

// TestComplete: cases prove what is complete. TestConformance runs them.
func TestComplete(t *testing.T) {
	list, err := Clauses()
	if err != nil {
		t.Fatal(err)
	}
	if list, err = SelectClauses(list, complete); err != nil {
		t.Fatal(err)
	}
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{}
	for _, c := range cases {
		r.Results = append(r.Results, Result{Case: c, Status: Passed})
	}
	coverage := Cover(list, r)
	if len(coverage.Clauses) < 38 {
		t.Errorf("%d clauses", len(coverage.Clauses))
	}
	for i := range coverage.Clauses {
		if c := &coverage.Clauses[i]; c.State() != Covered {
			t.Errorf("%s: %s", c.ID, c.missing())
		}
	}
}
