// Stencil filters a PNG picture with the kernel beside it, each of its channels
// for itself:
//
//	go run ./examples/stencil -filter sharpen -in picture.png -out sharp.png
//
// Without -in it filters a picture that it draws.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed stencil.cl
var source string

// filters are the weights of the nine pixels, top left first.
var filters = map[string][9]float32{
	"blur":    {1. / 16, 2. / 16, 1. / 16, 2. / 16, 4. / 16, 2. / 16, 1. / 16, 2. / 16, 1. / 16},
	"sharpen": {0, -1, 0, -1, 5, -1, 0, -1, 0},
	"edges":   {-1, -1, -1, -1, 8, -1, -1, -1, -1},
	"emboss":  {-2, -1, 0, -1, 1, 1, 0, 1, 2},
}

func main() {
	log.SetFlags(0)
	in := flag.String("in", "", "filter the picture `FILE`")
	out := flag.String("out", "filtered.png", "write the result to `FILE`")
	name := flag.String("filter", "blur", "`NAME` of the filter: blur, sharpen, edges or emboss")
	times := flag.Int("times", 1, "filter `N` times")
	flag.Parse()
	if err := run(*in, *out, *name, *times); err != nil {
		log.Fatal(err)
	}
}

func run(in, out, name string, times int) error {
	weights, ok := filters[name]
	if !ok || times < 1 {
		return errors.New("wrong usage: see -help")
	}
	picture := image.Image(rings(200, 150))
	if in != "" {
		var err error
		if picture, err = read(in); err != nil {
			return err
		}
	}
	f, err := newFilter("", weights)
	if err != nil {
		return err
	}
	defer f.dev.Close()
	result, err := f.picture(picture, times)
	if err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(file, result), file.Close())
}

func read(name string) (image.Image, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return picture, nil
}

// rings draws circles around the middle.
func rings(w, h int) *image.Gray {
	p := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			dx, dy := x-w/2, y-h/2
			if (dx*dx+dy*dy)/512%2 == 0 {
				p.SetGray(x, y, color.Gray{Y: 255})
			}
		}
	}
	return p
}

// filter is the kernel on a device, with its weights.
type filter struct {
	dev     *emu.Device
	launch  emu.Launch
	weights *emu.Buffer
}

func newFilter(options string, weights [9]float32) (f *filter, err error) {
	f = &filter{}
	if f.dev, err = emu.NewDevice(emu.DeviceOptions{}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.dev.Close())
		}
	}()
	program, _, err := f.dev.BuildProgram(source, options)
	if err != nil {
		return nil, err
	}
	if f.launch.Kernel, err = program.Kernel("stencil"); err != nil {
		return nil, err
	}
	f.weights, err = emu.NewBufferOf(f.dev, weights[:])
	return f, err
}

// The kernel's work-groups, and how many of them share a band of columns.
const (
	width, height = 32, 8
	shared        = 4
)

// apply filters pixels of w columns and h rows. There can be a result besides an
// error: what a kernel left that did something wrong.
func (f *filter) apply(pixels []float32, w, h int) (result []float32, err error) {
	in, err := emu.NewBufferOf(f.dev, pixels)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Free()) }()
	out, err := emu.NewBufferOf(f.dev, make([]float32, len(pixels)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Free()) }()
	l := f.launch
	l.Args = []emu.Arg{in, out, emu.Value(uint32(w)), emu.Value(uint32(h)), f.weights}
	l.Range = emu.NDRange{Global: []uint64{uint64((w + width - 1) / width * width), height * shared}, Local: []uint64{width, height}}
	_, failure := l.Run(context.Background())
	result, err = emu.Read[float32](out)
	return result, errors.Join(failure, err)
}

// picture filters each channel of a picture.
func (f *filter) picture(p image.Image, times int) (image.Image, error) {
	b := p.Bounds()
	w, h := b.Dx(), b.Dy()
	if w == 0 || h == 0 {
		return nil, errors.New("the picture is empty")
	}
	result := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			result.Set(x, y, p.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	const channels = 4
	for channel := range channels - 1 { // how opaque a pixel is stays as it is
		pixels := make([]float32, w*h)
		for i := range pixels {
			pixels[i] = float32(result.Pix[channels*i+channel])
		}
		for range times {
			var err error
			if pixels, err = f.apply(pixels, w, h); err != nil {
				return nil, err
			}
		}
		for i, v := range pixels {
			result.Pix[channels*i+channel] = uint8(min(max(v, 0), 255) + 0.5)
		}
	}
	return result, nil
}
