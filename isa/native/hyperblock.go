package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// A hyperblock is several blocks in one pass over the lanes (plan.Hyper), with values in registers all the
// way. Its stores look at their indices in that pass, and take place in passes of their own when nothing can
// go wrong any more.

// maxUsed is how many words of the frame hyperblocks use, besides those for the lanes of blocks.
const maxUsed = len(wave.Hyper{}.Words)

// smallIDs bounds global ids that are computed in 32 bits, that of the group's first item: those of the
// others are less than 2³¹ then.
const smallIDs = 1<<31 - isa.MaxGroupItems

// canHyper says whether a hyperblock can be made.
func canHyper(h *plan.Hyper) bool { return len(h.Masks) <= len(wave.Hyper{}.Lanes) }

// hyper emits the hyperblock that begins with the present block, and before it how it is done straight,
// unless that is nil. Where it cannot be done, control goes on behind it.
func (k *builder) hyper(h *plan.Hyper, s *straight) {
	first := k.block
	b := &k.plan.Blocks[first]
	k.Note("hyperblock")
	ordinary, plain := k.NewLabel(), k.NewLabel()
	k.G(amd64.CMP, amd64.B8, field(wave.FramePlain), amd64.Imm(0))
	k.Jcc(amd64.NotEqual, plain)
	k.Later(func() {
		k.Bind(plain)
		k.G(amd64.MOV, amd64.B8, field(wave.FramePlain), amd64.Imm(0))
		k.Jmp(ordinary)
	})
	k.G(amd64.CMP, amd64.B64, field(wave.FrameMinWait), amd64.Imm(h.Last))
	k.Jcc(amd64.BelowEqual, ordinary)
	for dim, small := range h.Ids {
		if small {
			k.G(amd64.CMP, amd64.B64, field(wave.FrameOrigin+8*uintptr(dim)), amd64.Imm(smallIDs))
			k.Jcc(amd64.Above, ordinary)
		}
	}
	k.ordinary = &ordinary
	for i := range h.Scalars {
		p := h.Scalars[i]
		p.Point = b.Entry
		k.scalar(&p)
	}
	for _, x := range h.Small {
		k.G(amd64.MOV, amd64.B64, regTemp, scalar(x))
		k.G(amd64.SHR, amd64.B64, regTemp, amd64.Imm(31))
		k.Jcc(amd64.NotZero, ordinary)
	}
	k.terms(h.Terms, ordinary)
	for i := range h.Run.Places {
		k.slot(&h.Run.Places[i], b.Entry)
	}
	for i, m := range h.Masks {
		if m != isa.None {
			k.G(amd64.MOV, amd64.B64, laneCount(i), amd64.Imm(0))
		}
	}
	if h.Single {
		s.emit(ordinary)
	} else {
		done := k.NewLabel()
		if s != nil {
			k.Note("version without checks")
			otherwise := k.NewLabel()
			s.emit(otherwise)
			k.Jmp(done)
			k.Bind(otherwise)
			k.Note("version with checks")
		}
		c := &hyper{kernel: k, h: h, compiler: newCompiler(&k.kernelContext, h.Run, ordinary)}
		c.emit()
		k.Bind(done)
	}
	k.ordinary = nil
	for i, m := range h.Masks {
		if m == isa.None {
			k.G(amd64.MOV, amd64.B64, amd64.RAX, field(wave.FrameActive))
			k.count(&k.plan.Blocks[first+i])
			continue
		}
		none := k.NewLabel()
		k.G(amd64.MOV, amd64.B64, amd64.RAX, laneCount(i))
		k.G(amd64.TEST, amd64.B64, amd64.RAX, amd64.RAX)
		k.Jcc(amd64.IsZero, none)
		k.count(&k.plan.Blocks[first+i])
		k.Bind(none)
	}
	for i := range h.Moves {
		k.movScalar(&h.Moves[i], nil)
	}
	k.Jmp(k.points[k.plan.Blocks[h.Last].End])
	k.Bind(ordinary)
}

// hyper is a hyperblock in the making.
type hyper struct {
	*compiler
	kernel     *builder
	h          *plan.Hyper
	used       int // how many of Hyper.Words
	conditions *conditions
}

// laneCount returns where it is counted how many lanes come to a block.
func laneCount(block int) amd64.Mem { return field(wave.HyperLanes + 8*uintptr(block)) }

// use returns a word of the frame.
func (c *hyper) use() amd64.Mem {
	c.used++
	return field(wave.HyperWords + 8*uintptr(c.used-1))
}

// prepareIDs has the addresses of the arrays of ids worked out once for a chunk.
func (c *hyper) prepareIDs() {
	var arrays []int
	c.idsAt = map[int]amd64.Mem{}
	for i := range c.run.Code {
		if in := &c.run.Code[i]; in.Op == isa.OpBuiltin && c.used < maxUsed {
			n := arrayOf(isa.Builtin(in.Imm))
			if _, ok := c.idsAt[n]; n >= 0 && !ok {
				arrays = append(arrays, n)
				c.idsAt[n] = c.use()
			}
		}
	}
	if len(arrays) == 0 {
		return
	}
	c.chunk = func() {
		c.chunkOffset()
		for _, n := range arrays {
			c.G(amd64.MOV, amd64.B64, regAddress, idsField(n))
			c.G(amd64.ADD, amd64.B64, regAddress, regTemp)
			c.G(amd64.MOV, amd64.B64, c.idsAt[n], regAddress)
		}
	}
}

