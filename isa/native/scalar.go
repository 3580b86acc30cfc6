package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Scalar instructions work in general registers, on the scalar registers in memory, which are kept
// zero-extended: the first three operands come into RAX, RCX and RDX, or the vector registers of those
// numbers, and the result leaves in the first.
const (
	scalarA = amd64.RAX
	scalarB = amd64.RCX
	scalarC = amd64.RDX
)

// scalarEmitter emits a scalar instruction. Point is where package interp does it where this cannot.
type scalarEmitter func(k *builder, in *isa.Inst, p *plan.Part)

// takesScalar says whether there is machine code for an instruction that computes a scalar from scalars.
func takesScalar(_ amd64.Features, in *isa.Inst) bool { return findScalar(in) != nil }

// findScalar returns the emitter of an instruction, or nil.
func findScalar(in *isa.Inst) scalarEmitter {
	switch {
	case in.Op == isa.OpMov:
		return (*builder).movScalar
	case in.Op == isa.OpSelect:
		return (*builder).selectScalar
	case in.Op == isa.OpLoad:
		return (*builder).loadScalar
	case in.Op == isa.OpBuiltin:
		return (*builder).builtinScalar
	case in.Op == isa.OpPtrAdd:
		return (*builder).ptrAddScalar
	case in.Op == isa.OpPtrDiff:
		return (*builder).ptrDiffScalar
	case in.Op.Info().Shape == isa.ShapeConvert:
		return convertScalar(in)
	case in.Type == isa.B1:
		return boolScalars[in.Op]
	case in.Type.IsInt():
		return intScalars[in.Op]
	case in.Type == isa.F32 || in.Type == isa.F64:
		return floatScalars[in.Op]
	}
	return nil
}

// scalar emits an instruction of a part.
func (k *builder) scalar(p *plan.Part) { findScalar(p.Scalar)(k, p.Scalar, p) }

// size is the size of general registers that a type is computed in.
func size(t isa.Type) amd64.Size {
	if t.Bits() == 64 {
		return amd64.B64
	}
	return amd64.B32
}

// get loads a scalar operand of type t into a register, extended to 32 bits at least: by its sign, or by
// zeros.
func (k *builder) get(r amd64.Reg, x isa.Reg, t isa.Type, signed bool) {
	op := amd64.MOV
	switch {
	case t.Bits() == 8 && signed:
		op = amd64.MOVSX8
	case t.Bits() <= 8:
		op = amd64.MOVZX8
	case t.Bits() == 16 && signed:
		op = amd64.MOVSX16
	case t.Bits() == 16:
		op = amd64.MOVZX16
	}
	k.G(op, size(t), r, x86.Scalar(x))
}

// put stores a result of type t, whose upper bits in the register may be anything.
func (k *builder) put(x isa.Reg, t isa.Type, r amd64.Reg) {
	switch t.Bits() {
	case 8:
		k.G(amd64.MOVZX8, amd64.B32, r, r)
	case 16:
		k.G(amd64.MOVZX16, amd64.B32, r, r)
	}
	k.G(amd64.MOV, amd64.B64, x86.Scalar(x), r)
}

func (k *builder) movScalar(in *isa.Inst, _ *plan.Part) {
	k.G(amd64.MOV, amd64.B64, scalarA, x86.Scalar(in.A))
	k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
}

func (k *builder) selectScalar(in *isa.Inst, _ *plan.Part) {
	k.G(amd64.MOV, amd64.B64, scalarA, x86.Scalar(in.C))
	k.G(amd64.TEST, amd64.B8, x86.Scalar(in.A), amd64.Imm(1))
	k.CMov(amd64.NotZero, amd64.B64, scalarA, x86.Scalar(in.B))
	k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
}

// boolScalars are the operations on booleans, of which only the lowest bit counts.
var boolScalars = map[isa.Op]scalarEmitter{
	isa.OpAnd: boolScalar(amd64.AND, 0),
	isa.OpOr:  boolScalar(amd64.OR, 0),
	isa.OpXor: boolScalar(amd64.XOR, 0),
	isa.OpNe:  boolScalar(amd64.XOR, 0),
	isa.OpEq:  boolScalar(amd64.XOR, 1),
	isa.OpNot: func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.G(amd64.MOV, amd64.B32, scalarA, x86.Scalar(in.A))
		k.G(amd64.NOT, amd64.B32, scalarA)
		k.G(amd64.AND, amd64.B32, scalarA, amd64.Imm(1))
		k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
	},
}

