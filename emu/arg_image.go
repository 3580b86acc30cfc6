package emu

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
)

// imageArg is an image.
type imageArg struct{}

func (im *Image) argument() argument { return argument{kind: imageArg{}, image: im} }

func (imageArg) describe(*argument) string { return "an image" }

func (imageArg) suits(p *isa.Param) bool { return p.Kind == isa.ParamImage }

func (imageArg) check(a *argument, k *Kernel, p *isa.Param) (string, error) {
	switch im := a.image; {
	case im == nil || im.dev == nil:
		return "the image is nil", ErrInvalid
	case im.dev != k.prog.dev:
		return fmt.Sprintf("the image %v", ErrForeign), ErrForeign
	case !im.suits(&p.Image):
		return fmt.Sprintf("the image is an %s, the parameter takes an %s", im.typeName(), p.TypeName), nil
	case p.Image.Writes && im.opt.ReadOnly:
		return "the image is read-only, and the parameter may write it", nil
	case p.Image.Reads && im.opt.WriteOnly:
		return "the image is write-only, and the parameter may read it", nil
	}
	return "", nil
}

// suits says whether the image is of the kind that a parameter takes.
func (im *Image) suits(p *isa.ImageParam) bool {
	v := &im.view
	return isa.ImageDim(v.Dim) == p.Dim && v.Array == p.Array && (v.Format.Order == OrderDepth) == p.Depth
}

// typeName returns the image's type as OpenCL C calls it.
func (im *Image) typeName() string {
	name := im.desc.Kind.String()
	if im.format.Order == OrderDepth {
		name += "_depth"
	}
	return name + "_t"
}

func (imageArg) fill(p *prepared, i int) (uint64, error) {
	im := p.args[i].image
	if err := im.usable(); err != nil {
		return 0, p.Kernel.argError(i, fmt.Sprintf("the image: %v", err), err)
	}
	return uint64(im.ptr), nil
}
