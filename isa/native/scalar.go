package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// takesScalar says whether there is machine code for an instruction that computes a scalar from scalars.
func takesScalar(_ amd64.Features, in *isa.Inst) bool { return false }

func (k *builder) scalar(p *interp.Part) {}
