package gen

import (
	"bytes"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// maxBytes is how many bytes memset and memmove move as a whole: more are moved one by one.
const maxBytes = 4096

// memoryCall is memcpy, memmove or memset of C.
func (f *fn) memoryCall(c *tree.CallBuiltin, name string, args []spirv.ID) spirv.ID {
	n, known := literal(c.Args[2])
	to, from := args[0], args[1]
	copied := func(to, from spirv.ID, toAlign, fromAlign int64) {
		operands := []spirv.ID{to, from, args[2], spirv.ID(spirv.MemoryAccessAligned), spirv.ID(min(toAlign, fromAlign))}
		f.do(spirv.OpCopyMemorySized, operands...)
	}
	align := func(i int) int64 { return f.pointeeAlign(c.Sig.Params[i].Type) }
	switch {
	case known && n == 0:
	case name == "memcpy":
		copied(to, from, align(0), align(1))
	case known && n <= maxBytes && name == "memmove":
		temp := f.local(f.bytesType(int64(n)), 16, "")
		copied(temp, from, 16, align(1))
		copied(to, temp, align(0), 16)
	case name == "memmove":
		f.moveBytes(c, to, from, args[2])
	default:
		if v, ok := literal(c.Args[1]); ok && known && n <= maxBytes {
			s := f.stringVar(&tree.StringLit{Value: bytes.Repeat([]byte{byte(v)}, int(n))})
			copied(to, s, 1, 1)
			break
		}
		p, typ := f.asBytes(to, c.Sig.Params[0].Type)
		v := f.resize(from, c.Sig.Params[1].Type, f.types.UChar)
		f.eachByte(args[2], func(i spirv.ID) {
			f.do(spirv.OpStore, f.op(spirv.OpInBoundsPtrAccessChain, typ, p, i), v, spirv.ID(spirv.MemoryAccessAligned), 1)
		})
	}
	r := c.Sig.Result.Type
	if f.typeOf(r) == f.typeOf(c.Sig.Params[0].Type) {
		return to
	}
	return f.op(spirv.OpBitcast, f.typeOf(r), to)
}

// pointeeAlign returns the alignment of what a pointer leads to, 1 if that is not known.
func (f *fn) pointeeAlign(t *types.Type) int64 {
	if e := t.Elem.Type; e.Kind != types.VoidKind && e.Complete() {
		return max(f.types.AlignOf(e), 1)
	}
	return 1
}

// asBytes returns a pointer as one to bytes, and its type.
func (f *fn) asBytes(p spirv.ID, t *types.Type) (_, typ spirv.ID) {
	typ = f.typeOf(f.types.Pointer(types.Qual{Type: f.types.UChar}.In(t.Elem.Space())))
	if typ == f.typeOf(t) {
		return p, typ
	}
	return f.op(spirv.OpBitcast, typ, p), typ
}

// moveBytes copies bytes that may overlap: from the last to the first if the destination is behind the
// source.
func (f *fn) moveBytes(c *tree.CallBuiltin, to, from, n spirv.ID) {
	size := f.typeOf(f.types.Size)
	a, at := f.asBytes(to, c.Sig.Params[0].Type)
	b, bt := f.asBytes(from, c.Sig.Params[1].Type)
	back := f.op(spirv.OpULessThan, f.boolType(1), f.op(spirv.OpConvertPtrToU, size, b), f.op(spirv.OpConvertPtrToU, size, a))
	last := f.op(spirv.OpISub, size, n, f.intConst(f.types.Size, 1))
	byteType := f.typeOf(f.types.UChar)
	f.eachByte(n, func(i spirv.ID) {
		i = f.op(spirv.OpSelect, size, back, f.op(spirv.OpISub, size, last, i), i)
		v := f.op(spirv.OpLoad, byteType, f.op(spirv.OpInBoundsPtrAccessChain, bt, b, i), spirv.ID(spirv.MemoryAccessAligned), 1)
		f.do(spirv.OpStore, f.op(spirv.OpInBoundsPtrAccessChain, at, a, i), v, spirv.ID(spirv.MemoryAccessAligned), 1)
	})
}

// eachByte emits a loop whose body gets the numbers from 0 to n-1.
func (f *fn) eachByte(n spirv.ID, body func(i spirv.ID)) {
	size := f.typeOf(f.types.Size)
	index := f.temp(f.types.Size)
	aligned := []spirv.ID{spirv.ID(spirv.MemoryAccessAligned), spirv.ID(f.types.AlignOf(f.types.Size))}
	f.do(spirv.OpStore, append([]spirv.ID{index, f.intConst(f.types.Size, 0)}, aligned...)...)
	head, step, end := f.module.id(), f.module.id(), f.module.id()
	f.begin(head)
	i := f.op(spirv.OpLoad, size, append([]spirv.ID{index}, aligned...)...)
	f.branchOn(f.op(spirv.OpULessThan, f.boolType(1), i, n), step, end)
	f.begin(step)
	body(i)
	next := f.op(spirv.OpIAdd, size, i, f.intConst(f.types.Size, 1))
	f.do(spirv.OpStore, append([]spirv.ID{index, next}, aligned...)...)
	f.jump(head)
	f.begin(end)
}

// blocking reports whether a function is one of those that wait for a packet of a pipe. Sources declare them
// themselves, and the translator of LLVM knows them by these names.
func blocking(f *tree.Func) bool {
	return !f.Defined() && (f.Name == "__read_pipe_2_bl" || f.Name == "__write_pipe_2_bl") && len(f.Params) == 4 &&
		f.Params[0].Type.Kind == types.PipeKind && f.Params[1].Type.IsPointer() && f.Params[2].Type.IsInteger() &&
		f.Params[3].Type.IsInteger() && (f.Type.Elem.IsInteger() || f.Type.Elem.Kind == types.VoidKind)
}

// blockingPipe calls one: an instruction of SPV_INTEL_blocking_pipes. It returns 0, for what waits succeeds.
func (f *fn) blockingPipe(e *tree.Call) spirv.ID {
	var args []spirv.ID
	for _, a := range e.Args {
		args = append(args, f.value(a))
	}
	f.at(e.Pos)
	f.capability(spirv.CapabilityPipes)
	f.capability(spirv.CapabilityBlockingPipesALTERA)
	f.extension("SPV_INTEL_blocking_pipes")
	op := spirv.OpReadPipeBlockingALTERA
	if e.Func.Name == "__write_pipe_2_bl" {
		op = spirv.OpWritePipeBlockingALTERA
	}
	f.do(op, args...)
	if r := e.Func.Type.Elem.Type; r.IsInteger() {
		return f.intConst(r, 0)
	}
	return 0
}
