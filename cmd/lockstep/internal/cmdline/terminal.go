package cmdline

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ASCIIOnly says whether the locale that the environment names has no characters
// beyond ASCII. get reads a variable. Windows, WebAssembly and macOS take UTF-8
// unless a variable says otherwise; elsewhere no variable means the locale C, as
// POSIX has it.
func ASCIIOnly(goos string, get func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := get(name); v != "" {
			v = strings.ToLower(v)
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	switch goos {
	case "windows", "darwin", "ios", "js", "wasip1":
		return false
	}
	return true
}

// Colorful says whether text on standard error is coloured: mode is the value of
// -color, auto, always or never.
func (e *Env) Colorful(mode string) bool {
	if mode != "auto" {
		return mode == "always"
	}
	return e.StderrTerminal && !e.NoColor
}

// replacements are how the characters of lockstep's own texts look in ASCII. Those
// of pictures and tables take as many columns as before.
var replacements = map[rune]string{
	'×': "x", '·': ".", '–': "-", '—': "-", '−': "-", '…': "...", '²': "^2", '³': "^3", 'µ': "u", 'μ': "u", '≤': "<=", '≥': ">=", '≠': "!=", '→': "->", '←': "<-", '⇄': "<->",
	'“': `"`, '”': `"`, '‘': "'", '’': "'", '\u00a0': " ", utf8.RuneError: "?",
}

// ASCIIWriter writes UTF-8 as ASCII: characters of lockstep's own texts by their
// replacements, others as \u{NUMBER}. Bytes that are no UTF-8 stay as they are.
type ASCIIWriter struct {
	To   io.Writer
	rest []byte // the start of a character whose end has not come
}

// Write implements io.Writer.
func (a *ASCIIWriter) Write(p []byte) (int, error) {
	in := append(a.rest, p...)
	out := make([]byte, 0, len(in))
	for len(in) > 0 && utf8.FullRune(in) {
		r, n := utf8.DecodeRune(in)
		switch text, ok := replacements[r]; {
		case r < utf8.RuneSelf, r == utf8.RuneError && n == 1:
			out = append(out, in[:n]...)
		case ok:
			out = append(out, text...)
		default:
			out = fmt.Appendf(out, `\u{%x}`, r)
		}
		in = in[n:]
	}
	a.rest = append([]byte(nil), in...)
	if _, err := a.To.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what is left of a character that was cut off.
func (a *ASCIIWriter) Flush() error {
	_, err := a.To.Write(a.rest)
	a.rest = nil
	return err
}

// Text returns a writer for lockstep's own texts: w, or one that writes ASCII to it.
// What kernels print, and documents, do not go through it.
func (e *Env) Text(w io.Writer) io.Writer {
	if !e.ASCII {
		return w
	}
	if _, ok := w.(*ASCIIWriter); ok {
		return w
	}
	return &ASCIIWriter{To: w}
}

// ColorModes are the values of -color.
var ColorModes = []string{"auto", "always", "never"}
