package cli

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/hostcmd"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

// host is an Env with a driver and programs that do as they are told.
type host struct {
	files fstest.MapFS
	vars  map[string]string
	run   func(p cmdline.Program) (int, error)
	runs  []cmdline.Program
}

func (h *host) command(args ...string) (stdout, stderr string, status int) {
	var out, err bytes.Buffer
	relative := func(path string) string { return strings.TrimPrefix(path, "/") }
	env := &cmdline.Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, GOOS: "linux", Executable: "/opt/bin/lockstep",
		Getenv: func(name string) string { return h.vars[name] },
		Stat:   func(path string) (fs.FileInfo, error) { return h.files.Stat(relative(path)) },
		Dir:    func(path string) fs.FS { sub, _ := fs.Sub(h.files, relative(path)); return sub },
		Open:   openIn(h.files),
		Run: func(_ context.Context, p cmdline.Program) (int, error) {
			h.runs = append(h.runs, p)
			return h.run(p)
		},
		Temporary: func(f func(path string) error) error {
			delete(h.files, "tmp/file")
			return f("/tmp/file")
		},
	}
	status = Main(context.Background(), args, env)
	return out.String(), err.String(), status
}

func openIn(files fstest.MapFS) func(string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) { return files.Open(strings.TrimPrefix(path, "/")) }
}

func newHost() *host {
	return &host{
		files: fstest.MapFS{"opt/lib/liblockstep.so": {}, "usr/lib/libOpenCL.so.1": {}},
		vars:  map[string]string{},
		run:   func(cmdline.Program) (int, error) { return 0, nil },
	}
}

