package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/memory"
)

// The model behind the counts: what lanes of a sub-group access in global memory costs a transfer for each cache line
// that holds some of it, and what they access in local memory a pass for each word that the busiest bank has to
// deliver. Most GPUs of the last ten years have 32 banks of 4 bytes and lines of 64 or 128 bytes.
const (
	lineBytes = 64
	bankBytes = 4
	banks     = 32
)

// maxConflicts bounds the different numbers of conflicts that are kept. An access of one word a lane has one for each
// of the 128 lanes of a sub-group at most.
const maxConflicts = 1024

// maxAccessSites bounds how many rows the log keeps. A kernel with more accesses than that has no readable table.
const maxAccessSites = 10_000

// subgroupLog counts what sub-groups do: accesses to memory by instruction of the module and by allocation, entries of
// blocks, waits at barriers, and asynchronous copies.
type subgroupLog struct {
	blocks   map[site]*blockCounts
	counts   map[accessSite]*accessCounts
	examples map[accessSite]AccessExample // the first access at each site
	pending  map[pendingSite]*pendingAccess
	dropped  bool // there were more than maxAccessSites

	barriers map[site]*barrierCounts
	copies   map[site]*copyCounts
	current  *groupClock              // of the group that runs; nil for none
	open     map[groupKey]*groupClock // of the groups of a set that are in progress
	strips   []*strip                 // of the first sub-groups of each launch
	stripped map[int]bool             // launches that have strips
	banks    BankCounts
	maps     map[memoryOf]*accessCells // which work-items access which part of memory
	order    []memoryOf                // of maps: that of the first accesses
	branches branchLog
}

func newSubgroupLog() *subgroupLog {
	return &subgroupLog{
		blocks: make(map[site]*blockCounts), counts: make(map[accessSite]*accessCounts), examples: make(map[accessSite]AccessExample), pending: make(map[pendingSite]*pendingAccess),
		barriers: make(map[site]*barrierCounts), copies: make(map[site]*copyCounts), open: make(map[groupKey]*groupClock), stripped: make(map[int]bool), maps: make(map[memoryOf]*accessCells),
		banks: BankCounts{Conflicts: make(map[uint64]uint64)},
	}
}

// accessSite is an instruction that accesses memory in one way, and that memory.
type accessSite struct {
	launch int
	word   uint32 // of the instruction in the module, 0 if that is not known
	pc     int    // of the instruction in the bytecode, 0 if word is known
	a      memory.Access
	space  memory.Space
	region string
}

// accessCounts is what sub-groups did at a site, added up.
type accessCounts struct {
	pc            int // one of the instruction
	size          uint64
	subgroups     uint64
	lanes         uint64
	units, least  uint64 // cache lines or passes, and how many there would be at best
	bytes         uint64 // that lanes asked for, each byte once
	sameAddresses uint64 // lanes at the address that most lanes of the sub-group share
}

// pendingSite is a sub-group at a site.
type pendingSite struct {
	accessSite
	first int
}

// pendingAccess is what a sub-group accesses by one instruction of the module. An access to a vector is several
// instructions of bytecode.
type pendingAccess struct {
	pc     int // the last one
	lanes  uint64
	spans  []byteSpan
	firsts []memory.Pointer // addresses of the first instruction
}

// byteSpan is some bytes of an allocation.
type byteSpan struct {
	alloc      uint32
	start, end int64
}

func (r *Recorder) noteAccesses(pc, first int, a memory.Access, size uint64, items []int, addresses []memory.Pointer) {
	l := r.subgroups
	if l == nil || len(addresses) == 0 {
		return
	}
	r.noteCells(a, size, items, addresses)
	r.locate(r.launch, pc)
	at := accessSite{launch: r.launch, word: r.places[site{r.launch, pc}].Word, a: a, space: addresses[0].Space(), region: r.region(addresses[0])}
	if at.word == 0 {
		at.pc = pc
	}
	c := l.counts[at]
	if c == nil {
		if len(l.counts) == maxAccessSites {
			l.dropped = true
			return
		}
		c = &accessCounts{pc: pc}
		l.examples[at] = r.newExample(first, items, addresses)
		l.counts[at] = c
	}
	key := pendingSite{at, first}
	p := l.pending[key]
	if p == nil || pc <= p.pc {
		if p != nil {
			l.add(c, at, p)
		}
		p = &pendingAccess{lanes: uint64(len(addresses)), firsts: slices.Clone(addresses)}
		l.pending[key] = p
	}
	p.pc = pc
	for _, q := range addresses {
		p.spans = append(p.spans, byteSpan{q.Alloc(), q.Offset(), q.Offset() + int64(size)})
	}
}

