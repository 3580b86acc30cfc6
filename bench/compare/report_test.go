package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is a report with every kind of entry.
func sample() *Report {
	return &Report{
		Date:    "2001-02-03",
		Machine: Machine{CPU: "Maker Chip 9", CPUs: 4, OS: "linux", Arch: "amd64", Go: "go1.26", Load: 2.25},
		Command: "go run . -runs 3", Sizes: "default", Rounds: 3,
		Implementations: []Implementation{{Name: "lockstep"}, {Name: "PoCL", Version: "OpenCL 3.0", Device: "cpu"}, {Name: oclgrind, Version: "OpenCL 1.2", Device: "sim"}},
		Rows: []Row{
			{Kernel: "saxpy", Work: "1024", Target: 100, Verdict: holds, Cells: []Cell{
				{Build: 0.001, First: 0.002, Time: 0.0012345, CPU: 0.002, Runs: 9, Result: sameBits},
				{Build: 0.2, First: 0.1, Time: 0.0005, CPU: 0.001, Runs: 9, Faster: 0.405, FasterCPU: 0.5, Result: "3 ulp"},
				{Build: 0.02, First: 0.5, Time: 0.5, CPU: 0.9, Runs: 3, Faster: 405.02, FasterCPU: 450, Result: sameBits},
			}},
			{Kernel: "nbody", Work: "16 x 16", Target: 100, Cells: []Cell{
				{Build: 0.001, First: 0.002, Time: 0.1, CPU: 0.2, Runs: 9, Result: sameBits},
				{Build: 0.2, First: 0.1, Time: 0.05, CPU: 0.1, Runs: 9, Faster: 0.5, FasterCPU: 0.5, Result: sameBits},
				{Error: "Oclgrind: no answer in 5m0s"},
			}},
		},
		Figures: []Figure{
			{Name: "launch", Value: 1.5, Unit: "µs", Target: "under 20", Verdict: holds, Detail: "median of 9"},
			{Name: "memory", Value: 65.25, Unit: "MiB", Target: "under 64", Verdict: misses},
			{Table: "copies", Name: "a copy", Value: 0.925, Unit: "times the speed", Target: "at least 0.8", Verdict: holds, Detail: "one worker"},
		},
	}
}

func TestReportText(t *testing.T)     { golden(t, "report.txt", sample().Text()) }
func TestReportMarkdown(t *testing.T) { golden(t, "report.md", sample().Markdown()) }

func TestReportJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	if err := sample().writeJSON(file); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", string(b))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it):\n%s", file, got)
	}
}

func TestFailure(t *testing.T) {
	r := sample()
	if err := r.failure(); err == nil || err.Error() != "nbody: Oclgrind: no answer in 5m0s" {
		t.Errorf("an implementation that failed: %v", err)
	}
	r.Rows = r.Rows[:1]
	if err := r.failure(); err != nil {
		t.Errorf("nothing failed, but %v", err)
	}
	r.Rows[0].Cells[1].Result = differs + " in argument 1"
	if err := r.failure(); err == nil {
		t.Error("no error for a result that differs")
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"5": "5", "200ms": "200ms", "": "''", "saxpy|nbody": "'saxpy|nbody'", "it's": `'it'\''s'`,
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
}
