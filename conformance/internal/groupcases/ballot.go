package groupcases

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// flags returns Booleans that hold in about two thirds of the work-items.
func flags(n int) []uint64 {
	r := random(n)
	out := make([]uint64, n)
	for i := range out {
		if r.next()>>9%3 != 0 {
			out[i] = 1
		}
	}
	return out
}

// votes makes the cases about elect, all, any and all-equal, by the core instructions
// and by those of extensions.
func votes() []*conformance.Case {
	x := make([]uint64, small.global)
	y := make([]uint64, small.global)
	z := make([]uint64, small.global)
	for i := range x {
		x[i], y[i] = uint64(5+i/10*3), uint64(i/4)
		if i < 9 || i == 13 || i >= 18 {
			z[i] = 1
		}
	}
	equal := func(v []uint64, g []int) uint64 {
		for _, item := range g {
			if v[item] != v[g[0]] {
				return 0
			}
		}
		return 1
	}
	vote := func(any bool, g []int) uint64 {
		for _, item := range g {
			if (z[item] != 0) == any {
				return z[item]
			}
		}
		return b2u(!any)
	}
	type question struct {
		name, inst string
		want       func(g []int, i int) uint64
	}
	build := func(d *draft, list []question, divergent bool) *conformance.Case {
		d.in("x", i32, x)
		d.in("y", i32, y)
		d.in("z", i1, z)
		d.add(`%%f = OpBitcast %%float %%x
			%%v = OpCompositeConstruct %%v2uint %%x %%y`)
		ask := func() {
			for _, q := range list {
				arg := d.out(q.name, i1, small.global)
				d.add("%%r_%s = "+q.inst, q.name)
				d.store(q.name, i1, 0, "%r_"+q.name)
				d.expect(arg, i1, func(size int) []uint64 {
					groups := small.subgroups(size)
					if divergent {
						groups = small.parting(size, 0)
					}
					want := make([]uint64, small.global)
					for _, g := range groups {
						for i, item := range g {
							want[item] = q.want(g, i)
						}
					}
					return want
				})
			}
		}
		if divergent {
			d.Comment = "Every third lane does not take part and leaves 0."
			d.divergent(ask)
		} else {
			ask()
		}
		return d.finish()
	}
	d := newDraft("cases/group/vote", "elect, all, any and all-equal of the lanes that take part", small,
		"SPV-OpGroupNonUniformElect", "SPV-OpGroupNonUniformAll", "SPV-OpGroupNonUniformAny", "SPV-OpGroupNonUniformAllEqual")
	d.Version = "1.3"
	d.need("GroupNonUniformVote")
	out := []*conformance.Case{build(d, []question{
		{"elect", "OpGroupNonUniformElect %%bool %%uint_3", func(_ []int, i int) uint64 { return b2u(i == 0) }},
		{"all", "OpGroupNonUniformAll %%bool %%uint_3 %%z", func(g []int, _ int) uint64 { return vote(false, g) }},
		{"any", "OpGroupNonUniformAny %%bool %%uint_3 %%z", func(g []int, _ int) uint64 { return vote(true, g) }},
		{"equal", "OpGroupNonUniformAllEqual %%bool %%uint_3 %%x", func(g []int, _ int) uint64 { return equal(x, g) }},
		{"equal_bool", "OpGroupNonUniformAllEqual %%bool %%uint_3 %%z", func(g []int, _ int) uint64 { return equal(z, g) }},
		{"equal_float", "OpGroupNonUniformAllEqual %%bool %%uint_3 %%f", func(g []int, _ int) uint64 { return equal(x, g) }},
		{"equal_vector", "OpGroupNonUniformAllEqual %%bool %%uint_3 %%v", func(g []int, _ int) uint64 { return equal(x, g) & equal(y, g) }},
	}, true)}

	d = newDraft("cases/group/vote-khr", "all, any and all-equal of SPV_KHR_subgroup_vote", small,
		"SPV-OpSubgroupAllKHR", "SPV-OpSubgroupAnyKHR", "SPV-OpSubgroupAllEqualKHR")
	d.need("SubgroupVoteKHR")
	d.extension("SPV_KHR_subgroup_vote")
	out = append(out, build(d, []question{
		{"all", "OpSubgroupAllKHR %%bool %%z", func(g []int, _ int) uint64 { return vote(false, g) }},
		{"any", "OpSubgroupAnyKHR %%bool %%z", func(g []int, _ int) uint64 { return vote(true, g) }},
		{"equal", "OpSubgroupAllEqualKHR %%bool %%z", func(g []int, _ int) uint64 { return equal(z, g) }},
	}, true))

	d = newDraft("cases/isg/all-any", "OpGroupAll and OpGroupAny of sub-groups", small, "ISG-04", "ISG-01", "SPV-OpGroupAll", "SPV-OpGroupAny")
	d.need("Groups")
	d.need("SubgroupShuffleINTEL")
	d.extension("SPV_INTEL_subgroups")
	out = append(out, build(d, []question{
		{"all", "OpGroupAll %%bool %%uint_3 %%z", func(g []int, _ int) uint64 { return vote(false, g) }},
		{"any", "OpGroupAny %%bool %%uint_3 %%z", func(g []int, _ int) uint64 { return vote(true, g) }},
	}, false))
	return out
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// ballots makes the cases about ballots and their bits, in sub-groups of up to 128
// lanes.
func ballots() []*conformance.Case {
	x := flags(wide.global)
	// set returns the ballot of the lanes that take part, as words.
	set := func(g []int, lane []int) (w [4]uint32) {
		for _, item := range g {
			if x[item] != 0 {
				w[lane[item]/32] |= 1 << (lane[item] % 32)
			}
		}
		return w
	}
	d := newDraft("cases/group/ballot", "a ballot of the lanes that take part", wide, "SPV-OpGroupNonUniformBallot")
	d.Comment = "Every third lane does not take part and leaves 0."
	d.Version = "1.3"
	d.need("GroupNonUniformBallot")
	d.in("x", i1, x)
	words := func(groups func(size int) [][]int) func(size int) []uint64 {
		return func(size int) []uint64 {
			lane := d.lanes(size)
			want := make([]uint64, 4*wide.global)
			for _, g := range groups(size) {
				for i, w := range set(g, lane) {
					for _, item := range g {
						want[4*item+i] = uint64(w)
					}
				}
			}
			return want
		}
	}
	d.divergent(func() {
		d.add(`%%ballot = OpGroupNonUniformBallot %%v4uint %%uint_3 %%x`)
		d.expect(d.outVector("out", vector{i32, 4}, "%ballot"), i32, words(func(size int) [][]int { return wide.parting(size, 0) }))
	})
	out := []*conformance.Case{d.finish()}

	d = newDraft("cases/group/ballot-khr", "OpSubgroupBallotKHR, and the first lane's value and any lane's", wide,
		"SPV-OpSubgroupBallotKHR", "SPV-OpSubgroupFirstInvocationKHR", "SPV-OpSubgroupReadInvocationKHR")
	d.need("SubgroupBallotKHR")
	d.extension("SPV_KHR_shader_ballot")
	d.in("x", i1, x)
	d.add(`%%ballot = OpSubgroupBallotKHR %%v4uint %%x
		%%id = OpUConvert %%uint %%gid
		%%size = OpLoad %%uint %%SubgroupSize
		%%last = OpISub %%uint %%size %%uint_1
		%%first = OpSubgroupFirstInvocationKHR %%uint %%id
		%%final = OpSubgroupReadInvocationKHR %%uint %%id %%last`)
	d.expect(d.outVector("out", vector{i32, 4}, "%ballot"), i32, words(wide.subgroups))
	for _, name := range []string{"first", "final"} {
		arg := d.out(name+"_out", i32, wide.global)
		d.store(name+"_out", i32, 0, "%"+name)
		d.expect(arg, i32, func(size int) []uint64 {
			want := make([]uint64, wide.global)
			wide.each(size, func(item int, g []int, _ int) {
				want[item] = uint64(g[0])
				if name == "final" {
					want[item] = uint64(g[len(g)-1])
				}
			})
			return want
		})
	}
	out = append(out, d.finish(), ballotBits(), laneMasks())
	return out
}

// ballotBits makes the case about what is asked of a ballot that is not one of the
// sub-group, but a number.
func ballotBits() *conformance.Case {
	d := newDraft("cases/group/ballot-bits", "the bits of a ballot: inverse, extract, counts, lowest and highest", small,
		"SPV-OpGroupNonUniformInverseBallot", "SPV-OpGroupNonUniformBallotBitExtract", "SPV-OpGroupNonUniformBallotBitCount",
		"SPV-OpGroupNonUniformBallotFindLSB", "SPV-OpGroupNonUniformBallotFindMSB")
	d.Comment = "The ballot is a number that says nothing about the lanes, and has bits past the largest sub-group that do not count."
	d.Version = "1.3"
	d.need("GroupNonUniformBallot")
	n := small.global
	r := random(77)
	v := make([]uint64, 4*n)
	drawn := make([]uint64, n)
	for i := range v {
		first, second := r.next(), r.next()
		v[i] = i32.mask(first&second>>3) | 1<<(i%32)
		if i%4 == 0 {
			v[i] |= 1 // the lowest bit exists at every size
		}
		if i/4%3 == 0 && i%4 != 0 {
			v[i] &= 0xff00
		}
	}
	for i := range drawn {
		drawn[i] = r.next() >> 5 % 1000
	}
	d.inVector("v", vector{i32, 4}, v)
	d.in("drawn", i32, drawn)
	d.add(`%%max = OpLoad %%uint %%SubgroupMaxSize
		%%at = OpUMod %%uint %%drawn %%max`)
	word := func(item, size int) (out [4]uint32) {
		for w := range out {
			if left := size - 32*w; left > 0 {
				out[w] = uint32(v[4*item+w] & (1<<min(left, 32) - 1))
			}
		}
		return out
	}
	count := func(w [4]uint32, below int) uint64 {
		c := 0
		for i, x := range w {
			if left := below - 32*i; left > 0 {
				c += bits.OnesCount64(uint64(x) & (1<<min(left, 32) - 1))
			}
		}
		return uint64(c)
	}
	for _, q := range []struct {
		name, inst string
		t          scalar
		want       func(w [4]uint32, item, lane, size int) uint64
	}{
		{"inverse", "OpGroupNonUniformInverseBallot %%bool %%uint_3 %%v", i1,
			func(w [4]uint32, _, lane, _ int) uint64 { return uint64(w[lane/32] >> (lane % 32) & 1) }},
		{"extract", "OpGroupNonUniformBallotBitExtract %%bool %%uint_3 %%v %%at", i1,
			func(w [4]uint32, item, _, size int) uint64 {
				at := int(drawn[item]) % size
				return uint64(w[at/32] >> (at % 32) & 1)
			}},
		{"count", "OpGroupNonUniformBallotBitCount %%uint %%uint_3 Reduce %%v", i32,
			func(w [4]uint32, _, _, size int) uint64 { return count(w, size) }},
		{"inclusive", "OpGroupNonUniformBallotBitCount %%uint %%uint_3 InclusiveScan %%v", i32,
			func(w [4]uint32, _, lane, _ int) uint64 { return count(w, lane+1) }},
		{"exclusive", "OpGroupNonUniformBallotBitCount %%uint %%uint_3 ExclusiveScan %%v", i32,
			func(w [4]uint32, _, lane, _ int) uint64 { return count(w, lane) }},
		{"lowest", "OpGroupNonUniformBallotFindLSB %%uint %%uint_3 %%v", i32,
			func(w [4]uint32, _, _, _ int) uint64 {
				for i := range 128 {
					if w[i/32]>>(i%32)&1 != 0 {
						return uint64(i)
					}
				}
				return 1<<32 - 1
			}},
		{"highest", "OpGroupNonUniformBallotFindMSB %%uint %%uint_3 %%v", i32,
			func(w [4]uint32, _, _, _ int) uint64 {
				for i := 127; i >= 0; i-- {
					if w[i/32]>>(i%32)&1 != 0 {
						return uint64(i)
					}
				}
				return 1<<32 - 1
			}},
	} {
		arg := d.out(q.name, q.t, n)
		d.add("%%r_%s = "+q.inst, q.name)
		d.store(q.name, q.t, 0, "%r_"+q.name)
		d.expect(arg, q.t, func(size int) []uint64 {
			want := make([]uint64, n)
			small.each(size, func(item int, _ []int, lane int) { want[item] = q.want(word(item, size), item, lane, size) })
			return want
		})
	}
	return d.finish()
}

// laneMasks makes the case about the built-in variables that are ballots.
func laneMasks() *conformance.Case {
	d := newDraft("cases/group/lane-masks", "the lanes equal to, from, after, up to and before each", small,
		"SPV-BuiltIn-SubgroupEqMask", "SPV-BuiltIn-SubgroupGeMask", "SPV-BuiltIn-SubgroupGtMask", "SPV-BuiltIn-SubgroupLeMask", "SPV-BuiltIn-SubgroupLtMask")
	d.Version = "1.3"
	d.need("GroupNonUniformBallot")
	for _, m := range []struct {
		name string
		has  func(other, lane int) bool
	}{
		{"Eq", func(o, l int) bool { return o == l }}, {"Ge", func(o, l int) bool { return o >= l }}, {"Gt", func(o, l int) bool { return o > l }},
		{"Le", func(o, l int) bool { return o <= l }}, {"Lt", func(o, l int) bool { return o < l }},
	} {
		d.add(`%%mask_%s = OpLoad %%v4uint %%Subgroup%[1]sMask`, m.name)
		arg := d.outVector("out_"+m.name, vector{i32, 4}, "%mask_"+m.name)
		d.expect(arg, i32, func(size int) []uint64 {
			want := make([]uint64, 4*small.global)
			small.each(size, func(item int, g []int, lane int) {
				for other := range size {
					if m.has(other, lane) {
						want[4*item+other/32] |= 1 << (other % 32)
					}
				}
			})
			return want
		})
	}
	return d.finish()
}

// moves makes the cases about the broadcasts, shuffles and rotations of the core.
func moves() []*conformance.Case {
	const prefix = "OpGroupNonUniform"
	types := append(slices.Clone(all), i1)
	var out []*conformance.Case
	xor := shuffleKind{name: "shuffle_xor"}
	plain := shuffleKind{name: "shuffle"}
	for _, q := range []struct {
		name, inst, title, capability string
		choose                        *shuffleKind
		operands                      string
		from                          func(lane, size, n int, pick int) int // lane to take from, -1 where there is none
	}{
		{"shuffle", prefix + "Shuffle", "any lane's value", "GroupNonUniformShuffle", &plain, "%%index", nil},
		{"shuffle-xor", prefix + "ShuffleXor", "the value of a lane whose number differs in some bits", "GroupNonUniformShuffle", &xor, "%%index", nil},
		{"shuffle-up", prefix + "ShuffleUp", "the value of a lane before, which the first three do not have", "GroupNonUniformShuffleRelative", nil, "%%uint_3",
			func(lane, _, _, _ int) int { return lane - 3 }},
		{"shuffle-down", prefix + "ShuffleDown", "the value of a lane behind, which the last three do not have", "GroupNonUniformShuffleRelative", nil, "%%uint_3",
			func(lane, _, n, _ int) int {
				if lane+3 < n {
					return lane + 3
				}
				return -1
			}},
		{"broadcast", prefix + "Broadcast", "one lane's value", "GroupNonUniformBallot", nil, "%%uint_0", func(_, _, _, _ int) int { return 0 }},
		{"broadcast-first", prefix + "BroadcastFirst", "the first lane's value", "GroupNonUniformBallot", nil, "", func(_, _, _, _ int) int { return 0 }},
	} {
		d := newDraft("cases/group/nonuniform-"+q.name, q.inst+", "+q.title+", of every type", tiny, "SPV-"+q.inst)
		d.Version = "1.3"
		d.need(q.capability)
		relative := q.capability == "GroupNonUniformShuffleRelative"
		if q.choose != nil {
			d.choose(*q.choose, 1)
		}
		if relative {
			d.Comment = "What lanes get that have no such lane is undefined, and they leave 0."
			d.add(`%%lane = OpLoad %%uint %%SubgroupLocalInvocationId
				%%size = OpLoad %%uint %%SubgroupSize
				%%end = OpIAdd %%uint %%lane %%uint_3`)
			if q.name == "shuffle-up" {
				d.add(`%%has = OpUGreaterThanEqual %%bool %%lane %%uint_3`)
			} else {
				d.add(`%%has = OpULessThan %%bool %%end %%size`)
			}
		}
		list := []vector{{i32, 4}}
		for _, t := range types {
			list = append(list, vector{t, 1})
		}
		for _, v := range list {
			name := v.name()
			x := v.values(tiny.global, 1)
			d.inVector("x_"+name, v, x)
			d.add("%%r_%s = "+q.inst+" %%%s %%uint_3 %%x_%[1]s "+q.operands, name, v.name())
			value := "%r_" + name
			if relative {
				cond := "%has"
				if v.n > 1 {
					cond = fmt.Sprintf("%%has_%s", name)
					d.add(`%s = OpCompositeConstruct %%v%dbool %%has %%has %%has %%has`, cond, v.n)
				}
				d.add(`%%kept_%s = OpSelect %%%s %s %s %%null_%[2]s`, name, v.name(), cond, value)
				value = "%kept_" + name
			}
			arg := d.outVector("out_"+name, v, value)
			d.expect(arg, v.scalar, func(size int) []uint64 {
				want := make([]uint64, v.n*tiny.global)
				var chosen []int
				if q.choose != nil {
					chosen, _ = d.chosen(*q.choose, 1, size)
				}
				tiny.each(size, func(item int, g []int, lane int) {
					from := -1
					if q.from != nil {
						if l := q.from(lane, size, len(g), 0); l >= 0 {
							from = g[l]
						}
					} else {
						from = chosen[item]
					}
					if from >= 0 {
						copy(want[v.n*item:][:v.n], x[v.n*from:])
					}
				})
				return want
			})
		}
		out = append(out, d.finish())
	}
	return append(out, rotations()...)
}

// rotations makes the cases about OpGroupNonUniformRotateKHR.
func rotations() []*conformance.Case {
	var out []*conformance.Case
	for _, cluster := range []int{0, 4} {
		l := launch{32, 16} // whole sub-groups, but for those larger than 16: every lane has one to take from
		name, title := "rotate", "rotation of a sub-group"
		if cluster > 0 {
			name, title = "rotate-clustered", "rotation of clusters of 4 lanes"
		}
		d := newDraft("cases/group/"+name, title+" by several distances", l, "SPV-OpGroupNonUniformRotateKHR")
		d.Version = "1.3"
		d.SubGroups = sizes[:4]
		if cluster > 0 {
			d.SubGroups = sizes[1:]
		}
		d.need("GroupNonUniformRotateKHR")
		d.extension("SPV_KHR_subgroup_rotate")
		d.add(`%%x = OpUConvert %%uint %%gid`)
		for _, by := range []int{0, 1, 3, 18} {
			operand := ""
			if cluster > 0 {
				operand = fmt.Sprintf(" %%uint_%d", cluster)
			}
			d.add(`%%r%d = OpGroupNonUniformRotateKHR %%uint %%uint_3 %%x %%uint_%[1]d%[2]s`, by, operand)
			arg := d.out(fmt.Sprintf("by%d", by), i32, l.global)
			d.store(fmt.Sprintf("by%d", by), i32, 0, fmt.Sprintf("%%r%d", by))
			d.expect(arg, i32, func(size int) []uint64 {
				n := size
				if cluster > 0 {
					n = cluster
				}
				want := make([]uint64, l.global)
				l.each(size, func(item int, g []int, lane int) {
					want[item] = uint64(g[lane/n*n+(lane%n+by)%n])
				})
				return want
			})
		}
		out = append(out, d.finish())
	}
	return out
}
