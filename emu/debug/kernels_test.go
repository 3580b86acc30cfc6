package debug

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// TestKernels runs real kernels in the debugger: with steps at the beginning, with jumps back and forth, to
// their ends. They leave the bytes that their references ask for.
func TestKernels(t *testing.T) {
	ran := 0
	for i, k := range kernels.All() {
		if testing.Short() && i%6 != 0 {
			continue
		}
		if debugKernelOf(t, k, i) {
			ran++
		}
	}
	t.Logf("%d kernels", ran)
	if ran < 10 {
		t.Errorf("%d kernels ran", ran)
	}
}

// debugKernelOf runs a kernel, and says whether it can be run.
func debugKernelOf(t *testing.T, k *kernels.Kernel, seed int) bool {
	ctx := context.Background()
	d, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, _, err := d.BuildProgram(k.Source(), "-g")
	if err != nil {
		return false // it includes headers, or is for clang
	}
	entry, err := p.Kernel(k.Entry)
	if err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	l := &emu.Launch{Kernel: entry, Range: emu.NDRange{Global: k.Launch.Global, Local: k.Launch.Local, Offset: k.Launch.Offset}}
	l.Schedule = []emu.Schedule{{}, {Order: emu.Reverse, Completion: emu.CompleteLate}, {Order: emu.Seeded, Completion: emu.CompletePaced, Seed: uint64(seed)}}[seed%3]
	want := make([][]byte, len(k.Launch.Args))
	for i, spec := range k.Launch.Args {
		a, err := argspec.Parse(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch want[i] = a.Data; a.Kind {
		case argspec.Value:
			l.Args = append(l.Args, emu.Bytes(a.Data))
		case argspec.Buffer:
			l.Args = append(l.Args, buffer(t, d, a.Data))
		case argspec.Local:
			l.Args = append(l.Args, emu.LocalBytes(uint64(a.Count)))
		default:
			l.Args = append(l.Args, emu.Null())
		}
	}
	s, err := New(ctx, l, Options{Spacing: 3000})
	if errors.Is(err, ErrNotDebugged) {
		return false
	}
	if err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	defer s.Close()
	for n := range 12 {
		var err error
		switch n % 4 {
		case 3:
			_, err = s.GoTo(ctx, s.Tick()+500)
		default:
			_, err = s.Step(ctx, StepKind(n%2), Unit(n/2%2), Scope(n%3))
		}
		if err != nil && !errors.Is(err, ErrEnded) {
			t.Fatalf("%s: %v", k.Name, err)
		}
		if it, ok := s.Current(); ok {
			for _, v := range s.Variables(it.Number, 0) {
				if v.Err == nil {
					s.Text(v.Value, 4)
				}
			}
		}
	}
	tick := s.Tick()
	before := s.digest()
	if _, err := s.Finish(ctx); err != nil && !errors.Is(err, ErrEnded) {
		t.Fatalf("%s: %v", k.Name, err)
	}
	end := s.Tick()
	if tick < end {
		if _, err := s.GoTo(ctx, tick); err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		if s.digest() != before {
			t.Errorf("%s: another state at tick %d after the way back", k.Name, tick)
		}
		if _, err := s.Finish(ctx); err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
	}
	if !s.Ended() || s.Tick() != end || len(s.Findings().Findings) > 0 {
		t.Errorf("%s: ended %v at tick %d of %d, %d findings", k.Name, s.Ended(), s.Tick(), end, len(s.Findings().Findings))
	}
	s.Close()
	if err := k.Reference(k.Launch, want); err != nil {
		t.Fatal(err)
	}
	for _, i := range k.Outputs {
		got, err := emu.Read[byte](l.Args[i].(*emu.Buffer))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want[i]) {
			t.Errorf("%s: argument %d is not the reference's", k.Name, i)
		}
	}
	return true
}
