package mux_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// deviceSPIRV says which modules a device with the usual limits takes.
func deviceSPIRV(t testing.TB) mux.SPIRVDeviceInfo {
	t.Helper()
	d, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	info := mux.NewDeviceInfo("usual", d.Limits())
	return info.SPIRV()
}

// TestDeviceTakesRealModules: what real compilers make suits the description of the device.
func TestDeviceTakesRealModules(t *testing.T) {
	d := deviceSPIRV(t)
	for _, k := range kernels.All() {
		binaries, err := k.Binaries()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range binaries {
			if strings.HasSuffix(b.Variant, ".32") {
				continue
			}
			words, err := mux.Words(b.Code)
			if err != nil {
				t.Fatal(err)
			}
			m, _ := newModule(t)
			if _, err := m.CompileSPIRV(t.Context(), words, &d, nil); err != nil {
				t.Errorf("%s: %v", b.File, err)
			}
		}
	}
}

// TestDeviceTakesExamples compiles, links with nothing, and finalizes the examples.
func TestDeviceTakesExamples(t *testing.T) {
	d := deviceSPIRV(t)
	n := 0
	err := filepath.WalkDir("../../examples", func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".cl" {
			return err
		}
		n++
		m, diag := newModule(t)
		if _, err := m.CompileSPIRV(t.Context(), compiled(t, name), &d, nil); err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		if err := m.Link(t.Context(), []mux.Module{m}); err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		info, _, err := m.Finalize(t.Context())
		if err != nil || len(info.Kernels) == 0 || diag.NumErrors() != 0 {
			t.Errorf("%s: %v, %+v, %s", name, err, info, diag.Log())
		}
		return nil
	})
	if err != nil || n < 6 {
		t.Errorf("%d modules, %v", n, err)
	}
}

func TestAccount(t *testing.T) {
	a := mux.NewAccount(10)
	if err := a.Allocate(7); err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{4, 1<<64 - 1} {
		if err := a.Allocate(n); !errors.Is(err, mux.ErrOutOfMemory) {
			t.Errorf("%d: %v", n, err)
		}
	}
	a.Free(5)
	if err := a.Allocate(8); err != nil || a.Used() != 10 || a.Peak() != 10 {
		t.Errorf("%v, %d, %d", err, a.Used(), a.Peak())
	}
	a.Free(100)
	if a.Used() != 0 {
		t.Errorf("%d", a.Used())
	}
}

var errAllocator = errors.New("the allocator's own error")

type refusing struct{}

func (refusing) Allocate(uint64) error { return errAllocator }
func (refusing) Free(uint64)           {}

// TestAllocatorError: the error of an allocator stays visible, and is one of memory.
func TestAllocatorError(t *testing.T) {
	_, err := envs(t)[0].Info.CreateTarget(mux.NewContext(mux.ContextOptions{}), nil, refusing{}, nil)
	if !errors.Is(err, mux.ErrOutOfMemory) || !errors.Is(err, errAllocator) {
		t.Error(err)
	}
}

// TestNothingLeaks: what a target and its modules have taken is back when they are done.
func TestNothingLeaks(t *testing.T) {
	a := mux.NewAccount(1 << 30)
	info := envs(t)[0].Info
	target, err := info.CreateTarget(mux.NewContext(mux.ContextOptions{}), nil, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		t.Fatal(err)
	}
	m, err := target.CreateModule(nil)
	if err != nil {
		t.Fatal(err)
	}
	before := a.Used()
	d := info.DeviceInfo().SPIRV()
	for i := range 3 {
		if _, err := m.CompileSPIRV(t.Context(), saxpy(t), &d, nil); err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Finalize(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := m.CreateBinary(); err != nil {
				t.Fatal(err)
			}
		}
		k, err := m.GetKernel("saxpy")
		if err != nil {
			t.Fatal(err)
		}
		if err := k.PrecacheLocalSize(4, 1, 1); err != nil {
			t.Fatal(err)
		}
		k.(interface{ Close() }).Close()
		if i == 1 {
			// An error on the way leaves nothing either.
			if _, err := m.CompileSPIRV(t.Context(), []uint32{1, 2, 3}, &d, nil); err == nil {
				t.Fatal("three words are a module")
			}
			if a.Used() != before {
				t.Errorf("%d bytes are taken after a failure, %d before", a.Used(), before)
			}
		}
	}
	m.Clear()
	if a.Used() != before {
		t.Errorf("%d bytes are taken after clear, %d before", a.Used(), before)
	}
	m.(interface{ Close() }).Close()
	target.(interface{ Close() }).Close()
	if a.Used() != 0 {
		t.Errorf("%d bytes are taken in the end", a.Used())
	}
}

