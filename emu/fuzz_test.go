package emu_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// FuzzRun takes bytes all the way from a module to the end of a launch of each
// of its kernels. Whatever happens must be an error: no panic, no hang, no
// memory without end.
func FuzzRun(f *testing.F) {
	names, err := filepath.Glob("testdata/*.spv")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		module, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(module)
	}
	for _, k := range kernels.All() {
		bins, err := k.Binaries()
		if err != nil {
			f.Fatal(err)
		}
		for _, b := range bins {
			// Small modules are more worthwhile to change.
			if len(b.Code) < 6000 && !strings.Contains(b.Variant, "O0.32") {
				f.Add(b.Code)
			}
		}
	}
	f.Fuzz(func(t *testing.T, module []byte) {
		d, err := emu.NewDevice(emu.DeviceOptions{Workers: 2, SubgroupSize: 4, MaxMemory: 1 << 20, MaxPrivate: 1 << 12, LocalMemory: 1 << 12})
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.NewProgram(module, emu.ProgramOptions{})
		if errors.Is(err, lower.ErrInternal) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		for _, r := range p.ISA().Refused {
			if errors.Is(r.Reason, lower.ErrInternal) {
				t.Fatal(r.Name, r.Reason)
			}
		}
		names := p.Kernels()
		for _, name := range names[:min(len(names), 8)] {
			k, err := p.Kernel(name)
			if err != nil {
				t.Fatal(err)
			}
			launchAnyhow(t, d, k)
		}
	})
}

// launchAnyhow launches a kernel with arguments that fit its parameters.
func launchAnyhow(t *testing.T, d *emu.Device, k *emu.Kernel) {
	l := emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{12}}, Timeout: 20 * time.Millisecond, MaxOutput: 1 << 12}
	for _, p := range k.Params() {
		switch p.Kind {
		case isa.ParamValue:
			if p.Size > 1<<12 {
				return
			}
			v := make([]byte, p.Size)
			if len(v) > 0 {
				v[0] = 3
			}
			l.Args = append(l.Args, emu.Bytes(v))
		case isa.ParamGlobal:
			b, err := d.NewBuffer(256, emu.BufferOptions{})
			if err != nil {
				return // there are thousands of parameters
			}
			l.Args = append(l.Args, b)
		case isa.ParamLocal:
			l.Args = append(l.Args, emu.LocalBytes(128))
		default:
			return
		}
	}
	if reqd := k.Info().ReqdLocalSize; reqd != [3]uint32{} {
		l.Range.Global = []uint64{2 * uint64(reqd[0]), uint64(reqd[1]), uint64(reqd[2])}
	}
	_, err := l.Run(context.Background())
	var pe *scheduler.PanicError
	if errors.As(err, &pe) {
		t.Fatal(pe)
	}
}
