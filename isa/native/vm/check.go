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
	made    []int32  // for each instruction, the first of the virtual registers that were made at it or behind
	now     contents // at the beginning of the present block
	behind  contents // what is behind the moves of a way to it
	list    []int32  // of moves
	err     error
}

// verify holds that each operand is in the register that its instruction names, on all paths. A register that
// nothing has written holds anything.
func (a *allocator) verify() error {
	v := newVerifier(a)
	jumps := make([]*bridge, len(a.g.blocks))
	for b := range a.g.blocks {
		i := &a.insts[a.g.order[a.g.blocks[b].end-1]]
		for k := range a.bridges {
			if i.kind == kindJcc && a.bridges[k].label == i.label {
				jumps[b] = &a.bridges[k]
			}
		}
	}
	// A block is followed again where what is behind one of its predecessors has changed.
	stale := make([]bool, len(a.g.blocks))
	for b := range stale {
		stale[b] = true
	}
	for changed := true; changed; {
		changed = false
		for b := range a.g.blocks {
			if !stale[b] {
				continue
			}
			stale[b] = false
			v.entry(int32(b), jumps)
			if v.in[b].reached && v.in[b].equal(&v.now) {
				continue
			}
			v.in[b].set(&v.now)
			v.block(&v.now, int32(b), false)
			v.out[b].set(&v.now)
			for _, next := range [2]int32{a.g.blocks[b].next, a.g.blocks[b].taken} {
				if next >= 0 {
					stale[next], changed = true, true
				}
			}
		}
	}
	for b := range a.g.blocks {
		v.block(&v.in[b], int32(b), true)
	}
	return v.err
}

func newVerifier(a *allocator) *verifier {
	n, slots, words := len(a.g.blocks), len(a.slots), (len(a.virtuals)+63)/64
	v := &verifier{allocator: a, in: make([]contents, n), out: make([]contents, n), made: make([]int32, len(a.insts))}
	allSlots, allWords := make([]int32, 2*n*slots), make([]uint64, 2*n*words)
	for i := range 2 * n {
		c := &v.in[i/2]
		if i%2 != 0 {
			c = &v.out[i/2]
		}
		c.slots, c.defined = allSlots[i*slots:(i+1)*slots:(i+1)*slots], allWords[i*words:(i+1)*words:(i+1)*words]
	}
	x := int32(0)
	for i := range v.made {
		for int(x) < len(a.virtuals) && int(a.virtuals[x].made) < i {
			x++
		}
		v.made[i] = x
	}
	return v
}

// set makes c what d is, in memory of its own.
func (c *contents) set(d *contents) {
	c.regs, c.reached = d.regs, d.reached
	c.slots, c.defined = append(c.slots[:0], d.slots...), append(c.defined[:0], d.defined...)
}

func (c *contents) equal(d *contents) bool {
	return c.regs == d.regs && slices.Equal(c.slots, d.slots) && slices.Equal(c.defined, d.defined)
}

func (c *contents) has(v int32) bool { return v >= 0 && c.defined[v/64]>>(v%64)&1 != 0 }

// nothing makes c what is known where nothing is.
func (v *verifier) nothing(c *contents) {
	for f := range c.regs {
		for r := range c.regs[f] {
			c.regs[f][r] = -1
		}
	}
	c.slots, c.defined = c.slots[:0], c.defined[:0]
	for range v.slots {
		c.slots = append(c.slots, -1)
	}
	for range (len(v.virtuals) + 63) / 64 {
		c.defined = append(c.defined, 0)
	}
	c.reached = true
}

// merge leaves of c what holds in d too.
func (c *contents) merge(d *contents) {
	one := func(x, y int32) int32 {
		switch {
		case x == y, x >= 0 && !d.has(x):
			return x
		case y >= 0 && !c.has(y):
			return y
		}
		return -1
	}
	for f := range c.regs {
		for r, x := range c.regs[f] {
			if y := d.regs[f][r]; x != y {
				c.regs[f][r] = one(x, y)
			}
		}
	}
	for s, x := range c.slots {
		if y := d.slots[s]; x != y {
			c.slots[s] = one(x, y)
		}
	}
	for i := range c.defined {
		c.defined[i] |= d.defined[i]
	}
}

// entry makes v.now what holds at the beginning of a block on all ways that lead there.
func (v *verifier) entry(b int32, jumps []*bridge) {
	first := true
	merge := func(c *contents) {
		if first {
			first = false
			v.now.set(c)
			return
		}
		v.now.merge(c)
	}
	for _, p := range v.g.preds[v.g.blocks[b].preds.from:v.g.blocks[b].preds.end] {
		c := &v.out[p]
		if !c.reached {
			continue
		}
		x := &v.g.blocks[p]
		if x.next == b {
			if last := v.after[v.g.order[x.end-1]]; last < 0 {
				merge(c)
			} else {
				v.behind.set(c)
				v.moves(&v.behind, last, false)
				merge(&v.behind)
			}
		}
		if x.taken == b {
			if j := jumps[p]; j == nil {
				merge(c)
			} else {
				v.behind.set(c)
				for k := range j.moves {
					v.move(&v.behind, &j.moves[k], false)
				}
				merge(&v.behind)
			}
		}
	}
	if first {
		v.nothing(&v.now)
	}
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
	for x := v.made[n]; int(x) < len(v.virtuals) && v.virtuals[x].made == n; x++ {
		c.drop(x)
		c.defined[x/64] &^= 1 << (x % 64)
	}
}

// drop says that what a virtual register held is nowhere of use any more. One that nothing has written is nowhere.
func (c *contents) drop(v int32) {
	if !c.has(v) {
		return
	}
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
	v.list = v.list[:0]
	for ; last >= 0; last = v.inserted[last].next {
		v.list = append(v.list, last)
	}
	for _, m := range slices.Backward(v.list) {
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
		regs[m.to] = -1
		if c.has(m.v) {
			regs[m.to] = m.v
		}
	}
}
