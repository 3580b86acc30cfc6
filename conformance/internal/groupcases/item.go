package groupcases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// workItems makes the cases about what a work-item knows of its place.
func workItems() []*conformance.Case {
	out := []*conformance.Case{subgroupNumbers(), muxSubgroupNumbers(), muxFlags()}
	return append(out, muxPlaces()...)
}

// subgroupNumbers makes the case about the built-in variables of SPV_INTEL_subgroups.
func subgroupNumbers() *conformance.Case {
	d := newDraft("cases/isg/built-ins", "the built-in variables of sub-groups, partial ones included", small, "ISG-02", "ISG-01")
	d.Version = "1.2"
	d.need("SubgroupDispatch")
	d.extension("SPV_INTEL_subgroups")
	d.need("SubgroupShuffleINTEL")
	for _, q := range subgroupQuestions {
		d.add(`%%v_%s = OpLoad %%uint %%%s`, q.mux, q.builtIn)
		d.answer(q.mux, q.want)
	}
	d.add(`%%v_enqueued = OpLoad %%uint %%NumEnqueuedSubgroups`)
	d.answer("enqueued", func(size, _ int, _ []int, _ int) int { return (small.local + size - 1) / size })
	return d.finish()
}

// subgroupQuestions has what a work-item may ask about its sub-group, by the names of
// SPIR-V and ComputeMux. The answer depends on the work-items of its work-group,
// those of its sub-group and its number among them.
var subgroupQuestions = []struct {
	builtIn, mux string
	want         func(size, workgroup int, g []int, lane int) int
}{
	{"SubgroupSize", "get_sub_group_size", func(_, _ int, g []int, _ int) int { return len(g) }},
	{"SubgroupMaxSize", "get_max_sub_group_size", func(size, _ int, _ []int, _ int) int { return size }},
	{"NumSubgroups", "get_num_sub_groups", func(size, w int, _ []int, _ int) int { return (w + size - 1) / size }},
	{"SubgroupId", "get_sub_group_id", func(size, _ int, g []int, _ int) int { return g[0] % small.local / size }},
	{"SubgroupLocalInvocationId", "get_sub_group_local_id", func(_, _ int, _ []int, lane int) int { return lane }},
}

// answer stores %v_NAME and expects the answer of every work-item.
func (d *draft) answer(name string, want func(size, workgroup int, g []int, lane int) int) {
	arg := d.out("out_"+name, i32, small.global)
	d.store("out_"+name, i32, 0, "%v_"+name)
	d.expect(arg, i32, func(size int) []uint64 {
		v := make([]uint64, small.global)
		for _, w := range small.workgroups() {
			for _, g := range chunks(w, size) {
				for lane, item := range g {
					v[item] = uint64(want(size, len(w), g, lane))
				}
			}
		}
		return v
	})
}

func muxSubgroupNumbers() *conformance.Case {
	d := newDraft("cases/mux/sub-group-numbers", "what ComputeMux's functions tell of sub-groups", small, "MUX-10")
	for _, q := range subgroupQuestions {
		d.call("v_"+q.mux, "uint", "__mux_"+q.mux)
		d.answer(q.mux, q.want)
	}
	return d.finish()
}

// muxFlags makes the case about the properties of the device: denormals are kept,
// results are exact, the profile is the full one.
func muxFlags() *conformance.Case {
	l := launch{1, 1}
	d := newDraft("cases/mux/flags", "the device keeps denormals, is exact, and has the full profile", l, "MUX-10")
	for _, name := range []string{"isftz", "usefast", "isembeddedprofile"} {
		d.call(name, "bool", "__mux_"+name)
		d.add(`%%not_%s = OpLogicalNot %%bool %%%[1]s`, name)
		arg := d.out("out_"+name, i1, 1)
		d.store("out_"+name, i1, 0, "%not_"+name)
		d.expect(arg, i1, func(int) []uint64 { return []uint64{1} })
	}
	return d.finish()
}

