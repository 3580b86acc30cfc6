package build

import (
	"maps"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// prepared is the body of a function that a kernel calls again and again: read, promoted and simplified once, and
// copied to each of its calls (paste.go). Without it, all passes would do the same work for each call.
type prepared struct {
	blocks   []*ssa.Block // in reverse post-order; Value.Pos of what stands in them is a number from 0 on
	exit     int          // place in blocks of the one that returns; its last instruction is the OpResult
	values   int          // in blocks
	locs     []isa.Loc    // what Value.Loc leads to; locCall is the call
	private  []isa.Alloc  // what Value.Index of an OpPrivate leads to
	varTypes []*Type      // what they hold
}

// locCall is the place in prepared.locs that stands for the call, and ends the chain of each other place.
const locCall = 1

// mostPrepared is the number of instructions of the largest body, calls inlined, that is prepared. The limit on a
// kernel's size leaves room for few calls of larger ones.
const mostPrepared = 1 << 18

// plainOps has a bit for each instruction that means the same wherever its function is called, whatever the arguments
// are, and needs no entry in a table of the kernel. A function with others is read at each call.
var plainOps = func() (set [1 << 16 / 64]uint64) {
	ops := slices.Concat(slices.Collect(maps.Keys(IntBin)), slices.Collect(maps.Keys(FloatBin)),
		slices.Collect(maps.Keys(IntCmp)), slices.Collect(maps.Keys(FloatCmp)))
	for _, op := range append(ops,
		spirv.OpNop, spirv.OpLoopMerge, spirv.OpSelectionMerge, spirv.OpLifetimeStart, spirv.OpLifetimeStop, spirv.OpAssumeTrueKHR,
		spirv.OpLine, spirv.OpNoLine, spirv.OpUndef, spirv.OpFunctionCall, spirv.OpExtInst,
		spirv.OpPhi, spirv.OpReturn, spirv.OpReturnValue, spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpUnreachable,
		spirv.OpSNegate, spirv.OpNot, spirv.OpFNegate, spirv.OpLogicalNot, spirv.OpLogicalAnd, spirv.OpLogicalOr,
		spirv.OpLogicalNotEqual, spirv.OpLogicalEqual, spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic,
		spirv.OpBitCount, spirv.OpBitReverse, spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract,
		spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended, spirv.OpVectorTimesScalar, spirv.OpDot,
		spirv.OpSelect, spirv.OpAny, spirv.OpAll, spirv.OpIsNan, spirv.OpIsInf, spirv.OpIsFinite, spirv.OpIsNormal, spirv.OpSignBitSet,
		spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpUConvert, spirv.OpSConvert,
		spirv.OpFConvert, spirv.OpSatConvertSToU, spirv.OpSatConvertUToS, spirv.OpConvertPtrToU, spirv.OpConvertUToPtr,
		spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr, spirv.OpBitcast,
		spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic, spirv.OpVectorShuffle, spirv.OpCompositeConstruct,
		spirv.OpCompositeExtract, spirv.OpCompositeInsert, spirv.OpCopyObject, spirv.OpCopyLogical, spirv.OpFreezeKHR, spirv.OpExpectKHR,
		spirv.OpVariable, spirv.OpLoad, spirv.OpStore, spirv.OpCopyMemory, spirv.OpCopyMemorySized,
		spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain, spirv.OpPtrDiff) {
		set[op/64] |= 1 << (op % 64)
	}
	return set
}()

// plain says whether an instruction is one of plainOps, with operands as these take them to be.
func (m *Module) plain(in spirv.Inst) bool {
	op := in.Op()
	switch {
	case plainOps[op/64]>>(op%64)&1 == 0:
		return false
	case op == spirv.OpExtInst:
		set := m.Sets[spirv.ID(in.Operand(0))]
		return set == "OpenCL.std" && in.Operand(1) != spirv.OpenCLStdPrintf || set == DebugInfo || spirv.NonSemantic(set) && set != GroupAsyncCopies
	}
	return true
}

// choosePrepared finds the functions that a kernel calls often enough, from where it begins.
func (b *Builder) choosePrepared(kernel *Function) {
	m := b.Module
	// Of kernels for checks, each place says something of its own; undefined values have a number in others. Bodies are kept
	// for kernels that are lowered for memory that nobody shares.
	if m.Checked || m.Shared || m.Debug || m.Options.Poison != 0 || m.Options.Prepare == nil {
		return
	}
	if m.cut(kernel); len(kernel.calls) == 0 {
		return
	}
	c := &callGraph{m: m, nodes: map[*Function]*callNode{}}
	if !c.visit(kernel, 0) || c.nodes[kernel].size < m.Options.LeastPrepared {
		return
	}
	// Callers come first.
	c.nodes[kernel].reads = 1
	for i := len(c.order) - 1; i >= 0; i-- {
		f := c.order[i]
		n := c.nodes[f]
		times := n.reads
		if times > 1 && n.plain && n.size <= mostPrepared && f != kernel && m.Names[f.Def.ResultID()] != b.Kernel.Name {
			if b.bodyOf == nil {
				b.bodyOf = map[*Function]*prepared{}
			}
			b.bodyOf[f] = nil
			times = 1
		}
		for _, g := range f.calls {
			if x := c.nodes[g]; x.reads <= m.Options.MaxInstructions {
				x.reads += times
			}
		}
	}
}

// callGraph has the functions that a kernel calls.
type callGraph struct {
	m     *Module
	nodes map[*Function]*callNode
	order []*Function // callers come later
}

type callNode struct {
	size  int  // instructions with calls inlined, as far as the limit
	plain bool // it and what it calls have plain instructions only
	reads int  // times that its body would be read
	done  bool
}

// visit walks over a function and what it calls. It returns false for calls that inlining refuses.
func (c *callGraph) visit(f *Function, depth int) bool {
	if n := c.nodes[f]; n != nil {
		return n.done
	}
	if depth > maxCalls {
		return false
	}
	n := &callNode{size: f.size}
	c.nodes[f] = n
	c.m.cut(f)
	n.plain = f.plain
	for _, g := range f.calls {
		if !c.visit(g, depth+1) {
			return false
		}
		callee := c.nodes[g]
		n.plain = n.plain && callee.plain
		n.size = min(n.size+callee.size, c.m.Options.MaxInstructions)
	}
	n.done = true
	c.order = append(c.order, f)
	return true
}

// prepared returns the body of f to be copied, or nil where f is to be read.
func (b *Builder) prepared(f *Function) *prepared {
	p, chosen := b.bodyOf[f]
	if chosen && p == nil {
		if p = b.prepare(f); p == nil {
			delete(b.bodyOf, f)
		} else {
			b.bodyOf[f] = p
		}
	}
	return p
}

// prepare reads the body of a function by itself. It returns nil for one that has to be read where it is called.
func (b *Builder) prepare(f *Function) *prepared {
	outer := *b
	locs, private := b.Kernel.Locs, b.Kernel.Private
	b.Func = outer.Func.Sibling()
	b.Kernel.Locs, b.Kernel.Private, b.varTypes = make([]isa.Loc, locCall+1), nil, nil
	b.locs, b.atCall = map[isa.Loc]uint32{}, map[inlining]uint32{}
	b.loc, b.HasLoc, b.unfit = locCall, true, false
	b.Cur = b.Func.NewBlock("")

	p := b.readAlone(f)
	if p != nil {
		p.locs, p.private, p.varTypes = b.Kernel.Locs, b.Kernel.Private, b.varTypes
	}
	outer.Func.NumValues = b.Func.NumValues
	b.Func, b.Kernel.Locs, b.Kernel.Private, b.varTypes = outer.Func, locs, private, outer.varTypes
	b.locs, b.atCall, b.loc, b.HasLoc, b.unfit = outer.locs, outer.atCall, outer.loc, outer.HasLoc, outer.unfit
	b.Cur, b.In, b.Module.at = outer.Cur, outer.In, outer.In
	return p
}

// readAlone is the part of prepare that makes the blocks.
func (b *Builder) readAlone(f *Function) *prepared {
	var args [][]*ssa.Value
	n := 0
	for _, in := range f.Params {
		t := b.Module.TypeOf(in.ResultType())
		if t.Flat > MaxFlat || t.Kind == KindPointer && t.Storage == spirv.StorageClassInput {
			return nil
		}
		arg := make([]*ssa.Value, 0, t.Flat)
		t.leaves(0, func(l leaf) {
			v := b.Func.NewValue(ssa.OpArg, l.t.Scalar(), l.t.Scalar())
			v.Index = int32(n)
			n++
			arg = append(arg, v)
		})
		args = append(args, arg)
	}
	rets := b.inline(f, args)
	if len(rets) == 0 || b.unfit {
		return nil
	}
	v := b.Func.NewValue(ssa.OpResult, isa.Void, isa.Void, b.returned(rets, b.Module.TypeOf(f.Def.ResultType()))...)
	v.Block = b.Cur
	b.Cur.Insts = append(b.Cur.Insts, v)
	b.Cur.Term = ssa.TermRet

	opt.CleanCFG(b.Func)
	if err := b.Module.Options.Prepare(b); err != nil {
		panic(Cancelled{err})
	}
	b.Func.Need(ssa.AnalysisOrder)
	p := &prepared{blocks: b.Func.Blocks, exit: -1}
	for i, blk := range b.Func.Blocks {
		if blk.Term == ssa.TermRet {
			p.exit = i
		}
		for _, list := range [2][]*ssa.Value{blk.Phis, blk.Insts} {
			for _, v := range list {
				v.Pos = int32(p.values)
				p.values++
			}
		}
	}
	if p.exit < 0 || len(b.Func.Blocks[0].Preds) > 0 {
		return nil // it never returns, or begins with a loop
	}
	return p
}
