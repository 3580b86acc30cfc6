package emu_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// writesKernels read an element that another work-item writes, and write through pointers that come by detours.
const writesKernels = `
global int kept[256];
void set(global int *p, int v) { *p = v; }
kernel void alias(global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0) ^ 1]; }
kernel void chosen(global int *a, global int *b) {
	int v = a[get_global_id(0) ^ 1];
	global int *p = v == 0 ? a : b;
	p[get_global_id(0)] = v;
}
kernel void private_memory(global int *a, global int *b) {
	global int *list[4];
	for (int i = 0; i < 4; i++) list[i] = i & 1 ? a : b;
	int v = a[get_global_id(0) ^ 1];
	list[(v & 1) + 1][get_global_id(0)] = v;
}
kernel void local_memory(global int *a, global int *b) {
	local ulong list[1];
	int v = a[get_global_id(0) ^ 1];
	if (get_local_id(0) == 0) list[0] = (ulong)a;
	barrier(CLK_LOCAL_MEM_FENCE);
	((global int *)list[0])[get_global_id(0)] = v;
}
kernel void integers(global int *a, global int *b) {
	int v = a[get_global_id(0) ^ 1];
	ulong n = (ulong)a + 4 * get_global_id(0);
	*(global int *)n = v;
}
kernel void any_space(global int *a, global int *b) {
	int v = a[get_global_id(0) ^ 1];
	int *p = a + get_global_id(0);
	*p = v;
}
kernel void called(global int *a, global int *b) { set(a + get_global_id(0), a[get_global_id(0) ^ 1]); }
kernel void atomics(global int *a, global int *b) {
	b[get_global_id(0)] = a[get_global_id(0) ^ 1];
	atomic_inc(a + get_global_id(0));
}
kernel void vectors(global int *a, global int *b) {
	b[get_global_id(0)] = a[get_global_id(0) ^ 4];
	vstore4((int4)(1), get_global_id(0) / 8, a);
}
kernel void loop(global int *a, global int *b) {
	global int *p = a;
	for (int i = 0; i < 3; i++, p = p == a ? b : a) {
		int v = a[get_global_id(0) ^ 1];
		p[get_global_id(0)] = v + i;
	}
}
kernel void variable(global int *a, global int *b) {
	b[get_global_id(0)] = kept[get_global_id(0) ^ 1];
	kept[get_global_id(0)] = a[get_global_id(0)];
}
`

// TestDataRaceWrites: what a kernel writes through whatever pointer is looked at, also before the only group writes it.
func TestDataRaceWrites(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	p, _, err := d.BuildProgram(writesKernels, "-cl-std=CL2.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"alias", "chosen", "private_memory", "local_memory", "integers", "any_space", "called", "atomics",
		"vectors", "loop", "variable"} {
		a, b := buffer(t, d, make([]int32, 256)...), buffer(t, d, make([]int32, 256)...)
		if name == "alias" {
			b = a
		}
		l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(32, 32), Check: true, Args: []emu.Arg{a, b}}
		res, err := l.Run(context.Background())
		if fe := (*emu.FindingsError)(nil); !errors.As(err, &fe) {
			t.Errorf("%s: no finding: %v", name, err)
			continue
		}
		for _, f := range res.Findings.Findings {
			if f.Code != finding.Race {
				t.Errorf("%s: %s", name, f.Text())
			}
		}
	}
}

// TestShadowOfReads: a buffer that the kernel only reads takes no shadow memory.
func TestShadowOfReads(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	p, _, err := d.BuildProgram("kernel void sum(global int *a, global int *b) { b[get_global_id(0)] = a[2 * get_global_id(0)] + a[1]; }", "")
	if err != nil {
		t.Fatal(err)
	}
	var shadow [2]uint64
	for i, n := range []int{128, 1 << 16} {
		l := emu.Launch{Kernel: kernel(t, p, "sum"), Range: sized(64, 32), Check: true,
			Args: []emu.Arg{buffer(t, d, make([]int32, n)...), buffer(t, d, make([]int32, 64)...)}}
		res, err := l.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		shadow[i] = res.Shadow
	}
	if shadow[0] == 0 || shadow[0] != shadow[1] {
		t.Errorf("%d bytes of shadow memory, and %d where the buffer that is read is larger", shadow[0], shadow[1])
	}
}
