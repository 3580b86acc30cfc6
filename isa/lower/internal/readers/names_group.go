package readers

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Group functions of OpenCL C and its extensions that compilers leave as calls:
// sub_group_*, work_group_* and intel_sub_group_*. Each is the instruction of
// SPIR-V that its specification names.

// clReductions has the operations by the last part of the name: for signed and
// unsigned integers and for floats; NumScanOps where there is none.
var clReductions = map[string]struct{ signed, unsigned, float isa.ScanOp }{
	"add": {isa.ScanAdd, isa.ScanAdd, isa.ScanFAdd}, "mul": {isa.ScanMul, isa.ScanMul, isa.ScanFMul},
	"min": {isa.ScanMinS, isa.ScanMinU, isa.ScanFMin}, "max": {isa.ScanMaxS, isa.ScanMaxU, isa.ScanFMax},
	"and": {isa.ScanAnd, isa.ScanAnd, isa.NumScanOps}, "or": {isa.ScanOr, isa.ScanOr, isa.NumScanOps},
	"xor":         {isa.ScanXor, isa.ScanXor, isa.NumScanOps},
	"logical_and": {isa.ScanAnd, isa.ScanAnd, isa.NumScanOps}, "logical_or": {isa.ScanOr, isa.ScanOr, isa.NumScanOps},
	"logical_xor": {isa.ScanXor, isa.ScanXor, isa.NumScanOps},
}

// clSubgroupOps has the functions that are one instruction with the same
// operands behind the scope, if it has one.
var clSubgroupOps = map[string]struct {
	op     spirv.Op
	scoped bool
}{
	"sub_group_broadcast":             {spirv.OpGroupBroadcast, true},
	"sub_group_non_uniform_broadcast": {spirv.OpGroupNonUniformBroadcast, true},
	"sub_group_broadcast_first":       {spirv.OpGroupNonUniformBroadcastFirst, true},
	"sub_group_shuffle":               {spirv.OpGroupNonUniformShuffle, true},
	"sub_group_shuffle_xor":           {spirv.OpGroupNonUniformShuffleXor, true},
	"sub_group_shuffle_up":            {spirv.OpGroupNonUniformShuffleUp, true},
	"sub_group_shuffle_down":          {spirv.OpGroupNonUniformShuffleDown, true},
	"sub_group_rotate":                {spirv.OpGroupNonUniformRotateKHR, true},
	"sub_group_clustered_rotate":      {spirv.OpGroupNonUniformRotateKHR, true},
	"sub_group_elect":                 {spirv.OpGroupNonUniformElect, true},
	"sub_group_all":                   {spirv.OpGroupAll, true},
	"sub_group_any":                   {spirv.OpGroupAny, true},
	"sub_group_non_uniform_all":       {spirv.OpGroupNonUniformAll, true},
	"sub_group_non_uniform_any":       {spirv.OpGroupNonUniformAny, true},
	"sub_group_non_uniform_all_equal": {spirv.OpGroupNonUniformAllEqual, true},
	"sub_group_ballot":                {spirv.OpGroupNonUniformBallot, true},
	"sub_group_inverse_ballot":        {spirv.OpGroupNonUniformInverseBallot, true},
	"sub_group_ballot_bit_extract":    {spirv.OpGroupNonUniformBallotBitExtract, true},
	"sub_group_ballot_find_lsb":       {spirv.OpGroupNonUniformBallotFindLSB, true},
	"sub_group_ballot_find_msb":       {spirv.OpGroupNonUniformBallotFindMSB, true},
	"intel_sub_group_shuffle":         {spirv.OpSubgroupShuffleINTEL, false},
	"intel_sub_group_shuffle_xor":     {spirv.OpSubgroupShuffleXorINTEL, false},
	"intel_sub_group_shuffle_up":      {spirv.OpSubgroupShuffleUpINTEL, false},
	"intel_sub_group_shuffle_down":    {spirv.OpSubgroupShuffleDownINTEL, false},
}

