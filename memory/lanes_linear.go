package memory

import (
	"encoding/binary"
	"math"
	"slices"
)

// linearLanes is what reads with a linear filter need.
type linearLanes struct {
	taps  [2]laneTaps
	terms [4][4]LaneWords // by element and component, see exactElement
	w     [4][64]float64
	c     [3]LaneWords // the coordinates, as results may take their place
}

// laneTaps is the taps of a dimension.
type laneTaps struct {
	off     [2][64]uint64 // of the two elements, in bytes
	out     [2]uint64     // the lanes whose element is outside
	a       [64]float64
	inexact uint64 // the lanes whose a is rounded
}

// between finds the elements of a dimension whose centres float coordinates are between.
func (t *laneTaps) between(s Sampler, lanes []uint8, c *LaneWords, size int64, pitch uint64) {
	t.out, t.inexact = [2]uint64{}, 0
	scale := 1.0
	if s.normalized() {
		scale = float64(size)
	}
	_, clamp := s.address(-1, 1)
	wraps := s.wraps()
	last := uint64(size - 1)
	for _, i := range lanes {
		// As between has it, where the weight is not rounded.
		u := float64(float32(float64(math.Float32frombits(c[i&63])) * scale)) // see place
		v := u - 0.5
		f := math.Floor(v)
		a := v - f
		if wraps || !(math.Abs(v) < 1<<30) || v+0.5 != u || a+f != v {
			t.any(s, i, c[i&63], size, pitch)
			continue
		}
		t.a[i&63] = a
		n := int64(f)
		if uint64(n) < last {
			t.off[0][i&63] = uint64(n) * pitch
			t.off[1][i&63] = uint64(n+1) * pitch
			continue
		}
		n0, n1 := min(max(n, 0), size-1), min(max(n+1, 0), size-1)
		t.off[0][i&63], t.off[1][i&63] = uint64(n0)*pitch, uint64(n1)*pitch
		if !clamp {
			if n0 != n {
				t.out[0] |= 1 << (i & 63)
			}
			if n1 != n+1 {
				t.out[1] |= 1 << (i & 63)
			}
		}
	}
}

// any is between for one lane and any coordinate.
func (t *laneTaps) any(s Sampler, i uint8, c uint32, size int64, pitch uint64) {
	p := s.between(math.Float32frombits(c), size)
	t.a[i&63] = p.a
	if !p.exact {
		t.inexact |= 1 << (i & 63)
	}
	for n, at := range [2]int64{p.i0, p.i1} {
		if in := [2]bool{p.in0, p.in1}[n]; !in {
			t.out[n] |= 1 << (i & 63)
			at = 0
		}
		t.off[n][i&63] = uint64(at) * pitch
	}
}

