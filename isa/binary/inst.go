package binary

import (
	"encoding/binary"

	"github.com/lockstep-gpu/lockstep/isa"
)

// The bits of an instruction's mask: the fields that follow the opcode because
// they are not zero, in this order.
const (
	hasType = 1 << iota
	hasType2
	hasFlags
	hasIdx
	hasSpace
	hasImm2
	hasDst
	hasA
	hasB
	hasC
	hasD
	hasScale
	hasDisp
	hasImm
	hasLoc
)

// instBytes is the least number of bytes of an instruction: opcode and mask.
const instBytes = 3

func (w *writer) inst(in *isa.Inst) {
	mask := 0
	has := func(set bool, bit int) {
		if set {
			mask |= bit
		}
	}
	has(in.Type != 0, hasType)
	has(in.Type2 != 0, hasType2)
	has(in.Flags != 0, hasFlags)
	has(in.Idx != 0, hasIdx)
	has(in.Space != 0, hasSpace)
	has(in.Imm2 != 0, hasImm2)
	has(in.Dst != 0, hasDst)
	has(in.A != 0, hasA)
	has(in.B != 0, hasB)
	has(in.C != 0, hasC)
	has(in.D != 0, hasD)
	has(in.Scale != 0, hasScale)
	has(in.Disp != 0, hasDisp)
	has(in.Imm != 0, hasImm)
	has(in.Loc != 0, hasLoc)
	out := binary.AppendUvarint(w.out, uint64(in.Op))
	out = append(out, byte(mask), byte(mask>>8))
	for i, b := range [...]byte{byte(in.Type), byte(in.Type2), byte(in.Flags), byte(in.Idx), byte(in.Space), in.Imm2} {
		if mask&(hasType<<i) != 0 {
			out = append(out, b)
		}
	}
	for i, reg := range [...]isa.Reg{in.Dst, in.A, in.B, in.C, in.D} {
		if mask&(hasDst<<i) != 0 {
			out = binary.AppendVarint(out, int64(reg))
		}
	}
	if mask&hasScale != 0 {
		out = binary.AppendUvarint(out, uint64(in.Scale))
	}
	if mask&hasDisp != 0 {
		out = binary.AppendVarint(out, int64(in.Disp))
	}
	if mask&hasImm != 0 {
		out = binary.AppendUvarint(out, uint64(in.Imm))
	}
	if mask&hasLoc != 0 {
		out = binary.AppendUvarint(out, uint64(in.Loc))
	}
	w.out = out
}

func (r *reader) inst(in *isa.Inst) {
	op := r.uint()
	if op > 1<<16-1 {
		r.fail("opcode %d", op)
	}
	in.Op = isa.Op(op)
	mask := int(r.byte())
	mask |= int(r.byte()) << 8
	if mask&hasType != 0 {
		in.Type = isa.Type(r.byte())
	}
	if mask&hasType2 != 0 {
		in.Type2 = isa.Type(r.byte())
	}
	if mask&hasFlags != 0 {
		in.Flags = isa.Flags(r.byte())
	}
	if mask&hasIdx != 0 {
		in.Idx = isa.IdxType(r.byte())
	}
	if mask&hasSpace != 0 {
		in.Space = isa.Space(r.byte())
	}
	if mask&hasImm2 != 0 {
		in.Imm2 = r.byte()
	}
	if mask&hasDst != 0 {
		in.Dst = isa.Reg(r.int32())
	}
	if mask&hasA != 0 {
		in.A = isa.Reg(r.int32())
	}
	if mask&hasB != 0 {
		in.B = isa.Reg(r.int32())
	}
	if mask&hasC != 0 {
		in.C = isa.Reg(r.int32())
	}
	if mask&hasD != 0 {
		in.D = isa.Reg(r.int32())
	}
	if mask&hasScale != 0 {
		in.Scale = r.uint32()
	}
	if mask&hasDisp != 0 {
		in.Disp = r.int32()
	}
	if mask&hasImm != 0 {
		in.Imm = r.uint32()
	}
	if mask&hasLoc != 0 {
		in.Loc = r.uint32()
	}
	if mask>>15 != 0 {
		r.fail("an instruction with unknown fields")
	}
}

// locBytes is the least number of bytes of a place: its six numbers.
const locBytes = 6

// loc writes a place as its distance from the one before, which is short.
func (w *writer) loc(l, before *isa.Loc) {
	out := binary.AppendVarint(w.out, int64(l.Word)-int64(before.Word))
	out = binary.AppendUvarint(out, uint64(l.File))
	out = binary.AppendVarint(out, int64(l.Line)-int64(before.Line))
	out = binary.AppendUvarint(out, uint64(l.Column))
	out = binary.AppendVarint(out, int64(l.Func)-int64(before.Func))
	w.out = binary.AppendVarint(out, int64(l.At)-int64(before.At))
}

func (r *reader) loc(l, before *isa.Loc) {
	l.Word = r.near(before.Word)
	l.File = r.uint32()
	l.Line = r.near(before.Line)
	l.Column = r.uint32()
	l.Func = r.near(before.Func)
	l.At = r.near(before.At)
}

// near reads a number of 32 bits that is written as its distance from another.
func (r *reader) near(n uint32) uint32 {
	d := r.int()
	v := int64(n) + d
	if d < -1<<32 || d > 1<<32 || v < 0 || v > 1<<32-1 {
		r.fail("%d away from %d does not fit in 32 bits", d, n)
	}
	return uint32(v)
}
