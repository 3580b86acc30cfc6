package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/weak"
)

// This file has the instructions of launches in which a model says what loads return (engine.Group.Weak). They
// work lane by lane, each lane a work-item of the model. Of a load or an atomic operation with a scalar result all
// lanes that run get what the model says for all of them.

// modelled is what an access to memory needs in launches with a model.
type modelled struct {
	global, local weak.Access
	update        func(old, c, e uint64) uint64 // of an atomic operation
	late          bool                          // a load that may be performed late
	plain         inst                          // what does the access without a model, and its fault
}

func (m *modelled) of(p memory.Pointer) *weak.Access {
	if p.Space() == memory.SpaceLocal {
		return &m.local
	}
	return &m.global
}

// modelled emits a load, a store, an atomic operation, a copy or a fence for launches with a model; false for
// other instructions. What checks want to know is emitted with the plain forms, which come last of what is
// emitted for an instruction.
func (d *decoder) modelled(in inst, plain func()) bool {
	s := in.src
	m := &modelled{}
	switch s.Op {
	case isa.OpLoad:
		in.fn, m.late = weakLoad, d.late[in.pc]
	case isa.OpStore:
		in.fn = weakStore
	case isa.OpAtomic:
		in.fn, m.late = weakAtomic, d.late[in.pc]
		m.global.Atomic, m.global.Order = true, s.Order()
	case isa.OpMemCopy:
		in.fn = weakCopy
	case isa.OpBlockLoad:
		in.fn = weakBlockLoad
	case isa.OpBlockStore:
		in.fn = weakBlockStore
	case isa.OpFence:
		plain()
		in.fn = weakFence
		d.emit(in)
		return true
	default:
		return false
	}
	if s.Space == isa.SpacePrivate {
		return false
	}
	first := len(d.out)
	plain()
	// The plain form is the last instruction, but for what tells of a compare-and-exchange behind it.
	at := len(d.out) - 1
	if tail := d.out[at]; tail.fn != nil && tail.aux != nil && tail.aux.race != nil && at > first {
		at--
	}
	m.plain = d.out[at]
	if a := m.plain.aux; a != nil && a.atomic != nil {
		m.update = a.atomic.update
	}
	m.local = m.global
	m.local.Local = true
	in.space = memory.Space(s.Space)
	in.aux = &aux{modelled: m}
	d.out[at] = in
	return true
}

// lateLoads finds the loads of a block that may be performed late: ahead of a store of the block, whose value
// nobody needs before that. Settle has, by instruction, the loads whose values are needed there, or that must not be
// later: an operation that acquires as a fence does, or that is sequentially consistent, comes behind all loads.
func (d *decoder) lateLoads(b isa.Block) (late map[int]bool, settle map[int][]int) {
	late, settle = map[int]bool{}, map[int][]int{}
	k := d.kernel
	for pc := b.Start; pc < b.End-1; pc++ {
		load := &k.Code[pc]
		relaxed := load.Op == isa.OpLoad || load.Op == isa.OpAtomic && isa.AtomicOp(load.Imm2) == isa.AtomicLoad &&
			load.Order() != 0 && load.Order()&(isa.OrderAcquire|isa.OrderSeqCst) == 0
		if !relaxed || load.Space == isa.SpacePrivate || load.Dst == isa.None {
			continue
		}
		stores, at := false, pc+1
		for ; at < b.End-1; at++ {
			in := &k.Code[at]
			if d.needs(in, load) {
				break
			}
			stores = stores || in.Op == isa.OpStore && in.Space != isa.SpacePrivate || in.Op == isa.OpAtomic && isa.AtomicOp(in.Imm2) != isa.AtomicLoad
		}
		if stores {
			late[pc] = true
			settle[at] = append(settle[at], pc)
		}
	}
	return late, settle
}

