package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	dapproto "github.com/google/go-dap"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// dapClient is a client of lockstep dap.
type dapClient struct {
	t   testing.TB
	to  io.WriteCloser
	in  *bufio.Reader
	seq int
	// texts are what earlier messages had, by the names that a session gave them: $frame.
	texts map[string]string
	done  chan int
}

func newDAPClient(t testing.TB) *dapClient {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	w := &world{written: map[string][]byte{}}
	c := &dapClient{t: t, to: toServer, in: bufio.NewReader(fromServer), texts: map[string]string{}, done: make(chan int, 1)}
	env := &cmdline.Env{Stdin: fromClient, Stdout: toClient, Stderr: io.Discard, Open: w.open, Create: w.create, Append: w.append, Stat: w.stat}
	// Clients name kernels by absolute paths, which the tests have below /kernels.
	below := func(name string) string { return strings.TrimPrefix(filepath.ToSlash(name), "/kernels/") }
	env.Open = func(name string) (io.ReadCloser, error) { return w.open(below(name)) }
	env.Stat = func(name string) (os.FileInfo, error) { return w.stat(below(name)) }
	env.Create = func(name string) (io.WriteCloser, error) { return w.create(below(name)) }
	go func() {
		status := Main(context.Background(), []string{"dap"}, env)
		toClient.Close()
		c.done <- status
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
	})
	return c
}

// message is what a server sends.
type message struct {
	Type    string          `json:"type"`
	Seq     int             `json:"request_seq"`
	Success bool            `json:"success"`
	Command string          `json:"command"`
	Event   string          `json:"event"`
	Message string          `json:"message"`
	Body    json.RawMessage `json:"body"`
}

func (m *message) String() string {
	body := string(m.Body)
	if m.Type == "event" {
		return strings.TrimSpace(fmt.Sprintf("<- event %s %s", m.Event, body))
	}
	if !m.Success {
		var b dapproto.ErrorResponseBody
		if json.Unmarshal(m.Body, &b) == nil && b.Error != nil && b.Error.Format == strings.ReplaceAll(m.Message, "{", "{ ") {
			return fmt.Sprintf("<- error %s %s", m.Command, body) // the message is the text
		}
		return fmt.Sprintf("<- error %s %q %s", m.Command, m.Message, body)
	}
	return strings.TrimSpace(fmt.Sprintf("<- %s %s", m.Command, body))
}

// receive reads the next message.
func (c *dapClient) receive() *message {
	content, err := dapproto.ReadBaseMessage(c.in)
	if err != nil {
		c.t.Fatalf("the server ended: %v", err)
	}
	var m message
	if err := json.Unmarshal(content, &m); err != nil {
		c.t.Fatal(err)
	}
	return &m
}

// send sends a request.
func (c *dapClient) send(command, arguments string) int {
	c.seq++
	if arguments == "" {
		arguments = "{}"
	}
	content := fmt.Sprintf(`{"seq":%d,"type":"request","command":%q,"arguments":%s}`, c.seq, command, arguments)
	if err := dapproto.WriteBaseMessage(c.to, []byte(content)); err != nil {
		c.t.Fatal(err)
	}
	return c.seq
}

// call sends a request, and returns what comes up to its answer and, if wait is an event, up to that.
func (c *dapClient) call(command, arguments, wait string) (list []*message) {
	seq := c.send(command, arguments)
	answered := false
	for {
		m := c.receive()
		list = append(list, m)
		answered = answered || m.Type == "response" && m.Seq == seq
		failed := m.Type == "response" && m.Seq == seq && !m.Success
		if answered && (wait == "" || failed || m.Type == "event" && (m.Event == wait || m.Event == "terminated")) {
			return list
		}
	}
}

// note keeps a text of an answer: name=body.path.of[0].it.
func (c *dapClient) note(m *message, name, path string) error {
	var x any
	if err := json.Unmarshal(m.Body, &x); err != nil {
		return err
	}
	for _, step := range regexp.MustCompile(`[^.\[\]]+`).FindAllString(path, -1) {
		switch y := x.(type) {
		case map[string]any:
			x = y[step]
		case []any:
			key, want, ok := strings.Cut(step, "=")
			found := any(nil)
			for i, e := range y {
				if o, is := e.(map[string]any); ok && is && fmt.Sprint(o[key]) == want || !ok && fmt.Sprint(i) == step {
					found = e
				}
			}
			x = found
		}
	}
	if x == nil {
		return fmt.Errorf("%s is not in %s", path, m.Body)
	}
	c.texts[name] = fmt.Sprint(x)
	return nil
}

