package cli

import "io"

// forms are the flags for the form of a report; without one it is text.
type forms struct{ json, junit, html bool }

// declare declares the flags.
func (o *forms) declare(f *flags) {
	f.BoolVar(&o.json, "json", false, "print one JSON document instead of text")
	f.BoolVar(&o.junit, "junit", false, "print JUnit XML")
	f.BoolVar(&o.html, "html", false, "print a page of HTML, with everything that it needs in it")
}

// check refuses several forms of one report.
func (o *forms) check(command string) error {
	if o.json && (o.junit || o.html) || o.junit && o.html {
		return usagef("help "+command, "%s: one of -json, -junit and -html", command)
	}
	return nil
}

// flag is the flag of the form, or "".
func (o *forms) flag() string {
	switch {
	case o.json:
		return "-json"
	case o.junit:
		return "-junit"
	case o.html:
		return "-html"
	}
	return ""
}

// report is what has all forms.
type reporter interface {
	writeText(w io.Writer, style exploreStyle) error
	writeJUnit(w io.Writer) error
	writeHTML(w io.Writer) error
}

// write writes a report in the form that the flags ask for; name is that of the document.
func (o *forms) write(env *Env, name string, r reporter, style exploreStyle) error {
	switch {
	case o.json:
		return env.document(name, r)
	case o.junit:
		return r.writeJUnit(env.Stdout)
	case o.html:
		return r.writeHTML(env.Stdout)
	}
	return r.writeText(env.Stdout, style)
}

// The parts of JUnit XML that reports of explore have.
type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}
