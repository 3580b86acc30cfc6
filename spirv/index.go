package spirv

// Index finds the instruction that defines an id. It takes memory in proportion to the number of
// instructions, however large the ids are.
type Index struct {
	m      *Module
	dense  []int32 // by id, place in Insts plus one
	sparse map[ID]int32
}

// Index builds the index of the module as it is now. Where an id is defined twice, the first
// definition counts.
func (m *Module) Index() *Index {
	x := &Index{m: m}
	var top ID
	results := 0
	for _, in := range m.Insts {
		if id := in.ResultID(); id != 0 {
			results++
			top = max(top, id)
		}
	}
	if uint64(top) <= 16*uint64(results)+64 {
		x.dense = make([]int32, top+1)
	} else {
		x.sparse = make(map[ID]int32, results)
	}
	for i, in := range m.Insts {
		id := in.ResultID()
		switch {
		case id == 0:
		case x.dense != nil:
			if x.dense[id] == 0 {
				x.dense[id] = int32(i) + 1
			}
		default:
			if x.sparse[id] == 0 {
				x.sparse[id] = int32(i) + 1
			}
		}
	}
	return x
}

// At gives the place in Module.Insts of the instruction that defines id, -1 when there is none.
func (x *Index) At(id ID) int {
	if x.dense == nil {
		return int(x.sparse[id]) - 1
	}
	if uint64(id) >= uint64(len(x.dense)) {
		return -1
	}
	return int(x.dense[id]) - 1
}

// Def gives the instruction that defines id; ok is false when there is none.
func (x *Index) Def(id ID) (in Inst, ok bool) {
	if i := x.At(id); i >= 0 {
		return x.m.Insts[i], true
	}
	return Inst{}, false
}

// TypeOf gives the id of the type of a value: the result type of the instruction that defines it, 0
// when id is undefined or has no type.
func (x *Index) TypeOf(id ID) ID {
	in, _ := x.Def(id)
	return in.ResultType()
}
