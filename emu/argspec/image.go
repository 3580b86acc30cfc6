package argspec

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/bits"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/npy"
	"github.com/lockstep-gpu/lockstep/memory"
)

// ImageInfo describes the image that an argument is. Arg.Data has its rows, one after the other without gaps,
// slice after slice and level after level, and Arg.Shape is its extents, the outermost first, and the number
// of channels; of an image with several levels it is one number.
type ImageInfo struct {
	Kind          memory.ImageKind
	Width, Height int // elements
	Depth         int // slices or layers
	Levels        int
	Format        memory.Format
	// Pitch is the bytes from row to row and Origin the byte at which the image
	// begins where the image is to be a view of a buffer; Pitch is 0 where not.
	Pitch, Origin int
}

// extents returns the extents that the kind has, the innermost first.
func (i *ImageInfo) extents() []int {
	switch i.Kind {
	case memory.Image1DArray:
		return []int{i.Width, i.Depth}
	case memory.Image2D:
		return []int{i.Width, i.Height}
	case memory.Image1D, memory.Image1DBuffer:
		return []int{i.Width}
	}
	return []int{i.Width, i.Height, i.Depth}
}

// setExtents sets the extents, of which there are as many as the kind has, the innermost first.
func (i *ImageInfo) setExtents(n []int) {
	i.Width, i.Height, i.Depth = n[0], 1, 1
	switch {
	case i.Kind == memory.Image1DArray:
		i.Depth = n[1]
	case len(n) > 1:
		i.Height = n[1]
	}
	if len(n) > 2 {
		i.Depth = n[2]
	}
}

// elements returns the number of elements of all levels; they are more than fit if it is negative.
func (i *ImageInfo) elements() int64 {
	var sum int64
	w, h, d := int64(i.Width), int64(i.Height), int64(i.Depth)
	for range max(i.Levels, 1) {
		sum += w * h * d // at most 2^48 each
		w, h = max(w/2, 1), max(h/2, 1)
		if i.Kind == memory.Image3D {
			d = max(d/2, 1)
		}
	}
	return sum
}

const (
	// maxImageSide is the largest extent, and maxImageBuffer that of an image of a buffer.
	maxImageSide   = 1 << 16
	maxImageBuffer = 1 << 27
	// maxPixels bounds what a PNG may unpack to: a small file may claim much.
	maxPixels = 1 << 26

	imageForms = "image:WIDTHxHEIGHT[/LEVELS][@PITCH[+ORIGIN]]:ORDER:TYPE[:SPEC] image:PATH.png[:ORDER:TYPE] image:PATH.npy[:ORDER:TYPE] image1d: image1d_array: image1d_buffer: image2d_array: image3d:"
)

// channel returns the type of the numbers that an element of an image consists
// of, and how many there are: an element whose channels share a word is one number.
func channel(f memory.Format) (t Type, n int) {
	switch f.Type {
	case memory.UnormInt8, memory.UnsignedInt8:
		t = U8
	case memory.SnormInt8, memory.SignedInt8:
		t = I8
	case memory.UnormInt16, memory.UnsignedInt16:
		t = U16
	case memory.SnormInt16, memory.SignedInt16:
		t = I16
	case memory.SignedInt32:
		t = I32
	case memory.UnsignedInt32:
		t = U32
	case memory.HalfFloat:
		t = F16
	case memory.Float:
		t = F32
	default:
		if f.Bytes() == 2 {
			return U16, 1
		}
		return U32, 1
	}
	return t, f.Channels()
}

// newImage returns the argument for an image; data holds its rows.
func newImage(info ImageInfo, data []byte) *Arg {
	t, n := channel(info.Format)
	info.Levels = max(info.Levels, 1)
	shape := info.extents()
	slices.Reverse(shape)
	if shape = append(shape, n); info.Levels > 1 {
		shape = []int{len(data) / t.Size()}
	}
	return &Arg{Kind: Image, Type: t, Count: len(data) / t.Size(), Shape: shape, Data: data, Image: &info}
}