// needs says whether a load has to be performed before an instruction.
func (d *decoder) needs(in, load *isa.Inst) bool {
	o := in.Order()
	switch in.Op {
	case isa.OpAtomic:
		if o == 0 || o&isa.OrderSeqCst != 0 {
			return true
		}
	case isa.OpFence:
		if o == 0 || o&(isa.OrderSeqCst|isa.OrderAcquire) != 0 {
			return true
		}
	case isa.OpPrintf, isa.OpMemCopy, isa.OpBlockLoad, isa.OpBlockStore:
		return true
	}
	same := func(r isa.Reg, t isa.Type) bool {
		if r == isa.None || r.IsScalar() != load.Dst.IsScalar() || r.Index() != load.Dst.Index() {
			return false
		}
		return r.IsScalar() || t.Bank() == load.Type.Bank()
	}
	used := false
	dst, t := d.kernel.Operands(in, func(r isa.Reg, t isa.Type) { used = used || same(r, t) })
	return used || same(dst, t)
}

// settles emits what performs loads that have been put off.
func (d *decoder) settles(loads []int) {
	for _, pc := range loads {
		in := d.base(pc)
		in.fn, in.space = weakSettle, memory.Space(in.src.Space)
		d.emit(in)
	}
}

// modelledMemory returns the bytes of an access that the model knows of; nil for private memory, and for what the
// machine keeps in LDS for operations of the work-group.
func (w *wave) modelledMemory(p memory.Pointer, n uint64) []byte {
	switch p.Space() {
	case memory.SpaceGlobal:
	case memory.SpaceLocal:
		if i := int(p.Alloc()) - 1; i < len(w.code.kernel.Local) && w.code.kernel.Local[i].PerItem {
			return nil
		}
	default:
		return nil
	}
	off := uint64(p.Offset())
	return w.region(p).Data[off : off+n : off+n]
}

// awaitTurn tells of an access before it happens, and of late loads of the same memory, which must be performed
// before.
func (w *wave) awaitTurn(pc, item int, a memory.Access, p memory.Pointer, mem []byte, order isa.MemoryOrder) {
	for mem != nil {
		due, at, ok := w.group.Weak.Due(item, mem)
		if !ok {
			break
		}
		w.tellTurn(due, item, memory.AccessRead, at, uint64(len(mem)), 0)
		w.group.Weak.Perform(item, due)
	}
	w.tellTurn(pc, item, a, p, uint64(len(mem)), order)
}

func (w *wave) tellTurn(pc, item int, a memory.Access, p memory.Pointer, n uint64, order isa.MemoryOrder) {
	if w.group.Turns != nil {
		w.group.Turns(pc, item, a, p, n, order&isa.OrderSeqCst != 0)
	}
}

// weakLoad loads.
func weakLoad(w *wave, in *inst) {
	m, n := in.aux.modelled, uint64(in.src.Type.Bytes())
	w.weakReads(in, n, memory.AccessRead, func(k, i int, p memory.Pointer, mem []byte, items []int) (uint64, bool) {
		a := m.of(p)
		if m.late && len(items) == 1 && w.group.Weak.Defer(items[0], in.pc, a, p, mem) {
			return 0, false
		}
		w.awaitTurn(in.pc, items[0], memory.AccessRead, p, mem, a.Order)
		return w.group.Weak.Load(items, a, mem), true
	})
}

// weakReads calls read for each lane that runs, or, where the result is scalar, once for all; read says whether
// there is a value.
func (w *wave) weakReads(in *inst, n uint64, access memory.Access, read func(k, i int, p memory.Pointer, mem []byte, items []int) (uint64, bool)) {
	s := in.src
	scalar := s.Dst != isa.None && s.Dst.IsScalar()
	var one [1]int
	for k, lanes := range w.exec {
		for ; lanes != 0; lanes &= lanes - 1 {
			i := bits.TrailingZeros64(lanes)
			if w.checkLane(in, k, i) != nil {
				w.memFault(in)
				return
			}
			_, p := w.address(s, k, i)
			items := append(one[:0], w.first+k*64+i)
			if scalar {
				items = w.runningItems()
			}
			mem := w.modelledMemory(p, n)
			var v uint64
			ok := true
			if mem == nil {
				v = w.withoutModel(in, k, i, p, n)
			} else {
				v, ok = read(k, i, p, mem, items)
			}
			if ok && s.Dst != isa.None {
				w.setReg(s.Dst, s.Type, k, i, v)
			}
			if scalar {
				return
			}
		}
	}
}

