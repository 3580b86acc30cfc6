package portable

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

func same(a uint64) uint64 { return a }

// moveScalar is VMOVSS or VMOVSD: a load clears the rest of the register, a move between registers takes it
// from the first source.
func moveScalar(size int) *entry {
	return &entry{do: func(_ *entry, m *machine, i *inst) {
		to, last := &i.args[0], m.source(&i.args[len(i.args)-1], size, 1, 1)
		if to.kind == argMem {
			store(m.address(to), size, last.get(size, 0))
			return
		}
		var y vec
		if len(i.args) == 3 {
			a := m.vectors[i.args[1].reg]
			y = vec{a[0], a[1]}
		}
		y.set(size, 0, last.get(size, 0))
		m.vectors[to.reg] = y
	}}
}

// moveWord is VMOVD or VMOVQ, between a vector register and any other operand.
func moveWord(size int) *entry {
	return &entry{args: 2, do: func(_ *entry, m *machine, i *inst) {
		to, from := &i.args[0], m.source(&i.args[1], size, 1, 1)
		x := from.get(size, 0)
		if to.kind == argVec {
			m.vectors[to.reg] = vec{x}
			return
		}
		m.write(to, amd64.Size(8*size), x)
	}}
}

// signs makes a number of the highest bits of elements.
func signs(size int) *entry {
	return &entry{args: 2, size: size, do: func(e *entry, m *machine, i *inst) {
		v, x := &m.vectors[i.args[1].reg], uint64(0)
		for k := range e.lanes(i) {
			x |= v.get(size, k) >> (8*size - 1) << k
		}
		if i.args[0].kind == argMask {
			m.masks[i.args[0].reg] = x
			return
		}
		m.write(&i.args[0], amd64.B32, x)
	}}
}

// moveUnder is VPMASKMOV: the elements whose mask has its highest bit.
func moveUnder(size int) *entry {
	return &entry{args: 3, size: size, do: func(e *entry, m *machine, i *inst) {
		mask, active := &m.vectors[i.args[1].reg], uint64(0)
		for k := range e.lanes(i) {
			active |= mask.get(size, k) >> (8*size - 1) << k
		}
		if i.args[0].kind == argVec {
			m.vectors[i.args[0].reg] = m.source(&i.args[2], size, e.lanes(i), active)
			return
		}
		p, v := m.address(&i.args[0]), &m.vectors[i.args[2].reg]
		for ; active != 0; active &= active - 1 {
			k := bits.TrailingZeros64(active)
			store(p+uintptr(size*k), size, v.get(size, k))
		}
	}}
}

// blendBySign takes elements of the second source where the third has its highest bit.
func blendBySign(size int) *entry {
	return &entry{args: 4, size: size, lane: func(x *lane) uint64 {
		if x.c>>(8*size-1) != 0 {
			return x.b
		}
		return x.a
	}}
}

// blendByNumber takes elements of the second source where the number has a bit.
func blendByNumber(size int) *entry {
	return &entry{args: 4, size: size, whole: func(w *whole) {
		for k := range w.lanes {
			if w.imm>>(k%8)&1 != 0 {
				w.r.set(size, k, w.b.get(size, k))
			} else {
				w.r.set(size, k, w.a.get(size, k))
			}
		}
	}}
}

// blendByMask takes elements of the second source where the predicate has a lane.
func blendByMask(size int) *entry {
	return &entry{args: 3, size: size, flags: masked, do: func(e *entry, m *machine, i *inst) {
		lanes := e.lanes(i)
		active := m.active(i, lanes)
		r, b := m.vectors[i.args[1].reg], m.source(&i.args[2], size, lanes, active)
		var y vec
		for k := range lanes {
			switch {
			case active>>k&1 != 0:
				y.set(size, k, b.get(size, k))
			case !i.zeroes:
				y.set(size, k, r.get(size, k))
			}
		}
		m.vectors[i.args[0].reg] = y
	}}
}

// broadcast gives all lanes the lowest element of a source.
func broadcast(size int) *entry {
	return &entry{args: 2, size: size, flags: masked, do: func(e *entry, m *machine, i *inst) {
		lanes := e.lanes(i)
		from := m.source(&i.args[1], size, 1, m.active(i, lanes)|1)
		var r vec
		for k := range lanes {
			r.set(size, k, from.get(size, 0))
		}
		m.result(i, &r, size, lanes)
	}}
}

// broadcastPart gives all parts of a vector, of so many bytes, what is in memory; size is for the predicate.
func broadcastPart(size, part int) *entry {
	return &entry{args: 2, size: size, flags: masked, do: func(e *entry, m *machine, i *inst) {
		from := m.source(&i.args[1], 8, part/8, 1<<(part/8)-1)
		var r vec
		for k := range i.width.Bytes() / 8 {
			r[k] = from[k%(part/8)]
		}
		m.result(i, &r, size, e.lanes(i))
	}}
}

// spreadMask is VPMOVM2.
func spreadMask(size int) *entry {
	return &entry{args: 2, size: size, do: func(e *entry, m *machine, i *inst) {
		var r vec
		for k := range e.lanes(i) {
			r.set(size, k, -(m.masks[i.args[1].reg] >> k & 1))
		}
		m.vectors[i.args[0].reg] = r
	}}
}

