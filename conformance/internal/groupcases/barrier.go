package groupcases

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// tile declares local memory for a word of each of n work-items.
func (d *draft) tile(n int) {
	d.local = append(d.local, []string{"tile", fmt.Sprintf("OpVariable %%lptr_arr%d_uint Workgroup", n)})
}

// tileLoad and tileStore access word index, an ulong, of the tile.
func (d *draft) tileLoad(id, index string) {
	d.add(`%%%s_tile = OpInBoundsAccessChain %%lptr_uint %%tile %s
		%%%[1]s = OpLoad %%uint %%%[1]s_tile Aligned 4`, id, index)
}

func (d *draft) tileStore(id, index, value string) {
	d.add(`%%%s_tile = OpInBoundsAccessChain %%lptr_uint %%tile %s
		OpStore %%%[1]s_tile %[3]s Aligned 4`, id, index, value)
}

// exchange makes a kernel in which, round after round, a work-item takes the word of
// the next one of its group and leaves it in its own place. barrier is what stands
// between.
func (d *draft) exchange(subgroup bool, rounds int, barrier func(n int)) {
	l := d.launch
	d.tile(l.local)
	d.add(`%%lid3 = OpLoad %%v3ulong %%LocalInvocationId
		%%lid = OpCompositeExtract %%ulong %%lid3 0
		%%x = OpUConvert %%uint %%gid`)
	if subgroup {
		d.add(`%%l32 = OpLoad %%uint %%SubgroupLocalInvocationId
			%%lane = OpUConvert %%ulong %%l32
			%%n32 = OpLoad %%uint %%SubgroupSize
			%%n = OpUConvert %%ulong %%n32`)
	} else {
		d.add(`%%lane = OpCopyObject %%ulong %%lid
			%%n3 = OpLoad %%v3ulong %%WorkgroupSize
			%%n = OpCompositeExtract %%ulong %%n3 0`)
	}
	d.add(`%%first = OpISub %%ulong %%lid %%lane
		%%lane1 = OpIAdd %%ulong %%lane %%ulong_1
		%%around = OpUMod %%ulong %%lane1 %%n
		%%next = OpIAdd %%ulong %%first %%around`)
	value := "%x"
	for i := range rounds {
		d.tileStore(fmt.Sprintf("s%d", i), "%lid", value)
		barrier(2 * i)
		d.tileLoad(fmt.Sprintf("r%d", i), "%next")
		barrier(2*i + 1)
		value = fmt.Sprintf("%%r%d", i)
	}
	arg := d.out("out", i32, l.global)
	d.store("out", i32, 0, value)
	d.expect(arg, i32, func(size int) []uint64 {
		groups := l.workgroups()
		if subgroup {
			groups = l.subgroups(size)
		}
		want := make([]uint64, l.global)
		for _, g := range groups {
			for i, item := range g {
				want[item] = uint64(g[(i+rounds)%len(g)])
			}
		}
		return want
	})
}

