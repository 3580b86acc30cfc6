package emu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv"
)

func TestArgErrors(t *testing.T) {
	d, other := device(t, emu.DeviceOptions{}), device(t, emu.DeviceOptions{})
	values, pointers := kernel(t, program(t, d, "launch"), "values"), kernel(t, program(t, d, "launch"), "pointers")
	b := buffer(t, d, int32(1), 2, 3)
	foreign := buffer(t, other, int32(1))
	freed := buffer(t, d, int32(1))
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	mapped := buffer(t, d, make([]int32, 64)...)
	if _, err := mapped.Map(); err != nil {
		t.Fatal(err)
	}
	part, err := mapped.Sub(64, 16)
	if err != nil {
		t.Fatal(err)
	}
	point, v3, s8, u8 := emu.Bytes(make([]byte, 16)), emu.Vector[float32](1, 2, 3), emu.Vector(make([]int16, 8)...), emu.Value(uint8(1))
	lds := emu.LocalBytes(32)
	var got strings.Builder
	for _, c := range []struct {
		k    *emu.Kernel
		args []emu.Arg
		is   error
	}{
		{values, nil, nil},
		{values, []emu.Arg{point, v3, s8, u8, b, b}, nil},
		{values, []emu.Arg{emu.Bytes(make([]byte, 12)), v3, s8, u8, b}, nil},
		{values, []emu.Arg{point, emu.Vector[float32](1, 2), s8, u8, b}, nil},
		{values, []emu.Arg{point, emu.Vector[float64](1, 2, 3), s8, u8, b}, nil},
		{values, []emu.Arg{point, v3, s8, emu.Value(int32(1)), b}, nil},
		{values, []emu.Arg{point, v3, s8, b, b}, nil},
		{values, []emu.Arg{point, v3, s8, emu.Null(), b}, nil},
		{values, []emu.Arg{point, v3, s8, u8, emu.Value(uint64(0))}, nil},
		{values, []emu.Arg{point, v3, s8, u8, lds}, nil},
		{values, []emu.Arg{point, v3, s8, u8, nil}, emu.ErrInvalid},
		{values, []emu.Arg{point, v3, s8, u8, (*emu.Buffer)(nil)}, emu.ErrInvalid},
		{values, []emu.Arg{point, v3, s8, u8, new(emu.Buffer)}, emu.ErrInvalid},
		{values, []emu.Arg{point, v3, s8, u8, foreign}, emu.ErrForeign},
		{values, []emu.Arg{point, v3, s8, u8, freed}, emu.ErrClosed},
		{pointers, []emu.Arg{b, b, b, b}, nil},
		{pointers, []emu.Arg{b, b, emu.LocalBytes(0), b}, nil},
		{pointers, []emu.Arg{mapped, b, lds, b}, emu.ErrMapped},
		{pointers, []emu.Arg{emu.Resource(b, 1<<14, 1), b, lds, b}, nil},
		{pointers, []emu.Arg{b, b, emu.Resource(b, 4, 3), b}, nil},
		{pointers, []emu.Arg{emu.Resource(nil, 4, 3), b, lds, b}, emu.ErrInvalid},
		{pointers, []emu.Arg{emu.Resource(foreign, 4, 1), b, lds, b}, emu.ErrForeign},
		{pointers, []emu.Arg{b, emu.Resource(freed, 4, 1), lds, b}, emu.ErrClosed},
		{pointers, []emu.Arg{b, emu.Resource(mapped, 4, 1), lds, b}, emu.ErrMapped},
		{values, []emu.Arg{point, v3, s8, emu.Resource(b, 4, 3), b}, nil},
		{values, []emu.Arg{point, v3, emu.Resource(freed, 4, 3), u8, b}, emu.ErrClosed},
		{pointers, []emu.Arg{b, b, lds, part}, emu.ErrMapped},
	} {
		_, err := c.k.Run(context.Background(), emu.Range(1), c.args...)
		var ae *emu.ArgError
		if !errors.As(err, &ae) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("error %v, want an ArgError that is %v", err, c.is)
		}
		fmt.Fprintln(&got, err)
	}
	golden(t, "args.txt", got.String())
	_, err = values.Run(context.Background(), emu.Range(1), emu.Bytes(make([]byte, 1<<20)), v3, s8, u8, b)
	if err == nil {
		t.Error("a megabyte by value was accepted")
	}
}

