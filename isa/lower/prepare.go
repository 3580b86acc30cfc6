package lower

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
	varTypes []*typ       // what they hold
}

// locCall is the place in prepared.locs that stands for the call, and ends the chain of each other place.
const locCall = 1

// mostPrepared is the number of instructions of the largest body, calls inlined, that is prepared. The limit on a
// kernel's size leaves room for few calls of larger ones.
const mostPrepared = 1 << 18

// plainOps has a bit for each instruction that means the same wherever its function is called, whatever the arguments
// are, and needs no entry in a table of the kernel. A function with others is read at each call.
var plainOps = func() (set [1 << 16 / 64]uint64) {
	ops := slices.Concat(slices.Collect(maps.Keys(intBin)), slices.Collect(maps.Keys(floatBin)),
		slices.Collect(maps.Keys(intCmp)), slices.Collect(maps.Keys(floatCmp)))
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
func (m *module) plain(in spirv.Inst) bool {
	op := in.Op()
	switch {
	case plainOps[op/64]>>(op%64)&1 == 0:
		return false
	case op == spirv.OpExtInst:
		set := m.sets[spirv.ID(in.Operand(0))]
		return set == "OpenCL.std" && in.Operand(1) != spirv.OpenCLStdPrintf || set == debugInfo || spirv.NonSemantic(set) && set != groupAsyncCopies
	}
	return true
}

// choosePrepared finds the functions that a kernel calls often enough, from where it begins.
func (b *builder) choosePrepared(kernel *function) {
	m := b.m
	// Of kernels for checks, each place says something of its own; undefined values have a number in others. Bodies are kept
	// for kernels that are lowered for memory that nobody shares.
	if m.checked || m.shared || m.debug || m.opt.Poison != 0 || m.opt.Prepare == nil {
		return
	}
	if m.cut(kernel); len(kernel.calls) == 0 {
		return
	}
	c := &callGraph{m: m, nodes: map[*function]*callNode{}}
	if !c.visit(kernel, 0) || c.nodes[kernel].size < m.opt.LeastPrepared {
		return
	}
	// Callers come first.
	c.nodes[kernel].reads = 1
	for i := len(c.order) - 1; i >= 0; i-- {
		f := c.order[i]
		n := c.nodes[f]
		times := n.reads
		if times > 1 && n.plain && n.size <= mostPrepared && f != kernel && m.names[f.def.ResultID()] != b.k.Name {
			if b.bodyOf == nil {
				b.bodyOf = map[*function]*prepared{}
			}
			b.bodyOf[f] = nil
			times = 1
		}
		for _, g := range f.calls {
			if x := c.nodes[g]; x.reads <= m.opt.MaxInstructions {
				x.reads += times
			}
		}
	}
}

// callGraph has the functions that a kernel calls.
type callGraph struct {
	m     *module
	nodes map[*function]*callNode
	order []*function // callers come later
}

type callNode struct {
	size  int  // instructions with calls inlined, as far as the limit
	plain bool // it and what it calls have plain instructions only
	reads int  // times that its body would be read
	done  bool
}

// visit walks over a function and what it calls. It returns false for calls that inlining refuses.
func (c *callGraph) visit(f *function, depth int) bool {
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
		n.size = min(n.size+callee.size, c.m.opt.MaxInstructions)
	}
	n.done = true
	c.order = append(c.order, f)
	return true
}

// prepared returns the body of f to be copied, or nil where f is to be read.
func (b *builder) prepared(f *function) *prepared {
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
func (b *builder) prepare(f *function) *prepared {
	outer := *b
	locs, private := b.k.Locs, b.k.Private
	b.f = outer.f.Sibling()
	b.k.Locs, b.k.Private, b.varTypes = make([]isa.Loc, locCall+1), nil, nil
	b.locs, b.atCall = map[isa.Loc]uint32{}, map[inlining]uint32{}
	b.loc, b.hasLoc, b.unfit = locCall, true, false
	b.cur = b.f.NewBlock("")

	p := b.readAlone(f)
	if p != nil {
		p.locs, p.private, p.varTypes = b.k.Locs, b.k.Private, b.varTypes
	}
	outer.f.NumValues = b.f.NumValues
	b.f, b.k.Locs, b.k.Private, b.varTypes = outer.f, locs, private, outer.varTypes
	b.locs, b.atCall, b.loc, b.hasLoc, b.unfit = outer.locs, outer.atCall, outer.loc, outer.hasLoc, outer.unfit
	b.cur, b.in, b.m.at = outer.cur, outer.in, outer.in
	return p
}

// readAlone is the part of prepare that makes the blocks.
func (b *builder) readAlone(f *function) *prepared {
	var args [][]*ssa.Value
	n := 0
	for _, in := range f.params {
		t := b.m.typeOf(in.ResultType())
		if t.flat > maxFlat || t.kind == kindPointer && t.storage == spirv.StorageClassInput {
			return nil
		}
		arg := make([]*ssa.Value, 0, t.flat)
		t.leaves(0, func(l leaf) {
			v := b.f.NewValue(ssa.OpArg, l.t.scalar(), l.t.scalar())
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
	v := b.f.NewValue(ssa.OpResult, isa.Void, isa.Void, b.returned(rets, b.m.typeOf(f.def.ResultType()))...)
	v.Block = b.cur
	b.cur.Insts = append(b.cur.Insts, v)
	b.cur.Term = ssa.TermRet

	opt.CleanCFG(b.f)
	if err := b.m.opt.Prepare(b); err != nil {
		panic(cancelled{err})
	}
	b.f.Need(ssa.AnalysisOrder)
	p := &prepared{blocks: b.f.Blocks, exit: -1}
	for i, blk := range b.f.Blocks {
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
	if p.exit < 0 || len(b.f.Blocks[0].Preds) > 0 {
		return nil // it never returns, or begins with a loop
	}
	return p
}
