//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const forkMessage = "lockstep: a child of fork cannot use OpenCL, unless it executes another program\n"

// TestProcess: the driver in programs that fork, take signals, and end while a kernel runs.
func TestProcess(t *testing.T) {
	program := compiled(t, "process", "-Wno-unused-result", "-ldl")
	for _, c := range []struct {
		what, want string
		status     int
		signal     syscall.Signal
	}{
		{what: "exit", status: 7},
		{what: "return", status: 7},
		{what: "_exit", status: 7},
		{what: "exit-thread", status: 7},
		{what: "at-exit", status: 7, want: "at exit\n"},
		{what: "at-exit-late", status: 7, want: "at exit\n"},
		{what: "fork", want: "ok\n"},
		{what: "fork-exec", want: "ok\nok\n"},
		{what: "fork-use", want: forkMessage + forkMessage + "ok\n"},
		{what: "fork-first", want: forkMessage + "ok\n"},
		{what: "segv-early", want: "ok\n"},
		{what: "segv-late", want: "ok\n"},
		{what: "segv-default", signal: syscall.SIGSEGV},
		{what: "alarm-early", want: "ok\n"},
		{what: "alarm-late", want: "ok\n"},
		{what: "prof-early", want: "ok\n"},
		{what: "prof-late", want: "ok\n"},
		{what: "interrupt", want: "ok\n"},
		{what: "interrupt-default", signal: syscall.SIGINT},
		{what: "waiting", want: "ok\n"},
		{what: "load", want: "ok\n"},
	} {
		t.Run(c.what, func(t *testing.T) {
			out, err := limited(t, nil, program, c.what, built.library)
			var ended *exec.ExitError
			status, signal := 0, syscall.Signal(0)
			if errors.As(err, &ended) {
				w, _ := ended.Sys().(syscall.WaitStatus)
				if status = ended.ExitCode(); w.Signaled() {
					status, signal = 0, w.Signal()
				}
			}
			if status != c.status || signal != c.signal || out != c.want {
				t.Errorf("ended with %v, printed:\n%s", err, out)
			}
		})
	}
}

// TestKilled: a program that is killed while a kernel runs leaves no files, no shared memory and no processes behind.
func TestKilled(t *testing.T) {
	program := compiled(t, "process", "-Wno-unused-result", "-ldl")
	temporary, dir := t.TempDir(), t.TempDir()
	shared := func() []string {
		list, err := filepath.Glob("/dev/shm/*lockstep*")
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := shared()
	cmd := exec.Command(program, "run-on")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "HOME="+dir, "XDG_CACHE_HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(most, func() { _ = cmd.Process.Kill() }) // the test fails by what it has not printed
	defer hung.Stop()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "running\n" {
		t.Errorf("%q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Error(err)
	}
	if err := syscall.Kill(-cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("processes are left: %v", err)
	}
	for _, d := range []string{temporary, dir} {
		if list, err := os.ReadDir(d); err != nil || len(list) != 0 {
			t.Errorf("left behind: %v, %v", list, err)
		}
	}
	if after := shared(); !slices.Equal(before, after) {
		t.Errorf("shared memory is left: %q", after)
	}
}
