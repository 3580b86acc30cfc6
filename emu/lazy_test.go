package emu_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// lazyModule has two kernels with a variable each, and one that cannot be run.
const lazyModule = `
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability DeviceEnqueue
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %first "first"
OpEntryPoint Kernel %second "second"
OpEntryPoint Kernel %events "events"
%void = OpTypeVoid
%event = OpTypeDeviceEvent
%uint = OpTypeInt 32 0
%u5 = OpConstant %uint 5
%u7 = OpConstant %uint 7
%pg = OpTypePointer CrossWorkgroup %uint
%v1 = OpVariable %pg CrossWorkgroup %u5
%v2 = OpVariable %pg CrossWorkgroup %u7
%fn = OpTypeFunction %void %pg
%nothing = OpTypeFunction %void
%first = OpFunction %void None %fn
%p1 = OpFunctionParameter %pg
%l1 = OpLabel
%x1 = OpLoad %uint %v1 Aligned 4
%y1 = OpIAdd %uint %x1 %u7
OpStore %v1 %y1 Aligned 4
OpStore %p1 %y1 Aligned 4
OpReturn
OpFunctionEnd
%second = OpFunction %void None %fn
%p2 = OpFunctionParameter %pg
%l2 = OpLabel
%x2 = OpLoad %uint %v2 Aligned 4
%z2 = OpLoad %uint %v1 Aligned 4
%y2 = OpIMul %uint %x2 %z2
OpStore %p2 %y2 Aligned 4
OpReturn
OpFunctionEnd
%events = OpFunction %void None %nothing
%l3 = OpLabel
%e = OpCreateUserEvent %event
OpReturn
OpFunctionEnd
`

// TestLazyKernels sees that a kernel is compiled when it is first asked for, that a kernel that cannot be run
// disturbs no other, and that what variables hold stays when another kernel comes.
func TestLazyKernels(t *testing.T) {
	module, err := asm.Assemble(lazyModule, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	times := &lower.PassTimes{}
	passes := lower.NewPassMachinery()
	passes.Instrument.Clock, passes.Instrument.Times = ticks(), times
	compiled := func() int {
		for _, p := range times.List() {
			if p.Pass == "emit" {
				return p.Runs
			}
		}
		return 0
	}
	d := device(t, emu.DeviceOptions{})
	p, err := d.NewProgram(module, emu.ProgramOptions{Passes: passes})
	if err != nil {
		t.Fatal(err)
	}
	if n := compiled(); n != 0 {
		t.Errorf("%d kernels are compiled before anybody has asked for one", n)
	}
	out, err := d.NewBuffer(4, emu.BufferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(p *emu.Program, name string, want uint32) {
		t.Helper()
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, name), Args: []emu.Arg{out}, Range: emu.Range(1)})
		if got, err := emu.Read[uint32](out); err != nil || got[0] != want {
			t.Errorf("%s gives %d, %v; expected %d", name, got, err, want)
		}
	}
	run(p, "first", 12)
	if n := compiled(); n != 1 {
		t.Errorf("%d kernels are compiled when one has been used", n)
	}
	run(p, "first", 19)
	var refused *emu.ModuleError
	if _, err := p.Kernel("events"); !errors.As(err, &refused) || refused.Stage != "lower" || !strings.Contains(err.Error(), "OpCreateUserEvent") {
		t.Errorf("the kernel that cannot be run: %v", err)
	}
	run(p, "second", 7*19)
	if err := p.Reset(); err != nil {
		t.Error(err)
	}
	run(p, "second", 7*5)
	code := p.ISA()
	if len(code.Kernels) != 2 || code.Kernels[0].Name != "first" || len(code.Refused) != 1 || len(code.Globals) != 2 {
		t.Errorf("the whole program has %d kernels, %d that are refused, %d variables", len(code.Kernels), len(code.Refused), len(code.Globals))
	}
	if n := compiled(); n != 2 {
		t.Errorf("%d kernels have been compiled, of two", n)
	}
}

// TestLazyKernelsAtOnce asks for kernels from several goroutines.
func TestLazyKernelsAtOnce(t *testing.T) {
	module, err := asm.Assemble(lazyModule, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := device(t, emu.DeviceOptions{}).NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	got := make([]*emu.Kernel, 16)
	for i := range got {
		wait.Go(func() { got[i], _ = p.Kernel([]string{"first", "second"}[i%2]) })
	}
	wait.Wait()
	for i, k := range got {
		if k == nil || k != got[i%2] {
			t.Errorf("call %d gives another kernel than call %d", i, i%2)
		}
	}
}

// TestCompileContext sees that the end of a context ends a compilation, and that the kernel can be compiled after that.
func TestCompileContext(t *testing.T) {
	module, err := asm.Assemble(lazyModule, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, emu.DeviceOptions{})
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := d.NewProgramContext(ended, module, emu.ProgramOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("NewProgramContext: %v", err)
	}
	if _, err := d.LinkProgramContext(ended, []emu.LinkInput{{Code: module}}, emu.ProgramOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("LinkProgramContext: %v", err)
	}
	// The context ends while the passes run.
	passes := lower.NewPassMachinery()
	ctx, cancel := context.WithCancel(context.Background())
	if err := passes.Register(lower.Pass{Name: "cancel", IR: func(*lower.IR) error { cancel(); return nil }}); err != nil {
		t.Fatal(err)
	}
	if err := passes.SetPasses("cancel,default"); err != nil {
		t.Fatal(err)
	}
	p, err := d.NewProgram(module, emu.ProgramOptions{Passes: passes})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.KernelContext(ctx, "first"); !errors.Is(err, context.Canceled) {
		t.Errorf("KernelContext: %v", err)
	}
	if _, err := p.ISAContext(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ISAContext: %v", err)
	}
	if _, err := p.Kernel("first"); err != nil {
		t.Errorf("after a compilation that was cancelled: %v", err)
	}
}

// ticks returns a clock that goes on by one each time it is read.
func ticks() func() time.Duration {
	now := time.Duration(0)
	return func() time.Duration { now++; return now }
}
