package opt

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Loads removes loads of what has been loaded: partial redundancy elimination of loads, by code hoisting and value
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
func Loads(f *ssa.Func) {
	if f.Ordered || f.Once || !worthLoads(f) {
		return
	}
	f.LoopEntries(false)
	m := &memory{f: f, in: make([]versions, f.NumBlocks), out: make([]versions, f.NumBlocks)}
	m.number()
	m.hoist()
	f.ByMemory = true
	valueNumbering(f)
	f.ByMemory = false
	dropDead(f)
}

// memorySpaces are the spaces that have versions: each space but the generic one.
const memorySpaces = 3

// versions are those of memory at one place, by space.
type versions [memorySpaces]int32

// memory finds the versions of memory.
type memory struct {
	f       *ssa.Func
	in, out []versions // by Block.ID: at its beginning, and behind its end
	last    int32

	names  map[numKey]int32 // of loads that give the same
	antics [][]anticipated  // by Block.ID
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
func writes(v *ssa.Value) uint8 {
	switch v.Op {
	case isa.OpLoad:
		if v.Flags&isa.FlagVolatile == 0 {
			return 0
		}
	case isa.OpStore:
		if v.Flags&isa.FlagVolatile == 0 {
			return spaceBit(v.Space)
		}
	case isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS, isa.OpPrintf, isa.OpReadFirst, isa.OpImageRead:
		return 0
	default:
		if ssa.Pure(v) {
			return 0
		}
	}
	return 7
}

// sharable says whether v is a load that gives what others give at its address.
func sharable(v *ssa.Value) bool {
	return v.Op == isa.OpLoad && v.Flags&isa.FlagVolatile == 0 && v.Space != isa.SpaceGeneric
}

// worthLoads says whether there are two loads that might be one, or one that might leave a loop.
func worthLoads(f *ssa.Func) bool {
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if sharable(v) {
				if n++; n > 1 || len(f.Loops) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// number finds the versions and notes each load's in Value.Pos.
func (m *memory) number() {
	f := m.f
	written := make([]uint8, f.NumBlocks) // by Block.ID
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			written[b.ID] |= writes(v)
		}
		if b.Term == ssa.TermBarrier {
			written[b.ID] = 7
		}
	}
	inLoop := map[*ssa.Loop]uint8{}
	for _, l := range f.Loops { // inner loops first
		w := inLoop[l]
		for _, b := range l.Own {
			w |= written[b.ID]
		}
		inLoop[l] = w
		if l.Parent != nil {
			inLoop[l.Parent] |= w
		}
	}
	for _, b := range f.Blocks {
		at := m.enter(b, inLoop)
		m.in[b.ID] = at
		for _, v := range b.Insts {
			if sharable(v) {
				v.Pos = at[spaceIndex(v.Space)]
			}
			m.write(&at, writes(v))
		}
		if b.Term == ssa.TermBarrier {
			m.write(&at, 7)
		}
		m.out[b.ID] = at
	}
}

// enter returns the versions at the beginning of a block.
func (m *memory) enter(b *ssa.Block, inLoop map[*ssa.Loop]uint8) versions {
	var at versions
	if len(b.Preds) == 0 {
		m.write(&at, 7)
		return at
	}
	fresh, first := uint8(0), true
	for _, p := range b.Preds {
		switch {
		case p.RPO < b.RPO && first:
			at, first = m.out[p.ID], false
		case p.RPO < b.RPO:
			for s, v := range m.out[p.ID] {
				if v != at[s] {
					fresh |= 1 << s
				}
			}
		case b.Dominates(p):
			fresh |= inLoop[b.Loop]
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
	load *ssa.Value // the first one on one of the ways
}

// maxAnticipated bounds the loads that are followed at a time: what is loaded early occupies a register.
const maxAnticipated = 16

// hoist moves loads up: those that several ways make ahead of the branch, and those of a loop's head ahead of the loop.
// What it puts there makes others redundant.
func (m *memory) hoist() {
	f := m.f
	m.names, m.antics = map[numKey]int32{}, make([][]anticipated, f.NumBlocks)
	f.ByMemory = true
	defer func() { f.ByMemory = false }()
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		b := f.Blocks[i]
		list := m.list[:0]
		for _, v := range b.Insts {
			if sharable(v) && v.Pos == m.in[b.ID][spaceIndex(v.Space)] && len(list) < maxAnticipated && above(v, b, false) {
				list = note(list, anticipated{m.name(v), v})
			}
		}
		for _, a := range m.ahead(b) {
			if v := a.load; len(list) < maxAnticipated && v.Pos == m.in[b.ID][spaceIndex(v.Space)] && above(v, b, false) {
				list = note(list, a)
			}
		}
		m.list, m.antics[b.ID] = list, m.keep(list)
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
func (m *memory) name(v *ssa.Value) int32 {
	k, _ := keyOf(m.f, v)
	n, ok := m.names[k]
	if !ok {
		n = int32(len(m.names))
		m.names[k] = n
	}
	return n
}

// above says whether what the address of v is made of is known at the end of b, or at its beginning.
func above(v *ssa.Value, b *ssa.Block, end bool) bool {
	for _, a := range v.Args {
		if !a.Leaf() && (!a.Block.Dominates(b) || !end && a.Block == b) {
			return false
		}
	}
	return true
}

// ahead returns the loads that are anticipated at the end of b, and moves those to there for which that is a gain. The list
// is good until the next call.
func (m *memory) ahead(b *ssa.Block) []anticipated {
	if len(b.Succs) == 0 {
		return nil
	}
	out := m.behind[:0]
next:
	for _, a := range m.way(b, b.Succs[0]) {
		v, several := a.load, false
		if v.Pos != m.out[b.ID][spaceIndex(v.Space)] || !above(v, b, true) {
			continue
		}
		for _, s := range b.Succs[1:] {
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
		if l := b.Succs[0].Loop; several || len(b.Succs) == 1 && l != nil && l.Head == b.Succs[0] && l.Contains(v.Block) {
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
func (m *memory) way(b, s *ssa.Block) []anticipated {
	if s.RPO <= b.RPO {
		return nil
	}
	return m.antics[s.ID]
}

// put makes a load as v at the end of b.
func (m *memory) put(v *ssa.Value, b *ssa.Block) *ssa.Value {
	n := m.f.CopyOf(v)
	n.Block, n.Pos = b, v.Pos
	b.Insts = append(b.Insts, n)
	return n
}
