package groupcases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// mangled is the name that a C++ compiler gives a function with these parameters, by
// their codes ("j" for uint).
func mangled(name, parameters string) string {
	return fmt.Sprintf("_Z%d%s%s", len(name), name, parameters)
}

// openCLNames makes the cases about group functions of OpenCL C that compilers leave as
// calls.
func openCLNames() []*conformance.Case {
	var out []*conformance.Case
	types := []struct {
		code   string
		t      scalar
		prefix string // of the operations in this package, but for add and mul
	}{{"i", i32, "s"}, {"j", i32, "u"}, {"m", i64, "u"}, {"f", f32, "f"}, {"d", f64, "f"}}
	for _, group := range []struct {
		name, title string
		work        bool
		ops         []string
		divergent   bool
	}{
		{"sub_group", "sub_group_reduce and scans", false, []string{"add", "min", "max"}, false},
		{"work_group", "work_group_reduce and scans", true, []string{"add", "min", "max"}, false},
		{"sub_group_non_uniform", "sub_group_non_uniform_reduce and scans, among lanes that take part", false, []string{"add", "mul", "min", "max"}, true},
	} {
		for _, name := range group.ops {
			d := newDraft("cases/group/opencl-"+map[bool]string{true: "nonuniform", false: group.name[:len(group.name)-6]}[group.divergent]+"-"+name,
				name+" by imported name: "+group.title, tiny, "CL-SubGroups")
			d.Comment = "Of each type a buffer with the reductions, the inclusive and the exclusive scans."
			find := func(prefix string) *operation {
				want := prefix + name
				if name == "add" || name == "mul" {
					want = name
					if prefix == "f" {
						want = "f" + name
					}
				}
				return &operations[slices.IndexFunc(operations, func(o operation) bool { return o.name == want })]
			}
			for _, x := range types {
				d.in("x_"+x.code, x.t, find(x.prefix).operands(x.t, tiny.global))
			}
			body := func() {
				for _, x := range types {
					o := find(x.prefix)
					arg := d.out("out_"+x.code, x.t, 3*tiny.global)
					for slot, kind := range muxKinds {
						id := kind + "_" + x.code
						d.call(id, x.t.spirv, mangled(group.name+"_"+kind+"_"+name, x.code), x.t.spirv+" %x_"+x.code)
						d.store("out_"+x.code, x.t, slot, "%"+id)
					}
					d.expect(arg, x.t, func(size int) []uint64 {
						v := o.operands(x.t, tiny.global)
						r := o.scanLanes(x.t, v, tiny, tiny.subgroups(size))
						switch {
						case group.work:
							r = o.scanWorkgroups(x.t, v, tiny, size)
						case group.divergent:
							r = o.scanLanes(x.t, v, tiny, tiny.parting(size, 0))
						}
						return slices.Concat(r.reduce, r.inclusive, r.exclusive)
					})
				}
			}
			if group.divergent {
				d.divergent(body)
			} else {
				body()
			}
			out = append(out, d.finish())
		}
	}
	for _, k := range shuffleKinds {
		d := newDraft("cases/isg/opencl-"+strings.ReplaceAll(k.name, "_", "-"), "intel_sub_group_"+k.name+" by imported name", tiny, "ISG-05")
		d.choose(k, 1)
		for _, v := range []struct {
			code string
			vector
		}{{"j", vector{i32, 1}}, {"Dv4_f", vector{f32, 4}}, {"Dv2_t", vector{i16, 2}}, {"m", vector{i64, 1}}} {
			code := v.code
			if k.operands == 2 {
				code += v.code
				if len(v.code) > 1 {
					code = v.code + "S_" // what was there already is not spelt again
				}
			}
			d.emitShuffle(k, v.vector, 1, func(id string, operands []string) {
				var typed []string
				for _, o := range operands {
					typed = append(typed, v.vector.name()+" "+o)
				}
				d.call(id, v.vector.name(), mangled("intel_sub_group_"+k.name, code+"j"), append(typed, "uint %index")...)
			})
		}
		out = append(out, d.finish())
	}
	return append(out, groupBroadcasts()...)
}

