package dma

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// TestSync checks which copies atomic operations can order behind accesses,
// where no barrier does.
func TestSync(t *testing.T) {
	for _, c := range []struct {
		name string
		at   int64 // where work-item 0 loads to
		do   func(b *bed)
		want string
	}{
		{"nothing", 0, func(b *bed) {}, "E-ASYNCRACE@1"},
		{"flag", 0, func(b *bed) { b.Sync(20, 2, 5); b.Sync(21, 3, 0) }, ""},
		{"flag of another sub-group", 0, func(b *bed) { b.Sync(20, 2, 9); b.Sync(21, 3, 0) }, "E-ASYNCRACE@1"},
		{"nobody looks", 0, func(b *bed) { b.Sync(20, 2, 5) }, "E-ASYNCRACE@1"},
		{"another sub-group looks", 0, func(b *bed) { b.Sync(20, 2, 5); b.Sync(21, 3, 8) }, "E-ASYNCRACE@1"},
		{"chain", 0, func(b *bed) { b.Sync(20, 2, 5); b.Sync(21, 2, 8); b.Sync(22, 2, 3) }, ""},
		{"write behind the flag", 20, func(b *bed) {
			b.Sync(20, 2, 5)
			b.Sync(21, 3, 0)
			b.Access(22, 4, memory.AccessWrite, 5, b.tile.Add(20), 4)
		}, "E-ASYNCRACE@4"},
		{"by the write itself", 0, func(b *bed) {
			for i := range 12 {
				b.Sync(20, 2, i)
			}
			for i := range 12 {
				b.Access(20, 2, memory.AccessAtomic, i, b.tile, 4)
			}
		}, "E-ASYNCRACE@2"},
		{"before a barrier", 20, func(b *bed) {
			b.Sync(20, 2, 5)
			b.Sync(21, 3, 0)
			b.Barrier(22)
			b.Access(23, 4, memory.AccessWrite, 5, b.tile.Add(20), 4)
		}, "E-ASYNCRACE@4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			every(t, func(t *testing.T, cfg Config) {
				b := newBed(t, cfg, 12, 4)
				// Work-item 5, of the second sub-group, writes where the first loads to.
				b.Access(10, 1, memory.AccessWrite, 5, b.tile, 4)
				c.do(b)
				lane := LaneCopy{PC: 9, Name: "load", Async: true, Size: 4}
				items := pick(0, 0, 1)
				b.LaneCopy(30, &lane, items, []memory.Pointer{b.tile.Add(c.at)}, []memory.Pointer{b.in})
				b.want(t, c.want)
			})
		})
	}
	// Work-items outside of the group are nobody.
	b := newBed(t, Config{Check: true}, 12, 4)
	b.Sync(1, 1, -1)
	b.Sync(1, 1, 12)
}
