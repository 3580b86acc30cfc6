package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Loads of a region. Nothing in it stores, so that their order makes no difference; where one is not allowed,
// all is undone, and the ordinary code comes to it in its turn. See region_undo.go.

// regKnown is what the groups that are done together know of their indices: the bits of [SeenNext] and
// [SeenSame] for each pattern and group.
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
			k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameLoopSlot), amd64.Imm(p.Slot))
			k.Jmp(k.exit(entry, wave.ExitLoop))
		})
	}
}

// prepare emits what a part's loads have in common for all groups: with turning, of those whose address
// differs from trip to trip, and otherwise of the others.
func (r *region) prepare(part *plan.Part, turning bool) {
	was, at := r.Run, r.Index
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
	r.Run = &run
	if turning {
		for i := range part.Run.Places {
			if p := &part.Run.Places[i]; r.changes(p.Pointer) {
				r.kernel.slotElse(p, r.Refuse, r.Refuse)
			}
		}
	}
	done := map[int]bool{}
	for i := range run.Code {
		if in, slot := &run.Code[i], run.Slots[i]; plan.Row(in) && !done[slot] {
			done[slot] = true
			r.Index = i
			r.Rows[slot] = r.PrepareRow(in, r.PlaceOf(slot))
		}
	}
	r.PrepareUniform()
	r.Run, r.Index = was, at
}

