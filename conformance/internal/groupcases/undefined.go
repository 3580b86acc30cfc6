package groupcases

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// mistake is a way to shuffle that is undefined.
type mistake struct {
	name, title string
	code, text  string // the finding
	launch      launch
	sizes       []int
	lane        string // the lane that all name, as an operand; "" when the index is out of range
	parity      int    // 0: all lanes shuffle; 1: odd lanes are in another branch; 2: they have ended
}

var mistakes = []mistake{
	{"range", "an index out of range", "E-SHUFFLERANGE", "lane index out of range", launch{16, 16}, sizes, "", 0},
	{"branch", "a lane in another branch", "E-SHUFFLELANE", "lane 1 is in another branch", launch{16, 16}, sizes[1:], "%uint_1", 1},
	{"partial", "a lane that a partial sub-group does not have", "E-SHUFFLELANE", "does not exist: the sub-group has", launch{10, 10}, sizes[1:], "%last", 0},
	{"ended", "a lane that has ended", "E-SHUFFLELANE", "lane 1 has ended", launch{16, 16}, sizes[1:], "%uint_1", 2},
}

// source returns the number of the lane that a mistake's shuffle names.
func (m *mistake) source(size int) int {
	if m.lane == "%last" {
		return size - 1
	}
	return 1
}

// badIndex makes %index the operand with which a shuffle makes the mistake. It is the
// window that the others' values come from.
func (d *draft) badIndex(k shuffleKind, m mistake) {
	d.add(`%%lane = OpLoad %%uint %%SubgroupLocalInvocationId
		%%max = OpLoad %%uint %%SubgroupMaxSize
		%%last = OpISub %%uint %%max %%uint_1`)
	if m.lane == "" {
		// Past the largest sub-group, and past two of them.
		d.add(`%%index = OpCopyObject %%uint %%uint_%d`, map[string]int{"shuffle": 128, "shuffle_xor": 128, "shuffle_up": 300, "shuffle_down": 256}[k.name])
		return
	}
	d.add(map[string]string{
		"shuffle":      "%%index = OpCopyObject %%uint %[1]s",
		"shuffle_xor":  "%%index = OpBitwiseXor %%uint %%lane %[1]s",
		"shuffle_up":   "%%end = OpIAdd %%uint %%lane %%max\n%%index = OpISub %%uint %%end %[1]s",
		"shuffle_down": "%%end = OpIAdd %%uint %%max %[1]s\n%%index = OpISub %%uint %%end %%lane",
	}[k.name], m.lane)
}

// undefinedShuffle makes two cases of a mistake: that checks report it, and that the
// result is 0 without them. inst makes the shuffle of %x, with the result %r.
func undefinedShuffle(name, title string, k shuffleKind, m mistake, clauses []string, prepare, inst func(d *draft)) []*conformance.Case {
	var out []*conformance.Case
	for _, check := range []bool{true, false} {
		d := newDraft(name, title+": "+m.title, m.launch, clauses...)
		d.SubGroups = m.sizes
		prepare(d)
		x := make([]uint64, m.launch.global)
		for i := range x {
			x[i] = uint64(100 + i)
		}
		d.in("x", i32, x)
		arg := d.out("out", i32, m.launch.global)
		d.badIndex(k, m)
		if m.parity > 0 {
			d.add(`%%bit = OpBitwiseAnd %%uint %%lane %%uint_1
				%%odd = OpIEqual %%bool %%bit %%uint_1
				OpBranchConditional %%odd %%else %%then
				%%else = OpLabel`)
			if m.parity == 2 {
				d.add(`OpReturn`)
			} else {
				d.add(`OpBranch %%join`)
			}
			d.add(`%%then = OpLabel`)
		}
		inst(d)
		d.store("out", i32, 0, "%r")
		if m.parity == 1 {
			d.add(`OpBranch %%join
				%%join = OpLabel`)
		}
		if check {
			d.Check = conformance.ChecksOn
			d.Findings = []conformance.ExpectFinding{{Code: m.code, Texts: texts(m.text)}}
			if m.parity == 2 {
				d.Comment = "Odd lanes have returned."
			}
		} else {
			d.Name += "-unchecked"
			d.Title += ", without checks gives 0"
			d.Check = conformance.ChecksOff
			d.expect(arg, i32, func(size int) []uint64 {
				want := make([]uint64, len(x))
				m.launch.each(size, func(item int, g []int, _ int) {
					if l := m.source(size); m.lane != "" && m.parity == 0 && l < len(g) {
						want[item] = x[g[l]]
					}
				})
				return want
			})
		}
		out = append(out, d.finish())
	}
	return out
}