func TestNDRange(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1}) // its kernel has data races
	launch, old, small32 := program(t, d, "launch"), program(t, d, "cl12"), program(t, d, "launch.32")
	out := buffer(t, d, make([]int32, 1<<16)...)
	var got strings.Builder
	for _, c := range []struct {
		k *emu.Kernel
		r emu.NDRange
	}{
		{kernel(t, launch, "racing"), emu.NDRange{}},
		{kernel(t, launch, "racing"), emu.Range(1, 1, 1, 1)},
		{kernel(t, launch, "racing"), emu.NDRange{Global: []uint64{8, 8}, Local: []uint64{8}}},
		{kernel(t, launch, "racing"), emu.NDRange{Global: []uint64{8, 8}, Offset: []uint64{8}}},
		{kernel(t, launch, "racing"), sized(8, 0)},
		{kernel(t, launch, "racing"), sized(4096, 2048)},
		{kernel(t, launch, "racing"), emu.NDRange{Global: []uint64{64, 64}, Local: []uint64{64, 64}}},
		{kernel(t, launch, "racing"), emu.Range(1<<63, 2)},
		{kernel(t, launch, "racing"), emu.NDRange{Global: []uint64{2}, Offset: []uint64{1<<64 - 1}}},
		{kernel(t, launch, "required"), sized(16, 16)},
		{kernel(t, launch, "required"), emu.Range(16)},
		{kernel(t, old, "fill"), sized(100, 64)},
		{kernel(t, small32, "racing"), emu.Range(1<<31, 2)},
		{kernel(t, small32, "racing"), emu.NDRange{Global: []uint64{1 << 31}, Offset: []uint64{1 << 31}}},
		// These are chosen.
		{kernel(t, launch, "racing"), emu.Range(0)},
		{kernel(t, launch, "racing"), emu.Range(1)},
		{kernel(t, launch, "racing"), emu.Range(1024)},
		{kernel(t, launch, "racing"), emu.Range(1000)},
		{kernel(t, launch, "racing"), emu.Range(1021)}, // a prime
		{kernel(t, launch, "racing"), emu.Range(96, 10)},
		{kernel(t, launch, "racing"), emu.Range(7, 7, 7)},
		{kernel(t, launch, "racing"), emu.Range(31, 37)},
		{kernel(t, launch, "racing"), sized(1024, 1024)},
		{kernel(t, launch, "racing"), sized(5, 1024)},
		{kernel(t, launch, "required"), emu.Range(16, 16)},
		{kernel(t, launch, "hinted"), emu.Range(60)},
		{kernel(t, launch, "hinted"), sized(60, 20)},
		{kernel(t, launch, "hinted"), emu.Range(60, 4)},
		{kernel(t, old, "fill"), emu.Range(1021)},
		{kernel(t, old, "fill"), emu.Range(1020)},
	} {
		res, err := c.k.Run(context.Background(), c.r, out)
		if err != nil {
			var re *emu.RangeError
			var le *emu.LimitError
			if !errors.As(err, &re) && !errors.As(err, &le) {
				t.Errorf("%+v: error of the wrong type: %v", c.r, err)
			}
			fmt.Fprintln(&got, err)
			continue
		}
		fmt.Fprintf(&got, "kernel %s: global %v gives local %v, groups %v\n", c.k.Name(), c.r.Global, res.Local, res.Groups)
	}
	golden(t, "ndrange.txt", got.String())
	small := device(t, emu.DeviceOptions{MaxWorkGroupSize: 6, Workers: 1})
	out = buffer(t, small, make([]int32, 64)...)
	if res, err := kernel(t, program(t, small, "launch"), "racing").Run(context.Background(), emu.Range(100), out); err != nil || res.Local[0] > 6 {
		t.Errorf("work-groups of at most 6: %v, %+v", err, res)
	}
}

