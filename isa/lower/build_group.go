package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Group operations. At sub-group scope they are instructions of the bytecode;
// at work-group scope they are built from those (build_workgroup.go). Imported
// functions that stand for them come here as well, as the instruction that they
// amount to.

// groupCall is a group instruction with its operands: the scalars of ids, and
// constants for literals.
type groupCall struct {
	op spirv.Op
	a  [][]*ssa.Value
	t  []*typ // types of the operands; nil for constants
	rt *typ   // of the result, nil where there is none
}

// groupArith has the reductions and scans. Those of a uniform group must be run
// by all of its work-items.
var groupArith = map[spirv.Op]struct {
	op      isa.ScanOp
	uniform bool
}{
	spirv.OpGroupIAdd: {isa.ScanAdd, true}, spirv.OpGroupFAdd: {isa.ScanFAdd, true},
	spirv.OpGroupFMin: {isa.ScanFMin, true}, spirv.OpGroupUMin: {isa.ScanMinU, true}, spirv.OpGroupSMin: {isa.ScanMinS, true},
	spirv.OpGroupFMax: {isa.ScanFMax, true}, spirv.OpGroupUMax: {isa.ScanMaxU, true}, spirv.OpGroupSMax: {isa.ScanMaxS, true},
	spirv.OpGroupIMulKHR: {isa.ScanMul, true}, spirv.OpGroupFMulKHR: {isa.ScanFMul, true},
	spirv.OpGroupBitwiseAndKHR: {isa.ScanAnd, true}, spirv.OpGroupBitwiseOrKHR: {isa.ScanOr, true}, spirv.OpGroupBitwiseXorKHR: {isa.ScanXor, true},
	spirv.OpGroupLogicalAndKHR: {isa.ScanAnd, true}, spirv.OpGroupLogicalOrKHR: {isa.ScanOr, true}, spirv.OpGroupLogicalXorKHR: {isa.ScanXor, true},

	spirv.OpGroupNonUniformIAdd: {op: isa.ScanAdd}, spirv.OpGroupNonUniformFAdd: {op: isa.ScanFAdd},
	spirv.OpGroupNonUniformIMul: {op: isa.ScanMul}, spirv.OpGroupNonUniformFMul: {op: isa.ScanFMul},
	spirv.OpGroupNonUniformSMin: {op: isa.ScanMinS}, spirv.OpGroupNonUniformUMin: {op: isa.ScanMinU}, spirv.OpGroupNonUniformFMin: {op: isa.ScanFMin},
	spirv.OpGroupNonUniformSMax: {op: isa.ScanMaxS}, spirv.OpGroupNonUniformUMax: {op: isa.ScanMaxU}, spirv.OpGroupNonUniformFMax: {op: isa.ScanFMax},
	spirv.OpGroupNonUniformBitwiseAnd: {op: isa.ScanAnd}, spirv.OpGroupNonUniformBitwiseOr: {op: isa.ScanOr}, spirv.OpGroupNonUniformBitwiseXor: {op: isa.ScanXor},
	spirv.OpGroupNonUniformLogicalAnd: {op: isa.ScanAnd}, spirv.OpGroupNonUniformLogicalOr: {op: isa.ScanOr}, spirv.OpGroupNonUniformLogicalXor: {op: isa.ScanXor},

	spirv.OpGroupIAddNonUniformAMD: {op: isa.ScanAdd}, spirv.OpGroupFAddNonUniformAMD: {op: isa.ScanFAdd},
	spirv.OpGroupFMinNonUniformAMD: {op: isa.ScanFMin}, spirv.OpGroupUMinNonUniformAMD: {op: isa.ScanMinU}, spirv.OpGroupSMinNonUniformAMD: {op: isa.ScanMinS},
	spirv.OpGroupFMaxNonUniformAMD: {op: isa.ScanFMax}, spirv.OpGroupUMaxNonUniformAMD: {op: isa.ScanMaxU}, spirv.OpGroupSMaxNonUniformAMD: {op: isa.ScanMaxS},
}

