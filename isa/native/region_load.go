package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Loads of a region. Nothing in it stores, so that their order makes no difference; where one is not allowed,
// all is undone, and the ordinary code comes to it in its turn. See region_undo.go.

// regKnown is what the groups that are done together know of their indices: the bits of [seenNext] and
// [seenSame] for each pattern and group.
const regKnown = amd64.R15

// knownBits is how many there are.
const knownBits = 32

// loads says whether an instruction is a load that a region does.
func loads(in *isa.Inst) bool {
	switch {
	case in.Op != isa.OpLoad || !plan.Indexed(in) && !plan.Row(in):
		return false
	}
	return true
}

// findSlots finds the slots of the region, and which of them are the same in all trips.
func (r *region) findSlots() {
	seen := map[int]bool{}
	note := func(p *wave.Place) {
		if seen[p.Slot] {
			return
		}
		seen[p.Slot] = true
		if r.changes(p.Pointer) {
			r.turning = append(r.turning, p)
		} else {
			r.standing = append(r.standing, p)
		}
	}
	for _, b := range r.chain {
		for i := range r.kernel.plan.Blocks[b].Parts {
			p := &r.kernel.plan.Blocks[b].Parts[i]
			if p.Place != nil {
				note(p.Place)
			}
			if p.Run == nil {
				continue
			}
			for j := range p.Run.Places {
				note(&p.Run.Places[j])
			}
		}
	}
	r.loads = len(seen) > 0
}

// changes says whether a trip writes a scalar.
func (r *region) changes(x isa.Reg) bool {
	for _, w := range r.writes {
		if w == x {
			return true
		}
	}
	return false
}

// walks says whether all that a trip does to a pointer is to move it, so that the first one finds it where it
// is ahead of the loop.
func (r *region) walks(x isa.Reg) bool {
	found := false
	for _, b := range r.chain {
		for i := range r.kernel.plan.Blocks[b].Parts {
			in := r.kernel.plan.Blocks[b].Parts[i].Scalar
			if in == nil || in.Dst != x {
				continue
			}
			if in.Op != isa.OpPtrAdd || in.A != x {
				return false
			}
			found = true
		}
	}
	return found
}

// openSlots has the slots that are the same in all trips, or begin so, filled in; where that cannot be,
// control goes to l.
func (r *region) openSlots(l amd64.Label) {
	k := r.kernel
	entry := k.plan.Blocks[r.chain[0]].Entry
	list := slices.Clone(r.standing)
	for _, p := range r.turning {
		if r.walks(p.Pointer) {
			list = append(list, p)
		}
	}
	for _, p := range list {
		fill := k.NewLabel()
		k.slotElse(p, fill, l)
		k.Later(func() {
			k.Bind(fill)
			k.G(amd64.MOV, amd64.B64, field(wave.FrameLoopSlot), amd64.Imm(p.Slot))
			k.Jmp(k.exit(entry, wave.ExitLoop))
		})
	}
}

// prepare emits what a part's loads have in common for all groups: with turning, of those whose address
// differs from trip to trip, and otherwise of the others.
func (r *region) prepare(part *plan.Part, turning bool) {
	was, at := r.run, r.at
	run := *part.Run
	run.Code, run.Slots, run.Disp, run.Bias = nil, nil, nil, nil
	for i := range part.Run.Code {
		in := &part.Run.Code[i]
		if in.Op != isa.OpLoad || in.Idx != isa.IdxNone && in.B.IsVector() || turning != r.turns(in, part.Run.Slots[i]) {
			continue
		}
		run.Code, run.Slots = append(run.Code, *in), append(run.Slots, part.Run.Slots[i])
		run.Disp, run.Bias = append(run.Disp, part.Run.Disp[i]), append(run.Bias, part.Run.Bias[i])
	}
	r.run = &run
	if turning {
		for i := range part.Run.Places {
			if p := &part.Run.Places[i]; r.changes(p.Pointer) {
				r.kernel.slotElse(p, r.refuse, r.refuse)
			}
		}
	}
	done := map[int]bool{}
	for i := range run.Code {
		if in, slot := &run.Code[i], run.Slots[i]; plan.Row(in) && !done[slot] {
			done[slot] = true
			r.at = i
			r.rows[slot] = r.prepareRow(in, r.placeOf(slot))
		}
	}
	r.prepareUniform()
	r.run, r.at = was, at
}

