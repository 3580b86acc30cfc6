package interp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// imageAccess is an image instruction in the making: its entry, and the
// destinations of its components. Reads of several components of one texel that
// follow each other are one instruction.
type imageAccess struct {
	*isa.ImageAccess
	dst  [4]isa.Reg
	last int // the instruction of the last component
}

// image decodes an image instruction.
func (d *decoder) image(in inst) {
	s := in.src
	if p := d.lastRead(); p != nil && s.Op == isa.OpImageRead && p.src.Imm == s.Imm && p.aux.shadowed == nil && p.aux.image.joins(in.pc, s) {
		p.aux.image.dst[s.Imm2] = s.Dst
		p.aux.image.last = in.pc
		if !p.aux.image.lanewise(p.src) {
			p.fn = imageRead
		}
		return
	}
	a := &imageAccess{ImageAccess: &d.kernel.ImageAccesses[s.Imm], last: in.pc}
	if s.Op != isa.OpImageWrite && s.Op != isa.OpImageBlockWrite {
		a.dst[s.Imm2&3] = s.Dst
	}
	in.aux = &aux{image: a}
	switch s.Op {
	case isa.OpImageQuery:
		in.fn = imageQuery
	case isa.OpImageRead:
		in.fn = imageRead
		if d.decodeOptions == (decodeOptions{}) && a.lanewise(s) {
			in.fn = imageReadLanes
		}
	case isa.OpImageWrite:
		in.fn = imageWrite
		if d.decodeOptions == (decodeOptions{}) && a.lanewise(s) {
			in.fn = imageWriteLanes
		}
	default:
		in.fn = imageBlock
	}
	d.emit(in)
}

// lastRead returns the last instruction that has been decoded, if it reads elements of an image, or nil.
func (d *decoder) lastRead() *inst {
	list := d.out
	if len(list) == 0 {
		return nil
	}
	if p := &list[len(list)-1]; p.src != nil && p.src.Op == isa.OpImageRead && p.aux != nil && p.aux.image != nil {
		return p
	}
	return nil
}

// joins says whether the component that the instruction at pc reads may be read
// together with those of a: they follow each other, and none has overwritten
// what the next one needs.
func (a *imageAccess) joins(pc int, s *isa.Inst) bool {
	if pc != a.last+1 || a.dst[s.Imm2] != isa.None {
		return false
	}
	ok := true
	a.Regs(func(r *isa.Reg, t isa.Type, _ string) {
		for _, d := range a.dst {
			if *r == d && (d.IsScalar() || t.Bank() == s.Type.Bank()) {
				ok = false
			}
		}
	})
	return ok
}

// imageView finds the images of an instruction's lanes, most of which have the same.
type imageView struct {
	handle memory.Pointer
	image  *memory.Image
	data   []byte
}

// find looks up the image of a handle. The error is a [*memory.Fault].
func (v *imageView) find(w *wave, p memory.Pointer, a memory.Access) error {
	if v.image != nil && v.handle == p {
		return nil
	}
	im, data, err := w.mem.ImageBytes(p, a)
	if err == nil {
		*v = imageView{p, im, data}
	}
	return err
}

// imageFault ends the wave at an image that some lane cannot have.
func (w *wave) imageFault(in *inst, access memory.Access) {
	a := in.aux.image
	w.failMemory(in, func(k, i int) *memory.Fault {
		var f *memory.Fault
		if _, _, err := w.mem.ImageBytes(memory.Pointer(w.reg(a.Image, isa.I64, k, i)), access); errors.As(err, &f) {
			return f
		}
		return nil
	})
}

// coords returns the coordinates of a lane: of a 2D image x, y and 0.
func (w *wave) coords(a *imageAccess, k, i int) (c [3]int64) {
	for n, r := range a.Coord {
		if r != isa.None {
			c[n] = int64(int32(w.reg(r, isa.I32, k, i)))
		}
	}
	if a.Array && a.Coord[2] == isa.None {
		c[1], c[2] = 0, c[1] // an array of one dimension: y is the layer
	}
	return c
}

