package interp

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

var (
	blockLoadFuncs = [isa.NumBanks]opFunc{isa.Bank8: blockLoad(load8, load8Run), isa.Bank16: blockLoad(memory.Load16, load16Run),
		isa.Bank32: blockLoad(memory.Load32, load32Run), isa.Bank64: blockLoad(memory.Load64, load64Run)}
	blockStoreFuncs = [isa.NumBanks]opFunc{isa.Bank8: blockStore(store8, store8Run), isa.Bank16: blockStore(memory.Store16, store16Run),
		isa.Bank32: blockStore(memory.Store32, store32Run), isa.Bank64: blockStore(memory.Store64, store64Run)}
)

// blockLoad loads a component of a block: consecutive elements for the lanes of
// a sub-group, which are one copy when the lanes that run are consecutive.
func blockLoad[T unsigned](one func(unsafe.Pointer) T, many func([]T, unsafe.Pointer)) opFunc {
	return func(w *wave, in *inst) {
		size := int64(unsafe.Sizeof(*new(T)))
		w.eachBlock(in, w.loadBlocks(in, size), memory.AccessRead, func(k int, m uint64, mem unsafe.Pointer, off int64) {
			d := (*[64]T)(unsafe.Add(w.chunk(k), in.d))
			if lo, n := run(m); n > 0 {
				many(d[lo:][:n], unsafe.Add(mem, off+int64(lo)*size))
				return
			}
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				d[i] = one(unsafe.Add(mem, off+int64(i)*size))
			}
		})
	}
}

// blockStore stores a component of a block.
func blockStore[T unsigned](one func(unsafe.Pointer, T), many func(unsafe.Pointer, []T)) opFunc {
	return func(w *wave, in *inst) {
		size := int64(unsafe.Sizeof(*new(T)))
		w.eachBlock(in, 0, memory.AccessWrite, func(k int, m uint64, mem unsafe.Pointer, off int64) {
			c := (*[64]T)(unsafe.Add(w.chunk(k), in.c))
			if lo, n := run(m); n > 0 {
				many(unsafe.Add(mem, off+int64(lo)*size), c[lo:][:n])
				return
			}
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				one(unsafe.Add(mem, off+int64(i)*size), c[i])
			}
		})
	}
}

// loadBlocks does what is plain: blocks of whole sub-groups, shorter than a
// chunk and inside one allocation. It returns how many chunks it has done.
func (w *wave) loadBlocks(in *inst, size int64) int {
	const step = 32 // bytes that are moved at once
	n := w.subgroup()
	if n < minPick || n >= 64 || int64(n)*size%step != 0 || bigEndian {
		return 0
	}
	var mem unsafe.Pointer
	var limit uint64
	key := noKey
	last := int64(n-1) * size
	skip := in.disp + int64(in.imm)*int64(n)*size
	indexed := in.scalars&1 != 0 && in.vectorIndex && in.idx == isa.IdxU32 && in.scale <= math.MaxInt32 // as most are
	var start int64
	if indexed {
		base := memory.Pointer(w.s[in.a])
		mem, limit = w.target(in, base, uint64(size), memory.AccessRead)
		start = base.Offset() + skip
	}
	for k, m := range w.exec {
		if m != full {
			return k
		}
		// All addresses first: what is loaded may overwrite them.
		var from [64 / minPick]int64
		var apart int64 // not 0 if the blocks do not follow each other
		chunk := w.chunk(k)
		index := (*[64]uint32)(unsafe.Add(chunk, in.b))
		for j, i := 0, 0; i < 64; j, i = j+1, i+n {
			var off int64
			if indexed {
				off = start + int64(index[i&63])*in.scale
			} else {
				base := w.blockBase(in, chunk, i)
				if uint64(base)>>memory.OffsetBits != key {
					if i != 0 {
						return k // in different allocations
					}
					key = uint64(base) >> memory.OffsetBits
					mem, limit = w.target(in, base, uint64(size), memory.AccessRead)
				}
				off = base.Offset() + w.blockIndex(in, chunk, i) + skip
			}
			if mem == nil || uint64(off) > limit || uint64(off+last) > limit {
				return k
			}
			from[j&7] = off
			apart |= off - from[0] - int64(i)*size
		}
		d := unsafe.Add(chunk, in.d)
		if apart == 0 {
			copy(unsafe.Slice((*byte)(d), 64*size), unsafe.Slice((*byte)(unsafe.Add(mem, from[0])), 64*size))
			continue
		}
		for j := 0; j*n < 64; j++ {
			p, at := unsafe.Add(mem, from[j&7]), int64(j*n)*size
			for i := int64(0); i <= last; i += step {
				*(*[step]byte)(unsafe.Add(d, at+i)) = *(*[step]byte)(unsafe.Add(p, i))
			}
		}
	}
	return len(w.exec)
}

