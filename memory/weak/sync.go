package weak

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// side is one side of what may synchronize: an atomic operation, or a fence and the atomic operation that goes
// with it.
type side struct {
	own    kinds // that it orders itself
	scope  isa.Scope
	seqCst bool // a sequentially consistent operation
	both   bool // a fence of both kinds of memory
}

// release is what a message releases, or a fence for the stores behind it.
type release struct {
	side
	by   *identity
	view *frozen
}

// brought is a message that a load has read, and how the load would acquire it.
type brought struct {
	m *message
	side
}

// sideOf is that of an atomic operation.
func sideOf(a *Access) side {
	o := a.order()
	named := o & (isa.OrderGlobal | isa.OrderLocal)
	s := side{scope: o.Scope(), seqCst: o&isa.OrderSeqCst != 0}
	for k, bit := range [2]isa.MemoryOrder{isa.OrderGlobal, isa.OrderLocal} {
		s.own[k] = named&bit != 0 || named == 0 && k == kindOf(a.Local)
	}
	return s
}

// fenced is the side of a fence with an atomic operation: a fence orders a kind of memory by operations on that
// kind.
func fenced(fence, atomic side) side {
	f := fence
	f.scope = max(fence.scope, atomic.scope)
	for k := range f.own {
		f.own[k] = f.own[k] && atomic.own[k]
	}
	return f
}

// fenceSide is that of a fence alone.
func fenceSide(o isa.MemoryOrder) side {
	f := side{scope: o.Scope(), seqCst: o&isa.OrderSeqCst != 0, own: kinds{o&isa.OrderGlobal != 0, o&isa.OrderLocal != 0}}
	f.both = f.own[inGlobal] && f.own[inLocal]
	return f
}

// includes says whether a scope of one work-item includes another one.
func includes(s isa.Scope, a, b *identity) bool {
	switch {
	case a == b || s <= isa.ScopeDevice:
		return true
	case a.group != b.group || s >= isa.ScopeInvocation:
		return false
	}
	return s == isa.ScopeWorkgroup || a.subgroup == b.subgroup
}

// synchronizes returns the kinds of memory that a release and an acquire order (OpenCL 3.3.7: between
// sequentially consistent operations, and between fences of both kinds, both or none).
func (r *release) synchronizes(who *identity, s side) (of kinds) {
	if !includes(r.scope, r.by, who) || !includes(s.scope, who, r.by) {
		return kinds{}
	}
	for k := range of {
		of[k] = r.own[k] && s.own[k]
	}
	if (of[inGlobal] || of[inLocal]) && (r.seqCst && s.seqCst || r.both && s.both) {
		of = kinds{true, true}
	}
	return of
}

// take lets a work-item that has read a message acquire what it releases, or keeps that for a fence.
func (g *Group) take(t *thread, a *Access, m *message) {
	if !a.Atomic {
		return
	}
	s := sideOf(a)
	if a.order()&isa.OrderAcquire != 0 {
		t.acquire(m, s)
	}
	if a.order()&isa.OrderAcquire == 0 || s.own != (kinds{true, true}) {
		t.bring(brought{m, s})
	}
}

// maxBrought is how many messages are kept for fences before those are left out that have been dropped.
const maxBrought = 256

// bring keeps a message for the next fence, if it belongs to the release sequence of any release.
func (t *thread) bring(b brought) {
	if slices.Contains(t.brought, b) || !b.m.heads(func(*release) bool { return true }) {
		return
	}
	all := len(t.brought) < maxBrought
	t.brought = slices.DeleteFunc(t.brought, func(o brought) bool {
		return o.side == b.side && b.m.continues(o.m) || !all && o.m.at < 0
	})
	t.brought = append(t.brought, b)
}

// continues says whether a message belongs to all release sequences that an earlier one of its place belongs to:
// there are read-modify-writes alone from there on.
func (m *message) continues(o *message) bool {
	if m.of != o.of || o.at < 0 || o.at > m.at {
		return false
	}
	for _, x := range m.of.history[o.at+1 : m.at+1] {
		if !x.glued {
			return false
		}
	}
	return true
}

// acquire adds to the work-item's view what the message releases, and what those do whose release sequences it
// belongs to.
func (t *thread) acquire(m *message, s side) {
	m.heads(func(r *release) bool {
		of := r.synchronizes(t.id, s)
		had := t.taken[r.view]
		if had.and(of) == of {
			return false // views only grow
		}
		t.view.join(r.view, of, true)
		if t.taken == nil || len(t.taken) >= maxBrought {
			t.taken = map[*frozen]kinds{}
		}
		t.taken[r.view] = kinds{had[inGlobal] || of[inGlobal], had[inLocal] || of[inLocal]}
		return false
	})
}

// heads calls f for each release to whose release sequence the message belongs, until it says true. A release heads
// the sequence of those messages directly behind it that are of its own work-item or of read-modify-writes (C11,
// 5.1.2.4, paragraph 10).
func (m *message) heads(f func(*release) bool) bool {
	var by *identity // of the messages behind, but those of read-modify-writes
	for i := m.at; i >= 0; i-- {
		x := m.of.history[i]
		if x.by == nil {
			return false
		}
		if by == nil || by == x.by {
			for j := range x.releases {
				if f(&x.releases[j]) {
					return true
				}
			}
		}
		if !x.glued {
			if by != nil && by != x.by {
				return false
			}
			by = x.by
		}
	}
	return false
}