func TestWords(t *testing.T) {
	words := saxpy(t)
	little := mux.Bytes(words)
	big := make([]byte, len(little))
	for i := range little {
		big[i] = little[i^3]
	}
	for _, b := range [][]byte{little, big} {
		got, err := mux.Words(b)
		if err != nil || len(got) != len(words) {
			t.Fatal(err)
		}
		for i := range got {
			if got[i] != words[i] {
				t.Fatalf("word %d is %#x", i, got[i])
			}
		}
	}
	for _, b := range [][]byte{nil, little[:7], []byte("text"), make([]byte, 8)} {
		if _, err := mux.Words(b); !errors.Is(err, mux.ErrInvalidValue) {
			t.Errorf("%v: %v", b, err)
		}
	}
}

// TestSpecializedTypes: values are as wide as their constants, and narrow ones with a sign
// stand in a word with their sign extended.
func TestSpecializedTypes(t *testing.T) {
	c := mux.NewContext(mux.ContextOptions{})
	got, err := c.GetSpecializableConstants(words(t, narrow))
	if err != nil {
		t.Fatal(err)
	}
	want := map[uint32]mux.SpecializableConstant{
		1: {Type: mux.SpecializationInteger, Bits: 8, Default: 200}, 2: {Type: mux.SpecializationInteger, Bits: 16, Default: 7},
		3: {Type: mux.SpecializationFloat, Bits: 64, Default: 0x3ff8000000000000}, 4: {Type: mux.SpecializationBool, Bits: 1},
		5: {Type: mux.SpecializationFloat, Bits: 32, Default: 0x3fc00000},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	m, diag := newModule(t)
	d := deviceSPIRV(t)
	data := []byte{0x85, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 4, 0xc0, 1, 0, 0, 0x80, 0xbf}
	_, err = m.CompileSPIRV(t.Context(), words(t, narrow), &d, &mux.SpecializationInfo{Data: data, Entries: map[uint32]mux.SpecializationEntry{
		1: {Offset: 0, Size: 1}, 2: {Offset: 1, Size: 2}, 3: {Offset: 3, Size: 8}, 4: {Offset: 11, Size: 1}, 5: {Offset: 12, Size: 4},
	}})
	if err != nil {
		t.Fatal(err, diag.Log())
	}
	out := make([]byte, m.Size())
	if _, err := m.Serialize(out); err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(out), "\x03\x02\x23\x07")
	if !strings.Contains(code, "\xfe\xff\xff\xff") {
		t.Error("the negative number of 16 bits is not sign-extended")
	}
	again, err := c.GetSpecializableConstants(must(mux.Words([]byte("\x03\x02\x23\x07" + code))))
	if err != nil {
		t.Fatal(err)
	}
	for id, v := range map[uint32]uint64{1: 0x85, 2: 0xfffe, 3: 0xc004000000000000, 4: 1, 5: 0xbf800000} {
		if again[id].Default != v {
			t.Errorf("constant %d is %#x, want %#x", id, again[id].Default, v)
		}
	}
}

func must(w []uint32, err error) []uint32 {
	if err != nil {
		return nil
	}
	return w
}