// boolScalar does op and changes the result if flip is 1.
func boolScalar(op amd64.Gen, flip amd64.Imm) scalarEmitter {
	return func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.G(amd64.MOV, amd64.B32, scalarA, x86.Scalar(in.A))
		k.G(op, amd64.B32, scalarA, x86.Scalar(in.B))
		if flip != 0 {
			k.G(amd64.XOR, amd64.B32, scalarA, flip)
		}
		k.G(amd64.AND, amd64.B32, scalarA, amd64.Imm(1))
		k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
	}
}

// intScalars are the operations on integers.
var intScalars = map[isa.Op]scalarEmitter{
	isa.OpAdd: intScalar(false, func(k *builder, s amd64.Size) { k.G(amd64.ADD, s, scalarA, scalarB) }),
	isa.OpSub: intScalar(false, func(k *builder, s amd64.Size) { k.G(amd64.SUB, s, scalarA, scalarB) }),
	isa.OpMul: intScalar(false, func(k *builder, s amd64.Size) { k.G(amd64.IMUL, s, scalarA, scalarB) }),
	isa.OpMad: intScalar(false, func(k *builder, s amd64.Size) {
		k.G(amd64.IMUL, s, scalarA, scalarB)
		k.G(amd64.ADD, s, scalarA, scalarC)
	}),
	isa.OpAnd: intScalar(false, func(k *builder, s amd64.Size) { k.G(amd64.AND, s, scalarA, scalarB) }),
	isa.OpOr:  intScalar(false, func(k *builder, s amd64.Size) { k.G(amd64.OR, s, scalarA, scalarB) }),
	isa.OpXor: intScalar(false, func(k *builder, s amd64.Size) { k.G(amd64.XOR, s, scalarA, scalarB) }),
	isa.OpNot: intScalar(false, func(k *builder, s amd64.Size) { k.G(amd64.NOT, s, scalarA) }),
	isa.OpNeg: intScalar(false, func(k *builder, s amd64.Size) { k.G(amd64.NEG, s, scalarA) }),
	isa.OpAbs: intScalar(true, func(k *builder, s amd64.Size) {
		k.G(amd64.MOV, s, scalarB, scalarA)
		k.G(amd64.NEG, s, scalarA)
		k.CMov(amd64.Sign, s, scalarA, scalarB)
	}),
	isa.OpShl:  shiftScalar(amd64.SHL, false),
	isa.OpShrU: shiftScalar(amd64.SHR, false),
	isa.OpShrS: shiftScalar(amd64.SAR, true),
	isa.OpRotl: func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.get(scalarA, in.A, in.Type, false)
		k.get(scalarB, in.B, in.Type, false)
		k.G(amd64.ROL, amd64.Size(in.Type.Bits()), scalarA, scalarB)
		k.put(in.Dst, in.Type, scalarA)
	},
	isa.OpMinS: chooseScalar(true, amd64.Greater),
	isa.OpMaxS: chooseScalar(true, amd64.Less),
	isa.OpMinU: chooseScalar(false, amd64.Above),
	isa.OpMaxU: chooseScalar(false, amd64.Below),
	isa.OpEq:   compareScalar(false, amd64.Equal),
	isa.OpNe:   compareScalar(false, amd64.NotEqual),
	isa.OpLtS:  compareScalar(true, amd64.Less),
	isa.OpLeS:  compareScalar(true, amd64.LessEqual),
	isa.OpLtU:  compareScalar(false, amd64.Below),
	isa.OpLeU:  compareScalar(false, amd64.BelowEqual),
	isa.OpDivU: divideScalar(false, false),
	isa.OpRemU: divideScalar(false, true),
	isa.OpDivS: divideScalar(true, false),
	isa.OpRemS: divideScalar(true, true),
	isa.OpPopCount: intScalar(false, func(k *builder, s amd64.Size) {
		k.G(amd64.POPCNT, s, scalarA, scalarA)
	}),
	isa.OpClz: func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.get(scalarA, in.A, in.Type, false)
		k.G(amd64.LZCNT, size(in.Type), scalarA, scalarA)
		if n := in.Type.Bits(); n < 32 {
			k.G(amd64.SUB, amd64.B32, scalarA, amd64.Imm(32-n))
		}
		k.put(in.Dst, in.Type, scalarA)
	},
	isa.OpCtz: func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.get(scalarA, in.A, in.Type, false)
		if n := in.Type.Bits(); n < 32 {
			k.G(amd64.OR, amd64.B32, scalarA, amd64.Imm(1<<n))
		}
		k.G(amd64.TZCNT, size(in.Type), scalarA, scalarA)
		k.put(in.Dst, in.Type, scalarA)
	},
}

