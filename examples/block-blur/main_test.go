package main

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// noise is a picture whose bytes have no pattern.
func noise(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range p.Pix {
		p.Pix[i] = uint8(uint32(i+1) * 2654435761 >> 11)
	}
	return p
}

// blurred computes the blur the plain way; the edge continues outside.
func blurred(p *image.NRGBA) *image.NRGBA {
	weights := [5]int{1, 4, 6, 4, 1}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	out := image.NewNRGBA(p.Rect)
	for i := range out.Pix {
		sum := 128
		for j := range 25 {
			x := min(max(i/4%w+j%5-2, 0), w-1)
			y := min(max(i/4/w+j/5-2, 0), h-1)
			sum += weights[j%5] * weights[j/5] * int(p.Pix[p.PixOffset(x, y)+i%4])
		}
		out.Pix[i] = uint8(sum / 256)
	}
	return out
}

// TestBlur blurs pictures of all sorts of sizes with both kernels, by sub-groups of every
// size, and with all checks.
func TestBlur(t *testing.T) {
	for _, pixels := range []bool{false, true} {
		for _, subgroup := range []int{1, 4, 8, 16, 32, 64, 128} {
			b, err := newBlur(subgroup, pixels)
			if err != nil {
				t.Fatal(err)
			}
			b.launch.Check = true
			for _, size := range [][2]int{{1, 1}, {2, 7}, {128, 8}, {129, 9}, {127, 3}, {5, 100}, {300, 2}, {61, 33}} {
				t.Run(fmt.Sprintf("pixels %t, subgroup %d, %v", pixels, subgroup, size), func(t *testing.T) {
					p := noise(size[0], size[1])
					want := blurred(blurred(blurred(p)))
					if _, err := b.apply(p, 3); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(p.Pix, want.Pix) {
						t.Errorf("the picture is %v …, want %v …", p.Pix[:4], want.Pix[:4])
					}
				})
			}
			if err := b.dev.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFiles writes, reads and blurs pictures.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.png"), filepath.Join(dir, "second.png")
	blocks, err := run("", first, 1, 16, false)
	if err != nil {
		t.Fatal(err)
	}
	pixels, err := run(first, second, 1, 16, true)
	if err != nil {
		t.Fatal(err)
	}
	if blocks == 0 || blocks >= pixels {
		t.Errorf("blocks take %d operations for a pixel, single pixels %d", blocks, pixels)
	}
	want := blurred(blurred(rings(200, 150)))
	file, err := os.Open(second)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 150 {
		for x := range 200 {
			r, g, b, a := p.At(x, y).RGBA()
			wr, wg, wb, wa := want.At(x, y).RGBA()
			if r != wr || g != wg || b != wb || a != wa {
				t.Fatalf("pixel (%d,%d) is %v, want %v", x, y, p.At(x, y), want.At(x, y))
			}
		}
	}
	for _, bad := range []func() error{
		func() error { _, err := run("", first, 0, 16, false); return err },
		func() error { _, err := run("", first, 1, 3, false); return err },
		func() error { _, err := run(filepath.Join(dir, "none.png"), first, 1, 16, false); return err },
	} {
		if bad() == nil {
			t.Error("no error for wrong usage")
		}
	}
}

// BenchmarkBlur compares block reads and writes with those of single pixels.
func BenchmarkBlur(b *testing.B) {
	for _, pixels := range []bool{false, true} {
		name := map[bool]string{false: "blocks", true: "pixels"}[pixels]
		b.Run(name, func(b *testing.B) {
			f, err := newBlur(32, pixels)
			if err != nil {
				b.Fatal(err)
			}
			defer f.dev.Close()
			p := noise(512, 256)
			b.SetBytes(int64(len(p.Pix)))
			for b.Loop() {
				if _, err := f.apply(p, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
