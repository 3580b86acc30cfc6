package batch

import (
	"io"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// Forms are the flags for the form of a report; without one it is text.
type Forms struct{ JSON, JUnit, HTML bool }

// Declare declares the flags.
func (o *Forms) Declare(f *cmdline.Flags) {
	f.BoolVar(&o.JSON, "json", false, "print one JSON document instead of text")
	f.BoolVar(&o.JUnit, "junit", false, "print JUnit XML")
	f.BoolVar(&o.HTML, "html", false, "print a page of HTML, with everything that it needs in it")
}

// Check refuses several forms of one report.
func (o *Forms) Check(command string) error {
	if o.JSON && (o.JUnit || o.HTML) || o.JUnit && o.HTML {
		return cmdline.Usagef("help "+command, "%s: one of -json, -junit and -html", command)
	}
	return nil
}

// Flag is the flag of the form, or "".
func (o *Forms) Flag() string {
	switch {
	case o.JSON:
		return "-json"
	case o.JUnit:
		return "-junit"
	case o.HTML:
		return "-html"
	}
	return ""
}

// Reporter is what has all forms.
type Reporter interface {
	WriteText(w io.Writer, style Style) error
	WriteJUnit(w io.Writer) error
	WriteHTML(w io.Writer) error
}

// Write writes a report in the form that the flags ask for; name is that of the document.
func (o *Forms) Write(env *cmdline.Env, name string, r Reporter, style Style) error {
	switch {
	case o.JSON:
		return env.WriteDocument(name, r)
	case o.JUnit:
		return r.WriteJUnit(env.Stdout)
	case o.HTML:
		return r.WriteHTML(env.Stdout)
	}
	return r.WriteText(env.Stdout, style)
}

// The parts of JUnit XML that reports of explore have.
type JUnitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []JUnitCase `xml:"testcase"`
}

// JUnitCase is a test of a suite.
type JUnitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *JUnitMessage `xml:"failure"`
}

// JUnitMessage is what is said of a test that failed.
type JUnitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Style says how much of a report is printed.
type Style struct{ Verbose, Quiet, Color bool }
