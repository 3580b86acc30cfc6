package x86

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// What the general registers hold in a run. RegFrame, RegScalars, RegStride and RegSlots do so in all of the
// function.
const (
	RegFrame   = amd64.RDI
	RegScalars = amd64.RSI
	RegChunk   = amd64.R8  // the registers of the chunk
	RegExec    = amd64.R9  // the chunk's word of the execution mask
	RegStride  = amd64.R10 // from chunk to chunk
	RegLane    = amd64.R11 // the first lane of the group
	RegByte    = amd64.R12 // the same, eight lanes a byte: where its bits are in a word
	RegChunks  = amd64.RCX // chunks left
	RegSlots   = amd64.R13 // Frame.Slots
	RegTemp    = amd64.RAX
	RegAddress = amd64.RDX // nothing for long
)

// Place is what a vector register of the bytecode is known by.
type Place struct {
	Bank  isa.Bank
	Index int
	Group int // of the chunk, where several are in registers at once: see cross.go
}

// Event is a use of a place by a step of the run.
type Event struct {
	At    int
	Write bool
}

// Value is what a place holds.
type Value struct {
	Place
	Off   uint32 // of the place in a chunk
	Reg   int    // the virtual register that holds it, or -1
	Dirty bool   // the register file does not have it yet
	Keep  bool   // it is used behind the run
	Dense bool   // lanes that do not run may be written
	// loose says that it may have NaNs that are not the canonical one. wide says
	// that they are those of F64, and of a boolean in a vector register that
	// its lanes have 64 bits.
	Loose, Wide bool
	Linear      spreader // where reg is -1: what it is, if it is nowhere but in a scalar
}

// spreader is what a value is made of that is in no vector register yet.
type spreader interface {
	// spread gives it to the lanes of a vector register.
	Spread(c *Compiler, d amd64.Vec)
}

// Compiler makes the function of a run.
type Compiler struct {
	*Context
	ISA    set
	Run    *plan.Run
	Lanes  int         // of a group
	Steps  []Task      // the instructions for the groups, in order
	Index  int         // the instruction
	Refuse amd64.Label // where the run ends without having been done
	Values map[Place]*Value
	Events map[Place][]Event
	Order  []*Value // in the order of first use

	View View // how it looks at elements of 8 and 16 bits
	// Home, if there is one, takes a result to a register of its own if that is where it belongs.
	Home func(v *Value, x amd64.Vec, loose, wide bool) bool

	Parting  bool              // lanes part, so that active has those that run
	active   amd64.Mask        // the lanes of the group that run, where MaskExec has those of the present block
	resting  amd64.Vec         // without mask registers, ones in those that do not
	IdleAt   map[int]amd64.Mem // where a region has, without mask registers, the lanes of a group that do not run
	Checked  bool              // divisors are known not to be 0
	confined bool              // accesses to private memory at places that differ between lanes are known to be inside
	Across   across            // a run with instructions across lanes

	slots    map[int]*slotState   // of the run, by number
	adjacent map[int]int          // by load that is emitted together with others: which of them it is (adjacent.go)
	Rows     map[int]RowPlace     // likewise; nil if the run has none
	parts    map[int]bool         // slots of blocks, with whether the group has seen them; nil if the run has none
	sharing  bool                 // some slot has several accesses, or indices are alike
	Alike    []*alike             // by instruction: its indices; nil before they were looked for
	Under    int                  // the block of a hyperblock whose lanes the present instruction is for, or 0 for all
	Commits  map[int]*Commit      // the stores of a hyperblock; nil in others
	Rowed    *amd64.Mem           // what regSeen is in the beginning of a group, if not 0
	IdsAt    map[int]amd64.Mem    // the addresses of the present chunk's ids, by array, where Chunk works them out
	IdsIn    map[int]amd64.Reg    // those of them that are in registers
	Chunk    func()               // if there is one, it emits what is done once for a chunk
	Spreads  map[Spread]amd64.Vec // scalars that are in registers all the time
	NaN      amd64.Vec            // the canonical NaN of F32 likewise, if HasNaN
	HasNaN   bool
	Ahead    map[Fetched]bool // what is fetched ahead in the group that is being compiled; nil if nothing is to be
}

