package race

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// The tests compare the detector with the definition, on random programs of few work-items: a graph with an
// edge for each reason why one operation happens before another, and a path for each pair that is ordered.

const (
	testGroups   = 2
	testItems    = 4 // of a group
	testSubgroup = 2
	testBytes    = 16
	testStart    = 248 // of the bytes in their allocation, on two pages
)

type opKind int

const (
	opRead opKind = iota
	opWrite
	opAtomic // reads and writes
	opAtomicLoad
	opAtomicStore
	opFence
	opBarrier
	opSubBarrier
	numOpKinds
)

// op is an operation of a work-item; barriers are one operation of all who take part.
type op struct {
	kind  opKind
	items []int // counted over all groups; one, but for barriers
	space memory.Space
	off   uint64
	size  uint64
	order isa.MemoryOrder
	pc    int // those of several work-items that do one instruction together are the same
}

func (o *op) reads() bool  { return o.kind == opAtomic || o.kind == opAtomicLoad }
func (o *op) writes() bool { return o.kind == opAtomic || o.kind == opAtomicStore }
func (o *op) atomic() bool { return o.kind >= opAtomic && o.kind <= opAtomicStore }
func (o *op) access() bool { return o.kind <= opAtomicStore }

func groupOf(item int) int { return item / testItems }
func subOf(item int) int   { return item / testSubgroup }

// reaches says whether a scope of one work-item includes another.
func reaches(s isa.Scope, a, b int) bool {
	switch s {
	case isa.ScopeCrossDevice, isa.ScopeDevice:
		return true
	case isa.ScopeWorkgroup:
		return groupOf(a) == groupOf(b)
	case isa.ScopeSubgroup:
		return subOf(a) == subOf(b)
	}
	return false
}

func randomOrder(r *rand.Rand) isa.MemoryOrder {
	scopes := []isa.Scope{isa.ScopeDevice, isa.ScopeDevice, isa.ScopeWorkgroup, isa.ScopeSubgroup}
	semantics := []uint32{0, 2, 4, 8, 8, 0x10}[r.IntN(6)] | []uint32{0x100, 0x200, 0x300, 0x300}[r.IntN(4)]
	return isa.OrderOf(scopes[r.IntN(len(scopes))], semantics)
}

func randomOps(r *rand.Rand, n int) []op {
	syncs := r.IntN(3) // how much of it is atomic
	var ops []op
	for pc := range n {
		if r.IntN(4) == 0 {
			ops = append(ops, together(r, pc, syncs)...)
			continue
		}
		ops = append(ops, op{})
		o := &ops[len(ops)-1]
		o.pc = pc
		o.kind = opKind(r.IntN(2))
		if x := r.IntN(10); x < syncs*2 {
			o.kind = opAtomic + opKind(r.IntN(4))
		} else if x >= 7 {
			o.kind = opBarrier + opKind(r.IntN(2))
		}
		item := r.IntN(testGroups * testItems)
		o.items = []int{item}
		o.order = randomOrder(r)
		switch o.kind {
		case opBarrier, opSubBarrier:
			n := testItems
			if o.kind == opSubBarrier {
				n = testSubgroup
			}
			o.items = nil
			for j := range n {
				o.items = append(o.items, item/n*n+j)
			}
		case opFence:
		default:
			o.space = memory.SpaceGlobal
			if r.IntN(3) == 0 {
				o.space = memory.SpaceLocal
			}
			o.size = []uint64{1, 2, 4, 4}[r.IntN(4)]
			if o.atomic() {
				o.size = 4
				if r.IntN(2) == 0 {
					o.order &^= isa.OrderGlobal | isa.OrderLocal // as compilers write it: that of the pointer
				}
			}
			o.off = uint64(r.IntN(int(testBytes/o.size))) * o.size
		}
	}
	return ops
}

