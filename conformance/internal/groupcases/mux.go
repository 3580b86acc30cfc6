package groupcases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// families has what makes the cases, a subject each.
var families = []func() []*conformance.Case{
	muxScans, muxVectors, muxVotes, muxBroadcasts, muxShuffles, intelShuffles,
	uniformArithmetic, nonUniformArithmetic, partitioned, votes, ballots, moves,
	undefinedShuffles, undefinedGroups, blocks, undefinedBlocks,
	workItems, refusals, barriers, atomics, openCLNames,
}

// muxKinds has what the functions of a scan are called, in the order of scans.
var muxKinds = []string{"reduce", "scan_inclusive", "scan_exclusive"}

// muxScans makes a case for each operation over sub-groups and work-groups.
func muxScans() []*conformance.Case {
	var out []*conformance.Case
	for _, o := range operations {
		types := o.types
		if o.name == "and" || o.name == "or" || o.name == "xor" {
			types = append(slices.Clone(types), i1)
		}
		for _, group := range []string{"sub", "work"} {
			d := newDraft(fmt.Sprintf("cases/mux/%s-group-%s", group, strings.ReplaceAll(o.name, "_", "-")),
				fmt.Sprintf("%s over a %s-group: reduction, inclusive and exclusive scan, of every type", o.name, group), small, "MUX-15")
			d.Comment = "Of each type a buffer with the results of the three functions, one after the other."
			for _, t := range types {
				x := o.operands(t, small.global)
				d.in("x_"+t.mux, t, x)
				arg := d.out("out_"+t.mux, t, 3*small.global)
				for slot, kind := range muxKinds {
					id := fmt.Sprintf("%s_%s", kind, t.mux)
					operands := []string{t.spirv + " %x_" + t.mux}
					if group == "work" {
						operands = append([]string{fmt.Sprintf("uint %%uint_%d", slot)}, operands...)
					}
					d.call(id, t.spirv, fmt.Sprintf("__mux_%s_group_%s_%s_%s", group, kind, o.name, t.mux), operands...)
					d.store("out_"+t.mux, t, slot, "%"+id)
				}
				d.expect(arg, t, func(size int) []uint64 {
					r := o.scanLanes(t, x, small, small.subgroups(size))
					if group == "work" {
						r = o.scanWorkgroups(t, x, small, size)
					}
					return slices.Concat(r.reduce, r.inclusive, r.exclusive)
				})
			}
			out = append(out, d.finish())
		}
	}
	return out
}

// muxVectors makes a case for each operation over the components of vectors.
func muxVectors() []*conformance.Case {
	var out []*conformance.Case
	for _, o := range operations {
		types := o.types
		if o.name == "and" || o.name == "or" || o.name == "xor" {
			types = append(slices.Clone(types), i1)
		}
		l := launch{2, 2}
		d := newDraft("cases/mux/vec-group-"+strings.ReplaceAll(o.name, "_", "-"),
			o.name+" over the components of a vector, and of a scalar: reduction, inclusive and exclusive scan", l, "MUX-15")
		for i, t := range types {
			for _, n := range []int{1, []int{16, 4, 8, 2, 4}[i%5]} {
				d.vectorScan(&o, t, n)
			}
		}
		out = append(out, d.finish())
	}
	return out
}

// vectorScan puts the scans of one type of n components into a kernel.
func (d *draft) vectorScan(o *operation, t scalar, n int) {
	name, typ, stored := t.mux, t.spirv, t.stored().spirv
	if n > 1 {
		name, typ, stored = fmt.Sprintf("v%d%s", n, t.mux), fmt.Sprintf("v%d%s", n, typ), fmt.Sprintf("v%d%s", n, stored)
	}
	// vec is a buffer of such values, and at what it holds for the work-item.
	vec := func(buffer string) string {
		d.params = append(d.params, buffer+" gptr_"+stored)
		d.add(`%%%s_at = OpInBoundsPtrAccessChain %%gptr_%s %%%[1]s %%gid`, buffer, stored)
		return "%" + buffer + "_at"
	}
	x := o.operands(t, n*d.launch.global)
	d.Args = append(d.Args, t.literals(x))
	d.add(`%%in_%s = OpLoad %%%s %s Aligned %d`, name, stored, vec("x_"+name), n*t.size())
	operand := "%in_" + name
	if t.bits == 1 {
		d.add(`%%truth_%s = OpINotEqual %%%s %s %%null_%s`, name, typ, operand, stored)
		operand = "%truth_" + name
	}
	for k, kind := range muxKinds {
		id, result := kind+"_"+name, typ
		if k == 0 {
			result = t.spirv
		}
		d.call(id, result, fmt.Sprintf("__mux_vec_group_%s_%s_%s", kind, o.name, name), typ+" "+operand)
		count := n
		if k == 0 {
			count = 1
		}
		var arg int
		if count == 1 {
			arg = d.out("out_"+id, t, d.launch.global)
			d.store("out_"+id, t, 0, "%"+id)
		} else {
			d.Args = append(d.Args, fmt.Sprintf("zero:%s:%d", t.stored().spec, n*d.launch.global))
			arg = len(d.Args) - 1
			at, v := vec("out_"+id), "%"+id
			if t.bits == 1 {
				one := "%ones_" + name
				if k == 1 {
					d.add(`%s = OpCompositeConstruct %%%s%s`, one, stored, strings.Repeat(" %uint_1", n))
				}
				d.add(`%%word_%s = OpSelect %%%s %%%[1]s %[3]s %%null_%[2]s`, id, stored, one)
				v = "%word_" + id
			}
			d.add(`OpStore %s %s Aligned %d`, at, v, n*t.size())
		}
		d.expect(arg, t, func(int) []uint64 {
			var want []uint64
			for item := range d.launch.global {
				group := make([]int, n)
				for c := range group {
					group[c] = c
				}
				r := o.scan(t, x[item*n:][:n], [][]int{group})
				want = append(want, [][]uint64{r.reduce[:1], r.inclusive, r.exclusive}[k]...)
			}
			return want
		})
	}
}

