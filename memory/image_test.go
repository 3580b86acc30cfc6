package memory

import (
	"errors"
	"math"
	"testing"
)

func TestImageTable(t *testing.T) {
	g := NewGlobal(1 << 20)
	base, err := g.Alloc("mem", 1000, false)
	if err != nil {
		t.Fatal(err)
	}
	good := Image{Name: "im", Base: base, Format: Format{OrderRGBA, UnormInt8}, Dim: Dim2D, Width: 10, Height: 5, Depth: 1, Layers: 1, Levels: 1, RowPitch: 64}
	if n, ok := good.Extent(); n != 4*64+40 || !ok {
		t.Fatalf("extent %d, %t", n, ok)
	}
	change := func(f func(*Image)) Image { im := good; f(&im); return im }
	for name, im := range map[string]Image{
		"format":      change(func(im *Image) { im.Format = Format{OrderRGB, Float} }),
		"width":       change(func(im *Image) { im.Width = 0 }),
		"height":      change(func(im *Image) { im.Height = 0 }),
		"depth":       change(func(im *Image) { im.Depth = 0 }),
		"layers":      change(func(im *Image) { im.Layers = 0 }),
		"array of 3D": change(func(im *Image) { im.Dim, im.Array = Dim3D, true }),
		"many levels": change(func(im *Image) { im.Levels, im.RowPitch = 5, 40 }),
		"gaps":        change(func(im *Image) { im.Levels = 2 }),
		"levels":      change(func(im *Image) { im.Levels = 0 }),
		"row pitch":   change(func(im *Image) { im.RowPitch = 39 }),
		"slice pitch": change(func(im *Image) { im.Depth, im.SlicePitch = 2, 256 }),
		"too high":    change(func(im *Image) { im.Height = 17 }),
		"overflow":    change(func(im *Image) { im.Height, im.RowPitch = math.MaxUint32, math.MaxUint64 }),
		"slices": change(func(im *Image) {
			im.Depth, im.Layers, im.SlicePitch = math.MaxUint32, math.MaxUint32, MaxSize
		}),
		"offset":   change(func(im *Image) { im.Base = base.Add(800) }),
		"negative": change(func(im *Image) { im.Base = base.Add(-1) }),
		"space":    change(func(im *Image) { im.Base = MakePointer(SpaceLocal, 1, 0) }),
		"nothing":  change(func(im *Image) { im.Base = MakePointer(SpaceGlobal, 77, 0) }),
	} {
		if _, err := g.AddImage(im); !errors.Is(err, ErrImage) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	a, err := g.AddImage(good)
	if err != nil {
		t.Fatal(err)
	}
	b, err := g.AddImage(change(func(im *Image) { im.ReadOnly = true }))
	if err != nil {
		t.Fatal(err)
	}
	if a == b || a.Space() != SpaceImage {
		t.Errorf("handles %s and %s", a, b)
	}
	if im, data, err := g.ImageBytes(a, AccessWrite); err != nil || im.Name != "im" || len(data) != 296 {
		t.Errorf("image %v of %d bytes: %v", im, len(data), err)
	}
	fault := func(p Pointer, access Access) FaultKind {
		_, _, err := g.ImageBytes(p, access)
		var f *Fault
		if !errors.As(err, &f) {
			t.Fatalf("%s: error %v", p, err)
		}
		if f.Error() == "" {
			t.Errorf("%s: no message", p)
		}
		return f.Kind
	}
	if k := fault(b, AccessWrite); k != FaultReadOnly {
		t.Errorf("a write of a read-only image: %d", k)
	}
	if k := fault(0, AccessRead); k != FaultNull {
		t.Errorf("null: %d", k)
	}
	for _, p := range []Pointer{base, MakePointer(SpaceImage, 3, 0), MakePointer(SpaceImage, 0, 0), MakePointer(SpaceImage, MaxAllocs, 0)} {
		if k := fault(p, AccessRead); k != FaultPointer {
			t.Errorf("%s: %d", p, k)
		}
	}
	if err := g.FreeImage(a); err != nil {
		t.Error(err)
	}
	if err := g.FreeImage(a); !errors.Is(err, ErrNoAlloc) {
		t.Errorf("freed twice: %v", err)
	}
	if k := fault(a, AccessRead); k != FaultPointer {
		t.Errorf("a freed image: %d", k)
	}
	if again, err := g.AddImage(good); err != nil || again != a {
		t.Errorf("the next image is %s, not %s: %v", again, a, err)
	}
	if err := g.Free(base); err != nil {
		t.Fatal(err)
	}
	if k := fault(b, AccessRead); k != FaultFreed {
		t.Errorf("an image in freed memory: %d", k)
	}
}

// TestBlockBytes looks at the edges of images for block accesses.
func TestBlockBytes(t *testing.T) {
	im := Image{Format: Format{OrderRGBA, UnormInt8}, Width: 3, Height: 2, RowPitch: 16}
	for _, c := range []struct {
		x, y   int64
		off    uint64
		inside bool
	}{
		{0, 0, 0, true}, {11, 1, 27, true}, {5, 1, 21, true},
		{12, 0, 8, false}, {13, 0, 9, false}, {1<<33 + 3, 1, 27, false}, {-1, 0, 3, false}, {-4, 0, 0, false}, {-6, 0, 2, false},
		{2, -1, 2, false}, {2, 2, 18, false}, {2, 1 << 40, 18, false}, {-1 << 40, -1 << 40, 0, false},
	} {
		if off, ok := im.BlockByte(c.x, c.y); off != c.off || !ok {
			t.Errorf("(%d,%d): byte %d, %t; want %d", c.x, c.y, off, ok, c.off)
		}
		if inside, passes := im.BlockInside(c.x, c.y); inside != c.inside || passes != c.inside {
			t.Errorf("(%d,%d): inside %t, passes %t; want %t", c.x, c.y, inside, passes, c.inside)
		}
	}
	for _, c := range []struct {
		x, y, n int64
		off     uint64
		ok      bool
	}{
		{0, 0, 12, 0, true}, {4, 1, 8, 20, true}, {11, 1, 1, 27, true}, {12, 0, 0, 12, true}, {4, 1, 9, 0, false}, {0, 0, 13, 0, false},
		{-1, 0, 4, 0, false}, {0, -1, 4, 0, false}, {0, 2, 4, 0, false}, {1 << 62, 0, 1 << 62, 0, false},
	} {
		if off, ok := im.BlockRow(c.x, c.y, c.n); off != c.off || ok != c.ok {
			t.Errorf("%d bytes at (%d,%d): %d, %t; want %d, %t", c.n, c.x, c.y, off, ok, c.off, c.ok)
		}
	}
	// Elements of one byte are checked against four times the row.
	im.Format = Format{OrderR, UnormInt8}
	for _, c := range []struct {
		x              int64
		ok, in, passes bool
	}{{2, true, true, true}, {3, false, false, true}, {11, false, false, true}, {12, false, false, false}, {-1, false, false, false}, {-4, true, false, false}} {
		_, ok := im.BlockByte(c.x, 0)
		in, passes := im.BlockInside(c.x, 0)
		if ok != c.ok || in != c.in || passes != c.passes {
			t.Errorf("byte %d of a row of 3: read %t, inside %t, passes %t; want %+v", c.x, ok, in, passes, c)
		}
	}
}
