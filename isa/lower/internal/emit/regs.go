package emit

import (
	"slices"
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Registers are given out in two pools a class (scalar, or a bank of vector
// registers): values that cross blocks get intervals over the whole order of
// blocks, values of one block share a pool that every block begins anew.
//
// Intervals have no holes, and that is not for simplicity only. Lanes that
// wait at one place keep their lanes of vector registers, as writes are
// masked; but a scalar register is one for all lanes, and lanes that wait at
// block 9 still need theirs while block 7 runs on a path that never leads to
// 9. As the engine runs the lowest waiting block first, a scalar that is held
// from its making to its last reader in block order is safe.

// class is the kind of register that a value needs.
type class uint8

const classScalar class = class(isa.NumBanks)
const numClasses = classScalar + 1

func classOf(v *ssa.Value) class {
	if !v.Varying {
		return classScalar
	}
	return class(v.Type.Bank())
}

// web is a set of values that share a register: a phi and those of its
// operands that never live at the same time.
type web struct {
	vals       []*ssa.Value
	start, end int32
	reg        int
	listed     bool
}

type allocator struct {
	f     *ssa.Func
	info  []liveInfo // by Value.Live
	first []int32    // position of each block's start, by order
	copyP []int32    // position of the phi copies at a block's end
	// tangled says that there are cycles that are no loops, so that lives are found by walking.
	tangled bool
	steps   int // edges walked
	stamp   []int
	round   int
	preds   *ssa.PredLists // by order
	work    []int32        // memory for walk
	outs    []int32        // of the values that have been walked, one after the other
	// global and local are the numbers of registers of each class.
	global, local [numClasses]int
	scratch       [numClasses]int // register for breaking copy cycles, -1 until needed
}

// MaxLiveSteps bounds the edges that are walked for the lives of all values of a kernel where there are cycles that are
// no loops: some seconds of work.
const MaxLiveSteps = 1 << 26

// liveInfo is what is known about a value's life.
type liveInfo struct {
	v       *ssa.Value
	web     *web
	end     int32
	crosses bool
	joined  bool     // it is a phi or an operand of one, so that joining it may be tried
	walked  bool     // out is known
	uses    []liveAt // of one that may be joined, in the order of blocks
	out     [2]int32 // where allocator.outs has the blocks, by order, at whose end it is live; sorted
}

// liveAt is the last use in a block.
type liveAt struct {
	order, pos int32
}

func (a *allocator) of(v *ssa.Value) *liveInfo { return &a.info[v.Live] }

// webOf returns the web of a value, or nil.
func (a *allocator) webOf(v *ssa.Value) *web { return a.info[v.Live].web }

func (a *allocator) run() error {
	f := a.f
	n := len(f.Blocks)
	a.first, a.copyP, a.stamp = make([]int32, n), make([]int32, n), make([]int, n)
	a.preds = ssa.NewPredLists(f.Blocks, func(b *ssa.Block) int { return b.Order })
	pos, results := int32(0), 1
	for i, b := range f.Blocks {
		a.first[i] = pos
		for _, v := range b.Phis {
			v.Pos = pos
		}
		pos += 2
		for _, v := range b.Insts {
			v.Pos = pos
			pos += 2
		}
		results += len(b.Phis) + len(b.Insts)
		a.copyP[i] = pos
		pos += 4 // copies, then the terminator
		for _, s := range b.Succs {
			a.tangled = a.tangled || s.Order <= b.Order && !s.Dominates(b)
		}
	}
	// The first one belongs to the values without a result, which nobody asks about.
	a.info = make([]liveInfo, 1, results)
	for _, b := range f.Blocks {
		for _, list := range [2][]*ssa.Value{b.Phis, b.Insts} {
			for _, v := range list {
				v.Live = 0
				if !ssa.NoResult(v) {
					v.Live = int32(len(a.info))
					a.info = append(a.info, liveInfo{v: v, end: v.Pos, crosses: v.Op == ssa.OpPhi})
				}
			}
		}
	}
	a.findLastBlocks()
	a.visitUses(func(v *ssa.Value, b *ssa.Block, at int32) {
		li := a.of(v)
		li.end = max(li.end, at)
		if b == v.Block {
			return
		}
		li.crosses = true
		// What is used in a loop and made outside is there until the loop's end.
		if l := b.Loop.Outermost(func(x *ssa.Loop) bool { return !x.Contains(v.Block) }); l != nil {
			li.end = max(li.end, a.copyP[l.Last]+2)
		}
	})
	if err := a.findUses(); err != nil {
		return err
	}
	a.coalesce()
	for i := range a.info[1:] {
		if li := &a.info[1+i]; li.crosses && li.web == nil {
			li.web = &web{vals: []*ssa.Value{li.v}}
		}
	}
	a.intervals()
	a.assignGlobal()
	a.assignLocal()
	for c := range a.scratch {
		a.scratch[c] = -1
	}
	return nil
}

// findLastBlocks finds the last block of each loop.
func (a *allocator) findLastBlocks() {
	for _, b := range a.f.Blocks {
		if b.Loop != nil {
			b.Loop.Last = b.Order
		}
	}
	for _, l := range a.f.Loops { // inner loops first
		if l.Parent != nil {
			l.Parent.Last = max(l.Parent.Last, l.Last)
		}
	}
}

// visitUses calls use for all uses of values in the order of blocks: where they are used, and at which position.
func (a *allocator) visitUses(use func(v *ssa.Value, b *ssa.Block, at int32)) {
	for _, b := range a.f.Blocks {
		for _, v := range b.Phis {
			for i, x := range v.Args {
				if !x.Leaf() {
					p := b.Preds[i]
					use(x, p, a.copyP[p.Order])
				}
			}
		}
		for _, v := range b.Insts {
			for _, x := range v.Args {
				if !x.Leaf() {
					use(x, b, v.Pos)
				}
			}
		}
		if b.Cond != nil && !b.Cond.Leaf() {
			use(b.Cond, b, a.copyP[b.Order]+2)
		}
	}
}

// findUses notes the uses of the values whose lives have to be known block by block: those that may be joined with
// phis, and all that cross blocks where there are cycles that are no loops.
func (a *allocator) findUses() error {
	for _, b := range a.f.Blocks {
		for _, phi := range b.Phis {
			for _, x := range phi.Args {
				if !x.Leaf() && classOf(x) == classOf(phi) && classOf(phi) != classScalar && x != phi {
					a.of(phi).joined, a.of(x).joined = true, true
				}
			}
		}
	}
	a.visitUses(func(v *ssa.Value, b *ssa.Block, at int32) {
		li := a.of(v)
		if !li.joined && !(a.tangled && li.crosses) {
			return
		}
		o := int32(b.Order)
		if n := len(li.uses); n > 0 && li.uses[n-1].order == o {
			li.uses[n-1].pos = max(li.uses[n-1].pos, at)
			return
		}
		li.uses = append(li.uses, liveAt{o, at})
	})
	if !a.tangled {
		return nil
	}
	for i := range a.info {
		if li := &a.info[i]; li.crosses && !a.walk(li, MaxLiveSteps) {
			return ErrTooLarge
		}
	}
	return nil
}

// walk finds the blocks at whose end a value is live, from its uses backwards. It says false when it takes more steps
// than there are left, and then nothing is known.
func (a *allocator) walk(li *liveInfo, limit int) bool {
	if li.walked {
		return true
	}
	if a.steps > limit {
		return false
	}
	a.round += 2
	in, out := a.round, a.round+1 // stamps: live at the start, and at the end as well
	made, from := int32(li.v.Block.Order), len(a.outs)
	work := a.work[:0]
	enter := func(b int32) {
		if b != made && a.stamp[b] < in {
			a.stamp[b] = in
			work = append(work, b)
		}
	}
	for _, u := range li.uses {
		enter(u.order)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		preds := a.preds.Of(b)
		if a.steps += len(preds); a.steps > limit {
			a.outs, a.work = a.outs[:from], work
			return false
		}
		for _, p := range preds {
			enter(p)
			if a.stamp[p] != out {
				a.stamp[p] = out
				a.outs = ssa.Append(a.outs, p)
				li.end = max(li.end, a.copyP[p]+2)
			}
		}
	}
	a.work = work
	slices.Sort(a.outs[from:])
	li.out = [2]int32{int32(from), int32(len(a.outs))}
	li.walked = true
	return true
}

// liveAt says whether x still is needed right after y has been made. Where it would take too long to find out it
// says so.
func (a *allocator) liveAt(x, y *ssa.Value) bool {
	li := a.of(x)
	if x.Block == y.Block {
		if x.Pos > y.Pos {
			return false
		}
		if x.Pos == y.Pos && x != y {
			return true // two phis of one block
		}
	}
	limit := MaxLiveSteps
	if !a.tangled {
		limit = 1<<22 + 64*(len(a.f.Blocks)+len(a.info))
	}
	if a.steps > limit || !a.walk(li, limit) {
		return true
	}
	a.steps += len(li.uses)
	o := int32(y.Block.Order)
	if _, ok := slices.BinarySearch(a.outs[li.out[0]:li.out[1]], o); ok {
		return true
	}
	for _, u := range li.uses {
		if u.order == o && u.pos > y.Pos {
			return true
		}
	}
	return false
}

// interfere says whether two values of one class cannot share a register. For
// vector registers what a lane needs on its own path decides. A scalar is also
// needed by lanes that wait further down while others run, so there it is the
// stretches of the block order that must not overlap.
func (a *allocator) interfere(x, y *ssa.Value) bool {
	if classOf(x) != classScalar {
		return a.liveAt(x, y) || a.liveAt(y, x)
	}
	if x.Pos > y.Pos {
		x, y = y, x
	}
	return x.Pos == y.Pos || a.of(x).end > y.Pos
}

// coalesce joins phis with their operands where that saves the copy.
func (a *allocator) coalesce() {
	const most = 8 // members of a web
	for _, b := range a.f.Blocks {
		for _, phi := range b.Phis {
			for _, x := range phi.Args {
				if x.Leaf() || classOf(x) != classOf(phi) || x == phi {
					continue
				}
				wp, wx := a.webOf(phi), a.webOf(x)
				if wp == nil {
					wp = &web{vals: []*ssa.Value{phi}}
				}
				if wx == nil {
					wx = &web{vals: []*ssa.Value{x}}
				}
				if wp == wx || len(wp.vals)+len(wx.vals) > most || a.websInterfere(wp, wx) {
					continue
				}
				wp.vals = append(wp.vals, wx.vals...)
				for _, v := range wp.vals {
					li := a.of(v)
					li.web, li.crosses = wp, true
				}
			}
		}
	}
}

func (a *allocator) websInterfere(p, q *web) bool {
	for _, x := range p.vals {
		for _, y := range q.vals {
			if a.interfere(x, y) {
				return true
			}
		}
	}
	return false
}

// intervals gives each web its stretch of the block order.
func (a *allocator) intervals() {
	for i := range a.info {
		li := &a.info[i]
		w := li.web
		if w == nil {
			continue
		}
		v := li.v
		start, end := v.Pos, li.end
		if v.Op == ssa.OpPhi {
			for _, p := range v.Block.Preds {
				start = min(start, a.copyP[p.Order])
				end = max(end, a.copyP[p.Order])
			}
			end = max(end, a.first[v.Block.Order])
		}
		if w.end == 0 {
			w.start, w.end = start, end
		} else {
			w.start, w.end = min(w.start, start), max(w.end, end)
		}
	}
}

// assignGlobal is a linear scan over the webs.
func (a *allocator) assignGlobal() {
	var webs [numClasses][]*web
	for i := range a.info {
		if w := a.info[i].web; w != nil && !w.listed {
			w.listed = true
			c := classOf(w.vals[0])
			webs[c] = append(webs[c], w)
		}
	}
	for c := range webs {
		ws := webs[c]
		sort.SliceStable(ws, func(i, j int) bool { return ws[i].start < ws[j].start })
		// Those in use, the one that ends first on top, and the free registers,
		// the lowest on top.
		active := ssa.Heap[*web]{Less: func(x, y *web) bool { return x.end < y.end }}
		free := ssa.Heap[int]{Less: func(x, y int) bool { return x < y }}
		for _, w := range ws {
			for len(active.List) > 0 && active.List[0].end <= w.start {
				free.Push(active.Pop().reg)
			}
			if len(free.List) > 0 {
				w.reg = free.Pop()
			} else {
				w.reg = a.global[c]
				a.global[c]++
			}
			active.Push(w)
		}
	}
}

// assignLocal gives registers to the values that live in one block only.
func (a *allocator) assignLocal() {
	var free [numClasses][]int
	for _, b := range a.f.Blocks {
		var used [numClasses]int
		for c := range free {
			free[c] = free[c][:0]
		}
		release := func(x *ssa.Value, at int32) {
			if x.Leaf() || a.webOf(x) != nil || a.of(x).end != at || x.Seen {
				return
			}
			x.Seen = true // once, though an instruction may name it twice
			c := classOf(x)
			free[c] = append(free[c], x.Reg.Index())
		}
		for _, v := range b.Insts {
			v.Seen = false
		}
		for _, v := range b.Insts {
			for _, x := range v.Args {
				release(x, v.Pos)
			}
			if ssa.NoResult(v) || a.webOf(v) != nil {
				continue
			}
			c := classOf(v)
			var r int
			if l := free[c]; len(l) > 0 {
				r, free[c] = l[len(l)-1], l[:len(l)-1]
			} else {
				r = used[c]
				used[c]++
				a.local[c] = max(a.local[c], used[c])
			}
			v.Reg = isa.V(r) // the pool's number, for now
			if a.of(v).end == v.Pos {
				free[c] = append(free[c], r) // made for its effect only
			}
		}
	}
}
