package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Where the rows of lanes lie side by side, as those of a sparse matrix do, they are one row. What a trip makes of an element alone,
// whoever's it is, is done for that row first, without regard to where one lane's part ends: all lanes of a register work, loads of
// elements are moves, and no branch depends on the length of a row. The results go to Frame.Flat, and the trips of the lanes, which come
// behind, load them for four trips at a time and do the rest.
//
// Nothing is written but Frame.Flat meanwhile. If an element selects something beyond a limit, though it may be one that no lane
// asks for, the trips are done in another way.

const (
	flatRoom = 2048 // elements of a row that is made of those of a group's lanes
	flatGap  = 4    // elements that may lie between the rows of two lanes that follow each other
	flatMost = 16   // instructions that are done for elements
	flatKeep = 6    // vector registers that these may want at once, besides their results
)

// What Frame.Loop holds besides where rows are made one.
const (
	loopFlatLow  = loopQuad + maxCursors // what is subtracted from the register of the index to have an element's place in the row
	loopFlatEnd  = loopFlatLow + 1       // likewise for the register that the index is compared with, and the place behind the lane's last element
	loopFlatSpan = loopFlatEnd + 1       // elements of the row
)

// regFlat is where the present elements' results go, less what flatDisp says, regElement their index, and regFlatLast the last such
// place from which on there are elements for a whole register. In trips, regFlatBase is where the results of the elements are that they
// have come to.
const (
	regFlat     = amd64.RCX
	regElement  = amd64.RBX
	regFlatLast = amd64.R12
	regFlatBase = amd64.R12
)

// flat is what is done for elements, whoever's they are.
type flat struct {
	insts   []int     // in order
	results []stream  // of these instructions, those that trips use
	end     place     // what the index is compared with at the end of a trip
	step    uint32    // the index then, less the one that elements are selected by
	signed  bool      // the comparison
	steps   []int     // the instructions that only work out the index and compare it, which trips that take results do not need
	left    amd64.Vec // how many elements are left
	on      bool      // trips take results from Frame.Flat
	bases   []baseIn  // addresses that stay in registers while the instructions are done,
	limits  []limitIn // and limits

	// Of a row that all lanes of the chunk have, see region_join.go: that trips are done with these registers, for eight at a time
	// at first, with which numbers in registers.
	joined, eight bool
	numbers       map[uint32]amd64.Vec
	spare         amd64.Vec // where trips are done for eight at a time
}

// baseIn is an address of a slot that is in a register.
type baseIn struct {
	from amd64.Mem
	reg  amd64.Reg
}

// limitIn is the limit of a slot that is in all elements of a register.
type limitIn struct {
	from amd64.Mem
	reg  amd64.Vec
}

// flatOp says whether an instruction may be done for elements.
func flatOp(in *isa.Inst) bool {
	switch in.Op {
	case isa.OpMov, isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpMad, isa.OpAnd, isa.OpOr, isa.OpXor,
		isa.OpFAdd, isa.OpFSub, isa.OpFMul, isa.OpFMulAdd, isa.OpFma, isa.OpFNeg, isa.OpFAbs:
		return in.Type.Bank() == isa.Bank32
	case isa.OpLoad:
		return in.Idx != isa.IdxNone && in.B.IsVector() && in.Idx.Type() == isa.I32 && in.Type.Bank() == isa.Bank32 && in.Space != isa.SpacePrivate
	}
	return false
}

