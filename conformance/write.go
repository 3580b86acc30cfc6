package conformance

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// textWidth is where the writer breaks lists.
const textWidth = 88

// Write writes c in the form that [Parse] reads, the same bytes for the same case.
// It fails when c is not a case that can be written, such as one that expects
// nothing.
func (c *Case) Write(w io.Writer) error {
	if bad := c.check(); bad != nil {
		return fmt.Errorf("conformance: cannot write case %s: %s: %s", c.Name, bad.key, bad.msg)
	}
	var b strings.Builder
	if c.Comment != "" {
		for line := range strings.SplitSeq(c.Comment, "\n") {
			b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
		}
		b.WriteByte('\n')
	}
	key := func(name, value string) {
		const column = 10
		line := fmt.Sprintf("%-*s", column, name+":")
		b.WriteString(wrap(line, column, value))
	}
	key("title", c.Title)
	if len(c.Clauses) > 0 {
		key("clause", strings.Join(c.Clauses, ", "))
	}
	if c.Scenario != "" {
		key("scenario", c.Scenario)
		if c.SubGroups != nil {
			key("subgroup", joinInts(c.SubGroups))
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
	if c.Module != "" {
		key("module", c.Module)
	}
	if c.Version != "" {
		key("version", c.Version)
	}
	key("kernel", c.Kernel)
	key("global", joinDims(c.Global))
	if c.Local != nil {
		key("local", joinDims(c.Local))
	}
	if c.Offset != nil {
		key("offset", joinDims(c.Offset))
	}
	if c.SubGroups != nil {
		key("subgroup", joinInts(c.SubGroups))
	}
	switch c.Check {
	case ChecksOn:
		key("check", "on")
	case ChecksOff:
		key("check", "off")
	}
	if c.Timeout != 0 {
		key("timeout", c.Timeout.String())
	}
	for _, s := range c.SpecConstants {
		key("spec", fmt.Sprintf("%d = %s", s.ID, s.Value))
	}
	for _, a := range c.Args {
		key("arg", a)
	}
	for _, e := range c.Expect {
		v := fmt.Sprintf("%d = %s", e.Arg, e.What)
		if e.ULP != 0 {
			v += fmt.Sprintf(" within %d ulp", e.ULP)
		}
		if len(e.SubGroups) > 0 {
			v += " at " + joinInts(e.SubGroups)
		}
		key("expect", v)
	}
	if c.Varies != nil {
		key("varies", joinInts(c.Varies))
	}
	for _, text := range c.Output {
		key("output", quote(text))
	}
	for _, f := range c.Findings {
		v := f.Code
		if f.Count != 0 {
			v += fmt.Sprintf(" %d", f.Count)
		}
		if f.Text != "" {
			v += fmt.Sprintf(" \"%s\"", f.Text)
		}
		key("finding", v)
	}
	if c.Refuse != "" {
		key("refuse", c.Refuse)
	}
	if c.Exit != c.defaultExit() {
		key("exit", fmt.Sprint(c.Exit))
	}
	if c.Text != "" {
		b.WriteString("\n" + section + "\n" + c.Text)
		if !strings.HasSuffix(c.Text, "\n") {
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// quote writes a text so that no part of it looks like a comment.
func quote(s string) string {
	return strings.ReplaceAll(strconv.QuoteToASCII(s), "#", `\x23`)
}

// wrap breaks a long list of values behind commas. The reader joins lines with a
// space, which may stand behind any comma of a list but not elsewhere in a value.
func wrap(line string, indent int, value string) string {
	spec := value
	if _, right, ok := strings.Cut(value, " = "); ok {
		spec = right
	}
	head, _, _ := strings.Cut(spec, ":")
	_, typed := argspec.ParseType(head)
	// At the beginning of a line a # would make a comment of what is not one.
	list := (typed || head == "buf") && !strings.Contains(value, "#")
	if list && len(line)+len(value) > textWidth {
		// Spaces that were behind commas would move the breaks at the next writing.
		items := strings.Split(value, ",")
		for i := 1; i < len(items); i++ {
			items[i] = strings.TrimLeftFunc(items[i], unicode.IsSpace)
		}
		value = strings.Join(items, ",")
	}
	var b strings.Builder
	for list && len(line)+len(value) > textWidth {
		cut := strings.LastIndexByte(value[:textWidth-len(line)], ',')
		if cut < 0 {
			break
		}
		b.WriteString(line + value[:cut+1] + "\n")
		value = strings.TrimLeft(value[cut+1:], " \t")
		line = strings.Repeat(" ", indent)
	}
	return b.String() + strings.TrimRight(line+value, " ") + "\n"
}

func joinDims(d []uint64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(d), " ", ","), "[]")
}

func joinInts(n []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(n), " ", ", "), "[]")
}
