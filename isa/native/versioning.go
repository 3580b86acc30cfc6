package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Most waves run with all their lanes, in rows of 16 along x, and their indices are sums of ids and scalars.
// Between which numbers such an index lies in all of the wave is worked out before the first group
// (linear.low, linear.high). If all are within the limits then, and what is stored to does not overlap with
// anything else that is accessed, nothing can go wrong any more: a hyperblock is done straight away, without
// looks at indices, and its stores take place at once. Indices are scalars in such a pass, one for each
// group.

// straight is a hyperblock that is done so.
type straight struct {
	*hyper
	linears []*linear             // by instruction, or nil
	indices []*linear             // of accesses, by instruction
	bounds  []accessed            // what is accessed
	reach   *amd64.Mem            // how many items in x to reckon with beyond those of the work-group; nil for none
	arrays  []int                 // of ids
	sums    map[int]amd64.Vec     // by block, where there is one: how often a lane has come to it
	ones    amd64.Vec             // all bits are set
	held    map[address]amd64.Reg // memory whose address stays in a register for all groups
	spare   []amd64.Reg           // registers for linear results
	unused  []amd64.Reg           // those of them that the group being compiled has not taken
}

// address is that of an array of ids in the present chunk, or, with an array of -1, of memory behind a
// pointer.
type address struct {
	array   int
	pointer isa.Reg
	disp    int64
}

// straighten returns how the hyperblock can be done straight, or nil.
func (k *builder) straighten(h *plan.Hyper) *straight {
	if len(h.Narrow) > 0 || len(h.Run.Code) > maxStraight {
		return nil
	}
	run := *h.Run
	run.Keep = h.Behind
	s := &straight{hyper: &hyper{kernel: k, h: h, Compiler: x86.NewCompiler(&k.Context, &run, k.NewLabel())}} // nothing goes to that label
	s.prepareConditions()
	if s.Divides() || !s.findLinear() {
		return nil
	}
	return s
}

// maxStraight bounds the instructions of such a hyperblock, as it is compiled twice.
const maxStraight = 128

// noteIDs notes that an array of ids is used, and says whether there is one.
func (s *straight) noteIDs(array int) bool {
	if slices.Contains(s.arrays, array) {
		return true
	}
	if array < 0 || s.used == maxUsed {
		return false
	}
	if s.IdsAt == nil {
		s.IdsAt = map[int]amd64.Mem{}
	}
	s.arrays = append(s.arrays, array)
	s.IdsAt[array] = s.use()
	return true
}

// emit emits the hyperblock, and goes to no if it cannot be done straight this time.
func (s *straight) emit(no amd64.Label) {
	s.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameChunks))
	s.G(amd64.SHL, amd64.B64, x86.RegTemp, amd64.Imm(6))
	s.G(amd64.CMP, amd64.B64, x86.RegTemp, x86.Field(wave.FrameActive))
	s.Jcc(amd64.NotEqual, no)
	s.prove(no)
	s.Schedule()
	s.scheduleConditions()
	s.scheduleEnd()
	for i, m := range s.h.Under {
		if m := s.h.Masks[m]; m != isa.None && s.Run.Code[i].Op == isa.OpStore {
			s.reads(m, i)
		}
	}
	s.lastReads()
	s.prepareAhead()
	if !s.fetchesAny() {
		s.Ahead = nil
	}
	s.hold()
	s.prepareSpreads(func(i int) bool { return s.linears[i] != nil })
	s.ISA.All(s.Compiler)
	s.prepareSums()
	s.chunks(s.pass)
	s.finishSums()
	s.G(amd64.MOV, amd64.B64, x86.RegStride, x86.Field(wave.FrameStride))
}

// maxSums is for how many blocks the lanes that come to them are counted in registers: with 16 of them for all
// values for one.
func (s *straight) maxSums() int {
	if vectors, _, _ := s.ISA.Every(); vectors < 32 {
		return 1
	}
	return 4
}

