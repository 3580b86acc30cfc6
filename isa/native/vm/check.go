package vm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// ErrAssignment is wrapped by the errors of [Func.Check].
var ErrAssignment = errors.New("vm: a register does not hold what an instruction reads")

// contents is what registers and spill slots hold: virtual registers, or -1.
type contents struct {
	regs    [files][32]int32
	slots   []int32
	defined []uint64 // a bit for each virtual register that may have been written
	reached bool
}

// verifier follows values through allocated code.
type verifier struct {
	*allocator
	in, out []contents
	err     error
}

// verify holds that each operand is in the register that its instruction names, on all paths. A register that
// nothing has written holds anything.
func (a *allocator) verify() error {
	v := &verifier{allocator: a, in: make([]contents, len(a.g.blocks)), out: make([]contents, len(a.g.blocks))}
	jumps := make([]*bridge, len(a.g.blocks))
	for b := range a.g.blocks {
		i := &a.insts[a.g.order[a.g.blocks[b].end-1]]
		for k := range a.bridges {
			if i.kind == kindJcc && a.bridges[k].label == i.label {
				jumps[b] = &a.bridges[k]
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for b := range a.g.blocks {
			now := v.entry(int32(b), jumps)
			if v.in[b].reached && v.in[b].equal(&now) {
				continue
			}
			changed = true
			v.in[b] = now
			v.out[b] = now.clone()
			v.block(&v.out[b], int32(b), false)
		}
	}
	for b := range a.g.blocks {
		now := v.in[b].clone()
		v.block(&now, int32(b), true)
	}
	return v.err
}

func (c *contents) clone() contents {
	d := *c
	d.slots, d.defined = slices.Clone(c.slots), slices.Clone(c.defined)
	return d
}

func (c *contents) equal(d *contents) bool {
	return c.regs == d.regs && slices.Equal(c.slots, d.slots) && slices.Equal(c.defined, d.defined)
}

func (c *contents) has(v int32) bool { return v >= 0 && c.defined[v/64]>>(v%64)&1 != 0 }

// entry is what holds at the beginning of a block on all ways that lead there.
func (v *verifier) entry(b int32, jumps []*bridge) contents {
	all := contents{slots: make([]int32, len(v.slots)), defined: make([]uint64, (len(v.virtuals)+63)/64), reached: true}
	for f := range all.regs {
		for r := range all.regs[f] {
			all.regs[f][r] = -1
		}
	}
	for s := range all.slots {
		all.slots[s] = -1
	}
	first := true
	preds := v.g.preds[v.g.blocks[b].preds.from:v.g.blocks[b].preds.end]
	merge := func(c *contents) {
		if first {
			first = false
			all = c.clone()
			return
		}
		one := func(x, y int32) int32 {
			switch {
			case x == y, x >= 0 && !c.has(x):
				return x
			case y >= 0 && !all.has(y):
				return y
			}
			return -1
		}
		for f := range all.regs {
			for r := range all.regs[f] {
				all.regs[f][r] = one(all.regs[f][r], c.regs[f][r])
			}
		}
		for s := range all.slots {
			all.slots[s] = one(all.slots[s], c.slots[s])
		}
		for i := range all.defined {
			all.defined[i] |= c.defined[i]
		}
	}
	for _, p := range preds {
		c := &v.out[p]
		if !c.reached {
			continue
		}
		if x := &v.g.blocks[p]; x.next == b {
			after := c.clone()
			v.moves(&after, v.after[v.g.order[x.end-1]], false)
			merge(&after)
		}
		if x := &v.g.blocks[p]; x.taken == b {
			after := c.clone()
			if j := jumps[p]; j != nil {
				for k := range j.moves {
					v.move(&after, &j.moves[k], false)
				}
			}
			merge(&after)
		}
	}
	return all
}

// block follows values through a block, up to what stands behind its last instruction.
func (v *verifier) block(c *contents, b int32, report bool) {
	x := &v.g.blocks[b]
	for p := x.from; p < x.end; p++ {
		n := v.g.order[p]
		v.forget(c, n)
		v.moves(c, v.before[n], report)
		i := &v.insts[n]
		from, end := v.g.first[p], v.g.first[p+1]
		for r := from; r < end; r++ {
			if x := &v.g.refs[r]; x.access&amd64.Read != 0 {
				v.holds(c, x.v, v.results[r], report, n)
			}
		}
		if i.kind == kindVector {
			v.clobber(c, i, v.g.refs[from:end])
		}
		for r := from; r < end; r++ {
			if x := &v.g.refs[r]; x.access&amd64.Written != 0 {
				c.drop(x.v)
				c.regs[v.virtuals[x.v].file][v.results[r]] = x.v
				c.defined[x.v/64] |= 1 << (x.v % 64)
			}
		}
		if p+1 < x.end {
			v.moves(c, v.after[n], report)
		}
	}
}

// forget says that registers hold anything that were made at an instruction: in a loop, that happens again.
func (v *verifier) forget(c *contents, n int32) {
	x, _ := slices.BinarySearchFunc(v.virtuals, n, func(x virtual, n int32) int { return int(x.made) - int(n) })
	for ; x < len(v.virtuals) && v.virtuals[x].made == n; x++ {
		c.drop(int32(x))
		c.defined[x/64] &^= 1 << (x % 64)
	}
}

// drop says that what a virtual register held is nowhere of use any more.
func (c *contents) drop(v int32) {
	for f := range c.regs {
		for r := range c.regs[f] {
			if c.regs[f][r] == v {
				c.regs[f][r] = -1
			}
		}
	}
	for s := range c.slots {
		if c.slots[s] == v {
			c.slots[s] = -1
		}
	}
}

// clobber notes what an instruction writes that is a register of the processor from the beginning.
func (v *verifier) clobber(c *contents, i *inst, refs []ref) {
	operands := v.at(i)
	for k, access := range amd64.Accesses(amd64.Op(i.code), operands) {
		if access&amd64.Written == 0 || slices.ContainsFunc(refs, func(r ref) bool { return int(r.operand) == k }) {
			continue
		}
		switch o := operands[k].(type) {
		case amd64.Vec:
			c.regs[Vectors][o] = -1
		case amd64.Mask:
			c.regs[Masks][o] = -1
		}
	}
}

// holds reports if a register does not hold a value.
func (v *verifier) holds(c *contents, x int32, reg int8, report bool, n int32) {
	if !report || !c.has(x) || v.err != nil || c.regs[v.virtuals[x].file][reg] == x {
		return
	}
	where := "a move"
	if n >= 0 {
		where = v.instText(&v.insts[n])
	}
	held := "anything"
	if h := c.regs[v.virtuals[x].file][reg]; h >= 0 {
		held = v.name(h)
	}
	v.err = fmt.Errorf("%w: %s reads %s from register %d, which holds %s", ErrAssignment, where, v.name(x), reg, held)
}

// moves follows insertions, of which last is the last.
func (v *verifier) moves(c *contents, last int32, report bool) {
	var list []int32
	for ; last >= 0; last = v.inserted[last].next {
		list = append(list, last)
	}
	for _, m := range slices.Backward(list) {
		v.move(c, &v.inserted[m], report)
	}
}

func (v *verifier) move(c *contents, m *insertion, report bool) {
	regs := &c.regs[v.virtuals[m.v].file]
	switch m.what {
	case moveCopy:
		v.holds(c, m.v, m.from, report, -1)
		regs[m.to] = regs[m.from]
	case moveStore:
		v.holds(c, m.v, m.from, report, -1)
		c.slots[m.slot] = regs[m.from]
	case moveLoad:
		regs[m.to] = c.slots[m.slot]
	case moveAgain:
		regs[m.to] = m.v
	}
}
