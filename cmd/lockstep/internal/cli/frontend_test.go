package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/emu/mux/clang"
)

// fakeFrontEnd answers each source in the same way.
type fakeFrontEnd struct {
	compiled *clang.Compiled
	err      error
}

func (f fakeFrontEnd) CompileFile(context.Context, clang.File) (*clang.Compiled, error) {
	return f.compiled, f.err
}

func (f fakeFrontEnd) TranslateFile(context.Context, clang.File) (*clang.Compiled, error) {
	return f.compiled, f.err
}

// command runs a command with a front end.
func withFrontEnd(f cmdline.FrontEnd, args ...string) (stdout, stderr string, status int) {
	var out, err bytes.Buffer
	w := &world{written: map[string][]byte{}}
	open := w.open
	env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Open: open, Create: w.create, Stat: w.stat, FrontEnd: f}
	if _, system := f.(*clang.FrontEnd); system {
		env.Open = System().Open
	}
	status = Main(context.Background(), args, env)
	return out.String(), err.String(), status
}

// TestSourceOutcomes checks what is said of each way in which the compilation of a source can end.
func TestSourceOutcomes(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	if _, stderr, status := w.run(t.Context(), []string{"cc", "examples/saxpy/saxpy.cl", "-o", "saxpy.spv"}, nil); status != cmdline.ExitDone {
		t.Fatal(stderr)
	}
	saxpy := w.written["saxpy.spv"]
	failed := fmt.Errorf("clang-15 ended with exit status 1: %w", mux.ErrCompileProgramFailure)
	run := []string{"run", "examples/saxpy/saxpy.cl", "-front-end", "clang", "-global", "2", "-arg", "f32:2", "-arg", "iota:f32:2", "-arg", "fill:f32:2:1", "-out", "2=-"}
	for _, x := range []struct {
		name           string
		f              fakeFrontEnd
		args           []string
		stdout, stderr string
		status         int
	}{
		{"compiled", fakeFrontEnd{&clang.Compiled{SPIRV: saxpy}, nil}, run, "0: 1 3\n", "", cmdline.ExitDone},
		{"with a warning", fakeFrontEnd{&clang.Compiled{SPIRV: saxpy, Log: "saxpy.cl:1:2: warning: odd\n\tx\n"}, nil}, run,
			"0: 1 3\n", "saxpy.cl:1:2: warning: odd\n        x\n", cmdline.ExitDone},
		{"errors", fakeFrontEnd{&clang.Compiled{Log: "saxpy.cl:3:1: error: no\n1 error generated.\n"}, failed}, run,
			"", "saxpy.cl:3:1: error: no\n1 error generated.\nlockstep: examples/saxpy/saxpy.cl does not compile\n", cmdline.ExitUsage},
		{"refused by the translator", fakeFrontEnd{&clang.Compiled{}, &clang.TranslatorError{Program: "llvm-spirv-15", Said: "InvalidFunctionCall: Unexpected llvm intrinsic: llvm.smul.with.overflow.i32"}}, run,
			"", "lockstep: examples/saxpy/saxpy.cl: llvm-spirv-15 cannot translate this to SPIR-V: InvalidFunctionCall: Unexpected llvm intrinsic: llvm.smul.with.overflow.i32\n" +
				"__builtin_add_overflow and functions like it are not available\n", cmdline.ExitUsage},
		{"no programs", fakeFrontEnd{nil, fmt.Errorf("there is no clang; %s: %w", clang.Install, mux.ErrNoFrontEnd)}, run,
			"", "lockstep: examples/saxpy/saxpy.cl is OpenCL C source: there is no clang; " + clang.Install +
				", or name them in the environment variables LOCKSTEP_CLANG and LOCKSTEP_LLVM_SPIRV (lockstep help opencl)\n", cmdline.ExitUsage},
		{"bitcode", fakeFrontEnd{&clang.Compiled{SPIRV: saxpy, Log: "of the translator"}, nil}, []string{"run", "bitcode.bc", "-global", "1", "-arg", "f32:2", "-arg", "iota:f32:1", "-arg", "fill:f32:1:1", "-out", "2=-"},
			"0: 1\n", "", cmdline.ExitDone},
	} {
		stdout, stderr, status := withFrontEnd(x.f, x.args...)
		if stdout != x.stdout || stderr != x.stderr || status != x.status {
			t.Errorf("%s: status %d, printed\n%s%s", x.name, status, stdout, stderr)
		}
	}
}

// endlessFrontEnd compiles until its context ends.
type endlessFrontEnd struct{ fakeFrontEnd }

