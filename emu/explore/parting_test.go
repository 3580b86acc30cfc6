package explore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

// partingText is a parting in a line.
func partingText(p *explore.Parting) string {
	if p == nil {
		return "none"
	}
	text := fmt.Sprintf("%d of access %d", p.WorkItem.Global[0], p.Number)
	for _, a := range p.Accesses {
		text += fmt.Sprintf(", %s", a.Access)
		if a.Access != "none" {
			text += fmt.Sprintf(" %s[%d] %s line %d", a.Name, a.Index, a.Value, a.Place.Line)
		}
	}
	return text
}

// TestParting finds the access at which two orders part.
func TestParting(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"a read without a barrier", "tile[l] = x[i];\ny[i] = tile[n - 1 - l]; }", "0 of access 3, read tile[7] 0 line 4, read tile[7] 7 line 4"},
		{"a last writer", "y[0] = i; }", "none"},
		{"a ticket", "y[i] = atomic_inc(&y[16 + i / 8]); }", "0 of access 2, result of an atomic operation y[16] 0 line 3, result of an atomic operation y[16] 4 line 3"},
		{"a way", "if (i == 7)\ny[20] = 1;\nelse if (i == 0 && y[20])\ny[21] = 2; }", "0 of access 1, read y[20] 0 line 5, read y[20] 1 line 5"},
		{"one that has ended", "if (i == 7)\ny[20] = 1;\nbool on = i == 0 && atomic_or(&y[20], 0);\nif (on)\ny[21] = 2; }", "0 of access 2, result of an atomic operation y[20] 0 line 5, result of an atomic operation y[20] 1 line 5"},
		{"a sub-group", "y[i] = get_max_sub_group_size(); }", "0 of access 1, write y[0] 4 line 3, write y[0] 8 line 3"},
		{"more accesses", "if (get_max_sub_group_size() == 4) y[i] = 1; }", "0 of access 1, write y[0] 1 line 3, none"},
		{"fewer accesses", "if (get_max_sub_group_size() == 8) y[i] = 1; }", "0 of access 1, none, write y[0] 1 line 3"},
		{"vectors", "((global int2 *)y)[0] = (int2)(3, get_max_sub_group_size()); }", "0 of access 2, write y[1] 4 line 3, write y[1] 8 line 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := subject(t, "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"+head+test.body, 8, 8)
			args := s.Args
			s.Args = func(dev *emu.Device) (*explore.Arguments, error) {
				a, err := args(dev)
				if err != nil {
					return nil, err
				}
				y, err := emu.NewBufferOf(dev, make([]int32, 32))
				a.Of[0][1] = y
				return a, err
			}
			e := explore.New(s)
			a, b := explore.Config{SubgroupSize: 4, WaveLanes: 4, Schedule: "in-order"}, explore.Config{SubgroupSize: 4, WaveLanes: 4, Schedule: "reverse"}
			if strings.Contains(test.body, "sub_group") {
				b = explore.Config{SubgroupSize: 8, WaveLanes: 8, Schedule: "in-order"}
			}
			d, err := e.Part(t.Context(), explore.Run{Config: a}, explore.Run{Config: b})
			if err != nil || d == nil {
				t.Fatalf("difference %v, error %v", d, err)
			}
			if got := partingText(d.First); got != test.want {
				t.Errorf("parts at %s, want %s", got, test.want)
			}
			if swapped := d.Swapped(); d.First != nil && (swapped.First.Accesses[0].Value != d.First.Accesses[1].Value || swapped.First.Accesses[1].Value != d.First.Accesses[0].Value) {
				t.Error("a difference that is turned round has the same first access")
			}
		})
	}
}

// piped is kernels that a pipe connects: their packets are in an order that depends on the schedule where writers has
// more than one work-item in a work-group.
const piped = `kernel void writers(write_only pipe int p) { int i = get_global_id(0); while (write_pipe(p, &i)) ; }
kernel void reader(read_only pipe int p, global int *out, int n, int sum)
{
	for (int k = 0; k < n; k++) {
		int v;
		while (read_pipe(p, &v))
			;
		if (sum) out[0] += v; else out[k] = v;
	}
}`

// pipedSubject has the two kernels run together, with eight packets, of which the reader takes n.
func pipedSubject(n, sum int32) explore.Subject {
	return explore.Subject{
		Programs: []func(context.Context, *emu.Device) (*emu.Program, error){func(_ context.Context, dev *emu.Device) (*emu.Program, error) {
			p, _, err := dev.BuildProgram(piped, "-cl-std=CL3.0")
			return p, err
		}},
		Launches: []explore.Member{
			{Kernel: "writers", Range: emu.NDRange{Global: []uint64{8}, Local: []uint64{8}}}, {Kernel: "reader", Range: emu.NDRange{Global: []uint64{1}}},
		},
		Args: func(dev *emu.Device) (*explore.Arguments, error) {
			p, err := dev.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: 16})
			if err != nil {
				return nil, err
			}
			out, err := emu.NewBufferOf(dev, make([]int32, 8))
			return &explore.Arguments{Of: [][]emu.Arg{{p}, {p, out, emu.Value(n), emu.Value(sum)}}, Left: func(w io.Writer) error {
				_, err := io.Copy(struct{ io.Writer }{w}, struct{ io.Reader }{p})
				return err
			}}, err
		},
	}
}

// TestSets explores launches that a pipe connects.
func TestSets(t *testing.T) {
	for _, test := range []struct {
		n, sum int32
		agree  bool
	}{{8, 1, true}, {8, 0, false}, {0, 0, false}} {
		e, r := explored(t, pipedSubject(test.n, test.sum), 24, explore.Options{Jobs: 1})
		if r.Agree() != test.agree || len(r.Runs) != 24 {
			t.Errorf("%+v: %d outcomes of %d runs", test, len(r.Outcomes), len(r.Runs))
		}
		a, b := r.Comparable()
		if a == nil {
			continue
		}
		d, err := e.Part(t.Context(), a.First, b.First)
		if err != nil || d == nil {
			t.Fatalf("%+v: difference %v, error %v", test, d, err)
		}
		if test.n > 0 && (d.First == nil || d.First.Kernel != "reader" || d.Object == nil || d.Stores[0].WorkItem == nil) || test.n == 0 && (d.First != nil || d.Object != nil) {
			t.Errorf("%+v: difference %+v", test, d)
		}
	}
	s := pipedSubject(8, 1)
	if _, err := explore.New(s).Exhaustive(t.Context(), explore.ExhaustiveOptions{}); !errors.Is(err, emu.ErrNotInterleaved) {
		t.Errorf("all interleavings of kernels together: %v", err)
	}
	s.Programs[0] = func(_ context.Context, dev *emu.Device) (*emu.Program, error) {
		p, _, err := dev.BuildProgram(strings.NewReplacer("kernel void writers", "kernel __attribute__((intel_reqd_sub_group_size(8))) void writers",
			"kernel void reader", "kernel __attribute__((intel_reqd_sub_group_size(16))) void reader").Replace(piped), "-cl-std=CL3.0")
		return p, err
	}
	if _, err := explore.New(s).Space(t.Context()); !errors.Is(err, explore.ErrSizes) {
		t.Errorf("kernels that require different sizes: %v", err)
	}
}
