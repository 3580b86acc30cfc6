package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asCommand is the environment variable that makes the test binary the command.
const asCommand = "LOCKSTEP_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestAddressSpace runs the command where the process may have 4 GiB of addresses: what does not fit is
// refused in a sentence that says what is left, and not by a dump of Go's runtime.
func TestAddressSpace(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("ulimit -v limits the address space of Linux")
	}
	for _, c := range []struct{ name, args, want string }{
		{"one buffer", "-arg zero:f32:700m -arg zero:f32:8", "argument 1, global const float* x: \"zero:f32:700m\", column 10: device memory: 2936012800 bytes needed"},
		{"two buffers", "-arg zero:f32:300m -arg zero:f32:300m", "argument 2, global float* y: \"zero:f32:300m\", column 10: device memory: 1258291200 bytes needed"},
		{"more than the machine", "-arg zero:f32:2g -arg zero:f32:8 -device global-mem-size=64g", "8589934592 bytes asked for, and the host has no such memory left"},
		{"an image", "-arg image:65536x65536:rgba:f32 -arg zero:f32:8", "68719476736 bytes needed"},
		{"a pipe", "-pipe p=1048576:20000 -arg pipe:p -arg zero:f32:8", "20971520000 bytes needed"},
		{"a document", "-arg zero:f32:8 -arg zero:f32:200m -out 2=- -json", "-out 2=-: 28521267200 bytes needed"},
		{"two engines", "-arg zero:f32:8 -arg zero:f32:300m -engine compare", "two copies of device memory: 2516582464 bytes needed"},
		{"enough", "-arg zero:f32:300m -arg zero:f32:8 -out 2=-", "0: 0 0 0 0 0 0 0 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := `ulimit -v 4194304 && exec "$0" run ../../examples/saxpy/saxpy.cl -global 8 -arg f32:2 ` + c.args
			cmd := exec.Command("sh", "-c", script, os.Args[0])
			cmd.Env = append(os.Environ(), asCommand+"=1")
			out, err := cmd.CombinedOutput()
			text := string(out)
			if strings.Contains(text, "is not available") && c.name == "two engines" {
				t.Skip(text)
			}
			if strings.Contains(text, "fatal error") || !strings.Contains(text, c.want) {
				t.Errorf("%v, and\n%.2000s\nwant %q", err, text, c.want)
			}
			if failed := err != nil; failed != (c.name != "enough") {
				t.Errorf("the command ended with %v", err)
			}
		})
	}
}

// TestSignals ends a kernel that runs for ever as a terminal and as a supervisor do: the command says where
// the work-items are, and has the exit status of a finding.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send these signals on Windows")
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "run", "internal/cli/testdata/kernels.spv", "-v", "-kernel", "forever",
				"-global", "4", "-arg", "zero:i32:1")
			cmd.Env = append(os.Environ(), asCommand+"=1")
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // a test must end
			// What -v says comes when everything is ready to run.
			r := bufio.NewReader(stderr)
			if line, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(line, "kernel forever of ") {
				t.Errorf("the first line is %q, %v", line, err)
			}
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(rest)), "\n")
			_ = cmd.Wait() // whose error is the exit status
			if status := cmd.ProcessState.ExitCode(); status != 1 {
				t.Errorf("exit status %d, want 1", status)
			}
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, "lockstep: ") || !strings.Contains(last, "E-CANCELLED") {
				t.Errorf("the last line of\n%s", rest)
			}
		})
	}
}
