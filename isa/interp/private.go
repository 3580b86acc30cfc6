package interp

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/memory"
)

// rowBytes is a row of private memory: one 4-byte word for each lane of a chunk.
const rowBytes = 64 * 4

// word4 returns lane i's word in the row of byte off.
func word4(room unsafe.Pointer, i int, off uint64) *uint32 {
	return (*uint32)(unsafe.Add(room, off>>2*rowBytes+uint64(i&63)*4))
}

func privLoad8(room unsafe.Pointer, i int, off uint64) uint8 {
	return uint8(*word4(room, i, off) >> (off & 3 * 8))
}

func privStore8(room unsafe.Pointer, i int, off uint64, v uint8) {
	p, shift := word4(room, i, off), off&3*8
	*p = *p&^(0xff<<shift) | uint32(v)<<shift
}

func privLoad16(room unsafe.Pointer, i int, off uint64) uint16 {
	if off&3 == 3 {
		return uint16(privLoad8(room, i, off)) | uint16(privLoad8(room, i, off+1))<<8
	}
	return uint16(*word4(room, i, off) >> (off & 3 * 8))
}

func privStore16(room unsafe.Pointer, i int, off uint64, v uint16) {
	if off&3 == 3 {
		privStore8(room, i, off, uint8(v))
		privStore8(room, i, off+1, uint8(v>>8))
		return
	}
	p, shift := word4(room, i, off), off&3*8
	*p = *p&^(0xffff<<shift) | uint32(v)<<shift
}

func privLoad32(room unsafe.Pointer, i int, off uint64) uint32 {
	if off&3 == 0 {
		return *word4(room, i, off)
	}
	return privLoadAcross(room, i, off)
}

//go:noinline
func privLoadAcross(room unsafe.Pointer, i int, off uint64) uint32 {
	shift := off & 3 * 8
	return *word4(room, i, off)>>shift | *word4(room, i, off+4)<<(32-shift)
}

func privStore32(room unsafe.Pointer, i int, off uint64, v uint32) {
	if off&3 == 0 {
		*word4(room, i, off) = v
		return
	}
	privStoreAcross(room, i, off, v)
}

//go:noinline
func privStoreAcross(room unsafe.Pointer, i int, off uint64, v uint32) {
	p := word4(room, i, off)
	shift := off & 3 * 8
	*p = *p&(1<<shift-1) | v<<shift
	p = word4(room, i, off+4)
	*p = *p>>shift<<shift | v>>(32-shift)
}

func privLoad64(room unsafe.Pointer, i int, off uint64) uint64 {
	return uint64(privLoad32(room, i, off)) | uint64(privLoad32(room, i, off+4))<<32
}

func privStore64(room unsafe.Pointer, i int, off, v uint64) {
	privStore32(room, i, off, uint32(v))
	privStore32(room, i, off+4, uint32(v>>32))
}

// The functions below load or store the elements of all lanes of a chunk at
// one offset, aligned ones as whole rows.

func row4(room unsafe.Pointer, off uint64) *[64]uint32 {
	return (*[64]uint32)(unsafe.Add(room, off>>2*rowBytes))
}

func privLoad8Row(d *[64]uint8, room unsafe.Pointer, off uint64) {
	row, shift := row4(room, off), off&3*8
	for i := range d {
		d[i] = uint8(row[i] >> (shift & 31))
	}
}

func privLoad16Row(d *[64]uint16, room unsafe.Pointer, off uint64) {
	for i := range d {
		d[i] = privLoad16(room, i, off)
	}
}

func privLoad32Row(d *[64]uint32, room unsafe.Pointer, off uint64) {
	if off&3 == 0 {
		*d = *row4(room, off)
		return
	}
	for i := range d {
		d[i] = privLoad32(room, i, off)
	}
}

func privLoad64Row(d *[64]uint64, room unsafe.Pointer, off uint64) {
	if off&3 == 0 {
		low, high := row4(room, off), row4(room, off+4)
		for i := range d {
			d[i] = uint64(low[i]) | uint64(high[i])<<32
		}
		return
	}
	for i := range d {
		d[i] = privLoad64(room, i, off)
	}
}

func privStore8Row(room unsafe.Pointer, off uint64, c *[64]uint8) {
	for i, v := range c {
		privStore8(room, i, off, v)
	}
}

