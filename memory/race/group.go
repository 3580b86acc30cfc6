package race

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// The kinds of memory whose accesses are ordered apart from each other.
const (
	inGlobal = iota
	inLocal
	inImage
	numDomains
)

// orderBits has the bit of a memory order for each of them.
var orderBits = [numDomains]isa.MemoryOrder{isa.OrderGlobal, isa.OrderLocal, isa.OrderImage}

// Group is a work-group that runs. Its methods take work-items by their number in the group. One goroutine
// at a time may use it and the other groups of its [Detector].
type Group struct {
	d        *Detector
	launch   int
	first    uint64 // work-item, counted over all launches
	items    uint64
	whole    uint64 // work-items of a whole group of the launch
	subgroup int
	barriers uint32

	epoch uint64 // counts barriers that order LDS, and groups

	domains [numDomains]domain
	lds     []*object // by allocation, from 1; nil for what the machine hides from kernels

	// Same says whether a work-item is about to write the value that memory has already, or that another
	// work-item of the group writes by the same instruction; other is -1 for none. It is nil when nobody
	// knows, and called while Lanes and One tell of a write.
	Same func(item, other int) bool

	// The events that the last accesses had, by place in the kernel.
	recent []recent

	varying []isa.MemoryOrder // by work-item, for a barrier or fence whose order varies; see Varies
}

type recent struct {
	clock, barriers uint32
	event           uint32
}

// domain is what a group's work-items know of one kind of memory. Until one of them synchronizes alone, all
// are alike.
type domain struct {
	clock uint32 // of each work-item
	// known: all work-items know the accesses of the group with clocks below it.
	known uint32
	base  *known // what all know of others

	apart bool     // work-items have clocks and knowledge of their own
	own   []own    // by work-item; meaningful with apart
	sub   []uint32 // by sub-group: known, for the work-items of the sub-group; meaningful with apart

	// By work-item: what a release fence let go, and what atomic loads have brought that no fence has acquired.
	released map[int]fenced
	brought  map[int]brought
}

type own struct {
	clock uint32
	knows *known
}

type fenced struct {
	knows *known
	scope isa.Scope
	both  bool // the fence is for both kinds of memory
}

// brought is what atomic loads have brought, by the scope of the fence that may take it, and what they have
// for fences of both kinds of memory only.
type brought struct{ knows, both [fenceScopes]*known }

// The scopes of fences that reach others, from the widest: the device, the work-group and the sub-group.
const fenceScopes = 3

// fenceScope returns the place of a scope among them, fenceScopes for one that reaches nobody.
func fenceScope(s isa.Scope) int { return int(max(s, isa.ScopeDevice) - isa.ScopeDevice) }

// begin prepares the group for another one of the launch, or the first.
func (g *Group) begin(first uint64, items int) {
	g.first, g.items, g.barriers = first, uint64(items), 0
	g.epoch++
	for i := range g.domains {
		dm := &g.domains[i]
		dm.clock, dm.known, dm.base, dm.apart = 1, 1, nil, false
		clear(dm.released)
		clear(dm.brought)
	}
}

// part lets the work-items have clocks of their own.
func (g *Group) part(dm *domain) {
	if dm.apart {
		return
	}
	dm.apart = true
	if n := int(g.items); cap(dm.own) < n {
		dm.own = make([]own, n)
		dm.sub = make([]uint32, n/g.subgroup+1)
	}
	dm.own = dm.own[:g.items]
	for i := range dm.own {
		dm.own[i] = own{dm.clock, dm.base}
	}
	dm.sub = dm.sub[:int(g.items-1)/g.subgroup+1]
	for i := range dm.sub {
		dm.sub[i] = dm.known
	}
}

// clockOf returns a work-item's clock.
func (dm *domain) clockOf(item int) uint32 {
	if dm.apart {
		return dm.own[item].clock
	}
	return dm.clock
}

// knows returns what a work-item knows of others.
func (dm *domain) knows(item int) *known {
	if dm.apart {
		return dm.own[item].knows
	}
	return dm.base
}

// Barrier says that a barrier of the work-group has opened, at which all its work-items were that have not
// ended.
func (g *Group) Barrier(order isa.MemoryOrder) {
	g.barriers++
	if order&isa.OrderVaries != 0 {
		g.meetVarying(0, int(g.items), nil)
		return
	}
	if order == 0 {
		order = isa.OrderAll
	}
	if order&(isa.OrderAcquire|isa.OrderRelease) == 0 || order.Scope() == isa.ScopeInvocation {
		return
	}
	for i := range g.domains {
		switch dm := &g.domains[i]; {
		case order&orderBits[i] == 0:
		case order.Scope() == isa.ScopeSubgroup:
			for first := 0; first < int(g.items); first += g.subgroup {
				g.meet(dm, first, min(first+g.subgroup, int(g.items)), nil)
			}
		default:
			g.meetAll(dm)
			if i == inLocal {
				g.epoch++
			}
		}
	}
}

