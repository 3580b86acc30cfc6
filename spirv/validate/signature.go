package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// A signature says which types an instruction asks for. Its text is a class for the result, then one
// word of two letters for each IdRef operand: a class and a relation. "?" after a word makes it and the
// rest optional, "*" alone allows any further values.
//
// Classes:
//
//	i f b n   integer, floating-point, Boolean, integer or floating-point; scalar or vector
//	j         Boolean or integer; scalar or vector
//	a         any of integer, floating-point and Boolean; scalar or vector
//	I F B     the scalar of that kind
//	u z       scalar integer of 32 bits; of the width of addresses
//	4         vector of four 32-bit integers
//	W         scalar integer, or such a vector: the size of a cluster, or the ballot of a part
//	Q         pointer, or a vector of pointers
//	p         pointer; P pipe; s pipe storage; r reservation; e event; d device event; q queue
//	g m G     image, sampler, sampled image
//	x         any type that values can have
//	v         void (result only); "-" when there is no result
//
// Relations:
//
//	.  none
//	=  the type of the result
//	c  as many components as the result
//	C  as many components as the result, or one for all of them
//	k  scalar of the type of the result's components
//	e  vector whose components have the type of the result
//	1  the type of the first operand
//	2  as many components as the first operand
//	o  for a pointer: to the type of the result
//	O  for a pointer: to as many integers of 32 bits as the result has components
//	K  for a pointer: to the type of the result's components
//	L  for a pointer: to the type of the first operand's components
//	H  for a pointer: to half
//	E  for a pointer: to an event
type signature string

// check compares an instruction with a signature. ids are its IdRef operands.
func (c *checker) checkSignature(rule string, in spirv.Inst, sig signature, ids []spirv.ID) {
	result := c.typeOf(in.ResultType())
	if k := sig[0]; k != '-' && !c.ofClass(result, k) {
		c.fail(rule, in, "the result type %%%d is not %s", typeID(result), className(k))
		return
	}
	rest := sig[1:]
	optional := false
	var first *typ
	for i, id := range ids {
		if len(rest) == 0 {
			c.fail(rule, in, "the instruction has %s, which are too many", count(len(ids), "operand"))
			return
		}
		rest = rest[1:] // the blank
		if rest[0] == '*' {
			return
		}
		kind, relation := rest[0], rest[1]
		rest = rest[2:]
		if len(rest) > 0 && rest[0] == '?' {
			optional, rest = true, rest[1:]
		}
		t := c.valueType(id)
		if !c.ofClass(t, kind) {
			c.fail(rule, in, "operand %%%d has type %%%d, which is not %s", id, typeID(t), className(kind))
			return
		}
		if !c.related(t, relation, result, first) {
			c.fail(rule, in, "the type %%%d of operand %%%d %s", typeID(t), id, relationText(relation))
			return
		}
		if i == 0 {
			first = t
		}
	}
	if len(rest) > 0 && !optional && rest[len(rest)-1] != '*' && !optionalNext(rest) {
		c.fail(rule, in, "the instruction has %s, which are too few", count(len(ids), "operand"))
	}
}

// optionalNext reports whether the next word of a signature may be left out.
func optionalNext(rest signature) bool { return len(rest) > 3 && rest[3] == '?' }

// ofClass reports whether a type is of a class of signatures.
func (c *checker) ofClass(t *typ, kind byte) bool {
	if t == nil {
		return false
	}
	switch kind {
	case 'i':
		return t.class == classInt
	case 'f':
		return t.class == classFloat
	case 'b':
		return t.class == classBool
	case 'n':
		return t.class == classInt || t.class == classFloat
	case 'j':
		return t.class == classInt || t.class == classBool
	case 'a':
		return t.class != classNone && t.class != classPointer
	case 'I':
		return t.scalar() && t.class == classInt
	case 'F':
		return t.scalar() && t.class == classFloat
	case 'B':
		return t.scalar() && t.class == classBool
	case 'u':
		return t.scalar() && t.class == classInt && t.width == 32
	case 'z':
		return t.scalar() && t.class == classInt && t.width == c.addressBits
	case '4':
		return t.class == classInt && t.count == 4 && t.width == 32
	case 'W':
		return c.ofClass(t, 'I') || c.ofClass(t, '4')
	case 'p':
		return t.pointer()
	case 'Q':
		return t.class == classPointer
	case 'P':
		return t.op == spirv.OpTypePipe
	case 's':
		return t.op == spirv.OpTypePipeStorage
	case 'r':
		return t.op == spirv.OpTypeReserveId
	case 'e':
		return t.op == spirv.OpTypeEvent
	case 'd':
		return t.op == spirv.OpTypeDeviceEvent
	case 'q':
		return t.op == spirv.OpTypeQueue
	case 'g':
		return t.op == spirv.OpTypeImage
	case 'm':
		return t.op == spirv.OpTypeSampler
	case 'G':
		return t.op == spirv.OpTypeSampledImage
	case 'v':
		return t.op == spirv.OpTypeVoid
	}
	return t.sized // 'x'
}

