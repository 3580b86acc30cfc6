package emu_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestPartialCopies: a launch whose work-groups use more memory beside a copy than its checks remember says so, alone and
// in a set.
func TestPartialCopies(t *testing.T) {
	const source = `
kernel void beside(global int *a, global int *b, int n) {
	local int s[32];
	event_t e = async_work_group_copy(s, b, 32, 0);
	for (int i = get_local_id(0); i < n; i += 32) a[i * 16] = i;
	wait_group_events(1, &e);
}
kernel void held(global int *a, global int *b, int n, write_only pipe int p) {
	local int s[32];
	event_t e = async_work_group_copy(s, b, 32, 0);
	for (int i = get_local_id(0); i < n; i += 32) a[i * 16] = i;
	wait_group_events(1, &e);
}`
	d := device(t, emu.DeviceOptions{Workers: 1})
	p, _, err := d.BuildProgram(source, "")
	if err != nil {
		t.Fatal(err)
	}
	const most = 1 << 16 // stretches of 64 bytes that are remembered
	pipe, err := d.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, b := buffer(t, d, make([]int32, (most+32)*16)...), buffer(t, d, make([]int32, 32)...)
	want := []finding.Partial{{Code: finding.AsyncRace, Reason: "a work-group used more memory between two barriers than is remembered"}}
	for _, name := range []string{"beside", "held"} {
		for n, want := range map[int32][]finding.Partial{most - 32: nil, most + 32: want} {
			l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(32, 32), Check: true, Args: []emu.Arg{a, b, emu.Value(n)}}
			if name == "held" {
				l.Args = append(l.Args, pipe)
			}
			res, err := l.Run(context.Background())
			var fe *emu.FindingsError
			if err != nil && !errors.As(err, &fe) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, res.Findings.Partial); diff != "" {
				t.Errorf("kernel %s, %d stretches: %s", name, n, diff)
			}
		}
	}
}

// TestPartialRestrict: a launch that accesses more bytes than the check of restrict remembers says so.
func TestPartialRestrict(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1})
	p, _, err := d.BuildProgram(`
kernel void set(global int *restrict a, global int *b) { a[get_global_id(0)] = 1; if (get_global_id(0) > 1 << 30) b[0] = 2; }`, "")
	if err != nil {
		t.Fatal(err)
	}
	const most = 1 << 18 // elements of 4 bytes
	a := buffer(t, d, make([]int32, most+256)...)
	want := []finding.Partial{{Code: finding.Restrict, Reason: "a launch accessed more bytes through pointers to the same memory than are remembered"}}
	for n, want := range map[uint64][]finding.Partial{most: nil, most + 256: want} {
		l := emu.Launch{Kernel: kernel(t, p, "set"), Range: sized(n, 256), Check: true, Args: []emu.Arg{a, a}}
		res, err := l.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, res.Findings.Partial); diff != "" {
			t.Errorf("%d elements: %s", n, diff)
		}
	}
}
