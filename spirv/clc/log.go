package clc

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
)

// warningOptions reads Options.Warnings. It returns the options that name no warning, too.
func warningOptions(o *Options) (d diag.Options, unknown []string) {
	words := make([]string, 0, len(o.Warnings)+1)
	for _, w := range o.Warnings {
		words = append(words, "-W"+w)
	}
	if o.NoWarnings {
		words = append(words, "-w")
	}
	d, unknown = diag.ParseOptions(words)
	d.MaxErrors = o.MaxErrors
	return d, unknown
}

// warnUnknown warns of options that name no warning, as other compilers do.
func warnUnknown(bag *diag.Bag, unknown []string) {
	for _, option := range unknown {
		text := fmt.Sprintf("unknown warning option '%s'", option)
		if near := diag.NearestOption(option); near != "" {
			text += fmt.Sprintf("; did you mean '%s'?", near)
		}
		bag.Warnf("unknown-warning-option", 0, "%s", text)
	}
}

// newLog makes the log of what was collected.
func newLog(bag *diag.Bag) Log { return Log{Diagnostics: diagnostics(bag.Items()), bag: bag} }

func diagnostics(items []diag.Item) []Diagnostic {
	if len(items) == 0 {
		return nil
	}
	list := make([]Diagnostic, len(items))
	for i, x := range items {
		list[i] = Diagnostic{File: x.File, Line: x.Line, Column: x.Column, EndLine: x.EndLine, EndColumn: x.EndColumn,
			Severity: x.Severity, Flag: x.Flag, Message: x.Message, Fix: x.Fix, Notes: diagnostics(x.Notes)}
	}
	return list
}

// Text returns the log as compilers print it: place, message, the line of the source with a caret below it,
// notes, and how many warnings and errors there are. It is empty without diagnostics. color says to use the
// escape sequences of terminals.
func (l *Log) Text(color bool) string {
	if l.bag == nil {
		return ""
	}
	return l.bag.Render(diag.Style{Color: color})
}

// Errors returns the number of errors.
func (l *Log) Errors() int { return l.count("error", "fatal error") }

// Warnings returns the number of warnings.
func (l *Log) Warnings() int { return l.count("warning") }

func (l *Log) count(severities ...string) int {
	n := 0
	for i := range l.Diagnostics {
		if slices.Contains(severities, l.Diagnostics[i].Severity) {
			n++
		}
	}
	return n
}