// undefinedShuffles makes the cases about shuffles from lanes that are not there.
func undefinedShuffles() []*conformance.Case {
	var out []*conformance.Case
	for _, k := range shuffleKinds {
		for _, m := range mistakes {
			clause := "ISG-07"
			if m.code == "E-SHUFFLERANGE" {
				clause = "ISG-08"
			}
			name := strings.ReplaceAll(k.name, "_", "-")
			operands := "%x"
			if k.operands == 2 {
				operands = "%x %x"
			}
			out = append(out, undefinedShuffle("cases/isg/undefined-"+name+"-"+m.name, k.intel, k, m, []string{clause},
				func(d *draft) {
					d.extension("SPV_INTEL_subgroups")
					d.need("SubgroupShuffleINTEL")
				},
				func(d *draft) { d.add(`%%r = %s %%uint %s %%index`, k.intel, operands) })...)
			out = append(out, undefinedShuffle("cases/mux/undefined-"+name+"-"+m.name, "__mux_sub_group_"+k.name, k, m, []string{"MUX-16"},
				func(*draft) {},
				func(d *draft) {
					ops := []string{"uint %x", "uint %index"}
					if k.operands == 2 {
						ops = append([]string{"uint %x"}, ops...)
					}
					d.call("r", "uint", "__mux_sub_group_"+k.name+"_i32", ops...)
				})...)
		}
	}
	for _, m := range mistakes {
		inst := "OpGroupNonUniformShuffle"
		out = append(out, undefinedShuffle("cases/group/undefined-shuffle-"+m.name, inst, shuffleKind{name: "shuffle"}, m, []string{"SPV-" + inst},
			func(d *draft) {
				d.Version = "1.3"
				d.need("GroupNonUniformShuffle")
			},
			func(d *draft) { d.add(`%%r = %s %%uint %%uint_3 %%x %%index`, inst) })...)
	}
	return out
}

// groupCallOf is an operation that all work-items of a group are to run.
type groupCallOf struct {
	name, clause string
	work         bool
	emit         func(d *draft)
}

// uniformCalls lists operations of ComputeMux and of the core.
func uniformCalls() []groupCallOf {
	var list []groupCallOf
	for _, group := range []string{"sub", "work"} {
		work := group == "work"
		operands := func(list ...string) []string {
			if work {
				list = append([]string{"uint %uint_0"}, list...)
			}
			return list
		}
		prefix := "__mux_" + group + "_group_"
		list = append(list,
			groupCallOf{group + "-any", "MUX-17", work, func(d *draft) {
				d.call("b", "bool", prefix+"any_i1", operands("bool %truth")...)
				d.add(`%%r = OpSelect %%uint %%b %%uint_1 %%uint_0`)
			}},
			groupCallOf{group + "-all", "MUX-17", work, func(d *draft) {
				d.call("b", "bool", prefix+"all_i1", operands("bool %truth")...)
				d.add(`%%r = OpSelect %%uint %%b %%uint_1 %%uint_0`)
			}},
			groupCallOf{group + "-broadcast", "MUX-17", work, func(d *draft) {
				if work {
					d.call("r", "uint", prefix+"broadcast_i32", operands("uint %x", "ulong %ulong_0", "ulong %ulong_0", "ulong %ulong_0")...)
				} else {
					d.call("r", "uint", prefix+"broadcast_i32", "uint %x", "uint %uint_0")
				}
			}})
		for _, f := range []string{"reduce_add_i32", "scan_inclusive_smax_i32", "scan_exclusive_xor_i32"} {
			list = append(list, groupCallOf{group + "-" + strings.ReplaceAll(strings.TrimSuffix(f, "_i32"), "_", "-"), "MUX-17", work,
				func(d *draft) { d.call("r", "uint", prefix+f, operands("uint %x")...) }})
		}
		scope := "%uint_3"
		if work {
			scope = "%uint_2"
		}
		for _, inst := range []struct{ name, text string }{
			{"iadd", "%r = OpGroupIAdd %uint " + scope + " Reduce %x"},
			{"all", "%b = OpGroupAll %bool " + scope + " %truth\n%r = OpSelect %uint %b %uint_1 %uint_0"},
		} {
			list = append(list, groupCallOf{"group-" + group + "-" + inst.name, "SPV-OpGroup" + map[string]string{"iadd": "IAdd", "all": "All"}[inst.name], work,
				func(d *draft) {
					d.need("Groups")
					d.add("%s", inst.text)
				}})
		}
	}
	return list
}

