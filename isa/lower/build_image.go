package lower

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
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
func (b *builder) imageOf(name string, handle *ssa.Value, t *typ) *imageCall {
	if t.kind != kindImage {
		b.fail("%s is of type %s, not an image", name, t.op)
	}
	p := b.m.imageParam(t)
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
func (c *imageCall) at(b *builder, coord []*ssa.Value, t *typ) {
	n := c.count(true)
	ct := t.component()
	switch {
	case ct.kind == kindInt && ct.bits == 32 && len(coord) >= n:
	case c.sampler != nil && ct.kind == kindFloat && ct.bits == 32 && len(coord) >= n:
		c.a.CoordType = isa.F32
	case c.sampler != nil:
		b.fail("coordinates of this image are %d integers or floats of 32 bits", n)
	default:
		b.fail("coordinates of this image without sampler are %d integers of 32 bits", n)
	}
	c.coord = coord[:n]
}

// sample makes the call a read with a sampler.
func (c *imageCall) sample(b *builder, sampler *ssa.Value, t *typ) {
	if t.kind != kindSampler {
		b.fail("the sampler is of type %s", t.op)
	}
	if c.a.Dim == isa.ImageBuffer {
		b.fail("an image of a buffer is read without a sampler")
	}
	c.sampler = sampler
}

// gradients sets the gradients of a sampled read.
func (c *imageCall) gradients(b *builder, dx, dy []*ssa.Value, tx, ty *typ) {
	n := c.count(false)
	for _, t := range []*typ{tx, ty} {
		if t.component().scalar() != isa.F32 || t.flat < n || t.kind != kindFloat && t.kind != kindVector {
			b.fail("a gradient of this image is %d floats", n)
		}
	}
	c.dx, c.dy = dx[:n], dy[:n]
}

// access makes an instruction from the call and gives it an entry of its own,
// or the entry of index same.
func (b *builder) access(c *imageCall, op isa.Op, result, elem isa.Type, component, same int, texel []*ssa.Value) *ssa.Value {
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
	v := b.f.NewValue(op, result, elem, args...)
	if same < 0 {
		same = len(b.k.ImageAccesses)
		b.k.ImageAccesses = append(b.k.ImageAccesses, a)
	}
	v.Index, v.Imm, v.Imm2 = int32(same), uint64(same), uint8(component)
	return b.add(v)
}

// readTexel reads the four components of a texel of type t, or the depth alone.
func (b *builder) readTexel(c *imageCall, t *typ) []*ssa.Value {
	elem, n := b.texelType(c, t)
	c.a.Components = n
	c.a.Odd = t.component().scalar() == isa.F16
	out := make([]*ssa.Value, n)
	index := -1
	for i := range out {
		out[i] = b.access(c, isa.OpImageRead, elem, elem, i, index, nil)
		index = int(out[i].Index)
	}
	if c.a.Odd {
		for i := range out {
			out[i] = b.conv(isa.OpFToF, isa.F16, isa.F32, out[i])
		}
	}
	return out
}

// writeTexel writes the four components of a texel of type t, or the depth alone.
func (b *builder) writeTexel(c *imageCall, texel []*ssa.Value, t *typ) {
	elem, n := b.texelType(c, t)
	c.a.Components = n
	if t.component().scalar() == isa.F16 {
		wide := make([]*ssa.Value, n)
		for i, x := range texel {
			wide[i] = b.conv(isa.OpFToF, isa.F32, isa.F16, x)
		}
		texel = wide
	}
	b.access(c, isa.OpImageWrite, isa.Void, elem, 0, -1, texel)
}

// texelType returns the type in which a texel is read or written: halves go as floats.
func (b *builder) texelType(c *imageCall, t *typ) (isa.Type, int) {
	ct := t.component()
	if c.depth && t.kind == kindFloat && t.bits == 32 {
		return isa.F32, 1
	}
	if t.flat == 4 && t.kind == kindVector {
		switch s := ct.scalar(); {
		case s == isa.F16:
			return isa.F32, 4
		case s == isa.F32, s == isa.I32 && !ct.odd():
			return s, 4
		}
	}
	b.fail("a texel is four floats, halves or integers of 32 bits")
	return isa.Void, 0
}

// imageQuery asks an image for a number of type t.
func (b *builder) imageQuery(c *imageCall, q isa.ImageQuery, component int, t isa.Type) *ssa.Value {
	c.a.Query = q
	return b.resize(b.access(c, isa.OpImageQuery, isa.I32, isa.I32, component, -1, nil), isa.I32, t)
}

// imageBlock reads a block of type t; texel is what a write writes instead.
func (b *builder) imageBlock(c *imageCall, t *typ, texel []*ssa.Value) []*ssa.Value {
	if c.a.Dim != isa.Image2D || c.a.Array || c.depth {
		b.fail("blocks are of images of type image2d_t") // (SPV_INTEL_subgroups)
	}
	ct := t.component()
	elem := isa.IntOf(ct.scalar().Bits())
	if ct.kind != kindInt && ct.kind != kindFloat || ct.odd() || t.flat > isa.MaxBlockComponents {
		b.fail("a block is 1 to %d integers or floats", isa.MaxBlockComponents)
	}
	c.a.Components = t.flat
	if texel != nil {
		b.access(c, isa.OpImageBlockWrite, isa.Void, elem, 0, -1, texel)
		return nil
	}
	out := make([]*ssa.Value, t.flat)
	index := -1
	for i := range out {
		out[i] = b.access(c, isa.OpImageBlockRead, elem, elem, i, index, nil)
		index = int(out[i].Index)
	}
	return out
}

// image reads an image instruction.
func (b *builder) image(in spirv.Inst) {
	op, ops := in.Op(), in.Operands()
	var c *imageCall
	if op == spirv.OpImageSampleExplicitLod {
		v, t := b.vals(spirv.ID(ops[0]))
		if t.kind != kindSampledImage {
			b.fail("%s is of type %s, not a sampled image", op, t.op)
		}
		c = b.imageOf(op.String(), v[0], t.elem)
		if c.a.Dim == isa.ImageBuffer {
			b.fail("an image of a buffer is read without a sampler")
		}
		c.sampler = v[1]
	} else {
		handle, t := b.one(spirv.ID(ops[0]))
		c = b.imageOf(op.String(), handle, t)
	}
	at := func(i int) { v, t := b.vals(spirv.ID(ops[i])); c.at(b, v, t) }
	size := func(i int) (v *ssa.Value) {
		v, t := b.one(spirv.ID(ops[i]))
		if t.kind != kindInt {
			b.fail("operand %d is no integer", i)
		}
		return b.resize(v, t.scalar(), isa.I32)
	}
	var rt *typ
	if in.ResultType() != 0 {
		rt = b.m.typeOf(in.ResultType())
	}
	switch op {
	case spirv.OpImageRead, spirv.OpImageSampleExplicitLod:
		at(1)
		b.imageOperands(c, ops[2:])
		b.set(in, b.readTexel(c, rt)...)
	case spirv.OpImageWrite:
		at(1)
		b.imageOperands(c, ops[3:])
		texel, tt := b.vals(spirv.ID(ops[2]))
		b.writeTexel(c, texel, tt)
	case spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod:
		if op == spirv.OpImageQuerySizeLod {
			c.lod = size(1)
		}
		out := make([]*ssa.Value, rt.flat)
		for i := range out {
			if i > 3 {
				b.fail("a size of %d components", rt.flat)
			}
			out[i] = b.imageQuery(c, isa.QuerySize, i, rt.component().scalar())
		}
		b.set(in, out...)
	case spirv.OpImageQueryFormat:
		b.set1(in, b.imageQuery(c, isa.QueryFormat, 0, rt.scalar()))
	case spirv.OpImageQueryOrder:
		b.set1(in, b.imageQuery(c, isa.QueryOrder, 0, rt.scalar()))
	case spirv.OpImageQueryLevels:
		b.set1(in, b.imageQuery(c, isa.QueryLevels, 0, rt.scalar()))
	case spirv.OpImageQuerySamples:
		b.set1(in, b.imageQuery(c, isa.QuerySamples, 0, rt.scalar()))
	case spirv.OpSubgroupImageBlockReadINTEL:
		at(1)
		b.set(in, b.imageBlock(c, rt, nil)...)
	case spirv.OpSubgroupImageBlockWriteINTEL:
		at(1)
		texel, tt := b.vals(spirv.ID(ops[2]))
		b.imageBlock(c, tt, texel)
	case spirv.OpSubgroupImageMediaBlockReadINTEL:
		at(1)
		c.width, c.height = size(2), size(3)
		b.set(in, b.imageBlock(c, rt, nil)...)
	case spirv.OpSubgroupImageMediaBlockWriteINTEL:
		at(1)
		c.width, c.height = size(2), size(3)
		texel, tt := b.vals(spirv.ID(ops[4]))
		b.imageBlock(c, tt, texel)
	}
}

// imageOperands reads the optional operands (3.2.14): how integers are extended, and a level of detail or
// gradients.
func (b *builder) imageOperands(c *imageCall, ops []uint32) {
	if len(ops) == 0 {
		return
	}
	mask := spirv.ImageOperands(ops[0])
	known := spirv.ImageOperandsSignExtend | spirv.ImageOperandsZeroExtend | spirv.ImageOperandsNontemporal | spirv.ImageOperandsLod
	if c.sampler != nil {
		known |= spirv.ImageOperandsGrad
	}
	if mask&^known != 0 {
		b.fail("the image operands %s are not supported", mask&^known)
	}
	ops = ops[1:]
	need := func(n int) {
		if len(ops) < n {
			b.fail("an image operand is missing")
		}
	}
	if mask&spirv.ImageOperandsLod != 0 {
		need(1)
		v, t := b.one(spirv.ID(ops[0]))
		c.level(b, v, t)
		ops = ops[1:]
	}
	if mask&spirv.ImageOperandsGrad != 0 {
		need(2)
		if c.lod != nil {
			b.fail("a level of detail and gradients")
		}
		dx, tx := b.vals(spirv.ID(ops[0]))
		dy, ty := b.vals(spirv.ID(ops[1]))
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
func (c *imageCall) level(b *builder, v *ssa.Value, t *typ) {
	switch {
	case c.sampler != nil && t.kind == kindFloat && t.bits == 32:
		c.lod = v
	case c.sampler == nil && t.kind == kindInt:
		c.lod = b.resize(v, t.scalar(), isa.I32)
	default:
		b.fail("the level of detail is of type %s", t.op)
	}
}

// imageOfSampled reads OpImage: the image of a sampled image.
func (b *builder) imageOfSampled(in spirv.Inst) {
	v, t := b.vals(spirv.ID(in.Operand(0)))
	if t.kind != kindSampledImage {
		b.fail("the operand is of type %s, not a sampled image", t.op)
	}
	b.set(in, v[0])
}

// sampledImage joins an image and a sampler.
func (b *builder) sampledImage(in spirv.Inst) {
	im, it := b.one(spirv.ID(in.Operand(0)))
	s, st := b.one(spirv.ID(in.Operand(1)))
	if it.kind != kindImage || st.kind != kindSampler {
		b.fail("operands of types %s and %s, not an image and a sampler", it.op, st.op)
	}
	b.set(in, im, s)
}

// imageSigns has the last letters of read_imagef and its like.
var imageSigns = map[string]isa.ImageSign{"f": isa.SignUnknown, "h": isa.SignUnknown, "i": isa.SignSigned, "ui": isa.SignUnsigned}

// clImage reads the functions of images (OpenCL C 6.15.15.2 to 5), which have a sampler behind the image or
// none.
func (b *builder) clImage(c *clCall) ([]*ssa.Value, bool) {
	if len(c.types) == 0 || c.types[0].kind != kindImage {
		return nil, false
	}
	arg := func(n int) bool { return len(c.args) == n }
	i := b.imageOf(c.name, c.args[0][0], c.types[0])
	scalar := c.rt.kind == kindInt
	switch c.name {
	case "get_image_width", "get_image_height", "get_image_depth", "get_image_array_size":
		if !arg(1) || !scalar {
			return nil, false
		}
		component := map[string]int{"get_image_height": 1, "get_image_depth": 2, "get_image_array_size": i.count(false)}[c.name]
		return []*ssa.Value{b.imageQuery(i, isa.QuerySize, component, c.rt.scalar())}, true
	case "get_image_num_mip_levels":
		if !arg(1) || !scalar {
			return nil, false
		}
		return []*ssa.Value{b.imageQuery(i, isa.QueryLevels, 0, c.rt.scalar())}, true
	case "get_image_dim": // of three dimensions with a 0 behind them
		if !arg(1) || c.rt.kind != kindVector || c.rt.flat != 2 && c.rt.flat != 4 {
			return nil, false
		}
		ct := c.rt.component().scalar()
		out := make([]*ssa.Value, c.rt.flat)
		for n := range out {
			if n < i.count(false) {
				out[n] = b.imageQuery(i, isa.QuerySize, n, ct)
			} else {
				out[n] = b.imm(ct, 0)
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
		s := c.rt.scalar()
		return []*ssa.Value{b.bin(isa.OpAdd, s, b.imageQuery(i, q, 0, s), b.imm(s, base))}, true
	}
	if kind, ok := strings.CutPrefix(c.name, "read_image"); ok {
		sign, known := imageSigns[kind]
		if !known || len(c.args) < 2 {
			return nil, false
		}
		i.a.Sign = sign
		if c.types[1].kind == kindSampler {
			return b.clSampled(c, i)
		}
		if !arg(2) {
			return nil, false
		}
		i.at(b, c.args[1], c.types[1])
		return b.readTexel(i, c.rt), true
	}
	if kind, ok := strings.CutPrefix(c.name, "write_image"); ok {
		sign, known := imageSigns[kind]
		if !known || !arg(3) && (!arg(4) || c.types[2].flat != 1) {
			return nil, false
		}
		i.a.Sign = sign
		i.at(b, c.args[1], c.types[1])
		last := len(c.args) - 1
		if last == 3 {
			i.level(b, c.args[2][0], c.types[2])
		}
		b.writeTexel(i, c.args[last], c.types[last])
		return nil, true
	}
	return nil, false
}

// clSampled reads read_imagef and its like with a sampler: coordinates, and a level of detail or two
// gradients.
func (b *builder) clSampled(c *clCall, i *imageCall) ([]*ssa.Value, bool) {
	if len(c.args) < 3 || len(c.args) > 5 {
		return nil, false
	}
	i.sample(b, c.args[1][0], c.types[1])
	i.at(b, c.args[2], c.types[2])
	switch len(c.args) {
	case 4:
		if c.types[3].flat != 1 {
			return nil, false
		}
		i.level(b, c.args[3][0], c.types[3])
	case 5:
		i.gradients(b, c.args[3], c.args[4], c.types[3], c.types[4])
	}
	return b.readTexel(i, c.rt), true
}

// clImageBlock reads intel_sub_group_block_read and _write of an image, whose
// coordinates come after it, and the media block functions, where they stand first.
func (b *builder) clImageBlock(c *clCall) ([]*ssa.Value, bool) {
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
	if !write && !strings.HasPrefix(name, "read") || len(c.args) != n || c.types[image].kind != kindImage {
		return nil, false
	}
	i := b.imageOf(c.name, c.args[image][0], c.types[image])
	i.at(b, c.args[coord], c.types[coord])
	texel := 2
	if media {
		texel = 3
		for _, t := range c.types[1:3] {
			if t.kind != kindInt || t.bits != 32 {
				return nil, false
			}
		}
		i.width, i.height = c.args[1][0], c.args[2][0]
	}
	if write {
		b.imageBlock(i, c.types[texel], c.args[texel])
		return nil, true
	}
	return b.imageBlock(i, c.rt, nil), true
}
