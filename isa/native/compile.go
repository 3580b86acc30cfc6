package native

import (
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// What the general registers hold in a function.
const (
	regFrame   = amd64.RDI
	regScalars = amd64.RSI
	regChunk   = amd64.R8  // the registers of the chunk
	regExec    = amd64.R9  // the chunk's word of the execution mask
	regStride  = amd64.R10 // from chunk to chunk
	regLane    = amd64.R11 // the first lane of the group
	regByte    = amd64.R12 // the same, eight lanes a byte: where its bits are in a word
	regChunks  = amd64.RCX // chunks left
	regSlots   = amd64.R13 // of the run's loads
	regTemp    = amd64.RAX
	regAddress = amd64.RDX // nothing for long
)

// What some mask registers hold. The others hold booleans.
const (
	maskTemp2 = amd64.K0 // nothing for long
	maskExec  = amd64.K1 // the lanes of the group that run
	maskTemp  = amd64.K2 // nothing for long
	firstBool = amd64.K3
)

const never = int(^uint(0) >> 1)

// place is what a vector register of the bytecode is known by.
type place struct {
	bank  isa.Bank
	index int
}

// event is a use of a place by an instruction of the run.
type event struct {
	at    int
	write bool
}

// value is what a place holds.
type value struct {
	place
	off   uint32 // of the place in a chunk
	reg   int    // the vector or mask register that holds it, or -1
	dirty bool   // the register file does not have it yet
	keep  bool   // it is used behind the run
	dense bool   // lanes that do not run may be written
	// loose says that it may have NaNs that are not the canonical one. wide says
	// that they are those of F64.
	loose, wide bool
}

// compiler makes the function of a run.
type compiler struct {
	*amd64.Assembler
	features  amd64.Features
	constants map[int]uint64
	run       *interp.Run
	lanes     int         // of a group
	at        int         // the instruction
	refuse    amd64.Label // where the run ends without having been done
	refuses   bool
	values    map[place]*value
	events    map[place][]event
	order     []*value // in the order of first use

	// The vector registers and the mask registers.
	vecs, masks [32]*value
	pinned      [2]uint32 // registers that the present instruction uses
}

// compileRun returns the machine code of a run.
func compileRun(f amd64.Features, constants map[int]uint64, run *interp.Run) ([]byte, error) {
	c := &compiler{Assembler: amd64.New(f), features: f, constants: constants, run: run, lanes: 16, values: map[place]*value{}, events: map[place][]event{}}
	for i := range run.Code {
		in := &run.Code[i]
		dst, t := interp.Operands(run.Kernel(), in, func(r isa.Reg, t isa.Type) {
			if t.Bank() == isa.Bank64 {
				c.lanes = 8
			}
			if r.IsVector() {
				p := place{t.Bank(), r.Index()}
				c.events[p] = append(c.events[p], event{i, false})
			}
		})
		if t.Bank() == isa.Bank64 {
			c.lanes = 8
		}
		if dst != isa.None {
			p := place{t.Bank(), dst.Index()}
			c.events[p] = append(c.events[p], event{i, true})
		}
	}
	c.refuse = c.NewLabel()
	if run.Code[0].Op == isa.OpStore {
		// Nothing is stored before all of it is known to be in order.
		c.loop(func() { c.checkIndex(&run.Code[0]) })
		c.vecs, c.masks, c.values, c.order = [32]*value{}, [32]*value{}, map[place]*value{}, nil
		c.loop(func() { c.scatter(&run.Code[0]) })
	} else {
		c.loop(c.body)
	}
	c.G(amd64.RET, amd64.B64)
	if c.refuses {
		c.Bind(c.refuse)
		c.G(amd64.MOV, amd64.B64, amd64.Mem{Base: regFrame, Disp: int32(interp.FrameRefused)}, amd64.Imm(1))
		c.G(amd64.RET, amd64.B64)
	}
	return c.Finish()
}

// body emits the instructions of the run for a group.
func (c *compiler) body() {
	for i := range c.run.Code {
		in := &c.run.Code[i]
		c.at = i
		c.pinned = [2]uint32{}
		find(c.features, in)(c, in)
	}
	c.at = len(c.run.Code)
	for _, v := range c.order {
		if v.dirty && v.keep {
			c.pinned = [2]uint32{}
			c.store(v)
		}
	}
}

// loop emits body once, in a loop over the groups of lanes of all chunks in which any lane runs.
func (c *compiler) loop(body func()) {
	field := func(off uintptr) amd64.Mem { return amd64.Mem{Base: regFrame, Disp: int32(off)} }
	chunk, group, nextGroup, nextChunk := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.G(amd64.MOV, amd64.B64, regScalars, field(interp.FrameScalars))
	c.G(amd64.MOV, amd64.B64, regChunk, field(interp.FrameBase))
	c.G(amd64.MOV, amd64.B64, regExec, field(interp.FrameExec))
	c.G(amd64.MOV, amd64.B64, regStride, field(interp.FrameStride))
	c.G(amd64.MOV, amd64.B64, regChunks, field(interp.FrameChunks))
	c.G(amd64.MOV, amd64.B64, regSlots, field(interp.FrameSlots))
	c.Bind(chunk)
	c.G(amd64.CMP, amd64.B64, amd64.Mem{Base: regExec}, amd64.Imm(0))
	c.Jcc(amd64.Equal, nextChunk)
	c.G(amd64.XOR, amd64.B32, regLane, regLane)
	c.G(amd64.XOR, amd64.B32, regByte, regByte)
	c.Align(16)
	c.Bind(group)
	running := amd64.Mem{Base: regExec, Index: regByte}
	if c.lanes == 16 {
		c.G(amd64.MOVZX16, amd64.B32, regTemp, running)
	} else {
		c.G(amd64.MOVZX8, amd64.B32, regTemp, running)
	}
	c.G(amd64.TEST, amd64.B32, regTemp, regTemp)
	c.Jcc(amd64.Equal, nextGroup)
	c.V(amd64.KMOVW, amd64.X, maskExec, regTemp)
	body()
	c.Bind(nextGroup)
	c.G(amd64.ADD, amd64.B32, regLane, amd64.Imm(c.lanes))
	c.G(amd64.ADD, amd64.B32, regByte, amd64.Imm(c.lanes/8))
	c.G(amd64.CMP, amd64.B32, regLane, amd64.Imm(64))
	c.Jcc(amd64.Below, group)
	c.Bind(nextChunk)
	c.G(amd64.ADD, amd64.B64, regChunk, regStride)
	c.G(amd64.ADD, amd64.B64, regExec, amd64.Imm(8))
	c.G(amd64.DEC, amd64.B64, regChunks)
	c.Jcc(amd64.NotEqual, chunk)
}

// width returns how many bits of a vector register a group's elements of a type fill.
func (c *compiler) width(t isa.Type) amd64.Width {
	if c.lanes == 8 && t.Bank() == isa.Bank32 {
		return amd64.Y
	}
	return amd64.Z
}

// file returns which of compiler.pinned a bank's registers have: 0 for vectors, 1 for masks.
func file(b isa.Bank) int {
	if b == isa.BankMask {
		return 1
	}
	return 0
}

func (c *compiler) holders(file int) *[32]*value {
	if file == 1 {
		return &c.masks
	}
	return &c.vecs
}

// nextRead returns the first instruction, from the present one on, that reads what
// the place holds now, or never.
func (c *compiler) nextRead(p place) int {
	list := c.events[p]
	i := sort.Search(len(list), func(i int) bool { return list[i].at >= c.at })
	if i == len(list) || list[i].write {
		return never
	}
	return list[i].at
}

// take returns a free register of a file, and keeps it from being taken again while
// the present instruction lasts. What it held moves to the register file.
func (c *compiler) take(file int) int {
	first, n := 0, 32
	if file == 1 {
		first, n = int(firstBool), 8
	}
	holders := c.holders(file)
	best, when := -1, -1
	for r := first; r < n; r++ {
		if c.pinned[file]>>r&1 != 0 {
			continue
		}
		v := holders[r]
		next := never
		switch {
		case v == nil:
			best = r
		default:
			next = c.nextRead(v.place)
		}
		if v == nil {
			break
		}
		if next > when || best < 0 {
			best, when = r, next
		}
	}
	if v := holders[best]; v != nil {
		c.pinned[file] |= 1 << best
		if v.dirty && (v.keep || c.nextRead(v.place) != never) {
			c.store(v)
		}
		v.reg = -1
		holders[best] = nil
	}
	c.pinned[file] |= 1 << best
	return best
}

// vec returns a vector register for a result or something in between.
func (c *compiler) vec() amd64.Vec { return amd64.Vec(c.take(0)) }

// mask is vec for masks.
func (c *compiler) mask() amd64.Mask { return amd64.Mask(c.take(1)) }

// memory returns where a group's elements of a value are in the register file.
func (c *compiler) memory(v *value) amd64.Mem {
	m := amd64.Mem{Base: regChunk, Index: regLane, Scale: 4, Disp: int32(v.off)}
	switch v.bank {
	case isa.Bank64:
		m.Scale = 8
	case isa.BankMask:
		m.Index, m.Scale = regByte, 1
	}
	return m
}

// kmov is the move of a group's bits.
func (c *compiler) kmov() amd64.Op {
	if c.lanes == 8 {
		return amd64.KMOVB
	}
	return amd64.KMOVW
}

// typeOf returns a type of the bank's elements.
func typeOf(b isa.Bank) isa.Type {
	switch b {
	case isa.Bank64:
		return isa.I64
	case isa.BankMask:
		return isa.B1
	}
	return isa.I32
}

// store puts a value that is in a register into the register file.
func (c *compiler) store(v *value) {
	if v.bank == isa.BankMask {
		k := amd64.Mask(v.reg)
		if !v.dense {
			c.V(c.kmov(), amd64.X, maskTemp, c.memory(v))
			c.V(amd64.KANDNW, amd64.X, maskTemp, maskExec, maskTemp)
			c.V(amd64.KANDW, amd64.X, maskTemp2, maskExec, k)
			c.V(amd64.KORW, amd64.X, maskTemp2, maskTemp2, maskTemp)
			k = maskTemp2
		}
		c.V(c.kmov(), amd64.X, c.memory(v), k)
		v.dirty = false
		return
	}
	c.canonical(v)
	op := amd64.VMOVDQU32
	if v.bank == isa.Bank64 {
		op = amd64.VMOVDQU64
	}
	w := c.width(typeOf(v.bank))
	if v.dense {
		c.V(op, w, c.memory(v), amd64.Vec(v.reg))
	} else {
		c.V(op, w, c.memory(v), amd64.Vec(v.reg), amd64.Merge(maskExec))
	}
	v.dirty = false
}

// canonical makes the NaNs of a value in a register canonical.
func (c *compiler) canonical(v *value) {
	if !v.loose {
		return
	}
	v.loose = false
	x := amd64.Vec(v.reg)
	if v.wide {
		c.V(amd64.VCMPPD, amd64.Z, maskTemp, x, x, amd64.Imm(cmpUnordered))
		c.V(amd64.VPBROADCASTQ, amd64.Z, x, c.Const64(0x7ff8000000000000), amd64.Merge(maskTemp))
		return
	}
	w := c.width(isa.F32)
	c.V(amd64.VCMPPS, w, maskTemp, x, x, amd64.Imm(cmpUnordered))
	c.V(amd64.VPBROADCASTD, w, x, c.Const32(0x7fc00000), amd64.Merge(maskTemp))
}

// value returns what a vector register of the bytecode holds.
func (c *compiler) value(r isa.Reg, t isa.Type) *value {
	p := place{t.Bank(), r.Index()}
	v := c.values[p]
	if v == nil {
		v = &value{place: p, off: c.run.Offset(r, t), reg: -1}
		c.values[p] = v
		c.order = append(c.order, v)
	}
	return v
}

// scalar returns where a scalar register is.
func scalar(r isa.Reg) amd64.Mem { return amd64.Mem{Base: regScalars, Disp: int32(r.Index()) * 8} }

// load returns the vector register that holds an operand. With bits set it is
// looked at as bits, in which NaNs are canonical.
func (c *compiler) load(r isa.Reg, t isa.Type, bits bool) amd64.Vec {
	if r.IsScalar() {
		x := c.vec()
		op := amd64.VPBROADCASTD
		if t.Bank() == isa.Bank64 {
			op = amd64.VPBROADCASTQ
		}
		c.V(op, c.width(t), x, scalar(r))
		return x
	}
	v := c.value(r, t)
	if v.reg < 0 {
		v.reg = c.take(0)
		c.vecs[v.reg] = v
		op := amd64.VMOVDQU32
		if v.bank == isa.Bank64 {
			op = amd64.VMOVDQU64
		}
		c.V(op, c.width(t), amd64.Vec(v.reg), c.memory(v))
	}
	c.pinned[0] |= 1 << v.reg
	if bits {
		c.canonical(v)
	}
	return amd64.Vec(v.reg)
}

// operand is load, but a scalar stays in memory, to be broadcast by the instruction that uses it.
func (c *compiler) operand(r isa.Reg, t isa.Type, bits bool) amd64.Operand {
	if r.IsScalar() {
		return scalar(r).Bcast()
	}
	return c.load(r, t, bits)
}

// boolean returns the mask register that holds an operand.
func (c *compiler) boolean(r isa.Reg) amd64.Mask {
	if r.IsScalar() {
		k := c.mask()
		c.G(amd64.MOV, amd64.B32, regTemp, scalar(r))
		c.G(amd64.AND, amd64.B32, regTemp, amd64.Imm(1))
		c.G(amd64.NEG, amd64.B32, regTemp)
		c.V(amd64.KMOVW, amd64.X, k, regTemp)
		return k
	}
	v := c.value(r, isa.B1)
	if v.reg < 0 {
		v.reg = c.take(1)
		c.masks[v.reg] = v
		c.V(c.kmov(), amd64.X, amd64.Mask(v.reg), c.memory(v))
	}
	c.pinned[1] |= 1 << v.reg
	return amd64.Mask(v.reg)
}

// define makes register reg the result of the present instruction.
func (c *compiler) define(in *isa.Inst, t isa.Type, reg int, loose bool) {
	v := c.value(in.Dst, t)
	holders := c.holders(file(v.bank))
	if v.reg >= 0 {
		holders[v.reg] = nil
	}
	v.reg, v.dirty, v.keep = reg, true, c.run.Keep[c.at]
	v.dense = in.Flags&isa.FlagDense != 0
	v.loose, v.wide = loose, t == isa.F64
	holders[reg] = v
}

func (c *compiler) result(in *isa.Inst, t isa.Type, x amd64.Vec) { c.define(in, t, int(x), false) }

// resultFloat is result for what float arithmetic made.
func (c *compiler) resultFloat(in *isa.Inst, x amd64.Vec) { c.define(in, in.Type, int(x), true) }

func (c *compiler) resultMask(in *isa.Inst, k amd64.Mask) { c.define(in, isa.B1, int(k), false) }

// constant returns the value of a scalar operand that is the same in all launches.
func (c *compiler) constant(r isa.Reg) (uint64, bool) {
	if !r.IsScalar() {
		return 0, false
	}
	v, ok := c.constants[r.Index()]
	return v, ok
}