// findFlat finds what may be done for elements before trips are, or nil if nothing is to be gained by that.
func (r *region) findFlat(q *quads) *flat {
	if len(q.cursors) != 1 {
		return nil
	}
	f := &flat{}
	if !r.findEnd(q, f) {
		return nil
	}
	made := map[place]int{} // by which instruction that is done for elements
	of := func(x isa.Reg, t isa.Type) (int, bool) {
		n, ok := made[place{bank: t.Bank(), index: x.Index()}]
		return n, ok && x.IsVector()
	}
	// known says whether what an operand is does not depend on whose the element is.
	known := func(x isa.Reg, t isa.Type) bool {
		_, ok := of(x, t)
		return ok || !x.IsVector()
	}
	result := func(inst int, product bool) {
		if !slices.ContainsFunc(f.results, func(s stream) bool { return s.inst == inst }) {
			f.results = append(f.results, stream{inst: inst, place: len(f.results), flat: true, product: product})
		}
	}
	loads := 0
	for i := range r.run.Code {
		in := &r.run.Code[i]
		element := q.loads(i)
		all, some := true, false
		d, t := r.kernel.plan.Kernel.Operands(in, func(x isa.Reg, t isa.Type) {
			all = all && known(x, t)
			some = some || x.IsVector() && known(x, t)
		})
		p := place{bank: t.Bank(), index: d.Index()}
		switch {
		case element && (!flatOp(in) || r.residentOf(p) != nil):
			return nil // trips would have to load it, but neither their index nor their registers for such loads are what they are otherwise
		case flatOp(in) && (element || all && some) && r.residentOf(p) == nil:
			f.insts = append(f.insts, i)
			if made[p] = i; in.Op == isa.OpLoad {
				loads++
			}
			continue
		case flatOp(in) && in.Op == isa.OpFMulAdd && some && known(in.A, in.Type) && known(in.B, in.Type) && !known(in.C, in.Type):
			f.insts = append(f.insts, i)
			result(i, true)
		default:
			r.kernel.plan.Kernel.Operands(in, func(x isa.Reg, t isa.Type) {
				if n, ok := of(x, t); ok {
					result(n, false)
				}
			})
		}
		delete(made, p)
	}
	if len(f.results) == 0 || len(f.results) > len(q.streams) || len(f.results) >= loads || len(f.insts) > flatMost ||
		len(r.list)+len(f.insts)+flatKeep > 32 || (2*quad+2)*len(r.run.Code)*r.across.groups > maxRegion {
		return nil
	}
	return f
}

// findEnd finds what the index is compared with. It says whether lanes stay as long as it is less, or not equal.
func (r *region) findEnd(q *quads, f *flat) bool {
	leave := slices.IndexFunc(r.exits(), func(t int) bool { return t >= 0 })
	branch := r.kernel.plan.Blocks[r.chain[leave]].Terminator
	t := branch.Target0()
	stays := t >= r.chain[0] && t <= r.last // lanes stay where the condition is true
	now := map[place]cursor{}
	for _, h := range r.list {
		p := place{bank: h.bank, index: h.index}
		now[p] = cursor{place: p}
	}
	n := 0
	for i := range r.chain[:leave+1] {
		for j, at := range r.code[i] {
			if at >= 0 {
				n = max(n, at+len(r.kernel.plan.Blocks[r.chain[i]].Parts[j].Run.Code))
			}
		}
	}
	if n < len(r.run.Code) {
		return false // lanes leave in the midst of a trip
	}
	isCursor := func(x isa.Reg, t isa.Type) bool {
		c, ok := now[place{bank: t.Bank(), index: x.Index()}]
		return ok && x.IsVector() && c.place == q.cursors[0].place
	}
	compared := false
	for i := range r.run.Code {
		in := &r.run.Code[i]
		uses := false
		d, t := r.kernel.plan.Kernel.Operands(in, func(x isa.Reg, t isa.Type) {
			uses = uses || isCursor(x, t) || x.IsVector() && t.Bank() == isa.BankMask && x.Index() == branch.A.Index()
		})
		p := place{bank: t.Bank(), index: d.Index()}
		c, ok := r.advance(now, in)
		switch {
		case p.bank == isa.BankMask && p.index == branch.A.Index():
			if compared || !r.comparesEnd(q, f, now, in, stays) {
				return false
			}
			compared = true
			f.steps = append(f.steps, i)
		case ok && c.place == q.cursors[0].place:
			if p != c.place && r.residentOf(p) != nil {
				return false
			}
			f.steps = append(f.steps, i)
		case uses && !q.loads(i):
			return false
		}
		if delete(now, p); ok {
			now[p] = c
		}
	}
	return compared && now[q.cursors[0].place] == cursor{q.cursors[0].place, 1}
}