// meetAll orders all work-items of the group.
func (g *Group) meetAll(dm *domain) {
	if dm.apart {
		var last *known
		for i := range dm.own {
			o := &dm.own[i]
			dm.clock = max(dm.clock, o.clock)
			if o.knows != last {
				dm.base, last = join(dm.base, o.knows), o.knows
			}
		}
		dm.apart = false
	}
	dm.clock++
	dm.known = dm.clock
}

// SubgroupBarrier says that a barrier of a sub-group has opened for the work-items in [first, end), a
// sub-group's, for which live says that they have not ended.
func (g *Group) SubgroupBarrier(first, end int, live func(item int) bool, order isa.MemoryOrder) {
	if order&isa.OrderVaries != 0 {
		g.meetVarying(first, end, live)
		return
	}
	if order == 0 {
		order = isa.OrderAll
	}
	if order&(isa.OrderAcquire|isa.OrderRelease) == 0 || order.Scope() == isa.ScopeInvocation {
		return
	}
	for i := range g.domains {
		if order&orderBits[i] != 0 {
			g.meet(&g.domains[i], first, end, live)
		}
	}
}

// meet orders the work-items of a sub-group.
func (g *Group) meet(dm *domain, first, end int, live func(int) bool) {
	g.part(dm)
	clock, knows := uint32(0), (*known)(nil)
	for i := first; i < end; i++ {
		if live == nil || live(i) {
			clock, knows = max(clock, dm.own[i].clock), join(knows, dm.own[i].knows)
		}
	}
	for i := first; i < end; i++ {
		dm.own[i] = own{clock + 1, knows}
	}
	dm.sub[first/g.subgroup] = clock + 1
}

// before says whether an access happened before what a work-item of the group does next.
func (g *Group) before(dm *domain, item int, s stamp) bool {
	clock := g.d.events[s.event()].clock
	if clock == endless {
		return g.behind(dm, item, s)
	}
	return g.precedes(dm, item, s.item(), clock)
}

// precedes says whether what a work-item did at a clock happened before what one of the group does next.
func (g *Group) precedes(dm *domain, item int, who uint64, clock uint32) bool {
	if who == g.first+uint64(item) {
		return true
	}
	if who-g.first < g.items {
		if clock < dm.known {
			return true
		}
		if !dm.apart {
			return false
		}
		sub := item / g.subgroup
		return int(who-g.first)/g.subgroup == sub && clock < dm.sub[sub] || dm.own[item].knows.at(itemKey(who)) > clock
	}
	k := dm.knows(item)
	return k != nil && (k.at(itemKey(who)) > clock || k.at(groupKey(g.d.groupOf(who))) > clock)
}

// foreign says whether LDS has this stamp from another work-group, whose memory it was before.
func (g *Group) foreign(s stamp) bool { return s.item()-g.first >= g.items }

// release returns what a work-item lets others know, and begins a new clock for it.
func (g *Group) release(dm *domain, item int) *known {
	g.part(dm)
	o := &dm.own[item]
	who := g.first + uint64(item)
	o.knows = o.knows.with(groupKey(g.first), dm.known).with(itemKey(who), o.clock+1)
	if sub := item / g.subgroup; dm.sub[sub] > dm.known {
		for i := sub * g.subgroup; i < min((sub+1)*g.subgroup, int(g.items)); i++ {
			o.knows = o.knows.with(itemKey(g.first+uint64(i)), dm.sub[sub])
		}
	}
	o.clock++
	return o.knows
}

// acquire lets a work-item know what others have let go.
func (g *Group) acquire(dm *domain, item int, k *known) {
	if k == nil {
		return
	}
	g.part(dm)
	o := &dm.own[item]
	o.knows = join(o.knows, k)
}

// Ignores says that reads through a pointer race with nothing, so that they need not be told.
func (g *Group) Ignores(p memory.Pointer) bool {
	o, _ := g.object(p, false)
	return o == nil
}

// object returns the allocation that a pointer leads to, nil for one whose accesses are not looked at.
// write says that the access is a write, which is looked at wherever it leads.
func (g *Group) object(p memory.Pointer, write bool) (o *object, dm *domain) {
	switch n := p.Alloc(); p.Space() {
	case memory.SpaceGlobal:
		return g.d.global(p, write), &g.domains[inGlobal]
	case memory.SpaceLocal:
		if n >= 1 && int(n) <= len(g.lds) {
			return g.lds[n-1], &g.domains[inLocal]
		}
	}
	return nil, nil
}
