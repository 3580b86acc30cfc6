package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

func pipe(t testing.TB, d *emu.Device, name string, packet, capacity uint32) *emu.Pipe {
	t.Helper()
	p, err := d.NewPipe(emu.PipeOptions{Name: name, PacketBytes: packet, Capacity: capacity})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// packed returns numbers as the bytes of packets.
func packed(v ...uint32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v)
	return b
}

// numbers returns the packets that are bytes.
func numbers(b []byte) []uint32 {
	v := make([]uint32, len(b)/4)
	_, _ = binary.Decode(b, binary.LittleEndian, v)
	return v
}

// count returns n numbers from first on.
func count(first, n uint32) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		v[i] = first + uint32(i)
	}
	return v
}

var one = emu.NDRange{Global: []uint64{1}, Local: []uint64{1}}

func u32(v uint32) emu.Arg { return emu.Value(v) }

func launch(k *emu.Kernel, args ...emu.Arg) emu.Launch {
	return emu.Launch{Kernel: k, Args: args, Range: one}
}

// pipeSchedules are those under which sets are tested.
func pipeSchedules(t *testing.T) []emu.Schedule {
	list := []emu.Schedule{{}, {Order: emu.Reverse}}
	n := uint64(20)
	if testing.Short() {
		n = 4
	}
	for seed := range n {
		list = append(list, emu.Schedule{Order: emu.Seeded, Seed: seed})
	}
	return list
}

