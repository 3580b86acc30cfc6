package trace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// launch is a kernel of the examples; args makes its arguments for a device.
type launch struct {
	source, kernel string
	global         []uint64
	args           func(t *testing.T, d *emu.Device) (args []emu.Arg, out *emu.Buffer)
}

var launches = []launch{
	{"pipelined-matmul/matmul.cl", "matmul_plain", []uint64{32, 16}, matrices},
	{"pipelined-matmul/matmul.cl", "matmul_events", []uint64{32, 16}, matrices},
	{"pipelined-matmul/matmul.cl", "matmul_marks", []uint64{32, 16}, matrices},
	{"stencil/stencil.cl", "stencil", []uint64{64, 8}, picture},
}

// numbers returns a buffer of n floats.
func numbers(t *testing.T, d *emu.Device, n int) *emu.Buffer {
	t.Helper()
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i % 17)
	}
	b, err := emu.NewBufferOf(d, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// matrices are those of a product of 10 by 40 and 40 by 20.
func matrices(t *testing.T, d *emu.Device) ([]emu.Arg, *emu.Buffer) {
	const m, n, k = 10, 20, 40
	c := numbers(t, d, m*n)
	return []emu.Arg{numbers(t, d, m*k), numbers(t, d, k*n), c, emu.Value(uint32(m)), emu.Value(uint32(n)), emu.Value(uint32(k))}, c
}

// picture is one of 50 by 30.
func picture(t *testing.T, d *emu.Device) ([]emu.Arg, *emu.Buffer) {
	const width, height = 50, 30
	out := numbers(t, d, width*height)
	return []emu.Arg{numbers(t, d, width*height), out, emu.Value(uint32(width)), emu.Value(uint32(height)), numbers(t, d, 9)}, out
}

// run runs a launch and returns what it leaves in its output buffer.
func (l *launch) run(t *testing.T, opt emu.DeviceOptions, schedule string, rec *trace.Recorder) []byte {
	t.Helper()
	source, err := os.ReadFile("../../examples/" + l.source)
	if err != nil {
		t.Fatal(err)
	}
	d, err := emu.NewDevice(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, _, err := d.BuildProgramContext(t.Context(), clc.Source{Name: filepath.Base(l.source), Text: string(source)}, clc.Options{}, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel(l.kernel)
	if err != nil {
		t.Fatal(err)
	}
	s, err := emu.ParseSchedule(schedule, 5)
	if err != nil {
		t.Fatal(err)
	}
	args, out := l.args(t, d)
	el := emu.Launch{Kernel: k, Args: args, Range: emu.Range(l.global...), Schedule: s, Trace: rec}
	if _, err := el.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	data, err := out.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestLaunches traces real kernels under all schedules: the result is that of a
// launch without a trace, the file is one that a viewer can show, and another run
// gives the same bytes.
func TestLaunches(t *testing.T) {
	devices := []emu.DeviceOptions{
		{SubgroupSize: 32, WaveLanes: 64, DMABytesPerStep: 16},
		{SubgroupSize: 8, WaveLanes: 128, DMAEngines: 1, DMAQueueDepth: 1, DMABytesPerStep: 4},
	}
	schedules := []string{"early", "late", "paced", "seeded", "reverse+paced", "seeded+late"}
	if testing.Short() {
		devices, schedules = devices[1:], schedules[1:4]
	}
	for _, l := range launches {
		t.Run(l.kernel, func(t *testing.T) {
			for i, opt := range devices {
				want := l.run(t, opt, "in-order", nil)
				for _, schedule := range schedules {
					name := fmt.Sprintf("device %d, %s", i, schedule)
					rec := trace.New(trace.Options{})
					if got := l.run(t, opt, schedule, rec); !bytes.Equal(got, want) {
						t.Errorf("%s: the result differs", name)
					}
					doc := document(t, rec)
					if err := trace.Check(doc); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if copies := strings.Contains(doc, `"name":"issue copy 1"`); copies != (l.kernel != "matmul_plain") || copies != (rec.Transfers() > 0) {
						t.Errorf("%s: copies %v, %d transfers", name, copies, rec.Transfers())
					}
					if strings.Contains(doc, "not complete") {
						t.Errorf("%s: a copy never completes", name)
					}
					again := trace.New(trace.Options{})
					other := opt
					other.Workers = 3
					l.run(t, other, schedule, again)
					if document(t, again) != doc {
						t.Errorf("%s: a second run gives other bytes", name)
					}
				}
			}
		})
	}
}

func document(t *testing.T, rec *trace.Recorder) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(rec.WriteChrome(&b), rec.WriteText(&bytes.Buffer{}, trace.TextOptions{})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFullQueue: a wave that waits for room in the queue shows.
func TestFullQueue(t *testing.T) {
	rec := trace.New(trace.Options{})
	launches[1].run(t, emu.DeviceOptions{DMAEngines: 1, DMAQueueDepth: 1, DMABytesPerStep: 1}, "paced", rec)
	if doc := document(t, rec); !strings.Contains(doc, `"name":"wait for room in the queue"`) {
		t.Error("nobody waits for room in the queue")
	}
}
