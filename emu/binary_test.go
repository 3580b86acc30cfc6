package emu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// testSources finds the sources of the modules in testdata.
func testSources(name string) ([]byte, error) {
	return emu.FileSources(filepath.Join("testdata", filepath.Base(name)))
}

// reloaded sends a program through its binary.
func reloaded(t testing.TB, d *emu.Device, p *emu.Program, opt emu.BinaryOptions) *emu.Program {
	t.Helper()
	data, err := p.Binary(opt)
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.LoadBinary(data, emu.LoadOptions{Sources: testSources})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestBinaryFaults holds that findings of a program from a binary have the text
// that they have without: word by word when the module is in the binary, and
// otherwise except for the instruction.
func TestBinaryFaults(t *testing.T) {
	var without strings.Builder
	for _, c := range faults {
		for _, module := range []bool{true, false} {
			d := device(t, emu.DeviceOptions{Workers: 1})
			p := reloaded(t, d, program(t, device(t, emu.DeviceOptions{}), "fault"), emu.BinaryOptions{Module: module})
			l := emu.Launch{Kernel: kernel(t, p, c.run), Range: c.r, KeepGoing: true, Reproduce: "run it again"}
			c.setup(t, d, &l)
			res, err := l.Run(context.Background())
			var fe *emu.FindingsError
			if !errors.As(err, &fe) || res == nil {
				t.Fatalf("%s: error %v, result %v", c.name, err, res)
			}
			if module {
				golden(t, "fault-"+c.name+".txt", res.Findings.Text())
				continue
			}
			fmt.Fprintf(&without, "== %s\n%s\n", c.name, res.Findings.Text())
		}
	}
	// Which registers the bytecode uses is not what this is about.
	text := regexp.MustCompile(`(?m)^  (\S+ = )?[a-z0-9_]+\.\S+.* \(word (\d+)\)$`).ReplaceAllString(without.String(), "  BYTECODE (word $2)")
	golden(t, "binary-faults.txt", text)
}

// storeOutside writes to element 4 of its buffer, in line 2 of a source that the
// module holds.
const storeOutside = `
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%file = OpString "within.cl"
OpSource OpenCL_C 200000 %file "kernel void k(global uint *a) {
  a[4] = 1;
}"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%ptr = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %ptr
%one = OpConstant %uint 1
%four = OpConstant %ulong 4
%k = OpFunction %void None %fn
%a = OpFunctionParameter %ptr
%entry = OpLabel
OpLine %file 2 8
%p = OpInBoundsPtrAccessChain %ptr %a %four
OpStore %p %one Aligned 4
OpReturn
OpFunctionEnd
`

// TestBinaryEmbeddedSource holds that the source text which a module holds
// travels with the module, and that the line is known without it.
func TestBinaryEmbeddedSource(t *testing.T) {
	module, err := asm.Assemble(storeOutside, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, emu.DeviceOptions{})
	compiled, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, within := range []bool{true, false} {
		data, err := compiled.Binary(emu.BinaryOptions{Module: within})
		if err != nil {
			t.Fatal(err)
		}
		f, err := binary.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if within != bytes.Equal(f.Module, module) || within == (f.Module == nil) {
			t.Errorf("module asked for: %v; it has %d bytes of %d", within, len(f.Module), len(module))
		}
		p, err := d.LoadBinary(data, emu.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := emu.Launch{Kernel: kernel(t, p, "k"), Range: emu.Range(1), Args: []emu.Arg{buffer(t, d, make([]uint32, 4)...)}}
		res, err := l.Run(context.Background())
		if err == nil {
			t.Fatal("nothing was found")
		}
		place := res.Findings.Findings[0].Place
		if place.File != "within.cl" || place.Line != 2 || within != (place.Source == "  a[4] = 1;") || within != strings.HasPrefix(place.Instruction, "OpStore ") {
			t.Errorf("module asked for: %v; the place is %+v", within, place)
		}
	}
}

// TestBinaryKernels runs kernels that were loaded, and compares the memory with
// the references'. What the program says of itself is what the compiled one says.
func TestBinaryKernels(t *testing.T) {
	list := kernels.All()
	if testing.Short() {
		list = slices.DeleteFunc(slices.Clone(list), func(k *kernels.Kernel) bool { return len(k.Name)%5 != 0 })
	}
	for i, k := range list {
		for _, opt := range []emu.DeviceOptions{{}, {SubgroupSize: 8}} {
			if opt.SubgroupSize != 0 && i%4 != 0 {
				continue
			}
			d := device(t, opt)
			before, compiled := loadProgram(t, d, k.Name, "O2")
			if n := compiled.Info().ReqdSubgroup; n != 0 && int(n) != d.Limits().SubgroupSize {
				continue
			}
			p := reloaded(t, d, before, emu.BinaryOptions{})
			got := kernel(t, p, compiled.Name())
			if diff := cmp.Diff(compiled.Info(), got.Info()); diff != "" {
				t.Errorf("%s: other properties:\n%s", k.Name, diff)
			}
			if diff := cmp.Diff(compiled.Params(), got.Params()); diff != "" {
				t.Errorf("%s: other parameters:\n%s", k.Name, diff)
			}
			if diff := cmp.Diff(before.Info(), p.Info(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: the module says something else of itself:\n%s", k.Name, diff)
			}
			runOn(t, k, d, got, emu.Schedule{})
		}
	}
}

// TestBinarySame holds that a program has one binary, also when it came from one.
func TestBinarySame(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	p := program(t, d, "fault")
	for _, opt := range []emu.BinaryOptions{{}, {Module: true}, {Notes: []binary.Note{{Name: "b", Data: []byte("2")}, {Name: "a"}}}} {
		first, err := p.Binary(opt)
		if err != nil {
			t.Fatal(err)
		}
		again, err := reloaded(t, d, p, opt).Binary(opt)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			t.Errorf("%+v: other bytes", opt)
		}
	}
	if _, err := p.Binary(emu.BinaryOptions{Notes: []binary.Note{{Name: "a"}, {Name: "a"}}}); !errors.Is(err, binary.ErrUnencodable) {
		t.Errorf("two notes of one name: %v", err)
	}
}

// TestLoadBinaryRefuses holds the errors of binaries that cannot be loaded.
func TestLoadBinaryRefuses(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	data, err := program(t, d, "fault").Binary(emu.BinaryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	other := device(t, emu.DeviceOptions{SubgroupSize: 16})
	_, err = other.LoadBinary(data, emu.LoadOptions{})
	var target *emu.TargetError
	if !errors.As(err, &target) || target.Made.SubgroupSize != 32 || target.SubgroupSize != 16 {
		t.Errorf("another sub-group size: %v", err)
	}
	const want = "cannot load the binary: its kernels that require no sub-group size were made for 32, the device has 16; set DeviceOptions.SubgroupSize to 32, or compile the module again"
	if err == nil || err.Error() != want {
		t.Errorf("another sub-group size: %v\nwant %s", err, want)
	}
	change := func(f func(*binary.File)) []byte {
		file, err := binary.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		f(file)
		changed, err := binary.Encode(file)
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	module := []byte("no module")
	for _, c := range []struct {
		name, text string
		data       []byte
		is         error
	}{
		{"nothing", `does not start with "LOCKSTEP"`, nil, binary.ErrNotBinary},
		{"half", "the header says", data[:len(data)/2], binary.ErrTruncated},
		{"damaged", "the checksum is", append(slices.Clone(data[:len(data)-1]), data[len(data)-1]+1), binary.ErrDamaged},
		{"another target", `made for the target "other", not for "lockstep"`, change(func(f *binary.File) { f.Target.Name = "other" }), nil},
		{"a module that is none", "its module", change(func(f *binary.File) { f.Module = module }), nil},
	} {
		_, err := d.LoadBinary(c.data, emu.LoadOptions{})
		var be *emu.BinaryError
		if !errors.As(err, &be) || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	large := change(func(f *binary.File) {
		f.Program.Globals = append(f.Program.Globals, isa.Global{Name: "large", Size: 1 << 60, Align: 1})
	})
	var limit *emu.LimitError
	if _, err := d.LoadBinary(large, emu.LoadOptions{}); !errors.As(err, &limit) {
		t.Errorf("a variable larger than memory: %v", err)
	}
	var none *emu.Device
	if _, err := none.LoadBinary(data, emu.LoadOptions{}); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("no device: %v", err)
	}
	if _, err := d.LoadFile(nil, emu.LoadOptions{}); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("no file: %v", err)
	}
	var noProgram *emu.Program
	if _, err := noProgram.Binary(emu.BinaryOptions{}); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("no program: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.LoadBinary(data, emu.LoadOptions{}); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("a closed device: %v", err)
	}
}
