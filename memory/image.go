package memory

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// ErrImage means that a description of an image makes no sense.
var ErrImage = errors.New("no such image")

// Dim is the dimension of an image, with the numbers of SPIR-V (3.2.9).
type Dim uint8

// The dimensions that OpenCL has.
const (
	Dim1D     Dim = 0
	Dim2D     Dim = 1
	Dim3D     Dim = 2
	DimBuffer Dim = 5
)

// Image describes an image: elements in rows, rows in slices, in a piece of
// global memory. Kernels hold it as a handle that [Global.AddImage] gives out.
//
// Extents that the dimension does not have are 1; Layers is 1 for an image that
// is no array, and Levels 1 for one that is not mipmapped. A layer takes the
// place of a slice. The levels of a mipmap follow each other without gaps, and
// so do their slices and rows.
type Image struct {
	Name   string
	Base   Pointer // of the first element, in global memory
	Format Format
	Dim    Dim
	Array  bool
	Width  uint32 // elements
	Height uint32
	Depth  uint32
	Layers uint32
	Levels uint32
	// RowPitch and SlicePitch are the bytes from row to row and from slice to slice.
	RowPitch, SlicePitch uint64
	// ReadOnly makes writes a fault.
	ReadOnly bool
	// OfBuffer says that the image is a view of a buffer, and BufferOrigin is
	// where that begins in its parent, in bytes, for a sub-buffer.
	OfBuffer     bool
	BufferOrigin uint64
}

// MaxLevels is the most levels of detail that an image has.
const MaxLevels = 32

// Level is one level of detail of an image: where it begins, in bytes from Base, and its extents.
type Level struct {
	Base                 uint64
	Width, Height, Depth int64
	RowPitch, SlicePitch uint64
}

// Level returns level n: halves of the extents below it, rounded down, but never less than 1. Layers have no
// levels.
func (im *Image) Level(n uint32) Level {
	l := Level{0, int64(im.Width), int64(im.Height), int64(im.Depth), im.RowPitch, im.SlicePitch}
	e := uint64(im.Format.Bytes())
	for range min(n, MaxLevels-1) {
		l.Base += l.SlicePitch * uint64(l.Depth) * uint64(im.Layers)
		l.Width, l.Height, l.Depth = max(l.Width/2, 1), max(l.Height/2, 1), max(l.Depth/2, 1)
		l.RowPitch = uint64(l.Width) * e
		l.SlicePitch = l.RowPitch * uint64(l.Height)
	}
	return l
}

// mipmapped says whether the levels of an image have the form that they must have.
func (im *Image) mipmapped() bool {
	row := im.RowBytes()
	if im.Levels < 1 || im.Levels > MaxLevels || uint64(max(im.Width, im.Height, im.Depth))>>(im.Levels-1) == 0 {
		return false
	}
	return im.Levels == 1 || im.RowPitch == row && im.SlicePitch == row*uint64(im.Height)
}

// Extent returns the bytes from the first element to the end of the last; ok is
// false when they cannot be counted or the description makes no sense.
func (im *Image) Extent() (n uint64, ok bool) {
	e := uint64(im.Format.Bytes())
	if e == 0 || im.Width == 0 || im.Height == 0 || im.Depth == 0 || im.Layers == 0 || im.Array && im.Dim == Dim3D || !im.mipmapped() {
		return 0, false
	}
	row := uint64(im.Width) * e
	slices := uint64(im.Depth) * uint64(im.Layers) // of at most 2^64 - 2^33 + 1
	if im.RowPitch < row && im.Height > 1 || im.RowPitch > MaxSize || im.SlicePitch > MaxSize {
		return 0, false
	}
	hi, rows := bits.Mul64(uint64(im.Height-1), im.RowPitch)
	if hi != 0 || rows > MaxSize || slices > 1 && im.SlicePitch < rows+row {
		return 0, false
	}
	hi, all := bits.Mul64(slices-1, im.SlicePitch)
	if hi != 0 || all > MaxSize {
		return 0, false
	}
	n = all + rows + row
	if n <= MaxSize && im.Levels > 1 {
		// All levels together have less than twice the bytes of the first one, the bound on which keeps this
		// exact, and less than one row more for each level.
		l := im.Level(im.Levels - 1)
		n = l.Base + l.SlicePitch*uint64(l.Depth)*uint64(im.Layers)
	}
	return n, n <= MaxSize
}

// RowBytes returns the bytes of a row's elements.
func (im *Image) RowBytes() uint64 { return uint64(im.Width) * uint64(im.Format.Bytes()) }

// Offset returns where an element of the first level begins, in bytes from Base; ok is false
// outside of the image. z is the slice or the layer.
func (im *Image) Offset(x, y, z int64) (off uint64, ok bool) {
	if uint64(x) >= uint64(im.Width) || uint64(y) >= uint64(im.Height) || uint64(z) >= uint64(im.Depth)*uint64(im.Layers) {
		return 0, false
	}
	return uint64(z)*im.SlicePitch + uint64(y)*im.RowPitch + uint64(x)*uint64(im.Format.Bytes()), true
}

// OffsetAt is Offset for a level.
func (im *Image) OffsetAt(level uint32, x, y, z int64) (off uint64, ok bool) {
	switch {
	case level == 0:
		return im.Offset(x, y, z)
	case level >= im.Levels:
		return 0, false
	}
	l := im.Level(level)
	if uint64(x) >= uint64(l.Width) || uint64(y) >= uint64(l.Height) || uint64(z) >= uint64(l.Depth)*uint64(im.Layers) {
		return 0, false
	}
	return l.Base + uint64(z)*l.SlicePitch + uint64(y)*l.RowPitch + uint64(x)*uint64(im.Format.Bytes()), true
}

