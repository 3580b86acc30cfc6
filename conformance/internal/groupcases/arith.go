package groupcases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// groupInst is what an operation is called in SPIR-V behind OpGroup and
// OpGroupNonUniform; uniform is empty where there is none, and khr says that it is of
// SPV_KHR_uniform_group_instructions.
var groupInst = map[string]struct {
	uniform, nonUniform string
	khr                 bool
}{
	"add": {"IAdd", "IAdd", false}, "mul": {"IMulKHR", "IMul", true},
	"smin": {"SMin", "SMin", false}, "umin": {"UMin", "UMin", false},
	"smax": {"SMax", "SMax", false}, "umax": {"UMax", "UMax", false},
	"and": {"BitwiseAndKHR", "BitwiseAnd", true}, "or": {"BitwiseOrKHR", "BitwiseOr", true}, "xor": {"BitwiseXorKHR", "BitwiseXor", true},
	"fadd": {"FAdd", "FAdd", false}, "fmul": {"FMulKHR", "FMul", true}, "fmin": {"FMin", "FMin", false}, "fmax": {"FMax", "FMax", false},
	"logical_and": {"LogicalAndKHR", "LogicalAnd", true}, "logical_or": {"LogicalOrKHR", "LogicalOr", true},
	"logical_xor": {"LogicalXorKHR", "LogicalXor", true},
}

// groupKinds are the operations of a group instruction, in the order of scans.
var groupKinds = []string{"Reduce", "InclusiveScan", "ExclusiveScan"}

// lower is the name of an instruction as part of the name of a case.
func lower(inst string) string { return strings.ToLower(strings.TrimSuffix(inst, "KHR")) }

// intelMinMax are the reductions that cl_intel_spirv_subgroups names.
var intelMinMax = []string{"smin", "umin", "fmin", "smax", "umax", "fmax"}

// uniformArithmetic makes a case for each group instruction, at both scopes.
func uniformArithmetic() []*conformance.Case {
	var out []*conformance.Case
	for _, o := range operations {
		inst := groupInst[o.name]
		d := newDraft("cases/group/"+lower(inst.uniform), "OpGroup"+inst.uniform+" of sub-groups and of work-groups", tiny, "SPV-OpGroup"+inst.uniform)
		d.Comment = "Of each type and scope a buffer with the reductions, the inclusive and the exclusive scans."
		if slices.Contains(intelMinMax, o.name) {
			d.Clauses = append(d.Clauses, "ISG-04")
			d.extension("SPV_INTEL_subgroups")
			d.need("SubgroupShuffleINTEL")
		}
		d.need("Groups")
		if inst.khr {
			d.need("GroupUniformArithmeticKHR")
			d.extension("SPV_KHR_uniform_group_instructions")
		}
		for _, t := range o.types {
			x := o.operands(t, tiny.global)
			d.in("x_"+t.mux, t, x)
			for _, scope := range []struct{ name, id string }{{"sub", "%uint_3"}, {"work", "%uint_2"}} {
				name := scope.name + "_" + t.mux
				arg := d.out("out_"+name, t, 3*tiny.global)
				for slot, kind := range groupKinds {
					d.add(`%%%s_%s = OpGroup%s %%%s %s %s %%x_%s`, lower(kind), name, inst.uniform, t.spirv, scope.id, kind, t.mux)
					d.store("out_"+name, t, slot, "%"+lower(kind)+"_"+name)
				}
				d.expect(arg, t, func(size int) []uint64 {
					r := o.scanLanes(t, x, tiny, tiny.subgroups(size))
					if scope.name == "work" {
						r = o.scanWorkgroups(t, x, tiny, size)
					}
					return slices.Concat(r.reduce, r.inclusive, r.exclusive)
				})
			}
		}
		out = append(out, d.finish())
	}
	return out
}

// part says which lanes take part in the non-uniform cases: every third does not.
func part(lane int) bool { return lane%3 != 1 }