// groupOps are the group operations that groupArith does not have.
var groupOps = []spirv.Op{
	spirv.OpGroupAll, spirv.OpGroupAny, spirv.OpGroupBroadcast,
	spirv.OpGroupNonUniformElect, spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformAllEqual,
	spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformBroadcastFirst, spirv.OpGroupNonUniformBallot,
	spirv.OpGroupNonUniformInverseBallot, spirv.OpGroupNonUniformBallotBitExtract, spirv.OpGroupNonUniformBallotBitCount,
	spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB, spirv.OpGroupNonUniformShuffle,
	spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown,
	spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadSwap, spirv.OpGroupNonUniformQuadAllKHR,
	spirv.OpGroupNonUniformQuadAnyKHR, spirv.OpGroupNonUniformRotateKHR, spirv.OpGroupNonUniformPartitionEXT,
	spirv.OpSubgroupBallotKHR, spirv.OpSubgroupFirstInvocationKHR, spirv.OpSubgroupAllKHR, spirv.OpSubgroupAnyKHR,
	spirv.OpSubgroupAllEqualKHR, spirv.OpSubgroupReadInvocationKHR,
	spirv.OpSubgroupShuffleINTEL, spirv.OpSubgroupShuffleDownINTEL, spirv.OpSubgroupShuffleUpINTEL, spirv.OpSubgroupShuffleXorINTEL,
	spirv.OpSubgroupBlockReadINTEL, spirv.OpSubgroupBlockWriteINTEL,
}

// isGroup says whether an instruction is a group operation that groupOp knows.
func isGroup(op spirv.Op) bool {
	_, ok := groupArith[op]
	return ok || slices.Contains(groupOps, op)
}

// hasGroupOperation says whether the second operand is a literal: reduce, scan …
func hasGroupOperation(op spirv.Op) bool {
	_, ok := groupArith[op]
	return ok || op == spirv.OpGroupNonUniformBallotBitCount
}

// group reads a group instruction.
func (b *builder) group(in spirv.Inst) {
	g := groupCall{op: in.Op()}
	for i, w := range in.Operands() {
		if i == 1 && hasGroupOperation(g.op) {
			g.a, g.t = append(g.a, []*ssa.Value{b.imm(isa.I32, uint64(w))}), append(g.t, nil)
			continue
		}
		v, t := b.vals(spirv.ID(w))
		g.a, g.t = append(g.a, v), append(g.t, t)
	}
	if in.ResultType() != 0 {
		g.rt = b.m.typeOf(in.ResultType())
	}
	out := b.groupOp(&g)
	if g.rt != nil {
		if len(out) != g.rt.flat {
			b.fail("has %d scalars, its type %d", len(out), g.rt.flat)
		}
		b.set(in, out...)
	}
}

// cross makes an operation across the lanes of a sub-group.
func (b *builder) cross(op isa.Op, typ, elem isa.Type, flags isa.Flags, imm uint32, args ...*ssa.Value) *ssa.Value {
	v := b.f.NewValue(op, typ, elem, args...)
	v.Flags, v.Imm = flags, uint64(imm)
	return b.add(v)
}

// operand returns operand i, which must be there.
func (b *builder) operand(g *groupCall, i int) []*ssa.Value {
	if i >= len(g.a) || len(g.a[i]) == 0 {
		b.fail("%s has no operand %d", g.op, i)
	}
	return g.a[i]
}

// elemType returns the scalar type of operand i, which must be one that
// registers hold whole.
func (b *builder) elemType(g *groupCall, i int) isa.Type {
	b.operand(g, i)
	ct := g.t[i].component()
	if ct.odd() || ct.scalar() == isa.Void {
		b.fail("%s of this type is not supported", g.op)
	}
	return ct.scalar()
}

// lane32 returns operand i, an integer, as a 32-bit one. What does not fit
// becomes an index that no lane has.
func (b *builder) lane32(g *groupCall, i int) *ssa.Value {
	v := b.operand(g, i)[0]
	switch {
	case v.Type == isa.I64 && !v.IsConst():
		low := b.conv(isa.OpTruncate, isa.I32, isa.I64, v)
		return b.sel(isa.I32, b.cmp(isa.OpLtU, isa.I64, v, b.imm(isa.I64, 1<<32)), low, b.imm(isa.I32, 1<<32-1))
	case v.IsConst():
		return b.imm(isa.I32, min(v.Imm, 1<<32-1))
	case !v.Type.IsInt():
		b.fail("operand %d of %s is no integer", i, g.op)
	}
	return b.resize(v, v.Type, isa.I32)
}

