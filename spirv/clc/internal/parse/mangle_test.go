package parse

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// overloads are overloadable functions of which clang has been asked for the symbols.
const overloads = `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_function_pointers : disable
struct S { int x; };
typedef struct { int y; } T;
union U { int z; };
enum E { A };
typedef int I;
typedef float V __attribute__((ext_vector_type(4)));
#define F __attribute__((overloadable)) void
F f00(void) {}
F f01(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h) {}
F f02(half a, float b, double c, bool d) {}
F f03(float2 a, float3 b, float4 c, float8 d, float16 e) {}
F f04(float4 a, float4 b, int4 c, float4 d, int4 e) {}
F f05(int *a, global int *b, local int *c, constant int *d, private int *e) {}
F f06(const int *a, volatile global int *b, const volatile local int *c) {}
F f07(global int *a, global int *b, global const int *c, global const int *d) {}
F f08(int **a, global int *global *b, const int *const *c) {}
F f09(struct S a, T b, union U c, enum E d, struct S *e, global T *f) {}
F f10(read_only image2d_t a, write_only image3d_t b, read_write image1d_t c, sampler_t d, event_t e) {}
F f11(image1d_buffer_t a, image1d_array_t b, image2d_array_t c, image2d_depth_t d, image2d_array_depth_t e) {}
F f12(read_only image2d_t a, read_only image2d_t b, sampler_t c, sampler_t d) {}
F f13(atomic_int *a, volatile global atomic_uint *b, local atomic_float *c) {}
F f14(int a[3], int b[2][3], int (*c)[4], global float (*d)[2][3]) {}
F f15(I a, V b, const int c, size_t d) {}
F f17(global int *restrict a, const global float4 *restrict b) {}
F f18(pipe int a, write_only pipe float4 b, reserve_id_t c) {}
F f19(void *a, global void *b, const void *c, const void *d) {}
F f20(const global struct S *a, const global struct S *b, global struct S *c) {}
F f21(int *a, int *b, int **c, int **d, float4 *e, float4 **f) {}
F f22(memory_order a, memory_scope b) {}
F f23(global int *a, global int *global *b, global int *global *c, local float4 *d, local float4 *e, constant char *f,
  constant char *g) {}
`

// overloads12 are overloadable functions in OpenCL C 1.2, where pointers without an address space are private.
const overloads12 = `#define F __attribute__((overloadable)) void
struct S { int x; };
F f00(int *a, int *b, float4 *c, float4 *d, const int *e, const int *f, struct S *g, struct S h) {}
F f01(int a[3], int b[2][3], int c[2][3], float4 d[2][3], float4 *e) {}
F f02(int **a, int **b, int *c) {}
F f03(global int *a, int *b, global int *c, local float *d, float *e) {}
`

// symbolsOf returns the symbols of the functions f00, f01 ... as a text.
func symbolsOf(t *testing.T, text string, version lang.Version) string {
	p := parseText(text, version)
	if p.bag.Errors() != 0 {
		t.Fatal(p.messages())
	}
	var b strings.Builder
	for _, f := range p.unit.Funcs {
		b.WriteString(f.Symbol + "\n")
	}
	return b.String()
}

// TestMangle compares symbols of overloadable functions with golden text, and that with clang-15 where it is installed.
func TestMangle(t *testing.T) {
	got, old := symbolsOf(t, overloads, lang.CL30), symbolsOf(t, overloads12, lang.CL12)
	checkGolden(t, "testdata/mangle.golden", got+old)
	if _, err := exec.LookPath("clang-15"); err != nil || testing.Short() {
		return
	}
	want := clangSymbols(t, overloads, "3.0") + clangSymbols(t, overloads12, "1.2")
	if got+old != want {
		t.Errorf("got\n%s\nclang says\n%s", got+old, want)
	}
}

// clangSymbols is symbolsOf as clang-15 answers.
func clangSymbols(t *testing.T, text, version string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "m.cl")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	ir, err := exec.Command("clang-15", "-cl-std=CL"+version, "-target", "spir64", "-w", "-S", "-emit-llvm", "-O0",
		"-Xclang", "-finclude-default-header", "-o", "-", name).Output()
	if err != nil {
		t.Fatalf("clang: %v", err)
	}
	var b strings.Builder
	for _, m := range regexp.MustCompile(`(?m)^define .*@(_Z3f\d\d\w*)\(`).FindAllStringSubmatch(string(ir), -1) {
		b.WriteString(m[1] + "\n")
	}
	return b.String()
}
