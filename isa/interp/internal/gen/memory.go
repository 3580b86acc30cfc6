package main

import (
	"fmt"
	"regexp"
	"strings"
)

// The text of the memory operations. @U is the Go type of an element, @W its
// width, @B its bytes, @X the name of an index type, @T the Go type of the
// index register's elements, @E( the conversion of an index to int64,
// @LD(p) and @ST(p, v) the access to memory. Where the index times the scale
// may have more than 64 bits, @H makes most of the scale, and there goes ahead of
// a look at the offset: @F(x), the index is too far away; @N(x), it is not; @M, the
// first one is not, for a scale of few bytes.

const loadIndexed = `
func load@W@X(w *wave, in *inst) {
	mem, limit, off := w.flat(in, @B, memory.AccessRead)
	if mem == nil {
		w.memFault(in)
		return
	}
	scale := in.scale
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]@U)(unsafe.Add(base, in.d))
		x := (*[64]@T)(unsafe.Add(base, in.b))
		lo, n := run(m)
		if n == 0 {
@H			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				v := @E(x[i])
				o := off + v*scale
				if @F(v) uint64(o) > limit {
					w.memFault(in)
					return
				}
				d[i] = @LD(unsafe.Add(mem, o))
			}
			continue
		}
		ds, xs := d[lo:lo+n], x[lo:lo+n]
		first := @E(xs[0])
		switch span := @E(xs[n-1]) - first; {
		case span == int64(n-1) && scale == @B:
			o := off + first*@B
			if @M uint64(o) <= limit && uint64(o)+uint64(n-1)*@B <= limit && contiguous@I(xs) {
				load@WRun(ds, unsafe.Add(mem, o))
				continue
			}
		case span == 0:
			o := off + first*scale
			if @N(first) uint64(o) <= limit && same@I(xs) {
				v := @LD(unsafe.Add(mem, o))
				fill@W(ds, v)
				continue
			}
		}
		ds = ds[:len(xs)]
@H		for i, v := range xs {
			o := off + @E(v)*scale
			if @F(@E(v)) uint64(o) > limit {
				w.memFault(in)
				return
			}
			ds[i] = @LD(unsafe.Add(mem, o))
		}
	}
}
`

const storeIndexed = `
func store@W@X(w *wave, in *inst) {
	mem, limit, off := w.flat(in, @B, memory.AccessWrite)
	if mem == nil {
		w.memFault(in)
		return
	}
	scale := in.scale
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		c := (*[64]@U)(unsafe.Add(base, in.c))
		x := (*[64]@T)(unsafe.Add(base, in.b))
		lo, n := run(m)
		if n == 0 {
@H			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				v := @E(x[i])
				o := off + v*scale
				if @F(v) uint64(o) > limit {
					w.memFault(in)
					return
				}
				@ST(unsafe.Add(mem, o), c[i])
			}
			continue
		}
		cs, xs := c[lo:lo+n], x[lo:lo+n]
		first := @E(xs[0])
		if @E(xs[n-1])-first == int64(n-1) && scale == @B {
			o := off + first*@B
			if @M uint64(o) <= limit && uint64(o)+uint64(n-1)*@B <= limit && contiguous@I(xs) {
				store@WRun(unsafe.Add(mem, o), cs)
				continue
			}
		}
		cs = cs[:len(xs)]
@H		for i, v := range xs {
			o := off + @E(v)*scale
			if @F(@E(v)) uint64(o) > limit {
				w.memFault(in)
				return
			}
			@ST(unsafe.Add(mem, o), cs[i])
		}
	}
}
`

const privateIndexed = `
func load@WPriv@X(w *wave, in *inst) {
	room, limit, off := w.private(in, @B)
	if room == nil {
		w.memFault(in)
		return
	}
	scale := in.scale
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]@U)(unsafe.Add(base, in.d))
		x := (*[64]@T)(unsafe.Add(base, in.b))
		p := unsafe.Add(room, uintptr(k)*w.code.privStride)
		if m == full {
			if !load@WPriv@XFull(d, x, p, off, scale, limit) {
				w.memFault(in)
				return
			}
			continue
		}
@H		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			v := @E(x[i])
			o := uint64(off + v*scale)
			if @F(v) o > limit {
				w.memFault(in)
				return
			}
			@PL d[i] = privLoad@W(p, i, o)
		}
	}
}

func load@WPriv@XFull(d *[64]@U, x *[64]@T, p unsafe.Pointer, off, scale int64, limit uint64) bool {
@H	for i := range x {
		v := @E(x[i])
		o := uint64(off + v*scale)
		if @F(v) o > limit {
			return false
		}
		@PL d[i] = privLoad@W(p, i, o)
	}
	return true
}

func store@WPriv@X(w *wave, in *inst) {
	room, limit, off := w.private(in, @B)
	if room == nil {
		w.memFault(in)
		return
	}
	w.touch(in)
	scale := in.scale
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		c := (*[64]@U)(unsafe.Add(base, in.c))
		x := (*[64]@T)(unsafe.Add(base, in.b))
		p := unsafe.Add(room, uintptr(k)*w.code.privStride)
		if m == full {
			if !store@WPriv@XFull(c, x, p, off, scale, limit) {
				w.memFault(in)
				return
			}
			continue
		}
@H		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			v := @E(x[i])
			o := uint64(off + v*scale)
			if @F(v) o > limit {
				w.memFault(in)
				return
			}
			@PS privStore@W(p, i, o, c[i])
		}
	}
}

func store@WPriv@XFull(c *[64]@U, x *[64]@T, p unsafe.Pointer, off, scale int64, limit uint64) bool {
@H	for i := range x {
		v := @E(x[i])
		o := uint64(off + v*scale)
		if @F(v) o > limit {
			return false
		}
		@PS privStore@W(p, i, o, c[i])
	}
	return true
}
`

