//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// compiled compiles a program of testdata with the driver in the place of the loader.
func compiled(t *testing.T, name string, flags ...string) string {
	t.Helper()
	need(t)
	program := filepath.Join(t.TempDir(), name)
	args := append([]string{"-Wall", "-g", "-pthread", "-o", program, filepath.Join("testdata", name+".c")}, flags...)
	if out, err := exec.Command("cc", append(args, built.library)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// most is how long a program may take that should take no time: what hangs ends then.
const most = 2 * time.Minute

// limited runs a program and returns what it prints on both outputs and how it ended. It ends the program if it hangs.
func limited(t *testing.T, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), append(env, "OCL_ICD_VENDORS="+built.icd)...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with its children
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return out.String(), err
	case <-time.After(most):
		err := errors.Join(errors.New("it hangs"), syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL), <-ended)
		return out.String(), err
	}
}

// TestLeaks makes and releases objects of all kinds. LOCKSTEP_OPENCL_OBJECTS=1000000 makes that many of the cheap ones.
func TestLeaks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the program asks glibc and /proc")
	}
	count := os.Getenv("LOCKSTEP_OPENCL_OBJECTS")
	if count == "" {
		count = "5000"
	}
	program := compiled(t, "leaks")
	if out := run(t, program, count); out != "ok\n" {
		t.Error(out)
	}
}
