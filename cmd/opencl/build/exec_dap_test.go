package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// editor is the client's side of the Debug Adapter Protocol.
type editor struct {
	t      *testing.T
	to     io.Writer
	from   *bufio.Reader
	seq    int
	events []message // that came before somebody waited for them
	output map[string]string
}

// message is what the server sends: a response or an event.
type message struct {
	Type       string          `json:"type"`
	RequestSeq int             `json:"request_seq"`
	Event      string          `json:"event"`
	Success    bool            `json:"success"`
	Message    string          `json:"message"`
	Body       json.RawMessage `json:"body"`
}

type arguments map[string]any

// receive returns the next message. What the program writes is kept by category.
func (e *editor) receive() message {
	e.t.Helper()
	header, err := textproto.NewReader(e.from).ReadMIMEHeader()
	if err != nil {
		e.t.Fatalf("the server has ended: %v\n%v", err, e.output)
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		e.t.Fatal(err)
	}
	content := make([]byte, length)
	if _, err := io.ReadFull(e.from, content); err != nil {
		e.t.Fatal(err)
	}
	var m message
	if err := json.Unmarshal(content, &m); err != nil {
		e.t.Fatal(err)
	}
	if m.Event == "output" {
		var o struct{ Category, Output string }
		if err := json.Unmarshal(m.Body, &o); err != nil {
			e.t.Fatal(err)
		}
		e.output[o.Category] += o.Output
	}
	return m
}

// call sends a request, which succeeds, and reads the body of its answer.
func (e *editor) call(command string, a arguments, body any) {
	e.t.Helper()
	e.seq++
	text, err := json.Marshal(arguments{"seq": e.seq, "type": "request", "command": command, "arguments": a})
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.to, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		e.t.Fatal(err)
	}
	for {
		m := e.receive()
		if m.Type == "event" {
			e.events = append(e.events, m)
			continue
		}
		if m.RequestSeq != e.seq || !m.Success {
			e.t.Fatalf("%s is answered by %+v", command, m)
		}
		if body != nil {
			if err := json.Unmarshal(m.Body, body); err != nil {
				e.t.Fatal(err)
			}
		}
		return
	}
}

// wait waits for an event, and reads its body.
func (e *editor) wait(event string, body any) {
	e.t.Helper()
	for {
		var m message
		if len(e.events) > 0 {
			m, e.events = e.events[0], e.events[1:]
		} else {
			m = e.receive()
		}
		switch m.Event {
		case event:
			if body != nil {
				if err := json.Unmarshal(m.Body, body); err != nil {
					e.t.Fatal(err)
				}
			}
			return
		case "stopped", "terminated", "exited":
			e.t.Fatalf("%s comes in the place of %s: %s", m.Event, event, m.Body)
		}
	}
}

// place returns the line of the innermost frame, and the frame.
func (e *editor) place(thread int) (line, frame int) {
	e.t.Helper()
	var stack struct {
		StackFrames []struct {
			ID, Line int
			Source   struct{ Name string }
		}
	}
	e.call("stackTrace", arguments{"threadId": thread}, &stack)
	if len(stack.StackFrames) == 0 {
		e.t.Fatal("the stack is empty")
	}
	if name := stack.StackFrames[0].Source.Name; name != "launches.cl" {
		e.t.Errorf("the source is shown as %s", name)
	}
	return stack.StackFrames[0].Line, stack.StackFrames[0].ID
}

// value evaluates an expression in a frame.
func (e *editor) value(expression string, frame int) string {
	e.t.Helper()
	var value struct{ Result string }
	e.call("evaluate", arguments{"expression": expression, "frameId": frame, "context": "watch"}, &value)
	return value.Result
}

