package scheduler

import (
	"fmt"
	"sync"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestShares has workers take all positions of a schedule at the same time: each is one worker's, in rows that follow each other, and
// where there is one share only, in order.
func TestShares(t *testing.T) {
	for _, groups := range []uint64{1, 2, 3, 7, 64, 1000, 4099} {
		for workers := 1; workers <= 5; workers++ {
			for _, ordered := range []bool{false, true} {
				t.Run(fmt.Sprint(groups, " groups ", workers, " workers ", ordered), func(t *testing.T) {
					s := &launch{groups: groups, batch: max(groups/uint64(workers*32), 1), ordered: ordered, runner: &Runner{}}
					s.positions.end = groups
					s.divide(workers)
					var wg sync.WaitGroup
					var mu sync.Mutex
					taken := make([]int, groups)
					for i := range workers {
						wg.Go(func() {
							last := uint64(0)
							for {
								first, end := s.take(i)
								if first == end {
									return
								}
								mu.Lock()
								for p := first; p < end; p++ {
									taken[p]++
								}
								mu.Unlock()
								if ordered && (first < last || first%s.batch != 0 || end != min(first+s.batch, groups)) {
									t.Errorf("positions %d to %d behind %d, batches of %d", first, end, last, s.batch)
								}
								last = end
							}
						})
					}
					wg.Wait()
					for p, n := range taken {
						if n != 1 {
							t.Errorf("position %d was taken %d times", p, n)
						}
					}
				})
			}
		}
	}
}

// TestSharesFollow holds that a worker goes through its own share from one position to the next, and then through those of the others.
func TestSharesFollow(t *testing.T) {
	s := &launch{groups: 100, batch: 8, runner: &Runner{}}
	s.positions.end = s.groups
	s.divide(2)
	next := uint64(50)
	for next < 100 {
		first, end := s.take(1)
		if first != next || end <= first || end-first > s.batch {
			t.Fatalf("positions %d to %d, want some from %d on", first, end, next)
		}
		next = end
	}
	if first, _ := s.take(1); first != 0 {
		t.Errorf("position %d, want the first one of the other share", first)
	}
}

// TestFirstFault counts faults of groups in any order: the one of the first position has the particulars.
func TestFirstFault(t *testing.T) {
	var table faultTable
	for _, pos := range []uint64{7, 7, 9, 3, 3, 5} {
		if f := table.add(pos, finding.BarrierDeadlock, 4, 2, -1); f != nil {
			if f.Waiting != nil {
				t.Errorf("position %d: particulars of another group", pos)
			}
			f.Fault = engine.Fault{Code: finding.BarrierDeadlock, PC: 4, Lane: int(pos)}
			f.Group, f.Waiting = Group{Position: pos}, []Waiting{{PC: 1}}
		}
	}
	list := table.list()
	if len(list) != 1 || list[0].Group.Position != 3 || list[0].Lane != 3 || list[0].Count != 12 || list[0].Groups != 4 {
		t.Errorf("faults %+v, want one of 12 work-items in 4 groups, first at position 3", list)
	}
}