func TestLimits(t *testing.T) {
	d := device(t, emu.DeviceOptions{MaxMemory: 1 << 20, MaxAlloc: 1 << 19, LocalMemory: 1 << 12, Workers: 2})
	fault := program(t, d, "fault")
	b := buffer(t, d, int32(0), 0)
	var got strings.Builder
	fails := func(what string, err error) {
		t.Helper()
		var le *emu.LimitError
		if !errors.As(err, &le) {
			t.Errorf("%s: %v, want a LimitError", what, err)
		}
		fmt.Fprintf(&got, "%s: %v\n", what, err)
	}
	_, err := d.NewBuffer(1<<19+1, emu.BufferOptions{})
	fails("large buffer", err)
	_, err = d.NewBuffer(1<<63, emu.BufferOptions{})
	fails("absurd buffer", err)
	one, err := d.NewBuffer(1<<19, emu.BufferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.NewBuffer(1<<19, emu.BufferOptions{})
	fails("full memory", err)
	_, err = kernel(t, fault, "big_local").Run(context.Background(), emu.Range(1), b)
	fails("LDS of the module", err)
	_, err = kernel(t, fault, "tile").Run(context.Background(), emu.Range(1), emu.LocalBytes(1<<12+1), b)
	fails("LDS of an argument", err)
	_, err = kernel(t, fault, "big_private").Run(context.Background(), emu.Range(1), b)
	fails("private array", err)
	golden(t, "limits.txt", got.String())

	// Room comes back.
	if err := one.Free(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewBuffer(1<<19, emu.BufferOptions{}); err != nil {
		t.Error(err)
	}

	// A module does not get 4 GiB because it wants them.
	module, err := os.ReadFile("testdata/huge.spv")
	if err != nil {
		t.Fatal(err)
	}
	_, err = device(t, emu.DeviceOptions{}).NewProgram(module, emu.ProgramOptions{})
	var le *emu.LimitError
	var me *emu.ModuleError
	if !errors.As(err, &le) || !errors.As(err, &me) || me.Stage != "allocate" {
		t.Errorf("a variable of 4 GiB: %v", err)
	}

	// Private memory that fits a work-item need not fit a work-group.
	roomy := device(t, emu.DeviceOptions{MaxPrivate: 1 << 30})
	_, err = kernel(t, program(t, roomy, "fault"), "big_private").Run(context.Background(), sized(1024, 1024), buffer(t, roomy, int32(0), 0))
	if !errors.As(err, &le) {
		t.Errorf("4 GiB of private memory: %v", err)
	}
}

func TestDeviceOptions(t *testing.T) {
	for _, o := range []emu.DeviceOptions{
		{SubgroupSize: 3}, {SubgroupSize: 256}, {SubgroupSize: -1}, {WaveLanes: 33}, {WaveLanes: -32}, {WaveLanes: 1 << 20},
		{Workers: -1}, {Workers: 1 << 20}, {MaxWorkGroupSize: -1}, {MaxWorkGroupSize: 1 << 20}, {LocalMemory: 1 << 40},
		{MaxMemory: 1 << 60}, {MaxMemory: 10, MaxAlloc: 11}, {MaxPrivate: 1 << 40}, {Engine: "steam"},
		{DMAEngines: -1}, {DMAEngines: 65}, {DMAQueueDepth: -1}, {DMAQueueDepth: 1025}, {DMABytesPerStep: -1}, {DMABytesPerStep: 1<<20 + 1},
	} {
		if _, err := emu.NewDevice(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if names := emu.Engines(); names[0] != "auto" || !slices.Contains(names, "interp") {
		t.Errorf("engines %v", names)
	}
	l := device(t, emu.DeviceOptions{Engine: "interp"}).Limits()
	if l.Engine != "interp" || l.SubgroupSize != 32 || l.MaxWorkGroupSize != 1024 || l.LocalMemory != 64<<10 || l.MaxDimensions != 3 || l.Workers < 1 {
		t.Errorf("limits %+v", l)
	}
}

func TestBuffer(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	b := buffer(t, d, make([]byte, 8)...)
	if err := emu.Write(b, 0, []uint16{0x0102, 0x0304, 0x0506, 0x0708}); err != nil {
		t.Fatal(err)
	}
	if got := contents[byte](t, b); !bytes.Equal(got, []byte{2, 1, 4, 3, 6, 5, 8, 7}) {
		t.Errorf("bytes are not little-endian: %v", got)
	}
	if n, err := b.WriteAt([]byte{9, 9}, 6); n != 2 || err != nil {
		t.Errorf("WriteAt: %d, %v", n, err)
	}
	for _, off := range []int64{7, 8, -1, 1 << 62} {
		if n, err := b.WriteAt([]byte{1, 1}, off); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("WriteAt %d: %d, %v", off, n, err)
		}
	}
	p := make([]byte, 4)
	for _, c := range []struct {
		off  int64
		n    int
		want error
	}{{0, 4, nil}, {4, 4, nil}, {6, 2, io.EOF}, {8, 0, io.EOF}, {1 << 62, 0, io.EOF}} {
		if n, err := b.ReadAt(p, c.off); n != c.n || err != c.want {
			t.Errorf("ReadAt %d: %d, %v", c.off, n, err)
		}
	}
	if _, err := b.ReadAt(p, -1); err == nil {
		t.Error("ReadAt of a negative offset has no error")
	}
	if n, err := b.ReadAt(nil, 8); n != 0 || err != nil {
		t.Errorf("ReadAt of nothing: %d, %v", n, err)
	}
	for _, pattern := range []string{"a", "abc", "abcdefgh", "abcdefghij"} {
		if err := b.Fill([]byte(pattern)); err != nil {
			t.Fatal(err)
		}
		if got, want := string(contents[byte](t, b)), strings.Repeat(pattern, 8)[:8]; got != want {
			t.Errorf("filled with %q: %q, want %q", pattern, got, want)
		}
	}
	if err := b.Fill(nil); err == nil {
		t.Error("fill with nothing has no error")
	}
	if err := emu.Write(b, 1, []uint32{0xdeadbeef}); err != nil {
		t.Fatal(err)
	}
	if got := contents[uint32](t, b); got[1] != 0xdeadbeef {
		t.Errorf("element 1: %#x", got[1])
	}
	for _, i := range []int64{2, -1, 1 << 61} {
		if err := emu.Write(b, i, []uint32{1}); err == nil {
			t.Errorf("write of element %d has no error", i)
		}
	}
	if _, err := emu.Read[uint64](buffer(t, d, byte(1), 2, 3)); err == nil {
		t.Error("three bytes as elements of eight")
	}
	empty, err := d.NewBuffer(0, emu.BufferOptions{})
	if err != nil || empty.Size() != 0 || len(contents[byte](t, empty)) != 0 {
		t.Errorf("empty buffer: %v", err)
	}
	if err := empty.Free(); err != nil {
		t.Error(err)
	}
}

func TestMap(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	b := buffer(t, d, byte(1), 2, 3)
	m, err := b.Map()
	if err != nil {
		t.Fatal(err)
	}
	m[1] = 7
	if err := b.Free(); !errors.Is(err, emu.ErrMapped) {
		t.Errorf("free of a mapped buffer: %v", err)
	}
	if err := b.Unmap(); err != nil {
		t.Fatal(err)
	}
	if err := b.Unmap(); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("second Unmap: %v", err)
	}
	if got := contents[byte](t, b); !bytes.Equal(got, []byte{1, 7, 3}) {
		t.Errorf("contents %v", got)
	}
}

func TestSubBuffer(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	b := buffer(t, d, make([]int32, 64)...)
	s, err := b.Sub(128, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := emu.Write(s, 0, []int32{5}); err != nil {
		t.Fatal(err)
	}
	if got := contents[int32](t, b); got[32] != 5 || s.Size() != 64 {
		t.Errorf("the buffer does not show what the sub-buffer has: %v", got)
	}
	// The sub-buffer's end is an end.
	k := kernel(t, program(t, d, "fault"), "vecadd")
	_, err = k.Run(context.Background(), sized(17, 1), b, b, s)
	var fe *emu.FindingsError
	if !errors.As(err, &fe) || fe.Findings.Findings[0].Object.Bytes != 64 {
		t.Errorf("past the end of a sub-buffer: %v", err)
	}
	for _, c := range [][2]uint64{{1, 1}, {0, 257}, {256, 1}, {320, 0}, {1 << 63, 1 << 63}} {
		if _, err := b.Sub(c[0], c[1]); err == nil {
			t.Errorf("sub-buffer %v has no error", c)
		}
	}
	if _, err := s.Sub(0, 1); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("sub-buffer of a sub-buffer: %v", err)
	}
	if err := b.Free(); err == nil {
		t.Error("free of a buffer with a sub-buffer has no error")
	}
	if err := s.Free(); err != nil {
		t.Fatal(err)
	}
	if err := b.Free(); err != nil {
		t.Error(err)
	}
}

// TestHandles uses handles that were never made, or are closed, in every way.
func TestHandles(t *testing.T) {
	ctx := context.Background()
	check := func(what string, want error, calls map[string]func() error) {
		t.Helper()
		for name, f := range calls {
			if err := f(); !errors.Is(err, want) {
				t.Errorf("%s, %s: error %v, want %v", what, name, err, want)
			}
		}
	}
	devices := func(d *emu.Device) map[string]func() error {
		return map[string]func() error{
			"NewBuffer":   func() error { _, err := d.NewBuffer(1, emu.BufferOptions{}); return err },
			"NewBufferOf": func() error { _, err := emu.NewBufferOf(d, []int8{1}); return err },
			"Close":       d.Close,
		}
	}
	buffers := func(b *emu.Buffer) map[string]func() error {
		return map[string]func() error{
			"WriteAt": func() error { _, err := b.WriteAt(nil, 0); return err },
			"ReadAt":  func() error { _, err := b.ReadAt(nil, 0); return err },
			"Bytes":   func() error { _, err := b.Bytes(); return err },
			"Fill":    func() error { return b.Fill([]byte{1}) },
			"Map":     func() error { _, err := b.Map(); return err },
			"Unmap":   b.Unmap,
			"Sub":     func() error { _, err := b.Sub(0, 0); return err },
			"Free":    b.Free,
			"Write":   func() error { return emu.Write(b, 0, []int8{1}) },
			"Read":    func() error { _, err := emu.Read[int8](b); return err },
		}
	}
	check("nil device", emu.ErrInvalid, devices(nil))
	check("zero device", emu.ErrInvalid, devices(new(emu.Device)))
	check("nil buffer", emu.ErrInvalid, buffers(nil))
	check("zero buffer", emu.ErrInvalid, buffers(new(emu.Buffer)))
	if (*emu.Buffer)(nil).Size() != 0 || (*emu.Device)(nil).Limits() != (emu.Limits{}) {
		t.Error("nil handles have properties")
	}
	for _, p := range []*emu.Program{nil, new(emu.Program)} {
		if len(p.Kernels()) != 0 || p.ISA() != nil || p.Info() != nil {
			t.Error("a program that was never made has contents")
		}
		check("program", emu.ErrInvalid, map[string]func() error{
			"Kernel": func() error { _, err := p.Kernel("k"); return err },
			"Close":  p.Close,
		})
	}
	for _, k := range []*emu.Kernel{nil, new(emu.Kernel)} {
		if k.Name() != "" || k.Params() != nil || k.Info() != (emu.KernelInfo{}) {
			t.Error("a kernel that was never made has properties")
		}
		check("kernel", emu.ErrInvalid, map[string]func() error{
			"Run":    func() error { _, err := k.Run(ctx, emu.Range(1)); return err },
			"Launch": func() error { _, err := (&emu.Launch{Kernel: k}).Run(ctx); return err },
		})
	}
	for _, q := range []*emu.Queue{nil, new(emu.Queue)} {
		check("queue", emu.ErrInvalid, map[string]func() error{
			"Launch": func() error { _, err := q.Launch(ctx, emu.Launch{}); return err },
			"Write":  func() error { _, err := q.Write(ctx, nil, 0, nil); return err },
			"Read":   func() error { _, err := q.Read(ctx, nil, 0, nil); return err },
			"Finish": func() error { return q.Finish(ctx) },
			"Close":  q.Close,
		})
	}
	for _, e := range []*emu.Event{nil, new(emu.Event)} {
		check("event", emu.ErrInvalid, map[string]func() error{
			"Wait":    func() error { _, err := e.Wait(); return err },
			"Err":     e.Err,
			"Profile": func() error { _, err := e.Profile(); return err },
		})
		if e.Done() != nil {
			t.Error("an event that was never made can be waited for")
		}
	}
	var l *emu.Launch
	if _, err := l.Run(ctx); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("nil launch: %v", err)
	}
	if _, err := (*emu.Device)(nil).NewQueue(); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("queue of a nil device: %v", err)
	}
	if _, err := (*emu.Device)(nil).NewProgram(nil, emu.ProgramOptions{}); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("program of a nil device: %v", err)
	}

	d := device(t, emu.DeviceOptions{})
	freed := buffer(t, d, int8(1))
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	check("freed buffer", emu.ErrClosed, buffers(freed))
	b, p := buffer(t, d, int32(1)), program(t, d, "launch")
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	k := kernel(t, p, "variables")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	check("closed device", emu.ErrClosed, devices(d))
	check("buffer of a closed device", emu.ErrClosed, buffers(b))
	check("closed device", emu.ErrClosed, map[string]func() error{
		"NewProgram": func() error {
			module, err := os.ReadFile("testdata/launch.spv")
			if err != nil {
				return err
			}
			_, err = d.NewProgram(module, emu.ProgramOptions{})
			return err
		},
		"Program.Close": p.Close,
		"Run":           func() error { _, err := k.Run(ctx, emu.Range(1), b); return err },
		"Queue": func() error {
			e, err := q.Launch(ctx, emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{b}})
			if err != nil {
				return err
			}
			_, err = e.Wait()
			return err
		},
	})
	other := device(t, emu.DeviceOptions{})
	if q, err = other.NewQueue(); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Launch(ctx, emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{b}}); !errors.Is(err, emu.ErrForeign) {
		t.Errorf("kernel of another device: %v", err)
	}
}

