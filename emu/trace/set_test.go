package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// filter runs the three kernels of the streaming filter together, with n
// samples, and returns what the sink got.
func filter(t *testing.T, opt emu.DeviceOptions, capacity uint32, schedule emu.Schedule, rec *trace.Recorder) []byte {
	t.Helper()
	const n = 40
	source, err := os.ReadFile("../../examples/streaming-fir/fir.cl")
	if err != nil {
		t.Fatal(err)
	}
	d, err := emu.NewDevice(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, _, err := d.BuildProgramContext(t.Context(), clc.Source{Name: "fir.cl", Text: string(source)}, clc.Options{}, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pipe := func(name string) *emu.Pipe {
		q, err := d.NewPipe(emu.PipeOptions{Name: name, PacketBytes: 4, Capacity: capacity})
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	x, y, out, count := pipe("x"), pipe("y"), numbers(t, d, n), emu.Value(uint32(n))
	set := emu.Set{Schedule: schedule, Trace: rec}
	for _, l := range []struct {
		kernel string
		args   []emu.Arg
	}{
		{"source", []emu.Arg{numbers(t, d, n), count, x}},
		{"fir", []emu.Arg{x, y, numbers(t, d, 8), count}},
		{"sink", []emu.Arg{y, out, count}},
	} {
		k, err := p.Kernel(l.kernel)
		if err != nil {
			t.Fatal(err)
		}
		set.Launches = append(set.Launches, emu.Launch{Kernel: k, Args: l.args, Range: emu.Range(1)})
	}
	res, err := set.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range res.Pipes {
		if q.Written != n || q.Read != n {
			t.Errorf("pipe %s: %d written, %d read", q.Name, q.Written, q.Read)
		}
	}
	if read, written := rec.PacketsMoved(); read != 2*n || written != 2*n || rec.Launches() != 3 {
		t.Errorf("%d packets read, %d written by %d launches in the trace", read, written, rec.Launches())
	}
	data, err := out.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSets traces kernels that run together under all schedules: the file is
// one that a viewer can show, each packet has its way, and another run gives the
// same bytes.
func TestSets(t *testing.T) {
	var want []byte
	for _, capacity := range []uint32{1, 7} {
		for i, schedule := range []string{"in-order", "reverse", "seeded", "seeded"} {
			name := fmt.Sprintf("capacity %d, %s %d", capacity, schedule, i)
			s, err := emu.ParseSchedule(schedule, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			rec := trace.New(trace.Options{})
			got := filter(t, emu.DeviceOptions{}, capacity, s, rec)
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the result differs", name)
			}
			doc := document(t, rec)
			if err := trace.Check(doc); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			// Each run of packets that was read leads back to one that was written.
			if arrows := strings.Count(doc, `"ph":"s"`); arrows < 2*40/int(capacity) || !strings.Contains(doc, `"name":"packets in y"`) {
				t.Errorf("%s: %d arrows", name, arrows)
			}
			var text bytes.Buffer
			if err := rec.WritePipes(&text, trace.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{"written  40 packets by source\n", "read     40 packets by fir\n", "written  40 packets by fir\n", "read     40 packets by sink\n", "bottleneck: fir;"} {
				if !strings.Contains(text.String(), line) {
					t.Errorf("%s: %q is missing in\n%s", name, line, text.String())
				}
			}
			again := trace.New(trace.Options{})
			filter(t, emu.DeviceOptions{Workers: 3}, capacity, s, again)
			if document(t, again) != doc {
				t.Errorf("%s: a second run gives other bytes", name)
			}
		}
	}
}
