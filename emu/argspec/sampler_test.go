package argspec

import (
	"bytes"
	"image/png"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/lockstep-gpu/lockstep/emu/npy"
	"github.com/lockstep-gpu/lockstep/memory"
)

func TestSamplers(t *testing.T) {
	for spec, want := range map[string]string{
		"sampler:nearest":                                      "nearest,clamp_to_edge,unnormalized",
		"sampler:linear,repeat,normalized":                     "linear,repeat,normalized",
		"sampler:normalized, clamp, linear":                    "linear,clamp,normalized",
		"sampler:mirrored_repeat":                              "nearest,mirrored_repeat,normalized",
		"sampler:none,unnormalized,nearest,mip_nearest":        "nearest,none,unnormalized",
		"sampler:mip_linear,linear,clamp_to_edge,unnormalized": "linear,clamp_to_edge,unnormalized,mip_linear",
	} {
		a, err := Parse(spec, nil)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if got := a.Sampler.Pack().String(); got != want || a.Kind != Sampler || a.Kind.String() != "sampler" || a.Sampler.MaxLod < 255 {
			t.Errorf("%s: %s, kind %v, levels up to %v; want %s", spec, got, a.Kind, a.Sampler.MaxLod, want)
		}
	}
}

// TestImageKinds reads images of all kinds.
func TestImageKinds(t *testing.T) {
	fs := pictures(t)
	fs["cube.npy"] = npyFile(t, &npy.Array{DType: npy.F32, Shape: []int{2, 3, 4}, Data: make([]byte, 96)})
	fs["pairs.npy"] = npyFile(t, &npy.Array{DType: npy.U8, Shape: []int{5, 2}, Data: make([]byte, 10)})
	fs["raw"] = &fstest.MapFile{Data: make([]byte, 12)}
	for _, c := range []struct {
		spec    string
		kind    memory.ImageKind
		extents [3]int
		levels  int
		shape   []int
		bytes   int
	}{
		{"image1d:7:rg:u16", memory.Image1D, [3]int{7, 1, 1}, 1, []int{7, 2}, 28},
		{"image1d_buffer:70000:r:f32", memory.Image1DBuffer, [3]int{70000, 1, 1}, 1, []int{70000, 1}, 280000},
		{"image1d_array:4x3:r:u8:in:raw", memory.Image1DArray, [3]int{4, 1, 3}, 1, []int{3, 4, 1}, 12},
		{"image2d:4x3:r:u8", memory.Image2D, [3]int{4, 3, 1}, 1, []int{3, 4, 1}, 12},
		{"image2d_array:4x3x2:depth:unorm16", memory.Image2DArray, [3]int{4, 3, 2}, 1, []int{2, 3, 4, 1}, 48},
		{"image3d:4x3x2:rgba:unorm8", memory.Image3D, [3]int{4, 3, 2}, 1, []int{2, 3, 4, 4}, 96},
		{"image3d:4x3x2/2:r:u8", memory.Image3D, [3]int{4, 3, 2}, 2, []int{24 + 2}, 26},
		{"image2d_array:4x3x2/3:r:u8", memory.Image2DArray, [3]int{4, 3, 2}, 3, []int{24 + 4 + 2}, 30},
		{"image:4x4/3:r:u16", memory.Image2D, [3]int{4, 4, 1}, 3, []int{21}, 42},
		{"image3d:cube.npy", memory.Image3D, [3]int{4, 3, 2}, 1, []int{2, 3, 4, 1}, 96},
		{"image2d_array:cube.npy", memory.Image2DArray, [3]int{4, 3, 2}, 1, []int{2, 3, 4, 1}, 96},
		{"image1d:pairs.npy:rg:u8", memory.Image1D, [3]int{5, 1, 1}, 1, []int{5, 2}, 10},
		{"image1d_array:pairs.npy", memory.Image1DArray, [3]int{2, 1, 5}, 1, []int{5, 2, 1}, 10},
		{"image1d:rgb.png", memory.Image1D, [3]int{2, 1, 1}, 1, []int{2, 4}, 8},
		{"image1d_array:a:b.png:r:unorm8", memory.Image1DArray, [3]int{1, 1, 2}, 1, []int{2, 1, 1}, 2},
	} {
		a, err := Parse(c.spec, &Options{Open: OpenFS(fs), MaxBytes: 1 << 20})
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		i := a.Image
		if i.Kind != c.kind || [3]int{i.Width, i.Height, i.Depth} != c.extents || i.Levels != c.levels || !reflect.DeepEqual(a.Shape, c.shape) || len(a.Data) != c.bytes {
			t.Errorf("%s: %+v, shape %v, %d bytes; want %+v", c.spec, i, a.Shape, len(a.Data), c)
		}
	}
	for _, spec := range []string{"image3d:rgb.png", "image1d:a:b.png", "image3d:pairs.npy", "image1d:cube.npy"} {
		if a, err := Parse(spec, &Options{Open: OpenFS(fs)}); err == nil {
			t.Errorf("%s is accepted: %+v", spec, a.Image)
		}
	}
}

// TestSaveSlices writes an image of several slices, which stand below each other in a picture.
func TestSaveSlices(t *testing.T) {
	a, err := Parse("image3d:2x1x3:r:unorm8:buf:u8:1,2,3,4,5,6", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := SaveImage(&b, "x.png", a.Image, a.Data); err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Bounds().Size(); s.X != 2 || s.Y != 3 {
		t.Fatalf("the picture has %v pixels", s)
	}
	for i := range 6 {
		if r, _, _, _ := m.At(i%2, i/2).RGBA(); r>>8 != uint32(i+1) {
			t.Errorf("pixel %d is %d", i, r>>8)
		}
	}
	b.Reset()
	if err := SaveImage(&b, "x.npy", a.Image, a.Data); err != nil {
		t.Fatal(err)
	}
	arr, err := npy.Read(&b)
	if err != nil || !reflect.DeepEqual(arr.Shape, []int{3, 1, 2, 1}) {
		t.Errorf("the array is %+v, %v", arr, err)
	}
	a.Image.Levels = 2
	if err := SaveImage(&b, "x.png", a.Image, a.Data); err == nil {
		t.Error("a picture of a mipmap is written")
	}
}