// prepareSums has lanes counted in registers: a number in memory for each group would be in the way of what
// the kernel stores.
func (s *straight) prepareSums() {
	s.sums = map[int]amd64.Vec{}
	_, masks, w := s.ISA.Every()
	for i, m := range s.h.Masks {
		if m != isa.None && len(s.sums) < s.maxSums() {
			s.sums[i] = s.Vec()
			s.V(amd64.VPXORD, w, s.sums[i], s.sums[i], s.sums[i])
		}
	}
	if len(s.sums) > 0 && masks > 0 {
		s.ones = s.Vec()
		s.V(amd64.VPTERNLOGD, amd64.Z, s.ones, s.ones, s.ones, amd64.Imm(0xff))
	}
}

// finishSums adds up the lanes of each sum.
func (s *straight) finishSums() {
	s.Forget()
	for i := range s.h.Masks {
		sum, ok := s.sums[i]
		if !ok {
			continue
		}
		x, y := s.Vec(), s.Vec()
		if s.ISA.Bits() == 512 {
			s.V(amd64.VEXTRACTI64X4, amd64.Z, x, sum, amd64.Imm(1))
			s.V(amd64.VPADDD, amd64.Y, y, sum, x)
		} else {
			y = sum
		}
		s.V(amd64.VEXTRACTI128, amd64.Y, x, y, amd64.Imm(1))
		s.V(amd64.VPADDD, amd64.X, y, y, x)
		s.V(amd64.VPSHUFD, amd64.X, x, y, amd64.Imm(0b01001110))
		s.V(amd64.VPADDD, amd64.X, y, y, x)
		s.V(amd64.VPSHUFD, amd64.X, x, y, amd64.Imm(0b10110001))
		s.V(amd64.VPADDD, amd64.X, y, y, x)
		s.V(amd64.VMOVD, amd64.X, x86.RegTemp, y)
		s.G(amd64.MOV, amd64.B64, laneCount(i), x86.RegTemp)
	}
}

// hold has the addresses that are used most stay in registers, as far as there are registers to spare.
func (s *straight) hold() {
	const results = 3 // for linear results
	s.spare = []amd64.Reg{amd64.RBX, amd64.RCX, amd64.R14, x86.RegExec, x86.RegStride}
	if s.Ahead == nil {
		s.spare = append(s.spare, x86.RegAhead)
	}
	uses := map[address]int{}
	var list []address
	slots := map[address]int{}
	for i, l := range s.linears {
		in := &s.Run.Code[i]
		var a address
		switch {
		case l != nil && in.Op == isa.OpBuiltin:
			a = address{array: x86.ArrayOf(isa.Builtin(in.Imm))}
		case s.indices[i] != nil:
			a = s.addressOf(i)
			slots[a] = s.Run.Slots[i]
		default:
			continue
		}
		if uses[a]++; uses[a] == 1 {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b address) int { return uses[b] - uses[a] })
	s.held, s.IdsIn = map[address]amd64.Reg{}, map[int]amd64.Reg{}
	for _, a := range list[:min(len(list), len(s.spare)-results)] {
		last := len(s.spare) - 1
		r := s.spare[last]
		if s.spare = s.spare[:last]; a.array >= 0 {
			s.IdsIn[a.array] = r
			continue
		}
		s.held[a] = r
		s.G(amd64.MOV, amd64.B64, r, x86.SlotField(slots[a], wave.SlotAddress))
	}
}

// addressOf returns the address that an access selects elements from.
func (s *straight) addressOf(i int) address {
	n := slices.IndexFunc(s.Run.Places, func(p wave.Place) bool { return p.Slot == s.Run.Slots[i] })
	return address{array: -1, pointer: s.Run.Places[n].Pointer, disp: s.Run.Places[n].Disp}
}