// turns says whether the address of a load at a scalar index has to be worked out in each trip: it changes,
// or so has the same slot another.
func (r *region) turns(in *isa.Inst, slot int) bool {
	if r.changes(in.A) || in.Idx != isa.IdxNone && r.changes(in.B) {
		return true
	}
	for i := range r.Run.Code {
		if o := &r.Run.Code[i]; o.Op == isa.OpLoad && r.Run.Slots[i] == slot && (o.Idx != in.Idx || o.B != in.B || o.A != in.A) {
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
	case r.Follows(r.Index):
	case plan.Row(in):
		r.row(in)
	case in.Idx == isa.IdxNone || !in.B.IsVector():
		r.LoadUniform(in)
	default:
		r.element(in)
	}
	return true
}

// row loads the group's part of a row.
func (r *region) row(in *isa.Inst) {
	k, t, d := r.kernel, in.Type, r.Vec()
	w := r.Width(t)
	p, shift := r.Rows[r.Run.Slots[r.Index]], 0
	k.G(amd64.MOV, amd64.B64, x86.RegAddress, x86.Field(wave.LoopPrivate))
	if p.Known {
		p.At, shift = p.At&^3, int(p.At&3)*8
	} else {
		k.G(amd64.ADD, amd64.B64, x86.RegAddress, r.Slot(wave.SlotPointer))
	}
	from := amd64.Mem{Base: x86.RegAddress, Disp: p.At + int32(4*r.Lanes*r.Across.Group)}
	switch {
	case t.Bank() == isa.Bank64:
		high := r.Vec()
		r.V(amd64.VPMOVZXDQ, w, d, from)
		r.V(amd64.VPMOVZXDQ, w, high, from.Plus(x86.RowBytes))
		r.V(amd64.VPSLLQ, w, high, high, amd64.Imm(32))
		r.V(amd64.VPORQ, w, d, d, high)
	default:
		r.V(amd64.VMOVDQU32, w, d, from)
		if shift > 0 {
			r.V(amd64.VPSRLD, w, d, d, amd64.Imm(shift))
		}
	}
	if x86.Narrow(t) && shift+t.Bits() < 32 {
		r.V(amd64.VPANDD, w, d, d, r.Splat(isa.I32, x86.ElementMask(t), 0))
	}
	r.Result(in, t, d)
}

// scalarLoad loads a scalar, whose slot's address and limit are those of this trip.
func (r *region) scalarLoad(p *plan.Part) {
	k, in := r.kernel, p.Scalar
	if r.changes(p.Place.Pointer) {
		k.slotElse(p.Place, r.Refuse, r.Refuse)
	}
	k.index(in, r.Refuse)
	k.G(amd64.CMP, amd64.B64, scalarB, x86.SlotField(p.Place.Slot, wave.SlotLimit))
	k.Jcc(amd64.Above, r.Refuse)
	k.G(amd64.MOV, amd64.B64, scalarA, x86.SlotField(p.Place.Slot, wave.SlotAddress))
	k.loadFrom(in, amd64.Mem{Base: scalarB, Index: scalarA})
}

// element loads what each lane's index selects.
func (r *region) element(in *isa.Inst) {
	k := r.kernel
	g := &x86.Gathering{In: in, T: in.Type, IndexType: in.Idx.Type(), X: r.Compiler.Load(in.B, in.Idx.Type(), true), D: r.Vec(), Bias: r.Run.Bias[r.Index],
		Disp: r.Run.Disp[r.Index], Done: k.NewLabel(), Address: r.Slot(wave.SlotAddress), Limit: r.Slot(wave.SlotLimit)}
	g.Temp = r.Vec()
	if g.Stride = r.Stride(in); g.Stride > 1 {
		g.More = r.Vec()
	}
	r.PrepareAdjacent(g)
	r.Masked()
	each, p := k.NewLabel(), r.index[r.Index]
	// Another load of the slot by this index, of the same lanes or more, has looked at the limit on each way.
	at := inside{r.Run.Slots[r.Index], p.place, p.times}
	at.index.Group = r.Across.Group
	g.Within, r.within[at] = r.within[at], true
	next := g.Stride > 0
	bit, known := r.bit(p)
	if !known && p.shape != shapeUniform {
		r.each(g)
		r.Results(g)
		return
	}
	if p.shape == shapeAny && !r.looked[bit] {
		r.looked[bit] = true
		k.G(amd64.AND, amd64.B32, regKnown, amd64.Imm(^int32((x86.SeenNext|x86.SeenSame)<<bit)))
		r.lookAt(g.IndexType, g.X, g.Temp, bit)
	}
	if next && p.shape != shapeUniform {
		other, broadcast := k.NewLabel(), k.NewLabel()
		k.G(amd64.TEST, amd64.B32, regKnown, amd64.Imm(int32(x86.SeenNext<<bit)))
		k.Jcc(amd64.Equal, other)
		r.first(g)
		r.NextInside(g, each)
		r.LoadNext(g, r.pointTo(g))
		k.Later(func() {
			k.Bind(other)
			k.G(amd64.TEST, amd64.B32, regKnown, amd64.Imm(int32(x86.SeenSame<<bit)))
			k.Jcc(amd64.Equal, each)
			k.Bind(broadcast)
			r.first(g)
			k.G(amd64.CMP, amd64.B64, x86.RegTemp, g.Limit)
			k.Jcc(amd64.Above, each)
			r.LoadSame(g, r.pointTo(g))
			k.Jmp(g.Done)
		})
	} else {
		if p.shape != shapeUniform {
			k.G(amd64.TEST, amd64.B32, regKnown, amd64.Imm(int32(x86.SeenSame<<bit)))
			k.Jcc(amd64.Equal, each)
		}
		r.first(g)
		k.G(amd64.CMP, amd64.B64, x86.RegTemp, g.Limit)
		k.Jcc(amd64.Above, each)
		r.LoadSame(g, r.pointTo(g))
	}
	k.Later(func() {
		k.Bind(each)
		r.each(g)
		k.Jmp(g.Done)
	})
	k.Bind(g.Done)
	r.Results(g)
}

// first puts the first lane's index, less the bias, into RegTemp.
func (r *region) first(g *x86.Gathering) {
	size := amd64.B32
	if g.IndexType == isa.I64 {
		size = amd64.B64
	}
	r.V(x86.OpExtract.Of(g.IndexType), amd64.X, x86.RegTemp, g.X)
	if g.Bias != 0 {
		r.G(amd64.SUB, size, x86.RegTemp, amd64.Imm(g.Bias))
	}
}

// pointTo makes the address of the element that the index in RegTemp selects.
func (r *region) pointTo(g *x86.Gathering) amd64.Reg {
	r.ByScale(x86.RegTemp, g.In.Scale)
	r.G(amd64.ADD, amd64.B64, x86.RegTemp, g.Address)
	return x86.RegTemp
}

// inside is a slot, and an index of a group: the number of times that the trip has written its register.
type inside struct {
	slot  int
	index x86.Place
	times int
}

// each loads by the indices of the lanes that run, and refuses if one of these is beyond the limit.
func (r *region) each(g *x86.Gathering) {
	x := g.X
	if g.Bias != 0 {
		r.V(x86.OpSub.Of(g.IndexType), r.Width(g.IndexType), g.Temp, x, r.Splat(g.IndexType, g.Bias, uint64(g.Bias)))
		x = g.Temp
	}
	if !g.Within {
		r.RefuseBeyond(g.IndexType, x, g.Limit)
	}
	if g.Rest != nil {
		r.LoadAdjacent(g, x)
		return
	}
	if x86.Narrow(g.T) {
		// Words are gathered; where there is no room for them, at the end of the memory, blocks do some trips.
		r.RoomAround(g, r.Refuse)
	}
	x, by := r.Scaled(g.In, x, g.Temp)
	r.G(amd64.MOV, amd64.B64, x86.RegAddress, g.Address)
	r.ISA.Gather(r.Compiler, g.T, g.IndexType, g.D, amd64.VMem(x86.RegAddress, x, by, g.Disp))
	if x86.Narrow(g.T) {
		r.V(amd64.VPANDD, r.Width(g.T), g.D, g.D, r.Splat(isa.I32, x86.ElementMask(g.T), 0))
	}
}

// bit returns where regKnown has a pattern, for the present group, if it does.
func (r *region) bit(p pattern) (int, bool) {
	if p.shape == shapeLoaded || p.shape == shapeUniform {
		return 0, false
	}
	if p.shape >= 0 {
		p.place, p.times = x86.Place{}, 0
	}
	p.place.Group = 0
	n, ok := r.patterns[p]
	if !ok {
		n = len(r.patterns)
		if 2*(n+1)*len(r.groups) > knownBits {
			return 0, false
		}
		r.patterns[p] = n
	}
	return 2 * (n*len(r.groups) + r.Across.Group - r.groups[0]), true
}

// lookAt notes how the indices in x are. It changes temp.
func (r *region) lookAt(it isa.Type, x, temp amd64.Vec, bit int) {
	k := r.kernel
	same, next := k.NewLabel(), k.NewLabel()
	r.V(x86.OpSpread.Of(it), r.Width(it), temp, x)
	r.ISA.Equal(r.Compiler, it, temp, x, same)
	k.G(amd64.OR, amd64.B32, regKnown, amd64.Imm(int32(x86.SeenSame<<bit)))
	k.Bind(same)
	if r.ISA.File(isa.BankMask) != x86.FileMask {
		r.V(x86.OpSpread.Of(it), r.Width(it), temp, x) // equal has changed it
	}
	r.V(x86.OpAdd.Of(it), r.Width(it), temp, temp, r.Iota(it))
	r.ISA.Equal(r.Compiler, it, temp, x, next)
	k.G(amd64.OR, amd64.B32, regKnown, amd64.Imm(int32(x86.SeenNext<<bit)))
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
	for i := range r.Run.Code {
		p := r.index[i]
		if in := &r.Run.Code[i]; in.Op != isa.OpLoad || !in.B.IsVector() || p.shape < 0 || done[p.shape] {
			continue
		}
		done[p.shape] = true
		for _, g := range r.groups {
			r.Across.Group = g
			bit, ok := r.bit(p)
			if !ok {
				break
			}
			root := r.roots[p.shape]
			root.Group = g
			t, temp, out := x86.TypeOf(root.Bank), r.Vec(), k.NewLabel()
			x := amd64.Vec(r.homes[root])
			if _, ok := r.homes[root]; !ok {
				x = r.Vec()
				r.V(x86.FileLoads[root.Bank], r.Width(t), x, r.Memory(r.Value(isa.V(root.Index), t)))
			}
			// A lane that does not run may not go on with the others.
			k.G(amd64.TEST, amd64.B8, r.ExecOf(g), amd64.Imm(1<<(g*r.Lanes%8)))
			k.Jcc(amd64.IsZero, out)
			r.Across.Masked = -1
			r.Masked()
			r.lookAt(t, x, temp, bit)
			k.Bind(out)
			r.Across.Masked = -1
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
				keep &^= int32((x86.SeenNext | x86.SeenSame) << (2 * (n*len(groups) + i)))
			}
		}
		if keep == -1 {
			continue
		}
		stays := k.NewLabel()
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.RegAddress)
		if g > 0 {
			k.G(amd64.SHR, amd64.B64, x86.RegTemp, amd64.Imm(g*r.Lanes))
		}
		k.G(amd64.TEST, amd64.B8, x86.RegTemp, amd64.Imm(1))
		k.Jcc(amd64.NotZero, stays)
		k.G(amd64.AND, amd64.B32, regKnown, amd64.Imm(keep))
		k.Bind(stays)
	}
	k.Bind(none)
}