// leave attaches to a message what its work-item releases.
func (g *Group) leave(t *thread, a *Access, m *message) {
	s := sideOf(a)
	if a.order()&isa.OrderRelease != 0 {
		m.releases = append(m.releases, release{s, t.id, t.view.freeze()})
	}
	for i := range t.fences {
		f := &t.fences[i]
		m.releases = append(m.releases, release{fenced(f.side, s), t.id, f.view})
	}
}

// Fence is a fence of a work-item.
func (g *Group) Fence(item int, order isa.MemoryOrder) {
	if order == 0 {
		order = isa.OrderAll
	}
	t := &g.threads[item]
	if order&isa.OrderSeqCst != 0 || order&isa.OrderAcquire != 0 {
		g.settleAll(t)
	}
	f := fenceSide(order)
	if order&isa.OrderAcquire != 0 {
		g.acquireFence(t, f)
	}
	if order&isa.OrderSeqCst != 0 {
		g.sequential(t, f.own)
	}
	if order&isa.OrderAcquire != 0 && order&isa.OrderRelease != 0 {
		t.view.join(t.view.freeze(), f.own, true) // nothing moves across it
	}
	if order&isa.OrderRelease != 0 {
		g.releaseFence(t, f)
	}
}

func (g *Group) acquireFence(t *thread, f side) {
	kept := t.brought[:0]
	for _, b := range t.brought {
		t.acquireBrought(b, fenced(f, b.side))
		// May another fence take more?
		whole := f.scope <= isa.ScopeDevice
		for k := range f.own {
			whole = whole && (f.own[k] || !b.own[k])
		}
		if !whole || !f.both && b.m.heads(func(r *release) bool { return r.both }) {
			kept = append(kept, b)
		}
	}
	t.brought = kept
}

// acquireBrought acquires a message, unless it has been dropped.
func (t *thread) acquireBrought(b brought, s side) {
	m := b.m
	for p := m.of; p.halves[0] != nil; p = m.of {
		m = m.halves[0]
	}
	if m.at >= 0 {
		t.acquire(m, s)
	}
}

func (g *Group) releaseFence(t *thread, f side) {
	r := release{f, t.id, t.view.freeze()}
	for i := range t.fences {
		if t.fences[i].side == f {
			t.fences[i] = r
			return
		}
	}
	t.fences = append(t.fences, r)
}

// sequential gives a fence its place in the order of sequentially consistent operations.
func (g *Group) sequential(t *thread, of kinds) {
	for _, shared := range [2]*view{&g.m.seqCst, &g.seqCst} {
		t.view.join(shared.freeze(), of, true)
	}
	f := t.view.freeze()
	g.m.seqCst.join(f, kinds{inGlobal: of[inGlobal]}, true)
	g.seqCst.join(f, kinds{inLocal: of[inLocal]}, true)
}

// Barrier says that a barrier of the work-group has opened, at which all its work-items were that have not ended.
func (g *Group) Barrier(order isa.MemoryOrder) {
	if order == 0 {
		order = isa.OrderAll
	}
	if order.Scope() == isa.ScopeSubgroup && g.subgroup > 0 {
		for first := 0; first < len(g.all); first += g.subgroup {
			g.meet(g.all[first:min(first+g.subgroup, len(g.all))], order)
		}
		return
	}
	g.meet(g.all, order)
}

// SubgroupBarrier says that a barrier of a sub-group has opened for the work-items in [first, end), of which those
// live.
func (g *Group) SubgroupBarrier(first, end int, live func(item int) bool, order isa.MemoryOrder) {
	if order == 0 {
		order = isa.OrderAll
	}
	var list []*thread
	for i := first; i < end; i++ {
		if live(i) {
			list = append(list, g.all[i])
		}
	}
	g.meet(list, order)
}

// meet is a barrier of work-items: an entry fence, which releases, and an exit fence, which acquires (OpenCL
// 3.3.7), that synchronize with each other.
func (g *Group) meet(list []*thread, order isa.MemoryOrder) {
	if order&(isa.OrderAcquire|isa.OrderRelease) == 0 || order.Scope() == isa.ScopeInvocation {
		return
	}
	if len(list) == 0 {
		return
	}
	f := fenceSide(order)
	common := list[0].view.base // what all know, if that is anything
	for _, t := range list {
		if t.view.base != common {
			common = nil
		}
	}
	all := view{base: common}
	if common != nil && !common.firm {
		all.joinAbove(nil, common, f.own, true)
	}
	for _, t := range list {
		g.settleAll(t)
		g.releaseFence(t, f)
		all.joinAbove(common, t.view.base, f.own, true)
	}
	joined := all.freeze()
	for _, t := range list {
		t.view.rebase(common, joined, f.own)
		g.acquireFence(t, f)
	}
	if f.own[inLocal] && len(list) == len(g.all) {
		// Nobody reads what all know to be old.
		for _, block := range g.local {
			for _, p := range block {
				if s := all.at(p); s.any != nil && s.any.at > 0 {
					p.forget(len(p.history) - s.any.at)
				}
			}
		}
	}
}
