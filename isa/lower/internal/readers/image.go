package readers

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// An image is its handle, which only an argument can give, and an image
// instruction is an opcode with an entry in Kernel.ImageAccesses. Those that
// give several components are one opcode for each.

// imageCall is an image instruction, or a call of the function that stands for one.
type imageCall struct {
	a     isa.ImageAccess
	depth bool // the image is one of depth, whose texels are one float
	image *ssa.Value
	coord []*ssa.Value
	// width and height are those of a media block, or nil.
	width, height *ssa.Value
	// sampler, lod, dx and dy are those of a sampled read, or nil; lod is a write's and a query's as well.
	sampler, lod *ssa.Value
	dx, dy       []*ssa.Value
}

// imageOf begins an access to the image of type t.
func imageOf(b *build.Builder, name string, handle *ssa.Value, t *build.Type) *imageCall {
	if t.Kind != build.KindImage {
		b.Fail("%s is of type %s, not an image", name, t.Op)
	}
	p := b.Module.ImageParam(t)
	return &imageCall{a: isa.ImageAccess{Name: name, Dim: p.Dim, Array: p.Array, CoordType: isa.I32}, depth: p.Depth, image: handle}
}

// count returns how many coordinates the image takes, with the layer or without.
func (c *imageCall) count(layer bool) int {
	n := 1
	switch c.a.Dim {
	case isa.Image2D:
		n = 2
	case isa.Image3D:
		n = 3
	}
	if layer && c.a.Array {
		n++
	}
	return n
}

// at sets the coordinates. OpenCL C gives images of three dimensions, and arrays of those of two, one more
// than they take.
func (c *imageCall) at(b *build.Builder, coord []*ssa.Value, t *build.Type) {
	n := c.count(true)
	ct := t.Component()
	switch {
	case ct.Kind == build.KindInt && ct.Bits == 32 && len(coord) >= n:
	case c.sampler != nil && ct.Kind == build.KindFloat && ct.Bits == 32 && len(coord) >= n:
		c.a.CoordType = isa.F32
	case c.sampler != nil:
		b.Fail("coordinates of this image are %d integers or floats of 32 bits", n)
	default:
		b.Fail("coordinates of this image without sampler are %d integers of 32 bits", n)
	}
	c.coord = coord[:n]
}

// sample makes the call a read with a sampler.
func (c *imageCall) sample(b *build.Builder, sampler *ssa.Value, t *build.Type) {
	if t.Kind != build.KindSampler {
		b.Fail("the sampler is of type %s", t.Op)
	}
	if c.a.Dim == isa.ImageBuffer {
		b.Fail("an image of a buffer is read without a sampler")
	}
	c.sampler = sampler
}

// gradients sets the gradients of a sampled read.
func (c *imageCall) gradients(b *build.Builder, dx, dy []*ssa.Value, tx, ty *build.Type) {
	n := c.count(false)
	for _, t := range []*build.Type{tx, ty} {
		if t.Component().Scalar() != isa.F32 || t.Flat < n || t.Kind != build.KindFloat && t.Kind != build.KindVector {
			b.Fail("a gradient of this image is %d floats", n)
		}
	}
	c.dx, c.dy = dx[:n], dy[:n]
}

// access makes an instruction from the call and gives it an entry of its own,
// or the entry of index same.
func access(b *build.Builder, c *imageCall, op isa.Op, result, elem isa.Type, component, same int, texel []*ssa.Value) *ssa.Value {
	const present = isa.Reg(1) // until registers are known
	a := c.a
	args := []*ssa.Value{c.image}
	a.Image = present
	if c.sampler != nil {
		a.Sampler = present
		args = append(args, c.sampler)
	}
	for i, x := range c.coord {
		a.Coord[i] = present
		args = append(args, x)
	}
	if c.lod != nil {
		a.Lod = present
		args = append(args, c.lod)
	}
	for i := range c.dx {
		a.DX[i], a.DY[i] = present, present
		args = append(args, c.dx[i], c.dy[i])
	}
	if c.width != nil {
		a.Width, a.Height = present, present
		args = append(args, c.width, c.height)
	}
	for range texel {
		a.Value = append(a.Value, present)
	}
	a.ValueType = elem
	args = append(args, texel...)
	v := b.Func.NewValue(op, result, elem, args...)
	if same < 0 {
		same = len(b.Kernel.ImageAccesses)
		b.Kernel.ImageAccesses = append(b.Kernel.ImageAccesses, a)
	}
	v.Index, v.Imm, v.Imm2 = int32(same), uint64(same), uint8(component)
	return b.Add(v)
}

