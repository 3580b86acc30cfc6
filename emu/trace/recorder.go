package trace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// DefaultMaxEvents is the number of events that a recorder keeps unless
// [Options] say otherwise.
const DefaultMaxEvents = 1_000_000

// Options say how much a recorder keeps.
type Options struct {
	// MaxEvents is the number of events (turns, waits, marks, barriers, issues
	// and completions of transfers, runs of packets) after which the trace ends; 0 is
	// DefaultMaxEvents. A trace that ended says so where it is written.
	MaxEvents int
	// Subgroups makes the recorder count what sub-groups do as well, for [Recorder.WriteMemory], [Recorder.WriteLanes],
	// [Recorder.Lines] and pictures. The reference engine then runs the launch.
	Subgroups bool
	// MaxGroups is the number of work-groups of a launch whose events are kept, so that a launch of any size fits; 0 keeps
	// all of them, and less than 0 none. What Subgroups counts is about all work-groups. A set of launches keeps all.
	MaxGroups int
}

// LaunchInfo is what a recorder is told of a launch before it begins.
type LaunchInfo struct {
	Kernel       string
	Schedule     string // its name: "in-order", "paced+reverse"
	Completion   string // when copies complete: "early", "late", "seeded", "paced"
	Seed         uint64
	Engines      int // of the DMA unit of a work-group
	QueueDepth   int // transfers that wait at each engine
	BytesPerStep int // bytes that an engine moves in a tick, when Completion is "paced"
	SubgroupSize int // lanes
	Global       [3]uint64
	Local        [3]uint32
	Groups       [3]uint64
	// Order is the order in which the work-items of a group are numbered, its
	// innermost dimension first; "" is xyz, that of local linear ids.
	Order string

	// Barrier says whether an instruction of the kernel is a barrier of the work-group; nil knows none.
	Barrier func(pc int) bool

	// Place says where in the module an instruction of the kernel comes from,
	// and Region what the memory that a pointer leads to is called: the name of
	// an argument or a variable, "" when it has none. Both are called only while
	// the launch runs; nil knows nothing.
	Place  func(pc int) finding.Place
	Region func(p memory.Pointer) string
}

// Recorder keeps the events of one launch, or of a set of launches that run
// together. It implements scheduler.Tracer. It may be used for one launch after
// the other, and then has the last one; it must not be used for two at a time, or
// written while a launch runs.
type Recorder struct {
	max      int
	most     int          // work-groups whose events are kept; 0 for all
	info     LaunchInfo   // of the first launch
	launches []LaunchInfo // all of them
	labels   []string     // of a set: what the launches are called
	set      bool         // launches run together

	groups []group
	passed uint64 // work-groups whose events are not kept
	events int    // kept so far, in all groups
	full   bool   // MaxEvents was reached; what came later is not here

	// launch is the one whose group runs, and cur the index of that group, -1 for
	// none. Of a set, many groups can be in progress: open has those, by what they are.
	launch int
	cur    int
	open   map[groupKey]int

	places  map[site]finding.Place // of the instructions of events
	regions map[memoryOf]string

	pipes pipeLog

	subgroups *subgroupLog // nil unless asked for
}

// groupKey names a work-group of a set.
type groupKey struct {
	launch int
	id     [3]uint64
}

// site is an instruction of a launch's kernel.
type site struct{ launch, pc int }

// memoryOf is memory of a launch, by a pointer without its offset.
type memoryOf struct {
	launch int
	base   memory.Pointer
}

// live is what is known of a group while it is in progress: indices of its
// transfers by id and by event, and of those that have completed since the last wait.
type live struct {
	index   map[uint64]int
	byEvent map[uint64][]int
	landed  []int
	lanes   map[int]*laneCopies // by wave
	waits   map[int]*waveWaits  // at pipes, by wave
}

// laneCopies are the async lane copies of a wave, in the order of their issue,
// and how many of them it has waited for.
type laneCopies struct {
	copies []int // indices of transfers
	waited uint64
}

// group is a work-group's part of the trace.
type group struct {
	launch     int
	id         [3]uint64
	items      int
	start, end uint64
	over       bool // it ended before the trace did
	events     []event
	extras     []extra // of events
	transfers  []transfer
	taken      int   // of the room for events
	waits      int   // one more than the greatest number of a wave that waited at a pipe
	live       *live // nil once it is over
}

// kind says what an event is.
type kind uint8

const (
	kindTurn     kind = iota // a wave ran
	kindIssue                // a wave issued a transfer
	kindComplete             // a transfer's last byte is there
	kindMark                 // an async mark
	kindWait                 // a wave waited for transfers
	kindBarrier              // a work-group barrier opened
)

