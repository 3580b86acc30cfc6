package emu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

var imageModules = []string{"images/O0", "images/O2"}

func newImage(t *testing.T, d *emu.Device, w, h int, f emu.Format, data []byte) *emu.Image {
	t.Helper()
	im, err := d.NewImage(emu.ImageDesc{Width: w, Height: h}, f, emu.ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if data != nil {
		if err := im.WriteRect(emu.Rect{Width: w, Height: h}, data, 0); err != nil {
			t.Fatal(err)
		}
	}
	return im
}

func imageBytes(t *testing.T, im *emu.Image) []byte {
	t.Helper()
	b, err := im.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func rgba8(t emu.ChannelType) emu.Format { return emu.Format{Order: emu.OrderRGBA, Type: t} }

// counted returns n bytes 0, 1, 2 …
func countedBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// TestImageFormats reads every format in a kernel and writes it into another
// image of it: the bytes of what does not round are the same.
func TestImageFormats(t *testing.T) {
	for _, module := range imageModules {
		d := device(t, emu.DeviceOptions{})
		p := program(t, d, module)
		for _, f := range emu.ImageFormats() {
			if f.Order == emu.OrderDepth {
				continue // for parameters of another type
			}
			const w, h = 37, 5
			name := map[memory.Class]string{memory.ClassFloat: "copyf", memory.ClassSigned: "copyi", memory.ClassUnsigned: "copyui"}[f.Class()]
			data := countedBytes(w * h * f.Bytes())
			in, out := newImage(t, d, w, h, f, data), newImage(t, d, w, h, f, nil)
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, name), Check: true, Range: emu.Range(w, h), Args: []emu.Arg{in, out}})
			want := make([]byte, len(data))
			for i := 0; i < len(data); i += f.Bytes() {
				f.Encode(want[i:], f.Decode(data[i:]))
			}
			if !bytes.Equal(imageBytes(t, out), want) {
				t.Errorf("%s: %s changes the image", module, f)
			}
			if err := errors.Join(in.Free(), out.Free()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestImageBorder reads around an image with an alpha and one without.
func TestImageBorder(t *testing.T) {
	for _, module := range imageModules {
		d := device(t, emu.DeviceOptions{})
		p := program(t, d, module)
		for f, alpha := range map[emu.Format]float32{rgba8(emu.UnormInt8): 0, {Order: emu.OrderR, Type: emu.Float}: 1} {
			im := newImage(t, d, 2, 2, f, bytes.Repeat([]byte{255, 255, 127, 255}, 4))
			out := buffer(t, d, make([]float32, 4*16)...)
			l := &emu.Launch{Kernel: kernel(t, p, "getf"), Range: emu.Range(4, 4), Args: []emu.Arg{im, out, emu.Vector[int32](-1, -1)}}
			mustRun(t, l)
			got := contents[float32](t, out)
			for i := range 16 {
				x, y := i%4-1, i/4-1
				if x >= 0 && x < 2 && y >= 0 && y < 2 {
					if got[4*i] == 0 {
						t.Errorf("%s: (%d,%d) is %v", f, x, y, got[4*i:4*i+4])
					}
				} else if !slices.Equal(got[4*i:4*i+4], []float32{0, 0, 0, alpha}) {
					t.Errorf("%s: the border is %v", f, got[4*i:4*i+4])
				}
			}
			l.Check = true
			wantImageFinding(t, l, finding.ImageBounds, "a read at (-1,-1) of an image of 2x2 "+f.String())
		}
		// The far ends of coordinates, and integers.
		im := newImage(t, d, 1, 1, emu.Format{Order: emu.OrderRG, Type: emu.UnsignedInt16}, []byte{1, 2, 3, 4})
		out := buffer(t, d, make([]uint32, 4)...)
		for _, at := range [][2]int32{{math.MaxInt32, 0}, {math.MinInt32, 0}, {0, math.MinInt32}, {0, 1}, {0, 0}} {
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "getui"), Range: emu.Range(1), Args: []emu.Arg{im, out, emu.Vector(at[0], at[1])}})
			want := []uint32{0, 0, 0, 1}
			if at == [2]int32{} {
				want = []uint32{0x201, 0x403, 0, 1}
			}
			if got := contents[uint32](t, out); !slices.Equal(got, want) {
				t.Errorf("at %v: %v, want %v", at, got, want)
			}
		}
	}
}

