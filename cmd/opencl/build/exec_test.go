package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

// lockstepCommand builds the command line of lockstep once.
var lockstepCommand = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built.dir, "lockstep")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/lockstep")
	cmd.Dir = "../../.."
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return path, err
})

// racyProgram compiles testdata/racy.c once.
var racyProgram = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built.dir, "racy")
	out, err := exec.Command("cc", "-w", "-g", "-o", path, "testdata/racy.c", built.library).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return path, err
})

// lockstep runs a command of lockstep.
func lockstep(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	path, err := lockstepCommand()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "LOCKSTEP_DRIVER="+built.library, "PYOPENCL_NO_CACHE=1")
	cmd.Stdout, cmd.Stderr = &out, &errs
	var ended *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// onRacy runs lockstep exec with flags on the program of testdata/racy.c. One worker makes its results repeatable.
func onRacy(t *testing.T, flags, args []string) (stdout, stderr string, status int) {
	t.Helper()
	need(t)
	program, err := racyProgram()
	if err != nil {
		t.Fatal(err)
	}
	return lockstep(t, append(append(append([]string{"exec", "-workers", "1"}, flags...), "--", program), args...)...)
}

func TestExec(t *testing.T) {
	for _, c := range []struct {
		name           string
		flags, args    []string
		stdout         string
		stderr, absent []string // parts of it
		status         int
	}{
		{name: "plain", stdout: "winner 163\n"},
		{name: "order", flags: []string{"-schedule", "reverse"}, stdout: "winner 100\n"},
		{
			name: "fault", args: []string{"o"}, stdout: "outside: -14\nwinner 163\n", status: 1,
			stderr: []string{"error[E-OOB]", "in kernel outside", "a[64] is past the end", "= reproduce: lockstep exec -record DIR -- PROGRAM, then lockstep run @DIR/5",
				"lockstep: launch 5, kernel outside: 1 finding; the launch did not run to its end, and its event has an error",
				"lockstep: 5 launches, 1 finding: E-OOB 1\n"},
		},
		{
			name: "check", flags: []string{"-check", "-q"}, status: 1, stdout: "winner 0\n", // the first kernel writes to a read-only buffer
			stderr: []string{"lockstep: launch 1, kernel fill: write of 4 bytes in read-only memory", "lockstep: launch 2, kernel last: data race"},
			absent: []string{"reproduce"},
		},
		{name: "stats", flags: []string{"-stats"}, stdout: "winner 163\n", stderr: []string{"lockstep: launch 4, kernel copy: global [4 4], local [4 1], engine ", "work-groups 4, waves 4, "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, status := onRacy(t, c.flags, c.args)
			if stdout != c.stdout || status != c.status {
				t.Errorf("exit status %d, printed %q", status, stdout)
			}
			for _, part := range c.stderr {
				if !strings.Contains(stderr, part) {
					t.Errorf("no %q in:\n%s", part, stderr)
				}
			}
			for _, part := range c.absent {
				if strings.Contains(stderr, part) {
					t.Errorf("%q in:\n%s", part, stderr)
				}
			}
			if len(c.stderr) == 0 && stderr != "" {
				t.Errorf("on standard error: %s", stderr)
			}
		})
	}
}

func TestExecBisect(t *testing.T) {
	stdout, _, status := onRacy(t, []string{"-bisect", "-schedule reverse"}, nil)
	if want := "winner 163\nwinner 100\nthe results of launch 2, kernel last, differ: argument winner\n"; stdout != want || status != 1 {
		t.Errorf("exit status %d, %s", status, stdout)
	}
	stdout, _, status = onRacy(t, []string{"-bisect", "-subgroup 8"}, nil)
	if want := "winner 163\nwinner 163\nthe results of all launches agree: 4\n"; stdout != want || status != 0 {
		t.Errorf("exit status %d, %s", status, stdout)
	}
}

func TestExecJSON(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	_, stderr, status := onRacy(t, []string{"-json", "-log", log}, []string{"o"})
	text, err := os.ReadFile(log)
	if err != nil || status != 1 || stderr != "" {
		t.Fatalf("exit status %d, %q, %v", status, stderr, err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d documents: %s", len(lines), text)
	}
	for i, line := range lines {
		var d hostrun.Document
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&d); err != nil {
			t.Fatal(err)
		}
		if d.Document != "launch" || d.Number != i+1 || d.Counters.WorkGroups == 0 || d.Completed != (i < 4) || len(d.Findings) != map[int]int{4: 1}[i] {
			t.Errorf("document %d: %+v", i, d)
		}
	}
}

