package emu

import (
	"context"
	"fmt"
	"sync"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// checkedKernel is a kernel's code for launches with checks, made at the first of them. It runs on the
// reference engine, and is lowered so that it keeps what checks need to know of the module.
type checkedKernel struct {
	mu     sync.Mutex
	made   bool
	isa    *isa.Program
	code   *isa.Kernel
	runner *scheduler.Runner
	err    error
}

// forChecks returns the kernel's code for launches with checks. The device must not be held.
func (k *Kernel) forChecks() (*checkedKernel, error) {
	c := &k.checked
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.made {
		c.made, c.err = true, k.makeChecked()
	}
	return c, c.err
}

// makeChecked lowers the kernel for checks, places the variables that it has, and compiles it.
func (k *Kernel) makeChecked() error {
	c := &k.checked
	ctx := context.Background()
	code, err := k.prog.unit.checkedKernel(ctx, k.name, k.shared.is)
	if err != nil {
		return err
	}
	if code.err != nil {
		return code.refused(k.name)
	}
	c.isa, c.code = code.prog, code.code
	c.runner, err = k.onReference(ctx, c.isa, c.code)
	return err
}

// onReference places the variables of another form of the kernel, and prepares that for the reference engine.
func (k *Kernel) onReference(ctx context.Context, program *isa.Program, code *isa.Kernel) (*scheduler.Runner, error) {
	if err := k.prog.placeAll(ctx); err != nil {
		return nil, err
	}
	compiled, err := interp.Engine{}.Compile(program, code)
	if err != nil {
		return nil, &ModuleError{Stage: "compile", Err: fmt.Errorf("kernel %s: %w", k.name, err)}
	}
	return scheduler.New(compiled), nil
}