// parted says whether some of its instructions are for some of the lanes.
func (c *hyper) parted() bool {
	return slices.ContainsFunc(c.h.Masks, func(m isa.Reg) bool { return m != isa.None })
}

// emit emits the passes over the lanes.
func (c *hyper) emit() {
	c.schedule()
	c.prepareConditions()
	c.scheduleConditions()
	for i := range c.run.Code {
		if m := c.maskOf(i); m != isa.None && accessesMemory(&c.run.Code[i]) {
			c.reads(m, i)
		}
	}
	c.scheduleEnd()
	if c.parted() {
		c.set.reservePart(c.compiler)
		c.parting = true
	}
	c.prepareCommits()
	c.prepareRows()
	c.prepareAhead()
	c.findAdjacent(0, len(c.run.Code), c.block)
	c.prepareSlots()
	c.prepareUniform()
	c.prepareIDs()
	c.prepareEven()
	c.prepareSpreads(func(int) bool { return false })
	c.loop(c.pass)
	c.idsAt, c.chunk = nil, nil
	for i := range c.run.Code {
		if c.run.Code[i].Op == isa.OpStore {
			c.commit(i)
		}
	}
}

// scheduleEnd notes what is needed behind the last step.
func (c *hyper) scheduleEnd() {
	for _, m := range c.h.Masks {
		if m != isa.None {
			c.reads(m, len(c.steps))
		}
	}
	for _, x := range c.h.Widen {
		c.readsPlace(place{bank: isa.Bank32, index: x.Half.Index()}, len(c.steps))
	}
}

// prepareCommits looks at the stores.
func (c *hyper) prepareCommits() {
	type key struct {
		a, b    isa.Reg
		version int
		idx     isa.IdxType
		scale   uint32
		space   isa.Space
		disp    int32
		under   int
	}
	c.commits = map[int]*commit{}
	bytes, version := map[key]int{}, map[place]int{}
	for i := range c.run.Code {
		in := &c.run.Code[i]
		if accessesMemory(in) && in.Idx != isa.IdxNone && in.B.IsVector() {
			k := key{in.A, in.B, version[place{bank: in.Idx.Type().Bank(), index: in.B.Index()}], in.Idx, in.Scale, in.Space, in.Disp, c.block(i)}
			if in.Op == isa.OpLoad {
				bytes[k] = max(bytes[k], in.Type.Bytes())
			} else {
				all := k
				all.under = 0
				s := &commit{checked: max(bytes[k], bytes[all]) >= in.Type.Bytes()}
				if s.hasApart = int(in.Scale) == in.Type.Bytes() && !narrow(in.Type) && c.used < maxUsed; s.hasApart {
					s.strewn = c.use()
					c.G(amd64.MOV, amd64.B64, s.strewn, amd64.Imm(0))
				}
				c.commits[i] = s
			}
		}
		if d, t := c.run.Kernel().Operands(in, func(isa.Reg, isa.Type) {}); d.IsVector() {
			version[place{bank: t.Bank(), index: d.Index()}]++
		}
	}
}

// block returns the block whose lanes instruction i is for, or 0 for all.
func (c *hyper) block(i int) int {
	if c.maskOf(i) == isa.None {
		return 0
	}
	return c.h.Under[i]
}

// check looks at the indices of a store.
func (c *hyper) check(in *isa.Inst) {
	s, it := c.commits[c.at], in.Idx.Type()
	if !s.hasApart {
		if !s.checked {
			c.checkIndex(in)
		}
		return
	}
	// No register is taken where a cold path leaves out what that may put into the register file.
	x, y := c.load(in.B, it, true), c.vec()
	limit, bias := c.slot(wave.SlotLimit), c.run.Bias[c.at]
	each, next := c.NewLabel(), c.NewLabel()
	c.unlessNext(it, y, x, each)
	if beyond := c.NewLabel(); !s.checked && it == isa.I32 && bias == 0 {
		// One look at the last element, if it is not beyond the limit in lanes that do not run.
		c.V(opExtract.of(it), amd64.X, regTemp, x)
		c.G(amd64.LEA, amd64.B64, regAddress, amd64.Mem{Base: regTemp, Disp: int32(c.lanes - 1)})
		c.G(amd64.CMP, amd64.B64, regAddress, limit)
		c.Jcc(amd64.Above, beyond)
		c.Later(func() {
			c.Bind(beyond)
			c.refuseBeyond(it, x, limit)
			c.Jmp(next)
		})
	} else if !s.checked {
		c.refuseIndex(it, y, x, bias, limit)
	}
	c.Bind(next)
	c.Later(func() {
		c.Bind(each)
		c.G(amd64.MOV, amd64.B64, s.strewn, amd64.Imm(1))
		if !s.checked {
			c.refuseIndex(it, y, x, bias, limit)
		}
		c.Jmp(next)
	})
}