func wantImageFinding(t *testing.T, l *emu.Launch, code finding.Code, detail string) {
	t.Helper()
	res, err := l.Run(context.Background())
	var fe *emu.FindingsError
	if !errors.As(err, &fe) {
		t.Fatalf("error %v, want %s", err, code)
	}
	f := res.Findings.Findings[0]
	if f.Code != code || !strings.Contains(f.Detail, detail) {
		t.Errorf("finding %s %q, want %s %q", f.Code, f.Detail, code, detail)
	}
}

func TestImageUniform(t *testing.T) {
	for _, module := range imageModules {
		d := device(t, emu.DeviceOptions{})
		im := newImage(t, d, 2, 1, rgba8(emu.UnormInt8), []byte{0, 255, 0, 0, 0, 51, 0, 0})
		out := buffer(t, d, make([]float32, 70)...)
		mustRun(t, &emu.Launch{Kernel: kernel(t, program(t, d, module), "uniform"), Range: emu.Range(70), Args: []emu.Arg{im, out, emu.Vector[int32](1, 0)}})
		for i, v := range contents[float32](t, out) {
			if v != 0.2 {
				t.Fatalf("work-item %d: %v", i, v)
			}
		}
	}
}

// TestImageUndefined reads an element that the host has written, and one that it has not.
func TestImageUndefined(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	im := newImage(t, d, 2, 2, rgba8(emu.UnormInt8), nil)
	if err := im.WriteRect(emu.Rect{X: 1, Y: 1, Width: 1, Height: 1}, []byte{1, 2, 3, 4}, 0); err != nil {
		t.Fatal(err)
	}
	k := kernel(t, program(t, d, imageModules[0]), "uniform")
	for _, at := range [][2]int32{{0, 1}, {1, 0}, {1, 1}} {
		l := &emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{im, buffer(t, d, float32(0)), emu.Vector(at[0], at[1])}, Check: true}
		if at == [2]int32{1, 1} {
			mustRun(t, l)
		} else {
			wantImageFinding(t, l, finding.Uninitialized, "which the host never wrote")
		}
	}
}

func TestImageReadWrite(t *testing.T) {
	for _, module := range imageModules {
		d := device(t, emu.DeviceOptions{})
		im := newImage(t, d, 3, 2, emu.Format{Order: emu.OrderR, Type: emu.Float}, make([]byte, 24))
		mustRun(t, &emu.Launch{Kernel: kernel(t, program(t, d, module), "twice"), Range: emu.Range(3, 2), Args: []emu.Arg{im}, Check: true})
		if got := imageBytes(t, im); !bytes.Equal(got, bytes.Repeat([]byte{0, 0, 0x80, 0x3e}, 6)) { // 0.25
			t.Errorf("%s: % x", module, got)
		}
	}
}

func TestImageQueries(t *testing.T) {
	for _, module := range imageModules {
		d := device(t, emu.DeviceOptions{})
		a := newImage(t, d, 11, 7, emu.Format{Order: emu.OrderRA, Type: emu.HalfFloat}, nil)
		b := newImage(t, d, 3, 5, emu.Format{Order: emu.OrderBGRA, Type: emu.SignedInt8}, nil)
		out := buffer(t, d, make([]int32, 8)...)
		mustRun(t, &emu.Launch{Kernel: kernel(t, program(t, d, module), "query"), Range: emu.Range(1), Args: []emu.Arg{a, b, out}})
		// CL_RA and CL_HALF_FLOAT of cl.h.
		if got := contents[int32](t, out); !slices.Equal(got, []int32{11, 7, 0x10b3, 0x10dd, 3, 5, 1, 1}) {
			t.Errorf("%s: %v", module, got)
		}
	}
}