// together returns an instruction of several work-items of a group.
func together(r *rand.Rand, pc, syncs int) (ops []op) {
	o := op{kind: opKind(r.IntN(2)), space: memory.SpaceGlobal, size: 4, order: randomOrder(r), pc: pc}
	if r.IntN(3) == 0 {
		o.space = memory.SpaceLocal
	}
	if syncs > 0 && r.IntN(3) == 0 {
		o.kind = opAtomic + opKind(r.IntN(3))
		if r.IntN(2) == 0 {
			o.order = isa.OrderOf(isa.ScopeDevice, 0)
		}
	} else if r.IntN(3) == 0 {
		o.size = []uint64{1, 2}[r.IntN(2)]
	}
	first, places := r.IntN(testItems-1), int(testBytes/o.size)
	at, step := r.IntN(places), []int{1, 1, 1, 0, 2, places - 1}[r.IntN(6)]
	for item := first; item < first+2+r.IntN(testItems-first-1); item++ {
		o.items, o.off = []int{item}, uint64((at+(item-first)*step)%places)*o.size
		ops = append(ops, o)
	}
	group := r.IntN(testGroups)
	for i := range ops {
		ops[i].items = []int{ops[i].items[0] + group*testItems}
	}
	return ops
}

// overlap says whether two accesses are to common bytes.
func overlap(a, b *op) bool {
	return a.space == b.space && (a.space == memory.SpaceGlobal || groupOf(a.items[0]) == groupOf(b.items[0])) &&
		a.off < b.off+b.size && b.off < a.off+a.size
}

// kinds says which kinds of memory an operation orders.
func (o *op) kinds() (set [numDomains]bool) {
	named := o.order & (isa.OrderGlobal | isa.OrderLocal)
	for i, bit := range orderBits {
		set[i] = named&bit != 0 || o.atomic() && named == 0 && (i == inLocal) == (o.space == memory.SpaceLocal)
	}
	return set
}

// graph returns, for one kind of memory, which operations happen before which, by the definition.
func graph(ops []op, kind int) [][]bool {
	n := len(ops)
	before := make([][]bool, n)
	for i := range before {
		before[i] = make([]bool, n)
	}
	// ordering says whether a barrier orders this kind of memory between two of its work-items.
	ordering := func(o *op, a, b int) bool {
		return a == b || o.kinds()[kind] && o.order&(isa.OrderAcquire|isa.OrderRelease) != 0 && reaches(o.order.Scope(), a, b)
	}
	// An operation is one node for each of its work-items, so that a barrier that orders nothing gives no path.
	type node struct{ op, item int }
	var nodes []node
	id := map[node]int{}
	for i := range ops {
		for _, x := range ops[i].items {
			id[node{i, x}] = len(nodes)
			nodes = append(nodes, node{i, x})
		}
	}
	path := make([][]bool, len(nodes))
	for i := range path {
		path[i] = make([]bool, len(nodes))
	}
	for i := range nodes {
		for j := range nodes {
			a, b := nodes[i], nodes[j]
			path[i][j] = a.item == b.item && a.op < b.op
		}
	}
	// A barrier: whatever a work-item did before it, before whatever another does behind it.
	for k := range ops {
		if o := &ops[k]; o.kind == opBarrier || o.kind == opSubBarrier {
			for _, x := range o.items {
				for _, y := range o.items {
					if x == y || !ordering(o, x, y) {
						continue
					}
					for i := range nodes {
						for j := range nodes {
							if nodes[i].item == x && nodes[i].op < k && nodes[j].item == y && nodes[j].op > k {
								path[i][j] = true
							}
						}
					}
				}
			}
		}
	}
	// Releases and acquires: heads are what a store lets go, by itself or by a fence before it.
	type head struct {
		item  int
		upTo  int // operations of the item before this one, or it itself
		scope isa.Scope
	}
	var at [testBytes][3][]head // by place and owner of the place
	owner := func(o *op) int {
		if o.space == memory.SpaceLocal {
			return 1 + groupOf(o.items[0])
		}
		return 0
	}
	var last [testBytes][3]int
	type fence struct {
		at    int
		scope isa.Scope
		both  bool
	}
	fences := map[int]fence{}
	brought, broughtBoth := map[int][]head{}, map[int][]head{}
	edge := func(h head, item, from int) {
		for i := range nodes {
			for j := range nodes {
				if nodes[i].item == h.item && nodes[i].op <= h.upTo && nodes[j].item == item && nodes[j].op >= from {
					path[i][j] = true
				}
			}
		}
	}
	for k := range ops {
		o := &ops[k]
		item := o.items[0]
		if o.kind == opFence && o.kinds()[kind] {
			both := o.kinds() == [numDomains]bool{true, true}
			if o.order&isa.OrderAcquire != 0 {
				for _, h := range brought[item] {
					if reaches(o.order.Scope(), item, h.item) {
						edge(h, item, k)
					}
				}
				for _, h := range broughtBoth[item] {
					if both && reaches(o.order.Scope(), item, h.item) {
						edge(h, item, k)
					}
				}
			}
			if o.order&isa.OrderRelease != 0 {
				fences[item] = fence{k, o.order.Scope(), both}
			}
		}
		if !o.atomic() {
			continue
		}
		own := o.kinds()[kind]
		direct := own || o.order&isa.OrderSeqCst != 0
		hs := &at[o.off][owner(o)]
		if o.reads() {
			for _, h := range *hs {
				if !reaches(h.scope, h.item, item) || !reaches(o.order.Scope(), item, h.item) {
					continue
				}
				switch {
				case direct && o.order&isa.OrderAcquire != 0:
					edge(h, item, k)
				case own:
					brought[item] = append(brought[item], h)
				default:
					broughtBoth[item] = append(broughtBoth[item], h)
				}
			}
		}
		if o.writes() {
			if l := last[o.off][owner(o)]; !o.reads() && l != item+1 {
				*hs = nil
			}
			if direct && o.order&isa.OrderRelease != 0 {
				*hs = append(*hs, head{item, k, o.order.Scope()})
				last[o.off][owner(o)] = item + 1
			} else if f, ok := fences[item]; ok && (own || f.both) {
				*hs = append(*hs, head{item, f.at - 1, max(o.order.Scope(), f.scope)})
				last[o.off][owner(o)] = item + 1
			} else if !o.reads() && len(*hs) == 0 {
				last[o.off][owner(o)] = 0
			}
		}
	}
	for k := range nodes {
		for i := range nodes {
			if path[i][k] {
				for j := range nodes {
					path[i][j] = path[i][j] || path[k][j]
				}
			}
		}
	}
	for i := range nodes {
		for j := range nodes {
			if path[i][j] && len(ops[nodes[i].op].items) == 1 && len(ops[nodes[j].op].items) == 1 {
				before[nodes[i].op][nodes[j].op] = true
			}
		}
	}
	return before
}

