package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv"
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
		f := newFlags("test")
		n := f.Int("n", 0, "a `COUNT`")
		b := f.Bool("b", false, "a switch")
		l := f.list("l", "a `THING`")
		rest, err := f.parse(strings.Fields(c.args))
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

func TestNearest(t *testing.T) {
	names := []string{"run", "info", "isa", "validate", "dis", "asm"}
	for name, want := range map[string]string{
		"rnu": "run", "inf": "info", "valdate": "validate", "va": "validate", "disas": "dis", "x": "", "frobnicate": "", "": "",
		strings.Repeat("long", 100): "",
	} {
		if got := nearest(name, names); got != want && !(name == "disas" && got == "") {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"größe": "größe", "a\x1b[0m": `a\x1b[0m`, "a\nb": `a\nb`, "\xff": `�`, "\u202e": `\u202e`, "": "",
	} {
		if got := printable(s); got != want {
			t.Errorf("printable(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestHarmless(t *testing.T) {
	if got, want := harmless(errors.New("a\x1b[1m\nb\tc")), `a\x1b[1m`+"\n"+`b\tc`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap("one two  three\nfour", 8), "one two\nthree\nfour"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := wrap("abcdefghijkl m", 4), "abcdefghijkl\nm"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestElementType(t *testing.T) {
	for _, c := range []struct {
		name, want string
		n          int
	}{
		{"float", "f32", 1}, {"uchar16", "u8", 16}, {"double3", "f64", 3}, {"half", "f16", 1},
		{"float5x", "", 1}, {"float99", "", 1}, {"record", "", 1}, {"", "", 1}, {"int1", "", 1},
	} {
		if got, n := elementType(c.name); got != c.want || n != c.n {
			t.Errorf("elementType(%q) = %q, %d, want %q, %d", c.name, got, n, c.want, c.n)
		}
	}
}

func TestSpecValue(t *testing.T) {
	number := func(width int, float bool) *spirv.SpecConstant {
		return &spirv.SpecConstant{Number: spirv.NumberFormat{Width: width, Float: float}}
	}
	truth := &spirv.SpecConstant{Bool: true}
	for _, c := range []struct {
		spec *spirv.SpecConstant
		text string
		want uint64
		bad  bool
	}{
		{number(32, false), "7", 7, false},
		{number(32, false), "-1", 0xffffffff, false},
		{number(32, false), "0x10", 16, false},
		{number(32, false), "4294967295", 0xffffffff, false},
		{number(32, false), "4294967296", 0, true},
		{number(32, false), "-2147483649", 0, true},
		{number(8, false), "-128", 0x80, false},
		{number(8, false), "256", 0, true},
		{number(64, false), "-1", math.MaxUint64, false},
		{number(32, false), "1.5", 0, true},
		{number(32, true), "1.5", 0x3fc00000, false},
		{number(16, true), "1", 0x3c00, false},
		{number(64, true), "-2", 0xc000000000000000, false},
		{number(32, true), "1,2", 0, true},
		{number(32, true), "x", 0, true},
		{truth, "true", 1, false},
		{truth, "0", 0, false},
		{truth, "maybe", 0, true},
	} {
		got, err := specValue(c.spec, c.text)
		if (err != nil) != c.bad || got != c.want {
			t.Errorf("%+v %q: %#x, %v, want %#x", c.spec.Number, c.text, got, err, c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, "k\x1b", true)
	at := p.start
	p.now = func() time.Time { return at }
	p.update(1, 10)
	if out.Len() > 0 {
		t.Errorf("a word too early: %q", out.String())
	}
	p.clear()
	if out.Len() > 0 {
		t.Errorf("cleared what was not there: %q", out.String())
	}
	p = newProgress(&out, "k\x1b", true)
	at = p.start.Add(4 * time.Second)
	p.now = func() time.Time { return at }
	p.update(40, 100)
	p.clear()
	p.update(41, 100)
	want := "\r\x1b[Kk\\x1b: 40 % of 100 work-groups, 4 s, about 7 s left\r\x1b[K"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if got, want := progressText(0, 1, 2*time.Second), "0 of 1 work-group, 2 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := progressText(0, 1<<63, time.Minute), "0 % of 9223372036854775808 work-groups, 60 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run of five seconds says once how to end it, on a terminal or not.
func TestProgressTellsHowToStop(t *testing.T) {
	const told = "lockstep: kernel k has run for 5 s: 3 of 10 work-groups done; Ctrl-C ends it, and so does -timeout 10s\n"
	for terminal, want := range map[bool]string{
		false: told,
		true: "\r\x1b[Kkernel k: 3 of 10 work-groups, 4 s, about 10 s left\r\x1b[K" + told +
			"\r\x1b[Kkernel k: 3 of 10 work-groups, 5 s, about 12 s left\r\x1b[Kkernel k: 3 of 10 work-groups, 6 s, about 15 s left\r\x1b[K",
	} {
		var out bytes.Buffer
		p := newProgress(&out, "kernel k", terminal)
		for _, s := range []int{0, 4, 5, 6} {
			p.now = func() time.Time { return p.start.Add(time.Duration(s) * time.Second) }
			p.update(3, 10)
		}
		p.clear()
		if out.String() != want {
			t.Errorf("terminal %v: %q, want %q", terminal, out.String(), want)
		}
	}
}

// A kernel that never ends is ended: by -timeout, and by whoever interrupts the
// command. Both are findings.
func TestEndless(t *testing.T) {
	args := []string{"run", "kernels.spv", "-kernel", "forever", "-global", "1", "-arg", "zero:i32:1"}
	w := &world{written: map[string][]byte{}}
	_, stderr, status := w.run(context.Background(), append(args, "-timeout", "20ms"), nil)
	if status != ExitFinding || !strings.Contains(stderr, "E-TIMEOUT") || !strings.Contains(stderr, "kernels.cl:") && !strings.Contains(stderr, "compilation") {
		t.Errorf("-timeout: exit status %d\n%s", status, stderr)
	}
	_, stderr, status = w.run(context.Background(), append(args, "-timeout", "1ns"), nil)
	if want := "lockstep: the time limit ended the compilation of kernels.spv (E-TIMEOUT)\n"; status != ExitFinding || stderr != want {
		t.Errorf("-timeout that ends before the compilation: exit status %d\n%s", status, stderr)
	}

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	for _, when := range []string{"while it runs", "before it runs"} {
		_, stderr, status = w.run(ctx, args, nil)
		if status != ExitFinding || !strings.Contains(stderr, "E-CANCELLED") {
			t.Errorf("interrupted %s: exit status %d\n%s", when, status, stderr)
		}
	}
}

// failing is a writer whose device is full.
type failing struct{}

var errFull = errors.New("no space left")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestOutputThatFails(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	var stderr bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: failing{}, Stderr: &stderr, Open: w.open, Create: w.create, Stat: w.stat}
	if status := Main(context.Background(), []string{"help"}, env); status != ExitUsage {
		t.Errorf("exit status %d, want %d", status, ExitUsage)
	}
	if got, want := stderr.String(), "lockstep: standard output: no space left\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBinaryIsNotForTerminals(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	var out, stderr bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &stderr, StdoutTerminal: true, Open: w.open, Create: w.create, Stat: w.stat}
	if status := Main(context.Background(), []string{"asm", "small.spvasm"}, env); status != ExitUsage || out.Len() > 0 {
		t.Errorf("exit status %d, %d bytes on the terminal", status, out.Len())
	}
}

// Every command has help that names its flags, and every topic a text.
func TestHelpIsComplete(t *testing.T) {
	help := func(args ...string) string {
		w := &world{written: map[string][]byte{}}
		text, errs, status := w.run(context.Background(), append([]string{"help"}, args...), nil)
		if status != ExitDone || text == "" {
			t.Errorf("help %q: exit status %d, %s", args, status, errs)
		}
		return text
	}
	for _, c := range Commands() {
		text := help(c.name)
		if !strings.HasPrefix(text, "lockstep "+c.name) {
			t.Errorf("%s: %q", c.name, text)
		}
		if c.name != "help" && c.long == "" {
			t.Errorf("%s has no explanation", c.name)
		}
		for i, line := range strings.Split(text, "\n") {
			if len([]rune(line)) > 110 {
				t.Errorf("help %s: line %d is %d characters long", c.name, i+1, len([]rune(line)))
			}
		}
	}
	_, topics, _ := strings.Cut(help(), "\ntopics\n")
	topics, _, _ = strings.Cut(topics, "\n\n")
	if n := strings.Count(topics, "\n"); n < 10 {
		t.Errorf("%d topics:\n%s", n, topics)
	}
	for line := range strings.Lines(topics) {
		help(strings.Fields(line)[0])
	}
	pipes := help("pipes")
	for _, code := range finding.Codes() {
		if strings.HasPrefix(string(code), "E-PIPE") && !strings.Contains(pipes, string(code)) {
			t.Errorf("help pipes does not mention %s", code)
		}
	}
	for _, flag := range []string{"-with", "-repeat", "-pipe", "-out", "@FILE", "-explain pipes", "-schedule", "-check"} {
		if !strings.Contains(pipes, flag) {
			t.Errorf("help pipes does not mention %s", flag)
		}
	}
}

func TestIndentJSON(t *testing.T) {
	for src, want := range map[string]string{
		`{}`:                   `{}`,
		`[]`:                   `[]`,
		`7`:                    `7`,
		`[1,"a,]\"b",null]`:    `[1, "a,]\"b", null]`,
		`{"a":[1,2],"b":{}}`:   "{\n  \"a\": [1, 2],\n  \"b\": {}\n}",
		`{"a:{":"}","b":[{}]}`: "{\n  \"a:{\": \"}\",\n  \"b\": [\n    {}\n  ]\n}",
		`[[1,2],[3]]`:          "[\n  [1, 2],\n  [3]\n]",
	} {
		if got := string(indentJSON(nil, []byte(src))); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", src, got, want)
		}
	}
}

func FuzzIndentJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"\\\""}],"c":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var src, back bytes.Buffer
		if json.Compact(&src, data) != nil {
			return
		}
		if err := json.Compact(&back, indentJSON(nil, src.Bytes())); err != nil || !bytes.Equal(src.Bytes(), back.Bytes()) {
			t.Errorf("%s became %s, error %v", src.Bytes(), back.Bytes(), err)
		}
	})
}

func TestReadLimited(t *testing.T) {
	if _, err := readLimited(zeros{}, 1000); err == nil || err.Error() != "larger than 1000 bytes" {
		t.Errorf("error %v", err)
	}
	if data, err := readLimited(io.LimitReader(zeros{}, 1000), 1000); err != nil || len(data) != 1000 {
		t.Errorf("%d bytes, error %v", len(data), err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func FuzzNotAModule(f *testing.F) {
	for _, s := range []string{"", "OpNop", "; c\n%1 = OpTypeVoid", "kernel void k() {}", "; ModuleID", "BC\xc0\xde", "\x7fELF", "\xff\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if spirv.IsBinary(data) {
			return
		}
		w := &world{written: map[string][]byte{"x": data}}
		_, _, status := w.run(context.Background(), []string{"dis", "x"}, nil)
		if !slices.Contains([]int{ExitDone, ExitUsage}, status) {
			t.Errorf("exit status %d", status)
		}
	})
}
