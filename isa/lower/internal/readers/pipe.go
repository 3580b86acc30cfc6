package readers

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// A pipe is its handle: that of a storage, with the end of the pipe that it has
// been made for in the offset (isa.PipeReadEnd). Reservation ids are plain
// numbers, 0 when they are not valid. A pipe instruction is isa.OpPipe with an
// entry in Kernel.PipeAccesses; it is an effect, and differs by lane.
//
// A blocking instruction tries, in a block of its own, and that block branches
// back to itself for the lanes that have got nothing (isa.FlagWait). An
// instruction of a work-group is made by one of its lanes between barriers.

// pipeEnd returns the handle of an end of the pipe with the given storage.
func pipeEnd(b *build.Builder, storage *ssa.Value, p isa.PipeParam) *ssa.Value {
	switch p {
	case isa.PipeParam{Reads: true}:
		return b.Offset(storage, isa.PipeReadEnd)
	case isa.PipeParam{Writes: true}:
		return b.Offset(storage, isa.PipeWriteEnd)
	}
	return storage
}

// pipeCall is a pipe instruction, or a call of the function that stands for one.
type pipeCall struct {
	name     string
	op       isa.PipeOp
	scope    isa.Scope
	blocking bool

	pipe, pointer, reserve *ssa.Value
	index, count           *ssa.Value // in 32 bits, as are the next
	bytes, align           *ssa.Value
}

// pipeOp makes the instruction and returns its result, nil when it has none.
func pipeOp(b *build.Builder, c *pipeCall) *ssa.Value {
	if c.scope == isa.ScopeWorkgroup {
		return workgroupPipe(b, c)
	}
	if c.blocking {
		return blockingPipe(b, c)
	}
	return pipeInst(b, c)
}

// pipeInst adds the instruction.
func pipeInst(b *build.Builder, c *pipeCall) *ssa.Value {
	const present = isa.Reg(1) // until registers are known
	a := isa.PipeAccess{Name: c.name, Op: c.op, Scope: c.scope, Blocking: c.blocking}
	var args []*ssa.Value
	// In the order of PipeAccess.Regs.
	for _, o := range []struct {
		r *isa.Reg
		v *ssa.Value
	}{
		{&a.Pipe, c.pipe}, {&a.Pointer, c.pointer}, {&a.Reserve, c.reserve}, {&a.Index, c.index}, {&a.Count, c.count},
		{&a.PacketBytes, c.bytes}, {&a.PacketAlign, c.align},
	} {
		if o.v != nil {
			*o.r = present
			args = append(args, o.v)
		}
	}
	t := c.op.Result()
	v := b.Func.NewValue(isa.OpPipe, t, t, args...)
	v.Index, v.Imm2 = int32(len(b.PipeAccesses)), uint8(c.op)
	if c.scope == isa.ScopeSubgroup {
		v.Flags = isa.FlagUniform
	}
	b.PipeAccesses = append(b.PipeAccesses, a)
	return b.Add(v)
}

// blockingPipe tries until the packet has moved, and returns the result of a
// try that did.
func blockingPipe(b *build.Builder, c *pipeCall) *ssa.Value {
	try, next := newBlock(b), newBlock(b)
	goTo(b, try)
	try.Wait = pipeInst(b, c)
	try.Cond = b.Cmp(isa.OpEq, isa.I32, try.Wait, b.Imm(isa.I32, 0))
	try.Term, try.TermLoc = ssa.TermCond, b.Place()
	ssa.Link(try, next)
	ssa.Link(try, try)
	b.Cur = next
	return b.Imm(isa.I32, 0)
}

// workgroupPipe lets the work-item with the local id 0 do it for the group. A
// commit comes when everybody has done with the packets; a reservation is handed
// round in LDS.
func workgroupPipe(b *build.Builder, c *pipeCall) *ssa.Value {
	first := func(do func()) {
		i := b.Builtin(spirv.BuiltInLocalInvocationIndex, 0, isa.I32)
		ifThen(b, b.Cmp(isa.OpEq, isa.I32, i, b.Imm(isa.I32, 0)), do)
	}
	t := c.op.Result()
	if t == isa.Void {
		slotBarrier(b)
		first(func() { pipeInst(b, c) })
		return nil
	}
	groupSlots(b, 1)
	slot := b.Imm(isa.I32, 0)
	first(func() { putSlot(b, t, slot, pipeInst(b, c)) })
	slotBarrier(b)
	r := getSlot(b, t, slot)
	slotBarrier(b)
	return r
}

// pipeInfo says how an instruction of SPIR-V 3.3.23, or of
// SPV_INTEL_blocking_pipes, is made up; the packet's size and alignment end all
// of them.
type pipeInfo struct {
	op       isa.PipeOp
	scoped   bool // an execution scope comes first
	blocking bool
}

