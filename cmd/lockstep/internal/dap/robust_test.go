package dap

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lockstep-gpu/lockstep/emu"
)

// alone runs a test that fails where a goroutine is left behind it.
func alone(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// endless never comes to its end.
var endless = prepareSource("kernel void endless(global uint *x, int n)\n{\n\tfor (;;)\n\t\tx[0] += n;\n}\n", "endless", emu.Range(1), 1)

// run launches the endless kernel, which runs then.
func (c *client) run() {
	c.begin(object{"program": "x"})
	c.call("configurationDone", object{})
}

// over waits for the end of the server, which is none of a failure.
func (c *client) over() {
	c.t.Helper()
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
}

// TestCutMessages closes the connection in all places of a message.
func TestCutMessages(t *testing.T) {
	begin := frames([]string{`initialize {"adapterID":"lockstep"}`})
	whole := append(slices.Clone(begin), frames([]string{`launch {"program":"none.cl"}`})...)
	for n := range len(whole) + 1 {
		alone(t, func(t *testing.T) {
			var out bytes.Buffer
			if err := Serve(t.Context(), bytes.NewReader(whole[:n]), &out, prepareSmall); err != nil {
				t.Errorf("%d bytes: %v", n, err)
			}
			want := 0
			if n >= len(begin) {
				want++
			}
			if n == len(whole) {
				want++
			}
			if got := len(answers(t, out.Bytes())); got != want {
				t.Errorf("%d bytes have %d answers, want %d", n, got, want)
			}
		})
	}
}

// TestClosedWhileRunning closes the connection while a kernel runs, between messages and in one.
func TestClosedWhileRunning(t *testing.T) {
	for _, last := range []string{"", "Content-Le", "Content-Length: 100\r\n\r\n{\"seq\":"} {
		alone(t, func(t *testing.T) {
			c := newClient(t, endless)
			c.run()
			if _, err := io.WriteString(c.to, last); err != nil {
				t.Fatal(err)
			}
			c.to.Close()
			c.over()
		})
	}
}

// TestClosedInRequest closes the connection while a launch is prepared.
func TestClosedInRequest(t *testing.T) {
	alone(t, func(t *testing.T) {
		began := make(chan struct{})
		c := newClient(t, func(ctx context.Context, _ *Launch, _ func(Output)) (*Target, error) {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		c.call("initialize", object{"adapterID": "lockstep"})
		launch := c.send("launch", object{"program": "x"})
		<-began
		c.to.Close()
		if r := c.answer(launch); r.Success {
			t.Error("the launch succeeds")
		}
		c.over()
	})
}

// TestWrongLengths sends headers that no message can have.
func TestWrongLengths(t *testing.T) {
	for _, header := range []string{
		"Content-Length: 1000000000000", "Content-Length: 4194305", "Content-Length: -1", "Content-Length: 1e3", "Content-Length: 99999999999999999999",
		"Content-Length:", "Content-Type: x", strings.Repeat("x", 1<<20),
	} {
		alone(t, func(t *testing.T) {
			err := Serve(t.Context(), strings.NewReader(header+"\r\n\r\n{}"), io.Discard, prepareSmall)
			if !errors.Is(err, errFraming) {
				t.Errorf("%.40q leads to %v", header, err)
			}
		})
	}
}

// TestBeforeInitialize sends all requests before the first, and some twice.
func TestBeforeInitialize(t *testing.T) {
	alone(t, func(t *testing.T) {
		c := newClient(t, prepareSmall)
		for _, command := range append(slices.Sorted(maps.Keys(handlers)), "unknown") {
			if command == "initialize" || command == "disconnect" {
				continue
			}
			if r := c.answer(c.send(command, object{})); r.Success {
				t.Errorf("%s succeeds before initialize", command)
			}
		}
		c.begin(object{"program": "k.cl"})
		for _, again := range []string{"initialize", "launch", "attach", "unknown", "runInTerminal", ""} {
			if r := c.answer(c.send(again, object{"adapterID": "lockstep", "program": "k.cl"})); r.Success || r.Message == "" {
				t.Errorf("%q succeeds behind launch: %+v", again, r)
			}
		}
		c.call("configurationDone", object{})
		c.event("terminated")
		c.call("disconnect", object{})
		c.over()
	})
}

// TestDisconnectFirst disconnects before anything else.
func TestDisconnectFirst(t *testing.T) {
	alone(t, func(t *testing.T) {
		c := newClient(t, prepareSmall)
		c.call("disconnect", nil)
		c.over()
	})
}

// TestCancelContinue cancels continue, which is answered at once: what runs goes on until pause stops it.
func TestCancelContinue(t *testing.T) {
	for _, end := range []string{"disconnect", "terminate"} {
		alone(t, func(t *testing.T) {
			c := newClient(t, endless)
			c.begin(object{"program": "x", "stopOnEntry": true})
			c.call("configurationDone", object{})
			c.event("stopped")
			first := c.send("continue", object{"threadId": 1})
			c.answer(first)
			c.call("cancel", object{"requestId": first})
			// An answer comes while the kernel runs, which goes on behind it.
			c.call("setFunctionBreakpoints", object{"breakpoints": []object{{"name": "nobody"}}})
			if r := c.answer(c.send("next", object{"threadId": 1})); r.Success {
				t.Error("continue does not run on")
			}
			c.call("pause", object{"threadId": 1})
			c.event("stopped")
			c.call("continue", object{"threadId": 1})
			c.call(end, object{})
			if end == "terminate" {
				c.event("terminated")
				c.call("disconnect", object{})
			}
			c.over()
		})
	}
}

// TestManyBreakpoints sets a thousand breakpoints of each kind, changes and removes them.
func TestManyBreakpoints(t *testing.T) {
	const many = 1000
	alone(t, func(t *testing.T) {
		c := newClient(t, prepareSource(loops, "loops", emu.NDRange{Global: []uint64{64}, Local: []uint64{64}}, 3))
		c.begin(object{"program": "x"})
		lines, functions, instructions := []object{}, []object{}, []object{}
		for i := range many {
			lines = append(lines, object{"line": i + 1, "condition": "v == 12345"})
			functions = append(functions, object{"name": []string{"spin", "nobody"}[i%2], "condition": "0"})
			instructions = append(instructions, object{"instructionReference": address(i), "condition": "0"})
		}
		for range 3 {
			for command, arguments := range map[string]object{
				"setBreakpoints":            {"source": object{"path": "program.cl"}, "breakpoints": lines},
				"setFunctionBreakpoints":    {"breakpoints": functions},
				"setInstructionBreakpoints": {"breakpoints": instructions},
			} {
				if r := c.call(command, arguments); len(r.Body.Breakpoints) != many {
					t.Errorf("%s answers with %d breakpoints", command, len(r.Body.Breakpoints))
				}
			}
		}
		c.call("setBreakpoints", object{"source": object{"path": "program.cl"}, "breakpoints": []object{}})
		c.call("setFunctionBreakpoints", object{"breakpoints": functions[:1]})
		c.call("setInstructionBreakpoints", object{"breakpoints": []object{}})
		c.call("configurationDone", object{})
		c.event("terminated")
		c.call("disconnect", object{})
		c.over()
	})
}

// TestClosedBetweenLaunches closes the connection to a host program that comes to no further launch.
func TestClosedBetweenLaunches(t *testing.T) {
	for _, attached := range []bool{false, true} {
		for _, request := range []bool{false, true} {
			alone(t, func(t *testing.T) {
				said := []string{}
				host := &Host{
					Next:   func(ctx context.Context) (*Target, error) { <-ctx.Done(); return nil, ctx.Err() },
					Detach: func() { said = append(said, "detach") }, End: func() { said = append(said, "end") }, Attached: attached,
				}
				c := newClient(t, func(context.Context, *Launch, func(Output)) (*Target, error) { return &Target{Host: host}, nil })
				c.call("initialize", object{"adapterID": "lockstep"})
				c.call("attach", object{})
				c.event("initialized")
				c.call("configurationDone", object{})
				if r := c.answer(c.send("stackTrace", object{"threadId": 1})); r.Success || r.Message != "notStopped" {
					t.Errorf("between launches, stackTrace is answered by %+v", r)
				}
				if request {
					c.call("disconnect", object{})
				} else {
					c.to.Close()
				}
				c.over()
				if want := map[bool]string{false: "end", true: "detach"}[attached]; len(said) != 1 || said[0] != want {
					t.Errorf("the program is told %q, want %s", said, want)
				}
			})
		}
	}
}

// TestNoReader ends where the client reads nothing any more.
func TestNoReader(t *testing.T) {
	alone(t, func(t *testing.T) {
		var broken errorWriter
		err := Serve(t.Context(), bytes.NewReader(frames([]string{"initialize", "threads"})), broken, prepareSmall)
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("it ends with %v", err)
		}
	})
}

// errorWriter cannot be written to.
type errorWriter struct{}

func (errorWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
