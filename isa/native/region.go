package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/emitters"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// A region is an innermost loop that is done depth first: all trips for some groups of lanes, whose values
// stay in registers, then those for the next. That nobody can tell it from the trips of the whole wave, one
// after the other, limits what a region has: a chain of blocks that lanes leave one way or another, and come
// back to no more; in these, vector instructions on registers, loads, and scalar ones, whose results depend
// on the trip alone. Counters follow from the trips of each lane, and of the groups that made most; scalars
// are left as those groups leave them.

const (
	// maxChain bounds the blocks of a region, maxRegion the instructions, times the groups that they are for.
	maxChain  = len(wave.Loop{}.Left)
	maxRegion = 2048
)

// What general registers hold in a region, besides those of a run.
const (
	regTrip    = amd64.R14
	regPointer = amd64.RBX
)

// region is a loop in the making.
type region struct {
	*x86.Compiler
	kernel *builder
	chain  []int // blocks
	last   int   // the last block of the loop in the order of the code
	groups []int // that are done together
	most   int   // how many chunks may be
	words  int   // how many are now
	cross  bool  // there are instructions across lanes
	moves  bool  // scalar pointers move
	homes  map[x86.Place]int
	owners []*x86.Value // by register
	list   []resident
	code   [][]int // by block of the chain: for each part, the first of its instructions in run.Code, or -1
	writes []isa.Reg
	// carried are the booleans that are used behind the trip that writes them. They go to the register file
	// before lanes leave.
	carried []x86.Place
	finish  amd64.Label // behind the last trip of the present groups
	done    amd64.Label // behind all that is emitted for them

	// Of a region with loads: the slots that are the same in all trips, and the others; what indices come
	// from; by instruction, how its index is known; and the numbers of these patterns. looked has those of
	// the present trip.
	loads             bool
	narrowed          *plan.NarrowedLoop // with loads, where it computes in 32 bits instead of 64; or nil
	standing, turning []*wave.Place
	roots             []x86.Place
	index             []pattern
	patterns          map[pattern]int
	looked            map[int]bool
	// within has the indices of slots that the present trip has compared with their limits, lane by lane.
	within map[inside]bool
}

// lastFrom returns the last block, from h on, that leads to block h by a branch, or -1.
func (k *builder) lastFrom(h int) int {
	if k.latches == nil {
		k.latches = make([]int, len(k.plan.Blocks))
		for b := range k.latches {
			k.latches[b] = -1
		}
		for b := range k.plan.Blocks {
			in := k.plan.Blocks[b].Terminator
			if to := in.Target0(); (in.Op == isa.OpBr || in.Op == isa.OpBrCond) && to <= b {
				k.latches[to] = b
			}
			if to := in.Target1(); in.Op == isa.OpBrCond && to <= b {
				k.latches[to] = b
			}
		}
	}
	return k.latches[h]
}

// chainOf returns the blocks of the loop that begins at block h, if they are a chain, and the last of them in
// the order of the code.
func (k *builder) chainOf(h int) (chain []int, last int) {
	last = k.lastFrom(h)
	inside := func(t int) bool { return t >= h && t <= last }
	for b := h; last >= 0 && len(chain) < maxChain; {
		chain = append(chain, b)
		in := k.plan.Blocks[b].Terminator
		next := in.Target0()
		switch {
		case in.Op == isa.OpBr:
		case in.Op != isa.OpBrCond || in.Flags&isa.FlagWait != 0 || inside(in.Target0()) == inside(in.Target1()):
			return nil, 0
		default:
			leave := in.Target1()
			if inside(leave) {
				next, leave = leave, next
			}
			if leave <= last {
				return nil, 0
			}
		}
		switch {
		case next == h:
			return chain, last
		case next <= b || next > last:
			return nil, 0
		}
		b = next
	}
	return nil, 0
}