// GroupOf returns how many lanes fill a register with the widest elements that instructions have. Of an
// access, what is the same for all lanes of its address is none of them: it has been looked at before.
func GroupOf(k *isa.Kernel, code []isa.Inst, s set) int {
	long := false
	for i := range code {
		in := &code[i]
		if AccessesMemory(in) || plan.Blocked(in) {
			long = long || in.Type.Bank() == isa.Bank64 || in.A.IsVector() || in.Idx == isa.Idx64 && in.B.IsVector()
			continue
		}
		_, t := k.Operands(in, func(_ isa.Reg, t isa.Type) { long = long || t.Bank() == isa.Bank64 })
		long = long || t.Bank() == isa.Bank64
	}
	if long {
		return s.Bits() / 64
	}
	return s.Bits() / 32
}

// AccessesMemory says whether an instruction has a pointer, and perhaps an index.
func AccessesMemory(in *isa.Inst) bool {
	return in.Op == isa.OpLoad || in.Op == isa.OpStore || in.Op == isa.OpAtomic
}

// NewCompiler returns what makes the machine code of a run. At refuse the run ends without having been done.
func NewCompiler(k *Context, run *plan.Run, refuse amd64.Label) *Compiler {
	s := SetOf(k.CPU)
	c := &Compiler{Context: k, ISA: s, Run: run, Refuse: refuse,
		Values: map[Place]*Value{}, Events: map[Place][]Event{}, slots: map[int]*slotState{}}
	c.Lanes = GroupOf(run.Kernel(), run.Code, s)
	return c
}

