package memory

import "fmt"

// ImageKind says how many dimensions an image has, and whether it is an array of images.
type ImageKind uint8

// The kinds of images.
const (
	Image2D ImageKind = iota
	Image1D
	Image1DBuffer // read without a sampler
	Image1DArray
	Image2DArray
	Image3D
	NumImageKinds
)

var imageKinds = [NumImageKinds]struct {
	name  string
	dim   Dim
	array bool
}{
	Image2D: {"image2d", Dim2D, false}, Image1D: {"image1d", Dim1D, false}, Image1DBuffer: {"image1d_buffer", DimBuffer, false},
	Image1DArray: {"image1d_array", Dim1D, true}, Image2DArray: {"image2d_array", Dim2D, true}, Image3D: {"image3d", Dim3D, false},
}

// String returns the kind as OpenCL C calls it, without the _t: "image2d_array".
func (k ImageKind) String() string {
	if k < NumImageKinds {
		return imageKinds[k].name
	}
	return fmt.Sprintf("image kind %d", uint8(k))
}

// ParseImageKind returns the kind with the given name.
func ParseImageKind(s string) (ImageKind, bool) {
	for k := range NumImageKinds {
		if imageKinds[k].name == s {
			return k, true
		}
	}
	return 0, false
}

// Dim returns the dimension of an image of the kind, and Array whether it is an array.
func (k ImageKind) Dim() Dim    { return imageKinds[k].dim }
func (k ImageKind) Array() bool { return imageKinds[k].array }

// Extents returns how many extents an image of the kind has, layers included.
func (k ImageKind) Extents() int {
	n := 1
	switch k.Dim() {
	case Dim2D:
		n = 2
	case Dim3D:
		n = 3
	}
	if k.Array() {
		n++
	}
	return n
}

// Suits says whether images of the kind may have a format: depth is for two dimensions.
func (k ImageKind) Suits(f Format) bool {
	return f.Order != OrderDepth || k.Dim() == Dim2D
}
