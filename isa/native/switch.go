package native

import (
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// maxCases bounds the cases of a switch that are compared one after the other.
const maxCases = 32

// switchScalar ends a block with a switch that takes all running lanes to the same block.
func (k *builder) switchScalar(b *plan.Block) {
	t := &k.plan.Kernel.Switches[b.Terminator.Imm]
	if len(t.Values) > maxCases {
		k.Jmp(k.exit(b.End, wave.ExitPart))
		return
	}
	k.G(amd64.MOV, amd64.B64, amd64.RAX, scalar(b.Terminator.A))
	var cases []amd64.Label
	for _, v := range t.Values {
		l := k.NewLabel()
		cases = append(cases, l)
		if int64(v) == int64(int32(v)) {
			k.G(amd64.CMP, amd64.B64, amd64.RAX, amd64.Imm(int64(v)))
		} else {
			k.G(amd64.MOV, amd64.B64, amd64.RCX, amd64.Imm(int64(v)))
			k.G(amd64.CMP, amd64.B64, amd64.RAX, amd64.RCX)
		}
		k.Jcc(amd64.Equal, l)
	}
	k.advance(t.Default, b.End)
	for i, l := range cases {
		k.Bind(l)
		k.advance(t.Targets[i], b.End)
	}
}