const accessOther = `
// fill@W sets all elements to v.
//
//go:noinline
func fill@W(d []@U, v @U) {
	if len(d) == 64 {
		d := (*[64]@U)(d)
		for i := 0; i < 64; i += 4 {
			d[i] = v
			d[i+1] = v
			d[i+2] = v
			d[i+3] = v
		}
		return
	}
	for i := range d {
		d[i] = v
	}
}

// load@WRun and store@WRun move consecutive elements.
func load@WRun(d []@U, p unsafe.Pointer) {
	if bigEndian {
		for i := range d {
			d[i] = @LD(unsafe.Add(p, i*@B))
		}
		return
	}
	copy(d, unsafe.Slice((*@U)(p), len(d)))
}

func store@WRun(p unsafe.Pointer, c []@U) {
	if bigEndian {
		for i, v := range c {
			@ST(unsafe.Add(p, i*@B), v)
		}
		return
	}
	copy(unsafe.Slice((*@U)(p), len(c)), c)
}

// load@WS loads from one address into a scalar register.
func load@WS(w *wave, in *inst) {
	mem, limit, off := w.flat(in, @B, memory.AccessRead)
	off += w.scalarIndex(in)
	if mem == nil || uint64(off) > limit {
		w.memFault(in)
		return
	}
	w.s[in.d] = uint64(@LD(unsafe.Add(mem, off)))
}

// store@WS stores to one address: the value of the last lane stays.
func store@WS(w *wave, in *inst) {
	mem, limit, off := w.flat(in, @B, memory.AccessWrite)
	off += w.scalarIndex(in)
	if mem == nil || uint64(off) > limit {
		w.memFault(in)
		return
	}
	k, i := w.lastLane()
	c := (*[64]@U)(unsafe.Add(w.chunk(k), in.c))
	@ST(unsafe.Add(mem, off), c[i])
}

// load@WP loads through a vector of pointers, wherever they lead.
func load@WP(w *wave, in *inst) {
	key, limit := noKey, uint64(0)
	var mem unsafe.Pointer
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]@U)(unsafe.Add(base, in.d))
		p := (*[64]uint64)(unsafe.Add(base, in.a))
		x := w.offsets(in, base)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			if p[i]>>memory.OffsetBits != key {
				key = p[i] >> memory.OffsetBits
				mem, limit = w.target(in, memory.Pointer(p[i]), @B, memory.AccessRead)
			}
			o := memory.Pointer(p[i]).Offset() + x[i]
			if mem == nil || uint64(o) > limit || memory.Pointer(p[i]).Far() {
				v, ok := w.slowLoad(in, k, i, @B)
				if !ok {
					w.memFault(in)
					return
				}
				d[i] = @U(v)
				continue
			}
			d[i] = @LD(unsafe.Add(mem, o))
		}
	}
}

// store@WP stores through a vector of pointers.
func store@WP(w *wave, in *inst) {
	key, limit := noKey, uint64(0)
	var mem unsafe.Pointer
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		c := (*[64]@U)(unsafe.Add(base, in.c))
		p := (*[64]uint64)(unsafe.Add(base, in.a))
		x := w.offsets(in, base)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			if p[i]>>memory.OffsetBits != key {
				key = p[i] >> memory.OffsetBits
				mem, limit = w.target(in, memory.Pointer(p[i]), @B, memory.AccessWrite)
			}
			o := memory.Pointer(p[i]).Offset() + x[i]
			if mem == nil || uint64(o) > limit || memory.Pointer(p[i]).Far() {
				if !w.slowStore(in, k, i, @B, uint64(c[i])) {
					w.memFault(in)
					return
				}
				continue
			}
			@ST(unsafe.Add(mem, o), c[i])
		}
	}
}

// load@WPriv loads from the private allocation of a scalar pointer.
func load@WPriv(w *wave, in *inst) {
	room, limit, off := w.private(in, @B)
	off += w.scalarIndex(in)
	if room == nil || uint64(off) > limit {
		w.memFault(in)
		return
	}
	for k, m := range w.masks[in.mask] {
		if m != 0 {
			d := (*[64]@U)(unsafe.Add(w.chunk(k), in.d))
			p := unsafe.Add(room, uintptr(k)*w.code.privStride)
			if m == full {
				privLoad@WRow(d, p, uint64(off))
				continue
			}
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				d[i] = privLoad@W(p, i, uint64(off))
			}
		}
	}
}

// store@WPriv stores to the private allocation of a scalar pointer.
func store@WPriv(w *wave, in *inst) {
	room, limit, off := w.private(in, @B)
	off += w.scalarIndex(in)
	if room == nil || uint64(off) > limit {
		w.memFault(in)
		return
	}
	w.touch(in)
	// Memory of lanes that ended or never were may be overwritten.
	for k, m := range w.masks[maskEffective] {
		if m != 0 {
			c := (*[64]@U)(unsafe.Add(w.chunk(k), in.c))
			p := unsafe.Add(room, uintptr(k)*w.code.privStride)
			if m == full {
				privStore@WRow(p, uint64(off), c)
				continue
			}
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				privStore@W(p, i, uint64(off), c[i])
			}
		}
	}
}
`

