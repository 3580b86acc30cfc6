package native

import (
	"encoding/binary"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// A run that has instructions across lanes has all groups of a chunk in registers at once, as far as there is
// room: a sub-group lies inside a chunk. What stands between two such instructions is emitted for one group
// after the other, by the same emitters as elsewhere.

// task is an instruction of a run for a group, or for all of a chunk, of which first is the first one.
type task struct{ inst, group, first int }

const allGroups = -1

// across is what the compiler knows of groups in a run with instructions across lanes.
type across struct {
	groups int // of a chunk; 0 in other runs
	first  int // the first one of the present chunk, where several are done together
	group  int // the present one
	lane   int // the group that regLane and regByte tell, or -1
	masked int // the group whose execution mask is at hand, or -1
}

func (a *across) reset() { a.first, a.group, a.lane, a.masked = 0, 0, 0, -1 }

// Banks of what instructions across lanes know of the lanes in a register: none that the bytecode has.
const (
	bankPick   = isa.NumBanks + iota // the elements to take, as an index of VPERMI2D
	bankPick64                       // of VPERMI2Q
	bankValid                        // the lanes that name one of their sub-group
)

// schedule puts the instructions of the run in order.
func (c *compiler) schedule() {
	code := c.run.Code
	for i := range code {
		if plan.Crosses(&code[i]) {
			c.across.groups = 64 / c.lanes
		}
	}
	groups := max(c.across.groups, 1)
	for i := 0; i < len(code); {
		end := i + 1
		if c.across.groups > 0 && plan.Crosses(&code[i]) {
			c.plan(i, allGroups)
			i = end
			continue
		}
		for end < len(code) && !(c.across.groups > 0 && plan.Crosses(&code[end])) {
			end++
		}
		for g := range groups {
			for k := i; k < end; k++ {
				c.plan(k, g)
			}
		}
		i = end
	}
}

// plan adds a step and notes the places that it uses.
func (c *compiler) plan(inst, group int) {
	at, in := len(c.steps), &c.run.Code[inst]
	c.steps = append(c.steps, task{inst, group, c.across.first})
	if c.events == nil {
		return // a region, for which nobody asks
	}
	first, end := group, group+1
	if group == allGroups {
		first, end = c.across.first, c.across.first+c.across.groups
	}
	note := func(b isa.Bank, r isa.Reg, write bool) {
		for g := first; g < end && r.IsVector(); g++ {
			p := place{b, r.Index(), g}
			c.events[p] = append(c.events[p], event{at, write})
		}
	}
	dst, t := c.run.Kernel().Operands(in, func(r isa.Reg, t isa.Type) { note(t.Bank(), r, false) })
	if dst != isa.None {
		note(t.Bank(), dst, true)
	}
}

func pickBank(t isa.Type) isa.Bank {
	if t.Bank() == isa.Bank64 {
		return bankPick64
	}
	return bankPick
}

// checkSubgroup refuses a run with instructions across lanes if sub-groups do not lie inside chunks.
func (c *compiler) checkSubgroup() {
	if c.across.groups == 0 && c.parts == nil {
		return
	}
	c.G(amd64.CMP, amd64.B64, amd64.Mem{Base: regFrame, Disp: int32(wave.FrameLanes)}, amd64.Imm(0))
	c.Jcc(amd64.Equal, c.refuse)
}

// enter makes ready for an instruction that works on a group.
func (c *compiler) enter(group int, in *isa.Inst) {
	if c.across.groups == 0 || group == allGroups {
		return
	}
	c.across.group = group
	switch in.Op {
	case isa.OpMath1, isa.OpMath2, isa.OpMath3: // may leave lanes to Go (see Call)
		c.masked()
	case isa.OpBuiltin:
		c.locate(group)
	}
}

// locate has regLane and regByte tell a group.
func (c *compiler) locate(group int) {
	if c.across.groups == 0 || c.across.lane == group {
		return
	}
	c.across.lane = group
	c.G(amd64.MOV, amd64.B32, regLane, amd64.Imm(group*c.lanes))
	c.G(amd64.MOV, amd64.B32, regByte, amd64.Imm(group*c.lanes/8))
}

// masked has the execution mask of the present group at hand.
func (c *compiler) masked() {
	if c.across.masked == c.across.group {
		return
	}
	c.across.masked = c.across.group
	c.set.enterFrom(c)
}

// elsewhere returns m, where the present group's elements of a value are, for the value's own group.
func (c *compiler) elsewhere(v *value, m amd64.Mem) amd64.Mem {
	if c.across.groups == 0 {
		return m
	}
	group, chunk := v.group%c.across.groups, c.chunkOf(v.group)
	switch {
	case v.bank != isa.BankMask:
		m.Disp += chunk + int32(group*c.lanes*int(m.Scale))
		m.Index, m.Scale = amd64.NoReg, 0
	case c.lanes >= 8:
		m.Disp += chunk + int32(group*c.lanes/8)
		m.Index, m.Scale = amd64.NoReg, 0
	default:
		c.locate(v.group)
	}
	return m
}

// chunkOf returns how far the registers of a group's chunk are from those of the first, where several are
// done together.
func (c *compiler) chunkOf(group int) int32 {
	return int32(group/c.across.groups) * int32(c.run.Stride())
}

// enterValue makes ready for a store of a value, back for what was there before.
func (c *compiler) enterValue(v *value) across {
	was := c.across
	if was.groups > 0 {
		c.across.group = v.group
		if !v.dense {
			c.masked()
		}
	}
	return was
}

func (c *compiler) back(was across) {
	if was.groups == 0 {
		return
	}
	c.across.group = was.group
	if was.masked == was.group {
		c.masked()
	}
	if was.lane == was.group {
		c.locate(was.group)
	}
}

// crossings is the family of instructions across the lanes of a sub-group.
func crossings(_ amd64.Features, in *isa.Inst) emitter {
	mask := in.Type == isa.B1
	switch in.Op {
	case isa.OpShuffle, isa.OpShuffle2:
		if mask {
			return (*compiler).shuffleBits
		}
		return (*compiler).shuffle
	case isa.OpBroadcastFirst:
		if mask {
			return (*compiler).broadcastFirstBit
		}
		return (*compiler).broadcastFirst
	case isa.OpScan:
		return scans(in)
	case isa.OpBallot:
		return (*compiler).ballot
	case isa.OpElect:
		return (*compiler).elect
	case isa.OpVote:
		if mask {
			return (*compiler).vote
		}
		if in.Type != isa.F16 {
			return (*compiler).voteEqual
		}
	}
	return nil
}

// everyGroup calls f for each group of the chunk, as the present one.
func (c *compiler) everyGroup(f func(g int)) {
	for g := range c.across.groups {
		c.across.group = c.across.first + g
		f(g)
	}
}

// sources returns the vector registers that hold an operand, by group.
func (c *compiler) sources(r isa.Reg, t isa.Type, bits bool) []amd64.Vec {
	x := make([]amd64.Vec, c.across.groups)
	c.everyGroup(func(g int) {
		if g > 0 && r.IsScalar() {
			x[g] = x[0]
			return
		}
		x[g] = c.load(r, t, bits)
	})
	return x
}

// vecs returns registers for results or something in between, by group.
func (c *compiler) vecs() []amd64.Vec {
	x := make([]amd64.Vec, c.across.groups)
	for g := range x {
		x[g] = c.vec()
	}
	return x
}

// lanesTable loads the address of the table of the sub-group size into regAddress and returns its fields.
func (c *compiler) lanesTable() func(field uintptr) amd64.Mem {
	c.G(amd64.MOV, amd64.B64, regAddress, amd64.Mem{Base: regFrame, Disp: int32(wave.FrameLanes)})
	return func(field uintptr) amd64.Mem { return amd64.Mem{Base: regAddress, Disp: int32(field)} }
}

// laterInChunk has f emit code that is seldom run behind the rest, for the present chunk.
func (c *compiler) laterInChunk(f func()) {
	now := c.across
	c.kernel.later(func() {
		c.across = now
		f()
	})
}

// execWord is the chunk's word of the execution mask.
func (c *compiler) execWord() amd64.Mem { return c.execOf(0) }

// execOf is the part of it of the chunk's group g.
func (c *compiler) execOf(g int) amd64.Mem {
	return amd64.Mem{Base: regExec, Disp: int32((c.across.first + g) * c.lanes / 8)}
}

// numbers returns the numbers of a group's lanes in their part of n lanes of the chunk, as elements of 32
// bits.
func (c *compiler) numbers(g, n int) amd64.Mem {
	var b []byte
	for i := range c.lanes {
		b = binary.LittleEndian.AppendUint32(b, uint32((g*c.lanes+i)%n))
	}
	return c.Const(b)
}

// taking returns copies of x in which lanes that do not run are zero.
func (c *compiler) taking(x []amd64.Vec, t isa.Type) []amd64.Vec {
	y, w := c.vecs(), c.width(t)
	some, done := c.NewLabel(), c.NewLabel()
	c.G(amd64.CMP, amd64.B64, c.execWord(), amd64.Imm(-1))
	c.Jcc(amd64.NotEqual, some)
	for g := range y {
		c.V(opCopy.of(t), w, y[g], x[g])
	}
	c.Bind(done)
	c.laterInChunk(func() {
		c.Bind(some)
		for g := range y {
			c.V(c.kmov(), amd64.X, maskTemp, c.execOf(g))
			c.V(opCopy.of(t), w, y[g], x[g], amd64.Zero(maskTemp))
		}
		c.Jmp(done)
	})
	return y
}

var opPick = pair{amd64.VPERMI2D, amd64.VPERMI2Q}

// pick is what takes elements of tables: registers that hold consecutive groups of the chunk.
type pick struct {
	t      isa.Type
	tables [][]amd64.Vec // those of the second operand follow those of the first
	part   amd64.Vec     // temporary registers
	from   amd64.Vec
	temp   amd64.Vec
}

func (c *compiler) newPick(t isa.Type, tables ...[]amd64.Vec) *pick {
	return &pick{t: t, tables: tables, part: c.vec(), from: c.vec(), temp: c.vec()}
}

// known returns what is known of the lanes that an index register names, or nil.
func (c *compiler) known(b isa.Bank, r isa.Reg) *value {
	if !r.IsVector() {
		return nil
	}
	p := place{b, r.Index(), c.across.group}
	v := c.values[p]
	if v == nil {
		v = &value{place: p, reg: -1}
		c.values[p] = v
	}
	return v
}

// forgetLanes drops what was known of a register's lanes, which changes.
func (c *compiler) forgetLanes(v *value) {
	if c.across.groups == 0 || v.bank != isa.Bank32 {
		return
	}
	for _, b := range [...]isa.Bank{bankPick, bankPick64, bankValid} {
		if k := c.values[place{b, v.index, v.group}]; k != nil {
			k.reg = -1
		}
	}
}

// hold keeps something that is known in a register.
func (c *compiler) hold(v *value, reg int) {
	if v == nil {
		return
	}
	v.reg = reg
}

// pickNamed emits the choice of the present group's elements by the lanes that r names.
func (c *compiler) pickNamed(p *pick, r isa.Reg) amd64.Vec {
	index, valid := c.known(pickBank(p.t), r), c.known(bankValid, r)
	if index != nil && index.reg >= 0 && valid.reg >= 0 {
		d := c.vec()
		var lanes amd64.Operand
		if v := c.value(r, isa.I32); v.reg >= 0 {
			lanes = amd64.Vec(v.reg)
		} else {
			lanes = c.memory(v)
		}
		c.pick(p, d, amd64.Vec(index.reg), amd64.Mask(valid.reg), lanes)
		return d
	}
	lanes := c.load(r, isa.I32, true)
	d, j, k := c.pickLanes(p, lanes)
	c.hold(index, int(j))
	c.hold(valid, int(k))
	return d
}

// pickLanes chooses elements by the lanes in a register, and returns the index and the mask that do so.
func (c *compiler) pickLanes(p *pick, lanes amd64.Vec) (d, index amd64.Vec, valid amd64.Mask) {
	d, index, valid = c.vec(), c.vec(), c.mask()
	w := c.width(isa.I32)
	field := c.lanesTable()
	c.V(amd64.VPBROADCASTD, w, index, field(wave.LanesLast))
	c.V(amd64.VPTERNLOGD, w, index, lanes, c.numbers(c.across.group-c.across.first, 2*c.lanes), amd64.Imm(ternarySelect))
	c.V(amd64.VPCMPUD, w, valid, lanes, field(wave.LanesSize).Bcast(), amd64.Imm(intLess))
	if p.t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVZXDQ, c.width(p.t), index, index)
	}
	c.pick(p, d, index, valid, lanes)
	return d, index, valid
}

