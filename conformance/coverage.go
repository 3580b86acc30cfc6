package conformance

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Coverage sets clauses against the cases that name them and what came of those.
type Coverage struct {
	Clauses []ClauseCoverage
}

// ClauseCoverage is one clause with its cases, by name and in the order of their results.
type ClauseCoverage struct {
	Clause
	// Passed are the cases that ran as they say without making a finding, those
	// among them whose module is refused included.
	Passed []string
	// Reported are the cases that made the findings that they say.
	Reported []string
	// Failed are those that did not, or could not be read.
	Failed []string
	// Untried are those that no configuration suits, or that were stopped.
	Untried []string
}

// State says how a clause stands.
type State string

// The states of a clause.
const (
	Covered State = "covered" // all that it wants is there
	Gap     State = "gap"     // a case is missing
	Refuted State = "failed"  // a case that names it failed
)

// State says how the clause stands: what it defines wants a case that passes, and what
// it leaves undefined one that is reported.
func (c *ClauseCoverage) State() State {
	switch {
	case len(c.Failed) > 0:
		return Refuted
	case c.Defined && len(c.Passed) == 0, c.Undefined && len(c.Reported) == 0:
		return Gap
	}
	return Covered
}

// missing says what a gap lacks.
func (c *ClauseCoverage) missing() string {
	var parts []string
	if c.Defined && len(c.Passed) == 0 {
		parts = append(parts, "no case passes")
	}
	if c.Undefined && len(c.Reported) == 0 {
		parts = append(parts, "no case is reported")
	}
	return strings.Join(parts, ", ")
}

// Cover sets clauses against the results of a run.
func Cover(clauses []Clause, r *Report) *Coverage {
	out := &Coverage{Clauses: make([]ClauseCoverage, len(clauses))}
	byID := make(map[string]*ClauseCoverage, len(clauses))
	for i := range clauses {
		out.Clauses[i].Clause = clauses[i]
		byID[clauses[i].ID] = &out.Clauses[i]
	}
	for i := range r.Results {
		res := &r.Results[i]
		for j, id := range res.Case.Clauses {
			c := byID[id]
			if c == nil || slices.Contains(res.Case.Clauses[:j], id) {
				continue
			}
			list := &c.Passed
			switch {
			case res.Status == Failed || res.Status == Broken:
				list = &c.Failed
			case res.Status != Passed:
				list = &c.Untried
			case len(res.Case.Findings) > 0:
				list = &c.Reported
			}
			*list = append(*list, res.Case.Name)
		}
	}
	return out
}

// SelectClauses returns the clauses whose ids begin with one of the prefixes, all of
// them when there is no prefix. A prefix that none begins with is an error.
func SelectClauses(clauses []Clause, prefixes []string) ([]Clause, error) {
	if len(prefixes) == 0 {
		return clauses, nil
	}
	used := make([]bool, len(prefixes))
	var out []Clause
	for _, c := range clauses {
		take := false
		for i, p := range prefixes {
			if strings.HasPrefix(c.ID, p) {
				take, used[i] = true, true
			}
		}
		if take {
			out = append(out, c)
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, fmt.Errorf("no clause begins with %q; they are called as GAC-04 is", prefixes[i])
	}
	return out, nil
}

// SelectCases returns the cases that name a clause beginning with one of the prefixes.
func SelectCases(cases []*Case, prefixes []string) []*Case {
	var out []*Case
	for _, c := range cases {
		if slices.ContainsFunc(c.Clauses, func(id string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(id, p) })
		}) {
			out = append(out, c)
		}
	}
	return out
}

// CoverageSummary counts the clauses of one specification, or of all.
type CoverageSummary struct {
	Prefix        string `json:"prefix,omitempty"`
	Specification string `json:"specification,omitempty"`
	Clauses       int    `json:"clauses"`
	Covered       int    `json:"covered"`
	Gaps          int    `json:"gaps"`
	Failed        int    `json:"failed"`
}

func (s *CoverageSummary) add(state State) {
	s.Clauses++
	switch state {
	case Covered:
		s.Covered++
	case Gap:
		s.Gaps++
	case Refuted:
		s.Failed++
	}
}

