package lower

import "github.com/lockstep-gpu/lockstep/isa"

// loads removes loads of what has been loaded: partial redundancy elimination of loads, by code hoisting and value
// numbering (Muchnick, Advanced Compiler Design and Implementation, chapters 12 and 13). Memory has a version in
// each space, which changes where something may write there, as memory has in SSA forms of it: two loads at one
// address from one version give the same.
//
//   - What all ways from a branch load moves ahead of it.
//   - What a loop loads ahead of its first way out, at an address and from a version of memory that are the loop's
//     in all trips, moves ahead of the loop.
//   - A load that another one dominates goes (valueNumbering).
//
// Lanes without a barrier between them that write what others read are a race, so that nothing else is to be kept in order.
// Where lanes are held back at barriers and run one after the other all loads stay.
func loads(f *fn) {
	if f.ordered || f.once || !f.worthLoads() {
		return
	}
	f.loopEntries(false)
	m := &memory{f: f, in: make([]versions, f.nblks), out: make([]versions, f.nblks)}
	m.number()
	m.hoist()
	f.byMemory = true
	f.valueNumbering()
	f.byMemory = false
	f.dropDead()
}

// memorySpaces are the spaces that have versions: each space but the generic one.
const memorySpaces = 3

// versions are those of memory at one place, by space.
type versions [memorySpaces]int32

// memory finds the versions of memory.
type memory struct {
	f       *fn
	in, out []versions // by block.id: at its beginning, and behind its end
	last    int32

	names  map[numKey]int32 // of loads that give the same
	antics [][]anticipated  // by block.id
	slab   []anticipated    // memory for them
	// list and behind are memory for what is anticipated at the beginning and at the end of one block.
	list, behind []anticipated
}

// spaceBit returns the bit of a space with versions, all bits for the generic one.
func spaceBit(s isa.Space) uint8 {
	switch s {
	case isa.SpaceGlobal:
		return 1
	case isa.SpaceLocal:
		return 2
	case isa.SpacePrivate:
		return 4
	}
	return 7
}

// spaceIndex returns the place of a space in versions.
func spaceIndex(s isa.Space) int { return int(spaceBit(s) >> 1) }

// writes returns the spaces that an instruction may write, or from which it keeps loads from moving past it.
func writes(v *value) uint8 {
	switch v.op {
	case isa.OpLoad:
		if v.flags&isa.FlagVolatile == 0 {
			return 0
		}
	case isa.OpStore:
		if v.flags&isa.FlagVolatile == 0 {
			return spaceBit(v.space)
		}
	case isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS, isa.OpPrintf, isa.OpReadFirst, isa.OpImageRead:
		return 0
	default:
		if pure(v) {
			return 0
		}
	}
	return 7
}

// sharable says whether v is a load that gives what others give at its address.
func sharable(v *value) bool {
	return v.op == isa.OpLoad && v.flags&isa.FlagVolatile == 0 && v.space != isa.SpaceGeneric
}

