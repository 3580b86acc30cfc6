package native

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// What the general registers hold in a run. regFrame, regScalars, regStride and regSlots do so in all of the
// function.
const (
	regFrame   = amd64.RDI
	regScalars = amd64.RSI
	regChunk   = amd64.R8  // the registers of the chunk
	regExec    = amd64.R9  // the chunk's word of the execution mask
	regStride  = amd64.R10 // from chunk to chunk
	regLane    = amd64.R11 // the first lane of the group
	regByte    = amd64.R12 // the same, eight lanes a byte: where its bits are in a word
	regChunks  = amd64.RCX // chunks left
	regSlots   = amd64.R13 // Frame.Slots
	regTemp    = amd64.RAX
	regAddress = amd64.RDX // nothing for long
)

// place is what a vector register of the bytecode is known by.
type place struct {
	bank  isa.Bank
	index int
	group int // of the chunk, where several are in registers at once: see cross.go
}

// event is a use of a place by a step of the run.
type event struct {
	at    int
	write bool
}

// value is what a place holds.
type value struct {
	place
	off   uint32 // of the place in a chunk
	reg   int    // the virtual register that holds it, or -1
	old   int    // in a run, the one that holds what the register file has, or -1
	dirty bool   // the register file does not have it yet
	keep  bool   // it is used behind the run
	dense bool   // lanes that do not run may be written
	// loose says that it may have NaNs that are not the canonical one. wide says
	// that they are those of F64, and of a boolean in a vector register that
	// its lanes have 64 bits.
	loose, wide bool
	linear      spreader // where reg is -1: what it is, if it is nowhere but in a scalar
}

// spreader is what a value is made of that is in no vector register yet.
type spreader interface {
	// spread gives it to the lanes of a vector register.
	spread(c *compiler, d amd64.Vec)
}

// compiler makes the function of a run.
type compiler struct {
	*kernelContext
	set    set
	run    *plan.Run
	lanes  int         // of a group
	steps  []task      // the instructions for the groups, in order
	at     int         // the instruction
	refuse amd64.Label // where the run ends without having been done
	values map[place]*value
	events map[place][]event
	order  []*value // in the order of first use

	view view // how it looks at elements of 8 and 16 bits
	// home, if there is one, takes a result to a register of its own if that is where it belongs.
	home func(v *value, x amd64.Vec, loose, wide bool) bool

	parting  bool              // lanes part, so that active has those that run
	active   amd64.Mask        // the lanes of the group that run, where maskExec has those of the present block
	resting  amd64.Vec         // without mask registers, ones in those that do not
	idleAt   map[int]amd64.Mem // where a region has, without mask registers, the lanes of a group that do not run
	merges   bool              // it is a run: registers that values are loaded to keep what they are given there
	checked  bool              // divisors are known not to be 0
	confined bool              // accesses to private memory at places that differ between lanes are known to be inside
	across   across            // a run with instructions across lanes

	slots    map[int]*slotState   // of the run, by number
	adjacent map[int]int          // by load that is emitted together with others: which of them it is (adjacent.go)
	rows     map[int]rowPlace     // likewise; nil if the run has none
	parts    map[int]bool         // slots of blocks, with whether the group has seen them; nil if the run has none
	sharing  bool                 // some slot has several accesses, or indices are alike
	alike    []*alike             // by instruction: its indices; nil before they were looked for
	under    int                  // the block of a hyperblock whose lanes the present instruction is for, or 0 for all
	commits  map[int]*commit      // the stores of a hyperblock; nil in others
	rowed    *amd64.Mem           // what regSeen is in the beginning of a group, if not 0
	idsAt    map[int]amd64.Mem    // the addresses of the present chunk's ids, by array, where chunk works them out
	idsIn    map[int]amd64.Reg    // those of them that are in registers
	chunk    func()               // if there is one, it emits what is done once for a chunk
	spreads  map[spread]amd64.Vec // scalars that are in registers all the time
	nan      amd64.Vec            // the canonical NaN of F32 likewise, if hasNaN
	hasNaN   bool
	ahead    map[fetched]bool // what is fetched ahead in the group that is being compiled; nil if nothing is to be
}

