package picture

import (
	_ "embed"
	"fmt"
	"strings"
)

// pictureStyle has the colours of a picture, in light and dark.
//
//go:embed picture.css
var pictureStyle string

// svgText writes text into SVG, in elements and in attributes with quotation marks.
var svgText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;", "\x00", "\uFFFD")

// SVG writes the picture as a document. It is written by hand, as templates link all that reflection may reach, which is
// much for a program that a browser downloads.
func (p *picture) SVG() string {
	var b strings.Builder
	e := svgText.Replace
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%[1]d\" height=\"%[2]d\" role=\"img\" aria-labelledby=\"title desc\">\n",
		p.Width, p.Height)
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", e(p.Title), e(p.Desc))
	fmt.Fprintf(&b, "<style>\n%s</style>\n<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n", pictureStyle, p.Width, p.Height)
	for i := range p.Parts {
		p.Parts[i].svg(&b)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// svg writes a figure, with what stands beside it.
func (p *picturePart) svg(b *strings.Builder) {
	e := svgText.Replace
	fmt.Fprintf(b, "<text x=\"10\" y=\"%d\" class=\"title\">%s</text>\n<g transform=\"translate(0 %d)\">\n", p.TitleY, e(p.Figure.Title), p.Y)
	for i := range p.Figure.Shapes {
		s := &p.Figure.Shapes[i]
		if s.Text != "" {
			fmt.Fprintf(b, "<text x=\"%s\" y=\"%s\" class=\"%s\">%s</text>\n", e(s.X), e(s.Y), e(s.Class), e(s.Text))
			continue
		}
		fmt.Fprintf(b, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" class=\"%s\">", e(s.X), e(s.Y), e(s.W), e(s.H), e(s.Class))
		if s.Tip != "" {
			fmt.Fprintf(b, "<title>%s</title>", e(s.Tip))
		}
		b.WriteString("</rect>\n")
	}
	b.WriteString("</g>\n")
	for _, k := range p.Keys {
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" class=\"%s\"/><text x=\"%d\" y=\"%d\" class=\"soft\">%s</text>\n",
			k.X, p.KeySquare, e(k.Class), k.TextX, p.KeyY, e(k.Text))
	}
	for _, n := range p.Notes {
		fmt.Fprintf(b, "<text x=\"10\" y=\"%d\" class=\"soft\">%s</text>\n", n.Y, e(n.Text))
	}
}
