package clc_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// kernelNames are names that begin a line of a source of the repository's kernels: what has to be renamed for a
// source to stand in one text several times.
var kernelNames = regexp.MustCompile(`(?m)^(?:[A-Za-z_][^=;({\n]*?[\s*])(\w+)\s*[(\[=;]|^#define (\w+)|^} (\w+);`)

// ordinary returns a source of ordinary kernel code of about n lines: the kernels of the repository, again and again
// under other names.
func ordinary(tb testing.TB, n int) string {
	tb.Helper()
	var parts []string
	for _, name := range strings.Fields("sha256 fft aes128 kmeans mandelbrot nbody matmul scan bitonic blackscholes crc32 " +
		"inthash lu philox reduce saxpy spmv stencil transpose vecadd histogram collatz strsearch tiles2d divergence") {
		text, err := os.ReadFile("../../conformance/kernels/src/" + name + ".cl")
		if err != nil {
			tb.Fatal(err)
		}
		parts = append(parts, string(text))
	}
	var b strings.Builder
	for k, lines := 0, 0; lines < n; k++ {
		text := parts[k%len(parts)]
		renamed := map[string]bool{}
		for _, m := range kernelNames.FindAllStringSubmatch(text, -1) {
			for _, name := range m[1:] {
				if name != "" && name != "__attribute__" && name != "reqd_work_group_size" {
					renamed[name] = true
				}
			}
		}
		text = regexp.MustCompile(`\b[A-Za-z_]\w*\b`).ReplaceAllStringFunc(text, func(s string) string {
			if renamed[s] {
				return fmt.Sprintf("%s_%d", s, k)
			}
			return s
		})
		b.WriteString(text)
		lines += strings.Count(text, "\n")
	}
	return b.String()
}

func compileAll(b *testing.B, text string) {
	b.ReportAllocs()
	lines := float64(strings.Count(text, "\n"))
	for b.Loop() {
		_, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: text}, clc.Options{})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(lines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// BenchmarkOrdinary compiles 100,000 lines.
func BenchmarkOrdinary(b *testing.B) { compileAll(b, ordinary(b, 100_000)) }

// BenchmarkLargest compiles the largest source among the repository's kernels.
func BenchmarkLargest(b *testing.B) {
	text, err := os.ReadFile("../../conformance/kernels/src/barriers.cl")
	if err != nil {
		b.Fatal(err)
	}
	compileAll(b, string(text))
}

// BenchmarkSaxpy compiles one small kernel.
func BenchmarkSaxpy(b *testing.B) {
	text, err := os.ReadFile("../../examples/saxpy/saxpy.cl")
	if err != nil {
		b.Fatal(err)
	}
	compileAll(b, string(text))
}