// groupOf returns how many lanes fill a register with the widest elements that instructions have. Of an
// access, what is the same for all lanes of its address is none of them: it has been looked at before.
func groupOf(k *isa.Kernel, code []isa.Inst, s set) int {
	long := false
	for i := range code {
		in := &code[i]
		if accessesMemory(in) || plan.Blocked(in) {
			long = long || in.Type.Bank() == isa.Bank64 || in.A.IsVector() || in.Idx == isa.Idx64 && in.B.IsVector()
			continue
		}
		_, t := k.Operands(in, func(_ isa.Reg, t isa.Type) { long = long || t.Bank() == isa.Bank64 })
		long = long || t.Bank() == isa.Bank64
	}
	if long {
		return s.bits() / 64
	}
	return s.bits() / 32
}

// accessesMemory says whether an instruction has a pointer, and perhaps an index.
func accessesMemory(in *isa.Inst) bool {
	return in.Op == isa.OpLoad || in.Op == isa.OpStore || in.Op == isa.OpAtomic
}

// newCompiler returns what makes the machine code of a run. At refuse the run ends without having been done.
func newCompiler(k *kernelContext, run *plan.Run, refuse amd64.Label) *compiler {
	s := setOf(k.features)
	c := &compiler{kernelContext: k, set: s, run: run, refuse: refuse,
		values: map[place]*value{}, events: map[place][]event{}, slots: map[int]*slotState{}}
	c.lanes = groupOf(run.Kernel(), run.Code, s)
	return c
}

// compileRun emits the machine code of a run. At refuse the run ends without having been done.
func compileRun(k *kernelContext, run *plan.Run, refuse amd64.Label) {
	c := newCompiler(k, run, refuse)
	c.prepareParts()
	c.schedule()
	c.checkSubgroup()
	c.prepareRows()
	first := &run.Code[0]
	if first.Op == isa.OpAtomic {
		c.checkAligned(first)
	}
	if changesAtOnce(run) {
		// Nothing is changed before all of it is known to be in order.
		c.loop(func() { c.check(first) })
		c.forget()
	} else if c.spoiled() && (c.divides() || c.hasApart()) {
		c.checked = true
		c.loop(func() {
			c.checkDivisors()
			c.checkApart()
		})
		c.confined = true
		c.forget()
	}
	c.findAdjacent(0, len(run.Code), func(int) int { return 0 })
	c.prepareSlots()
	c.prepareUniform()
	c.merges = true
	c.loop(c.body)
}

// changesAtOnce says whether a run is one instruction that may change what it reads, memory or the register with
// the index, in lanes in front of one that it is refused for. A store does not: package interp stores the same
// elements again, in the same order.
func changesAtOnce(run *plan.Run) bool {
	in := &run.Code[0]
	if plan.Pointed(in) {
		return in.Op == isa.OpLoad && (in.Dst == in.A && in.Type.Bank() == isa.Bank64 ||
			in.Idx != isa.IdxNone && in.Dst == in.B && in.Type.Bank() == in.Idx.Type().Bank())
	}
	switch in.Op {
	case isa.OpLoad, isa.OpBlockLoad:
		// Private memory that is apart has its own check in front.
		return !plan.Apart(in) && in.Idx != isa.IdxNone && in.Dst == in.B && in.Type.Bank() == in.Idx.Type().Bank()
	}
	return in.Op == isa.OpAtomic && in.B.IsVector() || in.Op == isa.OpBlockStore
}

// check refuses the run if what such an instruction accesses is not as it should be.
func (c *compiler) check(in *isa.Inst) {
	c.at = 0
	if plan.Pointed(in) {
		c.inSlot(c.pointerOffset(in))
		return
	}
	if plan.Blocked(in) {
		c.enterParts()
		c.partAddress(in, c.refuse)
		return
	}
	c.checkIndex(in)
}

// forget begins anew, with all values in the register file.
func (c *compiler) forget() {
	c.values, c.order = map[place]*value{}, nil
}