// stays says whether the instructions of a run may be part of a region.
func stays(r *plan.Run) bool {
	for i := range r.Code {
		in := &r.Code[i]
		switch in.Op {
		case isa.OpMath1, isa.OpMath2, isa.OpMath3, isa.OpPtrAdd, isa.OpPtrDiff:
			return false
		case isa.OpLoad:
			if !loads(in) {
				return false
			}
			continue
		}
		if !plan.Movable(in) && !plan.Crosses(in) || plan.Divides(in) {
			return false
		}
	}
	return true
}

// staysScalar says whether a scalar instruction never needs package interp, other than by a load that is not
// allowed, nor registers that a region uses.
func staysScalar(in *isa.Inst) bool {
	switch in.Op {
	case isa.OpLoad:
		return in.Space != isa.SpacePrivate
	case isa.OpPtrAdd:
		return true // what goes too far is undone, as a load
	case isa.OpMov, isa.OpSelect, isa.OpFNeg, isa.OpFAbs:
		return true
	}
	return !in.Type.IsFloat() && !in.Op.Is(isa.PropDivides) // floats take vector registers
}

// regionAt returns the region that begins at block h, or nil.
func (k *builder) regionAt(h int) *region {
	s := x86.SetOf(k.CPU)
	if len(k.plan.Kernel.Code) > 1<<14 {
		return nil
	}
	chain, last := k.chainOf(h)
	if chain == nil {
		return nil
	}
	c := &x86.Compiler{Context: &k.Context, ISA: s}
	r := &region{Compiler: c, kernel: k, chain: chain, last: last}
	for _, b := range chain {
		var at []int
		for i := range k.plan.Blocks[b].Parts {
			p := &k.plan.Blocks[b].Parts[i]
			switch {
			case p.Run != nil && stays(p.Run):
				if c.Run == nil {
					run := *p.Run
					run.Code, run.Slots, run.Disp, run.Bias = nil, nil, nil, nil
					c.Run = &run
				}
				at = append(at, len(c.Run.Code))
				c.Run.Code, c.Run.Slots = append(c.Run.Code, p.Run.Code...), append(c.Run.Slots, p.Run.Slots...)
				c.Run.Disp, c.Run.Bias = append(c.Run.Disp, p.Run.Disp...), append(c.Run.Bias, p.Run.Bias...)
			case p.Scalar != nil && staysScalar(p.Scalar):
				at = append(at, -1)
				r.moves = r.moves || p.Scalar.Op == isa.OpPtrAdd
				if !slices.Contains(r.writes, p.Scalar.Dst) {
					r.writes = append(r.writes, p.Scalar.Dst)
				}
			default:
				return nil
			}
		}
		r.code = append(r.code, at)
	}
	if c.Run == nil {
		return nil
	}
	c.Run.Keep = make([]bool, len(c.Run.Code))
	for i := range c.Run.Code {
		r.cross = r.cross || plan.Crosses(&c.Run.Code[i])
	}
	r.patterns, r.Rows = map[pattern]int{}, map[int]x86.RowPlace{}
	if r.findSlots(); r.loads && r.cross || r.moves && !r.loads {
		return nil
	}
	if r.loads {
		r.narrow()
	}
	if c.Lanes = x86.GroupOf(k.plan.Kernel, c.Run.Code, s); !r.findHomes() {
		return nil
	}
	c.Across.Groups = 64 / c.Lanes
	if !r.measure() || !r.pays() {
		return nil
	}
	if r.loads {
		r.follow()
		r.parts(func(_ int, p *plan.Part, at int) {
			if at >= 0 {
				r.FindAdjacent(at, at+len(p.Run.Code), func(int) int { return 0 })
			}
		})
	}
	if r.loads || len(r.carried) > 0 {
		r.most = 1
	}
	return r
}

// word returns word n of an array of the frame.
func (r *region) word(array uintptr, n int) amd64.Mem { return x86.Field(array + 8*uintptr(n)) }

// saved is where a scalar is kept: as it was before the loop, or as the groups that got furthest leave it.
func (r *region) saved(x isa.Reg, copy int) amd64.Mem {
	return x86.Scalar(x).Plus(int32(8 * copy * r.kernel.plan.Scalars))
}

