//go:build !browser

package batch

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"io"

	_ "embed"
)

// junitSuites is a document of JUnit XML.
type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Suite    JUnitSuite `xml:"testsuite"`
}

// Write writes the suite as a document, and counts its cases.
func (s *JUnitSuite) Write(w io.Writer) error {
	s.Tests, s.Failures = len(s.Cases), 0
	for i := range s.Cases {
		if s.Cases[i].Failure != nil {
			s.Failures++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Tests: s.Tests, Failures: s.Failures, Suite: *s}); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

//go:embed pages.html
var pageTexts string

// pages are the pages of -html. They load nothing from anywhere.
var pages = template.Must(template.New("pages").Parse(pageTexts))

// WritePage writes a page of HTML.
func WritePage(w io.Writer, name string, data any) error { return pages.ExecuteTemplate(w, name, data) }
