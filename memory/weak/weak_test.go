package weak

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// scripted makes given choices, and 0 behind them.
type scripted struct {
	picks []int
	at    int
}

func (s *scripted) Pick(_ What, n int) int {
	if s.at++; s.at > len(s.picks) {
		return 0
	}
	return min(s.picks[s.at-1], n-1)
}
func (*scripted) Stamp() int         { return 0 }
func (*scripted) Ordered([]int) bool { return true }

// pair returns a model with two groups of two work-items, with sub-groups of one.
func pair(c Choices, fair bool) (*Model, [2]*Group) {
	m := New(c, fair)
	var g [2]*Group
	for i := range g {
		g[i] = m.Worker(1)
		g[i].Begin(uint64(i), 2)
	}
	return m, g
}

var plain = &Access{}

// TestSizes holds that accesses of other sizes see the bytes of each other, old ones and new ones.
func TestSizes(t *testing.T) {
	_, g := pair(&scripted{}, false)
	mem := make([]byte, 16)
	g[0].Store(0, plain, mem[:4], 0x0403_0201)
	g[0].Store(0, plain, mem[1:2], 0xbb)
	if got := g[0].Load([]int{0}, plain, mem[:4]); got != 0x0403_bb01 {
		t.Errorf("the writer reads %#x", got)
	}
	if got := g[0].Load([]int{0}, plain, mem[2:4]); got != 0x0403 {
		t.Errorf("the upper half is %#x", got)
	}
	if got := loadBytes(mem[:8]); got != 0x0403_bb01 {
		t.Errorf("memory holds %#x", got)
	}
	// Another work-item sees nothing of two stores, and knows both behind a barrier.
	_, g = pair(Oldest{}, false)
	mem = make([]byte, 16)
	g[0].Store(0, plain, mem[:8], 0x1111_1111_2222_2222)
	g[0].Store(0, plain, mem[4:8], 0x3333_3333)
	if got := g[0].Load([]int{1}, plain, mem[:8]); got != 0 {
		t.Errorf("another work-item reads %#x", got)
	}
	g[0].Barrier(isa.OrderKnown | isa.OrderAcquire | isa.OrderRelease | isa.OrderGlobal | isa.MemoryOrder(isa.ScopeWorkgroup))
	if got := g[0].Load([]int{1}, plain, mem[:8]); got != 0x3333_3333_2222_2222 {
		t.Errorf("behind the barrier it reads %#x", got)
	}
	if got := g[1].Load([]int{1}, plain, mem[:8]); got != 0 {
		t.Errorf("in another group it reads %#x", got)
	}
	// An access that is not aligned.
	g[0].Store(0, plain, mem[6:10], 0xaabb_ccdd)
	if got := g[0].Load([]int{0}, plain, mem[6:10]); got != 0xaabb_ccdd {
		t.Errorf("across blocks: %#x", got)
	}
	if got := g[0].Update(0, &Access{Atomic: true}, mem[4:8], func(old uint64) (uint64, bool) { return old + 1, true }); got != 0xccdd_3333 {
		t.Errorf("an atomic operation of another size finds %#x", got)
	}
	if got := loadBytes(mem[4:8]); got != 0xccdd_3334 {
		t.Errorf("and leaves %#x", got)
	}
}

// TestScopes holds which work-items a release and an acquire reach, by scope.
func TestScopes(t *testing.T) {
	order := func(o isa.MemoryOrder, s isa.Scope) *Access {
		return &Access{Atomic: true, Order: isa.OrderKnown | o | isa.OrderGlobal | isa.MemoryOrder(s)}
	}
	for _, c := range []struct {
		release, acquire isa.Scope
		group, item      int // of the reader; the writer is item 0 of group 0, in a sub-group with item 1
		want             uint64
	}{
		{isa.ScopeDevice, isa.ScopeDevice, 1, 0, 1},
		{isa.ScopeWorkgroup, isa.ScopeDevice, 1, 0, 0},
		{isa.ScopeDevice, isa.ScopeWorkgroup, 1, 0, 0},
		{isa.ScopeWorkgroup, isa.ScopeWorkgroup, 0, 2, 1},
		{isa.ScopeSubgroup, isa.ScopeSubgroup, 0, 1, 1},
		{isa.ScopeSubgroup, isa.ScopeSubgroup, 0, 2, 0},
		{isa.ScopeSubgroup, isa.ScopeDevice, 0, 2, 0},
		{isa.ScopeInvocation, isa.ScopeDevice, 0, 1, 0},
	} {
		m := New(&scripted{picks: []int{0, 0, 0, 1}}, false) // two stores, the flag, and then the oldest data
		var g [2]*Group
		for i := range g {
			g[i] = m.Worker(2)
			g[i].Begin(uint64(i), 4)
		}
		mem := make([]byte, 16)
		g[0].Store(0, plain, mem[:4], 1)
		g[0].Store(0, order(isa.OrderRelease, c.release), mem[8:12], 1)
		if flag := g[c.group].Load([]int{c.item}, order(isa.OrderAcquire, c.acquire), mem[8:12]); flag != 1 {
			t.Fatalf("%+v: the flag is %d", c, flag)
		}
		if got := g[c.group].Load([]int{c.item}, plain, mem[:4]); got != c.want {
			t.Errorf("%+v: the data is %d", c, got)
		}
	}
}

