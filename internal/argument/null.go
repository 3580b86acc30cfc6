package argument

import (
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
)

// null is a null pointer.
type null struct{}

func (null) Noun(*argspec.Arg) string { return "a null pointer" }

func (null) Suits(_ *argspec.Arg, p *emu.Param) bool { return p.Kind == isa.ParamGlobal }

func (null) Make(*emu.Device, *argspec.Arg, Options) (*Made, error) {
	return &Made{Arg: emu.Null()}, nil
}
