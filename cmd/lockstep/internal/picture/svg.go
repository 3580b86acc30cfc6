package picture

import (
	"fmt"
	"math/bits"
)

// Figure is a picture of a page: shapes, which pageTemplate escapes, and words that say the same.
type Figure struct {
	ID            string
	Kind          string // what -picture calls it
	Title, Desc   string // for those who do not see it
	Width, Height int
	Shapes        []shape
	Keys          []figureKey
	Notes         []string
}

// figureKey explains a colour.
type figureKey struct{ Class, Text string }

// shape is a rectangle or a text. Its class says what it looks like, in light and dark.
type shape struct {
	Text       string // "" for a rectangle
	X, Y, W, H string
	Class      string
	Tip        string // what a pointer over it shows
}

// Sizes of figures, in tenths of a unit.
const (
	unit        = 10
	figureWidth = 960 * unit
	labelWidth  = 170 * unit
	plotWidth   = figureWidth - labelWidth - 20*unit
)

// tenthsText writes a length in tenths of a unit. Whole numbers keep pictures the same on each machine.
func tenthsText(n int) string {
	if n%unit == 0 {
		return fmt.Sprint(n / unit)
	}
	return fmt.Sprintf("%d.%d", n/unit, n%unit)
}

// rect adds a rectangle.
func (f *Figure) rect(x, y, w, h int, class, tip string) {
	f.Shapes = append(f.Shapes, shape{X: tenthsText(x), Y: tenthsText(y), W: tenthsText(w), H: tenthsText(h), Class: class, Tip: tip})
}

// text adds a text at its base line. The class says which of its ends is at x.
func (f *Figure) text(x, y int, class, text string) {
	if text != "" {
		f.Shapes = append(f.Shapes, shape{Text: text, X: tenthsText(x), Y: tenthsText(y), Class: class})
	}
}

// label adds the name of a row, whose middle is at y, left of the plot.
func (f *Figure) label(y int, text string) {
	const most = 26
	if r := []rune(text); len(r) > most {
		text = "…" + string(r[len(r)-most+1:])
	}
	f.text(labelWidth-8*unit, y+4*unit, "end", text)
}

// ends sets the height of the figure.
func (f *Figure) ends(y int) { f.Height = (y + unit - 1) / unit }

// at is where n of all is in the plot.
func at(n, all uint64) int { return labelWidth + scaled(plotWidth, n, all) }

// scaled is the part of a length that n is of all.
func scaled(length int, n, all uint64) int {
	if all == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(length), min(n, all))
	part, _ := bits.Div64(hi, lo, all) // hi is below all, since length is below 1<<63 and n no more than all
	return int(part)
}

// key explains a class, once.
func (f *Figure) key(class, text string) {
	for _, k := range f.Keys {
		if k.Class == class {
			return
		}
	}
	f.Keys = append(f.Keys, figureKey{class, text})
}

// note adds a sentence below the picture.
func (f *Figure) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// axis writes ticks, or what else is counted, below a plot, from first to last.
func (f *Figure) axis(y int, first, last uint64, what string) {
	const steps = 4
	for i := range uint64(steps + 1) {
		class := "middle"
		switch i {
		case 0:
			class = "start"
		case steps:
			class = "end"
		}
		f.text(labelWidth+plotWidth*int(i)/steps, y, class+" soft", fmt.Sprint(first+(last-first)*i/steps))
	}
	f.text(labelWidth-8*unit, y, "end soft", what)
}
