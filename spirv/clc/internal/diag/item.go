package diag

import "github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"

// Item is a diagnostic as data, for JSON and for programs. Lines and columns count from 1; columns are bytes. A place
// in a macro is where the macro is used, and its notes say where in the macro.
type Item struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"` // behind the last byte
	Severity  string `json:"severity"`
	Flag      string `json:"flag,omitempty"` // the warning's name, without -W
	Message   string `json:"message"`
	Fix       string `json:"fix,omitempty"`
	Notes     []Item `json:"notes,omitempty"`
}

// Items returns all diagnostics as data.
func (b *Bag) Items() []Item {
	items := make([]Item, 0, len(b.List))
	for _, d := range b.List {
		items = append(items, b.item(d, d.Severity))
	}
	return items
}

// item turns a diagnostic into data.
func (b *Bag) item(d *Diagnostic, severity Severity) Item {
	at := b.Files.Position(d.Pos)
	x := Item{File: at.File, Line: at.Line, Column: at.Column, Severity: severity.String(), Flag: d.Flag, Message: d.Message, Fix: d.Fix}
	if to := b.extent(d); to != 0 {
		end := b.Files.Position(to)
		x.EndLine, x.EndColumn = end.Line, end.Column
	}
	if d.Pos.IsMacro() {
		list := b.Files.Expansions(d.Pos)
		for i := len(list) - 1; i >= max(0, len(list)-maxBacktrace); i-- {
			from := b.Files.Position(list[i].Spelling)
			x.Notes = append(x.Notes, Item{File: from.File, Line: from.Line, Column: from.Column, Severity: Note.String(),
				Message: "expanded from macro '" + list[i].Macro + "'"})
		}
	}
	for _, n := range d.Notes {
		x.Notes = append(x.Notes, b.item(n, Note))
	}
	return x
}

// extent returns where what a diagnostic is about ends: the range that holds its place, or else the token there.
func (b *Bag) extent(d *Diagnostic) source.Pos {
	at := b.Files.Use(d.Pos)
	f := b.Files.File(at)
	if f == nil {
		return 0
	}
	for _, r := range d.Ranges {
		from, to := b.Files.Use(r.From), b.Files.Use(r.To)
		if r.To.IsMacro() {
			to += source.Pos(TokenLength(b.Files, to))
		}
		if from <= at && at < to && b.Files.File(to) == f {
			return to
		}
	}
	return at + source.Pos(TokenLength(b.Files, at))
}
