package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// isAsync says whether an instruction needs engine.Group.DMA.
func isAsync(in isa.Inst) bool { return in.Op.Is(isa.PropAsync) }

// async is what the instructions for asynchronous copies know from the start.
type async struct {
	spec dma.CopySpec
	lane dma.LaneCopy
	// vectors are the operands that may differ from lane to lane and must not, scalars the others of a copy.
	vectors []vectorOperand
	scalars []scalarOperand
}

// scalarOperand is an operand of a copy in a scalar register.
type scalarOperand struct{ arg, reg int }

// vectorOperand is an operand in a vector register.
type vectorOperand struct {
	reg  isa.Reg
	typ  isa.Type
	name string
}

// asyncState is what a wave needs for asynchronous copies; kernels without
// have none.
type asyncState struct {
	left, set []uint64 // of alike
	copy      dma.Copy
	dst, src  []memory.Pointer // by lane
}

// newAsync returns the state for a wave of a number of chunks, or nil.
func (c *compiledKernel) newAsync(chunks int) *asyncState {
	if !c.kernel.UsesAsync {
		return nil
	}
	s := &asyncState{left: make([]uint64, chunks), set: make([]uint64, chunks)}
	if len(c.kernel.LaneCopies) > 0 {
		s.dst, s.src = make([]memory.Pointer, chunks*64), make([]memory.Pointer, chunks*64)
	}
	return s
}

// now returns the time at the instruction pc of the current block.
func (w *wave) now(pc int) uint64 {
	// The counter has the whole block.
	return w.group.Turn + w.Counts.Instructions - uint64(w.code.kernel.Blocks[w.Cur].End-1-pc)
}

// stall lets time pass without instructions.
func (w *wave) stall(ticks uint64) { w.group.Turn += ticks }

// items names lanes as package dma does.
func (w *wave) items(lanes []uint64) dma.Items {
	return dma.Items{Wave: w.first / w.maxLan, First: w.first, Mask: lanes}
}

// alike calls f for each set of running lanes that have the same values in
// the operands, which are I64, in the order of their first lanes (lane i of chunk k), until f
// returns false.
func (w *wave) alike(operands []vectorOperand, f func(k, i int, lanes []uint64) bool) {
	if w.allAlike(operands) {
		k, i := w.firstLane()
		f(k, i, w.exec)
		return
	}
	left, set := w.async.left[:len(w.exec)], w.async.set[:len(w.exec)]
	copy(left, w.exec)
	for k := range left {
		for left[k] != 0 {
			i := bits.TrailingZeros64(left[k])
			clear(set)
			for j := k; j < len(left); j++ {
				for m := left[j]; m != 0; m &= m - 1 {
					if l := bits.TrailingZeros64(m); w.sameOperands(operands, k, i, j, l) {
						set[j] |= 1 << l
					}
				}
				left[j] &^= set[j]
			}
			if !f(k, i, set) {
				return
			}
		}
	}
}

// allAlike says whether all running lanes have the same values in the operands,
// which are I64: nearly always, since anything else is a mistake in the kernel.
func (w *wave) allAlike(operands []vectorOperand) bool {
	fk, fi := w.firstLane()
	for n := range operands {
		at := w.code.offset(operands[n].reg, isa.I64)
		first := (*[64]uint64)(unsafe.Add(w.chunk(fk), at))[fi&63]
		for k, m := range w.exec {
			values := (*[64]uint64)(unsafe.Add(w.chunk(k), at))
			if m == full {
				if values[0] != first || !same64(values[:]) {
					return false
				}
				continue
			}
			for ; m != 0; m &= m - 1 {
				if values[bits.TrailingZeros64(m)&63] != first {
					return false
				}
			}
		}
	}
	return true
}

// sameOperands says whether two lanes have the same values in the operands.
func (w *wave) sameOperands(operands []vectorOperand, k, i, j, l int) bool {
	for n := range operands {
		o := &operands[n]
		if w.reg(o.reg, o.typ, k, i) != w.reg(o.reg, o.typ, j, l) {
			return false
		}
	}
	return true
}

func (d *decoder) groupCopy(in inst) {
	c := &d.kernel.GroupCopies[in.imm]
	a := &async{spec: dma.CopySpec{Name: c.Name, Dim: c.Dim}}
	for i := range a.spec.Has {
		a.spec.Has[i] = c.Args[i] != isa.None
	}
	c.Regs(func(r *isa.Reg, t isa.Type, what string) {
		if r.IsVector() {
			a.vectors = append(a.vectors, vectorOperand{*r, t, what})
		}
	})
	for n, r := range c.Args {
		if r.IsScalar() {
			a.scalars = append(a.scalars, scalarOperand{n, r.Index()})
		}
	}
	in.fn, in.aux = groupCopy, &aux{async: a}
	d.emit(in)
}

// groupCopy issues a copy of the work-group, or joins it where others have
// issued it, once for each set of operands that lanes have.
func groupCopy(w *wave, in *inst) {
	s := &w.async.copy
	s.PC, s.Spec = in.pc, &in.aux.async.spec
	if len(in.aux.async.vectors) == 0 {
		w.groupCopy(in, 0, 0, w.exec)
		return
	}
	w.alike(in.aux.async.vectors, func(k, i int, lanes []uint64) bool { return w.groupCopy(in, k, i, lanes) })
}

