package clcgen

import (
	"slices"
	"strings"
)

// Node is a piece of a program: text with other pieces in it.
type Node struct {
	// Class is what an expression can be replaced by in a smaller program: any expression of the same class. "i" is
	// any integer, "f" any floating value, other classes are names of vector types. Text that is no expression, or
	// that must stay, has no class.
	Class string
	// List marks a list of declarations or statements, each of which may go.
	List bool
	text []string // one more than kids
	kids []*Node
}

// node makes a piece; each @ of the format stands for the next child.
func node(class, format string, kids ...*Node) *Node {
	text := strings.Split(format, "@")
	if len(text) != len(kids)+1 {
		panic("clcgen: format " + format + " does not fit its children")
	}
	for _, k := range kids {
		if k == nil {
			panic("clcgen: a child of " + format + " is missing")
		}
	}
	return &Node{Class: class, text: text, kids: kids}
}

// leaf makes a piece without children.
func leaf(class, text string) *Node { return &Node{Class: class, text: []string{text}} }

// list makes a list of statements or declarations.
func list(kids ...*Node) *Node { return &Node{List: true, kids: slices.Clone(kids)} }

// separated makes a piece of expressions with commas between them.
func separated(open, end string, kids []*Node) *Node {
	n := &Node{kids: kids, text: make([]string, len(kids)+1)}
	for i := range n.text {
		n.text[i] = ", "
	}
	n.text[0] = open
	n.text[len(kids)] = end
	if len(kids) == 0 {
		n.text[0] = open + end
	}
	return n
}

// String returns the program's text, indented.
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b)
	return indent(b.String())
}

func (n *Node) write(b *strings.Builder) {
	if n.List {
		for _, k := range n.kids {
			k.write(b)
			b.WriteByte('\n')
		}
		return
	}
	for i, t := range n.text {
		b.WriteString(t)
		if i < len(n.kids) {
			n.kids[i].write(b)
		}
	}
}

// indent indents lines by the braces before them and drops empty ones.
func indent(text string) string {
	var b strings.Builder
	depth := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		d := depth
		if line[0] == '}' {
			d--
		}
		b.WriteString(strings.Repeat("\t", max(d, 0)))
		b.WriteString(line)
		b.WriteByte('\n')
		depth += strings.Count(line, "{") - strings.Count(line, "}")
	}
	return b.String()
}
