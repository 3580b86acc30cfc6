package cli

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
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
			out := &notices{end: cancel}
			env := &Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: out, Open: w.open, Create: w.create, Stat: w.stat,
				noticeAfter: time.Millisecond}
			status := Main(ctx, append([]string{"run"}, strings.Fields(c.args)...), env)
			stderr := out.text.String()
			if status != ExitFinding || !regexp.MustCompile("^"+c.want+"error").MatchString(stderr) {
				t.Errorf("exit status %d\n%s\nwant\n%s", status, stderr, c.want)
			}
		})
	}
}

// notices is standard error of a command that is ended as soon as there is a notice.
type notices struct {
	text bytes.Buffer
	end  func()
}

func (n *notices) Write(b []byte) (int, error) {
	n.text.Write(b)
	if strings.Contains(n.text.String(), "): work-item") {
		n.end()
	}
	return len(b), nil
}
