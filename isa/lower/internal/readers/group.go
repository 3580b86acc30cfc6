package readers

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Group operations. At sub-group scope they are instructions of the bytecode;
// at work-group scope they are built from those (workgroup.go). Imported
// functions that stand for them come here as well, as the instruction that they
// amount to.

// groupCall is a group instruction with its operands: the scalars of ids, and
// constants for literals.
type groupCall struct {
	op spirv.Op
	a  [][]*ssa.Value
	t  []*build.Type // types of the operands; nil for constants
	rt *build.Type   // of the result, nil where there is none
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
func group(b *build.Builder, in spirv.Inst) {
	g := groupCall{op: in.Op()}
	for i, w := range in.Operands() {
		if i == 1 && hasGroupOperation(g.op) {
			g.a, g.t = append(g.a, []*ssa.Value{b.Imm(isa.I32, uint64(w))}), append(g.t, nil)
			continue
		}
		v, t := b.Vals(spirv.ID(w))
		g.a, g.t = append(g.a, v), append(g.t, t)
	}
	if in.ResultType() != 0 {
		g.rt = b.Module.TypeOf(in.ResultType())
	}
	out := groupOp(b, &g)
	if g.rt != nil {
		if len(out) != g.rt.Flat {
			b.Fail("has %d scalars, its type %d", len(out), g.rt.Flat)
		}
		b.Set(in, out...)
	}
}

// cross makes an operation across the lanes of a sub-group.
func cross(b *build.Builder, op isa.Op, typ, elem isa.Type, flags isa.Flags, imm uint32, args ...*ssa.Value) *ssa.Value {
	v := b.Func.NewValue(op, typ, elem, args...)
	v.Flags, v.Imm = flags, uint64(imm)
	return b.Add(v)
}

// operand returns operand i, which must be there.
func operand(b *build.Builder, g *groupCall, i int) []*ssa.Value {
	if i >= len(g.a) || len(g.a[i]) == 0 {
		b.Fail("%s has no operand %d", g.op, i)
	}
	return g.a[i]
}

// elemType returns the scalar type of operand i, which must be one that
// registers hold whole.
func elemType(b *build.Builder, g *groupCall, i int) isa.Type {
	operand(b, g, i)
	ct := g.t[i].Component()
	if ct.Odd() || ct.Scalar() == isa.Void {
		b.Fail("%s of this type is not supported", g.op)
	}
	return ct.Scalar()
}

// lane32 returns operand i, an integer, as a 32-bit one. What does not fit
// becomes an index that no lane has.
func lane32(b *build.Builder, g *groupCall, i int) *ssa.Value {
	v := operand(b, g, i)[0]
	switch {
	case v.Type == isa.I64 && !v.IsConst():
		low := b.Conv(isa.OpTruncate, isa.I32, isa.I64, v)
		return b.Sel(isa.I32, b.Cmp(isa.OpLtU, isa.I64, v, b.Imm(isa.I64, 1<<32)), low, b.Imm(isa.I32, 1<<32-1))
	case v.IsConst():
		return b.Imm(isa.I32, min(v.Imm, 1<<32-1))
	case !v.Type.IsInt():
		b.Fail("operand %d of %s is no integer", i, g.op)
	}
	return b.Resize(v, v.Type, isa.I32)
}

// scope returns the scope of an instruction, its operand 0.
func scope(b *build.Builder, g *groupCall) isa.Scope {
	v := operand(b, g, 0)[0]
	if !v.IsConst() {
		b.Fail("the scope of %s is no constant, which is not supported; write Workgroup or Subgroup as an OpConstant", g.op)
	}
	s := isa.Scope(v.Imm)
	if v.Imm != uint64(isa.ScopeWorkgroup) && v.Imm != uint64(isa.ScopeSubgroup) {
		b.Fail("a group operation of scope %s is not supported; the scope may be Workgroup or Subgroup", spirv.Scope(v.Imm))
	}
	return s
}

// subgroupScope fails unless operand 0 is the scope Subgroup.
func subgroupScope(b *build.Builder, g *groupCall) {
	if scope(b, g) != isa.ScopeSubgroup {
		b.Fail("%s of scope Workgroup does not exist; it may be Subgroup", g.op)
	}
}

// groupOp makes a group operation and returns the scalars of its result.
func groupOp(b *build.Builder, g *groupCall) []*ssa.Value {
	if x, ok := groupArith[g.op]; ok {
		return groupArithmetic(b, g, x.op, x.uniform)
	}
	bin := func(op isa.Op, x, y *ssa.Value) *ssa.Value { return b.Bin(op, isa.I32, x, y) }
	switch g.op {
	case spirv.OpGroupAll, spirv.OpGroupAny:
		vote, op := isa.VoteAll, isa.ScanAnd
		if g.op == spirv.OpGroupAny {
			vote, op = isa.VoteAny, isa.ScanOr
		}
		x := operand(b, g, 1)[0]
		if scope(b, g) == isa.ScopeWorkgroup {
			return []*ssa.Value{workgroupScan(b, isa.ScanReduce, op, isa.B1, x)}
		}
		return []*ssa.Value{cross(b, isa.OpVote, isa.B1, isa.B1, isa.FlagUniform, uint32(vote), x)}
	case spirv.OpGroupBroadcast:
		t := elemType(b, g, 1)
		if scope(b, g) == isa.ScopeWorkgroup {
			return workgroupBroadcast(b, t, g.a[1], operand(b, g, 2))
		}
		return shuffle(b, t, g.a[1], lane32(b, g, 2), isa.FlagUniform, isa.ShuffleSame)

	case spirv.OpGroupNonUniformElect:
		subgroupScope(b, g)
		return []*ssa.Value{cross(b, isa.OpElect, isa.B1, isa.Void, 0, 0)}
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny:
		subgroupScope(b, g)
		vote := isa.VoteAll
		if g.op == spirv.OpGroupNonUniformAny {
			vote = isa.VoteAny
		}
		return []*ssa.Value{cross(b, isa.OpVote, isa.B1, isa.B1, 0, uint32(vote), operand(b, g, 1)[0])}
	case spirv.OpSubgroupAllKHR:
		return []*ssa.Value{cross(b, isa.OpVote, isa.B1, isa.B1, 0, uint32(isa.VoteAll), operand(b, g, 0)[0])}
	case spirv.OpSubgroupAnyKHR:
		return []*ssa.Value{cross(b, isa.OpVote, isa.B1, isa.B1, 0, uint32(isa.VoteAny), operand(b, g, 0)[0])}
	case spirv.OpSubgroupAllEqualKHR:
		return []*ssa.Value{cross(b, isa.OpVote, isa.B1, isa.B1, 0, uint32(isa.VoteAllEqual), operand(b, g, 0)[0])}
	case spirv.OpGroupNonUniformAllEqual:
		subgroupScope(b, g)
		t := elemType(b, g, 1)
		var all *ssa.Value
		for _, x := range g.a[1] {
			v := cross(b, isa.OpVote, isa.B1, t, 0, uint32(isa.VoteAllEqual), x)
			if all == nil {
				all = v
				continue
			}
			all = b.Bin(isa.OpAnd, isa.B1, all, v)
		}
		return []*ssa.Value{all}

	case spirv.OpGroupNonUniformBroadcast:
		subgroupScope(b, g)
		return shuffle(b, elemType(b, g, 1), g.a[1], lane32(b, g, 2), 0, isa.ShuffleSame)
	case spirv.OpSubgroupReadInvocationKHR:
		return shuffle(b, elemType(b, g, 0), g.a[0], lane32(b, g, 1), 0, isa.ShuffleSame)
	case spirv.OpGroupNonUniformBroadcastFirst:
		subgroupScope(b, g)
		return broadcastFirst(b, elemType(b, g, 1), g.a[1])
	case spirv.OpSubgroupFirstInvocationKHR:
		return broadcastFirst(b, elemType(b, g, 0), g.a[0])

	case spirv.OpGroupNonUniformBallot:
		subgroupScope(b, g)
		return ballot(b, operand(b, g, 1)[0])
	case spirv.OpSubgroupBallotKHR:
		return ballot(b, operand(b, g, 0)[0])
	case spirv.OpGroupNonUniformInverseBallot, spirv.OpGroupNonUniformBallotBitExtract, spirv.OpGroupNonUniformBallotBitCount,
		spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		subgroupScope(b, g)
		return []*ssa.Value{ballotBits(b, g)}
	case spirv.OpGroupNonUniformPartitionEXT:
		t := elemType(b, g, 0)
		out := make([]*ssa.Value, isa.MaxBallotWords)
		for w := range out {
			if noLanes(b, w) {
				out[w] = b.Imm(isa.I32, 0)
				continue
			}
			for _, x := range g.a[0] {
				m := cross(b, isa.OpMatch, isa.I32, t, 0, uint32(w), x)
				if out[w] != nil {
					m = bin(isa.OpAnd, out[w], m)
				}
				out[w] = m
			}
		}
		return out

	case spirv.OpGroupNonUniformShuffle:
		subgroupScope(b, g)
		return shuffle(b, elemType(b, g, 1), g.a[1], lane32(b, g, 2), 0, 0)
	case spirv.OpGroupNonUniformShuffleXor:
		subgroupScope(b, g)
		return shuffle(b, elemType(b, g, 1), g.a[1], bin(isa.OpXor, b.LaneID(), lane32(b, g, 2)), 0, 0)
	case spirv.OpGroupNonUniformShuffleUp:
		subgroupScope(b, g)
		return shuffle(b, elemType(b, g, 1), g.a[1], bin(isa.OpSub, b.LaneID(), lane32(b, g, 2)), 0, isa.ShuffleLoose)
	case spirv.OpGroupNonUniformShuffleDown:
		subgroupScope(b, g)
		return shuffle(b, elemType(b, g, 1), g.a[1], bin(isa.OpAdd, b.LaneID(), lane32(b, g, 2)), 0, isa.ShuffleLoose)
	case spirv.OpGroupNonUniformRotateKHR:
		subgroupScope(b, g)
		return rotate(b, g)

	case spirv.OpGroupNonUniformQuadBroadcast:
		subgroupScope(b, g)
		quad := bin(isa.OpAnd, b.LaneID(), b.Imm(isa.I32, 1<<32-4))
		return shuffle(b, elemType(b, g, 1), g.a[1], bin(isa.OpOr, quad, lane32(b, g, 2)), 0, 0)
	case spirv.OpGroupNonUniformQuadSwap:
		subgroupScope(b, g)
		other := bin(isa.OpAdd, lane32(b, g, 2), b.Imm(isa.I32, 1)) // 0 horizontal, 1 vertical, 2 diagonal
		return shuffle(b, elemType(b, g, 1), g.a[1], bin(isa.OpXor, b.LaneID(), other), 0, 0)
	case spirv.OpGroupNonUniformQuadAllKHR:
		return []*ssa.Value{scan(b, isa.ScanReduce, isa.ScanAnd, isa.B1, 0, 4, operand(b, g, 0)[0])}
	case spirv.OpGroupNonUniformQuadAnyKHR:
		return []*ssa.Value{scan(b, isa.ScanReduce, isa.ScanOr, isa.B1, 0, 4, operand(b, g, 0)[0])}

	case spirv.OpSubgroupShuffleINTEL:
		return shuffle(b, elemType(b, g, 0), g.a[0], lane32(b, g, 1), 0, 0)
	case spirv.OpSubgroupShuffleXorINTEL:
		return shuffle(b, elemType(b, g, 0), g.a[0], bin(isa.OpXor, b.LaneID(), lane32(b, g, 1)), 0, 0)
	case spirv.OpSubgroupShuffleDownINTEL:
		// Current, then next.
		return shuffle2(b, elemType(b, g, 0), g.a[0], operand(b, g, 1), bin(isa.OpAdd, b.LaneID(), lane32(b, g, 2)))
	case spirv.OpSubgroupShuffleUpINTEL:
		// Previous, then current; the index counts from the first lane of previous.
		first := bin(isa.OpAdd, b.LaneID(), b.MaxSubgroup())
		return shuffle2(b, elemType(b, g, 0), g.a[0], operand(b, g, 1), bin(isa.OpSub, first, lane32(b, g, 2)))
	case spirv.OpSubgroupBlockReadINTEL:
		return blockRead(b, g)
	case spirv.OpSubgroupBlockWriteINTEL:
		blockWrite(b, g)
		return nil
	}
	b.Fail("the instruction is not supported")
	return nil
}

// shuffle takes each component of a value from a lane.
func shuffle(b *build.Builder, t isa.Type, x []*ssa.Value, lane *ssa.Value, flags isa.Flags, imm uint32) []*ssa.Value {
	out := make([]*ssa.Value, len(x))
	for i, v := range x {
		out[i] = cross(b, isa.OpShuffle, t, t, flags, imm, v, lane)
	}
	return out
}

func shuffle2(b *build.Builder, t isa.Type, x, y []*ssa.Value, lane *ssa.Value) []*ssa.Value {
	if len(x) != len(y) {
		b.Fail("the operands have %d and %d components", len(x), len(y))
	}
	out := make([]*ssa.Value, len(x))
	for i, v := range x {
		out[i] = cross(b, isa.OpShuffle2, t, t, 0, 0, v, y[i], lane)
	}
	return out
}

func broadcastFirst(b *build.Builder, t isa.Type, x []*ssa.Value) []*ssa.Value {
	out := make([]*ssa.Value, len(x))
	for i, v := range x {
		out[i] = cross(b, isa.OpBroadcastFirst, t, t, 0, 0, v)
	}
	return out
}

// rotate shuffles in clusters, round and round (SPV_KHR_subgroup_rotate).
func rotate(b *build.Builder, g *groupCall) []*ssa.Value {
	size := b.MaxSubgroup()
	if len(g.a) > 3 {
		if n := clusterSize(b, g, 3); n != 0 {
			size = b.Bin(isa.OpMinU, isa.I32, size, b.Imm(isa.I32, uint64(n)))
		}
	}
	mask := b.Bin(isa.OpSub, isa.I32, size, b.Imm(isa.I32, 1))
	lane := b.LaneID()
	turned := b.Bin(isa.OpAnd, isa.I32, b.Bin(isa.OpAdd, isa.I32, lane, lane32(b, g, 2)), mask)
	first := b.Bin(isa.OpAnd, isa.I32, lane, b.Un(isa.OpNot, isa.I32, mask))
	return shuffle(b, elemType(b, g, 1), g.a[1], b.Bin(isa.OpOr, isa.I32, first, turned), 0, 0)
}

// clusterSize returns operand i, a constant power of two.
func clusterSize(b *build.Builder, g *groupCall, i int) uint32 {
	v := operand(b, g, i)[0]
	if !v.IsConst() || v.Imm == 0 || v.Imm&(v.Imm-1) != 0 {
		b.Fail("the cluster size of %s is no constant power of two", g.op)
	}
	return uint32(min(v.Imm, 1<<16))
}

// scan makes a scan or reduction of the sub-group.
func scan(b *build.Builder, kind isa.ScanKind, op isa.ScanOp, t isa.Type, flags isa.Flags, cluster uint32, args ...*ssa.Value) *ssa.Value {
	v := b.Func.NewValue(isa.OpScan, t, t, args...)
	v.Flags, v.Imm, v.Scale = flags, uint64(isa.ScanImm(kind, op)), cluster
	return b.Add(v)
}

// groupArithmetic makes a scan or reduction.
func groupArithmetic(b *build.Builder, g *groupCall, op isa.ScanOp, uniform bool) []*ssa.Value {
	t := elemType(b, g, 2)
	if !op.Types().Has(t) {
		b.Fail("%s of %s does not exist", g.op, t)
	}
	s := scope(b, g)
	how := operand(b, g, 1)[0]
	if !how.IsConst() {
		b.Fail("the operation of %s is no constant", g.op)
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
		kind, cluster = isa.ScanReduce, clusterSize(b, g, 3)
	case spirv.GroupOperationPartitionedReduceEXT:
		kind, part = isa.ScanReduce, partOf(b, g, 3)
	case spirv.GroupOperationPartitionedInclusiveScanEXT:
		kind, part = isa.ScanInclusive, partOf(b, g, 3)
	case spirv.GroupOperationPartitionedExclusiveScanEXT:
		kind, part = isa.ScanExclusive, partOf(b, g, 3)
	default:
		b.Fail("the operation %s of %s is not supported", o, g.op)
	}
	if s == isa.ScopeWorkgroup {
		if !uniform {
			b.Fail("%s of scope Workgroup does not exist; it may be Subgroup", g.op)
		}
		return scanAll(b, s, true, kind, op, t, g.a[2])
	}
	if part == nil && cluster == 0 {
		return scanAll(b, s, uniform, kind, op, t, g.a[2])
	}
	out := make([]*ssa.Value, len(g.a[2]))
	for i, x := range g.a[2] {
		args := []*ssa.Value{x}
		if part != nil {
			args = append(args, part)
		}
		out[i] = scan(b, kind, op, t, 0, cluster, args...)
	}
	return out
}

// scanAll makes a scan or reduction of each component over a whole group, which
// is uniform if all of its work-items are to run it.
func scanAll(b *build.Builder, s isa.Scope, uniform bool, kind isa.ScanKind, op isa.ScanOp, t isa.Type, x []*ssa.Value) []*ssa.Value {
	flags := isa.Flags(0)
	if uniform {
		flags = isa.FlagUniform
	}
	out := make([]*ssa.Value, len(x))
	for i, v := range x {
		if s == isa.ScopeWorkgroup {
			out[i] = workgroupScan(b, kind, op, t, v)
		} else {
			out[i] = scan(b, kind, op, t, flags, 0, v)
		}
	}
	return out
}

// partOf names the part that a lane belongs to, from the ballot of its lanes.
func partOf(b *build.Builder, g *groupCall, i int) *ssa.Value {
	w := operand(b, g, i)
	if len(w) != isa.MaxBallotWords {
		b.Fail("operand %d of %s is no ballot", i, g.op)
	}
	return lowestBit(b, w)
}

// ballot returns the words of the set of lanes for which x holds.
func ballot(b *build.Builder, x *ssa.Value) []*ssa.Value {
	out := make([]*ssa.Value, isa.MaxBallotWords)
	for w := range out {
		if noLanes(b, w) {
			out[w] = b.Imm(isa.I32, 0)
			continue
		}
		out[w] = cross(b, isa.OpBallot, isa.I32, isa.B1, 0, uint32(w), x)
	}
	return out
}

// noLanes says whether word w of a ballot is known to have no lanes.
func noLanes(b *build.Builder, w int) bool {
	n := b.SubgroupSize()
	return n > 0 && 32*w >= n
}

// lowestBit returns the lowest lane of a ballot, all ones for an empty one.
func lowestBit(b *build.Builder, w []*ssa.Value) *ssa.Value {
	r := b.Imm(isa.I32, 1<<32-1)
	for i := len(w) - 1; i >= 0; i-- {
		at := b.Bin(isa.OpAdd, isa.I32, b.Un(isa.OpCtz, isa.I32, w[i]), b.Imm(isa.I32, uint64(32*i)))
		r = b.Sel(isa.I32, b.Cmp(isa.OpNe, isa.I32, w[i], b.Imm(isa.I32, 0)), at, r)
	}
	return r
}

// highestBit returns the highest lane of a ballot, all ones for an empty one.
func highestBit(b *build.Builder, w []*ssa.Value) *ssa.Value {
	r := b.Imm(isa.I32, 1<<32-1)
	for i := range w {
		at := b.Bin(isa.OpSub, isa.I32, b.Imm(isa.I32, uint64(32*i+31)), b.Un(isa.OpClz, isa.I32, w[i]))
		r = b.Sel(isa.I32, b.Cmp(isa.OpNe, isa.I32, w[i], b.Imm(isa.I32, 0)), at, r)
	}
	return r
}

// ballotBits makes the operations on the bits of a ballot, of which only those
// count that the sub-group has lanes for.
func ballotBits(b *build.Builder, g *groupCall) *ssa.Value {
	at := 1
	if g.op == spirv.OpGroupNonUniformBallotBitCount {
		at = 2
	}
	words := operand(b, g, at)
	if len(words) != isa.MaxBallotWords {
		b.Fail("operand %d of %s is no ballot", at, g.op)
	}
	bit := func(i *ssa.Value) *ssa.Value {
		word := b.Imm(isa.I32, 0)
		n := b.Bin(isa.OpShrU, isa.I32, i, b.Imm(isa.I32, 5))
		for w, x := range words {
			word = b.Sel(isa.I32, b.Cmp(isa.OpEq, isa.I32, n, b.Imm(isa.I32, uint64(w))), x, word)
		}
		word = b.Bin(isa.OpShrU, isa.I32, word, b.Bin(isa.OpAnd, isa.I32, i, b.Imm(isa.I32, 31)))
		return b.Cmp(isa.OpNe, isa.I32, b.Bin(isa.OpAnd, isa.I32, word, b.Imm(isa.I32, 1)), b.Imm(isa.I32, 0))
	}
	keep := func(n *ssa.Value) []*ssa.Value {
		out := make([]*ssa.Value, len(words))
		for w, x := range words {
			out[w] = b.KeepLow(x, n, w)
		}
		return out
	}
	switch g.op {
	case spirv.OpGroupNonUniformInverseBallot:
		return bit(b.LaneID())
	case spirv.OpGroupNonUniformBallotBitExtract:
		return bit(lane32(b, g, 2))
	case spirv.OpGroupNonUniformBallotFindLSB:
		return intResult(b, g, lowestBit(b, keep(b.MaxSubgroup())))
	case spirv.OpGroupNonUniformBallotFindMSB:
		return intResult(b, g, highestBit(b, keep(b.MaxSubgroup())))
	}
	n := b.MaxSubgroup()
	switch o := spirv.GroupOperation(operand(b, g, 1)[0].Imm); o {
	case spirv.GroupOperationReduce:
	case spirv.GroupOperationInclusiveScan:
		n = b.Bin(isa.OpAdd, isa.I32, b.LaneID(), b.Imm(isa.I32, 1))
	case spirv.GroupOperationExclusiveScan:
		n = b.LaneID()
	default:
		b.Fail("the operation %s of %s is not supported", o, g.op)
	}
	sum := b.Imm(isa.I32, 0)
	for _, x := range keep(n) {
		sum = b.Bin(isa.OpAdd, isa.I32, sum, b.Un(isa.OpPopCount, isa.I32, x))
	}
	return intResult(b, g, sum)
}

// intResult gives a 32-bit number the width of the result.
func intResult(b *build.Builder, g *groupCall, v *ssa.Value) *ssa.Value {
	if s := g.rt.Scalar(); s.IsInt() {
		return b.Resize(v, isa.I32, s)
	}
	b.Fail("%s gives an integer", g.op)
	return nil
}

// blockSpace returns the address space of a block access, which has memory that
// the sub-group shares.
func blockSpace(b *build.Builder, g *groupCall) (*ssa.Value, isa.Space) {
	p := operand(b, g, 0)
	if g.t[0] == nil || g.t[0].Kind != build.KindPointer {
		b.Fail("operand 0 of %s is no pointer", g.op)
	}
	s := build.Space(g.t[0].Storage)
	if s == isa.SpacePrivate {
		b.Fail("%s of private memory does not exist", g.op)
	}
	return p[0], s
}

// blockRead loads one element for each component: SPV_INTEL_subgroups has
// component k of lane l behind the pointer by k × SubgroupMaxSize + l elements.
func blockRead(b *build.Builder, g *groupCall) []*ssa.Value {
	p, s := blockSpace(b, g)
	t := g.rt.Component().Scalar()
	if g.rt.Component().Odd() || !isa.SetMem.Has(t) {
		b.Fail("%s of this type is not supported", g.op)
	}
	out := make([]*ssa.Value, g.rt.Flat)
	for i := range out {
		v := b.Func.NewValue(isa.OpBlockLoad, t, t, p)
		v.Imm, v.Space = uint64(i), s
		out[i] = b.Add(v)
	}
	return out
}

// blockWrite stores one element for each component.
func blockWrite(b *build.Builder, g *groupCall) {
	p, s := blockSpace(b, g)
	t := elemType(b, g, 1)
	if !isa.SetMem.Has(t) {
		b.Fail("%s of this type is not supported", g.op)
	}
	for i, x := range g.a[1] {
		v := b.Func.NewValue(isa.OpBlockStore, isa.Void, t, p, x)
		v.Imm, v.Space = uint64(i), s
		b.Add(v)
	}
}
