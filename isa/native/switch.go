package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
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
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Scalar(b.Terminator.A))
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
	if len(t.Values) > maxCases {
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
			k.selected(in.Type.Bits(), amd64.Mem{Base: amd64.R11, Disp: int32(b.Mask)}, values)
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
	k.G(amd64.MOV, amd64.B64, amd64.R11, x86.Field(wave.FrameBase))
	k.G(amd64.MOV, amd64.B64, amd64.R9, x86.Field(wave.FrameExec))
	k.G(amd64.XOR, amd64.B32, any, any)
	k.chunks(func() {
		lanes()
		k.G(amd64.OR, amd64.B64, amd64.Mem{Base: amd64.R8}, amd64.RDX)
		k.G(amd64.OR, amd64.B64, any, amd64.RDX)
		k.G(amd64.ADD, amd64.B64, amd64.R11, x86.RegStride)
		k.next(amd64.R8, amd64.R9)
	})
	k.G(amd64.TEST, amd64.B64, any, any)
	k.Jcc(amd64.IsZero, none)
	k.mark(to)
	k.Bind(none)
}

// selected puts the lanes of a chunk into RDX whose element, of so many bits, at m is one of the values. It changes RBX.
func (k *builder) selected(size int, m amd64.Mem, values []uint64) {
	if k.CPU&amd64.AVX512 == 0 {
		k.selected2(size, m, values)
		return
	}
	compare := map[int]amd64.Op{8: amd64.VPCMPUB, 16: amd64.VPCMPUW, 32: amd64.VPCMPUD, 64: amd64.VPCMPUQ}[size]
	x, value, found, each := amd64.Vec(0), amd64.Vec(1), amd64.Mask(1), amd64.Mask(2)
	for part := range size / 8 {
		k.V(amd64.VMOVDQU32, amd64.Z, x, m.Plus(int32(64*part)))
		for i, v := range values {
			d := found
			if i > 0 {
				d = each
			}
			var with amd64.Operand = value
			switch size {
			case 32:
				with = k.Const32(uint32(v)).Bcast()
			case 64:
				with = k.Const64(v).Bcast()
			default:
				k.V(amd64.VPBROADCASTQ, amd64.Z, value, k.Const64(repeat(size, v)))
			}
			k.V(compare, amd64.Z, d, x, with, amd64.Imm(x86.IntEqual))
			if i > 0 {
				k.V(amd64.KORQ, amd64.X, found, found, each)
			}
		}
		k.addLanes(512/size*part, func(to amd64.Reg) { k.V(amd64.KMOVQ, amd64.X, to, found) })
	}
}

// repeat fills 64 bits with a number of so many bits.
func repeat(size int, v uint64) uint64 {
	for ; size < 64; size *= 2 {
		v = v<<size | v&(1<<size-1)
	}
	return v
}

// addLanes gives RDX what bits puts into a register, the first bit as number at, which is 0 the first time.
func (k *builder) addLanes(at int, bits func(to amd64.Reg)) {
	if at == 0 {
		bits(amd64.RDX)
		return
	}
	bits(amd64.RBX)
	k.G(amd64.SHL, amd64.B64, amd64.RBX, amd64.Imm(at))
	k.G(amd64.OR, amd64.B64, amd64.RDX, amd64.RBX)
}

// selected2 is selected without AVX-512.
func (k *builder) selected2(size int, m amd64.Mem, values []uint64) {
	compare := map[int]amd64.Op{8: amd64.VPCMPEQB, 16: amd64.VPCMPEQW, 32: amd64.VPCMPEQD, 64: amd64.VPCMPEQQ}[size]
	x, each := amd64.Vec(0), amd64.Vec(2)
	// vector leaves in found where elements are one of the values.
	vector := func(found amd64.Vec, w amd64.Width, at int) {
		k.V(amd64.VMOVDQU32, w, x, m.Plus(int32(at)))
		for i, v := range values {
			d := found
			if i > 0 {
				d = each
			}
			k.V(amd64.VPBROADCASTQ, w, d, k.Const64(repeat(size, v)))
			k.V(compare, w, d, x, d)
			if i > 0 {
				k.V(amd64.VPORQ, w, found, found, each)
			}
		}
	}
	if size == 16 {
		// There are no signs of elements of 16 bits: they become bytes.
		for part := range 4 {
			vector(1, amd64.X, 32*part)
			vector(3, amd64.X, 32*part+16)
			k.V(amd64.VPACKSSWB, amd64.X, amd64.Vec(1), amd64.Vec(1), amd64.Vec(3))
			k.addLanes(16*part, func(to amd64.Reg) { k.V(amd64.VPMOVMSKB, amd64.X, to, amd64.Vec(1)) })
		}
		return
	}
	signs := map[int]amd64.Op{8: amd64.VPMOVMSKB, 32: amd64.VMOVMSKPS, 64: amd64.VMOVMSKPD}[size]
	for part := range size / 4 {
		vector(1, amd64.Y, 32*part)
		k.addLanes(256/size*part, func(to amd64.Reg) { k.V(signs, amd64.Y, to, amd64.Vec(1)) })
	}
}
