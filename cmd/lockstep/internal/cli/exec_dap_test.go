package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/hostcmd"
)

// hostEnv is an Env whose program is hostProgram.
func hostEnv(t *testing.T, stderr io.Writer) *cmdline.Env {
	driver := filepath.Join(t.TempDir(), "liblockstep.so")
	if err := os.WriteFile(driver, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	return &cmdline.Env{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: stderr, GOOS: "linux", Temporary: hostcmd.Temporary,
		Getenv: func(name string) string { return map[string]string{"LOCKSTEP_DRIVER": driver}[name] },
		Open:   func(path string) (io.ReadCloser, error) { return os.Open(path) }, Stat: os.Stat,
		Dir: func(path string) fs.FS { return os.DirFS(path) },
		Run: func(ctx context.Context, p cmdline.Program) (int, error) {
			if p.Stdout != nil {
				fmt.Fprint(p.Stdout, "the program begins")
			}
			a, err := hostProgram(ctx, p, io.Discard)
			if ctx.Err() != nil {
				return 143, nil
			}
			if err != nil || len(a) != 8 || a[0] != 200 || a[7] != 214 {
				t.Errorf("the program has %v: %v", a, err)
			}
			return 3, nil
		},
	}
}

// kernelFile writes the kernels of hostProgram into a file.
func kernelFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "kernels.cl")
	if err := os.WriteFile(path, []byte(hostKernels), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// on serves a client by a function of an Env.
func (c *dapClient) on(t *testing.T, env *cmdline.Env, serve func(env *cmdline.Env)) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	env.Stdin, env.Stdout = fromClient, toClient
	c.t, c.to, c.in = t, toServer, bufio.NewReader(fromServer)
	go func() {
		serve(env)
		toClient.Close()
	}()
	t.Cleanup(func() { toServer.Close(); fromServer.Close() })
}

// said returns what messages say, by line.
func said(list []*message) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintln(&b, m)
	}
	return b.String()
}

// mustSay checks that messages have texts, in their order.
func mustSay(t *testing.T, list []*message, parts ...string) {
	t.Helper()
	rest := said(list)
	for _, p := range parts {
		_, behind, ok := strings.Cut(rest, p)
		if !ok {
			t.Errorf("no %q in:\n%s", p, said(list))
			return
		}
		rest = behind
	}
}

// TestDAPHost debugs the launches of a program that the client names.
func TestDAPHost(t *testing.T) {
	c := &dapClient{texts: map[string]string{}, done: make(chan int, 1)}
	c.on(t, hostEnv(t, io.Discard), func(env *cmdline.Env) { c.done <- Main(context.Background(), []string{"dap"}, env) })
	file := kernelFile(t)
	source := fmt.Sprintf(`"source":{"path":%q}`, file)
	c.call("initialize", `{"adapterID":"lockstep"}`, "")
	mustSay(t, c.call("launch", `{"program":"a.cl","host":["./prog"]}`, ""), "give one of them")
	mustSay(t, c.call("launch", `{"host":["./prog"],"args":["-global","8"]}`, ""), "flags of lockstep exec")
	mustSay(t, c.call("launch", `{"host":["./prog"],"args":"-subgroup 4"}`, "initialized"), "<- launch", "initialized")
	mustSay(t, c.call("setBreakpoints", `{`+source+`,"breakpoints":[{"line":4,"condition":"i == 5"}]}`, ""), `"verified":false`, "no kernel is launched yet")
	mustSay(t, c.call("stackTrace", `{"threadId":1}`, ""), "the program has not begun")
	mustSay(t, c.call("threads", "", ""), "between two launches")
	// Line 4 belongs to the first kernel alone: the launch of the other one does not stop.
	list := c.call("configurationDone", "", "stopped")
	mustSay(t, list, "launch 1, kernel fill, clEnqueueNDRangeKernel at host.c:7 in main", `event breakpoint {"reason":"changed","breakpoint":{"id":1,"verified":true`, `"reason":"breakpoint"`)
	threads := c.call("threads", "", "")
	if err := c.note(threads[len(threads)-1], "$thread", "threads[1].id"); err != nil {
		t.Fatal(err)
	}
	mustSay(t, c.call("stackTrace", `{"threadId":`+c.texts["$thread"]+`}`, ""), "fill, work-item (5)", file, `"line":4`)
	mustSay(t, c.call("evaluate", `{"expression":"v + i"}`, ""), "105")
	mustSay(t, c.call("setFunctionBreakpoints", `{"breakpoints":[{"name":"twice"}]}`, ""), `"verified":false`)
	list = c.call("continue", `{"threadId":`+c.texts["$thread"]+`}`, "stopped")
	mustSay(t, list, "launch 2, kernel twice", `"reason":"function breakpoint"`)
	list = c.call("evaluate", `{"expression":"a[7]"}`, "")
	mustSay(t, list, "107") // what fill has written
	list = c.call("restart", "", "stopped")
	mustSay(t, list, "<- restart", "event continued", "launch 1, kernel fill", `"reason":"breakpoint"`)
	c.call("setFunctionBreakpoints", `{"breakpoints":[]}`, "")
	c.call("setBreakpoints", `{`+source+`,"breakpoints":[{"line":4}]}`, "")
	list = c.call("continue", `{"threadId":1}`, "terminated")
	mustSay(t, list, "launch 2, kernel twice", `event exited {"exitCode":3}`, "event terminated")
	c.call("disconnect", "", "")
	if status := <-c.done; status != 0 {
		t.Errorf("the status is %d", status)
	}
}