// maskOf returns the lanes that instruction i is for, or None for all.
func (c *hyper) maskOf(i int) isa.Reg { return c.h.Masks[c.h.Under[i]] }

// reads notes that a step needs a vector of booleans.
func (c *hyper) reads(m isa.Reg, step int) {
	c.readsPlace(place{bank: isa.BankMask, index: m.Index()}, step)
}

// readsPlace notes that a step needs what a place holds.
func (c *hyper) readsPlace(p place, step int) {
	list := c.events[p]
	n, _ := slices.BinarySearchFunc(list, step, func(e event, s int) int { return e.at - s })
	c.events[p] = slices.Insert(list, n, event{step, false})
}

// only has the execution mask tell the lanes of a block, given those that are there now.
func (c *hyper) only(now *isa.Reg, m isa.Reg) {
	if *now == m {
		return
	}
	*now = m
	c.set.only(c.compiler, m)
}

// pass emits all for a group but the stores themselves.
func (c *hyper) pass() {
	c.forget()
	c.enterSlots()
	if c.parting {
		c.set.part(c.compiler)
	}
	c.at = 0
	for _, x := range c.h.Narrow {
		c.halve(x)
	}
	now := isa.None
	for i := range c.steps {
		in := &c.run.Code[i]
		c.at = i
		c.note(in)
		if accessesMemory(in) {
			c.only(&now, c.maskOf(i))
		}
		c.under = c.block(i)
		if in.Op == isa.OpStore {
			c.check(in)
			continue
		}
		c.instruction(i)
	}
	c.at = len(c.run.Code)
	c.keep()
	for i, m := range c.h.Masks {
		if m == isa.None {
			continue
		}
		c.set.lanesWhere(c.compiler, regTemp, m, true)
		c.G(amd64.POPCNT, amd64.B32, regTemp, regTemp)
		c.G(amd64.ADD, amd64.B64, laneCount(i), regTemp)
	}
	for _, x := range c.h.Widen {
		c.widen(x)
	}
}

// wideHalf is where half of a group's elements of 64 bits are.
func (c *hyper) wideHalf(r isa.Reg, half int) amd64.Mem {
	at := int32(c.run.Offset(r, isa.I64)) + int32(c.set.bits()/8*half)
	return amd64.Mem{Base: regChunk, Index: regLane, Scale: 8, Disp: at}
}

// halve makes the lower halves of a register of 64 bits, and refuses the hyperblock if a lane that runs has
// 2³¹ or more there.
func (c *hyper) halve(h plan.Narrowed) {
	v := c.value(h.Half, isa.I32)
	v.reg = c.register(fileVec)
	v.dirty, v.dense, v.keep = true, true, h.Keep
	c.set.halve(c.compiler, amd64.Vec(v.reg), c.vec(), c.wideHalf(h.Wide, 0), c.wideHalf(h.Wide, 1), c.refuse)
}

// widen puts a register into the register file with 64 bits an element.
func (c *hyper) widen(h plan.Narrowed) {
	x := c.load(h.Half, isa.I32, true)
	d := c.vec()
	for half := range 2 {
		c.set.storeHalf(c.compiler, c.wideHalf(h.Wide, half), d, x, half, h.Dense)
	}
}

// commit emits the pass of a store.
func (c *hyper) commit(i int) {
	in, s := &c.run.Code[i], c.commits[i]
	done := c.NewLabel()
	if s.hasApart {
		each := c.NewLabel()
		c.G(amd64.CMP, amd64.B64, s.strewn, amd64.Imm(0))
		c.Jcc(amd64.NotEqual, each)
		c.at = i
		c.note(in)
		c.G(amd64.MOV, amd64.B64, regAddress, c.slot(wave.SlotAddress))
		ahead := c.storeAhead(in)
		c.storing(i, func() {
			it := in.Idx.Type()
			v := c.load(in.C, in.Type, true)
			first := c.memory(c.value(in.B, it))
			if it == isa.I64 {
				c.G(amd64.MOV, amd64.B64, regTemp, first)
			} else {
				c.G(amd64.MOVSX32, amd64.B64, regTemp, first) // as in compiler.firstIndex
			}
			m := amd64.Mem{Base: regAddress, Index: regTemp, Scale: uint8(in.Scale), Disp: c.fromIndex(in)}
			c.set.moveSome(c.compiler, in.Type, m, v)
			if ahead {
				m.Base = regStoreAhead
				c.G(amd64.PREFETCHW, amd64.B64, m)
			}
		})
		c.Jmp(done)
		c.Bind(each)
	}
	c.storing(i, func() { c.scatter(in) })
	c.Bind(done)
}

// storing emits body once, in a loop over the groups that have lanes which instruction i is for.
func (c *hyper) storing(i int, body func()) {
	c.loop(func() {
		c.forget()
		c.at = i
		next := c.NewLabel()
		if m := c.maskOf(i); m != isa.None {
			c.set.part(c.compiler)
			c.set.only(c.compiler, m)
			c.set.unlessAny(c.compiler, next)
		}
		body()
		c.Bind(next)
	})
}
