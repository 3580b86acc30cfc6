package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// filesFlags is a set of flags with parts, and files of arguments.
func filesFlags(files map[string]string, end func(rest []string, from string, places []string, next string) error) *flags {
	f := newFlags("test")
	f.parts = &parts{separators: []string{"with"}, flags: map[string]bool{"l": true, "s": true}, located: "l", end: end}
	f.read = func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return f
}

func TestParts(t *testing.T) {
	files := map[string]string{
		"one": "-l x\n# a comment\n-with -s y\nrest",
		"two": "-s z @one\n-l last",
		"own": "@own", "twice": "@one -n 1\n-n 2", "broken": "\n'", "end": "-s", "bad": "\n-x", "long": "-n 1\n-s 'a b'", "schedule": "-n 3",
		"bomb": strings.Repeat("@bomb2 ", 550), "bomb2": strings.Repeat("a ", 2000),
	}
	for _, c := range []struct {
		args string
		want string // l, s and the rest of each part, and where it began
		err  string
		top  string
	}{
		{args: "", want: "{ | | | }"},
		{args: "a -l 1 -l 2 -with b -s 3 -n 4", want: "{1 2||a|}{|3|b|}"},
		{args: "-s 1 -with -s 2 -with", want: "{|1||}{|2||}{|||}"},
		{args: "m @one", want: "{x||m|}{|y|rest|one:3}", top: "m @one"},
		{args: "@two -l more", want: "{x|z||two:1}{last more|y|rest|one:3}", top: "@two -l more"},
		{args: "-l @one", want: "{@one|||}"},
		{args: "-- @one -l", want: "{||@one -l|}"},
		{args: "-with=3", err: "test: -with takes no value"},
		{args: "-s 1 -s 2", err: "test: -s is given twice"},
		{args: "-n 1 -with -n 2", err: "test: -n is given twice"},
		{args: "@nowhere", err: "test: @nowhere: open nowhere: file does not exist"},
		{args: "@", err: "test: @ needs the name of a file: @FILE"},
		{args: "@own", err: "test: own:1: @own: files of arguments that name each other, more than 8 deep"},
		{args: "@twice", err: "test: twice:2: -n is given twice"},
		{args: "@broken", err: "test: broken:2: a quote ' is not closed"},
		{args: "@end b", err: "test: end:1: -s needs a value"},
		{args: "@bad", err: "test: bad:2: there is no flag -x"},
		{args: "@bomb", err: "more than 1048576 arguments in files"},
	} {
		var got strings.Builder
		var f *flags
		var l *list
		var s *string
		f = filesFlags(files, func(rest []string, from string, places []string, _ string) error {
			fmt.Fprintf(&got, "{%s|%s|%s|%s}", strings.Join(*l, " "), *s, strings.Join(rest, " "), from)
			if len(places) != len(*l) {
				t.Errorf("%q: %d places for %d values", c.args, len(places), len(*l))
			}
			for i, place := range places {
				if (*l)[i] == "x" && place != "one:1" || (*l)[i] == "last" && place != "two:2" || (*l)[i] == "more" && place != "" {
					t.Errorf("%q: %s is at %q", c.args, (*l)[i], place)
				}
			}
			return nil
		})
		l, s = f.list("l", "a `THING`"), f.String("s", "", "a `WORD`")
		f.Int("n", 0, "a `COUNT`")
		_, err := f.parse(strings.Fields(c.args))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error %v, want %q", c.args, err, c.err)
			}
			continue
		}
		if want := strings.ReplaceAll(c.want, " |", "|"); err != nil || got.String() != strings.ReplaceAll(want, " }", "}") {
			t.Errorf("%q: %s, %v", c.args, got.String(), err)
		}
		if c.top != "" && (strings.Join(f.top, " ") != c.top || f.inFiles == nil) {
			t.Errorf("%q: the command line itself is %q", c.args, f.top)
		}
	}
	stop := errors.New("enough")
	f := filesFlags(files, func([]string, string, []string, string) error { return stop })
	if _, err := f.parse([]string{"-with", "a"}); !errors.Is(err, stop) {
		t.Errorf("the error of a part: %v", err)
	}
}

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

func TestTable(t *testing.T) {
	var b strings.Builder
	table(&b, [][]string{{"name", "n", "of"}, {"é", "1", "2,3"}, {"longer one", "100", "4"}})
	if want := "  name         n  of\n  é            1 2,3\n  longer one 100   4\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// TestLimited: what stays in memory has a limit.
func TestLimited(t *testing.T) {
	var p pipe
	w := limited{&p.drained, 10}
	if n, err := w.Write(make([]byte, 8)); n != 8 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := w.Write(make([]byte, 3)); err == nil || !strings.Contains(err.Error(), "more than 10 bytes of packets") || p.drained.Len() != 8 {
		t.Errorf("%v, %d bytes", err, p.drained.Len())
	}
}

func TestBeside(t *testing.T) {
	for _, c := range [][3]string{
		{"{}/a", "dir/file", "dir/a"},
		{"in:{}/1.d/0.bin:as-bytes", "/x/y/1", "in:/x/y/1.d/0.bin:as-bytes"},
		{"b=at:8:in:{}/c", "file", "b=at:8:in:./c"},
		{"-out=x={}/d", "../f", "-out=x=../d"},
		{"a{}/b", "d/f", "a{}/b"},
		{"{}/{}/b:{}/c", "d/f", "d/{}/b:d/c"},
		{"{}", "d/f", "{}"},
	} {
		if got := beside(c[0], c[1]); got != c[2] {
			t.Errorf("%s in %s is %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
