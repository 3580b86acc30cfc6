package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// Report is everything that one run of the command found.
type Report struct {
	Date            string           `json:"date"`
	Machine         Machine          `json:"machine"`
	Command         string           `json:"command"`
	Sizes           string           `json:"sizes"`
	Rounds          int              `json:"rounds"`
	Implementations []Implementation `json:"implementations"`
	Rows            []Row            `json:"kernels"`
	Figures         []Figure         `json:"figures"`
}

// Implementation is what kernels ran on; the first is lockstep.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Device  string `json:"device,omitempty"`
}

// failure is an error when an implementation failed or results differ.
func (r *Report) failure() error {
	for _, row := range r.Rows {
		for i, cell := range row.Cells {
			if cell.Error != "" {
				return fmt.Errorf("%s: %s", row.Kernel, cell.Error)
			}
			if strings.HasPrefix(cell.Result, differs) {
				return fmt.Errorf("%s on %s: %s", row.Kernel, r.Implementations[i].Name, cell.Result)
			}
		}
	}
	return nil
}

// writeJSON writes the report to a file.
func (r *Report) writeJSON(file string) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o666)
}

// heading says where and how the numbers were made.
func (r *Report) heading() []string {
	lines := []string{
		fmt.Sprintf("%s, %s, %d CPUs, %s/%s, %s%s", r.Date, r.Machine.CPU, r.Machine.CPUs, r.Machine.OS, r.Machine.Arch, r.Machine.Go, r.Machine.load()),
		fmt.Sprintf("%s (sizes: %s, %d rounds)", r.Command, r.Sizes, r.Rounds),
	}
	for _, impl := range r.Implementations[1:] {
		lines = append(lines, fmt.Sprintf("%s: %s, %s", impl.Name, impl.Version, impl.Device))
	}
	return lines
}

// load says how busy the machine was before.
func (m Machine) load() string {
	switch {
	case m.Load < 0:
		return ""
	case m.Load < 0.5:
		return ", otherwise idle"
	}
	return fmt.Sprintf(", busy (load %.1f before the run)", m.Load)
}

// notes explain the columns.
var notes = []string{
	"Times are milliseconds: build + first launch, then the median of the rounds.",
	"\"× NAME\" is how many times as fast lockstep is, in elapsed time and, in parentheses, in CPU time.",
	"The target is the least number for × Oclgrind.",
}

// kernelTable has the kernels, a row each, under a row of titles.
func (r *Report) kernelTable() [][]string {
	title := []string{"kernel", "work-items"}
	for _, impl := range r.Implementations {
		title = append(title, impl.Name+" build", impl.Name)
	}
	for _, impl := range r.Implementations[1:] {
		title = append(title, "× "+impl.Name)
	}
	title = append(title, "target", "verdict", "result")
	table := [][]string{title}
	for _, row := range r.Rows {
		line := []string{row.Kernel, row.Work}
		for _, cell := range row.Cells {
			if cell.Error != "" {
				line = append(line, "-", "failed")
				continue
			}
			line = append(line, fmt.Sprintf("%.1f + %s", 1e3*cell.Build, number(1e3*cell.First)), number(1e3*cell.Time))
		}
		var results []string
		for i, cell := range row.Cells {
			if cell.Result != "" && cell.Result != sameBits {
				results = append(results, r.Implementations[i].Name+" "+cell.Result)
			}
			if i == 0 {
				continue
			}
			if cell.Error != "" {
				line = append(line, "-")
				continue
			}
			line = append(line, fmt.Sprintf("%s (%s)", number(cell.Faster), number(cell.FasterCPU)))
		}
		if len(results) == 0 {
			results = []string{sameBits}
		}
		line = append(line, number(row.Target), dash(row.Verdict), strings.Join(results, "; "))
		table = append(table, line)
	}
	return table
}

// figureTables has the figures of lockstep alone, under a row of titles for
// those that belong together.
func (r *Report) figureTables() [][][]string {
	var tables [][][]string
	for i, f := range r.Figures {
		if i == 0 || f.Table != r.Figures[i-1].Table {
			title := f.Table
			if title == "" {
				title = "lockstep alone"
			}
			tables = append(tables, [][]string{{title, "measured", "target", "verdict", "detail"}})
		}
		last := &tables[len(tables)-1]
		*last = append(*last, []string{f.Name, number(f.Value) + " " + f.Unit, dash(f.Target), dash(f.Verdict), f.Detail})
	}
	return tables
}

// Text is the report for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	for _, line := range r.heading() {
		b.WriteString(line + "\n")
	}
	b.WriteByte('\n')
	writeAligned(&b, r.kernelTable())
	for _, note := range notes {
		b.WriteString(note + "\n")
	}
	for _, table := range r.figureTables() {
		b.WriteByte('\n')
		writeAligned(&b, table)
	}
	return b.String()
}

// Markdown is the report as a file of the repository.
func (r *Report) Markdown() string {
	var b strings.Builder
	b.WriteString("# Results\n\nWritten by the command in [compare](compare).\n\n")
	for _, line := range r.heading() {
		b.WriteString("- " + line + "\n")
	}
	b.WriteByte('\n')
	writeMarkdown(&b, r.kernelTable())
	b.WriteByte('\n')
	for _, note := range notes {
		b.WriteString(note + "\n")
	}
	for _, table := range r.figureTables() {
		b.WriteByte('\n')
		writeMarkdown(&b, table)
	}
	return b.String()
}

// writeAligned writes a table in columns.
func writeAligned(b *strings.Builder, table [][]string) {
	width := make([]int, len(table[0]))
	for _, line := range table {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range table {
		var text strings.Builder
		for i, cell := range line {
			text.WriteString(cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}

func writeMarkdown(b *strings.Builder, table [][]string) {
	for i, line := range table {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(line)) + "|\n")
		}
	}
}

// number prints three digits, and whole numbers in full.
func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// milliseconds prints a time in seconds.
func milliseconds(seconds float64) string { return number(1e3*seconds) + " ms" }

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
