package emu_test

import (
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestClock reads the logical clock of launches: it goes on from work-group to work-group, and is the same on each engine
// and with any number of workers.
func TestClock(t *testing.T) {
	const source = `kernel void ticks(global ulong *out) {
	size_t i = get_global_id(0);
	out[3 * i] = clock_read_device();
	for (int k = get_local_id(0); k > 0; k--)
		out[3 * i + 1] += clock_read_sub_group() > out[3 * i];
	barrier(CLK_GLOBAL_MEM_FENCE);
	uint2 halves = clock_read_hilo_work_group();
	out[3 * i + 2] = (ulong)halves.y << 32 | halves.x;
}`
	const items, local = 32, 8
	for _, size := range []int{1, 4, 16} {
		var first []uint64
		for _, opt := range []emu.DeviceOptions{{Workers: 1, Engine: "interp"}, {Workers: 4, Engine: "interp"}, {Workers: 1}, {Workers: 4}} {
			opt.SubgroupSize = size
			d := device(t, opt)
			p, _, err := d.BuildProgram(source, "")
			if err != nil {
				t.Fatal(err)
			}
			out := buffer(t, d, make([]uint64, 3*items)...)
			k := kernel(t, p, "ticks")
			for range 2 { // every launch begins at 0
				if _, err := out.WriteAt(make([]byte, 3*8*items), 0); err != nil {
					t.Fatal(err)
				}
				mustRun(t, &emu.Launch{Kernel: k, Range: sized(items, local), Args: []emu.Arg{out}})
				got := contents[uint64](t, out)
				if first == nil {
					first = got
				} else if !slices.Equal(got, first) {
					t.Errorf("%+v: %v, want %v", opt, got, first)
				}
			}
		}
		end := uint64(0)
		for g := 0; g < items; g += local {
			last, next := end, uint64(0)
			for i := g; i < g+local; i++ {
				if v := first[3*i:]; v[0] < end || v[1] != uint64(i-g) || v[2] <= v[0] {
					t.Errorf("sub-groups of %d: work-item %d reads %v in a group that begins at %d or later", size, i, v[:3], end)
				}
				last, next = max(last, first[3*i]), max(next, first[3*i+2])
			}
			for i := g; i < g+local; i++ {
				if first[3*i+2] <= last {
					t.Errorf("sub-groups of %d: work-item %d is behind the barrier at %d, another before it at %d", size, i, first[3*i+2], last)
				}
			}
			end = next
		}
	}
}

// TestSplitBarrier lets work-items arrive at a barrier, go on and wait, twice with one array, so that no wait is too early.
func TestSplitBarrier(t *testing.T) {
	const source = `kernel void f(global int *out) {
	local int a[32];
	int i = get_local_id(0), sum = 0;
	for (int k = 1; k <= 3; k++) {
		a[i] = k * i;
		intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
		sum += 1000;
		intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
		sum += a[31 - i];
		intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
		intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
	}
	out[get_global_id(0)] = sum;
}`
	for _, opt := range []emu.DeviceOptions{{SubgroupSize: 1, WaveLanes: 1}, {SubgroupSize: 4, WaveLanes: 8}, {SubgroupSize: 32}} {
		d := device(t, opt)
		p, _, err := d.BuildProgram(source, "-cl-std=CL3.0")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []emu.Launch{{}, {Check: true}, {Schedule: emu.Schedule{Order: emu.Seeded, Seed: 5}}} {
			out := buffer(t, d, make([]int32, 64)...)
			l.Kernel, l.Range, l.Args = kernel(t, p, "f"), sized(64, 32), []emu.Arg{out}
			mustRun(t, &l)
			for i, got := range contents[int32](t, out) {
				if want := int32(3000 + 6*(31-i%32)); got != want {
					t.Errorf("%+v: work-item %d has %d, want %d", opt, i, got, want)
				}
			}
		}
	}
}
