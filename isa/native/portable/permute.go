package portable

import "github.com/lockstep-gpu/lockstep/isa/native/amd64"

// wholly is an instruction whose elements come from several lanes.
func wholly(args, size int, f func(*whole)) *entry { return &entry{args: args, size: size, whole: f} }

// permute is VPERM: elements of the last source by the indices in the first, or, of VPERMQ and VPERMPD, by a
// number, in each half of a vector.
func permute(w *whole) {
	for k := range w.lanes {
		w.r.set(w.size, k, w.b.get(w.size, int(w.a.get(w.size, k)&uint64(w.lanes-1))))
	}
}

func permuteWords(e *entry, m *machine, i *inst) {
	lanes := e.lanes(i)
	w := whole{imm: uint64(i.imm) & 0xff, size: e.size, lanes: lanes}
	_, w.a, w.b, _ = e.operands(m, i, lanes, ^uint64(0)>>(64-lanes))
	if i.args[2].kind != argImm {
		permute(&w)
	} else {
		for k := range lanes {
			w.r[k] = w.a[k&^3|int(w.imm>>(2*(k&3))&3)]
		}
	}
	m.result(i, &w.r, e.size, lanes)
}

// permuteTwo takes elements of two tables by indices.
func permuteTwo(w *whole, index, first, second *vec) {
	var r vec
	for k := range w.lanes {
		n := int(index.get(w.size, k) & uint64(2*w.lanes-1))
		if n < w.lanes {
			r.set(w.size, k, first.get(w.size, n))
		} else {
			r.set(w.size, k, second.get(w.size, n-w.lanes))
		}
	}
	w.r = r
}

func overIndices(w *whole) { permuteTwo(w, &w.d, &w.a, &w.b) } // VPERMI2
func overTable(w *whole)   { permuteTwo(w, &w.a, &w.d, &w.b) } // VPERMT2

// permuteHalves is VPERM2I128.
func permuteHalves(w *whole) {
	for k := range 2 {
		c := w.imm >> (4 * k)
		from := &w.a
		if c&2 != 0 {
			from = &w.b
		}
		if c&8 == 0 {
			w.r[2*k], w.r[2*k+1] = from[2*(c&1)], from[2*(c&1)+1]
		}
	}
}

func shuffleBytes(w *whole) {
	for k := range w.lanes {
		if n := int(w.b.get(1, k)); n&0x80 == 0 {
			w.r.set(1, k, w.a.get(1, k&^15|n&15))
		}
	}
}

func shuffleWords(w *whole) {
	for k := range w.lanes {
		w.r.set(4, k, w.a.get(4, k&^3|int(w.imm>>(2*(k&3))&3)))
	}
}

func shuffleSingles(w *whole) {
	for k := range w.lanes {
		from := &w.a
		if k&2 != 0 {
			from = &w.b
		}
		w.r.set(4, k, from.get(4, k&^3|int(w.imm>>(2*(k&3))&3)))
	}
}

// shuffleParts is VSHUFI64X2: parts of 128 bits, the lower half of them of the first source.
func shuffleParts(w *whole) {
	parts := w.lanes * w.size / 16
	width := 1
	if parts == 4 {
		width = 2
	}
	for k := range parts {
		from := &w.a
		if k >= parts/2 {
			from = &w.b
		}
		n := int(w.imm>>(k*width)) & (parts - 1)
		w.r[2*k], w.r[2*k+1] = from[2*n], from[2*n+1]
	}
}

// alignElements is VALIGN: the second source with the first above it, shifted down by some elements.
func alignElements(w *whole) {
	by := int(w.imm) & (w.lanes - 1)
	for k := range w.lanes {
		if n := k + by; n < w.lanes {
			w.r.set(w.size, k, w.b.get(w.size, n))
		} else {
			w.r.set(w.size, k, w.a.get(w.size, n-w.lanes))
		}
	}
}

// unpackLow and unpackHigh interleave elements of a half of each 128 bits.
func unpackLow(w *whole)  { unpack(w, 0) }
func unpackHigh(w *whole) { unpack(w, 1) }

func unpack(w *whole, half int) {
	n := 16 / w.size
	for k := range w.lanes {
		from := &w.a
		if k&1 != 0 {
			from = &w.b
		}
		w.r.set(w.size, k, from.get(w.size, k&^(n-1)+half*n/2+k%n/2))
	}
}

// pack makes elements of size bytes of those that are twice as long, in each 128 bits first of one source and
// then of the other, at the bounds where they are beyond.
func pack(size int, low, high int64) *entry {
	return &entry{args: 3, size: size, flags: masked, do: func(e *entry, m *machine, i *inst) {
		lanes, n := e.lanes(i), 16/size
		v := [2]vec{m.vectors[i.args[1].reg], m.source(&i.args[2], 2*size, lanes/2, ^uint64(0)>>(64-lanes/2))}
		var r vec
		for k := range lanes {
			x := signed(2*size, v[k%n/(n/2)].get(2*size, k/n*(n/2)+k%(n/2)))
			r.set(size, k, uint64(min(max(x, low), high)))
		}
		m.result(i, &r, size, lanes)
	}}
}

// extract is VEXTRACT: a part of so many bytes; size is for the predicate.
func extract(size, part int) *entry {
	return &entry{args: 3, size: size, flags: masked, do: func(_ *entry, m *machine, i *inst) {
		v, n := &m.vectors[i.args[1].reg], part/8
		at := int(i.imm) & (i.width.Bytes()/part - 1) * n
		var r vec
		copy(r[:n], v[at:at+n])
		m.result(i, &r, size, part/size)
	}}
}