// clBallotCounts has the counts of a ballot's bits.
var clBallotCounts = map[string]spirv.GroupOperation{
	"sub_group_ballot_bit_count": spirv.GroupOperationReduce, "sub_group_ballot_inclusive_scan": spirv.GroupOperationInclusiveScan,
	"sub_group_ballot_exclusive_scan": spirv.GroupOperationExclusiveScan,
}

// clGroup reads the group functions.
func clGroup(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	g := groupCall{a: c.args, t: c.types, rt: c.rt}
	// first puts constants in front of the operands.
	first := func(constants ...uint64) {
		var a [][]*ssa.Value
		for _, x := range constants {
			a = append(a, []*ssa.Value{b.Imm(isa.I32, x)})
		}
		g.a, g.t = append(a, g.a...), append(make([]*build.Type, len(a)), g.t...)
	}
	if x, ok := clSubgroupOps[c.name]; ok {
		g.op = x.op
		if x.scoped {
			first(uint64(isa.ScopeSubgroup))
		}
		return groupTruth(b, &g), true
	}
	if o, ok := clBallotCounts[c.name]; ok {
		g.op = spirv.OpGroupNonUniformBallotBitCount
		first(uint64(isa.ScopeSubgroup), uint64(o))
		return groupOp(b, &g), true
	}
	switch c.name {
	case "work_group_all", "work_group_any":
		g.op = spirv.OpGroupAll
		if c.name == "work_group_any" {
			g.op = spirv.OpGroupAny
		}
		first(uint64(isa.ScopeWorkgroup))
		return groupTruth(b, &g), true
	case "work_group_broadcast":
		// One index for each dimension, as arguments of their own.
		g.op = spirv.OpGroupBroadcast
		if len(c.args) < 2 || len(c.args) > 4 {
			b.Fail("%s takes a value and one to three indices", c.name)
		}
		var id []*ssa.Value
		for _, a := range c.args[1:] {
			id = append(id, a...)
		}
		g.a, g.t = [][]*ssa.Value{c.args[0], id}, c.types[:2]
		first(uint64(isa.ScopeWorkgroup))
		return groupOp(b, &g), true
	}
	if rest, ok := strings.CutPrefix(c.name, "intel_sub_group_block_"); ok {
		return clBlock(b, c, &g, rest)
	}
	return clReduction(b, c)
}

// clBlock reads block accesses of buffers: read and write, with the letters of
// a type and a number of components behind, both of which the types tell too.
func clBlock(b *build.Builder, c *clCall, g *groupCall, rest string) ([]*ssa.Value, bool) {
	if len(c.types) == 0 || c.types[0].Kind != build.KindPointer {
		return nil, false
	}
	rest = strings.TrimRight(rest, "0123456789")
	rest = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(rest, "_uc"), "_us"), "_ui"), "_ul")
	switch {
	case rest == "read" && len(c.args) == 1:
		g.op = spirv.OpSubgroupBlockReadINTEL
	case rest == "write" && len(c.args) == 2:
		g.op = spirv.OpSubgroupBlockWriteINTEL
	default:
		return nil, false
	}
	return groupOp(b, g), true
}

