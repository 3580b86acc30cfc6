package sema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// kernelText is ordinary kernel code, in many kernels of 20 lines.
func kernelText(kernels int) string {
	var b strings.Builder
	for i := range kernels {
		fmt.Fprintf(&b, `kernel void k%d(global const float4 *in, global float4 *out, global int *count, float scale, int n)
{
	int id = get_global_id(0);
	if (id >= n)
		return;
	float4 v = in[id];
	float sum = 0.0f;
	for (int i = 0; i < n; i++) {
		float4 w = in[i] - v;
		float d = dot(w, w) + 1e-6f;
		float r = native_rsqrt(d);
		sum += r * scale;
		v.xyz += w.xyz * (r * r * r);
		if (r > 0.5f && i != id)
			atomic_add(&count[i & 15], 1);
	}
	uchar4 c = convert_uchar4_sat(v * 255.0f);
	out[id] = (float4)(v.xyz * clamp(sum, 0.0f, 1.0f), max(sum, v.w)) + convert_float4(c) / 255.0f;
	out[id + n].s0 = fma(sum, scale, (float)(n << 2)) - (id %% 3 == 0 ? 1.0f : v.y);
}
`, i)
	}
	return b.String()
}

// BenchmarkKernels reads kernels with the preprocessor, the parser and this package.
func BenchmarkKernels(b *testing.B) {
	text := kernelText(500)
	lines := strings.Count(text, "\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, bag, _ := compile(b, text, lang.CL30); bag.Errors() > 0 {
			b.Fatal(bag.List[0].Message)
		}
	}
	b.ReportMetric(float64(lines*b.N)/b.Elapsed().Seconds(), "lines/s")
}
