package sitecmd

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dispatch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/site"
)

// smallProgram puts another program in the place of the playground's program. The program is compressed where packed says
// that it is to be.
func smallProgram(t *testing.T, packed bool) {
	build := buildProgram
	t.Cleanup(func() { buildProgram = build })
	buildProgram = func(_ context.Context, _ string, wants bool, _ io.Writer) (*site.Program, error) {
		if wants != packed {
			t.Errorf("a program is wanted that is compressed: %v", wants)
		}
		return &site.Program{Wasm: []byte("program"), Exec: []byte("// Go")}, nil
	}
}

// TestServe asks a server on a free port for a file, as itself and as a host from elsewhere.
func TestServe(t *testing.T) {
	smallProgram(t, false)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, w := io.Pipe()
	env := &cmdline.Env{Stdout: w, Stderr: io.Discard, StdoutTerminal: true}
	done := make(chan int, 1)
	go func() {
		done <- dispatch.Main(ctx, cmdline.Table{ServeCommand, SiteCommand}, []string{"serve", "-listen", "127.0.0.1:0"}, env)
	}()
	line := make([]byte, 200)
	n, err := r.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "the playground is at ")
	if !ok {
		t.Fatalf("%q", line[:n])
	}
	for host, status := range map[string]int{"": 200, "localhost": 200, "example.org": http.StatusMisdirectedRequest} {
		req, err := http.NewRequestWithContext(ctx, "GET", address+"wasm_exec.js", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != status || status == 200 && string(body) != "// Go" {
			t.Errorf("host %q: %d %q %v", host, resp.StatusCode, body, err)
		}
	}
	cancel()
	if exit := <-done; exit != cmdline.ExitDone {
		t.Errorf("exit %d", exit)
	}
}

// TestServeUsage has addresses that serve refuses, and site without a folder.
func TestServeUsage(t *testing.T) {
	smallProgram(t, true)
	for line, want := range map[string]string{
		"serve -listen 0.0.0.0:80":     "other machines could reach that; -public allows it",
		"serve -listen :80":            "other machines could reach that",
		"serve -listen example.org:80": "other machines could reach that",
		"serve -listen nowhere":        "HOST:PORT is wanted",
		"serve index.html":             "takes no arguments",
		"site":                         "missing -o DIR",
		"site public":                  "-o names the folder",
		"site -o " + filepath.Join("serve_test.go", "x"): "serve_test.go",
	} {
		var stderr strings.Builder
		env := &cmdline.Env{Stdout: io.Discard, Stderr: &stderr}
		if exit := dispatch.Main(context.Background(), cmdline.Table{ServeCommand, SiteCommand}, strings.Fields(line), env); exit != cmdline.ExitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %s", line, exit, &stderr)
		}
	}
}