// TestImageKinds reads numbers of another kind than the image's.
func TestImageKinds(t *testing.T) {
	for _, module := range imageModules {
		d := device(t, emu.DeviceOptions{})
		p := program(t, d, module)
		for _, c := range []struct {
			kernel string
			typ    emu.ChannelType
			detail string // "" for what fits
			same   bool   // the values go through all the same
		}{
			{"copyf", emu.UnsignedInt8, "a read of floats, but the image is one of unsigned integers (rgba:u8)", false},
			{"copyi", emu.UnormInt8, "a read of signed integers, but the image is one of floats (rgba:unorm8)", false},
			{"copyi", emu.UnsignedInt8, "a read of signed integers, but the image is one of unsigned integers", true},
			{"copyui", emu.SignedInt8, "a read of unsigned integers, but the image is one of signed integers", true},
			{"copyui", emu.UnsignedInt8, "", true},
		} {
			in := newImage(t, d, 1, 1, rgba8(c.typ), []byte{1, 200, 3, 4})
			out := newImage(t, d, 1, 1, rgba8(c.typ), []byte{9, 9, 9, 9})
			l := &emu.Launch{Kernel: kernel(t, p, c.kernel), Range: emu.Range(1, 1), Args: []emu.Arg{in, out}}
			mustRun(t, l)
			want := []byte{9, 9, 9, 9}
			if c.same {
				want = []byte{1, 200, 3, 4}
			}
			if got := imageBytes(t, out); !bytes.Equal(got, want) {
				t.Errorf("%s of %s: %v, want %v", c.kernel, c.typ, got, want)
			}
			l.Check = true
			if c.detail == "" {
				mustRun(t, l)
			} else {
				wantImageFinding(t, l, finding.ImageFormat, c.detail)
			}
		}
	}
}

// blockByte is what an image block read gives for byte x of row y of an image of
// four-byte elements: outside of it the same place of the edge's element.
func blockByte(data []byte, w, h, x, y int) byte {
	y = min(max(y, 0), h-1)
	e := min(max(x>>2, 0), w-1)
	return data[y*4*w+4*e+x&3]
}

func blockDevices(t *testing.T, f func(*testing.T, *emu.Device, int)) {
	for _, s := range []int{1, 4, 8, 16, 32, 64, 128} {
		for _, waves := range []int{s, 4 * s} {
			t.Run(fmt.Sprintf("%d,%d", s, waves), func(t *testing.T) {
				f(t, device(t, emu.DeviceOptions{SubgroupSize: s, WaveLanes: waves}), s)
			})
		}
	}
}

// TestImageBlocks compares block accesses with their definition, over the edges
// of images, at all sub-group sizes.
func TestImageBlocks(t *testing.T) {
	blockDevices(t, func(t *testing.T, d *emu.Device, s int) {
		p := program(t, d, "images/O2")
		const w, h = 13, 6
		data := countedBytes(4 * w * h)
		im := newImage(t, d, w, h, rgba8(emu.UnormInt8), data)
		n := 2 * s
		for _, at := range [][2]int{{0, 0}, {4, 1}, {3, 2}, {-8, -1}, {-5, 3}, {40, 5}, {4 * w, 4}, {1000, 100}, {-1000, -100}} {
			arg := emu.Vector(int32(at[0]), int32(at[1]))
			out := buffer(t, d, make([]uint32, 2*n)...)
			l := &emu.Launch{Kernel: kernel(t, p, "blockread"), Range: sized(uint64(n), uint64(n)), Args: []emu.Arg{im, out, arg}, Check: true}
			mustRun(t, l)
			for i, v := range contents[uint32](t, out) {
				var want uint32
				for b := range 4 {
					want |= uint32(blockByte(data, w, h, at[0]+4*(i/2%s)+b, at[1]+i%2)) << (8 * b)
				}
				if v != want {
					t.Fatalf("at %v, work-item %d, component %d: %#x, want %#x", at, i/2, i%2, v, want)
				}
			}
			short := buffer(t, d, make([]uint16, n)...)
			l.Kernel, l.Args = kernel(t, p, "blockread_us"), []emu.Arg{im, short, arg}
			mustRun(t, l)
			for i, v := range contents[uint16](t, short) {
				x := at[0] + 2*(i%s)
				if want := uint16(blockByte(data, w, h, x, at[1])) | uint16(blockByte(data, w, h, x+1, at[1]))<<8; v != want {
					t.Fatalf("at %v, work-item %d: %#x, want %#x", at, i, v, want)
				}
			}
			media := buffer(t, d, make([]uint32, n)...)
			l.Kernel, l.Args = kernel(t, p, "mediaread"), []emu.Arg{im, media, arg}
			mustRun(t, l)
			for i, v := range contents[uint32](t, media) {
				var want uint32
				if e := i % s; e < 15 { // a block of 5 by 3
					for b := range 4 {
						want |= uint32(blockByte(data, w, h, at[0]+4*(e%5)+b, at[1]+e/5)) << (8 * b)
					}
				}
				if v != want {
					t.Fatalf("media block at %v, work-item %d: %#x, want %#x", at, i, v, want)
				}
			}
			if at[0]%4 != 0 {
				continue
			}
			in := make([]uint32, 4*s)
			want := bytes.Clone(data)
			for i := range in {
				in[i] = uint32(i)*0x01010101 ^ 0xdeadbeef
				for b := range 4 {
					if x, y := at[0]+4*(i/4)+b, at[1]+i%4; x >= 0 && x < 4*w && y >= 0 && y < h {
						want[y*4*w+x] = byte(in[i] >> (8 * b))
					}
				}
			}
			target := newImage(t, d, w, h, rgba8(emu.UnormInt8), data)
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "blockwrite"), Range: sized(uint64(s), uint64(s)), Args: []emu.Arg{target, buffer(t, d, in...), arg}, Check: true})
			if !bytes.Equal(imageBytes(t, target), want) {
				t.Fatalf("a write at %v", at)
			}
		}
		if s > 64 {
			return // mediawrite counts to 100
		}
		target := newImage(t, d, 4, 4, rgba8(emu.UnormInt8), nil)
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, "mediawrite"), Range: sized(uint64(s), uint64(s)), Args: []emu.Arg{target, emu.Vector[int32](4, 1)}, Check: true})
		want := make([]byte, 64)
		for e := range 2 * s {
			if x, y := 4+e%8, 1+e/8; y < 4 && e < 32 {
				want[y*16+x] = byte(e%s + e/s*100)
			}
		}
		if got := imageBytes(t, target); !bytes.Equal(got, want) {
			t.Errorf("media block\n% x, want\n% x", got, want)
		}
	})
}