// comparesEnd says whether an instruction compares the index with the same value in all trips, in such a way that lanes stay
// while they have not come there.
func (r *region) comparesEnd(q *quads, f *flat, now map[place]cursor, in *isa.Inst, stays bool) bool {
	a, b := in.A, in.B
	switch {
	case in.Type != isa.I32 || !a.IsVector() || !b.IsVector():
		return false
	case stays && (in.Op == isa.OpLtU || in.Op == isa.OpLtS || in.Op == isa.OpNe):
	case !stays && (in.Op == isa.OpLeU || in.Op == isa.OpLeS || in.Op == isa.OpEq):
		a, b = b, a
	default:
		return false
	}
	f.signed = in.Op == isa.OpLtS || in.Op == isa.OpLeS
	try := func(a, b isa.Reg) bool {
		c, ok := now[place{bank: isa.Bank32, index: a.Index()}]
		f.end = place{bank: isa.Bank32, index: b.Index()}
		f.step = c.plus - q.cursors[0].plus
		h := r.residentOf(f.end)
		return ok && c.place == q.cursors[0].place && h != nil && !h.kept
	}
	return try(a, b) || (in.Op == isa.OpNe || in.Op == isa.OpEq) && try(b, a)
}

// flatten makes one row of those of the present group's lanes and does all of their trips; the lanes leave. Where that cannot be done,
// control goes on behind it.
func (r *region) flatten() {
	k, g, other := r.kernel, r.groups[0], r.kernel.NewLabel()
	r.enterGroup()
	index, end := r.flatHomes()
	r.findRow(index, end, other)
	r.mapRow(other)
	r.inHomes()
	r.across.group, r.across.masked = g, g
	r.countFlat()
	r.sumFlat()
	r.endFlat()
	k.Bind(other)
	r.inHomes()
	r.across.masked = -1
}

// sumFlat does all trips of the present group, whose results regFlatBase has.
func (r *region) sumFlat() {
	k, f, again, end := r.kernel, r.quads.flat, r.kernel.NewLabel(), r.kernel.NewLabel()
	r.lanesLeft(0)
	if f.joined && f.eight {
		r.loadOcts(&f.results[0])
		r.tripsFlat(0, quad)
		// Most rows may be short.
		r.lanesLeft(quad)
		k.V(amd64.KORTESTW, amd64.X, maskExec, maskExec)
		k.Jcc(amd64.IsZero, end)
		r.tripsFlat(quad, oct)
		r.tripsDone(oct)
		k.Jcc(amd64.IsZero, end)
	}
	k.Align(16)
	k.Bind(again)
	low, high := r.vec(), r.vec()
	for i := range f.results {
		r.loadQuads(0, []*stream{&f.results[i]}, low, high)
	}
	r.tripsFlat(0, quad)
	r.tripsDone(quad)
	k.Jcc(amd64.NotZero, again)
	k.Bind(end)
}

// tripsFlat emits trips, of those whose results have been loaded together. The lanes are those that do the first one.
func (r *region) tripsFlat(first, behind int) {
	q, g := r.quads, r.groups[0]
	q.flat.on = true
	for t := first; t < behind; t++ {
		r.inHomes()
		r.across.group, r.across.masked = g, g
		if t > first {
			r.lanesLeft(t)
		}
		q.trip = t
		r.trip(func(int, *isa.Inst) {})
	}
	q.trip, q.flat.on = -1, false
	r.pinned = [files]uint32{}
}

// tripsDone goes on behind some trips: all lanes' elements are as much farther. The flags say whether any lanes do the next one.
func (r *region) tripsDone(n int) {
	k, f := r.kernel, r.quads.flat
	k.G(amd64.ADD, amd64.B64, regFlatBase, amd64.Imm(4*n))
	k.V(amd64.VPSUBD, amd64.Z, f.left, f.left, r.tripNumber(n))
	r.lanesLeft(0)
	k.V(amd64.KORTESTW, amd64.X, maskExec, maskExec)
}

// countFlat counts the trips of the group's lanes, by the lane of a vector, and has regFlatBase be where the first elements' results are.
func (r *region) countFlat() {
	k := r.kernel
	k.G(amd64.MOV, amd64.B64, regFlatBase, field(interp.FrameFlat))
	x := r.vec()
	for i, op := range flatCounts {
		m := flatCounter(regFlatBase, i)
		k.V(op, amd64.Z, x, r.quads.flat.left, m)
		k.V(amd64.VMOVDQU32, amd64.Z, m, x)
	}
	r.release(x)
}