// flushAccesses counts what is pending: a turn of a wave is over.
func (r *Recorder) flushAccesses() {
	l := r.subgroups
	if l == nil {
		return
	}
	for key, p := range l.pending {
		l.add(l.counts[key.accessSite], key.accessSite, p)
	}
	clear(l.pending)
}

// add counts an access of a sub-group.
func (l *subgroupLog) add(c *accessCounts, at accessSite, p *pendingAccess) {
	c.subgroups++
	c.lanes += p.lanes
	c.size = max(c.size, bytesPerLane(p))
	c.sameAddresses += mostCommon(p.firsts)
	spans := joinSpans(p.spans)
	var bytes uint64
	for _, s := range spans {
		bytes += uint64(s.end - s.start)
	}
	c.bytes += bytes
	if at.space == memory.SpaceLocal {
		words := blocksOf(spans, bankBytes)
		bank := bankWords(words)
		passes, least := slices.Max(bank[:]), (countBlocks(words)+banks-1)/banks
		c.units += passes
		c.least += least
		if at.a != memory.AccessAtomic {
			l.banks.add(&bank, passes-least)
		}
		return
	}
	c.units += countBlocks(blocksOf(spans, lineBytes))
	c.least += (bytes + lineBytes - 1) / lineBytes
}

// bytesPerLane is what each lane accesses.
func bytesPerLane(p *pendingAccess) uint64 {
	var n uint64
	for _, s := range p.spans {
		n += uint64(s.end - s.start)
	}
	return n / p.lanes
}

// mostCommon returns how often the most common address occurs.
func mostCommon(list []memory.Pointer) uint64 {
	sorted := slices.Sorted(slices.Values(list))
	var most, run uint64
	for i, p := range sorted {
		if run++; i > 0 && p != sorted[i-1] {
			run = 1
		}
		most = max(most, run)
	}
	return most
}