// scope returns the scope of an instruction, its operand 0.
func (b *builder) scope(g *groupCall) isa.Scope {
	v := b.operand(g, 0)[0]
	if !v.IsConst() {
		b.fail("the scope of %s is no constant, which is not supported; write Workgroup or Subgroup as an OpConstant", g.op)
	}
	s := isa.Scope(v.Imm)
	if v.Imm != uint64(isa.ScopeWorkgroup) && v.Imm != uint64(isa.ScopeSubgroup) {
		b.fail("a group operation of scope %s is not supported; the scope may be Workgroup or Subgroup", spirv.Scope(v.Imm))
	}
	return s
}

// subgroupScope fails unless operand 0 is the scope Subgroup.
func (b *builder) subgroupScope(g *groupCall) {
	if b.scope(g) != isa.ScopeSubgroup {
		b.fail("%s of scope Workgroup does not exist; it may be Subgroup", g.op)
	}
}

// groupOp makes a group operation and returns the scalars of its result.
func (b *builder) groupOp(g *groupCall) []*ssa.Value {
	if x, ok := groupArith[g.op]; ok {
		return b.groupArithmetic(g, x.op, x.uniform)
	}
	bin := func(op isa.Op, x, y *ssa.Value) *ssa.Value { return b.bin(op, isa.I32, x, y) }
	switch g.op {
	case spirv.OpGroupAll, spirv.OpGroupAny:
		vote, op := isa.VoteAll, isa.ScanAnd
		if g.op == spirv.OpGroupAny {
			vote, op = isa.VoteAny, isa.ScanOr
		}
		x := b.operand(g, 1)[0]
		if b.scope(g) == isa.ScopeWorkgroup {
			return []*ssa.Value{b.workgroupScan(isa.ScanReduce, op, isa.B1, x)}
		}
		return []*ssa.Value{b.cross(isa.OpVote, isa.B1, isa.B1, isa.FlagUniform, uint32(vote), x)}
	case spirv.OpGroupBroadcast:
		t := b.elemType(g, 1)
		if b.scope(g) == isa.ScopeWorkgroup {
			return b.workgroupBroadcast(t, g.a[1], b.operand(g, 2))
		}
		return b.shuffle(t, g.a[1], b.lane32(g, 2), isa.FlagUniform, isa.ShuffleSame)

	case spirv.OpGroupNonUniformElect:
		b.subgroupScope(g)
		return []*ssa.Value{b.cross(isa.OpElect, isa.B1, isa.Void, 0, 0)}
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny:
		b.subgroupScope(g)
		vote := isa.VoteAll
		if g.op == spirv.OpGroupNonUniformAny {
			vote = isa.VoteAny
		}
		return []*ssa.Value{b.cross(isa.OpVote, isa.B1, isa.B1, 0, uint32(vote), b.operand(g, 1)[0])}
	case spirv.OpSubgroupAllKHR:
		return []*ssa.Value{b.cross(isa.OpVote, isa.B1, isa.B1, 0, uint32(isa.VoteAll), b.operand(g, 0)[0])}
	case spirv.OpSubgroupAnyKHR:
		return []*ssa.Value{b.cross(isa.OpVote, isa.B1, isa.B1, 0, uint32(isa.VoteAny), b.operand(g, 0)[0])}
	case spirv.OpSubgroupAllEqualKHR:
		return []*ssa.Value{b.cross(isa.OpVote, isa.B1, isa.B1, 0, uint32(isa.VoteAllEqual), b.operand(g, 0)[0])}
	case spirv.OpGroupNonUniformAllEqual:
		b.subgroupScope(g)
		t := b.elemType(g, 1)
		var all *ssa.Value
		for _, x := range g.a[1] {
			v := b.cross(isa.OpVote, isa.B1, t, 0, uint32(isa.VoteAllEqual), x)
			if all == nil {
				all = v
				continue
			}
			all = b.bin(isa.OpAnd, isa.B1, all, v)
		}
		return []*ssa.Value{all}

	case spirv.OpGroupNonUniformBroadcast:
		b.subgroupScope(g)
		return b.shuffle(b.elemType(g, 1), g.a[1], b.lane32(g, 2), 0, isa.ShuffleSame)
	case spirv.OpSubgroupReadInvocationKHR:
		return b.shuffle(b.elemType(g, 0), g.a[0], b.lane32(g, 1), 0, isa.ShuffleSame)
	case spirv.OpGroupNonUniformBroadcastFirst:
		b.subgroupScope(g)
		return b.broadcastFirst(b.elemType(g, 1), g.a[1])
	case spirv.OpSubgroupFirstInvocationKHR:
		return b.broadcastFirst(b.elemType(g, 0), g.a[0])

	case spirv.OpGroupNonUniformBallot:
		b.subgroupScope(g)
		return b.ballot(b.operand(g, 1)[0])
	case spirv.OpSubgroupBallotKHR:
		return b.ballot(b.operand(g, 0)[0])
	case spirv.OpGroupNonUniformInverseBallot, spirv.OpGroupNonUniformBallotBitExtract, spirv.OpGroupNonUniformBallotBitCount,
		spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		b.subgroupScope(g)
		return []*ssa.Value{b.ballotBits(g)}
	case spirv.OpGroupNonUniformPartitionEXT:
		t := b.elemType(g, 0)
		out := make([]*ssa.Value, isa.MaxBallotWords)
		for w := range out {
			if b.noLanes(w) {
				out[w] = b.imm(isa.I32, 0)
				continue
			}
			for _, x := range g.a[0] {
				m := b.cross(isa.OpMatch, isa.I32, t, 0, uint32(w), x)
				if out[w] != nil {
					m = bin(isa.OpAnd, out[w], m)
				}
				out[w] = m
			}
		}
		return out

	case spirv.OpGroupNonUniformShuffle:
		b.subgroupScope(g)
		return b.shuffle(b.elemType(g, 1), g.a[1], b.lane32(g, 2), 0, 0)
	case spirv.OpGroupNonUniformShuffleXor:
		b.subgroupScope(g)
		return b.shuffle(b.elemType(g, 1), g.a[1], bin(isa.OpXor, b.laneID(), b.lane32(g, 2)), 0, 0)
	case spirv.OpGroupNonUniformShuffleUp:
		b.subgroupScope(g)
		return b.shuffle(b.elemType(g, 1), g.a[1], bin(isa.OpSub, b.laneID(), b.lane32(g, 2)), 0, isa.ShuffleLoose)
	case spirv.OpGroupNonUniformShuffleDown:
		b.subgroupScope(g)
		return b.shuffle(b.elemType(g, 1), g.a[1], bin(isa.OpAdd, b.laneID(), b.lane32(g, 2)), 0, isa.ShuffleLoose)
	case spirv.OpGroupNonUniformRotateKHR:
		b.subgroupScope(g)
		return b.rotate(g)

	case spirv.OpGroupNonUniformQuadBroadcast:
		b.subgroupScope(g)
		quad := bin(isa.OpAnd, b.laneID(), b.imm(isa.I32, 1<<32-4))
		return b.shuffle(b.elemType(g, 1), g.a[1], bin(isa.OpOr, quad, b.lane32(g, 2)), 0, 0)
	case spirv.OpGroupNonUniformQuadSwap:
		b.subgroupScope(g)
		other := bin(isa.OpAdd, b.lane32(g, 2), b.imm(isa.I32, 1)) // 0 horizontal, 1 vertical, 2 diagonal
		return b.shuffle(b.elemType(g, 1), g.a[1], bin(isa.OpXor, b.laneID(), other), 0, 0)
	case spirv.OpGroupNonUniformQuadAllKHR:
		return []*ssa.Value{b.scan(isa.ScanReduce, isa.ScanAnd, isa.B1, 0, 4, b.operand(g, 0)[0])}
	case spirv.OpGroupNonUniformQuadAnyKHR:
		return []*ssa.Value{b.scan(isa.ScanReduce, isa.ScanOr, isa.B1, 0, 4, b.operand(g, 0)[0])}

	case spirv.OpSubgroupShuffleINTEL:
		return b.shuffle(b.elemType(g, 0), g.a[0], b.lane32(g, 1), 0, 0)
	case spirv.OpSubgroupShuffleXorINTEL:
		return b.shuffle(b.elemType(g, 0), g.a[0], bin(isa.OpXor, b.laneID(), b.lane32(g, 1)), 0, 0)
	case spirv.OpSubgroupShuffleDownINTEL:
		// Current, then next.
		return b.shuffle2(b.elemType(g, 0), g.a[0], b.operand(g, 1), bin(isa.OpAdd, b.laneID(), b.lane32(g, 2)))
	case spirv.OpSubgroupShuffleUpINTEL:
		// Previous, then current; the index counts from the first lane of previous.
		first := bin(isa.OpAdd, b.laneID(), b.maxSubgroup())
		return b.shuffle2(b.elemType(g, 0), g.a[0], b.operand(g, 1), bin(isa.OpSub, first, b.lane32(g, 2)))
	case spirv.OpSubgroupBlockReadINTEL:
		return b.blockRead(g)
	case spirv.OpSubgroupBlockWriteINTEL:
		b.blockWrite(g)
		return nil
	}
	b.fail("the instruction is not supported")
	return nil
}