// readTexel reads the four components of a texel of type t, or the depth alone.
func readTexel(b *build.Builder, c *imageCall, t *build.Type) []*ssa.Value {
	elem, n := texelType(b, c, t)
	c.a.Components = n
	c.a.Odd = t.Component().Scalar() == isa.F16
	out := make([]*ssa.Value, n)
	index := -1
	for i := range out {
		out[i] = access(b, c, isa.OpImageRead, elem, elem, i, index, nil)
		index = int(out[i].Index)
	}
	if c.a.Odd {
		for i := range out {
			out[i] = b.Conv(isa.OpFToF, isa.F16, isa.F32, out[i])
		}
	}
	return out
}

// writeTexel writes the four components of a texel of type t, or the depth alone.
func writeTexel(b *build.Builder, c *imageCall, texel []*ssa.Value, t *build.Type) {
	elem, n := texelType(b, c, t)
	c.a.Components = n
	if t.Component().Scalar() == isa.F16 {
		wide := make([]*ssa.Value, n)
		for i, x := range texel {
			wide[i] = b.Conv(isa.OpFToF, isa.F32, isa.F16, x)
		}
		texel = wide
	}
	access(b, c, isa.OpImageWrite, isa.Void, elem, 0, -1, texel)
}

// texelType returns the type in which a texel is read or written: halves go as floats.
func texelType(b *build.Builder, c *imageCall, t *build.Type) (isa.Type, int) {
	ct := t.Component()
	if c.depth && t.Kind == build.KindFloat && t.Bits == 32 {
		return isa.F32, 1
	}
	if t.Flat == 4 && t.Kind == build.KindVector {
		switch s := ct.Scalar(); {
		case s == isa.F16:
			return isa.F32, 4
		case s == isa.F32, s == isa.I32 && !ct.Odd():
			return s, 4
		}
	}
	b.Fail("a texel is four floats, halves or integers of 32 bits")
	return isa.Void, 0
}

// imageQuery asks an image for a number of type t.
func imageQuery(b *build.Builder, c *imageCall, q isa.ImageQuery, component int, t isa.Type) *ssa.Value {
	c.a.Query = q
	return b.Resize(access(b, c, isa.OpImageQuery, isa.I32, isa.I32, component, -1, nil), isa.I32, t)
}

// imageBlock reads a block of type t; texel is what a write writes instead.
func imageBlock(b *build.Builder, c *imageCall, t *build.Type, texel []*ssa.Value) []*ssa.Value {
	if c.a.Dim != isa.Image2D || c.a.Array || c.depth {
		b.Fail("blocks are of images of type image2d_t") // (SPV_INTEL_subgroups)
	}
	ct := t.Component()
	elem := isa.IntOf(ct.Scalar().Bits())
	if ct.Kind != build.KindInt && ct.Kind != build.KindFloat || ct.Odd() || t.Flat > isa.MaxBlockComponents {
		b.Fail("a block is 1 to %d integers or floats", isa.MaxBlockComponents)
	}
	c.a.Components = t.Flat
	if texel != nil {
		access(b, c, isa.OpImageBlockWrite, isa.Void, elem, 0, -1, texel)
		return nil
	}
	out := make([]*ssa.Value, t.Flat)
	index := -1
	for i := range out {
		out[i] = access(b, c, isa.OpImageBlockRead, elem, elem, i, index, nil)
		index = int(out[i].Index)
	}
	return out
}