func TestBadModules(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	good, err := os.ReadFile("testdata/launch.spv")
	if err != nil {
		t.Fatal(err)
	}
	var me *emu.ModuleError
	var de *spirv.DecodeError
	for _, module := range [][]byte{nil, {1, 2, 3}, good[:20], good[:len(good)/2+1], bytes.Repeat([]byte{0xff}, 64)} {
		p, err := d.NewProgram(module, emu.ProgramOptions{})
		if err == nil {
			if len(p.Kernels()) > 0 {
				t.Errorf("a module of %d bytes was accepted", len(module))
			}
			continue
		}
		if !errors.As(err, &me) {
			t.Errorf("error %v is no ModuleError", err)
		}
	}
	if _, err := d.NewProgram(good[:len(good)-2], emu.ProgramOptions{}); !errors.As(err, &de) {
		t.Errorf("a module of half words: %v", err)
	}
	p := program(t, d, "launch")
	if _, err := p.Kernel("nothing"); err == nil || !strings.Contains(err.Error(), `"saxpy"`) {
		t.Errorf("a kernel that is not there: %v", err)
	}
	if a, b := kernel(t, p, "saxpy"), kernel(t, p, "saxpy"); a != b {
		t.Error("the same kernel twice is not the same")
	}
}

func TestReflection(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	p := program(t, d, "launch")
	var got strings.Builder
	for _, name := range p.Kernels() {
		k := kernel(t, p, name)
		fmt.Fprintf(&got, "%s %+v\n", name, k.Info())
		for _, a := range k.Params() {
			fmt.Fprintf(&got, "\t%+v\n", a)
		}
	}
	golden(t, "reflection.txt", got.String())
}

func TestFileSources(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.cl")
	if err := os.WriteFile(path, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := emu.FileSources(path); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	secret := filepath.Join(dir, "key.pem")
	binary := filepath.Join(dir, "b.c")
	folder := filepath.Join(dir, "c.h")
	if err := errors.Join(os.WriteFile(secret, []byte("text"), 0o666), os.WriteFile(binary, []byte("a\x00b"), 0o666), os.Mkdir(folder, 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{secret, binary, folder, filepath.Join(dir, "missing.cl"), ""} {
		if text, err := emu.FileSources(name); err == nil {
			t.Errorf("%s was read: %q", name, text)
		}
	}
}