// intScalar loads the operands, extended by their signs or by zeros, and stores the result.
func intScalar(signed bool, op func(k *builder, s amd64.Size)) scalarEmitter {
	return func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.operands(in, signed)
		op(k, size(in.Type))
		k.put(in.Dst, in.Type, scalarA)
	}
}

// operands loads up to three operands.
func (k *builder) operands(in *isa.Inst, signed bool) {
	for i, x := range [...]isa.Reg{in.A, in.B, in.C} {
		if x != isa.None {
			k.get([...]amd64.Reg{scalarA, scalarB, scalarC}[i], x, in.Type, signed)
		}
	}
}

// shiftScalar takes the amount modulo the width, as the processor does for 32 and 64 bits.
func shiftScalar(op amd64.Gen, signed bool) scalarEmitter {
	return func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.operands(in, signed)
		if n := in.Type.Bits(); n < 32 {
			k.G(amd64.AND, amd64.B32, scalarB, amd64.Imm(n-1))
		}
		k.G(op, size(in.Type), scalarA, scalarB)
		k.put(in.Dst, in.Type, scalarA)
	}
}

// chooseScalar is the second operand if the first compares with it as c says, and otherwise the first.
func chooseScalar(signed bool, c amd64.Cond) scalarEmitter {
	return intScalar(signed, func(k *builder, s amd64.Size) {
		k.G(amd64.CMP, s, scalarA, scalarB)
		k.CMov(c, s, scalarA, scalarB)
	})
}

func compareScalar(signed bool, c amd64.Cond) scalarEmitter {
	return func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.operands(in, signed)
		k.G(amd64.XOR, amd64.B32, scalarC, scalarC)
		k.G(amd64.CMP, size(in.Type), scalarA, scalarB)
		k.Set(c, scalarC)
		k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarC)
	}
}

// divideScalar leaves divisions by zero, and signed ones by -1, to package interp.
func divideScalar(signed, rest bool) scalarEmitter {
	return func(k *builder, in *isa.Inst, p *plan.Part) {
		s := size(in.Type)
		k.get(scalarA, in.A, in.Type, signed)
		k.get(scalarB, in.B, in.Type, signed)
		exit := k.exit(p.Point, wave.ExitPart)
		k.G(amd64.TEST, s, scalarB, scalarB)
		k.Jcc(amd64.IsZero, exit)
		if signed {
			k.G(amd64.CMP, s, scalarB, amd64.Imm(-1))
			k.Jcc(amd64.Equal, exit)
			k.G(amd64.CDQ, s)
			k.G(amd64.IDIV, s, scalarB)
		} else {
			k.G(amd64.XOR, amd64.B32, amd64.RDX, amd64.RDX)
			k.G(amd64.DIV, s, scalarB)
		}
		if rest {
			k.G(amd64.MOV, s, scalarA, amd64.RDX)
		}
		k.put(in.Dst, in.Type, scalarA)
	}
}

