package argument

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
)

// pipe is a pipe. Who runs the launch makes it, and feeds and drains it.
type pipe struct{}

func (pipe) Noun(*argspec.Arg) string { return "a pipe" }

func (pipe) Suits(_ *argspec.Arg, p *emu.Param) bool { return p.Kind == isa.ParamPipe }

func (pipe) Make(*emu.Device, *argspec.Arg, Options) (*Made, error) {
	return nil, errors.New("a pipe of a kernel's own has no support here")
}
