package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// A line is a row of the table in ACCURACY.md.
type line struct{ function, typ, inputs, worst, at, demand, rounded string }

func (l line) key() string { return l.function + " " + l.typ }

func (l line) String() string {
	return "| " + strings.Join([]string{l.function, l.typ, l.inputs, l.worst, l.at, l.demand, l.rounded}, " | ") + " |"
}

// line is how a measurement stands in the table.
func (m *measurement) line() line {
	l := line{m.row.name, types[m.typ].name, m.inputs, "0", m.place(), m.row.demand[m.typ], "yes"}
	switch {
	case math.IsInf(m.worst, 1):
		l.worst = "wrong"
	case m.worst != 0:
		l.worst = strconv.FormatFloat(m.worst, 'f', 4, 64)
	}
	if m.wrong > 0 {
		l.rounded = fmt.Sprintf("no: %s not", grouped(m.wrong))
	}
	return l
}

const (
	head = "| function | type | inputs tried | greatest error, ulp | where | OpenCL demands | correctly rounded |"
	rule = "| --- | --- | --- | --- | --- | --- | --- |"
)

const intro = `# Accuracy of the mathematics

This is what ` + "`go run ./conformance/accuracy`" + ` writes; CONTRIBUTING.md tells how. It runs each function of OpenCL.std in
a kernel, with all kinds of arguments, and compares the results with GNU MPFR.

- **inputs tried**: all of a type, every so many-th, or edges and random ones. Hard cases of doubles are published ones and
  those that a search finds: their results lie within a hundred-thousandth of a unit of the middle of two doubles, where rounding is
  hard. OpenCL's special cases of infinities, zeros and NaN have tests of their own and are left out where MPFR has others.
- **greatest error**: the distance from the true value, in units of the last place as the OpenCL specification defines
  them. Correct rounding has at most one half.
- **where**: the arguments and the result with that error. A vector of four components is four arguments; functions that
  give several numbers say which.
- **OpenCL demands**: the full profile, from the table of ULP values of the OpenCL SPIR-V environment specification.

`

// readTable reads the lines of a table by function and type. A file that does not exist has none.
func readTable(file string) (map[string]line, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	table := map[string]line{}
	_, text, _ := strings.Cut(string(data), rule+"\n")
	for s := range strings.Lines(text) {
		if s == "\n" {
			break // the next part
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(s), "|"), "|")
		if len(cells) != 7 {
			return nil, fmt.Errorf("%s: a line has %d cells: %s", file, len(cells), s)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		l := line{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6]}
		table[l.key()] = l
	}
	return table, nil
}

// writeTable writes the lines in the order of rows and types, and the section behind them.
func writeTable(file string, table map[string]line, section string) error {
	var b bytes.Buffer
	b.WriteString(intro + head + "\n" + rule + "\n")
	for _, r := range rows {
		for _, typ := range types {
			if l, ok := table[r.name+" "+typ.name]; ok {
				fmt.Fprintln(&b, l)
			}
		}
	}
	if section != "" {
		b.WriteString("\n" + section)
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}