// emit emits the region; where it cannot be entered, control goes on behind it.
func (r *region) emit() {
	k := r.kernel
	ordinary, chunk, nextChunk, end := k.NewLabel(), k.NewLabel(), k.NewLabel(), k.NewLabel()
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameMinWait), amd64.Imm(r.last))
	k.Jcc(amd64.BelowEqual, ordinary)
	r.Refuse = ordinary
	if r.cross {
		r.CheckSubgroup()
	}
	if r.loads {
		r.Refuse = k.NewLabel()
		skip := k.NewLabel()
		k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameLoopSkip), amd64.Imm(0))
		k.Jcc(amd64.NotEqual, skip)
		r.openSlots(ordinary)
		r.checkScalars(ordinary)
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameUndo))
		k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopUndo), x86.RegTemp)
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FramePrivate))
		k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopPrivate), x86.RegTemp)
		k.Later(func() {
			k.Bind(skip)
			k.G(amd64.DEC, amd64.B64, x86.Field(wave.FrameLoopSkip))
			k.Jmp(ordinary)
			r.undo(ordinary)
		})
	}
	k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameFuel))
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopLimit), x86.RegTemp)
	for _, f := range [...]uintptr{wave.LoopTrips, wave.LoopProgress, wave.LoopMost, wave.LoopLast, wave.LoopRemain, wave.LoopStopped} {
		k.G(amd64.MOV, amd64.B64, x86.Field(f), amd64.Imm(0))
	}
	for i := range r.chain {
		k.G(amd64.MOV, amd64.B64, r.word(wave.LoopLeft, i), amd64.Imm(0))
	}
	for _, x := range r.writes {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Scalar(x))
		k.G(amd64.MOV, amd64.B64, r.saved(x, 1), x86.RegTemp)
	}
	k.G(amd64.MOV, amd64.B64, x86.RegChunk, x86.Field(wave.FrameBase))
	k.G(amd64.MOV, amd64.B64, x86.RegExec, x86.Field(wave.FrameExec))
	k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Field(wave.FrameChunks))
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopChunks), x86.RegTemp)
	if r.most > 1 {
		r.several(chunk, end)
	}
	k.Bind(chunk)
	if r.loads {
		r.save()
	}
	k.G(amd64.CMP, amd64.B64, amd64.Mem{Base: x86.RegExec}, amd64.Imm(0))
	k.Jcc(amd64.Equal, nextChunk)
	for first := 0; first < r.Across.Groups; first += len(r.groups) {
		for i := range r.groups {
			r.groups[i] = first + i
		}
		r.trips()
	}
	k.Bind(nextChunk)
	k.G(amd64.ADD, amd64.B64, x86.RegChunk, x86.RegStride)
	k.G(amd64.ADD, amd64.B64, x86.RegExec, amd64.Imm(8))
	if r.loads {
		k.G(amd64.ADD, amd64.B64, x86.Field(wave.LoopPrivate), amd64.Imm(k.plan.Layout.PrivateStride))
	}
	k.G(amd64.DEC, amd64.B64, x86.Field(wave.LoopChunks))
	k.Jcc(amd64.NotZero, chunk)
	k.Bind(end)
	r.leave()
	k.Bind(ordinary)
}

// lanesOf returns the lanes of the groups that are done together, as bits of each chunk's word.
func (r *region) lanesOf() uint64 {
	if r.words > 1 {
		return ^uint64(0)
	}
	n := len(r.groups) * r.Lanes
	return ^uint64(0) >> (64 - n) << (r.groups[0] * r.Lanes)
}