// joinSpans sorts spans and joins those that overlap or touch.
func joinSpans(list []byteSpan) []byteSpan {
	slices.SortFunc(list, func(a, b byteSpan) int {
		return cmp.Or(cmp.Compare(a.alloc, b.alloc), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].alloc == s.alloc && s.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

// blockRange is consecutive cache lines or words of an allocation, which begins at a multiple of their size: those from
// first up to, but not including, end.
type blockRange struct {
	alloc      uint32
	first, end int64
}

// blocksOf returns the blocks of size bytes that hold some of the spans, which are sorted and apart. No block is in
// two ranges.
func blocksOf(spans []byteSpan, size int64) []blockRange {
	var list []blockRange
	for _, s := range spans {
		b := blockRange{s.alloc, floorDiv(s.start, size), floorDiv(s.end-1, size) + 1}
		if n := len(list); n > 0 && list[n-1].alloc == b.alloc {
			b.first = max(b.first, list[n-1].end)
		}
		if b.first < b.end {
			list = append(list, b)
		}
	}
	return list
}

// countBlocks returns how many blocks the ranges have.
func countBlocks(list []blockRange) uint64 {
	var n uint64
	for _, b := range list {
		n += uint64(b.end - b.first)
	}
	return n
}

// bankWords returns how many of the words each bank has.
func bankWords(words []blockRange) (bank [banks]uint64) {
	for _, w := range words {
		n := uint64(w.end - w.first)
		for i := range bank {
			bank[i] += n / banks
		}
		for i := range n % banks {
			bank[(uint64(w.first)+i)%banks]++
		}
	}
	return bank
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// accessRow is a row of a table of [Recorder.WriteMemory].
type accessRow struct {
	accessSite
	*accessCounts
}

// accessRows returns the rows in the order of launches and of the module. An access that stands once in the source and
// several times in the module, as in an unrolled loop, has one row.
func (r *Recorder) accessRows() []accessRow {
	r.flushAccesses()
	rows := make([]accessRow, 0, len(r.subgroups.counts))
	for at, c := range r.subgroups.counts {
		rows = append(rows, accessRow{at, c})
	}
	slices.SortFunc(rows, func(a, b accessRow) int {
		return cmp.Or(cmp.Compare(a.launch, b.launch), cmp.Compare(a.word, b.word), cmp.Compare(a.accessSite.pc, b.accessSite.pc),
			cmp.Compare(a.a, b.a), strings.Compare(a.region, b.region), cmp.Compare(a.space, b.space))
	})
	type position struct {
		site         accessSite // without the instruction
		file         string
		line, column uint32
		size         uint64
	}
	at := make(map[position]int)
	out := rows[:0]
	for _, row := range rows {
		p := r.places[site{row.launch, row.accessCounts.pc}]
		key := position{row.accessSite, p.File, p.Line, p.Column, row.size}
		key.site.word, key.site.pc = 0, 0
		if i, ok := at[key]; ok && p.Line > 0 {
			sum := *out[i].accessCounts
			sum.join(row.accessCounts)
			out[i].accessCounts = &sum
			continue
		}
		at[key] = len(out)
		out = append(out, row)
	}
	return out
}

// join adds the counts of another site.
func (c *accessCounts) join(d *accessCounts) {
	c.subgroups += d.subgroups
	c.lanes += d.lanes
	c.units += d.units
	c.least += d.least
	c.bytes += d.bytes
	c.sameAddresses += d.sameAddresses
}

// WriteMemory writes, for a terminal, how sub-groups accessed memory: for global memory how many cache lines they
// touched, for local memory how many passes over its banks they took, for atomic operations how many lanes met at
// one address. The recorder must have been made with [Options].Subgroups.
func (r *Recorder) WriteMemory(w io.Writer, opt TextOptions) error {
	t := &textWriter{r: r, w: bufio.NewWriterSize(w, 64<<10), opt: opt.withDefaults(), shown: make(map[string]bool)}
	if !t.subgroupHeader() {
		return t.w.Flush()
	}
	rows := r.accessRows()
	if len(rows) == 0 {
		t.printf("\nno access to global or local memory\n")
	}
	t.accessTable("global memory: cache lines of 64 bytes that a sub-group touches", rows,
		func(a *accessRow) bool { return a.space == memory.SpaceGlobal && a.a != memory.AccessAtomic },
		[]string{"lines", "at best", "bytes used"}, func(a *accessRow) []string {
			return []string{tenths(a.units, a.subgroups), tenths(a.least, a.subgroups), fmt.Sprintf("%d %%", percent(a.bytes, a.units*lineBytes))}
		})
	t.accessTable("local memory: passes over 32 banks of 4 bytes that a sub-group takes", rows,
		func(a *accessRow) bool { return a.space == memory.SpaceLocal && a.a != memory.AccessAtomic },
		[]string{"passes", "at best"}, func(a *accessRow) []string {
			return []string{tenths(a.units, a.subgroups), tenths(a.least, a.subgroups)}
		})
	t.accessTable("atomic operations: lanes of a sub-group that meet at one address", rows,
		func(a *accessRow) bool { return a.a == memory.AccessAtomic },
		[]string{"at one address"}, func(a *accessRow) []string { return []string{tenths(a.sameAddresses, a.subgroups)} })
	if r.subgroups.dropped {
		t.printf("\nonly the first %d kinds of access are counted\n", maxAccessSites)
	}
	return t.w.Flush()
}

// accessTable writes the rows that belong to a table.
func (t *textWriter) accessTable(title string, rows []accessRow, belongs func(*accessRow) bool, columns []string, cells func(*accessRow) []string) {
	table := [][]string{append([]string{"where", "access", "memory", "times", "lanes"}, columns...)}
	var sources []string
	for i := range rows {
		row := &rows[i]
		if !belongs(row) {
			continue
		}
		place := t.r.places[site{row.launch, row.accessCounts.pc}]
		where := fmt.Sprintf("instruction %d", row.accessCounts.pc)
		if place.Line > 0 {
			where = fmt.Sprintf("%s:%d:%d", clean(place.File), place.Line, place.Column)
		}
		verb := [...]string{memory.AccessRead: "read", memory.AccessWrite: "write", memory.AccessAtomic: "atomic"}[row.a]
		table = append(table, append([]string{where, fmt.Sprintf("%s %d", verb, row.size), cmp.Or(clean(row.region), "?"),
			fmt.Sprint(row.subgroups), tenths(row.lanes, row.subgroups)}, cells(row)...))
		source := ""
		if key := fmt.Sprint(place.File, ":", place.Line); place.Source != "" && !t.shown[key] {
			source, t.shown[key] = strings.TrimSpace(clean(place.Source)), true
		}
		sources = append(sources, source)
	}
	if len(table) > 1 {
		t.printf("\n%s\n", title)
		t.table(table, sources, 3)
	}
}

// tenths is a quotient with one digit behind the point, rounded half up.
func tenths(a, b uint64) string {
	n := (20*a + b) / (2 * b)
	return fmt.Sprintf("%d.%d", n/10, n%10)
}
