package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// What a run writes into the repository, below its root.
const (
	resultsDir      = "bench/results"
	resultsJSON     = resultsDir + "/results.json"
	resultsChart    = "bench/results/speed.svg"
	resultsMarkdown = "bench/RESULTS.md"
	readme          = "README.md"
)

// The lines of the README between which a run writes its summary.
const (
	readmeBegin = "<!-- written by bench/compare -->"
	readmeEnd   = "<!-- end of what bench/compare writes -->"
)

// record writes the report's files.
func (r *Report) record(ctx context.Context) error {
	if len(r.Rows) == 0 || r.index(pocl) < 0 {
		return errors.New("nothing is recorded without kernels on PoCL")
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	return r.recordIn(root)
}

// recordIn writes the files below a root, where a README is.
func (r *Report) recordIn(root string) error {
	numbers, err := r.JSON()
	if err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	tables, err := r.withOthers(file(resultsDir))
	if err != nil {
		return err
	}
	page, err := os.ReadFile(file(readme))
	if err != nil {
		return err
	}
	text, err := between(string(page), readmeBegin, readmeEnd, r.Summary())
	if err != nil {
		return fmt.Errorf("%s: %w", readme, err)
	}
	if err := os.MkdirAll(filepath.Dir(file(resultsJSON)), 0o777); err != nil {
		return err
	}
	for name, content := range map[string]string{
		resultsJSON: string(numbers), resultsChart: string(r.SVG()), resultsMarkdown: tables, readme: text,
	} {
		err = errors.Join(err, os.WriteFile(file(name), []byte(content), 0o666))
	}
	return err
}

// withOthers is the report as a file of the repository, with those of other machines behind it: all other JSON files of the
// folder, in the order of their names.
func (r *Report) withOthers(folder string) (string, error) {
	text := r.Markdown()
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return "", err
	}
	for _, name := range files {
		if filepath.Base(name) == filepath.Base(resultsJSON) {
			continue
		}
		other, err := readReport(name)
		if err != nil {
			return "", err
		}
		var b strings.Builder
		fmt.Fprintf(&b, "\n## %s\n\n", strings.TrimSuffix(filepath.Base(name), ".json"))
		other.write(&b, "- ", writeMarkdown)
		text += b.String()
	}
	return text, nil
}

// readReport reads what -json wrote.
func readReport(name string) (*Report, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(r.Implementations) == 0 {
		return nil, fmt.Errorf("%s has no implementations: it is no report of this command", name)
	}
	for _, row := range r.Rows {
		if len(row.Cells) != len(r.Implementations) {
			return nil, fmt.Errorf("%s: kernel %s has %d results for %d implementations", name, row.Kernel, len(row.Cells), len(r.Implementations))
		}
	}
	return r, nil
}

// between puts content between two lines of a text.
func between(text, begin, end, content string) (string, error) {
	before, rest, ok := strings.Cut(text, begin+"\n")
	_, after, ok2 := strings.Cut(rest, end+"\n")
	if !ok || !ok2 {
		return "", fmt.Errorf("the lines %q and %q are not there", begin, end)
	}
	return before + begin + "\n" + content + end + "\n" + after, nil
}

// Summary is what the README shows: where and when, the chart, and a table of
// times and of how many times as fast the first implementation is.
func (r *Report) Summary() string {
	var b strings.Builder
	first := r.Implementations[0].Name
	fmt.Fprintf(&b, "\n%s, on %s with %d CPUs, %s/%s, %s:\n\n", r.Date, r.Machine.CPU, r.Machine.CPUs, r.Machine.OS, r.Machine.Arch, r.Machine.Go)
	fmt.Fprintf(&b, "![Speed of kernels against that of PoCL](%s)\n\n", resultsChart)
	title := []string{"ms a launch"}
	for _, impl := range r.Implementations {
		title = append(title, impl.Name)
	}
	var ratios []int
	for _, name := range []string{pocl, oclgrind, handwritten} {
		if i := r.index(name); i >= 0 {
			ratios = append(ratios, i)
			title = append(title, "× "+name)
		}
	}
	table := [][]string{title}
	for _, row := range r.charted() {
		line := []string{row.Kernel}
		for i := range row.Cells {
			cell := &row.Cells[i]
			if !cell.measured() {
				line = append(line, "-")
				continue
			}
			line = append(line, number(1e3*cell.equal()))
		}
		for _, i := range ratios {
			if !row.Cells[i].measured() {
				line = append(line, "-")
				continue
			}
			line = append(line, number(row.Cells[i].Faster))
		}
		table = append(table, line)
	}
	writeMarkdown(&b, table)
	fmt.Fprintf(&b, "\n\"× NAME\" is how many times as fast %s is", first)
	if means := r.means(); len(means) > 0 {
		fmt.Fprintf(&b, "; the geometric mean of the first %s is %s", means[0].count, means[0].text)
		for _, m := range means[1:] {
			fmt.Fprintf(&b, ", and %s", m.text)
		}
	}
	b.WriteString(".\n")
	b.WriteString(r.fieldsSummary())
	if i := r.index(oclgrind); i >= 0 && r.anyShare(i) {
		fmt.Fprintf(&b, "%s ran smaller launches; its time is that of equal work.\n", oclgrind)
	}
	if r.index(handwritten) >= 0 {
		fmt.Fprintf(&b, "%s is the kernel written by hand, with intrinsics.\n", handwritten)
	}
	b.WriteString(r.coldSummary())
	b.WriteString("All launches and checks, time to build, process starts and more: [bench/RESULTS.md](bench/RESULTS.md).\n\n")
	return b.String()
}

// fieldsSummary is a sentence about all kernels in CPU time; "" where none is of many fields.
func (r *Report) fieldsSummary() string {
	all, watched := r.processorSpeeds(0)
	if len(r.charted()) == len(r.Rows) || len(all) == 0 {
		return ""
	}
	text := fmt.Sprintf("Over %d kernels of many fields, in CPU time, it is %s times as fast as %s", len(all), number(geometricMean(all)), pocl)
	if len(watched) > 0 {
		text += fmt.Sprintf("; over the %d of them that no change is made for, %s times", len(watched), number(geometricMean(watched)))
	}
	return text + ".\n"
}

// coldSummary is a sentence about the first kernel that processes were started
// for; "" when there was none.
func (r *Report) coldSummary() string {
	var kernel string
	var others []string
	var first Figure
	for _, f := range r.Figures {
		name, what, ok := strings.Cut(f.Name, ": ")
		if f.Table != coldTable || !ok || kernel != "" && name != kernel {
			continue
		}
		if kernel == "" {
			kernel, first = name, f
			continue
		}
		_, other, _ := strings.Cut(what, " against ")
		others = append(others, fmt.Sprintf("%s times as fast as %s", number(f.Value), other))
	}
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("From process start to the result of %s, lockstep takes %s %s: %s.\n", kernel, number(first.Value), first.Unit, strings.Join(others, "; "))
}

// mean is a geometric mean in words.
type mean struct{ count, text string }

// means are those over the eight kernels.
func (r *Report) means() []mean {
	var list []mean
	for _, name := range []string{pocl, oclgrind} {
		if values := r.faster(name, true); len(values) > 0 {
			list = append(list, mean{fmt.Sprint(len(values)), fmt.Sprintf("%s times %s", number(geometricMean(values)), name)})
		}
	}
	return list
}

// anyShare says whether an implementation did less work than the others.
func (r *Report) anyShare(i int) bool {
	for _, row := range r.Rows {
		if row.Cells[i].Share != 0 {
			return true
		}
	}
	return false
}
