package lower

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// copyArgs are the operands of a group copy, each widened to 64 bits; nil where
// the copy does not have one.
type copyArgs [isa.NumCopyArgs]*ssa.Value

// wide zero-extends an integer, pointer or event of the given type to 64 bits.
func (b *builder) wide(v *ssa.Value, t *typ) *ssa.Value { return b.resize(v, t.scalar(), isa.I64) }

// wideEvent is wide for an event of any type that can be one.
func (b *builder) wideEvent(v *ssa.Value, t *typ) *ssa.Value { return b.wide(v, eventScalar(t)) }

// isEvent says whether values of type t can name an event. Core SPIR-V has
// OpTypeEvent for it; functions that a module imports may use any type of one
// scalar that has room for a handle (ComputeMux, __mux_dma_event_t).
func isEvent(t *typ) bool {
	switch t.kind {
	case kindEvent, kindPointer:
		return true
	case kindInt:
		return t.bits >= 32
	case kindStruct:
		return len(t.members) == 1 && isEvent(t.members[0])
	}
	return false
}

// eventScalar returns the type of the only scalar of an event type.
func eventScalar(t *typ) *typ {
	for t.kind == kindStruct {
		t = t.members[0]
	}
	return t
}

// groupCopy makes a copy of the work-group and returns its event as a value of
// type et.
func (b *builder) groupCopy(name string, dim int, args copyArgs, et *typ) *ssa.Value {
	if !isEvent(et) {
		b.fail("the result of %s is an event, not a value of type %s", name, et.op)
	}
	c := isa.GroupCopy{Name: name, Dim: dim}
	var ops []*ssa.Value
	for i, v := range args {
		if v != nil {
			c.Args[i] = isa.S(0) // there; its register is known when bytecode is written
			ops = append(ops, v)
		}
	}
	v := b.f.NewValue(isa.OpGroupCopy, isa.I64, isa.I64, ops...)
	v.Index = int32(len(b.GroupCopies))
	b.GroupCopies = append(b.GroupCopies, c)
	return b.resize(b.add(v), isa.I64, eventScalar(et).scalar())
}

// pointer returns an operand that is a pointer, and its type.
func (b *builder) pointer(id uint32) (*ssa.Value, *typ) {
	p, t := b.one(spirv.ID(id))
	if t.kind != kindPointer {
		b.fail("operand %%%d is no pointer", id)
	}
	return p, t
}

// asyncCopy reads OpGroupAsyncCopy, and its form for untyped pointers, which
// gives the size of an element as an operand.
func (b *builder) asyncCopy(in spirv.Inst) {
	ops := in.Operands()
	b.groupScope(spirv.ID(ops[0]))
	dst, dt := b.pointer(ops[1])
	src, st := b.pointer(ops[2])
	rest := ops[3:]
	var size *ssa.Value
	if in.Op() == spirv.OpUntypedGroupAsyncCopyKHR {
		n, nt := b.one(spirv.ID(rest[0]))
		size, rest = b.wide(n, nt), rest[1:]
	} else {
		e := b.m.pointee(dt)
		if e == nil {
			e = b.m.pointee(st)
		}
		if e == nil || e.size == 0 {
			b.fail("the size of an element is unknown")
		}
		size = b.imm(isa.I64, e.size)
	}
	n, nt := b.one(spirv.ID(rest[0]))
	stride, sdt := b.one(spirv.ID(rest[1]))
	ev, et := b.one(spirv.ID(rest[2]))
	if nt.kind != kindInt || sdt.kind != kindInt || !isEvent(et) {
		b.fail("the number of elements and the stride are integers, and the last operand is an event")
	}
	name := in.Op().String()
	toLocal, count, step, event, rt := b.toLocal(name, dt, st), b.wide(n, nt), b.wide(stride, sdt), b.wideEvent(ev, et), b.m.typeOf(in.ResultType())
	if in.Op() == spirv.OpUntypedGroupAsyncCopyKHR {
		b.set1(in, b.byteStridedCopy(name, toLocal, dst, src, size, count, step, event, rt))
		return
	}
	b.set1(in, b.stridedCopy(name, toLocal, dst, src, size, count, step, event, rt))
}