// divergent puts the lanes that take part on one side of a branch, where body is what
// they do, and returns the sub-groups that are left of those of a launch.
func (d *draft) divergent(body func()) {
	d.add(`%%lane = OpLoad %%uint %%SubgroupLocalInvocationId
		%%third = OpUMod %%uint %%lane %%uint_3
		%%takes_part = OpINotEqual %%bool %%third %%uint_1
		OpBranchConditional %%takes_part %%then %%join
		%%then = OpLabel`)
	body()
	d.add(`OpBranch %%join
		%%join = OpLabel`)
}

// parting returns the work-items of each sub-group that take part, the groups cut
// into clusters of lanes, where cluster is not 0.
func (l launch) parting(size, cluster int) [][]int {
	var out [][]int
	for _, g := range l.subgroups(size) {
		pieces := [][]int{g}
		if cluster > 0 {
			pieces = chunks(g, cluster)
		}
		lane := 0
		for _, p := range pieces {
			var left []int
			for _, item := range p {
				if part(lane) {
					left = append(left, item)
				}
				lane++
			}
			if left != nil {
				out = append(out, left)
			}
		}
	}
	return out
}

// nonUniformArithmetic makes a case for each non-uniform instruction, whole groups and
// clusters.
func nonUniformArithmetic() []*conformance.Case {
	var out []*conformance.Case
	for _, o := range operations {
		inst := "OpGroupNonUniform" + groupInst[o.name].nonUniform
		d := newDraft("cases/group/nonuniform-"+lower(groupInst[o.name].nonUniform), inst+" of the lanes that take part", tiny, "SPV-"+inst)
		d.Comment = "Of each type a buffer with the reductions, the inclusive and the exclusive scans. Every third lane does not\ntake part and leaves 0."
		d.Version = "1.3"
		d.need("GroupNonUniformArithmetic")
		d.each(o.types, func(t scalar) { d.in("x_"+t.mux, t, o.operands(t, tiny.global)) })
		d.divergent(func() {
			d.each(o.types, func(t scalar) {
				arg := d.out("out_"+t.mux, t, 3*tiny.global)
				for slot, kind := range groupKinds {
					d.add(`%%%s_%s = %s %%%s %%uint_3 %s %%x_%s`, lower(kind), t.mux, inst, t.spirv, kind, t.mux)
					d.store("out_"+t.mux, t, slot, "%"+lower(kind)+"_"+t.mux)
				}
				d.expect(arg, t, func(size int) []uint64 {
					r := o.scanLanes(t, o.operands(t, tiny.global), tiny, tiny.parting(size, 0))
					return slices.Concat(r.reduce, r.inclusive, r.exclusive)
				})
			})
		})
		out = append(out, d.finish())

		d = newDraft("cases/group/clustered-"+lower(groupInst[o.name].nonUniform), inst+" of clusters of 2 and 4 lanes", tiny, "SPV-"+inst)
		d.Comment = "Of each type a buffer with the reductions of clusters of 2 and of 4. Every third lane does not take part and\nleaves 0."
		d.Version = "1.3"
		d.SubGroups = sizes[1:] // a cluster of 4 is no larger than a sub-group
		d.need("GroupNonUniformArithmetic")
		d.need("GroupNonUniformClustered")
		d.each(o.types, func(t scalar) { d.in("x_"+t.mux, t, o.operands(t, tiny.global)) })
		d.divergent(func() {
			d.each(o.types, func(t scalar) {
				arg := d.out("out_"+t.mux, t, 2*tiny.global)
				for slot, n := range []int{2, 4} {
					d.add(`%%by%d_%s = %s %%%s %%uint_3 ClusteredReduce %%x_%[2]s %%uint_%[1]d`, n, t.mux, inst, t.spirv)
					d.store("out_"+t.mux, t, slot, fmt.Sprintf("%%by%d_%s", n, t.mux))
				}
				d.expect(arg, t, func(size int) []uint64 {
					x := o.operands(t, tiny.global)
					return append(o.scanLanes(t, x, tiny, tiny.parting(size, 2)).reduce, o.scanLanes(t, x, tiny, tiny.parting(size, 4)).reduce...)
				})
			})
		})
		out = append(out, d.finish())
	}
	return out
}

