package argspec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lockstep-gpu/lockstep/emu/npy"
	"github.com/lockstep-gpu/lockstep/memory"
)

func pngFile(t *testing.T, m image.Image) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

func npyFile(t *testing.T, a *npy.Array) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	if err := npy.Write(&b, a); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

func pictures(t *testing.T) fstest.MapFS {
	rgb := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	rgb.SetNRGBA(0, 0, color.NRGBA{1, 2, 3, 4})
	rgb.SetNRGBA(1, 0, color.NRGBA{250, 251, 252, 255})
	deep := image.NewNRGBA64(image.Rect(0, 0, 1, 1))
	deep.SetNRGBA64(0, 0, color.NRGBA64{0x1234, 0x5678, 0x9abc, 0xdef0})
	grey := image.NewGray(image.Rect(0, 0, 1, 2))
	grey.SetGray(0, 0, color.Gray{7})
	grey.SetGray(0, 1, color.Gray{200})
	// A PNG whose header claims more pixels than anybody wants to hold.
	bomb := append([]byte(nil), pngFile(t, rgb).Data...)
	binary.BigEndian.PutUint32(bomb[16:], 65535)
	binary.BigEndian.PutUint32(bomb[20:], 65535)
	binary.BigEndian.PutUint32(bomb[29:], crc(bomb[12:29]))
	return fstest.MapFS{
		"rgb.png": pngFile(t, rgb), "deep.PNG": pngFile(t, deep), "a:b.png": pngFile(t, grey), "bomb.png": {Data: bomb}, "cut.png": {Data: pngFile(t, rgb).Data[:40]},
		"grey.npy": npyFile(t, &npy.Array{DType: npy.U8, Shape: []int{2, 3}, Data: []byte{1, 2, 3, 4, 5, 6}}),
		"rg.npy":   npyFile(t, &npy.Array{DType: npy.I16, Shape: []int{1, 2, 2}, Data: []byte{1, 0, 2, 0, 3, 0, 255, 255}}),
		"rgb.npy":  npyFile(t, &npy.Array{DType: npy.U8, Shape: []int{1, 1, 3}, Data: []byte{9, 8, 7}}),
		"word.npy": npyFile(t, &npy.Array{DType: npy.U16, Shape: []int{1, 2}, Data: []byte{1, 2, 3, 4}}),
		"flat.npy": npyFile(t, &npy.Array{DType: npy.U8, Shape: []int{6}, Data: []byte{1, 2, 3, 4, 5, 6}}),
		"none.npy": npyFile(t, &npy.Array{DType: npy.U8, Shape: []int{0, 3}}),
	}
}

func crc(b []byte) uint32 {
	c := ^uint32(0)
	for _, x := range b {
		c ^= uint32(x)
		for range 8 {
			c = c>>1 ^ -(c&1)&0xedb88320
		}
	}
	return ^c
}