// groupBroadcasts makes the cases about OpGroupBroadcast, and about votes of work-groups.
func groupBroadcasts() []*conformance.Case {
	var out []*conformance.Case
	l := launch{24, 12}
	x := values(i32, l.global)
	for _, shape := range []struct {
		name, title   string
		global, local []uint64
		index, typ    string
		at            func(p [3]uint64) [3]uint64 // the work-item that broadcasts, by one of its work-group
	}{
		{"1", "one index", []uint64{24}, []uint64{12}, "%ulong_7", "ulong", func(p [3]uint64) [3]uint64 { return [3]uint64{p[0]/12*12 + 7, 0, 0} }},
		{"2", "a vector of two indices", []uint64{8, 3}, []uint64{4, 3}, "%at", "v2ulong", func(p [3]uint64) [3]uint64 { return [3]uint64{p[0]/4*4 + 3, 1, 0} }},
		{"3", "a vector of three indices", []uint64{2, 3, 4}, []uint64{2, 3, 2}, "%at", "v3ulong",
			func(p [3]uint64) [3]uint64 { return [3]uint64{1, 2, p[2] / 2 * 2} }},
	} {
		d := newDraft("cases/group/broadcast-work-"+shape.name, "OpGroupBroadcast in a work-group with "+shape.title, l, "SPV-OpGroupBroadcast")
		d.Global, d.Local = shape.global, shape.local
		d.need("Groups")
		d.body = nil
		size := append(slices.Clone(shape.global), 1, 1)
		d.add(`%%gid3 = OpLoad %%v3ulong %%GlobalInvocationId
			%%gx = OpCompositeExtract %%ulong %%gid3 0
			%%gy = OpCompositeExtract %%ulong %%gid3 1
			%%gz = OpCompositeExtract %%ulong %%gid3 2
			%%plane = OpIMul %%ulong %%gz %%ulong_%d
			%%row = OpIMul %%ulong %%gy %%ulong_%d
			%%rowx = OpIAdd %%ulong %%row %%gx
			%%gid = OpIAdd %%ulong %%plane %%rowx`, size[0]*size[1], size[0])
		switch shape.name {
		case "2":
			d.add(`%%at = OpCompositeConstruct %%v2ulong %%ulong_3 %%ulong_1`)
		case "3":
			d.add(`%%at = OpCompositeConstruct %%v3ulong %%ulong_1 %%ulong_2 %%ulong_0`)
		}
		d.in("x", i32, x)
		arg := d.out("out", i32, l.global)
		d.add(`%%r = OpGroupBroadcast %%uint %%uint_2 %%x %s`, shape.index)
		d.store("out", i32, 0, "%r")
		d.expect(arg, i32, func(int) []uint64 {
			want := make([]uint64, l.global)
			for i := range want {
				n := uint64(i)
				p := shape.at([3]uint64{n % size[0], n / size[0] % size[1], n / size[0] / size[1]})
				want[i] = x[(p[2]*size[1]+p[1])*size[0]+p[0]]
			}
			return want
		})
		out = append(out, d.finish())
	}

	d := newDraft("cases/group/broadcast-sub", "OpGroupBroadcast in a sub-group, from its last lane", small, "SPV-OpGroupBroadcast")
	d.need("Groups")
	y := values(i32, small.global)
	d.in("x", i32, y)
	d.add(`%%size = OpLoad %%uint %%SubgroupSize
		%%last = OpISub %%uint %%size %%uint_1
		%%r = OpGroupBroadcast %%uint %%uint_3 %%x %%last`)
	arg := d.out("out", i32, small.global)
	d.store("out", i32, 0, "%r")
	d.expect(arg, i32, func(size int) []uint64 {
		want := make([]uint64, small.global)
		small.each(size, func(item int, g []int, _ int) { want[item] = y[g[len(g)-1]] })
		return want
	})
	out = append(out, d.finish())

	// In the first work-group some hold, in the second all, in the third none.
	votes := launch{21, 8}
	d = newDraft("cases/group/all-any-work", "OpGroupAll and OpGroupAny of work-groups", votes, "SPV-OpGroupAll", "SPV-OpGroupAny")
	d.need("Groups")
	z := make([]uint64, votes.global)
	for i := range 16 {
		z[i] = b2u(i != 5)
	}
	d.in("x", i1, z)
	for i, name := range []string{"All", "Any"} {
		d.add(`%%r%[1]s = OpGroup%[1]s %%bool %%uint_2 %%x`, name)
		arg := d.out(name, i1, votes.global)
		d.store(name, i1, 0, "%r"+name)
		d.expect(arg, i1, func(int) []uint64 { return operations[len(operations)-3+i].scan(i1, z, votes.workgroups()).reduce })
	}
	return append(out, d.finish())
}