// clReduction reads GROUP_KIND_OPERATION: sub_group_non_uniform_scan_inclusive_add.
func clReduction(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	scope, uniform, clustered := isa.ScopeSubgroup, true, false
	rest, ok := strings.CutPrefix(c.name, "sub_group_")
	if ok {
		var cut bool
		if rest, cut = strings.CutPrefix(rest, "non_uniform_"); cut {
			uniform = false
		} else if rest, cut = strings.CutPrefix(rest, "clustered_"); cut {
			uniform, clustered = false, true
		}
	} else if rest, ok = strings.CutPrefix(c.name, "work_group_"); ok {
		scope = isa.ScopeWorkgroup
	} else {
		return nil, false
	}
	for _, k := range muxKinds {
		name, ok := strings.CutPrefix(rest, k.name+"_")
		x, known := clReductions[name]
		if !ok || !known {
			continue
		}
		want := 1
		if clustered {
			want = 2
		}
		if len(c.args) != want || len(c.args[0]) != 1 || clustered && k.kind != isa.ScanReduce {
			b.Fail("%s takes one scalar", c.name)
		}
		t, v := c.types[0].Scalar(), c.args[0]
		logical := strings.HasPrefix(name, "logical_")
		op := x.unsigned
		switch {
		case t.IsFloat():
			op = x.float
		case signedCode(c.code):
			op = x.signed
		}
		if op == isa.NumScanOps || c.types[0].Odd() || t == isa.Void {
			b.Fail("%s of %s does not exist", c.name, t)
		}
		if t.IsInt() && x.signed != x.unsigned && !intCode(c.code) {
			b.Fail("the name of %s does not tell whether its integers have a sign: it ends in their mangled type, as in _Z%d%si", c.name, len(c.name), c.name)
		}
		if logical && t != isa.B1 {
			v = []*ssa.Value{b.Cmp(isa.OpNe, t, v[0], b.Imm(t, 0))}
			t = isa.B1
		}
		var out []*ssa.Value
		if clustered {
			g := groupCall{op: spirv.OpGroupNonUniformIAdd, a: c.args}
			out = []*ssa.Value{scan(b, k.kind, op, t, 0, clusterSize(b, &g, 1), v[0])}
		} else {
			out = scanAll(b, scope, uniform, k.kind, op, t, v)
		}
		if logical {
			return truth(b, out[0], c.rt), true
		}
		return out, true
	}
	return nil, false
}

// groupTruth makes a group operation whose Booleans are integers, as OpenCL C
// has them.
func groupTruth(b *build.Builder, g *groupCall) []*ssa.Value {
	at := -1
	switch g.op {
	case spirv.OpGroupAll, spirv.OpGroupAny, spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformBallot:
		at = 1
	case spirv.OpGroupLogicalAndKHR, spirv.OpGroupLogicalOrKHR, spirv.OpGroupLogicalXorKHR, spirv.OpGroupNonUniformLogicalAnd, spirv.OpGroupNonUniformLogicalOr, spirv.OpGroupNonUniformLogicalXor:
		at = 2
	case spirv.OpSubgroupAllKHR, spirv.OpSubgroupAnyKHR, spirv.OpSubgroupBallotKHR, spirv.OpSubgroupAllEqualKHR,
		spirv.OpGroupNonUniformQuadAllKHR, spirv.OpGroupNonUniformQuadAnyKHR:
		at = 0
	}
	if at >= 0 {
		if x := operand(b, g, at)[0]; x.Type.IsInt() {
			g.a = append([][]*ssa.Value(nil), g.a...)
			g.t = append([]*build.Type(nil), g.t...)
			g.a[at] = []*ssa.Value{b.Cmp(isa.OpNe, x.Type, x, b.Imm(x.Type, 0))}
			g.t[at] = boolType
		}
	}
	out := groupOp(b, g)
	if len(out) == 1 && out[0].Type == isa.B1 {
		return truth(b, out[0], g.rt)
	}
	return out
}

var boolType = &build.Type{Kind: build.KindBool, Size: 1, Align: 1, Flat: 1}

// spirvGroup reads group instructions that are called by name: __spirv_ and the
// name of the instruction, with the instruction's operands.
func spirvGroup(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	name, ok := strings.CutPrefix(c.name, "__spirv_")
	if !ok {
		return nil, false
	}
	op, ok := spirv.LookupOp("Op" + name)
	if !ok || !isGroup(op) {
		return nil, false
	}
	return groupTruth(b, &groupCall{op: op, a: c.args, t: c.types, rt: c.rt}), true
}
