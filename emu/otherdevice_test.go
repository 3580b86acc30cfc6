package emu_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// counts adds 1 to a program-scope variable, 5 at first, and stores it in its buffer.
const counts = `
OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %ptr
%one = OpConstant %uint 1
%five = OpConstant %uint 5
%count = OpVariable %ptr CrossWorkgroup %five
%k = OpFunction %void None %fn
%a = OpFunctionParameter %ptr
%entry = OpLabel
%old = OpLoad %uint %count Aligned 4
%new = OpIAdd %uint %old %one
OpStore %count %new Aligned 4
OpStore %a %new Aligned 4
OpReturn
OpFunctionEnd
`

// counted runs the kernel some times and returns what it stored.
func counted(t *testing.T, d *emu.Device, p *emu.Program, times int) (list []uint32) {
	t.Helper()
	a := buffer(t, d, uint32(0))
	for range times {
		if _, err := kernel(t, p, "k").Run(context.Background(), emu.Range(1), a); err != nil {
			t.Fatal(err)
		}
		v, err := emu.Read[uint32](a)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v...)
	}
	return list
}

// TestOn holds that a program on another device is its own, with variables of its own, and that its code is
// made once for all devices with an engine.
func TestOn(t *testing.T) {
	module, err := asm.Assemble(counts, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range emu.Engines() {
		for _, second := range emu.Engines() {
			d, other := device(t, emu.DeviceOptions{Engine: first}), device(t, emu.DeviceOptions{Engine: second, WaveLanes: 64, Workers: 1})
			p, err := d.NewProgram(module, emu.ProgramOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := counted(t, d, p, 2); !slices.Equal(got, []uint32{6, 7}) {
				t.Errorf("%s: %d", first, got)
			}
			q, err := p.On(other)
			if err != nil {
				t.Fatal(err)
			}
			if same := first == second; first != "auto" && second != "auto" && emu.Shared(kernel(t, p, "k"), kernel(t, q, "k")) != same {
				t.Errorf("%s, %s: code is not made once for an engine", first, second)
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				if got := counted(t, other, q, 3); !slices.Equal(got, []uint32{6, 7, 8}) {
					t.Errorf("%s, behind %s: %d", second, first, got)
				}
			})
			wg.Go(func() {
				if got := counted(t, d, p, 1); !slices.Equal(got, []uint32{8}) {
					t.Errorf("%s, beside %s: %d", first, second, got)
				}
			})
			wg.Wait()
			if err := errors.Join(p.Close(), d.Close()); err != nil {
				t.Fatal(err)
			}
			again, err := p.On(other)
			if err != nil {
				t.Fatal(err)
			}
			for _, tc := range []struct {
				p    *emu.Program
				want uint32
			}{{q, 9}, {again, 6}} {
				if got := counted(t, other, tc.p, 1); !slices.Equal(got, []uint32{tc.want}) {
					t.Errorf("%s, when the first is closed: %d, want %d", second, got, tc.want)
				}
			}
		}
	}
}

// TestOnRefuses has the devices that a program is not for.
func TestOnRefuses(t *testing.T) {
	d := device(t, emu.DeviceOptions{SubgroupSize: 16})
	module, err := asm.Assemble(counts, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var te *emu.TargetError
	if _, err := p.On(device(t, emu.DeviceOptions{SubgroupSize: 8})); !errors.As(err, &te) || te.Made.SubgroupSize != 16 || te.SubgroupSize != 8 {
		t.Errorf("sub-groups of another size: %v", err)
	}
	var me *emu.ModuleError
	if _, err := p.On(device(t, emu.DeviceOptions{SubgroupSize: 16, MaxVariables: 3})); !errors.As(err, &me) || me.Stage != "allocate" {
		t.Errorf("too little room for variables: %v", err)
	}
	if _, err := p.On(nil); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("no device: %v", err)
	}
	if _, err := (*emu.Program)(nil).On(d); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("no program: %v", err)
	}
	closed := device(t, emu.DeviceOptions{SubgroupSize: 16})
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.On(closed); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("closed device: %v", err)
	}
}
