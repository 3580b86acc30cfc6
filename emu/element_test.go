package emu_test

import (
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestElementTypes checks which types a buffer made of one type can be read and written as.
func TestElementTypes(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	floats := buffer(t, d, make([]float32, 64)...)
	sub, err := floats.Sub(0, 64)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*emu.Buffer{"buffer": floats, "sub-buffer": sub} {
		for _, err := range []error{second(emu.Read[float64](b)), second(emu.Read[uint32](b)), second(emu.Read[uint16](b)), emu.Write(b, 0, []int32{1})} {
			if !errors.Is(err, emu.ErrElement) {
				t.Errorf("%s: error %v, want ErrElement", name, err)
			}
		}
		type meters float32
		for _, err := range []error{second(emu.Read[float32](b)), second(emu.Read[meters](b)), second(emu.Read[byte](b)), second(emu.Read[int8](b)), emu.Write(b, 0, []float32{1})} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	untyped, err := d.NewBuffer(64, emu.BufferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		second(emu.Read[float64](untyped)), second(emu.Read[uint16](untyped)), emu.Write(untyped, 0, []uint64{1}),
		second(emu.Read[int32](buffer(t, d, uint32(1)))), second(emu.Read[float32](buffer[byte](t, d, 1, 2, 3, 4))),
	} {
		if err != nil {
			t.Error(err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
