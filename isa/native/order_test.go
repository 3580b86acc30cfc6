package native

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// orders finds out whether what a work-group computes may depend on the order in which its work-items run.
// It looks at the accesses to each byte of global memory and LDS between two barriers of the work-group: if
// several work-items access one, they must all read it, or all apply the same atomic operation, one that
// commutes and whose result nobody takes. A pass that changes the order of blocks, or where lanes meet again,
// changes the order in which the lanes of a wave run, and so the results of other programs, rightly.
type orders struct {
	kernel *isa.Kernel
	bytes  map[memory.Pointer]byteUse
	epoch  int    // barriers of the work-group that have opened
	why    string // the first reason, "" for none
}

// byteUse is what has happened to a byte since a barrier.
type byteUse struct {
	epoch, item int
	several     bool // other work-items than item have accessed it as well
	how         use
}

// use is what accesses do. Those that are equal, and not useOrdered, may come in any order.
type use int

const (
	useRead    use = iota
	useOrdered     // a store, or an atomic operation that does not commute or whose result is taken
	useAtomic      // plus the operation: one that commutes
)

// useOf returns what an instruction's accesses of a kind do.
func (o *orders) useOf(a engine.Access) use {
	if a.Kind == memory.AccessRead {
		return useRead
	}
	in := &o.kernel.Code[a.PC]
	if in.Op != isa.OpAtomic || in.Dst != isa.None {
		return useOrdered
	}
	switch op := isa.AtomicOp(in.Imm2); op {
	case isa.AtomicAdd, isa.AtomicMinS, isa.AtomicMaxS, isa.AtomicMinU, isa.AtomicMaxU, isa.AtomicAnd, isa.AtomicOr,
		isa.AtomicXor, isa.AtomicSub:
		return useAtomic + use(op)
	}
	return useOrdered
}

// access is for [engine.Group.Accesses].
func (o *orders) access(a engine.Access) {
	if a.Returned || o.why != "" {
		return
	}
	how := o.useOf(a)
	for i := range a.Bytes {
		p := a.Pointer.Add(int64(i))
		was, ok := o.bytes[p]
		switch {
		case !ok || was.epoch != o.epoch:
			o.bytes[p] = byteUse{epoch: o.epoch, item: a.Item, how: how}
			continue
		case was.how == how && how != useOrdered:
			was.several = was.several || was.item != a.Item
		case was.several || was.item != a.Item:
			o.why = fmt.Sprintf("several work-items access %v, work-item %d at %d", p, a.Item, a.PC)
			return
		default:
			was.how = useOrdered
		}
		o.bytes[p] = was
	}
}