func TestImages(t *testing.T) {
	opts := &Options{Open: OpenFS(pictures(t)), MaxBytes: 1 << 20}
	for _, c := range []struct {
		spec          string
		width, height int
		format        string
		typ           Type
		shape         []int
		data          []byte
	}{
		{"image:2x1:rgba:u8", 2, 1, "rgba:u8", U8, []int{1, 2, 4}, make([]byte, 8)},
		{"image:2x2:r:i16:iota:i16:4:-1", 2, 2, "r:i16", I16, []int{2, 2, 1}, []byte{255, 255, 0, 0, 1, 0, 2, 0}},
		{"image:1x1:rgb:unorm101010:buf:u32:0x01020304", 1, 1, "rgb:unorm101010", U32, []int{1, 1, 1}, []byte{4, 3, 2, 1}},
		{"image:rgb.png", 2, 1, "rgba:unorm8", U8, []int{1, 2, 4}, []byte{1, 2, 3, 4, 250, 251, 252, 255}},
		{"image:rgb.png:bgra:unorm8", 2, 1, "bgra:unorm8", U8, []int{1, 2, 4}, []byte{3, 2, 1, 4, 252, 251, 250, 255}},
		{"image:rgb.png:rgba:u16", 2, 1, "rgba:u16", U16, []int{1, 2, 4}, []byte{1, 0, 2, 0, 3, 0, 4, 0, 250, 0, 251, 0, 252, 0, 255, 0}},
		{"image:rgb.png:srgb:unorm8", 2, 1, "srgb:unorm8", U8, []int{1, 2, 3}, []byte{1, 2, 3, 250, 251, 252}},
		{"image:rgb.png:rgb:unorm565", 2, 1, "rgb:unorm565", U16, []int{1, 2, 1}, []byte{0, 0, 0xdf, 0xf7}},
		{"image:deep.PNG", 1, 1, "rgba:unorm16", U16, []int{1, 1, 4}, []byte{0x34, 0x12, 0x78, 0x56, 0xbc, 0x9a, 0xf0, 0xde}},
		{"image:a:b.png:luminance:unorm8", 1, 2, "luminance:unorm8", U8, []int{2, 1, 1}, []byte{7, 200}},
		{"image:grey.npy", 3, 2, "r:unorm8", U8, []int{2, 3, 1}, []byte{1, 2, 3, 4, 5, 6}},
		{"image:grey.npy:intensity:unorm8", 3, 2, "intensity:unorm8", U8, []int{2, 3, 1}, []byte{1, 2, 3, 4, 5, 6}},
		{"image:rg.npy", 2, 1, "rg:i16", I16, []int{1, 2, 2}, []byte{1, 0, 2, 0, 3, 0, 255, 255}},
		{"image:word.npy:rgb:unorm555", 2, 1, "rgb:unorm555", U16, []int{1, 2, 1}, []byte{1, 2, 3, 4}},
		{"image:rgb.npy:srgb:unorm8", 1, 1, "srgb:unorm8", U8, []int{1, 1, 3}, []byte{9, 8, 7}},
	} {
		a, err := Parse(c.spec, opts)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if a.Kind != Image || a.Image.Width != c.width || a.Image.Height != c.height || a.Image.Format.String() != c.format || a.Type != c.typ ||
			!reflect.DeepEqual(a.Shape, c.shape) || !bytes.Equal(a.Data, c.data) || a.Count*a.Type.Size() != len(a.Data) {
			t.Errorf("%s: %+v %+v", c.spec, a, a.Image)
		}
	}
	a, err := Parse("image:4x2@64+8:rg:f32", opts)
	if err != nil || a.Image.Pitch != 64 || a.Image.Origin != 8 {
		t.Errorf("a view: %+v, %v", a, err)
	}
	for spec, text := range map[string]string{
		"image:bomb.png": "65535×65535 pixels are too many", "image:cut.png": "EOF", "image:rgb.npy": "no image has 3 channels of u8",
		"image:flat.npy": "1 dimensions", "image:none.npy": "each extent is 1 to 65536", "image:rgb.png:rgba:unorm9": `no channel type "unorm9"`,
		"image:rgb.npy:rgba:unorm8": "3 channels of u8; rgba:unorm8 takes 4 of u8", "image:grey.npy:r:f32": "takes 1 of f32", "image:none.png": "not exist",
	} {
		_, err := Parse(spec, opts)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want one with %q", spec, err, text)
		}
	}
}

