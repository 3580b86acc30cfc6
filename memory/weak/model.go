package weak

import (
	"github.com/lockstep-gpu/lockstep/isa"
)

// What is what a [Choices] decides.
type What uint8

// The choices.
const (
	ReadFrom What = iota // which message a load reads: 0 is the last one, and higher numbers are older ones
	PlaceAt              // where a store stands in the modification order: 0 is at its end
	PutOff               // whether a load is performed late: 0 is now
)

// Choices decides what the memory model leaves open.
type Choices interface {
	// Pick returns one of n numbers from 0, the only one where n is 1.
	Pick(what What, n int) int
	// Stamp returns a mark for a write that is made now. Ordered says, of the marks of writes that were made earlier,
	// whether all of them had to be made before the present access although that one is going to pass over them: it
	// reads what is before them in modification order, or stands before them. Where they need not, the access does not
	// pass over them, because another order of steps shows the same. A Choices that does not try all orders says true.
	Stamp() int
	Ordered(stamps []int) bool
}

// Limits of what is kept.
const (
	// maxHistory is how many messages of a place are kept where work-items make progress anyway: older values are
	// not read any more.
	maxHistory = 64
	// maxPlaces bounds the places of a model. What lies outside of them has no history. Where there are maxMessages of
	// all places, a place that is written keeps the last two.
	maxPlaces   = 1 << 19
	maxMessages = 1 << 20
	// maxRepeats is how often in a row a work-item reads an old message (OpenCL 3.3.7: stores become visible in a
	// reasonable time).
	maxRepeats = 4
)

// Model is the memory of a launch. One goroutine at a time may use it and its groups.
type Model struct {
	choices Choices
	fair    bool
	global  table
	places  int // in global memory
	kept    int // messages of these, but for the first of each
	full    bool
	seqCst  view // that sequentially consistent operations share, of global memory
	scratch []piece
	quiet   bool // Ordered is not asked
}

// New returns a model of memory that holds what it holds at the beginning of the launch. Fair says that loops that
// wait for a store must come to their end: no work-item reads an old message again and again.
func New(c Choices, fair bool) *Model { return &Model{choices: c, fair: fair, global: table{}} }

// Full says that there was more memory with a history than is kept: the rest was sequentially consistent.
func (m *Model) Full() bool { return m.full }

// Group is a work-group that runs. Its methods take work-items by their number in the group.
type Group struct {
	m        *Model
	subgroup int
	local    table
	places   int  // in local memory
	seqCst   view // that sequentially consistent operations share, of local memory
	threads  []thread
	all      []*thread
}

// thread is a work-item.
type thread struct {
	view view
	id   *identity
	// fences are the release fences that stores now release, and brought is what loads have read that no fence has
	// acquired.
	fences  []release
	brought []brought
	taken   map[*frozen]kinds // views that were added to that of the work-item
	late    map[int]*late     // by instruction
	repeats map[*place]repeat
}

// repeat is the message of a place that a work-item has read last, and how often in a row.
type repeat struct {
	m *message
	n int
}

// Worker returns a group, of which none has begun, whose sub-groups have so many work-items.
func (m *Model) Worker(subgroup int) *Group { return &Group{m: m, subgroup: subgroup} }

// Begin begins a work-group, by its linear number, with so many work-items. Its local memory holds what it is
// going to hold.
func (g *Group) Begin(linear uint64, items int) {
	g.local, g.places, g.seqCst = table{}, 0, view{}
	g.threads = make([]thread, items)
	g.all = g.all[:0]
	for i := range g.threads {
		g.threads[i].id = &identity{linear, i / max(g.subgroup, 1), i}
		g.all = append(g.all, &g.threads[i])
	}
}

func (g *Group) table(local bool) table {
	if local {
		return g.local
	}
	return g.m.global
}

// shared is the view that sequentially consistent operations share.
func (g *Group) shared(local bool) *view {
	if local {
		return &g.seqCst
	}
	return &g.m.seqCst
}

// Access says how an instruction accesses memory.
type Access struct {
	Local  bool // LDS
	Atomic bool
	Order  isa.MemoryOrder // of an atomic one; 0 orders everything
}

func (a *Access) order() isa.MemoryOrder {
	if a.Order == 0 {
		return isa.OrderAll
	}
	return a.Order
}

func (a *Access) seqCst() bool { return a.Atomic && a.order()&isa.OrderSeqCst != 0 }

// first returns the lowest place from low on in a history that an access may choose: it passes over the messages
// behind.
func (m *Model) first(h []*message, low int) int {
	var room [maxHistory]int
	stamps := room[:0]
	for i := len(h) - 1; i > low; i-- {
		if stamps = append(stamps, h[i].stamp); !m.quiet && !m.choices.Ordered(stamps) {
			return i
		}
	}
	return low
}

func (m *Model) pick(what What, n int) int { return min(max(m.choices.Pick(what, n), 0), n-1) }
