package emu

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// compile turns a module into bytecode for a device with this sub-group size.
func compile(m *spirv.Module, opt ProgramOptions, subgroup int) (*isa.Program, error) {
	p, err := lower.Program(m, lower.Options{
		SpecConstants: opt.SpecConstants, KeepMarks: opt.KeepMarks, SubgroupSize: subgroup,
		Specialize: opt.Specialize, Kernels: opt.Kernels, Passes: opt.Passes, VerifyEach: opt.VerifyEach,
	})
	if err != nil {
		return nil, &ModuleError{Stage: "lower", Err: err}
	}
	return p, nil
}
