package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
)

// TestGoCopy runs both ways of copying through the protocol.
func TestGoCopy(t *testing.T) {
	ask := talk(t)
	l := bench.Tiles(2, 1)
	args, err := bench.ParseArgs(l)
	if err != nil {
		t.Fatal(err)
	}
	for i, by := range []string{byLines, byBlocks} {
		if a := ask(request{Op: opOpen, Session: i, Launch: l, Copy: by}); a.Error != "" {
			t.Fatal(a.Error)
		}
		a := ask(request{Op: opFirst, Session: i})
		if a.Error != "" || len(a.Outputs) != 1 || !bytes.Equal(a.Outputs[0], args[0].Data) {
			t.Errorf("%s: %s, or not a copy", by, a.Error)
		}
	}
	if a := ask(request{Op: opOpen, Launch: l, Copy: "magic"}); !strings.Contains(a.Error, "magic") {
		t.Errorf("error %q does not name the unknown way", a.Error)
	}
	if a := ask(request{Op: opOpen, Launch: bench.Empty(), Copy: byLines}); !strings.Contains(a.Error, "tiles2d") {
		t.Errorf("error %q for a launch of another kernel", a.Error)
	}
}

// workerHere is a process whose worker runs in this one.
func workerHere(t *testing.T) *process {
	t.Helper()
	toWorker, in := io.Pipe()
	out, fromWorker := io.Pipe()
	done := make(chan error, 1)
	go func() {
		w := worker{index: -1}
		done <- w.serve(toWorker, fromWorker)
	}()
	t.Cleanup(func() {
		in.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &process{name: "here", in: in, enc: gob.NewEncoder(in), dec: gob.NewDecoder(out), timeout: time.Minute, cmd: &exec.Cmd{}}
}

// TestRace holds that rivals are measured once a round, and only when they agree.
func TestRace(t *testing.T) {
	c := &comparison{runs: 3}
	p := workerHere(t)
	saxpy := request{Kernel: "saxpy", Launch: bench.Saxpy(256)}
	a, b := &rival{process: p, request: saxpy}, &rival{process: p, request: saxpy}
	if err := c.race([]*rival{a, b}); err != nil || len(a.times) != 3 || len(b.times) != 3 {
		t.Errorf("%v, with %d and %d rounds", err, len(a.times), len(b.times))
	}
	other := saxpy
	other.Launch.Args = append([]string{"f32:3"}, saxpy.Launch.Args[1:]...)
	if err := c.race([]*rival{a, {process: p, request: other}}); err == nil || !strings.Contains(err.Error(), "other bits") {
		t.Errorf("error %v for results that differ", err)
	}
}

// TestUnpack makes a repository and gets back what it held before.
func TestUnpack(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	repository := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", repository, "-c", "user.name=n", "-c", "user.email=e@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for _, text := range []string{"old", "new"} {
		file := filepath.Join(repository, "folder", "file")
		if err := write(file, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("commit", "-q", "-m", text)
	}
	dir := filepath.Join(t.TempDir(), "tree")
	if err := unpack(context.Background(), repository, "HEAD~1", dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "folder", "file"))
	if err != nil || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
	if err := unpack(context.Background(), repository, "no-such-commit", t.TempDir()); err == nil {
		t.Error("no error for a commit that does not exist")
	}
}
