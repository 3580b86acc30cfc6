package main

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The chart has a group of bars for each kernel, one bar an implementation, on
// a logarithmic scale of speed against that of PoCL, where longer is faster. It
// has two sets of colours, for light pages and for dark ones.

// Sizes of the chart, in pixels.
const (
	chartWidth = 900
	chartLeft  = 130 // where the scale begins
	chartRight = 846 // where it ends
	chartTop   = 104
	barHeight  = 10
	groupSpace = 10
)

// shades are the colours of the implementations on light pages and on dark ones.
var shades = []struct {
	name        string
	class       string
	light, dark string
}{
	{nativeAVX512, "a", "#0b6e4f", "#3ddc97"},
	{nativeAVX2, "b", "#4c9f70", "#1f9d6b"},
	{interpreter, "c", "#a3cfb4", "#14532d"},
	{pocl, "d", "#1f6feb", "#58a6ff"},
	{oclgrind, "e", "#c2410c", "#f08c4a"},
	{handwritten, "f", "#6e7781", "#b1bac4"},
}

// shade is the class of an implementation; others have that of grey text.
func shade(name string) string {
	for _, s := range shades {
		if s.name == name {
			return s.class
		}
	}
	return "m"
}

// speeds are those of a row's implementations against PoCL; 0 where there is none.
func (r *Report) speeds(row *Row) []float64 {
	base := r.index(pocl)
	speeds := make([]float64, len(row.Cells))
	if base < 0 || !row.Cells[base].measured() {
		return speeds
	}
	reference := row.Cells[base].Faster
	for i := range row.Cells {
		switch cell := &row.Cells[i]; {
		case !cell.measured():
		case i == 0:
			speeds[i] = reference
		default:
			speeds[i] = reference / cell.Faster
		}
	}
	return speeds
}

// charted are the rows that a page has room for: those of many fields are in tables only, unless there are no others.
func (r *Report) charted() []Row {
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return row.Field != "" })
	if len(rows) == 0 {
		return r.Rows
	}
	return rows
}

