package launch

import (
	"strings"
	"testing"
)

func TestInstance(t *testing.T) {
	for _, c := range []struct {
		text string
		i    int
		want string
		err  string
	}{
		{"a", 3, "a", ""},
		{"c{i}", 3, "c3", ""},
		{"{i+1}-{i}", 3, "4-3", ""},
		{"{i/4}_{i%4+1}", 7, "1_4", ""},
		{"{i*2-10}", 3, "-4", ""},
		{"c{i", 0, "", "{i: a brace is not closed"},
		{"c{j}", 0, "", "{j}: it does not begin with i"},
		{"{}", 0, "", "{}: it does not begin with i"},
		{"{i+}", 0, "", `{i+}: "+" is no operator with a number`},
		{"{i1}", 0, "", `{i1}: "1" is no operator with a number`},
		{"{i^1}", 0, "", `{i^1}: "^1" is no operator with a number`},
		{"{i+99999999999}", 0, "", "is no operator with a number"},
		{"{i/0}", 0, "", "{i/0}: a division by zero"},
		{"{i%0}", 0, "", "{i%0}: a division by zero"},
		{"{i*2000000000*2000000000}", 2, "", "too large a number"},
	} {
		got, err := instance(c.text, c.i)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s for %d: %q, %v", c.text, c.i, got, err)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{"a": "a", "c{0..2}": "c0 c1 c2", "e{1..2}_{3..4}x": "e1_3x e1_4x e2_3x e2_4x", "{5..5}": "5"} {
		if got, err := names(text); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"c{", "c{}", "c{1}", "c{2..1}", "c{a..b}", "c{-1..3}", "c{0..1}{", "c{0..65536}", "c{0..999}{0..999}", "c{0..99999999999}"} {
		if got, err := names(text); err == nil {
			t.Errorf("%s: %d names", text, len(got))
		}
	}
}