// CompileRun emits the machine code of a run. At refuse the run ends without having been done.
func CompileRun(k *Context, run *plan.Run, refuse amd64.Label) {
	c := NewCompiler(k, run, refuse)
	c.prepareParts()
	c.Schedule()
	c.CheckSubgroup()
	c.PrepareRows()
	first := &run.Code[0]
	if first.Op == isa.OpAtomic {
		c.checkAligned(first)
	}
	if changesAtOnce(run) {
		// Nothing is changed before all of it is known to be in order.
		c.Loop(func() { c.check(first) })
		c.Forget()
	} else if c.spoiled() && (c.Divides() || c.hasApart()) {
		c.Checked = true
		c.Loop(func() {
			c.checkDivisors()
			c.checkApart()
		})
		c.confined = true
		c.Forget()
	}
	c.FindAdjacent(0, len(run.Code), func(int) int { return 0 })
	c.PrepareSlots()
	c.PrepareUniform()
	c.Loop(c.body)
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
func (c *Compiler) check(in *isa.Inst) {
	c.Index = 0
	if plan.Pointed(in) {
		c.inSlot(c.pointerOffset(in))
		return
	}
	if plan.Blocked(in) {
		c.enterParts()
		c.partAddress(in, c.Refuse)
		return
	}
	c.CheckIndex(in)
}

// Forget begins anew, with all values in the register file.
func (c *Compiler) Forget() {
	c.Values, c.Order = map[Place]*Value{}, nil
}

// spoiled says whether the run changes what it reads.
func (c *Compiler) spoiled() bool {
	if c.changesRows() {
		return true
	}
	for _, list := range c.Events {
		for _, e := range list {
			if e.Write && !list[0].Write {
				return true
			}
		}
	}
	return false
}

// body emits the instructions of the run for a group.
func (c *Compiler) body() {
	c.EnterSlots()
	for _, s := range c.Steps {
		in := &c.Run.Code[s.Inst]
		c.Index = s.Inst
		c.Enter(s.Group, in)
		c.NoteInst(in)
		if in.Op == isa.OpStore && plan.Indexed(in) {
			c.CheckIndex(in)
		}
		c.find(c.CPU, in)(c, in)
	}
	c.Index = len(c.Run.Code)
	c.Across.Masked = -1
	c.KeepValues()
}

// Loop emits body once, in a loop over the groups of lanes of all chunks in which any lane runs.
func (c *Compiler) Loop(body func()) {
	chunk, nextChunk := c.NewLabel(), c.NewLabel()
	c.G(amd64.MOV, amd64.B64, RegChunk, Field(wave.FrameBase))
	c.G(amd64.MOV, amd64.B64, RegExec, Field(wave.FrameExec))
	c.G(amd64.MOV, amd64.B64, RegChunks, Field(wave.FrameChunks))
	if c.Rows != nil {
		c.G(amd64.MOV, amd64.B64, regPrivate, Field(wave.FramePrivate))
	}
	c.Bind(chunk)
	c.G(amd64.CMP, amd64.B64, amd64.Mem{Base: RegExec}, amd64.Imm(0))
	c.Jcc(amd64.Equal, nextChunk)
	if c.Chunk != nil {
		c.Chunk()
	}
	c.G(amd64.XOR, amd64.B32, RegLane, RegLane)
	c.G(amd64.XOR, amd64.B32, RegByte, RegByte)
	if c.Across.Groups > 0 {
		c.Across.Reset()
		body()
	} else {
		c.eachGroup(body)
	}
	c.Bind(nextChunk)
	c.G(amd64.ADD, amd64.B64, RegChunk, RegStride)
	c.G(amd64.ADD, amd64.B64, RegExec, amd64.Imm(8))
	if c.Rows != nil {
		c.G(amd64.ADD, amd64.B64, regPrivate, amd64.Imm(c.layout.PrivateStride))
	}
	c.G(amd64.DEC, amd64.B64, RegChunks)
	c.Jcc(amd64.NotEqual, chunk)
}

// eachGroup emits body once, in a loop over the groups of a chunk in which any lane runs. Where a group has none,
// the lanes behind it say which is the next one.
func (c *Compiler) eachGroup(body func()) {
	group, none, done := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.Align(16)
	c.Bind(group)
	c.Bits(RegTemp, amd64.Mem{Base: RegExec})
	c.Jcc(amd64.Equal, none)
	c.ISA.enter(c)
	body()
	c.G(amd64.ADD, amd64.B32, RegLane, amd64.Imm(c.Lanes))
	if c.Lanes >= 8 {
		c.G(amd64.ADD, amd64.B32, RegByte, amd64.Imm(c.Lanes/8))
	}
	c.G(amd64.CMP, amd64.B32, RegLane, amd64.Imm(64))
	c.Jcc(amd64.Below, group)
	c.Later(func() {
		c.Bind(none)
		c.V(amd64.SHRXQ, amd64.X, RegTemp, amd64.Mem{Base: RegExec}, RegLane)
		c.G(amd64.TZCNT, amd64.B64, RegTemp, RegTemp)
		c.Jcc(amd64.Carry, done)
		c.G(amd64.ADD, amd64.B32, RegLane, RegTemp)
		c.G(amd64.AND, amd64.B32, RegLane, amd64.Imm(-c.Lanes))
		if c.Lanes >= 8 {
			c.G(amd64.MOV, amd64.B32, RegByte, RegLane)
			c.G(amd64.SHR, amd64.B32, RegByte, amd64.Imm(3))
		}
		c.Jmp(group)
	})
	c.Bind(done)
}

// Bits loads the bits of a group's lanes out of the chunk's word at m, and compares
// them with 0.
func (c *Compiler) Bits(r amd64.Reg, m amd64.Mem) {
	switch c.Lanes {
	case 16:
		m.Index = RegByte
		c.G(amd64.MOVZX16, amd64.B32, r, m)
		c.G(amd64.TEST, amd64.B32, r, r)
	case 8:
		m.Index = RegByte
		c.G(amd64.MOVZX8, amd64.B32, r, m)
		c.G(amd64.TEST, amd64.B32, r, r)
	default:
		c.V(amd64.SHRXQ, amd64.X, r, m, RegLane)
		c.G(amd64.AND, amd64.B32, r, amd64.Imm(1<<c.Lanes-1))
	}
}

// Width returns how many bits of a vector register a group's elements of a type fill.
func (c *Compiler) Width(t isa.Type) amd64.Width {
	size := 4 * c.Lanes
	if t.Bank() == isa.Bank64 {
		size *= 2
	}
	return amd64.Width(bits.TrailingZeros(uint(size / amd64.X.Bytes())))
}

// Register returns a new virtual register for what is in a file.
func (c *Compiler) Register(f file) int {
	if f == FileMask {
		return int(c.NewMask())
	}
	return int(c.NewVec())
}

// Vec returns a vector register for a result or something in between.
func (c *Compiler) Vec() amd64.Vec { return c.NewVec() }

// Memory returns where a group's elements of a value are in the register file.
func (c *Compiler) Memory(v *Value) amd64.Mem {
	m := amd64.Mem{Base: RegChunk, Index: RegLane, Scale: 4, Disp: int32(v.Off)}
	switch v.Bank {
	case isa.Bank8:
		m.Scale = 1
	case isa.Bank16:
		m.Scale = 2
	case isa.Bank64:
		m.Scale = 8
	case isa.BankMask:
		m.Index, m.Scale = RegByte, 1
	case bankWord:
		m.Base = regPrivate
	}
	return c.elsewhere(v, m)
}

// TypeOf returns a type of the bank's elements.
func TypeOf(b isa.Bank) isa.Type {
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

// FileLoads is how elements get into vector registers, where those of 8 and 16 bits are zero-extended to 32.
var FileLoads = [isa.NumBanks]amd64.Op{isa.Bank8: amd64.VPMOVZXBD, isa.Bank16: amd64.VPMOVZXWD, isa.Bank32: amd64.VMOVDQU32, isa.Bank64: amd64.VMOVDQU64}

// Store puts a value that is in a register into the register file.
func (c *Compiler) Store(v *Value) {
	v.Dirty, v.Linear = false, nil // what is stored comes back from there
	defer c.back(c.enterValue(v))
	if v.Bank == isa.BankMask {
		c.ISA.storeBool(c, v)
		return
	}
	c.canonical(v)
	switch {
	case Narrow(TypeOf(v.Bank)):
		c.ISA.storeNarrow(c, v)
	case v.Dense:
		c.V(OpMove.Of(TypeOf(v.Bank)), c.Width(TypeOf(v.Bank)), c.Memory(v), amd64.Vec(v.Reg))
	default:
		c.ISA.storeSome(c, v)
	}
}

// canonical makes the NaNs of a value in a register canonical.
func (c *Compiler) canonical(v *Value) {
	if !v.Loose {
		return
	}
	v.Loose = false
	t := isa.F32
	if v.Wide {
		t = isa.F64
	}
	c.ISA.Canonical(c, t, amd64.Vec(v.Reg))
}

// Value returns what a vector register of the bytecode holds.
func (c *Compiler) Value(r isa.Reg, t isa.Type) *Value {
	p := Place{t.Bank(), r.Index(), c.Across.Group}
	v := c.Values[p]
	if v == nil {
		v = &Value{Place: p, Off: c.Run.Offset(r, t), Reg: -1}
		c.Values[p] = v
		c.Order = append(c.Order, v)
	}
	return v
}

// Scalar returns where a scalar register is.
func Scalar(r isa.Reg) amd64.Mem { return amd64.Mem{Base: RegScalars, Disp: int32(r.Index()) * 8} }

// Load returns the vector register that holds an operand. With bits set it is
// looked at as bits, in which NaNs are canonical. Elements of 8 and 16 bits are as
// Compiler.View says.
func (c *Compiler) Load(r isa.Reg, t isa.Type, bits bool) amd64.Vec {
	if r.IsScalar() {
		if x, ok := c.Spreads[Spread{r, t.Bank()}]; ok {
			return x
		}
		x := c.Vec()
		if Narrow(t) {
			c.spreadNarrow(r, t, x)
			return x
		}
		c.V(OpSpread.Of(t), c.Width(t), x, Scalar(r))
		return x
	}
	v := c.Value(r, t)
	if v.Reg < 0 {
		v.Reg = c.Register(FileVec)
		if v.Linear != nil {
			v.Linear.Spread(c, amd64.Vec(v.Reg))
		} else {
			c.V(FileLoads[v.Bank], c.Width(t), amd64.Vec(v.Reg), c.Memory(v))
			c.Rematerialise(amd64.Vec(v.Reg))
		}
	}
	if bits {
		c.canonical(v)
	}
	return c.seen(t, amd64.Vec(v.Reg))
}

// Operand is Load, but a scalar may stay in memory, to be broadcast by the instruction that uses it.
func (c *Compiler) Operand(r isa.Reg, t isa.Type, bits bool) amd64.Operand {
	if r.IsScalar() && c.ISA.Broadcasts() && !Narrow(t) {
		if x, ok := c.Spreads[Spread{r, t.Bank()}]; ok {
			return x
		}
		return Scalar(r).Bcast()
	}
	return c.Load(r, t, bits)
}

// InRegister returns what a vector of booleans holds, in a register.
func (c *Compiler) InRegister(r isa.Reg) *Value {
	v := c.Value(r, isa.B1)
	if v.Reg < 0 {
		v.Reg = c.Register(c.ISA.File(isa.BankMask))
		c.ISA.loadBool(c, v)
	}
	return v
}

// Define makes register reg the result of the present instruction.
func (c *Compiler) Define(in *isa.Inst, t isa.Type, reg int, loose bool) {
	v := c.Value(in.Dst, t)
	if c.Home != nil && v.Bank != isa.BankMask && c.Home(v, amd64.Vec(reg), loose, t == isa.F64) {
		return
	}
	v.Reg, v.Dirty, v.Keep, v.Linear = reg, true, c.Run.Keep[c.Index], nil
	v.Dense, v.Loose, v.Wide = in.Flags&isa.FlagDense != 0, loose, t == isa.F64
	c.ForgetLanes(v)
}

// Result makes x the result. Elements of 8 and 16 bits are as Compiler.View says.
func (c *Compiler) Result(in *isa.Inst, t isa.Type, x amd64.Vec) {
	c.unseen(t, x)
	c.Define(in, t, int(x), false)
}

// ResultFloat is result for what float arithmetic made.
func (c *Compiler) ResultFloat(in *isa.Inst, x amd64.Vec) { c.Define(in, in.Type, int(x), true) }

// Constant returns the value of a scalar operand that is the same in all launches.
func (c *Compiler) Constant(r isa.Reg) (uint64, bool) {
	if !r.IsScalar() {
		return 0, false
	}
	v, ok := c.Constants[r.Index()]
	return v, ok
}

// Spread is a scalar with as many bits as the elements of a register.
type Spread struct {
	Scalar isa.Reg
	Bank   isa.Bank
}

// KeepValues puts what the register file does not have yet there, as far as it is of use.
func (c *Compiler) KeepValues() {
	for _, v := range c.Order {
		if v.Dirty && v.Keep {
			c.Store(v)
		}
	}
}

// NoteInst puts the bytecode of an instruction in front of its machine code in a listing.
func (c *Compiler) NoteInst(in *isa.Inst) {
	if c.Lists() {
		c.Note(c.Run.Kernel().InstText(in))
	}
}

// Wider returns the width of the registers of the wider one of two types.
func (c *Compiler) Wider(a, b isa.Type) amd64.Width {
	if a.Bits() > b.Bits() {
		return c.Width(a)
	}
	return c.Width(b)
}
