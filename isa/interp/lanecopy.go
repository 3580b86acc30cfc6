package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

func (d *decoder) laneCopy(in inst) {
	c := &d.kernel.LaneCopies[in.imm]
	a := &async{lane: dma.LaneCopy{PC: in.pc, Name: c.Name, Async: c.Async, Store: c.Store, Size: c.Size}}
	// What the hardware takes from the first lane of a wave, its sub-group.
	c.Regs(func(r *isa.Reg, t isa.Type, what string) {
		switch {
		case !r.IsVector():
		case what == "resource", what == "soffset", what == "lds" && !c.PerLane, what == "global" && !ownResource(c):
			a.vectors = append(a.vectors, vectorOperand{*r, t, what})
		}
	})
	in.fn, in.aux = laneCopy, &aux{async: a}
	d.emit(in)
}

// ownResource says whether each lane brings its own pointer: to global memory,
// or into a resource (a buffer fat pointer, which holds the lane's offset too).
func ownResource(c *isa.LaneCopy) bool {
	return c.Kind == isa.LanePointer || c.Kind == isa.LaneBuffer && c.Global != isa.None && c.VOffset == isa.None
}

// shared are the operands of a lane copy that a sub-group has in common.
type shared struct {
	lds      memory.Pointer
	soffset  int64
	resource memory.Resource
	offset   int64 // of the resource's handle
}

// laneCopy copies for each lane that runs: it works out both addresses, and
// leaves the rest to package dma.
func laneCopy(w *wave, in *inst) {
	c := &w.code.kernel.LaneCopies[in.imm]
	size := w.group.Launch.SubgroupSize
	if w.group.Launch.Check && len(in.aux.async.vectors) > 0 {
		w.checkUniform(in)
	}
	step := 4
	if c.Size > 4 {
		step = 16
	}
	lanes := w.async.set[:len(w.exec)]
	if w.plainSides(c, step) {
		copy(lanes, w.exec)
		w.issueLanes(in, c, lanes)
		return
	}
	var sh shared
	subgroup, ok := -1, true
	for k, m := range w.exec {
		lanes[k] = m
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			n := k*64 + i
			if n/size != subgroup {
				subgroup = n / size
				if sh, ok = w.shared(c, k, i); !ok {
					w.badHandle(in, c)
					return
				}
			}
			lds := sh.lds
			if c.PerLane {
				lds = memory.Pointer(w.reg(c.LDS, isa.I64, k, i)).Add(int64(c.Offset))
			} else {
				lds = lds.Add(int64(c.Offset) + int64(step*(n%size)))
			}
			far, inside, ok := w.farSide(c, &sh, k, i)
			switch {
			case !ok:
				w.badHandle(in, c)
				return
			case w.wrongSpaces(c, lds, far, inside) != nil:
				w.badSpaces(in, c)
				return
			case !inside && c.Store:
				lanes[k] &^= 1 << i
			case c.Store:
				w.async.dst[n], w.async.src[n] = far, lds
			case !inside:
				w.async.dst[n], w.async.src[n] = lds, dma.ZeroFill
			default:
				w.async.dst[n], w.async.src[n] = lds, far
			}
		}
	}
	w.issueLanes(in, c, lanes)
}

// issueLanes has package dma copy for these lanes, whose addresses are known.
func (w *wave) issueLanes(in *inst, c *isa.LaneCopy, lanes []uint64) {
	stall, lane, f := w.group.DMA.LaneCopy(w.now(in.pc), &in.aux.async.lane, w.items(lanes), w.async.dst, w.async.src)
	w.stall(stall)
	if f != nil {
		w.laneFault(in, c, lane, f, lanes)
	}
}

