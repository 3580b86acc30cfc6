package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// A kernel that is lowered for memory that the host shares (Compiler.SharedKernel) keeps tagged pointers in registers, as all
// kernels do, and the host's addresses in memory and in integers. The conversions are instructions of their own, which
// nothing moves into accesses.

// sharedPointer says whether values of a type are converted on their way to and from memory: pointers into memory that may be
// shared.
func (m *module) sharedPointer(t *typ) bool {
	if !m.shared || t.kind != kindPointer {
		return false
	}
	switch t.storage {
	case spirv.StorageClassCrossWorkgroup, spirv.StorageClassUniformConstant, spirv.StorageClassGeneric:
		return true
	}
	return false
}

// addressOf returns what a pointer is in memory.
func (b *builder) addressOf(p *value) *value {
	if !b.m.shared || ownAddress(p) {
		return p
	}
	return b.conv(isa.OpPtrAddress, isa.I64, isa.I64, p)
}

// atAddress returns the pointer that memory holds as x.
func (b *builder) atAddress(x *value) *value {
	if !b.m.shared || ownAddress(x) {
		return x
	}
	return b.conv(isa.OpPtrAt, isa.I64, isa.I64, x)
}

// pointerOf returns the pointer that an argument by value has among its bytes.
func (b *builder) pointerOf(x *value) *value {
	if b.m.ptrSize == 4 {
		return b.conv(isa.OpPtrUnpack32, isa.I64, isa.I32, x)
	}
	return b.atAddress(x)
}

// joinPointers turns phis of addresses, which promotion has made of variables that hold pointers, into phis of pointers where
// they are used as such: a pointer then keeps its allocation, and is not looked up at each use.
func (b *builder) joinPointers() {
	if !b.m.shared {
		return
	}
	f := b.f
	joined := map[*value]*value{}
	var todo []*value
	join := func(phi *value) *value {
		if j := joined[phi]; j != nil {
			return j
		}
		j := f.newValue(irPhi, isa.I64, isa.I64)
		j.blk, j.loc = phi.blk, phi.loc
		joined[phi] = j
		todo = append(todo, phi)
		return j
	}
	for _, blk := range f.blocks {
		for _, v := range blk.insts {
			if v.op != isa.OpPtrAt {
				continue
			}
			if x := v.args[0].root(); x.op == irPhi {
				v.repl = join(x)
			}
		}
	}
	if len(todo) == 0 {
		return
	}
	blockOf := map[*value]*block{}
	for _, blk := range f.blocks {
		for _, phi := range blk.phis {
			blockOf[phi] = blk
		}
	}
	for len(todo) > 0 {
		phi := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		j, blk := joined[phi], blockOf[phi]
		j.blk, j.args = blk, make([]*value, len(phi.args))
		for i, a := range phi.args {
			switch a = a.root(); {
			case a.op == isa.OpPtrAddress:
				j.args[i] = a.args[0].root()
			case a.op == irPhi:
				j.args[i] = join(a)
			case ownAddress(a):
				j.args[i] = a
			default:
				at := f.newValue(isa.OpPtrAt, isa.I64, isa.I64, a)
				at.blk, at.loc = blk.preds[i], phi.loc
				blk.preds[i].insts = append(blk.preds[i].insts, at)
				j.args[i] = at
			}
		}
		blk.phis = append(blk.phis, j)
	}
	f.replaceAll()
	f.simple = false
}