// inside puts the lanes that are still in the loop into a register, and sets the flags.
func (r *region) inside(x amd64.Reg) {
	k := r.kernel
	k.G(amd64.MOV, amd64.B64, x, exec(0))
	if r.words > 1 {
		for n := 1; n < r.words; n++ {
			k.G(amd64.OR, amd64.B64, x, exec(n))
		}
	} else if m := r.lanesOf(); m != ^uint64(0) {
		k.G(amd64.MOV, amd64.B64, regPointer, amd64.Imm(m))
		k.G(amd64.AND, amd64.B64, x, regPointer)
	} else {
		k.G(amd64.TEST, amd64.B64, x, x)
	}
}

// trips emits all trips of some groups.
func (r *region) trips() {
	k := r.kernel
	top, stop := k.NewLabel(), k.NewLabel()
	r.finish, r.done = k.NewLabel(), k.NewLabel()
	r.inside(x86.RegTemp)
	k.Jcc(amd64.IsZero, r.done)
	for _, x := range r.writes {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, r.saved(x, 1))
		k.G(amd64.MOV, amd64.B64, x86.Scalar(x), x86.RegTemp)
	}
	r.begin()
	k.G(amd64.MOV, amd64.B32, regTrip, amd64.Imm(1))
	for n := range r.words {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, exec(n))
		k.G(amd64.MOV, amd64.B64, r.word(wave.LoopEntry, n), x86.RegTemp)
	}
	r.noteIdle()
	r.IdleAt = r.idles()
	r.lookFirst()
	k.Align(16)
	k.Bind(top)
	r.Across.Reset()
	r.trip(r.branch)
	k.G(amd64.CMP, amd64.B64, regTrip, x86.Field(wave.LoopLimit))
	k.Jcc(amd64.Equal, stop)
	k.G(amd64.INC, amd64.B64, regTrip)
	k.Jmp(top)
	r.IdleAt = nil

	lanes, finish, words := r.lanesOf(), r.finish, r.words
	k.Later(func() {
		k.Bind(stop)
		k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopStopped), amd64.Imm(1))
		k.G(amd64.MOV, amd64.B64, regPointer, amd64.Imm(lanes))
		for n := range words {
			k.G(amd64.MOV, amd64.B64, x86.RegAddress, exec(n))
			k.G(amd64.AND, amd64.B64, x86.RegAddress, regPointer)
			k.G(amd64.POPCNT, amd64.B64, x86.RegAddress, x86.RegAddress)
			k.G(amd64.ADD, amd64.B64, x86.Field(wave.LoopRemain), x86.RegAddress)
			k.G(amd64.IMUL, amd64.B64, x86.RegAddress, regTrip)
			k.G(amd64.ADD, amd64.B64, x86.Field(wave.LoopTrips), x86.RegAddress)
		}
		r.progress(len(r.chain)-1, finish)
	})

	// Behind the last trip: what has changed goes to the register file, for the lanes that began.
	k.Bind(r.finish)
	for n := range r.words {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, exec(n))
		k.G(amd64.MOV, amd64.B64, r.word(wave.LoopRest, n), x86.RegTemp)
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, r.word(wave.LoopEntry, n))
		k.G(amd64.MOV, amd64.B64, exec(n), x86.RegTemp)
	}
	r.Across.Masked = -1
	for _, g := range r.groups {
		for i := range r.list {
			if h := &r.list[i]; h.kept {
				r.storeHome(h, g)
			}
		}
	}
	for n := range r.words {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, r.word(wave.LoopRest, n))
		k.G(amd64.MOV, amd64.B64, exec(n), x86.RegTemp)
	}
	k.Bind(r.done)
}

// begin emits what comes before the first trip of the present groups.
func (r *region) begin() {
	r.settle()
	r.schedule()
	if r.loads {
		r.parts(func(_ int, p *plan.Part, _ int) {
			if p.Run != nil {
				r.prepare(p, false)
			}
		})
	}
}

// storeHome puts what a place of the loop holds into the register file, for the lanes of a group that run.
func (r *region) storeHome(h *resident, g int) {
	v := r.Values[x86.Place{Bank: h.bank, Index: h.index, Group: g}]
	v.Reg, v.Dense, v.Loose, v.Wide = r.homes[v.Place], false, h.loose, h.wide
	r.Across.Group = g
	if h.half != nil {
		r.widenHome(h, amd64.Vec(v.Reg))
		return
	}
	r.Store(v)
}