// chunks emits body once, in a loop over all groups of lanes.
func (s *straight) chunks(body func()) {
	chunk, group := s.NewLabel(), s.NewLabel()
	at := s.use() // of the chunk, in arrays of ids
	s.G(amd64.MOV, amd64.B64, x86.RegChunk, x86.Field(wave.FrameBase))
	s.G(amd64.MOV, amd64.B64, at, amd64.Imm(0))
	s.Bind(chunk)
	if len(s.arrays) > 0 {
		s.G(amd64.MOV, amd64.B64, x86.RegTemp, at)
	}
	for _, n := range s.arrays {
		r, held := s.IdsIn[n]
		if !held {
			r = x86.RegAddress
		}
		s.G(amd64.MOV, amd64.B64, r, x86.IdsField(n))
		s.G(amd64.ADD, amd64.B64, r, x86.RegTemp)
		s.G(amd64.MOV, amd64.B64, s.IdsAt[n], r)
	}
	s.G(amd64.XOR, amd64.B32, x86.RegLane, x86.RegLane)
	s.G(amd64.XOR, amd64.B32, x86.RegByte, x86.RegByte)
	s.Align(16)
	s.Bind(group)
	body()
	s.G(amd64.ADD, amd64.B32, x86.RegLane, amd64.Imm(s.Lanes))
	s.G(amd64.ADD, amd64.B32, x86.RegByte, amd64.Imm(s.Lanes/8))
	s.G(amd64.CMP, amd64.B32, x86.RegLane, amd64.Imm(64))
	s.Jcc(amd64.Below, group)
	s.G(amd64.ADD, amd64.B64, x86.RegChunk, x86.Field(wave.FrameStride))
	s.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameChunks))
	s.G(amd64.SHL, amd64.B64, x86.RegTemp, amd64.Imm(8))
	s.G(amd64.ADD, amd64.B64, at, amd64.Imm(4*64))
	s.G(amd64.CMP, amd64.B64, x86.RegTemp, at)
	s.Jcc(amd64.Above, chunk)
}

// pass emits all for a group.
func (s *straight) pass() {
	s.Forget()
	s.unused = slices.Clone(s.spare)
	for i := range s.Steps {
		in := &s.Run.Code[i]
		s.Index = i
		s.Compiler.NoteInst(in)
		switch {
		case s.linears[i] != nil:
			s.first(s.linears[i])
		case in.Op == isa.OpStore:
			s.storeNow(in)
		case in.Op == isa.OpLoad:
			s.fetch(in)
		default:
			s.instruction(i)
		}
		for _, l := range s.linears {
			if l != nil && l.last == i && l.reg != amd64.NoReg {
				s.unused, l.freed = append(s.unused, l.reg), true
			}
		}
	}
	s.Index = len(s.Run.Code)
	s.KeepValues()
	for i, m := range s.h.Masks {
		if m == isa.None {
			continue
		}
		if sum, ok := s.sums[i]; ok {
			s.ISA.AddLanes(s.Compiler, sum, s.ones, m)
			continue
		}
		s.ISA.LanesWhere(s.Compiler, x86.RegTemp, m, false)
		s.G(amd64.POPCNT, amd64.B32, x86.RegTemp, x86.RegTemp)
		s.G(amd64.ADD, amd64.B64, laneCount(i), x86.RegTemp)
	}
	for _, x := range s.h.Widen {
		s.widen(x)
	}
}

// storeNow emits a store for a group.
func (s *straight) storeNow(in *isa.Inst) {
	v, m := s.Load(in.C, in.Type, true), s.maskOf(s.Index)
	if m != isa.None {
		s.InRegister(m) // what makes room for it may change what the address is in
	}
	to := s.element(in)
	switch {
	case m != isa.None:
		s.ISA.MoveUnder(s.Compiler, in.Type, to, v, m)
	case x86.Narrow(in.Type):
		s.ISA.MoveShort(s.Compiler, in.Type, to, v)
	default:
		s.V(x86.OpMove.Of(in.Type), s.Width(in.Type), to, v)
	}
}