// spoiled says whether the run changes what it reads.
func (c *compiler) spoiled() bool {
	if c.changesRows() {
		return true
	}
	for _, list := range c.events {
		for _, e := range list {
			if e.write && !list[0].write {
				return true
			}
		}
	}
	return false
}

// body emits the instructions of the run for a group.
func (c *compiler) body() {
	c.enterSlots()
	for _, s := range c.steps {
		in := &c.run.Code[s.inst]
		c.at = s.inst
		c.enter(s.group, in)
		c.note(in)
		if in.Op == isa.OpStore && plan.Indexed(in) {
			c.checkIndex(in)
		}
		c.find(c.features, in)(c, in)
	}
	c.at = len(c.run.Code)
	c.across.masked = -1
	c.keep()
}

// loop emits body once, in a loop over the groups of lanes of all chunks in which any lane runs.
func (c *compiler) loop(body func()) {
	chunk, nextChunk := c.NewLabel(), c.NewLabel()
	c.G(amd64.MOV, amd64.B64, regChunk, field(wave.FrameBase))
	c.G(amd64.MOV, amd64.B64, regExec, field(wave.FrameExec))
	c.G(amd64.MOV, amd64.B64, regChunks, field(wave.FrameChunks))
	if c.rows != nil {
		c.G(amd64.MOV, amd64.B64, regPrivate, field(wave.FramePrivate))
	}
	c.Bind(chunk)
	c.G(amd64.CMP, amd64.B64, amd64.Mem{Base: regExec}, amd64.Imm(0))
	c.Jcc(amd64.Equal, nextChunk)
	if c.chunk != nil {
		c.chunk()
	}
	c.G(amd64.XOR, amd64.B32, regLane, regLane)
	c.G(amd64.XOR, amd64.B32, regByte, regByte)
	if c.across.groups > 0 {
		c.across.reset()
		body()
	} else {
		c.eachGroup(body)
	}
	c.Bind(nextChunk)
	c.G(amd64.ADD, amd64.B64, regChunk, regStride)
	c.G(amd64.ADD, amd64.B64, regExec, amd64.Imm(8))
	if c.rows != nil {
		c.G(amd64.ADD, amd64.B64, regPrivate, amd64.Imm(c.layout.PrivateStride))
	}
	c.G(amd64.DEC, amd64.B64, regChunks)
	c.Jcc(amd64.NotEqual, chunk)
}

// eachGroup emits body once, in a loop over the groups of a chunk in which any lane runs. Where a group has none,
// the lanes behind it say which is the next one.
func (c *compiler) eachGroup(body func()) {
	group, none, done := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.Align(16)
	c.Bind(group)
	c.bits(regTemp, amd64.Mem{Base: regExec})
	c.Jcc(amd64.Equal, none)
	c.set.enter(c)
	body()
	c.G(amd64.ADD, amd64.B32, regLane, amd64.Imm(c.lanes))
	if c.lanes >= 8 {
		c.G(amd64.ADD, amd64.B32, regByte, amd64.Imm(c.lanes/8))
	}
	c.G(amd64.CMP, amd64.B32, regLane, amd64.Imm(64))
	c.Jcc(amd64.Below, group)
	c.Later(func() {
		c.Bind(none)
		c.V(amd64.SHRXQ, amd64.X, regTemp, amd64.Mem{Base: regExec}, regLane)
		c.G(amd64.TZCNT, amd64.B64, regTemp, regTemp)
		c.Jcc(amd64.Carry, done)
		c.G(amd64.ADD, amd64.B32, regLane, regTemp)
		c.G(amd64.AND, amd64.B32, regLane, amd64.Imm(-c.lanes))
		if c.lanes >= 8 {
			c.G(amd64.MOV, amd64.B32, regByte, regLane)
			c.G(amd64.SHR, amd64.B32, regByte, amd64.Imm(3))
		}
		c.Jmp(group)
	})
	c.Bind(done)
}