// SVG is the chart; nil when there is nothing to draw.
func (r *Report) SVG() []byte {
	if len(r.Rows) == 0 || r.index(pocl) < 0 {
		return nil
	}
	// Powers of ten; the shortest bar can still be seen.
	low, high := -1, 1
	rows := r.charted()
	for i := range rows {
		for _, v := range r.speeds(&rows[i]) {
			if v > 0 {
				low, high = min(low, int(math.Floor(math.Log10(0.7*v)))), max(high, int(math.Ceil(math.Log10(v))))
			}
		}
	}
	at := func(v float64) float64 {
		return chartLeft + (math.Log10(v)-float64(low))/float64(high-low)*(chartRight-chartLeft)
	}
	var b strings.Builder
	bottom := r.chartBars(&b, at)
	var grid strings.Builder
	for power := low; power <= high; power++ {
		x, class := at(math.Pow10(power)), "g"
		if power == 0 {
			class = "z"
		}
		fmt.Fprintf(&grid, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", class, x, x, chartTop-4, bottom)
		text(&grid, "s", x, float64(bottom+16), "middle", power10(power))
	}
	text(&grid, "s", (chartLeft+chartRight)/2, float64(bottom+34), "middle", "times the speed of PoCL, on a logarithmic scale: longer is faster")
	return []byte(r.chartHead(bottom+46) + grid.String() + b.String() + "</svg>\n")
}

// power10 writes a power of ten as a factor.
func power10(power int) string {
	if power < 0 {
		return "1/" + power10(-power)
	}
	digits := "1" + strings.Repeat("0", power)
	if power > 3 {
		digits = digits[:len(digits)-3] + " " + digits[len(digits)-3:]
	}
	return digits
}

// factor writes a speed, a small one as a fraction.
func factor(v float64) string {
	if v >= 0.1 {
		return number(v)
	}
	// Three digits, and the others as zeros.
	unit := math.Pow10(max(int(math.Log10(1/v))-2, 0))
	return fmt.Sprintf("1/%.0f", math.Round(1/v/unit)*unit)
}

// chartBars draws the groups and says where they end.
func (r *Report) chartBars(b *strings.Builder, at func(float64) float64) int {
	y := chartTop
	var bars, labels strings.Builder // bars are drawn over what is around the labels
	rows := r.charted()
	for i := range rows {
		row := &rows[i]
		speeds := r.speeds(row)
		height := 0
		for j, v := range speeds {
			if v == 0 {
				continue
			}
			x, top := at(v), y+height
			fmt.Fprintf(&bars, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>", shade(r.Implementations[j].Name),
				chartLeft, top, math.Max(x-chartLeft, 1.5), barHeight-1)
			escape(&bars, fmt.Sprintf("%s, %s: %s times the speed of PoCL", row.Kernel, r.Implementations[j].Name, number(v)))
			bars.WriteString("</title></rect>\n")
			if r.Implementations[j].Name != pocl {
				text(&labels, "v", x+4, float64(top+barHeight-2), "start", factor(v))
			}
			height += barHeight
		}
		text(&labels, "n", chartLeft-8, float64(y)+float64(height)/2+4, "end", row.Kernel)
		y += height + groupSpace
	}
	b.WriteString(labels.String() + bars.String())
	return y
}

// chartHead is the beginning of the file: colours, title, legend.
func (r *Report) chartHead(height int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"system-ui, sans-serif\">\n",
		chartWidth, height, chartWidth, height)
	b.WriteString("<title>Kernel speed against PoCL</title>\n<style>\n")
	b.WriteString(".p{fill:#fff;stroke:#d1d9e0}.t,.n{fill:#1f2328}.s,.m,.v{fill:#59636e}.g{stroke:#d1d9e0}.z{stroke:#59636e;stroke-width:1.5}\n")
	b.WriteString(".t{font-size:17px;font-weight:600}.n{font-size:12px}.s{font-size:11px}.v{font-size:9.5px;stroke:#fff;stroke-width:3px;paint-order:stroke}\n")
	for _, s := range shades {
		fmt.Fprintf(&b, ".%s{fill:%s}", s.class, s.light)
	}
	b.WriteString("\n@media (prefers-color-scheme:dark){.p{fill:#0d1117;stroke:#3d444d}.t,.n{fill:#f0f6fc}.s,.m,.v{fill:#9198a1}.v{stroke:#0d1117}.g{stroke:#3d444d}.z{stroke:#9198a1}\n")
	for _, s := range shades {
		fmt.Fprintf(&b, ".%s{fill:%s}", s.class, s.dark)
	}
	b.WriteString("}\n</style>\n")
	fmt.Fprintf(&b, "<path class=\"p\" d=\"M.5 .5h%dv%dh-%dz\"/>\n", chartWidth-1, height-1, chartWidth-1)
	text(&b, "t", 16, 28, "start", "OpenCL kernels on a CPU: speed against PoCL")
	text(&b, "s", 16, 48, "start", fmt.Sprintf("%s, %s, %d CPUs, %s/%s, %s", r.Date, r.Machine.CPU, r.Machine.CPUs, r.Machine.OS, r.Machine.Arch, r.Machine.Go))
	x := 16.0
	for _, impl := range r.Implementations {
		fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%.1f\" y=\"66\" width=\"12\" height=\"12\"/>\n", shade(impl.Name), x)
		text(&b, "n", x+17, 76, "start", impl.Name)
		x += 38 + 6.6*float64(len(impl.Name))
	}
	return b.String()
}

// text writes a line of text.
func text(b *strings.Builder, class string, x, y float64, anchor, content string) {
	fmt.Fprintf(b, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", class, x, y, anchor)
	escape(b, content)
	b.WriteString("</text>\n")
}

// escape writes content of an element.
func escape(b *strings.Builder, content string) {
	_ = xml.EscapeText(b, []byte(content)) // a Builder never fails
}