// waits are the events that a request brings behind its answer.
var waits = map[string]string{
	"launch": "initialized", "configurationDone": "stopped", "continue": "stopped", "next": "stopped", "stepIn": "stopped", "stepOut": "stopped",
	"stepBack": "stopped", "reverseContinue": "stopped", "pause": "stopped", "restart": "stopped", "lockstep/selectItem": "stopped", "terminate": "terminated",
}

// TestDAP runs recorded sessions of clients: the lines that begin with -> are requests, a $NAME in them what
// `= NAME PATH` behind an earlier request has kept of its answer. What the server sends stands below them.
func TestDAP(t *testing.T) {
	files, err := filepath.Glob("testdata/dap/*.session")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions:", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".session"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runDAP(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("%s: the session is\n%s\nand not\n%s", file, got, text)
			}
		})
	}
}

var variableName = regexp.MustCompile(`\$[a-z]+[a-zA-Z]*`)

func runDAP(t *testing.T, text string) string {
	c := newDAPClient(t)
	var out bytes.Buffer
	var last []*message
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "<- "), line == "":
		case strings.HasPrefix(line, "#"):
			fmt.Fprintf(&out, "\n%s\n", line)
		case strings.HasPrefix(line, "= "):
			fmt.Fprintln(&out, line)
			name, path, _ := strings.Cut(line[2:], " ")
			if len(last) == 0 {
				t.Fatal("there is no answer:", line)
			}
			var err error
			for _, m := range last {
				if m.Type == "response" {
					err = c.note(m, "$"+name, path)
				}
			}
			if err != nil {
				t.Error(line, err)
			}
		case strings.HasPrefix(line, "-> "):
			fmt.Fprintln(&out, line)
			command, arguments, _ := strings.Cut(line[3:], " ")
			arguments = variableName.ReplaceAllStringFunc(arguments, func(name string) string {
				if v, ok := c.texts[name]; ok {
					return v
				}
				return name
			})
			wait := waits[command]
			if strings.Contains(arguments, `"moves"`) {
				wait = "stopped"
			}
			last = c.call(command, arguments, wait)
			for _, m := range last {
				fmt.Fprintln(&out, m)
			}
		default:
			t.Fatalf("%q is no line of a session", line)
		}
	}
	return strings.TrimPrefix(out.String(), "\n")
}

// lineReader gives the lines that somebody writes to it.
type lineReader struct{ lines chan string }

func (l *lineReader) Write(p []byte) (int, error) {
	l.lines <- string(p)
	return len(p), nil
}

// TestDAPListen serves two clients, one after the other, and bytes that are no client between them.
func TestDAPListen(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	said := &lineReader{make(chan string, 16)}
	ctx, cancel := context.WithCancel(t.Context())
	env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: said, Open: w.open, Create: w.create, Stat: w.stat}
	done := make(chan int, 1)
	go func() { done <- Main(ctx, []string{"dap", "-listen", ":0"}, env) }()
	address := strings.TrimSpace(strings.TrimPrefix(<-said.lines, "lockstep: dap listens at "))
	if !strings.HasPrefix(address, "127.0.0.1:") {
		t.Fatalf("the server listens at %q", address)
	}
	for _, garbage := range []bool{false, true, false} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		c := &dapClient{t: t, to: conn, in: bufio.NewReader(conn), texts: map[string]string{}}
		if garbage {
			fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n")
			if text := <-said.lines; !strings.Contains(text, "no message of the Debug Adapter Protocol") {
				t.Errorf("the server says %q", text)
			}
		} else {
			c.call("initialize", `{"adapterID":"lockstep"}`, "")
			c.call("launch", `{"program":"turned.cl","args":["-global","8","-arg","iota:i32:8","-arg","zero:i32:8"]}`, "initialized")
			c.call("configurationDone", "", "terminated")
			c.call("disconnect", "", "")
		}
		conn.Close()
	}
	cancel()
	if status := <-done; status != 0 {
		t.Errorf("the status is %d", status)
	}
}