func (endlessFrontEnd) CompileFile(ctx context.Context, _ clang.File) (*clang.Compiled, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestSourceTimeout checks that -timeout ends the compilation of a source, and that the document of -json says so.
func TestSourceTimeout(t *testing.T) {
	stdout, stderr, status := withFrontEnd(endlessFrontEnd{}, "run", "examples/saxpy/saxpy.cl", "-front-end", "clang", "-global", "2", "-timeout", "5ms", "-json")
	const want = "lockstep: the time limit ended the compilation of examples/saxpy/saxpy.cl (E-TIMEOUT)\n"
	if stderr != want || status != cmdline.ExitFinding {
		t.Errorf("exit status %d, %q", status, stderr)
	}
	if !strings.Contains(stdout, `"timeout"`) {
		t.Errorf("the document is %s", stdout)
	}
}

// long returns a source that takes long to compile.
func long() []byte {
	var b bytes.Buffer
	b.WriteString("kernel void f(global int *o) { int x = o[0];\n")
	for range 1 << 19 {
		b.WriteString("x = x * 3 + o[x & 7];\n")
	}
	b.WriteString("o[1] = x; }\n")
	return b.Bytes()
}

// TestCompilationEnds checks that -timeout and Ctrl-C, which ends the context, end lockstep's own compiler.
func TestCompilationEnds(t *testing.T) {
	w := &world{written: map[string][]byte{"long.cl": long()}}
	stdout, stderr, status := w.run(t.Context(), []string{"run", "long.cl", "-global", "1", "-timeout", "20ms", "-json"}, nil)
	if want := "lockstep: the time limit ended the compilation of long.cl (E-TIMEOUT)\n"; stderr != want || status != cmdline.ExitFinding || !strings.Contains(stdout, `"timeout"`) {
		t.Errorf("-timeout: exit status %d, %q, %s", status, stderr, stdout)
	}
	for _, command := range []string{"cc", "info", "run"} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		open := w.open
		env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Create: w.create, Stat: w.stat,
			Open: func(path string) (io.ReadCloser, error) {
				defer cancel()
				return open(path)
			}}
		go func() {
			status = Main(ctx, []string{command, "long.cl"}, env)
			close(done)
		}()
		<-done
		if status == cmdline.ExitDone {
			t.Errorf("%s: a context that ended did not end the compilation", command)
		}
		if len(w.written) != 1 {
			t.Errorf("%s wrote a file", command)
		}
	}
}

// TestSources compiles and runs sources that LLVM's translator refuses as clang -O2 leaves them: with lockstep's
// compiler, and with the programs that are installed.
func TestSources(t *testing.T) {
	t.Run("lockstep", func(t *testing.T) { testSources(t, cmdline.OwnFrontEnd) })
	t.Run("clang", func(t *testing.T) { testSources(t, cmdline.ClangFrontEnd) })
}

func testSources(t *testing.T, compiler string) {
	f := systemFrontEnd()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("one.h", []byte("#define ONE 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ name, source, args, want string }{
		{"include", "#include \"one.h\"\nkernel void f(global int *o) { o[0] = ONE; }", "zero:i32:1", "1"},
		{"freeze", "kernel void f(global int *o, global const int4 *a) { int4 c = a[0]; if (c.x || c.y || c.z || c.w) o[0] = 1; if (c.x && c.y && c.z && c.w) o[1] = 1; }",
			"zero:i32:2 buf:i32:0,5,0,0", "1 0"},
		{"wide sum", "kernel void f(global int *o, int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; o[0] = s; }", "zero:i32:1 i32:5", "30"},
		{"narrow switch", "kernel void f(global int *o, int c) { int r; switch (c & 3) { case 0: r = 5; break; case 1: r = o[1]; break; case 2: r = 8; break; default: r = 9; } o[0] = r; }",
			"buf:i32:0,7 i32:5", "7 7"},
		{"reduction of a vector", "kernel void f(global ushort *o, global const ushort *a) { ushort m = 0; for (int i = 0; i < 32; i++) m ^= a[i]; o[0] = m; }",
			"zero:u16:1 iota:u16:32", "0"},
		{"inline", "inline int h(int x) { return x + 1; }\nkernel void f(global int *o) { o[0] = h(o[0]); }", "zero:i32:1", "1"},
		{"quotient and remainder", "kernel void f(global int *o, int g, int n) { o[0] = g / n; o[1] = g % n; }", "zero:i32:2 i32:17 i32:5", "3 2"},
		{"constant initializer", "struct T { int n; int a[8]; }; kernel void f(global int *o, int n) { struct T t = { n, { 1, 2, 3, 4, 5, 6, 7, 8 } }; o[0] = t.a[n & 7] + t.n; }",
			"zero:i32:1 i32:3", "7"},
		{"sum on both sides of a branch", "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\nkernel void f(global int *o) { int i = get_global_id(0); int r; if (i & 1) r = sub_group_reduce_add(i); else r = sub_group_reduce_add(i); o[i] = r; }",
			"zero:i32:4", "2 4 2 4"},
	} {
		if err := os.WriteFile("k.cl", []byte(x.source+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"run", "k.cl", "-global", "1", "-out", "0=-", "-front-end", compiler}
		if strings.Contains(x.source, "get_global_id") {
			args[3] = "4"
		}
		for _, a := range strings.Fields(x.args) {
			args = append(args, "-arg", a)
		}
		stdout, stderr, _ := withFrontEnd(f, args...)
		if strings.Contains(stderr, clang.Install) {
			t.Skip(stderr)
		}
		if got := strings.Join(strings.Fields(strings.TrimPrefix(stdout, "0:")), " "); got != x.want {
			t.Errorf("%s: printed %q, expected %q\n%s", x.name, got, x.want, stderr)
		}
	}
	if err := os.WriteFile("k.cl", []byte("kernel void f(global int *o, const global uchar *b, long n, uint u) { o[0] = n + u + b[0]; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The source says which integers have a sign.
	if stdout, _, _ := withFrontEnd(f, "info", "k.cl", "-front-end", compiler); !strings.Contains(stdout, "-arg zero:i32:COUNT -arg iota:u8:COUNT -arg i64:V -arg u32:V -out 0=-") {
		t.Errorf("info prints\n%s", stdout)
	}
	if err := os.WriteFile("k.cl", []byte("kernel void f(global int *o) { o[0] = x; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := withFrontEnd(f, "info", "k.cl", "-front-end", compiler); status != cmdline.ExitUsage || !strings.HasPrefix(stderr, "k.cl:1:39: error: ") || !strings.HasSuffix(stderr, "lockstep: k.cl does not compile\n") {
		t.Errorf("a source with an error: status %d\n%s", status, stderr)
	}
}