// event is something that happened in a group. Which of the fields count
// depends on the kind.
type event struct {
	kind     kind
	stop     engine.Stop // turn: why it ended
	wave     int32
	pc       int32  // -1: none
	from, to uint64 // to is from for what takes no time
	first    int32  // turn: the wave's first work-item
	n        int32  // turn: work-items of the wave; mark: the sequence; issue and complete: index of the transfer
	extra    int32  // mark and wait: index in group.extras
}

// extra is what only marks and waits have.
type extra struct {
	items finding.Spans // mark: that set it
	what  string        // wait: for what
	asked []int         // wait: indices of the transfers that it asked for, as far as known
}

// transfer is a copy.
type transfer struct {
	id               uint64
	pc               int
	name             string
	items            finding.Spans
	wave             int
	dst, src         memory.Pointer
	zero             bool // there is no source: zeros are written
	bytes            uint64
	lines, planes    uint64
	event            uint64 // 0: a lane copy
	async            bool
	engine           int
	issued           uint64
	start, done      uint64 // when completed
	completed        bool
	srcName, dstName string
}

// New returns a recorder.
func New(opt Options) *Recorder {
	r := &Recorder{max: opt.MaxEvents, most: opt.MaxGroups}
	if opt.Subgroups {
		r.subgroups = newSubgroupLog()
	}
	if r.max <= 0 {
		r.max = DefaultMaxEvents
	}
	return r
}

// Begin forgets what the recorder has and starts the trace of a launch.
func (r *Recorder) Begin(info LaunchInfo) {
	r.begins([]LaunchInfo{info})
}

// begins forgets what the recorder has.
func (r *Recorder) begins(launches []LaunchInfo) {
	subgroups := r.subgroups
	if subgroups != nil {
		subgroups = newSubgroupLog()
	}
	*r = Recorder{max: r.max, most: r.most, subgroups: subgroups, launches: launches, cur: -1, places: make(map[site]finding.Place), regions: make(map[memoryOf]string)}
	if len(launches) > 0 {
		r.info = launches[0]
	}
}

// Truncated says whether the launch had more events than the recorder keeps.
func (r *Recorder) Truncated() bool { return r.full }

// Events returns the number of events that the recorder has.
func (r *Recorder) Events() int { return r.events }

// Transfers returns the number of transfers that the recorder has.
func (r *Recorder) Transfers() int {
	n := 0
	for i := range r.groups {
		n += len(r.groups[i].transfers)
	}
	return n
}

// room says whether the trace goes on: whether n more events can be kept.
func (r *Recorder) room(n int) bool {
	if r.full || n > r.max-r.events {
		r.full = true
		return false
	}
	r.events += n
	return true
}

// current is the group that runs; nil when there is none.
func (r *Recorder) current() *group {
	if r.cur < 0 || r.groups[r.cur].over {
		return nil
	}
	return &r.groups[r.cur]
}

// locate makes sure that the place of an instruction of the launch is known.
func (r *Recorder) locate(launch, pc int) {
	if pc < 0 || launch < 0 || launch >= len(r.launches) || r.launches[launch].Place == nil {
		return
	}
	at := site{launch, pc}
	if _, known := r.places[at]; !known {
		r.places[at] = r.launches[launch].Place(pc)
	}
}

// add keeps an event of the group that runs, which takes the room of n, and
// makes sure that its place is known. It returns nil when the event was dropped.
func (r *Recorder) add(e event, n int) *group {
	g := r.current()
	if g == nil || !r.room(n) {
		return nil
	}
	g.taken += n
	r.locate(g.launch, int(e.pc))
	g.events = append(g.events, e)
	g.end = max(g.end, e.to)
	return g
}

// addExtra is add for an event that has more to it.
func (r *Recorder) addExtra(e event, x extra) {
	if g := r.add(e, 1+len(x.asked)); g != nil {
		g.events[len(g.events)-1].extra = int32(len(g.extras))
		g.extras = append(g.extras, x)
	}
}

// region is the name of the memory that a pointer leads to.
func (r *Recorder) region(p memory.Pointer) string {
	if p == 0 || r.launch >= len(r.launches) || r.launches[r.launch].Region == nil {
		return ""
	}
	o := memoryOf{r.launch, memory.MakePointer(p.Space(), p.Alloc(), 0)}
	name, known := r.regions[o]
	if !known {
		name = r.launches[r.launch].Region(o.base)
		r.regions[o] = name
	}
	return name
}

