package race

import "github.com/lockstep-gpu/lockstep/isa"

// A barrier or a fence whose flags are no constants has an order for each work-item. OpenCL C wants the same flags
// of all work-items where it speaks of that (3.0, 6.15.9: mem_fence). A barrier with flags that differ orders two
// work-items for the memory that both name, and for no other: a release and an acquire each need the flag
// (OpenCL 3.0 API, 3.3.6.2).

// Varies says which order the next barrier or fence of a work-item has.
func (g *Group) Varies(item int, order isa.MemoryOrder) {
	if n := int(g.items); len(g.varying) < n {
		g.varying = append(g.varying, make([]isa.MemoryOrder, n-len(g.varying))...)
	}
	g.varying[item] = order
}

// orderOf returns the order of a barrier or fence for a work-item.
func (g *Group) orderOf(item int, order isa.MemoryOrder) isa.MemoryOrder {
	if order&isa.OrderVaries == 0 {
		return order
	}
	if item >= len(g.varying) {
		return isa.OrderKnown
	}
	return g.varying[item]
}

// meetVarying orders the work-items in [first, end) at a barrier: those with one another whose flags name a kind
// of memory. live says which have not ended; nil is all.
func (g *Group) meetVarying(first, end int, live func(item int) bool) {
	for i := range g.domains {
		dm := &g.domains[i]
		var all, some []int
		narrow := false
		for item := first; item < end; item++ {
			if live != nil && !live(item) {
				continue
			}
			all = append(all, item)
			o := g.orderOf(item, isa.OrderVaries)
			if o&orderBits[i] == 0 || o&(isa.OrderAcquire|isa.OrderRelease) == 0 || o.Scope() >= isa.ScopeInvocation {
				continue
			}
			narrow = narrow || o.Scope() == isa.ScopeSubgroup
			some = append(some, item)
		}
		switch {
		case len(some) == len(all) && !narrow && live == nil:
			g.meetAll(dm)
		case len(some) == len(all) && live != nil:
			g.meet(dm, first, end, live)
		case narrow:
			for len(some) > 0 {
				n := 1
				for n < len(some) && some[n]/g.subgroup == some[0]/g.subgroup {
					n++
				}
				g.meetSome(dm, some[:n])
				some = some[n:]
			}
		default:
			g.meetSome(dm, some)
		}
	}
}

// meetSome orders some work-items, in ascending order.
func (g *Group) meetSome(dm *domain, items []int) {
	g.part(dm)
	var knows *known
	for _, item := range items {
		o := &dm.own[item]
		knows = join(knows, o.knows).with(itemKey(g.first+uint64(item)), o.clock+1)
		if sub := item / g.subgroup; dm.sub[sub] > dm.known {
			for i := sub * g.subgroup; i < min((sub+1)*g.subgroup, int(g.items)); i++ {
				knows = knows.with(itemKey(g.first+uint64(i)), dm.sub[sub])
			}
		}
	}
	for _, item := range items {
		o := &dm.own[item]
		*o = own{o.clock + 1, knows}
	}
}
