package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// TestASCIIOutput holds that texts keep to ASCII where the locale does, and that what
// kernels print and documents do not change.
func TestASCIIOutput(t *testing.T) {
	ascii := func(s string) bool {
		return strings.Trim(s, "\x00") == strings.ToValidUTF8(s, "?") && strings.IndexFunc(s, func(r rune) bool { return r > 127 }) < 0
	}
	trace := strings.Fields("run examples/pipelined-matmul/matmul.cl -kernel matmul_events -global 16,16 -arg rand:f32:512:1 -arg rand:f32:512:2 -arg zero:f32:256 -arg u32:16 -arg u32:16 -arg u32:32 -schedule paced -explain async")
	for _, args := range [][]string{
		{"help", "pipes"}, {"help", "args"}, {"frobnicate×"}, trace,
		strings.Fields("run kernels.spv -kernel uneven -global 8 -local 8 -arg zero:i32:8 -arg local:32"),
	} {
		w := &world{written: map[string][]byte{}}
		plain, errs, status := w.run(context.Background(), args, nil)
		if ascii(plain + errs) {
			t.Errorf("%q: nothing to replace", args)
		}
		w.ascii = true
		out, errs, again := w.run(context.Background(), args, nil)
		if !ascii(out) || !ascii(errs) || again != status {
			t.Errorf("%q: not ASCII\n%s%s", args, out, errs)
		}
	}
	// A document is UTF-8 in any locale.
	w := &world{written: map[string][]byte{}, ascii: true}
	out, _, _ := w.run(context.Background(), strings.Fields("run kernels.spv -kernel uneven -global 8 -local 8 -arg zero:i32:8 -arg local:32 -json"), nil)
	w.ascii = false
	want, _, _ := w.run(context.Background(), strings.Fields("run kernels.spv -kernel uneven -global 8 -local 8 -arg zero:i32:8 -arg local:32 -json"), nil)
	if out != want {
		t.Error("the locale changes a document")
	}
}

// TestUnseen holds who is told what a run has not looked at: a person at a terminal whose run found nothing.
func TestUnseen(t *testing.T) {
	const one, stages = "races and uninitialised values (-check), other orders (lockstep explore)\n", "races and uninitialised values (-check), other orders (-schedule)\n"
	for _, c := range []struct {
		args     string
		terminal bool
		want     string
	}{
		{"run examples/saxpy/saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg zero:f32:8 -out 2=-", true, one},
		{"run kernels.spv -kernel hello -global 2 -arg u32:2", true, one},
		{"run pipes.spv -pipe a=i32:4 -kernel source -global 1 -arg pipe:a -arg i32:10 -with -kernel sink -global 10 -arg pipe:a -arg zero:i32:10", true, one},
		{"run examples/saxpy/saxpy.cl -buffer y=zero:f32:8 -global 8 -arg f32:2 -arg iota:f32:8 -arg buffer:y -then -global 8 -arg f32:2 -arg iota:f32:8 -arg buffer:y", true, stages},
		{"run examples/saxpy/saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg zero:f32:8 -out 2=-", false, ""},
		{"run examples/saxpy/saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg zero:f32:8 -out 2=- -q", true, ""},
		{"run examples/saxpy/saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg zero:f32:8 -out 2=- -json", true, ""},
		{"run examples/saxpy/saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg zero:f32:8 -out 2=- -check", true, ""},
		{"run examples/saxpy/saxpy.cl -global 0 -arg f32:2 -arg iota:f32:8 -arg zero:f32:8 -out 2=-", true, ""},
		{"run examples/saxpy/saxpy.cl -global 9 -arg f32:2 -arg iota:f32:8 -arg zero:f32:8 -out 2=-", true, ""},
	} {
		w := &world{written: map[string][]byte{}}
		var errs bytes.Buffer
		env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs, StderrTerminal: c.terminal, Open: w.open, Create: w.create, Stat: w.stat}
		Main(context.Background(), strings.Fields(c.args), env)
		_, got, _ := strings.Cut(errs.String(), "note: not looked at: ")
		if got != c.want {
			t.Errorf("%s on a terminal: %v\n%s\nwant at the end: %s", c.args, c.terminal, errs.String(), c.want)
		}
	}
}

// TestColors holds when findings have colours.
func TestColors(t *testing.T) {
	for _, c := range []struct {
		mode               string
		terminal, no, want bool
	}{
		{"auto", true, false, true}, {"auto", true, true, false}, {"auto", false, false, false},
		{"always", false, true, true}, {"never", true, false, false},
	} {
		env := &cmdline.Env{StderrTerminal: c.terminal, NoColor: c.no}
		if got := env.Colorful(c.mode); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	w := &world{written: map[string][]byte{}}
	args := strings.Fields("run kernels.spv -kernel past -global 6 -local 2 -arg zero:i32:4 -arg i32:9 -color always")
	if _, errs, _ := w.run(context.Background(), args, nil); !strings.Contains(errs, "\x1b[1;31merror[E-OOB]\x1b[0m") {
		t.Errorf("no colours:\n%s", errs)
	}
}