// level returns the level of detail of an access without sampler.
func (w *wave) level(a *imageAccess, k, i int) uint32 {
	if a.Lod == isa.None {
		return 0
	}
	return uint32(w.reg(a.Lod, isa.I32, k, i))
}

// suits says whether the format's numbers are those that the kernel reads or
// writes, without regard to the sign of integers.
func suits(f memory.Format, t isa.Type) bool {
	return (f.Class() == memory.ClassFloat) == (t == isa.F32)
}

// scalarOnly says whether all destinations are scalar registers, so that one
// lane stands for all.
func (a *imageAccess) scalarOnly() bool {
	for _, r := range a.dst {
		if r.IsVector() {
			return false
		}
	}
	return true
}

func imageRead(w *wave, in *inst) {
	a := in.aux.image
	w.checkTexel(in, memory.AccessRead)
	if w.faulted {
		return
	}
	var v imageView
	once := a.scalarOnly()
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if v.find(w, memory.Pointer(w.reg(a.Image, isa.I64, k, i)), memory.AccessRead) != nil {
				w.imageFault(in, memory.AccessRead)
				return
			}
			var t memory.Texel
			f := v.image.Format
			if suits(f, in.src.Type) {
				if a.Sampler != isa.None {
					w.tellSampled(in, v.image, k, i)
					t = w.sample(a, &v, k, i)
				} else if off, ok := w.texel(a, v.image, k, i); ok {
					w.tellTexel(in, memory.AccessRead, v.image, off, k, i)
					if a.Odd {
						t = f.DecodeOdd(v.data[off:])
					} else {
						t = f.Decode(v.data[off:])
					}
				} else {
					t = f.Border()
				}
			}
			for n, r := range a.dst {
				if r != isa.None {
					w.setReg(r, in.src.Type, k, i, uint64(t[n]))
				}
			}
			if once {
				return
			}
		}
	}
}

func imageWrite(w *wave, in *inst) {
	a := in.aux.image
	w.checkTexel(in, memory.AccessWrite)
	if w.faulted {
		return
	}
	var v imageView
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if v.find(w, memory.Pointer(w.reg(a.Image, isa.I64, k, i)), memory.AccessWrite) != nil {
				w.imageFault(in, memory.AccessWrite)
				return
			}
			f := v.image.Format
			c := w.coords(a, k, i)
			off, ok := v.image.OffsetAt(w.level(a, k, i), c[0], c[1], c[2])
			if !ok || !suits(f, in.src.Type) {
				continue
			}
			var t memory.Texel
			for n, r := range a.Value {
				t[n] = uint32(w.reg(r, in.src.Type, k, i))
			}
			w.tellTexel(in, memory.AccessWrite, v.image, off, k, i)
			f.Encode(v.data[off:], t)
		}
	}
}

// checkTexel reports, when Launch.Check is set, coordinates outside of the image
// and numbers of another kind than the image's.
func (w *wave) checkTexel(in *inst, access memory.Access) {
	if !w.group.Launch.Check {
		return
	}
	a := in.aux.image
	image := func(k, i int) *memory.Image { return w.mem.Image(memory.Pointer(w.reg(a.Image, isa.I64, k, i))) }
	kind := map[isa.ImageSign]string{isa.SignUnknown: "integers", isa.SignSigned: "signed integers", isa.SignUnsigned: "unsigned integers"}[a.Sign]
	if in.src.Type == isa.F32 {
		kind = "floats"
	}
	w.failWhere(in, finding.ImageFormat, func(k, i int) bool {
		im := image(k, i)
		if im == nil {
			return false
		}
		c := im.Format.Class()
		return !suits(im.Format, in.src.Type) || c == memory.ClassSigned && a.Sign == isa.SignUnsigned || c == memory.ClassUnsigned && a.Sign == isa.SignSigned
	}, func(k, i int) string {
		im := image(k, i)
		has := [...]string{memory.ClassFloat: "floats", memory.ClassSigned: "signed integers", memory.ClassUnsigned: "unsigned integers"}[im.Format.Class()]
		return fmt.Sprintf("a %s of %s, but %s is one of %s (%s)", access, kind, imageName(im), has, im.Format)
	})
	if a.Sampler != isa.None {
		w.checkSample(in, image)
		return
	}
	w.failWhere(in, finding.ImageBounds, func(k, i int) bool {
		im := image(k, i)
		if im == nil {
			return false
		}
		c := w.coords(a, k, i)
		_, ok := im.OffsetAt(w.level(a, k, i), c[0], c[1], c[2])
		return !ok
	}, func(k, i int) string {
		var c []string
		for _, r := range a.Coord {
			if r != isa.None {
				c = append(c, fmt.Sprint(int32(w.reg(r, isa.I32, k, i))))
			}
		}
		at := "(" + strings.Join(c, ",") + ")"
		if a.Lod != isa.None {
			at += fmt.Sprintf(", level %d,", int32(w.level(a, k, i)))
		}
		return fmt.Sprintf("a %s at %s of %s", access, at, anImage(image(k, i)))
	})
}