// fetch emits a load for a group.
func (s *straight) fetch(in *isa.Inst) {
	d := s.Vec()
	n := s.Stride(in)
	switch {
	case s.indices[s.Index].kind == x86.KindSame:
		s.SpreadFrom(in.Type, d, s.element(in))
	case n > 1:
		temp := [2]amd64.Vec{s.Vec(), s.Vec()}
		m := s.element(in)
		m.Disp -= s.Run.Disp[s.Index]
		s.G(amd64.LEA, amd64.B64, x86.RegAddress, m)
		s.LoadInterleaved(in.Type, d, temp, x86.RegAddress, n, int(s.Run.Disp[s.Index]), s.Extent(s.Run.Slots[s.Index]))
	default:
		s.V(x86.FileLoads[in.Type.Bank()], s.Width(in.Type), d, s.element(in))
	}
	s.Result(in, in.Type, d)
}

// first computes a linear result for the group's first lane.
func (s *straight) first(l *linear) {
	in := l.in
	l.reg, l.freed = amd64.NoReg, false
	r := x86.RegTemp
	if n := len(s.unused); n > 0 {
		l.reg, s.unused = s.unused[n-1], s.unused[:n-1]
		r = l.reg
	}
	switch in.Op {
	case isa.OpBuiltin:
		b := isa.Builtin(in.Imm)
		s.G(amd64.MOV, amd64.B32, r, s.FirstID(x86.ArrayOf(b)))
		if b >= isa.BuiltinGlobalID {
			s.G(amd64.ADD, amd64.B32, r, x86.Field(wave.FrameOrigin+8*uintptr(int(b)%3)))
		}
	case isa.OpMov:
		s.G(amd64.MOV, amd64.B32, r, s.operandOf(l, 0))
	case isa.OpAdd:
		s.G(amd64.MOV, amd64.B32, r, s.operandOf(l, 0))
		s.G(amd64.ADD, amd64.B32, r, s.operandOf(l, 1))
	case isa.OpSub:
		s.G(amd64.MOV, amd64.B32, r, s.operandOf(l, 0))
		s.G(amd64.SUB, amd64.B32, r, s.operandOf(l, 1))
	case isa.OpShl:
		n, _ := s.Constant(in.B)
		s.G(amd64.MOV, amd64.B32, r, s.operandOf(l, 0))
		s.G(amd64.SHL, amd64.B32, r, amd64.Imm(n))
	case isa.OpMul, isa.OpMad:
		s.G(amd64.MOV, amd64.B32, r, s.operandOf(l, 0))
		s.G(amd64.IMUL, amd64.B32, r, s.operandOf(l, 1))
		if in.Op == isa.OpMad {
			s.G(amd64.ADD, amd64.B32, r, s.operandOf(l, 2))
		}
	}
	if l.reg == amd64.NoReg {
		s.G(amd64.MOV, amd64.B32, l.low, r)
	}
	s.isLinear(l)
}

// operandOf returns operand n for the first lane.
func (s *straight) operandOf(l *linear, n int) amd64.Operand {
	if o := l.operands[n]; o != nil {
		return o.first()
	}
	return x86.Scalar(l.operand(n))
}

// first returns where the result of the first lane is.
func (l *linear) first() amd64.Operand {
	if l.freed {
		panic(errFreed)
	}
	if l.reg != amd64.NoReg {
		return l.reg
	}
	return l.low
}

