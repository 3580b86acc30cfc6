package isa

import "strings"

// MemoryOrder says what an atomic operation, a fence or a barrier orders: its scope, whether it acquires
// and releases, and the kinds of memory that it does so for (SPIR-V 3.25 and 3.27, OpenCL 3.3.6).
// Instructions have it in kernels that were lowered for checks only ([Inst.Order]). Engines execute every
// atomic operation and barrier as sequentially consistent for all memory, but where a model of weak memory says
// what loads return (package memory/weak); else the order is for those who judge what a kernel may rely on.
type MemoryOrder uint32

// The parts of an order. The lowest three bits are the [Scope].
const (
	OrderKnown   MemoryOrder = 8 << iota // the module says: without it the instruction orders everything
	OrderAcquire                         // accesses behind it stay behind
	OrderRelease                         // accesses before it stay before
	OrderSeqCst                          // in the one order of all sequentially consistent operations
	OrderGlobal                          // global memory
	OrderLocal                           // LDS
	OrderImage                           // images
	OrderVaries                          // of a fence or barrier: each work-item has it from the [CheckOrder] ahead

	orderScope MemoryOrder = 7
	orderMost              = OrderVaries<<1 - 1
)

// OrderAll orders everything for everybody.
const OrderAll = OrderKnown | OrderAcquire | OrderRelease | OrderSeqCst | OrderGlobal | OrderLocal | OrderImage

// Within returns the order with another scope.
func (o MemoryOrder) Within(s Scope) MemoryOrder { return o&^orderScope | MemoryOrder(s) }

// OrderOf returns the order for a scope and memory semantics, with the numbers of SPIR-V.
func OrderOf(scope Scope, semantics uint32) MemoryOrder {
	const acquire, release, acquireRelease, seqCst = 0x2, 0x4, 0x8, 0x10
	const workgroup, crossWorkgroup, image = 0x100, 0x200, 0x800
	o := OrderKnown | MemoryOrder(min(scope, ScopeInvocation))
	for _, m := range [...]struct {
		bits uint32
		sets MemoryOrder
	}{
		{acquire | acquireRelease | seqCst, OrderAcquire}, {release | acquireRelease | seqCst, OrderRelease},
		{seqCst, OrderSeqCst}, {workgroup, OrderLocal}, {crossWorkgroup, OrderGlobal}, {image, OrderImage},
	} {
		if semantics&m.bits != 0 {
			o |= m.sets
		}
	}
	return o
}

// valid says whether the order is none, or one that [OrderOf] returns.
func (o MemoryOrder) valid() bool {
	return o == 0 || o&OrderKnown != 0 && o <= orderMost && o.Scope() <= ScopeInvocation
}

// Scope returns the scope.
func (o MemoryOrder) Scope() Scope { return Scope(o & orderScope) }

// String returns the order for the text form: "release device global local".
func (o MemoryOrder) String() string {
	var parts []string
	switch {
	case o&OrderSeqCst != 0:
		parts = append(parts, "seqcst")
	case o&(OrderAcquire|OrderRelease) == OrderAcquire|OrderRelease:
		parts = append(parts, "acqrel")
	case o&OrderAcquire != 0:
		parts = append(parts, "acquire")
	case o&OrderRelease != 0:
		parts = append(parts, "release")
	default:
		parts = append(parts, "relaxed")
	}
	parts = append(parts, [...]string{"crossdevice", "device", "workgroup", "subgroup", "invocation", "5", "6", "7"}[o&orderScope])
	for _, m := range [...]struct {
		bit  MemoryOrder
		name string
	}{{OrderGlobal, "global"}, {OrderLocal, "local"}, {OrderImage, "image"}} {
		if o&m.bit != 0 {
			parts = append(parts, m.name)
		}
	}
	if o&OrderVaries != 0 {
		parts = append(parts, "varies")
	}
	return strings.Join(parts, " ")
}

// orderShift is where the order of a barrier begins in Imm, above its schedule.
const orderShift = 8

// Order returns the order of an atomic operation or a fence (Imm) or of a barrier (Imm above the schedule);
// zero for one whose kernel was not lowered for checks, and for other instructions.
func (in *Inst) Order() MemoryOrder {
	switch in.Op {
	case OpAtomic, OpFence:
		return MemoryOrder(in.Imm)
	case OpBarrier:
		return MemoryOrder(in.Imm >> orderShift)
	}
	return 0
}

// SetOrder stores the order of an atomic operation, a fence or a barrier.
func (in *Inst) SetOrder(o MemoryOrder) {
	switch in.Op {
	case OpAtomic, OpFence:
		in.Imm = uint32(o)
	case OpBarrier:
		in.Imm = in.Imm&(1<<orderShift-1) | uint32(o)<<orderShift
	}
}
