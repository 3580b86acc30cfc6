package cli

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// engineVariable is what narrows the instructions that machine code may use (lockstep help engines).
const engineVariable = "LOCKSTEP_CPU"

// commandVariable makes the test's program the command itself.
const commandVariable = "LOCKSTEP_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		os.Exit(Main(context.Background(), os.Args[1:], System()))
	}
	// Reports name the engine: on all machines the same.
	if err := os.Setenv(engineVariable, "none"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// process runs a command in a process of its own, with a value of LOCKSTEP_CPU.
func process(t *testing.T, cpu string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), commandVariable+"=1", engineVariable+"="+cpu)
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	err = cmd.Run()
	return out.String(), diagnostics.String(), err
}

// TestEngines sees that results do not depend on the engine, that -v names it, and that it says why
// machine code is not used.
func TestEngines(t *testing.T) {
	why := "  engine interp: no native engine: codemem: machine code on " + runtime.GOOS + "/" + runtime.GOARCH
	if runtime.GOARCH == "amd64" {
		why = `  engine interp: no native engine: codemem: no machine code on this processor: LOCKSTEP_CPU is "none"`
	}
	run := []string{"run", "-v", "-global", "1000", "../../../../examples/saxpy/saxpy.cl", "-arg", "f32:2", "-arg", "iota:f32:1000", "-arg", "fill:f32:1000:1", "-out", "2=-"}
	want, diagnostics, err := process(t, "none", run...)
	if err != nil {
		t.Fatalf("%v\n%s", err, diagnostics)
	}
	if !strings.Contains(diagnostics, " on engine interp, ") || !strings.Contains(diagnostics, why) {
		t.Errorf("with LOCKSTEP_CPU=none:\n%s", diagnostics)
	}
	for _, cpu := range []string{"", "avx512", "avx2"} {
		got, diagnostics, err := process(t, cpu, run...)
		if err != nil {
			t.Fatalf("LOCKSTEP_CPU=%s: %v\n%s", cpu, err, diagnostics)
		}
		if got != want {
			t.Errorf("LOCKSTEP_CPU=%s prints\n%s\nwithout machine code:\n%s", cpu, got, want)
		}
		native := strings.Contains(diagnostics, " on engine native, ")
		if native == strings.Contains(diagnostics, "  engine interp: no native engine: ") {
			t.Errorf("LOCKSTEP_CPU=%s:\n%s", cpu, diagnostics)
		}
		compared, diagnostics, err := process(t, cpu, append(run, "-engine", "compare")...)
		if native && (err != nil || compared != want) || !native && (err == nil || !strings.Contains(diagnostics, `engine "compare": no native engine: `)) {
			t.Errorf("LOCKSTEP_CPU=%s with -engine compare: %v\n%s", cpu, err, diagnostics)
		}
		checked, diagnostics, err := process(t, cpu, append(run, "-check")...)
		if err != nil || checked != want || native != strings.Contains(diagnostics, "  engine interp: -check looks at every instruction\n") {
			t.Errorf("LOCKSTEP_CPU=%s with -check: %v\n%s", cpu, err, diagnostics)
		}
	}
}
