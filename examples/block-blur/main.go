// Block-blur blurs a PNG picture with the kernels beside it:
//
//	go run ./examples/block-blur -in picture.png -out blurred.png
//
// Without -in it blurs a picture that it draws.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log"
	"os"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed blur.cl
var source string

func main() {
	log.SetFlags(0)
	in := flag.String("in", "", "blur the picture `FILE`")
	out := flag.String("out", "blurred.png", "write the result to `FILE`")
	times := flag.Int("times", 1, "blur `N` times")
	pixels := flag.Bool("pixels", false, "read single pixels, not blocks")
	subgroup := flag.Int("subgroup", 32, "sub-groups of `N` lanes, which changes the time and not the result")
	flag.Parse()
	ops, err := run(*in, *out, *times, *subgroup, *pixels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d operations of a lane for each pixel\n", ops)
}

// run blurs a picture file and returns how many operations of a lane each pixel took.
func run(in, out string, times, subgroup int, pixels bool) (ops uint64, err error) {
	if times < 1 {
		return 0, errors.New("wrong usage: see -help")
	}
	picture := rings(200, 150)
	if in != "" {
		if picture, err = read(in); err != nil {
			return 0, err
		}
	}
	b, err := newBlur(subgroup, pixels)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, b.dev.Close()) }()
	if ops, err = b.apply(picture, times); err != nil {
		return 0, err
	}
	file, err := os.Create(out)
	if err != nil {
		return 0, err
	}
	size := picture.Rect.Size()
	return ops / uint64(size.X*size.Y), errors.Join(png.Encode(file, picture), file.Close())
}

func read(name string) (*image.NRGBA, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	result := image.NewNRGBA(image.Rectangle{Max: picture.Bounds().Size()})
	draw.Draw(result, result.Rect, picture, picture.Bounds().Min, draw.Src)
	return result, nil
}

// rings draws circles around the middle.
func rings(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			dx, dy := x-w/2, y-h/2
			c := color.NRGBA{R: uint8(x), G: uint8(y), A: 255}
			if (dx*dx+dy*dy)/512%2 == 0 {
				c.B = 255
			}
			p.SetNRGBA(x, y, c)
		}
	}
	return p
}

// blur is a kernel on a device.
type blur struct {
	dev    *emu.Device
	launch emu.Launch
	rows   int // that a work-item blurs
}

func newBlur(subgroup int, pixels bool) (b *blur, err error) {
	b = &blur{}
	if b.dev, err = emu.NewDevice(emu.DeviceOptions{SubgroupSize: subgroup}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.dev.Close())
		}
	}()
	program, _, err := b.dev.BuildProgram(source, "")
	if err != nil {
		return nil, err
	}
	name := "blocks"
	b.rows = 4
	if pixels {
		name, b.rows = "pixels", 1
	}
	b.launch.Kernel, err = program.Kernel(name)
	return b, err
}

// group is the width of a work-group: whole sub-groups of every size.
const group = 128

// apply blurs a picture in place and returns how many operations of a lane it took.
func (b *blur) apply(p *image.NRGBA, times int) (ops uint64, err error) {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	var images [2]*emu.Image
	for i := range images {
		format := emu.Format{Order: emu.OrderRGBA, Type: emu.UnsignedInt8}
		if images[i], err = b.dev.NewImage(emu.ImageDesc{Width: w, Height: h}, format, emu.ImageOptions{}); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, images[i].Free()) }()
	}
	whole := emu.Rect{Width: w, Height: h}
	if err := images[0].WriteRect(whole, p.Pix, p.Stride); err != nil {
		return 0, err
	}
	l := b.launch
	l.Range = emu.NDRange{
		Global: []uint64{uint64((w + group - 1) / group * group), uint64((h + b.rows - 1) / b.rows)},
		Local:  []uint64{group, 1},
	}
	for i := range times {
		l.Args = []emu.Arg{images[i%2], images[(i+1)%2]}
		result, err := l.Run(context.Background())
		if err != nil {
			return 0, err
		}
		ops += result.Counters.LaneOps
	}
	return ops, images[times%2].ReadRect(whole, p.Pix, p.Stride)
}