// shuffle takes each component of a value from a lane.
func (b *builder) shuffle(t isa.Type, x []*ssa.Value, lane *ssa.Value, flags isa.Flags, imm uint32) []*ssa.Value {
	out := make([]*ssa.Value, len(x))
	for i, v := range x {
		out[i] = b.cross(isa.OpShuffle, t, t, flags, imm, v, lane)
	}
	return out
}

func (b *builder) shuffle2(t isa.Type, x, y []*ssa.Value, lane *ssa.Value) []*ssa.Value {
	if len(x) != len(y) {
		b.fail("the operands have %d and %d components", len(x), len(y))
	}
	out := make([]*ssa.Value, len(x))
	for i, v := range x {
		out[i] = b.cross(isa.OpShuffle2, t, t, 0, 0, v, y[i], lane)
	}
	return out
}

func (b *builder) broadcastFirst(t isa.Type, x []*ssa.Value) []*ssa.Value {
	out := make([]*ssa.Value, len(x))
	for i, v := range x {
		out[i] = b.cross(isa.OpBroadcastFirst, t, t, 0, 0, v)
	}
	return out
}

// rotate shuffles in clusters, round and round (SPV_KHR_subgroup_rotate).
func (b *builder) rotate(g *groupCall) []*ssa.Value {
	size := b.maxSubgroup()
	if len(g.a) > 3 {
		if n := b.clusterSize(g, 3); n != 0 {
			size = b.bin(isa.OpMinU, isa.I32, size, b.imm(isa.I32, uint64(n)))
		}
	}
	mask := b.bin(isa.OpSub, isa.I32, size, b.imm(isa.I32, 1))
	lane := b.laneID()
	turned := b.bin(isa.OpAnd, isa.I32, b.bin(isa.OpAdd, isa.I32, lane, b.lane32(g, 2)), mask)
	first := b.bin(isa.OpAnd, isa.I32, lane, b.un(isa.OpNot, isa.I32, mask))
	return b.shuffle(b.elemType(g, 1), g.a[1], b.bin(isa.OpOr, isa.I32, first, turned), 0, 0)
}