func className(kind byte) string {
	switch kind {
	case 'i':
		return "an integer or a vector of integers"
	case 'f':
		return "a floating-point number or a vector of them"
	case 'b':
		return "a Boolean or a vector of Booleans"
	case 'n':
		return "a number or a vector of numbers"
	case 'j':
		return "a Boolean, an integer, or a vector of them"
	case 'a':
		return "a scalar or a vector"
	case 'I':
		return "an integer"
	case 'F':
		return "a floating-point number"
	case 'B':
		return "a Boolean"
	case 'u':
		return "a 32-bit integer"
	case 'z':
		return "an integer of the width of addresses"
	case '4':
		return "a vector of four 32-bit integers"
	case 'W':
		return "an integer or a vector of four 32-bit ones"
	case 'p':
		return "a pointer"
	case 'Q':
		return "a pointer or a vector of pointers"
	case 'P':
		return "a pipe"
	case 's':
		return "a pipe storage"
	case 'r':
		return "a reservation"
	case 'e':
		return "an event"
	case 'd':
		return "a device event"
	case 'q':
		return "a queue"
	case 'g':
		return "an image"
	case 'm':
		return "a sampler"
	case 'G':
		return "a sampled image"
	case 'v':
		return "void"
	}
	return "a type that values can have"
}

// related reports whether the type of an operand stands in a relation to the result or first operand.
func (c *checker) related(t *typ, relation byte, result, first *typ) bool {
	switch relation {
	case '=':
		return sameType(t, result)
	case 'c':
		return t.count == result.count
	case 'C':
		return t.count == result.count || t.count == 1
	case 'k':
		return t.scalar() && t.class == result.class && t.width == result.width
	case 'e':
		return t.vector() && t.class == result.class && t.width == result.width
	case '1':
		return sameType(t, first)
	case '2':
		return t.count == first.count
	case 'o', 'O', 'K', 'L', 'H', 'E':
		return t.untyped() || relatedPointee(c.typeOf(t.pointee), relation, result, first)
	}
	return true
}

func relatedPointee(pointee *typ, relation byte, result, first *typ) bool {
	if pointee == nil {
		return false
	}
	switch relation {
	case 'o':
		return sameType(pointee, result)
	case 'O':
		return pointee.class == classInt && pointee.width == 32 && pointee.count == result.count
	case 'K':
		return pointee.scalar() && pointee.class == result.class && pointee.width == result.width
	case 'E':
		return pointee.op == spirv.OpTypeEvent
	case 'L':
		return pointee.scalar() && pointee.class == first.class && pointee.width == first.width
	}
	return pointee.scalar() && pointee.class == classFloat && pointee.width == 16 // 'H'
}

func relationText(relation byte) string {
	switch relation {
	case '=':
		return "is not the type of the result"
	case 'c', 'C':
		return "does not have as many components as the result"
	case 'k':
		return "is not the type of the result's components"
	case 'e':
		return "is not a vector of the type of the result"
	case '1':
		return "is not the type of the first operand"
	case '2':
		return "does not have as many components as the first operand"
	case 'o':
		return "is not a pointer to the type of the result"
	case 'O':
		return "is not a pointer to as many 32-bit integers as the result has components"
	case 'K':
		return "is not a pointer to the type of the result's components"
	case 'L':
		return "is not a pointer to the type of the first operand's components"
	case 'E':
		return "is not a pointer to an event"
	}
	return "is not a pointer to half"
}