// bits loads the bits of a group's lanes out of the chunk's word at m, and compares
// them with 0.
func (c *compiler) bits(r amd64.Reg, m amd64.Mem) {
	switch c.lanes {
	case 16:
		m.Index = regByte
		c.G(amd64.MOVZX16, amd64.B32, r, m)
		c.G(amd64.TEST, amd64.B32, r, r)
	case 8:
		m.Index = regByte
		c.G(amd64.MOVZX8, amd64.B32, r, m)
		c.G(amd64.TEST, amd64.B32, r, r)
	default:
		c.V(amd64.SHRXQ, amd64.X, r, m, regLane)
		c.G(amd64.AND, amd64.B32, r, amd64.Imm(1<<c.lanes-1))
	}
}

// width returns how many bits of a vector register a group's elements of a type fill.
func (c *compiler) width(t isa.Type) amd64.Width {
	size := 4 * c.lanes
	if t.Bank() == isa.Bank64 {
		size *= 2
	}
	return amd64.Width(bits.TrailingZeros(uint(size / amd64.X.Bytes())))
}

// register returns a new virtual register for what is in a file.
func (c *compiler) register(f file) int {
	if f == fileMask {
		return int(c.NewMask())
	}
	return int(c.NewVec())
}

// vec returns a vector register for a result or something in between.
func (c *compiler) vec() amd64.Vec { return c.NewVec() }

// memory returns where a group's elements of a value are in the register file.
func (c *compiler) memory(v *value) amd64.Mem {
	m := amd64.Mem{Base: regChunk, Index: regLane, Scale: 4, Disp: int32(v.off)}
	switch v.bank {
	case isa.Bank8:
		m.Scale = 1
	case isa.Bank16:
		m.Scale = 2
	case isa.Bank64:
		m.Scale = 8
	case isa.BankMask:
		m.Index, m.Scale = regByte, 1
	case bankWord:
		m.Base = regPrivate
	}
	return c.elsewhere(v, m)
}

// typeOf returns a type of the bank's elements.
func typeOf(b isa.Bank) isa.Type {
	switch b {
	case isa.Bank64:
		return isa.I64
	case isa.BankMask:
		return isa.B1
	case isa.Bank8:
		return isa.I8
	case isa.Bank16:
		return isa.I16
	}
	return isa.I32
}

// fileLoads is how elements get into vector registers, where those of 8 and 16 bits are zero-extended to 32.
var fileLoads = [isa.NumBanks]amd64.Op{isa.Bank8: amd64.VPMOVZXBD, isa.Bank16: amd64.VPMOVZXWD, isa.Bank32: amd64.VMOVDQU32, isa.Bank64: amd64.VMOVDQU64}

// store puts a value that is in a register into the register file.
func (c *compiler) store(v *value) {
	v.dirty, v.linear = false, nil // what is stored comes back from there
	defer c.back(c.enterValue(v))
	if v.bank == isa.BankMask {
		c.set.storeBool(c, v)
		return
	}
	c.canonical(v)
	switch {
	case narrow(typeOf(v.bank)):
		c.set.storeNarrow(c, v)
	case v.dense:
		c.V(opMove.of(typeOf(v.bank)), c.width(typeOf(v.bank)), c.memory(v), amd64.Vec(v.reg))
	default:
		c.set.storeSome(c, v)
	}
}

// canonical makes the NaNs of a value in a register canonical.
func (c *compiler) canonical(v *value) {
	if !v.loose {
		return
	}
	v.loose = false
	t := isa.F32
	if v.wide {
		t = isa.F64
	}
	c.set.canonical(c, t, amd64.Vec(v.reg))
}

// value returns what a vector register of the bytecode holds.
func (c *compiler) value(r isa.Reg, t isa.Type) *value {
	p := place{t.Bank(), r.Index(), c.across.group}
	v := c.values[p]
	if v == nil {
		v = &value{place: p, off: c.run.Offset(r, t), reg: -1, old: -1}
		c.values[p] = v
		c.order = append(c.order, v)
	}
	return v
}

