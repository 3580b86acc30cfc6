package clc_test

import (
	"context"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// unitSource is a program whose functions stand between what they have in common, and need what comes behind them. Each
// function's tree takes the place of the one before, while initializers stay until the module is made.
const unitSource = `
constant int before[3] = {1, 2, 3};
int late(int i);
static inline int unused(int i) { constant int *p = before; return p[i]; }
kernel void f(global int *o)
{
	constant int in[3] = {10, 20, 30};
	const int k = 5;
	int n = 0;
	for (int i = 0; i < 3; i++)
		n += in[i] + before[i] * k;
	o[0] = n;
}
constant int between[3] = {100, 200, 300};
constant const int folded = 7;
kernel void g(global int *o)
{
	constant int in[3] = {11, 21, 31};
	local int sum[folded];
	int4 v = (int4)(1, 2, 3, folded);
	switch (o[1]) {
	case 0: case 1:
		goto out;
	default:
		v = v.wzyx;
	}
out:
	for (int i = 0; i < 3; i++)
		o[0] += in[i] + between[i] + folded;
	sum[folded - 1] = v.w;
	o[0] += sum[6] + late(2) + (struct { int q, r; }){3, 4}.r + (o[1] ?: 1);
}
constant int after[3] = {1000, 2000, 3000};
int late(int i) { return after[i]; }
kernel void h(global int *o) { o[0] = late(0) + late(1); f(o + 1); }
`

// TestUnit runs the kernels of a program.
func TestUnit(t *testing.T) {
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	p, log, err := dev.BuildProgram(unitSource, "-Wno-gnu -cl-std=CL3.0")
	if err != nil {
		t.Fatal(err, log.Text(false))
	}
	for name, want := range map[string][]int32{
		"f": {60 + 6*5, 0},
		"g": {63 + 600 + 21 + 7 + 3000 + 4 + 1, 0},
		"h": {3000, 60 + 6*5},
	} {
		kernel, err := p.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := dev.NewBuffer(8, emu.BufferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := emu.Launch{Kernel: kernel, Args: []emu.Arg{b}, Range: emu.NDRange{Global: []uint64{1}, Local: []uint64{1}}}
		if _, err := l.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		got, err := emu.Read[int32](b)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
