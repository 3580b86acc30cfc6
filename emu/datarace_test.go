package emu_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// raceKernels has kernels and, behind "// race:" on a line, that the finding is at this line; without one, there is none.
// Each has parameters (global int *a, global int *b) of 256 elements and runs in groups of 32 work-items.
const raceKernels = `
kernel void barrier_left_out(global int *a, global int *b) {
	local int s[32];
	int l = get_local_id(0);
	s[l] = a[get_global_id(0)]; // race: write of s
	b[get_global_id(0)] = s[31 - l];
}
kernel void barrier_there(global int *a, global int *b) {
	local int s[32];
	int l = get_local_id(0);
	s[l] = a[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	b[get_global_id(0)] = s[31 - l];
}
kernel void wrong_flag(global int *a, global int *b) {
	local int s[32];
	int l = get_local_id(0);
	s[l] = a[get_global_id(0)]; // race: a barrier stands between the two, but its flags do not name local memory
	barrier(CLK_GLOBAL_MEM_FENCE);
	b[get_global_id(0)] = s[31 - l];
}
kernel void reused_tile(global int *a, global int *b) {
	local int s[32];
	int l = get_local_id(0), sum = 0;
	for (int k = 0; k < 3; k++) {
		s[l] = a[k * 32 + l]; // race: write of s
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += s[31 - l];
	}
	b[get_global_id(0)] = sum;
}
kernel void lanes_of_a_subgroup(global int *a, global int *b) {
	local int s[32];
	int l = get_local_id(0);
	s[l] = a[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 4) s[l] += s[l + 4]; // race: read by
	if (l < 2) s[l] += s[l + 2];
	b[get_global_id(0)] = a[l];
}
kernel void subgroup_barriers(global int *a, global int *b) {
	local int s[32];
	int l = get_local_id(0), n = get_max_sub_group_size();
	s[l] = a[l];
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	b[get_global_id(0)] = s[l / n * n];
}
kernel void beyond_the_subgroup(global int *a, global int *b) {
	local int s[32];
	int l = get_local_id(0);
	s[l] = a[l]; // race: write of s
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	b[get_global_id(0)] = s[31 - l];
}
kernel void read_by_all(global int *a, global int *b) {
	local int s[1];
	int l = get_local_id(0);
	if (l == 0) s[0] = a[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	int v = s[0];
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) s[0] = 7; // race: write of s
	b[get_global_id(0)] = v;
}
kernel void groups(global int *a, global int *b) {
	int g = get_group_id(0);
	if (get_local_id(0) == 0) a[g] = g; // race: no barrier orders work-groups
	barrier(CLK_GLOBAL_MEM_FENCE);
	b[get_global_id(0)] = a[g ^ 1];
}
kernel void histogram(global int *a, global int *b) {
	b[get_global_id(0) & 7]++; // race: or use an atomic operation
}
kernel void atomic_histogram(global int *a, global int *b) {
	atomic_inc(&b[get_global_id(0) & 7]);
}
kernel void atomic_and_plain(global int *a, global int *b) {
	atomic_inc(&b[0]); // race: make both accesses atomic
	if (get_global_id(0) == 3) a[0] = b[0];
}
kernel void bytes(global int *a, global int *b) {
	((global char *)b)[get_global_id(0)] = 1;
}
kernel void last_group(global int *a, global int *b) {
	local int last;
	if (get_local_id(0) == 0) {
		a[get_group_id(0)] = 7;
		last = atomic_fetch_add_explicit((volatile global atomic_int *)&b[0], 1, memory_order_acq_rel, memory_scope_device)
			== get_num_groups(0) - 1;
	}
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last && get_local_id(0) < get_num_groups(0)) a[32 + get_local_id(0)] = a[get_local_id(0)];
}
kernel void last_group_relaxed(global int *a, global int *b) {
	local int last;
	if (get_local_id(0) == 0) {
		a[get_group_id(0)] = 7; // race: no barrier orders work-groups
		last = atomic_fetch_add_explicit((volatile global atomic_int *)&b[0], 1, memory_order_relaxed, memory_scope_device)
			== get_num_groups(0) - 1;
	}
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last && get_local_id(0) < get_num_groups(0)) a[32 + get_local_id(0)] = a[get_local_id(0)];
}
kernel void fences(global int *a, global int *b) {
	if (get_local_id(0) == 0) {
		a[get_group_id(0)] = 7;
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
		int n = atomic_fetch_add_explicit((volatile global atomic_int *)&b[0], 1, memory_order_relaxed, memory_scope_device);
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
		if (n == get_num_groups(0) - 1)
			for (int i = 0; i <= n; i++) a[32 + i] = a[i];
	}
}
kernel void lock(global int *a, global int *b) {
	if (get_local_id(0) != 0) return;
	while (atomic_exchange_explicit((volatile global atomic_int *)&b[0], 1, memory_order_acquire, memory_scope_device))
		;
	a[0]++;
	atomic_store_explicit((volatile global atomic_int *)&b[0], 0, memory_order_release, memory_scope_device);
}
kernel void narrow_scope(global int *a, global int *b) {
	if (get_local_id(0) != 0) return;
	while (atomic_exchange_explicit((volatile global atomic_int *)&b[0], 1, memory_order_acquire, memory_scope_work_group))
		;
	a[0]++; // race: a[0]
	atomic_store_explicit((volatile global atomic_int *)&b[0], 0, memory_order_release, memory_scope_work_group); // race: give both atomic operations the scope memory_scope_device
}
kernel void same_value(global int *a, global int *b) {
	b[0] = 1; // race: of the same value
}
`