// trip emits a trip of the present groups. branch emits the end of block i of the chain where lanes may
// leave.
func (r *region) trip(branch func(i int, in *isa.Inst)) {
	k := r.kernel
	r.Across.Lane = -1
	r.looked, r.within = map[int]bool{}, map[inside]bool{}
	step, part := 0, -1
	for i, b := range r.chain {
		block := &k.plan.Blocks[b]
		for j, at := range r.code[i] {
			part++
			switch p := &block.Parts[j]; {
			case at < 0:
				r.scalarPart(p, part)
				continue
			case len(p.Run.Places) > 0:
				r.prepare(p, true)
			}
			for end := step + r.stepsOf(block.Parts[j].Run); step < end; step++ {
				s := r.Steps[step]
				in := &r.Run.Code[s.Inst]
				r.Index = s.Inst
				r.Across.First = s.First
				r.Enter(s.Group, in)
				r.NoteInst(in)
				if !r.load(in) {
					emitters.Find(r.CPU, in)(r.Compiler, in)
				}
			}
		}
		if in := block.Terminator; in.Op == isa.OpBrCond {
			r.carry()
			branch(i, in)
			step++
		}
	}
	r.carry()
	r.checkCarried()
}

// scalarPart emits a scalar instruction, which is in a part of the trip.
func (r *region) scalarPart(p *plan.Part, part int) {
	switch {
	case p.Place != nil:
		r.scalarLoad(p)
	case p.Scalar.Op == isa.OpPtrAdd:
		r.kernel.movePointer(p.Scalar, r.Refuse)
	default:
		r.kernel.scalar(p)
	}
	if r.narrowed != nil && r.narrowed.Checked[part] {
		r.checkSmall(p.Scalar.Dst, r.Refuse)
	}
}

// schedule puts the instructions of the loop in order.
func (r *region) schedule() {
	r.Steps = nil
	for i, b := range r.chain {
		for j, at := range r.code[i] {
			if at < 0 {
				continue
			}
			r.planRun(r.kernel.plan.Blocks[b].Parts[j].Run, at)
		}
		if in := r.kernel.plan.Blocks[b].Terminator; in.Op == isa.OpBrCond {
			r.Steps = append(r.Steps, x86.Task{Inst: -1})
		}
	}
}

// branch emits the end of block i of the chain: some lanes leave, or all do.
func (r *region) branch(i int, in *isa.Inst) {
	k := r.kernel
	t, yes := in.Target1(), false // lanes leave where the condition is false
	if t >= r.chain[0] && t <= r.last {
		t, yes = in.Target0(), true
	}
	out, on := k.NewLabel(), k.NewLabel()
	lanes, finish, groups := r.lanesOf(), r.finish, slices.Clone(r.groups)
	if in.A.IsScalar() {
		k.G(amd64.TEST, amd64.B8, x86.Scalar(in.A), amd64.Imm(1))
		if yes {
			k.Jcc(amd64.NotZero, out)
		} else {
			k.Jcc(amd64.IsZero, out)
		}
	} else {
		for _, g := range r.groups {
			r.Across.Group = g
			r.InRegister(in.A) // what makes room for it may change the registers below
		}
		x := x86.RegAddress
		for n, g := range r.groups {
			r.Across.Group = g
			if n > 0 {
				x = x86.RegTemp
			}
			r.ISA.LanesWhere(r.Compiler, x, in.A, false)
			if shift := g * r.Lanes; shift > 0 {
				k.G(amd64.SHL, amd64.B64, x, amd64.Imm(shift))
			}
			if n > 0 {
				k.G(amd64.OR, amd64.B64, x86.RegAddress, x86.RegTemp)
			}
		}
		// RDX: the lanes that leave.
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, amd64.Mem{Base: x86.RegExec})
		if yes {
			k.G(amd64.AND, amd64.B64, x86.RegAddress, x86.RegTemp)
		} else {
			k.G(amd64.NOT, amd64.B64, x86.RegAddress)
			if lanes != ^uint64(0) {
				k.G(amd64.MOV, amd64.B64, regPointer, amd64.Imm(lanes))
				k.G(amd64.AND, amd64.B64, x86.RegAddress, regPointer)
			}
			k.G(amd64.AND, amd64.B64, x86.RegAddress, x86.RegTemp)
		}
		k.Jcc(amd64.NotZero, out)
		r.Across.Masked = -1
	}
	k.Bind(on)
	words := r.words
	k.Later(func() {
		k.Bind(out)
		for n := range words {
			if in.A.IsScalar() {
				k.G(amd64.MOV, amd64.B64, x86.RegAddress, exec(n))
				k.G(amd64.MOV, amd64.B64, regPointer, amd64.Imm(lanes))
				k.G(amd64.AND, amd64.B64, x86.RegAddress, regPointer)
			}
			r.goOut(i, t, n)
		}
		if in.A.IsVector() {
			r.forgetLeft(groups)
			r.noteIdleOf(groups)
		}
		if in.A.IsVector() {
			k.G(amd64.MOV, amd64.B64, x86.RegTemp, exec(0))
			k.G(amd64.MOV, amd64.B64, regPointer, amd64.Imm(lanes))
			k.G(amd64.TEST, amd64.B64, x86.RegTemp, regPointer)
			k.Jcc(amd64.NotZero, on)
		}
		r.progress(i, finish)
	})
}

