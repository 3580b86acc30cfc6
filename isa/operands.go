package isa

// Operands calls use for each register that an instruction reads, with its type, and
// returns the register that it writes, or None, with its type.
func (k *Kernel) Operands(in *Inst, use func(Reg, Type)) (Reg, Type) {
	inf := in.Op.Info()
	switch inf.Shape {
	case ShapeUnary, ShapeBinary, ShapeTernary, ShapeQuad:
		for i, r := range [...]Reg{in.A, in.B, in.C, in.D} {
			if i <= int(inf.Shape-ShapeUnary) {
				use(r, in.Type)
			}
		}
		return in.Dst, in.Type
	case ShapeSelect:
		use(in.A, B1)
		use(in.B, in.Type)
		use(in.C, in.Type)
		return in.Dst, in.Type
	case ShapeCompare:
		use(in.A, in.Type)
		use(in.B, in.Type)
		return in.Dst, B1
	case ShapeConvert:
		use(in.A, in.Type2)
		return in.Dst, in.Type
	case ShapePtrDiff:
		use(in.A, I64)
		use(in.B, I64)
		return in.Dst, I64
	case ShapePtrAdd, ShapeLoad, ShapeStore, ShapeAtomic, ShapeBlockLoad, ShapeBlockStore:
		use(in.A, I64)
		if in.Idx != IdxNone {
			use(in.B, in.Idx.Type())
		}
		switch inf.Shape {
		case ShapePtrAdd:
			return in.Dst, I64
		case ShapeStore, ShapeBlockStore:
			use(in.C, in.Type)
			return None, Void
		case ShapeAtomic:
			if AtomicOp(in.Imm2) != AtomicLoad {
				use(in.C, in.Type)
			}
			if AtomicOp(in.Imm2) == AtomicCmpXchg {
				use(in.D, in.Type)
			}
		}
		return in.Dst, in.Type
	case ShapeMemCopy:
		use(in.A, I64)
		use(in.B, I64)
		use(in.C, I64)
	case ShapeBuiltin:
		return in.Dst, in.Type
	case ShapePrintf:
		for _, a := range k.Printfs[in.Imm].Args {
			for _, r := range a.Regs {
				use(r, a.Type)
			}
		}
		return in.Dst, I32
	case ShapeShuffle:
		use(in.A, in.Type)
		use(in.B, I32)
		return in.Dst, in.Type
	case ShapeShuffle2:
		use(in.A, in.Type)
		use(in.B, in.Type)
		use(in.C, I32)
		return in.Dst, in.Type
	case ShapeBallot:
		use(in.A, in.Type)
		return in.Dst, I32
	case ShapeVote:
		use(in.A, in.Type)
		return in.Dst, B1
	case ShapeElect:
		return in.Dst, B1
	case ShapeScan:
		use(in.A, in.Type)
		if in.B != None {
			use(in.B, I32)
		}
		return in.Dst, in.Type
	case ShapeGroupCopy:
		k.GroupCopies[in.Imm].Regs(func(r *Reg, t Type, _ string) { use(*r, t) })
		return in.Dst, I64
	case ShapeGroupWait:
		use(in.A, I64)
	case ShapeLaneCopy:
		k.LaneCopies[in.Imm].Regs(func(r *Reg, t Type, _ string) { use(*r, t) })
	case ShapeImage:
		k.ImageAccesses[in.Imm].Regs(func(r *Reg, t Type, _ string) { use(*r, t) })
		return in.Dst, in.Type
	case ShapePipe:
		a := &k.PipeAccesses[in.Imm]
		a.Regs(func(r *Reg, t Type, _ string) { use(*r, t) })
		return in.Dst, a.Op.Result()
	case ShapeCheck:
		use(in.A, in.Type)
		if in.B != None {
			use(in.B, in.Type)
		}
	case ShapeBrCond:
		use(in.A, B1)
	case ShapeSwitch:
		use(in.A, in.Type)
	}
	return None, Void
}

// Successors calls f for each block that block b may lead to.
func (k *Kernel) Successors(b int, f func(int)) {
	in := &k.Code[k.Blocks[b].End-1]
	switch in.Op {
	case OpBr, OpBarrier:
		f(in.Target0())
	case OpBrCond:
		f(in.Target0())
		f(in.Target1())
	case OpSwitch:
		t := &k.Switches[in.Imm]
		f(t.Default)
		for _, x := range t.Targets {
			f(x)
		}
	}
}
