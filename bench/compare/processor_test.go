package main

import (
	"math"
	"strings"
	"testing"
)

// fieldsSample is a report about the native engine's two sets of instructions and PoCL.
func fieldsSample() *Report {
	row := func(kernel, field string, watched bool, machine, narrow, pocl float64, rest ...string) Row {
		return Row{Kernel: kernel, Field: field, Watched: watched, Eight: field == "", Work: "64", Cells: []Cell{
			{Time: 0.001, CPU: 0.002, Compile: 0.0005, MachineCode: machine, Portable: rest, Result: sameBits},
			{Time: 0.001 * narrow, CPU: 0.002 * narrow, Compile: 0.0015, Faster: narrow, FasterCPU: narrow, MachineCode: machine, Result: sameBits},
			{Time: 0.001 * pocl, CPU: 0.002 * pocl, Faster: pocl, FasterCPU: pocl, Result: sameBits},
		}}
	}
	r := &Report{Implementations: []Implementation{{Name: nativeAVX512}, {Name: nativeAVX2}, {Name: pocl}}, Rows: []Row{
		row("saxpy", "", false, 1, 2, 1),
		row("fir16", "signals", true, 1, 4, 16),
		row("relax", "graphs", true, 0.75, 2, 0.25, "atomic 25 % (instruction 7)", "load 1 % (instruction 8)"),
	}}
	c := &comparison{implementations: r.Implementations}
	for i := range r.Rows {
		r.Rows[i].Targets = c.targets(&r.Rows[i])
	}
	return r
}

func TestProcessorTable(t *testing.T) {
	var b strings.Builder
	writeAligned(&b, fieldsSample().processorTable())
	golden(t, "processor.txt", b.String())
	r := fieldsSample()
	r.Implementations[2].Name = "another"
	if r.processorTable() != nil || r.processorFigures() != nil {
		t.Error("a table against PoCL without PoCL")
	}
}

// TestProcessorFigures holds the targets over all kernels to figures of which some miss.
func TestProcessorFigures(t *testing.T) {
	want := []Figure{
		{Name: nativeAVX512 + " against PoCL, all kernels", Value: math.Cbrt(4), Verdict: misses},
		{Name: nativeAVX512 + " against PoCL, watched kernels", Value: 2, Verdict: misses},
		{Name: nativeAVX512 + ", kernels that are not behind PoCL", Value: 2, Verdict: misses, Detail: "relax 0.25"},
		{Name: nativeAVX2 + " against PoCL, all kernels", Value: math.Cbrt(0.25), Verdict: misses},
		{Name: nativeAVX2 + " against PoCL, watched kernels", Value: math.Sqrt(0.5), Verdict: misses},
		{Name: nativeAVX2 + ", kernels that are not behind PoCL", Value: 1, Verdict: misses, Detail: "saxpy 0.5, relax 0.125"},
		{Name: nativeAVX2 + " against " + nativeAVX512, Value: math.Cbrt(1. / 16), Verdict: misses},
		{Name: "kernels with machine code for nearly all", Value: 2, Verdict: misses, Detail: "relax 75 %"},
	}
	r := fieldsSample()
	got := r.processorFigures()
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if f := got[i]; f.Name != w.Name || math.Abs(f.Value-w.Value) > 1e-9 || f.Verdict != w.Verdict || w.Detail != "" && f.Detail != w.Detail {
			t.Errorf("%+v, want %+v", f, w)
		}
	}
	for i := range r.Rows {
		r.Rows[i].Cells[0].MachineCode, r.Rows[i].Cells[2].FasterCPU = 1, 8
		r.Rows[i].Cells[1].FasterCPU = 1.5
	}
	for _, f := range r.processorFigures() {
		if f.Verdict != holds {
			t.Errorf("%+v", f)
		}
	}
}

// TestFieldsSummary: pages show the kernels of many fields in one sentence.
func TestFieldsSummary(t *testing.T) {
	r := fieldsSample()
	text := r.Summary()
	if !strings.Contains(text, "Over 3 kernels of many fields, in CPU time, it is 1.59 times as fast as PoCL; over the 2 of them that no change is made for, 2 times.\n") {
		t.Error(text)
	}
	if strings.Contains(text, "fir16") || strings.Contains(string(r.SVG()), "fir16") || !strings.Contains(r.Markdown(), "fir16 *") {
		t.Error("fir16 in a page or not in the tables")
	}
	r.Rows = r.Rows[1:]
	if text := r.Summary(); !strings.Contains(text, "fir16") || strings.Contains(text, "many fields") {
		t.Error(text)
	}
}
