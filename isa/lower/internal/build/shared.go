package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// A kernel that is lowered for memory that the host shares (Compiler.SharedKernel) keeps tagged pointers in registers, as all
// kernels do, and the host's addresses in memory and in integers. The conversions are instructions of their own, which
// nothing moves into accesses.

// sharedPointer says whether values of a type are converted on their way to and from memory: pointers into memory that may be
// shared.
func (m *Module) sharedPointer(t *Type) bool {
	if !m.Shared || t.Kind != KindPointer {
		return false
	}
	switch t.Storage {
	case spirv.StorageClassCrossWorkgroup, spirv.StorageClassUniformConstant, spirv.StorageClassGeneric:
		return true
	}
	return false
}

// AddressOf returns what a pointer is in memory.
func (b *Builder) AddressOf(p *ssa.Value) *ssa.Value {
	if !b.Module.Shared || ssa.OwnAddress(p) {
		return p
	}
	return b.Conv(isa.OpPtrAddress, isa.I64, isa.I64, p)
}

// AtAddress returns the pointer that memory holds as x.
func (b *Builder) AtAddress(x *ssa.Value) *ssa.Value {
	if !b.Module.Shared || ssa.OwnAddress(x) {
		return x
	}
	return b.Conv(isa.OpPtrAt, isa.I64, isa.I64, x)
}

// pointerOf returns the pointer that an argument by value has among its bytes.
func (b *Builder) pointerOf(x *ssa.Value) *ssa.Value {
	if b.Module.PtrSize == 4 {
		return b.Conv(isa.OpPtrUnpack32, isa.I64, isa.I32, x)
	}
	return b.AtAddress(x)
}

// JoinPointers turns phis of addresses, which promotion has made of variables that hold pointers, into phis of pointers where
// they are used as such: a pointer then keeps its allocation, and is not looked up at each use.
func (b *Builder) JoinPointers() {
	if !b.Module.Shared {
		return
	}
	f := b.Func
	joined := map[*ssa.Value]*ssa.Value{}
	var todo []*ssa.Value
	join := func(phi *ssa.Value) *ssa.Value {
		if j := joined[phi]; j != nil {
			return j
		}
		j := f.NewValue(ssa.OpPhi, isa.I64, isa.I64)
		j.Block, j.Loc = phi.Block, phi.Loc
		joined[phi] = j
		todo = append(todo, phi)
		return j
	}
	for _, blk := range f.Blocks {
		for _, v := range blk.Insts {
			if v.Op != isa.OpPtrAt {
				continue
			}
			if x := v.Args[0].Root(); x.Op == ssa.OpPhi {
				v.Repl = join(x)
			}
		}
	}
	if len(todo) == 0 {
		return
	}
	blockOf := map[*ssa.Value]*ssa.Block{}
	for _, blk := range f.Blocks {
		for _, phi := range blk.Phis {
			blockOf[phi] = blk
		}
	}
	for len(todo) > 0 {
		phi := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		j, blk := joined[phi], blockOf[phi]
		j.Block, j.Args = blk, make([]*ssa.Value, len(phi.Args))
		for i, a := range phi.Args {
			switch a = a.Root(); {
			case a.Op == isa.OpPtrAddress:
				j.Args[i] = a.Args[0].Root()
			case a.Op == ssa.OpPhi:
				j.Args[i] = join(a)
			case ssa.OwnAddress(a):
				j.Args[i] = a
			default:
				at := f.NewValue(isa.OpPtrAt, isa.I64, isa.I64, a)
				at.Block, at.Loc = blk.Preds[i], phi.Loc
				blk.Preds[i].Insts = append(blk.Preds[i].Insts, at)
				j.Args[i] = at
			}
		}
		blk.Phis = append(blk.Phis, j)
	}
	f.ReplaceAll()
	f.Simplified = false
}