// pick chooses the present group's elements. Sub-groups of up to two groups use index and
// valid, larger ones the lanes themselves.
func (c *compiler) pick(p *pick, d, index amd64.Vec, valid amd64.Mask, lanes amd64.Operand) {
	t, w := p.t, c.width(p.t)
	g := c.across.group - c.across.first
	wide, done := c.NewLabel(), c.NewLabel()
	field := c.lanesTable()
	c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(2*c.lanes))
	c.Jcc(amd64.Above, wide)
	c.V(opCopy.of(t), w, d, index)
	c.V(opPick.of(t), w, d, p.tables[0][g&^1], p.tables[0][g|1], amd64.Zero(valid))
	if len(p.tables) > 1 {
		// The lanes of the second window.
		n := c.width(isa.I32)
		if m, ok := lanes.(amd64.Mem); ok {
			c.V(amd64.VMOVDQU32, n, p.part, m)
			c.V(amd64.VPSUBD, n, p.part, p.part, field(wave.LanesSize).Bcast())
		} else {
			c.V(amd64.VPSUBD, n, p.part, lanes, field(wave.LanesSize).Bcast())
		}
		c.V(amd64.VPCMPUD, n, maskTemp, p.part, field(wave.LanesSize).Bcast(), amd64.Imm(intLess))
		c.V(opCopy.of(t), w, p.from, index)
		c.V(opPick.of(t), w, p.from, p.tables[1][g&^1], p.tables[1][g|1])
		c.V(opCopy.of(t), w, d, p.from, amd64.Merge(maskTemp))
	}
	c.Bind(done)
	c.laterInChunk(func() {
		c.Bind(wide)
		for size := 4 * c.lanes; size <= wave.MaxLanes; size *= 2 {
			next := c.NewLabel()
			if size < wave.MaxLanes {
				c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(size))
				c.Jcc(amd64.NotEqual, next)
			}
			c.pickWide(p, d, g, size/c.lanes, lanes)
			c.Jmp(done)
			c.Bind(next)
		}
	})
}

