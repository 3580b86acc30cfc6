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
	r := &Report{
		Date:    "2001-02-03",
		Machine: Machine{CPU: "Maker Chip 9 <fast> & cool", CPUs: 4, OS: "linux", Arch: "amd64", Go: "go1.26", Load: 2.25},
		Command: "go run . -runs 3", Sizes: "default", Rounds: 3,
		Implementations: []Implementation{{Name: nativeAVX512}, {Name: interpreter}, {Name: pocl, Version: "OpenCL 3.0", Device: "cpu"},
			{Name: oclgrind, Version: "OpenCL 1.2", Device: "sim"}, {Name: handwritten, Version: "compiler 15", Device: "-O3"}},
		Rows: []Row{
			{Kernel: "saxpy", Eight: true, Work: "1024", Smaller: "256", Cells: []Cell{
				{Compile: 0.0005, Build: 0.001, First: 0.002, Time: 0.0012345, CPU: 0.002, Runs: 9, MachineCode: 1, Result: sameBits},
				{Build: 0.001, First: 0.002, Time: 0.005, CPU: 0.008, Runs: 9, Faster: 4.05, FasterCPU: 4, Result: sameBits},
				{Build: 0.2, First: 0.1, Time: 0.0005, CPU: 0.001, Runs: 9, Faster: 0.405, FasterCPU: 0.5, Result: "3 ulp"},
				{Build: 0.02, First: 0.5, Time: 0.5, CPU: 0.9, Runs: 3, Share: 0.25, Faster: 1620, FasterCPU: 1800, Result: sameBits},
				{Absent: true},
			}},
			{Kernel: "inthash", Eight: true, Work: "16 x 16", Cells: []Cell{
				{Compile: 0.0025, Build: 0.001, First: 0.002, Time: 0.1, CPU: 0.2, Runs: 9, MachineCode: 1, Result: sameBits},
				{Build: 0.001, First: 0.002, Time: 1, CPU: 2, Runs: 9, Faster: 10, FasterCPU: 10, Result: sameBits},
				{Build: 0.2, First: 0.1, Time: 4, CPU: 8, Runs: 9, Faster: 40, FasterCPU: 40, Result: sameBits},
				{Error: "Oclgrind: no answer in 5m0s"},
				{Time: 0.08, CPU: 0.16, Runs: 9, Faster: 0.8, FasterCPU: 0.8, Result: sameBits},
			}},
			{Kernel: "fft", Work: "64", Smaller: "16", Cells: []Cell{
				{Build: 0.001, First: 0.002, Time: 0.1, CPU: 0.2, Runs: 9, MachineCode: 1, Result: sameBits},
				{Build: 0.001, First: 0.002, Time: 1, CPU: 2, Runs: 9, Faster: 10, FasterCPU: 10, Result: sameBits},
				{Build: 0.2, First: 0.1, Time: 0.11, CPU: 8, Runs: 9, Faster: 1.1, FasterCPU: 1.2, Result: sameBits},
				{Build: 0.2, First: 0.1, Time: 4, CPU: 8, Runs: 9, Share: 0.25, Faster: 160, FasterCPU: 150, Result: sameBits},
				{Absent: true},
			}},
		},
		Notes: []string{"no implementation of that name"},
	}
	c := &comparison{implementations: r.Implementations}
	for i := range r.Rows {
		r.Rows[i].Targets = c.targets(&r.Rows[i])
	}
	r.Figures = append(r.summary(), []Figure{
		{Name: "launch", Value: 1.5, Unit: "µs", Target: "under 20", Verdict: holds, Detail: "median of 9"},
		{Name: "memory", Value: 65.25, Unit: "MiB", Target: "under 64", Verdict: misses},
		{Table: coldTable, Name: "saxpy: lockstep", Value: 7.5, Unit: "ms", Detail: "1024 work-items"},
		{Table: coldTable, Name: "saxpy: lockstep against PoCL, warm cache", Value: 35, Unit: "times the speed", Target: "at least 3", Verdict: holds},
		{Table: coldTable, Name: "saxpy: lockstep against Oclgrind", Value: 45, Unit: "times the speed"},
		{Table: coldTable, Name: "inthash: lockstep", Value: 8, Unit: "ms"},
		{Table: "copies", Name: "a copy", Value: 0.925, Unit: "times the speed", Target: "at least 0.8", Verdict: holds, Detail: "one worker"},
	}...)
	return r
}

func TestReportText(t *testing.T)     { golden(t, "report.txt", sample().Text()) }
func TestReportMarkdown(t *testing.T) { golden(t, "report.md", sample().Markdown()) }

func TestReportSummary(t *testing.T) { golden(t, "summary.md", sample().Summary()) }

func TestReportJSON(t *testing.T) {
	b, err := sample().JSON()
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
	if err := r.failure(); err == nil || err.Error() != "inthash: Oclgrind: no answer in 5m0s" {
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
