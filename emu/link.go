package emu

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/link"
)

// LinkInput is a SPIR-V binary that [Device.LinkProgram] takes.
type LinkInput struct {
	// Name is what errors call it: that of its file. An empty one becomes its
	// number.
	Name string
	Code []byte
}

// LinkModules makes one SPIR-V module of several: imports become what other
// modules export. Functions that lockstep knows by name, those of OpenCL C for
// instance, may stay imported. The error is a [*ModuleError] of stage "decode" or "link".
func LinkModules(modules []LinkInput, opt link.Options) ([]byte, error) {
	m, err := linkModules(modules, opt)
	if err != nil {
		return nil, err
	}
	return m.Encode(), nil
}

func linkModules(modules []LinkInput, opt link.Options) (*spirv.Module, error) {
	inputs := make([]link.Input, len(modules))
	for i, in := range modules {
		m, err := spirv.Decode(in.Code)
		if err != nil {
			name := in.Name
			if name == "" {
				name = fmt.Sprintf("module %d", i+1)
			}
			return nil, &ModuleError{Stage: "decode", Err: fmt.Errorf("%s: %w", name, err)}
		}
		inputs[i] = link.Input{Name: in.Name, Module: m}
	}
	if opt.Resolves == nil {
		opt.Resolves = lower.Resolves
	}
	m, err := link.Link(inputs, opt)
	if err != nil {
		return nil, &ModuleError{Stage: "link", Err: err}
	}
	return m, nil
}

// LinkProgram loads several SPIR-V binaries as one program: what one of them
// imports, another one has to export. The error is a [*ModuleError], of stage "link"
// where the modules do not go together.
func (d *Device) LinkProgram(modules []LinkInput, opt ProgramOptions) (*Program, error) {
	return d.LinkProgramContext(context.Background(), modules, opt)
}

// LinkProgramContext is [Device.LinkProgram] until the context ends, whose error it returns then.
func (d *Device) LinkProgramContext(ctx context.Context, modules []LinkInput, opt ProgramOptions) (*Program, error) {
	if d == nil || d.engine == nil {
		return nil, fmt.Errorf("device: %w", ErrInvalid)
	}
	m, err := linkModules(modules, link.Options{})
	if err != nil {
		return nil, err
	}
	return d.moduleProgram(ctx, m, opt)
}