// insert is VINSERT.
func insert(size, part int) *entry {
	return &entry{args: 4, size: size, flags: masked, do: func(e *entry, m *machine, i *inst) {
		n := part / 8
		from, r := m.source(&i.args[2], 8, n, 1<<n-1), m.vectors[i.args[1].reg]
		copy(r[int(i.imm)&(i.width.Bytes()/part-1)*n:], from[:n])
		m.result(i, &r, size, e.lanes(i))
	}}
}

// extractWord is VPEXTR.
func extractWord(size int) *entry {
	return &entry{args: 3, do: func(_ *entry, m *machine, i *inst) {
		x := m.vectors[i.args[1].reg].get(size, int(i.imm)&(16/size-1))
		if i.args[0].kind == argMem {
			store(m.address(&i.args[0]), size, x)
			return
		}
		m.general[i.args[0].reg] = x
	}}
}

// insertWord is VPINSR.
func insertWord(size int) *entry {
	return &entry{args: 4, do: func(_ *entry, m *machine, i *inst) {
		a := m.vectors[i.args[1].reg]
		y := vec{a[0], a[1]}
		y.set(size, int(i.imm)&(16/size-1), m.read(&i.args[2], amd64.Size(8*size)))
		m.vectors[i.args[0].reg] = y
	}}
}

// permutes are permutes, shuffles, packs, insertions and extractions (SDM volume 2, the sections with their
// names).
var permutes = table{
	amd64.VPERMB: wholly(3, 1, permute), amd64.VPERMW: wholly(3, 2, permute),
	amd64.VPERMD: wholly(3, 4, permute), amd64.VPERMPS: wholly(3, 4, permute),
	amd64.VPERMQ:   {args: 3, size: 8, flags: masked, do: permuteWords},
	amd64.VPERMPD:  {args: 3, size: 8, flags: masked, do: permuteWords},
	amd64.VPERMI2B: wholly(3, 1, overIndices), amd64.VPERMI2W: wholly(3, 2, overIndices),
	amd64.VPERMI2D: wholly(3, 4, overIndices),
	amd64.VPERMI2Q: wholly(3, 8, overIndices), amd64.VPERMI2PS: wholly(3, 4, overIndices),
	amd64.VPERMI2PD: wholly(3, 8, overIndices),
	amd64.VPERMT2B:  wholly(3, 1, overTable), amd64.VPERMT2W: wholly(3, 2, overTable),
	amd64.VPERMT2D: wholly(3, 4, overTable),
	amd64.VPERMT2Q: wholly(3, 8, overTable), amd64.VPERMT2PS: wholly(3, 4, overTable),
	amd64.VPERMT2PD:  wholly(3, 8, overTable),
	amd64.VPERM2I128: wholly(4, 8, permuteHalves), amd64.VPERM2F128: wholly(4, 8, permuteHalves),
	amd64.VPSHUFB: wholly(3, 1, shuffleBytes), amd64.VPSHUFD: wholly(3, 4, shuffleWords),
	amd64.VSHUFPS:    wholly(4, 4, shuffleSingles),
	amd64.VSHUFI64X2: wholly(4, 8, shuffleParts), amd64.VSHUFF64X2: wholly(4, 8, shuffleParts),
	amd64.VSHUFI32X4: wholly(4, 4, shuffleParts), amd64.VSHUFF32X4: wholly(4, 4, shuffleParts),
	amd64.VALIGND: wholly(4, 4, alignElements), amd64.VALIGNQ: wholly(4, 8, alignElements),
	amd64.VPUNPCKLBW: wholly(3, 1, unpackLow), amd64.VPUNPCKHBW: wholly(3, 1, unpackHigh),
	amd64.VPUNPCKLWD: wholly(3, 2, unpackLow),
	amd64.VPUNPCKHWD: wholly(3, 2, unpackHigh), amd64.VPUNPCKLDQ: wholly(3, 4, unpackLow),
	amd64.VPUNPCKHDQ:  wholly(3, 4, unpackHigh),
	amd64.VPUNPCKLQDQ: wholly(3, 8, unpackLow), amd64.VPUNPCKHQDQ: wholly(3, 8, unpackHigh),
	amd64.VPACKSSWB: pack(1, -1<<7, 1<<7-1), amd64.VPACKUSWB: pack(1, 0, 1<<8-1),
	amd64.VPACKSSDW: pack(2, -1<<15, 1<<15-1), amd64.VPACKUSDW: pack(2, 0, 1<<16-1),
	amd64.VEXTRACTI128: extract(8, 16), amd64.VEXTRACTF128: extract(8, 16),
	amd64.VEXTRACTI32X4: extract(4, 16), amd64.VEXTRACTF32X4: extract(4, 16),
	amd64.VEXTRACTI64X4: extract(8, 32), amd64.VEXTRACTF64X4: extract(8, 32),
	amd64.VINSERTI128: insert(8, 16), amd64.VINSERTF128: insert(8, 16), amd64.VINSERTI32X4: insert(4, 16),
	amd64.VINSERTF32X4: insert(4, 16),
	amd64.VINSERTI64X4: insert(8, 32), amd64.VINSERTF64X4: insert(8, 32),
	amd64.VPEXTRB: extractWord(1), amd64.VPEXTRW: extractWord(2), amd64.VPEXTRD: extractWord(4),
	amd64.VPEXTRQ: extractWord(8),
	amd64.VPINSRB: insertWord(1), amd64.VPINSRW: insertWord(2), amd64.VPINSRD: insertWord(4),
	amd64.VPINSRQ: insertWord(8),
}
