package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
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

// switchVector ends a block with a switch whose lanes may part: they all wait at their targets, and those at the lowest
// block go on.
func (k *builder) switchVector(b *plan.Block) {
	in := b.Terminator
	t := &k.plan.Kernel.Switches[in.Imm]
	if in.Type.Bank() != isa.Bank32 || len(t.Values) > maxCases {
		k.Jmp(k.exit(b.End, wave.ExitPart))
		return
	}
	if k.plan.Kernel.UsesPipes {
		k.unlessChoosy(b.End)
	}
	var targets []int
	for _, to := range t.Targets {
		if !slices.Contains(targets, to) && to != t.Default {
			targets = append(targets, to)
		}
	}
	for _, to := range targets {
		var values []uint64
		for i, v := range t.Values {
			if t.Targets[i] == to {
				values = append(values, v)
			}
		}
		k.parting(to, func() {
			k.selected(amd64.Mem{Base: amd64.R11, Disp: int32(b.Mask)}, values)
			k.G(amd64.AND, amd64.B64, amd64.RDX, amd64.Mem{Base: amd64.R9})
			k.G(amd64.XOR, amd64.B64, amd64.Mem{Base: amd64.R9}, amd64.RDX)
		})
	}
	k.parting(t.Default, func() { k.G(amd64.MOV, amd64.B64, amd64.RDX, amd64.Mem{Base: amd64.R9}) })
	k.G(amd64.MOV, amd64.B32, amd64.RDX, amd64.Imm(k.block))
	k.Jmp(k.pick)
	k.queued = true
}

// parting lets lanes wait at a block: those that lanes leaves in RDX, given a chunk's registers in R11 and the lanes of it that
// have no target yet at R9. RAX, RBX, RCX and R8 are not for lanes, but RBX.
func (k *builder) parting(to int, lanes func()) {
	any, none := amd64.RAX, k.NewLabel()
	k.waitAt(amd64.Imm(to))
	k.G(amd64.MOV, amd64.B64, amd64.R11, field(wave.FrameBase))
	k.G(amd64.MOV, amd64.B64, amd64.R9, field(wave.FrameExec))
	k.G(amd64.XOR, amd64.B32, any, any)
	k.chunks(func() {
		lanes()
		k.G(amd64.OR, amd64.B64, amd64.Mem{Base: amd64.R8}, amd64.RDX)
		k.G(amd64.OR, amd64.B64, any, amd64.RDX)
		k.G(amd64.ADD, amd64.B64, amd64.R11, regStride)
		k.next(amd64.R8, amd64.R9)
	})
	k.G(amd64.TEST, amd64.B64, any, any)
	k.Jcc(amd64.IsZero, none)
	k.mark(to)
	k.Bind(none)
}

// selected puts the lanes of a chunk into RDX whose element of 32 bits at m is one of the values. It changes RBX.
func (k *builder) selected(m amd64.Mem, values []uint64) {
	if k.features&amd64.AVX512 == 0 {
		k.selected2(m, values)
		return
	}
	x, found, each := amd64.Vec(0), amd64.Mask(1), amd64.Mask(2)
	for part := range 4 {
		k.V(amd64.VMOVDQU32, amd64.Z, x, m.Plus(int32(64*part)))
		for i, v := range values {
			c := k.Const32(uint32(v)).Bcast()
			if i == 0 {
				k.V(amd64.VPCMPUD, amd64.Z, found, x, c, amd64.Imm(intEqual))
				continue
			}
			k.V(amd64.VPCMPUD, amd64.Z, each, x, c, amd64.Imm(intEqual))
			k.V(amd64.KORW, amd64.X, found, found, each)
		}
		to := amd64.RDX
		if part > 0 {
			to = amd64.RBX
		}
		k.V(amd64.KMOVW, amd64.X, to, found)
		if part > 0 {
			k.G(amd64.SHL, amd64.B64, amd64.RBX, amd64.Imm(16*part))
			k.G(amd64.OR, amd64.B64, amd64.RDX, amd64.RBX)
		}
	}
}

// selected2 is selected without AVX-512.
func (k *builder) selected2(m amd64.Mem, values []uint64) {
	x, found, each := amd64.Vec(0), amd64.Vec(1), amd64.Vec(2)
	for part := range 8 {
		k.V(amd64.VMOVDQU32, amd64.Y, x, m.Plus(int32(32*part)))
		for i, v := range values {
			d := found
			if i > 0 {
				d = each
			}
			k.V(amd64.VPBROADCASTD, amd64.Y, d, k.Const32(uint32(v)))
			k.V(amd64.VPCMPEQD, amd64.Y, d, x, d)
			if i > 0 {
				k.V(amd64.VPORQ, amd64.Y, found, found, each)
			}
		}
		to := amd64.RDX
		if part > 0 {
			to = amd64.RBX
		}
		k.V(amd64.VMOVMSKPS, amd64.Y, to, found)
		if part > 0 {
			k.G(amd64.SHL, amd64.B64, amd64.RBX, amd64.Imm(8*part))
			k.G(amd64.OR, amd64.B64, amd64.RDX, amd64.RBX)
		}
	}
}