// runningItems lists the work-items that run.
func (w *wave) runningItems() []int {
	var list []int
	w.eachLane(false, func(k, i int) { list = append(list, w.first+k*64+i) })
	return list
}

// withoutModel does a load or an atomic operation on memory that the model does not know.
func (w *wave) withoutModel(in *inst, k, i int, p memory.Pointer, n uint64) uint64 {
	old := w.peek(p, k, i, n)
	if m := in.aux.modelled; m.update != nil {
		c, e := w.operands(in.src, k, i)
		w.poke(p, k, i, n, m.update(old, c, e))
	}
	return old
}

// operands returns the value and the comparand of an atomic operation.
func (w *wave) operands(s *isa.Inst, k, i int) (c, e uint64) {
	if s.C != isa.None {
		c = w.reg(s.C, s.Type, k, i)
	}
	if s.D != isa.None {
		e = w.reg(s.D, s.Type, k, i)
	}
	return c, e
}

// weakStore stores.
func weakStore(w *wave, in *inst) {
	s, m, n := in.src, in.aux.modelled, uint64(in.src.Type.Bytes())
	for k, lanes := range w.exec {
		for ; lanes != 0; lanes &= lanes - 1 {
			i := bits.TrailingZeros64(lanes)
			if w.checkLane(in, k, i) != nil {
				w.memFault(in)
				return
			}
			_, p := w.address(s, k, i)
			v := w.reg(s.C, s.Type, k, i)
			mem := w.modelledMemory(p, n)
			if mem == nil {
				w.poke(p, k, i, n, v)
				continue
			}
			item := w.first + k*64 + i
			w.awaitTurn(in.pc, item, memory.AccessWrite, p, mem, 0)
			w.group.Weak.Store(item, m.of(p), mem, v)
		}
	}
}

// weakAtomic does atomic operations.
func weakAtomic(w *wave, in *inst) {
	s, m, n := in.src, in.aux.modelled, uint64(in.src.Type.Bytes())
	op := isa.AtomicOp(s.Imm2)
	w.weakReads(in, n, memory.AccessAtomic, func(k, i int, p memory.Pointer, mem []byte, items []int) (uint64, bool) {
		a, model := m.of(p), w.group.Weak
		if op == isa.AtomicLoad && m.late && len(items) == 1 && model.Defer(items[0], in.pc, a, p, mem) {
			return 0, false
		}
		access := memory.AccessAtomic
		switch op {
		case isa.AtomicLoad:
			access = memory.AccessRead
		case isa.AtomicStore:
			access = memory.AccessWrite
		}
		order := a.Order
		if order == 0 {
			order = isa.OrderAll
		}
		w.awaitTurn(in.pc, items[0], access, p, mem, order)
		c, e := w.operands(s, k, i)
		switch op {
		case isa.AtomicLoad:
			return model.Load(items, a, mem), true
		case isa.AtomicStore:
			model.Store(items[0], a, mem, c)
			return 0, true
		}
		return model.Update(items[0], a, mem, func(old uint64) (uint64, bool) {
			return m.update(old, c, e), op != isa.AtomicCmpXchg || old == e
		}), true
	})
}

// weakFence is a fence.
func weakFence(w *wave, in *inst) {
	order := in.src.Order()
	if order == 0 {
		order = isa.OrderAll
	}
	w.eachLane(false, func(k, i int) {
		item := w.first + k*64 + i
		if order&isa.OrderSeqCst != 0 {
			w.tellTurn(in.pc, item, memory.AccessRead, 0, 0, order)
		}
		w.group.Weak.Fence(item, order)
	})
}

