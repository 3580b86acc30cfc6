package mux_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

func pod(v uint32) mux.Descriptor {
	return mux.Descriptor{Type: mux.DescriptorPlainOldData, Data: binary.LittleEndian.AppendUint32(nil, v)}
}

// TestPipes specializes kernels that pipes connect, and runs their binaries together.
func TestPipes(t *testing.T) {
	const n = 12
	words := compiled(t, "../../examples/streaming-fir/fir.cl")
	m, _ := newModule(t)
	spirv := deviceSPIRV(t)
	if _, err := m.CompileSPIRV(t.Context(), words, &spirv, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Finalize(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	pipe := func() mux.Descriptor {
		p, err := d.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: 4})
		if err != nil {
			t.Fatal(err)
		}
		return mux.Descriptor{Type: mux.DescriptorPipe, Pipe: p}
	}
	buffer := func(v ...float32) mux.Descriptor {
		b, err := emu.NewBufferOf(d, v)
		if err != nil {
			t.Fatal(err)
		}
		return mux.Descriptor{Type: mux.DescriptorBuffer, Buffer: b}
	}
	var in, want []float32
	for i := range n {
		in = append(in, float32(i))
		want = append(want, float32(math.Max(float64(i)-0.5, 0)))
	}
	x, y, out := pipe(), pipe(), buffer(make([]float32, n)...)
	set := emu.Set{}
	for _, k := range []struct {
		name string
		args []mux.Descriptor
	}{
		{"source", []mux.Descriptor{buffer(in...), pod(n), x}},
		{"fir", []mux.Descriptor{x, y, buffer(0.5, 0.5, 0, 0, 0, 0, 0, 0), pod(n)}},
		{"sink", []mux.Descriptor{y, out, pod(n)}},
	} {
		options := &mux.NDRangeOptions{Descriptors: k.args, DescriptorsLength: len(k.args), LocalSize: [3]uint64{1, 1, 1},
			GlobalOffset: []uint64{0}, GlobalSize: []uint64{1}, Length: 1}
		kernel, err := m.GetKernel(k.name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := kernel.CreateSpecializedKernel(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		e, err := mux.LoadExecutable(d, b)
		if err != nil {
			t.Fatal(err)
		}
		l, err := e.Launch(k.name, options)
		if err != nil {
			t.Fatal(err)
		}
		set.Launches = append(set.Launches, *l)
		// A descriptor of another type is none for a pipe, and one without a pipe none for a launch.
		at := slices.IndexFunc(k.args, func(a mux.Descriptor) bool { return a.Type == mux.DescriptorPipe })
		options.Descriptors = slices.Clone(k.args)
		options.Descriptors[at].Pipe = nil
		if _, err := kernel.CreateSpecializedKernel(t.Context(), options); err != nil {
			t.Error(err)
		}
		if _, err := e.Launch(k.name, options); !errors.Is(err, mux.ErrInvalidValue) {
			t.Errorf("%s without its pipe: %v", k.name, err)
		}
		options.Descriptors[at].Type = mux.DescriptorBuffer
		if _, err := kernel.CreateSpecializedKernel(t.Context(), options); !errors.Is(err, mux.ErrInvalidValue) {
			t.Errorf("%s with a buffer for its pipe: %v", k.name, err)
		}
	}
	if _, err := set.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := emu.Read[float32](out.Buffer)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the filter gives %v, want %v", got, want)
	}
}
