package race

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// copyTest is two work-groups of four work-items that use one buffer and an atomic flag in it.
type copyTest struct {
	t      *testing.T
	d      *Detector
	groups [2]*Group
	data   memory.Pointer // of 64 bytes
	flag   memory.Pointer
}

func newCopyTest(t *testing.T) *copyTest {
	t.Helper()
	mem := memory.NewGlobal(1 << 20)
	var ps [2]memory.Pointer
	for i, name := range []string{"data", "flag"} {
		p, err := mem.Alloc(name, 64, false)
		if err != nil {
			t.Fatal(err)
		}
		ps[i] = p
	}
	c := &copyTest{t: t, d: New(mem), data: ps[0], flag: ps[1]}
	l, err := c.d.Launch(2, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.groups {
		c.groups[i] = c.d.Worker(l, 2, 16, nil, nil)
		c.groups[i].Begin(uint64(i), 4)
	}
	return c
}

// copy begins a copy that writes the buffer, for all work-items of group 0.
func (c *copyTest) copy(pc int, whole bool) uint32 {
	g := c.groups[0]
	n := g.Copy(pc, whole)
	for item := range 4 {
		p := c.data
		size := uint64(64)
		if !whole {
			p, size = p.Add(int64(16*item)), 16
		}
		if g.Issue(n, item) {
			g.Copied(n, memory.AccessWrite, item, p, size)
		}
	}
	return n
}

func (c *copyTest) release(item int) {
	c.groups[0].Atomic(&Access{PC: 1, Kind: memory.AccessAtomic, Size: 4, Atomic: true, Scope: isa.ScopeDevice}, item, c.flag, isa.OrderAll, false, true)
}

func (c *copyTest) acquire(item int) {
	c.groups[1].Atomic(&Access{PC: 2, Kind: memory.AccessRead, Size: 4, Atomic: true, Scope: isa.ScopeDevice}, item, c.flag, isa.OrderAll, true, false)
}

// read reads four bytes by a work-item of group 1.
func (c *copyTest) read(item int, off int64) {
	c.groups[1].One(&Access{PC: 3, Kind: memory.AccessRead, Size: 4}, c.data.Add(off), item)
}

func (c *copyTest) wants(races int) {
	c.t.Helper()
	if list, missed := c.d.Races(); len(list) != races || missed != (Missed{}) {
		c.t.Errorf("%d races, missed %v; want %d", len(list), missed, races)
	}
}

func TestCopies(t *testing.T) {
	tests := []struct {
		name  string
		races int
		do    func(c *copyTest)
	}{
		{"unordered", 1, func(c *copyTest) { c.copy(0, true); c.read(0, 60) }},
		{"other bytes", 0, func(c *copyTest) {
			n := c.groups[0].Copy(0, true)
			c.groups[0].Issue(n, 0)
			c.groups[0].Copied(n, memory.AccessWrite, 0, c.data, 32)
			c.read(0, 32)
		}},
		{"own group", 0, func(c *copyTest) {
			c.copy(0, true)
			c.groups[0].One(&Access{PC: 3, Kind: memory.AccessWrite, Size: 4}, c.data, 1)
		}},
		{"waited and released", 0, func(c *copyTest) {
			n := c.copy(0, true)
			c.groups[0].Waited(n, 2)
			c.release(2)
			c.acquire(3)
			c.read(3, 0)
		}},
		{"waited by another than released", 1, func(c *copyTest) {
			n := c.copy(0, true)
			c.groups[0].Waited(n, 1)
			c.release(2)
			c.acquire(3)
			c.read(3, 0)
		}},
		{"barrier in between", 0, func(c *copyTest) {
			n := c.copy(0, true)
			c.groups[0].Waited(n, 1)
			c.groups[0].Barrier(isa.OrderAll.Within(isa.ScopeWorkgroup))
			c.release(2)
			c.acquire(3)
			c.read(3, 0)
		}},
		{"acquired by another than reads", 1, func(c *copyTest) {
			n := c.copy(0, true)
			c.groups[0].Waited(n, 2)
			c.release(2)
			c.acquire(3)
			c.read(2, 0)
		}},
		{"released before the wait", 1, func(c *copyTest) {
			n := c.copy(0, true)
			c.release(2)
			c.groups[0].Waited(n, 2)
			c.acquire(3)
			c.read(3, 0)
		}},
		{"nobody will say", 0, func(c *copyTest) { c.groups[0].Forget(c.copy(0, true)); c.read(0, 0) }},
		{"write behind it", 1, func(c *copyTest) {
			c.copy(0, true)
			c.groups[1].One(&Access{PC: 3, Kind: memory.AccessWrite, Size: 1}, c.data.Add(3), 0)
		}},
		{"read ahead of it", 1, func(c *copyTest) { c.read(0, 8); c.copy(0, true) }},
		{"lane waits for itself", 0, func(c *copyTest) {
			n := c.copy(0, false)
			c.groups[0].Waited(n, 2)
			c.release(2)
			c.acquire(3)
			c.read(3, 32)
		}},
		{"lane does not wait for another", 1, func(c *copyTest) {
			n := c.copy(0, false)
			c.groups[0].Waited(n, 2)
			c.release(2)
			c.acquire(3)
			c.read(3, 48)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCopyTest(t)
			c.t = t
			tt.do(c)
			c.wants(tt.races)
		})
	}
}

// TestCopyIssuers has a copy begin with a work-item that knows less than the first one.
func TestCopyIssuers(t *testing.T) {
	for _, all := range []bool{true, false} {
		c := newCopyTest(t)
		c.groups[1].One(&Access{PC: 3, Kind: memory.AccessWrite, Size: 4}, c.data, 0)
		c.groups[1].Atomic(&Access{PC: 1, Kind: memory.AccessAtomic, Size: 4, Atomic: true, Scope: isa.ScopeDevice}, 0, c.flag, isa.OrderAll, false, true)
		for item := range 4 {
			if all || item < 3 {
				c.groups[0].Atomic(&Access{PC: 2, Kind: memory.AccessRead, Size: 4, Atomic: true, Scope: isa.ScopeDevice}, item, c.flag, isa.OrderAll, true, false)
			}
		}
		c.copy(0, true)
		if all {
			c.wants(0)
		} else {
			c.wants(1)
		}
	}
}
