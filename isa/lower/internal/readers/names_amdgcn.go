package readers

import (
	"fmt"
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// AMDGPU's LDS DMA: a copy that each lane makes, from a pointer or a buffer
// resource to LDS (LLVM, "User Guide for AMDGPU Backend", LLVM IR Intrinsics;
// "AMDGPU Asynchronous Operations"). The operands, by number:
//
//	load.to.lds, global.load.lds   source, LDS, size, offset, cpol
//	raw(.ptr).buffer.load.lds      resource, LDS, size, voffset, soffset, offset, aux
//	struct(.ptr).buffer.load.lds   resource, LDS, size, vindex, voffset, soffset, offset, aux
//	global.load.async.to.lds.bN    source, LDS, offset, cpol
//	cluster.load.async.to.lds.bN   source, LDS, offset, cpol[, mask]
//	global.store.async.from.lds.bN destination, LDS, offset, cpol
//
// Size, offset and cpol are constants.

// laneName is a function of this family.
type laneName struct {
	copy   isa.LaneCopy // what follows from the name: Size 0 where an operand has it
	counts []int        // of its operands
}

// addLaneCopies puts the family into the table.
func addLaneCopies(t map[string]func(*build.Builder, *clCall) []*ssa.Value) {
	add := func(name string, n laneName, overloads ...string) {
		for _, o := range append(overloads, "") {
			n.copy.Name = "llvm.amdgcn." + name + o
			t[n.copy.Name] = n.call
		}
	}
	for _, async := range []string{"", ".async"} {
		x := laneName{isa.LaneCopy{Kind: isa.LanePointer, Async: async != ""}, []int{5}}
		add("load"+async+".to.lds", x, ".p0", ".p1")
		add("global.load"+async+".lds", x, ".p1")
		// A buffer fat pointer is a resource's handle that was moved.
		x.copy.Kind = isa.LaneBuffer
		add("load"+async+".to.lds.p7", x)
		for _, form := range []string{"", ".ptr"} {
			x.copy.Kind, x.counts = isa.LaneBuffer, []int{7}
			add("raw"+form+".buffer.load"+async+".lds", x)
			x.copy.Kind, x.counts = isa.LaneStruct, []int{8}
			add("struct"+form+".buffer.load"+async+".lds", x)
		}
	}
	for _, bits := range []int{8, 32, 64, 128} {
		x := laneName{isa.LaneCopy{Kind: isa.LanePointer, Async: true, PerLane: true, Size: bits / 8}, []int{4}}
		add(fmt.Sprintf("global.load.async.to.lds.b%d", bits), x)
		x.counts = []int{4, 5} // the mask picks work-groups of a cluster; here each is alone
		add(fmt.Sprintf("cluster.load.async.to.lds.b%d", bits), x)
		x.counts, x.copy.Store = []int{4}, true
		add(fmt.Sprintf("global.store.async.from.lds.b%d", bits), x)
	}
}

// call reads a call of the function.
func (n laneName) call(b *build.Builder, c *clCall) []*ssa.Value {
	want(b, c, n.counts...)
	x := n.copy
	var args []*ssa.Value
	use := func(r *isa.Reg, v *ssa.Value) {
		*r = isa.S(0) // there; its register is known when bytecode is written
		args = append(args, v)
	}
	small := func(r *isa.Reg, i int) {
		v, t := intArg(b, c, i)
		use(r, b.Resize(v, t.Scalar(), isa.I32))
	}
	at := 2
	// The operands are taken in the order of LaneCopy.Regs.
	if v := c.args[0]; x.Kind != isa.LanePointer && len(v) == 4 && c.types[0].Component().Kind == build.KindInt && c.types[0].Component().Bits == 32 {
		for i := range x.Resource {
			use(&x.Resource[i], v[i])
		}
	} else if t := c.types[0]; t.Kind == build.KindPointer || x.Kind != isa.LanePointer && t.Kind == build.KindInt && t.Bits == 64 {
		use(&x.Global, v[0])
	} else if x.Kind == isa.LanePointer {
		b.Fail("argument 1 of %s is no pointer", c.name)
	} else {
		b.Fail("argument 1 of %s is no buffer resource: four 32-bit words, or a handle of 64 bits", c.name)
	}
	lds, lt := pointerArg(b, c, 1)
	if s := build.Space(lt.Storage); s != isa.SpaceLocal && s != isa.SpaceGeneric {
		b.Fail("argument 2 of %s is no pointer to LDS", c.name)
	}
	use(&x.LDS, lds)
	if x.Size == 0 {
		size := immArg(b, c, at, "the size")
		switch size {
		case 1, 2, 4, 12, 16:
		default:
			b.Fail("%s of %d bytes a lane is not supported; it moves 1, 2, 4, 12 or 16", c.name, size)
		}
		x.Size = int(size)
		at++
	}
	if x.Kind == isa.LaneStruct {
		small(&x.Index, at)
		at++
	}
	if len(n.counts) == 1 && n.counts[0] >= 7 {
		small(&x.VOffset, at)
		small(&x.SOffset, at+1)
		at += 2
	}
	offset := immArg(b, c, at, "the offset")
	if offset < math.MinInt32 || offset > math.MaxInt32 {
		b.Fail("the offset of %s is out of range", c.name)
	}
	x.Offset = int32(offset)
	const volatileBit = 31 // of cpol; the rest of it is about caches
	x.Volatile = immArg(b, c, at+1, "the cache policy")>>volatileBit&1 != 0
	b.LaneCopy(x, args...)
	return nil
}

// amdgcnMark reads llvm.amdgcn.asyncmark().
func amdgcnMark(b *build.Builder, c *clCall) []*ssa.Value {
	want(b, c, 0, 1)
	noStages(b, c, 0)
	b.Async(isa.OpAsyncMark, 0)
	return nil
}

// amdgcnWait reads llvm.amdgcn.wait.asyncmark(i16 N).
func amdgcnWait(b *build.Builder, c *clCall) []*ssa.Value {
	want(b, c, 1, 2)
	noStages(b, c, 1)
	b.Async(isa.OpAsyncWait, uint32(uint16(immArg(b, c, 0, "the number of marks"))))
	return nil
}

// noStages refuses a stage mask, which newer LLVM has as operand i, that is not
// empty.
func noStages(b *build.Builder, c *clCall, i int) {
	if len(c.args) > i && immArg(b, c, i, "the stage mask") != 0 {
		b.Fail("%s with a stage mask that is not empty is not supported", c.name)
	}
}
