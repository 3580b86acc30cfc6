package diag

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
)

// Style says how diagnostics are printed.
type Style struct {
	Color bool // with the escape sequences of terminals
	Width int  // columns of a line of the source; what is beyond is left out around the caret. 0 is 160
	// NoSource leaves the lines of the source and the carets away.
	NoSource bool
	// NoSummary leaves the last line, the numbers of warnings and errors, away.
	NoSummary bool
}

// maxBacktrace is the number of macros that one diagnostic shows; those in the middle are left out.
const maxBacktrace = 6

// maxAround is the number of bytes on each side of a caret that can be printed.
const maxAround = 1000

// printer prints the diagnostics of a Bag.
type printer struct {
	strings.Builder
	files *source.Set
	style Style

	include   *source.File // the file whose chain of #include was printed last
	last      source.Pos   // of the caret that was printed last
	lastLevel Severity
}

// Render returns all diagnostics as text, as other compilers print them.
func (b *Bag) Render(style Style) string {
	if style.Width == 0 {
		style.Width = 160
	}
	p := &printer{files: b.Files, style: style}
	for _, d := range b.List {
		p.diagnostic(d)
	}
	if !style.NoSummary {
		p.WriteString(b.Summary())
	}
	return p.String()
}

// Summary returns the line "2 warnings and 1 error generated.", and nothing if there are none.
func (b *Bag) Summary() string {
	count := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	switch {
	case b.errors > 0 && b.warnings > 0:
		return count(b.warnings, "warning") + " and " + count(b.errors, "error") + " generated.\n"
	case b.errors > 0:
		return count(b.errors, "error") + " generated.\n"
	case b.warnings > 0:
		return count(b.warnings, "warning") + " generated.\n"
	}
	return ""
}

// The colours, as clang has them.
const (
	colorReset   = "\x1b[0m"
	colorBold    = "\x1b[1m"
	colorError   = "\x1b[1;31m"
	colorWarning = "\x1b[1;35m"
	colorNote    = "\x1b[1;36m"
	colorCaret   = "\x1b[1;32m"
)

// color writes a text in a colour, if colours are wanted.
func (p *printer) color(color, text string) {
	if p.style.Color && text != "" {
		text = color + text + colorReset
	}
	p.WriteString(text)
}

// diagnostic prints one with its notes.
func (p *printer) diagnostic(d *Diagnostic) {
	p.includes(d.Pos)
	p.message(d, d.Severity)
	for _, n := range d.Notes {
		p.message(n, Note)
	}
}

// includes prints the chain of #include that leads to a place, unless it was the last one printed.
func (p *printer) includes(pos source.Pos) {
	f := p.files.File(pos)
	if f == nil || f == p.include {
		return
	}
	p.include = f
	var chain []string
	for at := f.Included; at != 0; {
		where := p.files.Position(at)
		chain = append(chain, fmt.Sprintf("In file included from %s:%d:\n", printable(where.File), where.Line))
		if f = p.files.File(at); f == nil {
			break
		}
		at = f.Included
	}
	for i := len(chain) - 1; i >= 0; i-- {
		p.WriteString(chain[i])
	}
}

// message prints one diagnostic or note: its line, the source, and the macros that it comes from.
func (p *printer) message(d *Diagnostic, severity Severity) {
	p.headline(d.Pos, severity, d.Message, d.Flag)
	at := p.files.Use(d.Pos)
	if at == 0 {
		return
	}
	repeated := severity == Note && at == p.last && len(d.Ranges) == 0 && d.Fix == ""
	p.last, p.lastLevel = at, severity
	if !repeated {
		p.snippet(at, d, func(r source.Pos) source.Pos { return p.files.Use(r) })
	}
	if d.Pos.IsMacro() {
		p.backtrace(d)
	}
}

// headline prints "file:line:column: severity: message [-Wflag]".
func (p *printer) headline(pos source.Pos, severity Severity, message, flag string) {
	if where := p.files.Position(pos); where.Line != 0 || where.File != "" {
		p.color(colorBold, fmt.Sprintf("%s:%d:%d: ", printable(where.File), where.Line, where.Column))
	}
	p.color([...]string{colorNote, colorWarning, colorError, colorError}[severity], severity.String()+": ")
	switch {
	case flag == "":
	case severity == Error:
		message += " [-Werror,-W" + flag + "]"
	default:
		message += " [-W" + flag + "]"
	}
	if severity == Note {
		p.WriteString(message)
	} else {
		p.color(colorBold, message)
	}
	p.WriteByte('\n')
}

