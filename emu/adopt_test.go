package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

const adoptSource = `
kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }
kernel void invert(read_only image2d_t from, write_only image2d_t to) {
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	write_imageui(to, at, 255 - read_imageui(from, at));
}
kernel void where(global ulong *x) { x[0] = (ulong)x; }
`

// TestAdoptBuffer has kernels and the host use the same bytes.
func TestAdoptBuffer(t *testing.T) {
	onEngines(t, emu.DeviceOptions{Workers: 1, Poison: 7}, func(t *testing.T, d *emu.Device) {
		p := source(t, d, adoptSource)
		whole := memory.AlignedBytes(64)
		data := whole[8:40:40] // at an address that is no multiple of more than 8
		b, err := d.AdoptBuffer(data, emu.BufferOptions{Undefined: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(i+1))
		}
		for _, check := range []bool{false, true} {
			if check && d.Limits().Engine == "compare" {
				continue
			}
			want := bytes.Clone(data)
			for i := range 8 {
				want[4*i] *= 2
			}
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "twice"), Range: sized(8, 1), Check: check, Args: []emu.Arg{b}})
			if !bytes.Equal(data, want) || whole[7] != 0 || whole[40] != 0 {
				t.Errorf("% x", whole)
			}
		}
		mapped, err := b.Map()
		if err != nil || &mapped[0] != &data[0] {
			t.Error("mapped elsewhere", err)
		}
		if err := b.Unmap(); err != nil {
			t.Error(err)
		}
		l := emu.Launch{Kernel: kernel(t, p, "twice"), Range: sized(9, 1), Args: []emu.Arg{b}}
		if res, err := l.Run(context.Background()); err == nil || res.Findings.Findings[0].Code != finding.OutOfBounds {
			t.Error(err)
		}
		if err := b.Free(); err != nil {
			t.Error(err)
		}
		if data[0] == 0 {
			t.Error("free has cleared the bytes")
		}
		if _, err := d.AdoptBuffer(whole[4:], emu.BufferOptions{}); !errors.Is(err, memory.ErrAlign) {
			t.Error(err)
		}

		// Bytes of shared memory keep their addresses.
		s := svm(t, d, 256, emu.SVMOptions{})
		inside, err := d.AdoptBuffer(s.Bytes()[64:128], emu.BufferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, "where"), Range: sized(1, 1), Args: []emu.Arg{inside}})
		if got := word(s, 64); got != s.Address()+64 {
			t.Errorf("%#x, want %#x", got, s.Address()+64)
		}
		sub, err := s.Buffer().Sub(128, 64)
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, "where"), Range: sized(1, 1), Args: []emu.Arg{sub}})
		if got := word(s, 128); got != s.Address()+128 {
			t.Errorf("%#x, want %#x", got, s.Address()+128)
		}
	})
}

// TestAdoptImage has an image of the host's bytes, with gaps between rows.
func TestAdoptImage(t *testing.T) {
	onEngines(t, emu.DeviceOptions{Workers: 1}, func(t *testing.T, d *emu.Device) {
		p := source(t, d, adoptSource)
		data := slices.Concat(countedBytes(60), make([]byte, 4))
		data = append(memory.AlignedBytes(uint64(len(data)))[:0], data...)
		desc := emu.ImageDesc{Width: 4, Height: 3, RowPitch: 20}
		from, err := d.AdoptImage(data, desc, rgba8(emu.UnsignedInt8), emu.ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out := memory.AlignedBytes(56)
		to, err := d.AdoptImage(out, desc, rgba8(emu.UnsignedInt8), emu.ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := &emu.Launch{Kernel: kernel(t, p, "invert"), Range: emu.Range(4, 3), Args: []emu.Arg{from, to}}
		mustRun(t, l)
		for i, v := range out {
			want := byte(0)
			if i%20 < 16 {
				want = 255 - data[i]
			}
			if v != want {
				t.Fatalf("byte %d is %d, want %d", i, v, want)
			}
		}
		mapped, err := to.Map()
		if err != nil || &mapped[0] != &out[0] || len(mapped) != 56 {
			t.Error("mapped elsewhere", err)
		}
		if _, err := l.Run(context.Background()); !errors.Is(err, emu.ErrMapped) {
			t.Error(err)
		}
		if err := to.Free(); !errors.Is(err, emu.ErrMapped) {
			t.Error(err)
		}
		if err := to.Unmap(); err != nil {
			t.Error(err)
		}
		if err := to.Unmap(); !errors.Is(err, emu.ErrInvalid) {
			t.Error(err)
		}
		if err := to.Free(); err != nil {
			t.Error(err)
		}
		if _, err := d.AdoptImage(out[:48], desc, rgba8(emu.UnsignedInt8), emu.ImageOptions{}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
		// The image of a buffer is mapped from its first element on.
		b := buffer(t, d, make([]int32, 32)...)
		view, err := d.NewImage(emu.ImageDesc{Width: 2, Height: 2, Buffer: b, Offset: 64}, rgba8(emu.UnsignedInt8), emu.ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if mapped, err = view.Map(); err != nil || len(mapped) != 16 {
			t.Fatal(len(mapped), err)
		}
		mapped[3] = 9
		if err := view.Unmap(); err != nil {
			t.Error(err)
		}
		if got := contents[int32](t, b); got[16] != 9<<24 {
			t.Errorf("%v", got)
		}
	})
}
