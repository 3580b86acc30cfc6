package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Where Launch.Origins is set, an instruction of this package's own stands before each one of the kernel. It works out
// which bits of the result are going to be undefined, and reports undefined bits where they matter. It has nothing to
// do, and returns at once, while its operands and what its result replaces are defined.

// shadow says which bits of a wave's registers and private memory are undefined.
type shadow struct {
	// dirty has a bit for each register, by number, that has undefined bits in any lane; count is how many these are.
	dirty []uint64
	count int
	regs  []shadowRegister
	start []memory.OriginID // of Kernel.Undefined
	of    *engine.Launch    // that start is of

	private shadowPrivate
	values  []uint64          // for instructions across lanes: what the lanes get
	origins []memory.OriginID // likewise
	run     laneRun           // of eachRun, with its lanes
	room    [64]laneAt
}

// shadowRegister has the undefined bits of a register, by lane; scalar registers have one lane.
type shadowRegister struct {
	bits []uint64
	from []memory.OriginID
}

// noRegister is the number of a register that an instruction does not have.
const noRegister = ^uint32(0)

// shadowed is what the instruction before an instruction has to know of it.
type shadowed struct {
	regs  []isa.Reg
	types []isa.Type
	nums  []uint32
	dst   uint32
}

// number returns the number of a register among those of all banks.
func (c *compiledKernel) number(r isa.Reg, t isa.Type) uint32 {
	if r == isa.None {
		return noRegister
	}
	n := 0
	for b := range t.Bank() {
		if !r.IsScalar() {
			n += c.kernel.NumVector[b]
		}
	}
	if r.IsScalar() {
		for _, x := range c.kernel.NumVector {
			n += x
		}
	}
	return uint32(n + r.Index())
}

// shadowed emits what stands before an instruction that has registers.
func (d *decoder) shadowed(in inst) {
	s := in.src
	x := &shadowed{}
	dst, t := d.kernel.Operands(s, func(r isa.Reg, t isa.Type) {
		if r != isa.None {
			x.regs, x.types, x.nums = append(x.regs, r), append(x.types, t), append(x.nums, d.number(r, t))
		}
	})
	x.dst = noRegister
	if dst != isa.None {
		x.dst = d.number(dst, t)
	}
	in.aux = &aux{shadowed: x}
	switch s.Op {
	case isa.OpLoad:
		d.addressing(&in)
		in.fn = shadowLoad
	case isa.OpStore:
		d.addressing(&in)
		in.fn = shadowStore
	case isa.OpAtomic:
		in.fn = shadowAtomic
	case isa.OpMemCopy:
		in.fn = shadowMemCopy
	case isa.OpBlockLoad, isa.OpBlockStore:
		in.fn = shadowBlock
	case isa.OpReadFirst, isa.OpShuffle, isa.OpShuffle2, isa.OpBallot, isa.OpVote, isa.OpBroadcastFirst, isa.OpScan, isa.OpMatch:
		in.fn = shadowCross
	case isa.OpPrintf:
		in.fn, in.imm = shadowUse, uint32(engine.UndefinedPrintf)
	case isa.OpGroupCopy, isa.OpLaneCopy, isa.OpGroupWait:
		in.fn, in.imm = shadowUse, uint32(engine.UndefinedCopy)
	case isa.OpPipe:
		in.fn, in.imm = shadowPipe, uint32(engine.UndefinedPipe)
	case isa.OpImageRead, isa.OpImageWrite:
		in.fn, in.imm = shadowTexel, uint32(engine.UndefinedImage)
		in.aux.image = &imageAccess{ImageAccess: &d.kernel.ImageAccesses[s.Imm]}
	case isa.OpImageQuery, isa.OpImageBlockRead, isa.OpImageBlockWrite:
		in.fn, in.imm = shadowUse, uint32(engine.UndefinedImage)
	case isa.OpFence, isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait, isa.OpBr, isa.OpRet, isa.OpTrap, isa.OpBarrier:
		return
	case isa.OpBrCond, isa.OpSwitch:
		in.fn = shadowBranch
	case isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS:
		in.fn = shadowDivision
	default:
		in.fn = shadowLanes
	}
	d.emit(in)
}

