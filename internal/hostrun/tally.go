package hostrun

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Tally counts what the launches of a host program had, over all its processes. Its text has a line for each event:
// "launch" for a launch, and the code of a finding for a finding.
type Tally struct {
	Launches, Findings int
	Codes              map[string]int
}

// launchLine is the line of a launch.
const launchLine = "launch"

// AppendLaunch writes the lines of a launch that had findings of these codes, in one call of Write, so that the
// lines of several processes do not mix.
func AppendLaunch(w io.Writer, codes []string) error {
	_, err := io.WriteString(w, strings.Join(append([]string{launchLine}, codes...), "\n")+"\n")
	return err
}

// ReadTally reads what AppendLaunch has written.
func ReadTally(text string) Tally {
	t := Tally{Codes: map[string]int{}}
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); line {
		case "":
		case launchLine:
			t.Launches++
		default:
			t.Findings++
			t.Codes[line]++
		}
	}
	return t
}

// Text says in one line what there was, as in "12 launches, 3 findings: E-RACE 2, E-UNINIT 1".
func (t Tally) Text() string {
	s := counted(t.Launches, "launch", "launches") + ", " + counted(t.Findings, "finding", "findings")
	var list []string
	for code, n := range t.Codes {
		list = append(list, fmt.Sprintf("%s %d", code, n))
	}
	if slices.Sort(list); len(list) > 0 {
		s += ": " + strings.Join(list, ", ")
	}
	return s
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