// pickWide chooses elements of sub-groups of n groups, from two of them at a time.
func (c *compiler) pickWide(p *pick, d amd64.Vec, g, n int, lanes amd64.Operand) {
	t, w, narrow := p.t, c.width(p.t), c.width(isa.I32)
	c.V(amd64.VMOVDQU32, narrow, p.temp, lanes)
	c.V(amd64.VPSRLD, narrow, p.part, p.temp, amd64.Imm(bits.TrailingZeros(uint(2*c.lanes))))
	if t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVZXDQ, w, p.temp, p.temp)
	}
	c.V(opXor.of(t), w, d, d, d)
	number := uint32(0)
	for _, table := range p.tables {
		for first := g &^ (n - 1); first < g&^(n-1)+n; first += 2 {
			c.V(amd64.VPCMPUD, narrow, maskTemp, p.part, c.Const32(number).Bcast(), amd64.Imm(intEqual))
			c.V(opCopy.of(t), w, p.from, p.temp)
			c.V(opPick.of(t), w, p.from, table[first], table[first+1])
			c.V(opCopy.of(t), w, d, p.from, amd64.Merge(maskTemp))
			number++
		}
	}
}

// moved returns an operand that is moved as it is: NaNs of all kinds may stay in floats, which loose says.
func (c *compiler) moved(r isa.Reg, t isa.Type) (x []amd64.Vec, loose bool) {
	x = c.sources(r, t, t.IsInt())
	c.everyGroup(func(int) {
		if r.IsVector() && t.IsFloat() && c.value(r, t).loose {
			loose = true
		}
	})
	return x, loose
}

