package emu_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// load returns a kernel of package kernels, loaded for a device.
func load(t testing.TB, d *emu.Device, name, variant string) *emu.Kernel {
	t.Helper()
	_, kernel := loadProgram(t, d, name, variant)
	return kernel
}

// loadProgram is load that returns the program, too.
func loadProgram(t testing.TB, d *emu.Device, name, variant string) (*emu.Program, *emu.Kernel) {
	t.Helper()
	k := kernels.Find(name)
	if k == nil {
		t.Fatalf("there is no kernel %q", name)
		return nil, nil
	}
	b, err := k.Binary(variant)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.NewProgram(b.Code, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := p.Kernel(k.Entry)
	if err != nil {
		t.Fatal(err)
	}
	return p, kernel
}

func device(t testing.TB, opt emu.DeviceOptions) *emu.Device {
	t.Helper()
	d, err := emu.NewDevice(opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// BenchmarkEmptyLaunch is what a launch costs that does nothing, from the call
// to the result.
func BenchmarkEmptyLaunch(b *testing.B) {
	k := load(b, device(b, emu.DeviceOptions{}), "empty", "O2")
	l := emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{1}, Local: []uint64{1}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmptyLaunchQueue(b *testing.B) {
	d := device(b, emu.DeviceOptions{})
	k := load(b, d, "empty", "O2")
	q, err := d.NewQueue()
	if err != nil {
		b.Fatal(err)
	}
	l := emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{1}, Local: []uint64{1}}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		e, err := q.Launch(ctx, l)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPipe is what a packet of 4 bytes costs on its way through a pipe of the
// program, between two kernels of one work-item each that block.
func BenchmarkPipe(b *testing.B) {
	for _, capacity := range []int{1, 16, 1024} {
		b.Run(strconv.Itoa(capacity), func(b *testing.B) {
			d := device(b, emu.DeviceOptions{})
			prog := stream(b, d, capacity)
			set := emu.Set{Launches: []emu.Launch{launch(kernel(b, prog, "source"), u32(uint32(b.N))), launch(kernel(b, prog, "filter"), u32(uint32(b.N))), launch(kernel(b, prog, "drop"), u32(uint32(b.N)))}}
			b.ResetTimer()
			if _, err := set.Run(context.Background()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkChain runs a thousand kernels, each connected to the next by a pipe
// of capacity 1, through which a hundred packets go.
func BenchmarkChain(b *testing.B) {
	for _, o := range []emu.Order{emu.InOrder, emu.Reverse, emu.Seeded} {
		b.Run(o.String(), func(b *testing.B) {
			d := device(b, emu.DeviceOptions{})
			set := chain(b, d, 1000, 100)
			set.Schedule.Order = o
			b.ReportAllocs()
			for b.Loop() {
				if _, err := set.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
