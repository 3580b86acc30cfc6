package lower

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// An image is its handle, which only an argument can give, and an image
// instruction is an opcode with an entry in Kernel.ImageAccesses. Those that
// give several components are one opcode for each.

// imageName returns what OpenCL C calls an image type: "image2d_t", "image3d_t",
// "image2d_array_t".
func (m *module) imageName(t *typ) string {
	in, _ := m.x.Def(t.id)
	name, ok := map[spirv.Dim]string{spirv.Dim1D: "image1d", spirv.Dim2D: "image2d", spirv.Dim3D: "image3d", spirv.DimBuffer: "image1d_buffer"}[spirv.Dim(in.Operand(1))]
	if !ok {
		return "image of dimension " + spirv.Dim(in.Operand(1)).String()
	}
	for i, suffix := range [...]string{2: "_depth", 3: "_array", 4: "_msaa"} {
		if i >= 2 && in.Operand(i) == 1 {
			name += suffix
		}
	}
	return name + "_t"
}

// imageParam returns what an image type says, or fails for one that there is no
// support for.
func (m *module) imageParam(t *typ) isa.ImageParam {
	in, _ := m.x.Def(t.id)
	if spirv.Dim(in.Operand(1)) != spirv.Dim2D || in.Operand(2) == 1 || in.Operand(3) != 0 || in.Operand(4) != 0 {
		m.failFeature(in, "images of type "+m.imageName(t)+" are not supported")
	}
	access := spirv.AccessQualifierReadOnly
	if len(in.Operands()) > 7 {
		access = spirv.AccessQualifier(in.Operand(7))
	}
	return isa.ImageParam{Dim: isa.ImageDim(in.Operand(1)), Array: in.Operand(3) != 0,
		Reads: access != spirv.AccessQualifierWriteOnly, Writes: access != spirv.AccessQualifierReadOnly}
}

// imageCall is an image instruction, or a call of the function that stands for one.
type imageCall struct {
	a     isa.ImageAccess
	image *value
	coord []*value
	// width and height are those of a media block, or nil.
	width, height *value
}

// imageOf begins an access to the image of type t.
func (b *builder) imageOf(name string, handle *value, t *typ) *imageCall {
	if t.kind != kindImage {
		b.fail("%s is of type %s, not an image", name, t.op)
	}
	p := b.m.imageParam(t)
	return &imageCall{a: isa.ImageAccess{Name: name, Dim: p.Dim, Array: p.Array, CoordType: isa.I32}, image: handle}
}

// at sets the coordinates.
func (c *imageCall) at(b *builder, coord []*value, t *typ) {
	if ct := t.component(); ct.kind != kindInt || ct.bits != 32 || len(coord) < 2 {
		b.fail("coordinates of an image without sampler are two integers of 32 bits")
	}
	c.coord = coord[:2]
}

