package clc_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

const ofC = `
struct s { char c; int a[4]; };
kernel void k(global int *p, global const int *in, int n) {
  int a[4], b[4] = {1, 2, 3, 4};
  __builtin_memcpy(a, b, sizeof a);
  p[0] = a[0] + 10 * a[3];
  __builtin_memset(a, 0x7f, 8);
  p[1] = a[1] + a[2];
  __builtin_memset(a, in[1], n * 4);
  p[2] = a[n - 1];
  p[3] = a[n];
  uchar m[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  __builtin_memmove(m + 2, m, n * 2);
  p[4] = m[2] + 10 * m[3] + 100 * m[4] + 1000 * m[5];
  __builtin_memmove(m, m + 1, 5);
  p[5] = m[0] + 10 * m[1] + 100 * m[2] + 1000 * m[3] + 10000 * m[4] + 100000 * m[5];
  __builtin_memcpy(p + 6, in + 2, n * sizeof(int));
  __builtin_memset(p + 9, 1, 4);
  p[8] = p[9];
  __builtin_memcpy(p, in, 0);
  p[10] = __builtin_clzs(in[1]) + 100 * __builtin_ctzs(in[1]) + 10000 * __builtin_popcountl(-1l);
  p[11] = __builtin_ffs(in[1]) + 100 * __builtin_ffs(in[0] - in[0]) + 1000 * __builtin_ffsl(1l << 40);
  p[12] = __builtin_parity(in[1]) + 10 * __builtin_parity(7) + 100 * __builtin_abs(-in[1]);
  p[13] = __builtin_bitreverse32(in[1]) + __builtin_rotateleft8(0x81, 1) + __builtin_rotateright16(in[1], 4);
  p[14] = __builtin_constant_p(3 + 4) + 10 * __builtin_constant_p(in[0]) + 100 * __builtin_constant_p(2.5f);
  p[15] = __builtin_astype(1.5f, int) + __builtin_types_compatible_p(int, const int) + 10 * __builtin_types_compatible_p(int, uint);
  int4 x = (int4)(1, 2, 3, 4), y = x * 10;
  int4 z = __builtin_shufflevector(x, y, 0, 5, 2, 7);
  p[16] = z.x + z.y + z.z + z.w;
  int2 w = __builtin_shufflevector(x, y, 4, 3);
  p[17] = w.y;
  float4 fl = __builtin_convertvector(x, float4) * 1.75f;
  p[18] = __builtin_convertvector(fl, int4).w + __builtin_convertvector(-fl, int4).x;
  p[19] = __builtin_choose_expr(sizeof(int) == 4, 5, p);
  __builtin_nontemporal_store(__builtin_nontemporal_load(in + 3) + 1, p + 20);
  p[21] = __builtin_isnan(as_float(in[4])) + 10 * !!__builtin_isinf(1.0f / 0.0f) + 100 * __builtin_isgreater(2.0, 1.0) +
      1000 * !!__builtin_signbit(-0.0f);
  if (__builtin_expect_with_probability(in[0] == 7, 1, 0.9)) p[22] = __builtin_offsetof(struct s, a[2]);
}
`

// TestOfC runs the functions that clang has in every language, and compares what they give with what they are
// to give, and with clang's modules where it is installed.
func TestOfC(t *testing.T) {
	dev := newDevice(t)
	want := []int32{41, 0x7f7f7f7f + 3, 0x50505050, 3, 0 + 10*1 + 100*2 + 1000*3, 1 + 0*10 + 100*1 + 1000*2 + 10000*3 + 100000*3, 3, 4, 0x01010101, 0x01010101,
		9 + 100*4 + 10000*64, 5 + 41000, 0 + 10 + 8000, 0x0a000000 + 3 + 5, 1 + 100, 0x3fc00000 + 1, 1 + 20 + 3 + 40, 4, 7 - 1, 5, 5, 1 + 10 + 100 + 1000, 12}
	for i, p := range compileBoth(t, dev, ofC, true) {
		out := bufferOf(t, dev, make([]int32, 23))
		in := bufferOf(t, dev, []int32{7, 0x50, 3, 4, 0x7fc00000})
		launch(t, p, "k", emu.NDRange{Global: []uint64{1}}, out, in, emu.Value(int32(2)))
		if d := cmp.Diff(want, read[int32](t, out)); d != "" {
			t.Errorf("compiler %d: (-want +got)\n%s", i, d)
		}
	}
}

