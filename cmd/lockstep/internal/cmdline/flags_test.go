package cmdline

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestFlagsAnywhere(t *testing.T) {
	for _, c := range []struct {
		args string
		rest string
		n    int
		b    bool
		list string
		err  string
	}{
		{args: "a b", rest: "a b"},
		{args: "-n 3 a -b b", rest: "a b", n: 3, b: true},
		{args: "a -n=3 --l x b --l=y", rest: "a b", n: 3, list: "x y"},
		{args: "- a", rest: "- a"},
		{args: "a -- -n 3", rest: "a -n 3"},
		{args: "-b=false a", rest: "a"},
		{args: "-n -3 a", rest: "a", n: -3},
		{args: "-l -b", list: "-b"},
		{args: "-l -- a", rest: "a", list: "--"},
		{args: "-n", err: "needs a value: -n COUNT"},
		{args: "-n x", err: "-n x: not a whole number"},
		{args: "-n 1 -n 2", err: "-n is given twice"},
		{args: "-b=2", err: "-b 2: not true or false"},
		{args: "-lst", err: "there is no flag -lst; did you mean -l?"},
		{args: "-x", err: "there is no flag -x"},
		{args: "-n 1 -h", err: "help requested"},
	} {
		f := NewFlags("test")
		n := f.Int("n", 0, "a `COUNT`")
		b := f.Bool("b", false, "a switch")
		l := f.List("l", "a `THING`")
		rest, err := f.ParseWords(strings.Fields(c.args))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error %v, want %q", c.args, err, c.err)
			}
			continue
		}
		if err != nil || strings.Join(rest, " ") != c.rest || *n != c.n || *b != c.b || strings.Join(*l, " ") != c.list {
			t.Errorf("%q: %q, n %d, b %v, l %q, error %v", c.args, rest, *n, *b, *l, err)
		}
	}
}

// filesFlags is a set of flags with parts, and files of arguments.
func filesFlags(files map[string]string, end func(rest []string, from string, places []string, next string) error) *Flags {
	f := NewFlags("test")
	f.Parts = &Parts{Separators: []string{"with"}, Flags: map[string]bool{"l": true, "s": true}, Located: "l", End: end}
	f.Read = func(path string) ([]byte, error) {
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
		var f *Flags
		var l *List
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
		l, s = f.List("l", "a `THING`"), f.String("s", "", "a `WORD`")
		f.Int("n", 0, "a `COUNT`")
		_, err := f.ParseWords(strings.Fields(c.args))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error %v, want %q", c.args, err, c.err)
			}
			continue
		}
		if want := strings.ReplaceAll(c.want, " |", "|"); err != nil || got.String() != strings.ReplaceAll(want, " }", "}") {
			t.Errorf("%q: %s, %v", c.args, got.String(), err)
		}
		if c.top != "" && (strings.Join(f.Top, " ") != c.top || f.InFiles == nil) {
			t.Errorf("%q: the command line itself is %q", c.args, f.Top)
		}
	}
	stop := errors.New("enough")
	f := filesFlags(files, func([]string, string, []string, string) error { return stop })
	if _, err := f.ParseWords([]string{"-with", "a"}); !errors.Is(err, stop) {
		t.Errorf("the error of a part: %v", err)
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