// undefinedGroups makes the cases about group operations that not all of a group run:
// half of it is in another branch, or has ended.
func undefinedGroups() []*conformance.Case {
	var out []*conformance.Case
	for _, call := range uniformCalls() {
		for _, ended := range []bool{false, true} {
			folder, name := "mux", call.name
			if rest, ok := strings.CutPrefix(name, "group-"); ok {
				folder, name = "group", rest
			}
			why := "while half of the group is in another branch"
			suffix := "branch"
			if ended {
				why, suffix = "when half of the group has ended", "ended"
			}
			title := "ComputeMux's " + strings.ReplaceAll(name, "-", " ")
			if folder == "group" {
				title = "OpGroup of a " + strings.ReplaceAll(name, "-", "-group: ")
			}
			d := newDraft(fmt.Sprintf("cases/%s/diverged-%s-%s", folder, name, suffix), title+", "+why, launch{16, 16}, call.clause)
			d.SubGroups = sizes[1:]
			d.Check = conformance.ChecksOn
			d.Findings = []conformance.ExpectFinding{{Code: "E-GROUPDIVERGED"}}
			if !call.work {
				d.Findings[0].Texts = texts("work-items of the sub-group, lane 1 first")
			}
			x := make([]uint64, 16)
			for i := range x {
				x[i] = uint64(i + 1)
			}
			d.in("x", i32, x)
			d.out("out", i32, 16)
			d.add(`%%truth = OpUGreaterThan %%bool %%x %%uint_0
				%%lane = OpLoad %%uint %%SubgroupLocalInvocationId
				%%bit = OpBitwiseAnd %%uint %%lane %%uint_1
				%%odd = OpIEqual %%bool %%bit %%uint_1
				OpBranchConditional %%odd %%else %%then
				%%else = OpLabel`)
			if ended {
				d.add(`OpReturn`)
			} else {
				d.add(`OpBranch %%join`)
			}
			d.add(`%%then = OpLabel`)
			call.emit(d)
			d.store("out", i32, 0, "%r")
			if !ended {
				d.add(`OpBranch %%join
					%%join = OpLabel`)
			}
			out = append(out, d.finish())
		}
	}

	for _, inst := range []struct{ folder, name, clause string }{{"group", "OpGroupBroadcast", "SPV-OpGroupBroadcast"}, {"mux", "__mux_sub_group_broadcast_i32", "MUX-14"}} {
		d := newDraft("cases/"+inst.folder+"/undefined-broadcast-index", inst.name+" with an index that is not the same for all", launch{16, 16}, inst.clause)
		d.SubGroups = sizes[1:]
		d.Check = conformance.ChecksOn
		d.Findings = []conformance.ExpectFinding{{Code: "E-GROUPUNIFORM", Texts: []string{"in the first lane"}}}
		d.in("x", i32, make([]uint64, 16))
		d.out("out", i32, 16)
		d.add(`%%lane = OpLoad %%uint %%SubgroupLocalInvocationId
			%%index = OpBitwiseAnd %%uint %%lane %%uint_1`)
		if inst.folder == "group" {
			d.need("Groups")
			d.add(`%%r = OpGroupBroadcast %%uint %%uint_3 %%x %%index`)
		} else {
			d.call("r", "uint", inst.name, "uint %x", "uint %index")
		}
		d.store("out", i32, 0, "%r")
		out = append(out, d.finish())
	}
	return out
}