// TestOfCErrors has wrong uses of these functions, and some that cannot be used.
func TestOfCErrors(t *testing.T) {
	for text, want := range map[string]string{
		"__builtin_memcpy(p, 1, 4)":                                    "'__builtin_memcpy' takes a pointer, not 'int'",
		"__builtin_memset(in, 0, 4)":                                   "'__builtin_memset' cannot write to '__constant int *'",
		"__builtin_memcpy(p, in)":                                      "too few arguments for '__builtin_memcpy'",
		"__builtin_astype(*p, char)":                                   "invalid reinterpretation: sizes of 'char' and 'int' must match",
		"__builtin_convertvector((int2)(1), float4)":                   "must have the same number of elements",
		"__builtin_convertvector(1, int4)":                             "converts vectors, not 'int' to 'int4'",
		"__builtin_shufflevector((int2)(1), (int2)(1), 0, 4)":          "must be less than the total number of vector elements",
		"__builtin_shufflevector((int2)(1), (int4)(1), 0, 1)":          "must have the same type",
		"__builtin_shufflevector((int2)(1), (int2)(1), 0, *p)":         "must be a constant integer",
		"__builtin_shufflevector((int4)(1), (int4)(1), 0, 1, 2, 3, 4)": "a vector of 5 components",
		"__builtin_choose_expr(*p, 1, 2)":                              "requires a constant expression",
		"__builtin_nontemporal_load(1)":                                "takes a pointer to a value, not 'int'",
		"__builtin_expect_with_probability(1, 1, *p)":                  "the probability is no constant",
		"__builtin_alloca(4)":                                          "'__builtin_alloca' cannot be used: there is no memory of variable size",
		"__sync_fetch_and_add(p, 1)":                                   "'__sync_fetch_and_add' cannot be used",
		"__builtin_add_overflow(1, 2, p)":                              "'__builtin_add_overflow' cannot be used",
		"__asm__(\"nop\")":                                             "'__asm__' is not supported in OpenCL C",
		"sizeof(_Complex float)":                                       "'_Complex' is not supported in OpenCL C",
	} {
		_, err := clc.Compile(t.Context(), clc.Source{Name: "k.cl", Text: "kernel void k(global int *p, constant int *in) { " + text + "; }"}, clc.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestBlockingPipes has the functions that wait for packets, which sources declare themselves, as
// instructions.
func TestBlockingPipes(t *testing.T) {
	res, err := clc.Compile(t.Context(), clc.Source{Name: "k.cl", Text: `
int __read_pipe_2_bl(read_only pipe int p, generic void *packet, uint size, uint align);
int __write_pipe_2_bl(write_only pipe int p, generic void *packet, uint size, uint align);
kernel void k(read_only pipe int in, write_only pipe int out) {
  int v;
  if (__read_pipe_2_bl(in, &v, 4, 4) == 0) __write_pipe_2_bl(out, &v, 4, 4);
}`}, clc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if errs := validate.Validate(res.Module, validate.Options{Strict: true}); len(errs) > 0 {
		t.Error(errs.Err())
	}
	count := map[spirv.Op]int{}
	for i := range res.Module.Insts {
		count[res.Module.Insts[i].Op()]++
	}
	if count[spirv.OpReadPipeBlockingALTERA] != 1 || count[spirv.OpWritePipeBlockingALTERA] != 1 || count[spirv.OpFunctionCall] != 0 {
		t.Errorf("%d reads, %d writes, %d calls", count[spirv.OpReadPipeBlockingALTERA], count[spirv.OpWritePipeBlockingALTERA],
			count[spirv.OpFunctionCall])
	}
}