// turns says whether the address of a load at a scalar index has to be worked out in each trip: it changes,
// or so has the same slot another.
func (r *region) turns(in *isa.Inst, slot int) bool {
	if r.changes(in.A) || in.Idx != isa.IdxNone && r.changes(in.B) {
		return true
	}
	for i := range r.run.Code {
		if o := &r.run.Code[i]; o.Op == isa.OpLoad && r.run.Slots[i] == slot && (o.Idx != in.Idx || o.B != in.B || o.A != in.A) {
			return true
		}
	}
	return false
}

// load emits a load for the present group. It says whether the instruction is one.
func (r *region) load(in *isa.Inst) bool {
	switch {
	case in.Op != isa.OpLoad:
		return false
	case r.follows(r.at):
	case plan.Row(in):
		r.row(in)
	case in.Idx == isa.IdxNone || !in.B.IsVector():
		r.loadUniform(in)
	default:
		r.element(in)
	}
	return true
}

// row loads the group's part of a row.
func (r *region) row(in *isa.Inst) {
	k, t, d := r.kernel, in.Type, r.vec()
	w := r.width(t)
	p, shift := r.rows[r.run.Slots[r.at]], 0
	k.G(amd64.MOV, amd64.B64, regAddress, field(wave.LoopPrivate))
	if p.known {
		p.at, shift = p.at&^3, int(p.at&3)*8
	} else {
		k.G(amd64.ADD, amd64.B64, regAddress, r.slot(wave.SlotPointer))
	}
	from := amd64.Mem{Base: regAddress, Disp: p.at + int32(4*r.lanes*r.across.group)}
	switch {
	case t.Bank() == isa.Bank64:
		high := r.vec()
		r.V(amd64.VPMOVZXDQ, w, d, from)
		r.V(amd64.VPMOVZXDQ, w, high, from.Plus(rowBytes))
		r.V(amd64.VPSLLQ, w, high, high, amd64.Imm(32))
		r.V(amd64.VPORQ, w, d, d, high)
	default:
		r.V(amd64.VMOVDQU32, w, d, from)
		if shift > 0 {
			r.V(amd64.VPSRLD, w, d, d, amd64.Imm(shift))
		}
	}
	if narrow(t) && shift+t.Bits() < 32 {
		r.V(amd64.VPANDD, w, d, d, r.splat(isa.I32, elementMask(t), 0))
	}
	r.result(in, t, d)
}

// scalarLoad loads a scalar, whose slot's address and limit are those of this trip.
func (r *region) scalarLoad(p *plan.Part) {
	k, in := r.kernel, p.Scalar
	if r.changes(p.Place.Pointer) {
		k.slotElse(p.Place, r.refuse, r.refuse)
	}
	k.index(in, r.refuse)
	k.G(amd64.CMP, amd64.B64, scalarB, slotField(p.Place.Slot, wave.SlotLimit))
	k.Jcc(amd64.Above, r.refuse)
	k.G(amd64.MOV, amd64.B64, scalarA, slotField(p.Place.Slot, wave.SlotAddress))
	k.loadFrom(in, amd64.Mem{Base: scalarB, Index: scalarA})
}