// image reads what stands behind "image:" or the name of another kind, from at to the end.
func (p *parser) image(kind memory.ImageKind, text string, at int) (*Arg, error) {
	head, rest, more := strings.Cut(text, ":")
	if dims := strings.Split(head[:len(head)-len(strings.TrimLeft(head, "0123456789x"))], "x"); isNumber(dims[0]) && len(dims) <= 3 && !strings.Contains(head, ".") {
		if !more {
			return nil, p.fail(len(p.spec), imageForms, "the format is missing")
		}
		return p.sizedImage(kind, head, at, rest, at+len(head)+1)
	}
	path, f, given := text, memory.Format{}, false
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		if j := strings.LastIndexByte(text[:i], ':'); j >= 0 {
			if _, ok := memory.ParseChannelOrder(text[j+1 : i]); ok {
				var err error
				if f, err = p.format(kind, text[j+1:], at+j+1); err != nil {
					return nil, err
				}
				path, given = text[:j], true
			}
		}
	}
	ext := strings.ToLower(filepath.Ext(path))
	if ext != ".png" && ext != ".npy" {
		return nil, p.fail(at, imageForms, "%q is neither a size nor a .png or .npy file", path)
	}
	file, err := p.open(path)
	if err != nil {
		return nil, &Error{Spec: p.spec, Column: at + 1, Msg: err.Error(), Err: err}
	}
	defer file.Close()
	var a *Arg
	if ext == ".png" {
		a, err = p.pngImage(kind, file, f, given)
	} else {
		a, err = p.npyImage(kind, file, f, given)
	}
	var own *Error
	if errors.As(err, &own) {
		return nil, own
	}
	if err != nil {
		return nil, &Error{Spec: p.spec, Column: at + 1, Msg: fmt.Sprintf("%s: %v", path, err), Err: err}
	}
	return a, nil
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// format reads ORDER:TYPE for an image of a kind.
func (p *parser) format(kind memory.ImageKind, text string, at int) (memory.Format, error) {
	order, typ, _ := strings.Cut(text, ":")
	o, ok := memory.ParseChannelOrder(order)
	if !ok {
		return memory.Format{}, p.fail(at, formatNames(func(f memory.Format) string { return f.Order.String() }), "unknown channel order %q", order)
	}
	t, ok := memory.ParseChannelType(typ)
	f := memory.Format{Order: o, Type: t}
	if !kind.Suits(f) {
		return f, p.fail(at, imageForms, "the channel order %s is for image: and image2d_array:", order)
	}
	if !ok || !f.Valid() {
		return f, p.fail(min(at+len(order)+1, len(p.spec)), formatNames(func(f memory.Format) string {
			if f.Order != o {
				return ""
			}
			return f.Type.String()
		}), "no channel type %q for the order %s", typ, order)
	}
	return f, nil
}

