package conformance

import (
	"bytes"
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// TestHundredRunsAlike runs every kernel a hundred times with -long, and else some, by turns on one worker and on
// two, and wants the reference's bytes and the same counters each time.
func TestHundredRunsAlike(t *testing.T) {
	runs := amount(2, 20, 100)
	for _, k := range kernels.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			bin, err := k.Binary("O2")
			if err != nil {
				t.Fatal(err)
			}
			var args []*argspec.Arg
			var want [][]byte
			for _, spec := range k.Launch.Args {
				a, err := argspec.Parse(spec, nil)
				if err != nil {
					t.Fatal(err)
				}
				args = append(args, a)
				want = append(want, bytes.Clone(a.Data))
			}
			if err := k.Reference(k.Launch, want); err != nil {
				t.Fatal(err)
			}
			var first emu.Counters
			sessions := [2]*session{openSession(t, k, bin.Code, 1), openSession(t, k, bin.Code, 2)}
			for run := range runs {
				s := sessions[run%2]
				if k.Name == "variables" { // its program-scope variables outlive a launch
					s = openSession(t, k, bin.Code, 1+run%2)
				}
				got, counters := s.run(t, k, args)
				for _, o := range k.Outputs {
					if !bytes.Equal(got[o], want[o]) {
						t.Fatalf("run %d: argument %d is not what the reference says", run, o)
					}
				}
				if run == 0 {
					first = counters
				} else if counters != first {
					t.Fatalf("run %d: counters %+v, the first run had %+v", run, counters, first)
				}
			}
		})
	}
}

// session is a kernel on a device of its own.
type session struct {
	dev    *emu.Device
	kernel *emu.Kernel
}

func openSession(t *testing.T, k *kernels.Kernel, code []byte, workers int) *session {
	t.Helper()
	dev, err := emu.NewDevice(emu.DeviceOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := dev.NewProgram(code, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := prog.Kernel(k.Entry)
	if err != nil {
		t.Fatal(err)
	}
	return &session{dev, kernel}
}

// run launches the kernel with fresh buffers and returns their contents, by
// argument, and the counters.
func (s *session) run(t *testing.T, k *kernels.Kernel, args []*argspec.Arg) (map[int][]byte, emu.Counters) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	buffers := map[int]*emu.Buffer{}
	var values []emu.Arg
	for i, a := range args {
		switch a.Kind {
		case argspec.Value:
			values = append(values, emu.Bytes(a.Data))
		case argspec.Local:
			values = append(values, emu.LocalBytes(uint64(a.Count)))
		case argspec.Null:
			values = append(values, emu.Null())
		default:
			buffers[i], err = emu.NewBufferOf(s.dev, a.Data)
			check(err)
			values = append(values, buffers[i])
		}
	}
	l := emu.Launch{Kernel: s.kernel, Args: values, Range: emu.NDRange{Global: k.Launch.Global, Local: k.Launch.Local, Offset: k.Launch.Offset}}
	res, err := l.Run(context.Background())
	check(err)
	out := map[int][]byte{}
	for i, b := range buffers {
		out[i], err = b.Bytes()
		check(err)
		check(b.Free())
	}
	return out, res.Counters
}