// TestExecRecord runs recorded launches again: they leave the same bits.
func TestExecRecord(t *testing.T) {
	dir := t.TempDir()
	need(t)
	program, err := racyProgram()
	if err != nil {
		t.Fatal(err)
	}
	digests := filepath.Join(dir, "digests")
	record := filepath.Join(dir, "a record")
	cmd := exec.Command(program, "o")
	cmd.Env = append(os.Environ(), hostrun.Variable+"=-schedule reverse -digests "+digests+" '-record="+record+"' -trace "+filepath.Join(dir, "trace"))
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "record/5'") {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(digests)
	if err != nil {
		t.Fatal(err)
	}
	list, err := hostrun.ReadDigests(string(text))
	if err != nil || len(list) != 5 {
		t.Fatal(err, list)
	}
	if traces, err := filepath.Glob(filepath.Join(dir, "trace", "*.json")); err != nil || len(traces) != 5 {
		t.Errorf("timelines %v, %v", traces, err)
	}
	for _, d := range list[:4] {
		for _, a := range d.Args {
			if a.Name == "from" {
				continue // an image, which the kernel reads only
			}
			out := filepath.Join(dir, "out.bin")
			_, stderr, status := lockstep(t, "run", fmt.Sprintf("@%s/%d", record, d.Number), "-out", a.Name+"="+out)
			data, err := os.ReadFile(out)
			if status != 0 || err != nil {
				t.Fatalf("launch %d: exit status %d, %v, %s", d.Number, status, err, stderr)
			}
			if sum := hostrun.Sum(data); sum != a.Sum {
				t.Errorf("launch %d: argument %s is not what the program has", d.Number, a.Name)
			}
		}
	}
	if _, stderr, status := lockstep(t, "run", "@"+record+"/5", "-check"); status != 1 || !strings.Contains(stderr, "is past the end: a has 64") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

// TestExecRecordShared runs launches again that follow pointers of shared virtual memory or have pipes, from a folder that has
// been moved meanwhile.
func TestExecRecordShared(t *testing.T) {
	dir := t.TempDir()
	need(t)
	program := filepath.Join(dir, "record")
	if out, err := exec.Command("cc", "-w", "-o", program, "testdata/record.c", built.library).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, dir)
	cmd.Env = append(os.Environ(), hostrun.Variable+"=-q '-record="+filepath.Join(dir, "first")+"'")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "111 0 102 0 106 0 120 0 117 0 101 -1 \n" {
		t.Fatalf("%v\n%s", err, out)
	}
	record := filepath.Join(dir, "a moved record")
	if err := os.Rename(filepath.Join(dir, "first"), record); err != nil {
		t.Fatal(err)
	}
	again := func(launch int, name string) []byte {
		t.Helper()
		path := filepath.Join(dir, "again")
		_, stderr, status := lockstep(t, "run", fmt.Sprintf("@%s/%d", record, launch), "-out", name+"="+path)
		data, err := os.ReadFile(path)
		if status != 0 || err != nil {
			t.Fatalf("launch %d: exit status %d, %v, %s", launch, status, err, stderr)
		}
		return data
	}
	for _, name := range []string{"list", "values"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		// Which of the two allocations comes first is the C library's choice; their sizes differ.
		saved, err := os.ReadFile(filepath.Join(record, "1.d", "svm0.bin"))
		if err != nil {
			t.Fatal(err)
		}
		number := "svm1"
		if len(saved) == len(want) {
			number = "svm0"
		}
		if got := again(1, number); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", name, got, want)
		}
	}
	text := func(data []byte) (s string) {
		for ; len(data) >= 4; data = data[4:] {
			s += fmt.Sprintf("%d ", int32(binary.NativeEndian.Uint32(data)))
		}
		return s
	}
	if got := text(again(3, "out")) + text(again(4, "out")) + "\n"; got != string(out) {
		t.Errorf("the launches give %s, not %s", got, out)
	}
	if got := text(again(2, "pipe0")); got != "0 1 4 9 16 " {
		t.Errorf("the pipe has %s", got)
	}
}

func TestExecWrongOptions(t *testing.T) {
	need(t)
	program, err := racyProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), hostrun.Variable+"=-schedule up")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), `lockstep: LOCKSTEP_OPTIONS: -schedule: unknown schedule "up"`) || !strings.Contains(string(out), "clGetPlatformIDs(1, &platform, NULL): error -6") {
		t.Errorf("%v, %s", err, out)
	}
}

func TestExecPython(t *testing.T) {
	need(t)
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import pyopencl").Run() != nil {
		missing(t, "no PyOpenCL")
	}
	stdout, stderr, status := lockstep(t, "exec", "-check", "--", python, "testdata/saxpy.py")
	if status != 0 || !strings.Contains(stdout, "ok 1999.0") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestExecThreads: a program of several threads that launch kernels at the same time. Each launch counts.
func TestExecThreads(t *testing.T) {
	need(t)
	program := filepath.Join(built.dir, "threads")
	if out, err := exec.Command("cc", "-w", "-pthread", "-o", program, "testdata/threads.c", built.library).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log := filepath.Join(t.TempDir(), "log")
	stdout, stderr, status := lockstep(t, "exec", "-check", "-stats", "-log", log, "--", program)
	if stdout != "ok\n" || status != 0 {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
	text, err := os.ReadFile(log)
	if lines := strings.Count(string(text), "\n"); err != nil || lines != 8*25*2 {
		t.Errorf("%d lines, %v", lines, err)
	}
}

// TestExecDebug stops at a launch and debugs it. What is changed there does not reach the program.
func TestExecDebug(t *testing.T) {
	commands := filepath.Join(t.TempDir(), "commands")
	text := "break fill\ncontinue\nall v\nset v = 7\nnext group\nx/4d a\ninfo locals\n"
	if err := os.WriteFile(commands, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := onRacy(t, []string{"-debug=fill", "-x", commands, "-batch"}, nil)
	if stdout != "winner 163\n" || status != 0 {
		t.Errorf("exit status %d, printed %q", status, stdout)
	}
	for _, part := range []string{"lockstep: launch 1, kernel fill, clEnqueueNDRangeKernel at ", "fill at program.cl:1", "v: all of 64 work-items have 100", "a: 7 101 102 103"} {
		if !strings.Contains(stderr, part) {
			t.Errorf("no %q in:\n%s", part, stderr)
		}
	}
	if strings.Contains(stderr, "kernel last") {
		t.Errorf("it stops at another kernel:\n%s", stderr)
	}
}