// goOut has the lanes in RDX, of a chunk, leave at block i of the chain, for block t.
func (r *region) goOut(i, t, word int) {
	k := r.kernel
	r.waitAt(regPointer, t)
	k.G(amd64.OR, amd64.B64, amd64.Mem{Base: regPointer, Disp: int32(8 * word)}, x86.RegAddress)
	k.G(amd64.POPCNT, amd64.B64, x86.RegTemp, x86.RegAddress)
	k.G(amd64.ADD, amd64.B64, r.word(wave.LoopLeft, i), x86.RegTemp)
	k.G(amd64.IMUL, amd64.B64, x86.RegTemp, regTrip)
	k.G(amd64.ADD, amd64.B64, x86.Field(wave.LoopTrips), x86.RegTemp)
	k.G(amd64.NOT, amd64.B64, x86.RegAddress)
	k.G(amd64.AND, amd64.B64, exec(word), x86.RegAddress)
}

// waitAt puts the address of the chunk's lanes that wait at block t into a register.
func (r *region) waitAt(x amd64.Reg, t int) {
	k := r.kernel
	k.G(amd64.MOV, amd64.B64, x, x86.Field(wave.FrameWords))
	k.G(amd64.IMUL, amd64.B64, x, x, amd64.Imm(8*t))
	k.G(amd64.ADD, amd64.B64, x, x86.Field(wave.FrameWait))
	k.G(amd64.ADD, amd64.B64, x, x86.RegExec)
	k.G(amd64.SUB, amd64.B64, x, x86.Field(wave.FrameExec))
}

// exits returns the blocks that lanes leave the region for, by block of the chain; -1 for none.
func (r *region) exits() []int {
	list := make([]int, len(r.chain))
	for i, b := range r.chain {
		list[i] = -1
		if in := r.kernel.plan.Blocks[b].Terminator; in.Op == isa.OpBrCond {
			if list[i] = in.Target0(); list[i] >= r.chain[0] && list[i] <= r.last {
				list[i] = in.Target1()
			}
		}
	}
	return list
}

// parts calls f for each part: of which block of the chain, and where its instructions begin in the run.
func (r *region) parts(f func(i int, p *plan.Part, at int)) {
	for i, b := range r.chain {
		for j, at := range r.code[i] {
			f(i, &r.kernel.plan.Blocks[b].Parts[j], at)
		}
	}
}

