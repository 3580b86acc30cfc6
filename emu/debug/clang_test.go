package debug

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestClang debugs a module that clang and the translator of LLVM have made, with debug information and
// without.
func TestClang(t *testing.T) {
	for _, tool := range []string{"clang-15", "llvm-spirv-15"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	for name, flags := range map[string][]string{"-g -O0": {"-g", "-O0"}, "-O0": {"-O0", "-fno-discard-value-names"}, "-g -O1": {"-g", "-O1"}, "-g -O2": {"-g", "-O2"}} {
		dir := t.TempDir()
		source, bitcode, module := filepath.Join(dir, "sums.cl"), filepath.Join(dir, "sums.bc"), filepath.Join(dir, "sums.spv")
		if err := os.WriteFile(source, []byte(sums), 0o666); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"-c", "-x", "cl", "-cl-std=CL2.0", "-target", "spir64-unknown-unknown", "-emit-llvm", "-Xclang", "-finclude-default-header", source, "-o", bitcode}, flags...)
		for _, c := range [][]string{append([]string{"clang-15"}, args...), {"llvm-spirv-15", bitcode, "-o", module}} {
			if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", c, err, out)
			}
		}
		data, err := os.ReadFile(module)
		if err != nil {
			t.Fatal(err)
		}
		d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		p, err := d.NewProgram(data, emu.ProgramOptions{})
		if err != nil {
			t.Fatal(err)
		}
		k, err := p.Kernel("sums")
		if err != nil {
			t.Fatal(err)
		}
		l := &emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{8}}, Args: []emu.Arg{buffer(t, d, []float32{1, 2, 3, 4, 5, 6, 7, 8}), emu.Value(int32(8))}}
		s, err := New(context.Background(), l, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(s.Close)
		if at := s.Frames()[0].Place; name != "-O0" && (at.Line == 0 || at.Function != "sums" || s.Stopped().Reason != ReasonBegin) {
			t.Errorf("%s: the launch begins at %+v, %+v", name, at, s.Stopped())
		}
		if name == "-O0" { // names alone: no lines, and no signs
			b, err := s.BreakInstruction(s.Instructions() - 1)
			if err != nil {
				t.Fatal(err)
			}
			if stop, err := s.Continue(context.Background()); err != nil || stop.Reason != ReasonBreakpoint || len(b.PCs) != 1 {
				t.Fatalf("%s: %+v %v", name, stop, err)
			}
			if got := text(s, "i") + " " + text(s, "s"); got != "0 1" {
				t.Errorf("%s: i and s are %s", name, got)
			}
			continue
		}
		if _, err := s.BreakLine("sums.cl", 14); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if stop, err := s.Continue(context.Background()); err != nil || stop.Reason != ReasonBreakpoint {
			t.Fatalf("%s: %+v %v", name, stop, err)
		}
		if err := s.Select(2); err != nil {
			t.Fatal(err)
		}
		if got := text(s, "i") + " " + text(s, "s") + " " + text(s, "n") + " " + text(s, "x[7]"); got != "2 14 8 8" {
			t.Errorf("%s: i, s, n and x[7] are %s", name, got)
		}
		s.Delete(1)
		if stop, err := s.ReverseContinue(context.Background()); err != nil || stop.Reason != ReasonBegin || s.Frames()[0].Place.Line == 0 {
			t.Errorf("%s: %+v %v", name, stop, err)
		}
		if _, err := s.ReverseStep(context.Background(), StepInto, Instructions, Lane); !errors.Is(err, ErrBeginning) {
			t.Errorf("%s: before the beginning: %v", name, err)
		}
		if _, err := s.BreakLine("sums.cl", 3); err != nil {
			t.Fatal(err)
		}
	}
}
