package native

import (
	"encoding/binary"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Where each lane goes through memory from one element to the next, as it does through a row of a sparse matrix, a load of 128 bits has
// what a lane selects in four trips, and takes as long as a gather takes for one lane of one trip. A region with such loads does
// four trips at a time as long as it may: all four elements of each lane that is still inside have to be within the limit, so that
// nobody can tell whether those behind the lane's last trip are loaded. They are never used. Lanes leave between these trips by
// the execution mask alone; who has left is found out at the end of the fourth.

const (
	quad       = 4  // trips at a time
	maxStreams = 4  // loads of elements in a row
	maxCursors = 2  // their indices
	fewLanes   = 4  // that are done in a way of their own
	quadRoom   = 25 // vector registers for these loads and for what lives from trip to trip
)

// What Frame.Loop holds besides in such a region.
const (
	loopQuads = loopLeft + maxChain // the last trip that may be the first of four
	loopFirst = loopQuads + 1       // the first trip of those that were done together
	loopQuad  = loopFirst + 1       // for each index, its greatest value at which four elements are within the limit
)

// regStay counts lanes that stay, in all trips that are done together.
const regStay = amd64.R12

// regIndices is where the indices of four trips are, in memory.
const regIndices = amd64.R11

// streamBase is where the addresses of slots are while their elements are loaded, streamIndex two indices.
var (
	streamBase  = [...]amd64.Reg{amd64.RDX, amd64.RBX}
	streamIndex = [2]amd64.Reg{amd64.RCX, amd64.RAX}
)

// cursor is an index as a trip begins: what a register holds, and a number.
type cursor struct {
	place place
	plus  uint32
}

// stream is a load of elements in a row.
type stream struct {
	inst, cursor int
	regs         [oct]amd64.Vec // by trip, of four or, where trips are joined, of eight
	flat         bool           // the elements are results in Frame.Flat, see region_flat.go,
	place        int            // the first of which is there,
	product      bool           // the product of an [isa.OpFMulAdd],
	loose        bool           // with NaNs that need not be canonical
}

// quads is what a region does four trips at a time.
type quads struct {
	cursors []cursor
	streams []stream
	trip    int   // of the four, or -1 elsewhere
	flat    *flat // nil if nothing is done for elements before trips are
}

// loads says whether an instruction is one of the loads.
func (q *quads) loads(inst int) bool {
	return slices.ContainsFunc(q.streams, func(s stream) bool { return s.inst == inst })
}

// findQuads returns the loads that may be done for four trips at a time, or nil.
func (r *region) findQuads() *quads {
	if !r.loads || r.lanes != 16 || len(r.writes) > 0 || len(r.carried) > 0 || !r.leavesOnce() {
		return nil
	}
	now := map[place]cursor{}
	for _, h := range r.list {
		p := place{bank: h.bank, index: h.index}
		now[p] = cursor{place: p}
	}
	type element struct {
		inst int
		at   cursor
	}
	var list []element
	for i := range r.run.Code {
		in := &r.run.Code[i]
		switch in.Op {
		case isa.OpBuiltin:
			return nil // it has another use for these registers
		case isa.OpLoad:
			if in.Idx == isa.IdxNone || !in.B.IsVector() || in.Idx.Type() != isa.I32 || in.Type.Bank() != isa.Bank32 || in.Scale != 4 {
				break
			}
			if c, ok := now[place{bank: isa.Bank32, index: in.B.Index()}]; ok {
				c.plus -= r.run.Bias[i]
				list = append(list, element{i, c})
			}
		}
		d, t := r.kernel.plan.Kernel.Operands(in, func(isa.Reg, isa.Type) {})
		c, ok := r.advance(now, in)
		if delete(now, place{bank: t.Bank(), index: d.Index()}); ok {
			now[place{bank: t.Bank(), index: d.Index()}] = c
		}
	}
	q := &quads{trip: -1}
	for _, e := range list {
		if now[e.at.place] != (cursor{e.at.place, 1}) || len(q.streams) == maxStreams || len(r.list)+quad*(len(q.streams)+1) > quadRoom {
			continue
		}
		n := slices.Index(q.cursors, e.at)
		if n < 0 {
			if n = len(q.cursors); n == maxCursors {
				continue
			}
			q.cursors = append(q.cursors, e.at)
		}
		q.streams = append(q.streams, stream{inst: e.inst, cursor: n})
	}
	if len(q.streams) == 0 || (quad+1)*len(r.run.Code)*r.across.groups > maxRegion {
		return nil
	}
	q.flat = r.findFlat(q)
	return q
}

// leavesOnce says whether lanes leave a trip at one place only, and there each for itself.
func (r *region) leavesOnce() bool {
	n := 0
	for _, b := range r.chain {
		if in := r.kernel.plan.Blocks[b].Terminator; in.Op == isa.OpBrCond {
			if n++; n > 1 || !in.A.IsVector() {
				return false
			}
		}
	}
	return n == 1
}

// advance returns what an instruction's result is, if that is a cursor.
func (r *region) advance(now map[place]cursor, in *isa.Inst) (cursor, bool) {
	of := func(x isa.Reg) (cursor, bool) {
		c, ok := now[place{bank: isa.Bank32, index: x.Index()}]
		return c, ok && x.IsVector()
	}
	if in.Type != isa.I32 {
		return cursor{}, false
	}
	c, ok := of(in.A)
	switch in.Op {
	case isa.OpMov:
		return c, ok
	case isa.OpAdd:
		n, known := r.constant(in.B)
		if !ok {
			c, ok = of(in.B)
			n, known = r.constant(in.A)
		}
		c.plus += uint32(n)
		return c, ok && known
	case isa.OpSub:
		n, known := r.constant(in.B)
		c.plus -= uint32(n)
		return c, ok && known
	}
	return cursor{}, false
}

// ahead returns the register that has the result of the present instruction, if it has been loaded for four trips.
func (r *region) ahead() (amd64.Vec, bool) {
	if q := r.quads; q != nil && q.trip >= 0 {
		for _, s := range q.streams {
			if s.inst == r.at {
				return s.regs[q.trip], true
			}
		}
	}
	return 0, false
}

// reserveQuads takes registers for the loads, those from n on.
func (r *region) reserveQuads(n int) {
	if f := r.quads.flat; f != nil && f.joined {
		r.reserveJoined(n)
		return
	}
	for i := range r.quads.streams {
		for t := range quad {
			r.quads.streams[i].regs[t] = amd64.Vec(n)
			r.reserved[fileVec] |= 1 << n
			n++
		}
	}
	if f := r.quads.flat; f != nil {
		f.left = amd64.Vec(n)
		r.reserved[fileVec] |= 1 << n
		for i := range f.results {
			f.results[i].regs = r.quads.streams[i].regs
		}
	}
}

// refuel comes back for fuel, if it may, where there is so little that it would soon not be enough for four trips.
func (r *region) refuel() {
	k, enough := r.kernel, r.kernel.NewLabel()
	k.G(amd64.MOV, amd64.B64, amd64.RAX, field(interp.FrameFuel))
	k.G(amd64.CMP, amd64.B64, amd64.RAX, amd64.Imm(4*quad))
	k.Jcc(amd64.GreaterEqual, enough)
	k.G(amd64.CMP, amd64.B64, amd64.RAX, field(interp.FrameFull))
	k.Jcc(amd64.Less, k.lastEdge(r.chain[0]))
	k.Bind(enough)
}

// limitQuads works out up to which trip and index four trips may be done at once.
func (r *region) limitQuads() {
	k, q, none := r.kernel, r.quads, amd64.RBX
	k.G(amd64.MOV, amd64.B64, amd64.RDX, r.number(loopLimit))
	k.G(amd64.SUB, amd64.B64, amd64.RDX, amd64.Imm(quad))
	k.G(amd64.MOV, amd64.B64, none, amd64.Imm(-1))
	for n := range q.cursors {
		first := true
		for _, s := range q.streams {
			limit := slotField(r.run.Slots[s.inst], interp.SlotLimit)
			switch {
			case s.cursor != n:
			case first:
				k.G(amd64.MOV, amd64.B64, amd64.RAX, limit)
				first = false
			default:
				k.G(amd64.CMP, amd64.B64, amd64.RAX, limit)
				k.CMov(amd64.Above, amd64.B64, amd64.RAX, limit)
			}
		}
		k.G(amd64.SUB, amd64.B64, amd64.RAX, amd64.Imm(quad-1))
		k.CMov(amd64.Below, amd64.B64, amd64.RDX, none)
		k.G(amd64.MOV, amd64.B64, r.number(loopQuad+n), amd64.RAX)
	}
	k.G(amd64.MOV, amd64.B64, r.number(loopQuads), amd64.RDX)
}

// fours emits the trips that are done four at a time, for the present group; behind it single ones follow, from which control
// comes back to its beginning.
func (r *region) fours() {
	k := r.kernel
	next, single := k.NewLabel(), k.NewLabel()
	r.beginQuads()
	k.Bind(next)
	r.four(next, single)
	k.Bind(single)
	r.endQuads()
	r.inHomes()
}

// beginQuads emits what comes before trips of the present group that are done together.
func (r *region) beginQuads() {
	k := r.kernel
	r.enterGroup()
	k.G(amd64.MOV, amd64.B64, r.number(loopFirst), regTrip)
	k.G(amd64.XOR, amd64.B32, regStay, regStay)
}

// enterGroup makes the group whose trips are done together the present one, with its execution mask at hand, and has regIndices be where
// indices are put aside.
func (r *region) enterGroup() {
	r.across.reset()
	r.across.lane = -1
	r.across.group = r.groups[0]
	r.pinned = [files]uint32{}
	r.masked()
	r.G(amd64.LEA, amd64.B64, regIndices, field(interp.FrameQuads+63))
	r.G(amd64.AND, amd64.B64, regIndices, amd64.Imm(-64))
}

// leaving returns the block of the chain that lanes leave at.
func (r *region) leaving() int {
	return slices.IndexFunc(r.exits(), func(t int) bool { return t >= 0 })
}

// four emits four trips. Where they cannot be done together, or no lane is inside any more, control goes to end, and behind them to next.
func (r *region) four(next, end amd64.Label) {
	k, q, g := r.kernel, r.quads, r.groups[0]
	r.checkQuads(end)
	r.loadStreams(q.streams)
	for t := range quad {
		r.inHomes()
		r.across.group, r.across.masked = g, g
		q.trip = t
		r.trip(func(_ int, in *isa.Inst) { r.leaveQuad(in, end) })
	}
	q.trip = -1
	k.Jmp(next)
}

// loadStreams loads for four trips what the indices that have been put aside select, for the lanes that are inside.
func (r *region) loadStreams(streams []stream) {
	k, q := r.kernel, r.quads
	few, loaded := k.NewLabel(), k.NewLabel()
	k.V(amd64.KMOVW, amd64.X, regTemp, maskExec)
	k.G(amd64.POPCNT, amd64.B32, regTemp, regTemp)
	k.G(amd64.CMP, amd64.B32, regTemp, amd64.Imm(fewLanes))
	k.Jcc(amd64.BelowEqual, few)
	low, high := r.vec(), r.vec()
	var sparse []func()
	for n, c := range q.cursors {
		c.place.group = r.across.group
		index := amd64.Vec(r.homes[c.place])
		var list []*stream
		for i := range streams {
			if s := &streams[i]; s.cursor == n {
				list = append(list, s)
			}
		}
		for some := range slices.Chunk(list, len(streamBase)) {
			r.loadQuads(n, some, low, high)
			var after []*stream // as the registers are now
			for _, s := range some {
				c := *s
				after = append(after, &c)
			}
			sparse = append(sparse, func() { r.loadFew(index, c.plus, after, low, high) })
		}
	}
	k.Bind(loaded)
	k.later(func() {
		k.Bind(few)
		for _, load := range sparse {
			load()
		}
		k.Jmp(loaded)
	})
}

// unlessKnown goes to l if the indices have a pattern: lanes side by side that select elements side by side have a better way.
func (r *region) unlessKnown(l amd64.Label) {
	known := int32(0)
	for _, s := range r.quads.streams {
		if bit, ok := r.bit(r.index[s.inst]); ok {
			known |= int32((seenNext | seenSame) << bit)
		}
	}
	if known != 0 {
		r.G(amd64.TEST, amd64.B32, regKnown, amd64.Imm(known))
		r.Jcc(amd64.NotEqual, l)
	}
}

// checkQuads goes to l if four trips cannot be done at once. The indices of lanes that are inside are put aside, with 0 for others.
func (r *region) checkQuads(l amd64.Label) {
	k, q := r.kernel, r.quads
	r.unlessKnown(l)
	k.G(amd64.CMP, amd64.B64, regTrip, r.number(loopQuads))
	k.Jcc(amd64.Greater, l)
	for n, c := range q.cursors {
		c.place.group = r.across.group
		x, temp := amd64.Vec(r.homes[c.place]), r.vec()
		if c.plus != 0 {
			r.V(amd64.VPADDD, amd64.Z, temp, x, r.splat(isa.I32, c.plus, 0))
			x = temp
		}
		r.set.beyond(r.compiler, isa.I32, x, r.number(loopQuad+n), l)
		r.V(amd64.VMOVDQA32, amd64.Z, temp, x, amd64.Zero(maskExec))
		r.putAside(n, temp, temp)
		r.release(temp)
	}
}

// putAside stores a vector in Frame.Quads, from where its elements are going to be loaded. It changes temp.
func (r *region) putAside(n int, x, temp amd64.Vec) {
	// By halves: the upper one of a vector of 512 bits has to come to the cache before it is loaded again.
	at := amd64.Mem{Base: regIndices, Disp: int32(64 * n)}
	r.V(amd64.VMOVDQU32, amd64.Y, at, x)
	r.V(amd64.VEXTRACTI64X4, amd64.Z, temp, x, amd64.Imm(1))
	r.V(amd64.VMOVDQU32, amd64.Y, at.Plus(32), temp)
}

// flattened says whether trips take what they load from Frame.Flat.
func (r *region) flattened() bool { return r.quads != nil && r.quads.flat != nil && r.quads.flat.on }

// loadBases returns the registers with the addresses of the first elements, which it loads.
func (r *region) loadBases(list []*stream) []amd64.Reg {
	base := make([]amd64.Reg, len(list))
	for i, s := range list {
		if base[i] = regFlatBase; !s.flat {
			base[i] = streamBase[i]
			r.G(amd64.MOV, amd64.B64, base[i], slotField(r.run.Slots[s.inst], interp.SlotAddress))
		}
	}
	return base
}

// elementAt returns the address of the element that an index selects, of those from base on.
func (r *region) elementAt(s *stream, base, index amd64.Reg) amd64.Mem {
	disp := r.run.Disp[s.inst]
	if s.flat {
		disp = flatDisp(s.place)
	}
	return amd64.Mem{Base: base, Index: index, Scale: 4, Disp: disp}
}

// loadQuads loads what four trips select by a cursor. It changes low and high.
func (r *region) loadQuads(cursor int, list []*stream, low, high amd64.Vec) {
	k := r.kernel
	base := r.loadBases(list)
	for lane := 0; lane < 16; lane += 2 {
		k.G(amd64.MOV, amd64.B64, streamIndex[1], amd64.Mem{Base: regIndices, Disp: int32(64*cursor + 4*lane)})
		r.splitIndices()
		for i, s := range list {
			// Four lanes to a register, those whose numbers differ by 4: what unpacking within parts of 128 bits puts in order.
			for j, index := range streamIndex {
				x := s.regs[(lane+j)%4]
				from := r.elementAt(s, base[i], index)
				if part := lane / 4; part > 0 {
					r.V(amd64.VINSERTI32X4, amd64.Z, x, x, from, amd64.Imm(part))
				} else {
					r.V(amd64.VMOVDQU32, amd64.X, x, from)
				}
			}
		}
	}
	for _, s := range list {
		a, b, c, d := s.regs[0], s.regs[1], s.regs[2], s.regs[3]
		r.V(amd64.VPUNPCKLDQ, amd64.Z, low, a, b)
		r.V(amd64.VPUNPCKHDQ, amd64.Z, b, a, b)
		r.V(amd64.VPUNPCKLDQ, amd64.Z, high, c, d)
		r.V(amd64.VPUNPCKHDQ, amd64.Z, d, c, d)
		r.V(amd64.VPUNPCKLQDQ, amd64.Z, a, low, high)
		r.V(amd64.VPUNPCKHQDQ, amd64.Z, c, low, high)
		r.V(amd64.VPUNPCKLQDQ, amd64.Z, low, b, d)
		r.V(amd64.VPUNPCKHQDQ, amd64.Z, d, b, d)
		r.V(amd64.VMOVDQA32, amd64.Z, b, low)
		s.regs[1], s.regs[2] = c, b
	}
}

// splitIndices makes two indices of those in a register.
func (r *region) splitIndices() {
	k := r.kernel
	k.G(amd64.MOV, amd64.B32, streamIndex[0], streamIndex[1])
	k.G(amd64.SHR, amd64.B64, streamIndex[1], amd64.Imm(32))
}

// loadFew is loadQuads for the lanes that are inside if they are no more than four: what they select fills one register.
func (r *region) loadFew(index amd64.Vec, plus uint32, list []*stream, low, high amd64.Vec) {
	k := r.kernel
	if plus != 0 {
		k.V(amd64.VPADDD, amd64.Z, low, index, r.splat(isa.I32, plus, 0))
		index = low
	}
	k.V(amd64.VPCOMPRESSD, amd64.Z, low, index, amd64.Zero(maskExec))
	base := r.loadBases(list)
	for lane := 0; lane < fewLanes; lane += 2 {
		k.V(amd64.VPEXTRQ, amd64.X, streamIndex[1], low, amd64.Imm(lane/2))
		r.splitIndices()
		for i, s := range list {
			all := s.regs[0]
			for j, index := range streamIndex {
				from := r.elementAt(s, base[i], index)
				if lane+j > 0 {
					k.V(amd64.VINSERTI32X4, amd64.Z, all, all, from, amd64.Imm(lane+j))
				} else {
					k.V(amd64.VMOVDQU32, amd64.X, all, from)
				}
			}
		}
	}
	// Each of these lanes takes, for one trip after the other, an element of its own four.
	var first []byte
	for i := range 16 {
		first = binary.LittleEndian.AppendUint32(first, uint32(quad*i%16))
	}
	k.V(amd64.VPEXPANDD, amd64.Z, low, k.Const(first), amd64.Zero(maskExec))
	for t := 1; t < quad; t++ {
		k.V(amd64.VPADDD, amd64.Z, high, low, r.splat(isa.I32, uint32(t), 0))
		for _, s := range list {
			k.V(amd64.VPERMD, amd64.Z, s.regs[t], high, s.regs[0])
		}
	}
	for _, s := range list {
		k.V(amd64.VPERMD, amd64.Z, s.regs[0], low, s.regs[0])
	}
}

// leaveQuad has lanes leave in a trip of four. If none is inside any more, control goes to end; otherwise regTrip counts the trip.
func (r *region) leaveQuad(in *isa.Inst, end amd64.Label) {
	k := r.kernel
	r.pinned = [files]uint32{}
	m := r.boolean(in.A)
	if t := in.Target1(); t >= r.chain[0] && t <= r.last {
		k.V(amd64.KANDNW, amd64.X, maskExec, m, maskExec)
	} else {
		k.V(amd64.KANDW, amd64.X, maskExec, maskExec, m)
	}
	k.V(amd64.KMOVW, amd64.X, regTemp, maskExec)
	k.G(amd64.TEST, amd64.B32, regTemp, regTemp)
	k.Jcc(amd64.IsZero, end)
	k.G(amd64.POPCNT, amd64.B32, regTemp, regTemp)
	k.G(amd64.ADD, amd64.B64, regStay, regTemp)
	k.G(amd64.INC, amd64.B64, regTrip)
}

// endQuads does for lanes that have left while trips were done together what [region.goOut] does in a trip.
func (r *region) endQuads() {
	k, g := r.kernel, r.groups[0]
	i := r.leaving()
	none := k.NewLabel()
	k.V(amd64.KMOVW, amd64.X, regTemp, maskExec)
	k.G(amd64.MOVZX16, amd64.B32, regAddress, r.execOf(g))
	k.G(amd64.XOR, amd64.B32, regAddress, regTemp)
	k.Jcc(amd64.IsZero, none)
	// regStay has for each trip how many lanes stayed. Those that have left did one more each, and those before these trips; it
	// counts those that are inside as well.
	k.G(amd64.POPCNT, amd64.B64, amd64.RCX, regAddress)
	k.G(amd64.ADD, amd64.B64, r.number(loopLeft+i), amd64.RCX)
	k.G(amd64.IMUL, amd64.B64, amd64.RCX, r.number(loopFirst))
	k.G(amd64.ADD, amd64.B64, amd64.RCX, regStay)
	k.G(amd64.POPCNT, amd64.B32, regTemp, regTemp)
	k.G(amd64.MOV, amd64.B64, regPointer, regTrip)
	k.G(amd64.SUB, amd64.B64, regPointer, r.number(loopFirst))
	k.G(amd64.IMUL, amd64.B64, regTemp, regPointer)
	k.G(amd64.SUB, amd64.B64, amd64.RCX, regTemp)
	k.G(amd64.ADD, amd64.B64, r.number(loopTrips), amd64.RCX)
	if g > 0 {
		k.G(amd64.SHL, amd64.B64, regAddress, amd64.Imm(g*r.lanes))
	}
	r.waitAt(regPointer, r.exits()[i])
	k.G(amd64.OR, amd64.B64, amd64.Mem{Base: regPointer}, regAddress)
	k.G(amd64.XOR, amd64.B64, exec(0), regAddress)
	k.G(amd64.NOT, amd64.B64, regAddress)
	r.forgetLeft(r.groups)
	k.V(amd64.KORTESTW, amd64.X, maskExec, maskExec)
	k.Jcc(amd64.NotZero, none)
	r.progress(i, r.finish)
	k.Bind(none)
}
