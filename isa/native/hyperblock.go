package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
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
	k.G(amd64.CMP, amd64.B8, x86.Field(wave.FramePlain), amd64.Imm(0))
	k.Jcc(amd64.NotEqual, plain)
	k.Later(func() {
		k.Bind(plain)
		k.G(amd64.MOV, amd64.B8, x86.Field(wave.FramePlain), amd64.Imm(0))
		k.Jmp(ordinary)
	})
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameMinWait), amd64.Imm(h.Last))
	k.Jcc(amd64.BelowEqual, ordinary)
	for dim, small := range h.Ids {
		if small {
			k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameOrigin+8*uintptr(dim)), amd64.Imm(smallIDs))
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
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, x86.Scalar(x))
		k.G(amd64.SHR, amd64.B64, x86.RegTemp, amd64.Imm(31))
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
		c := &hyper{kernel: k, h: h, Compiler: x86.NewCompiler(&k.Context, h.Run, ordinary)}
		c.emit()
		k.Bind(done)
	}
	k.ordinary = nil
	for i, m := range h.Masks {
		if m == isa.None {
			k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.FrameActive))
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
	*x86.Compiler
	kernel     *builder
	h          *plan.Hyper
	used       int // how many of Hyper.Words
	conditions *conditions
}

// laneCount returns where it is counted how many lanes come to a block.
func laneCount(block int) amd64.Mem { return x86.Field(wave.HyperLanes + 8*uintptr(block)) }

// use returns a word of the frame.
func (c *hyper) use() amd64.Mem {
	c.used++
	return x86.Field(wave.HyperWords + 8*uintptr(c.used-1))
}

// prepareIDs has the addresses of the arrays of ids worked out once for a chunk.
func (c *hyper) prepareIDs() {
	var arrays []int
	c.IdsAt = map[int]amd64.Mem{}
	for i := range c.Run.Code {
		if in := &c.Run.Code[i]; in.Op == isa.OpBuiltin && c.used < maxUsed {
			n := x86.ArrayOf(isa.Builtin(in.Imm))
			if _, ok := c.IdsAt[n]; n >= 0 && !ok {
				arrays = append(arrays, n)
				c.IdsAt[n] = c.use()
			}
		}
	}
	if len(arrays) == 0 {
		return
	}
	c.Chunk = func() {
		c.ChunkOffset()
		for _, n := range arrays {
			c.G(amd64.MOV, amd64.B64, x86.RegAddress, x86.IdsField(n))
			c.G(amd64.ADD, amd64.B64, x86.RegAddress, x86.RegTemp)
			c.G(amd64.MOV, amd64.B64, c.IdsAt[n], x86.RegAddress)
		}
	}
}

// parted says whether some of its instructions are for some of the lanes.
func (c *hyper) parted() bool {
	return slices.ContainsFunc(c.h.Masks, func(m isa.Reg) bool { return m != isa.None })
}

// emit emits the passes over the lanes.
func (c *hyper) emit() {
	c.Schedule()
	c.prepareConditions()
	c.scheduleConditions()
	for i := range c.Run.Code {
		if m := c.maskOf(i); m != isa.None && x86.AccessesMemory(&c.Run.Code[i]) {
			c.reads(m, i)
		}
	}
	c.scheduleEnd()
	if c.parted() {
		c.ISA.ReservePart(c.Compiler)
		c.Parting = true
	}
	c.prepareCommits()
	c.PrepareRows()
	c.prepareAhead()
	c.FindAdjacent(0, len(c.Run.Code), c.block)
	c.PrepareSlots()
	c.PrepareUniform()
	c.prepareIDs()
	c.prepareEven()
	c.prepareSpreads(func(int) bool { return false })
	c.Loop(c.pass)
	c.IdsAt, c.Chunk = nil, nil
	for i := range c.Run.Code {
		if c.Run.Code[i].Op == isa.OpStore {
			c.commit(i)
		}
	}
}