// formatNames lists what name gives for all formats, once each.
func formatNames(name func(memory.Format) string) string {
	var list []string
	for _, f := range memory.Formats() {
		if n := name(f); n != "" && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return strings.Join(list, " ")
}

// imageSize reads the size of an image: the extents of its kind with an x in between,
// [/LEVELS][@PITCH[+ORIGIN]].
func (p *parser) imageSize(kind memory.ImageKind, size string, at int) (info ImageInfo, view bool, err error) {
	info.Kind = kind
	dims, pitch, view := strings.Cut(size, "@")
	pitch, origin, moved := strings.Cut(pitch, "+")
	dims, levels, mips := strings.Cut(dims, "/")
	number := func(text string, least, most int) int {
		v, perr := strconv.ParseUint(text, 10, 32)
		if err == nil && (perr != nil || v < uint64(least) || v > uint64(most)) {
			err = p.fail(at, fmt.Sprintf("%d to %d", least, most), "%q in the size of an image", text)
		}
		return int(v)
	}
	side := maxImageSide
	if kind == memory.Image1DBuffer {
		side = maxImageBuffer
	}
	var n []int
	for _, d := range strings.Split(dims, "x") {
		n = append(n, number(d, 1, side))
	}
	if err == nil && len(n) != kind.Extents() {
		return info, view, p.fail(at, imageForms, "an %s has %d extents, not %d", kind, kind.Extents(), len(n))
	}
	if err != nil {
		return info, view, err
	}
	info.setExtents(n)
	if mips {
		most := max(info.Width, info.Height)
		if kind == memory.Image3D {
			most = max(most, info.Depth)
		}
		info.Levels = number(levels, 1, bits.Len(uint(most)))
	}
	if view {
		info.Pitch = number(pitch, 1, 1<<30)
	}
	if moved {
		info.Origin = number(origin, 0, 1<<30)
	}
	if err == nil && (view && kind != memory.Image2D || view && mips || mips && kind == memory.Image1DBuffer) {
		err = p.fail(at, imageForms, "a pitch is for image: without levels, and levels are for images that are not of a buffer")
	}
	return info, view, err
}

// sizedImage reads a size, and ORDER:TYPE[:SPEC] from at on.
func (p *parser) sizedImage(kind memory.ImageKind, size string, sizeAt int, text string, at int) (*Arg, error) {
	info, view, err := p.imageSize(kind, size, sizeAt)
	if err != nil {
		return nil, err
	}
	order, rest, _ := strings.Cut(text, ":")
	typ, spec, more := strings.Cut(rest, ":")
	if info.Format, err = p.format(kind, order+":"+typ, at); err != nil {
		return nil, err
	}
	e := info.Format.Bytes()
	bytes := info.elements() * int64(e)
	if view {
		if row := info.Width * e; info.Pitch < row || info.Pitch%e != 0 || info.Origin%e != 0 {
			return nil, p.fail(sizeAt, fmt.Sprintf("multiples of %d, the pitch from %d", e, row), "pitch %d, origin %d", info.Pitch, info.Origin)
		}
	}
	if room := int64(info.Pitch)*int64(info.Height) + int64(info.Origin); max(bytes, room) > p.max {
		return nil, p.fail(sizeAt, fmt.Sprintf("at most %d bytes", p.max), "an image of %d bytes is too large", max(bytes, room))
	}
	specAt := at + len(order) + 1 + len(typ) + 1
	if name, named := strings.CutPrefix(spec, sharedForm); named {
		return p.sharedImage(info, name, specAt+len(sharedForm))
	}
	// The device holds the image as well, and all of the memory that it is a view of.
	if err := p.reserve(uint64(max(bytes, int64(info.Pitch)*int64(info.Height)+int64(info.Origin)))); err != nil {
		return nil, &Error{Spec: p.spec, Column: sizeAt + 1, Msg: err.Error(), Err: err}
	}
	if !more {
		data, err := p.alloc(bytes, sizeAt)
		if err != nil {
			return nil, err
		}
		return newImage(info, data), nil
	}
	a, err := p.buffer(specAt)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, p.fail(specAt, bufferForms, "the elements of an image are those of a buffer")
	}
	if int64(len(a.Data)) != bytes {
		return nil, p.fail(specAt, fmt.Sprintf("%d bytes", bytes), "%d bytes for an image of %s elements of %d", len(a.Data), info.size(), e)
	}
	im := newImage(info, a.Data)
	im.Undefined = a.Undefined
	return im, nil
}

// size is the extents for messages: "4×3".
func (i *ImageInfo) size() string {
	var s []string
	for _, n := range i.extents() {
		s = append(s, strconv.Itoa(n))
	}
	return strings.Join(s, "×")
}

// pixelFormat returns the format in which a file's pixels are stored into an
// image: colours in sRGB's curve are those of the file as they are.
func pixelFormat(f memory.Format) memory.Format {
	switch f.Order {
	case memory.OrderSRGB, memory.OrderSRGBx:
		f.Order = memory.OrderRGB
	case memory.OrderSRGBA:
		f.Order = memory.OrderRGBA
	case memory.OrderSBGRA:
		f.Order = memory.OrderBGRA
	}
	return f
}