// backtrace prints the macros that made a token, the outermost first.
func (p *printer) backtrace(d *Diagnostic) {
	list := p.files.Expansions(d.Pos)
	for i := len(list) - 1; i >= 0; i-- {
		if n := len(list); n > maxBacktrace && i == n-1-maxBacktrace/2 {
			skip := n - maxBacktrace
			p.headline(0, Note, fmt.Sprintf("(skipping %d expansions in backtrace)", skip), "")
			i -= skip
		}
		e := list[i]
		p.headline(e.Spelling, Note, fmt.Sprintf("expanded from macro '%s'", e.Macro), "")
		p.snippet(e.Spelling, &Diagnostic{Ranges: d.Ranges}, func(r source.Pos) source.Pos {
			for _, x := range p.files.Expansions(r) {
				if x.Macro == e.Macro {
					return x.Spelling
				}
			}
			return 0
		})
		p.last = e.Spelling
	}
}

// snippet prints the line of a place, and under it the caret, the ranges and what to write instead. The function
// place leads from the end of a range into the text at hand.
func (p *printer) snippet(at source.Pos, d *Diagnostic, place func(source.Pos) source.Pos) {
	if p.style.NoSource {
		return
	}
	f := p.files.File(at)
	if f == nil {
		return
	}
	text := p.files.Line(at)
	column := f.Column(f.Offset(at))
	begin := f.Offset(at) - column
	if len(text) > 2*maxAround {
		// Of a line without end only the part around the caret is looked at.
		from, to := max(0, column-maxAround), min(len(text), column+maxAround)
		text, begin, column = text[from:to], begin+from, column-from
	}
	l := layout(text)
	marks := []byte(strings.Repeat(" ", l.columns(len(text))+1))
	for _, r := range d.Ranges {
		p.underline(marks, l, f, begin, text, place(r.From), p.end(r.To, place))
	}
	caret := l.columns(column)
	for len(marks) <= caret {
		marks = append(marks, ' ')
	}
	marks[caret] = '^'
	fix := ""
	if d.Fix != "" && !strings.Contains(d.Fix, "\n") {
		fix = strings.Repeat(" ", caret) + d.Fix
	}
	lines := l.clip([]string{l.text, strings.TrimRight(string(marks), " "), fix}, caret, p.style.Width)
	p.WriteString(lines[0] + "\n")
	p.color(colorCaret, lines[1])
	p.WriteByte('\n')
	if strings.TrimSpace(lines[2]) != "" {
		p.color(colorCaret, strings.TrimRight(lines[2], " "))
		p.WriteByte('\n')
	}
}

// end returns the end of a range: if it is in a macro, it is the beginning of a token, whose length is found here.
func (p *printer) end(to source.Pos, place func(source.Pos) source.Pos) source.Pos {
	at := place(to)
	if !to.IsMacro() || at == 0 {
		return at
	}
	return at + source.Pos(TokenLength(p.files, at))
}

// TokenLength returns the length of the word, number or character at a place in a file.
func TokenLength(files *source.Set, at source.Pos) int {
	f := files.File(at)
	if f == nil {
		return 0
	}
	text := f.Text[f.Offset(at):]
	n := 0
	for n < len(text) && (text[n] == '_' || text[n] >= 0x80 || '0' <= text[n] && text[n] <= '9' || 'a' <= text[n]|32 && text[n]|32 <= 'z') {
		n++
	}
	if n == 0 && text != "" {
		return 1
	}
	return n
}

// underline puts ~ under the part of a range that is in a text, which begins at a byte of a file.
func (p *printer) underline(marks []byte, l *lineLayout, f *source.File, begin int, text string, from, to source.Pos) {
	if from == 0 || to == 0 || to < from || p.files.File(from) != f || int(to-f.Pos(0)) > len(f.Text) {
		return
	}
	a, b := f.Offset(from)-begin, f.Offset(to)-begin
	if b <= 0 || a >= len(text) {
		return
	}
	if a < 0 {
		a = len(text) - len(strings.TrimLeft(text, " \t"))
	}
	b = min(b, len(text))
	for i := l.columns(a); i < l.columns(b) && i < len(marks); i++ {
		marks[i] = '~'
	}
}