// muxVotes makes the cases about any and all.
func muxVotes() []*conformance.Case {
	// Groups where all, some or none hold, at most sizes.
	x := make([]uint64, small.global)
	for i := range x {
		if i < 9 || i == 13 || i >= 18 {
			x[i] = 1
		}
	}
	var out []*conformance.Case
	for _, group := range []string{"sub", "work"} {
		d := newDraft("cases/mux/"+group+"-group-any-all", "any and all over a "+group+"-group", small, "MUX-13")
		d.in("x", i1, x)
		for _, name := range []string{"any", "all"} {
			arg := d.out(name, i1, small.global)
			operands := []string{"bool %x"}
			if group == "work" {
				operands = []string{"uint %uint_0", "bool %x"}
			}
			d.call("r_"+name, "bool", "__mux_"+group+"_group_"+name+"_i1", operands...)
			d.store(name, i1, 0, "%r_"+name)
			d.expect(arg, i1, func(size int) []uint64 {
				o := operations[len(operations)-3] // logical_and
				if name == "any" {
					o = operations[len(operations)-2]
				}
				groups := small.subgroups(size)
				if group == "work" {
					groups = small.workgroups()
				}
				return o.scan(i1, x, groups).reduce
			})
		}
		out = append(out, d.finish())
	}
	l := launch{6, 6}
	d := newDraft("cases/mux/vec-group-any-all", "any and all over the components of a vector, and of a scalar", l, "MUX-13")
	rows := [][]uint64{{0, 0, 0, 0}, {1, 1, 1, 1}, {1, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 0, 1}, {0, 1, 1, 0}}
	for c := range 4 {
		var column []uint64
		for _, r := range rows {
			column = append(column, r[c])
		}
		d.in(fmt.Sprintf("x%d", c), i1, column)
	}
	d.add(`%%vec = OpCompositeConstruct %%v4bool %%x0 %%x1 %%x2 %%x3`)
	for _, f := range []struct {
		name, operand string
		want          []uint64
	}{
		{"any_v4i1", "v4bool %vec", []uint64{0, 1, 1, 1, 1, 1}}, {"all_v4i1", "v4bool %vec", []uint64{0, 1, 0, 0, 0, 0}},
		{"any_i1", "bool %x1", []uint64{0, 1, 0, 0, 1, 1}}, {"all_i1", "bool %x1", []uint64{0, 1, 0, 0, 1, 1}},
	} {
		arg := d.out("out_"+f.name, i1, l.global)
		d.call("r_"+f.name, "bool", "__mux_vec_group_"+f.name, f.operand)
		d.store("out_"+f.name, i1, 0, "%r_"+f.name)
		d.expect(arg, i1, func(int) []uint64 { return f.want })
	}
	return append(out, d.finish())
}

// values returns n values of a type that all differ, as far as it can tell them apart.
func values(t scalar, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		switch {
		case t.bits == 1:
			out[i] = uint64(i*i/3) & 1
		case t.float:
			out[i] = t.round(float64(i) + 0.5)
		default:
			out[i] = t.mask(uint64(i*7+3) * 0x0101010101010101)
		}
	}
	return out
}

