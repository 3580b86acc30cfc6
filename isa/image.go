package isa

import "fmt"

// ImageDim is the dimension of an image, with the numbers of SPIR-V (3.2.9).
type ImageDim uint8

// The dimensions that OpenCL has.
const (
	Image1D     ImageDim = 0
	Image2D     ImageDim = 1
	Image3D     ImageDim = 2
	ImageBuffer ImageDim = 5
)

// ImageQuery is what an [OpImageQuery] asks.
type ImageQuery uint8

// The queries.
const (
	QuerySize   ImageQuery = iota // component 0 is the width, then height and depth as far as there are, then the layers of an array
	QueryOrder                    // the channel order, SPIR-V's number
	QueryFormat                   // the channel data type, SPIR-V's number
	QueryLevels
	QuerySamples
	NumImageQueries
)

var imageQueryNames = [NumImageQueries]string{"size", "order", "format", "levels", "samples"}

// String returns the query's name in the text form.
func (q ImageQuery) String() string {
	if q < NumImageQueries {
		return imageQueryNames[q]
	}
	return fmt.Sprintf("query(%d)", uint8(q))
}

// SamplerBits returns the sampler of a kernel's own: the bits that package memory documents, with an
// addressing mode and a filter as SPIR-V numbers them, and without bounds of the level of detail.
func SamplerBits(normalized bool, addressing, filter uint32) uint64 {
	bits := uint64(addressing&7)<<1 | uint64(filter&1)<<4 | 0xffffff<<32
	if normalized {
		bits |= 1
	}
	return bits
}

// ImageAccess is what an image instruction does: which image, where, and with
// what. Operands that it does not have are None.
type ImageAccess struct {
	Name  string // the instruction in the module, for messages
	Dim   ImageDim
	Array bool // the last coordinate is a layer
	Query ImageQuery

	Image Reg // I64, the handle
	// Coord are the coordinates in elements: x, and y and z as Dim and Array ask,
	// I32, or F32 for a sampled image. For blocks x counts bytes.
	Coord     [3]Reg
	CoordType Type
	// Sampler is a sampler, I64: the state itself. Lod is the level of detail, F32 with a sampler and I32
	// without.
	Sampler, Lod Reg
	// DX and DY are gradients, F32: what the coordinates, the layer left out, change by in the directions of
	// the plane that the image is drawn on. The level of detail comes from them. Only with a sampler.
	DX, DY [3]Reg
	// Width and Height are those of a media block, I32: elements and rows. Where
	// there are none a block has one element for each lane in each row.
	Width, Height Reg
	// Components is how many a lane reads or writes, and Value what a write writes.
	Components int
	Value      []Reg
	ValueType  Type
	// Sign is what the module says of the integers of a read or write.
	Sign ImageSign
	// Odd says that the floats of a read become halves next: those that are not exact are rounded to odd, so that the
	// rounding to half is the only one.
	Odd bool
}

// ImageSign says whether a kernel takes an image's integers as signed.
type ImageSign uint8

// The signs.
const (
	SignUnknown  ImageSign = iota // the format tells
	SignSigned                    // read_imagei, write_imagei: SignExtend
	SignUnsigned                  // read_imageui, write_imageui: ZeroExtend
)

// Regs calls f for each register that the access reads, with its type and name.
func (a *ImageAccess) Regs(f func(r *Reg, t Type, what string)) {
	use := func(r *Reg, t Type, what string) {
		if *r != None {
			f(r, t, what)
		}
	}
	use(&a.Image, I64, "image")
	use(&a.Sampler, I64, "sampler")
	for i := range a.Coord {
		use(&a.Coord[i], a.CoordType, [...]string{"x", "y", "z"}[i])
	}
	lod := I32
	if a.Sampler != None {
		lod = F32
	}
	use(&a.Lod, lod, "lod")
	for i := range a.DX {
		use(&a.DX[i], F32, "gradient")
		use(&a.DY[i], F32, "gradient")
	}
	use(&a.Width, I32, "width")
	use(&a.Height, I32, "height")
	for i := range a.Value {
		use(&a.Value[i], a.ValueType, "value")
	}
}

// coords returns how many coordinates an image takes.
func (a *ImageAccess) coords() int {
	n := 1
	switch a.Dim {
	case Image2D:
		n = 2
	case Image3D:
		n = 3
	}
	if a.Array {
		n++
	}
	return n
}

// dims returns how many coordinates an image takes besides the layer.
func (a *ImageAccess) dims() int {
	if a.Array {
		return a.coords() - 1
	}
	return a.coords()
}

// check says what is wrong with the entry for an instruction.
func (a *ImageAccess) check(in *Inst) error {
	damaged := func(what string) error { return fmt.Errorf("image access %d: %s", in.Imm, what) }
	if a.Image == None || a.Query >= NumImageQueries || a.coords() > len(a.Coord) {
		return damaged("damaged")
	}
	graded := a.DX[0] != None
	for i := range a.DX {
		if want := graded && i < a.dims(); want != (a.DX[i] != None) || want != (a.DY[i] != None) {
			return damaged("the number of gradients is not that of the image")
		}
	}
	if graded && a.Lod != None || a.Sampler == None && graded || a.Sampler != None && in.Op != OpImageRead {
		return damaged("a sampler or a gradient that there is no use for")
	}
	if in.Op == OpImageQuery {
		if in.Imm2 > 3 {
			return damaged("no such component")
		}
		return nil
	}
	for i, r := range a.Coord {
		if (i < a.coords()) != (r != None) {
			return damaged("the number of coordinates is not that of the image")
		}
	}
	if a.CoordType != I32 && (a.CoordType != F32 || a.Sampler == None) {
		return damaged("coordinates of " + a.CoordType.String())
	}
	most := 4
	block := in.Op == OpImageBlockRead || in.Op == OpImageBlockWrite
	if block {
		most = MaxBlockComponents
		if a.Dim != Image2D || a.Array || (a.Width == None) != (a.Height == None) {
			return damaged("blocks are of plain images of two dimensions")
		}
	}
	if a.Components < 1 || a.Components > most || int(in.Imm2) >= a.Components {
		return damaged("no such component")
	}
	if in.Op == OpImageWrite || in.Op == OpImageBlockWrite {
		if len(a.Value) != a.Components || a.ValueType != in.Type {
			return damaged("damaged value")
		}
		for _, r := range a.Value {
			if r == None {
				return damaged("damaged value")
			}
		}
	} else if len(a.Value) != 0 {
		return damaged("a value to read")
	}
	return nil
}

// text says what the entry is for an instruction.
func (a *ImageAccess) text(in *Inst) string {
	dim := map[ImageDim]string{Image1D: "1d", Image2D: "2d", Image3D: "3d", ImageBuffer: "buffer"}[a.Dim]
	if a.Array {
		dim += "array"
	}
	if a.Sampler != None {
		dim += " sampled"
	}
	if a.Odd {
		dim += " odd"
	}
	switch in.Op {
	case OpImageQuery:
		if a.Query == QuerySize {
			return fmt.Sprintf("%s %s, component %d,", dim, a.Query, in.Imm2)
		}
		return fmt.Sprintf("%s %s,", dim, a.Query)
	case OpImageRead, OpImageBlockRead:
		return fmt.Sprintf("%s, component %d,", dim, in.Imm2)
	}
	return dim + ","
}
