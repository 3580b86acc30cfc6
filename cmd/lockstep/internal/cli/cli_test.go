package cli

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// A kernel that never ends is ended: by -timeout, and by whoever interrupts the
// command. Both are findings.
func TestEndless(t *testing.T) {
	args := []string{"run", "kernels.spv", "-kernel", "forever", "-global", "1", "-arg", "zero:i32:1"}
	w := &world{written: map[string][]byte{}}
	_, stderr, status := w.run(context.Background(), append(args, "-timeout", "20ms"), nil)
	if status != cmdline.ExitFinding || !strings.Contains(stderr, "E-TIMEOUT") || !strings.Contains(stderr, "kernels.cl:") && !strings.Contains(stderr, "compilation") {
		t.Errorf("-timeout: exit status %d\n%s", status, stderr)
	}
	_, stderr, status = w.run(context.Background(), append(args, "-timeout", "1ns"), nil)
	if want := "lockstep: the time limit ended the compilation of kernels.spv (E-TIMEOUT)\n"; status != cmdline.ExitFinding || stderr != want {
		t.Errorf("-timeout that ends before the compilation: exit status %d\n%s", status, stderr)
	}

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	for _, when := range []string{"while it runs", "before it runs"} {
		_, stderr, status = w.run(ctx, args, nil)
		if status != cmdline.ExitFinding || !strings.Contains(stderr, "E-CANCELLED") {
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
	env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: failing{}, Stderr: &stderr, Open: w.open, Create: w.create, Stat: w.stat}
	if status := Main(context.Background(), []string{"help"}, env); status != cmdline.ExitUsage {
		t.Errorf("exit status %d, want %d", status, cmdline.ExitUsage)
	}
	if got, want := stderr.String(), "lockstep: standard output: no space left\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBinaryIsNotForTerminals(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	var out, stderr bytes.Buffer
	env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &stderr, StdoutTerminal: true, Open: w.open, Create: w.create, Stat: w.stat}
	if status := Main(context.Background(), []string{"asm", "small.spvasm"}, env); status != cmdline.ExitUsage || out.Len() > 0 {
		t.Errorf("exit status %d, %d bytes on the terminal", status, out.Len())
	}
}

// Every command has help that names its flags, and every topic a text.
func TestHelpIsComplete(t *testing.T) {
	help := func(args ...string) string {
		w := &world{written: map[string][]byte{}}
		text, errs, status := w.run(context.Background(), append([]string{"help"}, args...), nil)
		if status != cmdline.ExitDone || text == "" {
			t.Errorf("help %q: exit status %d, %s", args, status, errs)
		}
		return text
	}
	for _, c := range Commands() {
		text := help(c.Name)
		if !strings.HasPrefix(text, "lockstep "+c.Name) {
			t.Errorf("%s: %q", c.Name, text)
		}
		if c.Name != "help" && c.Long == "" {
			t.Errorf("%s has no explanation", c.Name)
		}
		for i, line := range strings.Split(text, "\n") {
			if len([]rune(line)) > 110 {
				t.Errorf("help %s: line %d is %d characters long", c.Name, i+1, len([]rune(line)))
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
		if !slices.Contains([]int{cmdline.ExitDone, cmdline.ExitUsage}, status) {
			t.Errorf("exit status %d", status)
		}
	})
}