// plainSides works out both addresses of each lane when all far ones are
// pointers of the lanes' own to global memory, as they nearly always are;
// otherwise it returns false.
func (w *wave) plainSides(c *isa.LaneCopy, step int) bool {
	if c.Kind != isa.LanePointer || c.PerLane || !c.Global.IsVector() {
		return false
	}
	size, offset := w.group.Launch.SubgroupSize, int64(c.Offset)
	near, far := w.async.dst, w.async.src
	if c.Store {
		near, far = far, near
	}
	at := w.code.offset(c.Global, isa.I64)
	// The sub-group's base, its first lane and the lane behind it, and whether
	// all its addresses are so far from the end of an offset that sums need no look.
	var lds memory.Pointer
	start, end, room := 0, 0, false
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		pointers := (*[64]uint64)(unsafe.Add(w.chunk(k), at))
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			n := k*64 + i
			if n >= end {
				start = n / size * size
				end = start + size
				lds = memory.Pointer(w.reg(c.LDS, isa.I64, k, i))
				if lds.Space() != memory.SpaceLocal {
					return false
				}
				first, last := lds.Offset()+offset, lds.Offset()+offset+int64(step*size)
				room = lds.Offset() >= 0 && first >= 0 && last < memory.MaxSize
			}
			p := memory.Pointer(pointers[i&63])
			if p.Space() != memory.SpaceGlobal {
				return false
			}
			if offset != 0 {
				p = p.Add(offset)
			}
			far[n] = p
			if d := offset + int64(step*(n-start)); room {
				near[n] = lds + memory.Pointer(d)
			} else {
				near[n] = lds.Add(d)
			}
		}
	}
	return true
}

// shared returns the operands that a sub-group has in common: those of lane i
// of chunk k, the first that runs. ok is false for a handle of no resource.
func (w *wave) shared(c *isa.LaneCopy, k, i int) (s shared, ok bool) {
	if !c.PerLane {
		s.lds = memory.Pointer(w.reg(c.LDS, isa.I64, k, i))
	}
	if c.SOffset != isa.None {
		s.soffset = int64(uint32(w.reg(c.SOffset, isa.I32, k, i)))
	}
	switch {
	case ownResource(c):
		return s, true
	case c.Global != isa.None:
		h := memory.Pointer(w.reg(c.Global, isa.I64, k, i))
		s.offset = h.Offset()
		s.resource, ok = w.mem.Resource(h)
		return s, ok
	}
	var words [4]uint32
	for n, r := range c.Resource {
		if r != isa.None {
			words[n] = uint32(w.reg(r, isa.I32, k, i))
		}
	}
	s.resource = memory.ResourceOf(words)
	return s, true
}

// farSide returns the global address of a lane, and whether it lies inside of
// the resource where there is one. ok is false for a handle of no resource.
func (w *wave) farSide(c *isa.LaneCopy, s *shared, k, i int) (p memory.Pointer, inside, ok bool) {
	// What counts in the comparison with the resource's bounds, in bytes. None
	// of these sums can leave 64 bits: an index has 32, a stride 14.
	counted := s.offset + int64(c.Offset)
	far := s.offset == memory.FarOffset
	r := s.resource
	if ownResource(c) {
		p = memory.Pointer(w.reg(c.Global, isa.I64, k, i))
		if c.Kind == isa.LanePointer && p.Space() != memory.SpaceResource {
			return p.Add(counted), true, true
		}
		if r, ok = w.mem.Resource(p); !ok {
			return 0, false, false
		}
		counted += p.Offset()
		far = far || p.Far()
	}
	if c.VOffset != isa.None {
		counted += int64(uint32(w.reg(c.VOffset, isa.I32, k, i)))
	}
	if c.Kind == isa.LaneStruct {
		index := uint32(w.reg(c.Index, isa.I32, k, i))
		if index >= r.Records {
			return 0, false, true
		}
		counted += int64(index) * int64(r.Stride)
	}
	if extent := r.Extent(); far || counted < 0 || uint64(counted) > extent || extent-uint64(counted) < uint64(c.Size) {
		return 0, false, true
	}
	return r.Base.Add(s.soffset + counted), true, true
}