// anImage describes an image.
func anImage(im *memory.Image) string {
	if im.Name == "" {
		return "an " + im.String()
	}
	return im.Name + ", an " + im.String()
}

// imageName returns an image's name, or what stands for it.
func imageName(im *memory.Image) string {
	if im.Name == "" {
		return "the image"
	}
	return im.Name
}

// texel returns where the element of a read without sampler is. A layer outside of an array is the nearest
// one, as with a sampler (OpenCL C 6.15.15.3 and 8.1).
func (w *wave) texel(a *imageAccess, im *memory.Image, k, i int) (off uint64, ok bool) {
	c := w.coords(a, k, i)
	if a.Array {
		c[2] = min(max(c[2], 0), int64(im.Layers)-1)
	}
	return im.OffsetAt(w.level(a, k, i), c[0], c[1], c[2])
}

func imageQuery(w *wave, in *inst) {
	a := in.aux.image
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			im := w.mem.Image(memory.Pointer(w.reg(a.Image, isa.I64, k, i)))
			if im == nil {
				w.imageFault(in, memory.AccessRead)
				return
			}
			w.setReg(in.src.Dst, isa.I32, k, i, uint64(queryImage(im, a.Query, int(in.src.Imm2), w.level(a, k, i))))
			if in.src.Dst.IsScalar() {
				return
			}
		}
	}
}

// queryImage answers a query. A level that the image does not have is its last one.
func queryImage(im *memory.Image, q isa.ImageQuery, component int, level uint32) uint32 {
	switch q {
	case isa.QueryOrder:
		return uint32(im.Format.Order)
	case isa.QueryFormat:
		return uint32(im.Format.Type)
	case isa.QueryLevels:
		return im.Levels
	case isa.QuerySamples:
		return 1
	}
	l := im.Level(min(level, im.Levels-1))
	size := []uint32{uint32(l.Width)}
	switch im.Dim {
	case memory.Dim2D:
		size = append(size, uint32(l.Height))
	case memory.Dim3D:
		size = append(size, uint32(l.Height), uint32(l.Depth))
	}
	if im.Array {
		size = append(size, im.Layers)
	}
	if component < len(size) {
		return size[component]
	}
	return 0
}

// imageBlock reads one component of a block, or writes all of them.
func imageBlock(w *wave, in *inst) {
	a, s := in.aux.image, in.src
	access := memory.AccessRead
	if s.Op == isa.OpImageBlockWrite {
		access = memory.AccessWrite
	}
	if w.group.Launch.Check {
		w.checkImageBlock(in, access)
		if w.faulted {
			return
		}
	}
	var v imageView
	var b imageBox
	size := s.Type.Bytes()
	last := -1
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if g := (k*64 + i) / w.subgroup(); g != last {
				// Looked up once: the destination may be the register of an operand.
				last = g
				if v.find(w, w.blockImage(a, k, i), access) != nil {
					w.imageFault(in, access)
					return
				}
				b = w.blockOf(a, k, i)
			}
			if access == memory.AccessRead {
				if set := w.readRow(in, &v, &b, k, m); set != 0 {
					m &^= set &^ (1 << i)
					continue
				}
				x, y, ok := w.blockPlace(in, &b, int(s.Imm2), k, i)
				bits := uint64(0)
				if ok {
					bits = readBlock(&v, x, y, size)
				}
				w.setReg(s.Dst, s.Type, k, i, bits)
				continue
			}
			for n, r := range a.Value {
				if x, y, ok := w.blockPlace(in, &b, n, k, i); ok {
					writeBlock(&v, x, y, size, w.reg(r, s.Type, k, i))
				}
			}
		}
	}
}