// flatCounts are the operations that two vectors, with which Frame.Flat begins, collect the trips of all groups by: their number, and
// the greatest number of one lane.
var flatCounts = [...]amd64.Op{amd64.VPADDD, amd64.VPMAXUD}

// flatCounter is the vector of a number that a register points to as the first.
func flatCounter(base amd64.Reg, i int) amd64.Mem { return amd64.Mem{Base: base, Disp: int32(64 * i)} }

// clearFlat has no trips counted.
func (r *region) clearFlat() {
	k := r.kernel
	k.G(amd64.MOV, amd64.B64, regTemp, field(interp.FrameFlat))
	k.V(amd64.VPXORD, amd64.Z, amd64.Vec(0), amd64.Vec(0), amd64.Vec(0))
	for i := range flatCounts {
		k.V(amd64.VMOVDQU32, amd64.Z, flatCounter(regTemp, i), amd64.Vec(0))
	}
}

// takeFlat adds the trips that have been counted to those of lanes that left in another way.
func (r *region) takeFlat() {
	k, less := r.kernel, r.kernel.NewLabel()
	k.G(amd64.MOV, amd64.B64, regAddress, field(interp.FrameFlat))
	for i, op := range flatCounts {
		k.V(amd64.VMOVDQU32, amd64.Z, amd64.Vec(0), flatCounter(regAddress, i))
		r.fold(op, regTemp, amd64.Vec(0), amd64.Vec(1))
		if op == amd64.VPADDD {
			k.G(amd64.ADD, amd64.B64, r.number(loopTrips), regTemp)
		}
	}
	k.G(amd64.CMP, amd64.B64, regTemp, amd64.Imm(0))
	k.Jcc(amd64.Equal, less)
	k.G(amd64.MOV, amd64.B64, regTrip, regTemp)
	r.progress(r.leaving(), less)
	k.Bind(less)
}

// flatHomes returns the registers of the index, and of what it is compared with, for the present group.
func (r *region) flatHomes() (index, end amd64.Vec) {
	a, b := r.quads.cursors[0].place, r.quads.flat.end
	a.group, b.group = r.groups[0], r.groups[0]
	return amd64.Vec(r.homes[a]), amd64.Vec(r.homes[b])
}

// lanesLeft has the lanes run that have more elements left than a number.
func (r *region) lanesLeft(n int) {
	r.V(amd64.VPCMPD, amd64.Z, maskExec, r.quads.flat.left, r.tripNumber(n), amd64.Imm(intGreater))
}

// tripNumber returns a number of trips, for all lanes.
func (r *region) tripNumber(n int) amd64.Operand {
	if x, ok := r.quads.flat.numbers[uint32(n)]; ok {
		return x
	}
	return r.splat(isa.I32, uint32(n), 0)
}

// leaveHomes puts what somebody reads behind the loop into the register file, as the lanes of the group leave it.
func (r *region) leaveHomes() {
	k, q, g := r.kernel, r.quads, r.groups[0]
	t := r.exits()[r.leaving()]
	index, end := r.flatHomes()
	r.masked()
	for n := range r.list {
		h := &r.list[n]
		if !h.kept || !k.plan.Live(t, h.bank, h.index) {
			continue
		}
		if c := q.cursors[0].place; h.bank == c.bank && h.index == c.index {
			k.V(amd64.VPSUBD, amd64.Z, index, end, r.splat(isa.I32, q.cursors[0].plus+q.flat.step-1, 0), amd64.Merge(maskExec))
		}
		r.storeHome(h, g)
	}
}

// endFlat has all lanes of the group leave.
func (r *region) endFlat() {
	k, g := r.kernel, r.groups[0]
	i := r.leaving()
	r.inHomes()
	r.across.group, r.across.masked = g, -1
	r.leaveHomes()
	k.G(amd64.MOVZX16, amd64.B32, regAddress, r.execOf(g))
	k.G(amd64.POPCNT, amd64.B32, regTemp, regAddress)
	k.G(amd64.ADD, amd64.B64, r.number(loopLeft+i), regTemp)
	if g > 0 {
		k.G(amd64.SHL, amd64.B64, regAddress, amd64.Imm(g*r.lanes))
	}
	r.waitAt(regPointer, r.exits()[i])
	k.G(amd64.OR, amd64.B64, amd64.Mem{Base: regPointer}, regAddress)
	k.G(amd64.XOR, amd64.B64, exec(0), regAddress)
	k.Jmp(r.done)
}