// inclusive says whether the scopes of two atomic operations include each other.
func inclusive(a, b *op) bool {
	return reaches(a.order.Scope(), a.items[0], b.items[0]) && reaches(b.order.Scope(), b.items[0], a.items[0])
}

// domainOf returns the kind of memory of an access.
func domainOf(o *op) int {
	if o.space == memory.SpaceLocal {
		return inLocal
	}
	return inGlobal
}

// isRace says whether operation i races with a later one, j.
func isRace(orders *[numDomains][][]bool, i, j int, a, b *op) bool {
	return a.access() && b.access() && a.items[0] != b.items[0] && overlap(a, b) && !(a.atomic() && b.atomic() && inclusive(a, b)) &&
		(a.kind == opWrite || a.writes() || b.kind == opWrite || b.writes()) && !orders[domainOf(a)][i][j]
}

// races returns the pairs of instructions that race, by the definition, and how many bytes they race for.
func races(ops []op) (found map[[2]int]bool, bytes [numDomains]uint64) {
	var orders [numDomains][][]bool
	for i := range orders {
		orders[i] = graph(ops, i)
	}
	found = map[[2]int]bool{}
	for j := range ops {
		for i := range j {
			if a, b := &ops[i], &ops[j]; isRace(&orders, i, j, a, b) {
				found[[2]int{a.pc, b.pc}] = true
			}
		}
	}
	return found, racyBytes(ops, &orders)
}

// racyBytes returns how many bytes of global memory, and of LDS over all groups, work-items race for, by the definition.
func racyBytes(ops []op, orders *[numDomains][][]bool) (n [numDomains]uint64) {
	var bytes [numDomains][testBytes]bool
	for j := range ops {
		for i := range j {
			if a, b := &ops[i], &ops[j]; isRace(orders, i, j, a, b) {
				for at := max(a.off, b.off); at < min(a.off+a.size, b.off+b.size); at++ {
					bytes[domainOf(a)][at] = true
				}
			}
		}
	}
	for i := range bytes {
		for _, racy := range bytes[i] {
			if racy {
				n[i]++
			}
		}
	}
	return n
}

