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
	for _, p := range c.Pipes {
		key("pipe", fmt.Sprintf("%s = %d:%d", p.Name, p.PacketBytes, p.Capacity))
	}
	if !c.simple() {
		c.writeSettings(key)
	}
	for i := range c.Steps {
		c.writeStep(i, key, &b)
	}
	if !c.simple() && len(c.Output)+len(c.Findings)+len(c.Refuse) > 0 {
		b.WriteByte('\n')
	}
	for _, text := range c.Output {
		key("output", quote(text))
	}
	for _, f := range c.Findings {
		v := f.Code
		if f.Count != 0 {
			v += fmt.Sprintf(" %d", f.Count)
		}
		for _, text := range f.Texts {
			v += fmt.Sprintf(" \"%s\"", text)
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

// writeSettings writes what holds for all launches.
func (c *Case) writeSettings(key func(name, value string)) {
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
}

// writeStep writes the launches of a step and what the host does.
func (c *Case) writeStep(i int, key func(name, value string), b *strings.Builder) {
	s := &c.Steps[i]
	if !c.simple() {
		b.WriteByte('\n')
	}
	switch {
	case s.Reset:
		key("then", "reset")
	case i > 0:
		key("then", "launch")
	}
	for _, p := range s.Fill {
		key("fill", p.Pipe+" = "+p.What)
	}
	for _, p := range s.Feed {
		key("feed", p.Pipe+" = "+p.What)
	}
	if s.Drain != nil {
		key("drain", strings.Join(s.Drain, ", "))
	}
	for j := range s.Launches {
		l := &s.Launches[j]
		key("kernel", l.Kernel)
		key("global", joinDims(l.Global))
		if l.Local != nil {
			key("local", joinDims(l.Local))
		}
		if l.Offset != nil {
			key("offset", joinDims(l.Offset))
		}
		if c.simple() {
			c.writeSettings(key)
		}
		for _, a := range l.Args {
			key("arg", a)
		}
		for _, e := range l.Expect {
			v := fmt.Sprintf("%d = %s", e.Arg, e.What)
			if e.ULP != 0 {
				v += fmt.Sprintf(" within %d ulp", e.ULP)
			}
			if len(e.SubGroups) > 0 {
				v += " at " + joinInts(e.SubGroups)
			}
			key("expect", v)
		}
		if l.Varies != nil {
			key("varies", joinInts(l.Varies))
		}
	}
	for _, p := range s.Packets {
		key("expect", p.Pipe+" = "+p.What)
	}
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
