package ssa

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// checkScalars proves of a function that was made of bytecode that what a lane reads in a scalar register is
// what it has written there itself, on its own way. Blocks are in the order of the bytecode. Three things are
// enough:
//
//   - Blocks are in the order that [isa.Kernel] asks for: what leads to an earlier block is the way back of
//     a loop, whose blocks are contiguous, and only the last one of them jumps back. All lanes of an
//     iteration meet there, and while some are in a loop, no others run what lies ahead of it.
//   - A value in a scalar register is uniform, and not used by lanes that have left its loop in different
//     iterations.
//   - Nothing else is written to the register between the first place, in the order of blocks, where the
//     value is made or used, and the last one. Values that phis join are one in this, and a value that is
//     used in loops around which it is made is used up to their ends.
func (f *Func) checkScalars() error {
	written := false
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			written = written || v.Reg.IsScalar()
		}
	}
	if !written {
		return nil
	}
	f.Need(AnalysisLoops)
	byOrder := func(x, y *Block) int { return cmp.Compare(x.Order, y.Order) }
	slices.SortFunc(f.Blocks, byOrder)
	f.Valid = 0
	if err := f.contiguousLoops(); err != nil {
		return err
	}
	if err := f.uniformScalars(); err != nil {
		return err
	}
	return f.separateScalars()
}

// contiguousLoops checks the order of the blocks of loops, and sets Loop.Last.
func (f *Func) contiguousLoops() error {
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			if s.Order <= b.Order && !s.Dominates(b) {
				return fmt.Errorf("block %d leads back to block %d, which is no loop's head: %w", b.Order, s.Order, ErrNoForm)
			}
		}
	}
	size := map[*Loop]int{}
	for _, l := range f.Loops { // inner ones first
		l.Last = l.Head.Order
		for _, b := range l.Own {
			l.Last = max(l.Last, b.Order)
		}
		size[l] += len(l.Own)
		for _, in := range l.Inner {
			l.Last = max(l.Last, in.Last)
		}
		if l.Parent != nil {
			size[l.Parent] += size[l]
		}
		if l.Last-l.Head.Order+1 != size[l] {
			return fmt.Errorf("the loop at block %d is not contiguous: %w", l.Head.Order, ErrNoForm)
		}
		for _, p := range l.Head.Preds {
			// A block that waits for a pipe is a loop of its own, and nothing is uniform from there on.
			if l.Contains(p) && p.Order != l.Last && (p != l.Head || p.Wait == nil) {
				return fmt.Errorf("the loop at block %d jumps back from block %d: %w", l.Head.Order, p.Order, ErrNoForm)
			}
		}
	}
	return nil
}

// uniformScalars checks that all lanes agree on what scalar registers hold.
func (f *Func) uniformScalars() error {
	bad := f.irreducibleByOrder()
	f.overtaken(bad)
	d := f.findDivergence(bad)
	d.findLeft()
	var err error
	check := func(v *Value) {
		if v.Reg.IsScalar() && v.Varying && err == nil {
			err = fmt.Errorf("scalar register %d holds what differs by lane in block %d: %w",
				v.Reg.Index(), v.Block.Order, ErrNoForm)
		}
		v.Varying = v.Reg.IsVector()
	}
	use := func(v *Value, at *Block) {
		if v.Reg.IsScalar() && temporal(v, at) && err == nil {
			err = fmt.Errorf("scalar register %d is used in block %d by lanes that have left its loop before others: %w",
				v.Reg.Index(), at.Order, ErrNoForm)
		}
	}
	f.eachUse(use)
	for _, b := range f.Blocks {
		for _, list := range [2][]*Value{b.Phis, b.Insts} {
			for _, v := range list {
				check(v)
			}
		}
	}
	return err
}

// eachUse calls a function for each use of a value, with the block where it is: of a phi, that where its edge
// begins.
func (f *Func) eachUse(use func(v *Value, at *Block)) {
	for _, b := range f.Blocks {
		for _, v := range b.Phis {
			for i, a := range v.Args {
				use(a, b.Preds[i])
			}
		}
		for _, v := range b.Insts {
			for _, a := range v.Args {
				use(a, b)
			}
		}
		if b.Cond != nil {
			use(b.Cond, b)
		}
	}
}

