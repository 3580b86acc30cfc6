package emu_test

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestCheckAtomicPointers checks launches whose atomic operations go through a pointer that each lane chooses: no
// scalar register has it.
func TestCheckAtomicPointers(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	p, _, err := d.BuildProgram(`
kernel void count(global int *a, global int *b, global const int *in) {
  int i = get_global_id(0), x = in[i], y = in[i ^ 1], z = in[i ^ 2];
  global int *to = x & 1 ? a : b;
  atomic_add(to + (y & 3), z);
}`, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("count")
	if err != nil {
		t.Fatal(err)
	}
	in := make([]int32, 64)
	for i := range in {
		in[i] = int32(i * 5 % 7)
	}
	a, b := buffer(t, d, make([]int32, 4)...), buffer(t, d, make([]int32, 4)...)
	l := emu.Launch{Kernel: k, Range: sized(64, 64), Check: true, Args: []emu.Arg{a, b, buffer(t, d, in...)}}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var want [2][4]int32
	for i := range in {
		want[1-in[i]&1][in[i^1]&3] += in[i^2]
	}
	for n, buf := range []*emu.Buffer{a, b} {
		for i, v := range contents[int32](t, buf) {
			if v != want[n][i] {
				t.Errorf("buffer %d, element %d: %d, want %d", n, i, v, want[n][i])
			}
		}
	}
}