// clusterSize returns operand i, a constant power of two.
func (b *builder) clusterSize(g *groupCall, i int) uint32 {
	v := b.operand(g, i)[0]
	if !v.IsConst() || v.Imm == 0 || v.Imm&(v.Imm-1) != 0 {
		b.fail("the cluster size of %s is no constant power of two", g.op)
	}
	return uint32(min(v.Imm, 1<<16))
}

// scan makes a scan or reduction of the sub-group.
func (b *builder) scan(kind isa.ScanKind, op isa.ScanOp, t isa.Type, flags isa.Flags, cluster uint32, args ...*ssa.Value) *ssa.Value {
	v := b.f.NewValue(isa.OpScan, t, t, args...)
	v.Flags, v.Imm, v.Scale = flags, uint64(isa.ScanImm(kind, op)), cluster
	return b.add(v)
}

// groupArithmetic makes a scan or reduction.
func (b *builder) groupArithmetic(g *groupCall, op isa.ScanOp, uniform bool) []*ssa.Value {
	t := b.elemType(g, 2)
	if !op.Types().Has(t) {
		b.fail("%s of %s does not exist", g.op, t)
	}
	s := b.scope(g)
	how := b.operand(g, 1)[0]
	if !how.IsConst() {
		b.fail("the operation of %s is no constant", g.op)
	}
	var kind isa.ScanKind
	cluster, part := uint32(0), (*ssa.Value)(nil)
	switch o := spirv.GroupOperation(how.Imm); o {
	case spirv.GroupOperationReduce:
		kind = isa.ScanReduce
	case spirv.GroupOperationInclusiveScan:
		kind = isa.ScanInclusive
	case spirv.GroupOperationExclusiveScan:
		kind = isa.ScanExclusive
	case spirv.GroupOperationClusteredReduce:
		kind, cluster = isa.ScanReduce, b.clusterSize(g, 3)
	case spirv.GroupOperationPartitionedReduceEXT:
		kind, part = isa.ScanReduce, b.part(g, 3)
	case spirv.GroupOperationPartitionedInclusiveScanEXT:
		kind, part = isa.ScanInclusive, b.part(g, 3)
	case spirv.GroupOperationPartitionedExclusiveScanEXT:
		kind, part = isa.ScanExclusive, b.part(g, 3)
	default:
		b.fail("the operation %s of %s is not supported", o, g.op)
	}
	if s == isa.ScopeWorkgroup {
		if !uniform {
			b.fail("%s of scope Workgroup does not exist; it may be Subgroup", g.op)
		}
		return b.scanAll(s, true, kind, op, t, g.a[2])
	}
	if part == nil && cluster == 0 {
		return b.scanAll(s, uniform, kind, op, t, g.a[2])
	}
	out := make([]*ssa.Value, len(g.a[2]))
	for i, x := range g.a[2] {
		args := []*ssa.Value{x}
		if part != nil {
			args = append(args, part)
		}
		out[i] = b.scan(kind, op, t, 0, cluster, args...)
	}
	return out
}

