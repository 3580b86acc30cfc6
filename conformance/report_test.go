package conformance

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"testing"
)

// sample is a report with every status.
func sample() *Report {
	cfg := Config{Engine: "interp", SubGroup: 8, Wave: 64, Workers: 2, Schedule: seeded(3)}
	return &Report{Results: []Result{
		{Case: &Case{Name: "a/good", Title: "all is well", Clauses: []string{"SPV-OpNop"}}, Status: Passed, Runs: 12},
		{Case: &Case{Name: "a/bad", Title: "1 < 2 & \"so\""}, Status: Failed, Runs: 12, Failures: []Failure{
			{Message: "argument 0: 1 of 4 u32 differ:\n  [2] is 1, want <2>", Config: &cfg, Count: 3},
			{Message: "exit status 1, want 0", Config: &cfg, Count: 1},
		}},
		{Case: &Case{Name: "broken", Title: "cannot be read"}, Status: Broken, Failures: []Failure{{Message: "broken.case:3:4: no", Count: 1}}},
		{Case: &Case{Name: "a/b/skipped", Title: "wants sub-groups of 2"}, Status: Skipped},
		{Case: &Case{Name: "a/stopped", Title: "was not finished"}, Status: Stopped, Runs: 1},
	}}
}

func TestReports(t *testing.T) {
	var text, verbose, jsonText, junit bytes.Buffer
	r := sample()
	for _, err := range []error{r.WriteText(&text, false), r.WriteText(&verbose, true), r.WriteJSON(&jsonText), r.WriteJUnit(&junit)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "run/report.txt", text.Bytes())
	golden(t, "run/report-verbose.txt", verbose.Bytes())
	golden(t, "run/report.json", jsonText.Bytes())
	golden(t, "run/report.xml", junit.Bytes())
	if !json.Valid(jsonText.Bytes()) {
		t.Error("the JSON form is not valid")
	}
	var back junitSuites
	if err := xml.Unmarshal(junit.Bytes(), &back); err != nil {
		t.Error(err)
	} else if back.Tests != 5 || back.Failures != 1 || back.Errors != 2 || len(back.Suite.Cases) != 5 ||
		back.Suite.Cases[1].Failure == nil || back.Suite.Cases[2].Error == nil || back.Suite.Cases[3].Skipped == nil {
		t.Errorf("the JUnit form reads back as %+v", back)
	}
}

func TestOK(t *testing.T) {
	for _, tc := range []struct {
		s  Status
		ok bool
	}{{Passed, true}, {Skipped, true}, {Failed, false}, {Broken, false}, {Stopped, false}} {
		r := &Report{Results: []Result{{Case: &Case{}, Status: Passed, Runs: 1}, {Case: &Case{}, Status: tc.s}}}
		if r.OK() != tc.ok {
			t.Errorf("with a case that %s: %v", tc.s, r.OK())
		}
	}
	if got := (Summary{}).String(); got != "no cases" {
		t.Error(got)
	}
	if got := (Summary{Cases: 1, Configurations: 1, Passed: 1}).String(); got != "1 case in 1 configuration: 1 passed" {
		t.Error(got)
	}
}
