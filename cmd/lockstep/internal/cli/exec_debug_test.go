package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/hostcmd"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

const hostKernels = `kernel void fill(global int *a, int v)
{
	int i = get_global_id(0);
	a[i] = v + i;
}
kernel void twice(global int *a)
{
	a[get_global_id(0)] *= 2;
}
`

// hostProgram is a host program that launches fill and then twice, as the driver does.
func hostProgram(ctx context.Context, p cmdline.Program, stderr io.Writer) ([]int32, error) {
	o, err := hostrun.Parse(p.Options)
	if err != nil {
		return nil, err
	}
	session, err := hostrun.Open(o, hostrun.Streams{Stderr: stderr})
	if err != nil {
		return nil, err
	}
	code, err := clc.CompileCode(ctx, clc.Source{Name: "program.cl", Text: hostKernels}, clc.Options{Debug: o.Stop != ""})
	if err != nil {
		return nil, err
	}
	var module bytes.Buffer
	if _, err := code.WriteTo(&module); err != nil {
		return nil, err
	}
	d, err := emu.NewDevice(o.Device)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	prog, err := d.NewProgram(module.Bytes(), emu.ProgramOptions{})
	if err != nil {
		return nil, err
	}
	a, err := emu.NewBufferOf(d, make([]int32, 8))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"fill", "twice"} {
		k, err := prog.Kernel(name)
		if err != nil {
			return nil, err
		}
		now, err := emu.Read[int32](a)
		if err != nil {
			return nil, err
		}
		held, err := binary.Append(nil, binary.LittleEndian, now)
		if err != nil {
			return nil, err
		}
		l := &emu.Launch{Kernel: k, Range: emu.Range(8), Args: []emu.Arg{a}}
		c := &hostrun.Case{Module: module.Bytes(), Source: hostKernels, Args: []hostrun.CaseArg{{Memory: &hostrun.CaseMemory{Root: a, Bytes: held}}},
			Call: func() *hostrun.Call {
				return &hostrun.Call{API: "clEnqueueNDRangeKernel", Function: "main", File: "host.c", Line: 7}
			}}
		if name == "fill" {
			l.Args, c.Args = append(l.Args, emu.Value(int32(100))), append(c.Args, hostrun.CaseArg{Value: []byte{100, 0, 0, 0}})
		}
		if err := session.Run(ctx, session.Number(), l, c); err != nil {
			return nil, err
		}
	}
	return emu.Read[int32](a)
}

// TestExecDebug stops at launches of a program. What happens in the debugger does not reach it.
func TestExecDebug(t *testing.T) {
	dir, err := os.MkdirTemp("", "exec") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	driver := write("liblockstep.so", "")
	look := write("look", "break 4\nrun\nall i\nset a[0] = 55\nstep\nx/2d a\n")
	both := write("both", "step\nx/2d a\ndetach\n")
	wrong := write("wrong", "brake 4\n")
	for _, c := range []struct {
		flags  []string
		stderr []string
		absent []string
		status int
	}{
		{[]string{"-debug=fill", "-x", look}, []string{"lockstep: launch 1, kernel fill, clEnqueueNDRangeKernel at host.c:7 in main\n", "(lockstep) all i\n", "program.cl:4", "a: 100 101"}, []string{"kernel twice"}, 0},
		{[]string{"-debug", "-x", look, "-x", both, "-subgroup", "4"}, []string{"kernel fill, clEnq", "a: 100 101", "wave 0 lane 0"}, []string{"kernel twice"}, 0},
		{[]string{"-debug=twice", "-batch", "-x", both}, []string{"kernel twice", "a: 100 101"}, []string{"kernel fill"}, 0},
		{[]string{"-debug", "-x", wrong}, []string{"kernel fill", "wrong, line 1: there is no command"}, []string{"kernel twice"}, cmdline.ExitUsage},
		{[]string{"-debug"}, []string{"-debug needs a terminal"}, nil, cmdline.ExitUsage},
		{[]string{"-debug", "-memory", "weak", "-x", look}, []string{"-debug and -memory exclude each other"}, nil, cmdline.ExitUsage},
	} {
		var stdout, stderr bytes.Buffer
		runs := 0
		env := &cmdline.Env{
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, GOOS: "linux", Temporary: hostcmd.Temporary,
			Getenv: func(name string) string { return map[string]string{"LOCKSTEP_DRIVER": driver}[name] },
			Open:   func(path string) (io.ReadCloser, error) { return os.Open(path) }, Stat: os.Stat,
			Dir: func(path string) fs.FS { return os.DirFS(path) },
			Run: func(ctx context.Context, p cmdline.Program) (int, error) {
				runs++
				a, err := hostProgram(ctx, p, &stderr)
				if err != nil || len(a) != 8 || a[0] != 200 || a[7] != 214 {
					t.Errorf("%v: the program has %v: %v", c.flags, a, err)
				}
				return 0, nil
			},
		}
		status := Main(t.Context(), append(append([]string{"exec"}, c.flags...), "--", "prog"), env)
		if status != c.status || stdout.Len() > 0 || (runs == 1) != (len(c.absent) > 0) {
			t.Errorf("%v: exit status %d, %q\n%s", c.flags, status, stdout.String(), stderr.String())
		}
		for _, part := range c.stderr {
			if !strings.Contains(stderr.String(), part) {
				t.Errorf("%v: no %q in:\n%s", c.flags, part, stderr.String())
			}
		}
		for _, part := range c.absent {
			if strings.Contains(stderr.String(), part) {
				t.Errorf("%v: %q in:\n%s", c.flags, part, stderr.String())
			}
		}
	}
}
