package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// imageShape tells the image type that an instruction works on, and how many coordinates it takes.
func (c *checker) imageShape(id spirv.ID) (image *typ, coordinates int) {
	t := c.valueType(id)
	if t != nil && t.op == spirv.OpTypeSampledImage {
		t = t.elem
	}
	if t == nil || t.op != spirv.OpTypeImage {
		return nil, 0
	}
	n := 1
	switch spirv.Dim(t.in.Operand(1)) {
	case spirv.Dim2D:
		n = 2
	case spirv.Dim3D:
		n = 3
	}
	if t.in.Operand(3) != 0 {
		n++
	}
	return t, n
}

// checkImage checks coordinates, texels and access qualifiers (section 3.3.10). The signatures have
// checked that the operands are images, coordinates and so on.
func (c *checker) checkImage(in spirv.Inst) {
	const rule = "operand-type"
	ids := c.idRefs(in)
	image, n := c.imageShape(ids[0])
	if image == nil {
		return
	}
	result := c.typeOf(in.ResultType())
	access := spirv.AccessQualifierReadOnly
	if len(image.in.Operands()) > 7 {
		access = spirv.AccessQualifier(image.in.Operand(7))
	}
	switch op := in.Op(); op {
	case spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod:
		if result.count != n {
			c.fail(rule, in, "the result has %s, but the size of the image has %d", count(result.count, "component"), n)
		}
		return
	case spirv.OpImageWrite:
		if texel := c.valueType(ids[2]); texel != nil && texel.count != 4 && texel.count != 1 {
			c.fail(rule, in, "the texel has %s, but must have 4, or 1 for depth images", count(texel.count, "component"))
		}
		if access == spirv.AccessQualifierReadOnly {
			c.fail("access-qualifier", in, "the instruction writes to an image whose access qualifier is %s", access)
		}
	case spirv.OpImageRead, spirv.OpImageFetch, spirv.OpImageSampleExplicitLod, spirv.OpImageSampleImplicitLod:
		if result.count != 4 && result.count != 1 {
			c.fail(rule, in, "the result has %s, but must have 4, or 1 for depth images", count(result.count, "component"))
		}
		if op == spirv.OpImageFetch {
			c.checkImageOperands(in, 'I')
		} else {
			c.checkImageOperands(in, 'F')
		}
		if access == spirv.AccessQualifierWriteOnly {
			c.fail("access-qualifier", in, "the instruction reads an image whose access qualifier is %s", access)
		}
	}
	ids = c.idRefs(in)
	if t := c.valueType(ids[1]); t != nil && t.count < n {
		c.fail(rule, in, "the instruction has %s, but the image needs %d", count(t.count, "coordinate"), n)
	}
}

// checkImageOperands checks the types of the optional operands (section 3.2.14). The level of detail is
// of class lod: an integer for fetches, else a floating-point number.
func (c *checker) checkImageOperands(in spirv.Inst, lod byte) {
	var mask spirv.ImageOperands
	var params []spirv.ID
	for _, o := range c.parse(in) {
		switch {
		case o.Kind == spirv.KindImageOperands:
			mask = spirv.ImageOperands(o.Words[0])
		case o.Param && o.Kind == spirv.KindIdRef:
			params = append(params, o.ID())
		}
	}
	for bit := range 32 {
		one := spirv.ImageOperands(1) << bit
		if mask&one == 0 {
			continue
		}
		e, _ := spirv.KindImageOperands.Value(uint32(one))
		for range e.Operands {
			kind := byte('x')
			switch one {
			case spirv.ImageOperandsLod:
				kind = lod
			case spirv.ImageOperandsBias, spirv.ImageOperandsMinLod:
				kind = 'F'
			case spirv.ImageOperandsGrad:
				kind = 'f'
			case spirv.ImageOperandsConstOffset, spirv.ImageOperandsOffset, spirv.ImageOperandsSample:
				kind = 'i'
			}
			if len(params) == 0 {
				return // scopes, which are checked with all others
			}
			if t := c.valueType(params[0]); !c.ofClass(t, kind) {
				c.fail("operand-type", in, "the image operand %%%d of type %%%d is not %s", params[0], typeID(t), className(kind))
			}
			params = params[1:]
		}
	}
}
