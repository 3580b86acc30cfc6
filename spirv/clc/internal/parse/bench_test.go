package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/pp"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// ordinary is kernel code as people write it, of about n lines.
func ordinary(n int) string {
	var b strings.Builder
	for i := 0; i < n/34; i++ {
		fmt.Fprintf(&b, `
struct particle%[1]d {
	float4 position, velocity;
	int kind;
};

static float weight%[1]d(float distance, const float radius)
{
	if (distance > radius)
		return 0.0f;
	float q = 1.0f - distance / radius;
	return q * q * (3.0f - 2.0f * q);
}

__kernel void step%[1]d(__global struct particle%[1]d *p, __global const float *table, __local float *tile, const int n)
{
	const int gid = get_global_id(0), lid = get_local_id(0);
	float4 sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
	for (int base = 0; base < n; base += 64) {
		tile[lid] = table[base + lid];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = 0; j < 64; j++) {
			float4 d = p[base + j].position - p[gid].position;
			float r = d.x * d.x + d.y * d.y + d.z * d.z;
			sum += d * (weight%[1]d(r, 2.0f) * tile[j]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (gid < n && p[gid].kind != 0) {
		p[gid].velocity += sum * 0.01f;
		p[gid].position.xyz += p[gid].velocity.xyz * 0.01f;
		p[gid].kind = (p[gid].kind & 0xff) | (lid << 8);
	}
}
`, i)
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	const lines = 20000
	text := ordinary(lines)
	n := strings.Count(text, "\n")
	opts := lang.Default()
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		files, names := source.NewSet(), token.NewNames()
		bag := diag.NewBag(files, diag.DefaultOptions())
		toks := pp.New(files, names, bag, pp.Config{Lang: &opts, Name: "t.cl", Text: text})
		Unit(toks, sema.New(&opts, files, names, bag))
		if bag.Errors() != 0 {
			b.Fatal(parsed{bag: bag}.messages())
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkTokens(b *testing.B) {
	text := ordinary(20000)
	n := strings.Count(text, "\n")
	opts := lang.Default()
	for b.Loop() {
		files, names := source.NewSet(), token.NewNames()
		bag := diag.NewBag(files, diag.DefaultOptions())
		toks := pp.New(files, names, bag, pp.Config{Lang: &opts, Name: "t.cl", Text: text})
		for toks.Next().Kind != token.EOF {
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
