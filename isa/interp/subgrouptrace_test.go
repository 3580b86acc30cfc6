package interp

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// subgroupLog writes down what a SubgroupTracer is told.
type subgroupLog []string

func (l *subgroupLog) Block(start, end, first, lanes int, active [2]uint64) {
	*l = append(*l, fmt.Sprintf("block %d-%d: %d lanes %04b of the sub-group at %d", start, end, lanes, active[0], first))
}

func (l *subgroupLog) Accesses(pc, first int, a memory.Access, size uint64, items []int, addresses []memory.Pointer) {
	var offsets []int64
	for _, p := range addresses {
		offsets = append(offsets, p.Offset())
	}
	*l = append(*l, fmt.Sprintf("%d: access %d of %d bytes by %d, of the sub-group at %d: %d", pc, a, size, items, first, offsets))
}

// TestSubgroupTrace has the odd lanes of six store, with sub-groups of four in one wave: each sub-group is
// told of apart, with its active lanes only.
func TestSubgroupTrace(t *testing.T) {
	b := newBuilder()
	one := b.constant(1)
	mem := memory.NewGlobal(1 << 20)
	buffer := b.constant(uint64(place(t, mem, "out", make([]byte, 24))))
	id, bit, odd := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.B1)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpAnd, isa.I32, bit, id, one)
	b.op(isa.OpEq, isa.I32, odd, bit, one)
	b.brCond(odd, 1, 2)
	b.store(isa.I32, isa.SpaceGlobal, buffer, id, isa.IdxU32, 4, id)
	b.br(2)
	b.ret()
	for _, check := range []bool{false, true} {
		l := b.launch(mem, 6)
		l.SubgroupSize, l.Check = 4, check
		g := group(t, l)
		var log subgroupLog
		g.Subgroups = &log
		if f, _ := runGroup(t, b.compile(t), g, 64); f != nil {
			t.Fatal(f)
		}
		want := subgroupLog{
			"block 0-4: 4 lanes 1111 of the sub-group at 0", "block 0-4: 2 lanes 0011 of the sub-group at 4",
			"block 4-6: 2 lanes 1010 of the sub-group at 0", "block 4-6: 1 lanes 0010 of the sub-group at 4",
			"4: access 1 of 4 bytes by [1 3], of the sub-group at 0: [4 12]", "4: access 1 of 4 bytes by [5], of the sub-group at 4: [20]",
			"block 6-7: 4 lanes 1111 of the sub-group at 0", "block 6-7: 2 lanes 0011 of the sub-group at 4",
		}
		if !slices.Equal(log, want) {
			t.Errorf("check %t: got  %q\nwant %q", check, log, want)
		}
	}
}
