package clc_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// ordinary returns a source of ordinary kernel code of 100,000 lines.
func ordinary(tb testing.TB) string {
	tb.Helper()
	text, err := bench.OrdinarySource(bench.OrdinaryLines)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func compileAll(b *testing.B, text string, compile func(clc.Source) error) {
	b.ReportAllocs()
	lines := float64(strings.Count(text, "\n"))
	for b.Loop() {
		if err := compile(clc.Source{Name: "k.cl", Text: text}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(lines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// toModule compiles to a list of instructions, as for emu.
func toModule(src clc.Source) error {
	_, err := clc.Compile(context.Background(), src, clc.Options{})
	return err
}

// toBinary compiles to the bytes of a module, as lockstep cc does.
func toBinary(src clc.Source) error {
	code, err := clc.CompileCode(context.Background(), src, clc.Options{})
	if err == nil {
		_, err = code.WriteTo(io.Discard)
	}
	return err
}

// BenchmarkOrdinary compiles 100,000 lines to the bytes of a module.
func BenchmarkOrdinary(b *testing.B) { compileAll(b, ordinary(b), toBinary) }

// BenchmarkOrdinaryModule compiles 100,000 lines to a list of instructions.
func BenchmarkOrdinaryModule(b *testing.B) { compileAll(b, ordinary(b), toModule) }

// BenchmarkLargest compiles the largest source among the repository's kernels.
func BenchmarkLargest(b *testing.B) {
	_, text := bench.LargestSource()
	compileAll(b, text, toModule)
}

// BenchmarkSaxpy compiles one small kernel.
func BenchmarkSaxpy(b *testing.B) {
	text, err := os.ReadFile("../../examples/saxpy/saxpy.cl")
	if err != nil {
		b.Fatal(err)
	}
	compileAll(b, string(text), toModule)
}