// sampleLinear is Sample for a linear filter. Images of one and two dimensions have loops over lanes here.
func (l *ImageLanes) sampleLinear(im *Image, data []byte, s Sampler, set uint64, c *[3]*LaneWords, dst *[4]*LaneWords) {
	l.begin(set)
	dims := im.dims()
	if dims > 2 {
		for _, i := range l.lanes {
			var at Coord
			for d := range dims {
				at[d] = math.Float32frombits(c[d][i&63])
			}
			for n, v := range im.Sample(data, s, at, 0) {
				if dst[n] != nil {
					dst[n][i&63] = v
				}
			}
		}
		return
	}
	k := &l.linear
	level, pitch := im.Level(0), im.pitches()
	for d, size := range level.sizes(im) {
		k.taps[d].between(s, l.lanes, c[d], size, pitch[d])
		k.c[d] = *c[d]
	}
	if im.Array {
		k.c[dims] = *c[dims]
	}
	l.layers(im, c)
	if undecided, ok := l.mixFour(im, data, dst); ok {
		scales := im.Format.scales()
		for n, set := range undecided {
			l.mixAll(set, im, data, s, n, scales[n], dst[n])
		}
		return
	}
	layer := l.off
	n := 1 << dims
	border := im.border()
	for e := range n {
		x, y := &k.taps[0], &k.taps[1]
		l.out = x.out[e&1]
		w := &k.w[e]
		for _, i := range l.lanes {
			l.off[i&63] = layer[i&63] + x.off[e&1][i&63]
			w[i&63] = share(x.a[i&63], e&1)
		}
		if dims == 2 {
			l.out |= y.out[e>>1]
			for _, i := range l.lanes {
				l.off[i&63] += y.off[e>>1][i&63]
				w[i&63] *= share(y.a[i&63], e>>1)
			}
		}
		l.located()
		var to [4]*LaneWords
		for n := range to {
			if dst[n] != nil {
				to[n] = &k.terms[e][n]
			}
		}
		l.decode(im.Format, data, &to, true)
		l.border(border, &to)
	}
	for e := n; e < 4; e++ {
		clear(k.w[e][:])
		for n := range k.terms[e] {
			clear(k.terms[e][n][:])
		}
	}
	scales := im.Format.scales()
	for n, d := range dst {
		if d != nil {
			if undecided := l.mix(n, scales[n], d); undecided != 0 {
				l.mixAll(undecided, im, data, s, n, scales[n], d)
			}
		}
	}
}

// share returns the weight of the first or second element of a tap.
func share(a float64, second int) float64 {
	if second == 0 {
		return 1 - a
	}
	return a
}

// border returns the border as exactElement does.
func (im *Image) border() (t Texel) {
	for n, v := range im.exactElement(nil, nil, [3]int64{}, false) {
		t[n] = math.Float32bits(float32(v))
	}
	return t
}

// weighted is an element with its weight, and its size.
func weighted(bits uint32, w float64) (p, size float64) {
	x := float64(math.Float32frombits(bits))
	return float64(x * w), math.Abs(x)
}

// decided rounds a sum in doubles of elements of a size. It is not ok where the sum might be another float, see
// mixer.component. Infinities and NaNs make a bound that decides nothing.
func decided(q, size float64) (v uint32, ok bool) {
	bound := size * (1.0 / (1 << 44))
	r := float32(q - bound)
	return math.Float32bits(r), r == float32(q+bound) && r != 0
}

// mix adds up a component of the elements with their weights. It returns the lanes whose result is not
// decided by a sum in doubles, see mixer.component.
func (l *ImageLanes) mix(n int, scale float64, dst *LaneWords) (undecided uint64) {
	k := &l.linear
	v0, v1, v2, v3 := &k.terms[0][n], &k.terms[1][n], &k.terms[2][n], &k.terms[3][n]
	w0, w1, w2, w3 := &k.w[0], &k.w[1], &k.w[2], &k.w[3]
	per := 1 / scale
	for _, i := range l.lanes {
		i &= 63
		q0, size0 := weighted(v0[i], w0[i])
		q1, size1 := weighted(v1[i], w1[i])
		q2, size2 := weighted(v2[i], w2[i])
		q3, size3 := weighted(v3[i], w3[i])
		v, ok := decided((q0+q1+(q2+q3))*per, (size0+size1+(size2+size3))*per)
		if dst[i] = v; !ok && v0[i]|v1[i]|v2[i]|v3[i] != 0 {
			undecided |= 1 << i
		}
	}
	return undecided
}

