package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

func (d *decoder) builtin(in inst) {
	s := in.src
	b := isa.Builtin(s.Imm)
	in.d = d.operand(s.Dst, s.Type)
	if b.PerLane() {
		if d.accel != nil || b < isa.BuiltinGroupID || b == isa.BuiltinGlobalLinearID || b == isa.BuiltinLocalLinearID && d.kernel.Meta.Order != isa.OrderXYZ {
			d.usesIDs = true
		}
		in.fn = builtin32
		if s.Type == isa.I64 {
			in.fn = builtin64
		}
		d.emit(in)
		return
	}
	in.fn = builtinScalar
	if s.Dst.IsVector() {
		in.d = d.scratch
		d.emit(in)
		d.broadcast(in, s.Dst, s.Type)
		return
	}
	d.emit(in)
}

// The arrays of wave.ids: local ids by dimension, and what else differs by lane.
const (
	idLocalLinear = 3 + iota
	idSubgroupSize
	idSubgroup
	idSubgroupLocal
	numIDs
)

// ArrayOf returns which of Frame.IDs has a built-in that differs by lane, or -1 if none has.
func ArrayOf(b isa.Builtin) int {
	switch {
	case b < isa.BuiltinGlobalID:
		return int(b)
	case b == isa.BuiltinLocalLinearID:
		return idLocalLinear
	case b == isa.BuiltinSubgroupSize:
		return idSubgroupSize
	case b == isa.BuiltinSubgroupID:
		return idSubgroup
	case b == isa.BuiltinSubgroupLocalID:
		return idSubgroupLocal
	}
	return -1
}

// initIDs fills in what differs by lane, unless it is there
// from the last wave.
func (w *wave) initIDs() {
	key := idKey{w.first, w.lanes, w.group.Size, max(w.group.Launch.SubgroupSize, 1), w.native}
	if key == w.idKey {
		return
	}
	w.idKey = key
	// Dimensions from the innermost: x, y and z for most kernels.
	order := w.code.kernel.Meta.Order
	dims := order.Dims()
	ids := [3][]uint32{w.ids[dims[0]], w.ids[dims[1]], w.ids[dims[2]]}
	n0, n1 := max(key.size[dims[0]], 1), max(key.size[dims[1]], 1)
	at := order.Item(key.size, uint64(w.first))
	a, b, c := at[dims[0]], at[dims[1]], at[dims[2]]
	for i := range w.lanes {
		ids[0][i], ids[1][i], ids[2][i] = a, b, c
		if a++; a == n0 {
			a = 0
			if b++; b == n1 {
				b = 0
				c++
			}
		}
	}
	if !w.native {
		return
	}
	w.Rows = ^uint64(0)
	for i := range w.lanes {
		x := ids[0][i&^15] + uint32(i&15)
		if dims[0] != 0 || ids[0][i] != x || ids[1][i] != ids[1][i&^15] || ids[2][i] != ids[2][i&^15] {
			w.Rows = 0
			break
		}
	}
	total, sub := uint32(w.groupLanes()), uint32(key.sub)
	for i := range w.lanes {
		lane := uint32(w.first + i)
		w.ids[idLocalLinear][i] = (w.ids[2][i]*key.size[1]+w.ids[1][i])*key.size[0] + w.ids[0][i]
		w.ids[idSubgroupSize][i] = min(sub, total-lane/sub*sub)
		w.ids[idSubgroup][i] = lane / sub
		w.ids[idSubgroupLocal][i] = lane % sub
	}
}

// initValues fills in what is the same for the whole group.
func (w *wave) initValues() {
	g := w.group
	l := g.Launch
	if key := (valueKey{l, g.Size}); key != w.valueKey {
		w.valueKey = key
		for b := range isa.NumBuiltins {
			if !b.PerLane() {
				w.Values[b] = w.uniformValue(b)
			}
		}
	}
	w.locate()
}

// locate fills in what says which group it is.
func (w *wave) locate() {
	g := w.group
	l := g.Launch
	for i := range g.ID {
		w.Values[int(isa.BuiltinGroupID)+i] = g.ID[i]
		w.First[i] = g.ID[i] * uint64(l.Local[i])
		w.Origin[i] = w.First[i] + l.Offset[i]
	}
}

// valueKey says for what Frame.Values are filled in.
type valueKey struct {
	launch *engine.Launch
	size   [3]uint32
}

// groupLanes returns the number of work-items of the group.
func (w *wave) groupLanes() uint64 {
	s := &w.group.Size
	return uint64(s[0]) * uint64(s[1]) * uint64(s[2])
}

func ceilDiv(a, b uint64) uint64 { return (a + b - 1) / b }

// builtinScalar computes a built-in that is the same for all lanes.
func builtinScalar(w *wave, in *inst) {
	v := w.uniformValue(isa.Builtin(in.imm))
	if in.src.Type == isa.I32 {
		v = uint64(uint32(v))
	}
	w.s[in.d] = v
}

// readClock reads the logical clock for all lanes that run.
func readClock(w *wave, in *inst) { w.s[in.d] = w.now(in.pc) }