// findRow finds where the row begins and how long it is. If it is none, control goes to l. Otherwise flat.left
// has how many trips each lane does, and the lanes' places in the row are put aside.
func (r *region) findRow(index, end amd64.Vec, l amd64.Label) {
	k, f := r.kernel, r.quads.flat
	begin, behind := r.vec(), r.vec()
	// The index of the first lane that is inside, and the end of the last one, are in the register file as well.
	k.G(amd64.MOVZX16, amd64.B32, regTemp, r.execOf(r.across.group))
	k.G(amd64.TZCNT, amd64.B32, regFlat, regTemp)
	k.G(amd64.LZCNT, amd64.B32, regAddress, regTemp)
	k.G(amd64.XOR, amd64.B32, regAddress, amd64.Imm(31))
	// Lanes that are followed by one that is inside.
	k.G(amd64.MOV, amd64.B32, regElement, regTemp)
	k.G(amd64.SHR, amd64.B32, regElement, amd64.Imm(1))
	k.G(amd64.AND, amd64.B32, regElement, regTemp)
	r.measureRow(l)

	// Each lane's part is a part of the row.
	r.partOf(index, end, begin, behind, f.left)
	r.checkPart(begin, behind, f.left)
	k.V(amd64.KXORW, amd64.X, maskTemp, maskTemp, maskExec)
	k.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
	k.Jcc(amd64.NotZero, l)
	k.V(amd64.KMOVW, amd64.X, maskTemp, regElement)
	r.checkGap(begin, behind)
	k.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
	k.Jcc(amd64.NotZero, l)
	r.putAside(0, begin, begin)
	r.release(begin, behind)
}

// measureRow works out where the row begins whose first lane, of those from the present group on, is in regFlat, and whose last one in regAddress. If it
// is too long, or numbers would wrap around, control goes to l. It leaves the first element's index in regFlat.
func (r *region) measureRow(l amd64.Label) {
	k, q := r.kernel, r.quads
	f, plus := q.flat, q.cursors[0].plus
	first := r.memory(r.value(isa.V(q.cursors[0].place.index), isa.I32))
	first.Index, first.Scale = regFlat, 4
	last := r.memory(r.value(isa.V(f.end.index), isa.I32))
	last.Index, last.Scale = regAddress, 4
	k.G(amd64.MOV, amd64.B32, regFlat, first)
	k.G(amd64.MOV, amd64.B32, regAddress, last)
	k.G(amd64.MOV, amd64.B64, r.number(loopFlatLow), regFlat)
	// A lane stays while its index, in this row, is less than its end: the comparison is one of places in
	// the row if no number wraps around meanwhile.
	greatest := uint32(1<<32 - 2*flatRoom)
	if f.signed {
		greatest = 1<<31 - 2*flatRoom
	}
	k.G(amd64.LEA, amd64.B32, regTemp, amd64.Mem{Base: regFlat, Disp: int32(plus + f.step)})
	k.G(amd64.CMP, amd64.B32, regTemp, amd64.Imm(int32(greatest)))
	k.Jcc(amd64.Above, l)
	k.G(amd64.DEC, amd64.B32, regTemp)
	k.G(amd64.MOV, amd64.B64, r.number(loopFlatEnd), regTemp)
	k.G(amd64.SUB, amd64.B32, regAddress, regTemp)
	k.G(amd64.CMP, amd64.B32, regAddress, amd64.Imm(flatRoom))
	k.Jcc(amd64.Above, l)
	k.G(amd64.MOV, amd64.B64, r.number(loopFlatSpan), regAddress)
	if plus != 0 {
		k.G(amd64.ADD, amd64.B32, regFlat, amd64.Imm(int32(plus)))
	}
	k.G(amd64.LEA, amd64.B64, regTemp, amd64.Mem{Base: regFlat, Index: regAddress, Scale: 1, Disp: -quad})
	k.G(amd64.CMP, amd64.B64, regTemp, r.number(loopQuad))
	k.Jcc(amd64.Greater, l)
}