// access makes an instruction from the call and gives it an entry of its own,
// or the entry of index same.
func (b *builder) access(c *imageCall, op isa.Op, result, elem isa.Type, component, same int, texel []*value) *value {
	const present = isa.Reg(1) // until registers are known
	a := c.a
	args := []*value{c.image}
	a.Image = present
	for i, x := range c.coord {
		a.Coord[i] = present
		args = append(args, x)
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
	v := b.f.newValue(op, result, elem, args...)
	if same < 0 {
		same = len(b.k.ImageAccesses)
		b.k.ImageAccesses = append(b.k.ImageAccesses, a)
	}
	v.index, v.imm, v.imm2 = int32(same), uint64(same), uint8(component)
	return b.add(v)
}

// readTexel reads the four components of a texel of type t.
func (b *builder) readTexel(c *imageCall, t *typ) []*value {
	elem, n := b.texelType(t)
	c.a.Components = n
	out := make([]*value, n)
	index := -1
	for i := range out {
		out[i] = b.access(c, isa.OpImageRead, elem, elem, i, index, nil)
		index = int(out[i].index)
	}
	if t.component().scalar() == isa.F16 {
		for i := range out {
			out[i] = b.conv(isa.OpFToF, isa.F16, isa.F32, out[i])
		}
	}
	return out
}

// writeTexel writes the four components of a texel of type t.
func (b *builder) writeTexel(c *imageCall, texel []*value, t *typ) {
	elem, n := b.texelType(t)
	c.a.Components = n
	if t.component().scalar() == isa.F16 {
		wide := make([]*value, n)
		for i, x := range texel {
			wide[i] = b.conv(isa.OpFToF, isa.F32, isa.F16, x)
		}
		texel = wide
	}
	b.access(c, isa.OpImageWrite, isa.Void, elem, 0, -1, texel)
}

// texelType returns the type in which a texel is read or written: halves go as floats.
func (b *builder) texelType(t *typ) (isa.Type, int) {
	ct := t.component()
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
func (b *builder) imageQuery(c *imageCall, q isa.ImageQuery, component int, t isa.Type) *value {
	c.a.Query = q
	return b.resize(b.access(c, isa.OpImageQuery, isa.I32, isa.I32, component, -1, nil), isa.I32, t)
}

// imageBlock reads a block of type t; texel is what a write writes instead.
func (b *builder) imageBlock(c *imageCall, t *typ, texel []*value) []*value {
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
	out := make([]*value, t.flat)
	index := -1
	for i := range out {
		out[i] = b.access(c, isa.OpImageBlockRead, elem, elem, i, index, nil)
		index = int(out[i].index)
	}
	return out
}

// image reads an image instruction.
func (b *builder) image(in spirv.Inst) {
	op, ops := in.Op(), in.Operands()
	handle, t := b.one(spirv.ID(ops[0]))
	c := b.imageOf(op.String(), handle, t)
	at := func(i int) { v, t := b.vals(spirv.ID(ops[i])); c.at(b, v, t) }
	size := func(i int) (v *value) {
		v, t := b.one(spirv.ID(ops[i]))
		if t.kind != kindInt {
			b.fail("the size of a block is no integer")
		}
		return b.resize(v, t.scalar(), isa.I32)
	}
	var rt *typ
	if in.ResultType() != 0 {
		rt = b.m.typeOf(in.ResultType())
	}
	switch op {
	case spirv.OpImageRead:
		at(1)
		b.imageOperands(c, ops[2:])
		b.set(in, b.readTexel(c, rt)...)
	case spirv.OpImageWrite:
		at(1)
		b.imageOperands(c, ops[3:])
		texel, tt := b.vals(spirv.ID(ops[2]))
		b.writeTexel(c, texel, tt)
	case spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod:
		// Level 0 is all that there is.
		out := make([]*value, rt.flat)
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

// imageOperands reads the optional operands (3.2.14), of which those count that
// say how integers are extended.
func (b *builder) imageOperands(c *imageCall, ops []uint32) {
	if len(ops) == 0 {
		return
	}
	mask := spirv.ImageOperands(ops[0])
	const known = spirv.ImageOperandsSignExtend | spirv.ImageOperandsZeroExtend | spirv.ImageOperandsNontemporal
	if mask&^known != 0 {
		b.fail("the image operands %s are not supported", mask&^known)
	}
	switch {
	case mask&spirv.ImageOperandsSignExtend != 0:
		c.a.Sign = isa.SignSigned
	case mask&spirv.ImageOperandsZeroExtend != 0:
		c.a.Sign = isa.SignUnsigned
	}
}

// imageSigns has the last letters of read_imagef and its like.
var imageSigns = map[string]isa.ImageSign{"f": isa.SignUnknown, "h": isa.SignUnknown, "i": isa.SignSigned, "ui": isa.SignUnsigned}

// clImage reads the functions of images without sampler (OpenCL C 6.15.15.3 to
// 5, and the block functions of Intel's sub-groups).
func (b *builder) clImage(c *clCall) ([]*value, bool) {
	if len(c.types) == 0 || c.types[0].kind != kindImage {
		return nil, false
	}
	arg := func(n int) bool { return len(c.args) == n }
	i := b.imageOf(c.name, c.args[0][0], c.types[0])
	scalar := c.rt.kind == kindInt
	switch c.name {
	case "get_image_width", "get_image_height":
		if !arg(1) || !scalar {
			return nil, false
		}
		component := 0
		if c.name == "get_image_height" {
			component = 1
		}
		return []*value{b.imageQuery(i, isa.QuerySize, component, c.rt.scalar())}, true
	case "get_image_dim":
		if !arg(1) || c.rt.kind != kindVector || c.rt.flat != 2 {
			return nil, false
		}
		ct := c.rt.component().scalar()
		return []*value{b.imageQuery(i, isa.QuerySize, 0, ct), b.imageQuery(i, isa.QuerySize, 1, ct)}, true
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
		return []*value{b.bin(isa.OpAdd, s, b.imageQuery(i, q, 0, s), b.imm(s, base))}, true
	}
	if kind, ok := strings.CutPrefix(c.name, "read_image"); ok {
		sign, known := imageSigns[kind]
		if !known || !arg(2) {
			return nil, false
		}
		i.a.Sign = sign
		i.at(b, c.args[1], c.types[1])
		return b.readTexel(i, c.rt), true
	}
	if kind, ok := strings.CutPrefix(c.name, "write_image"); ok {
		sign, known := imageSigns[kind]
		if !known || !arg(3) {
			return nil, false
		}
		i.a.Sign = sign
		i.at(b, c.args[1], c.types[1])
		b.writeTexel(i, c.args[2], c.types[2])
		return nil, true
	}
	return nil, false
}

// clImageBlock reads intel_sub_group_block_read and _write of an image, whose
// coordinates come after it, and the media block functions, where they stand first.
func (b *builder) clImageBlock(c *clCall) ([]*value, bool) {
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