// barriers makes the cases about barriers and fences.
func barriers() []*conformance.Case {
	var out []*conformance.Case
	// Scopes and orders, each of which occurs with all others at least once.
	scopes := []int{0, 1, 2, 3, 4}
	orders := []int{0, 2, 4, 8, 16}
	memories := []int{0x100, 0x180, 0x300, 0x380, 0x100}

	for _, group := range []string{"work", "sub"} {
		d := newDraft("cases/mux/"+group+"-group-barrier", "__mux_"+group+"_group_barrier with every scope and order", small, "MUX-12")
		d.exchange(group == "sub", 5, func(n int) {
			scope, order := 2, 8
			if n%2 == 1 {
				// What only must not be overtaken: the other half of the barriers.
				scope, order = scopes[n/2], orders[(n/2*2+1)%5]
			}
			d.call("", "void", "__mux_"+group+"_group_barrier", fmt.Sprintf("uint %%uint_%d", n), fmt.Sprintf("uint %%uint_%d", scope),
				fmt.Sprintf("uint %%uint_%d", order|memories[n/2]))
		})
		// Half of the barriers do not order local memory, by their scope or order: by the specification the exchange behind them
		// is a data race, which checks report.
		d.Check = conformance.ChecksOff
		out = append(out, d.finish())
	}

	d := newDraft("cases/isg/control-barrier", "OpControlBarrier with execution and memory scope Subgroup", small, "ISG-03", "ISG-01", "SPV-OpControlBarrier")
	d.extension("SPV_INTEL_subgroups")
	d.need("SubgroupShuffleINTEL")
	d.exchange(true, 3, func(int) { d.add(`OpControlBarrier %%uint_3 %%uint_3 %%uint_264`) })
	out = append(out, d.finish())

	for _, q := range []struct {
		name, title, clause string
		fence               func(d *draft, scope, semantics int)
	}{
		{"cases/mux/mem-barrier", "__mux_mem_barrier with every scope and order", "MUX-12", func(d *draft, scope, semantics int) {
			d.call("", "void", "__mux_mem_barrier", fmt.Sprintf("uint %%uint_%d", scope), fmt.Sprintf("uint %%uint_%d", semantics))
		}},
		{"cases/group/memory-barrier", "OpMemoryBarrier with every scope and order", "SPV-OpMemoryBarrier", func(d *draft, scope, semantics int) {
			d.add(`OpMemoryBarrier %%uint_%d %%uint_%d`, scope, semantics)
		}},
	} {
		d := newDraft(q.name, q.title, launch{8, 4}, q.clause)
		d.Comment = "A work-item sees its own writes whatever fences stand between."
		arg := d.out("out", i32, 8)
		d.add(`%%id = OpUConvert %%uint %%gid
			%%p = OpInBoundsPtrAccessChain %%gptr_uint %%out %%gid
			OpStore %%p %%id Aligned 4`)
		for i, scope := range scopes {
			for j, order := range orders {
				q.fence(d, scope, order|memories[(i+j)%5])
				d.add(`%%v%[1]d = OpLoad %%uint %%p Aligned 4
					%%w%[1]d = OpIAdd %%uint %%v%[1]d %%uint_1
					OpStore %%p %%w%[1]d Aligned 4`, 5*i+j)
			}
		}
		d.expect(arg, i32, func(int) []uint64 { return []uint64{25, 26, 27, 28, 29, 30, 31, 32} })
		out = append(out, d.finish())
	}
	return append(out, handOver(), named())
}

// handOver makes the case about fences between sub-groups: each work-group's first
// work-item writes, releases a flag, and the last waits for it and acquires.
func handOver() *conformance.Case {
	l := launch{256, 256} // two sub-groups at the largest size
	d := newDraft("cases/mux/fence-release-acquire", "a release fence before a flag, an acquire fence behind it", l, "MUX-12", "MUX-18")
	d.Comment = "The first work-item of the group writes and sets a flag; the last, of another sub-group, waits for the flag and\nreads what was written."
	d.params = append(d.params, "data gptr_uint", "flag gptr_uint", "out gptr_uint")
	d.Args = append(d.Args, "zero:u32:1", "zero:u32:1", "zero:u32:1")
	d.Expect = append(d.Expect, conformance.Expect{Arg: 0, What: "buf:u32:77"}, conformance.Expect{Arg: 1, What: "buf:u32:1"}, conformance.Expect{Arg: 2, What: "buf:u32:77"})
	d.add(`%%first = OpIEqual %%bool %%gid %%ulong_0
		OpBranchConditional %%first %%write %%others
		%%write = OpLabel
		OpStore %%data %%uint_77 Aligned 4`)
	d.call("", "void", "__mux_mem_barrier", "uint %uint_1", "uint %uint_516") // device, release
	d.add(`OpAtomicStore %%flag %%uint_1 %%uint_0 %%uint_1
		OpBranch %%end
		%%others = OpLabel
		%%last = OpIEqual %%bool %%gid %%ulong_%d
		OpBranchConditional %%last %%wait %%end
		%%wait = OpLabel
		%%seen = OpAtomicLoad %%uint %%flag %%uint_1 %%uint_0
		%%set = OpIEqual %%bool %%seen %%uint_1
		OpBranchConditional %%set %%read %%wait
		%%read = OpLabel`, l.global-1)
	d.call("", "void", "__mux_mem_barrier", "uint %uint_1", "uint %uint_514") // device, acquire
	d.add(`%%v = OpLoad %%uint %%data Aligned 4
		OpStore %%out %%v Aligned 4
		OpBranch %%end
		%%end = OpLabel`)
	return d.finish()
}

// named makes the case about named barriers: the first half of the sub-groups of a
// work-group meet at one, the others at another, so that words move within halves.
func named() *conformance.Case {
	const rounds = 3
	l := launch{256, 256}
	d := newDraft("cases/group/named-barrier", "two named barriers, for half of the sub-groups each", l,
		"SPV-OpNamedBarrierInitialize", "SPV-OpMemoryNamedBarrier", "SPV-OpTypeNamedBarrier")
	d.Comment = "In each of three rounds work-items take the word of the next one of their half."
	d.Version = "1.2"
	d.need("NamedBarrier")
	d.need("SubgroupDispatch")
	d.tile(l.local)
	d.add(`%%count = OpLoad %%uint %%NumSubgroups
		%%low = OpUDiv %%uint %%count %%uint_2
		%%high = OpISub %%uint %%count %%low
		%%one = OpNamedBarrierInitialize %%barrier %%low
		%%two = OpNamedBarrierInitialize %%barrier %%high
		%%x = OpUConvert %%uint %%gid
		%%place = OpBitwiseAnd %%ulong %%gid %%ulong_127
		%%start = OpISub %%ulong %%gid %%place
		%%place1 = OpIAdd %%ulong %%place %%ulong_1
		%%around = OpBitwiseAnd %%ulong %%place1 %%ulong_127
		%%next = OpIAdd %%ulong %%start %%around
		%%sub = OpLoad %%uint %%SubgroupId
		%%lower = OpULessThan %%bool %%sub %%low
		OpBranchConditional %%lower %%left %%right
		%%left = OpLabel`)
	side := func(name string) {
		value := "%x"
		for i := range rounds {
			d.tileStore(fmt.Sprintf("%s_s%d", name, i), "%gid", value)
			d.add(`OpMemoryNamedBarrier %%%s %%uint_2 %%uint_264`, name)
			d.tileLoad(fmt.Sprintf("%s_r%d", name, i), "%next")
			d.add(`OpMemoryNamedBarrier %%%s %%uint_2 %%uint_264`, name)
			value = fmt.Sprintf("%%%s_r%d", name, i)
		}
		d.add(`OpBranch %%join`)
	}
	side("one")
	d.add(`%%right = OpLabel`)
	side("two")
	d.add(`%%join = OpLabel
		%%result = OpPhi %%uint %%one_r%[1]d %%left %%two_r%[1]d %%right`, rounds-1)
	arg := d.out("out", i32, l.global)
	d.store("out", i32, 0, "%result")
	d.expect(arg, i32, func(int) []uint64 {
		want := make([]uint64, l.global)
		for i := range want {
			want[i] = uint64(i/128*128 + (i%128+rounds)%128)
		}
		return want
	})
	return d.finish()
}