// blockImage returns the image of the block that a lane takes part in: that of
// the lowest lane.
func (w *wave) blockImage(a *imageAccess, k, i int) memory.Pointer {
	fk, fi := w.lowestOf(k, i)
	return memory.Pointer(w.reg(a.Image, isa.I64, fk, fi))
}

// imageBox is where the block of a sub-group is, in bytes and rows, and of a media
// block its size in elements and rows.
type imageBox struct {
	x, y          int64
	media         bool
	width, height int64
}

// blockOf returns the block that a lane takes part in: that of the lowest lane.
func (w *wave) blockOf(a *imageAccess, k, i int) imageBox {
	fk, fi := w.lowestOf(k, i)
	at := w.coords(a, fk, fi)
	b := imageBox{x: at[0], y: at[1]}
	if a.Width != isa.None {
		b.media = true
		b.width = int64(int32(w.reg(a.Width, isa.I32, fk, fi)))
		b.height = int64(int32(w.reg(a.Height, isa.I32, fk, fi)))
	}
	return b
}

// blockPlace returns where component n of a lane is: the byte in a row, and the
// row. The lanes of a plain block stand side by side and its components below
// each other. A media block is filled row by row: component n of lane l is its
// element n*S + l, where S is the maximum sub-group size; ok is false behind its end.
func (w *wave) blockPlace(in *inst, b *imageBox, n, k, i int) (x, y int64, ok bool) {
	lane := int64(k*64+i) % int64(w.subgroup())
	size := int64(in.src.Type.Bytes())
	if !b.media {
		return b.x + lane*size, b.y + int64(n), true
	}
	e := int64(n)*int64(w.subgroup()) + lane
	if b.width <= 0 || e/b.width >= b.height {
		return 0, 0, false
	}
	return b.x + e%b.width*size, b.y + e/b.width, true
}

// readRow reads a component of a plain block for the lanes of m that are of one
// sub-group with the lowest of them, when all of what they read is inside of the
// image. It returns those lanes, or 0 when that is not so.
func (w *wave) readRow(in *inst, v *imageView, b *imageBox, k int, m uint64) (set uint64) {
	s := in.src
	if b.media || !s.Dst.IsVector() {
		return 0
	}
	i := bits.TrailingZeros64(m)
	set = m
	if n := w.subgroup(); n < 64 {
		set &= (1<<n - 1) << (i &^ (n - 1))
	}
	size := int64(s.Type.Bytes())
	x, y, _ := w.blockPlace(in, b, int(s.Imm2), k, i)
	off, ok := v.image.BlockRow(x, y, int64(bits.Len64(set)-i)*size)
	if !ok {
		return 0
	}
	p := unsafe.Add(w.chunk(k), w.code.offset(s.Dst, s.Type))
	row := v.data[off:]
	for left := set; left != 0; left &= left - 1 {
		j := bits.TrailingZeros64(left) & 63
		from := row[int64(j-i)*size:]
		switch size {
		case 1:
			(*[64]uint8)(p)[j] = from[0]
		case 2:
			(*[64]uint16)(p)[j] = binary.LittleEndian.Uint16(from)
		case 4:
			(*[64]uint32)(p)[j] = binary.LittleEndian.Uint32(from)
		default:
			(*[64]uint64)(p)[j] = binary.LittleEndian.Uint64(from)
		}
	}
	return set
}

// readBlock reads size bytes at byte x of row y.
func readBlock(v *imageView, x, y int64, size int) uint64 {
	if off, ok := v.image.BlockRow(x, y, int64(size)); ok {
		switch p := v.data[off:]; size {
		case 4:
			return uint64(binary.LittleEndian.Uint32(p))
		case 2:
			return uint64(binary.LittleEndian.Uint16(p))
		case 1:
			return uint64(p[0])
		case 8:
			return binary.LittleEndian.Uint64(p)
		}
	}
	var b [8]byte
	for j := range size {
		if off, ok := v.image.BlockByte(x+int64(j), y); ok {
			b[j] = v.data[off]
		}
	}
	return binary.LittleEndian.Uint64(b[:])
}

