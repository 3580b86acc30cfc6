package race

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// TestRows compares what is told of 64 work-items together with what is told of one after the other: the same bytes
// race.
func TestRows(t *testing.T) {
	const groups, items, bytes, ops = 2, 128, 1024, 20
	type detector struct {
		*Detector
		groups [groups]*Group
		mem    memory.Pointer
	}
	programs, racy := 3000, 0
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 2))
		alone := r.IntN(2) == 0
		var ds [2]detector
		for i := range ds {
			mem := memory.NewGlobal(1 << 20)
			p, err := mem.Alloc("x", bytes, false)
			if err != nil {
				t.Fatal(err)
			}
			d := detector{Detector: New(mem), mem: p}
			l, err := d.Launch(groups, items)
			if err != nil {
				t.Fatal(err)
			}
			if alone {
				d.Alone()
			}
			for j := range d.groups {
				d.groups[j] = d.Worker(l, 32, ops, []uint64{bytes}, func(int) bool { return false })
				d.groups[j].Begin(uint64(j), items)
			}
			ds[i] = d
		}
		text := ""
		for pc := range 2 + r.IntN(ops-1) {
			g := r.IntN(groups)
			if r.IntN(4) == 0 {
				text += fmt.Sprintf("%d: group %d: barrier\n", pc, g)
				for i := range ds {
					ds[i].groups[g].Barrier(isa.OrderAll)
				}
				continue
			}
			a := Access{PC: pc, Kind: []memory.Access{memory.AccessRead, memory.AccessWrite, memory.AccessAtomic}[r.IntN(3)], Size: []uint64{1, 2, 4, 4, 4, 8}[r.IntN(6)]}
			a.Atomic = a.Kind == memory.AccessAtomic
			if a.Atomic {
				a.Size = 4
			}
			step := []int{1, 1, 1, 0, 2, 17, 3}[r.IntN(7)]
			base := r.IntN(bytes/4) * 4
			if r.IntN(3) == 0 {
				base = g*512 + r.IntN(3)*4
			}
			local := r.IntN(2) == 0
			from, n := r.IntN(2)*64, 1+r.IntN(64)
			if r.IntN(2) == 0 {
				n = 64
			}
			// Rows of a tile follow each other elsewhere, or, of fewer words than lanes, are read again and again.
			across, pitch := 64, 0
			if r.IntN(2) == 0 {
				across, pitch = 4<<r.IntN(3), []int{0, 9, 18, 40}[r.IntN(4)]
			}
			text += fmt.Sprintf("%d: group %d: %v of %d bytes by items %d+%d at %d, step %d, %d words each %d, local %v\n",
				pc, g, a.Kind, a.Size, from, n, base, step, across, pitch, local)
			var off [64]int64
			for i := range n {
				off[i] = int64(i%across*step+i/across*pitch) * int64(a.Size)
			}
			at := func(d *detector) memory.Pointer {
				if local {
					return memory.MakePointer(memory.SpaceLocal, 1, int64(base))
				}
				return d.mem.Add(int64(base))
			}
			if step == 1 && across == 64 && !a.Atomic {
				ds[0].groups[g].Row(&a, at(&ds[0]), from, n)
			} else {
				ds[0].groups[g].Lanes(&a, at(&ds[0]), from, words(0, n), &off)
			}
			for i := range n {
				ds[1].groups[g].One(&a, at(&ds[1]).Add(off[i]), from+i)
			}
		}
		var raced [2][2]uint64
		for i := range ds {
			list, missed := ds[i].Races()
			if missed != (Missed{}) {
				t.Fatalf("missed %+v", missed)
			}
			for _, x := range list {
				kind := inGlobal
				if x.Pointer.Space() == memory.SpaceLocal {
					kind = inLocal
				}
				raced[i][kind] = x.Bytes
			}
		}
		if raced[0] != raced[1] {
			t.Fatalf("program %d: %d bytes race, one after the other %d\n%s", seed, raced[0], raced[1], text)
		}
		if raced[0] != [2]uint64{} {
			racy++
		}
	}
	if racy < programs/10 || racy > programs*9/10 {
		t.Errorf("%d of %d programs have races", racy, programs)
	}
}