// scalarWeb is what is in a scalar register from one place to another.
type scalarWeb struct {
	reg         isa.Reg
	first, last int // places, by number of the instruction
}

// separateScalars checks that values of a scalar register follow one after the other.
func (f *Func) separateScalars() error {
	webs, of := f.scalarWebs()
	starts, ends := make([]int, len(f.Blocks)), make([]int, len(f.Blocks))
	n := 0
	extend := func(v *Value, at int) {
		w := &webs[of[v]]
		w.first, w.last = min(w.first, at), max(w.last, at)
	}
	for i, b := range f.Blocks {
		starts[i] = n
		for _, v := range b.Phis {
			if v.Reg.IsScalar() {
				extend(v, n)
			}
		}
		for _, v := range b.Insts {
			n++
			for _, a := range v.Args {
				if a.Reg.IsScalar() {
					extend(a, n)
				}
			}
			if n++; v.Reg.IsScalar() {
				extend(v, n)
			}
		}
		n++
		ends[i] = n
	}
	f.eachUse(func(v *Value, at *Block) {
		if !v.Reg.IsScalar() {
			return
		}
		around := func(l *Loop) bool { return v.Block == nil || !l.Contains(v.Block) }
		if l := at.Loop.Outermost(around); l != nil {
			extend(v, starts[l.Head.Order])
			extend(v, ends[l.Last])
		}
	})
	for _, b := range f.Blocks {
		at := ends[b.Order]
		if b.Cond != nil && b.Cond.Reg.IsScalar() {
			extend(b.Cond, at)
		}
		for _, v := range b.Phis {
			for i, a := range v.Args {
				if a.Reg.IsScalar() {
					extend(a, ends[b.Preds[i].Order])
				}
			}
		}
	}
	slices.SortFunc(webs, func(x, y scalarWeb) int {
		return cmp.Or(cmp.Compare(y.reg, x.reg), cmp.Compare(x.first, y.first), cmp.Compare(x.last, y.last))
	})
	for i := 1; i < len(webs); i++ {
		if x, y := &webs[i-1], &webs[i]; x.reg == y.reg && y.first < x.last {
			return fmt.Errorf("scalar register %d has two values at a time: %w", x.reg.Index(), ErrNoForm)
		}
	}
	return nil
}

// scalarWebs returns the webs of scalar registers, without places, and the number of that of each value:
// phis, their operands in the same register, and conversions (Value.Seen) are in one, and so is all that is
// read of a register as it was at first.
func (f *Func) scalarWebs() (webs []scalarWeb, of map[*Value]int) {
	up := map[*Value]*Value{}
	find := func(v *Value) *Value {
		r := v
		for up[r] != nil {
			r = up[r]
		}
		for v != r {
			v, up[v] = up[v], r
		}
		return r
	}
	var all []*Value
	known := map[*Value]bool{}
	initial := map[isa.Reg]*Value{}
	join := func(v, a *Value) {
		if v.Reg == a.Reg {
			if x, y := find(v), find(a); x != y {
				up[x] = y
			}
		}
	}
	note := func(v *Value) {
		if !v.Reg.IsScalar() || known[v] {
			return
		}
		known[v] = true
		all = append(all, v)
		if v.Leaf() {
			if initial[v.Reg] == nil {
				initial[v.Reg] = v
			}
			join(v, initial[v.Reg])
		}
	}
	for _, b := range f.Blocks {
		for _, list := range [2][]*Value{b.Phis, b.Insts} {
			for _, v := range list {
				note(v)
				for _, a := range v.Args {
					note(a)
					if v.Reg.IsScalar() && (v.Op == OpPhi || v.Seen) {
						join(v, a)
					}
				}
			}
		}
		if b.Cond != nil {
			note(b.Cond)
		}
	}
	of = make(map[*Value]int, len(all))
	for _, v := range all {
		r := find(v)
		i, ok := of[r]
		if !ok {
			i = len(webs)
			of[r] = i
			w := scalarWeb{reg: r.Reg, first: math.MaxInt, last: -1}
			webs = append(webs, w)
		}
		of[v] = i
		if v.Leaf() {
			webs[i].first = -1
		}
	}
	return webs, of
}
