package words

import (
	"fmt"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // words in brackets, each with its line
		err  string
		line int
	}{
		{text: ""},
		{text: "a b\n\tc\r\n", want: "[1 a][1 b][2 c]"},
		{text: "a#b # a comment 'with a quote\nc", want: "[1 a#b][2 c]"},
		{text: "# only\n#\n", want: ""},
		{text: `'a b' "c d"'e f'g`, want: "[1 a b][1 c de fg]"},
		{text: `'' ""`, want: "[1 ][1 ]"},
		{text: `'a\n' "q\"\\\x"`, want: `[1 a\n][1 q"\\x]`},
		{text: "\"two\nlines\" next\nlast", want: "[1 two\nlines][2 next][3 last]"},
		{text: `a\ b \#c \'`, want: "[1 a b][1 #c][1 ']"},
		{text: "a \\\n b\\\nc\n\\\r\nd", want: "[1 a][2 bc][5 d]"},
		{text: "x\n'y\nz", err: "a quote ' is not closed", line: 2},
		{text: "x \"", err: `a quote " is not closed`, line: 1},
		{text: "x\ny\\", err: "a backslash with nothing behind it", line: 2},
	} {
		words, line, err := Split(c.text)
		if c.err != "" {
			if err == nil || err.Error() != c.err || line != c.line {
				t.Errorf("%q: line %d, %v", c.text, line, err)
			}
			continue
		}
		var b strings.Builder
		for _, w := range words {
			fmt.Fprintf(&b, "[%d %s]", w.Line, w.Text)
		}
		if err != nil || b.String() != c.want {
			t.Errorf("%q: %s, %v; want %s", c.text, b.String(), err, c.want)
		}
	}
}

// FuzzSplit: no file panics, and what Split takes apart it takes apart again
// when the words are quoted.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a b", "'a b'#", "\"\\\"\"", "\\", "a\\\nb", "# x\n'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, line, err := Split(text)
		if line < 1 || line > 1+strings.Count(text, "\n") {
			t.Fatalf("line %d", line)
		}
		if err != nil {
			return
		}
		var b strings.Builder
		for _, w := range words {
			b.WriteString(Quote(w.Text) + "\n")
		}
		again, _, err := Split(b.String())
		if err != nil || len(again) != len(words) {
			t.Fatalf("%d words, then %d: %v", len(words), len(again), err)
		}
		for i := range words {
			if words[i].Text != again[i].Text {
				t.Fatalf("%q became %q", words[i].Text, again[i].Text)
			}
		}
	})
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"": "''", "a.spv": "a.spv", "f32:1,2": "f32:1,2", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "a;b": "'a;b'",
	} {
		if got := Quote(s); got != want {
			t.Errorf("Quote(%q) = %s, want %s", s, got, want)
		}
	}
}
