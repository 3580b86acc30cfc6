package grade

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Text returns the result for people.
func (r *Result) Text(style finding.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", r.Exercise, r.Name, r.Verdict)
	switch {
	case r.Verdict == course.Right:
		fmt.Fprintf(&b, " in %s\n", counted(uint64(r.Runs), "run"))
		return b.String()
	case r.Verdict == course.Slow:
		b.WriteString(": the results are right, but the counters are beyond what the exercise allows\n")
	default:
		b.WriteString("\n")
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, "  %s\n", r.Reason)
	}
	if r.log != nil {
		b.WriteString(indent("  ", r.log.Text(false)))
	}
	for i := range r.Differences {
		b.WriteString(r.Differences[i].text())
	}
	for i := range r.Findings {
		b.WriteString(indent("  ", r.Findings[i].Format(style)))
	}
	if r.Note != "" {
		fmt.Fprintf(&b, "  this run: %s\n", r.Note)
	}
	if r.Command != "" {
		fmt.Fprintf(&b, "  see it:   %s\n", r.Command)
	}
	for i := range r.Excesses {
		x := &r.Excesses[i]
		b.WriteString(x.text())
		if i+1 == len(r.Excesses) || r.Excesses[i+1].Command != x.Command {
			fmt.Fprintf(&b, "  see it:   %s\n", x.Command)
		}
	}
	if r.Hint != nil {
		fmt.Fprintf(&b, "  hint:     %s\n            (%s, %q)\n", r.Hint.Text, r.Hint.Lesson, r.Hint.Section)
	}
	return b.String()
}

// text says which element differs, and for which input.
func (d *Difference) text() string {
	var b strings.Builder
	if d.Missing {
		fmt.Fprintf(&b, "  missing in %s: %d of %s, %s the first of them\n", d.Argument, d.Count, counted(uint64(d.Elements), "element"), d.Want)
		return b.String()
	}
	fmt.Fprintf(&b, "  %s[%d] is %s and should be %s", d.Argument, d.Index, d.Got, d.Want)
	for i, in := range d.Inputs {
		word := ", with "
		if i > 0 {
			word = " and "
		}
		fmt.Fprintf(&b, "%s%s[%d] = %s", word, in.Argument, d.Index, in.Value)
	}
	if d.Elements > 1 {
		fmt.Fprintf(&b, "; %d of %d elements differ", d.Count, d.Elements)
	}
	b.WriteByte('\n')
	return b.String()
}

// text says what a count is, and what it may be.
func (x *Excess) text() string {
	var b strings.Builder
	bound, limit := "at most", x.Most
	if x.Least != nil {
		bound, limit = "at least", x.Least
	}
	fmt.Fprintf(&b, "  %s: %d, and should be %s %d\n", x.Count, x.Value, bound, *limit)
	if x.Line > 0 {
		fmt.Fprintf(&b, "    line %d makes %d %% of that: %s\n", x.Line, x.Share, strings.TrimSpace(cmp.Or(x.Source, "?")))
	}
	return b.String()
}

// counted is "1 run" or "2 runs".
func counted(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// indent puts prefix before every line that is not empty.
func indent(prefix, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}
