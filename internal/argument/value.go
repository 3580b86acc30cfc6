package argument

import (
	"math"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
)

// value is bytes by value.
type value struct{}

func (value) Noun(*argspec.Arg) string { return "a value" }

func (value) Suits(_ *argspec.Arg, p *emu.Param) bool { return p.Kind == isa.ParamValue }

// Make fits the value to its parameter. What does not fit goes on as it is: the launch says so.
func (value) Make(_ *emu.Device, a *argspec.Arg, o Options) (*Made, error) {
	if data, err := a.Fit(int(min(o.Size, math.MaxInt32))); err == nil {
		return &Made{Arg: emu.Bytes(data)}, nil
	}
	return &Made{Arg: emu.Bytes(a.Data)}, nil
}
