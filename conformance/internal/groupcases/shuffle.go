package groupcases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// vector is a type of n components, or a scalar for n = 1.
type vector struct {
	scalar
	n int
}

func (v vector) name() string {
	if v.n == 1 {
		return v.spirv
	}
	return fmt.Sprintf("v%d%s", v.n, v.spirv)
}

// inMemory is the type that has the vector's place in memory: one of three
// components takes that of four.
func (v vector) inMemory() vector {
	if v.n == 3 {
		v.n = 4
	}
	return v
}

// vectorValues returns components that tell items, components and buffers apart.
func (v vector) values(items, first int) []uint64 {
	m := v.inMemory()
	var out []uint64
	for i := range items * m.n {
		item, c := i/m.n, i%m.n
		x := uint64(first + item*4)
		switch {
		case c >= v.n:
			x = 0
		case v.bits == 1:
			x = values(i1, item+first+1)[item+first]
		case v.bits == 8:
			x = x & 0x7f
		case v.float:
			x = v.round(float64(x) + float64(c)/16)
		default:
			x = x*uint64(100+c*7) + 1<<(v.bits-2)>>uint(c)
		}
		out = append(out, x)
	}
	return out
}

// inVector gives the kernel a buffer of vectors and loads the work-item's own.
func (d *draft) inVector(name string, v vector, x []uint64) {
	m := v.inMemory()
	if v.n == 1 {
		d.in(name, v.scalar, x)
		return
	}
	d.params = append(d.params, name+"_in gptr_"+m.name())
	d.Args = append(d.Args, v.literals(x))
	d.add(`%%%s_at = OpInBoundsPtrAccessChain %%gptr_%s %%%[1]s_in %%gid`, name, m.name())
	load := name
	if v.n == 3 {
		load += "4"
	}
	d.add(`%%%s = OpLoad %%%s %%%s_at Aligned %d`, load, m.name(), name, m.n*v.size())
	if v.n == 3 {
		d.add(`%%%s = OpVectorShuffle %%%s %%%[1]s4 %%%[1]s4 0 1 2`, name, v.name())
	}
}

// outVector gives the kernel a buffer of vectors and stores %value there.
func (d *draft) outVector(name string, v vector, value string) int {
	if v.n == 1 {
		arg := d.out(name, v.scalar, d.launch.global)
		d.store(name, v.scalar, 0, value)
		return arg
	}
	m := v.inMemory()
	d.params = append(d.params, name+" gptr_"+m.name())
	d.Args = append(d.Args, fmt.Sprintf("zero:%s:%d", v.spec, m.n*d.launch.global))
	if v.n == 3 {
		d.add(`%%%s4 = OpVectorShuffle %%%s %s %%null_%[2]s 0 1 2 3`, name, m.name(), value)
		value = "%" + name + "4"
	}
	d.add(`%%%s_at = OpInBoundsPtrAccessChain %%gptr_%s %%%[1]s %%gid
		OpStore %%%[1]s_at %[3]s Aligned %[4]d`, name, m.name(), value, m.n*v.size())
	return len(d.Args) - 1
}

// shuffleKind is one of the four shuffles.
type shuffleKind struct {
	name     string // as ComputeMux has it
	intel    string
	title    string
	operands int
}

var shuffleKinds = []shuffleKind{
	{"shuffle", "OpSubgroupShuffleINTEL", "any lane's value", 1},
	{"shuffle_up", "OpSubgroupShuffleUpINTEL", "values from lanes before, on to the end of another value", 2},
	{"shuffle_down", "OpSubgroupShuffleDownINTEL", "values from lanes behind, on to the beginning of another value", 2},
	{"shuffle_xor", "OpSubgroupShuffleXorINTEL", "values from lanes whose number differs in some bits", 1},
}

