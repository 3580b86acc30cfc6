package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// body is a function body in the course of being inlined, or the kernel's. It
// has a sequence of async marks of its own, which what it calls does not enter.
type body struct {
	parent *body
	from   *ssa.Block // the block ahead of it, until the body ends; nil for the kernel's own body
	loc    uint32     // of the call
	index  int        // place in Builder.bodies
	used   bool       // it marks or waits
}

// beginBody enters a function body at the end of the current block.
func (b *Builder) beginBody() {
	f := &body{parent: b.body, index: len(b.bodies), loc: b.Place()}
	if f.parent != nil {
		f.from = b.Cur
	}
	b.bodies = append(b.bodies, f)
	b.Inlined = len(b.bodies)
	b.body = f
}

// endBody leaves it. A body that marks or waits begins with an empty sequence,
// whenever it is entered.
func (b *Builder) endBody() {
	f := b.body
	b.body = f.parent
	from := f.from
	f.from = nil
	if !f.used || from == nil {
		return
	}
	v := b.Func.NewValue(isa.OpAsyncScope, isa.Void, isa.Void)
	v.Index = int32(f.index)
	v.Block, v.Loc = from, f.loc
	b.Spend(1)
	from.Insts = append(from.Insts, v)
}

// Async makes a mark in the sequence of the current body, or a wait on it.
func (b *Builder) Async(op isa.Op, n uint32) {
	b.body.used = true
	v := b.Func.NewValue(op, isa.Void, isa.Void)
	v.Index, v.Scale = int32(b.body.index), n
	b.Add(v)
}

// Sequences numbers the sequences of the bodies that still mark or wait, by
// place in Builder.bodies, and says how many numbers there are. Two bodies of
// which neither is in the course of the other share a number: each begins by
// emptying it.
func (b *Builder) Sequences() (number []int, n int) {
	used := make([]bool, len(b.bodies))
	for _, blk := range b.Func.Blocks {
		for _, v := range blk.Insts {
			switch v.Op {
			case isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait:
				used[v.Index] = true
			}
		}
	}
	number = make([]int, len(b.bodies))
	around := make([]int, len(b.bodies)) // numbers in use in the body and around it
	for i, f := range b.bodies {         // a body stands behind the one that calls it
		if f.parent != nil {
			around[i] = around[f.parent.index]
		}
		if used[i] {
			number[i] = around[i]
			around[i]++
			n = max(n, around[i])
		}
	}
	return number, n
}

// LaneCopy makes a copy that each lane makes for itself. args are the operands
// that c has, in the order of [isa.LaneCopy.Regs].
func (b *Builder) LaneCopy(c isa.LaneCopy, args ...*ssa.Value) {
	v := b.Func.NewValue(isa.OpLaneCopy, isa.Void, isa.Void, args...)
	v.Index = int32(len(b.LaneCopies))
	b.LaneCopies = append(b.LaneCopies, c)
	b.Add(v)
}

func AddFence(b *Builder, order isa.MemoryOrder) []*ssa.Value {
	v := b.Func.NewValue(isa.OpFence, isa.Void, isa.Void)
	v.Imm2, v.Imm = uint8(isa.ScopeDevice), uint64(order)
	b.Add(v)
	return nil
}