// mixFour reads a plain image of two dimensions, whose elements have four channels of 8 bits or four floats,
// where no lane takes an element outside of it and all components are wanted. It says whether that is so, and
// returns the lanes and components that mixAll has to find.
func (l *ImageLanes) mixFour(im *Image, data []byte, dst *[4]*LaneWords) (undecided [4]uint64, ok bool) {
	k, f := &l.linear, im.Format
	x, y := &k.taps[0], &k.taps[1]
	from := f.componentChannels()
	if im.dims() != 2 || len(channels[f.Order]) != 4 || slices.Contains(from[:], -1) || slices.Contains(dst[:], nil) {
		return undecided, false
	}
	for _, i := range l.lanes {
		if (x.out[0]|x.out[1]|y.out[0]|y.out[1])>>(i&63)&1 != 0 {
			return undecided, false
		}
	}
	per := f.scales()
	for n := range per {
		per[n] = 1 / per[n]
	}
	var tables [4]*[256]uint32
	var shift [4]uint32
	size := 4
	switch {
	case f.Type == Float:
		size = 16
	case channelBytes[f.Type] == 1:
		for n := range tables {
			tables[n], shift[n] = table8(f, uint8(n), true), uint32(8*from[n])
		}
	default:
		return undecided, false
	}
	for _, i := range l.lanes {
		i &= 63
		a, b := x.a[i], y.a[i]
		w0, w1, w2, w3 := (1-a)*(1-b), a*(1-b), (1-a)*b, a*b
		top, bottom := l.off[i]+y.off[0][i], l.off[i]+y.off[1][i]
		p0, p1 := data[top+x.off[0][i]:][:size], data[top+x.off[1][i]:][:size]
		p2, p3 := data[bottom+x.off[0][i]:][:size], data[bottom+x.off[1][i]:][:size]
		t0, t1 := binary.LittleEndian.Uint32(p0), binary.LittleEndian.Uint32(p1)
		t2, t3 := binary.LittleEndian.Uint32(p2), binary.LittleEndian.Uint32(p3)
		for n, d := range dst {
			var b0, b1, b2, b3 uint32
			if size == 4 {
				table, s := tables[n], shift[n]&31
				b0, b1, b2, b3 = table[t0>>s&255], table[t1>>s&255], table[t2>>s&255], table[t3>>s&255]
			} else {
				b0, b1 = binary.LittleEndian.Uint32(p0[4*n:]), binary.LittleEndian.Uint32(p1[4*n:])
				b2, b3 = binary.LittleEndian.Uint32(p2[4*n:]), binary.LittleEndian.Uint32(p3[4*n:])
			}
			q0, size0 := weighted(b0, w0)
			q1, size1 := weighted(b1, w1)
			q2, size2 := weighted(b2, w2)
			q3, size3 := weighted(b3, w3)
			v, ok := decided((q0+q1+(q2+q3))*per[n], (size0+size1+(size2+size3))*per[n])
			if d[i] = v; !ok && b0|b1|b2|b3 != 0 {
				undecided[n] |= 1 << i
				k.w[0][i], k.w[1][i], k.w[2][i], k.w[3][i] = w0, w1, w2, w3
				k.terms[0][n][i], k.terms[1][n][i], k.terms[2][n][i], k.terms[3][n][i] = b0, b1, b2, b3
			}
		}
	}
	return undecided, true
}

// mixAll adds up a component of the elements of lanes as Sample does.
func (l *ImageLanes) mixAll(set uint64, im *Image, data []byte, s Sampler, n int, scale float64, dst *LaneWords) {
	k := &l.linear
	dims := im.dims()
	fine := float64(uint64(1) << [...]int{29, 29, 14}[dims])
	m := mixer{im: im, data: data, s: s}
	var list [64]uint8
	for _, i := range listLanes(set, &list) {
		m.n, m.inexact, m.c = 0, false, Coord{}
		for d := range dims {
			a := k.taps[d].a[i&63]
			m.inexact = m.inexact || k.taps[d].inexact>>(i&63)&1 != 0 || a*fine != math.Trunc(a*fine)
		}
		for d := range k.c {
			m.c[d] = math.Float32frombits(k.c[d][i&63])
		}
		for e := range 1 << dims {
			if w := k.w[e][i&63]; w != 0 {
				m.terms[m.n] = term{w: w}
				m.terms[m.n].v[n] = float64(math.Float32frombits(k.terms[e][n][i&63]))
				m.n++
			}
		}
		dst[i&63] = math.Float32bits(m.component(n, scale))
	}
}
