package gen

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// The first enumerators of channel orders and types in OpenCL C, which SPIR-V counts from 0.
const (
	clkR         = 0x10b0
	clkSnormInt8 = 0x10d0
)

// image is a read, a write or a query of an image.
func (f *fn) image(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	im := c.Sig.Params[0].Image
	switch name := c.Sig.Name; {
	case strings.HasPrefix(name, "read"):
		return f.readImage(c, im, args)
	case strings.HasPrefix(name, "write"):
		f.writeImage(c, args)
		return 0
	}
	return f.queryImage(c, im, args[0])
}

// texelSign is what image operands say about the sign of texels, which SPIR-V has since version 1.4.
func (f *fn) texelSign(t *types.Type) spirv.ImageOperands {
	switch {
	case t.HasFloat(), version(f.opts) < 0x00010400:
		return 0
	case t.IsSigned():
		return spirv.ImageOperandsSignExtend
	}
	return spirv.ImageOperandsZeroExtend
}

// readImage reads a texel: (image, coordinates), (image, coordinates, sample), or with a sampler behind the image and
// a level or two gradients behind the coordinates.
func (f *fn) readImage(c *tree.CallBuiltin, im *types.Image, args []spirv.ID) spirv.ID {
	r := c.Sig.Result.Type
	mask := f.texelSign(r)
	if c.Sig.Params[1].Kind != types.SamplerKind {
		operands := args
		switch {
		case len(args) == 3:
			operands = []spirv.ID{args[0], args[1], spirv.ID(mask | spirv.ImageOperandsSample), args[2]}
		case mask != 0:
			operands = append(operands, spirv.ID(mask))
		}
		return f.op(spirv.OpImageRead, f.typeOf(r), operands...)
	}
	typ := f.once(spirv.OpTypeSampledImage, false, uint32(f.typeOf(c.Sig.Params[0].Type)))
	image := f.op(spirv.OpSampledImage, typ, args[0], args[1])
	operands := []spirv.ID{image, args[2]}
	switch len(args) {
	case 3:
		operands = append(operands, spirv.ID(mask|spirv.ImageOperandsLod), f.floatConst(f.types.Float, 0))
	case 4:
		operands = append(operands, spirv.ID(mask|spirv.ImageOperandsLod), args[3])
	default:
		dx, dy := args[3], args[4]
		if g := c.Sig.Params[3].Type; g.Lanes() == 4 { // of a space with three dimensions
			dx, dy = f.shuffle(dx, g, []uint8{0, 1, 2}), f.shuffle(dy, g, []uint8{0, 1, 2})
		}
		operands = append(operands, spirv.ID(mask|spirv.ImageOperandsGrad), dx, dy)
	}
	if im.Depth { // the depth is the first of four components
		v := f.op(spirv.OpImageSampleExplicitLod, f.typeOf(f.types.Vector(r, 4)), operands...)
		return f.op(spirv.OpCompositeExtract, f.typeOf(r), v, 0)
	}
	return f.op(spirv.OpImageSampleExplicitLod, f.typeOf(r), operands...)
}

// writeImage writes a texel: (image, coordinates, texel), or with a level before the texel.
func (f *fn) writeImage(c *tree.CallBuiltin, args []spirv.ID) {
	last := len(args) - 1
	mask := f.texelSign(c.Sig.Params[last].Type)
	operands := []spirv.ID{args[0], args[1], args[last]}
	if last == 3 {
		f.capability(spirv.CapabilityImageMipmap)
		operands = append(operands, spirv.ID(mask|spirv.ImageOperandsLod), args[2])
	} else if mask != 0 {
		operands = append(operands, spirv.ID(mask))
	}
	f.do(spirv.OpImageWrite, operands...)
}

// queryImage asks an image something.
func (f *fn) queryImage(c *tree.CallBuiltin, im *types.Image, image spirv.ID) spirv.ID {
	r := c.Sig.Result.Type
	switch c.Sig.Name {
	case "get_image_channel_order":
		v := f.op(spirv.OpImageQueryOrder, f.typeOf(r), image)
		return f.op(spirv.OpIAdd, f.typeOf(r), v, f.bitsConst(32, clkR))
	case "get_image_channel_data_type":
		v := f.op(spirv.OpImageQueryFormat, f.typeOf(r), image)
		return f.op(spirv.OpIAdd, f.typeOf(r), v, f.bitsConst(32, clkSnormInt8))
	case "get_image_num_samples":
		return f.op(spirv.OpImageQuerySamples, f.typeOf(r), image)
	case "get_image_num_mip_levels":
		f.capability(spirv.CapabilityImageMipmap)
		return f.op(spirv.OpImageQueryLevels, f.typeOf(r), image)
	}
	n := im.Dim
	if im.Array {
		n++
	}
	t := f.types.Vector(f.types.Int, n)
	var size spirv.ID
	if im.Buffer || im.MSAA {
		size = f.op(spirv.OpImageQuerySize, f.typeOf(t), image)
	} else {
		size = f.op(spirv.OpImageQuerySizeLod, f.typeOf(t), image, f.bitsConst(32, 0))
	}
	part := func(i int) spirv.ID {
		if n == 1 {
			return size
		}
		return f.op(spirv.OpCompositeExtract, f.typeOf(f.types.Int), size, spirv.ID(i))
	}
	switch c.Sig.Name {
	case "get_image_width":
		return part(0)
	case "get_image_height":
		return part(1)
	case "get_image_depth":
		return part(2)
	case "get_image_array_size":
		return f.resize(part(n-1), f.types.UInt, r)
	}
	// get_image_dim: two components, or three and 0.
	switch {
	case t == r:
		return size
	case r.Lanes() == 2:
		return f.shuffle(size, t, []uint8{0, 1})
	}
	return f.op(spirv.OpVectorShuffle, f.typeOf(r), size, f.null(f.typeOf(t)), 0, 1, 2, 3)
}
