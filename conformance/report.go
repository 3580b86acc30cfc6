package conformance

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
)

// Report is the outcome of a run over cases. Its three forms depend on the results
// only: they hold no times.
type Report struct {
	Results []Result
}

// Summary counts results.
type Summary struct {
	Cases          int `json:"cases"`
	Passed         int `json:"passed"`
	Failed         int `json:"failed"`
	Broken         int `json:"broken"`
	Skipped        int `json:"skipped"`
	Stopped        int `json:"stopped"`
	Configurations int `json:"configurations"` // runs over all cases
}

// Summary counts the results.
func (r *Report) Summary() Summary {
	s := Summary{Cases: len(r.Results)}
	for i := range r.Results {
		s.Configurations += r.Results[i].Runs
		switch r.Results[i].Status {
		case Passed:
			s.Passed++
		case Failed:
			s.Failed++
		case Broken:
			s.Broken++
		case Skipped:
			s.Skipped++
		case Stopped:
			s.Stopped++
		}
	}
	return s
}

// OK reports whether nothing failed, nothing is broken and nothing was stopped.
func (r *Report) OK() bool {
	s := r.Summary()
	return s.Failed == 0 && s.Broken == 0 && s.Stopped == 0
}

// String returns "160 cases in 20000 configurations: 158 passed, 2 failed", leaving
// out what there is none of.
func (s Summary) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		word Status
	}{{s.Passed, Passed}, {s.Failed, Failed}, {s.Broken, Broken}, {s.Skipped, Skipped}, {s.Stopped, Stopped}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if parts == nil {
		return "no cases"
	}
	return fmt.Sprintf("%d %s in %d %s: %s", s.Cases, plural(s.Cases, "case"), s.Configurations,
		plural(s.Configurations, "configuration"), strings.Join(parts, ", "))
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// where says in how many configurations a failure shows, and the first.
func (f *Failure) where() string {
	switch flags := f.with(); {
	case flags == "":
		return ""
	case f.Count == 1:
		return "with " + flags
	default:
		return fmt.Sprintf("in %d configurations, first with %s", f.Count, flags)
	}
}

// with returns the flags of the first configuration; "" for a broken case.
func (f *Failure) with() string {
	if f.Config != nil {
		return f.Config.String()
	}
	return f.flags
}

// WriteText writes a block for each case that did not pass, and the summary; with
// verbose a line for those that passed, too.
func (r *Report) WriteText(w io.Writer, verbose bool) error {
	bw := bufio.NewWriter(w)
	for i := range r.Results {
		res := &r.Results[i]
		switch res.Status {
		case Passed:
			if !verbose {
				continue
			}
			fmt.Fprintf(bw, "%-8s%s  (%d %s)\n", res.Status, res.Case.Name, res.Runs, plural(res.Runs, "configuration"))
			continue
		case Skipped:
			fmt.Fprintf(bw, "%-8s%s  (no configuration with its sub-group size)\n", res.Status, res.Case.Name)
			continue
		}
		fmt.Fprintf(bw, "%-8s%s: %s\n", res.Status, res.Case.Name, res.Case.Title)
		for j := range res.Failures {
			f := &res.Failures[j]
			fmt.Fprintf(bw, "    %s\n", strings.ReplaceAll(f.Message, "\n", "\n    "))
			if where := f.where(); where != "" {
				fmt.Fprintf(bw, "      %s\n", where)
			}
		}
	}
	fmt.Fprintln(bw, r.Summary())
	return bw.Flush()
}

// ResultDocument is the JSON form of a result.
type ResultDocument struct {
	Name     string            `json:"name"`
	Title    string            `json:"title"`
	Clauses  []string          `json:"clauses"`
	Status   Status            `json:"status"`
	Runs     int               `json:"configurations"`
	Failures []FailureDocument `json:"failures,omitempty"`
}

// FailureDocument is the JSON form of a failure, with the flags of the first configuration that shows it.
type FailureDocument struct {
	Message string `json:"message"`
	Flags   string `json:"flags,omitempty"`
	Count   int    `json:"configurations"`
}

// ReportDocument is the JSON form of a report: its summary, and for each case its
// name, title, clauses, status, the number of configurations, and its failures with
// the flags of the first configuration that shows each.
type ReportDocument struct {
	Summary Summary          `json:"summary"`
	Results []ResultDocument `json:"results"`
}

// Document returns the JSON form of the report.
func (r *Report) Document() *ReportDocument {
	out := &ReportDocument{Summary: r.Summary(), Results: []ResultDocument{}}
	for i := range r.Results {
		out.Results = append(out.Results, r.Results[i].Document())
	}
	return out
}

// Document returns the JSON form of the result.
func (r *Result) Document() ResultDocument {
	d := ResultDocument{Name: r.Case.Name, Title: r.Case.Title, Clauses: r.Case.Clauses, Status: r.Status, Runs: r.Runs}
	if d.Clauses == nil {
		d.Clauses = []string{}
	}
	for k := range r.Failures {
		f := &r.Failures[k]
		d.Failures = append(d.Failures, FailureDocument{Message: f.Message, Flags: f.with(), Count: f.Count})
	}
	return d
}

// Result returns a result that has the JSON form: of its case it has what reports show.
func (d *ResultDocument) Result() Result {
	r := Result{Case: &Case{Name: d.Name, Title: d.Title, Clauses: d.Clauses}, Status: d.Status, Runs: d.Runs}
	for _, f := range d.Failures {
		r.Failures = append(r.Failures, Failure{Message: f.Message, Count: f.Count, flags: f.Flags})
	}
	return r
}

// WriteJSON writes the report as one JSON object, a [ReportDocument].
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r.Document()) }

func writeJSON(w io.Writer, doc any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(doc)
}

type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the report as a JUnit XML document with one test suite, the
// directory of a case as its class. Broken and stopped cases are errors.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := r.Summary()
	out := junitSuites{Tests: s.Cases, Failures: s.Failed, Errors: s.Broken + s.Stopped}
	out.Suite = junitSuite{Name: "lockstep conformance", Tests: s.Cases, Failures: s.Failed, Errors: out.Errors, Skipped: s.Skipped}
	for i := range r.Results {
		res := &r.Results[i]
		j := junitCase{Class: strings.ReplaceAll(path.Dir(res.Case.Name), "/", "."), Name: path.Base(res.Case.Name)}
		var text strings.Builder
		for k := range res.Failures {
			fmt.Fprintf(&text, "%s\n", res.Failures[k].Message)
			if where := res.Failures[k].where(); where != "" {
				fmt.Fprintf(&text, "  %s\n", where)
			}
		}
		m := &junitMessage{Message: res.Case.Title, Text: text.String()}
		switch res.Status {
		case Failed:
			j.Failure = m
		case Broken:
			j.Error = m
		case Stopped:
			m.Message = "stopped before it was over"
			j.Error = m
		case Skipped:
			j.Skipped = &junitMessage{Message: "no configuration with its sub-group size"}
		}
		out.Suite.Cases = append(out.Suite.Cases, j)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
