package pp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

const saxpy = `// y = a*x + y
kernel void saxpy(float a, global const float *x, global float *y)
{
	size_t i = get_global_id(0);
	if (i < get_global_size(0))
		y[i] = fma(a, x[i], y[i]) * M_PI_F;
}
`

// kernels returns a text of at least n lines of ordinary code.
func kernels(n int) string {
	var b strings.Builder
	b.WriteString("#define TILE 16\n#define INDEX(x, y, w) ((y) * (w) + (x))\n#define SWAP(a, b) do { float t = a; a = b; b = t; } while (0)\n")
	for i := 0; n > 0; i++ {
		k := fmt.Sprintf(`
/* Kernel %d: one tile of a product of matrices.
 * Lines of comments are as frequent as in real code. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void product%d(__global const float *restrict a, __global const float *restrict b, __global float *c, int n)
{
    __local float at[TILE][TILE + 1], bt[TILE][TILE + 1];
    const int lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        at[ly][lx] = a[INDEX(k + lx, get_global_id(1), n)]; // one element each
        bt[ly][lx] = b[INDEX(get_global_id(0), k + ly, n)];
        barrier(CLK_LOCAL_MEM_FENCE);
#ifdef UNROLLED
        sum += at[ly][0] * bt[0][lx] + at[ly][1] * bt[1][lx];
        sum += at[ly][2] * bt[2][lx] + at[ly][3] * bt[3][lx];
#else
        for (int j = 0; j < TILE; j++)
            sum = mad(at[ly][j], bt[j][lx], sum);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (sum > 1.0e+10f || isnan(sum)) SWAP(sum, at[0][0]);
    c[INDEX(get_global_id(0), get_global_id(1), n)] = sum;
}
`, i, i)
		b.WriteString(k)
		n -= strings.Count(k, "\n")
	}
	return b.String()
}

// count preprocesses a text and returns the number of tokens.
func count(text string) int {
	o := lang.Default()
	files := source.NewSet()
	bag := diag.NewBag(files, diag.Options{})
	p := New(files, token.NewNames(), bag, Config{Lang: &o, Name: "bench.cl", Text: text})
	n := 0
	for p.Next().Kind != token.EOF {
		n++
	}
	return n
}

// BenchmarkSaxpy is what the smallest useful program costs.
func BenchmarkSaxpy(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		count(saxpy)
	}
}

// BenchmarkMillionLines is a million lines of code with macros, comments and conditions.
func BenchmarkMillionLines(b *testing.B) {
	text := kernels(1000000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = count(text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/token")
	b.ReportMetric(float64(strings.Count(text, "\n")*b.N)/b.Elapsed().Seconds(), "lines/s")
}

// BenchmarkTokens is code without macros.
func BenchmarkTokens(b *testing.B) {
	text := strings.Repeat("    for (int j = 0; j < count; j++) sum = mad(at[ly][j], bt[j][lx], sum) + 1.0f;\n", 100000)
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		n = count(text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/token")
}

// BenchmarkSkipped is text that conditions leave out.
func BenchmarkSkipped(b *testing.B) {
	text := "#if 0\n" + kernels(100000) + "#endif\n"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		count(text)
	}
}

// BenchmarkMacros is a use of a macro with arguments in each line.
func BenchmarkMacros(b *testing.B) {
	text := "#define A(x, y) ((x) * B(y) + x##y)\n#define B(z) (C - (z))\n#define C 17\n" +
		strings.Repeat("v = A(first, second) + C;\n", 100000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = count(text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/token")
}

// BenchmarkRead is BenchmarkTokens without copies of tokens.
func BenchmarkRead(b *testing.B) {
	text := strings.Repeat("    for (int j = 0; j < count; j++) sum = mad(at[ly][j], bt[j][lx], sum) + 1.0f;\n", 100000)
	n := 0
	for b.Loop() {
		r := start(text, Config{})
		var t token.Token
		for n = 0; t.Kind != token.EOF || n == 0; n++ {
			r.Read(&t)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/token")
}
