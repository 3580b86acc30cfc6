package main

import (
	"encoding/json"
	"fmt"
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
	// Notes say what is not there, and why.
	Notes []string `json:"notes,omitempty"`
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

// JSON is the report as numbers.
func (r *Report) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "\t")
	return append(b, '\n'), err
}

// heading says where and how the numbers were made.
func (r *Report) heading() []string {
	lines := []string{
		fmt.Sprintf("%s, %s, %d CPUs, %s/%s, %s%s", r.Date, r.Machine.CPU, r.Machine.CPUs, r.Machine.OS, r.Machine.Arch, r.Machine.Go, r.Machine.load()),
		fmt.Sprintf("%s (sizes: %s, %d rounds)", r.Command, r.Sizes, r.Rounds),
	}
	for _, impl := range r.Implementations {
		if impl.Version != "" {
			lines = append(lines, fmt.Sprintf("%s: %s, %s", impl.Name, impl.Version, impl.Device))
		}
	}
	return append(lines, r.Notes...)
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

// explanations are those of the columns.
func (r *Report) explanations() []string {
	first := r.Implementations[0].Name
	lines := []string{
		"Times are milliseconds, medians of the rounds, of a whole launch: from the call until its results are there.",
		fmt.Sprintf("\"× NAME\" is how many times as fast %s is; the verdict is about these numbers.", first),
	}
	for i, impl := range r.Implementations {
		if r.anyShare(i) {
			lines = append(lines, fmt.Sprintf("%s runs a smaller launch, of so many work-items; × %s is by equal work, in operations of lanes as lockstep counts them.", impl.Name, impl.Name))
		}
	}
	return lines
}

// kernelTable has the kernels, a row each, under a row of titles.
func (r *Report) kernelTable() [][]string {
	title := []string{"kernel", "work-items"}
	for _, impl := range r.Implementations {
		title = append(title, impl.Name)
	}
	for _, impl := range r.Implementations[1:] {
		title = append(title, "× "+impl.Name)
	}
	table := [][]string{append(title, "verdict", "result")}
	for _, row := range r.Rows {
		line := []string{row.mark(), row.Work}
		var results []string
		for i, cell := range row.Cells {
			line = append(line, row.time(i))
			if cell.Result != "" && cell.Result != sameBits {
				results = append(results, r.Implementations[i].Name+" "+cell.Result)
			}
		}
		for _, cell := range row.Cells[1:] {
			if !cell.measured() {
				line = append(line, "-")
				continue
			}
			line = append(line, number(cell.Faster))
		}
		if len(results) == 0 {
			results = []string{sameBits}
		}
		table = append(table, append(line, row.verdict(), strings.Join(results, "; ")))
	}
	return table
}

// time is that of an implementation, in milliseconds, with the work where it is
// not the row's.
func (row *Row) time(i int) string {
	cell := &row.Cells[i]
	switch {
	case cell.Absent:
		return "-"
	case cell.Error != "":
		return "failed"
	case cell.Share != 0:
		return fmt.Sprintf("%s (%s)", number(1e3*cell.Time), row.Smaller)
	}
	return number(1e3 * cell.Time)
}

// verdict says which targets are missed, or that all hold.
func (row *Row) verdict() string {
	if len(row.Targets) == 0 {
		return "-"
	}
	var missed []string
	for _, t := range row.Targets {
		if t.Verdict != holds {
			missed = append(missed, fmt.Sprintf("%s × %s", number(t.Least), t.Against))
		}
	}
	if len(missed) > 0 {
		return misses + " " + strings.Join(missed, ", ")
	}
	return holds
}

// buildTable has what comes before the kernels' time.
func (r *Report) buildTable() [][]string {
	title := []string{"build"}
	for _, impl := range r.Implementations {
		if impl.Name == handwritten {
			continue
		}
		title = append(title, impl.Name)
		if impl.native() {
			title = append(title, "compilation")
		}
	}
	table := [][]string{title}
	for _, row := range r.Rows {
		line := []string{row.Kernel}
		for i, cell := range row.Cells {
			if r.Implementations[i].Name == handwritten {
				continue
			}
			if !cell.measured() {
				line = append(line, "-")
			} else {
				line = append(line, fmt.Sprintf("%s + %s", number(1e3*cell.Build), number(1e3*cell.First)))
			}
			if r.Implementations[i].native() {
				line = append(line, number(1e3*cell.Compile))
			}
		}
		table = append(table, line)
	}
	return table
}

// buildNote explains it.
const buildNote = "Milliseconds to make the program + the first launch, in which most compile the kernel; what of it is compilation on the native engine, by itself."

// figureTables has the figures of lockstep alone, under a row of titles for
// those that belong together.
func (r *Report) figureTables() [][][]string {
	var tables [][][]string
	for i, f := range r.Figures {
		if i == 0 || f.Table != r.Figures[i-1].Table {
			title := f.Table
			if title == "" {
				title = r.Implementations[0].Name + " alone"
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
	r.write(&b, "", writeAligned)
	return b.String()
}

// Markdown is the report as a file of the repository.
func (r *Report) Markdown() string {
	var b strings.Builder
	b.WriteString("# Results\n\nWritten by the command in [compare](compare).\n\n")
	r.write(&b, "- ", writeMarkdown)
	return b.String()
}

// write writes the heading, with a bullet before each line, and the tables.
func (r *Report) write(b *strings.Builder, bullet string, table func(*strings.Builder, [][]string)) {
	for _, line := range r.heading() {
		b.WriteString(bullet + line + "\n")
	}
	if len(r.Rows) > 0 {
		b.WriteByte('\n')
		table(b, r.kernelTable())
		b.WriteByte('\n')
		for _, line := range r.explanations() {
			b.WriteString(line + "\n")
		}
		b.WriteByte('\n')
		if t := r.processorTable(); t != nil {
			table(b, t)
			b.WriteString("\n" + processorNote + "\n\n")
		}
		table(b, r.buildTable())
		b.WriteString("\n" + buildNote + "\n")
	}
	for _, t := range r.figureTables() {
		b.WriteByte('\n')
		table(b, t)
	}
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