// image reads an image instruction.
func image(b *build.Builder, in spirv.Inst) {
	op, ops := in.Op(), in.Operands()
	var c *imageCall
	if op == spirv.OpImageSampleExplicitLod {
		v, t := b.Vals(spirv.ID(ops[0]))
		if t.Kind != build.KindSampledImage {
			b.Fail("%s is of type %s, not a sampled image", op, t.Op)
		}
		c = imageOf(b, op.String(), v[0], t.Elem)
		if c.a.Dim == isa.ImageBuffer {
			b.Fail("an image of a buffer is read without a sampler")
		}
		c.sampler = v[1]
	} else {
		handle, t := b.One(spirv.ID(ops[0]))
		c = imageOf(b, op.String(), handle, t)
	}
	at := func(i int) { v, t := b.Vals(spirv.ID(ops[i])); c.at(b, v, t) }
	size := func(i int) (v *ssa.Value) {
		v, t := b.One(spirv.ID(ops[i]))
		if t.Kind != build.KindInt {
			b.Fail("operand %d is no integer", i)
		}
		return b.Resize(v, t.Scalar(), isa.I32)
	}
	var rt *build.Type
	if in.ResultType() != 0 {
		rt = b.Module.TypeOf(in.ResultType())
	}
	switch op {
	case spirv.OpImageRead, spirv.OpImageSampleExplicitLod:
		at(1)
		imageOperands(b, c, ops[2:])
		b.Set(in, readTexel(b, c, rt)...)
	case spirv.OpImageWrite:
		at(1)
		imageOperands(b, c, ops[3:])
		texel, tt := b.Vals(spirv.ID(ops[2]))
		writeTexel(b, c, texel, tt)
	case spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod:
		if op == spirv.OpImageQuerySizeLod {
			c.lod = size(1)
		}
		out := make([]*ssa.Value, rt.Flat)
		for i := range out {
			if i > 3 {
				b.Fail("a size of %d components", rt.Flat)
			}
			out[i] = imageQuery(b, c, isa.QuerySize, i, rt.Component().Scalar())
		}
		b.Set(in, out...)
	case spirv.OpImageQueryFormat:
		b.SetOne(in, imageQuery(b, c, isa.QueryFormat, 0, rt.Scalar()))
	case spirv.OpImageQueryOrder:
		b.SetOne(in, imageQuery(b, c, isa.QueryOrder, 0, rt.Scalar()))
	case spirv.OpImageQueryLevels:
		b.SetOne(in, imageQuery(b, c, isa.QueryLevels, 0, rt.Scalar()))
	case spirv.OpImageQuerySamples:
		b.SetOne(in, imageQuery(b, c, isa.QuerySamples, 0, rt.Scalar()))
	case spirv.OpSubgroupImageBlockReadINTEL:
		at(1)
		b.Set(in, imageBlock(b, c, rt, nil)...)
	case spirv.OpSubgroupImageBlockWriteINTEL:
		at(1)
		texel, tt := b.Vals(spirv.ID(ops[2]))
		imageBlock(b, c, tt, texel)
	case spirv.OpSubgroupImageMediaBlockReadINTEL:
		at(1)
		c.width, c.height = size(2), size(3)
		b.Set(in, imageBlock(b, c, rt, nil)...)
	case spirv.OpSubgroupImageMediaBlockWriteINTEL:
		at(1)
		c.width, c.height = size(2), size(3)
		texel, tt := b.Vals(spirv.ID(ops[4]))
		imageBlock(b, c, tt, texel)
	}
}

