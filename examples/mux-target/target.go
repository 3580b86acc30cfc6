package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/isa"
)

// The compiler of a small device: sub-groups of 4 or 2, a memory for programs of which there is
// little, no arithmetic of half or double precision, and no deferred compilation. All that is
// not said here comes from the types of package mux that the ones below embed.

// options are the compiler's own.
const options = "--max-code,1,instructions of bytecode that a kernel may have: 4096 by itself;" +
	"--keep-names,0,keeps the names of blocks and the lines of the source"

// defaultMaxCode is the program memory of the device, in instructions of bytecode.
const defaultMaxCode = 4096

// info describes the compiler for one of the sub-group sizes.
type info struct{ *mux.BaseInfo }

// newInfo describes the compiler for sub-groups of n.
func newInfo(n uint32) (*info, error) {
	base, err := mux.NewBaseInfo(mux.InfoFields{
		Device: mux.DeviceInfo{
			Name: fmt.Sprintf("tiny-sg%d", n), SubGroupSize: n, MaxWorkWidth: 64,
			MaxWorkGroupSize: 64, MaxWorkItemSizes: [3]uint64{64, 64, 64},
			LocalMemory: 8 << 10, GlobalMemory: 64 << 20, MaxAlloc: 16 << 20, MaxVariables: 1 << 20, MaxPrivate: 64 << 10, MaxParameters: 1 << 10,
			AddressBits: 64, CustomBuffers: true,
		},
		CompilationOptions: options,
		Vectorizable:       true,
		DMAOptimizable:     true,
	})
	if err != nil {
		return nil, err
	}
	return &info{base}, nil
}

// compilers has one compiler for each configuration, for as long as the program runs.
var compilers, compilersErr = func() (list []mux.Info, err error) {
	for _, n := range []uint32{4, 2} {
		i, err := newInfo(n)
		if err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, nil
}()

// GetCompilers announces the compilers.
func GetCompilers(add mux.AddCompilerFunc) {
	for _, i := range compilers {
		add(i)
	}
}

// CreateTarget implements mux.Info.
func (i *info) CreateTarget(ctx *mux.Context, device *emu.Device, alloc mux.Allocator, notify mux.NotifyFunc) (mux.Target, error) {
	if device != nil && !i.DeviceInfo().Matches(device.Limits()) {
		return nil, fmt.Errorf("%s is not for a device with sub-groups of %d: %w", i.DeviceInfo().Name, device.Limits().SubgroupSize, mux.ErrInvalidValue)
	}
	t := &target{}
	var err error
	if t.BaseTarget, err = mux.NewBaseTarget(t, i, ctx, alloc, notify); err != nil {
		return nil, err
	}
	return t, nil
}

// target is a compiler at work.
type target struct{ *mux.BaseTarget }

// CreateModule implements mux.Target.
func (t *target) CreateModule(diag *mux.Diagnostics) (mux.Module, error) {
	m := &module{}
	var err error
	if m.BaseModule, err = mux.NewBaseModule(m, t, diag); err != nil {
		return nil, err
	}
	return m, nil
}

// module is a program. Front ends, linking, the optimizations and the form of binaries
// are those of the base.
type module struct{ *mux.BaseModule }

// maxCode is what --max-code says.
func (m *module) maxCode() (int, error) {
	text, ok := m.Options().Value("--max-code")
	if !ok {
		return defaultMaxCode, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--max-code: %q is no number from 1 on", text)
	}
	return n, nil
}

// InitializePassMachineryForFinalize implements mux.Module: it adds the passes below to
// those of the base.
func (m *module) InitializePassMachineryForFinalize(pm *mux.PassMachinery) error {
	if err := m.BaseModule.InitializePassMachineryForFinalize(pm); err != nil {
		return err
	}
	most, err := m.maxCode()
	if err != nil {
		return err
	}
	return errors.Join(
		pm.Register(mux.Pass{Name: "tiny-strip", Doc: "names of blocks and lines of the source go", Kernel: strip}),
		pm.Register(mux.Pass{Name: "tiny-fit", Doc: "kernels have to fit into the program memory", Kernel: func(_ *isa.Program, k *isa.Kernel) error {
			if n := len(k.Code); n > most {
				return fmt.Errorf("the kernel has %d instructions, the program memory holds %d (--max-code)", n, most)
			}
			return nil
		}}),
	)
}

// strip is the pass tiny-strip.
func strip(_ *isa.Program, k *isa.Kernel) error {
	for i := range k.Blocks {
		k.Blocks[i].Name = ""
	}
	for i := range k.Code {
		k.Code[i].Loc = 0
	}
	for _, allocs := range [][]isa.Alloc{k.Private, k.Local} {
		for i := range allocs {
			allocs[i].Loc = 0
		}
	}
	k.Locs = k.Locs[:1]
	return nil
}

// LateTargetPasses implements mux.Module: the device's own passes.
func (m *module) LateTargetPasses(pm *mux.PassMachinery) (mux.Pipeline, error) {
	if _, keep := m.Options().Value("--keep-names"); keep {
		return pm.Parse("tiny-fit")
	}
	return pm.Parse("tiny-strip,tiny-fit")
}

// CreateBinary implements mux.Module.
func (m *module) CreateBinary() ([]byte, error) { return m.EncodeProgram() }

// CreateKernel implements mux.Module: there is no deferred compilation, and so no kernel.
func (m *module) CreateKernel(string) (mux.Kernel, error) { return nil, mux.ErrNoDeferredCompilation }