// startShadow makes all registers and all private memory what they are when lanes start.
func (w *wave) startShadow() {
	l := w.group.Launch
	if l.Origins == nil {
		w.shadow = nil
		return
	}
	k := w.code.kernel
	if w.shadow == nil {
		n := k.NumScalar
		for _, x := range k.NumVector {
			n += x
		}
		w.shadow = &shadow{dirty: make([]uint64, words(n)), regs: make([]shadowRegister, n)}
	}
	s := w.shadow
	if s.of != l {
		s.of = l
		s.start = make([]memory.OriginID, len(k.Undefined))
		for i := range k.Undefined {
			s.start[i] = l.Origins.ID(memory.Origin{Kind: memory.OriginValue, Owner: k, Number: i, Padding: k.Undefined[i].Padding, Dead: k.Undefined[i].Dead})
		}
	}
	if s.count != 0 {
		for i, x := range s.dirty {
			for ; x != 0; x &= x - 1 {
				clear(s.regs[i*64+bits.TrailingZeros64(x)].bits)
			}
		}
		clear(s.dirty)
		s.count = 0
	}
	for _, u := range k.UndefinedRegs {
		n := w.code.number(isa.S(u.Scalar), isa.I64)
		s.set(w, n, true, 0, full, s.start[u.From])
		s.mark(n)
	}
	w.startPrivateShadow()
}

// has says whether a register has undefined bits in any lane.
func (s *shadow) has(n uint32) bool {
	return n != noRegister && s.dirty[n/64]>>(n%64)&1 != 0
}

// any says whether any of the registers has.
func (s *shadow) any(nums []uint32) bool {
	for _, n := range nums {
		if s.has(n) {
			return true
		}
	}
	return false
}

func (s *shadow) mark(n uint32) {
	if !s.has(n) {
		s.dirty[n/64] |= 1 << (n % 64)
		s.count++
	}
}

// get returns the undefined bits of a register in a lane, and where they come from.
func (s *shadow) get(n uint32, r isa.Reg, t isa.Type, lane int) (uint64, memory.OriginID) {
	if !s.has(n) {
		return 0, 0
	}
	if r.IsScalar() {
		lane = 0
	}
	x := &s.regs[n]
	u := x.bits[lane] & (full >> (64 - t.Bits()))
	if u == 0 {
		return 0, 0
	}
	return u, x.from[lane]
}

// undefined says whether a register has undefined bits in a lane: what is wrong with its value is a finding already.
func (w *wave) undefined(r isa.Reg, t isa.Type, k, i int) bool {
	if w.shadow == nil || w.shadow.count == 0 {
		return false
	}
	u, _ := w.shadow.get(w.code.number(r, t), r, t, k*64+i)
	return u != 0
}

// set stores the undefined bits of a register in a lane. The caller settles the register afterwards.
func (s *shadow) set(w *wave, n uint32, scalar bool, lane int, u uint64, from memory.OriginID) {
	x := &s.regs[n]
	if u == 0 && x.bits == nil {
		return
	}
	if scalar {
		lane = 0
	}
	if x.bits == nil {
		lanes := w.words * 64
		if scalar {
			lanes = 1
		}
		x.bits, x.from = make([]uint64, lanes), make([]memory.OriginID, lanes)
	}
	x.bits[lane] = u
	if u != 0 {
		x.from[lane] = from
	}
}

// settle finds out whether a register that has been written still has undefined bits.
func (s *shadow) settle(n uint32) {
	dirty := false
	for _, u := range s.regs[n].bits {
		if u != 0 {
			dirty = true
			break
		}
	}
	switch {
	case dirty:
		s.mark(n)
	case s.has(n):
		s.dirty[n/64] &^= 1 << (n % 64)
		s.count--
	}
}

// define makes the result of an instruction defined in all lanes that run.
func (w *wave) define(in *inst) {
	s, n := w.shadow, in.aux.shadowed.dst
	if !s.has(n) {
		return
	}
	x := &s.regs[n]
	if in.src.Dst.IsScalar() || in.mask == maskDense {
		clear(x.bits)
	} else {
		for k, m := range w.exec {
			for ; m != 0; m &= m - 1 {
				x.bits[k*64+bits.TrailingZeros64(m)] = 0
			}
		}
	}
	s.settle(n)
}

// defineOthers makes a result defined in the lanes that do not run, where nobody looks at these.
func (w *wave) defineOthers(in *inst) {
	x := &w.shadow.regs[in.aux.shadowed.dst]
	if in.mask != maskDense || x.bits == nil || in.src.Dst.IsScalar() {
		return
	}
	for lane := range x.bits {
		if k := lane / 64; k >= len(w.exec) || w.exec[k]>>(lane%64)&1 == 0 {
			x.bits[lane] = 0
		}
	}
}

// eachLane calls f for each lane that runs, in ascending order; for a scalar result for the lowest.
func (w *wave) eachLane(scalar bool, f func(k, i int)) {
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			f(k, bits.TrailingZeros64(m))
			if scalar {
				return
			}
		}
	}
}

