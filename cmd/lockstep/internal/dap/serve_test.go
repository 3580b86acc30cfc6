package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/debug"
)

// client is a client of a server in the same process.
type client struct {
	t      testing.TB
	to     *io.PipeWriter
	in     *bufio.Reader
	seq    int
	queued []*reply
	ended  chan error
}

// reply is what a server sends.
type reply struct {
	Type    string `json:"type"`
	Seq     int    `json:"request_seq"`
	Event   string `json:"event"`
	Success bool   `json:"success"`
	Message string `json:"message"`
	Body    struct {
		Reason   string `json:"reason"`
		ThreadID int    `json:"threadId"`
		Result   string `json:"result"`
		Frames   []struct {
			ID   int `json:"id"`
			Line int `json:"line"`
		} `json:"stackFrames"`
		Scopes []struct {
			Name      string `json:"name"`
			Reference int    `json:"variablesReference"`
		} `json:"scopes"`
		Variables   []dap.Variable   `json:"variables"`
		Breakpoints []dap.Breakpoint `json:"breakpoints"`
	} `json:"body"`
}

func newClient(t testing.TB, prepare Prepare) *client {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{t: t, to: toServer, in: bufio.NewReader(fromServer), ended: make(chan error, 1)}
	go func() {
		err := Serve(context.Background(), fromClient, toClient, prepare)
		toClient.Close()
		c.ended <- err
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
	})
	return c
}

func (c *client) send(command string, arguments any) int {
	c.seq++
	text, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := dap.WriteBaseMessage(c.to, text); err != nil {
		c.t.Fatal(err)
	}
	return c.seq
}

func (c *client) receive() *reply {
	text, err := dap.ReadBaseMessage(c.in)
	if err != nil {
		c.t.Fatal("the server ended:", err)
	}
	r := &reply{}
	if err := json.Unmarshal(text, r); err != nil {
		c.t.Fatal(err)
	}
	return r
}

// answer waits for the answer to a request. Events that come before it are kept.
func (c *client) answer(seq int) *reply {
	for {
		r := c.receive()
		if r.Type == "response" && r.Seq == seq {
			return r
		}
		if r.Type == "event" {
			c.queued = append(c.queued, r)
		}
	}
}

// event waits for an event.
func (c *client) event(name string) *reply {
	for len(c.queued) > 0 {
		r := c.queued[0]
		c.queued = c.queued[1:]
		if r.Event == name {
			return r
		}
	}
	for {
		if r := c.receive(); r.Event == name {
			return r
		}
	}
}

// call sends a request that must succeed.
func (c *client) call(command string, arguments any) *reply {
	c.t.Helper()
	r := c.answer(c.send(command, arguments))
	if !r.Success {
		c.t.Fatalf("%s fails: %s", command, r.Message)
	}
	return r
}

type object = map[string]any

// begin launches a kernel and configures nothing.
func (c *client) begin(attributes object) {
	c.call("initialize", object{"adapterID": "lockstep"})
	c.call("launch", attributes)
	c.event("initialized")
}

// tick returns the time.
func (c *client) tick() string {
	return c.call("evaluate", object{"expression": "$tick"}).Body.Result
}

const loops = `uint spin(uint v, int rounds)
{
	for (int r = 0; r < rounds; r++)
		v = v * 1664525u + 1013904223u;
	return v;
}
kernel void loops(global uint *x, int rounds)
{
	size_t i = get_global_id(0);
	uint v = x[i];
	v = spin(v, rounds);
	x[i] = v;
}
`

// prepareSource makes launches of a kernel with a buffer and a number.
func prepareSource(source, kernel string, size emu.NDRange, number int32) Prepare {
	return func(ctx context.Context, _ *Launch, _ func(Output)) (*Target, error) {
		d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 32})
		if err != nil {
			return nil, err
		}
		p, _, err := d.BuildProgram(source, "-g")
		if err != nil {
			return nil, err
		}
		k, err := p.Kernel(kernel)
		if err != nil {
			return nil, err
		}
		x, err := emu.NewBufferOf(d, make([]uint32, size.Global[0]))
		if err != nil {
			return nil, err
		}
		s, err := debug.New(ctx, &emu.Launch{Kernel: k, Range: size, Args: []emu.Arg{x, emu.Value(number)}}, debug.Options{})
		if err != nil {
			return nil, err
		}
		return &Target{Session: s, Source: func(string) ([]byte, error) { return []byte(source), nil }, Close: func() {
			s.Close()
			d.Close()
		}}, nil
	}
}

