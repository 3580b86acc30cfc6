package pp

import (
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// badCharacter reports a character that can begin no token.
func (p *Preprocessor) badCharacter(t *token.Token) {
	r, n := utf8.DecodeRuneInString(t.Text)
	switch {
	case r == utf8.RuneError && n <= 1:
		p.diags.Errorf(t.Pos, "source file is not valid UTF-8")
	case r == '\\':
		p.diags.Errorf(t.Pos, "unexpected character '\\'")
	case r < 0x80 && r > ' ' && r != 0x7F:
		p.diags.Errorf(t.Pos, "unexpected character '%c'", r)
	default:
		d := p.diags.Errorf(t.Pos, "unexpected character <U+%04X>", r)
		if s, ok := lookalikes[r]; ok {
			d.Note(t.Pos, "did you mean '%s'?", s)
		}
	}
}

// lookalikes are characters that texts from word processors have in the places of others.
var lookalikes = map[rune]string{
	0x2018: "'", 0x2019: "'", 0x201C: `"`, 0x201D: `"`, 0x2010: "-", 0x2011: "-", 0x2012: "-", 0x2013: "-", 0x2014: "-",
	0x2212: "-", 0x00D7: "*", 0x00F7: "/", 0x037E: ";", 0xFF1B: ";", 0xFF0C: ",", 0xFF08: "(", 0xFF09: ")", 0x2026: "...",
	0xFF1D: "=", 0xFF0B: "+", 0x2260: "!=", 0x2264: "<=", 0x2265: ">=", 0x2217: "*", 0x2215: "/", 0x2044: "/",
}