// String returns "GAC: 16 clauses, 14 covered, 1 gap, 1 failed".
func (s CoverageSummary) String() string {
	text := fmt.Sprintf("%d %s, %d covered", s.Clauses, plural(s.Clauses, "clause"), s.Covered)
	if s.Gaps > 0 {
		text += fmt.Sprintf(", %d %s", s.Gaps, plural(s.Gaps, "gap"))
	}
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	if s.Prefix != "" {
		text = s.Prefix + ": " + text
	}
	return text
}

// Summaries counts the clauses of each specification, in order, and of all.
func (c *Coverage) Summaries() (each []CoverageSummary, all CoverageSummary) {
	for i := range c.Clauses {
		cl := &c.Clauses[i]
		state := cl.State()
		if n := len(each); n == 0 || each[n-1].Prefix != cl.prefix() {
			each = append(each, CoverageSummary{Prefix: cl.prefix(), Specification: cl.Specification})
		}
		each[len(each)-1].add(state)
		all.add(state)
	}
	return each, all
}

// WriteText writes a table with a line for each clause: how many cases pass, are
// reported and fail, the state and what is missing, then a line for each
// specification. With verbose the text of a clause and the names of its cases stand
// below it; the names of those that fail always do.
func (c *Coverage) WriteText(w io.Writer, verbose bool) error {
	bw := bufio.NewWriter(w)
	fmt.Fprintf(bw, "%-7s %1s %7s %9s %7s  %s\n", "clause", "", "passing", "reported", "failing", "state")
	for i := range c.Clauses {
		cl := &c.Clauses[i]
		mark := ""
		if cl.Undefined {
			mark = "U"
		}
		state := string(cl.State())
		if state == string(Gap) {
			state += ": " + cl.missing()
		}
		fmt.Fprintf(bw, "%-7s %1s %7d %9d %7d  %s\n", cl.ID, mark, len(cl.Passed), len(cl.Reported), len(cl.Failed), state)
		if verbose {
			fmt.Fprintf(bw, "    %s\n", cl.Text)
		}
		for _, l := range []struct {
			what  string
			names []string
			show  bool
		}{{"passed", cl.Passed, verbose}, {"reported", cl.Reported, verbose}, {"untried", cl.Untried, verbose}, {"failed", cl.Failed, true}} {
			if l.show {
				for _, name := range l.names {
					fmt.Fprintf(bw, "    %-9s %s\n", l.what, name)
				}
			}
		}
	}
	each, all := c.Summaries()
	fmt.Fprintln(bw)
	for _, s := range each {
		fmt.Fprintln(bw, s)
	}
	if len(each) != 1 {
		fmt.Fprintln(bw, all)
	}
	return bw.Flush()
}

type jsonClause struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Defined   bool     `json:"defined"`
	Undefined bool     `json:"undefined"`
	State     State    `json:"state"`
	Passed    []string `json:"passed"`
	Reported  []string `json:"reported"`
	Failed    []string `json:"failed"`
	Untried   []string `json:"untried,omitempty"`
}

// CoverageDocument is the JSON form of a coverage: the counts of all clauses, those of
// each specification, and each clause with its state and the names of its cases.
type CoverageDocument struct {
	Summary        CoverageSummary   `json:"summary"`
	Specifications []CoverageSummary `json:"specifications"`
	Clauses        []jsonClause      `json:"clauses"`
}

// Document returns the JSON form of the coverage.
func (c *Coverage) Document() *CoverageDocument {
	each, all := c.Summaries()
	out := &CoverageDocument{all, append([]CoverageSummary{}, each...), make([]jsonClause, 0, len(c.Clauses))}
	list := func(names []string) []string { return append([]string{}, names...) }
	for i := range c.Clauses {
		cl := &c.Clauses[i]
		out.Clauses = append(out.Clauses, jsonClause{
			ID: cl.ID, Text: cl.Text, Defined: cl.Defined, Undefined: cl.Undefined, State: cl.State(),
			Passed: list(cl.Passed), Reported: list(cl.Reported), Failed: list(cl.Failed), Untried: cl.Untried,
		})
	}
	return out
}

// WriteJSON writes the coverage as one JSON object, a [CoverageDocument].
func (c *Coverage) WriteJSON(w io.Writer) error { return writeJSON(w, c.Document()) }
