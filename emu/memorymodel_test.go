package emu_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// TestWeakMemoryKernels holds that kernels without data races give the same with weak memory.
func TestWeakMemoryKernels(t *testing.T) {
	for i, k := range kernels.All() {
		if k.Name == "stack" {
			continue // its fences, of OpenCL C 1.2, have the scope of a work-group, and work-groups share it
		}
		for j, opt := range []emu.DeviceOptions{{Workers: 1}, {Workers: 1, SubgroupSize: 4, WaveLanes: 8}} {
			if (i+j)%2 != 0 && !*long {
				continue
			}
			d := device(t, opt)
			_, loaded := loadProgram(t, d, k.Name, []string{"O2", "O0"}[(i+j)%2])
			info := loaded.Info()
			if info.UsesPipes || info.UsesAsync || info.ReqdSubgroup != 0 && int(info.ReqdSubgroup) != d.Limits().SubgroupSize {
				continue
			}
			s := []emu.Schedule{{}, {Order: emu.Seeded, Seed: uint64(i)}}[(i/2+j)%2]
			runOn(t, k, d, loaded, s, func(l *emu.Launch) { l.Memory = emu.MemoryWeak })
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestWeakMemoryRefuses holds what cannot run with weak memory, and what is said of choices.
func TestWeakMemoryRefuses(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1})
	p, _, err := d.BuildProgram(`kernel void copies(global int *v) { local int a[4]; event_t e = async_work_group_copy(a, v, 4, 0); wait_group_events(1, &e); v[0] = a[1]; }
kernel void plain(global int *v) { v[get_global_id(0)] = 1; }`, "")
	if err != nil {
		t.Fatal(err)
	}
	v := buffer(t, d, make([]int32, 4)...)
	run := func(k *emu.Kernel, change func(*emu.Launch)) error {
		l := emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{v}, Memory: emu.MemoryWeak}
		change(&l)
		_, err := l.Run(context.Background())
		return err
	}
	if err := run(kernel(t, p, "copies"), func(*emu.Launch) {}); !errors.Is(err, emu.ErrNotWeak) || !strings.Contains(err.Error(), "asynchronous") {
		t.Errorf("copies: %v", err)
	}
	loaded := kernel(t, reloaded(t, d, p, emu.BinaryOptions{}), "plain")
	if err := run(loaded, func(*emu.Launch) {}); !errors.Is(err, emu.ErrNotWeak) || !strings.Contains(err.Error(), "bytecode") {
		t.Errorf("bytecode: %v", err)
	}
	set := emu.Set{Launches: []emu.Launch{{Kernel: kernel(t, p, "plain"), Range: emu.Range(1), Args: []emu.Arg{v}, Memory: emu.MemoryWeak}}}
	if _, err := set.Run(context.Background()); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("a set: %v", err)
	}
	if err := run(kernel(t, p, "plain"), func(*emu.Launch) {}); err != nil {
		t.Error(err)
	}
	if _, err := emu.ParseMemoryModel("strong"); err == nil {
		t.Error("there is no strong memory")
	}
}

// FuzzInterleaving holds that what is read is written again.
func FuzzInterleaving(f *testing.F) {
	for _, text := range []string{"", "0", ":1:0:2,0x3,1.2:0:1", "0x2,0x3", "7.0", "x", "1x", "1x1048577", "1.x", "0:-1", "18446744073709551616", ","} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := emu.ParseInterleaving(text)
		if err != nil {
			return
		}
		written := x.String()
		y, err := emu.ParseInterleaving(written)
		if written == "" && len(x.Steps) == 0 {
			return
		}
		if err != nil || y.String() != written {
			t.Errorf("%q became %q, and that %q: %v", text, written, y, err)
		}
	})
}
