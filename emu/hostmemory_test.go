package emu_test

import (
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
)

// TestDefaultMemory holds that a device takes its size from the machine unless somebody gives one.
func TestDefaultMemory(t *testing.T) {
	for _, c := range []struct {
		left uint64
		ok   bool
		want uint64
	}{{8 << 30, true, 6 << 30}, {1 << 20, true, 16 << 20}, {0, false, 4 << 30}} {
		restore := emu.SetHostLeft(c.left, c.ok)
		d := device(t, emu.DeviceOptions{})
		restore()
		if got := d.Limits().GlobalMemory; got != c.want {
			t.Errorf("%d bytes left, %v: a device of %d bytes; want %d", c.left, c.ok, got, c.want)
		}
	}
	if got := device(t, emu.DeviceOptions{MaxMemory: 1 << 40 >> 2}).Limits().GlobalMemory; got != 1<<38 {
		t.Errorf("a device of %d bytes; 2^38 were asked for", got)
	}
}

// TestNewBufferFrom holds that a device takes aligned bytes over and copies others, and counts both.
func TestNewBufferFrom(t *testing.T) {
	d := device(t, emu.DeviceOptions{MaxMemory: 1 << 10})
	data := memory.AlignedBytes(256)
	data[3] = 7
	whole, err := d.NewBufferFrom(data, emu.BufferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := whole.Map()
	if err != nil || &bytes[0] != &data[0] || len(bytes) != 256 || bytes[3] != 7 {
		t.Errorf("the device did not take the bytes over: %v", err)
	}
	odd, err := d.NewBufferFrom(memory.AlignedBytes(256)[1:101], emu.BufferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if odd.Size() != 100 || uint64(emu.PointerOf(odd).Offset())%64 != 0 {
		t.Errorf("bytes that are not aligned: a buffer of %d bytes", odd.Size())
	}
	var limit *emu.LimitError
	if err := d.Room("data", 1<<10-356); err != nil {
		t.Error(err)
	}
	if err := d.Room("data", 1<<10-355); !errors.As(err, &limit) || limit.Left != 1<<10-356 || limit.Need != 1<<10+1 {
		t.Errorf("%v", err)
	}
	if _, err := d.NewBufferFrom(memory.AlignedBytes(1<<10), emu.BufferOptions{}); !errors.As(err, &limit) || limit.Option != "MaxMemory" {
		t.Errorf("a buffer that does not fit: %v", err)
	}
}

// TestCompareMemory holds that the copies of memory that a comparison needs are counted before they are made.
func TestCompareMemory(t *testing.T) {
	defer emu.SetHostLeft(64<<20, true)() // of which a device takes 48 MiB
	d := emu.NewComparing(t, emu.DeviceOptions{MaxMemory: 40 << 20}, interp.Engine{})
	b, err := d.NewBuffer(20<<20, emu.BufferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var limit *emu.LimitError
	if err := emu.CompareMemory(d); !errors.As(err, &limit) || limit.Size != 40<<20 || limit.Left != 28<<20 {
		t.Errorf("three times 20 MiB in 48: %v", err)
	}
	if err := b.Free(); err != nil {
		t.Fatal(err)
	}
	if err := emu.CompareMemory(d); err != nil {
		t.Error(err)
	}
}