// scanAll makes a scan or reduction of each component over a whole group, which
// is uniform if all of its work-items are to run it.
func (b *builder) scanAll(s isa.Scope, uniform bool, kind isa.ScanKind, op isa.ScanOp, t isa.Type, x []*ssa.Value) []*ssa.Value {
	flags := isa.Flags(0)
	if uniform {
		flags = isa.FlagUniform
	}
	out := make([]*ssa.Value, len(x))
	for i, v := range x {
		if s == isa.ScopeWorkgroup {
			out[i] = b.workgroupScan(kind, op, t, v)
		} else {
			out[i] = b.scan(kind, op, t, flags, 0, v)
		}
	}
	return out
}

// part names the part that a lane belongs to, from the ballot of its lanes.
func (b *builder) part(g *groupCall, i int) *ssa.Value {
	w := b.operand(g, i)
	if len(w) != isa.MaxBallotWords {
		b.fail("operand %d of %s is no ballot", i, g.op)
	}
	return b.lowestBit(w)
}

// ballot returns the words of the set of lanes for which x holds.
func (b *builder) ballot(x *ssa.Value) []*ssa.Value {
	out := make([]*ssa.Value, isa.MaxBallotWords)
	for w := range out {
		if b.noLanes(w) {
			out[w] = b.imm(isa.I32, 0)
			continue
		}
		out[w] = b.cross(isa.OpBallot, isa.I32, isa.B1, 0, uint32(w), x)
	}
	return out
}

// noLanes says whether word w of a ballot is known to have no lanes.
func (b *builder) noLanes(w int) bool {
	n := b.subgroupSize()
	return n > 0 && 32*w >= n
}

// lowestBit returns the lowest lane of a ballot, all ones for an empty one.
func (b *builder) lowestBit(w []*ssa.Value) *ssa.Value {
	r := b.imm(isa.I32, 1<<32-1)
	for i := len(w) - 1; i >= 0; i-- {
		at := b.bin(isa.OpAdd, isa.I32, b.un(isa.OpCtz, isa.I32, w[i]), b.imm(isa.I32, uint64(32*i)))
		r = b.sel(isa.I32, b.cmp(isa.OpNe, isa.I32, w[i], b.imm(isa.I32, 0)), at, r)
	}
	return r
}

// highestBit returns the highest lane of a ballot, all ones for an empty one.
func (b *builder) highestBit(w []*ssa.Value) *ssa.Value {
	r := b.imm(isa.I32, 1<<32-1)
	for i := range w {
		at := b.bin(isa.OpSub, isa.I32, b.imm(isa.I32, uint64(32*i+31)), b.un(isa.OpClz, isa.I32, w[i]))
		r = b.sel(isa.I32, b.cmp(isa.OpNe, isa.I32, w[i], b.imm(isa.I32, 0)), at, r)
	}
	return r
}