// scheduleEnd notes what is needed behind the last step.
func (c *hyper) scheduleEnd() {
	for _, m := range c.h.Masks {
		if m != isa.None {
			c.reads(m, len(c.Steps))
		}
	}
	for _, x := range c.h.Widen {
		c.readsPlace(x86.Place{Bank: isa.Bank32, Index: x.Half.Index()}, len(c.Steps))
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
	c.Commits = map[int]*x86.Commit{}
	bytes, version := map[key]int{}, map[x86.Place]int{}
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		if x86.AccessesMemory(in) && in.Idx != isa.IdxNone && in.B.IsVector() {
			k := key{in.A, in.B, version[x86.Place{Bank: in.Idx.Type().Bank(), Index: in.B.Index()}], in.Idx, in.Scale, in.Space, in.Disp, c.block(i)}
			if in.Op == isa.OpLoad {
				bytes[k] = max(bytes[k], in.Type.Bytes())
			} else {
				all := k
				all.under = 0
				s := &x86.Commit{Checked: max(bytes[k], bytes[all]) >= in.Type.Bytes()}
				if s.HasApart = int(in.Scale) == in.Type.Bytes() && !x86.Narrow(in.Type) && c.used < maxUsed; s.HasApart {
					s.Strewn = c.use()
					c.G(amd64.MOV, amd64.B64, s.Strewn, amd64.Imm(0))
				}
				c.Commits[i] = s
			}
		}
		if d, t := c.Run.Kernel().Operands(in, func(isa.Reg, isa.Type) {}); d.IsVector() {
			version[x86.Place{Bank: t.Bank(), Index: d.Index()}]++
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
	s, it := c.Commits[c.Index], in.Idx.Type()
	if !s.HasApart {
		if !s.Checked {
			c.CheckIndex(in)
		}
		return
	}
	// No register is taken where a cold path leaves out what that may put into the register file.
	x, y := c.Load(in.B, it, true), c.Vec()
	limit, bias := c.Slot(wave.SlotLimit), c.Run.Bias[c.Index]
	each, next := c.NewLabel(), c.NewLabel()
	c.UnlessNext(it, y, x, each)
	if beyond := c.NewLabel(); !s.Checked && it == isa.I32 && bias == 0 {
		// One look at the last element, if it is not beyond the limit in lanes that do not run.
		c.V(x86.OpExtract.Of(it), amd64.X, x86.RegTemp, x)
		c.G(amd64.LEA, amd64.B64, x86.RegAddress, amd64.Mem{Base: x86.RegTemp, Disp: int32(c.Lanes - 1)})
		c.G(amd64.CMP, amd64.B64, x86.RegAddress, limit)
		c.Jcc(amd64.Above, beyond)
		c.Later(func() {
			c.Bind(beyond)
			c.RefuseBeyond(it, x, limit)
			c.Jmp(next)
		})
	} else if !s.Checked {
		c.RefuseIndex(it, y, x, bias, limit)
	}
	c.Bind(next)
	c.Later(func() {
		c.Bind(each)
		c.G(amd64.MOV, amd64.B64, s.Strewn, amd64.Imm(1))
		if !s.Checked {
			c.RefuseIndex(it, y, x, bias, limit)
		}
		c.Jmp(next)
	})
}

// maskOf returns the lanes that instruction i is for, or None for all.
func (c *hyper) maskOf(i int) isa.Reg { return c.h.Masks[c.h.Under[i]] }

// reads notes that a step needs a vector of booleans.
func (c *hyper) reads(m isa.Reg, step int) {
	c.readsPlace(x86.Place{Bank: isa.BankMask, Index: m.Index()}, step)
}

// readsPlace notes that a step needs what a place holds.
func (c *hyper) readsPlace(p x86.Place, step int) {
	list := c.Events[p]
	n, _ := slices.BinarySearchFunc(list, step, func(e x86.Event, s int) int { return e.At - s })
	c.Events[p] = slices.Insert(list, n, x86.Event{At: step, Write: false})
}

// only has the execution mask tell the lanes of a block, given those that are there now.
func (c *hyper) only(now *isa.Reg, m isa.Reg) {
	if *now == m {
		return
	}
	*now = m
	c.ISA.Only(c.Compiler, m)
}

// pass emits all for a group but the stores themselves.
func (c *hyper) pass() {
	c.Forget()
	c.EnterSlots()
	if c.Parting {
		c.ISA.Part(c.Compiler)
	}
	c.Index = 0
	for _, x := range c.h.Narrow {
		c.halve(x)
	}
	now := isa.None
	for i := range c.Steps {
		in := &c.Run.Code[i]
		c.Index = i
		c.NoteInst(in)
		if x86.AccessesMemory(in) {
			c.only(&now, c.maskOf(i))
		}
		c.Under = c.block(i)
		if in.Op == isa.OpStore {
			c.check(in)
			continue
		}
		c.instruction(i)
	}
	c.Index = len(c.Run.Code)
	c.KeepValues()
	for i, m := range c.h.Masks {
		if m == isa.None {
			continue
		}
		c.ISA.LanesWhere(c.Compiler, x86.RegTemp, m, true)
		c.G(amd64.POPCNT, amd64.B32, x86.RegTemp, x86.RegTemp)
		c.G(amd64.ADD, amd64.B64, laneCount(i), x86.RegTemp)
	}
	for _, x := range c.h.Widen {
		c.widen(x)
	}
}

// wideHalf is where half of a group's elements of 64 bits are.
func (c *hyper) wideHalf(r isa.Reg, half int) amd64.Mem {
	at := int32(c.Run.Offset(r, isa.I64)) + int32(c.ISA.Bits()/8*half)
	return amd64.Mem{Base: x86.RegChunk, Index: x86.RegLane, Scale: 8, Disp: at}
}

// halve makes the lower halves of a register of 64 bits, and refuses the hyperblock if a lane that runs has
// 2³¹ or more there.
func (c *hyper) halve(h plan.Narrowed) {
	v := c.Value(h.Half, isa.I32)
	v.Reg = c.Register(x86.FileVec)
	v.Dirty, v.Dense, v.Keep = true, true, h.Keep
	c.ISA.Halve(c.Compiler, amd64.Vec(v.Reg), c.Vec(), c.wideHalf(h.Wide, 0), c.wideHalf(h.Wide, 1), c.Refuse)
}

// widen puts a register into the register file with 64 bits an element.
func (c *hyper) widen(h plan.Narrowed) {
	x := c.Load(h.Half, isa.I32, true)
	d := c.Vec()
	for half := range 2 {
		c.ISA.StoreHalf(c.Compiler, c.wideHalf(h.Wide, half), d, x, half, h.Dense)
	}
}

// commit emits the pass of a store.
func (c *hyper) commit(i int) {
	in, s := &c.Run.Code[i], c.Commits[i]
	done := c.NewLabel()
	if s.HasApart {
		each := c.NewLabel()
		c.G(amd64.CMP, amd64.B64, s.Strewn, amd64.Imm(0))
		c.Jcc(amd64.NotEqual, each)
		c.Index = i
		c.NoteInst(in)
		c.G(amd64.MOV, amd64.B64, x86.RegAddress, c.Slot(wave.SlotAddress))
		ahead := c.storeAhead(in)
		c.storing(i, func() {
			it := in.Idx.Type()
			v := c.Load(in.C, in.Type, true)
			first := c.Memory(c.Value(in.B, it))
			if it == isa.I64 {
				c.G(amd64.MOV, amd64.B64, x86.RegTemp, first)
			} else {
				c.G(amd64.MOVSX32, amd64.B64, x86.RegTemp, first) // as in Compiler.firstIndex
			}
			m := amd64.Mem{Base: x86.RegAddress, Index: x86.RegTemp, Scale: uint8(in.Scale), Disp: c.FromIndex(in)}
			c.ISA.MoveSome(c.Compiler, in.Type, m, v)
			if ahead {
				m.Base = regStoreAhead
				c.G(amd64.PREFETCHW, amd64.B64, m)
			}
		})
		c.Jmp(done)
		c.Bind(each)
	}
	c.storing(i, func() { c.Scatter(in) })
	c.Bind(done)
}

// storing emits body once, in a loop over the groups that have lanes which instruction i is for.
func (c *hyper) storing(i int, body func()) {
	c.Loop(func() {
		c.Forget()
		c.Index = i
		next := c.NewLabel()
		if m := c.maskOf(i); m != isa.None {
			c.ISA.Part(c.Compiler)
			c.ISA.Only(c.Compiler, m)
			c.ISA.UnlessAny(c.Compiler, next)
		}
		body()
		c.Bind(next)
	})
}