// groupCopy issues the copy for lanes that have the operands of lane i of chunk k. It says whether there was
// nothing wrong.
func (w *wave) groupCopy(in *inst, k, i int, lanes []uint64) bool {
	a, s := in.aux.async, &w.async.copy
	var args [isa.NumCopyArgs]uint64
	for _, o := range a.scalars {
		args[o.arg] = w.s[o.reg]
	}
	if len(a.vectors) > 0 {
		for n, r := range &w.code.kernel.GroupCopies[in.imm].Args {
			if r.IsVector() {
				args[n] = w.reg(r, isa.I64, k, i)
			}
		}
	}
	event := args[isa.CopyEvent]
	copy(s.Args[:], args[:])
	if f := copySpaces(s); f != nil {
		w.copyFault(in, f, "", lanes)
		return false
	}
	result, stall, f := w.group.DMA.GroupCopy(w.now(in.pc), s, event, w.items(lanes))
	w.stall(stall)
	if f != nil {
		w.copyFault(in, f, s.Where(f), lanes)
		return false
	}
	if !w.group.DMA.Even() {
		w.All = 0 // the next barrier concerns the copies
	}
	w.setLanes(in.src.Dst, lanes, result)
	return true
}

// copySpaces returns what is wrong with a copy that does not go between LDS and
// global memory: a generic pointer leads where its type does not say. Pointers
// that lead to no memory at all are left to package dma.
func copySpaces(c *dma.Copy) *memory.Fault {
	const global, local = memory.SpaceGlobal, memory.SpaceLocal
	dst, src := memory.Pointer(c.Args[isa.CopyDst]), memory.Pointer(c.Args[isa.CopySrc])
	d, s := dst.Space(), src.Space()
	for _, a := range [...]isa.CopyArg{isa.CopyElemBytes, isa.CopyElems, isa.CopyLines, isa.CopyPlanes} {
		if c.Spec.Has[a] && c.Args[a] == 0 {
			return nil // nothing is copied
		}
	}
	size := c.Args[isa.CopyElems]
	if c.Spec.Has[isa.CopyElemBytes] {
		size *= c.Args[isa.CopyElemBytes]
	}
	switch {
	case d == global && s == local, d == local && s == global, d == memory.SpaceNone, s == memory.SpaceNone:
		return nil
	case d == global:
		return &memory.Fault{Kind: memory.FaultPointer, Access: memory.AccessRead, Pointer: src, Size: size, Expected: local}
	case d == local:
		return &memory.Fault{Kind: memory.FaultPointer, Access: memory.AccessRead, Pointer: src, Size: size, Expected: global}
	case s == global:
		return &memory.Fault{Kind: memory.FaultPointer, Access: memory.AccessWrite, Pointer: dst, Size: size, Expected: local}
	}
	return &memory.Fault{Kind: memory.FaultPointer, Access: memory.AccessWrite, Pointer: dst, Size: size, Expected: global}
}

// setLanes stores v into an I64 register, or into its lanes.
func (w *wave) setLanes(r isa.Reg, lanes []uint64, v uint64) {
	if r.IsScalar() {
		w.s[r.Index()] = v
		return
	}
	for k, m := range lanes {
		for ; m != 0; m &= m - 1 {
			w.setReg(r, isa.I64, k, bits.TrailingZeros64(m), v)
		}
	}
}

// copyFault ends the wave at a copy whose access is not allowed; detail
// says which part of it.
func (w *wave) copyFault(in *inst, f *memory.Fault, detail string, lanes []uint64) {
	g := *f
	if g.HasRegion && g.Pointer.Space() == memory.SpaceLocal {
		g.Region = w.localName(int(g.Pointer.Alloc()) - 1)
	}
	w.fail(engine.Fault{Code: faultCodes[g.Kind], PC: in.pc, Memory: &g, Detail: detail}, lanes)
}

func (d *decoder) groupWait(in inst) {
	a := &async{}
	if in.src.A.IsVector() {
		a.vectors = []vectorOperand{{in.src.A, isa.I64, "event"}}
	}
	in.fn, in.aux = groupWait, &aux{async: a}
	d.emit(in)
}

// groupWait waits for an event, once for each that lanes have.
func groupWait(w *wave, in *inst) {
	w.alike(in.aux.async.vectors, func(k, i int, lanes []uint64) bool {
		w.stall(w.group.DMA.GroupWait(w.now(in.pc), in.pc, w.reg(in.src.A, isa.I64, k, i), w.items(lanes)))
		return true
	})
}

// The sequences of async marks are the lanes' own, so that what diverged lanes
// do does not concern the others.

func asyncScope(w *wave, in *inst) { w.group.DMA.Scope(int(in.imm), w.items(w.exec)) }

func asyncMark(w *wave, in *inst) {
	w.group.DMA.Mark(w.now(in.pc), in.pc, int(in.imm), w.items(w.exec))
}

func asyncWait(w *wave, in *inst) {
	w.stall(w.group.DMA.WaitMark(w.now(in.pc), in.pc, int(in.imm), int(in.src.Scale), w.items(w.exec)))
}
