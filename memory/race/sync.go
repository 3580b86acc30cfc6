package race

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// place is a piece of memory that atomic operations work on.
type place struct {
	object *object
	off    uint64
}

// synced is what releases have left at a place: for those who acquire it in the whole device, in a group,
// and in a sub-group (by the first work-item of each). A release reaches as far as its scope, and is seen
// as far as the scope of who acquires (inclusive scopes, OpenCL 3.3.6.1).
type synced struct {
	device   *known
	groups   map[uint64]*known
	subs     map[uint64]*known
	released uint64 // 1 + the work-item that stored last, which a plain store of another one ends
}

// Atomic says that a work-item does an atomic operation on a.Size bytes at p: whether it reads, whether it
// writes, and whether it does so in one step. A compare-and-exchange that fails only reads.
//
// An operation orders the kinds of memory that its semantics name, or else the kind that it works on, and
// in two cases the other one, too (OpenCL 3.0 API, 3.3.6.2): between fences that both have both flags, and
// between sequentially consistent operations. It is itself behind what it acquires, and before what follows
// those who acquire what it releases.
func (g *Group) Atomic(a *Access, item int, p memory.Pointer, order isa.MemoryOrder, reads, writes bool) {
	o, _ := g.object(p, writes)
	if o == nil {
		return
	}
	at := place{o, uint64(p.Offset())}
	if order == 0 {
		order = isa.OrderAll
	}
	named := order & (isa.OrderGlobal | isa.OrderLocal)
	var own [numDomains]bool
	for i := range g.domains {
		// Images are ordered by every operation: there is little that says which do.
		own[i] = named&orderBits[i] != 0 || named == 0 && (i == inLocal) == (p.Space() == memory.SpaceLocal) || i == inImage
		if reads {
			g.reads(i, at, item, order, own[i])
		}
	}
	g.One(a, p, item)
	for i := range g.domains {
		if writes {
			g.writes(i, at, item, order, own[i], reads)
		}
	}
}

// Atomics tells, as Lanes does, of an atomic operation, of which each lane does what Atomic says.
func (g *Group) Atomics(a *Access, p memory.Pointer, first int, lanes uint64, off *[64]int64, order isa.MemoryOrder, reads, writes bool) {
	if order != 0 && order&(isa.OrderAcquire|isa.OrderRelease|isa.OrderSeqCst) == 0 && g.unsynced() {
		g.Lanes(a, p, first, lanes, off)
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		i := bits.TrailingZeros64(lanes)
		g.Atomic(a, first+i, p.Add(off[i]), order, reads, writes)
	}
}

// unsynced says that relaxed atomic operations order nothing: nobody has released anything.
func (g *Group) unsynced() bool {
	for i := range g.domains {
		if len(g.d.synced[i]) > 0 || len(g.domains[i].released) > 0 {
			return false
		}
	}
	return true
}

// reads takes what was left at a place that an atomic operation reads, in one kind of memory; own says that
// the operation orders it by itself.
func (g *Group) reads(i int, at place, item int, order isa.MemoryOrder, own bool) {
	dm, s := &g.domains[i], g.d.synced[i][at]
	if s == nil {
		return
	}
	if order&isa.OrderAcquire != 0 && (own || order&isa.OrderSeqCst != 0) {
		g.acquire(dm, item, g.seen(s, item, order.Scope()))
		return
	}
	b := dm.brought[item]
	for reach := range fenceScopes {
		k := g.seen(s, item, max(order.Scope(), isa.ScopeDevice+isa.Scope(reach)))
		if own {
			b.knows[reach] = join(b.knows[reach], k)
		} else {
			b.both[reach] = join(b.both[reach], k)
		}
	}
	if b == (brought{}) {
		return
	}
	if dm.brought == nil {
		dm.brought = map[int]brought{}
	}
	dm.brought[item] = b
}

// writes leaves what an atomic operation releases at the place that it writes.
func (g *Group) writes(i int, at place, item int, order isa.MemoryOrder, own, reads bool) {
	dm, table := &g.domains[i], g.d.synced[i]
	s := table[at]
	var k *known
	scope := order.Scope()
	if order&isa.OrderRelease != 0 && (own || order&isa.OrderSeqCst != 0) {
		k = g.release(dm, item)
	} else if f, ok := dm.released[item]; ok && (own || f.both) {
		k, scope = f.knows, max(scope, f.scope)
	}
	who := g.first + uint64(item) + 1
	if s != nil && !reads && s.released != who {
		*s = synced{} // a store of another work-item ends the release sequence
	}
	if k == nil {
		return
	}
	if s == nil {
		s = &synced{}
		table[at] = s
	}
	s.released = who
	g.leave(s, item, scope, k)
}

// seen returns what a work-item that reads a place with a scope sees of the releases.
func (g *Group) seen(s *synced, item int, scope isa.Scope) *known {
	k := s.subs[g.subOf(item)]
	if scope <= isa.ScopeWorkgroup {
		k = join(k, s.groups[g.first])
	}
	if scope <= isa.ScopeDevice {
		k = join(k, s.device)
	}
	if scope >= isa.ScopeInvocation {
		return nil
	}
	return k
}

// leave leaves what a work-item releases at a place, for those whom its scope reaches.
func (g *Group) leave(s *synced, item int, scope isa.Scope, k *known) {
	if scope >= isa.ScopeInvocation {
		return
	}
	add := func(m *map[uint64]*known, key uint64) {
		if *m == nil {
			*m = map[uint64]*known{}
		}
		(*m)[key] = join((*m)[key], k)
	}
	add(&s.subs, g.subOf(item))
	if scope <= isa.ScopeWorkgroup {
		add(&s.groups, g.first)
	}
	if scope <= isa.ScopeDevice {
		s.device = join(s.device, k)
	}
}

// subOf names the sub-group of a work-item.
func (g *Group) subOf(item int) uint64 { return g.first + uint64(item/g.subgroup*g.subgroup) }

// Fence says that a work-item executes a fence.
func (g *Group) Fence(item int, order isa.MemoryOrder) {
	if order = g.orderOf(item, order); order == 0 {
		order = isa.OrderAll
	}
	both := order&isa.OrderGlobal != 0 && order&isa.OrderLocal != 0
	for i := range g.domains {
		dm := &g.domains[i]
		if order&orderBits[i] == 0 {
			continue
		}
		reach := fenceScope(order.Scope())
		if b, ok := dm.brought[item]; ok && order&isa.OrderAcquire != 0 && reach < fenceScopes {
			if g.acquire(dm, item, b.knows[reach]); both {
				g.acquire(dm, item, b.both[reach])
			}
			if reach == 0 && both {
				delete(dm.brought, item) // otherwise another fence may take more
			}
		}
		if order&isa.OrderRelease != 0 {
			if dm.released == nil {
				dm.released = map[int]fenced{}
			}
			dm.released[item] = fenced{g.release(dm, item), order.Scope(), both}
		}
	}
}

// Send says that a work-item gives others leave to go on through something that is no memory, a pipe; Receive
// that it has got it.
func (g *Group) Send(item int, p memory.Pointer) {
	for i := range g.domains {
		g.d.sent[i][p] = join(g.d.sent[i][p], g.release(&g.domains[i], item))
	}
}

// Receive is the other side of Send.
func (g *Group) Receive(item int, p memory.Pointer) {
	for i := range g.domains {
		g.acquire(&g.domains[i], item, g.d.sent[i][p])
	}
}
