package mux

import (
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/link"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// linkSources makes one program of several. An import that none of them defines stays if the
// target's built-ins serve it or the lowering knows the function by its name.
func linkSources(list []*source, library bool, builtins *spirv.Module) (*source, error) {
	served := map[string]bool{}
	if builtins != nil {
		info, err := spirv.Reflect(builtins)
		if err != nil {
			return nil, err
		}
		for _, e := range info.Exports {
			served[e.Name] = true
		}
	}
	inputs := make([]link.Input, len(list))
	for i, s := range list {
		inputs[i] = link.Input{Name: s.info.Source.File, Module: s.module}
	}
	return linked(inputs, link.Options{Library: library, Resolves: func(name string) bool { return served[name] || lower.Resolves(name) }})
}

// linkBuiltins makes the target's built-ins a part of a program.
func linkBuiltins(s *source, builtins *spirv.Module) (*source, error) {
	out, err := linked([]link.Input{{Name: s.info.Source.File, Module: s.module}, {Name: "the target's built-ins", Module: builtins}}, link.Options{Partial: true})
	if err != nil {
		return nil, err
	}
	out.openCLC = s.openCLC
	return out, nil
}

func linked(inputs []link.Input, opt link.Options) (*source, error) {
	m, err := link.Link(inputs, opt)
	if err != nil {
		return nil, err
	}
	if err := validate.Validate(m, validate.Options{MaxErrors: 10}).Err(); err != nil {
		return nil, err
	}
	info, err := spirv.Reflect(m)
	if err != nil {
		return nil, err
	}
	return &source{module: m, info: info}, nil
}