func TestExec(t *testing.T) {
	found := func(status int) func(p cmdline.Program) (int, error) {
		return func(p cmdline.Program) (int, error) {
			p.Tally("launch\nE-RACE\nlaunch\n")
			return status, nil
		}
	}
	for _, c := range []struct {
		name           string
		args           string
		run            func(p cmdline.Program) (int, error)
		options        string
		stderr, stdout string // a part of each
		status         int
	}{
		{name: "plain", args: "-- prog -x"},
		{name: "flags", args: "-check -subgroup 16 -log 'a b' -- prog", options: "-check=true '-log=a b' -subgroup=16"},
		{name: "status", args: "-- prog", run: func(cmdline.Program) (int, error) { return 3, nil }, status: 3},
		{name: "finding", args: "-check -- prog", run: found(0), options: "-check=true", stderr: "lockstep: 2 launches, 1 finding: E-RACE 1\n", status: cmdline.ExitFinding},
		{name: "finding and status", args: "-- prog", run: found(7), stderr: "1 finding", status: 7},
		{name: "json", args: "-json -- prog", run: found(0), options: "-json=true", status: cmdline.ExitFinding},
		{name: "no program", args: "-check", stderr: "missing the program", status: cmdline.ExitUsage},
		{name: "unknown program", args: "-- none", run: func(cmdline.Program) (int, error) { return 0, &exec.Error{Name: "none", Err: exec.ErrNotFound} }, stderr: "there is no program none", status: cmdline.ExitUsage},
		{name: "bad value", args: "-schedule up -- prog", stderr: "-schedule: unknown schedule", status: cmdline.ExitUsage},
		{name: "bad value in JSON", args: "-json -schedule up -- prog", stdout: `"kind": "usage"`, stderr: "-schedule", status: cmdline.ExitUsage},
	} {
		h := newHost()
		if c.run != nil {
			h.run = c.run
		}
		args, err := parse("exec " + c.args)
		if err != nil {
			t.Fatal(err)
		}
		stdout, stderr, status := h.command(args...)
		if status != c.status || !strings.Contains(stderr, c.stderr) || !strings.Contains(stdout, c.stdout) {
			t.Errorf("%s: exit status %d, %q, %q", c.name, status, stdout, stderr)
		}
		if c.stdout == "" && stdout != "" || c.stderr == "" && stderr != "" {
			t.Errorf("%s: %q, %q", c.name, stdout, stderr)
		}
		if status == cmdline.ExitUsage {
			continue
		}
		if p := h.runs[0]; p.Options != c.options || p.Driver != "/opt/lib/liblockstep.so" || p.Args[0] != "prog" {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

func TestExecWithoutDriver(t *testing.T) {
	h := newHost()
	delete(h.files, "opt/lib/liblockstep.so")
	h.vars["HOME"] = "/home/me"
	_, stderr, status := h.command("exec", "--", "prog")
	if status != cmdline.ExitUsage || !strings.Contains(stderr, "/opt/bin/liblockstep.so, /opt/lib/liblockstep.so, /home/me/.local/share/lockstep/liblockstep.so") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

// TestExecFlags: the driver takes every flag of exec.
func TestExecFlags(t *testing.T) {
	f := cmdline.NewFlags("exec")
	hostcmd.ExecCommand.Setup(f)
	known := map[string]bool{"bisect": true, "debug": true, "x": true, "batch": true, "listen": true}
	for _, name := range hostrun.Names() {
		known[name] = true
		if name != "digests" && name != "stop" && f.Lookup(name) == nil {
			t.Errorf("exec has no flag -%s", name)
		}
	}
	for _, c := range f.Described() {
		if name := strings.TrimPrefix(c.Word, "-"); !known[name] {
			t.Errorf("the driver takes no flag -%s", name)
		}
	}
}

func TestBisect(t *testing.T) {
	digests := func(sums ...string) string {
		var b strings.Builder
		for i, s := range sums {
			b.WriteString(hostrun.Digest{Number: i + 1, Kernel: "k", Args: []hostrun.ArgDigest{{Name: "out", Sum: s}}}.Line() + "\n")
		}
		return b.String()
	}
	h := newHost()
	h.run = func(p cmdline.Program) (int, error) {
		list, _, err := words.Split(p.Options)
		if err != nil {
			return 0, err
		}
		text := digests("1", "2")
		for _, w := range list {
			if w.Text == "-schedule=reverse" || w.Text == "reverse" {
				text = digests("1", "3")
			}
		}
		h.files["tmp/file"] = &fstest.MapFile{Data: []byte(text)}
		return 0, nil
	}
	stdout, stderr, status := h.command("exec", "-bisect", "-schedule reverse", "--", "prog")
	if status != cmdline.ExitFinding || stdout != "the results of launch 2, kernel k, differ: argument out\n" {
		t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
	}
	if want := "lockstep: run 1 of 2, with default flags\nlockstep: run 2 of 2, with -schedule reverse\n"; stderr != want {
		t.Errorf("%q, want %q", stderr, want)
	}
	stdout, _, status = h.command("exec", "-bisect", "-wave 32", "--", "prog")
	if status != cmdline.ExitDone || stdout != "the results of all launches agree: 2\n" {
		t.Errorf("exit status %d, %q", status, stdout)
	}
	for _, args := range [][]string{{"-bisect", "-sort", "--", "p"}, {"-bisect", "-check", "-record", "d", "--", "p"}} {
		if _, stderr, status := h.command(append([]string{"exec"}, args...)...); status != cmdline.ExitUsage {
			t.Errorf("%q: exit status %d, %s", args, status, stderr)
		}
	}
}

func TestDriver(t *testing.T) {
	h := newHost()
	h.files["etc/OpenCL/vendors/lockstep.icd"] = &fstest.MapFile{Data: []byte("/opt/lib/liblockstep.so\n")}
	h.files["etc/OpenCL/vendors/other.icd"] = &fstest.MapFile{Data: []byte("libother.so\n")}
	stdout, _, status := h.command("driver")
	if want := `driver:  /opt/lib/liblockstep.so
loader:  /usr/lib/libOpenCL.so.1
vendor:  /etc/OpenCL/vendors/lockstep.icd: /opt/lib/liblockstep.so
vendor:  /etc/OpenCL/vendors/other.icd: libother.so
OpenCL programs find lockstep through the loader.
`; status != cmdline.ExitDone || stdout != want {
		t.Errorf("exit status %d, %s", status, stdout)
	}
	delete(h.files, "etc/OpenCL/vendors/lockstep.icd")
	stdout, _, status = h.command("driver")
	if status != cmdline.ExitDone || !strings.Contains(stdout, "The loader does not find it") {
		t.Errorf("exit status %d, %s", status, stdout)
	}
	h.vars["LOCKSTEP_DRIVER"] = "/none.so"
	stdout, _, status = h.command("driver")
	if status != cmdline.ExitFinding || !strings.Contains(stdout, "driver:  none; looked for\n           /none.so\n") {
		t.Errorf("exit status %d, %s", status, stdout)
	}
	stdout, _, status = h.command("driver", "-json")
	if status != cmdline.ExitFinding || !strings.Contains(stdout, `"document": "driver"`) || !strings.Contains(stdout, `"found": false`) {
		t.Errorf("exit status %d, %s", status, stdout)
	}
}

// TestRunProgram starts a real program: this one.
func TestRunProgram(t *testing.T) {
	switch os.Getenv("LOCKSTEP_TEST_PROGRAM") {
	case "exit":
		tally, err := os.Create(os.Getenv(hostrun.TallyVariable))
		if err != nil {
			t.Fatal(err)
		}
		if err := hostrun.AppendLaunch(tally, []string{"E-RACE"}); err != nil {
			t.Fatal(err)
		}
		if os.Getenv(hostrun.Variable) != "-check" {
			os.Exit(4)
		}
		os.Exit(3)
	case "signal":
		p, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = p.Kill()
		}
		t.Fatal(err)
	}
	for kind, want := range map[string]int{"exit": 3, "signal": hostcmd.Signalled + 9} {
		if kind == "signal" && runtime.GOOS == "windows" {
			continue
		}
		t.Setenv("LOCKSTEP_TEST_PROGRAM", kind)
		var tally string
		status, err := hostcmd.RunProgram(context.Background(), cmdline.Program{Args: []string{os.Args[0], "-test.run=^TestRunProgram$"},
			Driver: "liblockstep.so", Options: "-check", Tally: func(text string) { tally = text }})
		if err != nil || status != want {
			t.Errorf("%s: exit status %d, %v; want %d", kind, status, err, want)
		}
		if kind == "exit" && hostrun.ReadTally(tally).Text() != "1 launch, 1 finding: E-RACE 1" {
			t.Errorf("%q", tally)
		}
	}
}
