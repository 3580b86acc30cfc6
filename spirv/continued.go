package spirv

// continues has the instructions that go on where one before them has no room for more words (SPV_INTEL_long_composites),
// and which that is.
var continues = map[Op]Op{
	OpTypeStructContinuedINTEL:            OpTypeStruct,
	OpConstantCompositeContinuedINTEL:     OpConstantComposite,
	OpSpecConstantCompositeContinuedINTEL: OpSpecConstantComposite,
	OpCompositeConstructContinuedINTEL:    OpCompositeConstruct,
}

// Continues returns the instruction that op continues; ok is false where it continues none.
func (op Op) Continues() (of Op, ok bool) {
	of, ok = continues[op]
	return of, ok
}

// Joined returns the module with each instruction in one piece: the words of those that continue it stand behind its
// own, however many these are. Its instructions may have more words than a binary can say. A continuation that does not
// follow what it continues stays as it is. A module that does not declare the capability LongCompositesINTEL is returned
// itself.
func (m *Module) Joined() *Module {
	declared := false
	for _, in := range m.Insts {
		if in.Op() != OpCapability {
			break
		}
		declared = declared || Capability(in.Operand(0)) == CapabilityLongCompositesINTEL
	}
	if !declared {
		return m
	}
	joined := *m
	joined.Insts = make([]Inst, 0, len(m.Insts))
	grown := false // the last instruction has words of its own
	for _, in := range m.Insts {
		n := len(joined.Insts)
		if of, ok := in.Op().Continues(); !ok || n == 0 || joined.Insts[n-1].Op() != of {
			joined.Insts = append(joined.Insts, in)
			grown = false
			continue
		}
		last := &joined.Insts[n-1]
		if !grown {
			last.Words = append(make([]uint32, 0, 2*len(last.Words)), last.Words...)
			grown = true
		}
		last.Words = append(last.Words, in.Operands()...)
	}
	return &joined
}
