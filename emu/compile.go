package emu

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// compile turns a module into bytecode.
func compile(m *spirv.Module, opt ProgramOptions) (*isa.Program, error) {
	return nil, &ModuleError{Stage: "lower", Err: errors.New("isa/lower is not part of this build")}
}
