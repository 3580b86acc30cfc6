package emu

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// BuildProgram compiles OpenCL C and loads the module, as clBuildProgram does. Options are those of
// clBuildProgram, separated by spaces: "-D N=64 -cl-std=CL2.0". The log has what the compiler says, warnings
// and errors, also when there is an error. A source that is wrong is a [*clc.Error], options that are wrong
// are a [*clc.OptionError], and a module that the device refuses is a [*ModuleError]. Sources can include
// nothing; see [Device.BuildProgramContext].
func (d *Device) BuildProgram(source, options string) (*Program, clc.Log, error) {
	var o clc.Options
	words, err := clc.SplitOptions(options)
	if err == nil {
		err = o.Add(words)
	}
	if err != nil {
		return nil, clc.Log{}, err
	}
	return d.BuildProgramContext(context.Background(), clc.Source{Name: "program.cl", Text: source}, o, ProgramOptions{})
}

// BuildProgramContext is [Device.BuildProgram] with a name for the source, headers, and options for the
// program. It ends early when the context does. Findings show the text of the source unless
// ProgramOptions.Sources says otherwise.
func (d *Device) BuildProgramContext(ctx context.Context, src clc.Source, options clc.Options, opt ProgramOptions) (*Program, clc.Log, error) {
	if d == nil || d.engine == nil {
		return nil, clc.Log{}, fmt.Errorf("device: %w", ErrInvalid)
	}
	res, err := clc.Compile(ctx, src, options)
	if err != nil {
		if wrong, ok := err.(*clc.Error); ok {
			return nil, wrong.Log, err
		}
		return nil, clc.Log{}, err
	}
	if opt.Sources == nil {
		opt.Sources = func(name string) ([]byte, error) {
			if name == src.Name {
				return []byte(src.Text), nil
			}
			if text, ok := options.Headers[name]; ok {
				return []byte(text), nil
			}
			return nil, fmt.Errorf("%s is not part of the program", name)
		}
	}
	p, err := d.moduleProgram(ctx, res.Module, opt)
	return p, res.Log, err
}