// scalar returns where a scalar register is.
func scalar(r isa.Reg) amd64.Mem { return amd64.Mem{Base: regScalars, Disp: int32(r.Index()) * 8} }

// load returns the vector register that holds an operand. With bits set it is
// looked at as bits, in which NaNs are canonical. Elements of 8 and 16 bits are as
// compiler.view says.
func (c *compiler) load(r isa.Reg, t isa.Type, bits bool) amd64.Vec {
	if r.IsScalar() {
		if x, ok := c.spreads[spread{r, t.Bank()}]; ok {
			return x
		}
		x := c.vec()
		if narrow(t) {
			c.spreadNarrow(r, t, x)
			return x
		}
		c.V(opSpread.of(t), c.width(t), x, scalar(r))
		return x
	}
	v := c.value(r, t)
	if v.reg < 0 {
		v.reg = c.register(fileVec)
		if v.linear != nil {
			v.linear.spread(c, amd64.Vec(v.reg))
		} else {
			c.V(fileLoads[v.bank], c.width(t), amd64.Vec(v.reg), c.memory(v))
			c.Rematerialise(amd64.Vec(v.reg))
			if c.merges {
				v.old = v.reg
			}
		}
	}
	if bits {
		c.canonical(v)
	}
	return c.seen(t, amd64.Vec(v.reg))
}

// operand is load, but a scalar may stay in memory, to be broadcast by the instruction that uses it.
func (c *compiler) operand(r isa.Reg, t isa.Type, bits bool) amd64.Operand {
	if r.IsScalar() && c.set.broadcasts() && !narrow(t) {
		if x, ok := c.spreads[spread{r, t.Bank()}]; ok {
			return x
		}
		return scalar(r).Bcast()
	}
	return c.load(r, t, bits)
}

// inRegister returns what a vector of booleans holds, in a register.
func (c *compiler) inRegister(r isa.Reg) *value {
	v := c.value(r, isa.B1)
	if v.reg < 0 {
		v.reg = c.register(c.set.file(isa.BankMask))
		c.set.loadBool(c, v)
	}
	return v
}

// define makes register reg the result of the present instruction.
func (c *compiler) define(in *isa.Inst, t isa.Type, reg int, loose bool) {
	v := c.value(in.Dst, t)
	if c.home != nil && v.bank != isa.BankMask && c.home(v, amd64.Vec(reg), loose, t == isa.F64) {
		return
	}
	v.reg, v.dirty, v.keep, v.linear = reg, true, c.run.Keep[c.at], nil
	v.dense, v.loose, v.wide = in.Flags&isa.FlagDense != 0, loose, t == isa.F64
	c.forgetLanes(v)
}

// result makes x the result. Elements of 8 and 16 bits are as compiler.view says.
func (c *compiler) result(in *isa.Inst, t isa.Type, x amd64.Vec) {
	c.unseen(t, x)
	c.define(in, t, int(x), false)
}

// resultFloat is result for what float arithmetic made.
func (c *compiler) resultFloat(in *isa.Inst, x amd64.Vec) { c.define(in, in.Type, int(x), true) }

// constant returns the value of a scalar operand that is the same in all launches.
func (c *compiler) constant(r isa.Reg) (uint64, bool) {
	if !r.IsScalar() {
		return 0, false
	}
	v, ok := c.constants[r.Index()]
	return v, ok
}

// spread is a scalar with as many bits as the elements of a register.
type spread struct {
	scalar isa.Reg
	bank   isa.Bank
}

// keep puts what the register file does not have yet there, as far as it is of use.
func (c *compiler) keep() {
	for _, v := range c.order {
		if v.dirty && v.keep {
			c.store(v)
		}
	}
}

// note puts the bytecode of an instruction in front of its machine code in a listing.
func (c *compiler) note(in *isa.Inst) {
	if c.Lists() {
		c.Note(c.run.Kernel().InstText(in))
	}
}

// wider returns the width of the registers of the wider one of two types.
func (c *compiler) wider(a, b isa.Type) amd64.Width {
	if a.Bits() > b.Bits() {
		return c.width(a)
	}
	return c.width(b)
}
