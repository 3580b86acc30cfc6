package clc_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// fastMathSource has each kind of arithmetic on floats: all that carries promises, and some that does not.
const fastMathSource = `
#if defined(__FAST_RELAXED_MATH__) && !__FINITE_MATH_ONLY__
#error fast is finite
#endif
kernel void k(global float *p, global float4 *v, global double *d, int n) {
  float a = p[0], b = p[1];
  p[2] = a * b + p[3];
  p[3] = a / b;
  p[4] = a - b;
  p[5] = -a;
  p[6] = fmod(a, b);
  p[8] = a < b ? a : b;
  v[0] = v[1] * v[2] - a;
  v[0] /= v[3] + v[4];
  p[9] = (float)n;
  p[12]++;
  --p[13];
  p[14] += a;
  d[0] = d[1] * 2.5 * a;
  if (a == b) p[14] = 1;
  p[16] = native_sin(b) + dot(v[0], v[1]);
}
`

// arithmeticOf counts the arithmetic on floats of a module, by instruction and the promises it carries.
func arithmeticOf(m *spirv.Module) map[string]int {
	modes := map[spirv.ID]spirv.FPFastMathMode{}
	count := map[string]int{}
	for i := range m.Insts {
		switch in := &m.Insts[i]; in.Op() {
		case spirv.OpDecorate:
			if spirv.Decoration(in.Operand(1)) == spirv.DecorationFPFastMathMode {
				modes[spirv.ID(in.Operand(0))] = spirv.FPFastMathMode(in.Operand(2))
			}
		case spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv, spirv.OpFNegate, spirv.OpExtInst, spirv.OpFOrdEqual, spirv.OpDot:
			mode := modes[spirv.ID(in.Words[2])]
			delete(modes, spirv.ID(in.Words[2]))
			count[fmt.Sprintf("%v %v", in.Op(), mode)]++
		}
	}
	for _, mode := range modes {
		count[fmt.Sprintf("something else %v", mode)]++
	}
	return count
}

// TestFastMath reads the promises about floats out of modules, and compares them with what clang and the
// translator of LLVM make of the same options, where these are installed.
func TestFastMath(t *testing.T) {
	none := map[string]int{"FAdd": 5, "FSub": 1, "FMul": 2, "FDiv": 2}
	for _, c := range []struct {
		options []string
		mode    spirv.FPFastMathMode
	}{
		{nil, 0},
		{[]string{"-cl-no-signed-zeros"}, 4},
		{[]string{"-cl-finite-math-only"}, 1 | 2},
		{[]string{"-cl-unsafe-math-optimizations"}, 4 | 8},
		{[]string{"-cl-fast-relaxed-math"}, 1 | 2 | 4 | 8},
		{[]string{"-cl-finite-math-only", "-cl-no-signed-zeros"}, 1 | 2 | 4},
		{[]string{"-cl-mad-enable"}, 0},
		{[]string{"-cl-denorms-are-zero"}, 0},
		{[]string{"-cl-fp32-correctly-rounded-divide-sqrt"}, 0},
		{[]string{"-cl-uniform-work-group-size"}, 0},
		{[]string{"-cl-single-precision-constant"}, 0},
		{[]string{"-cl-kernel-arg-info"}, 0},
	} {
		t.Run(fmt.Sprint(c.options), func(t *testing.T) {
			var o clc.Options
			if err := o.Add(append([]string{"-cl-std=CL2.0"}, c.options...)); err != nil {
				t.Fatal(err)
			}
			res, err := clc.Compile(t.Context(), clc.Source{Name: "k.cl", Text: fastMathSource}, o)
			if err != nil {
				t.Fatal(err)
			}
			got := arithmeticOf(res.Module)
			for op, n := range none {
				if key := fmt.Sprintf("Op%s %v", op, c.mode); got[key] != n {
					t.Errorf("%d %s, want %d", got[key], key, n)
				}
			}
			if want := clangModule(t, fastMathSource, append(c.options, "-cl-std=CL2.0", "-O0")...); want != nil {
				if d := cmp.Diff(arithmeticOf(want), got); d != "" {
					t.Errorf("clang's module (-) and this one (+) differ:\n%s", d)
				}
			}
		})
	}
}

// clangModule compiles a source with clang and the translator of LLVM; nil where they are not installed.
func clangModule(t *testing.T, text string, options ...string) *spirv.Module {
	t.Helper()
	for _, name := range []string{"clang-15", "llvm-spirv-15"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil
		}
	}
	dir := t.TempDir()
	in, bc, out := filepath.Join(dir, "k.cl"), filepath.Join(dir, "k.bc"), filepath.Join(dir, "k.spv")
	if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-c", "-w", "-target", "spir64-unknown-unknown", "-Xclang", "-finclude-default-header", "-emit-llvm",
		"-o", bc, in}, options...)
	if text, err := exec.Command("clang-15", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if text, err := exec.Command("llvm-spirv-15", bc, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
