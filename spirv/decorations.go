package spirv

import (
	"cmp"
	"iter"
	"slices"
)

// Decorations answers which decorations (section 3.2.20) an id or a member of a structure has. Groups
// (OpDecorationGroup) are followed when asked, not copied: memory stays in proportion to the module.
type Decorations struct {
	rows   []decorationRow // by target, member, kind; in module order within, parameter attributes by value
	groups []groupRow      // by target, member; in module order within
}

type decorationRow struct {
	target ID
	member int64 // -1 for the id itself
	kind   Decoration
	params []uint32
}

func (a decorationRow) compare(b decorationRow) int {
	return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.member, b.member), cmp.Compare(a.kind, b.kind))
}

type groupRow struct {
	target ID
	member int64
	group  ID
}

// Decorations collects the decorations of the module.
func (m *Module) Decorations() *Decorations {
	d := &Decorations{}
	for _, in := range m.Insts {
		ops := in.Operands()
		switch in.Op() {
		case OpDecorate, OpDecorateId, OpDecorateString:
			d.rows = append(d.rows, decorationRow{ID(ops[0]), -1, Decoration(ops[1]), ops[2:]})
		case OpMemberDecorate, OpMemberDecorateString:
			d.rows = append(d.rows, decorationRow{ID(ops[0]), int64(ops[1]), Decoration(ops[2]), ops[3:]})
		case OpGroupDecorate:
			for _, target := range ops[1:] {
				d.groups = append(d.groups, groupRow{ID(target), -1, ID(ops[0])})
			}
		case OpGroupMemberDecorate:
			for pair := ops[1:]; len(pair) >= 2; pair = pair[2:] {
				d.groups = append(d.groups, groupRow{ID(pair[0]), int64(pair[1]), ID(ops[0])})
			}
		}
	}
	slices.SortStableFunc(d.rows, func(a, b decorationRow) int {
		if c := a.compare(b); c != 0 || a.kind != DecorationFuncParamAttr {
			return c
		}
		return slices.Compare(a.params, b.params)
	})
	// Attributes of parameters are asked for one by one; repetition would only cost time.
	d.rows = slices.CompactFunc(d.rows, func(a, b decorationRow) bool {
		return a.kind == DecorationFuncParamAttr && a.compare(b) == 0 && slices.Equal(a.params, b.params)
	})
	slices.SortStableFunc(d.groups, func(a, b groupRow) int {
		return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.member, b.member))
	})
	return d
}

// Has reports whether id has a decoration.
func (d *Decorations) Has(id ID, kind Decoration) bool {
	_, ok := d.Get(id, kind)
	return ok
}

// Get gives the parameter words of the first decoration of a kind that id has.
func (d *Decorations) Get(id ID, kind Decoration) (params []uint32, ok bool) {
	for params := range d.All(id, kind) {
		return params, true
	}
	return nil, false
}

// Member is [Decorations.Get] for a member of a structure type.
func (d *Decorations) Member(typ ID, member int, kind Decoration) (params []uint32, ok bool) {
	for params := range d.all(typ, int64(member), kind) {
		return params, true
	}
	return nil, false
}

// All yields the parameter words of each decoration of a kind that id has, its own before those of
// its groups.
func (d *Decorations) All(id ID, kind Decoration) iter.Seq[[]uint32] { return d.all(id, -1, kind) }

func (d *Decorations) all(id ID, member int64, kind Decoration) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		if !d.own(id, member, kind, yield) {
			return
		}
		at, _ := slices.BinarySearchFunc(d.groups, groupRow{target: id, member: member}, func(a, b groupRow) int {
			return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.member, b.member))
		})
		for ; at < len(d.groups) && d.groups[at].target == id && d.groups[at].member == member; at++ {
			if !d.own(d.groups[at].group, -1, kind, yield) {
				return
			}
		}
	}
}

// own yields what stands at the target itself, and reports whether to go on.
func (d *Decorations) own(id ID, member int64, kind Decoration, yield func([]uint32) bool) bool {
	want := decorationRow{target: id, member: member, kind: kind}
	at, _ := slices.BinarySearchFunc(d.rows, want, decorationRow.compare)
	for ; at < len(d.rows) && d.rows[at].compare(want) == 0; at++ {
		if !yield(d.rows[at].params) {
			return false
		}
	}
	return true
}

// Names gives the names that OpName attaches to ids; empty names are left out, and the first one counts.
func (m *Module) Names() map[ID]string {
	names := map[ID]string{}
	for _, in := range m.Insts {
		if in.Op() != OpName {
			continue
		}
		id, name := ID(in.Operand(0)), in.StringOperand(1)
		if _, dup := names[id]; !dup && name != "" {
			names[id] = name
		}
	}
	return names
}