// convertScalar returns the emitter of a conversion.
func convertScalar(in *isa.Inst) scalarEmitter {
	from, to := in.Type2, in.Type
	switch {
	case in.Op >= isa.OpPtrPack32 && in.Op <= isa.OpPtrAt:
		return nil
	case from.IsInt() && to.IsInt():
		if from.Bits() == to.Bits() {
			return (*builder).movScalar
		}
		// The widths decide, whatever the opcode is called.
		signed := in.Op == isa.OpSExt
		return func(k *builder, in *isa.Inst, _ *plan.Part) {
			switch {
			case from.Bits() > to.Bits():
				k.get(scalarA, in.A, to, false)
			case to.Bits() == 64:
				k.getWide(scalarA, in.A, from, signed)
			default:
				k.get(scalarA, in.A, from, signed)
			}
			k.put(in.Dst, to, scalarA)
		}
	case in.Flags.Round() != isa.RoundDefault, to != isa.F32 && to != isa.F64:
		return nil
	case in.Op == isa.OpSToF, in.Op == isa.OpUToF && from.Bits() < 64:
		return func(k *builder, in *isa.Inst, _ *plan.Part) {
			k.getWide(scalarA, in.A, from, in.Op == isa.OpSToF)
			op := amd64.VCVTSI2SSQ
			if to == isa.F64 {
				op = amd64.VCVTSI2SDQ
			}
			k.V(amd64.VPXORD, amd64.X, amd64.Vec(0), amd64.Vec(0), amd64.Vec(0))
			k.V(op, amd64.X, amd64.Vec(0), amd64.Vec(0), scalarA)
			k.putFloat(in.Dst, to)
		}
	case in.Op == isa.OpFToF && from != to && (from == isa.F32 || from == isa.F64):
		return func(k *builder, in *isa.Inst, _ *plan.Part) {
			k.getFloat(0, in.A, from)
			op := amd64.VCVTSS2SD
			if to == isa.F32 {
				op = amd64.VCVTSD2SS
			}
			k.V(op, amd64.X, amd64.Vec(0), amd64.Vec(0), amd64.Vec(0))
			k.canonicalScalar(to)
			k.putFloat(in.Dst, to)
		}
	}
	return nil
}

// getWide loads a scalar operand of type t into a register, extended to 64 bits: by its sign, or by zeros.
func (k *builder) getWide(r amd64.Reg, x isa.Reg, t isa.Type, signed bool) {
	op := amd64.MOV
	switch {
	case !signed || t.Bits() == 64:
		k.get(r, x, t, false)
		return
	case t.Bits() == 8:
		op = amd64.MOVSX8
	case t.Bits() == 16:
		op = amd64.MOVSX16
	default:
		op = amd64.MOVSX32
	}
	k.G(op, amd64.B64, r, x86.Scalar(x))
}

// floatPair is an instruction on a float of 32 and of 64 bits.
type floatPair [2]amd64.Op

func (p floatPair) of(t isa.Type) amd64.Op {
	if t == isa.F64 {
		return p[1]
	}
	return p[0]
}

var (
	scalarMove  = floatPair{amd64.VMOVSS, amd64.VMOVSD}
	scalarOrder = floatPair{amd64.VUCOMISS, amd64.VUCOMISD}
	scalarCmp   = floatPair{amd64.VCMPSS, amd64.VCMPSD}
	scalarMul   = floatPair{amd64.VMULSS, amd64.VMULSD}
	scalarAdd   = floatPair{amd64.VADDSS, amd64.VADDSD}
	scalarFma   = floatPair{amd64.VFMADD213SS, amd64.VFMADD213SD}
	scalarSqrt  = floatPair{amd64.VSQRTSS, amd64.VSQRTSD}
)

func (k *builder) getFloat(r int, x isa.Reg, t isa.Type) {
	k.V(scalarMove.of(t), amd64.X, amd64.Vec(r), x86.Scalar(x))
}

// putFloat stores vector register 0.
func (k *builder) putFloat(x isa.Reg, t isa.Type) {
	if t == isa.F32 {
		k.V(amd64.VMOVD, amd64.X, scalarA, amd64.Vec(0))
	} else {
		k.V(amd64.VMOVQ, amd64.X, scalarA, amd64.Vec(0))
	}
	k.G(amd64.MOV, amd64.B64, x86.Scalar(x), scalarA)
}

// canonicalScalar makes a NaN in vector register 0 the canonical one.
func (k *builder) canonicalScalar(t isa.Type) {
	number := k.NewLabel()
	k.V(scalarOrder.of(t), amd64.X, amd64.Vec(0), amd64.Vec(0))
	k.Jcc(amd64.ParityOdd, number)
	if t == isa.F64 {
		k.V(amd64.VMOVSD, amd64.X, amd64.Vec(0), k.Const64(0x7ff8000000000000))
	} else {
		k.V(amd64.VMOVSS, amd64.X, amd64.Vec(0), k.Const32(0x7fc00000))
	}
	k.Bind(number)
}

