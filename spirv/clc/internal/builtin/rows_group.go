package builtin

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

const (
	workItemSection  = "6.15.1"
	workGroupSection = "6.15.16"
	subGroupSection  = "6.15.19"
)

// item is a row for a work-item function of a dimension; other is its value for dimensions above 2.
func item(name string, b spirv.BuiltIn, other uint64, help string) Def {
	return Def{Name: name, Sig: "size(dim)", Emit: workItem(b, other), Section: workItemSection, Help: help}
}

// subItem is a row for a number of the sub-group.
func subItem(name string, b spirv.BuiltIn, since lang.Version, help string) Def {
	return Def{Name: name, Sig: "uint()", Emit: workItem(b, 0), Since: since, Section: subGroupSection,
		Ext: "cl_khr_subgroups", Help: help}
}

var workItemRows = []Def{
	{Name: "get_work_dim", Sig: "uint()", Emit: workItem(spirv.BuiltInWorkDim, 0), Section: workItemSection,
		Help: "How many dimensions the launch has."},
	item("get_global_size", spirv.BuiltInGlobalSize, 1, "How many work-items there are in a dimension."),
	item("get_global_id", spirv.BuiltInGlobalInvocationId, 0, "The number of the work-item in a dimension."),
	item("get_local_size", spirv.BuiltInWorkgroupSize, 1,
		"How many work-items this work-group has in a dimension."),
	{Name: "get_enqueued_local_size", Sig: "size(dim)", Emit: workItem(spirv.BuiltInEnqueuedWorkgroupSize,
		1), Since: lang.CL20,
		Section: workItemSection, Help: "How many work-items a full work-group has in a dimension."},
	item("get_local_id", spirv.BuiltInLocalInvocationId, 0,
		"The number of the work-item in its work-group, in a dimension."),
	item("get_num_groups", spirv.BuiltInNumWorkgroups, 1, "How many work-groups there are in a dimension."),
	item("get_group_id", spirv.BuiltInWorkgroupId, 0, "The number of the work-group in a dimension."),
	item("get_global_offset", spirv.BuiltInGlobalOffset, 0,
		"What the numbers of work-items begin with in a dimension."),
	{Name: "get_global_linear_id", Sig: "size()", Emit: workItem(spirv.BuiltInGlobalLinearId, 0),
		Since:   lang.CL20,
		Section: workItemSection, Help: "The number of the work-item over all dimensions."},
	{Name: "get_local_linear_id", Sig: "size()", Emit: workItem(spirv.BuiltInLocalInvocationIndex, 0),
		Since:   lang.CL20,
		Section: workItemSection,
		Help:    "The number of the work-item in its work-group, over all dimensions."},
}

// arithmetic is one of the operations that groups combine values with.
type arithmetic struct {
	name           string
	of             kinds // the types that it exists for without extensions
	help           string
	f, s, u        spirv.Op // of uniform groups; 0 for none
	nf, ns, nu     spirv.Op // of groups that are not uniform
	logical, khr   bool
	workGroup, sub bool
}