// element loads what each lane's index selects.
func (r *region) element(in *isa.Inst) {
	k := r.kernel
	g := &gathering{in: in, t: in.Type, it: in.Idx.Type(), x: r.compiler.load(in.B, in.Idx.Type(), true), d: r.vec(), bias: r.run.Bias[r.at],
		disp: r.run.Disp[r.at], done: k.NewLabel(), address: r.slot(wave.SlotAddress), limit: r.slot(wave.SlotLimit)}
	g.temp = r.vec()
	if g.stride = r.stride(in); g.stride > 1 {
		g.more = r.vec()
	}
	r.prepareAdjacent(g)
	r.masked()
	each, p := k.NewLabel(), r.index[r.at]
	// Another load of the slot by this index, of the same lanes or more, has looked at the limit on each way.
	at := inside{r.run.Slots[r.at], p.place, p.times}
	at.index.group = r.across.group
	g.within, r.within[at] = r.within[at], true
	next := g.stride > 0
	bit, known := r.bit(p)
	if !known && p.shape != shapeUniform {
		r.each(g)
		r.results(g)
		return
	}
	if p.shape == shapeAny && !r.looked[bit] {
		r.looked[bit] = true
		k.G(amd64.AND, amd64.B32, regKnown, amd64.Imm(^int32((seenNext|seenSame)<<bit)))
		r.lookAt(g.it, g.x, g.temp, bit)
	}
	if next && p.shape != shapeUniform {
		other, broadcast := k.NewLabel(), k.NewLabel()
		k.G(amd64.TEST, amd64.B32, regKnown, amd64.Imm(int32(seenNext<<bit)))
		k.Jcc(amd64.Equal, other)
		r.first(g)
		r.nextInside(g, each)
		r.loadNext(g, r.pointTo(g))
		k.Later(func() {
			k.Bind(other)
			k.G(amd64.TEST, amd64.B32, regKnown, amd64.Imm(int32(seenSame<<bit)))
			k.Jcc(amd64.Equal, each)
			k.Bind(broadcast)
			r.first(g)
			k.G(amd64.CMP, amd64.B64, regTemp, g.limit)
			k.Jcc(amd64.Above, each)
			r.loadSame(g, r.pointTo(g))
			k.Jmp(g.done)
		})
	} else {
		if p.shape != shapeUniform {
			k.G(amd64.TEST, amd64.B32, regKnown, amd64.Imm(int32(seenSame<<bit)))
			k.Jcc(amd64.Equal, each)
		}
		r.first(g)
		k.G(amd64.CMP, amd64.B64, regTemp, g.limit)
		k.Jcc(amd64.Above, each)
		r.loadSame(g, r.pointTo(g))
	}
	k.Later(func() {
		k.Bind(each)
		r.each(g)
		k.Jmp(g.done)
	})
	k.Bind(g.done)
	r.results(g)
}

// first puts the first lane's index, less the bias, into regTemp.
func (r *region) first(g *gathering) {
	size := amd64.B32
	if g.it == isa.I64 {
		size = amd64.B64
	}
	r.V(opExtract.of(g.it), amd64.X, regTemp, g.x)
	if g.bias != 0 {
		r.G(amd64.SUB, size, regTemp, amd64.Imm(g.bias))
	}
}

// pointTo makes the address of the element that the index in regTemp selects.
func (r *region) pointTo(g *gathering) amd64.Reg {
	r.byScale(regTemp, g.in.Scale)
	r.G(amd64.ADD, amd64.B64, regTemp, g.address)
	return regTemp
}

// inside is a slot, and an index of a group: the number of times that the trip has written its register.
type inside struct {
	slot  int
	index place
	times int
}

// each loads by the indices of the lanes that run, and refuses if one of these is beyond the limit.
func (r *region) each(g *gathering) {
	x := g.x
	if g.bias != 0 {
		r.V(opSub.of(g.it), r.width(g.it), g.temp, x, r.splat(g.it, g.bias, uint64(g.bias)))
		x = g.temp
	}
	if !g.within {
		r.refuseBeyond(g.it, x, g.limit)
	}
	if g.rest != nil {
		r.loadAdjacent(g, x)
		return
	}
	if narrow(g.t) {
		// Words are gathered; where there is no room for them, at the end of the memory, blocks do some trips.
		r.roomAround(g, r.refuse)
	}
	x, by := r.scaled(g.in, x, g.temp)
	r.G(amd64.MOV, amd64.B64, regAddress, g.address)
	r.set.gather(r.compiler, g.t, g.it, g.d, amd64.VMem(regAddress, x, by, g.disp))
	if narrow(g.t) {
		r.V(amd64.VPANDD, r.width(g.t), g.d, g.d, r.splat(isa.I32, elementMask(g.t), 0))
	}
}

