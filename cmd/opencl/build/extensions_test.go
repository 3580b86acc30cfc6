package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// host compiles a program of testdata with the driver in the place of the loader, runs it and returns what it prints.
func host(t *testing.T, name string) string {
	t.Helper()
	need(t)
	program := filepath.Join(built.dir, name)
	out, err := exec.Command("cc", "-w", "-o", program, filepath.Join("testdata", name+".c"), built.library).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return run(t, program)
}

func TestCommandBuffer(t *testing.T) {
	if out := host(t, "commandbuffer"); !strings.HasSuffix(out, "ok\n") {
		t.Error(out)
	}
}

func TestExtensions(t *testing.T) {
	if out := host(t, "extensions"); out != "ok\n" {
		t.Error(out)
	}
}

// TestRelease: what is released while a kernel runs does not make the host wait, and goes afterwards.
func TestRelease(t *testing.T) {
	if out := host(t, "release"); out != "ok\n" {
		t.Error(out)
	}
}

func TestMipmap(t *testing.T) {
	if out := host(t, "mipmap"); out != "ok\n" {
		t.Error(out)
	}
}

func TestSemaphore(t *testing.T) {
	if out := host(t, "semaphore"); out != "ok\n" {
		t.Error(out)
	}
}

// TestPipes: kernels that pipes connect run together, on several queues or on one, and that says nothing else but
// the order of the host's calls.
func TestPipes(t *testing.T) {
	first := host(t, "pipes")
	if !strings.HasPrefix(first, "order ") || !strings.HasSuffix(first, "\nok\n") {
		t.Fatal(first)
	}
	if again := host(t, "pipes"); again != first {
		t.Errorf("the first time:\n%sagain:\n%s", first, again)
	}
}