// partOf makes of lanes' indices, and of what they are compared with, the places in the row where their parts begin, those behind them, and
// how many trips the lanes in maskExec do.
func (r *region) partOf(index, end, begin, behind, left amd64.Vec) {
	r.V(amd64.VPSUBD, amd64.Z, begin, index, r.number(loopFlatLow).Bcast(), amd64.Zero(maskExec))
	r.V(amd64.VPSUBD, amd64.Z, behind, end, r.number(loopFlatEnd).Bcast())
	r.V(amd64.VPSUBD, amd64.Z, left, behind, begin, amd64.Zero(maskExec))
}

// checkPart leaves those lanes in maskTemp whose part is one of the row, and for whose trips there is fuel.
func (r *region) checkPart(begin, behind, left amd64.Vec) {
	compare := func(op amd64.Op, as amd64.Imm, mask amd64.Mask, a amd64.Vec, b amd64.Operand) {
		r.V(op, amd64.Z, maskTemp, a, b, as, amd64.Merge(mask))
	}
	compare(amd64.VPCMPUD, intLess, maskExec, begin, behind)
	compare(amd64.VPCMPUD, intLessEqual, maskTemp, behind, r.number(loopFlatSpan).Bcast())
	compare(amd64.VPCMPD, intLessEqual, maskTemp, left, r.number(loopQuads).Bcast())
}

// checkGap leaves those lanes in maskTemp behind whose part there is more than little before that of the next lane.
func (r *region) checkGap(begin, behind amd64.Vec) {
	gap := r.vec()
	r.V(amd64.VALIGND, amd64.Z, gap, begin, begin, amd64.Imm(1))
	r.V(amd64.VPSUBD, amd64.Z, gap, gap, behind)
	r.V(amd64.VPCMPUD, amd64.Z, maskTemp, gap, r.splat(isa.I32, flatGap, 0), amd64.Imm(intGreater), amd64.Merge(maskTemp))
	r.release(gap)
}

// fold makes one number of a vector's elements. It changes the vector and temp.
func (r *region) fold(op amd64.Op, d amd64.Reg, x, temp amd64.Vec) {
	r.V(amd64.VEXTRACTI64X4, amd64.Z, temp, x, amd64.Imm(1))
	r.V(op, amd64.Y, x, x, temp)
	r.V(amd64.VEXTRACTI32X4, amd64.Y, temp, x, amd64.Imm(1))
	r.V(op, amd64.X, x, x, temp)
	for _, order := range [...]int{0x4e, 0xb1} {
		r.V(amd64.VPSHUFD, amd64.X, temp, x, amd64.Imm(order))
		r.V(op, amd64.X, x, x, temp)
	}
	r.V(opExtract.of(isa.I32), amd64.X, d, x)
}

// mapRow does the instructions for the elements of the row. If one is not allowed, control goes to l.
func (r *region) mapRow(l amd64.Label) {
	k, done := r.kernel, r.kernel.NewLabel()
	r.mapping(l, func() {
		rest := k.NewLabel()
		r.firstElement()
		k.G(amd64.CMP, amd64.B64, regFlat, regFlatLast)
		k.Jcc(amd64.Greater, rest)
		r.mapWhole(rest)
		// Some elements may be left.
		r.elementsLeft(done)
		r.inHomes()
		r.mapRest()
		k.Bind(done)
	})
}

// mapping has emit work for elements, whoever's they are: without homes, and in the order in which that is done. If something is not allowed,
// control goes to l.
func (r *region) mapping(l amd64.Label, emit func()) {
	q, g := r.quads, r.groups[0]
	f := q.flat
	steps, events, reserved, home, lend, refuse := r.steps, r.events, r.reserved, r.home, r.lend, r.refuse
	r.steps, r.events, r.home, r.lend, r.refuse = nil, map[place][]event{}, nil, nil, l
	for _, s := range q.streams {
		for _, x := range s.regs[:quad] {
			r.reserved[fileVec] &^= 1 << x
		}
	}
	for _, i := range f.insts {
		r.plan(i, g)
	}
	emit()
	r.steps, r.events, r.reserved, r.home, r.lend, r.refuse = steps, events, reserved, home, lend, refuse
	r.kernel.plan.Flat = max(r.kernel.plan.Flat, uintptr(flatDisp(len(f.results))))
}

