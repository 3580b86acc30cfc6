// Package diag collects what the compiler says about a source, and prints it as compilers print it: file, line
// and column, the message, the line of the source with a caret, and notes.
package diag

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
)

// Severity says how bad a diagnostic is.
type Severity uint8

// The severities, the worst last.
const (
	Note Severity = iota
	Warning
	Error
	Fatal // nothing behind it was looked at
)

// String returns the severity's name, as printed.
func (s Severity) String() string {
	return [...]string{"note", "warning", "error", "fatal error"}[s]
}

// Range is a stretch of the source to underline: from the first byte of From to the byte before To.
type Range struct{ From, To source.Pos }

// Diagnostic is one thing to say.
type Diagnostic struct {
	Severity Severity
	Flag     string // the warning's name, as in -Wunused-variable; empty for errors
	Pos      source.Pos
	Ranges   []Range
	Message  string
	Fix      string // what to write at Pos instead or in addition; empty if unknown
	Notes    []*Diagnostic
}

// Note adds a note to a diagnostic and returns the diagnostic. It does nothing on nil, so that the result of
// Bag.Warnf can be used without a look.
func (d *Diagnostic) Note(pos source.Pos, format string, args ...any) *Diagnostic {
	if d != nil {
		d.Notes = append(d.Notes, &Diagnostic{Severity: Note, Pos: pos, Message: say(format, args)})
	}
	return d
}

// Range underlines a stretch and returns the diagnostic. It does nothing on nil.
func (d *Diagnostic) Range(from, to source.Pos) *Diagnostic {
	if d != nil && from != 0 {
		d.Ranges = append(d.Ranges, Range{from, to})
	}
	return d
}

// Suggest sets what to write instead, and returns the diagnostic. It does nothing on nil.
func (d *Diagnostic) Suggest(fix string) *Diagnostic {
	if d != nil {
		d.Fix = fix
	}
	return d
}
