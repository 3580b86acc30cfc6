package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// DefaultLimit is how many different findings a list holds unless told
// otherwise.
const DefaultLimit = 20

// List is what a launch found: findings that differ in code, kernel or
// instruction, in the order in which they were first met. Its JSON field names
// are stable.
type List struct {
	Findings []Finding `json:"findings"`
	// Omitted is how many more different findings there were than the limit
	// allowed.
	Omitted int `json:"omitted,omitempty"`
	// Partial names the checks that did not look at everything, in the order of their codes.
	Partial []Partial `json:"partial,omitempty"`
}

// Partial says that a check had no room for all that it has to remember: there may be findings of its code that are not
// in the list.
type Partial struct {
	Code   Code   `json:"code"`
	Reason string `json:"reason"`
}

// Text returns a line about the check.
func (p Partial) Text() string {
	return fmt.Sprintf("%s was not looked for everywhere: %s", p.Code, p.Reason)
}

// Merge adds what another list says of checks that did not look at everything.
func (l *List) Merge(partial []Partial) {
	for _, p := range partial {
		if !slices.Contains(l.Partial, p) {
			l.Partial = append(l.Partial, p)
		}
	}
	slices.SortFunc(l.Partial, func(a, b Partial) int { return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Reason, b.Reason)) })
}

// Text returns the blocks of all findings in the default style.
func (l *List) Text() string { return l.Format(Style{}) }

// Format returns the blocks of all findings, one after the other with an empty
// line between them, and at the end how many are not shown.
func (l *List) Format(s Style) string {
	var b strings.Builder
	for i := range l.Findings {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.Findings[i].Format(s))
	}
	if l.Omitted > 0 {
		fmt.Fprintf(&b, "\n… and %d more\n", l.Omitted)
	}
	return b.String()
}

// Failed says whether any finding is an error.
func (l *List) Failed() bool {
	for i := range l.Findings {
		if l.Findings[i].Severity != Warning {
			return true
		}
	}
	return l.Omitted > 0
}

// Merger collects findings into a [List]. Findings with the same code, kernel
// and instruction become one, with the counts added up; the first one's
// particulars stay. The zero Merger is ready for use. It is for one goroutine:
// whoever collects from several sorts first, so that the list does not depend
// on who was faster.
type Merger struct {
	// Limit is how many different findings are kept; 0 means DefaultLimit, a
	// negative number no limit.
	Limit int

	list List
	seen map[key]int // place in list.Findings, or -1 for one that is omitted
}

type key struct {
	code   Code
	kernel string
	word   uint32
	file   string
	line   uint32
	inst   string
}

// Add takes a finding in. A Count or Groups of 0 counts as 1.
func (m *Merger) Add(f Finding) {
	f.Count, f.Groups = max(f.Count, 1), max(f.Groups, 1)
	k := key{code: f.Code, kernel: f.Kernel, word: f.Place.Word}
	if k.word == 0 {
		k.file, k.line, k.inst = f.Place.File, f.Place.Line, f.Place.Instruction
	}
	if i, ok := m.seen[k]; ok {
		if i >= 0 {
			m.list.Findings[i].Count += f.Count
			m.list.Findings[i].Groups += f.Groups
		}
		return
	}
	if m.seen == nil {
		m.seen = make(map[key]int)
	}
	limit := m.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if limit > 0 && len(m.list.Findings) >= limit {
		m.seen[k] = -1
		m.list.Omitted++
		return
	}
	m.seen[k] = len(m.list.Findings)
	m.list.Findings = append(m.list.Findings, f)
}

// List returns what was collected so far.
func (m *Merger) List() List { return m.list }
