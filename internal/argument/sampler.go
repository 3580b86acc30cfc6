package argument

import (
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
)

// sampler is a sampler.
type sampler struct{}

func (sampler) Noun(*argspec.Arg) string { return "a sampler" }

func (sampler) Suits(_ *argspec.Arg, p *emu.Param) bool { return p.Kind == isa.ParamSampler }

func (sampler) Make(_ *emu.Device, a *argspec.Arg, _ Options) (*Made, error) {
	s := a.Sampler
	return &Made{Arg: emu.Sampler{Normalized: s.Normalized, Addressing: s.Addressing, Linear: s.Linear, MipLinear: s.MipLinear, MinLod: s.MinLod, MaxLod: s.MaxLod}}, nil
}