// imageOperands reads the optional operands (3.2.14): how integers are extended, and a level of detail or
// gradients.
func imageOperands(b *build.Builder, c *imageCall, ops []uint32) {
	if len(ops) == 0 {
		return
	}
	mask := spirv.ImageOperands(ops[0])
	known := spirv.ImageOperandsSignExtend | spirv.ImageOperandsZeroExtend | spirv.ImageOperandsNontemporal | spirv.ImageOperandsLod
	if c.sampler != nil {
		known |= spirv.ImageOperandsGrad
	}
	if mask&^known != 0 {
		b.Fail("the image operands %s are not supported", mask&^known)
	}
	ops = ops[1:]
	need := func(n int) {
		if len(ops) < n {
			b.Fail("an image operand is missing")
		}
	}
	if mask&spirv.ImageOperandsLod != 0 {
		need(1)
		v, t := b.One(spirv.ID(ops[0]))
		c.level(b, v, t)
		ops = ops[1:]
	}
	if mask&spirv.ImageOperandsGrad != 0 {
		need(2)
		if c.lod != nil {
			b.Fail("a level of detail and gradients")
		}
		dx, tx := b.Vals(spirv.ID(ops[0]))
		dy, ty := b.Vals(spirv.ID(ops[1]))
		c.gradients(b, dx, dy, tx, ty)
	}
	switch {
	case mask&spirv.ImageOperandsSignExtend != 0:
		c.a.Sign = isa.SignSigned
	case mask&spirv.ImageOperandsZeroExtend != 0:
		c.a.Sign = isa.SignUnsigned
	}
}

// level sets the level of detail: a float with a sampler, an integer without.
func (c *imageCall) level(b *build.Builder, v *ssa.Value, t *build.Type) {
	switch {
	case c.sampler != nil && t.Kind == build.KindFloat && t.Bits == 32:
		c.lod = v
	case c.sampler == nil && t.Kind == build.KindInt:
		c.lod = b.Resize(v, t.Scalar(), isa.I32)
	default:
		b.Fail("the level of detail is of type %s", t.Op)
	}
}

// imageOfSampled reads OpImage: the image of a sampled image.
func imageOfSampled(b *build.Builder, in spirv.Inst) {
	v, t := b.Vals(spirv.ID(in.Operand(0)))
	if t.Kind != build.KindSampledImage {
		b.Fail("the operand is of type %s, not a sampled image", t.Op)
	}
	b.Set(in, v[0])
}

// sampledImage joins an image and a sampler.
func sampledImage(b *build.Builder, in spirv.Inst) {
	im, it := b.One(spirv.ID(in.Operand(0)))
	s, st := b.One(spirv.ID(in.Operand(1)))
	if it.Kind != build.KindImage || st.Kind != build.KindSampler {
		b.Fail("operands of types %s and %s, not an image and a sampler", it.Op, st.Op)
	}
	b.Set(in, im, s)
}

// imageSigns has the last letters of read_imagef and its like.
var imageSigns = map[string]isa.ImageSign{"f": isa.SignUnknown, "h": isa.SignUnknown, "i": isa.SignSigned, "ui": isa.SignUnsigned}