// floatScalars are the operations on floats.
var floatScalars = map[isa.Op]scalarEmitter{
	isa.OpFAdd: floatScalar(scalarAdd),
	isa.OpFSub: floatScalar(floatPair{amd64.VSUBSS, amd64.VSUBSD}),
	isa.OpFMul: floatScalar(scalarMul),
	isa.OpFDiv: floatScalar(floatPair{amd64.VDIVSS, amd64.VDIVSD}),
	isa.OpFMulAdd: func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.floats(in)
		k.V(scalarMul.of(in.Type), amd64.X, amd64.Vec(0), amd64.Vec(0), amd64.Vec(1))
		k.V(scalarAdd.of(in.Type), amd64.X, amd64.Vec(0), amd64.Vec(0), amd64.Vec(2))
		k.canonicalScalar(in.Type)
		k.putFloat(in.Dst, in.Type)
	},
	isa.OpFma: func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.floats(in)
		k.V(scalarFma.of(in.Type), amd64.X, amd64.Vec(0), amd64.Vec(1), amd64.Vec(2))
		k.canonicalScalar(in.Type)
		k.putFloat(in.Dst, in.Type)
	},
	isa.OpSqrt: func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.floats(in)
		k.V(scalarSqrt.of(in.Type), amd64.X, amd64.Vec(0), amd64.Vec(0), amd64.Vec(0))
		k.canonicalScalar(in.Type)
		k.putFloat(in.Dst, in.Type)
	},
	isa.OpFNeg: signScalar(amd64.BTC),
	isa.OpFAbs: signScalar(amd64.BTR),

	isa.OpFOEq: orderScalar(x86.CmpEqual),
	isa.OpFONe: orderScalar(x86.CmpNotEqual),
	isa.OpFOLt: orderScalar(x86.CmpLess),
	isa.OpFOLe: orderScalar(x86.CmpLessEqual),
	isa.OpFUEq: orderScalar(x86.CmpEqualU),
	isa.OpFUNe: orderScalar(x86.CmpNotEqualU),
	isa.OpFULt: orderScalar(x86.CmpNotGreaterEqU),
	isa.OpFULe: orderScalar(x86.CmpNotGreaterU),
	isa.OpFOrd: orderScalar(x86.CmpOrdered),
	isa.OpFUno: orderScalar(x86.CmpUnordered),
}

// floats loads up to three operands into the first vector registers.
func (k *builder) floats(in *isa.Inst) {
	for i, x := range [...]isa.Reg{in.A, in.B, in.C} {
		if x != isa.None {
			k.getFloat(i, x, in.Type)
		}
	}
}

func floatScalar(op floatPair) scalarEmitter {
	return func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.floats(in)
		k.V(op.of(in.Type), amd64.X, amd64.Vec(0), amd64.Vec(0), amd64.Vec(1))
		k.canonicalScalar(in.Type)
		k.putFloat(in.Dst, in.Type)
	}
}

// signScalar does op to the sign bit.
func signScalar(op amd64.Gen) scalarEmitter {
	return func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.get(scalarA, in.A, in.Type, false)
		k.G(op, size(in.Type), scalarA, amd64.Imm(in.Type.Bits()-1))
		k.put(in.Dst, in.Type, scalarA)
	}
}

// orderScalar compares floats.
func orderScalar(predicate amd64.Imm) scalarEmitter {
	return func(k *builder, in *isa.Inst, _ *plan.Part) {
		k.floats(in)
		k.V(scalarCmp.of(in.Type), amd64.X, amd64.Vec(0), amd64.Vec(0), amd64.Vec(1), predicate)
		k.V(amd64.VMOVD, amd64.X, scalarA, amd64.Vec(0))
		k.G(amd64.AND, amd64.B32, scalarA, amd64.Imm(1))
		k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
	}
}

// index puts what the index adds to an address into RCX, or goes to beyond if 64 bits do not hold it: it must
// not come back as a small number. It may change RDX.
func (k *builder) index(in *isa.Inst, beyond amd64.Label) {
	switch in.Idx {
	case isa.IdxNone:
		k.G(amd64.XOR, amd64.B32, scalarB, scalarB)
		return
	case isa.IdxS32:
		k.G(amd64.MOVSX32, amd64.B64, scalarB, x86.Scalar(in.B))
	case isa.IdxU32:
		k.G(amd64.MOV, amd64.B32, scalarB, x86.Scalar(in.B))
	case isa.Idx64:
		k.G(amd64.MOV, amd64.B64, scalarB, x86.Scalar(in.B))
	}
	if in.Scale > 1<<31-1 {
		k.G(amd64.MOV, amd64.B64, scalarC, amd64.Imm(in.Scale))
		k.G(amd64.IMUL, amd64.B64, scalarB, scalarC)
	} else if in.Scale != 1 {
		k.G(amd64.IMUL, amd64.B64, scalarB, scalarB, amd64.Imm(in.Scale))
	}
	if x86.WideProduct(in) {
		k.Jcc(amd64.Overflow, beyond)
	}
}

