package native

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// conformanceLaunch is a small launch of a kernel of the conformance suite.
type conformanceLaunch struct {
	kernel  *kernels.Kernel
	program *isa.Program
	k       *isa.Kernel
	args    []*argspec.Arg
}

// conformanceLaunches returns those of kernels with buffers, values and local memory.
func conformanceLaunches(t *testing.T) (list []*conformanceLaunch) {
	t.Helper()
	for _, k := range kernels.All() {
		b, err := k.Binary("O2")
		if err != nil {
			continue
		}
		c := &conformanceLaunch{kernel: k}
		for _, spec := range k.Launch.Args {
			a, err := argspec.Parse(spec, nil)
			if err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
			c.args = append(c.args, a)
		}
		if slices.ContainsFunc(c.args, func(a *argspec.Arg) bool {
			return a.Kind != argspec.Value && a.Kind != argspec.Buffer && a.Kind != argspec.Local || a.Resource != nil || a.Shared != ""
		}) {
			continue
		}
		c.program = lowered(t, b.Code)
		c.k = c.program.Kernel(k.Entry)
		if len(c.k.GlobalRegs) == 0 && len(c.k.PipeRegs) == 0 && !c.k.AnyPipe {
			list = append(list, c)
		}
	}
	return list
}

// run launches the kernel on an engine, and returns what the arguments hold then and the counters.
func (c *conformanceLaunch) run(e engine.Engine) (data [][]byte, n engine.Counters, err error) {
	code, err := e.Compile(c.program, c.k)
	if err != nil {
		return nil, n, err
	}
	if f, ok := code.(engine.Fallback); ok {
		return nil, n, fmt.Errorf("no machine form: %w", f.Fallback())
	}
	shape := c.kernel.Launch
	mem := memory.NewGlobal(1 << 30)
	l := &engine.Launch{Program: c.program, Kernel: c.k, Dim: len(shape.Global), Local: [3]uint32{1, 1, 1}, Global: [3]uint64{1, 1, 1},
		Groups: [3]uint64{1, 1, 1}, Scalars: slices.Clone(c.k.ScalarInit), Memory: mem, SubgroupSize: 32, Cancel: &atomic.Bool{}}
	items := uint64(1)
	for d := range shape.Global {
		l.Global[d], l.Local[d] = shape.Global[d], uint32(shape.Local[d])
		l.Groups[d] = (shape.Global[d] + shape.Local[d] - 1) / shape.Local[d]
		items *= shape.Local[d]
		if shape.Offset != nil {
			l.Offset[d] = shape.Offset[d]
		}
	}
	for i := range c.k.Local {
		size := c.k.Local[i].Size
		if c.k.Local[i].PerItem {
			size *= items
		}
		l.LocalSizes = append(l.LocalSizes, size)
	}
	values := make([][]byte, len(c.args))
	data = make([][]byte, len(c.args))
	for i, a := range c.args {
		switch a.Kind {
		case argspec.Value:
			data[i], values[i] = a.Data, a.Data
			continue
		case argspec.Local:
			l.LocalSizes = append(l.LocalSizes, uint64(a.Count))
			values[i] = binary.LittleEndian.AppendUint64(nil, uint64(memory.MakePointer(memory.SpaceLocal, uint32(len(l.LocalSizes)), 0)))
			continue
		}
		data[i] = memory.AlignedBytes(uint64(len(a.Data)))
		copy(data[i], a.Data)
		p, err := mem.AllocBytes(fmt.Sprint("argument ", i), data[i], false)
		if err != nil {
			return nil, n, err
		}
		values[i] = binary.LittleEndian.AppendUint64(nil, uint64(p))
	}
	for _, x := range c.k.ParamRegs {
		v := values[x.Param]
		v = v[min(x.Offset, uint64(len(v))):]
		v = append(slices.Clone(v[:min(int(x.Size), len(v))]), make([]byte, 8)...)
		l.Scalars[x.Scalar] = binary.LittleEndian.Uint64(v)
	}
	res, err := scheduler.New(code).Run(context.Background(), l, scheduler.Options{})
	if err != nil {
		return nil, n, err
	}
	if len(res.Faults) > 0 {
		return nil, n, fmt.Errorf("%d faults, the first %+v", len(res.Faults), res.Faults[0])
	}
	return data, res.Counters, nil
}

// TestPortableConformance runs kernels of the conformance suite, at their small sizes, in package portable and
// on package interp.
func TestPortableConformance(t *testing.T) {
	every := amount(16, 8, 1)
	var list []*conformanceLaunch
	for i, c := range conformanceLaunches(t) {
		if i%every == 0 {
			list = append(list, c)
		}
	}
	if len(list)*every < 60 {
		t.Errorf("%d kernels can be launched", len(list)*every)
	}
	type reference struct {
		data     [][]byte
		counters engine.Counters
	}
	want := make([]reference, len(list))
	for i, c := range list {
		var err error
		if want[i].data, want[i].counters, err = c.run(interp.Engine{}); err != nil {
			t.Fatalf("%s: %v", c.kernel.Name, err)
		}
	}
	eachPortable(t, func(t *testing.T, e Engine) {
		for i, c := range list {
			data, counters, err := c.run(e)
			if err != nil {
				t.Errorf("%s: %v", c.kernel.Name, err)
				continue
			}
			for n := range data {
				if !bytes.Equal(data[n], want[i].data[n]) {
					t.Errorf("%s: argument %d differs", c.kernel.Name, n)
				}
			}
			if counters != want[i].counters {
				t.Errorf("%s: counters (-interp +portable):\n%s", c.kernel.Name, cmp.Diff(want[i].counters, counters))
			}
		}
	})
}
