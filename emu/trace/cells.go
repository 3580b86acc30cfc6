package trace

import (
	"cmp"
	"slices"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Limits of the maps of accesses: of a larger launch the first work-items are shown.
const (
	maxMaps      = 8    // buffers and variables
	mapItems     = 64   // rows
	mapColumns   = 128  // about
	maxMapCells  = 8192 // accesses that differ, of a map
	mapCellBytes = 64   // of an access that is larger, each part is one
)

// accessCells is which of the first work-items access which part of a piece of memory.
type accessCells struct {
	name  string
	cells map[accessCell]cellKind
	unit  uint64 // the smallest access
	cut   bool   // there were more
}

// accessCell is an access of a work-item.
type accessCell struct {
	item   uint64
	offset int64
	size   uint64
}

// cellKind is a set of kinds of accesses.
type cellKind uint8

const (
	cellRead cellKind = 1 << iota
	cellWrite
	cellAtomic
)

// noteCells notes which work-items access what.
func (r *Recorder) noteCells(a memory.Access, size uint64, items []int, addresses []memory.Pointer) {
	l := r.subgroups
	g := l.current
	if g == nil || size == 0 {
		return
	}
	local := &r.launches[g.launch].Local
	base := g.linear * uint64(local[0]) * uint64(local[1]) * uint64(local[2])
	kind := [...]cellKind{memory.AccessRead: cellRead, memory.AccessWrite: cellWrite, memory.AccessAtomic: cellAtomic}[a]
	for i, p := range addresses {
		at := accessCell{base + uint64(items[i]), p.Offset(), size}
		if at.item >= mapItems {
			continue
		}
		m := r.cellsOf(p)
		if m == nil {
			continue
		}
		if _, known := m.cells[at]; !known && len(m.cells) == maxMapCells {
			m.cut = true
			continue
		}
		m.cells[at] |= kind
		m.unit = min(cmp.Or(m.unit, size), size, mapCellBytes)
	}
}

// cellsOf returns the map of the memory that a pointer leads to; nil where there are too many.
func (r *Recorder) cellsOf(p memory.Pointer) *accessCells {
	l, key := r.subgroups, memoryOf{r.launch, memory.MakePointer(p.Space(), p.Alloc(), 0)}
	m := l.maps[key]
	if m == nil && len(l.maps) < maxMaps {
		m = &accessCells{cells: make(map[accessCell]cellKind), name: r.region(p)}
		l.maps[key] = m
		l.order = append(l.order, key)
	}
	return m
}

// AccessMap says which of the first work-items of a launch accessed which part of a buffer or a variable.
type AccessMap struct {
	Launch string // what the launch is called
	Memory string // what the memory is called; "" without a name
	Local  bool   // it is local memory, of which each work-group has its own
	First  int64  // the offset of the first column, in bytes
	Unit   uint64 // bytes of a column
	Rows   []AccessMapRow
	Cut    bool   // there were more accesses than a map keeps
	Items  uint64 // of the launch: rows are of the first of them
}

// AccessMapRow is a work-item, by its number: that of its work-group times the size of a group, and its own in the group.
type AccessMapRow struct {
	Item  uint64
	Cells []Accessed // by column
}

// Accessed is what a work-item did to a column of a map.
type Accessed uint8

// The kinds. A column that a work-item read and wrote is AccessedBoth; atomic operations come before all others.
const (
	AccessedNot Accessed = iota
	AccessedRead
	AccessedWritten
	AccessedBoth
	AccessedAtomic
)

// AccessMaps returns the maps of a launch, in the order of the first accesses. The recorder must have been made with
// [Options].Subgroups.
func (r *Recorder) AccessMaps() []AccessMap {
	if r.subgroups == nil {
		return nil
	}
	var list []AccessMap
	for _, key := range r.subgroups.order {
		m := r.subgroups.maps[key]
		// Local memory without a name is the machine's own, for operations of the work-group.
		if len(m.cells) > 0 && (m.name != "" || key.base.Space() == memory.SpaceGlobal) {
			one := m.picture()
			global := &r.launches[key.launch].Global
			one.Launch, one.Memory, one.Local = r.launchName(key.launch), clean(m.name), key.base.Space() == memory.SpaceLocal
			one.Items = global[0] * global[1] * global[2]
			list = append(list, one)
		}
	}
	return list
}

// launchName is what a launch is called.
func (r *Recorder) launchName(launch int) string {
	if r.set {
		return r.label(launch)
	}
	return clean(r.info.Kernel)
}

// picture puts the accesses into columns.
func (m *accessCells) picture() AccessMap {
	p := AccessMap{Unit: m.unit, Cut: m.cut}
	first, end := int64(1)<<62, int64(-1)<<62
	rows := make(map[uint64]int)
	for at := range m.cells {
		first, end = min(first, at.offset), max(end, at.offset+int64(at.size))
		rows[at.item] = 0
	}
	p.First = floorDiv(first, int64(p.Unit)) * int64(p.Unit)
	for uint64(end-p.First) > p.Unit*mapColumns {
		p.Unit *= 2
		p.First = floorDiv(first, int64(p.Unit)) * int64(p.Unit)
	}
	columns := int((uint64(end-p.First) + p.Unit - 1) / p.Unit)
	for item := range rows {
		p.Rows = append(p.Rows, AccessMapRow{Item: item, Cells: make([]Accessed, columns)})
	}
	slices.SortFunc(p.Rows, func(a, b AccessMapRow) int { return cmp.Compare(a.Item, b.Item) })
	for i := range p.Rows {
		rows[p.Rows[i].Item] = i
	}
	kinds := make([]cellKind, len(p.Rows)*columns)
	for at, kind := range m.cells {
		from := uint64(at.offset-p.First) / p.Unit
		to := (uint64(at.offset-p.First) + at.size - 1) / p.Unit
		for c := from; c <= to; c++ {
			kinds[rows[at.item]*columns+int(c)] |= kind
		}
	}
	for i, kind := range kinds {
		p.Rows[i/columns].Cells[i%columns] = kind.accessed()
	}
	return p
}

func (k cellKind) accessed() Accessed {
	switch {
	case k&cellAtomic != 0:
		return AccessedAtomic
	case k == cellRead|cellWrite:
		return AccessedBoth
	case k == cellWrite:
		return AccessedWritten
	case k == cellRead:
		return AccessedRead
	}
	return AccessedNot
}
