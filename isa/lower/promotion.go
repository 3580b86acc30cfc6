package lower

// promote turns private variables, or the parts of them that are only ever
// loaded and stored at constant offsets, into SSA values. Code at -O0 keeps
// everything in such variables.
func promote(b *builder) {
	f := b.f
	slots := f.findSlots(b.k.Private)
	if len(slots) == 0 {
		return
	}
	for i := range slots {
		slots[i].start = b.startOf(&slots[i])
	}
	b.startLifetimes(slots)
	f.simple = false
	f.need(AnalysisDominators)
	f.promoteSlots(slots)
	b.dropLifetimes(slots)
	b.joinPointers()
}

// startOf returns what a slot holds before the first store: bytes of a parameter, or what is undefined.
func (b *builder) startOf(s *slot) *value {
	f, a := b.f, &b.k.Private[s.index]
	if a.Param == 0 {
		return b.undefinedPart(s.t, int(s.index), uint64(s.offset), uint64(s.t.Bytes()))
	}
	p := f.newValue(irParam, s.t, s.t)
	p.index, p.imm = int32(a.Param-1), uint64(s.offset)
	if f.known != nil {
		if x, ok := f.known.arg(p); ok {
			return f.constant(s.t, x)
		}
	}
	return p
}