// String returns the image as people read it.
func (im *Image) String() string {
	s := fmt.Sprintf("%d", im.Width)
	if im.Dim == Dim2D || im.Dim == Dim3D {
		s += fmt.Sprintf("x%d", im.Height)
	}
	if im.Dim == Dim3D {
		s += fmt.Sprintf("x%d", im.Depth)
	}
	if im.Array {
		s += fmt.Sprintf(" of %d layers", im.Layers)
	}
	if im.Levels > 1 {
		s += fmt.Sprintf(" with %d levels", im.Levels)
	}
	return "image of " + s + " " + im.Format.String()
}

// AddImage enters an image and returns its handle: a pointer in [SpaceImage].
// The lowest number that is free is taken, so that equal launches have equal
// handles. The error wraps [ErrImage] when the image does not lie in the
// allocation that Base leads to, or [ErrTooMany].
func (g *Global) AddImage(im Image) (Pointer, error) {
	n, ok := im.Extent()
	if !ok || im.Base.Space() != SpaceGlobal || im.Base.Offset() < 0 {
		return 0, fmt.Errorf("%s: its extents, pitches or format are out of range: %w", &im, ErrImage)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.Lookup(im.Base.Alloc()); r == nil || r.Freed || uint64(im.Base.Offset()) > r.Size || r.Size-uint64(im.Base.Offset()) < n {
		return 0, fmt.Errorf("%s of %d bytes does not fit its memory: %w", &im, n, ErrImage)
	}
	var list []*Image
	if p := g.images.Load(); p != nil {
		list = slices.Clone(*p)
	}
	i := slices.Index(list, nil)
	if i < 0 {
		i = len(list)
		list = append(list, nil)
	}
	if i >= MaxAllocs {
		return 0, fmt.Errorf("image: %d are in use: %w", i, ErrTooMany)
	}
	list[i] = &im
	g.images.Store(&list)
	return MakePointer(SpaceImage, uint32(i+1), 0), nil
}

// FreeImage takes an image out again; the memory below it stays. The error
// wraps [ErrNoAlloc].
func (g *Global) FreeImage(p Pointer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.Image(p) == nil {
		return fmt.Errorf("release of %s: %w", p, ErrNoAlloc)
	}
	list := slices.Clone(*g.images.Load())
	list[p.Alloc()-1] = nil
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	g.images.Store(&list)
	return nil
}

// Image returns the image that a handle stands for, or nil. It must not be changed.
func (g *Global) Image(p Pointer) *Image {
	list := g.images.Load()
	n := p.Alloc()
	if p.Space() != SpaceImage || list == nil || n == 0 || uint64(n) > uint64(len(*list)) {
		return nil
	}
	return (*list)[n-1]
}

// ImageBytes returns the image of a handle and its bytes, from the first
// element to the end of the last, for an access. The error is a [*Fault]: no
// image, released memory, or a write to what is read-only.
func (g *Global) ImageBytes(p Pointer, a Access) (*Image, []byte, error) {
	im := g.Image(p)
	if im == nil {
		f := &Fault{Kind: FaultPointer, Access: a, Pointer: p, Expected: SpaceImage}
		if p == 0 {
			f.Kind = FaultNull
		}
		return nil, nil, f
	}
	size := uint64(im.Format.Bytes())
	n, _ := im.Extent()
	data, err := g.Resolve(im.Base, n, a)
	if err == nil && im.ReadOnly && a != AccessRead {
		err = &Fault{Kind: FaultReadOnly, Access: a, Pointer: im.Base, Expected: SpaceImage, Region: im.Name, RegionSize: n, HasRegion: true}
	}
	if err != nil {
		var f *Fault
		if errors.As(err, &f) {
			f.Size = size
		}
		return nil, nil, err
	}
	return im, data, nil
}

// blockLimit is where image block accesses check a row's width: they count it
// in units of four bytes, whatever the elements are (SPV_INTEL_subgroups).
func (im *Image) blockLimit() int64 { return 4 * int64(min(im.Width, math.MaxInt32)) }

// BlockByte returns where byte x of row y is for an image block read: outside
// of the image it is the byte of the edge's four bytes that has x's place among
// them. ok is false where the row, checked too late because its elements are
// smaller than four bytes, has no such byte.
func (im *Image) BlockByte(x, y int64) (off uint64, ok bool) {
	limit := im.blockLimit()
	switch {
	case x < 0:
		x &= 3
	case x >= limit:
		x = limit - 4 + x&3
	}
	y = min(max(y, 0), int64(im.Height)-1)
	if uint64(x) >= im.RowBytes() {
		return 0, false
	}
	return uint64(y)*im.RowPitch + uint64(x), true
}

// BlockRow returns where byte x of row y is when it and the n-1 bytes behind it
// are the image's, and so what a block read and a block write access there.
func (im *Image) BlockRow(x, y, n int64) (off uint64, ok bool) {
	end := min(uint64(im.blockLimit()), im.RowBytes())
	if x < 0 || y < 0 || y >= int64(im.Height) || uint64(n) > end || uint64(x) > end-uint64(n) {
		return 0, false
	}
	return uint64(y)*im.RowPitch + uint64(x), true
}

// BlockInside says whether byte x of row y is one of the image's, as image
// block writes ask, and whether the check that counts in units of four bytes
// passes it, which for smaller elements is not the same.
func (im *Image) BlockInside(x, y int64) (inside, passes bool) {
	passes = x >= 0 && x < im.blockLimit() && y >= 0 && y < int64(im.Height)
	return passes && uint64(x) < im.RowBytes(), passes
}
