package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabStop is the number of columns from one tabulator to the next.
const tabStop = 8

// lineLayout is a line of a source as it is printed: tabulators as blanks, and bytes that cannot be printed as their
// numbers.
type lineLayout struct {
	text  string
	cols  []int // the column of each byte of the line, and of its end
	width int
}

// layout makes the printed form of a line.
func layout(line string) *lineLayout {
	l := &lineLayout{cols: make([]int, 0, len(line)+1)}
	var b strings.Builder
	col := 0
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		for range n {
			l.cols = append(l.cols, col)
		}
		switch {
		case r == '\t':
			blanks := tabStop - col%tabStop
			b.WriteString(strings.Repeat(" ", blanks))
			col += blanks
		case r == utf8.RuneError && n <= 1:
			s := fmt.Sprintf("<%02X>", line[i])
			b.WriteString(s)
			col += len(s)
		case r < ' ' || r == 0x7F || !unicode.IsPrint(r) && !unicode.IsMark(r):
			s := fmt.Sprintf("<U+%04X>", r)
			b.WriteString(s)
			col += len(s)
		default:
			b.WriteString(line[i : i+n])
			col += runeWidth(r)
		}
		i += n
	}
	l.cols = append(l.cols, col)
	l.text, l.width = b.String(), col
	return l
}

// columns returns the column of a byte of the line; those behind the end follow it.
func (l *lineLayout) columns(i int) int {
	if i < len(l.cols) {
		return l.cols[max(i, 0)]
	}
	return l.width + i - len(l.cols) + 1
}

// runeWidth returns how many columns a character takes: two for those of East Asian scripts and pictures, none for
// marks on the character before.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.IsMark(r), r == 0x200D:
		return 0
	case r >= 0x1100 && r <= 0x115F, r >= 0x2E80 && r <= 0x303E, r >= 0x3041 && r <= 0x33FF, r >= 0x3400 && r <= 0x4DBF,
		r >= 0x4E00 && r <= 0x9FFF, r >= 0xA000 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3, r >= 0xF900 && r <= 0xFAFF,
		r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60, r >= 0xFFE0 && r <= 0xFFE6, r >= 0x1F300 && r <= 0x1F64F,
		r >= 0x1F900 && r <= 0x1F9FF, r >= 0x20000 && r <= 0x3FFFD:
		return 2
	}
	return 1
}

// clip cuts lines that stand under each other to a number of columns around one of them.
func (l *lineLayout) clip(lines []string, around, width int) []string {
	if l.width <= width {
		return lines
	}
	const dots = "..."
	from := max(around-width/2, 0)
	to := from + width
	if to > l.width {
		to = max(l.width, around+1)
		from = max(to-width, 0)
	}
	out := make([]string, len(lines))
	for i, s := range lines {
		blank := "   "
		if i == 0 {
			blank = dots
		}
		cut := cutColumns(s, from, to)
		if from > 0 {
			cut = blank + dropColumns(cut, len(dots))
		}
		if i == 0 && to < l.width {
			cut = cutColumns(cut, 0, width-len(dots)) + dots
		}
		out[i] = cut
	}
	return out
}

// cutColumns returns columns from to to of a text. A wide character that is cut leaves a blank.
func cutColumns(s string, from, to int) string {
	var b strings.Builder
	col := 0
	for _, r := range s {
		w := runeWidth(r)
		switch {
		case col >= to:
			return b.String()
		case col >= from && col+w <= to:
			b.WriteRune(r)
		case col+w > from:
			b.WriteString(strings.Repeat(" ", min(col+w, to)-max(col, from)))
		}
		col += w
	}
	return b.String()
}

// dropColumns returns a text without its first columns.
func dropColumns(s string, n int) string { return cutColumns(s, n, 1<<30) }