// shuffle is OpShuffle and OpShuffle2 of anything but booleans.
func (c *compiler) shuffle(in *isa.Inst) {
	t := in.Type
	x, loose := c.moved(in.A, t)
	tables, lanes := [][]amd64.Vec{c.taking(x, t)}, in.B
	if in.Op == isa.OpShuffle2 {
		lanes = in.C
		y, other := c.moved(in.B, t)
		loose = loose || other
		tables = append(tables, c.taking(y, t))
	}
	p := c.newPick(t, tables...)
	c.everyGroup(func(int) {
		d := c.pickNamed(p, lanes)
		c.define(in, t, int(d), loose)
	})
}

// broadcastFirst is a shuffle in which all lanes name the lowest that runs.
func (c *compiler) broadcastFirst(in *isa.Inst) {
	x, loose := c.moved(in.A, in.Type)
	p := c.newPick(in.Type, x)
	c.everyGroup(func(g int) {
		d, _, _ := c.pickLanes(p, c.firstLane())
		c.define(in, in.Type, int(d), loose)
	})
}

// firstLane returns the lowest running lane of each lane's sub-group, for the present group.
func (c *compiler) firstLane() amd64.Vec {
	w, g := c.width(isa.I32), c.across.group-c.across.first
	d, x := c.vec(), c.vec()
	whole, done := c.NewLabel(), c.NewLabel()
	field := c.lanesTable()
	c.G(amd64.CMP, amd64.B32, field(wave.LanesSize), amd64.Imm(64))
	c.Jcc(amd64.Equal, whole)
	c.V(amd64.VPBROADCASTD, w, x, field(wave.LanesLast))
	c.V(amd64.VPANDND, w, x, x, c.numbers(g, 32))
	c.V(amd64.VPBROADCASTD, w, d, c.execWord().Plus(int32(g*c.lanes/32*4)))
	c.V(amd64.VPSRLVD, w, d, d, x)
	c.V(amd64.VPXORD, w, x, x, x)
	c.V(amd64.VPSUBD, w, x, x, d)
	c.V(amd64.VPANDD, w, d, d, x) // the lowest one
	c.V(amd64.VPLZCNTD, w, d, d)
	c.V(amd64.VPXORD, w, d, d, c.Const32(31).Bcast())
	c.Bind(done)
	c.laterInChunk(func() {
		c.Bind(whole)
		c.G(amd64.TZCNT, amd64.B64, regTemp, c.execWord())
		c.V(amd64.VPBROADCASTD, w, d, regTemp)
		c.Jmp(done)
	})
	return d
}
