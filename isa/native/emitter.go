package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// emitter emits the machine code of an instruction for a group of lanes.
type emitter func(c *compiler, in *isa.Inst)

// family returns the emitter of an instruction, or nil if the instruction is none of the family's or the
// processor cannot do it.
type family func(f amd64.Features, in *isa.Inst) emitter
