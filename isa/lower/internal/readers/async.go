package readers

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// copyArgs are the operands of a group copy, each widened to 64 bits; nil where
// the copy does not have one.
type copyArgs [isa.NumCopyArgs]*ssa.Value

// wideInt zero-extends an integer, pointer or event of the given type to 64 bits.
func wideInt(b *build.Builder, v *ssa.Value, t *build.Type) *ssa.Value {
	return b.Resize(v, t.Scalar(), isa.I64)
}

// wideEvent is wide for an event of any type that can be one.
func wideEvent(b *build.Builder, v *ssa.Value, t *build.Type) *ssa.Value {
	return wideInt(b, v, eventScalar(t))
}

// isEvent says whether values of type t can name an event. Core SPIR-V has
// OpTypeEvent for it; functions that a module imports may use any type of one
// scalar that has room for a handle (ComputeMux, __mux_dma_event_t).
func isEvent(t *build.Type) bool {
	switch t.Kind {
	case build.KindEvent, build.KindPointer:
		return true
	case build.KindInt:
		return t.Bits >= 32
	case build.KindStruct:
		return len(t.Members) == 1 && isEvent(t.Members[0])
	}
	return false
}

// eventScalar returns the type of the only scalar of an event type.
func eventScalar(t *build.Type) *build.Type {
	for t.Kind == build.KindStruct {
		t = t.Members[0]
	}
	return t
}

// groupCopy makes a copy of the work-group and returns its event as a value of
// type et.
func groupCopy(b *build.Builder, name string, dim int, args copyArgs, et *build.Type) *ssa.Value {
	if !isEvent(et) {
		b.Fail("the result of %s is an event, not a value of type %s", name, et.Op)
	}
	c := isa.GroupCopy{Name: name, Dim: dim}
	var ops []*ssa.Value
	for i, v := range args {
		if v != nil {
			c.Args[i] = isa.S(0) // there; its register is known when bytecode is written
			ops = append(ops, v)
		}
	}
	v := b.Func.NewValue(isa.OpGroupCopy, isa.I64, isa.I64, ops...)
	v.Index = int32(len(b.GroupCopies))
	b.GroupCopies = append(b.GroupCopies, c)
	return b.Resize(b.Add(v), isa.I64, eventScalar(et).Scalar())
}

// pointer returns an operand that is a pointer, and its type.
func pointer(b *build.Builder, id uint32) (*ssa.Value, *build.Type) {
	p, t := b.One(spirv.ID(id))
	if t.Kind != build.KindPointer {
		b.Fail("operand %%%d is no pointer", id)
	}
	return p, t
}

// asyncCopy reads OpGroupAsyncCopy, and its form for untyped pointers, which
// gives the size of an element as an operand.
func asyncCopy(b *build.Builder, in spirv.Inst) {
	ops := in.Operands()
	groupScope(b, spirv.ID(ops[0]))
	dst, dt := pointer(b, ops[1])
	src, st := pointer(b, ops[2])
	rest := ops[3:]
	var size *ssa.Value
	if in.Op() == spirv.OpUntypedGroupAsyncCopyKHR {
		n, nt := b.One(spirv.ID(rest[0]))
		size, rest = wideInt(b, n, nt), rest[1:]
	} else {
		e := b.Module.Pointee(dt)
		if e == nil {
			e = b.Module.Pointee(st)
		}
		if e == nil || e.Size == 0 {
			b.Fail("the size of an element is unknown")
		}
		size = b.Imm(isa.I64, e.Size)
	}
	n, nt := b.One(spirv.ID(rest[0]))
	stride, sdt := b.One(spirv.ID(rest[1]))
	ev, et := b.One(spirv.ID(rest[2]))
	if nt.Kind != build.KindInt || sdt.Kind != build.KindInt || !isEvent(et) {
		b.Fail("the number of elements and the stride are integers, and the last operand is an event")
	}
	name := in.Op().String()
	toLocal, count, step, event, rt := toLocal(b, name, dt, st), wideInt(b, n, nt), wideInt(b, stride, sdt), wideEvent(b, ev, et), b.Module.TypeOf(in.ResultType())
	if in.Op() == spirv.OpUntypedGroupAsyncCopyKHR {
		b.SetOne(in, byteStridedCopy(b, name, toLocal, dst, src, size, count, step, event, rt))
		return
	}
	b.SetOne(in, stridedCopy(b, name, toLocal, dst, src, size, count, step, event, rt))
}