func (d *draft) each(types []scalar, f func(t scalar)) {
	for _, t := range types {
		f(t)
	}
}

// partitioned makes the cases of SPV_NV_shader_subgroup_partitioned.
func partitioned() []*conformance.Case {
	colour := make([]uint64, small.global)
	for i := range colour {
		colour[i] = uint64(i*i%5) << 8 // 0, 1 and 4: three partitions, 1 and 4 of several lanes
	}
	// parts returns the lanes that take part and have one colour.
	parts := func(size int) [][]int {
		var out [][]int
		for _, g := range small.parting(size, 0) {
			for c := range uint64(5) {
				var p []int
				for _, item := range g {
					if colour[item] == c<<8 {
						p = append(p, item)
					}
				}
				if p != nil {
					out = append(out, p)
				}
			}
		}
		return out
	}
	begin := func(name, title, inst string) *draft {
		d := newDraft("cases/group/partition"+name, title, small, "SPV-"+inst)
		d.Comment = "Every third lane does not take part and leaves 0."
		d.Version = "1.3"
		d.need("GroupNonUniformPartitionedNV")
		d.need("GroupNonUniformArithmetic")
		d.need("GroupNonUniformBallot")
		d.extension("SPV_NV_shader_subgroup_partitioned")
		d.in("colour", i32, colour)
		return d
	}
	d := begin("", "OpGroupNonUniformPartitionNV: the lanes with the same value, as a ballot", "OpGroupNonUniformPartitionNV")
	d.divergent(func() {
		d.add(`%%ballot = OpGroupNonUniformPartitionNV %%v4uint %%colour`)
		d.outBallot("out", "%ballot", func(size int) [][]int { return parts(size) })
	})
	out := []*conformance.Case{d.finish()}
	for _, o := range operations {
		if o.name != "add" && o.name != "fadd" && o.name != "logical_xor" {
			continue
		}
		t := o.types[len(o.types)/2]
		inst := "OpGroupNonUniform" + groupInst[o.name].nonUniform
		d := begin("-"+lower(groupInst[o.name].nonUniform), inst+" of partitions", inst)
		x := o.operands(t, small.global)
		d.in("x", t, x)
		d.divergent(func() {
			arg := d.out("out", t, 3*small.global)
			d.add(`%%ballot = OpGroupNonUniformPartitionNV %%v4uint %%colour`)
			for slot, kind := range groupKinds {
				d.add(`%%%s = %s %%%s %%uint_3 Partitioned%sNV %%x %%ballot`, lower(kind), inst, t.spirv, kind)
				d.store("out", t, slot, "%"+lower(kind))
			}
			d.expect(arg, t, func(size int) []uint64 {
				r := o.scanLanes(t, x, small, parts(size))
				return slices.Concat(r.reduce, r.inclusive, r.exclusive)
			})
		})
		out = append(out, d.finish())
	}
	return out
}

// outBallot stores a ballot and expects that each work-item of a list has the lanes of
// that list.
func (d *draft) outBallot(name, value string, lists func(size int) [][]int) {
	arg := d.outVector(name, vector{i32, 4}, value)
	d.expect(arg, i32, func(size int) []uint64 {
		lane := d.lanes(size)
		want := make([]uint64, 4*d.launch.global)
		for _, list := range lists(size) {
			for _, item := range list {
				for _, other := range list {
					l := lane[other]
					want[4*item+l/32] |= 1 << (l % 32)
				}
			}
		}
		return want
	})
}

// lanes returns the place of each work-item in its sub-group.
func (d *draft) lanes(size int) []int {
	out := make([]int, d.launch.global)
	d.launch.each(size, func(item int, _ []int, lane int) { out[item] = lane })
	return out
}