// TestDAPHostEnds ends a program in the middle of a launch, and between two.
func TestDAPHostEnds(t *testing.T) {
	for _, request := range []string{"terminate", "disconnect", ""} {
		c := &dapClient{texts: map[string]string{}, done: make(chan int, 1)}
		c.on(t, hostEnv(t, io.Discard), func(env *cmdline.Env) { c.done <- Main(context.Background(), []string{"dap"}, env) })
		c.call("initialize", `{"adapterID":"lockstep"}`, "")
		c.call("launch", `{"host":["./prog"],"kernel":"twice","stopOnEntry":true}`, "initialized")
		mustSay(t, c.call("configurationDone", "", "stopped"), `"output":"launch 2, kernel twice`, `"reason":"entry"`)
		switch request {
		case "terminate":
			mustSay(t, c.call(request, "", "terminated"), "<- terminate", "exited", "terminated")
			c.call("disconnect", "", "")
		case "disconnect":
			c.call(request, "", "")
		default:
			c.to.Close()
		}
		if status := <-c.done; status != 0 {
			t.Errorf("%s: the status is %d", request, status)
		}
	}
}

// TestExecListen attaches a client to lockstep exec.
func TestExecListen(t *testing.T) {
	lines := &lineReader{make(chan string, 16)}
	env := hostEnv(t, lines)
	done := make(chan int, 1)
	go func() {
		done <- Main(t.Context(), []string{"exec", "-debug=fill", "-listen", ":0", "--", "prog"}, env)
	}()
	address := strings.TrimSpace(strings.TrimPrefix(<-lines.lines, "lockstep: the debugger listens at "))
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := &dapClient{t: t, to: conn, in: bufio.NewReader(conn), texts: map[string]string{}}
	c.call("initialize", `{"adapterID":"lockstep"}`, "")
	mustSay(t, c.call("launch", `{"program":"a.cl"}`, ""), "use the request attach")
	mustSay(t, c.call("attach", `{"stopOnEntry":true}`, "initialized"), "initialized")
	mustSay(t, c.call("configurationDone", "", "stopped"), "launch 1, kernel fill", `"reason":"entry"`)
	mustSay(t, c.call("restart", "", ""), "<- error restart", "is not run again")
	mustSay(t, c.call("disconnect", "", ""), "<- disconnect")
	if status := <-done; status != 3 { // the program has gone on to its end
		t.Errorf("the status is %d", status)
	}
	for _, args := range [][]string{{"-listen", ":0"}, {"-debug", "-listen", ":0", "-batch"}, {"-debug", "-listen", "nowhere:none"}} {
		var stderr bytes.Buffer
		env := hostEnv(t, &stderr)
		if status := Main(t.Context(), append(append([]string{"exec"}, args...), "--", "prog"), env); status != cmdline.ExitUsage || !strings.Contains(stderr.String(), "-listen") {
			t.Errorf("%v: the status is %d: %s", args, status, stderr.String())
		}
	}
}