// gather loads elements of size bytes by indices of another size. The mask, or the vector in its place, is 0
// behind it.
func gather(size, index int) *entry {
	return &entry{size: size, from: index, flags: masked, do: func(e *entry, m *machine, i *inst) {
		lanes := e.lanes(i)
		active := m.active(i, lanes)
		if len(i.args) == 3 {
			active = 0
			for k := range lanes {
				active |= m.vectors[i.args[2].reg].get(size, k) >> (8*size - 1) << k
			}
			m.vectors[i.args[2].reg] = vec{}
		} else {
			m.masks[i.pred-1] = 0
		}
		old, at := m.vectors[i.args[0].reg], m.vectors[i.args[1].index]
		var r vec
		for k := range lanes {
			if active>>k&1 != 0 {
				r.set(size, k, load(m.element(&i.args[1], &at, index, k), size))
			} else {
				r.set(size, k, old.get(size, k))
			}
		}
		m.vectors[i.args[0].reg] = r
	}}
}

// scatter stores elements likewise, the lowest first.
func scatter(size, index int) *entry {
	return &entry{args: 2, size: size, from: index, flags: masked, do: func(e *entry, m *machine, i *inst) {
		active := m.active(i, e.lanes(i))
		m.masks[i.pred-1] = 0
		v, at := &m.vectors[i.args[1].reg], &m.vectors[i.args[0].index]
		for ; active != 0; active &= active - 1 {
			k := bits.TrailingZeros64(active)
			store(m.element(&i.args[0], at, index, k), size, v.get(size, k))
		}
	}}
}

// moves are moves, blends, broadcasts, gathers and scatters (SDM volume 2, the sections with their names).
var moves = table{
	amd64.VMOVAPS: one(4, same), amd64.VMOVAPD: one(8, same), amd64.VMOVUPS: one(4, same),
	amd64.VMOVUPD:   one(8, same),
	amd64.VMOVDQA32: one(4, same), amd64.VMOVDQA64: one(8, same),
	amd64.VMOVDQU8: one(1, same), amd64.VMOVDQU16: one(2, same), amd64.VMOVDQU32: one(4, same),
	amd64.VMOVDQU64: one(8, same),
	amd64.VMOVSS:    moveScalar(4), amd64.VMOVSD: moveScalar(8), amd64.VMOVD: moveWord(4),
	amd64.VMOVQ:     moveWord(8),
	amd64.VMOVMSKPS: signs(4), amd64.VMOVMSKPD: signs(8), amd64.VPMOVMSKB: signs(1),
	amd64.VPMOVB2M: signs(1), amd64.VPMOVW2M: signs(2), amd64.VPMOVD2M: signs(4), amd64.VPMOVQ2M: signs(8),
	amd64.VPMOVM2B: spreadMask(1), amd64.VPMOVM2W: spreadMask(2), amd64.VPMOVM2D: spreadMask(4),
	amd64.VPMOVM2Q:   spreadMask(8),
	amd64.VMASKMOVPS: moveUnder(4), amd64.VMASKMOVPD: moveUnder(8), amd64.VPMASKMOVD: moveUnder(4),
	amd64.VPMASKMOVQ: moveUnder(8),
	amd64.VPBLENDVB:  blendBySign(1), amd64.VBLENDVPS: blendBySign(4), amd64.VBLENDVPD: blendBySign(8),
	amd64.VPBLENDW: blendByNumber(2), amd64.VPBLENDD: blendByNumber(4), amd64.VBLENDPS: blendByNumber(4),
	amd64.VBLENDPD:  blendByNumber(8),
	amd64.VPBLENDMB: blendByMask(1), amd64.VPBLENDMW: blendByMask(2), amd64.VPBLENDMD: blendByMask(4),
	amd64.VPBLENDMQ: blendByMask(8),
	amd64.VBLENDMPS: blendByMask(4), amd64.VBLENDMPD: blendByMask(8),
	amd64.VPBROADCASTB: broadcast(1), amd64.VPBROADCASTW: broadcast(2), amd64.VPBROADCASTD: broadcast(4),
	amd64.VPBROADCASTQ: broadcast(8),
	amd64.VBROADCASTSS: broadcast(4), amd64.VBROADCASTSD: broadcast(8),
	amd64.VBROADCASTI128: broadcastPart(8, 16), amd64.VBROADCASTF128: broadcastPart(8, 16),
	amd64.VBROADCASTI32X4: broadcastPart(4, 16), amd64.VBROADCASTF32X4: broadcastPart(4, 16),
	amd64.VBROADCASTI64X4: broadcastPart(8, 32), amd64.VBROADCASTF64X4: broadcastPart(8, 32),
	amd64.VPGATHERDD: gather(4, 4), amd64.VPGATHERDQ: gather(8, 4), amd64.VPGATHERQD: gather(4, 8),
	amd64.VPGATHERQQ: gather(8, 8),
	amd64.VGATHERDPS: gather(4, 4), amd64.VGATHERDPD: gather(8, 4), amd64.VGATHERQPS: gather(4, 8),
	amd64.VGATHERQPD:  gather(8, 8),
	amd64.VPSCATTERDD: scatter(4, 4), amd64.VPSCATTERDQ: scatter(8, 4), amd64.VPSCATTERQD: scatter(4, 8),
	amd64.VPSCATTERQQ: scatter(8, 8),
}
