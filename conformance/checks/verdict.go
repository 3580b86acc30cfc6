package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Verdict compares the findings of one run with those that belong to a case.
type Verdict struct {
	Missed []string // findings that were not made
	False  []string // findings that do not belong there
}

// Judge compares findings with those of the case. Lines that are not known, as in modules without
// debug information, fit all of the case's.
func (c *Case) Judge(list []finding.Finding) Verdict {
	var v Verdict
	found := make([]bool, len(c.Finds))
	for i := range list {
		f := &list[i]
		at := slices.IndexFunc(c.Finds, func(w Find) bool { return w.Code == string(f.Code) && w.fits(f.Place.Line) })
		if at < 0 && slices.Contains(c.Also, string(f.Code)) {
			continue
		}
		if at < 0 {
			v.False = append(v.False, brief(f))
			continue
		}
		found[at] = true
	}
	for i, w := range c.Finds {
		if !found[i] {
			v.Missed = append(v.Missed, w.Code)
		}
	}
	return v
}

// places returns the codes and lines of findings and of their parties, without what the case says may
// come besides: all that may not depend on how it is run.
func (c *Case) places(list []finding.Finding) []string {
	var out []string
	for i := range list {
		f := &list[i]
		if slices.Contains(c.Also, string(f.Code)) {
			continue
		}
		s := fmt.Sprintf("%s:%d", f.Code, f.Place.Line)
		for _, p := range f.Parties {
			s += fmt.Sprintf("+%d", p.Place.Line)
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// fits says whether a finding of a line is the one that belongs there.
func (w *Find) fits(line uint32) bool { return line == 0 || slices.Contains(w.Lines, line) }

// brief is a finding in one line.
func brief(f *finding.Finding) string {
	s := fmt.Sprintf("%s in line %d: %s", f.Code, f.Place.Line, f.Message)
	if f.Detail != "" {
		s += ", " + f.Detail
	}
	for _, p := range f.Parties {
		s += fmt.Sprintf(" [line %d: %s]", p.Place.Line, p.Does)
	}
	return strings.ReplaceAll(s, "\n", " ")
}
