package mux_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	isabinary "github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// newModule returns a module of lockstep's first compiler.
func newModule(t testing.TB) (mux.Module, *mux.Diagnostics) {
	t.Helper()
	list, err := mux.Compilers(mux.GetCompilers)
	if err != nil {
		t.Fatal(err)
	}
	target, err := list[0].CreateTarget(mux.NewContext(mux.ContextOptions{}), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		t.Fatal(err)
	}
	diag := &mux.Diagnostics{}
	m, err := target.CreateModule(diag)
	if err != nil {
		t.Fatal(err)
	}
	return m, diag
}

// saxpy returns the words of a real module.
func saxpy(t testing.TB) []uint32 { return compiled(t, "../../examples/saxpy/saxpy.cl") }

// compiled returns the words of the module that a source becomes.
func compiled(t testing.TB, name string) []uint32 {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	res, err := clc.Compile(t.Context(), clc.Source{Name: filepath.Base(name), Text: string(text)}, clc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	words, err := mux.Words(res.Module.Encode())
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// image returns a serialized module, finalized or not.
func image(t testing.TB, finalized bool) []byte {
	t.Helper()
	m, _ := newModule(t)
	if err := m.ParseOptions(`-DA=1 --max-instructions=5000 -w`, mux.OptionsBuild); err != nil {
		t.Fatal(err)
	}
	d := deviceSPIRV(t)
	if _, err := m.CompileSPIRV(t.Context(), saxpy(t), &d, nil); err != nil {
		t.Fatal(err)
	}
	if finalized {
		if _, _, err := m.Finalize(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	out := make([]byte, m.Size())
	if _, err := m.Serialize(out); err != nil {
		t.Fatal(err)
	}
	return out
}

// seal gives changed data sizes and checksums that fit, those of the binary in it included,
// so that what is behind them is reached.
func seal(data []byte) []byte {
	data = slices.Clone(data)
	if len(data) < 25 {
		return data
	}
	if at := strings.Index(string(data), isabinary.Magic); at >= 0 {
		isabinary.Seal(data[at:])
	}
	binary.LittleEndian.PutUint64(data[16:], uint64(len(data)))
	binary.LittleEndian.PutUint32(data[12:], crc32.Checksum(data[16:], crc32.MakeTable(crc32.Castagnoli)))
	return data
}

// FuzzDeserialize: data that is no module is refused, and data that is can be used.
func FuzzDeserialize(f *testing.F) {
	for _, finalized := range []bool{false, true} {
		f.Add(image(f, finalized))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, seal(data)} {
			m, _ := newModule(t)
			err := m.Deserialize(data)
			if err != nil {
				if !errors.Is(err, mux.ErrInvalidValue) {
					t.Errorf("%v", err)
				}
				if _, _, err := m.Finalize(t.Context()); !errors.Is(err, mux.ErrNoProgram) {
					t.Errorf("after %v the module has a program: %v", err, err)
				}
				continue
			}
			info, _, err := m.Finalize(t.Context())
			if err != nil {
				continue
			}
			if _, err := m.CreateBinary(); err != nil {
				t.Error(err)
			}
			for _, k := range info.Kernels {
				k, err := m.GetKernel(k.Name)
				if err != nil {
					continue // its options need not be those of the compiler
				}
				// The module in it need not be that of the program.
				_, _ = k.CreateSpecializedKernel(t.Context(), &mux.NDRangeOptions{
					LocalSize: [3]uint64{1, 1, 1}, GlobalOffset: []uint64{0}, GlobalSize: []uint64{1}, Length: 1,
				})
			}
		}
	})
}

// FuzzCompilationOptions: what is read is written again.
func FuzzCompilationOptions(f *testing.F) {
	f.Add(mux.BuiltinOptions)
	f.Add("--a,0,b;--c,1,d e;")
	f.Add("--a,0,")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := mux.ParseCompilationOptions(text)
		if err != nil {
			if !errors.Is(err, mux.ErrOptionsSyntax) {
				t.Error(err)
			}
			return
		}
		var parts []string
		for _, o := range list {
			parts = append(parts, o.String())
		}
		if got := strings.Join(parts, ";"); got != strings.TrimSuffix(text, ";") {
			t.Errorf("%q is written %q", text, got)
		}
	})
}

// FuzzOptions: options of a host are refused or read, and nothing is lost.
func FuzzOptions(f *testing.F) {
	f.Add(`-DA -D "B=c d" -I x --passes=simplify --keep-marks -cl-std=CL2.0 -w`)
	f.Add(`--max-instructions 7 "" -create-library`)
	own, err := mux.ParseCompilationOptions(mux.BuiltinOptions)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for mode, want := range []error{mux.ErrInvalidBuildOptions, mux.ErrInvalidCompilerOptions, mux.ErrInvalidLinkerOptions} {
			o, err := mux.ParseOptions(text, mux.OptionsMode(mode), own)
			if err != nil {
				if !errors.Is(err, want) {
					t.Errorf("mode %d: %v", mode, err)
				}
				continue
			}
			// A device's option as --NAME=VALUE reads back.
			for _, v := range o.Device {
				again := v.Name
				if v.Value != "" {
					again += `="` + v.Value + `"`
				}
				b, err := mux.ParseOptions(again, mux.OptionsMode(mode), own)
				if err != nil || len(b.Device) != 1 || b.Device[0] != v {
					t.Errorf("%q: %+v reads back as %+v, %v", text, v, b, err)
				}
			}
		}
	})
}