// eachBlock calls f for the lanes m of chunk k, from chunk start on, that access
// the elements at off, for lane 0, behind mem. If one of them reaches outside the allocation, only
// the lanes before it act, and the wave is over.
func (w *wave) eachBlock(in *inst, start int, a memory.Access, f func(k int, m uint64, mem unsafe.Pointer, off int64)) {
	n := w.subgroup()
	size := int64(in.src.Type.Bytes())
	part := full
	if n < 64 {
		part = 1<<n - 1
	}
	var base memory.Pointer
	var index int64
	var mem unsafe.Pointer
	var limit uint64
	key := noKey
	for k := start; k < len(w.exec); k++ {
		m := w.exec[k]
		chunk := w.chunk(k)
		if n < 64 && m == full && w.consecutive(in, chunk, n, size) {
			part = full // one access, as of a sub-group of 64 lanes
		} else if n < 64 {
			part = 1<<n - 1
		}
		for m != 0 {
			i := bits.TrailingZeros64(m) & 63
			set := m & (part << (i &^ (n - 1) & 63))
			m &^= set
			first := i &^ (n - 1)
			at := 0 // lane of the sub-group that first is
			if n == maxSubgroup {
				first, at = 0, k&1*64
			}
			if at == 0 || w.exec[k-1] == 0 {
				base, index = w.blockBase(in, chunk, i), w.blockIndex(in, chunk, i)
			}
			if uint64(base)>>memory.OffsetBits != key {
				key = uint64(base) >> memory.OffsetBits
				mem, limit = w.target(in, base, uint64(size), a)
			}
			off := base.Offset() + index + in.disp + (int64(in.imm)*int64(n)+int64(at-first))*size
			last := bits.Len64(set) - 1
			lo, hi := uint64(off+int64(i)*size), uint64(off+int64(last)*size)
			if mem == nil || lo > limit || hi > limit {
				w.blockFault(in, a, k, set, mem, limit, off, f)
				return
			}
			f(k, set, mem, off)
		}
	}
}

// consecutive says whether the blocks of a chunk's sub-groups follow each other.
func (w *wave) consecutive(in *inst, chunk unsafe.Pointer, n int, size int64) bool {
	scalar := in.scalars&1 != 0
	switch {
	case !scalar && !in.vectorIndex:
		p := (*[64]uint64)(unsafe.Add(chunk, in.a))
		for i := n; i < 64; i += n {
			if p[i&63]-p[0] != uint64(i)*uint64(size) {
				return false
			}
		}
		return (p[0]^p[(64-n)&63])>>memory.OffsetBits == 0
	case scalar && in.vectorIndex:
		start := w.blockIndex(in, chunk, 0)
		for i := n; i < 64; i += n {
			if w.blockIndex(in, chunk, i)-start != int64(i)*size {
				return false
			}
		}
		return true
	}
	return false
}

// blockBase returns the pointer operand of a block access in a lane.
func (w *wave) blockBase(in *inst, chunk unsafe.Pointer, i int) memory.Pointer {
	if in.scalars&1 != 0 {
		return memory.Pointer(w.s[in.a])
	}
	return memory.Pointer((*[64]uint64)(unsafe.Add(chunk, in.a))[i&63])
}

// blockIndex returns what the index adds to the address in a lane.
func (w *wave) blockIndex(in *inst, chunk unsafe.Pointer, i int) int64 {
	if !in.vectorIndex {
		return w.scalarIndex(in)
	}
	p := unsafe.Add(chunk, in.b)
	switch in.idx {
	case isa.IdxS32:
		return sext((*[64]uint32)(p)[i&63]) * in.scale
	case isa.IdxU32:
		return scaled(int64((*[64]uint32)(p)[i&63]), in.scale)
	}
	return scaled(int64((*[64]uint64)(p)[i&63]), in.scale)
}

// blockFault does the accesses of the lanes before the first that must not, and
// ends the wave.
func (w *wave) blockFault(in *inst, a memory.Access, k int, set uint64, mem unsafe.Pointer, limit uint64, off int64, f func(k int, m uint64, mem unsafe.Pointer, off int64)) {
	size := int64(in.src.Type.Bytes())
	for ; mem != nil && set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		if uint64(off+int64(i)*size) > limit {
			break
		}
		f(k, 1<<i, mem, off)
	}
	w.failMemory(in, func(k, i int) *memory.Fault {
		base, p := w.blockAddress(in.src, k, i)
		if base.Space() == memory.SpacePrivate {
			return &memory.Fault{Kind: memory.FaultPointer, Access: a, Pointer: p, Size: uint64(size), Expected: memory.SpaceGlobal}
		}
		return w.check(base, p, in.space, uint64(size), a)
	})
}

// lowest returns the chunk and the place in it of the lowest running lane of the
// sub-group that a running lane belongs to.
func (w *wave) lowestOf(k, i int) (int, int) {
	n := w.subgroup()
	if n == maxSubgroup {
		if k &^= 1; w.exec[k] == 0 {
			k++
		}
		return k, bits.TrailingZeros64(w.exec[k])
	}
	first := i &^ (n - 1)
	return k, first + bits.TrailingZeros64(w.exec[k]>>first)
}

// blockAddress returns the pointer of the block that a lane takes part in, and
// the address of its element.
func (w *wave) blockAddress(in *isa.Inst, k, i int) (base, p memory.Pointer) {
	n := w.subgroup()
	fk, fi := w.lowestOf(k, i)
	base, p = w.address(in, fk, fi)
	lane := int64(k*64+i) % int64(n)
	return base, p.Add((int64(in.Imm)*int64(n) + lane) * int64(in.Type.Bytes()))
}