// uniformValue returns a built-in that is the same for all lanes.
func (w *wave) uniformValue(b isa.Builtin) (v uint64) {
	g := w.group
	l := g.Launch
	size := uint64(max(l.SubgroupSize, 1))
	switch {
	case b < isa.BuiltinNumGroups:
		v = g.ID[b-isa.BuiltinGroupID]
	case b < isa.BuiltinLocalSize:
		v = l.Groups[b-isa.BuiltinNumGroups]
	case b < isa.BuiltinEnqueuedSize:
		v = uint64(g.Size[b-isa.BuiltinLocalSize])
	case b < isa.BuiltinGlobalSize:
		v = uint64(l.Local[b-isa.BuiltinEnqueuedSize])
	case b < isa.BuiltinGlobalOffset:
		v = l.Global[b-isa.BuiltinGlobalSize]
	case b < isa.BuiltinWorkDim:
		v = l.Offset[b-isa.BuiltinGlobalOffset]
	case b == isa.BuiltinWorkDim:
		v = uint64(l.Dim)
	case b == isa.BuiltinSubgroupMaxSize:
		v = size
	case b == isa.BuiltinNumSubgroups:
		v = ceilDiv(w.groupLanes(), size)
	case b == isa.BuiltinNumEnqueuedSubgroups:
		v = ceilDiv(uint64(l.Local[0])*uint64(l.Local[1])*uint64(l.Local[2]), size)
	}
	return v
}

func builtin32(w *wave, in *inst) { builtinLanes[uint32](w, in) }

func builtin64(w *wave, in *inst) { builtinLanes[uint64](w, in) }

// builtinLanes computes a built-in that differs by lane. Lanes that never were
// get some value.
func builtinLanes[T uint32 | uint64](w *wave, in *inst) {
	g := w.group
	l := g.Launch
	b := isa.Builtin(in.imm)
	sub := max(l.SubgroupSize, 1)
	var dim int
	var start [3]T // global id, without the offset, of the group's first item
	for i := range start {
		start[i] = T(g.ID[i]) * T(l.Local[i])
	}
	from := T(0)
	switch {
	case b < isa.BuiltinGlobalID:
		dim = int(b)
	case b < isa.BuiltinGroupID:
		dim = int(b - isa.BuiltinGlobalID)
		from = start[dim] + T(l.Offset[dim])
	}
	total := int(w.groupLanes())
	// Lanes are numbered in the order of the kernel, local linear ids in that of x, y, z.
	inOrder := w.code.kernel.Meta.Order == isa.OrderXYZ
	for k, m := range w.masks[in.mask] {
		if m == 0 {
			continue
		}
		d := (*[64]T)(unsafe.Add(w.chunk(k), in.d))
		first := w.first + k*64
		switch {
		case b < isa.BuiltinGroupID:
			ids := w.ids[dim][k*64:][:64]
			if m == full {
				for i, x := range ids {
					d[i&63] = from + T(x)
				}
				continue
			}
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				d[i] = from + T(ids[i])
			}
		case m == full && b != isa.BuiltinGlobalLinearID && (inOrder || b != isa.BuiltinLocalLinearID):
			subgroupLanes(d, b, first, sub, total)
		default:
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				lane := first + i
				switch b {
				case isa.BuiltinGlobalLinearID:
					x, y, z := T(w.ids[0][k*64+i]), T(w.ids[1][k*64+i]), T(w.ids[2][k*64+i])
					d[i] = ((z+start[2])*T(l.Global[1])+y+start[1])*T(l.Global[0]) + x + start[0]
				case isa.BuiltinLocalLinearID:
					if d[i] = T(lane); !inOrder {
						d[i] = (T(w.ids[2][k*64+i])*T(g.Size[1])+T(w.ids[1][k*64+i]))*T(g.Size[0]) + T(w.ids[0][k*64+i])
					}
				case isa.BuiltinSubgroupSize:
					d[i] = T(min(sub, total-lane/sub*sub))
				case isa.BuiltinSubgroupID:
					d[i] = T(lane / sub)
				case isa.BuiltinSubgroupLocalID:
					d[i] = T(lane % sub)
				}
			}
		}
	}
}

// subgroupLanes computes a built-in about sub-groups of so many lanes, of a total
// in the group, or the local linear id, for the 64 lanes from the first on.
func subgroupLanes[T uint32 | uint64](d *[64]T, b isa.Builtin, first, sub, total int) {
	if b == isa.BuiltinLocalLinearID {
		sub = first + 64 // as the local id in the only sub-group
	}
	for i := 0; i < 64; {
		lane := first + i
		at := lane % sub
		part := d[i:][:min(sub-at, 64-i)]
		switch b {
		case isa.BuiltinSubgroupSize:
			fill(part, T(min(sub, total-lane+at)))
		case isa.BuiltinSubgroupID:
			fill(part, T(lane/sub))
		default:
			for j := range part {
				part[j] = T(at + j)
			}
		}
		i += len(part)
	}
}