var arithmetics = []arithmetic{
	{"add", wide, "sum", spirv.OpGroupFAdd, spirv.OpGroupIAdd, spirv.OpGroupIAdd,
		spirv.OpGroupNonUniformFAdd, spirv.OpGroupNonUniformIAdd, spirv.OpGroupNonUniformIAdd, false, false,
		true, true},
	{"min", wide, "least", spirv.OpGroupFMin, spirv.OpGroupSMin, spirv.OpGroupUMin,
		spirv.OpGroupNonUniformFMin, spirv.OpGroupNonUniformSMin, spirv.OpGroupNonUniformUMin, false, false,
		true, true},
	{"max", wide, "greatest", spirv.OpGroupFMax, spirv.OpGroupSMax, spirv.OpGroupUMax,
		spirv.OpGroupNonUniformFMax, spirv.OpGroupNonUniformSMax, spirv.OpGroupNonUniformUMax, false, false,
		true, true},
	{"mul", scalars, "product", 0, 0, 0,
		spirv.OpGroupNonUniformFMul, spirv.OpGroupNonUniformIMul, spirv.OpGroupNonUniformIMul, false, true,
		false, false},
	{"and", integers, "bitwise and", 0, 0, 0,
		0, spirv.OpGroupNonUniformBitwiseAnd, spirv.OpGroupNonUniformBitwiseAnd, false, true, false, false},
	{"or", integers, "bitwise or", 0, 0, 0,
		0, spirv.OpGroupNonUniformBitwiseOr, spirv.OpGroupNonUniformBitwiseOr, false, true, false, false},
	{"xor", integers, "bitwise exclusive or", 0, 0, 0,
		0, spirv.OpGroupNonUniformBitwiseXor, spirv.OpGroupNonUniformBitwiseXor, false, true, false, false},
	{"logical_and", ints, "logical and", 0, 0, 0,
		0, spirv.OpGroupNonUniformLogicalAnd, 0, true, true, false, false},
	{"logical_or", ints, "logical or", 0, 0, 0,
		0, spirv.OpGroupNonUniformLogicalOr, 0, true, true, false, false},
	{"logical_xor", ints, "logical exclusive or", 0, 0, 0,
		0, spirv.OpGroupNonUniformLogicalXor, 0, true, true, false, false},
}

// reductions are the ways to combine the values of a group.
var reductions = []struct {
	name, help string
	operation  spirv.GroupOperation
}{
	{"reduce", "of all work-items", spirv.GroupOperationReduce},
	{"scan_exclusive", "of the work-items before this one", spirv.GroupOperationExclusiveScan},
	{"scan_inclusive", "of the work-items up to this one", spirv.GroupOperationInclusiveScan},
}

// uniform returns the rows of the reductions and scans that all work-items of a group take part in.
func uniform(prefix, of string, scope spirv.Scope, over kinds, base Def) []Def {
	var out []Def
	for _, r := range reductions {
		for _, a := range arithmetics {
			if !a.workGroup {
				continue
			}
			d := base
			d.Name, d.Sig, d.Over = prefix+r.name+"_"+a.name, "T(T)", Over{Of: over, N: n1}
			d.Emit = group(scope, r.operation, a.f, a.s, a.u, spirv.CapabilityGroups)
			d.Help = "The " + a.help + " " + r.help + " of the " + of + "."
			out = append(out, d)
		}
	}
	return out
}

// nonUniform returns the rows of the reductions and scans of the work-items that are there.
func nonUniform() []Def {
	var out []Def
	add := func(prefix, sig, ext, help string, operation spirv.GroupOperation, a *arithmetic,
		caps ...spirv.Capability) {
		d := Def{Name: prefix + a.name, Sig: sig, Over: Over{Of: a.of, N: n1}, Since: lang.CL20, Ext: ext,
			Help: help}
		if a.of == wide {
			d.Over.Of = scalars
		}
		d.Emit = group(spirv.ScopeSubgroup, operation, a.nf, a.ns, a.nu, caps...)
		if a.logical {
			d.Emit = vote(spirv.ScopeSubgroup, operation, a.ns, caps...)
		}
		out = append(out, d)
	}
	for i := range arithmetics {
		a := &arithmetics[i]
		for _, r := range reductions {
			add("sub_group_non_uniform_"+r.name+"_", "T(T)", "cl_khr_subgroup_non_uniform_arithmetic",
				"The "+a.help+" "+r.help+" of the sub-group that are here.", r.operation, a,
				spirv.CapabilityGroupNonUniformArithmetic)
		}
	}
	for i := range arithmetics {
		a := &arithmetics[i]
		add("sub_group_clustered_reduce_", "T(T, uint)", "cl_khr_subgroup_clustered_reduce",
			"The "+a.help+" of the work-items of a cluster of the sub-group that are here.",
			spirv.GroupOperationClusteredReduce, a,
			spirv.CapabilityGroupNonUniformArithmetic, spirv.CapabilityGroupNonUniformClustered)
	}
	return out
}