// byteStridedCopy is [stridedCopy] with a stride in bytes, as SPV_KHR_untyped_pointers has it: where that is not
// known to be some elements, a line of bytes for each element.
func byteStridedCopy(b *build.Builder, name string, toLocal bool, dst, src, size, n, stride, ev *ssa.Value, et *build.Type) *ssa.Value {
	if size.IsConst() && stride.IsConst() && size.Imm != 0 && stride.Imm != 0 && stride.Imm%size.Imm == 0 {
		return stridedCopy(b, name, toLocal, dst, src, size, n, b.Imm(isa.I64, stride.Imm/size.Imm), ev, et)
	}
	a := copyArgs{isa.CopyDst: dst, isa.CopySrc: src, isa.CopyElemBytes: b.Imm(isa.I64, 1), isa.CopyElems: size, isa.CopyLines: n,
		isa.CopySrcLine: stride, isa.CopyDstLine: size, isa.CopyEvent: ev}
	if !toLocal {
		a[isa.CopySrcLine], a[isa.CopyDstLine] = size, stride
	}
	return groupCopy(b, name, 2, a, et)
}

// toLocal says whether a copy between pointers of these types goes to LDS, and
// refuses one that does not go between LDS and global memory. A generic pointer
// is taken to be the other side of one that is not.
func toLocal(b *build.Builder, name string, dst, src *build.Type) bool {
	d, s := build.Space(dst.Storage), build.Space(src.Storage)
	switch {
	case d == isa.SpaceLocal && (s == isa.SpaceGlobal || s == isa.SpaceGeneric), d == isa.SpaceGeneric && s == isa.SpaceGlobal:
		return true
	case s == isa.SpaceLocal && (d == isa.SpaceGlobal || d == isa.SpaceGeneric), s == isa.SpaceGeneric && d == isa.SpaceGlobal:
		return false
	}
	b.Fail("%s goes from %s to %s; it copies between local and global memory", name, s, d)
	return false
}

// stridedCopy makes a copy of n elements whose stride, nil for none, belongs to
// the side in global memory (OpGroupAsyncCopy; OpenCL C 6.15.11).
func stridedCopy(b *build.Builder, name string, toLocal bool, dst, src, size, n, stride, ev *ssa.Value, et *build.Type) *ssa.Value {
	a := copyArgs{isa.CopyDst: dst, isa.CopySrc: src, isa.CopyElemBytes: size, isa.CopyElems: n, isa.CopyEvent: ev}
	if stride != nil && !(stride.IsConst() && stride.Imm == 1) {
		if toLocal {
			a[isa.CopySrcLine] = stride
		} else {
			a[isa.CopyDstLine] = stride
		}
	}
	return groupCopy(b, name, 1, a, et)
}

// groupScope refuses every execution scope but Workgroup.
func groupScope(b *build.Builder, id spirv.ID) {
	checkGroupScope(b, uint64(b.ExecutionScope(id)))
}

