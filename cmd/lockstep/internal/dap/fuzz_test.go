package dap

import (
	"bufio"
	"bytes"
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

const kernelSource = `int twice(int v) { return 2 * v; }
kernel void k(global int *x, local int *tile)
{
	int i = get_local_id(0);
	tile[i] = twice(x[i]);
	barrier(CLK_LOCAL_MEM_FENCE);
	x[i] = tile[i ^ 1];
	if (i == 3)
		printf("%d\n", x[i]);
}
`

// prepareSmall makes a launch of 16 work-items in two work-groups of two waves each.
func prepareSmall(ctx context.Context, l *Launch, say func(Output)) (*Target, error) {
	if l.Program != "k.cl" {
		return nil, fmt.Errorf("%s is not there", l.Program)
	}
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 4})
	if err != nil {
		return nil, err
	}
	p, _, err := d.BuildProgram(kernelSource, "-g")
	if err != nil {
		return nil, err
	}
	kernel, err := p.Kernel("k")
	if err != nil {
		return nil, err
	}
	x, err := emu.NewBufferOf(d, make([]int32, 16))
	if err != nil {
		return nil, err
	}
	launch := &emu.Launch{Kernel: kernel, Range: emu.NDRange{Global: []uint64{16}, Local: []uint64{8}}, Args: []emu.Arg{x, emu.LocalBytes(32)}}
	s, err := debug.New(ctx, launch, debug.Options{})
	if err != nil {
		return nil, err
	}
	return &Target{
		Session: s,
		Source: func(name string) ([]byte, error) {
			if name != "program.cl" {
				return nil, io.EOF
			}
			return []byte(kernelSource), nil
		},
		Path: func(name string) (string, bool) { return "/" + name, name == "program.cl" },
		Close: func() {
			s.Close()
			d.Close()
		},
	}, nil
}

// frames returns messages as a client sends them.
func frames(lines []string) []byte {
	var b bytes.Buffer
	for i, line := range lines {
		command, arguments, _ := strings.Cut(line, " ")
		if !json.Valid([]byte(arguments)) {
			arguments = "{}"
		}
		name, _ := json.Marshal(command)
		text := fmt.Sprintf(`{"seq":%d,"type":"request","command":%s,"arguments":%s}`, i+1, name, arguments)
		_ = dap.WriteBaseMessage(&b, []byte(text))
	}
	return b.Bytes()
}

// answers returns the numbers of the requests that were answered, in order.
func answers(t *testing.T, out []byte) (list []int) {
	r := bufio.NewReader(bytes.NewReader(out))
	for {
		content, err := dap.ReadBaseMessage(r)
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Type string `json:"type"`
			Seq  int    `json:"request_seq"`
		}
		if err := json.Unmarshal(content, &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "response" {
			list = append(list, m.Seq)
		}
	}
}

// FuzzBytes serves any bytes: the server answers or ends, and nothing else.
func FuzzBytes(f *testing.F) {
	start := []string{`initialize {"adapterID":"lockstep"}`, `launch {"program":"k.cl"}`, "configurationDone"}
	f.Add(frames(start))
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 99999999999\r\n\r\n"))
	f.Add([]byte("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 3\nContent-Type: x\n\n[1]"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		s := newServer(t.Context(), &out, prepareSmall)
		_ = s.serve(bytes.NewReader(in))
		if s.panics {
			t.Errorf("a request made the server panic:\n%s", out.String())
		}
		answers(t, out.Bytes())
	})
}

// FuzzRequests carries out any requests after a launch: lines with a command and its arguments. Each is
// answered, in order.
func FuzzRequests(f *testing.F) {
	for _, lines := range []string{
		`setBreakpoints {"source":{"path":"/program.cl"},"breakpoints":[{"line":5,"condition":"i == 2"},{"line":99},{"line":7,"logMessage":"i is {i} {{"}]}` + "\n" +
			`configurationDone` + "\n" + `threads` + "\n" + `stackTrace {"threadId":1}` + "\n" + `scopes {"frameId":1}` + "\n" + `variables {"variablesReference":1}` + "\n" +
			`variables {"variablesReference":2,"start":1,"count":1,"filter":"named"}` + "\n" + `next {"threadId":1}` + "\n" + `continue {"threadId":1}`,
		`setFunctionBreakpoints {"breakpoints":[{"name":"twice","hitCondition":"%3"}]}` + "\n" + `configurationDone {}` + "\n" + `evaluate {"expression":"info waves","context":"repl"}` + "\n" +
			`evaluate {"expression":"x[i]","frameId":1}` + "\n" + `stepBack {"threadId":1,"granularity":"instruction"}` + "\n" + `reverseContinue {"threadId":1}` + "\n" + `exceptionInfo {"threadId":1}`,
		`dataBreakpointInfo {"name":"tile[1]"}` + "\n" + `setDataBreakpoints {"breakpoints":[{"dataId":"1","accessType":"readWrite","condition":"tile[1] > 0"}]}` + "\n" + `configurationDone` + "\n" +
			`readMemory {"memoryReference":"0x2000010000000000","count":64,"offset":-4}` + "\n" + `writeMemory {"memoryReference":"0x2000010000000000","data":"AAAA","allowPartial":true}` + "\n" + `continue`,
		`disassemble {"memoryReference":"3","instructionOffset":-10,"instructionCount":30}` + "\n" + `setInstructionBreakpoints {"breakpoints":[{"instructionReference":"9","offset":1}]}` + "\n" +
			`completions {"text":"info w","column":7}` + "\n" + `lockstep/selectItem {"item":[3]}` + "\n" + `setVariable {"variablesReference":1,"name":"i","value":"2"}` + "\n" +
			`setExpression {"expression":"x[0]","value":"twice"}` + "\n" + `restart {"arguments":{"program":"k.cl","stopOnEntry":true,"step":"wave"}}` + "\n" + `source {"sourceReference":1}` + "\n" + `loadedSources`,
		`configurationDone` + "\n" + `pause {"threadId":1}` + "\n" + `breakpointLocations {"source":{"path":"program.cl"},"line":1,"endLine":9}` + "\n" + `cancel {"requestId":9}` + "\n" + `nonsense` + "\n" + `terminate` + "\n" + `disconnect`,
		`evaluate {"expression":"rc","context":"repl"}` + "\n" + `evaluate {"expression":"group 1","context":"repl"}` + "\n" + `evaluate {"expression":"all i","context":"watch"}` + "\n" + `evaluate {"expression":"stepping group","context":"repl"}` + "\n" + `stepOut {"threadId":2}` + "\n" + `stepIn {"threadId":1}`,
	} {
		f.Add(lines)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := []string{`initialize {"adapterID":"lockstep","supportsInvalidatedEvent":true}`, `launch {"program":"k.cl","stopAtEnd":true}`}
		for i, line := range strings.Split(text, "\n") {
			if i == 60 {
				break
			}
			lines = append(lines, line)
		}
		var out bytes.Buffer
		s := newServer(t.Context(), &out, prepareSmall)
		if err := s.serve(bytes.NewReader(frames(lines))); err != nil {
			t.Error(err)
		}
		if s.panics {
			t.Errorf("a request made the server panic:\n%s", out.String())
		}
		list := answers(t, out.Bytes())
		for i, n := range list {
			if n != i+1 {
				t.Errorf("answer %d is to request %d", i+1, n)
			}
		}
		if len(list) < len(lines) && !s.over {
			t.Errorf("%d of %d requests were answered", len(list), len(lines))
		}
	})
}