// firstElement begins with the first element of the row.
func (r *region) firstElement() {
	k := r.kernel
	k.G(amd64.MOV, amd64.B32, regElement, r.number(loopFlatLow))
	if plus := r.quads.cursors[0].plus; plus != 0 {
		k.G(amd64.ADD, amd64.B32, regElement, amd64.Imm(int32(plus)))
	}
	k.G(amd64.MOV, amd64.B64, regFlat, field(interp.FrameFlat))
	k.G(amd64.MOV, amd64.B64, regFlatLast, r.number(loopFlatSpan))
	k.G(amd64.LEA, amd64.B64, regFlatLast, amd64.Mem{Base: regFlat, Index: regFlatLast, Scale: 4, Disp: int32(-4 * r.lanes)})
}

// nextElements goes on behind the present elements, and compares where with regFlatLast.
func (r *region) nextElements() {
	k := r.kernel
	k.G(amd64.ADD, amd64.B64, regElement, amd64.Imm(r.lanes))
	k.G(amd64.ADD, amd64.B64, regFlat, amd64.Imm(4*r.lanes))
	k.G(amd64.CMP, amd64.B64, regFlat, regFlatLast)
}

// mapWhole does the instructions for elements that fill registers, until there are none. rest is what jumps over that.
func (r *region) mapWhole(rest amd64.Label) {
	k, again := r.kernel, r.kernel.NewLabel()
	k.V(amd64.KXNORW, amd64.X, maskExec, maskExec, maskExec)
	k.Align(16)
	k.Bind(again)
	r.mapGroup(true)
	r.nextElements()
	k.Jcc(amd64.LessEqual, again)
	k.Bind(rest)
}

// mapRest does the instructions for the elements that are left, regFlatLast of them.
func (r *region) mapRest() {
	r.pinned = [files]uint32{}
	left := r.vec()
	r.V(amd64.VPBROADCASTD, amd64.Z, left, regFlatLast)
	r.V(amd64.VPCMPUD, amd64.Z, maskExec, left, r.iota(isa.I32), amd64.Imm(intGreater))
	r.mapGroup(false)
}

// elementsLeft puts how many elements are left into regFlatLast. If there are none, control goes to done.
func (r *region) elementsLeft(done amd64.Label) {
	k := r.kernel
	k.G(amd64.SUB, amd64.B64, regFlatLast, regFlat)
	k.G(amd64.SAR, amd64.B64, regFlatLast, amd64.Imm(2))
	k.G(amd64.ADD, amd64.B64, regFlatLast, amd64.Imm(r.lanes))
	k.Jcc(amd64.LessEqual, done)
}

// mapGroup does the instructions for some elements that lie side by side: for all of them, or for those in maskExec.
func (r *region) mapGroup(all bool) {
	k, q, g := r.kernel, r.quads, r.groups[0]
	f := q.flat
	r.across.group, r.across.masked = g, g
	for n, i := range f.insts {
		in := &r.run.Code[i]
		r.step, r.at = n, i
		r.pinned = [files]uint32{}
		result := slices.IndexFunc(f.results, func(s stream) bool { return s.inst == i })
		switch {
		case q.loads(i):
			r.mapElements(in, all)
		case in.Op == isa.OpLoad:
			r.mapLoad(in, all)
		case result >= 0 && f.results[result].product:
			a, b := r.both(in, true, false)
			d := r.vec()
			k.V(amd64.VMULPS, amd64.Z, d, a, b)
			k.V(amd64.VMOVDQU32, amd64.Z, r.flatAt(result), d)
			continue
		default:
			find(r.features, in)(r.compiler, in)
		}
		if result >= 0 {
			v := r.value(in.Dst, in.Type)
			f.results[result].loose = v.loose
			k.V(amd64.VMOVDQU32, amd64.Z, r.flatAt(result), amd64.Vec(v.reg))
		}
	}
}

// What Frame.Flat has behind its counters, and room for as many: the results of one instruction after the other. Trips that are
// done together load as many elements more than a lane that goes on has, and so do they for lanes that have ended; there may be 15 in front of the row.
const (
	flatStart  = 2 * 64 * len(flatCounts)
	flatStride = 4 * (2*flatRoom + 64)
)

