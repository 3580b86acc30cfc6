package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// checkPipe checks that a pipe is used in the direction of its type (section 3.3.23).
func (c *checker) checkPipe(in spirv.Inst) {
	want := spirv.AccessQualifierReadOnly
	switch in.Op() {
	case spirv.OpReadPipe, spirv.OpReservedReadPipe, spirv.OpReserveReadPipePackets, spirv.OpCommitReadPipe,
		spirv.OpGroupReserveReadPipePackets, spirv.OpGroupCommitReadPipe, spirv.OpReadPipeBlockingALTERA:
	default:
		want = spirv.AccessQualifierWriteOnly
	}
	t := c.valueType(c.idRefs(in)[0])
	if t == nil || t.op != spirv.OpTypePipe {
		return // the signature has said so
	}
	if got := spirv.AccessQualifier(t.in.Operand(0)); got != want {
		c.fail("access-qualifier", in, "the access qualifier of the pipe is %s, but the instruction needs %s", got, want)
	}
}

// checkCreatePipe checks the storage of a pipe. The SPIR-V translator passes on what SYCL has for one,
// a pointer to a structure that describes it.
func (c *checker) checkCreatePipe(in spirv.Inst) {
	id := spirv.ID(in.Operand(0))
	t := c.valueType(id)
	switch {
	case t == nil:
		c.fail("operand-type", in, "operand %%%d is not a value", id)
	case t.op == spirv.OpTypePipeStorage:
	case t.untyped() || t.pointer() && c.describesPipe(c.typeOf(t.pointee)):
		c.pass(in, "operand %%%d points to the description of a pipe storage", id)
	default:
		c.fail("operand-type", in, "operand %%%d has type %%%d, which is not a pipe storage", id, t.id)
	}
}

// describesPipe reports whether a type begins with the size and alignment of a packet and the capacity.
func (c *checker) describesPipe(t *typ) bool {
	if t == nil || t.op != spirv.OpTypeStruct || len(t.in.Operands()) < 3 {
		return false
	}
	for _, id := range t.in.Operands()[:3] {
		if m := c.typeOf(spirv.ID(id)); !m.scalar() || m.class != classInt || m.width != 32 {
			return false
		}
	}
	return true
}

// checkPacket says what is wrong with the size and alignment of a packet, if anything is.
func checkPacket(size, align uint64) string {
	switch {
	case size == 0:
		return "a packet must have at least one byte"
	case align == 0 || align > size || size%align != 0:
		return "the alignment of a packet must divide its size"
	}
	return ""
}

// checkPipeStorage checks the literals of a pipe storage.
func (c *checker) checkPipeStorage(in spirv.Inst) {
	if msg := checkPacket(uint64(in.Operand(0)), uint64(in.Operand(1))); msg != "" {
		c.fail("pipe-storage", in, "%s: size %d, alignment %d", msg, in.Operand(0), in.Operand(1))
	}
}

// checkStrictPipe checks what section 3.3.23 asks of pipe instructions beyond what gives them a meaning.
func (c *checker) checkStrictPipe(in spirv.Inst) {
	const rule = "pipe-operand"
	if t := c.typeOf(in.ResultType()); t.scalar() && t.class == classInt && t.width != 32 {
		c.fail(rule, in, "the result has %d bits, but must have 32", t.width)
	}
	ids := c.idRefs(in)
	for _, id := range ids {
		if t := c.valueType(id); t.pointer() && t.storage != spirv.StorageClassGeneric {
			c.fail(rule, in, "the pointer %%%d has storage class %s, but must have Generic", id, t.storage)
		}
	}
	size, ok := c.index.Constant(ids[len(ids)-2])
	align, ok2 := c.index.Constant(ids[len(ids)-1])
	if !ok || !ok2 {
		return
	}
	if msg := checkPacket(size, align); msg != "" {
		c.fail(rule, in, "%s: size %d, alignment %d", msg, size, align)
	}
}
