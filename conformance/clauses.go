package conformance

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// Clause is one thing that a specification requires, and that one case can prove.
type Clause struct {
	// ID is what cases call it: the prefix of its specification and a number,
	// "GAC-04".
	ID string
	// Specification is the name of its specification.
	Specification string
	// Text says in Markdown what is required.
	Text string
	// Defined says that the specification says what happens, and Undefined that
	// it leaves something open: at least one of them holds.
	Defined, Undefined bool
}

//go:embed clauses.md
var clausesText string

// Clauses returns the clauses that the cases are there to prove, in the order of the
// specifications.
func Clauses() ([]Clause, error) { return parseClauses(clausesText) }

var (
	clauseHeading = regexp.MustCompile(`^## ([A-Z]+): (.+)$`)
	clauseItem    = regexp.MustCompile(`^- (([A-Z]+)-[0-9]+) (.+)$`)
)

// undefinedMark stands before what a specification leaves undefined.
const undefinedMark = "**U**"

// parseClauses reads a list of clauses: headings with the prefix and the name of a
// specification, items with an id and a text. What stands before the first heading is
// for people.
func parseClauses(text string) ([]Clause, error) {
	var list []Clause
	var prefix, specification string
	seen := map[string]bool{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		bad := func(format string, args ...any) ([]Clause, error) {
			return nil, fmt.Errorf("clauses.md:%d: %s", number, fmt.Sprintf(format, args...))
		}
		if m := clauseHeading.FindStringSubmatch(line); m != nil {
			prefix, specification = m[1], m[2]
			if seen[prefix] {
				return bad("a second specification with the prefix %s", prefix)
			}
			seen[prefix] = true
			continue
		}
		if prefix == "" || line == "" {
			continue
		}
		m := clauseItem.FindStringSubmatch(line)
		switch {
		case m == nil:
			return bad("neither \"## PREFIX: NAME\" nor \"- PREFIX-N TEXT\"")
		case m[2] != prefix:
			return bad("%s stands among the clauses of %s", m[1], prefix)
		case seen[m[1]]:
			return bad("%s is there twice", m[1])
		}
		seen[m[1]] = true
		defined, _, undefined := strings.Cut(m[3], undefinedMark)
		list = append(list, Clause{
			ID: m[1], Specification: specification, Text: m[3],
			Defined: strings.TrimSpace(defined) != "", Undefined: undefined,
		})
	}
	return list, nil
}

// prefix returns the part of an id that names the specification.
func (c *Clause) prefix() string {
	p, _, _ := strings.Cut(c.ID, "-")
	return p
}
