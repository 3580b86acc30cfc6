package vm

import "github.com/lockstep-gpu/lockstep/isa/native/amd64"

// leave ends a block: the blocks behind it begin as it ends, or it moves values to where they have to be.
func (a *allocator) leave(b int32) {
	x := &a.g.blocks[b]
	last := a.g.order[x.end-1]
	if to := x.taken; to >= 0 {
		if !a.known[to] {
			a.decide(to)
		} else if moves := a.agree(to); len(moves) > 0 {
			a.onJump(last, x, moves)
		}
	}
	if to := x.next; to >= 0 {
		if !a.known[to] {
			a.decide(to)
			return
		}
		for _, m := range a.agree(to) {
			a.insertAfter(last, m)
		}
	}
}

// onJump puts moves where control takes the jump at the end of a block.
func (a *allocator) onJump(last int32, x *block, moves []insertion) {
	i := &a.insts[last]
	switch {
	case i.kind == kindWatch:
		panic("vm: values move where control leaves the function")
	case x.next >= 0 && (a.known[x.next] || a.disturbs(x, moves)):
		l := a.NewLabel()
		a.bridges = append(a.bridges, bridge{l, i.label, moves})
		i.label = l
		return
	}
	for _, m := range moves {
		a.insertBefore(last, m)
	}
	for k, v := range a.g.liveAt(x.taken) {
		reg, stored := a.where(v)
		want := a.begins[a.g.blocks[x.taken].live.from+int32(k)]
		if reg >= 0 && want.stored {
			stored = true
		}
		a.stamp[v], a.reg[v], a.stored[v] = a.now, want.reg, stored
	}
}

// disturbs says whether moves, in front of a conditional jump, would overwrite something that the block
// behind it needs and the one that it leads to does not.
func (a *allocator) disturbs(x *block, moves []insertion) bool {
	needed := map[int32]bool{}
	for _, v := range a.g.liveAt(x.taken) {
		needed[v] = true
	}
	var busy [files]uint32
	for _, v := range a.g.liveAt(x.next) {
		if reg, _ := a.where(v); reg >= 0 && !needed[v] {
			busy[a.virtuals[v].file] |= 1 << reg
		}
	}
	for _, m := range moves {
		if m.what != moveStore && busy[a.virtuals[m.v].file]>>m.to&1 != 0 {
			return true
		}
	}
	return false
}

// agree returns the moves that bring values from where they are to where a block has them at its beginning.
func (a *allocator) agree(to int32) (list []insertion) {
	var loads []insertion
	var copies [files][]insertion
	for k, v := range a.g.liveAt(to) {
		want := a.begins[a.g.blocks[to].live.from+int32(k)]
		reg, stored := a.where(v)
		if want.stored && !stored && reg >= 0 {
			list = append(list, insertion{what: moveStore, v: v, from: reg, slot: a.slotOf(v)})
		}
		switch {
		case want.reg < 0 || want.reg == reg:
		case reg >= 0:
			file := a.virtuals[v].file
			copies[file] = append(copies[file], insertion{what: moveCopy, v: v, to: want.reg, from: reg})
		default:
			if i, ok := a.reload(v, want.reg, stored); ok {
				loads = append(loads, i)
			}
		}
	}
	for _, c := range copies {
		list, loads = a.parallel(list, loads, c)
	}
	return append(list, loads...)
}

// parallel puts copies that take place at once in an order in which none overwrites what another one reads.
// Where they go round in a circle, one of them takes the way through memory.
func (a *allocator) parallel(list, loads, copies []insertion) (before, behind []insertion) {
	for len(copies) > 0 {
		var read uint32
		for _, c := range copies {
			read |= 1 << c.from
		}
		rest := copies[:0]
		for _, c := range copies {
			if read>>c.to&1 != 0 {
				rest = append(rest, c)
				continue
			}
			list = append(list, c)
		}
		if len(rest) == len(copies) {
			c := rest[0]
			rest = rest[1:]
			slot := int32(len(a.slots))
			a.slots = append(a.slots, a.place)
			list = append(list, insertion{what: moveStore, v: c.v, from: c.from, slot: slot})
			loads = append(loads, insertion{what: moveLoad, v: c.v, to: c.to, slot: slot})
		}
		copies = rest
	}
	return list, loads
}

