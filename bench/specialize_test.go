package bench

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
)

// special is a launch that a kernel of testdata/specialize.cl can be compiled for.
type special struct {
	kernel        string
	global, local uint64
	out, in, taps int      // 32-bit elements of the buffers
	words         []uint32 // arguments by value, behind the buffers
}

var specials = []special{
	{kernel: "exchange", global: 1 << 20, local: 256, out: 1 << 20, in: 1 << 20, words: []uint32{1 << 11, 1 << 9}},
	{kernel: "ring", global: 1 << 17, local: 256, out: 1 << 17, in: 1 << 16, taps: 16, words: []uint32{1 << 16, 16}},
	{kernel: "saxpy", global: 1 << 20, local: 256, out: 1 << 20, in: 1 << 20, words: []uint32{math.Float32bits(2.5)}},
}

// specialization returns all that is known of the launch.
func (s *special) specialization() *isa.Specialization {
	z := &isa.Specialization{Dim: 1, Global: &[3]uint64{s.global, 1, 1}, Local: &[3]uint32{uint32(s.local), 1, 1}, Offset: &[3]uint64{}}
	first := 2
	if s.taps > 0 {
		first++
	}
	for i, w := range s.words {
		z.Args = append(z.Args, isa.SpecializedArg{Param: first + i, Value: binary.LittleEndian.AppendUint32(nil, w)})
	}
	return z
}

// launch returns the launch and the buffer that it fills.
func (s *special) launch(t testing.TB, d *emu.Device, specialize bool) (*emu.Launch, *emu.Buffer) {
	t.Helper()
	module, err := os.ReadFile("testdata/specialize.spv")
	if err != nil {
		t.Fatal(err)
	}
	opt := emu.ProgramOptions{Kernels: []string{s.kernel}}
	if specialize {
		opt.Specialize = map[string]*isa.Specialization{s.kernel: s.specialization()}
	}
	p, err := d.NewProgram(module, opt)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel(s.kernel)
	if err != nil {
		t.Fatal(err)
	}
	floats := func(n int) *emu.Buffer {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(i%1000) / 8
		}
		b, err := emu.NewBufferOf(d, v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	out := floats(s.out)
	args := []emu.Arg{out, floats(s.in)}
	if s.taps > 0 {
		args = append(args, floats(s.taps))
	}
	for _, w := range s.words {
		args = append(args, emu.Bytes(binary.LittleEndian.AppendUint32(nil, w)))
	}
	return &emu.Launch{Kernel: k, Args: args, Range: emu.NDRange{Global: []uint64{s.global}, Local: []uint64{s.local}}}, out
}

// TestSpecialized holds that specialized kernels leave the bits of plain ones.
func TestSpecialized(t *testing.T) {
	for _, s := range specials {
		var want []uint32
		for _, specialize := range []bool{false, true} {
			d, err := emu.NewDevice(emu.DeviceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			l, out := s.launch(t, d, specialize)
			if _, err := l.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			bytes := make([]byte, out.Size())
			if _, err := out.ReadAt(bytes, 0); err != nil {
				t.Fatal(err)
			}
			var got []uint32
			for i := 0; i < len(bytes); i += 4 {
				got = append(got, binary.LittleEndian.Uint32(bytes[i:]))
			}
			if want == nil {
				want = got
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s: element %d is %#x, expected %#x", s.kernel, i, got[i], want[i])
				}
			}
		}
	}
}

// BenchmarkSpecialized is the time of a launch with the kernel as it is, and with
// one that was compiled for this launch: divisions become shifts, loops have known
// bounds, conditions that always hold go.
func BenchmarkSpecialized(b *testing.B) {
	for _, s := range specials {
		for _, x := range []struct {
			name       string
			specialize bool
		}{{"plain", false}, {"specialized", true}} {
			b.Run(s.kernel+"/"+x.name, func(b *testing.B) {
				d, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				l, _ := s.launch(b, d, x.specialize)
				for b.Loop() {
					if _, err := l.Run(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(s.global)*float64(b.N)/b.Elapsed().Seconds(), "items/s")
			})
		}
	}
}