func checkGroupScope(b *build.Builder, s uint64) {
	if s != uint64(isa.ScopeWorkgroup) {
		b.Fail("the execution scope %s is not supported; asynchronous copies, and waits for them, have scope Workgroup", spirv.Scope(s))
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
func codeplayCopy(b *build.Builder, in spirv.Inst, n uint32, ops []uint32) {
	order, dim := copy2D, 2
	switch n {
	case spirv.CodeplayGroupAsyncCopiesGroupAsyncCopy2D2D:
	case spirv.CodeplayGroupAsyncCopiesGroupAsyncCopy3D3D:
		order, dim = copy3D, 3
	default:
		b.Fail("Codeplay.GroupAsyncCopies has no instruction %d", n)
	}
	name := fmt.Sprintf("GroupAsyncCopy%dD%dD", dim, dim)
	if len(ops) != len(order) {
		b.Fail("%s has %d operands, not %d", name, len(order), len(ops))
	}
	var a copyArgs
	var types [isa.NumCopyArgs]*build.Type
	for i, w := range ops {
		v, t := b.One(spirv.ID(w))
		switch arg := order[i]; {
		case (arg == isa.CopyDst || arg == isa.CopySrc) && t.Kind == build.KindPointer, arg == isa.CopyEvent && isEvent(t),
			arg != isa.CopyDst && arg != isa.CopySrc && arg != isa.CopyEvent && t.Kind == build.KindInt:
			a[arg], types[arg] = wideEvent(b, v, t), t
		default:
			b.Fail("operand %%%d (%s) has the type %s", w, arg, t.Op)
		}
	}
	toLocal(b, name, types[isa.CopyDst], types[isa.CopySrc])
	b.SetOne(in, groupCopy(b, name, dim, a, b.Module.TypeOf(in.ResultType())))
}

// waitEvents reads OpGroupWaitEvents.
func waitEvents(b *build.Builder, in spirv.Inst) {
	ops := in.Operands()
	groupScope(b, spirv.ID(ops[0]))
	n, nt := b.One(spirv.ID(ops[1]))
	if nt.Kind != build.KindInt {
		b.Fail("the number of events is an integer")
	}
	p, pt := pointer(b, ops[2])
	waitList(b, n, nt, p, pt, b.Module.Pointee(pt))
}

// waitList waits for the n events that p points to. et is their type as far as
// somebody tells: of a pointer that leads to bytes or to an opaque structure,
// nobody does, and a handle is as wide as a pointer then.
func waitList(b *build.Builder, n *ssa.Value, nt *build.Type, p *ssa.Value, pt, et *build.Type) {
	if et == nil || !isEvent(et) {
		et = &build.Type{Kind: build.KindEvent, Bits: int(8 * b.Module.PtrSize), Size: b.Module.PtrSize, Align: b.Module.PtrSize, Flat: 1}
	}
	a := build.Access{Space: build.Space(pt.Storage)}
	wait := func(p *ssa.Value) {
		t := eventScalar(et)
		v := b.Func.NewValue(isa.OpGroupWait, isa.Void, isa.Void, wideInt(b, b.LoadScalar(p, t, a), t))
		b.Add(v)
	}
	count := b.Signed(nt, n)
	const most = 64 // waits in a row; a longer list has a loop
	if count.IsConst() && count.Signed() <= most {
		for i := int64(0); i < count.Signed(); i++ {
			wait(b.Offset(p, i*int64(et.Size)))
		}
		return
	}
	t := nt.Scalar()
	head, body, next := b.Func.NewBlock(""), b.Func.NewBlock(""), b.Func.NewBlock("")
	b.Spend(3 * 16)
	pre := b.Cur
	pre.Term, pre.TermLoc = ssa.TermBr, b.Place()
	ssa.Link(pre, head)
	i := b.Func.NewValue(ssa.OpPhi, t, t)
	i.Block, i.Loc = head, b.Place()
	head.Phis = append(head.Phis, i)
	b.Cur = head
	head.Cond = b.Cmp(isa.OpLtS, t, i, count)
	head.Term, head.TermLoc = ssa.TermCond, b.Place()
	ssa.Link(head, body)
	ssa.Link(head, next)
	b.Cur = body
	wait(b.Index(p, i, &build.Type{Kind: build.KindInt, Bits: t.Bits()}, et.Size))
	i.Args = []*ssa.Value{b.Imm(t, 0), b.Bin(isa.OpAdd, t, i, b.Imm(t, 1))}
	body.Term, body.TermLoc = ssa.TermBr, b.Place()
	ssa.Link(body, head)
	b.Cur = next
}
