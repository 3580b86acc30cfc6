package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	_ "github.com/lockstep-gpu/lockstep/emu" // so that a result of these tests is not kept when it changes
)

// The driver is built once for all tests.
var built struct{ dir, library, icd, skip string }

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lockstep-opencl")
	if err != nil {
		panic(err)
	}
	built.dir = dir
	if reason := compiler(dir); reason != "" {
		built.skip = reason
	} else if built.library, built.icd, err = build(dir); err != nil {
		println("the driver does not build:", err.Error())
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// sources reads the files of the driver, for the same reason: go test notes what a test reads.
func sources(t *testing.T) {
	files, err := filepath.Glob("../*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		_, _ = os.ReadFile(f) // folders among them
	}
}

// compiler says why programs of OpenCL cannot be compiled here, or nothing.
func compiler(dir string) string {
	if runtime.GOOS == "windows" {
		return "the tests need a POSIX system"
	}
	if _, err := exec.LookPath("cc"); err != nil {
		return "no C compiler"
	}
	file := filepath.Join(dir, "headers.c")
	if err := os.WriteFile(file, []byte("#include <CL/cl_icd.h>\n"), 0o666); err != nil {
		return err.Error()
	}
	if out, err := exec.Command("cc", "-fsyntax-only", file).CombinedOutput(); err != nil {
		return "no headers of OpenCL: " + strings.TrimSpace(string(out))
	}
	return ""
}

// run runs a program with the driver, directly or through the loader, and returns what it prints on standard output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+built.icd, "PYOPENCL_NO_CACHE=1")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &errs)
	}
	return string(out)
}

// missing skips a test, or ends it where LOCKSTEP_OPENCL=require says that everything is to be there.
func missing(t *testing.T, reason ...any) {
	t.Helper()
	if os.Getenv("LOCKSTEP_OPENCL") == "require" {
		t.Fatal(reason...)
	}
	t.Skip(reason...)
}

func need(t *testing.T, programs ...string) {
	t.Helper()
	sources(t)
	if built.skip != "" {
		missing(t, built.skip)
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing(t, "no ", p)
		}
	}
}

func TestSmoke(t *testing.T) {
	need(t)
	for name, library := range map[string]string{"direct": built.library, "loader": "-lOpenCL"} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(built.dir, "smoke-"+name)
			out, err := exec.Command("cc", "-w", "-D"+strings.ToUpper(name), "-o", program, "testdata/smoke.c", library).CombinedOutput()
			if err != nil && name == "loader" {
				missing(t, "no loader of OpenCL to link with")
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := "before\nn = 1000\nafter\nok\n"
			if got := run(t, program); got != want {
				t.Errorf("printed:\n%swant:\n%s", got, want)
			}
		})
	}
}

func TestClinfo(t *testing.T) {
	need(t, "clinfo")
	out := run(t, "clinfo", "--raw")
	for _, want := range []string{"CL_PLATFORM_NAME", "lockstep", "OpenCL 3.0", "cl_khr_icd", "CL_DEVICE_OPENCL_C_FEATURES"} {
		if !strings.Contains(out, want) {
			t.Errorf("clinfo does not print %q", want)
		}
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, "error") {
			t.Error(line)
		}
		// Programs divide by it.
		if f := strings.Fields(line); len(f) > 1 && f[len(f)-2] == "CL_DEVICE_MAX_CLOCK_FREQUENCY" && f[len(f)-1] == "0" {
			t.Error(line)
		}
	}
}

func TestPyOpenCL(t *testing.T) {
	need(t)
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import pyopencl").Run() != nil {
		missing(t, "no PyOpenCL")
	}
	if out := run(t, python, "testdata/saxpy.py"); !strings.Contains(out, "ok 1999.0") {
		t.Error(out)
	}
}

func TestSVM(t *testing.T) {
	need(t)
	program := filepath.Join(built.dir, "svm")
	if out, err := exec.Command("cc", "-Wall", "-o", program, "testdata/svm.c", built.library).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := run(t, program); got != "ok\n" {
		t.Error(got)
	}
}