func (r *Recorder) begin(id [3]uint64, items int, start uint64) {
	r.cur = -1
	if !r.room(1) {
		return
	}
	r.cur = len(r.groups)
	r.groups = append(r.groups, group{launch: r.launch, id: id, items: items, start: start, end: start, taken: 1,
		live: &live{index: make(map[uint64]int), byEvent: make(map[uint64][]int), lanes: make(map[int]*laneCopies), waits: make(map[int]*waveWaits)}})
	if r.set {
		r.open[groupKey{r.launch, id}] = r.cur
	}
}

func (r *Recorder) end(now uint64) {
	g := r.current()
	if g == nil {
		return
	}
	if r.set {
		delete(r.open, groupKey{g.launch, g.id})
		r.endWaits(g, now)
	}
	if !r.full {
		g.end, g.over, g.live = max(g.end, now), true, nil
		r.countCopies(g)
	}
	if !r.set && r.most != 0 && len(r.groups) > max(r.most, 0) {
		r.events -= g.taken
		r.groups, r.cur = r.groups[:r.cur], -1
		r.passed++
	}
}

func (r *Recorder) turn(wave, first, items int, from, to uint64, stop engine.Stop) {
	e := event{kind: kindTurn, wave: int32(wave), first: int32(first), n: int32(items), from: from, to: to, stop: stop, pc: -1}
	if g := r.current(); r.set && g != nil {
		r.pipeTurn(g, e)
		return
	}
	r.add(e, 1)
}

func (r *Recorder) barrier(pc int, now uint64) {
	r.add(event{kind: kindBarrier, wave: -1, pc: int32(pc), from: now, to: now}, 1)
}

func (r *Recorder) mark(now uint64, pc, wave, seq int, items finding.Spans) {
	r.addExtra(event{kind: kindMark, wave: int32(wave), pc: int32(pc), n: int32(seq), from: now, to: now}, extra{items: items})
}

func (r *Recorder) wait(from, to uint64, pc, wave int, what string, upTo uint64) {
	r.addExtra(event{kind: kindWait, wave: int32(wave), pc: int32(pc), from: from, to: to}, extra{what: what, asked: r.asked(from, to, wave, what, upTo)})
	if g := r.current(); g != nil {
		g.live.landed = g.live.landed[:0]
	}
}

// maxAsked bounds how many transfers a wait names: the last ones.
const maxAsked = 64

// asked returns the transfers that a wait asked for: those of its event, the
// lane copies of its wave up to a number without those that an earlier wait
// asked for, or else those that completed meanwhile, when the wave waited for room.
func (r *Recorder) asked(from, to uint64, wave int, what string, upTo uint64) []int {
	g := r.current()
	if r.full || g == nil {
		return nil
	}
	if upTo > 0 {
		w := g.live.lanes[wave]
		if w == nil {
			return nil
		}
		n := min(upTo, uint64(len(w.copies)))
		list := w.copies[min(w.waited, n):n]
		w.waited = max(w.waited, n)
		return last(list)
	}
	if number, ok := strings.CutPrefix(what, "event "); ok {
		if event, err := strconv.ParseUint(number, 10, 64); err == nil {
			return last(g.live.byEvent[event])
		}
	}
	var list []int
	for _, i := range g.live.landed {
		if t := &g.transfers[i]; t.done > from && t.done <= to {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return last(list)
}

// last returns a copy of the end of a list.
func last(list []int) []int { return slices.Clone(list[max(0, len(list)-maxAsked):]) }

func (r *Recorder) issue(t transfer) {
	g := r.current()
	if g == nil {
		return
	}
	if r.add(event{kind: kindIssue, wave: int32(t.wave), pc: int32(t.pc), from: t.issued, to: t.issued, n: int32(len(g.transfers))}, 1) == nil {
		return
	}
	t.srcName, t.dstName = r.region(t.src), r.region(t.dst)
	l := g.live
	l.index[t.id] = len(g.transfers)
	switch {
	case t.event != 0:
		l.byEvent[t.event] = append(l.byEvent[t.event], len(g.transfers))
	case t.async:
		w := l.lanes[t.wave]
		if w == nil {
			w = &laneCopies{}
			l.lanes[t.wave] = w
		}
		w.copies = append(w.copies, len(g.transfers))
	}
	g.transfers = append(g.transfers, t)
}

func (r *Recorder) complete(id, start, done uint64) {
	g := r.current()
	if g == nil {
		return
	}
	i, known := g.live.index[id]
	if !known || g.transfers[i].completed ||
		r.add(event{kind: kindComplete, wave: -1, pc: -1, from: done, to: done, n: int32(i)}, 1) == nil {
		return
	}
	t := &g.transfers[i]
	t.start, t.done, t.completed = start, done, true
	g.live.landed = append(g.live.landed, i)
}