// muxPlaces makes a case for each number of dimensions about ids and sizes, those of
// dimensions that are not there included.
func muxPlaces() []*conformance.Case {
	var out []*conformance.Case
	for _, r := range []struct {
		name                  string
		global, local, offset []uint64
	}{
		{"1d", []uint64{7}, []uint64{4}, []uint64{100}},
		{"2d", []uint64{5, 3}, []uint64{3, 2}, []uint64{10, 20}},
		{"3d", []uint64{3, 2, 3}, []uint64{2, 2, 2}, []uint64{1, 2, 3}},
	} {
		n := 1
		for _, g := range r.global {
			n *= int(g)
		}
		d := newDraft("cases/mux/work-item-"+r.name, "ids and sizes of work-items in "+r.name[:1]+" dimensions, with an offset and partial work-groups",
			launch{n, n}, "MUX-10")
		d.Comment = "Of each function a buffer with its results for the dimensions 0 to 3, one after the other."
		d.Global, d.Local, d.Offset = r.global, r.local, r.offset
		d.body = nil
		pad := func(v []uint64, with uint64) []uint64 { return append(slices.Clone(v), with, with, with, with)[:4] }
		global, local, offset := pad(r.global, 1), pad(r.local, 1), pad(r.offset, 0)
		// place returns the coordinates of a work-item without the offset.
		place := func(item int) (p [4]uint64) {
			rest := uint64(item)
			for k := range 3 {
				p[k] = rest % global[k]
				rest /= global[k]
			}
			return p
		}
		// size is that of the work-group that a work-item is in.
		size := func(p [4]uint64, k int) uint64 {
			return min(local[k], global[k]-p[k]/local[k]*local[k])
		}
		d.call("gid", "ulong", "__mux_get_global_linear_id")
		for _, q := range []struct {
			name string
			want func(p [4]uint64, k int) uint64
		}{
			{"global_size", func(_ [4]uint64, k int) uint64 { return global[k] }},
			{"global_id", func(p [4]uint64, k int) uint64 { return p[k] + offset[k] }},
			{"global_offset", func(_ [4]uint64, k int) uint64 { return offset[k] }},
			{"local_size", size},
			{"enqueued_local_size", func(_ [4]uint64, k int) uint64 { return local[k] }},
			{"local_id", func(p [4]uint64, k int) uint64 { return p[k] % local[k] }},
			{"num_groups", func(_ [4]uint64, k int) uint64 { return (global[k] + local[k] - 1) / local[k] }},
			{"group_id", func(p [4]uint64, k int) uint64 { return p[k] / local[k] }},
		} {
			arg := d.out(q.name, i64, 4*n)
			for k := range 4 {
				id := fmt.Sprintf("%s_%d", q.name, k)
				d.call("v_"+id, "ulong", "__mux_get_"+q.name, fmt.Sprintf("uint %%uint_%d", k))
				d.store(q.name, i64, k, "%v_"+id)
			}
			d.expect(arg, i64, func(int) []uint64 {
				var want []uint64
				for k := range 4 {
					for item := range n {
						want = append(want, q.want(place(item), k))
					}
				}
				return want
			})
		}
		arg := d.out("linear", i64, 2*n)
		d.call("lid", "ulong", "__mux_get_local_linear_id")
		d.store("linear", i64, 0, "%gid")
		d.store("linear", i64, 1, "%lid")
		d.expect(arg, i64, func(int) []uint64 {
			var want []uint64
			for item := range n {
				want = append(want, uint64(item))
			}
			for item := range n {
				p := place(item)
				want = append(want, (p[2]%local[2]*size(p, 1)+p[1]%local[1])*size(p, 0)+p[0]%local[0])
			}
			return want
		})
		arg = d.out("dim", i32, n)
		d.call("work_dim", "uint", "__mux_get_work_dim")
		d.store("dim", i32, 0, "%work_dim")
		d.expect(arg, i32, func(int) []uint64 {
			want := make([]uint64, n)
			for i := range want {
				want[i] = uint64(len(r.global))
			}
			return want
		})
		out = append(out, d.finish())
	}
	return out
}