// launchesProgram compiles testdata/launches.c, and copies the file that it reads, in which editors set breakpoints.
func launchesProgram(t *testing.T) (program, kernels string) {
	t.Helper()
	need(t)
	dir := t.TempDir()
	program, kernels = filepath.Join(dir, "launches"), filepath.Join(dir, "launches.cl")
	if out, err := exec.Command("cc", "-w", "-o", program, "testdata/launches.c", built.library).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile("testdata/launches.cl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kernels, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return program, kernels
}

// lockstepProcess returns a command of lockstep that a test talks to.
func lockstepProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := lockstepCommand()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "LOCKSTEP_DRIVER="+built.library)
	t.Cleanup(func() { // of a test that has failed
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// debugLaunches debugs both launches of fill, from initialize to the end of the program.
func (e *editor) debugLaunches(request string, attributes arguments, kernels string) {
	t := e.t
	e.call("initialize", arguments{"adapterID": "lockstep"}, nil)
	e.call(request, attributes, nil)
	e.wait("initialized", nil)
	breakpoints := func(lines ...int) {
		list := []arguments{}
		for _, line := range lines {
			list = append(list, arguments{"line": line, "condition": "i == 3"})
		}
		e.call("setBreakpoints", arguments{"source": arguments{"path": kernels}, "breakpoints": list}, nil)
	}
	breakpoints(5)
	e.call("configurationDone", arguments{}, nil)
	for _, scaled := range []string{"30", "60"} {
		var stop struct {
			Reason   string
			ThreadID int
		}
		e.wait("stopped", &stop)
		line, frame := e.place(stop.ThreadID)
		if stop.Reason != "breakpoint" || line != 5 {
			t.Fatalf("it stops at line %d for a %s", line, stop.Reason)
		}
		if got := e.value("scaled", frame); got != scaled {
			t.Errorf("scaled is %s, want %s", got, scaled)
		}
		before := map[string]string{"30": "0", "60": "31"}[scaled] // what the launch before has left there
		if got := e.value("a[3]", frame); got != before {
			t.Errorf("a[3] is %s, want %s", got, before)
		}
		e.call("next", arguments{"threadId": stop.ThreadID}, nil)
		e.wait("stopped", &stop)
		_, frame = e.place(stop.ThreadID)
		if got, want := e.value("a[3]", frame), map[string]string{"30": "31", "60": "61"}[scaled]; got != want {
			t.Errorf("behind the line a[3] is %s, want %s", got, want)
		}
		for _, back := range []int{5, 4} {
			e.call("stepBack", arguments{"threadId": stop.ThreadID}, nil)
			e.wait("stopped", &stop)
			if line, frame = e.place(stop.ThreadID); line != back {
				t.Errorf("a step back leads to line %d, want %d", line, back)
			}
		}
		if got := e.value("a[3]", frame); got != before {
			t.Errorf("behind steps back a[3] is %s, want %s", got, before)
		}
		if scaled == "60" {
			breakpoints()
		} else {
			// The work-item comes to its breakpoint once more.
			e.call("continue", arguments{"threadId": stop.ThreadID}, nil)
			e.wait("stopped", &stop)
		}
		e.call("continue", arguments{"threadId": stop.ThreadID}, nil)
	}
	var exited struct{ ExitCode int }
	e.wait("exited", &exited)
	e.wait("terminated", nil)
	if exited.ExitCode != 7 {
		t.Errorf("the program's exit status is %d", exited.ExitCode)
	}
	e.call("disconnect", arguments{}, nil)
}

// launchesSum is what testdata/launches.c prints, under a debugger too.
const launchesSum = "sum 568\n"

// TestExecDebugEditor launches a program under the debugger of an editor.
func TestExecDebugEditor(t *testing.T) {
	program, kernels := launchesProgram(t)
	cmd := lockstepProcess(t, "dap")
	to, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, to: to, from: bufio.NewReader(from), output: map[string]string{}}
	e.debugLaunches("launch", arguments{"host": []string{program, "launches.cl"}, "cwd": filepath.Dir(kernels)}, kernels)
	if e.output["stdout"] != launchesSum {
		t.Errorf("the program prints %q", e.output)
	}
	for _, launch := range []string{"launch 1, kernel fill", "launch 2, kernel fill", "launch 3, kernel sum"} {
		if !strings.Contains(e.output["console"], launch) {
			t.Errorf("no %q in %q", launch, e.output["console"])
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestExecDebugAttach attaches an editor to a program that runs.
func TestExecDebugAttach(t *testing.T) {
	program, kernels := launchesProgram(t)
	cmd := lockstepProcess(t, "exec", "-debug=fill", "-listen", ":0", "--", program, kernels)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	cmd.Stdout = &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, address, ok := strings.Cut(strings.TrimSpace(line), "the debugger listens at ")
	if !ok {
		t.Fatalf("it says %q", line)
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	e := &editor{t: t, to: conn, from: bufio.NewReader(conn), output: map[string]string{}}
	e.debugLaunches("attach", arguments{}, kernels)
	if console := e.output["console"]; !strings.Contains(console, "launch 2, kernel fill") || strings.Contains(console, "kernel sum") {
		t.Errorf("launches are told as %q", console)
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 7 || printed.String() != launchesSum {
		t.Errorf("lockstep exec ends with %v, printed %q", err, printed.String())
	}
}