// bit returns where regKnown has a pattern, for the present group, if it does.
func (r *region) bit(p pattern) (int, bool) {
	if p.shape == shapeLoaded || p.shape == shapeUniform {
		return 0, false
	}
	if p.shape >= 0 {
		p.place, p.times = place{}, 0
	}
	p.place.group = 0
	n, ok := r.patterns[p]
	if !ok {
		n = len(r.patterns)
		if 2*(n+1)*len(r.groups) > knownBits {
			return 0, false
		}
		r.patterns[p] = n
	}
	return 2 * (n*len(r.groups) + r.across.group - r.groups[0]), true
}

// lookAt notes how the indices in x are. It changes temp.
func (r *region) lookAt(it isa.Type, x, temp amd64.Vec, bit int) {
	k := r.kernel
	same, next := k.NewLabel(), k.NewLabel()
	r.V(opSpread.of(it), r.width(it), temp, x)
	r.set.equal(r.compiler, it, temp, x, same)
	k.G(amd64.OR, amd64.B32, regKnown, amd64.Imm(int32(seenSame<<bit)))
	k.Bind(same)
	if r.set.file(isa.BankMask) != fileMask {
		r.V(opSpread.of(it), r.width(it), temp, x) // equal has changed it
	}
	r.V(opAdd.of(it), r.width(it), temp, temp, r.iota(it))
	r.set.equal(r.compiler, it, temp, x, next)
	k.G(amd64.OR, amd64.B32, regKnown, amd64.Imm(int32(seenNext<<bit)))
	k.Bind(next)
}

// lookFirst looks at the values at the beginning of the first trip that indices come from.
func (r *region) lookFirst() {
	k := r.kernel
	if !r.loads {
		return
	}
	k.G(amd64.XOR, amd64.B32, regKnown, regKnown)
	done := map[shape]bool{}
	for i := range r.run.Code {
		p := r.index[i]
		if in := &r.run.Code[i]; in.Op != isa.OpLoad || !in.B.IsVector() || p.shape < 0 || done[p.shape] {
			continue
		}
		done[p.shape] = true
		for _, g := range r.groups {
			r.across.group = g
			bit, ok := r.bit(p)
			if !ok {
				break
			}
			root := r.roots[p.shape]
			root.group = g
			t, temp, out := typeOf(root.bank), r.vec(), k.NewLabel()
			x := amd64.Vec(r.homes[root])
			if _, ok := r.homes[root]; !ok {
				x = r.vec()
				r.V(fileLoads[root.bank], r.width(t), x, r.memory(r.value(isa.V(root.index), t)))
			}
			// A lane that does not run may not go on with the others.
			k.G(amd64.TEST, amd64.B8, r.execOf(g), amd64.Imm(1<<(g*r.lanes%8)))
			k.Jcc(amd64.IsZero, out)
			r.across.masked = -1
			r.masked()
			r.lookAt(t, x, temp, bit)
			k.Bind(out)
			r.across.masked = -1
		}
	}
}

// forgetLeft forgets patterns of groups whose first lane leaves; RDX has the lanes that stay, and all others
// of the chunk.
func (r *region) forgetLeft(groups []int) {
	k := r.kernel
	if len(r.patterns) == 0 {
		return
	}
	none := k.NewLabel()
	k.G(amd64.TEST, amd64.B32, regKnown, regKnown)
	k.Jcc(amd64.IsZero, none)
	for i, g := range groups {
		keep := ^int32(0)
		for p, n := range r.patterns {
			if p.shape >= 0 {
				keep &^= int32((seenNext | seenSame) << (2 * (n*len(groups) + i)))
			}
		}
		if keep == -1 {
			continue
		}
		stays := k.NewLabel()
		k.G(amd64.MOV, amd64.B64, regTemp, regAddress)
		if g > 0 {
			k.G(amd64.SHR, amd64.B64, regTemp, amd64.Imm(g*r.lanes))
		}
		k.G(amd64.TEST, amd64.B8, regTemp, amd64.Imm(1))
		k.Jcc(amd64.NotZero, stays)
		k.G(amd64.AND, amd64.B32, regKnown, amd64.Imm(keep))
		k.Bind(stays)
	}
	k.Bind(none)
}
