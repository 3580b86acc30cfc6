package spirv

// Structs knows the members of the structure types of a module.
type Structs struct {
	r     *reflector
	names map[ID]map[uint32]string // OpMemberName
}

// Member is a member of a structure type.
type Member struct {
	Name     string // empty when the module does not say
	Type     ID
	TypeName string // made from the SPIR-V type, in the manner of OpenCL C
	Offset   uint64 // bytes
	Size     uint64 // bytes
}

// Scalar is a number within a type.
type Scalar struct {
	Type   string // as OpenCL C calls it, for instance "uint"
	Offset uint64 // bytes
	Size   uint64 // bytes
}

// NewStructs prepares a module for questions about its structure types. It needs no valid module.
func NewStructs(m *Module) *Structs {
	m = m.Joined()
	s := &Structs{names: map[ID]map[uint32]string{}, r: &reflector{m: m, index: m.Index(), names: m.Names()}}
	s.r.layout = NewLayout(m, s.r.index, m.Decorations())
	for _, in := range m.Insts {
		if in.Op() != OpMemberName {
			continue
		}
		id := ID(in.Operand(0))
		if s.names[id] == nil {
			s.names[id] = map[uint32]string{}
		}
		s.names[id][in.Operand(1)] = clip(in.StringOperand(2))
	}
	return s
}

// Members returns the first members of a structure type, at most limit, and how many it has in all. ok is
// false for other types, and for a structure without a size.
func (s *Structs) Members(typ ID, limit int) (members []Member, total int, ok bool) {
	in, _ := s.r.index.Def(typ)
	_, _, err := s.r.layout.Size(typ)
	if in.Op() != OpTypeStruct || err != nil {
		return nil, 0, false
	}
	offsets := s.r.layout.Offsets(typ)
	if len(offsets) != len(in.Operands()) { // the module defines the id again
		return nil, 0, false
	}
	for i, id := range in.Operands() {
		if i == limit {
			break
		}
		m := Member{Name: s.names[typ][uint32(i)], Type: ID(id), TypeName: s.r.typeName(ID(id)), Offset: offsets[i]}
		m.Size, _, _ = s.r.layout.Size(m.Type)
		members = append(members, m)
	}
	return members, len(in.Operands()), true
}

// Size gives the size of a type in bytes, 0 when it has none.
func (s *Structs) Size(typ ID) uint64 {
	size, _, _ := s.r.layout.Size(typ)
	return size
}

const (
	maxNesting = 16 // how deep Scalars looks into types
	maxVisits  = 64 // how many types it visits for each scalar of its limit
)

// Scalars returns the numbers that a type consists of, in the order of their offsets. ok is false when there
// are more than limit, and when something else is among them, for instance a pointer.
func (s *Structs) Scalars(typ ID, limit int) (scalars []Scalar, ok bool) {
	w := scalarWalk{Structs: s, limit: limit, visits: limit * maxVisits}
	ok = w.walk(typ, 0, maxNesting)
	return w.list, ok
}

// scalarWalk is one call of Scalars.
type scalarWalk struct {
	*Structs
	list          []Scalar
	limit, visits int
}

// walk adds the numbers of a type that begins at an offset.
func (w *scalarWalk) walk(typ ID, at uint64, depth int) bool {
	in, _ := w.r.index.Def(typ)
	size, _, err := w.r.layout.Size(typ)
	w.visits--
	switch {
	case err != nil || depth == 0 || w.visits < 0:
		return false
	case size == 0: // repeated how often it may be
		return true
	}
	switch in.Op() {
	case OpTypeInt, OpTypeFloat:
		w.list = append(w.list, Scalar{w.r.leafName(in), at, size})
		return len(w.list) <= w.limit
	case OpTypeVector, OpTypeArray:
		n := uint64(in.Operand(1))
		if in.Op() == OpTypeArray {
			n, _ = w.r.index.Constant(ID(in.Operand(1)))
		}
		elem := ID(in.Operand(0))
		step := w.Size(elem)
		for i := range n {
			if !w.walk(elem, at+i*step, depth-1) {
				return false
			}
		}
		return true
	case OpTypeStruct:
		for i, offset := range w.r.layout.Offsets(typ) {
			if !w.walk(ID(in.Operand(i)), at+offset, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}