func privStore16Row(room unsafe.Pointer, off uint64, c *[64]uint16) {
	for i, v := range c {
		privStore16(room, i, off, v)
	}
}

func privStore32Row(room unsafe.Pointer, off uint64, c *[64]uint32) {
	if off&3 == 0 {
		*row4(room, off) = *c
		return
	}
	for i, v := range c {
		privStore32(room, i, off, v)
	}
}

func privStore64Row(room unsafe.Pointer, off uint64, c *[64]uint64) {
	if off&3 == 0 {
		low, high := row4(room, off), row4(room, off+4)
		for i, v := range c {
			low[i], high[i] = uint32(v), uint32(v>>32)
		}
		return
	}
	for i, v := range c {
		privStore64(room, i, off, v)
	}
}

// private returns the memory of chunk 0 for the private allocation of a scalar
// pointer, the highest offset for an access of n bytes, and the part of the
// offset that all lanes share.
func (w *wave) private(in *inst, n uint64) (room unsafe.Pointer, limit uint64, off int64) {
	p := memory.Pointer(w.s[in.a])
	a := int(p.Alloc())
	if p.Space() != memory.SpacePrivate || a == 0 || a > len(w.code.privSize) || w.code.privSize[a-1] < n || p.Far() {
		return nil, 0, 0
	}
	return w.privateRoom(p.Alloc(), 0), w.code.privSize[a-1] - n, p.Offset() + in.disp
}

// privateRoom returns the memory of a private allocation, which exists, for a chunk.
func (w *wave) privateRoom(alloc uint32, k int) unsafe.Pointer {
	return unsafe.Add(w.Private, uintptr(k)*w.code.privStride+w.code.privOffset[alloc-1])
}

// touch notes that the allocation of a scalar pointer is about to be written.
func (w *wave) touch(in *inst) { w.touched[memory.Pointer(w.s[in.a]).Alloc()-1] = true }

// initPrivate makes the private memory of the chunks in use what it is at the
// start of a work-item: zero, or the bytes of a parameter. Only what was
// written since the last time needs it.
func (w *wave) initPrivate(chunks int) {
	c, l := w.code, w.group.Launch
	fresh := w.privFresh
	if w.privArena == nil {
		// Machine code moves bytes in the middle of the last word as if a word began there.
		w.privArena = make([]uint64, w.words*int(c.privStride/8)+1)
		w.Private = unsafe.Pointer(unsafe.SliceData(w.privArena))
		fresh = 0
	}
	if w.privVals != l {
		w.privVals = l
		fresh = 0
	}
	for n := range c.privSize {
		a := &c.kernel.Private[n]
		from := fresh
		if w.touched[n] || w.machine.writes(n) {
			// Chunks that are not in use now may have been written too.
			from = 0
			w.touched[n] = false
			w.initAlloc(n, a.Param, 0, max(chunks, fresh))
			continue
		}
		w.initAlloc(n, a.Param, from, chunks)
	}
	w.privFresh = max(fresh, chunks)
}

// poisonRows fills private memory with a pattern that depends on the seed and the place in the allocation.
func poisonRows(words []uint32, seed uint64) {
	for row := 0; row < len(words); row += 64 {
		var x uint32
		for b := range uint64(4) {
			x |= uint32(memory.PoisonByte(seed, uint64(row)/64*4+b)) << (8 * b)
		}
		for i := range 64 {
			words[row+i] = x
		}
	}
}

// initAlloc initialises chunks [from, to) of an allocation.
func (w *wave) initAlloc(n, param, from, to int) {
	size := w.code.privSize[n]
	var values []byte
	if param > 0 && param <= len(w.group.Launch.Values) {
		values = w.group.Launch.Values[param-1]
		values = values[:min(uint64(len(values)), size)]
	}
	for k := from; k < to; k++ {
		room := w.privateRoom(uint32(n+1), k)
		words := unsafe.Slice((*uint32)(room), (size+3)/4*64)
		if p := w.group.Launch.Poison; p != 0 && param == 0 {
			poisonRows(words, p)
			continue
		}
		clear(words)
		for off, v := range values {
			row := (*[64]uint32)(unsafe.Pointer(word4(room, 0, uint64(off))))
			for i := range row {
				row[i] |= uint32(v) << (off & 3 * 8)
			}
		}
	}
}
