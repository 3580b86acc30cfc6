package native

import (
	"maps"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Where the rows of all lanes of a chunk lie side by side, they are joined to one, see region_flat.go, rather than those of one group after
// the other: there are fewer registers that are not full, loads begin at multiples of their size, and what is the same for all
// groups is done once.

// maskAstray is where a part of a row is not one of the row.
const maskAstray = amd64.K3

// joinBases are registers for addresses. Trips change the last one; the others, and regElement, they do not unless they load what is not in
// the row.
var joinBases = [...]amd64.Reg{amd64.R15, amd64.R14, amd64.R11}

const (
	oct         = 8  // trips at a time, where lanes have their results in one row
	joinLimits  = 2  // limits in registers
	joinNumbers = 26 // vector registers that results, numbers and what lives from trip to trip may have
)

// What Frame.Loop holds for that.
const (
	loopJoinSkip    = loopFlatSpan + 1    // elements in front of the row, in the register that has its first one
	loopJoinBase    = loopJoinSkip + 1    // where the first element's results are
	loopJoinFlat    = loopJoinBase + 1    // regFlat, while there are trips in between
	loopJoinElement = loopJoinFlat + 1    // regElement
	loopJoinLast    = loopJoinElement + 1 // regFlatLast
	loopJoinBounds  = loopJoinLast + 1    // where the result of the last element of each group's parts is
)

// join makes one row of those of the chunk's lanes and does all of their trips; control goes to next then. Where that cannot be done, it
// goes on behind it.
//
// What is done for elements waits for memory, and trips for arithmetic: before the trips of a group come the elements of the next one, so that
// the processor has both at hand. Elements and trips take turns with registers:
//
//	RCX, R12          place and last place of the elements; indices and results of trips. Put aside, the last place for good
//	RBX, R15, R14     the elements' index, and addresses; trips leave them alone where [region.onlyRow]
//	R11               an address; where trips find indices
//	numbers           vector registers with numbers of trips: elements leave them alone
//	from 31 down      limits of what elements select; made again after trips
func (r *region) join(next amd64.Label) {
	k, f, other, undo := r.kernel, r.quads.flat, r.kernel.NewLabel(), r.kernel.NewLabel()
	r.groups[0] = 0
	r.homes, r.owners, r.reserved, r.events = map[place]int{}, nil, [files]uint32{}, map[place][]event{}
	r.across.reset()
	r.across.lane = -1
	r.forget()
	r.findJoined(other)
	f.joined = true
	f.eight = r.hasOcts()
	r.reserveJoined(len(r.list))
	for _, n := range slices.Sorted(maps.Keys(f.numbers)) {
		k.V(amd64.VPBROADCASTD, amd64.Z, f.numbers[n], k.Const32(n))
	}
	refuse := other
	r.mapJoined(refuse, true)
	for g := range r.across.groups {
		if g < r.across.groups-1 {
			r.groups[0] = g + 1
			r.mapJoined(refuse, g > 0)
		}
		refuse = undo
		r.groups[0] = g
		r.begin()
		if !r.onlyRow() {
			k.G(amd64.MOV, amd64.B32, regTrip, amd64.Imm(1)) // for loads that are not allowed
		}
		r.enterGroup()
		r.placeJoined()
		r.sumFlat()
		r.inHomes()
		r.across.group, r.across.masked = g, -1
		r.leaveHomes()
	}
	f.joined, f.numbers = false, nil
	r.countJoined()
	r.endJoined()
	k.Jmp(next)
	k.later(func() {
		k.Bind(undo)
		_, size := r.saves()
		k.G(amd64.MOV, amd64.B64, regPointer, r.number(loopUndo))
		k.G(amd64.SUB, amd64.B64, regPointer, amd64.Imm(size))
		r.restore()
		k.Jmp(other)
	})
	k.Bind(other)
}

// hasOcts says whether trips of joined rows are done for eight at a time at first. Some registers have to be left for what they compute.
func (r *region) hasOcts() bool {
	return len(r.quads.flat.results) == 1 && len(r.list)+1+oct+1 <= joinNumbers && (2*quad+2+oct+quad)*len(r.run.Code)*r.across.groups <= maxRegion
}

// reserveJoined takes registers for trips, those from n on: for results, and for numbers of trips as long as there is room.
func (r *region) reserveJoined(n int) {
	q := r.quads
	f := q.flat
	next := func() amd64.Vec {
		x := amd64.Vec(n)
		r.reserved[fileVec] |= 1 << n
		n++
		return x
	}
	trips := quad
	if f.eight {
		trips, f.spare = oct, next()
	}
	for i := range f.results {
		for t := range trips {
			f.results[i].regs[t] = next()
		}
	}
	f.left = next()
	f.numbers = map[uint32]amd64.Vec{}
	for t := 0; t <= trips && n < joinNumbers; t++ {
		f.numbers[uint32(t)] = next()
	}
}

// findJoined is findRow for the lanes of the chunk. It puts aside how many trips they do behind the first, for countJoined.
func (r *region) findJoined(l amd64.Label) {
	k, q := r.kernel, r.quads
	f := q.flat
	k.G(amd64.MOV, amd64.B64, regTemp, exec(0))
	k.G(amd64.TZCNT, amd64.B64, regFlat, regTemp)
	k.G(amd64.LZCNT, amd64.B64, regAddress, regTemp)
	k.G(amd64.XOR, amd64.B32, regAddress, amd64.Imm(63))
	r.across.group = 0
	r.measureRow(l)
	// The place of the first element in a register that is loaded from a multiple of its size.
	k.G(amd64.AND, amd64.B32, regFlat, amd64.Imm(r.lanes-1))
	k.G(amd64.MOV, amd64.B64, r.number(loopJoinSkip), regFlat)

	r.pinned = [files]uint32{}
	low, behindLow := r.vec(), r.vec()
	k.V(amd64.VPBROADCASTD, amd64.Z, low, r.number(loopFlatLow))
	k.G(amd64.MOV, amd64.B32, regTemp, r.number(loopFlatEnd))
	k.G(amd64.INC, amd64.B32, regTemp)
	k.V(amd64.VPBROADCASTD, amd64.Z, behindLow, regTemp)
	// By the lane of a vector: of the places of lanes' first and last elements the greatest one, how many trips follow the first one,
	// and how many do of the lane with most.
	farthest, all, most := r.vec(), r.vec(), r.vec()
	var bounds []amd64.Vec
	for g := range r.across.groups {
		r.across.group = g
		begin, last, left := r.vec(), r.vec(), r.vec()
		bounds = append(bounds, last)
		index := r.memory(r.value(isa.V(q.cursors[0].place.index), isa.I32))
		end := r.memory(r.value(isa.V(f.end.index), isa.I32))
		k.V(amd64.KMOVW, amd64.X, maskExec, r.execOf(g))
		k.V(amd64.VMOVDQU32, amd64.Z, begin, index)
		k.V(amd64.VPSUBD, amd64.Z, begin, begin, low, amd64.Zero(maskExec))
		k.V(amd64.VMOVDQU32, amd64.Z, last, end)
		k.V(amd64.VPSUBD, amd64.Z, last, last, behindLow, amd64.Zero(maskExec))
		if g == 0 {
			k.V(amd64.VPSUBD, amd64.Z, all, last, begin)
			k.V(amd64.VMOVDQA32, amd64.Z, most, all)
			k.V(amd64.VPMAXUD, amd64.Z, farthest, begin, last)
		} else {
			k.V(amd64.VPSUBD, amd64.Z, left, last, begin)
			k.V(amd64.VPADDD, amd64.Z, all, all, left)
			k.V(amd64.VPMAXUD, amd64.Z, most, most, left)
			k.V(amd64.VPMAXUD, amd64.Z, farthest, farthest, begin)
			k.V(amd64.VPMAXUD, amd64.Z, farthest, farthest, last)
		}
		r.release(begin, left)
	}
	// Each lane's part is one of the row: a last element in front of the first would be many trips behind it, as a number without sign.
	// And there is fuel for its trips.
	k.V(amd64.VPMAXUD, amd64.Z, farthest, farthest, most)
	k.V(amd64.VPCMPUD, amd64.Z, maskAstray, farthest, r.number(loopFlatSpan).Bcast(), amd64.Imm(intNotLess))
	k.V(amd64.VPCMPD, amd64.Z, maskTemp, most, r.number(loopQuads).Bcast(), amd64.Imm(intNotLess))
	k.V(amd64.KORTESTW, amd64.X, maskAstray, maskTemp)
	k.Jcc(amd64.NotZero, l)
	k.G(amd64.MOV, amd64.B64, regTemp, field(interp.FrameFlat))
	for i, x := range [...]amd64.Vec{all, most} {
		k.V(amd64.VMOVDQU32, amd64.Z, flatCounter(regTemp, len(flatCounts)+i), x)
	}
	r.foldBounds(bounds, low)
	// Between the parts of lanes there is little.
	r.fold(amd64.VPADDD, regTemp, all, low)
	k.G(amd64.POPCNT, amd64.B64, regAddress, exec(0))
	k.G(amd64.LEA, amd64.B64, regTemp, amd64.Mem{Base: regTemp, Index: regAddress, Scale: flatGap})
	k.G(amd64.ADD, amd64.B64, regTemp, regAddress)
	k.G(amd64.CMP, amd64.B64, regTemp, r.number(loopFlatSpan))
	k.Jcc(amd64.Below, l)
	r.pinned = [files]uint32{}
}

// foldBounds puts the greatest element of each of four vectors aside, 32 bits each, for firstJoined. It changes them, and temp.
func (r *region) foldBounds(x []amd64.Vec, temp amd64.Vec) {
	pair := func(low, high amd64.Op, a, b amd64.Vec) {
		r.V(low, amd64.Z, temp, a, b)
		r.V(high, amd64.Z, a, a, b)
		r.V(amd64.VPMAXUD, amd64.Z, a, a, temp)
	}
	pair(amd64.VPUNPCKLDQ, amd64.VPUNPCKHDQ, x[0], x[1])
	pair(amd64.VPUNPCKLDQ, amd64.VPUNPCKHDQ, x[2], x[3])
	pair(amd64.VPUNPCKLQDQ, amd64.VPUNPCKHQDQ, x[0], x[2])
	r.V(amd64.VEXTRACTI64X4, amd64.Z, temp, x[0], amd64.Imm(1))
	r.V(amd64.VPMAXUD, amd64.Y, x[0], x[0], temp)
	r.V(amd64.VEXTRACTI32X4, amd64.Y, temp, x[0], amd64.Imm(1))
	r.V(amd64.VPMAXUD, amd64.X, x[0], x[0], temp)
	r.V(amd64.VMOVDQU32, amd64.X, r.number(loopJoinBounds), x[0])
}

// mapJoined is mapRow for the row of the chunk as far as the present group needs it, from where the group before did not need it any more.
// With open, there have been trips in between, or nothing.
func (r *region) mapJoined(l amd64.Label, open bool) {
	k, g := r.kernel, r.groups[0]
	whole, done := k.NewLabel(), k.NewLabel()
	bound, last := r.number(loopJoinBounds+g), r.number(loopJoinLast)
	r.mapping(l, func() {
		r.forget()
		r.reserved = [files]uint32{}
		for _, x := range r.quads.flat.numbers {
			r.reserved[fileVec] |= 1 << x
		}
		r.openBases(open)
		switch {
		case g == 0:
			r.firstJoined()
		case open:
			k.G(amd64.MOV, amd64.B64, regFlat, r.number(loopJoinFlat))
			if !r.onlyRow() {
				k.G(amd64.MOV, amd64.B64, regElement, r.number(loopJoinElement))
			}
		}
		k.G(amd64.MOV, amd64.B64, regFlatLast, last)
		k.G(amd64.CMP, amd64.B64, regFlatLast, bound)
		k.CMov(amd64.Greater, amd64.B64, regFlatLast, bound)
		k.G(amd64.CMP, amd64.B64, regFlat, regFlatLast)
		k.Jcc(amd64.Greater, whole)
		r.forget()
		r.mapWhole(whole)
		k.G(amd64.CMP, amd64.B64, regFlat, bound)
		k.Jcc(amd64.Greater, done)
		k.G(amd64.MOV, amd64.B64, regFlatLast, last)
		r.elementsLeft(done)
		r.forget()
		r.mapRest()
		k.G(amd64.ADD, amd64.B64, regFlat, amd64.Imm(4*r.lanes))
		k.Bind(done)
		if g > 0 && g < r.across.groups-1 {
			k.G(amd64.MOV, amd64.B64, r.number(loopJoinFlat), regFlat)
			if !r.onlyRow() {
				k.G(amd64.MOV, amd64.B64, r.number(loopJoinElement), regElement)
			}
		}
	})
	r.quads.flat.bases, r.quads.flat.limits = nil, nil
}

// onlyRow says whether all loads of a trip are done for elements.
func (r *region) onlyRow() bool {
	for i := range r.run.Code {
		if r.run.Code[i].Op == isa.OpLoad && !slices.Contains(r.quads.flat.insts, i) {
			return false
		}
	}
	return true
}

// firstJoined does the instructions for the first register of elements: those of the row from the place of the first one on, and
// perhaps the last one.
func (r *region) firstJoined() {
	k := r.kernel
	r.firstElement()
	k.G(amd64.MOV, amd64.B64, regTemp, r.number(loopJoinSkip))
	k.G(amd64.SUB, amd64.B64, regElement, regTemp)
	k.G(amd64.LEA, amd64.B64, regFlatLast, amd64.Mem{Base: regFlatLast, Index: regTemp, Scale: 4})
	k.G(amd64.MOV, amd64.B64, r.number(loopJoinLast), regFlatLast)
	k.G(amd64.LEA, amd64.B64, regAddress, amd64.Mem{Base: regFlat, Index: regTemp, Scale: 4})
	k.G(amd64.MOV, amd64.B64, r.number(loopJoinBase), regAddress)
	k.G(amd64.ADD, amd64.B32, regTemp, r.number(loopFlatSpan))
	r.pinned = [files]uint32{}
	first, behind := r.vec(), r.vec()
	k.V(amd64.VPMOVZXDQ, amd64.Y, first, r.number(loopJoinBounds))
	k.V(amd64.VPSLLQ, amd64.Y, first, first, amd64.Imm(2))
	k.V(amd64.VPADDQ, amd64.Y, first, first, r.number(loopJoinBase).Bcast())
	k.V(amd64.VMOVDQU64, amd64.Y, r.number(loopJoinBounds), first)
	k.V(amd64.VPBROADCASTD, amd64.Z, behind, regTemp)
	k.V(amd64.VPCMPUD, amd64.Z, maskTemp, behind, r.iota(isa.I32), amd64.Imm(intGreater))
	k.V(amd64.VPBROADCASTD, amd64.Z, first, r.number(loopJoinSkip))
	k.V(amd64.VPCMPUD, amd64.Z, maskExec, first, r.iota(isa.I32), amd64.Imm(intLessEqual), amd64.Merge(maskTemp))
	r.mapGroup(false)
	k.G(amd64.ADD, amd64.B64, regElement, amd64.Imm(r.lanes))
	k.G(amd64.ADD, amd64.B64, regFlat, amd64.Imm(4*r.lanes))
}

// openBases puts addresses, and the limits of what elements select, into registers as long as there are some. Without open they are there.
func (r *region) openBases(open bool) {
	f, stay := r.quads.flat, r.groups[0] > 0 && r.onlyRow()
	f.bases, f.limits = nil, nil
	limits := min(joinLimits, 32-len(f.numbers)-len(f.insts)-flatKeep)
	for _, i := range f.insts {
		if r.run.Code[i].Op != isa.OpLoad {
			continue
		}
		if n := len(f.bases); n < len(joinBases) {
			b := baseIn{slotField(r.run.Slots[i], interp.SlotAddress), joinBases[n]}
			if open && (!stay || n == len(joinBases)-1) {
				r.G(amd64.MOV, amd64.B64, b.reg, b.from)
			}
			f.bases = append(f.bases, b)
		}
		if n := len(f.limits); n < limits && !r.quads.loads(i) {
			l := limitIn{slotField(r.run.Slots[i], interp.SlotLimit), amd64.Vec(31 - n)}
			r.reserved[fileVec] |= 1 << l.reg
			if open {
				r.V(amd64.VPBROADCASTD, amd64.Z, l.reg, l.from)
			}
			f.limits = append(f.limits, l)
		}
	}
}

// countJoined adds the trips that findJoined has put aside.
func (r *region) countJoined() {
	k := r.kernel
	r.forget()
	k.G(amd64.MOV, amd64.B64, regTemp, field(interp.FrameFlat))
	for i, op := range flatCounts {
		x := amd64.Vec(i)
		k.V(amd64.VMOVDQU32, amd64.Z, x, flatCounter(regTemp, len(flatCounts)+i))
		if op == amd64.VPMAXUD {
			k.V(amd64.VPADDD, amd64.Z, x, x, r.splat(isa.I32, 1, 0)) // the first trip
		}
		k.V(op, amd64.Z, x, x, flatCounter(regTemp, i))
		k.V(amd64.VMOVDQU32, amd64.Z, flatCounter(regTemp, i), x)
	}
}

// placeJoined has what sumFlat needs: how many trips the lanes of the present group do, and where their elements' results are.
func (r *region) placeJoined() {
	index, end := r.flatHomes()
	begin, behind := r.vec(), r.vec()
	r.partOf(index, end, begin, behind, r.quads.flat.left)
	r.putAside(0, begin, begin)
	r.release(begin, behind)
	r.kernel.G(amd64.MOV, amd64.B64, regFlatBase, r.number(loopJoinBase))
}

// endJoined has all lanes of the chunk leave.
func (r *region) endJoined() {
	k, i := r.kernel, r.leaving()
	k.G(amd64.MOV, amd64.B64, regAddress, exec(0))
	k.G(amd64.POPCNT, amd64.B64, regTemp, regAddress)
	k.G(amd64.ADD, amd64.B64, r.number(loopLeft+i), regTemp)
	k.G(amd64.ADD, amd64.B64, r.number(loopTrips), regTemp) // the first one of each lane
	r.waitAt(regPointer, r.exits()[i])
	k.G(amd64.OR, amd64.B64, amd64.Mem{Base: regPointer}, regAddress)
	k.G(amd64.MOV, amd64.B64, exec(0), amd64.Imm(0))
}

// loadOcts loads the results of eight trips. Which of the registers for them has none changes.
func (r *region) loadOcts(s *stream) {
	k, free := r.kernel, r.quads.flat.spare
	for lane := 0; lane < 16; lane += 2 {
		k.G(amd64.MOV, amd64.B64, streamIndex[1], amd64.Mem{Base: regIndices, Disp: int32(4 * lane)})
		r.splitIndices()
		for j, index := range streamIndex {
			// Two lanes to a register, whose numbers differ by 4.
			x, from := s.regs[(lane+j)/8*4+(lane+j)%4], r.elementAt(s, regFlatBase, index)
			if (lane+j)%8 < 4 {
				r.V(amd64.VMOVDQU32, amd64.Y, x, from)
			} else {
				r.V(amd64.VINSERTI64X4, amd64.Z, x, x, from, amd64.Imm(1))
			}
		}
	}
	// What is in a register that has been read is not needed any more.
	pairs := func(low, high amd64.Op, a, b amd64.Vec) (amd64.Vec, amd64.Vec) {
		x := free
		r.V(low, amd64.Z, x, a, b)
		r.V(high, amd64.Z, b, a, b)
		free = a
		return x, b
	}
	x := s.regs
	for i := 0; i < oct; i += 2 {
		x[i], x[i+1] = pairs(amd64.VPUNPCKLDQ, amd64.VPUNPCKHDQ, x[i], x[i+1])
	}
	for i := 0; i < oct; i += 4 {
		a, c := pairs(amd64.VPUNPCKLQDQ, amd64.VPUNPCKHQDQ, x[i], x[i+2])
		b, d := pairs(amd64.VPUNPCKLQDQ, amd64.VPUNPCKHQDQ, x[i+1], x[i+3])
		x[i], x[i+1], x[i+2], x[i+3] = a, c, b, d
	}
	// Parts of 128 bits have, of eight lanes: a trip of four, the one four trips behind it, and both of the others.
	for t := range quad {
		y := free
		r.V(amd64.VSHUFI32X4, amd64.Z, y, x[t], x[t+quad], amd64.Imm(0x88))
		r.V(amd64.VSHUFI32X4, amd64.Z, x[t+quad], x[t], x[t+quad], amd64.Imm(0xdd))
		free, x[t] = x[t], y
	}
	s.regs, r.quads.flat.spare = x, free
}