// byteStridedCopy is [builder.stridedCopy] with a stride in bytes, as SPV_KHR_untyped_pointers has it: where that is not
// known to be some elements, a line of bytes for each element.
func (b *builder) byteStridedCopy(name string, toLocal bool, dst, src, size, n, stride, ev *ssa.Value, et *typ) *ssa.Value {
	if size.IsConst() && stride.IsConst() && size.Imm != 0 && stride.Imm != 0 && stride.Imm%size.Imm == 0 {
		return b.stridedCopy(name, toLocal, dst, src, size, n, b.imm(isa.I64, stride.Imm/size.Imm), ev, et)
	}
	a := copyArgs{isa.CopyDst: dst, isa.CopySrc: src, isa.CopyElemBytes: b.imm(isa.I64, 1), isa.CopyElems: size, isa.CopyLines: n,
		isa.CopySrcLine: stride, isa.CopyDstLine: size, isa.CopyEvent: ev}
	if !toLocal {
		a[isa.CopySrcLine], a[isa.CopyDstLine] = size, stride
	}
	return b.groupCopy(name, 2, a, et)
}

// toLocal says whether a copy between pointers of these types goes to LDS, and
// refuses one that does not go between LDS and global memory. A generic pointer
// is taken to be the other side of one that is not.
func (b *builder) toLocal(name string, dst, src *typ) bool {
	d, s := space(dst.storage), space(src.storage)
	switch {
	case d == isa.SpaceLocal && (s == isa.SpaceGlobal || s == isa.SpaceGeneric), d == isa.SpaceGeneric && s == isa.SpaceGlobal:
		return true
	case s == isa.SpaceLocal && (d == isa.SpaceGlobal || d == isa.SpaceGeneric), s == isa.SpaceGeneric && d == isa.SpaceGlobal:
		return false
	}
	b.fail("%s goes from %s to %s; it copies between local and global memory", name, s, d)
	return false
}

// stridedCopy makes a copy of n elements whose stride, nil for none, belongs to
// the side in global memory (OpGroupAsyncCopy; OpenCL C 6.15.11).
func (b *builder) stridedCopy(name string, toLocal bool, dst, src, size, n, stride, ev *ssa.Value, et *typ) *ssa.Value {
	a := copyArgs{isa.CopyDst: dst, isa.CopySrc: src, isa.CopyElemBytes: size, isa.CopyElems: n, isa.CopyEvent: ev}
	if stride != nil && !(stride.IsConst() && stride.Imm == 1) {
		if toLocal {
			a[isa.CopySrcLine] = stride
		} else {
			a[isa.CopyDstLine] = stride
		}
	}
	return b.groupCopy(name, 1, a, et)
}

// groupScope refuses every execution scope but Workgroup.
func (b *builder) groupScope(id spirv.ID) {
	b.checkGroupScope(uint64(b.executionScope(id)))
}

func (b *builder) checkGroupScope(s uint64) {
	if s != uint64(isa.ScopeWorkgroup) {
		b.fail("the execution scope %s is not supported; asynchronous copies, and waits for them, have scope Workgroup", spirv.Scope(s))
	}
}

// copy2D and copy3D are the orders of the operands of GroupAsyncCopy2D2D and
// GroupAsyncCopy3D3D (Codeplay.GroupAsyncCopies), which are also those of
// async_work_group_copy_2D2D and _3D3D (cl_khr_extended_async_copies).
var (
	copy2D = []isa.CopyArg{isa.CopyDst, isa.CopyDstOffset, isa.CopySrc, isa.CopySrcOffset, isa.CopyElemBytes, isa.CopyElems,
		isa.CopyLines, isa.CopySrcLine, isa.CopyDstLine, isa.CopyEvent}
	copy3D = []isa.CopyArg{isa.CopyDst, isa.CopyDstOffset, isa.CopySrc, isa.CopySrcOffset, isa.CopyElemBytes, isa.CopyElems,
		isa.CopyLines, isa.CopyPlanes, isa.CopySrcLine, isa.CopySrcPlane, isa.CopyDstLine, isa.CopyDstPlane, isa.CopyEvent}
)