// choose makes %pick the number of a lane to take a value from, and %index the operand
// of the shuffle that names it. The lane is drawn among those of the sub-group that
// have a number of the same remainder modulo step; for shuffles with two windows the
// window is drawn, too, where either will do.
func (d *draft) choose(k shuffleKind, step int) {
	r := random(len(k.name) + step)
	drawn := make([]uint64, d.launch.global)
	for i := range drawn {
		drawn[i] = r.next() >> 7 % 1000
	}
	d.in("drawn", i32, drawn)
	d.add(`%%lane = OpLoad %%uint %%SubgroupLocalInvocationId
		%%size = OpLoad %%uint %%SubgroupSize
		%%max = OpLoad %%uint %%SubgroupMaxSize
		%%rest = OpUMod %%uint %%lane %%uint_%[1]d
		%%behind = OpISub %%uint %%size %%rest
		%%rounded = OpIAdd %%uint %%behind %%uint_%[2]d
		%%count = OpUDiv %%uint %%rounded %%uint_%[1]d
		%%nth = OpUMod %%uint %%drawn %%count
		%%steps = OpIMul %%uint %%nth %%uint_%[1]d
		%%pick = OpIAdd %%uint %%steps %%rest`, step, step-1)
	switch k.name {
	case "shuffle":
		d.add(`%%index = OpCopyObject %%uint %%pick`)
	case "shuffle_xor":
		d.add(`%%index = OpBitwiseXor %%uint %%pick %%lane`)
	case "shuffle_up":
		// The other window starts before lane 0.
		d.add(`%%after = OpUGreaterThan %%bool %%pick %%lane
			%%odd = OpBitwiseAnd %%uint %%drawn %%uint_1
			%%coin = OpINotEqual %%bool %%odd %%uint_0
			%%other = OpLogicalOr %%bool %%after %%coin
			%%shift = OpSelect %%uint %%other %%max %%uint_0
			%%shifted = OpIAdd %%uint %%lane %%shift
			%%index = OpISub %%uint %%shifted %%pick`)
	case "shuffle_down":
		d.add(`%%before = OpULessThan %%bool %%pick %%lane
			%%odd = OpBitwiseAnd %%uint %%drawn %%uint_1
			%%coin = OpINotEqual %%bool %%odd %%uint_0
			%%other = OpLogicalOr %%bool %%before %%coin
			%%shift = OpSelect %%uint %%other %%max %%uint_0
			%%shifted = OpIAdd %%uint %%pick %%shift
			%%index = OpISub %%uint %%shifted %%lane`)
	}
	d.drawn = drawn
}

// chosen returns the work-item that each takes a value from, and whether from the
// other window.
func (d *draft) chosen(k shuffleKind, step, size int) (from []int, other []bool) {
	from, other = make([]int, d.launch.global), make([]bool, d.launch.global)
	d.launch.each(size, func(item int, g []int, lane int) {
		var lanes []int
		for l := range g {
			if l%step == lane%step {
				lanes = append(lanes, l)
			}
		}
		pick := lanes[int(d.drawn[item])%len(lanes)]
		from[item] = g[pick]
		coin := d.drawn[item]&1 != 0
		switch k.name {
		case "shuffle_up":
			other[item] = coin || pick > lane
		case "shuffle_down":
			other[item] = coin || pick < lane
		}
	})
	return from, other
}

// emitShuffle is one shuffle of values of type v: f makes the instruction for the
// operands. In %a and %b, which only the shuffles with two windows have, b is the
// window that choose calls the other.
func (d *draft) emitShuffle(k shuffleKind, v vector, step int, f func(id string, operands []string)) {
	name := v.name()
	a := v.values(d.launch.global, 1)
	b := v.values(d.launch.global, 130)
	d.inVector("a_"+name, v, a)
	operands := []string{"%a_" + name}
	if k.operands == 2 {
		d.inVector("b_"+name, v, b)
		operands = append(operands, "%b_"+name)
		if k.name == "shuffle_up" {
			slices.Reverse(operands)
		}
	}
	f("r_"+name, operands)
	arg := d.outVector("out_"+name, v, "%r_"+name)
	d.expect(arg, v.scalar, func(size int) []uint64 {
		from, other := d.chosen(k, step, size)
		var want []uint64
		n := v.inMemory().n
		for item := range from {
			x := a
			if other[item] {
				x = b
			}
			want = append(want, x[from[item]*n:][:n]...)
		}
		return want
	})
}