// worthLoads says whether there are two loads that might be one, or one that might leave a loop.
func (f *fn) worthLoads() bool {
	n := 0
	for _, b := range f.blocks {
		for _, v := range b.insts {
			if sharable(v) {
				if n++; n > 1 || len(f.nest) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// number finds the versions and notes each load's in value.pos.
func (m *memory) number() {
	f := m.f
	written := make([]uint8, f.nblks) // by block.id
	for _, b := range f.blocks {
		for _, v := range b.insts {
			written[b.id] |= writes(v)
		}
		if b.term == termBarrier {
			written[b.id] = 7
		}
	}
	inLoop := map[*loop]uint8{}
	for _, l := range f.nest { // inner loops first
		w := inLoop[l]
		for _, b := range l.own {
			w |= written[b.id]
		}
		inLoop[l] = w
		if l.parent != nil {
			inLoop[l.parent] |= w
		}
	}
	for _, b := range f.blocks {
		at := m.enter(b, inLoop)
		m.in[b.id] = at
		for _, v := range b.insts {
			if sharable(v) {
				v.pos = at[spaceIndex(v.space)]
			}
			m.write(&at, writes(v))
		}
		if b.term == termBarrier {
			m.write(&at, 7)
		}
		m.out[b.id] = at
	}
}

// enter returns the versions at the beginning of a block.
func (m *memory) enter(b *block, inLoop map[*loop]uint8) versions {
	var at versions
	if len(b.preds) == 0 {
		m.write(&at, 7)
		return at
	}
	fresh, first := uint8(0), true
	for _, p := range b.preds {
		switch {
		case p.rpo < b.rpo && first:
			at, first = m.out[p.id], false
		case p.rpo < b.rpo:
			for s, v := range m.out[p.id] {
				if v != at[s] {
					fresh |= 1 << s
				}
			}
		case b.dominates(p):
			fresh |= inLoop[b.loop]
		default:
			fresh = 7 // irreducible
		}
	}
	m.write(&at, fresh)
	return at
}

// write gives the spaces new versions.
func (m *memory) write(at *versions, spaces uint8) {
	for s := range at {
		if spaces>>s&1 != 0 {
			m.last++
			at[s] = m.last
		}
	}
}

// anticipated is a load that every way from a place makes before it ends the kernel or goes round a loop.
type anticipated struct {
	name int32
	load *value // the first one on one of the ways
}

// maxAnticipated bounds the loads that are followed at a time: what is loaded early occupies a register.
const maxAnticipated = 16

// hoist moves loads up: those that several ways make ahead of the branch, and those of a loop's head ahead of the loop.
// What it puts there makes others redundant.
func (m *memory) hoist() {
	f := m.f
	m.names, m.antics = map[numKey]int32{}, make([][]anticipated, f.nblks)
	f.byMemory = true
	defer func() { f.byMemory = false }()
	for i := len(f.blocks) - 1; i >= 0; i-- {
		b := f.blocks[i]
		list := m.list[:0]
		for _, v := range b.insts {
			if sharable(v) && v.pos == m.in[b.id][spaceIndex(v.space)] && len(list) < maxAnticipated && above(v, b, false) {
				list = note(list, anticipated{m.name(v), v})
			}
		}
		for _, a := range m.ahead(b) {
			if v := a.load; len(list) < maxAnticipated && v.pos == m.in[b.id][spaceIndex(v.space)] && above(v, b, false) {
				list = note(list, a)
			}
		}
		m.list, m.antics[b.id] = list, m.keep(list)
	}
}

// note adds a load to a list, unless it has one of that name.
func note(list []anticipated, a anticipated) []anticipated {
	for _, x := range list {
		if x.name == a.name {
			return list
		}
	}
	return append(list, a)
}

// name returns a number that loads have in common that give the same.
func (m *memory) name(v *value) int32 {
	k, _ := m.f.keyOf(v)
	n, ok := m.names[k]
	if !ok {
		n = int32(len(m.names))
		m.names[k] = n
	}
	return n
}

// above says whether what the address of v is made of is known at the end of b, or at its beginning.
func above(v *value, b *block, end bool) bool {
	for _, a := range v.args {
		if !a.leaf() && (!a.blk.dominates(b) || !end && a.blk == b) {
			return false
		}
	}
	return true
}

// ahead returns the loads that are anticipated at the end of b, and moves those to there for which that is a gain. The list
// is good until the next call.
func (m *memory) ahead(b *block) []anticipated {
	if len(b.succs) == 0 {
		return nil
	}
	out := m.behind[:0]
next:
	for _, a := range m.way(b, b.succs[0]) {
		v, several := a.load, false
		if v.pos != m.out[b.id][spaceIndex(v.space)] || !above(v, b, true) {
			continue
		}
		for _, s := range b.succs[1:] {
			found := false
			for _, o := range m.way(b, s) {
				if o.name == a.name {
					found, several = true, several || o.load != v
				}
			}
			if !found {
				continue next
			}
		}
		if l := b.succs[0].loop; several || len(b.succs) == 1 && l != nil && l.head == b.succs[0] && l.contains(v.blk) {
			a.load = m.put(v, b)
		}
		out = append(out, a)
	}
	m.behind = out
	return out
}

// keep returns a copy of a list, in memory that many lists share.
func (m *memory) keep(list []anticipated) []anticipated {
	if len(list) == 0 {
		return nil
	}
	if len(m.slab) < len(list) {
		m.slab = make([]anticipated, 1024)
	}
	out := m.slab[:len(list):len(list)]
	m.slab = m.slab[len(list):]
	copy(out, list)
	return out
}

// way returns what is anticipated on the way from b to s.
func (m *memory) way(b, s *block) []anticipated {
	if s.rpo <= b.rpo {
		return nil
	}
	return m.antics[s.id]
}

// put makes a load as v at the end of b.
func (m *memory) put(v *value, b *block) *value {
	n := m.f.copyOf(v)
	n.blk, n.pos = b, v.pos
	b.insts = append(b.insts, n)
	return n
}