var (
	tooFar = regexp.MustCompile(`@F\((@E\(v\)|v)\)`)
	notFar = regexp.MustCompile(`@N\((first)\)`)
)

func genMemory() error {
	f := &file{name: "zz_memory.go"}
	type index struct{ name, typ, ext string }
	idx := []index{{"S32", "uint32", "sext"}, {"U32", "uint32", "int64"}, {"I64", "uint64", "int64"}}
	for _, e := range ints {
		ld, st := fmt.Sprintf("memory.Load%d(", e.bits), fmt.Sprintf("memory.Store%d(", e.bits)
		if e.bits == 8 {
			ld, st = "load8(", "store8("
		}
		// Private elements of one word that lie in one row need no call.
		pl, ps := "", ""
		switch e.bits {
		case 32:
			pl = "if o&3 == 0 {\nd[i] = *word4(p, i, o)\ncontinue\n}\n"
			ps = "if o&3 == 0 {\n*word4(p, i, o) = c[i]\ncontinue\n}\n"
		case 64:
			pl = "if o&3 == 0 {\nd[i] = uint64(*word4(p, i, o)) | uint64(*word4(p, i, o+4))<<32\ncontinue\n}\n"
			ps = "if o&3 == 0 {\n*word4(p, i, o) = uint32(c[i])\n*word4(p, i, o+4) = uint32(c[i] >> 32)\ncontinue\n}\n"
		}
		text := func(t string, x index) string {
			if x.typ == "uint64" {
				t = strings.ReplaceAll(t, "@H", "\tmost := mostIndex(scale)\n")
				t = tooFar.ReplaceAllString(t, "uint64(${1}+most) >= uint64(2*most) ||")
				t = notFar.ReplaceAllString(t, "uint64(${1}+mostIndex(scale)) < uint64(2*mostIndex(scale)) &&")
				t = strings.ReplaceAll(t, "@M", "uint64(first+1<<40) < 1<<41 &&")
			} else {
				t = strings.ReplaceAll(t, "@M", "")
				t = notFar.ReplaceAllString(tooFar.ReplaceAllString(strings.ReplaceAll(t, "@H", ""), ""), "")
			}
			return strings.NewReplacer("@PL", pl, "@PS", ps, "@LD(", ld, "@ST(", st, "@E(", x.ext+"(", "@U", e.u, "@W", fmt.Sprint(e.bits),
				"@B", fmt.Sprint(e.bits/8), "@X", x.name, "@T", x.typ, "@I", strings.TrimPrefix(x.typ, "uint")).Replace(t)
		}
		for _, x := range idx {
			f.p("%s%s%s", text(loadIndexed, x), text(storeIndexed, x), text(privateIndexed, x))
		}
		f.p("%s", text(accessOther, index{}))
	}
	for _, dir := range []string{"load", "store"} {
		f.p("// %sFuncs has the ways to %s, by bank.", dir, dir)
		f.p("var %sFuncs = [isa.NumBanks]accessFuncs{", dir)
		for _, e := range ints {
			n := fmt.Sprintf("%s%d", dir, e.bits)
			f.p("isa.Bank%d: {indexed: [isa.Idx64 + 1]opFunc{isa.IdxS32: %sS32, isa.IdxU32: %sU32, isa.Idx64: %sI64},", e.bits, n, n, n)
			f.p("private: [isa.Idx64 + 1]opFunc{isa.IdxS32: %sPrivS32, isa.IdxU32: %sPrivU32, isa.Idx64: %sPrivI64},", n, n, n)
			f.p("scalar: %sS, pointers: %sP, privateScalar: %sPriv},", n, n, n)
		}
		f.p("}\n")
	}
	return f.write(imports("math/bits", "unsafe", "github.com/lockstep-gpu/lockstep/isa", "github.com/lockstep-gpu/lockstep/memory"))
}
