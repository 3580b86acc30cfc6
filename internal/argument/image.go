package argument

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
)

// image is an image.
type image struct{}

func (image) Noun(*argspec.Arg) string { return "an image" }

func (image) Suits(_ *argspec.Arg, p *emu.Param) bool { return p.Kind == isa.ParamImage }

func (image) Make(dev *emu.Device, a *argspec.Arg, o Options) (*Made, error) {
	if a.Shared != "" {
		return nil, errors.New("an image over a buffer that has a name")
	}
	info := a.Image
	desc := description(info)
	if info.Pitch != 0 {
		b, err := dev.NewBuffer(uint64(info.Origin)+uint64(info.Pitch)*uint64(info.Height), emu.BufferOptions{Name: o.Name})
		if err != nil {
			return nil, err
		}
		desc.Buffer, desc.RowPitch, desc.Offset = b, info.Pitch, uint64(info.Origin)
	}
	m := &Made{Buffer: desc.Buffer}
	im, err := dev.NewImage(desc, info.Format, emu.ImageOptions{Name: o.Name})
	if err == nil {
		m.Arg, m.Image = im, im
		if !a.Undefined {
			err = im.SetBytes(a.Data)
		}
	}
	if err != nil {
		return nil, errors.Join(err, m.Free())
	}
	if o.Take {
		a.Data = nil
	}
	return m, nil
}

// description describes an image without the buffer that it is a view of.
func description(info *argspec.ImageInfo) emu.ImageDesc {
	desc := emu.ImageDesc{Kind: info.Kind, Width: info.Width, Height: info.Height, Depth: info.Depth, Levels: info.Levels}
	if info.Kind.Array() {
		desc.Depth, desc.Layers = 1, info.Depth
	}
	return desc
}

// NewView makes the image of an argument that is a view of a buffer which has a name.
func NewView(dev *emu.Device, a *argspec.Arg, b *emu.Buffer, o Options) (*emu.Image, error) {
	desc := description(a.Image)
	desc.Buffer, desc.RowPitch, desc.Offset = b, a.Image.Pitch, uint64(a.Image.Origin)
	return dev.NewImage(desc, a.Image.Format, emu.ImageOptions{Name: o.Name})
}