// loadScalar loads what a pointer and perhaps an index select.
func (k *builder) loadScalar(in *isa.Inst, p *plan.Part) {
	k.offset(p.Place, k.exit(p.Point, wave.ExitSlots))
	k.index(in, k.exit(p.Point, wave.ExitPart))
	k.G(amd64.ADD, amd64.B64, scalarA, scalarB)
	k.G(amd64.CMP, amd64.B64, scalarA, x86.SlotField(p.Place.Slot, wave.SlotLast))
	k.Jcc(amd64.Above, k.exit(p.Point, wave.ExitPart))
	k.G(amd64.MOV, amd64.B64, scalarB, x86.SlotField(p.Place.Slot, wave.SlotBase))
	k.loadFrom(in, amd64.Mem{Base: scalarB, Index: scalarA})
}

// loadFrom loads a scalar from memory.
func (k *builder) loadFrom(in *isa.Inst, from amd64.Mem) {
	switch in.Type.Bits() {
	case 8:
		k.G(amd64.MOVZX8, amd64.B32, scalarA, from)
	case 16:
		k.G(amd64.MOVZX16, amd64.B32, scalarA, from)
	case 32:
		k.G(amd64.MOV, amd64.B32, scalarA, from)
	default:
		k.G(amd64.MOV, amd64.B64, scalarA, from)
	}
	k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
}

// ptrAddScalar moves a pointer. What an offset cannot hold is left to package interp, before and after.
func (k *builder) ptrAddScalar(in *isa.Inst, p *plan.Part) {
	k.movePointer(in, k.exit(p.Point, wave.ExitPart))
}

// movePointer moves a pointer, or goes to beyond where an offset cannot hold what it was or what it would be.
func (k *builder) movePointer(in *isa.Inst, beyond amd64.Label) {
	k.index(in, beyond)
	if in.Disp != 0 {
		k.G(amd64.ADD, amd64.B64, scalarB, amd64.Imm(in.Disp))
	}
	const spare = 64 - memory.OffsetBits
	k.G(amd64.MOV, amd64.B64, scalarA, x86.Scalar(in.A))
	k.OffsetOf(scalarA, beyond)
	k.G(amd64.ADD, amd64.B64, scalarA, scalarB)
	k.G(amd64.MOV, amd64.B64, scalarB, scalarA)
	k.G(amd64.SHL, amd64.B64, scalarA, amd64.Imm(spare))
	k.G(amd64.MOV, amd64.B64, scalarC, scalarA)
	k.G(amd64.SAR, amd64.B64, scalarC, amd64.Imm(spare))
	k.G(amd64.CMP, amd64.B64, scalarC, scalarB)
	k.Jcc(amd64.NotEqual, beyond)
	k.G(amd64.SHR, amd64.B64, scalarA, amd64.Imm(spare))
	k.G(amd64.MOV, amd64.B64, scalarC, x86.Scalar(in.A))
	k.G(amd64.SHR, amd64.B64, scalarC, amd64.Imm(memory.OffsetBits))
	k.G(amd64.SHL, amd64.B64, scalarC, amd64.Imm(memory.OffsetBits))
	k.G(amd64.OR, amd64.B64, scalarA, scalarC)
	k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
}

func (k *builder) ptrDiffScalar(in *isa.Inst, _ *plan.Part) {
	sign := k.Const64(1 << (memory.OffsetBits - 1))
	k.G(amd64.MOV, amd64.B64, scalarA, x86.Scalar(in.A))
	k.G(amd64.MOV, amd64.B64, scalarB, x86.Scalar(in.B))
	k.G(amd64.XOR, amd64.B64, scalarA, sign)
	k.G(amd64.XOR, amd64.B64, scalarB, sign)
	k.G(amd64.SUB, amd64.B64, scalarA, scalarB)
	k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
}

// builtinScalar reads a value of the work-group.
func (k *builder) builtinScalar(in *isa.Inst, _ *plan.Part) {
	k.G(amd64.MOV, size(in.Type), scalarA, x86.BuiltinField(isa.Builtin(in.Imm)))
	k.G(amd64.MOV, amd64.B64, x86.Scalar(in.Dst), scalarA)
}