// TestDataRaces: each race is found once, at its line, in all orders, with sub-groups and waves of all sizes; and no
// other is.
func TestDataRaces(t *testing.T) {
	type expectation struct {
		line uint32
		text string
	}
	want := map[string][]expectation{}
	var names []string
	for i, line := range strings.Split(raceKernels, "\n") {
		if rest, ok := strings.CutPrefix(line, "kernel void "); ok {
			name, _, _ := strings.Cut(rest, "(")
			names = append(names, name)
		}
		if _, text, ok := strings.Cut(line, "// race: "); ok {
			name := names[len(names)-1]
			want[name] = append(want[name], expectation{uint32(i + 1), text})
		}
	}
	for _, opt := range []emu.DeviceOptions{{SubgroupSize: 1, WaveLanes: 1}, {SubgroupSize: 4, WaveLanes: 8}, {SubgroupSize: 8}, {SubgroupSize: 16, WaveLanes: 16}} {
		d := device(t, opt)
		p, _, err := d.BuildProgram(raceKernels, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			for _, s := range []emu.Schedule{{}, {Order: emu.Reverse}, {Order: emu.Seeded, Seed: 1}, {Order: emu.Seeded, Seed: 2}} {
				l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(256, 32), Schedule: s, Check: true,
					Args: []emu.Arg{buffer(t, d, make([]int32, 256)...), buffer(t, d, make([]int32, 256)...)}}
				res, err := l.Run(context.Background())
				var fe *emu.FindingsError
				if err != nil && !errors.As(err, &fe) {
					t.Fatal(err)
				}
				at := fmt.Sprintf("%s, %s, sub-groups of %d", name, s.Name(), opt.SubgroupSize)
				if f := res.Findings.Findings; len(f) != len(want[name]) {
					t.Errorf("%s: %d findings, want %d: %v", at, len(f), len(want[name]), err)
					continue
				}
				for _, w := range want[name] {
					if !slices.ContainsFunc(res.Findings.Findings, func(f finding.Finding) bool {
						return f.Code == finding.Race && f.Place.Line == w.line && strings.Contains(f.Text(), w.text)
					}) {
						t.Errorf("%s: want a race at line %d with %q: %v", at, w.line, w.text, err)
					}
				}
				if name == "same_value" {
					l.Benign = true
					if _, err := l.Run(context.Background()); err != nil {
						t.Errorf("%s: %v", at, err)
					}
				}
			}
		}
	}
}
