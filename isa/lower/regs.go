package lower

import (
	"slices"
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
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

func classOf(v *value) class {
	if !v.div {
		return classScalar
	}
	return class(v.typ.Bank())
}

// web is a set of values that share a register: a phi and those of its
// operands that never live at the same time.
type web struct {
	vals       []*value
	start, end int32
	reg        int
	listed     bool
}

type allocator struct {
	f     *fn
	info  []liveInfo // by value.live
	first []int32    // position of each block's start, by order
	copyP []int32    // position of the phi copies at a block's end
	// tangled says that there are cycles that are no loops, so that lives are found by walking.
	tangled bool
	steps   int // edges walked
	stamp   []int
	round   int
	preds   *predLists // by order
	work    []int32    // memory for walk
	outs    []int32    // of the values that have been walked, one after the other
	// global and local are the numbers of registers of each class.
	global, local [numClasses]int
	scratch       [numClasses]int // register for breaking copy cycles, -1 until needed
}

// maxLiveSteps bounds the edges that are walked for the lives of all values of a kernel where there are cycles that are
// no loops: some seconds of work.
const maxLiveSteps = 1 << 26

// liveInfo is what is known about a value's life.
type liveInfo struct {
	v       *value
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

func (a *allocator) of(v *value) *liveInfo { return &a.info[v.live] }

// webOf returns the web of a value, or nil.
func (a *allocator) webOf(v *value) *web { return a.info[v.live].web }

func (a *allocator) run() error {
	f := a.f
	n := len(f.blocks)
	a.first, a.copyP, a.stamp = make([]int32, n), make([]int32, n), make([]int, n)
	a.preds = newPredLists(f.blocks, func(b *block) int { return b.order })
	pos, results := int32(0), 1
	for i, b := range f.blocks {
		a.first[i] = pos
		for _, v := range b.phis {
			v.pos = pos
		}
		pos += 2
		for _, v := range b.insts {
			v.pos = pos
			pos += 2
		}
		results += len(b.phis) + len(b.insts)
		a.copyP[i] = pos
		pos += 4 // copies, then the terminator
		for _, s := range b.succs {
			a.tangled = a.tangled || s.order <= b.order && !s.dominates(b)
		}
	}
	// The first one belongs to the values without a result, which nobody asks about.
	a.info = make([]liveInfo, 1, results)
	for _, b := range f.blocks {
		for _, list := range [2][]*value{b.phis, b.insts} {
			for _, v := range list {
				v.live = 0
				if !noResult(v) {
					v.live = int32(len(a.info))
					a.info = append(a.info, liveInfo{v: v, end: v.pos, crosses: v.op == irPhi})
				}
			}
		}
	}
	a.findLastBlocks()
	a.visitUses(func(v *value, b *block, at int32) {
		li := a.of(v)
		li.end = max(li.end, at)
		if b == v.blk {
			return
		}
		li.crosses = true
		// What is used in a loop and made outside is there until the loop's end.
		if l := b.loop.outermost(func(x *loop) bool { return !x.contains(v.blk) }); l != nil {
			li.end = max(li.end, a.copyP[l.last]+2)
		}
	})
	if err := a.findUses(); err != nil {
		return err
	}
	a.coalesce()
	for i := range a.info[1:] {
		if li := &a.info[1+i]; li.crosses && li.web == nil {
			li.web = &web{vals: []*value{li.v}}
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
	for _, b := range a.f.blocks {
		if b.loop != nil {
			b.loop.last = b.order
		}
	}
	for _, l := range a.f.nest { // inner loops first
		if l.parent != nil {
			l.parent.last = max(l.parent.last, l.last)
		}
	}
}

// visitUses calls use for all uses of values in the order of blocks: where they are used, and at which position.
func (a *allocator) visitUses(use func(v *value, b *block, at int32)) {
	for _, b := range a.f.blocks {
		for _, v := range b.phis {
			for i, x := range v.args {
				if !x.leaf() {
					p := b.preds[i]
					use(x, p, a.copyP[p.order])
				}
			}
		}
		for _, v := range b.insts {
			for _, x := range v.args {
				if !x.leaf() {
					use(x, b, v.pos)
				}
			}
		}
		if b.cond != nil && !b.cond.leaf() {
			use(b.cond, b, a.copyP[b.order]+2)
		}
	}
}

// findUses notes the uses of the values whose lives have to be known block by block: those that may be joined with
// phis, and all that cross blocks where there are cycles that are no loops.
func (a *allocator) findUses() error {
	for _, b := range a.f.blocks {
		for _, phi := range b.phis {
			for _, x := range phi.args {
				if !x.leaf() && classOf(x) == classOf(phi) && classOf(phi) != classScalar && x != phi {
					a.of(phi).joined, a.of(x).joined = true, true
				}
			}
		}
	}
	a.visitUses(func(v *value, b *block, at int32) {
		li := a.of(v)
		if !li.joined && !(a.tangled && li.crosses) {
			return
		}
		o := int32(b.order)
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
		if li := &a.info[i]; li.crosses && !a.walk(li, maxLiveSteps) {
			return errTooLarge
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
	made, from := int32(li.v.blk.order), len(a.outs)
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
		preds := a.preds.of(b)
		if a.steps += len(preds); a.steps > limit {
			a.outs, a.work = a.outs[:from], work
			return false
		}
		for _, p := range preds {
			enter(p)
			if a.stamp[p] != out {
				a.stamp[p] = out
				a.outs = push(a.outs, p)
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
func (a *allocator) liveAt(x, y *value) bool {
	li := a.of(x)
	if x.blk == y.blk {
		if x.pos > y.pos {
			return false
		}
		if x.pos == y.pos && x != y {
			return true // two phis of one block
		}
	}
	limit := maxLiveSteps
	if !a.tangled {
		limit = 1<<22 + 64*(len(a.f.blocks)+len(a.info))
	}
	if a.steps > limit || !a.walk(li, limit) {
		return true
	}
	a.steps += len(li.uses)
	o := int32(y.blk.order)
	if _, ok := slices.BinarySearch(a.outs[li.out[0]:li.out[1]], o); ok {
		return true
	}
	for _, u := range li.uses {
		if u.order == o && u.pos > y.pos {
			return true
		}
	}
	return false
}

// interfere says whether two values of one class cannot share a register. For
// vector registers what a lane needs on its own path decides. A scalar is also
// needed by lanes that wait further down while others run, so there it is the
// stretches of the block order that must not overlap.
func (a *allocator) interfere(x, y *value) bool {
	if classOf(x) != classScalar {
		return a.liveAt(x, y) || a.liveAt(y, x)
	}
	if x.pos > y.pos {
		x, y = y, x
	}
	return x.pos == y.pos || a.of(x).end > y.pos
}

// coalesce joins phis with their operands where that saves the copy.
func (a *allocator) coalesce() {
	const most = 8 // members of a web
	for _, b := range a.f.blocks {
		for _, phi := range b.phis {
			for _, x := range phi.args {
				if x.leaf() || classOf(x) != classOf(phi) || x == phi {
					continue
				}
				wp, wx := a.webOf(phi), a.webOf(x)
				if wp == nil {
					wp = &web{vals: []*value{phi}}
				}
				if wx == nil {
					wx = &web{vals: []*value{x}}
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
		start, end := v.pos, li.end
		if v.op == irPhi {
			for _, p := range v.blk.preds {
				start = min(start, a.copyP[p.order])
				end = max(end, a.copyP[p.order])
			}
			end = max(end, a.first[v.blk.order])
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
		active := heapOf[*web]{less: func(x, y *web) bool { return x.end < y.end }}
		free := heapOf[int]{less: func(x, y int) bool { return x < y }}
		for _, w := range ws {
			for len(active.list) > 0 && active.list[0].end <= w.start {
				free.push(active.pop().reg)
			}
			if len(free.list) > 0 {
				w.reg = free.pop()
			} else {
				w.reg = a.global[c]
				a.global[c]++
			}
			active.push(w)
		}
	}
}

// assignLocal gives registers to the values that live in one block only.
func (a *allocator) assignLocal() {
	var free [numClasses][]int
	for _, b := range a.f.blocks {
		var used [numClasses]int
		for c := range free {
			free[c] = free[c][:0]
		}
		release := func(x *value, at int32) {
			if x.leaf() || a.webOf(x) != nil || a.of(x).end != at || x.seen {
				return
			}
			x.seen = true // once, though an instruction may name it twice
			c := classOf(x)
			free[c] = append(free[c], x.reg.Index())
		}
		for _, v := range b.insts {
			v.seen = false
		}
		for _, v := range b.insts {
			for _, x := range v.args {
				release(x, v.pos)
			}
			if noResult(v) || a.webOf(v) != nil {
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
			v.reg = isa.V(r) // the pool's number, for now
			if a.of(v).end == v.pos {
				free[c] = append(free[c], r) // made for its effect only
			}
		}
	}
}