// detect runs the operations through a detector.
func detect(t *testing.T, ops []op, mostEvents int) (found map[[2]int]bool, bytes [numDomains]uint64) {
	t.Helper()
	mem := memory.NewGlobal(1 << 20)
	p, err := mem.Alloc("x", testStart+testBytes, false)
	if err != nil {
		t.Fatal(err)
	}
	d := New(mem)
	d.mostEvents = min(mostEvents, d.mostEvents)
	l, err := d.Launch(testGroups, testItems)
	if err != nil {
		t.Fatal(err)
	}
	var groups [testGroups]*Group
	for i := range groups {
		groups[i] = d.Worker(l, testSubgroup, len(ops), []uint64{testStart + testBytes}, func(int) bool { return false })
		groups[i].Begin(uint64(i), testItems)
	}
	for i := range ops {
		o := &ops[i]
		if o.atomic() && o.order.Scope() > isa.ScopeDevice {
			d.Narrow(o.order.Scope())
		}
		if o.kind == opFence || o.kind == opSubBarrier || o.kind == opBarrier && o.order.Scope() == isa.ScopeSubgroup ||
			o.atomic() && o.order&(isa.OrderAcquire|isa.OrderRelease) != 0 {
			d.Alone()
		}
	}
	for len(ops) > 0 {
		n := 1
		for n < len(ops) && ops[n].pc == ops[0].pc {
			n++
		}
		tell(groups[groupOf(ops[0].items[0])], p, ops[:n])
		ops = ops[n:]
	}
	found = map[[2]int]bool{}
	list, _ := d.Races()
	for _, r := range list {
		kind := inGlobal
		if r.Pointer.Space() == memory.SpaceLocal {
			kind = inLocal
		}
		bytes[kind] = r.Bytes
		found[[2]int{min(r.A.PC, r.B.PC), max(r.A.PC, r.B.PC)}] = true
	}
	return found, bytes
}

// tell tells a group of an instruction.
func tell(g *Group, p memory.Pointer, ops []op) {
	o := &ops[0]
	item := o.items[0] % testItems
	switch o.kind {
	case opBarrier:
		g.Barrier(o.order)
		return
	case opSubBarrier:
		g.SubgroupBarrier(item, item+testSubgroup, nil, o.order)
		return
	case opFence:
		g.Fence(item, o.order)
		return
	}
	if o.space == memory.SpaceLocal {
		p = memory.MakePointer(memory.SpaceLocal, 1, 0)
	}
	p = p.Add(testStart)
	a := Access{PC: o.pc, Size: o.size, Atomic: o.atomic()}
	if o.atomic() {
		a.Scope = o.order.Scope()
	}
	switch o.kind {
	case opRead, opAtomicLoad:
		a.Kind = memory.AccessRead
	case opWrite:
		a.Kind = memory.AccessWrite
	default:
		a.Kind = memory.AccessAtomic
	}
	var off [64]int64
	row := true
	for i := range ops {
		off[i] = int64(ops[i].off)
		row = row && ops[i].off == o.off+uint64(i)*o.size
	}
	switch {
	case o.atomic():
		g.Atomics(&a, p, item, words(0, len(ops)), &off, o.order, o.reads(), o.writes())
	case row:
		g.Row(&a, p.Add(off[0]), item, len(ops))
	default:
		g.Lanes(&a, p, item, words(0, len(ops)), &off)
	}
}

// TestRandom compares the detector with the definition: each race that it finds is one, and it finds one
// where there are any.
func TestRandom(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 2000
	}
	racy, pairs, seen := 0, 0, 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 1))
		ops := randomOps(r, 3+r.IntN(18))
		want, wantBytes := races(ops)
		got, gotBytes := detect(t, ops, 1+int(seed%8)*1000)
		bad := ""
		if wantBytes != gotBytes {
			bad = fmt.Sprintf("%d bytes race, not %d; pairs %v, found %v", wantBytes, gotBytes, want, got)
		}
		for p := range got {
			if !want[p] {
				bad = fmt.Sprintf("operations %v do not race", p)
			}
		}
		if len(want) > 0 && len(got) == 0 {
			bad = fmt.Sprintf("races are missed: %v", want)
		}
		if bad != "" {
			for i := range ops {
				t.Logf("%d: %+v", i, ops[i])
			}
			t.Fatalf("program %d: %s", seed, bad)
		}
		if pairs += len(want); len(want) > 0 {
			racy++
		}
		seen += len(got)
	}
	t.Logf("%d programs, %d with races; %d pairs, %d found", n, racy, pairs, seen)
	if racy < n/4 || racy > n-n/10 {
		t.Errorf("%d of %d programs have races", racy, n)
	}
}