// pngImage reads a PNG file; without a format it becomes rgba of its own depth.
func (p *parser) pngImage(kind memory.ImageKind, r io.Reader, f memory.Format, given bool) (*Arg, error) {
	data, err := p.readAll(r, fileSize(r), p.most(), 0)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > p.max {
		return nil, fmt.Errorf("more than %d bytes", p.max)
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	info := ImageInfo{Kind: kind}
	switch n := kind.Extents(); {
	case n == 1 && cfg.Height == 1:
		info.setExtents([]int{cfg.Width})
	case n == 2:
		info.setExtents([]int{cfg.Width, cfg.Height})
	default:
		return nil, fmt.Errorf("a picture of %d×%d pixels is no %s; a .npy file, or %s:SIZE:ORDER:TYPE:in:FILE, may be", cfg.Width, cfg.Height, kind, kind)
	}
	deep := cfg.ColorModel == color.Gray16Model || cfg.ColorModel == color.RGBA64Model || cfg.ColorModel == color.NRGBA64Model
	if !given {
		f = memory.Format{Order: memory.OrderRGBA, Type: memory.UnormInt8}
		if deep {
			f.Type = memory.UnormInt16
		}
	}
	e := f.Bytes()
	if cfg.Width < 1 || cfg.Height < 1 || cfg.Width > maxImageSide || cfg.Height > maxImageSide || cfg.Width > maxPixels/cfg.Height ||
		int64(cfg.Width)*int64(cfg.Height)*int64(e) > p.max {
		return nil, fmt.Errorf("%d×%d pixels are too many", cfg.Width, cfg.Height)
	}
	// The decoded file has 8 bytes a pixel at most, and the image is held here and by the device.
	if err := p.reserve(uint64(cfg.Width) * uint64(cfg.Height) * uint64(8+e)); err != nil {
		return nil, err
	}
	src, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := p.alloc(int64(cfg.Width)*int64(cfg.Height)*int64(e), 0)
	if err != nil {
		return nil, err
	}
	pf := pixelFormat(f)
	b := src.Bounds()
	for y := range cfg.Height {
		for x := range cfg.Width {
			c := pixel(src.At(b.Min.X+x, b.Min.Y+y))
			var t memory.Texel
			for i, v := range [4]uint16{c.R, c.G, c.B, c.A} {
				switch {
				case pf.Class() == memory.ClassFloat:
					t[i] = math.Float32bits(float32(v) / 65535)
				case deep:
					t[i] = uint32(v)
				default:
					t[i] = uint32(v >> 8)
				}
			}
			pf.Encode(out[(y*cfg.Width+x)*e:], t)
		}
	}
	info.Format = f
	return newImage(info, out), nil
}

// pixel returns a colour as it is in the file. The conversion of package color
// would multiply with the alpha and divide again, and lose bits.
func pixel(c color.Color) color.NRGBA64 {
	switch c := c.(type) {
	case color.NRGBA64:
		return c
	case color.NRGBA:
		return color.NRGBA64{uint16(c.R) * 257, uint16(c.G) * 257, uint16(c.B) * 257, uint16(c.A) * 257}
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64)
}

// npyFormats has the format for the elements of an array where none is given.
var npyFormats = map[npy.DType]memory.ChannelType{npy.U8: memory.UnormInt8, npy.U16: memory.UnormInt16, npy.I8: memory.SignedInt8,
	npy.I16: memory.SignedInt16, npy.I32: memory.SignedInt32, npy.U32: memory.UnsignedInt32, npy.F16: memory.HalfFloat, npy.F32: memory.Float}

// npyImage reads an array of elements, or of elements of
// channels in the order that they have in memory; it has the extents of the image, the outermost first.
func (p *parser) npyImage(kind memory.ImageKind, r io.Reader, f memory.Format, given bool) (*Arg, error) {
	arr, err := npy.ReadAlloc(r, p.max, p.npyBytes(r, 0))
	if err != nil {
		return nil, err
	}
	if err := p.reserve(uint64(len(arr.Data))); err != nil { // the device's
		return nil, err
	}
	s, want := arr.Shape, kind.Extents()
	if len(s) != want && len(s) != want+1 {
		names := map[memory.ImageKind]string{memory.Image1D: "columns", memory.Image1DBuffer: "columns", memory.Image1DArray: "layers, columns", memory.Image2D: "rows, columns",
			memory.Image2DArray: "layers, rows, columns", memory.Image3D: "slices, rows, columns"}
		return nil, fmt.Errorf("an array of %d dimensions; an %s has %s and, optionally, channels", len(s), kind, names[kind])
	}
	n := 1
	if len(s) > want {
		n = s[want]
	}
	if !given {
		t, ok := npyFormats[arr.DType]
		o, known := map[int]memory.ChannelOrder{1: memory.OrderR, 2: memory.OrderRG, 4: memory.OrderRGBA}[n]
		if !ok || !known {
			return nil, fmt.Errorf("no image has %d channels of %s; ORDER:TYPE behind the name picks a format", n, arr.DType)
		}
		f = memory.Format{Order: o, Type: t}
	}
	t, channels := channel(f)
	if at, _ := fromNPY(arr.DType); at.Size() != t.Size() || at.Float() != t.Float() || n != channels {
		return nil, fmt.Errorf("%d channels of %s; %s takes %d of %s", n, arr.DType, f, channels, t)
	}
	info := ImageInfo{Kind: kind, Format: f}
	extents := slices.Clone(s[:want])
	slices.Reverse(extents)
	info.setExtents(extents)
	side := maxImageSide
	if kind == memory.Image1DBuffer {
		side = maxImageBuffer
	}
	for _, x := range extents {
		if x < 1 || x > side {
			return nil, fmt.Errorf("%s elements: each extent is 1 to %d", info.size(), side)
		}
	}
	return newImage(info, arr.Data), nil
}

// SaveImage writes the elements of an image, rows without gaps, in the form that the file name asks for: a
// PNG for .png, and what [Save] makes of anything else. The slices or layers of an image stand below each
// other in a PNG.
//
// A PNG has 8 bits a channel for formats of 8 bits and fewer, 16 for all others.
// Normalized numbers and floats are scaled from [0, 1] and integers taken as
// they are, what is outside becoming the nearest value. An image of one channel
// is grey; colours in sRGB's curve are written as they are.
func SaveImage(w io.Writer, name string, info *ImageInfo, data []byte) error {
	t, _ := channel(info.Format)
	if !strings.EqualFold(filepath.Ext(name), ".png") {
		return Save(w, name, t, newImage(*info, data).Shape, data)
	}
	if info.Levels > 1 {
		return errors.New("an image with levels of detail has no form as .png; .npy and other files hold it")
	}
	height := info.Height * max(info.Depth, 1)
	f := pixelFormat(info.Format)
	e := info.Format.Bytes()
	if e == 0 || info.Width < 1 || height < 1 || len(data) != info.Width*height*e {
		return fmt.Errorf("%d bytes are no image of %s elements of %s", len(data), info.size(), info.Format)
	}
	deep := uint32(255)
	if t.Size() > 1 && f.Type != memory.UnormShort565 && f.Type != memory.UnormShort555 {
		deep = 65535
	}
	channel := func(bits uint32) uint16 {
		v := bits
		switch f.Class() {
		case memory.ClassFloat:
			x := float64(math.Float32frombits(bits)) * float64(deep)
			v = 0
			if x > 0 { // not for a NaN
				v = uint32(math.RoundToEven(min(x, float64(deep))))
			}
		case memory.ClassSigned:
			v = uint32(max(int32(bits), 0))
		}
		return uint16(min(v, deep))
	}
	grey, alpha := -1, false
	switch f.Order {
	case memory.OrderR, memory.OrderRx, memory.OrderIntensity, memory.OrderLuminance, memory.OrderDepth:
		grey = 0
	case memory.OrderA:
		grey = 3
	case memory.OrderRA, memory.OrderRGBA, memory.OrderBGRA, memory.OrderARGB, memory.OrderABGR:
		alpha = true
	}
	r := image.Rect(0, 0, info.Width, height)
	var dst interface {
		image.Image
		Set(x, y int, c color.Color)
	}
	switch {
	case grey >= 0 && deep == 255:
		dst = image.NewGray(r)
	case grey >= 0:
		dst = image.NewGray16(r)
	case deep == 255:
		dst = image.NewNRGBA(r)
	default:
		dst = image.NewNRGBA64(r)
	}
	for y := range height {
		for x := range info.Width {
			px := f.Decode(data[(y*info.Width+x)*e:])
			var c [4]uint16
			for i := range c {
				c[i] = channel(px[i])
			}
			if !alpha {
				c[3] = uint16(deep)
			}
			switch d := dst.(type) {
			case *image.Gray:
				d.SetGray(x, y, color.Gray{uint8(channel(px[grey]))})
			case *image.Gray16:
				d.SetGray16(x, y, color.Gray16{channel(px[grey])})
			case *image.NRGBA:
				d.SetNRGBA(x, y, color.NRGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), uint8(c[3])})
			case *image.NRGBA64:
				d.SetNRGBA64(x, y, color.NRGBA64{c[0], c[1], c[2], c[3]})
			}
		}
	}
	return png.Encode(w, dst)
}