// TestSaveImage writes PNGs and reads them again.
func TestSaveImage(t *testing.T) {
	for _, c := range []struct {
		spec string
		want color.Color
	}{
		{"image:1x1:rgba:unorm8:buf:u8:1,2,3,4", color.NRGBA{1, 2, 3, 4}},
		{"image:1x1:argb:u8:buf:u8:1,2,3,4", color.NRGBA{2, 3, 4, 1}},
		{"image:1x1:rgba:snorm8:buf:i8:127,-128,0,127", color.NRGBA{255, 0, 0, 255}},
		{"image:1x1:srgba:unorm8:buf:u8:1,2,3,4", color.NRGBA{1, 2, 3, 4}},
		{"image:1x1:sbgra:unorm8:buf:u8:1,2,3,4", color.NRGBA{3, 2, 1, 4}},
		{"image:1x1:srgb:unorm8:buf:u8:1,2,3", color.NRGBA{1, 2, 3, 255}},
		{"image:1x1:rgb:unorm565:buf:u16:0xf800", color.NRGBA{255, 0, 0, 255}},
		{"image:1x1:rgba:f32:buf:f32:0.5,2,-1,nan", color.NRGBA64{32768, 65535, 0, 0}},
		{"image:1x1:rgba:i32:buf:i32:5,70000,-1,65535", color.NRGBA64{5, 65535, 0, 65535}},
		{"image:1x1:rg:u16:buf:u16:5,6", color.NRGBA64{5, 6, 0, 65535}},
		{"image:1x1:ra:u8:buf:u8:5,6", color.NRGBA{5, 0, 0, 6}},
		{"image:1x1:r:u8:buf:u8:5", color.NRGBA{5, 5, 5, 255}},
		{"image:1x1:a:unorm16:buf:u16:5", color.NRGBA64{5, 5, 5, 65535}},
	} {
		a, err := Parse(c.spec, nil)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		var b bytes.Buffer
		if err := SaveImage(&b, "x.PNG", a.Image, a.Data); err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		m, err := png.Decode(&b)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if got, want := pixel(m.At(0, 0)), pixel(c.want); got != want {
			t.Errorf("%s: %v, want %v", c.spec, got, want)
		}
	}
	info := &ImageInfo{Width: 2, Height: 1, Format: memory.Format{Order: memory.OrderRG, Type: memory.UnormInt8}}
	var b bytes.Buffer
	if err := SaveImage(&b, "x.npy", info, []byte{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	arr, err := npy.Decode(b.Bytes())
	if err != nil || arr.DType != npy.U8 || !reflect.DeepEqual(arr.Shape, []int{1, 2, 2}) {
		t.Errorf("array %+v, %v", arr, err)
	}
	if err := SaveImage(&b, "x.png", info, []byte{1, 2, 3}); err == nil {
		t.Error("an image of 3 bytes is saved")
	}
}

// TestParseSharedImage has images over buffers that have names.
func TestParseSharedImage(t *testing.T) {
	o := &Options{SharedBuffers: true}
	for spec, want := range map[string]Arg{
		"image:3x2:rgba:u8:buffer:b":        {Count: 24, Shared: "b", Image: &ImageInfo{}},
		"image:3x2@16+4:rgba:u8:buffer:b":   {Count: 24, Shared: "b", Image: &ImageInfo{Pitch: 16, Origin: 4}},
		"image3d:3x2x2:r:f32:buffer:buf":    {Count: 12, Shared: "buf", Image: &ImageInfo{}},
		"image:4x2/2:rgba:u8:buffer:b":      {Count: 40, Shared: "b", Image: &ImageInfo{}},
		"image1d_buffer:5:rg:i16:buffer:b2": {Count: 10, Shared: "b2", Image: &ImageInfo{}},
	} {
		a, err := Parse(spec, o)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if a.Kind != Image || a.Count != want.Count || a.Shared != want.Shared || a.Image.Pitch != want.Image.Pitch || a.Image.Origin != want.Image.Origin || a.Data != nil {
			t.Errorf("%s: %+v, %+v", spec, a, a.Image)
		}
	}
	for spec, column := range map[string]int{
		"image:3x2:rgba:u8:buffer:": 26, "image:3x2:rgba:u8:buffer:1": 26, "image:4x2:rgba:u8:buffer:b+4": 26, "image:4x2:rgba:u8:buffer:b+x": 28, "image:3x2@15:rgba:u8:buffer:b": 7,
		"image3d:65536x65536x65536:rgba:f32:buffer:b": 9,
	} {
		var e *Error
		if _, err := Parse(spec, o); !errors.As(err, &e) || e.Column != column {
			t.Errorf("%s: %v; want an error at column %d", spec, err, column)
		}
	}
	if _, err := Parse("image:3x2:rgba:u8:buffer:b", nil); err == nil {
		t.Error("there are no buffers to share, and one is taken")
	}
}