// TestContexts: compilers in different contexts do not share anything that needs a lock, and
// one context serves several goroutines. It is for the race detector.
func TestContexts(t *testing.T) {
	info := envs(t)[0].Info
	d := info.DeviceInfo().SPIRV()
	code := saxpy(t)
	var wg sync.WaitGroup
	shared := mux.NewContext(mux.ContextOptions{})
	for i := range 6 {
		ctx := shared
		if i%2 == 0 {
			ctx = mux.NewContext(mux.ContextOptions{})
		}
		wg.Go(func() {
			target, err := info.CreateTarget(ctx, nil, nil, func(mux.Notification) {})
			if err != nil {
				t.Error(err)
				return
			}
			if err := target.InitWithBuiltins(nil); err != nil {
				t.Error(err)
				return
			}
			diag := &mux.Diagnostics{}
			m, err := target.CreateModule(diag)
			if err != nil {
				t.Error(err)
				return
			}
			var inner sync.WaitGroup
			for j := range 3 {
				inner.Go(func() {
					// Another goroutine may clear the module in between; what counts is
					// that each call sees it whole.
					_ = m.ParseOptions("--keep-marks", mux.OptionsBuild)
					_, _ = m.CompileSPIRV(context.Background(), code, &d, nil)
					_, _, _ = m.Finalize(context.Background())
					_, _ = m.CreateBinary()
					_ = m.Options().Has("-w")
					if k, err := m.GetKernel("saxpy"); err == nil {
						_, _ = k.GetDynamicWorkWidth(4, 1, 1)
						_ = k.PreferredLocalSizes()
					}
					_ = diag.Log()
					if j == 2 {
						m.Clear()
					}
				})
			}
			inner.Wait()
			if _, err := m.CompileSPIRV(context.Background(), code, &d, nil); err != nil {
				t.Error(err)
			}
			if _, _, err := m.Finalize(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestMessages keeps the words of errors that people read.
func TestMessages(t *testing.T) {
	m, _ := newModule(t)
	d := deviceSPIRV(t)
	if _, err := m.CompileSPIRV(t.Context(), saxpy(t), &d, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Finalize(t.Context()); err != nil {
		t.Fatal(err)
	}
	k, err := m.GetKernel("saxpy")
	if err != nil {
		t.Fatal(err)
	}
	_, noKernel := m.GetKernel("saxpi")
	_, options := k.CreateSpecializedKernel(t.Context(), nil)
	_, custom := k.CreateSpecializedKernel(t.Context(), &mux.NDRangeOptions{LocalSize: [3]uint64{1, 1, 1}, GlobalOffset: []uint64{0}, GlobalSize: []uint64{1}, Length: 1,
		Descriptors: []mux.Descriptor{{Type: mux.DescriptorCustomBuffer}}, DescriptorsLength: 1})
	_, capability := m.CompileSPIRV(t.Context(), saxpy(t), &mux.SPIRVDeviceInfo{Capabilities: []spirv.Capability{spirv.CapabilityKernel}}, nil)
	for want, err := range map[string]error{
		"mux: Kernel.PrecacheLocalSize saxpy: the local size in y is 0: invalid value":                                                                         k.PrecacheLocalSize(1, 0, 1),
		"mux: Module.GetKernel saxpi: there is no such kernel: invalid value":                                                                                  noKernel,
		"mux: Kernel.CreateSpecializedKernel saxpy: there are no options: invalid value":                                                                       options,
		"mux: Kernel.CreateSpecializedKernel saxpy: descriptor 0: the device takes no custom buffers: invalid value":                                           custom,
		"mux: ParseOptions: \"--max\" is not one of the compiler's options: invalid build options":                                                             m.ParseOptions("--max", mux.OptionsBuild),
		"mux: Module.CompileSPIRV: the capability Addresses is not among those of the device: the module does not suit the device: cannot compile the program": capability,
		"mux: ParseCompilationOptions: option 1, rule 2: --a: \"2\" is neither 1 nor 0: the compilation options break their syntax: invalid value":             second(mux.ParseCompilationOptions("--a,2,b")),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("the error is\n%v, want\n%s", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }
