package lower_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// groupRules has the rules of all instructions and names.
func groupRules() []groupRule {
	i8, i16, i32, i64, f16, f32, f64 := ti(8), ti(16), ti(32), ti(64), tf(16), tf(32), tf(64)
	one := func(v uint64) []uint64 { return []uint64{v} }
	var list []groupRule
	add := func(r groupRule) {
		if r.rn == 0 {
			r.rn = 1
		}
		list = append(list, r)
	}
	all := []ty{i8, i16, i32, i64, f16, f32, f64}

	// Scans and reductions.
	kinds := []string{"Reduce", "InclusiveScan", "ExclusiveScan"}
	type arith struct {
		khr, nonUniform, op string
		kind                byte
	}
	for n, x := range []arith{
		{"OpGroupIAdd", "OpGroupNonUniformIAdd", "add", 'i'}, {"OpGroupFAdd", "OpGroupNonUniformFAdd", "add", 'f'},
		{"OpGroupIMulKHR", "OpGroupNonUniformIMul", "mul", 'i'}, {"OpGroupFMulKHR", "OpGroupNonUniformFMul", "mul", 'f'},
		{"OpGroupSMin", "OpGroupNonUniformSMin", "smin", 'i'}, {"OpGroupUMin", "OpGroupNonUniformUMin", "umin", 'i'},
		{"OpGroupFMin", "OpGroupNonUniformFMin", "min", 'f'}, {"OpGroupFMax", "OpGroupNonUniformFMax", "max", 'f'},
		{"OpGroupSMax", "OpGroupNonUniformSMax", "smax", 'i'}, {"OpGroupUMax", "OpGroupNonUniformUMax", "umax", 'i'},
		{"OpGroupBitwiseAndKHR", "OpGroupNonUniformBitwiseAnd", "and", 'i'}, {"OpGroupBitwiseOrKHR", "OpGroupNonUniformBitwiseOr", "or", 'i'},
		{"OpGroupBitwiseXorKHR", "OpGroupNonUniformBitwiseXor", "xor", 'i'}, {"OpGroupLogicalAndKHR", "OpGroupNonUniformLogicalAnd", "and", 'b'},
		{"OpGroupLogicalOrKHR", "OpGroupNonUniformLogicalOr", "or", 'b'}, {"OpGroupLogicalXorKHR", "OpGroupNonUniformLogicalXor", "xor", 'b'},
	} {
		types := []ty{tb}
		switch x.kind {
		case 'i':
			types = []ty{i8, i16, i32, i64}
		case 'f':
			types = []ty{f16, f32, f64}
		}
		for k, kind := range kinds {
			t := types[(n+k)%len(types)]
			add(groupRule{name: x.khr + " " + kind, inst: "RES = " + x.khr + " TYPE SUB " + kind + " A_", res: t, args: []ty{t}, uniform: true,
				want: func(g *groupView, me int) []uint64 {
					return one(scanned(kind, x.op, t, g.lanes, func(id int) uint64 { return g.a(0, id) }, me))
				}})
			t2 := types[(n+k+1)%len(types)]
			add(groupRule{name: x.khr + " " + kind + " of the work-group", inst: "RES = " + x.khr + " TYPE WORK " + kind + " A_", res: t2, args: []ty{t2}, uniform: true, work: true,
				want: func(g *groupView, me int) []uint64 {
					return one(workScanned(kind, x.op, t2, g, func(id int) uint64 { return g.a(0, id) }, me))
				}})
			add(groupRule{name: x.nonUniform + " " + kind, inst: "RES = " + x.nonUniform + " TYPE SUB " + kind + " A_", res: t2, args: []ty{t2},
				want: func(g *groupView, me int) []uint64 {
					return one(scanned(kind, x.op, t2, g.lanes, func(id int) uint64 { return g.a(0, id) }, me))
				}})
			// Parts: those that have the same value of the second argument.
			add(groupRule{name: x.nonUniform + " partitioned " + kind,
				inst: "%part = OpGroupNonUniformPartitionNV " + "%v4i32 B_\nRES = " + x.nonUniform + " TYPE SUB Partitioned" + kind + "NV A_ %part",
				res:  t, args: []ty{t, i32}, values: func(r *rand.Rand, i, _, _ int) uint64 {
					if i == 1 {
						return uint64(r.IntN(3))
					}
					return anyValue(r, t)
				},
				want: func(g *groupView, me int) []uint64 {
					var part []int
					for _, id := range g.lanes {
						if g.a(1, id) == g.a(1, me) {
							part = append(part, id)
						}
					}
					return one(scanned(kind, x.op, t, part, func(id int) uint64 { return g.a(0, id) }, me))
				}})
		}
		t := types[n%len(types)]
		for _, c := range []int{1, 4, 16} {
			add(groupRule{name: fmt.Sprintf("%s clusters of %d", x.nonUniform, c), inst: fmt.Sprintf("RES = %s TYPE SUB ClusteredReduce A_ LIT(%d)", x.nonUniform, c),
				res: t, args: []ty{t}, want: func(g *groupView, me int) []uint64 {
					var cluster []int
					for _, id := range g.lanes {
						if id/c == me/c {
							cluster = append(cluster, id)
						}
					}
					return one(scanned("Reduce", x.op, t, cluster, func(id int) uint64 { return g.a(0, id) }, me))
				}})
		}
		// By name: the ComputeMux functions of the same operation.
		mux := x.op
		if x.kind == 'f' {
			mux = "f" + mux
		}
		if x.kind == 'b' {
			mux = "logical_" + mux
		}
		mt := fmt.Sprintf("%c%d", x.kind, t.bits)
		if x.kind == 'b' {
			mt = "i1"
		}
		for k, kind := range kinds {
			name := []string{"reduce", "scan_inclusive", "scan_exclusive"}[k] + "_" + mux + "_" + mt
			add(groupRule{name: "mux sub " + name, call: "__mux_sub_group_" + name, res: t, args: []ty{t}, uniform: true,
				want: func(g *groupView, me int) []uint64 {
					return one(scanned(kind, x.op, t, g.lanes, func(id int) uint64 { return g.a(0, id) }, me))
				}})
			add(groupRule{name: "mux work " + name, call: "__mux_work_group_" + name, res: t, args: []ty{i32, t}, uniform: true, work: true,
				want: func(g *groupView, me int) []uint64 {
					return one(workScanned(kind, x.op, t, g, func(id int) uint64 { return g.a(1, id) }, me))
				}})
			// Components combine in ascending order in reductions, too.
			comps, rn, last, kind := 4, 4, 0, kind
			if kind == "Reduce" {
				rn, last, kind = 1, 3, "InclusiveScan"
			}
			add(groupRule{name: "mux vec " + name, call: "__mux_vec_group_" + strings.TrimSuffix(name, mt) + fmt.Sprintf("v%d%s", comps, mt), res: t, rn: rn,
				args: []ty{t}, an: []int{comps},
				want: func(g *groupView, me int) []uint64 {
					var out []uint64
					for c := range rn {
						out = append(out, scanned(kind, x.op, t, []int{0, 1, 2, 3}, func(id int) uint64 { return g.args[0][me][id] }, max(c, last)))
					}
					return out
				}})
		}
	}

	// Votes.
	vote := func(any bool) func(g *groupView, i int) uint64 {
		return func(g *groupView, i int) uint64 {
			yes, no := false, false
			for _, id := range g.lanes {
				yes, no = yes || g.a(i, id) != 0, no || g.a(i, id) == 0
			}
			if any && yes || !any && !no {
				return 1
			}
			return 0
		}
	}
	for _, any := range []bool{false, true} {
		name, v := "All", vote(any)
		if any {
			name = "Any"
		}
		low := strings.ToLower(name)
		w0 := func(g *groupView, _ int) []uint64 { return one(v(g, 0)) }
		w1 := func(g *groupView, _ int) []uint64 { return one(v(g, 1)) }
		add(groupRule{name: "OpGroup" + name, inst: "RES = OpGroup" + name + " TYPE SUB A_", res: tb, args: []ty{tb}, uniform: true, want: w0})
		add(groupRule{name: "OpGroup" + name + " of the work-group", inst: "RES = OpGroup" + name + " TYPE WORK A_", res: tb, args: []ty{tb}, uniform: true, work: true, want: w0})
		add(groupRule{name: "OpGroupNonUniform" + name, inst: "RES = OpGroupNonUniform" + name + " TYPE SUB A_", res: tb, args: []ty{tb}, want: w0})
		add(groupRule{name: "OpSubgroup" + name + "KHR", inst: "RES = OpSubgroup" + name + "KHR TYPE A_", res: tb, args: []ty{tb}, want: w0})
		add(groupRule{name: "mux sub " + low, call: "__mux_sub_group_" + low + "_i1", res: tb, args: []ty{tb}, uniform: true, want: w0})
		add(groupRule{name: "mux work " + low, call: "__mux_work_group_" + low + "_i1", res: tb, args: []ty{i32, tb}, uniform: true, work: true, want: w1})
		add(groupRule{name: "mux vec " + low, call: "__mux_vec_group_" + low + "_v4i1", res: tb, args: []ty{tb}, an: []int{4},
			want: func(g *groupView, me int) []uint64 {
				c := g.args[0][me]
				yes := c[0]|c[1]|c[2]|c[3] != 0
				if !any {
					yes = c[0]&c[1]&c[2]&c[3] != 0
				}
				if yes {
					return one(1)
				}
				return one(0)
			}})
		add(groupRule{name: "cl sub " + low, call: mangled("sub_group_"+low, "i"), res: i32, args: []ty{i32}, uniform: true, want: w0})
		add(groupRule{name: "cl work " + low, call: mangled("work_group_"+low, "i"), res: i32, args: []ty{i32}, uniform: true, work: true, want: w0})
		add(groupRule{name: "cl non-uniform " + low, call: mangled("sub_group_non_uniform_"+low, "i"), res: i32, args: []ty{i32}, want: w0})
		add(groupRule{name: "OpGroupNonUniformQuad" + name + "KHR", inst: "RES = OpGroupNonUniformQuad" + name + "KHR TYPE A_", res: tb, args: []ty{tb},
			want: func(g *groupView, me int) []uint64 {
				var quad []int
				for _, id := range g.lanes {
					if id/4 == me/4 {
						quad = append(quad, id)
					}
				}
				return one(v(&groupView{lanes: quad, args: g.args}, 0))
			}})
	}
	for _, t := range []ty{tb, i8, i32, f16, f32, f64} {
		values := func(r *rand.Rand, _, l, _ int) uint64 {
			if t.kind == 'f' {
				return []uint64{0, 1 << (t.bits - 1), 0, edges(t)[r.IntN(len(edges(t)))]}[r.IntN(4)]
			}
			return uint64(r.IntN(20) / 19)
		}
		want := func(g *groupView, _ int) []uint64 {
			for _, id := range g.lanes {
				x, y := g.a(0, g.lanes[0]), g.a(0, id)
				if t.kind == 'f' && toFloat(t, x) != toFloat(t, y) || t.kind != 'f' && x != y {
					return one(0)
				}
			}
			return one(1)
		}
		add(groupRule{name: "OpGroupNonUniformAllEqual " + t.name(), inst: "RES = OpGroupNonUniformAllEqual TYPE SUB A_", res: tb, args: []ty{t}, values: values, want: want})
	}
	add(groupRule{name: "OpSubgroupAllEqualKHR", inst: "RES = OpSubgroupAllEqualKHR TYPE A_", res: tb, args: []ty{tb},
		values: func(r *rand.Rand, _, _, _ int) uint64 { return uint64(r.IntN(20) / 19) },
		want: func(g *groupView, _ int) []uint64 {
			for _, id := range g.lanes {
				if g.a(0, id) != g.a(0, g.lanes[0]) {
					return one(0)
				}
			}
			return one(1)
		}})
	elect := func(g *groupView, me int) []uint64 {
		if me == g.lanes[0] {
			return one(1)
		}
		return one(0)
	}
	add(groupRule{name: "OpGroupNonUniformElect", inst: "RES = OpGroupNonUniformElect TYPE SUB", res: tb, want: elect})
	add(groupRule{name: "cl elect", call: mangled("sub_group_elect", "v"), res: i32, want: elect})

	// Shuffles. lane says which one is taken; windows are those of two operands.
	index := func(l func(r *rand.Rand, lane, n int) uint64, at int, t ty) func(r *rand.Rand, i, lane, n int) uint64 {
		return func(r *rand.Rand, i, lane, n int) uint64 {
			if i == at {
				return l(r, lane, n)
			}
			return anyValue(r, t)
		}
	}
	near := func(r *rand.Rand, _, n int) uint64 {
		if r.IntN(8) == 0 {
			return uint64(r.IntN(2*n+2)) | uint64(r.IntN(2))<<31
		}
		return uint64(r.IntN(n))
	}
	same := func(r *rand.Rand, _, n int) uint64 { return uint64(3 % n) }
	for n, t := range all {
		rn := []int{1, 2, 3, 4, 8, 16, 1}[n]
		pick := func(lane func(g *groupView, me int) (int, bool)) func(g *groupView, me int) []uint64 {
			return func(g *groupView, me int) []uint64 {
				id, ok := lane(g, me)
				if !ok || id < 0 || id >= g.size || !slices.Contains(g.lanes, id) {
					return make([]uint64, len(g.args[0][me]))
				}
				return g.args[0][id]
			}
		}
		idx := func(g *groupView, me int) int { return int(int32(g.a(1, me))) }
		absolute := pick(func(g *groupView, me int) (int, bool) { return idx(g, me), true })
		xor := pick(func(g *groupView, me int) (int, bool) { return me ^ idx(g, me), true })
		up := pick(func(g *groupView, me int) (int, bool) { return me - idx(g, me), true })
		down := pick(func(g *groupView, me int) (int, bool) { return me + idx(g, me), true })
		shuffle := func(name, inst string, l func(r *rand.Rand, lane, n int) uint64, uniform bool, want func(g *groupView, me int) []uint64) {
			r := groupRule{name: name + " " + t.name(), res: t, rn: rn, args: []ty{t, i32}, an: []int{rn, 1}, values: index(l, 1, t), uniform: uniform, want: want}
			if strings.Contains(inst, " ") {
				r.inst = inst
			} else {
				r.call = inst
			}
			add(r)
		}
		shuffle("OpGroupNonUniformShuffle", "RES = OpGroupNonUniformShuffle TYPE SUB A_ B_", near, false, absolute)
		shuffle("OpGroupNonUniformShuffleXor", "RES = OpGroupNonUniformShuffleXor TYPE SUB A_ B_", near, false, xor)
		shuffle("OpGroupNonUniformShuffleUp", "RES = OpGroupNonUniformShuffleUp TYPE SUB A_ B_", near, false, up)
		shuffle("OpGroupNonUniformShuffleDown", "RES = OpGroupNonUniformShuffleDown TYPE SUB A_ B_", near, false, down)
		shuffle("OpGroupNonUniformBroadcast", "RES = OpGroupNonUniformBroadcast TYPE SUB A_ B_", same, false, absolute)
		shuffle("OpGroupBroadcast", "RES = OpGroupBroadcast TYPE SUB A_ B_", same, true, absolute)
		shuffle("OpSubgroupShuffleINTEL", "RES = OpSubgroupShuffleINTEL TYPE A_ B_", near, false, absolute)
		shuffle("OpSubgroupShuffleXorINTEL", "RES = OpSubgroupShuffleXorINTEL TYPE A_ B_", near, false, xor)
		shuffle("intel shuffle", mangled("intel_sub_group_shuffle", "jj"), near, false, absolute)
		shuffle("cl shuffle xor", mangled("sub_group_shuffle_xor", "jj"), near, false, xor)
		shuffle("spirv shuffle", mangled("__spirv_SubgroupShuffleINTEL", "jj"), near, false, absolute)
		if rn == 1 {
			mt := t.name()[1:]
			shuffle("mux shuffle", "__mux_sub_group_shuffle_"+mt, near, false, absolute)
			shuffle("mux shuffle xor", "__mux_sub_group_shuffle_xor_"+mt, near, false, xor)
			shuffle("mux broadcast", "__mux_sub_group_broadcast_"+mt, same, true, absolute)
			shuffle("OpSubgroupReadInvocationKHR", "RES = OpSubgroupReadInvocationKHR TYPE A_ B_", same, false, absolute)
		}
		for _, c := range []int{0, 4} {
			cluster, text := "", ""
			if c > 0 {
				cluster, text = fmt.Sprintf(" LIT(%d)", c), fmt.Sprintf(" clusters of %d", c)
			}
			shuffle("OpGroupNonUniformRotateKHR"+text, "RES = OpGroupNonUniformRotateKHR TYPE SUB A_ B_"+cluster,
				func(r *rand.Rand, _, _ int) uint64 { return 5 }, false, pick(func(g *groupView, me int) (int, bool) {
					n := g.size
					if c > 0 {
						n = min(n, c)
					}
					return me/n*n + (me+5)%n, true
				}))
		}
		for q := range 4 {
			if q < 3 {
				shuffle(fmt.Sprintf("OpGroupNonUniformQuadSwap %d", q), fmt.Sprintf("RES = OpGroupNonUniformQuadSwap TYPE SUB A_ LIT(%d)", q), near, false,
					pick(func(_ *groupView, me int) (int, bool) { return me ^ (q + 1), true }))
			}
			shuffle(fmt.Sprintf("OpGroupNonUniformQuadBroadcast %d", q), fmt.Sprintf("RES = OpGroupNonUniformQuadBroadcast TYPE SUB A_ LIT(%d)", q), near, false,
				pick(func(_ *groupView, me int) (int, bool) { return me/4*4 + q, true }))
		}
		first := func(g *groupView, _ int) []uint64 { return g.args[0][g.lanes[0]] }
		add(groupRule{name: "OpGroupNonUniformBroadcastFirst " + t.name(), inst: "RES = OpGroupNonUniformBroadcastFirst TYPE SUB A_", res: t, rn: rn, args: []ty{t}, an: []int{rn}, want: first})
		add(groupRule{name: "OpSubgroupFirstInvocationKHR " + t.name(), inst: "RES = OpSubgroupFirstInvocationKHR TYPE A_", res: t, rn: rn, args: []ty{t}, an: []int{rn}, want: first})

		// Windows of two operands: the first is that of lower lanes.
		window := func(at func(g *groupView, me int) int) func(g *groupView, me int) []uint64 {
			return func(g *groupView, me int) []uint64 {
				i := at(g, me)
				switch {
				case i >= 0 && i < g.size && slices.Contains(g.lanes, i):
					return g.args[0][i]
				case i >= g.size && i < 2*g.size && slices.Contains(g.lanes, i-g.size):
					return g.args[1][i-g.size]
				}
				return make([]uint64, rn)
			}
		}
		delta := index(func(r *rand.Rand, _, n int) uint64 { return uint64(r.IntN(n + n/2 + 2)) }, 2, t)
		downWant := window(func(g *groupView, me int) int { return me + int(g.a(2, me)) })
		upWant := window(func(g *groupView, me int) int { return me - int(g.a(2, me)) + g.size })
		two := groupRule{res: t, rn: rn, args: []ty{t, t, i32}, an: []int{rn, rn, 1}, values: delta}
		down2, up2 := two, two
		down2.name, down2.inst, down2.want = "OpSubgroupShuffleDownINTEL "+t.name(), "RES = OpSubgroupShuffleDownINTEL TYPE A_ B_ C_", downWant
		up2.name, up2.inst, up2.want = "OpSubgroupShuffleUpINTEL "+t.name(), "RES = OpSubgroupShuffleUpINTEL TYPE A_ B_ C_", upWant
		add(down2)
		add(up2)
		if rn == 1 {
			down2.inst, up2.inst = "", ""
			down2.name, down2.call = "mux down "+t.name(), "__mux_sub_group_shuffle_down_"+t.name()[1:]
			up2.name, up2.call = "mux up "+t.name(), "__mux_sub_group_shuffle_up_"+t.name()[1:]
			add(down2)
			add(up2)
		}
		down2.name, down2.inst, down2.call = "intel down "+t.name(), "", mangled("intel_sub_group_shuffle_down", "jjj")
		add(down2)

		// The work-group's broadcast, with one, two and three indices.
		work := func(g *groupView, me int) []uint64 {
			if id := g.a(1, me); id < uint64(g.local) {
				return g.args[0][id]
			}
			return make([]uint64, rn)
		}
		fixed := uint64(n * 7)
		values := index(func(*rand.Rand, int, int) uint64 { return fixed }, 1, t)
		add(groupRule{name: "OpGroupBroadcast of the work-group " + t.name(), inst: "RES = OpGroupBroadcast TYPE WORK A_ B_", res: t, rn: rn, args: []ty{t, i64}, an: []int{rn, 1},
			values: values, uniform: true, work: true, want: work})
		add(groupRule{name: "three indices " + t.name(), inst: "%c = OpCompositeConstruct %v3i32 B_ LIT(0) LIT(0)\nRES = OpGroupBroadcast TYPE WORK A_ %c", res: t, rn: rn,
			args: []ty{t, i32}, an: []int{rn, 1}, values: values, uniform: true, work: true, want: work})
		add(groupRule{name: "cl work broadcast " + t.name(), call: mangled("work_group_broadcast", "jm"), res: t, rn: rn, args: []ty{t, i64}, an: []int{rn, 1}, values: values, uniform: true, work: true, want: work})
	}
	add(groupRule{name: "mux work broadcast", call: "__mux_work_group_broadcast_f32", res: f32, args: []ty{i32, f32, i64, i64, i64},
		values: func(r *rand.Rand, i, _, _ int) uint64 {
			return []uint64{7, anyValue(r, f32), 5, 0, 0}[i]
		}, uniform: true, work: true,
		want: func(g *groupView, _ int) []uint64 { return one(g.a(1, 5)) }})
	add(groupRule{name: "mux vec broadcast", call: "__mux_vec_group_broadcast_v4i16", res: i16, args: []ty{i16, i32}, an: []int{4, 1},
		values: func(r *rand.Rand, i, _, _ int) uint64 {
			if i == 1 {
				return uint64(r.IntN(4))
			}
			return anyValue(r, i16)
		},
		want: func(g *groupView, me int) []uint64 { return one(g.args[0][me][g.args[1][me][0]]) }})

	// Ballots.
	yes := func(g *groupView) []int {
		var ids []int
		for _, id := range g.lanes {
			if g.a(0, id) != 0 {
				ids = append(ids, id)
			}
		}
		return ids
	}
	ballot := func(g *groupView, _ int) []uint64 { return ballotOf(yes(g)) }
	add(groupRule{name: "OpGroupNonUniformBallot", inst: "RES = OpGroupNonUniformBallot TYPE SUB A_", res: i32, rn: 4, args: []ty{tb}, want: ballot})
	add(groupRule{name: "OpSubgroupBallotKHR", inst: "RES = OpSubgroupBallotKHR TYPE A_", res: i32, rn: 4, args: []ty{tb}, want: ballot})
	add(groupRule{name: "cl ballot", call: mangled("sub_group_ballot", "i"), res: i32, rn: 4, args: []ty{i32}, want: ballot})
	add(groupRule{name: "OpGroupNonUniformPartitionNV", inst: "RES = OpGroupNonUniformPartitionNV TYPE A_", res: i32, rn: 4, args: []ty{f32},
		values: func(r *rand.Rand, _, _, _ int) uint64 { return []uint64{0, 1 << 31, 0x7fc00001}[r.IntN(3)] },
		want: func(g *groupView, me int) []uint64 {
			var ids []int
			for _, id := range g.lanes {
				if g.a(0, id) == g.a(0, me) {
					ids = append(ids, id)
				}
			}
			return ballotOf(ids)
		}})
	set := func(g *groupView, me, id int) bool { return g.args[0][me][id/32&3]>>(id%32)&1 != 0 }
	truth := func(b bool) []uint64 {
		if b {
			return one(1)
		}
		return one(0)
	}
	onBallot := func(name, inst, call string, res ty, want func(g *groupView, me int) []uint64) {
		r := groupRule{name: name, inst: inst, res: res, args: []ty{i32}, an: []int{4}, want: want}
		add(r)
		if call != "" {
			r.name, r.inst, r.call = "cl "+name, "", call
			if res == tb {
				r.res = i32
			}
			add(r)
		}
	}
	onBallot("OpGroupNonUniformInverseBallot", "RES = OpGroupNonUniformInverseBallot TYPE SUB A_", mangled("sub_group_inverse_ballot", "Dv4_j"), tb,
		func(g *groupView, me int) []uint64 { return truth(set(g, me, me)) })
	count := func(upTo func(g *groupView, me int) int) func(g *groupView, me int) []uint64 {
		return func(g *groupView, me int) []uint64 {
			n := uint64(0)
			for id := range upTo(g, me) {
				if set(g, me, id) {
					n++
				}
			}
			return one(n)
		}
	}
	onBallot("OpGroupNonUniformBallotBitCount Reduce", "RES = OpGroupNonUniformBallotBitCount TYPE SUB Reduce A_", mangled("sub_group_ballot_bit_count", "Dv4_j"), i32,
		count(func(g *groupView, _ int) int { return g.size }))
	onBallot("OpGroupNonUniformBallotBitCount InclusiveScan", "RES = OpGroupNonUniformBallotBitCount TYPE SUB InclusiveScan A_", mangled("sub_group_ballot_inclusive_scan", "Dv4_j"), i32,
		count(func(_ *groupView, me int) int { return me + 1 }))
	onBallot("OpGroupNonUniformBallotBitCount ExclusiveScan", "RES = OpGroupNonUniformBallotBitCount TYPE SUB ExclusiveScan A_", mangled("sub_group_ballot_exclusive_scan", "Dv4_j"), i32,
		count(func(_ *groupView, me int) int { return me }))
	find := func(last bool) func(g *groupView, me int) []uint64 {
		return func(g *groupView, me int) []uint64 {
			r := uint64(1<<32 - 1)
			for id := range g.size {
				if set(g, me, id) && (last || r == 1<<32-1) {
					r = uint64(id)
				}
			}
			return one(r)
		}
	}
	onBallot("OpGroupNonUniformBallotFindLSB", "RES = OpGroupNonUniformBallotFindLSB TYPE SUB A_", mangled("sub_group_ballot_find_lsb", "Dv4_j"), i32, find(false))
	onBallot("OpGroupNonUniformBallotFindMSB", "RES = OpGroupNonUniformBallotFindMSB TYPE SUB A_", mangled("sub_group_ballot_find_msb", "Dv4_j"), i32, find(true))
	add(groupRule{name: "OpGroupNonUniformBallotBitExtract", inst: "RES = OpGroupNonUniformBallotBitExtract TYPE SUB A_ B_", res: tb, args: []ty{i32, i32}, an: []int{4, 1},
		values: func(r *rand.Rand, i, _, n int) uint64 {
			if i == 1 {
				return uint64(r.IntN(n))
			}
			return r.Uint64() & i32.mask()
		},
		want: func(g *groupView, me int) []uint64 { return truth(set(g, me, int(g.a(1, me)))) }})
	for _, m := range []struct {
		name string
		has  func(id, me int) bool
	}{
		{"eq", func(id, me int) bool { return id == me }}, {"ge", func(id, me int) bool { return id >= me }}, {"gt", func(id, me int) bool { return id > me }},
		{"le", func(id, me int) bool { return id <= me }}, {"lt", func(id, me int) bool { return id < me }},
	} {
		add(groupRule{name: "mask " + m.name, call: mangled("get_sub_group_"+m.name+"_mask", "v"), res: i32, rn: 4, want: func(g *groupView, me int) []uint64 {
			var ids []int
			for id := range g.size {
				if m.has(id, me) {
					ids = append(ids, id)
				}
			}
			return ballotOf(ids)
		}})
	}

	// Names of reductions with the sign in the parameter's type.
	for _, x := range []struct {
		call, op, kind string
		t              ty
		uniform, work  bool
	}{
		{mangled("sub_group_reduce_min", "i"), "smin", "Reduce", i32, true, false}, {mangled("sub_group_reduce_min", "j"), "umin", "Reduce", i32, true, false},
		{mangled("sub_group_scan_inclusive_max", "s"), "smax", "InclusiveScan", i16, true, false}, {mangled("sub_group_scan_exclusive_max", "m"), "umax", "ExclusiveScan", i64, true, false},
		{mangled("sub_group_non_uniform_reduce_mul", "h"), "mul", "Reduce", i8, false, false}, {mangled("sub_group_non_uniform_scan_inclusive_add", "f"), "add", "InclusiveScan", f32, false, false},
		{mangled("sub_group_non_uniform_reduce_xor", "i"), "xor", "Reduce", i32, false, false}, {mangled("work_group_reduce_add", "d"), "add", "Reduce", f64, true, true},
		{mangled("work_group_scan_exclusive_min", "i"), "smin", "ExclusiveScan", i32, true, true}, {mangled("work_group_scan_inclusive_max", "Dh"), "max", "InclusiveScan", f16, true, true},
	} {
		add(groupRule{name: x.call, call: x.call, res: x.t, args: []ty{x.t}, uniform: x.uniform, work: x.work, want: func(g *groupView, me int) []uint64 {
			v := func(id int) uint64 { return g.a(0, id) }
			if x.work {
				return one(workScanned(x.kind, x.op, x.t, g, v, me))
			}
			return one(scanned(x.kind, x.op, x.t, g.lanes, v, me))
		}})
	}
	add(groupRule{name: "cl logical", call: mangled("sub_group_non_uniform_reduce_logical_xor", "i"), res: i32, args: []ty{i32},
		values: func(r *rand.Rand, _, _, _ int) uint64 { return uint64(r.IntN(2)) * 6 },
		want: func(g *groupView, _ int) []uint64 {
			n := 0
			for _, id := range g.lanes {
				n += bits.OnesCount64(g.a(0, id)) / 2
			}
			return one(uint64(n & 1))
		}})
	return list
}