var workGroupRows = join([]Def{
	{Name: "work_group_{all,any}", Sig: "int(int)", Emit: code(), Since: lang.CL20, Section: workGroupSection,
		Help: "Whether the value is not 0 in all, or in any, of the work-items of the work-group."},
	{Name: "work_group_broadcast", Sig: "T(T, size); T(T, size, size); T(T, size, size, size)",
		Over: Over{Of: wide, N: n1}, Emit: code(),
		Since: lang.CL20, Section: workGroupSection,
		Help: "The value of the work-item with the given local id."},
}, uniform("work_group_", "work-group", spirv.ScopeWorkgroup, wide, Def{Since: lang.CL20,
	Section: workGroupSection}))

// join makes one list of several.
func join(lists ...[]Def) []Def {
	var out []Def
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// lane is a row of an instruction of the work-items of a sub-group that are there.
func lane(name, sig, ext string, over Over, e Emit, help string) Def {
	return Def{Name: name, Sig: sig, Over: over, Emit: e, Since: lang.CL20, Ext: ext, Help: help}
}

// lanesOp is an instruction of scope Subgroup for all types.
func lanesOp(o spirv.Op, caps ...spirv.Capability) Emit {
	return group(spirv.ScopeSubgroup, NoOperation, o, o, o, caps...)
}

// rotation is lanesOp of the extension for rotations.
func rotation() Emit {
	e := lanesOp(spirv.OpGroupNonUniformRotateKHR, spirv.CapabilityGroupNonUniformRotateKHR)
	e.Ext = "SPV_KHR_subgroup_rotate"
	return e
}

const (
	ballot   = "cl_khr_subgroup_ballot"
	extended = "cl_khr_subgroup_extended_types"
)

var (
	anyScalar = Over{Of: scalars, N: n1}
	anyValue  = Over{Of: scalars, N: anyN}
)

func ballotCount(name string, operation spirv.GroupOperation, help string) Def {
	o := spirv.OpGroupNonUniformBallotBitCount
	return lane(name, "uint(uint4)", ballot, Over{}, group(spirv.ScopeSubgroup, operation, o, o, o,
		spirv.CapabilityGroupNonUniformBallot), help)
}

func laneMask(name string, b spirv.BuiltIn, help string) Def {
	e := workItem(b, 0)
	e.Caps = []spirv.Capability{spirv.CapabilityGroupNonUniformBallot}
	return lane(name, "uint4()", ballot, Over{}, e, help)
}

var subGroupRows = join([]Def{
	subItem("get_sub_group_size", spirv.BuiltInSubgroupSize, lang.CL12,
		"How many work-items this sub-group has."),
	subItem("get_max_sub_group_size", spirv.BuiltInSubgroupMaxSize, lang.CL12,
		"How many work-items a full sub-group has."),
	subItem("get_num_sub_groups", spirv.BuiltInNumSubgroups, lang.CL12,
		"How many sub-groups this work-group has."),
	subItem("get_enqueued_num_sub_groups", spirv.BuiltInNumEnqueuedSubgroups, lang.CL20,
		"How many sub-groups a full work-group has."),
	subItem("get_sub_group_id", spirv.BuiltInSubgroupId, lang.CL12,
		"The number of the sub-group in its work-group."),
	subItem("get_sub_group_local_id", spirv.BuiltInSubgroupLocalInvocationId, lang.CL12,
		"The number of the work-item in its sub-group."),
	{Name: "sub_group_{all,any}", Sig: "int(int)", Emit: code(), Since: lang.CL12, Section: subGroupSection,
		Ext:  "cl_khr_subgroups",
		Help: "Whether the value is not 0 in all, or in any, of the work-items of the sub-group."},
	{Name: "sub_group_broadcast", Sig: "T(T, uint)", Over: Over{Of: wide, N: n1},
		Emit:  lanesOp(spirv.OpGroupBroadcast, spirv.CapabilityGroups),
		Since: lang.CL12, Section: subGroupSection, Ext: "cl_khr_subgroups",
		Help: "The value of one work-item, the same for all."},
	lane("sub_group_broadcast", "T(T, uint)", extended, Over{Of: octets | words, N: n1},
		lanesOp(spirv.OpGroupBroadcast, spirv.CapabilityGroups), "sub_group_broadcast of small integers."),
	lane("sub_group_broadcast", "T(T, uint)", extended, Over{Of: scalars, N: vectors},
		lanesOp(spirv.OpGroupBroadcast, spirv.CapabilityGroups), "sub_group_broadcast of vectors."),
}, uniform("sub_group_", "sub-group", spirv.ScopeSubgroup, wide, Def{Since: lang.CL12,
	Section: subGroupSection, Ext: "cl_khr_subgroups"}),
	uniform("sub_group_", "sub-group, for small integers", spirv.ScopeSubgroup, octets|words,
		Def{Since: lang.CL20, Ext: extended}),
	[]Def{
		lane("sub_group_elect", "int()", "cl_khr_subgroup_non_uniform_vote", Over{},
			lanesOp(spirv.OpGroupNonUniformElect, spirv.CapabilityGroupNonUniform),
			"Whether this is the first of the work-items that are here."),
		lane("sub_group_non_uniform_all", "int(int)", "cl_khr_subgroup_non_uniform_vote", Over{},
			vote(spirv.ScopeSubgroup, NoOperation, spirv.OpGroupNonUniformAll,
				spirv.CapabilityGroupNonUniformVote),
			"Whether the value is not 0 in all work-items that are here."),
		lane("sub_group_non_uniform_any", "int(int)", "cl_khr_subgroup_non_uniform_vote", Over{},
			vote(spirv.ScopeSubgroup, NoOperation, spirv.OpGroupNonUniformAny,
				spirv.CapabilityGroupNonUniformVote),
			"Whether the value is not 0 in any work-item that is here."),
		lane("sub_group_non_uniform_all_equal", "int(T)", "cl_khr_subgroup_non_uniform_vote", anyScalar,
			lanesOp(spirv.OpGroupNonUniformAllEqual, spirv.CapabilityGroupNonUniformVote),
			"Whether all work-items that are here have the same value."),

		lane("sub_group_non_uniform_broadcast", "T(T, uint)", ballot, anyValue,
			lanesOp(spirv.OpGroupNonUniformBroadcast, spirv.CapabilityGroupNonUniformBallot),
			"The value of one of the work-items that are here."),
		lane("sub_group_broadcast_first", "T(T)", ballot, anyScalar,
			lanesOp(spirv.OpGroupNonUniformBroadcastFirst, spirv.CapabilityGroupNonUniformBallot),
			"The value of the first work-item that is here."),
		lane("sub_group_ballot", "uint4(int)", ballot, Over{},
			vote(spirv.ScopeSubgroup, NoOperation, spirv.OpGroupNonUniformBallot,
				spirv.CapabilityGroupNonUniformBallot),
			"A bit for each work-item: whether its value is not 0."),
		lane("sub_group_inverse_ballot", "int(uint4)", ballot, Over{},
			lanesOp(spirv.OpGroupNonUniformInverseBallot, spirv.CapabilityGroupNonUniformBallot),
			"This work-item's bit of a ballot."),
		lane("sub_group_ballot_bit_extract", "int(uint4, uint)", ballot, Over{},
			lanesOp(spirv.OpGroupNonUniformBallotBitExtract, spirv.CapabilityGroupNonUniformBallot),
			"One bit of a ballot."),
		ballotCount("sub_group_ballot_bit_count", spirv.GroupOperationReduce,
			"How many bits of a ballot are one."),
		ballotCount("sub_group_ballot_inclusive_scan", spirv.GroupOperationInclusiveScan,
			"How many bits of a ballot are one, up to this work-item's."),
		ballotCount("sub_group_ballot_exclusive_scan", spirv.GroupOperationExclusiveScan,
			"How many bits of a ballot are one, before this work-item's."),
		lane("sub_group_ballot_find_lsb", "uint(uint4)", ballot, Over{},
			lanesOp(spirv.OpGroupNonUniformBallotFindLSB, spirv.CapabilityGroupNonUniformBallot),
			"The number of the first bit of a ballot that is one."),
		lane("sub_group_ballot_find_msb", "uint(uint4)", ballot, Over{},
			lanesOp(spirv.OpGroupNonUniformBallotFindMSB, spirv.CapabilityGroupNonUniformBallot),
			"The number of the last bit of a ballot that is one."),
		laneMask("get_sub_group_eq_mask", spirv.BuiltInSubgroupEqMask, "The bit of this work-item."),
		laneMask("get_sub_group_ge_mask", spirv.BuiltInSubgroupGeMask,
			"The bits of the work-items from this one on."),
		laneMask("get_sub_group_gt_mask", spirv.BuiltInSubgroupGtMask,
			"The bits of the work-items behind this one."),
		laneMask("get_sub_group_le_mask", spirv.BuiltInSubgroupLeMask,
			"The bits of the work-items up to this one."),
		laneMask("get_sub_group_lt_mask", spirv.BuiltInSubgroupLtMask,
			"The bits of the work-items before this one."),
	}, nonUniform(), []Def{
		lane("sub_group_shuffle", "T(T, uint)", "cl_khr_subgroup_shuffle", anyScalar,
			lanesOp(spirv.OpGroupNonUniformShuffle, spirv.CapabilityGroupNonUniformShuffle),
			"The value of any work-item."),
		lane("sub_group_shuffle_xor", "T(T, uint)", "cl_khr_subgroup_shuffle", anyScalar,
			lanesOp(spirv.OpGroupNonUniformShuffleXor, spirv.CapabilityGroupNonUniformShuffle),
			"The value of the work-item whose number differs in the given bits."),
		lane("sub_group_shuffle_up", "T(T, uint)", "cl_khr_subgroup_shuffle_relative", anyScalar,
			lanesOp(spirv.OpGroupNonUniformShuffleUp, spirv.CapabilityGroupNonUniformShuffleRelative),
			"The value of the work-item that many places before."),
		lane("sub_group_shuffle_down", "T(T, uint)", "cl_khr_subgroup_shuffle_relative", anyScalar,
			lanesOp(spirv.OpGroupNonUniformShuffleDown, spirv.CapabilityGroupNonUniformShuffleRelative),
			"The value of the work-item that many places behind."),
		lane("sub_group_rotate", "T(T, int)", "cl_khr_subgroup_rotate", anyScalar, rotation(),
			"The value of the work-item that many places behind, round the sub-group."),
		lane("sub_group_clustered_rotate", "T(T, int, uint)", "cl_khr_subgroup_rotate", anyScalar,
			rotation(), "The value of the work-item that many places behind, round its cluster."),
	})

// intel is a row of Intel's sub-groups.
func intel(name, sig, ext string, over Over, e Emit, help string) Def {
	return Def{Name: name, Sig: sig, Over: over, Emit: e, Since: lang.CL12, Ext: ext, Help: help}
}

// shuffleIntel is an instruction of Intel's sub-groups.
func shuffleIntel(o spirv.Op) Emit {
	e := op(o, spirv.CapabilitySubgroupShuffleINTEL)
	e.Ext = "SPV_INTEL_subgroups"
	return e
}

// intelShuffles returns the rows of the shuffles for an extension's types.
func intelShuffles(ext, what string, over Over) []Def {
	return []Def{
		intel("intel_sub_group_shuffle", "T(T, uint)", ext, over, shuffleIntel(spirv.OpSubgroupShuffleINTEL),
			"The value of any work-item"+what),
		intel("intel_sub_group_shuffle_down", "T(T, T, uint)", ext, over,
			shuffleIntel(spirv.OpSubgroupShuffleDownINTEL),
			"The value of the work-item that many places behind, of the second value past the last one"+what),
		intel("intel_sub_group_shuffle_up", "T(T, T, uint)", ext, over,
			shuffleIntel(spirv.OpSubgroupShuffleUpINTEL),
			"The second value of the work-item that many places before, of the first value before the first one"+what),
		intel("intel_sub_group_shuffle_xor", "T(T, uint)", ext, over,
			shuffleIntel(spirv.OpSubgroupShuffleXorINTEL),
			"The value of the work-item whose number differs in the given bits"+what),
	}
}

// intelSmall returns the rows of the reductions of small integers.
func intelSmall(ext, what string, of kinds) []Def {
	out := []Def{intel("intel_sub_group_broadcast", "T(T, uint)", ext, Over{Of: of, N: anyN &^ n16},
		lanesOp(spirv.OpGroupBroadcast, spirv.CapabilityGroups),
		"The value of one work-item, the same for all"+what)}
	return append(out, uniform("intel_sub_group_", "sub-group"+what[:len(what)-1], spirv.ScopeSubgroup, of,
		Def{Since: lang.CL12, Ext: ext})...)
}

// intelBlocks returns the rows of the block reads and writes of one type.
func intelBlocks(suffix, typ, numbers, ext string) []Def {
	out := []Def{}
	name := func(op string) string { return "intel_sub_group_block_" + op + suffix + numbers }
	for _, n := range []string{"read", "write"} {
		d := Def{Name: name(n), Over: Over{Of: kindOf[typ], N: n1}, Emit: code(), Since: lang.CL12, Ext: ext}
		img := Def{Name: name(n), Over: Over{Of: kindOf[typ], N: n1, Images: img2D}, Emit: code(),
			Since: lang.CL12, Ext: ext}
		if n == "read" {
			d.Sig, d.Help = "Tn(global const E*)",
				"Reads consecutive elements of a buffer for the whole sub-group, of type "+typ+"."
			img.Over.Access = readOnly | readWrite
			img.Sig, img.Help = "Jn(T, int2)",
				"Reads rows of an image for the whole sub-group, of type "+typ+"."
		} else {
			d.Sig, d.Help = "void(global E*, Tn)",
				"Writes consecutive elements of a buffer for the whole sub-group, of type "+typ+"."
			img.Over.Access = writeOnly | readWrite
			img.Sig, img.Help = "void(T, int2, Jn)",
				"Writes rows of an image for the whole sub-group, of type "+typ+"."
		}
		out = append(out, d, img)
	}
	return out
}

// mediaBlocks returns the rows of the block reads and writes of parts of images with a width and a height.
func mediaBlocks(suffix, typ, numbers string) []Def {
	const ext = "cl_intel_media_block_io"
	over := Over{Of: kindOf[typ], N: n1, Images: img2D, Access: readOnly | readWrite}
	out := []Def{intel("intel_sub_group_media_block_read_"+suffix+numbers, "Jn(int2, int, int, T)", ext,
		over, code(),
		"Reads a part of an image for the whole sub-group, of type "+typ+".")}
	over.Access = writeOnly | readWrite
	return append(out, intel("intel_sub_group_media_block_write_"+suffix+numbers,
		"void(int2, int, int, Jn, T)", ext, over, code(),
		"Writes a part of an image for the whole sub-group, of type "+typ+"."))
}

var kindOf = map[string]kinds{"uchar": uchars, "ushort": ushorts, "uint": uints, "ulong": ulongs}

var intelRows = join(
	intelShuffles("cl_intel_subgroups", ".", Over{Of: dwords | floats, N: anyN}),
	intelShuffles("cl_intel_subgroups", ", of the wide types.", Over{Of: qwords | doubles, N: n1}),
	intelShuffles("cl_intel_subgroups", ", of half.", Over{Of: halfs, N: anyN}),
	intelBlocks("", "uint", "{,2,4,8}", "cl_intel_subgroups"),
	intelShuffles("cl_intel_subgroups_short", ", of 16 bits.", Over{Of: words, N: anyN}),
	intelSmall("cl_intel_subgroups_short", ", of 16 bits.", words),
	intelBlocks("_us", "ushort", "{,2,4,8}", "cl_intel_subgroups_short"),
	intelBlocks("_ui", "uint", "{,2,4,8}", "cl_intel_subgroups_short"),
	intelShuffles("cl_intel_subgroups_char", ", of 8 bits.", Over{Of: octets, N: anyN}),
	intelSmall("cl_intel_subgroups_char", ", of 8 bits.", octets),
	intelBlocks("_uc", "uchar", "{,2,4,8,16}", "cl_intel_subgroups_char"),
	intelShuffles("cl_intel_subgroups_long", ", of vectors of 64 bits.", Over{Of: qwords, N: vectors}),
	intelBlocks("_ul", "ulong", "{,2,4,8}", "cl_intel_subgroups_long"),
	mediaBlocks("uc", "uchar", "{,2,4,8,16}"), mediaBlocks("us", "ushort", "{,2,4,8,16}"), mediaBlocks("ui",
		"uint", "{,2,4,8}"),
)
