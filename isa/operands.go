package isa

// Operands calls use for each register that an instruction reads, with its type, and
// returns the register that it writes, or None, with its type.
func (k *Kernel) Operands(in *Inst, use func(Reg, Type)) (Reg, Type) {
	s := &shapes[in.Op.Info().Shape]
	types := in.types()
	for i := range s.operands {
		o := &s.operands[i]
		if o.when != always && !in.has(o.when) {
			continue
		}
		r := in.A
		switch o.slot {
		case slotB:
			r = in.B
		case slotC:
			r = in.C
		case slotD:
			r = in.D
		}
		use(r, types.of(o.role))
	}
	if s.regs != nil {
		s.regs(k, in, func(r *Reg, t Type, _ string) { use(*r, t) })
	}
	switch s.result {
	case roleNone:
		return None, Void
	case rolePipe:
		return in.Dst, k.typeOf(in, rolePipe)
	}
	return in.Dst, types.of(s.result)
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
