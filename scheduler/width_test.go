package scheduler

import (
	"math"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

func TestWaveLanes(t *testing.T) {
	for _, c := range []struct {
		name                   string
		o                      Order
		spins                  bool
		f                      footprint
		subgroup, limit, items int
		want                   int
	}{
		{name: "whole groups", subgroup: 32, items: 1024, want: 1024},
		{name: "sub-groups that are not full", subgroup: 32, items: 100, want: 128},
		{name: "fewer than an engine's unit", subgroup: 1, items: 7, want: 7},
		{name: "large sub-groups", subgroup: 128, items: 1024, want: 1024},
		{name: "large groups", subgroup: 32, items: 4096, want: 1024},
		{name: "large groups in equal parts", subgroup: 32, items: 1040, want: 576},
		{name: "a limit", subgroup: 32, limit: 64, items: 1024, want: 64},
		{name: "a limit wins", f: footprint{loop: 8000, state: 8000}, subgroup: 32, limit: 512, items: 1024, want: 512},
		{name: "spinning", spins: true, subgroup: 32, limit: 64, items: 1024, want: 32},
		{name: "spinning lanes", spins: true, subgroup: 1, limit: 256, items: 1024, want: 1},
		{name: "seeded", o: Seeded, subgroup: 32, items: 1024, want: 32},
		{name: "seeded with a limit", o: Seeded, subgroup: 32, limit: 128, items: 1024, want: 128},
		{name: "reverse", o: Reverse, subgroup: 8, items: 3, want: 8},

		{name: "small loop", f: footprint{loop: 64, state: 64}, subgroup: 32, items: 1024, want: 1024},
		{name: "loop of more", f: footprint{loop: 65, state: 65}, subgroup: 32, items: 1024, want: 512},
		{name: "loop of 404", f: footprint{loop: 404, state: 404}, subgroup: 32, items: 1024, want: 128},
		{name: "in a group of 256", f: footprint{loop: 404, state: 404}, subgroup: 32, items: 256, want: 128},
		{name: "in a group of 200", f: footprint{loop: 404, state: 404}, subgroup: 32, items: 200, want: 128},
		{name: "in a group of 1000", f: footprint{loop: 130, state: 130}, subgroup: 8, items: 1000, want: 256},
		{name: "in a group of 64", f: footprint{loop: 404, state: 404}, subgroup: 32, items: 64, want: 64},
		{name: "too large for any cache", f: footprint{loop: 1 << 40, state: 1 << 40}, subgroup: 32, items: 1024, want: 64},
		{name: "with large sub-groups", f: footprint{loop: 1 << 20, state: 1 << 20}, subgroup: 128, items: 1024, want: 128},
		{name: "no loop", f: footprint{state: 1024}, subgroup: 32, items: 1024, want: 1024},
		{name: "no loop, second level", f: footprint{state: 1025}, subgroup: 32, items: 1024, want: 512},
	} {
		if got := waveLanes(c.o, c.spins, c.f, c.subgroup, c.limit, c.items); got != c.want {
			t.Errorf("%s: %d lanes, want %d", c.name, got, c.want)
		}
	}
}

// TestFootprint holds what loops are found to go through.
func TestFootprint(t *testing.T) {
	br := func(to int) isa.Inst { return isa.Inst{Op: isa.OpBr, Scale: uint32(to)} }
	cond := func(yes, no int) isa.Inst {
		in := isa.Inst{Op: isa.OpBrCond, A: isa.V(0)}
		in.SetTargets(yes, no)
		return in
	}
	add := func(t isa.Type, dst, a, b int) isa.Inst {
		return isa.Inst{Op: isa.OpAdd, Type: t, Dst: isa.V(dst), A: isa.V(a), B: isa.V(b)}
	}
	load := func(s isa.Space) isa.Inst {
		return isa.Inst{Op: isa.OpLoad, Type: isa.I32, Dst: isa.V(0), A: isa.S(0), Space: s}
	}
	barrier := func(scope isa.Scope, to int) isa.Inst {
		return isa.Inst{Op: isa.OpBarrier, Imm2: uint8(scope), Scale: uint32(to)}
	}
	ret := isa.Inst{Op: isa.OpRet}
	const state = 1 + 8 + 8*4 + 4*8 // m, vb, vw and vd as below
	for _, c := range []struct {
		name    string
		private []uint64
		blocks  [][]isa.Inst
		want    footprint
	}{
		{"no loop", nil, [][]isa.Inst{{add(isa.I32, 0, 1, 2), br(1)}, {ret}}, footprint{state, 0}},
		{"one block", nil, [][]isa.Inst{{add(isa.I32, 7, 7, 7), br(1)}, {add(isa.I32, 0, 1, 1), cond(1, 2)}, {ret}}, footprint{state, 2*4 + 1}},
		{"banks apart", nil, [][]isa.Inst{{add(isa.I32, 1, 1, 1), add(isa.I64, 1, 1, 1), add(isa.I8, 1, 1, 1), br(0)}}, footprint{state, 4 + 8 + 1}},
		{"the largest", nil, [][]isa.Inst{
			{add(isa.I64, 0, 0, 1), br(0)}, {add(isa.I64, 1, 2, 3), br(1)}, {add(isa.I64, 0, 0, 1), br(2)}}, footprint{state, 3 * 8}},
		{"nested", nil, [][]isa.Inst{
			{add(isa.I32, 0, 0, 0), br(1)}, {add(isa.I32, 1, 1, 1), cond(1, 2)}, {add(isa.I32, 2, 2, 2), cond(0, 3)}, {add(isa.I64, 3, 3, 3), ret}},
			footprint{state, 3*4 + 1}},
		{"barrier", nil, [][]isa.Inst{
			{add(isa.I64, 0, 1, 2), barrier(isa.ScopeWorkgroup, 1)}, {cond(0, 2)}, {ret}}, footprint{state, 0}},
		{"barrier at the end", nil, [][]isa.Inst{{add(isa.I64, 0, 1, 2), barrier(isa.ScopeWorkgroup, 0)}}, footprint{state, 0}},
		{"barrier of sub-groups", nil, [][]isa.Inst{
			{add(isa.I64, 0, 1, 2), barrier(isa.ScopeSubgroup, 0)}}, footprint{state, 3 * 8}},
		{"inside of a loop with barriers", nil, [][]isa.Inst{
			{add(isa.I64, 0, 1, 2), br(1)}, {add(isa.I32, 0, 1, 1), cond(1, 2)}, {barrier(isa.ScopeWorkgroup, 0)}}, footprint{state, 2*4 + 1}},
		{"private memory elsewhere", []uint64{100, 20}, [][]isa.Inst{
			{load(isa.SpacePrivate), br(1)}, {load(isa.SpaceGlobal), br(1)}}, footprint{state + 120, 4}},
		{"private memory", []uint64{100, 20}, [][]isa.Inst{{load(isa.SpacePrivate), br(0)}}, footprint{state + 120, 4 + 120}},
		{"memory anywhere", []uint64{100}, [][]isa.Inst{{load(isa.SpaceGeneric), br(0)}}, footprint{state + 100, 4 + 100}},
		{"memory without end", []uint64{math.MaxUint64, math.MaxUint64}, [][]isa.Inst{{load(isa.SpacePrivate), br(0)}},
			footprint{state + math.MaxInt32, 4 + math.MaxInt32}},
	} {
		k := &isa.Kernel{NumVector: [isa.NumBanks]int{isa.BankMask: 1, isa.Bank8: 8, isa.Bank32: 8, isa.Bank64: 4}}
		for _, size := range c.private {
			k.Private = append(k.Private, isa.Alloc{Size: size})
		}
		for _, b := range c.blocks {
			start := len(k.Code)
			k.Code = append(k.Code, b...)
			k.Blocks = append(k.Blocks, isa.Block{Start: start, End: len(k.Code)})
		}
		if got := footprintOf(k); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