// TestInterrupted compares a session with one in which requests come while the launch runs: it stops at the
// same times, and has counted the same hits.
func TestInterrupted(t *testing.T) {
	run := func(disturb bool) (ticks []string) {
		c := newClient(t, prepareSource(loops, "loops", emu.NDRange{Global: []uint64{64}, Local: []uint64{64}}, 20000))
		c.begin(object{"program": "x", "stopOnEntry": true})
		c.call("setBreakpoints", object{"source": object{"path": "program.cl"}, "breakpoints": []object{{"line": 4, "hitCondition": "%9973"}}})
		c.call("configurationDone", object{})
		c.event("stopped")
		c.call("setFunctionBreakpoints", object{"breakpoints": []object{{"name": "nobody"}}})
		for _, command := range []string{"next", "continue", "next", "next", "continue", "next"} {
			c.call(command, object{"threadId": 1})
			for i := 0; disturb && i < 20; i++ {
				c.call("setFunctionBreakpoints", object{"breakpoints": []object{{"name": fmt.Sprintf("nobody%d", i)}}})
				c.answer(c.send("evaluate", object{"expression": "$tick"}))
				c.call("threads", object{})
			}
			c.event("stopped")
			ticks = append(ticks, c.tick()+c.call("evaluate", object{"expression": "info breakpoints", "context": "repl"}).Body.Result)
		}
		return ticks
	}
	want, got := run(false), run(true)
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("stop %d is at tick %s, and without interruptions at %s", i, got[i], want[i])
		}
	}
}

// TestPause stops a kernel that never ends, and goes on.
func TestPause(t *testing.T) {
	c := newClient(t, prepareSource("kernel void endless(global uint *x, int n)\n{\n\tfor (;;)\n\t\tx[0] += n;\n}\n", "endless", emu.Range(1), 1))
	c.begin(object{"program": "x"})
	c.call("configurationDone", object{})
	if r := c.answer(c.send("next", object{"threadId": 1})); r.Success {
		t.Error("a step of a launch that runs succeeds")
	}
	for range 3 {
		c.call("pause", object{"threadId": 1})
		if r := c.event("stopped"); r.Body.Reason != "pause" {
			t.Errorf("the launch stops with %q", r.Body.Reason)
		}
		c.call("stackTrace", object{"threadId": 1})
		c.call("continue", object{"threadId": 1})
	}
	c.call("disconnect", object{})
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// TestCancel ends a launch that takes long, by cancel and by disconnect, and requests that wait.
func TestCancel(t *testing.T) {
	began := make(chan struct{}, 2)
	c := newClient(t, func(ctx context.Context, _ *Launch, _ func(Output)) (*Target, error) {
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	c.call("initialize", object{"adapterID": "lockstep"})
	launch := c.send("launch", object{"program": "x"})
	<-began
	waiting := c.send("threads", object{})
	c.send("cancel", object{"requestId": waiting})
	last := c.send("cancel", object{"requestId": launch})
	for _, seq := range []int{launch, waiting} {
		if r := c.answer(seq); r.Success || r.Message != "cancelled" {
			t.Errorf("request %d is answered by %+v", seq, r)
		}
	}
	c.answer(last)
	launch = c.send("launch", object{"program": "x"})
	<-began
	end := c.send("disconnect", object{})
	if r := c.answer(launch); r.Success {
		t.Error("the launch succeeds")
	}
	c.answer(end)
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

func TestParseHit(t *testing.T) {
	for _, c := range []struct {
		text   string
		ignore uint64
		stops  string // of hits 1 to 9
	}{
		{"", 0, "111111111"}, {"3", 2, "001111111"}, {">=3", 2, "001111111"}, {"> 3", 3, "000111111"}, {"< 3", 0, "110000000"},
		{"<=3", 0, "111000000"}, {"== 3", 2, "001000000"}, {"=3", 2, "001000000"}, {"%3", 2, "001001001"}, {"0", 0, "111111111"},
	} {
		ignore, test, err := parseHit(c.text)
		if err != nil || ignore != c.ignore {
			t.Errorf("%q: %d, %v", c.text, ignore, err)
		}
		got := ""
		for h := uint64(1); h < 10; h++ {
			if h > ignore && (test == nil || test(h)) {
				got += "1"
			} else {
				got += "0"
			}
		}
		if got != c.stops {
			t.Errorf("%q stops at %s, want %s", c.text, got, c.stops)
		}
	}
	for _, text := range []string{"x", "-1", "%0", "3 4", "99999999999999999999"} {
		if _, _, err := parseHit(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestPieces(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "i={i}.": "i=|i|.", "{a}{b}": "|a||b|", "{{x}} {y}": "{x} |y|", "}": "}",
	} {
		if got, err := pieces(text); err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := pieces("{open"); err == nil {
		t.Error("an open brace is taken")
	}
}
