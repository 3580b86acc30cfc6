package lower

import (
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
	start, end int
	reg        int
}

type allocator struct {
	f     *fn
	info  map[*value]*liveInfo
	webOf map[*value]*web
	first []int // position of each block's start, by order
	steps int   // edges walked by liveness
	copyP []int // position of the phi copies at a block's end
	// global and local are the numbers of registers of each class.
	global, local [numClasses]int
	scratch       [numClasses]int // register for breaking copy cycles, -1 until needed
}

// maxLiveSteps bounds the edges that liveness walks for all values of a kernel:
// some seconds of work.
const maxLiveSteps = 1 << 26

// liveInfo is what is known about a value's life.
type liveInfo struct {
	liveOut []uint64 // bit a block, by order
	lastIn  map[int32]int
	end     int
	crosses bool
}

func (a *allocator) run() error {
	f := a.f
	n := len(f.blocks)
	a.first, a.copyP = make([]int, n), make([]int, n)
	pos := 0
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
		a.copyP[i] = pos
		pos += 4 // copies, then the terminator
	}
	a.info = map[*value]*liveInfo{}
	a.webOf = map[*value]*web{}
	var order []*value
	get := func(v *value) *liveInfo {
		li := a.info[v]
		if li == nil {
			li = &liveInfo{end: v.pos, lastIn: map[int32]int{}}
			a.info[v] = li
		}
		return li
	}
	use := func(v *value, b *block, at int) {
		if v.leaf() {
			return
		}
		li := get(v)
		li.end = max(li.end, at)
		o := int32(b.order)
		li.lastIn[o] = max(li.lastIn[o], at)
		if b != v.blk {
			li.crosses = true
		}
	}
	for _, b := range f.blocks {
		for _, v := range b.phis {
			get(v).crosses = true
			order = append(order, v)
			for i, x := range v.args {
				p := b.preds[i]
				use(x, p, a.copyP[p.order])
			}
		}
		for _, v := range b.insts {
			if !noResult(v) {
				get(v)
				order = append(order, v)
			}
			for _, x := range v.args {
				use(x, b, v.pos)
			}
		}
		if b.cond != nil {
			use(b.cond, b, a.copyP[b.order]+2)
		}
	}
	words := (n + 63) / 64
	total := 0
	for _, v := range order {
		if li := a.info[v]; li.crosses {
			if total += words; total > 1<<26 {
				return errTooLarge
			}
			a.liveness(v, li, words)
			if a.steps > maxLiveSteps {
				return errTooLarge
			}
		}
	}
	a.coalesce()
	for _, v := range order {
		if li := a.info[v]; li.crosses && a.webOf[v] == nil {
			a.webOf[v] = &web{vals: []*value{v}}
		}
	}
	a.intervals(order)
	a.assignGlobal(order)
	a.assignLocal()
	for c := range a.scratch {
		a.scratch[c] = -1
	}
	return nil
}

// liveness finds the blocks at whose end v is live.
func (a *allocator) liveness(v *value, li *liveInfo, words int) {
	li.liveOut = make([]uint64, words)
	liveIn := make([]uint64, words)
	var work []*block
	for o := range li.lastIn {
		b := a.f.blocks[o]
		if b == v.blk {
			continue
		}
		liveIn[o/64] |= 1 << (o % 64)
		work = append(work, b)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		a.steps += len(b.preds)
		for _, p := range b.preds {
			o := p.order
			li.liveOut[o/64] |= 1 << (o % 64)
			li.end = max(li.end, a.copyP[o]+2)
			if p == v.blk || liveIn[o/64]>>(o%64)&1 != 0 {
				continue
			}
			liveIn[o/64] |= 1 << (o % 64)
			work = append(work, p)
		}
	}
}

func (li *liveInfo) out(b *block) bool {
	return li.liveOut != nil && li.liveOut[b.order/64]>>(b.order%64)&1 != 0
}

// liveAt says whether x still is needed right after y has been made.
func (a *allocator) liveAt(x, y *value) bool {
	li := a.info[x]
	if x.blk == y.blk {
		if x.pos > y.pos {
			return false
		}
		if x.pos == y.pos && x != y {
			return true // two phis of one block
		}
	}
	if li.out(y.blk) {
		return true
	}
	return li.lastIn[int32(y.blk.order)] > y.pos
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
	return x.pos == y.pos || a.info[x].end > y.pos
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
				wp, wx := a.webOf[phi], a.webOf[x]
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
					a.webOf[v] = wp
					a.info[v].crosses = true
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
func (a *allocator) intervals(order []*value) {
	for _, v := range order {
		w := a.webOf[v]
		if w == nil {
			continue
		}
		start, end := v.pos, a.info[v].end
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
func (a *allocator) assignGlobal(order []*value) {
	var webs [numClasses][]*web
	seen := map[*web]bool{}
	for _, v := range order {
		if w := a.webOf[v]; w != nil && !seen[w] {
			seen[w] = true
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
		release := func(x *value, at int) {
			if x.leaf() || a.webOf[x] != nil || a.info[x].end != at || x.seen {
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
			if noResult(v) || a.webOf[v] != nil {
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
			if a.info[v].end == v.pos {
				free[c] = append(free[c], r) // made for its effect only
			}
		}
	}
}