// atomics makes the cases about atomics in local and global memory.
func atomics() []*conformance.Case {
	const n = 40
	l := launch{n, n}
	x := make([]uint64, n)
	r := random(5)
	for i := range x {
		x[i] = i32.mask(r.next())
	}
	fold := func(init uint64, f func(a, b uint64) uint64) uint64 {
		for _, v := range x {
			init = i32.mask(f(init, v))
		}
		return init
	}
	signed := func(v uint64) int64 { return i32.signed(v) }
	d := newDraft("cases/mux/atomic-rmw", "the forms of atomicrmw whose result does not depend on the order", l, "MUX-18")
	d.in("x", i32, x)
	want := []uint64{}
	for i, f := range []struct {
		inst string
		init uint64
		f    func(a, b uint64) uint64
	}{
		{"IAdd", 0, func(a, b uint64) uint64 { return a + b }}, {"ISub", 0, func(a, b uint64) uint64 { return a - b }},
		{"And", 1<<32 - 1, func(a, b uint64) uint64 { return a & (b | 0x0f0f0f0f) }}, {"Or", 0, func(a, b uint64) uint64 { return a | (b & 0x0f0f0f0f) }},
		{"Xor", 0, func(a, b uint64) uint64 { return a ^ b }},
		{"SMin", 1<<31 - 1, func(a, b uint64) uint64 { return uint64(min(signed(a), signed(b))) }},
		{"SMax", 1 << 31, func(a, b uint64) uint64 { return uint64(max(signed(a), signed(b))) }},
		{"UMin", 1<<32 - 1, func(a, b uint64) uint64 { return min(a, b) }}, {"UMax", 0, func(a, b uint64) uint64 { return max(a, b) }},
	} {
		if i == 0 {
			d.params = append(d.params, "word gptr_uint")
			d.add(`%%mostly = OpBitwiseOr %%uint %%x %%uint_252645135
				%%hardly = OpBitwiseAnd %%uint %%x %%uint_252645135`)
		}
		operand := "%x"
		switch f.inst {
		case "And":
			operand = "%mostly"
		case "Or":
			operand = "%hardly"
		}
		d.add(`%%p%[1]d = OpInBoundsPtrAccessChain %%gptr_uint %%word %%ulong_%[1]d
			%%old%[1]d = OpAtomic%[2]s %%uint %%p%[1]d %%uint_1 %%uint_0 %[3]s`, i, f.inst, operand)
		want = append(want, fold(f.init, f.f))
	}
	d.Args = append(d.Args, i32.literals([]uint64{0, 0, 1<<32 - 1, 0, 0, 1<<31 - 1, 1 << 31, 1<<32 - 1, 0}))
	d.expect(len(d.Args)-1, i32, func(int) []uint64 { return want })
	out := []*conformance.Case{d.finish()}

	// Every value goes in, and all but one come out again.
	d = newDraft("cases/mux/atomic-xchg", "xchg, atomic load and store: what goes into a word comes out once", l, "MUX-18")
	d.Comment = "Each work-item puts 1 + its id into a word and adds what it gets to a sum; the last value is still there."
	d.params = append(d.params, "word gptr_uint", "sum gptr_uint", "total gptr_uint")
	d.Args = append(d.Args, "zero:u32:1", "zero:u32:1", "zero:u32:1")
	d.Varies = []int{0, 1}
	d.Expect = []conformance.Expect{{Arg: 2, What: i32.literals([]uint64{n * (n + 1) / 2})}}
	d.add(`%%id = OpUConvert %%uint %%gid
		%%mine = OpIAdd %%uint %%id %%uint_1
		%%got = OpAtomicExchange %%uint %%word %%uint_1 %%uint_0 %%mine
		%%before = OpAtomicIAdd %%uint %%sum %%uint_1 %%uint_0 %%got
		OpControlBarrier %%uint_2 %%uint_1 %%uint_520
		%%first = OpIEqual %%bool %%gid %%ulong_0
		OpBranchConditional %%first %%add %%end
		%%add = OpLabel
		%%left = OpAtomicLoad %%uint %%word %%uint_1 %%uint_0
		%%most = OpAtomicLoad %%uint %%sum %%uint_1 %%uint_0
		%%both = OpIAdd %%uint %%left %%most
		OpAtomicStore %%total %%uint_1 %%uint_0 %%both
		OpBranch %%end
		%%end = OpLabel`)
	out = append(out, d.finish())

	for _, weak := range []bool{false, true} {
		name, inst := "strong", "OpAtomicCompareExchange"
		if weak {
			name, inst = "weak", "OpAtomicCompareExchangeWeak"
		}
		d := newDraft("cases/mux/atomic-cmpxchg-"+name, "a sum by cmpxchg in a loop, "+name, l, "MUX-18")
		d.in("x", i32, x)
		d.params = append(d.params, "word gptr_uint")
		d.Args = append(d.Args, "zero:u32:1")
		d.Expect = []conformance.Expect{{Arg: 1, What: i32.literals([]uint64{fold(0, func(a, b uint64) uint64 { return a + b })})}}
		d.add(`%%start = OpAtomicLoad %%uint %%word %%uint_1 %%uint_0
			OpBranch %%again
			%%again = OpLabel
			%%seen = OpPhi %%uint %%start %%entry %%got %%again
			%%sum = OpIAdd %%uint %%seen %%x
			%%got = %s %%uint %%word %%uint_1 %%uint_0 %%uint_0 %%sum %%seen
			%%done = OpIEqual %%bool %%got %%seen
			OpBranchConditional %%done %%end %%again
			%%end = OpLabel`, inst)
		out = append(out, d.finish())
	}
	return out
}