// ballotBits makes the operations on the bits of a ballot, of which only those
// count that the sub-group has lanes for.
func (b *builder) ballotBits(g *groupCall) *ssa.Value {
	at := 1
	if g.op == spirv.OpGroupNonUniformBallotBitCount {
		at = 2
	}
	words := b.operand(g, at)
	if len(words) != isa.MaxBallotWords {
		b.fail("operand %d of %s is no ballot", at, g.op)
	}
	bit := func(i *ssa.Value) *ssa.Value {
		word := b.imm(isa.I32, 0)
		n := b.bin(isa.OpShrU, isa.I32, i, b.imm(isa.I32, 5))
		for w, x := range words {
			word = b.sel(isa.I32, b.cmp(isa.OpEq, isa.I32, n, b.imm(isa.I32, uint64(w))), x, word)
		}
		word = b.bin(isa.OpShrU, isa.I32, word, b.bin(isa.OpAnd, isa.I32, i, b.imm(isa.I32, 31)))
		return b.cmp(isa.OpNe, isa.I32, b.bin(isa.OpAnd, isa.I32, word, b.imm(isa.I32, 1)), b.imm(isa.I32, 0))
	}
	keep := func(n *ssa.Value) []*ssa.Value {
		out := make([]*ssa.Value, len(words))
		for w, x := range words {
			out[w] = b.keepLow(x, n, w)
		}
		return out
	}
	switch g.op {
	case spirv.OpGroupNonUniformInverseBallot:
		return bit(b.laneID())
	case spirv.OpGroupNonUniformBallotBitExtract:
		return bit(b.lane32(g, 2))
	case spirv.OpGroupNonUniformBallotFindLSB:
		return b.intResult(g, b.lowestBit(keep(b.maxSubgroup())))
	case spirv.OpGroupNonUniformBallotFindMSB:
		return b.intResult(g, b.highestBit(keep(b.maxSubgroup())))
	}
	n := b.maxSubgroup()
	switch o := spirv.GroupOperation(b.operand(g, 1)[0].Imm); o {
	case spirv.GroupOperationReduce:
	case spirv.GroupOperationInclusiveScan:
		n = b.bin(isa.OpAdd, isa.I32, b.laneID(), b.imm(isa.I32, 1))
	case spirv.GroupOperationExclusiveScan:
		n = b.laneID()
	default:
		b.fail("the operation %s of %s is not supported", o, g.op)
	}
	sum := b.imm(isa.I32, 0)
	for _, x := range keep(n) {
		sum = b.bin(isa.OpAdd, isa.I32, sum, b.un(isa.OpPopCount, isa.I32, x))
	}
	return b.intResult(g, sum)
}

// intResult gives a 32-bit number the width of the result.
func (b *builder) intResult(g *groupCall, v *ssa.Value) *ssa.Value {
	if s := g.rt.scalar(); s.IsInt() {
		return b.resize(v, isa.I32, s)
	}
	b.fail("%s gives an integer", g.op)
	return nil
}

// blockSpace returns the address space of a block access, which has memory that
// the sub-group shares.
func (b *builder) blockSpace(g *groupCall) (*ssa.Value, isa.Space) {
	p := b.operand(g, 0)
	if g.t[0] == nil || g.t[0].kind != kindPointer {
		b.fail("operand 0 of %s is no pointer", g.op)
	}
	s := space(g.t[0].storage)
	if s == isa.SpacePrivate {
		b.fail("%s of private memory does not exist", g.op)
	}
	return p[0], s
}

// blockRead loads one element for each component: SPV_INTEL_subgroups has
// component k of lane l behind the pointer by k × SubgroupMaxSize + l elements.
func (b *builder) blockRead(g *groupCall) []*ssa.Value {
	p, s := b.blockSpace(g)
	t := g.rt.component().scalar()
	if g.rt.component().odd() || !isa.SetMem.Has(t) {
		b.fail("%s of this type is not supported", g.op)
	}
	out := make([]*ssa.Value, g.rt.flat)
	for i := range out {
		v := b.f.NewValue(isa.OpBlockLoad, t, t, p)
		v.Imm, v.Space = uint64(i), s
		out[i] = b.add(v)
	}
	return out
}

// blockWrite stores one element for each component.
func (b *builder) blockWrite(g *groupCall) {
	p, s := b.blockSpace(g)
	t := b.elemType(g, 1)
	if !isa.SetMem.Has(t) {
		b.fail("%s of this type is not supported", g.op)
	}
	for i, x := range g.a[1] {
		v := b.f.NewValue(isa.OpBlockStore, isa.Void, t, p, x)
		v.Imm, v.Space = uint64(i), s
		b.add(v)
	}
}