// shadowLanes stands before an instruction that works lane by lane.
func shadowLanes(w *wave, in *inst) {
	s := w.shadow
	if s.count == 0 {
		return
	}
	x := in.aux.shadowed
	if x.dst == noRegister {
		return
	}
	if !s.any(x.nums) {
		w.define(in)
		return
	}
	scalar := in.src.Dst.IsScalar()
	w.eachLane(scalar, func(k, i int) {
		var o operands
		var from memory.OriginID
		lane := k*64 + i
		for j, n := range x.nums {
			u, f := s.get(n, x.regs[j], x.types[j], lane)
			if u != 0 && from == 0 {
				from = f
			}
			o.u[j] = u
			o.v[j] = w.reg(x.regs[j], x.types[j], k, i) & (full >> (64 - x.types[j].Bits()))
		}
		if in.src.Op == isa.OpSelect && o.u[0] == 0 && o.v[0] == 0 && o.u[2] != 0 {
			_, from = s.get(x.nums[2], x.regs[2], x.types[2], lane)
		}
		s.set(w, x.dst, scalar, lane, undefinedBits(in.src, &o), from)
	})
	w.defineOthers(in)
	s.settle(x.dst)
}

// reportUndefined tells of undefined bits in the lanes for which f says where they come from.
func (w *wave) reportUndefined(in *inst, use engine.UndefinedUse, f func(k, i int) memory.OriginID) {
	lowest, lanes := -1, 0
	var from memory.OriginID
	w.eachLane(false, func(k, i int) {
		id := f(k, i)
		if id == 0 {
			return
		}
		if lanes++; lowest < 0 {
			lowest, from = k*64+i, id
		}
	})
	if lanes == 0 || w.group.Report == nil {
		return
	}
	w.group.Report(&engine.Fault{
		Code: finding.Uninitialized, PC: in.pc, Lane: w.first + lowest, Lanes: lanes,
		Undefined: &engine.Undefined{Use: use, From: from},
	})
}

// reportOperands tells of the operands from lo on, before hi, that have undefined bits.
func (w *wave) reportOperands(in *inst, use engine.UndefinedUse, lo, hi int) {
	s, x := w.shadow, in.aux.shadowed
	if s.count == 0 || !s.any(x.nums[lo:hi]) {
		return
	}
	w.reportUndefined(in, use, func(k, i int) memory.OriginID {
		for j := lo; j < hi; j++ {
			if u, from := s.get(x.nums[j], x.regs[j], x.types[j], k*64+i); u != 0 {
				return from
			}
		}
		return 0
	})
}

// shadowUse stands before an instruction all of whose operands have to be defined.
func shadowUse(w *wave, in *inst) {
	if w.shadow.count == 0 {
		return
	}
	w.reportOperands(in, engine.UndefinedUse(in.imm), 0, len(in.aux.shadowed.nums))
	if in.aux.shadowed.dst != noRegister {
		w.define(in)
	}
}

// shadowDivision stands before a division: one by an undefined number that may be zero is reported.
func shadowDivision(w *wave, in *inst) {
	s, x := w.shadow, in.aux.shadowed
	if s.count == 0 {
		return
	}
	if s.has(x.nums[1]) {
		w.reportUndefined(in, engine.UndefinedDivisor, func(k, i int) memory.OriginID {
			u, from := s.get(x.nums[1], x.regs[1], x.types[1], k*64+i)
			if u == 0 || w.reg(x.regs[1], x.types[1], k, i)&^u != 0 {
				return 0
			}
			return from
		})
	}
	shadowLanes(w, in)
}

// shadowBranch stands before a branch or a switch: one that undefined bits decide is reported.
func shadowBranch(w *wave, in *inst) {
	s, x := w.shadow, in.aux.shadowed
	if s.count == 0 || !s.has(x.nums[0]) {
		return
	}
	use := engine.UndefinedBranch
	if in.src.Op == isa.OpSwitch {
		use = engine.UndefinedSwitch
	}
	w.reportUndefined(in, use, func(k, i int) memory.OriginID {
		u, from := s.get(x.nums[0], x.regs[0], x.types[0], k*64+i)
		if u == 0 || in.src.Op == isa.OpSwitch && w.decided(in, x, k, i, u) {
			return 0
		}
		return from
	})
}

// decided says whether a switch has one target, whatever its undefined bits are.
func (w *wave) decided(in *inst, x *shadowed, k, i int, u uint64) bool {
	t := &w.code.kernel.Switches[in.src.Imm]
	known := w.reg(x.regs[0], x.types[0], k, i) &^ u
	n, to := 0, -1
	for j, v := range t.Values {
		if v&^u != known {
			continue
		}
		if n++; to >= 0 && t.Targets[j] != to {
			return false
		}
		to = t.Targets[j]
	}
	// The other values go to the default, unless there are none.
	if c := bits.OnesCount64(u); c >= 31 || n < 1<<c {
		return to < 0 || to == t.Default
	}
	return true
}