// element returns where the elements of the group are that an instruction accesses.
func (s *straight) element(in *isa.Inst) amd64.Mem {
	x, ok := s.indices[s.Index].first().(amd64.Reg)
	if !ok || !x86.Addressable(in.Scale) {
		x = x86.RegTemp
		s.G(amd64.MOV, amd64.B32, x, s.indices[s.Index].first())
	}
	base, held := s.held[s.addressOf(s.Index)]
	if !held {
		base = x86.RegAddress
		s.G(amd64.MOV, amd64.B64, base, s.Slot(wave.SlotAddress))
	}
	m := amd64.Mem{Base: base, Index: x, Scale: s.scaleOf(x, in.Scale), Disp: s.FromIndex(in)}
	if s.fetches(in) {
		m.Disp = 0
		s.G(amd64.LEA, amd64.B64, x86.RegAddress, m)
		m = amd64.Mem{Base: x86.RegAddress, Disp: s.FromIndex(in)}
		next := m
		next.Index, next.Scale = x86.RegAhead, uint8(in.Scale)
		if in.Op == isa.OpStore {
			s.G(amd64.PREFETCHW, amd64.B64, next)
		} else {
			s.G(amd64.PREFETCHT1, amd64.B64, next)
		}
	}
	return m
}

// fetches says whether an access is to fetch ahead: not where memory is accessed in several places, as
// neighbours in two dimensions are: much of it has been fetched for other work-groups then.
func (s *straight) fetches(in *isa.Inst) bool {
	if s.Ahead == nil || in.Space != isa.SpaceGlobal || !x86.Addressable(in.Scale) {
		return false
	}
	for i, x := range s.indices {
		if x == nil {
			continue
		}
		other := &s.Run.Code[i]
		if other.A == in.A && (x != s.indices[s.Index] || i < s.Index) || in.Op == isa.OpStore && other.Op == isa.OpLoad && x == s.indices[s.Index] {
			return false
		}
	}
	return true
}

// fetchesAny says whether any access is to.
func (s *straight) fetchesAny() bool {
	for s.Index = range s.Run.Code {
		if in := &s.Run.Code[s.Index]; x86.AccessesMemory(in) && s.fetches(in) {
			return true
		}
	}
	return false
}

// isLinear makes a linear result what its place holds.
func (s *straight) isLinear(l *linear) {
	v := s.Value(l.in.Dst, isa.I32)
	v.Reg, v.Dirty, v.Loose, v.Linear = -1, false, false, l
	if s.Run.Keep[s.Index] {
		s.Load(l.in.Dst, isa.I32, true)
		v.Dirty, v.Keep, v.Dense = true, true, l.in.Flags&isa.FlagDense != 0
	}
}

// Spread gives the lanes of a vector register what a linear result is for them.
func (l *linear) Spread(c *x86.Compiler, d amd64.Vec) {
	if l.fromIDs() || l.in.Op == isa.OpBuiltin && l.reg == amd64.NoReg {
		b := isa.Builtin(l.in.Imm)
		c.V(amd64.VMOVDQU32, c.Width(isa.I32), d, c.FirstID(x86.ArrayOf(b)))
		if b >= isa.BuiltinGlobalID {
			origin := x86.Field(wave.FrameOrigin + 8*uintptr(int(b)%3))
			if c.ISA.Broadcasts() {
				c.V(amd64.VPADDD, c.Width(isa.I32), d, d, origin.Bcast())
			} else {
				c.V(amd64.VPBROADCASTD, c.Width(isa.I32), x86.VecTemp, origin)
				c.V(amd64.VPADDD, c.Width(isa.I32), d, d, x86.VecTemp)
			}
		}
		return
	}
	if r, ok := l.first().(amd64.Reg); ok {
		c.ISA.Spread(c, isa.I32, d, r)
	} else {
		c.V(amd64.VPBROADCASTD, c.Width(isa.I32), d, l.first())
	}
	if l.kind == x86.KindNext {
		c.V(amd64.VPADDD, c.Width(isa.I32), d, d, c.Iota(isa.I32))
	}
}

// fromIDs says whether a vector with the result is made from the array of ids, and not from the first lane's.
func (l *linear) fromIDs() bool { return l.in.Op == isa.OpBuiltin && l.kind == x86.KindNext }
