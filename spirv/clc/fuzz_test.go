package clc_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// fuzzOptions makes options of a number: every version of the language and of SPIR-V, both sizes of
// addresses, and the options that change the module.
func fuzzOptions(n uint32) clc.Options {
	take := func(count uint32) uint32 {
		k := n % count
		n /= count
		return k
	}
	one := func() bool { return take(2) == 1 }
	return clc.Options{
		Version:                 []clc.Version{clc.CL30, clc.CL20, clc.CL12, clc.CL11, clc.CL10}[take(5)],
		SPIRV:                   []spirv.Version{0, spirv.Version10, 0x10300, spirv.Version16}[take(4)],
		AddressBits:             []int{64, 32}[take(2)],
		Debug:                   one(),
		FastRelaxedMath:         one(),
		CorrectlyRounded:        one(),
		SinglePrecisionConstant: one(),
		OptDisable:              one(),
		MaxErrors:               20,
	}
}

// FuzzCompile compiles anything at all: a source either has an error or gives a valid module, the same one
// twice.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"../../conformance/kernels/src/*.cl", "../../examples/*/*.cl", "internal/parse/testdata/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for i, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if len(text) <= maxFuzz {
				f.Add(string(text), uint32(i))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, n uint32) {
		if len(text) > maxFuzz {
			return
		}
		compile := func() []byte {
			res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: text}, fuzzOptions(n))
			var wrong *clc.Error
			if errors.As(err, &wrong) {
				return nil
			}
			if err != nil {
				t.Fatal(err)
			}
			if errs := validate.Validate(res.Module, validate.Options{Strict: true}); len(errs) > 0 {
				t.Fatalf("the module is not valid: %v", errs.Err())
			}
			return res.Module.Encode()
		}
		if first := compile(); first != nil && !bytes.Equal(first, compile()) {
			t.Error("two compilations give two modules")
		}
	})
}

// maxFuzz is the longest source that is read.
const maxFuzz = 1 << 14

// TestMillionLines compiles sources of a million lines that are wrong: they end with an error, after the
// first thousand.
func TestMillionLines(t *testing.T) {
	const lines = 1_000_000
	for _, c := range []struct{ name, line string }{{"declarations", "int x y;\n"}, {"calls", "f(1);\n"}, {"conditions", "#if 1\n"}} {
		_, err := clc.Compile(t.Context(), clc.Source{Name: "k.cl", Text: strings.Repeat(c.line, lines)}, clc.Options{})
		var wrong *clc.Error
		if !errors.As(err, &wrong) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if n := len(wrong.Log.Diagnostics); n == 0 || n > 3000 {
			t.Errorf("%s: %d diagnostics", c.name, n)
		}
	}
}