var pipeInsts = map[spirv.Op]pipeInfo{
	spirv.OpReadPipe:                     {op: isa.PipeRead},
	spirv.OpWritePipe:                    {op: isa.PipeWrite},
	spirv.OpReservedReadPipe:             {op: isa.PipeReservedRead},
	spirv.OpReservedWritePipe:            {op: isa.PipeReservedWrite},
	spirv.OpReserveReadPipePackets:       {op: isa.PipeReserveRead},
	spirv.OpReserveWritePipePackets:      {op: isa.PipeReserveWrite},
	spirv.OpCommitReadPipe:               {op: isa.PipeCommitRead},
	spirv.OpCommitWritePipe:              {op: isa.PipeCommitWrite},
	spirv.OpGetNumPipePackets:            {op: isa.PipeNumPackets},
	spirv.OpGetMaxPipePackets:            {op: isa.PipeMaxPackets},
	spirv.OpGroupReserveReadPipePackets:  {op: isa.PipeReserveRead, scoped: true},
	spirv.OpGroupReserveWritePipePackets: {op: isa.PipeReserveWrite, scoped: true},
	spirv.OpGroupCommitReadPipe:          {op: isa.PipeCommitRead, scoped: true},
	spirv.OpGroupCommitWritePipe:         {op: isa.PipeCommitWrite, scoped: true},
	spirv.OpReadPipeBlockingALTERA:       {op: isa.PipeRead, blocking: true},
	spirv.OpWritePipeBlockingALTERA:      {op: isa.PipeWrite, blocking: true},
}

// pipe reads a pipe instruction.
func pipe(b *build.Builder, in spirv.Inst) {
	op, ops := in.Op(), in.Operands()
	g := &groupCall{op: op}
	if in.ResultType() != 0 {
		g.rt = b.Module.TypeOf(in.ResultType())
	}
	for _, w := range ops {
		v, t := b.Vals(spirv.ID(w))
		g.a, g.t = append(g.a, v), append(g.t, t)
	}
	switch op {
	case spirv.OpCreatePipeFromPipeStorage:
		// The SPIR-V translator passes on what SYCL has for a storage.
		b.SetOne(in, createPipe(b, &clCall{in: in, name: op.String(), args: g.a, types: g.t, rt: g.rt}, b.Module.PipeParam(g.rt)))
	case spirv.OpIsValidReserveId:
		b.SetOne(in, validReserve(b, g.a[0][0]))
	default:
		if r := pipeFrom(b, op.String(), pipeInsts[op], g); r != nil {
			b.SetOne(in, r)
		}
	}
}

// validReserve is OpIsValidReserveId.
func validReserve(b *build.Builder, id *ssa.Value) *ssa.Value {
	return b.Cmp(isa.OpNe, isa.I64, id, b.Imm(isa.I64, 0))
}

// pipeFrom makes a pipe instruction from operands that stand in the order of
// SPIR-V's, and returns its result in the type of g.
func pipeFrom(b *build.Builder, name string, info pipeInfo, g *groupCall) *ssa.Value {
	c := &pipeCall{name: name, op: info.op, scope: isa.ScopeInvocation, blocking: info.blocking}
	at := 0
	next := func() (*ssa.Value, *build.Type) {
		if at >= len(g.a) || len(g.a[at]) != 1 {
			b.Fail("%s has no operand %d that is a scalar", name, at+1)
		}
		at++
		return g.a[at-1][0], g.t[at-1]
	}
	handle := func(what string) *ssa.Value {
		v, t := next()
		if v.Type != isa.I64 || t.Kind == build.KindInt || t.Kind == build.KindFloat {
			b.Fail("operand %d of %s is no %s", at, name, what)
		}
		return v
	}
	number := func() *ssa.Value {
		v, t := next()
		if t.Kind != build.KindInt {
			b.Fail("operand %d of %s is no integer", at, name)
		}
		return count32(b, v, t)
	}
	if info.scoped {
		c.scope = scope(b, g)
		at++
	}
	c.pipe = handle("pipe")
	switch info.op {
	case isa.PipeRead, isa.PipeWrite:
		c.pointer = handle("pointer")
	case isa.PipeReservedRead, isa.PipeReservedWrite:
		c.reserve = handle("reservation")
		c.index = number()
		c.pointer = handle("pointer")
	case isa.PipeReserveRead, isa.PipeReserveWrite:
		c.count = number()
	case isa.PipeCommitRead, isa.PipeCommitWrite:
		c.reserve = handle("reservation")
	}
	c.bytes, c.align = number(), number()
	if at != len(g.a) {
		b.Fail("%s has %d operands, not %d", name, at, len(g.a))
	}
	return pipeResult(b, pipeOp(b, c), c.op, g.rt)
}

// count32 brings an unsigned number into 32 bits; what does not fit there is
// more than any pipe has.
func count32(b *build.Builder, v *ssa.Value, t *build.Type) *ssa.Value {
	s := t.Scalar()
	if s == isa.I64 {
		v = b.Bin(isa.OpMinU, s, v, b.Imm(s, math.MaxUint32))
	}
	return b.Resize(v, s, isa.I32)
}

// pipeResult brings the result of an operation into the type that it is asked
// for; nil for none.
func pipeResult(b *build.Builder, v *ssa.Value, op isa.PipeOp, t *build.Type) *ssa.Value {
	if v == nil || t == nil || t.Kind == build.KindVoid {
		return nil
	}
	s := t.Scalar()
	switch {
	case t.Flat != 1:
	case op.Result() == isa.I64 && s == isa.I64:
		return v
	case op.Result() == isa.I32 && t.Kind == build.KindInt:
		if op != isa.PipeNumPackets && op != isa.PipeMaxPackets && s == isa.I64 {
			return b.Norm(t, b.Conv(isa.OpSExt, s, isa.I32, v)) // -1 stays that
		}
		return b.Norm(t, b.Resize(v, isa.I32, s))
	}
	b.Fail("the result is no value of type %s", t.Op)
	return nil
}
