package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChart holds that the picture is well-formed, has a bar for each time that
// was measured, and says what was measured where.
func TestChart(t *testing.T) {
	r := sample()
	chart := r.SVG()
	golden(t, "chart.svg", string(chart))
	bars, texts := 0, ""
	d := xml.NewDecoder(bytes.NewReader(chart))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "rect" {
				bars++
			}
		case xml.CharData:
			texts += string(token) + "\n"
		}
	}
	want := len(r.Implementations) // in the legend
	for i := range r.Rows {
		for j := range r.Rows[i].Cells {
			if r.Rows[i].Cells[j].measured() {
				want++
			}
		}
	}
	if bars != want {
		t.Errorf("%d bars, want %d", bars, want)
	}
	for _, text := range []string{r.Date, r.Machine.CPU, "saxpy", "inthash", "fft", handwritten, "logarithmic"} {
		if !strings.Contains(texts, text) {
			t.Errorf("the chart does not say %q", text)
		}
	}
	r.Implementations[2].Name = "another"
	if r.SVG() != nil {
		t.Error("a chart against PoCL without PoCL")
	}
}

func TestSpeeds(t *testing.T) {
	r := sample()
	for i, want := range [][]float64{
		{0.405, 0.405 / 4.05, 1, 0.405 / 1620, 0},
		{40, 4, 1, 0, 50},
		{1.1, 0.11, 1, 1.1 / 160, 0},
	} {
		got := r.speeds(&r.Rows[i])
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }) {
			t.Errorf("%s: got %v, want %v", r.Rows[i].Kernel, got, want)
		}
	}
}

func TestFactor(t *testing.T) {
	for in, want := range map[float64]string{12.34: "12.3", 0.5: "0.5", 0.05: "1/20", 1.0 / 357: "1/357", 1.0 / 35712: "1/35700"} {
		if got := factor(in); got != want {
			t.Errorf("factor(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestTargets(t *testing.T) {
	r := sample()
	for i, want := range []string{"MISSES 0.9 × PoCL", holds, holds} {
		if got := r.Rows[i].verdict(); got != want {
			t.Errorf("%s: %q, want %q", r.Rows[i].Kernel, got, want)
		}
	}
	got := map[string]Figure{}
	for _, f := range r.summary() {
		got[f.Name] = f
	}
	for name, want := range map[string]struct {
		value   float64
		verdict string
	}{
		"kernels ahead of PoCL":                   {2, misses},
		"speed against PoCL":                      {math.Sqrt(0.405 * 40), holds},
		"speed against Oclgrind":                  {1620, ""},
		"inthash against " + handwritten:          {1.25, holds},
		"longest compilation, lockstep " + avx512: {2.5, misses},
		"speed against " + interpreter:            {math.Sqrt(4.05 * 10), ""},
	} {
		f, ok := got[name]
		if !ok || math.Abs(f.Value-want.value) > 1e-9*want.value || f.Verdict != want.verdict {
			t.Errorf("%s: %+v, want %v", name, f, want)
		}
	}
	if len(got) != 9 { // with those in CPU time, which TestProcessorFigures is about
		t.Errorf("%d figures", len(got))
	}
	r.Implementations[0].Name = interpreter
	if figures := r.summary(); figures != nil {
		t.Errorf("targets of an engine that did not run: %v", figures)
	}
	c := &comparison{implementations: r.Implementations[:4]}
	cells := r.Rows[0].Cells
	for kernel, want := range map[string]float64{"inthash": grindTarget, "blackscholes": 20, "saxpy": grindTarget} {
		list := c.targets(&Row{Kernel: kernel, Cells: cells})
		if len(list) != 1 || list[0].Against != oclgrind || list[0].Least != want {
			t.Errorf("%s on the portable engine: %+v", kernel, list)
		}
	}
}

// TestRecord holds that a run writes its files, keeps the rest of the README and writes
// the same again.
func TestRecord(t *testing.T) {
	root := t.TempDir()
	page := "# Title\n\n" + readmeBegin + "\nold\n" + readmeEnd + "\n\nmore\n"
	for range 2 {
		if err := os.WriteFile(filepath.Join(root, readme), []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(root, "bench"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := sample().recordIn(root); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			readme:          "# Title\n\n" + readmeBegin + "\n" + sample().Summary() + readmeEnd + "\n\nmore\n",
			resultsChart:    string(sample().SVG()),
			resultsMarkdown: sample().Markdown(),
		} {
			got, err := os.ReadFile(filepath.Join(root, name))
			if err != nil || string(got) != want {
				t.Errorf("%s: %v, %q", name, err, got)
			}
			if name == readme {
				page = string(got)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(root, readme), []byte("# Title\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := sample().recordIn(root); err == nil || !strings.Contains(err.Error(), readmeBegin) {
		t.Errorf("a README without the lines: %v", err)
	}
	if err := (&Report{Implementations: []Implementation{{Name: interpreter}}}).record(t.Context()); err == nil {
		t.Error("no error for a report without kernels")
	}
}

// TestRecordOthers holds that records of other machines stand behind the record, and that what is none is refused.
func TestRecordOthers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	other := &Report{Command: "go run . -sections processors", Implementations: []Implementation{{Name: nativeAVX512}},
		Figures: []Figure{{Table: processorsTable, Name: "saxpy", Value: 12, Unit: "times"}}}
	numbers, err := other.JSON()
	if err != nil {
		t.Fatal(err)
	}
	write("results.json", "not read")
	write("sixteen.json", string(numbers))
	got, err := sample().withOthers(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{sample().Markdown() + "\n## sixteen\n\n- ", "| " + processorsTable + " | measured", "| saxpy | 12 times |"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, wrong := range []string{"{", "{}", `{"implementations":[{"name":"a"}],"kernels":[{"kernel":"k"}]}`} {
		write("wrong.json", wrong)
		if _, err := sample().withOthers(dir); err == nil || !strings.Contains(err.Error(), "wrong.json") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// TestRepository holds that the repository's files are made of its numbers; with
// -update they are made again.
func TestRepository(t *testing.T) {
	root := filepath.Join("..", "..")
	r, err := readReport(filepath.Join(root, resultsJSON))
	if err != nil {
		t.Fatal(err)
	}
	tables, err := r.withOthers(filepath.Join(root, resultsDir))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := r.recordIn(root); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{resultsChart: string(r.SVG()), resultsMarkdown: tables, readme: r.Summary()} {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(got), content) {
			t.Errorf("%s is not what %s says (go test -update makes it)", name, resultsJSON)
		}
	}
}