// writeBlock writes size bytes at byte x of row y, as far as they are there.
func writeBlock(v *imageView, x, y int64, size int, value uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], value)
	if off, ok := v.image.BlockRow(x, y, int64(size)); ok {
		copy(v.data[off:][:size], b[:])
		return
	}
	for j := range size {
		if inside, _ := v.image.BlockInside(x+int64(j), y); inside {
			off, _ := v.image.BlockByte(x+int64(j), y)
			v.data[off] = b[j]
		}
	}
}

// checkImageBlock reports what SPV_INTEL_subgroups leaves undefined.
func (w *wave) checkImageBlock(in *inst, access memory.Access) {
	a, s := in.aux.image, in.src
	w.checkWholeBlock(in)
	image := func(k, i int) *memory.Image { return w.mem.Image(w.blockImage(a, k, i)) }
	w.failWhere(in, finding.GroupUniform, func(k, i int) bool {
		fk, fi := w.lowestOf(k, i)
		differs := false
		a.Regs(func(r *isa.Reg, t isa.Type, what string) {
			differs = differs || what != "value" && w.reg(*r, t, k, i) != w.reg(*r, t, fk, fi)
		})
		return differs
	}, func(k, i int) string {
		fk, fi := w.lowestOf(k, i)
		at, first := w.coords(a, k, i), w.coords(a, fk, fi)
		if at != first {
			return fmt.Sprintf("the coordinate is (%d,%d), but (%d,%d) in the first lane", at[0], at[1], first[0], first[1])
		}
		return "the image or the size of the block is not that of the first lane"
	})
	w.failWhere(in, finding.BlockElement, func(k, i int) bool {
		im := image(k, i)
		return im != nil && im.Format.Bytes() > 4
	}, func(k, i int) string {
		return fmt.Sprintf("%s has elements of %d bytes (%s)", imageName(image(k, i)), image(k, i).Format.Bytes(), image(k, i).Format)
	})
	w.failWhere(in, finding.BlockPitch, func(k, i int) bool {
		im := image(k, i)
		return im != nil && im.OfBuffer && (im.RowPitch%64 != 0 || im.BufferOrigin%32 != 0)
	}, func(k, i int) string {
		im := image(k, i)
		if im.RowPitch%64 != 0 {
			return fmt.Sprintf("the row pitch of %s is %d bytes, which is no multiple of 64", imageName(im), im.RowPitch)
		}
		return fmt.Sprintf("%s begins at byte %d of its buffer, which is no multiple of 32", imageName(im), im.BufferOrigin)
	})
	if access == memory.AccessWrite {
		w.failWhere(in, finding.BlockX, func(k, i int) bool { return w.coords(a, k, i)[0]&3 != 0 }, func(k, i int) string {
			return fmt.Sprintf("a write from byte %d of a row on", w.coords(a, k, i)[0])
		})
	}
	late := func(k, i int) (x, y int64, bad bool) {
		im := image(k, i)
		if im == nil {
			return 0, 0, false
		}
		n, end := int(s.Imm2), int(s.Imm2)+1
		if access == memory.AccessWrite {
			n, end = 0, a.Components
		}
		b := w.blockOf(a, k, i)
		for ; n < end; n++ {
			x, y, ok := w.blockPlace(in, &b, n, k, i)
			if !ok {
				continue
			}
			for j := range int64(s.Type.Bytes()) {
				if inside, passes := im.BlockInside(x+j, y); passes && !inside {
					return x, y, true
				}
			}
		}
		return 0, 0, false
	}
	w.failWhere(in, finding.ImageBounds, func(k, i int) bool {
		_, _, bad := late(k, i)
		return bad
	}, func(k, i int) string {
		x, y, _ := late(k, i)
		im := image(k, i)
		return fmt.Sprintf("a block %s at byte %d of row %d of %s, whose rows have %d bytes and are checked against %d", access, x, y, imageName(im), im.RowBytes(), 4*uint64(im.Width))
	})
}
