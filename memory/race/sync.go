package race

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// place is a piece of memory that atomic operations work on.
type place struct {
	object *object
	off    uint64
}

// synced is what releases have left at a place: for those who acquire it in the whole device, in a group, and in a sub-group
// (by the first work-item of each). A release reaches as far as its scope, and is seen as far as the scope of
// who acquires (inclusive scopes, OpenCL 3.3.6.1).
type synced struct {
	device   *known
	groups   map[uint64]*known
	subs     map[uint64]*known
	released uint64 // 1 + the work-item that stored last, which a plain store of another one ends
}

// Sync says that a work-item does an atomic operation, before the access itself is told: whether it reads, whether it writes, and
// whether it does so in one step. A compare-and-exchange that fails only reads.
func (g *Group) Sync(item int, p memory.Pointer, order isa.MemoryOrder, reads, writes bool) {
	o, _ := g.object(p)
	if o == nil {
		return
	}
	at := place{o, uint64(p.Offset())}
	if order == 0 {
		order = isa.OrderAll
	}
	named := order & (isa.OrderGlobal | isa.OrderLocal)
	for i := range g.domains {
		if named&orderBits[i] != 0 || named == 0 && (i == inLocal) == (p.Space() == memory.SpaceLocal) {
			g.syncDomain(i, at, item, order, reads, writes)
		}
	}
}

func (g *Group) syncDomain(i int, at place, item int, order isa.MemoryOrder, reads, writes bool) {
	dm, table := &g.domains[i], g.d.synced[i]
	s := table[at]
	if reads && s != nil {
		if k := g.seen(s, item, order.Scope()); k != nil {
			if order&isa.OrderAcquire != 0 {
				g.acquire(dm, item, k)
			} else {
				if dm.brought == nil {
					dm.brought = map[int]*known{}
				}
				dm.brought[item] = join(dm.brought[item], k)
			}
		}
	}
	if !writes {
		return
	}
	var k *known
	scope := order.Scope()
	if order&isa.OrderRelease != 0 {
		k = g.release(dm, item)
	} else if f, ok := dm.released[item]; ok {
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
	if order == 0 {
		order = isa.OrderAll
	}
	for i := range g.domains {
		dm := &g.domains[i]
		if order&orderBits[i] == 0 {
			continue
		}
		if order&isa.OrderAcquire != 0 {
			g.acquire(dm, item, dm.brought[item])
			delete(dm.brought, item)
		}
		if order&isa.OrderRelease != 0 {
			if dm.released == nil {
				dm.released = map[int]fenced{}
			}
			dm.released[item] = fenced{g.release(dm, item), order.Scope()}
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
