package finding

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// paint is the number of an ANSI escape sequence for colours.
type paint string

// The colours of the text form, as compilers have them.
const (
	red    paint = "1;31"
	yellow paint = "1;33"
	blue   paint = "1;34"
	cyan   paint = "1;36"
	bold   paint = "1"
)

func (f *Finding) paintOfSeverity() paint {
	if f.Severity == Warning {
		return yellow
	}
	return red
}

// writer writes one finding.
type writer struct {
	b      strings.Builder
	style  Style
	gutter string // blanks, as many as the line number has digits
}

func newWriter(s Style, p *Place) *writer {
	w := &writer{style: s, gutter: " "}
	if p.Source != "" {
		w.gutter = strings.Repeat(" ", len(fmt.Sprint(p.Line)))
	}
	return w
}

// paint marks s with a colour, where the style has colours.
func (w *writer) paint(p paint, s string) string {
	if !w.style.Color {
		return s
	}
	return "\x1b[" + string(p) + "m" + s + "\x1b[0m"
}

// note writes a line below the snippet.
func (w *writer) note(kind, text string) {
	p := bold
	if kind == "help" {
		p = cyan
	}
	fmt.Fprintf(&w.b, "%s %s %s: %s\n", w.gutter, w.paint(blue, "="), w.paint(p, kind), text)
}

// Widths of the text form, in columns.
const (
	maxLine   = 110 // of source
	maxLabel  = 150 // of source up to the label's end
	beforeAt  = 60  // what is shown of a longer line before the place
	tabColumn = 4
)

// snippet writes the line of source with a mark below the place, or the
// instruction where there is no source. label stands behind the mark; snippet
// says whether it had room there.
func (w *writer) snippet(p *Place, label string, color paint) bool {
	bar := w.paint(blue, "|")
	if p.Source == "" {
		inst := clean(p.Instruction, maxSource) // whose word stands above
		if p.File != "" {
			inst = p.instruction()
		}
		if inst != "" {
			fmt.Fprintf(&w.b, "%s %s\n%s %s %s\n", w.gutter, bar, w.gutter, bar, inst)
		}
		return false
	}
	text, at, width := layOut(p.Source, int(p.Column))
	fmt.Fprintf(&w.b, "%s %s\n%s %s %s\n", w.gutter, bar, w.paint(blue, fmt.Sprint(p.Line)), bar, strings.TrimRight(text, " "))
	if width == 0 {
		return false
	}
	mark := "^" + strings.Repeat("~", width-1)
	fits := label != "" && at+width+1+utf8.RuneCountInString(label) <= maxLabel
	if fits {
		mark += " " + label
	}
	fmt.Fprintf(&w.b, "%s %s %s%s\n", w.gutter, bar, strings.Repeat(" ", at), w.paint(color, mark))
	return fits
}

// layOut returns a line of source as a terminal shows it, with blanks for tabs, the
// column from 0 at which the byte number column (from 1) stands, and the width of the
// expression that begins there; a width of 0 if there is no such byte.
func layOut(source string, column int) (text string, at, width int) {
	from, to := column-1, column-1
	if column > 0 && column <= len(source) && utf8.RuneStart(source[from]) {
		to = from + extent(source[from:])
	}
	var b strings.Builder
	pos := 0     // column
	skipped := 0 // columns that are left out at the start
	start := 0
	if total := displayWidth(source); total > maxLine && from > beforeAt {
		start = from - beforeAt
	}
	for i, r := range source {
		if i == from {
			at = pos - skipped
		}
		n := runeWidth(r)
		if r == '\t' {
			n = tabColumn
		}
		if i < to {
			// The part of the expression that is shown is what the mark spans.
			if i >= from && pos-skipped < maxLine {
				width += n
			}
		}
		switch {
		case i < start:
			skipped += n
		case pos-skipped >= maxLine:
		case r == '\t':
			b.WriteString(strings.Repeat(" ", n))
		case harmful(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
		pos += n
	}
	text = b.String()
	if pos-skipped > maxLine {
		text += "…"
	}
	if start > 0 {
		text = "…" + text
		at++
	}
	if to > from {
		width = max(width, 1)
	}
	return text, at, width
}

// extent returns how many bytes the expression at the start of s has: a name with
// the brackets behind it, or one character.
func extent(s string) int {
	i := 0
	for j, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (j == 0 || !unicode.IsDigit(r)) {
			break
		}
		i = j + utf8.RuneLen(r)
	}
	if i == 0 {
		_, n := utf8.DecodeRuneInString(s)
		return n
	}
	for i < len(s) && s[i] == '[' {
		depth, end := 0, -1
		for j := i; j < len(s); j++ {
			switch s[j] {
			case '[':
				depth++
			case ']':
				if depth--; depth == 0 {
					end = j + 1
				}
			}
			if end >= 0 {
				break
			}
		}
		if end < 0 {
			break
		}
		i = end
	}
	return i
}

// displayWidth returns how many columns a line takes.
func displayWidth(s string) (n int) {
	for _, r := range s {
		if r == '\t' {
			n += tabColumn
		} else {
			n += runeWidth(r)
		}
	}
	return n
}

// runeWidth returns how many columns a terminal gives a character: none for marks
// that combine with the one before, two for wide ones of East Asian scripts and emoji.
func runeWidth(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