// TestChain runs a producer, relays and a consumer at several capacities, in
// every order of the launches.
func TestChain(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	produce, relay, consume := kernel(t, prog, "produce"), kernel(t, prog, "relay"), kernel(t, prog, "consume")
	const n = 200
	for _, capacity := range []uint32{1, 2, 64, 1000} {
		for _, s := range pipeSchedules(t) {
			a, b, c := pipe(t, d, "a", 4, capacity), pipe(t, d, "b", 4, capacity), pipe(t, d, "c", 4, capacity)
			out := buffer(t, d, make([]uint32, n)...)
			launches := []emu.Launch{
				launch(consume, c, out, u32(n)), launch(relay, b, c, u32(n)), launch(produce, a, u32(7), u32(n)), launch(relay, a, b, u32(n)),
			}
			set := emu.Set{Launches: launches, Schedule: s, Check: true}
			res, err := set.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if got := contents[uint32](t, out); !slices.Equal(got, count(9, n)) {
				t.Errorf("capacity %d, %v: %v", capacity, s, got)
			}
			for _, u := range res.Pipes {
				if u.Written != n || u.Read != n || u.Left != 0 || u.Held != 0 || u.Capacity != int(capacity) {
					t.Errorf("capacity %d, %v: pipe %+v", capacity, s, u)
				}
			}
			if len(res.Launches) != 4 || res.Launches[3].GroupsRun != 1 {
				t.Errorf("results %+v", res.Launches)
			}
			for _, p := range []*emu.Pipe{a, b, c} {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestHostEnds writes to a pipe before a launch, reads what it left after, and
// streams through one that is smaller than what goes through.
func TestHostEnds(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	relay := kernel(t, program(t, d, "pipes"), "relay")
	a, b := pipe(t, d, "", 4, 10), pipe(t, d, "", 4, 8)
	if n, err := a.Write(packed(1, 2, 3, 4, 5)); n != 20 || err != nil {
		t.Fatalf("Write: %d, %v", n, err)
	}
	if _, err := relay.Run(context.Background(), one, a, b, u32(4)); err != nil {
		t.Fatal(err)
	}
	if n, err := a.Len(); n != 1 || err != nil {
		t.Errorf("left in the first pipe: %d, %v", n, err)
	}
	got, err := io.ReadAll(b)
	if err != nil || !slices.Equal(numbers(got), []uint32{2, 3, 4, 5}) {
		t.Errorf("read %v, %v", numbers(got), err)
	}
	if err := a.Reset(); err != nil {
		t.Fatal(err)
	}

	for _, s := range pipeSchedules(t) {
		var out bytes.Buffer
		const n = 1000
		if err := errors.Join(a.Feed(bytes.NewReader(packed(count(0, n+5)...))), b.Drain(&out)); err != nil {
			t.Fatal(err)
		}
		set := emu.Set{Launches: []emu.Launch{launch(relay, a, b, u32(n))}, Schedule: s}
		res, err := set.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(numbers(out.Bytes()), count(1, n)) {
			t.Errorf("%v: drained %v", s, numbers(out.Bytes()))
		}
		u := res.Pipes
		if len(u) != 2 || u[0].Name != "in" || u[1].Name != "out" || u[0].Fed != n+u[0].Left || u[0].Read != n || u[1].Drained != n || u[1].Left != 0 {
			t.Errorf("%v: pipes %+v", s, u)
		}
		if err := a.Reset(); err != nil {
			t.Fatal(err)
		}
	}
}

var errBroken = errors.New("broken on purpose")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) - 1, nil }

// TestFeedErrors checks that errors of the host's ends end the launches.
func TestFeedErrors(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	relay := kernel(t, program(t, d, "pipes"), "relay")
	for _, c := range []struct {
		r    io.Reader
		w    io.Writer
		want error
	}{
		{brokenReader{}, nil, errBroken},
		{bytes.NewReader(make([]byte, 41)), nil, io.ErrUnexpectedEOF},
		{bytes.NewReader(make([]byte, 4000)), brokenWriter{}, errBroken},
		{bytes.NewReader(make([]byte, 4000)), shortWriter{}, io.ErrShortWrite},
	} {
		a, b := pipe(t, d, "a", 4, 16), pipe(t, d, "b", 4, 16)
		if err := errors.Join(a.Feed(c.r), b.Drain(c.w)); err != nil {
			t.Fatal(err)
		}
		res, err := relay.Run(context.Background(), one, a, b, u32(1000))
		if !errors.Is(err, c.want) {
			t.Errorf("%T, %T: error %v, want %v", c.r, c.w, err, c.want)
		}
		if res == nil {
			t.Errorf("%T, %T: no result", c.r, c.w)
		}
	}
}

// TestSetOutput checks that what launches print comes in the order of the
// turns, and only once.
func TestSetOutput(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	p := pipe(t, d, "p", 4, 1)
	set := emu.Set{Launches: []emu.Launch{launch(kernel(t, prog, "talk"), p, u32(3)), launch(kernel(t, prog, "hear"), p, u32(3))}}
	res, err := set.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := "wrote 0\nread 0\nwrote 1\nread 1\nwrote 2\nread 2\n"
	if string(res.Output) != want || res.Launches[0].Output != nil {
		t.Errorf("output %q, of the first launch %q", res.Output, res.Launches[0].Output)
	}
	var w bytes.Buffer
	set.Output, set.MaxOutput = &w, 10
	if res, err = set.Run(context.Background()); err != nil || w.String() != want[:10] || res.OutputDropped != uint64(len(want)-10) || res.Output != nil {
		t.Errorf("output %q, %d dropped, %v", w.String(), res.OutputDropped, err)
	}
}

// TestPipeReports keeps the reports of wrong uses of pipes.
func TestPipeReports(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	k := func(name string) *emu.Kernel { return kernel(t, prog, name) }
	out := buffer(t, d, make([]uint32, 64)...)
	zero := buffer(t, d, uint32(0), 0)
	for _, c := range []struct {
		name     string
		launches func() []emu.Launch
		codes    []finding.Code
	}{
		{"pipe-open", func() []emu.Launch {
			return []emu.Launch{launch(k("leak"), pipe(t, d, "p", 4, 4))}
		}, []finding.Code{finding.PipeOpen}},
		{"pipe-twice", func() []emu.Launch {
			return []emu.Launch{launch(k("twice"), pipe(t, d, "p", 4, 4))}
		}, []finding.Code{finding.PipeReserve}},
		{"pipe-outside", func() []emu.Launch {
			return []emu.Launch{launch(k("outside"), pipe(t, d, "", 4, 4))}
		}, []finding.Code{finding.PipeIndex}},
		{"pipe-unwritten", func() []emu.Launch {
			return []emu.Launch{launch(k("unwritten"), pipe(t, d, "p", 4, 4))}
		}, []finding.Code{finding.PipeUnwritten}},
		{"pipe-size", func() []emu.Launch {
			return []emu.Launch{launch(k("wide"), pipe(t, d, "p", 4, 4))}
		}, []finding.Code{finding.PipeSize}},
		{"pipe-fault", func() []emu.Launch {
			p := pipe(t, d, "p", 4, 4)
			return []emu.Launch{launch(k("failing"), p, zero, u32(3)), launch(k("consume"), p, out, u32(3))}
		}, []finding.Code{finding.DivideByZero}},
	} {
		set := emu.Set{Launches: c.launches(), Check: true, Reproduce: "run it again", Timeout: 5 * time.Second}
		res, err := set.Run(context.Background())
		var fe *emu.FindingsError
		if !errors.As(err, &fe) {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		var codes []finding.Code
		for _, f := range res.Findings.Findings {
			codes = append(codes, f.Code)
		}
		if !slices.Equal(codes, c.codes) {
			t.Errorf("%s: findings %v, want %v", c.name, codes, c.codes)
		}
		golden(t, c.name+".txt", fmt.Sprint(res.Findings.Text()))
	}
}