// muxBroadcasts makes the cases about broadcast.
func muxBroadcasts() []*conformance.Case {
	types := append(slices.Clone(all), i1)
	d := newDraft("cases/mux/sub-group-broadcast", "broadcast in a sub-group, of every type, from its last lane", small, "MUX-14")
	d.add(`%%size = OpLoad %%uint %%SubgroupSize
		%%last = OpISub %%uint %%size %%uint_1`)
	for _, t := range types {
		x := values(t, small.global)
		d.in("x_"+t.mux, t, x)
		arg := d.out("out_"+t.mux, t, small.global)
		d.call("r_"+t.mux, t.spirv, "__mux_sub_group_broadcast_"+t.mux, t.spirv+" %x_"+t.mux, "uint %last")
		d.store("out_"+t.mux, t, 0, "%r_"+t.mux)
		d.expect(arg, t, func(size int) []uint64 {
			want := make([]uint64, len(x))
			small.each(size, func(item int, g []int, _ int) { want[item] = x[g[len(g)-1]] })
			return want
		})
	}
	out := []*conformance.Case{d.finish()}

	for _, shape := range []struct {
		name          string
		global, local []uint64
		at            []uint64 // the work-item that broadcasts
	}{
		{"1", []uint64{30}, []uint64{15}, []uint64{13, 0, 0}},
		{"2", []uint64{10, 3}, []uint64{5, 3}, []uint64{3, 2, 0}},
		{"3", []uint64{5, 2, 3}, []uint64{5, 1, 3}, []uint64{4, 0, 2}},
	} {
		l := launch{30, 15}
		d := newDraft("cases/mux/work-group-broadcast-"+shape.name+"d",
			"broadcast in a work-group of "+shape.name+" dimensions, of every type", l, "MUX-14")
		d.Global, d.Local = shape.global, shape.local
		d.body = nil
		// Work-items are numbered along the dimensions of the whole range.
		d.add(`%%gid3 = OpLoad %%v3ulong %%GlobalInvocationId
			%%gx = OpCompositeExtract %%ulong %%gid3 0
			%%gy = OpCompositeExtract %%ulong %%gid3 1
			%%gz = OpCompositeExtract %%ulong %%gid3 2`)
		size := append(slices.Clone(shape.global), 1, 1)
		local := append(slices.Clone(shape.local), 1, 1)
		d.add(`%%plane = OpIMul %%ulong %%gz %%ulong_%d
			%%row = OpIMul %%ulong %%gy %%ulong_%d
			%%rowx = OpIAdd %%ulong %%row %%gx
			%%gid = OpIAdd %%ulong %%plane %%rowx`, size[0]*size[1], size[0])
		for _, t := range types {
			x := values(t, l.global)
			d.in("x_"+t.mux, t, x)
			arg := d.out("out_"+t.mux, t, l.global)
			d.call("r_"+t.mux, t.spirv, "__mux_work_group_broadcast_"+t.mux, "uint %uint_0", t.spirv+" %x_"+t.mux,
				fmt.Sprintf("ulong %%ulong_%d", shape.at[0]), fmt.Sprintf("ulong %%ulong_%d", shape.at[1]), fmt.Sprintf("ulong %%ulong_%d", shape.at[2]))
			d.store("out_"+t.mux, t, 0, "%r_"+t.mux)
			d.expect(arg, t, func(int) []uint64 {
				want := make([]uint64, len(x))
				for i := range want {
					n := uint64(i)
					g := [3]uint64{n % size[0], n / size[0] % size[1], n / size[0] / size[1]}
					for k := range g {
						g[k] = g[k]/local[k]*local[k] + shape.at[k]
					}
					want[i] = x[(g[2]*size[1]+g[1])*size[0]+g[0]]
				}
				return want
			})
		}
		out = append(out, d.finish())
	}

	l := launch{4, 4}
	d = newDraft("cases/mux/vec-group-broadcast", "broadcast of a component, of every type", l, "MUX-14")
	d.add(`%%id = OpUConvert %%uint %%gid`)
	for _, t := range types {
		x := values(t, 4)
		d.buffer("x_"+t.mux, t, x)
		arg := d.out("out_"+t.mux, t, l.global)
		var parts []string
		for c := range 4 {
			d.load(fmt.Sprintf("x_%s_%d", t.mux, c), t, "x_"+t.mux, fmt.Sprintf("%%ulong_%d", c))
			parts = append(parts, fmt.Sprintf("%%x_%s_%d", t.mux, c))
		}
		d.add(`%%vec_%s = OpCompositeConstruct %%v4%s %s`, t.mux, t.spirv, strings.Join(parts, " "))
		d.call("r_"+t.mux, t.spirv, "__mux_vec_group_broadcast_v4"+t.mux, "v4"+t.spirv+" %vec_"+t.mux, "uint %id")
		d.store("out_"+t.mux, t, 0, "%r_"+t.mux)
		d.expect(arg, t, func(int) []uint64 { return x })
	}
	return append(out, d.finish())
}
