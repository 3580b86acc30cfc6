package vm

import (
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// flow is the control flow graph of a function, and what is live where.
type flow struct {
	order  []int32 // instructions in linear order
	blocks []block
	refs   []ref   // of all instructions, in linear order
	first  []int32 // by place in order: the first of its refs; one more at the end
	live   []int32 // virtual registers that are live at the beginning of blocks: see block.live

	preds []int32 // blocks, those of one next to the other

	// By virtual register: where in linear order it is read; from[v] to from[v+1]-1 in uses.
	uses, from []int32
	last       []int32 // the last place in linear order at which it is live

	blockOf                  []int32 // by instruction: the block that it is in
	labels                   []int32 // by label: the block that it is in, plus 1
	copies                   []int32 // by register: one that it is copied to when it dies, or -1
	madeIn, stamps, counts   []int32 // for whoever needs them
	defs, exposed, livePairs []pair
	sorted                   [2]grouped
}

// block is a basic block: from and end are places in linear order.
type block struct {
	from, end int32
	next      int32 // the block that control falls through to, or -1
	taken     int32 // the one that it jumps to, or -1
	live      span  // in flow.live
	preds     span
}

// span is a part of a slice.
type span struct{ from, end int32 }

// ref is a virtual register in an instruction.
type ref struct {
	v       int32
	operand uint8
	access  amd64.Access
	dies    bool // what it holds is not read any more: where it is read, then; where it is written only, ever
}

// linear returns the instructions in linear order: chunks stand where they were asked for.
func (f *Func) linear() []int32 {
	children := make([][]int32, len(f.chunks))
	for i, c := range f.chunks {
		if c.parent >= 0 {
			children[c.parent] = append(children[c.parent], int32(i))
		}
	}
	order := f.flow.order[:0]
	var visit func(n int)
	visit = func(n int) {
		c := f.chunks[n]
		at := c.from
		for _, child := range children[n] {
			for ; at < f.chunks[child].at; at++ {
				order = append(order, int32(at))
			}
			visit(int(child))
		}
		for ; at < c.end; at++ {
			order = append(order, int32(at))
		}
	}
	for i, c := range f.chunks {
		if c.parent < 0 {
			visit(i)
		}
	}
	return order
}

// ends says whether control does not go on behind an instruction.
func (i *inst) ends() bool {
	switch i.kind {
	case kindJmp, kindWatch:
		return true
	case kindGeneral:
		op := amd64.Gen(i.code)
		return op == amd64.RET || op == amd64.JMPR
	}
	return false
}

// analyse finds the blocks and what is live.
func (f *Func) analyse() *flow {
	g := &f.memory.flow
	g.order, g.blocks, g.refs = f.linear(), g.blocks[:0], g.refs[:0]
	g.cut(f)
	g.connect(f)
	g.refer(f)
	g.liveness(f)
	g.deaths(f)
	return g
}

// cut cuts the instructions into blocks.
func (g *flow) cut(f *Func) {
	g.blockOf = zeros(g.blockOf, len(f.insts)+1)
	g.labels = g.labels[:0]
	begin, before, wasBind := true, int32(-1), false
	for p, n := range g.order {
		i := &f.insts[n]
		if begin || before != n-1 || i.kind == kindBind && !wasBind {
			if len(g.blocks) > 0 {
				g.blocks[len(g.blocks)-1].end = int32(p)
			}
			g.blocks = append(g.blocks, block{from: int32(p), next: -1, taken: -1})
		}
		b := int32(len(g.blocks))
		g.blockOf[n] = b - 1
		if wasBind = i.kind == kindBind; wasBind {
			for len(g.labels) <= int(i.label) {
				g.labels = append(g.labels, 0)
			}
			g.labels[i.label] = b
		}
		begin, before = i.ends() || i.kind == kindJcc, n
	}
	if len(g.blocks) > 0 {
		g.blocks[len(g.blocks)-1].end = int32(len(g.order))
	}
}

// connect finds where control goes from each block.
func (g *flow) connect(f *Func) {
	g.stamps = zeros(g.stamps, len(f.insts)+1)
	chunkEnd := g.stamps
	for _, c := range f.chunks {
		chunkEnd[c.end] = 1
	}
	g.counts = zeros(g.counts, len(g.blocks)+1)
	count := g.counts
	each := func(visit func(from, to int32)) {
		for n := range g.blocks {
			b := &g.blocks[n]
			if b.next >= 0 {
				visit(int32(n), b.next)
			}
			if b.taken >= 0 && b.taken != b.next {
				visit(int32(n), b.taken)
			}
		}
	}
	for n := range g.blocks {
		b := &g.blocks[n]
		at := g.order[b.end-1]
		i := &f.insts[at]
		if i.kind == kindJmp || i.kind == kindJcc || i.kind == kindWatch {
			if int(i.label) < len(g.labels) {
				b.taken = g.labels[i.label] - 1
			}
		}
		if !i.ends() && chunkEnd[at+1] == 0 {
			b.next = g.blockOf[at+1]
		}
	}
	each(func(_, to int32) { count[to]++ })
	at := int32(0)
	for n := range g.blocks {
		g.blocks[n].preds = span{at, at}
		at += count[n]
	}
	g.preds = zeros(g.preds, int(at))
	each(func(from, to int32) {
		s := &g.blocks[to].preds
		g.preds[s.end] = from
		s.end++
	})
}

// refer lists the virtual registers of all instructions.
func (g *flow) refer(f *Func) {
	g.first = zeros(g.first, len(g.order)+1)
	g.from = zeros(g.from, len(f.virtuals)+1)
	for p, n := range g.order {
		g.first[p] = int32(len(g.refs))
		i := &f.insts[n]
		if i.kind != kindVector && i.kind != kindWatch {
			continue
		}
		operands := f.at(i)
		if !f.anyVirtual(operands) {
			continue
		}
		var list [amd64.MaxOperands]amd64.Access
		if i.kind == kindWatch {
			for k := range operands {
				list[k] = amd64.Read
			}
			list[0] |= amd64.Written
		} else {
			list = amd64.Accesses(amd64.Op(i.code), operands)
		}
		for k, o := range operands {
			v := virtualOf(o)
			if v < 0 {
				continue
			}
			x := &f.virtuals[v]
			g.refs = append(g.refs, ref{v: v, operand: uint8(k), access: list[k]})
			if list[k]&amd64.Read != 0 {
				g.from[v+1]++
				if x.reading = max(x.reading, amd64.Width(i.size)); i.kind == kindWatch {
					x.reading = f.target.Width
				}
			}
			if list[k]&amd64.Written != 0 {
				if x.define == -1 {
					x.define = n
				} else {
					x.define = -2
				}
			}
		}
	}
	g.first[len(g.order)] = int32(len(g.refs))
	for v := range f.virtuals {
		g.from[v+1] += g.from[v]
	}
	g.uses = zeros(g.uses, int(g.from[len(f.virtuals)]))
	g.stamps = append(g.stamps[:0], g.from...)
	fill := g.stamps
	for p := range g.order {
		for r := g.first[p]; r < g.first[p+1]; r++ {
			if x := &g.refs[r]; x.access&amd64.Read != 0 {
				g.uses[fill[x.v]] = int32(p)
				fill[x.v]++
			}
		}
	}
}

// anyVirtual says whether one of the operands has a virtual register.
func (f *Func) anyVirtual(operands []amd64.Operand) bool {
	for _, o := range operands {
		if virtualOf(o) >= 0 {
			return true
		}
	}
	return false
}

// pair is a virtual register and a block.
type pair struct{ v, block int32 }

// grouped is blocks by register: those of v are from[v] to from[v+1]-1.
type grouped struct{ blocks, from, at []int32 }

// byRegister sorts pairs by register, those of one as they are.
func (x *grouped) byRegister(list []pair, n int) {
	x.from = zeros(x.from, n+1)
	from := x.from
	for _, x := range list {
		from[x.v+1]++
	}
	for v := range n {
		from[v+1] += from[v]
	}
	x.blocks, x.at = zeros(x.blocks, len(list)), append(x.at[:0], from...)
	for _, p := range list {
		x.blocks[x.at[p.v]] = p.block
		x.at[p.v]++
	}
}

// of returns the blocks of a register.
func (x *grouped) of(v int32) []int32 { return x.blocks[x.from[v]:x.from[v+1]] }

// liveness finds which registers are live at the beginnings of blocks. A register is made somewhere, and not
// live in front of that: it holds anything there.
func (g *flow) liveness(f *Func) {
	n := len(f.virtuals)
	made := g.made(f)
	g.stamps = zeros(g.stamps, 2*n)
	defined, read := g.stamps[:n], g.stamps[n:] // the last block that did so, plus 1
	defs, exposed, live := g.defs[:0], g.exposed[:0], g.livePairs[:0]
	for b := range g.blocks {
		now := int32(b) + 1
		for p := g.blocks[b].from; p < g.blocks[b].end; p++ {
			if g.first[p] == g.first[p+1] {
				continue
			}
			refs := g.refs[g.first[p]:g.first[p+1]]
			for i := range refs {
				if x := &refs[i]; x.access&amd64.Read != 0 && defined[x.v] != now && read[x.v] != now && made[x.v] != int32(b) {
					read[x.v] = now
					exposed = append(exposed, pair{x.v, int32(b)})
				}
			}
			for i := range refs {
				if x := &refs[i]; x.access&amd64.Written != 0 && defined[x.v] != now {
					defined[x.v] = now
					defs = append(defs, pair{x.v, int32(b)})
				}
			}
		}
	}
	definedIn, exposedIn := &g.sorted[0], &g.sorted[1]
	definedIn.byRegister(defs, n)
	exposedIn.byRegister(exposed, n)
	g.counts = zeros(g.counts, 3*len(g.blocks))
	in, kills, count := g.counts[:len(g.blocks)], g.counts[len(g.blocks):2*len(g.blocks)], g.counts[2*len(g.blocks):]
	// By block, in and kills have the last register, plus 1.
	var work []int32
	for v := range int32(n) {
		if len(exposedIn.of(v)) == 0 {
			continue
		}
		now := v + 1
		for _, b := range definedIn.of(v) {
			kills[b] = now
		}
		kills[made[v]] = now
		for _, b := range exposedIn.of(v) {
			in[b] = now
			live = append(live, pair{v, b})
			work = append(work, b)
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, p := range g.preds[g.blocks[b].preds.from:g.blocks[b].preds.end] {
				if kills[p] != now && in[p] != now {
					in[p] = now
					live = append(live, pair{v, p})
					work = append(work, p)
				}
			}
		}
	}
	g.defs, g.exposed, g.livePairs = defs, exposed, live
	for _, x := range live {
		count[x.block]++
	}
	at := int32(0)
	for b := range g.blocks {
		g.blocks[b].live = span{at, at}
		at += count[b]
	}
	g.live = zeros(g.live, int(at))
	for _, x := range live {
		s := &g.blocks[x.block].live
		g.live[s.end] = x.v
		s.end++
	}
}

// made returns the blocks in which registers are made.
func (g *flow) made(f *Func) []int32 {
	g.madeIn = zeros(g.madeIn, len(f.virtuals))
	made := g.madeIn
	for v := range f.virtuals {
		made[v] = g.blockOf[f.virtuals[v].made]
	}
	return made
}

// deaths notes where registers are read for the last time, and copied then.
func (g *flow) deaths(f *Func) {
	n := len(f.virtuals)
	g.stamps = zeros(g.stamps, n)
	live := g.stamps // the last block in which it was live, plus 1
	g.last, g.copies = zeros(g.last, n), zeros(g.copies, n)
	for v := range g.copies {
		g.copies[v] = -1
	}
	for b := range g.blocks {
		x := &g.blocks[b]
		now := int32(b) + 1
		for _, to := range [...]int32{x.next, x.taken} {
			if to < 0 {
				continue
			}
			for _, v := range g.liveAt(to) {
				live[v] = now
				g.last[v] = max(g.last[v], x.end)
			}
		}
		for p := x.end - 1; p >= x.from; p-- {
			if g.first[p] == g.first[p+1] {
				continue
			}
			refs := g.refs[g.first[p]:g.first[p+1]]
			for i := range refs {
				r := &refs[i]
				g.last[r.v] = max(g.last[r.v], p)
				if r.access == amd64.Written {
					r.dies = live[r.v] != now
					live[r.v] = 0
				}
			}
			for i := range refs {
				if r := &refs[i]; r.access&amd64.Read != 0 {
					r.dies = live[r.v] != now
					live[r.v] = now
				}
			}
			if i := &f.insts[g.order[p]]; len(refs) == 2 && refs[1].dies && amd64.Copies(amd64.Op(i.code), f.at(i)) {
				g.copies[refs[1].v] = refs[0].v
			}
		}
	}
}

// liveAt returns what is live at the beginning of a block.
func (g *flow) liveAt(b int32) []int32 { return g.live[g.blocks[b].live.from:g.blocks[b].live.end] }