// intelShuffles makes the cases about the shuffles of SPV_INTEL_subgroups.
func intelShuffles() []*conformance.Case {
	vectors := func(t scalar) []vector {
		return []vector{{t, 1}, {t, 2}, {t, 3}, {t, 4}, {t, 8}, {t, 16}}
	}
	var out []*conformance.Case
	for _, k := range shuffleKinds {
		intel := func(d *draft, v vector) func(id string, operands []string) {
			return func(id string, operands []string) {
				d.add(`%%%s = %s %%%s %s %%index`, id, k.intel, v.name(), strings.Join(operands, " "))
			}
		}
		begin := func(name, title string, l launch, clauses ...string) *draft {
			d := newDraft("cases/isg/"+strings.ReplaceAll(k.name, "_", "-")+"-"+name, title, l, append(clauses, "SPV-"+k.intel)...)
			d.extension("SPV_INTEL_subgroups")
			d.need("SubgroupShuffleINTEL")
			return d
		}
		for _, types := range []struct {
			name string
			list []vector
		}{
			{"float", vectors(f32)}, {"int", vectors(i32)}, {"short", vectors(i16)},
			{"wide", []vector{{i64, 1}, {f16, 1}, {f64, 1}}},
		} {
			title := k.title + ": " + types.name + " and vectors of it"
			if types.name == "wide" {
				title = k.title + ": long, half and double"
			}
			d := begin(types.name, title, tiny, "ISG-05", "ISG-01")
			d.choose(k, 1)
			for _, v := range types.list {
				d.emitShuffle(k, v, 1, intel(d, v))
			}
			out = append(out, d.finish())
		}
		d := begin("lanes", k.title+", in sub-groups of up to 128 lanes", wide, "ISG-05")
		d.choose(k, 1)
		d.emitShuffle(k, vector{i32, 1}, 1, intel(d, vector{i32, 1}))
		out = append(out, d.finish())

		d = begin("branches", k.title+", among lanes of one of two branches", small, "ISG-06")
		d.Comment = "Even and odd lanes each shuffle on a side of a branch of their own."
		d.choose(k, 2)
		v := vector{i32, 1}
		d.emitShuffle(k, v, 2, func(id string, operands []string) {
			d.add(`%%even = OpIEqual %%bool %%rest %%uint_0
				OpBranchConditional %%even %%yes %%no
				%%yes = OpLabel
				%%%[1]s_even = %[2]s %%uint %[3]s %%index
				OpBranch %%join
				%%no = OpLabel
				%%%[1]s_odd = %[2]s %%uint %[3]s %%index
				OpBranch %%join
				%%join = OpLabel
				%%%[1]s = OpPhi %%uint %%%[1]s_even %%yes %%%[1]s_odd %%no`, id, k.intel, strings.Join(operands, " "))
		})
		out = append(out, d.finish())

		d = begin("loop", k.title+", among the lanes that are still in a loop", small, "ISG-06")
		d.Comment = "Lanes leave the loop one after the other, the last of the sub-group first; each shuffles with those that are left."
		d.loopShuffle(k)
		out = append(out, d.finish())
	}
	return out
}

// loopShuffle makes a loop of as many trips as the sub-group has lanes, which lane l
// leaves after size - l trips: in trip n lanes 0 to size - n - 1 take part, and each
// adds the value of the one that stands n/2 further on, around the end.
func (d *draft) loopShuffle(k shuffleKind) {
	x := vector{i32, 1}.values(d.launch.global, 5)
	d.in("x", i32, x)
	arg := d.out("sum", i32, d.launch.global)
	operands := "%x"
	if k.operands == 2 {
		operands = "%x %x"
	}
	index := map[string]string{
		"shuffle": "%index = OpCopyObject %uint %pick", "shuffle_xor": "%index = OpBitwiseXor %uint %pick %lane",
		"shuffle_up":   "%shifted = OpIAdd %uint %lane %max\n%index = OpISub %uint %shifted %pick",
		"shuffle_down": "%shifted = OpIAdd %uint %pick %max\n%index = OpISub %uint %shifted %lane",
	}[k.name]
	d.add(`%%lane = OpLoad %%uint %%SubgroupLocalInvocationId
		%%size = OpLoad %%uint %%SubgroupSize
		%%max = OpLoad %%uint %%SubgroupMaxSize
		OpBranch %%loop
		%%loop = OpLabel
		%%n = OpPhi %%uint %%uint_0 %%entry %%n1 %%loop
		%%acc = OpPhi %%uint %%uint_0 %%entry %%acc1 %%loop
		%%left = OpISub %%uint %%size %%n
		%%hop = OpUDiv %%uint %%n %%uint_2
		%%far = OpIAdd %%uint %%lane %%hop
		%%pick = OpUMod %%uint %%far %%left
		%s
		%%got = %s %%uint %s %%index
		%%acc1 = OpIAdd %%uint %%acc %%got
		%%n1 = OpIAdd %%uint %%n %%uint_1
		%%sum1 = OpIAdd %%uint %%lane %%n1
		%%more = OpULessThan %%bool %%sum1 %%size
		OpBranchConditional %%more %%loop %%out
		%%out = OpLabel`, index, k.intel, operands)
	d.store("sum", i32, 0, "%acc1")
	d.expect(arg, i32, func(size int) []uint64 {
		want := make([]uint64, d.launch.global)
		d.launch.each(size, func(item int, g []int, lane int) {
			for n := range len(g) - lane {
				want[item] = i32.mask(want[item] + x[g[(lane+n/2)%(len(g)-n)]])
			}
		})
		return want
	})
}

// muxShuffles makes the cases about ComputeMux's shuffles.
func muxShuffles() []*conformance.Case {
	var out []*conformance.Case
	for _, k := range shuffleKinds {
		d := newDraft("cases/mux/sub-group-"+strings.ReplaceAll(k.name, "_", "-"), k.title+", of every type", small, "MUX-16")
		d.choose(k, 1)
		for _, t := range append(slices.Clone(all), i1) {
			d.emitShuffle(k, vector{t, 1}, 1, func(id string, operands []string) {
				var typed []string
				for _, o := range operands {
					typed = append(typed, t.spirv+" "+o)
				}
				d.call(id, t.spirv, "__mux_sub_group_"+k.name+"_"+t.mux, append(typed, "uint %index")...)
			})
		}
		out = append(out, d.finish())
	}
	return out
}