// codeplayCopy reads an instruction of Codeplay.GroupAsyncCopies.
func (b *builder) codeplayCopy(in spirv.Inst, n uint32, ops []uint32) {
	order, dim := copy2D, 2
	switch n {
	case spirv.CodeplayGroupAsyncCopiesGroupAsyncCopy2D2D:
	case spirv.CodeplayGroupAsyncCopiesGroupAsyncCopy3D3D:
		order, dim = copy3D, 3
	default:
		b.fail("Codeplay.GroupAsyncCopies has no instruction %d", n)
	}
	name := fmt.Sprintf("GroupAsyncCopy%dD%dD", dim, dim)
	if len(ops) != len(order) {
		b.fail("%s has %d operands, not %d", name, len(order), len(ops))
	}
	var a copyArgs
	var types [isa.NumCopyArgs]*typ
	for i, w := range ops {
		v, t := b.one(spirv.ID(w))
		switch arg := order[i]; {
		case (arg == isa.CopyDst || arg == isa.CopySrc) && t.kind == kindPointer, arg == isa.CopyEvent && isEvent(t),
			arg != isa.CopyDst && arg != isa.CopySrc && arg != isa.CopyEvent && t.kind == kindInt:
			a[arg], types[arg] = b.wideEvent(v, t), t
		default:
			b.fail("operand %%%d (%s) has the type %s", w, arg, t.op)
		}
	}
	b.toLocal(name, types[isa.CopyDst], types[isa.CopySrc])
	b.set1(in, b.groupCopy(name, dim, a, b.m.typeOf(in.ResultType())))
}

// waitEvents reads OpGroupWaitEvents.
func (b *builder) waitEvents(in spirv.Inst) {
	ops := in.Operands()
	b.groupScope(spirv.ID(ops[0]))
	n, nt := b.one(spirv.ID(ops[1]))
	if nt.kind != kindInt {
		b.fail("the number of events is an integer")
	}
	p, pt := b.pointer(ops[2])
	b.waitList(n, nt, p, pt, b.m.pointee(pt))
}

// waitList waits for the n events that p points to. et is their type as far as
// somebody tells: of a pointer that leads to bytes or to an opaque structure,
// nobody does, and a handle is as wide as a pointer then.
func (b *builder) waitList(n *ssa.Value, nt *typ, p *ssa.Value, pt, et *typ) {
	if et == nil || !isEvent(et) {
		et = &typ{kind: kindEvent, bits: int(8 * b.m.ptrSize), size: b.m.ptrSize, align: b.m.ptrSize, flat: 1}
	}
	a := access{space: space(pt.storage)}
	wait := func(p *ssa.Value) {
		t := eventScalar(et)
		v := b.f.NewValue(isa.OpGroupWait, isa.Void, isa.Void, b.wide(b.loadScalar(p, t, a), t))
		b.add(v)
	}
	count := b.signed(nt, n)
	const most = 64 // waits in a row; a longer list has a loop
	if count.IsConst() && count.Signed() <= most {
		for i := int64(0); i < count.Signed(); i++ {
			wait(b.offset(p, i*int64(et.size)))
		}
		return
	}
	t := nt.scalar()
	head, body, next := b.f.NewBlock(""), b.f.NewBlock(""), b.f.NewBlock("")
	b.spend(3 * 16)
	pre := b.cur
	pre.Term, pre.TermLoc = ssa.TermBr, b.place()
	ssa.Link(pre, head)
	i := b.f.NewValue(ssa.OpPhi, t, t)
	i.Block, i.Loc = head, b.place()
	head.Phis = append(head.Phis, i)
	b.cur = head
	head.Cond = b.cmp(isa.OpLtS, t, i, count)
	head.Term, head.TermLoc = ssa.TermCond, b.place()
	ssa.Link(head, body)
	ssa.Link(head, next)
	b.cur = body
	wait(b.index(p, i, &typ{kind: kindInt, bits: t.Bits()}, et.size))
	i.Args = []*ssa.Value{b.imm(t, 0), b.bin(isa.OpAdd, t, i, b.imm(t, 1))}
	body.Term, body.TermLoc = ssa.TermBr, b.place()
	ssa.Link(body, head)
	b.cur = next
}
