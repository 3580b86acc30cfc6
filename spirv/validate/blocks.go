package validate

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// checkBlocks checks the control-flow graph (sections 2.16.2 and 3.3.17): branches lead to blocks of the
// same function but not to its first, and OpPhi agrees with the branches.
func (c *checker) checkBlocks() {
	for _, f := range c.functions {
		for i := range f.blocks {
			c.checkTerminator(f, i)
		}
		c.fillPredecessors(f)
	}
	if len(c.errs) > 0 {
		return
	}
	for _, f := range c.functions {
		for i := range f.blocks {
			c.checkPhis(f, i)
		}
	}
}

// checkTerminator checks the last instruction of a block and notes the edges.
func (c *checker) checkTerminator(f *function, i int) {
	b := &f.blocks[i]
	in := c.insts[b.last]
	switch in.Op() {
	case spirv.OpBranch:
		c.edge(f, b, in, in.Operand(0))
	case spirv.OpBranchConditional:
		if t := c.valueType(spirv.ID(in.Operand(0))); !t.scalar() || t.class != classBool {
			c.fail("branch-condition", in, "the condition %%%d is not a Boolean", in.Operand(0))
		}
		c.edge(f, b, in, in.Operand(1))
		c.edge(f, b, in, in.Operand(2))
		if n := len(in.Operands()); n != 3 && n != 5 {
			c.fail("branch-condition", in, "the branch has %s, but it must have two or none", count(n-3, "weight"))
		}
	case spirv.OpSwitch:
		c.checkSwitch(f, b, in)
	case spirv.OpReturn:
		if f.result(c).op != spirv.OpTypeVoid {
			c.fail("return-type", in, "the function must return a value of type %%%d", f.result(c).id)
		}
	case spirv.OpReturnValue:
		if t := c.valueType(spirv.ID(in.Operand(0))); f.result(c).op == spirv.OpTypeVoid || !sameType(t, f.result(c)) {
			c.fail("return-type", in, "the value has type %%%d, but the function returns type %%%d", typeID(t), f.result(c).id)
		}
	}
	for at := b.first; at < b.last; at++ {
		switch in := c.insts[at]; in.Op() {
		case spirv.OpLoopMerge, spirv.OpSelectionMerge:
			for _, o := range c.parse(in) {
				if o.Kind == spirv.KindIdRef {
					c.target(f, in, uint32(o.ID()))
				}
			}
		}
	}
}

func (c *checker) checkSwitch(f *function, b *block, in spirv.Inst) {
	if t := c.valueType(spirv.ID(in.Operand(0))); !t.scalar() || t.class != classInt {
		c.fail("switch-selector", in, "the selector %%%d is not an integer", in.Operand(0))
		return
	}
	seen := map[uint64]bool{}
	for _, o := range c.parse(in)[1:] {
		if o.Kind == spirv.KindIdRef {
			c.edge(f, b, in, uint32(o.ID()))
			continue
		}
		v := uint64(o.Words[0])
		if len(o.Words) > 1 {
			v |= uint64(o.Words[1]) << 32
		}
		// What stands above the width of the type has no meaning.
		v <<= 64 - o.Number.Width
		if seen[v] {
			c.fail("switch-selector", in, "the switch has the literal %d twice", v>>(64-o.Number.Width))
		}
		seen[v] = true
	}
}

// target gives the block of f with a label, -1 when a label of another function is meant.
func (c *checker) target(f *function, in spirv.Inst, label uint32) int {
	i, ok := f.blockAt[spirv.ID(label)]
	if !ok {
		c.fail("branch-target", in, "%%%d is not a block of this function", label)
		return -1
	}
	return i
}

func (c *checker) edge(f *function, b *block, in spirv.Inst, label uint32) {
	i := c.target(f, in, label)
	if i == 0 {
		c.fail("branch-entry", in, "%%%d is the first block of the function, and no instruction may branch to it", label)
	}
	if i >= 0 {
		b.succ = append(b.succ, i)
	}
}

// fillPredecessors notes each predecessor of a block once, in the order of the module.
func (c *checker) fillPredecessors(f *function) {
	for i := range f.blocks {
		for _, s := range f.blocks[i].succ {
			// Edges are walked block by block, so a repeated predecessor is the last one.
			if p := f.blocks[s].pred; len(p) == 0 || p[len(p)-1] != i {
				f.blocks[s].pred = append(p, i)
			}
		}
	}
}

// checkPhis checks that OpPhi stands at the start of its block and has a value for each predecessor. A
// parent may stand several times, once for each edge, when the value is the same. Translators put the
// merge instruction of a loop before the OpPhis of its header, which is a matter of merge-place.
func (c *checker) checkPhis(f *function, i int) {
	b := &f.blocks[i]
	start := true
	for at := b.first + 1; at <= b.last; at++ {
		in := c.insts[at]
		switch in.Op() {
		case spirv.OpPhi:
			if !start {
				c.fail("phi-place", in, "OpPhi must stand before all other instructions of its block")
			}
			c.checkPhi(f, b, in)
		case spirv.OpLine, spirv.OpNoLine, spirv.OpNop, spirv.OpExtInst, spirv.OpLoopMerge, spirv.OpSelectionMerge:
		default:
			start = false
		}
	}
}

func (c *checker) checkPhi(f *function, b *block, in spirv.Inst) {
	ops := in.Operands()
	t := c.typeOf(in.ResultType())
	if !t.sized {
		c.fail("phi-type", in, "no value can have the type %%%d", t.id)
	}
	values := make(map[int]uint32, len(ops)/2)
	for k := 0; k+1 < len(ops); k += 2 {
		if vt := c.valueType(spirv.ID(ops[k])); !sameType(vt, t) {
			c.fail("phi-type", in, "%%%d has type %%%d, but the result has type %%%d", ops[k], typeID(vt), t.id)
		}
		parent, ok := f.blockAt[spirv.ID(ops[k+1])]
		if !ok {
			c.fail("phi-parents", in, "the parent %%%d is not a block of this function", ops[k+1])
			continue
		}
		if _, ok := slices.BinarySearch(b.pred, parent); !ok {
			c.fail("phi-parents", in, "the parent %%%d does not branch to this block", ops[k+1])
			continue
		}
		if old, dup := values[parent]; dup && old != ops[k] {
			c.fail("phi-parents", in, "OpPhi has two values for the parent %%%d", ops[k+1])
		}
		values[parent] = ops[k]
	}
	for _, p := range b.pred {
		if _, ok := values[p]; !ok {
			c.fail("phi-parents", in, "OpPhi has no value for the block %%%d, which branches to this block", f.blocks[p].label)
		}
	}
}
