//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestRaces runs a program of eight threads with the driver. LOCKSTEP_OPENCL_RACE=1 builds the driver twice more, which
// takes minutes: for ThreadSanitizer, which looks at the program and at the driver's C, and for the race detector of Go.
func TestRaces(t *testing.T) {
	need(t)
	dir := t.TempDir()
	// through builds the program with flags and runs it through the loader with a library.
	through := func(t *testing.T, library string, flags ...string) {
		t.Helper()
		program, icd := filepath.Join(t.TempDir(), "races"), filepath.Join(dir, "races.icd")
		cc(t, "cc", append(flags, "-Wall", "-g", "-O1", "-pthread", "-o", program, "testdata/races.c", "-lOpenCL")...)
		if err := os.WriteFile(icd, []byte(library+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := limited(t, nil, "env", "OCL_ICD_VENDORS="+icd, program); err != nil || out != "ok\n" {
			t.Errorf("%v\n%s", err, out[:min(len(out), 6000)])
		}
	}
	t.Run("plain", func(t *testing.T) { through(t, built.library) })
	if os.Getenv("LOCKSTEP_OPENCL_RACE") == "" {
		return
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("libraries for race detectors are built on linux/amd64")
	}
	driver := func(t *testing.T, name string, env []string, flags ...string) string {
		t.Helper()
		library := filepath.Join(dir, name, libraryName())
		cmd := exec.Command("go", append(append([]string{"build", "-buildmode=c-shared", "-o", library}, flags...), "..")...)
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=1"), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return library
	}
	t.Run("ThreadSanitizer", func(t *testing.T) {
		library := driver(t, "tsan", []string{"CGO_CFLAGS=-g -O1 -fsanitize=thread", "CGO_LDFLAGS=-fsanitize=thread"})
		through(t, library, "-fsanitize=thread")
	})
	t.Run("Go", func(t *testing.T) {
		// The detector has no shadow for addresses where libraries are as a rule: this one asks for a lower one.
		library := driver(t, "go", nil, "-race", "-ldflags=-extldflags=-Wl,-Ttext-segment=0x200000000")
		through(t, library)
		program := compiledHostile(t, library)
		out, err := limited(t, []string{"LOCKSTEP_OPTIONS=-q -log /dev/null"}, program, "3000", "1", "4")
		if err != nil || !strings.HasSuffix(out, "ok\n") || strings.Contains(out, "DATA RACE") {
			t.Errorf("calls at random: %v\n%s", err, out[:min(len(out), 12000)])
		}
	})
}