// weakSettle performs loads that have been put off.
func weakSettle(w *wave, in *inst) {
	s := in.src
	w.eachLane(s.Dst.IsScalar(), func(k, i int) {
		item := w.first + k*64 + i
		if p, n, ok := w.group.Weak.Pending(item, in.pc); ok {
			w.tellTurn(in.pc, item, memory.AccessRead, p, n, 0)
		}
		if v, ok := w.group.Weak.Settle(item, in.pc); ok {
			w.setReg(s.Dst, s.Type, k, i, v)
		}
	})
}

// weakCopy copies bytes, as loads and stores that are not atomic.
func weakCopy(w *wave, in *inst) {
	s, m := in.src, in.aux.modelled
	for k, lanes := range w.exec {
		for ; lanes != 0; lanes &= lanes - 1 {
			i := bits.TrailingZeros64(lanes)
			if w.checkCopy(in, k, i) != nil {
				w.failMemory(in, func(k, i int) *memory.Fault { return w.checkCopy(in, k, i) })
				return
			}
			n := w.reg(s.C, isa.I64, k, i)
			dst, src := memory.Pointer(w.reg(s.A, isa.I64, k, i)), memory.Pointer(w.reg(s.B, isa.I64, k, i))
			unit := uint64(1)
			if (uint64(dst.Offset())|uint64(src.Offset())|n)%4 == 0 {
				unit = 4
			}
			item := w.first + k*64 + i
			values := make([]uint64, n/unit)
			for j := range values {
				p := src.Add(int64(uint64(j) * unit))
				if mem := w.modelledMemory(p, unit); mem != nil {
					values[j] = w.group.Weak.Load([]int{item}, m.of(p), mem)
				} else {
					values[j] = w.peek(p, k, i, unit)
				}
			}
			for j, v := range values {
				p := dst.Add(int64(uint64(j) * unit))
				if mem := w.modelledMemory(p, unit); mem != nil {
					w.group.Weak.Store(item, m.of(p), mem, v)
				} else {
					w.poke(p, k, i, unit, v)
				}
			}
		}
	}
}

// weakBlocks calls f for the elements of a block access. Where one of them is not allowed, the plain form of the
// instruction ends the wave.
func (w *wave) weakBlocks(in *inst, a memory.Access, f func(k, i int, p memory.Pointer, n uint64)) {
	bad := false
	w.eachBlockElement(in.src, func(k, i int, p memory.Pointer, n uint64) {
		bad = bad || w.check(p, p, in.space, n, a) != nil
	})
	if bad {
		in.aux.modelled.plain.fn(w, &in.aux.modelled.plain)
		return
	}
	w.eachBlockElement(in.src, f)
}

// weakBlockLoad loads a component of a block.
func weakBlockLoad(w *wave, in *inst) {
	type element struct {
		k, i int
		v    uint64
	}
	var all []element // registers change when all addresses are known
	w.weakBlocks(in, memory.AccessRead, func(k, i int, p memory.Pointer, n uint64) {
		item := w.first + k*64 + i
		mem := w.modelledMemory(p, n)
		w.awaitTurn(in.pc, item, memory.AccessRead, p, mem, 0)
		all = append(all, element{k, i, w.group.Weak.Load([]int{item}, in.aux.modelled.of(p), mem)})
	})
	for _, e := range all {
		w.setReg(in.src.Dst, in.src.Type, e.k, e.i, e.v)
	}
}

// weakBlockStore stores a component of a block.
func weakBlockStore(w *wave, in *inst) {
	w.weakBlocks(in, memory.AccessWrite, func(k, i int, p memory.Pointer, n uint64) {
		item := w.first + k*64 + i
		mem := w.modelledMemory(p, n)
		w.awaitTurn(in.pc, item, memory.AccessWrite, p, mem, 0)
		w.group.Weak.Store(item, in.aux.modelled.of(p), mem, w.reg(in.src.C, in.src.Type, k, i))
	})
}
