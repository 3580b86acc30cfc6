package bench

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// TestFields runs the kernels of the set Fields as clang and as spirv/clc compile them, on each engine and
// with sub-groups of 8 to 64 work-items: all leave the bits of the references.
func TestFields(t *testing.T) {
	for _, w := range workloads(t) {
		if w.Set != Fields {
			continue
		}
		t.Run(w.Name(), func(t *testing.T) {
			t.Parallel()
			want := reference(t, w.Kernel, w.Kernel.Launch)
			source, err := FromSource(w.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			clang, err := w.Kernel.Binary(Variant)
			if err != nil {
				t.Fatal(err)
			}
			for _, module := range []kernels.Binary{source, clang} {
				for _, engine := range emu.Engines()[1:] {
					for size := 8; size <= 64; size *= 2 {
						opt := emu.DeviceOptions{Engine: engine, SubgroupSize: size, Workers: 1}
						leaves(t, w.Kernel, module, opt, want, fmt.Sprintf("%s on %s with sub-groups of %d", module.File,
							engine, size))
					}
				}
			}
		})
	}
}

// leaves holds that a kernel's smallest launch leaves these contents.
func leaves(t *testing.T, k *kernels.Kernel, module kernels.Binary, opt emu.DeviceOptions, want [][]byte,
	what string) {
	t.Helper()
	s, err := OpenModule(k, module, k.Launch, opt)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer s.Close()
	if _, _, err := s.Run(t.Context()); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got, err := s.Outputs()
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("%s: argument %d differs from the reference", what, k.Outputs[i])
		}
	}
}

// TestWatched holds how many kernels there are, that about half of them are watched, and that names alone
// decide.
func TestWatched(t *testing.T) {
	all, watched, fields := 0, 0, map[string]bool{}
	for _, w := range workloads(t) {
		if w.Set == Subgroups {
			continue
		}
		all++
		if w.Watched() {
			watched++
		}
		fields[w.Field] = true
	}
	if all < 48 || watched < all/3 || watched > all*2/3 || len(fields) < 15 {
		t.Errorf("%d kernels, of which %d are watched, of %d fields", all, watched, len(fields))
	}
	for name, want := range map[string]bool{"": true, "a": false, "b": true} {
		if Watched(name) != want {
			t.Errorf("%q: watched %v", name, !want)
		}
	}
}

// TestShare counts what machine code leaves to the reference engine: everything on that engine, and little of
// a kernel that has machine code for all instructions.
func TestShare(t *testing.T) {
	k := kernels.Find("saxpy")
	for _, engine := range emu.Engines()[1:] {
		s := open(t, k, Saxpy(1<<16), emu.DeviceOptions{Engine: engine})
		share, err := s.Share(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if result := run(t, s); share.LaneOps != result.Counters.LaneOps {
			t.Errorf("%s: %d operations of lanes, not %d", engine, share.LaneOps, result.Counters.LaneOps)
		}
		switch native := share.Native(); {
		case engine == "interp" && (native != 0 || len(share.Most) != 4):
			t.Errorf("%s: %v of machine code, most of the rest: %q", engine, native, share.Most)
		case engine == "native" && native < 0.999:
			t.Errorf("%s: %v of machine code, most of the rest: %q", engine, native, share.Most)
		}
	}
}

// TestShareOfImages: accesses to images are what machine code leaves to the reference engine.
func TestShareOfImages(t *testing.T) {
	if len(emu.Engines()) < 3 {
		t.Skip("no native engine")
	}
	s, err := ImageWorkloads(64)[0].Open(emu.DeviceOptions{Engine: "native"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	share, err := s.Share(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if native := share.Native(); native <= 0 || native >= 1 || len(share.Most) == 0 || !strings.HasPrefix(share.Most[0], "image") {
		t.Errorf("%v of machine code, most of the rest: %q", native, share.Most)
	}
}