// progress notes how far some groups got: to block i of the chain, in the present trip. If none got further,
// the scalars are theirs.
func (r *region) progress(i int, finish amd64.Label) {
	k := r.kernel
	k.G(amd64.IMUL, amd64.B64, x86.RegTemp, regTrip, amd64.Imm(len(r.chain)))
	k.G(amd64.ADD, amd64.B64, x86.RegTemp, amd64.Imm(i))
	k.G(amd64.CMP, amd64.B64, x86.RegTemp, x86.Field(wave.LoopProgress))
	k.Jcc(amd64.BelowEqual, finish)
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopProgress), x86.RegTemp)
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopMost), regTrip)
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopLast), amd64.Imm(i))
	for _, x := range r.writes {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Scalar(x))
		k.G(amd64.MOV, amd64.B64, r.saved(x, 2), x86.RegTemp)
	}
	k.Jmp(finish)
}

// leave emits what follows the last chunk: counters, scalars, and who runs next.
func (r *region) leave() {
	k := r.kernel
	for i, b := range r.chain {
		count := amd64.Imm(k.plan.Blocks[b].Count)
		k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.LoopMost))
		k.G(amd64.XOR, amd64.B32, amd64.RCX, amd64.RCX)
		k.G(amd64.CMP, amd64.B64, x86.Field(wave.LoopLast), amd64.Imm(i))
		k.Set(amd64.Below, amd64.RCX)
		k.G(amd64.SUB, amd64.B64, amd64.RAX, amd64.RCX)
		k.G(amd64.ADD, amd64.B64, counter(countBlocks), amd64.RAX)
		k.G(amd64.IMUL, amd64.B64, amd64.RAX, amd64.RAX, count)
		k.G(amd64.ADD, amd64.B64, counter(countInstructions), amd64.RAX)
		k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.LoopTrips))
		for j := range i {
			if k.plan.Blocks[r.chain[j]].Terminator.Op == isa.OpBrCond {
				k.G(amd64.SUB, amd64.B64, amd64.RAX, r.word(wave.LoopLeft, j))
			}
		}
		if n := k.plan.Blocks[b].Loads; n > 0 {
			k.G(amd64.IMUL, amd64.B64, amd64.RCX, amd64.RAX, amd64.Imm(n))
			k.G(amd64.ADD, amd64.B64, counter(countLoads), amd64.RCX)
		}
		k.G(amd64.IMUL, amd64.B64, amd64.RAX, amd64.RAX, count)
		k.G(amd64.ADD, amd64.B64, counter(countLaneOps), amd64.RAX)
	}
	for _, x := range r.writes {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, r.saved(x, 2))
		k.G(amd64.MOV, amd64.B64, x86.Scalar(x), x86.RegTemp)
	}
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.FrameFuel))
	k.G(amd64.SUB, amd64.B64, amd64.RAX, x86.Field(wave.LoopMost))
	k.G(amd64.SUB, amd64.B64, amd64.RAX, x86.Field(wave.LoopStopped))
	k.G(amd64.INC, amd64.B64, amd64.RAX)
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameFuel), amd64.RAX)
	for i, t := range r.exits() {
		if t < 0 {
			continue
		}
		none := k.NewLabel()
		k.G(amd64.CMP, amd64.B64, r.word(wave.LoopLeft, i), amd64.Imm(0))
		k.Jcc(amd64.Equal, none)
		k.mark(t)
		k.Bind(none)
	}
	k.G(amd64.MOV, amd64.B8, x86.Field(wave.FrameChanged), amd64.Imm(1))
	k.G(amd64.MOV, amd64.B32, amd64.RDX, amd64.Imm(r.chain[0]))
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.LoopStopped), amd64.Imm(0))
	k.Jcc(amd64.Equal, k.pick)
	k.queued = true
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.LoopRemain))
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameActive), amd64.RAX)
	k.G(amd64.MOV, amd64.B32, amd64.RAX, amd64.Imm(r.chain[0]))
	k.Jmp(k.leave(wave.ExitFuel, wave.FrameCur))
}