// clImage reads the functions of images (OpenCL C 6.15.15.2 to 5), which have a sampler behind the image or
// none.
func clImage(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	if len(c.types) == 0 || c.types[0].Kind != build.KindImage {
		return nil, false
	}
	arg := func(n int) bool { return len(c.args) == n }
	i := imageOf(b, c.name, c.args[0][0], c.types[0])
	scalar := c.rt.Kind == build.KindInt
	switch c.name {
	case "get_image_width", "get_image_height", "get_image_depth", "get_image_array_size":
		if !arg(1) || !scalar {
			return nil, false
		}
		component := map[string]int{"get_image_height": 1, "get_image_depth": 2, "get_image_array_size": i.count(false)}[c.name]
		return []*ssa.Value{imageQuery(b, i, isa.QuerySize, component, c.rt.Scalar())}, true
	case "get_image_num_mip_levels":
		if !arg(1) || !scalar {
			return nil, false
		}
		return []*ssa.Value{imageQuery(b, i, isa.QueryLevels, 0, c.rt.Scalar())}, true
	case "get_image_dim": // of three dimensions with a 0 behind them
		if !arg(1) || c.rt.Kind != build.KindVector || c.rt.Flat != 2 && c.rt.Flat != 4 {
			return nil, false
		}
		ct := c.rt.Component().Scalar()
		out := make([]*ssa.Value, c.rt.Flat)
		for n := range out {
			if n < i.count(false) {
				out[n] = imageQuery(b, i, isa.QuerySize, n, ct)
			} else {
				out[n] = b.Imm(ct, 0)
			}
		}
		return out, true
	case "get_image_channel_order", "get_image_channel_data_type":
		if !arg(1) || !scalar {
			return nil, false
		}
		// CLK_R and CLK_SNORM_INT8 are what SPIR-V counts from 0.
		q, base := isa.QueryOrder, uint64(0x10b0)
		if c.name == "get_image_channel_data_type" {
			q, base = isa.QueryFormat, 0x10d0
		}
		s := c.rt.Scalar()
		return []*ssa.Value{b.Bin(isa.OpAdd, s, imageQuery(b, i, q, 0, s), b.Imm(s, base))}, true
	}
	if kind, ok := strings.CutPrefix(c.name, "read_image"); ok {
		sign, known := imageSigns[kind]
		if !known || len(c.args) < 2 {
			return nil, false
		}
		i.a.Sign = sign
		if c.types[1].Kind == build.KindSampler {
			return clSampled(b, c, i)
		}
		if !arg(2) {
			return nil, false
		}
		i.at(b, c.args[1], c.types[1])
		return readTexel(b, i, c.rt), true
	}
	if kind, ok := strings.CutPrefix(c.name, "write_image"); ok {
		sign, known := imageSigns[kind]
		if !known || !arg(3) && (!arg(4) || c.types[2].Flat != 1) {
			return nil, false
		}
		i.a.Sign = sign
		i.at(b, c.args[1], c.types[1])
		last := len(c.args) - 1
		if last == 3 {
			i.level(b, c.args[2][0], c.types[2])
		}
		writeTexel(b, i, c.args[last], c.types[last])
		return nil, true
	}
	return nil, false
}

// clSampled reads read_imagef and its like with a sampler: coordinates, and a level of detail or two
// gradients.
func clSampled(b *build.Builder, c *clCall, i *imageCall) ([]*ssa.Value, bool) {
	if len(c.args) < 3 || len(c.args) > 5 {
		return nil, false
	}
	i.sample(b, c.args[1][0], c.types[1])
	i.at(b, c.args[2], c.types[2])
	switch len(c.args) {
	case 4:
		if c.types[3].Flat != 1 {
			return nil, false
		}
		i.level(b, c.args[3][0], c.types[3])
	case 5:
		i.gradients(b, c.args[3], c.args[4], c.types[3], c.types[4])
	}
	return readTexel(b, i, c.rt), true
}

// clImageBlock reads intel_sub_group_block_read and _write of an image, whose
// coordinates come after it, and the media block functions, where they stand first.
func clImageBlock(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	name, media := strings.CutPrefix(c.name, "intel_sub_group_media_block_")
	if !media {
		var ok bool
		if name, ok = strings.CutPrefix(c.name, "intel_sub_group_block_"); !ok {
			return nil, false
		}
	}
	write := strings.HasPrefix(name, "write")
	image, coord, n := 0, 1, 2
	if media {
		// int2 offset, int width, int height, [texel,] image
		image, coord, n = 3, 0, 4
	}
	if write {
		n++
		if media {
			image++
		}
	}
	if !write && !strings.HasPrefix(name, "read") || len(c.args) != n || c.types[image].Kind != build.KindImage {
		return nil, false
	}
	i := imageOf(b, c.name, c.args[image][0], c.types[image])
	i.at(b, c.args[coord], c.types[coord])
	texel := 2
	if media {
		texel = 3
		for _, t := range c.types[1:3] {
			if t.Kind != build.KindInt || t.Bits != 32 {
				return nil, false
			}
		}
		i.width, i.height = c.args[1][0], c.args[2][0]
	}
	if write {
		imageBlock(b, i, c.types[texel], c.args[texel])
		return nil, true
	}
	return imageBlock(b, i, c.rt, nil), true
}
