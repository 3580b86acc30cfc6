package cli

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// TestNotice has runs that never end: the notice says how far they are and where the work-items are, of a
// work-group of one wave, of one of several, and of kernels that run together.
func TestNotice(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"one wave", "kernels.spv -kernel forever -global 8 -local 4 -arg zero:i32:1",
			`lockstep: kernel forever has run for \d+ s: 0 of 2 work-groups done; Ctrl-C ends it, and so does -timeout 10s
  group \([01],0,0\): work-items 0[-–]3 run at kernels.cl:33:.*
`},
		{"several waves", "kernels.spv -kernel forever -global 128 -local 128 -wave 32 -workers 1 -arg zero:i32:1",
			`lockstep: kernel forever has run for \d+ s: 0 of 1 work-group done; Ctrl-C ends it, and so does -timeout 10s
  group \(0,0,0\): work-items 0[-–]127 run at kernels.cl:33:.*
`},
		{"machine code or not", "kernels.spv -kernel forever -global 1 -arg zero:i32:1 -engine interp",
			`lockstep: kernel forever has run for \d+ s: 0 of 1 work-group done; Ctrl-C ends it, and so does -timeout 10s
  group \(0,0,0\): work-item 0 runs at kernels.cl:33:.*
`},
		{"one wave at the end", "kernels.spv -kernel forever -global 40 -local 32 -wave 32 -workers 1 -schedule reverse -arg zero:i32:1",
			`lockstep: kernel forever has run for \d+ s: 0 of 2 work-groups done; Ctrl-C ends it, and so does -timeout 10s
  group \(1,0,0\): work-items 0[-–]7 run at kernels.cl:33:.*
`},
		{"together", "kernels.spv -kernel forever -global 1 -arg zero:i32:1 -with -kernel forever -global 2 -arg zero:i32:1",
			`lockstep: 2 kernels have run for \d+ s: 0 of 2 work-groups done; Ctrl-C ends it, and so does -timeout 10s
  kernel forever, group \(0,0,0\): work-item 0 runs at kernels.cl:33:.*
  kernel forever, group \(0,0,0\): work-items 0[-–]1 run at kernels.cl:33:.*
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			w := &world{written: map[string][]byte{}}
			out := &notices{end: cancel, at: "): work-item"}
			env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: out, Open: w.open, Create: w.create, Stat: w.stat,
				NoticeAfter: time.Millisecond}
			status := Main(ctx, append([]string{"run"}, strings.Fields(c.args)...), env)
			stderr := out.text.String()
			if status != cmdline.ExitFinding || !regexp.MustCompile("^"+c.want+"error").MatchString(stderr) {
				t.Errorf("exit status %d\n%s\nwant\n%s", status, stderr, c.want)
			}
		})
	}
}

// notices is standard error of a command that is ended as soon as there is a notice.
type notices struct {
	text bytes.Buffer
	end  func()
	at   string // what the notice has
}

func (n *notices) Write(b []byte) (int, error) {
	n.text.Write(b)
	if strings.Contains(n.text.String(), n.at) {
		n.end()
	}
	return len(b), nil
}

// TestExploreNotice ends runs that do not end: the report says which they were.
func TestExploreNotice(t *testing.T) {
	for _, form := range []string{"", " -json"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		w := &world{written: map[string][]byte{}}
		out, errs := &bytes.Buffer{}, &notices{end: cancel, at: "Ctrl-C"}
		env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: out, Stderr: errs, Open: w.open, Create: w.create, Stat: w.stat, NoticeAfter: 200 * time.Millisecond}
		// In reverse the second work-group waits for the first.
		line := "explore explore.cl -kernel turns -global 2 -local 1 -arg zero:i32:1 -schedule reverse -subgroup 32 -wave 32" + form
		status := Main(ctx, strings.Fields(line), env)
		text := out.String()
		command := "lockstep run explore.cl -kernel turns -global 2 -local 1 -arg zero:i32:1 -subgroup 32 -wave 32 -schedule reverse"
		if status != cmdline.ExitFinding || !strings.Contains(text, command) || form == "" && (!strings.Contains(text, "not made: 1 of 1 run; the command was cancelled (E-CANCELLED)\n") ||
			!strings.Contains(text, "\nnot over when the command ended, and perhaps endless:\n  "+command+"\n")) {
			t.Errorf("exit status %d\n%s%s", status, text, errs.text.String())
		}
		if form != "" {
			if err := newSchemaChecker(t).document(text); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		}
		if want := "lockstep: kernel turns: the first runs have not ended after 0 s; Ctrl-C ends the command and prints what is known, and so does -timeout 10s\n"; errs.text.String() != want {
			t.Errorf("%q, want %q", errs.text.String(), want)
		}
	}
}
