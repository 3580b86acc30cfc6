package argument

import (
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
)

// local is local memory for a pointer.
type local struct{}

func (local) Noun(*argspec.Arg) string { return "local memory" }

func (local) Suits(_ *argspec.Arg, p *emu.Param) bool { return p.Kind == isa.ParamLocal }

func (local) Make(_ *emu.Device, a *argspec.Arg, _ Options) (*Made, error) {
	return &Made{Arg: emu.LocalBytes(uint64(a.Count))}, nil
}
