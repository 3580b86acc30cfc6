package pp

import (
	"bufio"
	"io"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// Print writes all tokens as text that means the same, without comments, directives and macros; pragmas stay. Lines
// are those of the source as far as tokens say so.
func (p *Preprocessor) Print(w io.Writer) error {
	b := bufio.NewWriter(w)
	begun := false // something is in the line
	last := token.EOF
	for {
		t := p.Next()
		switch {
		case t.Kind == token.EOF:
			if begun {
				b.WriteByte('\n')
			}
			return b.Flush()
		case t.Kind == token.Pragma:
			if begun {
				b.WriteByte('\n')
			}
			b.WriteString("#pragma " + t.Text + "\n")
			begun = false
			continue
		case t.Flags&token.FirstOnLine != 0 && begun:
			b.WriteByte('\n')
		case begun && (t.Flags&token.SpaceBefore != 0 || joins(last, t.Kind)):
			b.WriteByte(' ')
		}
		b.WriteString(t.Spelling())
		begun, last = true, t.Kind
	}
}

// joins reports whether two tokens could be read as one, or as others, if nothing stood between them.
func joins(a, b token.Kind) bool {
	word := func(k token.Kind) bool {
		return k == token.Ident || k == token.Int || k == token.Float || k == token.Char || k == token.String || k > token.HashHash
	}
	switch {
	case word(a):
		return word(b) || (a == token.Int || a == token.Float) && (b == token.Dot || b == token.Plus || b == token.Minus)
	case a <= token.Pragma, b <= token.Pragma, a == token.LParen, b == token.LParen, a == token.Comma, b == token.Comma,
		a == token.Semi, b == token.Semi, b == token.RParen, a == token.RParen:
		return a == token.Dot && (b == token.Int || b == token.Float)
	}
	return !word(b) || a == token.Dot && (b == token.Int || b == token.Float)
}