// TestImageBlockSmall looks at elements of one byte, whose rows are checked
// against four times their length: nothing outside is read or written.
func TestImageBlockSmall(t *testing.T) {
	d := device(t, emu.DeviceOptions{SubgroupSize: 8})
	p := program(t, d, "images/O2")
	mem := buffer(t, d, slices.Repeat([]byte{0x55}, 256)...)
	im, err := d.NewImage(emu.ImageDesc{Width: 10, Height: 2, RowPitch: 64, Buffer: mem, Offset: 64}, emu.Format{Order: emu.OrderR, Type: emu.UnsignedInt8}, emu.ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := buffer(t, d, make([]uint32, 16)...)
	l := &emu.Launch{Kernel: kernel(t, p, "blockread"), Range: sized(8, 8), Args: []emu.Arg{im, out, emu.Vector[int32](0, 0)}}
	mustRun(t, l)
	for i, v := range contents[uint32](t, out) {
		want := []uint32{0x55555555, 0x55555555, 0x5555, 0, 0, 0, 0, 0}[i/2]
		if v != want {
			t.Errorf("lane %d: %#x, want %#x", i/2, v, want)
		}
	}
	l.Check = true
	wantImageFinding(t, l, finding.ImageBounds, "a block read at byte 8 of row 0 of the image, whose rows have 10 bytes and are checked against 40")
	l = &emu.Launch{Kernel: kernel(t, p, "blockwrite"), Range: sized(8, 8), Args: []emu.Arg{im, buffer(t, d, slices.Repeat([]uint32{1<<32 - 1}, 32)...), emu.Vector[int32](0, 0)}}
	mustRun(t, l)
	for i, v := range contents[byte](t, mem) {
		want := byte(0x55)
		if x := i % 64; i >= 64 && i < 192 && x < 10 {
			want = 255
		}
		if v != want {
			t.Fatalf("byte %d of the buffer: %#x, want %#x", i, v, want)
		}
	}
	l.Check = true
	wantImageFinding(t, l, finding.ImageBounds, "a block write at byte 8 of row 0")
}

// TestImageBlockFindings provokes what SPV_INTEL_subgroups leaves undefined.
func TestImageBlockFindings(t *testing.T) {
	d := device(t, emu.DeviceOptions{SubgroupSize: 8})
	p := program(t, d, "images/O2")
	mem := buffer(t, d, make([]byte, 4096)...)
	view := func(pitch int, offset uint64) *emu.Image {
		im, err := d.NewImage(emu.ImageDesc{Width: 8, Height: 4, RowPitch: pitch, Buffer: mem, Offset: offset}, rgba8(emu.UnormInt8), emu.ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	plain := newImage(t, d, 8, 4, rgba8(emu.UnormInt8), nil)
	big := newImage(t, d, 8, 4, rgba8(emu.Float), nil)
	for _, c := range []struct {
		kernel string
		im     *emu.Image
		x      int32
		local  uint64
		code   finding.Code
		detail string
	}{
		{"blockread", plain, 0, 8, "", ""},
		{"blockread", view(64, 32), 0, 8, "", ""},
		{"blockread", plain, 0, 12, finding.BlockPartial, "4 work-items of 8"},
		{"blockdiverged", plain, 0, 8, finding.BlockDiverged, "4 of the 8 work-items of the sub-group, lane 0 first, do not run it"},
		{"blockapart", plain, 0, 8, finding.GroupUniform, "the coordinate is (1,0), but (0,0) in the first lane"},
		{"blockread", big, 0, 8, finding.BlockElement, "the image has elements of 16 bytes (rgba:f32)"},
		{"blockread", view(32, 0), 0, 8, finding.BlockPitch, "the row pitch of the image is 32 bytes, which is no multiple of 64"},
		{"blockread", view(64, 16), 0, 8, finding.BlockPitch, "the image begins at byte 16 of its buffer, which is no multiple of 32"},
		{"blockwrite", plain, 2, 8, finding.BlockX, "a write from byte 2 of a row on"},
		{"blockread", plain, 2, 8, "", ""},
	} {
		l := &emu.Launch{Kernel: kernel(t, p, c.kernel), Range: sized(c.local, c.local), Args: []emu.Arg{c.im, buffer(t, d, make([]uint32, 64)...), emu.Vector(c.x, int32(0))}}
		mustRun(t, l)
		l.Check = true
		if c.code == "" {
			mustRun(t, l)
		} else {
			wantImageFinding(t, l, c.code, c.detail)
		}
	}
}

// TestImageMisuse makes images and arguments that cannot be.
func TestImageMisuse(t *testing.T) {
	d := device(t, emu.DeviceOptions{MaxMemory: 1 << 20})
	other := device(t, emu.DeviceOptions{})
	mem := buffer(t, d, make([]byte, 1024)...)
	f := rgba8(emu.UnormInt8)
	used := func() bool {
		_, err := d.NewBuffer(1<<20-1024, emu.BufferOptions{})
		return err != nil
	}
	for name, c := range map[string]struct {
		desc emu.ImageDesc
		f    emu.Format
		want error
	}{
		"no width":        {emu.ImageDesc{Height: 1}, f, memory.ErrImage},
		"negative height": {emu.ImageDesc{Width: 1, Height: -1}, f, memory.ErrImage},
		"too wide":        {emu.ImageDesc{Width: emu.MaxImageSize + 1, Height: 1}, f, memory.ErrImage},
		"format":          {emu.ImageDesc{Width: 1, Height: 1}, emu.Format{Order: emu.OrderRGB, Type: emu.Float}, memory.ErrImage},
		"wild format":     {emu.ImageDesc{Width: 1, Height: 1}, emu.Format{Order: 200, Type: 200}, memory.ErrImage},
		"pitch":           {emu.ImageDesc{Width: 4, Height: 1, RowPitch: 12}, f, memory.ErrImage},
		"negative pitch":  {emu.ImageDesc{Width: 4, Height: 1, RowPitch: -16}, f, memory.ErrImage},
		"odd pitch":       {emu.ImageDesc{Width: 4, Height: 1, RowPitch: 18}, f, memory.ErrImage},
		"huge pitch":      {emu.ImageDesc{Width: 4, Height: 1, RowPitch: math.MaxInt &^ 3}, f, memory.ErrImage},
		"offset alone":    {emu.ImageDesc{Width: 4, Height: 1, Offset: 4}, f, memory.ErrImage},
		"odd offset":      {emu.ImageDesc{Width: 4, Height: 1, Buffer: mem, Offset: 2}, f, memory.ErrImage},
		"small buffer":    {emu.ImageDesc{Width: 16, Height: 17, Buffer: mem}, f, io.ErrUnexpectedEOF},
		"far offset":      {emu.ImageDesc{Width: 4, Height: 1, Buffer: mem, Offset: math.MaxUint64 - 3}, f, io.ErrUnexpectedEOF},
		"foreign buffer":  {emu.ImageDesc{Width: 4, Height: 1, Buffer: buffer(t, other, make([]byte, 64)...)}, f, emu.ErrForeign},
	} {
		if _, err := d.NewImage(c.desc, c.f, emu.ImageOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	var le *emu.LimitError
	if _, err := d.NewImage(emu.ImageDesc{Width: 512, Height: 513}, f, emu.ImageOptions{}); !errors.As(err, &le) {
		t.Errorf("an image larger than the device: %v", err)
	}
	im := newImage(t, d, 256, 255, f, nil)
	if !used() {
		t.Error("the image is not counted against the device's memory")
	}
	var none *emu.Image
	for name, err := range map[string]error{
		"rectangle":     im.ReadRect(emu.Rect{X: 1, Width: 256, Height: 1}, make([]byte, 4096), 0),
		"negative":      im.WriteRect(emu.Rect{X: -1, Width: 1, Height: 1}, make([]byte, 4096), 0),
		"overflow":      im.WriteRect(emu.Rect{X: 1, Width: math.MaxInt, Height: 1}, make([]byte, 4096), 0),
		"short":         im.ReadRect(emu.Rect{Width: 2, Height: 2}, make([]byte, 15), 0),
		"short, spaced": im.ReadRect(emu.Rect{Width: 2, Height: 2}, make([]byte, 107), 100),
	} {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := im.ReadRect(emu.Rect{Width: 2, Height: 2}, make([]byte, 108), 100); err != nil {
		t.Error(err)
	}
	if err := im.ReadRect(emu.Rect{Width: 2, Height: 2}, make([]byte, 108), 7); !errors.Is(err, memory.ErrImage) {
		t.Errorf("a narrow pitch: %v", err)
	}
	if err := none.ReadRect(emu.Rect{}, nil, 0); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("nil: %v", err)
	}
	p := program(t, d, "images/O2")
	run := func(args ...emu.Arg) error {
		_, err := kernel(t, p, "copyf").Run(context.Background(), emu.Range(1, 1), args...)
		return err
	}
	small := newImage(t, d, 1, 1, f, nil)
	locked := func(o emu.ImageOptions) *emu.Image {
		im, err := d.NewImage(emu.ImageDesc{Width: 1, Height: 1}, f, o)
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	mapped, err := d.NewImage(emu.ImageDesc{Width: 4, Height: 1, Buffer: mem}, f, emu.ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := mem.Free(); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("a buffer with an image is freed: %v", err)
	}
	if _, err := mem.Map(); err != nil {
		t.Fatal(err)
	}
	freed := newImage(t, d, 1, 1, f, nil)
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	if err := freed.Free(); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("freed twice: %v", err)
	}
	for name, c := range map[string]struct {
		a, b emu.Arg
		text string
	}{
		"null":       {emu.Null(), small, "a null pointer given, the parameter takes an *Image"},
		"buffer":     {small, mem, "a buffer given"},
		"nil":        {none, small, "the image is nil"},
		"foreign":    {newImage(t, other, 1, 1, f, nil), small, "belongs to another device"},
		"read-only":  {small, locked(emu.ImageOptions{ReadOnly: true}), "the image is read-only"},
		"write-only": {locked(emu.ImageOptions{WriteOnly: true}), small, "the image is write-only"},
		"freed":      {freed, small, "already closed"},
		"mapped":     {mapped, small, "is mapped by the host"},
	} {
		var ae *emu.ArgError
		if err := run(c.a, c.b); !errors.As(err, &ae) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := run(locked(emu.ImageOptions{ReadOnly: true}), locked(emu.ImageOptions{WriteOnly: true})); err != nil {
		t.Error(err)
	}
	if err := errors.Join(mem.Unmap(), mapped.Free(), mem.Free()); err != nil {
		t.Error(err)
	}
}