// TestProgress holds that loops that wait for a store end, whatever is chosen, and how many messages are kept.
func TestProgress(t *testing.T) {
	relaxed := &Access{Atomic: true, Order: isa.OrderKnown | isa.MemoryOrder(isa.ScopeDevice)}
	_, g := pair(Oldest{}, true)
	mem := make([]byte, 8)
	for i := range 3 * maxHistory {
		g[0].Store(0, relaxed, mem[:4], uint64(i+1))
	}
	p := g[0].m.global[addressOf(mem)>>blockShift][0]
	if len(p.history) != maxHistory || g[0].m.kept != maxHistory-1 {
		t.Errorf("%d messages are kept, %d are counted", len(p.history), g[0].m.kept)
	}
	n := 0
	for g[1].Load([]int{0}, relaxed, mem[:4]) != 3*maxHistory {
		if n++; n > maxRepeats*maxHistory+1 {
			t.Fatal("the loop does not end")
		}
	}
	// A compare-and-exchange that fails on an old value does so for a while only.
	n = 0
	for {
		old := g[1].Update(1, relaxed, mem[:4], func(old uint64) (uint64, bool) { return 0, old == 3*maxHistory })
		if old == 3*maxHistory {
			break
		}
		if n++; n > maxRepeats*maxHistory+1 {
			t.Fatal("the loop around compare-and-exchange does not end")
		}
	}
}

// TestMessages holds that there is a bound on the messages of all places.
func TestMessages(t *testing.T) {
	m, g := pair(Oldest{}, true)
	m.kept = maxMessages - 3
	mem := make([]byte, 8)
	for i := range 10 {
		g[0].Store(0, plain, mem[:4], uint64(i))
	}
	if n := len(m.global[addressOf(mem)>>blockShift][0].history); n != 2 || m.kept > maxMessages {
		t.Errorf("%d messages of the place, %d in all", n, m.kept)
	}
}

// TestFull holds that memory beyond what has room is as it is without a model.
func TestFull(t *testing.T) {
	m, g := pair(Oldest{}, true)
	m.places = maxPlaces
	mem := make([]byte, 8)
	g[0].Store(0, plain, mem[:4], 7)
	if got := g[1].Load([]int{0}, plain, mem[:4]); got != 7 || !m.Full() {
		t.Errorf("the load returns %d, full: %t", got, m.Full())
	}
	if got := g[1].Update(0, &Access{Atomic: true}, mem[:4], func(old uint64) (uint64, bool) { return old + 1, true }); got != 7 || mem[0] != 8 {
		t.Errorf("the update finds %d and leaves %d", got, mem[0])
	}
}

// TestLocalForgets holds that local memory keeps nothing that no work-item of the group can read any more.
func TestLocalForgets(t *testing.T) {
	_, g := pair(Oldest{}, true)
	mem := make([]byte, 8)
	local := &Access{Local: true}
	for i := range 5 {
		g[0].Store(0, local, mem[:4], uint64(i))
	}
	g[0].Barrier(isa.OrderAll.Within(isa.ScopeWorkgroup))
	p := g[0].local[addressOf(mem)>>blockShift][0]
	if len(p.history) != 1 || g[0].Load([]int{1}, local, mem[:4]) != 4 {
		t.Errorf("%d messages, and a load returns %d", len(p.history), g[0].Load([]int{1}, local, mem[:4]))
	}
	// Another group that begins has local memory of its own.
	g[0].Begin(2, 2)
	clear(mem)
	if got := g[0].Load([]int{1}, local, mem[:4]); got != 0 {
		t.Errorf("a new group reads %d", got)
	}
}