// badHandle ends the wave at a lane copy of which some lane's handle leads to
// no resource.
func (w *wave) badHandle(in *inst, c *isa.LaneCopy) {
	a := memory.AccessRead
	if c.Store {
		a = memory.AccessWrite
	}
	w.failMemory(in, func(k, i int) *memory.Fault {
		h := memory.Pointer(w.reg(c.Global, isa.I64, k, i))
		if c.Kind == isa.LanePointer && h.Space() != memory.SpaceResource {
			return nil
		}
		if _, ok := w.mem.Resource(h); ok {
			return nil
		}
		f := &memory.Fault{Kind: memory.FaultPointer, Access: a, Pointer: h, Size: uint64(c.Size), Expected: memory.SpaceResource}
		if h.IsNearNull() {
			f.Kind = memory.FaultNull
		}
		return f
	})
}

// wrongSpaces returns what is wrong with a lane's addresses when one leads to
// memory of the other's kind: through a generic pointer, which says nothing of
// that before it is used. far counts only where it lies inside of its resource.
func (w *wave) wrongSpaces(c *isa.LaneCopy, lds, far memory.Pointer, inside bool) *memory.Fault {
	onLDS, onFar := memory.AccessWrite, memory.AccessRead
	if c.Store {
		onLDS, onFar = onFar, onLDS
	}
	if s := lds.Space(); s == memory.SpaceGlobal || s == memory.SpacePrivate {
		return &memory.Fault{Kind: memory.FaultPointer, Access: onLDS, Pointer: lds, Size: uint64(c.Size), Expected: memory.SpaceLocal}
	}
	if s := far.Space(); inside && (s == memory.SpaceLocal || s == memory.SpacePrivate) {
		return &memory.Fault{Kind: memory.FaultPointer, Access: onFar, Pointer: far, Size: uint64(c.Size), Expected: memory.SpaceGlobal}
	}
	return nil
}

// badSpaces ends the wave at a lane copy with such addresses.
func (w *wave) badSpaces(in *inst, c *isa.LaneCopy) {
	w.failMemory(in, func(k, i int) *memory.Fault {
		sh, _ := w.shared(c, k, i)
		lds := sh.lds
		if c.PerLane {
			lds = memory.Pointer(w.reg(c.LDS, isa.I64, k, i))
		}
		far, inside, _ := w.farSide(c, &sh, k, i)
		return w.wrongSpaces(c, lds, far, inside)
	})
}

// laneFault ends the wave at a lane copy that may not access memory in some
// lanes, of which lane is the first.
func (w *wave) laneFault(in *inst, c *isa.LaneCopy, lane int, f *memory.Fault, lanes []uint64) {
	n := uint64(c.Size)
	for k, m := range lanes {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			dst, src := w.async.dst[k*64+i], w.async.src[k*64+i]
			good := w.check(dst, dst, memory.SpaceNone, n, memory.AccessWrite) == nil &&
				(src == dma.ZeroFill || w.check(src, src, memory.SpaceNone, n, memory.AccessRead) == nil)
			if good && k*64+i != lane {
				lanes[k] &^= 1 << i
			}
		}
	}
	w.copyFault(in, f, "", lanes)
}

// checkUniform tells package dma of each sub-group in which operands differ that
// must be the same.
func (w *wave) checkUniform(in *inst) {
	size := w.group.Launch.SubgroupSize
	vectors := in.aux.async.vectors
	for v := range vectors {
		o := vectors[v : v+1]
		subgroup, fk, fi, told := -1, 0, 0, false
		for k, m := range w.exec {
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m)
				if n := k*64 + i; n/size != subgroup {
					subgroup, fk, fi, told = n/size, k, i, false
				}
				if !told && !w.sameOperands(o, fk, fi, k, i) {
					told = true
					w.group.DMA.NotUniform(in.pc, in.aux.async.lane.Name, o[0].name, w.first+fk*64+fi, w.first+k*64+i,
						w.reg(o[0].reg, o[0].typ, fk, fi), w.reg(o[0].reg, o[0].typ, k, i), o[0].typ == isa.I64)
				}
			}
		}
	}
}