// refusals makes the cases about modules that are refused.
func refusals() []*conformance.Case {
	var out []*conformance.Case
	l := launch{1, 1}
	for _, capability := range []string{"SubgroupShuffleINTEL", "SubgroupBufferBlockIOINTEL", "SubgroupImageBlockIOINTEL", "SubgroupImageMediaBlockIOINTEL"} {
		d := newDraft("cases/isg/refuse-"+strings.ToLower(capability), "the capability "+capability+" without its extension", l, "ISG-01")
		d.out("out", i32, 1)
		d.store("out", i32, 0, "%uint_1")
		d.need(capability)
		d.Refuse = "the capability " + capability + " needs the extension SPV_INTEL_"
		out = append(out, d.finish())
	}
	type bad struct {
		folder, name, title, clause, refuse string
		body                                func(d *draft)
	}
	for _, b := range []bad{
		{"mux", "barrier-scope", "a barrier with a scope that is none of MemScope", "MUX-12", "5 is no memory scope", func(d *draft) {
			d.call("", "void", "__mux_work_group_barrier", "uint %uint_0", "uint %uint_5", "uint %uint_8")
		}},
		{"mux", "barrier-orders", "a barrier with two orders", "MUX-12", "no memory semantics", func(d *draft) {
			d.call("", "void", "__mux_sub_group_barrier", "uint %uint_0", "uint %uint_2", "uint %uint_6")
		}},
		{"mux", "fence-memory", "a fence with a memory that is none of MemSemantics", "MUX-12", "no memory semantics", func(d *draft) {
			d.call("", "void", "__mux_mem_barrier", "uint %uint_2", "uint %uint_1032")
		}},
		{"mux", "type", "a reduction with a type that its name does not tell", "MUX-15", "i64", func(d *draft) {
			d.call("r", "uint", "__mux_sub_group_reduce_add_i64", "uint %uint_1")
		}},
		{"mux", "operation", "an operation that there is not", "MUX-15", "__mux_sub_group_reduce_sub_i32", func(d *draft) {
			d.call("r", "uint", "__mux_sub_group_reduce_sub_i32", "uint %uint_1")
		}},
		{"mux", "float-and", "a bitwise operation on floats", "MUX-15", "__mux_sub_group_reduce_and_f32", func(d *draft) {
			d.call("r", "float", "__mux_sub_group_reduce_and_f32", "float %float_1")
		}},
		{"mux", "broadcast-indices", "a broadcast in a work-group with one index", "MUX-14", "takes 5 arguments", func(d *draft) {
			d.call("r", "uint", "__mux_work_group_broadcast_i32", "uint %uint_0", "uint %uint_1", "ulong %ulong_0")
		}},
		{"mux", "shuffle-operands", "a shuffle up with one value", "MUX-16", "takes 3 arguments", func(d *draft) {
			d.call("r", "uint", "__mux_sub_group_shuffle_up_i32", "uint %uint_1", "uint %uint_1")
		}},
		{"group", "scope", "a group operation of the whole device", "SPV-OpGroupIAdd", "scope", func(d *draft) {
			d.need("Groups")
			d.add(`%%r = OpGroupIAdd %%uint %%uint_1 Reduce %%uint_7`)
		}},
		{"group", "nonuniform-workgroup", "a non-uniform operation of a work-group", "SPV-OpGroupNonUniformIAdd", "cope", func(d *draft) {
			d.Version = "1.3"
			d.need("GroupNonUniformArithmetic")
			d.add(`%%r = OpGroupNonUniformIAdd %%uint %%uint_2 Reduce %%uint_7`)
		}},
		{"group", "cluster-size", "clusters of three lanes", "SPV-OpGroupNonUniformIAdd", "cluster size", func(d *draft) {
			d.Version = "1.3"
			d.need("GroupNonUniformArithmetic")
			d.need("GroupNonUniformClustered")
			d.add(`%%r = OpGroupNonUniformIAdd %%uint %%uint_3 ClusteredReduce %%uint_7 %%uint_3`)
		}},
	} {
		d := newDraft("cases/"+b.folder+"/refuse-"+b.name, b.title, l, b.clause)
		d.out("out", i32, 1)
		b.body(d)
		d.store("out", i32, 0, "%uint_1")
		d.Refuse = b.refuse
		out = append(out, d.finish())
	}
	return out
}