// Emitter takes instructions: an [amd64.Assembler], or what runs them in another way.
type Emitter interface {
	V(op amd64.Op, w amd64.Width, operands ...amd64.Operand)
	G(op amd64.Gen, s amd64.Size, operands ...amd64.Operand)
	CMov(c amd64.Cond, s amd64.Size, r amd64.Reg, from amd64.Operand)
	Set(c amd64.Cond, to amd64.Operand)
	Jmp(l amd64.Label)
	Jcc(c amd64.Cond, l amd64.Label)
	Bind(l amd64.Label)
	Align(n int)
	Note(text string)
	Section(title string)
}

// emit passes the instructions on.
func (a *allocator) emit(to Emitter) {
	var list []int32
	moves := func(last int32) {
		for list = list[:0]; last >= 0; last = a.inserted[last].next {
			list = append(list, last)
		}
		for k := len(list) - 1; k >= 0; k-- {
			a.move(to, &a.inserted[list[k]])
		}
	}
	for n := range a.insts {
		moves(a.before[n])
		if i := &a.insts[n]; !i.gone {
			a.instruct(to, i)
		}
		moves(a.after[n])
	}
	for i := range a.bridges {
		b := &a.bridges[i]
		to.Bind(b.label)
		for k := range b.moves {
			a.move(to, &b.moves[k])
		}
		to.Jmp(b.to)
	}
}

// instruct passes an instruction on.
func (f *Func) instruct(to Emitter, i *inst) {
	switch i.kind {
	case kindVector:
		to.V(amd64.Op(i.code), amd64.Width(i.size), f.at(i)...)
	case kindGeneral:
		to.G(amd64.Gen(i.code), amd64.Size(i.size), f.at(i)...)
	case kindJmp:
		to.Jmp(i.label)
	case kindJcc:
		to.Jcc(amd64.Cond(i.code), i.label)
	case kindCMov:
		o := f.at(i)
		to.CMov(amd64.Cond(i.code), amd64.Size(i.size), o[0].(amd64.Reg), o[1])
	case kindSet:
		to.Set(amd64.Cond(i.code), f.at(i)[0])
	case kindBind:
		to.Bind(i.label)
	case kindAlign:
		to.Align(int(i.code))
	case kindNote:
		to.Note(f.texts[i.code])
	case kindSection:
		to.Section(f.texts[i.code])
	case kindWatch:
		f.watchers[i.code](f.at(i))
	case kindBase:
		if len(f.slots) > 0 {
			to.G(amd64.MOV, amd64.B64, f.target.Base, f.target.Load)
		}
	}
}

// move emits an instruction of the allocator's.
func (a *allocator) move(out Emitter, m *insertion) {
	slot := amd64.Mem{Base: a.target.Base, Disp: SlotBytes * m.slot}
	w := a.target.Width
	to, from := amd64.Operand(amd64.Vec(m.to)), amd64.Operand(amd64.Vec(m.from))
	op := amd64.VMOVDQU64
	if a.virtuals[m.v].file == Masks {
		to, from, op, w = amd64.Mask(m.to), amd64.Mask(m.from), amd64.KMOVQ, amd64.X
	}
	switch m.what {
	case moveCopy:
		if op == amd64.VMOVDQU64 {
			op = amd64.VMOVDQA64
		}
		out.V(op, w, to, from)
	case moveStore:
		out.V(op, w, slot, from)
	case moveLoad:
		out.V(op, w, to, slot)
	case moveAgain:
		i := &a.insts[a.virtuals[m.v].define]
		out.V(amd64.Op(i.code), amd64.Width(i.size), to, a.at(i)[1])
	}
}