// flatDisp is how far from regFlatBase, or Frame.Flat, the results of an instruction begin.
func flatDisp(result int) int32 { return int32(flatStart + result*flatStride) }

// flatAt returns where the present elements' results of an instruction go.
func (r *region) flatAt(result int) amd64.Mem {
	return amd64.Mem{Base: regFlat, Disp: flatDisp(result)}
}

// baseOf returns a register that has an address.
func (r *region) baseOf(from amd64.Mem) amd64.Reg {
	for _, b := range r.quads.flat.bases {
		if b.from == from {
			return b.reg
		}
	}
	r.G(amd64.MOV, amd64.B64, regAddress, from)
	return regAddress
}

// limitOf returns a limit, for all elements.
func (r *region) limitOf(from amd64.Mem) amd64.Operand {
	for _, l := range r.quads.flat.limits {
		if l.from == from {
			return l.reg
		}
	}
	return from.Bcast()
}

// mapElements loads the present elements of the row.
func (r *region) mapElements(in *isa.Inst, all bool) {
	d := r.vec()
	from := amd64.Mem{Base: r.baseOf(r.slot(interp.SlotAddress)), Index: regElement, Scale: 4, Disp: r.run.Disp[r.at]}
	if all {
		r.V(amd64.VMOVDQU32, amd64.Z, d, from)
	} else {
		r.V(amd64.VMOVDQU32, amd64.Z, d, from, amd64.Zero(maskExec))
	}
	r.result(in, in.Type, d)
}

// mapLoad loads what the present elements select.
func (r *region) mapLoad(in *isa.Inst, all bool) {
	g := &gathering{in: in, t: in.Type, it: in.Idx.Type(), x: r.compiler.load(in.B, in.Idx.Type(), true), d: r.vec(), temp: r.vec(), bias: r.run.Bias[r.at],
		disp: r.run.Disp[r.at], address: r.slot(interp.SlotAddress), limit: r.slot(interp.SlotLimit)}
	if all && g.bias == 0 && addressable(in.Scale) {
		// What is within the limit is what is gathered.
		r.V(amd64.VPCMPUD, amd64.Z, maskTemp, g.x, r.limitOf(g.limit), amd64.Imm(intLessEqual))
		r.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
		r.Jcc(amd64.NotCarry, r.refuse)
		from := r.baseOf(g.address)
		r.V(amd64.VPXORD, amd64.Z, g.d, g.d, g.d)
		r.V(amd64.VPGATHERDD, amd64.Z, g.d, amd64.VMem(from, g.x, uint8(in.Scale), g.disp), amd64.Merge(maskTemp))
	} else {
		r.each(g)
	}
	r.result(in, g.t, g.d)
}

// flatTrip emits an instruction of a trip whose results, or the product of which, are in Frame.Flat. It says whether the present one
// is such, or one that is not needed then.
func (r *region) flatTrip(in *isa.Inst) bool {
	if !r.flattened() {
		return false
	}
	q := r.quads
	for _, s := range q.flat.results {
		switch {
		case s.inst != r.at:
		case s.product:
			r.addProduct(in, s.regs[q.trip])
			return true
		default:
			r.define(in, in.Type, int(s.regs[q.trip]), s.loose)
			return true
		}
	}
	return slices.Contains(q.flat.insts, r.at) || slices.Contains(q.flat.steps, r.at)
}

// addProduct emits the sum of an [isa.OpFMulAdd].
func (r *region) addProduct(in *isa.Inst, x amd64.Vec) {
	if in.C == in.Dst {
		// Most often it is a sum over all trips, that stays in its register.
		v := r.value(in.Dst, in.Type)
		if n, ok := r.homes[v.place]; ok && v.reg == n && r.residentOf(v.place).loose {
			r.V(amd64.VADDPS, amd64.Z, amd64.Vec(n), x, amd64.Vec(n), amd64.Merge(maskExec))
			r.forgetLanes(v)
			return
		}
	}
	add := r.compiler.load(in.C, in.Type, false)
	d := r.vec()
	r.V(amd64.VADDPS, amd64.Z, d, x, add)
	r.resultFloat(in, d)
}
