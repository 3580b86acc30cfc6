package trace

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// AccessSite is an instruction of the source that accesses one memory, and what sub-groups did there.
type AccessSite struct {
	Launch int // number of the launch
	Place  finding.Place
	Access memory.Access
	Space  memory.Space
	Memory string // what the memory is called; "" without a name
	// Bytes is what each lane accesses, Subgroups how many accesses of sub-groups there were, of so many lanes in all.
	Bytes, Subgroups, Lanes uint64
	// Units is how many cache lines these touched (global memory), or passes over the banks they took (local memory), and
	// Least how many there would be at best.
	Units, Least uint64
	Example      AccessExample
}

// AccessExample is the first access of a sub-group at a site.
type AccessExample struct {
	Group    uint64 // its number
	Subgroup int    // number in its work-group
	Size     int    // lanes of a sub-group
	// Lanes access the places at Addresses.
	Lanes     []int
	Addresses []memory.Pointer
}

// newExample keeps an access.
func (r *Recorder) newExample(first int, items []int, addresses []memory.Pointer) AccessExample {
	e := AccessExample{Addresses: slices.Clone(addresses), Size: 1}
	if r.launch < len(r.launches) {
		e.Size = max(r.launches[r.launch].SubgroupSize, 1)
	}
	if c := r.subgroups.current; c != nil {
		e.Group = c.linear
	}
	e.Subgroup = first / e.Size
	for _, i := range items {
		e.Lanes = append(e.Lanes, i-first)
	}
	return e
}

// AccessSites returns the accesses to global and local memory in the order of launches and of the module. Vectors count
// as one access; the example of a vector has the addresses of its first part. The recorder must have been made with
// [Options].Subgroups.
func (r *Recorder) AccessSites() []AccessSite {
	if r.subgroups == nil {
		return nil
	}
	var list []AccessSite
	for _, row := range r.accessRows() {
		list = append(list, AccessSite{
			Launch: row.launch, Place: r.place(row.launch, row.accessCounts.pc), Access: row.a, Space: row.space, Memory: row.region,
			Bytes: row.size, Subgroups: row.subgroups, Lanes: row.lanes, Units: row.units, Least: row.least, Example: r.subgroups.examples[row.accessSite],
		})
	}
	return list
}

// Segment is a cache line that an access touches, or a bank of local memory that it uses.
type Segment struct {
	Alloc  memory.Pointer // the allocation of a cache line, with the offset 0
	Number int64          // of the line in its allocation, or of the bank
	Lanes  []int          // indexes of the addresses that use it
	Words  int            // of a bank: how many different words are taken from it
}

// Segments returns what the lanes of an access use of the memory, in the order in which they use it: cache lines of
// global memory, banks of local memory. Units and least are as in [AccessSite].
func Segments(space memory.Space, size uint64, addresses []memory.Pointer) (list []Segment, units, least int) {
	unit := int64(lineBytes)
	if space == memory.SpaceLocal {
		unit = bankBytes
	}
	type key struct {
		alloc  memory.Pointer
		number int64
	}
	index, words := make(map[key]int), make(map[key]bool)
	var spans []byteSpan
	for i, p := range addresses {
		spans = append(spans, byteSpan{p.Alloc(), p.Offset(), p.Offset() + int64(size)})
		last := floorDiv(p.Offset()+int64(size)-1, unit)
		for n := floorDiv(p.Offset(), unit); n <= last && n-floorDiv(p.Offset(), unit) < banks; n++ {
			k := key{memory.MakePointer(p.Space(), p.Alloc(), 0), n}
			word := k
			if space == memory.SpaceLocal {
				k.alloc, k.number = 0, ((n%banks)+banks)%banks
			}
			at, ok := index[k]
			if !ok {
				at = len(list)
				index[k] = at
				list = append(list, Segment{Alloc: k.alloc, Number: k.number})
			}
			s := &list[at]
			if len(s.Lanes) == 0 || s.Lanes[len(s.Lanes)-1] != i {
				s.Lanes = append(s.Lanes, i)
			}
			if space == memory.SpaceLocal && !words[word] {
				words[word] = true
				s.Words++
			}
		}
	}
	joined := joinSpans(spans)
	if space == memory.SpaceLocal {
		all := blocksOf(joined, bankBytes)
		bank := bankWords(all)
		return list, int(slices.Max(bank[:])), int((countBlocks(all) + banks - 1) / banks)
	}
	var bytes uint64
	for _, s := range joined {
		bytes += uint64(s.end - s.start)
	}
	return list, int(countBlocks(blocksOf(joined, lineBytes))), int((bytes + lineBytes - 1) / lineBytes)
}
